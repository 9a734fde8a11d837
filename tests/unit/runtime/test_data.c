/* Data of the verification on the host, and the order of measurements. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "measure.h"
#include "messages.h"

#define FIRST_SEED 0x1c3a5e7f9b2d4f68u
#define SECOND_SEED 0x7d41b09e63a85c17u

static double real_of(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Of a buffer of numbers. */
static const struct kt_lanes *numbers(enum kt_scalar scalar)
{
	static struct kt_lanes lanes;

	lanes = kt_data_lanes(kt_element_of(scalar), 0);
	return &lanes;
}

static struct kt_result compared(const void *got, const void *want, size_t count, enum kt_scalar element,
                                      double absolute, bool exact)
{
	struct kt_data_tolerance tolerance = {absolute, 0, FIRST_SEED, SECOND_SEED, 0, exact};
	struct kt_result result = {0};
	kt_data_compare(&result, got, want, count, numbers(element), &tolerance);
	return result;
}

static void damage_is_counted(void **state)
{
	unsigned char data[61];
	(void)state;
	for (uint64_t seed = 7; seed < 9; seed++) {
		for (size_t size = 0; size <= sizeof data; size++) {
			memset(data, 0, sizeof data);
			kt_data_zone(data, size, seed);
			assert_int_equal(kt_data_damage(data, size, seed), 0);
			if (size < sizeof data)
				assert_int_equal(data[size], 0);
			if (size > 8)
				assert_true(kt_data_damage(data, size, seed + 1) > 0 && kt_data_damage(data, size, seed + 2) > 0);
		}
		data[60] ^= 1;
		data[3] ^= 128;
		assert_int_equal(kt_data_damage(data, sizeof data, seed), 2);
	}
}

/* Whoever reads beyond a buffer must not find a number that goes unnoticed in a sum. */
static void zones_are_absurd_in_every_type(void **state)
{
	float singles[256];
	double doubles[128];
	int16_t integers[512];
	uint16_t halves[512];
	(void)state;
	kt_data_zone(singles, sizeof singles, 12);
	kt_data_zone(doubles, sizeof doubles, 12);
	kt_data_zone(integers, sizeof integers, 12);
	for (size_t i = 0; i < 256; i++)
		assert_true(isfinite(singles[i]) && fabsf(singles[i]) > 1e29f);
	for (size_t i = 0; i < 128; i++)
		assert_true(isfinite(doubles[i]) && fabs(doubles[i]) > 1e200);
	for (size_t i = 0; i < 512; i++)
		assert_true(integers[i] > 1000 || integers[i] < -1000);
	kt_data_zone(halves, sizeof halves, 13);
	for (size_t i = 0; i < 512; i++)
		assert_true((halves[i] & 0x7c00) == 0x7c00 && (halves[i] & 0x3ff));
	kt_data_zone(singles, sizeof singles, 13);
	for (size_t i = 0; i < 256; i++)
		assert_true(isnan(singles[i]));
	kt_data_zone(doubles, sizeof doubles, 13);
	for (size_t i = 0; i < 128; i++)
		assert_true(isnan(doubles[i]));
}

static void poison_of_an_element_is_its_bytes(void **state)
{
	unsigned char data[64];
	(void)state;
	kt_data_poison(data, sizeof data, 99);
	for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
		for (size_t i = 0; i < sizeof data / bytes; i++) {
			uint64_t bits = 0;
			memcpy(&bits, data + i * bytes, bytes);
			assert_true(bits == kt_data_poison_bits(i, bytes, 99));
		}
	}
}

static void digests_see_every_byte(void **state)
{
	unsigned char data[37];
	(void)state;
	kt_data_poison(data, sizeof data, 1);
	const uint64_t before = kt_data_digest(data, sizeof data, 0);
	assert_true(kt_data_digest(data, sizeof data, 1) != before);
	for (size_t i = 0; i < sizeof data; i++) {
		data[i] ^= 16;
		assert_true(kt_data_digest(data, sizeof data, 0) != before);
		data[i] ^= 16;
	}
	assert_true(kt_data_digest(data, sizeof data, 0) == before);
}

