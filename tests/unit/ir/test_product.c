/* Products by tiles: which kernels, and that variants compute the same, bit by bit, for any extents. */
#include <stdio.h>
#include <stdlib.h>

#include "pass_case.h"

#define HEAD "module\nkernel @k(%c: ptr<global, f32>, %a: ptr<global, const f32>, %b: ptr<global, const f32>, %m: i32, %n: i32, %k: i32)"
#define INDICES                                                                                                                \
	"  let %row = convert(add(mul(block.y, blockdim.y), thread.y)):i32\n  let %col = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define INSIDE "  if both(lt(%row, %m), lt(%col, %n)) {\n"
#define ZERO "  local %s: f32\n  set %s = 0x0p+0:f32\n"
#define A_AT "add.nw(mul.nw(%row, %k), %i)"
#define B_AT "add.nw(mul.nw(%i, %n), %col)"
#define C_AT "add.nw(mul.nw(%row, %n), %col)"
#define LOAD(to, from, at) "  let " to " = load *" from "[convert(" at "):i64]\n"
#define STORE(value) "  store *%c[convert(" C_AT "):i64] = " value "\n"
#define LOADS LOAD("%u", "%a", A_AT) LOAD("%v", "%b", B_AT)
/* One more element of a, and its sum with what was before. */
#define AFTER(number, of, to) LOAD("%" to "." number, "%a", "add.nw(" A_AT ", " number ":i32)") "  let %" to " = add(%" of ", mul(%" to "." number ", %v))\n"
#define ADD "  set %s = add(%s, mul(%u, %v))\n"
#define LOOP(body) "  for %i = 0:i32, %k, 1:i32 {\n" body "  }\n"
#define NAIVE(before, loop, after) HEAD " {\n" INDICES INSIDE before loop after "  }\n}\n"
#define PRODUCT NAIVE(ZERO, LOOP(LOADS ADD), STORE("%s"))
/* A tiled kernel without its tiles: pieces of four iterations, of which the last one may not be whole. */
#define LIMITED(to, from, at, condition)                                                                                       \
	"  local " to ": f32\n  if both(" condition ", lt(%i, %k)) {\n  let " to ".1 = load *" from "[convert(" at "):i64]\n  set " to " = " to ".1\n" \
	"  } else {\n  set " to " = 0x0p+0:f32\n  }\n"
#define PIECES(loads, after)                                                                                                   \
	HEAD " {\n" INDICES ZERO "  for %t = 0:i32, div(add.nw(%k, 3:i32), 4:i32), 1:i32 {\n  for %j = 0:i32, 4:i32, 1:i32 {\n"   \
	     "  let %i = add(mul(%t, 4:i32), %j)\n" loads ADD "  }\n  }\n" after "}\n"
#define TILED PIECES(LIMITED("%u", "%a", A_AT, "lt(%row, %m)") LIMITED("%v", "%b", B_AT, "lt(%col, %n)"), INSIDE STORE("%s") "  }\n")

static const struct kt_ir_argument_facts arguments[] = {{"c", "m * n", false}, {"a", "m * k", true}, {"b", "k * n", true},
							 {"m", NULL, false},     {"n", NULL, false},    {"k", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {4, 4, 1}, .arguments = arguments, .grid = {"(n + 3) / 4", "(m + 3) / 4"}, .blocks = {"4", "4"}};

static const char around[] = "whether a thread runs the loop depends on more than bounds of its indices",
		  does_more[] = "before its loop or in it, a thread does more than compute and load",
		  begins[] = "what iterations carry does not begin before the loop",
		  uneven[] = "threads of a block may run the loop differently often",
		  inner[] = "the loop in the loop has no constant number of iterations, or is not all of it",
		  no_loop[] = "the kernel has no loop that all of its threads run", of_one[] = "an iteration loads what depends on both indices",
		  one_side[] = "iterations do not combine what depends on one index with what depends on the other one",
		  used[] = "iterations use what was loaded for both indices before the loop";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *text, *why;
} refused[] = {
    {HEAD " {\n" INDICES ZERO LOOP(LOADS ADD) "  barrier block\n" INSIDE STORE("%s") "  }\n}\n", "threads synchronise"},
    {HEAD " cluster(2, 1, 1) {\n" INDICES INSIDE ZERO LOOP(LOADS ADD) STORE("%s") "  }\n}\n", "the kernel has clusters"},
    {HEAD " registers(64) {\n" INDICES INSIDE ZERO LOOP(LOADS ADD) STORE("%s") "  }\n}\n", "the kernel has a register limit"},
    {NAIVE(ZERO, LOOP(LOADS ADD), STORE("mul(%s, convert(thread.x):f32)")), "threads of a block differ by more than their global index"},
    {NAIVE(ZERO, LOOP(LOADS ADD), STORE("mul(%s, convert(block.y):f32)")), "threads of a block differ by more than their global index"},
    {NAIVE("  let %i = 3:i32\n" LOADS, "", STORE("mul(%u, %v)")), no_loop},
    {NAIVE(ZERO, "  loop {\n" LOOP(LOADS ADD) "  if gt(%s, 0x1p+5:f32) {\n  break\n  }\n  }\n", STORE("%s")), no_loop},
    {HEAD " {\n" INDICES INSIDE ZERO "  loop {\n" LOOP(LOADS ADD) "  if gt(%s, 0x1p+5:f32) {\n  break\n  }\n" STORE("%s") "  }\n  }\n}\n", no_loop},
    {HEAD " {\n" INDICES INSIDE ZERO LOOP(LOADS ADD) STORE("%s") "  } else {\n  store *%c[0:i64] = 0x1p+0:f32\n  }\n}\n", no_loop},
    {NAIVE(ZERO, LOOP(LOADS ADD "  store *%c[convert(%i):i64] = %s\n"), STORE("%s")), does_more},
    {NAIVE(ZERO STORE("0x1p+0:f32"), LOOP(LOADS ADD), STORE("%s")), does_more},
    {HEAD " {\n" INDICES "  if eq(rem(%row, 2:i32), 0:i32) {\n" INSIDE ZERO LOOP(LOADS ADD) STORE("%s") "  }\n  }\n}\n", around},
    {HEAD " {\n" INDICES INSIDE "  if gt(%col, %row) {\n" ZERO LOOP(LOADS ADD) STORE("%s") "  }\n  }\n}\n", around},
    {HEAD " {\n" INDICES INSIDE "  if ge(%col, 3:i32) {\n" ZERO LOOP(LOADS ADD) STORE("%s") "  }\n  }\n}\n", around},
    {HEAD " {\n" INDICES INSIDE "  if gt(%n, 2:i32) {\n  if lt(%row, div(%m, sub(%n, 2:i32))) {\n" ZERO LOOP(LOADS ADD) STORE("%s") "  }\n  }\n  }\n}\n", around},
    {HEAD " {\n" INDICES "  local %e: i32\n  set %e = %m\n  if both(lt(%row, %e), lt(%col, %n)) {\n  if gt(%k, 3:i32) {\n  set %e = 1:i32\n  }\n" ZERO LOOP(LOADS ADD)
     STORE("mul(%s, convert(%e):f32)") "  }\n}\n", around},
    {NAIVE(ZERO, "  for %i = 0:i32, %k, %m {\n" LOADS ADD "  }\n", STORE("%s")), "the loop has no constant step"},
    {NAIVE(ZERO, "  for %i = %k, %row, -1:i32 {\n" LOADS ADD "  }\n", STORE("%s")), "the loop has no constant step"},
    {NAIVE(ZERO, "  for %h = 0:i128, convert(%k):i128, 1:i128 {\n  let %i = convert(%h):i32\n" LOADS ADD "  }\n", STORE("%s")), "the loop has no constant step"},
    {NAIVE(ZERO, "  for %i = 0:i32, %row, 1:i32 {\n" LOADS ADD "  }\n", STORE("%s")), uneven},
    {NAIVE(ZERO, "  for %i = %col, %k, 1:i32 {\n" LOADS ADD "  }\n", STORE("%s")), uneven},
    {NAIVE(ZERO LOAD("%z", "%a", "0:i32"), "  for %i = 0:i32, convert(%z):i32, 1:i32 {\n" LOADS ADD "  }\n", STORE("%s")), uneven},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  for %i = 0:i32, %m, 1:i32 {\n" LOADS ADD "  }\n  }\n", STORE("%s")), inner},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  for %i = %m, 4:i32, 1:i32 {\n" LOADS ADD "  }\n  }\n", STORE("%s")), inner},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  for %i = 0:i32, 65:i32, 1:i32 {\n" LOADS ADD "  }\n  }\n", STORE("%s")), inner},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  for %i = 4:i32, 0:i32, -1:i32 {\n" LOADS ADD "  }\n  }\n", STORE("%s")), inner},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  for %i = 0:i32, 4:i32, 1:i32 {\n" LOADS ADD "  }\n  set %s = mul(%s, 0x1p-1:f32)\n  }\n", STORE("%s")), inner},
    {NAIVE("  local %s: f32\n  if gt(%m, 3:i32) {\n  set %s = 0x1p+0:f32\n  }\n", LOOP(LOADS ADD), STORE("%s")), begins},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  local %z: f32\n  set %z = 0x1p+0:f32\n  for %i = 0:i32, 4:i32, 1:i32 {\n" LOADS ADD
	   "  set %z = mul(%z, 0x1p-1:f32)\n  set %s = add(%s, %z)\n  }\n  }\n", STORE("%s")), begins},
    {NAIVE(ZERO, "  for %t = 0:i32, %k, 1:i32 {\n  set %s = mul(%s, 0x1p-1:f32)\n  for %i = 0:i32, 4:i32, 1:i32 {\n" LOADS ADD "  }\n  }\n", STORE("%s")),
     "the loop around the product carries values"},
    {NAIVE(ZERO, LOOP(LOAD("%u", "%a", A_AT) "  set %s = add(%s, %u)\n"), STORE("%s")), one_side},
    {NAIVE(ZERO, LOOP(LOAD("%v", "%b", B_AT) "  set %s = add(%s, %v)\n"), STORE("%s")), one_side},
    {NAIVE(ZERO, LOOP(LOADS LOAD("%w", "%a", "add(%i, " C_AT ")") "  set %s = add(%s, mul(%u, mul(%v, %w)))\n"), STORE("%s")), of_one},
    {NAIVE(ZERO, LOOP(LOADS LOAD("%w", "%a", "convert(%s):i32") "  set %s = add(%s, mul(%u, mul(%v, %w)))\n"), STORE("%s")), of_one},
    {NAIVE(ZERO "  local %q: f32\n  set %q = 0x0p+0:f32\n", LOOP(LOADS LOAD("%w", "%a", "convert(%q):i32") "  set %q = add(%q, %u)\n  set %s = add(%s, mul(%u, mul(%v, %w)))\n"), STORE("%s")), of_one},
    {NAIVE(ZERO, LOOP(LOADS AFTER("1", "u", "w") AFTER("2", "w", "x") AFTER("3", "x", "y") AFTER("4", "y", "z") AFTER("5", "z", "p") AFTER("6", "p", "o") AFTER("7", "o", "q") "  set %s = add(%s, mul(%q, %v))\n"), STORE("%s")),
     "an iteration loads too much"},
    {NAIVE(ZERO, LOOP(LOADS "  if gt(%u, %v) {\n" ADD "  } else {\n" LOAD("%w", "%a", "add(%i, " C_AT ")") "  set %s = add(%s, %w)\n  }\n"), STORE("%s")), of_one},
    {NAIVE(ZERO LOAD("%w", "%c", C_AT), LOOP(LOADS "  set %s = add(%s, mul(%u, mul(%v, %w)))\n"), STORE("%s")), used},
};

