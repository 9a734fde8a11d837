/*
 * Macros that are defined again or taken back by #undef: which definition counts depends on where the kernel and its
 * helpers are. Their order is part of the closure, for such macros only.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "closure.h"
#include "includes.h"

static bool add_undef(struct kt_scan *scan, size_t file, const struct kt_text *text, const struct kt_token *token,
                      uint32_t name_at)
{
	struct kt_undef *slot = kt_arena_push(scan->arena, &scan->undefs, &scan->undef_count, sizeof *slot);
	struct kt_text rest;
	struct kt_error err;
	if (slot == NULL || kt_lex(&rest, scan->arena, text->data, name_at, token->end, false, &err) != KT_OK)
		return false;
	*slot = (struct kt_undef){.name = "", .file = file, .at = token->begin};
	if (rest.count > 0)
		slot->name = kt_arena_strndup(scan->arena, text->data + rest.tokens[0].begin,
		                              rest.tokens[0].end - rest.tokens[0].begin);
	return slot->name != NULL;
}

static bool read_file(struct kt_scan *scan, size_t file)
{
	size_t size = 0;
	const char *data = file == 0 ? scan->text->data : kt_clang.getFileContents(scan->unit, scan->files[file].file, &size);
	if (file == 0)
		size = scan->text->count > 0 ? scan->text->tokens[scan->text->count - 1].end : 0;
	/* Most files have none and need not be read into tokens. */
	if (data == NULL || memmem(data, size, "undef", 5) == NULL)
		return true;
	const struct kt_text *text = kt_scan_text(scan, file);
	for (size_t i = 0; text != NULL && i < text->count; i++) {
		uint32_t rest = 0;
		if (text->tokens[i].kind != KT_TOKEN_DIRECTIVE)
			continue;
		const char *word = kt_directive_word(scan->arena, text, &text->tokens[i], &rest);
		if (word == NULL || (strcmp(word, "undef") == 0 && !add_undef(scan, file, text, &text->tokens[i], rest)))
			return false;
	}
	return true;
}

bool kt_scan_undefs(struct kt_scan *scan)
{
	bool done = true;
	if (scan->undef_index != NULL)
		return true;
	for (size_t i = 0; i < scan->file_count && done; i++)
		done = read_file(scan, i);
	scan->undef_index = done ? kt_index_new(scan->arena, scan->undef_count) : NULL;
	for (size_t i = 0; scan->undef_index != NULL && i < scan->undef_count; i++)
		(void)kt_index_add(scan->undef_index, scan->undefs[i].name, strlen(scan->undefs[i].name), i);
	return scan->undef_index != NULL;
}

/* Something that happens at a place of a file. */
struct event {
	uint32_t at;
	const char *what, *name;
	size_t macro; /* of a definition; else SIZE_MAX */
};

struct order {
	struct kt_scan *scan;
	const struct kt_walk *walk;
	struct kt_name_index *names; /* of macros whose order counts */
	bool *files;                 /* files with events of these, or with what is needed */
	struct event *events;
	size_t event_count;
	bool failed;
};

static bool has_order(const struct order *o, const char *name)
{
	return kt_index_find(o->names, name, strlen(name), 0) != SIZE_MAX;
}

static void add_name(struct order *o, const char *name)
{
	if (!has_order(o, name))
		o->failed = o->failed || !kt_index_add(o->names, name, strlen(name), 0);
}

/* Names with more than a definition, which the walk needs. */
static bool find_names(struct order *o)
{
	const struct kt_walk *walk = o->walk;
	const struct kt_scan *scan = o->scan;
	size_t count = 0;
	NEED(o->names = kt_index_new(scan->arena, scan->macro_count + scan->undef_count + 1), false);
	for (size_t i = 0; i < walk->macro_order_count; i++) {
		const char *name = scan->macros[walk->macro_order[i]].name;
		size_t first = kt_index_first(scan->macro_index, name, strlen(name));
		if (kt_index_next(scan->macro_index, first) != 0) {
			add_name(o, name);
			count++;
		}
	}
	for (size_t i = 0; i < scan->undef_count; i++)
		if (walk->undefs[i]) {
			add_name(o, scan->undefs[i].name);
			count++;
		}
	return count != 0;
}

