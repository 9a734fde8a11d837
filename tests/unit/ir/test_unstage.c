/* Shared memory that is loaded again: which kernels, that variants compute the same, and two offers as one. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/pass_join.h"
#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define SHARED "  shared %s: [i32 x 256]\n"
#define LOADED INDEX "  let %v = load *%x[convert(%i):i64]\n"
#define STAGE LOADED "  store %s[convert(thread.x):i64] = %v\n"
#define BARRIER "  barrier block\n"
#define REVERSED "  let %w = load %s[convert(sub(63:u32, thread.x)):i64]\n"
#define RESULT "  store *%y[convert(%i):i64] = %w\n"
#define KERNEL(body) HEAD SHARED body "}\n"
#define PLAIN(stage, between, load) KERNEL(stage BARRIER between load RESULT)
/* A loop over pieces of x, with what is stored and loaded in each. */
#define PIECES(step, store, load)                                                                                      \
	KERNEL(INDEX "  local %t: i32\n  set %t = 0:i32\n  for %p = 0:i32, %n, " step ":i32 {\n" store BARRIER load BARRIER         \
		     "  }\n  store *%y[convert(%i):i64] = %t\n")
#define PIECE(condition) "  if " condition " {\n  let %v = load *%x[convert(add(convert(%p):u32, thread.x)):i64]\n  store %s[convert(thread.x):i64] = %v\n  }\n"
#define BELOW_N "lt(add(convert(%p):u32, thread.x), convert(%n):u32)"
#define SUM(end) "  for %j = 0:i32, " end ", 1:i32 {\n  let %w = load %s[convert(%j):i64]\n  set %t = add(%t, mul(%w, %j))\n  }\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static const char volatile_[] = "an access is volatile", unsolved[] = "it is not known which thread stores what another one loads",
		  iteration[] = "what is loaded from shared memory may be left from another iteration", in_loop[] = "what is stored to shared memory is computed in a loop",
		  other_loop[] = "a loop around shared memory has other iterations in another thread", ordered[] = "barriers may order what is written here with another access",
		  no_count[] = "a loop around shared memory does not count", written[] = "what is stored to shared memory was loaded from what the kernel writes",
		  jumps[] = "a jump leaves out a part of an iteration", twice[] = "a loop stores to shared memory at two places", rounded[] = "a product is rounded when it is stored to shared memory",
		  types[] = "shared memory is stored to and loaded as different types", own[] = "what is stored to shared memory was loaded from memory of a thread or a block";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *text, *why;
} refused[] = {
    {HEAD LOADED "  store *%y[convert(%i):i64] = %v\n}\n", "the kernel has no shared memory"},
    {"module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) cluster(2, 1, 1) {\n" SHARED STAGE BARRIER REVERSED RESULT "}\n",
     "the kernel has clusters"},
    {PLAIN(STAGE, "  let %a = select(gt(%v, 9:i32), addr(%s[3:i64]), addr(%s[4:i64]))\n  let %o = load *%a\n  store *%y[400:i64] = %o\n", REVERSED), "shared memory has an address"},
    {PLAIN(STAGE, "  opaque \"f()\"() effects(all)\n", REVERSED), "a statement is opaque"},
    {PLAIN(STAGE, "  fence grid\n", REVERSED), "a fence orders accesses"},
    {PLAIN(STAGE, "  barrier grid\n", REVERSED), "blocks synchronise"},
    {PLAIN(STAGE, "  let %c = collective.shuffle_xor(4294967295:u32, %v, 1:i32, 32:i32)\n  store *%y[convert(%i):i64] = %c\n", REVERSED),
     "lanes of a warp exchange values"},
    {PLAIN(STAGE "  atomic.add %s[3:i64] (1:i32) relaxed block\n", "", REVERSED), "atomics change shared memory"},
    {PLAIN(STAGE, "  let %o = atomic.add *%y[400:i64] (1:i32) relaxed grid\n  store *%y[convert(%o):i64] = 1:i32\n", REVERSED), "what an atomic returns is used"},
    {PLAIN(STAGE, "  let %o = load *%x[3:i64] volatile\n  store *%y[400:i64] = %o\n", REVERSED), volatile_},
    {PLAIN(LOADED "  store %s[convert(thread.x):i64] = %v volatile\n", "", REVERSED), volatile_},
    {PLAIN(STAGE, "  let %p = convert(%n):ptr<shared, i32>\n  store *%p = 1:i32\n", REVERSED), "shared memory is accessed through a pointer"},
    {HEAD "  shared %s: [i32 x ?]\n  shared %q: [i32 x ?]\n" STAGE BARRIER "  store %q[convert(sub(63:u32, thread.x)):i64] = %i\n" BARRIER REVERSED RESULT "}\n", "two arrays are the same shared memory"},
    /* What is left out of an iteration. */
    {PLAIN(LOADED "  for %j = 0:i32, 3:i32, 1:i32 {\n  if gt(%j, 1:i32) {\n  if gt(%v, 30:i32) {\n  continue\n  }\n  store *%y[500:i64] = 1:i32\n  }\n  store %s[convert(add(convert(mul(thread.x, 4:u32)):i32, %j)):i64] = %v\n  }\n", "",
	   "  let %w = load %s[convert(mul(thread.x, 2:u32)):i64]\n"), jumps},
    {PLAIN(STAGE "  local %c: i32\n  set %c = 0:i32\n  loop {\n  loop {\n  set %c = add(%c, %v)\n  if gt(%c, 9:i32) {\n  break 1\n  }\n  if gt(%c, 5:i32) {\n  break\n  }\n  }\n  store *%y[500:i64] = %c\n  }\n", "", REVERSED), jumps},
    /* Which of two stores was the last one depends on their iterations. */
    {PLAIN(LOADED "  for %j = 0:i32, 3:i32, 1:i32 {\n  store %s[convert(add(convert(mul(thread.x, 4:u32)):i32, %j)):i64] = %v\n"
	   "  store %s[convert(add(convert(mul(thread.x, 4:u32)):i32, add(%j, 1:i32))):i64] = %j\n  }\n", "", "  let %w = load %s[convert(add(mul(thread.x, 4:u32), 1:u32)):i64]\n"), twice},
    /* Loops around a store and a load. */
    {KERNEL(INDEX "  local %c: i32\n  set %c = 0:i32\n  loop {\n  let %v = load *%x[convert(%c):i64]\n  if gt(%v, 20:i32) {\n  break\n  }\n  store %s[convert(thread.x):i64] = %v\n" BARRIER
	    REVERSED BARRIER "  store *%y[convert(%i):i64] = %w\n  set %c = add(%c, %w)\n  }\n"), no_count},
    
    {KERNEL(INDEX "  let %u = load *%x[convert(%i):i64]\n  for %p = 0:i32, %u, 64:i32 {\n" PIECE("true") BARRIER REVERSED "  store *%y[convert(%i):i64] = %w\n  }\n"), other_loop},
    {KERNEL(INDEX "  let %u = load *%x[convert(%i):i64]\n  for %p = %u, 64:i32, 64:i32 {\n" PIECE("true") BARRIER REVERSED "  store *%y[convert(%i):i64] = %w\n  }\n"), other_loop},
    {KERNEL(INDEX "  let %u = load *%x[convert(%i):i64]\n  for %p = 0:i32, 64:i32, %u {\n" PIECE("true") BARRIER REVERSED "  store *%y[convert(%i):i64] = %w\n  }\n"), other_loop},
    /* Which store is seen. */
    {PIECES("64", PIECE(BELOW_N), SUM("64:i32")), iteration},
    {PIECES("64", PIECE("lt(add(convert(%p):u32, thread.x), 99:u32)"), SUM("@min(64:i32, sub.nw(%n, %p)):i32")), iteration},
    {PIECES("64", PIECE("eq(%p, 0:i32)"), SUM("64:i32")), iteration},
    {PIECES("64", "  let %q = load *%x[convert(%p):i64]\n" PIECE("gt(%q, 9:i32)"), SUM("64:i32")), iteration},
    {PIECES("64", "  let %q = load *%x[convert(%n):i64]\n" PIECE("gt(%q, 9:i32)"), SUM("64:i32")), iteration},
    {PIECES("64", "  local %q: i32\n  set %q = 0:i32\n  if gt(%n, 70:i32) {\n  set %q = %p\n  }\n" PIECE("gt(%q, 9:i32)"), SUM("64:i32")), iteration},
    {PIECES("64", SUM("64:i32") BARRIER, PIECE("true")), "what an iteration stores to shared memory is loaded by a later one"},
    {KERNEL(LOADED "  if gt(thread.x, 31:u32) {\n  store %s[convert(thread.x):i64] = %v\n  } else {\n" REVERSED RESULT "  }\n"), "one branch stores what another one loads"},
    {KERNEL(LOADED REVERSED RESULT), "nothing is stored where shared memory is loaded from"},
    /* Twice the tile, of which one half is stored to in each iteration. */
    {PIECES("64", "  let %v = load *%x[convert(add(convert(%p):u32, thread.x)):i64]\n  store %s[convert(add(and(%p, 64:i32), convert(thread.x):i32)):i64] = %v\n", SUM("128:i32")), unsolved},
    {PIECES("64", "  let %v = load *%x[convert(add(convert(%p):u32, thread.x)):i64]\n  store %s[convert(add(convert(%p):u32, thread.x)):i64] = %v\n", SUM("64:i32")), unsolved},
    /* Which thread stored. */
    {PLAIN(LOADED "  store %s[convert(mul(thread.x, thread.x)):i64] = %v\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(thread.x, convert(%v):u32)):i64] = %v\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[convert(add(thread.x, mul(thread.y, 32:u32))):i64] = %v\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  if gt(%n, 9:i32) {\n  let %k = load *%x[3:i64]\n  store %s[convert(add(thread.x, convert(%k):u32)):i64] = %v\n  }\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  local %q: i32\n  set %q = 1:i32\n  if gt(%n, 9:i32) {\n  let %k = load *%x[3:i64]\n  set %q = %k\n  store *%y[500:i64] = %k\n  }\n  store %s[convert(add(thread.x, convert(%q):u32)):i64] = %v\n"
	   "  if gt(%n, 20:i32) {\n  let %l = load *%x[4:i64]\n  set %q = add(%q, %l)\n  store *%y[501:i64] = %l\n  }\n  store *%y[502:i64] = %q\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  store %s[0:i64] = %v\n", "", "  let %w = load %s[0:i64]\n"), unsolved},
    {PLAIN(LOADED "  if lt(thread.x, 2:u32) {\n  store %s[0:i64] = %n\n  }\n", "", "  let %w = load %s[0:i64]\n"), unsolved},
    {PLAIN(INDEX "  for %j = 0:i32, 3:i32, 1:i32 {\n  store %s[convert(thread.x):i64] = %j\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = convert(thread.x):i32, 99:i32, 32:i32 {\n  store %s[convert(%j):i64] = %j\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = convert(mul(thread.x, 2:u32)):i32, 99:i32, 64:i32 {\n  store %s[convert(%j):i64] = %j\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = convert(thread.x):i32, 99:i32, %n {\n  store %s[convert(%j):i64] = %j\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = convert(thread.x):i64, 99:i64, 64:i64 {\n  store %s[convert(convert(%j):u32):i64] = convert(%j):i32\n  }\n", "", REVERSED), unsolved},
    /* Two sums with factors below zero. */
    {PLAIN(INDEX "  for %j = 0:i32, 2:i32, 1:i32 {\n  store %s[convert(sub(sub(127:u32, thread.x), mul(convert(%j):u32, 64:u32))):i64] = %j\n  }\n", "", "  let %w = load %s[convert(thread.x):i64]\n"), unsolved},
    /* A start that wraps, one that may, a step past the first iteration, threads that are not those of the step. */
    {PLAIN(INDEX "  for %j = sub(thread.x, 3:u32), 99:u32, 64:u32 {\n  store %s[convert(%j):i64] = 5:i32\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = add(convert(thread.x):i32, %n), 99:i32, 64:i32 {\n  store %s[convert(sub(%j, %n)):i64] = %j\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = mul(thread.x, 67108864:u32), 4294967295:u32, 2147483648:u32 {\n  store %s[convert(shr(%j, 26:u32)):i64] = 5:i32\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  for %j = thread.x, 4294967295:u32, 64:u32 {\n  store %s[convert(mul(%j, 2:u32)):i64] = 5:i32\n  }\n", "", REVERSED), unsolved},
    {PLAIN(INDEX "  store %s[convert(add(thread.x, convert(div(%n, 2:i32)):u32)):i64] = 5:i32\n", "", REVERSED), unsolved},
    {PLAIN(LOADED "  local %j: i32\n  set %j = 0:i32\n  loop {\n  if gt(%j, 3:i32) {\n  break\n  }\n  store %s[convert(thread.x):i64] = %v\n  set %j = add(%j, %v)\n  }\n", "", REVERSED),
     "a loop around a store to shared memory has no counter"},
    {"module\nstruct @P size 8 align 4 { a: i32 at 0, b: i32 at 4 }\nkernel @k(%y: ptr<global, struct @P>, %x: ptr<global, const i32>, %n: i32) {\n  shared %s: [struct @P x 64]\n" LOADED
     "  store %s[convert(thread.x):i64].a = %v\n  store %s[convert(thread.x):i64].b = %i\n" BARRIER
     "  let %w = load %s[convert(sub(63:u32, thread.x)):i64]\n  store *%y[convert(%i):i64] = %w\n}\n", "shared memory is stored to in parts, and loaded as a whole"},
    {PLAIN(LOADED "  store %s[convert(thread.x):i64].as(f32, align 4) = convert.bits(%v):f32\n", "", REVERSED), "shared memory is stored to in parts, and loaded as a whole"},
    {PLAIN(STAGE, "", "  let %f = load %s[convert(sub(63:u32, thread.x)):i64].as(f32, align 4)\n  let %w = convert.bits(%f):i32\n"), types},
    {PLAIN(LOADED "  store %s[convert(thread.x):i64].as(u32, align 4) = convert(%v):u32\n", "", "  let %f = load %s[convert(sub(63:u32, thread.x)):i64].as(f32, align 4)\n  let %w = convert.bits(%f):i32\n"), types},
    /* What is stored. */
    {PLAIN(LOADED "  local %q: i32\n  set %q = 0:i32\n  for %j = 0:i32, 5:i32, 1:i32 {\n  set %q = add(mul(%q, 3:i32), %v)\n  }\n  store %s[convert(thread.x):i64] = %q\n", "", REVERSED), in_loop},
    {KERNEL(LOADED "  local %q: i32\n  set %q = %v\n  for %p = 0:i32, 3:i32, 1:i32 {\n  store %s[convert(thread.x):i64] = %q\n" BARRIER REVERSED BARRIER
	    "  set %q = add(%w, %p)\n  }\n  store *%y[convert(%i):i64] = %q\n"), in_loop},
    {PLAIN(INDEX "  local %m: [i32 x 2] memory\n  store %m[0:i64] = convert(thread.x):i32\n  store %m[1:i64] = 7:i32\n  let %v = load %m[convert(and(%n, 1:i32)):i64]\n  store %s[convert(thread.x):i64] = %v\n", "", REVERSED), own},
    {PLAIN(INDEX "  let %v = load *%y[convert(%i):i64]\n  store %s[convert(thread.x):i64] = %v\n", "", REVERSED), written},
    {"module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32, %z: ptr<global, const ptr<global, i32>>) {\n" SHARED STAGE BARRIER
     "  let %q = load *%z\n  store *%q[4:i64] = 4:i32\n" REVERSED RESULT "}\n", written},
    {PLAIN(LOADED "  store %s[convert(thread.x):i64] = convert(lane):i32\n", "", REVERSED), "the lane of a thread matters"},
    {PLAIN(LOADED "  store %s[convert(thread.x):i64] = add(%v, convert(thread.z):i32)\n", "", REVERSED), unsolved},
    /* Products that sums would be contracted with. */
#define FLOATS(stage) "module contract\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n  shared %s: [f32 x 256]\n" LOADED stage \
	"  store %s[convert(thread.x):i64] = %q\n" BARRIER REVERSED RESULT "}\n"
    {FLOATS("  let %q = mul(%v, 0x1.1p+0:f32)\n"), rounded},
    {FLOATS("  let %q = div(%v, 0x1p+1:f32)\n"), rounded},
    {FLOATS("  let %q = neg(mul(%v, %v))\n"), rounded},
    {FLOATS("  let %q = select(gt(%n, 9:i32), %v, mul(%v, %v))\n"), rounded},
    {FLOATS("  let %q = @__hmul(%v, %v):f32\n"), rounded},
    {FLOATS("  local %q: f32\n  if gt(%n, 9:i32) {\n  set %q = %v\n  } else {\n  let %o = load *%x[3:i64]\n  set %q = mul(%v, %o)\n  store *%y[500:i64] = %o\n  }\n"), rounded},
    {PLAIN(INDEX "  let %o = atomic.add *%y[400:i64] (1:i32) relaxed grid\n  store %s[convert(thread.x):i64] = %i\n", "  store *%y[400:i64] = 1:i32\n", REVERSED), ordered},
    /* Other memory that barriers order. */
    {PLAIN(STAGE "  store *%y[convert(thread.x):i64] = 1:i32\n", "", REVERSED), ordered},
    {PLAIN(STAGE, "  let %o = load *%y[convert(thread.x):i64]\n" BARRIER "  store *%y[convert(add(%i, 64:i32)):i64] = %o\n", REVERSED), ordered},
    {PIECES("64", PIECE("true"), SUM("64:i32") "  store *%y[convert(%p):i64] = %t\n"), ordered},
};

