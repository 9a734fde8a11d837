/*
 * Plane: a thread for each item in two or three dimensions.
 *
 *   int x = blockIdx.x * blockDim.x + threadIdx.x;      becomes    for (y = …; y < h; y += …)
 *   int y = blockIdx.y * blockDim.y + threadIdx.y;                   for (x = …; x < w; x += …)
 *   if (x < w && y < h) ITEM                                           ITEM
 *
 * over blocks of BLOCK_X × BLOCK_Y threads and a grid of ROWS times fewer rows. A dimension that is no item's (a batch in
 * blockIdx.z) keeps its launch.
 *
 * Sound when: every item has a thread in the original launch (a guard checks it where the grid is not spelled that way); items
 * neither wait for each other nor share anything but memory; the thread index is used for the item's own coordinates only.
 * Items ran at the same time in no order, so any order will do.
 */
#include <string.h>

#include "generation/rules/plane.h"

static bool refuse(struct kt_plane *plane, enum kt_decline reason, const struct kt_tree *where, const char *detail)
{
	return kt_rule_decline(plane->family, reason, where, detail);
}

static bool is_axis(struct kt_plane *plane, const struct kt_tree *node, unsigned *dimension)
{
	const struct kt_tree_variable *v = node->kind == KT_TREE_VARIABLE ? node->variable : NULL;
	const struct kt_poly *start;
	enum kt_share share;

	if (v == NULL || node->count != 1 || v->writes != 0 || v->escapes || v->is_array || v->is_pointer ||
	    kt_scalar_is_float(v->scalar) || v->scalar == KT_SCALAR_NONE)
		return false;
	start = kt_poly_of(&plane->family->polys, node->children[0]);
	return start != NULL && kt_share_start(&share, dimension, start, plane->family->block) && share == KT_SHARE_FLAT;
}

static bool add_axes(struct kt_plane *plane, struct kt_tree *declare)
{
	size_t found = 0;

	for (size_t i = 0; i < declare->count; i++) {
		unsigned dimension;

		if (!is_axis(plane, declare->children[i], &dimension) || plane->axes[dimension].variable != NULL)
			continue;
		plane->axes[dimension].variable = declare->children[i]->variable;
		plane->axes[dimension].declare = declare;
		found++;
	}
	return found == 0 || found == declare->count;
}

/* What bounds the items: the parts of a condition, and those that ask for something else. */
struct parts {
	struct kt_plane *plane;
	bool returns;
	size_t bound_count, extra_count;
	struct kt_tree *extra[KT_PLANE_EXTRA];
	bool failed;
};

static void split(struct parts *parts, struct kt_tree *node)
{
	struct kt_tree *bare = kt_tree_bare(node);

	if (kt_tree_is(bare, KT_TREE_BINARY, parts->returns ? "||" : "&&")) {
		split(parts, bare->children[0]);
		split(parts, bare->children[1]);
		return;
	}
	for (unsigned d = 0; d < 3; d++) {
		struct kt_plane_axis *axis = &parts->plane->axes[d];
		struct kt_tree *bound =
		    axis->variable != NULL ? kt_loop_bound(bare, axis->variable, parts->returns) : NULL;

		if (bound == NULL || axis->loop.bound_node != NULL)
			continue;
		axis->loop.bound_node = bound;
		axis->loop.bound = kt_poly_of(&parts->plane->family->polys, bound);
		parts->bound_count++;
		return;
	}
	if (parts->extra_count == KT_PLANE_EXTRA)
		parts->failed = true;
	else
		parts->extra[parts->extra_count++] = node;
}

static bool is_bounded(const struct kt_plane *plane)
{
	for (size_t d = 0; d < 3; d++)
		if (plane->axes[d].variable != NULL && plane->axes[d].loop.bound_node == NULL)
			return false;
	return true;
}

