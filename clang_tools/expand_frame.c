/* What the expand*.c files share: pieces of the text in work, and why it has no form in the expression language. */
#include "expand_internal.h"

#include <string.h>

/* Notes why the text has no form in the expression language; the first reason counts. */
bool kt_frame_refuse(struct kt_frame *f, const char *form, const char *name, const char *of)
{
	struct kt_expand *x = f->x;
	if (x->cause == NULL)
		x->cause = kt_arena_printf(x->scan->arena, form, name, of);
	return false;
}

const struct kt_item *kt_frame_function_around(const struct kt_scan *scan, uint32_t at)
{
	for (size_t i = 0; i < scan->item_count; i++)
		if (scan->items[i].file == 0 && scan->items[i].is_function && scan->items[i].begin <= at &&
		    at < scan->items[i].end)
			return &scan->items[i];
	return NULL;
}

const char *kt_frame_function(const struct kt_scan *scan, uint32_t at)
{
	const struct kt_item *function = kt_frame_function_around(scan, at);
	return function != NULL ? function->name : "the host";
}

const char *kt_frame_copy(const struct kt_frame *f, size_t first, size_t last)
{
	return first < last ? kt_scan_squeeze(f->x->scan, &f->tokens, f->tokens.tokens[first].begin,
					      f->tokens.tokens[last - 1].end)
			    : "";
}

/* Texts between the bracket at open and its partner, split at commas. */
bool kt_frame_split(const struct kt_frame *f, size_t open, const char ***out, size_t *count, size_t *close)
{
	*close = kt_token_match(&f->tokens, open);
	size_t begin = open + 1;
	if (*close >= f->tokens.count)
		return false;
	for (size_t i = open + 1; i <= *close; i++) {
		if (i < *close && (kt_token_is(&f->tokens, i, "(") || kt_token_is(&f->tokens, i, "[") ||
				   kt_token_is(&f->tokens, i, "{"))) {
			i = kt_token_match(&f->tokens, i);
			continue;
		}
		if (i < *close && !kt_token_is(&f->tokens, i, ","))
			continue;
		if (i == *close && begin == i)
			break;
		if (!kt_arena_push_text(f->x->scan->arena, out, count, kt_frame_copy(f, begin, i)))
			return false;
		begin = i + 1;
	}
	return true;
}

/* The "(" of a call `f(…)` or `f<…>(…)` whose name is token i, or 0. */
size_t kt_frame_call_open(const struct kt_frame *f, size_t i)
{
	uint32_t end = 0;
	if (kt_token_is(&f->tokens, i + 1, "("))
		return i + 1;
	if (!kt_token_is(&f->tokens, i + 1, "<"))
		return 0;
	size_t close = kt_token_match_angle(&f->tokens, i + 1, &end);
	return close < f->tokens.count && kt_token_is(&f->tokens, close + 1, "(") ? close + 1 : 0;
}

size_t kt_frame_choice(const struct kt_frame *f, size_t *colon)
{
	const struct kt_text *text = &f->tokens;
	size_t question = text->count, depth = 0;
	for (size_t i = 0; i < text->count; i++) {
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{"))
			i = kt_token_match(text, i);
		else if (kt_token_is(text, i, "?") && depth++ == 0)
			question = i;
		else if (kt_token_is(text, i, ":") && depth > 0 && --depth == 0) {
			*colon = i;
			return question;
		}
	}
	return text->count;
}

/* The text without the brackets around all of it. */
static const char *bare(struct kt_frame *f, size_t first, size_t last)
{
	while (last > first + 2 && kt_token_is(&f->tokens, first, "(") && kt_token_match(&f->tokens, first) == last - 1) {
		first++;
		last--;
	}
	return kt_frame_copy(f, first, last);
}

bool kt_text_choice(const char *parts[3], struct kt_scan *scan, const char *text)
{
	struct kt_expand x = {.scan = scan};
	struct kt_frame f = {.x = &x};
	struct kt_error err;
	size_t colon = 0;
	if (text == NULL || kt_lex(&f.tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return false;
	const size_t question = kt_frame_choice(&f, &colon);
	if (question >= f.tokens.count)
		return false;
	parts[0] = kt_frame_copy(&f, 0, question);
	parts[1] = bare(&f, question + 1, colon);
	parts[2] = bare(&f, colon + 1, f.tokens.count);
	return true;
}
