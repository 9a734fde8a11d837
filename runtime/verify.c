#include <math.h>
#include <string.h>

#include "engine.h"

/* Nothing on the device is right or wrong by how long it takes, but a search must go on. */
#define LIMIT_OVER_ORIGINAL 50.0
/* For how long a launch is disturbed that does not end before: so often the original's time, between two bounds. */
#define DISTURBED_OVER_ORIGINAL 4.0
#define DISTURBED_LEAST_NS 40e3
#define DISTURBED_MOST_NS 2e6 /* what finds no room beside the disturbing work waits for it */
#define RUNS 3 /* of a candidate on each problem: what goes wrong only after the first must go wrong here */

double kt_verify_limit(const struct kt_engine *e, size_t problem, bool first)
{
	double limit = e->places[problem].original_ns * 1e-9 * LIMIT_OVER_ORIGINAL;
	double least = first && e->first_limit_s > e->least_limit_s ? e->first_limit_s : e->least_limit_s;
	if (limit < least)
		limit = least;
	return limit < e->limit_s ? limit : e->limit_s;
}

struct kt_marks kt_verify_marks(struct kt_engine *e)
{
	uint64_t run = ++e->runs;
	/* The low bit is what kind of absurdity stands around the buffers: large numbers and NaN by turns. */
	return (struct kt_marks){kt_verify_poison(e), (kt_data_mix(run) & ~(uint64_t)0xfff) | (run & 1)};
}

uint64_t kt_verify_poison(struct kt_engine *e)
{
	return kt_data_mix(++e->poisons);
}

size_t kt_verify_next_set(struct kt_engine *e, size_t problem)
{
	e->shift = (size_t)(e->runs * 5 % KT_SHIFTS) * e->align;
	return (size_t)(e->runs % e->places[problem].sets);
}

kt_status kt_verify_reset(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		struct kt_run_data data = *span->data;
		kt_at at = kt_place_at(e, problem, set, b);
		/* With other data: what an earlier launch left where nothing is promised is what a later one may find there. */
		if (span->leader != b || !span->bytes || (e->salt && span->direction == KT_SCRATCH))
			continue;
		data.seed ^= e->salt;
		status = kt_is_filled(span->direction)
		             ? e->ops->fill(e->state, at, e->region->buffers[b].element, &data, err)
		             : e->ops->poison(e->state, at, span->bytes, marks.poison, err);
	}
	if (status || e->region->buffer_count == 0)
		return status;
	return e->ops->zones(e->state, false, e->shift + set * place->stride, place->stride, 1, place->zones, marks.zone,
	                     err);
}

kt_status kt_verify_launch(double *ns, struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                           size_t set, double limit_s, struct kt_error *err)
{
	kt_at at[KT_RUN_BUFFERS];
	size_t bytes[KT_RUN_BUFFERS];
	kt_place_set(at, bytes, e, problem, set);
	const struct kt_run_launch launch = kt_engine_launch(e, what, problem, at, bytes);
	/* A fault of the runner's own work must not look like the kernel's. */
	kt_status status = kt_verify_fetch(e, err);
	e->used[set] = e->shift + 1;
	if (!status && e->disturbed && e->ops->disturb) {
		const double around_ns = fmax(DISTURBED_LEAST_NS, e->places[problem].original_ns * DISTURBED_OVER_ORIGINAL);
		const double beside_ns = fmin(around_ns, DISTURBED_MOST_NS);
		limit_s += beside_ns * 1e-9;
		status = e->ops->disturb(e->state, e->runs, beside_ns, err);
	}
	return status ? status : e->ops->run(ns, e->state, &launch, limit_s, err);
}

kt_status kt_verify_run(double *ns, struct kt_engine *e, const struct kt_launchable *what, size_t problem, size_t set,
                        struct kt_marks marks, double limit_s, struct kt_error *err)
{
	kt_status status = kt_verify_reset(e, problem, set, marks, err);
	return status ? status : kt_verify_launch(ns, e, what, problem, set, limit_s, err);
}

