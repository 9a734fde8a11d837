#include "lift_internal.h"

#include <string.h>

/* `return *p;` of the only parameter, also where the load is spelled as one of these. */
static bool reads_through(const struct kt_tree *call, bool *cached)
{
	static const char *const loads[] = {"__ldg", "__ldca", "__ldcg", "__ldcs", "__ldlu"};
	const struct kt_kernel *callee = call->callee;
	const struct kt_tree *node;

	*cached = strcmp(call->known, loads[0]) == 0;
	for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++)
		if (strcmp(call->known, loads[i]) == 0)
			return call->count == 2;
	if (call->count != 2 || callee == NULL || callee->body == NULL || callee->body->count != 1 ||
	    callee->variable_count == 0 || callee->body->children[0]->kind != KT_TREE_RETURN ||
	    callee->body->children[0]->count != 1)
		return false;
	node = kt_tree_bare(callee->body->children[0]->children[0]);
	if (!kt_tree_is(node, KT_TREE_UNARY, "*"))
		return false;
	*cached = node->is_cached;
	if (callee->variables[0]->is_volatile)
		return false;
	node = kt_tree_bare(node->children[0]);
	return node->kind == KT_TREE_REFERENCE && node->variable == callee->variables[0] && node->variable->writes == 0;
}

void kt_lift_load(struct kt_tree *node)
{
	struct kt_tree *pointer, *element;

	if (!reads_through(node, &node->is_cached))
		return;
	pointer = kt_tree_bare(node->children[1]);
	element = kt_tree_is(pointer, KT_TREE_UNARY, "&") ? kt_tree_bare(pointer->children[0]) : NULL;
	node->callee = NULL;
	if (element != NULL && element->kind == KT_TREE_INDEX) {
		node->kind = KT_TREE_INDEX;
		node->in_macro = node->in_macro || element->in_macro;
		node->children = element->children;
	} else {
		node->kind = KT_TREE_UNARY;
		node->operator_ = "*";
		node->children = &node->children[1];
		node->count = 1;
	}
	for (size_t i = 0; i < node->count; i++)
		node->children[i]->parent = node;
}
