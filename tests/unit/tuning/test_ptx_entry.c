#include "fixture.h"

#include "tuning/ptx_entry.h"

static void assert_extracted(const char *ptx, const char *kernel, const char *expected)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	struct kt_buf out = KT_BUF(65536);
	struct kt_ptx_module *module;
	struct kt_error err;
	const char *const *names;
	size_t at = 0;

	assert_int_equal(kt_ptx_open(&module, arena, ptx, strlen(ptx), &err), KT_OK);
	const size_t count = kt_ptx_kernels(&names, module);

	while (at < count && strcmp(names[at], kernel) != 0)
		at++;
	assert_true(at < count);
	assert_int_equal(kt_ptx_extract(&out, module, at, &err), KT_OK);
	assert_string_equal(kt_buf_text(&out), expected);
	kt_buf_free(&out);
	kt_arena_free(arena);
}

#define HELPER ".func (.param .b32 func_retval0) helper(\n.param .b32 p\n)\n{\nld.global.f32 %f1, [table];\nret;\n}\n"
#define TABLE ".global .align 4 .f32 table = {1, 2};\n"
#define K ".visible .entry k(\n.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{\nbra $L__BB1_2;\n$L__BB1_2:\ncall helper;\n}\n"
#define K_OUT ".visible .entry k(\n.param .u64 k_param_0\n)\n.maxntid 256, 1, 1\n{\nbra $1;\n$1:\ncall helper;\n}\n"
#define OTHER ".visible .entry other(\n)\n{\n.local .b8 __local_depot0[4];\nld.global.f32 %f1, [mine];\n}\n"
#define MINE ".global .f32 mine;\n"

static void test_alone(void **state)
{
	static const char expected[] = K_OUT HELPER TABLE;

	(void)state;
	/* The rest of the module, and the order of what is needed, have no effect. */
	assert_extracted(".address_size 64\n" TABLE HELPER K, "k", expected);
	assert_extracted(".address_size 64\n" MINE TABLE HELPER OTHER K, "k", expected);
	assert_extracted(HELPER K TABLE OTHER MINE, "k", expected);
	assert_extracted(MINE OTHER K, "other",
	                 ".visible .entry other(\n)\n{\n.local .b8 $1[4];\nld.global.f32 %f1, [mine];\n}\n" MINE);
}

static void test_forms(void **state)
{
	(void)state;
	/* A declaration and a definition of one name; a table in braces; a text with a sign that ends statements. */
	assert_extracted(".func f(\n)\n;\n.extern .shared .align 16 .b8 s[];\n.entry k()\n{\ncall f;\nst [s];\n.pragma \"a;}\";\n}\n"
	                 ".func f(\n)\n{\nret;\n}\n",
	                 "k",
	                 ".entry k()\n{\ncall f;\nst [s];\n.pragma \"a;}\";\n}\n.func f(\n)\n;\n.func f(\n)\n{\nret;\n}\n"
	                 ".extern .shared .align 16 .b8 s[];\n");
	/* Text constants are numbered over the module. */
	assert_extracted(".global .b8 $str[2] = {1};\n.global .b8 $str$1[2] = {2};\n.entry a()\n{\nmov $str;\n}\n"
	                 ".entry b()\n{\nmov $str$1;\n}\n",
	                 "b", ".entry b()\n{\nmov $1;\n}\n.global .b8 $1[2] = {2};\n");
	/* Two functions that refer to each other, and a text that ends too early. */
	assert_extracted(".func f()\n{\ncall g;\n}\n.func g()\n{\ncall f;\n}\n.entry k()\n{\ncall g;\n}\n", "k",
	                 ".entry k()\n{\ncall g;\n}\n.func g()\n{\ncall f;\n}\n.func f()\n{\ncall g;\n}\n");
	assert_extracted(".entry k()\n{\nmov \"", "k", ".entry k()\n{\nmov \"\n");
}

