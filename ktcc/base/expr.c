/* Expressions: the operator table, the parser, and walking the names. */
#include "base/expr_tree.h"

#include <ctype.h>
#include <string.h>

static const struct kt_op_row rows[KT_OP_COUNT] = {
#define KT_OP_ROW(id, form, spelling, precedence, least, most, helper) \
	[KT_OP_##id] = {KT_FORM_##form, spelling, precedence, least, most, helper},
    KT_OPS(KT_OP_ROW)
#undef KT_OP_ROW
};

const struct kt_op_row *kt_op_row(enum kt_op op)
{
	return &rows[op];
}

enum kt_op kt_op_function(const char *name, size_t length)
{
	for (int op = 0; op < KT_OP_COUNT; op++) {
		if (rows[op].form == KT_FORM_CALL && strlen(rows[op].spelling) == length &&
		    memcmp(rows[op].spelling, name, length) == 0)
			return (enum kt_op)op;
	}
	return KT_OP_COUNT;
}

bool kt_expr_is_word(const char *name, size_t length)
{
	static const char *const words[] = {"true", "false", "device"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0)
			return true;
	return kt_op_function(name, length) != KT_OP_COUNT;
}

struct parser {
	struct kt_arena *arena;
	const char *text;
	size_t at, end;
	unsigned depth;
	struct kt_error *err;
};

static kt_status parse_choice(struct kt_expr **out, struct parser *p);

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

bool kt_is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->end && isspace((unsigned char)p->text[p->at]))
		p->at++;
}

static bool next_is(struct parser *p, char c)
{
	skip_blanks(p);
	return p->at < p->end && p->text[p->at] == c;
}

static kt_status syntax(struct parser *p, size_t at, const char *expected)
{
	if (at >= p->end)
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)p->end, "expected %s, found the end", expected);
	const unsigned char c = (unsigned char)p->text[at];
	if (c == '=')
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)at,
		                  "expected %s, found '='; equality is spelled '=='", expected);
	if (!isprint(c))
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)at, "expected %s, found byte 0x%02x", expected, c);
	size_t length = 1;
	if (kt_is_name_part((char)c)) {
		while (at + length < p->end && length < 40 && kt_is_name_part(p->text[at + length]))
			length++;
	}
	return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)at, "expected %s, found '%.*s'", expected, (int)length,
	                  p->text + at);
}

static kt_status too_deep(struct parser *p, size_t at)
{
	return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)at, "expression is nested deeper than %d levels",
	                  KT_EXPR_DEPTH);
}

static kt_status make(struct kt_expr **out, struct parser *p, enum kt_op op, size_t offset, struct kt_expr **operands,
                      unsigned count)
{
	unsigned depth = 0;
	for (unsigned i = 0; i < count; i++) {
		if (operands[i]->depth > depth)
			depth = operands[i]->depth;
	}
	/* A chain such as 1+1+… nests to the left without recursion here, but walking the tree recurses. */
	if (depth >= KT_EXPR_DEPTH)
		return too_deep(p, offset);
	struct kt_expr *node = kt_arena_alloc(p->arena, sizeof *node);
	if (node != NULL && count > 0) {
		node->operands = kt_arena_array(p->arena, count, sizeof(struct kt_expr *));
		if (node->operands != NULL)
			memcpy(node->operands, operands, count * sizeof(struct kt_expr *));
	}
	if (node == NULL || (count > 0 && node->operands == NULL))
		return kt_fail(p->err, KT_ERR_MEMORY, "out of memory for an expression");
	node->op = op;
	node->offset = (unsigned)offset;
	node->depth = depth + 1;
	node->count = count;
	*out = node;
	return KT_OK;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* 0x…, 0b…, 0… (octal) and decimal, as in C. */
static int number_base(struct parser *p)
{
	const char *s = p->text + p->at;
	const size_t left = p->end - p->at;
	if (left < 2 || s[0] != '0')
		return 10;
	const int base = s[1] == 'x' || s[1] == 'X' ? 16 : s[1] == 'b' || s[1] == 'B' ? 2 : 8;
	p->at += base == 8 ? 0 : 2;
	return base;
}

/* u, l, ll in any order and case: every value here is 64 bits and signed. */
static bool skip_suffix(struct parser *p)
{
	size_t length = 0;
	unsigned u = 0, l = 0;
	for (; p->at + length < p->end && kt_is_name_part(p->text[p->at + length]); length++) {
		const char c = p->text[p->at + length];
		if (c == 'u' || c == 'U')
			u++;
		else if (c == 'l' || c == 'L')
			l++;
		else
			return false;
	}
	p->at += length;
	return u <= 1 && l <= 2;
}

static kt_status parse_number(struct kt_expr **out, struct parser *p)
{
	const size_t start = p->at;
	const int base = number_base(p);
	const size_t digits = p->at;
	int64_t value = 0;
	bool overflow = false;
	for (; p->at < p->end; p->at++) {
		const int digit = digit_value(p->text[p->at]);
		if (digit >= base)
			break;
		overflow = overflow || __builtin_mul_overflow(value, base, &value) ||
		           __builtin_add_overflow(value, digit, &value);
	}
	if (p->at == digits || !skip_suffix(p))
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "not an integer");
	if (p->at < p->end && p->text[p->at] == '.')
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "not an integer: expressions have no fractions");
	if (overflow)
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "integer does not fit 64 bits");
	const kt_status status = make(out, p, KT_OP_NUMBER, start, NULL, 0);
	if (status == KT_OK)
		(*out)->number = value;
	return status;
}

