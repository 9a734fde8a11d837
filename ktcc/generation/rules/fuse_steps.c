/*
 * The kernels of a launch region in one body: what each of them does alone, it must still do.
 *
 * A return ends the kernels after it as well: it stays where each of these begins with the same question about values that all
 * blocks have in common, the block's index, and memory that is not written. A kernel's parameters are its own copies: where it
 * sets one, no other kernel may be given that. Memory that one of them writes is read by plain loads: the read-only cache may
 * have what was there before the launch, and so may textures.
 */
#include <string.h>

#include "generation/rules/fuse.h"

static bool refuse(const struct kt_row *row, const struct kt_tree *where, const char *detail)
{
	return kt_rule_decline(row->family, KT_DECLINE_KERNELS_MIX, where, detail);
}

struct same {
	struct kt_row *row;
	const struct kt_touches *touches;
};

/* What a local that keeps its value is declared with. NULL: it is no such local. */
static struct kt_tree *declared_value(const struct kt_tree *node)
{
	const struct kt_tree_variable *v = node->kind == KT_TREE_REFERENCE && !node->has_value ? node->variable : NULL;

	if (v == NULL || !v->is_local || v->writes != 0 || v->escapes || v->is_array || v->is_pointer ||
	    v->scalar == KT_SCALAR_NONE || v->declaration == NULL || v->declaration->count != 1 || !kt_value_is_kept(v))
		return NULL;
	return kt_tree_bare(v->declaration->children[0]);
}

/* Looks through locals that are another name for a value of the same type. */
static struct kt_tree *value_of(struct kt_tree *node)
{
	struct kt_tree *value;

	node = kt_tree_bare(node);
	while ((value = declared_value(node)) != NULL && value->scalar == node->variable->scalar)
		node = value;
	return node;
}

/* Memory that none of the kernels writes. */
static bool is_never_written(const struct same *same, const struct kt_tree_variable *root)
{
	for (size_t i = 0; i < same->touches->count; i++) {
		const struct kt_access *access = same->touches->items[i].access;

		if (access->writes && kt_roots_may_alias(access->root, root) &&
		    (access->root == root || !kt_family_disjoint(same->row->family, access->root, root)))
			return false;
	}
	return true;
}

/* The same in all threads of a block, all along the kernel. */
static bool is_fixed(const struct kt_atom *atom, void *context)
{
	const struct kt_tree_variable *v = atom->variable;

	(void)context;
	if (atom->kind == KT_ATOM_VARIABLE)
		return v->argument >= 0 && v->writes == 0 && !v->escapes && !v->is_pointer && !v->is_array;
	return atom->kind == KT_ATOM_BUILTIN ? atom->builtin != KT_THREAD_INDEX : atom->kind != KT_ATOM_OPAQUE;
}

/* Places in memory overflow nowhere: their polynomials distinguish them. */
static bool same_memory(const struct same *same, struct kt_tree *a, struct kt_tree *b)
{
	struct kt_polys *polys = &same->row->family->polys;
	const struct kt_tree_variable *left, *right;
	const struct kt_poly *from, *to, *i = kt_poly_of(polys, a->children[1]), *k = kt_poly_of(polys, b->children[1]);

	if (i == NULL || k == NULL || !kt_access_resolve(&left, &from, polys, a->children[0]) ||
	    !kt_access_resolve(&right, &to, polys, b->children[0]) || left != right || !is_never_written(same, left))
		return false;
	i = kt_poly_add(polys, from, i, 1);
	k = kt_poly_add(polys, to, k, 1);
	return i != NULL && k != NULL && kt_poly_equal(i, k) && kt_poly_every(i, is_fixed, NULL);
}

/* Do two expressions have one value in all threads of a block, wherever they are computed? */
static bool same_value(const struct same *same, struct kt_tree *a, struct kt_tree *b)
{
	const struct kt_kernel *kernel = same->row->family->kernel;

	a = value_of(a);
	b = value_of(b);
	if (a->kind != b->kind || a->scalar != b->scalar || a->count != b->count || a->in_macro != b->in_macro)
		return false;
	switch (a->kind) {
	case KT_TREE_INTEGER:
		return a->has_value && b->has_value && a->value == b->value;
	case KT_TREE_LITERAL:
		return !a->in_macro && strcmp(kt_tree_text(kernel, a), kt_tree_text(kernel, b)) == 0;
	case KT_TREE_REFERENCE:
		if (a->has_value && b->has_value)
			return a->value == b->value;
		if (declared_value(a) != NULL && declared_value(b) != NULL)
			return a->variable->scalar == b->variable->scalar && same_value(same, declared_value(a), declared_value(b));
		return a->variable != NULL && a->variable == b->variable && a->variable->argument >= 0 &&
		       !a->variable->is_pointer && a->variable->writes == 0 && !a->variable->escapes;
	case KT_TREE_BUILTIN:
		return a->builtin == b->builtin && a->dimension == b->dimension && a->builtin != KT_THREAD_INDEX;
	case KT_TREE_INDEX:
		return same_memory(same, a, b);
	case KT_TREE_UNARY:
		if (strchr("-+!~", a->operator_[0]) == NULL || a->operator_[1] != '\0' || strcmp(a->operator_, b->operator_) != 0)
			return false;
		break;
	case KT_TREE_BINARY:
		if (strcmp(a->operator_, b->operator_) != 0)
			return false;
		break;
	case KT_TREE_CAST:
		if (a->scalar == KT_SCALAR_NONE)
			return false;
		break;
	case KT_TREE_CHOOSE:
		break;
	default:
		return false;
	}
	for (size_t i = 0; i < a->count; i++)
		if (!same_value(same, a->children[i], b->children[i]))
			return false;
	return true;
}

