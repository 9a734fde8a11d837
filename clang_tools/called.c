/* Which function a name of the host's text is: by the calls of that name in the main file, as the compiler resolves
 * them. */
#include <string.h>

#include "expand.h"
#include "uses.h"

#define MOST_FUNCTIONS 4 /* of one name that are compared */

/* The functions that the calls of a name lead to. */
struct called {
	struct kt_scan *scan;
	uint32_t at;  /* of the launch */
	bool objects; /* those that return one are meant, and no others */
	CXCursor functions[MOST_FUNCTIONS];
	size_t count;
	bool too_many;
	bool is_near; /* the class of the functions is the one that launches */
};

static bool is_function(CXCursor cursor)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_FunctionTemplate;
}

/* Is the launch in the class that the function is a member of? */
static bool around(const struct called *c, CXCursor function)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(kt_clang.getCursorSemanticParent(function));
	size_t file = SIZE_MAX;
	return kt_clang.getCursorKind(function) == CXCursor_CXXMethod &&
	       kt_scan_offset(c->scan, kt_clang.getRangeStart(extent), &file) <= c->at && file == 0 &&
	       kt_scan_offset(c->scan, kt_clang.getRangeEnd(extent), &file) > c->at;
}

/* Not for numbers: `float4 min(float4, float4)` of a project's vectors. */
static bool gives_object(CXCursor function)
{
	return kt_clang.getCanonicalType(kt_clang.getResultType(kt_clang.getCursorType(function))).kind ==
	       CXType_Record;
}

static void keep(struct called *c, CXCursor target)
{
	for (size_t i = 0; i < c->count; i++)
		if (kt_scan_same(c->scan, c->functions[i], target))
			return;
	c->too_many = c->too_many || c->count == MOST_FUNCTIONS;
	if (!c->too_many)
		c->functions[c->count++] = target;
}

static void add(struct called *c, CXCursor target)
{
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	if (kt_clang.Cursor_isNull(from) == 0)
		target = from;
	if (!is_function(target) || gives_object(target) != c->objects)
		return;
	const bool near = around(c, target);
	if (near && !c->is_near)
		c->count = 0;
	if (near == c->is_near || near)
		keep(c, target);
	c->is_near = c->is_near || near;
}

/* Is it the name of the function's own declaration? */
static bool declares(const struct kt_scan *scan, CXCursor target, uint32_t at)
{
	size_t file = SIZE_MAX;
	return kt_scan_offset(scan, kt_clang.getCursorLocation(target), &file) == at && file == 0;
}

CXCursor kt_cursor_named(const struct kt_scan *scan, uint32_t at)
{
	CXCursor target = kt_scan_target(scan, at);
	if (kt_clang.Cursor_isNull(target) == 0)
		return target;
	/* A member, or the declaration itself. */
	target = kt_clang.getCursor(scan->unit, kt_clang.getLocationForOffset(scan->unit, scan->files[0].file, at));
	return kt_clang.Cursor_isNull(target) == 0 && !is_function(target) ? kt_clang.getCursorReferenced(target)
									   : target;
}

static void add_all(struct called *c, uint32_t at)
{
	CXCursor target = kt_cursor_named(c->scan, at);
	if (kt_clang.Cursor_isNull(target) != 0 || declares(c->scan, target, at))
		return;
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef) {
		add(c, target);
		return;
	}
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++)
		add(c, kt_clang.getOverloadedDecl(target, i));
}

/* Are both names after the same qualifier, "ops::f" and "lib::ops::f", or after none? */
static bool same_qualifier(const struct kt_text *text, size_t name, const struct kt_text *other, size_t at)
{
	const bool qualified = name > 1 && kt_token_is(text, name - 1, "::"),
		   also = at > 1 && kt_token_is(other, at - 1, "::");
	if (!qualified || !also)
		return qualified == also;
	const struct kt_token *a = &text->tokens[name - 2], *b = &other->tokens[at - 2];
	return a->end - a->begin == b->end - b->begin &&
	       memcmp(text->data + a->begin, other->data + b->begin, a->end - a->begin) == 0;
}

