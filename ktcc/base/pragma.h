/*
 * The pragma language: one `#pragma ktune` line (continuations joined) into a
 * record. Only what the text itself can show is checked here (grammar, value
 * lists, names a clause defines); ktcc-clang, which has the signature, checks
 * whether a name is a parameter of the kernel.
 *
 * The grammar in EBNF is docs/pragma.md.
 */
#ifndef KT_BASE_PRAGMA_H
#define KT_BASE_PRAGMA_H

#include "base/expr.h"

#define KT_PROBLEM_VARIABLES 16   /* most problem variables of a region */
#define KT_PROBLEMS 4096          /* most problems after the cross product */
#define KT_PARAMETERS 64          /* most tunable parameters of a region */
#define KT_PARAMETER_VALUES 65536 /* most values of one parameter */
#define KT_CLAUSE_ITEMS 256       /* most buffers, values, restrictions, … of a region, each */
#define KT_PRAGMA_NAME_BYTES 128  /* longest name */
#define KT_PRAGMA_PROBLEMS 100    /* after this number of mistakes reading stops */

/*
 * Clauses that are one expression: X(clause, member of the records, usage). A row is all that such a clause needs:
 * it is parsed, checked, printed by scan, read, and part of the keys. A test adds one
 * (tests/unit/base/test_clause_parts.c).
 */
#ifndef KT_TEST_CLAUSES
#define KT_TEST_CLAUSES(X)
#endif
#define KT_CLAUSE_EXPRESSIONS(X) \
	X(smem, shared_bytes, "write smem(bytes)") \
	X(bytes, bytes, "write bytes(expression)") \
	X(flops, flops, "write flops(expression)") \
	X(weight, weight, "write weight(rows == 16 ? 10 : 1)") \
	KT_TEST_CLAUSES(X)

/* The place of a clause or of a part of it: offset into the pragma's joined text. */
struct kt_clause_expr {
	const char *text;      /* the user's, blanks trimmed */
	unsigned offset;       /* of text[0]; offsets inside expr count from there */
	struct kt_expr *expr;  /* NULL where the clause is absent */
};

enum kt_direction { KT_IN = 1, KT_OUT = 2, KT_INOUT = 3, KT_SCRATCH = 4, KT_DIRECTIONS };
/* The clause: "in", "out", "inout", "scratch"; of 0 "". */
extern const char *const kt_direction_names[KT_DIRECTIONS];

/* Fills and their names, in clauses, records and requests to the runner. runtime/kernels.cu numbers them alike. */
#define KT_CLAUSE_FILLS(X) \
	X(DEFAULT, "default") X(UNIFORM, "uniform") X(NORMAL, "normal") X(IOTA, "iota") X(ZEROS, "zeros") \
	X(RANGE, "range") X(PERMUTATION, "permutation") X(UNIQUE, "unique") X(SORTED, "sorted") \
	X(OFFSETS, "offsets") X(MASK, "mask") X(CHOICE, "choice") X(FILE, "file")
/* Of checks; no clause names them. */
#define KT_CHECK_FILLS(X) \
	X(CONSTANT, "constant") X(SPARSE, "sparse") X(LARGE, "large") X(DENORMAL, "denormal") X(SPECIAL, "special")

enum kt_fill_kind {
#define KIND(id, name) KT_FILL_##id,
	KT_CLAUSE_FILLS(KIND) KT_CHECK_FILLS(KIND) KT_FILLS,
#undef KIND
	KT_FILL_CLAUSES = KT_FILL_CONSTANT /* how many a clause can name */
};
extern const char *const kt_fill_names[KT_FILLS];
#define KT_FILL_NUMBERS 16 /* most numbers of a fill */
struct kt_fill {
	enum kt_fill_kind kind;
	/* uniform, sorted: bounds; normal: mean, deviation; range, unique: integer bounds, both included; offsets: mean; mask: how
	 * likely 1 is; choice: the first two of its numbers */
	double a, b;
	size_t count;                     /* choice: its numbers, at least 1; else 0 */
	double more[KT_FILL_NUMBERS - 2]; /* choice: those after b */
};
/* A number of a fill: 0 is a, 1 is b. */
double kt_fill_number(const struct kt_fill *fill, size_t index);
void kt_fill_set(struct kt_fill *fill, size_t index, double number);

/* Is the order or the range of the elements a promise, so that checks keep it? Other fills are samples. */
bool kt_fill_is_promise(enum kt_fill_kind kind);

/* What is wrong with its numbers: "the lower bound is above the upper one"; NULL: nothing. */
const char *kt_fill_mistake(const struct kt_fill *fill);

/* What a member of the elements of a buffer is filled with, where they are structures or vectors. */
struct kt_member_fill {
	const char *member; /* "from", "at.x", "q": all numbers below the name */
	unsigned offset;
	struct kt_fill fill;
	struct kt_clause_expr bounds[KT_FILL_NUMBERS]; /* as in kt_pragma_buffer */
};

