#include "closure.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "opencl.h"
#include "visit.h"

kt_status kt_walk_open(struct kt_walk *walk, struct kt_scan *scan, struct kt_error *err)
{
	*walk = (struct kt_walk){.scan = scan};
	walk->items = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *walk->items);
	walk->macros = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *walk->macros);
	walk->order = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *walk->order);
	walk->macro_order = kt_arena_array(scan->arena, scan->macro_count + 1, sizeof *walk->macro_order);
	walk->undefs = kt_scan_undefs(scan) ? kt_arena_array(scan->arena, scan->undef_count + 1, sizeof *walk->undefs) : NULL;
	walk->item_names = kt_arena_array(scan->arena, kt_index_places(scan->item_index), sizeof *walk->item_names);
	walk->macro_names = kt_arena_array(scan->arena, kt_index_places(scan->macro_index), sizeof *walk->macro_names);
	if (walk->items == NULL || walk->macros == NULL || walk->order == NULL || walk->macro_order == NULL ||
	    walk->item_names == NULL || walk->macro_names == NULL || walk->undefs == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure");
	return KT_OK;
}

kt_status kt_walk_again(struct kt_walk *walk, struct kt_error *err)
{
	struct kt_scan *scan = walk->scan;
	if (!kt_scan_undefs(scan))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure");
	memset(walk->items, 0, (scan->item_count + 1) * sizeof *walk->items);
	memset(walk->macros, 0, (scan->macro_count + 1) * sizeof *walk->macros);
	memset(walk->undefs, 0, (scan->undef_count + 1) * sizeof *walk->undefs);
	memset(walk->item_names, 0, kt_index_places(scan->item_index) * sizeof *walk->item_names);
	memset(walk->macro_names, 0, kt_index_places(scan->macro_index) * sizeof *walk->macro_names);
	*walk = (struct kt_walk){.scan = scan, .items = walk->items, .macros = walk->macros, .undefs = walk->undefs,
	                         .item_names = walk->item_names, .macro_names = walk->macro_names, .order = walk->order,
	                         .macro_order = walk->macro_order};
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
	if (walk->items[item] || (walk->leaves != NULL && walk->leaves[item]))
		return;
	walk->items[item] = true;
	walk->order[walk->order_count++] = item;
}

/* Place of the first entry of that name, 0 where there is none or it was looked up before. */
static size_t first_time(const struct kt_name_index *index, bool *names, const char *name, size_t length)
{
	size_t place = kt_index_first(index, name, length);
	if (place == 0 || names[place])
		return 0;
	names[place] = true;
	return place;
}

static void walk_macro(struct kt_walk *walk, const char *name, size_t length)
{
	const struct kt_name_index *undefs = walk->scan->undef_index;
	for (size_t at = kt_index_first(undefs, name, length); at != 0; at = kt_index_next(undefs, at))
		walk->undefs[kt_index_entry(undefs, at)] = true;
	const struct kt_name_index *macros = walk->scan->macro_index;
	for (size_t at = first_time(macros, walk->macro_names, name, length); at != 0; at = kt_index_next(macros, at)) {
		size_t i = kt_index_entry(macros, at);
		if (!walk->macros[i]) {
			walk->macros[i] = true;
			walk->macro_order[walk->macro_order_count++] = i;
		}
	}
}

static void walk_name(struct kt_walk *walk, const char *name, size_t length)
{
	const struct kt_name_index *items = walk->scan->item_index;
	for (size_t at = first_time(items, walk->item_names, name, length); at != 0; at = kt_index_next(items, at)) {
		size_t i = kt_index_entry(items, at);
		/* After the items' own names come their aliases: a member is needed when its class is. */
		if (at > walk->scan->item_count || !walk->scan->items[i].is_member)
			kt_walk_item(walk, i);
	}
	walk_macro(walk, name, length);
}

static void add_piece(struct kt_walk *walk, const char *name, size_t length)
{
	if (kt_index_find(walk->pieces, name, length, 0) == SIZE_MAX && !kt_index_add(walk->pieces, name, length, 0))
		walk->pieces_lost = true;
}

/* x.name is a member's name, and its class is read where x is declared; x.name::member names a class. */
static bool is_member_name(const struct kt_text *text, size_t token)
{
	return token > 0 && (kt_token_is(text, token - 1, ".") || kt_token_is(text, token - 1, "->")) &&
	       !kt_token_is(text, token + 1, "::");
}

