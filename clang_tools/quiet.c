/* Statements and expressions of host code: do they do anything besides giving a value? */
#include "quiet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "operators.h"

#define PARTS 64

struct parts {
	size_t count, most;
	CXCursor *items;
	bool expressions; /* these alone */
};

static enum CXChildVisitResult gather(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parts *p = data;

	(void)parent;
	if (p->expressions && kt_clang.isExpression(kt_clang.getCursorKind(cursor)) == 0)
		return CXChildVisit_Continue;
	if (p->count < p->most)
		p->items[p->count] = cursor;
	p->count++;
	return CXChildVisit_Continue;
}

static size_t parts_of(CXCursor out[], size_t most, CXCursor cursor)
{
	struct parts p = {.most = most, .items = out};

	kt_clang.visitChildren(cursor, gather, &p);
	return p.count;
}

size_t kt_quiet_operands(CXCursor out[], size_t most, CXCursor cursor)
{
	struct parts p = {.most = most, .items = out, .expressions = true};

	kt_clang.visitChildren(cursor, gather, &p);
	return p.count;
}

CXCursor kt_quiet_inner(CXCursor expression)
{
	for (;;) {
		CXCursor inner;
		const int kind = (int)kt_clang.getCursorKind(expression);

		if (kind != CXCursor_UnexposedExpr && kind != CXCursor_ParenExpr && kind != CXCursor_CStyleCastExpr &&
		    kind != CXCursor_CXXStaticCastExpr && kind != CXCursor_CXXFunctionalCastExpr)
			return expression;
		if (kt_quiet_operands(&inner, 1, expression) != 1)
			return expression;
		expression = inner;
	}
}

bool kt_quiet_not(struct kt_quiet *q, const char *why, ...)
{
	char text[256];
	va_list arguments;

	va_start(arguments, why);
	vsnprintf(text, sizeof text, why, arguments);
	va_end(arguments);
	if (q->why == NULL)
		q->why = kt_arena_strdup(q->scan->arena, text);
	q->scan->failed = q->scan->failed || q->why == NULL;
	return false;
}

const char *kt_quiet_name(struct kt_quiet *q, CXCursor cursor)
{
	const char *name = kt_clang_text(q->scan->arena, kt_clang.getCursorSpelling(cursor));

	q->scan->failed = q->scan->failed || name == NULL;
	return name != NULL ? name : "";
}

/* ---- expressions */

static bool all_quiet(struct kt_quiet *q, CXCursor cursor)
{
	CXCursor parts[PARTS];
	const size_t count = kt_quiet_operands(parts, PARTS, cursor);

	if (count > PARTS)
		return kt_quiet_not(q, "too many operands");
	for (size_t i = 0; i < count; i++)
		if (!kt_quiet_value(q, parts[i]))
			return false;
	return true;
}

/* A variable of a function, that ends with it and is no other's: not static, no reference. */
static bool is_local(CXCursor variable)
{
	const int kind = (int)kt_clang.getCursorKind(variable);
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(variable));

	return (kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl) &&
	       kt_clang.getCursorLinkage(variable) == CXLinkage_NoLinkage &&
	       kt_clang.Cursor_getStorageClass(variable) != CX_SC_Static && type.kind != CXType_LValueReference &&
	       type.kind != CXType_RValueReference && kt_clang.isVolatileQualifiedType(type) == 0;
}

static void keep(CXCursor list[], size_t *count, CXCursor variable)
{
	for (size_t i = 0; i < *count; i++)
		if (kt_clang.equalCursors(list[i], variable) != 0)
			return;
	if (*count < KT_QUIET_ERRORS)
		list[(*count)++] = variable;
}

static void forget(struct kt_quiet *q, CXCursor variable)
{
	for (size_t i = 0; i < q->error_count; i++)
		if (kt_clang.equalCursors(q->errors[i], variable) != 0)
			q->errors[i] = q->errors[--q->error_count];
}

/* A member of the object that comes into being. */
static bool is_own_member(const struct kt_quiet *q, CXCursor place, CXCursor member)
{
	CXCursor of = kt_clang.getNullCursor();
	const size_t count = kt_quiet_operands(&of, 1, place);

	return kt_clang.Cursor_isNull(q->object) == 0 &&
	       kt_clang.equalCursors(kt_clang.getCursorSemanticParent(member), q->object) != 0 &&
	       (count == 0 || (count == 1 && kt_clang.getCursorKind(of) == CXCursor_CXXThisExpr));
}

