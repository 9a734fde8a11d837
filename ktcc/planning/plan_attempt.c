/*
 * Candidates on the device: the runner has two at a time, so that it does not wait for what is done with a reply here.
 * Each gets one first look. One that may be the best by that is a contender (plan_contend.c): it is verified on
 * everything that a search asks for, and does not count as best before.
 */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/plan_internal.h"

/* A candidate that is this much slower than the best on a problem is not timed further there. */
static const double give_up_factor = 1.3;

static const int64_t *configuration(const struct kt_tuning *s, size_t index)
{
	return kt_space_get(s->space, index);
}

static void show_progress(const struct kt_tuning *s)
{
	kt_store_lease_beat(s->plan->lease);
	kt_tuning_observe(s, KT_PHASE_SEARCH, s->tried, s->total);
}

/* What a rule wrote has to compile: a mistake of ours, with the command that shows it. A user's own text need not. */
static void log_uncompiled(struct kt_tuning *s, size_t index, const char *message)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (!kt_tuning_is_by_rules(s))
		return;
	kt_tuning_count_mistake(s, "rules-uncompiled");
	message = message != NULL ? message : "no more is known";
	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, index));
	kt_log("%s: %s: %s: %.*s; again: ktcc verify %s --configuration \"%s\"", s->instance->name, kt_buf_text(&config),
	       kt_verdict_name(KT_VERDICT_NO_COMPILE), (int)strcspn(message, "\n"), message, kt_path_word(s->arena, s->region->file),
	       kt_buf_text(&config));
	if (s->first_wrong.configuration == NULL)
		s->first_wrong = (struct kt_wrong){kt_arena_strdup(s->arena, kt_buf_text(&config)), NULL, message,
		                                   KT_VERDICT_NO_COMPILE};
	kt_buf_free(&config);
}

static kt_status not_compiled(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	struct kt_trial trial = {.verdict = KT_VERDICT_NO_COMPILE, .detail = built->message};
	size_t index = built->ticket - 1;

	s->uncompiled++;
	s->unlucky += built->unlucky;
	if (!built->unlucky)
		log_uncompiled(s, index, built->message);
	for (size_t p = 0; p < s->problems && !built->unlucky; p++) {
		trial.problem = (int64_t)p;
		kt_tuning_remember_trial(s, index, p, &trial);
	}
	return kt_tuning_add_row(s, index, NULL, &trial, err);
}

