/* Neighbouring accesses as one of a vector. */
#ifndef KT_IR_VECTOR_H
#define KT_IR_VECTOR_H

#include "generation/ir/ir.h"

/* Where conditions of memory may be asked once: in front of the loop that the branch is in. */
struct kt_ir_ahead {
	const struct kt_ir_statement *loop;
	struct kt_ir_statement *aligned; /* a let in front of it, which gets the conditions besides */
};

/*
 * Loads and stores of the branch that follow each other, go through one argument to neighbouring elements, and begin at
 * a multiple of 2 or 4 elements, become loads and stores of vectors of up to 16 bytes. Vectors need aligned pointers:
 * the branch's condition asks for that besides, so its other branch must compute the same. Where none begins at a multiple by
 * its form, as in rows of any length, those that lie like the first one do, and the condition asks where they begin. Conditions
 * that are the same in every iteration of the loop go to `ahead`, whose let the branch must be under; NULL: there is no loop. True: something
 * changed.
 */
bool kt_ir_vectorize(struct kt_ir_module *module, const struct kt_ir_function *kernel, struct kt_ir_statement *branch,
		     const struct kt_ir_ahead *ahead);

#endif
