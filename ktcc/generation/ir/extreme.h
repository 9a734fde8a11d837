/*
 * The greater or lesser of two values that a comparison picks: `a > m ? a : m`, in any of its spellings, and where such a choice
 * does not depend on an order.
 *
 * Of integers it is the maximum or minimum. Of floats it gives one and the same operand wherever either is no number (NaN):
 * `a > m ? a : m` keeps m. It is fmaxf where that operand is a number: then what is no number is passed over, in any order. Where it
 * is none, it stays until the end, or is forgotten, by the order; such a choice is no reduction. Which of +0 and −0 is kept
 * depends on the order as well; that is within what a recognised reduction may change.
 */
#ifndef KT_IR_EXTREME_H
#define KT_IR_EXTREME_H

#include "generation/ir/ir.h"

struct kt_ir_extreme {
	bool is_greatest;
	unsigned kept; /* the operand of the selection, 1 or 2, that it gives where the two are not ordered */
};

/* A selection of the operands of its comparison. first, second: does the comparison compare what the selection gives then? */
bool kt_ir_extreme_by(struct kt_ir_extreme *extreme, enum kt_ir_op comparison, bool in_order, bool in_other_order);
/* Is the value such a selection? */
bool kt_ir_is_extreme(struct kt_ir_extreme *extreme, const struct kt_ir_value *value);
/* The toolkit's function of that meaning: "fmaxf", "min", …; NULL: the type is no number. */
const char *kt_ir_extreme_name(const struct kt_ir_type *type, bool is_greatest);

/* Which locals and temporaries of a kernel are never a NaN; integers are none either. */
struct kt_ir_numbers {
	size_t count;
	bool *is; /* by symbol id */
};

/* False: out of memory. */
bool kt_ir_numbers_of(struct kt_ir_numbers *numbers, struct kt_arena *arena, const struct kt_ir_module *module,
		      const struct kt_ir_function *kernel);
/* Is the value a number, whatever is loaded? NULL: nothing is known about symbols. */
bool kt_ir_is_number_always(const struct kt_ir_numbers *numbers, const struct kt_ir_value *value);

/*
 * Is the operation's result a number where these of its operands are? For analyses over other nodes than values:
 * operands beyond the third are not asked for.
 */
bool kt_ir_gives_number(const struct kt_ir_value *operation, const bool *are, size_t count, const struct kt_ir_extreme *extreme);

#endif
