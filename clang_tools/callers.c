/* What a parameter of the host is at a launch: by the branch that the launch is in, or by all calls of the function. */
#include <string.h>

#include "expand_internal.h"
#include "instances.h"
#include "launches.h"

#define MOST_CALLERS 3
/* Variables of a caller that are put in. */
#define MOST_VARIABLES 8

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

static const char *word_of(struct kt_scan *scan, const struct kt_text *text, size_t token)
{
	return kt_arena_strndup(scan->arena, text->data + text->tokens[token].begin,
				text->tokens[token].end - text->tokens[token].begin);
}

bool kt_is_call_of(const struct kt_scan *scan, const struct kt_item *function, uint32_t at)
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

bool kt_number_at(struct kt_expand *x, int64_t *value, const char *text, uint32_t at)
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
			   kt_scan_number(value, expr, x->scan);
	kt_buf_free(&buf);
	return known;
}

#define MOST_ARGUMENTS 32

/* The names of a function's parameters, in order; "" where one has none. */
struct parameters {
	struct kt_scan *scan;
	const char *names[MOST_ARGUMENTS];
	size_t count;
};

static enum CXChildVisitResult add_parameter(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct parameters *p = data;
	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_ParmDecl)
		return CXChildVisit_Continue;
	const char *name = kt_clang_text(p->scan->arena, kt_clang.getCursorSpelling(cursor));
	if (p->count == MOST_ARGUMENTS)
		return CXChildVisit_Break;
	p->names[p->count++] = name != NULL ? name : "";
	return CXChildVisit_Continue;
}

/* A call of the function: where it is, and the texts of its arguments. */
struct call {
	uint32_t at;
	const char *arguments[MOST_ARGUMENTS];
	size_t count;
};

/* The first name of the text that is a variable at the call and not passed to the function; NULL: there is none. */
static const struct kt_local *variable_in(struct kt_expand *x, const struct call *call, const char *text,
					  const char *const *passed, size_t count)
{
	struct kt_text tokens;
	struct kt_error ignored;
	if (kt_lex(&tokens, x->scan->arena, text, 0, strlen(text), false, &ignored) != KT_OK)
		return NULL;
	for (size_t t = 0; t < tokens.count; t++) {
		size_t i = 0;
		if (tokens.tokens[t].kind != KT_TOKEN_NAME || kt_token_is(&tokens, t + 1, "::") ||
		    (t > 0 && (kt_token_is(&tokens, t - 1, ".") || kt_token_is(&tokens, t - 1, "->") ||
			       kt_token_is(&tokens, t - 1, "::"))))
			continue;
		while (i < count && !kt_token_is(&tokens, t, passed[i]))
			i++;
		const char *name = i == count ? word_of(x->scan, &tokens, t) : NULL;
		const struct kt_local *local = name != NULL ? kt_scan_visible(x->scan, name, call->at) : NULL;
		if (local != NULL)
			return local;
	}
	return NULL;
}

/*
 * What a call passes, in names of the function's parameters: variables of the caller by what they hold there, those that
 * are passed themselves by the parameter. NULL: it names something else of the caller's.
 */
static const char *in_parameters(struct kt_expand *x, const struct call *call, const struct parameters *p, size_t index)
{
	struct kt_expand there = {.scan = x->scan, .found = x->found, .at = call->at, .callers = x->callers + 1};
	const char *names[MOST_ARGUMENTS], *values[MOST_ARGUMENTS], *text = call->arguments[index];
	size_t count = 0;
	for (size_t i = 0; i < call->count && i < p->count; i++) {
		const char *name = i != index ? kt_single_name(x->scan, call->arguments[i]) : NULL;
		if (name == NULL || p->names[i][0] == '\0')
			continue;
		/* A number is the same for callers that write it and those that have a name for it. */
		int64_t number = 0;
		names[count] = name;
		values[count++] = kt_number_at(x, &number, name, call->at)
				      ? kt_arena_printf(x->scan->arena, "%lld", (long long)number)
				      : p->names[i];
		if (values[count - 1] == NULL)
			return NULL;
	}
	for (int round = 0; round < MOST_VARIABLES; round++) {
		const struct kt_local *local = variable_in(x, call, text, names, count);
		if (local == NULL)
			return kt_text_put(x->scan, text, names, values, count);
		const char *value = local->is_parameter ? NULL : kt_reaching_value(&there, local);
		text = value != NULL ? kt_text_put(x->scan, text, &local->name, &value, 1) : NULL;
		if (text == NULL)
			return NULL;
	}
	return NULL;
}

