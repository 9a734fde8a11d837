/* The statements of an item, what most patches answer in one way, and the loops that items share: see patch.c. */
#include "generation/rules/patch.h"

#include <string.h>

enum { MOST_UNROLLED = 32 };

const struct kt_patch_loop *kt_patch_loop_of(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].node == node)
			return &patch->loops[i];
	return NULL;
}

const struct kt_patch_window *kt_patch_store_of(const struct kt_patch *patch, const struct kt_tree *node)
{
	for (size_t i = 0; i < patch->store_count; i++)
		for (size_t m = 0; m < patch->stores[i].member_count; m++)
			if (patch->stores[i].members[m] == node)
				return &patch->stores[i];
	return NULL;
}

const struct kt_patch_loop *kt_patch_loop_with(const struct kt_patch *patch, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < patch->loop_count; i++)
		if (patch->loops[i].variable == v)
			return &patch->loops[i];
	return NULL;
}

static bool is_axis(const struct kt_patch *patch, const struct kt_tree_variable *v, unsigned axis)
{
	return patch->plane->axes[axis].variable == v;
}

/*
 * Has it one value for all items of a patch, known before they begin? Loops' variables and the third axis are asked
 * elsewhere.
 */
static bool is_fixed_variable(const struct kt_patch *patch, const struct kt_tree_variable *v)
{
	if (v->escapes || v->is_pointer || v->is_array)
		return false;
	if (is_axis(patch, v, 2))
		return true;
	if (v->argument >= 0)
		return v->writes == 0;
	return v->writes == 0 && v->declaration != NULL && v->declaration->range.end <= patch->plane->block->range.begin + 1 &&
	       !is_axis(patch, v, 0) && !is_axis(patch, v, 1);
}

bool kt_patch_is_fixed(const struct kt_atom *atom, void *context)
{
	const struct kt_patch *patch = context;

	if (atom->kind == KT_ATOM_VARIABLE)
		return is_fixed_variable(patch, atom->variable) || kt_patch_loop_with(patch, atom->variable) != NULL;
	return atom->kind != KT_ATOM_OPAQUE;
}

static bool is_fixed_poly(struct kt_patch *patch, const struct kt_poly *poly)
{
	return poly != NULL && kt_poly_every(poly, kt_patch_is_fixed, patch);
}

/* ---- conditions */

static bool is_plain(struct kt_tree *node, void *context)
{
	const struct kt_patch *patch = context;

	switch (node->kind) {
	case KT_TREE_REFERENCE:
		return node->has_value || (node->variable != NULL &&
					   (is_fixed_variable(patch, node->variable) ||
					    is_axis(patch, node->variable, 0) || is_axis(patch, node->variable, 1)));
	case KT_TREE_INTEGER:
	case KT_TREE_LITERAL:
	case KT_TREE_PAREN:
	case KT_TREE_BINARY:
		return !kt_tree_is(node, KT_TREE_BINARY, ",");
	case KT_TREE_CAST:
		return true;
	case KT_TREE_UNARY:
		return kt_tree_is(node, KT_TREE_UNARY, "-") || kt_tree_is(node, KT_TREE_UNARY, "!");
	default:
		return false;
	}
}

static bool ends_item(const struct kt_tree *node)
{
	if (node->kind == KT_TREE_BLOCK)
		return node->count > 0 && ends_item(node->children[node->count - 1]);
	return node->kind == KT_TREE_RETURN;
}

/* Is it an `if` that most patches answer in one way: a border that is treated otherwise? */
static bool peel(struct kt_patch *patch, struct kt_tree *node)
{
	struct kt_tree *condition = node->kind == KT_TREE_IF ? kt_tree_bare(node->children[0]) : NULL;
	struct kt_patch_peel *p = &patch->peels[patch->peel_count];

	if (condition == NULL || patch->peel_count == KT_PATCH_PEELS || !kt_tree_walk(condition, is_plain, patch))
		return false;
	*p = (struct kt_patch_peel){.node = node, .truth = kt_tree_is(condition, KT_TREE_BINARY, "&&") ||
	                                                   kt_tree_is(condition, KT_TREE_BINARY, "!=")};
	if (p->truth)
		p->branch = node->children[1];
	else if (node->count > 2)
		p->branch = node->children[2];
	/* What follows is done by the items that the condition does not hold for. */
	if (!p->truth && node->count == 2 && !ends_item(node->children[1]))
		return false;
	if (p->branch != NULL && ends_item(p->branch))
		return false;
	patch->peel_count++;
	return true;
}

