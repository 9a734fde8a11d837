/*
 * Searching a recorded space, and comparing strategies on recorded spaces.
 *
 * Score of a strategy on a space after B evaluations, in the manner of the methodology of
 * Willemsen, Schoonhoven, Filipovič, Tørring, van Nieuwpoort and van Werkhoven ("A
 * methodology for comparing optimization algorithms for auto-tuning", Future Generation
 * Computer Systems, 2024, doi:10.1016/j.future.2024.05.021): performance between random search (0) and the optimum (1),
 *
 *     score(B) = 1/B · Σ_{n=1..B} (R(n) − S(n)) / (R(n) − t*),
 *
 * S(n) the best time after n evaluations, averaged over the runs; t* the best time of the space; R(n) the
 * expected best time of n draws without replacement, from the known distribution: with
 * the N configurations sorted by time, t_1 ≤ … ≤ t_V, invalid ones last,
 *
 *     R(n) = Σ_{i=1..V} t_i · P(i is the best of n draws),
 *     P(i is the best) = n/(N−i+1) · Π_{j<i} (1 − n/(N−j+1)).
 *
 * An invalid configuration is an evaluation without a time. While a run has found no valid one its best is
 * the slowest time of the space, in S and in R alike. Points n where R(n) is t* to
 * one part in 10⁹ are left out. The aggregate is the mean over spaces. The
 * methodology samples over time up to a cut-off; here the sampling points are all evaluations up to the budget.
 */
#ifndef KT_TUNING_SIMULATE_H
#define KT_TUNING_SIMULATE_H

#include "tuning/t4.h"

#define KT_SIMULATE_MOST 100000 /* evaluations of a run that is scored */

struct kt_simulation {
	size_t evaluations;
	double best_ms;    /* INFINITY: none was valid */
	size_t best_index; /* of the space; SIZE_MAX: none was valid */
	double *best;   /* best[n], 1 ≤ n ≤ evaluations: best time after n; INFINITY before the first valid one */
};

/* One run, an ask at a time; prior NULL: nothing is known from elsewhere. Lives in arena. */
kt_status kt_simulate(struct kt_simulation *out, struct kt_arena *arena, const struct kt_space *space,
                      const struct kt_recording *recording, struct kt_prior *prior, const char *strategy, size_t budget,
                      uint64_t seed, struct kt_error *err) KT_MUST_CHECK;

/* What a recorded space has to be known for: R(1 … most), at curve[1 … most]. NULL when out of memory. */
double *kt_simulate_baseline(struct kt_arena *arena, const struct kt_recording *recording, size_t most);
/* The score after `budget` evaluations; mean[1 … budget] is S. */
double kt_simulate_score(const double *mean, const double *baseline, double optimum, size_t budget);

#endif
