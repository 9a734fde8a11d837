/*
 * The OpenCL API, loaded at run time through the ICD loader. Only what the
 * runner calls is declared, with the specification's own names and ABI, so
 * that neither building nor starting needs OpenCL on the machine.
 */
#ifndef KT_RUNTIME_OPENCL_DRIVER_H
#define KT_RUNTIME_OPENCL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef int32_t kt_cl_result; /* 0: success */
typedef void *kt_cl_handle;   /* platform, device, context, queue, memory, program, kernel, event */

enum {
	KT_CL_DEVICE_NOT_FOUND = -1,
	KT_CL_COMPILER_NOT_AVAILABLE = -3,
	KT_CL_ALLOCATION_FAILURE = -4,
	KT_CL_OUT_OF_RESOURCES = -5,
	KT_CL_OUT_OF_HOST_MEMORY = -6,
	KT_CL_BUILD_FAILURE = -11,
	KT_CL_EXECUTION_FAILED = -14,
	KT_CL_INVALID_QUEUE = -36,
	KT_CL_INVALID_BINARY = -42,
	KT_CL_INVALID_BUILD_OPTIONS = -43,
	KT_CL_INVALID_PROGRAM = -44,
	KT_CL_INVALID_EXECUTABLE = -45,
	KT_CL_INVALID_KERNEL_NAME = -46,
	KT_CL_INVALID_KERNEL_DEFINITION = -47,
	KT_CL_INVALID_ARGUMENT_INDEX = -49,
	KT_CL_INVALID_ARGUMENT_VALUE = -50,
	KT_CL_INVALID_ARGUMENT_SIZE = -51,
	KT_CL_INVALID_ARGUMENTS = -52,
	KT_CL_INVALID_WORK_GROUP_SIZE = -54,
	KT_CL_INVALID_WORK_ITEM_SIZE = -55,
	KT_CL_INVALID_BUFFER_SIZE = -61,
	KT_CL_INVALID_GLOBAL_SIZE = -63,
	KT_CL_PLATFORM_NOT_FOUND = -1001,
	KT_CL_NVIDIA_FAULT = -9999, /* an illegal access, outside the specification */
};

enum {
	KT_CL_TYPE_CPU = 2,
	KT_CL_TYPE_GPU = 4,
	KT_CL_TYPE_ACCELERATOR = 8,
	KT_CL_QUEUE_PROFILING = 2,
	KT_CL_MEM_READ_WRITE = 1,
	KT_CL_MAP_READ = 1,
	KT_CL_MAP_WRITE = 2,
	KT_CL_REGION = 0x1220,
	KT_CL_COMPLETE = 0,
};

/* What the info functions are asked for. */
enum {
	KT_CL_DEVICE_COMPUTE_UNITS = 0x1002,
	KT_CL_DEVICE_WORK_GROUP_SIZE = 0x1004,
	KT_CL_DEVICE_WORK_ITEM_SIZES = 0x1005,
	KT_CL_DEVICE_CLOCK_MHZ = 0x100C,
	KT_CL_DEVICE_ALLOCATION_BYTES = 0x1010,
	KT_CL_DEVICE_ADDRESS_ALIGN_BITS = 0x1019,
	KT_CL_DEVICE_CACHE_BYTES = 0x101E,
	KT_CL_DEVICE_MEMORY_BYTES = 0x101F,
	KT_CL_DEVICE_LOCAL_BYTES = 0x1023,
	KT_CL_DEVICE_NAME = 0x102B,
	KT_CL_DEVICE_VENDOR = 0x102C,
	KT_CL_DRIVER_VERSION = 0x102D,
	KT_CL_DEVICE_VERSION = 0x102F,
	KT_CL_DEVICE_EXTENSIONS = 0x1030,
	KT_CL_DEVICE_UNIFIED_MEMORY = 0x1035,
	KT_CL_DEVICE_VECTOR_F32 = 0x103A,
	KT_CL_DEVICE_VECTOR_F64 = 0x103B,
	KT_CL_DEVICE_VECTOR_F16 = 0x103C,
	KT_CL_DEVICE_MULTIPLE = 0x1067,
	KT_CL_PROGRAM_LOG = 0x1183,
	KT_CL_KERNEL_ARGUMENTS = 0x1191,
	KT_CL_KERNEL_WORK_GROUP_SIZE = 0x11B0,
	KT_CL_KERNEL_FIXED_SIZE = 0x11B1,
	KT_CL_KERNEL_LOCAL_BYTES = 0x11B2,
	KT_CL_KERNEL_PRIVATE_BYTES = 0x11B4,
	KT_CL_EVENT_STATUS = 0x11D3,
	KT_CL_EVENT_START = 0x1282,
	KT_CL_EVENT_END = 0x1283,
};

struct kt_cl_region {
	size_t origin, size;
};

