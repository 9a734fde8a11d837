#include "base/lex.h"

#include <ctype.h>
#include <string.h>

struct cursor {
	const char *data;
	size_t at, end;
	bool line_start;
	bool directives;
};

static const char *const marks[] = {
	"<<<", ">>>", "<=>", "...", "->*", "<<=", ">>=", "::", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
	"!=",  "&&",  "||",  "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "##", ".*",
};

static bool is_name_start(unsigned char c)
{
	return isalpha(c) || c == '_' || c == '$' || c >= 0x80;
}

static bool is_name(unsigned char c)
{
	return is_name_start(c) || isdigit(c);
}

/* Length of a backslash-newline at `at`, else 0. */
static size_t splice(const struct cursor *c, size_t at)
{
	if (at + 1 < c->end && c->data[at] == '\\' && c->data[at + 1] == '\n')
		return 2;
	if (at + 2 < c->end && c->data[at] == '\\' && c->data[at + 1] == '\r' && c->data[at + 2] == '\n')
		return 3;
	return 0;
}

static bool starts(const struct cursor *c, size_t at, const char *what)
{
	size_t length = strlen(what);
	return c->end - at >= length && memcmp(c->data + at, what, length) == 0;
}

/* The index after a comment that begins at `at`, else `at`. */
static size_t skip_comment(const struct cursor *c, size_t at)
{
	if (starts(c, at, "//")) {
		while (at < c->end && c->data[at] != '\n')
			at += splice(c, at) > 0 ? splice(c, at) : 1;
		return at;
	}
	if (!starts(c, at, "/*"))
		return at;
	at += 2;
	while (at < c->end && !starts(c, at, "*/"))
		at++;
	return at < c->end ? at + 2 : at;
}

static void skip_blanks(struct cursor *c)
{
	while (c->at < c->end) {
		size_t jump = splice(c, c->at);
		size_t comment = jump > 0 ? c->at : skip_comment(c, c->at);
		if (jump > 0) {
			c->at += jump;
		} else if (comment > c->at) {
			c->at = comment;
		} else if (c->data[c->at] == '\n') {
			c->line_start = true;
			c->at++;
		} else if (isspace((unsigned char)c->data[c->at])) {
			c->at++;
		} else {
			return;
		}
	}
}

/* The index after the quote that ends a plain literal; an unterminated one ends with its line. */
static size_t skip_quoted(const struct cursor *c, size_t at)
{
	char quote = c->data[at++];
	while (at < c->end && c->data[at] != quote) {
		if (c->data[at] == '\n')
			return at;
		at += c->data[at] == '\\' && at + 1 < c->end ? 2 : 1;
	}
	return at < c->end ? at + 1 : c->end;
}

/* at: the quote of R"delimiter( … )delimiter". */
static size_t skip_raw(const struct cursor *c, size_t at)
{
	size_t open = at + 1;
	size_t body = open;
	while (body < c->end && c->data[body] != '(' && body - open < 17)
		body++;
	size_t length = body - open;
	for (size_t i = body; i + length + 1 < c->end; i++)
		if (c->data[i] == ')' && memcmp(c->data + i + 1, c->data + open, length) == 0 &&
		    c->data[i + 1 + length] == '"')
			return i + length + 2;
	return c->end;
}

static size_t skip_directive(const struct cursor *c, size_t at)
{
	while (at < c->end && c->data[at] != '\n') {
		size_t jump = splice(c, at);
		size_t comment = jump > 0 ? at : skip_comment(c, at);
		if (jump > 0)
			at += jump;
		else if (comment > at && starts(c, at, "//"))
			return at;
		else if (comment > at)
			at = comment;
		else if (c->data[at] == '"')
			at = skip_quoted(c, at);
		else
			at++;
	}
	return at;
}

static size_t skip_number(const struct cursor *c, size_t at)
{
	while (at < c->end) {
		unsigned char here = (unsigned char)c->data[at];
		bool sign = (here == '+' || here == '-') && strchr("eEpP", c->data[at - 1]) != NULL;
		bool separator = here == '\'' && at + 1 < c->end && isalnum((unsigned char)c->data[at + 1]);
		if (!is_name(here) && here != '.' && !sign && !separator)
			break;
		at++;
	}
	return at;
}

