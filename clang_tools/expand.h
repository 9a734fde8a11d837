/*
 * C++ integer expressions at a launch, written in the expression language:
 * macros, constant-like locals and one-line functions are replaced by their
 * text, casts go, names become parameters, problem variables and arguments.
 */
#ifndef KT_CLANG_EXPAND_H
#define KT_CLANG_EXPAND_H

#include "unit.h"

#define KT_EXPAND_DEPTH 24

/* A name that stands for another text (a macro's or function's parameter, an argument of the launch). */
struct kt_rename {
	const char *name, *text;
};

struct kt_expand {
	struct kt_scan *scan;
	struct kt_found *found;
	uint32_t at;                    /* offset of the launch: what is visible there */
	const struct kt_rename *renames; /* launch arguments that are one name → the kernel's argument */
	size_t rename_count;
	struct kt_range *used;          /* initialisers that were put in: ranges of the main file */
	size_t used_count;
};

/* Appends text in the expression language; false when it has no such form. */
bool kt_expand(struct kt_buf *out, struct kt_expand *x, const char *text, int depth);
/* The up to three extents of a dim3 expression as texts in the source's language; 0: unreadable. */
size_t kt_expand_dims(const char *dims[3], struct kt_expand *x, const char *text, int depth);

#endif
