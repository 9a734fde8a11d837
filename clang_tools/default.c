/* What a parameter of the project's function has where a call gives nothing. */
#include "expand.h"

struct parameter {
	struct kt_scan *scan;
	size_t left; /* parameters before it */
	CXCursor cursor;
};

static enum CXChildVisitResult find_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parameter *p = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl || p->left-- > 0)
		return CXChildVisit_Continue;
	p->cursor = cursor;
	return CXChildVisit_Break;
}

const char *kt_function_default(struct kt_scan *scan, size_t item, size_t index)
{
	const struct kt_item *function = &scan->items[item];
	const struct kt_text *text = kt_scan_text(scan, function->file);
	struct parameter p = {scan, index, kt_clang.getNullCursor()};
	size_t begin_file = SIZE_MAX, end_file = SIZE_MAX;
	kt_clang.visitChildren(function->cursor, find_parameter, &p);
	const CXSourceRange extent = kt_clang.getCursorExtent(p.cursor);
	const uint32_t begin = kt_scan_offset(scan, kt_clang.getRangeStart(extent), &begin_file);
	const uint32_t end = kt_scan_offset(scan, kt_clang.getRangeEnd(extent), &end_file);
	if (text == NULL || begin_file != function->file || end_file != begin_file)
		return NULL;
	const size_t behind = kt_token_at(text, end);
	for (size_t i = kt_token_at(text, begin); i < behind; i++)
		if (kt_token_is(text, i, "="))
			return i + 1 < behind ? kt_scan_squeeze(scan, text, text->tokens[i + 1].begin,
								text->tokens[behind - 1].end)
					      : NULL;
	return NULL;
}
