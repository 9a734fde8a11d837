/* Expressions of a template under one configuration on one problem. */
#ifndef KT_PLANNING_THETA_H
#define KT_PLANNING_THETA_H

#include "base/template.h"

struct kt_theta {
	const struct kt_template *template_;
	const int64_t *configuration; /* one value a parameter */
	struct kt_scope region;       /* problem and device */
};
/* A kt_expr_lookup: the template's parameters hide those of the region. */
bool kt_theta_lookup(int64_t *value, const char *name, void *theta);
/* The product of one to three extents, of a grid or a block; 0: it has no value. */
int64_t kt_theta_product(struct kt_theta *theta, const struct kt_clause_expr *extents, size_t count);
/* Would a launch on this problem take the variant? */
bool kt_theta_launches(struct kt_theta *theta);

#endif
