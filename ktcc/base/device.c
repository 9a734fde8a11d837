#include "base/device.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Every integer of the record, in the order in which it is written; `opencl` ones only where they are not 0. */
static const struct device_field {
	const char *name;
	size_t offset;
	bool required, opencl;
} device_fields[] = {
	{"cc", offsetof(struct kt_device, cc), true, false},
	{"multiprocessors", offsetof(struct kt_device, multiprocessors), true, false},
	{"memory_bus_bits", offsetof(struct kt_device, memory_bus_bits), true, false},
	{"l2_bytes", offsetof(struct kt_device, l2_bytes), true, false},
	{"warp_size", offsetof(struct kt_device, warp_size), false, false},
	{"max_threads_per_block", offsetof(struct kt_device, max_threads_per_block), false, false},
	{"max_threads_per_multiprocessor", offsetof(struct kt_device, max_threads_per_multiprocessor), false, false},
	{"max_blocks_per_multiprocessor", offsetof(struct kt_device, max_blocks_per_multiprocessor), false, false},
	{"shared_bytes_per_block", offsetof(struct kt_device, shared_bytes_per_block), false, false},
	{"shared_bytes_per_block_optin", offsetof(struct kt_device, shared_bytes_per_block_optin), false, false},
	{"shared_bytes_per_multiprocessor", offsetof(struct kt_device, shared_bytes_per_multiprocessor), false, false},
	{"registers_per_block", offsetof(struct kt_device, registers_per_block), false, false},
	{"registers_per_multiprocessor", offsetof(struct kt_device, registers_per_multiprocessor), false, false},
	{"memory_bytes", offsetof(struct kt_device, memory_bytes), false, false},
	{"fp16", offsetof(struct kt_device, fp16), false, true},
	{"fp64", offsetof(struct kt_device, fp64), false, true},
	{"vector_f16", offsetof(struct kt_device, vector_f16), false, true},
	{"vector_f32", offsetof(struct kt_device, vector_f32), false, true},
	{"vector_f64", offsetof(struct kt_device, vector_f64), false, true},
	{"core_khz", offsetof(struct kt_device, core_khz), false, false},
	{"memory_khz", offsetof(struct kt_device, memory_khz), false, false},
};
#define DEVICE_FIELDS (sizeof device_fields / sizeof device_fields[0])

/* The two extents, and their names in expressions. */
static const struct device_extent {
	const char *name;
	size_t offset;
	const char *axes[3];
} device_extents[] = {
	{"max_block", offsetof(struct kt_device, max_block), {"max_block_x", "max_block_y", "max_block_z"}},
	{"max_grid", offsetof(struct kt_device, max_grid), {"max_grid_x", "max_grid_y", "max_grid_z"}},
};
#define DEVICE_EXTENTS (sizeof device_extents / sizeof device_extents[0])

static int64_t device_value(const struct kt_device *device, size_t offset)
{
	int64_t value;
	memcpy(&value, (const char *)device + offset, sizeof value);
	return value;
}

static void device_set(struct kt_device *device, size_t offset, int64_t value)
{
	memcpy((char *)device + offset, &value, sizeof value);
}

/* OpenCL does not report the width of a bus, and not always the size of a cache. */
static bool may_be_zero(const struct kt_device *device, const struct device_field *field)
{
	return !field->required || (strcmp(device->vendor, "NVIDIA") != 0 &&
	                            field->offset != offsetof(struct kt_device, multiprocessors));
}

static kt_status read_integers(struct kt_device *device, const cJSON *json, struct kt_error *err)
{
	for (size_t i = 0; i < DEVICE_FIELDS; i++) {
		const struct device_field *field = &device_fields[i];
		int64_t value = 0;
		TRY(field->required ? kt_json_int(&value, json, field->name, err)
				    : kt_json_int_or(&value, json, field->name, 0, err));
		if (value < 0 || (value == 0 && !may_be_zero(device, field)))
			return kt_fail(err, KT_ERR_INVALID, "/%s: a device cannot have %lld", field->name,
			               (long long)value);
		device_set(device, field->offset, value);
	}
	return KT_OK;
}

static kt_status read_extents(struct kt_device *device, const cJSON *json, struct kt_error *err)
{
	for (size_t i = 0; i < DEVICE_EXTENTS; i++) {
		const struct device_extent *extent = &device_extents[i];
		const cJSON *array = NULL;
		kt_status status = kt_json_array_or(&array, json, extent->name, err);
		if (status != KT_OK)
			return status;
		if (array == NULL)
			continue;
		if (cJSON_GetArraySize(array) != 3)
			return kt_fail(err, KT_ERR_INVALID, "/%s: three numbers are expected", extent->name);
		for (int axis = 0; axis < 3; axis++) {
			int64_t value = 0;
			status = kt_json_item_int(&value, cJSON_GetArrayItem(array, axis), err);
			if (status != KT_OK)
				return kt_fail_prefix(err, "/%s/%d", extent->name, axis);
			if (value < 0)
				return kt_fail(err, KT_ERR_INVALID, "/%s/%d: a negative extent", extent->name, axis);
			device_set(device, extent->offset + (size_t)axis * sizeof(int64_t), value);
		}
	}
	return KT_OK;
}