/* A warp for each row, and its lanes for 32 columns. */
#define WARPS                                                                                                                  \
	HEAD " {\n  let %row = convert(div(add(mul(block.x, blockdim.x), thread.x), 32:u32)):i32\n  let %col = convert(rem(thread.x, 32:u32)):i32\n  if lt(%row, %m) {\n" ZERO \
	    LOOP(LOADS ADD) STORE("%s") "  }\n}\n"

static void test_refused(void **state)
{
	struct kt_ir_facts deep = facts, unknown = facts, line = facts;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		pass_refuses(refused[i].text, "product", &facts, 0, refused[i].why);
	deep.block[2] = 2;
	pass_refuses(PRODUCT, "product", &deep, 0, "the block of the launches is not known, or has more than two dimensions");
	line.block[0] = 64;
	line.block[1] = 1;
	line.grid[1] = line.blocks[1] = NULL;
	pass_refuses(WARPS, "product", &line, 0, "threads of a block differ by more than their global index");
	unknown.block[2] = 0;
	pass_refuses(PRODUCT, "product", &unknown, 0, "the block of the launches is not known, or has more than two dimensions");
	pass_refuses(HEAD " assumes(lt(rem(%m, 3:i32), 2:i32)) {\n" INDICES INSIDE ZERO LOOP(LOADS ADD) STORE("%s") "  }\n}\n", "product", &facts, 0,
		     "an assumption about the launch has no words");
}

