/* Conditions of unstage that kernels of test_unstage.c do not miss one by one: each has a kernel that lacks it and nothing else. */
#include <stdlib.h>

#include "generation/ir/pass_join.h"
#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32> restrict, %x: ptr<global, const i32> restrict, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define SHARED "  shared %s: [i32 x 256]\n"
#define LOADED INDEX "  let %v = load *%x[convert(%i):i64]\n"
#define STAGE LOADED "  store %s[convert(thread.x):i64] = %v\n"
#define BARRIER "  barrier block\n"
#define REVERSED "  let %w = load %s[convert(sub(63:u32, thread.x)):i64]\n"
#define RESULT "  store *%y[convert(%i):i64] = %w\n}\n"
#define PLAIN(stage, load) HEAD SHARED stage BARRIER load RESULT
/* Pieces of x in a loop, over what is stored before them: outside of the loop, and in it. */
#define OVER(before, within) \
	HEAD SHARED INDEX "  local %t: i32\n  set %t = 0:i32\n" before "  for %p = 0:i32, %n, 64:i32 {\n" within BARRIER "  if lt(add(convert(%p):u32, thread.x), convert(%n):u32) {\n" \
	"  let %v = load *%x[convert(add(convert(%p):u32, thread.x)):i64]\n  store %s[convert(thread.x):i64] = %v\n  }\n" BARRIER REVERSED BARRIER \
	"  set %t = add(mul(%t, 3:i32), %w)\n  }\n  store *%y[convert(%i):i64] = %t\n}\n"
#define ZERO "  store %s[convert(thread.x):i64] = 0:i32\n"
#define PAIRS "module\nstruct @P size 8 align 4 { a: i32 at 0, b: i32 at 4 }\n"
#define OF_PAIRS PAIRS "kernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n  shared %s: [struct @P x 64]\n" LOADED

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static const char unsolved[] = "it is not known which thread stores what another one loads",
		  iteration[] = "what is loaded from shared memory may be left from another iteration",
		  types[] = "shared memory is stored to and loaded as different types";

