/* The reader of Python expressions, for the python*.c files only. */
#ifndef KT_TUNING_PYTHON_INTERNAL_H
#define KT_TUNING_PYTHON_INTERNAL_H

#include "tuning/python.h"

enum { KT_PYTHON_LOCALS = 8 };

struct kt_python_local {
	const char *name;
	size_t length;
	kt_node node;
};

struct kt_python_reader {
	struct kt_graph *graph;
	const char *text;
	size_t at, end;
	unsigned depth, local_count;
	struct kt_python_local locals[KT_PYTHON_LOCALS];
	struct kt_python_trace *trace;
	struct kt_error *err;
};

/* What an expression is while it is read: a node, or a list of nodes. */
struct kt_python_value {
	bool is_list;
	kt_node node;
	size_t count;
	kt_node *items; /* in the graph's arena */
};

/* Blanks, then: is the punctuation here? Takes it. */
bool kt_python_take(struct kt_python_reader *r, const char *punctuation);
/* The same for a word that ends here. */
bool kt_python_take_word(struct kt_python_reader *r, const char *word);
/* Length of the name (with dots) at the cursor; 0: none. */
size_t kt_python_name(struct kt_python_reader *r);
kt_status kt_python_expected(struct kt_python_reader *r, const char *what) KT_MUST_CHECK;
kt_status kt_python_node(kt_node *out, struct kt_python_reader *r, enum kt_node_op op, size_t offset, kt_node a,
                         kt_node b, kt_node c) KT_MUST_CHECK;

/* A whole expression with `if … else …`. */
kt_status kt_python_read(struct kt_python_value *out, struct kt_python_reader *r) KT_MUST_CHECK;
/* The same where only a scalar makes sense. */
kt_status kt_python_scalar(kt_node *out, struct kt_python_reader *r) KT_MUST_CHECK;
/* Items up to the closing bracket, which is taken; `comma` says whether one was seen (a tuple of one). */
kt_status kt_python_items(struct kt_python_value *out, bool *comma, struct kt_python_reader *r,
                          char close) KT_MUST_CHECK;
/* A call of the function that starts at `name`; the cursor stands behind "(". */
kt_status kt_python_call(struct kt_python_value *out, struct kt_python_reader *r, size_t name, size_t length)
    KT_MUST_CHECK;
kt_status kt_python_push(struct kt_python_value *list, struct kt_python_reader *r, kt_node item) KT_MUST_CHECK;
/* The constant that a node is; false when it depends on a parameter or does not evaluate to an integer. */
bool kt_python_constant(int64_t *out, const struct kt_python_reader *r, kt_node node);

#endif
