/*
 * Names of kernels and variables as compilers mangle them (Itanium C++ ABI), in one form: what depends on the path
 * of the source, on the compiler (nvcc or clang) and on relocatable device code is taken out.
 */
#ifndef KT_BASE_SYMBOL_H
#define KT_BASE_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"

/*
 * Appends a text in which unnamed namespaces ("36_GLOBAL__N__6a1b3b9f_4_a_cu_0aeb4af4", clang's "12_GLOBAL__N_1"),
 * "_INTERNAL_…" and "__nv_static_…" are without the hashes, the file name and the lengths that count them.
 */
void kt_symbol_unify(struct kt_buf *out, const char *text, size_t size);
/* The one form of a kernel's name, in arena; NULL: out of memory. */
const char *kt_symbol_normal(struct kt_arena *arena, const char *name);
/*
 * The one form of a variable's name: of nvcc's and clang's for the same variable of device memory. As
 * kt_symbol_normal.
 */
const char *kt_symbol_variable(struct kt_arena *arena, const char *name);

/* What is known of a kernel that is looked for among the functions that a compiler made. */
struct kt_symbol_wanted {
	const char *symbol;    /* as a compiler mangles it, in any form; NULL: not known */
	const char *qualified; /* "ops::silu_and_mul" */
	bool is_extern_c, in_anonymous;
	/*
	 * Of an instance of a template: "__half", "128", with the types of its parameters ("int"; NULL: a type itself).
	 * arguments NULL: they are not known.
	 */
	size_t argument_count;
	const char *const *arguments, *const *types;
};
/*
 * The index of the name that is the kernel; count when none is, or when several could be. The symbol decides; where
 * it is not known, or none of the names has it, the namespaces, the name and the template arguments do.
 */
size_t kt_symbol_find(const char *const *names, size_t count, const struct kt_symbol_wanted *wanted);

#endif