/* ---- Variants ---- */

enum { ELEMENTS = 2048 };

struct extents {
	int m, n, k;
};

static void run(float *c, const struct kt_ir_module *module, const uint32_t *grid, const uint32_t *block, struct extents e, uint64_t seed)
{
	static float a[ELEMENTS], b[ELEMENTS];
	/* No more than the matrices: what is past them is a fault. */
	const struct kt_ir_buffer buffers[] = {{c, sizeof *c * (size_t)(e.m * e.n + 1), false, false},
					       {a, sizeof *a * (size_t)(e.m * e.k + 1), false, false},
					       {b, sizeof *b * (size_t)((e.k + 1) * e.n), false, false}};
	const struct kt_ir_actual actual[] = {{&buffers[0], 0, NULL}, {&buffers[1], 0, NULL}, {&buffers[2], 0, NULL},
					      {NULL, 0, &e.m},        {NULL, 0, &e.n},        {NULL, 0, &e.k}};
	const struct kt_ir_launch launch = {.grid = {grid[0], grid[1], 1}, .block = {block[0], block[1], 1}, .seed = seed,
					    .step_limit = 100000000, .argument_count = 6, .arguments = actual};
	struct kt_ir_result result;
	struct kt_error err = {0};

	for (int i = 0; i < ELEMENTS; i++) {
		a[i] = (float)(i * 37 % 101) / 7 - 5;
		b[i] = (float)(i * 53 % 89) / 3 - 9;
		c[i] = (float)(i % 7) / 3;
	}
	if (kt_ir_run(&result, module, module->last_function, &launch, &err) != KT_OK)
		fail_msg("%s", err.message);
	if (result.fault != KT_IR_NO_FAULT)
		fail_msg("%s: %s\n%s", kt_ir_fault_texts[result.fault], result.message, ir_text(module));
}

