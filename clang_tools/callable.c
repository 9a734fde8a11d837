/* What a function of the host returns, as one expression over its parameters. */
#include <string.h>

#include "expand.h"

#define MOST_VARIABLES 24
#define MOST_OUTCOMES 8
#define MOST_NESTED 6

/* A `return value;` that is reached where the condition holds and no outcome before it was; NULL: always. */
struct outcome {
	const char *condition, *value;
};

static const char *between(struct kt_scan *scan, const struct kt_text *text, size_t first, size_t end)
{
	return first < end ? kt_scan_squeeze(scan, text, text->tokens[first].begin, text->tokens[end - 1].end) : NULL;
}

/* The variables of a body so far, with what they hold in terms of the parameters. */
struct body {
	struct kt_scan *scan;
	const struct kt_text *text;
	const char *names[MOST_VARIABLES], *values[MOST_VARIABLES]; /* value NULL: nothing was put in yet */
	size_t variable_count;
	struct outcome outcomes[MOST_OUTCOMES];
	size_t outcome_count;
};

/* Where control is: under which condition, and whether it has left the function in any case. */
struct flow {
	const char *condition; /* NULL: always */
	bool left;
	int depth;
};

/* The member of a variable that tokens i to i + 2 are; SIZE_MAX: none that was written. */
static size_t member_named(const struct body *b, size_t i)
{
	for (size_t v = 0; v < b->variable_count; v++)
		if (strchr(b->names[v], '.') != NULL && kt_text_names(b->text, i, b->names[v]))
			return v;
	return SIZE_MAX;
}

/* The tokens with variables replaced by what they hold; NULL: one of them holds nothing that is known. */
static const char *put(struct body *b, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		for (size_t v = 0; v < b->variable_count; v++)
			if (b->values[v] == NULL && kt_token_is(b->text, i, b->names[v]) && member_named(b, i) == SIZE_MAX)
				return NULL;
	const char *names[MOST_VARIABLES], *values[MOST_VARIABLES];
	size_t count = 0;
	for (size_t v = 0; v < b->variable_count; v++) {
		names[count] = b->names[v];
		values[count] = b->values[v];
		count += b->values[v] != NULL;
	}
	return kt_text_put(b->scan, between(b->scan, b->text, first, end), names, values, count);
}

/* The first ";", which ends a statement, or "," of tokens [first, end) outside of brackets; end: there is none. */
static size_t separator_in(const struct kt_text *text, const char *separator, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		if (kt_token_is(text, i, separator))
			return i;
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "{") || kt_token_is(text, i, "["))
			i = kt_token_match(text, i);
	}
	return end;
}

static size_t variable_named(const struct body *b, size_t token)
{
	for (size_t v = 0; v < b->variable_count; v++)
		if (kt_token_is(b->text, token, b->names[v]))
			return v;
	return SIZE_MAX;
}

/* `name = value`, `name(value)`, `name{value}`, `name` of a declaration. */
static bool declare_one(struct body *b, size_t name, size_t end, bool is_dim3)
{
	const struct kt_text *text = b->text;
	const size_t i = name + 1;
	if (text->tokens[name].kind != KT_TOKEN_NAME || variable_named(b, name) != SIZE_MAX ||
	    b->variable_count == MOST_VARIABLES)
		return false;
	const bool equals = kt_token_is(text, i, "="), bracket = kt_token_is(text, i, "(") || kt_token_is(text, i, "{");
	if (i < end && !equals && (!bracket || kt_token_match(text, i) + 1 != end))
		return false;
	const size_t from = equals ? i + 1 : i;
	const char *value = i < end ? put(b, from, end) : NULL;
	/* What is in brackets is a list of extents. */
	if (value != NULL && is_dim3 && (kt_token_is(text, from, "(") || kt_token_is(text, from, "{")))
		value = kt_arena_printf(b->scan->arena, "dim3 %s", value);
	if (i < end && value == NULL)
		return false;
	b->names[b->variable_count] = between(b->scan, text, name, i);
	b->values[b->variable_count++] = value;
	return b->names[b->variable_count - 1] != NULL;
}

/* A declaration: what is before the first name are words of the type alone. False: it is none. */
static bool declare(struct body *b, size_t first, size_t end)
{
	/* What begins with these looks like one. A static variable keeps what other calls put in. */
	static const char *const others[] = {"static",  "goto",      "throw", "delete", "using",
					     "typedef", "co_return", "case",  "extern", "thread_local"};
	const struct kt_text *text = b->text;
	size_t name = first;
	for (size_t w = 0; w < sizeof others / sizeof others[0]; w++)
		if (kt_token_is(text, first, others[w]))
			return false;
	bool is_dim3 = false;
	for (; name < end && (text->tokens[name].kind == KT_TOKEN_NAME || kt_token_is(text, name, "::")); name++)
		is_dim3 = is_dim3 || kt_token_is(text, name, "dim3");
	if (name < first + 2 || kt_token_is(text, name - 2, "::"))
		return false;
	for (size_t at = name - 1; at < end;) {
		const size_t last = separator_in(text, ",", at, end);
		if (!declare_one(b, at, last, is_dim3))
			return false;
		at = last + 1;
	}
	return true;
}

