/* What a member of the class that launches holds: `Op(int n) : n_(n), grid_((n + 255) / 256) {}`, `blocks_ = (n + 255) / 256;`. */
#include <string.h>

#include "expand.h"
#include "uses.h"
#include "launches.h"

#define MOST_NAMES 8

/* A place that writes the member: what is written, and the text in which its names have their meaning. */
struct write {
	size_t first, end;
	size_t begin, close; /* tokens of the constructor's list and body, or of the block */
	bool is_list;        /* "(…)", "{…}" */
};

struct writes {
	struct write by_function, by_default;
	size_t functions; /* SIZE_MAX: something else writes it */
};

static size_t end_of_value(const struct kt_text *text, size_t i)
{
	while (i < text->count && !kt_token_is(text, i, ";") && !kt_token_is(text, i, ","))
		i = kt_token_is(text, i, "(") || kt_token_is(text, i, "{") ? kt_token_match(text, i) + 1 : i + 1;
	return i;
}

/* `name(…)`, `name{…}` of a constructor's list, or of the member's declaration. */
static void read_list(struct writes *w, const struct kt_text *text, size_t name)
{
	const size_t close = kt_token_match(text, name + 1);
	struct write one = {.first = name + 2, .end = close, .begin = name, .is_list = true};
	size_t after = close + 1;
	if (!kt_token_is(text, name - 1, ":") && !kt_token_is(text, name - 1, ",")) {
		if (kt_token_is(text, name + 1, "{") && text->tokens[name - 1].kind == KT_TOKEN_NAME)
			w->by_default = one;
		return;
	}
	while (kt_token_is(text, after, ",") && after + 2 < text->count)
		after = kt_token_match(text, after + 2) + 1;
	if (kt_token_is(text, after, ";"))
		w->by_default = one;
	if (!kt_token_is(text, after, "{"))
		return;
	/* The names of the list have a meaning from its ":" on. */
	while (one.begin > 1 && !kt_token_is(text, one.begin, ":"))
		one.begin--;
	one.close = kt_token_match(text, after);
	w->by_function = one;
	w->functions += w->functions != SIZE_MAX;
}

static void read_assignment(struct writes *w, const struct kt_text *text, size_t name, bool by_this)
{
	static const char *const before[] = {";", "{", "}", ")", "else"};
	const size_t begin = kt_block_around(text, name);
	const struct write one = {name + 2, end_of_value(text, name + 2), begin, kt_token_match(text, begin), false};
	bool statement = by_this;
	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
		statement = statement || kt_token_is(text, name - 1, before[i]);
	if (!statement) {
		w->by_default = (struct write){.first = one.first, .end = one.end};
		return;
	}
	w->by_function = one;
	w->functions += w->functions != SIZE_MAX;
}

static void read_use(struct writes *w, struct kt_scan *scan, size_t name)
{
	const struct kt_text *text = scan->text;
	static const char *const others[] = {"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--"};
	const bool selected = kt_token_is(text, name - 1, ".") || kt_token_is(text, name - 1, "->");
	const bool by_this = kt_token_is(text, name - 1, "->") && kt_token_is(text, name - 2, "this");
	bool other = kt_token_is(text, name - 1, "&") || (selected && !by_this && kt_token_is(text, name + 1, "="));
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		other = other || kt_token_is(text, name + 1, others[i]) || kt_token_is(text, name - 1, others[i]);
	/* "grid_.x = …" is one of its numbers alone. */
	other = other || (kt_token_is(text, name + 1, ".") && kt_token_is(text, name + 3, "="));
	if (other || kt_written_elsewhere(scan, name))
		w->functions = SIZE_MAX;
	else if (kt_token_is(text, name + 1, "="))
		read_assignment(w, text, name, by_this);
	else if (!selected && (kt_token_is(text, name + 1, "(") || kt_token_is(text, name + 1, "{")))
		read_list(w, text, name);
}

/* The member that the same function gives the parameter at a token: `n_(n)`, `n_{n}`, `n_ = n;`. NULL: none gets it. */
static const char *member_with(struct kt_scan *scan, const struct kt_text *text, const struct write *w, size_t parameter)
{
	for (size_t t = w->begin + 1; t + 2 < w->close; t++) {
		if (t + 1 == w->first)
			continue;
		const bool list = kt_token_is(text, t, "(") || kt_token_is(text, t, "{");
		const bool whole = list ? kt_token_match(text, t) == t + 2 : kt_token_is(text, t, "=") && kt_token_is(text, t + 2, ";");
		const struct kt_token *given = &text->tokens[t + 1], *named = &text->tokens[parameter], *to = &text->tokens[t - 1];
		if (whole && to->kind == KT_TOKEN_NAME && given->end - given->begin == named->end - named->begin &&
		    memcmp(text->data + given->begin, text->data + named->begin, given->end - given->begin) == 0)
			return kt_arena_strndup(scan->arena, text->data + to->begin, to->end - to->begin);
	}
	return NULL;
}