static void fills(void **state)
{
	int8_t bytes[300];
	float reals[300], mean = 0;
	double wide[300];
	uint8_t flags[64];
	unsigned ones = 0;
	(void)state;
	kt_data_fill(bytes, numbers(KT_I8), &(struct kt_run_data){.count = 300, .kind = KT_FILL_RANGE, .a = -3, .b = 4, .seed = 5});
	for (size_t i = 0; i < 300; i++)
		assert_in_range(bytes[i] + 3, 0, 7);
	kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = 300, .kind = KT_FILL_UNIFORM, .a = -2, .b = 2,
	                                                  .seed = 5});
	for (size_t i = 0; i < 300; i++) {
		assert_true(reals[i] >= -2 && reals[i] < 2);
		mean += reals[i] / 300;
	}
	assert_true(fabsf(mean) < 0.5f);
	kt_data_fill(wide, numbers(KT_F64), &(struct kt_run_data){.count = 300, .kind = KT_FILL_NORMAL, .a = 10, .b = 0.5,
	                                                 .seed = 5});
	for (size_t i = 0; i < 300; i++)
		assert_true(fabs(wide[i] - 10) < 4);
	kt_data_fill(flags, numbers(KT_BOOL), &(struct kt_run_data){.count = 64, .kind = KT_FILL_UNIFORM, .a = -1, .b = 1,
	                                                   .seed = 5});
	for (size_t i = 0; i < 64; i++) {
		assert_in_range(flags[i], 0, 1);
		ones += flags[i];
	}
	assert_in_range(ones, 8, 56);
}

enum { MANY = 1000 };

static int by_value(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

/* Each number once, of as many as there are elements and of any other range, and in no order. */
static void arranged_without_repetition(void **state)
{
	static const int64_t counts[] = {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 257, MANY};
	int32_t list[MANY];
	size_t moved = 0;
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		const int64_t count = counts[c];
		kt_data_fill(list, numbers(KT_I32), &(struct kt_run_data){.count = count, .kind = KT_FILL_PERMUTATION, .seed = 3});
		for (int32_t i = 0; i < count; i++)
			moved += list[i] != i;
		qsort(list, (size_t)count, sizeof *list, by_value);
		for (int32_t i = 0; i < count; i++)
			assert_int_equal(list[i], i);
		kt_data_fill(list, numbers(KT_I32), &(struct kt_run_data){.count = count, .kind = KT_FILL_UNIQUE, .a = -7,
		                                                    .b = 5000, .seed = 4});
		qsort(list, (size_t)count, sizeof *list, by_value);
		assert_true(list[0] >= -7 && list[count - 1] <= 5000);
		for (int64_t i = 1; i < count; i++)
			assert_true(list[i - 1] < list[i]);
	}
	assert_true(moved > MANY);
	kt_data_fill(list, numbers(KT_I32), &(struct kt_run_data){.count = 8, .kind = KT_FILL_UNIQUE, .a = 3, .b = 5});
	for (size_t i = 0; i < 8; i++)
		assert_in_range(list[i], 3, 5);
}

