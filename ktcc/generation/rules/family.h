/*
 * A template in the making: one instance of a kernel, what is known about it,
 * and what each strategy has decided. Strategies run one after the other; each
 * is one file with the condition under which it is sound on top, adds its
 * parameters, restrictions, guards and reasons here, and replaces nodes.
 */
#ifndef KT_RULES_FAMILY_H
#define KT_RULES_FAMILY_H

#include "base/decline.h"
#include "generation/rules/access.h"
#include "generation/rules/write.h"

enum { KT_RULE_PARAMETERS = 24, KT_RULE_CLAUSES = 48, KT_RULE_VALUES = 16, KT_RULE_NOTES = 400 };

struct kt_rule_parameter {
	const char *name, *meaning;
	size_t count;
	int64_t values[KT_RULE_VALUES];
	bool has_original;
	int64_t original;
};

enum { KT_CONSTANT_NONE, KT_CONSTANT_ONE };

/* A restriction, a guard, a strategy that was applied, or one that was not: with its reason. */
struct kt_rule_clause {
	const char *text, *reason;
};

/* A fact for `ktcc explain --analysis`, or why something could not be done there. */
struct kt_rule_note {
	uint32_t line;
	const char *text;
};

struct kt_family {
	struct kt_kernel *kernel;
	struct kt_polys polys;
	struct kt_loops loops;
	struct kt_write write;
	int64_t *constants;         /* by argument: KT_CONSTANT_NONE, KT_CONSTANT_ONE, or its value with FIX */
	/* By argument, NULL: of none: guards see to it that what it points to is reached through nothing else (with EVEN). */
	struct kt_rule_apart {
		bool is, even;
	} *apart;
	int64_t block[3];           /* of the original launches, where constant, else 0 */
	const char *const *allowed; /* names of strategies; NULL: all */
	size_t allowed_count;

	size_t parameter_count;
	struct kt_rule_parameter parameters[KT_RULE_PARAMETERS];
	size_t restriction_count, guard_count, strategy_count, note_count;
	struct kt_rule_clause restrictions[KT_RULE_CLAUSES], guards[KT_RULE_CLAUSES], strategies[KT_RULE_CLAUSES];
	struct kt_rule_note notes[KT_RULE_NOTES];
	struct kt_buf helpers;      /* template text in front of the kernel */
	struct kt_buf top;          /* template text at the top of the body */
	const char *grid[3], *blocks[3], *shared_bytes; /* NULL: as launched */
	const char *launch_bounds;  /* "__launch_bounds__(${BLOCK})", or "" */
	const char *cluster_dims;   /* lines in front of the kernel's name, or "" */
	bool streams_loads; /* loops over rows load what passes by the caches whether rows are kept or not */
	unsigned kept_bytes, ahead_bytes; /* that TURNS, and AHEAD too, keep in registers, for an element of a pack and turn */
	/* registers of 32 bits for what a patch holds, over the parameters: " + VEC * ROWS"; NULL: there is none */
	const char *held_words;
	/* What stands for blockIdx.x where a block has several rows, or a part of one; NULL: it stays. */
	const char *row_name;
	const char *piece_name;     /* the part of a row that is for the block, where `row_name` is for that; else NULL */
	enum kt_decline reason;     /* why there is no template; KT_DECLINE_NONE: there is one */
	const char *reason_detail;
	uint32_t reason_line;
	bool failed;                /* out of memory, or past a ceiling */
};

/* printf into the kernel's arena; never NULL ("" and failed). */
const char *kt_family_text(struct kt_family *family, const char *format, ...) KT_PRINTF(2, 3);
/* May this strategy be used (clause `auto(…)`)? */
bool kt_family_allows(const struct kt_family *family, const char *strategy);
/* The parameter of that name, added when new. Values are copied. */
struct kt_rule_parameter *kt_family_parameter(struct kt_family *family, const char *name, const char *meaning,
                                              const int64_t *values, size_t count);
