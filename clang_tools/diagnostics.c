#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const char *const severities[] = {[KT_ERROR] = "error", [KT_WARNING] = "warning", [KT_NOTE] = "note"};

static void add_caret(struct kt_buf *out, const char *line, uint32_t column, uint32_t length, uint32_t most)
{
	for (uint32_t i = 0; i + 1 < column; i++)
		kt_buf_addc(out, line[i] == '\t' ? '\t' : ' ');
	kt_buf_addc(out, '^');
	for (uint32_t i = 1; i < length && column + i <= most; i++)
		kt_buf_addc(out, '~');
	kt_buf_addc(out, '\n');
}

void kt_scan_diagnose(struct kt_scan *scan, size_t file, enum kt_severity severity, uint32_t offset, uint32_t length,
                      const char *message, const char *hint)
{
	const struct kt_text *text = kt_scan_text(scan, file);
	uint32_t line = 1, begin = 0;
	if (text == NULL)
		return;
	if (offset > text->size)
		offset = (uint32_t)text->size;
	for (uint32_t i = 0; i < offset; i++)
		if (text->data[i] == '\n') {
			line++;
			begin = i + 1;
		}
	const char *end = memchr(text->data + begin, '\n', text->size - begin);
	uint32_t width = end != NULL ? (uint32_t)(end - text->data) - begin : (uint32_t)text->size - begin;
	uint32_t column = offset - begin + 1, shown = column;
	if (file == 0)
		kt_scan_position(scan, offset, &line, &shown);
	kt_buf_addf(&scan->diagnostics, "%s:%u:%u: %s: %s\n",
	            file == 0 ? kt_scan_file(scan, offset) : scan->files[file].path, line, shown, severities[severity],
	            message);
	kt_buf_add(&scan->diagnostics, text->data + begin, width);
	kt_buf_addc(&scan->diagnostics, '\n');
	add_caret(&scan->diagnostics, text->data + begin, column, length, width);
	if (hint != NULL)
		kt_buf_addf(&scan->diagnostics, "hint: %s\n", hint);
	scan->has_errors = scan->has_errors || severity == KT_ERROR;
}

void kt_found_decline(struct kt_scan *scan, struct kt_found *found, const char *reason, const char *detail, ...)
{
	if (found->region.decline != NULL)
		return;
	found->region.decline = reason;
	if (detail == NULL)
		return;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	va_list arguments;
	va_start(arguments, detail);
	kt_buf_vaddf(&text, detail, arguments);
	va_end(arguments);
	found->region.decline_detail = kt_arena_strdup(scan->arena, kt_buf_text(&text));
	kt_buf_free(&text);
}
