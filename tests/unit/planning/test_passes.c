/* When a comparison in passes has seen enough, and of whom. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/passes.h"

static struct kt_timing timing(double ns)
{
	return (struct kt_timing){.median_ns = ns, .mean_ns = ns + 10, .min_ns = ns - 10, .deviation_ns = 4,
	                          .samples = 100};
}

static struct kt_arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	return arena != NULL ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static void equal_passes_are_few(void **state)
{
	struct kt_timing pass[2] = {timing(4000), timing(3000)}, pooled[2];
	struct kt_passes *passes = kt_passes_new(arena, 2, 1);

	(void)state;
	assert_true(isinf((kt_passes_add(passes, pass), kt_passes_error(passes))));
	for (int i = 1; i < KT_PASSES_LEAST; i++) {
		assert_false(kt_passes_enough(passes));
		kt_passes_add(passes, pass);
	}
	assert_true(kt_passes_enough(passes) && kt_passes_error(passes) == 0);
	kt_passes_pool(pooled, passes);
	assert_true(pooled[1].median_ns == 3000 && pooled[1].mean_ns == 3010 && pooled[1].min_ns == 2990);
	assert_true(pooled[1].deviation_ns == 4 && pooled[1].samples == 100 * KT_PASSES_LEAST);
}

/* Medians that differ by 4% from pass to pass take more of them, and end all the same. */
static void passes_that_differ_are_many(void **state)
{
	struct kt_passes *passes = kt_passes_new(arena, 1, 1);
	struct kt_timing pooled;

	(void)state;
	for (int i = 0; i < KT_PASSES_MOST; i++) {
		struct kt_timing pass = timing(i % 2 != 0 ? 1040 : 1000);

		assert_false(kt_passes_enough(passes));
		kt_passes_add(passes, &pass);
	}
	assert_true(kt_passes_enough(passes));
	assert_int_equal(kt_passes_count(passes), KT_PASSES_MOST);
	kt_passes_pool(&pooled, passes);
	assert_true(fabs(pooled.median_ns - 1020) < 1e-9);
	/* 20 ns over the root of one pass less, of 1020. */
	assert_true(fabs(kt_passes_error(passes) - 20 / sqrt(KT_PASSES_MOST - 1) / 1020) < 1e-9);
}

/* Of four rows on two problems: the best in general, the best on one problem, one near the first,
 * one that is neither. */
static void only_the_hopeless_leave(void **state)
{
	struct kt_timing pass[10] = {timing(4000), timing(4000), timing(2000), timing(2000), timing(1900),
	                             timing(2300), timing(2050), timing(2050), timing(2100), timing(2100)};
	struct kt_timing pooled[10];
	struct kt_passes *passes = kt_passes_new(arena, 5, 2);

	(void)state;
	kt_passes_add(passes, pass);
	for (size_t row = 0; row < 4; row++)
		assert_true(kt_passes_hopeful(passes, row));
	assert_false(kt_passes_hopeful(passes, 4));
	kt_passes_drop(passes, 2);
	kt_passes_pool(pooled, passes);
	assert_true(pooled[4].median_ns == 2050 && pooled[6].median_ns == 2100);
	/* With the best on the first problem gone, and what is 2.5% slower than the rest, all else stays as it was. */
	assert_true(kt_passes_hopeful(passes, 2) && !kt_passes_hopeful(passes, 3));
	/* Where a row does not run the original does, and it has no time of its own. */
	pass[2].samples = pass[3].samples = 0;
	passes = kt_passes_new(arena, 3, 2);
	kt_passes_add(passes, pass);
	kt_passes_pool(pooled, passes);
	assert_true(pooled[2].samples == 0 && pooled[2].median_ns == 0);
	assert_false(kt_passes_hopeful(passes, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(equal_passes_are_few, setup, teardown),
	    cmocka_unit_test_setup_teardown(passes_that_differ_are_many, setup, teardown),
	    cmocka_unit_test_setup_teardown(only_the_hopeless_leave, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
