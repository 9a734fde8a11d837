/* A raw lexical walk over C++ text: tokens with their places, nothing expanded, comments gone. */
#ifndef KT_BASE_LEX_H
#define KT_BASE_LEX_H

#include <stdbool.h>

#include "base/region.h"

enum kt_token_kind {
	KT_TOKEN_NAME,
	KT_TOKEN_NUMBER,
	KT_TOKEN_STRING,    /* string and character literals, with prefix and suffix */
	KT_TOKEN_MARK,      /* punctuation, longest match; "<<<" and ">>>" are one each, "<< <" and ">> >" of a launch as well */
	KT_TOKEN_DIRECTIVE, /* from "#" to the end of its last line, without the newline */
};

struct kt_token {
	uint32_t begin, end;
	enum kt_token_kind kind;
};

struct kt_text {
	const char *data;
	size_t size;
	size_t count;
	struct kt_token *tokens; /* ascending */
};

/* Reads data[begin, end); directives: a "#" at the start of a line is one token (else plain marks). */
kt_status kt_lex(struct kt_text *out, struct kt_arena *arena, const char *data, size_t begin, size_t end,
                 bool directives, struct kt_error *err) KT_MUST_CHECK;

/* May the text hold a launch? False: it holds none. */
bool kt_may_launch(const char *data, size_t size);
/* Does the token read `spelling`? */
bool kt_token_is(const struct kt_text *text, size_t index, const char *spelling);
bool kt_token_same(const struct kt_text *text, const struct kt_token *token, const char *spelling);
/* Index of the first token that begins at or after offset; count when there is none. */
size_t kt_token_at(const struct kt_text *text, uint32_t offset);
/* Index of the bracket that closes the one at index ("(", "[", "{"); count when it is open to the end. */
size_t kt_token_match(const struct kt_text *text, size_t index);
/* As kt_token_match for the "<" of a template list; ">>" and ">>>" close several; *end: offset after the ">". */
size_t kt_token_match_angle(const struct kt_text *text, size_t index, uint32_t *end);
/* A directive's word ("pragma", "include"), "" when it has none; and where its rest begins. */
const char *kt_directive_word(struct kt_arena *arena, const struct kt_text *text, const struct kt_token *token,
                              uint32_t *rest);

#endif
