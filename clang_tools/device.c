/*
 * The text of a region for a compiler without a host. It starts from what the kernel names, as a slice does
 * (slice.c), in all files of the project, and host functions are never needed. Every byte keeps its place: what is left
 * out is blank.
 */
#include "device.h"

#include <string.h>

#include "visit.h"

/* Files of a project; with more it is not worth the time. */
enum { FILES_MOST = 2000 };

static bool is_droppable(const struct kt_item *item)
{
	/* Unexposed without a name: a ";" after a body. */
	return item->kind == CXCursor_StaticAssert || item->kind == CXCursor_UnexposedDecl || item->name[0] != '\0';
}

/* ---- What is needed */

static void read_item(struct kt_walk *walk, size_t item, void *context)
{
	struct kt_device *d = context;
	const struct kt_item *it = &d->scan->items[item];
	struct kt_range range = kt_item_range(d->scan, it);
	if (!kt_device_class_cuts(&d->cuts[item], &d->cut_counts[item], d->scan, it))
		return;
	for (size_t c = 0; c < d->cut_counts[item]; c++) {
		struct kt_range cut = d->cuts[item][c].range;
		if (cut.begin > range.begin)
			kt_walk_range(walk, it->file, range.begin, cut.begin);
		range.begin = cut.end > range.begin ? cut.end : range.begin;
	}
	if (range.begin < range.end)
		kt_walk_range(walk, it->file, range.begin, range.end);
}

/* A directive for a namespace of which nothing is left would name nothing. */
static bool names_nothing(const struct kt_device *d, const struct kt_item *directive)
{
	static const char *const others[] = {"std", "cooperative_groups", "cuda", "nvcuda"};
	size_t length = strlen(directive->name);
	bool declared = false;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strcmp(directive->name, others[i]) == 0)
			return false;
	for (size_t i = 0; i < d->scan->item_count; i++) {
		const char *at = strstr(d->scan->items[i].lexical, directive->name);
		bool inside = at != NULL && strncmp(at + length, "::", 2) == 0;
		declared = declared || (inside && d->walk.items[i]);
	}
	return !declared;
}

static kt_status open_files(struct kt_device *d, struct kt_error *err)
{
	struct kt_scan *scan = d->scan;
	for (size_t f = 0; f < scan->file_count; f++) {
		struct kt_device_file *file = &d->files[f];
		const struct kt_text *text = f == 0 ? scan->text : kt_scan_text(scan, f);
		struct kt_directive *directives = NULL;
		file->node = SIZE_MAX;
		for (size_t n = 0; n < d->graph.node_count && file->node == SIZE_MAX; n++)
			if (kt_clang.File_isEqual(d->graph.nodes[n].file, scan->files[f].file) != 0)
				file->node = n;
		if (text == NULL ||
		    !kt_includes_read(&directives, &file->directive_count, scan->arena, text))
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the project's files");
		file->directives = directives;
		TRY(kt_chunks_find(&file->chunks, scan, f, is_droppable, true, err));
		NEED(file->is_read = kt_arena_array(scan->arena, file->chunks.count + 1, sizeof *file->is_read),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory reading the project's files"));
	}
	return KT_OK;
}

static kt_status open_device(struct kt_device *d, struct kt_scan *scan, struct kt_error *err)
{
	*d = (struct kt_device){.scan = scan};
	if (scan->file_count > FILES_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "%zu files of the project; %d at most", scan->file_count, FILES_MOST);
	TRY(kt_graph_open(&d->graph, scan, err));
	TRY(kt_graph_edges(&d->graph, err));
	TRY(kt_walk_open(&d->walk, scan, err));
	d->leaves = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *d->leaves);
	d->cuts = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *d->cuts);
	d->cut_counts = kt_arena_array(scan->arena, scan->item_count + 1, sizeof *d->cut_counts);
	d->files = kt_arena_array(scan->arena, scan->file_count + 1, sizeof *d->files);
	d->used = kt_arena_array(scan->arena, d->graph.node_count + 1, sizeof *d->used);
	d->given = kt_arena_array(scan->arena, d->graph.node_count + 1, sizeof *d->given);
	if (d->leaves == NULL || d->cuts == NULL || d->cut_counts == NULL || d->files == NULL || d->used == NULL ||
	    d->given == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading the project's files");
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		d->leaves[i] = kt_device_is_host(item->cursor, item->file == 0 ? scan->text : kt_scan_text(scan, item->file),
		                                 kt_item_range(scan, item));
	}
	d->walk.leaves = d->leaves;
	d->walk.read_item = read_item;
	d->walk.context = d;
	d->walk.operators = true;
	return open_files(d, err);
}

