/* What a parameter of the host is at a launch: by the branch that the launch is in, or by all calls of the function. */
#include <string.h>

#include "expand.h"
#include "instances.h"
#include "launches.h"

#define MOST_CALLERS 3

/* Is "(" at open to ")" at close `name == value` or `value == name`? *first: the value's token. */
static bool is_equality(const struct kt_text *text, size_t open, size_t close, const char *name, size_t *value)
{
	if (close != open + 4 || !kt_token_is(text, open + 2, "=="))
		return false;
	const bool left = kt_token_is(text, open + 1, name);
	*value = left ? open + 3 : open + 1;
	return left || kt_token_is(text, open + 3, name);
}

/* The value's token of the label "case VALUE:" that token i is after, in the block at open; text->count: none. */
static size_t label_before(const struct kt_text *text, size_t open, size_t i)
{
	size_t found = text->count;
	for (size_t t = open + 1; t < i; t++) {
		if (kt_token_is(text, t, "{") || kt_token_is(text, t, "(") || kt_token_is(text, t, "["))
			t = kt_token_match(text, t);
		else if (kt_token_is(text, t, "default"))
			found = text->count;
		else if (kt_token_is(text, t, "case") && kt_token_is(text, t + 2, ":"))
			/* Two labels of one statement: it is one of them. */
			found = kt_token_is(text, t - 1, ":") ? text->count : t + 1;
	}
	return found;
}

static const char *word(struct kt_scan *scan, const struct kt_text *text, size_t token)
{
	return kt_scan_squeeze(scan, text, text->tokens[token].begin, text->tokens[token].end);
}

/* `if (threads == 64)`, `switch (threads) { case 64:` around the launch. NULL: neither. */
static const char *by_branch(struct kt_expand *x, const struct kt_item *function, const char *name)
{
	const struct kt_text *text = x->scan->text;
	size_t begin = kt_token_at(text, x->at);
	while (begin < text->count && text->tokens[begin].begin > function->begin) {
		size_t close = 0, value = 0;
		bool otherwise = false;
		const size_t branch = kt_branch_around(text, begin, &close, &otherwise);
		if (branch < text->count) {
			const size_t open = branch + (kt_token_is(text, branch + 1, "constexpr") ? 2 : 1);
			if (!otherwise && is_equality(text, open, close, name, &value))
				return word(x->scan, text, value);
			begin = branch;
			continue;
		}
		const size_t block = kt_block_around(text, begin);
		if (block < text->count && block > 3 && kt_token_is(text, block - 1, ")") &&
		    kt_token_is(text, block - 2, name) && kt_token_is(text, block - 3, "(") &&
		    kt_token_is(text, block - 4, "switch")) {
			const size_t label = label_before(text, block, begin);
			return label < text->count ? word(x->scan, text, label) : NULL;
		}
		begin = block;
	}
	return NULL;
}

static bool is_call_of(const struct kt_scan *scan, const struct kt_item *function, uint32_t at)
{
	CXCursor target = kt_scan_target(scan, at);
	if (kt_clang.Cursor_isNull(target) != 0)
		return false;
	CXCursor from = kt_clang.getSpecializedCursorTemplate(target);
	if (kt_clang.getCursorKind(target) != CXCursor_OverloadedDeclRef)
		return kt_scan_same(scan, kt_clang.Cursor_isNull(from) == 0 ? from : target, function->cursor);
	for (unsigned i = 0; i < kt_clang.getNumOverloadedDecls(target); i++)
		if (!kt_scan_same(scan, kt_clang.getOverloadedDecl(target, i), function->cursor))
			return false;
	return true;
}

/* The number that an argument is where the function is called. */
static bool number_at(struct kt_expand *x, int64_t *value, const char *text, uint32_t at)
{
	struct kt_expand there = {.scan = x->scan,
				  .found = x->found,
				  .at = at,
				  .instance = x->instance,
				  .varying = x->varying,
				  .varying_count = x->varying_count,
				  .callers = x->callers + 1};
	struct kt_buf buf = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_expr *expr = NULL;
	struct kt_error ignored;
	const bool known = kt_expand(&buf, &there, text, 1) &&
			   kt_expr_parse(&expr, x->scan->arena, kt_buf_text(&buf), buf.size, &ignored) == KT_OK &&
			   kt_expr_eval(value, expr, kt_scan_constant, x->scan, &ignored) == KT_OK;
	kt_buf_free(&buf);
	return known;
}

/* The one number that all calls of the function in the unit pass. NULL: there is none. */
static const char *by_calls(struct kt_expand *x, const struct kt_item *function, size_t index)
{
	enum { MOST_ARGUMENTS = 32 };
	const struct kt_text *text = x->scan->text;
	const char *arguments[MOST_ARGUMENTS];
	int64_t value = 0, other = 0;
	size_t calls = 0;
	for (size_t t = 0; t + 1 < text->count; t++) {
		size_t open = t + 1, end = 0;
		uint32_t behind = 0;
		if (!kt_token_is(text, t, function->name) || !is_call_of(x->scan, function, text->tokens[t].begin))
			continue;
		if (kt_token_is(text, open, "<") && (end = kt_token_match_angle(text, open, &behind)) < text->count)
			open = end + 1;
		const size_t close = kt_token_match(text, open);
		if (!kt_token_is(text, open, "(") || close >= text->count)
			return NULL;
		const size_t count = kt_split_list(x->scan, text->tokens[open].end, text->tokens[close].begin,
						   arguments, MOST_ARGUMENTS);
		if (count <= index || !number_at(x, &other, arguments[index], text->tokens[t].begin) ||
		    (calls++ > 0 && other != value))
			return NULL;
		value = other;
	}
	return calls > 0 ? kt_arena_printf(x->scan->arena, "%lld", (long long)value) : NULL;
}

struct position {
	struct kt_scan *scan;
	const char *name;
	size_t count, index;
};

static enum CXChildVisitResult find_position(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct position *p = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(p->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (name != NULL && strcmp(name, p->name) == 0)
		p->index = p->count;
	p->count++;
	return CXChildVisit_Continue;
}

/* Is the parameter a part of what differs from launch to launch? Then its number here is none of the region's. */
static bool varies(const struct kt_expand *x, const char *name)
{
	for (size_t i = 0; i < x->varying_count; i++) {
		struct kt_text tokens;
		struct kt_error ignored;
		const char *text = x->varying[i];
		if (kt_lex(&tokens, x->scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
			return true;
		for (size_t t = 0; t < tokens.count; t++)
			if (kt_token_is(&tokens, t, name))
				return true;
	}
	return false;
}

const char *kt_parameter_value(struct kt_expand *x, const struct kt_local *local)
{
	struct kt_scan *scan = x->scan;
	if (x->callers > MOST_CALLERS)
		return NULL;
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *function = &scan->items[i];
		if (function->file != 0 || !function->is_function || x->at < function->begin || x->at >= function->end)
			continue;
		const char *value = by_branch(x, function, local->name);
		struct position p = {.scan = scan, .name = local->name, .index = SIZE_MAX};
		/* A launch region's geometry is read for all calls of its function. */
		if (value != NULL || x->varying == NULL || varies(x, local->name))
			return value;
		kt_clang.visitChildren(function->cursor, find_position, &p);
		value = p.index != SIZE_MAX ? by_calls(x, function, p.index) : NULL;
		x->by_calls = x->by_calls || value != NULL;
		return value;
	}
	return NULL;
}
