/*
 * Base classes that depend on template arguments. libclang shows of an instance's class what its template has, where such a base
 * is no class yet. What the instance's functions access of it belongs to the class that it is.
 */
#include "members.h"

#define MOST_FUNCTIONS 64

struct search {
	CXCursor class_, template_; /* whose base it is; the base's template */
	CXCursor inside;            /* the class whose function is read; a null cursor: none */
	CXCursor seen[MOST_FUNCTIONS];
	size_t seen_count;
	CXType found;
};

static bool is_same(CXCursor a, CXCursor b)
{
	return kt_clang.equalCursors(kt_clang.getCanonicalCursor(a), kt_clang.getCanonicalCursor(b)) != 0;
}

static enum CXChildVisitResult take_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

/* Is the member that an expression names one of an object of the class: `this->m` and `m` in its functions, `object.m`? */
static bool is_of_class(const struct search *s, CXCursor expression)
{
	CXCursor object, at = expression;
	CXType type;

	/* The conversion to the base is not written. */
	do {
		object = kt_clang.getNullCursor();
		kt_clang.visitChildren(at, take_first, &object);
		at = object;
	} while (kt_clang.Cursor_isNull(object) == 0 && kt_clang.getCursorKind(object) == CXCursor_UnexposedExpr);
	if (kt_clang.Cursor_isNull(object) != 0 || kt_clang.isExpression(kt_clang.getCursorKind(object)) == 0 ||
	    kt_clang.getCursorKind(object) == CXCursor_CXXThisExpr)
		return kt_clang.Cursor_isNull(s->inside) == 0 && is_same(s->inside, s->class_);
	type = kt_clang.getCanonicalType(kt_clang.getCursorType(object));
	if (type.kind == CXType_Pointer)
		type = kt_clang.getCanonicalType(kt_clang.getPointeeType(type));
	return is_same(kt_clang.getTypeDeclaration(type), s->class_);
}

static bool is_new(struct search *s, CXCursor function)
{
	for (size_t i = 0; i < s->seen_count; i++)
		if (kt_clang.equalCursors(s->seen[i], function) != 0)
			return false;
	if (s->seen_count == MOST_FUNCTIONS)
		return false;
	s->seen[s->seen_count++] = function;
	return true;
}

static enum CXChildVisitResult read_expression(CXCursor cursor, CXCursor parent, CXClientData data);

static void read_function(struct search *s, CXCursor function)
{
	const CXCursor outer = s->inside, definition = kt_clang.getCursorDefinition(function);

	if (kt_clang.Cursor_isNull(definition) != 0 || !is_new(s, definition))
		return;
	s->inside = kt_clang.getCursorSemanticParent(definition);
	kt_clang.visitChildren(definition, read_expression, s);
	s->inside = outer;
}

static enum CXChildVisitResult read_expression(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct search *s = data;
	const CXCursor target = kt_clang.getCursorReferenced(cursor);
	const enum CXCursorKind kind =
	    kt_clang.Cursor_isNull(target) != 0 ? CXCursor_InvalidFile : kt_clang.getCursorKind(target);

	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_MemberRefExpr &&
	    (kind == CXCursor_FieldDecl || kind == CXCursor_CXXMethod)) {
		const CXCursor owner = kt_clang.getCursorSemanticParent(target);
		const CXCursor made_from = kt_clang.getSpecializedCursorTemplate(owner);

		if (kt_clang.Cursor_isNull(made_from) == 0 && is_same(made_from, s->template_) && is_of_class(s, cursor)) {
			s->found = kt_clang.getCanonicalType(kt_clang.getCursorType(owner));
			return CXChildVisit_Break;
		}
	}
	if (kind == CXCursor_CXXMethod || kind == CXCursor_FunctionDecl)
		read_function(s, target);
	return s->found.kind == CXType_Invalid ? CXChildVisit_Recurse : CXChildVisit_Break;
}

static enum CXChildVisitResult find_template(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_TemplateRef)
		return CXChildVisit_Continue;
	*(CXCursor *)data = kt_clang.getCursorReferenced(cursor);
	return CXChildVisit_Break;
}

CXType kt_base_type(CXCursor class_, CXCursor specifier, CXCursor kernel)
{
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(specifier));
	struct search s = {.class_ = class_, .template_ = kt_clang.getNullCursor(), .inside = kt_clang.getNullCursor()};

	if (type.kind == CXType_Record || kt_clang.Cursor_isNull(kernel) != 0)
		return type;
	kt_clang.visitChildren(specifier, find_template, &s.template_);
	s.found.kind = CXType_Invalid;
	if (kt_clang.Cursor_isNull(s.template_) == 0)
		read_function(&s, kernel);
	return s.found.kind == CXType_Record ? s.found : type;
}
