/* What is made of the management library's answers, with a library that is this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cuda/nvml.h"

/* The device as the library tells of it; a result other than 0 is a refusal. */
static struct {
	int clock, temperature, power, reasons, processes, energy;
	unsigned count;
	unsigned long long bits;
} card;

static int fake_clock(void *device, int which, unsigned *mhz)
{
	assert_ptr_equal(device, &card);
	*mhz = which == KT_NVML_CLOCK_SM ? 1980 : 3201;
	return card.clock;
}

static int fake_temperature(void *device, int sensor, unsigned *celsius)
{
	assert_ptr_equal(device, &card);
	assert_int_equal(sensor, 0);
	if (card.temperature == 0)
		*celsius = 61;
	return card.temperature;
}

static int fake_power(void *device, unsigned *milliwatts)
{
	assert_ptr_equal(device, &card);
	if (card.power == 0)
		*milliwatts = 412345;
	return card.power;
}

static int fake_reasons(void *device, unsigned long long *bits)
{
	assert_ptr_equal(device, &card);
	*bits = card.bits;
	return card.reasons;
}

static int fake_processes(void *device, unsigned *count, struct kt_nvml_process *processes)
{
	assert_ptr_equal(device, &card);
	assert_true(*count >= card.count);
	for (unsigned i = 0; i < card.count; i++)
		processes[i] = (struct kt_nvml_process){.pid = i + 1};
	*count = card.count;
	return card.processes;
}

static int fake_energy(void *device, unsigned long long *millijoules)
{
	assert_ptr_equal(device, &card);
	*millijoules = 5123456789ull;
	return card.energy;
}

static const struct kt_nvml nvml = {.library = &card, .device = &card, .clock = fake_clock,
                                    .temperature = fake_temperature, .power = fake_power, .reasons = fake_reasons,
                                    .processes = fake_processes,
                                    .energy = fake_energy};

static void everything_is_told(void **state)
{
	struct kt_health health;
	(void)state;
	card.count = 3;
	card.bits = 0x44;
	assert_true(kt_nvml_health(&health, &nvml));
	assert_int_equal(health.watts, 412);
	assert_int_equal(health.sm_mhz, 1980);
	assert_int_equal(health.memory_mhz, 3201);
	assert_int_equal(health.celsius, 61);
	assert_int_equal(health.reasons, 0x44);
	assert_int_equal(health.processes, 3);
}

/* Clocks and their reasons are what it is about; temperature and company may be missing. */
static void refusals(void **state)
{
	struct kt_nvml none = nvml;
	struct kt_health health;
	(void)state;
	card.temperature = card.processes = 999;
	assert_true(kt_nvml_health(&health, &nvml));
	assert_int_equal(health.celsius, 0);
	assert_int_equal(health.processes, 0);
	card.reasons = 3;
	assert_false(kt_nvml_health(&health, &nvml));
	card.reasons = 0;
	card.clock = 3;
	assert_false(kt_nvml_health(&health, &nvml));
	none.device = NULL;
	card.clock = card.temperature = card.processes = 0;
	assert_false(kt_nvml_health(&health, &none));
	assert_true(kt_nvml_health(&health, &nvml));
}

/* Devices without a counter refuse, older drivers do not have the function. */
static void energy(void **state)
{
	struct kt_nvml other = nvml;
	uint64_t used = 0;
	(void)state;
	assert_true(kt_nvml_energy(&used, &nvml));
	assert_int_equal(used, 5123456789ull);
	card.energy = 3;
	assert_false(kt_nvml_energy(&used, &nvml));
	card.energy = 0;
	other.energy = NULL;
	assert_false(kt_nvml_energy(&used, &other));
	other = nvml;
	other.device = NULL;
	assert_false(kt_nvml_energy(&used, &other));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(everything_is_told), cmocka_unit_test(refusals),
	                                   cmocka_unit_test(energy)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
