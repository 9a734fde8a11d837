/* What the engine times, and what it knows of the device's state while it does. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "measure.h"

/* Work that the device's events leave out, heat, company. */
static void circumstances(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(fabs(b.trials[TUNING].timing.median_ns - 1000) < 1e-6);
	assert_null(b.trials[TUNING].detail);
	assert_false(b.notes[TUNING].conditions.known);
	assert_true(b.fake.settled >= 2);
	b.fake.host_ns = 50000;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(fabs(b.trials[TUNING].timing.median_ns - 50000) < 1e-6);
	assert_non_null(strstr(b.trials[TUNING].detail, "host"));
	b.fake.host_ns = 1500;
	b.fake.tells = true;
	b.fake.processes = 2;
	b.fake.throttled = 3;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_int_equal(b.notes[TUNING].conditions.repeats, 2);
	assert_false(b.notes[TUNING].conditions.throttled);
	assert_int_equal(b.notes[TUNING].conditions.sm_mhz[1], 1980);
	assert_non_null(b.backend.warning(b.backend.state));
	assert_null(b.backend.warning(b.backend.state));
	b.fake.throttled = 100;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(b.notes[TUNING].conditions.throttled);
	assert_null(b.backend.warning(b.backend.state));
	tear_down(&b);
}

/* Heat and the supply throttle; idle clocks, clocks that were set, the power cap, boost groups and displays do not. */
static void reasons_for_low_clocks(void **state)
{
	static const struct {
		uint64_t bit;
		bool throttles;
	} rows[] = {{0x01, false}, {0x02, false}, {0x04, false}, {0x08, true},  {0x10, false},
	            {0x20, true},  {0x40, true},  {0x80, true},  {0x100, false}};
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		b.fake.throttled = 1;
		b.fake.reasons = rows[i].bit;
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		if (b.notes[TUNING].conditions.repeats != rows[i].throttles)
			fail_msg("reason %#x: %u repeats", (unsigned)rows[i].bit, (unsigned)b.notes[TUNING].conditions.repeats);
		assert_false(b.notes[TUNING].conditions.throttled);
	}
	tear_down(&b);
}

/* A look at a healthy device holds for a while; one at a throttled device is never believed twice. */
static void looks_are_dear(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	((struct kt_engine *)b.backend.state)->health_age_s = 1e6;
	for (int i = 0; i < 5; i++)
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.fake.looks, 1);
	assert_int_equal(b.notes[TUNING].conditions.sm_mhz[1], 1980);
	((struct kt_engine *)b.backend.state)->health_age_s = 0;
	b.fake.throttled = 100;
	b.fake.reasons = 0x40;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	((struct kt_engine *)b.backend.state)->health_age_s = 1e6;
	const unsigned before = b.fake.looks;
	b.fake.throttled = 0;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.fake.looks, before + 1);
	assert_false(b.notes[TUNING].conditions.throttled);
	tear_down(&b);
}

/* A spare runner and tools of the same client are no strangers. */
static void company(void **state)
{
	struct kt_run_candidate candidate = {.configuration = "C=1", .cubin = "c", .function = "right", .options = ""};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = 5, .companions = 2};
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	b.fake.processes = 3;
	candidate.geometry = b.geometry;
	candidate.give_up_ns = b.give_up_ns;
	candidate.skip = b.skip;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (unsigned processes = 3; processes < 5; processes++) {
		struct kt_run_outcome outcome = {.verdict = KT_VERDICT_OK, .trials = b.trials, .notes = b.notes};
		b.fake.processes = processes;
		assert_int_equal(b.backend.try_candidate(&outcome, b.backend.state, b.arena, &candidate, &effort, &b.err),
		                 KT_OK);
		assert_true((b.backend.warning(b.backend.state) != NULL) == (processes == 4));
	}
	tear_down(&b);
}

static void copies(void **state)
{
	struct kt_run_curve curves[KT_RUN_PATTERNS];
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = 3};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(b.backend.copy_curves(curves, &failure, b.backend.state, &effort, 1 << 18, &b.err), KT_OK);
	for (size_t i = 0; i < KT_RUN_PATTERNS; i++) {
		assert_int_equal(curves[i].count, 3);
		assert_int_equal(curves[i].points[2].bytes, 1 << 18);
		assert_true(curves[i].points[2].median_ns > 0);
	}
	/* What has no room is left out. */
	assert_int_equal(b.backend.copy_curves(curves, &failure, b.backend.state, &effort, 1 << 24, &b.err), KT_OK);
	assert_int_equal(curves[0].count, 4);
	tear_down(&b);
}

/* A kernel that does nothing is launched beside whatever is timed, where the backend has one. */
static void empty_launches(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(b.backend.launch_ns(b.backend.state) == 0);
	b.fake.engine.empty_shapes = 3;
	/* A candidate that is wrong is not timed, and nothing beside it. */
	assert_int_equal(try(&b, "changes_input", 5), KT_VERDICT_WRONG_ANSWER);
	assert_true(b.backend.launch_ns(b.backend.state) == 0);
	b.fake.empty_ns = 700;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(fabs(b.backend.launch_ns(b.backend.state) - 700) < 1e-6);
	/* What stood in for them is the first to go; then as many are remembered as there is room for. */
	b.fake.empty_ns = 800;
	for (int i = 0; i < 5; i++)
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(fabs(b.backend.launch_ns(b.backend.state) - 800) < 1e-6);
	assert_int_equal(b.fake.engine.launch_count, 10 * KT_LAUNCH_BATCH);
	b.fake.empty_ns = 900;
	for (int i = 0; i < KT_LAUNCHES / KT_LAUNCH_BATCH / 2; i++)
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(fabs(b.backend.launch_ns(b.backend.state) - 900) < 1e-6);
	assert_int_equal(b.fake.engine.launch_count, KT_LAUNCHES);
	const unsigned all = b.fake.empties[0] + b.fake.empties[1] + b.fake.empties[2];
	assert_int_equal(all, 100 + (5 + KT_LAUNCHES / KT_LAUNCH_BATCH / 2) * 2 * KT_LAUNCH_BATCH);
	for (size_t i = 0; i < 3; i++)
		assert_in_range(b.fake.empties[i], all / 4, all * 2 / 5);
	tear_down(&b);
}

