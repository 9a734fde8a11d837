/*
 * The normal form (docs/ir.md): what a kernel computes in one shape, however it was written. Passes of one table, run
 * until none changes anything; each is sound alone, and each statement keeps its origin.
 */
#ifndef KT_IR_NORMAL_H
#define KT_IR_NORMAL_H

#include "generation/ir/ir.h"

struct kt_ir_normal {
	struct kt_ir_module *module;
	const int64_t *block; /* threads of a block, where they are known (0: not); NULL: none is */
};

struct kt_ir_normal_pass {
	const char *name;
	/* Changes the function. True: something changed. A failure is the module's. */
	bool (*run)(struct kt_ir_normal *normal, struct kt_ir_function *function);
};

enum kt_ir_normal_number {
#define KT_IR_NORMAL(id, name) KT_IR_N_##id,
#include "generation/ir/normal.def"
	KT_IR_NORMAL_PASSES,
};
extern const struct kt_ir_normal_pass kt_ir_normal_passes[KT_IR_NORMAL_PASSES];

/* Brings all functions of a verified module into normal form. KT_ERR_INVALID: out of memory, or a pass's mistake. */
kt_status kt_ir_normalise(struct kt_ir_module *module, const int64_t *block, struct kt_error *err) KT_MUST_CHECK;

/* One pass alone, once. True: something changed. */
bool kt_ir_normalise_by(struct kt_ir_module *module, enum kt_ir_normal_number pass, const int64_t *block);

/* Loops of the last function that count down from an argument count up from zero. */
void kt_ir_count_up(struct kt_ir_module *module);
/* Global indices in sums whose parts are in any lets, of the last function. True: something changed. */
bool kt_ir_join_axes(struct kt_ir_module *module, const int64_t *block);

/* A node after constant folding of its operands; itself where nothing is known. */
const struct kt_ir_value *kt_ir_folded(struct kt_ir_module *module, const struct kt_ir_value *value);
/* The whole tree after constant folding. */
const struct kt_ir_value *kt_ir_fold_all(struct kt_ir_module *module, const struct kt_ir_value *value);
/* The opposite of a condition. */
const struct kt_ir_value *kt_ir_opposite(struct kt_ir_module *module, const struct kt_ir_value *condition);

#endif
