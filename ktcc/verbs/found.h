/* Programs and libraries that ktcc uses, as `ktcc doctor` and `ktcc --version` name them. */
#ifndef KT_VERBS_FOUND_H
#define KT_VERBS_FOUND_H

#include "base/arena.h"

/* "libclang 19.1.7", or why there is none; *found: there is one. NULL: out of memory. */
const char *kt_found_clang(bool *found, struct kt_arena *arena);
/* "PATH, release 13.0, V13.0.88"; NULL: no nvcc in PATH. */
const char *kt_found_nvcc(struct kt_arena *arena);
/* What `ktcc --version` prints: what a report of a defect has to name. */
void kt_version_print(void);

#endif
