#include "macros.h"

#include <stdlib.h>
#include <string.h>

static void push_macro(struct kt_scan *scan, const struct kt_macro *macro)
{
	struct kt_macro *slot = kt_arena_push(scan->arena, &scan->macros, &scan->macro_count, sizeof *slot);
	if (slot == NULL || macro->name == NULL || macro->body == NULL)
		scan->failed = true;
	else
		*slot = *macro;
}

/* Numeric text after the name of a system macro's definition. */
static int64_t read_number(CXCursor cursor, struct kt_scan *scan)
{
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	CXToken *tokens = NULL;
	unsigned count = 0;
	int64_t value = 0;
	kt_clang.tokenize(scan->unit, range, &tokens, &count);
	if (count >= 2) {
		char *text = kt_clang_text(scan->arena, kt_clang.getTokenSpelling(scan->unit, tokens[1]));
		value = text != NULL ? strtoll(text, NULL, 10) : 0;
	}
	kt_clang.disposeTokens(scan->unit, tokens, count);
	return value;
}

static void read_version(struct kt_scan *scan, CXCursor cursor)
{
	CXString string = kt_clang.getCursorSpelling(cursor);
	const char *name = kt_clang.getCString(string);
	if (name != NULL && (strcmp(name, "CUDART_VERSION") == 0 || strcmp(name, "CUDA_VERSION") == 0)) {
		int64_t value = read_number(cursor, scan);
		if (value > 0)
			scan->toolkit_version = value;
	}
	kt_clang.disposeString(string);
}

/* "(a, b)" of a function-like macro, from the token after the name. */
static size_t read_parameters(struct kt_scan *scan, struct kt_macro *macro, const struct kt_text *text)
{
	size_t close = kt_token_match(text, 1);
	for (size_t i = 2; i < close && i < text->count; i++) {
		if (text->tokens[i].kind != KT_TOKEN_NAME && !kt_token_is(text, i, "..."))
			continue;
		const char **slot =
		    kt_arena_push(scan->arena, &macro->parameters, &macro->parameter_count, sizeof *slot);
		if (slot == NULL)
			break;
		*slot = kt_token_is(text, i, "...") ? "__VA_ARGS__"
		                                    : kt_arena_strndup(scan->arena, text->data + text->tokens[i].begin,
		                                                       text->tokens[i].end - text->tokens[i].begin);
	}
	return close < text->count ? close + 1 : text->count;
}

void kt_macro_add(struct kt_scan *scan, CXCursor cursor)
{
	CXSourceLocation location = kt_clang.getCursorLocation(cursor);
	struct kt_macro macro = {.file = SIZE_MAX};
	struct kt_text text;
	struct kt_error err;
	size_t size = 0;
	CXFile handle = NULL;
	kt_clang.getFileLocation(location, &handle, NULL, NULL, NULL);
	if (handle == NULL)
		return;
	if (kt_clang.Location_isInSystemHeader(location) != 0) {
		read_version(scan, cursor);
		return;
	}
	CXSourceRange range = kt_clang.getCursorExtent(cursor);
	macro.begin = kt_scan_offset(scan, kt_clang.getRangeStart(range), &macro.file);
	macro.end = kt_scan_offset(scan, kt_clang.getRangeEnd(range), &macro.file);
	const char *data = kt_clang.getFileContents(scan->unit, handle, &size);
	if (macro.file == SIZE_MAX || data == NULL || macro.end > size || macro.begin >= macro.end ||
	    kt_lex(&text, scan->arena, data, macro.begin, macro.end, false, &err) != KT_OK || text.count == 0)
		return;
	macro.name = kt_clang_text(scan->arena, kt_clang.getCursorSpelling(cursor));
	/* libclang reports it only for macros that are not undefined later. */
	macro.is_function = text.count > 1 && kt_token_is(&text, 1, "(") && text.tokens[1].begin == text.tokens[0].end;
	size_t body = macro.is_function ? read_parameters(scan, &macro, &text) : 1;
	uint32_t at = body < text.count ? text.tokens[body].begin : macro.end;
	macro.body = kt_arena_strndup(scan->arena, data + at, macro.end - at);
	push_macro(scan, &macro);
}

void kt_macros_from_arguments(struct kt_scan *scan)
{
	const struct kt_scan_options *o = &scan->options;
	for (size_t i = 0; i < o->argument_count; i++) {
		const char *word = o->arguments[i];
		if (strncmp(word, "-D", 2) != 0)
			continue;
		word = word[2] != '\0' ? word + 2 : i + 1 < o->argument_count ? o->arguments[++i] : "";
		size_t length = strcspn(word, "=(");
		if (length == 0 || word[length] == '(')
			continue;
		struct kt_macro macro = {.file = SIZE_MAX};
		macro.name = kt_arena_strndup(scan->arena, word, length);
		macro.body = kt_arena_strdup(scan->arena, word[length] == '=' ? word + length + 1 : "1");
		push_macro(scan, &macro);
	}
}