/* An index that nothing asks about has a thread for each of its values: those of the launch. */
static bool bound_by_launch(struct kt_plane *plane)
{
	for (unsigned d = 0; d < 3; d++) {
		struct kt_plane_axis *axis = &plane->axes[d];

		if (axis->variable == NULL || axis->loop.bound_node != NULL)
			continue;
		axis->loop.bound = kt_launched_extent(&plane->family->polys, d, false);
		if (axis->loop.bound == NULL)
			return refuse(plane, KT_DECLINE_BOUND_UNKNOWN, axis->declare,
			              "nothing bounds the index, and the launch's threads are no expression of the arguments");
		axis->loop.bound_node = kt_arena_alloc(plane->family->kernel->arena, sizeof *axis->loop.bound_node);
		if (axis->loop.bound_node == NULL) {
			plane->family->failed = true;
			return false;
		}
		*axis->loop.bound_node = (struct kt_tree){.kind = KT_TREE_OTHER, .parent = axis->declare};
		axis->loop.exact = true;
	}
	return true;
}

static bool push(struct kt_plane *plane, struct kt_tree *child)
{
	struct kt_tree **slot =
	    kt_arena_push(plane->family->kernel->arena, &plane->block->children, &plane->block->count, sizeof *slot);

	if (slot == NULL) {
		plane->family->failed = true;
		return false;
	}
	*slot = child;
	child->parent = plane->block;
	return true;
}

/* Text that is removed: a separate node in the place of what was there. */
static bool push_gone(struct kt_plane *plane, uint32_t begin, uint32_t end)
{
	struct kt_tree *gone = kt_arena_alloc(plane->family->kernel->arena, sizeof *gone);

	if (gone == NULL) {
		plane->family->failed = true;
		return false;
	}
	*gone = (struct kt_tree){.kind = KT_TREE_EMPTY, .range = {begin, end}};
	kt_write_set(&plane->family->write, gone, "");
	return push(plane, gone);
}

/* The condition without what bounds the items. */
static void keep_extra(struct kt_plane *plane, const struct parts *parts, struct kt_tree *branch)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t i = 0; i < parts->extra_count; i++) {
		kt_buf_adds(&text, i == 0 ? "" : parts->returns ? " || " : " && ");
		kt_write_node(&text, &plane->family->write, parts->extra[i]);
	}
	kt_write_set(&plane->family->write, branch->children[0], kt_family_text(plane->family, "%s", kt_buf_text(&text)));
	plane->family->failed = plane->family->failed || text.failed;
	kt_buf_free(&text);
}

/* False: the statement is not one that bounds items. */
static bool read_branch(struct kt_plane *plane, struct kt_tree *node, bool last)
{
	struct parts parts = {.plane = plane, .returns = node->count == 2 && kt_tree_only_returns(node->children[1])};
	struct kt_tree *then = node->children[1];

	if (node->count != 2 || (!parts.returns && !last))
		return false;
	split(&parts, node->children[0]);
	if (parts.failed || parts.bound_count == 0 || (!parts.returns && !bound_by_launch(plane)))
		return false;
	if (parts.extra_count > 0) {
		keep_extra(plane, &parts, node);
		return push(plane, node);
	}
	if (parts.returns)
		return push_gone(plane, node->range.begin, node->range.end);
	if (then->kind != KT_TREE_BLOCK) {
		plane->block->range.end = then->range.end + 1;
		return push_gone(plane, node->range.begin, then->range.begin) && push(plane, then);
	}
	plane->block->range.end = then->range.end;
	if (!push_gone(plane, node->range.begin, then->range.begin + 1))
		return false;
	for (size_t i = 0; i < then->count; i++)
		if (!push(plane, then->children[i]))
			return false;
	return true;
}

static bool is_axis_of(const struct kt_plane *plane, const struct kt_tree *declare)
{
	for (size_t d = 0; d < 3; d++)
		if (plane->axes[d].declare == declare)
			return true;
	return false;
}

/* A declaration that no item changes may stay in front of all of them. */
static bool stays(const struct kt_plane *plane, const struct kt_tree *node)
{
	if (node->kind != KT_TREE_DECLARE || is_axis_of(plane, node))
		return false;
	for (size_t i = 0; i < node->count; i++)
		if (node->children[i]->kind != KT_TREE_VARIABLE || node->children[i]->variable->writes != 0 ||
		    node->children[i]->variable->escapes || node->children[i]->variable->is_array)
			return false;
	return true;
}

