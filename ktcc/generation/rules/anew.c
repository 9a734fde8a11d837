/*
 * Variables that every iteration sets first: `float t; for (…) { t = x[i]; y[i] = t * t; }` is the same as if t were
 * declared in the loop.
 *
 * True when: the first thing that the iteration does with the variable, under all conditions, is to set it to something else;
 * it is not used outside, and its address is not taken.
 */
#include "generation/rules/access.h"

struct uses {
	const struct kt_tree_variable *variable;
	uint32_t begin, end;
};

static bool is_used_inside(struct kt_tree *node, void *context)
{
	const struct uses *u = context;

	return node->kind != KT_TREE_REFERENCE || node->variable != u->variable ||
	       (node->range.begin >= u->begin && node->range.end <= u->end);
}

static bool is_set_first(const struct kt_tree *scope, size_t first, const struct kt_tree_variable *v)
{
	for (size_t i = first; i < scope->count; i++) {
		const struct kt_tree *node = scope->children[i];

		if (kt_tree_uses(node, v))
			return kt_tree_is(node, KT_TREE_ASSIGN, "=") && !node->in_macro &&
			       node->children[0]->kind == KT_TREE_REFERENCE && node->children[0]->variable == v &&
			       !kt_tree_uses(node->children[1], v);
	}
	return false;
}

static bool is_set_anew(struct kt_polys *polys, struct kt_tree *scope, size_t first, const struct kt_tree_variable *v)
{
	struct uses uses = {.variable = v, .end = scope->range.end};
	struct kt_tree *root = scope;

	if (scope->kind != KT_TREE_BLOCK || first >= scope->count || !v->is_local || v->is_array || v->is_pointer ||
	    v->is_shared || v->escapes || v->scalar == KT_SCALAR_NONE || v->declaration == NULL ||
	    !is_set_first(scope, first, v))
		return false;
	while (root->parent != NULL)
		root = root->parent;
	uses.begin = scope->children[first]->range.begin;
	return kt_tree_walk(root, is_used_inside, &uses) && kt_tree_walk(polys->kernel->body, is_used_inside, &uses);
}

void kt_effects_drop_set_anew(struct kt_effects *effects, struct kt_polys *polys, struct kt_tree *scope, size_t first)
{
	size_t count = 0;

	for (size_t i = 0; i < effects->fold_count; i++)
		if (effects->folds[i].kind != KT_FOLD_NONE ||
		    !is_set_anew(polys, scope, first, effects->folds[i].variable))
			effects->folds[count++] = effects->folds[i];
	effects->fold_count = count;
}
