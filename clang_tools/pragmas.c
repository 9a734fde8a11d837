#include <string.h>

#include "instances.h"
#include "pragma_kernel.h"

/* The clauses with continuations and comments as blanks: offsets stay those of the file. */
static char *joined_text(struct kt_scan *scan, const struct kt_text *text, uint32_t begin, uint32_t end)
{
	struct kt_text tokens;
	struct kt_error err;
	char *joined = kt_arena_strndup(scan->arena, text->data + begin, end - begin);
	if (joined == NULL || kt_lex(&tokens, scan->arena, text->data, begin, end, false, &err) != KT_OK)
		return NULL;
	uint32_t at = begin;
	for (size_t i = 0; i <= tokens.count; i++) {
		uint32_t stop = i < tokens.count ? tokens.tokens[i].begin : end;
		memset(joined + (at - begin), ' ', stop - at);
		at = i < tokens.count ? tokens.tokens[i].end : end;
	}
	return joined;
}

bool kt_scan_is_pragma(struct kt_scan *scan, const struct kt_text *text, const struct kt_token *token, uint32_t *rest)
{
	uint32_t at = 0;
	if (token->kind != KT_TOKEN_DIRECTIVE)
		return false;
	const char *word = kt_directive_word(scan->arena, text, token, &at);
	if (word == NULL || strcmp(word, "pragma") != 0)
		return false;
	struct kt_text words;
	struct kt_error err;
	if (kt_lex(&words, scan->arena, text->data, at, token->end, false, &err) != KT_OK || words.count == 0 ||
	    !kt_token_is(&words, 0, "ktune"))
		return false;
	*rest = words.tokens[0].end;
	return true;
}

static bool only_binds(const struct kt_pragma *p)
{
	return p->bind_count > 0 && p->name == NULL && p->reference == NULL && p->variable_count == 0 &&
	       p->buffer_count == 0 && p->value_count == 0 && p->tune_count == 0 && p->restriction_count == 0 &&
	       p->guard_count == 0 && p->grid_count == 0 && p->block_count == 0 && p->shared_bytes.expr == NULL &&
	       p->generation == KT_AUTO_DEFAULT && p->tolerance_count == 0;
}

static struct kt_found *new_found(struct kt_scan *scan, struct kt_pragma *pragma, const char *file,
                                  const struct kt_token *token, uint32_t text_at)
{
	struct kt_found *found = kt_arena_alloc(scan->arena, sizeof *found);
	struct kt_found **slot = kt_arena_push(scan->arena, &scan->found, &scan->found_count, sizeof *slot);
	if (found == NULL || slot == NULL)
		return NULL;
	*slot = found;
	found->pragma = pragma;
	found->item = KT_NO_ITEM;
	found->text_at = text_at;
	found->region.file = file;
	found->region.pragma = (struct kt_range){token->begin, token->end};
	found->region.language = scan->target->language;
	found->region.name = pragma->name != NULL ? pragma->name : "";
	found->region.kernel = found->region.qualified = "";
	found->region.closure = found->region.near_key = found->region.clauses = "";
	found->region.budget_seconds = pragma->budget_seconds;
	found->region.budget_trials = pragma->budget_trials;
	return found;
}

/* The function of the main file around an offset. */
static size_t function_around(const struct kt_scan *scan, uint32_t offset)
{
	for (size_t i = 0; i < scan->item_count; i++) {
		const struct kt_item *item = &scan->items[i];
		if (item->file == 0 && item->begin < offset && offset < item->end && item->body != 0)
			return i;
	}
	return KT_NO_ITEM;
}

/* What is declared around an offset of the main file: a class, where it is no function of file or namespace scope. */
static size_t item_around(const struct kt_scan *scan, uint32_t offset)
{
	for (size_t i = 0; i < scan->item_count; i++)
		if (scan->items[i].file == 0 && scan->items[i].begin < offset && offset < scan->items[i].end)
			return i;
	return KT_NO_ITEM;
}

static size_t item_at(const struct kt_scan *scan, uint32_t offset)
{
	for (size_t i = 0; i < scan->item_count; i++)
		if (scan->items[i].file == 0 && scan->items[i].begin == offset && scan->items[i].is_function)
			return i;
	return KT_NO_ITEM;
}

