/* Texts of functions that are given the kernel, in names that are visible at the user's call. */
#include "routes_internal.h"

#include <string.h>

/* Does a template's list begin at "<"? *close: its ">". */
bool kt_route_list(const struct kt_text *text, size_t open, size_t *close)
{
	static const char *const after[] = {"(", ")", ",", "::", "{", "}", ";", ":", ">", "..."};
	uint32_t end = 0;
	if (!kt_token_is(text, open, "<") || open == 0 || text->tokens[open - 1].kind != KT_TOKEN_NAME)
		return false;
	*close = kt_token_match_angle(text, open, &end);
	for (size_t i = 0; *close + 1 < text->count && i < sizeof after / sizeof after[0]; i++)
		if (kt_token_is(text, *close + 1, after[i]))
			return true;
	return false;
}

/* The arguments between "(" at open and its ")", which becomes *close. */
bool kt_route_split(struct kt_route_reader *r, size_t open, struct kt_route_parts *out, size_t *close)
{
	const struct kt_text *text = r->text;
	size_t first = open + 1, end = 0;
	*out = (struct kt_route_parts){NULL, 0};
	*close = kt_token_match(text, open);
	for (size_t i = open + 1; *close < text->count && i <= *close; i++) {
		if (i < *close && kt_route_list(text, i, &end))
			i = end;
		else if (i < *close &&
			 (kt_token_is(text, i, "(") || kt_token_is(text, i, "[") || kt_token_is(text, i, "{")))
			i = kt_token_match(text, i);
		else if (i == *close ? first < i : kt_token_is(text, i, ",")) {
			struct kt_route_part *slot =
			    kt_arena_push(r->scan->arena, &out->items, &out->count, sizeof *slot);
			if (slot == NULL)
				return false;
			*slot = (struct kt_route_part){first, i};
			first = i + 1;
		}
	}
	return *close < text->count;
}

/* Does a list "{…}" of an expression end at token *i? Then it becomes its "{". */
static bool is_braced(const struct kt_text *text, size_t *i)
{
	size_t open = *i;
	while (open > 0 && !(kt_token_is(text, open, "{") && kt_token_match(text, open) >= *i))
		open--;
	if (open == 0 || kt_token_match(text, open) != *i ||
	    (text->tokens[open - 1].kind != KT_TOKEN_NAME && !kt_token_is(text, open - 1, "(") &&
	     !kt_token_is(text, open - 1, ",") && !kt_token_is(text, open - 1, ">")))
		return false;
	*i = open;
	return true;
}

size_t kt_call_around(const struct kt_text *text, size_t i, size_t *name)
{
	size_t depth = 0, angles = 0;
	while (i-- > 0) {
		if (kt_token_is(text, i, "}") && is_braced(text, &i))
			continue;
		if (kt_token_is(text, i, ";") || kt_token_is(text, i, "{") || kt_token_is(text, i, "}"))
			break;
		if (kt_token_is(text, i, ")") || kt_token_is(text, i, "]"))
			depth++;
		if (kt_token_is(text, i, "[") && depth > 0)
			depth--;
		if (!kt_token_is(text, i, "("))
			continue;
		if (depth > 0) {
			depth--;
			continue;
		}
		if (i == 0)
			break;
		size_t before = i - 1;
		for (angles = 0; before > 0 && (angles > 0 || kt_token_is(text, before, ">")); before--)
			if (kt_token_is(text, before, ">"))
				angles++;
			else if (kt_token_is(text, before, "<") && --angles == 0) {
				before--;
				break;
			}
		if (text->tokens[before].kind != KT_TOKEN_NAME || kt_token_is(text, before, "reinterpret_cast") ||
		    kt_token_is(text, before, "static_cast"))
			continue;
		*name = before;
		return i;
	}
	return text->count;
}

/* Is the argument nothing but what tokens [first, end) name, its address, or a cast of it? */
bool kt_route_is_alone(const struct kt_text *text, const struct kt_route_part *part, size_t first, size_t end)
{
	static const char *const around[] = {"(",          ")", "&", "*", "<", ">", "const", "void", "reinterpret_cast",
					     "static_cast"};
	for (size_t i = part->first; i < part->end; i++) {
		bool known = i >= first && i < end;
		for (size_t a = 0; a < sizeof around / sizeof around[0] && !known; a++)
			known = kt_token_is(text, i, around[a]);
		if (!known)
			return false;
	}
	return part->first <= first && end <= part->end;
}

const char *kt_route_words(struct kt_route_reader *r, size_t first, size_t end)
{
	return first < end
		   ? kt_scan_squeeze(r->scan, r->text, r->text->tokens[first].begin, r->text->tokens[end - 1].end)
		   : "";
}

/* Texts that were put in belong to the configuration, or to the kernel's arguments. */
static bool keep_used(struct kt_route_reader *r, const struct kt_expand *x)
{
	for (size_t i = 0; i < x->used_count; i++) {
		struct kt_range *slot = kt_arena_push(r->scan->arena, &r->out->ranges, &r->out->range_count, sizeof *slot);
		if (slot == NULL)
			return false;
		*slot = x->used[i];
	}
	return true;
}

