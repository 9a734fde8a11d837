/* Launches that no problem lists: which there are, how large they may be, and who covers them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"
#include "planning/derived.h"
#include "testing/cases.h"
#include "testing/sizes.h"

enum { VARIABLES = 2, PROBLEMS = 4 };

struct fixture {
	struct kt_arena *arena;
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
	struct kt_device device;
	struct kt_buffer buffers[2];
	struct kt_clause_expr guards[1];
	int64_t problems[PROBLEMS * VARIABLES];
	struct kt_derived derived;
	struct kt_variable_bounds *bounds;
	struct kt_error err;
	const struct kt_traced *traced;
};

static const char *variables[] = {"n", "d"};
static int64_t even_values[] = {0, 1};
static struct kt_parameter parameters[] = {{.name = "EVEN", .value_count = 2, .values = even_values, .original = 0}};
static struct kt_argument arguments[] = {
    {.name = "y", .type = "float *", .is_pointer = true},
    {.name = "x", .type = "const float *", .is_pointer = true, .is_const = true},
    {.name = "n", .type = "int"},
    {.name = "d", .type = "int"},
};
static enum kt_scalar elements[] = {KT_F32, KT_F32, KT_I32, KT_I32};

static struct kt_clause_expr clause(struct fixture *f, const char *text)
{
	struct kt_clause_expr out = {.text = text};

	assert_int_equal(kt_expr_parse(&out.expr, f->arena, text, strlen(text), &f->err), KT_OK);
	return out;
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	*state = f;
	return f->arena != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	kt_arena_free(f->arena);
	free(f);
	return 0;
}

static void make(struct fixture *f, size_t variable_count, size_t problem_count, const int64_t *problems,
                 const char *count, const char *guard)
{
	memcpy(f->problems, problems, variable_count * problem_count * sizeof *problems);
	f->buffers[0] =
	    (struct kt_buffer){.name = "y", .argument = 0, .direction = KT_OUT, .count = clause(f, count)};
	f->buffers[1] = (struct kt_buffer){.name = "x", .argument = 1, .direction = KT_IN, .count = clause(f, count)};
	f->region = (struct kt_region){
	    .name = "k", .kernel = "k", .argument_count = 4, .arguments = arguments, .variable_count = variable_count,
	    .variables = variables, .problem_count = problem_count, .problems = f->problems, .buffer_count = 2,
	    .buffers = f->buffers, .bounds = f->bounds, .instance_count = 1, .grid_count = 1, .block_count = 1};
	f->region.grid[0] = clause(f, "ceil_div(n, 256)");
	f->region.block[0] = clause(f, "256");
	f->instance = (struct kt_instance){.name = "k", .elements = elements};
	f->region.instances = &f->instance;
	f->guards[0] = clause(f, guard);
	f->region.guards = f->guards;
	f->region.guard_count = f->bounds != NULL ? 1 : 0;
	f->template_ = (struct kt_template){.region = &f->region, .parameter_count = 1, .parameters = parameters,
	                                    .grid_count = 1, .block_count = 1, .grid = f->region.grid,
	                                    .block = f->region.block, .guard_count = 1, .guards = f->guards};
	if (kt_derived_make(&f->derived, f->arena, &f->template_, &f->instance, &f->device, f->traced, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
}

static size_t count_where(const struct fixture *f, size_t variable, bool (*holds)(int64_t v))
{
	size_t count = 0;

	for (size_t i = 0; i < f->derived.count; i++)
		count += holds(f->derived.values[i][variable]);
	return count;
}

static bool is_one(int64_t v)
{
	return v == 1;
}

static bool is_odd(int64_t v)
{
	return v % 2 != 0;
}

static bool is_two(int64_t v)
{
	return v % 4 == 2;
}

static bool is_four(int64_t v)
{
	return v % 8 == 4;
}

static bool is_whole(int64_t v)
{
	return v % 8 == 0;
}

static bool is_small(int64_t v)
{
	return v < 1024;
}

static bool is_large(int64_t v)
{
	return v > 1 << 20;
}

static bool is_prime(int64_t v)
{
	for (int64_t d = 2; d * d <= v; d++)
		if (v % d == 0)
			return false;
	return v > 1;
}

/* Every kind of size is there, whatever the listed values share. */
static void one_variable_has_all_kinds(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {1024, 65536, 1 << 20};
	bool (*const kinds[])(int64_t) = {is_one, is_odd, is_two, is_four, is_whole, is_small, is_large, is_prime};

	make(f, 1, 3, listed, "n", "1");
	assert_true(f->derived.count >= 9 && f->derived.count <= KT_DERIVED_MOST);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		assert_true(count_where(f, 0, kinds[k]) >= 1);
	for (size_t i = 0; i < f->derived.count; i++)
		for (size_t p = 0; p < 3; p++)
			assert_true(f->derived.values[i][0] != listed[p]);
}

