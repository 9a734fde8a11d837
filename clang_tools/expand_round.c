/*
 * Quotients of floating-point numbers that the host rounds: `ceil(n / 256.0)` is ceil_div(n, 256). Where the host gets
 * another number, since a float has 24 bits, the launch has another geometry than the expression and runs the original. So does
 * what is computed with a logarithm to base 2 before it becomes an integer.
 */
#include <string.h>

#include "expand_internal.h"

/* A name that a typedef of the unit gives to float or double. */
static bool is_floating_alias(const struct kt_frame *f, size_t i)
{
	const struct kt_scan *scan = f->x->scan;
	const struct kt_token *token = &f->tokens.tokens[i];
	const size_t item = i < f->tokens.count && token->kind == KT_TOKEN_NAME
				? kt_index_find(scan->item_index, f->tokens.data + token->begin, token->end - token->begin, 0)
				: SIZE_MAX;

	if (item == SIZE_MAX ||
	    (scan->items[item].kind != CXCursor_TypedefDecl && scan->items[item].kind != CXCursor_TypeAliasDecl))
		return false;
	const enum CXTypeKind kind = kt_clang.getCanonicalType(kt_clang.getCursorType(scan->items[item].cursor)).kind;
	return kind == CXType_Float || kind == CXType_Double;
}

static bool is_floating_type(const struct kt_frame *f, size_t i)
{
	return kt_token_is(&f->tokens, i, "float") || kt_token_is(&f->tokens, i, "double") || is_floating_alias(f, i);
}

/* The tokens of a cast to a floating-point type that begins at i, without the brackets of its operand; 0: none does. */
static size_t cast_length(const struct kt_frame *f, size_t i)
{
	if (kt_token_is(&f->tokens, i, "(") && is_floating_type(f, i + 1) && kt_token_is(&f->tokens, i + 2, ")"))
		return 3;
	if (kt_token_is(&f->tokens, i, "static_cast") && is_floating_type(f, i + 2) &&
	    kt_token_is(&f->tokens, i + 3, ">"))
		return 4;
	return is_floating_type(f, i) && kt_token_is(&f->tokens, i + 1, "(") ? 1 : 0;
}

/* The number that token i is, or that a macro of this name stands for; NULL: neither. */
static const char *number_at(const struct kt_frame *f, size_t i)
{
	const char *text = kt_frame_copy(f, i, i + 1);
	const struct kt_macro *macro;
	struct kt_text body;
	struct kt_error ignored;

	if (text == NULL || f->tokens.tokens[i].kind == KT_TOKEN_NUMBER)
		return text;
	macro = f->tokens.tokens[i].kind == KT_TOKEN_NAME ? kt_scan_macro(f->x->scan, text) : NULL;
	if (macro == NULL || macro->is_function ||
	    kt_lex(&body, f->x->scan->arena, macro->body, 0, strlen(macro->body), false, &ignored) != KT_OK ||
	    body.count != 1 || body.tokens[0].kind != KT_TOKEN_NUMBER)
		return NULL;
	return kt_arena_strndup(f->x->scan->arena, macro->body + body.tokens[0].begin,
	                        body.tokens[0].end - body.tokens[0].begin);
}

/* "256.0f" → "256"; NULL: it is an integer, a fraction or no number, and *floating tells which. */
static const char *whole(const struct kt_frame *f, size_t i, bool *floating)
{
	const char *text = number_at(f, i);
	const size_t digits = text != NULL ? strspn(text, "0123456789") : 0;
	const size_t zeros = digits > 0 && text[digits] == '.' ? 1 + strspn(text + digits + 1, "0") : 0;

	*floating =
	    text != NULL && text[strspn(text, "xX0123456789abcdABCDuUlL'")] != '\0' && text[1] != 'x' && text[1] != 'X';
	if (!*floating || digits == 0 || text[digits + zeros + strspn(text + digits + zeros, "fF")] != '\0')
		return NULL;
	return kt_arena_strndup(f->x->scan->arena, text, digits);
}

const char *kt_frame_whole(const struct kt_frame *f)
{
	bool floating = false;

	return f->tokens.count == 1 ? whole(f, 0, &floating) : NULL;
}

