/* The explicit generator and the slice, on the shapes that emission is tested with. */
#include "../emit/shapes.h"
#include "generation/generation.h"

static struct kt_template *generate(struct fixture *f)
{
	struct kt_template *t;
	struct kt_error err;

	fx_ok(kt_generate_explicit(&t, f->arena, &f->region, f->source, strlen(f->source), &err), &err);
	return t;
}

static void test_macro(void **state)
{
	struct fixture f;
	struct kt_template *t;

	(void)state;
	fx_open(&f, &shapes[0].spec);
	t = generate(&f);
	assert_string_equal(
	    t->head, "__global__ void __launch_bounds__(BLOCK) ${ktune:kernel}(float *y, const float *x, int n)");
	assert_string_equal(t->body,
			    "{\n\tint i = blockIdx.x * BLOCK + threadIdx.x;\n\tif (i < n)\n\t\ty[i] = 2 * x[i];\n}");
	assert_string_equal(t->helpers, "");
	assert_int_equal(t->body_line, 5);
	assert_ptr_equal(t->region, &f.region);
	fx_close(&f);
}

static void test_constant(void **state)
{
	struct fixture f;
	struct kt_template *t;

	(void)state;
	fx_open(&f, &shapes[1].spec);
	t = generate(&f);
	assert_string_equal(t->helpers,
			    "template <typename T> static __device__        inline T ${ktune:callee:0}(T v)\n{\n"
			    "\treturn v / (decltype(TILE){${TILE}} / 8);\n}\n");
	assert_string_equal(t->head, "       __global__ void ${ktune:kernel}(float *__restrict__ y, int rows)");
	assert_non_null(strstr(t->body, "float t[decltype(TILE){${TILE}}];"));
	assert_non_null(strstr(t->body, "= ${ktune:callee:0}(y["));
	fx_close(&f);
}

static void test_defaults_and_linkage(void **state)
{
	struct fixture f;

	(void)state;
	fx_open(&f, &shapes[4].spec);
	assert_string_equal(generate(&f)->head, "__global__ void ${ktune:kernel}(float *y, int rows )");
	fx_close(&f);
	fx_open(&f, &shapes[5].spec);
	assert_string_equal(generate(&f)->head,
			    "       __global__ void ${ktune:kernel}(float (*y)[4], const int k, int (*unused)(int))");
	fx_close(&f);
}

static void test_dollars_directives_and_fixed(void **state)
{
	struct fixture_spec spec = {
	    .source = "extern \"C\" __global__ void k(int *p, const char *s = \"a, b)\", int q "
		      "= N + 1)\n{\n#pragma unroll N\n"
		      "\tfor (int $i = 0; $i < N; $i++)\n\t\tp[$i] = M;\n}\n",
	    .kernel = "k",
	    .definition = "extern",
	    .types = {"int *", "const char *", "int"},
	    .names = {"p", "s", "q"},
	    .defaults = {NULL, "\"a, b)\"", "N+1"},
	    .parameters = {{"N", KT_PARAMETER_CONSTANT, 4, 0}, {"M", KT_PARAMETER_CONSTANT, 4, 0}}};
	struct fixture f;
	struct kt_template *t;

	(void)state;
	fx_open(&f, &spec);
	/* The fixture matches brackets without looking into strings. */
	f.region.parameters_range.end = (uint32_t)fx_find(f.source, "\n{", 0);
	f.region.body.begin = f.region.parameters_range.end + 1;
	f.region.parameters[1].fixed = "parameter-escapes";
	t = generate(&f);
	assert_string_equal(t->head, "           __global__ void ${ktune:kernel}(int *p, const char *s , int q )");
	assert_string_equal(t->body, "{\n#pragma unroll ${N}\n\tfor (int $$i = 0; $$i < decltype(N){${N}}; $$i++)\n"
				     "\t\tp[$$i] = M;\n}");
	fx_close(&f);
}

static void refuse(struct fixture *f)
{
	struct kt_template *t;
	struct kt_error err;

	assert_int_equal(kt_generate_explicit(&t, f->arena, &f->region, f->source, strlen(f->source), &err),
			 KT_ERR_INVALID);
	assert_true(err.message[0] != '\0');
}

static void test_damage(void **state)
{
	struct fixture f;

	(void)state;
	fx_open(&f, &shapes[1].spec);
	f.region.body.end = 100000;
	refuse(&f);
	fx_close(&f);
	fx_open(&f, &shapes[1].spec);
	f.region.edits[0].index = 9;
	refuse(&f);
	fx_close(&f);
	fx_open(&f, &shapes[1].spec);
	f.region.edits[1].range.begin = f.region.edits[0].range.begin;
	refuse(&f);
	fx_close(&f);
	fx_open(&f, &shapes[1].spec);
	f.region.callees[0].extent.begin = f.region.callees[0].extent.end + 1;
	refuse(&f);
	fx_close(&f);
}

