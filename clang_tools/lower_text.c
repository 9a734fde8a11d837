/*
 * What libclang's pretty-printed text of a declaration tells and no cursor does: unroll counts, alignments. The text
 * has macros expanded and is walked in step with the cursors. Launch bounds come as annotations (lower_headers.c):
 * they are in no text of an instance, and version 16 ends the process when it prints them.
 */
#include <stdlib.h>
#include <string.h>

#include "instances.h"
#include "lower_internal.h"

/* A number, or a constant's name, between "(" at the token and the next "," or ")". */
static bool number_at(struct kt_lower *l, const struct kt_text *text, size_t open, size_t *end, kt_expr_lookup lookup,
		      void *context, int64_t *number)
{
	struct kt_expr *expr = NULL;
	struct kt_error err;
	size_t depth = 0, i = open + 1;

	for (; i < text->count; i++) {
		if (depth == 0 && (kt_token_is(text, i, ",") || kt_token_is(text, i, ")")))
			break;
		depth += kt_token_is(text, i, "(");
		depth -= kt_token_is(text, i, ")");
	}
	if (i >= text->count || i == open + 1)
		return false;
	*end = i;
	return kt_expr_parse(&expr, l->arena, text->data + text->tokens[open + 1].begin,
			     text->tokens[i].begin - text->tokens[open + 1].begin, &err) == KT_OK &&
	       kt_expr_eval(number, expr, lookup, context, &err) == KT_OK;
}

/* The value of a template's parameter in the instance; a name's that is none of them: of the file's constants. */
struct instance {
	struct kt_lower *l;
	CXCursor function;
	struct kt_lower_children parameters; /* the template's children */
};

static bool template_value(int64_t *value, const char *name, void *context)
{
	const struct instance *at = context;
	unsigned number = 0;

	for (size_t i = 0; i < at->parameters.count; i++) {
		const enum CXCursorKind kind = kt_clang.getCursorKind(at->parameters.items[i]);

		if (kind != CXCursor_TemplateTypeParameter && kind != CXCursor_NonTypeTemplateParameter)
			continue;
		if (kind == CXCursor_NonTypeTemplateParameter &&
		    strcmp(kt_lower_spelling(at->l, at->parameters.items[i]), name) == 0) {
			*value = kt_clang.Cursor_getTemplateArgumentValue(at->function, number);
			return kt_clang.Cursor_getTemplateArgumentKind(at->function, number) ==
			       CXTemplateArgumentKind_Integral;
		}
		number++;
	}
	return kt_scan_constant(value, name, at->l->scan);
}

/* "256, 2", with macros expanded. */
static void read_bounds(struct kt_lower *l, CXCursor function, const char *bounds, struct kt_lower_printed *out)
{
	const CXCursor pattern = kt_clang.getSpecializedCursorTemplate(function);
	struct instance at = {l, function, {0}};
	struct kt_text text;
	struct kt_error err;
	int64_t number;
	size_t end, file = SIZE_MAX;
	const uint32_t place = kt_scan_offset(l->scan, kt_clang.getCursorLocation(function), &file);

	/* Macros have the meaning that they have at the kernel. */
	if (file == 0)
		l->scan->place = place;
	if (kt_clang.Cursor_isNull(pattern) == 0)
		at.parameters = kt_lower_children(l, pattern);
	if (kt_lex(&text, l->arena, bounds, 0, strlen(bounds), false, &err) != KT_OK || text.count == 0)
		return;
	if (!number_at(l, &text, 0, &end, template_value, &at, &number))
		return;
	out->max_threads = (uint32_t)number;
	if (kt_token_is(&text, end, ",") && number_at(l, &text, end, &end, template_value, &at, &number))
		out->min_blocks = (uint32_t)number;
}

