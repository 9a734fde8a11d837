#include "engine.h"

/*
 * Which digests are expected after timing: each of the sets holds the same, so
 * one sum over all of them tells.
 */
bool kt_after_alike(const struct kt_engine *e, size_t problem, size_t sets)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && e->results[b].digest != place->spans[b].output_digest * sets)
			return false;
	}
	return true;
}

static const char *changed_input(const struct kt_engine *e, struct kt_arena *arena, size_t problem, size_t sets)
{
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &e->places[problem].spans[b];
		if (span->leader == b && span->direction == KT_IN && e->results[b].digest != span->input_digest * sets)
			return kt_arena_printf(arena, "input %s was changed while it was timed", e->region->buffers[b].name);
	}
	return NULL;
}

/* Set by set with the reference: which elements are wrong? */
static kt_status find_wrong(enum kt_verdict *verdict, const char **detail, struct kt_engine *e, struct kt_arena *arena,
                            size_t problem, size_t sets, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	/* A reference that is made again takes the next set, and what is in there is lost. */
	size_t looked = place->reference || !place->kept_bytes ? sets : 1;
	for (size_t set = 0; set < looked; set++) {
		TRY(e->ops->clear(e->state, err));
		TRY(kt_verify_with_reference(e, problem, set, place->first_marks, err));
		TRY(kt_verify_fetch(e, err));
		if (!kt_held_intact(e, problem, KT_PAGES - 1)) {
			*verdict = KT_VERDICT_OUT_OF_BOUNDS;
			*detail = "memory written far from every buffer while it was timed";
			return kt_held_restore(e, problem, err);
		}
		size_t wrong = kt_verify_wrong(e, problem);
		if (wrong < e->region->buffer_count) {
			*verdict = KT_VERDICT_WRONG_ANSWER;
			*detail = kt_verify_describe(e, arena, wrong, " after timing");
			return KT_OK;
		}
	}
	if (!place->nondeterministic) {
		*verdict = KT_VERDICT_NON_DETERMINISTIC;
		*detail = "outputs of launches that were timed differ from those of the first run";
	}
	return KT_OK;
}

/* Zones and inputs of all sets, and the outputs where no launch builds on another. */
static kt_status look_at_all(enum kt_verdict *verdict, const char **detail, bool *alike, struct kt_engine *e,
                             struct kt_arena *arena, size_t problem, size_t sets, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	TRY(e->ops->clear(e->state, err));
	TRY(kt_verify_digest(e, problem, 0, sets, true, !place->has_inout, err));
	TRY(kt_verify_zones(e, problem, 0, sets, place->first_marks, err));
	TRY(kt_verify_fetch(e, err));
	*alike = kt_after_alike(e, problem, sets);
	*verdict = KT_VERDICT_OK;
	if (e->results[KT_RUN_BUFFERS].zones)
		*detail = kt_verify_surroundings(verdict, e, arena, problem);
	else if ((*detail = changed_input(e, arena, problem, sets)))
		*verdict = KT_VERDICT_WRONG_ANSWER;
	return KT_OK;
}

/* What went through many launches in place has no reference: once more from the start. */
static kt_status run_in_place(enum kt_verdict *verdict, const char **detail, bool *alike, struct kt_engine *e,
                              struct kt_arena *arena, const struct kt_launchable *what, size_t problem,
                              struct kt_error *err)
{
	const struct kt_marks marks = e->places[problem].first_marks;
	TRY(kt_verify_run(NULL, e, what, problem, 0, marks, kt_verify_limit(e, problem, false), err));
	TRY(kt_verify_look(e, problem, 0, marks, err));
	TRY(kt_verify_fetch(e, err));
	*detail = kt_verify_surroundings(verdict, e, arena, problem);
	*alike = kt_after_alike(e, problem, 1);
	return KT_OK;
}

kt_status kt_verify_after(enum kt_verdict *verdict, const char **detail, struct kt_engine *e, struct kt_arena *arena,
                          const struct kt_launchable *what, size_t problem, const struct kt_timed *timed,
                          struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	const bool in_place = place->has_inout;
	/* One that wavers is never alike, and a reference that is made again takes a set that is still needed. */
	const bool can_tell = !in_place && (!place->nondeterministic || place->reference);
	size_t sets = timed->used;
	bool alike = true;
	*detail = NULL;
	kt_status status = look_at_all(verdict, detail, &alike, e, arena, problem, sets, err);
	if (!status && !*detail && (!alike || !timed->alike) && can_tell)
		status = find_wrong(verdict, detail, e, arena, problem, sets, err);
	if (!status && !*detail && in_place) {
		sets = 1;
		status = run_in_place(verdict, detail, &alike, e, arena, what, problem, err);
	} else if (!status && !*detail) {
		status = kt_timing_last_pass(&sets, e, what, problem, timed, err);
		THEN(status, look_at_all(verdict, detail, &alike, e, arena, problem, sets, err));
	}
	if (!status && !*detail && !alike)
		status = find_wrong(verdict, detail, e, arena, problem, sets, err);
	return status ? status : kt_verify_wipe(e, problem, err);
}
