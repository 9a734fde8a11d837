/*
 * Fuse: the kernels of a launch region, each block of which works on its own row, run
 * block by block in one kernel.
 *
 * Sound when all have the same grid and block, may run one after the other (fuse_steps.c), and what one writes and another
 * touches belongs to one row: the elements [row · D, row · D + D) in loops of D iterations, or one element for each row. That
 * rows are disjoint is proved: a place is the block's index times a number of elements, with the blocks of each further
 * dimension after those of the one before, plus numbers that all blocks have in common. No block then needs what another one
 * does, and the order within a block is kept: the same thread touches the same elements, or the threads synchronise.
 *
 * A value that one thread stores for its row (a scale, a maximum) has a name in all
 * threads from then on; where it is a scratch array's, the store is left out.
 */
#include <string.h>

#include "generation/rules/fuse.h"
#include "generation/rules/vector.h"

size_t kt_row_step_of(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	size_t step = 0;

	while (step + 1 < kernel->step_count && kernel->steps[step + 1] <= node->range.begin)
		step++;
	return step;
}

static void add(struct kt_touches *t, const struct kt_effects *effects, const struct kt_loop *loop, size_t statement)
{
	const struct kt_kernel *kernel = t->row->family->kernel;

	for (size_t i = 0; i < effects->access_count; i++) {
		struct kt_touch *slot = kt_arena_push(kernel->arena, &t->items, &t->count, sizeof *slot);

		if (slot == NULL) {
			t->failed = true;
			return;
		}
		*slot = (struct kt_touch){&effects->accesses[i], loop, statement, kt_row_step_of(kernel, effects->accesses[i].node)};
	}
}

bool kt_row_collect(struct kt_touches *t, struct kt_row *row)
{
	struct kt_error err;

	*t = (struct kt_touches){.row = row};
	for (size_t i = row->first; i < row->block->count && !t->failed; i++) {
		struct kt_effects *effects = kt_arena_alloc(row->family->kernel->arena, sizeof *effects);
		const struct kt_loop *loop = NULL;

		for (size_t l = 0; l < row->loop_count; l++)
			if (row->loop_at[l] == i) {
				loop = row->loops[l];
				*effects = row->effects[l];
			}
		if (effects == NULL || (loop == NULL && kt_effects_read(effects, &row->family->polys, row->block->children[i],
		                                                        0, &err) != KT_OK)) {
			t->failed = true;
			break;
		}
		t->unknown = t->unknown != NULL ? t->unknown : effects->unknown;
		add(t, effects, loop, i);
	}
	row->family->failed = row->family->failed || t->failed;
	return !t->failed;
}

/* The dimension of the grid by which the atom distinguishes rows; 3: it is no row's index. */
static unsigned row_dimension(const struct kt_row *row, const struct kt_atom *atom)
{
	if (row->outer != NULL)
		return atom->kind == KT_ATOM_VARIABLE && atom->variable == row->outer->variable ? 0 : 3;
	return atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_INDEX ? atom->dimension : 3;
}

/* The same in all blocks, all along the kernel. */
static bool is_common(const struct kt_atom *atom, void *context)
{
	const struct kt_tree_variable *v = atom->variable;

	(void)context;
	switch (atom->kind) {
	case KT_ATOM_VARIABLE:
		return v->argument >= 0 && v->writes == 0 && !v->escapes && !v->is_pointer && !v->is_array;
	case KT_ATOM_BUILTIN:
		return atom->builtin == KT_BLOCK_EXTENT || atom->builtin == KT_GRID_EXTENT;
	case KT_ATOM_QUOTIENT:
	case KT_ATOM_REMAINDER:
		return true; /* of what is asked for as well */
	case KT_ATOM_OPAQUE:
		break;
	}
	return false;
}

/* Elements between neighbours along each dimension. False: a place depends on the block in another way. */
static bool read_strides(struct kt_poly strides[3], const struct kt_row *row, const struct kt_poly *place)
{
	for (size_t i = 0; i < place->count; i++) {
		struct kt_poly rest = {.count = 1, .terms = {place->terms[i]}};
		struct kt_term *term = &rest.terms[0];
		unsigned dimension = 3;

		for (size_t j = 0; j < term->count && dimension == 3; j++) {
			dimension = row_dimension(row, term->atoms[j]);
			if (dimension == 3)
				continue;
			memmove(&term->atoms[j], &term->atoms[j + 1], (term->count - j - 1) * sizeof *term->atoms);
			term->count--;
		}
		if (!kt_poly_every(&rest, is_common, NULL))
			return false;
		if (dimension < 3)
			strides[dimension].terms[strides[dimension].count++] = *term;
	}
	return true;
}

static bool is_at_least(const struct kt_poly *a, const struct kt_poly *b)
{
	const struct kt_term *left = &a->terms[0], *right = &b->terms[0];

	if (a->count != 1 || b->count != 1)
		return a->count > 0 && kt_poly_equal(a, b);
	return left->count == right->count && right->factor > 0 && left->factor >= right->factor &&
	       memcmp(left->atoms, right->atoms, left->count * sizeof *left->atoms) == 0;
}

