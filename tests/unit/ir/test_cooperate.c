/* Exchanges that are totals over the block, exchanges that are not, and that both forms compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/cooperate.h"
#include "generation/ir/normal.h"
#include "ir_case.h"
#include "launches.h"

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define INDEX "convert(add(mul(block.x, blockdim.x), thread.x)):i64"
#define OWN "  let %v = load *%x[" INDEX "]\n"
#define PARTS "  shared %s: [f32 x 64]\n"
#define PUT(index, value) "    store %s[convert(" index "):i64] = " value "\n"
#define ALL(value) "  store *%y[" INDEX "] = " value "\n"
#define FIRST(value) "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = " value "\n  }\n"
#define BARRIER "  barrier block\n"
/* Half of the threads add the other half's, from `from` on. */
#define TREE(from)                                                                                                                 \
	"  local %h: u32\n  set %h = " from "\n  loop {\n    if eq(%h, 0:u32) {\n      break\n    }\n    if lt(thread.x, %h) {\n"            \
	"      let %a = load %s[convert(thread.x):i64]\n      let %b = load %s[convert(add(thread.x, %h)):i64]\n"                        \
	"      store %s[convert(thread.x):i64] = add(%a, %b)\n    }\n    barrier block\n  } next {\n    set %h = shr(%h, 1:i32)\n  }\n"
/* The warp's values combined in each lane, or (down) in lane 0. */
#define WARP(how, local, op) WARP_OF(how, local, op, "%o")
#define WARP_OF(how, local, op, by)                                                                                                \
	"  local " by ": u32\n  set " by " = 16:u32\n  loop {\n    if eq(" by ", 0:u32) {\n      break\n    }\n"                         \
	"    let " by "w = collective." how "(4294967295:u32, " local ", convert(" by "):i32, 32:i32)\n    set " local " = " op "\n"         \
	"  } next {\n    set " by " = shr(" by ", 1:i32)\n  }\n"
#define LOCAL(value) "  local %l: f32\n  set %l = " value "\n"
#define LANE0 "eq(and(thread.x, 31:u32), 0:u32)"

/* The warps' parts, which a branch of the first warp adds, and what follows there. */
#define STAGES(branch, after)                                                                                                      \
	PARTS OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") "  if " LANE0 " {\n" PUT("div(thread.x, 32:u32)", "%l")           \
	"  }\n" BARRIER "  if " branch " {\n    local %z: f32\n    set %z = 0x0p+0:f32\n    if lt(thread.x, 2:u32) {\n"                  \
	"      let %p = load %s[convert(thread.x):i64]\n      set %z = %p\n    }\n"                                                 \
	WARP_OF("shuffle_xor", "%z", "add(%z, %Ow)", "%O") after "  }\n"
#define WARP0 "eq(div(thread.x, 32:u32), 0:u32)"

/* The thread's own element of a shared array as a sum. */
#define SUMMED(index, between, more) \
	PUT(index, "0x0p+0:f32") between "  for %k = convert(thread.x):i32, 200:i32, 64:i32 {\n" OWN more \
	"    let %o = load %s[convert(" index "):i64]\n" PUT(index, "add(%o, %v)") "  }\n" BARRIER

/* Pairs of a key and an integer in two arrays, of which each thread keeps its own or that of another one. */
#define PAIRS(key, tree) PAIRS_OF(key, tree, ALL("add(%t, convert(%u):f32)"))
#define PAIRS_OF(key, tree, use)                                                                                       \
	"  shared %s: [f32 x 64]\n  shared %p: [i32 x 64]\n" OWN "  let %w = load *%x[convert(thread.x):i64]\n  let %l = " key "\n"  \
	PUT("thread.x", "%l") "  store %p[convert(thread.x):i64] = convert(%w):i32\n  barrier block\n  local %h: u32\n  set %h = 32:u32\n" \
	"  loop {\n    if eq(%h, 0:u32) {\n      break\n    }\n    if lt(thread.x, %h) {\n"                                \
	"      let %a = load %s[convert(thread.x):i64]\n      let %b = load %s[convert(add(thread.x, %h)):i64]\n" tree          \
	"    }\n    barrier block\n  } next {\n    set %h = shr(%h, 1:i32)\n  }\n  let %t = load %s[0:i64]\n  let %u = load %p[0:i64]\n" use
