/*
 * A term: one expression of a template, bound to the parameters it names and
 * evaluated over rows of value indices. Where its parameters have few
 * combinations each of them is evaluated once and remembered, so that a search
 * costs table look-ups rather than walks over names.
 */
#ifndef KT_TUNING_TERM_H
#define KT_TUNING_TERM_H

#include "base/device.h"
#include "base/template.h"

#define KT_TERM_MEMO ((size_t)1 << 18) /* most remembered values of one term */

/* The values that a parameter may take. */
struct kt_domain {
	const char *name;
	size_t count; /* at most KT_PARAMETER_VALUES */
	const int64_t *values;
	const uint16_t *sorted; /* indices of values, ascending by value */
};

/* What terms are evaluated in. */
struct kt_term_space {
	const struct kt_region *region;
	const struct kt_device *device; /* NULL: none */
	size_t dimensions, problem_count; /* a region without problem clause counts as one problem */
	const struct kt_domain *domains;
};

struct kt_term {
	const struct kt_term_space *space;
	const struct kt_clause_expr *clause;
	size_t parameter_count;
	uint8_t parameters[KT_PARAMETERS];
	size_t strides[KT_PARAMETERS]; /* of the parameters in the memo */
	size_t combinations;           /* 0: no memo */
	bool per_problem, needs_device;
	int64_t *values;       /* problem-major */
	unsigned char *states; /* beside values */
};

/*
 * Binds an expression. KT_ERR_INVALID, starting with `what`, for a name that is
 * neither parameter nor known outside; names of the device are accepted without one
 * (needs_device tells). The term points into space and clause; free it with kt_term_free.
 */
kt_status kt_term_bind(struct kt_term *term, const struct kt_term_space *space, const struct kt_clause_expr *clause,
                       const char *what, struct kt_error *err) KT_MUST_CHECK;
void kt_term_free(struct kt_term *term);

/* The value on one row (an index per parameter) and problem; false when it does not evaluate. */
bool kt_term_value(int64_t *out, struct kt_term *term, const uint16_t *row, size_t problem);
/* Fills *err with why the term does not evaluate there; returns its code. */
kt_status kt_term_explain(const struct kt_term *term, const uint16_t *row, size_t problem, const char *what,
                          struct kt_error *err);
bool kt_term_names(const struct kt_term *term, size_t parameter);

#endif