kt_status kt_device_read(struct kt_device *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct kt_device device;
	memset(&device, 0, sizeof device);
	if (!cJSON_IsObject(json))
		return kt_fail(err, KT_ERR_INVALID, "a device is an object");
	TRY(kt_json_string(&device.vendor, arena, json, "vendor", err));
	TRY(kt_json_string(&device.name, arena, json, "name", err));
	TRY(kt_json_string_or(&device.uuid, arena, json, "uuid", "", err));
	TRY(kt_json_string_or(&device.driver, arena, json, "driver", "", err));
	TRY(read_integers(&device, json, err));
	TRY(read_extents(&device, json, err));
	if (device.vendor[0] == '\0' || device.name[0] == '\0')
		return kt_fail(err, KT_ERR_INVALID, "/%s: empty", device.vendor[0] == '\0' ? "vendor" : "name");
	*out = device;
	return KT_OK;
}

cJSON *kt_device_json(const struct kt_device *device)
{
	cJSON *json = cJSON_CreateObject();
	NEED(json, NULL);
	bool ok = cJSON_AddStringToObject(json, "vendor", device->vendor != NULL ? device->vendor : "") != NULL &&
	          cJSON_AddStringToObject(json, "name", device->name != NULL ? device->name : "") != NULL;
	for (size_t i = 0; ok && i < DEVICE_FIELDS; i++) {
		int64_t value = device_value(device, device_fields[i].offset);
		if (value != 0 || !device_fields[i].opencl)
			ok = kt_json_add_int(json, device_fields[i].name, value);
	}
	for (size_t i = 0; ok && i < DEVICE_EXTENTS; i++) {
		cJSON *array = cJSON_AddArrayToObject(json, device_extents[i].name);
		for (size_t axis = 0; array != NULL && axis < 3; axis++) {
			int64_t value = device_value(device, device_extents[i].offset + axis * sizeof(int64_t));
			cJSON *item = cJSON_CreateNumber((double)value);
			if (item == NULL || !cJSON_AddItemToArray(array, item))
				ok = false;
		}
		ok = ok && array != NULL;
	}
	ok = ok && cJSON_AddStringToObject(json, "uuid", device->uuid != NULL ? device->uuid : "") != NULL &&
	     cJSON_AddStringToObject(json, "driver", device->driver != NULL ? device->driver : "") != NULL;
	if (!ok) {
		cJSON_Delete(json);
		return NULL;
	}
	return json;
}

void kt_device_key(char out[KT_HASH_TEXT], const struct kt_device *device)
{
	struct kt_hash hash;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "device", "1");
	kt_hash_field(&hash, "vendor", device->vendor);
	kt_hash_field(&hash, "name", device->name);
	kt_hash_int(&hash, "cc", device->cc);
	kt_hash_int(&hash, "multiprocessors", device->multiprocessors);
	kt_hash_int(&hash, "memory_bus_bits", device->memory_bus_bits);
	kt_hash_int(&hash, "l2_bytes", device->l2_bytes);
	kt_hash_final(&hash, out);
}

