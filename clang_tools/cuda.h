/* What libclang gets to read CUDA, whoever asks. */
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
 * -isystem ones, those of its C++ libraries behind them). *count of them, in the arena; NULL when out of memory.
 */
const char **kt_cuda_arguments(struct kt_arena *arena, size_t *count, const struct kt_cuda_reading *reading,
                               const char *const *more, size_t more_count);
#define KT_CUDA_STAND_INS 2
/*
 * Empty files that libclang is given beside these arguments, for headers that it includes and that this toolkit has
 * not; returns how many. Their paths live in the arena.
 */
unsigned kt_cuda_stand_ins(struct CXUnsavedFile files[KT_CUDA_STAND_INS], struct kt_arena *arena, const char *toolkit);

#endif
