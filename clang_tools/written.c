/* What the host's text does to a variable besides assigning it: a call or a reference may write it. */
#include <string.h>

#include "expand.h"

size_t kt_call_of_argument(const struct kt_text *text, size_t argument, size_t *index)
{
	size_t depth = 0;
	*index = 0;
	for (size_t i = argument; i-- > 0;) {
		const bool opens = kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{");
		if (kt_token_is(text, i, ")") || kt_token_is(text, i, "]") || kt_token_is(text, i, "}"))
			depth++;
		else if (opens && depth > 0)
			depth--;
		else if (opens)
			return kt_token_is(text, i, "(") ? i : text->count;
		else if (depth == 0 && kt_token_is(text, i, ";"))
			return text->count;
		else if (depth == 0 && kt_token_is(text, i, ","))
			++*index;
	}
	return text->count;
}

size_t kt_call_name(const struct kt_text *text, size_t open)
{
	size_t depth = 0, i = open;
	if (i == 0)
		return text->count;
	do {
		i--;
		if (kt_token_is(text, i, ">"))
			depth++;
		else if (kt_token_is(text, i, "<") && depth > 0)
			depth--;
		else if (depth == 0)
			return text->tokens[i].kind == KT_TOKEN_NAME ? i : text->count;
	} while (i > 0 && !kt_token_is(text, i, ";"));
	return text->count;
}

/* Does the function take the argument of that index by a reference through which it may write? */
static bool takes_reference(CXCursor function, size_t index)
{
	const CXType type = kt_clang.getCursorType(function);
	const int count = kt_clang.getNumArgTypes(type);
	if (count <= 0)
		return false;
	/* The last one of a template may be a pack. */
	const unsigned at = index < (size_t)count ? (unsigned)index : (unsigned)count - 1;
	const CXType argument = kt_clang.getCanonicalType(kt_clang.getArgType(type, at));
	return argument.kind == CXType_LValueReference &&
	       kt_clang.isConstQualifiedType(kt_clang.getPointeeType(argument)) == 0;
}

static bool any_takes_reference(CXCursor target, size_t index)
{
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return takes_reference(target, index);
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++)
		if (takes_reference(kt_clang.getOverloadedDecl(target, i), index))
			return true;
	return false;
}

/* `T &r = name`, `T &r(name)`: what is done to r is done to the variable. */
static bool bound_by_reference(const struct kt_text *text, size_t name)
{
	if (name < 3 || text->tokens[name - 2].kind != KT_TOKEN_NAME ||
	    !(kt_token_is(text, name - 1, "=") || kt_token_is(text, name - 1, "(") ||
	      kt_token_is(text, name - 1, "{")) ||
	    !(kt_token_is(text, name - 3, "&") || kt_token_is(text, name - 3, "&&")))
		return false;
	/* "if (a && f(name))" is no declaration: its type would be in front. */
	size_t first = name - 3;
	while (first > 0 && (text->tokens[first - 1].kind == KT_TOKEN_NAME || kt_token_is(text, first - 1, "::")))
		first--;
	if (first == name - 3 || !(kt_token_is(text, first - 1, ";") || kt_token_is(text, first - 1, "{") ||
				   kt_token_is(text, first - 1, "}")))
		return false;
	for (size_t i = first; i < name - 3; i++)
		if (kt_token_is(text, i, "const") || kt_token_is(text, i, "return"))
			return false;
	return true;
}

/* `name.f(…)` of a function that may change the object. */
static bool changed_by_member(const struct kt_scan *scan, size_t name)
{
	const struct kt_text *text = scan->text;
	if (!kt_token_is(text, name + 1, ".") || !kt_token_is(text, name + 3, "("))
		return false;
	CXCursor target = kt_cursor_named(scan, text->tokens[name + 2].begin);
	return kt_clang.Cursor_isNull(target) == 0 && kt_clang.getCursorKind(target) == CXCursor_CXXMethod &&
	       kt_clang.CXXMethod_isConst(target) == 0 && kt_clang.CXXMethod_isStatic(target) == 0;
}

/* A macro whose body writes the parameter of that index. */
static bool macro_writes(struct kt_scan *scan, const struct kt_macro *macro, size_t index)
{
	struct kt_text body;
	struct kt_error ignored;
	if (!macro->is_function || index >= macro->parameter_count ||
	    kt_lex(&body, scan->arena, macro->body, 0, strlen(macro->body), false, &ignored) != KT_OK)
		return false;
	for (size_t i = 0; i < body.count; i++)
		if (kt_token_is(&body, i, macro->parameters[index]) &&
		    (kt_token_written(&body, i) || (kt_token_is(&body, i + 1, ")") && kt_token_written(&body, i + 1))))
			return true;
	return false;
}

