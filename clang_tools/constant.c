/* Values of names of the source: macros, enumerators, constant variables. */
#include <string.h>

#include "clauses.h"
#include "instances.h"

struct enumerator {
	const char *name;
	int64_t value;
	bool known;
};

static enum CXChildVisitResult find_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct enumerator *e = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_EnumConstantDecl)
		return CXChildVisit_Continue;
	CXString name = kt_clang.getCursorSpelling(cursor);
	const char *text = kt_clang.getCString(name);
	e->known = text != NULL && strcmp(text, e->name) == 0;
	kt_clang.disposeString(name);
	if (e->known)
		e->value = kt_clang.getEnumConstantDeclValue(cursor);
	return e->known ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Macros that one is made of. */
#define CONSTANTS_MOST 32
#define CONSTANTS_READ 4096

/* Does the text of a macro stay together next to operators? `2 * N` is 21 where N is `8 + 5`. */
static bool is_operand(const struct kt_text *body)
{
	const size_t last = body->count - 1;
	size_t i = 0;

	while (i < last && (kt_token_is(body, i, "-") || kt_token_is(body, i, "+") || kt_token_is(body, i, "!") ||
			    kt_token_is(body, i, "~")))
		i++;
	if (i < last && body->tokens[i].kind == KT_TOKEN_NAME)
		i++;
	return i == last || (kt_token_is(body, i, "(") && kt_token_match(body, i) == last);
}

static bool is_unsigned(const struct kt_text *body, size_t t)
{
	const struct kt_token *token = &body->tokens[t];

	for (uint32_t at = token->begin; token->kind == KT_TOKEN_NUMBER && at < token->end; at++)
		if (body->data[at] == 'u' || body->data[at] == 'U')
			return true;
	return false;
}

/* Are there numbers that wrap around in C++, and not here? */
static bool wraps(const struct kt_text *body)
{
	bool has_unsigned = false, is_lowered = false;

	for (size_t t = 0; t < body->count; t++) {
		has_unsigned = has_unsigned || is_unsigned(body, t);
		is_lowered = is_lowered || kt_token_is(body, t, "-") || kt_token_is(body, t, "~");
	}
	return has_unsigned && is_lowered;
}

/* alone: nothing is next to the name. */
static bool read_macro(int64_t *value, const struct kt_macro *macro, struct kt_scan *scan, bool alone)
{
	struct kt_expr *expr = NULL;
	struct kt_error ignored;
	struct kt_text body;

	if (kt_lex(&body, scan->arena, macro->body, 0, strlen(macro->body), false, &ignored) != KT_OK ||
	    body.count == 0 || wraps(&body) || (!alone && !is_operand(&body)) ||
	    kt_expr_parse(&expr, scan->arena, macro->body, strlen(macro->body), &ignored) != KT_OK)
		return false;
	return alone || body.count > 1 ? kt_scan_number(value, expr, scan)
				       : kt_expr_eval(value, expr, kt_scan_constant, scan, &ignored) == KT_OK;
}

static bool read_constant(int64_t *value, const char *name, struct kt_scan *scan, bool alone)
{
	const struct kt_macro *macro = kt_scan_macro(scan, name);
	if (macro != NULL)
		return !macro->is_function && read_macro(value, macro, scan, alone);
	size_t i = kt_index_find(scan->item_index, name, strlen(name), 0);
	if (i != SIZE_MAX && scan->items[i].kind == CXCursor_EnumDecl) {
		struct enumerator e = {.name = name};
		kt_clang.visitChildren(scan->items[i].cursor, find_enumerator, &e);
		*value = e.value;
		return e.known;
	}
	if (i == SIZE_MAX || scan->items[i].kind != CXCursor_VarDecl ||
	    kt_clang.isConstQualifiedType(kt_clang.getCursorType(scan->items[i].cursor)) == 0)
		return false;
	CXEvalResult result = kt_clang.Cursor_Evaluate(scan->items[i].cursor);
	bool known = result != NULL && kt_clang.EvalResult_getKind(result) == CXEval_Int;
	if (known)
		*value = kt_clang.EvalResult_getAsLongLong(result);
	if (result != NULL)
		kt_clang.EvalResult_dispose(result);
	return known;
}

static bool find_constant(int64_t *value, const char *name, struct kt_scan *scan, bool alone)
{
	bool known;

	/* A macro may name itself, by others as well, and have twice as many names as one of those that it is made of.
	 */
	scan->constants_read = scan->constants == 0 ? 0 : scan->constants_read + 1;
	if (scan->constants == CONSTANTS_MOST || scan->constants_read > CONSTANTS_READ ||
	    (scan->clauses_of != NULL && !kt_clause_may_name(scan, name)))
		return false;
	scan->constants++;
	known = read_constant(value, name, scan, alone);
	scan->constants--;
	return known;
}

bool kt_scan_constant(int64_t *value, const char *name, void *context)
{
	return find_constant(value, name, context, false);
}

bool kt_scan_constant_alone(int64_t *value, const char *name, void *context)
{
	return find_constant(value, name, context, true);
}

bool kt_scan_number(int64_t *value, const struct kt_expr *expr, struct kt_scan *scan)
{
	struct kt_error ignored;

	return kt_expr_eval(value, expr, kt_expr_name(expr) != NULL ? kt_scan_constant_alone : kt_scan_constant, scan,
			    &ignored) == KT_OK;
}
