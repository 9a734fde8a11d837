#include <stdlib.h>
#include <string.h>

#include "closure.h"

/*
 * Declarations of the main file that overlap form one chunk: it is left out as
 * a whole or stays. A chunk goes when no name that stays leads to it.
 */
struct chunk {
	struct kt_range range;
	size_t first, last; /* into the sorted list of items */
	bool keep;
};

static const enum CXCursorKind droppable[] = {
	CXCursor_FunctionDecl,  CXCursor_FunctionTemplate, CXCursor_VarDecl,
	CXCursor_StructDecl,    CXCursor_ClassDecl,        CXCursor_ClassTemplate,
	CXCursor_EnumDecl,      CXCursor_TypedefDecl,      CXCursor_TypeAliasDecl,
	CXCursor_UnionDecl,     CXCursor_StaticAssert,     CXCursor_TypeAliasTemplateDecl,
	CXCursor_ClassTemplatePartialSpecialization,
};

static bool is_droppable(const struct kt_item *item)
{
	for (size_t i = 0; i < sizeof droppable / sizeof droppable[0]; i++)
		if (item->kind == droppable[i])
			return item->kind == CXCursor_StaticAssert ||
			       (item->name[0] != '\0' && strncmp(item->name, "operator", 8) != 0);
	return false;
}

/* Conditionals must close inside, and nothing may be defined or included. */
static bool directives_allow(struct kt_scan *scan, struct kt_range range)
{
	const struct kt_text *text = scan->text;
	int depth = 0;
	for (size_t i = kt_token_at(text, range.begin); i < text->count && text->tokens[i].begin < range.end; i++) {
		uint32_t rest = 0;
		if (text->tokens[i].kind != KT_TOKEN_DIRECTIVE)
			continue;
		const char *word = kt_directive_word(scan->arena, text, &text->tokens[i], &rest);
		if (word == NULL)
			return false;
		if (strncmp(word, "if", 2) == 0)
			depth++;
		else if (strcmp(word, "endif") == 0)
			depth--;
		else if (strcmp(word, "else") != 0 && strncmp(word, "elif", 4) != 0 && strcmp(word, "pragma") != 0)
			return false;
		if (depth < 0)
			return false;
	}
	return depth == 0;
}

static bool is_whole(const struct kt_scan *scan, struct kt_range range)
{
	const struct kt_text *text = scan->text;
	size_t first = kt_token_at(text, range.begin), last = kt_token_at(text, range.end);
	if (first >= text->count || last == 0 || text->tokens[first].begin != range.begin)
		return false;
	bool front = first == 0 || text->tokens[first - 1].kind == KT_TOKEN_DIRECTIVE ||
	             kt_token_is(text, first - 1, ";") || kt_token_is(text, first - 1, "}") ||
	             kt_token_is(text, first - 1, "{");
	return front && text->tokens[last - 1].end == range.end &&
	       (kt_token_is(text, last - 1, ";") || kt_token_is(text, last - 1, "}"));
}


static int by_begin(const void *a, const void *b, void *context)
{
	const struct kt_item *items = context;
	const struct kt_item *left = &items[*(const size_t *)a], *right = &items[*(const size_t *)b];
	if (left->begin != right->begin)
		return left->begin < right->begin ? -1 : 1;
	return (left->end < right->end) - (left->end > right->end);
}

static struct chunk *find_chunks(struct kt_scan *scan, const size_t *items, size_t count, size_t *chunk_count)
{
	struct chunk *chunks = kt_arena_array(scan->arena, count + 1, sizeof *chunks);
	size_t n = 0;
	if (chunks == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct kt_item *item = &scan->items[items[i]];
		if (n > 0 && item->begin < chunks[n - 1].range.end) {
			chunks[n - 1].last = i;
			if (item->end > chunks[n - 1].range.end)
				chunks[n - 1].range.end = item->end;
			continue;
		}
		chunks[n++] = (struct chunk){{item->begin, item->end}, i, i, false};
	}
	for (size_t c = 0; c < n; c++) {
		bool drop = is_whole(scan, chunks[c].range) && directives_allow(scan, chunks[c].range);
		for (size_t i = chunks[c].first; i <= chunks[c].last; i++)
			drop = drop && is_droppable(&scan->items[items[i]]);
		chunks[c].keep = !drop;
	}
	*chunk_count = n;
	return chunks;
}

