/*
 * What the clause parsers share, for the pragma*.c files only: a cursor over
 * pieces of the pragma's text, and reporting.
 *
 * A kt_slice is a piece [at, end) of the text; reading moves `at`. Reading
 * functions report what is wrong themselves and then return false; running out
 * of memory returns false as well and is remembered in the reader.
 */
#ifndef KT_BASE_PRAGMA_READ_H
#define KT_BASE_PRAGMA_READ_H

#include "base/clause_parts.h"
#include "base/pragma.h"

struct kt_slice {
	size_t at, end;
};

/* A name whose meaning is checked when all clauses are read. */
enum kt_use_kind { KT_USE_VARIABLE, KT_USE_TOLERANCE, KT_USE_SPECIALIZE };
struct kt_use {
	enum kt_use_kind kind;
	const char *name;
	unsigned offset;
};

struct kt_reader {
	struct kt_arena *arena;
	char *text; /* the pragma, comments replaced by blanks */
	struct kt_pragma_constants constants;
	size_t size;
	struct kt_pragma *pragma;
	size_t problem_count;
	struct kt_pragma_problem *problems;
	size_t use_count;
	struct kt_use *uses;
	bool has_problem_clause;
	struct kt_clause_expr when; /* of the clause that is being read: the problems that it is for; absent: all */
	struct kt_clause_expr problem_weight; /* of weights in that clause (pragma_weight.h) */
	bool names_incomplete; /* a defining clause was wrong: unknown names are no news */
	bool out_of_memory;
};

/* A row of the clause table. */
struct kt_clause {
	const char *name;
	const char *canonical; /* the name that counts for "appears twice" */
	const char *usage;     /* shown as a hint */
	bool repeatable, bare; /* bare: may appear without "(…)" */
	void (*parse)(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
	int argument;          /* for parsers that serve several rows */
	enum kt_clause_part part; /* of the record: that part prints, reads and hashes what the clause states */
};

void kt_report(struct kt_reader *r, enum kt_severity severity, size_t at, size_t length, const char *hint,
               const char *format, ...) KT_PRINTF(6, 7);
/* Reports an error at the token that begins at `at`. */
void kt_report_token(struct kt_reader *r, size_t at, const char *hint, const char *format, ...) KT_PRINTF(4, 5);
/* kt_arena_push that remembers failure. */
void *kt_reader_push(struct kt_reader *r, void *items_pointer, size_t *count, size_t size);
/* As kt_reader_push, and an error at `at` when there are `limit` elements already. */
void *kt_reader_push_limited(struct kt_reader *r, void *items_pointer, size_t *count, size_t size, size_t limit,
                             size_t at, const char *what);
void kt_reader_use(struct kt_reader *r, enum kt_use_kind kind, const char *name, size_t at);

/* Replaces comments and NUL bytes in r->text by blanks. */
void kt_blank_comments(struct kt_reader *r);
/* The index after the character or the quoted text at `at`. */
size_t kt_step(const struct kt_reader *r, size_t at, size_t end);
/* Finds what closes the bracket at `open`: *close is its index. Else reports; *close is where to go on reading. */
bool kt_match(struct kt_reader *r, size_t open, size_t end, size_t *close);
struct kt_slice kt_trim(const struct kt_reader *r, struct kt_slice slice);
void kt_skip_blanks(const struct kt_reader *r, struct kt_slice *slice);
/* Does the slice, after blanks, start with c? Then moves past it. */
bool kt_accept(const struct kt_reader *r, struct kt_slice *slice, char c);
/* Does it start with a name and a single '='? Moves nothing. */
bool kt_at_assignment(const struct kt_reader *r, struct kt_slice slice);
/* Index of the first of the separators outside brackets and quotes; slice.end when there is none. */
size_t kt_find(const struct kt_reader *r, struct kt_slice slice, const char *separators);
/*
 * Takes the piece up to the next separator off the front of *rest, trimmed.
 * False when nothing is left; a separator at the very end leaves one empty piece.
 */
bool kt_take(const struct kt_reader *r, struct kt_slice *piece, struct kt_slice *rest, const char *separators,
             bool *more);

/* Length of the identifier at slice.at, 0 when there is none. */
size_t kt_name_length(const struct kt_reader *r, struct kt_slice slice);
/* An identifier that is not reserved; `what`: what it would name, for the message. */
bool kt_read_name(const char **name, struct kt_reader *r, struct kt_slice *slice, const char *what);
/*
 * As kt_read_name, and members after it: "p.size[2]", blanks left out. Of a buffer's name the last bracket is the
 * number of elements.
 */
bool kt_read_member(const char **name, struct kt_reader *r, struct kt_slice *slice, const char *what, bool is_buffer);
/* Reports unless nothing but blanks is left. */
bool kt_read_end(struct kt_reader *r, struct kt_slice *slice, const char *hint);
/* The whole slice as an expression. */
bool kt_read_expr(struct kt_clause_expr *out, struct kt_reader *r, struct kt_slice slice);
/* The whole slice as an expression without names. */
bool kt_read_constant(int64_t *out, struct kt_reader *r, struct kt_slice slice);
/* The whole slice as a number, true or false, or an expression; fills text, number, integral, integer, expr. */
bool kt_read_number(struct kt_pragma_value *out, struct kt_reader *r, struct kt_slice slice);
/* "1, 2, 1..8 step *2": constants and ranges, each value once. */
bool kt_read_values(int64_t **values, size_t *count, struct kt_reader *r, struct kt_slice slice, const char *name,
                    size_t limit);

/* Clause parsers (pragma_values.c, pragma_clauses.c). */
void kt_clause_problem(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_tune(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_name(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_kernel(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_instances(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_buffer(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_value(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_condition(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_extent(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_expression(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_auto(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_bind(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_tolerance(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_specialize(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);
void kt_clause_budget(struct kt_reader *r, struct kt_slice content, const struct kt_clause *row);

/* pragma_fill.c: what is after the ":" of a buffer. */
bool kt_read_fills(struct kt_pragma_buffer *buffer, struct kt_reader *r, struct kt_slice *slice);
/* Joins the clauses of one buffer that are for different problems. */
void kt_settle_when(struct kt_reader *r);
/* Gives buffers that are like others what those have, once all are read. */
void kt_settle_like(struct kt_reader *r);

/* "known here: a, b, c"; NULL: no memory. */
const char *kt_word_list(struct kt_arena *arena, const char *(*word)(size_t index));
/* The word closest to text[0, length) (base/nearest.h), or NULL when none is close. */
const char *kt_closest(const char *text, size_t length, const char *(*word)(size_t index));

/* What only shows when all clauses are read: names that clash or mean nothing, constants out of range. */
void kt_pragma_check(struct kt_reader *r);

#endif
