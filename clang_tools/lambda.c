/* What a lambda that a variable of the function holds returns: `auto blocks = [](int n, int b) { return (n + b - 1) / b; };`. */
#include <string.h>

#include "expand.h"

/* The last name of each parameter's tokens between "(" and ")"; false: one has a default, is a pack or has no name. */
static bool read_parameters(struct kt_scan *scan, const struct kt_text *text, size_t open, size_t close, const char ***names,
                            size_t *count)
{
	size_t name = text->count;
	for (size_t i = open + 1; i <= close; i++) {
		if (kt_token_is(text, i, "=") || kt_token_is(text, i, "..."))
			return false;
		if (i < close && !kt_token_is(text, i, ",")) {
			name = i;
			continue;
		}
		if (i == open + 1 && i == close)
			return true;
		if (name == text->count || text->tokens[name].kind != KT_TOKEN_NAME || kt_token_is(text, name - 1, "(") ||
		    kt_token_is(text, name - 1, ",") ||
		    !kt_arena_push_text(scan->arena, names, count,
		                        kt_arena_strndup(scan->arena, text->data + text->tokens[name].begin,
		                                         text->tokens[name].end - text->tokens[name].begin)))
			return false;
		name = text->count;
	}
	return true;
}

/* The "[" of the lambda that initialises a variable; text->count: none does. */
static size_t lambda_of(const struct kt_text *text, const struct kt_local *local)
{
	size_t i = kt_token_at(text, local->at);
	while (i < text->count && text->tokens[i].begin < local->end && !kt_token_is(text, i, local->name))
		i++;
	return i + 2 < text->count && kt_token_is(text, i + 1, "=") && kt_token_is(text, i + 2, "[") ? i + 2 : text->count;
}

const char *kt_lambda_value(struct kt_expand *x, const char *name, const char ***names, size_t *count)
{
	struct kt_scan *scan = x->scan;
	const struct kt_text *text = scan->text;
	const struct kt_local *local = kt_scan_visible(scan, name, x->at);
	const size_t begin = local != NULL && !local->is_parameter ? lambda_of(text, local) : text->count;
	const size_t list = begin < text->count ? kt_token_match(text, begin) + 1 : begin;
	if (list >= text->count || kt_reaching_is_written(x, local))
		return NULL;
	const bool has_list = kt_token_is(text, list, "(");
	const size_t close = has_list ? kt_token_match(text, list) : list;
	size_t body = has_list ? close + 1 : list;
	while (body < text->count && !kt_token_is(text, body, "{") && !kt_token_is(text, body, ";"))
		body++;
	/* A lambda that is called where it is written gives no lambda. */
	const size_t end = kt_token_is(text, body, "{") ? kt_token_match(text, body) : text->count;
	return end + 1 < text->count && kt_token_is(text, end + 1, ";") &&
	               (!has_list || read_parameters(scan, text, list, close, names, count))
	           ? kt_body_value(scan, text, body, *names, *count) : NULL;
}

bool kt_lambda_writes(struct kt_scan *scan, const char *name, uint32_t at, size_t index)
{
	const struct kt_text *text = scan->text;
	const struct kt_local *local = kt_scan_visible(scan, name, at);
	const size_t begin = local != NULL ? lambda_of(text, local) : text->count;
	const size_t list = begin < text->count ? kt_token_match(text, begin) + 1 : begin;
	bool reference = false, constant = false;
	if (!kt_token_is(text, list, "("))
		return false;
	for (size_t i = list + 1, at_index = 0; i < kt_token_match(text, list) && at_index <= index; i++) {
		at_index += kt_token_is(text, i, ",");
		reference = reference || (at_index == index && (kt_token_is(text, i, "&") || kt_token_is(text, i, "&&")));
		constant = constant || (at_index == index && kt_token_is(text, i, "const"));
	}
	return reference && !constant;
}
