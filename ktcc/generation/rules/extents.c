/* How large an expression gets on the problems that a region is tuned for. */
#include "generation/rules/rows.h"

#include <string.h>

int64_t kt_rule_greatest(const struct kt_family *family, const char *text)
{
	const struct kt_region *r = family->kernel->region;
	struct kt_expr *expr;
	struct kt_error ignored;
	int64_t greatest = 0;

	if (text == NULL || kt_expr_parse(&expr, family->kernel->arena, text, strlen(text), &ignored) != KT_OK)
		return 0;
	for (size_t p = 0; p < r->problem_count; p++) {
		struct kt_scope scope = {r, NULL, r->problems + p * r->variable_count, NULL};
		int64_t value;

		if (kt_expr_eval(&value, expr, kt_scope_lookup, &scope, &ignored) != KT_OK || value <= 0)
			return 0;
		greatest = value > greatest ? value : greatest;
	}
	return greatest;
}

void kt_row_fit(const struct kt_row *row)
{
	static const struct {
		const char *name, *factor;
	} shares[] = {{"UNROLL", "UNROLL"}, {"TURNS", "max(1, TURNS)"}, {"SPLIT", "max(1, SPLIT)"}, {"CLUSTER", "CLUSTER"}};
	struct kt_family *family = row->family;
	const char *shared = "";
	int64_t greatest = 0;

	for (size_t i = 0; i < row->loop_count; i++) {
		const struct kt_poly *bound = row->loops[i]->bound;
		const int64_t length = bound != NULL ? kt_rule_greatest(family, kt_rule_clause(family, bound)) : 0;

		if (length == 0)
			return;
		greatest = length > greatest ? length : greatest;
	}
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		if (kt_family_has(family, shares[i].name))
			shared = kt_family_text(family, "%s%s%s", shared, shared[0] != '\0' ? " * " : "", shares[i].factor);
	if (shared[0] != '\0' && !row->flat)
		kt_family_restrict(family,
		                   kt_family_text(family, "%s == 1 || BLOCK%s * %s < %lld", shared,
		                                  kt_family_has(family, "VEC") ? " * VEC" : "", shared, 2 * (long long)greatest),
		                   "half as much has room for every problem's rows");
}