/* Two kernels of one module are one text where names alone differ, and where code does they are not. */
static void test_unnamed(void **state)
{
#define ONE(name, f, tile, instruction, offset)                                                                        \
	".func " f "(.param .b32 " f "_param_0)\n{\nld.param.u32 %r1, [" f "_param_0];\nret;\n}\n"                      \
	".entry " name "(.param .u64 " name "_param_0)\n{\n.shared .align 4 .b8 " tile "[64];\n"                         \
	"ld.param.u64 %rd1, [" name "_param_0];\n" instruction " %r1, " tile offset ";\ncall " f ";\n$L_" name ":\nret;\n}\n"
#define TWO(name, first, bytes, second, more, used, last)                                                              \
	".entry " name "()\n{\n.shared .align 4 .b8 " first "[" bytes "];\n.shared .align 4 .b8 " second "[" more "];\n" \
	"mov.u32 %r1, " used ";\nmov.u32 %r2, " last ";\nret;\n}\n"
	static const struct {
		const char *text;
		bool equal;
	} rows[] = {
	    {ONE("a", "f", "s", "mov.u32", "") ONE("b", "g", "t", "mov.u32", ""), true},
	    {ONE("a", "f", "s", "mov.u32", "") ONE("b", "g", "t", "mov.u32", "+4"), false},
	    {ONE("a", "f", "s", "mov.u32", "") ONE("b", "g", "t", "cvta.u32", ""), false},
	    /* What is not declared keeps its name: one register is not another one. */
	    {ONE("a", "f", "s", "add %x,", "") ONE("b", "g", "t", "add %y,", ""), false},
	    /* An instruction of a variable's name is none. */
	    {ONE("a", "f", "add", "mov.u32", "") ONE("b", "g", "sub", "mov.u32", ""), true},
	    /* Arrays in shared memory in another order, of which no address depends, and exchanged, or of another size. */
	    {TWO("a", "s", "64", "t", "32", "s", "t") TWO("b", "v", "32", "u", "64", "u", "v"), true},
	    {TWO("a", "s", "64", "t", "64", "s", "t") TWO("b", "v", "64", "u", "64", "v", "u"), true},
	    {TWO("a", "s", "64", "t", "32", "s", "t") TWO("b", "v", "32", "u", "64", "v", "u"), false},
	    {TWO("a", "s", "64", "t", "32", "s", "t") TWO("b", "v", "16", "u", "64", "u", "v"), false},
	    {TWO("a", "s", "64", "t", "32", "s", "s") TWO("b", "v", "32", "u", "64", "u", "v"), false},
	    /* A kernel that is static in its file, one of a template, and one that is neither. */
	    {".entry a()\n{\nret;\n}\n.visible .entry b()\n{\nret;\n}\n", true},
	    {".weak .entry a()\n{\nret;\n}\n.entry b()\n{\nret;\n}\n", true},
	    {".entry a()\n{\nret;\n}\n.visible .entry b()\n{\nexit;\n}\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(1 << 20);
		struct kt_buf texts[2] = {KT_BUF(1 << 16), KT_BUF(1 << 16)};
		struct kt_ptx_module *module;
		struct kt_error err;
		const char *const *names;

		assert_int_equal(kt_ptx_open(&module, arena, rows[i].text, strlen(rows[i].text), &err), KT_OK);
		assert_int_equal(kt_ptx_kernels(&names, module), 2);
		for (size_t k = 0; k < 2; k++)
			assert_int_equal(kt_ptx_extract_unnamed(&texts[k], module, k, &err), KT_OK);
		if ((strcmp(kt_buf_text(&texts[0]), kt_buf_text(&texts[1])) == 0) != rows[i].equal)
			fail_msg("row %zu:\n%s\n%s", i, kt_buf_text(&texts[0]), kt_buf_text(&texts[1]));
		kt_buf_free(&texts[0]);
		kt_buf_free(&texts[1]);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone), cmocka_unit_test(test_forms),
	                                   cmocka_unit_test(test_unnamed)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
