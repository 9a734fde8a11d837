/* The normal form: what each pass makes of a kernel, and that it computes the same. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/normal.h"
#include "ir_case.h"
#include "launches.h"

#define HEAD "module\n"
#define KERNEL "kernel @k(%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict, %n: i32)"

static struct kt_ir_module *normal_of(struct kt_arena *arena, const char *text, const int64_t *block)
{
	struct kt_ir_module *module = ir_read(arena, text);
	struct kt_error err = {0};

	if (kt_ir_verify(module, false, &err) != KT_OK || kt_ir_normalise(module, block, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	return module;
}

/* The kernel has this normal form, which is its own, and computes the same. */
static void becomes(const char *body, const char *assumes, const char *wanted, const int64_t *block)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES), after = KT_BUF(KT_IR_TEXT_BYTES);
	struct kt_ir_module *original, *module;
	struct ir_comparison comparison;
	char *made, *again;

	kt_buf_addf(&text, "%s%s {\n%s}\n", HEAD, KERNEL, body);
	kt_buf_addf(&after, "%s%s%s {\n%s}\n", HEAD, KERNEL, assumes, wanted);
	original = ir_read(arena, text.data);
	module = normal_of(arena, text.data, block);
	made = ir_text(module);
	assert_string_equal(made, after.data);
	for (int p = 0; p < KT_IR_NORMAL_PASSES; p++)
		if (kt_ir_normalise_by(module, (enum kt_ir_normal_number)p, block))
			fail_msg("%s changes its own normal form\n%s", kt_ir_normal_passes[p].name, made);
	again = ir_text(module);
	assert_string_equal(made, again);
	if (block == NULL && !ir_same_results(&comparison, original, module, NULL, NULL, 1, 6))
		fail_msg("%s\n%s\n%s", comparison.message, text.data, made);
	free(made);
	free(again);
	kt_buf_free(&text);
	kt_buf_free(&after);
	kt_arena_free(arena);
}

#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define USE "store *%y[convert(%i):i64] = 0x1p+0:f32\n"
/* Stores the integer %v where the thread's index is within n. */
#define KEEP(v) "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = convert(" v "):f32\n  }\n"

#define GREATEST(body)                                                                                                                 \
	"  local %m: i32\n  set %m = 0:i32\n  for %k = 0:i32, 9:i32, 1:i32 {\n" body "  }\n" KEEP("%m")
#define TWICE(between, again)                                                                                                          \
	"  if lt(%i, %n) {\n    let %a = load *%x[convert(%i):i64]\n" between "    let %b = load " again                               \
	"\n    store *%y[convert(%i):i64] = add(%a, %b)\n  }\n"
#define ONCE "  if lt(%i, %n) {\n    let %a = load *%x[convert(%i):i64]\n    store *%y[convert(%i):i64] = add(%a, %a)\n  }\n"
#define KEPT(body) {body, "", body}

