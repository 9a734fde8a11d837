/*
 * The passes of the generators, rules and IR (docs/ir.md): what `auto(…)` may name, what a recipe lists. The version of a pass grows with every change
 * that may give other text for the same kernel.
 */
#ifndef KT_BASE_PASSES_H
#define KT_BASE_PASSES_H

#include <stdint.h>

/* X(name, version), in the order of their names */
#define KT_PASSES(X) \
	X("bins", 1) \
	X("block_size", 5) \
	X("blocks", 6) \
	X("bounds", 1) \
	X("cache_hints", 1) \
	X("cluster", 1) \
	X("coarsen", 1) \
	X("combine", 6) \
	X("constants", 1) \
	X("divide", 1) \
	X("fast_math", 1) \
	X("fuse", 1) \
	X("geometry", 1) \
	X("hoist", 1) \
	X("items", 5) \
	X("items_y", 5) \
	X("items_z", 5) \
	X("launch_bounds", 1) \
	X("loop_unroll", 1) \
	X("loop_vector", 5) \
	X("narrow", 1) \
	X("parts", 2) \
	X("patch", 2) \
	X("privatize", 1) \
	X("product", 3) \
	X("read_only", 2) \
	X("restrict", 1) \
	X("row_cache", 1) \
	X("shuffle", 1) \
	X("stride", 9) \
	X("team", 5) \
	X("tile", 1) \
	X("unroll", 1) \
	X("unstage", 5) \
	X("vectorize", 3) \
	X("warp_row", 1)

/* The version of the pass of that name; 0: there is none. */
int64_t kt_pass_version(const char *name);

#endif
