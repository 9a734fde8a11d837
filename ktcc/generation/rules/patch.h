/* For patch.c and patch_plan.c: what a thread does that takes a patch of VEC × ROWS items. */
#ifndef KT_RULES_PATCH_H
#define KT_RULES_PATCH_H

#include "generation/rules/plane.h"

enum { KT_PATCH_LOOPS = 8, KT_PATCH_PEELS = 4, KT_PATCH_WINDOWS = 12, KT_PATCH_MEMBERS = 16, KT_PATCH_STATEMENTS = 64,
       KT_PATCH_SUMS = 4, KT_PATCH_RUNS = 8 };

/* A loop whose header is the same for all items. */
struct kt_patch_loop {
	struct kt_tree *node;
	const struct kt_tree_variable *variable;
	const struct kt_poly *first, *bound; /* exclusive, or inclusive */
	bool inclusive;
	/* a short one of constant length, or in one: every item runs it by itself, unrolled */
	bool kept;
	bool assigned;                       /* its variable is declared in front of it: `int k; for (k = 0; …)` */
	bool entered;                        /* it must have a turn: what it needs is loaded in front of it */
	int64_t low, high;                   /* of constant length: values of the variable */
};

/* A condition that the items of most patches answer in one way. */
struct kt_patch_peel {
	struct kt_tree *node, *branch;       /* branch: what is done then; NULL: nothing */
	bool truth;
};

/* Neighbouring elements that the items of a patch read or write between them, in registers. */
struct kt_patch_window {
	const struct kt_tree_variable *root;
	const struct kt_poly *base;          /* of the item's own element; members read at base + offset */
	const char *name;
	size_t level;                        /* 0: loaded in front of all; else after the header of loop level − 1 */
	bool rows;                           /* others in each row */
	bool loaded;                         /* of stores: an item reads what was there */
	int64_t low, high;                   /* smallest and greatest offset */
	size_t member_count;
	struct kt_tree *members[KT_PATCH_MEMBERS];
	const struct kt_poly *offsets[KT_PATCH_MEMBERS];
	int64_t lows[KT_PATCH_MEMBERS], highs[KT_PATCH_MEMBERS];
};

/* What an item adds up in: a separate variable, or an element that stays in registers (stores). */
struct kt_patch_sum {
	const char *name, *type;
	enum kt_scalar scalar;
};

/* Elements that items read along a loop that they share, a few iterations' at a time in registers (patch_along.c). */
struct kt_patch_run {
	const struct kt_tree_variable *root;
	const struct kt_patch_loop *loop;
	const struct kt_poly *base;          /* without the loop's variable */
	const char *name;
	bool rows;                           /* others in each row */
	size_t member_count;
	struct kt_tree *members[KT_PATCH_MEMBERS];
};

struct kt_patch {
	struct kt_plane *plane;
	size_t statement_count, loop_count, peel_count, window_count, store_count;
	struct kt_tree *statements[KT_PATCH_STATEMENTS]; /* of an item, with peeled conditions taken out */
	struct kt_patch_loop loops[KT_PATCH_LOOPS];
	struct kt_patch_peel peels[KT_PATCH_PEELS];
	struct kt_patch_window windows[KT_PATCH_WINDOWS], stores[KT_PATCH_MEMBERS]; /* stores: of one place each */
	bool probing;                        /* which short loops are shared is not known yet */
	unsigned widest;                     /* bytes of the widest element in a pack; 0: there is none */
	const struct kt_patch_loop *parted;  /* whose iterations may be distributed over several threads; NULL: none */
	size_t sum_count;
	struct kt_patch_sum sums[KT_PATCH_SUMS];
	size_t run_count;
	struct kt_patch_run runs[KT_PATCH_RUNS];
};

/* patch_plan.c: what can be done to the items. False: nothing that would be worth it. */
bool kt_patch_plan(struct kt_patch *patch, struct kt_plane *plane);
/* Writes the items of a patch. */
struct kt_patch_printer {
	struct kt_patch *patch;
	struct kt_family *family;
	struct kt_buf *out;
	bool plane; /* two axes */
	const char *x, *y, *row, *lane, *whole, *at, *pack;
	const char *own, *idle; /* parts: where the thread's own patch begins, and whether it has none */
	/* Of a patch that is not whole (patch_ragged.c): how many lanes and rows it has. NULL: it is whole. */
	const char *lanes, *rows;
};

