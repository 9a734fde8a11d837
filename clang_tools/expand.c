#include "expand_internal.h"

#include <string.h>

static const char *const type_words[] = {
    "unsigned", "signed",  "int",      "long",    "short",    "char",      "const",   "auto", "bool",
    "size_t",   "int32_t", "uint32_t", "int64_t", "uint64_t", "ptrdiff_t", "ssize_t", "uint",
};
static const char *const functions[] = {"min", "max", "ceil_div", "is_pow2"};
static const char *const casts[] = {"static_cast", "const_cast", "reinterpret_cast"};

#define LENGTH(table) (sizeof(table) / sizeof(table)[0])

static bool one_of(const struct kt_frame *f, size_t i, const char *const *table, size_t count)
{
	for (size_t t = 0; t < count; t++)
		if (kt_token_is(&f->tokens, i, table[t]))
			return true;
	return false;
}

static bool is_type(const struct kt_item *item)
{
	return item->kind == CXCursor_TypedefDecl || item->kind == CXCursor_TypeAliasDecl;
}

/* Is it the name of a type that the project has given an integer type? */
static bool names_type(const struct kt_frame *f, size_t i)
{
	const struct kt_scan *scan = f->x->scan;
	if (i >= f->tokens.count || f->tokens.tokens[i].kind != KT_TOKEN_NAME)
		return false;
	const struct kt_token *token = &f->tokens.tokens[i];
	size_t item = kt_index_find(scan->item_index, f->tokens.data + token->begin, token->end - token->begin, 0);
	return item != SIZE_MAX && is_type(&scan->items[item]);
}

/* "(" … ")" around nothing but a type's words: index of ")", else 0. */
static size_t cast_end(const struct kt_frame *f, size_t open)
{
	size_t i = open + 1;
	while (one_of(f, i, type_words, LENGTH(type_words)) || names_type(f, i) ||
	       (kt_token_is(&f->tokens, i, "std") && kt_token_is(&f->tokens, i + 1, "::")) ||
	       (kt_token_is(&f->tokens, i, "::") && i > open + 1))
		i++;
	return i > open + 1 && kt_token_is(&f->tokens, i, ")") ? i : 0;
}

/* A body whose parameters are put in by text: f(a, b) → "(" body ")". */
static bool expand_body(struct kt_frame *f, const char *body, const char *const *names, size_t name_count,
			const char *const *arguments, size_t argument_count)
{
	struct kt_arena *arena = f->x->scan->arena;
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (name_count != argument_count || kt_lex(&tokens, arena, body, 0, strlen(body), false, &err) != KT_OK)
		return false;
	for (size_t t = 0; t < tokens.count; t++) {
		size_t n = 0;
		while (n < name_count && !kt_token_is(&tokens, t, names[n]))
			n++;
		if (n < name_count)
			kt_buf_addf(&text, "(%s) ", arguments[n]);
		else
			kt_buf_addf(&text, "%.*s ", (int)(tokens.tokens[t].end - tokens.tokens[t].begin),
				    body + tokens.tokens[t].begin);
	}
	kt_buf_addc(f->out, '(');
	bool done = !text.failed && kt_expand(f->out, f->x, kt_buf_text(&text), f->depth + 1);
	kt_buf_addc(f->out, ')');
	kt_buf_free(&text);
	return done;
}

/* The arguments of a call with those that its function has by default; *count: of what is known of them. */
static const char **with_defaults(struct kt_frame *f, size_t item, const char *const *given, size_t *count, size_t most)
{
	struct kt_scan *scan = f->x->scan;
	const char **all = kt_arena_array(scan->arena, most + 1, sizeof *all), *text;
	for (size_t i = 0; all != NULL && i < *count && i < most; i++)
		all[i] = given[i];
	while (all != NULL && *count < most && (text = kt_function_default(scan, item, *count)) != NULL)
		all[(*count)++] = text;
	return all;
}

