/*
 * The loop of a tile, piece by piece: threads load what the tile needs into shared memory, and then run the iterations for their work
 * items.
 */
#include "generation/ir/product_parts.h"

enum { MOST_COPIES = 1024 };

/* The counter of the loop in the piece's iteration of that number, as 64 bits. */
static const struct kt_ir_value *counter(const struct kt_ir_tile *k, const struct kt_ir_value *iteration)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_value *outer = kt_ir_tile_as(k, kt_ir_tile_with(k, KT_IR_DIV, iteration, p->inner_count), k->wide);

	return kt_ir_tile_plus(k, k->begin, kt_ir_tile_with(k, KT_IR_MUL, outer, kt_ir_tile_constant(p->loop->further[1])));
}

static void set_iteration(const struct kt_ir_tile *k, struct kt_ir_product_at *at, const struct kt_ir_value *iteration)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_statement *inner = p->inner;
	const struct kt_ir_value *number;

	at->iteration = kt_ir_tile_as(k, counter(k, iteration), p->loop->symbol->type);
	if (inner == NULL)
		return;
	number = kt_ir_tile_as(k, kt_ir_tile_with(k, KT_IR_REM, iteration, p->inner_count), inner->symbol->type);
	number = kt_ir_tile_with(k, KT_IR_MUL, number, kt_ir_tile_constant(inner->further[1]));
	at->inner = kt_ir_tile_with(k, KT_IR_ADD, number, kt_ir_tile_constant(inner->value));
}

/* Has each piece iterations to the end of shared memory? */
static bool is_always_full(const struct kt_ir_tile *k)
{
	return k->shape->depth == k->product->inner_count;
}

/* Whether the piece has; NULL: it has. */
static const struct kt_ir_value *is_full(const struct kt_ir_tile *k)
{
	const struct kt_ir_product *p = k->product;
	const int64_t span = (k->shape->depth / p->inner_count - 1) * kt_ir_tile_constant(p->loop->further[1]);
	const struct kt_ir_value *last = kt_ir_tile_with(k, KT_IR_ADD, k->begin, span);

	return is_always_full(k) ? NULL : kt_ir_apply(k->module, KT_IR_LT, last, k->end, NULL);
}

/* What the leaf is for one index and iteration; past the end of the loop, zero. */
static const struct kt_ir_value *fetch(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_product_leaf *leaf,
				       const struct kt_ir_value *index, const struct kt_ir_value *iteration, bool is_edge)
{
	struct kt_ir_product_at at = {.index = {NULL, NULL}};
	struct kt_ir_symbol *value;

	at.index[leaf->dimension] = index;
	set_iteration(k, &at, iteration);
	if (!is_edge || is_always_full(k))
		return kt_ir_product_value(k->product, to, leaf->value, &at, !is_edge);
	value = kt_ir_symbol(k->module, KT_IR_LOCAL_SYMBOL, leaf->value->type, leaf->symbol->hint);
	if (value == NULL)
		return NULL;
	(void)kt_ir_declare(k->module, to, value);
	(void)kt_ir_set(k->module, to, value, kt_ir_tile_zero(k, value->type));
	to = kt_ir_tile_branch(k, to, kt_ir_apply(k->module, KT_IR_LT, counter(k, iteration), k->end, NULL));
	(void)kt_ir_set(k->module, to, value, kt_ir_product_value(k->product, to, leaf->value, &at, false));
	return kt_ir_read(k->module, value);
}

/* The tile's index of that number; past the last one within bounds, that one again, which no work item uses. */
static const struct kt_ir_value *clamped(const struct kt_ir_tile *k, unsigned d, const struct kt_ir_value *number)
{
	const struct kt_ir_value *index = kt_ir_tile_plus(k, k->first[d], number);

	if (k->product->bound_count[d] == 0)
		return index;
	return kt_ir_apply(k->module, KT_IR_SELECT, kt_ir_apply(k->module, KT_IR_LT, index, k->last[d], NULL), index, k->last[d]);
}