static void arranged_in_order(void **state)
{
	static const int64_t counts[] = {1, 2, 3, 17, MANY};
	int32_t list[MANY];
	float reals[MANY];
	uint8_t flags[MANY];
	size_t ones = 0, empty = 0;
	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		const int64_t count = counts[c];
		kt_data_fill(list, numbers(KT_I32), &(struct kt_run_data){.count = count, .kind = KT_FILL_SORTED, .a = -5, .b = 900,
		                                                    .seed = 9});
		kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = count, .kind = KT_FILL_SORTED, .a = -0.5, .b = 0.5,
		                                                  .seed = 9});
		for (int64_t i = 0; i < count; i++) {
			assert_true(list[i] >= -5 && list[i] <= 900 && reals[i] >= -0.5f && reals[i] <= 0.5f);
			assert_true(i == 0 || (list[i - 1] <= list[i] && reals[i - 1] <= reals[i]));
		}
		kt_data_fill(list, numbers(KT_I32), &(struct kt_run_data){.count = count, .kind = KT_FILL_OFFSETS, .a = 6, .seed = 9});
		assert_int_equal(list[0], 0);
		assert_int_equal(list[count - 1], (count - 1) * 6);
		for (int64_t i = 1; i < count; i++) {
			assert_in_range(list[i] - list[i - 1], 0, 12);
			empty += list[i] == list[i - 1];
		}
	}
	assert_in_range(empty, 5, MANY / 10);
	kt_data_fill(flags, numbers(KT_U8), &(struct kt_run_data){.count = MANY, .kind = KT_FILL_MASK, .a = 0.25, .seed = 2});
	for (size_t i = 0; i < MANY; i++) {
		assert_in_range(flags[i], 0, 1);
		ones += flags[i];
	}
	assert_in_range(ones, MANY / 5, MANY * 3 / 10);
}

/* One of the numbers of a choice, each of them, in every type. */
static void chosen(void **state)
{
	const struct kt_fill whole = {.kind = KT_FILL_CHOICE, .a = -3, .b = 8, .count = 3, .more = {40}};
	const struct kt_run_data fill = {.count = MANY, .kind = KT_FILL_CHOICE, .a = -3, .b = 8, .whole = &whole, .seed = 6};
	int32_t list[MANY];
	float reals[MANY];
	size_t each[3] = {0};
	(void)state;
	kt_data_fill(list, numbers(KT_I32), &fill);
	kt_data_fill(reals, numbers(KT_F32), &fill);
	for (size_t i = 0; i < MANY; i++) {
		assert_true(list[i] == -3 || list[i] == 8 || list[i] == 40);
		assert_true(reals[i] == (float)list[i]);
		each[list[i] == -3 ? 0 : list[i] == 8 ? 1 : 2]++;
	}
	for (size_t n = 0; n < 3; n++)
		assert_in_range(each[n], MANY / 5, MANY / 2);
}

static void fills_of_checks(void **state)
{
	float reals[4096];
	uint16_t halves[1024];
	double wide[256];
	int32_t integers[64];
	size_t zeros = 0, odd = 0, negative = 0;
	(void)state;
	kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = 4096, .kind = KT_FILL_SPARSE, .a = 1, .b = 2});
	for (size_t i = 0; i < 4096; i++) {
		zeros += (size_t)(reals[i] == 0);
		assert_true(reals[i] == 0 || (reals[i] >= 1 && reals[i] < 2));
	}
	assert_in_range(zeros, 3400, 3760);
	kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = 4096, .kind = KT_FILL_LARGE});
	for (size_t i = 0; i < 4096; i++) {
		negative += (size_t)(reals[i] < 0);
		assert_true(fabsf(reals[i]) >= 1 && fabsf(reals[i]) <= 10000);
	}
	assert_in_range(negative, 1800, 2300);
	kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = 4096, .kind = KT_FILL_SPECIAL, .a = -1, .b = 1});
	for (size_t i = 0; i < 4096; i++) {
		odd += (size_t)!isfinite(reals[i]);
		assert_true(!isfinite(reals[i]) || fabsf(reals[i]) <= 1);
	}
	assert_in_range(odd, 130, 260);
	kt_data_fill(reals, numbers(KT_F32), &(struct kt_run_data){.count = 64, .kind = KT_FILL_DENORMAL});
	kt_data_fill(wide, numbers(KT_F64), &(struct kt_run_data){.count = 64, .kind = KT_FILL_DENORMAL});
	kt_data_fill(halves, numbers(KT_F16), &(struct kt_run_data){.count = 1024, .kind = KT_FILL_DENORMAL});
	for (size_t i = 0; i < 64; i++)
		assert_true(fpclassify(reals[i]) == FP_SUBNORMAL && fpclassify(wide[i]) == FP_SUBNORMAL);
	for (size_t i = 0; i < 1024; i++)
		assert_true((halves[i] & 0x7c00) == 0 && (halves[i] & 0x3ff));
	kt_data_fill(halves, numbers(KT_BF16), &(struct kt_run_data){.count = 1024, .kind = KT_FILL_DENORMAL});
	for (size_t i = 0; i < 1024; i++)
		assert_true((halves[i] & 0x7f80) == 0 && (halves[i] & 0x7f));
	kt_data_fill(integers, numbers(KT_I32), &(struct kt_run_data){.count = 64, .kind = KT_FILL_CONSTANT, .a = -7});
	for (size_t i = 0; i < 64; i++)
		assert_int_equal(integers[i], -7);
}