/* Is `stride` as long as all blocks along the dimension, at the distance `inner`? */
static bool is_behind(struct kt_polys *polys, const struct kt_poly *stride, const struct kt_poly *inner,
		      unsigned dimension)
{
	struct kt_tree extent = {.kind = KT_TREE_BUILTIN, .builtin = KT_GRID_EXTENT, .dimension = dimension};
	const struct kt_poly *const extents[] = {kt_poly_of(polys, &extent), kt_launched_extent(polys, dimension, true)};

	for (size_t i = 0; i < 2; i++) {
		const struct kt_poly *whole = extents[i] != NULL ? kt_poly_multiply(polys, inner, extents[i]) : NULL;

		if (whole != NULL && is_at_least(stride, whole))
			return true;
	}
	return false;
}

/* Do places that begin here, of `extent` elements each, not overlap in any two rows? */
static bool rows_are_apart(struct kt_row *row, const struct kt_poly *place, const struct kt_poly *extent)
{
	struct kt_poly strides[3] = {{.count = 0}, {.count = 0}, {.count = 0}};
	struct kt_family *family = row->family;
	bool done[3], first = true;
	unsigned last = 0, left = 0;

	for (unsigned d = 0; d < 3; d++) {
		done[d] = row->outer != NULL ? d > 0 : d > 0 && strcmp(kt_rule_launched(family, true, d), "1") == 0;
		left += !done[d];
	}
	if (!read_strides(strides, row, place))
		return false;
	/* From the rows next to each other to those with the greatest distance. */
	while (left > 0) {
		unsigned d = 0;

		while (d < 3 && (done[d] || !(first ? is_at_least(&strides[d], extent)
		                                    : is_behind(&family->polys, &strides[d], &strides[last], last))))
			d++;
		if (d == 3)
			return false;
		done[d] = true;
		last = d;
		first = false;
		left--;
	}
	return true;
}

static bool moves_in(const struct kt_touch *t)
{
	return t->loop != NULL && kt_poly_varies(t->access->index, t->loop->node);
}

static bool same_element(struct kt_row *row, const struct kt_touch *a, const struct kt_touch *b)
{
	const struct kt_poly *one = kt_poly_constant(&row->family->polys, 1);

	return one != NULL && !moves_in(a) && !moves_in(b) && kt_poly_equal(a->access->index, b->access->index) &&
	       rows_are_apart(row, a->access->index, one);
}

/* The same elements of the same row, in iterations of the same number. */
static bool same_elements(struct kt_row *row, const struct kt_touch *a, const struct kt_touch *b)
{
	struct kt_polys *polys = &row->family->polys;
	const struct kt_poly *fixed, *extent;
	struct kt_motion motion;

	if (a->loop == NULL || b->loop == NULL || a->loop->bound == NULL || b->loop->bound == NULL ||
	    !kt_poly_equal(a->loop->bound, b->loop->bound) ||
	    !kt_access_same_place(row->family, a->loop, a->access, b->loop, b->access, &fixed))
		return false;
	kt_motion_find(&motion, row->family, a->loop, a->access->index);
	extent = kt_poly_constant(polys, motion.step < 0 ? -motion.step : motion.step);
	extent = extent != NULL ? kt_poly_multiply(polys, a->loop->bound, extent) : NULL;
	return extent != NULL && rows_are_apart(row, fixed, extent);
}

static bool touches_other(const struct kt_touch *a, const struct kt_touch *b)
{
	return (a->access->writes || b->access->writes) && !a->access->root->is_shared && !b->access->root->is_shared &&
	       kt_roots_may_alias(a->access->root, b->access->root);
}

bool kt_row_fuses(struct kt_row *row)
{
	struct kt_family *family = row->family;
	struct kt_touches t;

	if (family->kernel->step_count < 2)
		return true;
	if (row->flat)
		return kt_rule_decline(family, KT_DECLINE_ROWS_MIX, row->loops[0]->node,
		                       "blocks of one kernel need what blocks of another did");
	if (!kt_family_allows(family, "fuse"))
		return kt_rule_decline(family, KT_DECLINE_NOTHING_APPLIES, NULL, "fusing is not among the strategies that may be used");
	if (!kt_row_collect(&t, row) || !kt_row_steps_follow(row, &t))
		return false;
	if (t.unknown != NULL)
		return kt_rule_decline(family, KT_DECLINE_ROWS_MIX, t.unknown,
		                       "which memory this reaches cannot be followed: a block may need what another block did");
	for (size_t i = 0; i < t.count; i++)
		for (size_t k = i + 1; k < t.count; k++) {
			const struct kt_touch *a = &t.items[i], *b = &t.items[k];

			if (a->step == b->step || !touches_other(a, b))
				continue;
			if (a->access->root == b->access->root) {
				if (!a->access->atomic && !b->access->atomic && (same_element(row, a, b) || same_elements(row, a, b)))
					continue;
			} else if (kt_family_disjoint(family, a->access->root, b->access->root)) {
				continue;
			}
			return kt_rule_decline(family, KT_DECLINE_ROWS_MIX, b->access->node,
			                       "a block may need here what another block did before");
		}
	kt_family_applied(family, "fuse",
	                  "each block works on its own row in all kernels: one kernel does them one after the other");
	return true;
}

