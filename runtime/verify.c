#include <math.h>
#include <string.h>

#include "engine.h"

/* Nothing on the device is right or wrong by how long it takes, but a search must go on. */
#define LIMIT_OVER_ORIGINAL 50.0
/* For how long a launch is disturbed that does not end before: so often the original's time, between two bounds. */
#define DISTURBED_OVER_ORIGINAL 4.0
#define DISTURBED_LEAST_NS 40e3
#define DISTURBED_MOST_NS 2e6 /* what does not fit beside the disturbing work waits for it */
#define OWN_SECONDS 1e-10 /* for each byte of a set: what filling and looking at it may take beside a launch */

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
	/* The low bit is the kind of absurd values around the buffers: large numbers and NaN alternate. */
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
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		struct kt_run_data data = *span->data;
		kt_at at = kt_place_at(e, problem, set, b);
		/* With other data: what an earlier launch left where nothing is promised is what a later one may find there. */
		if (span->leader != b || !span->bytes || (e->salt && span->direction == KT_SCRATCH))
			continue;
		data.seed ^= e->salt;
		TRY(kt_is_filled(span->direction) ? kt_parts_fill(e, b, at, &data, err)
						  : e->ops->poison(e->state, at, span->bytes, 0, 1, marks.poison, err));
	}
	if (e->region->buffer_count == 0)
		return KT_OK;
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
	kt_status status = KT_OK;
	e->used[set] = e->shift + 1;
	if (e->disturbed && e->ops->disturb) {
		const double around_ns = fmax(DISTURBED_LEAST_NS, e->places[problem].original_ns * DISTURBED_OVER_ORIGINAL);
		const double beside_ns = fmin(around_ns, DISTURBED_MOST_NS);
		limit_s += beside_ns * 1e-9;
		status = e->ops->disturb(e->state, e->runs, beside_ns, err);
	}
	/* What is queued is waited for together, for as long as all of it may take. */
	e->pending_s = ns ? 0 : e->pending_s + limit_s + OWN_SECONDS * (double)e->places[problem].stride;
	return status ? status : e->ops->run(ns, e->state, &launch, limit_s, err);
}

kt_status kt_verify_run(double *ns, struct kt_engine *e, const struct kt_launchable *what, size_t problem, size_t set,
                        struct kt_marks marks, double limit_s, struct kt_error *err)
{
	kt_status status = kt_verify_reset(e, problem, set, marks, err);
	return status ? status : kt_verify_launch(ns, e, what, problem, set, limit_s, err);
}

kt_status kt_verify_poison_outputs(struct kt_engine *e, size_t problem, size_t set, size_t sets, uint64_t poison,
                                   struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; sets && b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && place->spans[b].bytes)
			TRY(e->ops->poison(e->state, kt_place_at(e, problem, set, b), place->spans[b].bytes,
					   place->stride, sets, poison, err));
	}
	return KT_OK;
}

/* Sets beside each other that were used alike are wiped at once. */
kt_status kt_verify_wipe_sets(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	size_t shift = e->shift;
	kt_status status = KT_OK;
	for (size_t set = 0, end; !status && set < place->sets; set = end) {
		const size_t used = e->used[set];
		for (end = set; end < place->sets && e->used[end] == used; end++)
			;
		if (!used)
			continue;
		memset(&e->used[set], 0, (end - set) * sizeof e->used[set]);
		e->shift = used - 1;
		status = kt_verify_poison_outputs(e, problem, set, end - set, kt_verify_poison(e), err);
	}
	e->shift = shift;
	return status;
}

kt_status kt_verify_wipe(struct kt_engine *e, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = kt_verify_wipe_sets(e, problem, err);
	if (!status && place->kept_bytes)
		status = e->ops->poison(e->state, place->snapshot, place->kept_bytes, 0, 1, kt_verify_poison(e), err);
	return status;
}

kt_status kt_verify_digest(struct kt_engine *e, size_t problem, size_t set, size_t sets, bool inputs, bool outputs,
                           struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		bool wanted = span->direction == KT_IN ? inputs : span->direction != KT_SCRATCH && outputs;
		if (span->leader != b || !wanted || !span->bytes)
			continue;
		for (size_t s = 0; span->direction != KT_IN && s < sets; s++)
			TRY(kt_parts_clear_padding(e, b, kt_place_at(e, problem, set + s, b), span->data->count, err));
		TRY(e->ops->digest(e->state, b, kt_place_at(e, problem, set, b), span->bytes, place->stride, sets,
				   err));
	}
	return KT_OK;
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
	TRY(e->ops->clear(e->state, err));
	TRY(kt_verify_digest(e, problem, set, 1, true, true, err));
	return kt_verify_zones(e, problem, set, 1, marks, err);
}

kt_status kt_verify_far(struct kt_engine *e, bool look, size_t problem, size_t set, struct kt_marks marks,
                        struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	const size_t number = 2 * e->region->buffer_count, bytes = place->stride < KT_FAR_BYTES ? place->stride : KT_FAR_BYTES;
	/* A block of threads looks at one part. */
	const size_t part = bytes < KT_ZONE_BYTES ? bytes : KT_ZONE_BYTES, parts = part ? bytes / part : 0;
	const bool behind = set + 1 < place->sets;
	struct kt_zones zones = {.count = number + 1};
	if (!e->region->problems[problem].check || place->sets < 2 || number == 0 || number >= KT_ZONES || !parts)
		return KT_OK;
	/* After empty ones, so that its number tells it from those of buffers. */
	zones.zone[number].bytes = part;
	return e->ops->zones(e->state, look, e->shift + (set + behind) * place->stride - (behind ? 0 : bytes), part, parts,
	                     &zones, marks.zone, err);
}