static const struct {
	const char *text, *why;
} refused[] = {
    /* A value that the load does not know: of a branch, and of a local that changes after the store. */
    {PLAIN(LOADED "  if gt(%n, 9:i32) {\n  let %k = load *%x[3:i64]\n  store %s[convert(add(thread.x, convert(%k):u32)):i64] = %v\n  }\n", REVERSED), unsolved},
    {PLAIN(LOADED "  local %q: i32\n  set %q = 1:i32\n  if gt(%n, 9:i32) {\n  set %q = %n\n  }\n  store %s[convert(add(thread.x, convert(%q):u32)):i64] = %v\n"
	   "  if gt(%n, 20:i32) {\n  set %q = add(%q, 5:i32)\n  }\n  store *%y[convert(add(%q, 600:i32)):i64] = %q\n", REVERSED), unsolved},
    /* Factors that are no digits: one below zero, one that the parts before it reach. */
    {PLAIN(LOADED "  store %s[convert(add(sub(7:u32, thread.x), mul(thread.y, 8:u32))):i64] = %v\n", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(mul(thread.x, 2:u32), mul(thread.y, 13:u32))):i64] = %v\n", "  let %w = load %s[convert(sub(31:u32, thread.x)):i64]\n"), unsolved},
    /* Digits of two divisors, of one that the block is no multiple of, of a number that is no thread's, and of a part of one. */
    {PLAIN(LOADED "  store %s[convert(add(mul(div(thread.x, 8:u32), 8:u32), rem(thread.x, 4:u32))):i64] = %v\n", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(mul(div(thread.x, 12:u32), 12:u32), rem(thread.x, 12:u32))):i64] = %v\n", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(mul(div(add(thread.x, convert(%n):u32), 8:u32), 8:u32), rem(thread.x, 8:u32))):i64] = %v\n", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(rem(thread.x, 8:u32)):i64] = %v\n", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(mul(div(thread.x, 8:u32), 8:u32), and(thread.x, 5:u32))):i64] = %v\n", REVERSED), unsolved},
    /* Loops that begin at the counter of another one, and at sums that wrap for the last threads. */
    {PLAIN(LOADED "  if eq(thread.x, 5:u32) {\n  for %a = 0:i32, 64:i32, 1:i32 {\n  for %j = %a, 128:i32, 64:i32 {\n  store %s[convert(%j):i64] = %v\n  }\n  }\n  }\n", REVERSED), unsolved},
    {PLAIN(LOADED "  for %j = add(add(mul(and(convert(%n):u32, 1:u32), 2147483632:u32), mul(and(convert(%n):u32, 1:u32), 2147483632:u32)), thread.x), 100:u32, 64:u32 {\n"
	   "  store %s[convert(%j):i64] = %v\n  }\n", REVERSED), unsolved},
    /* Fields, rows and elements as others. */
    {OF_PAIRS "  store %s[convert(thread.x):i64].as(i32, align 4) = %v\n" BARRIER "  let %w = load %s[convert(sub(63:u32, thread.x)):i64].b\n" RESULT, types},
    {OF_PAIRS "  store %s[convert(thread.x):i64].b = %v\n" BARRIER "  let %w = load %s[convert(sub(63:u32, thread.x)):i64].as(i32, align 4)\n" RESULT, types},
    {HEAD "  shared %s: [[i32 x 9] x 64]\n" LOADED "  store %s[convert(thread.x):i64][0:i64] = %v\n" BARRIER "  let %f = load %s[convert(sub(63:u32, thread.x)):i64].as(f32, align 4)\n"
     "  let %w = convert.bits(%f):i32\n" RESULT, types},
    /* What an iteration stored is not overwritten by the next one: for any thread, for some, in an outer loop alone. */
    {OVER(ZERO, ""), iteration},
    {OVER(ZERO, "  if lt(thread.x, 32:u32) {\n" ZERO "  }\n"), iteration},
    {HEAD SHARED INDEX "  local %t: i32\n  set %t = 0:i32\n  for %q = 0:i32, 2:i32, 1:i32 {\n" ZERO "  for %p = 0:i32, %n, 64:i32 {\n" BARRIER
     "  if lt(add(convert(%p):u32, thread.x), convert(%n):u32) {\n  store %s[convert(thread.x):i64] = %p\n  }\n" BARRIER REVERSED BARRIER
     "  set %t = add(mul(%t, 3:i32), %w)\n  }\n  }\n  store *%y[convert(%i):i64] = %t\n}\n", iteration},
    /* The greater one of two numbers is no bound that both have. */
    {HEAD SHARED INDEX "  local %t: i32\n  set %t = 0:i32\n  for %p = 0:i32, %n, 64:i32 {\n  if lt(add(convert(%p):u32, thread.x), convert(%n):u32) {\n"
     "  let %v = load *%x[convert(add(convert(%p):u32, thread.x)):i64]\n  store %s[convert(thread.x):i64] = %v\n  }\n" BARRIER
     "  for %j = 0:i32, @max(5:i32, sub.nw(%n, %p)):i32, 1:i32 {\n  let %w = load %s[convert(%j):i64]\n  set %t = add(%t, mul(%w, %j))\n  }\n" BARRIER
     "  }\n  store *%y[convert(%i):i64] = %t\n}\n", iteration},
    /* What the kernel assumes has to be a guard. */
    {"module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) assumes(gt(rem(%n, 3:i32), 1:i32)) {\n" SHARED STAGE BARRIER REVERSED RESULT,
     "the kernel without shared memory has no offer"},
    /* A structure that is stored for some threads alone has no zero. */
    {PAIRS "kernel @k(%y: ptr<global, struct @P>, %x: ptr<global, const struct @P>, %n: i32) {\n  shared %s: [struct @P x 64]\n" INDEX
     "  let %v = load *%x[convert(%i):i64]\n  if lt(thread.x, 60:u32) {\n  store %s[convert(thread.x):i64] = %v\n  }\n" BARRIER
     "  let %w = load %s[convert(thread.x):i64]\n" RESULT, "what is loaded from shared memory may not have been stored"},
};

static void test_refused(void **state)
{
	struct kt_ir_facts plane = facts;

	(void)state;
	plane.block[0] = 8;
	plane.block[1] = 4;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		pass_refuses(refused[i].text, "unstage", strstr(refused[i].text, "thread.y") != NULL ? &plane : &facts, 0, refused[i].why);
}

static bool is_line(struct ir_shape *shape, const void *context)
{
	(void)context;
	return shape->block[0] == 64 && shape->block[1] * shape->block[2] == 1;
}

static bool is_plane(struct ir_shape *shape, const void *context)
{
	(void)context;
	return shape->block[0] == 8 && shape->block[1] == 4 && shape->block[2] == 1;
}

static const struct kt_ir_offer *same(struct kt_arena *arena, const char *text, bool has_plane)
{
	static const int64_t values[] = {1};
	const struct kt_ir_offer *offer;
	struct kt_ir_facts known = facts;
	struct ir_comparison c;

	if (has_plane) {
		known.block[0] = 8;
		known.block[1] = 4;
	}
	offer = pass_offer(arena, text, "unstage", &known);
	if (!offer->answers[0].applies)
		fail_msg("%s\n%s", offer->answers[0].text, text);
	if (!ir_same_results(&c, offer->module, pass_variant(arena, offer, values), has_plane ? is_plane : is_line, NULL, 1, has_plane ? 400 : 60) || c.right < 3)
		fail_msg("%u right, %s\n%s", c.right, c.message, text);
	return offer;
}