static void mark_files(struct order *o)
{
	const struct kt_scan *scan = o->scan;
	for (size_t i = 0; i < scan->macro_count; i++)
		if (scan->macros[i].file < scan->file_count && has_order(o, scan->macros[i].name))
			o->files[scan->macros[i].file] = true;
	for (size_t i = 0; i < scan->undef_count; i++)
		if (has_order(o, scan->undefs[i].name))
			o->files[scan->undefs[i].file] = true;
	for (size_t i = 0; i < o->walk->order_count; i++)
		o->files[scan->items[o->walk->order[i]].file] = true;
}

static void add_event(struct order *o, struct event event)
{
	struct event *slot = kt_arena_push(o->scan->arena, &o->events, &o->event_count, sizeof *slot);
	if (slot == NULL)
		o->failed = true;
	else
		*slot = event;
}

/* Does the directive lead to a file whose order counts? By its last name, so rather too often. */
static bool leads_on(const struct order *o, const struct kt_directive *directive)
{
	if (directive->computed)
		return true;
	for (size_t i = 0; i < o->scan->file_count; i++)
		if (o->files[i] && strcmp(kt_path_basename(o->scan->files[i].path), kt_path_basename(directive->name)) == 0)
			return true;
	return false;
}

static void gather_includes(struct order *o, size_t file)
{
	const struct kt_text *text = kt_scan_text(o->scan, file);
	struct kt_directive *directives = NULL;
	size_t count = 0;
	if (text == NULL || !kt_includes_read(&directives, &count, o->scan->arena, text)) {
		o->failed = true;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (leads_on(o, &directives[i]))
			add_event(o, (struct event){directives[i].begin, "include", kt_path_basename(directives[i].name), SIZE_MAX});
}

static void gather(struct order *o, size_t file)
{
	const struct kt_scan *scan = o->scan;
	o->event_count = 0;
	gather_includes(o, file);
	for (size_t i = 0; i < scan->macro_count; i++)
		if (scan->macros[i].file == file && has_order(o, scan->macros[i].name))
			add_event(o, (struct event){scan->macros[i].begin, "define", scan->macros[i].name, i});
	for (size_t i = 0; i < scan->undef_count; i++)
		if (scan->undefs[i].file == file && has_order(o, scan->undefs[i].name))
			add_event(o, (struct event){scan->undefs[i].at, "undef", scan->undefs[i].name, SIZE_MAX});
	for (size_t i = 0; i < o->walk->order_count; i++) {
		const struct kt_item *item = &scan->items[o->walk->order[i]];
		if (item->file == file)
			add_event(o, (struct event){item->begin, "item", item->name, SIZE_MAX});
	}
}

static int by_place(const void *a, const void *b)
{
	const struct event *left = a, *right = b;
	if (left->at != right->at)
		return left->at < right->at ? -1 : 1;
	return strcmp(left->what, right->what);
}

void kt_walk_hash_order(struct kt_hash *hash, const struct kt_walk *walk)
{
	struct order o = {.scan = walk->scan, .walk = walk};
	if (walk->undefs == NULL || !find_names(&o))
		return;
	o.files = kt_arena_array(walk->scan->arena, walk->scan->file_count + 1, sizeof *o.files);
	if (o.files == NULL) {
		walk->scan->failed = true;
		return;
	}
	mark_files(&o);
	for (size_t f = 0; f < walk->scan->file_count; f++) {
		if (!o.files[f])
			continue;
		gather(&o, f);
		if (o.event_count > 1)
			qsort(o.events, o.event_count, sizeof *o.events, by_place);
		kt_hash_field(hash, "order", "");
		for (size_t i = 0; i < o.event_count; i++) {
			kt_hash_field(hash, o.events[i].what, o.events[i].name);
			if (o.events[i].macro != SIZE_MAX)
				kt_walk_hash_macro(hash, walk, o.events[i].macro);
		}
	}
	walk->scan->failed = walk->scan->failed || o.failed;
}
