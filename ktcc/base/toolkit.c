#include "base/toolkit.h"

#include "base/fs.h"

char *kt_toolkit_headers(struct kt_arena *arena, const char *root)
{
	static const char *const places[] = {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include",
	                                     "targets/aarch64-linux/include"};

	for (size_t i = 0; root != NULL && i < sizeof places / sizeof *places; i++) {
		char *folder = kt_path_join(arena, root, places[i]);
		char *sign = folder != NULL ? kt_path_join(arena, folder, "cuda_runtime.h") : NULL;

		if (sign != NULL && kt_fs_is_file(sign))
			return folder;
	}
	return NULL;
}
