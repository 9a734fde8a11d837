/* Loops along a row in vectors: which loads may be, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launches.h"
#include "pass_case.h"

#define OF(type, count) "module\nkernel @k(%y: ptr<global, " type ">, %x: ptr<global, const " type ">, %n: " count ") {\n"
#define HEAD OF("f32", "i32")
#define ROW "  let %r = mul.nw(add.nw(mul.nw(convert(block.x):i32, 8:i32), convert(rem(thread.x, 8:u32)):i32), 37:i32)\n"
#define FOR(low, body) "  for %i = " low ", %n, 1:i32 {\n" body "  }\n"
#define LOAD(name, index) "    let " name " = load *%x[convert(" index "):i64]\n"
#define AT "add.nw(%r, %i)"
#define STORE(index, value) "    store *%y[convert(" index "):i64] = " value "\n"
#define SUM(update) "  local %s: f32\n  set %s = 0x0p+0:f32\n" FOR("0:i32", LOAD("%v", AT) update) "  store *%y[convert(%r):i64] = %s\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {32, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"32"}};

static const struct {
	const char *text;
	bool is_narrow; /* indices that might wrap */
} accepted[] = {
    {HEAD ROW SUM("    set %s = add(mul(%s, 0x1p-1:f32), %v)\n"), false},
    {HEAD ROW "  local %s: f32\n  set %s = 0x0p+0:f32\n" FOR("3:i32", LOAD("%v", AT) "    if gt(%v, %s) {\n      set %s = sub(%v, 0x1p+0:f32)\n    }\n")
     "  store *%y[convert(%r):i64] = %s\n", false},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) LOAD("%w", "add.nw(" AT ", 4:i32)") LOAD("%u", "add.nw(" AT ", 1:i32)") STORE(AT, "sub(sub(%v, %w), %u)")), false},
    /* In place, in an order that keeps what is loaded. */
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(" AT "):i64]\n" STORE(AT, "mul(%v, 0x1p+1:f32)")), false},
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(add.nw(" AT ", 2:i32)):i64]\n" STORE(AT, "mul(%v, 0x1p+1:f32)")), false},
    {OF("f64", "i64") "  let %r = mul.nw(convert(thread.x):i64, 37:i64)\n  for %i = 0:i64, %n, 1:i64 {\n    let %v = load *%x[" AT "]\n"
     "    store *%y[" AT "] = neg(%v)\n  }\n", false},
    /* Bounds of which one or both are known, and the loop is no short one. */
    {HEAD ROW "  for %i = 0:i32, 9:i32, 1:i32 {\n" LOAD("%v", AT) STORE(AT, "neg(%v)") "  }\n", false},
    {HEAD ROW "  for %i = sub.nw(2:i32, %n), 5:i32, 1:i32 {\n" LOAD("%v", "add.nw(" AT ", %n)") STORE("add.nw(" AT ", %n)", "neg(%v)") "  }\n", false},
    {OF("i32", "u32") "  let %r = mul(thread.x, 37:u32)\n  for %i = thread.x, %n, 1:u32 {\n    let %v = load *%x[convert(add(%r, %i)):i64]\n"
     "    store *%y[convert(add(%r, %i)):i64] = mul(%v, 3:i32)\n  }\n", true},
    {OF("i64", "i32") ROW FOR("-2:i32", "    if ge(%i, 0:i32) {\n      store *%y[convert(%r):i64] = convert(%i):i64\n    }\n" LOAD("%v", "add.nw(" AT ", 2:i32)")
     STORE("add.nw(" AT ", 2:i32)", "%v")), false},
    {OF("f32", "i32") "  let %r = mul(thread.x, 37:u32)\n" FOR("0:i32", "    let %v = load *%y[convert(add(%r, convert(%i):u32)):i64]\n"
     "    store *%y[convert(add(%r, convert(%i):u32)):i64] = neg(%v)\n"), true},
    /* What the iteration wrote before, it loads one by one. */
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) STORE(AT, "mul(%v, 0x1p+1:f32)") "    let %w = load *%y[convert(" AT "):i64]\n" STORE(AT, "add(%w, %v)")), false},
    /* A loop within a loop, with a part of the row that the outer one sets. */
    {HEAD ROW "  for %o = 0:i32, 3:i32, 1:i32 {\n" FOR("%o", LOAD("%v", "add.nw(" AT ", %o)") "    if gt(%v, 0x0p+0:f32) {\n" STORE(AT, "%v") "    }\n") "  }\n", false},
};

static const char other[] = "no load of every iteration goes along a row, apart from what the loop writes",
		  more[] = "the loop does more than compute, load and store";

