/* Holes with expressions, and sections: what is kept, what goes with its line, and what no text may hold. */
#include "../emit/region_fixture.h"
#include "base/template_text.h"

static struct kt_parameter parameters[] = {
    {.name = "VEC", .kind = KT_PARAMETER_PLACEHOLDER, .absent = true},
    {.name = "ROWS", .kind = KT_PARAMETER_PLACEHOLDER, .original = 1},
};

static struct kt_template make(const char *body)
{
	return (struct kt_template){.parameter_count = 2, .parameters = parameters, .concrete = true,
	                            .helpers = "", .head = "h", .body = body};
}

static void expect(const char *body, int64_t vec, int64_t rows, const char *text)
{
	struct kt_template t = make(body);
	const int64_t configuration[] = {vec, rows};
	struct kt_render render = {&t, configuration, "k", false, 0, NULL, false, 0, 0};
	struct kt_buf out = KT_BUF(1 << 16), whole = KT_BUF(1 << 16);
	struct kt_error err;

	fx_ok(kt_template_render(&out, &render, &err), &err);
	kt_buf_addf(&whole, "h\n%s\n", text);
	assert_string_equal(kt_buf_text(&out), kt_buf_text(&whole));
	kt_buf_free(&out);
	kt_buf_free(&whole);
}

static void test_expressions(void **state)
{
	(void)state;
	expect("${= VEC * ROWS + 1} ${=VEC} ${= -VEC}", 4, 2, "9 4 (-4)");
	expect("${= VEC == 4 ? ROWS : 0}${VEC}", 4, 2, "24");
}

/* The place of an assertion: beside a slice, whose lines start with each function, and in an emission. */
static void test_places(void **state)
{
	static const struct {
		bool of_slice;
		const char *file, *text;
		int64_t shift;
	} rows[] = {{true, "kt_c0", "h\n#line 1 \"kt_c0\"\nf(\"k\", 4)\n", 0},
		    {false, NULL, "h\nf(\"k\", 4)\n", 0},
		    {false, "a \"b\".cu", "h\n#line 1 \"a \\\"b\\\".cu\"\nf(\"a \\\"b\\\".cu\", 41)\n", 0},
		    {false, "k.cuh", "h\n#line 3 \"k.cuh\"\nf(\"k.cuh\", 43)\n", 2}};
	struct kt_template t = make("f(${ktune:place:41:4})");

	(void)state;
	t.body_line = 1;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_render render = {.template_ = &t, .configuration = (const int64_t[]){4, 2}, .name = "k", .of_slice = rows[i].of_slice,
						 .line_file = rows[i].file, .line_shift = rows[i].shift};
		struct kt_buf out = KT_BUF(1 << 16);
		struct kt_error err;

		fx_ok(kt_template_render(&out, &render, &err), &err);
		assert_string_equal(kt_buf_text(&out), rows[i].text);
		kt_buf_free(&out);
	}
}

static void test_sections(void **state)
{
	static const char text[] = "{\n\t${if VEC > 1}\n\tvector<${VEC}>();\n\t${else}\n\tscalar();\n\t${end}\n}";

	(void)state;
	expect(text, 4, 1, "{\n\tvector<4>();\n}");
	expect(text, 1, 1, "{\n\tscalar();\n}");
	expect("a${if VEC == 2}b${end}c", 2, 1, "abc");
	expect("a${if VEC == 2}b${end}c", 1, 1, "ac");
	expect("${if VEC}${end}x", 1, 1, "x");
	/* A line of its own at the start and at the end of the text. */
	expect("${if VEC}\nx\n${end}", 1, 1, "x");
	expect("x\n  ${if 0}\ny\n  ${end}  \nz", 1, 1, "x\nz");
	/* Two directives on a line are not alone: the line stays. */
	expect("x\n${if 0}${end}\nz", 1, 1, "x\n\nz");
}

static void test_nested(void **state)
{
	static const char text[] = "${if VEC > 1}v${if ROWS > 1}r${else}s${end}${else}n${if ROWS > 1}R${end}${end}";

	(void)state;
	expect(text, 2, 2, "vr");
	expect(text, 2, 1, "vs");
	expect(text, 1, 2, "nR");
	expect(text, 1, 1, "n");
	/* What is left out is not evaluated: there is nothing to divide by. */
	expect("${if ROWS > 0}${= VEC / ROWS}${else}none${end}", 8, 0, "none");
	expect("${if ROWS > 0}${if VEC / ROWS}x${end}${else}none${end}", 8, 0, "none");
}

