#include "lift_internal.h"

#include <ctype.h>
#include <string.h>

#include "base/lex.h"

uint32_t kt_lift_spelled(struct kt_lift *lift, CXSourceLocation location, CXFile *file)
{
	CXToken *tokens = NULL;
	unsigned count = 0, offset = 0;

	*file = NULL;
	kt_clang.tokenize(lift->unit, kt_clang.getRange(location, location), &tokens, &count);
	if (count > 0)
		kt_clang.getFileLocation(kt_clang.getTokenLocation(lift->unit, tokens[0]), file, NULL, NULL, &offset);
	kt_clang.disposeTokens(lift->unit, tokens, count);
	return offset;
}

uint32_t kt_lift_offset(struct kt_lift *lift, CXSourceLocation location, bool *in_macro)
{
	CXFile file = NULL, spelled_file = NULL;
	const uint32_t spelled = kt_lift_spelled(lift, location, &spelled_file);
	unsigned offset = 0;

	kt_clang.getFileLocation(location, &file, NULL, NULL, &offset);
	*in_macro = *in_macro || spelled != offset || file == NULL || spelled_file == NULL ||
	            kt_clang.File_isEqual(file, spelled_file) == 0;
	return offset;
}

/* After the macro's use that begins here: its name, its arguments. */
static uint32_t behind_use(const struct kt_kernel *kernel, uint32_t at)
{
	size_t depth = 0;

	while (at < kernel->size && kt_is_name_part(kernel->text[at]))
		at++;
	for (uint32_t i = at; i < kernel->size && (depth > 0 || kernel->text[i] == '('); i++) {
		depth += kernel->text[i] == '(';
		depth -= kernel->text[i] == ')';
		if (depth == 0)
			return i + 1;
	}
	return at;
}

struct kt_range kt_lift_range(struct kt_lift *lift, CXCursor cursor, bool *in_macro)
{
	const struct kt_kernel *kernel = lift->kernel;
	CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	bool inside = false;
	struct kt_range range = {kt_lift_offset(lift, kt_clang.getRangeStart(extent), in_macro), 0};
	unsigned end = 0;

	/* The end is where the last token ends: of a macro, after its use. libclang gives its begin where the token was
	 * an argument that a macro passed to another. */
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	range.end = end;
	if (end < kernel->size && (end == 0 || !kt_is_name_part(kernel->text[end - 1])) && kt_is_name_part(kernel->text[end]))
		(void)kt_lift_offset(lift, kt_clang.getRangeEnd(extent), &inside);
	if (inside)
		range.end = behind_use(kernel, range.end);
	return range;
}

char *kt_lift_text(struct kt_lift *lift, CXString string)
{
	char *text = kt_clang_text(lift->kernel->arena, string);

	lift->failed = lift->failed || text == NULL;
	return text != NULL ? text : "";
}

bool kt_lift_is_between(struct kt_lift *lift, const char *operator, uint32_t begin, uint32_t end)
{
	struct kt_text text;
	struct kt_error err;
	const struct kt_kernel *kernel = lift->kernel;

	return begin < end && end <= kernel->size &&
	       kt_lex(&text, kernel->arena, kernel->text, begin, end, false, &err) == KT_OK && text.count == 1 &&
	       kt_token_is(&text, 0, operator);
}
