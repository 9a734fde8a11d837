/*
 * What threads of a block do together, by meaning: pieces of a kernel in which they exchange values through shared memory
 * and shuffles are run on terms for the launched block (symbolic.h). Where everything that is used of a piece is made of
 * totals over the block and of what each thread has itself, the piece becomes these totals (KT_IR_TOTAL_ADD …).
 *
 * Sound where the kernel has no races, as the IR assumes (docs/ir.md): then the order in which threads run changes nothing,
 * and one order is followed. A sum is formed in another order, which is legal for sums over threads alone.
 */
#ifndef KT_IR_COOPERATE_H
#define KT_IR_COOPERATE_H

#include "generation/ir/ir.h"

/*
 * How many threads exchange values where the block has these extents (0: not known): all of a block of one dimension, or the
 * warp that a row along x is; 0: neither.
 */
int64_t kt_ir_cooperating(const int64_t block[3]);

/*
 * Replaces the pieces of a kernel in normal form, for such a block; totals are over the threads that exchange values. NULL: all of them, so that
 * no shared memory, barrier or collective but totals is left; there was nothing to replace counts as well. Else what
 * prevents it, and where; the module may have changed, and is not to be used then.
 */
const char *kt_ir_cooperate(uint32_t *line, struct kt_ir_module *module, struct kt_ir_function *kernel, const int64_t block[3]);

/*
 * Replaces each total by shuffles within warps and one exchange through shared memory, for blocks of `threads`, a multiple
 * of 32 up to 1024. The module's failure where there is no memory.
 */
void kt_ir_expand_totals(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t threads);

/* What a total of that number (KT_IR_TOTAL_ADD …) makes of two values. NULL: out of memory. */
const struct kt_ir_value *kt_ir_total_step(struct kt_ir_module *module, unsigned total, const struct kt_ir_value *a,
					   const struct kt_ir_value *b);

/* Does the region have totals? */
bool kt_ir_has_totals(const struct kt_ir_region *region);

#endif
