/*
 * The checks of a region instance: launches that it was not tuned for, on
 * which a candidate must be as right as on the tuning problems. Deterministic;
 * a covering list and no cross product.
 *
 * Sizes of each problem variable: 1, an odd number, a prime, and ±1 around
 * multiples of every vector width and tile that a configuration can have (the
 * values of the parameters that geometry, guards or restrictions relate to the
 * variable, the numbers they divide by, and their products; of all power-of-two
 * parameters where nothing relates), and multiples of all of them, where guards
 * let every variant in.
 * Places: each buffer and all together off alignment, outputs that are an input
 * of equal type and count, unless one of them is __restrict__. Data: each fill.
 *
 * A check is small (a few megabytes, or what the smallest tuning problem has),
 * its geometry and sizes have values, and it is what the region's own clauses
 * allow the original to be launched with.
 */
#ifndef KT_TESTING_CASES_H
#define KT_TESTING_CASES_H

#include "testing/check.h"

#define KT_CHECKS_MOST 48
#define KT_CHECKS_FIRST 6 /* the most telling ones, which a search runs for every candidate */

/* The list, most telling first, without the tuning problems. Everything is allocated in arena. */
kt_status kt_cases_make(struct kt_check **out, size_t *count, struct kt_arena *arena, const struct kt_subject *subject,
                        struct kt_error *err) KT_MUST_CHECK;

/* ---- launches.c */
/*
 * The largest problem that a budget of bytes holds: the last tuning problem with one variable grown. False: none is
 * larger than the tuning problems, or no variable makes buffers larger.
 */
bool kt_cases_largest(struct kt_check *out, struct kt_arena *arena, const struct kt_subject *subject,
                      int64_t most_bytes);
/* Bytes of all buffers; −1 where a size has no value. */
int64_t kt_cases_bytes(const struct kt_subject *subject, const struct kt_check *check);
/* What the region's flops clause counts; 0 without one. */
int64_t kt_cases_flops(const struct kt_subject *subject, const struct kt_check *check);
/* Can the original be launched so: values fit their arguments, the grid the device, and its own clauses allow it? */
bool kt_cases_is_launch(const struct kt_subject *subject, const struct kt_check *check);

#endif