/* ---- The texts */

/* Puts the text into the range, blanks after it; lines are kept. False: it does not fit. */
static bool blank(char *data, struct kt_range range, const char *text)
{
	size_t length = strlen(text), at = range.begin;
	if (length > range.end - range.begin || memchr(data + range.begin, '\n', length) != NULL)
		return false;
	memcpy(data + at, text, length);
	for (at += length; at < range.end; at++)
		if (data[at] != '\n' && data[at] != '\r')
			data[at] = ' ';
	return true;
}

static char *name_of(struct kt_arena *arena, size_t file)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	enum { BASE = sizeof digits - 1 };
	return file < BASE ? kt_arena_printf(arena, "%c", digits[file])
	                   : kt_arena_printf(arena, "%c%c", digits[file / BASE % BASE], digits[file % BASE]);
}

/* Points an include of a file at its copy, or takes it away where nothing of it is needed. */
static bool write_include(struct kt_device *d, char *data, size_t f, const struct kt_directive *directive)
{
	const struct kt_device_file *file = &d->files[f];
	const struct kt_range range = {directive->begin, directive->end};
	for (size_t i = 0; i < d->graph.edge_count; i++) {
		const struct kt_edge *edge = &d->graph.edges[i];
		if (edge->from != file->node || edge->at < directive->begin || edge->at >= directive->end)
			continue;
		size_t to = SIZE_MAX;
		for (size_t k = 1; k < d->scan->file_count; k++)
			to = d->files[k].node == edge->to ? k : to;
		if (to == SIZE_MAX)
			return kt_device_needs_include(d, directive->name, edge->to) || blank(data, range, "");
		if (!d->files[to].is_kept)
			return blank(data, range, "");
		char *name = name_of(d->scan->arena, to);
		char *text = name != NULL ? kt_arena_printf(d->scan->arena, "#include\"%s\"", name) : NULL;
		return text != NULL && blank(data, range, text);
	}
	if (!kt_device_needs_include(d, directive->name, SIZE_MAX))
		return blank(data, range, "");
	/* Not read here; one that is computed, or that leads on along the folders, must not be read from another place. */
	return !directive->computed && !directive->next;
}

/* Does the macro open or close what other text is in? */
static bool is_balanced(struct kt_scan *scan, const struct kt_macro *macro)
{
	struct kt_text body;
	struct kt_error err;
	int depth = 0;
	if (kt_lex(&body, scan->arena, macro->body, 0, strlen(macro->body), false, &err) != KT_OK)
		return false;
	for (size_t i = 0; i < body.count; i++)
		depth += kt_token_is(&body, i, "{") - kt_token_is(&body, i, "}");
	return depth == 0;
}

/* Macros outside of all chunks declare nothing that is needed: they instantiate and register. */
static void cut_macros(const struct kt_device *d, char *data, size_t f)
{
	const struct kt_text *text = f == 0 ? d->scan->text : kt_scan_text(d->scan, f);
	const struct kt_chunks *chunks = &d->files[f].chunks;
	for (size_t i = 0, c = 0; text != NULL && i + 1 < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];
		while (c < chunks->count && chunks->list[c].range.end <= token->begin)
			c++;
		if (token->kind != KT_TOKEN_NAME || !kt_token_is(text, i + 1, "(") ||
		    (c < chunks->count && chunks->list[c].range.begin <= token->begin))
			continue;
		const char *name = kt_arena_strndup(d->scan->arena, text->data + token->begin, token->end - token->begin);
		const struct kt_macro *macro = name != NULL ? kt_scan_macro(d->scan, name) : NULL;
		size_t close = kt_token_match(text, i + 1);
		if (macro == NULL || !macro->is_function || close >= text->count || !is_balanced(d->scan, macro))
			continue;
		struct kt_range range = {token->begin, kt_widen_end(text, text->tokens[close].end)};
		(void)blank(data, range, "");
		i = close;
	}
}

