#include "cuda.h"

#include "base/fs.h"
#include "base/toolkit.h"
#include "declared.h"

#include <string.h>

/*
 * Clang includes these when it reads CUDA. The first (up to clang 21) left the toolkit with release 13, the second
 * is of cuRAND, which nvcc needs not. Our file of the first name declares what clang lacks, before all that uses it.
 */
static const struct {
	const char *name, *text;
} absent[] = {{"texture_fetch_functions.h", "#pragma GCC system_header\n" KT_DECLARED_ACCESSES}, {"curand_mtgp32_kernel.h", ""}};

/* The folder of the toolkit's headers, whether it is known to be one or not: libclang reports what is missing. */
static char *headers_of(struct kt_arena *arena, const char *toolkit)
{
	char *headers = kt_toolkit_headers(arena, toolkit);

	return headers != NULL ? headers : kt_path_join(arena, toolkit, "include");
}

/*
 * The folder of the replacement headers. It is not that of the toolkit's headers. Clang drops a folder that it already has
 * under another name, as "targets/x86_64-linux/include" of FindCUDAToolkit is, and would look for the files under that name.
 * Clang takes a folder without "bin" for no toolkit, and there are no headers in it.
 */
static char *stand_in_folder(struct kt_arena *arena, const char *toolkit)
{
	return kt_path_join(arena, toolkit, "bin");
}

static bool add_each(struct kt_arena *arena, const char ***list, size_t *count, const char *const *items,
		     size_t item_count)
{
	for (size_t i = 0; i < item_count; i++) {
		if (!kt_arena_push_text(arena, list, count, items[i]))
			return false;
	}
	return true;
}

const char **kt_cuda_arguments(struct kt_arena *arena, size_t *count, const struct kt_cuda_reading *reading,
			       const char *const *more, size_t more_count)
{
	const char *headers = headers_of(arena, reading->toolkit);
	/* Clang does not look where headers lie with a target. */
	const char *const first[] = {
	    "-x",
	    "cuda",
	    "-Wno-unknown-cuda-version",
	    "-Wno-everything",
	    "-ferror-limit=0",
	    "-fno-spell-checking",
	    reading->host ? "--cuda-host-only" : "--cuda-device-only",
	    kt_arena_printf(arena, "--cuda-path=%s", reading->toolkit),
	    kt_arena_printf(arena, "--cuda-gpu-arch=sm_%ld", reading->arch > 90 ? 90 : reading->arch),
	    "-iquote",
	    stand_in_folder(arena, reading->toolkit),
	    "-isystem",
	    headers,
	};
	/*
	 * To clang, a toolkit without libraries for device code is none, but it only reads here. It then has to be told
	 * a release: the one since which launches are read as they are today.
	 */
	static const char *const without_libraries[] = {"-nocudalib", "-Xclang", "-target-sdk-version=9.2"};
	const char *const last[] = {"-isystem", headers != NULL ? kt_path_join(arena, headers, "cccl") : NULL};
	const char *const own[] = {"-idirafter", kt_cuda_host_headers(arena)};
	const char *const resources[] = {"-resource-dir", kt_clang_resources(arena)};
	const char **list = NULL;
	char *libraries = kt_path_join(arena, reading->toolkit, "nvvm/libdevice");
	size_t without = libraries == NULL || kt_fs_is_dir(libraries) ? 0 : 3;

	*count = 0;
	return add_each(arena, &list, count, first, sizeof first / sizeof *first) &&
		       add_each(arena, &list, count, resources, resources[1] != NULL ? 2 : 0) &&
		       add_each(arena, &list, count, without_libraries, without) &&
		       add_each(arena, &list, count, more, more_count) &&
		       add_each(arena, &list, count, last, sizeof last / sizeof *last) &&
		       add_each(arena, &list, count, own, own[1] != NULL ? 2 : 0)
		   ? list
		   : NULL;
}

unsigned kt_cuda_stand_ins(struct CXUnsavedFile files[KT_CUDA_STAND_INS], struct kt_arena *arena, const char *toolkit)
{
	char *folder = headers_of(arena, toolkit), *place = stand_in_folder(arena, toolkit);
	unsigned count = 0;

	for (size_t i = 0; folder != NULL && place != NULL && i < sizeof absent / sizeof *absent; i++) {
		char *real = kt_path_join(arena, folder, absent[i].name), *path = kt_path_join(arena, place, absent[i].name);

		if (real != NULL && path != NULL && !kt_fs_is_file(real))
			files[count++] = (struct CXUnsavedFile){path, absent[i].text, strlen(absent[i].text)};
	}
	return count;
}

bool kt_cuda_shadowed(struct CXUnsavedFile *file, struct kt_arena *arena, const char *toolkit, const char *directory,
		      const char *const *arguments, size_t argument_count)
{
	const char *headers = headers_of(arena, toolkit), *place = stand_in_folder(arena, toolkit);
	bool found = false;

	for (size_t i = 0; i < argument_count && !found; i++) {
		const char *folder = strncmp(arguments[i], "-I", 2) != 0 ? NULL
				     : arguments[i][2] != '\0'           ? arguments[i] + 2
				     : i + 1 < argument_count            ? arguments[i + 1]
									 : NULL;
		const char *path = folder != NULL ? kt_path_join(arena, folder, "cuda.h") : NULL;

		path = path != NULL ? kt_path_absolute(arena, path, directory) : NULL;
		found = path != NULL && kt_fs_is_file(path);
	}
	if (!found || headers == NULL || place == NULL)
		return false;
	file->Filename = kt_path_join(arena, place, "cuda.h");
	file->Contents = kt_arena_printf(arena,
					 "#ifndef __KTUNE_CUDA_H__\n#define __KTUNE_CUDA_H__\n#include \"%s/cuda.h\"\n"
					 "#else\n#include_next \"cuda.h\"\n#endif\n",
					 headers);
	file->Length = file->Contents != NULL ? strlen(file->Contents) : 0;
	return file->Filename != NULL && file->Contents != NULL;
}
