#include "closure.h"

#include <string.h>

#include "opencl.h"
#include "visit.h"

kt_status kt_walk_open(struct kt_walk *walk, struct kt_scan *scan, struct kt_error *err)
{
	*walk = (struct kt_walk){.scan = scan};
	walk->items = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *walk->items);
	walk->macros = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *walk->macros);
	walk->order = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *walk->order);
	walk->macro_order = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *walk->macro_order);
	if (walk->items == NULL || walk->macros == NULL || walk->order == NULL || walk->macro_order == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure");
	return KT_OK;
}

struct kt_range kt_item_range(struct kt_scan *scan, const struct kt_item *item)
{
	const struct kt_text *text = item->file != 0 ? kt_scan_text(scan, item->file) : NULL;
	if (text == NULL)
		return (struct kt_range){item->begin, item->end};
	return (struct kt_range){kt_widen_begin(text, item->begin, 0), kt_widen_end(text, item->end)};
}

void kt_walk_item(struct kt_walk *walk, size_t item)
{
	if (walk->items[item])
		return;
	walk->items[item] = true;
	walk->order[walk->order_count++] = item;
}

static void walk_name(struct kt_walk *walk, const char *name, size_t length)
{
	const struct kt_scan *scan = walk->scan;
	for (size_t i = kt_index_find(scan->item_index, name, length, 0); i != SIZE_MAX;
	     i = kt_index_find(scan->item_index, name, length, i + 1))
		kt_walk_item(walk, i);
	for (size_t i = kt_index_find(scan->macro_index, name, length, 0); i != SIZE_MAX;
	     i = kt_index_find(scan->macro_index, name, length, i + 1))
		if (!walk->macros[i]) {
			walk->macros[i] = true;
			walk->macro_order[walk->macro_order_count++] = i;
		}
}

static void walk_tokens(struct kt_walk *walk, const struct kt_text *text, size_t first, uint32_t end)
{
	for (size_t i = first; i < text->count && text->tokens[i].begin < end; i++) {
		const struct kt_token *token = &text->tokens[i];
		struct kt_text inside;
		struct kt_error err;
		if (token->kind == KT_TOKEN_NAME)
			walk_name(walk, text->data + token->begin, token->end - token->begin);
		else if (token->kind == KT_TOKEN_DIRECTIVE &&
		         kt_lex(&inside, walk->scan->arena, text->data, token->begin, token->end, false, &err) == KT_OK)
			walk_tokens(walk, &inside, 0, token->end);
	}
}

void kt_walk_range(struct kt_walk *walk, size_t file, uint32_t begin, uint32_t end)
{
	const struct kt_text *text = kt_scan_text(walk->scan, file);
	if (text != NULL)
		walk_tokens(walk, text, kt_token_at(text, begin), end);
}

void kt_walk_text(struct kt_walk *walk, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	if (kt_lex(&tokens, walk->scan->arena, text, 0, strlen(text), false, &err) == KT_OK)
		walk_tokens(walk, &tokens, 0, UINT32_MAX);
}

/* A name that ## makes stands nowhere in the text: whatever the project declares may be meant. */
static void walk_everything(struct kt_walk *walk)
{
	for (size_t i = 0; i < walk->scan->item_count; i++)
		kt_walk_item(walk, i);
	for (size_t i = 0; i < walk->scan->macro_count; i++)
		if (!walk->macros[i]) {
			walk->macros[i] = true;
			walk->macro_order[walk->macro_order_count++] = i;
		}
}

void kt_walk_finish(struct kt_walk *walk)
{
	while (walk->done < walk->order_count || walk->macros_done < walk->macro_order_count) {
		if (walk->done < walk->order_count) {
			const struct kt_item *item = &walk->scan->items[walk->order[walk->done++]];
			struct kt_range range = kt_item_range(walk->scan, item);
			kt_walk_range(walk, item->file, range.begin, range.end);
		} else {
			const char *body = walk->scan->macros[walk->macro_order[walk->macros_done++]].body;
			kt_walk_text(walk, body);
			if (strstr(body, "##") != NULL)
				walk_everything(walk);
		}
	}
}

