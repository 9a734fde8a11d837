/* Kernels whose threads compute several results each, as ones with a thread for each result (product_view.h). */
#ifndef KT_IR_PRODUCT_RESULTS_H
#define KT_IR_PRODUCT_RESULTS_H

#include "generation/ir/product_view.h"

/* The results of a thread: each has a number below `count`, which the symbol holds. */
struct kt_ir_product_items {
	const struct kt_ir_symbol *number; /* NULL: there is one */
	int64_t count;
};

/* product_once.c: loops that run once are branches, and sums that are kept in memory are in locals, as far as what the view assumes then. */
void kt_ir_product_prepare(struct kt_ir_product_view *view, struct kt_ir_module *module, const int64_t block[3]);

/* product_forward.c: reads of a private array that loops filled before become what they stored. */
void kt_ir_product_forward(struct kt_ir_module *module, const int64_t block[3]);

/*
 * product_results.c: the last function computes one result, of that number. False: results of a thread depend on each
 * other or are not numbered. Buffers that must be disjoint then are in the view.
 */
bool kt_ir_product_separate(struct kt_ir_product_view *view, struct kt_ir_product_items *items,
			    struct kt_ir_module *module);

/* product_whole.c: (x * c + y) / c is x where y is below c, and sums of x % c and x / c * c are x. */
void kt_ir_product_join_quotients(struct kt_ir_module *module, const int64_t block[3]);

/*
 * product_index.c: quotients and remainders of thread indices and of the number become one index along x and one along
 * y, in view->block. False: they do not.
 */
bool kt_ir_product_join_digits(struct kt_ir_product_view *view, struct kt_ir_module *module,
			       const struct kt_ir_product_items *items);

#endif
