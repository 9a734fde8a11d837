/*
 * The device record: what the runner reads from the driver, what a lock entry
 * names, what expressions see as device.*, and what feasibility is judged by.
 */
#ifndef KT_BASE_DEVICE_H
#define KT_BASE_DEVICE_H

#include "base/hash.h"
#include "base/json.h"

struct kt_device {
	/* Identity: these make the device key. */
	const char *vendor; /* "NVIDIA": CUDA. Others: OpenCL, where cc and memory_bus_bits are 0 */
	const char *name;   /* "NVIDIA H200" */
	int64_t cc;         /* compute capability × 10: 90 */
	int64_t multiprocessors;
	int64_t memory_bus_bits;
	int64_t l2_bytes;
	/* Limits. */
	int64_t warp_size;
	int64_t max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
	int64_t max_block[3], max_grid[3];
	int64_t shared_bytes_per_block, shared_bytes_per_block_optin, shared_bytes_per_multiprocessor;
	int64_t registers_per_block, registers_per_multiprocessor;
	int64_t memory_bytes;
	/* OpenCL only, 0 elsewhere: does it compute with the type, and in vectors of how many. */
	int64_t fp16, fp64, vector_f16, vector_f32, vector_f64;
	/* Provenance, not identity. */
	const char *uuid, *driver;
	int64_t core_khz, memory_khz;
};

/* Reads / writes {"vendor":…,"name":…,"cc":90,…}, members named as the fields. Strings go to arena. */
kt_status kt_device_read(struct kt_device *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
    KT_MUST_CHECK;
cJSON *kt_device_json(const struct kt_device *device);
/* The device key (hash of the identity fields). */
void kt_device_key(char out[KT_HASH_TEXT], const struct kt_device *device);
/* "NVIDIA H200" → "NVIDIA_H200-sm_90" ("-opencl" without a compute capability): the file name of a lock entry,
 * without ".json". */
char *kt_device_slug(struct kt_arena *arena, const struct kt_device *device);
/* Does `wanted` (one item of KTUNE_DEVICE: a name, a slug, or sm_XX) mean this device? Case-insensitive. */
bool kt_device_matches(const struct kt_device *device, const char *wanted);
/*
 * Value of the expression name "device.NAME"; false when there is none. A limit that the record leaves out is that
 * of its compute capability; 0 where that is not known either.
 */
bool kt_device_lookup(int64_t *value, const char *name, const struct kt_device *device);

/* The limits of "sm_90" and its like, without a product's identity; false when unknown. */
bool kt_device_by_architecture(struct kt_device *out, const char *name);
/* A device of which only the identity is known, with the limits of its architecture; false when those are unknown. */
bool kt_device_with_limits(struct kt_device *out, const struct kt_device *identity);

/*
 * Resident blocks per multiprocessor for one launch configuration, by the
 * granularities of the CUDA occupancy calculator (registers per warp rounded
 * to 256, shared memory to 128 bytes plus 1 KiB reserved from cc 8.0 on).
 */
int64_t kt_device_occupancy_blocks(const struct kt_device *device, int64_t threads, int64_t registers_per_thread,
                                   int64_t shared_bytes);

#endif
