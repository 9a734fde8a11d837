/* Distributed loops: which kernels may have any number of threads, under which guards, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define GLOBAL "convert(add(mul(block.x, blockdim.x), thread.x)):i32"
#define THREADS "convert(mul(griddim.x, blockdim.x)):i32"
#define FOR(low, high, step, body) "  for %i = " low ", " high ", " step " {\n" body "  }\n"
#define GRID(body) FOR(GLOBAL, "%n", THREADS, body)
/* A loop whose bound has no words. */
#define HIDDEN(body) "  let %h = load *%x[0:i64]\n" FOR(GLOBAL, "convert(%h):i32", THREADS, body)
#define BLOCK(body) FOR("convert(thread.x):i32", "%n", "convert(blockdim.x):i32", body)
#define LOAD(index) "    let %v = load *%x[convert(" index "):i64]\n"
#define STORE(index, value) "    store *%y[convert(" index "):i64] = " value "\n"
#define HEAD64 "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i64) {\n"
#define WIDE(high, body) FOR("convert(add(mul(block.x, blockdim.x), thread.x)):i64", high, "convert(mul(griddim.x, blockdim.x)):i64", body)
#define COPY LOAD("%i") STORE("%i", "add(%v, 0x1p+0:f32)")
#define ROW(index) "add.nw(mul.nw(convert(block.x):i32, 3:i32), " index ")"
#define LINE(index) "add.nw(mul.nw(convert(block.x):i32, 129:i32), " index ")"
#define SUM(start, atomic)                                                                                             \
	"  local %s: f32\n  set %s = " start "\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") "  atomic." atomic     \
	" *%y[0:i64] (%s) relaxed grid\n"
#define SUMMED(update, more)                                                                                           \
	"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = " update "\n")                       \
	more "  atomic.add *%y[0:i64] (%s) relaxed grid\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {32, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"32"}};