/* The first launch in the statement or block at the token, or NULL; *block: the range of that. */
static const struct kt_call *launch_in(const struct kt_scan *scan, size_t token, struct kt_range *block)
{
	const struct kt_text *text = scan->text;
	size_t end = token;
	if (kt_token_is(text, token, "{"))
		end = kt_token_match(text, token);
	else
		while (end < text->count && !kt_token_is(text, end, ";"))
			end++;
	if (end >= text->count)
		return NULL;
	*block = (struct kt_range){text->tokens[token].begin, text->tokens[end].end};
	for (size_t i = 0; i < scan->call_count; i++)
		if (scan->calls[i].extent.begin >= text->tokens[token].begin &&
		    scan->calls[i].extent.begin < text->tokens[end].end)
			return &scan->calls[i];
	return NULL;
}

/* Is that a declaration of the region's kernel? */
static bool is_of(const struct kt_scan *scan, const struct kt_found *found, size_t item)
{
	return found->item != KT_NO_ITEM &&
	       kt_clang.equalCursors(kt_clang.getCanonicalCursor(scan->items[found->item].cursor),
	                             kt_clang.getCanonicalCursor(scan->items[item].cursor)) != 0;
}

/*
 * Half of what two pragmas state would be tuned as if it were the whole: the region is left unmodified. Of a kernel
 * template there may be one for each group of instances.
 */
static bool is_second(struct kt_scan *scan, const struct kt_pragma *pragma, const struct kt_token *token, size_t item,
                      struct kt_range block)
{
	for (size_t i = 0; i < scan->found_count; i++) {
		struct kt_found *first = scan->found[i];
		if (item != KT_NO_ITEM ? !is_of(scan, first, item)
		                       : first->item != KT_NO_ITEM || block.end == 0 || first->block.begin != block.begin)
			continue;
		if (item != KT_NO_ITEM && pragma->instance_count > 0 && first->pragma->instance_count > 0)
			continue;
		kt_scan_diagnose(scan, 0, KT_ERROR, token->begin, token->end - token->begin,
		                 "a second pragma above the same code",
		                 kt_arena_printf(scan->arena, "the first one is in line %u: write all clauses into one, or instances(…) "
		                                 "into each",
		                                 first->region.line));
		kt_found_decline(scan, first, "pragma-error", NULL);
		return true;
	}
	return false;
}

/* Does the statement at a token name a kernel, which it may give to a function that launches it? */
static bool names_kernel(const struct kt_scan *scan, size_t first)
{
	const struct kt_text *text = scan->text;
	for (size_t t = first; t < text->count && !kt_token_is(text, t, ";") && !kt_token_is(text, t, "{"); t++) {
		const struct kt_token *token = &text->tokens[t];
		const size_t item = token->kind == KT_TOKEN_NAME
					? kt_index_find(scan->item_index, text->data + token->begin, token->end - token->begin, 0)
					: SIZE_MAX;
		if (item != SIZE_MAX && scan->items[item].is_global)
			return true;
	}
	return false;
}

static kt_status attach_launch(struct kt_scan *scan, struct kt_pragma *pragma, const struct kt_token *token,
                               uint32_t text_at, struct kt_range block, const struct kt_call *call, bool has_errors,
                               struct kt_error *err)
{
	if (only_binds(pragma)) {
		struct kt_bind_pragma *slot;
		NEED(slot = kt_arena_push(scan->arena, &scan->binds, &scan->bind_count, sizeof *slot), kt_no_memory(err));
		*slot = (struct kt_bind_pragma){
		    token->begin, token->end, text_at, call->extent.begin, pragma, .has_errors = has_errors};
		return KT_OK;
	}
	if (is_second(scan, pragma, token, KT_NO_ITEM, block))
		return KT_OK;
	struct kt_found *found;
	NEED(found = new_found(scan, pragma, kt_scan_file(scan, token->begin), token, text_at), kt_no_memory(err));
	found->block = found->region.block_range = block;
	found->host = function_around(scan, block.begin);
	kt_scan_position(scan, token->begin, &found->region.line, &found->region.column);
	found->region.kernel = found->region.qualified =
	    kt_clang_text(scan->arena, kt_clang.getCursorSpelling(call->cursor));
	if (pragma->name == NULL)
		found->region.name = scan->items[item_around(scan, block.begin)].name;
	if (has_errors)
		kt_found_decline(scan, found, "pragma-error", NULL);
	return KT_OK;
}

static const char *why_left_out(const struct kt_scan *scan, const char *path)
{
	for (size_t i = 0; i < scan->left_out_count; i++)
		if (strcmp(scan->left_out[i].path, path) == 0)
			return scan->left_out[i].reason;
	return "region-in-header";
}