kt_status kt_verify_page(size_t *page, struct kt_engine *e, struct kt_error *err)
{
	*page = e->page++;
	return *page < KT_PAGES - 1 ? e->ops->keep(e->state, *page, err)
	                            : kt_fail(err, KT_ERR_LIMIT, "too many looks at a time");
}

kt_status kt_verify_wait(struct kt_engine *e, struct kt_error *err)
{
	const double limit_s = e->pending_s > 0 ? e->pending_s : e->limit_s;
	e->pending_s = 0;
	return e->ops->wait(e->state, limit_s, err);
}

kt_status kt_verify_fetch(struct kt_engine *e, struct kt_error *err)
{
	kt_status status = e->ops->keep(e->state, KT_PAGES - 1, err);
	e->results = e->pages[KT_PAGES - 1];
	return status ? status : kt_verify_wait(e, err);
}

kt_status kt_verify_keep(struct kt_engine *e, size_t problem, size_t set, kt_at to, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		if (kt_span_is_output(place, b) && place->spans[b].bytes)
			TRY(e->ops->copy(e->state, to + place->spans[b].kept, kt_place_at(e, problem, set, b),
					 place->spans[b].bytes, err));
	}
	return KT_OK;
}

/* What a set's outputs are compared with: laid out like the snapshot, on the device or on the host. */
struct wanted {
	kt_at kept;
	const unsigned char *host;
	struct kt_marks marks;
	uint64_t mask; /* 0: none */
};

struct kt_data_tolerance kt_verify_tolerance(const struct kt_engine *e, size_t problem, size_t b, size_t part,
                                             struct kt_marks got, struct kt_marks want, bool exact)
{
	const struct kt_limits *limits = &e->places[problem].spans[b].limits[part];
	const enum kt_scalar scalar = e->region->buffers[b].element->parts[part].scalar;
	return (struct kt_data_tolerance){
	    .absolute = limits->absolute,
	    .relative = limits->relative,
	    .want_seed = want.poison,
	    .got_seed = got.poison,
	    /* Integers without a given tolerance agree bit for bit. */
	    .exact = exact || (!kt_scalar_is_float(scalar) && limits->absolute == 0 && limits->relative == 0),
	};
}

static kt_status compare(struct kt_engine *e, size_t problem, size_t set, struct kt_marks got,
                         const struct wanted *want, bool exact, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		const struct kt_element *element = e->region->buffers[b].element;
		if (!kt_span_is_output(place, b) || !span->bytes)
			continue;
		for (size_t part = 0; part < element->part_count; part++) {
			const struct kt_lanes lanes = kt_data_lanes(element, part);
			struct kt_data_tolerance tolerance = kt_verify_tolerance(e, problem, b, part, got, want->marks, exact);
			tolerance.mask = want->mask;
			TRY(e->ops->compare(e->state, kt_parts_slot(e, b, part), kt_place_at(e, problem, set, b),
					    want->kept + span->kept, want->host ? want->host + span->kept : NULL,
					    (size_t)(span->data->count * (int64_t)lanes.width), &lanes, &tolerance,
					    err));
		}
	}
	return KT_OK;
}

kt_status kt_verify_with_snapshot(struct kt_engine *e, size_t problem, size_t set, bool exact,
                                  struct kt_marks got, struct kt_marks want, struct kt_error *err)
{
	struct wanted first = {.kept = e->places[problem].snapshot, .marks = want};
	return compare(e, problem, set, got, &first, exact, err);
}

/*
 * Compares with the reference: as it is held on the device, or from the host, or made again by running the original on
 * the set after `set`, as it must be for other data than the problem's. Unmasked it is on the device only here, while
 * no candidate runs.
 */
kt_status kt_verify_with_reference(struct kt_engine *e, size_t problem, size_t set, struct kt_marks marks,
                                   struct kt_error *err)
{
	struct kt_place *place = &e->places[problem];
	struct wanted want = {.kept = place->staging, .marks = place->reference_marks};
	if (!place->kept_bytes)
		return KT_OK;
	if (place->reference && e->host_reads && !e->salt) {
		want.host = place->reference;
		return compare(e, problem, set, marks, &want, false, err);
	}
	if (place->held && !e->salt) {
		want.kept = place->held;
		want.mask = place->mask;
		TRY(kt_held_digest(e, problem, err));
		return compare(e, problem, set, marks, &want, false, err);
	}
	if (place->reference && !e->salt) {
		TRY(e->ops->upload(e->state, want.kept, place->reference, place->kept_bytes, err));
	} else {
		size_t other = (set + 1) % place->sets;
		TRY(kt_verify_run(NULL, e, &e->original, problem, other, place->reference_marks,
				  kt_verify_limit(e, problem, true), err));
		TRY(kt_verify_keep(e, problem, other, want.kept, err));
		/* Nothing may find the reference in the set afterwards. */
		TRY(kt_verify_reset(e, problem, other, (struct kt_marks){kt_verify_poison(e), 0}, err));
	}
	TRY(compare(e, problem, set, marks, &want, false, err));
	return e->ops->poison(e->state, want.kept, place->kept_bytes, 0, 1, kt_verify_poison(e), err);
}