static bool read_items(struct kt_plane *plane)
{
	struct kt_tree *body = plane->family->kernel->body;
	bool bounded = false;

	for (size_t i = 0; i < body->count; i++)
		if (body->children[i]->kind == KT_TREE_DECLARE && !add_axes(plane, body->children[i]))
			return refuse(plane, KT_DECLINE_SHAPE, body->children[i], "an index is declared together with something else");
	while (plane->first < body->count && stays(plane, body->children[plane->first]))
		plane->first++;
	plane->block = kt_arena_alloc(plane->family->kernel->arena, sizeof *plane->block);
	if (plane->block == NULL || plane->first == body->count) {
		plane->family->failed = true;
		return false;
	}
	*plane->block = (struct kt_tree){.kind = KT_TREE_BLOCK,
	                                 .range = {body->children[plane->first]->range.begin - 1, body->range.end}};
	for (size_t i = plane->first; i < body->count; i++) {
		struct kt_tree *node = body->children[i];

		if (is_axis_of(plane, node)) {
			if (!push_gone(plane, node->range.begin, node->range.end))
				return false;
			continue;
		}
		if (!bounded && node->kind == KT_TREE_IF && read_branch(plane, node, i + 1 == body->count)) {
			bounded = is_bounded(plane);
			continue;
		}
		if (!bounded && plane->family->reason != KT_DECLINE_NONE)
			return false;
		if (!bounded && node->kind != KT_TREE_DECLARE && !kt_loop_is_quiet(node)) {
			if (!bound_by_launch(plane))
				return false;
			bounded = true;
		}
		if (!push(plane, node))
			return false;
	}
	return bounded || bound_by_launch(plane);
}

struct search {
	struct kt_plane *plane;
	const struct kt_tree_variable *variable;
	const struct kt_tree *where;
};

static bool in_axis(const struct kt_plane *plane, const struct kt_tree *node)
{
	for (size_t d = 0; d < 3; d++)
		if (plane->axes[d].declare != NULL && kt_tree_contains(plane->axes[d].declare, node))
			return true;
	return false;
}

static bool is_for_axis(struct kt_tree *node, void *context)
{
	const struct search *search = context;

	return node->kind != KT_TREE_REFERENCE || node->variable != search->variable || in_axis(search->plane, node);
}

static bool stands_free(struct kt_tree *node, void *context)
{
	struct search *search = context;
	const struct kt_tree *at = node;

	if (node->kind != KT_TREE_BUILTIN || in_axis(search->plane, node) ||
	    (search->plane->axes[node->dimension].variable == NULL &&
	     (node->builtin == KT_BLOCK_INDEX || node->builtin == KT_GRID_EXTENT)))
		return true;
	while (at != NULL && at->kind != KT_TREE_VARIABLE && at->kind < KT_TREE_BLOCK)
		at = at->parent;
	if (at != NULL && at->kind == KT_TREE_VARIABLE && at->variable->writes == 0 && !at->variable->escapes &&
	    kt_tree_walk(search->plane->family->kernel->body, is_for_axis,
			 &(struct search){search->plane, at->variable, NULL}))
		return true;
	search->where = node;
	return false;
}

/* From here on an index is the variable of a loop. */
static bool make_loops(struct kt_plane *plane)
{
	const struct kt_loop *outer = NULL;
	struct kt_tree *inside = plane->block;

	for (unsigned d = 0; d < 3; d++) {
		struct kt_plane_axis *axis = &plane->axes[d];
		struct kt_tree *node, **children;

		if (axis->variable == NULL)
			continue;
		node = kt_arena_alloc(plane->family->kernel->arena, sizeof *node);
		children = kt_arena_array(plane->family->kernel->arena, 4, sizeof *children);
		if (node == NULL || children == NULL) {
			plane->family->failed = true;
			return false;
		}
		children[3] = inside;
		*node = (struct kt_tree){.kind = KT_TREE_FOR, .range = axis->declare->range, .count = 4, .children = children};
		inside->parent = node;
		axis->loop.share = KT_SHARE_FLAT;
		axis->loop.form = KT_LOOP_FOR;
		axis->loop.dimension = d;
		axis->loop.variable = axis->variable;
		axis->loop.node = node;
		axis->loop.body = inside;
		axis->variable->writes = 1;
		inside = node;
	}
	for (unsigned d = 3; d-- > 0;)
		if (plane->axes[d].variable != NULL) {
			plane->axes[d].loop.outer = outer;
			outer = &plane->axes[d].loop;
		}
	return true;
}