/* `x = value`, `x += value`, `++x`: to a local in a function that is called; to the last error between launches. */
static bool assigns(struct kt_quiet *q, CXCursor to, const CXCursor *value)
{
	const CXCursor place = kt_quiet_inner(to), variable = kt_clang.getCursorReferenced(place);
	const enum CXCursorKind kind = kt_clang.getCursorKind(place);
	const bool is_error = value != NULL && kt_is_error(q, *value);

	if (value != NULL && !kt_quiet_value(q, *value))
		return false;
	if (kind == CXCursor_MemberRefExpr && is_own_member(q, place, variable))
		return true;
	if (kind != CXCursor_DeclRefExpr || !is_local(variable) || !(q->in_callee || (q->asks && is_error)) ||
	    kt_clang.getCanonicalType(kt_clang.getCursorType(variable)).kind == CXType_Record)
		return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr
		           ? kt_quiet_not(q, "'%s' is assigned", kt_quiet_name(q, variable))
		           : kt_quiet_not(q, "memory is assigned");
	if (q->changed_count == KT_QUIET_ERRORS || q->error_count == KT_QUIET_ERRORS)
		return kt_quiet_not(q, "too many variables");
	if (is_error)
		keep(q->errors, &q->error_count, variable);
	else
		forget(q, variable);
	if (!q->in_callee)
		keep(q->changed, &q->changed_count, variable);
	return true;
}

/* One of two branches; what one of them asks for is not known after it. A branch for errors alone may do anything. */
static bool way(struct kt_quiet *q, CXCursor part, bool only_error, bool (*judge)(struct kt_quiet *, CXCursor))
{
	const size_t count = q->error_count;
	CXCursor errors[KT_QUIET_ERRORS];
	bool quiet;

	if (only_error)
		return true;
	memcpy(errors, q->errors, sizeof errors);
	quiet = judge(q, part);
	/* What it assigns may be an error from then on, or none. */
	if (q->error_count != count || memcmp(errors, q->errors, count * sizeof *errors) != 0) {
		size_t kept = 0;

		for (size_t i = 0; i < count; i++)
			for (size_t k = 0; k < q->error_count; k++)
				if (kt_clang.equalCursors(errors[i], q->errors[k]) != 0) {
					errors[kept++] = errors[i];
					break;
				}
		memcpy(q->errors, errors, sizeof errors);
		q->error_count = kept;
	}
	return quiet;
}

static bool binary(struct kt_quiet *q, CXCursor expression)
{
	CXCursor operands[2];
	const char *operator = kt_operator(expression);
	unsigned error;

	if (kt_quiet_operands(operands, 2, expression) != 2)
		return kt_quiet_not(q, "an operator that cannot be read");
	if (strcmp(operator, "=") == 0)
		return assigns(q, operands[0], &operands[1]) && kt_quiet_value(q, operands[0]);
	if (*operator == '\0')
		return kt_quiet_not(q, "an operator that cannot be read");
	if (strcmp(operator, "&&") != 0 && strcmp(operator, "||") != 0)
		return kt_quiet_value(q, operands[0]) && kt_quiet_value(q, operands[1]);
	error = kt_error_if(q, operands[0]);
	return kt_quiet_value(q, operands[0]) &&
	       way(q, operands[1], (error & (*operator == '&' ? KT_ERROR_IF_TRUE : KT_ERROR_IF_FALSE)) != 0, kt_quiet_value);
}

static bool compound_assignment(struct kt_quiet *q, CXCursor expression)
{
	CXCursor operands[2];

	return kt_quiet_operands(operands, 2, expression) == 2 ? assigns(q, operands[0], &operands[1])
	                                                       : kt_quiet_not(q, "an operator that cannot be read");
}

static bool unary(struct kt_quiet *q, CXCursor expression)
{
	const char *operator = kt_operator(expression);
	CXCursor operand;

	if (kt_quiet_operands(&operand, 1, expression) != 1)
		return kt_quiet_not(q, "an operator that cannot be read");
	if (strcmp(operator, "++") == 0 || strcmp(operator, "--") == 0)
		return assigns(q, operand, NULL);
	if (*operator == '\0' || strcmp(operator, "co_await") == 0)
		return kt_quiet_not(q, "an operator that cannot be read");
	return kt_quiet_value(q, operand);
}

