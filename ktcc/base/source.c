#include "base/source.h"

#include <ctype.h>
#include <string.h>

#include "base/expr.h"

#define RAW_DELIMITER_MOST 16 /* of the C++ standard */

/* The offset after a quoted literal that starts at i; an unterminated one ends with its line. */
static size_t skip_quoted(const char *s, size_t size, size_t i)
{
	char quote = s[i++];

	while (i < size && s[i] != quote && s[i] != '\n')
		i += s[i] == '\\' && i + 1 < size ? 2 : 1;
	return i < size && s[i] == quote ? i + 1 : i;
}

/* The offset after a raw string whose quote is at i. */
static size_t skip_raw(const char *s, size_t size, size_t i)
{
	size_t start = i + 1, open = start, length;

	while (open < size && open - start <= RAW_DELIMITER_MOST && s[open] != '(')
		open++;
	if (open >= size || s[open] != '(')
		return skip_quoted(s, size, i);
	length = open - start;
	for (i = open + 1; i + length + 1 < size; i++)
		if (s[i] == ')' && memcmp(s + i + 1, s + start, length) == 0 && s[i + 1 + length] == '"')
			return i + length + 2;
	return size;
}

static bool raw_prefix(const char *s, size_t i)
{
	return i > 0 && s[i - 1] == 'R' &&
	       (i == 1 || !kt_is_name_part(s[i - 2]) || strchr("uUL8", s[i - 2]) != NULL);
}

/* The offset after the comment or literal at i; i itself where none starts. */
static size_t skip_opaque(const char *s, size_t size, size_t i)
{
	const char *end;

	if (s[i] == '/' && i + 1 < size && s[i + 1] == '*') {
		end = memmem(s + i + 2, size - i - 2, "*/", 2);
		return end != NULL ? (size_t)(end - s) + 2 : size;
	}
	if (s[i] == '/' && i + 1 < size && s[i + 1] == '/') {
		while (i < size && s[i] != '\n')
			i += s[i] == '\\' && i + 1 < size ? 2 : 1;
		return i < size ? i : size;
	}
	if (s[i] == '"')
		return raw_prefix(s, i) ? skip_raw(s, size, i) : skip_quoted(s, size, i);
	/* 1'000'000 is no character literal. */
	if (s[i] == '\'' && (i == 0 || !isxdigit((unsigned char)s[i - 1])))
		return skip_quoted(s, size, i);
	return i;
}

static size_t skip_blanks(const char *s, size_t size, size_t i)
{
	while (i < size && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return i;
}

static size_t skip_word(const char *s, size_t size, size_t i, const char *word)
{
	size_t length = strlen(word);

	if (i + length > size || memcmp(s + i, word, length) != 0 || (i + length < size && kt_is_name_part(s[i + length])))
		return 0;
	return i + length;
}

/* The end of the logical line that holds i. */
static size_t line_end(const char *s, size_t size, size_t i)
{
	for (; i < size && s[i] != '\n'; i++) {
		if (s[i] != '\\')
			continue;
		if (i + 1 < size && s[i + 1] == '\n')
			i++;
		else if (i + 2 < size && s[i + 1] == '\r' && s[i + 2] == '\n')
			i += 2;
	}
	return i < size ? i : size;
}

static bool is_ktune(const char *s, size_t size, size_t hash)
{
	size_t i = skip_word(s, size, skip_blanks(s, size, hash + 1), "pragma");

	return i != 0 && skip_word(s, size, skip_blanks(s, size, i), "ktune") != 0;
}

/* The offset after "#" and "line" where a number follows; 0: it is another directive. */
static size_t mark_number(const char *s, size_t size, size_t hash)
{
	size_t i = skip_blanks(s, size, hash + 1), behind = skip_word(s, size, i, "line");

	if (behind != 0)
		i = skip_blanks(s, size, behind);
	return i < size && isdigit((unsigned char)s[i]) ? i : 0;
}

static bool is_mark(const char *s, size_t size, size_t hash)
{
	return mark_number(s, size, hash) != 0;
}

static bool next_directive(struct kt_range *out, const char *source, size_t size, size_t *position,
                           bool (*is_wanted)(const char *s, size_t size, size_t hash))
{
	size_t i = *position, next;
	bool at_start = true; /* only blanks since the line began */

	while (i < size) {
		if (source[i] == '\n') {
			at_start = true;
			i++;
		} else if (source[i] == '#' && at_start && is_wanted(source, size, i)) {
			out->begin = (uint32_t)i;
			out->end = (uint32_t)line_end(source, size, i);
			*position = out->end;
			return true;
		} else if ((next = skip_opaque(source, size, i)) != i) {
			/* A comment is a blank, but a directive may not follow a literal. */
			at_start = at_start && source[i] == '/';
			i = next;
		} else {
			at_start = at_start && isspace((unsigned char)source[i]);
			i++;
		}
	}
	*position = size;
	return false;
}

bool kt_source_pragma(struct kt_range *out, const char *source, size_t size, size_t *position)
{
	return next_directive(out, source, size, position, is_ktune);
}

bool kt_source_line_mark(struct kt_line_mark *out, const char *source, size_t size, size_t *position)
{
	struct kt_range range;
	size_t i;

	if (!next_directive(&range, source, size, position, is_mark))
		return false;
	*out = (struct kt_line_mark){.end = range.end};
	for (i = mark_number(source, range.end, range.begin); i < range.end && isdigit((unsigned char)source[i]); i++)
		out->line = out->line * 10 + (uint32_t)(source[i] - '0');
	i = skip_blanks(source, range.end, i);
	if (i < range.end && source[i] == '"') {
		const size_t end = skip_quoted(source, range.end, i);

		out->file = (struct kt_range){(uint32_t)i + 1, (uint32_t)(end - (end > i + 1 && source[end - 1] == '"'))};
	}
	return true;
}

void kt_source_newlines(struct kt_buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == '\n')
			kt_buf_addc(out, '\n');
}

