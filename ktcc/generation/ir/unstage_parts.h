/*
 * Parts of unstage.h: where statements are (unstage_way.c), which thread stored what another one loads (unstage_owner.c, unstage_place.c,
 * unstage_branches.c), how that is computed (unstage_slice.c), and what barriers are for besides (unstage_order.c).
 */
#ifndef KT_IR_UNSTAGE_PARTS_H
#define KT_IR_UNSTAGE_PARTS_H

#include "generation/ir/bounds.h"
#include "generation/ir/uniform.h"
#include "generation/ir/unstage.h"
#include "generation/ir/walk.h"

enum { KT_IR_MOST_DEPTH = 24, KT_IR_MOST_UNKNOWNS = 12, KT_IR_MOST_NEEDED = 64, KT_IR_MOST_ASKED = 8, KT_IR_MOST_EQUATIONS = 16 };

/* Where a statement is: at[0] is in the kernel's own list lists[0], at[1] in a list lists[1] of at[0], … at[count − 1] is it. */
struct kt_ir_way {
	size_t count;
	const struct kt_ir_statement *at[KT_IR_MOST_DEPTH];
	const struct kt_ir_region *lists[KT_IR_MOST_DEPTH];
};

/* What is known of the kernel between two changes of it. */
struct kt_ir_unstaging {
	struct kt_ir_unstaged *out;
	struct kt_arena *arena;
	struct kt_ir_module *module;
	struct kt_ir_function *kernel;
	const int64_t *block;
	struct kt_ir_lets lets;
	struct kt_ir_uniformity uniformity;
	struct kt_ir_bounds bounds;
	size_t definition_count;
	const struct kt_ir_statement **definitions; /* by symbol id: the statement that defines it */
};

/* An index of the thread that stored, or the counter of a loop around the store alone. */
struct kt_ir_unknown {
	const struct kt_ir_value *atom;
	const struct kt_ir_statement *loop; /* NULL: an axis */
	kt_ir_wide extent;                  /* it is one of the numbers from 0 to extent − 1; 0: not known */
	/* A counter is start + step * number. */
	int64_t start, step;
	const struct kt_ir_value *value;    /* over what the load knows; NULL: not solved */
	/* Of an axis that is sought by its digits: quotient and remainder by the divisor are unknowns of these numbers. 0: it is not. */
	int64_t divisor;
	size_t digits;
};

/* In another iteration of a loop around both a symbol has the same value, or maybe another one. */
enum kt_ir_change { KT_IR_KEEPS = 1, KT_IR_CHANGES };

/* A load from shared memory beside a store to it that comes before. */
struct kt_ir_origin {
	struct kt_ir_unstaging *in;
	const struct kt_ir_statement *load, *store;
	struct kt_ir_way to_load, to_store;
	size_t shared; /* containers around both, in order */
	struct kt_ir_known known; /* at the load */
	unsigned char *changes;   /* by symbol id: enum kt_ir_change; 0: not asked yet */
	size_t unknown_count;
	struct kt_ir_unknown unknowns[KT_IR_MOST_UNKNOWNS];
	/* What must hold besides the conditions around the store. */
	size_t asked_count;
	const struct kt_ir_value *asked[KT_IR_MOST_ASKED];
	bool is_elsewhere; /* the two never are at one place */
	bool leaves; /* in an iteration without the store, what an earlier one stored may be left */
	/* Statements that lead to what is stored. */
	size_t needed_count;
	const struct kt_ir_statement *needed[KT_IR_MOST_NEEDED];
	struct kt_ir_cloner cloner;
};

/* A sum of the store is a sum of the load: their places, or a condition around the store. */
struct kt_ir_equation {
	struct kt_ir_form sum, is;
	bool is_solved, is_condition;
};

struct kt_ir_equations {
	size_t count;
	struct kt_ir_equation list[KT_IR_MOST_EQUATIONS];
};

/* Notes what prevents it; false. */
bool kt_ir_unstage_refuses(struct kt_ir_unstaging *in, const struct kt_ir_statement *at, const char *why);
/* Does the place lie in shared memory? */
bool kt_ir_is_shared(const struct kt_ir_place *place);
/* `if (c) { …; s[i] = a } else { …; s[i] = b }` becomes one store after both. False: out of memory. */
bool kt_ir_join_stores(struct kt_ir_unstaging *in);
/* The way to a statement of the region. False: it is not there, or too deep. */
bool kt_ir_way_to(struct kt_ir_way *way, const struct kt_ir_region *region, const struct kt_ir_statement *wanted);
/* Is the statement before the other one in their list? */
bool kt_ir_is_before(const struct kt_ir_statement *a, const struct kt_ir_statement *b);
/* Is the statement's list on the way to the load, with the statement before it, or the statement a container around both? */
bool kt_ir_is_in_sight(const struct kt_ir_origin *o, const struct kt_ir_statement *statement);
/* False: out of memory. */
bool kt_ir_note_definitions(struct kt_ir_unstaging *in);
/* The statement that defines the symbol (let, load, declare, for); NULL: none. */
const struct kt_ir_statement *kt_ir_definition(const struct kt_ir_unstaging *in, const struct kt_ir_symbol *symbol);
/* How many loops are around both? */
size_t kt_ir_loops_around(const struct kt_ir_origin *o);
/* May the value be another one in another iteration of a loop around both? */
bool kt_ir_varies(const struct kt_ir_origin *o, const struct kt_ir_value *value);

/* The unknown that is this value; NULL: it is none. */
struct kt_ir_unknown *kt_ir_unknown_of(struct kt_ir_origin *o, const struct kt_ir_value *atom);
/* Adds that both places are one element of the array. False: they are of two types, or have no numbers, which is noted. */
bool kt_ir_read_places(struct kt_ir_equations *all, struct kt_ir_origin *o);
/* Adds the conditions around the store that compare integers for equality. */
void kt_ir_read_conditions(struct kt_ir_equations *all, struct kt_ir_origin *o);

/* Adds digits of thread indices in the store's place to the unknowns. */
void kt_ir_add_digits(struct kt_ir_origin *o);
/* Writes a sum of the store over digits instead of indices that have some. False: too many terms, too large a factor. */
bool kt_ir_spread(struct kt_ir_form *form, struct kt_ir_origin *o);
/* Indices whose digits are solved are. */
void kt_ir_join_digits(struct kt_ir_origin *o);
/* The digit of an index that was solved, where the value is one; else the value. */
const struct kt_ir_value *kt_ir_owner_digit(struct kt_ir_origin *o, const struct kt_ir_value *v);

/*
 * Solves which thread, in which iteration of loops around the store alone, stored at the load's place. False: that is not known,
 * which is noted.
 */
bool kt_ir_find_owner(struct kt_ir_origin *o);

/* Is what is stored no product that could be contracted with a sum over what is loaded? False: that is noted. */
bool kt_ir_keeps_rounding(const struct kt_ir_origin *o);

/* Finds what leads to what is stored; false: it cannot be computed again, which is noted. */
bool kt_ir_find_needed(struct kt_ir_origin *o);
/*
 * Appends statements that set `result` to what is stored, and `done` (may be NULL) to true, where it is. *always: they do so
 * without a condition. False: out of memory.
 */
bool kt_ir_compute_again(struct kt_ir_origin *o, struct kt_ir_region *to, struct kt_ir_symbol *result,
			 struct kt_ir_symbol *done, bool *always);

/* Do barriers order nothing but what was in shared memory? False: that is noted. */
bool kt_ir_needs_no_barrier(struct kt_ir_unstaging *in);

#endif