/* An identifier, or identifiers joined by dots: its length from at on. */
static size_t name_length(const struct parser *p, size_t at)
{
	size_t i = at;
	for (;;) {
		while (i < p->end && kt_is_name_part(p->text[i]))
			i++;
		if (i + 1 >= p->end || p->text[i] != '.' || !is_name_start(p->text[i + 1]))
			return i - at;
		i++;
	}
}

static kt_status make_name(struct kt_expr **out, struct parser *p, enum kt_op op, size_t at, size_t length)
{
	const char *name;
	NEED(name = kt_arena_strndup(p->arena, p->text + at, length),
	     kt_fail(p->err, KT_ERR_MEMORY, "out of memory for an expression"));
	const kt_status status = make(out, p, op, at, NULL, 0);
	if (status == KT_OK)
		(*out)->name = name;
	return status;
}

/* "arg(min)": an argument whose name may be a word of the language. Moves nothing where no such thing is there. */
static bool at_named(const struct parser *p, size_t *begin, size_t *length, size_t *end)
{
	struct parser inner = *p;
	if (name_length(p, p->at) != 3 || memcmp(p->text + p->at, "arg", 3) != 0)
		return false;
	inner.at += 3;
	if (!next_is(&inner, '('))
		return false;
	inner.at++;
	skip_blanks(&inner);
	*begin = inner.at;
	*length = inner.at < inner.end && is_name_start(inner.text[inner.at]) ? name_length(&inner, inner.at) : 0;
	inner.at += *length;
	if (*length == 0 || !next_is(&inner, ')'))
		return false;
	*end = inner.at + 1;
	return true;
}

/* Which arguments of a call are pointers. */
static bool takes_pointer(enum kt_op op, unsigned index)
{
	return (op == KT_OP_ALIGNED && index == 0) || (op == KT_OP_DISJOINT && (index == 0 || index == 2));
}

static kt_status parse_argument(struct kt_expr **out, struct parser *p, enum kt_op op, unsigned index)
{
	if (!takes_pointer(op, index))
		return parse_choice(out, p);
	skip_blanks(p);
	if (p->at >= p->end || !is_name_start(p->text[p->at]))
		return syntax(p, p->at, "the name of a pointer");
	size_t at = p->at, length = name_length(p, at), end = at + length;
	(void)at_named(p, &at, &length, &end);
	p->at = end;
	skip_blanks(p);
	if (p->at < p->end && p->text[p->at] != ',' && p->text[p->at] != ')')
		return syntax(p, p->at, "',' after the name of a pointer");
	return make_name(out, p, KT_OP_POINTER, at, length);
}

