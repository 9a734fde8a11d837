#include "base/buf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for size more bytes and a NUL. */
static bool reserve(struct kt_buf *buf, size_t size)
{
	size_t need, capacity;
	char *data;

	if (buf->failed)
		return false;
	if (size > buf->limit || buf->size > buf->limit - size) {
		buf->failed = true;
		return false;
	}
	need = buf->size + size + 1;
	if (need <= buf->capacity)
		return true;
	capacity = buf->capacity < 64 ? 64 : buf->capacity;
	while (capacity < need)
		capacity = capacity > SIZE_MAX / 2 ? need : capacity * 2;
	data = realloc(buf->data, capacity);
	if (data == NULL) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	return true;
}

void kt_buf_add(struct kt_buf *buf, const void *data, size_t size)
{
	if (!reserve(buf, size))
		return;
	if (size != 0)
		memcpy(buf->data + buf->size, data, size);
	buf->size += size;
	buf->data[buf->size] = '\0';
}

char *kt_buf_extend(struct kt_buf *buf, size_t size)
{
	char *at;

	if (!reserve(buf, size))
		return NULL;
	at = buf->data + buf->size;
	buf->size += size;
	buf->data[buf->size] = '\0';
	return at;
}

void kt_buf_adds(struct kt_buf *buf, const char *text)
{
	kt_buf_add(buf, text, strlen(text));
}

void kt_buf_addc(struct kt_buf *buf, char c)
{
	kt_buf_add(buf, &c, 1);
}

void kt_buf_vaddf(struct kt_buf *buf, const char *format, va_list arguments)
{
	va_list again;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0) {
		buf->failed = true;
		return;
	}
	if (!reserve(buf, (size_t)length))
		return;
	vsnprintf(buf->data + buf->size, (size_t)length + 1, format, arguments);
	buf->size += (size_t)length;
}

void kt_buf_addf(struct kt_buf *buf, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	kt_buf_vaddf(buf, format, arguments);
	va_end(arguments);
}

void kt_buf_addjson(struct kt_buf *buf, const char *text)
{
	static const char names[] = "btn\0fr"; /* U+0008 … U+000D, without U+000B */
	const char *c;

	kt_buf_addc(buf, '"');
	for (c = text; *c != '\0'; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte == '"' || byte == '\\') {
			kt_buf_addc(buf, '\\');
			kt_buf_addc(buf, *c);
		} else if (byte >= 8 && byte <= 13 && byte != 11) {
			kt_buf_addc(buf, '\\');
			kt_buf_addc(buf, names[byte - 8]);
		} else if (byte < 32) {
			kt_buf_addf(buf, "\\u%04x", byte);
		} else {
			kt_buf_addc(buf, *c);
		}
	}
	kt_buf_addc(buf, '"');
}

void kt_buf_clear(struct kt_buf *buf)
{
	buf->size = 0;
	buf->failed = false;
	if (buf->data != NULL)
		buf->data[0] = '\0';
}

void kt_buf_free(struct kt_buf *buf)
{
	if (buf == NULL)
		return;
	free(buf->data);
	buf->data = NULL;
	buf->size = buf->capacity = 0;
	buf->failed = false;
}

const char *kt_buf_text(const struct kt_buf *buf)
{
	return buf->data != NULL ? buf->data : "";
}

kt_status kt_buf_check(const struct kt_buf *buf, const char *what, struct kt_error *err)
{
	if (!buf->failed)
		return KT_OK;
	return kt_fail(err, KT_ERR_MEMORY, "%s: out of memory or larger than %zu bytes", what, buf->limit);
}
