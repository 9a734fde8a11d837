/* What statements may do to others: effects, and which places may be the same memory. */
#ifndef KT_IR_EFFECT_H
#define KT_IR_EFFECT_H

#include "generation/ir/ir.h"

/*
 * The effects (enum kt_ir_effects) of all that is in the region, functions that are called included. READS_MEMORY and
 * WRITES_MEMORY: by statements of the IR or by opaque code; SYNCHRONISES: barriers, fences, collectives, atomics that order
 * more than themselves, opaque statements; MAY_NOT_RETURN: also a return.
 */
unsigned kt_ir_effects_of(const struct kt_ir_region *region);
unsigned kt_ir_statement_effects(const struct kt_ir_statement *statement);
/*
 * Does the statement print, or end the launch with an error, and do nothing else? As long as it is run once for each work item
 * for which the original runs it, and nothing moves in front of it that it is there to prevent, other threads may run it.
 */
bool kt_ir_only_reports(const struct kt_ir_statement *statement);

/*
 * May the two places overlap? Separate objects, address spaces and `restrict` (of which at least one access must write)
 * distinguish them; indices do not.
 */
bool kt_ir_may_alias(const struct kt_ir_place *a, const struct kt_ir_place *b);
/* May a statement of the region, or another thread while it runs, write to the place? */
bool kt_ir_may_change(const struct kt_ir_region *region, const struct kt_ir_place *place);

/*
 * Are both atomics of one operation on numbers of one type, several of which leave the same in any order? What they return is another
 * matter, and so are operations of different types: bits that are added to as an integer are another float.
 */
bool kt_ir_commute(const struct kt_ir_statement *a, const struct kt_ir_statement *b);

/* Arguments whose buffers must not overlap, in pairs. */
enum { KT_IR_MOST_APART = 24 };
struct kt_ir_apart {
	size_t count;
	const struct kt_ir_symbol *pairs[KT_IR_MOST_APART][2];
};
/* Are the two disjoint, or, of two arguments, if their buffers are, which is noted? False: neither, or too many pairs. */
bool kt_ir_note_apart(struct kt_ir_apart *apart, const struct kt_ir_place *place, const struct kt_ir_place *written);

/* The argument or object that the place is part of; NULL: a pointer of unknown origin. */
const struct kt_ir_symbol *kt_ir_root_of(const struct kt_ir_place *place);

#endif
