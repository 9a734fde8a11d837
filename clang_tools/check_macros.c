/* Which macros a text may use: its parameters, what the original kernel uses, qualifiers, and numbers of headers. */
#include <string.h>

#include "check.h"

/* Words of the language that are macros. */
static const char *const qualifiers[] = {
	"__device__", "__global__", "__shared__", "__forceinline__", "__noinline__", "__inline__", "__launch_bounds__",
	"__maxnreg__", "__align__", "__grid_constant__", "__restrict__", "__restrict", "__CUDA_ARCH__",
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* Upper case, as headers call their numbers. */
static bool is_upper(const char *name)
{
	return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

/* Numbers, other numbers, and what combines them: nothing that could be more than a value. */
static bool is_value(const struct kt_check *check, CXCursor definition)
{
	static const char *const words[] = {"__builtin_inff", "__builtin_inf", "__builtin_nanf", "__builtin_nan", "__null",
	                                    "__builtin_huge_val", "__builtin_huge_valf", "int", "long", "unsigned", "short",
	                                    "char", "float", "double"};
	CXToken *tokens = NULL;
	unsigned count = 0;
	bool value = true;

	kt_clang.tokenize(check->unit, kt_clang.getCursorExtent(definition), &tokens, &count);
	/* The first one is the macro's name. */
	for (unsigned i = 1; i < count && value; i++) {
		CXTokenKind kind = kt_clang.getTokenKind(tokens[i]);
		const char *text = kt_clang_text(check->arena, kt_clang.getTokenSpelling(check->unit, tokens[i]));

		if (text == NULL)
			value = false;
		else if (kind == CXToken_Punctuation)
			value = strcmp(text, "[") != 0 && strpbrk(text, "#{};,") == NULL;
		else if (kind == CXToken_Identifier || kind == CXToken_Keyword)
			value = is_upper(text) || kt_check_in(words, COUNT(words), text);
		else if (kind == CXToken_Literal)
			value = strchr(text, '"') == NULL || (text[0] == '"' && text[1] == '"' && text[2] == '\0');
	}
	kt_clang.disposeTokens(check->unit, tokens, count);
	return value && count > 1;
}

/* Inside of a body, or after the "=" of a value: where no declaration can be changed by it. */
static bool is_inside(const struct kt_check *check, uint32_t at)
{
	const struct kt_text *t = &check->tokens;
	size_t open = 0;
	bool value = false;

	for (size_t i = 0; i < t->count && t->tokens[i].begin < at; i++) {
		if (kt_token_is(t, i, "{"))
			open++;
		else if (kt_token_is(t, i, "}"))
			open--;
		if (kt_token_is(t, i, ";") || kt_token_is(t, i, "}"))
			value = false;
		else if (kt_token_is(t, i, "="))
			value = true;
		else if (kt_token_is(t, i, ")"))
			value = false;
	}
	return open > 0 || value;
}

static enum CXChildVisitResult visit_macro(CXCursor cursor, CXCursor parent, CXClientData data)
{
	struct kt_check *check = data;
	uint32_t at;

	(void)parent;
	if (kt_clang.getCursorKind(cursor) != CXCursor_MacroExpansion ||
	    !kt_check_place(&at, check, kt_clang.getCursorLocation(cursor)))
		return CXChildVisit_Continue;
	const char *name = kt_check_spelling(check, cursor);
	CXCursor definition = kt_clang.getCursorReferenced(cursor);
	uint32_t *place = kt_arena_push(check->arena, &check->macros, &check->macro_count, sizeof *place);
	if (place == NULL) {
		kt_check_refuse(check, "too-long", at, "out of memory");
		return CXChildVisit_Break;
	}
	*place = at;
	if (kt_check_in(check->parameters, check->parameter_count, name) ||
	    kt_check_in(qualifiers, COUNT(qualifiers), name) || kt_check_is_known(check, name, strlen(name)))
		return CXChildVisit_Continue;
	if (kt_clang.Cursor_isNull(definition) == 0 && kt_clang.Cursor_isMacroFunctionLike(definition) == 0 &&
	    kt_clang.Location_isInSystemHeader(kt_clang.getCursorLocation(definition)) != 0 && name[0] != '_' &&
	    is_upper(name) && is_value(check, definition) && is_inside(check, at))
		return CXChildVisit_Continue;
	kt_check_refuse(check, "macro", at, "%.60s: a macro that the original kernel does not use", name);
	return CXChildVisit_Break;
}

bool kt_check_macros(struct kt_check *check)
{
	kt_clang.visitChildren(kt_clang.getTranslationUnitCursor(check->unit), visit_macro, check);
	return check->construct == NULL;
}

bool kt_check_is_macro(const struct kt_check *check, size_t token)
{
	for (size_t i = 0; i < check->macro_count; i++)
		if (check->macros[i] == check->tokens.tokens[token].begin)
			return true;
	return false;
}
