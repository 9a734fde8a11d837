/* What the planning agent decides, from numbers: what is kept, when to stop, who is asked, what is suggested. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "planning/choice.h"
#include "planning/facts.h"
#include "planning/measure.h"

static struct kt_device device;

static int setup(void **state)
{
	(void)state;
	if (!kt_device_by_architecture(&device, "sm_90"))
		return 1;
	device.multiprocessors = 132;
	return 0;
}

static void test_keeps(void **state)
{
	const struct kt_gain original = {1, 0.01}, two = {2, 0.01}, better = {2.05, 0.01}, doubtful = {2.05, 0.03};

	(void)state;
	assert_true(kt_choice_keeps(&original, &two));
	assert_false(kt_choice_keeps(&two, &original));
	assert_false(kt_choice_keeps(&two, &two));
	/* 1% is the noise of both: 0.75% is not more. */
	assert_false(kt_choice_keeps(&two, &(struct kt_gain){2.015, 0.01}));
	assert_true(kt_choice_keeps(&two, &better));
	/* The larger noise of the two counts. */
	assert_false(kt_choice_keeps(&two, &doubtful));
	assert_false(kt_choice_keeps(&(struct kt_gain){2, 0.03}, &better));
}

static struct kt_progress going_on(void)
{
	return (struct kt_progress){.over_copy = 1.5, .rounds = 1, .most = 3, .seconds_left = 10, .trials_left = 100,
	                            .attempts = 2};
}

static void test_stop(void **state)
{
	struct kt_progress p = going_on();

	(void)state;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NONE);
	p.over_copy = 0;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NONE);
	p.over_copy = 1.05;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_COPY);
	p = going_on();
	p.fruitless = 1;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NONE);
	p.fruitless = 2;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_FRUITLESS);
	p = going_on();
	p.rounds = 3;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_ROUNDS);
	p = going_on();
	p.seconds_left = 0;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_TIME);
	p = going_on();
	p.trials_left = 0;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_TRIALS);
	p = going_on();
	p.unpaid = 1;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_TOKENS);
	p = going_on();
	p.awaited = 1;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NONE);
	p.awaited = 2;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_AWAITED);
	p = going_on();
	p.nobody = true;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NOBODY);
	p = going_on();
	p.declined = 2;
	assert_int_equal(kt_choice_stop(&p), KT_STOP_DECLINED);
	/* Before the first round nobody was asked. */
	p = (struct kt_progress){.most = 3, .seconds_left = 1, .trials_left = 1};
	assert_int_equal(kt_choice_stop(&p), KT_STOP_NONE);
}

static void test_next(void **state)
{
	struct kt_offer offers[KT_CHOOSE_NONE] = {{true, 0.3, 1}, {true, 0.5, 60}};

	(void)state;
	assert_int_equal(kt_choice_next(offers, 0.01), KT_CHOOSE_RULES);
	offers[KT_CHOOSE_RULES].there = false;
	assert_int_equal(kt_choice_next(offers, 0.01), KT_CHOOSE_MODEL);
	offers[KT_CHOOSE_MODEL].gain = 0.005;
	assert_int_equal(kt_choice_next(offers, 0.01), KT_CHOOSE_NONE);
}

/* A launch that fills the device, twice the time of a copy, nothing spilled. */
static struct kt_measure full(void)
{
	return (struct kt_measure){.ns = 20000, .copy_ns = 10000, .bytes = 4e7, .blocks = 4096, .threads = 256,
	                           .registers = 32, .local_bytes = 0, .shared_bytes = 0};
}

static void test_bound(void **state)
{
	struct kt_measure m = full();

	(void)state;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_EXCESS);
	m.ns = 12000;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_LATENCY);
	m.ns = 10500;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_COPY);
	m.ns = 0;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_UNKNOWN);
	m = full();
	m.local_bytes = 16;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_SPILLS);
	/* 16 blocks on 132 multiprocessors. */
	m = full();
	m.blocks = 16;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_PARALLELISM);
	/* 200 registers: one block of 256 threads of 2048 fits. */
	m = full();
	m.registers = 200;
	assert_true(kt_measure_occupancy(&m, &device) == 0.125);
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_OCCUPANCY);
	/* What is not known says nothing. */
	m = (struct kt_measure){.ns = 20000, .copy_ns = 10000, .registers = -1, .local_bytes = -1, .shared_bytes = -1};
	assert_true(kt_measure_occupancy(&m, &device) < 0);
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_EXCESS);
	m.copy_ns = 0;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_EXCESS);
}

static struct kt_counted nothing_counted(void)
{
	struct kt_counted counted = {.kernel = "k"};

	for (int c = 0; c < KT_COUNTERS; c++)
		counted.value[c] = NAN;
	return counted;
}

/* A launch that fills the device, with one counter or two that say something. */
static enum kt_bound counted_bound(int counter, double value, int other, double of)
{
	struct kt_counted counted = nothing_counted();
	struct kt_measure m = full();