bool kt_family_has(const struct kt_family *family, const char *parameter);
/* Is the loop distributed over threads? */
bool kt_family_has_loop(const struct kt_family *family, const struct kt_tree *node);
/* May an element of this size be part of a vector? */
bool kt_rule_is_vector(unsigned bytes);
void kt_family_restrict(struct kt_family *family, const char *text, const char *reason);
void kt_family_guard(struct kt_family *family, const char *text, const char *reason);
/* Notes that the strategy was applied; a second reason of one strategy is dropped. */
void kt_family_applied(struct kt_family *family, const char *strategy, const char *reason);
void kt_family_note(struct kt_family *family, const struct kt_tree *where, const char *format, ...) KT_PRINTF(3, 4);
/* The expression as an operand of a product: in parentheses where it is more than one word. */
const char *kt_family_factor(struct kt_family *family, const char *text);
/* Appends "for (first; condition; step) {", on three lines where one were too long. */
void kt_family_for(struct kt_buf *out, const char *first, const char *condition, const char *step);
/* An identifier that nothing in the kernel has: "x_pack", else "x_pack2" … */
const char *kt_family_name(struct kt_family *family, const char *wanted);
/* Element count of a buffer as in its clause; NULL: no clause. */
const char *kt_family_count(const struct kt_family *family, const struct kt_tree_variable *root);
/* A guard's text that two arguments do not overlap; NULL: their sizes are not known. */
const char *kt_family_apart(struct kt_family *family, const struct kt_tree_variable *a,
                            const struct kt_tree_variable *b);
/* Adds the guard that two arguments do not overlap. False: their sizes are not known. */
bool kt_family_disjoint(struct kt_family *family, const struct kt_tree_variable *a, const struct kt_tree_variable *b);

/*
 * The strategies, in the order in which they run. Each returns false when it is not applicable; a note has the reason.
 */
/* names.c: does no variable hide another of its name? False: the family names the variable. */
bool kt_rule_names(struct kt_family *family);
/* constants.c: arguments that are 1 on every problem, before anything is read; then sizes, once loops are known. */
void kt_rule_constants(struct kt_family *family);
void kt_rule_sizes(struct kt_family *family);
/* The argument's name in the head; declarations of what is constant. */
const char *kt_rule_constant_name(struct kt_family *family, size_t argument);
void kt_rule_constant_lines(struct kt_buf *out, struct kt_family *family);
bool kt_rule_geometry(struct kt_family *family);

/* serial.c: marks loops that a thread goes through alone, before the text around them is written. */
bool kt_rule_serial(struct kt_family *family);
/* Does the user's text set already how often the loop is unrolled? */
bool kt_rule_has_pragma(const struct kt_kernel *kernel, const struct kt_tree *node);
/* divide.c: many quotients by one divisor, where fast math has not taken them; after the search for loops. */
void kt_rule_divide(struct kt_family *family);
/*
 * quotients.c: quotients of indices, where fast math and divide run. False: none. Its parameter, once the template exists.
 */
bool kt_rule_quotients(struct kt_family *family);
void kt_rule_quotients_parameter(struct kt_family *family);
/* bounds.c: registers for a number of threads, where the geometry determines what a block is. */
bool kt_rule_bounds(struct kt_family *family);
/* After it: a thread has registers for the packs that TURNS keeps, or for a patch. */
void kt_rule_registers(struct kt_family *family);
/* Once everything is written, and all guards are there that other strategies need. */
void kt_rule_restrict(struct kt_family *family);

/* geometry.c: what strategies of the geometry share. */
bool kt_rule_decline(struct kt_family *family, enum kt_decline reason, const struct kt_tree *where, const char *detail);
/* The polynomial in the pragma's language; NULL: it holds more than scalar arguments. */
const char *kt_rule_clause(struct kt_family *family, const struct kt_poly *poly);
/* The grid or block as launched, of one dimension, in the pragma's language. */
const char *kt_rule_launched(const struct kt_family *family, bool grid, unsigned dimension);
/*
 * A block for each `each` (product of parameters; NULL: 1) of `extent`, or no more than the device holds at a time, with WAVES:
 * only where that is less on one of the problems.
 */
const char *kt_rule_capped(struct kt_family *family, const char *extent, const char *each);
/* extents.c: the greatest value on the region's problems; 0: it is not known, or not positive on each. */
int64_t kt_rule_greatest(const struct kt_family *family, const char *text);
/* A step is as long as the loop, and a block, where there is a thread for every index: a counter of 32 bits may not wrap.
 * unless: when that need not hold, as the beginning of a guard; "": always. */
void kt_rule_guard_counter(struct kt_family *family, const struct kt_loop *loop, const char *unless);
/*
 * Has the original launch a thread for every index? True where it is spelled so, or with a guard that checks it; a loop that is
 * one anyway needs none. False: the family has the reason.
 */
