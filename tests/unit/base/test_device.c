/* The device record: text and back, key, names, occupancy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/device.h"

static struct kt_device h200(void)
{
	return (struct kt_device){.vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132,
	                          .memory_bus_bits = 6144, .l2_bytes = 62914560, .warp_size = 32,
	                          .max_threads_per_block = 1024, .max_threads_per_multiprocessor = 2048,
	                          .max_blocks_per_multiprocessor = 32, .max_block = {1024, 1024, 64},
	                          .max_grid = {2147483647, 65535, 65535}, .shared_bytes_per_block = 49152,
	                          .shared_bytes_per_block_optin = 232448, .shared_bytes_per_multiprocessor = 233472,
	                          .registers_per_block = 65536, .registers_per_multiprocessor = 65536,
	                          .memory_bytes = 150000000000, .uuid = "GPU-1", .driver = "580.1",
	                          .core_khz = 1980000, .memory_khz = 3201000};
}

static void test_json(void **state)
{
	struct kt_error err;
	struct kt_device device = h200(), back;
	struct kt_arena *arena = kt_arena_new(1 << 20);
	char key[KT_HASH_TEXT], again[KT_HASH_TEXT];
	(void)state;
	cJSON *json = kt_device_json(&device);
	assert_int_equal(kt_device_read(&back, arena, json, &err), KT_OK);
	assert_string_equal(back.name, device.name);
	assert_string_equal(back.uuid, device.uuid);
	assert_int_equal(back.max_block[2], 64);
	assert_int_equal(back.max_grid[0], 2147483647);
	assert_int_equal(back.memory_bytes, device.memory_bytes);
	kt_device_key(key, &device);
	/* Clocks and driver are provenance; the multiprocessors are identity. */
	back.driver = "other";
	back.core_khz = 1;
	kt_device_key(again, &back);
	assert_string_equal(key, again);
	back.multiprocessors = 114;
	kt_device_key(again, &back);
	assert_string_not_equal(key, again);
	static const struct {
		const char *name, *value;
	} wrong[] = {
	    {"cc", "\"x\""}, {"cc", "0"}, {"cc", "-1"}, {"vendor", "\"\""}, {"name", "7"}, {"max_block", "[1,2]"},
	    {"max_block", "[1,2,-3]"}, {"max_grid", "[1,2,\"x\"]"}, {"registers_per_block", "1.5"}, {"l2_bytes", "null"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		cJSON *copy = cJSON_Duplicate(json, true);
		cJSON_ReplaceItemInObject(copy, wrong[i].name, cJSON_Parse(wrong[i].value));
		assert_int_equal(kt_device_read(&back, arena, copy, &err), KT_ERR_INVALID);
		assert_non_null(strstr(err.message, wrong[i].name));
		cJSON_Delete(copy);
	}
	assert_int_not_equal(kt_device_read(&back, arena, NULL, &err), KT_OK);
	cJSON_Delete(json);
	kt_arena_free(arena);
}

/* OpenCL tells neither capability nor bus; two backends of one board are two devices. */
static void test_opencl(void **state)
{
	struct kt_device device = h200(), back;
	struct kt_arena *arena = kt_arena_new(1 << 20);
	struct kt_error err;
	char cuda[KT_HASH_TEXT], opencl[KT_HASH_TEXT];
	int64_t value = 0;
	(void)state;
	kt_device_key(cuda, &device);
	device.vendor = "NVIDIA Corporation";
	device.cc = device.memory_bus_bits = device.l2_bytes = 0;
	device.fp64 = 1;
	device.vector_f32 = 16;
	kt_device_key(opencl, &device);
	assert_string_not_equal(cuda, opencl);
	cJSON *json = kt_device_json(&device);
	assert_false(cJSON_HasObjectItem(json, "fp16"));
	assert_int_equal(kt_device_read(&back, arena, json, &err), KT_OK);
	assert_int_equal(back.vector_f32, 16);
	assert_true(kt_device_lookup(&value, "device.fp64", &back) && value == 1);
	assert_true(kt_device_lookup(&value, "device.fp16", &back) && value == 0);
	cJSON_ReplaceItemInObject(json, "multiprocessors", cJSON_CreateNumber(0));
	assert_int_equal(kt_device_read(&back, arena, json, &err), KT_ERR_INVALID);
	cJSON_Delete(json);
	kt_arena_free(arena);
}