static void cut_items(const struct kt_device *d, char *data, size_t f)
{
	const struct kt_chunks *chunks = &d->files[f].chunks;
	struct kt_range *more = NULL;
	size_t count = 0;
	for (size_t c = 0; c < chunks->count; c++)
		if (!chunks->list[c].keep)
			(void)blank(data, chunks->list[c].range, "");
	for (size_t i = 0; i < chunks->item_count; i++) {
		size_t item = chunks->items[i];
		for (size_t c = 0; c < d->cut_counts[item]; c++)
			(void)blank(data, d->cuts[item][c].range, d->cuts[item][c].text);
		if (d->scan->items[item].kind == CXCursor_UsingDirective && names_nothing(d, &d->scan->items[item]))
			(void)blank(data, kt_item_range(d->scan, &d->scan->items[item]), "");
	}
	cut_macros(d, data, f);
	kt_chunks_instantiations(&more, &count, d->scan, chunks);
	for (size_t i = 0; i < count; i++)
		(void)blank(data, more[i], "");
}

/* The file's text, terminated; NULL: it cannot be written, or out of memory. */
static char *write_file(struct kt_device *d, size_t f)
{
	const struct kt_text *text = f == 0 ? d->scan->text : kt_scan_text(d->scan, f);
	char *data = kt_arena_strndup(d->scan->arena, text->data, text->size);
	if (data == NULL || strlen(data) != text->size)
		return NULL;
	if (!d->files[f].is_whole)
		cut_items(d, data, f);
	for (size_t i = 0; i < d->files[f].directive_count; i++)
		if (!write_include(d, data, f, &d->files[f].directives[i]))
			return NULL;
	return data;
}

static kt_status write_all(cJSON *json, struct kt_device *d, struct kt_error *err)
{
	cJSON *headers = cJSON_AddArrayToObject(json, "headers");
	for (size_t f = 0; f < d->scan->file_count; f++) {
		if (!d->files[f].is_kept)
			continue;
		const char *text = write_file(d, f);
		if (text == NULL)
			return kt_fail(err, KT_ERR_INVALID, "%s: an include cannot lead to a copy", d->scan->files[f].path);
		cJSON *to = f == 0 ? json : cJSON_CreateObject();
		(void)cJSON_AddStringToObject(to, f == 0 ? "source" : "text", text);
		if (f == 0)
			continue;
		(void)cJSON_AddStringToObject(to, "name", name_of(d->scan->arena, f));
		(void)cJSON_AddStringToObject(to, "path", d->scan->files[f].path);
		(void)cJSON_AddItemToArray(headers, to);
	}
	return KT_OK;
}

kt_status kt_device_answer(cJSON **out, struct kt_scan *scan, const cJSON *request, struct kt_error *err)
{
	const cJSON *region = cJSON_GetObjectItemCaseSensitive(request, "region");
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "text"));
	size_t index = cJSON_IsNumber(region) && region->valuedouble >= 0 ? (size_t)region->valuedouble : SIZE_MAX;
	struct kt_device device;
	if (index >= scan->found_count || scan->found[index]->region.body.end == 0 ||
	    !scan->target->has_host_code)
		return kt_fail(err, KT_ERR_INVALID, "/region: no region of CUDA with a kernel");
	kt_status status = open_device(&device, scan, err);
	if (status != KT_OK)
		return status;
	kt_walk_region(&device.walk, scan->found[index]);
	if (text != NULL) {
		char *copy;
		NEED(copy = kt_arena_strdup(scan->arena, text),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory reading the template"));
		kt_walk_text(&device.walk, copy);
	}
	kt_device_files(&device);
	cJSON *json = cJSON_CreateObject();
	status = write_all(json, &device, err);
	if (status == KT_OK && scan->failed)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory reading the project's files");
	if (status == KT_OK)
		*out = json;
	else
		cJSON_Delete(json);
	return status;
}
