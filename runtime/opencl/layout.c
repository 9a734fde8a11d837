#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/session.h"

#define FIELD_SHARE 0.4 /* of the device's memory: nothing tells what is free */
#define GPU_CACHE_BYTES ((size_t)64 << 20) /* least that is taken for a cache where a driver may mean another level */
#define HOST_SHARE 0.4  /* of the host's free memory, where the device uses it */

static size_t aligned(const struct kt_ocl *s, size_t bytes)
{
	return (bytes + s->align - 1) / s->align * s->align;
}

/* Offsets in a set: a buffer stands between two canaries. */
static bool place_problem(struct kt_ocl_place *place, const struct kt_ocl *s, const struct kt_run_region *region,
                          size_t problem)
{
	size_t cursor = 0, canary = aligned(s, KT_OCL_CANARY_BYTES);
	const size_t most = SIZE_MAX / 8;
	for (size_t b = 0; b < region->buffer_count; b++) {
		size_t element = kt_scalar_bytes(region->buffers[b].element);
		int64_t count = region->problems[problem].data[b].count;
		if (count < 0 || element == 0 || (uint64_t)count > most / element)
			return false;
		place->bytes[b] = (size_t)count * element;
		place->offsets[b] = cursor + canary;
		cursor = aligned(s, place->offsets[b] + place->bytes[b]) + canary;
		if (kt_ocl_is_output(region->buffers[b].direction)) {
			place->kept[b] = place->kept_bytes;
			place->kept_bytes += aligned(s, place->bytes[b]);
		}
		place->has_inout = place->has_inout || region->buffers[b].direction == KT_INOUT;
		if (cursor > most || place->kept_bytes > most)
			return false;
	}
	place->stride = cursor ? cursor : s->align;
	return true;
}

/* Sets past three times the cache, at least two where they fit. */
static size_t sets_for(const struct kt_ocl *s, const struct kt_ocl_place *place, size_t budget)
{
	size_t cache = s->device.l2_bytes > 0 ? (size_t)s->device.l2_bytes : (size_t)32 << 20;
	if (!s->unified && cache < GPU_CACHE_BYTES)
		cache = GPU_CACHE_BYTES;
	size_t wanted = (3 * cache + place->stride - 1) / place->stride + 1, possible = budget / place->stride;
	if (wanted < 2)
		wanted = 2;
	if (wanted > KT_OCL_SETS)
		wanted = KT_OCL_SETS;
	return wanted < possible ? wanted : possible;
}

static size_t budget_of(const struct kt_ocl *s)
{
	double budget = (double)s->device.memory_bytes * FIELD_SHARE;
	if (s->unified) {
		double host = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) * HOST_SHARE;
		budget = host < budget ? host : budget;
	}
	if (s->allocation_bytes && budget > (double)s->allocation_bytes)
		budget = (double)s->allocation_bytes;
	return (size_t)budget;
}

static kt_status release_parts(struct kt_ocl *s, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t set = 0; set < KT_OCL_SETS; set++) {
		for (size_t b = 0; b < KT_OCL_BUFFERS; b++) {
			kt_cl_handle part = s->parts[set][b];
			s->parts[set][b] = NULL;
			if (part && !status)
				status = kt_ocl_check(s, s->cl.memory_release(part), "releasing a sub-buffer", err);
		}
	}
	s->parts_problem = SIZE_MAX;
	return status;
}

kt_status kt_ocl_part(kt_cl_handle *out, struct kt_ocl *s, size_t problem, size_t set, size_t buffer,
                      struct kt_error *err)
{
	const struct kt_ocl_place *place = &s->places[problem];
	struct kt_cl_region region = {set * place->stride + place->offsets[buffer], place->bytes[buffer]};
	kt_cl_result result = 0;
	kt_status status = s->parts_problem == problem ? KT_OK : release_parts(s, err);
	s->parts_problem = problem;
	if (!status && region.size && !s->parts[set][buffer]) {
		s->parts[set][buffer] =
		    s->cl.buffer_part(s->field, KT_CL_MEM_READ_WRITE, KT_CL_REGION, &region, &result);
		status = kt_ocl_check(s, result, "creating a sub-buffer", err);
	}
	*out = s->parts[set][buffer];
	return status;
}

