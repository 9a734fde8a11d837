/* When nothing of a space was right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/plan_internal.h"

enum { SEEN_MOST = 4 };

/* What was seen of up to four configurations, ended by END, and whether that is a failure of all. */
#define END ((enum kt_verdict)(KT_VERDICT_SKIPPED + 1))
static const struct {
	enum kt_verdict seen[SEEN_MOST + 1];
	bool failed;
} cases[] = {
    {{END}, false},
    {{KT_VERDICT_OK, END}, false},
    {{KT_VERDICT_WRONG_ANSWER, END}, true},
    {{KT_VERDICT_NO_COMPILE, KT_VERDICT_CRASHED, END}, true},
    {{KT_VERDICT_WRONG_ANSWER, KT_VERDICT_OK, END}, false},
    /* What a guard keeps out, or the device has no room for, says nothing: neither for the others nor against them. */
    {{KT_VERDICT_SKIPPED, END}, false},
    {{KT_VERDICT_OVER_LIMIT, KT_VERDICT_SKIPPED, END}, false},
    {{KT_VERDICT_SKIPPED, KT_VERDICT_WRONG_ANSWER, END}, true},
    {{KT_VERDICT_WRONG_ANSWER, KT_VERDICT_SKIPPED, KT_VERDICT_OVER_LIMIT, END}, true},
    {{KT_VERDICT_SKIPPED, KT_VERDICT_WRONG_ANSWER, KT_VERDICT_OK, END}, false},
};

static void all_fail_or_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kt_trial seen[SEEN_MOST];
		struct kt_tuning s = {.seen = seen};

		for (; cases[i].seen[s.seen_count] != END; s.seen_count++)
			seen[s.seen_count] = (struct kt_trial){.verdict = cases[i].seen[s.seen_count]};
		if (kt_tuning_all_failed(&s) != cases[i].failed)
			fail_msg("case %zu", i);
	}
}

/* Right in the search, refuted by a check: its time is no longer the best, and what is left may be a failure of all. */
static void refuted_by_a_check(void **state)
{
	const double fast[] = {100}, slow[] = {900};
	struct kt_trial seen[2] = {{.verdict = KT_VERDICT_OK}, {.verdict = KT_VERDICT_OK}};
	struct kt_tuning s = {.problems = 1, .seen = seen, .seen_count = 2};
	const struct kt_trial wrong = {.verdict = KT_VERDICT_WRONG_ANSWER, .detail = "y: 3 wrong elements"};
	struct kt_error err;
	double cost;

	(void)state;
	assert_int_equal(kt_objective_open(&s.objective, 1, &err), KT_OK);
	kt_objective_baseline(s.objective, 0, 1000);
	assert_int_equal(kt_objective_add(&cost, s.objective, 7, fast, &err), KT_OK);
	assert_int_equal(kt_objective_add(&cost, s.objective, 3, slow, &err), KT_OK);
	kt_tuning_refute(&s, 7, &wrong);
	assert_true(kt_objective_best_ns(s.objective, 0) > 899 && kt_objective_best_speedup(s.objective) < 1.2);
	assert_int_equal(seen[0].verdict, KT_VERDICT_WRONG_ANSWER);
	assert_false(kt_tuning_all_failed(&s));
	kt_tuning_refute(&s, 3, &wrong);
	assert_true(kt_objective_best_ns(s.objective, 0) > 999 && kt_objective_best_speedup(s.objective) < 1);
	assert_true(kt_tuning_all_failed(&s));
	kt_objective_close(s.objective);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_fail_or_not), cmocka_unit_test(refuted_by_a_check)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
