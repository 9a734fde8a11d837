#include "cuda/session.h"

#include <math.h>
#include <string.h>

/* Nothing on the device is right or wrong by how long it takes, but a search must go on. */
#define LEAST_LIMIT_S 2.0
#define LIMIT_OVER_ORIGINAL 200.0

static double run_limit(const struct kt_session *s, size_t problem)
{
	double limit = s->places[problem].original_ns * 1e-9 * LIMIT_OVER_ORIGINAL;
	if (limit < LEAST_LIMIT_S)
		limit = LEAST_LIMIT_S;
	return limit < s->limit_s ? limit : s->limit_s;
}

kt_status kt_verify_reset(struct kt_session *s, size_t problem, size_t set, uint64_t poison, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		const struct kt_run_buffer *buffer = &s->region->buffers[b];
		kt_cu_address data = kt_layout_buffer(s, problem, set, b);
		kt_status status =
		    kt_is_filled(buffer->direction)
		        ? kt_support_fill(s, data, buffer->element, &s->region->problems[problem].data[b], err)
		        : kt_support_poison(s, data, place->bytes[b], poison, err);
		if (status)
			return status;
	}
	return kt_support_canaries(s, false, problem, set, 1, err);
}

/* Queues the digests of every buffer but scratch, after clearing the results. */
static kt_status digest_all(struct kt_session *s, size_t problem, size_t set, struct kt_error *err)
{
	kt_status status = kt_support_results_clear(s, err);
	for (size_t b = 0; !status && b < s->region->buffer_count; b++) {
		if (s->region->buffers[b].direction != KT_SCRATCH)
			status = kt_support_digest(s, kt_layout_buffer(s, problem, set, b),
			                           s->places[problem].bytes[b], b, err);
	}
	return status;
}

/* Compares a set's outputs with those at `want` (laid out like the snapshot). */
static kt_status compare_kept(struct kt_session *s, size_t problem, size_t set, kt_cu_address want, bool exact,
                              uint64_t got_seed, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < s->region->buffer_count; b++) {
		const struct kt_run_buffer *buffer = &s->region->buffers[b];
		struct kt_device_tolerance tolerance = {
		    .absolute = buffer->absolute,
		    .relative = buffer->relative,
		    .want_seed = KT_POISON_FIRST,
		    .got_seed = got_seed,
		    /* Integers without a tolerance of their own agree bit for bit. */
		    .exact = exact || (!kt_scalar_is_float(buffer->element) && buffer->absolute == 0 &&
		                       buffer->relative == 0),
		};
		if (kt_is_output(buffer->direction))
			status = kt_support_compare(s, kt_layout_buffer(s, problem, set, b),
			                            want + s->places[problem].kept[b], problem, b, &tolerance, err);
	}
	return status;
}

/* Copies a set's outputs to the snapshot's layout at `to`. */
static kt_status keep_outputs(struct kt_session *s, size_t problem, size_t set, kt_cu_address to, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < s->region->buffer_count; b++) {
		if (kt_is_output(s->region->buffers[b].direction) && place->bytes[b])
			status = kt_session_check(s,
			                          s->cu.on_device(to + place->kept[b],
			                                          kt_layout_buffer(s, problem, set, b),
			                                          place->bytes[b], s->stream),
			                          "copying outputs", err);
	}
	return status;
}

/*
 * Brings the reference to staging: from the host, or by running the original
 * on the last set. Either way it is there only while no candidate runs.
 */
static kt_status stage_reference(struct kt_session *s, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	kt_cu_address staging = s->field + place->staging;
	if (!place->kept_bytes)
		return KT_OK;
	if (place->reference)
		return kt_session_check(s, s->cu.to_device(staging, place->reference, place->kept_bytes, s->stream),
		                        "copying the reference", err);
	size_t set = place->sets - 1;
	kt_status status = kt_verify_reset(s, problem, set, KT_POISON_FIRST, err);
	if (!status)
		status = kt_session_launch(s, &s->original, problem, set, err);
	if (!status)
		status = keep_outputs(s, problem, set, staging, err);
	/* Nothing may find the reference in the set afterwards. */
	return status ? status : kt_verify_reset(s, problem, set, KT_POISON_SECOND, err);
}

