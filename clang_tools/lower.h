/*
 * The front of the kernel IR (docs/ir.md, "Raw IR and the front"): lowers kernel instances from libclang's tree. One
 * contract for each kind of cursor; what is not understood becomes an opaque statement, never a guess.
 */
#ifndef KT_CLANG_LOWER_H
#define KT_CLANG_LOWER_H

#include "generation/ir/ir.h"
#include "unit.h"

/* One instance of a kernel, lowered. */
struct kt_lowered {
	const char *name;            /* of the kernel */
	const char *symbol;          /* mangled */
	size_t region;               /* of the scan's; of one that no region is about: their count */
	struct kt_ir_module *module; /* verified; the kernel is its last function */
	size_t opaque_count;         /* statements that were not understood, in all of its functions */
	const char *why;             /* the first of them: "line N: …"; NULL: none */
	const char **uses;           /* variables that it names, of namespaces: "a::b" */
	size_t use_count;
	/* Structures of the module by name, and what C++ calls them: "ops::pair<float>". */
	struct kt_lowered_class {
		const char *name, *spelling;
		bool is_constructed, is_private; /* one of its members is */
	} * classes;
	size_t class_count;
};

/*
 * Lowers the instances of the scan's regions, or with all every instance of every kernel that the file defines. What is
 * returned is allocated in the scan's arena.
 */
kt_status kt_lower_scan(struct kt_lowered **out, size_t *count, struct kt_scan *scan, bool all,
			struct kt_error *err) KT_MUST_CHECK;

/* Appends all of them as IR text; as CUDA C++, each in a separate namespace, for the end of the file. */
void kt_lower_print(struct kt_buf *out, const struct kt_lowered *list, size_t count);
kt_status kt_lower_print_cuda(struct kt_buf *out, const struct kt_lowered *list, size_t count,
			      struct kt_error *err) KT_MUST_CHECK;

#endif
