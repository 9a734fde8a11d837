/* What the pointers of a module lead to: an argument of the kernel, memory of a thread or block, or what is not known. */
#ifndef KT_GENERATION_IR_ROOTS_H
#define KT_GENERATION_IR_ROOTS_H

#include "generation/ir/ir.h"

struct kt_ir_roots;

enum {
	KT_IR_ROOT_NONE = -1,    /* no pointer is put there */
	KT_IR_ROOT_PRIVATE = -2, /* local and shared memory */
	KT_IR_ROOT_UNKNOWN = -3, /* anything, or several */
};

/*
 * Of the kernel and all functions of its module, over every value that a pointer is given anywhere: the order of statements does not
 * matter. NULL: out of memory.
 */
struct kt_ir_roots *kt_ir_roots_find(const struct kt_ir_module *module, const struct kt_ir_function *kernel);
/* The number of the kernel's argument that the place is reached through, or one of the above; of a device variable, that is unknown. */
int kt_ir_roots_place(const struct kt_ir_roots *roots, const struct kt_ir_place *place);

#endif
