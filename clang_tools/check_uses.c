/*
 * What the text uses: every name means one thing (check_names.c), every function that is called is one of the device
 * and is called by its name. Templates are looked at as they are written and as they are instantiated: what depends
 * on a parameter is known there alone.
 */
#include <string.h>

#include "check.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

enum { TYPE_DEPTH = 16, CALLEE_DEPTH = 16 };

struct uses {
	struct kt_check *check;
	uint32_t at; /* of the last node that is in the text */
	size_t instance_count;
	CXCursor *instances;
	bool instantiated; /* the bodies of those */
};

/* A function, or what leads to one. */
static bool leads_to_function(CXType type)
{
	type = kt_clang.getCanonicalType(type);
	for (size_t i = 0; i < TYPE_DEPTH; i++) {
		CXType next;

		switch ((int)type.kind) {
		case CXType_FunctionProto:
		case CXType_FunctionNoProto:
		case CXType_MemberPointer:
		case CXType_BlockPointer:
			return true;
		case CXType_Pointer:
		case CXType_LValueReference:
		case CXType_RValueReference:
			next = kt_clang.getPointeeType(type);
			break;
		default:
			next = kt_clang.getArrayElementType(type);
		}
		if (next.kind == CXType_Invalid)
			return false;
		type = kt_clang.getCanonicalType(next);
	}
	return true;
}

static enum CXChildVisitResult take_first(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	*(CXCursor *)data = cursor;
	return CXChildVisit_Break;
}

static CXCursor first_child(CXCursor cursor)
{
	CXCursor first = kt_clang.getNullCursor();

	kt_clang.visitChildren(cursor, take_first, &first);
	return first;
}

/* What is named below implicit conversions and brackets. */
static CXCursor named_by(CXCursor cursor)
{
	for (size_t i = 0; i < CALLEE_DEPTH; i++) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);

		if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr)
			break;
		cursor = first_child(cursor);
	}
	return cursor;
}

static bool is_function(CXCursor cursor)
{
	switch ((int)kt_clang.getCursorKind(cursor)) {
	case CXCursor_FunctionDecl:
	case CXCursor_FunctionTemplate:
	case CXCursor_CXXMethod:
	case CXCursor_Constructor:
	case CXCursor_Destructor:
	case CXCursor_ConversionFunction:
		return true;
	default:
		return false;
	}
}

/* Cursors of one expression differ by the declaration that their visit began in. */
static bool same_place(CXCursor a, CXCursor b)
{
	const CXSourceRange one = kt_clang.getCursorExtent(a), other = kt_clang.getCursorExtent(b);
	unsigned at[4];

	kt_clang.getFileLocation(kt_clang.getRangeStart(one), NULL, NULL, NULL, &at[0]);
	kt_clang.getFileLocation(kt_clang.getRangeStart(other), NULL, NULL, NULL, &at[1]);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(one), NULL, NULL, NULL, &at[2]);
	kt_clang.getFileLocation(kt_clang.getRangeEnd(other), NULL, NULL, NULL, &at[3]);
	return at[0] == at[1] && at[2] == at[3];
}

/* An expression that is a function: only as what a call calls, by its name. */
static bool is_callee(const struct kt_check *check, CXCursor cursor, CXCursor parent)
{
	const enum CXCursorKind around = kt_clang.getCursorKind(parent);
	const CXCursor name = named_by(cursor), target = kt_clang.getCursorReferenced(name);
	const enum CXCursorKind kind = kt_clang.getCursorKind(name);

	/* Those have been looked at themselves. */
	if ((around == CXCursor_UnexposedExpr || around == CXCursor_ParenExpr) &&
	    leads_to_function(kt_clang.getCursorType(parent)))
		return true;
	if (around != CXCursor_CallExpr || (kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr) ||
	    !is_function(target) || kt_clang.equalCursors(target, kt_clang.getCursorReferenced(parent)) == 0)
		return false;
	/* Of an operator's call the operands are in front of it, and its name cannot be an operand. */
	return same_place(first_child(parent), cursor) ||
	       strncmp(kt_check_spelling(check, target), "operator", strlen("operator")) == 0;
}

static enum CXChildVisitResult find_device(CXCursor cursor, CXCursor parent, CXClientData data)
{
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_CUDADeviceAttr)
		return CXChildVisit_Continue;
	*(bool *)data = true;
	return CXChildVisit_Break;
}

/* Does the source declare it so, here or at the first declaration? An attribute that the front end adds does not count. */
static bool is_for_device(CXCursor function)
{
	const CXCursor places[] = {function, kt_clang.getCanonicalCursor(function), kt_clang.getCursorDefinition(function),
	                           kt_clang.getSpecializedCursorTemplate(function)};
	bool found = false;

	for (size_t i = 0; i < COUNT(places) && !found; i++)
		if (kt_clang.Cursor_isNull(places[i]) == 0)
			kt_clang.visitChildren(places[i], find_device, &found);
	return found;
}

/*
 * One that the compiler knows by itself: __syncthreads, memcpy. Of others the front end allows those that the host
 * can call only with a body. Its location is that of the first use, where no header declares it.
 */
static bool is_builtin(const struct kt_check *check, CXCursor function)
{
	return kt_clang.Cursor_isNull(kt_clang.getCursorDefinition(function)) != 0 &&
	       (kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(function)) != 0 ||
	        strncmp(kt_check_spelling(check, function), "__", strlen("__")) == 0);
}

