#include "cuda.h"

#include "base/fs.h"

/* Clang up to 21 includes it when it reads CUDA. */
#define ABSENT "texture_fetch_functions.h"

/*
 * The stand-in's folder. Not the toolkit's headers': clang drops a folder that it has under another name already, as
 * "targets/x86_64-linux/include" of FindCUDAToolkit is, and the file would be looked for under that name. Clang takes
 * no toolkit for one that has no "bin", and there are no headers in it.
 */
static char *stand_in_folder(struct kt_arena *arena, const char *toolkit)
{
	return kt_path_join(arena, toolkit, "bin");
}

const char **kt_cuda_arguments(struct kt_arena *arena, size_t *count, const char *toolkit, long arch, bool host)
{
	const char *const all[] = {
	    "-x",
	    "cuda",
	    "-Wno-unknown-cuda-version",
	    "-Wno-everything",
	    "-ferror-limit=0",
	    "-fno-spell-checking",
	    host ? "--cuda-host-only" : "--cuda-device-only",
	    kt_arena_printf(arena, "--cuda-path=%s", toolkit),
	    kt_arena_printf(arena, "--cuda-gpu-arch=sm_%ld", arch > 90 ? 90 : arch),
	    "-isystem",
	    kt_path_join(arena, toolkit, "include/cccl"),
	    "-iquote",
	    stand_in_folder(arena, toolkit),
	};
	const char **list;

	*count = sizeof all / sizeof *all;
	list = kt_arena_array(arena, *count, sizeof *list);
	for (size_t i = 0; list != NULL && i < *count; i++) {
		if (all[i] == NULL)
			return NULL;
		list[i] = all[i];
	}
	return list;
}

const char *kt_cuda_stand_in(struct kt_arena *arena, const char *toolkit)
{
	char *folder = kt_path_join(arena, toolkit, "include"), *place = stand_in_folder(arena, toolkit);

	if (folder == NULL || place == NULL || kt_fs_is_file(kt_path_join(arena, folder, ABSENT)))
		return NULL;
	return kt_path_join(arena, place, ABSENT);
}
