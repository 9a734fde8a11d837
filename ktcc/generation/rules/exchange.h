/*
 * What threads of a block hand to each other, found out by doing it: a piece of a kernel is executed for every thread
 * of the block as launched, in lockstep, on symbolic values. A value is an integer, a literal, or the fold of the
 * values that a set of threads brought; whatever else it could be is unknown.
 */
#ifndef KT_RULES_EXCHANGE_H
#define KT_RULES_EXCHANGE_H

#include "generation/rules/family.h"

/* A call that folds one of its arguments over all threads of the block. */
struct kt_exchange {
	enum kt_fold_kind kind;
	size_t argument;      /* child of the call */
	const struct kt_tree_variable *parameter;
	bool everywhere;      /* false: only thread 0 has the result */
	bool bounded;         /* a maximum is no less than bound, a minimum no more */
	double bound;
};

/* False: the call does something else, or it cannot be said for all blocks as launched. */
bool kt_exchange_read(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call);

#endif
