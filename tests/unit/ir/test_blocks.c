/* One block for several: which kernels, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "base/expr.h"
#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define SHARED "  shared %s: [i32 x 1024]\n"
#define STAGE                                                                                                          \
	INDEX "  let %v = load *%x[convert(%i):i64]\n  store %s[convert(thread.x):i64] = %v\n  barrier block\n"
#define REVERSED                                                                                                       \
	"  let %w = load %s[convert(sub(sub(blockdim.x, 1:u32), thread.x)):i64]\n"                                     \
	"  store *%y[convert(%i):i64] = add(%w, convert(griddim.x):i32)\n"
#define KERNEL(body) HEAD SHARED STAGE body REVERSED "}\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static const char volatile_[] = "an access is volatile", changed[] = "an argument is changed", passed[] = "threads may pass a barrier by";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *text, *why;
} refused[] = {
    {HEAD INDEX "  store *%y[convert(%i):i64] = 1:i32\n}\n", "threads are independent: items are for them"},
    {KERNEL("  opaque \"f()\"() effects(all)\n"), "a statement is opaque"},
    {KERNEL("  fence grid\n"), "a fence orders accesses"},
    {KERNEL("  barrier grid\n"), "blocks synchronise"},
    {KERNEL("  barrier cluster\n"), "blocks synchronise"},
    {KERNEL("  for %k = 0:i32, 9:i32, 1:i32 {\n    if gt(%k, %n) {\n      return\n    }\n    store *%y[300:i64] = 1:i32\n  }\n"), "a return is inside of a loop"},
    {KERNEL("  let %o = load *%x[3:i64] volatile\n  store *%y[400:i64] = %o\n"), volatile_},
    {KERNEL("  store *%y[400:i64] = 1:i32 volatile\n"), volatile_},
    {KERNEL("  atomic.add *%y[300:i64] (1:i32) acquire grid\n"), "an atomic orders other accesses"},
    {KERNEL("  let %o = atomic.add *%y[300:i64] (1:i32) relaxed grid\n  store *%y[convert(%o):i64] = 1:i32\n"), "what an atomic returns is used"},
    {HEAD SHARED "  store %s[convert(thread.x):i64] = 1:i32\n  barrier block\n  let %w = load %s[0:i64]\n  store *%y[convert(thread.x):i64] = %w\n}\n",
     "blocks do not differ"},
    {"module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) cluster(2, 1, 1) {\n" SHARED STAGE REVERSED "}\n",
     "the kernel has clusters"},
    {"module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) assumes(lt(rem(%n, 3:i32), 7:i32)) {\n" SHARED STAGE REVERSED "}\n",
     "an assumption about the launch has no words"},
    /* Threads that end, or might, while others synchronise. */
    {KERNEL("  if lt(%i, %n) {\n  barrier block\n  }\n"), passed},
    {KERNEL("  for %k = 0:i32, %v, 1:i32 {\n  barrier block\n  }\n"), passed},
    {KERNEL("  loop {\n    if gt(%v, 5:i32) {\n      break\n    }\n  barrier block\n  }\n"), passed},
    {KERNEL("  if lt(%i, %n) {\n    let %t = collective.shuffle_xor(4294967295:u32, %v, 1:i32, 32:i32)\n    store *%y[convert(%i):i64] = %t\n  }\n"), passed},
    {KERNEL("  if lt(%i, %n) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if lt(thread.x, 33:u32) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if eq(div(thread.x, 16:u32), 0:u32) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if eq(shr(thread.x, 4:u32), 0:u32) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if eq(div(thread.x, 32:u32), thread.x) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if both(eq(div(thread.x, 32:u32), 0:u32), gt(%v, 3:i32)) {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
    {KERNEL("  if gt(%v, 3:i32) {\n    if eq(div(thread.x, 32:u32), 0:u32) {\n  barrier warp(4294967295:u32)\n    }\n  }\n"), passed},
    {KERNEL("  for %k = 0:i32, %v, 1:i32 {\n  barrier warp(4294967295:u32)\n  }\n"), passed},
};

static void test_refused(void **state)
{
	struct kt_ir_facts two = facts;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		pass_refuses(refused[i].text, "blocks", &facts, 0, refused[i].why);
	/* Warps are no divisions of thread.x where a block is a plane. */
	two.block[1] = 2;
	pass_refuses(KERNEL("  if eq(div(thread.x, 32:u32), 0:u32) {\n  barrier warp(4294967295:u32)\n  }\n"), "blocks", &two, 0, passed);
	two.block[1] = 64;
	pass_refuses(KERNEL("  if eq(div(thread.y, 32:u32), 0:u32) {\n  barrier warp(4294967295:u32)\n  }\n"), "blocks", &two, 0, passed);
	/* An argument by value that is memory. */
	pass_refuses("module\nstruct @P size 8 align 4 { a: i32 at 0, b: i32 at 4 }\nkernel @k(%y: ptr<global, i32>, %p: struct @P memory) {\n" SHARED
		     INDEX "  store %s[convert(thread.x):i64] = 1:i32\n  barrier block\n  store %p.a = 3:i32\n  let %w = load %p.a\n"
		     "  store *%y[convert(%i):i64] = %w\n}\n", "blocks", &facts, 0, changed);
	pass_refuses("module\nstruct @P size 8 align 4 { a: i32 at 0, b: i32 at 4 }\nkernel @k(%y: ptr<global, i32>, %p: struct @P memory) {\n" SHARED
		     INDEX "  store %s[convert(thread.x):i64] = 1:i32\n  barrier block\n  let %q = select(gt(%i, 9:i32), addr(%p.a), addr(%p.b))\n"
		     "  store *%q = 3:i32\n  let %w = load %p.a\n  store *%y[convert(%i):i64] = %w\n}\n", "blocks", &facts, 0,
		     "an argument has an address");
}

static void test_guards(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, KERNEL(""), "blocks", &facts);

	(void)state;
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "(8) % BLOCKS == 0");
	assert_string_equal(offer->grid[0], "ceil_div(8, BLOCKS)");
	assert_string_equal(offer->blocks[0], "64");
	kt_arena_free(arena);
}

