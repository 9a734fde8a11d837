/*
 * A comparison in passes. One pass is an interleaved comparison with separate
 * medians; the next one uses other addresses and another order. The result is
 * the mean of the passes' medians and its standard error over the passes, which
 * includes the variation that a single pass cannot show. After KT_PASSES_LEAST
 * passes they end when that error is at most a quarter of a percent for
 * everything that is still compared, or with KT_PASSES_MOST. Row 0 is the original.
 */
#ifndef KT_PLANNING_PASSES_H
#define KT_PLANNING_PASSES_H

#include "store/store.h"

enum { KT_PASSES_LEAST = 3, KT_PASSES_MOST = 12 };

struct kt_passes;
/* NULL: out of memory. */
struct kt_passes *kt_passes_new(struct kt_arena *arena, size_t rows, size_t problems);
/* Adds what one pass measured of the rows that are left: pass[row × problems + problem]. */
void kt_passes_add(struct kt_passes *passes, const struct kt_timing *pass);
/* All passes together, one per remaining row and problem: means of medians, means and deviations, the least,
 * all samples. */
void kt_passes_pool(struct kt_timing *out, const struct kt_passes *passes);
/*
 * Could a row still be chosen? Not where it is slower than another by more than three percent on every problem, and by
 * as much in the geometric mean. Of the original always.
 */
bool kt_passes_hopeful(const struct kt_passes *passes, size_t row);
/* Takes a row out; those after it move up. */
void kt_passes_drop(struct kt_passes *passes, size_t row);
bool kt_passes_enough(const struct kt_passes *passes);
size_t kt_passes_count(const struct kt_passes *passes);
/* The largest relative standard error among all rows and problems; INFINITY before the second pass. */
double kt_passes_error(const struct kt_passes *passes);

#endif