static kt_status reserve_field(struct kt_ocl *s, size_t bytes, struct kt_error *err)
{
	kt_cl_result result = 0;
	kt_status status = release_parts(s, err);
	if (status || bytes <= s->field_bytes)
		return status;
	if (s->field_bytes) {
		s->field_bytes = 0;
		status = kt_ocl_check(s, s->cl.memory_release(s->field), "releasing buffers", err);
		if (status)
			return status;
	}
	s->field = s->cl.buffer_create(s->context, KT_CL_MEM_READ_WRITE, bytes, NULL, &result);
	status = kt_ocl_check(s, result, "allocating buffers", err);
	if (!status)
		s->field_bytes = bytes;
	return status;
}

static kt_status reserve_host(unsigned char **memory, size_t *bytes, size_t wanted, struct kt_error *err)
{
	if (wanted <= *bytes)
		return KT_OK;
	free(*memory);
	*bytes = 0;
	*memory = malloc(wanted);
	if (!*memory)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	*bytes = wanted;
	return KT_OK;
}

/* Host memory: references of all problems, then images of the inputs while there is some left. */
static kt_status place_host(struct kt_run_prepared *prepared, struct kt_ocl *s, struct kt_error *err)
{
	size_t count = s->region->problem_count, used = 0, snapshot = 0;
	for (size_t p = 0; p < count; p++) {
		struct kt_ocl_place *place = &s->places[p];
		if (place->usable && place->kept_bytes > KT_OCL_HOST_BYTES - used) {
			place->usable = false;
			prepared[p] = (struct kt_run_prepared){.skipped = true,
			                                       .detail = "not enough host memory for the reference"};
		}
		if (!place->usable)
			continue;
		used += place->kept_bytes;
		snapshot = place->kept_bytes > snapshot ? place->kept_bytes : snapshot;
	}
	size_t images = used;
	for (size_t p = 0; p < count; p++) {
		if (s->places[p].usable && s->places[p].stride <= KT_OCL_HOST_BYTES - images)
			images += s->places[p].stride;
	}
	kt_status status = reserve_host(&s->host, &s->host_bytes, images ? images : 1, err);
	if (!status)
		status = reserve_host(&s->snapshot, &s->snapshot_bytes, snapshot ? snapshot : 1, err);
	if (status)
		return status;
	unsigned char *reference = s->host, *image = s->host + used, *end = s->host + images;
	for (size_t p = 0; p < count; p++) {
		struct kt_ocl_place *place = &s->places[p];
		if (!place->usable)
			continue;
		place->reference = reference;
		reference += place->kept_bytes;
		if (place->stride <= (size_t)(end - image)) {
			place->image = image;
			image += place->stride;
		}
	}
	return KT_OK;
}

/* Inputs as the problem wants them; a reset copies them instead of making each number again. */
static void fill_images(struct kt_ocl *s)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		const struct kt_ocl_place *place = &s->places[p];
		for (size_t b = 0; place->usable && place->image && b < s->region->buffer_count; b++) {
			const struct kt_run_buffer *buffer = &s->region->buffers[b];
			if (buffer->direction == KT_IN || buffer->direction == KT_INOUT)
				kt_data_fill(place->image + place->offsets[b], buffer->element,
				             &s->region->problems[p].data[b]);
		}
	}
}

kt_status kt_ocl_layout(struct kt_run_prepared *prepared, struct kt_ocl *s, struct kt_arena *arena,
                        const struct kt_run_region *region, struct kt_error *err)
{
	size_t budget = budget_of(s), largest = 0, usable = 0;
	struct kt_ocl_place *places = kt_arena_array(arena, region->problem_count, sizeof *places);
	if (!places)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	s->region = region;
	s->places = places;
	for (size_t p = 0; p < region->problem_count; p++) {
		struct kt_ocl_place *place = &places[p];
		if (place_problem(place, s, region, p))
			place->sets = sets_for(s, place, budget);
		place->usable = place->sets > 0;
		if (!place->usable) {
			prepared[p].skipped = true;
			prepared[p].detail = kt_arena_printf(arena, "the buffers need %zu MiB, the device has %zu MiB to spare",
			                                     place->stride >> 20, budget >> 20);
		} else if (place->sets * place->stride > largest) {
			largest = place->sets * place->stride;
		}
	}
	kt_status status = largest ? reserve_field(s, largest, err) : KT_OK;
	if (!status)
		status = place_host(prepared, s, err);
	for (size_t p = 0; !status && p < region->problem_count; p++)
		usable += places[p].usable;
	if (!status && !usable)
		return kt_fail(err, KT_ERR_INVALID, "no problem fits into the device's memory");
	if (!status)
		fill_images(s);
	return status;
}
