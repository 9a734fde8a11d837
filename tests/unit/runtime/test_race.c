/* Races that are simulated: how often the faster one loses, and how soon the slower one does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "data.h"
#include "race.h"

enum { RACES = 4000, BLOCKS = 40, SAMPLES = 3 };

/* A device: how its times scatter, and how it drifts while a race goes on. */
static const struct device {
	const char *name;
	double noise;      /* standard deviation of a sample's logarithm */
	double late_part;  /* of samples that something delays, by half of their time */
	double trend;      /* of the logarithm of its speed over a whole race */
	double walk;       /* standard deviation of a step of that logarithm between two samples */
	double step;       /* the clock changes by so much at some time, and back at another */
} devices[] = {
    {"quiet", 0.002, 0, 0, 0, 0},
    {"noisy", 0.05, 0, 0, 0, 0},
    {"late samples", 0.005, 0.05, 0, 0, 0},
    {"warming up", 0.005, 0, 0.2, 0, 0},
    {"cooling down", 0.005, 0, -0.2, 0, 0},
    {"wandering", 0.005, 0, 0, 0.003, 0},
    {"throttled", 0.005, 0, 0, 0, 0.4},
    {"all of it", 0.02, 0.05, 0.1, 0.003, 0.4},
};

struct simulation {
	uint64_t state;
	const struct device *device;
	double drift;
	size_t sample, all, step_on, step_off;
};

static double uniform(struct simulation *s)
{
	return ((double)(kt_data_mix(++s->state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct simulation *s)
{
	const double u = uniform(s), w = uniform(s);
	return sqrt(-2 * log(u)) * cos(6.283185307179586 * w);
}

static void begin(struct simulation *s, const struct device *device, uint64_t seed)
{
	*s = (struct simulation){.state = seed << 32, .device = device, .all = (size_t)2 * BLOCKS * SAMPLES};
	s->step_on = (size_t)(uniform(s) * (double)s->all);
	s->step_off = s->step_on + (size_t)(uniform(s) * (double)s->all);
}

static double sample(struct simulation *s, double ns)
{
	const struct device *d = s->device;
	const double step = s->sample >= s->step_on && s->sample < s->step_off ? d->step : 0;
	const double late = uniform(s) < d->late_part ? 0.5 : 0;
	s->drift += d->trend / (double)s->all + d->walk * normal(s);
	s->sample++;
	return ns * exp(d->noise * normal(s) + s->drift + step) * (1 + late);
}

static double median(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Blocks until the candidate lost; BLOCKS + 1: it did not. Samples of both alternate, each first by turns. */
static size_t race(const struct device *device, double slowdown, uint64_t seed)
{
	struct simulation s;
	struct kt_race race = {0};
	begin(&s, device, seed);
	for (size_t block = 1; block <= BLOCKS; block++) {
		double times[2][SAMPLES];
		for (size_t i = 0; i < SAMPLES; i++)
			for (size_t k = 0; k < 2; k++) {
				const size_t who = (block + i + k) % 2;
				times[who][i] = sample(&s, who ? 1000 * slowdown : 1000);
			}
		kt_race_add(&race, median(times[1][0], times[1][1], times[1][2]),
		            median(times[0][0], times[0][1], times[0][2]));
		if (kt_race_is_lost(&race))
			return block;
	}
	return BLOCKS + 1;
}

/*
 * Looked at after each block, a candidate that is as fast as the incumbent, or faster, loses one race in a hundred at
 * most.
 */
static void the_best_is_not_lost(void **state)
{
	static const double slowdowns[] = {1, 0.99, 0.9};
	(void)state;
	for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
		for (size_t f = 0; f < sizeof slowdowns / sizeof *slowdowns; f++) {
			size_t lost = 0;
			for (uint64_t i = 1; i <= RACES; i++)
				lost += race(&devices[d], slowdowns[f], i) <= BLOCKS;
			if ((double)lost > KT_RACE_ERROR * RACES)
				fail_msg("%s, %.2f: %zu of %d lost", devices[d].name, slowdowns[f], lost, RACES);
		}
}

/* The median race of a slower candidate ends early. */
static void the_slower_loses_soon(void **state)
{
	static const struct {
		size_t device;
		double slowdown;
		size_t most;
	} cases[] = {{0, 2, 3}, {0, 1.1, 4}, {1, 2, 5}, {1, 1.3, 7}, {3, 1.1, 5}, {5, 1.1, 5}, {6, 1.3, 6}, {7, 2, 5}};
	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		size_t soon = 0;
		for (uint64_t i = 1; i <= RACES; i++)
			soon += race(&devices[cases[c].device], cases[c].slowdown, i) <= cases[c].most;
		if (soon < RACES / 2)
			fail_msg("%s, %.2f: %zu of %d within %zu blocks", devices[cases[c].device].name, cases[c].slowdown, soon,
			         RACES, cases[c].most);
	}
}

static void what_is_no_time_is_passed_over(void **state)
{
	struct kt_race race = {0};
	(void)state;
	assert_true(kt_race_evidence(&race) <= 0);
	kt_race_add(&race, 0, 1);
	kt_race_add(&race, 1, 0);
	kt_race_add(&race, NAN, 1);
	kt_race_add(&race, 1, INFINITY);
	assert_int_equal(race.count, 0);
	for (int i = 0; i < 2; i++)
		kt_race_add(&race, 100, 1);
	assert_false(kt_race_is_lost(&race));
	kt_race_add(&race, 100, 1);
	assert_true(kt_race_is_lost(&race));
	/* Equal ones decide nothing, however many. */
	race = (struct kt_race){0};
	for (int i = 0; i < 1000; i++)
		kt_race_add(&race, 5, 5);
	assert_false(kt_race_is_lost(&race));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_is_not_lost), cmocka_unit_test(the_slower_loses_soon),
	                                   cmocka_unit_test(what_is_no_time_is_passed_over)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