static const struct {
	const char *before, *assumes, *after;
} cases[] = {
    /* fold */
    {INDEX KEEP("add.nw(add.nw(3:i32, %n), 4:i32)"), "", INDEX KEEP("add.nw(%n, 7:i32)")},
    {INDEX KEEP("add(add.nw(%n, 3:i32), 4:i32)"), "", INDEX KEEP("add(%n, 7:i32)")},
    {INDEX KEEP("mul.nw(%n, mul.nw(2:i32, 3:i32))"), "", INDEX KEEP("mul.nw(%n, 6:i32)")},
    {INDEX KEEP("sub.nw(shl.nw(%n, 2:i32), 1:i32)"), "", INDEX KEEP("add.nw(mul.nw(%n, 4:i32), -1:i32)")},
    {INDEX KEEP("select(lt(2:i32, 3:i32), %n, %i)"), "", INDEX KEEP("%n")},
    {INDEX KEEP("convert(convert(%n):i64):i32"), "", INDEX KEEP("%n")},
    {INDEX KEEP("convert(convert(%n):i8):i32"), "", INDEX KEEP("convert(convert(%n):i8):i32")},
    /* Constants of another floating-point type, as they are rounded; none that a unit may flush to zero, or that has an infinite value then. */
    {INDEX KEEP("convert(add(convert(%n):f32, convert(0x0p+0:f64):f32)):i32"), "", INDEX KEEP("convert(add(convert(%n):f32, 0x0p+0:f32)):i32")},
    {INDEX KEEP("convert(add(convert(%n):f32, convert(0x1.0000000000001p+0:f64):f32)):i32"), "", INDEX KEEP("convert(add(convert(%n):f32, 0x1p+0:f32)):i32")},
    {INDEX KEEP("convert(add(convert(%n):f64, convert(0x1p-1:f32):f64)):i32"), "", INDEX KEEP("convert(add(convert(%n):f64, 0x1p-1:f64)):i32")},
    KEPT(INDEX KEEP("convert(add(convert(%n):f32, convert(0x1.8p-149:f64):f32)):i32")),
    KEPT(INDEX KEEP("convert(add(convert(%n):f32, convert(0x1p+200:f64):f32)):i32")),
    KEPT(INDEX KEEP("convert(add(convert(%n):f16, convert(0x1.0001p+0:f32):f16)):i32")),
    {INDEX KEEP("rem(add.nw(%n, 0:i32), 1:i32)"), "",
     INDEX "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = 0x0p+0:f32\n  }\n"},
    {INDEX "  if not(ge(%i, %n)) {\n    " USE "  }\n", "", INDEX "  if lt(%i, %n) {\n    " USE "  }\n"},
    {INDEX "  if not(either(ge(%i, %n), gt(0:i32, %i))) {\n    " USE "  }\n", "",
     INDEX "  if both(lt(%i, %n), ge(%i, 0:i32)) {\n    " USE "  }\n"},
    /* A comparison of fractions has another opposite: neither holds where one is no number. */
    {INDEX "  let %v = load *%x[0:i64]\n  if not(lt(%v, 0x1p+0:f32)) {\n    " USE "  }\n", "",
     INDEX "  let %v = load *%x[0:i64]\n  if not(lt(%v, 0x1p+0:f32)) {\n    " USE "  }\n"},
    /* dead */
    {INDEX "  let %unused = load *%x[0:i64]\n  local %a: i32\n  set %a = %n\n" KEEP("%n"), "", INDEX KEEP("%n")},
    {INDEX "  if eq(1:i32, 2:i32) {\n    " USE "  } else {\n    if lt(%i, %n) {\n      " USE "    }\n  }\n  return\n",
     "", INDEX "  if lt(%i, %n) {\n    " USE "  }\n"},
    {INDEX "  switch 3:i32 {\n  case 1, 2 {\n    return\n  }\n  default {\n" KEEP("%n") "  }\n  }\n", "",
     INDEX KEEP("%n")},
    {INDEX "  if lt(%i, %n) {\n  } else {\n    return\n  }\n" USE, "", INDEX "  if lt(%i, %n) {\n    " USE "  }\n"},
    /* The only iteration of a loop, upward, downward, at the end of the numbers; not one of two, and not one with a jump. */
    {INDEX "  local %v: i32\n  set %v = %i\n  for %k = 0:i32, 1:i32, 1:i32 {\n    if lt(%v, %n) {\n      store *%y[convert(%v):i64] = convert(%k):f32\n    }\n"
	   "    set %v = add.nw(%v, %n)\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = 0x0p+0:f32\n  }\n"},
    {INDEX "  for %k = 3:i32, 1:i32, -2:i32 {\n    if lt(%i, %n) {\n      store *%y[convert(%i):i64] = convert(%k):f32\n    }\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = 0x1.8p+1:f32\n  }\n"},
    {INDEX "  for %k = 9223372036854775806:i64, 9223372036854775807:i64, 4:i64 {\n    if lt(%i, %n) {\n      store *%y[%k] = 0x1p+0:f32\n    }\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    store *%y[9223372036854775806:i64] = 0x1p+0:f32\n  }\n"},
    KEPT(INDEX "  if lt(%i, %n) {\n    for %k = 0:i32, 2:i32, 1:i32 {\n      store *%y[convert(%k):i64] = 0x1p+0:f32\n    }\n  }\n"),
    KEPT(INDEX "  if lt(%i, %n) {\n    for %k = 3:i32, 0:i32, -2:i32 {\n      store *%y[convert(%k):i64] = 0x1p+0:f32\n    }\n  }\n"),
    KEPT("  for %l = 0:i32, %n, 1:i32 {\n    for %k = 0:i32, 1:i32, 1:i32 {\n      let %v = load *%x[convert(%l):i64]\n      if lt(%v, 0x1p+0:f32) {\n"
	 "        continue 1\n      }\n      store *%y[convert(%l):i64] = %v\n    }\n    store *%y[0:i64] = 0x1p+0:f32\n  }\n"),
    /* parts: a vector that is exchanged with itself; one of which a value stays, one that is loaded, one that is chosen as a whole. */
    {INDEX "  local %p: vec<i32, 2, 8>\n  set %p = construct(%n, %i):vec<i32, 2, 8>\n  for %k = 0:i32, %n, 1:i32 {\n"
	   "    set %p = construct(extract(%p, 1), extract(%p, 0)):vec<i32, 2, 8>\n  }\n  store *%y[convert(%i):i64] = convert(extract(%p, 0)):f32\n", "",
     INDEX "  local %p: i32\n  local %p.1: i32\n  set %p = %n\n  set %p.1 = %i\n  for %k = 0:i32, %n, 1:i32 {\n    let %0 = %p\n    set %p = %p.1\n"
	   "    set %p.1 = %0\n  }\n  store *%y[convert(%i):i64] = convert(%p):f32\n"},
    KEPT(INDEX "  let %0 = load *%x[convert(%i):i64].as(vec<f32, 2, 8>, align 4)\n  store *%y[convert(%i):i64] = add(extract(%0, 0), extract(%0, 1))\n"),
    KEPT(INDEX "  let %0 = load *%x[convert(%i):i64].as(vec<f32, 2, 8>, align 4)\n  let %1 = load *%x[convert(%n):i64].as(vec<f32, 2, 8>, align 4)\n"
	       "  let %p = select(lt(%i, 3:i32), %0, %1)\n  store *%y[convert(%i):i64] = add(extract(%p, 0), extract(%p, 1))\n"),
    KEPT(INDEX "  local %p: vec<f32, 2, 8> memory\n  store %p = construct(0x0p+0:f32, 0x1p+0:f32):vec<f32, 2, 8>\n"
	       "  store *(convert(addr(%p)):ptr<generic, f32>)[convert(%n):i64] = 0x0p+0:f32\n  let %0 = load %p\n"
	       "  store *%y[convert(%i):i64] = extract(%0, 0)\n"),
    KEPT(INDEX "  local %p: vec<f32, 2, 8> memory\n  local %q: vec<f32, 2, 8> memory\n  store %p = construct(0x0p+0:f32, 0x1p+0:f32):vec<f32, 2, 8>\n"
	       "  store %q = construct(0x1p+0:f32, 0x0p+0:f32):vec<f32, 2, 8>\n  let %0 = load *(select(lt(%i, %n), addr(%p), addr(%q)))\n"
	       "  store *%y[convert(%i):i64] = add(extract(%0, 0), extract(%0, 1))\n"),
    /* induction in steps: by a multiple of the step, in 64 bits and modulo 2^32; by what is none. A product that may wrap is no multiple in 64 bits. */
    {INDEX "  local %p: i64\n  set %p = convert(%i):i64\n  local %q: i32\n  set %q = 0:i32\n  local %r: i32\n  set %r = 0:i32\n  for %k = 0:i32, %n, 8:i32 {\n"
	   "    store *%y[%p] = convert(%q):f32\n    store *%y[convert(%r):i64] = 0x1p+0:f32\n    set %p = add.nw(%p, convert(mul.nw(%n, 16:i32)):i64)\n"
	   "    set %q = add(%q, mul(%n, 24:i32))\n    set %r = add(%r, %n)\n  }\n", "",
     INDEX "  let %p = convert(%i):i64\n  for %k = 0:i32, %n, 8:i32 {\n"
	   "    store *%y[add.nw(%p, mul.nw(convert(%k):i64, convert(mul.nw(%n, 2:i32)):i64))] = convert(mul(%k, mul(%n, 3:i32))):f32\n"
	   "    store *%y[convert(mul(convert(div(convert(%k):u32, 8:u32)):i32, %n)):i64] = 0x1p+0:f32\n  }\n"},
    {INDEX "  local %p: i64\n  set %p = 0:i64\n  for %k = 0:i32, %n, 8:i32 {\n    store *%y[%p] = 0x1p+0:f32\n    set %p = add.nw(%p, convert(mul(%n, 16:i32)):i64)\n  }\n", "",
     "  for %k = 0:i32, %n, 8:i32 {\n    store *%y[mul.nw(convert(div(convert(%k):u64, 8:u64)):i64, convert(mul(%n, 16:i32)):i64)] = 0x1p+0:f32\n  }\n"},
    {INDEX "  local %p: i64\n  set %p = 0:i64\n  for %k = 0:i32, %n, 8:i32 {\n    store *%y[%p] = 0x1p+0:f32\n    set %p = add.nw(%p, convert(mul.nw(mul(%n, 16:i32), %i)):i64)\n  }\n", "",
     INDEX "  for %k = 0:i32, %n, 8:i32 {\n    store *%y[mul.nw(convert(div(convert(%k):u64, 8:u64)):i64, convert(mul.nw(mul(%n, 16:i32), %i)):i64)] = 0x1p+0:f32\n  }\n"},
    /* origin: an end that is the start and an argument, and the start and a number; not with a product that may wrap, or that is another index. */
    {INDEX "  let %b = mul.nw(%i, %n)\n  for %k = %b, add.nw(%b, %n), 3:i32 {\n    store *%y[convert(%k):i64] = convert(sub.nw(%k, %b)):f32\n  }\n", "",
     INDEX "  let %b = mul.nw(%i, %n)\n  for %k = 0:i32, %n, 3:i32 {\n    store *%y[convert(add.nw(%b, %k)):i64] = convert(%k):f32\n  }\n"},
    {INDEX "  for %l = mul.nw(convert(block.x):i32, 7:i32), add.nw(mul.nw(convert(block.x):i32, 7:i32), 5:i32), 1:i32 {\n    store *%y[convert(%l):i64] = 0x1p+0:f32\n  }\n", "",
     "  let %l = mul.nw(convert(block.x):i32, 7:i32)\n  for %l.1 = 0:i32, 5:i32, 1:i32 {\n    store *%y[convert(add.nw(%l, %l.1)):i64] = 0x1p+0:f32\n  }\n"},
    KEPT(INDEX "  let %b = mul.nw(%i, %n)\n  for %m = %b, add(%b, %n), 3:i32 {\n    store *%y[convert(%m):i64] = 0x1p+1:f32\n  }\n"),
    KEPT(INDEX "  for %o = %i, %n, 1:i32 {\n    store *%y[convert(%o):i64] = 0x1p+2:f32\n  }\n"),
    /* A distance of 64 bits; a start that the loop changes. */
    {"  for %o = convert(block.x):i32, add.nw(convert(block.x):i32, mul.nw(%n, 3:i32)), 1:i32 {\n    store *%y[convert(%o):i64] = 0x1p+2:f32\n  }\n", "",
     "  let %o = convert(block.x):i32\n  for %o.1 = 0:i64, mul(convert(%n):i64, 3:i64), 1:i64 {\n    store *%y[convert(add(%o, convert(%o.1):i32)):i64] = 0x1p+2:f32\n  }\n"},
    {"  local %p: i32\n  set %p = %n\n  if lt(%n, 3:i32) {\n    set %p = 3:i32\n  }\n  for %o = add.nw(%p, convert(block.x):i32), add.nw(%p, add.nw(convert(block.x):i32, %n)), 1:i32 {\n"
     "    store *%y[convert(%o):i64] = convert(sub.nw(%o, add.nw(%p, convert(block.x):i32))):f32\n    if gt(%o, 5:i32) {\n      set %p = %o\n    }\n  }\n", "",
     "  local %p: i32\n  set %p = %n\n  if lt(%n, 3:i32) {\n    set %p = 3:i32\n  }\n  let %o = add.nw(%p, convert(block.x):i32)\n  for %o.1 = 0:i32, %n, 1:i32 {\n"
     "    store *%y[convert(add.nw(%o, %o.1)):i64] = convert(sub.nw(add.nw(%o, %o.1), add.nw(%p, convert(block.x):i32))):f32\n"
     "    if gt(add.nw(%o, %o.1), 5:i32) {\n      set %p = add.nw(%o, %o.1)\n    }\n  }\n"},
    KEPT("  for %o = %n, add.nw(%n, 5:i32), 1:i32 {\n    store *%y[convert(%o):i64] = 0x1p+2:f32\n  }\n"),
    KEPT(INDEX "  let %b = mul.nw(%i, %n)\n  for %o = add.nw(%b, %n), %b, -1:i32 {\n    store *%y[convert(%o):i64] = 0x1p+2:f32\n  }\n"),
    /* exits */
    {INDEX "  if ge(%i, %n) {\n    return\n  }\n  " USE, "", INDEX "  if lt(%i, %n) {\n    " USE "  }\n"},
    {INDEX "  if ge(%i, %n) {\n    return\n  }\n  for %k = 0:i32, 4:i32, 1:i32 {\n    if eq(%k, 2:i32) {\n      "
	   "continue\n    }\n"
	   "    store *%y[convert(%i):i64] = convert(%k):f32\n  }\n",
     "",
     INDEX "  if lt(%i, %n) {\n    for %k = 0:i32, 4:i32, 1:i32 {\n      if ne(%k, 2:i32) {\n"
	   "        store *%y[convert(%i):i64] = convert(%k):f32\n      }\n    }\n  }\n"},
    /* single */
    {INDEX "  local %v: i32\n  if gt(%n, 3:i32) {\n    set %v = 1:i32\n  } else {\n    set %v = %n\n  }\n" KEEP("%v"),
     "", INDEX "  let %v = select(gt(%n, 3:i32), 1:i32, %n)\n" KEEP("%v")},
    {"  set %n = div(%n, 2:i32)\n" INDEX KEEP("%n"), "",
     "  let %n.1 = div(%n, 2:i32)\n" INDEX
     "  if lt(%i, %n.1) {\n    store *%y[convert(%i):i64] = convert(%n.1):f32\n  }\n"},
    /* A local that an iteration reads before it sets it is none; one that a branch sets whose condition reads it is set anyway. */
    {INDEX "  local %v: i32\n  set %v = 0:i32\n  for %k = 0:i32, %n, 1:i32 {\n    set %v = add.nw(mul.nw(%v, 2:i32), "
	   "%k)\n    if gt(%v, 99:i32) {\n"
	   "      set %v = 1:i32\n    }\n  }\n" KEEP("%v"),
     "",
     INDEX "  local %v: i32\n  set %v = 0:i32\n  for %k = 0:i32, %n, 1:i32 {\n    let %v.1 = add.nw(mul.nw(%v, 2:i32), "
	   "%k)\n    set %v = select(gt(%v.1, 99:i32), 1:i32, %v.1)\n  }\n" KEEP("%v")},
    {INDEX GREATEST("    if gt(%k, %n) {\n      set %m = %k\n    }\n"), "", INDEX GREATEST("    if gt(%k, %n) {\n      set %m = %k\n    }\n")},
    {INDEX GREATEST("    if gt(%k, %m) {\n      set %m = %k\n    } else {\n      return\n    }\n"), "",
     INDEX GREATEST("    if gt(%k, %m) {\n      set %m = %k\n    } else {\n      return\n    }\n")},
    /* What each iteration moves by its own number is no amount. */
    KEPT(INDEX "  local %v: i32\n  set %v = 4:i32\n  for %k = 0:i32, 3:i32, 1:i32 {\n    set %v = sub.nw(%v, %k)\n  }\n" KEEP("%v")),
    KEPT(INDEX "  local %v: i32\n  set %v = 4:i32\n  for %k = 0:i32, 3:i32, 1:i32 {\n    set %v = add.nw(%v, %k)\n  }\n" KEEP("%v")),
    /* webs */
    {INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n") "  set %m = div(%m, 2:i32)\n" KEEP("%m"), "",
     INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n") "  let %m.1 = div(%m, 2:i32)\n" KEEP("%m.1")},
    {INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n") "  set %m = %n\n  for %l = 0:i32, 3:i32, 1:i32 {\n    set %m = mul.nw(%m, %l)\n  }\n"
     KEEP("%m"), "",
     INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n") "  local %m.1: i32\n  set %m.1 = %n\n  for %l = 0:i32, 3:i32, 1:i32 {\n"
     "    set %m.1 = mul.nw(%m.1, %l)\n  }\n" KEEP("%m.1")},
    /* What one branch alone uses is declared there, and so a let where it is set anew. */
    {INDEX "  local %v: i32\n  set %v = %i\n  if lt(%i, %n) {\n    set %v = add.nw(%v, %n)\n    store *%y[convert(%v):i64] = 0x1p+0:f32\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    let %v = add.nw(%i, %n)\n    store *%y[convert(%v):i64] = 0x1p+0:f32\n  }\n"},
    {INDEX "  local %v: i32\n  set %v = 7:i32\n  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = 0x1p+0:f32\n  } else {\n    set %v = mul.nw(%v, %i)\n"
	   "    store *%y[convert(%v):i64] = 0x1p+1:f32\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = 0x1p+0:f32\n  } else {\n    let %v = mul.nw(%i, 7:i32)\n"
	   "    store *%y[convert(%v):i64] = 0x1p+1:f32\n  }\n"},
    /* What both branches use, what comes behind them or decides between them, a loop, and a value that is another one there. */
    KEPT(INDEX "  local %v: i32\n  set %v = %i\n  if lt(%i, %n) {\n    set %v = add.nw(%v, %n)\n  }\n" KEEP("%v")),
    KEPT(INDEX "  local %v: i32\n  set %v = %i\n  for %k = 0:i32, 3:i32, 1:i32 {\n    set %v = div(add.nw(%v, %n), 2:i32)\n"
	 "    store *%y[convert(%v):i64] = 0x1p+0:f32\n  }\n"),
    KEPT(INDEX "  local %w: i32\n  set %w = %i\n  for %l = 0:i32, 3:i32, 1:i32 {\n    local %v: i32\n    set %v = %w\n    set %w = div(add.nw(%w, %n), 2:i32)\n"
	 "    if lt(%w, 9:i32) {\n      for %k = 0:i32, 3:i32, 1:i32 {\n        set %v = div(add.nw(%v, %k), 2:i32)\n      }\n"
	 "      store *%y[convert(%v):i64] = 0x1p+0:f32\n    }\n  }\n"),
    /* What an iteration leaves is what the next one begins with; a branch may have been passed by. */
    KEPT(INDEX "  local %m: i32\n  set %m = 0:i32\n  for %k = 0:i32, 9:i32, 1:i32 {\n    for %l = 0:i32, %m, 1:i32 {\n      set %m = select(gt(%l, 2:i32), %m, %k)\n"
	 "    }\n    set %m = add.nw(mul.nw(%m, 2:i32), 1:i32)\n  }\n" KEEP("%m")),
    KEPT(INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n") "  if gt(%n, 3:i32) {\n    set %m = 0:i32\n  }\n" KEEP("%m")),
    /* loads */
    {INDEX TWICE("", "*%x[convert(%i):i64]"), "", INDEX ONCE},
    {INDEX TWICE("    store *%y[4096:i64] = %a\n", "*%x[convert(%i):i64]"), "",
     INDEX "  if lt(%i, %n) {\n    let %a = load *%x[convert(%i):i64]\n    store *%y[4096:i64] = %a\n    store *%y[convert(%i):i64] = add(%a, %a)\n  }\n"},
    {INDEX "  if lt(%i, %n) {\n    let %a = load *%x[convert(%i):i64]\n    for %k = 0:i32, 3:i32, 1:i32 {\n      if gt(%k, %i) {\n"
	   "        let %b = load *%x[convert(%i):i64]\n        store *%y[convert(%i):i64] = mul(%b, %a)\n      }\n    }\n  }\n", "",
     INDEX "  if lt(%i, %n) {\n    let %a = load *%x[convert(%i):i64]\n    for %k = 0:i32, 3:i32, 1:i32 {\n      if gt(%k, %i) {\n"
	   "        store *%y[convert(%i):i64] = mul(%a, %a)\n      }\n    }\n  }\n"},
    /* What may be another value the second time is loaded again: another place, another index, written memory, a barrier. */
    KEPT(INDEX TWICE("", "*%x[convert(%n):i64]")),
    KEPT(INDEX TWICE("", "*%x[convert(%i):i64] cache(cs)")),
    KEPT(INDEX "  if lt(%i, %n) {\n    let %a = load *%y[convert(%i):i64]\n    store *%y[convert(%i):i64] = 0x1p+0:f32\n"
	 "    let %b = load *%y[convert(%i):i64]\n    store *%y[convert(%i):i64] = add(%a, %b)\n  }\n"),
    KEPT("  shared %s: [f32 x 64]\n" INDEX "  let %a = load %s[0:i64]\n  barrier block\n  let %b = load %s[0:i64]\n"
	 "  store *%y[convert(%i):i64] = add(%a, %b)\n"),
    KEPT(INDEX "  if lt(%i, %n) {\n    for %k = 0:i32, 3:i32, 1:i32 {\n      let %a = load *%y[convert(%i):i64]\n"
	 "      store *%y[convert(%i):i64] = mul(%a, 0x1p+1:f32)\n      if gt(%k, 1:i32) {\n        let %b = load *%y[convert(%i):i64]\n"
	 "        store *%y[convert(%i):i64] = add(%a, %b)\n      }\n    }\n  }\n"),
    KEPT(INDEX "  local %j: i32\n  set %j = %i\n  for %k = 0:i32, 3:i32, 1:i32 {\n    let %a = load *%x[convert(%j):i64]\n"
	 "    set %j = add.nw(div(%j, 2:i32), %k)\n    let %b = load *%x[convert(%j):i64]\n    atomic.add *%y[0:i64] (sub(%a, %b)) relaxed grid\n  }\n"),
    KEPT(INDEX "  if lt(%i, %n) {\n    let %a = load *%y[convert(%i):i64]\n    loop {\n      let %b = load *%y[convert(%i):i64]\n"
	 "      if gt(%b, %a) {\n        break\n      }\n      store *%y[convert(%i):i64] = 0x1p+9:f32\n    }\n  }\n"),
    /* copies */
    {INDEX GREATEST("    let %t = select(gt(%k, %m), %k, %m)\n    set %m = %t\n"), "", INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n")},
    {INDEX GREATEST("    let %b = %m\n    let %t = select(gt(%k, %b), %k, %b)\n    set %m = %t\n"), "",
     INDEX GREATEST("    set %m = select(gt(%k, %m), %k, %m)\n")},
    KEPT(INDEX GREATEST("    let %b = %m\n    set %m = div(%k, 2:i32)\n    store *%y[convert(%i):i64] = convert(add.nw(%b, %m)):f32\n")),
    KEPT(INDEX GREATEST("    let %b = %m\n    if lt(%k, %i) {\n      set %m = %k\n      store *%y[convert(%i):i64] = convert(%b):f32\n    }\n")),
    KEPT(INDEX GREATEST("    let %t = select(gt(%k, %m), %k, %m)\n    set %m = %t\n    store *%y[convert(%i):i64] = convert(%t):f32\n")),
    {INDEX "  local %m: f32 memory\n  store %m = 0x0p+0:f32\n  for %k = 0:i32, 3:i32, 1:i32 {\n    let %a = load %m\n    let %b = load *%x[convert(%k):i64]\n"
	   "    let %p = select(lt(%a, %b), addr(*%x[convert(%k):i64]), convert(addr(%m)):ptr<global, const f32>)\n"
	   "    let %c = load *%p\n    store %m = %c\n  }\n  let %v = load %m\n  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = %v\n  }\n", "",
     INDEX "  local %m: f32\n  set %m = 0x0p+0:f32\n  for %k = 0:i32, 3:i32, 1:i32 {\n    let %b = load *%x[convert(%k):i64]\n"
	   "    set %m = select(lt(%m, %b), %b, %m)\n  }\n  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = %m\n  }\n"},
    KEPT(INDEX "  local %m: [f32 x 2]\n  store %m[0:i64] = 0x0p+0:f32\n  for %k = 0:i32, 2:i32, 1:i32 {\n    store %m[convert(%k):i64] = 0x1p+0:f32\n"
	 "  }\n  let %v = load %m[0:i64]\n  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = %v\n  }\n"),
    /* pointers; of one that leads to volatile memory the access is volatile, and an atomic stays */
    {INDEX "  if lt(%i, %n) {\n    let %p = convert(%y):ptr<global, volatile f32>\n    let %v = load *%p[convert(%i):i64]\n"
     "    store *%p[convert(%i):i64] = neg(%v)\n    atomic.add *%p[convert(%i):i64] (0x1p+0:f32) relaxed grid\n  }\n",
     "",
     INDEX "  if lt(%i, %n) {\n    let %p = convert(%y):ptr<global, volatile f32>\n    let %v = load *%y[convert(%i):i64] volatile\n"
     "    store *%y[convert(%i):i64] = neg(%v) volatile\n    atomic.add *%p[convert(%i):i64] (0x1p+0:f32) relaxed grid\n  }\n"},
    {INDEX "  local %p: ptr<global, const f32>\n  set %p = addr(*%x[convert(%i):i64])\n  set %p = addr(*%p[2:i64])\n"
	   "  if lt(%i, %n) {\n    let %v = load *%p[1:i64]\n    store *%y[convert(%i):i64] = %v\n  }\n",
     "",
     INDEX "  let %p = convert(%i):i64\n  let %p.1 = add.nw(%p, 2:i64)\n"
	   "  if lt(%i, %n) {\n    let %v = load *%x[add.nw(%p.1, 1:i64)]\n    store *%y[convert(%i):i64] = %v\n  }\n"},
    {INDEX "  set %x = addr(*%x[convert(%i):i64])\n  if lt(%i, %n) {\n    let %v = load *%x[0:i64]\n"
	   "    store *%y[convert(%i):i64] = %v\n  }\n",
     "",
     INDEX "  let %x.1 = convert(%i):i64\n  if lt(%i, %n) {\n    let %v = load *%x[%x.1]\n"
	   "    store *%y[convert(%i):i64] = %v\n  }\n"},
    /* elements of another type: places say of which argument, and what leads into private memory stays */
    {INDEX "  local %q: ptr<global, const vec<f32, 2, 8>>\n  set %q = convert(addr(*%x[2:i64])):ptr<global, const vec<f32, 2, 8>>\n"
	   "  if lt(%i, %n) {\n    let %v = load *%q[convert(%i):i64]\n    store *%y[convert(%i):i64] = extract(%v, 0)\n  }\n",
     "",
     INDEX "  if lt(%i, %n) {\n    let %v = load *(convert(addr(*%x[2:i64])):ptr<global, const vec<f32, 2, 8>>)[convert(%i):i64]\n"
	   "    store *%y[convert(%i):i64] = extract(%v, 0)\n  }\n"},
    KEPT(INDEX "  local %m: [f32 x 4]\n  store %m[0:i64] = 0x0p+0:f32\n  store %m[1:i64] = 0x0p+0:f32\n"
	 "  let %q = convert(addr(%m[0:i64])):ptr<generic, const vec<f32, 2, 8>>\n  if lt(%i, %n) {\n    let %v = load *%q[convert(%i):i64]\n"
	 "    store *%y[convert(%i):i64] = extract(%v, 0)\n  }\n"),
    /* axes */
    {INDEX "  let %v = mul.nw(%i, warpsize)\n" KEEP("%v"), "", INDEX "  let %v = mul.nw(%i, 32:i32)\n" KEEP("%v")},
    {"  let %t = convert(thread.x):i32\n  let %i = convert(add(convert(add.nw(%t, 1:i32)):u32, mul(blockdim.x, "
     "block.x))):i32\n" KEEP("%i"),
     "", "  let %i = convert(add(add(mul(block.x, blockdim.x), thread.x), 1:u32)):i32\n" KEEP("%i")},
    {"  let %j = add(convert(thread.x):u64, mul(convert(blockdim.x):u64, convert(block.x):u64))\n  let %i = "
     "convert(%j):i32\n" KEEP("%i"),
     "",
     "  let %j = add(mul(convert(block.x):u64, convert(blockdim.x):u64), convert(thread.x):u64)\n  let %i = "
     "convert(%j):i32\n" KEEP("%i")},
    {"  let %f = mul(block.x, blockdim.x)\n  let %i = convert(add(thread.x, %f)):i32\n" KEEP("mul.nw(%i, 2:i32)"), "",
     INDEX KEEP("mul.nw(%i, 2:i32)")},
};

static void test_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		becomes(cases[i].before, cases[i].assumes, cases[i].after, NULL);
}

/* ---- Loops ---- */

#define STRIDE_LIMIT " assumes(le(mul(convert(griddim.x):i64, convert(blockdim.x):i64), 2147483647:i64))"
#define BODY(k) "    store *%y[convert(" k "):i64] = convert(" k "):f32\n"
#define FOR(bounds) "  for %k = " bounds " {\n" BODY("%k") "  }\n"
#define WHILE(declared, exit, step)                                                                                    \
	"  local %k: " declared "\n  loop {\n    if " exit                                                             \
	" {\n      break\n    }\n" BODY("%k") "  } next {\n    set %k = " step "\n  }\n"

/* A kernel of one thread's loop: raw, and in normal form. */
static const struct {
	const char *before, *after;
} loops[] = {
    {WHILE("i32\n  set %k = 0:i32", "not(lt(%k, %n))", "add.nw(%k, 1:i32)"), FOR("0:i32, %n, 1:i32")},
    {WHILE("i32\n  set %k = 1:i32", "not(le(%k, %n))", "add.nw(%k, 3:i32)"), FOR("1:i32, add.nw(%n, 1:i32), 3:i32")},
    {WHILE("i32\n  set %k = 0:i32", "eq(%k, %n)", "add.nw(1:i32, %k)"), FOR("0:i32, %n, 1:i32")},
    {WHILE("i32\n  set %k = %n", "not(gt(%k, 0:i32))", "sub.nw(%k, 1:i32)"), FOR("%n, 0:i32, -1:i32")},
    {WHILE("i32\n  set %k = %n", "lt(%k, 1:i32)", "sub.nw(%k, 2:i32)"), FOR("%n, 0:i32, -2:i32")},
    {WHILE("i32\n  set %k = 0:i32", "not(gt(%n, %k))", "add.nw(%k, 1:i32)"), FOR("0:i32, %n, 1:i32")},
    {WHILE("u32\n  set %k = 0:u32", "not(lt(%k, convert(%n):u32))", "add(%k, 1:u32)"),
     FOR("0:u32, convert(%n):u32, 1:u32")},
    /* A counter plus a number, of constants. */
    {WHILE("u32\n  set %k = 0:u32", "gt(add(%k, 8:u32), 64:u32)", "add(%k, 8:u32)"), FOR("0:u32, 57:u32, 8:u32")},
    {WHILE("i32\n  set %k = 2:i32", "ge(add.nw(%k, 3:i32), 9:i32)", "add.nw(%k, 2:i32)"), FOR("2:i32, 6:i32, 2:i32")},
    /* At the end of the body instead of behind it. */
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n    if not(lt(%k, %n)) {\n      break\n    }\n" BODY(
	 "%k") "    set %k = add.nw(%k, 1:i32)\n  }\n",
     FOR("0:i32, %n, 1:i32")},
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n    if lt(%k, %n) {\n" BODY(
	 "%k") "    } else {\n      break\n    }\n"
	       "    set %k = add.nw(%k, 1:i32)\n  }\n",
     FOR("0:i32, %n, 1:i32")},
    /* x[k++]: it steps where it is read. */
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n    if not(lt(%k, %n)) {\n      break\n    }\n    let %o = %k\n    set %k = add.nw(%o, 1:i32)\n" BODY(
	 "%o") "  }\n",
     FOR("0:i32, %n, 1:i32")},
    /* do: one iteration at least. */
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n" BODY("%k") "    set %k = add.nw(%k, 1:i32)\n  } next {\n"
								"    if not(lt(%k, %n)) {\n      break\n    }\n  }\n",
     FOR("0:i32, select(gt(%n, 0:i32), %n, 1:i32), 1:i32")},
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n" BODY(
	 "%k") "    set %k = add.nw(%k, 1:i32)\n    if ge(%k, 5:i32) {\n      break\n    }\n  }\n",
     FOR("0:i32, 5:i32, 1:i32")},
    /* The counter behind the loop. */
    {WHILE("i32\n  set %k = 0:i32", "not(lt(%k, %n))", "add.nw(%k, 1:i32)") "  store *%y[200:i64] = convert(%k):f32\n",
     FOR("0:i32, %n, 1:i32") "  let %k.1 = select(gt(%n, 0:i32), %n, 0:i32)\n  store *%y[200:i64] = "
			     "convert(%k.1):f32\n"},
    /* A pointer that counts. */
    {"  local %p: ptr<global, const f32>\n  set %p = %x\n  local %q: ptr<global, f32>\n  set %q = %y\n  loop {\n"
     "    if not(ne(%p, addr(*%x[convert(%n):i64]))) {\n      break\n    }\n    let %v = load *%p[0:i64]\n    store "
     "*%q[0:i64] = %v\n"
     "  } next {\n    set %p = addr(*%p[1:i64])\n    set %q = addr(*%q[1:i64])\n  }\n",
     "  for %p = 0:i64, convert(%n):i64, 1:i64 {\n    let %v = load *%x[%p]\n    store *%y[%p] = %v\n  }\n"},
    /* *q++ = *p++. */
    {"  local %p: ptr<global, const f32>\n  set %p = %x\n  local %q: ptr<global, f32>\n  set %q = %y\n  loop {\n"
     "    if not(ne(%p, addr(*%x[convert(%n):i64]))) {\n      break\n    }\n    let %o = %p\n    set %p = addr(*%o[1:i64])\n"
     "    let %v = load *%o[0:i64]\n    let %r = %q\n    set %q = addr(*%r[1:i64])\n    store *%r[0:i64] = %v\n  }\n",
     "  for %p = 0:i64, convert(%n):i64, 1:i64 {\n    let %v = load *%x[%p]\n    store *%y[%p] = %v\n  }\n"},
    /* A bound that is loaded, from what is not written. */
    {"  local %k: i32\n  set %k = 0:i32\n  loop {\n    let %e = load *%x[3:i64]\n    if not(lt(%k, convert(%e):i32)) "
     "{\n      break\n    }\n" BODY("%k") "  } next {\n    set %k = add.nw(%k, 1:i32)\n  }\n",
     "  let %e = load *%x[3:i64]\n  for %k = 0:i32, convert(%e):i32, 1:i32 {\n" BODY("%k") "  }\n"},
};

