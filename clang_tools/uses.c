#include "uses.h"

#include <stdlib.h>
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

/* Which macros' bodies have a name: read once. */
static kt_status index_bodies(struct kt_scan *scan, struct kt_error *err)
{
	struct kt_text *bodies = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *bodies);
	size_t count = 0;
	if (scan->body_index != NULL)
		return KT_OK;
	NEED(bodies, kt_no_memory(err));
	for (size_t i = 0; i < scan->macro_count; i++) {
		TRY(kt_lex(&bodies[i], scan->arena, scan->macros[i].body, 0, strlen(scan->macros[i].body), false, err));
		for (size_t k = 0; k < bodies[i].count; k++)
			count += bodies[i].tokens[k].kind == KT_TOKEN_NAME;
	}
	scan->no_macros = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *scan->no_macros);
	scan->body_index = kt_index_new(scan->arena, count);
	if (scan->body_index == NULL || scan->no_macros == NULL)
		return kt_no_memory(err);
	for (size_t i = 0; i < scan->macro_count; i++)
		for (size_t k = 0; k < bodies[i].count; k++) {
			const struct kt_token *token = &bodies[i].tokens[k];
			if (token->kind == KT_TOKEN_NAME)
				(void)kt_index_add(scan->body_index, bodies[i].data + token->begin, token->end - token->begin, i);
		}
	return KT_OK;
}

kt_status kt_uses_find_macros(struct kt_scan *scan, struct kt_tuned *t, struct kt_error *err)
{
	const char *name = t->parameter->name;
	size_t *found = NULL, count = 0;
	bool *marks = NULL;
	TRY(index_bodies(scan, err));
	t->macros = scan->no_macros;
	for (size_t next = 0;; name = scan->macros[found[next++]].name) {
		for (size_t at = kt_index_first(scan->body_index, name, strlen(name)); at != 0; at = kt_index_next(scan->body_index, at)) {
			const size_t macro = kt_index_entry(scan->body_index, at);
			if (marks == NULL)
				t->macros = marks = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *marks);
			NEED(marks, kt_no_memory(err));
			if (marks[macro])
				continue;
			marks[macro] = true;
			size_t *slot = kt_arena_push(scan->arena, &found, &count, sizeof *slot);
			NEED(slot, kt_no_memory(err));
			*slot = macro;
		}
		if (next == count)
			return KT_OK;
	}
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

struct names {
	struct kt_scan *scan;
	struct kt_text *copy; /* of a directive's text, which lives no longer than the visit */
};

static void keep_name(void *context, const struct kt_text *text, size_t token, const char *directive)
{
	struct names *n = context;
	struct kt_scan *scan = n->scan;
	struct kt_name_use *slot = kt_arena_push(scan->arena, &scan->names, &scan->name_count, sizeof *slot);
	const bool same = directive == NULL || (n->copy != NULL && n->copy->tokens == text->tokens);
	if (!same)
		n->copy = kt_arena_alloc(scan->arena, sizeof *n->copy);
	if (slot == NULL || (!same && n->copy == NULL)) {
		scan->failed = true;
		return;
	}
	if (!same)
		*n->copy = *text;
	*slot = (struct kt_name_use){directive == NULL ? text : n->copy, token, directive};
}

static bool index_uses(struct kt_scan *scan)
{
	struct names n = {.scan = scan};
	if (scan->use_names != NULL)
		return true;
	kt_uses_each(scan, 0, (struct kt_range){0, UINT32_MAX}, keep_name, &n);
	scan->use_names = scan->failed ? NULL : kt_index_new(scan->arena, scan->name_count);
	for (size_t i = 0; scan->use_names != NULL && i < scan->name_count; i++) {
		const struct kt_token *token = &scan->names[i].text->tokens[scan->names[i].token];
		(void)kt_index_add(scan->use_names, scan->names[i].text->data + token->begin, token->end - token->begin, i);
	}
	scan->failed = scan->failed || scan->use_names == NULL;
	return !scan->failed;
}

static void visit_name(const struct kt_scan *scan, size_t use, kt_use_visit visit, void *context)
{
	const struct kt_name_use *u = &scan->names[use];
	visit(context, u->text, u->token, u->directive);
}

static int by_number(const void *a, const void *b)
{
	const size_t left = *(const size_t *)a, right = *(const size_t *)b;
	return (left > right) - (left < right);
}

void kt_uses_of(struct kt_scan *scan, const char *const *names, size_t count, kt_use_visit visit, void *context)
{
	size_t *uses = NULL, use_count = 0;
	if (!index_uses(scan))
		return;
	if (count == 1) {
		for (size_t at = kt_index_first(scan->use_names, names[0], strlen(names[0])); at != 0;
		     at = kt_index_next(scan->use_names, at))
			visit_name(scan, kt_index_entry(scan->use_names, at), visit, context);
		return;
	}
	for (size_t n = 0; n < count; n++)
		for (size_t at = kt_index_first(scan->use_names, names[n], strlen(names[n])); at != 0;
		     at = kt_index_next(scan->use_names, at)) {
			size_t *slot = kt_arena_push(scan->arena, &uses, &use_count, sizeof *slot);
			if (slot == NULL) {
				scan->failed = true;
				return;
			}
			*slot = kt_index_entry(scan->use_names, at);
		}
	if (use_count > 1)
		qsort(uses, use_count, sizeof *uses, by_number);
	for (size_t i = 0; i < use_count; i++)
		if (i == 0 || uses[i] != uses[i - 1])
			visit_name(scan, uses[i], visit, context);
}