/* What stays pulls in what it names, until nothing changes. */
static void keep_needed(struct kt_walk *walk, struct chunk *chunks, size_t chunk_count, const size_t *items)
{
	bool *read = kt_arena_array(walk->scan->arena, chunk_count + 1, sizeof *read);
	bool changed = read != NULL;
	while (changed) {
		changed = false;
		for (size_t c = 0; c < chunk_count; c++) {
			for (size_t i = chunks[c].first; i <= chunks[c].last; i++)
				chunks[c].keep = chunks[c].keep || walk->items[items[i]];
			if (!chunks[c].keep || read[c])
				continue;
			read[c] = changed = true;
			kt_walk_range(walk, 0, chunks[c].range.begin, chunks[c].range.end);
		}
		kt_walk_finish(walk);
	}
	if (read == NULL)
		walk->scan->failed = true;
}

/* What is left out. */
struct drops {
	struct kt_range **ranges;
	size_t *count;
};

static void add_drop(struct kt_scan *scan, const struct drops *drops, struct kt_range range)
{
	struct kt_range *slot = kt_arena_push(scan->arena, drops->ranges, drops->count, sizeof *slot);
	if (slot == NULL)
		scan->failed = true;
	else
		*slot = range;
}

/* Explicit instantiations are no declarations of libclang's; a slice makes its own. */
static void drop_instantiations(struct kt_scan *scan, const struct drops *drops, const struct chunk *chunks,
                                size_t count)
{
	const struct kt_text *text = scan->text;
	for (size_t i = 0; i + 1 < text->count; i++) {
		uint32_t begin = text->tokens[i].begin;
		if (!kt_token_is(text, i, "template") || kt_token_is(text, i + 1, "<") || kt_scan_skipped(scan, begin))
			continue;
		bool inside = false;
		for (size_t c = 0; c < count; c++)
			inside = inside || (chunks[c].range.begin <= begin && begin < chunks[c].range.end);
		size_t end = i;
		while (end < text->count && !kt_token_is(text, end, ";"))
			end++;
		struct kt_range range = {kt_token_is(text, i - (i > 0), "extern") ? text->tokens[i - 1].begin : begin, 0};
		range.end = end < text->count ? text->tokens[end].end : range.begin;
		if (!inside && end < text->count && directives_allow(scan, range))
			add_drop(scan, drops, range);
	}
}

static int by_range(const void *a, const void *b)
{
	const struct kt_range *left = a, *right = b;
	return (left->begin > right->begin) - (left->begin < right->begin);
}

kt_status kt_walk_slice(struct kt_range **ranges, size_t *range_count, struct kt_scan *scan, const bool *needed,
                        struct kt_error *err)
{
	const struct drops drops = {ranges, range_count};
	struct kt_walk walk;
	size_t count = 0, chunk_count = 0;
	size_t *items = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *items);
	kt_status status = kt_walk_open(&walk, scan, err);
	if (status != KT_OK || items == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the slice");
	for (size_t i = 0; i < scan->item_count; i++) {
		if (scan->items[i].file == 0)
			items[count++] = i;
		if (needed[i])
			kt_walk_item(&walk, i);
	}
	qsort_r(items, count, sizeof *items, by_begin, scan->items);
	struct chunk *chunks = find_chunks(scan, items, count, &chunk_count);
	if (chunks == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the slice");
	/* Inactive text may be active in another pass of the compiler. */
	for (size_t i = 0; i < scan->skipped_count; i++)
		kt_walk_range(&walk, 0, scan->skipped[i].begin, scan->skipped[i].end);
	kt_walk_finish(&walk);
	keep_needed(&walk, chunks, chunk_count, items);
	for (size_t c = 0; c < chunk_count; c++)
		if (!chunks[c].keep)
			add_drop(scan, &drops, chunks[c].range);
	drop_instantiations(scan, &drops, chunks, chunk_count);
	if (*range_count > 1)
		qsort(*ranges, *range_count, sizeof **ranges, by_range);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading the slice") : KT_OK;
}

kt_status kt_scan_slice(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	return kt_walk_slice(&found->region.drops, &found->region.drop_count, scan, found->needed, err);
}