/* The name of a call. */
struct calls {
	struct called *called;
	const struct kt_text *tokens;
	size_t name;
};

static void visit_call(void *context, const struct kt_text *text, size_t t, const char *directive)
{
	const struct calls *c = context;
	if (directive == NULL && t + 1 < text->count && (kt_token_is(text, t + 1, "(") || kt_token_is(text, t + 1, "<")) &&
	    same_qualifier(c->tokens, c->name, text, t))
		add_all(c->called, text->tokens[t].begin);
}

static void find(struct called *c, const struct kt_text *tokens, size_t name)
{
	const struct kt_token *token = &tokens->tokens[name];
	const char *word = kt_arena_strndup(c->scan->arena, tokens->data + token->begin, token->end - token->begin);
	struct calls calls = {c, tokens, name};
	if (word != NULL)
		kt_uses_of(c->scan, &word, 1, visit_call, &calls);
}

bool kt_called_function(CXCursor *out, struct kt_scan *scan, const struct kt_text *tokens, size_t name, uint32_t at)
{
	struct called c = {.scan = scan, .at = at, .objects = true};
	find(&c, tokens, name);
	*out = c.count == 1 && !c.too_many ? c.functions[0] : kt_clang.getNullCursor();
	return c.count > 0;
}

struct body {
	struct kt_scan *scan;
	const char ***names;
	size_t *count;
	CXCursor cursor;
};

static enum CXChildVisitResult read_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct body *b = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CompoundStmt)
		b->cursor = cursor;
	if (kt_clang.getCursorKind(cursor) == CXCursor_ParmDecl)
		b->scan->failed =
		    !kt_arena_push_text(b->scan->arena, b->names, b->count,
					kt_clang_text(b->scan->arena, kt_clang.getCursorSpelling(cursor))) ||
		    b->scan->failed;
	return b->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

const char *kt_definition_value(struct kt_scan *scan, CXCursor function, const char ***names, size_t *count)
{
	struct body b = {scan, names, count, kt_clang.getNullCursor()};
	size_t file = SIZE_MAX;
	CXCursor made = kt_clang.getCursorDefinition(function);
	if (kt_clang.Cursor_isNull(made) != 0 || kt_clang.CXXMethod_isVirtual(made) != 0)
		return NULL;
	kt_clang.visitChildren(made, read_child, &b);
	if (kt_clang.Cursor_isNull(b.cursor) != 0)
		return NULL;
	const uint32_t open = kt_scan_offset(scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(b.cursor)), &file);
	const struct kt_text *text = file != SIZE_MAX ? kt_scan_text(scan, file) : NULL;
	return text != NULL ? kt_body_value(scan, text, kt_token_at(text, open), *names, *count) : NULL;
}

/* A variable or member of the class that a function is a member of. */
struct member {
	struct kt_scan *scan;
	const char *name;
	bool found;
};