#define INTEGERS "      let %i = load %p[convert(thread.x):i64]\n      let %j = load %p[convert(add(thread.x, %h)):i64]\n"
#define IF(condition) INTEGERS "      if " condition " {\n" PUT("thread.x", "%b") "        store %p[convert(thread.x):i64] = %j\n      }\n"
#define GREATER "select(gt(%v, -0x1p+60:f32), %v, -0x1p+60:f32)"
/* `b > a || b == a && j < i` as it is lowered where each operand of an operator is loaded. */
#define IN_STEPS                                                                                                       \
	"      local %c: bool\n      if gt(%b, %a) {\n        set %c = true\n      } else {\n        local %e: bool\n        if eq(%b, %a) {\n" INTEGERS \
	"          set %e = lt(%j, %i)\n        } else {\n          set %e = false\n        }\n        set %c = %e\n      }\n      if %c {\n" \
	PUT("thread.x", "%b") "        let %k = load %p[convert(add(thread.x, %h)):i64]\n        store %p[convert(thread.x):i64] = %k\n      }\n"

/* Each accepted kernel, and how many totals it has then. */
static const struct {
	const char *body;
	unsigned totals;
} accepted[] = {
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), 1},
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("add(%v, %t)"), 1},
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  if eq(thread.x, 0:u32) {\n    let %t = load %s[0:i64]\n"
     "    store *%y[convert(block.x):i64] = %t\n  }\n", 1},
    /* Lanes, then warps; the total is in every thread, or in the first one alone. */
    {PARTS OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") "  if " LANE0 " {\n" PUT("div(thread.x, 32:u32)", "%l") "  }\n" BARRIER
     "  let %p = load %s[0:i64]\n  let %e = convert(thread.x):i64\n  let %q = load %s[1:i64]\n  let %r = add(%p, %q)\n"
     "  store *%y[add.nw(convert(mul(block.x, blockdim.x)):i64, %e)] = %r\n", 1},
    {PARTS OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") "  if " LANE0 " {\n" PUT("div(thread.x, 32:u32)", "%l") "  }\n" BARRIER
     "  if lt(thread.x, 32:u32) {\n    local %z: f32\n    set %z = 0x0p+0:f32\n    if lt(thread.x, 2:u32) {\n"
     "      let %p = load %s[convert(thread.x):i64]\n      set %z = %p\n    }\n" WARP_OF("shuffle_xor", "%z", "add(%z, %Ow)", "%O")
     "    set %l = %z\n  }\n" FIRST("%l"), 1},
    /* Greatest values, with a constant in the place of those that are not there. */
    {PARTS OWN LOCAL("%v") WARP("shuffle_xor", "%l", "@fmaxf(%l, %ow):f32") "  if " LANE0 " {\n" PUT("div(thread.x, 32:u32)", "%l")
     "  }\n" BARRIER "  let %p = load %s[0:i64]\n  let %q = load %s[1:i64]\n" "  let %r = @fmaxf(@fmaxf(-0x1p+60:f32, %p):f32, %q):f32\n" ALL("%r"), 1},
    /* One after the other, of which the second one uses the first one's. */
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" BARRIER PUT("thread.x", "mul(%v, %t)") BARRIER
     "  local %g: u32\n  set %g = 32:u32\n  loop {\n    if eq(%g, 0:u32) {\n      break\n    }\n    if lt(thread.x, %g) {\n"
     "      let %c = load %s[convert(thread.x):i64]\n      let %d = load %s[convert(add(thread.x, %g)):i64]\n"
     "      store %s[convert(thread.x):i64] = add(%c, %d)\n    }\n    barrier block\n  } next {\n    set %g = shr(%g, 1:i32)\n  }\n"
     "  let %u = load %s[0:i64]\n" ALL("%u"), 2},
    /* In a loop that all threads of the block run alike. */
    {PARTS "  for %r = convert(block.x):i32, 3:i32, convert(griddim.x):i32 {\n" OWN PUT("thread.x", "%v") BARRIER TREE("32:u32")
     "  let %t = load %s[0:i64]\n" BARRIER "  if eq(thread.x, 0:u32) {\n    store *%y[convert(%r):i64] = %t\n  }\n  }\n", 1},
    /* A zero that is added to a thread's own value may change its sign: it stays. */
    {PARTS OWN LOCAL("%v") "  barrier block\n  set %l = add(%l, 0x0p+0:f32)\n" PUT("thread.x", "%l") BARRIER
     "  let %t = load %s[convert(thread.x):i64]\n" ALL("mul(%t, 0x1p+1:f32)"), 0},
    /* Volatile accesses, memory that the launch gives, the thread's own element as a sum. */
    {"  shared %s: [f32 x 64] volatile\n" OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), 1},
    {"  shared %s: [f32 x ?] extern\n" OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), 1},
    {PARTS SUMMED("thread.x", "", "") TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), 1},
    /* Sums of a thread in two arrays, one of them under a condition. */
    {PARTS "  shared %p: [f32 x 64]\n" PUT("thread.x", "0x0p+0:f32") "  store %p[convert(thread.x):i64] = 0x0p+0:f32\n"
     "  for %k = convert(thread.x):i32, 200:i32, 64:i32 {\n" OWN "    let %o = load %s[convert(thread.x):i64]\n" PUT("thread.x", "add(%o, %v)")
     "    if lt(%k, %n) {\n      let %r = load %p[convert(thread.x):i64]\n      store %p[convert(thread.x):i64] = add(%r, mul(%v, %v))\n    }\n  }\n"
     BARRIER TREE("32:u32") "  local %g: u32\n  set %g = 32:u32\n  loop {\n    if eq(%g, 0:u32) {\n      break\n    }\n    if lt(thread.x, %g) {\n"
     "      let %c = load %p[convert(thread.x):i64]\n      let %d = load %p[convert(add(thread.x, %g)):i64]\n"
     "      store %p[convert(thread.x):i64] = add(%c, %d)\n    }\n    barrier block\n  } next {\n    set %g = shr(%g, 1:i32)\n  }\n"
     "  let %t = load %s[0:i64]\n  let %u = load %p[0:i64]\n" ALL("add(%t, mul(%u, 0x1p+2:f32))"), 2},
    /* Pairs: the key alone decides, or of equal ones the integer; in other spellings. */
    {PAIRS(GREATER, IF("either(gt(%b, %a), both(eq(%b, %a), lt(%j, %i)))")), 2},
    {PAIRS(GREATER, IF("either(gt(%b, %a), both(eq(%b, %a), gt(%j, %i)))")), 2},
    {PAIRS("neg(" GREATER ")", IF("either(both(eq(%a, %b), le(%j, %i)), lt(%b, %a))")), 2},
    {PAIRS(GREATER, IF("both(ge(%b, %a), not(both(eq(%a, %b), ge(%j, %i))))")), 2},
    {PAIRS(GREATER, IF("select(eq(%a, %b), lt(%j, %i), lt(%a, %b))")), 2},
    {PAIRS(GREATER, IN_STEPS), 2},
    /* The first warp's branch, whose first thread stores in it what the exchange, or a let of it, gives. */
    {STAGES("lt(thread.x, 32:u32)", FIRST("%z")), 1},
    {STAGES(WARP0, "    let %h = mul(%z, 0x1p+1:f32)\n    if " LANE0 " {\n      store *%y[convert(block.x):i64] = %h\n    }\n"), 1},
    {STAGES(WARP0, "    let %h = collective.shuffle_xor(4294967295:u32, %z, 0:i32, 32:i32)\n" FIRST("%h")), 1},
    {STAGES(WARP0, "    let %h = collective.shuffle_xor(4294967295:u32, %z, 0:i32, 32:i32)\n    set %z = add(%z, %h)\n" FIRST("%z") FIRST("%h")), 1},
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  if eq(thread.x, 0:u32) {\n    let %t = load %s[0:i64]\n    local %z: f32\n    set %z = %t\n"
     "    if lt(0:i32, %n) {\n      set %z = mul(%z, 0x1p+1:f32)\n    }\n    store *%y[convert(block.x):i64] = %z\n  }\n", 1},
    /* Nothing is exchanged, and a value of the piece is each thread's own. */
    {OWN LOCAL("%v") BARRIER "  set %l = mul(%l, 0x1p+1:f32)\n" BARRIER ALL("%l"), 0},
};