static void test_names(void **state)
{
	struct kt_device device = h200();
	struct kt_arena *arena = kt_arena_new(1 << 20);
	int64_t value = 0;
	static const char *const yes[] = {"NVIDIA H200", "nvidia h200", " NVIDIA H200 ", "NVIDIA_H200-sm_90",
	                                  "nvidia_h200-SM_90", "sm_90", "SM_90", "sm_90a"};
	static const char *const no[] = {"", " ", "NVIDIA", "H200", "sm_9", "sm_900", "sm_80", "NVIDIA_H200-sm_80",
	                                 "NVIDIA_H200", "sm_90x", "NVIDIA-H200-sm_90"};
	(void)state;
	assert_string_equal(kt_device_slug(arena, &device), "NVIDIA_H200-sm_90");
	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
		assert_true(kt_device_matches(&device, yes[i]));
	for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
		assert_false(kt_device_matches(&device, no[i]));
	device.name = "../a/b";
	assert_string_equal(kt_device_slug(arena, &device), "_._a_b-sm_90");
	assert_true(kt_device_lookup(&value, "device.multiprocessors", &device));
	assert_int_equal(value, 132);
	assert_true(kt_device_lookup(&value, "device.max_block_z", &device));
	assert_int_equal(value, 64);
	/* An entry says which device it is for, and no limits: those of the capability hold. */
	struct kt_device entry = {.vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132};
	assert_true(kt_device_lookup(&value, "device.max_threads_per_multiprocessor", &entry));
	assert_int_equal(value, 2048);
	assert_true(kt_device_lookup(&value, "device.max_grid_y", &entry));
	assert_int_equal(value, 65535);
	assert_true(kt_device_lookup(&value, "device.multiprocessors", &entry));
	assert_int_equal(value, 132);
	assert_true(kt_device_lookup(&value, "device.l2_bytes", &entry));
	assert_int_equal(value, 0);
	entry = (struct kt_device){.vendor = "pocl", .name = "cpu", .multiprocessors = 2};
	assert_true(kt_device_lookup(&value, "device.max_threads_per_multiprocessor", &entry));
	assert_int_equal(value, 0);
	assert_false(kt_device_lookup(&value, "device.", &device));
	assert_false(kt_device_lookup(&value, "multiprocessors", &device));
	assert_false(kt_device_lookup(&value, "device.name", &device));
	kt_arena_free(arena);
}

/* Figures of the calculator for compute capability 9.0. */
static void test_occupancy(void **state)
{
	static const struct {
		int64_t threads, registers, shared, blocks;
	} rows[] = {
	    {256, 32, 0, 8},       /* all 64 warps */
	    {1024, 32, 0, 2},      {32, 16, 0, 32},      /* the limit of blocks */
	    {256, 33, 0, 6},       /* 40 registers a thread are given: 12 warps a partition */
	    {256, 64, 0, 4},       {256, 128, 0, 2},     {256, 255, 0, 1},
	    {1024, 64, 0, 1},      {1024, 65, 0, 0},     /* past the registers of a block */
	    {256, 256, 0, 0},      {33, 32, 0, 32},      {96, 32, 0, 21},
	    {128, 32, 49152, 4},   {128, 32, 232448, 1}, {128, 32, 232449, 0},
	    {128, 32, 1, 16},      {256, 32, 28160, 8},  {256, 32, 28161, 7},
	    {0, 32, 0, 0},         {1025, 32, 0, 0},     {256, -1, 0, 0},      {256, 0, 0, 8},
	};
	struct kt_device device = h200();
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t blocks = kt_device_occupancy_blocks(&device, rows[i].threads, rows[i].registers, rows[i].shared);
		if (blocks != rows[i].blocks)
			fail_msg("row %zu: %lld blocks instead of %lld", i, (long long)blocks, (long long)rows[i].blocks);
	}
	device.warp_size = 0;
	assert_int_equal(kt_device_occupancy_blocks(&device, 256, 32, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_json), cmocka_unit_test(test_opencl), cmocka_unit_test(test_names),
	    cmocka_unit_test(test_occupancy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