static void distances(void **state)
{
	float want[4] = {1, -1, 0, 8}, got[4] = {nextafterf(1, 2), -1, -0x1p-149f, 9};
	(void)state;
	struct kt_result r = compared(got, want, 4, KT_F32, 0.5, false);
	assert_int_equal(r.wrong, 1);
	assert_int_equal(~r.first, 3);
	assert_int_equal(~r.place & 0xfffffffffffu, 3);
	/* One step, one step across zero, and 2^20 steps from 8 to 9. */
	assert_int_equal(r.ulp[1], 2);
	assert_int_equal(r.ulp[21], 1);
	assert_true(fabs(real_of(r.ratio) - 2) < 1e-6);
	got[2] = NAN;
	r = compared(got, want, 4, KT_F32, 0.5, false);
	assert_int_equal(r.odd, 1);
	assert_int_equal(r.ulp[KT_ULP_BINS - 1], 1);
}

static void iota_stays_exact(void **state)
{
	uint16_t halves[4100];
	int32_t integers[3];
	(void)state;
	kt_data_fill(halves, numbers(KT_F16), &(struct kt_run_data){.count = 4100, .kind = KT_FILL_IOTA, .a = 0, .b = 0, .seed = 0});
	assert_int_equal(halves[2047], kt_half_bits(2047));
	assert_int_equal(halves[2048], 0);
	kt_data_fill(integers, numbers(KT_I32), &(struct kt_run_data){.count = 3, .kind = KT_FILL_IOTA, .a = 0, .b = 0, .seed = 0});
	assert_int_equal(integers[2], 2);
	kt_data_fill(integers, numbers(KT_I32), &(struct kt_run_data){.count = 0, .kind = KT_FILL_IOTA, .a = 0, .b = 0, .seed = 0});
	assert_int_equal(integers[2], 2);
}

static void comparison_of_floats(void **state)
{
	float want[600], got[600];
	(void)state;
	for (size_t i = 0; i < 600; i++)
		want[i] = got[i] = (float)i;
	got[500] += 0.5f;
	got[599] = NAN;
	struct kt_result r = compared(got, want, 600, KT_F32, 1, false);
	assert_int_equal(r.wrong, 1);
	assert_int_equal(~r.first, 599);
	assert_true(fabs(real_of(r.worst) - 0.5) < 1e-6);
	r = compared(got, want, 600, KT_F32, 0.1, false);
	assert_int_equal(r.wrong, 2);
	assert_int_equal(~r.first, 500);
	want[599] = NAN;
	got[599] = -got[599];
	assert_int_equal(compared(got, want, 600, KT_F32, 1, false).wrong, 0);
	assert_int_equal(compared(got, want, 600, KT_F32, 1, true).wrong, 2);
	got[0] = INFINITY;
	want[0] = -INFINITY;
	assert_int_equal(compared(got, want, 600, KT_F32, 1e30, false).wrong, 1);
	want[0] = INFINITY;
	assert_int_equal(compared(got, want, 600, KT_F32, 1, false).wrong, 0);
	want[0] = 3e38f;
	assert_int_equal(compared(got, want, 600, KT_F32, 1e39, false).wrong, 1);
}

