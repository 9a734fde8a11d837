/*
 * Fuse: the kernels of a launch region, each block of which works on its own row, run
 * block by block in one kernel.
 *
 * Sound when all have the same grid and block, and what one writes and another touches
 * belongs to one row: the elements [row · D, row · D + D) in loops of D iterations, or
 * one element a row. No block then needs what another one does, and the order within a
 * block is kept: the same thread touches the same elements, or the threads meet.
 *
 * A value that one thread stores for its row (a scale, a maximum) has a name in all
 * threads from then on; where it is a scratch array's, the store is left out.
 */
#include <string.h>

#include "generation/rules/rows.h"

struct touch {
	const struct kt_access *access;
	const struct kt_loop *loop; /* NULL: not in a loop */
	size_t statement, step;
};

struct touches {
	struct kt_row *row;
	size_t count;
	struct touch *items;
	bool failed;
};

static size_t step_of(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	size_t step = 0;

	while (step + 1 < kernel->step_count && kernel->steps[step + 1] <= node->range.begin)
		step++;
	return step;
}

static void add(struct touches *t, const struct kt_effects *effects, const struct kt_loop *loop, size_t statement)
{
	const struct kt_kernel *kernel = t->row->family->kernel;

	for (size_t i = 0; i < effects->access_count; i++) {
		struct touch *slot = kt_arena_push(kernel->arena, &t->items, &t->count, sizeof *slot);

		if (slot == NULL) {
			t->failed = true;
			return;
		}
		*slot = (struct touch){&effects->accesses[i], loop, statement, step_of(kernel, effects->accesses[i].node)};
	}
}

static bool collect(struct touches *t, struct kt_row *row)
{
	struct kt_error err;

	*t = (struct touches){.row = row};
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
		add(t, effects, loop, i);
	}
	row->family->failed = row->family->failed || t->failed;
	return !t->failed;
}

static bool is_row(const struct kt_row *row, const struct kt_atom *atom)
{
	if (row->outer != NULL)
		return atom->kind == KT_ATOM_VARIABLE && atom->variable == row->outer->variable;
	return atom->kind == KT_ATOM_BUILTIN && atom->builtin == KT_BLOCK_INDEX && atom->dimension == 0;
}

/* The polynomial's one term with the row in it, without the row. False: none, or more. */
static bool row_stride(struct kt_term *out, const struct kt_row *row, const struct kt_poly *poly)
{
	size_t found = 0;

	for (size_t i = 0; i < poly->count; i++) {
		const struct kt_term *term = &poly->terms[i];

		for (size_t j = 0; j < term->count; j++) {
			if (!is_row(row, term->atoms[j]))
				continue;
			found++;
			*out = *term;
			memmove(&out->atoms[j], &out->atoms[j + 1], (term->count - j - 1) * sizeof *out->atoms);
			out->count--;
		}
	}
	return found == 1;
}

/* Do rows so far apart not overlap, each of `bound` elements? */
static bool rows_are_apart(const struct kt_row *row, const struct kt_poly *fixed, const struct kt_poly *bound)
{
	struct kt_term stride;

	if (!row_stride(&stride, row, fixed) || bound->count != 1)
		return false;
	return stride.count == bound->terms[0].count && bound->terms[0].factor > 0 &&
	       stride.factor >= bound->terms[0].factor &&
	       memcmp(stride.atoms, bound->terms[0].atoms, stride.count * sizeof *stride.atoms) == 0;
}

static bool moves_in(const struct touch *t)
{
	return t->loop != NULL && kt_poly_varies(t->access->index, t->loop->node);
}

static bool same_element(const struct kt_row *row, const struct touch *a, const struct touch *b)
{
	struct kt_term stride;

	return !moves_in(a) && !moves_in(b) && kt_poly_equal(a->access->index, b->access->index) &&
	       row_stride(&stride, row, a->access->index) && stride.count == 0 && stride.factor > 0;
}

/* The same elements of the same row, in iterations of the same number. */
static bool same_elements(struct kt_row *row, const struct touch *a, const struct touch *b)
{
	const struct kt_poly *fixed;

	return a->loop != NULL && b->loop != NULL && a->loop->bound != NULL && b->loop->bound != NULL &&
	       kt_poly_equal(a->loop->bound, b->loop->bound) &&
	       kt_access_same_place(row->family, a->loop, a->access, b->loop, b->access, &fixed) &&
	       rows_are_apart(row, fixed, a->loop->bound);
}

static bool touches_other(const struct touch *a, const struct touch *b)
{
	return (a->access->writes || b->access->writes) && !a->access->root->is_shared && !b->access->root->is_shared &&
	       kt_roots_may_alias(a->access->root, b->access->root);
}

bool kt_row_fuses(struct kt_row *row)
{
	struct kt_family *family = row->family;
	struct touches t;

	if (family->kernel->step_count < 2)
		return true;
	if (row->flat)
		return kt_rule_decline(family, "rows-mix", row->loops[0]->node,
		                       "blocks of one kernel need what blocks of another did");
	if (!kt_family_allows(family, "fuse"))
		return kt_rule_decline(family, "nothing-applies", NULL, "fusing is not among the strategies that may be used");
	if (!collect(&t, row))
		return false;
	for (size_t i = 0; i < t.count; i++)
		for (size_t k = i + 1; k < t.count; k++) {
			const struct touch *a = &t.items[i], *b = &t.items[k];

			if (a->step == b->step || !touches_other(a, b))
				continue;
			if (a->access->root == b->access->root) {
				if (!a->access->atomic && !b->access->atomic && (same_element(row, a, b) || same_elements(row, a, b)))
					continue;
			} else if (kt_family_disjoint(family, a->access->root, b->access->root)) {
				continue;
			}
			return kt_rule_decline(family, "rows-mix", b->access->node,
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

bool kt_row_meets(struct kt_row *row, bool shared, bool guarded)
{
	struct touches t;

	if (!collect(&t, row))
		return true;
	for (size_t i = 0; i < t.count; i++)
		for (size_t k = i + 1; k < t.count; k++) {
			const struct touch *a = &t.items[i], *b = &t.items[k];

			if (a->statement == b->statement || !touches_other(a, b) || is_forwarded(row, a->access->root))
				continue;
			/* What is added to is not what is read, or the sum would be a matter of luck as written. */
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
		if (region->buffers[i].argument == root->argument)
			return region->buffers[i].scratch || region->buffers[i].direction == KT_SCRATCH;
	return false;
}

/* Everything that touches the array: the store, and reads of the same element behind it. */
static bool only_read_behind(struct kt_row *row, const struct touches *t, const struct touch *store)
{
	size_t reads = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct touch *other = &t->items[i];

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
	struct touches t;

	if (!collect(&t, row))
		return;
	for (size_t i = 0; i < t.count; i++) {
		const struct touch *store = &t.items[i];
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
