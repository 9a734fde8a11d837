/*
 * Passes over the kernel IR (docs/ir.md, "Passes"): what may be changed about a kernel, the parameters of each change, and
 * how one configuration is applied.
 *
 * A pass is one file, pass_NAME.c, with one `struct kt_ir_pass`, and a row of passes.def, whose order is the order in which
 * passes are applied. Its version is that of its row in base/passes.h.
 *
 * An offer is made once for a kernel: each pass looks at the module, which it does not change, and adds its parameters,
 * restrictions and guards, or reports why it does not apply. A variant is made for each configuration: a deep copy of the
 * module on which each pass whose parameters differ from their originals is run, in order. Hence the configuration of all
 * originals is the module as it is.
 */
#ifndef KT_IR_PASS_H
#define KT_IR_PASS_H

#include "generation/ir/ir.h"

enum { KT_IR_MOST_TUNABLES = 32, KT_IR_MOST_VALUES = 16, KT_IR_MOST_CLAUSES = 128 };

struct kt_ir_pass;
struct kt_expr;

/* An argument of the kernel, as far as the region's clauses tell. */
struct kt_ir_argument_facts {
	const char *name;  /* that expressions use */
	const char *count; /* elements of its buffer, as an expression; NULL: not known */
	bool is_input;     /* a clause states that no kernel writes to its buffer */
};

/* What is known about the launches besides the module. All zero: nothing. */
struct kt_ir_facts {
	int64_t block[3]; /* threads, where they are constants; 0: not known */
	/* Arguments of the kernel in order; NULL: nothing is known. */
	const struct kt_ir_argument_facts *arguments;
	const int64_t *most; /* elements of each one's buffer on the largest problem; 0: not known. NULL: of none */
	const char *grid[3], *blocks[3]; /* the original launch, as expressions; NULL: 1 */
	/* The grid's extent along x, where each name in it is the argument of that name at every launch; NULL: it is not known, or 1. */
	const struct kt_expr *grid_of_arguments;
	const char *shared_bytes; /* dynamic shared memory of the original launch, as an expression; NULL: not known */
	/* Names of the passes that may be used (the clause `auto(…)`); NULL: all. */
	const char *const *allowed;
	size_t allowed_count;
};
/* Threads of a block of these launches; 0: not known, not the same for all, or more than a block has. */
int64_t kt_ir_threads_of(const struct kt_ir_facts *facts);

/* A parameter of a pass. */
struct kt_ir_tunable {
	const struct kt_ir_pass *pass;
	const char *name, *meaning; /* "UNROLL", unique in the offer */
	size_t count;
	int64_t values[KT_IR_MOST_VALUES];
	/* The value with which nothing is changed; without one the pass is always run. */
	bool has_original;
	int64_t original;
	/*
	 * What it is about, of the module that was offered; NULL: the kernel. The copy's statements name it as their origin
	 * (kt_ir_each_of), however often earlier passes have repeated them.
	 */
	const struct kt_ir_statement *statement;
	const void *found; /* what `applies` found for `transform`, in the offer's arena; NULL: nothing */
	bool is_repeated;  /* number of copies of a loop body that are printed */
};

struct kt_ir_clause {
	const char *text, *reason;
};

/* A pass that applies with the reason why it is sound, or one that does not with what prevents it. */
struct kt_ir_answer {
	const struct kt_ir_pass *pass;
	bool applies;
	uint32_t line; /* in the user's file; 0: of the kernel as a whole */
	const char *text;
};

struct kt_ir_offer {
	struct kt_arena *arena;
	const struct kt_ir_module *module;   /* verified; not changed */
	const struct kt_ir_function *kernel; /* its last function */
	const struct kt_ir_facts *facts; /* of the launches as passes see them (warps.h) */
	const struct kt_ir_facts *written; /* of the launches in the source */
	bool is_of_warps; /* they differ: warps have a row each */
	const struct kt_ir_module *normal; /* in normal form, as passes see it; NULL: it has none */
	const struct kt_ir_module *plain;  /* in normal form, as it is written; NULL: it has none */
	size_t tunable_count, restriction_count, guard_count, answer_count;
	struct kt_ir_tunable tunables[KT_IR_MOST_TUNABLES];
	/* Over parameters and the device; and over the arguments of a launch, too, which runs the original where one fails. */
	struct kt_ir_clause restrictions[KT_IR_MOST_CLAUSES], guards[KT_IR_MOST_CLAUSES];
	struct kt_ir_answer *answers; /* one for each pass that was asked, in order */
	/* Launch geometry over parameters, problem variables and arguments: the facts', until a pass sets another. */
	const char *grid[3], *blocks[3];
	/* Another launch, along x and y, where the condition over parameters does not hold; NULL: there is none. */
	const char *unless, *other_grid[2], *other_blocks[2];
	const struct kt_ir_pass *asked; /* the pass whose `applies` runs */
	/* Of the kernel without shared memory, whose parameters and clauses are in this offer, too (pass_join.h); NULL: there is none. */
	const struct kt_ir_offer *other;
	bool failed;                    /* out of memory, or past a ceiling */
};

