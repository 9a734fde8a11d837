/* What is tried first, by estimate alone. */
#include "../tuning/fixture.h"

#include <math.h>

#include "planning/start.h"

static const struct kt_device h200 = {
    .vendor = "NVIDIA", .name = "NVIDIA H200", .cc = 90, .multiprocessors = 132, .warp_size = 32,
    .max_threads_per_block = 1024, .max_threads_per_multiprocessor = 2048, .max_blocks_per_multiprocessor = 32,
    .max_block = {1024, 1024, 64}, .max_grid = {2147483647, 65535, 65535},
    .shared_bytes_per_block = 49152, .shared_bytes_per_block_optin = 232448, .shared_bytes_per_multiprocessor = 233472,
    .registers_per_block = 65536, .registers_per_multiprocessor = 65536};

static struct kt_launch_estimate launch(int64_t blocks, int64_t threads, double access_bytes)
{
	return (struct kt_launch_estimate){.bytes = 1e9, .blocks = blocks, .threads = threads, .access_bytes = access_bytes,
	                                   .accesses = 1, .work = 1};
}

static void estimates(void **state)
{
	const struct kt_launch_estimate full = launch(132 * 8, 256, 16), narrow = launch(132 * 8, 256, 2),
	                                few = launch(16, 256, 16), tail = launch(132 * 8 + 1, 256, 16),
	                                unknown = launch(0, 256, 16);
	struct kt_launch_estimate ahead = few, small = few, idle = full;

	(void)state;
	assert_true(fabs(kt_start_estimate(&full, &h200) - 1) < 1e-9);
	/* Threads for twice the row. */
	idle.reach = 0.5;
	assert_true(kt_start_estimate(&idle, &h200) == 1);
	idle.reach = 2;
	assert_true(kt_start_estimate(&idle, &h200) > 1.1);
	assert_string_equal(kt_start_bound(&full, &h200), "memory");
	assert_true(kt_start_estimate(&narrow, &h200) > 1.1);
	assert_string_equal(kt_start_bound(&narrow, &h200), "latency");
	/* Eight times fewer multiprocessors at work, and nothing else: that much slower. */
	assert_true(kt_start_estimate(&few, &h200) > 8);
	ahead.accesses = 4;
	/* Nearly four times as fast: registers are not free. */
	assert_true(kt_start_estimate(&few, &h200) / kt_start_estimate(&ahead, &h200) > 3.7);
	assert_true(kt_start_estimate(&few, &h200) / kt_start_estimate(&ahead, &h200) < 4);
	/* What is moved at once needs no more, if by few multiprocessors. */
	small.bytes = 16 * 256 * 16;
	assert_true(kt_start_estimate(&small, &h200) > 1 && kt_start_estimate(&small, &h200) < 1.2);
	assert_true(kt_start_estimate(&tail, &h200) > 1.2);
	assert_true(isinf(kt_start_estimate(&unknown, &h200)));
	assert_true(isinf(kt_start_estimate(&full, &(struct kt_device){.multiprocessors = 132})));
	assert_string_equal(kt_start_bound(&unknown, &h200), "unknown");
}

static struct kt_buffer buffers[2];
static int64_t problems[] = {1 << 14, 1 << 26};

static void make(struct fixture *f, struct kt_space **space)
{
	static enum kt_scalar elements[] = {KT_F16, KT_F16};

	fixture_open(f);
	f->template_.generator = "rules";
	f->variables[0] = "n";
	f->region.variable_count = 1;
	f->region.problems = problems;
	f->region.problem_count = 2;
	f->instance.elements = elements;
	for (int i = 0; i < 2; i++) {
		buffers[i] = (struct kt_buffer){.argument = i, .direction = i == 0 ? KT_IN : KT_OUT};
		buffers[i].count = fixture_expr(f, "n");
	}
	f->region.buffers = buffers;
	f->region.buffer_count = 2;
	FIXTURE_TUNE(f, "BLOCK", 64, 128, 256, 512, 1024);
	FIXTURE_TUNE(f, "VEC", 1, 2, 4, 8);
	FIXTURE_TUNE(f, "UNROLL", 1, 2, 4);
	FIXTURE_TUNE(f, "TILE", 0, 32);
	FIXTURE_TUNE(f, "EVEN", 0, 1);
	FIXTURE_TUNE(f, "PRIVATE", 0, 1, 4);
	f->grid[0] = fixture_expr(f, "ceil_div(n, BLOCK * VEC * UNROLL)");
	f->block[0] = fixture_expr(f, "BLOCK");
	f->template_.grid_count = f->template_.block_count = 1;
	assert_int_equal(kt_space_build(space, &f->template_, &f->instance, &h200, &f->err), KT_OK);
}