static const char apart[] = "threads exchange values where they also access other memory";
static const char unordered[] =
    "a comparison chooses between values of threads that may be no numbers (NaN), so that their order matters";
static const char more[] = "threads exchange more than totals over the block";

static const struct {
	const char *body, *why;
	int64_t block; /* 0: 64 */
} refused[] = {
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"),
     "threads exchange values, and the block is not known to be whole warps", 48},
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"),
     "threads exchange values, and the block is not known to be whole warps", 2048},
    /* Half of the block, one of the threads twice, its half of the block each warp. */
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("16:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), more, 0},
    {PARTS OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n  let %u = load %s[1:i64]\n" ALL("add(%t, %u)"), more, 0},
    {OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") ALL("%l"), more, 0},
    {OWN LOCAL("%v") WARP("shuffle_up", "%l", "add(%l, %ow)") ALL("%l"), more, 0},
    {OWN LOCAL("%v") WARP("shuffle_xor", "%l", "mul(%l, %ow)") ALL("%l"), more, 0},
    /* A total that only the first thread has, and that all use. */
    {PARTS OWN LOCAL("%v") WARP("shuffle_down", "%l", "add(%l, %ow)") "  if " LANE0 " {\n" PUT("div(thread.x, 32:u32)", "%l") "  }\n" BARRIER
     "  if eq(thread.x, 0:u32) {\n    let %p = load %s[0:i64]\n    let %q = load %s[1:i64]\n    set %l = add(%p, %q)\n  }\n" ALL("%l"), more, 0},
    {PARTS OWN PUT("thread.x", "%v") BARRIER "  let %t = load %s[convert(sub(63:u32, thread.x)):i64]\n" ALL("%t"), more, 0},
    /* What is loaded was never stored, or where it is loaded is not known. */
    {PARTS OWN PUT("thread.x", "%v") BARRIER "  for %i = 0:i32, %n, 1:i32 {\n    let %t = load %s[convert(%i):i64]\n" ALL("%t") "  }\n",
     "what is loaded from shared memory is not known", 0},
    {PARTS OWN "  if lt(thread.x, 32:u32) {\n" PUT("thread.x", "%v") "  }\n" BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n" ALL("%t"), more, 0},
    {PARTS OWN "  if gt(%v, 0x0p+0:f32) {\n" PUT("thread.x", "%v") "  }\n" BARRIER "  let %t = load %s[0:i64]\n" ALL("%t"), more, 0},
    {PARTS OWN "  if gt(%v, 0x0p+0:f32) {\n" PUT("thread.x", "%v") "    barrier warp\n  }\n" BARRIER "  let %t = load %s[0:i64]\n" ALL("%t"),
     "a branch of an exchange depends on data", 0},
    {PARTS OWN PUT("convert(%n):u32", "%v") BARRIER "  let %t = load %s[0:i64]\n" ALL("%t"), "an element of shared memory is not known", 0},
    {PARTS OWN PUT("thread.x", "%v") "  for %i = 0:i32, %n, 1:i32 {\n" BARRIER "  }\n  let %t = load %s[0:i64]\n" ALL("%t"),
     "how often a loop of an exchange runs depends on data", 0},
    {PARTS OWN "  if lt(thread.x, 32:u32) {\n" PUT("thread.x", "%v") BARRIER "  }\n  let %t = load %s[0:i64]\n" ALL("%t"),
     "a barrier that not all threads reach", 0},
    {PARTS "  for %i = 0:i32, convert(thread.x):i32, 1:i32 {\n" OWN PUT("0:u32", "%v") "  }\n",
     "threads exchange values where they also access other memory", 0},
    {"  shared %s: [f32 x ?] extern\n  shared %e: [i32 x ?] extern\n" OWN PUT("thread.x", "%v") BARRIER TREE("32:u32") "  let %t = load %s[0:i64]\n"
     "  store %e[convert(thread.x):i64] = 7:i32\n" ALL("%t"),
     "shared arrays whose size the launch gives are at one place", 0},
    /* An element that is not the thread's, that it did not have before the loop, or that others may have since. */
    {"  shared %s: [f32 x 256]\n" SUMMED("add(thread.x, 1:u32)", "", ""), apart, 0},
    {"  shared %s: [f32 x 256]\n" SUMMED("mul(thread.x, 2:u32)", "", ""), apart, 0},
    {"  shared %s: [f32 x 256]\n" SUMMED("add(thread.x, convert(%n):u32)", "", ""), "an element of shared memory is not known", 0},
    {PARTS SUMMED("sub(63:u32, thread.x)", "", ""), apart, 0},
    {PARTS SUMMED("rem(thread.x, 2:u32)", "", ""), apart, 0},
    {PARTS SUMMED("thread.x", BARRIER, ""), apart, 0},
    {PARTS SUMMED("thread.x", "", "      let %q = load %s[0:i64]\n      store *%y[0:i64] = %q\n"), apart, 0},
    {PARTS SUMMED("thread.x", "", "      barrier warp\n"), apart, 0},
    {PARTS "  for %k = convert(thread.x):i32, 200:i32, 64:i32 {\n" OWN "    let %o = load %s[convert(thread.x):i64]\n" PUT("thread.x", "add(%o, %v)") "  }\n", apart, 0},
    /* Pairs of which equal ones are kept by the order of threads, with keys that may be no numbers, or by another order for each part. */
    {PAIRS(GREATER, IF("gt(%b, %a)")), "of equal values the exchange keeps one by the order of threads; compare what goes with them, too", 0},
    {PAIRS(GREATER, IF("either(gt(%b, %a), eq(%b, %a))")), "of equal values the exchange keeps one by the order of threads; compare what goes with them, too", 0},
    {PAIRS("%v", IF("either(gt(%b, %a), both(eq(%b, %a), lt(%j, %i)))")), unordered, 0},
    {PAIRS(GREATER, IF("either(gt(%b, %a), lt(%j, %i))")), "a branch of an exchange depends on data", 0},
    {PAIRS(GREATER, IF("both(gt(%b, %a), lt(%j, %i))")), "a branch of an exchange depends on data", 0},
    {PAIRS(GREATER, IF("ne(%b, %a)")), "a branch of an exchange depends on data", 0},
    {PAIRS(GREATER, IF("either(gt(%b, %a), both(eq(%b, %a), lt(%j, convert(%n):i32)))")), "of equal values the exchange keeps one by the order of threads; compare what goes with them, too", 0},
    /* In the first warp's branch, effects of other threads, and a local that is used after it; a branch for the other warps. */
    {STAGES(WARP0, "    if lt(thread.x, 2:u32) {\n  " ALL("%z") "    }\n"), apart, 0},
    {STAGES(WARP0, ALL("%z")), apart, 0},
    {STAGES(WARP0, "    if lt(convert(thread.x):i32, %n) {\n  " ALL("%z") "    }\n"), apart, 0},
    {"  local %g: f32\n  set %g = 0x0p+0:f32\n" STAGES(WARP0, "    set %g = mul(%z, 0x1p+1:f32)\n" FIRST("%z")) ALL("%g"), apart, 0},
    {STAGES(WARP0, FIRST("%z") "  } else {\n  " ALL("%v")), apart, 0},
    {STAGES(WARP0, FIRST("%z") "    barrier warp\n" FIRST("%v")), apart, 0},
    {STAGES(WARP0, "    if eq(thread.x, 0:u32) {\n" ALL("%z") "    } else {\n" ALL("%v") "    }\n"), apart, 0},
    /* Several threads store different values. */
    {PARTS OWN PUT("0:u32", "%v") BARRIER "  let %t = load %s[0:i64]\n" ALL("%t"), more, 0},
};

static const char *cooperated(struct kt_ir_module **module, struct kt_arena *arena, const char *body, int64_t block)
{
	const int64_t blocks[] = {block, 1, 1};
	struct kt_error err = {0};
	char text[8192];
	const char *why;
	uint32_t line;

	snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
	*module = ir_read(arena, text);
	if (kt_ir_normalise(*module, blocks, &err) != KT_OK)
		fail_msg("%s", err.message);
	why = kt_ir_cooperate(&line, *module, (*module)->last_function, blocks);
	if (why == NULL && kt_ir_verify(*module, true, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, ir_text(*module));
	return why;
}

static bool is_block(struct ir_shape *shape, const void *context)
{
	const uint32_t *wanted = context;

	return shape->block[0] == *wanted && shape->block[1] * shape->block[2] * shape->grid[1] == 1;
}

static unsigned occurrences(const char *text, const char *word)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		count++;
	return count;
}

static void test_accepted(void **state)
{
	const uint32_t block = 64;
	char text[8192];

	(void)state;
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		struct ir_comparison c;
		struct kt_ir_module *module, *original;
		const char *why = cooperated(&module, arena, accepted[i].body, block);
		struct kt_error err = {0};
		char *made;

		if (why != NULL)
			fail_msg("%s: %s", why, accepted[i].body);
		snprintf(text, sizeof text, "%s%s}\n", HEAD, accepted[i].body);
		original = ir_read(arena, text);
		made = ir_text(module);
		if (occurrences(made, "total_") != accepted[i].totals || strstr(made, "shared") != NULL || strstr(made, "barrier") != NULL)
			fail_msg("%s", made);
		if (!ir_same_results(&c, original, module, is_block, &block, 3, 40))
			fail_msg("%s\n%s%s", c.message, text, made);
		assert_true(c.right > 2);
		if (strstr(accepted[i].body, "add(%l, 0x0p+0:f32)") != NULL)
			assert_non_null(strstr(made, ", 0x0p+0:f32)"));
		kt_ir_expand_totals(module, module->last_function, block);
		if (kt_ir_verify(module, true, &err) != KT_OK || kt_ir_has_totals(&module->last_function->body))
			fail_msg("%s\n%s", err.message, ir_text(module));
		if (!ir_same_results(&c, original, module, is_block, &block, 3, 40))
			fail_msg("%s\n%s%s", c.message, text, ir_text(module));
		free(made);
		kt_arena_free(arena);
	}
}

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;
		const char *why = cooperated(&module, arena, refused[i].body, refused[i].block == 0 ? 64 : refused[i].block);

		if (why == NULL || (*refused[i].why != '\0' && strcmp(why, refused[i].why) != 0))
			fail_msg("%zu: '%s' instead of '%s': %s", i, why == NULL ? "" : why, refused[i].why, refused[i].body);
		kt_arena_free(arena);
	}
}

