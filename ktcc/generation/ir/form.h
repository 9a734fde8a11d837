/*
 * Integers as sums of products: factor * atom * atom … + constant. An atom is an axis, an argument, a counter, what was
 * loaded, or a value that is no sum (a quotient, a remainder, a selection). What an index depends on, and how, is read
 * from it.
 */
#ifndef KT_IR_FORM_H
#define KT_IR_FORM_H

#include "generation/ir/ir.h"

enum { KT_IR_FORM_TERMS = 24, KT_IR_TERM_ATOMS = 4 };

struct kt_ir_term {
	int64_t factor; /* not 0 */
	unsigned count;
	const struct kt_ir_value *atoms[KT_IR_TERM_ATOMS];
};

struct kt_ir_form {
	size_t count;
	struct kt_ir_term terms[KT_IR_FORM_TERMS]; /* no two of the same atoms */
	int64_t constant;
	/* The value is the sum modulo 2^bits; 128: the very sum. Else it is the sum where nothing in between wraps. */
	unsigned bits;
};

/* Lets by symbol id whose operands keep their values, of one function. */
struct kt_ir_lets {
	size_t count;
	const struct kt_ir_value **values;
	unsigned *sets; /* by symbol id: sets in the function */
};

/* False: out of memory. */
bool kt_ir_lets_of(struct kt_ir_lets *lets, struct kt_arena *arena, const struct kt_ir_module *module,
		   const struct kt_ir_function *function);
/* Lets that a value is expanded by at most, where it is rewritten by what they read: more stay reads. */
#define KT_IR_MOST_EXPANDED 256
/* The value that a read of a let reads; the value itself otherwise. */
const struct kt_ir_value *kt_ir_behind_let(const struct kt_ir_lets *lets, const struct kt_ir_value *value);
/* Does the value stay the same wherever its symbols are in scope? */
bool kt_ir_is_steady(const struct kt_ir_lets *lets, const struct kt_ir_value *value);
bool kt_ir_is_steady_place(const struct kt_ir_lets *lets, const struct kt_ir_place *place);

/*
 * The form of an integer. keeps_global: block.x * blockdim.x + thread.x in its normal form is one atom. False: too many
 * terms or atoms, a factor past 64 bits, a type of less than 32 bits or more than 64.
 */
bool kt_ir_form_of(struct kt_ir_form *form, const struct kt_ir_lets *lets, const struct kt_ir_value *value,
		   bool keeps_global);
/* a - b; false: too many terms. */
bool kt_ir_form_minus(struct kt_ir_form *form, const struct kt_ir_form *a, const struct kt_ir_form *b);
/* Is it a number? */
bool kt_ir_form_is_constant(const struct kt_ir_form *form, int64_t *number);
/* The term whose atoms are exactly these, in any order; NULL: none. */
const struct kt_ir_term *kt_ir_form_term(const struct kt_ir_form *form, const struct kt_ir_value *const *atoms,
					 size_t count);
/* How the form depends on the atom: 0: not; 1: in one term, with a factor (*factor) and atoms besides; 2: otherwise. */
int kt_ir_form_degree(const struct kt_ir_form *form, const struct kt_ir_value *atom, const struct kt_ir_term **term);

/* ---- form_sum.c: forms that become values, and grow ---- */

/* The sum as a value of the type. */
const struct kt_ir_value *kt_ir_sum_value(struct kt_ir_module *module, const struct kt_ir_form *sum, const struct kt_ir_type *type);
/* Adds a sum times a factor, or a term, to a sum. False: too many terms, too large a factor. */
bool kt_ir_sum_add(struct kt_ir_form *to, const struct kt_ir_form *sum, int64_t factor);
bool kt_ir_sum_add_term(struct kt_ir_form *to, const struct kt_ir_term *term);

/*
 * Is it the global index of a dimension in its normal form: add(mul(block.d, blockdim.d), thread.d), of 32 or 64 bits?
 */
bool kt_ir_is_global(const struct kt_ir_value *value, unsigned *dimension);
const struct kt_ir_value *kt_ir_global_index(struct kt_ir_module *module, unsigned dimension,
					     const struct kt_ir_type *type);

#endif
