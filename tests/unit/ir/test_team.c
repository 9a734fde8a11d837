/* Teams: which loops of a thread several threads may share, under which restrictions, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define ITEM "  let %t = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define WITHIN(body) ITEM "  if lt(%t, 16:i32) {\n" body "  }\n"
#define FOR(low, high, step, body) "    for %i = " low ", " high ", " step " {\n" body "    }\n"
#define LOOP(body) FOR("0:i32", "%n", "1:i32", body)
#define ALONG "add.nw(mul.nw(%t, 12:i32), %i)"
#define ACROSS "add.nw(mul.nw(%i, 16:i32), %t)"
#define LOAD(index) "      let %v = load *%x[convert(" index "):i64]\n"
#define STORE(index, value) "    store *%y[convert(" index "):i64] = " value "\n"
#define LOCAL(name, start) "    local %" name ": f32\n    set %" name " = " start "\n"
#define SUM(index, update) LOCAL("s", "0x1p+1:f32") LOOP(LOAD(index) "      set %s = " update "\n") STORE("%t", "%s")
/* Symbols of a text have different names: further loops count %j and %k. */
#define NEXT(counter, body) "    for %" counter " = 0:i32, %n, 1:i32 {\n" body "    }\n"
#define ROW(counter) "add.nw(mul.nw(%t, 12:i32), %" counter ")"
#define INDEX "    local %w: i32\n    set %w = -1:i32\n"
#define CHOICE(comparison) INDEX LOOP(LOAD(ALONG) "      if " comparison " {\n        set %b = %v\n        set %w = %i\n      }\n") \
	STORE("%t", "add(%b, convert(%w):f32)")

