/*
 * A template: what a generator makes of a region. Kernel text over named
 * parameters θ with everything the tuner, the tester and the emitter need.
 * Generators (generation/) fill it; tuning renders candidates from it, emit
 * renders the winner: the same text goes to both.
 *
 * Text is C++ with placeholders and sections:
 *
 *   ${NAME}              a parameter's value
 *   ${= EXPR}            the value of an integer expression over the parameters (base/expr.h)
 *   ${ktune:kernel}      the variant's name; of its K-th further kernel "<name>_k<K>", from 1
 *   ${ktune:callee:K}    the name of the K-th copied callee
 *   ${ktune:arch}        the guard of the body
 *   ${ktune:place:L:F}   the file and the line of an assertion: line L, which is F beside a slice
 *   $$                   a dollar sign
 *   ${if EXPR} … ${else} … ${end}    kept where EXPR is not 0, or is; up to KT_TEMPLATE_DEPTH inside one another
 *
 * A directive (if, else, end) that is alone on its line takes the line with
 * it. helpers, head and body are balanced each for itself. A parameter called
 * `end` hides the directive: then there are no sections. In OpenCL C a
 * variant has neither `static` nor an architecture: `internal` and `arch` of a
 * render mean nothing there.
 */
#ifndef KT_BASE_TEMPLATE_H
#define KT_BASE_TEMPLATE_H

#include "base/region.h"

#define KT_TEMPLATE_DEPTH 16                      /* most sections inside one another */
#define KT_TEMPLATE_TEXT_BYTES ((size_t)1 << 20)  /* of helpers, head or body */
#define KT_TEMPORARIES 16                         /* most buffers of a plan's own */
#define KT_TEMPORARY_SHARE 16                     /* of the device's memory, for all together; KTUNE_MEMORY_SHARE */

/* One thing that a generator did, and why it may. */
struct kt_template_strategy {
	const char *name, *reason;
};

/*
 * A further kernel of a plan, after the first: for a launch region a template may have several. All get the region's
 * arguments, run one after the other on one stream and count as one. Only the first may take dynamic shared memory:
 * a later one is then never refused for lack of a permission, so either all of them run or the original does.
 */
struct kt_template_kernel {
	const char *head, *body;
	size_t grid_count, block_count;
	const struct kt_clause_expr *grid, *block;
};

/*
 * Private memory of a plan, for one run of the region: every kernel of the plan gets its address after the region's
 * arguments, in the order of the temporaries. What is in it when a run begins is not known, and it is not read
 * afterwards. Aligned to 256 bytes.
 */
struct kt_template_temporary {
	const char *name; /* of no argument of the region */
	enum kt_scalar element;
	struct kt_clause_expr count; /* elements; over parameters, problem variables, integer arguments, the device */
};

/* The text of one configuration, whose placeholders are names alone. */
struct kt_template_text {
	const char *helpers, *head, *body;
};

/* Who makes the text of each configuration, where a generator applies it to a program and prints that (docs/ir.md). */
struct kt_template_source {
	/* The text stays until the next call. */
	kt_status (*write)(struct kt_template_text *out, void *context, const int64_t *configuration,
			   struct kt_error *err) KT_MUST_CHECK;
	void *context;
};

struct kt_template {
	const struct kt_region *region;
	const char *generator; /* "explicit", "rules", "ir", "plain", "llm" */
	const char *rationale;
	/* Options for a compiler that runs in the driver (OpenCL): the tester passes them on. NULL: none. */
	const char *build_options;
	/* Macros that are parameters: set before the text, restored after it. */
	size_t parameter_count;
	const struct kt_parameter *parameters;
	/*
	 * The text below is that of the parameters' originals; of any configuration `source` makes it. Without a source, as
	 * in what was read, nothing can be rendered.
	 */
	bool is_specialised;
	const struct kt_template_source *source;
	const char *helpers; /* copied callees, in order; "" when none */
	/* "template <…> __global__ void __launch_bounds__(…) ${ktune:kernel}(…)" without linkage specifiers */
	const char *head;
	const char *body;    /* "{ … }" */
	uint32_t head_line;  /* user's line of the head's start; 0: no #line */
	uint32_t body_line;  /* user's line of "{"; 0: no #line */
	size_t restriction_count;
	const struct kt_clause_expr *restrictions;
	size_t guard_count;
	const struct kt_clause_expr *guards;
	const char *const *restriction_reasons, *const *guard_reasons; /* one each, for people; NULL: none are known */
	size_t grid_count, block_count;
	const struct kt_clause_expr *grid, *block;
	struct kt_clause_expr shared_bytes;
	size_t further_count; /* below KT_STEPS */
	const struct kt_template_kernel *further;
	size_t temporary_count; /* up to KT_TEMPORARIES; 0 without further kernels */
	const struct kt_template_temporary *temporaries;
	/*
	 * The text is of one instance, types spelled out, and a plain function even where the kernel is a template.
	 * Its parameters are placeholders of the template, not the region's; the entry that it belongs to contains it.
	 */
	bool concrete;
	size_t strategy_count;
	const struct kt_template_strategy *strategies;
};

