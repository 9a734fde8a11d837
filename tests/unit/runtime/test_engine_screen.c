/* A first look at a candidate: what it runs, what it finds, and that nothing of it stays on the device. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "measure.h"

enum { LAUNCHES = 5 };

static enum kt_verdict screen(struct bench *b, const char *function)
{
	b->screen = true;
	const enum kt_verdict verdict = try(b, function, LAUNCHES);
	b->screen = false;
	return verdict;
}

/* One run of the first check that is asked, then a launch and a few more of the problem; nothing is disturbed. */
static void few_launches(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.fake.disturbances = 0;
	wrong_call = UINT32_MAX;
	assert_int_equal(screen(&b, "wrong_once"), KT_VERDICT_OK);
	assert_int_equal(calls, 1 + 1 + LAUNCHES);
	assert_int_equal(b.fake.disturbances, 0);
	assert_int_equal(b.trials[TUNING].timing.samples, LAUNCHES);
	assert_true(fabs(b.trials[TUNING].timing.median_ns - 1000) < 1e-6);
	assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_SKIPPED);
	/* What is right there is not known to be right elsewhere. */
	assert_int_equal(screen(&b, "clears_first"), KT_VERDICT_OK);
	assert_int_equal(try(&b, "clears_first", LAUNCHES), KT_VERDICT_WRONG_ANSWER);
	tear_down(&b);
}

static void which_row(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	wrong_call = 0;
	assert_int_equal(screen(&b, "wrong_once"), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[TUNING].timing.samples, 0);
	b.skip[ODD] = true;
	assert_int_equal(screen(&b, "clears_first"), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_WRONG_ANSWER);
	/* Without a check the smallest problem is as good. */
	b.skip[IN_PLACE] = true;
	assert_int_equal(screen(&b, "clears_first"), KT_VERDICT_OK);
	assert_int_equal(screen(&b, "changes_input"), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[TUNING].verdict, KT_VERDICT_WRONG_ANSWER);
	/* Nothing is asked, and nothing is wrong. */
	b.skip[TUNING] = true;
	assert_int_equal(screen(&b, "changes_input"), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].verdict, KT_VERDICT_SKIPPED);
	tear_down(&b);
}

/* One launch that takes far longer than is of interest is enough; what is merely slower has all of them. */
static void gives_up(void **state)
{
	static const struct {
		double sample_ns, give_up_ns;
		int64_t samples;
	} rows[] = {{7e5, 7e4, 1}, {7e5, 5e5, 1}, {7e5, 6e5, 2}, {7e5, 0, 2}, {2e4, 1e3, LAUNCHES}, {3e4, 1e3, 1},
	            {3e5, 0, LAUNCHES}, {1.5e6, 0, 1}, {7e6, 0, 1}};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		b.fake.sample_ns = b.fake.host_ns = rows[i].sample_ns;
		b.give_up_ns[TUNING] = rows[i].give_up_ns;
		assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
		if (b.trials[TUNING].timing.samples != rows[i].samples)
			fail_msg("row %zu: %d samples", i, (int)b.trials[TUNING].timing.samples);
	}
	tear_down(&b);
}

/* What is too slow on a problem is not timed on those that follow in the order given; a full try is not cut short. */
static void loses(void **state)
{
	static size_t order[PROBLEMS] = {ODD, TUNING, IN_PLACE};
	struct bench b;
	(void)state;
	set_up(&b);
	b.problems[ODD].check = false;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.lost_ns[ODD] = 999;
	assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
	assert_true(b.trials[TUNING].timing.samples && b.trials[ODD].timing.samples);
	b.order = order;
	assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].verdict, KT_VERDICT_SKIPPED);
	assert_string_equal(b.trials[TUNING].detail, KT_TRIAL_LOST);
	assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_OK);
	assert_int_equal(b.trials[ODD].timing.samples, LAUNCHES);
	b.lost_ns[ODD] = 1001;
	assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
	assert_true(b.trials[TUNING].timing.samples && b.trials[ODD].timing.samples);
	b.lost_ns[ODD] = 999;
	assert_int_equal(try(&b, "right", LAUNCHES), KT_VERDICT_OK);
	assert_true(b.trials[TUNING].timing.samples && b.trials[ODD].timing.samples);
	tear_down(&b);
}

/* One set of a problem that no cache holds is as cold as many. */
static void few_sets_where_they_are_large(void **state)
{
	static const size_t caches[] = {1, (size_t)1 << 30};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct bench b;
		set_up(&b);
		b.fake.engine.cache_bytes = caches[i];
		assert_int_equal(open_region(&b, "right"), KT_OK);
		b.fake.copies = 0;
		assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
		assert_int_equal(b.fake.copies > 2, i);
		tear_down(&b);
	}
}

/* The results of one candidate are not there for the next. */
static void leaves_nothing(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.fake.searching = true;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(screen(&b, "right"), KT_VERDICT_OK);
		assert_int_equal(try(&b, "right", LAUNCHES), KT_VERDICT_OK);
	}
	b.fake.searching = false;
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(few_launches),
	    cmocka_unit_test(which_row),
	    cmocka_unit_test(gives_up),
	    cmocka_unit_test(loses),
	    cmocka_unit_test(few_sets_where_they_are_large),
	    cmocka_unit_test(leaves_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
