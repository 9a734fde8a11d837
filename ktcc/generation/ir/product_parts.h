/* What a tile of work items is made of: shared by product_make.c, product_items.c and product_pieces.c. */
#ifndef KT_IR_PRODUCT_PARTS_H
#define KT_IR_PRODUCT_PARTS_H

#include "generation/ir/product.h"

/* A tile in the making. */
struct kt_ir_tile {
	struct kt_ir_product *product;
	const struct kt_ir_product_shape *shape;
	struct kt_ir_module *module;
	const struct kt_ir_type *word, *wide; /* unsigned of 32 bits, signed of 64 */
	const struct kt_ir_value *thread[2], *first[2], *last[2]; /* of the block; the tile's first index, and the last one within bounds */
	struct kt_ir_symbol *shared[KT_IR_PRODUCT_MOST_LEAVES], *parts[KT_IR_PRODUCT_MOST_LEAVES], *carried[KT_IR_PRODUCT_MOST_CARRIED];
	struct kt_ir_symbol *next[KT_IR_PRODUCT_MOST_LEAVES]; /* what the thread has loaded of the next piece; NULL: pieces are not loaded ahead */
	struct kt_ir_symbol *half;                       /* of shared memory, 0 or 1, that has the piece */
	const struct kt_ir_value *begin, *end; /* of the piece; of the loop */
};

/* A work item of the thread. */
struct kt_ir_tile_item {
	struct kt_ir_product_at at;
	const struct kt_ir_value *number[2], *all; /* along each dimension; of all of the thread's */
};

/* ---- product_build.c: values and statements ---- */

/* A number of 32 bits; sums; the value and a constant of its type; the value as another type, the constant that it is. */
const struct kt_ir_value *kt_ir_tile_number(const struct kt_ir_tile *k, int64_t n);
const struct kt_ir_value *kt_ir_tile_plus(const struct kt_ir_tile *k, const struct kt_ir_value *a, const struct kt_ir_value *b);
const struct kt_ir_value *kt_ir_tile_with(const struct kt_ir_tile *k, enum kt_ir_op op, const struct kt_ir_value *a, int64_t n);
const struct kt_ir_value *kt_ir_tile_as(const struct kt_ir_tile *k, const struct kt_ir_value *v, const struct kt_ir_type *type);
int64_t kt_ir_tile_constant(const struct kt_ir_value *v);
/* Work items of the tile along a dimension; threads of its block; elements of shared memory from one iteration to the next one. */
int64_t kt_ir_tile_extent(const struct kt_ir_tile *k, unsigned d);
int64_t kt_ir_tile_threads(const struct kt_ir_tile *k);
int64_t kt_ir_tile_stride(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf);
/* Elements of a piece, and how many of them a thread loads. */
int64_t kt_ir_tile_piece(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf);
int64_t kt_ir_tile_share(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf);
/* Where the thread's work item of that number is in the tile. */
const struct kt_ir_value *kt_ir_tile_offset(const struct kt_ir_tile *k, unsigned d, const struct kt_ir_value *item);
/* Appended statements: a loop of `count` iterations, a declared array, an access to an element, a barrier, a let, and a branch, whose
 * body is returned (without a condition: `to`). */
struct kt_ir_statement *kt_ir_tile_loop(const struct kt_ir_tile *k, struct kt_ir_region *to, const char *hint, int64_t count,
					int unroll);
struct kt_ir_symbol *kt_ir_tile_array(const struct kt_ir_tile *k, struct kt_ir_region *to, enum kt_ir_symbol_kind kind,
				      const struct kt_ir_type *type, int64_t count, const char *hint);
struct kt_ir_symbol *kt_ir_tile_load(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_symbol *of,
				     const struct kt_ir_value *index);
void kt_ir_tile_store(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_symbol *of, const struct kt_ir_value *index,
		      const struct kt_ir_value *value);
void kt_ir_tile_barrier(const struct kt_ir_tile *k, struct kt_ir_region *to);
const struct kt_ir_value *kt_ir_tile_let(const struct kt_ir_tile *k, struct kt_ir_region *to, const char *hint,
					 const struct kt_ir_value *value);
struct kt_ir_region *kt_ir_tile_branch(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_value *condition);
/* Zero of that type; both conditions, of which one may be NULL; whether an index is within its bounds (NULL: it has none). */
const struct kt_ir_value *kt_ir_tile_zero(const struct kt_ir_tile *k, const struct kt_ir_type *type);
const struct kt_ir_value *kt_ir_tile_both(const struct kt_ir_tile *k, const struct kt_ir_value *a, const struct kt_ir_value *b);
const struct kt_ir_value *kt_ir_tile_within(const struct kt_ir_tile *k, struct kt_ir_region *to, unsigned d,
					    const struct kt_ir_value *index);

/* ---- product_items.c: the work items of a thread ---- */

/* What of the kernel the tile is in: its first work item is, if any is. */
struct kt_ir_region *kt_ir_tile_start(struct kt_ir_tile *k, struct kt_ir_region *to);
/* What is carried begins as before the loop; where that is loaded, for work items that there are. */
void kt_ir_tile_begin_items(const struct kt_ir_tile *k, struct kt_ir_region *to);
/* One iteration for all work items of the thread. */
void kt_ir_tile_run_items(const struct kt_ir_tile *k, struct kt_ir_region *to, struct kt_ir_tile_item *item);
/* What follows the loop. */
void kt_ir_tile_end_items(const struct kt_ir_tile *k, struct kt_ir_region *to);

/* ---- product_pieces.c: the loop ---- */

void kt_ir_tile_run_loop(struct kt_ir_tile *k, struct kt_ir_region *to);

#endif
