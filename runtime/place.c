#include <string.h>

#include "engine.h"

static size_t rounded(size_t bytes, size_t align)
{
	return (bytes + align - 1) / align * align;
}

static size_t aligned(const struct kt_engine *e, size_t bytes)
{
	return rounded(bytes, e->align);
}

kt_at kt_place_at(const struct kt_engine *e, size_t problem, size_t set, size_t buffer)
{
	const struct kt_place *place = &e->places[problem];
	if (e->region->once)
		return (kt_at)(place->spans[buffer].leader + 1) << KT_AT_SHIFT;
	return e->shift + set * place->stride + place->spans[place->spans[buffer].leader].at;
}

void kt_place_set(kt_at *at, size_t *bytes, const struct kt_engine *e, size_t problem, size_t set)
{
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		at[b] = kt_place_at(e, problem, set, b);
		bytes[b] = e->places[problem].spans[b].bytes;
	}
}

/* What is done to memory that several arguments share. */
static enum kt_direction together(enum kt_direction a, enum kt_direction b)
{
	bool filled = kt_is_filled(a) || kt_is_filled(b), output = kt_is_output(a) || kt_is_output(b);
	return filled && output ? KT_INOUT : filled ? KT_IN : output ? KT_OUT : KT_SCRATCH;
}

static void describe_span(struct kt_place *place, const struct kt_run_region *region, const struct kt_run_data *data,
                          size_t b)
{
	const struct kt_run_buffer *buffer = &region->buffers[b];
	struct kt_limits *limits = place->spans[b].limits;
	memcpy(limits, buffer->limits, buffer->element->part_count * sizeof *limits);
	place->spans[b] = (struct kt_span){.leader = b, .direction = buffer->direction, .data = data, .limits = limits};
}

/* After all descriptions: a device symbol may be later than the argument that leads into it. */
static void join_alias(struct kt_place *place, const struct kt_run_region *region, const struct kt_run_data *data,
                       size_t b)
{
	const struct kt_run_buffer *buffer = &region->buffers[b];
	struct kt_span *span = &place->spans[b];
	if (data->alias == KT_NO_BUFFER)
		return;
	span->leader = data->alias;
	struct kt_span *leader = &place->spans[span->leader];
	if (kt_is_filled(buffer->direction) && !kt_is_filled(leader->direction))
		leader->data = data;
	if (kt_is_output(buffer->direction) && !kt_is_output(leader->direction))
		memcpy(leader->limits, buffer->limits, buffer->element->part_count * sizeof *leader->limits);
	leader->direction = together(leader->direction, buffer->direction);
}

/* The same data, and what is done to it together, in separate memory. */
static void describe_apart(struct kt_place *place, const struct kt_place *shared, const struct kt_run_region *region,
                           size_t b)
{
	const struct kt_span *leader = &shared->spans[shared->spans[b].leader];
	place->spans[b] = *leader;
	place->spans[b].leader = b;
	/* An output starts with what it finds in place, so that elements that are not written agree. */
	if (!kt_is_output(region->buffers[b].direction))
		place->spans[b].direction = region->buffers[b].direction;
}

/*
 * How the data of a buffer is aligned. A program has each of its large buffers from an allocator that aligns them far
 * more than small ones: streams over several of them that begin alike use the same channels, and that is what a kernel
 * is to be timed with. The zone before it is as much longer.
 */
static size_t alignment(const struct kt_engine *e, const struct kt_span *span, bool check)
{
	return !check && e->large_align != 0 && span->bytes >= e->large_align ? e->large_align : e->align;
}

/*
 * Offsets in a set, and the zones: before and after each buffer. shared: the
 * place that this one must not overlap, or NULL. False: more than can be addressed.
 */
