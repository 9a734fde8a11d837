/*
 * The constraint solver of a space. It assigns parameters in the order in
 * which rules bind them, evaluates each subexpression as soon as its last
 * parameter has a value, rejects a partial assignment as soon as a rule is
 * false within its bounds, and remembers what is below a partial assignment under
 * what the open rules still depend on: two assignments with the same product in
 * `a * b * c <= K`, or that differ in parameters which no open rule names, are
 * completed once. The result is a diagram, not a list.
 */
#ifndef KT_TUNING_SOLVER_H
#define KT_TUNING_SOLVER_H

#include "tuning/diagram.h"
#include "tuning/graph.h"

#define KT_SOLVER_STEPS ((uint64_t)1 << 32)   /* most assignments tried for one space */
#define KT_SOLVER_WORDS ((size_t)1 << 26)     /* most words of remembered states */
#define KT_SOLVER_VERDICTS 32                 /* most verdicts that are distinguished */

struct kt_problem_set {
	struct kt_graph *graph;
	/* A row is legal where all of these are true. */
	size_t rule_count;
	const kt_node *rules;
	/*
	 * A node whose value sorts the legal rows: 0 goes into the diagram, v > 0 is counted in
	 * refused[v]. Never fails. KT_NODE_NONE: all legal rows go into the diagram.
	 */
	kt_node verdict;
	bool any; /* stop at the first legal row: the counts are then lower bounds */
};

struct kt_solution {
	struct kt_diagram *diagram; /* the caller's, to be closed */
	uint64_t legal;             /* saturates */
	uint64_t refused[KT_SOLVER_VERDICTS];
	uint64_t steps;             /* assignments tried */
	/* KT_ERR_INVALID: the rule that does not evaluate, at these positions of the parameters' lists. */
	size_t rule;
	uint16_t positions[KT_PARAMETERS];
};

/*
 * Solves. A rule that does not evaluate on a row that all others allow is
 * KT_ERR_INVALID (out->rule and out->positions are the rule and the row; the
 * caller writes the message); KT_ERR_LIMIT past the ceilings above.
 */
kt_status kt_solve(struct kt_solution *out, const struct kt_problem_set *problem, struct kt_error *err) KT_MUST_CHECK;

#endif
