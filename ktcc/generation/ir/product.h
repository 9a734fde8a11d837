/*
 * Products: a loop whose iterations combine what depends on one dimension of the launch with what depends on the other one, such
 * as `s += a[row * k + i] * b[i * n + column]`. A block can load each of the two once for a tile of work items (pass_product.c).
 *
 * For modules in normal form whose last function is a kernel.
 */
#ifndef KT_IR_PRODUCT_H
#define KT_IR_PRODUCT_H

#include "generation/ir/form.h"

enum { KT_IR_PRODUCT_MOST_SPANS = 8, KT_IR_PRODUCT_MOST_BOUNDS = 8, KT_IR_PRODUCT_MOST_LEAVES = 8, KT_IR_PRODUCT_MOST_CARRIED = 8,
       KT_IR_PRODUCT_MOST_BRANCHES = 8, KT_IR_PRODUCT_MOST_INNER = 64 };

/* What a value depends on: a set of bits. */
enum kt_ir_product_needs {
	KT_IR_OF_X = 1 << 0,
	KT_IR_OF_Y = 1 << 1,
	KT_IR_OF_ITERATION = 1 << 2,
	KT_IR_OF_MEMORY = 1 << 3,
	KT_IR_OF_CARRIED = 1 << 4, /* what an iteration leaves for the next one */
	KT_IR_OF_OTHERS = 1 << 5,  /* what is not understood */
};

/* Statements of a list, up to the end, which is not one of them. */
struct kt_ir_span {
	struct kt_ir_statement *first;
	const struct kt_ir_statement *end;
};

/* What an iteration loads for one dimension, in the loop's own terms. */
struct kt_ir_product_leaf {
	const struct kt_ir_value *value;
	struct kt_ir_symbol *symbol; /* that the loop reads in its place */
	unsigned dimension;
	bool is_along_loop; /* elements of neighbouring iterations are neighbours in memory */
};

/* A comparison that holds for a whole piece of a tile where it holds for its last index and iteration: what grows is less than an end. */
struct kt_ir_product_limit {
	const struct kt_ir_value *condition, *grown; /* grown: the side of it that grows */
	unsigned dimension;
};

struct kt_ir_product {
	struct kt_ir_module *module;
	struct kt_ir_function *kernel;
	struct kt_ir_lets lets;
	/* What prevents it, in the user's file; NULL: nothing does. */
	const char *why;
	uint32_t line;
	unsigned char *needs; /* enum kt_ir_product_needs by symbol id */
	size_t needs_count;
	/* The statements before the loop, those of its iterations, and those after it. */
	size_t before_count, body_count;
	struct kt_ir_span before[KT_IR_PRODUCT_MOST_SPANS], body[2], after;
	struct kt_ir_statement *loop, *inner; /* inner: of a constant number of iterations; NULL: there is none */
	int64_t inner_count;                  /* 1 without one */
	/* Conditions without which a work item does nothing: bounds of its index along each dimension, and of the whole block. */
	size_t bound_count[2], condition_count;
	const struct kt_ir_value *bounds[2][KT_IR_PRODUCT_MOST_BOUNDS], *conditions[KT_IR_PRODUCT_MOST_BOUNDS];
	const struct kt_ir_value *ends[2][KT_IR_PRODUCT_MOST_BOUNDS]; /* a bound is that index + addend < end */
	int64_t addends[2][KT_IR_PRODUCT_MOST_BOUNDS];
	size_t carried_count, leaf_count;
	struct kt_ir_symbol *carried[KT_IR_PRODUCT_MOST_CARRIED];
	struct kt_ir_product_leaf leaves[KT_IR_PRODUCT_MOST_LEAVES];
	/* Branches of leaves whose conditions are limits: all of a tile takes them, except at its edges. */
	size_t branch_count, limit_count;
	const struct kt_ir_statement *branches[KT_IR_PRODUCT_MOST_BRANCHES];
	struct kt_ir_product_limit limits[KT_IR_PRODUCT_MOST_BRANCHES];
};

