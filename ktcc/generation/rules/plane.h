/* For plane.c and tile.c: the parts of a kernel over a plane or a box of items. */
#ifndef KT_RULES_PLANE_H
#define KT_RULES_PLANE_H

#include "generation/rules/family.h"

enum { KT_PLANE_EXTRA = 8 };

struct kt_plane_axis {
	struct kt_tree_variable *variable; /* NULL: the dimension is none of the items' */
	struct kt_tree *declare;
	struct kt_loop loop;               /* as if it were a loop; its body is everything inside */
};

struct kt_plane {
	struct kt_family *family;
	struct kt_plane_axis axes[3];
	size_t first;                      /* statement of the body with which an item begins */
	struct kt_tree *block;             /* an item's statements, without what bounds it */
	struct kt_effects effects;
	bool vector;                       /* rows are moved in packs where no tile is used */
	bool patched, parted;              /* a thread takes a patch; PARTS threads may share an item's loop out */
	bool lanes;                        /* LANES threads of a warp may share an item's loops out */
};

/* plane_geometry.c: parameters, grid and block, when all that needs some has been written. */
void kt_plane_geometry(struct kt_plane *plane);

/*
 * tile.c: appends, under ${if TILE}, a form in which a block takes a tile through shared memory, up to its ${else}.
 * False: the items' accesses ask for none.
 */
bool kt_plane_tile(struct kt_buf *out, struct kt_plane *plane);

/*
 * lanes.c: appends, under ${if LANES > 1}, a form in which the threads of a warp take an item together, up to its
 * ${else}. False: nothing is gained by that, or it cannot be proven. Its parameters, once all others are there.
 */
bool kt_plane_lanes(struct kt_buf *out, struct kt_plane *plane);
void kt_plane_lanes_parameters(struct kt_family *family);

/* patch.c: the loops over the first two axes, where a thread takes a patch of items at a time.
 * NULL: nothing is gained by that. */
const char *kt_plane_patch(struct kt_plane *plane);

#endif
