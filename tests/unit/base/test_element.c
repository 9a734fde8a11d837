#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/element.h"

#define MOST 8

/* "f16 at 0, i8 at 2, …": numbers as tables have them. */
struct layout {
	const char *name;
	uint32_t bytes, align;
	struct {
		enum kt_scalar scalar;
		uint32_t offset;
	} numbers[MOST];
	size_t count;
	struct kt_part parts[MOST]; /* then those of padding */
	size_t part_count, padding_count;
	const char *mistake; /* NULL: none */
};

static const struct layout layouts[] = {
    {"float4", 16, 16, {{KT_F32, 0}, {KT_F32, 4}, {KT_F32, 8}, {KT_F32, 12}}, 4, {{KT_F32, 0, 4, 0}}, 1, 0, NULL},
    {"float3 of CUDA", 12, 4, {{KT_F32, 0}, {KT_F32, 4}, {KT_F32, 8}}, 3, {{KT_F32, 0, 3, 0}}, 1, 0, NULL},
    {"float3 of OpenCL", 16, 16, {{KT_F32, 0}, {KT_F32, 4}, {KT_F32, 8}}, 3, {{KT_F32, 0, 3, 0}, {KT_U8, 12, 4, 0}}, 1,
     1, NULL},
    {"half2", 4, 4, {{KT_F16, 0}, {KT_F16, 2}}, 2, {{KT_F16, 0, 2, 0}}, 1, 0, NULL},
    {"one number of many bytes", 8, 8, {{KT_BOOL, 0}}, 1, {{KT_BOOL, 0, 1, 0}, {KT_U8, 1, 7, 0}}, 1, 1, NULL},
    {"of two types that share a size", 8, 4, {{KT_I32, 0}, {KT_F32, 4}}, 2, {{KT_I32, 0, 1, 0}, {KT_F32, 4, 1, 1}}, 2, 0,
     NULL},
    {"a gap parts numbers of a type", 12, 4, {{KT_F16, 0}, {KT_F16, 4}, {KT_I32, 8}}, 3,
     {{KT_F16, 0, 1, 0}, {KT_F16, 4, 1, 1}, {KT_I32, 8, 1, 2}, {KT_U8, 2, 2, 0}, {KT_U8, 6, 2, 0}}, 3, 2, NULL},
    {"a gap at its begin", 8, 4, {{KT_I32, 4}}, 1, {{KT_I32, 4, 1, 0}, {KT_U8, 0, 4, 0}}, 1, 1, NULL},
    {"no number", 8, 8, {{KT_F32, 0}}, 0, {{0}}, 0, 0, "0 numbers"},
    {"a number of no type", 8, 8, {{KT_SCALAR_NONE, 0}}, 1, {{0}}, 0, 0, "is no number"},
    {"two numbers in one place", 8, 8, {{KT_F32, 0}, {KT_I32, 0}}, 2, {{0}}, 0, 0, "in another number"},
    {"beyond its end", 4, 4, {{KT_F32, 0}, {KT_F32, 4}}, 2, {{0}}, 0, 0, "outside"},
    {"packed", 5, 1, {{KT_U8, 0}, {KT_F32, 1}}, 2, {{0}}, 0, 0, "not aligned"},
    {"packed at its end", 5, 1, {{KT_F32, 0}, {KT_U8, 4}}, 2, {{0}}, 0, 0, "not aligned"},
    {"too large", KT_ELEMENT_BYTES + 8, 8, {{KT_F32, 0}}, 1, {{0}}, 0, 0, "bytes"},
};

static kt_status make(const struct kt_element **out, struct kt_arena *arena, const struct layout *l, struct kt_error *err)
{
	struct kt_number *numbers = kt_arena_array(arena, MOST, sizeof *numbers);

	assert_non_null(numbers);
	for (size_t i = 0; i < l->count; i++)
		numbers[i] = (struct kt_number){i % 2 ? "b[1]" : "a", l->numbers[i].scalar, l->numbers[i].offset, 0};
	return kt_element_make(out, arena, l->bytes, l->align, numbers, l->count, err);
}

static void expect_parts(const struct kt_element *e, const struct layout *l)
{
	assert_int_equal(e->part_count, l->part_count);
	assert_int_equal(e->padding_count, l->padding_count);
	for (size_t i = 0; i < l->part_count + l->padding_count; i++) {
		assert_int_equal(e->parts[i].scalar, l->parts[i].scalar);
		assert_int_equal(e->parts[i].offset, l->parts[i].offset);
		assert_int_equal(e->parts[i].count, l->parts[i].count);
		assert_int_equal(e->parts[i].first, l->parts[i].first);
	}
}

/* Parts and padding cover each byte once; what is printed reads back as it was. */
static void layouts_have_parts(void **state)
{
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
		const struct layout *l = &layouts[i];
		const struct kt_element *e = NULL, *again = NULL;
		struct kt_error err = {0};
		uint32_t covered = 0;

		print_message("%s\n", l->name);
		if (l->mistake != NULL) {
			assert_int_not_equal(make(&e, arena, l, &err), KT_OK);
			assert_non_null(strstr(err.message, l->mistake));
			continue;
		}
		assert_int_equal(make(&e, arena, l, &err), KT_OK);
		expect_parts(e, l);
		for (size_t p = 0; p < e->part_count + e->padding_count; p++)
			covered += e->parts[p].count * kt_scalar_bytes(e->parts[p].scalar);
		assert_int_equal(covered, e->bytes);
		cJSON *json = kt_element_print(e);
		assert_int_equal(kt_element_read(&again, arena, json, &err), KT_OK);
		cJSON_Delete(json);
		assert_true(kt_element_same(e, again));
		assert_int_equal(again->align, l->align);
		assert_string_equal(again->numbers[l->count - 1].name, e->numbers[l->count - 1].name);
		expect_parts(again, l);
		assert_int_equal(kt_element_scalar(e), KT_SCALAR_NONE);
	}
	kt_arena_free(arena);
}