static size_t mark_length(const struct cursor *c)
{
	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (starts(c, c->at, marks[i]))
			return strlen(marks[i]);
	return 1;
}

/* Name, or a literal that a prefix such as u8R introduces. */
static enum kt_token_kind read_word(struct cursor *c)
{
	size_t begin = c->at;
	while (c->at < c->end && is_name((unsigned char)c->data[c->at]))
		c->at++;
	size_t length = c->at - begin;
	if (c->at >= c->end || length > 3 || (c->data[c->at] != '"' && c->data[c->at] != '\''))
		return KT_TOKEN_NAME;
	for (size_t i = begin; i < c->at; i++)
		if (strchr("uUL8R", c->data[i]) == NULL)
			return KT_TOKEN_NAME;
	bool raw = c->data[c->at - 1] == 'R' && c->data[c->at] == '"';
	c->at = raw ? skip_raw(c, c->at) : skip_quoted(c, c->at);
	return KT_TOKEN_STRING;
}

static enum kt_token_kind read_token(struct cursor *c)
{
	unsigned char here = (unsigned char)c->data[c->at];
	bool line_start = c->line_start;
	c->line_start = false;
	if (here == '#' && line_start && c->directives) {
		c->at = skip_directive(c, c->at);
		return KT_TOKEN_DIRECTIVE;
	}
	if (is_name_start(here))
		return read_word(c);
	if (isdigit(here) || (here == '.' && c->at + 1 < c->end && isdigit((unsigned char)c->data[c->at + 1]))) {
		c->at = skip_number(c, c->at + 1);
		return KT_TOKEN_NUMBER;
	}
	if (here == '"' || here == '\'') {
		c->at = skip_quoted(c, c->at);
		while (c->at < c->end && is_name((unsigned char)c->data[c->at]))
			c->at++;
		return KT_TOKEN_STRING;
	}
	c->at += mark_length(c);
	return KT_TOKEN_MARK;
}

/* Is it `mark` and then a single `last`, with blanks in between, as in "<< <"? */
static bool is_apart(const struct kt_text *text, size_t i, const char *mark, const char *last)
{
	if (!kt_token_is(text, i, mark) || !kt_token_is(text, i + 1, last))
		return false;
	for (uint32_t at = text->tokens[i].end; at < text->tokens[i + 1].begin; at++)
		if (text->data[at] != ' ' && text->data[at] != '\t')
			return false;
	return true;
}

/* The token that ends a launch's configuration, of which `first` is the first one; count: there is none. */
static size_t configuration_end(const struct kt_text *text, size_t first)
{
	for (size_t i = first; i < text->count; i++) {
		if (kt_token_is(text, i, ">>>") || is_apart(text, i, ">>", ">"))
			return i;
		if (kt_token_is(text, i, ";") || kt_token_is(text, i, ")") || kt_token_is(text, i, "}"))
			break;
		if (kt_token_is(text, i, "(") || kt_token_is(text, i, "{") || kt_token_is(text, i, "["))
			i = kt_token_match(text, i);
	}
	return text->count;
}

/* One token of "<< <" at i, or of ">> >". */
static void join(struct kt_text *text, size_t i)
{
	text->tokens[i].end = text->tokens[i + 1].end;
	memmove(&text->tokens[i + 1], &text->tokens[i + 2], (text->count - i - 2) * sizeof *text->tokens);
	text->count--;
}

/* nvcc launches by "k<< <…>> >(…)" as well, which other compilers and their formatters leave alone. */
static void join_launches(struct kt_text *text)
{
	for (size_t i = 1; i + 1 < text->count; i++) {
		const bool apart = is_apart(text, i, "<<", "<");

		if ((!apart && !kt_token_is(text, i, "<<<")) || kt_token_is(text, i - 1, "operator"))
			continue;
		const size_t close = configuration_end(text, i + (apart ? 2 : 1));
		if (is_apart(text, close, ">>", ">"))
			join(text, close);
		if (apart && close < text->count)
			join(text, i);
	}
}

