/* Variables of a function that hold the kernel: `auto k = wide ? a<T> : b<T>;`, `k = a<T>;`, `table[] = {a<T>, b<T>}`. */
#include "routes_internal.h"

/* The token before a group that ends at a token: "(…)", "[…]". The token itself where it ends none. */
static size_t before_group(const struct kt_text *text, size_t i)
{
	if (!kt_token_is(text, i, ")") && !kt_token_is(text, i, "]"))
		return i;
	for (size_t open = i; open-- > 1;)
		if ((kt_token_is(text, open, "(") || kt_token_is(text, open, "[")) && kt_token_match(text, open) == i)
			return open - 1;
	return 0;
}

static bool ends_statement(const struct kt_text *text, size_t i)
{
	return i == 0 || kt_token_is(text, i, ";") || kt_token_is(text, i, "}") ||
	       text->tokens[i].kind == KT_TOKEN_DIRECTIVE;
}

/* The "=" of which the kernel's address at [first, end) is the value, a branch of "?:", or an element; 0: none. */
static size_t assignment(const struct kt_text *text, size_t first, size_t end)
{
	static const char *const next[] = {";", ":", ",", "}"};
	bool known = false;
	size_t i = first - 1;
	for (size_t n = 0; n < sizeof next / sizeof next[0]; n++)
		known = known || kt_token_is(text, end, next[n]);
	if (known && kt_token_is(text, i, "&"))
		i--;
	if (!known || !(kt_token_is(text, i, "=") || kt_token_is(text, i, "?") || kt_token_is(text, i, ":") ||
	                kt_token_is(text, i, "{") || kt_token_is(text, i, ",")))
		return 0;
	const bool element = kt_token_is(text, i, "{") || kt_token_is(text, i, ",");
	for (; !kt_token_is(text, i, "="); i = before_group(text, i) - (before_group(text, i) == i))
		if (ends_statement(text, i) || (!element && (kt_token_is(text, i, "{") || kt_token_is(text, i, ","))))
			return 0;
	return i;
}

/* The name that a "=" gives a value: "k", "(*k)(…)", "(*const k[])(…)"; 0: none. */
static size_t name_before(const struct kt_text *text, size_t equal)
{
	size_t i = equal - 1;
	if (kt_token_is(text, i, ")")) {
		const size_t declarator = before_group(text, i);
		i = kt_token_is(text, declarator, ")") ? declarator - 1 : 0;
	}
	i = i > 0 && kt_token_is(text, i, "]") ? before_group(text, i) : i;
	return i > 1 && text->tokens[i].kind == KT_TOKEN_NAME && !kt_token_is(text, i - 1, ".") &&
	               !kt_token_is(text, i - 1, "->") && !kt_token_is(text, i - 1, "::")
	           ? i : 0;
}

size_t kt_route_holder(const struct kt_text *text, size_t first, size_t end)
{
	const size_t equal = first > 2 ? assignment(text, first, end) : 0;
	return equal > 0 ? name_before(text, equal) : 0;
}

static bool is_constexpr(const struct kt_text *text, size_t i)
{
	for (; !ends_statement(text, i) && !kt_token_is(text, i, "{"); i--)
		if (kt_token_is(text, i, "constexpr") || kt_token_is(text, i, "constinit"))
			return true;
	return false;
}

bool kt_route_variable(struct kt_route_reader *r, size_t first, size_t end, struct kt_route_frame *out, const char **variable)
{
	const struct kt_text *text = r->text;
	const size_t name = kt_route_holder(text, first, end);
	if (name == 0 || is_constexpr(text, name))
		return false;
	while (end < text->count && !kt_token_is(text, end, ";"))
		end++;
	*variable = kt_route_words(r, name, name + 1);
	const struct kt_local *local =
	    end < text->count ? kt_scan_visible(r->scan, *variable, text->tokens[end].begin) : NULL;
	/* Others than those of a function have their value before the program runs. */
	if (local == NULL || local->scope_end == UINT32_MAX || local->is_parameter)
		return false;
	*out = (struct kt_route_frame){.body = end, .end = kt_token_at(text, local->scope_end)};
	return out->end > out->body;
}