static const char *value_of(struct kt_scan *scan, const struct kt_text *text, const struct write *w, bool is_dim3)
{
	const char *names[MOST_NAMES], *values[MOST_NAMES];
	size_t count = 0;
	const char *value = w->first < w->end ? kt_scan_squeeze(scan, text, text->tokens[w->first].begin,
	                                                        text->tokens[w->end - 1].end) : NULL;
	for (size_t t = w->first; t < w->end && count < MOST_NAMES && w->close > 0; t++) {
		const char *limit = kt_query_member(scan, t);
		values[count] = limit != NULL ? kt_arena_printf(scan->arena, KT_EXPAND_DEVICE ".%s", limit)
		                : text->tokens[t].kind == KT_TOKEN_NAME ? member_with(scan, text, w, t) : NULL;
		names[count] = kt_scan_squeeze(scan, text, text->tokens[t].begin, text->tokens[limit != NULL ? t + 2 : t].end);
		count += values[count] != NULL && names[count] != NULL && !kt_has_text(names, count, names[count]);
	}
	value = value != NULL ? kt_text_put(scan, value, names, values, count) : NULL;
	return value != NULL && is_dim3 && w->is_list ? kt_arena_printf(scan->arena, "dim3 (%s)", value) : value;
}

/* The member that a token of the main file names; a null cursor: none. */
static CXCursor field_at(const struct kt_scan *scan, const struct kt_token *token)
{
	CXCursor cursor = kt_clang.getCursor(scan->unit, kt_clang.getLocationForOffset(scan->unit, scan->files[0].file, token->begin));
	if (kt_clang.Cursor_isNull(cursor) == 0 && kt_clang.getCursorKind(cursor) != CXCursor_FieldDecl)
		cursor = kt_clang.getCursorReferenced(cursor);
	return kt_clang.Cursor_isNull(cursor) == 0 && kt_clang.getCursorKind(cursor) == CXCursor_FieldDecl
	           ? cursor : kt_clang.getNullCursor();
}

/* The uses of a name that may be of a member. */
struct uses {
	struct kt_scan *scan;
	struct writes writes;
	CXCursor field;
	bool several; /* two classes have such a member */
};

static void visit_use(void *context, const struct kt_text *text, size_t t, const char *directive)
{
	struct uses *u = context;
	if (directive != NULL || t < 2 || t + 3 >= text->count || u->several)
		return;
	CXCursor target = field_at(u->scan, &text->tokens[t]);
	if (kt_clang.Cursor_isNull(target) == 0) {
		u->several = kt_clang.Cursor_isNull(u->field) == 0 && !kt_scan_same(u->scan, u->field, target);
		u->field = target;
	}
	if (!u->several)
		read_use(&u->writes, u->scan, t);
}

static const char *read_field(struct kt_scan *scan, const char *name)
{
	struct uses u = {.scan = scan, .field = kt_clang.getNullCursor()};
	kt_uses_of(scan, &name, 1, visit_use, &u);
	if (kt_clang.Cursor_isNull(u.field) != 0 || u.several || u.writes.functions > 1)
		return NULL;
	return value_of(scan, scan->text, u.writes.functions == 1 ? &u.writes.by_function : &u.writes.by_default,
	                kt_scan_is_dim3(kt_clang.getCursorType(u.field), scan->arena));
}

const char *kt_field_value(struct kt_expand *x, const char *name)
{
	struct kt_scan *scan = x->scan;
	for (size_t i = 0; i < scan->member_count; i++)
		if (strcmp(scan->members[i].name, name) == 0)
			return scan->members[i].value;
	const char *value = read_field(scan, name), *copy = kt_arena_strdup(scan->arena, name);
	struct kt_member_value *slot = kt_arena_push(scan->arena, &scan->members, &scan->member_count, sizeof *slot);
	scan->failed = scan->failed || slot == NULL || copy == NULL;
	if (slot != NULL)
		*slot = (struct kt_member_value){copy != NULL ? copy : "", value};
	return value;
}
