/* T1 files: Python expressions, value lists, counts of recorded spaces. */
#include "fixture.h"

#include <unistd.h>

#include "base/fs.h"
#include "tuning/t1.h"
#include "tuning/t1_export.h"

static struct kt_error err;

static void write_t1(const char *path, const char *parameters, const char *conditions)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_buf_addf(&text, "{\n\"ConfigurationSpace\": {\"TuningParameters\": [%s],\n\"Conditions\": [%s]}}\n", parameters,
		    conditions);
	assert_int_equal(kt_fs_write(path, kt_buf_text(&text), text.size, &err), KT_OK);
	kt_buf_free(&text);
}

static const char *scratch(void)
{
	static char path[64];

	snprintf(path, sizeof path, "/tmp/ktune-test-t1-%ld.json", (long)getpid());
	return path;
}

static const char parameters[] = "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[-3, -1, 0, 2, 5]\"},"
				 "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"[1, 2, 4]\"},"
				 "{\"Name\": \"x\", \"Type\": \"float\", \"Values\": \"[0.5, 2.0, 1]\"},"
				 "{\"Name\": \"s\", \"Type\": \"string\", \"Values\": [\"SSE\", \"AVX\"]}";

/* How many of the 5 · 3 · 3 · 2 = 90 configurations fulfil it; counted with CPython 3.11. */
static void test_python(void **state)
{
	static const struct {
		const char *condition;
		size_t legal;
	} rows[] = {
	    {"True", 90},
	    {"a > 0 and b > 1", 24},
	    {"a or b == 4", 78},
	    {"(a or b) == 2", 24},
	    {"(a and b) == 4", 24},
	    {"not a", 18},
	    {"not a == 0", 72},
	    {"a // 2 == -2", 18},
	    {"a % 3 == 2", 54},
	    {"-a % 4 == 1", 18},
	    {"a / b == -1.5", 6},
	    {"a / 2 == 1", 18},
	    {"2 ** b == 16", 30},
	    {"a ** 2 == 9", 18},
	    {"-a ** 2 == -9", 18},
	    {"2 ** -b == 0.25", 30},
	    {"a in (2, 5)", 36},
	    {"a not in [2, 5, -1]", 36},
	    {"b in range(2, 10, 2)", 60},
	    {"b in {1, 4}", 60},
	    {"0 <= a < b", 24},
	    {"-3 < a <= 0 != b", 36},
	    {"(1 if a > 0 else 3) == b - 1", 30},
	    {"min(a, b) == max(a, b) - 1", 18},
	    {"abs(a) == 3", 18},
	    {"x == 1", 30},
	    {"x * b == 2", 30},
	    {"int(x * 3) == 1", 30},
	    {"math.ceil(x) == 1", 60},
	    {"round(x) == 0", 30},
	    {"s == 'SSE'", 45},
	    {"s != \\\"SSE\\\" or b == 1", 60},
	    {"s in ('AVX', 'NEON')", 45},
	    {"s == 1", 0},
	    {"(a > 0) + (b > 1) == 2", 24},
	    {"(a > 0) & (b > 1)", 24},
	    {"a << 1 == 4", 18},
	    {"~a == 0", 18},
	    {"sum([a, b, 1]) == 4", 12},
	    {"any(i == a for i in range(3))", 36},
	    {"all([a, b])", 72},
	    {"len([1, 2, 3]) == b + 1", 30},
	    {"p[\\\"b\\\"] == 1", 30},
	    {"0x10 // 0b11 == b + 1", 30},
	    {"1_000 > 1e2 and .5 == x", 30},
	    {"math.gcd(a, 4) == 1", 54},
	    {"a == 0 or 6 % a == 0", 72},
	    {"a != 0 and 6 // a == 3", 18},
	    {"  a ==\\n\\t2", 18},
	    {"not a in [i * j for i in range(2) for j in range(3) if i != j]", 54},
	    {"b in sorted({4, 1}) + [2] and a < 0", 36},
	    {"a == sum(i for i in range(3) if i > 1)", 18},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf condition = KT_BUF(1024);
		struct kt_space *space = NULL;
		struct kt_t1 *t1 = NULL;

		kt_buf_addf(&condition, "{\"Expression\": \"%s\", \"Parameters\": []}", rows[i].condition);
		write_t1(scratch(), parameters, kt_buf_text(&condition));
		if (kt_t1_read(&t1, arena, scratch(), &err) != KT_OK || kt_t1_space(&space, t1, &err) != KT_OK)
			fail_msg("%s: %s", rows[i].condition, err.message);
		if (kt_space_legal(space) != rows[i].legal)
			fail_msg("%s: %zu legal, not %zu", rows[i].condition, kt_space_legal(space), rows[i].legal);
		kt_space_free(space);
		kt_buf_free(&condition);
		kt_arena_free(arena);
	}
	unlink(scratch());
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *parameters, *condition, *message;
	} rows[] = {
	    {parameters, "a + q > 1", ":3:36: condition: unknown name 'q'; the parameters are a, b, x, s\n  a + q > 1\n      ^"},
	    {parameters, "a +* 1", ":3:35: condition: invalid syntax; write a Python expression\n  a +* 1\n     ^"},
	    {parameters, "a && b", ":3:35: condition: invalid syntax"},
	    {parameters, "frob(a)", "unknown function 'frob'; use one of abs, "},
	    {parameters, "(a, b)", "expected a value, found a list; use any"},
	    {parameters, "6 // a == 2", "division by zero at a=0\n  6 // a == 2\n    ^"},
	    {parameters, "s > 1", "a text where a number is expected"},
	    {parameters, "\\u00e9 > 1 or q", "condition: unknown name '\u00e9'"},
	    {parameters, "'\\u00e9' != s or q", "unknown name 'q'; the parameters are a, b, x, s\n  '\u00e9' != s or q"},
	    {parameters, "len([i for i in range(70000)])", "a list of more than 65536 items; write a shorter range"},
	    {parameters, "a in [i for i in range(3) if b]", "the condition of a list is not a constant; write it without parameters"},
	    {parameters, "a > 9223372036854775808", "integer does not fit 64 bits"},
	    {parameters, "abs(a, b)", "abs takes one argument"},
	    {parameters, "a.real > 1", "Attribute is not supported; write numbers, names"},
	    {parameters, "range(a)", "range takes 1 to 3 constant integers"},
	    {parameters, "a in 3", ":3:34: condition: 'in' needs a list on its right; write [1, 2]"},
	    {"{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 2\"}", "True",
	     ":2:85: values: '[' was never closed; write a Python expression\n  [1, 2\n  ^"},
	    {"{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1 // 0]\"}", "True", "item 1 of the list has no value"},
	    {"{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[10 ** 10 ** 10]\"}", "True", "item 1 of the list has no value"},
	    {"{\"Name\": \"a\", \"Type\": \"int\", \"Values\": [1, \"x\"]}", "True", "mixes texts and numbers"},
	    {"{\"Name\": \"a\", \"Type\": \"int\"}", "True", "'a' has no values"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf condition = KT_BUF(1024);
		struct kt_space *space = NULL;
		struct kt_t1 *t1 = NULL;

		kt_buf_addf(&condition, "{\"Expression\": \"%s\"}", rows[i].condition);
		write_t1(scratch(), rows[i].parameters, kt_buf_text(&condition));
		err.message[0] = '\0';
		if (kt_t1_read(&t1, arena, scratch(), &err) == KT_OK && kt_t1_space(&space, t1, &err) == KT_OK)
			fail_msg("%s is accepted", rows[i].condition);
		if (strstr(err.message, rows[i].message) == NULL)
			fail_msg("%s: '%s'", rows[i].condition, err.message);
		kt_buf_free(&condition);
		kt_arena_free(arena);
	}
	unlink(scratch());
}