static void test_cluster(void **state)
{
	struct fixture_spec spec = {.source = "__global__ void __cluster_dims__(2) k(int n)\n{\n}\n",
				    .kernel = "k",
				    .definition = "__global__",
				    .types = {"int"},
				    .names = {"n"}};
	struct fixture f;

	(void)state;
	fx_open(&f, &spec);
	refuse(&f);
	fx_close(&f);
}

static void test_slice(void **state)
{
	struct fixture f;
	struct kt_buf out = KT_BUF(1 << 16);
	struct kt_range drop;

	(void)state;
	fx_open(&f, &shapes[0].spec);
	drop = fx_range(fx_find(f.source, "void run", 0), strlen(f.source) - 1);
	f.region.drops = &drop;
	f.region.drop_count = 1;
	kt_slice(&out, &f.region, f.source, strlen(f.source), NULL);
	assert_string_equal(
	    kt_buf_text(&out),
	    "#line 1 \"k.cu\"\n#define BLOCK 256\n \n\n"
	    "__global__ void __launch_bounds__(BLOCK) scale(float *y, const float *x, int n)\n"
	    "{\n\tint i = blockIdx.x * BLOCK + threadIdx.x;\n\tif (i < n)\n\t\ty[i] = 2 * x[i];\n}\n \n\n\n\n");
	kt_buf_free(&out);
	fx_close(&f);
}

/* A plain kernel that nothing else names is left out of what candidates are compiled behind; a template costs nothing. */
static void test_slice_without_the_kernel(void **state)
{
	struct fixture f;
	struct kt_buf out = KT_BUF(1 << 16), whole = KT_BUF(1 << 16);
	struct kt_range drops[2];

	(void)state;
	fx_open(&f, &shapes[0].spec);
	/* A part of the kernel that is left out anyway, and the launch behind it. */
	drops[0] = fx_range(fx_find(f.source, "if (i < n)", 0), fx_find(f.source, "y[i] = 2", 0));
	drops[1] = fx_range(fx_find(f.source, "void run", 0), strlen(f.source) - 1);
	f.region.drops = drops;
	f.region.drop_count = 2;
	f.region.extent = fx_range(fx_find(f.source, "__global__", 0), fx_find(f.source, "void run", 0) - 1);
	kt_slice_bare(&out, &f.region, f.source, strlen(f.source), NULL);
	assert_string_equal(kt_buf_text(&out), "#line 1 \"k.cu\"\n#define BLOCK 256\n \n\n \n\n\n\n\n\n \n\n\n\n");
	/* Where the launch stays it names the kernel; so it does where it is a template. */
	for (int i = 0; i < 2; i++) {
		kt_buf_clear(&out);
		kt_buf_clear(&whole);
		f.region.drops = i == 0 ? drops : &drops[1];
		f.region.drop_count = 1;
		f.region.template_count = i == 0 ? 0 : 1;
		kt_slice_bare(&out, &f.region, f.source, strlen(f.source), "k");
		kt_slice(&whole, &f.region, f.source, strlen(f.source), "k");
		assert_string_equal(kt_buf_text(&out), kt_buf_text(&whole));
	}
	f.region.template_count = 0;
	kt_buf_free(&out);
	kt_buf_free(&whole);
	fx_close(&f);
}

/* What stands above a kernel must not move its lines: assert would put them into the code. */
static void test_slice_of_key(void **state)
{
	struct fixture f;
	struct kt_buf out = KT_BUF(1 << 16);

	(void)state;
	fx_open(&f, &shapes[1].spec);
	kt_slice(&out, &f.region, f.source, strlen(f.source), "k");
	assert_non_null(
	    strstr(kt_buf_text(&out), "\n#line 1 \"k\"\ntemplate <typename T> __device__ static inline T half_of"));
	assert_non_null(strstr(kt_buf_text(&out), "\n#line 1 \"k\"\nstatic __global__ void halve"));
	assert_int_equal(strncmp(kt_buf_text(&out), "#line 1 \"k\"\n", 12), 0);
	assert_null(strstr(kt_buf_text(&out), "ktune"));
	kt_buf_free(&out);
	fx_close(&f);
}

static void test_scope_and_instance(void **state)
{
	struct kt_region region = {.qualified = "a::(anonymous namespace)::b::k"};
	struct kt_buf out = KT_BUF(1 << 12);

	(void)state;
	kt_slice_scope(&out, &region, true);
	kt_slice_scope(&out, &region, false);
	kt_instantiate(&out, "k_c3", "<float>", 4);
	kt_instantiate(&out, "k_c4", "", 5);
	assert_string_equal(kt_buf_text(&out), "namespace a {\nnamespace b {\n}\n}\n"
					       "void *ktune_use_4() { return (void *)k_c3<float>; }\n");
	kt_buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_macro),
	    cmocka_unit_test(test_constant),
	    cmocka_unit_test(test_defaults_and_linkage),
	    cmocka_unit_test(test_dollars_directives_and_fixed),
	    cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_cluster),
	    cmocka_unit_test(test_slice), cmocka_unit_test(test_slice_without_the_kernel),
	    cmocka_unit_test(test_slice_of_key),
	    cmocka_unit_test(test_scope_and_instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