/* patch_text.c. The variable's type without const; the type of a pack; where the patch begins along an axis. */
const char *kt_patch_type(const struct kt_tree_variable *v);
const char *kt_patch_pack(const struct kt_patch_printer *p, const struct kt_tree_variable *root);
const char *kt_patch_first(const struct kt_patch_printer *p, unsigned axis);
/* Loops over the rows of a patch, where it has several, and over its lanes; the index has its name in them. */
void kt_patch_open_rows(const struct kt_patch_printer *p);
void kt_patch_close_rows(const struct kt_patch_printer *p);
void kt_patch_open_lanes(const struct kt_patch_printer *p);
/* Appends " && " and that the element is at a multiple of the parameter `width`; where one of the two
 * axes or a loop has its next value: further. */
void kt_patch_add_aligned(const struct kt_patch_printer *p, const struct kt_tree_variable *root,
			  const struct kt_poly *index, const char *width, const struct kt_tree_variable *further);
/* Declares p->whole: all that must hold for the items to go together. */
void kt_patch_add_whole(const struct kt_patch_printer *p);
/* What of it must hold for a patch that is not whole: loops have a turn, conditions are answered in one way. */
void kt_patch_add_entered(const struct kt_patch_printer *p);
bool kt_patch_asks_entered(const struct kt_patch *patch);
/* The index of the window's first own element, in a row. */
void kt_patch_add_base(const struct kt_patch_printer *p, const struct kt_patch_window *w);
/* Loads all windows of a level. */
void kt_patch_add_windows(const struct kt_patch_printer *p, size_t level);
/* Declares what is stored after all items, and loads what they read of it. */
void kt_patch_add_held(const struct kt_patch_printer *p);

/* May a read move in front of the items, or of turns before its own? Is the node none that moves in a pack already? */
bool kt_patch_may_lead(const struct kt_patch *patch, const struct kt_access *access);
bool kt_patch_is_single(const struct kt_patch *patch, const struct kt_tree *node);

/*
 * patch_along.c: looks for runs; the items' text with them, what is around a loop, in front of a patch and at the top.
 */
void kt_patch_find_runs(struct kt_patch *patch);
bool kt_patch_has_runs(const struct kt_patch *patch, const struct kt_patch_loop *loop);
void kt_patch_replace_runs(const struct kt_patch_printer *p);
/* place: of the thread among those that share the loop out; NULL: it is one's own. Two braces are open then. */
void kt_patch_open_runs(const struct kt_patch_printer *p, const struct kt_patch_loop *loop, const char *place);
void kt_patch_add_run_conditions(const struct kt_patch_printer *p);
void kt_patch_declare_runs(const struct kt_patch_printer *p);
const char *kt_patch_run_words(const struct kt_patch_printer *p);
void kt_patch_runs_parameter(const struct kt_patch *patch);

/* patch_parts.c: looks whether a loop can be distributed; the texts around it, and in front of the kernel. */
void kt_patch_find_parts(struct kt_patch *patch);
void kt_patch_parts_declare(struct kt_patch *patch);
void kt_patch_parts_begin(struct kt_buf *out, struct kt_patch *patch, const char *lane);
/* Opens a brace, ${if PARTS > 1}, that is around all that is done with the sums. */
void kt_patch_parts_end(struct kt_buf *out, struct kt_patch *patch, const char *lane, const char *idle);
void kt_patch_parts_parameter(struct kt_patch *patch);
/* patch_ragged.c: may patches go together that are not whole? */
bool kt_patch_may_be_ragged(const struct kt_patch *patch);
/* Declares how many lanes and rows such a patch has; its stores. */
void kt_patch_count_ragged(const struct kt_patch_printer *p);
void kt_patch_add_ragged_stores(const struct kt_patch_printer *p);

/* patch_plan.c: does no item do this, since a condition that all answer in one way is asked in front? */
bool kt_patch_is_dropped(const struct kt_patch *patch, const struct kt_tree *node);
/* patch_items.c: reads statements, peels and loops. False: the items cannot go together. */
bool kt_patch_read_items(struct kt_patch *patch);
const struct kt_patch_loop *kt_patch_loop_with(const struct kt_patch *patch, const struct kt_tree_variable *v);
/* Has the atom one value for all items of a patch, in one iteration of the loops that they share? context: the patch. */
bool kt_patch_is_fixed(const struct kt_atom *atom, void *context);
/* The store that the node is a member of; NULL: none. */
const struct kt_patch_window *kt_patch_store_of(const struct kt_patch *patch, const struct kt_tree *node);
/* The loop that the node is the header of; NULL: none. */
const struct kt_patch_loop *kt_patch_loop_of(const struct kt_patch *patch, const struct kt_tree *node);

#endif