/* The table of docs/selection.md. */
static void values_are_those_of_the_page(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {1024, 65536, 1 << 20};
	static const int64_t values[KT_SIZE_KINDS] = {
	    [KT_SIZE_LISTED] = 65536, [KT_SIZE_WHOLE] = 12288, [KT_SIZE_ODD] = 8193,    [KT_SIZE_BELOW] = 33,
	    [KT_SIZE_ONE] = 1,        [KT_SIZE_ABOVE] = 1572864, [KT_SIZE_MORE] = 1048577, [KT_SIZE_LESS] = 1023,
	    [KT_SIZE_PRIME] = 2897,   [KT_SIZE_TWOS] = 92682,  [KT_SIZE_FOURS] = 516};

	make(f, 1, 3, listed, "n", "1");
	for (int kind = 0; kind < KT_SIZE_KINDS; kind++)
		assert_int_equal(kt_sizes_unlisted(&f->region, 0, (enum kt_size_kind)kind, 1), values[kind]);
}

static void one_problem_is_enough(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {16777216};

	make(f, 1, 1, listed, "n", "1");
	assert_true(f->derived.count >= 9);
	assert_true(count_where(f, 0, is_one) >= 1 && count_where(f, 0, is_odd) >= 3 && count_where(f, 0, is_whole) >= 1);
}

/* One that is small and a multiple of 4 in all variables: no divisor tells small sizes from large ones. */
static void one_is_small_and_even(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {1024, 4096, 2048, 1024};
	size_t count = 0;

	make(f, 2, 2, listed, "n*d", "1");
	for (size_t i = 0; i < f->derived.count; i++) {
		const int64_t *values = f->derived.values[i];

		count += values[0] <= 64 && values[1] <= 64 && values[0] % 4 == 0 && values[1] % 4 == 0;
	}
	assert_int_equal(count, 1);
}