static void numbers_are_elements(void **state)
{
	(void)state;
	for (int i = KT_BOOL; i <= KT_F64; i++) {
		const enum kt_scalar scalar = (enum kt_scalar)i;
		const struct kt_element *e = kt_element_of(scalar);

		assert_int_equal(e->bytes, kt_scalar_bytes(scalar));
		assert_int_equal(e->align, kt_scalar_bytes(scalar));
		assert_int_equal(e->part_count, 1);
		assert_int_equal(kt_element_scalar(e), scalar);
		cJSON *json = kt_element_print(e);
		assert_string_equal(json->valuestring, kt_scalar_name(scalar));
		cJSON_Delete(json);
		for (int k = KT_BOOL; k <= KT_F64; k++)
			assert_int_equal(kt_element_same(e, kt_element_of((enum kt_scalar)k)), i == k);
	}
	assert_int_equal(kt_element_of(KT_SCALAR_NONE)->bytes, 0);
	assert_int_equal(kt_element_scalar(kt_element_of(KT_SCALAR_NONE)), KT_SCALAR_NONE);
}

static void mistakes_of_json(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
	    {"5", "a type's name or an object"},
	    {"\"float\"", "no element type"},
	    {"{\"bytes\":4,\"align\":4}", "0 numbers"},
	    {"{\"bytes\":0,\"align\":4,\"numbers\":[]}", "0 bytes"},
	    {"{\"bytes\":8,\"align\":4,\"numbers\":[{\"element\":\"f32\",\"offset\":0}]}", "name"},
	    {"{\"bytes\":8,\"align\":4,\"numbers\":[{\"name\":\"x\",\"element\":\"f32\",\"offset\":-4}]}", "at -4 bytes"},
	    {"{\"bytes\":8,\"align\":4,\"numbers\":[{\"name\":\"x\",\"element\":\"float\",\"offset\":4}]}", "'x' is no number"},
	    {"{\"bytes\":8,\"align\":4,\"numbers\":[{\"name\":\"x\",\"element\":\"f64\",\"offset\":4}]}", "'x' is outside"},
	};
	struct kt_arena *arena = kt_arena_new(1 << 20);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_element *e = NULL;
		struct kt_error err = {0};
		cJSON *json = cJSON_Parse(rows[i].text);

		assert_non_null(json);
		assert_int_not_equal(kt_element_read(&e, arena, json, &err), KT_OK);
		if (strstr(err.message, rows[i].says) == NULL)
			fail_msg("%s: %s", rows[i].text, err.message);
		cJSON_Delete(json);
	}
	kt_arena_free(arena);
}

/* Numbers of one type are parts of their own by group; it is printed, and tells elements apart. */
static void groups_are_parts(void **state)
{
	static const struct kt_number grouped[] = {{"a", KT_I32, 0, 1}, {"b", KT_I32, 4, 1}, {"c", KT_I32, 8, 2}, {"d", KT_I32, 12, 0}};
	static const struct kt_number plain[] = {{"a", KT_I32, 0, 0}, {"b", KT_I32, 4, 0}, {"c", KT_I32, 8, 0}, {"d", KT_I32, 12, 0}};
	struct kt_arena *arena = kt_arena_new(1 << 20);
	const struct kt_element *e = NULL, *other = NULL, *again = NULL;
	struct kt_error err = {0};

	(void)state;
	assert_int_equal(kt_element_make(&e, arena, 16, 4, grouped, 4, &err), KT_OK);
	assert_int_equal(kt_element_make(&other, arena, 16, 4, plain, 4, &err), KT_OK);
	assert_int_equal(e->part_count, 3);
	assert_int_equal(e->parts[0].count, 2);
	assert_int_equal(e->parts[2].first, 3);
	assert_int_equal(other->part_count, 1);
	assert_false(kt_element_same(e, other));
	cJSON *json = kt_element_print(e);
	assert_int_equal(kt_element_read(&again, arena, json, &err), KT_OK);
	cJSON_Delete(json);
	assert_true(kt_element_same(e, again));
	assert_int_equal(again->part_count, 3);
	kt_arena_free(arena);
}

/* Types that take turns: each is a part, up to the limit. */
static void parts_have_a_limit(void **state)
{
	struct kt_number numbers[KT_ELEMENT_PARTS + 1];
	struct kt_arena *arena = kt_arena_new(1 << 20);
	const struct kt_element *e = NULL;
	struct kt_error err = {0};

	(void)state;
	for (uint32_t i = 0; i <= KT_ELEMENT_PARTS; i++)
		numbers[i] = (struct kt_number){"a", i % 2 ? KT_F32 : KT_I32, 4 * i, 0};
	assert_int_equal(kt_element_make(&e, arena, 4 * KT_ELEMENT_PARTS, 4, numbers, KT_ELEMENT_PARTS, &err), KT_OK);
	assert_int_equal(e->part_count, KT_ELEMENT_PARTS);
	assert_int_equal(kt_element_make(&e, arena, 4 * KT_ELEMENT_PARTS + 4, 4, numbers, KT_ELEMENT_PARTS + 1, &err),
	                 KT_ERR_LIMIT);
	assert_non_null(strstr(err.message, "changes 16 times"));
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(layouts_have_parts),
	    cmocka_unit_test(numbers_are_elements),
	    cmocka_unit_test(mistakes_of_json),
	    cmocka_unit_test(groups_are_parts),
	    cmocka_unit_test(parts_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
