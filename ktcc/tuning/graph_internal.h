/* What the evaluation of points and of ranges share, for the graph_*.c files only. */
#ifndef KT_TUNING_GRAPH_INTERNAL_H
#define KT_TUNING_GRAPH_INTERNAL_H

#include "tuning/graph.h"

/*
 * Any operator that needs all of its operands, on points; `kinds` has the operands'. `out` has the kind of the result.
 * Why there is none (a constant text), or NULL.
 */
const char *kt_point_apply(union kt_scalar_value *out, const struct kt_node_record *record,
                           const unsigned char kinds[2], union kt_scalar_value a, union kt_scalar_value b);

static inline double kt_point_real(union kt_scalar_value value, unsigned char kind)
{
	return kind == KT_VALUE_REAL ? value.d : (double)value.i;
}

#endif