static void read_attributes(struct kt_lower *l, CXCursor function, struct kt_lower_printed *out)
{
	static const char mark[] = KT_LOWER_BOUNDS;
	const struct kt_lower_children c = kt_lower_children(l, function);

	for (size_t i = 0; i < c.count; i++) {
		const char *text;

		if (kt_clang.getCursorKind(c.items[i]) != CXCursor_AnnotateAttr)
			continue;
		text = kt_lower_spelling(l, c.items[i]);
		out->is_forceinline |= strcmp(text, KT_LOWER_INLINE) == 0;
		out->is_noinline |= strcmp(text, KT_LOWER_NOINLINE) == 0;
		if (strncmp(text, mark, sizeof mark - 1) == 0)
			read_bounds(l, function, text + sizeof mark - 1, out);
	}
}

/* "#pragma unroll (4)" → 4, "(enable)" or nothing → −1, "nounroll" → 1; 0: another directive. */
static int unroll_of(const char *directive, size_t size)
{
	char text[64] = "";
	const char *at;

	memcpy(text, directive, size < sizeof text - 1 ? size : sizeof text - 1);
	if (strstr(text, "nounroll") != NULL || strstr(text, "(disable)") != NULL)
		return 1;
	at = strstr(text, "unroll");
	if (at == NULL)
		return 0;
	at += strcspn(at, "(0123456789");
	at += *at == '(';
	return *at >= '0' && *at <= '9' ? (int)strtol(at, NULL, 10) : -1;
}

static bool add_loop(struct kt_lower *l, struct kt_lower_printed *out, int unroll)
{
	int *slot = kt_arena_push(l->arena, &out->unrolls, &out->loop_count, sizeof *slot);

	if (slot == NULL)
		l->failed = true;
	else
		*slot = unroll;
	return slot != NULL;
}

enum { MOST_DOS = 64 };

/* A while that ends a do is after the do's statement, as deep in braces as the do. */
static void read_loops(struct kt_lower *l, const struct kt_text *text, struct kt_lower_printed *out)
{
	size_t dos[MOST_DOS], do_count = 0, depth = 0;
	int unroll = 0;

	for (size_t i = 0; i < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];

		if (token->kind == KT_TOKEN_DIRECTIVE) {
			unroll = unroll_of(text->data + token->begin, token->end - token->begin);
			continue;
		}
		depth += kt_token_is(text, i, "{");
		depth -= kt_token_is(text, i, "}") && depth > 0;
		if (kt_token_is(text, i, "while") && do_count > 0 && dos[do_count - 1] == depth && i > 0 &&
		    (kt_token_is(text, i - 1, "}") || kt_token_is(text, i - 1, ";"))) {
			do_count--;
			continue;
		}
		if (kt_token_is(text, i, "do") && do_count < MOST_DOS)
			dos[do_count++] = depth;
		if (!kt_token_is(text, i, "do") && !kt_token_is(text, i, "for") && !kt_token_is(text, i, "while"))
			continue;
		if (!add_loop(l, out, unroll))
			return;
		unroll = 0;
	}
}

void kt_lower_read_printed(struct kt_lower *l, CXCursor function, struct kt_lower_printed *out)
{
	const char *printed = kt_lower_printed(l, function);
	struct kt_text text;
	struct kt_error err;

	*out = (struct kt_lower_printed){0};
	read_attributes(l, function, out);
	if (kt_lex(&text, l->arena, printed, 0, strlen(printed), true, &err) != KT_OK)
		return;
	read_loops(l, &text, out);
}

uint32_t kt_lower_alignment(struct kt_lower *l, CXCursor variable)
{
	const char *printed = kt_lower_printed(l, variable);
	struct kt_text text;
	struct kt_error err;
	int64_t number, most = 0;
	size_t end;

	if (strstr(printed, "aligned") == NULL ||
	    kt_lex(&text, l->arena, printed, 0, strlen(printed), true, &err) != KT_OK)
		return 0;
	for (size_t i = 0; i + 1 < text.count; i++)
		if ((kt_token_is(&text, i, "aligned") || kt_token_is(&text, i, "alignas")) &&
		    number_at(l, &text, i + 1, &end, kt_scan_constant, l->scan, &number) && number > most &&
		    number <= 4096)
			most = number;
	return (uint32_t)most;
}
