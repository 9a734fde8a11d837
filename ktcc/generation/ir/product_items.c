/* The work items of a thread in a tile: what each does before the loop, in an iteration, and after it. */
#include "generation/ir/product_parts.h"

#include "generation/ir/walk.h"

/* What of the kernel the tile is in: its first work item is, if any is. */
struct kt_ir_region *kt_ir_tile_start(struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_product_at nowhere = {.index = {NULL, NULL}};
	const struct kt_ir_value *all = NULL;

	for (size_t i = 0; i < p->condition_count; i++)
		all = kt_ir_tile_both(k, all, kt_ir_product_value(p, to, p->conditions[i], &nowhere, false));
	for (unsigned d = 0; d < 2; d++)
		all = kt_ir_tile_both(k, all, kt_ir_tile_within(k, to, d, k->first[d]));
	return kt_ir_tile_branch(k, to, all);
}

/* Loops over the work items; what is in the inner one. */
struct kt_ir_region *each_item(const struct kt_ir_tile *k, struct kt_ir_tile_item *item, struct kt_ir_region *to)
{
	static const char *const hints[] = {"column", "row"};

	for (unsigned i = 0; i < 2; i++) {
		const unsigned d = 1 - i;
		struct kt_ir_statement *made = kt_ir_tile_loop(k, to, hints[d], k->shape->items[d], -1);

		if (made == NULL)
			return to;
		item->number[d] = kt_ir_read(k->module, made->symbol);
		item->at.index[d] = kt_ir_tile_plus(k, k->first[d], kt_ir_tile_offset(k, d, item->number[d]));
		to = &made->body;
	}
	item->all = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, item->number[1], k->shape->items[0]), item->number[0]);
	return to;
}

const struct kt_ir_value *item_within(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_tile_item *item)
{
	return kt_ir_tile_both(k, kt_ir_tile_within(k, to, 0, item->at.index[0]), kt_ir_tile_within(k, to, 1, item->at.index[1]));
}

/* What is carried begins as before the loop; where that is loaded, for work items that there are. */
void kt_ir_tile_begin_items(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;
	struct kt_ir_product_slice slice;
	struct kt_ir_cloner cloner;
	struct kt_ir_tile_item item = {0};

	if (!kt_ir_product_slice_of(&slice, p, KT_IR_PART_BEFORE | KT_IR_PART_CARRIED))
		return;
	for (size_t i = 0; i < p->carried_count; i++)
		slice.is_needed[p->carried[i]->id] = true;
	kt_ir_product_slice_close(&slice);
	to = each_item(k, &item, to);
	if (slice.has_load) {
		for (size_t i = 0; i < p->carried_count; i++)
			kt_ir_tile_store(k, to, k->carried[i], item.all, kt_ir_tile_zero(k, p->carried[i]->type));
		to = kt_ir_tile_branch(k, to, item_within(k, to, &item));
	}
	if (!kt_ir_product_cloner(&cloner, p, &item.at))
		return;
	kt_ir_product_emit(&slice, &cloner, to, KT_IR_PART_BEFORE);
	for (size_t i = 0; i < p->carried_count; i++)
		kt_ir_tile_store(k, to, k->carried[i], item.all, kt_ir_clone_value(&cloner, kt_ir_read(k->module, p->carried[i])));
}

/* Locals of a work item for what is carried, which the cloner's copies read and set. */
void take_carried(const struct kt_ir_tile *k, struct kt_ir_cloner *cloner, struct kt_ir_region *to, const struct kt_ir_tile_item *item)
{
	const struct kt_ir_product *p = k->product;

	for (size_t i = 0; i < p->carried_count && !k->module->failed; i++) {
		struct kt_ir_symbol *own = kt_ir_symbol(k->module, KT_IR_LOCAL_SYMBOL, p->carried[i]->type, p->carried[i]->hint);
		struct kt_ir_symbol *value = kt_ir_tile_load(k, to, k->carried[i], item->all);

		if (own == NULL || value == NULL)
			return;
		(void)kt_ir_declare(k->module, to, own);
		(void)kt_ir_set(k->module, to, own, kt_ir_read(k->module, value));
		cloner->symbols[p->carried[i]->id] = own;
	}
}

/* One iteration for all work items of the thread. */
void kt_ir_tile_run_items(const struct kt_ir_tile *k, struct kt_ir_region *to, struct kt_ir_tile_item *item)
{
	const struct kt_ir_product *p = k->product;
	struct kt_ir_product_slice slice;
	struct kt_ir_cloner cloner;

	if (!kt_ir_product_slice_of(&slice, p, KT_IR_PART_BEFORE | KT_IR_PART_BODY))
		return;
	for (size_t i = 0; i < p->carried_count; i++)
		slice.is_needed[p->carried[i]->id] = true;
	kt_ir_product_slice_close(&slice);
	to = each_item(k, item, to);
	if (!kt_ir_product_cloner(&cloner, p, &item->at))
		return;
	take_carried(k, &cloner, to, item);
	for (size_t i = 0; i < p->leaf_count && !k->module->failed; i++)
		cloner.symbols[p->leaves[i].symbol->id] = kt_ir_tile_load(k, to, k->parts[i], item->number[p->leaves[i].dimension]);
	kt_ir_product_emit(&slice, &cloner, to, KT_IR_PART_BEFORE | KT_IR_PART_BODY);
	for (size_t i = 0; i < p->carried_count && !k->module->failed; i++)
		kt_ir_tile_store(k, to, k->carried[i], item->all, kt_ir_read(k->module, cloner.symbols[p->carried[i]->id]));
}

/* What follows the loop. */
void kt_ir_tile_end_items(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;
	struct kt_ir_product_slice slice;
	struct kt_ir_cloner cloner;
	struct kt_ir_tile_item item = {0};

	if (!kt_ir_product_slice_of(&slice, p, KT_IR_PART_BEFORE))
		return;
	kt_ir_product_slice_add_all(&slice, &p->after);
	kt_ir_product_slice_close(&slice);
	to = each_item(k, &item, to);
	to = kt_ir_tile_branch(k, to, item_within(k, to, &item));
	if (!kt_ir_product_cloner(&cloner, p, &item.at))
		return;
	take_carried(k, &cloner, to, &item);
	kt_ir_product_emit(&slice, &cloner, to, KT_IR_PART_BEFORE);
	for (const struct kt_ir_statement *s = p->after.first; s != NULL && !k->module->failed; s = s->next)
		(void)kt_ir_clone_statement(&cloner, to, s);
}