/* The bound of a loop may not use what is declared in it. */
static bool read_bounds(struct kt_plane *plane)
{
	for (unsigned d = 0; d < 3; d++) {
		struct kt_plane_axis *axis = &plane->axes[d];
		struct kt_loop item = axis->loop;
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		if (axis->variable == NULL)
			continue;
		item.form = KT_LOOP_IF;
		item.dimension = d;
		item.node = axis->declare;
		if (axis->loop.bound == NULL || !kt_rule_covers(plane->family, &item))
			return false;
		kt_poly_print(&text, plane->family->kernel, axis->loop.bound, NULL, NULL);
		if (kt_tree_bare(axis->loop.bound_node)->kind != KT_TREE_REFERENCE ||
		    kt_tree_bare(axis->loop.bound_node)->variable->argument < 0)
			kt_write_set(&plane->family->write, axis->loop.bound_node,
			             kt_family_text(plane->family, "%s", kt_buf_text(&text)));
		plane->family->failed = plane->family->failed || text.failed;
		kt_buf_free(&text);
	}
	return true;
}

static bool read_effects(struct kt_plane *plane)
{
	struct kt_effects *effects = &plane->effects;
	struct kt_loop item = plane->axes[0].loop;
	struct kt_error err;

	if (kt_effects_read(effects, &plane->family->polys, plane->block, 0, &err) != KT_OK) {
		plane->family->failed = true;
		return false;
	}
	item.form = KT_LOOP_IF;
	if (effects->barrier != NULL)
		return refuse(plane, KT_DECLINE_THREADS_WAIT, effects->barrier,
		              kt_synchronisation_detail(effects->barrier, "threads wait for each other"));
	for (size_t i = 0; i < effects->access_count; i++)
		if (effects->accesses[i].root->is_shared)
			return refuse(plane, KT_DECLINE_SHARED_USED, effects->accesses[i].node, "threads exchange data in shared memory");
	if (effects->leaves != NULL && !kt_rule_continues(plane->family, &item, effects))
		return refuse(plane, KT_DECLINE_LOOP_LEFT, effects->leaves, "a work item ends inside of a loop");
	for (size_t i = 0; i < effects->fold_count; i++)
		return refuse(plane, KT_DECLINE_CARRIED, plane->axes[0].declare, "a value is carried between work items");
	return true;
}

static void open_loop(struct kt_buf *out, struct kt_plane *plane, unsigned dimension)
{
	struct kt_plane_axis *axis = &plane->axes[dimension];
	const char *type = axis->variable->bare, *name = axis->variable->name;
	const char letter = (char)('x' + dimension);

	if (dimension == 1) {
		kt_buf_adds(out, "#pragma unroll ${ROWS}\n");
		kt_buf_addf(out, "for (%s %s = (long long)blockIdx.y * ${BLOCK_Y} + threadIdx.y; %s < ", type, name, name);
	} else {
		kt_buf_addf(out, "for (%s %s = blockIdx.%c; %s < ", type, name, letter, name);
	}
	kt_write_node(out, &plane->family->write, axis->loop.bound_node);
	kt_buf_addf(out, dimension == 1 ? "; %s += (long long)gridDim.%c * ${BLOCK_Y}) {\n" : "; %s += gridDim.%c) {\n", name,
	            letter);
}