/* Memory of a thread, in a loop with barriers; an index whose sum is past 2^32. */
static void test_variants(void **state)
{
	/* Threads in rows of 8: in rows that are longer, as columns, some of them, in a loop over rows, for one of them, beside their own number. */
	static const char *const digits[] = {
	    PLAIN(LOADED "  store %s[convert(add(mul(div(thread.x, 8:u32), 9:u32), rem(thread.x, 8:u32))):i64] = %v\n",
		  "  let %w = load %s[convert(add(mul(rem(thread.x, 8:u32), 9:u32), div(thread.x, 8:u32))):i64]\n"),
	    PLAIN(LOADED "  let %t = convert(thread.x):i32\n  store %s[convert(add(shr(%t, 3:i32), mul(and(%t, 7:i32), 8:i32))):i64] = add(%v, shr(%t, 3:i32))\n", REVERSED),
	    PLAIN(LOADED "  store %s[convert(thread.x):i64] = 3:i32\n" BARRIER "  if lt(rem(thread.x, 8:u32), 5:u32) {\n  store %s[convert(add(mul(div(thread.x, 8:u32), 8:u32), rem(thread.x, 8:u32))):i64] = %v\n  }\n", REVERSED),
	    PLAIN(LOADED "  for %j = div(thread.x, 8:u32), 20:u32, 8:u32 {\n  let %u = load *%x[convert(add(mul(%j, 10:u32), rem(thread.x, 8:u32))):i64]\n"
			 "  store %s[convert(add(mul(%j, 8:u32), rem(thread.x, 8:u32))):i64] = %u\n  }\n", "  let %w = load %s[convert(add(thread.x, 96:u32)):i64]\n"),
	    PLAIN(LOADED "  if eq(rem(thread.x, 8:u32), 3:u32) {\n  store %s[convert(div(thread.x, 8:u32)):i64] = %v\n  }\n", "  let %w = load %s[convert(rem(thread.x, 8:u32)):i64]\n"),
	    PLAIN(LOADED "  store %s[convert(add(thread.x, div(thread.x, 8:u32))):i64] = %v\n", "  let %w = load %s[convert(add(thread.x, div(thread.x, 8:u32))):i64]\n"),
	};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof digits / sizeof *digits; i++)
		(void)same(arena, digits[i], false);
	(void)same(arena, OVER("", ZERO), false);
	(void)same(arena, HEAD SHARED INDEX "  local %m: [i32 x 2] memory\n  store %m[0:i64] = 0:i32\n  store %m[1:i64] = 1:i32\n  for %p = 0:i32, 3:i32, 1:i32 {\n"
		   "  let %v = load *%x[convert(add(%i, %p)):i64]\n  store %s[convert(thread.x):i64] = %v\n" BARRIER REVERSED BARRIER
		   "  let %a = load %m[convert(and(%p, 1:i32)):i64]\n  store %m[convert(and(%p, 1:i32)):i64] = add(%a, %w)\n  }\n"
		   "  let %b = load %m[0:i64]\n  let %c = load %m[1:i64]\n  store *%y[convert(%i):i64] = add(mul(%b, 3:i32), %c)\n}\n", false);
	(void)same(arena, HEAD SHARED INDEX "  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n"
		   "  store %s[convert(add(thread.x, mul(thread.y, 8:u32))):i64] = %v\n" BARRIER
		   "  let %w = load %s[convert(add(thread.x, mul(add(thread.y, mul(convert(%n):u32, 536870912:u32)), 8:u32))):i64]\n"
		   "  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n}\n", true);
	kt_arena_free(arena);
}

#define LATE(number) "  let %o" #number " = load *%z[" #number ":i64]\n  set %t = add(%t, %o" #number ")\n"

/* Guards: none where `restrict` keeps buffers disjoint, one for each pair however often it is accessed. */
static void test_guards(void **state)
{
	static const struct kt_ir_argument_facts four[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}, {"z", "9", false}};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	struct kt_ir_facts known = facts;
	const struct kt_ir_offer *offer;

	(void)state;
	assert_int_equal(same(arena, PLAIN(STAGE "  let %o = load *%x[3:i64]\n", REVERSED "  store *%y[convert(add(%i, 1024:i32)):i64] = %o\n"), false)->guard_count, 0);
	known.arguments = four;
	offer = pass_offer(arena, "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32> restrict, %n: i32, %z: ptr<global, const i32>) {\n" SHARED STAGE
			   "  local %t: i32\n  set %t = 0:i32\n" LATE(1) LATE(2) LATE(3) LATE(4) LATE(5) LATE(6) LATE(7) LATE(8) LATE(9) LATE(10) LATE(11) LATE(12) LATE(13)
			   LATE(14) LATE(15) LATE(16) LATE(17) LATE(18) LATE(19) LATE(20) LATE(21) LATE(22) LATE(23) LATE(24) LATE(25) LATE(26) BARRIER REVERSED
			   "  store *%y[convert(%i):i64] = add(%w, %t)\n}\n", "unstage", &known);
	assert_true(offer->answers[0].applies);
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "UNSTAGE == 0 || (disjoint(y, n, z, 9))");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused), cmocka_unit_test(test_variants), cmocka_unit_test(test_guards)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
