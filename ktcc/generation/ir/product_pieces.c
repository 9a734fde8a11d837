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

/* An element of the piece that a thread loads. */
struct element {
	const struct kt_ir_value *number, *iteration, *index; /* which of the thread's it is; its place in the tile */
};

/*
 * Number `number` of the thread in rows of `length` elements, which threads fill one after the other: its row and column. What is the
 * same for all numbers is written so that it is computed once.
 */
static void place(const struct kt_ir_tile *k, const struct kt_ir_value **row, const struct kt_ir_value **column,
		  const struct kt_ir_value *number, const struct kt_ir_value *thread, int64_t length)
{
	const int64_t threads = kt_ir_tile_threads(k), rows = threads / length, parts = length / threads;

	if (threads % length == 0) {
		*row = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_DIV, thread, length), kt_ir_tile_with(k, KT_IR_MUL, number, rows));
		*column = kt_ir_tile_with(k, KT_IR_REM, thread, length);
	} else if (length % threads == 0) {
		*row = kt_ir_tile_with(k, KT_IR_DIV, number, parts);
		*column = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, kt_ir_tile_with(k, KT_IR_REM, number, parts), threads), thread);
	} else {
		const struct kt_ir_value *which = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, number, threads), thread);

		*row = kt_ir_tile_with(k, KT_IR_DIV, which, length);
		*column = kt_ir_tile_with(k, KT_IR_REM, which, length);
	}
}

/* A loop over the elements of the piece that a thread loads; what is in it. Neighbours in memory are of neighbouring threads. */
static struct kt_ir_region *each_element(const struct kt_ir_tile *k, struct element *e, struct kt_ir_region *to,
					 const struct kt_ir_product_leaf *leaf)
{
	const int64_t all = kt_ir_tile_piece(k, leaf), threads = kt_ir_tile_threads(k), width = kt_ir_tile_extent(k, leaf->dimension);
	struct kt_ir_statement *made = kt_ir_tile_loop(k, to, "step", kt_ir_tile_share(k, leaf), -1);
	const struct kt_ir_value *thread = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, k->thread[1], k->shape->block[0]), k->thread[0]),
				 *which;

	if (made == NULL)
		return NULL;
	e->number = kt_ir_read(k->module, made->symbol);
	if (leaf->is_along_loop)
		place(k, &e->index, &e->iteration, e->number, thread, k->shape->depth);
	else
		place(k, &e->iteration, &e->index, e->number, thread, width);
	if (all % threads == 0)
		return &made->body;
	which = kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, e->number, threads), thread);
	return kt_ir_tile_branch(k, &made->body, kt_ir_apply(k->module, KT_IR_LT, which, kt_ir_tile_number(k, all), NULL));
}

/* Where the half of shared memory begins: the one that has the piece, or the other one. */
static const struct kt_ir_value *half_at(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf, bool is_other,
					 const struct kt_ir_value *place)
{
	const struct kt_ir_value *half;

	if (k->half == NULL)
		return place;
	half = kt_ir_read(k->module, k->half);
	half = is_other ? kt_ir_apply(k->module, KT_IR_XOR, half, kt_ir_tile_number(k, 1), NULL) : half;
	return kt_ir_tile_plus(k, kt_ir_tile_with(k, KT_IR_MUL, half, k->shape->depth * kt_ir_tile_stride(k, leaf)), place);
}

static const struct kt_ir_value *shared_at(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf, const struct element *e,
					   bool is_other)
{
	const struct kt_ir_value *row = kt_ir_tile_with(k, KT_IR_MUL, e->iteration, kt_ir_tile_stride(k, leaf));

	return half_at(k, leaf, is_other, kt_ir_tile_plus(k, row, e->index));
}

/* All threads of the block load the piece: into shared memory, or, where it is the next one, into registers. */
static void stage(const struct kt_ir_tile *k, struct kt_ir_region *to, size_t n, bool is_edge)
{
	const struct kt_ir_product_leaf *leaf = &k->product->leaves[n];
	const struct kt_ir_value *value;
	struct element e;

	to = each_element(k, &e, to, leaf);
	if (to == NULL)
		return;
	value = fetch(k, to, leaf, clamped(k, leaf->dimension, e.index), e.iteration, is_edge);
	if (k->next[n] != NULL)
		kt_ir_tile_store(k, to, k->next[n], e.number, value);
	else
		kt_ir_tile_store(k, to, k->shared[n], shared_at(k, leaf, &e, false), value);
}