static void test_refused(void **state)
{
	struct kt_ir_facts plane = facts, unknown = facts;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		plane.block[1] = plane.block[2] = 2;
		pass_refuses(refused[i].text, "unstage",
			     strstr(refused[i].text, "thread.y") != NULL || strstr(refused[i].text, "thread.z") != NULL ? &plane : &facts, 0, refused[i].why);
	}
	for (int d = 0; d < 3; d++) {
		unknown.block[d] = 0;
		pass_refuses(PLAIN(STAGE, "", REVERSED), "unstage", &unknown, 0, "the size of the block is not constant");
		unknown.block[d] = facts.block[d];
	}
	/* Nothing tells where buffers end. */
	unknown.arguments = NULL;
	pass_refuses(PLAIN(STAGE, "", REVERSED), "unstage", &unknown, 0, "nothing keeps what is loaded again apart from what is written");
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

static const char *const lines[] = {
    PLAIN(STAGE, "", REVERSED),
    /* Only loads that may come from a store run it; several stores, of which the last one counts. */
    PLAIN(LOADED "  store %s[convert(add(thread.x, 2:u32)):i64] = %v\n  if lt(thread.x, 2:u32) {\n  store %s[convert(thread.x):i64] = 7:i32\n"
	  "  let %u = load *%x[convert(add(%i, 64:i32)):i64]\n  store %s[convert(add(thread.x, 66:u32)):i64] = %u\n  }\n", "",
	  "  let %a = load %s[convert(thread.x):i64]\n  let %b = load %s[convert(add(thread.x, 4:u32)):i64]\n  let %w = add(%a, mul(%b, 5:i32))\n"),
    PLAIN(STAGE "  barrier block\n  store %s[convert(sub(63:u32, thread.x)):i64] = %i\n", "", REVERSED),
    PLAIN(STAGE, REVERSED BARRIER "  store %s[convert(thread.x):i64] = add(%w, 1:i32)\n" BARRIER "  let %w.1 = load %s[convert(xor(thread.x, 1:u32)):i64]\n  store *%y[convert(add(%i, 1024:i32)):i64] = %w.1\n", ""),
    /* Two arrays in one, after each other: what is stored to the second one is none of the first one's, and may be past it in part. */
    PLAIN(STAGE "  store %s[convert(add(mul(thread.x, 2:u32), 64:u32)):i64] = %i\n", "", REVERSED),
    PLAIN(LOADED "  store %s[convert(add(thread.x, 64:u32)):i64] = %v\n  store %s[convert(thread.x):i64] = %i\n", "", "  let %w = load %s[convert(add(sub(63:u32, thread.x), 64:u32)):i64]\n"),
    PLAIN(STAGE "  store %s[convert(add(thread.x, 64:u32)):i64] = %i\n", "", "  let %w = load %s[convert(add(thread.x, 30:u32)):i64]\n"),
    /* One thread, a few, branches that store to one place, values of branches. */
    PLAIN(LOADED "  if eq(thread.x, 5:u32) {\n  store %s[0:i64] = %v\n  }\n", "", "  let %w = load %s[0:i64]\n"),
    PLAIN(LOADED "  if both(eq(thread.x, 5:u32), gt(%n, 3:i32)) {\n  store %s[0:i64] = %v\n  }\n  if le(%n, 3:i32) {\n  if eq(thread.x, 0:u32) {\n  store %s[0:i64] = 1:i32\n  }\n  }\n", "",
	  "  let %w = load %s[0:i64]\n"),
    PLAIN(LOADED "  if gt(%v, 30:i32) {\n  store %s[convert(thread.x):i64] = %v\n  } else {\n  store %s[convert(thread.x):i64] = %i\n  }\n", "", REVERSED),
    PLAIN(LOADED "  local %q: i32\n  if gt(%v, 30:i32) {\n  set %q = 3:i32\n  } else {\n  let %u = load *%x[convert(%v):i64]\n  set %q = %u\n  }\n  store %s[convert(thread.x):i64] = %q\n", "", REVERSED),
    /* A value that a thread changes behind its store. */
    KERNEL(LOADED "  local %q: i32\n  set %q = %v\n  if gt(%n, 7:i32) {\n  set %q = 5:i32\n  }\n  store %s[convert(thread.x):i64] = %q\n  if gt(%n, 5:i32) {\n  set %q = 9:i32\n  }\n" BARRIER REVERSED
	   "  store *%y[convert(%i):i64] = add(%w, %q)\n"),
    /* A condition on a local that has changed since. */
    KERNEL("  store %s[convert(add(thread.x, 64:u32)):i64] = 7:i32\n" LOADED "  store %s[convert(thread.x):i64] = %v\n" BARRIER
	   "  local %q: u32\n  set %q = thread.x\n  local %t: i32\n  set %t = 0:i32\n  for %k = 0:i32, 2:i32, 1:i32 {\n  if lt(%q, 64:u32) {\n  set %q = add(%q, 60:u32)\n  let %w = load %s[convert(%q):i64]\n"
	   "  set %t = add(%t, %w)\n  }\n  }\n  store *%y[convert(%i):i64] = %t\n"),
    /* An unsigned counter that is the thread's index in one place, and another one's in the other. */
    PLAIN(INDEX "  for %j = thread.x, 128:u32, 64:u32 {\n  let %v = load *%x[convert(%j):i64]\n  store %s[convert(%j):i64] = add(%v, convert(add(mul(%j, 3:u32), thread.x)):i32)\n  }\n", "",
	  "  let %a = load %s[convert(thread.x):i64]\n  let %b = load %s[convert(sub(127:u32, thread.x)):i64]\n  let %w = add(%a, mul(%b, 5:i32))\n"),
    /* Values of several loads in what is stored, and a start that is a number of the block alone. */
    PLAIN(INDEX "  for %j = block.x, 100:u32, 64:u32 {\n  if eq(thread.x, 7:u32) {\n  store %s[convert(%j):i64] = convert(%j):i32\n  }\n  }\n", "", "  let %w = load %s[convert(block.x):i64]\n"),
    PLAIN(INDEX "  for %j = -3:i32, 30:i32, 1:i32 {\n  if eq(thread.x, 7:u32) {\n  store %s[convert(add(%j, 3:i32)):i64] = %j\n  }\n  }\n", "", "  let %w = load %s[convert(rem(thread.x, 33:u32)):i64]\n"),
    /* Every third element, over what was there before. */
    PLAIN(STAGE BARRIER "  store %s[convert(add(mul(thread.x, 3:u32), 2:u32)):i64] = %i\n", "", REVERSED),
    PLAIN(STAGE BARRIER "  store %s[convert(sub(191:u32, mul(thread.x, 3:u32))):i64] = %i\n", "", REVERSED),
    PLAIN(STAGE BARRIER "  store %s[convert(mul(thread.x, 4:u32)):i64] = %i\n", "", "  let %w = load %s[convert(and(mul(thread.x, convert(%n):u32), 63:u32)):i64]\n"),
    PLAIN(INDEX "  for %j = -3:i32, 30:i32, 3:i32 {\n  if eq(thread.x, 7:u32) {\n  store %s[convert(add(%j, 3:i32)):i64] = %j\n  }\n  }\n", "", "  let %w = load %s[convert(mul(rem(thread.x, 11:u32), 3:u32)):i64]\n"),
    /* Loops around the store alone. */
    PLAIN(INDEX "  for %j = convert(thread.x):i32, 130:i32, 64:i32 {\n  let %v = load *%x[convert(%j):i64]\n  store %s[convert(%j):i64] = add(%v, convert(thread.x):i32)\n  }\n", "",
	  "  let %w = load %s[convert(mul(thread.x, 2:u32)):i64]\n"),
    PLAIN(INDEX "  for %j = 0:i32, 3:i32, 1:i32 {\n  let %v = load *%x[convert(add(%i, %j)):i64]\n  store %s[convert(add(mul(convert(thread.x):i32, 3:i32), %j)):i64] = %v\n  }\n", "",
	  "  let %w = load %s[convert(mul(thread.x, 2:u32)):i64]\n"),
    PLAIN(INDEX "  for %j = 0:i32, 128:i32, 64:i32 {\n  store %s[convert(add(convert(thread.x):i32, %j)):i64] = %j\n  }\n", "", "  let %w = load %s[convert(mul(thread.x, 2:u32)):i64]\n"),
    /* Digits of a counter that begins at the thread: rows across, and elements of rows with a gap. */
    PLAIN(INDEX "  for %j = thread.x, 256:u32, 64:u32 {\n  let %v = load *%x[convert(%j):i64]\n  store %s[convert(add(mul(rem(%j, 16:u32), 16:u32), div(%j, 16:u32))):i64] = %v\n  }\n", "",
	  "  let %a = load %s[convert(thread.x):i64]\n  let %b = load %s[convert(sub(255:u32, mul(thread.x, 3:u32))):i64]\n  let %w = add(%a, mul(%b, 5:i32))\n"),
    PLAIN(INDEX "  for %j = convert(thread.x):i32, 200:i32, 64:i32 {\n  let %v = load *%x[convert(%j):i64]\n  store %s[convert(add(mul(div(%j, 8:i32), 10:i32), rem(%j, 8:i32))):i64] = %v\n  }\n", "",
	  "  let %w = load %s[convert(add(mul(div(thread.x, 8:u32), 10:u32), rem(thread.x, 8:u32))):i64]\n"),
    /* In a loop: pieces that are whole, or of which what was stored is loaded alone. */
    PIECES("64", PIECE("true"), SUM("64:i32")),
    PIECES("64", PIECE(BELOW_N), SUM("@min(64:i32, sub.nw(%n, %p)):i32")),
    PIECES("64", PIECE("gt(%n, 9:i32)"), "  if gt(%n, 9:i32) {\n" SUM("64:i32") "  }\n"),
    PIECES("64", PIECE(BELOW_N), "  for %j = 0:i32, 64:i32, 1:i32 {\n  if lt(add(convert(%p):u32, convert(%j):u32), convert(%n):u32) {\n  let %w = load %s[convert(%j):i64]\n  set %t = add(%t, %w)\n  }\n  }\n"),
    /* Nothing that is stored depends on a barrier between accesses to what is only read, or to another argument. */
    PLAIN(STAGE "  let %o = load *%x[3:i64]\n", "  let %u = load *%x[4:i64]\n  store *%y[convert(add(%i, 1024:i32)):i64] = add(%o, %u)\n", REVERSED),
};