static kt_status keep_binary(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	struct kt_built *slot = kt_arena_push(s->arena, &s->built, &s->built_count, sizeof *slot);

	NEED(slot, kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory"));
	*slot = *built;
	return KT_OK;
}

/* Not remembered: another KTUNE_RELAX may let it through. */
static bool refused(struct kt_tuning *s, const struct kt_built *built)
{
	struct kt_buf why = KT_BUF(KT_LIMIT_LINE_BYTES);
	const bool refuses = kt_tuning_refuses(&why, s, built);

	s->refused += refuses;
	if (refuses)
		kt_log("%s: configuration %zu not run: %s", s->instance->name, built->ticket - 1, kt_buf_text(&why));
	kt_buf_free(&why);
	return refuses;
}

/* What went wrong, from the row of the problem or check that failed. */
static const char *detail_of(const struct kt_outcome *outcome)
{
	for (size_t r = 0; r < outcome->row_count; r++)
		if (outcome->rows[r].problem == outcome->failed)
			return outcome->rows[r].detail;
	return outcome->failed;
}

/* The mean over all so far, the newest of many counting more. */
static void note_seconds(double *mean_s, size_t *count, double seconds)
{
	const double among = fmin((double)++*count, 16);

	*mean_s += (seconds - *mean_s) / among;
}

/* The thresholds from which on a candidate is not timed further; NULL: out of memory. */
static double *give_up_from(const struct kt_tuning *s)
{
	double *ns = kt_arena_array(s->arena, s->problems, sizeof *ns);

	for (size_t p = 0; ns != NULL && p < s->problems; p++)
		ns[p] = kt_objective_best_ns(s->objective, p) * give_up_factor;
	return ns;
}

kt_status kt_tuning_ask_runner(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_candidate *candidate,
                               struct kt_error *err)
{
	const struct kt_effort effort = kt_tuning_search_effort(s);
	const double begin_s = kt_tuning_since(s, 0);
	const double *give_up = give_up_from(s);

	NEED(give_up, kt_fail(err, KT_ERR_MEMORY, "thresholds: out of memory"));
	TRY(kt_tester_try(outcome, s->arena, s->plan->tester, candidate, &effort, give_up, err));
	note_seconds(&s->verify_s, &s->verified, kt_tuning_since(s, begin_s));
	return KT_OK;
}

/* The verdict of a candidate whose code and launches were tried before: separate rows, which name that candidate. */
static kt_status take_same(struct kt_tuning *s, const struct kt_built *built, const struct kt_same *same,
                           struct kt_error *err)
{
	struct kt_buf other = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_trial seen = same->seen;
	const bool right = same->verdict == KT_VERDICT_OK;
	double ns[KT_PROBLEMS];
	const char *detail;
	kt_status status;

	kt_configuration_print(&other, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       configuration(s, same->index));
	detail = kt_arena_printf(s->arena, "same code as %s", kt_buf_text(&other));
	kt_buf_free(&other);
	for (size_t p = 0; p < s->problems; p++) {
		struct kt_trial trial = same->trials[p];

		/* A trial that was lost after its first check keeps that detail, also for candidates with the same code. */
		if (trial.verdict == KT_VERDICT_OK && trial.detail == NULL)
			trial.detail = detail;
		kt_tuning_remember_trial(s, built->ticket - 1, p, &trial);
		ns[p] = trial.verdict == KT_VERDICT_OK ? trial.timing.median_ns : NAN;
	}
	(void)kt_tuning_fill_lost(ns, s, same->trials);
	s->identical++;
	s->wrong += !right && same->verdict != KT_VERDICT_SKIPPED;
	if (right && seen.detail == NULL)
		seen.detail = detail;
	status = kt_tuning_add_row(s, built->ticket - 1, right ? ns : NULL, &seen, err);
	if (status == KT_OK && right)
		status = keep_binary(s, built, err);
	if (status == KT_OK && right && kt_tuning_is_screened(&seen))
		status = kt_tuning_contend(s, built, same->trials, err);
	show_progress(s);
	return status;
}

/* Asks the runner. Waits only until one is free; kt_tuning_collect takes its answer. */
static kt_status begin(struct kt_tuning *s, const struct kt_under_way *one, struct kt_error *err)
{
	struct kt_effort effort = one->look ? kt_tuning_screen_effort(s) : kt_tuning_search_effort(s);
	const struct kt_candidate candidate = {one->built.cubin, one->built.function,
	                                       configuration(s, one->built.ticket - 1)};
	const double *give_up = give_up_from(s);
	kt_status status = give_up != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "thresholds: out of memory");
	struct kt_tester *tester = NULL;
	double begin_s;

	while (status == KT_OK && (tester = kt_tuning_free_tester(s)) == NULL)
		status = kt_tuning_collect(s, err);
	if (one->look)
		kt_tuning_race(&effort, s);
	if (status != KT_OK)
		return status;
	begin_s = kt_tuning_since(s, 0);
	status = kt_tester_begin(s->arena, tester, &candidate, &effort, give_up, err);
	s->between_s[KT_BETWEEN_REQUEST] += kt_tuning_since(s, begin_s);
	if (status != KT_OK)
		return status;
	s->under_way[s->under_way_count] = *one;
	s->under_way[s->under_way_count].tester = tester;
	s->under_way[s->under_way_count++].begin_s = kt_tuning_since(s, 0);
	return KT_OK;
}

kt_status kt_tuning_verify(struct kt_tuning *s, const struct kt_contender *contender, struct kt_error *err)
{
	const struct kt_under_way one = {.built = contender->built, .row = contender->row, .looks = contender->looks};

	return begin(s, &one, err);
}

size_t kt_tuning_decided(const struct kt_tuning *s)
{
	size_t looks = 0;

	for (size_t i = 0; i < s->under_way_count; i++)
		looks += s->under_way[i].look;
	return s->tried - looks;
}

/* What the verdict of a candidate that was asked about has besides its times. */
static void note_verdict(struct kt_tuning *s, size_t index, const struct kt_outcome *outcome)
{
	if (outcome->verdict == KT_VERDICT_NO_COMPILE) {
		s->uncompiled++;
		log_uncompiled(s, index, detail_of(outcome));
	}
	s->ended_in_row = outcome->ended_runner ? s->ended_in_row + 1 : 0;
	/* That the device cannot launch it does not make its results wrong. */
	s->refused += outcome->verdict == KT_VERDICT_OVER_LIMIT;
	if (outcome->verdict != KT_VERDICT_OK && outcome->verdict != KT_VERDICT_SKIPPED &&
	    outcome->verdict != KT_VERDICT_NO_COMPILE && outcome->verdict != KT_VERDICT_OVER_LIMIT) {
		s->wrong++;
		kt_tuning_remember_wrong(s, index, outcome);
	}
}

static struct kt_trial seen_of(const struct kt_outcome *outcome)
{
	const bool screened = outcome->screened && outcome->verdict == KT_VERDICT_OK;

