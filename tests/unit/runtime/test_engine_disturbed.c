/* Which runs the engine has on a disturbed device, and what only those show. */
#include <math.h>
#include <string.h>

#include "bench.h"

/* Launches of a candidate on a problem that is verified; on the first problem one more has other data. */
enum { RUNS = 3, LATER = RUNS - 1 };

/* Every run but the first, on checks as well; nothing that is timed (fake_device.c), nor the runs behind that. */
static void later_runs(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.sample_ns = 50000;
	b.fake.host_ns = 60000;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_true(b.fake.disturbances > 0);
	b.fake.disturbances = 0;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].timing.samples, 20);
	assert_int_equal(b.fake.disturbances, PROBLEMS * LATER);
	/* The next begins elsewhere on the device. */
	assert_int_equal(b.fake.disturbance[0], b.fake.disturbance[1] + 1);
	assert_false(b.fake.disturbed);
	b.skip[ODD] = true;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_int_equal(b.fake.disturbances, (PROBLEMS + PROBLEMS - 1) * LATER);
	/* One that is wrong at once has its other runs behind the first, on this problem alone. */
	b.fake.disturbances = 0;
	assert_int_equal(try(&b, "four_times", 20), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.fake.disturbances, LATER);
	/* Where the host has looked at the first by then it has none. */
	b.fake.engine.host_reads = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.fake.disturbances = 0;
	assert_int_equal(try(&b, "four_times", 20), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.fake.disturbances, 0);
	tear_down(&b);
}

/* As long as a few launches of the original on a quiet device, within bounds; a launch may take so much longer. */
static void for_how_long(void **state)
{
	static const double original_ns[] = {100, 50e3, 400e3, 1e9}, disturbed_ns[] = {40e3, 200e3, 1600e3, 2e6};
	static const double limit_s[] = {5e-6, 2.5e-3, 20e-3, 1}; /* of 50 times the original, or the region's */
	struct bench b;
	(void)state;
	set_up(&b);
	for (size_t i = 0; i < sizeof original_ns / sizeof *original_ns; i++) {
		b.fake.sample_ns = b.fake.host_ns = original_ns[i];
		assert_int_equal(open_region(&b, "right"), KT_OK);
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		assert_true(fabs(b.fake.disturbed_ns - disturbed_ns[i]) < 1e-6);
		assert_true(fabs(b.fake.disturbed_limit_s - limit_s[i] - disturbed_ns[i] * 1e-9) < 1e-12);
	}
	tear_down(&b);
}

/* A race that a quiet device never shows, and the same where a backend has nothing that disturbs. */
static void shows_races(void **state)
{
	struct kt_ops quiet = fake_ops;
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "races", 5), KT_VERDICT_NON_DETERMINISTIC);
	assert_non_null(strstr(b.trials[TUNING].detail, "1 elements differ between two runs"));
	quiet.disturb = NULL;
	b.fake.engine.ops = &quiet;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "races", 5), KT_VERDICT_OK);
	tear_down(&b);
}

/* An original that keeps its order on a quiet device alone: candidates may be as far apart as it is, and no farther. */
static void originals_waver(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "wavers_disturbed"), KT_OK);
	assert_true(b.prepared[TUNING].nondeterministic);
	assert_int_equal(try(&b, "wavers_disturbed", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "wavers_slightly", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "races", 5), KT_VERDICT_WRONG_ANSWER);
	/* A candidate that wavers where the original does not is refused, however quiet the device usually is. */
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_false(b.prepared[TUNING].nondeterministic);
	assert_int_equal(try(&b, "wavers_disturbed", 5), KT_VERDICT_NON_DETERMINISTIC);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(later_runs),
	    cmocka_unit_test(for_how_long),
	    cmocka_unit_test(shows_races),
	    cmocka_unit_test(originals_waver),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
