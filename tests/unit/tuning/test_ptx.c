#include "compile_fixture.h"

#include "tuning/early.h"

static void assert_normal(const char *ptx, const char *expected)
{
	struct kt_buf out = KT_BUF(65536);

	kt_ptx_normalise(&out, ptx, strlen(ptx));
	assert_string_equal(kt_buf_text(&out), expected);
	kt_buf_free(&out);
}

static void test_drops(void **state)
{
	(void)state;
	assert_normal("", "");
	assert_normal("//\n// Compiler\n\n.version 9.0\n.target sm_90a, texmode\n.address_size 64\n", ".address_size 64\n");
	assert_normal("\tadd.s32 \t%r1,  %r2, 3; // why\n/* a\nb */ret;\n", "add.s32 %r1, %r2, 3;\nret;\n");
	assert_normal(".file 1 \"/a/b.cu\", 17, 3\n.loc 1 5 3\nret;", "ret;\n");
	assert_normal(".pragma \"no  unroll // x\";\n", ".pragma \"no  unroll // x\";\n");
	assert_normal(".section .debug_str\n{\ninfo0:\n.b8 95, 0\n{ .b8 1 }\n}\nret;\n", "ret;\n");
	assert_normal(".section .debug_str { .b8 1 }\nret;\n", "ret;\n");
	assert_normal(".section .debug_str\n{ never closed\nret;\n", "");
	assert_normal(".versioned x;\n.section .other\n", ".versioned x;\n.section .other\n");
}

static void test_unit_names(void **state)
{
	(void)state;
	assert_normal("_ZN34_INTERNAL_6a1b3b9f_4_a_cu_0aeb4af43ops5tableE", "_ZN_INTERNAL_3ops5tableE\n");
	assert_normal("_ZN39_INTERNAL_00000000_9_longer_cu_ffffffff3ops5tableE", "_ZN_INTERNAL_3ops5tableE\n");
	assert_normal("_ZN3ops36_GLOBAL__N__6a1b3b9f_4_a_cu_0aeb4af42akEPf", "_ZN3ops_GLOBAL__N_2akEPf\n");
	/* Not such a name: stays. */
	assert_normal("_INTERNAL_", "_INTERNAL_\n");
	assert_normal("_INTERNAL_6a1b3b9f_4_a_c", "_INTERNAL_6a1b3b9f_4_a_c\n");
	assert_normal("_INTERNAL_6a1b3b9f_9999_a_cu_0aeb4af4", "_INTERNAL_6a1b3b9f_9999_a_cu_0aeb4af4\n");
	assert_normal("_INTERNAL_xyz", "_INTERNAL_xyz\n");
}

#define KERNEL(helper, comment, kernel) \
	"static __device__ float table[4];\n" helper "\n" comment \
	"namespace {\n__global__ void scale(float *x, int n)\n" kernel "\n}\n"
#define HELPER "__device__ float twice(float v) { return v * 2.0f; }"
#define BODY "{ if (threadIdx.x < n) x[threadIdx.x] = twice(x[threadIdx.x]) + table[n]; }"

static kt_status make_baseline(struct kt_buf *out, const char **symbol, struct compile_fixture *c, const char *text)
{
	struct kt_early early;
	kt_status status = kt_early_original(&early, c->f.arena, &c->compile, &c->f.template_, &c->f.instance, text,
	                                     strlen(text), KT_UNIT_PTX, 0, &c->f.err);

	if (status == KT_OK)
		status = kt_baseline_ptx(out, symbol, c->f.arena, &early, &c->f.region, &c->f.instance, &c->f.err);
	return status;
}

static char *baseline(struct compile_fixture *c, const char *text)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_range extent = {0, 0};
	const char *kernel = strstr(text, "__global__ void scale");

	assert_non_null(kernel);
	extent.begin = (uint32_t)(kernel - text);
	extent.end = (uint32_t)strlen(text);
	c->f.region.extent = extent;
	const char *symbol = NULL;
	if (make_baseline(&out, &symbol, c, text) != KT_OK)
		fail_msg("%s", c->f.err.message);
	char *kept = kt_arena_strdup(c->f.arena, kt_buf_text(&out));
	kt_buf_free(&out);
	assert_non_null(strstr(kept, "scale"));
	assert_null(strstr(kept, ".target"));
	return kept;
}

static void test_what_changes_it(void **state)
{
	struct compile_fixture c;

	(void)state;
	COMPILE_OPEN(&c);
	c.f.region.qualified = "(anonymous namespace)::scale";
	c.f.region.in_anonymous_namespace = true;
	c.f.template_.head = "__global__ void ${ktune:kernel}(float *x, int n)";
	c.f.template_.body = BODY;
	c.arguments[2] = kt_arena_strdup(c.f.arena, "-lineinfo");
	const char *first = baseline(&c, KERNEL(HELPER, "", BODY));
	/* Comments, formatting, other functions in front and behind, the directory. */
	assert_string_equal(first, baseline(&c, KERNEL(HELPER, "/* said\n twice */ // more\n\n\n", "\n" BODY)));
	assert_string_equal(first, baseline(&c, "__device__ int unused(int i) { return i + 1; }\n\n" KERNEL(
	                                            HELPER, "static __device__ int u2() { return 7; }\n", BODY)));
	c.compile.scratch = c.source_directory;
	c.compile.directory = "/";
	assert_string_equal(first, baseline(&c, KERNEL(HELPER, "", BODY)));
	/* A helper, a flag. */
	assert_string_not_equal(
	    first, baseline(&c, KERNEL("__device__ float twice(float v) { return v * 3.0f; }", "", BODY)));
	c.arguments[2] = kt_arena_strdup(c.f.arena, "-DHALF");
	assert_string_not_equal(first, baseline(&c, KERNEL("#ifdef HALF\n__device__ float twice(float v) { return v; }\n"
	                                                   "#else\n" HELPER "\n#endif\n",
	                                                   "", BODY)));
	compile_close(&c);
}

static void test_does_not_compile(void **state)
{
	static const char text[] = "__global__ void scale(float *x, int n) { x[0] = nonsense; }\n";
	struct compile_fixture c;
	struct kt_buf out = KT_BUF(65536);

	(void)state;
	COMPILE_OPEN(&c);
	c.f.template_.head = c.f.template_.body = "";
	const char *symbol = NULL;
	assert_int_equal(make_baseline(&out, &symbol, &c, text), KT_ERR_CHILD);
	assert_non_null(strstr(c.f.err.message, "nonsense"));
	assert_int_equal(out.size, 0);
	kt_buf_free(&out);
	compile_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_drops),
	    cmocka_unit_test(test_unit_names),
	    cmocka_unit_test(test_what_changes_it),
	    cmocka_unit_test(test_does_not_compile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
