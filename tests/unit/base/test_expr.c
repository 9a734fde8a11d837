/* The expression language: what parses, what it is worth, and how it prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expr.h"

static struct kt_arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena == NULL;
}

static int tear_down(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static bool lookup(int64_t *value, const char *name, void *context)
{
	static const struct {
		const char *name;
		int64_t value;
	} names[] = {{"a", 7},    {"b", -3}, {"zero", 0}, {"device.warp_size", 32}, {"least", INT64_MIN},
	             {"most", INT64_MAX}, {"x_1", 11}};
	assert_null(context);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp(names[i].name, name) == 0) {
			*value = names[i].value;
			return true;
		}
	}
	return false;
}

static struct kt_expr *parse(const char *text)
{
	struct kt_error err = {0};
	struct kt_expr *expr = NULL;
	if (kt_expr_parse(&expr, arena, text, strlen(text), &err) != KT_OK)
		fail_msg("'%s': %s at %u", text, err.message, err.offset);
	return expr;
}

static void check_value(const char *text, int64_t expected)
{
	struct kt_error err = {0};
	int64_t value = 0x5a5a;
	if (kt_expr_eval(&value, parse(text), lookup, NULL, &err) != KT_OK)
		fail_msg("'%s': %s", text, err.message);
	if (value != expected)
		fail_msg("'%s' is %lld, not %lld", text, (long long)value, (long long)expected);
}

static void check_fails(const char *text, kt_status code, unsigned offset, const char *message)
{
	struct kt_error err = {0};
	int64_t value = 42;
	assert_int_equal(kt_expr_eval(&value, parse(text), lookup, NULL, &err), code);
	assert_int_equal(value, 42);
	assert_int_equal(err.code, code);
	assert_int_equal(err.offset, offset);
	assert_string_equal(err.message, message);
}

static void check_syntax(const char *text, unsigned offset, const char *message)
{
	struct kt_error err = {0};
	struct kt_expr *expr = NULL;
	if (kt_expr_parse(&expr, arena, text, strlen(text), &err) != KT_ERR_SYNTAX)
		fail_msg("'%s' is no syntax error", text);
	assert_null(expr);
	assert_string_equal(err.message, message);
	assert_int_equal(err.offset, offset);
}

static void operators(void **state)
{
	(void)state;
	check_value("1 + 2 * 3", 7);
	check_value("(1 + 2) * 3", 9);
	check_value("10 - 4 - 3", 3);
	check_value("100 / 7 / 2", 7);
	check_value("-7 / 2", -3);
	check_value("-7 % 3", -1);
	check_value("7 / -2", -3);
	check_value("1 << 4 + 1", 32);
	check_value("-5 >> 1", -3);
	check_value("-1 << 63", INT64_MIN);
	check_value("6 & 3 | 8 ^ 1", 2 | 9);
	check_value("~0", -1);
	check_value("!5 + !0", 1);
	check_value("- - 5", 5);
	check_value("+-+5", -5);
	check_value("1 < 2", 1);
	check_value("2 <= 1", 0);
	check_value("2 > 1 == 1", 1);
	check_value("2 >= 3", 0);
	check_value("1 != 1", 0);
	check_value("a == 7 && b == -3", 1);
	check_value("0 || 9", 1);
	check_value("5 && 0", 0);
	check_value("1 ? 2 : 3", 2);
	check_value("0 ? 1 : 0 ? 2 : 3", 3);
	check_value("1 ? 0 ? 4 : 5 : 6", 5);
	check_value("a<b?a:b", -3);
	check_value("  x_1\t*\n2 ", 22);
	check_value("device.warp_size * 4", 128);
	check_value("true + true + false", 2);
}

static void literals(void **state)
{
	(void)state;
	check_value("0", 0);
	check_value("010", 8);
	check_value("0x7fffffffffffffff", INT64_MAX);
	check_value("0XfF", 255);
	check_value("0b1010", 10);
	check_value("9223372036854775807", INT64_MAX);
	check_value("-9223372036854775807 - 1", INT64_MIN);
	check_value("256ull", 256);
	check_value("3LU", 3);
	check_syntax("9223372036854775808", 0, "integer does not fit 64 bits");
	check_syntax("99999999999999999999999999999999", 0, "integer does not fit 64 bits");
	check_syntax("08", 0, "not an integer");
	check_syntax("0x", 0, "not an integer");
	check_syntax("0b2", 0, "not an integer");
	check_syntax("12abc", 0, "not an integer");
	check_syntax("1uu", 0, "not an integer");
	check_syntax("2 + 1.5", 4, "not an integer: expressions have no fractions");
}

static void functions(void **state)
{
	(void)state;
	check_value("min(3, 1, 2)", 1);
	check_value("max(3, 1, a, 2)", 7);
	check_value("ceil_div(7, 2)", 4);
	check_value("ceil_div(8, 2)", 4);
	check_value("ceil_div(-7, 2)", -3);
	check_value("ceil_div(7, -2)", -3);
	check_value("ceil_div(-7, -2)", 4);
	check_value("ceil_div(0, 5)", 0);
	check_value("is_pow2(64)", 1);
	check_value("is_pow2(0) + is_pow2(-8) + is_pow2(6) + is_pow2(least)", 0);
	check_value("is_pow2(1)", 1);
	check_value("aligned(p, 16) && disjoint(p, unknown, q, 4)", 1);
	check_syntax("min(1)", 0, "too few arguments: min takes at least 2");
	check_syntax("min()", 0, "too few arguments: min takes at least 2");
	check_syntax("ceil_div(1, 2, 3)", 14, "too many arguments: ceil_div takes at most 2");
	check_syntax("is_pow2(1", 9, "expected ')' or ',', found the end");
	check_syntax("a + pow(2, 3)", 4, "unknown function 'pow'");
	check_syntax("min + 1", 0, "function min needs its arguments; an argument of this name is arg(min)");
	check_syntax("arg(1)", 0, "unknown function 'arg'");
	check_syntax("aligned(p + 1, 16)", 10, "expected ',' after the name of a pointer, found '+'");
	check_syntax("aligned(16, p)", 8, "expected the name of a pointer, found '16'");
	check_syntax("disjoint(p, 1, q)", 0, "too few arguments: disjoint takes 4");
}

static void syntax_errors(void **state)
{
	(void)state;
	check_syntax("", 0, "expected an operand, found the end");
	check_syntax("   ", 3, "expected an operand, found the end");
	check_syntax("1 +", 3, "expected an operand, found the end");
	check_syntax("1 + * 2", 4, "expected an operand, found '*'");
	check_syntax("(1 + 2", 6, "expected ')' or an operator, found the end");
	check_syntax("1 + 2)", 5, "expected an operator, found ')'");
	check_syntax("a b", 2, "expected an operator, found 'b'");
	check_syntax("a = 1", 2, "expected an operator, found '='; equality is spelled '=='");
	check_syntax("a ? 1", 5, "expected ':', found the end");
	check_syntax("a ? : 2", 4, "expected an operand, found ':'");
	check_syntax("a, b", 1, "expected an operator, found ','");
	check_syntax("\"x\"", 0, "expected an operand, found '\"'");
	check_syntax("a\x01", 1, "expected an operator, found byte 0x01");
	check_syntax("a.", 1, "expected an operator, found '.'");
	check_syntax("a..b", 1, "expected an operator, found '.'");
	check_syntax("a[1]", 1, "expected an operator, found '['");
	check_syntax("a <<= 1", 4, "expected an operand, found '='; equality is spelled '=='");
}

static void text_ends_at_length(void **state)
{
	struct kt_error err = {0};
	struct kt_expr *expr = NULL;
	int64_t value = 0;
	(void)state;
	assert_int_equal(kt_expr_parse(&expr, arena, "123 + 456", 3, &err), KT_OK);
	assert_int_equal(kt_expr_eval(&value, expr, NULL, NULL, &err), KT_OK);
	assert_int_equal(value, 123);
	assert_int_equal(kt_expr_parse(&expr, arena, "1\0002", 3, &err), KT_ERR_SYNTAX);
	assert_int_equal(err.offset, 1);
}

static bool point(uint64_t *address, int64_t *element_bytes, const char *name, void *context)
{
	(void)context;
	*element_bytes = name[0] == 'h' ? 2 : 4;
	*address = name[0] == 'h' ? 1024 + 2 : name[0] == 'a' ? 4096 : 4096 + 64;
	return strcmp(name, "nowhere") != 0;
}

/* As the functions of <ktune/ktune.h> have it, for one element off, touching and overlapping pointers. */
static void addresses_decide(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} rows[] = {
	    {"aligned(h, 2)", 1},           {"aligned(h, 4)", 0},           {"aligned(a, 16)", 1},
	    {"aligned(a, 0)", 0},           {"aligned(a, -1)", 0},          {"disjoint(a, 16, b, 16)", 1},
	    {"disjoint(a, 17, b, 16)", 0},  {"disjoint(b, 16, a, 17)", 0},  {"disjoint(a, 16, a, 16)", 0},
	    {"disjoint(a, 17, b, 0)", 1},   {"disjoint(a, -1, b, 1)", 0},   {"disjoint(a, 1 << 62, b, 1)", 0},
	};
	struct kt_error err = {0};
	int64_t value = 42;
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (kt_expr_eval_at(&value, parse(rows[i].text), NULL, point, NULL, &err) != KT_OK)
			fail_msg("'%s': %s", rows[i].text, err.message);
		if (value != rows[i].value)
			fail_msg("'%s' is %lld", rows[i].text, (long long)value);
	}
	assert_int_equal(kt_expr_eval_at(&value, parse("aligned(nowhere, 2)"), NULL, point, NULL, &err), KT_ERR_MISSING);
	assert_int_equal(err.offset, 8);
	/* Whoever tunes has aligned, disjoint buffers. */
	assert_int_equal(kt_expr_eval(&value, parse("aligned(h, 4) && disjoint(a, 9, a, 9)"), NULL, NULL, &err), KT_OK);
	assert_int_equal(value, 1);
}

