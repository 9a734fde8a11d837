/*
 * Kernels whose warps have a row each, seen as launches of blocks whose rows along x are warps: thread.x is the lane,
 * and block.y * blockdim.y + thread.y is the number of the warp in the grid. So passes that know rows of warps know
 * these kernels, too.
 *
 * Two launches are seen so: blocks of one dimension, of which the kernel uses lanes (thread.x % 32) and numbers of
 * warps (thread.x / 32, maybe with block.x) alone; and blocks of (32, k) threads whose rows are counted along the
 * grid's x. The grid's y is z then.
 *
 * For modules in normal form of kernels whose block is known.
 */
#ifndef KT_IR_WARPS_H
#define KT_IR_WARPS_H

#include "generation/ir/ir.h"

enum { KT_IR_LANES = 32 };

/* Is the kernel seen so? block: of the launches in the source. */
bool kt_ir_is_of_warps(const struct kt_ir_module *module, const int64_t block[3]);
/* The block as it is seen. */
void kt_ir_block_of_warps(int64_t seen[3], const int64_t block[3]);

/* Rewrites the kernel for which that is true to the launch as it is seen; its normal form again. */
kt_status kt_ir_to_warps(struct kt_ir_module *module, const int64_t block[3], struct kt_error *err) KT_MUST_CHECK;
/* And back, whatever passes have made of it since, for launches with blocks of another number of whole warps, too. */
void kt_ir_from_warps(struct kt_ir_module *module, const int64_t block[3]);

#endif