/* Calls visit for each name from a token on. */
static void each_name(struct kt_walk *walk, const struct kt_text *text, size_t first, uint32_t end,
                      void (*visit)(struct kt_walk *walk, const char *name, size_t length))
{
	for (size_t i = first; i < text->count && text->tokens[i].begin < end; i++) {
		const struct kt_token *token = &text->tokens[i];
		struct kt_text inside;
		struct kt_error err;
		if (token->kind == KT_TOKEN_NAME || (token->kind == KT_TOKEN_NUMBER && visit == add_piece))
			(visit == walk_name && is_member_name(text, i) ? walk_macro : visit)(
			    walk, text->data + token->begin, token->end - token->begin);
		else if (token->kind == KT_TOKEN_DIRECTIVE &&
		         kt_lex(&inside, walk->scan->arena, text->data, token->begin, token->end, false, &err) == KT_OK)
			each_name(walk, &inside, 0, token->end, visit);
	}
}

static void visit_read(struct kt_walk *walk, const struct kt_read *read,
                       void (*visit)(struct kt_walk *walk, const char *name, size_t length))
{
	struct kt_text tokens;
	struct kt_error err;
	const struct kt_text *text = read->text == NULL ? kt_scan_text(walk->scan, read->file) : &tokens;
	if (read->text != NULL &&
	    kt_lex(&tokens, walk->scan->arena, read->text, 0, strlen(read->text), false, &err) != KT_OK)
		return;
	if (text != NULL)
		each_name(walk, text, kt_token_at(text, read->begin), read->end, visit);
}

static void add_read(struct kt_walk *walk, struct kt_read read)
{
	struct kt_read *slot = kt_arena_push(walk->scan->arena, &walk->read, &walk->read_count, sizeof *slot);
	if (slot == NULL) {
		walk->scan->failed = true;
		return;
	}
	*slot = read;
	visit_read(walk, &read, walk_name);
}

void kt_walk_range(struct kt_walk *walk, size_t file, uint32_t begin, uint32_t end)
{
	add_read(walk, (struct kt_read){.file = file, .begin = begin, .end = end});
}

void kt_walk_text(struct kt_walk *walk, const char *text)
{
	add_read(walk, (struct kt_read){.text = text, .end = UINT32_MAX});
}

#define PIECES 65536    /* most names that are distinguished; with more, whatever the project declares may be meant */
#define PASTED_NAME 256 /* bytes of the longest name that is looked for in pieces */

/* Is the name made of two pieces or more that the texts read so far have as tokens? Digits may come from anywhere. */
static bool is_pasted(const struct kt_walk *walk, const char *name)
{
	size_t size = strlen(name);
	unsigned char pieces[PASTED_NAME + 1] = {0}; /* to make the first bytes: 0 impossible, 1 one piece, 2 more */
	if (size > PASTED_NAME || walk->pieces_lost)
		return true;
	for (size_t end = 1; end <= size; end++)
		for (size_t begin = 0; begin < end && pieces[end] < 2; begin++) {
			bool piece = (begin == 0 || pieces[begin] > 0) &&
			             (strspn(name + begin, "0123456789") >= end - begin ||
			              kt_index_find(walk->pieces, name + begin, end - begin, 0) != SIZE_MAX);
			if (piece)
				pieces[end] = begin == 0 ? 1 : 2;
		}
	return pieces[size] == 2;
}

/* A name that ## makes is nowhere in the text, but its pieces are. */
static void walk_pasted(struct kt_walk *walk)
{
	if (walk->pieces == NULL)
		walk->pieces = kt_index_new(walk->scan->arena, PIECES);
	if (walk->pieces == NULL) {
		walk->scan->failed = true;
		return;
	}
	for (; walk->read_split < walk->read_count; walk->read_split++)
		visit_read(walk, &walk->read[walk->read_split], add_piece);
	for (size_t i = 0; i < walk->scan->item_count; i++)
		if (!walk->items[i] && is_pasted(walk, walk->scan->items[i].name))
			kt_walk_item(walk, i);
	for (size_t i = 0; i < walk->scan->alias_count; i++)
		if (!walk->items[walk->scan->aliases[i].item] && is_pasted(walk, walk->scan->aliases[i].name))
			kt_walk_item(walk, walk->scan->aliases[i].item);
	for (size_t i = 0; i < walk->scan->macro_count; i++)
		if (!walk->macros[i] && is_pasted(walk, walk->scan->macros[i].name)) {
			walk->macros[i] = true;
			walk->macro_order[walk->macro_order_count++] = i;
		}
}

