#include "base/utf8.h"

/* First bytes of sequences: their length and what the second byte may be (Unicode, table 3-7). */
static const struct {
	unsigned char first, last, length, least, most;
} forms[] = {
    {0x00, 0x7f, 1, 0, 0},       {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

size_t kt_utf8_length(const char *text, size_t size)
{
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t i = 0; size > 0 && i < sizeof forms / sizeof *forms; i++) {
		if (bytes[0] < forms[i].first || bytes[0] > forms[i].last)
			continue;
		if (forms[i].length > size)
			return 0;
		for (size_t k = 1; k < forms[i].length; k++)
			if (bytes[k] < (k == 1 ? forms[i].least : 0x80) || bytes[k] > (k == 1 ? forms[i].most : 0xbf))
				return 0;
		return forms[i].length;
	}
	return 0;
}

bool kt_utf8_is_printable(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++)
		if (*at < 0x20 || *at == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f))
			return false;
	return true;
}

void kt_utf8_add(struct kt_buf *out, const char *text, size_t size)
{
	size_t begin = 0;

	for (size_t at = 0; at < size;) {
		const size_t length = kt_utf8_length(text + at, size - at);

		if (length == 0) {
			kt_buf_add(out, text + begin, at - begin);
			kt_buf_adds(out, KT_UTF8_REPLACEMENT);
			begin = at + 1;
		}
		at += length != 0 ? length : 1;
	}
	kt_buf_add(out, text + begin, size - begin);
}
