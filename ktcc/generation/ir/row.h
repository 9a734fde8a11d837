/* Rows of any length: where an access of a loop begins, as it can be asked in front of the loop or of a branch. */
#ifndef KT_IR_ROW_H
#define KT_IR_ROW_H

#include "generation/ir/form.h"

/* What a region of a function changes, and what has another value in front of it. */
struct kt_ir_row {
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	bool *inside;                      /* by symbol id: the region defines or sets it */
	const struct kt_ir_symbol *symbol; /* NULL: there is none */
	const struct kt_ir_value *instead; /* of that symbol, in front */
	bool is_run;                       /* what is formed is formed where the region would be: overflow stays undefined */
};

/* False: out of memory, which the module knows. */
bool kt_ir_row_of(struct kt_ir_row *row, struct kt_ir_module *module, const struct kt_ir_lets *lets, const struct kt_ir_region *region);

/*
 * The integer as it is formed in front of the region's statements: of symbols that live outside of it and are not set in it, with
 * lets of the region by their values, by operations that have a result for any operands, which wrap. So it may be formed where
 * the region is never run: it is the integer wherever that is defined. NULL: it cannot.
 */
const struct kt_ir_value *kt_ir_formed_outside(const struct kt_ir_row *row, const struct kt_ir_value *value);

/*
 * May the integer of 64 bits, formed for neighbouring values of the row's symbol, be no neighbouring numbers, since a part of it
 * that depends on the symbol wraps in less than 64 bits? That of signed numbers whose overflow is undefined does not.
 */
bool kt_ir_may_skip(const struct kt_ir_row *row, const struct kt_ir_value *value);

/* Is it an access to a whole element of what an argument leads to, of a type that has vectors, and not volatile? */
bool kt_ir_is_element(const struct kt_ir_statement *access);

/*
 * By how many elements that access begins past a multiple of `width` elements in memory: 0 to width − 1, of 64 bits without
 * sign, formed in front of the region. width: a power of two. NULL: it cannot be.
 */
const struct kt_ir_value *kt_ir_elements_past(const struct kt_ir_row *row, const struct kt_ir_statement *access,
					      int64_t width);

#endif
