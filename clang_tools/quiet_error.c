/* Which way a condition goes only where the last error was asked for and there was one. */
#include "quiet.h"

#include <string.h>

#include "operators.h"

#define OPERANDS 4

static const char *const asked[] = {"cudaGetLastError", "cudaPeekAtLastError"};

bool kt_asks_for_error(CXCursor function)
{
	CXString spelling = kt_clang.getCursorSpelling(function);
	const char *name = kt_clang.getCString(spelling);
	bool found = false;

	for (size_t i = 0; name != NULL && i < sizeof asked / sizeof asked[0]; i++)
		found = found || strcmp(name, asked[i]) == 0;
	kt_clang.disposeString(spelling);
	return found && kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(function)) != 0;
}

static bool is_call_of(CXCursor call, const char *name)
{
	CXString spelling = kt_clang.getCursorSpelling(call);
	const char *text = kt_clang.getCString(spelling);
	const bool same = kt_clang.getCursorKind(call) == CXCursor_CallExpr && text != NULL && strcmp(text, name) == 0;

	kt_clang.disposeString(spelling);
	return same;
}

bool kt_is_error(const struct kt_quiet *q, CXCursor expression)
{
	CXCursor operands[OPERANDS], inner = kt_quiet_inner(expression), target = kt_clang.getCursorReferenced(inner);

	switch ((int)kt_clang.getCursorKind(inner)) {
	case CXCursor_CallExpr:
		return kt_clang.Cursor_isNull(target) == 0 && kt_asks_for_error(target);
	case CXCursor_DeclRefExpr:
		for (size_t i = 0; i < q->error_count; i++)
			if (kt_clang.equalCursors(q->errors[i], target) != 0)
				return true;
		return false;
	case CXCursor_BinaryOperator:
		return kt_quiet_operands(operands, OPERANDS, inner) == 2 &&
		       (strcmp(kt_operator(inner), "=") == 0 ||
		        strcmp(kt_operator(inner), ",") == 0) &&
		       kt_is_error(q, operands[1]);
	default:
		return false;
	}
}

/* The number that an expression is; false: none that is known. */
static bool is_number(int64_t *out, CXCursor expression)
{
	CXEvalResult result = kt_clang.Cursor_Evaluate(expression);
	const bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int;

	if (known)
		*out = kt_clang.EvalResult_getAsLongLong(result);
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

/* cudaSuccess is 0, an error more. */
static unsigned compared(const char *operator, int64_t with)
{
	if (strcmp(operator, "==") == 0)
		return with == 0 ? KT_ERROR_IF_FALSE : KT_ERROR_IF_TRUE;
	if (with != 0)
		return KT_ERROR_NEVER;
	return strcmp(operator, "!=") == 0 || strcmp(operator, ">") == 0 ? KT_ERROR_IF_TRUE : KT_ERROR_NEVER;
}

static unsigned of_two(const struct kt_quiet *q, CXCursor condition)
{
	CXCursor operands[OPERANDS];
	const char *operator = kt_operator(condition);
	unsigned left, right;
	int64_t with = 0;

	if (kt_quiet_operands(operands, OPERANDS, condition) != 2)
		return KT_ERROR_NEVER;
	if (strcmp(operator, "&&") == 0 || strcmp(operator, "||") == 0) {
		left = kt_error_if(q, operands[0]);
		right = kt_error_if(q, operands[1]);
		/* Both hold, or one of them: it is not known which. */
		return *operator == '&' ? ((left | right) & KT_ERROR_IF_TRUE) | (left & right & KT_ERROR_IF_FALSE)
		                        : ((left | right) & KT_ERROR_IF_FALSE) | (left & right & KT_ERROR_IF_TRUE);
	}
	if (kt_is_error(q, operands[0]) && is_number(&with, operands[1]))
		return compared(operator, with);
	if (kt_is_error(q, operands[1]) && is_number(&with, operands[0]) && *operator != '>')
		return compared(operator, with);
	return kt_is_error(q, condition) ? KT_ERROR_IF_TRUE : KT_ERROR_NEVER;
}

unsigned kt_error_if(const struct kt_quiet *q, CXCursor condition)
{
	CXCursor operands[OPERANDS];
	unsigned inner;

	condition = kt_quiet_inner(condition);
	switch ((int)kt_clang.getCursorKind(condition)) {
	case CXCursor_UnaryOperator:
		if (kt_quiet_operands(operands, OPERANDS, condition) != 1 ||
		    strcmp(kt_operator(condition), "!") != 0)
			return KT_ERROR_NEVER;
		inner = kt_error_if(q, operands[0]);
		return (inner & KT_ERROR_IF_TRUE ? KT_ERROR_IF_FALSE : 0u) | (inner & KT_ERROR_IF_FALSE ? KT_ERROR_IF_TRUE : 0u);
	case CXCursor_BinaryOperator:
		return of_two(q, condition);
	case CXCursor_CallExpr:
		/* The callee, the condition, what is expected. */
		if (is_call_of(condition, "__builtin_expect") && kt_quiet_operands(operands, OPERANDS, condition) == 3)
			return kt_error_if(q, operands[1]);
		return kt_is_error(q, condition) ? KT_ERROR_IF_TRUE : KT_ERROR_NEVER;
	default:
		return kt_is_error(q, condition) ? KT_ERROR_IF_TRUE : KT_ERROR_NEVER;
	}
}
