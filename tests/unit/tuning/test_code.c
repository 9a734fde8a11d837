/* Hashes of machine code: what they leave out and what they hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/proc.h"
#include "tuning/code.h"
#include "tuning/cubin.h"

static struct kt_arena *arena;
static char *folder;
static struct kt_error err;

/* The cubin of a text; NULL: there is no nvcc. */
static const char *compile(const char *name, const char *text)
{
	char *nvcc = kt_path_find_program(arena, "nvcc"), *source = kt_arena_printf(arena, "%s/%s.cu", folder, name);
	char *cubin = kt_arena_printf(arena, "%s/%s.cubin", folder, name);
	struct kt_proc_result result;

	if (nvcc == NULL)
		nvcc = kt_path_find_program(arena, "/usr/local/cuda/bin/nvcc");
	if (nvcc == NULL)
		return NULL;
	const char *argv[] = {nvcc, "-cubin", "-arch=sm_90", "-o", cubin, source, NULL};
	assert_int_equal(kt_fs_write(source, text, strlen(text), &err), KT_OK);
	assert_int_equal(kt_proc_run(&result, (char *const *)argv, NULL, NULL, NULL, &err), KT_OK);
	assert_int_equal(result.code, 0);
	return cubin;
}

static void modules_are_told_apart(void **state)
{
	static const struct {
		const char *name, *text;
		bool same;
	} rows[] = {
	    {"5kt_c1", "__constant__ int a, b; __global__ void kt_c1(int *x) { x[0] = a; }", true},
	    {"6kt_c12", "__constant__ int a, b; __global__ void kt_c12(int *x) { /* as written */ x[0] = a; }", true},
	    /* The same instructions on other memory. */
	    {"5kt_c2", "__constant__ int a, b; __global__ void kt_c2(int *x) { x[0] = b; }", false},
	    {"5kt_c3", "__constant__ int a = 3, b; __global__ void kt_c3(int *x) { x[0] = a; }", false},
	    {"5kt_c4", "__constant__ int a, b; __global__ void kt_c4(int *x) { x[1] = a; }", false},
	    {"5kt_c5", "__constant__ int a, b; __global__ void __launch_bounds__(64) kt_c5(int *x) { x[0] = a; }",
	     false},
	    {"5kt_c6", "__constant__ int a, b; __global__ void kt_c6(int *x, int y) { x[0] = a; }", false},
	};
	char first[KT_HASH_TEXT], hash[KT_HASH_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *cubin = compile(rows[i].name, rows[i].text);

		if (cubin == NULL)
			skip();
		assert_int_equal(kt_module_hash(i == 0 ? first : hash, cubin, rows[i].name, &err), KT_OK);
		if (i > 0 && (strcmp(first, hash) == 0) != rows[i].same)
			fail_msg("%s", rows[i].text);
	}
}

static void likeness(void **state)
{
	static const char one[] = "__global__ void k(float *x) { x[0] = sqrtf(x[1]); }\n"
				  "__global__ void other(float *x) { x[2] = 1; }\n",
			  near[] = "__global__ void k(float *x) { x[1] = sqrtf(x[2]); }\n",
			  far[] = "__global__ void k(float *x) { __shared__ float s[999]; s[threadIdx.x] = x[1];\n"
				  "__syncthreads(); x[0] = s[5]; }\n";
	const char *a = compile("one", one), *b = compile("near", near), *c = compile("far", far);
	enum kt_likeness out;

	(void)state;
	if (a == NULL)
		skip();
	assert_int_equal(kt_code_compare(&out, a, "_Z1kPf", a, "_Z1kPf", &err), KT_OK);
	assert_int_equal(out, KT_CODE_EQUAL);
	assert_int_equal(kt_code_compare(&out, a, "_Z1kPf", b, "_Z1kPf", &err), KT_OK);
	assert_int_equal(out, KT_CODE_ALIKE);
	assert_int_equal(kt_code_compare(&out, a, "_Z1kPf", c, "_Z1kPf", &err), KT_OK);
	assert_int_equal(out, KT_CODE_OTHER);
	assert_int_equal(kt_code_compare(&out, a, "_Z1kPf _Z5otherPf", b, "_Z1kPf", &err), KT_OK);
	assert_int_equal(out, KT_CODE_OTHER);
	assert_int_equal(kt_code_compare(&out, a, "_Z4nonePf", b, "_Z1kPf", &err), KT_OK);
	assert_int_equal(out, KT_CODE_OTHER);
}

/* Every file cut short, and every byte of its tables changed: an error or a hash, never a read beyond the file. */
static void damaged_files(void **state)
{
	const char *cubin = compile("whole", "__global__ void k(float *x) { x[0] = sqrtf(x[1]); }\n");
	char *path = kt_arena_printf(arena, "%s/damaged", folder), hash[KT_HASH_TEXT];
	struct kt_buf data = KT_BUF(KT_CUBIN_BYTES);

	(void)state;
	if (cubin == NULL)
		skip();
	assert_int_equal(kt_fs_read(&data, cubin, &err), KT_OK);
	for (size_t i = 0; i < data.size; i += 1 + data.size / 400) {
		const char byte = data.data[i];

		assert_int_equal(kt_fs_write(path, data.data, i, &err), KT_OK);
		(void)!kt_module_hash(hash, path, "1k", &err);
		data.data[i] = (char)~byte;
		assert_int_equal(kt_fs_write(path, data.data, data.size, &err), KT_OK);
		data.data[i] = byte;
		(void)!kt_module_hash(hash, path, "1k", &err);
		(void)!kt_code_hash(hash, path, NULL, &err);
	}
	assert_int_equal(kt_fs_write(path, data.data, 40, &err), KT_OK);
	assert_int_equal(kt_module_hash(hash, path, "1k", &err), KT_ERR_CORRUPT);
	kt_buf_free(&data);
}

static int open_folder(void **state)
{
	(void)state;
	arena = kt_arena_new((size_t)256 << 20);
	return kt_fs_temp_dir(&folder, arena, "ktune-code", &err) != KT_OK;
}

static int close_folder(void **state)
{
	(void)state;
	const bool failed = kt_fs_remove_tree(folder, &err) != KT_OK;

	kt_arena_free(arena);
	return failed;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(modules_are_told_apart),
	    cmocka_unit_test(likeness),
	    cmocka_unit_test(damaged_files),
	};

	return cmocka_run_group_tests(tests, open_folder, close_folder);
}