static void test_values(void **state)
{
	static const char lists[] =
	    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[2**i for i in range(0, 6) if i != 3]\"},"
	    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"list(range(8, 0, -3)) + [8, 7]\", \"Default\": 7},"
	    "{\"Name\": \"c\", \"Type\": \"float\", \"Values\": \"[1.5, 0.5, 3]\"},"
	    "{\"Name\": \"d\", \"Type\": \"bool\", \"Values\": \"[True, False]\"},"
	    "{\"Name\": \"e\", \"Type\": \"string\", \"Values\": \"['n\\\\\\\\m', \\\"w\\\"]\"}";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(1024);
	cJSON *number = cJSON_CreateNumber(0.5), *yes = cJSON_CreateTrue(), *word = cJSON_CreateString("w");
	struct kt_t1 *t1 = NULL;
	struct kt_space *space = NULL;
	int64_t value = -1;

	(void)state;
	write_t1(scratch(), lists, "");
	if (kt_t1_read(&t1, arena, scratch(), &err) != KT_OK || kt_t1_space(&space, t1, &err) != KT_OK)
		fail_msg("%s", err.message);
	assert_int_equal(t1->parameters[0].count, 5);
	assert_int_equal(t1->parameters[0].values[4], 32);
	assert_int_equal(t1->parameters[1].count, 4); /* 8 5 2 7: each once */
	assert_int_equal(t1->parameters[2].kind, KT_T1_REAL);
	assert_int_equal(t1->parameters[3].kind, KT_T1_BOOL);
	assert_int_equal(t1->parameters[4].kind, KT_T1_TEXT);
	assert_true(kt_t1_value(&value, t1, 2, number));
	assert_int_equal(value, 1); /* its position */
	assert_int_equal(kt_space_rank(space, 2, value), 0);
	assert_true(kt_space_ordered(space, 2));
	assert_false(kt_t1_value(&value, t1, 0, number));
	assert_true(kt_t1_value(&value, t1, 0, yes)); /* true == 1 */
	assert_int_equal(value, 1);
	assert_true(kt_t1_value(&value, t1, 4, word));
	assert_int_equal(value, 1);
	assert_false(kt_space_ordered(space, 4));
	kt_t1_print(&text, t1, 2, 1);
	kt_t1_print(&text, t1, 3, 0);
	kt_t1_print(&text, t1, 4, 1);
	assert_string_equal(kt_buf_text(&text), "0.5false\"w\"");
	assert_int_equal(kt_space_legal(space), 5 * 4 * 3 * 2 * 2);
	assert_true(kt_space_original(space) == SIZE_MAX);
	cJSON_Delete(number);
	cJSON_Delete(yes);
	cJSON_Delete(word);
	kt_buf_free(&text);
	kt_space_free(space);
	kt_arena_free(arena);
	unlink(scratch());
}