/* Totals of every operation and type, for blocks of several sizes, alone and after each other. */
static void test_expansion(void **state)
{
	static const char *const kinds[][3] = {{"add", "f32", "%v"}, {"max", "f32", "%v"}, {"min", "f32", "%v"},
					       {"add", "i32", "convert(%v):i32"}, {"max", "i32", "convert(%v):i32"},
					       {"min", "u32", "convert(convert(%v):i32):u32"}, {"xor", "u32", "convert(convert(%v):i32):u32"},
					       {"and", "i64", "convert(%v):i64"}, {"or", "i32", "convert(%v):i32"}, {"add", "f64", "convert(%v):f64"}};
	static const uint32_t blocks[] = {32, 64};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
			const uint32_t block = blocks[b];
			struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
			struct kt_ir_module *original, *module;
			struct kt_error err = {0};
			struct ir_comparison c;

			snprintf(text, sizeof text,
				 "%s%s  let %%t = collective.total_%s(%s)\n  let %%u = collective.total_%s(%s)\n"
				 "  let %%w = collective.total_add(%%v)\n  for %%r = 0:i64, 3:i64, 1:i64 {\n"
				 "    let %%q = collective.total_%s(%s)\n    store *%%y[add.nw(mul.nw(%%r, 512:i64), %s)] = convert(%%q):f32\n  }\n"
				 "  store *%%y[%s] = add(add(convert(%%t):f32, convert(%%u):f32), %%w)\n}\n",
				 HEAD, OWN, kinds[i][0], kinds[i][2], kinds[i][0], kinds[i][2], kinds[i][0], kinds[i][2], INDEX, INDEX);
			original = ir_read(arena, text);
			module = ir_read(arena, text);
			kt_ir_expand_totals(module, module->last_function, block);
			if (kt_ir_verify(module, true, &err) != KT_OK)
				fail_msg("%s\n%s", err.message, ir_text(module));
			if (!ir_same_results(&c, original, module, is_block, &block, 5, 40))
				fail_msg("%s\n%s%s", c.message, text, ir_text(module));
			assert_true(c.right > 2);
			kt_arena_free(arena);
		}
}

