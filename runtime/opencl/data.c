#include <stdlib.h>
#include <string.h>

#include "opencl/session.h"

void kt_ocl_forget_images(struct kt_ocl *s)
{
	for (size_t i = 0; i < s->image_count; i++)
		free(s->images[i].bytes);
	s->image_count = s->image_bytes = 0;
}

/* Of a buffer, from its begin to the end of the last of `count` numbers. */
static size_t bytes_of(const struct kt_lanes *lanes, size_t count)
{
	return (count + lanes->width - 1) / lanes->width * lanes->step * kt_scalar_bytes(lanes->scalar);
}

/* What this fill comes to, made now or before; NULL: there is no room to keep it. */
static const unsigned char *image_of(struct kt_ocl *s, const struct kt_lanes *lanes, const struct kt_run_data *data,
                                     size_t bytes)
{
	if (!kt_data_is_dense(lanes) || data->kind == KT_FILL_CHOICE || data->kind == KT_FILL_FILE)
		return NULL;
	for (size_t i = 0; i < s->image_count; i++) {
		const struct kt_ocl_image *image = &s->images[i];
		const struct kt_run_data *d = &image->data;
		if (image->scalar == lanes->scalar && d->count == data->count && d->kind == data->kind && d->seed == data->seed &&
		    memcmp(&d->a, &data->a, sizeof d->a) == 0 && memcmp(&d->b, &data->b, sizeof d->b) == 0)
			return image->bytes;
	}
	if (s->image_count == KT_OCL_IMAGES || bytes > KT_OCL_IMAGE_BYTES - s->image_bytes)
		return NULL;
	unsigned char *made = malloc(bytes);
	if (!made)
		return NULL;
	kt_data_fill(made, lanes, data);
	s->images[s->image_count++] = (struct kt_ocl_image){lanes->scalar, *data, made};
	s->image_bytes += bytes;
	return made;
}

kt_status kt_ocl_fill(void *device, kt_at at, const struct kt_lanes *lanes, const struct kt_run_data *data,
                      struct kt_error *err)
{
	struct kt_ocl *s = device;
	size_t bytes = bytes_of(lanes, (size_t)data->count);
	const unsigned char *image = image_of(s, lanes, data, bytes);
	unsigned char *memory = NULL;
	/* What is between the numbers of a part is another's, and stays. */
	const uint64_t flags = kt_data_is_dense(lanes) ? KT_CL_MAP_WRITE : KT_CL_MAP_READ | KT_CL_MAP_WRITE;
	TRY(kt_ocl_map(&memory, s, at, bytes, flags, err));
	if (image)
		memcpy(memory, image, bytes);
	else
		kt_data_fill(memory, lanes, data);
	return kt_ocl_unmap(s, at, memory, err);
}

kt_status kt_ocl_poison(void *device, kt_at at, size_t bytes, size_t stride, size_t sets, uint64_t seed,
                        struct kt_error *err)
{
	struct kt_ocl *s = device;
	kt_status status = KT_OK;
	for (size_t set = 0; !status && set < sets; set++) {
		unsigned char *memory = NULL;
		status = kt_ocl_map(&memory, s, at + set * stride, bytes, KT_CL_MAP_WRITE, err);
		if (status)
			break;
		kt_data_poison(memory, bytes, seed);
		status = kt_ocl_unmap(s, at + set * stride, memory, err);
	}
	return status;
}

static void count_damage(struct kt_result *out, const unsigned char *set, const struct kt_zones *zones, uint64_t seed)
{
	for (uint64_t z = 0; z < zones->count; z++) {
		size_t damage = kt_data_damage(set + zones->zone[z].offset, (size_t)zones->zone[z].bytes, seed + 2 * z);
		out->zones += damage;
		if (damage && ~z > out->zone)
			out->zone = ~z;
	}
}

