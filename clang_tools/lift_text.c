#include "lift_internal.h"

#include <ctype.h>
#include <string.h>

#include "lex.h"

uint32_t kt_lift_offset(CXSourceLocation location, bool *in_macro)
{
	CXFile file = NULL, spelled_file = NULL;
	unsigned offset = 0, spelled = 0;

	kt_clang.getFileLocation(location, &file, NULL, NULL, &offset);
	kt_clang.getSpellingLocation(location, &spelled_file, NULL, NULL, &spelled);
	*in_macro = *in_macro || spelled != offset || file == NULL || spelled_file == NULL ||
	            kt_clang.File_isEqual(file, spelled_file) == 0;
	return offset;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Behind the macro's use that begins here: its name, its arguments. */
static uint32_t behind_use(const struct kt_kernel *kernel, uint32_t at)
{
	size_t depth = 0;

	while (at < kernel->size && is_word(kernel->text[at]))
		at++;
	for (uint32_t i = at; i < kernel->size && (depth > 0 || kernel->text[i] == '('); i++) {
		depth += kernel->text[i] == '(';
		depth -= kernel->text[i] == ')';
		if (depth == 0)
			return i + 1;
	}
	return at;
}

struct kt_range kt_lift_range(const struct kt_kernel *kernel, CXCursor cursor, bool *in_macro)
{
	CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	bool inside = false;
	struct kt_range range = {kt_lift_offset(kt_clang.getRangeStart(extent), in_macro), 0};

	/* The end is where the last token ends: of a macro, behind its use. libclang gives its begin where the token was
	 * an argument that a macro passed to another. */
	range.end = kt_lift_offset(kt_clang.getRangeEnd(extent), &inside);
	if (inside && range.end < kernel->size && (range.end == 0 || !is_word(kernel->text[range.end - 1])) &&
	    is_word(kernel->text[range.end]))
		range.end = behind_use(kernel, range.end);
	return range;
}

char *kt_lift_text(struct kt_lift *lift, CXString string)
{
	char *text = kt_clang_text(lift->kernel->arena, string);

	lift->failed = lift->failed || text == NULL;
	return text != NULL ? text : "";
}

/* The operator between two offsets: what is there besides blanks and comments. NULL: not one operator. */
const char *kt_lift_operator_between(struct kt_lift *lift, uint32_t begin, uint32_t end)
{
	struct kt_text text;
	struct kt_error err;
	const struct kt_kernel *kernel = lift->kernel;

	if (begin >= end || end > kernel->size ||
	    kt_lex(&text, kernel->arena, kernel->text, begin, end, false, &err) != KT_OK || text.count != 1)
		return NULL;
	return kt_arena_strndup(kernel->arena, kernel->text + text.tokens[0].begin,
	                        text.tokens[0].end - text.tokens[0].begin);
}

/* The operator of an expression that a macro spells. NULL: not known. */
const char *kt_lift_operator_spelled(struct kt_lift *lift, const struct kt_tree *node, CXCursor cursor)
{
	static const char *const prefixes[] = {"++", "--", "-", "+", "!", "~", "*", "&"};
	const char *text = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
	CXFile file = NULL;
	unsigned at = 0;
	size_t size = 0;

	if (text[0] != '\0' || node->count != 1)
		return text[0] != '\0' ? text : NULL;
	kt_clang.getSpellingLocation(kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file, NULL, NULL, &at);
	text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	for (size_t i = 0; text != NULL && i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (at + strlen(prefixes[i]) <= size && strncmp(text + at, prefixes[i], strlen(prefixes[i])) == 0)
			return prefixes[i];
	return NULL;
}