static bool is_unread(const struct kt_walk *walk)
{
	return walk->done < walk->order_count || walk->macros_done < walk->macro_order_count;
}

static void read_on(struct kt_walk *walk)
{
	while (is_unread(walk)) {
		if (walk->done < walk->order_count) {
			size_t at = walk->order[walk->done++];
			const struct kt_item *item = &walk->scan->items[at];
			struct kt_range range = kt_item_range(walk->scan, item);
			if (walk->read_item != NULL)
				walk->read_item(walk, at, walk->context);
			else
				kt_walk_range(walk, item->file, range.begin, range.end);
		} else {
			const char *body = walk->scan->macros[walk->macro_order[walk->macros_done++]].body;
			kt_walk_text(walk, body);
			walk->pastes = walk->pastes || strstr(body, "##") != NULL;
		}
	}
}

static bool is_operator(const char *name)
{
	return strncmp(name, "operator", 8) == 0 && strchr("+-*/%^&|~!=<>[(,\" ", name[8]) != NULL && name[8] != '\0';
}

static bool is_type(const struct kt_item *item)
{
	static const enum CXCursorKind kinds[] = {
		CXCursor_StructDecl,    CXCursor_ClassDecl,     CXCursor_UnionDecl,     CXCursor_EnumDecl,
		CXCursor_ClassTemplate, CXCursor_TypedefDecl,   CXCursor_TypeAliasDecl, CXCursor_TypeAliasTemplateDecl,
		CXCursor_ClassTemplatePartialSpecialization,
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (item->kind == kinds[i])
			return true;
	return false;
}

/* Is the token the name of one of the operator's own template parameters? */
static bool is_template_parameter(const struct kt_text *text, size_t first, size_t word, size_t token)
{
	for (size_t i = first + 1; i < word; i++)
		if ((kt_token_is(text, i - 1, "typename") || kt_token_is(text, i - 1, "class") ||
		     kt_token_is(text, i - 1, "...")) &&
		    text->tokens[i].end - text->tokens[i].begin == text->tokens[token].end - text->tokens[token].begin &&
		    memcmp(text->data + text->tokens[i].begin, text->data + text->tokens[token].begin,
		           text->tokens[i].end - text->tokens[i].begin) == 0)
			return true;
	return false;
}

/*
 * Can what was read so far call this operator? Not when the project's types
 * among its operands are all ones that nothing names.
 */
static bool is_meant(struct kt_walk *walk, const struct kt_item *item)
{
	const struct kt_name_index *names = walk->scan->item_index;
	const struct kt_text *text = kt_scan_text(walk->scan, item->file);
	bool foreign = false;
	if (text == NULL || strchr(item->name, '"') != NULL)
		return true;
	struct kt_range range = kt_item_range(walk->scan, item);
	size_t first = kt_token_at(text, range.begin), word = first;
	while (word < text->count && text->tokens[word].begin < range.end && !kt_token_is(text, word, "operator"))
		word++;
	/* What is before the word is the result. */
	for (size_t i = word; i < text->count && text->tokens[i].begin < range.end && !kt_token_is(text, i, "{"); i++) {
		const struct kt_token *token = &text->tokens[i];
		if (token->kind != KT_TOKEN_NAME || is_template_parameter(text, first, word, i))
			continue;
		for (size_t at = kt_index_first(names, text->data + token->begin, token->end - token->begin); at != 0;
		     at = kt_index_next(names, at)) {
			size_t type = kt_index_entry(names, at);
			if (!is_type(&walk->scan->items[type]))
				continue;
			if (walk->items[type])
				return true;
			foreign = true;
		}
	}
	return !foreign;
}

static void walk_operators(struct kt_walk *walk)
{
	for (size_t i = 0; i < walk->scan->item_count; i++)
		if (!walk->items[i] && !walk->scan->items[i].is_member && is_operator(walk->scan->items[i].name) &&
		    is_meant(walk, &walk->scan->items[i]))
			kt_walk_item(walk, i);
}

void kt_walk_finish(struct kt_walk *walk)
{
	do {
		read_on(walk);
		if (walk->operators)
			walk_operators(walk);
		if (walk->pastes)
			walk_pasted(walk);
	} while (is_unread(walk));
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

void kt_walk_hash_macro(struct kt_hash *hash, const struct kt_walk *walk, size_t macro)
{
	const struct kt_macro *m = &walk->scan->macros[macro];
	for (size_t p = 0; p < m->parameter_count; p++)
		kt_hash_field(hash, "parameter", m->parameters[p]);
	hash_text(hash, walk->scan, m->body);
}

void kt_walk_hash(struct kt_hash *hash, const struct kt_walk *walk)
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
		kt_hash_field(hash, "macro", scan->macros[walk->macro_order[i]].name);
		kt_walk_hash_macro(hash, walk, walk->macro_order[i]);
	}
	kt_walk_hash_order(hash, walk);
}