bool kt_may_launch(const char *data, size_t size)
{
	for (const char *at = data; (at = memmem(at, size - (size_t)(at - data), "<<", 2)) != NULL; at++) {
		const char *last = at + 2;
		while (last < data + size && (*last == ' ' || *last == '\t'))
			last++;
		if (last < data + size && *last == '<')
			return true;
	}
	return false;
}

kt_status kt_lex(struct kt_text *out, struct kt_arena *arena, const char *data, size_t begin, size_t end,
                 bool directives, struct kt_error *err)
{
	*out = (struct kt_text){.data = data, .size = end};
	struct cursor c = {.data = data, .at = begin, .end = end, .line_start = true, .directives = directives};
	if (end > KT_LIMIT_SOURCE_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "a source of %zu bytes is too large", end);
	for (skip_blanks(&c); c.at < c.end; skip_blanks(&c)) {
		struct kt_token token = {.begin = (uint32_t)c.at};
		token.kind = read_token(&c);
		token.end = (uint32_t)c.at;
		struct kt_token *slot;
		NEED(slot = kt_arena_push(arena, &out->tokens, &out->count, sizeof *slot),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory reading tokens"));
		*slot = token;
	}
	join_launches(out);
	return KT_OK;
}

bool kt_token_same(const struct kt_text *text, const struct kt_token *token, const char *spelling)
{
	const size_t length = strlen(spelling);

	/* Only "<< <" and ">> >" are marks of more than three characters. */
	if (token->kind == KT_TOKEN_MARK && token->end - token->begin > 3)
		return strcmp(spelling, text->data[token->begin] == '<' ? "<<<" : ">>>") == 0;
	return token->end - token->begin == length && memcmp(text->data + token->begin, spelling, length) == 0;
}

bool kt_token_is(const struct kt_text *text, size_t index, const char *spelling)
{
	return index < text->count && kt_token_same(text, &text->tokens[index], spelling);
}

size_t kt_token_at(const struct kt_text *text, uint32_t offset)
{
	size_t low = 0, high = text->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (text->tokens[middle].begin < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t kt_token_match(const struct kt_text *text, size_t index)
{
	size_t depth = 0;
	for (size_t i = index; i < text->count; i++) {
		if (text->tokens[i].kind != KT_TOKEN_MARK || text->tokens[i].end - text->tokens[i].begin != 1)
			continue;
		char mark = text->data[text->tokens[i].begin];
		if (mark == '(' || mark == '[' || mark == '{')
			depth++;
		else if ((mark == ')' || mark == ']' || mark == '}') && --depth == 0)
			return i;
	}
	return text->count;
}

size_t kt_token_match_angle(const struct kt_text *text, size_t index, uint32_t *end)
{
	size_t depth = 0;
	for (size_t i = index; i < text->count; i++) {
		const struct kt_token *token = &text->tokens[i];
		if (token->kind != KT_TOKEN_MARK)
			continue;
		char mark = text->data[token->begin];
		if (mark == '(' || mark == '[' || mark == '{') {
			i = kt_token_match(text, i);
		} else if (mark == ';') {
			break;
		} else if (mark == '<' && token->end - token->begin == 1) {
			depth++;
		} else if (mark == '>' && !kt_token_is(text, i, ">=")) {
			for (uint32_t at = token->begin; at < token->end; at++)
				if (text->data[at] == '>' && --depth == 0) {
					*end = at + 1;
					return i;
				}
		}
	}
	return text->count;
}

const char *kt_directive_word(struct kt_arena *arena, const struct kt_text *text, const struct kt_token *token,
                              uint32_t *rest)
{
	struct cursor c = {.data = text->data, .at = token->begin + 1, .end = token->end};
	skip_blanks(&c);
	size_t begin = c.at;
	while (c.at < c.end && is_name((unsigned char)c.data[c.at]))
		c.at++;
	*rest = (uint32_t)c.at;
	return kt_arena_strndup(arena, text->data + begin, c.at - begin);
}