static const char other_iteration[] = "an iteration may access what another one writes",
		  other_use[] = "threads differ by more than the iterations that they have",
		  no_loop[] = "no loop is distributed over threads", outside[] = "memory changes outside of the distributed loops",
		  carried[] = "a value goes from one iteration to the next one",
		  blocks_differ[] = "what the first thread of a block does depends on how many blocks there are",
		  no_total[] = "what threads exchange is no reduction of a distributed loop",
		  counts[] = "an atomic outside of the distributed loops counts threads";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *body, *why;
} refused[] = {
    {GRID(COPY) "  opaque \"printf();\"() effects(prints)\n", "each thread prints, whatever it has of the loops"},
    {GRID(COPY) "  barrier grid\n", "threads exchange values where they also access other memory"},
    /* Columns of rows of n: sums that may wrap, other rows, other factors, a bound that is no argument, two multiples that vary. */
    {BLOCK(LOAD("%i") STORE("%i", "%v") STORE("add(%i, %n)", "%v")), other_iteration},
    {BLOCK(LOAD("%i") STORE("%i", "%v") STORE("add.nw(%i, add.nw(%n, 1:i32))", "%v")), other_iteration},
    {BLOCK(LOAD("%i") STORE("mul.nw(%i, 2:i32)", "%v") STORE("add.nw(mul.nw(%i, 2:i32), %n)", "%v")), other_iteration},
    {HIDDEN("    let %v = load *%x[convert(%i):i64]\n" STORE("%i", "%v") STORE("add.nw(%i, convert(%h):i32)", "%v")), other_iteration},
    {BLOCK("    for %j = 0:i32, 3:i32, 1:i32 {\n" LOAD("%i") STORE("add.nw(add.nw(mul.nw(%j, %n), mul.nw(mul.nw(%j, %j), %n)), %i)", "%v") "    }\n"), other_iteration},
    {BLOCK("    for %j = 0:i32, 3:i32, 1:i32 {\n" LOAD("%i") STORE("add.nw(add.nw(mul.nw(%j, %n), %j), %i)", "%v") "    }\n"), other_iteration},
    /* The loop. */
    {FOR("0:i32", "%n", "1:i32", COPY), no_loop},
    {FOR("mul.nw(" GLOBAL ", 2:i32)", "%n", THREADS, COPY), no_loop},
    {FOR("add.nw(" GLOBAL ", -1:i32)", "%n", THREADS, COPY), no_loop},
    {FOR("add.nw(" GLOBAL ", %n)", "%n", THREADS, COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(blockdim.x):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(griddim.x):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(mul(mul(griddim.x, blockdim.x), 2:u32)):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(mul(griddim.x, 64:u32)):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(add(mul(griddim.x, blockdim.x), 1:u32)):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "add.nw(" THREADS ", %n)", COPY), no_loop},
    {FOR("convert(thread.x):i32", "%n", "convert(blockdim.y):i32", COPY), no_loop},
    {FOR(GLOBAL, "%n", "convert(mul(mul(griddim.x, griddim.x), 32:u32)):i32", COPY), no_loop},
    {FOR("mul.nw(" GLOBAL ", %n)", "%n", THREADS, COPY), no_loop},
    {FOR("convert(add(mul(block.y, blockdim.y), thread.y)):i32", "%n", THREADS, COPY), no_loop},
    {FOR("convert(thread.x):i32", "%n", "33:i32", COPY), no_loop},
    {FOR("convert(thread.y):i32", "%n", "convert(blockdim.x):i32", COPY), no_loop},
    {FOR("convert(add(mul(block.y, blockdim.y), thread.y)):i32", "%n", "convert(mul(griddim.y, blockdim.y)):i32", COPY), no_loop},
    {GRID(COPY) "  for %j = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n" STORE("%j", "0x1p+0:f32") "  }\n",
     "loops are distributed over the block and over the grid"},
    {"  if lt(%n, 100:i32) {\n    set %n = 100:i32\n  }\n" GRID(COPY), "the bound of a distributed loop has no words"},
    /* Nothing else may depend on the thread. */
    {GRID(COPY STORE("%i", "convert(block.x):f32")), other_use},
    {GRID(COPY STORE("%i", "convert(thread.x):f32")), other_use},
    {GRID(COPY STORE("%i", "convert(blockdim.x):f32")), other_use},
    {GRID(COPY STORE("%i", "convert(griddim.x):f32")), other_use},
    {BLOCK(COPY STORE("%i", "convert(thread.x):f32")), other_use},
    {BLOCK(COPY STORE("%i", "convert(blockdim.x):f32")), other_use},
    {"  if lt(" GLOBAL ", 7:i32) {\n" GRID(COPY) "  }\n", other_use},
    /* Memory. */
    {GRID(COPY) STORE("0:i32", "0x1p+0:f32"), outside},
    {"  local %a: [f32 x 4]\n" GRID("    store %a[0:i64] = 0x1p+0:f32\n" COPY), "an iteration writes to an array that others see"},
    {GRID("    atomic.add *%y[convert(%i):i64] (0x1p+0:f32) relaxed block\n"), "an atomic is one of the block alone"},
    {GRID("    let %o = atomic.add *%y[0:i64] (0x1p+0:f32) relaxed grid\n    if lt(%o, 0x1p+3:f32) {\n    }\n" STORE("%i", "%o")),
     "what an atomic returns depends on the order of iterations"},
    {HIDDEN("    atomic.add *%y[0:i64] (0x1p+0:f32) relaxed grid\n    atomic.min *%y[0:i64] (0x1p+0:f32) relaxed grid\n"), other_iteration},
    {HIDDEN("    atomic.add *%y[0:i64] (0x1p+0:f32) relaxed grid\n    atomic.add *(convert(%y):ptr<global, i32>)[0:i64] (1:i32) relaxed grid\n"), other_iteration},
    {HIDDEN("    atomic.exchange *%y[0:i64] (convert(%i):f32) relaxed grid\n"), other_iteration},
    {HIDDEN(STORE("7:i32", "convert(%i):f32")), other_iteration},
    {HIDDEN("    store *%y = convert(%i):f32\n"), other_iteration},
    /* Of a block the launch has no thread for each index. */
    {BLOCK(STORE("div(%i, 2:i32)", "0x0p+0:f32")), other_iteration},
    {HIDDEN(STORE("div(%i, 2:i32)", "convert(%i):f32")), other_iteration},
    {HIDDEN(STORE("mul.nw(%i, %i)", "convert(%i):f32")), other_iteration},
    {HIDDEN(STORE("mul.nw(%i, %n)", "convert(%i):f32")), other_iteration},
    /* Modulo 2^32, neighbours of a multiple may be one element. */
    {HIDDEN("    store *%y[convert(mul(convert(%i):u32, 65536:u32)):i64] = 0x1p+0:f32\n"), other_iteration},
    {HIDDEN(LOAD("%i") "    let %w = load *%y[convert(add.nw(%i, 1:i32)):i64]\n" STORE("%i", "%w")), other_iteration},
    {HIDDEN("    let %w = load *%y[convert(mul.nw(%i, 2:i32)):i64]\n" STORE("%i", "%w")), other_iteration},
    {HIDDEN("    let %w = load *%y[convert(add.nw(mul.nw(%i, 2:i32), 4:i32)):i64]\n" STORE("mul.nw(%i, 2:i32)", "%w")), other_iteration},
    {FOR("add.nw(" GLOBAL ", 1:i32)", "%n", THREADS, COPY) "  for %j = " GLOBAL ", %n, " THREADS " {\n    let %w = load *%y[convert(%j):i64]\n"
     "    store *%y[convert(%j):i64] = neg(%w)\n  }\n", other_iteration},
    {HIDDEN("    let %w = load *%y[convert(add.nw(%i, %n)):i64]\n" STORE("%i", "%w")), other_iteration},
    {"  let %w = load *%y[0:i64]\n" GRID(STORE("%i", "%w")), other_iteration},
    {HIDDEN("    let %w = load *%y[convert(%i):i64].as(vec<f32, 2, 8>, align 8)\n" STORE("%i", "extract(%w, 1)")), other_iteration},
    {HIDDEN("    let %w = load *(convert(%y):ptr<global, f64>)[convert(%i):i64]\n" STORE("%i", "convert(%w):f32")), other_iteration},
    {HIDDEN("    for %k = 0:i32, 2:i32, 1:i32 {\n" STORE("add.nw(%i, %k)", "0x1p+0:f32") "    }\n"), other_iteration},
    {"  for %k = 0:i32, 2:i32, 1:i32 {\n" GRID(STORE("add.nw(%i, %k)", "0x1p+0:f32")) "  }\n", other_iteration},
    {"  for %k = 0:i32, 2:i32, 1:i32 {\n    let %o = load *%x[convert(%k):i64]\n" GRID(STORE("add.nw(%i, convert(%o):i32)", "0x1p+0:f32"))
     "  }\n", other_iteration},
    {"  local %o: i32\n  set %o = %n\n  if gt(%n, 3:i32) {\n    set %o = 1:i32\n  }\n" HIDDEN(STORE("add.nw(%i, %o)", "0x1p+0:f32")),
     other_iteration},
    /* Values. */
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID("    set %s = add(%s, 0x1p+0:f32)\n" STORE("%i", "%s")), carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") STORE("%i", "add(%v, %s)") "    set %s = %v\n"), carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") "  if gt(%s, 0x1p+0:f32) {\n"
     "    atomic.add *%y[0:i64] (%s) relaxed grid\n  }\n", carried},
    /* Reductions. */
    {GRID(COPY) "  atomic.add *%y[300:i64] (0x1p+0:f32) relaxed grid\n", counts},
    {SUM("0x1p+0:f32", "add"), carried},
    {SUM("0x0p+0:f32", "max"), carried},
    {"  local %s: f32\n  let %z = load *%x[0:i64]\n  set %s = %z\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n")
     "  atomic.add *%y[0:i64] (%s) relaxed grid\n", carried},
    {SUM("@sqrtf(0x1p+2:f32):f32", "add"), carried},
    {"  local %s: f32\n  set %s = bits(0x7fc00000):f32\n" GRID(LOAD("%i") "    set %s = select(gt(%v, %s), %v, %s)\n") "  atomic.max *%y[0:i64] (%s) relaxed grid\n", carried},
    {"  local %s: f32\n" GRID(LOAD("%i") "    set %s = %v\n") "  atomic.add *%y[0:i64] (%s) relaxed grid\n", carried},
    {"  local %m: f32\n  set %m = 0x0p+0:f32\n  local %s: f32\n  set %s = 0x0p+0:f32\n  if gt(%n, 5:i32) {\n    set %m = 0x1p+1:f32\n  } else {\n    set %s = 0x1p+0:f32\n  }\n"
     GRID(LOAD("%i") "    set %s = add(%s, mul(%v, %m))\n") "  atomic.add *%y[0:i64] (%s) relaxed grid\n", carried},
    {SUM("0x0p+0:f32", "add") "  atomic.add *%y[1:i64] (%s) relaxed grid\n", carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") "  set %s = add(%s, 0x1p+0:f32)\n"
     "  atomic.add *%y[0:i64] (%s) relaxed grid\n", carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = mul(%s, %v)\n") "  atomic.add *%y[0:i64] (%s) relaxed grid\n",
     carried},
    {"  local %s: f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") "  set %s = 0x0p+0:f32\n  atomic.add *%y[0:i64] (%s) relaxed grid\n",
     carried},
    {SUMMED("add(%s, %v)", "  for %k = 0:i32, %n, 1:i32 {\n    let %w = load *%x[convert(%k):i64]\n    set %s = add(%s, %w)\n  }\n"), carried},
    {SUMMED("sub(%v, %s)", ""), carried},
    {SUMMED("add(mul(%s, 0x1p+1:f32), %v)", ""), carried},
    {SUMMED("add(%s, %v)", "  if gt(%n, 5:i32) {\n    set %s = 0x1p+0:f32\n  }\n"), carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n  if gt(%n, 5:i32) {\n    set %s = 0x1p+0:f32\n  }\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n")
     "  atomic.add *%y[0:i64] (%s) relaxed grid\n", carried},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n  for %k = 0:i32, 3:i32, 1:i32 {\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n")
     "    atomic.add *%y[0:i64] (%s) relaxed grid\n  }\n", carried},
};

