/*
 * The order of rows: a loop over rows gives one block several of them, one after the other,
 *
 *   for (row = blockIdx.x; row < rows; row += gridDim.x) { …; seen += row; }
 *   for (row = blockIdx.x; row < rows; row += gridDim.x) y[row * d + i] = x[…] + y[(row - 2) * d + i];
 *
 * and what a row leaves in a variable or in memory, the block's next row may use. The original kernel has no race there, since
 * launched with two blocks a row and the next but one belong to one block. Variants distribute rows in another way, so that:
 *
 *   - no variable from outside of the loop goes on from row to row;
 *   - what a row writes, other than by atomic additions, no other row touches: all places of an array are in
 *     [row · D, row · D + D), or are the same expression of the row's index, of which nothing is cut off;
 *   - guards keep arrays disjoint that may overlap.
 *
 * Where the launch has a block for each row, memory is not asked for: rows that run at the same time have no order.
 */
#include <string.h>

#include "generation/rules/fuse.h"
#include "generation/rules/vector.h"

static bool is_counter(const struct kt_row *row, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < row->loop_count; i++)
		if (row->loops[i]->variable == v)
			return true;
	return false;
}

/* A variable that a row leaves to the next one; NULL: none. */
static const struct kt_tree_variable *carried(struct kt_row *row, const struct kt_effects *effects)
{
	for (size_t i = 0; i < effects->fold_count; i++) {
		const struct kt_tree_variable *v = effects->folds[i].variable;

		/* Shared memory is the block's, and judged by itself (row_check.c); a counter is set by its loop. */
		if (!v->is_shared && v != row->outer->variable && !is_counter(row, v))
			return v;
	}
	return NULL;
}

static bool is_row(const struct kt_row *row, const struct kt_atom *atom)
{
	return atom->kind == KT_ATOM_VARIABLE && atom->variable == row->outer->variable;
}

/* place = row · stride + rest. False: it depends on the row in another way. */
static bool split(struct kt_poly *stride, struct kt_poly *rest, const struct kt_row *row, const struct kt_poly *place)
{
	*stride = *rest = (struct kt_poly){.count = 0};
	for (size_t i = 0; i < place->count; i++) {
		struct kt_term term = place->terms[i];
		struct kt_poly *to = rest;

		for (size_t j = 0; j < term.count && to == rest; j++)
			if (is_row(row, term.atoms[j])) {
				memmove(&term.atoms[j], &term.atoms[j + 1], (term.count - j - 1) * sizeof *term.atoms);
				term.count--;
				to = stride;
			}
		for (size_t j = 0; to == stride && j < term.count; j++)
			if (kt_loop_varies(row->outer, term.atoms[j]))
				return false;
		to->terms[to->count++] = term;
	}
	return stride->count > 0;
}

/* Are the places that it touches in a row in [row · stride, row · stride + stride)? */
static bool is_inside(struct kt_row *row, const struct kt_touch *touch, const struct kt_poly *stride,
		      const struct kt_poly *rest)
{
	struct kt_polys *polys = &row->family->polys;
	const struct kt_poly *least = rest, *most = rest, *one = kt_poly_constant(polys, 1);
	int64_t value;

	if (touch->loop != NULL && kt_poly_varies(rest, touch->loop->node)) {
		const struct kt_poly *reach;
		struct kt_motion motion;

		kt_motion_find(&motion, row->family, touch->loop, rest);
		if (!motion.affine || motion.row_count + motion.division_count > 0 || touch->loop->bound == NULL ||
		    one == NULL)
			return false;
		reach = kt_poly_add(polys, touch->loop->bound, one, -1);
		reach = reach != NULL ? kt_poly_multiply(polys, reach, kt_poly_constant(polys, motion.step)) : NULL;
		reach = reach != NULL ? kt_poly_add(polys, motion.fixed, reach, 1) : NULL;
		least = motion.step < 0 ? reach : motion.fixed;
		most = motion.step < 0 ? motion.fixed : reach;
	}
	if (least == NULL || most == NULL || !kt_poly_is_number(least, &value) || value < 0)
		return false;
	return kt_poly_is_number(kt_poly_add(polys, stride, most, -1), &value) && value > 0;
}

/* Is every place that both touch one of a row's own? */
static bool are_inside(struct kt_row *row, const struct kt_touch *a, const struct kt_touch *b)
{
	struct kt_poly left, right, rest;

	return split(&left, &rest, row, a->access->index) && is_inside(row, a, &left, &rest) &&
	       split(&right, &rest, row, b->access->index) && is_inside(row, b, &right, &rest) &&
	       kt_poly_equal(&left, &right);
}

