/* Who a CUDA device is, over a driver that is this file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cuda/session.h"

static kt_cu_result attribute(int *value, int number, kt_cu_device device)
{
	(void)device;
	*value = number;
	return 0;
}

static kt_cu_result name(char *text, int size, kt_cu_device device)
{
	(void)device;
	snprintf(text, (size_t)size, "NVIDIA H200");
	return 0;
}

static kt_cu_result memory(size_t *bytes, kt_cu_device device)
{
	(void)device;
	*bytes = 1 << 30;
	return 0;
}

static kt_cu_result version(int *number)
{
	*number = 13000;
	return 0;
}

static kt_cu_result error_name(kt_cu_result error, const char **text)
{
	(void)error;
	*text = "an error";
	return 0;
}

static kt_cu_result gpu(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	(void)device;
	memset(uuid, 0xab, sizeof *uuid);
	return 0;
}

static kt_cu_result instance(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	memset(uuid, 0x10 + (int)device, sizeof *uuid);
	return 0;
}

static kt_cu_result no_instance(struct kt_cu_uuid *uuid, kt_cu_device device)
{
	(void)uuid, (void)device;
	return 999;
}

static const char *uuid_of(struct kt_arena *arena, kt_cu_result (*second)(struct kt_cu_uuid *, kt_cu_device),
                           int number)
{
	const struct kt_cu cu = {.device_attribute = attribute, .device_name = name, .device_memory = memory,
	                         .driver_version = version, .error_name = error_name, .device_uuid = gpu,
	                         .instance_uuid = second};
	struct kt_device device;
	struct kt_nvml nvml;
	struct kt_error err;

	if (kt_cuda_device(&device, &nvml, arena, &cu, (kt_cu_device)number, &err) != KT_OK)
		fail_msg("%s", err.message);
	assert_string_equal(device.name, "NVIDIA H200");
	return device.uuid;
}

/* The lock of a device is by this text: two instances of one GPU are two devices,
 * a whole GPU is the same with every driver. */
static void instances_are_devices(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	assert_string_equal(uuid_of(arena, NULL, 0), "GPU-abababab-abab-abab-abab-abababababab");
	assert_string_equal(uuid_of(arena, gpu, 0), "GPU-abababab-abab-abab-abab-abababababab");
	assert_string_equal(uuid_of(arena, no_instance, 0), "GPU-abababab-abab-abab-abab-abababababab");
	assert_string_equal(uuid_of(arena, instance, 0), "MIG-10101010-1010-1010-1010-101010101010");
	assert_string_equal(uuid_of(arena, instance, 1), "MIG-11111111-1111-1111-1111-111111111111");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(instances_are_devices)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
