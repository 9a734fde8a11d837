/* What libclang gets to read CUDA, whoever asks. */
#ifndef KT_CLANG_CUDA_H
#define KT_CLANG_CUDA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * libclang's own arguments for CUDA with the toolkit at a folder, for one of the two passes; *count of them. The user's
 * follow. They live in the arena; NULL when out of memory.
 */
const char **kt_cuda_arguments(struct kt_arena *arena, size_t *count, const char *toolkit, long arch, bool host);
/*
 * The path of an empty file that libclang is given beside these arguments, for a header of the toolkit that it includes
 * and that toolkits from 13 on no longer have; NULL: the toolkit has it (or out of memory).
 */
const char *kt_cuda_stand_in(struct kt_arena *arena, const char *toolkit);

#endif