static void chooses(void **state)
{
	struct fixture f;
	struct kt_space *space;
	struct kt_start starts[KT_STARTS];
	const int64_t *configuration;
	size_t count;

	(void)state;
	make(&f, &space);
	count = kt_start_choose(starts, f.arena, space, &f.template_, &f.instance, &h200);
	assert_in_range(count, 2, KT_STARTS);
	/*
	 * The large problem: 16 bytes an access, the tile, no test in front of the loop, and what blocks add up for
	 * themselves.
	 */
	configuration = kt_space_get(space, starts[0].index);
	assert_int_equal(configuration[1], 8);
	assert_int_equal(configuration[3], 32);
	assert_int_equal(configuration[4], 1);
	assert_int_not_equal(configuration[5], 0);
	assert_non_null(strstr(starts[0].why, "16 bytes an access; bound by memory"));
	assert_non_null(strstr(starts[0].why, "for all problems: "));
	assert_non_null(strstr(starts[1].why, " for n="));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(starts[i].index, starts[k].index);
	/* The estimate is a rule's: a user's own parameters may mean anything. */
	f.template_.generator = "explicit";
	assert_int_equal(kt_start_choose(starts, f.arena, space, &f.template_, &f.instance, &h200), 0);
	/* A device of which nothing is known. */
	f.template_.generator = "rules";
	assert_int_equal(
	    kt_start_choose(starts, f.arena, space, &f.template_, &f.instance, &(struct kt_device){.multiprocessors = 4}),
	    0);
	kt_space_free(space);
	fixture_close(&f);
}

/* What another instance chose, as near as this space has it; parameters it does not name are as estimated. */
static void starts_where_others_ended(void **state)
{
	static const char *names[] = {"VEC", "BLOCK", "TILE", "OLDER"};
	/* No such block, width or tile here: 512, 8 by their ratio, and the tile that the estimate says. */
	static int64_t general[] = {16, 700, 16, 3}, same[] = {8, 512, 32, 5}, special[] = {2, 64, 0, 1};
	struct kt_special specials[] = {{.when = "n < 3", .configuration = same},
	                                {.when = "n < 9", .configuration = special}};
	struct kt_entry entry = {.generator = "rules", .instance = "copy<float>", .parameter_count = 4,
	                         .parameters = names, .configuration = general, .special_count = 2,
	                         .specials = specials};
	const struct kt_entry *entries[] = {&entry, &entry};
	struct kt_start starts[1 + KT_STARTS_KNOWN];
	const int64_t *estimated, *configuration;
	struct fixture f;
	struct kt_space *space;
	const uint16_t row[] = {2, 3, 1, 1, 1, 1};

	(void)state;
	entry.device.name = "NVIDIA H200";
	make(&f, &space);
	starts[0] = (struct kt_start){kt_space_nearest(space, row), "by estimate"};
	estimated = kt_space_get(space, starts[0].index);
	assert_int_equal(estimated[2], 2);
	/* The second special is other than both, the first one is the general one again, as is the second entry. */
	assert_int_equal(kt_start_known(starts, 1, f.arena, space, &f.template_, entries, 2), 3);
	configuration = kt_space_get(space, starts[1].index);
	assert_int_equal(configuration[0], 512);
	assert_int_equal(configuration[1], 8);
	assert_int_equal(configuration[2], 2);
	assert_int_equal(configuration[3], 32);
	assert_int_equal(configuration[4], 1);
	assert_non_null(strstr(starts[1].why, "near to what was chosen for copy<float> on NVIDIA H200"));
	configuration = kt_space_get(space, starts[2].index);
	assert_int_equal(configuration[0], 64);
	assert_int_equal(configuration[1], 2);
	assert_int_equal(configuration[3], 0);
	/* Where the original stayed, its configuration is nobody's choice. */
	entry.baseline_best = true;
	entry.special_count = 0;
	assert_int_equal(kt_start_known(starts, 1, f.arena, space, &f.template_, entries, 2), 1);
	/* Another generator's parameters mean something else. */
	entry.baseline_best = false;
	entry.generator = "llm";
	assert_int_equal(kt_start_known(starts, 1, f.arena, space, &f.template_, entries, 2), 1);
	kt_space_free(space);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(estimates), cmocka_unit_test(chooses),
	                                   cmocka_unit_test(starts_where_others_ended)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
