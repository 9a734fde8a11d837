/*
 * What "better" means. The time matrix (configuration × problem), and the
 * choice of one general configuration from it: the best geometric mean of
 * speedups over the problems, among those that make no problem slower. What
 * else is made of the matrix: select.h.
 */
#ifndef KT_PLANNING_OBJECTIVE_H
#define KT_PLANNING_OBJECTIVE_H

#include "planning/choice.h"
#include "store/store.h"

struct kt_objective;

kt_status kt_objective_open(struct kt_objective **out, size_t problems, struct kt_error *err) KT_MUST_CHECK;
/*
 * Launches that no problem lists (derived.h): `covers` returns a bit for each of them that a configuration covers. A
 * covered one counts as the nearest listed problem, any other as 1, for the original runs there. All together they
 * weigh kt_derived_weight of what the listed problems weigh. Before the first row.
 */
typedef uint32_t kt_covers(void *context, size_t configuration);
void kt_objective_derive(struct kt_objective *objective, size_t shapes, const size_t *nearest, kt_covers *covers,
                         void *context);
/* What each listed problem counts, in the place of 1; together as many as there are. Before the first row; NULL: 1 each. */
void kt_objective_weigh(struct kt_objective *objective, const double *weights);
/* A relative slowdown on one problem weighs as much as losing this multiple of it everywhere. */
extern const double kt_slowdown_weight;
extern const double kt_derived_weight;
/* What one of them weighs where a listed problem weighs 1. */
double kt_derived_weight_of(size_t listed, size_t shapes);
void kt_objective_close(struct kt_objective *objective); /* accepts NULL */
/* The original's time on a problem. Rows that exist already, from an earlier run, are judged again. */
void kt_objective_baseline(struct kt_objective *objective, size_t problem, double ns);
/*
 * Adds a row: one configuration's times (ns[problem]; NAN: it does not run
 * there, so that the original does). *cost: 1 / weighted geometric mean of speedups, times a penalty
 * where a problem becomes slower than the baseline; INFINITY when nothing was
 * measured, as for a configuration that failed (ns NULL).
 */
kt_status kt_objective_add(double *cost, struct kt_objective *objective, size_t configuration, const double *ns,
                           struct kt_error *err) KT_MUST_CHECK;
/* A configuration that has turned out to be wrong: its row has no times any more. */
void kt_objective_fail(struct kt_objective *objective, size_t configuration);
/*
 * A row that is doubtful has its times and its cost, but is not among what is best so far (kt_objective_best_ns,
 * kt_objective_best_speedup): somebody has still to find out whether it is right.
 */
void kt_objective_doubt(struct kt_objective *objective, size_t row, bool doubtful);
/* Rows in the order in which they were added. */
size_t kt_objective_rows(const struct kt_objective *objective);
/* The times of a row, one per problem, NAN where there is none; valid until the next row is added. */
const double *kt_objective_row(size_t *configuration, const struct kt_objective *objective, size_t row);
double kt_objective_cost(const struct kt_objective *objective, size_t row);
/* What this configuration would cost with these times; SIZE_MAX: one that covers everything. */
double kt_objective_cost_of(const struct kt_objective *objective, size_t configuration, const double *ns);
/* Other times of a row, as in kt_objective_add; NULL: it is known to be wrong by now. All rows are judged again. */
void kt_objective_replace(struct kt_objective *objective, size_t row, const double *ns);
double kt_objective_baseline_ns(const struct kt_objective *objective, size_t problem);
/* The least time seen on a problem, the baseline's included. */
double kt_objective_best_ns(const struct kt_objective *objective, size_t problem);
/* Geometric mean of the best configuration's speedups; 0 before the first. */
double kt_objective_best_speedup(const struct kt_objective *objective);
/* Its row; SIZE_MAX before the first. */
size_t kt_objective_best_row(const struct kt_objective *objective);
/* The most promising configurations, best first; returns how many. */
size_t kt_objective_top(size_t *configurations, size_t most, const struct kt_objective *objective);
/*
 * The same of those that run on every problem that the baseline runs on, and cover as many of the launches that no problem
 * lists as any that does.
 */
size_t kt_objective_top_everywhere(size_t *configurations, size_t most, const struct kt_objective *objective);
/* The same on one problem, whatever they do on the others. */
size_t kt_objective_top_on(size_t *configurations, size_t most, const struct kt_objective *objective, size_t problem);

extern const double kt_select_tie; /* what is within it of the best is as good as that */

/*
 * Relative standard error of a median, 1.4826 × 1.2533 × MAD / (median × √n):
 * the MAD scaled to a normal distribution's deviation, and the median's
 * efficiency there.
 */
double kt_timing_noise(const struct kt_timing *timing);

/* Geometric mean of baseline[p] / tuned[p]; 1 for a problem that only the baseline has. */
double kt_geomean_speedup(const struct kt_timing *baseline, const struct kt_timing *tuned, size_t problems);

/* An entry's speedup, and the pooled noise of all its times, at least 1%. */
struct kt_gain kt_entry_gain(const struct kt_entry *entry);
/*
 * Is `entry` a better result for its instance than `other`, measured beside the same original in another comparison? On
 * sizes that no problem lists as well, with their weight, where both know some.
 */
bool kt_entry_beats(const struct kt_entry *entry, const struct kt_entry *other);

#endif