static const struct {
	const char *text, *why;
} refused[] = {
    {HEAD ROW STORE("%r", "0x0p+0:f32"), "the kernel has no loop that counts"},
    {HEAD ROW "  for %i = 0:i32, %n, 2:i32 {\n" LOAD("%v", AT) STORE(AT, "%v") "  }\n", "the loop does not go from one element to the next one"},
    {HEAD ROW "  for %i = 0:i32, 7:i32, 1:i32 {\n" LOAD("%v", AT) STORE(AT, "%v") "  }\n", "the loop has few iterations"},
    {HEAD ROW "  for %i = %n, 40:i32, 1:i32 once {\n" LOAD("%v", AT) STORE(AT, "%v") "  }\n", "the loop has few iterations"},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) "    if gt(%v, 0x1p+2:f32) {\n      switch %n {\n        case 1 {\n          continue\n        }\n        default {\n"
     STORE(AT, "neg(%v)") "        }\n      }\n    }\n" STORE(AT, "%v")), "the loop does more than compute, load and store"},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) "    if gt(%v, 0x1p+2:f32) {\n      return\n    }\n" STORE(AT, "%v")), "a jump leaves the loop or an iteration"},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) "    for %k = 0:i32, %n, %n {\n" STORE(AT, "%v") "    }\n"), "there is a loop in the loop"},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) "    atomic.add *%y[0:i64] (%v) relaxed grid\n"), more},
    {HEAD ROW FOR("0:i32", LOAD("%v", AT) "    barrier block\n" STORE(AT, "%v")), more},
    {HEAD ROW FOR("0:i32", "    let %v = load *%x[convert(" AT "):i64] volatile\n" STORE(AT, "%v")), "an access of the loop is volatile"},
    {HEAD ROW FOR("0:i32", LOAD("%v", "mul.nw(%i, 2:i32)") STORE(AT, "%v")), other},
    {HEAD ROW FOR("0:i32", LOAD("%v", "mul.nw(%i, %n)") STORE(AT, "%v")), other},
    {HEAD ROW FOR("0:i32", LOAD("%v", "%r") STORE(AT, "%v")), other},
    {HEAD ROW FOR("0:i32", "    if gt(%i, 2:i32) {\n" LOAD("%v", AT) STORE(AT, "%v") "    }\n"), other},
    {HEAD ROW "  local %o: i32\n  set %o = %r\n" FOR("0:i32", LOAD("%v", "add.nw(%o, %i)") STORE(AT, "%v") "    set %o = div(%o, 2:i32)\n"), other},
    /* What one iteration writes a later one of its group loads. */
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(" AT "):i64]\n" STORE("add.nw(" AT ", 1:i32)", "%v")), other},
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(" AT "):i64]\n" STORE("add.nw(" AT ", 3:i32)", "%v")), other},
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(" AT "):i64]\n" STORE("%n", "%v")), other},
    {HEAD ROW FOR("0:i32", "    let %v = load *%y[convert(" AT "):i64]\n    store *%y[convert(" AT "):i64].as(vec<f32, 2, 8>, align 8) = construct(%v, %v):vec<f32, 2, 8>\n"),
     other},
    /* What an iteration writes, also in a branch, before it loads it. */
    {HEAD ROW FOR("0:i32", STORE(AT, "convert(%i):f32") "    let %v = load *%y[convert(" AT "):i64]\n" STORE("add.nw(" AT ", 8:i32)", "%v")), other},
    {HEAD ROW FOR("0:i32", "    if gt(%i, 2:i32) {\n" STORE(AT, "convert(%i):f32") "    }\n    let %v = load *%y[convert(" AT "):i64]\n"
     STORE("add.nw(" AT ", 8:i32)", "%v")), other},
    {OF("f32", "i32") "  let %r = mul(thread.x, 37:u32)\n" FOR("0:i32", "    let %v = load *%y[convert(add(%r, convert(%i):u32)):i64]\n"
     "    store *%y[convert(add(add(%r, convert(%i):u32), 1:u32)):i64] = %v\n"), other},
};

static void test_refused(void **state)
{
	static const struct kt_ir_argument_facts uncounted[] = {{"y", "n", false}, {"x", NULL, true}, {"n", NULL, false}};
	struct kt_ir_facts unknown = facts;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s}\n", refused[i].text);
		pass_refuses(text, "loop_vector", &facts, 0, refused[i].why);
	}
	/* Buffers that might overlap. */
	unknown.arguments = uncounted;
	pass_refuses(HEAD ROW FOR("0:i32", LOAD("%v", AT) STORE(AT, "%v")) "}\n", "loop_vector", &unknown, 0, other);
}

static void test_variants(void **state)
{
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s}\n", accepted[i].text);
		offer = pass_offer(arena, text, "loop_vector", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s: %s", offer->answers[0].text, text);
		for (int64_t width = 2; width <= 4; width *= 2) {
			const struct kt_ir_module *made = pass_variant(arena, offer, &width);
			char *shown = ir_text(made);

			if (strstr(shown, ".as(vec<") == NULL || (strstr(shown, "eq(add(convert(") != NULL) != accepted[i].is_narrow)
				fail_msg("%s", shown);
			if (!ir_same_results(&c, offer->module, made, NULL, NULL, 1, 40))
				fail_msg("%s\n%s%s", c.message, text, shown);
			assert_true(c.right > 5);
			free(shown);
		}
		kt_arena_free(arena);
	}
}

/* Buffers of which one is written are kept apart, where the loop is changed at all; restrict says it without a guard. */
static void test_guards(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer =
	    pass_offer(arena, HEAD ROW FOR("0:i32", LOAD("%v", AT) STORE(AT, "%v")) "}\n", "loop_vector", &facts);

	(void)state;
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "LOOP_VECTOR == 1 || disjoint(x, n, y, n)");
	offer = pass_offer(arena, HEAD ROW SUM("    set %s = add(%s, %v)\n") "}\n", "loop_vector", &facts);
	assert_int_equal(offer->guard_count, 0);
	offer = pass_offer(arena,
			   "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32> restrict, %n: i32) {\n" ROW
			   FOR("0:i32", LOAD("%v", AT) STORE(AT, "%v")) "}\n", "loop_vector", &facts);
	assert_int_equal(offer->guard_count, 0);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_variants),
	    cmocka_unit_test(test_guards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