static const struct kt_ir_argument_facts arguments[] = {{"y", "256", false}, {"x", "256", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {16, 1, 1}, .arguments = arguments, .grid = {"1"}, .blocks = {"16"}};

/* Kernels for 16 items, and for up to 12 iterations. */
static const char *const kernels[] = {
    WITHIN(SUM(ALONG, "add(%s, %v)")),
    WITHIN(SUM(ACROSS, "add(%v, %s)")),
    WITHIN(SUM(ALONG, "@fmaf(%v, %v, %s):f32")),
    WITHIN(SUM(ACROSS, "@fmaxf(%s, %v):f32")),
    WITHIN(SUM(ALONG, "select(lt(%v, %s), %v, %s)")),
    /* Without a guard; bounds that differ from thread to thread; a step of two; counting down; 64 bits; without sign. */
    ITEM SUM(ALONG, "add(%s, %v)"),
    WITHIN(LOCAL("s", "0x0p+0:f32") FOR("div(%t, 2:i32)", "%t", "1:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
    WITHIN(LOCAL("s", "0x0p+0:f32") FOR("1:i32", "%n", "2:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
    WITHIN(LOCAL("s", "0x0p+0:f32") FOR("11:i32", "-1:i32", "-1:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
    WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:i64", "convert(%n):i64", "1:i64", "      let %v = load *%x[add(mul(convert(%t):i64, 12:i64), %i)]\n"
					"      set %s = add(%s, %v)\n") STORE("%t", "%s")),
    WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:u32", "convert(%n):u32", "1:u32", LOAD("add(mul(convert(%t):u32, 12:u32), %i)")
					"      set %s = add(%s, %v)\n") STORE("%t", "%s")),
    /* What an iteration asserts. */
    WITHIN(SUM(ALONG, "add(%s, %v)\n      if gt(%i, 12:i32) {\n        opaque \"__trap();\"() effects(diverts, prints)\n      }")),
    /* Two sums in one loop; a mean and what goes from it. */
    WITHIN(LOCAL("s", "0x0p+0:f32") LOCAL("q", "0x1p+3:f32")
	       LOOP(LOAD(ACROSS) "      set %s = add(%s, %v)\n      set %q = add(%q, mul(%v, %v))\n") STORE("%t", "add(%s, %q)")),
    WITHIN(LOCAL("s", "0x0p+0:f32") LOCAL("q", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n") "    let %m = mul(%s, 0x1p-2:f32)\n"
	       NEXT("j", "      let %w = load *%x[convert(" ROW("j") "):i64]\n      let %d = mul(sub(%w, %m), 0x1p-3:f32)\n      set %q = add(%q, %d)\n") STORE("%t", "%m")
	       STORE("add.nw(%t, 16:i32)", "%q")),
    /* A row that is written, read again and written again: its elements are other threads'. */
    WITHIN(LOCAL("m", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %m = @fmaxf(%m, %v):f32\n")
	       NEXT("j", "      let %w = load *%x[convert(" ROW("j") "):i64]\n" STORE(ROW("j"), "sub(%w, %m)"))
	       LOCAL("s", "0x0p+0:f32") "    for %k = 1:i32, %n, 1:i32 {\n      let %e = load *%y[convert(" ROW("k") "):i64]\n      set %s = add(%s, %e)\n    }\n"
	       NEXT("l", "      let %f = load *%y[convert(" ROW("l") "):i64]\n" STORE(ROW("l"), "add(%f, %s)")) STORE("mul.nw(%t, 12:i32)", "%s")),
    /* What is added to an element of the item. */
    WITHIN("    let %o = load *%y[convert(%t):i64]\n" LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n")
	       STORE("%t", "add(%o, %s)") "    let %p = load *%y[convert(%t):i64]\n" STORE("%t", "mul(%p, 0x1p-1:f32)")),
    WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n") "    atomic.add *%y[0:i64] (%s) relaxed grid\n"),
    WITHIN(LOOP(LOAD(ALONG) "      atomic.add *%y[convert(%t):i64] (%v) relaxed grid\n")),
    /* A loop in a loop, also one whose rows the threads run with others. */
    WITHIN(LOCAL("s", "0x0p+0:f32") LOOP("      for %j = 0:i32, 2:i32, 1:i32 {\n      let %v = load *%x[convert(add.nw(" ALONG ", %j)):i64]\n"
					 "      set %s = add(%s, %v)\n      }\n") STORE("%t", "%s")),
    WITHIN("    for %r = 0:i32, 3:i32, 1:i32 {\n" LOCAL("s", "0x0p+0:f32") LOOP(LOAD("add.nw(" ALONG ", %r)") "      set %s = add(%s, %v)\n")
	   STORE("add.nw(mul.nw(%t, 3:i32), %r)", "%s") "    }\n"),
    /* Branches in and around loops; the other side of a branch. */
    WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      if lt(%v, 0x0p+0:f32) {\n        set %s = add(%s, %v)\n      }\n") STORE("%t", "%s")),
    WITHIN("    if gt(%n, %t) {\n" SUM(ALONG, "add(%s, %v)") "    } else {\n" LOCAL("m", "0x1p+1:f32")
	   NEXT("j", "      let %w = load *%x[convert(add.nw(mul.nw(%j, 16:i32), %t)):i64]\n      set %m = @fminf(%m, %w):f32\n") STORE("%t", "%m") "    }\n"),
    WITHIN(LOCAL("s", "0x1p+0:f32") "    if gt(%n, %t) {\n    set %s = 0x1p+2:f32\n" LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n") "    }\n"
	   STORE("%t", "%s")),
    /* A variable that each iteration sets first. */
    WITHIN(LOCAL("s", "0x0p+0:f32") "    local %c: f32\n" LOOP(LOAD(ALONG) "      set %c = %v\n      if lt(%v, 0x0p+0:f32) {\n        set %c = neg(%v)\n"
	   "      }\n      set %s = add(%s, %c)\n") STORE("%t", "%s")),
    WITHIN(SUM(ALONG, "sub(%s, %v)")),
    /* Integers, and bits. */
    WITHIN("    local %s: i32\n    set %s = 3:i32\n" LOOP("      set %s = xor(%s, mul.nw(%i, %t))\n") STORE("%t", "convert(%s):f32")),
    WITHIN("    local %s: i64\n    set %s = 3:i64\n" LOOP("      set %s = mul(%s, 3:i64)\n") STORE("%t", "convert(and(%s, 1023:i64)):f32")),
    WITHIN("    local %s: u32\n    set %s = 4095:u32\n" LOOP("      set %s = and(%s, convert(add.nw(%i, 1000:i32)):u32)\n") STORE("%t", "convert(%s):f32")),
    /* Places of greatest and least values: the first or last one of equal values, and none. */
    WITHIN(LOCAL("b", "-0x1p+3:f32") CHOICE("gt(%v, %b)")),
    WITHIN(LOCAL("b", "-0x1p+3:f32") CHOICE("ge(%v, %b)")),
    WITHIN(LOCAL("b", "0x1p+3:f32") CHOICE("gt(%b, %v)")),
    WITHIN(LOCAL("b", "0x1p+3:f32") CHOICE("ge(%b, %v)")),
    WITHIN(LOCAL("b", "0x1p+0:f32") CHOICE("lt(%v, %b)")),
    WITHIN(LOCAL("b", "bits(0x7fc00000):f32") CHOICE("lt(%v, %b)")),
    WITHIN(LOCAL("b", "0x1p+9:f32") CHOICE("gt(%v, %b)")),
    /* Of equal values the lower or the higher index, also against the one that there is at first. */
    WITHIN(LOCAL("b", "0x1p+0:f32") CHOICE("either(lt(%v, %b), both(eq(%v, %b), lt(%i, %w)))")),
    WITHIN(LOCAL("b", "-0x1p+0:f32") CHOICE("either(lt(%b, %v), both(eq(%b, %v), gt(%i, %w)))")),
    /* Two branches, or two selections, of one condition. */
    WITHIN(LOCAL("b", "-0x1p+3:f32") INDEX LOOP(LOAD(ALONG) "      set %w = select(gt(%v, %b), %i, %w)\n      set %b = select(gt(%v, %b), %v, %b)\n")
	   STORE("%t", "add(%b, convert(%w):f32)")),
    WITHIN(LOCAL("b", "-0x1p+3:f32") INDEX LOOP(LOAD(ALONG) "      let %c = ge(%v, %b)\n      if %c {\n        set %b = %v\n      }\n"
	   "      if %c {\n        set %w = %i\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")),
};

static const struct {
	int64_t team, width;
} teams[] = {{2, 1}, {8, 1}, {32, 1}, {2, 8}, {4, 8}, {8, 8}, {64, 1}, {4, 16}};

enum { ELEMENTS = 256, MOST_N = 12 };

/* Values that occur more than once, and whose sums are exact; some are no numbers. */
static void run(float *y, const struct kt_ir_module *module, uint32_t block, int n, int kind, uint64_t seed)
{
	float x[ELEMENTS];
	const struct kt_ir_buffer outputs = {y, sizeof x, false, false}, inputs = {x, sizeof x, false, false};
	const struct kt_ir_actual actual[] = {{&outputs, 0, NULL}, {&inputs, 0, NULL}, {NULL, 0, &n}};
	const struct kt_ir_launch launch = {.grid = {1, 1, 1}, .block = {block, 1, 1}, .seed = seed, .step_limit = 4000000,
					    .argument_count = 3, .arguments = actual};
	struct kt_ir_result result;
	struct kt_error err = {0};

	for (int i = 0; i < ELEMENTS; i++) {
		x[i] = (float)(i * 37 % 11) / 8 - 1;
		y[i] = (float)(i % 7);
	}
	if (kind == 1)
		for (int i = 5; i < ELEMENTS; i += 9)
			x[i] = __builtin_nanf("");
	if (kt_ir_run(&result, module, module->last_function, &launch, &err) != KT_OK)
		fail_msg("%s", err.message);
	if (result.fault != KT_IR_NO_FAULT) {
		char *shown = ir_text(module);

		fail_msg("%s: %s (line %u)\n%s", kt_ir_fault_texts[result.fault], result.message, result.line, shown);
	}
}

/* The same values; which of NaNs it is does not count. */
static void same(const float *a, const float *b, const char *text, const struct kt_ir_module *made)
{
	for (int i = 0; i < ELEMENTS; i++)
		if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) {
			char *shown = ir_text(made);

			fail_msg("y[%d] is %g, not %g\n%s\n%s", i, (double)b[i], (double)a[i], text, shown);
		}
}

static void test_variants(void **state)
{
	float before[ELEMENTS], after[ELEMENTS];
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
		struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, kernels[i]);
		offer = pass_offer(arena, text, "team", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s (line %u)\n%s", offer->answers[0].text, offer->answers[0].line, text);
		assert_in_range(offer->tunable_count, 1, 2);
		for (size_t k = 0; k < sizeof teams / sizeof *teams; k++) {
			const int64_t values[] = {teams[k].team, teams[k].width};
			bool is_for_warps = false;
			const struct kt_ir_module *made;

			for (size_t r = 0; r < offer->restriction_count; r++)
				is_for_warps |= strstr(offer->restrictions[r].text, " <= 32") != NULL;
			if ((is_for_warps && values[0] * values[1] > 32) || (offer->tunable_count == 1 && values[1] > 1))
				continue;
			/* Widths that the block of the test has room for. */
			offer->tunables[1].values[0] = values[1];
			made = pass_variant(arena, offer, values);
			/* Fibres of many threads take their time. */
			for (int n = 0; n <= MOST_N; n += n == 0 ? 5 : 7)
				for (int kind = 0; kind < (n == MOST_N && values[0] < 32 ? 2 : 1); kind++) {
					run(before, offer->module, 16, n, kind, 3);
					run(after, made, (uint32_t)(16 * values[0]), n, kind, 5 + k);
					same(before, after, text, made);
				}
		}
		kt_arena_free(arena);
	}
}

static const char carried[] = "a value goes from one iteration to the next one", meets[] = "an iteration may access what another one writes",
		  own[] = "the loop's iterations are those of a thread already";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *body, *why;
} refused[] = {
    {WITHIN(SUM(ALONG, "add(%s, %v)")) "  barrier block\n", "threads synchronise"},
    {WITHIN(STORE("%t", "0x0p+0:f32")), "a thread has no loop to share"},
    {WITHIN("    loop {\n      let %v = load *%x[convert(%t):i64]\n      if lt(%v, 0x1p+0:f32) {\n        break\n      }\n    }\n"),
     "a thread has no loop to share"},
    /* The loop. */
    {ITEM FOR("%t", "%n", "convert(mul(griddim.x, blockdim.x)):i32", LOAD("%i") STORE("%i", "%v")), own},
    {ITEM FOR("convert(thread.x):i32", "%n", "16:i32", LOAD("%i") STORE("%i", "%v")), own},
    {WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:i32", "100:i32", "%n", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")), own},
    {WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:i32", "%n", "65537:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
     "the loop's step is too large"},
    {WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:u32", "convert(%n):u32", "-1:u32", LOAD("add(mul(convert(%t):u32, 12:u32), %i)") "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
     "the loop's step is too large"},
    {WITHIN(LOCAL("s", "0x0p+0:f32") FOR("%n", "0:i32", "-65537:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
     "the loop's step is too large"},
    {WITHIN(LOCAL("s", "0x0p+0:f32") FOR("0:i32", "7:i32", "1:i32", LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")),
     "the loop has few iterations"},
    {WITHIN(LOCAL("s", "0x0p+0:f32") "    for %i = 0:i32, %n, 8:i32 once {\n" LOAD(ALONG) "      set %s = add(%s, %v)\n    }\n" STORE("%t", "%s")), own},
    {WITHIN(LOCAL("s", "0x0p+0:f32") "    loop {\n" LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n      if lt(%v, 0x0p+0:f32) {\n        break 1\n      }\n")
	    "    break\n    }\n" STORE("%t", "%s")), "an iteration may end the loop"},
    /* Values that are carried. */
    {WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n" STORE(ALONG, "%s"))), carried},
    {WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = sub(%v, %s)\n") STORE("%t", "%s")), carried},
    {WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(mul(%s, %v), %v)\n") STORE("%t", "%s")), carried},
    {WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      if gt(%v, 0x0p+0:f32) {\n        set %s = %v\n      }\n") STORE("%t", "%s")), carried},
    {WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) STORE(ALONG, "%s") "      set %s = %v\n")), carried},
    {WITHIN("    local %s: u8\n    set %s = 0:u8\n" LOOP("      set %s = add(%s, convert(%i):u8)\n") STORE("%t", "convert(%s):f32")), carried},
    {WITHIN("    local %s: f32 volatile\n    set %s = 0x0p+0:f32\n" LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n") STORE("%t", "%s")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") "    let %f = load *(convert.bits(%x):ptr<global, const ptr<global, f32>>)[0:i64]\n    local %q: ptr<global, f32>\n    set %q = %f\n"
	    LOOP(LOAD(ALONG) "      let %p = load *(convert.bits(%x):ptr<global, const ptr<global, f32>>)[convert(%i):i64]\n"
		 "      if gt(%v, %b) {\n        set %b = %v\n        set %q = %p\n      }\n") "    let %w = load *%q[0:i64]\n" STORE("%t", "add(%b, %w)")), carried},
    {WITHIN("    local %s: bool\n    set %s = false\n" LOOP(LOAD(ALONG) "      set %s = select(lt(%v, 0x0p+0:f32), true, %s)\n")
	    STORE("%t", "select(%s, 0x1p+0:f32, 0x0p+0:f32)")), carried},
    /* Choices: the kept value or what goes with it is used in the loop, set elsewhere, or not what is compared. */
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = %v\n        set %w = %i\n      }\n" STORE(ALONG, "%b"))), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = %v\n        set %w = add.nw(%w, 1:i32)\n      }\n")
	    STORE("%t", "convert(%w):f32")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = neg(%v)\n        set %w = %i\n      }\n")
	    STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if ne(%v, %b) {\n        set %b = %v\n        set %w = %i\n      }\n")
	    STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = %v\n        set %w = %i\n      } else {\n        set %w = -2:i32\n      }\n")
	    STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = %v\n        set %w = %i\n      }\n"
	    "      if gt(%v, 0x1p+1:f32) {\n        set %w = 0:i32\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      set %b = select(gt(%v, %b), %v, %b)\n      set %w = select(gt(%v, %b), %i, %w)\n")
	    STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if either(lt(%v, %b), both(eq(%v, %b), le(%i, %w))) {\n        set %b = %v\n"
	    "        set %w = %i\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if either(lt(%v, %b), both(eq(%i, %w), lt(%v, %b))) {\n        set %b = %v\n"
	    "        set %w = %i\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if either(lt(%v, %b), either(eq(%v, %b), lt(%i, %w))) {\n        set %b = %v\n"
	    "        set %w = %i\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX LOOP(LOAD(ALONG) "      if either(lt(%v, %b), both(ge(%v, %b), lt(%i, %w))) {\n        set %b = %v\n"
	    "        set %w = %i\n      }\n") STORE("%t", "add(%b, convert(%w):f32)")), carried},
    {WITHIN(LOCAL("b", "0x0p+0:f32") INDEX FOR("%n", "0:i32", "-1:i32", LOAD(ALONG) "      if gt(%v, %b) {\n        set %b = %v\n        set %w = %i\n      }\n")
	    STORE("%t", "add(%b, convert(%w):f32)")), "the loop chooses a value counting down"},
    {WITHIN("    if lt(%n, 0:i32) {\n      opaque \"__trap();\"() effects(diverts, prints)\n    }\n" SUM(ALONG, "add(%s, %v)")),
     "each thread of a team would print, or report that an assertion failed"},
    {WITHIN(SUM(ALONG, "add(%s, %v)") "    opaque \"printf();\"() effects(prints)\n"),
     "each thread of a team would print, or report that an assertion failed"},
    /* Memory. */
    {WITHIN(LOOP(LOAD(ALONG) STORE("%t", "%v"))), meets},
    {WITHIN(LOOP("      let %v = load *%y[convert(add.nw(" ALONG ", 1:i32)):i64]\n" STORE(ALONG, "%v"))), meets},
    {WITHIN(LOOP(STORE("div(" ALONG ", 2:i32)", "0x0p+0:f32"))), meets},
    /* Indices of fewer bits than the counter's, which begins anywhere, goes down, or ends anywhere. */
    {WITHIN(FOR("convert(%t):i64", "convert(%n):i64", "1:i64", STORE("convert(%i):i32", "0x0p+0:f32"))), meets},
    {WITHIN(FOR("100:i64", "convert(%n):i64", "-1:i64", STORE("convert(%i):i32", "0x0p+0:f32"))), meets},
    {WITHIN("    let %h = load *%x[0:i64]\n" FOR("0:i64", "convert(%h):i64", "1:i64", STORE("convert(%i):i32", "0x0p+0:f32"))), meets},
    {WITHIN(LOOP("      atomic.exchange *%y[convert(%t):i64] (convert(%i):f32) relaxed grid\n")), meets},
    {WITHIN("    local %a: [f32 x 12]\n" LOOP(LOAD(ALONG) "      store %a[convert(%i):i64] = %v\n") "    let %w = load %a[1:i64]\n" STORE("%t", "%w")),
     "an iteration writes to an array that others see"},
    {WITHIN(SUM(ALONG, "add(%s, %v)") "    let %o = atomic.add *%y[0:i64] (%s) relaxed grid\n" STORE("add.nw(%t, 16:i32)", "%o")), "what an atomic returns is used"},
    {WITHIN("    let %p = load *(convert.bits(%x):ptr<global, const ptr<global, f32>>)[0:i64]\n" SUM(ALONG, "add(%s, %v)") "    store *%p[0:i64] = %s\n"),
     "memory is written through a pointer that is no argument"},
};

