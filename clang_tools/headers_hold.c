/* Whether a unit that was parsed with a precompiled header is what it would have been without. */
#include <string.h>

#include "base/fs.h"
#include "base/lex.h"
#include "base/toolkit.h"
#include "headers.h"

struct holding {
	struct kt_scan *scan;
	CXTranslationUnit unit;
	const struct kt_headers *headers;
	struct kt_name_index *identifiers, *macros;
	bool is_included, holds;
	/* Since the last include of the header's, in the order in which the text is read. */
	size_t macro_count, directive_count;
	const char **macro_names;
	CXSourceLocation *directives;
};

static struct kt_name_index *index_of(struct kt_arena *arena, const cJSON *list)
{
	const size_t count = (size_t)cJSON_GetArraySize(list);
	struct kt_name_index *index = kt_index_new(arena, count);
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
		if (index != NULL && item->valuestring != NULL)
			(void)kt_index_add(index, item->valuestring, strlen(item->valuestring), 0);
	return index;
}

static bool has_name(const struct kt_name_index *index, const char *data, size_t length)
{
	return kt_index_find(index, data, length, 0) != SIZE_MAX;
}

bool kt_headers_have_errors(CXTranslationUnit unit)
{
	bool found = false;

	for (unsigned i = 0; i < kt_clang.getNumDiagnostics(unit); i++) {
		CXDiagnostic diagnostic = kt_clang.getDiagnostic(unit, i);

		found = found || kt_clang.getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error;
		kt_clang.disposeDiagnostic(diagnostic);
	}
	return found;
}

/* Headers of the compiler and of its library ask for nothing that a project could write for them. */
static bool is_of_tools(struct kt_scan *scan, CXFile file)
{
	char *name = kt_clang_text(scan->arena, kt_clang.getFileName(file));
	const char *real = name != NULL ? kt_path_real(scan->arena, name) : NULL;
	const char *headers = kt_toolkit_headers(scan->arena, scan->options.toolkit);
	const char *toolkit = headers != NULL ? kt_path_real(scan->arena, headers) : NULL;

	return real != NULL && ((toolkit != NULL && kt_path_below(real, toolkit)) || strstr(real, "/c++/") != NULL ||
	                        strstr(real, "/lib/clang/") != NULL ||
	                        (strncmp(real, "/usr/include/", 13) == 0 && strstr(real, "-linux-") != NULL));
}

static CXFile file_of(CXSourceLocation location, unsigned *offset)
{
	CXFile file = NULL;

	kt_clang.getFileLocation(location, &file, NULL, NULL, offset);
	return file;
}

/* Macros in front of the header that it may ask for. */
static void check_macros(struct holding *h)
{
	for (size_t i = 0; i < h->macro_count; i++)
		h->holds = h->holds && !has_name(h->identifiers, h->macro_names[i], strlen(h->macro_names[i]));
	h->macro_count = 0;
}

static int depth_at(const struct kt_text *text, uint32_t offset)
{
	int depth = 0;

	for (size_t i = 0; i < text->count && text->tokens[i].begin < offset; i++)
		depth += kt_token_is(text, i, "{") - kt_token_is(text, i, "}");
	return depth;
}

/* Inside of a bracket the header would declare something else. */
static void check_places(struct holding *h)
{
	struct kt_arena *arena = h->scan->arena;

	for (size_t i = 0; i < h->directive_count && h->holds; i++) {
		unsigned offset = 0;
		CXFile file = file_of(h->directives[i], &offset);
		struct kt_error ignored;
		struct kt_text text;
		size_t size = 0;
		const char *data = kt_clang.getFileContents(h->unit, file, &size);

		if (is_of_tools(h->scan, file))
			continue;
		h->holds = data != NULL && kt_lex(&text, arena, data, 0, size, true, &ignored) == KT_OK &&
		           depth_at(&text, offset) == 0;
	}
	h->directive_count = 0;
}

static bool is_name_of(const struct kt_headers *headers, const char *name)
{
	static const char *const parts[] = {"cuda_bf16.h", "cuda_fp16.h"};
	bool found = strcmp(name, headers->include) == 0;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		found = found || strcmp(name, parts[i]) == 0;
	return found;
}

