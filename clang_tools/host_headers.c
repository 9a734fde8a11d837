/* Headers that the host compiler has for itself alone, which nvcc finds through it: <omp.h>, <quadmath.h>, … */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

/* Where gcc keeps them, for programs of this machine. */
static const char *const patterns[] = {
#if defined(__aarch64__)
    "/usr/lib/gcc/aarch64*linux*/*/include",
    "/usr/lib64/gcc/aarch64*linux*/*/include",
#else
    "/usr/lib/gcc/x86_64*linux*/*/include",
    "/usr/lib64/gcc/x86_64*linux*/*/include",
#endif
};

/* The release in "…/x86_64-linux-gnu/12.2/include": 12.2. */
static double release_of(const char *path)
{
	const char *at = strrchr(path, '/');

	while (at != NULL && at > path && at[-1] != '/')
		at--;
	return at != NULL ? strtod(at, NULL) : 0;
}

char *kt_cuda_host_headers(struct kt_arena *arena)
{
	char *newest = NULL;

	for (size_t p = 0; p < sizeof patterns / sizeof patterns[0] && newest == NULL; p++) {
		glob_t found = {0};
		double release = -1;

		if (glob(patterns[p], 0, NULL, &found) == 0)
			for (size_t i = 0; i < found.gl_pathc; i++)
				if (release_of(found.gl_pathv[i]) > release) {
					release = release_of(found.gl_pathv[i]);
					newest = kt_arena_strdup(arena, found.gl_pathv[i]);
				}
		globfree(&found);
	}
	return newest;
}
