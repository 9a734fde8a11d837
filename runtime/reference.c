#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "engine.h"

#define RUNS 3            /* of an original, to see whether two of them may differ */
#define RUNS_IN_PLACE 10  /* likewise: few may hide that blocks read what others have written */
#define SPREAD_RUNS 8     /* more of them, to see by how much */
#define SPREAD_SECONDS 0.5
#define SPREAD_FACTOR 2.0 /* a few runs do not show the whole spread */
#define SPREAD_RELATIVE 0.1 /* a share of each result; where it takes more, numbers near zero waver as much as others */

static double real_of(uint64_t bits)
{
	double value = 0;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The original on a check, whose size no one asked for, takes no more than so often what it takes on the problems. */
#define CHECK_OVER_PROBLEMS 100.0
#define CHECK_LEAST_S 1.0

/* How long the original may take there; the problems are run before the checks. */
static double original_limit(const struct kt_engine *e, size_t problem)
{
	double longest_ns = 0;
	if (!e->region->problems[problem].check)
		return e->limit_s;
	for (size_t p = 0; p < e->region->problem_count; p++)
		if (!e->region->problems[p].check)
			longest_ns = fmax(longest_ns, e->places[p].original_ns);
	return longest_ns > 0 ? fmin(e->limit_s, fmax(CHECK_LEAST_S, CHECK_OVER_PROBLEMS * longest_ns * 1e-9)) : e->limit_s;
}

/*
 * One more run, compared with the first that is in the snapshot. Looks at zones and inputs as well. Where its time
 * is not asked for, the device is disturbed, as candidates will find it.
 */
static kt_status run_again(const char **detail, double *ns, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                           bool exact, struct kt_error *err)
{
	struct kt_trial trial = {0};
	const struct kt_verification found = {.e = e, .arena = arena, .problem = problem, .trial = &trial};
	struct kt_marks marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	kt_status status = kt_verify_far(e, false, problem, set, marks, err);
	e->disturbed = !ns;
	THEN(status, kt_verify_run(ns, e, &e->original, problem, set, marks, original_limit(e, problem), err));
	e->disturbed = false;
	THEN(status, kt_verify_look(e, problem, set, marks, err));
	THEN(status, kt_verify_far(e, true, problem, set, marks, err));
	THEN(status, kt_verify_with_snapshot(e, problem, set, exact, marks, e->places[problem].reference_marks, err));
	THEN(status, kt_verify_fetch(e, err));
	if (!status) {
		kt_verify_surroundings(&found);
		*detail = trial.detail;
	}
	return status;
}

/* The tolerance of a part of a buffer's elements, from the largest difference of two runs: as it is and over the tolerance. */
static void widen_limits(struct kt_limits *limits, double worst, double ratio)
{
	const double factor = fmax(1, SPREAD_FACTOR * ratio);
	const bool has_any = limits->absolute > 0 || limits->relative > 0;
	if (has_any && (factor == 1 || limits->relative * factor <= SPREAD_RELATIVE)) {
		limits->absolute *= factor;
		limits->relative *= factor;
	} else {
		limits->absolute = fmax(limits->absolute, SPREAD_FACTOR * worst);
	}
}

/* Of what the original left in a part of an output on a problem whose reference the host has. */
static double largest(const struct kt_engine *e, size_t problem, size_t b, size_t part)
{
	const struct kt_place *place = &e->places[problem];
	const struct kt_span *span = &place->spans[b];
	const struct kt_lanes lanes = kt_data_lanes(e->region->buffers[b].element, part);
	return kt_data_largest(place->reference + span->kept, (size_t)span->data->count * lanes.width, &lanes,
	                       place->reference_marks.poison);
}

/* Does it waver by as much as its results are large? Then nothing can be told from its runs. */
static bool is_noise(const struct kt_engine *e, size_t problem, size_t b, size_t part, double worst)
{
	return worst > 0 && e->places[problem].reference && SPREAD_FACTOR * worst >= largest(e, problem, b, part);
}

/* What runs of the original that differ have shown, by slots of results. */
struct spread {
	double ratio[KT_SLOTS], worst[KT_SLOTS];
};

static void note_spread(struct spread *spread, const struct kt_engine *e, size_t b)
{
	for (size_t part = 0; part < e->region->buffers[b].element->part_count; part++) {
		const size_t slot = kt_parts_slot(e, b, part);
		spread->ratio[slot] = fmax(spread->ratio[slot], real_of(e->results[slot].ratio));
		spread->worst[slot] = fmax(spread->worst[slot], real_of(e->results[slot].worst));
	}
}

/* Each part of an output by its own spread. */
static const char *widen_span(struct kt_engine *e, struct kt_arena *arena, size_t problem, size_t b,
                              const struct spread *spread)
{
	const struct kt_run_buffer *buffer = &e->region->buffers[b];
	const char *detail = NULL;
	for (size_t part = 0; !detail && part < buffer->element->part_count; part++) {
		const size_t slot = kt_parts_slot(e, b, part);
		const double worst = spread->worst[slot];
		if (is_noise(e, problem, b, part, worst))
			detail = kt_arena_printf(arena, "%s: its runs differ by up to %.3g, which is as much as its results are, as "
			                         "where an out buffer is read that should be inout", buffer->name, worst);
		widen_limits(&e->places[problem].spans[b].limits[part], worst, spread->ratio[slot]);
	}
	return detail;
}

/*
 * How far runs of an original that wavers are from its first. The tolerance of
 * a buffer is widened by the factor that its worst element needs; one without
 * any tolerance, or where that would be no tolerance any more, gets an absolute one.
 */
static kt_status widen(const char **detail, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                       struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	struct spread spread = {{0}, {0}};
	const double start = kt_now_s();
	for (int run = 0; !*detail && run < SPREAD_RUNS && (run < 2 || kt_now_s() - start < SPREAD_SECONDS);
	     run++) {
		TRY(run_again(detail, NULL, e, arena, problem, false, err));
		for (size_t b = 0; !*detail && b < e->region->buffer_count; b++) {
			const struct kt_result r = kt_parts_result(e, b);
			if (!kt_span_is_output(place, b))
				continue;
			note_spread(&spread, e, b);
			if (r.odd)
				*detail = kt_arena_printf(arena, "%s: %llu elements are NaN or infinite in one run and not in another, "
				                          "as where something is read that was not written", e->region->buffers[b].name,
				                          (unsigned long long)r.odd);
		}
	}
	for (size_t b = 0; !*detail && b < e->region->buffer_count; b++)
		*detail = widen_span(e, arena, problem, b, &spread);
	return KT_OK;
}

/* Digests of the inputs as filled, before anything ran on them; then the first run, on the same set. */
static kt_status first_run(const char **detail, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                           struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	struct kt_trial trial = {0};
	const struct kt_verification found = {.e = e, .arena = arena, .problem = problem, .trial = &trial};
	kt_at at[KT_RUN_BUFFERS];
	size_t bytes[KT_RUN_BUFFERS];
	place->reference_marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	kt_place_set(at, bytes, e, problem, set);
	const struct kt_run_launch launch = kt_engine_launch(e, &e->original, problem, at, bytes);
	kt_status status = kt_verify_reset(e, problem, set, place->reference_marks, err);
	THEN(status, kt_verify_look(e, problem, set, place->reference_marks, err));
	THEN(status, kt_verify_fetch(e, err));
	for (size_t b = 0; !status && b < e->region->buffer_count; b++)
		place->spans[b].input_digest = e->results[b].digest;
	e->used[set] = e->shift + 1;
	THEN(status, e->ops->run(&place->original_ns, e->state, &launch, original_limit(e, problem), err));
	THEN(status, kt_verify_look(e, problem, set, place->reference_marks, err));
	THEN(status, kt_verify_keep(e, problem, set, place->snapshot, err));
	if (!status && place->reference && place->kept_bytes)
		status = e->ops->download(e->state, place->reference, place->snapshot, place->kept_bytes, err);
	THEN(status, kt_verify_fetch(e, err));
	if (!status) {
		kt_verify_surroundings(&found);
		*detail = trial.detail;
	}
	return status;
}

/*
 * An absolute tolerance is meant for the data of the tuning problems. Where a
 * check has other data, sums of large numbers may cancel, and what another
 * order of summation makes of them is far off beside a small result.
 */
static void scale_tolerances(struct kt_engine *e, size_t problem)
{
	struct kt_place *place = &e->places[problem];
	for (size_t b = 0; place->reference && b < e->region->buffer_count; b++) {
		struct kt_limits *limits = place->spans[b].limits;
		for (size_t part = 0; kt_span_is_output(place, b) && part < e->region->buffers[b].element->part_count; part++)
			if (limits[part].absolute > 0)
				limits[part].absolute *= fmax(1, largest(e, problem, b, part));
	}
}

/* Outputs of the original with a buffer for every argument, which the caller frees. */
static kt_status answer_apart(unsigned char **out, struct kt_marks *marks, struct kt_engine *e, size_t problem,
                              struct kt_error *err)
{
	const struct kt_place shared = e->places[problem];
	const struct kt_place *apart = shared.apart;
	NEED(*out = malloc(apart->kept_bytes + 1), kt_no_memory(err));
	e->places[problem] = *apart;
	*marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	kt_status status = kt_verify_run(NULL, e, &e->original, problem, set, *marks, original_limit(e, problem), err);
	THEN(status, kt_verify_keep(e, problem, set, apart->snapshot, err));
	if (!status && apart->kept_bytes)
		status = e->ops->download(e->state, *out, apart->snapshot, apart->kept_bytes, err);
	THEN(status, kt_verify_wipe(e, problem, err));
	e->places[problem] = shared;
	return status;
}

/* Does the reference, made in place, hold the outputs that were made separately? */
static bool agrees(const struct kt_engine *e, size_t problem, const unsigned char *answer, struct kt_marks marks)
{
	const struct kt_place *place = &e->places[problem];
	bool same = place->reference != NULL;
	for (size_t b = 0; same && b < e->region->buffer_count; b++) {
		const struct kt_span *apart = &place->apart->spans[b];
		const struct kt_element *element = e->region->buffers[b].element;
		const size_t leader = place->spans[b].leader;
		if (!kt_span_is_output(place->apart, b))
			continue;
		for (size_t part = 0; same && part < element->part_count; part++) {
			const struct kt_data_tolerance tolerance =
			    kt_verify_tolerance(e, problem, leader, part, place->reference_marks, marks, false);
			const struct kt_lanes lanes = kt_data_lanes(element, part);
			struct kt_result result = {0};
			kt_data_compare(&result, place->reference + place->spans[leader].kept, answer + apart->kept,
			                (size_t)apart->data->count * lanes.width, &lanes, &tolerance);
			same = result.wrong == 0;
		}
	}
	return same;
}

static kt_status reference(const char **detail, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                           struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	const int runs = place->apart ? RUNS_IN_PLACE : RUNS;
	unsigned char *apart = NULL;
	struct kt_marks apart_marks = {0, 0};
	kt_status status = place->apart ? answer_apart(&apart, &apart_marks, e, problem, err) : KT_OK;
	THEN(status, first_run(detail, e, arena, problem, err));
	if (!status && !*detail && e->region->problems[problem].check)
		scale_tolerances(e, problem);
	if (!status && !*detail && apart && !agrees(e, problem, apart, apart_marks))
		*detail = "it gives another answer in place";
	free(apart);
	for (int run = 1; !status && !*detail && run < runs; run++) {
		/* The second time has no compilation in it. */
		status = run_again(detail, run == 1 ? &place->original_ns : NULL, e, arena, problem, true, err);
		if (!status && kt_verify_wrong(e, problem) < e->region->buffer_count)
			place->nondeterministic = true;
	}
	if (!status && !*detail && place->nondeterministic && place->apart)
		*detail = "its runs differ in place";
	if (!status && !*detail && place->nondeterministic)
		status = widen(detail, e, arena, problem, err);
	if (!status && !*detail) {
		status = kt_host_reference(detail, e, arena, problem, err);
		place->host_failed = *detail != NULL;
	}
	return status ? status : kt_verify_wipe(e, problem, err);
}

/*
 * A kernel whose runs differ on one problem promises nothing about the others either: where few of its additions collide,
 * it repeats itself by chance, and one that takes them in another order, or more of them, need not.
 */
static void spread_wavering(struct kt_run_prepared *prepared, struct kt_engine *e)
{
	bool any = false;
	for (size_t p = 0; p < e->region->problem_count; p++)
		any = any || (e->places[p].usable && e->places[p].nondeterministic);
	for (size_t p = 0; any && p < e->region->problem_count; p++)
		if (e->places[p].usable)
			prepared[p].nondeterministic = e->places[p].nondeterministic = true;
}

kt_status kt_references(struct kt_run_prepared *prepared, size_t *blamed, struct kt_engine *e, struct kt_arena *arena,
                        struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < e->region->problem_count; p++) {
		const char *detail = NULL;
		struct kt_place *place = &e->places[p];
		if (!place->usable)
			continue;
		status = reference(&detail, e, arena, p, err);
		e->shift = 0;
		prepared[p].by_host = place->host_failed;
		if (detail && e->region->problems[p].check && place->host_failed) {
			/* Compared with the original it is still worth more than no check. */
			prepared[p].detail = detail;
		} else if (detail && e->region->problems[p].check) {
			place->usable = false;
			place->unusable = kt_arena_printf(arena, "the original itself: %s", detail);
			prepared[p] = (struct kt_run_prepared){.skipped = true, .detail = place->unusable};
		} else if (!status && detail) {
			status = kt_fail(err, KT_ERR_INVALID, "%s", detail);
		}
		prepared[p].nondeterministic = place->nondeterministic;
		if (status) {
			*blamed = p;
			(void)kt_fail_prefix(err, "the original on %s", e->region->problems[p].text);
		}
	}
	if (!status)
		spread_wavering(prepared, e);
	return status ? status : kt_held_take(e, err);
}