static kt_status wipe_staging(struct kt_session *s, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	if (!place->kept_bytes)
		return KT_OK;
	return kt_session_check(s, s->cu.set_bytes(s->field + place->staging, 0xa5, place->kept_bytes, s->stream),
				"wiping the reference", err);
}

/* What the fetched results say about canaries and inputs. */
static const char *judge_surroundings(enum kt_verdict *verdict, const struct kt_session *s, struct kt_arena *arena,
                                      size_t problem)
{
	const struct kt_result *canary = &s->results[KT_RUN_BUFFERS];
	if (canary->canaries) {
		uint64_t segment = ~canary->segment;
		const struct kt_run_buffer *buffer = &s->region->buffers[segment / 2 % s->region->buffer_count];
		*verdict = KT_VERDICT_OUT_OF_BOUNDS;
		return kt_arena_printf(arena, "%llu bytes written %s %s", (unsigned long long)canary->canaries,
		                       segment % 2 ? "behind the end of" : "before the start of", buffer->name);
	}
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (s->region->buffers[b].direction == KT_IN &&
		    s->results[b].digest != s->places[problem].input_digest[b]) {
			*verdict = KT_VERDICT_WRONG_ANSWER;
			return kt_arena_printf(arena, "input %s was changed", s->region->buffers[b].name);
		}
	}
	return NULL;
}

/* The first output whose comparison found something, or buffer_count. */
static size_t first_wrong(const struct kt_session *s)
{
	size_t b = 0;
	while (b < s->region->buffer_count &&
	       (!kt_is_output(s->region->buffers[b].direction) || !s->results[b].wrong))
		b++;
	return b;
}

static const char *describe_wrong(const struct kt_session *s, struct kt_arena *arena, size_t b, const char *when)
{
	const struct kt_result *r = &s->results[b];
	double worst = 0;
	memcpy(&worst, &r->worst, sizeof worst);
	return kt_arena_printf(arena, "%s: %llu wrong elements%s, first at index %llu, largest error %.3g",
	                       s->region->buffers[b].name, (unsigned long long)r->wrong, when,
	                       (unsigned long long)~r->first, worst);
}

/* reset, launch, wait: one run of anything on one set. */
static kt_status run(struct kt_session *s, const struct kt_launchable *what, size_t problem, size_t set,
                     uint64_t poison, struct kt_error *err)
{
	kt_status status = kt_verify_reset(s, problem, set, poison, err);
	/* What is queued before is the runner's own work: a fault from here on is the kernel's. */
	if (!status)
		status = kt_session_launch(s, what, problem, set, err);
	return status ? status : kt_session_wait(s, run_limit(s, problem), "running the kernel", err);
}

/* Queues digests and canaries of a set. */
static kt_status check_surroundings(struct kt_session *s, size_t problem, size_t set, size_t canary_set,
                                    size_t canary_sets, struct kt_error *err)
{
	kt_status status = digest_all(s, problem, set, err);
	return status ? status : kt_support_canaries(s, true, problem, canary_set, canary_sets, err);
}

static kt_status fetch(struct kt_session *s, struct kt_error *err)
{
	kt_status status = kt_support_results_fetch(s, err);
	return status ? status : kt_session_wait(s, s->limit_s, "checking", err);
}