/* All threads of the block load the piece; neighbours in memory are loaded by neighbours. */
static void stage(const struct kt_ir_tile *k, struct kt_ir_region *to, size_t n, bool is_edge)
{
	const struct kt_ir_product_leaf *leaf = &k->product->leaves[n];
	const int64_t depth = k->shape->depth, width = kt_ir_tile_extent(k, leaf->dimension), all = depth * width, at_once = kt_ir_tile_threads(k);
	struct kt_ir_statement *made = kt_ir_tile_loop(k, to, "step", (all + at_once - 1) / at_once, -1);
	const struct kt_ir_value *which, *iteration, *index;
	struct kt_ir_symbol *element_number;

	if (made == NULL)
		return;
	to = &made->body;
	which = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, kt_ir_read(k->module, made->symbol), at_once),
		     kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, k->thread[1], k->shape->block[0]), k->thread[0]));
	element_number = kt_ir_let(k->module, to, "element", which);
	if (element_number == NULL)
		return;
	which = kt_ir_read(k->module, element_number);
	if (all % at_once != 0)
		to = kt_ir_tile_branch(k, to, kt_ir_apply(k->module, KT_IR_LT, which, kt_ir_tile_number(k, all), NULL));
	iteration = leaf->is_along_loop ? kt_ir_tile_with(k, KT_IR_REM, which, depth) : kt_ir_tile_with(k, KT_IR_DIV, which, width);
	index = leaf->is_along_loop ? kt_ir_tile_with(k, KT_IR_DIV, which, depth) : kt_ir_tile_with(k, KT_IR_REM, which, width);
	kt_ir_tile_store(k, to, k->shared[n], kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, iteration, kt_ir_tile_stride(k, leaf)), index),
	      fetch(k, to, leaf, clamped(k, leaf->dimension, index), iteration, is_edge));
}

/* The iterations of the piece: what a thread needs of shared memory goes to registers first. */
static void run_piece(const struct kt_ir_tile *k, struct kt_ir_statement *iterations)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_value *iteration;
	struct kt_ir_tile_item item = {0};

	if (iterations == NULL)
		return;
	iteration = kt_ir_read(k->module, iterations->symbol);
	for (size_t i = 0; i < p->leaf_count && !k->module->failed; i++) {
		const struct kt_ir_product_leaf *leaf = &p->leaves[i];
		struct kt_ir_statement *made = kt_ir_tile_loop(k, &iterations->body, "item", k->shape->items[leaf->dimension], -1);
		const struct kt_ir_value *which = made == NULL ? NULL : kt_ir_read(k->module, made->symbol);
		const struct kt_ir_value *row = kt_ir_tile_with(k, KT_IR_MUL, iteration, kt_ir_tile_stride(k, leaf));
		struct kt_ir_symbol *value =
		    which == NULL ? NULL : kt_ir_tile_load(k, &made->body, k->shared[i], kt_ir_tile_plus(k, row, kt_ir_tile_offset(k, leaf->dimension, which)));

		if (value != NULL)
			kt_ir_tile_store(k, &made->body, k->parts[i], which, kt_ir_read(k->module, value));
	}
	set_iteration(k, &item.at, iteration);
	kt_ir_tile_run_items(k, &iterations->body, &item);
}

/* Iterations that are written out: as far as that is no more text than a compiler is quick with. */
static int copies(const struct kt_ir_tile *k)
{
	int64_t count = k->shape->depth;

	while (count > 1 && (count * k->shape->items[0] * k->shape->items[1] > MOST_COPIES || k->shape->depth % count != 0))
		count--;
	return (int)count;
}

/* How many iterations a piece has that is not full. */
static const struct kt_ir_value *rest(const struct kt_ir_tile *k)
{
	const struct kt_ir_product *p = k->product;
	const int64_t step = kt_ir_tile_constant(p->loop->further[1]);
	const struct kt_ir_value *left = kt_ir_apply(k->module, KT_IR_SUB, k->end, k->begin, NULL);

	left = kt_ir_tile_with(k, KT_IR_DIV, kt_ir_tile_with(k, KT_IR_ADD, left, step - 1), step);
	return kt_ir_tile_as(k, kt_ir_tile_with(k, KT_IR_MUL, left, p->inner_count), k->word);
}

/* What grows with a limit's index and the iteration, at the begin or the end of the piece. */
static const struct kt_ir_value *limit_at(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_product_limit *limit,
					  const struct kt_ir_value *value, bool is_last)
{
	struct kt_ir_product_at at = {.index = {NULL, NULL}};

	at.index[limit->dimension] = is_last ? k->last[limit->dimension] : k->first[limit->dimension];
	set_iteration(k, &at, kt_ir_tile_number(k, is_last ? k->shape->depth - 1 : 0));
	return kt_ir_product_value(k->product, to, value, &at, false);
}