/* Loops that are no for: what the exit asks changes, the step does, the counter may wrap. */
static const char *const others[] = {
    WHILE("i32\n  set %k = %n", "le(%k, 0:i32)", "div(%k, 2:i32)"),
    WHILE("i32\n  set %k = 0:i32", "ge(mul.nw(%k, %k), %n)", "add.nw(%k, 1:i32)"),
    WHILE("u32\n  set %k = convert(%n):u32", "ge(%k, convert(%n):u32)", "add(%k, 4294967295:u32)"),
    /* Of a counter plus a number, neither may be anything: a sum that wraps at once, or at the bound, a number that is loaded. */
    WHILE("u32\n  set %k = 0:u32", "gt(add(%k, 65:u32), 64:u32)", "add(%k, 8:u32)"),
    WHILE("u32\n  set %k = 0:u32", "gt(add(%k, 8:u32), 4294967290:u32)", "add(%k, 8:u32)"),
    WHILE("u32\n  set %k = 4294967290:u32", "gt(add(%k, 8:u32), 64:u32)", "add(%k, 8:u32)"),
    WHILE("u32\n  set %k = convert(%n):u32", "gt(add(%k, 8:u32), 64:u32)", "add(%k, 8:u32)"),
    WHILE("u32\n  set %k = 0:u32", "gt(add(%k, 8:u32), convert(%n):u32)", "add(%k, 8:u32)"),
    /* Another break. */
    "  local %k: i32\n  set %k = 0:i32\n  loop {\n    if ge(%k, %n) {\n      break\n    }\n    let %v = load "
    "*%x[convert(%k):i64]\n"
    "    if lt(%v, 0x0p+0:f32) {\n      break\n    }\n" BODY("%k") "  } next {\n    set %k = add.nw(%k, 1:i32)\n  }\n",
    /* A bound that the loop writes. */
    "  local %k: i32\n  set %k = 0:i32\n  loop {\n    let %e = load *%y[3:i64]\n    if ge(%k, convert(%e):i32) {\n     "
    " break\n    }\n" BODY("%k") "  } next {\n    set %k = add.nw(%k, 1:i32)\n  }\n",
    /* A step of the thread's own may wrap in 32 unsigned bits. */
    "  let %s = add(thread.x, 2:u32)\n  local %k: u32\n  set %k = 0:u32\n  loop {\n    if ge(%k, convert(%n):u32) {\n  "
    "    break\n    }\n" BODY("%k") "  } next {\n    set %k = add(%k, %s)\n  }\n",
};

