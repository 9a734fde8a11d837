#include <string.h>

#include "base/expr_tree.h"
#include "generation/rules/poly.h"

/* An argument that has its own value all through the kernel,
 * and that every launch binds the variable of its name to. */
static const struct kt_poly *of_name(struct kt_polys *polys, const char *name)
{
	const struct kt_region *r = polys->kernel->region;

	for (size_t v = 0; v < r->variable_count; v++)
		for (size_t l = 0; strcmp(r->variables[v], name) == 0 && l < r->launch_count; l++)
			if (r->launches[l].decline == NULL &&
			    (r->launches[l].bindings[v].argument < 0 ||
			     strcmp(r->arguments[r->launches[l].bindings[v].argument].name, name) != 0))
				return NULL;
	for (size_t i = 0; i < polys->kernel->variable_count; i++) {
		const struct kt_tree_variable *v = polys->kernel->variables[i];

		if (v->argument >= 0 && strcmp(v->name, name) == 0 && !v->is_pointer && v->writes == 0 && !v->escapes &&
		    v->scalar != KT_SCALAR_NONE && !kt_scalar_is_float(v->scalar))
			return kt_poly_variable(polys, v);
	}
	return NULL;
}

static const struct kt_poly *of_expr(struct kt_polys *polys, const struct kt_expr *expr)
{
	const struct kt_poly *a = NULL, *b = NULL;

	if (expr->count == 2) {
		a = of_expr(polys, expr->operands[0]);
		b = of_expr(polys, expr->operands[1]);
		if (a == NULL || b == NULL)
			return NULL;
	}
	switch (expr->op) {
	case KT_OP_NUMBER:
		return kt_poly_constant(polys, expr->number);
	case KT_OP_NAME:
		return of_name(polys, expr->name);
	case KT_OP_ADD:
		return kt_poly_add(polys, a, b, 1);
	case KT_OP_SUBTRACT:
		return kt_poly_add(polys, a, b, -1);
	case KT_OP_MULTIPLY:
		return kt_poly_multiply(polys, a, b);
	case KT_OP_DIVIDE:
		return kt_poly_divide(polys, a, b);
	case KT_OP_CEIL_DIV: {
		/* Extents are positive. */
		const struct kt_poly *sum = kt_poly_add(polys, a, b, 1), *one = kt_poly_constant(polys, 1);

		sum = sum != NULL && one != NULL ? kt_poly_add(polys, sum, one, -1) : NULL;
		return sum != NULL ? kt_poly_divide(polys, sum, b) : NULL;
	}
	default:
		return NULL;
	}
}

const struct kt_poly *kt_launched_extent(struct kt_polys *polys, unsigned dimension, bool blocks_only)
{
	const struct kt_region *r = polys->kernel->region;
	const struct kt_poly *one = kt_poly_constant(polys, 1);
	const struct kt_poly *blocks = dimension < r->grid_count ? of_expr(polys, r->grid[dimension].expr) : one;
	const struct kt_poly *threads = dimension < r->block_count ? of_expr(polys, r->block[dimension].expr) : one;

	if (r->grid_count == 0 || r->block_count == 0 || blocks == NULL || threads == NULL || one == NULL)
		return NULL;
	return blocks_only ? blocks : kt_poly_multiply(polys, blocks, threads);
}
