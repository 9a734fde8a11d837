/* Elements of several numbers: each part is filled and compared by its own type, and nothing else of the element. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"

#define COUNT 61
#define UNTOUCHED 0xa5
#define MOST 12

#define X2(t, size) {{"x", t, 0, 0}, {"y", t, size, 0}}, 2
#define X3(t, size) {{"x", t, 0, 0}, {"y", t, size, 0}, {"z", t, 2 * (size), 0}}, 3
#define X4(t, size) {{"x", t, 0, 0}, {"y", t, size, 0}, {"z", t, 2 * (size), 0}, {"w", t, 3 * (size), 0}}, 4

/* The vectors of CUDA and OpenCL, and structures. */
static const struct {
	const char *name;
	uint32_t bytes, align;
	struct kt_number numbers[MOST];
	size_t count;
} types[] = {
    {"float2", 8, 8, X2(KT_F32, 4)},
    {"float3", 12, 4, X3(KT_F32, 4)},
    {"float3 of OpenCL", 16, 16, X3(KT_F32, 4)},
    {"float4", 16, 16, X4(KT_F32, 4)},
    {"int2", 8, 8, X2(KT_I32, 4)},
    {"int4", 16, 16, X4(KT_I32, 4)},
    {"uint2", 8, 8, X2(KT_U32, 4)},
    {"uint4", 16, 16, X4(KT_U32, 4)},
    {"uchar4", 4, 4, X4(KT_U8, 1)},
    {"double2", 16, 16, X2(KT_F64, 8)},
    {"half2", 4, 4, X2(KT_F16, 2)},
    {"bfloat162", 4, 4, X2(KT_BF16, 2)},
    {"long2", 16, 16, X2(KT_I64, 8)},
    {"a number", 4, 4, {{"", KT_F32, 0, 0}}, 1},
    {"two types", 8, 4, {{"index", KT_I32, 0, 0}, {"value", KT_F32, 4, 0}}, 2},
    {"gaps", 32, 8, {{"scale", KT_F16, 0, 0}, {"q[0]", KT_I8, 2, 0}, {"q[1]", KT_I8, 3, 0}, {"w", KT_F64, 8, 0}, {"on", KT_BOOL, 16, 0},
                     {"at.x", KT_I16, 18, 0}, {"at.y", KT_I16, 20, 0}}, 7},
    {"one type in two places", 12, 4, {{"a", KT_F32, 0, 0}, {"n", KT_U16, 4, 0}, {"b", KT_F32, 8, 0}}, 3},
};
#define TYPES (sizeof types / sizeof *types)

static const struct kt_element *element_of(struct kt_arena *arena, size_t type)
{
	const struct kt_element *e = NULL;
	struct kt_error err;

	if (types[type].count == 1)
		return kt_element_of(types[type].numbers[0].scalar);
	assert_int_equal(
	    kt_element_make(&e, arena, types[type].bytes, types[type].align, types[type].numbers, types[type].count, &err),
	    KT_OK);
	return e;
}

static void fill(unsigned char *out, const struct kt_element *e, const struct kt_fill *fills, uint64_t seed)
{
	const struct kt_run_data data = {.count = COUNT, .fills = fills, .seed = seed};

	for (size_t part = 0; part < e->part_count; part++) {
		const struct kt_lanes lanes = kt_data_lanes(e, part);
		const struct kt_run_data own = kt_parts_data(&data, e, part);

		kt_data_fill(out, &lanes, &own);
	}
}

static double real(const unsigned char *data, const struct kt_element *e, size_t i, size_t number)
{
	uint64_t bits = 0;

	memcpy(&bits, data + i * e->bytes + e->numbers[number].offset, kt_scalar_bytes(e->numbers[number].scalar));
	return kt_data_real(e->numbers[number].scalar, bits);
}

static bool is_padding(const struct kt_element *e, size_t byte)
{
	bool padding = true;

	for (size_t n = 0; n < e->number_count; n++)
		padding = padding && (byte < e->numbers[n].offset ||
		                      byte >= e->numbers[n].offset + kt_scalar_bytes(e->numbers[n].scalar));
	return padding;
}

/* Each part has numbers in a range of its own; what belongs to no number stays as it was. */
static void parts_are_filled(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	for (size_t t = 0; t < TYPES; t++) {
		const struct kt_element *e = element_of(arena, t);
		struct kt_fill fills[KT_ELEMENT_PARTS];
		unsigned char data[COUNT * 32 + 1];

		print_message("%s\n", types[t].name);
		for (size_t p = 0; p < e->part_count; p++) {
			const double least = e->parts[p].scalar == KT_BOOL ? 1 : 3 + 10 * (double)p;

			fills[p] = (struct kt_fill){.kind = KT_FILL_RANGE, .a = least, .b = least == 1 ? 1 : least + 5};
		}
		memset(data, UNTOUCHED, sizeof data);
		fill(data, e, fills, 7);
		assert_int_equal(data[COUNT * e->bytes], UNTOUCHED);
		for (size_t i = 0; i < COUNT; i++)
			for (size_t byte = 0; byte < e->bytes; byte++)
				if (is_padding(e, byte))
					assert_int_equal(data[i * e->bytes + byte], UNTOUCHED);
		for (size_t p = 0; p < e->part_count; p++)
			for (size_t i = 0; i < COUNT; i++)
				for (size_t n = e->parts[p].first; n < e->parts[p].first + e->parts[p].count; n++) {
					assert_true(real(data, e, i, n) >= fills[p].a);
					assert_true(real(data, e, i, n) <= fills[p].b);
				}
	}
	kt_arena_free(arena);
}