/* `name = value;`, `name += value;` under a condition. False: it is none. */
static bool assign(struct body *b, size_t first, size_t end, const char *condition)
{
	static const char *const compound[] = {"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="};
	const struct kt_text *text = b->text;
	const size_t v = variable_named(b, first);
	const char *old = v != SIZE_MAX ? b->values[v] : NULL, *written = put(b, first + 2, end);
	bool known = kt_token_is(text, first + 1, "=");
	if (v == SIZE_MAX || written == NULL || separator_in(text, ",", first, end) < end)
		return false;
	for (size_t c = 0; c < sizeof compound / sizeof compound[0] && !known && old != NULL; c++)
		if ((known = kt_token_is(text, first + 1, compound[c])))
			written = kt_arena_printf(b->scan->arena, "(%s) %.*s (%s)", old, (int)strlen(compound[c]) - 1,
						  compound[c], written);
	if (!known || written == NULL)
		return false;
	b->values[v] = condition == NULL || old == NULL
			   ? written
			   : kt_arena_printf(b->scan->arena, "(%s) ? (%s) : (%s)", condition, written, old);
	return b->values[v] != NULL && strlen(b->values[v]) < KT_LIMIT_LINE_BYTES / 8;
}

/* `name.member = value;` of a variable that nothing else was put in. False: it is none. */
static bool assign_member(struct body *b, size_t first, size_t end, const char *condition)
{
	const struct kt_text *text = b->text;
	const size_t of = variable_named(b, first);
	size_t v = member_named(b, first);
	const char *written = kt_token_is(text, first + 3, "=") && kt_token_is(text, first + 1, ".") ? put(b, first + 4, end) : NULL;
	if (of == SIZE_MAX || b->values[of] != NULL || written == NULL || separator_in(text, ",", first, end) < end)
		return false;
	if (v == SIZE_MAX && (b->variable_count == MOST_VARIABLES || condition != NULL))
		return false;
	if (v == SIZE_MAX) {
		v = b->variable_count++;
		b->names[v] = kt_arena_printf(b->scan->arena, "%s.%s", b->names[of], between(b->scan, text, first + 2, first + 3));
		b->values[v] = NULL;
	}
	b->values[v] = condition == NULL ? written
	                                 : kt_arena_printf(b->scan->arena, "(%s) ? (%s) : (%s)", condition, written, b->values[v]);
	return b->names[v] != NULL && b->values[v] != NULL && strlen(b->values[v]) < KT_LIMIT_LINE_BYTES / 8;
}