static void test_refused(void **state)
{
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, refused[i].body);
		pass_refuses(text, "stride", &facts, 0, refused[i].why);
	}
}

/* What the buffers are, and the words of bounds. */
static void test_refused_facts(void **state)
{
	static const struct kt_ir_argument_facts uncounted[] = {{"y", "n", false}, {"x", NULL, true}, {"n", NULL, false}};
	struct kt_ir_facts other = facts;

	(void)state;
	other.arguments = uncounted;
	pass_refuses(HEAD GRID(COPY) "}\n", "stride", &other, 0,
		     "buffers of which one is written may overlap: their element counts are not known");
	other.arguments = NULL;
	pass_refuses("module\nkernel @k(%y: ptr<global, f32> restrict, %n: i32) {\n" GRID(STORE("%i", "0x1p+0:f32")) "}\n", "stride", &other,
		     0, "the bound of a distributed loop has no words");
	pass_refuses("module\nkernel @k(%y: ptr<global, f32>, %p: ptr<global, ptr<global, f32>>, %n: i32) {\n"
		     "  let %q = load *%p[0:i64]\n" GRID("    store *%q[convert(%i):i64] = 0x1p+0:f32\n") "}\n",
		     "stride", &facts, 0, "memory is reached through a pointer that is no argument");
	/* A part of what the pointer leads to; one variable, of which an access sees another type. */
	pass_refuses("module\nstruct @pair size 8 align 4 { a: f32 at 0, b: f32 at 4 }\nkernel @k(%y: ptr<global, struct @pair>, %x: ptr<global, const f32>, %n: i32) {\n"
		     HIDDEN("    store *%y.a = convert(%i):f32\n") "}\n", "stride", &facts, 0, other_iteration);
	pass_refuses("module\nglobal %g: [f32 x 64]\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32> restrict, %n: i32) {\n"
		     HIDDEN("    let %w = load *(convert(addr(%g[0:i64])):ptr<global, f64>)[convert(%i):i64]\n    store %g[convert(%i):i64] = convert(%w):f32\n") "}\n",
		     "stride", &facts, 0, other_iteration);
}

/* Integers, the kernel's bounds, and what it assumes. */
static void test_refused_heads(void **state)
{
	(void)state;
	/* What a thread starts with is combined once for each. */
	pass_refuses("module\nkernel @k(%y: ptr<global, i32> restrict, %x: ptr<global, const i32> restrict, %n: i32) {\n"
		     "  let %z = load *%x[0:i64]\n  local %s: i32\n  set %s = %z\n" GRID(LOAD("%i") "    set %s = and(%s, %v)\n")
		     "  atomic.and *%y[0:i64] (%s) relaxed grid\n}\n", "stride", &facts, 0, carried);
	pass_refuses("module\nkernel @k(%y: ptr<global, u64> restrict, %x: ptr<global, const u64> restrict, %n: i32) {\n"
		     "  local %a: [u64 x 2]\n  local %s: u64\n  set %s = convert(addr(%a[0:i64])):u64\n" GRID(LOAD("%i") "    set %s = and(%s, %v)\n")
		     "  atomic.and *%y[0:i64] (%s) relaxed grid\n}\n", "stride", &facts, 0, carried);
	pass_refuses("module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) assumes(lt(rem(%n, 3:i32), 7:i32)) {\n"
		     GRID(COPY) "}\n", "stride", &facts, 0, "an assumption about the launch has no words");
}

/* Bounds of the kernel's own promise the size of its block. */
static void test_bounds(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer =
	    pass_offer(arena, "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) bounds(32, 0) {\n" GRID(COPY) "}\n",
		       "stride", &facts);

	(void)state;
	assert_int_equal(offer->tunable_count, 3);
	assert_string_equal(offer->blocks[0], "32");
	kt_arena_free(arena);
}

static void has_guard(const struct kt_ir_offer *offer, const char *wanted)
{
	for (size_t i = 0; i < offer->guard_count; i++)
		if (strcmp(offer->guards[i].text, wanted) == 0)
			return;
	fail_msg("no guard '%s', but '%s'", wanted, offer->guard_count > 0 ? offer->guards[0].text : "");
}

static const struct kt_ir_argument_facts two_loops[] = {{"y", "n", false}, {"z", "1", false}, {"n", NULL, false}, {"m", NULL, false}};
#define TWO_LOOPS "module\nkernel @k(%y: ptr<global, f32>, %z: ptr<global, f32>, %n: i32, %m: i64) {\n"
#define WRITTEN GRID(STORE("%i", "0x1p+0:f32"))
#define LOADED \
	"  for %j = convert(add(mul(block.x, blockdim.x), thread.x)):i64, %m, convert(mul(griddim.x, blockdim.x)):i64 {\n" \
	"    let %v = load *%y[convert(convert(%j):i32):i64]\n    atomic.add *%z[0:i64] (%v) relaxed grid\n  }\n"

static bool asks_for(const struct kt_ir_offer *offer, const char *part)
{
	bool asks = false;

	for (size_t i = 0; i < offer->guard_count; i++)
		asks |= strstr(offer->guards[i].text, part) != NULL;
	return asks;
}

/* A loop below n / divisor, whose index has that factor. */
#define QUARTER(divisor, factor, store) \
	FOR("thread.x", "div(convert(%n):u32, " divisor ":u32)", "blockdim.x", store("mul(%i, " factor ":u32)", "0x1p+0:f32"))