static enum CXChildVisitResult visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct holding *h = data;
	struct kt_arena *arena = h->scan->arena;
	const enum CXCursorKind kind = kt_clang.getCursorKind(cursor);
	const CXSourceLocation location = kt_clang.getCursorLocation(cursor);
	const char *name, **slot;

	(void)parent;
	if ((kind != CXCursor_MacroDefinition && kind != CXCursor_InclusionDirective) || file_of(location, NULL) == NULL)
		return CXChildVisit_Continue;
	name = kt_clang_text(arena, kt_clang.getCursorSpelling(cursor));
	if (name != NULL && kind == CXCursor_MacroDefinition) {
		slot = kt_arena_push(arena, &h->macro_names, &h->macro_count, sizeof *slot);
		h->holds = h->holds && slot != NULL;
		if (slot != NULL)
			*slot = name;
	} else if (name != NULL) {
		CXSourceLocation *place = kt_arena_push(arena, &h->directives, &h->directive_count, sizeof *place);

		h->holds = h->holds && place != NULL;
		if (place != NULL)
			*place = location;
		if (h->holds && is_name_of(h->headers, name)) {
			h->is_included = h->is_included || strcmp(name, h->headers->include) == 0;
			check_macros(h);
			check_places(h);
		}
	}
	return h->holds && name != NULL ? CXChildVisit_Continue : CXChildVisit_Break;
}

/* Takes a macro back, keeps or changes what the lexer does, or asks for a macro of the header's? */
static bool is_meddling(struct holding *h, const struct kt_text *text, const struct kt_token *token)
{
	static const char *const pragmas[] = {"push_macro", "pop_macro", "pack", "visibility", "force_cuda_host_device"};
	struct kt_arena *arena = h->scan->arena;
	struct kt_error ignored;
	struct kt_text rest;
	uint32_t at = 0;
	const char *word = kt_directive_word(arena, text, token, &at);

	if (word == NULL || kt_lex(&rest, arena, text->data, at, token->end, false, &ignored) != KT_OK)
		return true;
	for (size_t i = 0; i < rest.count; i++) {
		const char *name = text->data + rest.tokens[i].begin;
		const size_t length = rest.tokens[i].end - rest.tokens[i].begin;

		if (rest.tokens[i].kind != KT_TOKEN_NAME)
			continue;
		if (strcmp(word, "undef") == 0 && has_name(h->identifiers, name, length))
			return true;
		if ((strncmp(word, "if", 2) == 0 || strncmp(word, "elif", 4) == 0) && has_name(h->macros, name, length))
			return true;
		for (size_t p = 0; strcmp(word, "pragma") == 0 && p < sizeof pragmas / sizeof *pragmas; p++)
			if (strlen(pragmas[p]) == length && memcmp(pragmas[p], name, length) == 0)
				return true;
	}
	return false;
}

static void check_directives(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
	struct holding *h = data;
	struct kt_error ignored;
	struct kt_text text;
	size_t size = 0;
	const char *bytes = kt_clang.getFileContents(h->unit, file, &size);

	(void)stack;
	(void)depth;
	if (!h->holds || bytes == NULL || is_of_tools(h->scan, file))
		return;
	h->holds = kt_lex(&text, h->scan->arena, bytes, 0, size, true, &ignored) == KT_OK;
	for (size_t i = 0; h->holds && i < text.count; i++)
		h->holds = text.tokens[i].kind != KT_TOKEN_DIRECTIVE || !is_meddling(h, &text, &text.tokens[i]);
}

bool kt_headers_hold(struct kt_scan *scan, CXTranslationUnit unit, const struct kt_headers *headers)
{
	struct holding h = {.scan = scan, .unit = unit, .headers = headers, .holds = true};

	if (kt_headers_have_errors(unit))
		return false;
	if (headers->include == NULL)
		return true;
	h.identifiers = index_of(scan->arena, cJSON_GetObjectItemCaseSensitive(headers->names, "identifiers"));
	h.macros = index_of(scan->arena, cJSON_GetObjectItemCaseSensitive(headers->names, "macros"));
	if (h.identifiers == NULL || h.macros == NULL)
		return false;
	kt_clang.getInclusions(unit, check_directives, &h);
	if (h.holds)
		kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(unit), visit, &h);
	return h.holds && h.is_included;
}
