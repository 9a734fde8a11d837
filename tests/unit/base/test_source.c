/* The user's text: pragmas outside comments and strings, template headers, splices. */
#include "../emit/region_fixture.h"

static void test_pragmas(void **state)
{
	static const char text[] =
	    "/* \n#pragma ktune a\n*/ #  pragma  ktune one \\\n two\n"
	    "const char *s = \"\\\n#pragma ktune b\";\n"
	    "auto r = R\"x(\n#pragma ktune c\n)\" )x\"; int n = 1'000'000;\n"
	    "// \\\n#pragma ktune d\n#pragma ktuned\n#pragma once\nchar q = '\"';\n\t#pragma\tktune\n"
	    "x #pragma ktune e\n#pragma ktune\\\r\nlast";
	static const char *const found[] = {"#  pragma  ktune one \\\n two", "#pragma\tktune",
					    "#pragma ktune\\\r\nlast"};
	struct kt_range range;
	size_t position = 0, count = 0;

	(void)state;
	while (kt_source_pragma(&range, text, sizeof text - 1, &position)) {
		assert_true(count < 3);
		assert_int_equal(range.end - range.begin, strlen(found[count]));
		assert_memory_equal(text + range.begin, found[count], range.end - range.begin);
		count++;
	}
	assert_int_equal(count, 3);
}

static void test_line_marks(void **state)
{
	static const char text[] =
	    "#line 7 \"a.y\"\n/*\n#line 1\n*/ # 20 \"b \\\"q\\\".y\" 1 3\r\nint x;\n#  line  30 // \"c\"\n"
	    "#lines 4\n#line A\n#line\n\"#line 5\"\n#line 6 \"d";
	static const struct {
		uint32_t line;
		const char *file, *behind;
	} rows[] = {{7, "a.y", "\n/*"}, {20, "b \\\"q\\\".y", "\nint"}, {30, "", "\n#lines"}, {6, "d", ""}};
	struct kt_line_mark mark;
	size_t position = 0, count = 0;

	(void)state;
	for (; kt_source_line_mark(&mark, text, sizeof text - 1, &position); count++) {
		assert_true(count < sizeof rows / sizeof rows[0]);
		assert_int_equal(mark.line, rows[count].line);
		assert_int_equal(mark.file.end - mark.file.begin, strlen(rows[count].file));
		assert_memory_equal(text + mark.file.begin, rows[count].file, strlen(rows[count].file));
		assert_memory_equal(text + mark.end, rows[count].behind, strlen(rows[count].behind));
	}
	assert_int_equal(count, sizeof rows / sizeof rows[0]);
}

/* Whatever is cut off, nothing is read behind the end: run under a sanitizer. */
static void test_truncation(void **state)
{
	static const char text[] =
	    "#line 7 \"a\\\"b\"\n R\"ab(x)ab\" 'a\\'' \"\\\" /* */ // \\\n#pragma ktune \\\r\n"
	    " template <a<(1>2)>, \"x\"> y";

	(void)state;
	for (size_t size = 0; size < sizeof text; size++) {
		char *copy = malloc(size + 1);
		size_t position = 0;
		struct kt_range range;
		struct kt_line_mark mark;

		assert_non_null(copy);
		memcpy(copy, text, size);
		while (kt_source_pragma(&range, copy, size, &position))
			assert_true(range.end <= size);
		position = 0;
		while (kt_source_line_mark(&mark, copy, size, &position))
			assert_true(mark.end <= size && mark.file.begin <= mark.file.end && mark.file.end <= size);
		assert_true(kt_source_template_header(copy, size) <= size);
		free(copy);
	}
}

static void test_template_header(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} rows[] = {{"template <typename T> void", 22},  {"void f()", 0},
		    {"template <int N = (3 > 2)>f", 26}, {"template <class T> template <class U>\n\tx", 39},
		    {"template <A<B<1>> x>y", 20},       {"templates", 0},
		    {"template void f<int>();", 0},      {"template <char c = '>'>y", 23},
		    {"template <class T> requires (T::n > 1) void", 39}, {"template <class T> requires a::C<T> && (1 > 0) void", 47},
		    {"template <class T>\nrequires requires (T t) { t > 1; } || B<T>::value /* > */ void", 77},
		    {"template <class T> requires A<T> template <class U> requires B<U> x", 66}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(kt_source_template_header(rows[i].text, strlen(rows[i].text)), rows[i].length);
}

static void test_splice(void **state)
{
	struct kt_splice splices[] = {{6, 8, "Z", false}, {2, 4, "n", true}, {2, 2, "<", false}, {2, 2, ">", false}};
	struct kt_splice overlap[] = {{0, 3, "", false}, {2, 4, "", false}}, outside[] = {{0, 9, "", false}};
	struct kt_buf out = KT_BUF(256);
	struct kt_error err;

	(void)state;
	fx_ok(kt_source_splice(&out, "ab\ncdefg", 8, splices, 4, &err), &err);
	assert_string_equal(kt_buf_text(&out), "ab<>n\ndeZ");
	assert_int_equal(kt_source_splice(&out, "abcdefgh", 8, overlap, 2, &err), KT_ERR_INVALID);
	assert_int_equal(kt_source_splice(&out, "abcdefgh", 8, outside, 1, &err), KT_ERR_INVALID);
	kt_buf_free(&out);
}

static void test_text(void **state)
{
	struct kt_buf out = KT_BUF(256);

	(void)state;
	kt_buf_addc(&out, 'x');
	kt_source_line_directive(&out, 3, "a\"\\\n");
	assert_string_equal(kt_buf_text(&out), "x\n#line 3 \"a\\\"\\\\\\012\"\n");
	assert_int_equal(kt_source_line("a\nb\nc", 5, 4), 3);
	assert_int_equal(kt_source_line("a\nb\nc", 5, 99), 3);
	kt_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pragmas), cmocka_unit_test(test_truncation), cmocka_unit_test(test_template_header),
	    cmocka_unit_test(test_splice),  cmocka_unit_test(test_text), cmocka_unit_test(test_line_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
