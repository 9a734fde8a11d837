#include "opencl/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *symbol;
	size_t offset;
} symbols[] = {
#define KT_CL_ROW(member, result, symbol, parameters) {symbol, offsetof(struct kt_cl, member)},
    KT_CL_SYMBOLS(KT_CL_ROW)
#undef KT_CL_ROW
};

static const struct {
	kt_cl_result result;
	const char *name;
} names[] = {
    {KT_CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
    {KT_CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
    {KT_CL_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {KT_CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
    {KT_CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {KT_CL_BUILD_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
    {KT_CL_EXECUTION_FAILED, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {KT_CL_INVALID_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
    {KT_CL_INVALID_BINARY, "CL_INVALID_BINARY"},
    {KT_CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
    {KT_CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM"},
    {KT_CL_INVALID_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {KT_CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
    {KT_CL_INVALID_KERNEL_DEFINITION, "CL_INVALID_KERNEL_DEFINITION"},
    {KT_CL_INVALID_ARGUMENT_INDEX, "CL_INVALID_ARG_INDEX"},
    {KT_CL_INVALID_ARGUMENT_VALUE, "CL_INVALID_ARG_VALUE"},
    {KT_CL_INVALID_ARGUMENT_SIZE, "CL_INVALID_ARG_SIZE"},
    {KT_CL_INVALID_ARGUMENTS, "CL_INVALID_KERNEL_ARGS"},
    {KT_CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
    {KT_CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
    {KT_CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
    {KT_CL_INVALID_GLOBAL_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {KT_CL_NVIDIA_FAULT, "illegal access (-9999)"},
    {KT_CL_PLATFORM_NOT_FOUND, "CL_PLATFORM_NOT_FOUND_KHR"},
};

kt_status kt_cl_load(struct kt_cl *out, struct kt_error *err)
{
	memset(out, 0, sizeof *out);
	out->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!out->library)
		return kt_fail(err, KT_ERR_MISSING, "no OpenCL loader (package ocl-icd-libopencl1): %s", dlerror());
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		/* A tool that watches kernels is loaded before the loader: what is in the process already comes first. */
		void *address = dlsym(RTLD_DEFAULT, symbols[i].symbol);
		if (!address)
			address = dlsym(out->library, symbols[i].symbol);
		if (!address)
			return kt_fail(err, KT_ERR_MISSING, "the OpenCL loader has no %s", symbols[i].symbol);
		/* Object to function pointer: POSIX promises the sizes, C has no cast for it. */
		memcpy((char *)out + symbols[i].offset, &address, sizeof address);
	}
	return KT_OK;
}

const char *kt_cl_name(kt_cl_result result)
{
	static char text[32];
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (names[i].result == result)
			return names[i].name;
	}
	(void)snprintf(text, sizeof text, "error %d", (int)result);
	return text;
}

kt_status kt_cl_check(kt_cl_result result, const char *what, struct kt_error *err)
{
	return result ? kt_fail(err, KT_ERR_CHILD, "%s: %s", what, kt_cl_name(result)) : KT_OK;
}
