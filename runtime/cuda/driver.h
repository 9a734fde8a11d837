/*
 * The CUDA driver API, loaded at run time. Only what the runner calls is
 * declared, with the driver's own names and ABI, so that neither building nor
 * starting needs CUDA on the machine.
 */
#ifndef KT_RUNTIME_CUDA_DRIVER_H
#define KT_RUNTIME_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int kt_cu_result; /* 0: success */
typedef int kt_cu_device;
typedef unsigned long long kt_cu_address;
typedef void *kt_cu_handle; /* context, module, function, stream, event */

enum {
	KT_CU_INVALID_VALUE = 1,
	KT_CU_OUT_OF_MEMORY = 2,
	KT_CU_INVALID_IMAGE = 200,
	KT_CU_NO_BINARY = 209,
	KT_CU_NOT_FOUND = 500,
	KT_CU_NOT_READY = 600,
	KT_CU_ILLEGAL_ADDRESS = 700,
	KT_CU_OUT_OF_RESOURCES = 701,
	KT_CU_TIMEOUT = 702,
	KT_CU_ASSERT = 710,
	KT_CU_LAUNCH_FAILED = 719,
	KT_CU_TOO_LARGE = 720,
};

enum {
	KT_CU_FUNC_MAX_THREADS = 0,
	KT_CU_FUNC_SHARED_BYTES = 1,
	KT_CU_FUNC_LOCAL_BYTES = 3,
	KT_CU_FUNC_REGISTERS = 4,
	KT_CU_FUNC_MAX_DYNAMIC_SHARED = 8,
	KT_CU_FUNC_SHARED_PERCENT = 9,
	KT_CU_STREAM_NON_BLOCKING = 1,
	KT_CU_HOST_MAPPED = 2,
};

struct kt_cu_uuid {
	unsigned char bytes[16];
};

/* member, symbol, result, parameters */
#define KT_CU_SYMBOLS(X) \
	X(init, "cuInit", (unsigned flags)) \
	X(driver_version, "cuDriverGetVersion", (int *version)) \
	X(error_name, "cuGetErrorName", (kt_cu_result error, const char **text)) \
	X(device_get, "cuDeviceGet", (kt_cu_device * device, int ordinal)) \
	X(device_count, "cuDeviceGetCount", (int *count)) \
	X(device_name, "cuDeviceGetName", (char *name, int size, kt_cu_device device)) \
	X(device_uuid, "cuDeviceGetUuid", (struct kt_cu_uuid * uuid, kt_cu_device device)) \
	X(device_memory, "cuDeviceTotalMem_v2", (size_t *bytes, kt_cu_device device)) \
	X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, kt_cu_device device)) \
	X(context_retain, "cuDevicePrimaryCtxRetain", (kt_cu_handle * context, kt_cu_device device)) \
	X(context_set, "cuCtxSetCurrent", (kt_cu_handle context)) \
	X(memory_info, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *total_bytes)) \
	X(alloc, "cuMemAlloc_v2", (kt_cu_address * out, size_t bytes)) \
	X(free, "cuMemFree_v2", (kt_cu_address address)) \
	X(host_alloc, "cuMemHostAlloc", (void **out, size_t bytes, unsigned flags)) \
	X(host_free, "cuMemFreeHost", (void *memory)) \
	X(host_address, "cuMemHostGetDevicePointer_v2", (kt_cu_address * out, void *memory, unsigned flags)) \
	X(to_device, "cuMemcpyHtoDAsync_v2", \
	  (kt_cu_address to, const void *from, size_t bytes, kt_cu_handle stream)) \
	X(to_host, "cuMemcpyDtoHAsync_v2", (void *to, kt_cu_address from, size_t bytes, kt_cu_handle stream)) \
	X(on_device, "cuMemcpyDtoDAsync_v2", \
	  (kt_cu_address to, kt_cu_address from, size_t bytes, kt_cu_handle stream)) \
	X(set_bytes, "cuMemsetD8Async", \
	  (kt_cu_address to, unsigned char value, size_t bytes, kt_cu_handle stream)) \
	X(set_words, "cuMemsetD32Async", (kt_cu_address to, unsigned value, size_t count, kt_cu_handle stream)) \
	X(stream_create, "cuStreamCreate", (kt_cu_handle * stream, unsigned flags)) \
	X(stream_query, "cuStreamQuery", (kt_cu_handle stream)) \
	X(stream_after, "cuStreamWaitEvent", (kt_cu_handle stream, kt_cu_handle event, unsigned flags)) \
	X(event_create, "cuEventCreate", (kt_cu_handle * event, unsigned flags)) \
	X(event_query, "cuEventQuery", (kt_cu_handle event)) \
	X(event_record, "cuEventRecord", (kt_cu_handle event, kt_cu_handle stream)) \
	X(event_elapsed, "cuEventElapsedTime", (float *milliseconds, kt_cu_handle start, kt_cu_handle end)) \
	X(module_load, "cuModuleLoad", (kt_cu_handle * module, const char *path)) \
	X(module_unload, "cuModuleUnload", (kt_cu_handle module)) \
	X(module_function, "cuModuleGetFunction", \
	  (kt_cu_handle * function, kt_cu_handle module, const char *name)) \
	X(module_global, "cuModuleGetGlobal_v2", \
	  (kt_cu_address * out, size_t * bytes, kt_cu_handle module, const char *name)) \
	X(function_get, "cuFuncGetAttribute", (int *value, int attribute, kt_cu_handle function)) \
	X(function_set, "cuFuncSetAttribute", (kt_cu_handle function, int attribute, int value)) \
	X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
	  (int *blocks, kt_cu_handle function, int threads, size_t dynamic_shared)) \
	X(launch, "cuLaunchKernel", \
	  (kt_cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
	   unsigned block_y, unsigned block_z, unsigned shared_bytes, kt_cu_handle stream, void **arguments, \
	   void **extra)) \
	X(context_synchronize, "cuCtxSynchronize", (void))

/* Those that older drivers lack; NULL there. */
#define KT_CU_OPTIONAL(X) \
	X(reset_persisting, "cuCtxResetPersistingL2Cache", (void)) \
	X(instance_uuid, "cuDeviceGetUuid_v2", (struct kt_cu_uuid * uuid, kt_cu_device device))

struct kt_cu {
	void *library;
#define KT_CU_MEMBER(member, symbol, parameters) kt_cu_result(*member) parameters;
	KT_CU_SYMBOLS(KT_CU_MEMBER)
	KT_CU_OPTIONAL(KT_CU_MEMBER)
#undef KT_CU_MEMBER
};

/* Loads libcuda.so.1 and every symbol, then cuInit. KT_ERR_MISSING: no driver, or no device. */
kt_status kt_cu_load(struct kt_cu *out, struct kt_error *err) KT_MUST_CHECK;
/* "CUDA_ERROR_ILLEGAL_ADDRESS"; never NULL. */
const char *kt_cu_name(const struct kt_cu *cu, kt_cu_result result);
/* KT_OK for 0, else KT_ERR_CHILD with "what: CUDA_ERROR_…". */
kt_status kt_cu_check(const struct kt_cu *cu, kt_cu_result result, const char *what, struct kt_error *err)
    KT_MUST_CHECK;
/* Past this error nothing works in this process any more: the context is lost. */
int kt_cu_sticky(kt_cu_result result);

#endif
