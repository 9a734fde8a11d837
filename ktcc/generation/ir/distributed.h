/*
 * Loops whose iterations are distributed over the threads of a block or of the grid: `for (i = thread; i < n; i += threads)`,
 * however it was written. For kernels in normal form.
 */
#ifndef KT_IR_DISTRIBUTED_H
#define KT_IR_DISTRIBUTED_H

#include "generation/ir/form.h"
#include "generation/ir/pass.h"

enum kt_ir_over {
	KT_IR_OVER_NOTHING, /* it is not distributed */
	KT_IR_OVER_BLOCK,   /* from thread.x in steps of blockdim.x */
	KT_IR_OVER_GRID,    /* from the global index in steps of the threads of the grid */
};

/*
 * Over which threads of dimension 0 the iterations of the statement are distributed. *offset: what its first index is above that
 * of its thread. block: threads of a block, with which a step may be written; 0: not known.
 */
enum kt_ir_over kt_ir_distributed_over(int64_t *offset, const struct kt_ir_statement *statement,
				       const struct kt_ir_lets *lets, int64_t block);

/*
 * Loops over chunks of as many elements as a block has threads, of which each thread has one, become distributed loops over the block (0: not known).
 * They run as often for the same indices where the bound times the block's size does not wrap. False: out of memory.
 */
bool kt_ir_join_chunks(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t block);

/*
 * Where each thread of the launched block (0: not known) has one element, and totals over them follow: distributed loops over the
 * block, with the totals between them. Other kernels stay. False: out of memory.
 */
bool kt_ir_loop_elements(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t block);

/* Is the condition true for thread 0 of the first dimension alone? */
bool kt_ir_is_first_thread(const struct kt_ir_value *condition, const struct kt_ir_lets *lets);

/* What is known about a kernel all of whose work is in such loops. */
struct kt_ir_distribution {
	enum kt_ir_over over; /* all of them alike */
	size_t count;
	const struct kt_ir_statement **loops; /* in order; none is in another one */
};

/*
 * NULL: which thread has which iteration changes nothing but the order of atomics and the order in which a recognised sum is
 * formed, for any number of threads: no iteration depends on another one, nor on what its thread is, and nothing but loops
 * changes memory, and the first thread of a block what it has from totals (cooperate.h). Else what prevents it, and where. Buffers that must not overlap for that are asked for by guards, unless
 * `unless`, a condition over parameters, holds; they are added to the offer even where there is an answer.
 */
const char *kt_ir_why_bound_to_threads(struct kt_ir_distribution *distribution, uint32_t *line, struct kt_ir_offer *offer,
				       const struct kt_ir_module *module, const struct kt_ir_lets *lets,
				       const char *unless);

#endif