static kt_status parse_call(struct kt_expr **out, struct parser *p, enum kt_op op, size_t start)
{
	struct kt_expr *operands[KT_EXPR_ARGUMENTS];
	const struct kt_op_row *row = &rows[op];
	unsigned count = 0;
	p->at++; /* ( */
	if (!next_is(p, ')')) {
		do {
			if (count == row->most)
				return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)p->at,
				                  "too many arguments: %s takes at most %u", row->spelling, row->most);
			TRY(parse_argument(&operands[count], p, op, count));
			count++;
		} while (next_is(p, ',') && ++p->at);
	}
	if (!next_is(p, ')'))
		return syntax(p, p->at, "')' or ','");
	p->at++;
	if (count < row->least)
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "too few arguments: %s takes %s%u", row->spelling,
		                  row->most > row->least ? "at least " : "", row->least);
	return make(out, p, op, start, operands, count);
}

static kt_status parse_name(struct kt_expr **out, struct parser *p)
{
	const size_t start = p->at;
	size_t named = 0, named_length = 0;
	if (at_named(p, &named, &named_length, &p->at))
		return make_name(out, p, KT_OP_NAME, named, named_length);
	const size_t length = name_length(p, start);
	const enum kt_op function = kt_op_function(p->text + start, length);
	const char *name = p->text + start;
	p->at += length;
	if (next_is(p, '(')) {
		if (function == KT_OP_COUNT)
			return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "unknown function '%.*s'",
			                  length > 80 ? 80 : (int)length, name);
		return parse_call(out, p, function, start);
	}
	if (function != KT_OP_COUNT)
		return kt_fail_at(p->err, KT_ERR_SYNTAX, (unsigned)start, "function %s needs its arguments; an argument of this name is arg(%s)",
		                  rows[function].spelling, rows[function].spelling);
	const bool is_true = length == 4 && memcmp(name, "true", 4) == 0;
	if (is_true || (length == 5 && memcmp(name, "false", 5) == 0)) {
		const kt_status status = make(out, p, KT_OP_NUMBER, start, NULL, 0);
		if (status == KT_OK)
			(*out)->number = is_true;
		return status;
	}
	return make_name(out, p, KT_OP_NAME, start, length);
}

static kt_status parse_group(struct kt_expr **out, struct parser *p)
{
	p->at++;
	TRY(parse_choice(out, p));
	if (!next_is(p, ')'))
		return syntax(p, p->at, "')' or an operator");
	p->at++;
	return KT_OK;
}

static kt_status parse_operand(struct kt_expr **out, struct parser *p);

static kt_status parse_prefix(struct kt_expr **out, struct parser *p)
{
	const size_t start = p->at++;
	const char c = p->text[start];
	if (p->depth >= KT_EXPR_DEPTH)
		return too_deep(p, start);
	p->depth++;
	struct kt_expr *operand = NULL;
	const kt_status status = parse_operand(&operand, p);
	p->depth--;
	if (status != KT_OK)
		return status;
	if (c == '+') {
		*out = operand;
		return KT_OK;
	}
	const enum kt_op op = c == '-' ? KT_OP_NEGATE : c == '!' ? KT_OP_NOT : KT_OP_COMPLEMENT;
	return make(out, p, op, start, &operand, 1);
}

static kt_status parse_operand(struct kt_expr **out, struct parser *p)
{
	skip_blanks(p);
	if (p->at >= p->end)
		return syntax(p, p->at, "an operand");
	const char c = p->text[p->at];
	if (is_name_start(c))
		return parse_name(out, p);
	if (isdigit((unsigned char)c))
		return parse_number(out, p);
	if (c == '(')
		return parse_group(out, p);
	if (c == '-' || c == '+' || c == '!' || c == '~')
		return parse_prefix(out, p);
	return syntax(p, p->at, "an operand");
}

/* The longest binary operator at the cursor, or KT_OP_COUNT. */
static enum kt_op peek_operator(struct parser *p)
{
	enum kt_op found = KT_OP_COUNT;
	size_t longest = 0;
	skip_blanks(p);
	for (int op = 0; op < KT_OP_COUNT; op++) {
		const size_t length = strlen(rows[op].spelling);
		if (rows[op].form == KT_FORM_BINARY && length > longest && length <= p->end - p->at &&
		    memcmp(p->text + p->at, rows[op].spelling, length) == 0) {
			longest = length;
			found = (enum kt_op)op;
		}
	}
	return found;
}