static uint32_t over(int count, int64_t by)
{
	return (uint32_t)((count + by - 1) / by);
}

/* TM, TN, BX, BY, BK and AHEAD. */
static const int64_t configurations[][6] = {{1, 1, 8, 4, 8, 0}, {2, 2, 8, 4, 8, 1}, {8, 1, 8, 4, 16, 1}, {1, 8, 8, 4, 8, 0}};
static const struct extents sizes[] = {{1, 1, 1}, {5, 7, 0}, {9, 13, 20}};

static void compare(const struct kt_ir_offer *offer, const int64_t *values, struct extents e)
{
	static float before[ELEMENTS], after[ELEMENTS];
	const uint32_t grid[] = {over(e.n, 4), over(e.m, 4)}, block[] = {4, 4};
	const uint32_t tiles[] = {over(e.n, values[1] * values[2]), over(e.m, values[0] * values[3])},
		       threads[] = {(uint32_t)values[2], (uint32_t)values[3]};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_module *made = pass_variant(arena, offer, values);

	run(before, offer->module, grid, block, e, 1);
	run(after, made, tiles, threads, e, 2);
	for (int i = 0; i < e.m * e.n; i++)
		if (memcmp(&before[i], &after[i], sizeof *after) != 0)
			fail_msg("%d x %d x %d: element %d is %g, not %g\n%s", e.m, e.n, e.k, i, (double)after[i], (double)before[i], ir_text(made));
	kt_arena_free(arena);
}

/* Rows along the grid alone. */
#define ROW_OF_BLOCK                                                                                                           \
	HEAD " {\n  let %row = convert(block.y):i32\n  let %col = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n  if lt(%col, %n) {\n" ZERO LOOP(LOADS ADD) \
	     STORE("%s") "  }\n}\n"

