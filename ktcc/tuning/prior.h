/*
 * Knowledge that a search starts from: earlier tunings of the same kernel on other devices and problems, and of other
 * kernels with parameters of the same kinds. It is never required, and it is never believed without a measurement: where
 * it is wrong it costs trials, and it changes nothing but the order in which configurations are tried.
 *
 * A source is what one earlier tuning measured. Its columns are matched to the parameters of the space: by name, else by
 * kind (tuning/kind.h). From its rows a Gaussian process with Laplace kernels over the logarithms of the values, and of
 * the products of values that multiply (threads of a block, items of a thread), predicts for every configuration x of
 * the space m(x), the logarithm of the time relative to the median of the source. There times slower than the median are
 * compressed as in tuning/strategy_model.c, and failures count as the slowest.
 *
 * Belief. A search models the transformed costs as y(x) = a + Σ_s w_s m_s(x) + f(x), f its own Gaussian process (the
 * autoregressive model of Kennedy and O'Hagan, "Predicting the output from a complex computer code when fast
 * approximations are available", Biometrika 87, 2000, with several sources). The w_s minimise
 *
 *     Σ_i (y_i − a − Σ_s w_s m_s(x_i))² / σ² + Σ_s (w_s − w_s0)² / τ²,   0 ≤ w_s ≤ 1.25, τ = 0.4,
 *
 * σ² the variance of what is left, w_s0 from how much of the space the source knows: 0.8 of the share of the parameters
 * that were matched for the same kernel, half of that for another one, divided by the number of sources. A source that
 * contradicts what is measured falls to w_s = 0, where the search is the one without it.
 */
#ifndef KT_TUNING_PRIOR_H
#define KT_TUNING_PRIOR_H

#include "tuning/kind.h"
#include "tuning/space.h"

#define KT_PRIOR_SOURCES 4 /* most that are used: of more those with the largest w_s0, of equal ones the first */
#define KT_PRIOR_ROWS 320  /* most rows of a source that are used: the best, and an even choice of the others */

struct kt_prior_column {
	const char *name;
	enum kt_kind kind;
};

struct kt_prior_source {
	const char *label;      /* for people */
	bool is_same_kernel;
	size_t column_count, row_count;
	const struct kt_prior_column *columns;
	const int64_t *values;  /* row i from i · column_count */
	const double *costs;    /* one per row, in any unit; not finite or not above 0: the configuration failed */
};

struct kt_prior;

/*
 * `columns`: the parameters of the space, one per dimension. *out becomes NULL where no source tells anything: rows of
 * fewer than 3 that were right, or no parameter in common. The space must outlive the prior; sources need not. Not for two
 * threads at once.
 */
kt_status kt_prior_open(struct kt_prior **out, const struct kt_space *space, const struct kt_prior_column *columns,
                        const struct kt_prior_source *sources, size_t count, struct kt_error *err) KT_MUST_CHECK;
void kt_prior_close(struct kt_prior *prior); /* accepts NULL */
size_t kt_prior_count(const struct kt_prior *prior);
/* The label of source s of those that are used; lives as long as the prior. */
const char *kt_prior_label(const struct kt_prior *prior, size_t s);
/* Σ_s w_s0: at most 0.8. */
double kt_prior_trust(const struct kt_prior *prior);
/* m_s of a configuration, one per source; valid until the next call. */
const float *kt_prior_expect(struct kt_prior *prior, size_t index);
/* The configuration of the space that is nearest to the source's best rows, rank 0 the best; SIZE_MAX: there are not so many. */
size_t kt_prior_nearest(const struct kt_prior *prior, size_t s, size_t rank);

struct kt_belief {
	size_t count;
	double weights[KT_PRIOR_SOURCES]; /* w_s · unit */
};

/* Before anything was measured: w_s0. */
void kt_belief_start(struct kt_belief *out, const struct kt_prior *prior);
/* Columns of `count` numbers, one after the other, for kt_belief_fit: ones, the values, and m_s of each source. */
#define KT_BELIEF_COLUMNS (2 + KT_PRIOR_SOURCES)
void kt_belief_columns(double *columns, struct kt_prior *prior, const size_t *indices, const double *values, size_t count);
/*
 * From these columns, which are changed. Values are in units of which one unit of the transformed logarithm of cost is
 * `unit`.
 */
void kt_belief_fit(struct kt_belief *out, const struct kt_prior *prior, double *columns, size_t count, double unit);
/* Σ_s w_s m_s(x) */
double kt_belief_at(const struct kt_belief *belief, struct kt_prior *prior, size_t index);

#endif