/* The kernels of the region, with the template arguments that their instances name. */
static void walk_kernels(struct kt_walk *walk, const struct kt_found *found)
{
	for (size_t i = 0; i < found->region.instance_count; i++)
		for (size_t a = 0; a < found->region.instances[i].argument_count; a++)
			kt_walk_text(walk, found->region.instances[i].arguments[a]);
	for (size_t s = 0; s < found->step_count; s++)
		walk_kernels(walk, found->steps[s].kernel);
}

static void walk_items(struct kt_walk *walk, const struct kt_found *found)
{
	if (found->step_count == 0)
		kt_walk_item(walk, found->item);
	for (size_t s = 0; s < found->step_count; s++)
		kt_walk_item(walk, found->steps[s].kernel->item);
}

void kt_walk_region(struct kt_walk *walk, const struct kt_found *found)
{
	walk_items(walk, found);
	walk_kernels(walk, found);
}

/*
 * Headers of the system and of the toolkit count by their versions. `headers`: where the toolkit's include folder
 * leads.
 */
static bool is_installed(const char *path, const char *toolkit, const char *headers)
{
	return (toolkit != NULL && kt_path_below(path, toolkit)) || (headers != NULL && kt_path_below(path, headers)) ||
	       kt_path_below(path, "/usr/include") || kt_path_below(path, "/usr/lib");
}

/*
 * Headers of -isystem are no part of the walk, and kernels call what is in them: each counts as a whole. An installed
 * folder of that kind counts by its path, with the options.
 */
static kt_status hash_foreign(struct kt_hash *hash, struct kt_scan *scan, struct kt_error *err)
{
	const char *toolkit = scan->options.toolkit != NULL ? kt_path_real(scan->arena, scan->options.toolkit) : NULL;
	const char *include = toolkit != NULL ? kt_path_join(scan->arena, toolkit, "include") : NULL;
	const char *headers = include != NULL ? kt_path_real(scan->arena, include) : NULL;
	if (scan->foreign == NULL) {
		struct kt_hash all;
		char text[KT_HASH_TEXT];
		const char **files = kt_arena_array(scan->arena, scan->system_file_count + 1, sizeof *files);
		size_t count = 0;
		NEED(files, kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure"));
		for (size_t i = 0; i < scan->system_file_count; i++) {
			if (is_installed(scan->system_files[i], toolkit, headers))
				continue;
			TRY(kt_hash_file(text, scan->system_files[i], err));
			files[count] = kt_arena_strdup(scan->arena, text);
			if (files[count++] == NULL)
				return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure");
		}
		/* They come in another order where some were precompiled. */
		if (count > 1)
			qsort(files, count, sizeof *files, kt_by_text);
		kt_hash_init(&all);
		for (size_t i = 0; i < count; i++)
			kt_hash_field(&all, "file", files[i]);
		kt_hash_final(&all, text);
		scan->foreign = kt_arena_strdup(scan->arena, count != 0 ? text : "");
	}
	NEED(scan->foreign, kt_fail(err, KT_ERR_MEMORY, "out of memory reading the closure"));
	if (scan->foreign[0] != '\0')
		kt_hash_field(hash, "foreign", scan->foreign);
	return KT_OK;
}

kt_status kt_scan_closure(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	struct kt_region *r = &found->region;
	struct kt_walk walk;
	struct kt_hash hash, with_toolkit;
	char text[KT_HASH_TEXT];
	TRY(kt_walk_open(&walk, scan, err));
	kt_walk_region(&walk, found);
	walk.operators = true;
	kt_walk_finish(&walk);
	found->needed = walk.items;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "closure", "1");
	kt_hash_field(&hash, "kernel", r->qualified);
	if (!scan->target->has_host_code)
		kt_opencl_hash(&hash, scan);
	kt_walk_hash(&hash, &walk);
	TRY(hash_foreign(&hash, scan, err));
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
