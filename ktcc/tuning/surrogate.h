/*
 * A Gaussian process over the configurations of a space, and what it expects of
 * a pool of candidates, kept up to date point by point.
 *
 * Features: the rank of each parameter, and of the product of each two that are ordered, positive and
 * have three values or more, since sizes multiply (threads of a block, elements of a tile); products once 48 points are
 * valid.
 *
 * Kernel: k(x, x') = exp(−Σ_d w_d |x_d − x'_d|), the distance along a feature as in
 * kt_view_distance (share of the ranks, or 0 and 1 without an order): a product of
 * Laplace kernels, rough enough for the steps that occupancy makes, and w_d is the
 * weight of a feature. The w_d and the noise maximise the posterior: marginal
 * likelihood (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006,
 * equation 5.8, the amplitude profiled out) with log-normal priors.
 *
 * Appending a point to n of them costs O(n²) and O(n · pool) for the pool: one row of
 * the Cholesky factor and one of L⁻¹K. Taking the last point off again is O(pool).
 *
 * Feasibility of a candidate: a kernel-weighted share of the valid ones around it, with
 * the squared kernel as the weight and the overall share as a prior of weight 0.3.
 */
#ifndef KT_TUNING_SURROGATE_H
#define KT_TUNING_SURROGATE_H

#include "tuning/strategy.h"

#define KT_SURROGATE_POINTS 512 /* most training points */
#define KT_SURROGATE_POOL 4096  /* candidates that are looked at; twice as many fit */
#define KT_SURROGATE_FIT 100    /* most points the hyperparameters are fitted to */

struct kt_surrogate;

kt_status kt_surrogate_open(struct kt_surrogate **out, const struct kt_view *view, struct kt_error *err) KT_MUST_CHECK;
void kt_surrogate_close(struct kt_surrogate *surrogate);

/*
 * Fits the hyperparameters, from where the last fit left them, to `count` ≤ KT_SURROGATE_FIT
 * rows (view->dimensions ranks each) with values of mean 0 and variance 1. Afterwards there is
 * no training point, no candidate and nothing about feasibility.
 */
void kt_surrogate_fit(struct kt_surrogate *surrogate, const uint16_t *rows, const double *values, size_t count);

/* Adds a candidate; false when the pool is full. */
bool kt_surrogate_candidate(struct kt_surrogate *surrogate, const uint16_t *row);
/* Adds a training point; false when there are KT_SURROGATE_POINTS. */
bool kt_surrogate_add(struct kt_surrogate *surrogate, const uint16_t *row, double value);
/* Takes off the last training point. */
void kt_surrogate_drop(struct kt_surrogate *surrogate);
/* Tells whether a configuration turned out valid. Past 2 · KT_SURROGATE_POINTS they are no longer taken in. */
void kt_surrogate_valid(struct kt_surrogate *surrogate, const uint16_t *row, bool valid);

/* The expected value of any row. O(n²). */
double kt_surrogate_mean(const struct kt_surrogate *surrogate, const uint16_t *row);
/* log(expected improvement below `best` × probability of being valid) of candidate i. */
double kt_surrogate_promise(const struct kt_surrogate *surrogate, size_t i, double best);

#endif