static void test_loops(void **state)
{
	char before[2048], after[2048];

	(void)state;
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		snprintf(before, sizeof before, "%s", loops[i].before);
		snprintf(after, sizeof after, "%s", loops[i].after);
		becomes(before, "", after, NULL);
	}
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;
		char *made;

		snprintf(before, sizeof before, "%s%s {\n%s}\n", HEAD, KERNEL, others[i]);
		module = normal_of(arena, before, NULL);
		made = ir_text(module);
		if (strstr(made, "  loop {") == NULL)
			fail_msg("a for, and should not be:\n%s\n%s", before, made);
		free(made);
		kt_arena_free(arena);
	}
}

/* A grid-stride loop wraps only where the launch says so. */
static void test_stride(void **state)
{
	(void)state;
	becomes(
	    "  local %k: i32\n  set %k = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n  loop {\n    if ge(%k, "
	    "%n) {\n"
	    "      break\n    }\n" BODY(
		"%k") "  } next {\n    set %k = convert(add(convert(%k):u32, mul(griddim.x, blockdim.x))):i32\n  }\n",
	    " assumes(le(convert(mul(griddim.x, blockdim.x)):i64, 2147483647:i64), le(add(convert(%n):i64, "
	    "convert(mul(griddim.x, blockdim.x)):i64), 2147483647:i64))",
	    "  let %k = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
	    "  for %k.1 = %k, %n, convert(mul(griddim.x, blockdim.x)):i32 {\n" BODY("%k.1") "  }\n",
	    NULL);
}

