#include <string.h>

#include "expand.h"

#define MOST_STATEMENTS 8

/* A statement `if (condition) return value;`, or the last `return value;`, where condition is NULL. */
struct outcome {
	const char *condition, *value;
};

struct names {
	struct kt_scan *scan;
	const char ***names;
	size_t *count;
};

static enum CXChildVisitResult add_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct names *n = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	const char **slot = kt_arena_push(n->scan->arena, n->names, n->count, sizeof *slot);
	if (slot != NULL)
		*slot = kt_clang_text(n->scan->arena, kt_clang.getCursorSpelling(cursor));
	n->scan->failed = n->scan->failed || slot == NULL || *slot == NULL;
	return n->scan->failed ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* A name or a number alone needs no brackets. */
static bool is_word(const char *text)
{
	size_t i = 0;
	while (text[i] == '_' || (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'z') ||
	       (text[i] >= 'A' && text[i] <= 'Z'))
		i++;
	return i > 0 && text[i] == '\0';
}

const char *kt_text_put(struct kt_scan *scan, const char *text, const char *const *names, const char *const *values,
			size_t count)
{
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *copy = NULL;
	if (text == NULL || kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	for (size_t t = 0; t < tokens.count; t++) {
		size_t n = 0;
		bool member = t > 0 && (kt_token_is(&tokens, t - 1, ".") || kt_token_is(&tokens, t - 1, "->"));
		while (n < count && (member || !kt_token_is(&tokens, t, names[n])))
			n++;
		if (n < count)
			kt_buf_addf(&out, is_word(values[n]) ? "%s " : "(%s) ", values[n]);
		else
			kt_buf_addf(&out, "%.*s ", (int)(tokens.tokens[t].end - tokens.tokens[t].begin),
				    text + tokens.tokens[t].begin);
	}
	if (!out.failed)
		copy = kt_arena_strdup(scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* The index of the ";" that ends the statement at first; text->count where a block or the end comes earlier. */
static size_t statement_end(const struct kt_text *text, size_t first, size_t close)
{
	for (size_t i = first; i < close; i++) {
		if (kt_token_is(text, i, ";"))
			return i;
		if (kt_token_is(text, i, "{") && i > first && !kt_token_is(text, i - 1, "="))
			return text->count;
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "{") || kt_token_is(text, i, "["))
			i = kt_token_match(text, i);
	}
	return text->count;
}

/* The one `=` of a declaration `TYPE name = value`, or 0: what is in front of it has no brackets. */
static size_t definition(const struct kt_text *text, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "."))
			return 0;
		if (kt_token_is(text, i, "="))
			return i > first + 1 && text->tokens[i - 1].kind == KT_TOKEN_NAME ? i : 0;
	}
	return 0;
}

static const char *between(struct kt_scan *scan, const struct kt_text *text, size_t first, size_t end)
{
	return first < end ? kt_scan_squeeze(scan, text, text->tokens[first].begin, text->tokens[end - 1].end) : NULL;
}

/* The variables of a body so far, with what they hold in terms of the parameters. */
struct body {
	struct kt_scan *scan;
	const struct kt_text *text;
	const char *names[MOST_STATEMENTS], *values[MOST_STATEMENTS];
	size_t variable_count;
	struct outcome outcomes[MOST_STATEMENTS];
	size_t outcome_count;
};

static const char *put(struct body *b, size_t first, size_t end)
{
	return kt_text_put(b->scan, between(b->scan, b->text, first, end), b->names, b->values, b->variable_count);
}

/* Reads the statement at *i; false: it has a form that is not understood. */
static bool read_statement(struct body *b, size_t *i, size_t close)
{
	const struct kt_text *text = b->text;
	const char *condition = NULL;
	size_t first = *i;
	if (kt_token_is(text, first, "if") && kt_token_is(text, first + 1, "(")) {
		size_t end = kt_token_match(text, first + 1);
		condition = end < close ? put(b, first + 2, end) : NULL;
		if (condition == NULL)
			return false;
		first = end + 1;
		if (kt_token_is(text, first, "{") && kt_token_match(text, first) < close) {
			size_t last = kt_token_match(text, first);
			size_t end_of_first = statement_end(text, first + 1, last);
			if (end_of_first + 1 != last)
				return false;
			*i = last + 1;
			first++;
		}
	}
	size_t end = statement_end(text, first, close);
	if (end >= close)
		return false;
	*i = *i > end ? *i : end + 1;
	if (kt_token_is(text, first, "return")) {
		struct outcome *o = &b->outcomes[b->outcome_count++];
		*o = (struct outcome){condition, put(b, first + 1, end)};
		return o->value != NULL;
	}
	size_t equals = condition == NULL ? definition(text, first, end) : 0;
	if (equals == 0)
		return false;
	b->values[b->variable_count] = put(b, equals + 1, end);
	b->names[b->variable_count] = between(b->scan, text, equals - 1, equals);
	if (b->values[b->variable_count] == NULL || b->names[b->variable_count] == NULL)
		return false;
	b->variable_count++;
	return true;
}

const char *kt_function_value(struct kt_scan *scan, size_t item, const char ***names, size_t *count)
{
	const struct kt_item *function = &scan->items[item];
	struct body b = {.scan = scan, .text = kt_scan_text(scan, function->file)};
	struct names parameters = {scan, names, count};
	if (!function->is_function || function->body == 0 || b.text == NULL)
		return NULL;
	size_t open = kt_token_at(b.text, function->body), close = kt_token_match(b.text, open);
	if (close >= b.text->count || !kt_token_is(b.text, open, "{"))
		return NULL;
	for (size_t i = open + 1; i < close;)
		if (b.variable_count == MOST_STATEMENTS || b.outcome_count == MOST_STATEMENTS ||
		    !read_statement(&b, &i, close))
			return NULL;
	if (b.outcome_count == 0 || b.outcomes[b.outcome_count - 1].condition != NULL)
		return NULL;
	const char *value = b.outcomes[b.outcome_count - 1].value;
	for (size_t o = b.outcome_count - 1; o > 0 && value != NULL; o--)
		value = b.outcomes[o - 1].condition == NULL
			    ? NULL
			    : kt_arena_printf(scan->arena, "(%s) ? (%s) : (%s)", b.outcomes[o - 1].condition,
					      b.outcomes[o - 1].value, value);
	kt_clang.visitChildren(function->cursor, add_parameter, &parameters);
	return scan->failed ? NULL : value;
}
