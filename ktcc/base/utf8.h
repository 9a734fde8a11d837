/* Text from files of others, made valid UTF-8. */
#ifndef KT_BASE_UTF8_H
#define KT_BASE_UTF8_H

#include "base/buf.h"

#define KT_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Bytes of the valid sequence at text (1 to 4); 0: there is none. Overlong forms and surrogates are not valid. */
size_t kt_utf8_length(const char *text, size_t size);
/* Has it no control character (U+0000 to U+001F, U+007F to U+009F), which a terminal may obey? Other bytes are not looked at. */
bool kt_utf8_is_printable(const char *text);
/* Appends the text with U+FFFD in the place of each byte that belongs to no valid sequence. */
void kt_utf8_add(struct kt_buf *out, const char *text, size_t size);

#endif