/* A name's character in a slug: what is safe in a file name stays. */
static char slug_character(char c, bool first)
{
	static const char kept[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	return strchr(kept, c) == NULL || (first && c == '.') ? '_' : c;
}

/* "-sm_90"; an OpenCL device has no compute capability. */
static int slug_tail(char *out, size_t size, const struct kt_device *device)
{
	if (device->cc == 0)
		return snprintf(out, size, "-opencl");
	return snprintf(out, size, "-sm_%lld", (long long)device->cc);
}

char *kt_device_slug(struct kt_arena *arena, const struct kt_device *device)
{
	char tail[32];
	char *slug;

	slug_tail(tail, sizeof tail, device);
	slug = kt_arena_printf(arena, "%s%s", device->name, tail);
	if (slug == NULL)
		return NULL;
	for (char *at = slug; *at != '\0'; at++)
		*at = slug_character(*at, at == slug);
	return slug;
}

/* Does the text of `length` bytes equal the device's slug, without an allocation? */
static bool matches_slug(const struct kt_device *device, const char *wanted, size_t length)
{
	size_t name_length = strlen(device->name);
	char tail[32];
	int tail_length = slug_tail(tail, sizeof tail, device);
	if (length != name_length + (size_t)tail_length ||
	    strncasecmp(wanted + name_length, tail, (size_t)tail_length) != 0)
		return false;
	for (size_t i = 0; i < name_length; i++) {
		char slug = slug_character(device->name[i], i == 0);
		if (strncasecmp(&wanted[i], &slug, 1) != 0)
			return false;
	}
	return true;
}

/* "sm_90", also with the letter of an architecture-specific target ("sm_90a"). */
static bool matches_architecture(const struct kt_device *device, const char *wanted, size_t length)
{
	char text[32];
	int size = snprintf(text, sizeof text, "sm_%lld", (long long)device->cc);
	if (length == (size_t)size + 1 && strchr("aAfF", wanted[length - 1]) != NULL)
		length--;
	return length == (size_t)size && strncasecmp(wanted, text, length) == 0;
}

bool kt_device_matches(const struct kt_device *device, const char *wanted)
{
	while (*wanted == ' ' || *wanted == '\t')
		wanted++;
	size_t length = strlen(wanted);
	while (length > 0 && (wanted[length - 1] == ' ' || wanted[length - 1] == '\t'))
		length--;
	if (length == 0)
		return false;
	return matches_architecture(device, wanted, length) || matches_slug(device, wanted, length) ||
	       (length == strlen(device->name) && strncasecmp(device->name, wanted, length) == 0);
}

static bool find_member(size_t *offset, const char *name)
{
	for (size_t i = 0; i < DEVICE_FIELDS; i++) {
		if (strcmp(device_fields[i].name, name) == 0) {
			*offset = device_fields[i].offset;
			return true;
		}
	}
	for (size_t i = 0; i < DEVICE_EXTENTS; i++) {
		for (size_t axis = 0; axis < 3; axis++) {
			if (strcmp(device_extents[i].axes[axis], name) == 0) {
				*offset = device_extents[i].offset + axis * sizeof(int64_t);
				return true;
			}
		}
	}
	return false;
}

bool kt_device_lookup(int64_t *value, const char *name, const struct kt_device *device)
{
	static const char prefix[] = "device.";
	struct kt_device limits;
	char architecture[32];
	size_t offset;

	if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !find_member(&offset, name + sizeof prefix - 1))
		return false;
	*value = device_value(device, offset);
	if (*value != 0)
		return true;
	/* A record that identifies the device without its limits, as in entries. */
	(void)snprintf(architecture, sizeof architecture, "sm_%lld", (long long)device->cc);
	if (kt_device_by_architecture(&limits, architecture))
		*value = device_value(&limits, offset);
	return true;
}

/*
 * Sources: the CUDA C++ Programming Guide, "Compute Capabilities" (table of
 * technical specifications: resident warps, blocks, registers and shared
 * memory a multiprocessor; 1 KiB of shared memory reserved a block from 8.0
 * on), and <cuda_occupancy.h> of the toolkit (allocation granularities; four
 * partitions a multiprocessor, two on 6.0; registers are given out within a
 * partition; the check against the block limit counts whole rounds of
 * partitions).
 */
enum { REGISTER_UNIT = 256, REGISTERS_PER_THREAD = 255, SHARED_UNIT = 128, SHARED_UNIT_BEFORE_80 = 256 };
#define SHARED_RESERVED_BYTES 1024

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t blocks_by_registers(const struct kt_device *device, int64_t warps, int64_t registers_per_thread)
{
	int64_t partitions = device->cc == 60 ? 2 : 4;
	if (registers_per_thread > REGISTERS_PER_THREAD)
		return 0;
	int64_t per_warp = round_up(registers_per_thread * device->warp_size, REGISTER_UNIT);
	if (per_warp * round_up(warps, partitions) > device->registers_per_block)
		return 0;
	return device->registers_per_multiprocessor / partitions / per_warp * partitions / warps;
}

static int64_t blocks_by_shared(const struct kt_device *device, int64_t shared_bytes)
{
	bool reserves = device->cc >= 80;
	int64_t largest = device->shared_bytes_per_block_optin > device->shared_bytes_per_block
	                      ? device->shared_bytes_per_block_optin
	                      : device->shared_bytes_per_block;
	if (shared_bytes > largest)
		return 0;
	int64_t per_block = round_up(shared_bytes + (reserves ? SHARED_RESERVED_BYTES : 0),
	                             reserves ? SHARED_UNIT : SHARED_UNIT_BEFORE_80);
	return per_block == 0 ? INT64_MAX : device->shared_bytes_per_multiprocessor / per_block;
}

int64_t kt_device_occupancy_blocks(const struct kt_device *device, int64_t threads, int64_t registers_per_thread,
                                   int64_t shared_bytes)
{
	if (threads <= 0 || registers_per_thread < 0 || shared_bytes < 0 || device->warp_size <= 0 ||
	    threads > device->max_threads_per_block)
		return 0;
	int64_t warps = (threads + device->warp_size - 1) / device->warp_size;
	int64_t blocks = device->max_threads_per_multiprocessor / device->warp_size / warps;
	blocks = smaller(blocks, device->max_blocks_per_multiprocessor);
	if (registers_per_thread > 0)
		blocks = smaller(blocks, blocks_by_registers(device, warps, registers_per_thread));
	return smaller(blocks, blocks_by_shared(device, shared_bytes));
}
