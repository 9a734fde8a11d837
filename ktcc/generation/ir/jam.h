/* Several work items in one thread: their statements side by side. */
#ifndef KT_IR_JAM_H
#define KT_IR_JAM_H

#include "generation/ir/walk.h"

enum { KT_IR_MOST_ITEMS = 16 };

/* One item: what nodes are in it. The context of `replace` is that of the item. */
struct kt_ir_jam {
	struct kt_ir_module *module;
	size_t count; /* at most KT_IR_MOST_ITEMS */
	struct kt_ir_cloner items[KT_IR_MOST_ITEMS];
	/* The branches for the case that all items take one; what else does the same, item by item. */
	size_t split_count;
	struct kt_ir_statement **splits;
};

/*
 * Appends the region once for each item, statement by statement: a branch or a loop that all items take alike is one,
 * with their statements inside of it; a branch that they may not is one for the case that all take it, and one for each
 * else. Items must be independent: every order of their statements is right. There is no return in the region.
 */
void kt_ir_jam_region(struct kt_ir_jam *jam, struct kt_ir_region *to, const struct kt_ir_region *from);

#endif
