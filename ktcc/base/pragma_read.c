/* The pragma language: reporting, brackets, names, and expressions in a piece of text. */
#include "base/pragma_read.h"

#include "base/expr_tree.h"
#include "base/nearest.h"

#include <ctype.h>
#include <string.h>

#define KT_BRACKET_DEPTH 512 /* deepest brackets in a clause */

static bool name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool blank(char c)
{
	return isspace((unsigned char)c);
}

static void report(struct kt_reader *r, enum kt_severity severity, size_t at, size_t length, const char *hint,
                   const char *format, va_list arguments)
{
	struct kt_error text;
	struct kt_buf buf = KT_BUF(sizeof text.message - 1);
	if (r->problem_count < KT_PRAGMA_PROBLEMS) {
		struct kt_pragma_problem *problem =
		    kt_reader_push(r, &r->problems, &r->problem_count, sizeof *problem);
		kt_buf_vaddf(&buf, format, arguments);
		if (problem != NULL) {
			problem->severity = severity;
			problem->offset = (unsigned)at;
			problem->length = (unsigned)(length > 0 ? length : 1);
			problem->hint = hint;
			problem->message = kt_arena_strdup(r->arena, kt_buf_text(&buf));
			if (problem->message == NULL) {
				problem->message = "";
				r->out_of_memory = true;
			}
		}
	}
	kt_buf_free(&buf);
}

void kt_report(struct kt_reader *r, enum kt_severity severity, size_t at, size_t length, const char *hint,
               const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	report(r, severity, at, length, hint, format, arguments);
	va_end(arguments);
}

void kt_report_token(struct kt_reader *r, size_t at, const char *hint, const char *format, ...)
{
	va_list arguments;
	size_t length = 0;
	while (at + length < r->size && kt_is_name_part(r->text[at + length]))
		length++;
	va_start(arguments, format);
	report(r, KT_ERROR, at, length, hint, format, arguments);
	va_end(arguments);
}

void *kt_reader_push(struct kt_reader *r, void *items_pointer, size_t *count, size_t size)
{
	void *item = kt_arena_push(r->arena, items_pointer, count, size);
	if (item == NULL)
		r->out_of_memory = true;
	return item;
}

void *kt_reader_push_limited(struct kt_reader *r, void *items_pointer, size_t *count, size_t size, size_t limit,
                             size_t at, const char *what)
{
	if (*count >= limit) {
		kt_report_token(r, at, NULL, "more than %zu %s", limit, what);
		return NULL;
	}
	return kt_reader_push(r, items_pointer, count, size);
}

void kt_reader_use(struct kt_reader *r, enum kt_use_kind kind, const char *name, size_t at)
{
	struct kt_use *use = kt_reader_push(r, &r->uses, &r->use_count, sizeof *use);
	if (use != NULL)
		*use = (struct kt_use){kind, name, (unsigned)at};
}

size_t kt_step(const struct kt_reader *r, size_t at, size_t end)
{
	const char quote = r->text[at];
	if (quote != '"' && quote != '\'')
		return at + 1;
	/* 1'000 is a number. */
	if (quote == '\'' && at > 0 && at + 1 < end && isxdigit((unsigned char)r->text[at - 1]) &&
	    isxdigit((unsigned char)r->text[at + 1]))
		return at + 1;
	for (size_t i = at + 1; i < end; i++) {
		if (r->text[i] == '\\')
			i++;
		else if (r->text[i] == quote)
			return i + 1;
	}
	return end;
}

