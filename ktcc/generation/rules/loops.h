/*
 * Which loops of a kernel distribute their iterations over threads, and how:
 *
 *   thread   for (d = threadIdx.x; d < D; d += blockDim.x)
 *   block    for (b = blockIdx.x; b < B; b += gridDim.x), or b = blockIdx.x and no loop
 *   flat     for (i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x),
 *            or such an i after `if (i < N)` or `if (i >= N) return;`; blocks in two dimensions
 *            that are numbered through, blockIdx.x + blockIdx.y * gridDim.x, as well; where nothing asks
 *            for a bound, it is what the launch has (kt_launched_extent)
 *
 * Such a loop visits every value of [0, bound) once, whatever the geometry: it may be
 * distributed in another way when its iterations do not depend on each other (access.h).
 */
#ifndef KT_RULES_LOOPS_H
#define KT_RULES_LOOPS_H

#include "generation/rules/poly.h"

enum kt_share { KT_SHARE_THREAD, KT_SHARE_BLOCK, KT_SHARE_FLAT };
enum kt_loop_form {
	KT_LOOP_FOR,    /* node is the for */
	KT_LOOP_IF,     /* one iteration a thread: node is the if, its condition the bound alone */
	KT_LOOP_RETURN, /* one iteration for each thread: node is the if that returns; the rest of its block is the body */
	KT_LOOP_NONE,   /* one iteration for each block or thread, nothing checked: the rest of the block is the body */
};

struct kt_loop {
	enum kt_share share;
	enum kt_loop_form form;
	unsigned dimension;
	const struct kt_tree_variable *variable;
	struct kt_tree *node;           /* for or if; NONE: the variable's declaration */
	struct kt_tree *declaration;    /* IF, RETURN, NONE: KT_TREE_DECLARE of the variable */
	struct kt_tree *bound_node;     /* NULL: none */
	const struct kt_poly *bound;    /* exclusive; NULL: none */
	struct kt_tree *body;           /* FOR, IF: the statement */
	struct kt_tree *block;          /* RETURN, NONE: the block, from child `first` on */
	size_t first;
	const struct kt_loop *outer;    /* the distributed loop around it, or NULL */
	bool linear;                    /* FLAT: blocks of x and y together */
	/* bound is the launch's: every thread has an index, and bound_node is not in the text */
	bool exact;
	bool changes;                   /* the body writes the variable, which is set again at the start of every iteration */
};

struct kt_loops {
	size_t count;
	struct kt_loop **loops;         /* in the order of the text, outer ones first */
	/* a for whose first index depends on the thread, in a way that is none of these, or NULL */
	struct kt_tree *unread;
	struct kt_tree *unbounded;      /* declares an index of all threads whose bound is not known, or NULL */
};

/*
 * Finds them. `block` is the baseline's block size per dimension where it is a
 * constant, else 0: a literal of that value means blockDim.
 */
kt_status kt_loops_find(struct kt_loops *out, struct kt_polys *polys, const int64_t block[3], struct kt_error *err)
    KT_MUST_CHECK;
/* Does the statement touch a thread's own variables and nothing else? Memory may be read. */
bool kt_loop_is_quiet(struct kt_tree *statement);
/* The whole of what one iteration executes: body, or the block. */
struct kt_tree *kt_loop_scope(const struct kt_loop *loop);

/* `v < N`, `N > v`: the bound; `negated` the opposite, `v >= N`. NULL: something else. */
struct kt_tree *kt_loop_bound(struct kt_tree *condition, const struct kt_tree_variable *v, bool negated);
/* Which share is this polynomial the first index of, in which dimension? False: none. */
bool kt_share_start(enum kt_share *share, unsigned *dimension, const struct kt_poly *poly, const int64_t block[3]);

#endif
