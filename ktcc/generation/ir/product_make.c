/*
 * The variant of a product: a block computes a tile of work items. For a piece of the loop after the other, its threads load what
 * the tile needs into shared memory, and then each thread runs the iterations for its work items, in the order of the loop.
 */
#include "generation/ir/normal.h"
#include "generation/ir/product_parts.h"

static void declare_all(struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;

	for (size_t i = 0; i < p->leaf_count; i++) {
		const struct kt_ir_product_leaf *leaf = &p->leaves[i];

		k->shared[i] = kt_ir_tile_array(k, to, KT_IR_SHARED_SYMBOL, leaf->value->type,
						(k->shape->is_ahead ? 2 : 1) * k->shape->depth * kt_ir_tile_stride(k, leaf), "tile");
		k->parts[i] = kt_ir_tile_array(k, to, KT_IR_LOCAL_SYMBOL, leaf->value->type, k->shape->items[leaf->dimension], "part");
		if (k->shape->is_ahead)
			k->next[i] =
			    kt_ir_tile_array(k, to, KT_IR_LOCAL_SYMBOL, leaf->value->type, kt_ir_tile_share(k, leaf), "next");
	}
	for (size_t i = 0; i < p->carried_count; i++)
		k->carried[i] = kt_ir_tile_array(k, to, KT_IR_LOCAL_SYMBOL, p->carried[i]->type, k->shape->items[0] * k->shape->items[1],
				      p->carried[i]->hint);
}

bool kt_ir_product_make(struct kt_ir_product *p, const struct kt_ir_product_shape *shape)
{
	struct kt_ir_module *m = p->module;
	struct kt_ir_tile k = {.product = p, .shape = shape, .module = m, .word = kt_ir_integer(m, 32, false), .wide = kt_ir_integer(m, 64, true)};
	struct kt_ir_region body = {NULL, NULL}, *to;

	declare_all(&k, &body);
	for (unsigned d = 0; d < 2; d++) {
		k.thread[d] = kt_ir_axis(m, KT_IR_THREAD, d);
		k.first[d] = kt_ir_tile_let(&k, &body, d == 0 ? "first_column" : "first_row", kt_ir_tile_with(&k, KT_IR_MUL, kt_ir_axis(m, KT_IR_BLOCK, d), kt_ir_tile_extent(&k, d)));
	}
	to = kt_ir_tile_start(&k, &body);
	kt_ir_tile_begin_items(&k, to);
	kt_ir_tile_run_loop(&k, to);
	kt_ir_tile_end_items(&k, to);
	p->kernel->body = body;
	p->kernel->max_threads = (uint32_t)kt_ir_tile_threads(&k);
	p->kernel->min_blocks = 0;
	/* They are guards of the offer, and speak of the original launch. */
	p->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	while (!m->failed && kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL))
		continue;
	return !m->failed;
}