/* Finds the product of a kernel; the loop's values then read the leaves' symbols. block: of the launches. False: there is none, see `why`. */
bool kt_ir_product_of(struct kt_ir_product *product, struct kt_arena *arena, struct kt_ir_module *module, const int64_t block[3]);

/* product_bounds.c: conditions of the branches around the loop (false: see `why`), and of those around all that follows it. */
bool kt_ir_product_note_way(struct kt_ir_product *product);
void kt_ir_product_note_after(struct kt_ir_product *product);
/* product_leaf.c: what each iteration loads for one dimension; false: see `why`. */
bool kt_ir_product_leaves(struct kt_ir_product *product);
/* product_limit.c: the branches of a leaf, of which the slice is. */
struct kt_ir_product_slice;
void kt_ir_product_limits(struct kt_ir_product *product, const struct kt_ir_product_slice *slice, unsigned dimension);
/* Is the branch one that all of a tile takes, except at its edges? */
bool kt_ir_product_is_branch(const struct kt_ir_product *product, const struct kt_ir_statement *statement);

/* What the value depends on. */
unsigned kt_ir_product_needs_of(const struct kt_ir_product *product, const struct kt_ir_value *value);
/* Has it a result whatever its operands are: is there no quotient by what may be zero? */
bool kt_ir_product_is_total(const struct kt_ir_value *value);

/* ---- product_slice.c: what is computed again elsewhere ---- */

/* A work item and an iteration: what the indices of the launch and the counters are; NULL: they do not occur. */
struct kt_ir_product_at {
	const struct kt_ir_value *index[2], *iteration, *inner;
};

enum kt_ir_product_parts {
	KT_IR_PART_BEFORE = 1 << 0,
	KT_IR_PART_BODY = 1 << 1,
	KT_IR_PART_CARRIED = 1 << 2, /* what locals that are carried begin with */
};

struct kt_ir_product_slice {
	const struct kt_ir_product *product;
	unsigned parts;
	bool *is_needed; /* by symbol id */
	bool has_load;
	bool is_inside; /* not at an edge: branches that all of a tile takes are taken */
};

/* False: out of memory. */
bool kt_ir_product_slice_of(struct kt_ir_product_slice *slice, const struct kt_ir_product *product, unsigned parts);
/* Adds what the value reads; what all statements read that are under the region. */
void kt_ir_product_slice_add(struct kt_ir_product_slice *slice, const struct kt_ir_value *value);
void kt_ir_product_slice_add_all(struct kt_ir_product_slice *slice, const struct kt_ir_span *span);
/* Adds what all of that needs in turn. */
void kt_ir_product_slice_close(struct kt_ir_product_slice *slice);
/* How many statements it has. */
size_t kt_ir_product_slice_count(const struct kt_ir_product_slice *slice);

struct kt_ir_cloner;
/* A cloner of statements for this work item and iteration, which `at` must outlive. */
bool kt_ir_product_cloner(struct kt_ir_cloner *cloner, const struct kt_ir_product *product, const struct kt_ir_product_at *at);
/* Appends the slice's statements of these parts. */
void kt_ir_product_emit(struct kt_ir_product_slice *slice, struct kt_ir_cloner *cloner, struct kt_ir_region *to, unsigned parts);
/* Has the slice a statement in the branch? */
bool kt_ir_product_slice_has(const struct kt_ir_product_slice *slice, const struct kt_ir_statement *branch);
/* Appends what the value needs, and returns it for this work item and iteration. */
const struct kt_ir_value *kt_ir_product_value(const struct kt_ir_product *product, struct kt_ir_region *to,
					      const struct kt_ir_value *value, const struct kt_ir_product_at *at, bool is_inside);

/* ---- product_make.c: the variant ---- */

struct kt_ir_product_shape {
	int64_t items[2], block[2]; /* work items of a thread and threads of a block, along x and y */
	int64_t depth;              /* iterations that shared memory holds; a multiple of inner_count */
	int64_t padding;            /* elements after each row of shared memory */
	bool is_ahead;              /* the next piece is loaded while one is computed */
};

/* Rewrites the kernel. False: out of memory. */
bool kt_ir_product_make(struct kt_ir_product *product, const struct kt_ir_product_shape *shape);

#endif