static bool divide(struct ir_shape *shape, const void *context)
{
	const uint32_t *count = context;

	if (shape->grid[0] % *count != 0 || shape->block[0] != 64 || shape->block[1] * shape->block[2] != 1)
		return false;
	shape->grid[0] /= *count;
	return true;
}

static const char *const bodies[] = {
    KERNEL(""),
    /* An argument that is assigned to. */
    KERNEL("  for %k = 0:i32, 3:i32, 1:i32 {\n    set %n = invert(mul(%n, 3:i32))\n  }\n  if gt(%n, 5:i32) {\n    store %s[convert(thread.x):i64] = %n\n  }\n  barrier block\n"),
    /* Branches and loops that a block, or a warp, has alike; collectives; an atomic of the block with its result. */
    KERNEL("  if gt(%n, 5:i32) {\n  barrier block\n  }\n  for %k = 0:i32, 3:i32, 1:i32 {\n    if gt(%v, 3:i32) {\n      store %s[convert(thread.x):i64] = 2:i32\n    }\n"
	   "  barrier block\n  }\n"),
    KERNEL("  if eq(div(thread.x, 32:u32), 0:u32) {\n    let %t = collective.shuffle_xor(4294967295:u32, %v, 1:i32, 32:i32)\n    store %s[convert(thread.x):i64] = %t\n  }\n"
	   "  if lt(thread.x, 32:u32) {\n  barrier warp(4294967295:u32)\n  }\n  barrier block\n"),
    KERNEL("  if both(lt(shr(thread.x, 5:u32), 1:u32), gt(%n, 3:i32)) {\n  barrier warp(4294967295:u32)\n  }\n"),
    KERNEL("  shared %c: [i32 x 1]\n  if eq(thread.x, 0:u32) {\n    store %c[0:i64] = 0:i32\n  }\n  barrier block\n"
	   "  let %o = atomic.add %c[0:i64] (1:i32) relaxed block\n  if gt(%o, 70:i32) {\n    store *%y[400:i64] = 1:i32\n  }\n  atomic.add *%y[600:i64] (%v) relaxed grid\n"),
};

static void test_variants(void **state)
{
	struct ir_comparison c;

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer = pass_offer(arena, bodies[i], "blocks", &facts);

		if (!offer->answers[0].applies)
			fail_msg("%s\n%s", offer->answers[0].text, bodies[i]);
		for (int64_t count = 2; count <= 8; count *= 4) {
			const struct kt_ir_module *made = pass_variant(arena, offer, &count);
			const uint32_t by = (uint32_t)count;

			if (!ir_same_results(&c, offer->module, made, divide, &by, 1, 60))
				fail_msg("%s\n%s%s", c.message, bodies[i], ir_text(made));
			assert_true(c.right > 0);
		}
		kt_arena_free(arena);
	}
}

static struct kt_ir_offer *of_grid(struct kt_arena *arena, const char *text, const char *grid)
{
	struct kt_ir_facts own = facts;
	struct kt_expr *expr;
	struct kt_error err;

	assert_int_equal(kt_expr_parse(&expr, arena, grid, strlen(grid), &err), KT_OK);
	own.grid[0] = grid;
	own.grid_of_arguments = expr;
	return pass_offer(arena, text, "blocks", &own);
}

static bool is_three(struct ir_shape *shape, const void *context)
{
	(void)context;
	if (shape->grid[0] != 3 || shape->block[0] != 64 || shape->block[1] * shape->block[2] != 1)
		return false;
	shape->grid[0] = 2;
	return true;
}

/* Where the extent of the grid is known in the kernel, the last block does the work of fewer: no guard. */
static void test_extent(void **state)
{
	static const char *const three[] = {"3", "(n - n + 192) / 64", "ceil_div(n - n + 129, 64)", "min(3, max(n, 3))", "5 + ceil_div(n - n - 129, 64)", "1 + 2 * 1"};
	static const char *const others[] = {"n % 4", "6 / n", "6 / (0 - 2)", "6 / 0", "ceil_div(6, 0)", "(3 + n % 2) * 2", "ceil_div(n, n)", "min(n, 3, 4)", "x", "m", "3 + -n"};
	const int64_t two = 2;
	struct ir_comparison c;

	(void)state;
	for (size_t i = 0; i < sizeof three / sizeof *three; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer = of_grid(arena, bodies[i % 2], three[i]);
		const struct kt_ir_module *made = pass_variant(arena, offer, &two);

		assert_int_equal(offer->guard_count, 0);
		if (!ir_same_results(&c, offer->module, made, is_three, NULL, 1, 120))
			fail_msg("%s: %s\n%s", three[i], c.message, ir_text(made));
		assert_true(c.right > 0);
		kt_arena_free(arena);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer = of_grid(arena, KERNEL(""), others[i]);

		assert_int_equal(offer->guard_count, 1);
		assert_non_null(strstr(offer->guards[0].text, "% BLOCKS == 0"));
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_guards),
					   cmocka_unit_test(test_variants), cmocka_unit_test(test_extent)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
