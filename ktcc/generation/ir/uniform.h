/* Which values are the same for which threads, and which locals a loop reduces. For modules in normal form, of one
 * kernel. */
#ifndef KT_IR_UNIFORM_H
#define KT_IR_UNIFORM_H

#include "generation/ir/form.h"

/* The widest group of threads that have the same value wherever they evaluate it in the same iteration. */
enum kt_ir_sharing { KT_IR_SAME_IN_GRID, KT_IR_SAME_IN_BLOCK, KT_IR_OF_THREAD };

struct kt_ir_uniformity {
	const struct kt_ir_function *kernel;
	bool in_row; /* of threads that differ along x alone: "in the block" means in such a row of it */
	size_t count;
	unsigned char *of; /* enum kt_ir_sharing by symbol id */
};

/* False: out of memory. */
bool kt_ir_uniformity_of(struct kt_ir_uniformity *uniformity, struct kt_arena *arena, const struct kt_ir_module *module,
			 const struct kt_ir_function *kernel);
/* The same for rows of blocks. */
bool kt_ir_uniformity_of_rows(struct kt_ir_uniformity *uniformity, struct kt_arena *arena,
			      const struct kt_ir_module *module, const struct kt_ir_function *kernel);
enum kt_ir_sharing kt_ir_sharing_of(const struct kt_ir_uniformity *uniformity, const struct kt_ir_value *value);

/*
 * A barrier of a block that some of its threads might pass by, or a barrier or collective of a warp that some of the warp's
 * might; NULL: there is none. block: of the launches; 0: not known. Such kernels may still end well on a device, where
 * threads that have ended are not waited for, but not with a further barrier at their end.
 */
const struct kt_ir_statement *kt_ir_split_barrier(const struct kt_ir_uniformity *uniformity, const struct kt_ir_lets *lets,
						  const int64_t *block);

/* How a loop updates a local that lives outside of it: `v = v op e`, with one op, and by nothing else; `v - e` and `fma(a, b, v)` add. */
struct kt_ir_reduction {
	enum kt_ir_op op;     /* ADD, MUL, AND, OR, XOR; INTRINSIC: the function of the toolkit that is a minimum or maximum */
	const char *function; /* its name; of a selection by comparison the one that means the same */
	unsigned updates;     /* sets of the local */
	unsigned reads;       /* of the local, all of them by the updates */
	bool needs_number;    /* a selection by comparison means it only where the local begins with a number (extreme.h) */
};

/* Is the local updated so in the loop, and read by nothing else there? */
bool kt_ir_is_reduction(struct kt_ir_reduction *reduction, const struct kt_ir_statement *loop,
			const struct kt_ir_symbol *symbol);

#endif
