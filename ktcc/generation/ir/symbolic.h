/*
 * Values of the threads of a block as terms: what a thread computes from its own locals, from what all threads have
 * alike, and from totals of one term over several threads. Equal terms are one pointer.
 */
#ifndef KT_IR_SYMBOLIC_H
#define KT_IR_SYMBOLIC_H

#include "generation/ir/extreme.h"

enum { KT_IR_TERM_THREADS = 1024, KT_IR_TERM_WORDS = KT_IR_TERM_THREADS / 64 };

enum kt_ir_term_kind {
	KT_IR_T_BAD,      /* nothing is known about it */
	KT_IR_T_CONSTANT, /* value */
	KT_IR_T_LEAF,     /* a symbol as it was at a point (version): of one thread, or the same in the block */
	KT_IR_T_AXIS,     /* value: the same in the block */
	KT_IR_T_OP,       /* value: operation, type and mode; its operands are terms */
	KT_IR_T_TOTAL,    /* value: the operation as an example; part, over the threads of a set; extra */
	KT_IR_T_WITH,     /* what goes with a least or greatest total: of equal ones the least or greatest, by value */
};

enum { KT_IR_EVERY = -1, KT_IR_MIXED = -2, KT_IR_SELF = -3 };

struct kt_ir_term_of {
	enum kt_ir_term_kind kind;
	const struct kt_ir_value *value;
	const struct kt_ir_symbol *symbol;
	unsigned version;
	/* The thread whose locals it depends on; EVERY: none; MIXED: several; SELF: in `own`, the thread that evaluates it. */
	int thread;
	/* The same term for the thread that evaluates it; NULL: MIXED. */
	const struct kt_ir_term_of *own;
	size_t count;
	/* Operands; of a total: its part for SELF, and a term that all have, or NULL; of what goes with a total: that total besides. */
	const struct kt_ir_term_of **parts;
	uint64_t *set;                      /* of a total: its threads */
	const struct kt_ir_term_of *next;   /* of the table */
};

struct kt_ir_terms {
	struct kt_ir_module *module; /* gets the constants */
	struct kt_arena *arena;
	unsigned threads; /* of the block */
	size_t bucket_count;
	const struct kt_ir_term_of **buckets;
	const struct kt_ir_term_of *bad;
	const struct kt_ir_numbers *numbers; /* NULL: of no symbol is it known that it is no NaN */
	bool meets_tie; /* of equal values a choice of pairs was the first one that threads exchange */
	bool meets_nan; /* a choice of several threads' values by comparison was none that any order gives (extreme.h) */
	bool failed; /* out of memory */
};

/* False: out of memory. threads: at most KT_IR_TERM_THREADS. */
bool kt_ir_terms_start(struct kt_ir_terms *terms, struct kt_ir_module *module, struct kt_arena *arena, unsigned threads);

const struct kt_ir_term_of *kt_ir_term_constant(struct kt_ir_terms *terms, const struct kt_ir_value *constant);
const struct kt_ir_term_of *kt_ir_term_axis(struct kt_ir_terms *terms, const struct kt_ir_value *axis);
/* thread: EVERY or a number. */
const struct kt_ir_term_of *kt_ir_term_leaf(struct kt_ir_terms *terms, const struct kt_ir_symbol *symbol, unsigned version,
					    int thread);
/*
 * The operation of `value` on these operands. Sums, least and greatest values, and bitwise operations of the same term of
 * different threads are totals, and so are selections of the greater or lesser term by comparison, in any order; any other
 * operation of several threads' terms but a comparison is bad.
 */
const struct kt_ir_term_of *kt_ir_term_apply(struct kt_ir_terms *terms, const struct kt_ir_value *value,
					     const struct kt_ir_term_of *const *operands, size_t count);
/* An operation of the table of two terms of one type. */
const struct kt_ir_term_of *kt_ir_term_combine(struct kt_ir_terms *terms, enum kt_ir_op op,
					       const struct kt_ir_term_of *a, const struct kt_ir_term_of *b);

/* Both conditions, of which the first may be NULL: it holds; and the opposite of one. */
const struct kt_ir_term_of *kt_ir_term_both(struct kt_ir_terms *terms, const struct kt_ir_term_of *a, const struct kt_ir_term_of *b);
const struct kt_ir_term_of *kt_ir_term_not(struct kt_ir_terms *terms, const struct kt_ir_term_of *condition);

/* A thread's value after a branch: `taken` where the condition holds, else `other`; both of that type. */
const struct kt_ir_term_of *kt_ir_term_select(struct kt_ir_terms *terms, const struct kt_ir_type *type,
					      const struct kt_ir_term_of *condition, const struct kt_ir_term_of *taken,
					      const struct kt_ir_term_of *other);

/* The number of the total's collective (KT_IR_TOTAL_ADD …), by the operation and, of an intrinsic, its name; -1: none. */
int kt_ir_total_of(enum kt_ir_op op, const char *name);

/* For the files of this header: a term is one pointer; what is a number whatever is loaded; an operation without operands. */
const struct kt_ir_term_of *kt_ir_term_unique(struct kt_ir_terms *terms, const struct kt_ir_term_of *wanted);
bool kt_ir_term_is_number(const struct kt_ir_terms *terms, const struct kt_ir_term_of *term);
const struct kt_ir_value *kt_ir_term_example(struct kt_ir_terms *terms, enum kt_ir_op op, const struct kt_ir_type *type, const char *name);
bool kt_ir_term_is_whole(const struct kt_ir_terms *terms, const uint64_t *set);
/*
 * A selection by a comparison of pairs, a key and what goes with it, in any spelling: `k > key || k == key && i < index`. The greater or lesser
 * key, or what goes with it; bad: it is none.
 */
const struct kt_ir_term_of *kt_ir_term_chosen_pair(struct kt_ir_terms *terms, const struct kt_ir_term_of *const *operands);

#endif