static kt_status attach_kernel(struct kt_scan *scan, struct kt_pragma *pragma, const struct kt_token *token,
                               uint32_t text_at, size_t item, bool has_errors, struct kt_error *err)
{
	if (is_second(scan, pragma, token, item, (struct kt_range){0, 0}))
		return KT_OK;
	struct kt_found *found;
	NEED(found = new_found(scan, pragma, kt_scan_file(scan, token->begin), token, text_at), kt_no_memory(err));
	kt_scan_position(scan, token->begin, &found->region.line, &found->region.column);
	if (has_errors)
		kt_found_decline(scan, found, "pragma-error", NULL);
	if (scan->items[item].file == 0) {
		found->item = item;
		return KT_OK;
	}
	found->region.kernel = found->region.qualified = scan->items[item].name;
	if (pragma->name == NULL)
		found->region.name = scan->items[item].name;
	kt_found_decline(scan, found, why_left_out(scan, scan->files[scan->items[item].file].path), NULL);
	return KT_OK;
}

/* kernel(ns::name) */
static kt_status attach_named(struct kt_scan *scan, struct kt_pragma *pragma, const struct kt_token *token,
                              uint32_t text_at, bool has_errors, struct kt_error *err)
{
	const size_t item = kt_pragma_kernel(scan, pragma, text_at);
	return item != KT_NO_ITEM ? attach_kernel(scan, pragma, token, text_at, item, has_errors, err) : KT_OK;
}

/* "S", where the offset is in a class. */
static const char *class_around(const struct kt_scan *scan, uint32_t offset)
{
	const size_t around = item_around(scan, offset);
	const enum CXCursorKind kind = around != KT_NO_ITEM ? scan->items[around].kind : CXCursor_InvalidFile;
	return kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl || kind == CXCursor_ClassTemplate
	           ? scan->items[around].name
	           : NULL;
}

/* The kernel whose declaration begins above the offset and has its name below it, as "template <…>" in front of it does. */
static size_t declared_around(const struct kt_scan *scan, uint32_t offset)
{
	const size_t item = item_around(scan, offset);

	return item != KT_NO_ITEM && scan->items[item].is_global && offset < scan->items[item].name_at ? item : KT_NO_ITEM;
}

/* What the pragma is above, which cannot be tuned, and where it belongs. */
static void diagnose_place(struct kt_scan *scan, const struct kt_token *token, size_t item, uint32_t offset)
{
	const char *fatal = kt_scan_fatal(scan), *message = "the pragma is above no kernel and no launch";
	const char *hint = scan->target->place;
	const char *class_name = class_around(scan, offset);
	const size_t inside = declared_around(scan, offset);
	uint32_t line = 0, column = 0;

	if (inside != KT_NO_ITEM) {
		const struct kt_item *kernel = &scan->items[inside];

		kt_scan_position(scan, kernel->begin, &line, &column);
		message = kt_arena_printf(scan->arena, "the pragma is inside the declaration of '%s'", kernel->name);
		hint = kt_arena_printf(scan->arena, "write it above line %u%s", line,
		                       strncmp(scan->text->data + kernel->begin, "template", 8) == 0 ? ", which begins with 'template'"
		                                                                                     : ", where the declaration begins");
	} else if (item != KT_NO_ITEM) {
		message = kt_arena_printf(scan->arena, "the pragma is above '%s', which is no %s function", scan->items[item].name,
		                          scan->target->kernel);
	} else if (class_name != NULL) {
		message = kt_arena_printf(scan->arena, "the pragma is in '%s': CUDA has no kernels that are members of a class",
		                          class_name);
		hint = "define the kernel outside of the class, with the pragma above it";
	}
	kt_scan_diagnose(scan, 0, KT_ERROR, token->begin, token->end - token->begin,
	                 fatal != NULL ? "the code below the pragma could not be read" : message, fatal != NULL ? fatal : hint);
}

