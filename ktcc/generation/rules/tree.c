#include "generation/rules/tree.h"

#include <string.h>

#include "base/source.h"

struct kt_tree *kt_tree_bare(struct kt_tree *node)
{
	while (node != NULL && node->kind == KT_TREE_PAREN && node->count == 1)
		node = node->children[0];
	return node;
}

bool kt_tree_is(const struct kt_tree *node, enum kt_tree_kind kind, const char *operator_)
{
	return node != NULL && node->kind == kind && node->operator_ != NULL && strcmp(node->operator_, operator_) == 0;
}

const char *kt_tree_text(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	const char *text = kt_arena_strndup(kernel->arena, kernel->text + node->range.begin,
	                                    node->range.end - node->range.begin);

	return text != NULL ? text : "";
}

bool kt_tree_walk(struct kt_tree *node, kt_tree_visit visit, void *context)
{
	if (node == NULL)
		return true;
	if (!visit(node, context))
		return false;
	for (size_t i = 0; i < node->count; i++)
		if (!kt_tree_walk(node->children[i], visit, context))
			return false;
	return true;
}

bool kt_tree_contains(const struct kt_tree *outer, const struct kt_tree *inner)
{
	while (inner != NULL && inner != outer)
		inner = inner->parent;
	return inner != NULL;
}

struct search {
	const struct kt_tree_variable *variable;
};

static bool is_other(struct kt_tree *node, void *context)
{
	const struct search *search = context;

	return node->kind != KT_TREE_REFERENCE || node->variable != search->variable;
}

bool kt_tree_uses(const struct kt_tree *node, const struct kt_tree_variable *variable)
{
	struct search search = {variable};

	return !kt_tree_walk((struct kt_tree *)node, is_other, &search);
}

bool kt_tree_is_variable(struct kt_tree *node, const struct kt_tree_variable *variable)
{
	node = kt_tree_bare(node);
	return node->kind == KT_TREE_REFERENCE && node->variable == variable;
}

bool kt_tree_is_return(const struct kt_tree *node)
{
	if (node->kind != KT_TREE_RETURN)
		return false;
	for (const struct kt_tree *at = node->parent; at != NULL; at = at->parent)
		if (at->is_lambda)
			return false;
	return true;
}

bool kt_tree_stays_inside(struct kt_tree *node, void *loop)
{
	if (kt_tree_is_return(node))
		return false;
	if (node->kind != KT_TREE_BREAK && node->kind != KT_TREE_CONTINUE)
		return true;
	for (const struct kt_tree *at = node->parent; at != NULL && at != loop; at = at->parent)
		if (at->kind == KT_TREE_FOR || at->kind == KT_TREE_WHILE || at->kind == KT_TREE_DO)
			return true;
	return false;
}

bool kt_tree_does_not_set(struct kt_tree *node, void *variable)
{
	bool reads;

	return node->kind != KT_TREE_REFERENCE || node->variable != variable || !kt_tree_is_target(node, &reads);
}

bool kt_tree_is_target(const struct kt_tree *node, bool *reads)
{
	const struct kt_tree *parent = node->parent;

	*reads = true;
	if (node->passing != KT_PASS_VALUE) {
		*reads = node->passing == KT_PASS_CHANGED;
		return true;
	}
	while (parent != NULL && parent->kind == KT_TREE_PAREN) {
		node = parent;
		parent = parent->parent;
	}
	if (parent == NULL)
		return false;
	if (parent->kind == KT_TREE_ASSIGN && parent->children[0] == node) {
		*reads = !kt_tree_is(parent, KT_TREE_ASSIGN, "=");
		return true;
	}
	return parent->kind == KT_TREE_UNARY && parent->operator_ != NULL && strpbrk(parent->operator_, "+-") != NULL &&
	       strlen(parent->operator_) > 1;
}

static bool holds_statements(const struct kt_tree *node)
{
	switch (node->kind) {
	case KT_TREE_BLOCK:
	case KT_TREE_IF:
	case KT_TREE_FOR:
	case KT_TREE_WHILE:
	case KT_TREE_DO:
		return true;
	default:
		return false;
	}
}

struct kt_tree *kt_tree_statement(struct kt_tree *node)
{
	while (node->parent != NULL && !holds_statements(node->parent))
		node = node->parent;
	return node;
}

uint32_t kt_tree_line(const struct kt_kernel *kernel, const struct kt_tree *node)
{
	struct kt_line_at mark = {0, 1};

	for (size_t i = 0; i < kernel->mark_count && kernel->marks[i].offset <= node->range.begin; i++)
		mark = kernel->marks[i];
	return mark.line +
	       kt_source_line(kernel->text + mark.offset, kernel->size - mark.offset, node->range.begin - mark.offset) - 1;
}

bool kt_tree_is_statement(const struct kt_tree *node)
{
	const struct kt_tree *parent = node->parent;

	switch (parent->kind) {
	case KT_TREE_BLOCK:
		return true;
	case KT_TREE_FOR:
		return parent->children[3] == node;
	case KT_TREE_DO:
		return parent->children[0] == node;
	case KT_TREE_IF:
	case KT_TREE_WHILE:
		return parent->children[0] != node;
	default:
		return false;
	}
}

struct inside {
	const struct kt_tree *node;
	const struct kt_tree_variable *variable;
};

static bool is_used_inside(struct kt_tree *node, void *context)
{
	const struct inside *inside = context;

	return node->kind != KT_TREE_REFERENCE || node->variable != inside->variable || kt_tree_contains(inside->node, node);
}

bool kt_tree_uses_inside(struct kt_tree *root, const struct kt_tree *inside, const struct kt_tree_variable *variable)
{
	return kt_tree_walk(root, is_used_inside, &(struct inside){inside, variable});
}

bool kt_tree_is_step(const struct kt_tree *step, const struct kt_tree_variable *v)
{
	const struct kt_tree *target = step != NULL && step->count > 0 ? step->children[0] : NULL;

	if (target == NULL || target->kind != KT_TREE_REFERENCE || target->variable != v)
		return false;
	if (kt_tree_is(step, KT_TREE_UNARY, "x++") || kt_tree_is(step, KT_TREE_UNARY, "++"))
		return true;
	return kt_tree_is(step, KT_TREE_ASSIGN, "+=") && step->children[1]->kind == KT_TREE_INTEGER &&
	       step->children[1]->has_value && step->children[1]->value == 1;
}

struct kt_tree *kt_tree_loop_first(struct kt_tree *loop, struct kt_tree *body, struct kt_tree_variable **v,
				   bool *assigned)
{
	struct kt_tree *init = loop->children[0];

	*assigned = init != NULL && kt_tree_is(init, KT_TREE_ASSIGN, "=");
	if (*assigned && !init->in_macro && init->children[0]->kind == KT_TREE_REFERENCE) {
		*v = init->children[0]->variable;
		return *v != NULL && (*v)->is_local && (*v)->declaration != NULL && (*v)->declaration->count == 0 &&
		               kt_tree_uses_inside(body, loop, *v)
		           ? init->children[1]
		           : NULL;
	}
	if (init == NULL || init->kind != KT_TREE_DECLARE || init->count != 1 || init->children[0]->kind != KT_TREE_VARIABLE ||
	    init->children[0]->count != 1)
		return NULL;
	*v = init->children[0]->variable;
	return init->children[0]->children[0];
}

bool kt_tree_only_returns(const struct kt_tree *node)
{
	if (node->kind == KT_TREE_BLOCK)
		return node->count == 1 && kt_tree_only_returns(node->children[0]);
	return node->kind == KT_TREE_RETURN && node->count == 0;
}
