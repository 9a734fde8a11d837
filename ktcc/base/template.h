/*
 * A template: what a generator makes of a region. Kernel text over named
 * parameters θ with everything the tuner, the tester and the emitter need.
 * Generators (generation/) fill it; tuning renders candidates from it, emit
 * renders the winner: the same text goes to both.
 *
 * Text is C++ with holes: `${NAME}` a parameter's value, `${ktune:kernel}` the
 * variant's name, `${ktune:callee:K}` the name of the K-th copied callee,
 * `${ktune:arch}` the guard of the body, `$$` a dollar sign. In OpenCL C a
 * variant has neither `static` nor an architecture: `internal` and `arch` of a
 * render mean nothing there.
 */
#ifndef KT_BASE_TEMPLATE_H
#define KT_BASE_TEMPLATE_H

#include "base/region.h"

struct kt_template {
	const struct kt_region *region;
	const char *generator; /* "explicit", "rules", "llm" */
	const char *rationale;
	/* Options for a compiler that runs in the driver (OpenCL): the tester passes them on. NULL: none. */
	const char *build_options;
	/* Macros that are parameters: set around the text, restored behind it. */
	size_t parameter_count;
	const struct kt_parameter *parameters;
	const char *helpers; /* copied callees, in order; "" when none */
	const char *head;    /* "template <…> __global__ void __launch_bounds__(…) ${ktune:kernel}(…)" without linkage specifiers */
	const char *body;    /* "{ … }" */
	uint32_t head_line;  /* user's line of the head's start; 0: no #line */
	uint32_t body_line;  /* user's line of "{"; 0: no #line */
	size_t restriction_count;
	const struct kt_clause_expr *restrictions;
	size_t guard_count;
	const struct kt_clause_expr *guards;
	size_t grid_count, block_count;
	const struct kt_clause_expr *grid, *block;
	struct kt_clause_expr shared_bytes;
};

struct kt_render {
	const struct kt_template *template_;
	const int64_t *configuration; /* one value a parameter */
	const char *name;             /* the variant's name; callee K is "<name>_fK" */
	bool internal;                /* static linkage, and in an emission: KTUNE_GENERATED of ktune.h in front */
	int64_t arch;                 /* compute capability × 10 that the body is for; others trap. 0: any */
	const char *line_file;        /* file for #line; NULL: none */
	int64_t line_shift;           /* added to the numbers of its lines */
};

/* Appends helpers and kernel of one configuration. Ends with a newline. */
kt_status kt_template_render(struct kt_buf *out, const struct kt_render *render, struct kt_error *err) KT_MUST_CHECK;

/*
 * The template arguments with which the variant of this configuration is
 * instantiated: "<__half, 256>" with tuned template parameters replaced;
 * nothing for a plain kernel.
 */
kt_status kt_template_arguments(struct kt_buf *out, const struct kt_template *template_,
                                const struct kt_instance *instance, const int64_t *configuration,
                                struct kt_error *err) KT_MUST_CHECK;

/* "BLOCK=256 VEC=8" */
void kt_configuration_print(struct kt_buf *out, const struct kt_parameter *parameters, size_t count,
                            const int64_t *configuration);

#endif