/* `stream >> name`, where the operator is a function that takes a reference. */
static bool read_from_stream(const struct kt_scan *scan, size_t name)
{
	if (name == 0 || !kt_token_is(scan->text, name - 1, ">>"))
		return false;
	CXCursor target = kt_cursor_named(scan, scan->text->tokens[name - 1].begin);
	const int count =
	    kt_clang.Cursor_isNull(target) == 0 ? kt_clang.getNumArgTypes(kt_clang.getCursorType(target)) : 0;
	return count > 0 && any_takes_reference(target, (size_t)count - 1);
}

/* The token after `name`, `name.member`, `name[i]`. */
static size_t operand_end(const struct kt_text *text, size_t name)
{
	size_t i = name + 1;
	for (;;) {
		if (kt_token_is(text, i, ".") && i + 1 < text->count && text->tokens[i + 1].kind == KT_TOKEN_NAME)
			i += 2;
		else if (kt_token_is(text, i, "["))
			i = kt_token_match(text, i) + 1;
		else
			return i;
	}
}

bool kt_written_elsewhere(struct kt_scan *scan, size_t name)
{
	const struct kt_text *text = scan->text;
	size_t index = 0;
	if (bound_by_reference(text, name) || changed_by_member(scan, name) || read_from_stream(scan, name))
		return true;
	const size_t after = operand_end(text, name);
	if (name == 0 || !(kt_token_is(text, name - 1, "(") || kt_token_is(text, name - 1, ",")) ||
	    !(kt_token_is(text, after, ")") || kt_token_is(text, after, ",")))
		return false;
	const size_t open = kt_call_of_argument(text, name, &index);
	const size_t callee = open < text->count ? kt_call_name(text, open) : text->count;
	if (callee >= text->count)
		return false;
	const char *word = kt_arena_strndup(scan->arena, text->data + text->tokens[callee].begin,
					    text->tokens[callee].end - text->tokens[callee].begin);
	const struct kt_macro *macro = word != NULL ? kt_scan_macro(scan, word) : NULL;
	if (macro != NULL)
		return macro_writes(scan, macro, index);
	if (word != NULL && kt_lambda_writes(scan, word, text->tokens[callee].begin, index))
		return true;
	CXCursor target = kt_cursor_named(scan, text->tokens[callee].begin);
	return kt_clang.Cursor_isNull(target) == 0 && any_takes_reference(target, index);
}

bool kt_may_change(struct kt_scan *scan, const struct kt_local *local)
{
	const struct kt_text *text = scan->text;
	const enum CXLinkageKind linkage = kt_clang.getCursorLinkage(local->cursor);
	if (linkage == CXLinkage_NoLinkage || kt_clang.isConstQualifiedType(local->type) != 0)
		return false;
	if (linkage == CXLinkage_External)
		return true;
	for (size_t i = kt_token_at(text, local->end); i < text->count; i++)
		if (kt_token_is(text, i, local->name) && (kt_token_written(text, i) || kt_written_elsewhere(scan, i)))
			return true;
	return false;
}

/* May the use of a variable at a token write it? */
static bool writes(struct kt_scan *scan, size_t i)
{
	const size_t first = i > 0 && kt_token_is(scan->text, i - 1, "&") ? i - 1 : i;
	return (kt_token_written(scan->text, i) || kt_written_elsewhere(scan, i)) && !kt_output_keeps(scan, first);
}

bool kt_changes_until(struct kt_expand *x, const struct kt_local *own, const char *value, size_t first, size_t end)
{
	const struct kt_text *text = x->scan->text;
	for (size_t i = first; i < end; i++) {
		if (text->tokens[i].kind != KT_TOKEN_NAME || (i > 0 && (kt_token_is(text, i - 1, ".") || kt_token_is(text, i - 1, "->"))))
			continue;
		const char *name = kt_arena_strndup(x->scan->arena, text->data + text->tokens[i].begin,
						    text->tokens[i].end - text->tokens[i].begin);
		const struct kt_local *local = name != NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
		if (local == NULL || local == own || !kt_text_has_name(x->scan, value, name) || !writes(x->scan, i))
			continue;
		if (x->cause == NULL)
			x->cause = kt_arena_printf(x->scan->arena, "'%s' is made of '%s', which changes before the launch", own->name, name);
		return true;
	}
	return false;
}