bool kt_rule_covers(struct kt_family *family, const struct kt_loop *loop);
/* Where a thread has one index, its return is the end of that index alone: it becomes `continue`. */
bool kt_rule_continues(struct kt_family *family, const struct kt_loop *loop, const struct kt_effects *effects);
/* Replaces a loop. */
void kt_rule_set_loop(struct kt_family *family, const struct kt_loop *loop, const char *text);
/* The loop one by one, over the new geometry. squares: NULL, or the order of TILE. */
struct kt_squares;
const char *kt_rule_plain_loop(struct kt_family *family, const struct kt_loop *loop, const char *start,
                               const char *step, const struct kt_squares *squares);

/* squares.c: the order in which a thread takes items, in a loop over all of them. */
struct kt_squares {
	const char *length;                /* items of a row, as C++ of 64 bits */
	const char *item, *square, *across; /* names */
};
/* False: no two accesses go different ways. Adds TILE and its guard. */
bool kt_rule_squares(struct kt_squares *out, struct kt_family *family, const struct kt_loop *loop,
                     const struct kt_effects *effects);
/* What the loop counts in place of its variable, squares NULL included; and the variable's declaration in its body. */
const char *kt_squares_counter(struct kt_family *family, const struct kt_squares *squares, const char *counter);
void kt_squares_place(struct kt_buf *out, const struct kt_squares *squares, const char *type, const char *variable);

/* opencl.c: the same strategies in OpenCL C. */
const struct kt_target *kt_rule_target(const struct kt_family *family);
/* Template text that strategies wrote, in the region's language. */
const char *kt_rule_spelled(struct kt_family *family, const char *text);
/* Bytes of an argument in local memory, as launched: none of it may be none. NULL: there is no such argument. */
const char *kt_rule_opencl_shared(const struct kt_family *family);
/* What stands for the launch bounds, "" where there are none. */
/*
 * A message in the words of OpenCL for a kernel of that language: indices; with `format`, which is ours, the other
 * terms as well where they are not in quotes. Of other kernels the text itself.
 */
const char *kt_rule_opencl_message(struct kt_family *family, const char *text, bool format);
const char *kt_rule_opencl_bounds(struct kt_family *family);
/* Adds a function for the reduction whose step is `combine` (of value and other); NULL: not for such values. */
const char *kt_rule_opencl_fold(struct kt_family *family, const char *word, const char *function, const char *combine,
                                enum kt_scalar scalar);
/* What its calls pass besides the value: ", parts_float"; "" in CUDA. */
const char *kt_rule_opencl_room(struct kt_family *family, enum kt_scalar scalar);
/*
 * The same of a device symbol and a buffer: to be asked in the kernel. NULL: it cannot be spelled, or neither is a symbol.
 */
const char *kt_rule_symbol_apart(struct kt_family *family, const struct kt_tree_variable *a,
                                 const struct kt_tree_variable *b);
/* A condition that the two buffers do not overlap, to be asked in the kernel. NULL: it cannot be spelled there. */
const char *kt_rule_opencl_apart(struct kt_family *family, const struct kt_tree_variable *a,
                                 const struct kt_tree_variable *b);

/* vectorize.c: how one loop moves several elements an access. */
struct kt_vector;
/* With EVEN: a block for every BLOCK * VEC elements of a loop over everything. */
#define KT_FLAT_ONCE "EVEN && WAVES == 0 && UNROLL == 1"
/* NULL: it cannot; a note has the reason. */
struct kt_vector *kt_vector_plan(struct kt_family *family, const struct kt_loop *loop,
                                 const struct kt_effects *effects);