void kt_blank_comments(struct kt_reader *r)
{
	size_t at = 0;
	while (at < r->size) {
		const char *s = r->text + at;
		const size_t left = r->size - at;
		size_t length = 0;
		if (left >= 2 && s[0] == '/' && s[1] == '/') {
			const char *newline = memchr(s, '\n', left);
			length = newline != NULL ? (size_t)(newline - s) : left;
		} else if (left >= 2 && s[0] == '/' && s[1] == '*') {
			const char *close = left >= 4 ? memmem(s + 2, left - 2, "*/", 2) : NULL;
			length = close != NULL ? (size_t)(close - s) + 2 : left;
			if (close == NULL)
				kt_report(r, KT_ERROR, at, 2, NULL, "comment is not closed");
		} else if (s[0] == '\0') {
			kt_report(r, KT_ERROR, at, 1, NULL, "unexpected byte 0x00");
			length = 1;
		}
		if (length > 0)
			memset(r->text + at, ' ', length);
		at = length > 0 ? at + length : kt_step(r, at, r->size);
	}
	/* A NUL inside quotes was stepped over. */
	for (char *nul = memchr(r->text, '\0', r->size); nul != NULL;
	     nul = memchr(nul, '\0', r->size - (size_t)(nul - r->text)))
		*nul = ' ';
}

static char closer(char open)
{
	return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '\0';
}

static bool is_closer(char c)
{
	return c == ')' || c == ']' || c == '}';
}

bool kt_match(struct kt_reader *r, size_t open, size_t end, size_t *close)
{
	char expected[KT_BRACKET_DEPTH];
	size_t depth = 0;
	for (size_t at = open; at < end; at = kt_step(r, at, end)) {
		const char c = r->text[at];
		if (closer(c) != '\0') {
			if (depth == KT_BRACKET_DEPTH) {
				kt_report(r, KT_ERROR, at, 1, NULL, "brackets are nested deeper than %d levels",
				          KT_BRACKET_DEPTH);
				*close = end;
				return false;
			}
			expected[depth++] = closer(c);
		} else if (is_closer(c) && depth > 0) {
			if (c != expected[depth - 1]) {
				kt_report(r, KT_ERROR, at, 1, NULL, "expected '%c' before '%c'", expected[depth - 1], c);
				const char *next = memchr(r->text + at, closer(r->text[open]), end - at);
				*close = next != NULL ? (size_t)(next - r->text) : end;
				return false;
			}
			if (--depth == 0) {
				*close = at;
				return true;
			}
		}
	}
	kt_report(r, KT_ERROR, open, 1, NULL, "'%c' is not closed", r->text[open]);
	*close = end;
	return false;
}

void kt_skip_blanks(const struct kt_reader *r, struct kt_slice *slice)
{
	while (slice->at < slice->end && blank(r->text[slice->at]))
		slice->at++;
}

struct kt_slice kt_trim(const struct kt_reader *r, struct kt_slice slice)
{
	kt_skip_blanks(r, &slice);
	while (slice.end > slice.at && blank(r->text[slice.end - 1]))
		slice.end--;
	return slice;
}

bool kt_accept(const struct kt_reader *r, struct kt_slice *slice, char c)
{
	struct kt_slice next = *slice;
	kt_skip_blanks(r, &next);
	if (next.at >= next.end || r->text[next.at] != c)
		return false;
	slice->at = next.at + 1;
	return true;
}

size_t kt_name_length(const struct kt_reader *r, struct kt_slice slice)
{
	size_t i = slice.at;
	if (i < slice.end && name_start(r->text[i])) {
		while (i < slice.end && kt_is_name_part(r->text[i]))
			i++;
	}
	return i - slice.at;
}

bool kt_at_assignment(const struct kt_reader *r, struct kt_slice slice)
{
	kt_skip_blanks(r, &slice);
	const size_t length = kt_name_length(r, slice);
	slice.at += length;
	return length > 0 && kt_accept(r, &slice, '=') && (slice.at == slice.end || r->text[slice.at] != '=');
}

size_t kt_find(const struct kt_reader *r, struct kt_slice slice, const char *separators)
{
	size_t depth = 0;
	for (size_t at = slice.at; at < slice.end; at = kt_step(r, at, slice.end)) {
		const char c = r->text[at];
		if (closer(c) != '\0')
			depth++;
		else if (is_closer(c) && depth > 0)
			depth--;
		else if (depth == 0 && strchr(separators, c) != NULL)
			return at;
	}
	return slice.end;
}

