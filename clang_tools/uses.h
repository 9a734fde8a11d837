/* The places of the names that depend on a tunable parameter. */
#ifndef KT_CLANG_USES_H
#define KT_CLANG_USES_H

#include "unit.h"

/* A parameter of the region in the making. */
struct kt_tuned {
	struct kt_parameter *parameter;
	CXCursor constant;       /* canonical, of a constant */
	uint32_t declared;       /* offset of a local constant's own name; UINT32_MAX: elsewhere */
	struct kt_range definition; /* in the main file: where mentions are no use */
	const bool *macros;      /* per macro: its body leads to the name */
};

/* Is this token of the main file a use of the parameter itself? */
bool kt_uses_parameter(const struct kt_scan *scan, const struct kt_tuned *t, const struct kt_text *text, size_t token);
/* Is it the name of a macro whose body leads to the parameter? */
bool kt_uses_macro(const struct kt_scan *scan, const struct kt_tuned *t, const struct kt_text *text, size_t token);
/* Marks the macros whose bodies lead to the parameter. */
kt_status kt_uses_find_macros(struct kt_scan *scan, struct kt_tuned *t, struct kt_error *err) KT_MUST_CHECK;

/* Calls visit for each name in a range of the main file; pragmas are read, other directives only on demand. */
typedef void (*kt_use_visit)(void *context, const struct kt_text *text, size_t token, const char *directive);
void kt_uses_each(struct kt_scan *scan, size_t file, struct kt_range range, kt_use_visit visit, void *context);
/* The same for uses of these names in the whole main file, in the order of the text. */
void kt_uses_of(struct kt_scan *scan, const char *const *names, size_t count, kt_use_visit visit, void *context);

#endif
