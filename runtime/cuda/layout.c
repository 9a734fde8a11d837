#include "cuda/session.h"

#include <string.h>

static size_t aligned(size_t bytes)
{
	return (bytes + KT_BUFFER_ALIGN - 1) / KT_BUFFER_ALIGN * KT_BUFFER_ALIGN;
}

kt_cu_address kt_layout_buffer(const struct kt_session *s, size_t problem, size_t set, size_t buffer)
{
	const struct kt_place *place = &s->places[problem];
	return s->field + set * place->stride + place->offsets[buffer];
}

/* Offsets in a set; segments gets the canaries: before and behind each buffer. */
static bool place_problem(struct kt_place *place, struct kt_segment *segments, const struct kt_run_region *region,
                          size_t problem)
{
	size_t cursor = 0;
	const size_t most = SIZE_MAX / 8;
	for (size_t b = 0; b < region->buffer_count; b++) {
		size_t element = kt_scalar_bytes(region->buffers[b].element);
		int64_t count = region->problems[problem].data[b].count;
		if (count < 0 || element == 0 || (uint64_t)count > most / element)
			return false;
		size_t bytes = (size_t)count * element;
		place->offsets[b] = cursor + KT_CANARY_BYTES;
		place->bytes[b] = bytes;
		segments[2 * b] = (struct kt_segment){cursor, KT_CANARY_BYTES};
		size_t end = place->offsets[b] + bytes;
		cursor = aligned(end) + KT_CANARY_BYTES;
		segments[2 * b + 1] = (struct kt_segment){end, cursor - end};
		if (kt_is_output(region->buffers[b].direction)) {
			place->kept[b] = place->kept_bytes;
			place->kept_bytes += aligned(bytes);
		}
		place->has_inout = place->has_inout || region->buffers[b].direction == KT_INOUT;
		if (cursor > most || place->kept_bytes > most)
			return false;
	}
	place->stride = cursor ? cursor : KT_BUFFER_ALIGN;
	return true;
}

/* Sets past three times the cache, at least two, as many as the budget allows. */
static size_t sets_for(const struct kt_session *s, const struct kt_place *place, size_t budget)
{
	size_t l2 = s->device.l2_bytes > 0 ? (size_t)s->device.l2_bytes : (size_t)32 << 20;
	size_t wanted = (3 * l2 + place->stride - 1) / place->stride + 1;
	size_t possible = 2 * place->kept_bytes < budget ? (budget - 2 * place->kept_bytes) / place->stride : 0;
	if (wanted < 2)
		wanted = 2;
	if (wanted > KT_SETS)
		wanted = KT_SETS;
	return wanted < possible ? wanted : possible;
}

static kt_status budget_now(size_t *budget, struct kt_session *s, struct kt_error *err)
{
	size_t free_bytes = 0, total = 0;
	kt_status status = kt_session_check(s, s->cu.memory_info(&free_bytes, &total), "reading free memory", err);
	if (!status)
		*budget = (size_t)((double)(free_bytes + s->field_bytes) * KT_FIELD_SHARE);
	return status;
}

static kt_status reserve_references(struct kt_session *s, size_t wanted, struct kt_error *err)
{
	if (wanted <= s->references_bytes)
		return KT_OK;
	if (s->references) {
		kt_status status = kt_session_check(s, s->cu.host_free(s->references), "freeing references", err);
		if (status)
			return status;
		s->references = NULL;
		s->references_bytes = 0;
	}
	kt_status status = kt_session_check(s, s->cu.host_alloc((void **)&s->references, wanted, 0),
	                                    "allocating references", err);
	if (!status)
		s->references_bytes = wanted;
	return status;
}

/* Host memory for references, in the order of the problems while it lasts; the others are made again. */
static kt_status place_references(struct kt_session *s, struct kt_error *err)
{
	size_t used = 0, count = s->region->problem_count;
	for (size_t p = 0; p < count; p++) {
		if (s->places[p].usable && s->places[p].kept_bytes <= KT_REFERENCE_BYTES - used)
			used += s->places[p].kept_bytes;
	}
	kt_status status = reserve_references(s, used ? used : KT_BUFFER_ALIGN, err);
	if (status)
		return status;
	used = 0;
	for (size_t p = 0; p < count; p++) {
		struct kt_place *place = &s->places[p];
		place->reference = NULL;
		if (place->usable && place->kept_bytes <= KT_REFERENCE_BYTES - used) {
			place->reference = s->references + used;
			used += place->kept_bytes;
		}
	}
	return KT_OK;
}

static kt_status upload_segments(struct kt_session *s, const struct kt_segment *segments, struct kt_error *err)
{
	size_t row = 2 * s->region->buffer_count * sizeof *segments, all = row * s->region->problem_count;
	if (!all)
		return KT_OK;
	kt_status status = kt_session_reserve(s, &s->segments, &s->segments_bytes, all, "allocating tables", err);
	if (status)
		return status;
	for (size_t p = 0; p < s->region->problem_count; p++)
		s->places[p].segments = s->segments + p * row;
	status = kt_session_check(s, s->cu.to_device(s->segments, segments, all, s->stream), "writing tables", err);
	return status ? status : kt_session_wait(s, s->limit_s, "writing tables", err);
}

kt_status kt_layout_region(struct kt_run_prepared *prepared, struct kt_session *s, struct kt_arena *arena,
                           const struct kt_run_region *region, struct kt_error *err)
{
	size_t budget = 0, largest = 0, usable = 0;
	struct kt_place *places = kt_arena_array(arena, region->problem_count, sizeof *places);
	struct kt_segment *segments =
	    kt_arena_array(arena, region->problem_count * region->buffer_count * 2 + 1, sizeof *segments);
	if (!places || !segments)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = budget_now(&budget, s, err);
	if (status)
		return status;
	s->region = region;
	s->places = places;
	for (size_t p = 0; p < region->problem_count; p++) {
		struct kt_place *place = &places[p];
		if (place_problem(place, segments + p * region->buffer_count * 2, region, p))
			place->sets = sets_for(s, place, budget);
		/* A second set is also where a reference is made again. */
		place->usable = place->sets >= 2 || (place->sets == 1 && place->kept_bytes <= KT_REFERENCE_BYTES);
		if (!place->usable) {
			prepared[p].skipped = true;
			prepared[p].detail = kt_arena_printf(
			    arena, "the buffers need %zu MiB, the device has %zu MiB to spare",
			    (place->stride + 2 * place->kept_bytes) >> 20, budget >> 20);
			continue;
		}
		usable++;
		place->snapshot = aligned(place->sets * place->stride);
		place->staging = place->snapshot + place->kept_bytes;
		if (place->staging + place->kept_bytes > largest)
			largest = place->staging + place->kept_bytes;
	}
	if (!usable)
		return kt_fail(err, KT_ERR_INVALID, "no problem fits into the device's memory");
	status = kt_session_reserve(s, &s->field, &s->field_bytes, largest, "allocating buffers", err);
	if (status)
		return status;
	status = upload_segments(s, segments, err);
	return status ? status : place_references(s, err);
}