static bool uses_no_row(struct kt_tree *node, void *context)
{
	const struct kt_tree_variable *v = node->kind == KT_TREE_REFERENCE ? node->variable : NULL;
	const struct kt_row *row = context;

	if (v == NULL || v == row->outer->variable)
		return v == NULL;
	return v->writes > 0 || v->declaration == NULL || v->declaration->count != 1 ||
	       !kt_tree_contains(row->outer->body, v->declaration) ||
	       kt_tree_walk(v->declaration->children[0], uses_no_row, context);
}

static bool depends_on_row(struct kt_row *row, const struct kt_atom *atom);

static bool poly_depends_on_row(struct kt_row *row, const struct kt_poly *poly)
{
	for (size_t i = 0; i < poly->count; i++)
		for (size_t j = 0; j < poly->terms[i].count; j++)
			if (depends_on_row(row, poly->terms[i].atoms[j]))
				return true;
	return false;
}

static bool depends_on_row(struct kt_row *row, const struct kt_atom *atom)
{
	if (atom->left != NULL)
		return poly_depends_on_row(row, atom->left) || poly_depends_on_row(row, atom->right);
	if (atom->kind == KT_ATOM_VARIABLE) {
		struct kt_tree reference = {.kind = KT_TREE_REFERENCE,
					    .variable = (struct kt_tree_variable *)atom->variable};

		return !uses_no_row(&reference, row);
	}
	return atom->node != NULL && !kt_tree_walk((struct kt_tree *)atom->node, uses_no_row, row);
}

/* Has each row another place there? Of its index nothing is cut off; what is read from memory may distinguish any two. */
static bool tells_rows_apart(struct kt_row *row, const struct kt_poly *index)
{
	struct kt_poly cut = {.count = 0};

	for (size_t i = 0; i < index->count; i++)
		for (size_t j = 0; j < index->terms[i].count; j++)
			if (!is_row(row, index->terms[i].atoms[j]) && depends_on_row(row, index->terms[i].atoms[j])) {
				cut.terms[cut.count++] =
				    (struct kt_term){.factor = 1, .count = 1, .atoms = {index->terms[i].atoms[j]}};
				break;
			}
	return poly_depends_on_row(row, index) && !kt_rule_comes_back(row->outer, &cut);
}

/* The same expression of the row's index, in iterations of the same number. */
static bool are_same(struct kt_row *row, const struct kt_touch *a, const struct kt_touch *b)
{
	const struct kt_poly *fixed;

	if (!tells_rows_apart(row, a->access->index))
		return false;
	if (kt_poly_equal(a->access->index, b->access->index))
		return true;
	return a->loop != NULL && b->loop != NULL &&
	       kt_access_same_place(row->family, a->loop, a->access, b->loop, b->access, &fixed);
}

static bool refuse(struct kt_row *row, const struct kt_tree *where, const char *what, const char *fix)
{
	return kt_rule_decline(row->family, KT_DECLINE_CARRIED, where,
			       kt_family_text(row->family, "%s goes on from row to row of a block; %s", what, fix));
}

bool kt_row_has_no_order(struct kt_row *row)
{
	static const char fix[] = "launch a block for each row, or give each row its own";
	struct kt_family *family = row->family;
	const struct kt_tree_variable *v;
	const struct kt_poly *blocks;
	struct kt_effects effects;
	struct kt_touches t;
	struct kt_error err;

	if (row->outer == NULL)
		return true;
	if (kt_effects_read(&effects, &family->polys, row->outer->body, 0, &err) != KT_OK || !kt_row_collect(&t, row)) {
		family->failed = true;
		return false;
	}
	/* Also where each block has one row: a variant's may have several. */
	v = carried(row, &effects);
	if (v != NULL)
		return refuse(row, row->outer->node, kt_family_text(family, "'%s'", v->name),
			      "set it for each row before it is used");
	blocks = kt_launched_extent(&family->polys, 0, true);
	if (blocks != NULL && row->outer->bound != NULL && kt_poly_equal(blocks, row->outer->bound))
		return true;
	if (t.unknown != NULL)
		return refuse(row, t.unknown, "what this changes, which cannot be followed,", fix);
	for (size_t i = 0; i < t.count; i++)
		for (size_t k = i; k < t.count; k++) {
			const struct kt_touch *a = &t.items[i], *b = &t.items[k];
			const struct kt_tree_variable *root = a->access->root;

			if ((!a->access->writes && !b->access->writes) || (a->access->atomic && b->access->atomic) ||
			    root->is_shared || b->access->root->is_shared || !kt_roots_may_alias(root, b->access->root))
				continue;
			if (root != b->access->root) {
				/* In OpenCL a launch has no addresses that could be compared. */
				(void)kt_family_disjoint(family, root, b->access->root);
				continue;
			}
			if (!are_inside(row, a, b) && !are_same(row, a, b))
				return refuse(row, a->access->writes ? a->access->node : b->access->node,
					      kt_family_text(family, "what is written to '%s'", root->name), fix);
		}
	return true;
}
