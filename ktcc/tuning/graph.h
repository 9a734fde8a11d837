/*
 * The expressions of one space, compiled once into a graph: equal
 * subexpressions are one node, constant folding is done, operands come before
 * what uses them. Two front ends write into it: C expressions of pragmas
 * (bind.h) and Python expressions of T1 files (python.h); the operators below
 * are the union of what both mean.
 *
 * A node is evaluated to a range [lo, hi]: a point where all of its parameters
 * have values, and bounds on every completion where some do not. That is what
 * lets a search prune on a comparison that is certainly false.
 */
#ifndef KT_TUNING_GRAPH_H
#define KT_TUNING_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/pragma.h"

#define KT_GRAPH_NODES ((size_t)1 << 21) /* most nodes of one graph */
#define KT_GRAPH_BYTES ((size_t)512 << 20)

typedef uint32_t kt_node;
#define KT_NODE_NONE UINT32_MAX /* out of memory or over KT_GRAPH_NODES */

enum kt_value_kind { KT_VALUE_INTEGER, KT_VALUE_REAL, KT_VALUE_TEXT };

/* The values that a parameter may take. Those of kind real and text are beside `values`, by position. */
struct kt_domain {
	const char *name;
	enum kt_value_kind kind;
	size_t count;             /* at most KT_PARAMETER_VALUES */
	const int64_t *values;    /* as in configurations */
	const double *reals;
	const char *const *texts;
	const uint16_t *sorted;   /* rank → position: ascending by value, texts in their order */
};

/* X(identifier, operands, spelling in messages) */
#define KT_NODE_OPS(X) \
	X(CONSTANT, 0, "") \
	X(PARAMETER, 0, "") \
	X(FAILURE, 0, "")               /* a constant that does not evaluate */ \
	X(NEGATE, 1, "-") \
	X(COMPLEMENT, 1, "~") \
	X(NOT, 1, "not") \
	X(TRUTH, 1, "bool")             /* 0 or 1 */ \
	X(IS_POW2, 1, "is_pow2") \
	X(ABSOLUTE, 1, "abs") \
	X(TRUNCATE, 1, "int")           /* real → integer, towards 0 */ \
	X(FLOOR, 1, "floor") \
	X(CEIL, 1, "ceil") \
	X(ROUND, 1, "round")            /* halves to even */ \
	X(TO_REAL, 1, "float") \
	X(SQRT, 1, "sqrt") \
	X(LOG2, 1, "log2") \
	X(HOLDS, 1, "holds")            /* 1 where the operand evaluates and is not 0 */ \
	X(FAILS, 1, "fails")            /* 1 where it does not evaluate */ \
	X(ADD, 2, "+") \
	X(SUBTRACT, 2, "-") \
	X(MULTIPLY, 2, "*") \
	X(QUOTIENT, 2, "/")             /* C: towards 0 */ \
	X(REMAINDER, 2, "%")            /* C: sign of the dividend */ \
	X(CEIL_DIV, 2, "ceil_div") \
	X(FLOOR_DIVIDE, 2, "//")        /* Python: towards −∞ */ \
	X(MODULO, 2, "%")               /* Python: sign of the divisor */ \
	X(DIVIDE, 2, "/")               /* Python: real */ \
	X(POWER, 2, "**") \
	X(GCD, 2, "gcd") \
	X(SHIFT_LEFT, 2, "<<") \
	X(SHIFT_RIGHT, 2, ">>") \
	X(BIT_AND, 2, "&") \
	X(BIT_XOR, 2, "^") \
	X(BIT_OR, 2, "|") \
	X(LESS, 2, "<") \
	X(LESS_EQUAL, 2, "<=") \
	X(EQUAL, 2, "==") \
	X(NOT_EQUAL, 2, "!=") \
	X(AND, 2, "and")                /* 0 or 1; the second counts only where the first is not 0 */ \
	X(OR, 2, "or") \
	X(AND_VALUE, 2, "and")          /* Python: the operand that decides */ \
	X(OR_VALUE, 2, "or") \
	X(ANY, 2, "any")                /* 1 where one holds, even if the other does not evaluate */ \
	X(MIN, 2, "min") \
	X(MAX, 2, "max") \
	X(CHOOSE, 3, "?")

enum kt_node_op {
#define KT_NODE_ID(id, operands, spelling) KT_NODE_##id,
	KT_NODE_OPS(KT_NODE_ID)
#undef KT_NODE_ID
	KT_NODE_OP_COUNT
};
const char *kt_node_spelling(enum kt_node_op op);
unsigned kt_node_operands(enum kt_node_op op);

union kt_scalar_value {
	int64_t i;
	double d;
};

enum { KT_RANGE_SURE, KT_RANGE_MAY_FAIL, KT_RANGE_FAILS };

/* Integers and texts (by identity) in .i, reals in .d. The bounds of one that fails mean nothing. */
struct kt_bounds {
	union kt_scalar_value lo, hi;
	unsigned char state; /* KT_RANGE_… */
};

struct kt_node_record {
	unsigned char op, kind; /* enum kt_node_op, enum kt_value_kind */
	bool boolean;           /* only ever 0 or 1 */
	kt_node operands[3];
	uint64_t parameters;    /* bit p: depends on parameter p */
	union kt_scalar_value constant; /* PARAMETER: its number */
	const char *failure;    /* FAILURE: why */
};

struct kt_graph {
	struct kt_arena *arena;
	size_t dimensions;
	const struct kt_domain *domains;
	size_t count, capacity;
	struct kt_node_record *nodes;
	struct kt_bounds *ranges; /* of each node when no parameter has a value; then as evaluated */
	uint32_t *slots;
	size_t slot_mask;
	size_t text_count;
	const char **texts;      /* identities of texts */
};

/* domains must outlive the graph. */
kt_status kt_graph_open(struct kt_graph **out, const struct kt_domain *domains, size_t dimensions,
                        struct kt_error *err) KT_MUST_CHECK;
void kt_graph_close(struct kt_graph *graph); /* accepts NULL */

/* Nodes. Operands may be KT_NODE_NONE, which makes KT_NODE_NONE: check once at the end. */
kt_node kt_graph_integer(struct kt_graph *graph, int64_t value);
kt_node kt_graph_real(struct kt_graph *graph, double value);
kt_node kt_graph_text(struct kt_graph *graph, const char *text, size_t length);
kt_node kt_graph_parameter(struct kt_graph *graph, size_t parameter);
kt_node kt_graph_make(struct kt_graph *graph, enum kt_node_op op, kt_node a, kt_node b, kt_node c);
/* The node where only its truth counts: AND_VALUE becomes AND, which bounds better. */
kt_node kt_graph_truth(struct kt_graph *graph, kt_node node);

/* The node's range from those of its operands; `parameter` ranges are set by the caller. */
void kt_graph_evaluate(struct kt_graph *graph, kt_node node);
/* The range of a parameter at one position of its list. */
struct kt_bounds kt_graph_at(const struct kt_graph *graph, size_t parameter, size_t position);
/*
 * Evaluates everything that root depends on with all of its parameters set
 * (a position in the list per parameter) and returns the node whose failing makes the root fail,
 * with the reason in *reason; KT_NODE_NONE when it evaluates.
 */
kt_node kt_graph_blame(const char **reason, struct kt_graph *graph, kt_node root, const uint16_t *positions);

#endif