static bool known(int64_t *value, const char *name, void *context)
{
	(void)context;
	*value = name[0] == 'K' ? 4 : name[0] == 'Z' ? 0 : 1;
	return name[0] == 'K' || name[0] == 'Z' || name[0] == 'O';
}

static const struct kt_expr *folded(const char *text)
{
	const struct kt_expr *out = kt_expr_fold(arena, parse(text), known, NULL);

	assert_non_null(out);
	return out;
}

/* K is 4, Z 0 and O 1; x, y and pointers are not known. */
static void folding(void **state)
{
	static const struct {
		const char *text, *left;
	} table[] = {
	    {"K * 2 + O", "9"},
	    {"x + K", "x + 4"},
	    {"Z == 0 || x % K == 0", "1"},
	    {"O == 0 || x % K == 0", "x % 4 == 0"},
	    {"O != 0 && x > 1", "x > 1"},
	    {"Z && x / y", "0"},
	    {"O && x", "1 && x"},
	    {"x && O", "x && 1"},
	    {"x < y && O", "x < y"},
	    {"x / y < 3 && Z", "x / y < 3 && 0"},
	    {"x / y || O", "x / y || 1"},
	    {"K > 3 ? x : y / 0", "x"},
	    {"Z ? x : y", "y"},
	    {"x * O + Z", "x"},
	    {"Z * (x / y)", "0 * (x / y)"},
	    {"x / Z", "x / 0"},
	    {"K / Z", "4 / 0"},
	    {"1 << (K * 20)", "1 << 80"},
	    {"-K", "-4"},
	    {"min(K, 7, x)", "min(4, 7, x)"},
	    {"ceil_div(x, O)", "x"},
	    {"aligned(p, K * 2)", "aligned(p, 8)"},
	    {"O == 0 || disjoint(p, x, q, K)", "disjoint(p, x, q, 4)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_expr_canonical(&text, folded(table[i].text));
		assert_string_equal(kt_buf_text(&text), table[i].left);
		kt_buf_free(&text);
	}
}

static bool with_two(int64_t *value, const char *name, void *context)
{
	const int64_t *two = context;

	if (known(value, name, NULL))
		return true;
	*value = two[name[0] == 'y'];
	return name[0] == 'x' || name[0] == 'y';
}

/* Each operator between what is known and what is not: the same value, or none, before and after. */
static void folding_keeps_values(void **state)
{
	static const char *const operators[] = {"*",  "/", "%",  "+", "-",  "<<", ">>", "<",  "<=",
	                                        ">",  ">=", "==", "!=", "&", "^",  "|",  "&&", "||"};
	static const char *const operands[] = {"K", "Z", "O", "x", "(-x)", "(x / y)", "(K / Z)", "(x < y)", "!x",
	                                       "(Z || x)", "(O && y)", "(x ? K : y)", "(O ? x : y / 0)", "is_pow2(x)"};
	static const int64_t values[] = {0, 1, -1, 2, 5, 64, INT64_MIN, INT64_MAX};
	const size_t count = sizeof operands / sizeof *operands, numbers = sizeof values / sizeof *values;
	char text[96];

	(void)state;
	for (size_t op = 0; op < sizeof operators / sizeof *operators; op++)
		for (size_t at = 0; at < count * count; at++) {
			const struct kt_expr *whole, *left;

			snprintf(text, sizeof text, "%s %s %s", operands[at / count], operators[op], operands[at % count]);
			whole = parse(text);
			left = folded(text);
			for (size_t v = 0; v < numbers * numbers; v++) {
				int64_t two[2] = {values[v / numbers], values[v % numbers]}, one = 0, other = 0;
				struct kt_error err;
				const kt_status first = kt_expr_eval(&one, whole, with_two, two, &err);

				assert_int_equal(kt_expr_eval(&other, left, with_two, two, &err), first);
				assert_int_equal(one, other);
			}
		}
}

static void evaluation_errors(void **state)
{
	(void)state;
	check_fails("1 / zero", KT_ERR_INVALID, 2, "division by zero");
	check_fails("1 % zero", KT_ERR_INVALID, 2, "division by zero");
	check_fails("ceil_div(1, zero)", KT_ERR_INVALID, 0, "division by zero");
	check_fails("least / -1", KT_ERR_INVALID, 6, "overflow in '/'");
	check_fails("least % -1", KT_ERR_INVALID, 6, "overflow in '%'");
	check_fails("ceil_div(least, -1)", KT_ERR_INVALID, 0, "overflow in 'ceil_div'");
	check_fails("most + 1", KT_ERR_INVALID, 5, "overflow in '+'");
	check_fails("least - 1", KT_ERR_INVALID, 6, "overflow in '-'");
	check_fails("1 + most * 2", KT_ERR_INVALID, 9, "overflow in '*'");
	check_fails("-least", KT_ERR_INVALID, 0, "overflow in '-'");
	check_fails("1 << 63", KT_ERR_INVALID, 2, "overflow in '<<'");
	check_fails("most << 1", KT_ERR_INVALID, 5, "overflow in '<<'");
	check_fails("1 << 64", KT_ERR_INVALID, 2, "shift by 64 is out of range");
	check_fails("1 >> -1", KT_ERR_INVALID, 2, "shift by -1 is out of range");
	check_fails("a + nobody", KT_ERR_MISSING, 4, "unknown name 'nobody'");
	check_fails("device.nothing", KT_ERR_MISSING, 0, "unknown name 'device.nothing'");
}

static void later_operands_wait(void **state)
{
	(void)state;
	check_value("zero != 0 && 1 / zero > 1", 0);
	check_value("zero == 0 || 1 / zero > 1", 1);
	check_value("zero ? 1 / zero : 4", 4);
	check_value("1 ? 5 : nobody", 5);
	check_fails("zero == 0 && 1 / zero", KT_ERR_INVALID, 15, "division by zero");
}

static char *repeat(const char *front, size_t count, const char *middle, const char *back)
{
	const size_t f = strlen(front), m = strlen(middle), b = strlen(back);
	char *text = malloc(count * (f + b) + m + 1);
	assert_non_null(text);
	char *at = text;
	for (size_t i = 0; i < count; i++, at += f)
		memcpy(at, front, f);
	memcpy(at, middle, m);
	at += m;
	for (size_t i = 0; i < count; i++, at += b)
		memcpy(at, back, b);
	*at = '\0';
	return text;
}

static void depth_bombs(void **state)
{
	static const struct {
		const char *front, *middle, *back;
	} bombs[] = {{"(", "1", ")"}, {"-", "1", ""},         {"!", "1", ""},   {"1+", "1", ""},
	             {"a?", "1", ":1"}, {"1?1:", "1", ""},    {"max(1,", "1", ")"}, {"1-(", "1", ")"},
	             {"1*1+", "1", ""}, {"(", "", ""},        {"~(-", "1", ")"}};
	(void)state;
	for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
		struct kt_error err = {0};
		struct kt_expr *expr;
		char *text = repeat(bombs[i].front, 100000, bombs[i].middle, bombs[i].back);
		assert_int_equal(kt_expr_parse(&expr, arena, text, strlen(text), &err), KT_ERR_SYNTAX);
		assert_string_equal(err.message, "expression is nested deeper than 200 levels");
		assert_true(err.offset < 2000);
		free(text);
	}
}

