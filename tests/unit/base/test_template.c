/* Rendering fills placeholders and changes nothing else. */
#include "../emit/region_fixture.h"

static struct kt_parameter parameters[] = {
    {.name = "BLOCK", .kind = KT_PARAMETER_MACRO, .original = 128},
    {.name = "VEC", .kind = KT_PARAMETER_TEMPLATE, .template_index = 1},
    {.name = "OLD", .kind = KT_PARAMETER_MACRO, .fixed = "parameter-escapes"},
};
static const int64_t configuration[] = {256, -8, 1};

static struct kt_template make(const char *helpers, const char *head, const char *body)
{
	return (struct kt_template){.parameter_count = 3,
				    .parameters = parameters,
				    .helpers = helpers,
				    .head = head,
				    .body = body,
				    .body_line = 7};
}

static void expect(const struct kt_template *t, bool internal, int64_t arch, const char *file, const char *text)
{
	struct kt_render render = {t, configuration, "k_c3", internal, arch, file, false, 0, 0};
	struct kt_buf out = KT_BUF(1 << 16);
	struct kt_error err;

	fx_ok(kt_template_render(&out, &render, &err), &err);
	assert_string_equal(kt_buf_text(&out), text);
	kt_buf_free(&out);
}

static void test_plain(void **state)
{
	struct kt_template t =
	    make("", "__global__ void ${ktune:kernel}(int $$x, int $y)", "{ ${ktune:callee:1}(${VEC}); }");

	(void)state;
	expect(&t, false, 0, NULL,
	       "#pragma push_macro(\"BLOCK\")\n#undef BLOCK\n#define BLOCK 256\n"
	       "__global__ void k_c3(int $x, int $y)\n{ k_c3_f1((-8)); }\n#pragma pop_macro(\"BLOCK\")\n");
}

static void test_everything(void **state)
{
	struct kt_template t =
	    make("static int ${ktune:callee:0}();", "template <class T = A<(1 > 0)>>\n\tvoid ${ktune:kernel}()",
		 "{\n#if ${ktune:arch}\n#endif\n}");

	(void)state;
	expect(&t, true, 90, "a \"b\"\\c.cu",
	       "#pragma push_macro(\"BLOCK\")\n#undef BLOCK\n#define BLOCK 256\n"
	       "static int k_c3_f0();\n"
	       "template <class T = A<(1 > 0)>>\n\tKTUNE_GENERATED static void k_c3()\n"
	       "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900\n#line 7 \"a \\\"b\\\"\\\\c.cu\"\n"
	       "{\n#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900\n#endif\n}\n"
	       "#else\n{\n\t__trap();\n}\n#endif\n#pragma pop_macro(\"BLOCK\")\n");
}

static void refuse(const char *body, kt_status status, unsigned offset)
{
	struct kt_template t = make("", "h", body);
	struct kt_render render = {&t, configuration, "k", false, 0, NULL, false, 0, 0};
	struct kt_buf out = KT_BUF(1 << 16);
	struct kt_error err;

	assert_int_equal(kt_template_render(&out, &render, &err), status);
	assert_int_equal(err.offset, offset);
	kt_buf_free(&out);
}

static void test_bad_placeholders(void **state)
{
	(void)state;
	refuse("a ${NOPE}", KT_ERR_INVALID, 2);
	refuse("a ${", KT_ERR_SYNTAX, 2);
	refuse("${}", KT_ERR_INVALID, 0);
	refuse("${ktune:callee:}", KT_ERR_INVALID, 0);
	refuse("${ktune:place:}", KT_ERR_INVALID, 0);
	refuse("${ktune:place:3}", KT_ERR_INVALID, 0);
	refuse("${ktune:place:3:4}", KT_ERR_INVALID, 0);
	refuse("${ktune:place:3:0}", KT_ERR_INVALID, 0);
	refuse("${ktune:place:3:1x}", KT_ERR_INVALID, 0);
	refuse("${ktune:callee:1x}", KT_ERR_INVALID, 0);
	refuse("${ktune:callee:1234567}", KT_ERR_INVALID, 0);
	refuse("${BLOC}", KT_ERR_INVALID, 0);
}

static void test_ceiling(void **state)
{
	struct kt_template t = make("", "h", "{ a body that is longer than the ceiling of the buffer }");
	struct kt_render render = {&t, configuration, "k", false, 0, NULL, false, 0, 0};
	struct kt_buf out = KT_BUF(16);
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_template_render(&out, &render, &err), KT_ERR_MEMORY);
	kt_buf_free(&out);
}

static void test_arguments(void **state)
{
	struct kt_template t = make("", "", "");
	const char *arguments[] = {"__half", "128"};
	struct kt_instance instance = {.argument_count = 2, .arguments = arguments}, plain = {.argument_count = 0};
	struct kt_buf out = KT_BUF(256);
	struct kt_error err;

	(void)state;
	fx_ok(kt_template_arguments(&out, &t, &instance, configuration, &err), &err);
	fx_ok(kt_template_arguments(&out, &t, &plain, configuration, &err), &err);
	kt_buf_addc(&out, ' ');
	kt_configuration_print(&out, parameters, 2, configuration);
	assert_string_equal(kt_buf_text(&out), "<__half, (-8)> BLOCK=256 VEC=-8");
	kt_buf_free(&out);
}

static void test_wide_values(void **state)
{
	struct kt_parameter one = {.name = "N", .kind = KT_PARAMETER_CONSTANT};
	struct kt_template t = {.parameter_count = 1, .parameters = &one, .helpers = "", .head = "h", .body = "${N}"};
	static const struct {
		int64_t value;
		const char *text;
	} rows[] = {{2147483647, "h\n2147483647\n"},
		    {2147483648, "h\n2147483648LL\n"},
		    {INT64_MIN, "h\n(-9223372036854775807LL - 1)\n"},
		    {-3000000000, "h\n(-3000000000LL)\n"}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct kt_render render = {&t, &rows[i].value, "k", false, 0, NULL, false, 0, 0};
		struct kt_buf out = KT_BUF(256);
		struct kt_error err;

		fx_ok(kt_template_render(&out, &render, &err), &err);
		assert_string_equal(kt_buf_text(&out), rows[i].text);
		kt_buf_free(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_plain),   cmocka_unit_test(test_everything), cmocka_unit_test(test_bad_placeholders),
	    cmocka_unit_test(test_ceiling), cmocka_unit_test(test_arguments),  cmocka_unit_test(test_wide_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
