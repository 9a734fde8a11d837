/* Warps with a row each: which kernels are seen so, what passes make of them, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/normal.h"
#include "generation/ir/warps.h"
#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define THREAD "  let %t = convert(thread.x):i32\n"
#define GLOBAL "convert(add(mul(block.x, blockdim.x), thread.x)):i32"
#define ADD(d)                                                                                                         \
	"    let %o" d " = collective.shuffle_xor(4294967295:u32, %s, " d ":i32, 32:i32)\n    set %s = add(%s, %o" d ")\n"
#define TOTAL ADD("16") ADD("8") ADD("4") ADD("2") ADD("1")
#define AT(j) "convert(add.nw(mul.nw(%row, 40:i32), " j ")):i64"
#define SUM                                                                                                            \
	"    local %s: f32\n    set %s = 0x0p+0:f32\n    for %j = %lane, 40:i32, 32:i32 {\n      let %v = load *%x[" AT("%j") "]\n"    \
	"      set %s = add(%s, %v)\n    }\n"
#define WRITE                                                                                                          \
	"    for %k = %lane, 40:i32, 32:i32 {\n      let %w = load *%x[" AT("%k") "]\n"                                            \
	"      store *%y[" AT("%k") "] = sub(%w, %s)\n    }\n"
#define NORM "  if lt(%row, %n) {\n" SUM TOTAL WRITE "  }\n"
#define LANE "  let %lane = convert(rem(thread.x, 32:u32)):i32\n"
#define ROW "  let %row = convert(add(mul(block.x, 2:u32), div(thread.x, 32:u32))):i32\n"
#define KERNEL HEAD LANE ROW NORM "}\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n * 40", false}, {"x", "n * 40", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {64, 1, 1}, .arguments = arguments, .grid = {"ceil_div(n, 2)"}, .blocks = {"64"}};
static const struct kt_ir_facts rows = {
    .block = {32, 2, 1}, .arguments = arguments, .grid = {"ceil_div(n, 2)"}, .blocks = {"32", "2"}};

/* Lane and row of a thread in each spelling that is known, and in others. */
static const struct {
	const char *text;
	bool is_seen;
} spellings[] = {
    {LANE ROW, true},
    {LANE "  let %row = convert(add(mul(block.x, div(blockdim.x, 32:u32)), div(thread.x, 32:u32))):i32\n", true},
    {LANE "  let %row = convert(add(mul(block.x, shr(blockdim.x, 5:u32)), shr(thread.x, 5:u32))):i32\n", true},
    {THREAD "  let %lane = and(%t, 31:i32)\n  let %row = add.nw(mul.nw(convert(block.x):i32, 2:i32), shr(%t, 5:i32))\n", true},
    {"  let %g = " GLOBAL "\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", true},
    {"  let %g = convert(" GLOBAL "):i64\n  let %lane = convert(and(%g, 31:i64)):i32\n  let %row = convert(shr(%g, 5:i64)):i32\n", true},
    {"  let %g = " GLOBAL "\n  let %lane = convert(lane):i32\n  let %row = shr(%g, 5:i32)\n", true},
    {THREAD "  let %lane = rem(%t, warpsize)\n  let %row = add.nw(mul.nw(convert(block.x):i32, div(convert(blockdim.x):i32, warpsize)), div(%t, warpsize))\n", true},
    {LANE "  let %row = convert(add(mul(block.x, div(add(blockdim.x, 31:u32), 32:u32)), div(thread.x, 32:u32))):i32\n", true},
    {"  let %g = " GLOBAL "\n  let %c = lt(%g, mul.nw(%n, 32:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", true},
    /* A thread's own number is no lane; other groups, other strides. */
    {"  let %lane = convert(thread.x):i32\n" ROW, false},
    {"  let %lane = rem(" GLOBAL ", 24:i32)\n" ROW, false},
    {LANE "  let %row = convert(div(thread.x, 64:u32)):i32\n", false},
    {LANE "  let %row = convert(div(mul(thread.x, 2:u32), 32:u32)):i32\n", false},
    {LANE "  let %row = convert(div(add(thread.x, 16:u32), 32:u32)):i32\n", false},
    {LANE "  let %row = convert(add(mul(block.x, div(add(blockdim.x, 32:u32), 32:u32)), thread.x)):i32\n", false},
    {"  let %lane = convert(and(thread.x, 30:u32)):i32\n" ROW, false},
    {"  let %g = convert(add(mul(block.y, 64:u32), thread.x)):i32\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {"  let %g = convert(add(mul(block.x, 32:u32), thread.x)):i32\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {"  let %g = " GLOBAL "\n  let %c = lt(%g, mul.nw(%n, 24:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", false},
    {"  let %g = " GLOBAL "\n  let %c = lt(%g, mul(%n, 32:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", false},
    {"  let %g = " GLOBAL "\n  let %c = lt(add.nw(%g, 5:i32), mul.nw(%n, 32:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", false},
    /* The grid's size, another warp's lane, groups of no threads. */
    {"  let %g = convert(add(mul(griddim.x, blockdim.x), thread.x)):i32\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {"  let %g = add.nw(convert(thread.x):i32, 32:i32)\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {LANE "  let %row = convert(shr(thread.x, 9:i32)):i32\n", false},
    {"  let %lane = rem(add.nw(convert(thread.x):i32, %n), 32:i32)\n  let %row = div(add.nw(convert(thread.x):i32, %n), 32:i32)\n", false},
    /* Sums with something else, products of something else, other comparisons. */
    {"  let %g = add.nw(convert(thread.x):i32, %n)\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {"  let %g = convert(add(mul(convert(%n):u32, blockdim.x), thread.x)):i32\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n", false},
    {"  let %g = " GLOBAL "\n  let %c = le(%g, mul.nw(%n, 32:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", false},
    {"  let %g = " GLOBAL "\n  let %c = lt(%g, add.nw(%n, 32:i32))\n"
     "  let %lane = rem(%g, 32:i32)\n  let %row = select(%c, div(%g, 32:i32), %n)\n", false},
};

static bool is_seen(const char *text, const int64_t block[3])
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, text);
	struct kt_error err = {0};
	bool seen;

	if (kt_ir_normalise(module, block, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	seen = kt_ir_is_of_warps(module, block);
	kt_arena_free(arena);
	return seen;
}

static void test_seen(void **state)
{
	static const int64_t two[3] = {64, 1, 1}, none[3] = {0, 1, 1}, part[3] = {48, 1, 1}, plane[3] = {64, 2, 1}, flat_rows[3] = {32, 2, 1};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
		snprintf(text, sizeof text, "%s%s%s", HEAD, spellings[i].text, NORM "}\n");
		if (is_seen(text, two) != spellings[i].is_seen)
			fail_msg("%s\n%s", spellings[i].is_seen ? "is not seen" : "is seen", text);
	}
	/* Blocks that are no whole warps, or have other rows; what belongs to a block. */
	assert_false(is_seen(KERNEL, part));
	assert_false(is_seen(HEAD "  let %g = " GLOBAL "\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n" NORM "}\n", none));
	assert_false(is_seen(KERNEL, plane));
	assert_false(is_seen(HEAD LANE ROW "  shared %p: [f32 x 2]\n" NORM "}\n", two));
	assert_false(is_seen(HEAD LANE ROW NORM "  barrier block\n}\n", two));
	assert_true(is_seen(HEAD LANE ROW NORM "  barrier warp(4294967295:u32)\n}\n", two));
	assert_true(is_seen(HEAD LANE "  let %row = convert(add(mul(block.y, 99:u32), add(mul(block.x, 2:u32), div(thread.x, 32:u32)))):i32\n" NORM "}\n", two));
	assert_false(is_seen(HEAD LANE "  let %row = convert(add(mul(block.z, 99:u32), add(mul(block.x, 2:u32), div(thread.x, 32:u32)))):i32\n" NORM "}\n", two));
	/* The number of a thread in rows that have their own dimension already is none of a flat block. */
	assert_false(is_seen(HEAD "  let %lane = convert(rem(add(mul(thread.y, 32:u32), thread.x), 32:u32)):i32\n"
			     "  let %row = convert(add(mul(block.x, blockdim.y), thread.y)):i32\n  if lt(block.z, 3:u32) {\n" NORM "  }\n}\n", flat_rows));
	/* Other blocks than of one dimension, and than rows of one warp. */
	for (size_t i = 0; i < 5; i++) {
		static const int64_t others[][3] = {{64, 1, 2}, {64, 2, 1}, {32, 0, 1}, {32, 2, 2}, {16, 4, 1}};

		assert_false(is_seen(KERNEL, others[i]));
		assert_false(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(add(mul(block.x, blockdim.y), thread.y)):i32\n" NORM "}\n", others[i]));
	}
	/* Rows along y, counted along the grid's x; columns along x are none. */
	assert_true(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(add(mul(block.x, blockdim.y), thread.y)):i32\n" NORM "}\n", flat_rows));
	assert_false(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(add(mul(block.y, blockdim.y), thread.y)):i32\n" NORM "}\n", flat_rows));
	assert_false(is_seen(HEAD "  let %lane = " GLOBAL "\n  let %row = convert(add(mul(block.y, blockdim.y), thread.y)):i32\n" NORM "}\n", flat_rows));
	assert_false(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(add(mul(block.x, 3:u32), thread.y)):i32\n" NORM "}\n", flat_rows));
	/* Of such a block a thread's number is another one than along x alone; without the grid's x there are no rows. */
	assert_false(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(div(add(add(mul(block.x, 32:u32), mul(thread.y, 32:u32)), thread.x), 32:u32)):i32\n"
			     NORM "}\n", flat_rows));
	assert_false(is_seen(HEAD "  let %lane = convert(thread.x):i32\n  let %row = sub.nw(%n, 1:i32)\n" NORM "}\n", flat_rows));
}

static void has(const struct kt_ir_offer *offer, const char *wanted)
{
	for (size_t i = 0; i < offer->guard_count; i++)
		if (strcmp(offer->guards[i].text, wanted) == 0)
			return;
	for (size_t i = 0; i < offer->restriction_count; i++)
		if (strcmp(offer->restrictions[i].text, wanted) == 0)
			return;
	fail_msg("neither a guard nor a restriction '%s'", wanted);
}

/* The launch of the template is that of one dimension again. */
static void test_launch(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, KERNEL, "block_size", &facts);

	(void)state;
	assert_string_equal(offer->tunables[0].name, "BLOCK");
	assert_int_equal(offer->tunables[0].original, 64);
	has(offer, "(ceil_div(n, 2)) * 64 % BLOCK == 0 || n <= (ceil_div(n, 2)) * 2");
	has(offer, "(ceil_div(n, 2)) * 64 <= 2130706432");
	has(offer, "BLOCK <= device.max_threads_per_block");
	assert_string_equal(offer->grid[0], "ceil_div((ceil_div(n, 2)) * 64, BLOCK)");
	assert_string_equal(offer->blocks[0], "(BLOCK / 32) * 32");
	assert_null(offer->grid[1]);
	assert_null(offer->blocks[1]);
	offer = pass_offer(arena, KERNEL, "items_y", &facts);
	has(offer, "(ceil_div(n, 2)) % ITEMS_Y == 0 || n <= (ceil_div(n, 2)) * (2)");
	assert_string_equal(offer->grid[0], "ceil_div(ceil_div(n, 2), ITEMS_Y)");
	assert_string_equal(offer->blocks[0], "64");
	/* The number of a thread in the grid must be one. */
	offer = pass_offer(arena, HEAD "  let %g = " GLOBAL "\n  let %lane = rem(%g, 32:i32)\n  let %row = div(%g, 32:i32)\n" NORM "}\n", "stride", &facts);
	has(offer, "((((ceil_div(n, 2)) * (2)) * 32) <= 2147483647)");
	offer = pass_offer(arena, HEAD "  let %lane = convert(thread.x):i32\n  let %row = convert(add(mul(block.x, blockdim.y), thread.y)):i32\n" NORM "}\n",
			   "block_size", &rows);
	assert_string_equal(offer->tunables[0].name, "BLOCK_Y");
	assert_string_equal(offer->blocks[0], "32");
	assert_string_equal(offer->blocks[1], "BLOCK_Y");
	assert_string_equal(offer->grid[0], "ceil_div((ceil_div(n, 2)) * 2, BLOCK_Y)");
	kt_arena_free(arena);
}

