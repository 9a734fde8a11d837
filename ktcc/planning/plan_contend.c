/*
 * Contenders: candidates that are better than the best by a first look. Each of them would have to be verified before it
 * counts, and while a search has just begun nearly every candidate is the best so far. So they are verified in rounds, the
 * most promising first. One that is no improvement any more, after another one was verified, is not verified.
 */
#include <string.h>

#include "planning/plan_internal.h"

/* Looks between two rounds: few at first, since the best so far decides when others may stop. */
enum { ROUND_FIRST = 4, ROUND_LAST = 64 };

kt_status kt_tuning_contend(struct kt_tuning *s, const struct kt_built *built, const struct kt_trial *looks,
                            struct kt_error *err)
{
	const size_t row = kt_objective_rows(s->objective) - 1;
	struct kt_contender *slot;

	s->looks_since++;
	/* What is as good as the best does not count as it before somebody has verified it. */
	if (kt_tuning_may_win(s, built->ticket - 1, looks))
		kt_objective_doubt(s->objective, row, true);
	if (!kt_tuning_may_improve(s, built->ticket - 1, looks)) {
		s->screened++;
		return KT_OK;
	}
	NEED(slot = kt_arena_push(s->arena, &s->contenders, &s->contender_count, sizeof *slot),
	     kt_fail(err, KT_ERR_MEMORY, "contenders: out of memory"));
	*slot = (struct kt_contender){*built, row, looks};
	return KT_OK;
}

static void drop(struct kt_tuning *s, size_t i)
{
	s->contender_count--;
	memmove(&s->contenders[i], &s->contenders[i + 1], (s->contender_count - i) * sizeof s->contenders[0]);
}

/* Leaves those that improve on what is best by now. */
static void sort_out(struct kt_tuning *s)
{
	for (size_t i = s->contender_count; i-- > 0;) {
		if (kt_tuning_may_improve(s, s->contenders[i].built.ticket - 1, s->contenders[i].looks))
			continue;
		s->screened++;
		drop(s, i);
	}
}

static bool is_verifying(const struct kt_tuning *s)
{
	for (size_t i = 0; i < s->under_way_count; i++)
		if (!s->under_way[i].look)
			return true;
	return false;
}

bool kt_tuning_round_is_due(struct kt_tuning *s, bool idle)
{
	/* The result of one of them decides whether the next one may still win. */
	if (is_verifying(s))
		return false;
	s->in_round = s->in_round && s->contender_count != 0;
	if (s->contender_count == 0)
		return false;
	if (!s->in_round && !idle && s->looks_since < (s->round != 0 ? s->round : ROUND_FIRST))
		return false;
	sort_out(s);
	if (!s->in_round) {
		s->round = s->round == 0 ? 2 * ROUND_FIRST : s->round < ROUND_LAST ? 2 * s->round : ROUND_LAST;
		s->looks_since = 0;
	}
	s->in_round = s->contender_count != 0;
	return s->in_round;
}

/* The least cost first: it rules out most of the others. */
static size_t most_promising(const struct kt_tuning *s)
{
	size_t best = 0;

	for (size_t i = 1; i < s->contender_count; i++)
		if (kt_objective_cost(s->objective, s->contenders[i].row) < kt_objective_cost(s->objective, s->contenders[best].row))
			best = i;
	return best;
}

kt_status kt_tuning_verify_next(struct kt_tuning *s, struct kt_error *err)
{
	const size_t best = most_promising(s);
	const struct kt_contender contender = s->contenders[best];

	drop(s, best);
	return kt_tuning_verify(s, &contender, err);
}

kt_status kt_tuning_drain(struct kt_tuning *s, struct kt_error *err)
{
	while (s->under_way_count != 0)
		TRY(kt_tuning_collect(s, err));
	return KT_OK;
}

kt_status kt_tuning_settle(struct kt_tuning *s, double until_s, struct kt_error *err)
{
	TRY(kt_tuning_drain(s, err));

	while (kt_now_s() + kt_tuning_verify_seconds(s) < until_s && kt_tuning_round_is_due(s, true)) {
		TRY(kt_tuning_verify_next(s, err));
		TRY(kt_tuning_drain(s, err));
	}
	return KT_OK;
}