static void depth_up_to_the_limit(void **state)
{
	(void)state;
	char *text = repeat("(", KT_EXPR_DEPTH - 1, "3", ")");
	check_value(text, 3);
	free(text);
	text = repeat("1+", KT_EXPR_DEPTH - 1, "1", "");
	check_value(text, KT_EXPR_DEPTH);
	free(text);
}

static void out_of_memory(void **state)
{
	struct kt_error err = {0};
	struct kt_expr *expr = NULL;
	(void)state;
	for (size_t ceiling = 0; ceiling < 2048; ceiling += 16) {
		struct kt_arena *small = kt_arena_new(ceiling);
		assert_non_null(small);
		const kt_status status = kt_expr_parse(&expr, small, "min(a, 2) + b * 3", 17, &err);
		assert_true(status == KT_ERR_MEMORY || status == KT_OK);
		if (ceiling < 64)
			assert_int_equal(status, KT_ERR_MEMORY);
		kt_arena_free(small);
	}
}

struct seen {
	char text[256];
	int left;
};

static bool note(const char *name, unsigned offset, bool pointer, void *context)
{
	struct seen *seen = context;
	char one[64];
	snprintf(one, sizeof one, "%s%s@%u ", pointer ? "*" : "", name, offset);
	strncat(seen->text, one, sizeof seen->text - strlen(seen->text) - 1);
	return --seen->left > 0;
}