static kt_status attach(struct kt_scan *scan, struct kt_pragma *pragma, const struct kt_token *token,
                        uint32_t text_at, bool has_errors, struct kt_error *err)
{
	const struct kt_text *text = scan->text;
	if (pragma->kernel != NULL)
		return attach_named(scan, pragma, token, text_at, has_errors, err);
	size_t next = kt_token_at(text, token->end);
	while (next < text->count && text->tokens[next].kind == KT_TOKEN_DIRECTIVE)
		next++;
	uint32_t offset = next < text->count ? text->tokens[next].begin : (uint32_t)text->size;
	size_t item = item_at(scan, offset);
	const struct kt_call *call = NULL;
	struct kt_range block = {0, 0};
	if (item == KT_NO_ITEM && item_around(scan, offset) != KT_NO_ITEM)
		call = launch_in(scan, next, &block);
	if (call != NULL)
		return attach_launch(scan, pragma, token, text_at, block, call, has_errors, err);
	if (item == KT_NO_ITEM && only_binds(pragma) && item_around(scan, offset) != KT_NO_ITEM && names_kernel(scan, next)) {
		struct kt_bind_pragma *slot;
		NEED(slot = kt_arena_push(scan->arena, &scan->binds, &scan->bind_count, sizeof *slot), kt_no_memory(err));
		*slot = (struct kt_bind_pragma){token->begin, token->end, text_at, offset, pragma, .has_errors = has_errors};
		return KT_OK;
	}
	if (item == KT_NO_ITEM || !scan->items[item].is_global) {
		diagnose_place(scan, token, item, offset);
		return KT_OK;
	}
	return attach_kernel(scan, pragma, token, text_at, item, has_errors, err);
}

static kt_status read_pragma(struct kt_scan *scan, size_t file, const struct kt_text *text,
                             const struct kt_token *token, uint32_t text_at, struct kt_error *err)
{
	struct kt_pragma *pragma = NULL;
	struct kt_pragma_problem *problems = NULL;
	size_t count = 0;
	bool has_errors = false;
	char *joined;
	NEED(joined = joined_text(scan, text, text_at, token->end), kt_no_memory(err));
	const struct kt_pragma_constants constants = {kt_scan_constant, kt_scan_constant_alone, scan};
	/* Macros have the meaning that they have there. */
	scan->place = file == 0 ? token->end : UINT32_MAX;
	kt_status status =
	    kt_pragma_parse(&pragma, &problems, &count, scan->arena, joined, token->end - text_at, &constants, err);
	if (status != KT_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		kt_scan_diagnose(scan, file, problems[i].severity, text_at + problems[i].offset, problems[i].length,
		                 problems[i].message, problems[i].hint);
		has_errors = has_errors || problems[i].severity == KT_ERROR;
	}
	if (file == 0)
		return attach(scan, pragma, token, text_at, has_errors, err);
	struct kt_found *found;
	NEED(found = new_found(scan, pragma, scan->files[file].path, token, text_at), kt_no_memory(err));
	found->region.line = 1;
	for (uint32_t i = 0; i < token->begin; i++)
		found->region.line += text->data[i] == '\n';
	found->region.column = 1;
	found->region.pragma = (struct kt_range){0, 0};
	kt_found_decline(scan, found, why_left_out(scan, scan->files[file].path), NULL);
	return KT_OK;
}

/* The kernels' variants are defined before the function of the launches, which a class has no place for. */
static void decline_member(struct kt_scan *scan, struct kt_found *found)
{
	uint32_t line = 0, column = 0;

	kt_scan_position(scan, found->block.begin, &line, &column);
	kt_found_decline(scan, found, "launch-form",
	                 "line %u: the launches are in a member function that is defined inside of '%s'; define the function "
	                 "outside of its class, or write the pragma above the kernel",
	                 line, scan->items[item_around(scan, found->block.begin)].name);
}

kt_status kt_scan_pragmas(struct kt_scan *scan, struct kt_error *err)
{
	for (size_t file = 0; file < scan->file_count; file++) {
		size_t size = 0;
		const char *data = kt_clang.getFileContents(scan->unit, scan->files[file].file, &size);
		if (data == NULL || memmem(data, size, "ktune", 5) == NULL)
			continue;
		const struct kt_text *text = kt_scan_text(scan, file);
		for (size_t i = 0; text != NULL && i < text->count; i++) {
			uint32_t text_at = 0;
			if (kt_scan_is_pragma(scan, text, &text->tokens[i], &text_at) &&
			    (file != 0 || !kt_scan_skipped(scan, text->tokens[i].begin)))
				TRY(read_pragma(scan, file, text, &text->tokens[i], text_at, err));
		}
	}
	kt_pragmas_of_launches(scan);
	for (size_t i = 0; i < scan->found_count; i++)
		if (scan->found[i]->block.end != 0 && scan->found[i]->host == KT_NO_ITEM)
			decline_member(scan, scan->found[i]);
	return scan->failed ? kt_no_memory(err) : KT_OK;
}
