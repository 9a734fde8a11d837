#include "base/device.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/member.h"

#define TEXT(member) KT_MEMBER(TEXT, struct kt_device, member)
#define NUMBER(member) KT_MEMBER(INT, struct kt_device, member), .high = INT64_MAX
#define EXTENT(member) KT_MEMBER(TRIPLE, struct kt_device, member), .high = INT64_MAX
#define REQUIRED .flags = KT_MEMBER_REQUIRED
/* OpenCL's are printed only where they are not 0. */
static const struct kt_member device_rows[] = {
    {TEXT(vendor), .flags = KT_MEMBER_REQUIRED | KT_MEMBER_FULL},
    {TEXT(name), .flags = KT_MEMBER_REQUIRED | KT_MEMBER_FULL},
    {NUMBER(cc), REQUIRED},
    {NUMBER(multiprocessors), REQUIRED},
    {NUMBER(memory_bus_bits), REQUIRED},
    {NUMBER(l2_bytes), REQUIRED},
    {NUMBER(warp_size)},
    {NUMBER(max_threads_per_block)},
    {NUMBER(max_threads_per_multiprocessor)},
    {NUMBER(max_blocks_per_multiprocessor)},
    {NUMBER(shared_bytes_per_block)},
    {NUMBER(shared_bytes_per_block_optin)},
    {NUMBER(shared_bytes_per_multiprocessor)},
    {NUMBER(registers_per_block)},
    {NUMBER(registers_per_multiprocessor)},
    {NUMBER(memory_bytes)},
    {NUMBER(fp16), .flags = KT_MEMBER_SPARSE},
    {NUMBER(fp64), .flags = KT_MEMBER_SPARSE},
    {NUMBER(vector_f16), .flags = KT_MEMBER_SPARSE},
    {NUMBER(vector_f32), .flags = KT_MEMBER_SPARSE},
    {NUMBER(vector_f64), .flags = KT_MEMBER_SPARSE},
    {NUMBER(core_khz)},
    {NUMBER(memory_khz)},
    {EXTENT(max_block)},
    {EXTENT(max_grid)},
    {TEXT(uuid), .flags = KT_MEMBER_EMPTY | KT_MEMBER_FULL},
    {TEXT(driver), .flags = KT_MEMBER_EMPTY | KT_MEMBER_FULL},
};

static int64_t device_value(const struct kt_device *device, size_t offset)
{
	int64_t value;
	memcpy(&value, (const char *)device + offset, sizeof value);
	return value;
}

/* OpenCL does not report the width of a bus, and not always the size of a cache. */
static bool may_be_zero(const struct kt_device *device, const struct kt_member *m)
{
	return !(m->flags & KT_MEMBER_REQUIRED) ||
	       (strcmp(device->vendor, "NVIDIA") != 0 && m->offset != offsetof(struct kt_device, multiprocessors));
}

static kt_status check_device(void *record, struct kt_member_reader *r)
{
	const struct kt_device *device = record;
	for (size_t i = 0; i < sizeof device_rows / sizeof *device_rows; i++) {
		const struct kt_member *m = &device_rows[i];
		const struct kt_json_place here = kt_json_member(r->at, m->name);
		if (m->kind == KT_MEMBER_INT && device_value(device, m->offset) == 0 && !may_be_zero(device, m))
			return kt_json_bad(r->err, &here, "a device cannot have 0");
	}
	return device->vendor[0] != '\0' && device->name[0] != '\0'
	           ? KT_OK : kt_member_bad(r, "%s is empty", device->vendor[0] == '\0' ? "vendor" : "name");
}

static const struct kt_members device_record = {KT_MEMBERS_OF(struct kt_device, device_rows), .check = check_device};

kt_status kt_device_read(struct kt_device *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct kt_device device = {0};
	TRY(kt_members_parse(&device, json, &device_record, arena, err));
	*out = device;
	return KT_OK;
}

cJSON *kt_device_json(const struct kt_device *device)
{
	return kt_members_json(device, &device_record);
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

/* "cc", and "max_block_x" of an extent. */
static bool find_member(size_t *offset, const char *name)
{
	for (size_t i = 0; i < sizeof device_rows / sizeof *device_rows; i++) {
		const struct kt_member *m = &device_rows[i];
		const size_t length = strlen(m->name);
		const char *tail = strncmp(m->name, name, length) == 0 ? name + length : "?";
		const bool is_axis = m->kind == KT_MEMBER_TRIPLE && tail[0] == '_' && tail[1] >= 'x' && tail[1] <= 'z' && tail[2] == '\0';
		if (is_axis || (m->kind == KT_MEMBER_INT && tail[0] == '\0')) {
			*offset = m->offset + (is_axis ? (size_t)(tail[1] - 'x') * sizeof(int64_t) : 0);
			return true;
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
