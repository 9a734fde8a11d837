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

struct kt_range kt_lift_range(struct kt_lift *lift, CXCursor cursor, bool *in_macro)
{
	const struct kt_kernel *kernel = lift->kernel;
	CXSourceRange extent = kt_clang.getCursorExtent(cursor);
	bool inside = false;
	struct kt_range range = {kt_lift_offset(lift, kt_clang.getRangeStart(extent), in_macro), 0};
	unsigned end = 0;

	/* The end is where the last token ends: of a macro, behind its use. libclang gives its begin where the token was
	 * an argument that a macro passed to another. */
	kt_clang.getFileLocation(kt_clang.getRangeEnd(extent), NULL, NULL, NULL, &end);
	range.end = end;
	if (end < kernel->size && (end == 0 || !is_word(kernel->text[end - 1])) && is_word(kernel->text[end]))
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

/* The operator that a run of an operator's characters is. NULL: it is none that has two operands, or a comma. */
static const char *operator_of(const char *run, size_t length)
{
	static const char *const known[] = {"+",  "-",  "*",  "/", "%",  "<<", ">>", "<",  ">",  "<=", ">=", "==", "!=", "&",
	                                    "|",  "^",  "&&", "||", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",
	                                    ">>="};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i]) == length && memcmp(known[i], run, length) == 0)
			return known[i];
	return NULL;
}

static bool is_operator(char c)
{
	return c != '\0' && strchr("+-*/%<>=!&|^", c) != NULL;
}

/* Is it a blank to what a macro is made of? A line of its may go on in the next one. */
static bool is_blank(const char *text, size_t size, size_t at)
{
	return text[at] == ' ' || text[at] == '\t' || (text[at] == '\\' && at + 1 < size && text[at + 1] == '\n') ||
	       (text[at] == '\n' && at > 0 && text[at - 1] == '\\');
}

/* The operator that is spelled in front of the second operand. What a macro was passed has a comma or a parenthesis
 * there, which says nothing about the operands. */
static const char *operator_in_front(struct kt_lift *lift, CXCursor second)
{
	CXFile file = NULL;
	size_t size = 0, end = kt_lift_spelled(lift, kt_clang.getRangeStart(kt_clang.getCursorExtent(second)), &file), begin;
	const char *text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;

	if (text == NULL || end > size)
		return NULL;
	while (end > 0 && is_blank(text, size, end - 1))
		end--;
	for (begin = end; begin > 0 && is_operator(text[begin - 1]);)
		begin--;
	return operator_of(text + begin, end - begin);
}

/* The operator that is spelled behind the first operand, where that is one word: the second may be a macro. */
static const char *operator_behind(struct kt_lift *lift, CXCursor first)
{
	CXFile file = NULL;
	size_t size = 0, begin = kt_lift_spelled(lift, kt_clang.getRangeStart(kt_clang.getCursorExtent(first)), &file), end;
	const char *text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	struct kt_lift_cursors inside = kt_lift_cursors_of(lift, first);
	bool is_number;

	while (inside.count == 1) {
		first = inside.cursors[0];
		inside = kt_lift_cursors_of(lift, first);
	}
	if (text == NULL || inside.count != 0 || begin >= size || (!is_word(text[begin]) && text[begin] != '.'))
		return NULL;
	is_number = !isalpha((unsigned char)text[begin]) && text[begin] != '_';
	/* The sign of an exponent is none that has operands. */
	while (begin < size && (is_word(text[begin]) || text[begin] == '.'))
		begin += is_number && begin + 1 < size && strchr("eEpP", text[begin]) != NULL && strchr("+-", text[begin + 1]) != NULL
		             ? 2
		             : 1;
	while (begin < size && is_blank(text, size, begin))
		begin++;
	for (end = begin; end < size && is_operator(text[end]);)
		end++;
	return operator_of(text + begin, end - begin);
}

/* The operator of an expression that a macro spells. NULL: not known. */
const char *kt_lift_operator_spelled(struct kt_lift *lift, const struct kt_tree *node, CXCursor cursor)
{
	static const char *const prefixes[] = {"++", "--", "-", "+", "!", "~", "*", "&"};
	const char *text = kt_lift_text(lift, kt_clang.getCursorSpelling(cursor));
	CXFile file = NULL;
	uint32_t at;
	size_t size = 0;

	if (text[0] != '\0')
		return text;
	/* Up to version 16 the spelling of such an expression is empty. */
	if (node->count != 1) {
		const struct kt_lift_cursors operands = kt_lift_cursors_of(lift, cursor);

		text = operands.count == 2 ? operator_in_front(lift, operands.cursors[1]) : NULL;
		return text != NULL || operands.count != 2 ? text : operator_behind(lift, operands.cursors[0]);
	}
	at = kt_lift_spelled(lift, kt_clang.getRangeStart(kt_clang.getCursorExtent(cursor)), &file);
	text = file != NULL ? kt_clang.getFileContents(lift->unit, file, &size) : NULL;
	for (size_t i = 0; text != NULL && i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (at + strlen(prefixes[i]) <= size && strncmp(text + at, prefixes[i], strlen(prefixes[i])) == 0)
			return prefixes[i];
	return NULL;
}