/* What a variable holds whose members were written one by one: ".x = …, .y = …" in braces. NULL: it is none. */
static const char *members_of(struct body *b, size_t first, size_t end)
{
	const size_t of = end == first + 1 ? variable_named(b, first) : SIZE_MAX;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *copy = NULL, *before = "{";
	if (of == SIZE_MAX || b->values[of] != NULL)
		return NULL;
	const size_t length = strlen(b->names[of]);
	for (size_t v = 0; v < b->variable_count; v++) {
		if (strncmp(b->names[v], b->names[of], length) != 0 || b->names[v][length] != '.')
			continue;
		kt_buf_addf(&out, "%s %s = %s", before, b->names[v] + length, b->values[v]);
		before = ",";
	}
	kt_buf_adds(&out, " }");
	if (!out.failed && before[0] == ',')
		copy = kt_arena_strdup(b->scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* `name++;`, `--name;` as an assignment. False: it is none. */
static bool step(struct body *b, size_t first, size_t end, const char *condition)
{
	const struct kt_text *text = b->text;
	const bool before = kt_token_is(text, first, "++") || kt_token_is(text, first, "--");
	const size_t sign = before ? first : first + 1, v = end == first + 2 ? variable_named(b, before ? first + 1 : first) : SIZE_MAX;
	const bool up = kt_token_is(text, sign, "++");
	if (v == SIZE_MAX || b->values[v] == NULL || condition != NULL || (!up && !kt_token_is(text, sign, "--")))
		return false;
	b->values[v] = kt_arena_printf(b->scan->arena, up ? "(%s) + 1" : "(%s) - 1", b->values[v]);
	return b->values[v] != NULL;
}

/* `properties.multiProcessorCount` and others that are read before `close` are limits of the device from now on. */
static bool add_properties(struct body *b, size_t v, size_t first, size_t close)
{
	const struct kt_text *text = b->text;
	for (size_t i = first; i + 2 < close; i++) {
		const char *limit = kt_token_is(text, i, b->names[v]) && kt_token_is(text, i + 1, ".") && member_named(b, i) == SIZE_MAX
					? kt_query_property(text, i + 2)
					: NULL;
		if (limit == NULL)
			continue;
		if (b->variable_count == MOST_VARIABLES)
			return false;
		b->names[b->variable_count] = kt_arena_printf(b->scan->arena, "%s.%s", b->names[v], between(b->scan, text, i + 2, i + 3));
		b->values[b->variable_count] = kt_arena_printf(b->scan->arena, KT_EXPAND_DEVICE ".%s", limit);
		if (b->names[b->variable_count] == NULL || b->values[b->variable_count++] == NULL)
			return false;
	}
	return true;
}

/* `cudaDeviceGetAttribute(&name, …);` and other queries of the device, by a macro that checks them or not. False: it is none. */
static bool query(struct body *b, size_t first, size_t end, size_t close, const char *condition)
{
	static const char *const functions[] = {"cudaGetDevice", "cudaDeviceGetAttribute", "cudaGetDeviceProperties"};
	const struct kt_text *text = b->text;
	const size_t last = kt_token_is(text, first + 1, "(") ? kt_token_match(text, first + 1) : end;
	size_t kind = 0, name = 0, v = SIZE_MAX;
	for (name = first + 3; name <= first + 5 && v == SIZE_MAX; name += 2)
		for (kind = 0; kind < 3 && v == SIZE_MAX; kind++)
			if (kt_query_call(text, name, functions[kind]) == first)
				v = variable_named(b, name);
	if (v == SIZE_MAX || condition != NULL || last + 1 != end)
		return false;
	/* The number of the device decides nothing but what is asked of it. */
	b->values[v] = kind == 2 ? kt_query_attribute(b->scan, text, name - 2) : NULL;
	return kind != 3 || add_properties(b, v, end, close);
}

/* `while (condition) name = step;` at *i, by which a variable that is a number becomes another one. */
static bool read_loop(struct body *b, size_t *i, size_t close, const struct flow *flow)
{
	const struct kt_text *text = b->text;
	const size_t open = *i + 1, end = kt_token_match(text, open);
	const bool braces = kt_token_is(text, end + 1, "{");
	const size_t last = braces ? kt_token_match(text, end + 1) : close, first = end + 1 + braces;
	const size_t stop = separator_in(text, ";", first, last), v = variable_named(b, first);
	if (end >= close || last > close || stop >= last || (braces && stop + 1 != last) || v == SIZE_MAX || b->values[v] == NULL ||
	    flow->condition != NULL)
		return false;
	const char *start = b->values[v], *condition;
	b->values[v] = b->names[v];
	condition = put(b, open + 1, end);
	b->values[v] = assign(b, first, stop, NULL) ? kt_unrolled(b->scan, b->names[v], start, condition, b->values[v]) : NULL;
	*i = braces ? last + 1 : stop + 1;
	return b->values[v] != NULL && strlen(b->values[v]) < KT_LIMIT_LINE_BYTES / 8;
}

static bool read_statement(struct body *b, size_t *i, size_t close, struct flow *flow);

static bool read_statements(struct body *b, size_t first, size_t close, struct flow *flow)
{
	for (size_t i = first; i < close;)
		if (flow->left || !read_statement(b, &i, close, flow))
			return false;
	return true;
}

static const char *both(struct body *b, const char *outer, const char *form, const char *condition)
{
	const char *inner = kt_arena_printf(b->scan->arena, form, condition);
	return outer == NULL || inner == NULL ? inner : kt_arena_printf(b->scan->arena, "(%s) && %s", outer, inner);
}

/* `if (…) … else …` at *i. */
static bool read_branch(struct body *b, size_t *i, size_t close, struct flow *flow)
{
	const struct kt_text *text = b->text;
	const size_t open = *i + (kt_token_is(text, *i + 1, "constexpr") ? 2 : 1), end = kt_token_match(text, open);
	const char *condition = kt_token_is(text, open, "(") && end < close ? put(b, open + 1, end) : NULL;
	struct flow then = {.depth = flow->depth + 1}, otherwise = {.depth = flow->depth + 1};
	if (condition == NULL || then.depth > MOST_NESTED)
		return false;
	then.condition = both(b, flow->condition, "(%s)", condition);
	*i = end + 1;
	if (then.condition == NULL || !read_statement(b, i, close, &then))
		return false;
	if (!kt_token_is(text, *i, "else") || *i >= close)
		return true;
	/* A path that reaches this point has not returned before. */
	otherwise.condition = then.left ? flow->condition : both(b, flow->condition, "!(%s)", condition);
	++*i;
	if (!read_statement(b, i, close, &otherwise))
		return false;
	flow->left = then.left && otherwise.left;
	return true;
}

/* Reads the statement at *i, which becomes the one after it; false: it has a form that is not understood. */
static bool read_statement(struct body *b, size_t *i, size_t close, struct flow *flow)
{
	const struct kt_text *text = b->text;
	const size_t first = *i;
	if (kt_token_is(text, first, "if"))
		return read_branch(b, i, close, flow);
	if (kt_token_is(text, first, "while"))
		return read_loop(b, i, close, flow);
	if (kt_token_is(text, first, "{")) {
		const size_t end = kt_token_match(text, first);
		*i = end + 1;
		return end < close && read_statements(b, first + 1, end, flow);
	}
	const size_t end = separator_in(text, ";", first, close);
	*i = end + 1;
	if (end >= close)
		return false;
	if (end == first || kt_token_is(text, first, "assert") || kt_token_is(text, first, "static_assert"))
		return true;
	if (!kt_token_is(text, first, "return"))
		return query(b, first, end, close, flow->condition) || step(b, first, end, flow->condition) || assign(b, first, end, flow->condition) ||
		       assign_member(b, first, end, flow->condition) || declare(b, first, end);
	if (b->outcome_count == MOST_OUTCOMES)
		return false;
	struct outcome *o = &b->outcomes[b->outcome_count++];
	*o = (struct outcome){flow->condition, first + 1 < end ? put(b, first + 1, end) : ""};
	if (o->value == NULL)
		o->value = members_of(b, first + 1, end);
	flow->left = true;
	return o->value != NULL;
}

const char *kt_body_value(struct kt_scan *scan, const struct kt_text *text, size_t open, const char *const *names, size_t count)
{
	struct body b = {.scan = scan, .text = text};
	struct flow flow = {.condition = NULL};
	const size_t close = kt_token_is(text, open, "{") ? kt_token_match(text, open) : text->count;
	/* A parameter that is written holds itself until then. */
	for (size_t p = 0; p < count; p++) {
		if (b.variable_count == MOST_VARIABLES)
			return NULL;
		b.names[b.variable_count] = b.values[b.variable_count] = names[p];
		b.variable_count++;
	}
	if (close >= text->count || !read_statements(&b, open + 1, close, &flow) || !flow.left)
		return NULL;
	/* The last one is reached where no other was. */
	const char *value = b.outcomes[b.outcome_count - 1].value;
	for (size_t o = b.outcome_count - 1; o > 0 && value != NULL; o--)
		value = kt_arena_printf(scan->arena, "(%s) ? (%s) : (%s)", b.outcomes[o - 1].condition,
					b.outcomes[o - 1].value, value);
	return scan->failed ? NULL : value;
}

/* Does the text write a member of the variable? */
static bool writes_member(const struct kt_text *text, const char *name)
{
	for (size_t i = 0; i < text->count; i++)
		if (kt_token_is(text, i, name) && kt_token_is(text, i + 1, ".") && kt_token_written(text, i))
			return true;
	return false;
}

const char *kt_body_output(struct kt_scan *scan, const struct kt_text *text, const char *const *names, const bool *written, size_t count,
			   size_t index, const char *member)
{
	struct body b = {.scan = scan, .text = text};
	struct flow flow = {.condition = NULL};
	for (; b.variable_count < count; b.variable_count++) {
		const char *name = b.names[b.variable_count] = names[b.variable_count];
		b.values[b.variable_count] = written[b.variable_count] && writes_member(text, name) ? NULL : name;
	}
	/* A return that a condition decides leaves out what follows it. */
	if (count >= MOST_VARIABLES || text->count == 0 || !read_statements(&b, 1, text->count - 1, &flow) || b.outcome_count > 1 ||
	    (b.outcome_count == 1 && b.outcomes[0].condition != NULL))
		return NULL;
	const char *whole = b.values[index];
	if (whole != NULL)
		return whole == names[index] ? "" : kt_arena_printf(scan->arena, "=%s", whole);
	for (size_t v = count; member != NULL && v < b.variable_count; v++)
		if (strncmp(b.names[v], names[index], strlen(names[index])) == 0 && b.names[v][strlen(names[index])] == '.' &&
		    strcmp(b.names[v] + strlen(names[index]) + 1, member) == 0)
			return b.values[v];
	return member != NULL ? "" : NULL;
}
