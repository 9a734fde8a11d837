/* The energy of a launch by a counter that moves in steps, on a device that is this file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "energy.h"

/* Time passes by launching, and a little by looking. */
struct device {
	double now_s, busy_until_s, launch_s, watts;
	double read_s;   /* a look at the counter */
	double step_s;   /* the counter is brought up to date that often */
	double offset_s; /* when first */
	uint64_t began_mj;
	size_t reads_left; /* the driver loses the device then */
	size_t launches, longest;
};

static bool read_counter(uint64_t *millijoules, void *state)
{
	struct device *d = state;
	const double updates = floor((d->now_s - d->offset_s) / d->step_s);

	d->now_s += d->read_s;
	if (d->reads_left == 0)
		return false;
	d->reads_left--;
	*millijoules = d->began_mj + (uint64_t)(1e3 * d->watts * d->step_s * fmax(0, updates));
	return true;
}

static kt_status launch(void *state, size_t count, struct kt_error *err)
{
	struct device *d = state;

	(void)err;
	d->busy_until_s = fmax(d->now_s, d->busy_until_s) + d->launch_s * (double)count;
	d->launches += count;
	d->longest = count > d->longest ? count : d->longest;
	return KT_OK;
}

static kt_status wait_for_all(void *state, struct kt_error *err)
{
	struct device *d = state;

	(void)err;
	d->now_s = fmax(d->now_s, d->busy_until_s);
	return KT_OK;
}

static double now_s(void *state)
{
	return ((struct device *)state)->now_s;
}

static kt_status measure(struct kt_run_energy *out, struct device *d, double estimate_ns, struct kt_error *err)
{
	const struct kt_energy_source source = {d, read_counter, launch, wait_for_all, now_s};

	*out = (struct kt_run_energy){0};
	return kt_energy_measure(out, &source, estimate_ns, 3, err);
}

/* Whatever the step, the launch and where a measurement begins: what is stated holds. */
static void what_is_stated_holds(void **state)
{
	static const double steps[] = {0.001, 0.02, 0.1, 0.15}, launches[] = {3e-6, 40e-6, 1.1e-3, 30e-3};

	(void)state;
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		for (size_t k = 0; k < sizeof launches / sizeof *launches; k++)
			for (int phase = 0; phase < 7; phase++) {
				struct device d = {.launch_s = launches[k], .watts = 350, .step_s = steps[i],
				                   .offset_s = steps[i] * phase / 7, .began_mj = 123456789, .read_s = phase % 2 == 0 ? 20e-6 : 1.5e-3,
				                   .reads_left = SIZE_MAX};
				struct kt_run_energy energy;
				struct kt_error err;

				if (measure(&energy, &d, 1e9 * launches[k], &err) != KT_OK)
					fail_msg("%s", err.message);
				const double joules = 350 * launches[k], off = fabs(energy.joules / joules - 1);

				if (off > energy.error + 1e-6)
					fail_msg("step %g s, launch %g s: %g J, not %g, off by %g, stated %g", steps[i], launches[k],
					         energy.joules, joules, off, energy.error);
				assert_true(energy.steps >= KT_ENERGY_STEPS);
				assert_true(energy.error <= KT_ENERGY_ERROR || energy.seconds > 2.5);
				assert_true(energy.launches > 0 && d.now_s < 3.3);
			}
}

/* What was thought of the launch's time is corrected before the measurement begins. */
static void a_wrong_estimate(void **state)
{
	static const double estimates_ns[] = {0, 1, 1e3, 1e9};

	(void)state;
	for (size_t i = 0; i < sizeof estimates_ns / sizeof *estimates_ns; i++) {
		struct device d = {.launch_s = 1e-4, .watts = 700, .step_s = 0.02, .reads_left = SIZE_MAX};
		struct kt_run_energy energy;
		struct kt_error err;

		assert_int_equal(measure(&energy, &d, estimates_ns[i], &err), KT_OK);
		assert_true(fabs(energy.joules / 0.07 - 1) < 0.02);
		assert_true(energy.error <= KT_ENERGY_ERROR);
	}
}

static void a_counter_that_hardly_moves(void **state)
{
	static const struct {
		double step_s;
		const char *said;
	} rows[] = {{100, "moved 0 times in 3.0 s"}, {2.9, "times in 9.0 s"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct device d = {.launch_s = 1e-4, .watts = 300, .step_s = rows[i].step_s, .reads_left = SIZE_MAX};
		struct kt_run_energy energy;
		struct kt_error err;

		assert_int_equal(measure(&energy, &d, 1e5, &err), KT_ERR_LIMIT);
		if (strstr(err.message, rows[i].said) == NULL)
			fail_msg("%s", err.message);
		assert_int_equal(energy.launches, 0);
	}
}

/* One that moves about once a second is waited for. */
static void a_counter_that_moves_rarely(void **state)
{
	static const double launches[] = {3e-6, 1e-4, 20e-3};

	(void)state;
	for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
		struct device d = {.launch_s = launches[i], .watts = 300, .step_s = 1.1, .reads_left = SIZE_MAX};
		struct kt_run_energy energy;
		struct kt_error err;

		assert_int_equal(measure(&energy, &d, 1e9 * launches[i], &err), KT_OK);
		assert_true(fabs(energy.joules / (300 * launches[i]) - 1) <= energy.error + 1e-6);
		assert_true(d.now_s < 9);
	}
}

static void no_counter(void **state)
{
	(void)state;
	for (size_t reads = 0; reads < 5; reads++) {
		struct device d = {.launch_s = 1e-4, .watts = 300, .step_s = 0.1, .reads_left = reads};
		struct kt_run_energy energy;
		struct kt_error err;

		assert_int_equal(measure(&energy, &d, 1e5, &err), KT_ERR_MISSING);
		assert_non_null(strstr(err.message, "no energy counter"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_stated_holds), cmocka_unit_test(a_wrong_estimate),
	                                   cmocka_unit_test(a_counter_that_hardly_moves), cmocka_unit_test(a_counter_that_moves_rarely), cmocka_unit_test(no_counter)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