static void write_items(struct kt_plane *plane)
{
	struct kt_family *family = plane->family;
	struct kt_tree *body = family->kernel->body;
	const bool is_plane = plane->axes[1].variable != NULL;
	const struct kt_loop *loop = &plane->axes[0].loop;
	const struct kt_frame frame = {
	    .start = is_plane ? "(long long)blockIdx.x * ${BLOCK_X} + threadIdx.x"
			      : "(long long)blockIdx.x * ${BLOCK} + threadIdx.x",
	    .step = is_plane ? "(long long)gridDim.x * ${BLOCK_X}" : "(long long)gridDim.x * ${BLOCK}",
	};
	const char *patch = kt_family_allows(family, "patch") ? kt_plane_patch(plane) : NULL;
	struct kt_vector *vector = NULL;
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool tiled;

	plane->lanes = patch == NULL && kt_plane_lanes(&out, plane);
	if (patch == NULL)
		(void)kt_rule_serial(family);
	if (patch == NULL && kt_family_allows(family, "vectorize"))
		vector = kt_vector_plan(family, loop, &plane->effects);
	plane->vector = vector != NULL || patch != NULL;
	tiled = is_plane && kt_family_allows(family, "tile") && kt_plane_tile(&out, plane);
	for (unsigned d = 2; d > 0; d--)
		if (plane->axes[d].variable != NULL && (patch == NULL || d == 2))
			open_loop(&out, plane, d);
	kt_buf_adds(&out, patch != NULL    ? patch
	                  : vector != NULL ? kt_vector_text(family, vector, &frame)
	                                   : kt_rule_plain_loop(family, loop, frame.start, frame.step, NULL));
	for (unsigned d = 2; d > 0; d--)
		if (plane->axes[d].variable != NULL && (patch == NULL || d == 2))
			kt_buf_adds(&out, "}\n");
	kt_buf_adds(&out, tiled || plane->lanes ? "${end}\n" : "");
	for (size_t i = plane->first; i < body->count; i++)
		kt_write_set(&family->write, body->children[i],
		             i == plane->first ? kt_family_text(family, "%s", kt_buf_text(&out)) : "");
	family->failed = family->failed || out.failed;
	kt_buf_free(&out);
}

struct use {
	unsigned dimension;
	struct kt_tree *where;
};

static bool is_not_along(struct kt_tree *node, void *context)
{
	struct use *use = context;

	if (node->kind != KT_TREE_BUILTIN || node->dimension != use->dimension || node->builtin == KT_BLOCK_EXTENT ||
	    node->builtin == KT_GRID_EXTENT || node->builtin == KT_GLOBAL_EXTENT)
		return true;
	use->where = node;
	return false;
}

/* A dimension that is launched and has no index of the form that is distributed. */
static bool refuse_dimension(struct kt_plane *plane, unsigned dimension)
{
	struct kt_family *family = plane->family;
	struct use use = {.dimension = dimension};
	const char letter = (char)('x' + dimension);

	if (kt_tree_walk(family->kernel->body, is_not_along, &use))
		return refuse(plane, KT_DECLINE_SHAPE, plane->axes[0].declare,
		              kt_family_text(family, "the launch has more than one thread along %c, and all of them do the same: "
		                                     "no index uses that dimension", letter));
	return refuse(plane, KT_DECLINE_SHAPE, use.where,
	              kt_family_text(family, "'%s' is not part of an index that numbers all threads along %c, such as "
	                                     "blockIdx.%c * blockDim.%c + threadIdx.%c",
	                             kt_tree_text(family->kernel, use.where), letter, letter, letter, letter));
}

bool kt_rule_plane(struct kt_family *family)
{
	struct kt_plane *plane = kt_arena_alloc(family->kernel->arena, sizeof *plane);
	struct search search = {.plane = plane};
	bool any = false;

	if (plane == NULL) {
		family->failed = true;
		return false;
	}
	plane->family = family;
	for (size_t i = 0; i < family->kernel->body->count; i++) {
		const struct kt_tree *node = family->kernel->body->children[i];
		unsigned dimension;

		for (size_t k = 0; node->kind == KT_TREE_DECLARE && k < node->count; k++)
			any = any || (is_axis(plane, node->children[k], &dimension) && dimension == 0);
	}
	if (!any || !read_items(plane))
		return false;
	for (unsigned d = 0; d < 3; d++)
		if (plane->axes[d].variable == NULL && strcmp(kt_rule_launched(family, false, d), "1") != 0)
			return refuse_dimension(plane, d);
	if (plane->axes[2].variable != NULL && plane->axes[1].variable == NULL)
		return refuse(plane, KT_DECLINE_SHAPE, plane->axes[2].declare, "an index in the third dimension without one in the second");
	if (!kt_tree_walk(family->kernel->body, stands_free, &search))
		return refuse(plane, KT_DECLINE_GEOMETRY_USED, search.where, "the thread index is used for something else");
	if (!read_bounds(plane) || !make_loops(plane) || !read_effects(plane))
		return false;
	write_items(plane);
	kt_plane_geometry(plane);
	return !family->failed;
}