static void comparison_of_short_types(void **state)
{
	const struct {
		enum kt_scalar element;
		uint16_t got, want;
		double absolute;
		bool right;
	} rows[] = {
	    {KT_F16, 0x3c00, 0x3c01, 1e-3, true},  {KT_F16, 0x3c00, 0x3c01, 1e-4, false},
	    {KT_F16, 0x0001, 0x0000, 1e-7, true},  {KT_F16, 0x7c00, 0x7bff, 1e9, false},
	    {KT_F16, 0x7e00, 0x7c01, 0, true},     {KT_BF16, 0x3f80, 0x3f81, 1e-2, true},
	    {KT_BF16, 0x3f80, 0xbf80, 1, false},   {KT_I16, 0xffff, 0x0001, 2, true},
	    {KT_U16, 0xffff, 0x0001, 2, false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_result r =
		    compared(&rows[i].got, &rows[i].want, 1, rows[i].element, rows[i].absolute, false);
		assert_int_equal(r.wrong, !rows[i].right);
	}
}

static void unwritten_elements(void **state)
{
	uint32_t want[8], got[8];
	(void)state;
	kt_data_poison(want, sizeof want, FIRST_SEED);
	kt_data_poison(got, sizeof got, SECOND_SEED);
	assert_int_equal(compared(got, want, 8, KT_U32, 0, true).wrong, 0);
	/* Poison of another element, or where the original wrote, is no excuse. */
	uint32_t other = got[1];
	got[1] = got[2];
	assert_int_equal(compared(got, want, 8, KT_U32, 0, true).wrong, 1);
	got[1] = other;
	want[1] = 5;
	assert_int_equal(compared(got, want, 8, KT_U32, 0, true).wrong, 1);
}

/* A sampler whose launches take `ns`, and that remembers what it was asked. */
struct fake {
	double ns, slow_first_ns;
	size_t warmed, sampled, restarts, most;
	bool fails;
};

static kt_status fake_warm_up(void *state, size_t count, struct kt_error *err)
{
	struct fake *f = state;
	(void)err;
	f->warmed += count;
	f->most = count > f->most ? count : f->most;
	return KT_OK;
}

static kt_status fake_sample(double *samples, void *state, size_t count, struct kt_error *err)
{
	struct fake *f = state;
	if (f->fails)
		return kt_fail(err, KT_ERR_CHILD, "broken");
	for (size_t i = 0; i < count; i++)
		samples[i] = f->ns + (double)(f->sampled + i) + (f->sampled + i == 0 ? f->slow_first_ns : 0);
	f->sampled += count;
	f->most = count > f->most ? count : f->most;
	return KT_OK;
}

static kt_status fake_restart(void *state, struct kt_error *err)
{
	struct fake *f = state;
	(void)err;
	f->restarts++;
	return KT_OK;
}

/* What nobody wrote is no magnitude, however large the poison is as a number. */
static void largest_magnitude(void **state)
{
	float data[6] = {1, -8.5f, INFINITY, NAN, 3};
	uint32_t poison = (uint32_t)kt_data_poison_bits(5, 4, FIRST_SEED);
	uint16_t halves[2] = {0x4900, 0xc500}; /* 10, -5 */
	(void)state;
	memcpy(&data[5], &poison, sizeof poison);
	assert_true(kt_data_largest(data, 6, numbers(KT_F32), FIRST_SEED) == 8.5);
	data[5] = 9;
	assert_true(kt_data_largest(data, 6, numbers(KT_F32), FIRST_SEED) == 9);
	assert_true(kt_data_largest(halves, 2, numbers(KT_F16), FIRST_SEED) == 10);
	assert_true(kt_data_largest(data, 0, numbers(KT_F32), FIRST_SEED) == 0);
	/* Of many it looks at a few, in whatever column they stand. */
	const size_t many = (size_t)20 << 20;
	float *large = calloc(many, sizeof *large);
	assert_non_null(large);
	for (size_t i = 0; i < many; i += 64)
		large[i] = 3;
	assert_true(kt_data_largest(large, many, numbers(KT_F32), FIRST_SEED) == 3);
	free(large);
}

static void measures(void **state)
{
	struct fake f = {.ns = 1000};
	struct kt_sampler sampler = {&f, 64, fake_warm_up, fake_sample, NULL, 0};
	struct kt_run_effort effort = {.warmups = 20, .repetitions = 100};
	struct kt_timing timing;
	struct kt_error err = {0};
	(void)state;
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 0, &err), KT_OK);
	assert_int_equal(timing.samples, 100);
	assert_int_equal(f.warmed, 20);
	assert_int_equal(f.sampled, 101);
	assert_true(f.most <= 64);
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 500, &err), KT_OK);
	assert_int_equal(timing.samples, 3);
	/* Above, and too near to be told at once. */
	f = (struct fake){.ns = 1000};
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 1001.5, &err), KT_OK);
	assert_int_equal(timing.samples, 5);
	f = (struct fake){.ns = 1000};
	/* Far too slow: nothing but the first two launches. */
	f = (struct fake){.ns = 1000};
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 300, &err), KT_OK);
	assert_int_equal(timing.samples, 2);
	assert_int_equal(f.warmed, 0);
	assert_int_equal(f.sampled, 2);
	assert_true(timing.median_ns >= 1000);
	/* One slow launch is no candidate that is slow. */
	f = (struct fake){.ns = 1000, .slow_first_ns = 1e6};
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 2000, &err), KT_OK);
	assert_int_equal(timing.samples, 100);
	assert_true(timing.median_ns < 2000);
	f = (struct fake){.ns = 1000};
	/* A launch of a second: one a batch, and an end after two seconds. */
	f = (struct fake){.ns = 1e9};
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 0, &err), KT_OK);
	assert_int_equal(f.most, 1);
	assert_int_equal(timing.samples, 5);
	assert_int_equal(f.warmed, 1);
	f.fails = true;
	assert_int_equal(kt_measure(&timing, &sampler, &effort, 0, 0, &err), KT_ERR_CHILD);
}