static bool conditional(struct kt_quiet *q, CXCursor expression)
{
	CXCursor operands[3];
	unsigned error;

	if (kt_quiet_operands(operands, 3, expression) != 3)
		return kt_quiet_not(q, "an operator that cannot be read");
	error = kt_error_if(q, operands[0]);
	return kt_quiet_value(q, operands[0]) && way(q, operands[1], (error & KT_ERROR_IF_TRUE) != 0, kt_quiet_value) &&
	       way(q, operands[2], (error & KT_ERROR_IF_FALSE) != 0, kt_quiet_value);
}

static bool call(struct kt_quiet *q, CXCursor expression)
{
	return all_quiet(q, expression) && kt_quiet_callee(q, expression) &&
	       kt_quiet_type(q, kt_clang.getCursorType(expression));
}

static bool statement_in_parentheses(struct kt_quiet *q, CXCursor expression)
{
	CXCursor body;

	return parts_of(&body, 1, expression) == 1 ? kt_quiet_statement(q, body)
	                                           : kt_quiet_not(q, "a statement in an expression");
}

bool kt_quiet_value(struct kt_quiet *q, CXCursor expression)
{
	const int kind = (int)kt_clang.getCursorKind(expression);

	if (kt_clang.isVolatileQualifiedType(kt_clang.getCursorType(expression)) != 0)
		return kt_quiet_not(q, "it accesses a volatile object");
	switch (kind) {
	case CXCursor_IntegerLiteral:
	case CXCursor_FloatingLiteral:
	case CXCursor_ImaginaryLiteral:
	case CXCursor_StringLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
	case CXCursor_CXXNullPtrLiteralExpr:
	case CXCursor_GNUNullExpr:
	case CXCursor_CXXThisExpr:
	case CXCursor_UnaryExpr: /* sizeof, alignof: not evaluated */
	case CXCursor_SizeOfPackExpr:
	case CXCursor_DeclRefExpr:
		return true;
	case CXCursor_MemberRefExpr:
	case CXCursor_ArraySubscriptExpr:
	case CXCursor_ParenExpr:
	case CXCursor_UnexposedExpr:
	case CXCursor_InitListExpr:
	case CXCursor_CStyleCastExpr:
	case CXCursor_CXXStaticCastExpr:
	case CXCursor_CXXReinterpretCastExpr:
	case CXCursor_CXXConstCastExpr:
	case CXCursor_CXXFunctionalCastExpr:
		return all_quiet(q, expression);
	case CXCursor_UnaryOperator:
		return unary(q, expression);
	case CXCursor_BinaryOperator:
		return binary(q, expression);
	case CXCursor_CompoundAssignOperator:
		return compound_assignment(q, expression);
	case CXCursor_ConditionalOperator:
		return conditional(q, expression);
	case CXCursor_CallExpr:
		return call(q, expression);
	case CXCursor_StmtExpr:
		return statement_in_parentheses(q, expression);
	case CXCursor_LambdaExpr:
		return kt_quiet_not(q, "a lambda");
	default:
		return kt_quiet_not(q, "an expression that may do anything");
	}
}

/* ---- statements */

static bool variable(struct kt_quiet *q, CXCursor declared)
{
	CXCursor parts[PARTS];
	const size_t count = kt_quiet_operands(parts, PARTS, declared);

	if (count > PARTS)
		return kt_quiet_not(q, "too many operands");
	if (kt_clang.isVolatileQualifiedType(kt_clang.getCursorType(declared)) != 0)
		return kt_quiet_not(q, "it accesses a volatile object");
	for (size_t i = 0; i < count; i++)
		if (!kt_quiet_value(q, parts[i]))
			return false;
	if (!kt_quiet_type(q, kt_clang.getCursorType(declared)))
		return false;
	if (q->error_count == KT_QUIET_ERRORS)
		return kt_quiet_not(q, "too many variables");
	/* The type's own parts may be among them: an array's length. */
	if (count > 0 && q->asks && is_local(declared) && kt_is_error(q, parts[count - 1]))
		keep(q->errors, &q->error_count, declared);
	return true;
}

