/* For fuse.c, fuse_steps.c and row_order.c: what the statements of a row do to memory. */
#ifndef KT_RULES_FUSE_H
#define KT_RULES_FUSE_H

#include "generation/rules/rows.h"

struct kt_touch {
	const struct kt_access *access;
	const struct kt_loop *loop; /* NULL: not in a loop */
	size_t statement, step;
};

struct kt_touches {
	struct kt_row *row;
	size_t count;
	struct kt_touch *items;
	const struct kt_tree *unknown; /* memory that a statement reaches in a way that cannot be followed; NULL: none */
	bool failed;
};

/* Of all statements of the row, once loops are known. False: no memory. */
bool kt_row_collect(struct kt_touches *t, struct kt_row *row);
/* Which kernel of a launch region the node is of. */
size_t kt_row_step_of(const struct kt_kernel *kernel, const struct kt_tree *node);

/*
 * fuse_steps.c: may the kernels of a launch region follow one another in one body? None ends while others go on, changes what
 * others are given, or reads in another way what others write. False: the family has the reason.
 */
bool kt_row_steps_follow(struct kt_row *row, const struct kt_touches *touches);

#endif