static bool add_statements(struct kt_patch *patch, struct kt_tree *node)
{
	if (node == NULL)
		return true;
	if (node->kind == KT_TREE_BLOCK) {
		for (size_t i = 0; i < node->count; i++)
			if (!add_statements(patch, node->children[i]))
				return false;
		return true;
	}
	if (node->kind == KT_TREE_EMPTY)
		return true;
	if (peel(patch, node))
		return add_statements(patch, patch->peels[patch->peel_count - 1].branch);
	if (patch->statement_count == KT_PATCH_STATEMENTS)
		return false;
	patch->statements[patch->statement_count++] = node;
	return true;
}

/* ---- loops */

static bool constant_of(const struct kt_poly *poly, int64_t *value)
{
	*value = poly->count == 0 ? 0 : poly->terms[0].factor;
	return poly->count == 0 || (poly->count == 1 && poly->terms[0].count == 0);
}

/* for (int k = FIRST; k < BOUND; k++), both the same for all items. */
static bool read_loop(struct kt_patch *patch, struct kt_tree *node)
{
	struct kt_polys *polys = &patch->plane->family->polys;
	struct kt_patch_loop *loop = &patch->loops[patch->loop_count];
	struct kt_tree *first, *condition = kt_tree_bare(node->children[1]), *side;
	struct kt_tree_variable *v;
	bool assigned;

	if (patch->loop_count == KT_PATCH_LOOPS || condition == NULL || node->in_macro)
		return false;
	NEED(first = kt_tree_loop_first(node, patch->plane->family->kernel->body, &v, &assigned), false);
	*loop = (struct kt_patch_loop){.node = node, .variable = v, .assigned = assigned};
	loop->inclusive = kt_tree_is(condition, KT_TREE_BINARY, "<=");
	if ((!loop->inclusive && !kt_tree_is(condition, KT_TREE_BINARY, "<")) || v->escapes || v->is_pointer ||
	    kt_scalar_is_float(v->scalar) || v->scalar == KT_SCALAR_NONE || !kt_tree_is_step(node->children[2], v))
		return false;
	side = kt_tree_bare(condition->children[0]);
	if (side->kind != KT_TREE_REFERENCE || side->variable != v || !kt_tree_walk(node->children[3], kt_tree_does_not_set, v) ||
	    !kt_tree_walk(node->children[3], kt_tree_stays_inside, node))
		return false;
	loop->first = kt_poly_of(polys, first);
	loop->bound = kt_poly_of(polys, condition->children[1]);
	if (!is_fixed_poly(patch, loop->first) || !is_fixed_poly(patch, loop->bound))
		return false;
	if (constant_of(loop->first, &loop->low) && constant_of(loop->bound, &loop->high)) {
		loop->high -= loop->inclusive ? 0 : 1;
		loop->kept = !assigned && loop->low <= loop->high && loop->high - loop->low < MOST_UNROLLED;
	}
	patch->loop_count++;
	return true;
}

/* Loops inside of loops that are shared, as statements of their bodies. */
static void find_loops(struct kt_patch *patch, struct kt_tree *node)
{
	if (node->kind == KT_TREE_FOR && read_loop(patch, node)) {
		find_loops(patch, node->children[3]);
	} else if (node->kind == KT_TREE_BLOCK) {
		for (size_t i = 0; i < node->count; i++)
			find_loops(patch, node->children[i]);
	}
}

/* A name for a type ends with the block that it is in, and a patch has several blocks where an item has one. */
static bool names_no_type(struct kt_tree *node, void *context)
{
	(void)context;
	return !node->names_type;
}

bool kt_patch_read_items(struct kt_patch *patch)
{
	if (!kt_tree_walk(patch->plane->block, names_no_type, NULL) || !add_statements(patch, patch->plane->block))
		return false;
	for (size_t i = 0; i < patch->statement_count; i++) {
		if (!kt_tree_walk(patch->statements[i], kt_tree_stays_inside, NULL))
			return false;
		find_loops(patch, patch->statements[i]);
	}
	return true;
}