/* A warp for each row of a block: what one row exchanges, the others do not see. */
#define ROW "  let %r = add(mul(block.x, blockdim.y), thread.y)\n  if lt(%r, convert(%n):u32) {\n"
#define AT "convert(add(mul(%r, 32:u32), thread.x)):i64"
#define ROW_OWN "  let %v = load *%x[" AT "]\n"

static bool is_rows(struct ir_shape *shape, const void *context)
{
	(void)context;
	return shape->block[0] == 32 && shape->block[1] > 1 && shape->block[2] * shape->grid[1] == 1;
}

static void test_rows(void **state)
{
	static const char body[] = ROW ROW_OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") "  store *%y[" AT "] = sub(%v, %l)\n  }\n";
	static const struct {
		const char *body, *why;
		int64_t block[3];
	} rows[] = {
	    {ROW ROW_OWN LOCAL("%v") "  }\n" BARRIER ALL("convert(%r):f32"), "rows of a block wait for each other", {32, 2, 1}},
	    {PARTS ROW ROW_OWN PUT("thread.x", "%v") "    let %t = load %s[0:i64]\n  store *%y[" AT "] = %t\n  }\n",
	     "shared memory is too large, or holds what is no number", {32, 2, 1}},
	    {ROW ROW_OWN LOCAL("%v") WARP("shuffle_xor", "%l", "add(%l, %ow)") "  store *%y[" AT "] = %l\n  }\n",
	     "threads exchange values, and the block is not known to be whole warps", {64, 2, 1}},
	};
	struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
	struct kt_ir_module *original, *module;
	struct kt_error err = {0};
	struct ir_comparison c;
	char text[4096];
	uint32_t line;

	(void)state;
	snprintf(text, sizeof text, "%s%s}\n", HEAD, body);
	original = ir_read(arena, text);
	module = ir_read(arena, text);
	assert_int_equal(kt_ir_normalise(module, (const int64_t[]){32, 4, 1}, &err), KT_OK);
	assert_null(kt_ir_cooperate(&line, module, module->last_function, (const int64_t[]){32, 4, 1}));
	assert_int_equal(occurrences(ir_text(module), "total_add"), 1);
	kt_ir_expand_totals(module, module->last_function, kt_ir_cooperating((const int64_t[]){32, 4, 1}));
	if (!ir_same_results(&c, original, module, is_rows, NULL, 9, 400))
		fail_msg("%s\n%s", c.message, ir_text(module));
	assert_true(c.right > 2);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *why;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, rows[i].body);
		module = ir_read(arena, text);
		assert_int_equal(kt_ir_normalise(module, rows[i].block, &err), KT_OK);
		why = kt_ir_cooperate(&line, module, module->last_function, rows[i].block);
		if (why == NULL || strcmp(why, rows[i].why) != 0)
			fail_msg("%zu: '%s' instead of '%s': %s", i, why == NULL ? "" : why, rows[i].why, text);
	}
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accepted),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_expansion),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