static bool expand_call(struct kt_frame *f, size_t *i, size_t open, const char *name)
{
	struct kt_scan *scan = f->x->scan;
	const struct kt_macro *macro = kt_scan_macro(scan, name);
	const char **arguments = NULL, **names = NULL;
	size_t count = 0, name_count = 0, close = 0;
	if (!kt_frame_split(f, open, &arguments, &count, &close))
		return false;
	if (macro != NULL && macro->is_function) {
		*i = close;
		return expand_body(f, macro->body, macro->parameters, macro->parameter_count, arguments, count);
	}
	const char *lambda = kt_lambda_value(f->x, name, &names, &name_count);
	if (lambda != NULL) {
		*i = close;
		return expand_body(f, lambda, names, name_count, arguments, count);
	}
	size_t item = kt_callee_named(scan, name);
	if (item != SIZE_MAX && is_type(&scan->items[item])) {
		*i = open - 1;
		return true;
	}
	bool is_call = false;
	const char *body = kt_called_value(scan, &f->tokens, *i, f->x->at, false, &is_call, &names, &name_count);
	if (body != NULL) {
		const char **all = item != SIZE_MAX ? with_defaults(f, item, arguments, &count, name_count) : arguments;
		*i = close;
		return name_count == 0 || all != NULL ? expand_body(f, body, names, name_count, all, count) : false;
	}
	if (!is_call && item == SIZE_MAX && kt_frame_round(f, i, open, name))
		return true;
	if (!one_of(f, *i, functions, LENGTH(functions)))
		return kt_frame_refuse(f,
				       item != SIZE_MAX || is_call
					   ? "what the function '%s' returns is no expression over its parameters"
					   : "nothing is known of what '%s' returns",
				       name, NULL);
	*i = open - 1;
	kt_buf_adds(f->out, name);
	return true;
}

static bool is_known(const struct kt_found *found, const char *name)
{
	const struct kt_pragma *p = found->pragma;
	for (size_t i = 0; i < p->tune_count; i++)
		if (strcmp(p->tunes[i].name, name) == 0)
			return true;
	return kt_has_text(p->variables, p->variable_count, name);
}

/* "sizer.blocks(n)" of an object of the function; false: nothing is known of it. */
static bool expand_method(struct kt_frame *f, size_t *i, const char *name)
{
	const char **arguments = NULL;
	size_t count = 0, close = 0;
	if (!kt_frame_split(f, *i + 3, &arguments, &count, &close))
		return false;
	const char *value = kt_method_value(f->x, name, kt_frame_copy(f, *i + 2, *i + 3), arguments, count);
	if (value == NULL)
		return false;
	*i = close;
	kt_buf_addc(f->out, '(');
	const bool done = kt_expand(f->out, f->x, value, f->depth + 1);
	kt_buf_addc(f->out, ')');
	return done;
}

