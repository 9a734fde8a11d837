/* What prior.c and prior_make.c share. */
#ifndef KT_TUNING_PRIOR_INTERNAL_H
#define KT_TUNING_PRIOR_INTERNAL_H

#include "tuning/prior.h"

#define KT_PRIOR_FEATURES 32 /* most of a source */

/* A parameter that both have, or the product of two of them: coordinates are logarithms, of a product their sum. */
struct kt_prior_feature {
	size_t first, second; /* dimensions of the space; SIZE_MAX: no second one */
	size_t first_column, second_column;
	bool is_ordered;
	double range;         /* over the source's rows */
};

struct kt_prior_process {
	char *label;
	double trust;
	size_t feature_count, row_count, best_count;
	struct kt_prior_feature features[KT_PRIOR_FEATURES];
	float *coordinates; /* of the rows: feature f from f · KT_PRIOR_ROWS */
	float *alpha;       /* K⁻¹ y */
	float weights[KT_PRIOR_FEATURES];
	double mean, deviation;
	size_t *best;       /* configurations of the space near to the best rows */
};

struct kt_prior {
	const struct kt_space *space;
	size_t count;
	struct kt_prior_process sources[KT_PRIOR_SOURCES];
	double *tables[KT_PARAMETERS]; /* coordinate by rank */
	float *memo;                   /* NULL: the space is too large */
	float scratch[KT_PRIOR_SOURCES];
};

/*
 * Sizes are compared by their ratio: the logarithm. 0, which mostly means off, is as far from 1 as 2 is.
 */
double kt_prior_coordinate(int64_t value);
/* w_s0 of a source, were it alone: 0 where it has no parameter in common with the space. */
double kt_prior_share(const struct kt_prior *prior, const struct kt_prior_column *columns,
                      const struct kt_prior_source *from);
/* Makes the process of one source, in prior->sources[prior->count], which grows by it; false when out of memory. */
bool kt_prior_take(struct kt_prior *prior, const struct kt_prior_column *columns, const struct kt_prior_source *from);
void kt_prior_free_process(struct kt_prior_process *process);

#endif