/* Words that decide where a function can be called have been looked at: what is left of the text is of the device. */
static bool check_callee(struct uses *u, CXCursor call)
{
	const CXCursor function = kt_clang.getCursorReferenced(call);
	uint32_t ignored;

	if (kt_clang.Cursor_isNull(function) != 0 || !is_function(function) ||
	    kt_check_place(&ignored, u->check, kt_clang.getCursorLocation(function)) || is_for_device(function) ||
	    kt_clang.CXXMethod_isDefaulted(function) != 0 || is_builtin(u->check, function))
		return true;
	return kt_check_refuse(u->check, "host-code", u->at, "%.60s is not declared __device__",
	                       kt_check_spelling(u->check, function));
}

/* An instance of a template of the text or of the project, to be looked at later. */
static bool add_instance(struct uses *u, CXCursor function)
{
	const CXCursor pattern = kt_clang.Cursor_isNull(function) == 0 && is_function(function)
	                             ? kt_clang.getSpecializedCursorTemplate(function)
	                             : kt_clang.getNullCursor();

	if (kt_clang.Cursor_isNull(pattern) != 0 ||
	    kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(pattern)) != 0)
		return true;
	for (size_t i = 0; i < u->instance_count; i++)
		if (kt_clang.equalCursors(u->instances[i], function) != 0)
			return true;
	if (u->instance_count == KT_CHECK_INSTANCES)
		return kt_check_refuse(u->check, "template-depth", u->at, "more than %d instances of templates",
		                       KT_CHECK_INSTANCES);
	CXCursor *slot;
	NEED(slot = kt_arena_push(u->check->arena, &u->instances, &u->instance_count, sizeof *slot),
	     kt_check_refuse(u->check, "too-long", u->at, "out of memory"));
	*slot = function;
	return true;
}

static bool check_overloads(struct uses *u, CXCursor cursor, CXCursor candidates)
{
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(candidates); i++)
		if (!kt_check_mean(u->check, kt_clang.getCursorLocation(cursor), kt_clang.getOverloadedDecl(candidates, i),
		                   u->instantiated))
			return false;
	return true;
}

static bool check_meaning(struct uses *u, CXCursor cursor, enum CXCursorKind kind)
{
	const CXCursor target = kt_clang.getCursorReferenced(cursor);

	/* Of several functions, or of one that depends on a parameter. */
	if (kind == CXCursor_OverloadedDeclRef || kt_clang.getCursorKind(target) == CXCursor_OverloadedDeclRef)
		return check_overloads(u, cursor, kind == CXCursor_OverloadedDeclRef ? cursor : target);
	if (kt_clang.isDeclaration(kind) != 0)
		return kt_check_mean(u->check, kt_clang.getCursorLocation(cursor), cursor, u->instantiated);
	if ((kind != CXCursor_DeclRefExpr && kind != CXCursor_MemberRefExpr && kt_clang.isReference(kind) == 0) ||
	    kt_clang.Cursor_isNull(target) != 0)
		return true;
	return kt_check_mean(u->check, kt_clang.getCursorLocation(cursor), target, u->instantiated);
}

static bool check_pointer(struct uses *u, CXCursor cursor, CXCursor parent, enum CXCursorKind kind)
{
	const bool expression = kt_clang.isExpression(kind) != 0;

	if (!expression && kind != CXCursor_VarDecl && kind != CXCursor_ParmDecl && kind != CXCursor_FieldDecl &&
	    kind != CXCursor_TypedefDecl && kind != CXCursor_TypeAliasDecl && kind != CXCursor_NonTypeTemplateParameter)
		return true;
	if (!leads_to_function(kt_clang.getCursorType(cursor)) ||
	    (expression && is_callee(u->check, cursor, parent)))
		return true;
	return kt_check_refuse(u->check, "function-pointer", u->at, "functions are called by their name alone");
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct uses *u = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const bool inside = kt_check_place(&u->at, u->check, kt_clang.getCursorLocation(cursor));
	/* What the user's own functions do is not checked, except a use of a name of the text. */
	bool fine = check_meaning(u, cursor, kind) && (!inside || check_pointer(u, cursor, parent, kind));

	if (fine && (kind == CXCursor_CallExpr || kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr))
		fine = add_instance(u, kt_clang.getCursorReferenced(cursor));
	if (fine && kind == CXCursor_CallExpr && inside)
		fine = check_callee(u, cursor) && kt_check_use(u->check, cursor, u->at);
	return fine ? CXChildVisit_Recurse : CXChildVisit_Break;
}

static enum CXChildVisitResult visit_own(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct uses *u = data;

	return kt_check_place(&u->at, u->check, kt_clang.getCursorLocation(cursor)) ? visit(cursor, parent, data)
	                                                                             : CXChildVisit_Continue;
}

bool kt_check_uses(struct kt_check *check)
{
	struct uses u = {.check = check};

	check->meanings = kt_arena_array(check->arena, check->tokens.count + 1, sizeof *check->meanings);
	check->seen = kt_arena_array(check->arena, check->tokens.count + 1, sizeof *check->seen);
	if (check->meanings == NULL || check->seen == NULL)
		return kt_check_refuse(check, "too-long", 0, "out of memory");
	for (size_t i = 0; i < check->tokens.count; i++)
		check->seen[i] = kt_check_is_macro(check, i);
	kt_clang.visitChildren(check->scope, visit_own, &u);
	u.instantiated = true;
	for (size_t i = 0; i < u.instance_count && check->construct == NULL; i++)
		kt_clang.visitChildren(u.instances[i], visit, &u);
	return check->construct == NULL && kt_check_settle(check);
}