static void test_guards(void **state)
{
	static const char held[] = "device.multiprocessors * max(1, device.max_threads_per_multiprocessor / BLOCK) * WAVES";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD GRID(COPY) "}\n", "stride", &facts);
	struct kt_ir_facts other = facts;
	char text[512];

	(void)state;
	has_guard(offer, "STEPS == 1 && BLOCK == 32 && WAVES == 0 || disjoint(x, n, y, n)");
	has_guard(offer, "(8) * (32) <= 2147483647");
	snprintf(text, sizeof text, "max(0, n) + (max(8, %s)) * (BLOCK) * STEPS <= 2147483647", held);
	has_guard(offer, text);
	snprintf(text, sizeof text, "WAVES == 0 ? (8) : max(1, min(ceil_div(n, BLOCK * STEPS), %s))", held);
	assert_string_equal(offer->grid[0], text);
	assert_string_equal(offer->blocks[0], "BLOCK");
	/* Of a block's loop the grid stays. */
	offer = pass_offer(arena, HEAD BLOCK(LOAD("%i") STORE(ROW("%i"), "%v")) "}\n", "stride", &facts);
	has_guard(offer, "STEPS == 1 && BLOCK == 32 || disjoint(x, n, y, n)");
	has_guard(offer, "max(0, n) + (1) * (BLOCK) * STEPS <= 2147483647");
	assert_string_equal(offer->grid[0], "8");
	assert_int_equal(offer->tunable_count, 4);
	/* A block of two dimensions, or of no known size, stays as it is. */
	other.block[1] = 4;
	offer = pass_offer(arena, HEAD GRID(COPY) "}\n", "stride", &other);
	has_guard(offer, "STEPS == 1 || disjoint(x, n, y, n)");
	has_guard(offer, "max(0, n) + (8) * (32) * STEPS <= 2147483647");
	assert_int_equal(offer->tunable_count, 3);
	/* Indices of 32 bits of a counter that has 64: iterations that are 2^32 apart have one element. */
	offer = pass_offer(arena, HEAD64 WIDE("%n", STORE("convert(%i):i32", "0x1p+0:f32")) "}\n", "stride", &facts);
	has_guard(offer, "STEPS == 1 && BLOCK == 32 && WAVES == 0 || n <= 2147483647");
	/* Multiples of a counter wrap elsewhere: below n / 4 they do not, other ones as a guard asks, of a bound in words. */
	offer = pass_offer(arena, HEAD BLOCK(STORE("mul(convert(%i):u32, 4:u32)", "0x1p+0:f32")) "}\n", "stride", &facts);
	has_guard(offer, "STEPS == 1 && BLOCK == 32 || n <= 536870911");
	offer = pass_offer(arena, HEAD QUARTER("4", "4", STORE) "}\n", "stride", &facts);
	assert_false(asks_for(offer, "536870911"));
	offer = pass_offer(arena, HEAD QUARTER("4", "8", STORE) "}\n", "stride", &facts);
	assert_true(asks_for(offer, "<= 268435455"));
	pass_refuses(HEAD "  let %h = load *%x[0:i64]\n" FOR("convert(thread.x):i32", "convert(%h):i32", "convert(blockdim.x):i32", STORE("mul(convert(%i):u32, 4:u32)", "0x1p+0:f32")) "}\n",
		     "stride", &facts, 0, other_iteration);
	/* So for what is loaded in a loop of its own, before and after the loop that stores. */
	other = facts;
	other.arguments = two_loops;
	offer = pass_offer(arena, TWO_LOOPS LOADED WRITTEN "}\n", "stride", &other);
	has_guard(offer, "STEPS == 1 && BLOCK == 32 && WAVES == 0 || m <= 2147483647");
	offer = pass_offer(arena, TWO_LOOPS WRITTEN LOADED "}\n", "stride", &other);
	has_guard(offer, "STEPS == 1 && BLOCK == 32 && WAVES == 0 || m <= 2147483647");
	offer = pass_offer(arena, HEAD64 WIDE("%n", STORE("%i", "0x1p+0:f32")) "}\n", "stride", &facts);
	assert_int_equal(offer->guard_count, 1);
	offer = pass_offer(arena, HEAD WIDE("convert(%n):i64", STORE("convert(%i):i32", "0x1p+0:f32")) "}\n", "stride", &facts);
	assert_int_equal(offer->guard_count, 1);
	pass_refuses(HEAD "  let %h = load *%x[0:i64]\n" WIDE("convert(%h):i64", STORE("convert(%i):i32", "0x1p+0:f32")) "}\n", "stride", &facts, 0, other_iteration);
	kt_arena_free(arena);
}

struct division {
	uint32_t block, grid; /* 0: as it is */
};

static bool divide(struct ir_shape *shape, const void *context)
{
	const struct division *d = context;

	/* The size of a block is what the facts say. */
	if (shape->block[0] != 32 || shape->grid[1] * shape->block[1] * shape->block[2] != 1)
		return false;
	shape->block[0] = d->block == 0 ? shape->block[0] : d->block;
	shape->grid[0] = d->grid == 0 ? shape->grid[0] : d->grid;
	return true;
}

/* Bodies of loops over the grid, then of loops over the block. */
static const char *const bodies[][8] = {
    {
	GRID(COPY),
	FOR("add.nw(" GLOBAL ", 3:i32)", "add.nw(%n, -2:i32)", THREADS, COPY),
	/* Values of one iteration, parts of it, and what another iteration never touches. */
	GRID(LOAD("%i") "    local %s: f32\n    set %s = %v\n    for %k = 0:i32, 3:i32, 1:i32 {\n      set %s = mul(%s, "
			"0x1p+1:f32)\n    }\n    if gt(%v, 0x0p+0:f32) {\n" STORE("mul.nw(%i, 2:i32)", "%s") "    }\n"
			STORE("add.nw(mul.nw(%i, 2:i32), 1:i32)", "%v")),
	/* Two loops, the second of which reads what its iteration of the first one has written. */
	GRID(COPY) "  for %j = " GLOBAL ", %n, " THREADS " {\n    let %w = load *%y[convert(%j):i64]\n"
		   "    store *%y[convert(%j):i64] = mul(%w, 0x1p+1:f32)\n  }\n",
	GRID(LOAD("%i") "    atomic.add *%y[convert(rem(%i, 4:i32)):i64] (%v) relaxed grid\n"),
	SUM("0x0p+0:f32", "add"),
	"  for %k = 0:i32, 2:i32, 1:i32 {\n" GRID(COPY) "  }\n",
	FOR(GLOBAL, "%n", "convert(mul(griddim.x, 32:u32)):i32", COPY),
    },
    {
	BLOCK(LOAD(ROW("%i")) STORE(ROW("%i"), "%v")),
	FOR("convert(thread.x):i32", "3:i32", "32:i32", LOAD(ROW("%i")) STORE(ROW("%i"), "neg(%v)")),
	"  if lt(convert(block.x):i32, %n) {\n" FOR("add(convert(thread.x):i32, 1:i32)", "3:i32", "convert(blockdim.x):i32",
						  LOAD("%i") STORE(ROW("%i"), "%v")) "  }\n",
    },
};

#define PARTIAL(start, update) "  local %s: f32\n  set %s = " start "\n" BLOCK(LOAD(ROW("%i")) "    set %s = " update "\n")
#define SHARED_TREE                                                                                                    \
	"  shared %m: [f32 x 32]\n  store %m[convert(thread.x):i64] = %s\n  barrier block\n  local %h: u32\n  set %h = 16:u32\n" \
	"  loop {\n    if eq(%h, 0:u32) {\n      break\n    }\n    if lt(thread.x, %h) {\n"                              \
	"      let %a = load %m[convert(thread.x):i64]\n      let %b = load %m[convert(add(thread.x, %h)):i64]\n"          \
	"      store %m[convert(thread.x):i64] = add(%a, %b)\n    }\n    barrier block\n  } next {\n    set %h = shr(%h, 1:i32)\n" \
	"  }\n  let %t = load %m[0:i64]\n"
