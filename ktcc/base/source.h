/*
 * The user's text: the places of lines, `#pragma ktune` directives and template
 * headers, and how ranges of it are replaced without moving a line.
 */
#ifndef KT_BASE_SOURCE_H
#define KT_BASE_SOURCE_H

#include "base/buf.h"
#include "base/region.h"

/*
 * The next `#pragma ktune` directive that starts at or after *position, from
 * "#" to the end of its last line (continuations included, newline not).
 * Comments, strings and raw strings are seen. *position, 0 at first, moves to
 * where the search goes on. False: no more.
 */
bool kt_source_pragma(struct kt_range *out, const char *source, size_t size, size_t *position);

/* A directive that numbers the next line: `#line 7 "grammar.y"`, `# 7 "grammar.y"`, `#line 7`. */
struct kt_line_mark {
	size_t end;           /* the end of its last line, newline not included */
	uint32_t line;        /* the number of the next line */
	struct kt_range file; /* between the quotes; empty: the file keeps its name */
};
/* The next one that starts at or after *position, found as kt_source_pragma finds its directives. */
bool kt_source_line_mark(struct kt_line_mark *out, const char *source, size_t size, size_t *position);
/* Appends one newline for each newline in text, nothing else. */
void kt_source_newlines(struct kt_buf *out, const char *text, size_t size);
/* The 1-based line of the byte at offset. */
uint32_t kt_source_line(const char *source, size_t size, size_t offset);
/* Length of the "template <…>" headers at the start, with `requires` clauses and the blanks after each; 0: none. */
size_t kt_source_template_header(const char *text, size_t size);
/* Length of the clause `requires …` at the start that constrains a template, with the blanks after it; 0: none. */
size_t kt_source_requires(const char *text, size_t size);
/* Appends `#line LINE "FILE"` and a newline, on a separate line if *out ends with one. */
void kt_source_line_directive(struct kt_buf *out, uint32_t line, const char *file);
/* Appends text as a C string literal with its quotes. */
void kt_source_string(struct kt_buf *out, const char *text);

/* One replacement of [begin, end) by text; begin == end inserts. */
struct kt_splice {
	size_t begin, end;
	const char *text;
	bool newlines; /* the newlines of the replaced text follow, so that later lines keep their number */
};
/*
 * Appends source with the splices done. They are sorted here (those at the same
 * place stay in order, insertions in front of a replacement). KT_ERR_INVALID when one leaves the text or two overlap.
 */
kt_status kt_source_splice(struct kt_buf *out, const char *source, size_t size, struct kt_splice *splices,
                           size_t count, struct kt_error *err) KT_MUST_CHECK;

#endif
