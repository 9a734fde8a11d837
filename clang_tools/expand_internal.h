/* For the expand*.c files only. */
#ifndef KT_CLANG_EXPAND_INTERNAL_H
#define KT_CLANG_EXPAND_INTERNAL_H

#include "expand.h"

/* Expansion in progress: the tokens, and the parameters that are bound while they are read. */
struct kt_frame {
	struct kt_expand *x;
	struct kt_buf *out;
	struct kt_text tokens;
	int depth;
};

/* expand_frame.c */
/* Notes why the text has no form in the expression language; the first reason counts. False. */
bool kt_frame_refuse(struct kt_frame *f, const char *form, const char *name, const char *of);
/* The function of the main file that a place is in; NULL: it is in none. Its name, and "the host" there. */
const struct kt_item *kt_frame_function_around(const struct kt_scan *scan, uint32_t at);
const char *kt_frame_function(const struct kt_scan *scan, uint32_t at);
/* The text of tokens [first, last). */
const char *kt_frame_copy(const struct kt_frame *f, size_t first, size_t last);
/* Texts between the bracket at open and its partner, split at commas. */
bool kt_frame_split(const struct kt_frame *f, size_t open, const char ***out, size_t *count, size_t *close);
/* The "?" of `c ? a : b` that the text is, and its ":"; the number of tokens: it is none. */
size_t kt_frame_choice(const struct kt_frame *f, size_t *colon);
/* The "(" of a call `f(…)` or `f<…>(…)` whose name is token i, or 0. */
size_t kt_frame_call_open(const struct kt_frame *f, size_t i);

/* expand_constant.c: each appends the value that the name has; false: it is none of that kind. */
bool kt_frame_constant(struct kt_frame *f, const char *name);
bool kt_frame_template(struct kt_frame *f, const char *name);
/* expand_template.c: the same of a template parameter of the host's function. */
bool kt_frame_host_template(struct kt_frame *f, const char *name);
/* *i: the first token, which becomes the last. */
bool kt_frame_property(struct kt_frame *f, size_t *i, const char *name);
bool kt_frame_sizeof(struct kt_frame *f, size_t *i);
/* expand_round.c: the digits of a text that is one floating-point number without a fraction, by a macro or not; NULL: it is none. */
const char *kt_frame_whole(const struct kt_frame *f);
/* expand_round.c: the call of ceil or floor at *i, which becomes its last token; false: it has no form. */
bool kt_frame_round(struct kt_frame *f, size_t *i, size_t open, const char *name);
/* Is it a variable of the file or of a header? local: what is visible by that name; NULL: nothing. */
bool kt_frame_is_global(const struct kt_frame *f, const struct kt_local *local, const char *name);

#endif
