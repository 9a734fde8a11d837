/*
 * Dimensions y and z in which the original launch has one block, or its blocks one thread: axes are constants there.
 * So the rank of a thread in its block or in the grid, which is over three dimensions, is an index along x.
 */
#include <string.h>

#include "generation/ir/pass.h"
#include "generation/ir/walk.h"

struct flat {
	struct kt_ir_module *module;
	const struct kt_ir_facts *facts;
};

static bool is_one(const char *extent)
{
	return extent == NULL || strcmp(extent, "1") == 0;
}

static const struct kt_ir_value *constant_axis(const struct kt_ir_value *v, void *context)
{
	const struct flat *flat = context;
	const bool of_block = v->axis == KT_IR_THREAD || v->axis == KT_IR_BLOCK_DIM;
	const bool of_grid = v->axis == KT_IR_BLOCK || v->axis == KT_IR_GRID_DIM;

	if (v->op != KT_IR_AXIS || v->dimension == 0 || !(of_block || of_grid))
		return v;
	if (of_block ? flat->facts->block[v->dimension] != 1 : !is_one(flat->facts->grid[v->dimension]))
		return v;
	return kt_ir_constant(flat->module, v->type, v->axis == KT_IR_BLOCK_DIM || v->axis == KT_IR_GRID_DIM);
}

void kt_ir_flatten(struct kt_ir_module *module, const struct kt_ir_facts *written)
{
	struct flat flat = {module, written};

	for (struct kt_ir_function *f = module->functions; f != NULL && !module->failed; f = f->next)
		if (f->has_body)
			(void)kt_ir_rewrite_region(module, &f->body, constant_axis, &flat);
}