/* member, result, symbol, parameters */
#define KT_CL_SYMBOLS(X) \
	X(platforms, kt_cl_result, "clGetPlatformIDs", (uint32_t room, kt_cl_handle *out, uint32_t *count)) \
	X(devices, kt_cl_result, "clGetDeviceIDs", \
	  (kt_cl_handle platform, uint64_t type, uint32_t room, kt_cl_handle *out, uint32_t *count)) \
	X(device_info, kt_cl_result, "clGetDeviceInfo", \
	  (kt_cl_handle device, uint32_t what, size_t room, void *out, size_t *size)) \
	X(context_create, kt_cl_handle, "clCreateContext", \
	  (const intptr_t *properties, uint32_t count, const kt_cl_handle *devices, \
	   void (*notify)(const char *, const void *, size_t, void *), void *data, kt_cl_result *result)) \
	X(queue_create, kt_cl_handle, "clCreateCommandQueue", \
	  (kt_cl_handle context, kt_cl_handle device, uint64_t properties, kt_cl_result *result)) \
	X(buffer_create, kt_cl_handle, "clCreateBuffer", \
	  (kt_cl_handle context, uint64_t flags, size_t bytes, void *host, kt_cl_result *result)) \
	X(buffer_part, kt_cl_handle, "clCreateSubBuffer", \
	  (kt_cl_handle buffer, uint64_t flags, uint32_t type, const struct kt_cl_region *region, \
	   kt_cl_result *result)) \
	X(memory_release, kt_cl_result, "clReleaseMemObject", (kt_cl_handle memory)) \
	X(map, void *, "clEnqueueMapBuffer", \
	  (kt_cl_handle queue, kt_cl_handle buffer, uint32_t blocking, uint64_t flags, size_t offset, size_t bytes, \
	   uint32_t waits, const kt_cl_handle *wait, kt_cl_handle *event, kt_cl_result *result)) \
	X(unmap, kt_cl_result, "clEnqueueUnmapMemObject", \
	  (kt_cl_handle queue, kt_cl_handle memory, void *address, uint32_t waits, const kt_cl_handle *wait, \
	   kt_cl_handle *event)) \
	X(copy, kt_cl_result, "clEnqueueCopyBuffer", \
	  (kt_cl_handle queue, kt_cl_handle from, kt_cl_handle to, size_t from_offset, size_t to_offset, size_t bytes, \
	   uint32_t waits, const kt_cl_handle *wait, kt_cl_handle *event)) \
	X(program_source, kt_cl_handle, "clCreateProgramWithSource", \
	  (kt_cl_handle context, uint32_t count, const char **texts, const size_t *sizes, kt_cl_result *result)) \
	X(program_binary, kt_cl_handle, "clCreateProgramWithBinary", \
	  (kt_cl_handle context, uint32_t count, const kt_cl_handle *devices, const size_t *sizes, \
	   const unsigned char **binaries, kt_cl_result *each, kt_cl_result *result)) \
	X(program_build, kt_cl_result, "clBuildProgram", \
	  (kt_cl_handle program, uint32_t count, const kt_cl_handle *devices, const char *options, \
	   void (*notify)(kt_cl_handle, void *), void *data)) \
	X(build_info, kt_cl_result, "clGetProgramBuildInfo", \
	  (kt_cl_handle program, kt_cl_handle device, uint32_t what, size_t room, void *out, size_t *size)) \
	X(program_release, kt_cl_result, "clReleaseProgram", (kt_cl_handle program)) \
	X(kernel_create, kt_cl_handle, "clCreateKernel", \
	  (kt_cl_handle program, const char *name, kt_cl_result *result)) \
	X(kernel_release, kt_cl_result, "clReleaseKernel", (kt_cl_handle kernel)) \
	X(kernel_info, kt_cl_result, "clGetKernelInfo", \
	  (kt_cl_handle kernel, uint32_t what, size_t room, void *out, size_t *size)) \
	X(kernel_device_info, kt_cl_result, "clGetKernelWorkGroupInfo", \
	  (kt_cl_handle kernel, kt_cl_handle device, uint32_t what, size_t room, void *out, size_t *size)) \
	X(kernel_argument, kt_cl_result, "clSetKernelArg", \
	  (kt_cl_handle kernel, uint32_t index, size_t bytes, const void *value)) \
	X(launch, kt_cl_result, "clEnqueueNDRangeKernel", \
	  (kt_cl_handle queue, kt_cl_handle kernel, uint32_t dimensions, const size_t *offset, const size_t *global, \
	   const size_t *local, uint32_t waits, const kt_cl_handle *wait, kt_cl_handle *event)) \
	X(flush, kt_cl_result, "clFlush", (kt_cl_handle queue)) \
	X(finish, kt_cl_result, "clFinish", (kt_cl_handle queue)) \
	X(event_info, kt_cl_result, "clGetEventInfo", \
	  (kt_cl_handle event, uint32_t what, size_t room, void *out, size_t *size)) \
	X(event_profile, kt_cl_result, "clGetEventProfilingInfo", \
	  (kt_cl_handle event, uint32_t what, size_t room, void *out, size_t *size)) \
	X(event_release, kt_cl_result, "clReleaseEvent", (kt_cl_handle event))

struct kt_cl {
	void *library;
#define KT_CL_MEMBER(member, result, symbol, parameters) result(*member) parameters;
	KT_CL_SYMBOLS(KT_CL_MEMBER)
#undef KT_CL_MEMBER
};

/* Loads libOpenCL.so.1 and every symbol. KT_ERR_MISSING: no ICD loader. */
kt_status kt_cl_load(struct kt_cl *out, struct kt_error *err) KT_MUST_CHECK;
/* "CL_OUT_OF_RESOURCES", or "error -9999"; the text lives until the next call. */
const char *kt_cl_name(kt_cl_result result);
/* KT_OK for 0, else KT_ERR_CHILD with "what: CL_…". */
kt_status kt_cl_check(kt_cl_result result, const char *what, struct kt_error *err) KT_MUST_CHECK;

#endif