static void names(void **state)
{
	const struct kt_expr *expr = parse("a + (aligned(p, n) ? device.cc : a) * 2");
	struct seen seen = {"", 100};
	(void)state;
	assert_true(kt_expr_names(expr, note, &seen));
	assert_string_equal(seen.text, "a@0 *p@13 n@16 device.cc@21 a@33 ");
	seen = (struct seen){"", 2};
	assert_false(kt_expr_names(expr, note, &seen));
	assert_string_equal(seen.text, "a@0 *p@13 ");
	assert_true(kt_expr_uses(expr, "p"));
	assert_true(kt_expr_uses(expr, "device.cc"));
	assert_false(kt_expr_uses(expr, "device"));
	assert_false(kt_expr_uses(expr, "min"));
}

static const char *rename_plain(const char *name, bool pointer, void *context)
{
	(void)context;
	if (strcmp(name, "gone") == 0)
		return NULL;
	return pointer ? "ptr" : strcmp(name, "d") == 0 ? "args.d" : name;
}

static void check_print(const char *text, const char *expected)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err = {0};
	assert_int_equal(kt_expr_print(&out, parse(text), "f", rename_plain, NULL, &err), KT_OK);
	assert_string_equal(kt_buf_text(&out), expected);
	kt_buf_free(&out);
}