/* Reads the call whose name is token t; false: it is none of the function's. */
static bool read_call(struct call *out, struct kt_expand *x, const struct kt_item *function, size_t t, bool *known)
{
	const struct kt_text *text = x->scan->text;
	size_t open = t + 1, end = 0;
	uint32_t behind = 0;
	*known = true;
	if (!kt_token_is(text, t, function->name) || !kt_is_call_of(x->scan, function, text->tokens[t].begin))
		return false;
	if (kt_token_is(text, open, "<") && (end = kt_token_match_angle(text, open, &behind)) < text->count)
		open = end + 1;
	const size_t close = kt_token_match(text, open);
	*known = kt_token_is(text, open, "(") && close < text->count;
	out->at = text->tokens[t].begin;
	out->count = *known ? kt_split_list(x->scan, text->tokens[open].end, text->tokens[close].begin, out->arguments,
					    MOST_ARGUMENTS)
			    : 0;
	return true;
}

/* What all calls of the function in the unit pass: one number, or one expression over its parameters. NULL: neither. */
static const char *by_calls(struct kt_expand *x, const struct kt_item *function, const struct parameters *p, size_t index)
{
	const char *all = NULL;
	int64_t value = 0, other = 0;
	size_t calls = 0;
	bool is_number = true, known = true;
	for (size_t t = 0; t + 1 < x->scan->text->count; t++) {
		struct call call;
		if (!read_call(&call, x, function, t, &known))
			continue;
		/* A parameter that the call leaves to its default. */
		while (known && call.count <= index && call.count < MOST_ARGUMENTS &&
		       (call.arguments[call.count] = kt_function_default(x->scan, (size_t)(function - x->scan->items), call.count)) != NULL)
			call.count++;
		if (!known || call.count <= index)
			return NULL;
		is_number = is_number && kt_number_at(x, &other, call.arguments[index], call.at) &&
			    (calls == 0 || other == value);
		value = other;
		const char *one = in_parameters(x, &call, p, index);
		if (calls == 0)
			all = one;
		else if (all == NULL || one == NULL || strcmp(all, one) != 0)
			all = NULL;
		calls++;
		if (!is_number && all == NULL)
			return NULL;
	}
	if (calls == 0)
		return NULL;
	return is_number ? kt_arena_printf(x->scan->arena, "%lld", (long long)value) : all;
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

/* Reads the function's parameters. *index: the one of that name; false: there is none. */
static bool find_parameter(struct parameters *p, size_t *index, const struct kt_item *function, const char *name)
{
	kt_clang.visitChildren(function->cursor, add_parameter, p);
	for (*index = 0; *index < p->count; ++*index)
		if (strcmp(p->names[*index], name) == 0)
			return true;
	return false;
}

const char *kt_parameter_value(struct kt_expand *x, const struct kt_local *local)
{
	const struct kt_item *function = x->callers <= MOST_CALLERS ? kt_frame_function_around(x->scan, x->at) : NULL;
	struct parameters p = {.scan = x->scan};
	size_t index = 0;
	if (function == NULL)
		return NULL;
	const char *value = by_branch(x, function, local->name);
	/* A launch region's geometry is read for all calls of its function. */
	if (value != NULL || x->varying == NULL || varies(x, local->name) || kt_reaching_is_written(x, local))
		return value;
	value = find_parameter(&p, &index, function, local->name) ? by_calls(x, function, &p, index) : NULL;
	x->by_calls = x->by_calls || value != NULL;
	return value;
}

const char *kt_parameter_passed(uint32_t *at, struct kt_expand *x, const struct kt_local *local, size_t number)
{
	const struct kt_item *function = kt_frame_function_around(x->scan, x->at);
	struct parameters p = {.scan = x->scan};
	size_t index = 0, calls = 0;
	bool known = true;

	if (function == NULL || !find_parameter(&p, &index, function, local->name))
		return NULL;
	for (size_t t = 0; t + 1 < x->scan->text->count; t++) {
		struct call call;
		if (!read_call(&call, x, function, t, &known) || !known || call.count <= index || calls++ < number)
			continue;
		*at = call.at;
		return call.arguments[index];
	}
	return NULL;
}