static void test_refused(void **state)
{
	(void)state;
	pass_refuses(KERNEL, "items", &facts, 0, "lanes of a warp exchange values");
	pass_refuses(KERNEL, "team", &facts, 0, "warps have a row each");
	/* Some lanes pass by; the number of blocks is used; a warp's number in its block. */
	pass_refuses(HEAD LANE ROW "  if lt(%row, %n) {\n" SUM "  if lt(%lane, 16:i32) {\n" TOTAL "  }\n" WRITE "  }\n}\n", "items_y", &facts, 0,
		     "lanes of a warp may pass an exchange by");
	pass_refuses(HEAD LANE ROW "  if lt(%row, convert(griddim.x):i32) {\n" SUM TOTAL WRITE "  }\n}\n", "items_y", &facts, 0,
		     "the kernel depends on the extent of its grid");
	pass_refuses(HEAD LANE ROW "  if lt(%row, convert(griddim.x):i32) {\n" SUM TOTAL WRITE "  }\n}\n", "block_size", &facts, 0,
		     "threads of a block differ by more than their global index");
	pass_refuses(HEAD LANE "  let %row = convert(add(mul(block.x, 3:u32), div(thread.x, 32:u32))):i32\n" NORM "}\n", "block_size", &facts, 0,
		     "threads of a block differ by more than their global index");
	pass_refuses(HEAD LANE ROW "  fence block\n" NORM "}\n", "block_size", &facts, 0, "threads synchronise");
	pass_refuses(HEAD LANE ROW "  if lt(%row, %n) {\n" SUM TOTAL "    store *%y[" AT("%lane") "] = %s volatile\n  }\n}\n", "items_y", &facts, 0,
		     "an access is volatile");
}

