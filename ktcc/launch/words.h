/*
 * Text to words, in each of the ways nvcc does it. All results live in the
 * arena. `malformed` is set for an unterminated quote where nvcc refuses one:
 * such a command is left to nvcc to complain about.
 */
#ifndef KT_LAUNCH_WORDS_H
#define KT_LAUNCH_WORDS_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"

struct kt_words {
	size_t count;
	char **items;
	bool malformed;
};

/* NVCC_PREPEND_FLAGS: blanks and tabs separate, double quotes protect them and stay in the word. */
kt_status kt_words_environment(struct kt_words *out, struct kt_arena *arena, const char *text,
                               struct kt_error *err) KT_MUST_CHECK;
/* An options file: white space separates, double quotes protect and go, a backslash protects one character. */
kt_status kt_words_options_file(struct kt_words *out, struct kt_arena *arena, const char *text, size_t size,
                                struct kt_error *err) KT_MUST_CHECK;
/* An option's value as a list: kind is KT_VALUE_LIST or KT_VALUE_PATHS of options.h. Empty items are left out. */
kt_status kt_words_list(struct kt_words *out, struct kt_arena *arena, const char *value, unsigned kind,
                        struct kt_error *err) KT_MUST_CHECK;
/* An item of -Xcompiler as the shell sees it: blanks separate, quotes of both kinds, backslashes; no expansions. */
kt_status kt_words_shell(struct kt_words *out, struct kt_arena *arena, const char *text, struct kt_error *err)
    KT_MUST_CHECK;

/*
 * Appends "," and text as one item of an -Xcompiler list that reaches the host
 * compiler as exactly text: quoted for nvcc's list and for the shell that it runs.
 */
void kt_words_add_host_item(struct kt_buf *out, const char *text);

#endif
