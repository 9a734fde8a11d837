#include "tuning/blame.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

static bool has_word(const char *text, size_t size, const char *word)
{
	return memmem(text, size, word, strlen(word)) != NULL;
}

static size_t line_size(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline != NULL ? (size_t)(newline - at) + 1 : (size_t)(end - at);
}

static bool is_error(const char *line, size_t size)
{
	return has_word(line, size, "error") || has_word(line, size, "fatal");
}

/* Source excerpts and traces are indented; a diagnostic's own line never is. */
static bool starts_diagnostic(const char *line, size_t size)
{
	return size > 0 && !isspace((unsigned char)line[0]) &&
	       (is_error(line, size) || has_word(line, size, "warning"));
}

/* The number in front of `at`, which is the length of a mangled name; 0 when there is none. */
static size_t mangled_length(const char *text, const char *at)
{
	size_t length = 0, scale = 1;

	while (at > text && isdigit((unsigned char)at[-1]) && scale <= 10000) {
		length += scale * (size_t)(*--at - '0');
		scale *= 10;
	}
	return length;
}

static bool find_ticket(size_t *out, const char *text, size_t size)
{
	static const char tag[] = "kt_c";
	const size_t tag_size = sizeof tag - 1;
	const char *at = text, *end = text + size;

	while ((at = memmem(at, (size_t)(end - at), tag, tag_size)) != NULL) {
		/* After a mangled name, digits may belong to what follows. */
		const size_t length = mangled_length(text, at);
		const char *stop = length > tag_size && length < (size_t)(end - at) ? at + length : end;
		size_t ticket = 0;

		at += tag_size;
		if (at == stop || !isdigit((unsigned char)*at))
			continue;
		for (; at < stop && isdigit((unsigned char)*at) && ticket <= SIZE_MAX / 10 - 1; at++)
			ticket = ticket * 10 + (size_t)(*at - '0');
		*out = ticket;
		return true;
	}
	return false;
}

/* The slice is the file "k"; the driver itself refuses with "nvcc fatal". */
static bool is_common(const char *line, size_t size)
{
	static const char *const starts[] = {"k(", "k:", "nvcc fatal"};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (size >= strlen(starts[i]) && memcmp(line, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

bool kt_diagnostic_next(struct kt_diagnostic *out, const char **at, const char *end)
{
	const char *from = *at, *to;

	while (from < end && !starts_diagnostic(from, line_size(from, end)))
		from += line_size(from, end);
	if (from == end) {
		*at = end;
		return false;
	}
	const size_t first = line_size(from, end);
	for (to = from + first; to < end && !starts_diagnostic(to, line_size(to, end));)
		to += line_size(to, end);
	*out = (struct kt_diagnostic){.text = from, .size = (size_t)(to - from), .error = is_error(from, first)};
	out->has_ticket = find_ticket(&out->ticket, out->text, out->size);
	out->common = !out->has_ticket && is_common(from, first);
	*at = to;
	return true;
}