static kt_status second_run(enum kt_verdict *verdict, const char **detail, struct kt_session *s,
                            struct kt_arena *arena, const struct kt_launchable *what, size_t problem,
                            struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	bool exact = !place->nondeterministic;
	kt_status status = run(s, what, problem, 0, KT_POISON_SECOND, err);
	if (!status)
		status = check_surroundings(s, problem, 0, 0, 1, err);
	if (!status && !exact)
		status = stage_reference(s, problem, err);
	if (!status)
		status = compare_kept(s, problem, 0, s->field + (exact ? place->snapshot : place->staging), exact,
		                      KT_POISON_SECOND, err);
	if (!status && !exact)
		status = wipe_staging(s, problem, err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	*detail = judge_surroundings(verdict, s, arena, problem);
	size_t wrong = first_wrong(s);
	if (!*detail && wrong < s->region->buffer_count) {
		*verdict = exact ? KT_VERDICT_NON_DETERMINISTIC : KT_VERDICT_WRONG_ANSWER;
		*detail = exact ? kt_arena_printf(arena, "%s: %llu elements differ between two runs",
		                                  s->region->buffers[wrong].name,
		                                  (unsigned long long)s->results[wrong].wrong)
		                : describe_wrong(s, arena, wrong, " in the second run");
	}
	return KT_OK;
}

kt_status kt_verify_problem(enum kt_verdict *verdict, const char **detail, struct kt_session *s,
                            struct kt_arena *arena, const struct kt_launchable *what, size_t problem,
                            struct kt_error *err)
{
	struct kt_place *place = &s->places[problem];
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	kt_status status = run(s, what, problem, 0, KT_POISON_FIRST, err);
	if (!status)
		status = check_surroundings(s, problem, 0, 0, 1, err);
	if (!status)
		status = keep_outputs(s, problem, 0, s->field + place->snapshot, err);
	if (!status)
		status = stage_reference(s, problem, err);
	if (!status)
		status = compare_kept(s, problem, 0, s->field + place->staging, false, KT_POISON_FIRST, err);
	if (!status)
		status = wipe_staging(s, problem, err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	*detail = judge_surroundings(verdict, s, arena, problem);
	size_t wrong = first_wrong(s);
	if (!*detail && wrong < s->region->buffer_count) {
		*verdict = KT_VERDICT_WRONG_ANSWER;
		*detail = describe_wrong(s, arena, wrong, "");
	}
	for (size_t b = 0; b < s->region->buffer_count; b++)
		place->output_digest[b] = s->results[b].digest;
	return *detail ? KT_OK : second_run(verdict, detail, s, arena, what, problem, err);
}

kt_status kt_verify_after(enum kt_verdict *verdict, const char **detail, struct kt_session *s, struct kt_arena *arena,
                          const struct kt_launchable *what, size_t problem, size_t set, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	/* What went through many launches in place has no reference: run it once more from the start. */
	kt_status status = place->has_inout ? run(s, what, problem, set, KT_POISON_FIRST, err) : KT_OK;
	if (!status)
		status = check_surroundings(s, problem, set, 0, place->sets, err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	*detail = judge_surroundings(verdict, s, arena, problem);
	bool same = true;
	for (size_t b = 0; b < s->region->buffer_count; b++) {
		if (kt_is_output(s->region->buffers[b].direction))
			same = same && s->results[b].digest == place->output_digest[b];
	}
	if (*detail || same)
		return KT_OK;
	/* The reference is made again in the last set when it is not on the host: then look at copies. */
	status = kt_support_results_clear(s, err);
	if (!status)
		status = keep_outputs(s, problem, set, s->field + place->snapshot, err);
	if (!status)
		status = stage_reference(s, problem, err);
	for (size_t b = 0; !status && b < s->region->buffer_count; b++) {
		const struct kt_run_buffer *buffer = &s->region->buffers[b];
		if (kt_is_output(buffer->direction) && place->bytes[b])
			status = kt_session_check(s,
			                          s->cu.on_device(kt_layout_buffer(s, problem, 0, b),
			                                          s->field + place->snapshot + place->kept[b],
			                                          place->bytes[b], s->stream),
			                          "copying outputs", err);
	}
	if (!status)
		status = compare_kept(s, problem, 0, s->field + place->staging, false, KT_POISON_FIRST, err);
	if (!status)
		status = wipe_staging(s, problem, err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	size_t wrong = first_wrong(s);
	if (wrong < s->region->buffer_count) {
		*verdict = KT_VERDICT_WRONG_ANSWER;
		*detail = describe_wrong(s, arena, wrong, " after timing");
	} else if (!place->nondeterministic) {
		*verdict = KT_VERDICT_NON_DETERMINISTIC;
		*detail = "the outputs after timing differ from those of the first run";
	}
	return KT_OK;
}

/* Digests of the inputs as filled, before anything ran on them. */
static kt_status learn_inputs(struct kt_session *s, size_t problem, struct kt_error *err)
{
	struct kt_place *place = &s->places[problem];
	kt_status status = kt_verify_reset(s, problem, 0, KT_POISON_FIRST, err);
	if (!status)
		status = digest_all(s, problem, 0, err);
	if (!status)
		status = fetch(s, err);
	for (size_t b = 0; !status && b < s->region->buffer_count; b++)
		place->input_digest[b] = s->results[b].digest;
	return status;
}

/* One run of the original on a set that is ready, timed roughly. */
static kt_status time_original(struct kt_session *s, size_t problem, struct kt_error *err)
{
	float ms = 0;
	kt_status status = kt_session_check(s, s->cu.event_record(s->events[0], s->stream), "recording an event", err);
	if (!status)
		status = kt_session_launch(s, &s->original, problem, 0, err);
	if (!status)
		status = kt_session_check(s, s->cu.event_record(s->events[1], s->stream), "recording an event", err);
	if (!status)
		status = kt_session_wait(s, s->limit_s, "running the original", err);
	if (!status)
		status = kt_session_check(s, s->cu.event_elapsed(&ms, s->events[0], s->events[1]), "reading an event",
		                          err);
	if (!status)
		s->places[problem].original_ns = (double)ms * 1e6;
	return status;
}

static kt_status reference(const char **detail, struct kt_session *s, struct kt_arena *arena, size_t problem,
                           struct kt_error *err)
{
	struct kt_place *place = &s->places[problem];
	enum kt_verdict verdict = KT_VERDICT_OK;
	kt_status status = learn_inputs(s, problem, err);
	if (!status)
		status = time_original(s, problem, err);
	if (!status)
		status = check_surroundings(s, problem, 0, 0, 1, err);
	if (!status)
		status = keep_outputs(s, problem, 0, s->field + place->snapshot, err);
	if (!status && place->reference && place->kept_bytes)
		status = kt_session_check(s,
		                          s->cu.to_host(place->reference, s->field + place->snapshot,
		                                        place->kept_bytes, s->stream),
		                          "copying the reference", err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	*detail = judge_surroundings(&verdict, s, arena, problem);
	if (*detail)
		return KT_OK;
	/* The second run shows whether two runs may differ at all. */
	status = run(s, &s->original, problem, 0, KT_POISON_SECOND, err);
	if (!status)
		status = kt_support_results_clear(s, err);
	if (!status)
		status = compare_kept(s, problem, 0, s->field + place->snapshot, true, KT_POISON_SECOND, err);
	if (!status)
		status = fetch(s, err);
	if (status)
		return status;
	place->nondeterministic = first_wrong(s) < s->region->buffer_count;
	/* A reference left behind on the device could be found by a candidate. */
	return s->places[problem].kept_bytes
	           ? kt_session_check(s,
	                              s->cu.set_bytes(s->field + place->snapshot, 0xa5, place->kept_bytes, s->stream),
	                              "wiping the reference", err)
	           : KT_OK;
}

kt_status kt_verify_references(struct kt_run_prepared *prepared, struct kt_session *s, struct kt_arena *arena,
                               struct kt_error *err)
{
	size_t usable = 0;
	for (size_t p = 0; p < s->region->problem_count; p++) {
		struct kt_place *place = &s->places[p];
		const char *detail = NULL;
		if (!place->usable)
			continue;
		if (!place->reference && place->kept_bytes && place->sets < 2) {
			place->usable = false;
			prepared[p].skipped = true;
			prepared[p].detail = "neither host memory for the reference nor device memory to make it again";
			continue;
		}
		kt_status status = reference(&detail, s, arena, p, err);
		if (status)
			return kt_fail_prefix(err, "the original on %s", s->region->problems[p].text);
		if (detail)
			return kt_fail(err, KT_ERR_INVALID, "the original on %s: %s", s->region->problems[p].text,
				       detail);
		prepared[p].nondeterministic = place->nondeterministic;
		usable++;
	}
	if (!usable)
		return kt_fail(err, KT_ERR_INVALID, "no problem fits into the device's memory");
	return KT_OK;
}
