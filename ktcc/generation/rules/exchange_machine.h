/*
 * For exchange.c and exchange_value.c: the machine that executes a piece of a kernel for all threads of a block, in
 * lockstep, on symbolic values.
 */
#ifndef KT_RULES_EXCHANGE_MACHINE_H
#define KT_RULES_EXCHANGE_MACHINE_H

#include "generation/rules/exchange.h"

enum {
	KT_MACHINE_THREADS = 1024,
	KT_MACHINE_WORDS = KT_MACHINE_THREADS / 64,
	KT_MACHINE_CELLS = 64,
	KT_MACHINE_STEPS = 20000, /* a thread */
	KT_MACHINE_DEPTH = 6,
	KT_MACHINE_WARP = 32,
};

struct kt_exchange_value {
	enum { UNKNOWN, INTEGER, LITERAL, PART } kind;
	int64_t integer;
	double literal;
	uint64_t from[KT_MACHINE_WORDS]; /* PART: the threads whose values are in it */
	bool bounded;         /* PART: and this number, of which a maximum is no less, a minimum no more */
	double bound;
};

/* A variable: a value a thread, or the elements of shared memory. */
struct kt_exchange_cell {
	const struct kt_tree_variable *variable;
	struct kt_exchange_value *values;
};

struct kt_exchange_result {
	const struct kt_tree *call;
	struct kt_exchange_value *values;
};

struct kt_exchange_frame {
	const struct kt_kernel *kernel;
	bool gone[KT_MACHINE_THREADS];      /* returned */
	struct kt_exchange_value *returned;
};

struct kt_machine {
	struct kt_family *family;
	size_t threads, cell_count, result_count, alias_count, steps, depth;
	struct kt_exchange_cell cells[KT_MACHINE_CELLS];
	struct kt_exchange_result results[KT_MACHINE_CELLS];
	struct {
		const struct kt_tree_variable *name, *stands_for;
	} aliases[KT_MACHINE_CELLS];
	struct kt_exchange_frame *frame;
	enum kt_fold_kind kind;
	enum kt_scalar scalar;   /* of the values of the reduction */
	bool failed;
};

/* exchange_value.c: values, and what an expression is for one thread. */
/* Room for a value a thread; NULL: no memory, and the machine has failed. */
struct kt_exchange_value *kt_machine_values(struct kt_machine *m);
/* The variable that a callee's parameter leads to. */
const struct kt_tree_variable *kt_machine_meant(const struct kt_machine *m, const struct kt_tree_variable *v);
/* NULL: not there, or no room for it. */
struct kt_exchange_cell *kt_machine_cell(struct kt_machine *m, const struct kt_tree_variable *v, bool make);
/* An element of shared memory; NULL: it cannot be followed. */
struct kt_exchange_value *kt_machine_element(struct kt_machine *m, struct kt_tree *node, size_t thread);
struct kt_exchange_value kt_machine_eval(struct kt_machine *m, struct kt_tree *node, size_t thread);
struct kt_exchange_value kt_machine_operate(struct kt_machine *m, const char *op, const struct kt_exchange_value *a,
                                            const struct kt_exchange_value *b);
/* Both known, and the same. */
bool kt_machine_same(const struct kt_exchange_value *a, const struct kt_exchange_value *b);
bool kt_machine_is_shuffle(const struct kt_tree *call);

#endif
