/* The extents of a dim3 in the host's text. */
#include "expand_internal.h"

#include <string.h>

#include "launches.h"

/* `c ? dim3(a) : dim3(b)` has the extents of either; false: it is no choice of several extents. */
static bool expand_choice(size_t *count, const char *dims[3], struct kt_frame *f)
{
	const char *a[3] = {NULL}, *b[3] = {NULL}, *cause = f->x->cause;
	size_t colon = 0;
	const size_t question = kt_frame_choice(f, &colon);
	if (question == f->tokens.count)
		return false;
	const size_t a_count = kt_expand_dims(a, f->x, kt_frame_copy(f, question + 1, colon), f->depth + 1);
	const size_t b_count = kt_expand_dims(b, f->x, kt_frame_copy(f, colon + 1, f->tokens.count), f->depth + 1);
	if (a_count == 0 || b_count == 0) {
		f->x->cause = cause;
		return false;
	}
	*count = a_count > b_count ? a_count : b_count;
	for (size_t d = 0; d < *count; d++)
		dims[d] = kt_arena_printf(f->x->scan->arena, "(%s) ? (%s) : (%s)", kt_frame_copy(f, 0, question),
					  d < a_count ? a[d] : "1", d < b_count ? b[d] : "1");
	return dims[0] != NULL && dims[*count - 1] != NULL;
}

/* A call of a function of the project that returns a dim3; false: it is none. */
static bool expand_call(size_t *count, const char *dims[3], struct kt_frame *f)
{
	struct kt_scan *scan = f->x->scan;
	const char **arguments = NULL, **names = NULL;
	size_t first = kt_token_is(&f->tokens, 0, "::"), argument_count = 0, name_count = 0, close = 0;
	bool is_call = false;
	CXCursor function = kt_clang.getNullCursor();
	while (kt_token_is(&f->tokens, first + 1, "::"))
		first += 2;
	const size_t open = kt_frame_call_open(f, first);
	const char *name = open > 0 ? kt_frame_copy(f, first, first + 1) : "";
	const size_t item = open > 0 ? kt_index_find(scan->item_index, name, strlen(name), 0) : SIZE_MAX;
	if (open == 0)
		return false;
	if (!kt_called_function(&function, scan, &f->tokens, first, f->x->at) && item != SIZE_MAX && scan->items[item].is_function)
		function = scan->items[item].cursor;
	if (kt_clang.Cursor_isNull(function) != 0 ||
	    !kt_scan_is_dim3(kt_clang.getResultType(kt_clang.getCursorType(function)), scan->arena) ||
	    !kt_frame_split(f, open, &arguments, &argument_count, &close) || close + 1 != f->tokens.count)
		return false;
	const char *body = kt_called_value(scan, &f->tokens, first, f->x->at, true, &is_call, &names, &name_count);
	body =
	    body != NULL && name_count == argument_count ? kt_text_put(scan, body, names, arguments, name_count) : NULL;
	if (body == NULL)
		return false;
	*count = kt_expand_dims(dims, f->x, body, f->depth + 1);
	return true;
}

/* "sizer.block(n)" of an object of the function, which returns a dim3; NULL: it is another text. */
static const char *method_of(struct kt_frame *f)
{
	const char **arguments = NULL;
	size_t count = 0, close = 0;
	if (f->tokens.count < 5 || f->tokens.tokens[0].kind != KT_TOKEN_NAME || !kt_token_is(&f->tokens, 1, ".") ||
	    !kt_token_is(&f->tokens, 3, "(") || !kt_frame_split(f, 3, &arguments, &count, &close) || close + 1 != f->tokens.count)
		return NULL;
	return kt_method_value(f->x, kt_frame_copy(f, 0, 1), kt_frame_copy(f, 2, 3), arguments, count);
}

static size_t not_known(struct kt_frame *f, const char *name)
{
	(void)kt_frame_refuse(f, "what '%s' holds is not known: a loop, a switch, a function or several branches write it",
			      name, NULL);
	return 0;
}

/* "{ .x = …, .y = … }": an extent that is not written is 1. */
static size_t expand_named(const char *dims[3], struct kt_scan *scan, const char *text)
{
	static const char *const names[] = {"x", "y", "z"};
	for (size_t d = 0; d < 3; d++)
		if ((dims[d] = kt_record_named(scan, text, names[d])) == NULL)
			dims[d] = "1";
	return 3;
}

