/*
 * Python expressions of T1 files. Python's own parser reads them (python/ktcc/steps.py), in a process; what it replies
 * are steps of a stack machine, from which the nodes of a graph are made.
 */
#ifndef KT_TUNING_PYTHON_H
#define KT_TUNING_PYTHON_H

#include <cjson/cJSON.h>

#include "tuning/graph.h"

/* Puts a value on the stack (op is CONSTANT or PARAMETER), or replaces the operands on top by a result. */
struct kt_python_step {
	enum kt_node_op op;
	enum kt_value_kind kind;
	unsigned offset; /* byte of the expression's text */
	int64_t integer; /* or the parameter's number */
	double real;     /* of an integer as well */
	const char *text;
};

struct kt_python_steps {
	struct kt_python_step *items;
	size_t count;
};

/* The texts of one file; NULL: none in this place. Both lists of results have the length of their texts. */
struct kt_python_file {
	const char *path;
	size_t parameter_count, condition_count;
	const char *const *names, *const *values, *const *conditions;
	struct kt_python_steps *value_steps, *condition_steps; /* of values: a constant each */
};

/* A text that is no expression: which one, and where. */
struct kt_python_mistake {
	bool in_values;
	size_t index;
	unsigned offset;
};

/*
 * Has all texts read by python3 of PATH. KT_ERR_SYNTAX with *mistake filled where one is wrong; KT_ERR_MISSING without
 * Python, or without the package beside this program.
 */
kt_status kt_python_read(struct kt_python_file *file, struct kt_python_mistake *mistake, struct kt_arena *arena,
                         struct kt_error *err) KT_MUST_CHECK;

/* The node of a condition. nodes: NULL, or gets that of each step. */
kt_status kt_python_node(kt_node *out, struct kt_graph *graph, const struct kt_python_steps *steps, kt_node *nodes,
                         struct kt_error *err) KT_MUST_CHECK;

/* Appends the node as a Python expression that reads back, in parentheses where it has operators. */
void kt_python_print(struct kt_buf *out, const struct kt_graph *graph, kt_node node);

#endif