static bool place_problem(struct kt_place *place, const struct kt_engine *e, const struct kt_run_region *region,
                          size_t problem, const struct kt_place *shared)
{
	const bool check = region->problems[problem].check;
	size_t cursor = 0, last = 0, align = e->align;
	size_t zone = aligned(e, check ? KT_CHECK_ZONE_BYTES : KT_ZONE_BYTES);
	const size_t most = (size_t)1 << 48;
	place->zones->count = 2 * region->buffer_count;
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_run_data *data = &region->problems[problem].data[b];
		size_t element = region->buffers[b].element->bytes;
		if (element == 0 || (uint64_t)data->count > most / element)
			return false;
		if (shared)
			describe_apart(place, shared, region, b);
		else
			describe_span(place, region, data, b);
		place->spans[b].bytes = (size_t)data->count * element;
	}
	for (size_t b = 0; !shared && b < region->buffer_count; b++)
		join_alias(place, region, &region->problems[problem].data[b], b);
	for (size_t b = 0; b < region->buffer_count; b++) {
		struct kt_span *span = &place->spans[b];
		if (span->leader != b)
			continue;
		const size_t own_align = alignment(e, span, check);
		align = own_align > align ? own_align : align;
		span->at = rounded(cursor + zone, own_align) + span->data->offset;
		const size_t whole = region->buffers[b].symbol_bytes;
		size_t end = span->at + span->bytes;
		/* What a clause does not count of a device symbol is a zone: it is there in every program. */
		size_t next = aligned(e, whole > span->bytes ? span->at + whole : end) + zone;
		place->zones->zone[2 * b].offset = cursor;
		place->zones->zone[2 * b].bytes = span->at - cursor;
		place->zones->zone[2 * b + 1].offset = end;
		place->zones->zone[2 * b + 1].bytes = next - end;
		place->touched += next - span->at + zone;
		cursor = next;
		last = b;
		if (kt_is_output(span->direction)) {
			span->kept = place->kept_bytes;
			place->kept_bytes += aligned(e, span->bytes);
		}
		place->has_inout = place->has_inout || span->direction == KT_INOUT;
		if (cursor > most || place->kept_bytes > most)
			return false;
	}
	place->stride = cursor ? cursor : e->align;
	/* All sets begin alike. */
	place->stride = rounded(place->stride, align);
	if (cursor)
		place->zones->zone[2 * last + 1].bytes += place->stride - cursor;
	return true;
}

/* Sets past three times the cache, at least two, as many as the budget allows. A check is never timed: two. */
static size_t sets_for(const struct kt_engine *e, const struct kt_place *place, bool check, size_t budget)
{
	size_t touched = place->touched ? place->touched : place->stride;
	size_t wanted = (3 * e->cache_bytes + touched - 1) / touched + 1;
	size_t possible = 2 * place->kept_bytes < budget ? (budget - 2 * place->kept_bytes) / place->stride : 0;
	if (check || wanted < 2)
		wanted = 2;
	if (wanted > KT_SETS)
		wanted = KT_SETS;
	return wanted < possible ? wanted : possible;
}

/* Sets, and what is after them. */
static void place_sets(struct kt_place *place, const struct kt_engine *e, bool check, size_t budget)
{
	place->sets = sets_for(e, place, check, budget);
	place->snapshot = aligned(e, place->sets * place->stride) + KT_SHIFTS * e->align;
	place->staging = place->snapshot + place->kept_bytes;
}

static bool has_offset(const struct kt_run_problem *problem, size_t buffers)
{
	size_t b = 0;
	while (b < buffers && !problem->data[b].offset)
		b++;
	return b < buffers;
}

/* Host memory for references, in the order of the problems while it lasts; the others are made again. */
static kt_status place_references(struct kt_engine *e, struct kt_error *err)
{
	size_t used = 0, count = e->region->problem_count;
	for (size_t p = 0; p < count; p++) {
		if (e->places[p].usable && e->places[p].kept_bytes <= KT_REFERENCE_BYTES - used)
			used += e->places[p].kept_bytes;
	}
	TRY(e->ops->host_memory(&e->references, e->state, used ? used : 1, err));
	used = 0;
	for (size_t p = 0; p < count; p++) {
		struct kt_place *place = &e->places[p];
		if (place->usable && place->kept_bytes <= KT_REFERENCE_BYTES - used) {
			place->reference = e->references + used;
			used += place->kept_bytes;
		}
	}
	return KT_OK;
}