size_t kt_expand_dims(const char *dims[3], struct kt_expand *x, const char *text, int depth)
{
	struct kt_frame f = {.x = x, .depth = depth};
	struct kt_error err;
	const char **parts = NULL;
	size_t count = 0, close = 0;
	if (depth > KT_EXPAND_DEPTH || kt_lex(&f.tokens, x->scan->arena, text, 0, strlen(text), false, &err) != KT_OK ||
	    f.tokens.count == 0)
		return 0;
	/* `1024.0` is converted to an integer. */
	if ((dims[0] = kt_frame_whole(&f)) != NULL)
		return 1;
	/* "(E)", "(dim3)E", "(dim3)(E)", "p.blocks" are the extents of E and of what the member holds. */
	const size_t partner = kt_token_is(&f.tokens, 0, "(") ? kt_token_match(&f.tokens, 0) : f.tokens.count;
	if (partner == f.tokens.count - 1 && partner > 1)
		return kt_expand_dims(dims, x, kt_frame_copy(&f, 1, partner), depth + 1);
	if (kt_token_is(&f.tokens, 0, "this") && kt_token_is(&f.tokens, 1, "->") && f.tokens.count > 2 &&
	    kt_scan_visible(x->scan, kt_frame_copy(&f, 2, 3), x->at) == NULL)
		return kt_expand_dims(dims, x, kt_frame_copy(&f, 2, f.tokens.count), depth + 1);
	if (partner == 2 && kt_token_is(&f.tokens, 1, "dim3"))
		return kt_expand_dims(dims, x, kt_frame_copy(&f, 3, f.tokens.count), depth + 1);
	if (f.tokens.count > 2 && kt_token_is(&f.tokens, f.tokens.count - 2, ".")) {
		const char *member = kt_frame_copy(&f, f.tokens.count - 1, f.tokens.count);
		const char *name = kt_single_name(x->scan, kt_frame_copy(&f, 0, f.tokens.count - 2));
		const struct kt_local *of = name != NULL ? kt_scan_visible(x->scan, name, x->at) : NULL;
		const char *value = of != NULL ? kt_reaching_member(x, of, member) : NULL;
		if (value != NULL)
			return kt_expand_dims(dims, x, value, depth + 1);
	}
	if (expand_choice(&count, dims, &f) || expand_call(&count, dims, &f))
		return count;
	const char *method = method_of(&f);
	if (method != NULL)
		return kt_expand_dims(dims, x, method, depth + 1);
	size_t open = kt_token_is(&f.tokens, 0, "dim3") ? 1 : 0;
	bool bracket = kt_token_is(&f.tokens, open, "{") || (open == 1 && kt_token_is(&f.tokens, open, "("));
	if (bracket && kt_frame_split(&f, open, &parts, &count, &close) && close + 1 == f.tokens.count && count <= 3) {
		for (size_t i = 0; i < count; i++)
			dims[i] = parts[i];
		return count > 0 && parts[0][0] == '.' ? expand_named(dims, f.x->scan, text) : count;
	}
	if (open == 1)
		return 0;
	const char *bound = NULL;
	if (f.tokens.count == 1 && kt_decomposed(&bound, x, text))
		return bound != NULL ? kt_expand_dims(dims, x, bound, depth + 1) : not_known(&f, text);
	const struct kt_local *local = f.tokens.count == 1 ? kt_scan_visible(x->scan, text, x->at) : NULL;
	if (local != NULL) {
		if (kt_scan_is_dim3(local->type, x->scan->arena)) {
			const char *init = kt_reaching_value(x, local);
			if (local->is_parameter) {
				(void)kt_frame_refuse(&f, "'%s' is a parameter of '%s'", text,
						      kt_frame_function(x->scan, x->at));
				return 0;
			}
			if (init == NULL) {
				/* Its numbers are set one by one. */
				static const char *const numbers[] = {"x", "y", "z"};
				for (size_t d = 0; d < 3; d++)
					if ((dims[d] = kt_reaching_member(x, local, numbers[d])) == NULL) {
						return not_known(&f, text);
					}
				return 3;
			}
			if (init[0] == '(')
				init = kt_arena_printf(x->scan->arena, "dim3 %s", init);
			return init != NULL ? kt_expand_dims(dims, x, init, depth + 1) : 0;
		}
	}
	const char *field = f.tokens.count == 1 && local == NULL ? kt_field_value(x, text) : NULL;
	if (field != NULL)
		return kt_expand_dims(dims, x, field, depth + 1);
	dims[0] = text;
	return 1;
}
