/* Parts of widening, for the widen*.c files only. */
#ifndef KT_IR_WIDEN_PARTS_H
#define KT_IR_WIDEN_PARTS_H

#include "generation/ir/widen.h"

/* A let of the simplified value; NULL: out of memory, or value is NULL. */
struct kt_ir_symbol *kt_ir_widen_name(struct kt_ir_widening *widening, struct kt_ir_region *to, const char *hint,
				      const struct kt_ir_value *value);

/*
 * Sets `leads`: an index must be one thread's in two loops, or whenever a loop is run again, where memory that
 * is written requires it.
 */
void kt_ir_find_ties(struct kt_ir_widening *widening, const struct kt_ir_region *body);
/* How many items a loop begins in front of its first index, `offset`: of this loop, or of the first of the loops; NULL: none. */
struct kt_ir_symbol *kt_ir_lead_of(struct kt_ir_widening *widening, struct kt_ir_region *to, const struct kt_ir_statement *loop,
				   int64_t offset);

#endif