static struct kt_result compared(const struct kt_element *e, const unsigned char *got, const unsigned char *want,
                                 size_t part, const struct kt_data_tolerance *tolerance)
{
	const struct kt_lanes lanes = kt_data_lanes(e, part);
	struct kt_result result = {0};

	kt_data_compare(&result, got, want, COUNT * lanes.width, &lanes, tolerance);
	assert_int_equal(result.seen, COUNT * lanes.width);
	return result;
}

/* Another bit in one number is found in its part alone, and goes by that number; padding is not looked at. */
static void numbers_are_compared(void **state)
{
	static const struct kt_data_tolerance exact = {.exact = 1}, masked = {.exact = 1, .mask = 99};
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	for (size_t t = 0; t < TYPES; t++) {
		const struct kt_element *e = element_of(arena, t);
		const size_t at = 17, bytes = COUNT * e->bytes;
		unsigned char want[COUNT * 32], got[COUNT * 32], hidden[COUNT * 32];

		print_message("%s\n", types[t].name);
		memset(want, 1, sizeof want);
		fill(want, e, NULL, 3);
		kt_data_mask(hidden, want, bytes, masked.mask);
		for (size_t byte = 0; byte < e->bytes; byte++) {
			memcpy(got, want, sizeof got);
			got[at * e->bytes + byte] ^= 1;
			for (size_t p = 0; p < e->part_count; p++) {
				const uint32_t first = e->parts[p].offset, size = kt_scalar_bytes(e->parts[p].scalar);
				const bool here = byte >= first && byte < first + size * e->parts[p].count;
				const struct kt_result plain = compared(e, got, want, p, &exact);
				const struct kt_result under = compared(e, got, hidden, p, &masked);
				const uint64_t index = at * e->number_count + e->parts[p].first + (byte - first) / size;

				assert_int_equal(plain.wrong, here);
				assert_int_equal(under.wrong, here);
				assert_int_equal(here ? ~plain.first : index, index);
				assert_int_equal(here ? ~under.first : index, index);
			}
		}
	}
	kt_arena_free(arena);
}

/* Poison that both runs left in a number says that neither wrote it, wherever in the element it is. */
static void unwritten_numbers_agree(void **state)
{
	static const struct kt_data_tolerance seeds = {.exact = 1, .want_seed = 11, .got_seed = 12};
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	for (size_t t = 0; t < TYPES; t++) {
		const struct kt_element *e = element_of(arena, t);
		unsigned char want[COUNT * 32], got[COUNT * 32];

		kt_data_poison(want, COUNT * e->bytes, seeds.want_seed);
		kt_data_poison(got, COUNT * e->bytes, seeds.got_seed);
		for (size_t p = 0; p < e->part_count; p++)
			assert_int_equal(compared(e, got, want, p, &seeds).wrong, 0);
		/* The right answer where the original left nothing. */
		memcpy(want + e->numbers[e->number_count - 1].offset, got + e->numbers[e->number_count - 1].offset, 1);
		if (memcmp(want, got, e->bytes) == 0)
			continue;
		kt_data_poison(got, COUNT * e->bytes, 13);
		assert_true(compared(e, got, want, e->part_count - 1, &seeds).wrong > 0);
	}
	kt_arena_free(arena);
}

static void largest_of_a_part(void **state)
{
	const struct kt_number numbers[] = {{"a", KT_F32, 0, 0}, {"n", KT_I32, 4, 0}};
	const float values[] = {1, 0, -8, 0, 3, 0};
	struct kt_arena *arena = kt_arena_new(1 << 16);
	const struct kt_element *e = NULL;
	int32_t data[6];
	struct kt_error err;

	(void)state;
	memcpy(data, values, sizeof data);
	data[1] = 5;
	data[3] = -70;
	assert_int_equal(kt_element_make(&e, arena, 8, 4, numbers, 2, &err), KT_OK);
	const struct kt_lanes reals = kt_data_lanes(e, 0), integers = kt_data_lanes(e, 1);
	assert_true(kt_data_largest(data, 3, &reals, 1) == 8);
	assert_true(kt_data_largest(data, 3, &integers, 1) == 70);
	kt_arena_free(arena);
}

static void indices_name_the_number(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 16);

	(void)state;
	for (size_t t = 0; t < TYPES; t++) {
		const struct kt_element *e = element_of(arena, t);
		const uint64_t last = 4 * e->number_count + e->number_count - 1;
		const char *name = types[t].numbers[types[t].count - 1].name;

		assert_string_equal(kt_parts_index(e, arena, last),
		                    name[0] == '\0' ? "index 4" : kt_arena_printf(arena, "index 4 (%s)", name));
	}
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(parts_are_filled),        cmocka_unit_test(numbers_are_compared),
	    cmocka_unit_test(unwritten_numbers_agree), cmocka_unit_test(largest_of_a_part),
	    cmocka_unit_test(indices_name_the_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