#define GRID_SUM "  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n")
#define AGAIN(body) "  for %j = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n" body "  }\n"

/* A row in chunks of a block, of which each thread has one element; low, high and step of the chunks. */
#define CHUNKS(low, high, step, index) CHUNKS_BY(low, high, step, index, "")
#define CHUNKS_BY(low, high, step, index, more)                                                                        \
	"  local %s: f32\n  set %s = 0x0p+0:f32\n  for %k = " low ", " high ", " step " {\n    let %c = " index "\n"      \
	"    if lt(%c, %n) {\n" LOAD(ROW("%c")) "      set %s = add(%s, %v)\n" more "    }\n  }\n"
#define THREAD "convert(thread.x):i32"
/* The total in a distributed loop, besides which threads have no single elements. */
#define LATER AGAIN("    store *%y[convert(" ROW("%j") "):i64] = %t\n")
#define FIRST_STORE "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n"

/* A greatest value with its index, each thread's by its loop, then that of the block. */
#define BEST_OF(start, index, choice, use)                                                                              \
	"  shared %p: [i32 x 32]\n  shared %m: [f32 x 32]\n  local %s: f32\n  set %s = " start "\n  local %q: i32\n  set %q = " index "\n" \
	BLOCK(LOAD(ROW("%i")) choice)                                                                                   \
	"  store %m[convert(thread.x):i64] = %s\n  store %p[convert(thread.x):i64] = %q\n  barrier block\n  local %h: u32\n  set %h = 16:u32\n" \
	"  loop {\n    if eq(%h, 0:u32) {\n      break\n    }\n    if lt(thread.x, %h) {\n"                              \
	"      let %a = load %m[convert(thread.x):i64]\n      let %b = load %m[convert(add(thread.x, %h)):i64]\n"          \
	"      let %c = load %p[convert(thread.x):i64]\n      let %d = load %p[convert(add(thread.x, %h)):i64]\n"          \
	"      if either(gt(%b, %a), both(eq(%b, %a), lt(%d, %c))) {\n        store %m[convert(thread.x):i64] = %b\n"      \
	"        store %p[convert(thread.x):i64] = %d\n      }\n    }\n    barrier block\n  } next {\n    set %h = shr(%h, 1:i32)\n" \
	"  }\n  let %t = load %m[0:i64]\n  let %u = load %p[0:i64]\n" use
#define CHOOSE(condition, index) "    if " condition " {\n      set %s = %v\n      set %q = " index "\n    }\n"
#define BEST(choice) BEST_OF("-0x1p+60:f32", "-1:i32", choice, FIRST_PAIR)
#define FIRST_PAIR "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = add(%t, convert(%u):f32)\n  }\n"
#define FEW "    let %z = convert(rem(%i, 3:i32)):f32\n    if gt(%z, %s) {\n      set %s = %z\n      set %q = %i\n    }\n"

