#include "base/element.h"

#include <string.h>

const char *const kt_scalar_names[KT_SCALARS] = {
    "none", "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"};

static const struct {
	const char *cuda;
	unsigned bytes;
	bool is_float;
} scalars[KT_SCALARS] = {
	[KT_SCALAR_NONE] = {"", 0, false},
	[KT_BOOL] = {"bool", 1, false},
	[KT_I8] = {"signed char", 1, false},
	[KT_U8] = {"unsigned char", 1, false},
	[KT_I16] = {"short", 2, false},
	[KT_U16] = {"unsigned short", 2, false},
	[KT_I32] = {"int", 4, false},
	[KT_U32] = {"unsigned int", 4, false},
	[KT_I64] = {"long long", 8, false},
	[KT_U64] = {"unsigned long long", 8, false},
	[KT_F16] = {"__half", 2, true},
	[KT_BF16] = {"__nv_bfloat16", 2, true},
	[KT_F32] = {"float", 4, true},
	[KT_F64] = {"double", 8, true},
};

static size_t scalar_row(enum kt_scalar scalar)
{
	return (size_t)scalar < KT_SCALARS ? (size_t)scalar : (size_t)KT_SCALAR_NONE;
}

const char *kt_scalar_name(enum kt_scalar scalar)
{
	return kt_scalar_names[scalar_row(scalar)];
}

const char *kt_scalar_cuda(enum kt_scalar scalar)
{
	return scalars[scalar_row(scalar)].cuda;
}

enum kt_scalar kt_scalar_from_name(const char *name)
{
	for (size_t i = 0; i < KT_SCALARS; i++)
		if (strcmp(kt_scalar_names[i], name) == 0)
			return (enum kt_scalar)i;
	return KT_SCALAR_NONE;
}

unsigned kt_scalar_bytes(enum kt_scalar scalar)
{
	return scalars[scalar_row(scalar)].bytes;
}

bool kt_scalar_is_float(enum kt_scalar scalar)
{
	return scalars[scalar_row(scalar)].is_float;
}

/* X(type, bytes) */
#define EACH_SCALAR(X) \
	X(KT_BOOL, 1) X(KT_I8, 1) X(KT_U8, 1) X(KT_I16, 2) X(KT_U16, 2) X(KT_I32, 4) X(KT_U32, 4) X(KT_I64, 8) X(KT_U64, 8) \
	X(KT_F16, 2) X(KT_BF16, 2) X(KT_F32, 4) X(KT_F64, 8)

const struct kt_element *kt_element_of(enum kt_scalar scalar)
{
	static const struct kt_number numbers[KT_SCALARS] = {
#define NUMBER(type, size) [type] = {"", type, 0},
	    EACH_SCALAR(NUMBER)
#undef NUMBER
	};
	static const struct kt_part parts[KT_SCALARS] = {
#define PART(type, size) [type] = {type, 0, 1, 0},
	    EACH_SCALAR(PART)
#undef PART
	};
	static const struct kt_element elements[KT_SCALARS] = {
#define ELEMENT(type, size) [type] = {size, size, 1, &numbers[type], 1, 0, &parts[type]},
	    EACH_SCALAR(ELEMENT)
#undef ELEMENT
	};

	return &elements[scalar_row(scalar)];
}

/* The parts of the numbers, then those of padding; with `out` NULL they are only counted. */
static void divide(struct kt_part *out, size_t counts[2], const struct kt_element *e)
{
	uint32_t end = 0;
	size_t parts = 0, paddings = 0, last = 0;

	for (size_t i = 0; i < e->number_count; i++) {
		const struct kt_number *n = &e->numbers[i];
		const bool goes_on = i > 0 && n->offset == end && n->scalar == n[-1].scalar && n->group == n[-1].group;

		end = n->offset + kt_scalar_bytes(n->scalar);
		last = goes_on ? last : parts;
		parts += !goes_on;
		if (out == NULL)
			continue;
		if (!goes_on)
			out[last] = (struct kt_part){n->scalar, n->offset, 0, (uint32_t)i};
		out[last].count++;
	}
	end = 0;
	for (size_t i = 0; i <= e->number_count; i++) {
		const uint32_t next = i < e->number_count ? e->numbers[i].offset : e->bytes;

		if (next > end && out != NULL)
			out[parts + paddings] = (struct kt_part){KT_U8, end, next - end, 0};
		paddings += next > end;
		if (i < e->number_count)
			end = next + kt_scalar_bytes(e->numbers[i].scalar);
	}
	counts[0] = parts;
	counts[1] = paddings;
}

static kt_status check(const struct kt_element *e, struct kt_error *err)
{
	uint32_t end = 0;

	if (e->number_count == 0 || e->number_count > KT_ELEMENT_NUMBERS || e->bytes > KT_ELEMENT_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "an element has %zu numbers in %u bytes", e->number_count, e->bytes);
	for (size_t i = 0; i < e->number_count; i++) {
		const struct kt_number *n = &e->numbers[i];
		const uint32_t size = kt_scalar_bytes(n->scalar);

		if (size == 0)
			return kt_fail(err, KT_ERR_INVALID, "'%s' is no number", n->name);
		if (n->offset < end || n->offset > e->bytes || size > e->bytes - n->offset)
			return kt_fail(err, KT_ERR_INVALID, "'%s' is outside of its element, or in another number", n->name);
		if (n->offset % size != 0 || e->bytes % size != 0)
			return kt_fail(err, KT_ERR_INVALID, "'%s' is not aligned to its %u bytes", n->name, size);
		end = n->offset + size;
	}
	return KT_OK;
}

