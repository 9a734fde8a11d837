/*
 * What a model answered, as a record: kernel text, parameters, conditions,
 * geometry; for a launch region a launch plan. The text it is read from is
 * hostile: everything is bounded by the ceilings below, names are identifiers,
 * conditions and sizes are expressions of docs/pragma.md. The meaning of the kernel text is not looked at here: `ktcc-clang
 * check` (check.h) does that.
 *
 * Two spellings are read (docs/protocol.md, "The reply of a model"): one JSON
 * object of docs/schema/reply.schema.json, or Markdown with a ```json block for
 * that object and a ```cuda block for the text. Prose around either is passed
 * over, as are members that were not asked for.
 */
#ifndef KT_GENERATION_LLM_REPLY_H
#define KT_GENERATION_LLM_REPLY_H

#include "base/region.h"

#define KT_REPLY_BYTES ((size_t)1 << 20)      /* longest answer that is read */
#define KT_REPLY_TEXT_BYTES ((size_t)64 << 10) /* helpers and kernels together */
#define KT_REPLY_PROSE_BYTES 4096             /* a rationale, a reason; longer ones are cut */
#define KT_REPLY_NAME_BYTES 64                /* longest name */
#define KT_REPLY_PARAMETERS 16
#define KT_REPLY_VALUES 64                    /* of one parameter */
#define KT_REPLY_CONDITIONS 32                /* restrictions; guards */
#define KT_REPLY_LAUNCHES 16                  /* of a plan */
#define KT_REPLY_ARGUMENTS 64                 /* of one launch */
#define KT_REPLY_TEMPORARIES 16
#define KT_REPLY_TEMPORARY_ELEMENTS (INT64_C(1) << 40) /* of one whose size is the same everywhere */
#define KT_REPLY_MAGNITUDE INT64_C(0x7fffffff) /* of a parameter's value */

struct kt_reply_parameter {
	const char *name; /* upper case: a macro while the text is compiled */
	size_t value_count;
	int64_t *values;  /* in the order given, none twice */
	const char *reason; /* "" when none was given, here and below */
};

struct kt_reply_condition {
	struct kt_clause_expr expr;
	const char *reason;
};

struct kt_reply_geometry {
	size_t grid_count, block_count; /* 0: not given; the original's */
	struct kt_clause_expr grid[3], block[3];
	struct kt_clause_expr shared_bytes; /* expr NULL: not given */
};

/* A plan's memory that lives for one run of the region. */
struct kt_reply_temporary {
	const char *name;
	enum kt_scalar element;
	struct kt_clause_expr count; /* elements */
};

/* One launch of a plan, in the order in which they run. */
struct kt_reply_launch {
	const char *kernel;
	size_t argument_count;
	const char **arguments; /* names: buffers and values of the region, temporaries */
	struct kt_reply_geometry geometry; /* grid and block are there */
};

struct kt_reply {
	const char *decline; /* the model has nothing to suggest, and why; the rest is empty then. NULL otherwise */
	const char *text;    /* helpers, then the kernel or kernels; one text, as lines are counted in */
	size_t parameter_count;
	struct kt_reply_parameter *parameters;
	size_t restriction_count;
	struct kt_reply_condition *restrictions;
	size_t guard_count;
	struct kt_reply_condition *guards;
	struct kt_reply_geometry geometry; /* of the one kernel; nothing in a plan */
	size_t launch_count;               /* 0: no plan */
	struct kt_reply_launch *launches;
	size_t temporary_count;
	struct kt_reply_temporary *temporaries;
	const char *rationale;
	const char *effect;  /* what the model expects */
};

/*
 * Reads an answer. Everything lives in arena. KT_ERR_SYNTAX: nothing that could
 * be a reply; KT_ERR_INVALID: a member that is wrong, named by its JSON pointer;
 * KT_ERR_LIMIT: a ceiling. Messages can go back to the model.
 */
kt_status kt_reply_read(struct kt_reply **out, struct kt_arena *arena, const char *text, size_t size,
                        struct kt_error *err) KT_MUST_CHECK;

/* Names that expressions of a reply may use beside its own parameters and device.*. */
struct kt_reply_names {
	size_t count, pointer_count, parameter_count;
	const char *const *names;      /* integers: problem variables, values, scalar arguments */
	const char *const *pointers;   /* in aligned() and disjoint() of guards */
	const char *const *parameters; /* of the region's source: a reply may give them other values */
};
/* Those of a region. Allocated in arena. */
kt_status kt_reply_names_of(struct kt_reply_names *out, struct kt_arena *arena, const struct kt_region *region,
                            struct kt_error *err) KT_MUST_CHECK;
/*
 * Is every name that the reply uses known, does no parameter and no temporary take one that
 * is taken, and do all launches of a plan pass names that exist? KT_ERR_INVALID names the first that fails.
 */
kt_status kt_reply_check_names(const struct kt_reply *reply, const struct kt_reply_names *names, struct kt_error *err)
    KT_MUST_CHECK;

#endif
