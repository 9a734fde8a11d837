#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "measure.h"
#include "messages.h"

static void half_rounds_to_nearest_even(void **state)
{
	(void)state;
	assert_int_equal(kt_half_bits(1.0f), 0x3c00);
	assert_int_equal(kt_half_bits(-2.0f), 0xc000);
	assert_int_equal(kt_half_bits(0.0f), 0);
	assert_int_equal(kt_half_bits(-0.0f), 0x8000);
	assert_int_equal(kt_half_bits(65504.0f), 0x7bff);
	assert_int_equal(kt_half_bits(65519.0f), 0x7bff);
	assert_int_equal(kt_half_bits(65520.0f), 0x7c00);
	assert_int_equal(kt_half_bits(1e9f), 0x7c00);
	assert_int_equal(kt_half_bits(-INFINITY), 0xfc00);
	assert_int_equal(kt_half_bits(NAN) & 0x7c00, 0x7c00);
	assert_int_not_equal(kt_half_bits(NAN) & 0x3ff, 0);
	assert_int_equal(kt_half_bits(0x1p-24f), 1);
	assert_int_equal(kt_half_bits(0x1p-25f), 0);
	assert_int_equal(kt_half_bits(0x1.8p-24f), 2);
	assert_int_equal(kt_half_bits(0x1p-14f), 0x0400);
	assert_int_equal(kt_half_bits(1.0f + 0x1p-11f), 0x3c00);
	assert_int_equal(kt_half_bits(1.0f + 0x1.8p-10f), 0x3c02);
}

static void bfloat16_rounds_to_nearest_even(void **state)
{
	(void)state;
	assert_int_equal(kt_bfloat16_bits(1.0f), 0x3f80);
	assert_int_equal(kt_bfloat16_bits(1.0f + 0x1p-8f), 0x3f80);
	assert_int_equal(kt_bfloat16_bits(1.0f + 0x1.8p-7f), 0x3f82);
	assert_int_equal(kt_bfloat16_bits(INFINITY), 0x7f80);
	assert_int_equal(kt_bfloat16_bits(3.4028235e38f), 0x7f80);
	assert_int_equal(kt_bfloat16_bits(NAN), 0x7fff);
}

static uint64_t bits(enum kt_scalar element, const char *json)
{
	struct kt_error err = {0};
	uint64_t out = 0;
	cJSON *item = cJSON_Parse(json);
	assert_non_null(item);
	assert_int_equal(kt_scalar_bits(&out, element, item, &err), KT_OK);
	cJSON_Delete(item);
	return out;
}

static void scalars_have_their_width(void **state)
{
	(void)state;
	assert_int_equal(bits(KT_I32, "-1"), 0xffffffffu);
	assert_int_equal(bits(KT_I8, "-2"), 0xfe);
	assert_true(bits(KT_I64, "\"-9223372036854775808\"") == UINT64_C(0x8000000000000000));
	assert_int_equal(bits(KT_BOOL, "256"), 1);
	assert_int_equal(bits(KT_F32, "1.5"), 0x3fc00000);
	assert_int_equal(bits(KT_F16, "1"), 0x3c00);
	assert_true(bits(KT_F64, "-2") == UINT64_C(0xc000000000000000));
	assert_int_equal(bits(KT_F32, "\"inf\""), 0x7f800000);
}

static void scalars_of_the_wrong_kind_are_refused(void **state)
{
	static const struct {
		enum kt_scalar element;
		const char *json;
	} bad[] = {{KT_I32, "1.5"}, {KT_F32, "\"many\""}, {KT_I32, "null"}, {KT_F32, "{}"}, {KT_SCALAR_NONE, "1"}};
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct kt_error err = {0};
		uint64_t out = 0;
		cJSON *item = cJSON_Parse(bad[i].json);
		assert_int_not_equal(kt_scalar_bits(&out, bad[i].element, item, &err), KT_OK);
		assert_true(*err.message);
		cJSON_Delete(item);
	}
}

static void a_summary_is_robust(void **state)
{
	double samples[] = {5, 1, 100, 3, 4};
	struct kt_timing timing;
	(void)state;
	kt_timing_summary(&timing, samples, 5, 0);
	assert_true(timing.median_ns == 4 && timing.min_ns == 1 && timing.mean_ns == 22.6);
	assert_true(timing.deviation_ns == 1 && timing.samples == 5);
	double two[] = {3, 1};
	kt_timing_summary(&timing, two, 2, 0);
	assert_true(timing.median_ns == 2 && timing.deviation_ns == 1);
	kt_timing_summary(&timing, two, 0, 0);
	assert_true(timing.samples == 0 && timing.median_ns == 0);
}

static void a_median_is_finer_than_the_clock(void **state)
{
	/* Ticks of 32 ns; 20 of 100 lie below the median's own tick, 60 in it: half of all end at 30/60 of it. */
	double samples[100], rounded[100];
	struct kt_timing timing;
	(void)state;
	for (int i = 0; i < 100; i++)
		samples[i] = i < 20 ? 3616.0000314 : i < 80 ? 3648 : 3680;
	memcpy(rounded, samples, sizeof samples);
	assert_true(fabs(kt_timing_tick(rounded, 100) - 32) < 0.001);
	kt_timing_summary(&timing, samples, 100, 32);
	assert_true(fabs(timing.median_ns - 3648) < 0.001);
	/* 40 below, 60 in it: a sixth of the tick. What a mere median says jumps by a whole tick where this moves on. */
	for (int i = 0; i < 100; i++)
		samples[i] = i < 40 ? 3616 : 3648;
	kt_timing_summary(&timing, samples, 100, 32);
	assert_true(fabs(timing.median_ns - (3632 + 32.0 / 6)) < 0.001);
	/* All in one tick, or so far apart that it is no clock's doing: the median as it is. */
	for (int i = 0; i < 100; i++)
		rounded[i] = i < 60 ? 3648 : 9000;
	assert_true(kt_timing_tick(rounded, 100) == 0 && kt_timing_tick(rounded, 60) == 0 &&
	            kt_timing_tick(rounded, 0) == 0);
	double eight[] = {1, 2, 3, 4, 5, 6, 7, 100};
	assert_true(kt_timing_middle_mean(eight, 8) == 4.5 && kt_timing_middle_mean(eight, 0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(half_rounds_to_nearest_even),
	    cmocka_unit_test(bfloat16_rounds_to_nearest_even),
	    cmocka_unit_test(scalars_have_their_width),
	    cmocka_unit_test(scalars_of_the_wrong_kind_are_refused),
	    cmocka_unit_test(a_summary_is_robust),
	    cmocka_unit_test(a_median_is_finer_than_the_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
