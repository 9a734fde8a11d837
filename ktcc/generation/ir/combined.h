/* Atomics that combine values of many threads in one place, which may be combined before. For kernels in normal form. */
#ifndef KT_IR_COMBINED_H
#define KT_IR_COMBINED_H

#include "generation/ir/form.h"
#include "generation/ir/pass.h"

enum { KT_IR_MOST_COMBINED = 4 };

/* Atomics of one operation on one place, which is the same for all threads of a block wherever it is evaluated. */
struct kt_ir_combined {
	const struct kt_ir_statement *first;
	const struct kt_ir_place *place; /* over arguments, blocks and the extents of the launch alone */
	const struct kt_ir_type *type;
};

struct kt_ir_combination {
	size_t count;
	struct kt_ir_combined groups[KT_IR_MOST_COMBINED];
};

/*
 * Finds the groups, whose results are not used, and which more than one thread of a block executes. NULL where there is one at
 * least, and it makes no difference when in the kernel its atomics take place; else what prevents it, and where. The module
 * gets its own values and places, and is not changed otherwise.
 */
const char *kt_ir_why_not_combined(struct kt_ir_combination *combination, uint32_t *line, struct kt_ir_module *module,
				   const struct kt_ir_lets *lets);
/* Is the atomic of this group? */
bool kt_ir_is_combined(const struct kt_ir_combined *group, struct kt_ir_module *module, const struct kt_ir_lets *lets,
		       const struct kt_ir_statement *statement);

#endif
