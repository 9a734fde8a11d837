/* Rules over problem variables: learnt from the problems that a variant serves. See select.h. */
#ifndef KT_PLANNING_RULE_H
#define KT_PLANNING_RULE_H

#include "planning/select.h"

#define KT_RULE_VARIABLES 16

struct kt_rule {
	enum kt_rule_kind kind;
	size_t variables;
	/* interval: one a variable; nearest: of the product, in [0]. INT64_MIN, INT64_MAX: open. Both ends belong to it. */
	int64_t low[KT_RULE_VARIABLES], high[KT_RULE_VARIABLES];
	const bool *wanted;   /* exact: one a problem */
	size_t left_out;      /* exact: a problem that was not there when it was learnt; SIZE_MAX: none */
	const struct kt_matrix *matrix;
};

/*
 * Learns a rule that holds on every problem where wanted[p], on none where
 * refused[p]; `left_out` counts as neither. False when there is none of this kind. `wanted`
 * must outlive the rule.
 */
bool kt_rule_learn(struct kt_rule *out, enum kt_rule_kind kind, const struct kt_matrix *matrix, const bool *wanted,
                   const bool *refused, size_t left_out);
bool kt_rule_holds(const struct kt_rule *rule, size_t problem);
/* Appends the rule as an expression of the clause language. */
void kt_rule_print(struct kt_buf *out, const struct kt_rule *rule);

#endif