static const char *const texts[] = {
    PRODUCT,
    TILED,
    /* A row that is stored along the loop and one that is not, for either matrix. */
    NAIVE(ZERO, LOOP(LOAD("%u", "%a", "add(mul(%i, %m), %row)") LOAD("%v", "%b", "add(mul(%col, %k), %i)") ADD), STORE("%s")),
    /* The sum begins with what is loaded, and ends in more than a store. */
    NAIVE("  local %s: f32\n" LOAD("%z", "%c", C_AT) "  set %s = %z\n", LOOP(LOADS ADD),
	  LOAD("%o", "%a", "mul(%row, %k)") "  if gt(%k, 0:i32) {\n" STORE("mul(%s, %o)") "  }\n"),
    /* Two sums, one of which is none of products, and a branch in the loop. */
    NAIVE(ZERO "  local %q: f32\n  set %q = 0x1p+0:f32\n",
	  LOOP(LOADS ADD "  if gt(%u, %v) {\n  set %q = add(mul(%q, 0x1p-1:f32), %u)\n  }\n"), STORE("add(%s, %q)")),
    /* Values of both indices and the iteration besides. */
    NAIVE(ZERO "  let %f = convert(add(%row, mul(%col, 3:i32))):f32\n", LOOP(LOADS "  set %s = add(%s, mul(%f, add(mul(%u, convert(%i):f32), %v)))\n"), STORE("%s")),
    /* Two loads of one matrix, a condition of data, a loop in steps from one on. */
    NAIVE(ZERO, "  for %i = 1:i32, %k, 3:i32 {\n" LOADS LOAD("%w", "%b", "%col") "  local %p: f32\n  if lt(%u, 0x0p+0:f32) {\n  set %p = neg(%u)\n  } else {\n  set %p = %u\n  }\n"
		"  set %s = add(%s, mul(add(%p, %u), add(%v, %w)))\n  }\n", STORE("%s")),
    /* What all iterations load alike, before the loop: for one index, and for all work items. */
    NAIVE(ZERO LOAD("%w", "%b", "%col") LOAD("%z", "%a", "0:i32"), LOOP(LOADS "  set %s = add(%s, mul(add(%u, %z), add(%v, %w)))\n"), STORE("%s")),
    /* Bounds after the loop, with a let there and one that is no bound. */
    PIECES(LIMITED("%u", "%a", A_AT, "lt(%row, %m)") LIMITED("%v", "%b", B_AT, "lt(%col, %n)"),
	   "  let %r = add(%row, 0:i32)\n  let %e = mul(%m, 1:i32)\n  if lt(%r, %e) {\n  if lt(%col, %n) {\n  if ne(rem(%row, 3:i32), 1:i32) {\n" STORE("%s") "  }\n  }\n  }\n"),
    /* One that is data. */
    PIECES("  let %z = load *%b[convert(@min(%i, sub(%k, 1:i32)):i32):i64].as(i32, align 4)\n" LIMITED("%u", "%a", A_AT, "lt(%row, %m)")
	   LIMITED("%v", "%b", B_AT, "both(lt(%z, 1100480512:i32), lt(%col, %n))"), INSIDE STORE("%s") "  }\n"),
    PIECES(LOAD("%z", "%b", "@min(%i, sub(%k, 1:i32)):i32") LIMITED("%u", "%a", A_AT, "both(lt(%z, 0x0p+0:f32), lt(%row, %m))")
	   LIMITED("%v", "%b", B_AT, "lt(%col, %n)"), INSIDE STORE("%s") "  }\n"),
    /* Limits that grow with the index and fall with the iteration: by a product with what is below zero, by a factor. */
    PIECES("  let %e = div(@min(%m, 1:i32):i32, -1:i32)\n" LIMITED("%u", "%a", A_AT, "both(lt(add(%row, mul(%i, %e)), 5:i32), lt(%row, %m))")
	   LIMITED("%v", "%b", B_AT, "lt(%col, %n)"), INSIDE STORE("%s") "  }\n"),
    PIECES(LIMITED("%u", "%a", A_AT, "both(lt(sub(%row, %i), 5:i32), lt(%row, %m))") LIMITED("%v", "%b", B_AT, "lt(%col, %n)"), INSIDE STORE("%s") "  }\n"),
    /* A condition of the whole grid around the loop. */
    HEAD " {\n" INDICES INSIDE "  if gt(%m, 4:i32) {\n" ZERO LOOP(LOADS ADD) STORE("%s") "  }\n  }\n}\n",
    /* An end of the loop, and of a limit, that was set twice. */
    NAIVE(ZERO "  local %e: i32\n  set %e = %k\n  if gt(%k, 12:i32) {\n  set %e = 11:i32\n  }\n", "  for %i = 0:i32, %e, 1:i32 {\n" LOADS ADD "  }\n", STORE("%s")),
    /* A limit that grows with both counters, one that does not grow, and one with a quotient. */
    PIECES(LIMITED("%u", "%a", A_AT, "lt(add(%row, %i), %m)") LIMITED("%v", "%b", B_AT, "both(gt(add(%col, 1:i32), %i), lt(%col, %n))"), INSIDE STORE("%s") "  }\n"),
    PIECES(LIMITED("%u", "%a", A_AT, "both(gt(%k, 0:i32), lt(%row, div(mul(%m, %k), %k)))") LIMITED("%v", "%b", B_AT, "lt(%col, %n)"), INSIDE STORE("%s") "  }\n"),
};

