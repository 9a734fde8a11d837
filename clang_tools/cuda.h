/* What libclang gets to read CUDA, for every caller. */
#ifndef KT_CLANG_CUDA_H
#define KT_CLANG_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "libclang.h"

struct kt_cuda_reading {
	const char *toolkit; /* its root */
	long arch;           /* 90 */
	bool host;           /* which of the two passes */
};

/*
 * libclang's arguments: its own and `more`, in the order in which nvcc searches folders (the toolkit's headers before
 * -isystem ones, those of its C++ libraries after them, the host compiler's own last: libclang has those that both
 * have). *count of them, in the arena; NULL when out of memory.
 */
const char **kt_cuda_arguments(struct kt_arena *arena, size_t *count, const struct kt_cuda_reading *reading,
                               const char *const *more, size_t more_count);
/* host_headers.c: the folder of headers that the newest gcc has for itself alone, in the arena; NULL: there is none. */
char *kt_cuda_host_headers(struct kt_arena *arena);
#define KT_CUDA_STAND_INS 3
/*
 * Empty files that libclang is given beside these arguments, for headers that it includes and that this toolkit has
 * not; returns how many. Their paths live in the arena.
 */
unsigned kt_cuda_stand_ins(struct CXUnsavedFile files[KT_CUDA_STAND_INS], struct kt_arena *arena, const char *toolkit);
/*
 * A project may have its own "cuda.h" in a folder that is searched before the toolkit's, and libclang's headers
 * would take it for the toolkit's. Fills a file that leads to the toolkit's the first time; false: there is no such
 * folder among the arguments.
 */
bool kt_cuda_shadowed(struct CXUnsavedFile *file, struct kt_arena *arena, const char *toolkit, const char *directory,
                      const char *const *arguments, size_t argument_count);
/*
 * braces.c: nvcc takes `k<<<n, {32, 8}>>>()` and `k << <n, 8>> >()`, libclang drops the statement. The text with these
 * braces as parentheses and these brackets closed up, at the same places, or NULL where there are none. What the
 * extents are, is read from the text itself.
 */
const char *kt_cuda_braces(struct kt_arena *arena, const char *data, size_t size);

#endif