/* Whether all of the piece is within the limits: its last element is, and nothing wraps on the way to it. */
static const struct kt_ir_value *within_limits(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_value *all = NULL;

	for (size_t i = 0; i < p->limit_count; i++) {
		const struct kt_ir_product_limit *limit = &p->limits[i];
		const struct kt_ir_value *least = limit_at(k, to, limit, limit->grown, false),
					 *greatest = limit_at(k, to, limit, limit->grown, true);

		all = kt_ir_tile_both(k, all, limit_at(k, to, limit, limit->condition, true));
		all = kt_ir_tile_both(k, all, kt_ir_apply(k->module, KT_IR_LE, least, greatest, NULL));
	}
	return all;
}

/* What the tile needs for the piece, in shared memory. */
static void stage_all(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_value *full)
{
	const struct kt_ir_value *all = kt_ir_tile_both(k, full, within_limits(k, to));
	struct kt_ir_statement *made = all == NULL ? NULL : kt_ir_if(k->module, to, all);

	for (size_t i = 0; i < k->product->leaf_count; i++) {
		stage(k, made == NULL ? to : &made->body, i, false);
		if (made != NULL)
			stage(k, &made->otherwise, i, true);
	}
}

static void run_pieces(struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_value *full = is_full(k);
	struct kt_ir_statement *made, *iterations = NULL;

	stage_all(k, to, full);
	kt_ir_tile_barrier(k, to);
	made = full == NULL ? NULL : kt_ir_if(k->module, to, full);
	run_piece(k, kt_ir_tile_loop(k, made == NULL ? to : &made->body, "iteration", k->shape->depth, copies(k)));
	if (made != NULL)
		iterations = kt_ir_for(k->module, &made->otherwise, "iteration", kt_ir_tile_number(k, 0), rest(k), kt_ir_tile_number(k, 1));
	if (iterations != NULL)
		iterations->unroll = 1;
	run_piece(k, iterations);
	kt_ir_tile_barrier(k, to);
}

/* The last index of the tile that is within bounds; the first one is. */
static const struct kt_ir_value *last_of(const struct kt_ir_tile *k, struct kt_ir_region *to, unsigned d)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_product_at nowhere = {.index = {NULL, NULL}};
	const struct kt_ir_value *last = kt_ir_tile_with(k, KT_IR_ADD, k->first[d], kt_ir_tile_extent(k, d) - 1);

	for (size_t i = 0; i < p->bound_count[d]; i++) {
		const struct kt_ir_value *end = kt_ir_product_value(k->product, to, p->ends[d][i], &nowhere, false),
					 *bound = kt_ir_tile_with(k, KT_IR_ADD, end, -1 - p->addends[d][i]), *same = kt_ir_tile_as(k, last, p->ends[d][i]->type);

		last = kt_ir_tile_as(k, kt_ir_apply(k->module, KT_IR_SELECT, kt_ir_apply(k->module, KT_IR_LT, same, bound, NULL), same, bound), k->word);
	}
	return last;
}

void kt_ir_tile_run_loop(struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_product_at nowhere = {.index = {NULL, NULL}};
	const int64_t step = k->shape->depth / p->inner_count * kt_ir_tile_constant(p->loop->further[1]);
	const struct kt_ir_value *begin = kt_ir_tile_as(k, kt_ir_product_value(p, to, p->loop->value, &nowhere, false), k->wide);
	struct kt_ir_statement *made;

	k->end = kt_ir_tile_let(k, to, "end", kt_ir_tile_as(k, kt_ir_product_value(p, to, p->loop->further[0], &nowhere, false), k->wide));
	for (unsigned d = 0; d < 2; d++)
		k->last[d] = kt_ir_tile_let(k, to, d == 0 ? "last_column" : "last_row", last_of(k, to, d));
	made = kt_ir_for(k->module, to, p->loop->symbol->hint, begin, k->end, kt_ir_constant(k->module, k->wide, step));
	if (made == NULL)
		return;
	made->unroll = 1;
	k->begin = kt_ir_read(k->module, made->symbol);
	run_pieces(k, &made->body);
}
