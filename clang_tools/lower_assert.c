/* Calls that print, and assertions: texts are arguments, which values of the IR cannot be. */
#include <string.h>

#include "lower_internal.h"

/* A literal, and whether it is what `__func__` or `__PRETTY_FUNCTION__` means. */
struct literal {
	CXCursor cursor;
	bool is_name;
};

static bool is_array(CXCursor cursor)
{
	return kt_lower_canonical(cursor).kind == CXType_ConstantArray;
}

/* Through conversions and `__extension__`. */
static bool find_literal(struct kt_lower *l, CXCursor item, struct literal *out)
{
	*out = (struct literal){kt_lower_bare(l, item), false};
	while (kt_clang.getCursorKind(out->cursor) == CXCursor_UnexposedExpr ||
	       kt_clang.getCursorKind(out->cursor) == CXCursor_UnaryOperator) {
		const struct kt_lower_children c = kt_lower_children(l, out->cursor);
		const bool is_around = kt_clang.getCursorKind(out->cursor) == CXCursor_UnexposedExpr && is_array(out->cursor);

		if (c.count != 1)
			return false;
		out->cursor = kt_lower_bare(l, c.items[0]);
		out->is_name = is_around && kt_clang.getCursorKind(out->cursor) == CXCursor_StringLiteral;
	}
	return kt_clang.getCursorKind(out->cursor) == CXCursor_StringLiteral;
}

static void add_escaped(struct kt_buf *out, const char *text)
{
	for (; *text != '\0'; text++)
		kt_buf_addf(out, *text == '$' ? "$$" : "%c", *text);
}

bool kt_lower_is_text(struct kt_lower *l, CXCursor expression)
{
	struct literal literal;

	return find_literal(l, expression, &literal);
}

/* The literal's text; the names of functions are known to the front otherwise than to nvcc. */
static bool add_literal(struct kt_lower *l, struct kt_buf *out, const struct literal *literal)
{
	const char *text = kt_lower_spelling(l, literal->cursor), *name = kt_lower_spelling(l, l->body->cursor);
	const bool is_plain = strlen(text) == strlen(name) + 2 && strncmp(text + 1, name, strlen(name)) == 0;

	if (!literal->is_name || is_plain) {
		add_escaped(out, text);
		return true;
	}
	name = l->body->lambda == NULL ? kt_lower_nvcc_name(l, l->body->cursor) : NULL;
	if (name == NULL) {
		(void)kt_lower_cannot(l, "the name of a function as nvcc spells it");
		return false;
	}
	kt_buf_addc(out, '"');
	for (; *name != '\0'; name++)
		kt_buf_addf(out, *name == '$' ? "$$" : *name == '"' || *name == '\\' ? "\\%c" : "%c", *name);
	kt_buf_addc(out, '"');
	return true;
}

/* Is the literal the name of the file that is lowered? */
static bool names_file(struct kt_lower *l, const struct literal *literal)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool same = false;

	if (l->main_file != NULL && !literal->is_name) {
		kt_buf_addf(&name, "\"%s\"", kt_lower_text(l, kt_clang.getFileName(l->main_file)));
		same = strcmp(kt_buf_text(&name), kt_lower_spelling(l, literal->cursor)) == 0;
	}
	kt_buf_free(&name);
	return same;
}

/* `__FILE__, __LINE__`: where a variant is, they have to be those of the original. */
static bool add_place(struct kt_lower *l, struct kt_buf *out, const struct literal *literal, CXCursor next)
{
	const struct kt_ir_value *value;
	int64_t line;

	if (!names_file(l, literal))
		return false;
	value = kt_lower_constant(l, next);
	l->why = NULL;
	if (value == NULL || !kt_ir_is_constant(value, &line))
		return false;
	/* Of a call over several lines it is the first one for nvcc, and another one for clang. */
	if (kt_lower_line(l, next) < line)
		line = kt_lower_line(l, next);
	if (line <= 0)
		return false;
	kt_buf_addf(out, "$[%lld]", (long long)line);
	return true;
}

bool kt_lower_printed_arguments(struct kt_lower *l, struct kt_buf *out, const struct kt_lower_children *arguments,
				const struct kt_ir_value **values, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < arguments->count; i++) {
		struct literal literal;

		kt_buf_adds(out, i > 0 ? ", " : "");
		if (!find_literal(l, arguments->items[i], &literal)) {
			values[*count] = kt_lower_value(l, arguments->items[i]);
			if (values[*count] == NULL)
				return false;
			kt_buf_addf(out, "$%zu", (*count)++);
		} else if (i + 1 < arguments->count && add_place(l, out, &literal, arguments->items[i + 1])) {
			i++;
		} else if (!add_literal(l, out, &literal)) {
			return false;
		}
	}
	return true;
}