/* Rows with a total: what threads exchange is for blocks of any size. */
static const char *const totals[] = {
    PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n",
    PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE
    AGAIN("    let %w = load *%x[convert(" ROW("%j") "):i64]\n    store *%y[convert(" ROW("%j") "):i64] = add(%w, %t)\n"),
    /* The first of equal ones, of few values as well, or the one with the least index. */
    BEST(CHOOSE("gt(%v, %s)", "%i")),
    BEST(FEW),
    BEST(CHOOSE("either(gt(%v, %s), both(eq(%v, %s), lt(convert(rem(%i, 5:i32)):i32, %q)))", "convert(rem(%i, 5:i32)):i32")),
    /* The first thread by a local. */
    "  let %id = " THREAD "\n" PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  let %is = eq(%id, 0:i32)\n  if %is {\n    store *%y[convert(block.x):i64] = %t\n  }\n",
    CHUNKS("0:i32", "div(add.nw(%n, 31:i32), 32:i32)", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE FIRST_STORE,
    CHUNKS("0:i32", "div(%n, 7:i32)", "1:i32", "add.nw(" THREAD ", mul.nw(convert(blockdim.x):i32, %k))") SHARED_TREE FIRST_STORE,
    CHUNKS("1:i32", "add.nw(div(%n, convert(blockdim.x):i32), 2:i32)", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE FIRST_STORE,
    CHUNKS("0:i32", "%n", "32:i32", "add.nw(%k, " THREAD ")") SHARED_TREE FIRST_STORE,
    CHUNKS("3:i32", "%n", "32:i32", "add.nw(%k, " THREAD ")") SHARED_TREE FIRST_STORE,
    CHUNKS("0:i32", "%n", "8:i32", "add.nw(mul.nw(%k, 4:i32), " THREAD ")") SHARED_TREE FIRST_STORE,
};

/* What is no total of a reduction stays with its threads. */
static const struct {
	const char *body, *why;
} bound_totals[] = {
    {PARTIAL("0x1p+0:f32", "add(%s, %v)") SHARED_TREE "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n", carried},
    {PARTIAL("0x0p+0:f32", "add(%s, %v)") "  set %s = mul(%s, %s)\n" SHARED_TREE
     "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n", carried},
    {"  local %s: f32\n  let %q = load *%x[convert(thread.x):i64]\n  set %s = %q\n" SHARED_TREE
     AGAIN("    store *%y[convert(" ROW("%j") "):i64] = %t\n"), "what threads exchange is no reduction of a distributed loop"},
    {BLOCK(LOAD(ROW("%i")) STORE(ROW("%i"), "%v")) "  if eq(thread.x, 1:u32) {\n    store *%y[convert(block.x):i64] = 0x0p+0:f32\n  }\n", outside},
    /* The last of equal ones, an index that is not the iteration's, another use, another start; a start that is no number. */
    {BEST(CHOOSE("ge(%v, %s)", "%i")), carried},
    {BEST(CHOOSE("lt(%v, %s)", "%i")), carried},
    {BEST(CHOOSE("gt(%v, %s)", "neg(%i)")), carried},
    {BEST(CHOOSE("gt(%v, %s)", "convert(convert(%i):i16):i32")), carried},
    {BEST(CHOOSE("either(gt(%v, %s), both(eq(%v, %s), gt(%i, %q)))", "%i")), carried},
    {BEST(CHOOSE("gt(%v, %s)", "%i") "    if gt(%s, 0x1p+3:f32) {\n      store *%y[300:i64] = 0x1p+0:f32\n    }\n"), carried},
    {BEST(CHOOSE("gt(%v, %s)", "%i")) "  if gt(%s, 0x1p+3:f32) {\n" AGAIN(STORE(ROW("%j"), "0x1p+0:f32")) "  }\n", carried},
    {BEST(CHOOSE("gt(%v, %s)", "%i")) "  if gt(%q, 3:i32) {\n" AGAIN(STORE(ROW("%j"), "0x1p+0:f32")) "  }\n", carried},
    {BEST_OF("-0x1p+60:f32", "%n", "    if gt(%n, 3:i32) {\n      set %q = 4:i32\n    }\n" CHOOSE("gt(%v, %s)", "%i"), FIRST_PAIR), carried},
    {BEST_OF("-0x1p+60:f32", "convert(thread.x):i32", CHOOSE("gt(%v, %s)", "%i"), FIRST_PAIR), other_use},
    /* Chunks of another size, in other places, or whose number is of use besides. */
    {CHUNKS("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 64:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "2:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "2:i32", "add.nw(mul.nw(%k, convert(blockdim.x):i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), mul.nw(" THREAD ", 2:i32))") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "1:i32", "add.nw(add.nw(mul.nw(%k, 32:i32), " THREAD "), 1:i32)") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), convert(thread.y):i32)") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, convert(griddim.x):i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("-1:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("2:i32", "0:i32", "-1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("%n", "8:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS("0:i32", "2:i32", "%n", "add.nw(mul.nw(%k, 32:i32), " THREAD ")") SHARED_TREE LATER, no_total},
    {CHUNKS_BY("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")", "      set %s = add(%s, convert(%k):f32)\n") SHARED_TREE LATER, no_total},
    {CHUNKS_BY("0:i32", "2:i32", "1:i32", "add.nw(mul.nw(%k, 32:i32), " THREAD ")", "      barrier warp\n") SHARED_TREE FIRST_STORE, "threads exchange values where they also access other memory"},
    /* The total of a block is another one where blocks have other iterations. */
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") SHARED_TREE
     "  for %j = " GLOBAL ", %n, " THREADS " {\n    store *%y[convert(%j):i64] = %t\n  }\n",
     "a total of the block is used where loops are distributed over the grid"},
    {"  local %s: f32\n  set %s = 0x0p+0:f32\n" GRID(LOAD("%i") "    set %s = add(%s, %v)\n") SHARED_TREE
     "  if eq(thread.x, 0:u32) {\n    atomic.add *%y[0:i64] (mul(%t, %t)) relaxed grid\n  }\n",
     blocks_differ},
    /* Of another block more threads have such bits; a value that only the first thread has is no one else's. */
    {PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  if eq(convert(thread.x):u8, 0:u8) {\n    store *%y[convert(block.x):i64] = %t\n  }\n", outside},
    {PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  local %kept: f32\n  set %kept = 0x0p+0:f32\n"
     "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n    set %kept = %t\n  }\n" AGAIN("    store *%y[convert(" ROW("%j") "):i64] = %kept\n"),
     "a value of the first thread is used elsewhere"},
    {GRID(COPY) "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = 0x0p+0:f32\n  }\n", blocks_differ},
    {GRID(COPY) "  if eq(thread.x, 0:u32) {\n    let %q = load *%x[0:i64]\n    store *%y[convert(block.x):i64] = %q\n  }\n", blocks_differ},
    {GRID(COPY) "  if eq(thread.x, 0:u32) {\n    local %q: f32\n    set %q = 0x0p+0:f32\n    if gt(%n, 3:i32) {\n      set %q = 0x1p+0:f32\n    }\n"
     "    store *%y[convert(block.x):i64] = %q\n  }\n", blocks_differ},
    {GRID_SUM SHARED_TREE "  if eq(thread.x, 0:u32) {\n    store *%y[0:i64] = %t\n  }\n", blocks_differ},
    {GRID_SUM SHARED_TREE "  if eq(thread.x, 0:u32) {\n    atomic.max *%y[0:i64] (%t) relaxed grid\n  }\n", blocks_differ},
    {GRID_SUM SHARED_TREE "  if eq(thread.x, 0:u32) {\n    let %o = atomic.add *%y[0:i64] (%t) relaxed grid\n    store *%y[300:i64] = %o\n  }\n", blocks_differ},
    {PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  if ne(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n", outside},
    {PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  if eq(thread.x, 0:u32) {\n    if gt(%t, 0x0p+0:f32) {\n      store *%y[convert(block.x):i64] = %t\n    }\n  }\n",
     "the first thread of a block does more than access memory"},
};

static void test_totals(void **state)
{
	/* STEPS, STEP_SPREAD, STEP_VECTOR, BLOCK */
	static const int64_t configurations[][4] = {{1, 0, 0, 64}, {2, 1, 0, 32}, {4, 0, 1, 128}, {1, 0, 0, 512}, {8, 0, 0, 1024}};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, totals[i]);
		offer = pass_offer(arena, text, "stride", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s: %s", offer->answers[0].text, text);
		assert_int_equal(offer->tunable_count, 4);
		for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
			/* Two totals of many threads are more statements than the interpreter runs. */
			const bool is_long = configurations[k][3] > 256 && strstr(totals[i], "shared %p") != NULL;
			const struct division d = {(uint32_t)(is_long ? 256 : configurations[k][3]), 0};
			int64_t values[] = {configurations[k][0], configurations[k][1], configurations[k][2], d.block};
			const struct kt_ir_module *made = pass_variant(arena, offer, values);

			if (!ir_same_results(&c, offer->module, made, divide, &d, 1, 40))
				fail_msg("%s\n%s%s", c.message, text, ir_text(made));
			assert_true(c.right > 1);
		}
		kt_arena_free(arena);
	}
	for (size_t i = 0; i < sizeof bound_totals / sizeof *bound_totals; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, bound_totals[i].body);
		pass_refuses(text, "stride", &facts, 0, bound_totals[i].why);
	}
}

/* A barrier keeps what all threads load before what the first one stores; it is gone in the variant. */
static void test_order_of_first_thread(void **state)
{
	static const struct kt_ir_argument_facts more[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}, {"z", "n", false}};
	static const char head[] =
	    "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32, %z: ptr<global, f32>) {\n";
	static const struct {
		const char *load, *first, *why;
	} rows[] = {
	    {"  let %o = load *%z[convert(block.x):i64]\n", "store *%z[convert(block.x):i64] = 0x0p+0:f32",
	     "the first thread of a block changes what all threads load"},
	    {"  let %o = load *%z[convert(block.x):i64]\n", "atomic.add *%z[0:i64] (0x1p+0:f32) relaxed grid",
	     "the first thread of a block changes what all threads load"},
	    {"  let %o = load *%x[convert(block.x):i64]\n", "store *%z[convert(block.x):i64] = 0x0p+0:f32", NULL},
	    {"  let %o = load *%x[convert(block.x):i64]\n",
	     "let %p = load *%z[0:i64]\n    store *%z[convert(block.x):i64] = %p", NULL},
	};
	struct kt_ir_facts other = facts;
	char text[2048];

	(void)state;
	other.arguments = more;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s%s%s  barrier block\n  if eq(thread.x, 0:u32) {\n    %s\n  }\n}\n", head,
			 rows[i].load, BLOCK(STORE("%i", "%o")), rows[i].first);
		offer = pass_offer(arena, text, "stride", &other);
		if (offer->answers[0].applies != (rows[i].why == NULL) ||
		    (rows[i].why != NULL && strcmp(offer->answers[0].text, rows[i].why) != 0))
			fail_msg("'%s' of %s", offer->answers[0].text, text);
		kt_arena_free(arena);
	}
}