kt_status kt_place_reserve(struct kt_engine *e, size_t bytes, struct kt_error *err)
{
	if (bytes <= e->field_bytes)
		return KT_OK;
	e->field_bytes = 0;
	TRY(e->ops->reserve(e->state, bytes, err));
	e->field_bytes = bytes;
	return KT_OK;
}

static bool has_alias(const struct kt_run_problem *problem, size_t buffers)
{
	size_t b = 0;
	while (b < buffers && problem->data[b].alias == KT_NO_BUFFER)
		b++;
	return b < buffers;
}

static kt_status new_place(struct kt_place *out, struct kt_arena *arena, const struct kt_run_region *region,
                           struct kt_error *err)
{
	size_t parts = 0;
	for (size_t b = 0; b < region->buffer_count; b++)
		parts += region->buffers[b].element->part_count;
	struct kt_limits *limits = kt_arena_array(arena, parts + 1, sizeof *limits);
	out->spans = kt_arena_array(arena, region->buffer_count + 1, sizeof *out->spans);
	out->zones = kt_arena_alloc(arena, sizeof *out->zones);
	if (!limits || !out->spans || !out->zones)
		return kt_no_memory(err);
	for (size_t b = 0; b < region->buffer_count; b++) {
		out->spans[b].limits = limits;
		limits += region->buffers[b].element->part_count;
	}
	return KT_OK;
}

/* One set and what is kept of it; nothing but the original's single run takes place there. */
static kt_status place_apart(struct kt_place *place, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                             struct kt_error *err)
{
	struct kt_place *apart;
	NEED(apart = kt_arena_alloc(arena, sizeof *apart), kt_no_memory(err));
	*apart = (struct kt_place){.sets = 1};
	TRY(new_place(apart, arena, e->region, err));
	place->usable = place->usable && place_problem(apart, e, e->region, problem, place);
	apart->snapshot = apart->staging = aligned(e, apart->stride) + KT_SHIFTS * e->align;
	place->apart = apart;
	return KT_OK;
}

static size_t most_of(const struct kt_place *place)
{
	return place->staging + place->kept_bytes;
}

static kt_status place_all(struct kt_run_prepared *prepared, size_t *largest, struct kt_engine *e,
                           struct kt_arena *arena, size_t budget, struct kt_error *err)
{
	const struct kt_run_region *region = e->region;
	for (size_t p = 0; p < region->problem_count; p++) {
		struct kt_place *place = &e->places[p];
		TRY(new_place(place, arena, region, err));
		bool possible = place_problem(place, e, region, p, NULL);
		if (possible)
			place_sets(place, e, region->problems[p].check, budget);
		/* A second set is also where a reference is made again. */
		place->usable = place->sets >= 2 || (place->sets == 1 && place->kept_bytes <= KT_REFERENCE_BYTES);
		if (place->usable && has_alias(&region->problems[p], region->buffer_count))
			TRY(place_apart(place, e, arena, p, err));
		if (place->apart && most_of(place->apart) > budget)
			place->usable = false;
		if (!place->usable)
			place->unusable = kt_arena_printf(arena, "the buffers need %zu MiB, the device has %zu MiB to spare",
			                                  (place->stride + 2 * place->kept_bytes) >> 20, budget >> 20);
		if (place->usable && !e->offsets && has_offset(&region->problems[p], region->buffer_count)) {
			place->usable = false;
			place->unusable = "buffers of this device cannot begin at an offset";
		}
		prepared[p] = (struct kt_run_prepared){.skipped = !place->usable, .detail = place->unusable};
		if (!place->usable)
			continue;
		if (most_of(place) > *largest)
			*largest = most_of(place);
		if (place->apart && most_of(place->apart) > *largest)
			*largest = most_of(place->apart);
	}
	return KT_OK;
}

