#include <string.h>

#include "opencl/session.h"

/* Nothing is right or wrong by how long it takes, but a search must go on. */
#define LEAST_LIMIT_S 2.0
#define LIMIT_OVER_ORIGINAL 200.0
/* Some drivers compile for the work-group size with the first launch. */
#define FIRST_LIMIT_S 6.0

static double run_limit(const struct kt_ocl *s, size_t problem, double least_s)
{
	double limit = s->places[problem].original_ns * 1e-9 * LIMIT_OVER_ORIGINAL;
	if (limit < least_s)
		limit = least_s;
	return limit < s->limit_s ? limit : s->limit_s;
}

/* The canary before (side 0) or behind (side 1) a buffer: its place in a set. */
static size_t canary(size_t *bytes, const struct kt_ocl *s, size_t problem, size_t buffer, size_t side)
{
	const struct kt_ocl_place *place = &s->places[problem];
	size_t end = buffer + 1 < s->region->buffer_count ? place->offsets[buffer + 1] : place->stride;
	size_t at = place->offsets[buffer] + place->bytes[buffer];
	if (side == 0) {
		at = 0;
		end = place->offsets[0];
	}
	*bytes = end - at;
	return at;
}

/* Side 0 exists for the first buffer only: between two buffers stands one gap, which belongs to the first of them. */
static size_t first_side(size_t buffer)
{
	return buffer ? 1 : 0;
}

static uint64_t canary_seed(size_t buffer, size_t side)
{
	return KT_DATA_CANARY_SEED + 2 * buffer + side;
}

static void reset_set(struct kt_ocl *s, size_t problem, unsigned char *set, uint64_t poison)
{
	const struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		const struct kt_run_buffer *buffer = &s->region->buffers[b];
		unsigned char *data = set + place->offsets[b];
		if (buffer->direction == KT_OUT || buffer->direction == KT_SCRATCH)
			kt_data_poison(data, place->bytes[b], poison);
		else if (place->image)
			memcpy(data, place->image + place->offsets[b], place->bytes[b]);
		else
			kt_data_fill(data, buffer->element, &s->region->problems[problem].data[b]);
		for (size_t side = first_side(b); side < 2; side++) {
			size_t bytes = 0, at = canary(&bytes, s, problem, b, side);
			kt_data_poison(set + at, bytes, canary_seed(b, side));
		}
	}
}

kt_status kt_ocl_reset(struct kt_ocl *s, size_t problem, size_t set, uint64_t poison, struct kt_error *err)
{
	unsigned char *data = NULL;
	kt_status status = kt_ocl_map(&data, s, problem, set, 1, KT_CL_MAP_READ | KT_CL_MAP_WRITE, err);
	if (status)
		return status;
	reset_set(s, problem, data, poison);
	return kt_ocl_unmap(s, data, err);
}

static const char *judge_canaries(const struct kt_ocl *s, struct kt_arena *arena, size_t problem,
                                  const unsigned char *set)
{
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		for (size_t side = first_side(b); side < 2; side++) {
			size_t bytes = 0, at = canary(&bytes, s, problem, b, side);
			size_t damaged = kt_data_damage(set + at, bytes, canary_seed(b, side));
			if (damaged && side && b + 1 < s->region->buffer_count)
				return kt_arena_printf(arena, "%zu bytes written between the end of %s and the start of %s",
				                       damaged, s->region->buffers[b].name, s->region->buffers[b + 1].name);
			if (damaged)
				return kt_arena_printf(arena, "%zu bytes written %s %s", damaged,
				                       side ? "behind the end of" : "before the start of",
				                       s->region->buffers[b].name);
		}
	}
	return NULL;
}

static const char *judge_inputs(const struct kt_ocl *s, struct kt_arena *arena, size_t problem,
                                const unsigned char *set)
{
	const struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (s->region->buffers[b].direction == KT_IN &&
		    kt_data_digest(set + place->offsets[b], place->bytes[b], b) != place->input_digest[b])
			return kt_arena_printf(arena, "input %s was changed", s->region->buffers[b].name);
	}
	return NULL;
}

/* Canaries and inputs of a mapped set. */
static const char *judge_surroundings(enum kt_verdict *verdict, const struct kt_ocl *s, struct kt_arena *arena,
                                      size_t problem, const unsigned char *set)
{
	const char *detail = judge_canaries(s, arena, problem, set);
	if (detail) {
		*verdict = KT_VERDICT_OUT_OF_BOUNDS;
		return detail;
	}
	detail = judge_inputs(s, arena, problem, set);
	if (detail)
		*verdict = KT_VERDICT_WRONG_ANSWER;
	return detail;
}

