/* The runs by which a candidate is verified on a problem, and what they tell. */
#include "engine.h"

#define RUNS 3 /* of a candidate on each problem: what goes wrong only after the first must go wrong here */

/* One run of a candidate that is queued: its marks, and the pages that report what it did. */
struct turn {
	struct kt_marks marks;
	size_t looked, compared;
};

/* The first run: with the reference, and its outputs are kept. */
static kt_status queue_first(struct turn *turn, const struct kt_verification *v, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const size_t problem = v->problem;
	struct kt_place *place = &e->places[problem];
	const struct kt_marks marks = turn->marks = place->first_marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	TRY(kt_verify_far(e, false, problem, set, marks, err));
	TRY(kt_verify_run(NULL, e, v->what, problem, set, marks, kt_verify_limit(e, problem, true), err));
	TRY(kt_verify_look(e, problem, set, marks, err));
	TRY(kt_verify_far(e, true, problem, set, marks, err));
	TRY(kt_verify_keep(e, problem, set, place->snapshot, err));
	TRY(kt_verify_page(&turn->looked, e, err));
	TRY(e->ops->clear(e->state, err));
	TRY(kt_verify_with_reference(e, problem, set, marks, err));
	return kt_verify_page(&turn->compared, e, err);
}

/*
 * A later run, on a disturbed device: with the first one bit for bit, or with the reference where the original itself
 * wavers. A quiet device starts blocks and warps in the same order every time, and their races come out alike.
 */
static kt_status queue_later(struct turn *turn, const struct kt_verification *v, bool stale, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const size_t problem = v->problem;
	const struct kt_place *place = &e->places[problem];
	kt_status status = kt_verify_wipe_sets(e, problem, err);
	struct kt_marks marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	/* What the first run left alone is among its results: elsewhere as well then, or the reference tells neither. */
	if (stale)
		marks.poison = place->first_marks.poison;
	turn->marks = marks;
	THEN(status, kt_verify_far(e, false, problem, set, marks, err));
	THEN(status, kt_verify_reset(e, problem, set, marks, err));
	if (!status && stale)
		status = kt_stale_outputs(e, problem, set, err);
	e->disturbed = true;
	THEN(status, kt_verify_launch(NULL, e, v->what, problem, set, kt_verify_limit(e, problem, false), err));
	e->disturbed = false;
	THEN(status, kt_verify_look(e, problem, set, marks, err));
	THEN(status, kt_verify_far(e, true, problem, set, marks, err));
	THEN(status, kt_verify_page(&turn->looked, e, err));
	THEN(status, e->ops->clear(e->state, err));
	THEN(status, place->nondeterministic ? kt_verify_with_reference(e, problem, set, marks, err)
	                 : kt_verify_with_snapshot(e, problem, set, true, marks, place->first_marks, err));
	return status ? status : kt_verify_page(&turn->compared, e, err);
}

/* What the pages of the first run report; the trial has no detail where it was right. */
static void judge_first(const struct kt_verification *v, const struct turn *turn)
{
	struct kt_engine *e = v->e;
	e->results = e->pages[turn->looked];
	for (size_t b = 0; b < e->region->buffer_count; b++)
		e->places[v->problem].spans[b].output_digest = e->results[b].digest;
	kt_verify_surroundings(v);
	e->results = e->pages[turn->compared];
	if (v->trial->detail)
		return;
	kt_judge_distances(v);
	const size_t wrong = kt_verify_wrong(e, v->problem);
	if (wrong < e->region->buffer_count)
		kt_verify_found(v, KT_VERDICT_WRONG_ANSWER, kt_verify_describe(v, wrong, ""));
}

static void judge_later(const struct kt_verification *v, const struct turn *turn)
{
	struct kt_engine *e = v->e;
	e->results = e->pages[turn->looked];
	kt_verify_surroundings(v);
	e->results = e->pages[turn->compared];
	const size_t wrong = v->trial->detail ? e->region->buffer_count : kt_verify_wrong(e, v->problem);
	if (wrong == e->region->buffer_count)
		return;
	if (e->places[v->problem].nondeterministic)
		kt_verify_found(v, KT_VERDICT_WRONG_ANSWER, kt_verify_describe(v, wrong, " in another run"));
	else
		kt_verify_found(v, KT_VERDICT_NON_DETERMINISTIC,
		                kt_arena_printf(v->arena, "%s: %llu elements differ between two runs",
		                                e->region->buffers[wrong].name,
		                                (unsigned long long)kt_parts_result(e, wrong).wrong));
}

static void judge(const struct kt_verification *v, const struct turn *turn, bool first)
{
	if (first)
		judge_first(v, turn);
	else
		judge_later(v, turn);
}

/*
 * Queues `runs` runs and one with other data, one after the other: the host looks at nothing until all of them are
 * done. Where it has done all of it itself by then a run that was wrong is the last. *intact: the references were
 * what they should be wherever outputs were compared with them.
 */
static kt_status verify_runs(bool *intact, const struct kt_verification *v, int runs, bool other_data,
                             struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const bool wavers = e->places[v->problem].nondeterministic;
	struct turn turns[RUNS];
	size_t other = KT_PAGES;
	kt_verify_found(v, KT_VERDICT_OK, NULL);
	e->page = 0;
	int queued = 0;
	kt_status status = KT_OK;
	for (; !status && !v->trial->detail && queued < runs; queued++) {
		struct turn *turn = &turns[queued];
		status = queued ? queue_later(turn, v, queued == RUNS - 1, err) : queue_first(turn, v, err);
		if (!status && e->host_reads)
			judge(v, turn, queued == 0);
	}
	if (!status && !v->trial->detail && other_data)
		status = kt_stale_data(&other, v, err);
	e->shift = 0;
	THEN(status, kt_verify_wipe(e, v->problem, err));
	THEN(status, kt_verify_wait(e, err));
	if (status)
		return status;
	*intact = true;
	for (int run = 0; run < queued && *intact; run++)
		*intact = (run && !wavers) || kt_held_intact(e, v->problem, turns[run].compared);
	for (int run = 0; run < queued && *intact && !v->trial->detail; run++)
		judge(v, &turns[run], run == 0);
	if (*intact && !v->trial->detail && other < KT_PAGES)
		kt_stale_judge(v, other);
	return KT_OK;
}

static kt_status verify(const struct kt_verification *v, int runs, bool other_data, struct kt_error *err)
{
	bool intact = true;
	kt_status status = verify_runs(&intact, v, runs, other_data, err);
	/* Somebody has written over the reference, this candidate or one that was only looked at before: once more. */
	if (!status && !intact)
		status = kt_held_restore(v->e, v->problem, err);
	if (!status && !intact)
		status = verify_runs(&intact, v, runs, other_data, err);
	if (!status && !intact) {
		status = kt_held_restore(v->e, v->problem, err);
		kt_verify_found(v, KT_VERDICT_OUT_OF_BOUNDS,
		                "memory written far from every buffer: what its outputs are compared with");
	}
	return status;
}

kt_status kt_verify_once(const struct kt_verification *v, struct kt_error *err)
{
	return verify(v, 1, false, err);
}

kt_status kt_verify_problem(const struct kt_verification *v, bool other_data, struct kt_error *err)
{
	return verify(v, RUNS, other_data, err);
}
