/* The plain generator: the kernel as written with launch bounds, and what it leaves alone. */
#include "../emit/region_fixture.h"
#include "generation/generation.h"

#define KERNEL(head) head "\n{\n\ty[threadIdx.x] = x[threadIdx.x];\n}\n"

static struct fixture_spec spec_of(const char *source, const char *definition, const char *block)
{
	return (struct fixture_spec){.source = source, .kernel = "k", .definition = definition,
				     .types = {"float *", "const float *"}, .names = {"y", "x"}, .grid = {"4"},
				     .block = {block}};
}

static void test_text(void **state)
{
	static const int64_t configuration[] = {1024};
	const struct fixture_spec spec = spec_of(KERNEL("static __global__ void k(float *y, const float *x)"), "static", "256");
	struct kt_buf out = KT_BUF(1 << 16);
	struct fixture f;
	struct kt_template *t;
	struct kt_error err;

	(void)state;
	fx_open(&f, &spec);
	fx_ok(kt_generate_plain(&t, f.arena, &f.region, f.source, strlen(f.source), &err), &err);
	assert_string_equal(t->generator, "plain");
	assert_true(kt_template_is_generated(t) && kt_generator_has_recipes(t->generator));
	assert_int_equal(t->parameter_count, 1);
	assert_string_equal(t->parameters[0].name, "RESIDENT");
	assert_memory_equal(t->parameters[0].values, ((int64_t[]){0, 256, 1024, 1536, 2048}), 5 * sizeof(int64_t));
	assert_int_equal(t->parameters[0].value_count, 5);
	assert_int_equal(t->restriction_count, 2);
	assert_string_equal(t->restrictions[1].text, "RESIDENT <= 256 * device.max_blocks_per_multiprocessor");
	assert_string_equal(t->strategies[0].name, "launch_bounds");
	fx_ok(kt_template_render(&out, &(struct kt_render){.template_ = t, .configuration = configuration, .name = "v"}, &err),
	      &err);
	assert_non_null(strstr(kt_buf_text(&out), "__global__ void __launch_bounds__(256, 4) v(float *y, const float *x)\n{"));
	kt_buf_clear(&out);
	fx_ok(kt_template_render(&out, &(struct kt_render){.template_ = t, .configuration = (int64_t[]){0}, .name = "v"}, &err),
	      &err);
	assert_non_null(strstr(kt_buf_text(&out), "__global__ void v(float *y, const float *x)\n{"));
	kt_buf_free(&out);
	fx_close(&f);
}

static void test_refused(void **state)
{
	static const struct {
		const char *source, *definition, *block, *why;
	} rows[] = {
	    {KERNEL("__global__ void k(float *y, const float *x)"), "__global__", "64", NULL},
	    {KERNEL("__global__ void k(float *y, const float *x)"), "__global__", "n", "the block of the launches is no constant; write block(N) where the program always launches N threads"},
	    {KERNEL("__global__ void k(float *y, const float *x)"), "__global__", "2048", "the block of the launches is no constant; write block(N) where the program always launches N threads"},
	    {KERNEL("__global__ void __launch_bounds__(64) k(float *y, const float *x)"), "__global__", "64",
	     "the kernel has attributes, and may have launch bounds"},
	    {KERNEL("__global__ BOUNDED void k(float *y, const float *x)"), "__global__", "64",
	     "the kernel has attributes, and may have launch bounds"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct fixture_spec spec = spec_of(rows[i].source, rows[i].definition, rows[i].block);
		struct fixture f;
		struct kt_template *t;
		struct kt_error err;
		kt_status status;

		fx_open(&f, &spec);
		status = kt_generate_plain(&t, f.arena, &f.region, f.source, strlen(f.source), &err);
		if ((status == KT_OK) != (rows[i].why == NULL))
			fail_msg("%s: %s", rows[i].source, status == KT_OK ? "accepted" : err.message);
		if (rows[i].why != NULL)
			assert_string_equal(err.message, rows[i].why);
		f.region.language = KT_LANGUAGE_OPENCL;
		assert_int_equal(kt_generate_plain(&t, f.arena, &f.region, f.source, strlen(f.source), &err), KT_ERR_INVALID);
		fx_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_text), cmocka_unit_test(test_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