/*
 * Loops over the grid of which iterations may reach one place: where the launch has a thread for each index, they are different
 * threads', and as written none races with another one.
 */
static const char *const covered[] = {
    GRID(STORE("7:i32", "convert(%i):f32")),
    GRID(STORE("div(%i, 2:i32)", "convert(%i):f32")),
    GRID(STORE("mul.nw(%i, %i)", "convert(%i):f32")),
    GRID(STORE("mul.nw(%i, %n)", "convert(%i):f32")),
    GRID("    store *%y[convert(mul(convert(%i):u32, 65536:u32)):i64] = 0x1p+0:f32\n"),
    GRID(LOAD("%i") "    let %w = load *%y[convert(add.nw(%i, 1:i32)):i64]\n" STORE("%i", "%w")),
    GRID("    let %w = load *%y[convert(mul.nw(%i, 2:i32)):i64]\n" STORE("%i", "%w")),
    GRID("    let %w = load *%y[convert(add.nw(mul.nw(%i, 2:i32), 4:i32)):i64]\n" STORE("mul.nw(%i, 2:i32)", "%w")),
    GRID("    let %w = load *%y[convert(add.nw(%i, add.nw(%n, 3:i32))):i64]\n" STORE("%i", "%w")),
    GRID("    let %w = load *%y[convert(%i):i64].as(vec<f32, 2, 8>, align 8)\n" STORE("%i", "extract(%w, 1)")),
    GRID("    let %w = load *(convert(%y):ptr<global, f64>)[convert(%i):i64]\n" STORE("%i", "convert(%w):f32")),
    GRID("    for %k = 0:i32, 2:i32, 1:i32 {\n" STORE("add.nw(%i, %k)", "0x1p+0:f32") "    }\n"),
    "  local %o: i32\n  set %o = %n\n  if gt(%n, 3:i32) {\n    set %o = 1:i32\n  }\n" GRID(STORE("add.nw(%i, %o)", "0x1p+0:f32")),
    GRID("    let %q = div(%i, 5:i32)\n    let %r = rem(%i, 5:i32)\n" LOAD("%i") STORE("add.nw(mul.nw(%q, 7:i32), %r)", "%v")),
    "  if gt(%n, 3:i32) {\n" GRID(LOAD("%i") STORE("div(%i, 3:i32)", "0x1p+0:f32")) "  }\n",
};

static void test_variants(void **state)
{
	/* STEPS, STEP_SPREAD, STEP_VECTOR, BLOCK, WAVES */
	static const int64_t configurations[][5] = {{1, 0, 0, 64, 1}, {2, 1, 0, 32, 0}, {4, 0, 0, 32, 1}, {4, 0, 1, 64, 0}, {8, 0, 1, 128, 2}};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t kind = 0; kind < 2; kind++)
		for (size_t i = 0; i < 8 && bodies[kind][i] != NULL; i++) {
			struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
			const struct kt_ir_offer *offer;

			snprintf(text, sizeof text, "%s%s}\n", HEAD, bodies[kind][i]);
			offer = pass_offer(arena, text, "stride", &facts);
			if (!offer->answers[0].applies)
				fail_msg("%s: %s", offer->answers[0].text, text);
			for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
				const struct division d = {(uint32_t)configurations[k][3], kind == 0 ? 1 + (uint32_t)k : 0};
				const struct kt_ir_module *made = pass_variant(arena, offer, configurations[k]);

				if (!ir_same_results(&c, offer->module, made, divide, &d, 1, 40))
					fail_msg("%s\n%s%s", c.message, text, ir_text(made));
				assert_true(c.right > 2);
			}
			kt_arena_free(arena);
		}
}

static bool covers(struct ir_shape *shape, const void *context)
{
	return (int)(shape->grid[0] * shape->block[0]) >= 128 && divide(shape, context);
}

static void test_covered(void **state)
{
	static const int64_t configurations[][5] = {{1, 0, 0, 64, 1}, {4, 0, 0, 32, 1}, {4, 0, 1, 64, 0}, {2, 1, 0, 128, 2}};
	struct ir_comparison c;
	unsigned right = 0;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof covered / sizeof *covered; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;
		bool has_guard = false;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, covered[i]);
		offer = pass_offer(arena, text, "stride", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s: %s", offer->answers[0].text, text);
		for (size_t g = 0; g < offer->guard_count; g++)
			has_guard |= strcmp(offer->guards[g].text, "STEPS == 1 && BLOCK == 32 && WAVES == 0 || n <= (8) * (32)") == 0;
		if (!has_guard)
			fail_msg("no guard of %s", text);
		for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
			const struct division d = {(uint32_t)configurations[k][3], 1 + (uint32_t)k};
			const struct kt_ir_module *made = pass_variant(arena, offer, configurations[k]);

			if (!ir_same_results(&c, offer->module, made, covers, &d, 1, 40))
				fail_msg("%s\n%s%s", c.message, text, ir_text(made));
			right += c.right;
		}
		kt_arena_free(arena);
	}
	assert_true(right > 20);
}

/*
 * Rows of any length, at any place in memory: the first iteration begins in front of the row, so that others begin at a multiple.
 * Also of a number that counts without sign or in 64 bits, of an offset, of sums, of a row whose beginning is a let of the loop.
 */