kt_status kt_element_make(const struct kt_element **out, struct kt_arena *arena, uint32_t bytes, uint32_t align,
                          const struct kt_number *numbers, size_t count, struct kt_error *err)
{
	struct kt_element *e = kt_arena_alloc(arena, sizeof *e);
	struct kt_part *parts;
	size_t counts[2];

	NEED(e, kt_no_memory(err));
	*e = (struct kt_element){.bytes = bytes, .align = align, .number_count = count, .numbers = numbers};
	TRY(check(e, err));
	divide(NULL, counts, e);
	if (counts[0] > KT_ELEMENT_PARTS)
		return kt_fail(err, KT_ERR_LIMIT, "the type or fill of its numbers changes %zu times, at most %d are possible",
		               counts[0] - 1, KT_ELEMENT_PARTS - 1);
	NEED(parts = kt_arena_array(arena, counts[0] + counts[1], sizeof *parts), kt_no_memory(err));
	divide(parts, counts, e);
	e->parts = parts;
	e->part_count = counts[0];
	e->padding_count = counts[1];
	*out = e;
	return KT_OK;
}

enum kt_scalar kt_element_scalar(const struct kt_element *element)
{
	return element->number_count == 1 && element->padding_count == 0 ? element->numbers[0].scalar : KT_SCALAR_NONE;
}

bool kt_element_same(const struct kt_element *a, const struct kt_element *b)
{
	bool same = a->bytes == b->bytes && a->number_count == b->number_count;

	for (size_t i = 0; same && i < a->number_count; i++)
		same = a->numbers[i].scalar == b->numbers[i].scalar && a->numbers[i].offset == b->numbers[i].offset &&
		       a->numbers[i].group == b->numbers[i].group;
	return same;
}

cJSON *kt_element_print(const struct kt_element *element)
{
	if (element->number_count == 0 || kt_element_scalar(element) != KT_SCALAR_NONE)
		return cJSON_CreateString(kt_scalar_name(kt_element_scalar(element)));
	cJSON *object = cJSON_CreateObject();
	(void)kt_json_add_int(object, "bytes", element->bytes);
	(void)kt_json_add_int(object, "align", element->align);
	cJSON *numbers = cJSON_AddArrayToObject(object, "numbers");
	for (size_t i = 0; i < element->number_count; i++) {
		cJSON *number = kt_json_append(numbers);
		(void)cJSON_AddStringToObject(number, "name", element->numbers[i].name);
		(void)cJSON_AddStringToObject(number, "element", kt_scalar_name(element->numbers[i].scalar));
		(void)kt_json_add_int(number, "offset", element->numbers[i].offset);
		if (element->numbers[i].group != 0)
			(void)kt_json_add_int(number, "group", element->numbers[i].group);
	}
	return object;
}

static kt_status read_number(struct kt_number *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	const char *scalar = NULL;
	int64_t offset = 0, group = 0;

	TRY(kt_json_string(&out->name, arena, json, "name", err));
	TRY(kt_json_string(&scalar, arena, json, "element", err));
	TRY(kt_json_int(&offset, json, "offset", err));
	TRY(kt_json_int_or(&group, json, "group", 0, err));
	if (group < 0 || group > KT_ELEMENT_NUMBERS)
		return kt_fail(err, KT_ERR_INVALID, "'%s' is in group %lld", out->name, (long long)group);
	if (offset < 0 || offset > KT_ELEMENT_BYTES)
		return kt_fail(err, KT_ERR_INVALID, "'%s' is at %lld bytes", out->name, (long long)offset);
	out->scalar = kt_scalar_from_name(scalar);
	out->offset = (uint32_t)offset;
	out->group = (uint32_t)group;
	return KT_OK;
}

static kt_status read_numbers(const struct kt_element **out, struct kt_arena *arena, const cJSON *json,
                              struct kt_error *err)
{
	const cJSON *list = NULL, *item = NULL;
	struct kt_number *numbers;
	int64_t bytes = 0, align = 0;
	size_t count = 0;

	TRY(kt_json_int(&bytes, json, "bytes", err));
	TRY(kt_json_int(&align, json, "align", err));
	TRY(kt_json_array_or(&list, json, "numbers", err));
	if (bytes < 1 || bytes > KT_ELEMENT_BYTES || align < 1 || align > KT_ELEMENT_BYTES ||
	    cJSON_GetArraySize(list) > KT_ELEMENT_NUMBERS)
		return kt_fail(err, KT_ERR_INVALID, "an element of %lld bytes, aligned to %lld", (long long)bytes,
		               (long long)align);
	NEED(numbers = kt_arena_array(arena, KT_ELEMENT_NUMBERS, sizeof *numbers), kt_no_memory(err));
	cJSON_ArrayForEach(item, list)
	{
		TRY(read_number(&numbers[count++], arena, item, err));
	}
	return kt_element_make(out, arena, (uint32_t)bytes, (uint32_t)align, numbers, count, err);
}

kt_status kt_element_read(const struct kt_element **out, struct kt_arena *arena, const cJSON *json,
                          struct kt_error *err)
{
	enum kt_scalar scalar;

	if (cJSON_IsObject(json))
		return read_numbers(out, arena, json, err);
	if (!cJSON_IsString(json))
		return kt_fail(err, KT_ERR_INVALID, "an element is a type's name or an object");
	scalar = kt_scalar_from_name(json->valuestring);
	if (scalar == KT_SCALAR_NONE && strcmp(json->valuestring, kt_scalar_name(KT_SCALAR_NONE)) != 0)
		return kt_fail(err, KT_ERR_INVALID, "\"%.60s\" is no element type", json->valuestring);
	*out = kt_element_of(scalar);
	return KT_OK;
}
