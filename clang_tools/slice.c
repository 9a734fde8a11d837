#include <stdlib.h>
#include <string.h>

#include "closure.h"
#include "visit.h"

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
static bool directives_allow(struct kt_scan *scan, const struct kt_text *text, struct kt_range range)
{
	int depth = 0;
	for (size_t i = kt_token_at(text, range.begin); i < text->count && text->tokens[i].begin < range.end; i++) {
		uint32_t rest = 0;
		if (text->tokens[i].kind != KT_TOKEN_DIRECTIVE)
			continue;
		const char *word = kt_directive_word(scan->arena, text, &text->tokens[i], &rest);
		NEED(word, false);
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

static bool is_whole(const struct kt_text *text, struct kt_range range, bool macros)
{
	size_t first = kt_token_at(text, range.begin), last = kt_token_at(text, range.end);
	if (first >= text->count || last == 0 || text->tokens[first].begin != range.begin)
		return false;
	bool front = first == 0 || text->tokens[first - 1].kind == KT_TOKEN_DIRECTIVE ||
	             kt_token_is(text, first - 1, ";") || kt_token_is(text, first - 1, "}") ||
	             kt_token_is(text, first - 1, "{") || (macros && kt_token_is(text, first - 1, ")"));
	return front && text->tokens[last - 1].end == range.end &&
	       (kt_token_is(text, last - 1, ";") || kt_token_is(text, last - 1, "}") ||
	        (macros && kt_token_is(text, last - 1, ")")));
}

/* An item of a file with the range of its text; begin: where libclang has it start. */
struct place {
	struct kt_range range;
	uint32_t begin;
	size_t item;
};

static int by_begin(const void *a, const void *b)
{
	const struct place *left = a, *right = b;
	if (left->range.begin != right->range.begin)
		return left->range.begin < right->range.begin ? -1 : 1;
	return (left->range.end < right->range.end) - (left->range.end > right->range.end);
}

/* All that a macro makes has the place of its name: the invocation is the text. */
static struct kt_range invocation_range(struct kt_scan *scan, const struct kt_text *text, const struct kt_item *item,
                                        struct kt_range range)
{
	size_t first = kt_token_at(text, item->begin);
	if (first + 1 >= text->count || text->tokens[first].kind != KT_TOKEN_NAME || !kt_token_is(text, first + 1, "("))
		return range;
	char *name = kt_arena_strndup(scan->arena, text->data + text->tokens[first].begin,
	                              text->tokens[first].end - text->tokens[first].begin);
	const struct kt_macro *macro = name != NULL ? kt_scan_macro(scan, name) : NULL;
	size_t close = kt_token_match(text, first + 1);
	if (macro != NULL && macro->is_function && close < text->count && text->tokens[close].end > range.end)
		range.end = kt_widen_end(text, text->tokens[close].end);
	return range;
}

static struct place *list_places(struct kt_scan *scan, size_t file, bool macros, size_t *count)
{
	const struct kt_text *text = file == 0 ? scan->text : kt_scan_text(scan, file);
	struct place *places = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *places);
	*count = 0;
	for (size_t i = 0; places != NULL && i < scan->item_count; i++)
		if (scan->items[i].file == file) {
			struct kt_range range = kt_item_range(scan, &scan->items[i]);
			if (macros && text != NULL)
				range = invocation_range(scan, text, &scan->items[i], range);
			size_t begin_file = 0;
			uint32_t begin = kt_scan_offset(
			    scan, kt_clang.getRangeStart(kt_clang.getCursorExtent(scan->items[i].cursor)), &begin_file);
			places[(*count)++] = (struct place){range, begin, i};
		}
	if (places != NULL && *count > 1)
		qsort(places, *count, sizeof *places, by_begin);
	/* An invocation without ";" in front of a declaration is none of it. */
	uint32_t end = 0;
	for (size_t i = 0; macros && places != NULL && text != NULL && i < *count; i++) {
		size_t token = kt_token_at(text, end);
		if (places[i].range.begin < end && places[i].begin >= end && token < text->count)
			places[i].range.begin = text->tokens[token].begin;
		if (places[i].range.end > end)
			end = places[i].range.end;
	}
	return places;
}

kt_status kt_chunks_find(struct kt_chunks *out, struct kt_scan *scan, size_t file,
                         bool (*can_drop)(const struct kt_item *item), bool macros, struct kt_error *err)
{
	const struct kt_text *text = file == 0 ? scan->text : kt_scan_text(scan, file);
	struct place *places = list_places(scan, file, macros, &out->item_count);
	out->file = file;
	out->count = 0;
	out->list = kt_arena_array(scan->arena, out->item_count + 1, sizeof *out->list);
	out->items = kt_arena_array(scan->arena, out->item_count + 1, sizeof *out->items);
	if (text == NULL || places == NULL || out->list == NULL || out->items == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the slice");
	for (size_t i = 0; i < out->item_count; i++) {
		struct kt_chunk *last = out->count > 0 ? &out->list[out->count - 1] : NULL;
		out->items[i] = places[i].item;
		if (last != NULL && places[i].range.begin < last->range.end) {
			last->last = i;
			if (places[i].range.end > last->range.end)
				last->range.end = places[i].range.end;
			continue;
		}
		out->list[out->count++] = (struct kt_chunk){places[i].range, i, i, false};
	}
	for (size_t c = 0; c < out->count; c++) {
		struct kt_chunk *chunk = &out->list[c];
		bool drop = is_whole(text, chunk->range, macros) && directives_allow(scan, text, chunk->range);
		for (size_t i = chunk->first; i <= chunk->last; i++)
			drop = drop && can_drop(&scan->items[out->items[i]]);
		chunk->keep = !drop;
	}
	return KT_OK;
}

/* What stays pulls in what it names, until nothing changes. */
static void keep_needed(struct kt_walk *walk, const struct kt_chunks *chunks)
{
	bool *read = kt_arena_array(walk->scan->arena, chunks->count + 1, sizeof *read);
	bool changed = read != NULL;
	while (changed) {
		changed = false;
		for (size_t c = 0; c < chunks->count; c++) {
			struct kt_chunk *chunk = &chunks->list[c];
			for (size_t i = chunk->first; i <= chunk->last; i++)
				chunk->keep = chunk->keep || walk->items[chunks->items[i]];
			if (!chunk->keep || read[c])
				continue;
			read[c] = changed = true;
			kt_walk_range(walk, chunks->file, chunk->range.begin, chunk->range.end);
		}
		kt_walk_finish(walk);
	}
	if (read == NULL)
		walk->scan->failed = true;
}

static void add_drop(struct kt_scan *scan, struct kt_range **ranges, size_t *count, struct kt_range range)
{
	struct kt_range *slot = kt_arena_push(scan->arena, ranges, count, sizeof *slot);
	if (slot == NULL)
		scan->failed = true;
	else
		*slot = range;
}

/* Explicit instantiations are no declarations of libclang's; a slice makes its own. */
void kt_chunks_instantiations(struct kt_range **ranges, size_t *count, struct kt_scan *scan,
                              const struct kt_chunks *chunks)
{
	const struct kt_text *text = chunks->file == 0 ? scan->text : kt_scan_text(scan, chunks->file);
	for (size_t i = 0; text != NULL && i + 1 < text->count; i++) {
		uint32_t begin = text->tokens[i].begin;
		if (!kt_token_is(text, i, "template") || kt_token_is(text, i + 1, "<") ||
		    (chunks->file == 0 && kt_scan_skipped(scan, begin)))
			continue;
		bool inside = false;
		for (size_t c = 0; c < chunks->count; c++)
			inside = inside || (chunks->list[c].range.begin <= begin && begin < chunks->list[c].range.end);
		size_t end = i;
		while (end < text->count && !kt_token_is(text, end, ";"))
			end++;
		struct kt_range range = {kt_token_is(text, i - (i > 0), "extern") ? text->tokens[i - 1].begin : begin, 0};
		range.end = end < text->count ? text->tokens[end].end : range.begin;
		if (!inside && end < text->count && directives_allow(scan, text, range))
			add_drop(scan, ranges, count, range);
	}
}

static int by_range(const void *a, const void *b)
{
	const struct kt_range *left = a, *right = b;
	return (left->begin > right->begin) - (left->begin < right->begin);
}

/* How slices divide the main file, whatever they are of, and memory for one at a time. */
struct kt_slice {
	struct kt_chunks chunks;
	struct kt_range *instantiations;
	size_t instantiation_count;
	bool *kept; /* of the chunks, before anything is needed */
	struct kt_walk walk;
};

static kt_status open_slice(struct kt_scan *scan, struct kt_error *err)
{
	struct kt_slice *s = scan->slice;
	if (s != NULL) {
		for (size_t c = 0; c < s->chunks.count; c++)
			s->chunks.list[c].keep = s->kept[c];
		return kt_walk_again(&s->walk, err);
	}
	NEED(s = kt_arena_alloc(scan->arena, sizeof *s), kt_no_memory(err));
	*s = (struct kt_slice){.instantiations = NULL};
	TRY(kt_walk_open(&s->walk, scan, err));
	TRY(kt_chunks_find(&s->chunks, scan, 0, is_droppable, false, err));
	kt_chunks_instantiations(&s->instantiations, &s->instantiation_count, scan, &s->chunks);
	NEED(s->kept = kt_arena_array(scan->arena, s->chunks.count + 1, sizeof *s->kept), kt_no_memory(err));
	for (size_t c = 0; c < s->chunks.count; c++)
		s->kept[c] = s->chunks.list[c].keep;
	scan->slice = s;
	return KT_OK;
}

kt_status kt_walk_slice(struct kt_range **ranges, size_t *range_count, struct kt_scan *scan, const bool *needed,
                        struct kt_error *err)
{
	TRY(open_slice(scan, err));
	struct kt_walk walk = scan->slice->walk;
	const struct kt_chunks chunks = scan->slice->chunks;
	for (size_t i = 0; i < scan->item_count; i++)
		if (needed[i])
			kt_walk_item(&walk, i);
	/* Inactive text may be active in another pass of the compiler. */
	for (size_t i = 0; i < scan->skipped_count; i++)
		kt_walk_range(&walk, 0, scan->skipped[i].begin, scan->skipped[i].end);
	kt_walk_finish(&walk);
	keep_needed(&walk, &chunks);
	for (size_t c = 0; c < chunks.count; c++)
		if (!chunks.list[c].keep)
			add_drop(scan, ranges, range_count, chunks.list[c].range);
	for (size_t i = 0; i < scan->slice->instantiation_count; i++)
		add_drop(scan, ranges, range_count, scan->slice->instantiations[i]);
	if (*range_count > 1)
		qsort(*ranges, *range_count, sizeof **ranges, by_range);
	return scan->failed ? kt_fail(err, KT_ERR_MEMORY, "out of memory reading the slice") : KT_OK;
}

kt_status kt_scan_slice(struct kt_scan *scan, struct kt_found *found, struct kt_error *err)
{
	return kt_walk_slice(&found->region.drops, &found->region.drop_count, scan, found->needed, err);
}
