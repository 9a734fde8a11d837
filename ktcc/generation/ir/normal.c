/* The table of the normal form's passes, and the order in which they run. */
#include "generation/ir/normal.h"

#define KT_IR_NORMAL(id, name) bool kt_ir_normal_##name(struct kt_ir_normal *normal, struct kt_ir_function *function);
#include "generation/ir/normal.def"

const struct kt_ir_normal_pass kt_ir_normal_passes[KT_IR_NORMAL_PASSES] = {
#define KT_IR_NORMAL(id, name) {#name, kt_ir_normal_##name},
#include "generation/ir/normal.def"
};

/* Each round that changes something makes the program simpler; far more than any kernel takes. */
enum { MOST_ROUNDS = 64 };

bool kt_ir_normalise_by(struct kt_ir_module *module, enum kt_ir_normal_number pass, const int64_t *block)
{
	struct kt_ir_normal normal = {module, block};
	bool changed = false;

	for (struct kt_ir_function *f = module->functions; f != NULL && !module->failed; f = f->next)
		if (f->has_body)
			changed |= kt_ir_normal_passes[pass].run(&normal, f);
	return changed;
}

kt_status kt_ir_normalise(struct kt_ir_module *module, const int64_t *block, struct kt_error *err)
{
	bool changed = true;

	for (int round = 0; changed && round < MOST_ROUNDS && !module->failed; round++) {
		changed = false;
		for (int pass = 0; pass < KT_IR_NORMAL_PASSES; pass++)
			changed |= kt_ir_normalise_by(module, (enum kt_ir_normal_number)pass, block);
	}
	if (changed && !module->failed)
		(void)kt_ir_fail(module, "the passes of the normal form do not end");
	return kt_ir_verify(module, false, err);
}