/* `if (CONDITION) return;`: the condition, else NULL. */
static struct kt_tree *condition_of_return(struct kt_tree *node)
{
	struct kt_tree *body = node->kind == KT_TREE_IF && node->count == 2 ? kt_row_lone(node->children[1]) : NULL;

	return body != NULL && body->kind == KT_TREE_RETURN && body->count == 0 ? node->children[0] : NULL;
}

/* Nothing of it is missed where a block has left before. */
static bool leaves_no_trace(struct kt_row *row, struct kt_tree *node)
{
	struct kt_row_hunt hunt = {.row = row};

	return (node->kind == KT_TREE_DECLARE || node->kind == KT_TREE_EMPTY) && kt_tree_walk(node, kt_row_no_write, &hunt) &&
	       kt_calls_are_harmless(node);
}

/* Does the kernel `step` leave where the condition holds, before it does anything? */
static bool begins_with_return(const struct same *same, size_t step, struct kt_tree *condition)
{
	const struct kt_row *row = same->row;

	for (size_t i = row->first; i < row->block->count; i++) {
		struct kt_tree *node = row->block->children[i], *own = condition_of_return(node);

		if (kt_row_step_of(row->family->kernel, node) != step)
			continue;
		if (own != NULL && same_value(same, own, condition))
			return true;
		if (own == NULL && !leaves_no_trace(same->row, node))
			return false;
	}
	return false;
}

struct returns {
	const struct kt_tree *allowed, *where;
};

static bool is_no_return(struct kt_tree *node, void *context)
{
	struct returns *returns = context;

	if (!kt_tree_is_return(node) || (returns->allowed != NULL && kt_tree_contains(returns->allowed, node)))
		return true;
	returns->where = node;
	return false;
}

static bool returns_are_common(const struct same *same)
{
	const struct kt_row *row = same->row;
	const size_t steps = row->family->kernel->step_count;

	for (size_t i = 0; i < row->family->kernel->body->count; i++) {
		struct kt_tree *node = row->family->kernel->body->children[i], *condition = condition_of_return(node);
		const size_t step = kt_row_step_of(row->family->kernel, node);
		bool common = condition != NULL;
		struct returns returns = {.allowed = NULL};

		for (size_t later = step + 1; later < steps && common; later++)
			common = begins_with_return(same, later, condition);
		returns.allowed = common ? node : NULL;
		if (step + 1 < steps && !kt_tree_walk(node, is_no_return, &returns))
			return refuse(row, returns.where,
			              "a return here would end the later kernels of the region; put what follows into "
			              "an if, or let each kernel begin with the same return");
	}
	return true;
}

struct given {
	const struct kt_kernel *kernel;
	const struct kt_tree_variable *variable;
	size_t first;
	const struct kt_tree *where; /* in another kernel than the first one */
};

static bool is_of_one_step(struct kt_tree *node, void *context)
{
	struct given *given = context;

	if (node->kind != KT_TREE_REFERENCE || node->variable != given->variable)
		return true;
	if (given->first == SIZE_MAX)
		given->first = kt_row_step_of(given->kernel, node);
	else if (kt_row_step_of(given->kernel, node) != given->first)
		given->where = node;
	return given->where == NULL;
}

/* What a kernel keeps in a variable from outside of all of them, or in its copy of an argument, others do not use. */
static bool variables_are_own(const struct kt_row *row)
{
	const struct kt_kernel *kernel = row->family->kernel;

	for (size_t i = 0; i < kernel->variable_count; i++) {
		struct given given = {kernel, kernel->variables[i], SIZE_MAX, NULL};

		if (given.variable->is_local || (given.variable->writes == 0 && !given.variable->escapes))
			continue;
		(void)kt_tree_walk(kernel->body, is_of_one_step, &given);
		if (given.where != NULL)
			return refuse(row, given.where,
			              "one kernel of the region sets this, and another one uses it; give each a separate variable");
	}
	return true;
}

static bool reads_no_texture(struct kt_tree *node, void *context)
{
	static const char *const words[] = {"tex1D", "tex2D", "tex3D", "texCube", "surf1D", "surf2D", "surf3D", "surfCube"};
	const struct kt_tree **where = context;

	if (node->kind != KT_TREE_CALL || node->name == NULL)
		return true;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (strncmp(node->name, words[i], strlen(words[i])) == 0)
			*where = node;
	if (*where == NULL && node->callee != NULL && node->callee->body != NULL) {
		const struct kt_tree *inside = NULL;

		(void)kt_tree_walk(node->callee->body, reads_no_texture, &inside);
		*where = inside != NULL ? node : NULL;
	}
	return *where == NULL;
}

/* Loads through the read-only cache of what one of the kernels writes become plain ones. */
static void load_plainly(struct kt_row *row, const struct kt_touches *touches)
{
	for (size_t i = 0; i < touches->count; i++) {
		const struct kt_access *load = touches->items[i].access;
		const bool indexed = load->node->kind == KT_TREE_INDEX;

		for (size_t k = 0; k < touches->count && load->node->is_cached; k++)
			if (touches->items[k].access->writes && kt_roots_may_alias(touches->items[k].access->root, load->root)) {
				kt_write_wrap(&row->family->write, load->node, indexed ? "" : "(*(", indexed ? "[" : "", indexed ? "]" : "))");
				break;
			}
	}
}

bool kt_row_steps_follow(struct kt_row *row, const struct kt_touches *touches)
{
	const struct same same = {row, touches};
	const struct kt_tree *where = NULL;

	if (!returns_are_common(&same) || !variables_are_own(row))
		return false;
	if (!kt_tree_walk(row->family->kernel->body, reads_no_texture, &where))
		return refuse(row, where, "a texture may not have what an earlier kernel of the region wrote; read the array itself");
	load_plainly(row, touches);
	return true;
}
