#include "generation/llm/reply_fence.h"

#include <string.h>
#include <strings.h>

struct lines {
	const char *at, *end;
};

/* The next line without its newline; false after the last. */
static bool next_line(struct kt_reply_part *line, struct lines *lines)
{
	const char *newline;

	if (lines->at >= lines->end)
		return false;
	newline = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
	line->text = lines->at;
	line->size = (size_t)((newline != NULL ? newline : lines->end) - lines->at);
	lines->at = newline != NULL ? newline + 1 : lines->end;
	return true;
}

static void trim(struct kt_reply_part *part)
{
	while (part->size > 0 && strchr(" \t\r\n", part->text[0]) != NULL) {
		part->text++;
		part->size--;
	}
	while (part->size > 0 && strchr(" \t\r\n", part->text[part->size - 1]) != NULL)
		part->size--;
}

/* Backticks or tildes that open or close a block; 0: the line is none. *word: what follows them. */
static size_t fence(char *mark, struct kt_reply_part *word, struct kt_reply_part line)
{
	size_t count = 0;

	trim(&line);
	if (line.size < 3 || (line.text[0] != '`' && line.text[0] != '~'))
		return 0;
	*mark = line.text[0];
	while (count < line.size && line.text[count] == *mark)
		count++;
	*word = (struct kt_reply_part){line.text + count, line.size - count};
	trim(word);
	return count >= 3 ? count : 0;
}

static bool is_word(const struct kt_reply_part *word, const char *const *words)
{
	size_t length = 0;

	while (length < word->size && strchr(" \t{,", word->text[length]) == NULL)
		length++;
	for (; *words != NULL; words++)
		if (strlen(*words) == length && strncasecmp(*words, word->text, length) == 0)
			return true;
	return false;
}

/* After the last </think>: models that reason aloud do so before the answer. */
static struct kt_reply_part without_thoughts(const char *text, size_t size)
{
	static const char end[] = "</think>";
	struct kt_reply_part rest = {text, size};
	const char *found;

	while ((found = memmem(rest.text, rest.size, end, sizeof end - 1)) != NULL) {
		rest.size -= (size_t)(found + sizeof end - 1 - rest.text);
		rest.text = found + sizeof end - 1;
	}
	trim(&rest);
	return rest;
}

static void take_block(struct kt_reply_parts *out, const struct kt_reply_part *word, struct kt_reply_part block)
{
	static const char *const json[] = {"json", NULL};
	static const char *const code[] = {"cuda", "cpp", "c++", "cu", "c", "cxx", NULL};

	trim(&block);
	if (is_word(word, json))
		out->json = block;
	else if (is_word(word, code))
		out->code = block;
}

bool kt_reply_find(struct kt_reply_parts *out, const char *text, size_t size)
{
	struct kt_reply_part rest = without_thoughts(text, size), line, word = {NULL, 0}, other;
	struct lines lines = {rest.text, rest.text + rest.size};
	const char *begin = NULL;
	char mark = 0, here = 0;
	size_t open = 0;

	*out = (struct kt_reply_parts){{NULL, 0}, {NULL, 0}};
	/* As the schema has it: the object alone. */
	if (rest.size > 0 && rest.text[0] == '{' && rest.text[rest.size - 1] == '}') {
		out->json = rest;
		return true;
	}
	while (next_line(&line, &lines)) {
		size_t count = fence(&here, open == 0 ? &word : &other, line);

		if (count == 0)
			continue;
		if (open == 0) {
			open = count;
			mark = here;
			begin = lines.at;
		} else if (here == mark && count >= open && other.size == 0) {
			take_block(out, &word, (struct kt_reply_part){begin, (size_t)(line.text - begin)});
			open = 0;
		}
	}
	/* An answer that was cut inside of a block has no end: it is none. */
	return out->json.text != NULL || out->code.text != NULL;
}