/* g.x of a dim3 variable, or a member of a structure. */
static bool expand_member(struct kt_frame *f, size_t *i, const char *name)
{
	if (kt_token_is(&f->tokens, *i + 3, "(") && expand_method(f, i, name))
		return true;
	const struct kt_local *local = kt_scan_visible(f->x->scan, name, f->x->at);
	const struct kt_token *member = *i + 2 < f->tokens.count ? &f->tokens.tokens[*i + 2] : NULL;
	const char *value = local != NULL && member != NULL && !kt_token_is(&f->tokens, *i + 3, "(")
				? kt_reaching_member(f->x, local,
						     kt_arena_strndup(f->x->scan->arena, f->tokens.data + member->begin,
								      member->end - member->begin))
				: NULL;
	if (value != NULL) {
		*i += 2;
		kt_buf_addc(f->out, '(');
		const bool done = kt_expand(f->out, f->x, value, f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	const char *dims[3] = {NULL};
	size_t count = kt_expand_dims(dims, f->x, name, f->depth + 1);
	for (size_t d = 0; d < 3; d++) {
		static const char *const members[] = {"x", "y", "z"};
		if (count == 0 || !kt_token_is(&f->tokens, *i + 2, members[d]))
			continue;
		*i += 2;
		kt_buf_addc(f->out, '(');
		bool done =
		    d >= count ? (kt_buf_addc(f->out, '1'), true) : kt_expand(f->out, f->x, dims[d], f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	return kt_frame_refuse(f, "'%s' is a member of '%s', which nothing is known of",
			       kt_frame_copy(f, *i + 2, *i + 3), name);
}

/*
 * An operand that the pragma has a name for. One of several tokens goes before everything, one that is a name after
 * macros, as the compiler has it.
 */
static bool renamed(struct kt_frame *f, size_t *i, bool several)
{
	size_t last = *i;
	const char *text = kt_expand_renamed(f->x, &f->tokens, &last);
	if (text == NULL || (several && last == *i))
		return false;
	*i = last;
	kt_buf_adds(f->out, text);
	return true;
}

/* "size[1]" of an array of the function, whose index is a number; the token becomes its last. NULL: it is no such element. */
static const char *element(struct kt_frame *f, size_t *i, const struct kt_local *local)
{
	if (local == NULL || local->is_parameter || !kt_token_is(&f->tokens, *i + 1, "[") ||
	    kt_token_match(&f->tokens, *i + 1) != *i + 3)
		return NULL;
	const char *value = kt_reaching_element(f->x, local, kt_frame_copy(f, *i + 2, *i + 3));
	*i += value != NULL ? 3 : 0;
	return value;
}

static bool expand_name(struct kt_frame *f, size_t *i)
{
	struct kt_expand *x = f->x;
	const struct kt_token *token = &f->tokens.tokens[*i];
	const char *name = kt_arena_strndup(x->scan->arena, f->tokens.data + token->begin, token->end - token->begin);
	NEED(name, false);
	if (strcmp(name, KT_EXPAND_DEVICE) == 0 && kt_token_is(&f->tokens, *i + 1, ".")) {
		*i += 2;
		kt_buf_addf(f->out, "device.%.*s", (int)(f->tokens.tokens[*i].end - f->tokens.tokens[*i].begin),
			    f->tokens.data + f->tokens.tokens[*i].begin);
		return true;
	}
	if (renamed(f, i, true))
		return true;
	if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
		kt_buf_adds(f->out, name);
		return true;
	}
	if (is_known(x->found, name)) {
		kt_buf_adds(f->out, name);
		return !kt_token_is(&f->tokens, *i + 1, "(");
	}
	size_t open = kt_frame_call_open(f, *i);
	if (kt_frame_property(f, i, name))
		return true;
	if (open > 0)
		return expand_call(f, i, open, name);
	if (kt_token_is(&f->tokens, *i + 1, "."))
		return expand_member(f, i, name);
	const struct kt_macro *macro = kt_scan_macro(x->scan, name);
	if (macro != NULL && !macro->is_function)
		return expand_body(f, macro->body, NULL, 0, NULL, 0);
	if (renamed(f, i, false))
		return true;
	const char *bound = NULL;
	const bool is_bound = kt_decomposed(&bound, x, name);
	const struct kt_local *local = is_bound ? NULL : kt_scan_visible(x->scan, name, x->at);
	const char *init = is_bound ? bound : element(f, i, local);
	if (init == NULL)
		init = local == NULL         ? NULL
		       : local->is_parameter ? kt_parameter_value(x, local)
		                             : kt_reaching_value(x, local);
	if (local == NULL && !is_bound && (kt_frame_constant(f, name) || kt_frame_template(f, name)))
		return true;
	init = local == NULL && !is_bound ? kt_field_value(x, name) : init;
	if (init != NULL) {
		size_t length = strlen(init);
		if (init[0] == '{' && length >= 2)
			init = kt_arena_strndup(x->scan->arena, init + 1, length - 2);
		kt_buf_addc(f->out, '(');
		bool done = init != NULL && kt_expand(f->out, x, init, f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	if (!is_bound && kt_frame_is_global(f, local, name))
		return kt_frame_refuse(f, "'%s' is a variable outside of functions, which any of them may write", name,
				       NULL);
	if (local == NULL && !is_bound)
		return kt_frame_refuse(f, "'%s' is no constant and no variable there", name, NULL);
	if (!is_bound && local->is_parameter)
		return kt_frame_refuse(f,
				       "'%s' is a parameter of '%s', which is not called with one number or expression in this file",
				       name, kt_frame_function(x->scan, x->at));
	return kt_frame_refuse(
	    f, "what '%s' holds is not known: a loop, a switch, a function or several branches write it", name, NULL);
}

static bool expand_number(struct kt_frame *f, size_t i)
{
	const struct kt_token *token = &f->tokens.tokens[i];
	const char *digits = f->tokens.data + token->begin;
	size_t length = token->end - token->begin;
	bool hexadecimal = length > 1 && (digits[1] == 'x' || digits[1] == 'X');
	for (size_t c = 0; c < length; c++) {
		if (strchr("uUlL", digits[c]) != NULL)
			continue;
		if (digits[c] == '.' || (!hexadecimal && (digits[c] == 'e' || digits[c] == 'f')))
			return false;
		if (digits[c] != '\'')
			kt_buf_addc(f->out, digits[c]);
	}
	return true;
}

/* "(dim3(a, b)).y": the extent; false: it is none. */
static bool expand_extent(struct kt_frame *f, size_t *i)
{
	static const char *const members[] = {"x", "y", "z"};
	const char *dims[3] = {NULL};
	const size_t open = *i, close = kt_token_match(&f->tokens, open);
	size_t count = 0;
	if (!kt_token_is(&f->tokens, open + 1, "dim3") || !kt_token_is(&f->tokens, close + 1, "."))
		return false;
	count = kt_expand_dims(dims, f->x, kt_frame_copy(f, open + 1, close), f->depth + 1);
	for (size_t d = 0; d < 3 && count > 0; d++) {
		if (!kt_token_is(&f->tokens, close + 2, members[d]))
			continue;
		*i = close + 2;
		kt_buf_addc(f->out, '(');
		const bool done = kt_expand(f->out, f->x, d < count ? dims[d] : "1", f->depth + 1);
		kt_buf_addc(f->out, ')');
		return done;
	}
	return false;
}

/* "(…)" by itself, since it may be a choice. */
static bool expand_brackets(struct kt_frame *f, size_t *i)
{
	const size_t open = *i;
	if (expand_extent(f, i))
		return true;
	*i = kt_token_match(&f->tokens, open);
	kt_buf_addc(f->out, '(');
	/* An empty one is left to the parser. */
	const bool done = *i == open + 1 || (f->x->brackets++ < KT_EXPAND_BRACKETS &&
					     kt_expand(f->out, f->x, kt_frame_copy(f, open + 1, *i), f->depth));
	f->x->brackets -= *i > open + 1;
	kt_buf_addc(f->out, ')');
	return done;
}

/* "this->blocks": where no variable has the name, "blocks" is the member. */
static bool of_this(const struct kt_frame *f, size_t i)
{
	return kt_token_is(&f->tokens, i, "this") && kt_token_is(&f->tokens, i + 1, "->") && i + 2 < f->tokens.count &&
	       kt_scan_visible(f->x->scan, kt_frame_copy(f, i + 2, i + 3), f->x->at) == NULL;
}

static bool expand_token(struct kt_frame *f, size_t *i)
{
	const struct kt_token *token = &f->tokens.tokens[*i];
	if (token->kind == KT_TOKEN_NUMBER)
		return expand_number(f, *i);
	/* Whose function or constant it is, the last name tells. */
	if (kt_token_is(&f->tokens, *i, "::"))
		return true;
	if (token->kind == KT_TOKEN_NAME && kt_token_is(&f->tokens, *i + 1, "::")) {
		++*i;
		return true;
	}
	if (one_of(f, *i, casts, LENGTH(casts)) && kt_token_is(&f->tokens, *i + 1, "<")) {
		uint32_t end = 0;
		*i = kt_token_match_angle(&f->tokens, *i + 1, &end);
		return *i < f->tokens.count;
	}
	if (kt_token_is(&f->tokens, *i, "sizeof"))
		return kt_frame_sizeof(f, i);
	if (one_of(f, *i, type_words, LENGTH(type_words)))
		return kt_token_is(&f->tokens, *i + 1, "(");
	if (of_this(f, *i))
		*i += 2;
	if (f->tokens.tokens[*i].kind == KT_TOKEN_NAME)
		return expand_name(f, i);
	if (token->kind != KT_TOKEN_MARK)
		return false;
	size_t cast = kt_token_is(&f->tokens, *i, "(") ? cast_end(f, *i) : 0;
	if (cast > 0)
		*i = cast;
	else if (kt_token_is(&f->tokens, *i, "(") && kt_token_match(&f->tokens, *i) < f->tokens.count)
		return expand_brackets(f, i);
	else
		kt_buf_add(f->out, f->tokens.data + token->begin, token->end - token->begin);
	return true;
}

/* Expands a text into a new buffer. NULL: it has no form. */
static const char *expanded(struct kt_expand *x, const char *text, int depth)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *copy = kt_expand(&out, x, text, depth) ? kt_arena_strdup(x->scan->arena, kt_buf_text(&out)) : NULL;
	kt_buf_free(&out);
	return copy;
}

/*
 * `c ? a : b`, whose "?" and ":" these tokens are. Where one of a and b has no form, there is no value where it would
 * be taken: a division by zero. Such a problem is not tuned, and such a launch runs the original.
 */
static bool expand_choice(struct kt_frame *f, size_t question, size_t colon)
{
	struct kt_expand *x = f->x;
	const char *condition = expanded(x, kt_frame_copy(f, 0, question), f->depth + 1);
	const char *cause = x->cause;
	const char *a = condition != NULL ? expanded(x, kt_frame_copy(f, question + 1, colon), f->depth + 1) : NULL;
	const char *b =
	    condition != NULL ? expanded(x, kt_frame_copy(f, colon + 1, f->tokens.count), f->depth + 1) : NULL;
	if (a == NULL && b == NULL)
		return false;
	x->cause = cause;
	if (a != NULL && b != NULL)
		kt_buf_addf(f->out, "(%s) ? (%s) : (%s)", condition, a, b);
	else
		kt_buf_addf(f->out, a != NULL ? "(%s) / !!(%s)" : "(%s) / !(%s)", a != NULL ? a : b, condition);
	return !f->out->failed;
}

bool kt_expand(struct kt_buf *out, struct kt_expand *x, const char *text, int depth)
{
	struct kt_frame f = {.x = x, .out = out, .depth = depth};
	struct kt_error err;
	if (depth > KT_EXPAND_DEPTH || x->steps++ > KT_EXPAND_STEPS ||
	    kt_lex(&f.tokens, x->scan->arena, text, 0, strlen(text), false, &err) != KT_OK || f.tokens.count == 0)
		return false;
	/* Texts of other functions have other names in them. */
	const char *bound = depth == 0 ? kt_expand_whole(x, &f.tokens) : NULL;
	if (bound != NULL) {
		kt_buf_addf(out, "%s ", bound);
		return !out->failed;
	}
	size_t colon = 0;
	const size_t question = kt_frame_choice(&f, &colon);
	if (question < f.tokens.count)
		return expand_choice(&f, question, colon);
	for (size_t i = 0; i < f.tokens.count; i++) {
		if (!expand_token(&f, &i))
			return false;
		kt_buf_addc(out, ' ');
	}
	return !out->failed;
}
