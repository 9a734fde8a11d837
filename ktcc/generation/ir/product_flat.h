/* Kernels with a thread for each result of a matrix, in one dimension (product_view.h). */
#ifndef KT_IR_PRODUCT_FLAT_H
#define KT_IR_PRODUCT_FLAT_H

#include "generation/ir/product_view.h"

/* Rewrites the module's last function to rows and columns. False: it is no such kernel, or out of memory. block: in the source. */
bool kt_ir_product_unflatten(struct kt_ir_product_view *view, struct kt_ir_module *module, const int64_t block[3]);

#endif
