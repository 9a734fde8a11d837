/* For rows.c and fuse.c: the parts of a row of a kernel. */
#ifndef KT_RULES_ROWS_H
#define KT_RULES_ROWS_H

#include "generation/rules/exchange.h"

enum { KT_ROW_LOOPS = 12, KT_ROW_FOLDS = 12 };

struct kt_row_fold {
	size_t statement;             /* of the store; the tree is the last one of its statements */
	size_t end;                   /* after the tree */
	const struct kt_tree_variable *array;
	struct kt_tree *value;        /* what is stored */
	enum kt_fold_kind kind;
	const char *name;             /* of the result */
	const struct kt_tree_variable *places; /* of pairs: the array of places, and what is stored there; else NULL */
	struct kt_tree *place;
};

/* Variables that a loop reduces together. */
struct kt_row_pair {
	const struct kt_tree_variable *value, *place;
	enum kt_fold_kind kind;
};

/* A call of a function that reduces one of its arguments over the block. */
struct kt_row_call {
	struct kt_tree *node, *value;
	size_t statement;
	struct kt_exchange exchange;
};

struct kt_row {
	struct kt_family *family;
	struct kt_tree *block;
	size_t first;
	const struct kt_loop *outer;  /* a loop over rows, or NULL: one row for each block */
	size_t loop_count, fold_count, consumed_count;
	const struct kt_loop *loops[KT_ROW_LOOPS];
	size_t loop_at[KT_ROW_LOOPS];   /* statement */
	struct kt_effects effects[KT_ROW_LOOPS];
	struct kt_row_fold folds[KT_ROW_FOLDS];
	size_t pair_count;
	struct kt_row_pair pairs[KT_ROW_LOOPS];
	const struct kt_tree *ties;   /* a pair's value could be found at another place by other threads; NULL: none */
	size_t call_count;
	struct kt_row_call calls[KT_ROW_FOLDS];
	const struct kt_tree **consumed; /* where a thread's place may be asked for */
	bool alone;                   /* something is done once for each row: blocks cannot share one */
	bool only_atomics;
	bool announces;               /* a shared scalar stays */
	bool shared;                  /* all loops share the row out in the same way */
	bool covers;                  /* SPLIT may be 0: the grid has a thread for each UNROLL groups */
	size_t forwarded_count;
	const struct kt_tree_variable **forwarded; /* arrays whose stored value has a name */
	bool flat;                    /* the one loop goes over everything */
	bool in_grid;                 /* blocks are along several dimensions, which are kept */
	bool teams, clusters;         /* ROWS, CLUSTER */
};

/* Is the node `if (threadIdx.x == 0)` without an else? */
bool kt_row_is_lone(struct kt_row *row, struct kt_tree *node);

/* trees.c: reductions that are written out. */
bool kt_row_is_call(const struct kt_tree *node, const char *name);
/* The only statement in braces, or the statement. */
struct kt_tree *kt_row_lone(struct kt_tree *node);
/* An element of a shared array: the array and the index. */
bool kt_row_shared_element(struct kt_row *row, struct kt_tree *node, const struct kt_tree_variable **array,
                           const struct kt_poly **index);
/* Do a store, a barrier and a tree begin with this statement? */
bool kt_row_read_tree(struct kt_row *row, size_t at);
bool kt_row_write_trees(struct kt_row *row);
/* What the threads below the width do in a step of a loop that halves a block; *width. NULL: it is no such loop. */
struct kt_tree *kt_row_tree_step(struct kt_row *row, struct kt_tree *loop, const struct kt_tree_variable **width);
bool kt_row_is_thread_index(struct kt_row *row, struct kt_tree *node);
/* Is it the thread's index, or where there is a width, that much more? */
bool kt_row_is_tree_place(struct kt_row *row, struct kt_tree *node, const struct kt_tree_variable *width);

/* pairs.c: reductions of pairs of a value and its place. */
/* Notes the kind of those reductions of the loop that are of pairs. */
void kt_row_take_pairs(struct kt_row *row, const struct kt_loop *loop, struct kt_effects *effects);
/* Do two stores, a barrier and a tree over both arrays begin with this statement? */
bool kt_row_read_pair(struct kt_row *row, size_t at);
bool kt_row_is_pair(const struct kt_row *row, const struct kt_tree_variable *value,
		    const struct kt_tree_variable *place, enum kt_fold_kind kind);

/* row_check.c */
struct kt_row_hunt {
	struct kt_row *row;
	const struct kt_tree *where;
	const struct kt_tree_variable *variable;
};
/* For kt_tree_walk: false where something is written or left; context is a kt_row_hunt. */
bool kt_row_no_write(struct kt_tree *node, void *context);
bool kt_row_is_consumed(const struct kt_row *row, const struct kt_tree *node);
/* False: the family has the reason. */
bool kt_row_check(struct kt_row *row);

/* rows.c */
/* A place where a thread's position in its block may be asked for. */
void kt_row_consume(struct kt_row *row, const struct kt_tree *node);

/* extents.c: a restriction: no more threads, packs and turns than rows have a use for. */
void kt_row_fit(const struct kt_row *row);

/* team.c: the threads that work on a row together. */
/* Decides on it, before anything is written. */
void kt_row_plan_team(struct kt_row *row);
/* The generated function for the reduction of such values in this statement, by this call where it is one; NULL: none. */
const char *kt_row_fold_helper(struct kt_row *row, enum kt_fold_kind kind, enum kt_scalar scalar, size_t statement,
                               const struct kt_tree *node);

/* even.c: with EVEN and a block for each of these rows there is no loop over them. */
void kt_row_take_once(struct kt_row *row, const char *rows);

/* `folds.c`: reductions in functions that the kernel calls. */
/* Finds those of a statement of the row. */
void kt_row_read_calls(struct kt_row *row, size_t statement);
/*
 * Is the statement a reduction of this kind of the variable's value, and nothing else of it? `*set`: the variable holds the
 * whole then.
 */
bool kt_row_folds_in(const struct kt_row *row, size_t statement, const struct kt_tree_variable *v,
                     enum kt_fold_kind kind, bool *set);
/* May what only thread 0 has be used as it is? False: the family has the reason. */
bool kt_row_check_calls(struct kt_row *row);
void kt_row_write_calls(struct kt_row *row);
/* A scalar in shared memory that one thread sets for all: it stays, and so do the barriers around it. */
bool kt_row_is_announced(struct kt_row *row, const struct kt_tree_variable *v);

/* row_order.c: may the rows that a loop gives one block be distributed in another way? False: the family has the reason. */
bool kt_row_has_no_order(struct kt_row *row);

/* fuse.c */
/*
 * Kernels that were put one after the other (kt_kernel.steps): may they run block by block? False: the family has the reason. A
 * kernel alone may.
 */
bool kt_row_fuses(struct kt_row *row);
/* A value that one thread stores for the whole row, and that is read again, gets a name in every thread: finds them,
 * then writes. */
void kt_row_forward(struct kt_row *row, bool write);
/*
 * Does a statement touch what another one writes, other than the same thread the same elements? `shared`: all loops distribute
 * a row in the same way. Then the threads have to synchronise in between. `guarded`: with guards that arrays do not overlap.
 */
bool kt_row_synchronises(struct kt_row *row, bool shared, bool guarded);

/* rows.c: the row is not distributed, for this reason; false. */
bool kt_row_refuse(struct kt_row *row, enum kt_decline reason, const struct kt_tree *where, const char *detail);

#endif