/*
 * As JSON, in docs/protocol.md ("rewrite") and docs/store.md. Written with the text as arrays of lines, read with
 * it as those or as one string. NULL: out of memory.
 */
cJSON *kt_template_json(const struct kt_template *template_);
/*
 * Reads a concrete template. Everything lives in arena; the region is not known yet, and the names in guards and
 * geometry may be anything (kt_template_adopt). Text with unbalanced sections, unknown placeholders or control
 * characters, expressions that do not parse, and parameters whose name or values are missing or repeated are
 * KT_ERR_INVALID with a JSON pointer.
 */
kt_status kt_template_read(struct kt_template **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Makes a template that was read one of this region, instance as given: what its expressions name must be its own
 * parameters, problem variables, arguments or device limits, and there is launch geometry. KT_ERR_INVALID names
 * what is not known, a further kernel of a kernel region, or a temporary with the name of an argument.
 * Lines of the rendered text become the kernel's: `head_line`, 0 for none, and the body's.
 */
kt_status kt_template_adopt(struct kt_template *template_, const struct kt_region *region, uint32_t head_line,
                            struct kt_error *err) KT_MUST_CHECK;
/* Is what such a generator made kept as a recipe, from which it is made again? Else an entry has its text. */
bool kt_generator_has_recipes(const char *generator);
/* Are its parameters its own, and not the region's? */
bool kt_template_is_generated(const struct kt_template *template_);
/* Of everything that decides what one configuration does: text, geometry, guards. Value lists and notes are no part. */
void kt_template_hash(char out[KT_HASH_TEXT], const struct kt_template *template_);
/* Of each its text, and how many there are. */
void kt_template_hash_clauses(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clauses, size_t count);
/* Does the clause name more than the template's parameters and the device? Then it is judged at each launch. */
bool kt_template_at_launch(const struct kt_template *template_, const struct kt_clause_expr *clause);
/*
 * The value that a parameter of the template has in the source: the region's where it has one of that name.
 * KT_ERR_MISSING: the source has none.
 */
kt_status kt_template_original(int64_t *out, const struct kt_template *template_, const struct kt_instance *instance,
                               size_t parameter, struct kt_error *err) KT_MUST_CHECK;

/* What the file is called in a unit with a slice. */
#define KT_SLICE_FILE "k"

struct kt_render {
	const struct kt_template *template_;
	/* One value a parameter. NULL: parameters are written by their names; text with expressions and sections fails. */
	const int64_t *configuration;
	const char *name;             /* the variant's name; callee K is "<name>_fK" */
	bool internal;                /* static linkage, and in an emission: KTUNE_GENERATED of ktune.h in front */
	int64_t arch;                 /* compute capability × 10 that the body is for; others trap. 0: any */
	const char *line_file;        /* file for #line; NULL: none */
	/*
	 * In a unit with a slice, whose lines are counted from the start of each function (generation.h): so are those of
	 * assertions. Else theirs are those of line_file.
	 */
	bool of_slice;
	int64_t line_shift;           /* added to the numbers of its lines */
	size_t kernel;                /* that ${ktune:kernel} names; 0: the first, and of a whole variant */
};

/* Appends helpers and kernels of one configuration. Ends with a newline. */
kt_status kt_template_render(struct kt_buf *out, const struct kt_render *render, struct kt_error *err) KT_MUST_CHECK;

/* The index-th kernel; 0: the first, in the form of the further ones. */
struct kt_template_kernel kt_template_kernel_at(const struct kt_template *template_, size_t index);
/*
 * Bytes that a plan's temporaries take together: each aligned to 256, an empty one as well. counts: elements, one each.
 * False: a count is below 0, the sum does not fit, or is above this part of memory_bytes (0: not known, any sum).
 */
bool kt_template_temporary_bytes(int64_t *out, const struct kt_template *template_, const int64_t *counts,
                                 int64_t memory_bytes) KT_MUST_CHECK;
/* Appends the name of a kernel of a variant: the variant's own, or that of a further kernel, from 1. */
void kt_template_kernel_name(struct kt_buf *out, const char *variant, size_t kernel);

/*
 * The template arguments with which the variant of this configuration is
 * instantiated: "<__half, 256>" with tuned template parameters replaced;
 * nothing for a plain kernel and for a concrete template.
 */
kt_status kt_template_arguments(struct kt_buf *out, const struct kt_template *template_,
                                const struct kt_instance *instance, const int64_t *configuration,
                                struct kt_error *err) KT_MUST_CHECK;

/* Reasons of guards that the user's clauses are, in every generator's template (generation/settle.h). */
#define KT_REASON_GUARD_CLAUSE "a guard clause"
#define KT_REASON_RESTRICTION_CLAUSE "a restriction clause"

/* "BLOCK=256 VEC=8" */
void kt_configuration_print(struct kt_buf *out, const struct kt_parameter *parameters, size_t count,
                            const int64_t *configuration);

#endif