/* Widened after the product: equal to the wide product where the launch has no more threads than 32 bits count. */
static void test_axes(void **state)
{
	static const int64_t block[3] = {128, 1, 1};

	(void)state;
	becomes("  let %j = add(convert(mul(block.x, blockdim.x)):u64, convert(thread.x):u64)\n  let %i = "
		"convert(%j):i32\n" KEEP("%i"),
		STRIDE_LIMIT,
		"  let %j = add(mul(convert(block.x):u64, convert(blockdim.x):u64), convert(thread.x):u64)\n"
		"  let %i = convert(%j):i32\n" KEEP("%i"),
		NULL);
	becomes("  let %i = convert(add(mul(block.x, 128:u32), thread.x)):i32\n" KEEP("%i"), "", INDEX KEEP("%i"),
		block);
	becomes("  let %i = convert(add(mul(block.x, 64:u32), thread.x)):i32\n" KEEP("%i"), "",
		"  let %i = convert(add(mul(block.x, 64:u32), thread.x)):i32\n" KEEP("%i"), block);
}

/* A function that is called, with a result on two ways. */
static void test_inline(void **state)
{
	static const char text[] =
	    HEAD "device @f(%a: f32, %k: i32): f32 {\n  if lt(%k, 3:i32) {\n    return mul(%a, 0x1p+1:f32)\n  }\n"
		 "  set %k = add.nw(%k, 1:i32)\n  return add(%a, convert(%k):f32)\n}\n" KERNEL " {\n" INDEX
		 "  if lt(%i, %n) {\n    let %v = load *%x[convert(%i):i64]\n    let %w = call @f(%v, %i)\n"
		 "    store *%y[convert(%i):i64] = %w\n  }\n}\n";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *original = ir_read(arena, text), *module = normal_of(arena, text, NULL);
	struct ir_comparison comparison;
	char *made = ir_text(module);

	(void)state;
	assert_null(strstr(made, "call"));
	if (!ir_same_results(&comparison, original, module, NULL, NULL, 1, 8))
		fail_msg("%s\n%s", comparison.message, made);
	assert_true(comparison.right >= 4);
	free(made);
	kt_arena_free(arena);
}