/* Wipes the outputs of every set that something ran on. */
static kt_status wipe_sets(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	size_t shift = e->shift;
	kt_status status = KT_OK;
	for (size_t set = 0; !status && set < place->sets; set++) {
		if (!e->used[set])
			continue;
		e->shift = e->used[set] - 1;
		e->used[set] = 0;
		uint64_t poison = kt_verify_poison(e);
		for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
			if (kt_span_is_output(place, b) && place->spans[b].bytes)
				status = e->ops->poison(e->state, kt_place_at(e, problem, set, b), place->spans[b].bytes, poison, err);
		}
	}
	e->shift = shift;
	return status;
}

kt_status kt_verify_wipe(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = wipe_sets(e, problem, err);
	if (!status && place->kept_bytes)
		status = e->ops->poison(e->state, place->snapshot, place->kept_bytes, kt_verify_poison(e), err);
	return status ? status : kt_verify_fetch(e, err);
}

/* The number of the zone that is no buffer's. */
static size_t far_zone(const struct kt_engine *e)
{
	return 2 * e->region->buffer_count;
}

kt_status kt_verify_digest(struct kt_engine *e, size_t problem, size_t set, bool inputs, bool outputs,
                           struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		bool wanted = span->direction == KT_IN ? inputs : span->direction != KT_SCRATCH && outputs;
		if (span->leader == b && wanted && span->bytes)
			status = e->ops->digest(e->state, b, kt_place_at(e, problem, set, b), span->bytes, err);
	}
	return status;
}

kt_status kt_verify_zones(struct kt_engine *e, size_t problem, size_t set, size_t sets, struct kt_marks marks,
                          struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	if (e->region->buffer_count == 0)
		return KT_OK;
	return e->ops->zones(e->state, true, e->shift + set * place->stride, place->stride, sets, place->zones, marks.zone,
	                     err);
}

kt_status kt_verify_look(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks, struct kt_error *err)
{
	kt_status status = e->ops->clear(e->state, err);
	if (!status)
		status = kt_verify_digest(e, problem, set, true, true, err);
	return status ? status : kt_verify_zones(e, problem, set, 1, marks, err);
}

kt_status kt_verify_far(struct kt_engine *e, bool look, size_t problem, size_t set, struct kt_marks marks,
                        struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	const size_t number = far_zone(e), bytes = place->stride < KT_FAR_BYTES ? place->stride : KT_FAR_BYTES;
	/* A block of threads looks at one part. */
	const size_t part = bytes < KT_ZONE_BYTES ? bytes : KT_ZONE_BYTES, parts = part ? bytes / part : 0;
	const bool behind = set + 1 < place->sets;
	struct kt_zones zones = {.count = number + 1};
	if (!e->region->problems[problem].check || place->sets < 2 || number == 0 || number >= KT_ZONES || !parts)
		return KT_OK;
	/* Behind empty ones, so that its number tells it from those of buffers. */
	zones.zone[number].bytes = part;
	return e->ops->zones(e->state, look, e->shift + (set + behind) * place->stride - (behind ? 0 : bytes), part, parts,
	                     &zones, marks.zone, err);
}

kt_status kt_verify_fetch(struct kt_engine *e, struct kt_error *err)
{
	return e->ops->fetch(&e->results, e->state, e->limit_s, err);
}

kt_status kt_verify_keep(struct kt_engine *e, size_t problem, size_t set, kt_at to, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && place->spans[b].bytes)
			status = e->ops->copy(e->state, to + place->spans[b].kept, kt_place_at(e, problem, set, b),
			                      place->spans[b].bytes, err);
	}
	return status;
}

/* What a set's outputs are compared with: laid out like the snapshot, on the device or on the host. */
struct wanted {
	kt_at kept;
	const unsigned char *host;
	struct kt_marks marks;
};