uint32_t kt_source_line(const char *source, size_t size, size_t offset)
{
	uint32_t line = 1;

	for (size_t i = 0; i < offset && i < size; i++)
		line += source[i] == '\n';
	return line;
}

/* After blanks and comments. */
static size_t skip_space(const char *text, size_t size, size_t i)
{
	while (i < size && (isspace((unsigned char)text[i]) || (text[i] == '/' && skip_opaque(text, size, i) != i)))
		i = isspace((unsigned char)text[i]) ? i + 1 : skip_opaque(text, size, i);
	return i;
}

/* After the bracket that closes the one at i; "<" is one where it is the first. */
static size_t skip_brackets(const char *text, size_t size, size_t i)
{
	const bool is_list = text[i] == '<';
	int angle = 0, round = 0;

	do {
		const size_t next = skip_opaque(text, size, i);

		if (next != i) {
			i = next;
			continue;
		}
		round += text[i] == '(' || text[i] == '{' || text[i] == '[';
		round -= text[i] == ')' || text[i] == '}' || text[i] == ']';
		/* A comparison is only legal in parentheses here. */
		if (is_list && round == 0)
			angle += text[i] == '<' ? 1 : text[i] == '>' ? -1 : 0;
		i++;
	} while (i < size && (angle > 0 || round > 0));
	return i;
}

/* "ns::name<T>::value" */
static size_t skip_name(const char *text, size_t size, size_t i)
{
	while (i < size && (kt_is_name_part(text[i]) || text[i] == ':')) {
		while (i < size && (kt_is_name_part(text[i]) || text[i] == ':'))
			i++;
		const size_t list = skip_space(text, size, i);
		if (list < size && text[list] == '<')
			i = skip_brackets(text, size, list);
	}
	return i;
}

/* One operand of a constraint: a bracket, `requires (…) {…}`, a name. */
static size_t skip_constraint(const char *text, size_t size, size_t i)
{
	const size_t behind = skip_word(text, size, i, "requires");

	if (i < size && text[i] == '(')
		return skip_brackets(text, size, i);
	if (behind == 0)
		return skip_name(text, size, i);
	i = skip_space(text, size, behind);
	if (i < size && text[i] == '(')
		i = skip_space(text, size, skip_brackets(text, size, i));
	return i < size && text[i] == '{' ? skip_brackets(text, size, i) : i;
}

size_t kt_source_requires(const char *text, size_t size)
{
	size_t i = skip_word(text, size, 0, "requires");
	bool more = i != 0;

	while (more) {
		i = skip_space(text, size, skip_constraint(text, size, skip_space(text, size, i)));
		more = i + 1 < size && (memcmp(text + i, "&&", 2) == 0 || memcmp(text + i, "||", 2) == 0);
		i += more ? 2 : 0;
	}
	return i;
}

size_t kt_source_template_header(const char *text, size_t size)
{
	size_t done = 0, i;

	while ((i = skip_word(text, size, done, "template")) != 0) {
		while (i < size && isspace((unsigned char)text[i]))
			i++;
		if (i >= size || text[i] != '<')
			return done;
		i = skip_brackets(text, size, i);
		while (i < size && isspace((unsigned char)text[i]))
			i++;
		done = i + kt_source_requires(text + i, size - i);
	}
	return done;
}

void kt_source_string(struct kt_buf *out, const char *text)
{
	kt_buf_addc(out, '"');
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			kt_buf_addc(out, '\\');
		if ((unsigned char)*text < ' ')
			kt_buf_addf(out, "\\%03o", (unsigned)(unsigned char)*text);
		else
			kt_buf_addc(out, *text);
	}
	kt_buf_addc(out, '"');
}

void kt_source_line_directive(struct kt_buf *out, uint32_t line, const char *file)
{
	if (out->size > 0 && out->data[out->size - 1] != '\n')
		kt_buf_addc(out, '\n');
	kt_buf_addf(out, "#line %u ", (unsigned)line);
	kt_source_string(out, file);
	kt_buf_addc(out, '\n');
}

static bool is_behind(const struct kt_splice *a, const struct kt_splice *b)
{
	return a->begin > b->begin || (a->begin == b->begin && a->end > a->begin && b->end == b->begin);
}

kt_status kt_source_splice(struct kt_buf *out, const char *source, size_t size, struct kt_splice *splices,
                           size_t count, struct kt_error *err)
{
	size_t done = 0;

	/* Insertion sort: nearly sorted already, and equal ones keep their order. */
	for (size_t i = 1; i < count; i++) {
		struct kt_splice moved = splices[i];
		size_t j = i;

		for (; j > 0 && is_behind(&splices[j - 1], &moved); j--)
			splices[j] = splices[j - 1];
		splices[j] = moved;
	}
	for (size_t i = 0; i < count; i++) {
		const struct kt_splice *splice = &splices[i];

		if (splice->end > size || splice->begin > splice->end || splice->begin < done)
			return kt_fail(err, KT_ERR_INVALID, "edit of bytes %zu to %zu does not fit the text",
			               splice->begin, splice->end);
		kt_buf_add(out, source + done, splice->begin - done);
		kt_buf_adds(out, splice->text);
		if (splice->newlines)
			kt_source_newlines(out, source + splice->begin, splice->end - splice->begin);
		done = splice->end;
	}
	kt_buf_add(out, source + done, size - done);
	return kt_buf_check(out, "edited source", err);
}