	return (struct kt_trial){.verdict = outcome->verdict, .detail = screened ? KT_TRIAL_SCREENED : detail_of(outcome),
	                         .registers = outcome->registers, .local_bytes = outcome->local_bytes,
	                         .shared_bytes = outcome->shared_bytes};
}

static kt_status looked_at(struct kt_tuning *s, const struct kt_under_way *one, struct kt_outcome *outcome,
                           struct kt_error *err)
{
	const struct kt_built *built = &one->built;
	const size_t index = built->ticket - 1;
	const bool right = outcome->verdict == KT_VERDICT_OK;
	double ns[KT_PROBLEMS];
	struct kt_trial seen;
	kt_status status;

	if (built->shared && outcome->verdict == KT_VERDICT_NO_COMPILE) {
		s->tried--;
		status = kt_tuning_note_waiting(s, index, err);
		return status == KT_OK ? kt_batch_add_alone(s->batch, built->ticket, configuration(s, index), err) : status;
	}
	kt_tuning_remember_outcome(ns, s, index, outcome);
	note_verdict(s, index, outcome);
	seen = seen_of(outcome);
	status = kt_tuning_add_row(s, index, right ? ns : NULL, &seen, err);
	THEN(status, kt_tuning_note_same(s, one->key, index, outcome, &seen, err));
	if (status == KT_OK && right)
		status = keep_binary(s, built, err);
	if (right)
		kt_tuning_note_ratios(s, outcome->trials);
	if (status == KT_OK && right)
		status = kt_tuning_contend(s, built, outcome->trials, err);
	return status;
}

static kt_status verified(struct kt_tuning *s, const struct kt_under_way *one, struct kt_outcome *outcome,
                          struct kt_error *err)
{
	const size_t index = one->built.ticket - 1;
	const bool right = outcome->verdict == KT_VERDICT_OK;
	double ns[KT_PROBLEMS];

	kt_tuning_remember_outcome(ns, s, index, outcome);
	note_verdict(s, index, outcome);
	s->seen[one->row] = seen_of(outcome);
	kt_objective_replace(s->objective, one->row, right ? ns : NULL);
	kt_objective_doubt(s->objective, one->row, false);
	kt_tuning_same_verified(s, index, outcome, &s->seen[one->row]);
	if (right) {
		kt_tuning_note_looks(s, one->looks, outcome->trials);
		return KT_OK;
	}
	return kt_tuning_retract(s, index, err);
}

kt_status kt_tuning_collect(struct kt_tuning *s, struct kt_error *err)
{
	const size_t place = kt_tuning_next_answer(s);
	const struct kt_under_way one = s->under_way[place];
	struct kt_outcome outcome;
	double begin_s;
	kt_status status = kt_tester_end(&outcome, s->arena, one.tester, err);
	const double now_s = kt_tuning_since(s, 0), seconds = now_s - fmax(one.begin_s, s->answered_s);

	s->under_way_count--;
	memmove(&s->under_way[place], &s->under_way[place + 1], (s->under_way_count - place) * sizeof s->under_way[0]);
	if (status != KT_OK)
		return status;
	begin_s = kt_now_s() - s->between_s[KT_BETWEEN_STORE];
	s->answered_s = now_s;
	if (one.look) {
		/* What a candidate takes: its own look, and its part in what was verified since the one before. */
		note_seconds(&s->try_s, &s->timed, seconds + s->unshared_s);
		s->unshared_s = 0;
		status = looked_at(s, &one, &outcome, err);
	} else {
		note_seconds(&s->verify_s, &s->verified, seconds);
		s->unshared_s += seconds;
		status = verified(s, &one, &outcome, err);
	}
	/* Without what was spent on the store meanwhile. */
	s->between_s[KT_BETWEEN_REPLY] += kt_now_s() - s->between_s[KT_BETWEEN_STORE] - begin_s;
	show_progress(s);
	return status;
}

kt_status kt_tuning_try(struct kt_tuning *s, const struct kt_built *built, struct kt_error *err)
{
	const size_t index = built->ticket - 1;
	struct kt_under_way one = {.built = *built, .look = true};
	const struct kt_same *same;

	kt_tuning_forget_waiting(s, index);
	s->tried++;
	if (built->cubin == NULL)
		return not_compiled(s, built, err);
	if (refused(s, built))
		return kt_tuning_add_row(s, index, NULL, &(struct kt_trial){.verdict = KT_VERDICT_OVER_LIMIT}, err);
	same = kt_tuning_same(one.key, s, built);
	return same != NULL ? take_same(s, built, same, err) : begin(s, &one, err);
}