/*
 * The tokens as an expression of integers. NULL: fractions, or a quotient of floating-point numbers. *floating: set
 * where one of the operands is floating-point.
 */
static const char *as_integers(const struct kt_frame *f, size_t first, size_t end, bool *floating)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool here = false, divides = false, done = true;
	const char *copy = NULL;

	for (size_t i = first; i < end && done; i++) {
		const size_t cast = cast_length(f, i);
		bool fraction = false;
		const char *number = whole(f, i, &fraction);

		here = here || cast > 0 || fraction;
		divides = divides || kt_token_is(&f->tokens, i, "/") || kt_token_is(&f->tokens, i, "%");
		done = !fraction || number != NULL;
		if (cast > 0)
			i += cast - 1;
		else
			kt_buf_addf(&out, "%s ", number != NULL ? number : kt_frame_copy(f, i, i + 1));
	}
	if (done && !out.failed && !(here && divides))
		copy = kt_arena_strdup(f->x->scan->arena, kt_buf_text(&out));
	kt_buf_free(&out);
	*floating = *floating || here;
	return copy;
}

/* The last "/" of a product of quotients; end: the tokens are something else. */
static size_t last_quotient(const struct kt_frame *f, size_t first, size_t end)
{
	static const char *const operators[] = {"*", ".", "->", "::"};
	size_t last = end;

	for (size_t i = first; i < end; i++) {
		const size_t cast = cast_length(f, i);
		bool known = f->tokens.tokens[i].kind != KT_TOKEN_MARK || cast > 0;

		for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++)
			known = known || kt_token_is(&f->tokens, i, operators[k]);
		if (kt_token_is(&f->tokens, i, "/"))
			last = i;
		else if (cast == 0 && kt_token_is(&f->tokens, i, "("))
			i = kt_token_match(&f->tokens, i);
		else if (!known)
			return end;
		i += cast > 0 ? cast - 1 : 0;
	}
	return last;
}

/* `(int)log2(n)`: how many of 2, 4, 8, … the number reaches. */
static bool write_log2(struct kt_frame *f, size_t first, size_t end)
{
	struct kt_buf operand = KT_BUF(KT_LIMIT_LINE_BYTES);
	bool floating = false;
	const char *integers = as_integers(f, first, end, &floating);
	const bool done = integers != NULL && kt_expand(&operand, f->x, integers, f->depth + 1);

	for (unsigned bit = 1; done && bit < 31; bit++)
		kt_buf_addf(f->out, "%s((%s) >= %u)", bit == 1 ? "(" : " + ", kt_buf_text(&operand), 1u << bit);
	kt_buf_addc(f->out, ')');
	kt_buf_free(&operand);
	return done;
}

bool kt_frame_round(struct kt_frame *f, size_t *i, size_t open, const char *name)
{
	const bool up = strcmp(name, "ceil") == 0 || strcmp(name, "ceilf") == 0;
	const size_t close = kt_token_match(&f->tokens, open);
	size_t first = open + 1, end = close, slash;
	bool floating = false;

	if (close < f->tokens.count && (strcmp(name, "log2") == 0 || strcmp(name, "log2f") == 0)) {
		*i = close;
		return write_log2(f, first, end);
	}
	if (close >= f->tokens.count || (!up && strcmp(name, "floor") != 0 && strcmp(name, "floorf") != 0))
		return false;
	while (first < end && cast_length(f, first) == 0 && kt_token_is(&f->tokens, first, "(") &&
	       kt_token_match(&f->tokens, first) == end - 1) {
		first++;
		end--;
	}
	slash = last_quotient(f, first, end);
	const char *dividend = slash < end ? as_integers(f, first, slash, &floating) : NULL;
	const char *divisor = dividend != NULL ? as_integers(f, slash + 1, end, &floating) : NULL;
	if (divisor == NULL || !floating)
		return false;
	*i = close;
	kt_buf_adds(f->out, up ? "ceil_div(" : "((");
	bool done = kt_expand(f->out, f->x, dividend, f->depth + 1);
	kt_buf_adds(f->out, up ? ", " : ") / (");
	done = done && kt_expand(f->out, f->x, divisor, f->depth + 1);
	kt_buf_adds(f->out, up ? ")" : "))");
	return done;
}
