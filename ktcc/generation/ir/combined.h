/* Atomics that combine values of many threads in one place, which may be combined before. For kernels in normal form.
 */
#ifndef KT_IR_COMBINED_H
#define KT_IR_COMBINED_H

#include "generation/ir/form.h"
#include "generation/ir/pass.h"

enum { KT_IR_MOST_COMBINED = 4 };

/* Atomics of one operation on one place, which is the same for all threads of a block wherever it is evaluated. */
struct kt_ir_combined {
	const struct kt_ir_statement *first;
	const struct kt_ir_place *place; /* over arguments, blocks and the extents of the launch alone */
	const struct kt_ir_type *type;
};

struct kt_ir_combination {
	size_t count;
	struct kt_ir_combined groups[KT_IR_MOST_COMBINED];
};

/*
 * Finds the groups, whose results are not used, and which more than one thread of a block executes. NULL where there is
 * one at least, and it makes no difference when in the kernel its atomics take place; else what prevents it, and where.
 * The module gets its own values and places, and is not changed otherwise.
 */
const char *kt_ir_why_not_combined(struct kt_ir_combination *combination, uint32_t *line, struct kt_ir_module *module,
				   const struct kt_ir_lets *lets);
/* Is the atomic of this group? */
bool kt_ir_is_combined(const struct kt_ir_combined *group, struct kt_ir_module *module, const struct kt_ir_lets *lets,
		       const struct kt_ir_statement *statement);

/* Is it relaxed over the grid, by an operation on numbers that lanes can exchange? */
bool kt_ir_is_combinable(const struct kt_ir_statement *atomic);
/* Why the statement matters to when the kernel's atomics take place: other threads may wait, or it returns what they
 * left. NULL: it does not. */
const char *kt_ir_why_now(const struct kt_ir_function *kernel, const struct kt_ir_statement *statement);
/*
 * The place of an access over arguments, blocks and the extents of the launch, as it is anywhere in the kernel; NULL:
 * it may be another one for each thread, or where the access is.
 */
const struct kt_ir_place *kt_ir_place_of_block(struct kt_ir_module *module, const struct kt_ir_lets *lets,
					       const struct kt_ir_statement *statement);
/* Does the condition single threads out, such as `threadIdx.x == 0`? */
bool kt_ir_singles_out(struct kt_ir_module *module, const struct kt_ir_lets *lets, const struct kt_ir_value *condition);
/*
 * NULL: atomics like the first one may take place at this place at the kernel's end: accesses that may be to the same
 * memory commute with them, or a guard ensures that their buffers are disjoint (unless this condition over parameters holds). lets:
 * elements whose numbers differ by a constant are others; NULL: the whole buffer is one place. Else what prevents it,
 * and where.
 */
const char *kt_ir_why_seen(uint32_t *line, struct kt_ir_offer *offer, const struct kt_ir_function *kernel,
			   const struct kt_ir_lets *lets, const struct kt_ir_statement *first,
			   const struct kt_ir_place *place, const char *unless);

/* For an atomic that is combinable: the operand that changes nothing (of a sum of floats −0), and what two operands are
 * together. */
const struct kt_ir_value *kt_ir_neutral(struct kt_ir_module *module, const struct kt_ir_statement *atomic);
const struct kt_ir_value *kt_ir_joined(struct kt_ir_module *module, const struct kt_ir_statement *atomic,
				       const struct kt_ir_value *a, const struct kt_ir_value *b);
/* Is the value another one than the neutral one, by its bits? */
const struct kt_ir_value *kt_ir_is_more(struct kt_ir_module *module, const struct kt_ir_statement *atomic,
					const struct kt_ir_value *value);
/* Appends an atomic of the same operation. */
void kt_ir_atomic_like(struct kt_ir_module *module, struct kt_ir_region *to, const struct kt_ir_statement *atomic,
		       const struct kt_ir_place *place, const struct kt_ir_value *value);
/* The number of the thread in its block (KT_IR_THREAD), or of threads of the block (KT_IR_BLOCK_DIM). block: extents
 * that are 1 are left out. */
const struct kt_ir_value *kt_ir_linear(struct kt_ir_module *module, enum kt_ir_axis axis, const int64_t *block);

#endif