/* What folding can make and the parser cannot, as C++. */
static void negative_numbers_print(void **state)
{
	static const struct {
		const char *text, *printed;
	} table[] = {
	    {"-K", "(-4LL)"},
	    {"x - -K", "::ktune::sub_(f, static_cast<long long>(x), (-4LL))"},
	    {"-9223372036854775807 - O", "(-9223372036854775807LL - 1)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_error err;

		assert_int_equal(kt_expr_print(&text, folded(table[i].text), "f", rename_plain, NULL, &err), KT_OK);
		assert_string_equal(kt_buf_text(&text), table[i].printed);
		kt_buf_free(&text);
	}
}

static void prints_cxx(void **state)
{
	(void)state;
	check_print("42", "42LL");
	check_print("d", "static_cast<long long>(args.d)");
	check_print("1 + 2 - 3 * 4", "::ktune::sub_(f, ::ktune::add_(f, 1LL, 2LL), ::ktune::mul_(f, 3LL, 4LL))");
	check_print("1 / 2 % 3", "::ktune::rem_(f, ::ktune::div_(f, 1LL, 2LL), 3LL)");
	check_print("-1", "::ktune::neg_(f, 1LL)");
	check_print("1 << 2 >> 3", "::ktune::shr_(f, ::ktune::shl_(f, 1LL, 2LL), 3LL)");
	check_print("~1 & 2 | 3 ^ 4", "(((~1LL) & 2LL) | (3LL ^ 4LL))");
	check_print("!1 || 2 && 3 == 4", "((!1LL) || (2LL && (3LL == 4LL)))");
	check_print("1 ? 2 : 3 < 4", "(1LL ? 2LL : (3LL < 4LL))");
	check_print("min(1, 2, 3)", "::ktune::min_(f, ::ktune::min_(f, 1LL, 2LL), 3LL)");
	check_print("max(1, 2)", "::ktune::max_(f, 1LL, 2LL)");
	check_print("ceil_div(1, 2)", "::ktune::ceil_div_(f, 1LL, 2LL)");
	check_print("is_pow2(8)", "::ktune::is_pow2_(f, 8LL)");
	check_print("aligned(x, 16)", "::ktune::aligned_(f, (ptr), 16LL)");
	check_print("disjoint(x, 1, y, 2)", "::ktune::disjoint_(f, (ptr), 1LL, (ptr), 2LL)");
}

static void print_keeps_what_was_there(void **state)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_error err = {0};
	(void)state;
	kt_buf_adds(&out, "before");
	assert_int_equal(kt_expr_print(&out, parse("1 + gone"), "f", rename_plain, NULL, &err), KT_ERR_MISSING);
	assert_int_equal(err.offset, 4);
	assert_string_equal(err.message, "unknown name 'gone'");
	assert_string_equal(kt_buf_text(&out), "before");
	kt_buf_free(&out);
}

