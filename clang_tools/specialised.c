/* Explicit specialisations of kernel templates that are regions: plain kernels by another name. */
#include "deduce.h"
#include "unit.h"

struct names {
	struct kt_scan *scan;
	const char **items;
	size_t count;
};

static enum CXChildVisitResult add_name(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct names *n = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	(void)parent;
	if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter &&
	    kind != CXCursor_TemplateTemplateParameter)
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(n->scan->arena, kt_clang.getCursorSpelling(cursor));
	n->scan->failed = !kt_arena_push_text(n->scan->arena, &n->items, &n->count, name) || n->scan->failed;
	return n->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

static const char *parameter_type(struct kt_scan *scan, CXCursor function, unsigned i)
{
	CXType type = kt_clang.getArgType(kt_clang.getCursorType(function), i);
	return kt_clang_text(scan->arena, kt_clang.getTypeSpelling(type));
}

bool kt_specialised_is_deduced(struct kt_scan *scan, CXCursor kernel)
{
	CXCursor primary = kt_clang.getSpecializedCursorTemplate(kernel);
	struct names names = {scan, NULL, 0};
	if (kt_clang.Cursor_isNull(primary) != 0)
		return true;
	kt_clang.visitChildren(primary, add_name, &names);
	const char **values = kt_arena_array(scan->arena, names.count + 1, sizeof *values);
	const int count = kt_clang.getNumArgTypes(kt_clang.getCursorType(kernel));
	scan->failed = scan->failed || values == NULL;
	for (int i = 0; !scan->failed && i < count; i++) {
		const char *pattern = parameter_type(scan, primary, (unsigned)i);
		const char *concrete = parameter_type(scan, kernel, (unsigned)i);
		if (pattern != NULL && concrete != NULL)
			(void)kt_deduce(scan, pattern, concrete, names.items, values, names.count);
	}
	for (size_t i = 0; i < names.count && !scan->failed; i++)
		if (values[i] == NULL)
			return false;
	return !scan->failed;
}