static const char *const planes[] = {
    /* Rows with a gap, of which a thread stores two elements: one factor is no multiple of the one before. */
    KERNEL(INDEX "  for %j = 0:i32, 16:i32, 8:i32 {\n  let %v = load *%x[convert(add(add(thread.x, convert(%j):u32), mul(thread.y, 100:u32))):i64]\n"
	   "  store %s[convert(add(add(thread.x, convert(%j):u32), mul(thread.y, 17:u32))):i64] = %v\n  }\n" BARRIER
	   "  let %w = load %s[convert(add(mul(thread.x, 2:u32), mul(xor(thread.y, 1:u32), 17:u32))):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    /* Indices of two axes, in rows of 8 or of 9. */
    KERNEL(INDEX "  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n  store %s[convert(add(thread.x, mul(thread.y, 8:u32))):i64] = %v\n" BARRIER
	   "  let %w = load %s[convert(sub(31:u32, add(thread.x, mul(thread.y, 8:u32)))):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    KERNEL(INDEX "  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n  store %s[convert(add(thread.x, mul(thread.y, 9:u32))):i64] = %v\n" BARRIER
	   "  let %w = load %s[convert(add(sub(7:u32, thread.x), mul(thread.y, 9:u32))):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    HEAD "  shared %s: [[i32 x 9] x 8]\n" INDEX "  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n  store %s[convert(thread.x):i64][convert(thread.y):i64] = %v\n" BARRIER
	 "  let %w = load %s[convert(sub(7:u32, thread.x)):i64][convert(xor(thread.y, 1:u32)):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n}\n",
    /* An index that falls along x: its digits are no terms. */
    KERNEL(INDEX "  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n  store %s[convert(add(thread.x, mul(thread.y, 8:u32))):i64] = %v\n" BARRIER
	   "  let %w = load %s[convert(sub(16:u32, thread.x)):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    /* Filled by threads in any order of their numbers. */
    KERNEL(INDEX "  for %j = convert(add(thread.x, mul(thread.y, 8:u32))):i32, 70:i32, 32:i32 {\n  store %s[convert(%j):i64] = mul(%j, convert(thread.y):i32)\n  }\n" BARRIER
	   "  let %w = load %s[convert(add(mul(thread.x, 2:u32), mul(thread.y, 15:u32))):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    /* The same with the extents of the block, one row that is a column of each row, and threads of another row that exchange nothing. */
    KERNEL(INDEX "  for %j = convert(add(thread.x, mul(thread.y, blockdim.x))):i32, 70:i32, convert(mul(blockdim.x, blockdim.y)):i32 {\n  store %s[convert(%j):i64] = mul(%j, convert(thread.y):i32)\n  }\n" BARRIER
	   "  let %w = load %s[convert(add(mul(thread.x, 2:u32), mul(thread.y, 15:u32))):i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
    HEAD "  shared %s: [[i32 x 9] x 5]\n" INDEX "  store %s[convert(thread.y):i64][convert(thread.x):i64] = %i\n" BARRIER
	 "  if eq(thread.x, 7:u32) {\n  let %v = load *%x[convert(add(%i, 1:i32)):i64]\n  store %s[convert(thread.y):i64][convert(add(thread.x, 1:u32)):i64] = %v\n  }\n"
	 "  if eq(thread.y, 3:u32) {\n  store %s[convert(add(thread.y, 1:u32)):i64][convert(thread.x):i64] = %n\n  }\n" BARRIER
	 "  let %a = load %s[convert(thread.y):i64][convert(add(thread.x, 1:u32)):i64]\n  let %b = load %s[convert(add(thread.y, 1:u32)):i64][convert(thread.x):i64]\n"
	 "  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = add(%a, mul(%b, 3:i32))\n}\n",
    KERNEL(INDEX "  if both(eq(thread.x, 2:u32), eq(thread.y, 1:u32)) {\n  let %v = load *%x[convert(add(thread.x, mul(thread.y, 100:u32))):i64]\n  store %s[0:i64] = %v\n  }\n" BARRIER
	   "  let %w = load %s[0:i64]\n  store *%y[convert(add(%i, convert(mul(thread.y, 64:u32)):i32)):i64] = %w\n"),
};

static bool has_no_shared(const struct kt_ir_module *module)
{
	char *text = ir_text(module);
	const bool has = strstr(text, "shared %") != NULL || strstr(text, "barrier") != NULL;

	free(text);
	return !has;
}

static void compare(const char *text, const struct kt_ir_facts *known, bool (*is_launch)(struct ir_shape *, const void *), unsigned launches)
{
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, text, "unstage", known);
	const struct kt_ir_module *made;
	const int64_t values[] = {1};
	struct ir_comparison c;

	if (!offer->answers[0].applies)
		fail_msg("%s\n%s", offer->answers[0].text, text);
	made = pass_variant(arena, offer, values);
	if (!has_no_shared(made))
		fail_msg("%s", ir_text(made));
	if (!ir_same_results(&c, offer->module, made, is_launch, NULL, 1, launches))
		fail_msg("%s\n%s%s", c.message, text, ir_text(made));
	if (c.right < 3)
		fail_msg("%u right, %u dropped: %s\n%s", c.right, c.dropped, kt_ir_fault_texts[c.fault], text);
	kt_arena_free(arena);
}

static void test_variants(void **state)
{
	struct kt_ir_facts plane = facts;

	(void)state;
	plane.block[0] = 8;
	plane.block[1] = 4;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		compare(lines[i], &facts, is_line, 100);
	for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
		compare(planes[i], &plane, is_plane, 400);
}

/* Two arguments of which none is `restrict`: a guard for configurations that load again. */
static void test_guards(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, PLAIN(STAGE, "", REVERSED), "unstage", &facts);

	(void)state;
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "UNSTAGE == 0 || (disjoint(x, n, y, n))");
	assert_int_equal(offer->tunables[0].original, 0);
	kt_arena_free(arena);
}

static size_t place_of(const struct kt_ir_offer *offer, const char *name)
{
	size_t i = 0;

	while (i < offer->tunable_count && strcmp(offer->tunables[i].name, name) != 0)
		i++;
	assert_true(i < offer->tunable_count);
	return i;
}

static bool has_clause(const struct kt_ir_clause *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].text, text) == 0)
			return true;
	return false;
}

