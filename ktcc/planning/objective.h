/*
 * What "better" means. The time matrix (configuration × problem) and the
 * choice of one general configuration from it: the best geometric mean of
 * speedups over the problems, among those that make no problem slower.
 */
#ifndef KT_PLANNING_OBJECTIVE_H
#define KT_PLANNING_OBJECTIVE_H

#include "store/store.h"

struct kt_objective;

kt_status kt_objective_open(struct kt_objective **out, size_t configurations, size_t problems, struct kt_error *err)
    KT_MUST_CHECK;
void kt_objective_close(struct kt_objective *objective); /* accepts NULL */
void kt_objective_baseline(struct kt_objective *objective, size_t problem, double ns);
/*
 * Adds one configuration's times (ns[problem]; NAN: not measured there) and
 * returns its cost: 1 / geometric mean of speedups, times a penalty where a
 * problem becomes slower than the baseline. INFINITY when nothing was measured.
 */
double kt_objective_add(struct kt_objective *objective, size_t configuration, const double *ns);
/* The least time seen on a problem, the baseline's included. */
double kt_objective_best_ns(const struct kt_objective *objective, size_t problem);
/* Geometric mean of the best configuration's speedups; 0 before the first. */
double kt_objective_best_speedup(const struct kt_objective *objective);
/* The most promising configurations, best first; returns how many. */
size_t kt_objective_top(size_t *configurations, size_t most, const struct kt_objective *objective);

/*
 * The winner among rows 1 … rows−1 of timings[row × problems + problem], row 0
 * being the baseline measured interleaved with them; SIZE_MAX: the baseline
 * stays. A winner's geometric mean must exceed 1 by more than the noise (the
 * pooled median absolute deviation, at least 1%), and no problem may be slower
 * than the baseline by more than 2% plus its own noise, of which at most 1% counts.
 */
size_t kt_select_winner(const struct kt_timing *timings, size_t rows, size_t problems);

/* Geometric mean of baseline[p] / tuned[p]. */
double kt_geomean_speedup(const struct kt_timing *baseline, const struct kt_timing *tuned, size_t problems);

#endif
