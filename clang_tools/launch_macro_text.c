/* Texts of macros' bodies as the preprocessor makes them. */
#include <string.h>

#include "expand.h"
#include "launch_macro.h"

/* "a, ## __VA_ARGS__" has no comma where there are none. */
static void drop_comma(struct kt_buf *out)
{
	while (out->size > 0 && (out->data[out->size - 1] == ' ' || out->data[out->size - 1] == '\t'))
		out->size--;
	if (out->size > 0 && out->data[out->size - 1] == ',')
		out->size--;
}

/* What a token is; NULL: it has no text. */
static bool add_token(struct kt_buf *out, const struct kt_macro_level *level, size_t token)
{
	const struct kt_text *text = &level->text;
	const struct kt_token *t = &text->tokens[token];
	const size_t parameter = t->kind == KT_TOKEN_NAME ? kt_macro_parameter(level, token) : SIZE_MAX;
	const bool joined = token > 0 && kt_token_is(text, token - 1, "##");
	const bool rest = parameter != SIZE_MAX && strcmp(level->macro->parameters[parameter], "__VA_ARGS__") == 0;
	if (kt_token_is(text, token, "#") || (parameter != SIZE_MAX && level->values[parameter] == NULL))
		return false;
	if (rest && joined && level->values[parameter][0] == '\0')
		drop_comma(out);
	if (out->size > 0 && text->tokens[token - 1].end < t->begin && (!joined || rest))
		kt_buf_addc(out, ' ');
	if (parameter != SIZE_MAX)
		kt_buf_adds(out, level->values[parameter]);
	else
		kt_buf_add(out, text->data + t->begin, t->end - t->begin);
	return true;
}

const char *kt_macro_text(struct kt_scan *scan, const struct kt_macro_level *level, size_t first, size_t end)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool known = true;
	for (size_t t = first; t < end && known; t++)
		known = kt_token_is(&level->text, t, "##") || add_token(&out, level, t);
	const char *copy = known && !out.failed ? kt_arena_strdup(scan->arena, kt_buf_text(&out)) : NULL;
	kt_buf_free(&out);
	return copy;
}

bool kt_macro_split(struct kt_scan *scan, const char *text, const char ***out, size_t *count)
{
	struct kt_text tokens;
	struct kt_error err;
	size_t first = 0;
	*count = 0;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return false;
	for (size_t t = 0; t <= tokens.count; t++) {
		if (t < tokens.count && (kt_token_is(&tokens, t, "(") || kt_token_is(&tokens, t, "[") || kt_token_is(&tokens, t, "{")))
			t = kt_token_match(&tokens, t);
		if (t < tokens.count && !kt_token_is(&tokens, t, ","))
			continue;
		if (t > tokens.count)
			return false;
		if (first < t) {
			const char **slot = kt_arena_push(scan->arena, out, count, sizeof *slot);
			if (slot == NULL)
				return false;
			*slot = kt_scan_squeeze(scan, &tokens, tokens.tokens[first].begin, tokens.tokens[t - 1].end);
		}
		first = t + 1;
	}
	return true;
}

/* ---- variables of the body */

const struct kt_local *kt_macro_local(const struct kt_scan *scan, uint32_t root, const struct kt_text *tokens)
{
	for (size_t i = 0; i < scan->local_count; i++)
		for (size_t t = 0; scan->locals[i].at == root && t < tokens->count; t++)
			if (tokens->tokens[t].kind == KT_TOKEN_NAME && kt_token_is(tokens, t, scan->locals[i].name) &&
			    (t == 0 || (!kt_token_is(tokens, t - 1, ".") && !kt_token_is(tokens, t - 1, "->"))))
				return &scan->locals[i];
	return NULL;
}

