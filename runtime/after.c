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

static void look_at_inputs(const struct kt_verification *v, size_t sets)
{
	const struct kt_engine *e = v->e;
	for (size_t b = 0; !v->trial->detail && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &e->places[v->problem].spans[b];
		if (span->leader == b && span->direction == KT_IN && e->results[b].digest != span->input_digest * sets)
			kt_verify_found(v, KT_VERDICT_WRONG_ANSWER,
			                kt_arena_printf(v->arena, "input %s was changed while it was timed",
			                                e->region->buffers[b].name));
	}
}

/* Set by set with the reference: which elements are wrong? */
static kt_status find_wrong(const struct kt_verification *v, size_t sets, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const struct kt_place *place = &e->places[v->problem];
	/* A reference that is made again takes the next set, and what is in there is lost. */
	size_t looked = place->reference || !place->kept_bytes ? sets : 1;
	for (size_t set = 0; set < looked; set++) {
		TRY(e->ops->clear(e->state, err));
		TRY(kt_verify_with_reference(e, v->problem, set, place->first_marks, err));
		TRY(kt_verify_fetch(e, err));
		if (!kt_held_intact(e, v->problem, KT_PAGES - 1)) {
			kt_verify_found(v, KT_VERDICT_OUT_OF_BOUNDS, "memory written far from every buffer while it was timed");
			return kt_held_restore(e, v->problem, err);
		}
		size_t wrong = kt_verify_wrong(e, v->problem);
		if (wrong < e->region->buffer_count) {
			kt_verify_found(v, KT_VERDICT_WRONG_ANSWER, kt_verify_describe(v, wrong, " after timing"));
			return KT_OK;
		}
	}
	if (!place->nondeterministic)
		kt_verify_found(v, KT_VERDICT_NON_DETERMINISTIC,
		                "outputs of launches that were timed differ from those of the first run");
	return KT_OK;
}

/* Zones and inputs of all sets, and the outputs where no launch builds on another. */
static kt_status look_at_all(bool *alike, const struct kt_verification *v, size_t sets, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const struct kt_place *place = &e->places[v->problem];
	TRY(e->ops->clear(e->state, err));
	TRY(kt_verify_digest(e, v->problem, 0, sets, true, !place->has_inout, err));
	TRY(kt_verify_zones(e, v->problem, 0, sets, place->first_marks, err));
	TRY(kt_verify_fetch(e, err));
	*alike = kt_after_alike(e, v->problem, sets);
	kt_verify_found(v, KT_VERDICT_OK, NULL);
	if (e->results[KT_RUN_BUFFERS].zones)
		kt_verify_surroundings(v);
	else
		look_at_inputs(v, sets);
	return KT_OK;
}

/* What went through many launches in place has no reference: once more from the start. */
static kt_status run_in_place(bool *alike, const struct kt_verification *v, struct kt_error *err)
{
	struct kt_engine *e = v->e;
	const size_t problem = v->problem;
	const struct kt_marks marks = e->places[problem].first_marks;
	TRY(kt_verify_run(NULL, e, v->what, problem, 0, marks, kt_verify_limit(e, problem, false), err));
	TRY(kt_verify_look(e, problem, 0, marks, err));
	TRY(kt_verify_fetch(e, err));
	kt_verify_surroundings(v);
	*alike = kt_after_alike(e, problem, 1);
	return KT_OK;
}

kt_status kt_verify_after(const struct kt_verification *v, const struct kt_timed *timed, struct kt_error *err)
{
	const struct kt_place *place = &v->e->places[v->problem];
	const struct kt_trial *trial = v->trial;
	const bool in_place = place->has_inout;
	/* One that wavers is never alike, and a reference that is made again takes a set that is still needed. */
	const bool can_tell = !in_place && (!place->nondeterministic || place->reference);
	size_t sets = timed->used;
	bool alike = true;
	v->trial->detail = NULL;
	kt_status status = look_at_all(&alike, v, sets, err);
	if (!status && !trial->detail && (!alike || !timed->alike) && can_tell)
		status = find_wrong(v, sets, err);
	if (!status && !trial->detail && in_place) {
		sets = 1;
		status = run_in_place(&alike, v, err);
	} else if (!status && !trial->detail) {
		status = kt_timing_last_pass(&sets, v->e, v->what, v->problem, timed, err);
		THEN(status, look_at_all(&alike, v, sets, err));
	}
	if (!status && !trial->detail && !alike)
		status = find_wrong(v, sets, err);
	return status ? status : kt_verify_wipe(v->e, v->problem, err);
}