struct shape {
	uint32_t items, block;
};

static bool divide(struct ir_shape *shape, const void *context)
{
	const struct shape *s = context;
	const uint32_t threads = shape->grid[0] / s->items * shape->block[0];

	if (shape->block[0] != 64 || shape->block[1] * shape->block[2] * shape->grid[1] != 1 || shape->grid[0] % s->items != 0 ||
	    threads % s->block != 0)
		return false;
	shape->grid[0] = threads / s->block;
	shape->block[0] = s->block;
	return true;
}

static bool is_written(const struct kt_ir_module *module, const char *wanted)
{
	char *text = ir_text(module);
	const bool found = strstr(text, wanted) != NULL;

	free(text);
	return found;
}

/* All passes together, since one of them changes what the next one sees. */
static void test_variants(void **state)
{
	static const char *const passes[] = {"items_y", "block_size", "stride"};
	/* ITEMS_Y, BLOCK, STEPS, STEP_SPREAD, STEP_VECTOR */
	static const int64_t values[][5] = {{1, 128, 1, 0, 0}, {2, 64, 1, 0, 0}, {1, 64, 2, 0, 1}, {1, 128, 4, 1, 0},
					    {2, 128, 2, 0, 1}, {4, 128, 1, 0, 0}, {1, 64, 8, 0, 0}};
	struct kt_ir_facts all = facts;
	char text[4096];

	(void)state;
	all.allowed = passes;
	all.allowed_count = sizeof passes / sizeof *passes;
	for (size_t i = 0; i < sizeof spellings / sizeof *spellings && spellings[i].is_seen; i++) {
		struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;
		struct kt_ir_offer *offer;
		struct kt_error err = {0};

		snprintf(text, sizeof text, "%s%s%s", HEAD, spellings[i].text, NORM "}\n");
		module = ir_read(arena, text);
		if (kt_ir_offer_make(&offer, arena, module, &all, &err) != KT_OK || offer->tunable_count != 5)
			fail_msg("%s: %zu parameters\n%s", err.message, offer->tunable_count, text);
		/* Each spelling with some of the configurations. */
		for (size_t k = i % 3; k < sizeof values / sizeof *values; k += 3) {
			const struct shape shape = {(uint32_t)values[k][0], (uint32_t)values[k][1]};
			const struct kt_ir_module *made = pass_variant(arena, offer, values[k]);
			struct ir_comparison c;
			unsigned right = 0;

			/* Few launches have such blocks. */
			for (uint64_t seed = 1; right < 3 && seed < 2000; seed += 32, right += c.right)
				if (!ir_same_results(&c, module, made, divide, &shape, seed, 8))
					fail_msg("%s\n%s\n%s", c.message, text, ir_text(made));
			if (right == 0)
				fail_msg("no launch of %lld items, blocks of %lld: %s", (long long)values[k][0], (long long)values[k][1], kt_ir_fault_texts[c.fault]);
			assert_false(is_written(made, "thread.y"));
			assert_int_equal(is_written(made, "vec<f32"), values[k][4] != 0);
		}
		kt_arena_free(arena);
	}
}