bool kt_take(const struct kt_reader *r, struct kt_slice *piece, struct kt_slice *rest, const char *separators,
             bool *more)
{
	if (!*more)
		return false;
	const size_t at = kt_find(r, *rest, separators);
	*piece = kt_trim(r, (struct kt_slice){rest->at, at});
	*more = at < rest->end;
	rest->at = *more ? at + 1 : at;
	return true;
}

/* "arg(min)": moves to the word in it; *end is where the rest begins. */
static bool at_named(const struct kt_reader *r, struct kt_slice *slice, size_t *end)
{
	struct kt_slice inner = *slice;
	if (kt_name_length(r, inner) != 3 || memcmp(r->text + inner.at, "arg", 3) != 0)
		return false;
	inner.at += 3;
	if (!kt_accept(r, &inner, '('))
		return false;
	kt_skip_blanks(r, &inner);
	struct kt_slice rest = {inner.at + kt_name_length(r, inner), inner.end};
	if (rest.at == inner.at || !kt_accept(r, &rest, ')'))
		return false;
	slice->at = inner.at;
	*end = rest.at;
	return true;
}

/* A word that C++ has as well is no name anywhere. */
static bool is_truth(const char *name, size_t length)
{
	return (length == 4 && memcmp(name, "true", 4) == 0) || (length == 5 && memcmp(name, "false", 5) == 0);
}

/* plain: where no expression can be meant, a word of the language is a name like others. */
static bool read_word(const char **name, struct kt_reader *r, struct kt_slice *slice, const char *what, bool plain)
{
	size_t named_end = 0;
	kt_skip_blanks(r, slice);
	const bool named = at_named(r, slice, &named_end);
	const size_t length = kt_name_length(r, *slice);
	const char *start = r->text + slice->at;
	if (length == 0) {
		kt_report_token(r, slice->at, NULL, "expected %s", what);
		return false;
	}
	if (length > KT_PRAGMA_NAME_BYTES) {
		kt_report_token(r, slice->at, NULL, "name is longer than %d bytes", KT_PRAGMA_NAME_BYTES);
		return false;
	}
	if (is_truth(start, length) || (!named && !plain && kt_expr_is_word(start, length))) {
		const char *hint = is_truth(start, length) ? NULL : "an argument of this name is arg(NAME)";
		kt_report_token(r, slice->at, hint, "'%.*s' is a word of the expression language, not %s", (int)length, start,
		                what);
		return false;
	}
	*name = kt_arena_strndup(r->arena, start, length);
	if (*name == NULL)
		r->out_of_memory = true;
	slice->at = named ? named_end : slice->at + length;
	return *name != NULL;
}

bool kt_read_name(const char **name, struct kt_reader *r, struct kt_slice *slice, const char *what)
{
	return read_word(name, r, slice, what, false);
}

/* The index after the bracket that closes "[ 2 ]" at `at`, or `at` where nothing like that is there. */
static size_t behind_index(const struct kt_reader *r, size_t at, size_t end, int64_t *index)
{
	struct kt_slice rest = {at, end};
	*index = 0;
	if (!kt_accept(r, &rest, '['))
		return at;
	kt_skip_blanks(r, &rest);
	const size_t first = rest.at;
	while (rest.at < end && r->text[rest.at] >= '0' && r->text[rest.at] <= '9' && *index < INT32_MAX / 16)
		*index = 10 * *index + (r->text[rest.at++] - '0');
	return rest.at > first && kt_accept(r, &rest, ']') ? rest.at : at;
}