/* Few shapes, and each variable has every kind in them; a variable of one value, as a width, is varied as well. */
static void variables_meet_in_different_pairs(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {16, 128, 256, 128, 4096, 128};
	bool (*const kinds[])(int64_t) = {is_one, is_odd, is_two, is_four};

	make(f, 2, 3, listed, "n * d", "1");
	assert_true(f->derived.count >= 10 && f->derived.count <= KT_DERIVED_MOST);
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		assert_true(count_where(f, 0, kinds[k]) >= 1 && count_where(f, 1, kinds[k]) >= 1);
	for (size_t i = 0; i < f->derived.count; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(memcmp(f->derived.values[i], f->derived.values[j], 2 * sizeof(int64_t)) != 0);
}

static void bytes_are_bounded(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {4096, 4096, 8192, 8192};
	int64_t most = 2 * (2 * 8192LL * 8192 * 4);

	make(f, 2, 2, listed, "n * d", "1");
	for (size_t i = 0; i < f->derived.count; i++)
		assert_true(f->derived.bytes[i] <= most);
	f->device.memory_bytes = 1 << 26;
	make(f, 2, 2, listed, "n * d", "1");
	assert_true(f->derived.count >= 4);
	for (size_t i = 0; i < f->derived.count; i++)
		assert_true(f->derived.bytes[i] <= 1 << 23);
}

static void it_is_the_same_every_time(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {16, 128, 256, 128, 4096, 11008};
	struct kt_derived first;

	make(f, 2, 3, listed, "n * d", "1");
	first = f->derived;
	make(f, 2, 3, listed, "n * d", "1");
	assert_int_equal(first.count, f->derived.count);
	for (size_t i = 0; i < first.count; i++)
		assert_memory_equal(first.values[i], f->derived.values[i], 2 * sizeof(int64_t));
}

/* A guard that the listed sizes share keeps EVEN out of most; without it everything is covered. */
static void guards_say_what_is_covered(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {1024, 65536, 1 << 20}, even[] = {1}, any[] = {0};
	uint32_t covers;

	make(f, 1, 3, listed, "n", "EVEN == 0 || n % 8 == 0");
	assert_int_equal(kt_derived_covers(&f->derived, any), (1u << f->derived.count) - 1);
	covers = kt_derived_covers(&f->derived, even);
	for (size_t i = 0; i < f->derived.count; i++)
		assert_int_equal((covers >> i) & 1, f->derived.values[i][0] % 8 == 0);
	assert_true(covers != 0 && covers != (1u << f->derived.count) - 1);
}

/* Groups of 32 channels, a pitch of at least the width: what takes a shape's place has both, and is another one. */
static void a_replacement_keeps_what_the_problems_share(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {320, 2048, 96, 100, 64, 64};
	size_t replaced = 0;

	make(f, 2, 3, listed, "n * d", "1");
	for (size_t i = 0; i < f->derived.count; i++) {
		const int64_t *values = f->derived.values[i], n = values[0], d = values[1], wild[] = {n, d};
		const int64_t bytes = f->derived.bytes[i];

		if (n % 32 == 0 && d % 4 == 0 && n <= d) {
			assert_false(kt_derived_replace(&f->derived, i, wild, 3));
			assert_true(values[0] == n && values[1] == d);
			continue;
		}
		if (!kt_derived_replace(&f->derived, i, wild, 3)) {
			assert_true(values[0] == n && values[1] == d && f->derived.bytes[i] == bytes);
			continue;
		}
		replaced++;
		assert_true(values[0] % 32 == 0 && values[1] % 4 == 0 && values[0] <= values[1]);
		assert_int_equal(f->derived.bytes[i], 2 * 4 * values[0] * values[1]);
		for (size_t j = 0; j < f->derived.count; j++)
			assert_true(i == j || memcmp(f->derived.values[j], values, 2 * sizeof *values) != 0);
	}
	assert_true(replaced >= 5);
	/* One variable alone keeps what it shares, the other is as it was. */
	make(f, 2, 3, listed, "n * d", "1");
	assert_true(kt_derived_replace(&f->derived, 0, (int64_t[]){333, 1001}, 1));
	assert_true(f->derived.values[0][0] == 320 && f->derived.values[0][1] == 1001);
	/* Two variables of one problem have an order that says nothing. */
	make(f, 2, 1, listed, "n * d", "1");
	for (size_t i = 0; i < f->derived.count; i++)
		assert_false(kt_derived_replace(&f->derived, i, (int64_t[]){333, 4099}, 3));
}

/* What the region's own clauses allow no launch of is no shape. */
static void only_launches_of_the_original_are_shapes(void **state)
{
	struct fixture *f = *state;
	static const int64_t listed[] = {1024, 65536, 1 << 20};
	struct kt_clause_expr own = clause(f, "n % 4 == 0");

	make(f, 1, 3, listed, "n", "1");
	f->region.guard_count = 1;
	f->region.guards = &own;
	assert_int_equal(
	    kt_derived_make(&f->derived, f->arena, &f->template_, &f->instance, &f->device, f->traced, &f->err), KT_OK);
	assert_true(f->derived.count >= 2);
	for (size_t i = 0; i < f->derived.count; i++)
		assert_int_equal(f->derived.values[i][0] % 4, 0);
}

static void the_nearest_is_so_in_ratio(void **state)
{
	static const int64_t listed[] = {16, 4096, 256, 4096, 4096, 4096};
	static const struct {
		int64_t values[2];
		size_t nearest;
	} cases[] = {{{1, 4096}, 0}, {{63, 4096}, 0}, {{65, 4096}, 1}, {{1000, 4096}, 1}, {{1100, 4096}, 2},
	             {{1, 1}, 0}, {{9999, 100}, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(kt_derived_nearest(cases[i].values, listed, 3, 2), cases[i].nearest);
}

/* A variable with bounds has no value beyond them, and still many. */
static void within_bounds(void **state)
{
	static struct kt_variable_bounds bounds[] = {{64, 1000000, 8}};
	struct fixture *f = *state;

	f->bounds = bounds;
	make(f, 1, 2, (int64_t[]){1024, 8192}, "n", "n >= 64 && n % 8 == 0");
	assert_true(f->derived.count >= 5);
	for (size_t i = 0; i < f->derived.count; i++)
		assert_true(f->derived.values[i][0] % 8 == 0 && f->derived.values[i][0] >= 64);
}

/* Those that a program launched come first, however large, where the original can be launched at all. */
static void sizes_of_a_program_come_first(void **state)
{
	static const int64_t listed[] = {1024, 65536, 1 << 20};
	struct fixture *f = *state;
	struct kt_traced traced = {.count = 12};

	for (size_t i = 0; i < traced.count; i++)
		traced.sizes[i] = (struct kt_traced_size){.values = {1001 + (int64_t)i}, .launches = 1};
	traced.sizes[1].values[0] = 1024;       /* listed */
	traced.sizes[2].values[0] = 1 << 23;    /* eight times the largest */
	traced.sizes[3].values[0] = INT64_MAX;  /* of no memory */
	f->traced = &traced;
	make(f, 1, 3, listed, "n", "1");
	assert_int_equal(f->derived.traced, KT_DERIVED_TRACED_MOST);
	assert_true(f->derived.count > f->derived.traced);
	assert_true(f->derived.values[0][0] == 1001 && f->derived.values[1][0] == 1 << 23 && f->derived.values[2][0] == 1005);
	assert_int_equal(f->derived.nearest[1], 2);
	f->traced = NULL;
	make(f, 1, 3, listed, "n", "1");
	assert_int_equal(f->derived.traced, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(one_variable_has_all_kinds, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(values_are_those_of_the_page, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(one_problem_is_enough, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(one_is_small_and_even, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(variables_meet_in_different_pairs, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(bytes_are_bounded, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(it_is_the_same_every_time, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(sizes_of_a_program_come_first, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(guards_say_what_is_covered, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(a_replacement_keeps_what_the_problems_share, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(only_launches_of_the_original_are_shapes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(within_bounds, set_up, tear_down),
	    cmocka_unit_test(the_nearest_is_so_in_ratio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
