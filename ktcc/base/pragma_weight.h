/*
 * Weights of problems where they are listed. They become the expression of the clause `weight`: nothing else knows that
 * there are two ways to write them.
 */
#ifndef KT_BASE_PRAGMA_WEIGHT_H
#define KT_BASE_PRAGMA_WEIGHT_H

#include "base/pragma_read.h"

/* A group of problems: variables from `first` on, and one weight per row; weights NULL: all are 1. */
struct kt_weights {
	size_t first, width, rows;
	const int64_t *values, *weights;
};

/* Does ": weight" follow something in the slice? */
bool kt_has_weight(const struct kt_reader *r, struct kt_slice slice);
/* Reads ": weight 10" at the end of a value or a tuple and takes it off the slice; 1 where it is absent. False: reported. */
bool kt_take_weight(int64_t *weight, struct kt_reader *r, struct kt_slice *slice);
/* Keeps the weights of the clause at `at` until all clauses are read. */
void kt_weigh_problems(struct kt_reader *r, const struct kt_weights *groups, size_t count, size_t at);
/* Makes them the pragma's, and reports a second way of writing them. */
void kt_settle_weight(struct kt_reader *r);

#endif
