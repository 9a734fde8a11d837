#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/session.h"

#define FIELD_SHARE 0.4 /* of the device's memory: nothing tells what is free */
#define HOST_SHARE 0.4  /* of the host's free memory, where the device uses it */

kt_status kt_ocl_budget(size_t *bytes, void *device, struct kt_error *err)
{
	const struct kt_ocl *s = device;
	double budget = (double)s->engine.device.memory_bytes * FIELD_SHARE;
	(void)err;
	if (s->unified) {
		double host = (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) * HOST_SHARE;
		budget = host < budget ? host : budget;
	}
	if (s->allocation_bytes && budget > (double)s->allocation_bytes)
		budget = (double)s->allocation_bytes;
	*bytes = (size_t)budget;
	return KT_OK;
}

/*
 * The last one first: NVIDIA's driver (580.159) keeps lists of sub-buffers that
 * overlap, and faults when they go in another order.
 */
static kt_status release_parts(struct kt_ocl *s, struct kt_error *err)
{
	kt_status status = KT_OK;
	while (!status && s->part_count)
		status = kt_ocl_check(s, s->cl.memory_release(s->parts[--s->part_count].handle), "releasing a sub-buffer", err);
	memset(s->part_of, 0, sizeof s->part_of);
	return status;
}

kt_status kt_ocl_part_room(struct kt_ocl *s, size_t count, struct kt_error *err)
{
	return count > KT_OCL_PARTS - s->part_count ? release_parts(s, err) : KT_OK;
}

static kt_status create(kt_cl_handle *out, struct kt_ocl *s, size_t bytes, struct kt_error *err)
{
	kt_cl_result result = 0;
	*out = s->cl.buffer_create(s->context, KT_CL_MEM_READ_WRITE, bytes, NULL, &result);
	return kt_ocl_check(s, result, "allocating buffers", err);
}

kt_status kt_ocl_reserve(void *device, size_t bytes, struct kt_error *err)
{
	struct kt_ocl *s = device;
	if (bytes <= s->field_bytes)
		return KT_OK;
	kt_status status = release_parts(s, err);
	if (!status && s->field_bytes)
		status = kt_ocl_check(s, s->cl.memory_release(s->field), "releasing buffers", err);
	s->field_bytes = 0;
	THEN(status, create(&s->field, s, bytes, err));
	if (!status)
		s->field_bytes = bytes;
	return status;
}

kt_status kt_ocl_lone(void *device, const size_t *bytes, size_t count, struct kt_error *err)
{
	struct kt_ocl *s = device;
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < KT_RUN_BUFFERS; b++) {
		if (s->lone[b])
			status = kt_ocl_check(s, s->cl.memory_release(s->lone[b]), "releasing a buffer", err);
		s->lone[b] = NULL;
	}
	for (size_t b = 0; !status && b < count; b++) {
		if (bytes[b])
			status = create(&s->lone[b], s, bytes[b], err);
	}
	return status;
}

kt_status kt_ocl_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err)
{
	struct kt_ocl *s = device;
	kt_ocl_forget_images(s);
	if (bytes > s->host_bytes) {
		free(s->host);
		s->host_bytes = 0;
		NEED(s->host = malloc(bytes), kt_no_memory(err));
		s->host_bytes = bytes;
	}
	*out = s->host;
	return KT_OK;
}

/* Where the number of this part is, or would be. */
static uint16_t *number_of(struct kt_ocl *s, kt_at at, size_t bytes)
{
	const size_t places = sizeof s->part_of / sizeof *s->part_of;
	size_t place = (size_t)(kt_data_mix(at ^ kt_data_mix(bytes)) % places);
	for (;; place = (place + 1) % places) {
		const uint16_t number = s->part_of[place];
		if (!number || (s->parts[number - 1].at == at && s->parts[number - 1].bytes == bytes))
			return &s->part_of[place];
	}
}

kt_status kt_ocl_part(kt_cl_handle *out, struct kt_ocl *s, kt_at at, size_t bytes, struct kt_error *err)
{
	size_t lone = (size_t)(at >> KT_AT_SHIFT);
	struct kt_cl_region region = {(size_t)at, bytes};
	kt_cl_result result = 0;
	*out = lone ? s->lone[lone - 1] : NULL;
	if (lone || !bytes)
		return KT_OK;
	uint16_t *number = number_of(s, at, bytes);
	if (!*number) {
		if (s->part_count == KT_OCL_PARTS)
			return kt_fail(err, KT_ERR_LIMIT, "more than %zu sub-buffers", (size_t)KT_OCL_PARTS);
		kt_cl_handle handle = s->cl.buffer_part(s->field, KT_CL_MEM_READ_WRITE, KT_CL_REGION, &region, &result);
		TRY(kt_ocl_check(s, result, "creating a sub-buffer", err));
		s->parts[s->part_count++] = (struct kt_ocl_part){(size_t)at, bytes, handle};
		*number = (uint16_t)s->part_count;
	}
	*out = s->parts[*number - 1].handle;
	return KT_OK;
}

static kt_cl_handle object_of(const struct kt_ocl *s, kt_at at)
{
	size_t lone = (size_t)(at >> KT_AT_SHIFT);
	return lone ? s->lone[lone - 1] : s->field;
}

kt_status kt_ocl_map(unsigned char **out, struct kt_ocl *s, kt_at at, size_t bytes, uint64_t flags,
                     struct kt_error *err)
{
	kt_cl_result result = 0;
	*out = s->cl.map(s->queue, object_of(s, at), 1, flags, (size_t)(at & KT_AT_OFFSET), bytes, 0, NULL, NULL, &result);
	return kt_ocl_check(s, result, "mapping buffers", err);
}

kt_status kt_ocl_unmap(struct kt_ocl *s, kt_at at, void *address, struct kt_error *err)
{
	kt_status status =
	    kt_ocl_check(s, s->cl.unmap(s->queue, object_of(s, at), address, 0, NULL, NULL), "unmapping", err);
	return status ? status : kt_ocl_check(s, s->cl.finish(s->queue), "unmapping", err);
}