struct kt_data_tolerance kt_verify_tolerance(const struct kt_engine *e, size_t problem, size_t b, struct kt_marks got,
                                             struct kt_marks want, bool exact)
{
	const struct kt_span *span = &e->places[problem].spans[b];
	return (struct kt_data_tolerance){
	    .absolute = span->absolute,
	    .relative = span->relative,
	    .want_seed = want.poison,
	    .got_seed = got.poison,
	    /* Integers without a tolerance of their own agree bit for bit. */
	    .exact = exact || (!kt_scalar_is_float(e->region->buffers[b].element) && span->absolute == 0 &&
	                       span->relative == 0),
	};
}

static kt_status compare(struct kt_engine *e, size_t problem, size_t set, struct kt_marks got,
                         const struct wanted *want, bool exact, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		enum kt_scalar element = e->region->buffers[b].element;
		struct kt_data_tolerance tolerance = kt_verify_tolerance(e, problem, b, got, want->marks, exact);
		if (!kt_span_is_output(place, b) || !span->bytes)
			continue;
		status = e->ops->compare(e->state, b, kt_place_at(e, problem, set, b), want->kept + span->kept,
		                         want->host ? want->host + span->kept : NULL,
		                         (size_t)span->data->count, element, &tolerance, err);
	}
	return status;
}

kt_status kt_verify_with_snapshot(struct kt_engine *e, size_t problem, size_t set, bool exact,
                                  struct kt_marks got, struct kt_marks want, struct kt_error *err)
{
	struct wanted first = {.kept = e->places[problem].snapshot, .marks = want};
	return compare(e, problem, set, got, &first, exact, err);
}

/*
 * Compares with the reference, which comes from the host or by running the
 * original on the set behind `set`, as it must for other data than the
 * problem's. Either way it is on the device only here, while no candidate runs.
 */
kt_status kt_verify_with_reference(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks,
                                   struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	struct wanted want = {.kept = place->staging, .marks = place->reference_marks};
	kt_status status = KT_OK;
	if (!place->kept_bytes)
		return KT_OK;
	if (place->reference && e->host_reads && !e->salt) {
		want.host = place->reference;
		return compare(e, problem, set, marks, &want, false, err);
	}
	if (place->reference && !e->salt) {
		status = e->ops->upload(e->state, want.kept, place->reference, place->kept_bytes, err);
	} else {
		size_t other = (set + 1) % place->sets;
		status = kt_verify_run(NULL, e, &e->original, problem, other, place->reference_marks, e->limit_s, err);
		if (!status)
			status = kt_verify_keep(e, problem, other, want.kept, err);
		/* Nothing may find the reference in the set afterwards. */
		if (!status)
			status = kt_verify_reset(e, problem, other, (struct kt_marks){kt_verify_poison(e), 0}, err);
	}
	if (!status)
		status = compare(e, problem, set, marks, &want, false, err);
	return status ? status
	              : e->ops->poison(e->state, want.kept, place->kept_bytes, kt_verify_poison(e), err);
}

const char *kt_verify_surroundings(enum kt_verdict *verdict, const struct kt_engine *e, struct kt_arena *arena,
                                   size_t problem)
{
	const struct kt_result *zones = &e->results[KT_RUN_BUFFERS];
	if (zones->zones) {
		uint64_t zone = ~zones->zone;
		*verdict = KT_VERDICT_OUT_OF_BOUNDS;
		if (zone == far_zone(e))
			return kt_arena_printf(arena, "%llu bytes written far from every buffer",
			                       (unsigned long long)zones->zones);
		return kt_arena_printf(arena, "%llu bytes written %s %s", (unsigned long long)zones->zones,
		                       zone % 2 ? "behind the end of" : "before the start of",
		                       e->region->buffers[zone / 2 % e->region->buffer_count].name);
	}
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &e->places[problem].spans[b];
		if (span->leader == b && span->direction == KT_IN && e->results[b].digest != span->input_digest) {
			*verdict = KT_VERDICT_WRONG_ANSWER;
			return kt_arena_printf(arena, "input %s was changed", e->region->buffers[b].name);
		}
	}
	return NULL;
}

size_t kt_verify_wrong(const struct kt_engine *e, size_t problem)
{
	size_t b = 0;
	while (b < e->region->buffer_count && (!kt_span_is_output(&e->places[problem], b) || !e->results[b].wrong))
		b++;
	return b;
}

