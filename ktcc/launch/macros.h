/*
 * Macros that nvcc defines without being told, which libclang must know where
 * a source asks for them. The names and values are those that nvcc 13.0 hands
 * to the preprocessor. Left out: __NVCC__ and what else makes headers use
 * built-in functions that only nvcc's front end has; __CUDACC__ and
 * __CUDA_ARCH__, which libclang defines itself.
 */
#ifndef KT_LAUNCH_MACROS_H
#define KT_LAUNCH_MACROS_H

#include "launch/command.h"
#include "launch/options.h"

/* "-DNAME" or "-UNAME" that option `id` with this value (NULL: takes none) stands for; NULL: none. */
const char *kt_macro_of_option(enum kt_option_id id, const char *value);
/*
 * Appends what every command has and what follows from its architectures:
 * __CUDA_ARCH_LIST__, and for the first of them __CUDA_ARCH_FEAT_SM90_ALL and
 * its relatives. False when out of memory.
 */
bool kt_macros_of_target(struct kt_arena *arena, char ***words, size_t *count, const struct kt_command *command);

#endif
