/*
 * Shared memory that only keeps what its block could compute again: each load from it becomes what the thread that stored
 * there computes, and the barriers around it go.
 *
 * For modules in normal form whose last function is a kernel.
 */
#ifndef KT_IR_UNSTAGE_H
#define KT_IR_UNSTAGE_H

#include "generation/ir/effect.h"

struct kt_ir_unstaged {
	/* What prevents it, in the user's file; NULL: nothing does. */
	const char *why;
	uint32_t line;
	/* Arguments whose buffers must not overlap: one is loaded from at another time than before, the other one is written. */
	struct kt_ir_apart apart;
};

/* False: not, and the module is of no use any more. block: threads of a block, 0: not known. */
bool kt_ir_unstage(struct kt_ir_unstaged *out, struct kt_arena *arena, struct kt_ir_module *module, const int64_t block[3]);

#endif