	counted.value[counter] = value;
	counted.value[other] = of;
	m.counted = &counted;
	return kt_measure_bound(&m, &device);
}

static void test_counted_bound(void **state)
{
	static const struct {
		int counter;
		double value;
		int other;
		double of;
		enum kt_bound bound;
	} cases[] = {
	    {KT_COUNTER_LOAD_SECTORS, 32, KT_COUNTER_MEMORY_BUSY, 95, KT_BOUND_UNCOALESCED},
	    {KT_COUNTER_STORE_SECTORS, 17, KT_COUNTER_LOAD_SECTORS, 4, KT_BOUND_UNCOALESCED},
	    /* 16 bytes a lane: as many as the bytes need. */
	    {KT_COUNTER_LOAD_SECTORS, 16, KT_COUNTER_STORE_SECTORS, 16, KT_BOUND_EXCESS},
	    {KT_COUNTER_MEMORY_BUSY, 80, KT_COUNTER_ISSUE, 90, KT_BOUND_BANDWIDTH},
	    {KT_COUNTER_MEMORY_BUSY, 79, KT_COUNTER_BUSY, 59, KT_BOUND_TAIL},
	    {KT_COUNTER_MEMORY_BUSY, 79, KT_COUNTER_BUSY, 60, KT_BOUND_EXCESS},
	    {KT_COUNTER_ISSUE, 60, KT_COUNTER_WARPS, 10, KT_BOUND_ISSUE},
	    {KT_COUNTER_ISSUE, 59, KT_COUNTER_WARPS, 24, KT_BOUND_OCCUPANCY},
	    {KT_COUNTER_BARRIER_WAIT, 3, KT_COUNTER_LATENCY, 10, KT_BOUND_BARRIER},
	    {KT_COUNTER_MEMORY_WAIT, 30, KT_COUNTER_LATENCY, 40, KT_BOUND_MEMORY},
	    {KT_COUNTER_MEMORY_WAIT, 2, KT_COUNTER_LATENCY, 40, KT_BOUND_EXCESS},
	    /* A part of nothing says nothing. */
	    {KT_COUNTER_MEMORY_WAIT, 2, KT_COUNTER_LATENCY, 0, KT_BOUND_EXCESS},
	    {KT_COUNTER_MEMORY_WAIT, 2, KT_COUNTER_LATENCY, NAN, KT_BOUND_EXCESS},
	    {KT_COUNTER_TIME, 2e4, KT_COUNTER_L2_HITS, 1, KT_BOUND_EXCESS},
	};
	struct kt_counted counted = nothing_counted();
	struct kt_measure m = full();

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(counted_bound(cases[i].counter, cases[i].value, cases[i].other, cases[i].of), cases[i].bound);
	/* What is known from the launch goes before. */
	counted.value[KT_COUNTER_LOAD_SECTORS] = 32;
	m.counted = &counted;
	m.ns = m.copy_ns;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_COPY);
	m = full();
	m.counted = &counted;
	m.local_bytes = 8;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_SPILLS);
	m.local_bytes = 0;
	m.blocks = 16;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_PARALLELISM);
	/* The computed occupancy is a guess beside what was seen. */
	m = full();
	m.registers = 200;
	m.counted = &counted;
	assert_int_equal(kt_measure_bound(&m, &device), KT_BOUND_UNCOALESCED);
}

