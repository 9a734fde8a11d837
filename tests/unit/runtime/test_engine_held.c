/* References that stay on the device, results that are on their way, and who writes over them. */
#include <string.h>

#include "bench.h"

/* Writes somewhere else as well: what and when the test says. */
static unsigned char *victim;
static unsigned damage_from, damage_for;

static void write_over(unsigned call)
{
	if (victim && call >= damage_from && call - damage_from < damage_for)
		*victim ^= 0x40;
}

static enum kt_verdict try_stray(struct bench *b, unsigned from, unsigned count)
{
	side_effect = write_over;
	victim = b->fake.held + 64;
	damage_from = from;
	damage_for = count;
	const enum kt_verdict verdict = try(b, "strays", 5);
	victim = NULL;
	return verdict;
}

static void references_are_held(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t p = 0; p < PROBLEMS; p++) {
		const struct kt_place *place = &b.fake.engine.places[p];
		assert_true(place->held >= KT_AT_HELD && place->mask != 0);
		/* Masked: nothing there is the reference. */
		const unsigned char *held = b.fake.held + (place->held & KT_AT_OFFSET);
		assert_true(memcmp(held, place->reference, place->spans[0].bytes) != 0);
	}
	b.fake.searching = true;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	b.fake.searching = false;
	assert_int_equal(try(&b, "four_times", 5), KT_VERDICT_WRONG_ANSWER);
	/* Another region has other references, and one without room has none there. */
	b.fake.holds_nothing = true;
	assert_int_equal(open_region(&b, "four_times"), KT_OK);
	assert_true(b.fake.engine.places[TUNING].held == 0);
	assert_int_equal(try(&b, "four_times", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_WRONG_ANSWER);
	tear_down(&b);
}

/* A candidate that writes over its own judge is rejected; one that finds it damaged is judged by a whole one. */
static void stray_writes(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try_stray(&b, 0, UINT32_MAX), KT_VERDICT_OUT_OF_BOUNDS);
	assert_non_null(strstr(b.trials[TUNING].detail, "far from every buffer"));
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	b.fake.held[64] ^= 1;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	b.fake.held[64] ^= 1;
	assert_int_equal(try(&b, "four_times", 5), KT_VERDICT_WRONG_ANSWER);
	/* Not again: what is damaged is whole by then. */
	assert_int_equal(try_stray(&b, 0, 1), KT_VERDICT_OK);
	tear_down(&b);
}

static kt_status keeps_nothing(void *device, size_t page, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	memset(f->pages[page], f->kept_byte, sizeof f->pages[page]);
	return KT_OK;
}

/* A result that never came, or that somebody wrote over, finds nothing right. */
static void results_that_are_lost(void **state)
{
	struct kt_ops ops = fake_ops;
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	ops.keep = keeps_nothing;
	b.fake.engine.ops = &ops;
	for (int byte = 0; byte < 256; byte += 255) {
		b.fake.kept_byte = byte;
		assert_int_not_equal(try(&b, "right", 5), KT_VERDICT_OK);
	}
	tear_down(&b);
}

/* All runs of a row are waited for once. */
static void one_wait_a_row(void **state)
{
	unsigned waits[2];
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t i = 0; i < 2; i++) {
		b.skip[ODD] = i == 0;
		b.fake.waits = 0;
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		waits[i] = b.fake.waits;
	}
	assert_int_equal(waits[1], waits[0] + 1);
	/* For as long as its launches may take, one behind the other. */
	b.fake.engine.least_limit_s = 0.25;
	b.skip[TUNING] = b.skip[IN_PLACE] = true;
	assert_int_equal(try(&b, "changes_input", 5), KT_VERDICT_WRONG_ANSWER);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(references_are_held),
	    cmocka_unit_test(stray_writes),
	    cmocka_unit_test(results_that_are_lost),
	    cmocka_unit_test(one_wait_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