/* What the original was seen to do on a problem stays true where its buffers are elsewhere. */
static void take_over(struct kt_place *out, const struct kt_place *known, const struct kt_run_region *region)
{
	for (size_t b = 0; b < region->buffer_count; b++) {
		memcpy(out->spans[b].limits, known->spans[b].limits,
		       region->buffers[b].element->part_count * sizeof *out->spans[b].limits);
		out->spans[b].input_digest = known->spans[b].input_digest;
		out->spans[b].held_digest = known->spans[b].held_digest;
	}
	out->reference = known->reference;
	out->held = known->held;
	out->mask = known->mask;
	out->reference_marks = known->reference_marks;
	out->original_ns = known->original_ns;
	out->nondeterministic = known->nondeterministic;
	out->host_failed = known->host_failed;
}

/* As in place_all, of a problem whose buffers fitted; a reference that is not on the host takes a second set. */
static bool place_more(struct kt_place *place, struct kt_engine *e, const struct kt_place *known, size_t problem,
                       size_t budget)
{
	if (!place_problem(place, e, e->region, problem, NULL))
		return false;
	take_over(place, known, e->prepared_region);
	place_sets(place, e, e->region->problems[problem].check, budget);
	return place->sets >= 2 || (place->sets == 1 && place->reference);
}

/* The field's content is not in use, but without a field the runner cannot go on. */
static kt_status grow(struct kt_engine *e, size_t bytes, struct kt_error *err)
{
	const size_t before = e->field_bytes;
	struct kt_error ignored;
	kt_status status = kt_place_reserve(e, bytes, err);
	if (status) {
		e->fault->verdict = KT_VERDICT_OVER_LIMIT;
		e->fault->fatal = e->fault->fatal || kt_place_reserve(e, before, &ignored) != KT_OK;
	}
	return status;
}

kt_status kt_place_again(struct kt_engine *e, struct kt_arena *arena, const struct kt_place *known, const bool *asked,
                         struct kt_error *err)
{
	const struct kt_run_region *region = e->region;
	size_t budget = 0, largest = 0;
	kt_status status = e->ops->budget(&budget, e->state, err);
	budget = budget > KT_SHIFTS * e->align ? budget - KT_SHIFTS * e->align : 0;
	e->places = kt_arena_array(arena, region->problem_count, sizeof *e->places);
	if (!status && !e->places)
		status = kt_no_memory(err);
	for (size_t p = 0; !status && p < region->problem_count; p++) {
		struct kt_place *place = &e->places[p];
		status = new_place(place, arena, region, err);
		if (status)
			break;
		place->unusable = known[p].unusable;
		place->usable = known[p].usable && place_more(place, e, &known[p], p, budget);
		if (place->usable && most_of(place) > largest)
			largest = most_of(place);
		if (place->usable || !known[p].usable)
			continue;
		place->unusable = kt_arena_printf(arena, "with temporaries it needs %zu MiB, the device has %zu MiB to spare",
		                                  (place->stride + 2 * place->kept_bytes) >> 20, budget >> 20);
		if (!asked[p] || region->problems[p].check)
			continue;
		e->fault->verdict = KT_VERDICT_OVER_LIMIT;
		status = kt_fail(err, KT_ERR_CHILD, "%s: %s", region->problems[p].text, place->unusable);
	}
	return status || region->once ? status : grow(e, largest, err);
}

kt_status kt_place_region(struct kt_run_prepared *prepared, struct kt_engine *e, struct kt_arena *arena,
                          const struct kt_run_region *region, struct kt_error *err)
{
	size_t budget = 0, largest = 0, usable = 0;
	e->region = region;
	NEED(e->places = kt_arena_array(arena, region->problem_count, sizeof *e->places), kt_no_memory(err));
	kt_status status = e->ops->budget(&budget, e->state, err);
	/* The shifts take their part of it. */
	budget = budget > KT_SHIFTS * e->align ? budget - KT_SHIFTS * e->align : 0;
	THEN(status, place_all(prepared, &largest, e, arena, budget, err));
	for (size_t p = 0; !status && p < region->problem_count; p++)
		usable += e->places[p].usable && !region->problems[p].check;
	if (!status && !usable)
		return kt_fail(err, KT_ERR_INVALID, "no problem fits into the device's memory");
	if (status || region->once)
		return status;
	status = kt_place_reserve(e, largest, err);
	return status ? status : place_references(e, err);
}
