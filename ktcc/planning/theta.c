#include "planning/theta.h"

#include <string.h>

bool kt_theta_lookup(int64_t *value, const char *name, void *context)
{
	struct kt_theta *theta = context;

	for (size_t i = 0; i < theta->template_->parameter_count; i++) {
		if (strcmp(theta->template_->parameters[i].name, name) == 0) {
			*value = theta->configuration[i];
			return true;
		}
	}
	return kt_scope_lookup(value, name, &theta->region);
}

int64_t kt_theta_product(struct kt_theta *theta, const struct kt_clause_expr *extents, size_t count)
{
	int64_t product = 1, value;
	struct kt_error ignored;

	for (size_t i = 0; i < count; i++)
		if (kt_expr_eval(&value, extents[i].expr, kt_theta_lookup, theta, &ignored) != KT_OK ||
		    __builtin_mul_overflow(product, value, &product))
			return 0;
	return product;
}

static bool holds(struct kt_theta *theta, const struct kt_clause_expr *clause)
{
	struct kt_error ignored;
	int64_t value;

	return kt_expr_eval(&value, clause->expr, kt_theta_lookup, theta, &ignored) == KT_OK && value != 0;
}

bool kt_theta_launches(struct kt_theta *theta)
{
	const struct kt_template *template_ = theta->template_;

	for (size_t i = 0; i < template_->guard_count; i++)
		if (!holds(theta, &template_->guards[i]))
			return false;
	for (size_t i = 0; i < template_->restriction_count; i++)
		if (kt_template_at_launch(template_, &template_->restrictions[i]) && !holds(theta, &template_->restrictions[i]))
			return false;
	return true;
}
