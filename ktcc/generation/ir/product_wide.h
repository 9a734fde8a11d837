/* Sums of unsigned words that are indices of 64 bits, as sums of 64 bits (product_view.h). */
#ifndef KT_IR_PRODUCT_WIDE_H
#define KT_IR_PRODUCT_WIDE_H

#include "generation/ir/product_view.h"

/* Rewrites the module's last function. Launches in which one of the sums wraps do not fulfil what is assumed then. */
void kt_ir_product_widen(struct kt_ir_product_view *view, struct kt_ir_module *module);

#endif
