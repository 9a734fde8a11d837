#include <string.h>

#include "cuda/session.h"

#define FIELD(member) offsetof(struct kt_device, member)

/* Driver attribute, member, required. */
static const struct {
	int attribute;
	size_t offset;
	bool required;
} attributes[] = {
    {1, FIELD(max_threads_per_block), true},
    {2, FIELD(max_block[0]), true},
    {3, FIELD(max_block[1]), true},
    {4, FIELD(max_block[2]), true},
    {5, FIELD(max_grid[0]), true},
    {6, FIELD(max_grid[1]), true},
    {7, FIELD(max_grid[2]), true},
    {8, FIELD(shared_bytes_per_block), true},
    {10, FIELD(warp_size), true},
    {12, FIELD(registers_per_block), true},
    {13, FIELD(core_khz), false},
    {16, FIELD(multiprocessors), true},
    {36, FIELD(memory_khz), false},
    {37, FIELD(memory_bus_bits), false},
    {38, FIELD(l2_bytes), true},
    {39, FIELD(max_threads_per_multiprocessor), true},
    {81, FIELD(shared_bytes_per_multiprocessor), true},
    {82, FIELD(registers_per_multiprocessor), true},
    {97, FIELD(shared_bytes_per_block_optin), true},
    {106, FIELD(max_blocks_per_multiprocessor), true},
};

static const char *uuid_text(struct kt_arena *arena, const char *kind, const struct kt_cu_uuid *uuid)
{
	const unsigned char *b = uuid->bytes;
	return kt_arena_printf(arena,
	                       "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", kind, b[0], b[1],
	                       b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
	                       b[15]);
}

/* What the driver API does not tell; absent in some containers. */
static void ask_nvml(struct kt_device *out, struct kt_nvml *nvml, const char *gpu, struct kt_arena *arena)
{
	char text[96] = "";
	unsigned mhz = 0;
	kt_nvml_open(nvml, gpu);
	if (!nvml->library)
		return;
	if (nvml->driver(text, sizeof text) == 0 && *text)
		out->driver = kt_arena_strdup(arena, text);
	if (nvml->device && nvml->max_clock(nvml->device, KT_NVML_CLOCK_SM, &mhz) == 0)
		out->core_khz = (int64_t)mhz * 1000;
	if (nvml->device && nvml->max_clock(nvml->device, KT_NVML_CLOCK_MEMORY, &mhz) == 0)
		out->memory_khz = (int64_t)mhz * 1000;
}

kt_status kt_cuda_device(struct kt_device *out, struct kt_nvml *nvml, struct kt_arena *arena, const struct kt_cu *cu,
                         kt_cu_device device, struct kt_error *err)
{
	*out = (struct kt_device){.vendor = "NVIDIA"};
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
		int value = 0;
		kt_cu_result result = cu->device_attribute(&value, attributes[i].attribute, device);
		if (result && attributes[i].required)
			return kt_cu_check(cu, result, "reading a device attribute", err);
		if (!result)
			*(int64_t *)((char *)out + attributes[i].offset) = value;
	}
	int major = 0, minor = 0, version = 0;
	char name[256] = "";
	size_t memory = 0;
	struct kt_cu_uuid uuid = {{0}}, instance;
	const char *gpu;
	const struct {
		kt_cu_result result;
		const char *what;
	} steps[] = {
	    {cu->device_attribute(&major, 75, device), "reading the compute capability"},
	    {cu->device_attribute(&minor, 76, device), "reading the compute capability"},
	    {cu->device_name(name, sizeof name, device), "reading the device's name"},
	    {cu->device_memory(&memory, device), "reading the device's memory"},
	    {cu->device_uuid(&uuid, device), "reading the device's uuid"},
	    {cu->driver_version(&version), "reading the driver's version"},
	};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		TRY(kt_cu_check(cu, steps[i].result, steps[i].what, err));
	}
	name[sizeof name - 1] = 0;
	out->cc = major * 10 + minor;
	out->memory_bytes = (int64_t)memory;
	out->name = kt_arena_strdup(arena, name);
	out->uuid = gpu = uuid_text(arena, "GPU", &uuid);
	/* The instance of a divided GPU is a separate device; its clocks are those of the GPU. */
	if (cu->instance_uuid != NULL && cu->instance_uuid(&instance, device) == 0 &&
	    memcmp(&instance, &uuid, sizeof uuid) != 0)
		out->uuid = uuid_text(arena, "MIG", &instance);
	out->driver = kt_arena_printf(arena, "CUDA %d.%d", version / 1000, version % 1000 / 10);
	if (!out->name || !out->uuid || !out->driver)
		return kt_no_memory(err);
	ask_nvml(out, nvml, gpu, arena);
	return out->driver ? KT_OK : kt_no_memory(err);
}
