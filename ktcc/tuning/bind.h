/*
 * The C front end of the graph: clause expressions of a region (docs/pragma.md)
 * as nodes. Parameters are nodes, problem variables, arguments and device limits
 * are constants of one problem.
 */
#ifndef KT_TUNING_BIND_H
#define KT_TUNING_BIND_H

#include "base/device.h"
#include "base/template.h"
#include "tuning/graph.h"

/* What expressions are bound in. */
struct kt_bind {
	struct kt_graph *graph;
	const struct kt_region *region;
	const struct kt_device *device; /* NULL: none */
	size_t problem_count;           /* a region without problem clause counts as one problem */
};

/* What an expression names besides parameters. */
struct kt_bound {
	bool per_problem, needs_device;
};

/*
 * Looks at the names. KT_ERR_INVALID, starting with `what`, with the expression and a caret below
 * the first name that is neither parameter nor known outside; names of the device are accepted without one.
 */
kt_status kt_bind_names(struct kt_bound *out, const struct kt_bind *bind, const struct kt_clause_expr *clause,
                        const char *what, struct kt_error *err) KT_MUST_CHECK;
/*
 * The node of an expression on one problem; its names must have been looked at. A division or the like
 * that never has a value is a node that fails. KT_ERR_MEMORY only.
 */
kt_status kt_bind_expr(kt_node *out, const struct kt_bind *bind, const struct kt_clause_expr *clause, size_t problem,
                       struct kt_error *err) KT_MUST_CHECK;
/* The value with all parameters set (a position in the list each): fills *err with why there is none, and a caret. */
kt_status kt_bind_explain(const struct kt_bind *bind, const struct kt_clause_expr *clause, size_t problem,
                          const uint16_t *positions, const char *what, struct kt_error *err);

#endif