/* Each bound that counters can tell has a family that may help, and they change which one comes first. */
static void test_counted_families(void **state)
{
	static const struct {
		int counter;
		double value;
		const char *first;
	} cases[] = {
	    {KT_COUNTER_LOAD_SECTORS, 32, "neighbouring-threads"}, {KT_COUNTER_MEMORY_BUSY, 90, "fewer-passes"},
	    {KT_COUNTER_BUSY, 30, "persistent-blocks"},            {KT_COUNTER_ISSUE, 80, "cheaper-arithmetic"},
	    {KT_COUNTER_WARPS, 10, "fewer-registers"},             {KT_COUNTER_BARRIER_WAIT, 50, "short-chains"},
	    {KT_COUNTER_MEMORY_WAIT, 50, "wide-accesses"},
	};
	const struct kt_family_history history = {.tried = {0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct kt_counted counted = nothing_counted();
		struct kt_measure m = full();
		size_t order[KT_FAMILIES_MOST];

		counted.value[KT_COUNTER_LATENCY] = 100;
		counted.value[cases[i].counter] = cases[i].value;
		m.counted = &counted;
		assert_true(kt_families_rank(order, &m, 1, &device, &history) > 0);
		assert_string_equal(kt_family_name(order[0]), cases[i].first);
	}
}

static void test_headroom(void **state)
{
	struct kt_measure m = full();

	(void)state;
	assert_true(kt_measure_headroom(&m) == 0.5);
	m.ns = 5000;
	assert_true(kt_measure_headroom(&m) == 0);
	m.copy_ns = 0;
	assert_true(kt_measure_headroom(&m) == 0.5);
}

static size_t named(const char *name)
{
	for (size_t f = 0; f < kt_families(); f++)
		if (strcmp(kt_family_name(f), name) == 0)
			return f;
	fail_msg("%s", name);
	return 0;
}

/* Spills call for fewer registers; what did not help comes later; at the copy bound nothing is promised. */
static void test_families(void **state)
{
	struct kt_family_history history = {{0}, {0}};
	struct kt_measure m = full();
	size_t order[KT_FAMILIES_MOST], count;
	const size_t registers = named("fewer-registers");
	double gain;

	(void)state;
	m.local_bytes = 64;
	count = kt_families_rank(order, &m, 1, &device, &history);
	assert_true(count >= 1);
	assert_int_equal(order[0], registers);
	gain = kt_family_gain(registers, &m, 1, &device, &history);
	assert_true(gain > 0 && gain <= kt_measure_headroom(&m));
	history.tried[registers] = 1;
	assert_true(fabs(kt_family_gain(registers, &m, 1, &device, &history) - gain / 2) < 1e-12);
	history.helped[registers] = 1;
	assert_true(kt_family_gain(registers, &m, 1, &device, &history) == gain);
	m.ns = m.copy_ns;
	assert_int_equal(kt_families_rank(order, &m, 1, &device, &history), 0);
	for (size_t f = 0; f < kt_families(); f++)
		assert_true(kt_family_gain(f, &m, 0, &device, &history) == 0);
}

static void test_rank(void **state)
{
	const struct kt_family_history history = {{0}, {0}};
	struct kt_measure measures[3] = {full(), full(), full()};
	size_t order[KT_FAMILIES_MOST], count;

	(void)state;
	measures[1].blocks = measures[2].blocks = 1;
	count = kt_families_rank(order, measures, 3, &device, &history);
	assert_true(count > 1);
	for (size_t i = 1; i < count; i++)
		assert_true(kt_family_gain(order[i - 1], measures, 3, &device, &history) >=
		            kt_family_gain(order[i], measures, 3, &device, &history));
	assert_int_equal(order[0], named("other-division"));
}

static void test_suggest(void **state)
{
	struct kt_buf out = KT_BUF(1 << 16);
	const struct kt_family_history history = {{0}, {0}};
	struct kt_measure measures[2] = {full(), full()};
	size_t families[KT_FAMILIES_MOST], used;

	(void)state;
	measures[1].local_bytes = 8;
	kt_facts_suggest(&out, families, &used, measures, 2, &device, &history);
	assert_int_equal(used, 3);
	assert_non_null(strstr(out.data, "- 1 of 2 problems: spills: registers are spilled"));
	assert_non_null(strstr(out.data, "- 1 of 2 problems: more work than the bytes: "));
	assert_null(strstr(out.data, "at the copy bound: as fast"));
	for (size_t i = 0; i < used; i++)
		assert_non_null(strstr(out.data, kt_family_name(families[i])));
	kt_buf_free(&out);
}

static void test_digest(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_digest digest = {.best_count = 0};
	double ns[2] = {10, NAN};

	(void)state;
	for (int i = 0; i < 10; i++) {
		char name[16];
		struct kt_tried tried = {.configuration = name, .verdict = KT_VERDICT_OK, .cost = i % 2 == 0 ? i : 20 - i,
		                         .ns = ns};

		(void)snprintf(name, sizeof name, "N=%d", i);
		ns[0] = i;
		assert_true(kt_digest_add(&digest, arena, &tried, 2));
		tried = (struct kt_tried){.configuration = name,
		                          .verdict = i % 2 == 0 ? KT_VERDICT_WRONG_ANSWER : KT_VERDICT_NO_COMPILE,
		                          .cost = INFINITY, .detail = name};
		assert_true(kt_digest_add(&digest, arena, &tried, 2));
		tried.verdict = KT_VERDICT_SKIPPED;
		assert_true(kt_digest_add(&digest, arena, &tried, 2));
	}
	assert_int_equal(digest.best_count, KT_DIGEST_BEST);
	for (size_t i = 0; i < 5; i++)
		assert_true(digest.best[i].cost == 2.0 * (double)i && digest.best[i].ns[0] == 2.0 * (double)i);
	assert_string_equal(digest.best[0].configuration, "N=0");
	assert_string_equal(digest.best[5].configuration, "N=9");
	assert_true(isnan(digest.best[5].ns[1]));
	/* The first of each verdict. */
	assert_int_equal(digest.failed_count, 2);
	assert_string_equal(digest.failed[0].detail, "N=0");
	assert_string_equal(digest.failed[1].detail, "N=1");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_keeps), cmocka_unit_test(test_stop),     cmocka_unit_test(test_next),
	    cmocka_unit_test(test_bound), cmocka_unit_test(test_counted_bound), cmocka_unit_test(test_counted_families), cmocka_unit_test(test_headroom), cmocka_unit_test(test_families),
	    cmocka_unit_test(test_rank),  cmocka_unit_test(test_suggest),  cmocka_unit_test(test_digest)};

	return cmocka_run_group_tests(tests, setup, NULL);
}