/* Parameters of both kernels in one offer: `blocks` needs the barriers, `items` needs that there are none. */
static void test_joined(void **state)
{
	static const char *const allowed[] = {"unstage", "blocks", "items", "launch_bounds"};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, PLAIN(STAGE, "", REVERSED)), *made;
	struct kt_ir_facts all = facts;
	struct kt_ir_offer *offer;
	struct kt_error err = {0};
	int64_t values[KT_IR_MOST_TUNABLES];
	struct ir_comparison c;

	(void)state;
	all.allowed = allowed;
	all.allowed_count = 4;
	assert_true(kt_ir_offer_make(&offer, arena, module, &all, &err) == KT_OK);
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "UNSTAGE == 0 || BLOCKS == 1"));
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "UNSTAGE == 1 || ITEMS == 1"));
	assert_true(has_clause(offer->guards, offer->guard_count, "UNSTAGE == 1 || ((8) % BLOCKS == 0)"));
	assert_true(has_clause(offer->guards, offer->guard_count, "UNSTAGE == 0 || ((8) % ITEMS == 0)"));
	assert_string_equal(offer->grid[0], "UNSTAGE == 1 ? (ceil_div(8, ITEMS)) : (ceil_div(8, BLOCKS))");
	assert_string_equal(offer->blocks[0], "64");
	for (size_t i = 0; i < offer->tunable_count; i++) {
		assert_true(offer->tunables[i].has_original);
		values[i] = offer->tunables[i].original;
	}
	for (size_t i = 0; i < offer->answer_count; i++)
		assert_true(offer->answers[i].applies);
	/* The kernel as it is. */
	assert_true(kt_ir_variant_make(&made, arena, offer, values, &err) == KT_OK);
	assert_false(has_no_shared(made));
	values[place_of(offer, "UNSTAGE")] = 1;
	assert_true(kt_ir_variant_make(&made, arena, offer, values, &err) == KT_OK);
	assert_true(has_no_shared(made));
	assert_true(ir_same_results(&c, module, made, is_line, NULL, 1, 60) && c.right > 0);
	values[place_of(offer, "ITEMS")] = 3;
	assert_true(kt_ir_variant_make(&made, arena, offer, values, &err) == KT_ERR_INVALID);
	kt_arena_free(arena);
}