static bool declaration(struct kt_quiet *q, CXCursor statement)
{
	CXCursor parts[PARTS];
	const size_t count = parts_of(parts, PARTS, statement);

	if (count > PARTS)
		return kt_quiet_not(q, "too many declarations");
	for (size_t i = 0; i < count; i++)
		if (kt_clang.getCursorKind(parts[i]) == CXCursor_VarDecl && !variable(q, parts[i]))
			return false;
	return true;
}

static bool is_condition(CXCursor part)
{
	return kt_clang.isExpression(kt_clang.getCursorKind(part)) != 0;
}

/* What is declared for it, the condition, the one way and the other. */
static bool if_statement(struct kt_quiet *q, CXCursor statement)
{
	CXCursor parts[6];
	const size_t count = parts_of(parts, 6, statement);
	unsigned error;
	size_t at = 0;

	for (; at < count && at < 6 && !is_condition(parts[at]); at++)
		if (kt_clang.getCursorKind(parts[at]) == CXCursor_VarDecl ? !variable(q, parts[at])
		                                                         : !kt_quiet_statement(q, parts[at]))
			return false;
	if (count > 6 || at + 1 >= count)
		return kt_quiet_not(q, "an 'if' that cannot be read");
	error = kt_error_if(q, parts[at]);
	if (!kt_quiet_value(q, parts[at]))
		return false;
	error |= kt_error_if(q, parts[at]);
	return way(q, parts[at + 1], (error & KT_ERROR_IF_TRUE) != 0, kt_quiet_statement) &&
	       (at + 2 >= count || way(q, parts[at + 2], (error & KT_ERROR_IF_FALSE) != 0, kt_quiet_statement));
}

/* `do { … } while (0)`: what makes one statement of a macro. Any other goes round. */
static bool do_statement(struct kt_quiet *q, CXCursor statement)
{
	CXCursor parts[2];
	CXEvalResult result;
	const bool outer = q->in_do;
	bool once;

	if (parts_of(parts, 2, statement) != 2)
		return kt_quiet_not(q, "a loop");
	result = kt_clang.Cursor_Evaluate(parts[1]);
	once = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int &&
	       kt_clang.EvalResult_getAsLongLong(result) == 0;
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	if (!once)
		return kt_quiet_not(q, "a loop");
	q->in_do = true;
	once = kt_quiet_statement(q, parts[0]);
	q->in_do = outer;
	return once;
}

bool kt_quiet_statement(struct kt_quiet *q, CXCursor statement)
{
	CXCursor parts[PARTS];
	const enum CXCursorKind kind = kt_clang.getCursorKind(statement);
	size_t count;

	switch ((int)kind) {
	case CXCursor_NullStmt:
		return true;
	case CXCursor_CompoundStmt:
		count = parts_of(parts, PARTS, statement);
		for (size_t i = 0; i < count && i < PARTS; i++)
			if (!kt_quiet_statement(q, parts[i]))
				return false;
		return count <= PARTS || kt_quiet_not(q, "too many statements");
	case CXCursor_DeclStmt:
		return declaration(q, statement);
	case CXCursor_IfStmt:
		return if_statement(q, statement);
	case CXCursor_DoStmt:
		return do_statement(q, statement);
	case CXCursor_BreakStmt:
	case CXCursor_ContinueStmt:
		return q->in_do || kt_quiet_not(q, "it may leave the block without an error");
	case CXCursor_ReturnStmt:
		return q->in_callee ? all_quiet(q, statement)
		                    : kt_quiet_not(q, "it may leave the block without an error");
	case CXCursor_GotoStmt:
	case CXCursor_IndirectGotoStmt:
	case CXCursor_CXXThrowExpr:
		return kt_quiet_not(q, "it may leave the block without an error");
	case CXCursor_ForStmt:
	case CXCursor_WhileStmt:
	case CXCursor_CXXForRangeStmt:
		return kt_quiet_not(q, "a loop");
	case CXCursor_LabelStmt:
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		return kt_quiet_not(q, "a label");
	default:
		break;
	}
	if (kt_clang.isExpression(kind) == 0)
		return kt_quiet_not(q, "a statement that may do anything");
	return kt_quiet_value(q, statement);
}
