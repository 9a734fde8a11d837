#include "compile_fixture.h"

#include "base/image.h"
#include "base/proc.h"
#include "base/symbol.h"
#include "tuning/cubin.h"
#include "tuning/rng.h"

static const char kernels[] = "extern \"C\" __global__ void add(float *x) { x[0] += 1; }\n"
                             "namespace n { struct add {}; __global__ void add_more(float *x, add) { x[0] += 2; } }\n"
                             "template <int N> __global__ void mul(float *x) { x[0] *= N; }\n"
                             "template __global__ void mul<3>(float *);\n"
                             "extern \"C\" __global__ void keep(float *x) {\n"
                             "  __shared__ float s[1000]; float a[100];\n"
                             "  for (int i = 0; i < 100; i++) a[i] = x[i];\n"
                             "  s[threadIdx.x] = x[threadIdx.x]; __syncthreads();\n"
                             "  x[threadIdx.x] = a[(int)x[0] % 100] + s[threadIdx.x ^ 1]; }\n";

static const char with_variables[] =
    "__device__ float plain[8]; static __device__ int hidden[4]; __constant__ float table[16];\n"
    "namespace { __device__ double unnamed[2]; } namespace n { static __constant__ float inner[4]; }\n"
    "__global__ void k(float *x) { const int i = threadIdx.x; plain[i] += x[i] + table[i] * n::inner[i];\n"
    "  hidden[i]++; unnamed[i] += hidden[i]; }\n";

static void make_cubin(struct compile_fixture *c, struct kt_buf *out, char **path, const char *source)
{
	struct kt_proc_result result;
	char *input = kt_path_join(c->f.arena, c->source_directory, "a.cu");
	char cubin[] = "-cubin", arch[] = "-arch=sm_90", to[] = "-o";

	compile_write(c, "a.cu", source);
	*path = kt_path_join(c->f.arena, c->scratch, "a.cubin");
	char *const argv[] = {c->arguments[0], cubin, arch, to, *path, input, NULL};
	assert_int_equal(kt_proc_run(&result, argv, NULL, NULL, NULL, &c->f.err), KT_OK);
	assert_int_equal(result.code, 0);
	assert_int_equal(kt_fs_read(out, *path, &c->f.err), KT_OK);
}

static void test_real(void **state)
{
	struct compile_fixture c;
	struct kt_cubin cubin;
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	char *path;

	(void)state;
	COMPILE_OPEN(&c);
	make_cubin(&c, &data, &path, kernels);
	assert_int_equal(kt_cubin_parse(&cubin, c.f.arena, data.data, data.size, &c.f.err), KT_OK);
	assert_int_equal(cubin.count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_true(cubin.functions[i].kernel);
		assert_in_range(cubin.functions[i].registers, 4, 255);
	}
	/* What `ptxas -v` says: 4000 bytes of shared memory, an array that is indexed stays in memory. */
	assert_int_equal(kt_cubin_find(&cubin, "keep")->shared_bytes, 4000);
	assert_int_equal(kt_cubin_find(&cubin, "keep")->local_bytes, 400);
	assert_int_equal(kt_cubin_find(&cubin, "add")->shared_bytes, 0);
	assert_int_equal(kt_cubin_find(&cubin, "add")->local_bytes, 0);
	assert_null(kt_cubin_find(&cubin, "nothing"));
	assert_string_equal(kt_cubin_pick(&cubin, "add"), "add");
	assert_string_equal(kt_cubin_pick(&cubin, "8add_more"), "_ZN1n8add_moreEPfNS_3addE");
	assert_string_equal(kt_cubin_pick(&cubin, "3mul"), "_Z3mulILi3EEvPf");
	assert_null(kt_cubin_pick(&cubin, "nothing"));
	kt_buf_free(&data);
	compile_close(&c);
}