/* The original and a candidate that does the same. */
static void compare(struct kt_timing *timings, struct bench *b, const struct kt_run_effort *effort)
{
	struct kt_run_conditions conditions[PROBLEMS] = {0};
	struct kt_run_failure failure = {false, SIZE_MAX};
	const struct kt_run_candidate candidates[] = {
	    {.configuration = ""},
	    {.configuration = "C=1", .cubin = "c", .function = "right", .options = "", .geometry = b->geometry,
	     .skip = b->skip}};
	assert_int_equal(b->backend.compare(timings, conditions, &failure, b->backend.state, b->arena, candidates, 2, effort,
	                                    &b->err),
	                 KT_OK);
}

/* In a comparison it has its turns as all others have, and what it took there is what counts. */
static void empty_launches_of_a_comparison(void **state)
{
	struct kt_timing timings[2 * PROBLEMS] = {0};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (unsigned shapes = 0; shapes <= 3; shapes += 3) {
		b.fake.engine.empty_shapes = shapes;
		if (shapes)
			assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		assert_int_equal(b.fake.engine.launch_count, shapes ? 10 * KT_LAUNCH_BATCH : 0);
		b.fake.empty_ns = 750;
		compare(timings, &b, &(struct kt_run_effort){.warmups = 20, .repetitions = 100, .seed = 3});
		for (size_t c = 0; c < 2; c++) {
			assert_int_equal(timings[c * PROBLEMS + TUNING].samples, shapes ? 100 * KT_SHORT_TIMES : 100);
			assert_true(timings[c * PROBLEMS + TUNING].median_ns == b.fake.sample_ns);
		}
		assert_int_equal(b.fake.engine.launch_count, shapes ? 100 * KT_SHORT_TIMES : 0);
		assert_true(fabs(b.backend.launch_ns(b.backend.state) - (shapes ? 750 : 0)) < 1e-6);
	}
	tear_down(&b);
}

/* Whatever the shift of a comparison is, every set has the problem's data; what it left there does not lie about. */
static void data_of_a_comparison(void **state)
{
	struct kt_timing timings[2 * PROBLEMS] = {0};
	float input[N];
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	const struct kt_lanes floats = kt_data_lanes(kt_element_of(KT_F32), 0);
	kt_data_fill(input, &floats, &b.data[TUNING][1]);
	for (uint64_t i = 0; i < KT_SHIFTS; i += 5) {
		b.fake.timed_input = input;
		compare(timings, &b, &(struct kt_run_effort){.warmups = 2, .repetitions = 10, .seed = i});
		b.fake.timed_input = NULL;
		b.fake.searching = true;
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		b.fake.searching = false;
	}
	tear_down(&b);
}

/* As a program's own large buffers, in every set; nothing in a set belongs to neither a buffer nor a zone. */
static void large_buffers(void **state)
{
	enum { ALIGN = 2048 };
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.engine.large_align = ALIGN;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t p = 0; p < PROBLEMS; p++) {
		const struct kt_place *place = &b.fake.engine.places[p];
		size_t at = 0;
		for (size_t i = 0; i < 2; i++) {
			if (place->spans[i].leader != i)
				continue;
			const size_t data = place->spans[i].at - b.data[p][i].offset;
			assert_true(p != TUNING || data % ALIGN == 0);
			assert_int_equal(place->zones->zone[2 * i].offset, at);
			assert_true(place->zones->zone[2 * i].bytes >= KT_ZONE_BYTES);
			assert_int_equal(at + place->zones->zone[2 * i].bytes, place->spans[i].at);
			at = place->spans[i].at + place->spans[i].bytes;
			assert_int_equal(place->zones->zone[2 * i + 1].offset, at);
			assert_true(place->zones->zone[2 * i + 1].bytes >= KT_ZONE_BYTES);
			at += place->zones->zone[2 * i + 1].bytes;
		}
		assert_int_equal(at, place->stride);
		assert_true(p != TUNING || place->stride % ALIGN == 0);
		assert_true(place->touched <= place->stride);
		/* Zones that fill a set up are not what sweeps the cache. */
		assert_true(p != TUNING || place->sets * place->touched >= 3 * b.fake.engine.cache_bytes);
	}
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(circumstances),
	    cmocka_unit_test(reasons_for_low_clocks),
	    cmocka_unit_test(looks_are_dear),
	    cmocka_unit_test(company),
	    cmocka_unit_test(copies),
	    cmocka_unit_test(empty_launches),
	    cmocka_unit_test(empty_launches_of_a_comparison),
	    cmocka_unit_test(data_of_a_comparison),
	    cmocka_unit_test(large_buffers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
