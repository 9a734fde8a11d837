/*
 * What a template parameter of the host's function around a launch is: the number that all mentions of the function in the unit
 * give it, which are calls, addresses and explicit instantiations; or the number that it has where they give none.
 */
#include <string.h>

#include "expand_internal.h"
#include "launches.h"

#define MOST_LISTED 32
#define MOST_CALLERS 3

struct listed {
	struct kt_scan *scan;
	const char *name;
	size_t index, found;
	const char *default_text; /* NULL: it has none */
};

static bool is_parameter(enum CXCursorKind kind)
{
	return kind == CXCursor_TemplateTypeParameter || kind == CXCursor_NonTypeTemplateParameter ||
	       kind == CXCursor_TemplateTemplateParameter;
}

/* The token of the parameter's declaration that is the word; NULL: none is. *end: where the declaration ends. */
static const struct kt_token *token_of(struct kt_scan *scan, CXCursor parameter, const char *word, uint32_t *end)
{
	const CXSourceRange extent = kt_clang.getCursorExtent(parameter);
	size_t file = 0;
	const uint32_t begin = kt_scan_offset(scan, kt_clang.getRangeStart(extent), &file);

	*end = kt_scan_offset(scan, kt_clang.getRangeEnd(extent), &file);
	for (size_t t = kt_token_at(scan->text, begin); t < scan->text->count && scan->text->tokens[t].begin < *end; t++)
		if (kt_token_is(scan->text, t, word))
			return &scan->text->tokens[t];
	return NULL;
}

/* The text after "=" of the parameter's declaration; NULL: there is none. */
static const char *default_of(struct kt_scan *scan, CXCursor parameter)
{
	uint32_t end = 0;
	const struct kt_token *equals = token_of(scan, parameter, "=", &end);

	return equals != NULL ? kt_scan_squeeze(scan, scan->text, equals->end, end) : NULL;
}

static enum CXChildVisitResult find_listed(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct listed *l = data;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const char *name;
	uint32_t ignored;

	(void)parent;
	if (!is_parameter(kind))
		return CXChildVisit_Continue;
	name = kt_clang_text(l->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (name != NULL && kind == CXCursor_NonTypeTemplateParameter && strcmp(name, l->name) == 0) {
		l->found = l->index;
		l->default_text = default_of(l->scan, cursor);
		return CXChildVisit_Break;
	}
	l->index++;
	/* What is given after a pack is not known. */
	return token_of(l->scan, cursor, "...", &ignored) != NULL ? CXChildVisit_Break : CXChildVisit_Continue;
}

/* What the mention whose name is token t gives the parameter; NULL: nothing. */
static const char *given(struct kt_scan *scan, const struct listed *l, size_t t)
{
	const char *arguments[MOST_LISTED];
	uint32_t behind = 0;
	size_t close;

	if (!kt_token_is(scan->text, t + 1, "<"))
		return NULL;
	close = kt_token_match_angle(scan->text, t + 1, &behind);
	if (close >= scan->text->count || kt_split_list(scan, scan->text->tokens[t + 1].end, scan->text->tokens[close].begin,
							arguments, MOST_LISTED) <= l->found)
		return NULL;
	return arguments[l->found];
}

/* A mention of the function: what is called there is that, or (in an explicit instantiation) what is made of it. */
static bool is_mention(struct kt_scan *scan, const struct kt_item *function, size_t t)
{
	const uint32_t at = scan->text->tokens[t].begin;

	return kt_token_is(scan->text, t, function->name) && (at < function->begin || at >= function->end) &&
	       kt_is_call_of(scan, function, at);
}

static bool number_of(struct kt_expand *x, const struct kt_item *function, const struct listed *l, int64_t *value)
{
	size_t mentions = 0;
	int64_t other = 0;

	for (size_t t = 0; t < x->scan->text->count; t++) {
		const char *text;
		uint32_t at = function->begin;

		if (!is_mention(x->scan, function, t))
			continue;
		text = given(x->scan, l, t);
		if (text != NULL)
			at = x->scan->text->tokens[t].begin;
		else
			text = l->default_text;
		if (text == NULL || !kt_number_at(x, &other, text, at) || (mentions > 0 && other != *value))
			return false;
		*value = other;
		mentions++;
	}
	return mentions > 0;
}

bool kt_frame_host_template(struct kt_frame *f, const char *name)
{
	struct kt_expand *x = f->x;
	int64_t value = 0;

	for (size_t i = 0; i < x->scan->item_count && x->callers <= MOST_CALLERS; i++) {
		const struct kt_item *function = &x->scan->items[i];
		struct listed l = {.scan = x->scan, .name = name, .found = SIZE_MAX};

		if (function->file != 0 || !function->is_function || x->at < function->begin || x->at >= function->end)
			continue;
		kt_clang.visitChildren(function->cursor, find_listed, &l);
		if (l.found == SIZE_MAX)
			return false;
		if (!number_of(x, function, &l, &value))
			return kt_frame_refuse(f, "'%s' is a template parameter of '%s', for which this file has no call or several numbers",
					       name, function->name);
		x->by_calls = true;
		kt_buf_addf(f->out, "%lld", (long long)value);
		return true;
	}
	return false;
}