/* Nothing of a kernel without shared memory is left where a template has no room for it. */
static void test_left_out(void **state)
{
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_module *module = ir_read(arena, PLAIN(STAGE, "", REVERSED));
	struct kt_ir_offer offer = {.arena = arena, .module = module, .kernel = module->last_function, .facts = &facts, .written = &facts}, *other;

	(void)state;
	offer.normal = pass_offer(arena, PLAIN(STAGE, "", REVERSED), "unstage", &facts)->normal;
	offer.asked = kt_ir_passes[0];
	assert_string_equal(offer.asked->name, "unstage");
	assert_true(offer.asked->applies(&offer));
	other = (struct kt_ir_offer *)(uintptr_t)offer.other;
	assert_true(has_clause(other->guards, other->guard_count, "disjoint(x, n, y, n)"));
	other->tunable_count = KT_IR_MOST_TUNABLES;
	for (size_t i = 0; i < KT_IR_MOST_TUNABLES; i++)
		other->tunables[i] = offer.tunables[0];
	kt_ir_offer_join(&offer);
	assert_true(offer.other == NULL && !offer.answers[0].applies);
	assert_string_equal(offer.answers[0].text, "the passes offer more for both kernels than a template holds");
	assert_int_equal(offer.tunable_count + offer.restriction_count + offer.guard_count, 0);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_left_out), cmocka_unit_test(test_refused), cmocka_unit_test(test_variants), cmocka_unit_test(test_guards),
					   cmocka_unit_test(test_joined)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
