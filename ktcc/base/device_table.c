/*
 * Limits by compute capability, for judging a space without the device: CUDA C++ Programming Guide, "Compute
 * Capabilities", tables "Feature Support" and "Technical Specifications" (13.0). What differs between products of one
 * capability (name, multiprocessors, bus, L2) is unknown here and zero.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/device.h"

static const struct {
	int cc;
	int threads_sm, blocks_sm;
	int shared_sm_kib, shared_block_optin_kib;
} limits[] = {
    {75, 1024, 16, 64, 64},   {80, 2048, 32, 164, 163}, {86, 1536, 16, 100, 99},   {87, 1536, 16, 164, 163},
    {89, 1536, 24, 100, 99},  {90, 2048, 32, 228, 227}, {100, 2048, 32, 228, 227}, {103, 2048, 32, 228, 227},
    {120, 1536, 24, 100, 99},
};

bool kt_device_by_architecture(struct kt_device *out, const char *name)
{
	char *end;
	long cc;

	if (strncasecmp(name, "sm_", 3) != 0)
		return false;
	cc = strtol(name + 3, &end, 10);
	if (end == name + 3 || *end != '\0')
		return false;
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		if (limits[i].cc != cc)
			continue;
		*out = (struct kt_device){
		    .vendor = "NVIDIA",
		    .name = "",
		    .cc = cc,
		    .warp_size = 32,
		    .max_threads_per_block = 1024,
		    .max_threads_per_multiprocessor = limits[i].threads_sm,
		    .max_blocks_per_multiprocessor = limits[i].blocks_sm,
		    .max_block = {1024, 1024, 64},
		    .max_grid = {2147483647, 65535, 65535},
		    .shared_bytes_per_block = 48 << 10,
		    .shared_bytes_per_block_optin = (int64_t)limits[i].shared_block_optin_kib << 10,
		    .shared_bytes_per_multiprocessor = (int64_t)limits[i].shared_sm_kib << 10,
		    .registers_per_block = 65536,
		    .registers_per_multiprocessor = 65536,
		    .uuid = "",
		    .driver = "",
		};
		return true;
	}
	return false;
}

bool kt_device_with_limits(struct kt_device *out, const struct kt_device *identity)
{
	char name[32];

	(void)snprintf(name, sizeof name, "sm_%lld", (long long)identity->cc);
	if (!kt_device_by_architecture(out, name))
		return false;
	out->vendor = identity->vendor;
	out->name = identity->name;
	out->multiprocessors = identity->multiprocessors;
	out->memory_bus_bits = identity->memory_bus_bits;
	out->l2_bytes = identity->l2_bytes;
	return true;
}
