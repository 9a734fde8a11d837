#include "base/target.h"

#include <stddef.h>
#include <string.h>

static const char *const names[] = {KT_TARGETS(KT_TARGET_NAME)};
static const struct kt_target targets[] = {
    [KT_LANGUAGE_CUDA] = {.label = "CUDA",
                          .geometry = "grid(…) and block(…)",
                          .place = "write it above a __global__ function or above a launch",
                          .kernel = "__global__",
                          .has_host_code = true,
                          .has_compiler = true,
                          .has_cuda_words = true,
                          .has_warps = true,
                          .has_cache_hints = true,
                          .has_addresses = true},
    [KT_LANGUAGE_OPENCL] = {.language = KT_LANGUAGE_OPENCL,
                            .label = "OpenCL",
                            .suffix = ".cl",
                            .geometry = "global(…) and local(…)",
                            .place = "write it above a kernel function",
                            .kernel = "kernel",
                            .toolkit = "OpenCL",
                            .ordinal = "KTUNE_OPENCL_DEVICE"},
};

const char *kt_language_name(enum kt_language language)
{
	return names[language];
}

const struct kt_target *kt_target_of(enum kt_language language)
{
	return &targets[language];
}

const struct kt_target *kt_target_of_file(const char *path)
{
	const size_t length = strlen(path);

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
		const size_t suffix = targets[i].suffix != NULL ? strlen(targets[i].suffix) : 0;

		if (suffix > 0 && length > suffix && strcmp(path + length - suffix, targets[i].suffix) == 0)
			return &targets[i];
	}
	return &targets[KT_LANGUAGE_CUDA];
}
