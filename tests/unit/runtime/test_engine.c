/* What the engine finds out about a candidate, over a device that is host memory. */
#include <string.h>

#include "bench.h"

static void verdicts(void **state)
{
	static const struct {
		const char *name;
		/* NaN stands behind a buffer in one run, a large number in the next: either is first */
		enum kt_verdict verdict, other;
	} rows[] = {{"right", KT_VERDICT_OK, KT_VERDICT_OK},
	            {"remembers_place", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER},
	            {"second_wrong", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC},
	            {"third_lazy", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC},
	            {"behind", KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_OUT_OF_BOUNDS},
	            {"before", KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_OUT_OF_BOUNDS},
	            {"reads_behind", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_WRONG_ANSWER},
	            {"changes_input", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER},
	            {"nobody", KT_VERDICT_OVER_LIMIT, KT_VERDICT_NO_COMPILE}};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.fake.searching = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum kt_verdict verdict = try(&b, rows[i].name, 5);
		if (verdict != rows[i].verdict && verdict != rows[i].other)
			fail_msg("%s: %d, %s", rows[i].name, (int)verdict, b.trials[0].detail ? b.trials[0].detail : "");
		/* Before, each run was at other addresses than the one before it. */
		if (strcmp(rows[i].name, "remembers_place") == 0)
			assert_non_null(strstr(b.trials[TUNING].detail, "other data at the same addresses"));
		/* Runs of the first problem are enough to see it. */
		assert_int_equal(b.trials[TUNING].verdict, verdict);
	}
	b.fake.searching = false;
	tear_down(&b);
}

/* What only a check shows, and what only the look at all sets after timing shows. */
static void where_it_shows(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "clears_first", 5), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[TUNING].verdict, KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_WRONG_ANSWER);
	b.skip[IN_PLACE] = true;
	assert_int_equal(try(&b, "clears_first", 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_SKIPPED);
	assert_string_equal(b.trials[IN_PLACE].detail, "not asked");
	assert_int_equal(b.trials[TUNING].timing.samples, 5);
	assert_int_equal(b.trials[ODD].timing.samples, 0);
	assert_int_equal(b.notes[TUNING].ulp_count, 1);
	assert_int_equal(b.notes[TUNING].ulp[0].counts[0], N);
	b.skip[IN_PLACE] = false;
	assert_int_equal(try(&b, "late_lazy", 5), KT_VERDICT_WRONG_ANSWER);
	assert_non_null(strstr(b.trials[TUNING].detail, "after timing"));
	b.geometry[ODD].block[0] = 2000;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OVER_LIMIT);
	tear_down(&b);
}

/* Launches that a verification has before anything is timed: of one problem, without checks. */
enum { VERIFIED = 4 };

static void set_up_alone(struct bench *b, size_t cache_bytes)
{
	set_up(b);
	b->fake.engine.cache_bytes = cache_bytes;
	b->skip[ODD] = b->skip[IN_PLACE] = true;
}

/* With a set for every launch of a batch there is none that may be wrong, be it the first, the last or in between. */
static void every_launch_is_looked_at(void **state)
{
	struct bench b;
	(void)state;
	set_up_alone(&b, 1 << 20);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	wrong_call = UINT32_MAX;
	assert_int_equal(try(&b, "wrong_once", 100), KT_VERDICT_OK);
	const unsigned launches = calls;
	assert_true(launches > VERIFIED + 100);
	for (wrong_call = 0; wrong_call < launches; wrong_call++) {
		const enum kt_verdict verdict = try(&b, "wrong_once", 100);
		if (verdict != KT_VERDICT_WRONG_ANSWER && verdict != KT_VERDICT_NON_DETERMINISTIC)
			fail_msg("call %u of %u is wrong and was not seen", wrong_call, launches);
	}
	tear_down(&b);
}

/* Whatever is left to a launch behind is missing after the last one, however many sets there are and launches. */
static void nothing_is_left_for_later(void **state)
{
	static const size_t caches[] = {1, 8192, 1 << 20};
	static const int64_t repetitions[] = {1, 5, 20, 61, 100};
	(void)state;
	for (size_t c = 0; c < sizeof caches / sizeof *caches; c++)
		for (size_t r = 0; r < sizeof repetitions / sizeof *repetitions; r++)
			for (deferred_by = 1; deferred_by <= LATE; deferred_by++)
				for (deferred_from = VERIFIED; deferred_from < VERIFIED + 3; deferred_from++) {
					struct bench b;
					set_up_alone(&b, caches[c]);
					assert_int_equal(open_region(&b, "right"), KT_OK);
					if (try(&b, "defers", repetitions[r]) == KT_VERDICT_OK)
						fail_msg("cache %zu, %d repetitions, from %u on left by %u", caches[c], (int)repetitions[r],
						         deferred_from, deferred_by);
					tear_down(&b);
				}
}

static void in_place(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	b.buffers[0].direction = KT_INOUT;
	assert_int_equal(open_region(&b, "add"), KT_OK);
	assert_int_equal(try(&b, "add", 20), KT_VERDICT_OK);
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_WRONG_ANSWER);
	tear_down(&b);
}

/* A candidate that is two kernels: y = 2x, then y += y, or y += x where the second has all arguments. */
static void plans_are_one(void **state)
{
	size_t twice[] = {0, 0};
	struct kt_run_step doubles[] = {{"add", 2, twice}}, adds[] = {{"add", 0, NULL}};
	struct kt_geometry rows[PROBLEMS], *further[PROBLEMS];
	struct bench b;
	(void)state;
	set_up(&b);
	for (size_t p = 0; p < PROBLEMS; p++) {
		rows[p] = b.geometry[p];
		further[p] = &rows[p];
	}
	assert_int_equal(open_region(&b, "four_times"), KT_OK);
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_NO_COMPILE);
	assert_non_null(strstr(b.trials[TUNING].detail, "several kernels"));
	b.fake.engine.sequences = true;
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].timing.samples, 5);
	assert_int_equal(try_plan(&b, "right", adds, 1, further, 5), KT_VERDICT_WRONG_ANSWER);
	/* What is behind the first is admitted as it is. */
	rows[TUNING].block[0] = 2000;
	assert_int_not_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_OK);
	rows[TUNING].block[0] = 1;
	doubles[0].function = "nobody";
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_NO_COMPILE);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(verdicts),
	    cmocka_unit_test(where_it_shows),
	    cmocka_unit_test(every_launch_is_looked_at),
	    cmocka_unit_test(nothing_is_left_for_later),
	    cmocka_unit_test(in_place),
	    cmocka_unit_test(plans_are_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
