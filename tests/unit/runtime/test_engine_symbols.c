/* Device symbols: buffers that are where a program has them, over a device that is host memory. */
#include <string.h>

#include "bench.h"

enum { Y, X };

static void expect(struct bench *b, const char *kernel, enum kt_verdict verdict, size_t problem, const char *detail)
{
	const enum kt_verdict found = try(b, kernel, 20);
	const char *said = b->trials[problem].detail ? b->trials[problem].detail : "";
	if (found != verdict || (detail && !strstr(said, detail)))
		fail_msg("%s: verdict %d, '%s' on problem %zu", kernel, (int)found, said, problem);
}

/* Which of the two buffers is a symbol makes no difference to what is right and what is not. */
static void as_any_buffer(void **state)
{
	static const struct {
		const char *kernel, *detail;
		enum kt_verdict verdict, other;
		size_t problem;
	} rows[] = {
	    {"right", NULL, KT_VERDICT_OK, KT_VERDICT_OK, TUNING},
	    {"once_only", "wrong elements", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER, TUNING},
	    {"idle", "wrong elements", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER, TUNING},
	    {"changes_input", "input x was changed", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER, TUNING},
	    {"second_wrong", NULL, KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC, TUNING},
	    {"third_lazy", NULL, KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC, TUNING},
	    {"late_lazy", "tim", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_NON_DETERMINISTIC, TUNING},
	    {"behind", "past the end of y", KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_OUT_OF_BOUNDS, TUNING},
	    {"reads_behind", NULL, KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_WRONG_ANSWER, TUNING},
	    /* What is written first and read afterwards shows where the argument is the symbol. */
	    {"clears_first", "wrong elements", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER, IN_PLACE},
	};
	(void)state;
	for (size_t symbol = Y; symbol <= X; symbol++) {
		struct bench b;
		set_up(&b);
		make_symbol(&b, symbol, N + 8);
		if (open_region(&b, "right"))
			fail_msg("%s", b.err.message);
		assert_false(b.prepared[IN_PLACE].skipped);
		b.fake.searching = true;
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			const enum kt_verdict found = try(&b, rows[i].kernel, 20);
			const char *said = b.trials[rows[i].problem].detail ? b.trials[rows[i].problem].detail : "";
			if ((found != rows[i].verdict && found != rows[i].other) || (rows[i].detail && !strstr(said, rows[i].detail)))
				fail_msg("%s, symbol %zu: %d, %s", rows[i].kernel, symbol, (int)found, said);
		}
		b.fake.searching = false;
		tear_down(&b);
	}
}

/* One element beyond what the clause counts is known to be written as long as the symbol has it. */
static void beyond_the_clause(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	make_symbol(&b, Y, N + 2);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	expect(&b, "behind", KT_VERDICT_OUT_OF_BOUNDS, TUNING, "4 bytes written past the end of y");
	tear_down(&b);
	/* An original that does so has a clause that is wrong. */
	set_up(&b);
	make_symbol(&b, Y, N + 2);
	assert_int_equal(open_region(&b, "behind"), KT_ERR_INVALID);
	assert_non_null(strstr(b.err.message, "past the end of y"));
	tear_down(&b);
	/* All of a symbol that is one element larger than on the smallest problem. */
	set_up(&b);
	make_symbol(&b, Y, N + 1);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.skip[TUNING] = true;
	b.skip[ODD] = true;
	expect(&b, "behind", KT_VERDICT_OUT_OF_BOUNDS, IN_PLACE, "past the end of y");
	tear_down(&b);
}

/* Every launch starts with the data of its problem, whatever the one before has left in the program. */
static void reset_between_launches(void **state)
{
	struct bench b;
	(void)state;
	for (size_t symbol = Y; symbol <= X; symbol++) {
		set_up(&b);
		b.buffers[Y].direction = KT_INOUT;
		make_symbol(&b, symbol, N + 8);
		assert_int_equal(open_region(&b, "add"), KT_OK);
		expect(&b, "add", KT_VERDICT_OK, TUNING, NULL);
		expect(&b, "right", KT_VERDICT_WRONG_ANSWER, TUNING, "wrong elements");
		tear_down(&b);
	}
}

/* A candidate that does not read a symbol has none in its program; one that is to write it is wrong then. */
static void programs_without_it(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	make_symbol(&b, Y, N + 8);
	b.skip[IN_PLACE] = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	float *there = b.fake.symbols[Y];
	b.fake.symbols[Y] = NULL;
	expect(&b, "idle", KT_VERDICT_WRONG_ANSWER, TUNING, "wrong elements");
	b.fake.symbols[Y] = there;
	expect(&b, "right", KT_VERDICT_OK, TUNING, NULL);
	tear_down(&b);
}

/*
 * What no clause names is what it was after every candidate, or the candidate is wrong; the next one finds it
 * restored.
 */
static void constants_stay(void **state)
{
	static const char *names[] = {"fixed"};
	struct bench b;
	(void)state;
	for (int screen = 0; screen <= 1; screen++) {
		set_up(&b);
		assert_int_equal(open_region(&b, "right"), KT_OK);
		b.screen = screen;
		expect(&b, "changes_constant", KT_VERDICT_OK, TUNING, NULL);
		fake_constant[1] = 2;
		b.region.constants = names;
		b.region.constant_count = 1;
		b.skip[TUNING] = true;
		expect(&b, "changes_constant", KT_VERDICT_WRONG_ANSWER, ODD, "constant fixed was changed");
		b.skip[TUNING] = false;
		expect(&b, "changes_constant", KT_VERDICT_WRONG_ANSWER, TUNING, "constant fixed was changed");
		assert_int_equal(b.fake.restored, 2);
		assert_true(fake_constant[1] == 2);
		expect(&b, "right", KT_VERDICT_OK, TUNING, NULL);
		expect(&b, "once_only", KT_VERDICT_WRONG_ANSWER, screen ? ODD : TUNING, "wrong elements");
		tear_down(&b);
	}
}

static void backends_without_symbols(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	make_symbol(&b, X, N + 8);
	b.fake.engine.symbols = false;
	assert_int_equal(open_region(&b, "right"), KT_ERR_INVALID);
	assert_string_equal(b.err.message, "x is a device symbol, which this backend cannot reach");
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_any_buffer),       cmocka_unit_test(beyond_the_clause),
	    cmocka_unit_test(reset_between_launches), cmocka_unit_test(programs_without_it),
	    cmocka_unit_test(backends_without_symbols), cmocka_unit_test(constants_stay),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
