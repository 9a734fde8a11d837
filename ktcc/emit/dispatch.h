/* For emit's files only: what is emitted for one region. */
#ifndef KT_EMIT_DISPATCH_H
#define KT_EMIT_DISPATCH_H

#include "emit/emit.h"

#define KT_EMIT_HASH 16 /* hexadecimal digits of a hash in a name */

struct kt_emit_region {
	const struct kt_region *region;
	size_t variant_count;
	const struct kt_variant **variants; /* in the order they are tried */
	const char **names;                 /* of the variants */
	const char *hash;                   /* of everything that is emitted for the region */
	const char *dispatcher;             /* the dispatcher's name; of a launch region it returns whether a variant ran */
	const char *ordered;                /* the dispatcher of launches whose configuration has to be evaluated first */
	const char *held;                   /* the function that tells where a routed launch's bindings are kept */
	const char *routed;                 /* what stands for the kernel where it is given to a function that launches it */
	const char *linked;                 /* the function by which other sources reach variants, or by which these do; NULL: none */
	bool *rewritten;                    /* one per launch */
	bool has_dispatcher, has_ordered, has_routed; /* which of them rewritten launches call */
	const struct kt_launch *constant;             /* one whose kernel's name is a part of a constant; NULL: none is */
	/* Per problem variable: the argument that carries it at some rewritten launch (−1: none), and whether launches
	 * pass it. */
	int64_t carried[KT_PROBLEM_VARIABLES];
	const char *values[KT_PROBLEM_VARIABLES]; /* what has it in the dispatcher: "ktune_a1"; NULL: nothing */
	bool passed[KT_PROBLEM_VARIABLES];
	bool mixed[KT_PROBLEM_VARIABLES]; /* passed, but carried at some launches */
	const struct kt_clause_expr **conditions; /* guards and restrictions that a launch could break, each text once */
	size_t condition_count;
};

/* Names of variants and dispatcher, and the conditions of the variants. `index` is the region's position in its unit. */
kt_status kt_emit_names(struct kt_emit_region *out, struct kt_arena *arena, const struct kt_emission *emission,
			size_t index, struct kt_error *err) KT_MUST_CHECK;
/* Appends what a variant that a generator wrote does, as comments; of any other nothing. */
void kt_emit_rationale(struct kt_buf *out, const struct kt_variant *variant);
/*
 * Appends a block that tries the plan's `index`-th variant, in a function that has a launch's arguments and problem
 * variables (attempt.c). KT_ERR_INVALID: its geometry is unknown or an expression cannot be written.
 */
kt_status kt_emit_attempt(struct kt_buf *out, const struct kt_emit_region *plan, size_t index,
                          struct kt_error *err) KT_MUST_CHECK;
/* Appends the name of the plan's `index`-th variant with its template arguments (attempt.c). */
kt_status kt_emit_callee(struct kt_buf *out, const struct kt_emit_region *plan, size_t index,
                         struct kt_error *err) KT_MUST_CHECK;
/* The index-th of a template's guards, then restrictions; NULL: no more. `*asked`: a launch could break it (missed.c). */
const struct kt_clause_expr *kt_emit_condition_at(bool *asked, const struct kt_template *t, size_t index);
/* Its number among the plan's conditions. */
size_t kt_emit_condition(const struct kt_emit_region *plan, const char *text);
/* Fills the plan's conditions from its variants. */
kt_status kt_emit_conditions(struct kt_emit_region *plan, struct kt_arena *arena, struct kt_error *err) KT_MUST_CHECK;
/* Appends the function that notes a launch under KTUNE_TRACE, and its call where no variant ran. */
void kt_emit_note(struct kt_buf *out, const struct kt_emit_region *plan);
void kt_emit_call_note(struct kt_buf *out, const struct kt_emit_region *plan);
/* Appends the function that has the region's timed launches (KTUNE_TRACE=time). */
void kt_emit_timings(struct kt_buf *out, const struct kt_emit_region *plan);
/* An argument or a member in a dispatcher, in arena: "ktune_a1", "ktune_a2.size[0]"; NULL: out of memory. */
const char *kt_emit_argument(struct kt_arena *arena, const struct kt_region *region, size_t argument);
/* A number in an emitted expression, in `text` of `size` bytes or a constant (attempt.c). */
const char *kt_emit_number(char *text, size_t size, int64_t value);
/* Appends the call of what stands for the kernel of a routed launch, after its name (launches.c). */
void kt_emit_routed_call(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_launch *launch);
/* Appends the dispatcher's declaration, with default arguments. */
kt_status kt_emit_declaration(struct kt_buf *out, const struct kt_emit_region *plan,
			      struct kt_error *err) KT_MUST_CHECK;
/* Appends the dispatcher of launches whose kernel another source defines (linked.c). */
kt_status kt_emit_import(struct kt_buf *out, const struct kt_emit_region *plan, struct kt_error *err) KT_MUST_CHECK;
/* Appends the function for launches in other sources; needs what add_route_target wrote (linked.c). */
void kt_emit_export(struct kt_buf *out, const struct kt_emit_region *plan);
/* Of linked.c: parts of a dispatcher (dispatch.c). */
void kt_emit_open_scope(struct kt_buf *out, const struct kt_region *region);
void kt_emit_close_scope(struct kt_buf *out, const struct kt_region *region);
void kt_emit_signature(struct kt_buf *out, const struct kt_emit_region *plan, bool popped, bool defaults);
void kt_emit_types(struct kt_buf *out, const struct kt_region *region);
void kt_emit_kernel_address(struct kt_buf *out, const struct kt_region *region);
void kt_emit_kernel_arguments(struct kt_buf *out, const struct kt_region *region);
void kt_emit_take_configuration(struct kt_buf *out);
/* What messages name: for the dispatcher a line, for the variants' text its lines in body_file plus body_shift. */
struct kt_emit_lines {
	const char *file, *body_file;
	uint32_t line;
	int64_t body_shift;
};
/* Appends variants and dispatcher. */
kt_status kt_emit_definition(struct kt_buf *out, const struct kt_emit_region *plan, const struct kt_emit_lines *lines,
			     struct kt_error *err) KT_MUST_CHECK;

#endif