static enum CXChildVisitResult find_member(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct member *m = data;
	(void)parent;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const char *name = kind == CXCursor_FieldDecl || kind == CXCursor_VarDecl
			       ? kt_clang_text(m->scan->arena, kt_clang.getCursorSpelling(cursor))
			       : NULL;
	m->found = m->found || (name != NULL && strcmp(name, m->name) == 0);
	return m->found ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* Would a name of the function's body be another variable at the launch, or outside of the function's class? */
static bool is_captured(struct kt_scan *scan, CXCursor function, const char *name, uint32_t at)
{
	struct member m = {scan, name, false};
	const struct kt_local *local = at != UINT32_MAX ? kt_scan_visible(scan, name, at) : NULL;
	if (local != NULL && kt_clang.getCursorLinkage(local->cursor) == CXLinkage_NoLinkage)
		return true;
	if (kt_clang.getCursorKind(function) != CXCursor_CXXMethod ||
	    kt_index_find(scan->item_index, name, strlen(name), 0) == SIZE_MAX)
		return false;
	kt_clang.visitChildren(kt_clang.getCursorSemanticParent(function), find_member, &m);
	return m.found;
}

bool kt_is_hygienic(struct kt_scan *scan, CXCursor function, const char *value, const char *const *names, size_t count, uint32_t at)
{
	struct kt_text text;
	struct kt_error ignored;
	if (kt_lex(&text, scan->arena, value, 0, strlen(value), false, &ignored) != KT_OK)
		return false;
	for (size_t t = 0; t < text.count; t++) {
		const struct kt_token *token = &text.tokens[t];
		if (token->kind != KT_TOKEN_NAME || kt_token_is(&text, t + 1, "(") || kt_token_is(&text, t + 1, "::") ||
		    (t > 0 && (kt_token_is(&text, t - 1, ".") || kt_token_is(&text, t - 1, "->") ||
			       kt_token_is(&text, t - 1, "::"))))
			continue;
		const char *name = kt_arena_strndup(scan->arena, value + token->begin, token->end - token->begin);
		if (name == NULL || (!kt_has_text(names, count, name) && is_captured(scan, function, name, at)))
			return false;
	}
	return true;
}

static bool is_of_project(const struct kt_scan *scan, CXCursor function)
{
	size_t file = SIZE_MAX;
	(void)kt_scan_offset(scan, kt_clang.getCursorLocation(function), &file);
	return file != SIZE_MAX;
}

/* What all of the functions return, where their texts are the same: overloads for other types. */
static const char *common_value(struct called *c, const char ***names, size_t *count)
{
	const char *value = NULL;
	for (size_t i = 0; i < c->count && !c->too_many; i++) {
		const char **own = NULL, *one;
		size_t own_count = 0;
		one = kt_definition_value(c->scan, c->functions[i], &own, &own_count);
		if (one == NULL || !kt_is_hygienic(c->scan, c->functions[i], one, own, own_count, c->at) ||
		    (i > 0 && (own_count != *count || strcmp(one, value) != 0)))
			return NULL;
		for (size_t p = 0; i > 0 && p < own_count; p++)
			if (strcmp(own[p], (*names)[p]) != 0)
				return NULL;
		value = one;
		*names = own;
		*count = own_count;
	}
	return value;
}

const char *kt_called_value(struct kt_scan *scan, const struct kt_text *tokens, size_t name, uint32_t at, bool objects,
			    bool *is_call, const char ***names, size_t *count)
{
	struct called c = {.scan = scan, .at = at, .objects = objects};
	const struct kt_token *token = &tokens->tokens[name];
	find(&c, tokens, name);
	if (c.count > 0) {
		*is_call = false;
		for (size_t i = 0; i < c.count; i++)
			*is_call = *is_call || is_of_project(scan, c.functions[i]);
		return *is_call ? common_value(&c, names, count) : NULL;
	}
	/* The text is another file's, or a template's. */
	const char *word = tokens->data + token->begin;
	size_t item = kt_index_find(scan->item_index, word, token->end - token->begin, 0);
	while (item != SIZE_MAX && scan->items[item].is_function && gives_object(scan->items[item].cursor) != objects)
		item = kt_index_find(scan->item_index, word, token->end - token->begin, item + 1);
	*is_call = item != SIZE_MAX && scan->items[item].is_function;
	const char *value = *is_call ? kt_function_value(scan, item, names, count) : NULL;
	return value != NULL && kt_is_hygienic(scan, scan->items[item].cursor, value, *names, *count, at) ? value : NULL;
}

size_t kt_callee_named(const struct kt_scan *scan, const char *name)
{
	size_t item = kt_index_find(scan->item_index, name, strlen(name), 0);

	while (item != SIZE_MAX && scan->items[item].is_function && gives_object(scan->items[item].cursor))
		item = kt_index_find(scan->item_index, name, strlen(name), item + 1);
	return item;
}
