/*
 * The Python front end of the graph: the expressions and value lists of T1
 * files. What is read is the expression language without statements:
 *
 *   or and not  in, not in  < <= > >= == != (chained)  | ^ & << >> + - * / // %  **  x if c else y
 *   numbers, texts, True, False, names, p["name"], (a, b), [a, b], {a, b},
 *   [e for i in list if c], lists joined by +
 *   min max abs int float bool round pow len sum any all range list tuple set sorted
 *   ceil floor sqrt log2 gcd, also as math.… and np.…
 *
 * Integers have 64 bits; what would not fit does not evaluate.
 */
#ifndef KT_TUNING_PYTHON_H
#define KT_TUNING_PYTHON_H

#include "tuning/graph.h"

#define KT_PYTHON_DEPTH 200        /* deepest nesting that is accepted */
#define KT_PYTHON_ITEMS 65536      /* most items of one list */

/* Where the nodes of one expression were written. */
struct kt_python_trace {
	size_t count, capacity;
	struct kt_trace *items; /* malloc; free with kt_python_trace_free */
};
void kt_python_trace_free(struct kt_python_trace *trace);
/* The offset of a node; 0 when it is not in the trace. */
unsigned kt_python_offset(const struct kt_python_trace *trace, kt_node node);

/*
 * Reads one expression over the graph's parameters. KT_ERR_SYNTAX, or KT_ERR_INVALID for an unknown
 * name, with the byte in err->offset. trace may be NULL.
 */
kt_status kt_python_expr(kt_node *out, struct kt_graph *graph, const char *text, struct kt_python_trace *trace,
                         struct kt_error *err) KT_MUST_CHECK;
/* Reads a list of constants; the array lives in the graph's arena.
 * Errors as above; items that fail are KT_ERR_INVALID. */
kt_status kt_python_list(kt_node **out, size_t *count, struct kt_graph *graph, const char *text,
                         struct kt_error *err) KT_MUST_CHECK;

/* Appends the node as a Python expression that kt_python_expr reads back, in parentheses where it has operators. */
void kt_python_print(struct kt_buf *out, const struct kt_graph *graph, kt_node node);

#endif
