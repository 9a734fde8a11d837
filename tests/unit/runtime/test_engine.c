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

/* A plan that leaves y = 2x alone, writes 2x into memory of its own and from there 4x into y. */
static void set_up_temporaries(struct bench *b, struct kt_geometry *rows, struct kt_geometry **further, int64_t count)
{
	set_up(b);
	b->fake.engine.sequences = true;
	b->temporary_count = 2;
	b->temporaries[0] = (struct kt_run_temporary){"unused", KT_F64};
	b->temporaries[1] = (struct kt_run_temporary){"partial", KT_F32};
	for (size_t p = 0; p < PROBLEMS; p++) {
		rows[p] = b->geometry[p];
		further[p] = &rows[p];
		b->counts[p][0] = 3;
		b->counts[p][1] = count + (p == ODD);
		b->temporary_counts[p] = b->counts[p];
	}
	assert_int_equal(open_region(b, "four_times"), KT_OK);
}

static void temporaries_are_watched(void **state)
{
	size_t write[] = {3, 1}, finish[] = {0, 3};
	static const struct {
		const char *writes;
		int64_t count;
		enum kt_verdict verdict;
		const char *says;
	} rows[] = {
	    {"right", N, KT_VERDICT_OK, NULL},
	    {"right", N - 1, KT_VERDICT_OUT_OF_BOUNDS, "past the end of partial"},
	    {"before", N, KT_VERDICT_OUT_OF_BOUNDS, "before the start of partial"},
	    /* What is in it before is no zero, and another thing in each run. */
	    {"add", N, KT_VERDICT_WRONG_ANSWER, "y"},
	    {"idle", N, KT_VERDICT_WRONG_ANSWER, "y"},
	    {"clears_first", N, KT_VERDICT_OK, NULL},
	    /* What it left there last time is there. */
	    {"believes_mark", N + 1, KT_VERDICT_WRONG_ANSWER, "other data"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_run_step steps[] = {{rows[i].writes, 2, write}, {"right", 2, finish}};
		struct kt_geometry *further[PROBLEMS], geometry[PROBLEMS][2];
		struct kt_geometry first[PROBLEMS];
		struct bench b;
		set_up_temporaries(&b, first, further, rows[i].count);
		for (size_t p = 0; p < PROBLEMS; p++) {
			geometry[p][0] = geometry[p][1] = first[p];
			further[p] = geometry[p];
		}
		const struct kt_place *places = b.fake.engine.places;
		const enum kt_verdict verdict = try_plan(&b, "idle", steps, 2, further, 20);
		if (verdict != rows[i].verdict || (rows[i].says && !strstr(b.trials[TUNING].detail, rows[i].says)))
			fail_msg("%s, %d: %d, %s", rows[i].writes, (int)rows[i].count, (int)verdict, b.trials[TUNING].detail);
		/* The next candidate has none. */
		assert_ptr_equal(b.fake.engine.places, places);
		assert_ptr_equal(b.fake.engine.region, &b.region);
		b.temporary_count = 0;
		assert_int_equal(try(&b, "four_times", 20), KT_VERDICT_OK);
		tear_down(&b);
	}
}

/* Too much of it ends the configuration and nothing else; on a check it ends the check. */
static void temporaries_must_fit(void **state)
{
	size_t write[] = {3, 1}, finish[] = {0, 3};
	struct kt_run_step steps[] = {{"right", 2, write}, {"right", 2, finish}};
	static const int64_t beyond[] = {1 << 19, INT64_MAX / 2, INT64_MAX};
	struct kt_geometry *further[PROBLEMS], geometry[PROBLEMS][2], first[PROBLEMS];
	struct bench b;
	(void)state;
	set_up_temporaries(&b, first, further, N);
	for (size_t p = 0; p < PROBLEMS; p++) {
		geometry[p][0] = geometry[p][1] = first[p];
		further[p] = geometry[p];
	}
	for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
		b.counts[TUNING][1] = beyond[i];
		assert_int_equal(try_plan(&b, "idle", steps, 2, further, 5), KT_VERDICT_OVER_LIMIT);
		assert_non_null(strstr(b.trials[TUNING].detail, "with temporaries it needs"));
		b.counts[TUNING][1] = N;
		assert_int_equal(try_plan(&b, "idle", steps, 2, further, 5), KT_VERDICT_OK);
		b.counts[ODD][1] = beyond[i];
		assert_int_equal(try_plan(&b, "idle", steps, 2, further, 5), KT_VERDICT_OK);
		assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_SKIPPED);
		assert_non_null(strstr(b.trials[ODD].detail, "with temporaries it needs"));
		b.counts[ODD][1] = N + 1;
	}
	tear_down(&b);
}

/* Beside the original and others that have less of it, or none. */
static void temporaries_are_compared(void **state)
{
	size_t write[] = {3, 1}, finish[] = {0, 3};
	struct kt_run_step steps[] = {{"right", 2, write}, {"right", 2, finish}};
	struct kt_geometry *further[PROBLEMS], geometry[PROBLEMS][2], first[PROBLEMS];
	struct kt_timing timings[4 * PROBLEMS] = {{0}};
	struct kt_run_conditions conditions[PROBLEMS] = {{0}};
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = 20};
	struct bench b;
	(void)state;
	set_up_temporaries(&b, first, further, N);
	int64_t more[] = {3, 2 * N}, *counts[PROBLEMS] = {more, more, more};
	for (size_t p = 0; p < PROBLEMS; p++) {
		geometry[p][0] = geometry[p][1] = first[p];
		further[p] = geometry[p];
	}
	const struct kt_run_candidate plan = {.configuration = "C=1", .cubin = "c", .function = "idle", .options = "",
	                                      .geometry = b.geometry, .give_up_ns = b.give_up_ns, .skip = b.skip,
	                                      .further_count = 2, .further = steps, .further_geometry = further,
	                                      .temporary_count = 2, .temporaries = b.temporaries,
	                                      .temporary_counts = b.temporary_counts};
	const struct kt_run_candidate original = {.configuration = "", .skip = b.skip, .give_up_ns = b.give_up_ns};
	struct kt_run_candidate candidates[] = {original, plan, plan, plan};
	candidates[2].temporary_counts = counts;
	candidates[3].function = "four_times";
	candidates[3].further_count = candidates[3].temporary_count = 0;
	assert_int_equal(b.backend.compare(timings, conditions, &failure, b.backend.state, b.arena, candidates, 4, &effort,
	                                   &b.err),
	                 KT_OK);
	for (size_t c = 0; c < 4; c++)
		assert_true(timings[c * PROBLEMS + TUNING].samples > 0);
	assert_ptr_equal(b.fake.engine.region, &b.region);
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
	    cmocka_unit_test(temporaries_are_watched),
	    cmocka_unit_test(temporaries_must_fit),
	    cmocka_unit_test(temporaries_are_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
