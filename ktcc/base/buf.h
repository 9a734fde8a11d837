/*
 * A growing, always NUL-terminated byte buffer with a ceiling.
 *
 * Appending past the ceiling or out of memory sets `failed`, keeps what is
 * there and drops the rest; callers append freely and check once at the end
 * with kt_buf_check. `KT_BUF(limit)` initialises; data is NULL until the first
 * append, kt_buf_text never returns NULL.
 */
#ifndef KT_BASE_BUF_H
#define KT_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct kt_buf {
	char *data;
	size_t size;      /* bytes in use, without the terminating NUL */
	size_t capacity;
	size_t limit;     /* ceiling for size */
	bool failed;
};

#define KT_BUF(ceiling_bytes) {NULL, 0, 0, (ceiling_bytes), false}

/* Ceilings of common buffers. */
#define KT_LIMIT_SOURCE_BYTES ((size_t)64 << 20)  /* one source or emitted file */
#define KT_LIMIT_MESSAGE_BYTES ((size_t)64 << 20) /* one JSON line between programs */
#define KT_LIMIT_OUTPUT_BYTES ((size_t)4 << 20)   /* what is kept of a child's output */
#define KT_LIMIT_LINE_BYTES ((size_t)1 << 20)     /* one line, one path, one command */

void kt_buf_add(struct kt_buf *buf, const void *data, size_t size);
void kt_buf_adds(struct kt_buf *buf, const char *text);
void kt_buf_addc(struct kt_buf *buf, char c);
void kt_buf_addf(struct kt_buf *buf, const char *format, ...) KT_PRINTF(2, 3);
void kt_buf_vaddf(struct kt_buf *buf, const char *format, va_list arguments);
/* Appends text as a JSON string with its quotes. */
void kt_buf_addjson(struct kt_buf *buf, const char *text);
/* Appends size bytes of unknown content for the caller to fill; NULL, and failed, when out of memory. */
char *kt_buf_extend(struct kt_buf *buf, size_t size);
void kt_buf_clear(struct kt_buf *buf);
/* Frees the data and leaves an empty buffer with the same ceiling. Accepts NULL. */
void kt_buf_free(struct kt_buf *buf);
const char *kt_buf_text(const struct kt_buf *buf);
/* KT_ERR_MEMORY when an append was dropped. `what` names the buffer in the message. */
kt_status kt_buf_check(const struct kt_buf *buf, const char *what, struct kt_error *err) KT_MUST_CHECK;

#endif