/* Functions that call each other several times: hundreds of calls take the memory of what comes of them, not of each call. */
static void test_inline_many(void **state)
{
	struct kt_arena *arena = kt_arena_new((size_t)20 << 20);
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);
	char *made;

	(void)state;
	kt_buf_adds(&text, HEAD "device @f0(%a: f32): f32 {\n  return mul(%a, 0x1p+1:f32)\n}\n");
	for (int i = 1; i < 7; i++)
		kt_buf_addf(&text,
			    "device @f%d(%%a: f32): f32 {\n  let %%u = call @f%d(%%a)\n  let %%v = call @f%d(add(%%a, 0x1p+0:f32))\n"
			    "  let %%w = call @f%d(%%u)\n  return add(mul(%%u, %%v), %%w)\n}\n",
			    i, i - 1, i - 1, i - 1);
	kt_buf_adds(&text, KERNEL " {\n" INDEX "  if lt(%i, %n) {\n    let %v = load *%x[convert(%i):i64]\n    let %w = call @f6(%v)\n"
			   "    store *%y[convert(%i):i64] = %w\n  }\n}\n");
	made = ir_text(normal_of(arena, text.data, NULL));
	assert_null(strstr(strstr(made, "@k"), "call"));
	free(made);
	kt_buf_free(&text);
	kt_arena_free(arena);
}