/* A parameter called `end` is an older text's: its placeholder means the value. */
static void test_hidden(void **state)
{
	struct kt_parameter end = {.name = "end", .kind = KT_PARAMETER_CONSTANT};
	struct kt_template t = {.parameter_count = 1, .parameters = &end, .helpers = "", .head = "h", .body = "${end}"};
	struct kt_render render = {&t, (const int64_t[]){3}, "k", false, 0, NULL, false, 0, 0};
	struct kt_buf out = KT_BUF(64);
	struct kt_error err;

	(void)state;
	fx_ok(kt_template_render(&out, &render, &err), &err);
	assert_string_equal(kt_buf_text(&out), "h\n3\n");
	kt_buf_free(&out);
}

static void refuse(const char *body, kt_status status, unsigned offset)
{
	struct kt_template t = make(body);
	struct kt_render render = {&t, (const int64_t[]){4, 0}, "k", false, 0, NULL, false, 0, 0};
	struct kt_buf out = KT_BUF(1 << 16);
	struct kt_error err;

	assert_int_equal(kt_template_render(&out, &render, &err), status);
	assert_int_equal(err.offset, offset);
	kt_buf_free(&out);
}

static void test_bad(void **state)
{
	static const char *const forms[] = {
	    "x${end}",         "x${else}",           "x${if VEC}",    "${if VEC}${else}${else}${end}",
	    "${if NOPE}${end}", "${= NOPE}",          "${if }${end}",  "${= }",
	    "${= VEC +}",      "${if VEC}${NO}${end}", "${ VEC}",       "${elif VEC}",
	    "${if 0}${NO}${end}", "${if 0}${if 1}${end}", "${= aligned(VEC, 4)}", "${if VEC",
	};

	(void)state;
	refuse("ab ${end}", KT_ERR_INVALID, 3);
	refuse("ab ${if VEC} ${if ROWS} ${end}", KT_ERR_INVALID, 3);
	refuse("ab ${= VEC / ROWS}", KT_ERR_INVALID, 3);
	refuse("ab ${= VEC", KT_ERR_SYNTAX, 3);
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct kt_template t = make(forms[i]);
		struct kt_error err;

		if (kt_template_check_text(&t, forms[i], &err) == KT_OK)
			fail_msg("accepted: %s", forms[i]);
	}
}

static void test_depth(void **state)
{
	struct kt_buf text = KT_BUF(1 << 20);
	struct kt_error err;
	struct kt_template t = make("");

	(void)state;
	for (size_t depth = KT_TEMPLATE_DEPTH; depth <= KT_TEMPLATE_DEPTH + 1; depth++) {
		kt_buf_clear(&text);
		for (size_t i = 0; i < depth; i++)
			kt_buf_adds(&text, "${if VEC}");
		for (size_t i = 0; i < depth; i++)
			kt_buf_adds(&text, "${end}");
		assert_int_equal(kt_template_check_text(&t, kt_buf_text(&text), &err),
		                 depth <= KT_TEMPLATE_DEPTH ? KT_OK : KT_ERR_LIMIT);
	}
	/* Far deeper than any stack could hold. */
	kt_buf_clear(&text);
	for (size_t i = 0; i < 50000; i++)
		kt_buf_adds(&text, "${if 1}");
	assert_int_equal(kt_template_check_text(&t, kt_buf_text(&text), &err), KT_ERR_LIMIT);
	kt_buf_clear(&text);
	kt_buf_adds(&text, "${= ");
	for (size_t i = 0; i < 100000; i++)
		kt_buf_addc(&text, '(');
	kt_buf_addc(&text, '}');
	assert_int_not_equal(kt_template_check_text(&t, kt_buf_text(&text), &err), KT_OK);
	kt_buf_free(&text);
}

static void test_concrete_arguments(void **state)
{
	struct kt_template t = make("");
	const char *arguments[] = {"__half"};
	struct kt_instance instance = {.argument_count = 1, .arguments = arguments};
	struct kt_buf out = KT_BUF(256);
	struct kt_error err;

	(void)state;
	fx_ok(kt_template_arguments(&out, &t, &instance, NULL, &err), &err);
	assert_string_equal(kt_buf_text(&out), "");
	t.concrete = false;
	fx_ok(kt_template_arguments(&out, &t, &instance, NULL, &err), &err);
	assert_string_equal(kt_buf_text(&out), "<__half>");
	kt_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_expressions), cmocka_unit_test(test_places), cmocka_unit_test(test_sections), cmocka_unit_test(test_nested),
	    cmocka_unit_test(test_hidden),      cmocka_unit_test(test_bad),      cmocka_unit_test(test_depth),
	    cmocka_unit_test(test_concrete_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