/* Compares a mapped set's outputs with those at `want`; the first buffer that differs, or buffer_count. */
static size_t compare_kept(struct kt_data_result *result, const struct kt_ocl *s, size_t problem,
                           const unsigned char *set, const unsigned char *want, bool exact, uint64_t got_seed)
{
	const struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		const struct kt_run_buffer *buffer = &s->region->buffers[b];
		struct kt_data_tolerance tolerance = {
		    .absolute = buffer->absolute,
		    .relative = buffer->relative,
		    .want_seed = KT_DATA_POISON_FIRST,
		    .got_seed = got_seed,
		    /* Integers without a tolerance of their own agree bit for bit. */
		    .exact = exact || (!kt_scalar_is_float(buffer->element) && buffer->absolute == 0 &&
		                       buffer->relative == 0),
		};
		if (!kt_ocl_is_output(buffer->direction))
			continue;
		kt_data_compare(result, set + place->offsets[b], want + place->kept[b],
		                (size_t)s->region->problems[problem].data[b].count, buffer->element, &tolerance);
		if (result->wrong)
			return b;
	}
	return s->region->buffer_count;
}

static void keep_outputs(unsigned char *to, const struct kt_ocl *s, size_t problem, const unsigned char *set)
{
	const struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (kt_ocl_is_output(s->region->buffers[b].direction))
			memcpy(to + place->kept[b], set + place->offsets[b], place->bytes[b]);
	}
}

static const char *describe_wrong(const struct kt_ocl *s, struct kt_arena *arena, size_t b,
                                  const struct kt_data_result *r, const char *when)
{
	return kt_arena_printf(arena, "%s: %llu wrong elements%s, first at index %llu, largest error %.3g",
	                       s->region->buffers[b].name, (unsigned long long)r->wrong, when,
	                       (unsigned long long)r->first, r->worst);
}

static kt_status run(double *ns, struct kt_ocl *s, const struct kt_ocl_launchable *what, size_t problem, size_t set,
                     uint64_t poison, double limit_s, struct kt_error *err)
{
	kt_status status = kt_ocl_reset(s, problem, set, poison, err);
	return status ? status : kt_ocl_run(ns, s, what, problem, set, limit_s, err);
}

static kt_status second_run(enum kt_verdict *verdict, const char **detail, struct kt_ocl *s, struct kt_arena *arena,
                            const struct kt_ocl_launchable *what, size_t problem, struct kt_error *err)
{
	const struct kt_ocl_place *place = &s->places[problem];
	bool exact = !place->nondeterministic;
	struct kt_data_result result = {0};
	unsigned char *set = NULL;
	double limit_s = run_limit(s, problem, LEAST_LIMIT_S);
	kt_status status = run(NULL, s, what, problem, 0, KT_DATA_POISON_SECOND, limit_s, err);
	if (!status)
		status = kt_ocl_map(&set, s, problem, 0, 1, KT_CL_MAP_READ, err);
	if (status)
		return status;
	*detail = judge_surroundings(verdict, s, arena, problem, set);
	size_t wrong = *detail ? s->region->buffer_count
	                       : compare_kept(&result, s, problem, set, exact ? s->snapshot : place->reference, exact,
	                                      KT_DATA_POISON_SECOND);
	if (wrong < s->region->buffer_count) {
		*verdict = exact ? KT_VERDICT_NON_DETERMINISTIC : KT_VERDICT_WRONG_ANSWER;
		*detail = exact ? kt_arena_printf(arena, "%s: %llu elements differ between two runs",
		                                  s->region->buffers[wrong].name, (unsigned long long)result.wrong)
		                : describe_wrong(s, arena, wrong, &result, " in the second run");
	}
	return kt_ocl_unmap(s, set, err);
}

static void digest_outputs(struct kt_ocl *s, size_t problem, const unsigned char *set)
{
	struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (kt_ocl_is_output(s->region->buffers[b].direction))
			place->output_digest[b] = kt_data_digest(set + place->offsets[b], place->bytes[b], b);
	}
}

kt_status kt_ocl_verify(enum kt_verdict *verdict, const char **detail, struct kt_ocl *s, struct kt_arena *arena,
                        const struct kt_ocl_launchable *what, size_t problem, struct kt_error *err)
{
	struct kt_data_result result = {0};
	unsigned char *set = NULL;
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	double limit_s = run_limit(s, problem, FIRST_LIMIT_S);
	kt_status status = run(NULL, s, what, problem, 0, KT_DATA_POISON_FIRST, limit_s, err);
	if (!status)
		status = kt_ocl_map(&set, s, problem, 0, 1, KT_CL_MAP_READ, err);
	if (status)
		return status;
	*detail = judge_surroundings(verdict, s, arena, problem, set);
	size_t wrong = *detail ? s->region->buffer_count
	                       : compare_kept(&result, s, problem, set, s->places[problem].reference, false,
	                                      KT_DATA_POISON_FIRST);
	if (wrong < s->region->buffer_count) {
		*verdict = KT_VERDICT_WRONG_ANSWER;
		*detail = describe_wrong(s, arena, wrong, &result, "");
	}
	keep_outputs(s->snapshot, s, problem, set);
	digest_outputs(s, problem, set);
	status = kt_ocl_unmap(s, set, err);
	return status || *detail ? status : second_run(verdict, detail, s, arena, what, problem, err);
}