static void check_canonical(const char *text, const char *expected)
{
	struct kt_buf once = KT_BUF(KT_LIMIT_LINE_BYTES), twice = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_expr_canonical(&once, parse(text));
	assert_string_equal(kt_buf_text(&once), expected);
	kt_expr_canonical(&twice, parse(kt_buf_text(&once)));
	assert_string_equal(kt_buf_text(&twice), expected);
	kt_buf_free(&once);
	kt_buf_free(&twice);
}

static void canonical_spelling(void **state)
{
	(void)state;
	check_canonical("((1+2))*3", "(1 + 2) * 3");
	check_canonical("min(arg( min ), arg(a))+arg(device)", "min(arg(min), a) + arg(device)");
	check_canonical("aligned(arg(aligned), 16) && aligned(min, arg)", "aligned(arg(aligned), 16) && aligned(arg(min), arg)");
	check_canonical("(1*2)+(3)", "1 * 2 + 3");
	check_canonical("1-(2-3)", "1 - (2 - 3)");
	check_canonical("(1-2)-3", "1 - 2 - 3");
	check_canonical("1+(2+3)", "1 + (2 + 3)");
	check_canonical("0x10 + 010u", "16 + 8");
	check_canonical("-(-a)", "- -a");
	check_canonical("!(!(~(-a)))", "!!~-a");
	check_canonical("-(a+b)*~c", "-(a + b) * ~c");
	check_canonical("(a?b:c)?d:(e?f:g)", "(a ? b : c) ? d : e ? f : g");
	check_canonical("a?(b?c:d):e", "a ? b ? c : d : e");
	check_canonical("(a||b)&&c", "(a || b) && c");
	check_canonical("min( a?1:2 ,b)", "min(a ? 1 : 2, b)");
	check_canonical("aligned( p ,16)&&disjoint(p,n*2,q,1)", "aligned(p, 16) && disjoint(p, n * 2, q, 1)");
	check_canonical("(a<b)==(c<d)", "a < b == c < d");
	check_canonical("(a==b)<c", "(a == b) < c");
	check_canonical("true", "1");
}

