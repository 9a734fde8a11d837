#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tuning/compiled.h"

/* An H200's limits. */
static const struct kt_device device = {
    .cc = 90, .warp_size = 32, .max_threads_per_block = 1024, .max_threads_per_multiprocessor = 2048,
    .max_blocks_per_multiprocessor = 32, .shared_bytes_per_block = 49152, .shared_bytes_per_block_optin = 232448,
    .shared_bytes_per_multiprocessor = 233472, .registers_per_block = 65536, .registers_per_multiprocessor = 65536,
};
static const struct kt_usage plain = {256, 32, 0, 0};

static void test_judge(void **state)
{
	static const struct {
		struct kt_usage usage;
		double relax;
		const char *refusal;
	} rows[] = {
	    {{256, 32, 0, 0}, 0, ""},
	    {{1024, 64, 0, 0}, 0, ""},
	    {{1024, 65, 0, 0}, 0, "registers"}, /* rounded up to 72: 73,728 of 65,536 */
	    {{1024, 65, 0, 0}, 0.2, "registers"},
	    {{1024, -1, -1, 0}, 0, ""},
	    {{64, 32, 0, 232448}, -0.2, "occupancy"}, /* two warps for four schedulers */
	    {{128, 32, 0, 232448}, 0, ""},
	    {{128, 32, 0, 232449}, 0, "static-shared"},
	    {{128, 32, 256, 0}, 0, ""},
	    {{128, 32, 264, 0}, 0, "spills"},
	    {{128, 32, 264, 0}, 0.1, ""},
	    {{128, 32, 232, 0}, -0.1, "spills"},
	    {{96, 32, 0, 200000}, 0, "occupancy"},
	    {{96, 32, 0, 200000}, 0.25, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const enum kt_compiled_refusal refusal =
		    kt_compiled_judge(&device, &rows[i].usage, &plain, rows[i].relax);

		if (strcmp(kt_compiled_name(refusal), rows[i].refusal) != 0)
			fail_msg("row %zu: '%s'", i, kt_compiled_name(refusal));
	}
}

/* What the original does itself is no reason to refuse others. */
static void test_original(void **state)
{
	const struct kt_usage original = {64, 32, 512, 200000}, same = {64, 40, 700, 200000}, opencl = {64, 0, 4096, 0};
	const struct kt_device other = {.vendor = "pocl", .warp_size = 8, .max_threads_per_block = 4096};

	(void)state;
	assert_int_equal(kt_compiled_judge(&device, &same, &original, 0), KT_COMPILED_NONE);
	assert_int_equal(kt_compiled_judge(&device, &same, &plain, 0), KT_COMPILED_SPILLS);
	assert_int_equal(kt_compiled_judge(&device, &same, NULL, 0), KT_COMPILED_NONE);
	assert_int_equal(kt_compiled_judge(&other, &opencl, &plain, 0), KT_COMPILED_NONE);
}

static void test_explain(void **state)
{
	const struct kt_usage usage = {1024, 65, 600, 0};
	struct kt_buf text = KT_BUF(512);

	(void)state;
	kt_compiled_explain(&text, KT_COMPILED_SPILLS, &device, &usage, &plain);
	assert_string_equal(kt_buf_text(&text), "spills: 600 bytes of local memory a thread, the original has 0");
	kt_buf_clear(&text);
	kt_compiled_explain(&text, KT_COMPILED_REGISTERS, &device, &usage, &plain);
	assert_string_equal(kt_buf_text(&text), "registers: 1024 threads of 65 registers, the device has 65536");
	kt_buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_judge),
	    cmocka_unit_test(test_original),
	    cmocka_unit_test(test_explain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
