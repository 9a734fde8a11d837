/*
 * A region's host reference (the clause `reference`) as a separate program: the part of the file that the function
 * needs, and a main that calls it, compiled by the user's nvcc and host compiler with the user's arguments, without
 * fast math. `PROGRAM FILE SECONDS`: FILE is the number of an open file in memory, which begins with a slot for each
 * parameter (runtime/host.c); the program closes all others, limits its memory and processor time, calls the function
 * once and ends with 0.
 */
#ifndef KT_TUNING_REFERENCE_H
#define KT_TUNING_REFERENCE_H

#include "tuning/batch.h"

/*
 * Builds it in the scratch directory, unless the same text was built there before; *program is its absolute path, NULL
 * where the region has no reference. KT_ERR_INVALID: it does not compile or link; the message has the compiler's
 * output.
 */
kt_status kt_reference_build(const char **program, struct kt_arena *arena, const struct kt_compile *compile,
                             const struct kt_region *region, const char *source, size_t source_size,
                             struct kt_error *err) KT_MUST_CHECK;

#endif