static double real_of(uint64_t bits)
{
	double value = 0;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* ", up to 15 ulp"; empty where nothing differs by its distance. */
static const char *describe_distance(const struct kt_result *r, struct kt_arena *arena)
{
	size_t bin = KT_ULP_BINS;
	while (bin > 1 && !r->ulp[bin - 1])
		bin--;
	if (bin <= 1)
		return "";
	if (bin == KT_ULP_BINS)
		return ", beyond any count of ulp";
	return kt_arena_printf(arena, ", up to %llu ulp", (1ull << (bin - 1)) - 1);
}

const char *kt_verify_describe(const struct kt_engine *e, struct kt_arena *arena, size_t b, const char *when)
{
	const struct kt_result *r = &e->results[b];
	const char *distance = describe_distance(r, arena);
	if (!r->place)
		return kt_arena_printf(arena, "%s: %llu wrong elements%s, first at index %llu%s", e->region->buffers[b].name,
		                       (unsigned long long)r->wrong, when, (unsigned long long)~r->first,
		                       distance ? distance : "");
	return kt_arena_printf(arena, "%s: %llu wrong elements%s, first at index %llu, largest error %.3g at index %llu%s",
	                       e->region->buffers[b].name, (unsigned long long)r->wrong, when,
	                       (unsigned long long)~r->first, real_of(r->worst),
	                       (unsigned long long)(~r->place & 0xfffffffffffull), distance ? distance : "");
}

/* How far the outputs of the fetched comparison are from the reference. */
static void note_distances(struct kt_run_notes *notes, const struct kt_engine *e, struct kt_arena *arena,
                           size_t problem)
{
	const struct kt_place *place = &e->places[problem];
	notes->ulp_count = 0;
	notes->ulp = kt_arena_array(arena, e->region->buffer_count + 1, sizeof *notes->ulp);
	for (size_t b = 0; notes->ulp && b < e->region->buffer_count; b++) {
		const struct kt_result *r = &e->results[b];
		struct kt_run_ulp *ulp = &notes->ulp[notes->ulp_count];
		uint64_t different = 0;
		if (!kt_span_is_output(place, b))
			continue;
		for (size_t i = 1; i < KT_ULP_BINS; i++) {
			ulp->counts[i] = r->ulp[i];
			different += r->ulp[i];
		}
		ulp->counts[0] = (uint64_t)place->spans[b].data->count - different;
		ulp->buffer = e->region->buffers[b].name;
		ulp->largest = real_of(r->worst);
		ulp->index = r->place ? ~r->place & 0xfffffffffffu : 0;
		notes->ulp_count++;
	}
}

/* The first run: with the reference, and its outputs are kept. */
static kt_status first_run(enum kt_verdict *verdict, const char **detail, struct kt_run_notes *notes,
                           struct kt_engine *e, struct kt_arena *arena, const struct kt_launchable *what,
                           size_t problem, struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	struct kt_marks marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	kt_status status = kt_verify_far(e, false, problem, set, marks, err);
	if (!status)
		status = kt_verify_run(NULL, e, what, problem, set, marks, kt_verify_limit(e, problem, true), err);
	if (!status)
		status = kt_verify_look(e, problem, set, marks, err);
	if (!status)
		status = kt_verify_far(e, true, problem, set, marks, err);
	if (!status)
		status = kt_verify_keep(e, problem, set, place->snapshot, err);
	if (!status)
		status = kt_verify_fetch(e, err);
	if (status)
		return status;
	for (size_t b = 0; b < e->region->buffer_count; b++)
		place->spans[b].output_digest = e->results[b].digest;
	place->first_marks = marks;
	*detail = kt_verify_surroundings(verdict, e, arena, problem);
	status = *detail ? KT_OK : e->ops->clear(e->state, err);
	if (!status && !*detail)
		status = kt_verify_with_reference(e, problem, set, marks, err);
	if (!status && !*detail)
		status = kt_verify_fetch(e, err);
	if (status || *detail)
		return status;
	note_distances(notes, e, arena, problem);
	size_t wrong = kt_verify_wrong(e, problem);
	if (wrong < e->region->buffer_count) {
		*verdict = KT_VERDICT_WRONG_ANSWER;
		*detail = kt_verify_describe(e, arena, wrong, "");
	}
	return KT_OK;
}

/*
 * A later run, on a disturbed device: with the first one bit for bit, or with the reference where the original itself
 * wavers. A quiet device starts blocks and warps in the same order every time, and their races come out alike.
 */
static kt_status later_run(enum kt_verdict *verdict, const char **detail, struct kt_engine *e, struct kt_arena *arena,
                           const struct kt_launchable *what, size_t problem, bool stale, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = wipe_sets(e, problem, err);
	struct kt_marks marks = kt_verify_marks(e);
	size_t set = kt_verify_next_set(e, problem);
	/* What the first run left alone stands among its results: elsewhere as well then, or the reference tells neither. */
	if (stale)
		marks.poison = place->first_marks.poison;
	if (!status)
		status = kt_verify_far(e, false, problem, set, marks, err);
	if (!status)
		status = kt_verify_reset(e, problem, set, marks, err);
	if (!status && stale)
		status = kt_stale_outputs(e, problem, set, err);
	e->disturbed = true;
	if (!status)
		status = kt_verify_launch(NULL, e, what, problem, set, kt_verify_limit(e, problem, false), err);
	e->disturbed = false;
	if (!status)
		status = kt_verify_look(e, problem, set, marks, err);
	if (!status)
		status = kt_verify_far(e, true, problem, set, marks, err);
	if (!status)
		status = kt_verify_fetch(e, err);
	if (status)
		return status;
	*detail = kt_verify_surroundings(verdict, e, arena, problem);
	if (*detail)
		return KT_OK;
	status = e->ops->clear(e->state, err);
	if (!status)
		status = place->nondeterministic
		             ? kt_verify_with_reference(e, problem, set, marks, err)
		             : kt_verify_with_snapshot(e, problem, set, true, marks, place->first_marks, err);
	if (!status)
		status = kt_verify_fetch(e, err);
	size_t wrong = status ? e->region->buffer_count : kt_verify_wrong(e, problem);
	if (wrong == e->region->buffer_count)
		return status;
	*verdict = place->nondeterministic ? KT_VERDICT_WRONG_ANSWER : KT_VERDICT_NON_DETERMINISTIC;
	*detail = place->nondeterministic
	              ? kt_verify_describe(e, arena, wrong, " in another run")
	              : kt_arena_printf(arena, "%s: %llu elements differ between two runs", e->region->buffers[wrong].name,
	                                (unsigned long long)e->results[wrong].wrong);
	return KT_OK;
}

kt_status kt_verify_once(enum kt_verdict *verdict, const char **detail, struct kt_run_notes *notes, struct kt_engine *e,
                         struct kt_arena *arena, const struct kt_launchable *what, size_t problem, struct kt_error *err)
{
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	kt_status status = first_run(verdict, detail, notes, e, arena, what, problem, err);
	e->shift = 0;
	return status ? status : kt_verify_wipe(e, problem, err);
}

kt_status kt_verify_problem(enum kt_verdict *verdict, const char **detail, struct kt_run_notes *notes,
                            struct kt_engine *e, struct kt_arena *arena, const struct kt_launchable *what,
                            size_t problem, bool other_data, struct kt_error *err)
{
	*verdict = KT_VERDICT_OK;
	*detail = NULL;
	kt_status status = first_run(verdict, detail, notes, e, arena, what, problem, err);
	for (int run = 1; !status && !*detail && run < RUNS; run++)
		status = later_run(verdict, detail, e, arena, what, problem, run == RUNS - 1, err);
	if (!status && !*detail && other_data)
		status = kt_stale_data(verdict, detail, e, arena, what, problem, err);
	e->shift = 0;
	return status ? status : kt_verify_wipe(e, problem, err);
}