static void measures_in_rounds(void **state)
{
	struct fake fakes[3] = {{.ns = 100}, {.ns = 200}, {.ns = 300}};
	struct kt_sampler samplers[3];
	struct kt_timing timings[6] = {0};
	struct kt_run_effort effort = {.warmups = 20, .repetitions = 97};
	struct kt_error err = {0};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	size_t restarts = 0;
	(void)state;
	for (size_t i = 0; i < 3; i++)
		samplers[i] = (struct kt_sampler){&fakes[i], 8, fake_warm_up, fake_sample, fake_restart, 0};
	assert_int_equal(kt_measure_rounds(timings, 2, arena, samplers, 3, KT_NO_BASELINE, &effort, 0, &err), KT_OK);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(timings[2 * i].samples, 97);
		assert_true(timings[2 * i].min_ns == fakes[i].ns);
		assert_int_equal(timings[2 * i + 1].samples, 0);
		restarts += fakes[i].restarts;
		assert_true(fakes[i].most <= 8);
	}
	assert_int_equal(restarts, 29);
	fakes[2].fails = true;
	assert_int_equal(kt_measure_rounds(timings, 2, arena, samplers, 3, KT_NO_BASELINE, &effort, 0, &err), KT_ERR_CHILD);
	kt_arena_free(arena);
}