/* The recorded spaces, where they are: $KTUNE_SPACES, else shared/spaces beside the source tree. */
static void test_recorded(void **state)
{
	static const struct {
		const char *file;
		double cartesian;
		size_t legal;
	} rows[] = {{"convolution.T1.json", 10240, 4362}, {"dedispersion.T1.json", 22272, 11130}};
	const char *folder = getenv("KTUNE_SPACES");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_space *space = NULL;
		struct kt_t1 *t1 = NULL;
		char path[4096];

		snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : KT_SOURCE_DIR "/../shared/spaces",
			 rows[i].file);
		if (!kt_fs_is_file(path)) {
			kt_arena_free(arena);
			skip();
		}
		if (kt_t1_read(&t1, arena, path, &err) != KT_OK || kt_t1_space(&space, t1, &err) != KT_OK)
			fail_msg("%s", err.message);
		assert_true(kt_space_cartesian(space) == rows[i].cartesian);
		assert_int_equal(kt_space_legal(space), rows[i].legal);
		kt_space_free(space);
		kt_arena_free(arena);
	}
}

/* A region that is written and read again has the same legal set, negative operands included. */
static void test_export(void **state)
{
	int64_t sizes[] = {12, 100};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_space *space, *again = NULL;
	struct kt_t1 *t1 = NULL;
	struct fixture f;

	(void)state;
	fixture_open(&f);
	fixture_problem(&f, "n", 2, sizes);
	FIXTURE_TUNE(&f, "A", -7, -2, 1, 3, 8);
	FIXTURE_TUNE(&f, "B", -4, -1, 2, 5);
	FIXTURE_TUNE(&f, "C", 1, 2, 3, 4, 6, 9);
	fixture_restrict(&f, "A / B != 1 && A % B <= 0");
	fixture_restrict(&f, "n % C == 0");
	fixture_restrict(&f, "ceil_div(A, B) != 2 || is_pow2(C)");
	fixture_restrict(&f, "(C > 2 ? min(A, C) : ~A) != !B");
	fixture_grid(&f, "ceil_div(n, C)");
	fixture_block(&f, "32 * C");
	space = fixture_space(&f, NULL);
	assert_true(kt_space_legal(space) > 0 && kt_space_legal(space) < 120);
	if (kt_t1_export(&text, &f.template_, &f.instance, NULL, &err) != KT_OK)
		fail_msg("%s", err.message);
	assert_int_equal(kt_fs_write(scratch(), kt_buf_text(&text), text.size, &err), KT_OK);
	if (kt_t1_read(&t1, arena, scratch(), &err) != KT_OK || kt_t1_space(&again, t1, &err) != KT_OK)
		fail_msg("%s", err.message);
	assert_int_equal(kt_space_legal(again), kt_space_legal(space));
	for (size_t i = 0; i < kt_space_legal(space); i++)
		assert_true(kt_space_find(again, kt_space_get(space, i)) != SIZE_MAX);
	assert_non_null(strstr(kt_buf_text(&text), "\"X\": \"(32 * C)\""));
	kt_space_free(space);
	kt_space_free(again);
	kt_buf_free(&text);
	kt_arena_free(arena);
	fixture_close(&f);
	unlink(scratch());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_python),   cmocka_unit_test(test_mistakes), cmocka_unit_test(test_values),
	    cmocka_unit_test(test_recorded), cmocka_unit_test(test_export),
	};
	setenv("KTUNE_PREFIX", KT_PREFIX, 1); /* Python reads expressions */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