static kt_status parse_binary(struct kt_expr **out, struct parser *p, int precedence)
{
	struct kt_expr *pair[2] = {NULL, NULL};
	kt_status status = parse_operand(&pair[0], p);
	while (status == KT_OK) {
		const enum kt_op op = peek_operator(p);
		const size_t offset = p->at;
		if (op == KT_OP_COUNT || rows[op].precedence < precedence)
			break;
		p->at += strlen(rows[op].spelling);
		status = parse_binary(&pair[1], p, rows[op].precedence + 1);
		THEN(status, make(&pair[0], p, op, offset, pair, 2));
	}
	if (status == KT_OK)
		*out = pair[0];
	return status;
}

static kt_status parse_choice(struct kt_expr **out, struct parser *p)
{
	struct kt_expr *operands[3] = {NULL, NULL, NULL};
	if (p->depth >= KT_EXPR_DEPTH)
		return too_deep(p, p->at);
	p->depth++;
	TRY(parse_binary(&operands[0], p, KT_PRECEDENCE_OR));
	if (next_is(p, '?')) {
		const size_t offset = p->at++;
		TRY(parse_choice(&operands[1], p));
		if (!next_is(p, ':'))
			return syntax(p, p->at, "':'");
		p->at++;
		TRY(parse_choice(&operands[2], p));
		TRY(make(out, p, KT_OP_CHOOSE, offset, operands, 3));
	} else {
		*out = operands[0];
	}
	p->depth--;
	return KT_OK;
}

kt_status kt_expr_parse(struct kt_expr **out, struct kt_arena *arena, const char *text, size_t length,
                        struct kt_error *err)
{
	struct parser p = {arena, text, 0, length, 0, err};
	struct kt_expr *expr = NULL;
	if (length > KT_LIMIT_LINE_BYTES)
		return kt_fail_at(err, KT_ERR_SYNTAX, 0, "expression is longer than %zu bytes", KT_LIMIT_LINE_BYTES);
	TRY(parse_choice(&expr, &p));
	skip_blanks(&p);
	if (p.at < p.end)
		return syntax(&p, p.at, "an operator");
	*out = expr;
	return KT_OK;
}

bool kt_expr_names(const struct kt_expr *expr, kt_expr_visit visit, void *context)
{
	if (expr->name != NULL)
		return visit(expr->name, expr->offset, expr->op == KT_OP_POINTER, context);
	for (unsigned i = 0; i < expr->count; i++) {
		if (!kt_expr_names(expr->operands[i], visit, context))
			return false;
	}
	return true;
}

struct wanted {
	const char *name;
};

static bool differs(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct wanted *wanted = context;
	(void)offset;
	(void)pointer;
	return strcmp(name, wanted->name) != 0;
}

bool kt_expr_uses(const struct kt_expr *expr, const char *name)
{
	struct wanted wanted = {name};
	return !kt_expr_names(expr, differs, &wanted);
}

static void factors(const struct kt_expr *expr, void (*visit)(int64_t number, void *context), void *context)
{
	if (expr->op == KT_OP_NUMBER)
		visit(expr->number, context);
	for (unsigned i = 0; expr->op == KT_OP_MULTIPLY && i < expr->count; i++)
		factors(expr->operands[i], visit, context);
}

void kt_expr_divisors(const struct kt_expr *expr, void (*visit)(int64_t number, void *context), void *context)
{
	if (expr->op == KT_OP_DIVIDE || expr->op == KT_OP_REMAINDER || expr->op == KT_OP_CEIL_DIV)
		factors(expr->operands[1], visit, context);
	for (unsigned i = 0; i < expr->count; i++)
		kt_expr_divisors(expr->operands[i], visit, context);
}

static bool no_name(const char *name, unsigned offset, bool pointer, void *context)
{
	(void)name;
	(void)offset;
	(void)pointer;
	(void)context;
	return false;
}

bool kt_expr_is_constant(const struct kt_expr *expr)
{
	return kt_expr_names(expr, no_name, NULL);
}
