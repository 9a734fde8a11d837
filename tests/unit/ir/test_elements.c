/* Threads with one element each, and totals over the block: which kernels become distributed loops, and that variants compute the same. */
#include <stdio.h>

#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define OWN "convert(add(mul(block.x, blockdim.x), thread.x)):i64"
#define LOAD "  let %v = load *%x[" OWN "]\n"
#define SUM(name, value) "  let %" name " = collective.total_add(" value ")\n"
#define FIRST "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n"
#define STORE(value) "  store *%y[" OWN "] = " value "\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {32, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"32"}};

static const char no_loop[] = "no loop is distributed over threads";

static const struct {
	const char *body, *why;
} refused[] = {
    {LOAD STORE("%v"), no_loop},
    /* Memory changes, or a function has an effect, in front of the last total. */
    {LOAD STORE("%v") SUM("t", "%v") FIRST, no_loop},
    {LOAD SUM("t", "%v") FIRST SUM("u", "mul(%v, %t)") STORE("%u"), no_loop},
    {LOAD "  atomic.add *%y[0:i64] (%v) relaxed grid\n" SUM("t", "%v") FIRST, no_loop},
    {LOAD SUM("t", "%v") "  opaque \"printf();\"() effects(prints)\n" FIRST, no_loop},
    {"  let %v = load *%x[" OWN "] volatile\n" SUM("t", "%v") FIRST, "an access is volatile"},
    /* The first thread stores between stores of all. */
    {LOAD SUM("t", "%v") STORE("%t") FIRST STORE("%v"), no_loop},
    /* A total inside of a loop is none of the kernel's own. */
    {"  for %k = 0:i32, 2:i32, 1:i32 {\n  " LOAD "  " SUM("t", "%v") FIRST "  }\n",
     "threads exchange values where they also access other memory"},
    /* What the first thread has alone, and elements of others. */
    {LOAD SUM("t", "%v") "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = add(%t, %v)\n  }\n",
     "threads differ by more than the iterations that they have"},
    {"  let %v = load *%y[" OWN "]\n" SUM("t", "%v")
     "  store *%y[convert(add(mul(block.x, blockdim.x), sub(31:u32, thread.x))):i64] = mul(%v, %t)\n",
     "an iteration may access what another one writes"},
};

static void test_refused(void **state)
{
	char text[2048];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, refused[i].body);
		pass_refuses(text, "stride", &facts, 0, refused[i].why);
	}
	/* A variable of the device, which other blocks see. */
	pass_refuses("module\nglobal %g: [f32 x 256]\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n" LOAD
		     "  store %g[" OWN "] = %v\n" SUM("t", "%v") FIRST "}\n", "stride", &facts, 0, no_loop);
}

static const char *const bodies[] = {
    LOAD SUM("t", "%v") FIRST,
    /* Threads without an element have a zero; a local, and a loop of each thread. */
    "  local %s: f32\n  set %s = 0x0p+0:f32\n  if lt(convert(add(mul(block.x, blockdim.x), thread.x)):i32, %n) {\n  " LOAD
    "    set %s = mul(%v, %v)\n  }\n" SUM("t", "%s") FIRST,
    "  local %s: f32\n  set %s = 0x0p+0:f32\n  for %k = 0:i32, 3:i32, 1:i32 {\n"
    "    let %w = load *%x[convert(add(convert(thread.x):i32, %k)):i64]\n    set %s = add(%s, %w)\n  }\n" SUM("t", "%s") FIRST,
    /* A total that the next one is made of; stores of all threads; both. */
    LOAD SUM("t", "%v") SUM("u", "mul(%v, sub(%v, %t))") STORE("add(%u, %v)"),
    LOAD SUM("t", "%v") "  if eq(thread.x, 0:u32) {\n    store *%y[convert(mul(block.x, 32:u32)):i64] = %t\n  }\n",
    "  let %v = load *%y[" OWN "]\n" SUM("t", "%v") STORE("div(%v, %t)"),
    /* The same total twice, as two pieces of an exchange have it. */
    LOAD SUM("t", "%v") SUM("u", "%v") STORE("sub(%u, %t)"),
    LOAD "  let %t = collective.total_max(%v)\n" FIRST,
    LOAD "  let %t = collective.total_min(%v)\n" FIRST,
    LOAD "  let %q = collective.total_or(convert(gt(%v, 0x1p+0:f32)):i32)\n  let %t = convert(%q):f32\n" FIRST,
    LOAD "  let %q = collective.total_and(convert(%v):u32)\n  let %t = convert(%q):f32\n" FIRST,
    LOAD "  let %q = collective.total_max(convert(%v):i32)\n  let %p = collective.total_min(convert(%v):u32)\n"
    "  let %t = add(convert(%q):f32, convert(%p):f32)\n" FIRST,
};

static bool divide(struct ir_shape *shape, const void *context)
{
	const uint32_t *block = context;

	if (shape->block[0] != 32 || shape->grid[1] * shape->block[1] * shape->block[2] != 1)
		return false;
	shape->block[0] = *block;
	return true;
}

static void test_variants(void **state)
{
	/* STEPS, STEP_SPREAD, STEP_VECTOR, BLOCK */
	static const int64_t configurations[][4] = {{1, 0, 0, 64}, {2, 1, 0, 32}, {4, 0, 1, 128}, {8, 0, 0, 32}, {8, 1, 0, 64}};
	struct ir_comparison c;
	char text[2048];

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, bodies[i]);
		offer = pass_offer(arena, text, "stride", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s: %s", offer->answers[0].text, text);
		for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
			const uint32_t block = (uint32_t)configurations[k][3];
			const struct kt_ir_module *made = pass_variant(arena, offer, configurations[k]);

			if (!ir_same_results(&c, offer->module, made, divide, &block, 1, 40))
				fail_msg("%s\n%s%s", c.message, text, ir_text(made));
			assert_true(c.right > 1);
		}
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_variants)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
