/*
 * The values that threads of a block exchange, found by execution: a piece of a kernel is executed for every thread of the
 * block as launched, in lockstep, on symbolic values. A value is an integer, a literal, or the reduction of the values that a
 * set of threads contributed; any other value is unknown.
 */
#ifndef KT_RULES_EXCHANGE_H
#define KT_RULES_EXCHANGE_H

#include "generation/rules/family.h"

/* A call that is a reduction of one of its arguments over all threads of the block. */
struct kt_exchange {
	enum kt_fold_kind kind;
	size_t argument;      /* child of the call */
	const struct kt_tree_variable *parameter;
	bool everywhere;      /* false: only thread 0 has the result */
	bool bounded;         /* a maximum is no less than bound, a minimum no more */
	double bound;
};

/* False: the call does something else, or its effect is not the same for all blocks as launched. */
bool kt_exchange_read(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call);

#endif