static bool is_forwarded(const struct kt_row *row, const struct kt_tree_variable *root)
{
	for (size_t i = 0; i < row->forwarded_count; i++)
		if (row->forwarded[i] == root)
			return true;
	return false;
}

bool kt_row_synchronises(struct kt_row *row, bool shared, bool guarded)
{
	struct kt_touches t;

	if (!kt_row_collect(&t, row) || t.unknown != NULL)
		return true;
	for (size_t i = 0; i < t.count; i++)
		for (size_t k = i + 1; k < t.count; k++) {
			const struct kt_touch *a = &t.items[i], *b = &t.items[k];

			if (a->statement == b->statement || !touches_other(a, b) || is_forwarded(row, a->access->root))
				continue;
			/* What is added to is not what is read: else the sum of the original kernel would depend on the order
			 * of threads. */
			if ((guarded || a->access->atomic || b->access->atomic) && a->access->root != b->access->root &&
			    kt_family_disjoint(row->family, a->access->root, b->access->root))
				continue;
			if (!shared || a->access->root != b->access->root || !same_elements(row, a, b))
				return true;
		}
	return false;
}

/* The assignment that is all that `if (threadIdx.x == 0)` does, or NULL. */
static struct kt_tree *lone_store(struct kt_row *row, struct kt_tree *node)
{
	struct kt_tree *store;

	if (!kt_row_is_lone(row, node))
		return NULL;
	store = node->children[1];
	while (store->kind == KT_TREE_BLOCK && store->count == 1)
		store = store->children[0];
	return kt_tree_is(store, KT_TREE_ASSIGN, "=") ? store : NULL;
}

static bool is_scratch(const struct kt_row *row, const struct kt_tree_variable *root)
{
	const struct kt_region *region = row->family->kernel->region;

	for (size_t i = 0; i < region->buffer_count; i++)
		if (root->argument >= 0 && region->buffers[i].argument == root->argument)
			return region->buffers[i].scratch || region->buffers[i].direction == KT_SCRATCH;
	return false;
}

/* Everything that touches the array: the store, and reads of the same element after it. */
static bool only_read_behind(struct kt_row *row, const struct kt_touches *t, const struct kt_touch *store)
{
	size_t reads = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct kt_touch *other = &t->items[i];

		if (other == store || !kt_roots_may_alias(other->access->root, store->access->root) ||
		    other->access->root->is_shared)
			continue;
		if (other->access->root != store->access->root) {
			if (other->access->writes && !kt_family_disjoint(row->family, other->access->root, store->access->root))
				return false;
			continue;
		}
		if (other->access->writes || other->statement <= store->statement || !same_element(row, store, other) ||
		    other->access->node->in_macro)
			return false;
		reads++;
	}
	return reads > 0;
}

void kt_row_forward(struct kt_row *row, bool write)
{
	struct kt_family *family = row->family;
	struct kt_touches t;

	if (!kt_row_collect(&t, row) || t.unknown != NULL)
		return;
	for (size_t i = 0; i < t.count; i++) {
		const struct kt_touch *store = &t.items[i];
		const struct kt_tree_variable *root = store->access->root;
		struct kt_tree *node = row->block->children[store->statement], *assign = lone_store(row, node);
		const struct kt_tree_variable **slot;
		struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		const char *name;

		if (assign == NULL || kt_tree_bare(assign->children[0]) != store->access->node || root->element == NULL ||
		    !only_read_behind(row, &t, store))
			continue;
		if (!write) {
			slot = kt_arena_push(family->kernel->arena, &row->forwarded, &row->forwarded_count, sizeof *slot);
			if (slot == NULL) {
				family->failed = true;
				return;
			}
			*slot = root;
			continue;
		}
		name = kt_family_name(family, kt_family_text(family, "%s_of_row", root->name));
		kt_buf_addf(&text, "const %s %s = ", root->element, name);
		kt_write_node(&text, &family->write, assign->children[1]);
		kt_buf_adds(&text, ";");
		if (!is_scratch(row, root)) {
			kt_buf_addf(&text, "\nif (threadIdx.x == 0%s)\n",
			            row->clusters ? "${if CLUSTER > 1} && blockIdx.y == 0${end}" : "");
			kt_write_node(&text, &family->write, assign->children[0]);
			kt_buf_addf(&text, " = %s;", name);
		}
		kt_write_set(&family->write, node, kt_family_text(family, "%s", kt_buf_text(&text)));
		family->failed = family->failed || text.failed;
		kt_buf_free(&text);
		for (size_t k = 0; k < t.count; k++)
			if (t.items[k].access->root == root && &t.items[k] != store)
				kt_write_set(&family->write, t.items[k].access->node, name);
	}
}