static void hash_tokens(struct kt_hash *hash, struct kt_scan *scan, const struct kt_text *text, uint32_t begin,
                        uint32_t end)
{
	for (size_t i = kt_token_at(text, begin); i < text->count && text->tokens[i].begin < end; i++) {
		const struct kt_token *token = &text->tokens[i];
		struct kt_text inside;
		struct kt_error err;
		if (token->kind == KT_TOKEN_DIRECTIVE) {
			if (kt_lex(&inside, scan->arena, text->data, token->begin, token->end, false, &err) == KT_OK &&
			    !kt_token_is(&inside, 2, "ktune"))
				hash_tokens(hash, scan, &inside, token->begin, token->end);
			continue;
		}
		const char *spelling = kt_arena_strndup(scan->arena, text->data + token->begin, token->end - token->begin);
		kt_hash_field(hash, "token", spelling);
	}
}

static void hash_text(struct kt_hash *hash, struct kt_scan *scan, const char *text)
{
	struct kt_text tokens;
	struct kt_error err;
	if (kt_lex(&tokens, scan->arena, text, 0, strlen(text), false, &err) == KT_OK)
		hash_tokens(hash, scan, &tokens, 0, UINT32_MAX);
}

/* Tokens only: comments, blanks, paths and places do not take part. */
static void hash_walk(struct kt_hash *hash, const struct kt_walk *walk)
{
	struct kt_scan *scan = walk->scan;
	for (size_t i = 0; i < walk->order_count; i++) {
		const struct kt_item *item = &scan->items[walk->order[i]];
		const struct kt_text *text = kt_scan_text(scan, item->file);
		struct kt_range range = kt_item_range(scan, item);
		kt_hash_field(hash, "item", item->scope);
		if (text != NULL)
			hash_tokens(hash, scan, text, range.begin, range.end);
	}
	for (size_t i = 0; i < walk->macro_order_count; i++) {
		const struct kt_macro *macro = &scan->macros[walk->macro_order[i]];
		kt_hash_field(hash, "macro", macro->name);
		for (size_t p = 0; p < macro->parameter_count; p++)
			kt_hash_field(hash, "parameter", macro->parameters[p]);
		hash_text(hash, scan, macro->body);
	}
}

static bool is_operator(const char *name)
{
	return strncmp(name, "operator", 8) == 0 && strchr("+-*/%^&|~!=<>[(,\" ", name[8]) != NULL && name[8] != '\0';
}

kt_status kt_scan_closure(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_walk walk;
	struct kt_hash hash, with_toolkit;
	char text[KT_HASH_TEXT];
	kt_status status = kt_walk_open(&walk, scan, err);
	if (status != KT_OK)
		return status;
	kt_walk_item(&walk, found->item);
	for (size_t i = 0; i < r->instance_count; i++)
		for (size_t a = 0; a < r->instances[i].argument_count; a++)
			kt_walk_text(&walk, r->instances[i].arguments[a]);
	/* Operators are called without their names. */
	for (size_t i = 0; i < scan->item_count; i++)
		if (is_operator(scan->items[i].name))
			kt_walk_item(&walk, i);
	kt_walk_finish(&walk);
	found->needed = walk.items;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "closure", "1");
	kt_hash_field(&hash, "kernel", r->qualified);
	if (scan->language == KT_LANGUAGE_OPENCL)
		kt_opencl_hash(&hash, scan);
	hash_walk(&hash, &walk);
	with_toolkit = hash;
	kt_hash_final(&hash, text);
	r->near_key = kt_arena_strdup(scan->arena, text);
	kt_hash_int(&with_toolkit, "toolkit", scan->toolkit_version);
	kt_hash_final(&with_toolkit, text);
	r->closure = kt_arena_strdup(scan->arena, text);
	if (r->near_key == NULL || r->closure == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure");
	return KT_OK;
}