kt_status kt_ocl_zones(void *device, bool check, kt_at at, size_t stride, size_t sets, const struct kt_zones *zones,
                       uint64_t seed, struct kt_error *err)
{
	struct kt_ocl *s = device;
	unsigned char *memory = NULL;
	uint64_t flags = check ? KT_CL_MAP_READ : KT_CL_MAP_READ | KT_CL_MAP_WRITE;
	TRY(kt_ocl_map(&memory, s, at, sets * stride, flags, err));
	for (size_t set = 0; set < sets; set++) {
		if (check)
			count_damage(&s->results[KT_RUN_BUFFERS], memory + set * stride, zones, seed);
		for (uint64_t z = 0; !check && z < zones->count; z++)
			kt_data_zone(memory + set * stride + zones->zone[z].offset, (size_t)zones->zone[z].bytes, seed + 2 * z);
	}
	return kt_ocl_unmap(s, at, memory, err);
}

kt_status kt_ocl_digest(void *device, size_t slot, kt_at at, size_t bytes, size_t stride, size_t sets,
                        struct kt_error *err)
{
	struct kt_ocl *s = device;
	kt_status status = KT_OK;
	for (size_t set = 0; !status && set < sets; set++) {
		unsigned char *memory = NULL;
		status = kt_ocl_map(&memory, s, at + set * stride, bytes, KT_CL_MAP_READ, err);
		if (status)
			break;
		s->results[slot].digest += kt_data_digest(memory, bytes, slot);
		status = kt_ocl_unmap(s, at + set * stride, memory, err);
	}
	return status;
}

kt_status kt_ocl_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                         const struct kt_lanes *lanes, const struct kt_data_tolerance *tolerance, struct kt_error *err)
{
	struct kt_ocl *s = device;
	size_t bytes = bytes_of(lanes, count);
	unsigned char *mine = NULL, *other = NULL;
	kt_status status = kt_ocl_map(&mine, s, got, bytes, KT_CL_MAP_READ, err);
	if (status)
		return status;
	if (!want_host)
		status = kt_ocl_map(&other, s, want, bytes, KT_CL_MAP_READ, err);
	if (!status)
		kt_data_compare(&s->results[slot], mine, want_host ? want_host : other, count, lanes, tolerance);
	if (!status && !want_host)
		status = kt_ocl_unmap(s, want, other, err);
	/* Of two failures the first one counts. */
	struct kt_error second;
	const kt_status unmapped = kt_ocl_unmap(s, got, mine, status ? &second : err);
	return status ? status : unmapped;
}

kt_status kt_ocl_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err)
{
	struct kt_ocl *s = device;
	return kt_ocl_check(s,
	                    s->cl.copy(s->queue, s->field, s->field, (size_t)from, (size_t)to, bytes, 0, NULL, NULL),
	                    "copying", err);
}

kt_status kt_ocl_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err)
{
	struct kt_ocl *s = device;
	unsigned char *memory = NULL;
	TRY(kt_ocl_map(&memory, s, to, bytes, KT_CL_MAP_WRITE, err));
	memcpy(memory, from, bytes);
	return kt_ocl_unmap(s, to, memory, err);
}

kt_status kt_ocl_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err)
{
	struct kt_ocl *s = device;
	unsigned char *memory = NULL;
	TRY(kt_ocl_map(&memory, s, from, bytes, KT_CL_MAP_READ, err));
	memcpy(to, memory, bytes);
	return kt_ocl_unmap(s, from, memory, err);
}

kt_status kt_ocl_clear(void *device, struct kt_error *err)
{
	struct kt_ocl *s = device;
	(void)err;
	memset(s->results, 0, sizeof s->results);
	return KT_OK;
}

kt_status kt_ocl_keep(void *device, size_t page, struct kt_error *err)
{
	struct kt_ocl *s = device;
	(void)err;
	memcpy(s->pages[page], s->results, sizeof s->results);
	return KT_OK;
}

kt_status kt_ocl_wait_all(void *device, double limit_s, struct kt_error *err)
{
	struct kt_ocl *s = device;
	(void)limit_s;
	return kt_ocl_check(s, s->cl.finish(s->queue), "checking", err);
}
