/* What a function of the project writes to a variable that a call gives it by its address or by reference. */
#include "expand.h"
#include "launches.h"

#include <string.h>

#define MOST_PARAMETERS 12

/* A call's function: its parameters, and its body as a separate text in which "*p" and "p->" are "p" and "p.". */
struct callee {
	struct kt_scan *scan;
	const char *names[MOST_PARAMETERS];
	bool written[MOST_PARAMETERS], pointer[MOST_PARAMETERS];
	size_t count;
	CXCursor function, body;
	bool failed;
};

static enum CXChildVisitResult read_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct callee *c = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) == CXCursor_CompoundStmt)
		c->body = cursor;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	if (c->count == MOST_PARAMETERS) {
		c->failed = true;
		return CXChildVisit_Break;
	}
	const CXType type = kt_clang.getCanonicalType(kt_clang.getCursorType(cursor));
	const bool indirect = type.kind == CXType_Pointer || type.kind == CXType_LValueReference;
	c->names[c->count] = kt_clang_text(c->scan->arena, kt_clang.getCursorSpelling(cursor));
	c->pointer[c->count] = type.kind == CXType_Pointer;
	c->written[c->count] = indirect && kt_clang.isConstQualifiedType(kt_clang.getPointeeType(type)) == 0;
	c->failed = c->failed || c->names[c->count] == NULL || c->names[c->count++][0] == '\0';
	return CXChildVisit_Continue;
}

/* The function that the name at a token calls, with a body in the project; false: it is not clear, or another one may
 * run. */
static bool read_callee(struct callee *c, struct kt_scan *scan, size_t name)
{
	CXCursor target = kt_cursor_named(scan, scan->text->tokens[name].begin);
	*c = (struct callee){.scan = scan, .body = kt_clang.getNullCursor()};
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	c->function = kt_clang.getCursorDefinition(kt_clang.Cursor_isNull(from) == 0 ? from : target);
	if (kt_clang.Cursor_isNull(c->function) != 0 || kt_clang.CXXMethod_isVirtual(c->function) != 0)
		return false;
	kt_clang.visitChildren(c->function, read_child, c);
	return !c->failed && kt_clang.Cursor_isNull(c->body) == 0;
}

static size_t parameter_at(const struct callee *c, const struct kt_text *text, size_t i)
{
	size_t p = 0;
	while (p < c->count && !kt_token_is(text, i, c->names[p]))
		p++;
	return p;
}

/* Appends the body. False: a pointer is used as such, or a directive chooses the text. */
static bool write_body(struct kt_buf *out, const struct callee *c)
{
	size_t file = SIZE_MAX;
	const CXSourceRange extent = kt_clang.getCursorExtent(c->body);
	const uint32_t at = kt_scan_offset(c->scan, kt_clang.getRangeStart(extent), &file);
	const struct kt_text *text = file != SIZE_MAX ? kt_scan_text(c->scan, file) : NULL;
	const size_t open = text != NULL ? kt_token_at(text, at) : 0,
		     close = text != NULL ? kt_token_match(text, open) : 0;
	for (size_t i = open; text != NULL && i <= close && i < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];
		const size_t next = kt_token_is(text, i, "*") ? parameter_at(c, text, i + 1) : c->count;
		const size_t p = parameter_at(c, text, i);
		if (token->kind == KT_TOKEN_DIRECTIVE)
			return false;
		if (next < c->count && c->pointer[next])
			continue;
		if (p < c->count && c->pointer[p] && c->written[p] && !kt_token_is(text, i - 1, "*") &&
		    !kt_token_is(text, i + 1, "->"))
			return false;
		kt_buf_addf(out, " %.*s", (int)(token->end - token->begin), text->data + token->begin);
		if (p < c->count && c->pointer[p] && kt_token_is(text, i + 1, "->")) {
			kt_buf_adds(out, " .");
			i++;
		}
	}
	return text != NULL && close < text->count && !out->failed;
}

/* Where the statement of the call begins; text->count: the call is not always executed with it. */
static size_t statement_of(const struct kt_text *text, size_t name)
{
	static const char *const ends[] = {";", "{", "}", ")", "else", "do"}, *const choices[] = {"&&", "||",  "?",
												  ":",  "for", "while"};
	size_t first = name;
	for (bool begins = false; first > 0 && !begins; first -= !begins) {
		begins = text->tokens[first - 1].kind == KT_TOKEN_DIRECTIVE;
		for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
			begins = begins || kt_token_is(text, first - 1, ends[i]);
		for (size_t i = 0; !begins && i < sizeof choices / sizeof choices[0]; i++)
			if (kt_token_is(text, first - 1, choices[i]))
				return text->count;
	}
	return first;
}

/* The value with what the call passes for parameters. NULL: a number of arguments is left out, or another use is made
 * of them. */
static const char *with_arguments(const struct callee *c, size_t open, const char *value)
{
	const struct kt_text *text = c->scan->text;
	const char *arguments[MOST_PARAMETERS + 1];
	const size_t close = kt_token_match(text, open);
	if (close >= text->count || kt_split_list(c->scan, text->tokens[open].end, text->tokens[close].begin, arguments,
						  MOST_PARAMETERS + 1) != c->count)
		return NULL;
	for (size_t p = 0; p < c->count; p++)
		if (c->pointer[p])
			arguments[p] += arguments[p][0] == '&';
	return kt_text_put(c->scan, value, c->names, arguments, c->count);
}

bool kt_output_read(struct kt_output *out, struct kt_expand *x, const struct kt_local *local, size_t token,
		    const char *member)
{
	struct kt_scan *scan = x->scan;
	const struct kt_text *text = scan->text;
	struct callee c;
	struct kt_buf buf = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_text body;
	struct kt_error ignored;
	size_t index = 0;
	const size_t open = kt_call_of_argument(text, token, &index),
		     name = open < text->count ? kt_call_name(text, open) : text->count;
	*out = (struct kt_output){.statement = name < text->count ? statement_of(text, name) : text->count};
	if (out->statement >= text->count || !read_callee(&c, scan, name) || index >= c.count)
		return false;
	out->is_unchanged = !c.written[index];
	if (out->is_unchanged)
		return true;
	const char *copy = write_body(&buf, &c) ? kt_arena_strdup(scan->arena, kt_buf_text(&buf)) : NULL;
	kt_buf_free(&buf);
	if (copy == NULL || kt_lex(&body, scan->arena, copy, 0, strlen(copy), false, &ignored) != KT_OK)
		return false;
	const char *value = kt_body_output(scan, &body, c.names, c.written, c.count, index, member);
	/* A member of what is written as a whole. */
	if (value != NULL && member != NULL && value[0] == '=')
		value = kt_record_member(scan, x->at, local->type, value + 1, member);
	else if (value != NULL && value[0] == '=')
		value++;
	out->is_unchanged = value != NULL && value[0] == '\0';
	if (value == NULL || out->is_unchanged)
		return value != NULL;
	value = kt_with_fields(x, c.function, name, value, c.names, c.count);
	out->value = value != NULL ? with_arguments(&c, open, value) : NULL;
	return out->value != NULL;
}

bool kt_output_keeps(struct kt_scan *scan, size_t token)
{
	struct callee c;
	size_t index = 0;
	const size_t open = kt_call_of_argument(scan->text, token, &index),
		     name = open < scan->text->count ? kt_call_name(scan->text, open) : scan->text->count;
	return name < scan->text->count && read_callee(&c, scan, name) && index < c.count && !c.written[index];
}