/* The first variable of the body that a text names and that is none of `kept`; parameters of functions have no value there. */
static const struct kt_local *next_local(const struct kt_scan *scan, uint32_t root, const struct kt_text *tokens,
                                         const char *const *kept, size_t kept_count)
{
	for (size_t t = 0; t < tokens->count; t++) {
		const struct kt_text one = {.data = tokens->data, .size = tokens->size, .count = 1, .tokens = &tokens->tokens[t]};
		const struct kt_local *local = kt_macro_local(scan, root, &one);
		bool skip = local == NULL || local->is_parameter;
		for (size_t k = 0; k < kept_count && !skip; k++)
			skip = strcmp(kept[k], local->name) == 0;
		if (!skip && (t == 0 || (!kt_token_is(tokens, t - 1, ".") && !kt_token_is(tokens, t - 1, "->"))))
			return local;
	}
	return NULL;
}

/* May the use of a variable at a token change it? */
static bool may_change(const struct kt_text *text, size_t token)
{
	static const char *const after[] = {"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--", ".",
	                                    "["};
	static const char *const before[] = {"&", "++", "--"};
	for (size_t i = 0; i < sizeof after / sizeof after[0]; i++)
		if (kt_token_is(text, token + 1, after[i]))
			return true;
	for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
		if (token > 0 && kt_token_is(text, token - 1, before[i]))
			return true;
	return false;
}

/* "(a, b)", "{a}" or "= a" up to ";" after the name of a variable. */
static bool find_value(const struct kt_text *text, size_t token, size_t *first, size_t *end)
{
	*end = token + 1;
	*first = kt_token_is(text, *end, "=") ? *end + 1 : *end;
	while (*end < text->count && !kt_token_is(text, *end, ";") && !kt_token_is(text, *end, ","))
		*end = kt_token_is(text, *end, "(") || kt_token_is(text, *end, "{") ? kt_token_match(text, *end) + 1 : *end + 1;
	return *end < text->count && kt_token_is(text, *end, ";") && *first < *end;
}

bool kt_macro_local_value(const struct kt_macro_level *level, const struct kt_local *local, size_t *first, size_t *end)
{
	const struct kt_text *text = &level->text;
	size_t closed = 0; /* blocks that end before the launch */
	for (size_t t = level->use; t-- > level->body;) {
		closed += kt_token_is(text, t, "}");
		closed -= kt_token_is(text, t, "{") && closed > 0;
		if (!kt_token_is(text, t, local->name) || kt_macro_parameter(level, t) != SIZE_MAX)
			continue;
		const bool declares = t > 0 && text->tokens[t - 1].kind == KT_TOKEN_NAME;
		if (declares && closed == 0)
			return find_value(text, t, first, end) && *end < level->use;
		if (!declares && may_change(text, t))
			return false;
	}
	return false;
}

static const char *local_value(struct kt_scan *scan, const struct kt_macro_level *level, const struct kt_local *local)
{
	size_t first = 0, end = 0;
	const char *value = kt_macro_local_value(level, local, &first, &end) ? kt_macro_text(scan, level, first, end) : NULL;
	const bool is_list = value != NULL && (value[0] == '(' || value[0] == '{');
	return is_list && kt_scan_is_dim3(local->type, scan->arena) ? kt_arena_printf(scan->arena, "dim3 %s", value) : value;
}

const char *kt_macro_with_locals(struct kt_scan *scan, const struct kt_macro_level *level, uint32_t root, const char *text,
                                 const char *const *kept, size_t kept_count)
{
	for (int depth = 0; depth < 8 && text != NULL; depth++) {
		struct kt_text tokens;
		struct kt_error err;
		if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
			return NULL;
		const struct kt_local *local = next_local(scan, root, &tokens, kept, kept_count);
		if (local == NULL)
			return text;
		const char *value = local_value(scan, level, local);
		if (value == NULL)
			return NULL;
		text = strcmp(text, local->name) == 0 ? value : kt_text_put(scan, text, &local->name, &value, 1);
	}
	return NULL;
}