static void test_variants(void **state)
{
	(void)state;
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
		struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer = pass_offer(arena, texts[t], "product", &facts);

		if (!offer->answers[0].applies)
			fail_msg("%s\n%s", offer->answers[0].text, texts[t]);
		for (size_t c = 0; c < sizeof configurations / sizeof *configurations; c++)
			for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
				compare(offer, configurations[c], sizes[s]);
		kt_arena_free(arena);
	}
}

/* Blocks of one row: the block's index is that of the row, which the guard divides. */
static void test_rows(void **state)
{
	static float before[ELEMENTS], after[ELEMENTS];
	static const int64_t values[] = {2, 2, 8, 4, 8, 0};
	static const uint32_t grid[] = {3, 16}, block[] = {4, 1}, tiles[] = {1, 2}, threads[] = {8, 4};
	const struct extents e = {16, 11, 9};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	struct kt_ir_facts flat = facts;
	const struct kt_ir_offer *offer;

	(void)state;
	flat.block[1] = 1;
	flat.grid[1] = "m";
	flat.blocks[1] = NULL;
	offer = pass_offer(arena, ROW_OF_BLOCK, "product", &flat);
	if (!offer->answers[0].applies)
		fail_msg("%s", offer->answers[0].text);
	assert_string_equal(offer->guards[2].text, "TM == 0 || (m) * (1) % (BY * TM) == 0");
	run(before, offer->module, grid, block, e, 1);
	run(after, pass_variant(arena, offer, values), tiles, threads, e, 2);
	assert_memory_equal(before, after, sizeof *after * (size_t)(e.m * e.n));
	kt_arena_free(arena);
	pass_refuses(ROW_OF_BLOCK, "product", &facts, 0, "threads of a block differ by more than their global index");
}

static bool has_clause(const struct kt_ir_clause *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].text, text) == 0)
			return true;
	return false;
}

static void test_offer(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, PRODUCT, "product", &facts);

	(void)state;
	assert_int_equal(offer->tunable_count, 6);
	assert_int_equal(offer->tunables[0].original, 0);
	assert_string_equal(offer->grid[0], "TM == 0 ? ((n + 3) / 4) : (ceil_div(((n + 3) / 4) * (4), BX * TN))");
	assert_string_equal(offer->blocks[1], "TM == 0 ? (4) : (BY)");
	assert_true(has_clause(offer->guards, offer->guard_count, "TM == 0 || ((n + 3) / 4) * (4) % (BX * TN) == 0 || n <= ((n + 3) / 4) * (4)"));
	assert_true(has_clause(offer->guards, offer->guard_count, "((m + 3) / 4) * (4) <= 2130706432"));
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "TM == 0 || (1 + AHEAD) * BK * (0 + (BY * TM + 4) * 4 + (BX * TN + 0) * 4) <= 49152"));
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_variants),
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_offer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
