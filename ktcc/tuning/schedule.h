/*
 * What the solver does when: the order of the parameters, the nodes to evaluate
 * at each of them, the rules to look at, and what a state consists of.
 */
#ifndef KT_TUNING_SCHEDULE_H
#define KT_TUNING_SCHEDULE_H

#include "tuning/solver.h"

struct kt_step_rule {
	size_t rule;
	size_t upto; /* nodes of the step that must be evaluated before it is looked at */
	bool last;   /* the parameter is the last one that it names */
};

struct kt_step {
	size_t parameter;
	kt_node leaf;        /* the parameter's node; KT_NODE_NONE: nothing names it */
	size_t node_count, rule_count;
	kt_node *nodes;      /* what depends on the parameter, operands first */
	struct kt_step_rule *rules; /* those that name the parameter, the cheapest first */
};

/*
 * What a state consists of, in preorder from the open rules: entry i is an open
 * node (some of its parameters have no value yet), whose own entries follow
 * up to `next`, or one that has its value.
 */
struct kt_key_entry {
	kt_node node;
	uint32_t next;
	bool open;
};

struct kt_schedule {
	struct kt_arena *arena;
	uint8_t order[KT_PARAMETERS];
	struct kt_step *steps; /* one a depth */
	struct {
		size_t count;
		struct kt_key_entry *entries;
	} keys[KT_PARAMETERS]; /* before the parameter of that depth gets a value */
};

kt_status kt_schedule_open(struct kt_schedule **out, const struct kt_problem_set *problem, struct kt_error *err)
    KT_MUST_CHECK;
void kt_schedule_close(struct kt_schedule *schedule); /* accepts NULL */

#endif
