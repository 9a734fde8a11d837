/* Does a function access memory through a pointer that is a member of an object? No argument of the call shows this. */
#include "lift_internal.h"

#define MOST_FUNCTIONS 64

struct search {
	CXCursor seen[MOST_FUNCTIONS];
	size_t seen_count;
	bool found;
};

static bool leads_away(CXType type)
{
	type = kt_clang.getCanonicalType(type);
	while (type.kind == CXType_ConstantArray)
		type = kt_clang.getCanonicalType(kt_clang.getArrayElementType(type));
	return type.kind == CXType_Pointer || type.kind == CXType_LValueReference || type.kind == CXType_RValueReference;
}

static enum CXChildVisitResult read_expression(CXCursor cursor, CXCursor parent, CXClientData data);

static void read_function(struct search *s, CXCursor function)
{
	const CXCursor definition = kt_clang.getCursorDefinition(function);

	if (kt_clang.Cursor_isNull(definition) != 0)
		return;
	for (size_t i = 0; i < s->seen_count; i++)
		if (kt_clang.equalCursors(s->seen[i], definition) != 0)
			return;
	if (s->seen_count == MOST_FUNCTIONS) {
		s->found = true;
		return;
	}
	s->seen[s->seen_count++] = definition;
	kt_clang.visitChildren(definition, read_expression, s);
}

static enum CXChildVisitResult read_expression(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct search *s = data;
	const CXCursor target = kt_clang.getCursorReferenced(cursor);
	const enum CXCursorKind kind =
	    kt_clang.Cursor_isNull(target) != 0 ? CXCursor_InvalidFile : kt_clang.getCursorKind(target);

	(void)parent;
	if (kind == CXCursor_FieldDecl)
		s->found = s->found || leads_away(kt_clang.getCursorType(target));
	else if (kind == CXCursor_CXXMethod || kind == CXCursor_FunctionDecl || kind == CXCursor_ConversionFunction)
		if (kt_lift_is_of_project(target))
			read_function(s, target);
	return s->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool kt_lift_follows_pointers(CXCursor function)
{
	struct search s = {.seen_count = 0};

	if (kt_clang.Cursor_isNull(function) != 0 || !kt_lift_is_of_project(function))
		return false;
	read_function(&s, function);
	return s.found;
}