/* A function's shared array is one for all calls: the second one finds what the first one left there. */
static void test_inline_shared(void **state)
{
	static const char text[] =
	    HEAD "device @f(%a: f32, %k: i32): f32 {\n  shared %s: [f32 x 64]\n  if eq(%k, 0:i32) {\n"
		 "    store %s[convert(thread.x):i64] = %a\n  }\n  barrier block\n  let %r = load %s[convert(thread.x):i64]\n  return %r\n}\n"
		 KERNEL " {\n" INDEX "  let %v = call @f(convert(%n):f32, 0:i32)\n  let %w = call @f(0x1p+1:f32, %i)\n"
		 "  if lt(%i, %n) {\n    store *%y[convert(%i):i64] = add(%v, mul(%w, 0x1p+4:f32))\n  }\n}\n",
			  once[] =
	    HEAD "device @f(%a: f32): f32 {\n  shared %s: [f32 x 64]\n  store %s[convert(thread.x):i64] = %a\n"
		 "  let %r = load %s[convert(thread.x):i64]\n  return %r\n}\n"
		 KERNEL " {\n" INDEX "  let %v = call @f(convert(%n):f32)\n" KEEP("convert(%v):i32") "}\n";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *original = ir_read(arena, text), *module = normal_of(arena, text, NULL);
	struct ir_comparison comparison;
	struct kt_error err = {0};
	char *made = ir_text(module);

	(void)state;
	assert_null(strstr(made, "call"));
	if (kt_ir_verify(module, false, &err) != KT_OK || !ir_same_results(&comparison, original, module, NULL, NULL, 1, 8))
		fail_msg("%s%s\n%s", err.message, comparison.message, made);
	assert_true(comparison.right >= 4);
	assert_non_null(strstr(made, "shared %s: [f32 x 64]"));
	assert_null(strstr(strstr(made, "@k"), "shared %s.1"));
	free(made);
	/* One call leaves it where it is, behind what comes before. */
	made = ir_text(normal_of(arena, once, NULL));
	assert_non_null(strstr(strstr(made, INDEX), "  shared %s"));
	free(made);
	kt_arena_free(arena);
}