/* What was loaded of the next piece, to a half of shared memory. */
static void put_all(const struct kt_ir_tile *k, struct kt_ir_region *to, bool is_other)
{
	for (size_t n = 0; n < k->product->leaf_count; n++) {
		const struct kt_ir_product_leaf *leaf = &k->product->leaves[n];
		struct element e;
		struct kt_ir_region *body = each_element(k, &e, to, leaf);
		struct kt_ir_symbol *value = body == NULL ? NULL : kt_ir_tile_load(k, body, k->next[n], e.number);

		if (value == NULL)
			return;
		kt_ir_tile_store(k, body, k->shared[n], shared_at(k, leaf, &e, is_other), kt_ir_read(k->module, value));
	}
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
		    which == NULL ? NULL : kt_ir_tile_load(k, &made->body, k->shared[i],
						   half_at(k, leaf, false, kt_ir_tile_plus(k, row, kt_ir_tile_offset(k, leaf->dimension, which))));

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

/* What the tile needs for the piece. */
static void stage_all(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_value *all = kt_ir_tile_both(k, is_full(k), within_limits(k, to));
	struct kt_ir_statement *made = all == NULL ? NULL : kt_ir_if(k->module, to, all);

	for (size_t i = 0; i < k->product->leaf_count; i++) {
		stage(k, made == NULL ? to : &made->body, i, false);
		if (made != NULL)
			stage(k, &made->otherwise, i, true);
	}
}

/* The iterations of a piece, all of them or those that there are. */
static void run_iterations(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	const struct kt_ir_value *full = is_full(k);
	struct kt_ir_statement *made = full == NULL ? NULL : kt_ir_if(k->module, to, full), *iterations = NULL;

	run_piece(k, kt_ir_tile_loop(k, made == NULL ? to : &made->body, "iteration", k->shape->depth, copies(k)));
	if (made != NULL)
		iterations = kt_ir_for(k->module, &made->otherwise, "iteration", kt_ir_tile_number(k, 0), rest(k), kt_ir_tile_number(k, 1));
	if (iterations != NULL)
		iterations->unroll = 1;
	run_piece(k, iterations);
}

static void run_pieces(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	stage_all(k, to);
	kt_ir_tile_barrier(k, to);
	run_iterations(k, to);
	kt_ir_tile_barrier(k, to);
}

/* The first piece, before the loop; the region of a loop that has one. */
static struct kt_ir_region *run_first(struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_value *begin)
{
	k->half = kt_ir_symbol(k->module, KT_IR_LOCAL_SYMBOL, k->word, "half");
	if (k->half == NULL)
		return to;
	(void)kt_ir_declare(k->module, to, k->half);
	(void)kt_ir_set(k->module, to, k->half, kt_ir_tile_number(k, 0));
	to = kt_ir_tile_branch(k, to, kt_ir_apply(k->module, KT_IR_LT, begin, k->end, NULL));
	k->begin = begin;
	stage_all(k, to);
	put_all(k, to, false);
	kt_ir_tile_barrier(k, to);
	return to;
}

/* A piece while the next one is loaded, which then goes to the other half of shared memory. */
static void run_pieces_ahead(struct kt_ir_tile *k, struct kt_ir_region *to, int64_t step)
{
	const struct kt_ir_value *begin = k->begin, *next = kt_ir_tile_let(k, to, "following", kt_ir_tile_with(k, KT_IR_ADD, begin, step)), *other;
	const struct kt_ir_value *more = next == NULL ? NULL : kt_ir_apply(k->module, KT_IR_LT, next, k->end, NULL);

	if (more == NULL)
		return;
	k->begin = next;
	stage_all(k, kt_ir_tile_branch(k, to, more));
	k->begin = begin;
	run_iterations(k, to);
	put_all(k, kt_ir_tile_branch(k, to, more), true);
	kt_ir_tile_barrier(k, to);
	other = kt_ir_apply(k->module, KT_IR_XOR, kt_ir_read(k->module, k->half), kt_ir_tile_number(k, 1), NULL);
	(void)kt_ir_set(k->module, to, k->half, other);
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
	if (k->shape->is_ahead)
		to = run_first(k, to, begin);
	made = kt_ir_for(k->module, to, p->loop->symbol->hint, begin, k->end, kt_ir_constant(k->module, k->wide, step));
	if (made == NULL)
		return;
	made->unroll = 1;
	k->begin = kt_ir_read(k->module, made->symbol);
	if (k->shape->is_ahead)
		run_pieces_ahead(k, &made->body, step);
	else
		run_pieces(k, &made->body);
}
