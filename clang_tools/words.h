/* The names of a text, also those of macros that it uses: what they mean elsewhere. */
#ifndef KT_CLANG_WORDS_H
#define KT_CLANG_WORDS_H

#include "base/lex.h"
#include "unit.h"

struct kt_words {
	size_t count;
	const char **items;
};

bool kt_words_has(const struct kt_words *words, const char *name);
/* Adds it where it is new. False: out of memory; these are from here on, too. */
bool kt_words_add(struct kt_words *words, struct kt_scan *scan, const char *name);
/* Adds the names in text [begin, end), except members. */
bool kt_words_of_text(struct kt_words *words, struct kt_scan *scan, const struct kt_text *text, uint32_t begin,
                      uint32_t end);
/*
 * Adds the names in the bodies of the macros that `used` has, and of macros that these use; not a macro's parameters.
 */
bool kt_words_of_macros(struct kt_words *words, struct kt_scan *scan, const struct kt_words *used);
/* Does nothing after this part of the main file define or undefine a macro that it uses? False also out of memory. */
#define KT_WORDS_CHANGE "a macro that '%s' uses is defined again after it: give it another name"
bool kt_words_are_kept(struct kt_scan *scan, struct kt_range range);

#endif