static void test_refused(void **state)
{
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, refused[i].body);
		pass_refuses(text, "team", &facts, 0, refused[i].why);
	}
}

/* The last one of these passes refuses the kernel, so. */
static void refuses_beside(const char *const *passes, size_t count, const char *text, const struct kt_ir_facts *of, const char *why)
{
	struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_module *module = ir_read(arena, text);
	struct kt_ir_facts facts_of = *of;
	struct kt_ir_offer *offer;
	struct kt_error err = {0};

	facts_of.allowed = passes;
	facts_of.allowed_count = count;
	if (kt_ir_offer_make(&offer, arena, module, &facts_of, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	assert_int_equal(offer->answer_count, count);
	for (size_t i = 0; i + 1 < count; i++)
		if (!offer->answers[i].applies)
			fail_msg("%s: %s\n%s", offer->answers[i].pass->name, offer->answers[i].text, text);
	assert_false(offer->answers[count - 1].applies);
	assert_string_equal(offer->answers[count - 1].text, why);
	kt_arena_free(arena);
}

/* What launches and clauses do not tell. */
static void test_refused_facts(void **state)
{
	static const struct kt_ir_argument_facts uncounted[] = {{"y", "256", false}, {"x", NULL, true}, {"n", NULL, false}};
	static const char copy[] = HEAD WITHIN(LOOP(LOAD(ALONG) STORE(ALONG, "%v"))) "}\n";
	struct kt_ir_facts other = facts;

	(void)state;
	for (size_t d = 0; d < 3; d++) {
		other = facts;
		other.block[d] = 0;
		pass_refuses(HEAD WITHIN(SUM(ALONG, "add(%s, %v)")) "}\n", "team", &other, 0, "the block of the launches is no constant; write block(N) where the program always launches N threads");
	}
	other = facts;
	other.arguments = uncounted;
	pass_refuses(copy, "team", &other, 0, "buffers of which one is written may overlap: their element counts are not known");
}

/* Beside other passes: loops over the block, and warps with a row each. */
static void test_refused_beside(void **state)
{
	static const char *const with_stride[] = {"stride", "team"};
	static const char row[] = HEAD "  for %i = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n" LOCAL("s", "0x0p+0:f32")
			  NEXT("j", "      let %w = load *%x[convert(add.nw(%i, %j)):i64]\n      set %s = add(%s, %w)\n")
			  "    store *%y[convert(add.nw(mul.nw(convert(block.x):i32, 64:i32), %i)):i64] = %s\n  }\n}\n",
			  lanes[] = HEAD "  let %lane = convert(rem(thread.x, 32:u32)):i32\n"
			  "  let %t = convert(div(add(mul(block.x, blockdim.x), thread.x), 32:u32)):i32\n"
			  "  let %o = collective.shuffle_xor(4294967295:u32, convert(%lane):f32, 1:i32, 32:i32)\n" LOCAL("s", "0x0p+0:f32")
			  LOOP(LOAD("add.nw(mul.nw(%t, 32:i32), %i)") "      set %s = add(%s, %v)\n") STORE("add.nw(mul.nw(%t, 32:i32), %lane)", "add(%s, %o)") "}\n";
	struct kt_ir_facts other = facts;

	(void)state;
	refuses_beside(with_stride, 2, row, &facts, "loops are distributed over the block");
	other.block[0] = 64;
	refuses_beside(with_stride + 1, 1, lanes, &other, "warps have a row each");
}

static bool restricts(const struct kt_ir_offer *offer, const char *text)
{
	for (size_t i = 0; i < offer->restriction_count; i++)
		if (strcmp(offer->restrictions[i].text, text) == 0)
			return true;
	return false;
}

/* Where a team is in one warp, how blocks hold teams, and what guards ask. */
static void test_restrictions(void **state)
{
	static const struct {
		const char *body;
		int64_t block[3];
		const char *restriction;
	} rows[] = {
	    {WITHIN(SUM(ALONG, "add(%s, %v)")), {16, 1, 1}, "TEAM == 1 || 16 * TEAM * 1 <= 1024"},
	    {WITHIN(SUM(ALONG, "add(%s, %v)")), {16, 4, 1}, "TEAM == 1 || 16 * TEAM * 4 <= 1024"},
	    {WITHIN(SUM(ALONG, "add(%s, %v)")), {16, 4, 1}, "TEAM == 1 || TEAM <= 32"},
	    {WITHIN(SUM(ALONG, "add(%s, %v)")), {16, 4, 1}, "TEAM == 1 || 16 * TEAM % 32 == 0"},
	    {WITHIN(SUM(ACROSS, "add(%s, %v)")), {16, 1, 1}, "TEAM == 1 || 16 % TEAM_WIDTH == 0"},
	    {WITHIN(SUM(ACROSS, "add(%s, %v)")), {16, 1, 1}, "TEAM > 1 || TEAM_WIDTH == 8"},
	    {WITHIN("    for %r = 0:i32, 3:i32, 1:i32 {\n" LOCAL("s", "0x0p+0:f32") LOOP(LOAD("add.nw(" ALONG ", %r)") "      set %s = add(%s, %v)\n")
		    STORE("add.nw(mul.nw(%t, 3:i32), %r)", "%s") "    }\n"), {16, 1, 1}, "TEAM == 1 || TEAM <= 32"},
	};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_facts other = facts;
		const struct kt_ir_offer *offer;

		memcpy(other.block, rows[i].block, sizeof other.block);
		snprintf(text, sizeof text, "%s%s}\n", HEAD, rows[i].body);
		offer = pass_offer(arena, text, "team", &other);
		if (!offer->answers[0].applies || !restricts(offer, rows[i].restriction))
			fail_msg("'%s' is missing of\n%s", rows[i].restriction, text);
		if (i == 0 && (offer->guard_count != 0 || restricts(offer, "TEAM == 1 || TEAM <= 32")))
			fail_msg("a guard or a restriction too many of\n%s", text);
		kt_arena_free(arena);
	}
}

/* Threads synchronise around writes where another access may reach the same place, and nowhere else. */
static void test_order(void **state)
{
	static const struct {
		const char *arguments, *body;
		bool has_barrier;
	} rows[] = {
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict", WITHIN(SUM(ALONG, "add(%s, %v)")), false},
	    /* Two loops load the same row, and none of them writes. */
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict",
	     WITHIN(LOCAL("s", "0x0p+0:f32") LOOP(LOAD(ALONG) "      set %s = add(%s, %v)\n")
			NEXT("j", "      let %w = load *%x[convert(" ROW("j") "):i64]\n      set %s = add(%s, mul(%w, %w))\n") STORE("%t", "%s")), false},
	    {"%y: ptr<global, f32>, %x: ptr<global, const f32>", WITHIN(SUM(ALONG, "add(%s, %v)")), true},
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict",
	     WITHIN(SUM(ALONG, "add(%s, %v)") "    let %p = load *%y[convert(%t):i64]\n" STORE("%t", "mul(%p, 0x1p-1:f32)")), true},
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict",
	     WITHIN(LOOP(LOAD(ALONG) STORE(ALONG, "%v")) STORE("mul.nw(%t, 12:i32)", "0x0p+0:f32")), true},
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict",
	     WITHIN(LOOP(LOAD(ALONG) "      store %g[convert(" ALONG "):i64] = %v\n") "    let %p = load %g[convert(%t):i64]\n" STORE("%t", "%p")), true},
	    {"%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict",
	     WITHIN("    for %r = 0:i32, 3:i32, 1:i32 {\n" LOOP(LOAD("%i") STORE("add.nw(" ALONG ", %r)", "%v")) "    }\n"), true},
	};
	static const int64_t values[] = {4, 8};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		char *shown;

		snprintf(text, sizeof text, "module\nglobal %%g: [f32 x 256]\nkernel @k(%s, %%n: i32) {\n%s}\n", rows[i].arguments, rows[i].body);
		shown = ir_text(pass_variant(arena, pass_offer(arena, text, "team", &facts), values));
		if ((strstr(shown, "barrier warp") != NULL) != rows[i].has_barrier)
			fail_msg("%s", shown);
		free(shown);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),	 cmocka_unit_test(test_refused_facts), cmocka_unit_test(test_restrictions),
	    cmocka_unit_test(test_refused_beside),
	    cmocka_unit_test(test_order), cmocka_unit_test(test_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