static void test_rows(void **state)
{
	static const char *const rows[][2] = {
	    {"f32", BLOCK(LOAD(ROW("%i")) STORE(ROW("%i"), "%v"))},
	    {"f32", FOR("add.nw(convert(thread.x):i32, 1:i32)", "%n", "convert(blockdim.x):i32", LOAD(ROW("%i")) STORE(ROW("%i"), "neg(%v)"))},
	    {"f64", BLOCK(LOAD(ROW("%i")) STORE(ROW("%i"), "%v"))},
	    {"f32", FOR("thread.x", "convert(%n):u32", "blockdim.x", LOAD("add(mul(block.x, 129:u32), %i)") STORE("add(mul(block.x, 129:u32), %i)", "%v"))},
	    {"i32", FOR("convert(thread.x):i64", "convert(%n):i64", "convert(blockdim.x):i64",
			LOAD("add.nw(mul.nw(convert(block.x):i64, 129:i64), %i)") STORE("add.nw(mul.nw(convert(block.x):i64, 129:i64), %i)", "%v"))},
	    {"f32", PARTIAL("0x0p+0:f32", "add(%s, %v)") SHARED_TREE "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n"},
	    {"f32", BLOCK("    let %r = mul.nw(convert(block.x):i32, 129:i32)\n    let %p = add.nw(%r, %i)\n" LOAD("%p") STORE("%p", "%v"))},
	    {"f32", GRID(LOAD("add.nw(%i, 1:i32)") STORE("add.nw(%i, 1:i32)", "%v"))},
	    /* What one loop writes another one reads in the same thread, wherever either array begins. */
	    {"f32", BLOCK(LOAD(LINE("%i")) STORE(LINE("%i"), "%v"))
		    "  for %j = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n    let %w = load *%y[convert(" LINE("%j") "):i64]\n"
		    "    store *%y[convert(" LINE("%j") "):i64] = neg(%w)\n  }\n"},
	    {"f32", "  if gt(%n, 0:i32) {\n" BLOCK(LOAD(LINE("%i")) STORE(LINE("%i"), "%v")) "  }\n"
		    "  for %j = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n    let %u = load *%x[convert(add.nw(" LINE("%j") ", 1:i32)):i64]\n"
		    "    let %w = load *%y[convert(" LINE("%j") "):i64]\n    store *%y[convert(" LINE("%j") "):i64] = add(%u, %w)\n  }\n"},
	};
	static const int64_t configurations[][5] = {{2, 0, 1, 32, 0}, {4, 0, 1, 64, 0}, {8, 0, 1, 32, 0}};
	static const char *const wraps[] = {"eq(add(convert(add(mul(block.x, 129:u32), %i.1)):i64, 1:i64), convert(add(mul(block.x, 129:u32), %i.2)):i64)",
					    "eq(add(convert(add(mul(block.x, 129:u32), %i.1)):i64, 3:i64), convert(add(mul(block.x, 129:u32), %i.2)):i64)",
					    "eq(add(convert(add(mul(block.x, 129:u32), %i.3)):i64, 3:i64), convert(add(mul(block.x, 129:u32), %i.4)):i64)"};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
			struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
			const struct division d = {(uint32_t)configurations[k][3], 0};
			const struct kt_ir_offer *offer;
			const struct kt_ir_module *made;
			char *shown;

			snprintf(text, sizeof text, "module\nkernel @k(%%y: ptr<global, %s>, %%x: ptr<global, const %s>, %%n: i32) {\n%s}\n",
				 rows[i][0], rows[i][0], rows[i][1]);
			offer = pass_offer(arena, text, "stride", &facts);
			if (!offer->answers[0].applies)
				fail_msg("%s: %s", offer->answers[0].text, text);
			made = pass_variant(arena, offer, configurations[k]);
			shown = ir_text(made);
			/* Of loops in different branches none is shifted. */
			if ((strstr(shown, "let %lead") == NULL) != (i == sizeof rows / sizeof *rows - 1) || strstr(shown, ".as(vec<") == NULL)
				fail_msg("%s", shown);
			/* An index of 32 bits without sign may wrap between two neighbours. */
			if ((strstr(shown, wraps[k]) != NULL) != (i == 3))
				fail_msg("%s", shown);
			if (!ir_same_results(&c, offer->module, made, divide, &d, 1, 40))
				fail_msg("%s\n%s%s", c.message, text, shown);
			assert_true(c.right > 1);
			free(shown);
			kt_arena_free(arena);
		}
}

/* Where accesses begin at multiples, or where a row begins depends on the loop, no iteration begins in front of the loop. */
static void test_no_lead(void **state)
{
	static const char *const bodies_of_none[] = {
	    GRID(COPY), GRID(LOAD("add.nw(%i, 4:i32)") STORE("%i", "%v")), GRID(LOAD("mul.nw(%i, 3:i32)") STORE("%i", "%v")),
	    BLOCK("    let %o = load *%x[0:i64]\n    let %v = load *%x[convert(add.nw(convert(%o):i32, %i)):i64]\n" STORE("%i", "%v")),
	    BLOCK("    let %v = load *%x[convert(add.nw(div(%n, %n), %i)):i64]\n" STORE("%i", "%v")),
	};
	char text[2048];

	(void)state;
	for (size_t i = 0; i < sizeof bodies_of_none / sizeof *bodies_of_none; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;
		char *shown;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, bodies_of_none[i]);
		offer = pass_offer(arena, text, "stride", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s: %s", offer->answers[0].text, text);
		shown = ir_text(pass_variant(arena, offer, (const int64_t[]){4, 0, 1, 32, 0}));
		if (strstr(shown, "lead") != NULL)
			fail_msg("%s", shown);
		free(shown);
		kt_arena_free(arena);
	}
}

/* An assertion of the launch is one of each thread, one of an iteration goes with it. */
static void test_assertions(void **state)
{
#define FAILS "opaque \"__trap();\"() effects(diverts, prints)\n"
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(
	    arena, HEAD "  if lt(%n, 0:i32) {\n    " FAILS "  }\n" GRID("    if gt(%i, %n) {\n      " FAILS "    }\n" COPY) "}\n", "stride", &facts);
	const struct kt_ir_module *variant = pass_variant(arena, offer, (const int64_t[]){4, 0, 1, 32, 0});
	char *made = ir_text(variant);

	(void)state;
	if (!offer->answers[0].applies || strstr(made, "__trap") == NULL)
		fail_msg("%s\n%s", offer->answers[0].text, made);
	pass_same(offer, variant, 8, 32, 200);
	free(made);
	kt_arena_free(arena);
}

/* Neighbours are a vector, in the branch in which all are below the bound. */
static void test_vectors(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD GRID(COPY) "}\n", "stride", &facts);
	char *made = ir_text(pass_variant(arena, offer, (const int64_t[]){4, 0, 1, 32, 0}));

	(void)state;
	if (strstr(made, "load *%x[convert(%i.1):i64].as(vec<f32, 4, 16>, align 16)") == NULL ||
	    strstr(made, "for %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32, div(add.nw(%end, 3:i32), 4:i32), %stride {") == NULL)
		fail_msg("%s", made);
	free(made);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),  cmocka_unit_test(test_refused_facts), cmocka_unit_test(test_guards),
	    cmocka_unit_test(test_totals),
	    cmocka_unit_test(test_order_of_first_thread),
	    cmocka_unit_test(test_variants), cmocka_unit_test(test_covered), cmocka_unit_test(test_rows), cmocka_unit_test(test_no_lead),
	    cmocka_unit_test(test_vectors), cmocka_unit_test(test_refused_heads),
	    cmocka_unit_test(test_bounds), cmocka_unit_test(test_assertions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
