/* Who is verified in a search, and when: contenders of first looks, in rounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planning/plan_internal.h"

enum { MOST = 400 };

struct bench {
	struct kt_tuning s;
	struct kt_region region;
	struct kt_trial looks[MOST];
	struct kt_error err;
};

static void set_up(struct bench *b)
{
	*b = (struct bench){.region = {.variable_count = 0}};
	b->s = (struct kt_tuning){.region = &b->region, .problems = 1, .arena = kt_arena_new((size_t)1 << 24)};
	assert_non_null(b->s.arena);
	assert_int_equal(kt_objective_open(&b->s.objective, 1, &b->err), KT_OK);
	kt_objective_baseline(b->s.objective, 0, 1000);
}

static void tear_down(struct bench *b)
{
	kt_objective_close(b->s.objective);
	kt_arena_free(b->s.arena);
}

static void look(struct bench *b, double ns)
{
	const size_t i = kt_objective_rows(b->s.objective);
	const struct kt_built built = {.ticket = i + 1};
	double cost;

	b->looks[i] = (struct kt_trial){.verdict = KT_VERDICT_OK, .timing = {.median_ns = ns, .samples = 5}};
	assert_int_equal(kt_objective_add(&cost, b->s.objective, i, &ns, &b->err), KT_OK);
	assert_int_equal(kt_tuning_contend(&b->s, &built, &b->looks[i], &b->err), KT_OK);
}

/* What kt_tuning_verify_next would ask the runner about comes to its look's time, or is wrong. Its row. */
static size_t verify(struct bench *b, bool right)
{
	size_t best = 0;
	double ns;

	for (size_t i = 1; i < b->s.contender_count; i++)
		if (b->s.contenders[i].looks->timing.median_ns < b->s.contenders[best].looks->timing.median_ns)
			best = i;
	const size_t row = b->s.contenders[best].row;
	ns = b->looks[row].timing.median_ns;
	for (size_t i = best; i + 1 < b->s.contender_count; i++)
		b->s.contenders[i] = b->s.contenders[i + 1];
	b->s.contender_count--;
	kt_objective_replace(b->s.objective, row, right ? &ns : NULL);
	kt_objective_doubt(b->s.objective, row, false);
	return row;
}

/* The first round comes after four, and one of them is enough where it leaves the others no hope. */
static void one_rules_out_the_others(void **state)
{
	static const double ns[] = {800, 600, 700, 500};
	struct bench b;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < 4; i++) {
		assert_false(kt_tuning_round_is_due(&b.s, false));
		look(&b, ns[i]);
		/* Nothing that was only looked at is best so far. */
		assert_true(kt_objective_best_ns(b.s.objective, 0) == 1000);
		assert_true(kt_objective_best_speedup(b.s.objective) == 0);
	}
	assert_true(kt_tuning_round_is_due(&b.s, false));
	assert_int_equal(b.s.contender_count, 4);
	assert_int_equal(verify(&b, true), 3);
	assert_true(kt_objective_best_ns(b.s.objective, 0) == 500);
	assert_false(kt_tuning_round_is_due(&b.s, false));
	assert_int_equal(b.s.contender_count, 0);
	assert_int_equal(b.s.screened, 3);
	tear_down(&b);
}

/* One that is wrong leaves the others in the race, and a device that has nothing else to do waits for no round. */
static void a_wrong_one_rules_out_nobody(void **state)
{
	static const double ns[] = {800, 600, 598, 400};
	struct bench b;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < 3; i++)
		look(&b, ns[i]);
	assert_false(kt_tuning_round_is_due(&b.s, false));
	look(&b, ns[3]);
	assert_true(kt_tuning_round_is_due(&b.s, false));
	assert_int_equal(verify(&b, false), 3);
	assert_true(kt_tuning_round_is_due(&b.s, false));
	assert_int_equal(verify(&b, true), 2);
	/* No slower than that within what a look can tell, and no improvement: nothing that was not verified is the best. */
	assert_false(kt_tuning_round_is_due(&b.s, false));
	assert_true(kt_objective_best_ns(b.s.objective, 0) == 598);
	look(&b, 597);
	assert_int_equal(b.s.contender_count, 0);
	assert_true(kt_objective_best_ns(b.s.objective, 0) == 598);
	look(&b, 300);
	assert_false(kt_tuning_round_is_due(&b.s, false));
	assert_true(kt_tuning_round_is_due(&b.s, true));
	tear_down(&b);
}

/* While one is verified no other is begun: what comes of it may spare it. */
static void one_at_a_time(void **state)
{
	struct bench b;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < 4; i++)
		look(&b, 500);
	b.s.under_way[0] = (struct kt_under_way){.look = false};
	b.s.under_way_count = 1;
	assert_false(kt_tuning_round_is_due(&b.s, false));
	assert_false(kt_tuning_round_is_due(&b.s, true));
	b.s.under_way[0].look = true;
	assert_true(kt_tuning_round_is_due(&b.s, false));
	tear_down(&b);
}

/* A search that finds something better again and again verifies a small part of it. */
static void few_of_many_are_verified(void **state)
{
	struct bench b;
	size_t verified = 0;

	(void)state;
	set_up(&b);
	for (size_t i = 0; i < MOST; i++) {
		look(&b, 900 - 2 * (double)i);
		while (kt_tuning_round_is_due(&b.s, false)) {
			verify(&b, true);
			verified++;
		}
	}
	assert_true(verified >= 5 && verified <= 40);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_rules_out_the_others),
	    cmocka_unit_test(a_wrong_one_rules_out_nobody),
	    cmocka_unit_test(one_at_a_time),
	    cmocka_unit_test(few_of_many_are_verified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
