/*
 * Prints a module as CUDA C++. What is printed means what the IR means, whatever the module is called from: each conversion is
 * written, signed arithmetic that wraps goes through unsigned types, names are unique in their function and none is a
 * keyword or a name of the language's extensions.
 */
#ifndef KT_IR_CUDA_H
#define KT_IR_CUDA_H

#include "base/buf.h"
#include "generation/ir/ir.h"

struct kt_ir_cuda_options {
	const char *linkage;    /* in front of each function that is no kernel, such as "static "; NULL: nothing */
	const char *prefix;     /* in front of the names of functions that are no kernel; NULL: nothing */
	bool declares_types;    /* structures are declared in front; else they are names that are known where the text goes */
	bool declares_globals;  /* as well as global and constant symbols */
	bool inlines_lets;      /* what is used once is printed where it is used, else as a variable */
	/* Types of the last function's arguments as they are to be spelled ("const long *"); NULL: by the IR's types. */
	const char *const *argument_types;
	/* Names that no variable may have, such as macros; NULL: none. */
	bool (*is_taken)(const char *name, void *context);
	void *context;
	/*
	 * The place of an assertion is printed as `${ktune:place:L:F}` (base/template.h): this is F, the line in a unit with a slice of
	 * the file. NULL: as `__FILE__` and its line.
	 */
	uint32_t (*line_of_slice)(uint32_t line, void *context);
	/* Where the last function's head and body are appended; NULL: after the other functions. */
	struct kt_buf *head, *body;
};

/*
 * Appends the text. KT_ERR_INVALID, with the construct, where CUDA C++ has no words for one: a barrier over the grid, an atomic
 * that orders more than itself, a vector that is none of the toolkit's.
 */
kt_status kt_ir_print_cuda(struct kt_buf *out, const struct kt_ir_module *module,
			   const struct kt_ir_cuda_options *options, struct kt_error *err) KT_MUST_CHECK;

#endif
