/* Rules over problem variables: learnt from the problems that a variant serves. See select.h. */
#ifndef KT_PLANNING_RULE_H
#define KT_PLANNING_RULE_H

#include "planning/select.h"

#define KT_RULE_VARIABLES 16
#define KT_RULE_BOUNDS 3           /* most conditions of a rule by bounds, of which a box that is left out is one */
#define KT_RULE_BOUNDS_PROBLEMS 48 /* with more problems there is none: learning costs their square */

/*
 * Bounds of a product of variables, a bit of `of` for each factor. INT64_MIN, INT64_MAX: open. Both ends belong to it. What
 * `unit` does not divide is outside; 0: anything may be inside.
 */
struct kt_rule_side {
	uint32_t of;
	int64_t low, high, unit;
};

struct kt_rule_box {
	struct kt_rule_side side[KT_RULE_VARIABLES];
	size_t sides;
};

struct kt_rule {
	enum kt_rule_kind kind;
	/* interval: one a variable that may be named; nearest: the product of all of them; bounds: what conditions were needed */
	struct kt_rule_box in;
	struct kt_rule_box out[KT_RULE_BOUNDS]; /* bounds: where it does not hold */
	size_t outs;
	const bool *wanted;   /* exact: one per problem */
	size_t left_out;      /* exact: a problem that was not there when it was learnt; SIZE_MAX: none */
	const struct kt_matrix *matrix;
};

/*
 * Learns a rule that holds on every problem where wanted[p], on none where refused[p]; `left_out` counts as neither. A rule
 * by bounds may leave wanted ones out, of listed problems those that gain less than 3 %: as little of gains[p], log(before /
 * after) > 0 as the problem weighs, as it can. False when there is no rule of this kind. `wanted` must outlive the rule.
 */
bool kt_rule_learn(struct kt_rule *out, enum kt_rule_kind kind, const struct kt_matrix *matrix, const bool *wanted,
                   const bool *refused, const double *gains, size_t left_out);
bool kt_rule_holds(const struct kt_rule *rule, size_t problem);
/* Appends the rule as an expression of the clause language. */
void kt_rule_print(struct kt_buf *out, const struct kt_rule *rule);

#endif