/* How the loop is put into its surroundings. */
struct kt_frame {
	const char *start, *step;   /* of single elements */
	const char *wide;           /* a condition that is computed in front of it; NULL: its own */
	bool serial;                /* a thread goes through it alone: no choice of VEC and UNROLL is made (serial.c) */
	const char *once;           /* where this holds a thread has one group at most, with EVEN; NULL: not known */
	bool covers;                /* where SPLIT is 0 the grid has a thread for each UNROLL groups */
	const char *piece;          /* with SPLIT: which of the blocks that share a row this one is */
	bool turns;                 /* its groups may be counted in TURNS turns, in which packs are kept in registers */
	const struct kt_squares *squares; /* of the loop one by one; NULL: it keeps its order */
};
const char *kt_vector_text(struct kt_family *family, const struct kt_vector *vector, const struct kt_frame *frame);
/* The number of widths of an access, from 1 on in powers of two: the last is 16 bytes of its narrowest elements. */
size_t kt_vector_width_count(const struct kt_vector *vector);
/* Appends what must hold for groups to be moved in one access, as a C++ condition, except for the counter's range. */
void kt_vector_conditions(struct kt_buf *out, struct kt_family *family, const struct kt_vector *vector);
/* Can its conditions be computed in front of the statement at `at` of its block? With divided, also those of quotients. */
bool kt_vector_is_known(struct kt_family *family, const struct kt_vector *vector, uint32_t at, bool divided);
/*
 * Keeps elements that several loops of one row move in registers between them: the packs with the same root and place
 * share one array. Appends their declarations. False: nothing is shared.
 */
struct kt_keep {
	struct kt_vector **vectors;          /* of the row's loops, in order */
	size_t count;
	const struct kt_effects **others;    /* of everything else in the row */
	size_t other_count;
};
bool kt_vector_keep(struct kt_buf *out, struct kt_family *family, const struct kt_keep *keep);

/*
 * even.c: may the loops go without tests and without a loop over the rest with EVEN? Adds that parameter and its guards, and
 * marks them. All or none: false where a guard cannot be spelled, or does not hold on every problem. To be called before the
 * text in front of the loops is written: divisions in it may become products.
 */
bool kt_vector_even(struct kt_family *family, struct kt_vector *const *vectors, size_t count);


/* motion.c: do two loops reach the same elements in iterations of the same number? *fixed:
 * where the first of them is. */
bool kt_access_same_place(struct kt_family *family, const struct kt_loop *one, const struct kt_access *a,
                          const struct kt_loop *two, const struct kt_access *b, const struct kt_poly **fixed);

/* rows.c: rows among blocks, the elements of a row among the threads of a block that reduce together. */
bool kt_rule_rows(struct kt_family *family);
/* Is the launch blocks along several dimensions, a row each, with elements distributed over the threads along x? */
bool kt_row_is_in_grid(const struct kt_family *family);

/* team.c: can blockIdx.x be given another name wherever it is used? The body's text with that name in it. */
bool kt_row_can_be_named(struct kt_family *family);
const char *kt_row_worded(struct kt_family *family, const char *body);

/* privatize.c: the array that the loop counts in, now a block's own; NULL: none.
 * The second: what a block does in the end. */
const struct kt_tree_variable *kt_rule_private(struct kt_family *family, const struct kt_loop *loop,
                                               const struct kt_effects *effects);
const char *kt_rule_private_end(struct kt_family *family, const struct kt_tree_variable *root);

/* plane.c: a thread for each item in two or three dimensions. */
bool kt_rule_plane(struct kt_family *family);
/* plane_geometry.c: reports why blocks or a grid of several dimensions are not changed, on the line that asks for it. */
bool kt_plane_decline(struct kt_family *family);
/* Will it be asked whether items go together, which share their loops then (patch.c)? */
bool kt_rule_may_patch(const struct kt_family *family);

/* facts.c: notes about loops, values, accesses, sums, buffers and arguments. */
void kt_rule_facts(struct kt_family *family);

/*
 * words.c: the texts in their form after the user's file, where its macros would rewrite generated words, and its functions be
 * called in place of the toolkit's. False: that cannot be avoided, and the family names the word.
 */
bool kt_rule_words(struct kt_family *family, const char **helpers, const char *const *head, const char **body);

/* Runs everything on a kernel; family->reason tells why there is no template. */
void kt_family_make(struct kt_family *family);
/* As JSON (docs/protocol.md, "rewrite"): the template, or NULL. */
cJSON *kt_family_json(struct kt_family *family, size_t region);

#define KT_REPEATED_DETAIL "iterations of one thread touch this element one after another, and their order matters"
/*
 * repeats.c: an access to an element that other iterations of the same thread touch, one of which writes it: their
 * order is lost where iterations are distributed in another way. NULL: there is none.
 */
const struct kt_tree *kt_rule_repeats(struct kt_family *family, const struct kt_loop *loop,
                                      const struct kt_effects *effects);
/*
 * The same file: is the index cut off, and nothing of what is cut off in it? A row and a column of i together are i
 * again.
 */
bool kt_rule_comes_back(const struct kt_loop *loop, const struct kt_poly *index);

#endif
