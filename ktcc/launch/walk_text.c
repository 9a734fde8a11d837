#include "launch/walk_text.h"

#include <string.h>

#include "launch/walk_memo.h"

#define WORD "ktune"

/* Past continued line ends, which may be inside any word; compilers allow blanks after the backslash. */
static const char *skip_splices(const char *at, const char *end)
{
	while (at < end && *at == '\\') {
		const char *next = at + 1;

		while (next < end && (*next == ' ' || *next == '\t' || *next == '\f' || *next == '\v' || *next == '\r'))
			next++;
		if (next == end || *next != '\n')
			break;
		at = next + 1;
	}
	return at;
}

static bool take_word(const char **at, const char *end, const char *word)
{
	const char *next = *at;

	for (; *word != '\0'; word++, next++) {
		next = skip_splices(next, end);
		if (next == end || *next != *word)
			return false;
	}
	*at = next;
	return true;
}

/* Past blanks, comments and continued line ends, as they may be inside a directive. */
static const char *skip_blanks(const char *at, const char *end)
{
	while ((at = skip_splices(at, end)) < end) {
		if (*at == ' ' || *at == '\t' || *at == '\f' || *at == '\v') {
			at++;
		} else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
			at = memmem(at + 2, (size_t)(end - at) - 2, "*/", 2);
			if (at == NULL)
				return end;
			at += 2;
		} else {
			break;
		}
	}
	return at;
}

/* The include's name up to `close`, as the memo keeps it; nothing where the line ends before. Returns where it ends. */
static const char *note_name(struct kt_buf *includes, char form, char close, const char *at, const char *end)
{
	const char *name = at;

	while ((at = skip_splices(at, end)) < end && *at != close && *at != '\n' && *at != '\0')
		at++;
	if (at >= end || *at != close)
		return at;
	kt_buf_addc(includes, form);
	for (const char *part = skip_splices(name, at); part < at; part = skip_splices(part + 1, at))
		kt_buf_addc(includes, *part);
	kt_buf_addc(includes, '\n');
	return at;
}

/* Notes the include that follows a '#', if one does. Returns where to go on. */
static const char *note_include(struct kt_buf *includes, unsigned *flags, const char *at, const char *end)
{
	static const struct {
		const char *name;
		bool next;
	} directives[] = {{"include_next", true}, {"include", false}, {"import", false}};
	size_t i;

	at = skip_blanks(at, end);
	for (i = 0; i < sizeof directives / sizeof *directives; i++)
		if (take_word(&at, end, directives[i].name))
			break;
	if (i == sizeof directives / sizeof *directives)
		return at;
	at = skip_blanks(at, end);
	if (at < end && (*at == '"' || *at == '<')) {
		const bool quoted = *at == '"';
		const char form = directives[i].next ? (quoted ? 'Q' : 'A') : *at;

		at = note_name(includes, form, quoted ? '"' : '>', at + 1, end);
	} else if (at < end && *at != '\n' && *at != '\r') {
		*flags |= KT_MEMO_COMPUTED;
	}
	return at;
}

/*
 * Notes the name that follows "has_include" or, in a macro of a project, "HAS_INCLUDE", where it is no macro: whether
 * that file is there decides what is compiled. Returns where to go on.
 */
static const char *note_question(struct kt_buf *includes, const char *at, const char *end)
{
	const bool next = take_word(&at, end, "_next") || take_word(&at, end, "_NEXT");

	(void)take_word(&at, end, "__");
	at = skip_blanks(at, end);
	if (at == end || *at != '(')
		return at;
	at = skip_blanks(at + 1, end);
	if (at == end || (*at != '"' && *at != '<'))
		return at;
	return note_name(includes, next ? (*at == '"' ? 'Q' : 'A') : *at, *at == '"' ? '"' : '>', at + 1, end);
}

static void note_questions(struct kt_buf *includes, const char *text, const char *end)
{
	static const char *const words[] = {"has_include", "HAS_INCLUDE"};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		const size_t length = strlen(words[i]);

		for (const char *at = text; at < end && (at = memmem(at, (size_t)(end - at), words[i], length)) != NULL;)
			at = note_question(includes, at + length, end);
	}
}

kt_status kt_walk_scan(struct kt_buf *includes, unsigned *flags, const char *text, size_t size)
{
	/* Each spelling of '#' is looked for on its own. */
	static const char *const marks[] = {"#", "%:", "\?\?="};
	const char *end = text + size;

	*flags = memmem(text, size, WORD, sizeof WORD - 1) != NULL ? KT_MEMO_HAS_WORD : 0;
	kt_buf_clear(includes);
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const size_t length = strlen(marks[i]);

		for (const char *at = text; at < end && (at = memmem(at, (size_t)(end - at), marks[i], length)) != NULL;)
			at = note_include(includes, flags, at + length, end);
	}
	note_questions(includes, text, end);
	return includes->failed ? KT_ERR_MEMORY : KT_OK;
}
