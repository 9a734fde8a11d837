#include "uses.h"

#include <string.h>

static bool behind_member(const struct kt_text *text, size_t token)
{
	return token > 0 && (kt_token_is(text, token - 1, ".") || kt_token_is(text, token - 1, "->"));
}

/* Something else of the same name is declared at this place. */
static bool declares_other(const struct kt_scan *scan, uint32_t at, CXCursor constant)
{
	for (size_t i = 0; i < scan->local_count; i++)
		if (scan->locals[i].at == at)
			return kt_clang.equalCursors(kt_clang.getCanonicalCursor(scan->locals[i].cursor), constant) == 0;
	return false;
}

bool kt_uses_parameter(const struct kt_scan *scan, const struct kt_tuned *t, const struct kt_text *text, size_t token)
{
	uint32_t at = text->tokens[token].begin;
	if (text->tokens[token].kind != KT_TOKEN_NAME || !kt_token_is(text, token, t->parameter->name))
		return false;
	if (t->parameter->kind == KT_PARAMETER_MACRO)
		return true;
	if (behind_member(text, token))
		return false;
	if (t->parameter->kind == KT_PARAMETER_TEMPLATE || text->data != scan->text->data)
		return true;
	CXCursor target = kt_scan_target(scan, at);
	if (kt_clang.Cursor_isNull(target) == 0)
		return kt_scan_same(scan, target, t->constant);
	return !declares_other(scan, at, t->constant);
}

bool kt_uses_macro(const struct kt_scan *scan, const struct kt_tuned *t, const struct kt_text *text, size_t token)
{
	const struct kt_token *name = &text->tokens[token];
	size_t length = name->end - name->begin;
	if (name->kind != KT_TOKEN_NAME)
		return false;
	for (size_t i = kt_index_find(scan->macro_index, text->data + name->begin, length, 0); i != SIZE_MAX;
	     i = kt_index_find(scan->macro_index, text->data + name->begin, length, i + 1))
		if (t->macros[i])
			return true;
	return false;
}

kt_status kt_uses_find_macros(struct kt_scan *scan, struct kt_tuned *t, struct kt_error *err)
{
	bool *marks = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *marks);
	struct kt_text *bodies = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *bodies);
	bool changed = true;
	if (marks == NULL || bodies == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading parameters");
	t->macros = marks;
	for (size_t i = 0; i < scan->macro_count; i++)
		TRY(kt_lex(&bodies[i], scan->arena, scan->macros[i].body, 0, strlen(scan->macros[i].body), false, err));
	while (changed) {
		changed = false;
		for (size_t i = 0; i < scan->macro_count; i++)
			for (size_t k = 0; k < bodies[i].count && !marks[i]; k++)
				if (kt_token_is(&bodies[i], k, t->parameter->name) ||
				    kt_uses_macro(scan, t, &bodies[i], k))
					marks[i] = changed = true;
	}
	return KT_OK;
}

void kt_uses_each(struct kt_scan *scan, size_t file, struct kt_range range, kt_use_visit visit, void *context)
{
	const struct kt_text *text = kt_scan_text(scan, file);
	if (text == NULL)
		return;
	for (size_t i = kt_token_at(text, range.begin); i < text->count && text->tokens[i].begin < range.end; i++) {
		const struct kt_token *token = &text->tokens[i];
		struct kt_text inside;
		struct kt_error err;
		uint32_t rest = 0;
		if (token->kind == KT_TOKEN_NAME)
			visit(context, text, i, NULL);
		if (token->kind != KT_TOKEN_DIRECTIVE)
			continue;
		const char *word = kt_directive_word(scan->arena, text, token, &rest);
		if (word == NULL ||
		    kt_lex(&inside, scan->arena, text->data, rest, token->end, false, &err) != KT_OK ||
		    (strcmp(word, "pragma") == 0 && kt_token_is(&inside, 0, "ktune")))
			continue;
		for (size_t k = 0; k < inside.count; k++)
			if (inside.tokens[k].kind == KT_TOKEN_NAME)
				visit(context, &inside, k, word);
	}
}