/* Are a mapped set's outputs those of the candidate's first run, bit for bit? */
static bool same_outputs(const struct kt_ocl *s, size_t problem, const unsigned char *set)
{
	const struct kt_ocl_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (kt_ocl_is_output(s->region->buffers[b].direction) &&
		    kt_data_digest(set + place->offsets[b], place->bytes[b], b) != place->output_digest[b])
			return false;
	}
	return true;
}

kt_status kt_ocl_verify_after(enum kt_verdict *verdict, const char **detail, struct kt_ocl *s,
                              struct kt_arena *arena, const struct kt_ocl_launchable *what, size_t problem, size_t set,
                              struct kt_error *err)
{
	const struct kt_ocl_place *place = &s->places[problem];
	struct kt_data_result result = {0};
	unsigned char *all = NULL;
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	/* What went through many launches in place has no reference: run it once more from the start. */
	kt_status status = place->has_inout ? run(NULL, s, what, problem, set, KT_DATA_POISON_FIRST,
	                                          run_limit(s, problem, LEAST_LIMIT_S), err)
	                                    : KT_OK;
	if (!status)
		status = kt_ocl_map(&all, s, problem, 0, place->sets, KT_CL_MAP_READ, err);
	if (status)
		return status;
	const unsigned char *last = all + set * place->stride;
	for (size_t i = 0; !*detail && i < place->sets; i++)
		*detail = judge_canaries(s, arena, problem, all + i * place->stride);
	if (*detail)
		*verdict = KT_VERDICT_OUT_OF_BOUNDS;
	else if ((*detail = judge_inputs(s, arena, problem, last)))
		*verdict = KT_VERDICT_WRONG_ANSWER;
	if (!*detail && !same_outputs(s, problem, last)) {
		size_t wrong = compare_kept(&result, s, problem, last, place->reference, false, KT_DATA_POISON_FIRST);
		if (wrong < s->region->buffer_count) {
			*verdict = KT_VERDICT_WRONG_ANSWER;
			*detail = describe_wrong(s, arena, wrong, &result, " after timing");
		} else if (!place->nondeterministic) {
			*verdict = KT_VERDICT_NON_DETERMINISTIC;
			*detail = "the outputs after timing differ from those of the first run";
		}
	}
	return kt_ocl_unmap(s, all, err);
}

/* Digests of the inputs as filled, before anything ran on them. */
static kt_status learn_inputs(struct kt_ocl *s, size_t problem, struct kt_error *err)
{
	struct kt_ocl_place *place = &s->places[problem];
	unsigned char *set = NULL;
	kt_status status = kt_ocl_reset(s, problem, 0, KT_DATA_POISON_FIRST, err);
	if (!status)
		status = kt_ocl_map(&set, s, problem, 0, 1, KT_CL_MAP_READ, err);
	if (status)
		return status;
	for (size_t b = 0; b < s->region->buffer_count; b++)
		place->input_digest[b] = kt_data_digest(set + place->offsets[b], place->bytes[b], b);
	return kt_ocl_unmap(s, set, err);
}

static kt_status reference(const char **detail, struct kt_ocl *s, struct kt_arena *arena, size_t problem,
                           struct kt_error *err)
{
	struct kt_ocl_place *place = &s->places[problem];
	struct kt_data_result result = {0};
	enum kt_verdict verdict = KT_VERDICT_OK;
	unsigned char *set = NULL;
	kt_status status = learn_inputs(s, problem, err);
	if (!status)
		status = kt_ocl_run(&place->original_ns, s, &s->original, problem, 0, s->limit_s, err);
	if (!status)
		status = kt_ocl_map(&set, s, problem, 0, 1, KT_CL_MAP_READ, err);
	if (status)
		return status;
	*detail = judge_surroundings(&verdict, s, arena, problem, set);
	keep_outputs(place->reference, s, problem, set);
	status = kt_ocl_unmap(s, set, err);
	if (status || *detail)
		return status;
	/* The second run shows whether two runs may differ at all; its time has no compilation in it. */
	status = run(&place->original_ns, s, &s->original, problem, 0, KT_DATA_POISON_SECOND, s->limit_s, err);
	if (!status)
		status = kt_ocl_map(&set, s, problem, 0, 1, KT_CL_MAP_READ, err);
	if (status)
		return status;
	place->nondeterministic = compare_kept(&result, s, problem, set, place->reference, true,
	                                       KT_DATA_POISON_SECOND) < s->region->buffer_count;
	return kt_ocl_unmap(s, set, err);
}

kt_status kt_ocl_references(struct kt_run_prepared *prepared, struct kt_ocl *s, struct kt_arena *arena,
                            struct kt_error *err)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		const char *detail = NULL;
		if (!s->places[p].usable)
			continue;
		kt_status status = reference(&detail, s, arena, p, err);
		if (status)
			return kt_fail_prefix(err, "the original on %s", s->region->problems[p].text);
		if (detail)
			return kt_fail(err, KT_ERR_INVALID, "the original on %s: %s", s->region->problems[p].text,
			               detail);
		prepared[p].nondeterministic = s->places[p].nondeterministic;
	}
	return KT_OK;
}