/* Every variable is there, under the name that clang has for it, and nothing else. */
static void test_variables(void **state)
{
	static const char *const wanted[] = {"plain", "_ZL6hidden", "table", "_ZN12_GLOBAL__N_17unnamedE", "_ZN1nL5innerE"};
	struct compile_fixture c;
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	const char **names = NULL;
	size_t count = 0;
	char *path;

	(void)state;
	COMPILE_OPEN(&c);
	make_cubin(&c, &data, &path, with_variables);
	struct kt_image image = {.data = (const unsigned char *)data.data, .size = data.size};
	assert_int_equal(kt_image_open(&image, &c.f.err), KT_OK);
	assert_int_equal(kt_image_variables(&names, &count, c.f.arena, &image, &c.f.err), KT_OK);
	assert_int_equal(count, sizeof wanted / sizeof *wanted);
	for (size_t w = 0; w < count; w++) {
		const char *form = kt_symbol_variable(c.f.arena, wanted[w]);
		size_t found = 0;

		for (size_t i = 0; i < count; i++)
			found += strcmp(kt_symbol_variable(c.f.arena, names[i]), form) == 0;
		if (found != 1)
			fail_msg("%s: %zu of that name", wanted[w], found);
	}
	kt_buf_free(&data);
	compile_close(&c);
}

static void test_pick(void **state)
{
	struct kt_cubin_entry entries[] = {
	    {.name = "_Z14silu_and_thingPf", .kernel = true}, {.name = "_Z3fooN4silu3BarE", .kernel = true},
	    {.name = "_ZN3ops4siluIfEEvPf", .kernel = true},
	    {.name = "_Z4siluv", .kernel = false},
	};
	const struct kt_cubin cubin = {4, entries};

	(void)state;
	assert_string_equal(kt_cubin_pick(&cubin, "4silu"), "_Z3fooN4silu3BarE");
	entries[3].kernel = true;
	assert_string_equal(kt_cubin_pick(&cubin, "4silu"), "_Z4siluv");
	assert_string_equal(kt_cubin_pick(&cubin, "silu_and"), "_Z14silu_and_thingPf");
}

/* Exactly sized copies, so that a read behind the end is seen by a sanitiser. */
static void parse_copy(struct kt_arena *arena, const char *data, size_t size, bool must_fail)
{
	struct kt_cubin cubin = {0, NULL};
	struct kt_error err;
	char *copy = malloc(size > 0 ? size : 1);

	assert_non_null(copy);
	memcpy(copy, data, size);
	const kt_status status = kt_cubin_parse(&cubin, arena, copy, size, &err);
	if (must_fail)
		assert_int_equal(status, KT_ERR_CORRUPT);
	if (status == KT_OK)
		for (size_t i = 0; i < cubin.count; i++)
			assert_true(strlen(cubin.functions[i].name) > 0);
	struct kt_image image = {.data = (const unsigned char *)copy, .size = size};
	const char **names;
	size_t count;
	if (kt_image_open(&image, &err) == KT_OK && kt_image_variables(&names, &count, arena, &image, &err) == KT_OK)
		for (size_t i = 0; i < count; i++)
			assert_true(strlen(names[i]) < size);
	free(copy);
}

static void test_damaged(void **state)
{
	struct compile_fixture c;
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);
	struct kt_arena *arena = kt_arena_new((size_t)1 << 30);
	struct kt_rng rng;
	char *path;

	(void)state;
	COMPILE_OPEN(&c);
	make_cubin(&c, &data, &path, with_variables);
	/* Its section headers stand behind the code, so a cut-off file always lacks some. */
	for (size_t size = 0; size < 256; size++)
		parse_copy(arena, data.data, size, true);
	for (size_t size = 256; size < data.size; size += 61)
		parse_copy(arena, data.data, size, false);
	kt_rng_seed(&rng, 3);
	for (int round = 0; round < 4000; round++) {
		/* Half of the flips hit the file header, where the fields are that say where things are. */
		const size_t at = (size_t)kt_rng_below(&rng, round % 2 == 0 ? 64 : data.size);
		const char before = data.data[at];

		data.data[at] = (char)((unsigned char)before ^ (1u << kt_rng_below(&rng, 8)));
		parse_copy(arena, data.data, data.size, false);
		data.data[at] = before;
	}
	parse_copy(arena, "\177ELF\2\1 but nothing else, and text up to the size of a header, so that it is read", 80,
	           true);
	kt_arena_free(arena);
	kt_buf_free(&data);
	compile_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_pick),
	    cmocka_unit_test(test_real),
	    cmocka_unit_test(test_variables),
	    cmocka_unit_test(test_damaged),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
