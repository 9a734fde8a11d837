#include <stdlib.h>
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

static kt_status release_parts(struct kt_ocl *s, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < KT_OCL_PARTS; i++) {
		kt_cl_handle part = s->parts[i].handle;
		s->parts[i].handle = NULL;
		if (part)
			status = kt_ocl_check(s, s->cl.memory_release(part), "releasing a sub-buffer", err);
	}
	return status;
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
	if (!status)
		status = create(&s->field, s, bytes, err);
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
		s->host = malloc(bytes);
		if (!s->host)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
		s->host_bytes = bytes;
	}
	*out = s->host;
	return KT_OK;
}

/*
 * The slot of a sub-buffer: where it is, else a free one, else that of the one
 * that was not used for longest, which no argument of this launch is.
 */
static struct kt_ocl_part *slot_of(struct kt_ocl *s, kt_at at, size_t bytes)
{
	struct kt_ocl_part *best = NULL;
	size_t first = (size_t)(kt_data_mix(at) % KT_OCL_PARTS);
	for (size_t i = 0; i < KT_OCL_PROBES; i++) {
		struct kt_ocl_part *part = &s->parts[(first + i) % KT_OCL_PARTS];
		if (part->handle && part->at == at && part->bytes == bytes)
			return part;
		if (!best || (best->handle && (!part->handle || part->used < best->used)))
			best = part;
	}
	return best;
}

kt_status kt_ocl_part(kt_cl_handle *out, struct kt_ocl *s, kt_at at, size_t bytes, struct kt_error *err)
{
	size_t lone = (size_t)(at >> KT_AT_SHIFT);
	struct kt_cl_region region = {(size_t)at, bytes};
	kt_cl_result result = 0;
	kt_status status = KT_OK;
	*out = lone ? s->lone[lone - 1] : NULL;
	if (lone || !bytes)
		return KT_OK;
	struct kt_ocl_part *part = slot_of(s, at, bytes);
	if (part->handle && (part->at != at || part->bytes != bytes)) {
		status = kt_ocl_check(s, s->cl.memory_release(part->handle), "releasing a sub-buffer", err);
		part->handle = NULL;
	}
	if (!status && !part->handle) {
		part->handle = s->cl.buffer_part(s->field, KT_CL_MEM_READ_WRITE, KT_CL_REGION, &region, &result);
		status = kt_ocl_check(s, result, "creating a sub-buffer", err);
		part->at = (size_t)at;
		part->bytes = bytes;
	}
	part->used = ++s->clock;
	*out = part->handle;
	return status;
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
	kt_status status = kt_ocl_check(s, s->cl.unmap(s->queue, object_of(s, at), address, 0, NULL, NULL), "unmapping", err);
	return status ? status : kt_ocl_check(s, s->cl.finish(s->queue), "unmapping", err);
}
