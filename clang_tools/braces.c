#include <string.h>

#include "base/lex.h"
#include "cuda.h"

/* Changes "{" … "}" that are a whole extent between the tokens; true: there was one. */
static bool change(char *copy, const struct kt_text *text, size_t open, size_t close)
{
	bool changed = false;
	for (size_t i = open + 1; i < close; i++) {
		if (!kt_token_is(text, i, "{") && !kt_token_is(text, i, "(") && !kt_token_is(text, i, "["))
			continue;
		size_t last = kt_token_match(text, i);
		bool whole = kt_token_is(text, i, "{") && last < close &&
			     (i == open + 1 || kt_token_is(text, i - 1, ",")) && last > i + 1;
		if (whole) {
			copy[text->tokens[i].begin] = '(';
			copy[text->tokens[last].begin] = ')';
			changed = true;
		}
		i = last;
	}
	return changed;
}

/* "<< <" → "<<< ", which libclang takes for a launch; false: the token is in one piece. */
static bool close_up(char *copy, const struct kt_token *token)
{
	if (token->end - token->begin == 3)
		return false;
	memset(copy + token->begin + 1, copy[token->begin], 2);
	memset(copy + token->begin + 3, ' ', token->end - token->begin - 3);
	return true;
}

const char *kt_cuda_braces(struct kt_arena *arena, const char *data, size_t size)
{
	struct kt_text text;
	struct kt_error ignored;
	bool changed = false;
	if (!kt_may_launch(data, size) || kt_lex(&text, arena, data, 0, size, false, &ignored) != KT_OK)
		return NULL;
	char *copy = kt_arena_strndup(arena, data, size);
	for (size_t i = 0; copy != NULL && i < text.count; i++) {
		size_t close = i + 1;
		if (!kt_token_is(&text, i, "<<<"))
			continue;
		while (close < text.count && !kt_token_is(&text, close, ">>>") && !kt_token_is(&text, close, ";"))
			close++;
		if (!kt_token_is(&text, close, ">>>"))
			continue;
		changed = change(copy, &text, i, close) || changed;
		changed = close_up(copy, &text.tokens[i]) || changed;
		changed = close_up(copy, &text.tokens[close]) || changed;
	}
	return changed ? copy : NULL;
}
