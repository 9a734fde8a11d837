/*
 * A variable that hides another one of its name: `for (int i …)` in a block that has an `i`. Strategies declare the
 * kernel's variables again and print their names at other places, where the name could mean the other variable. Such a
 * kernel has no template; names that the rules make up themselves are unique in the whole kernel (kt_family_name).
 */
#include <string.h>

#include "generation/rules/family.h"

/* The node in which the variable's name is known. */
static const struct kt_tree *scope_of(const struct kt_tree_variable *v)
{
	const struct kt_tree *at = v->declaration->parent;

	while (at != NULL && at->kind == KT_TREE_DECLARE)
		at = at->parent;
	return at;
}

/* A parameter, a variable from outside, or one of an outer scope. */
static bool hides(const struct kt_tree_variable *inner, const struct kt_tree_variable *outer)
{
	const struct kt_tree *scope = scope_of(inner), *around;

	if (outer->declaration == NULL)
		return true;
	around = scope_of(outer);
	return scope != around && around != NULL && scope != NULL && kt_tree_contains(around, scope);
}

bool kt_rule_names(struct kt_family *family)
{
	const struct kt_kernel *kernel = family->kernel;

	for (size_t i = 0; i < kernel->variable_count; i++)
		for (size_t k = 0; kernel->variables[i]->declaration != NULL && k < kernel->variable_count; k++)
			if (k != i && strcmp(kernel->variables[i]->name, kernel->variables[k]->name) == 0 &&
			    hides(kernel->variables[i], kernel->variables[k]))
				return kt_rule_decline(family, KT_DECLINE_HIDDEN_NAME, kernel->variables[i]->declaration,
				                       kt_family_text(family, "'%s' hides another variable of that name; rename one of them",
				                                      kernel->variables[i]->name));
	return true;
}
