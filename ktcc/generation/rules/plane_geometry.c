/* The launch of a plane: see plane.c. */
#include "generation/rules/plane.h"

void kt_plane_geometry(struct kt_plane *plane)
{
	static const int64_t wide[] = {8, 16, 32, 64, 128, 256, 512}, high[] = {1, 2, 4, 8, 16, 32}, rows[] = {1, 2, 4, 8};
	static const int64_t line[] = {64, 128, 256, 512, 1024, 32};
	/* A patch is several items: fewer threads along a row will do. */
	static const int64_t patch_wide[] = {32, 8, 16, 64, 128}, patch_high[] = {4, 8, 1, 2, 16}, patch_rows[] = {4, 1, 2};
	struct kt_family *family = plane->family;
	const bool is_plane = plane->axes[1].variable != NULL;
	const char *x = is_plane ? "BLOCK_X" : "BLOCK", *vec = kt_family_has(family, "VEC") ? " * VEC" : "";
	const char *unroll = kt_family_has(family, "UNROLL") ? " * UNROLL" : "";
	const bool tile = kt_family_has(family, "TILE");
	const char *wide_bound;
	struct kt_rule_parameter *p;

	p = is_plane ? kt_family_parameter(family, x, "threads of a block, along x", plane->patched ? patch_wide : wide,
	                                   plane->patched ? 5 : 7)
	             : kt_family_parameter(family, x, "threads of a block", line, plane->parted ? 6 : 5);
	for (size_t i = 0; i < p->count; i++)
		if (p->values[i] == family->block[0])
			p->has_original = true;
	p->original = family->block[0];
	for (unsigned d = 0; d < 3; d++) {
		family->blocks[d] = "1";
		family->grid[d] = kt_rule_launched(family, true, d);
	}
	family->blocks[0] = x;
	wide_bound = kt_rule_clause(family, plane->axes[0].loop.bound);
	kt_rule_guard_counter(family, &plane->axes[0].loop, "");
	if (plane->lanes)
		kt_plane_lanes_parameters(family);
	family->grid[0] =
	    !is_plane && !plane->patched
		? kt_rule_capped(family, wide_bound,
				 kt_family_text(family, "%s%s%s%s", x, vec, unroll, plane->lanes ? " / LANES" : ""))
		: kt_family_text(family, "max(1, ceil_div(%s, %s%s%s))", wide_bound, x, vec, unroll);
	if (plane->parted)
		family->blocks[1] = "PARTS";
	if (is_plane) {
		p = kt_family_parameter(family, "BLOCK_Y", "threads of a block, along y", plane->patched ? patch_high : high,
		                        plane->patched ? 5 : 6);
		for (size_t i = 0; i < p->count; i++)
			if (p->values[i] == family->block[1])
				p->has_original = true;
		p->original = family->block[1];
		kt_family_parameter(family, "ROWS", "rows that a thread takes", plane->patched ? patch_rows : rows,
		                    plane->patched ? 3 : 4);
		kt_family_restrict(family, "BLOCK_X * BLOCK_Y >= 32", "a block has a warp at least");
		kt_family_restrict(family, "BLOCK_X * BLOCK_Y <= 1024", "a block has 1024 threads at most");
		family->blocks[1] = "BLOCK_Y";
		if (plane->patched)
			kt_rule_guard_counter(family, &plane->axes[1].loop, "");
		family->grid[1] = kt_family_text(family, "min(65535, max(1, ceil_div(%s, BLOCK_Y * ROWS)))",
		                                 kt_rule_clause(family, plane->axes[1].loop.bound));
		kt_family_applied(family, "coarsen", "a thread takes ROWS rows");
	}
	if (tile) {
		if (unroll[0] != '\0')
			kt_family_restrict(family, "UNROLL == 1", "a tile's loads are all in front already");
		family->grid[0] = kt_family_text(family, "TILE != 0 ? max(1, ceil_div(%s, TILE)) : %s",
		                                 kt_rule_clause(family, plane->axes[0].loop.bound), family->grid[0]);
		family->grid[1] = kt_family_text(family, "TILE != 0 ? min(65535, max(1, ceil_div(%s, TILE))) : %s",
		                                 kt_rule_clause(family, plane->axes[1].loop.bound), family->grid[1]);
	}
	if (plane->axes[2].variable != NULL)
		family->grid[2] = kt_family_text(family, "min(65535, max(1, %s))", kt_rule_clause(family, plane->axes[2].loop.bound));
	family->launch_bounds = is_plane        ? "__launch_bounds__(${= BLOCK_X * BLOCK_Y}) "
	                        : plane->parted ? "__launch_bounds__(${= BLOCK * PARTS}) "
	                                        : "__launch_bounds__(${BLOCK}) ";
	kt_family_applied(family, "geometry", is_plane ? "items in a plane: blocks of any shape will do"
	                                               : "items in rows: any number of threads will do");
}

static bool is_not_shared(struct kt_tree *node, void *context)
{
	const struct kt_tree **where = context;

	if (node->kind != KT_TREE_VARIABLE || node->variable == NULL || !node->variable->is_shared)
		return true;
	*where = node;
	return false;
}

static bool is_no_place(struct kt_tree *node, void *context)
{
	const struct kt_tree **where = context;

	if (node->kind != KT_TREE_BUILTIN || node->dimension == 0)
		return true;
	*where = node;
	return false;
}

/* Why blocks or a grid of several dimensions are not changed: on the line that asks for it. */
bool kt_plane_decline(struct kt_family *family)
{
	const struct kt_tree *where = NULL;

	if (!kt_tree_walk(family->kernel->body, is_not_shared, &where))
		return kt_rule_decline(family, KT_DECLINE_SHARED_USED, where, "threads exchange data in shared memory");
	(void)kt_tree_walk(family->kernel->body, is_no_place, &where);
	return kt_rule_decline(family, KT_DECLINE_SHAPE, where, "blocks or the grid have more than one dimension");
}
