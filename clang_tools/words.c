#include "words.h"

#include <string.h>

bool kt_words_has(const struct kt_words *words, const char *name)
{
	return kt_has_text(words->items, words->count, name);
}

bool kt_words_add(struct kt_words *words, struct kt_scan *scan, const char *name)
{
	const char **slot;

	if (name != NULL && kt_words_has(words, name))
		return true;
	slot = name != NULL ? kt_arena_push(scan->arena, &words->items, &words->count, sizeof *slot) : NULL;
	if (slot == NULL)
		return false;
	*slot = name;
	return true;
}

bool kt_words_of_text(struct kt_words *words, struct kt_scan *scan, const struct kt_text *text, uint32_t begin,
                      uint32_t end)
{
	const size_t first = kt_token_at(text, begin);

	for (size_t i = first; i < text->count && text->tokens[i].end <= end; i++) {
		const struct kt_token *token = &text->tokens[i];
		const bool member = i > first && (kt_token_is(text, i - 1, ".") || kt_token_is(text, i - 1, "->") ||
		                                  kt_token_is(text, i - 1, "::"));

		if (token->kind == KT_TOKEN_NAME && !member &&
		    !kt_words_add(words, scan, kt_arena_strndup(scan->arena, text->data + token->begin, token->end - token->begin)))
			return false;
	}
	return true;
}

/* All names of a part of a text that is read again: a macro's body, a directive. */
static bool add_lexed(struct kt_words *words, struct kt_scan *scan, const char *data, size_t begin, size_t end)
{
	struct kt_text text;
	struct kt_error ignored;

	return kt_lex(&text, scan->arena, data, begin, end, false, &ignored) == KT_OK &&
	       kt_words_of_text(words, scan, &text, (uint32_t)begin, (uint32_t)end);
}

static bool is_parameter(const struct kt_macro *macro, const char *name)
{
	return kt_has_text(macro->parameters, macro->parameter_count, name);
}

bool kt_words_of_macros(struct kt_words *words, struct kt_scan *scan, const struct kt_words *used)
{
	struct kt_words macros = {0, NULL};

	for (size_t i = 0; i < used->count; i++)
		if (!kt_words_add(&macros, scan, used->items[i]))
			return false;
	for (size_t i = 0; i < macros.count; i++)
		for (size_t m = 0; m < scan->macro_count; m++) {
			const struct kt_macro *macro = &scan->macros[m];
			struct kt_words own = {0, NULL};

			if (strcmp(macro->name, macros.items[i]) != 0)
				continue;
			if (!add_lexed(&own, scan, macro->body, 0, strlen(macro->body)))
				return false;
			for (size_t k = 0; k < own.count; k++)
				if (!is_parameter(macro, own.items[k]) && (!kt_words_add(words, scan, own.items[k]) ||
				                                           !kt_words_add(&macros, scan, own.items[k])))
					return false;
		}
	return true;
}

/* The macro that a directive defines or undefines, else NULL. */
static const char *set_by(struct kt_scan *scan, const struct kt_text *text, const struct kt_token *token)
{
	uint32_t rest = token->end, end;
	const char *word = kt_directive_word(scan->arena, text, token, &rest);

	if (word == NULL || (strcmp(word, "define") != 0 && strcmp(word, "undef") != 0))
		return NULL;
	while (rest < token->end && (text->data[rest] == ' ' || text->data[rest] == '\t'))
		rest++;
	for (end = rest; end < token->end && strchr(" \t\r\n(/\\", text->data[end]) == NULL;)
		end++;
	return kt_arena_strndup(scan->arena, text->data + rest, end - rest);
}

bool kt_words_are_kept(struct kt_scan *scan, struct kt_range range)
{
	const struct kt_text *text = scan->text;
	struct kt_words all = {0, NULL}, inside = {0, NULL};

	if (!kt_words_of_text(&all, scan, text, range.begin, range.end))
		return false;
	for (size_t i = kt_token_at(text, range.begin); i < text->count && text->tokens[i].end <= range.end; i++)
		if (text->tokens[i].kind == KT_TOKEN_DIRECTIVE &&
		    !add_lexed(&all, scan, text->data, text->tokens[i].begin, text->tokens[i].end))
			return false;
	if (!kt_words_of_macros(&inside, scan, &all))
		return false;
	for (size_t i = kt_token_at(text, range.end); i < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];
		const char *name = token->kind == KT_TOKEN_DIRECTIVE && !kt_scan_skipped(scan, token->begin)
		                       ? set_by(scan, text, token)
		                       : NULL;

		if (name != NULL && (kt_words_has(&all, name) || kt_words_has(&inside, name)))
			return false;
	}
	return true;
}