/* Trees of every shape print text that reads back to a tree of the same value. */
static void canonical_keeps_the_value(void **state)
{
	static const char *const operators[] = {"+", "-", "*", "&", "|", "^", "<", "==", "&&", "||", ">>"};
	unsigned seed = 12345;
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES), again = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_error err = {0};
		int64_t before = 0, after = 1;
		int open = 0;
		for (int i = 0; i < 6; i++) {
			seed = seed * 1103515245U + 12345U;
			if (i > 0)
				kt_buf_addf(&text, " %s ", operators[(seed >> 8) % 11]);
			if ((seed >> 13) % 3 == 0) {
				kt_buf_addc(&text, '(');
				open++;
			}
			if ((seed >> 17) % 4 == 0)
				kt_buf_adds(&text, "-");
			kt_buf_addf(&text, "%u", (seed >> 20) % 9);
			if (open > 0 && (seed >> 24) % 2 == 0) {
				kt_buf_addc(&text, ')');
				open--;
			}
		}
		for (; open > 0; open--)
			kt_buf_addc(&text, ')');
		const struct kt_expr *expr = parse(kt_buf_text(&text));
		kt_expr_canonical(&again, expr);
		const kt_status first = kt_expr_eval(&before, expr, NULL, NULL, &err);
		const kt_status second = kt_expr_eval(&after, parse(kt_buf_text(&again)), NULL, NULL, &err);
		assert_int_equal(first, second);
		if (first == KT_OK)
			assert_int_equal(before, after);
		kt_buf_free(&text);
		kt_buf_free(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(operators, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(literals, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(functions, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(syntax_errors, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(text_ends_at_length, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(addresses_decide, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(evaluation_errors, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(folding, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(folding_keeps_values, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(negative_numbers_print, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(later_operands_wait, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(depth_bombs, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(depth_up_to_the_limit, set_up, tear_down),
	    cmocka_unit_test(out_of_memory),
	    cmocka_unit_test_setup_teardown(names, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(prints_cxx, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(print_keeps_what_was_there, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(canonical_spelling, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(canonical_keeps_the_value, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
