/*
 * Headers that replace others while kernels are lowered: unsaved files in the folder of clang's own headers, so
 * that what they declare is of the system.
 */
#include "lower_internal.h"

#include <string.h>

#include "base/fs.h"
#include "declared.h"

/* There `threadIdx.x` is a property without a type that cursors show, here it is a field. */
static const char builtin_variables[] =
    "#ifndef __CUDA_BUILTIN_VARS_H\n"
    "#define __CUDA_BUILTIN_VARS_H\n"
    "struct uint3;\n"
    "struct dim3;\n"
    "#define KT_AXES(name, convert) struct __cuda_builtin_##name##_t { unsigned x, y, z; \\\n"
    "__attribute__((device)) operator dim3() const; __attribute__((device)) operator uint3() const; }; \\\n"
    "extern const __attribute__((device)) __cuda_builtin_##name##_t name;\n"
    "KT_AXES(threadIdx, uint3)\n"
    "KT_AXES(blockIdx, uint3)\n"
    "KT_AXES(blockDim, dim3)\n"
    "KT_AXES(gridDim, dim3)\n"
    "#undef KT_AXES\n"
    "__attribute__((device)) const int warpSize = 32;\n"
    "#endif\n";

/*
 * Attributes that cursors show no text of become annotations, with macros expanded. Functions of the toolkit that clang
 * does not declare (the lists: tests/golden/lower/Inputs/declared.cu) are declared.
 */
static const char device_functions[] =
    "#pragma GCC system_header\n"
    "#undef __launch_bounds__\n"
    "#undef __forceinline__\n"
    "#undef __noinline__\n"
    "#define KT_LOWER_TEXT(...) #__VA_ARGS__\n"
    "#define __launch_bounds__(...) __attribute__((annotate(\"" KT_LOWER_BOUNDS
    "(\" KT_LOWER_TEXT(__VA_ARGS__) \")\")))\n"
    "#define __forceinline__ __inline__ __attribute__((always_inline, annotate(\"" KT_LOWER_INLINE "\")))\n"
    "#define __noinline__ __attribute__((noinline, annotate(\"" KT_LOWER_NOINLINE "\")))\n"
    KT_DECLARED_ACCESSES "#define KT_D __attribute__((device))\n"
    "KT_D unsigned __reduce_add_sync(unsigned, unsigned); KT_D int __reduce_add_sync(unsigned, int);\n"
    "KT_D unsigned __reduce_min_sync(unsigned, unsigned); KT_D int __reduce_min_sync(unsigned, int);\n"
    "KT_D unsigned __reduce_max_sync(unsigned, unsigned); KT_D int __reduce_max_sync(unsigned, int);\n"
    "KT_D unsigned __reduce_and_sync(unsigned, unsigned); KT_D unsigned __reduce_or_sync(unsigned, unsigned);\n"
    "KT_D unsigned __reduce_xor_sync(unsigned, unsigned);\n"
    "KT_D float2 atomicAdd(float2 *, float2); KT_D float4 atomicAdd(float4 *, float4); KT_D float __tanhf(float);\n"
    "#undef KT_D\n";

static const char builtin_name[] = "__clang_cuda_builtin_vars.h", wrapper_name[] = "__clang_cuda_runtime_wrapper.h";

struct found_file {
	struct kt_scan *scan;
	const char *path;
};

static bool is_wrapper(const char *path)
{
	const size_t length = path == NULL ? 0 : strlen(path), size = strlen(wrapper_name);

	return length > size && path[length - size - 1] == '/' && strcmp(path + length - size, wrapper_name) == 0;
}

static void find_wrapper(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct found_file *found = data;
	const char *path = kt_clang_text(found->scan->arena, kt_clang.getFileName(file));

	(void)stack;
	(void)depth;
	if (is_wrapper(path))
		found->path = path;
}

bool kt_lower_headers(struct CXUnsavedFile files[KT_LOWER_HEADERS], struct kt_scan *scan)
{
	struct found_file found = {scan, NULL};
	char *folder;

	kt_clang.getInclusions(scan->unit, find_wrapper, &found);
	for (size_t i = 0; found.path == NULL && i < scan->system_file_count; i++)
		if (is_wrapper(scan->system_files[i]))
			found.path = scan->system_files[i];
	folder = found.path == NULL ? NULL : kt_path_dirname(scan->arena, found.path);
	if (folder == NULL)
		return false;
	files[0] = (struct CXUnsavedFile){kt_path_join(scan->arena, folder, builtin_name), builtin_variables,
					  sizeof builtin_variables - 1};
	files[1] = (struct CXUnsavedFile){kt_path_join(scan->arena, folder, KT_LOWER_DEVICE_HEADER), device_functions,
					  sizeof device_functions - 1};
	return files[0].Filename != NULL && files[1].Filename != NULL;
}