/* The text with the variables of the function's body, which are written once, replaced by what they hold. */
static const char *with_locals(struct kt_route_reader *r, const struct kt_route_frame *f, const char *text, uint32_t at)
{
	struct kt_expand x = {.scan = r->scan, .at = at};
	for (int depth = 0; depth < 4 && text != NULL; depth++) {
		struct kt_text tokens;
		struct kt_error err;
		const char *name = NULL, *value = NULL;
		if (kt_lex(&tokens, r->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
			return NULL;
		for (size_t t = 0; t < tokens.count && value == NULL; t++) {
			if (tokens.tokens[t].kind != KT_TOKEN_NAME || (t > 0 && kt_token_is(&tokens, t - 1, ".")))
				continue;
			name = kt_arena_strndup(r->scan->arena, text + tokens.tokens[t].begin,
						tokens.tokens[t].end - tokens.tokens[t].begin);
			const struct kt_local *local = name != NULL ? kt_scan_visible(r->scan, name, at) : NULL;
			if (local == NULL || local->is_parameter || local->at < r->text->tokens[f->body].begin)
				continue;
			value = kt_reaching_value(&x, local);
			if (value != NULL && kt_scan_is_dim3(local->type, r->scan->arena) &&
			    (value[0] == '(' || value[0] == '{'))
				value = kt_arena_printf(r->scan->arena, "dim3 %s", value);
		}
		if (value == NULL)
			return keep_used(r, &x) ? text : NULL;
		text = strcmp(text, name) == 0 ? value : kt_text_put(r->scan, text, &name, &value, 1);
	}
	return text;
}

/* "p.blocks" of a parameter that is given `Params{n / 64, 64}` → "n / 64". */
static const char *with_members(struct kt_route_reader *r, const struct kt_route_frame *f, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	uint32_t at = 0;
	if (kt_lex(&tokens, r->scan->arena, text, 0, strlen(text), false, &err) != KT_OK)
		return NULL;
	for (size_t t = 0; t + 2 < tokens.count; t++) {
		const struct kt_token *member = &tokens.tokens[t + 2];
		const char *value = NULL;
		for (size_t i = 0; i < f->count && kt_token_is(&tokens, t + 1, "."); i++)
			if (kt_token_is(&tokens, t, f->names[i]) && (t == 0 || !kt_token_is(&tokens, t - 1, ".")))
				value = kt_record_member(r->scan, UINT32_MAX, f->types[i], f->values[i],
							 kt_arena_strndup(r->scan->arena, text + member->begin,
									  member->end - member->begin));
		if (value == NULL)
			continue;
		kt_buf_addf(&out, "%.*s(%s)", (int)(tokens.tokens[t].begin - at), text + at, value);
		at = member->end;
	}
	kt_buf_adds(&out, text + at);
	const char *copy = out.failed ? NULL : kt_arena_strdup(r->scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	return copy;
}

/* What a text at a place of a function is in names that are visible at the user's call. NULL: not known. */
const char *kt_route_resolve_text(struct kt_route_reader *r, const struct kt_route_frame *f, const char *text,
				  uint32_t at)
{
	if (f == NULL || text == NULL)
		return text;
	text = with_locals(r, f, text, at);
	text = text != NULL ? with_members(r, f, text) : NULL;
	for (size_t i = 0; text != NULL && i < f->count; i++)
		if (strcmp(f->names[i], text) == 0)
			return f->values[i];
	return text != NULL ? kt_text_put(r->scan, text, f->names, f->values, f->count) : NULL;
}

const char *kt_route_resolve(struct kt_route_reader *r, const struct kt_route_frame *f, size_t first, size_t end)
{
	return kt_route_resolve_text(r, f, kt_route_words(r, first, end), r->text->tokens[first].begin);
}

bool kt_route_add_text(struct kt_route_reader *r, const char ***texts, size_t *count, const char *text)
{
	return kt_arena_push_text(r->scan->arena, texts, count, text);
}

/* "args...", "std::forward<A>(args)..." stand for all that the pack holds. */
static bool holds_pack(const struct kt_text *text, const struct kt_route_frame *f, const struct kt_route_part *p)
{
	if (f == NULL || f->pack == NULL || !kt_token_is(text, p->end - 1, "..."))
		return false;
	for (size_t i = p->first; i < p->end; i++)
		if (kt_token_is(text, i, f->pack))
			return true;
	return false;
}

/* "std::forward<A>(a)" → "a". */
struct kt_route_part kt_route_forwarded(const struct kt_text *text, struct kt_route_part p)
{
	size_t close = p.end - 1, open = p.first;
	while (open < close && !(kt_token_is(text, open, "(") && kt_token_match(text, open) == close))
		open++;
	if (open < close && open > p.first && kt_token_is(text, open - 1, ">"))
		for (size_t i = p.first; i < open; i++)
			if (kt_token_is(text, i, "forward") || kt_token_is(text, i, "move"))
				return (struct kt_route_part){open + 1, close};
	return p;
}

bool kt_route_resolve_all(struct kt_route_reader *r, const struct kt_route_frame *f, const struct kt_route_parts *parts,
			  size_t from, const char ***texts, size_t *count)
{
	for (size_t i = from; i < parts->count; i++) {
		bool done = true;
		if (holds_pack(r->text, f, &parts->items[i])) {
			for (size_t k = 0; k < f->rest_count && done; k++)
				done = kt_route_add_text(r, texts, count, f->rest[k]);
		} else {
			const struct kt_route_part p = kt_route_forwarded(r->text, parts->items[i]);
			done = kt_route_add_text(r, texts, count, kt_route_resolve(r, f, p.first, p.end));
		}
		if (!done)
			return false;
	}
	return true;
}
