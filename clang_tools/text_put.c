/* Names of a text replaced by other texts. */
#include <string.h>

#include "expand.h"

/* A name or a number alone needs no brackets. */
static bool is_word(const char *text)
{
	size_t i = 0;
	while (text[i] == '_' || (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'z') ||
	       (text[i] >= 'A' && text[i] <= 'Z'))
		i++;
	return i > 0 && text[i] == '\0';
}

bool kt_text_names(const struct kt_text *text, size_t i, const char *name)
{
	const char *dot = strchr(name, '.');
	const struct kt_token *token = i < text->count ? &text->tokens[i] : NULL;
	if (dot == NULL)
		return kt_token_is(text, i, name) != 0;
	const size_t length = (size_t)(dot - name);
	return token != NULL && token->end - token->begin == length &&
	       memcmp(text->data + token->begin, name, length) == 0 && kt_token_is(text, i + 1, ".") &&
	       kt_token_is(text, i + 2, dot + 1);
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
		while (n < count && (member || !kt_text_names(&tokens, t, names[n])))
			n++;
		if (n < count && strchr(names[n], '.') != NULL)
			t += 2;
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

bool kt_text_has_name(struct kt_scan *scan, const char *text, const char *name)
{
	struct kt_text tokens;
	struct kt_error ignored;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
		return true;
	for (size_t i = 0; i < tokens.count; i++)
		if (kt_token_is(&tokens, i, name) && (i == 0 || !kt_token_is(&tokens, i - 1, ".")))
			return true;
	return false;
}
