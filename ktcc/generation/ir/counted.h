/* Loops that count: what the passes of loops and of induction ask. */
#ifndef KT_IR_COUNTED_H
#define KT_IR_COUNTED_H

#include "generation/ir/ir.h"

/* Where a statement is, from the inside out: what runs after it. */
struct kt_ir_after {
	const struct kt_ir_after *outer; /* the statement around; NULL: the function's body */
	const struct kt_ir_statement *statement;
};

/* A loop as a for. */
struct kt_ir_counted {
	struct kt_ir_module *module;
	struct kt_ir_function *function;
	const struct kt_ir_statement *first;         /* of the list that the loop is in */
	struct kt_ir_symbol *variable, *counter;     /* the user's, and that of the for */
	struct kt_ir_statement *exit, *set;          /* the break-if, and the one set of the variable */
	const struct kt_ir_value *low, *high, *step; /* of one type; low reads the variable */
	bool is_down;
	bool is_rotated; /* the exit comes after each iteration, so that there is one at least */
	bool meets;      /* of a rotated one: its bound is above its start, or nothing is defined */
	bool is_live;    /* the variable is read after the loop */
	unsigned room;   /* lets that its bound and step may still be expanded by */
	size_t assumption_count;
	const struct kt_ir_value *assumptions[2];
};

/* Fills all but the counter. False: the loop does not count. Sets are after each iteration, and the exit is first or last. */
bool kt_ir_recognise(struct kt_ir_counted *counted, struct kt_ir_statement *loop, const struct kt_ir_after *at);

/* Does the loop change nothing that the value reads? */
bool kt_ir_is_invariant(const struct kt_ir_statement *loop, const struct kt_ir_value *value);
/* May the local's value be read after the statement before it is set again? */
bool kt_ir_is_live_after(const struct kt_ir_symbol *symbol, const struct kt_ir_after *at);

/* The amount by which a set moves its variable, of the variable's type: `v = v + amount`; NULL: it does something else.
 */
const struct kt_ir_value *kt_ir_moved_by(struct kt_ir_module *module, const struct kt_ir_statement *set, bool *wraps);

#endif
