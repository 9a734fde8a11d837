/* Is a place in the argument of a macro that makes a string of it? What is written there may not be replaced. */
#include <string.h>

#include "launch_macro.h"

#define DEPTH_MOST 8

static bool in_strings(struct kt_scan *scan, const struct kt_text *text, size_t token, size_t first, int depth);

/* The definition of what is used before a "(" at a token; NULL: it is no macro of the project. */
static const struct kt_macro *used_at(struct kt_scan *scan, const struct kt_text *text, size_t open)
{
	if (open == 0 || text->tokens[open - 1].kind != KT_TOKEN_NAME)
		return NULL;
	const struct kt_token *t = &text->tokens[open - 1];
	const char *name = kt_arena_strndup(scan->arena, text->data + t->begin, t->end - t->begin);
	const struct kt_macro *macro = name != NULL ? kt_scan_macro(scan, name) : NULL;
	return macro != NULL && macro->is_function ? macro : NULL;
}

/* Does the macro make a string of what its parameter holds, or give it to one that does? */
static bool makes_string(struct kt_scan *scan, const struct kt_macro *macro, size_t parameter, int depth)
{
	struct kt_text body;
	struct kt_error err;
	if (parameter >= macro->parameter_count || depth > DEPTH_MOST)
		return depth > DEPTH_MOST;
	if (kt_lex(&body, scan->arena, macro->body, 0, strlen(macro->body), false, &err) != KT_OK)
		return true;
	for (size_t t = 0; t < body.count; t++)
		if (kt_token_is(&body, t, macro->parameters[parameter]) &&
		    ((t > 0 && kt_token_is(&body, t - 1, "#")) || in_strings(scan, &body, t, 0, depth + 1)))
			return true;
	return false;
}

/* Which argument of the bracket a token is in. */
static size_t argument_at(const struct kt_text *text, size_t open, size_t token)
{
	size_t argument = 0;
	for (size_t t = open + 1; t < token; t++) {
		if (kt_token_is(text, t, "(") && kt_token_match(text, t) < token)
			t = kt_token_match(text, t);
		else if (kt_token_is(text, t, "("))
			break;
		argument += kt_token_is(text, t, ",");
	}
	return argument;
}

static bool in_strings(struct kt_scan *scan, const struct kt_text *text, size_t token, size_t first, int depth)
{
	for (size_t open = token; open-- > first;) {
		if (!kt_token_is(text, open, "(") || kt_token_match(text, open) < token)
			continue;
		const struct kt_macro *macro = used_at(scan, text, open);
		size_t argument = macro != NULL ? argument_at(text, open, token) : 0;
		if (macro != NULL && argument >= macro->parameter_count && macro->parameter_count > 0)
			argument = macro->parameter_count - 1;
		if (macro != NULL && makes_string(scan, macro, argument, depth))
			return true;
	}
	return false;
}

bool kt_macro_is_string(struct kt_scan *scan, const struct kt_text *text, size_t token, size_t first)
{
	return in_strings(scan, text, token, first, 0);
}
