#include <string.h>

#include "instances.h"

#define MOST_DEPTH 6

static bool expand(struct kt_buf *out, struct kt_scan *scan, const struct kt_text *text, size_t first, size_t end,
		   int depth);

/* The invocation of a macro at token *i, moved to its last token; false: it is none that can be written out. */
static bool expand_macro(struct kt_buf *out, struct kt_scan *scan, const struct kt_text *text, size_t *i, int depth)
{
	const struct kt_token *token = &text->tokens[*i];
	const char **arguments = NULL;
	size_t count = 0, close = kt_token_match(text, *i + 1);
	struct kt_text body;
	struct kt_error ignored;
	const char *name = kt_arena_strndup(scan->arena, text->data + token->begin, token->end - token->begin);
	const struct kt_macro *macro = name != NULL ? kt_scan_macro(scan, name) : NULL;
	if (macro == NULL || !macro->is_function || depth > MOST_DEPTH || close >= text->count)
		return false;
	size_t begin = *i + 2;
	for (size_t t = begin; t <= close; t++) {
		if (t < close && (kt_token_is(text, t, "(") || kt_token_is(text, t, "[") || kt_token_is(text, t, "{")))
			t = kt_token_match(text, t);
		if (t < close && !kt_token_is(text, t, ","))
			continue;
		const char **slot = t > begin ? kt_arena_push(scan->arena, &arguments, &count, sizeof *slot) : NULL;
		if (slot == NULL)
			break;
		*slot = kt_scan_squeeze(scan, text, text->tokens[begin].begin, text->tokens[t - 1].end);
		begin = t + 1;
	}
	const char *put = count == macro->parameter_count
			      ? kt_substitute(scan, macro->body, macro->parameters, arguments, count)
			      : NULL;
	if (put == NULL || kt_lex(&body, scan->arena, put, 0, strlen(put), false, &ignored) != KT_OK)
		return false;
	*i = close;
	return expand(out, scan, &body, 0, body.count, depth + 1);
}

static bool expand(struct kt_buf *out, struct kt_scan *scan, const struct kt_text *text, size_t first, size_t end,
		   int depth)
{
	for (size_t i = first; i < end; i++) {
		if (text->tokens[i].kind == KT_TOKEN_NAME && kt_token_is(text, i + 1, "(") &&
		    expand_macro(out, scan, text, &i, depth))
			continue;
		if (kt_token_is(text, i, "\\"))
			continue;
		kt_buf_addf(out, "%.*s ", (int)(text->tokens[i].end - text->tokens[i].begin),
			    text->data + text->tokens[i].begin);
	}
	return !out->failed;
}

const struct kt_text *kt_instantiations(struct kt_scan *scan)
{
	const struct kt_text *text = scan->text;
	struct kt_buf all = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	if (scan->instantiations != NULL)
		return scan->instantiations;
	struct kt_text *out = kt_arena_array(scan->arena, 1, sizeof *out);
	for (size_t i = 0; out != NULL && i + 1 < text->count; i++) {
		/* Only what is at file scope or in a namespace instantiates. */
		bool scope =
		    kt_token_is(text, i, "{") && i > 0 &&
		    (kt_token_is(text, i - 1, "namespace") || (i > 1 && kt_token_is(text, i - 2, "namespace")) ||
		     text->tokens[i - 1].kind == KT_TOKEN_STRING ||
		     (i > 1 && text->tokens[i - 1].kind == KT_TOKEN_NAME && kt_token_is(text, i - 2, "::")));
		if (kt_token_is(text, i, "{") && !scope) {
			i = kt_token_match(text, i);
			continue;
		}
		struct kt_buf one = KT_BUF(KT_LIMIT_SOURCE_BYTES);
		if (text->tokens[i].kind == KT_TOKEN_NAME && kt_token_is(text, i + 1, "(") &&
		    !kt_scan_skipped(scan, text->tokens[i].begin) && expand_macro(&one, scan, text, &i, 0) &&
		    one.size > 9 && memmem(kt_buf_text(&one), one.size, "template ", 9) != NULL)
			kt_buf_addf(&all, "%s ;\n", kt_buf_text(&one));
		kt_buf_free(&one);
	}
	const char *copy = out != NULL && !all.failed ? kt_arena_strdup(scan->arena, kt_buf_text(&all)) : NULL;
	if (copy != NULL && kt_lex(out, scan->arena, copy, 0, strlen(copy), false, &ignored) == KT_OK)
		scan->instantiations = out;
	kt_buf_free(&all);
	return scan->instantiations;
}
