#include <stdlib.h>
#include <string.h>

#include "opencl/session.h"

#define PLATFORMS 16
#define DEVICES 64
#define TEXT_BYTES ((size_t)64 << 10)

uint64_t kt_ocl_device_number(const struct kt_cl *cl, kt_cl_handle device, uint32_t what, size_t bytes)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;
	if (bytes == sizeof narrow)
		return cl->device_info(device, what, sizeof narrow, &narrow, NULL) ? 0 : narrow;
	return cl->device_info(device, what, sizeof wide, &wide, NULL) ? 0 : wide;
}

kt_status kt_ocl_find_device(kt_cl_handle *out, const struct kt_cl *cl, int ordinal, struct kt_error *err)
{
	static const uint64_t types[] = {KT_CL_TYPE_GPU, KT_CL_TYPE_ACCELERATOR, KT_CL_TYPE_CPU};
	kt_cl_handle platforms[PLATFORMS], devices[DEVICES];
	uint32_t platform_count = 0;
	size_t seen = 0;
	kt_cl_result result = cl->platforms(PLATFORMS, platforms, &platform_count);
	if (result || platform_count == 0)
		return kt_fail(err, KT_ERR_MISSING, "no OpenCL platform (on a CPU: package pocl-opencl-icd)");
	if (platform_count > PLATFORMS)
		platform_count = PLATFORMS;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		for (uint32_t p = 0; p < platform_count; p++) {
			uint32_t count = 0;
			if (cl->devices(platforms[p], types[t], DEVICES, devices, &count))
				continue;
			if (count > DEVICES)
				count = DEVICES;
			if ((size_t)ordinal < seen + count) {
				*out = devices[(size_t)ordinal - seen];
				return KT_OK;
			}
			seen += count;
		}
	}
	return seen ? kt_fail(err, KT_ERR_MISSING, "no OpenCL device %d, there are %zu", ordinal, seen)
	            : kt_fail(err, KT_ERR_MISSING, "no OpenCL device");
}

/* A text of the device without blanks around it; NULL when it has none or memory is out. */
static const char *device_text(struct kt_arena *arena, const struct kt_cl *cl, kt_cl_handle device, uint32_t what)
{
	size_t size = 0;
	if (cl->device_info(device, what, 0, NULL, &size) || size < 2 || size > TEXT_BYTES)
		return NULL;
	char *text = kt_arena_alloc(arena, size + 1);
	if (!text || cl->device_info(device, what, size, text, NULL))
		return NULL;
	for (size_t length = strlen(text); length && text[length - 1] == ' '; length--)
		text[length - 1] = 0;
	return text + strspn(text, " ");
}

/* Is the word one of the blank-separated words of the list? */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = list; at && (at = strstr(at, word)); at += length) {
		if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
			return true;
	}
	return false;
}

#define FIELD(member) offsetof(struct kt_device, member)

/* The device's answer, its width, the member, and the factor to the member's unit. */
static const struct {
	uint32_t what;
	size_t bytes, offset;
	int64_t factor;
} numbers[] = {
    {KT_CL_DEVICE_COMPUTE_UNITS, 4, FIELD(multiprocessors), 1},
    {KT_CL_DEVICE_CACHE_BYTES, 8, FIELD(l2_bytes), 1},
    {KT_CL_DEVICE_WORK_GROUP_SIZE, sizeof(size_t), FIELD(max_threads_per_block), 1},
    {KT_CL_DEVICE_WORK_GROUP_SIZE, sizeof(size_t), FIELD(max_threads_per_multiprocessor), 1},
    {KT_CL_DEVICE_LOCAL_BYTES, 8, FIELD(shared_bytes_per_block), 1},
    {KT_CL_DEVICE_LOCAL_BYTES, 8, FIELD(shared_bytes_per_block_optin), 1},
    {KT_CL_DEVICE_LOCAL_BYTES, 8, FIELD(shared_bytes_per_multiprocessor), 1},
    {KT_CL_DEVICE_MEMORY_BYTES, 8, FIELD(memory_bytes), 1},
    {KT_CL_DEVICE_CLOCK_MHZ, 4, FIELD(core_khz), 1000},
    {KT_CL_DEVICE_VECTOR_F16, 4, FIELD(vector_f16), 1},
    {KT_CL_DEVICE_VECTOR_F32, 4, FIELD(vector_f32), 1},
    {KT_CL_DEVICE_VECTOR_F64, 4, FIELD(vector_f64), 1},
};

kt_status kt_ocl_device(struct kt_device *out, struct kt_arena *arena, const struct kt_cl *cl, kt_cl_handle device,
                        struct kt_error *err)
{
	size_t items[16] = {0};
	*out = (struct kt_device){.max_blocks_per_multiprocessor = 1, .uuid = ""};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		uint64_t value = kt_ocl_device_number(cl, device, numbers[i].what, numbers[i].bytes);
		*(int64_t *)((char *)out + numbers[i].offset) =
		    value > (uint64_t)INT64_MAX / 1000 ? INT64_MAX / 1000 : (int64_t)value * numbers[i].factor;
	}
	const char *extensions = device_text(arena, cl, device, KT_CL_DEVICE_EXTENSIONS);
	const char *driver = device_text(arena, cl, device, KT_CL_DRIVER_VERSION);
	const char *version = device_text(arena, cl, device, KT_CL_DEVICE_VERSION);
	out->vendor = device_text(arena, cl, device, KT_CL_DEVICE_VENDOR);
	out->name = device_text(arena, cl, device, KT_CL_DEVICE_NAME);
	if (!out->vendor || !out->name || out->multiprocessors < 1 || out->max_threads_per_block < 1)
		return kt_fail(err, KT_ERR_CHILD, "the OpenCL device does not report its kind");
	out->driver = kt_arena_printf(arena, "%s, driver %s", version ? version : "OpenCL", driver ? driver : "unknown");
	out->fp16 = has_word(extensions, "cl_khr_fp16");
	out->fp64 = has_word(extensions, "cl_khr_fp64");
	out->warp_size = (int64_t)kt_ocl_device_number(cl, device, KT_CL_DEVICE_MULTIPLE, sizeof(size_t));
	if (out->warp_size < 1)
		out->warp_size = 1;
	if (!out->fp16)
		out->vector_f16 = 0;
	/* Work-items beyond the third dimension are of no use here. */
	if (cl->device_info(device, KT_CL_DEVICE_WORK_ITEM_SIZES, sizeof items, items, NULL))
		items[0] = items[1] = items[2] = (size_t)out->max_threads_per_block;
	for (size_t i = 0; i < 3; i++) {
		out->max_block[i] = items[i] > INT32_MAX ? INT32_MAX : (int64_t)items[i];
		out->max_grid[i] = INT32_MAX;
	}
	return out->driver ? KT_OK : kt_no_memory(err);
}