/* What is short has more samples, in batches and turns as many as what is not. */
static void short_launches_have_more(void **state)
{
	struct fake fakes[] = {{.ns = 1000}, {.ns = 19000}, {.ns = 21000}};
	struct kt_sampler samplers[3];
	struct kt_timing timings[3] = {0};
	struct kt_run_effort effort = {.warmups = 20, .repetitions = 97};
	struct kt_error err = {0};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	(void)state;
	for (size_t i = 0; i < 3; i++)
		samplers[i] = (struct kt_sampler){&fakes[i], 64, fake_warm_up, fake_sample, fake_restart, 20000};
	for (int all = 1; all >= 0; all--) {
		samplers[0].short_ns = all ? 20000 : 0;
		assert_int_equal(kt_measure_rounds(timings, 1, arena, samplers, 3, KT_NO_BASELINE, &effort, 0, &err), KT_OK);
		assert_int_equal(timings[0].samples, all ? 97 * KT_SHORT_TIMES : 97);
		assert_int_equal(timings[1].samples, 97 * KT_SHORT_TIMES);
		assert_int_equal(timings[2].samples, 97);
	}
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fakes[i].most, 10);
	assert_int_equal(fakes[0].restarts + fakes[1].restarts + fakes[2].restarts, 2 * 29);
	kt_arena_free(arena);
}

/* A device that gets slower by a sixth while it is measured. */
static double slowness;

static kt_status drifting_sample(double *samples, void *state, size_t count, struct kt_error *err)
{
	struct fake *f = state;
	(void)err;
	for (size_t i = 0; i < count; i++)
		samples[i] = f->ns * slowness * (1 + 0.0001 * (double)(i % 3));
	f->sampled += count;
	slowness += 0.0005 * (double)count;
	return KT_OK;
}

static void drift_is_taken_out(void **state)
{
	struct kt_run_effort effort = {.warmups = 0, .repetitions = 100, .seed = 3};
	struct kt_timing plain[3] = {0}, corrected[3] = {0};
	struct kt_error err = {0};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	(void)state;
	for (int with = 0; with < 2; with++) {
		struct fake fakes[3] = {{.ns = 1000}, {.ns = 500}, {.ns = 2000}};
		struct kt_sampler samplers[3];
		slowness = 1;
		for (size_t i = 0; i < 3; i++)
			samplers[i] = (struct kt_sampler){&fakes[i], 64, fake_warm_up, drifting_sample, NULL, 0};
		assert_int_equal(kt_measure_rounds(with ? corrected : plain, 1, arena, samplers, 3, with ? 0 : KT_NO_BASELINE,
		                                   &effort, 0, &err),
		                 KT_OK);
	}
	assert_true(plain[0].deviation_ns > 0.03 * plain[0].median_ns);
	for (size_t i = 0; i < 3; i++)
		assert_true(corrected[i].deviation_ns < 0.015 * corrected[i].median_ns);
	assert_true(fabs(corrected[1].median_ns / corrected[0].median_ns - 0.5) < 0.01);
	assert_true(fabs(corrected[2].median_ns / corrected[0].median_ns - 2.0) < 0.04);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(damage_is_counted),         cmocka_unit_test(poison_of_an_element_is_its_bytes),
	    cmocka_unit_test(zones_are_absurd_in_every_type), cmocka_unit_test(arranged_without_repetition),
	    cmocka_unit_test(arranged_in_order),
	    cmocka_unit_test(fills_of_checks), cmocka_unit_test(chosen),
	    cmocka_unit_test(distances),                 cmocka_unit_test(drift_is_taken_out),
	    cmocka_unit_test(digests_see_every_byte),    cmocka_unit_test(fills),
	    cmocka_unit_test(iota_stays_exact),          cmocka_unit_test(comparison_of_floats),
	    cmocka_unit_test(comparison_of_short_types), cmocka_unit_test(unwritten_elements),
	    cmocka_unit_test(largest_magnitude),
	    cmocka_unit_test(measures),                  cmocka_unit_test(measures_in_rounds),
	    cmocka_unit_test(short_launches_have_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