/* An array that a loop declares is one for all of its iterations, and those may be copied: it is declared before them. */
static void test_nested_shared(void **state)
{
	(void)state;
	becomes("  for %k = 0:i32, 4:i32, 1:i32 {\n    shared %s: [f32 x 64]\n    store %s[convert(thread.x):i64] = convert(%k):f32\n  }\n", "",
		"  shared %s: [f32 x 64]\n"
		"  for %k = 0:i32, 4:i32, 1:i32 {\n    store %s[convert(thread.x):i64] = convert(%k):f32\n  }\n", NULL);
}

/* A chain of values that use each other twice is not written out, in a bound or a step. */
static void test_chain(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);
	struct ir_comparison comparison;
	struct kt_ir_module *module;

	(void)state;
	kt_buf_adds(&text, HEAD KERNEL " {\n" INDEX "  let %c0 = add(blockdim.x, convert(%n):u32)\n");
	for (int i = 0; i < 64; i++)
		kt_buf_addf(&text, "  let %%c%d = xor(%%c%d, shr(%%c%d, 3:u32))\n", i + 1, i, i);
	kt_buf_adds(&text, "  let %m = and(%c64, 7:u32)\n  let %t = add(%m, 1:u32)\n  local %s: i32\n  set %s = 0:i32\n  local %k: u32\n  set %k = 0:u32\n"
			   "  loop {\n    if not(lt(%k, %m)) {\n      break\n    }\n    set %s = add.nw(%s, convert(%k):i32)\n"
			   "    set %k = add(%k, %t)\n  }\n" KEEP("%s") "}\n");
	module = normal_of(arena, text.data, NULL);
	if (!ir_same_results(&comparison, ir_read(arena, text.data), module, NULL, NULL, 1, 6))
		fail_msg("%s\n%s", comparison.message, text.data);
	kt_buf_free(&text);
	kt_arena_free(arena);
}

/* What a loop changes is asked of the whole of it, whatever leaves its head. */
static void test_heads(void **state)
{
	static const char *const bodies[] = {
	    "    let %a = add.nw(%k, 1:i32)\n    let %b = mul.nw(%k, 3:i32)\n    let %c = add.nw(%n, 2:i32)\n",
	    "    let %c = add.nw(%n, 2:i32)\n    let %a = add.nw(%k, 1:i32)\n    let %b = mul.nw(%k, 3:i32)\n",
	    "    let %c = add.nw(%n, 2:i32)\n    let %a = mul.nw(%c, 3:i32)\n    let %b = mul.nw(%a, %k)\n",
	    "    let %a = add.nw(%k, 1:i32)\n    let %c = add.nw(%n, 2:i32)\n    let %e = load *%y[convert(thread.x):i64]\n"
	    "    let %b = convert(%e):i32\n    store *%y[convert(thread.x):i64] = convert(%k):f32\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);
		struct ir_comparison comparison;
		struct kt_ir_module *module;
		struct kt_error err = {0};

		kt_buf_addf(&text, "%s%s {\n%s" "  local %%s: i32\n  set %%s = 0:i32\n  local %%k: i32\n  set %%k = 0:i32\n"
			    "  loop {\n%s    if not(lt(%%k, 5:i32)) {\n      break\n    }\n"
			    "    set %%s = add.nw(%%s, add.nw(%%a, add.nw(%%b, %%c)))\n    set %%k = add.nw(%%k, 1:i32)\n  }\n" "%s}\n",
			    HEAD, KERNEL, INDEX, bodies[i], KEEP("%s"));
		module = normal_of(arena, text.data, NULL);
		if (kt_ir_verify(module, false, &err) != KT_OK ||
		    !ir_same_results(&comparison, ir_read(arena, text.data), module, NULL, NULL, 1, 6))
			fail_msg("%s%s\n%s\n%s", err.message, comparison.message, text.data, ir_text(module));
		kt_buf_free(&text);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_heads), 
	    cmocka_unit_test(test_forms), cmocka_unit_test(test_loops),  cmocka_unit_test(test_stride),
	    cmocka_unit_test(test_axes),  cmocka_unit_test(test_inline),
	    cmocka_unit_test(test_inline_many), cmocka_unit_test(test_inline_shared), cmocka_unit_test(test_nested_shared), cmocka_unit_test(test_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
