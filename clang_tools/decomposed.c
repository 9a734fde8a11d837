/* Names of a structured binding: `auto [grid, block] = configure(n);`. */
#include <string.h>

#include "expand.h"
#include "uses.h"

/* The index of a name between "[" and "]"; SIZE_MAX: it is not there, or something else is. */
static size_t index_in(const struct kt_text *text, size_t open, size_t close, const char *name)
{
	size_t found = SIZE_MAX;
	for (size_t i = open + 1; i < close; i++) {
		const bool separates = (i - open) % 2 == 0;
		if (separates ? !kt_token_is(text, i, ",") : text->tokens[i].kind != KT_TOKEN_NAME)
			return SIZE_MAX;
		if (kt_token_is(text, i, name))
			found = (i - open - 1) / 2;
	}
	return found;
}

static bool is_declaration(const struct kt_text *text, size_t open)
{
	size_t before = open;
	while (before > 0 && (kt_token_is(text, before - 1, "&") || kt_token_is(text, before - 1, "&&")))
		before--;
	return before > 0 && kt_token_is(text, before - 1, "auto");
}

/* The last declaration of a name that is visible at a token. */
struct declaration {
	size_t launch, open, index; /* open: its "["; SIZE_MAX: there is none */
	const char *name;
};

static void visit_use(void *context, const struct kt_text *text, size_t token, const char *directive)
{
	struct declaration *d = context;
	size_t i = token;
	if (directive != NULL || token >= d->launch)
		return;
	while (i > 0 && (kt_token_is(text, i, ",") || text->tokens[i].kind == KT_TOKEN_NAME))
		i--;
	if (!kt_token_is(text, i, "[") || !is_declaration(text, i))
		return;
	const size_t close = kt_token_match(text, i), block = kt_block_around(text, i);
	const size_t index = close < d->launch ? index_in(text, i, close, d->name) : SIZE_MAX;
	if (index == SIZE_MAX || block >= text->count || kt_token_match(text, block) <= d->launch)
		return;
	d->open = i;
	d->index = index;
}

/* Its "["; text->count: there is none. */
static size_t declaration_of(struct kt_scan *scan, size_t launch, const char *name, size_t *index)
{
	struct declaration d = {.launch = launch, .open = SIZE_MAX, .name = name};
	kt_uses_of(scan, &name, 1, visit_use, &d);
	*index = d.index;
	return d.open != SIZE_MAX ? d.open : scan->text->count;
}

/* "f" of the initialiser "f(…)", whose result has members: the name of the one at the index. NULL: it has none. */
static const char *member_at(struct kt_scan *scan, const struct kt_text *text, size_t first, size_t end, size_t index,
			     CXType *type)
{
	for (size_t i = first; i < end; i++) {
		CXCursor target = kt_clang.getNullCursor();
		if (!kt_token_is(text, i + 1, "(") ||
		    !kt_called_function(&target, scan, text, i, text->tokens[first].begin) ||
		    kt_clang.Cursor_isNull(target) != 0)
			continue;
		*type = kt_clang.getResultType(kt_clang.getCursorType(target));
		return kt_record_field(scan, *type, index);
	}
	return NULL;
}

/* What the declaration whose "[" is at a token gives the name; NULL: it is not known, or written afterwards. */
static const char *value_at(struct kt_expand *x, const char *name, size_t open, size_t index)
{
	struct kt_scan *scan = x->scan;
	const struct kt_text *text = scan->text;
	const size_t launch = kt_token_at(text, x->at);
	CXType type;
	const size_t close = kt_token_match(text, open);
	if (!kt_token_is(text, close + 1, "="))
		return NULL;
	size_t end = close + 2;
	while (end < launch && !kt_token_is(text, end, ";"))
		end = kt_token_is(text, end, "(") || kt_token_is(text, end, "{") ? kt_token_match(text, end) + 1
										 : end + 1;
	for (size_t i = end; i < launch; i++)
		if (kt_token_is(text, i, name) && !kt_token_is(text, i - 1, ".") && !kt_token_is(text, i - 1, "->") &&
		    (kt_token_written(text, i) || kt_written_elsewhere(scan, i)))
			return NULL;
	if (end >= launch || end == close + 2)
		return NULL;
	const char *value = kt_scan_squeeze(scan, text, text->tokens[close + 2].begin, text->tokens[end - 1].end);
	const char *member = member_at(scan, text, close + 2, end, index, &type);
	const char *found = member != NULL ? kt_record_member(scan, x->at, type, value, member) : NULL;
	return found != NULL ? found : kt_record_part(scan, x->at, value, index);
}

bool kt_decomposed(const char **value, struct kt_expand *x, const char *name)
{
	const struct kt_text *text = x->scan->text;
	const struct kt_local *local = kt_scan_visible(x->scan, name, x->at);
	size_t index = 0;
	const size_t open = declaration_of(x->scan, kt_token_at(text, x->at), name, &index);
	*value = NULL;
	/* A variable of that name that is declared later hides it. */
	if (open >= text->count || (local != NULL && local->at > text->tokens[open].begin))
		return false;
	*value = value_at(x, name, open, index);
	return true;
}