struct kt_pragma_buffer {
	const char *name;
	unsigned offset;
	enum kt_direction direction;
	struct kt_clause_expr count; /* elements */
	struct kt_fill fill;
	/* Of the fill: an expression in the place of that number (kt_fill_number); absent: the number. */
	struct kt_clause_expr bounds[KT_FILL_NUMBERS];
	const char *like; /* another buffer, whose fill, bounds and members these are, with the same elements; NULL: none */
	unsigned like_offset;
	struct kt_clause_expr when;         /* on which problems it has this fill; absent: all */
	struct kt_pragma_buffer *otherwise; /* with `when`: what it holds on the others; only fills differ */
	const char *file; /* KT_FILL_FILE: the path of a NumPy file in the clause; else NULL */
	unsigned file_offset;
	const char *type;                /* of the elements of a pointer to void, in the user's spelling; NULL: none */
	unsigned type_offset;
	size_t member_count;             /* members that have a separate fill; `fill` is that of the others */
	struct kt_member_fill *members;
};

struct kt_pragma_value {
	const char *name;
	unsigned offset;
	const char *text;  /* the user's: "1e-6f", "-3", "true", "2 * d" */
	double number;
	bool integral;
	int64_t integer;
	struct kt_clause_expr expr; /* names others: `integral`, and the numbers are 0; absent: a number */
	size_t place, places; /* of a list {1, 2}: which of how many; places 0: none */
};

struct kt_pragma_tune {
	const char *name;
	unsigned offset;
	size_t count;
	int64_t *values; /* in the order given, no value twice */
};

/* "float", "<float, 128>": instances of a kernel template whose first arguments these are. */
struct kt_pragma_instance {
	const char *text;
	unsigned offset;
	size_t count;
	const char **arguments;
};

/* "d in 64..8192 step 8" */
struct kt_pragma_bound {
	const char *name;
	unsigned offset;
	int64_t least, most, step;
};

struct kt_pragma_bind {
	const char *name;
	unsigned offset;
	const char *text; /* a C++ expression of the launch's scope, in the user's spelling */
};

struct kt_pragma_tolerance {
	const char *buffer; /* NULL: all buffers */
	double absolute, relative; /* negative: the default of the element type */
};

enum kt_generation { KT_AUTO_DEFAULT, KT_AUTO_OFF, KT_AUTO_ALL, KT_AUTO_LIST };

struct kt_pragma {
	const char *name; /* NULL: the kernel's */
	unsigned name_offset;
	const char *kernel; /* "ns::name", whose pragma this is wherever it is; NULL: the one below the pragma */
	unsigned kernel_offset;
	size_t instance_count; /* 0: all instances */
	struct kt_pragma_instance *instances;
	const char *reference; /* a host function that computes the outputs; NULL: none */
	unsigned reference_offset;
	size_t variable_count, problem_count;
	const char **variables;
	/* problem_count rows of variable_count values, cross product of the groups in the order written */
	int64_t *problems;
	size_t bound_count;
	struct kt_pragma_bound *bounds; /* each is one of the guards too */
	size_t buffer_count;
	struct kt_pragma_buffer *buffers; /* in, out, inout; scratch is a fourth direction */
	size_t value_count;
	struct kt_pragma_value *values;
	size_t tune_count;
	struct kt_pragma_tune *tunes;
	size_t restriction_count;
	struct kt_clause_expr *restrictions;
	size_t guard_count;
	struct kt_clause_expr *guards;
	size_t grid_count, block_count; /* 0: clause absent; else 1 to 3 */
	bool grid_is_global; /* the clause is spelled `global`: work-items in OpenCL */
	struct kt_clause_expr grid[3], block[3];
	enum kt_generation generation;
	size_t strategy_count;
	const char **strategies;
	size_t bind_count;
	struct kt_pragma_bind *binds;
	size_t tolerance_count;
	struct kt_pragma_tolerance *tolerances;
	bool specialize_off;
	size_t specialize_count;
	const char **specialize;
#define FIELD(clause, member, usage) struct kt_clause_expr member;
	KT_CLAUSE_EXPRESSIONS(FIELD)
#undef FIELD
	double budget_seconds; /* negative: not given */
	int64_t budget_trials; /* negative: not given */
	bool names_incomplete; /* a clause that may define names was wrong: unknown names are no news */
};

enum kt_severity { KT_ERROR, KT_WARNING, KT_NOTE };

/* What is wrong, where, and what to write instead (hint may be NULL). */
struct kt_pragma_problem {
	enum kt_severity severity;
	unsigned offset, length;
	const char *message, *hint;
};

/* Names that are numbers in the source: `problem(n = SIZE)`. */
struct kt_pragma_constants {
	kt_expr_lookup find;  /* NULL: there are none */
	kt_expr_lookup alone; /* of a name that is a number's whole text; not NULL where find is not */
	void *context;
};

/*
 * Parses the clauses after "#pragma ktune". `text` is the joined line (each
 * backslash-newline replaced by two blanks, so that offsets map back); comments
 * are blanks. Everything is allocated in arena. Mistakes go to *problems, all
 * of them, each clause read on its own; *out is filled with what was right.
 * Fails only when out of memory. constants: what names in the place of numbers are; NULL: mistakes.
 */
kt_status kt_pragma_parse(struct kt_pragma **out, struct kt_pragma_problem **problems, size_t *problem_count,
                          struct kt_arena *arena, const char *text, size_t length,
                          const struct kt_pragma_constants *constants, struct kt_error *err)
    KT_MUST_CHECK;

#endif