bool kt_read_member(const char **name, struct kt_reader *r, struct kt_slice *slice, const char *what, bool is_buffer)
{
	const size_t begin = slice->at;
	if (!read_word(name, r, slice, what, true))
		return false;
	for (;;) {
		const char *part;
		int64_t index;
		const size_t at = behind_index(r, slice->at, slice->end, &index);
		struct kt_slice next = {at, slice->end};
		if (at > slice->at && (!is_buffer || (kt_skip_blanks(r, &next), next.at < next.end &&
		                                      strchr("[.", r->text[next.at]) != NULL))) {
			*name = kt_arena_printf(r->arena, "%s[%lld]", *name, (long long)index);
			slice->at = at;
		} else if (kt_accept(r, slice, '.')) {
			if (!read_word(&part, r, slice, "the name of a member", true))
				return false;
			*name = kt_arena_printf(r->arena, "%s.%s", *name, part);
		} else {
			break;
		}
		if (*name == NULL) {
			r->out_of_memory = true;
			return false;
		}
	}
	if (strlen(*name) <= KT_PRAGMA_NAME_BYTES)
		return true;
	kt_report_token(r, begin, NULL, "name is longer than %d bytes", KT_PRAGMA_NAME_BYTES);
	return false;
}

bool kt_read_end(struct kt_reader *r, struct kt_slice *slice, const char *hint)
{
	kt_skip_blanks(r, slice);
	if (slice->at == slice->end)
		return true;
	const size_t length = kt_name_length(r, *slice);
	kt_report_token(r, slice->at, hint, "unexpected '%.*s'", length == 0 ? 1 : length > 40 ? 40 : (int)length,
	                r->text + slice->at);
	return false;
}

static bool failed(struct kt_reader *r, struct kt_slice slice, const struct kt_error *err)
{
	if (err->code == KT_ERR_MEMORY)
		r->out_of_memory = true;
	else
		kt_report_token(r, slice.at + err->offset, NULL, "%s", err->message);
	return false;
}

bool kt_read_expr(struct kt_clause_expr *out, struct kt_reader *r, struct kt_slice slice)
{
	struct kt_error err;
	struct kt_clause_expr read = {0};
	slice = kt_trim(r, slice);
	if (kt_expr_parse(&read.expr, r->arena, r->text + slice.at, slice.end - slice.at, &err) != KT_OK)
		return failed(r, slice, &err);
	read.offset = (unsigned)slice.at;
	read.text = kt_arena_strndup(r->arena, r->text + slice.at, slice.end - slice.at);
	if (read.text == NULL)
		r->out_of_memory = true;
	else
		*out = read;
	return read.text != NULL;
}

bool kt_read_constant(int64_t *out, struct kt_reader *r, struct kt_slice slice)
{
	struct kt_error err;
	struct kt_expr *expr;
	slice = kt_trim(r, slice);
	if (kt_expr_parse(&expr, r->arena, r->text + slice.at, slice.end - slice.at, &err) != KT_OK)
		return failed(r, slice, &err);
	const kt_status status = kt_expr_eval(out, expr, kt_expr_name(expr) != NULL ? r->constants.alone : r->constants.find, r->constants.context, &err);
	if (status == KT_ERR_MISSING) {
		kt_report_token(r, slice.at + err.offset, NULL, "values are constants: %s", err.message);
		return false;
	}
	return status == KT_OK || failed(r, slice, &err);
}

enum { WORDS = 64, WORD_LENGTH = 64 };

const char *kt_closest(const char *text, size_t length, const char *(*word)(size_t index))
{
	const char *words[WORDS];
	char name[WORD_LENGTH];
	size_t count = 0;
	if (length >= sizeof name)
		return NULL;
	memcpy(name, text, length);
	name[length] = '\0';
	for (; count < WORDS && word(count) != NULL; count++)
		words[count] = word(count);
	return kt_nearest(name, words, count);
}

const char *kt_word_list(struct kt_arena *arena, const char *(*word)(size_t index))
{
	const char *list = "";
	for (size_t i = 0; word(i) != NULL && list != NULL; i++)
		list = kt_arena_printf(arena, "%s%s%s", list, i > 0 ? ", " : "known here: ", word(i));
	return list;
}
