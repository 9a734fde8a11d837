/*
 * Constants: what an argument is on every problem is known when a variant is compiled.
 *
 *   1                     a stride: it is 1 in the text, and in what the rules prove
 *   a size, where FIX     what is divided by it becomes a product, and a thread's own loop over it is unrolled
 *
 * Sound because a guard asks for the value: the original runs where the argument has another.
 */
#include <string.h>

#include "generation/rules/family.h"

static bool may_fix(const struct kt_tree_variable *v)
{
	return !v->is_pointer && v->writes == 0 && !v->escapes && !kt_scalar_is_float(v->scalar) &&
	       v->scalar != KT_SCALAR_NONE;
}

/* Has the argument one value on all problems? */
static bool value_of(int64_t *value, const struct kt_region *r, const struct kt_tree_variable *v)
{
	for (size_t i = 0; i < r->variable_count; i++) {
		if (strcmp(r->variables[i], v->name) != 0)
			continue;
		for (size_t p = 1; p < r->problem_count; p++)
			if (r->problems[p * r->variable_count + i] != r->problems[i])
				return false;
		*value = r->problem_count > 0 ? r->problems[i] : 0;
		return r->problem_count > 0;
	}
	return false;
}

static bool is_one(const struct kt_region *r, const struct kt_tree_variable *v, size_t argument)
{
	int64_t value;

	if (value_of(&value, r, v))
		return value == 1;
	for (size_t i = 0; i < r->value_count; i++)
		if (r->values[i].argument == (int64_t)argument && kt_value_constant(&value, &r->values[i]) && value == 1)
			return true;
	return false;
}

static bool set_constant(struct kt_tree *node, void *context)
{
	const struct kt_family *family = context;

	if (node->kind == KT_TREE_REFERENCE && node->variable != NULL && node->variable->argument >= 0 &&
	    (size_t)node->variable->argument < family->kernel->region->argument_count && !node->variable->is_pointer &&
	    family->constants[node->variable->argument] == KT_CONSTANT_ONE) {
		node->has_value = true;
		node->value = 1;
	}
	return true;
}

void kt_rule_constants(struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	bool any = false;

	family->constants = kt_arena_array(family->kernel->arena, r->argument_count + 1, sizeof *family->constants);
	if (family->constants == NULL) {
		family->failed = true;
		return;
	}
	for (size_t a = 0; a < r->argument_count && kt_family_allows(family, "constants"); a++) {
		struct kt_tree_variable *v = family->kernel->variables[a];

		if (!may_fix(v) || !is_one(r, v, a))
			continue;
		v->is_const = true;
		family->constants[a] = KT_CONSTANT_ONE;
		kt_family_guard(family, kt_family_text(family, "%s == 1", v->name), "it is 1 on every problem");
		kt_family_applied(family, "constants", "arguments that are 1 on every problem");
		any = true;
	}
	if (any)
		kt_tree_walk(family->kernel->body, set_constant, family);
}

/* ---- sizes */

struct search {
	struct kt_family *family;
	const struct kt_tree_variable *variable;
};

static bool is_other(const struct kt_atom *atom, void *context)
{
	const struct search *search = context;

	return atom->kind != KT_ATOM_VARIABLE || atom->variable != search->variable;
}

static bool holds(struct search *search, struct kt_tree *node)
{
	const struct kt_poly *poly = kt_poly_of(&search->family->polys, node);

	return poly != NULL && !kt_poly_every(poly, is_other, search);
}

/* Is anything divided by it, or does a thread's own loop end there? */
static bool gains_nothing(struct kt_tree *node, void *context)
{
	struct search *search = context;
	const struct kt_tree *condition;

	if ((node->kind == KT_TREE_BINARY || node->kind == KT_TREE_ASSIGN) && node->count == 2 && node->operator_ != NULL &&
	    (node->operator_[0] == '/' || node->operator_[0] == '%') && !kt_scalar_is_float(node->scalar))
		return !holds(search, node->children[1]);
	if (node->kind != KT_TREE_FOR || node->children[1] == NULL || kt_family_has_loop(search->family, node))
		return true;
	condition = kt_tree_bare(node->children[1]);
	return condition->kind != KT_TREE_BINARY || !holds(search, condition->children[1]);
}

void kt_rule_sizes(struct kt_family *family)
{
	static const int64_t flags[] = {0, 1};
	const struct kt_region *r = family->kernel->region;

	/* One problem alone gives no information about the sizes that it does not name. */
	if (!kt_family_allows(family, "constants") || !kt_rule_target(family)->has_cuda_words || r->problem_count < 2)
		return;
	for (size_t a = 0; a < r->argument_count; a++) {
		struct kt_tree_variable *v = family->kernel->variables[a];
		struct search search = {family, v};
		int64_t value;

		if (family->constants[a] != KT_CONSTANT_NONE || !may_fix(v) || !value_of(&value, r, v) || value < 2 ||
		    kt_tree_walk(family->kernel->body, gains_nothing, &search))
			continue;
		family->constants[a] = value;
		kt_family_parameter(family, "FIX", "1: sizes that are the same on all problems are constants", flags, 2);
		kt_family_guard(family, kt_family_text(family, "FIX == 0 || %s == %lld", v->name, (long long)value),
		                "it is that on every problem");
		kt_family_applied(family, "constants", "sizes that are the same on all problems");
	}
}

const char *kt_rule_constant_name(struct kt_family *family, size_t argument)
{
	const char *name = family->kernel->region->arguments[argument].name;

	if (family->constants[argument] == KT_CONSTANT_NONE)
		return name;
	return family->constants[argument] == KT_CONSTANT_ONE
	           ? kt_family_text(family, "/* %s */", name)
	           : kt_family_text(family, "${if FIX}/* ${end}%s${if FIX} */${end}", name);
}

void kt_rule_constant_lines(struct kt_buf *out, struct kt_family *family)
{
	const struct kt_region *r = family->kernel->region;
	const struct kt_instance *instance = &r->instances[family->kernel->instance];

	for (size_t i = 0; i < r->argument_count; i++) {
		const int64_t value = family->constants[i];
		const bool chosen = value != KT_CONSTANT_ONE;
		const char *cast = value != KT_CONSTANT_NONE && family->kernel->variables[i]->is_enumeration
		                       ? kt_family_text(family, "(%s)", instance->types[i])
		                       : "";

		if (value != KT_CONSTANT_NONE)
			kt_buf_addf(out, "%sconst %s %s = %s%lld;\n%s", chosen ? "${if FIX}\n" : "", instance->types[i],
			            r->arguments[i].name, cast, (long long)value, chosen ? "${end}\n" : "");
	}
}