static bool same_launch(struct ir_shape *shape, const void *context)
{
	(void)context;
	return shape->block[0] == 64 && shape->block[1] * shape->block[2] * shape->grid[1] == 1;
}

/* Numbers of warps, and what only looks like one: the variant counts the same. */
static void test_counts(void **state)
{
	static const char *const counts[] = {
	    "div(blockdim.x, 32:u32)", "div(mul(griddim.x, blockdim.x), 32:u32)", "shr(mul(griddim.x, 64:u32), 5:u32)", "div(add(blockdim.x, 31:u32), 32:u32)",
	    "div(mul(griddim.y, blockdim.x), 32:u32)", "div(blockdim.x, 8:u32)", "div(add(blockdim.x, 9:u32), 8:u32)",
	    "div(add(blockdim.x, convert(%n):u32), 32:u32)", "div(add.nw(convert(blockdim.x):i32, -8:i32), 32:i32)", "shr(blockdim.x, 9:i32)",
	    "div(mul(griddim.x, 40:u32), 32:u32)", "div(add(blockdim.x, mul(griddim.x, 32:u32)), 32:u32)",
	    /* A product that wraps. */
	    "div(mul(convert(or(%n, 67108864:i32)):u32, 64:u32), 32:u32)",
	};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct kt_arena *arena = kt_arena_new(2 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;
		struct kt_ir_module *made;
		struct ir_comparison c;
		unsigned right = 0;

		snprintf(text, sizeof text, "%s%s%s%s", HEAD LANE ROW "  let %e = convert(", counts[i],
			 "):f32\n  if lt(%row, %n) {\n" SUM TOTAL "    set %s = add(%s, %e)\n" WRITE "  }\n", "}\n");
		offer = pass_offer(arena, text, "stride", &facts);
		if (!offer->answers[0].applies || !offer->is_of_warps)
			fail_msg("%s\n%s", offer->answers[0].text, text);
		made = pass_variant(arena, offer, (const int64_t[]){2, 0, 0});
		for (uint64_t seed = 1; right < 2 && seed < 1000; seed += 32, right += c.right)
			if (!ir_same_results(&c, offer->module, made, same_launch, NULL, seed, 8))
				fail_msg("%s\n%s\n%s", c.message, text, ir_text(made));
		assert_true(right > 0);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_seen),
	    cmocka_unit_test(test_launch),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_variants),
	    cmocka_unit_test(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
