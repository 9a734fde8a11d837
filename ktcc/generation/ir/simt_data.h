/* What the machine of simt.h has for each thread: for its statements alone. */
#ifndef KT_IR_SIMT_DATA_H
#define KT_IR_SIMT_DATA_H

#include "generation/ir/simt.h"

enum { KT_IR_SIMT_WARP = 32, KT_IR_SIMT_CELLS = 1 << 14 };

/* False; the first reason is kept. */
bool kt_ir_simt_stop(struct kt_ir_simt *simt, uint32_t line, const char *why);
/* The symbol's values, which may be changed; NULL: out of memory. */
const struct kt_ir_term_of **kt_ir_simt_owned(struct kt_ir_simt *simt, const struct kt_ir_symbol *symbol);
/* What the value is for the thread. */
const struct kt_ir_term_of *kt_ir_simt_value(struct kt_ir_simt *simt, const struct kt_ir_value *value, unsigned thread);
const struct kt_ir_term_of *kt_ir_simt_number(struct kt_ir_simt *simt, const struct kt_ir_type *type, int64_t value);
/* Is it a constant integer or truth value? */
bool kt_ir_simt_known(const struct kt_ir_term_of *value, int64_t *number);
/* The elements of a shared symbol; NULL: it is too large, or holds what is no number. */
struct kt_ir_cells *kt_ir_simt_cells(struct kt_ir_simt *simt, const struct kt_ir_symbol *symbol);
/* The element that the place is for the thread; NULL: not known, or outside. */
const struct kt_ir_term_of **kt_ir_simt_cell(struct kt_ir_simt *simt, const struct kt_ir_place *place, unsigned thread);

#endif
