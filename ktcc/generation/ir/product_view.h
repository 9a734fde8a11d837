/* Kernels as ones whose threads have an index along x and one along y: of the rows and columns of a product (product.h). */
#ifndef KT_IR_PRODUCT_VIEW_H
#define KT_IR_PRODUCT_VIEW_H

#include "generation/ir/effect.h"

enum { KT_IR_VIEW_MOST_ASSUMED = 16 };

struct kt_ir_product_view {
	int64_t block[3]; /* threads of a block, as they are seen; 0: they make no difference */
	unsigned grid[2]; /* the dimension of the written grid that has the blocks along x, along y */
	/* How many indices there are along x, along y; NULL: as many as the written grid's blocks have. */
	const struct kt_ir_value *extent[2];
	/* What must hold of a launch, over its arguments and the written grid. */
	size_t assumed_count;
	const struct kt_ir_value *assumed[KT_IR_VIEW_MOST_ASSUMED];
	struct kt_ir_apart apart;
	/* Why several results of a thread are not seen as one of each; NULL: they are, or there is one. */
	const char *why;
};

/*
 * The kernel, in normal form for launches of that block, as threads of two indices: a copy, or the module itself, where it is so
 * already, or cannot be seen so.
 */
struct kt_ir_module *kt_ir_product_see(struct kt_ir_product_view *view, struct kt_ir_module *module, const int64_t block[3]);

#endif