/* One configuration in the making. */
struct kt_ir_variant {
	const struct kt_ir_offer *offer;
	const int64_t *values; /* one for each tunable of the offer */
	struct kt_ir_module *module;
	struct kt_ir_function *kernel;
	const struct kt_ir_pass *pass; /* that runs */
	bool is_of_warps; /* the kernel is as passes see it already */
	bool is_flat; /* axes that the launch does not have are constants */
};

struct kt_ir_pass {
	const char *name; /* of a row in base/passes.h */
	/*
	 * Adds the parameters of the pass, and returns kt_ir_applies; or kt_ir_refuses, and then has added nothing. Every
	 * condition that a transformation needs is asked here, or is a restriction or a guard.
	 */
	bool (*applies)(struct kt_ir_offer *offer);
	/* Changes the variant's module, and leaves one that the verifier accepts. NULL: the variants are those of the offer's other one. */
	kt_status (*transform)(struct kt_ir_variant *variant, struct kt_error *err);
};

extern const struct kt_ir_pass *const kt_ir_passes[];
extern const size_t kt_ir_pass_count;

/* ---- Whole offers and variants ---- */

/*
 * Asks every pass that is allowed. The module's last function is the kernel; module, facts and arena outlive the offer.
 * KT_ERR_INVALID: there is no kernel; KT_ERR_LIMIT: past a ceiling.
 */
kt_status kt_ir_offer_make(struct kt_ir_offer **out, struct kt_arena *arena, const struct kt_ir_module *module,
			   const struct kt_ir_facts *facts, struct kt_error *err) KT_MUST_CHECK;
/* flat.c: axes along y and z that the original launch does not have, as constants. */
void kt_ir_flatten(struct kt_ir_module *module, const struct kt_ir_facts *written);
/*
 * The module with a configuration applied, verified, in the arena. values: one for each tunable. KT_ERR_INVALID with the
 * pass's name: what a pass left is not right, or a value is none of the tunable's.
 */
kt_status kt_ir_variant_make(struct kt_ir_module **out, struct kt_arena *arena, const struct kt_ir_offer *offer,
			     const int64_t *values, struct kt_error *err) KT_MUST_CHECK;

/* May the pass of that name be used? */
bool kt_ir_is_allowed(const struct kt_ir_facts *facts, const char *name);

/* ---- The answer of `applies` ---- */

/* printf into the offer's arena; never NULL ("" and failed). */
const char *kt_ir_offer_text(struct kt_ir_offer *offer, const char *format, ...) KT_PRINTF(2, 3);
/* Adds a parameter of the asked pass, of which `original` is a value. Values are copied; meaning is not. */
struct kt_ir_tunable *kt_ir_offer_values(struct kt_ir_offer *offer, const char *name, const char *meaning,
					 const int64_t *values, size_t count, int64_t original);
/* What is there already is not added again. */
void kt_ir_offer_restriction(struct kt_ir_offer *offer, const char *text, const char *reason);
void kt_ir_offer_guard(struct kt_ir_offer *offer, const char *text, const char *reason);
/* True, with why the pass is sound; false, with what prevents it, at this line. */
bool kt_ir_applies(struct kt_ir_offer *offer, const char *reason);
bool kt_ir_refuses(struct kt_ir_offer *offer, uint32_t line, const char *format, ...) KT_PRINTF(3, 4);

/* ---- What `transform` asks ---- */

/* Brings the variant's module into the normal form that the offer was made for. */
kt_status kt_ir_variant_normal(struct kt_ir_variant *variant, struct kt_error *err) KT_MUST_CHECK;
/* Into that of the kernel as it is written, also where warps have a row each. */
kt_status kt_ir_variant_plain(struct kt_ir_variant *variant, struct kt_error *err) KT_MUST_CHECK;

/* The value of the pass's first tunable, and the tunable. */
int64_t kt_ir_chosen(const struct kt_ir_tunable **tunable, const struct kt_ir_variant *variant);
/* The value of the pass's tunable of that name; 0: the offer has none. */
int64_t kt_ir_chosen_of(const struct kt_ir_variant *variant, const char *name);
/*
 * Calls for each statement of the module whose origin is this one of the offered module (NULL: every statement), then for what
 * is inside of it.
 */
void kt_ir_each_of(struct kt_ir_module *module, const struct kt_ir_statement *origin,
		   void (*visit)(struct kt_ir_statement *statement, void *context), void *context);

/*
 * Calls for every statement of the region, each before what is inside of it, until one returns false, which is then returned.
 * `depth`: loops around it.
 */
bool kt_ir_walk(const struct kt_ir_region *region, unsigned depth,
		bool (*visit)(const struct kt_ir_statement *statement, unsigned depth, void *context), void *context);

#endif
