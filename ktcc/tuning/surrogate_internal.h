/* What surrogate.c and surrogate_fit.c share. */
#ifndef KT_TUNING_SURROGATE_INTERNAL_H
#define KT_TUNING_SURROGATE_INTERNAL_H

#include "tuning/surrogate.h"

struct kt_hyper {
	size_t dimensions, parameters; /* dimensions from `parameters` on are products of parameters */
	double log_scale[KT_PARAMETERS]; /* log(1 / w_d) */
	double log_noise;                /* log of the noise's variance, as a share of the amplitude */
	double amplitude;                /* variance of the process */
};

/* Distances between `count` rows: distances[(i · count + j) · dimensions + d], i > j. */
struct kt_hyper_data {
	size_t count;
	const double *distances, *values;
	double *work; /* KT_HYPER_WORK doubles */
};
#define KT_HYPER_WORK (3 * KT_SURROGATE_FIT * KT_SURROGATE_FIT + KT_SURROGATE_FIT)

/* Lower triangle of n · n in place, by rows; false when the matrix is not positive definite. */
bool kt_cholesky_factorise(double *a, size_t n);
/* alpha = (L Lᵀ)⁻¹ y; returns yᵀ alpha. */
double kt_cholesky_solve(double *alpha, const double *factor, const double *values, size_t n);

void kt_hyper_reset(struct kt_hyper *hyper, size_t dimensions, size_t parameters);
/* A few steps of resilient propagation uphill; keeps the best that was seen. */
void kt_hyper_fit(struct kt_hyper *hyper, const struct kt_hyper_data *data);

#endif
