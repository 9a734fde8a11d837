/* The greater or lesser value by comparison: which selections are maxima and minima, in loops and exchanges, also with NaN. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/extreme.h"
#include "generation/ir/text.h"
#include "generation/ir/walk.h"
#include "launches.h"
#include "pass_case.h"

#define HEAD(type) "module\nkernel @k(%y: ptr<global, " type ">, %x: ptr<global, const " type ">, %n: i32) {\n"
#define ROW(index) "convert(add.nw(mul.nw(convert(block.x):i32, 128:i32), " index ")):i64"
#define OWN "  let %s = load *%x[" ROW("convert(thread.x):i32") "]\n"
#define LOADS                                                                                                                          \
	"  for %i = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n    let %v = load *%x[" ROW("%i") "]\n"
#define LOOP(type, start, update) "  local %s: " type "\n  set %s = " start "\n" LOADS update "  }\n"
#define SET(value) "    set %s = " value "\n"
#define FIRST "  if eq(thread.x, 0:u32) {\n    store *%y[convert(block.x):i64] = %t\n  }\n"
#define ALL                                                                                                                            \
	"  for %j = convert(thread.x):i32, %n, convert(blockdim.x):i32 {\n    let %w = load *%x[" ROW("%j") "]\n"                     \
	"    store *%y[" ROW("%j") "] = sub(%w, %t)\n  }\n"
#define EVERY "  store *%y[" ROW("convert(thread.x):i32") "] = %t\n"
#define TREE(type, halve, body)                                                                                                        \
	"  shared %m: [" type " x 64]\n  store %m[convert(thread.x):i64] = %s\n  barrier block\n  local %h: i32\n  set %h = 32:i32\n"  \
	"  loop {\n    if le(%h, 0:i32) {\n      break\n    }\n    if lt(convert(thread.x):i32, %h) {\n"                              \
	"      let %a = load %m[convert(thread.x):i64]\n      let %b = load %m[convert(add.nw(convert(thread.x):i32, %h)):i64]\n"      \
	body "    }\n    barrier block\n  } next {\n    set %h = " halve "\n  }\n  let %t = load %m[0:i64]\n"
#define PUT(value) "      store %m[convert(thread.x):i64] = " value "\n"
#define HALF "div(%h, 2:i32)"
#define SHIFT "shr(%h, 1:i32)"
/* Lanes of a warp exchange a local of their own, then the two warps of the block. */
#define WARPS(type)                                                                                                                    \
	"  local %l: " type "\n  set %l = %s\n  local %o: i32\n  set %o = 16:i32\n  loop {\n    if le(%o, 0:i32) {\n      break\n    }\n"    \
	"    let %p = collective.shuffle_xor(4294967295:u32, %l, %o, 32:i32)\n    set %l = select($(%p, %l), %p, %l)\n"                  \
	"  } next {\n    set %o = shr(%o, 1:i32)\n  }\n  shared %m: [" type " x 2]\n  if eq(and(thread.x, 31:u32), 0:u32) {\n"        \
	"    store %m[convert(div(thread.x, 32:u32)):i64] = %l\n  }\n  barrier block\n  let %a = load %m[0:i64]\n"                   \
	"  let %b = load %m[1:i64]\n  let %t = select($(%b, %a), %b, %a)\n"

/* $: gt or lt; !: the other one. */
static const char *const starts[] = {"-0x1p+60:f32", "0x0p+0:f32", "0x1p+60:f32", "neg(@__builtin_inff():f32)", "convert.bits(4286578688:u32):f32"};
static const char *const updates[] = {
    SET("select($(%v, %s), %v, %s)"), SET("select(!(%s, %v), %v, %s)"), "    if $(%v, %s) {\n      set %s = %v\n    }\n",
    "    let %q = %s\n    let %r = select($(%v, %q), %v, %q)\n    set %s = %r\n",
    SET("select($(@fabsf(%v):f32, %s), @fabsf(%v):f32, %s)"),
    /* Neither is greater where one is no number, and then the local is what it was. */
    SET("select(not($(%v, %s)), %s, %v)"),
};
static const char *const exchanges[] = {
    TREE("f32", HALF, PUT("select($(%b, %a), %b, %a)")), TREE("f32", SHIFT, PUT("select($(%a, %b), %a, %b)")),
    TREE("f32", HALF, "      if $(%b, %a) {\n  " PUT("%b") "      }\n"),
    TREE("f32", HALF, "      if !(%b, %a) {\n      } else {\n  " PUT("%b") "      }\n"), WARPS("f32"),
};

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static void write_case(struct kt_buf *to, const char *text, bool is_least)
{
	for (; *text != '\0'; text++) {
		if (*text == '$' || *text == '!')
			kt_buf_addf(to, "%s", (*text == '$') == is_least ? "lt" : "gt");
		else
			kt_buf_addf(to, "%c", *text);
	}
}

static bool divide(struct ir_shape *shape, const void *context)
{
	if (shape->block[0] != 64 || shape->grid[1] * shape->block[1] * shape->block[2] != 1)
		return false;
	shape->block[0] = *(const uint32_t *)context;
	return true;
}

static void same_in_blocks(const char *text, size_t which)
{
	static const int64_t configurations[][4] = {{1, 0, 0, 64}, {2, 1, 0, 128}, {4, 0, 1, 256}};
	struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, text, "stride", &facts);
	const size_t count = sizeof configurations / sizeof *configurations;
	const struct kt_ir_module *made;
	struct ir_comparison c;
	uint32_t block;

	if (!offer->answers[0].applies)
		fail_msg("%s: %s", offer->answers[0].text, text);
	made = pass_variant(arena, offer, configurations[which % count]);
	block = (uint32_t)configurations[which % count][3];
	if (!ir_same_results(&c, offer->module, made, divide, &block, 1 + which, 30))
		fail_msg("%s\n%s%s", c.message, text, ir_text(made));
	assert_true(c.right > 0);
	kt_arena_free(arena);
}

/* Every update with every exchange, and every start; greatest and least values. */
static void test_accepted(void **state)
{
	const size_t starting = sizeof starts / sizeof *starts, updating = sizeof updates / sizeof *updates,
		     exchanging = sizeof exchanges / sizeof *exchanges;

	(void)state;
	for (size_t i = 0; i < 2 * updating * exchanging; i++) {
		struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);

		write_case(&text, HEAD("f32") "  local %s: f32\n  set %s = ", false);
		write_case(&text, starts[i % starting], false);
		write_case(&text, "\n" LOADS, false);
		write_case(&text, updates[i / 2 % updating], i % 2 == 1);
		write_case(&text, "  }\n", false);
		write_case(&text, exchanges[i / 2 / updating], i % 2 == 1);
		write_case(&text, i % 3 == 0 ? FIRST "}\n" : ALL "}\n", false);
		same_in_blocks(text.data, i);
		kt_buf_free(&text);
	}
}

/* Integers have no NaN: which of the two is kept does not matter. */
static void test_integers(void **state)
{
	(void)state;
	same_in_blocks(HEAD("i32") LOOP("i32", "-9:i32", SET("select(gt(%s, %v), %s, %v)")) TREE("i32", HALF, PUT("select(lt(%b, %a), %a, %b)"))
		       FIRST "}\n", 0);
}

static const char carried[] = "a value goes from one iteration to the next one",
		  unordered[] = "a comparison chooses between values of threads that may be no numbers (NaN), so that their order matters",
		  more[] = "threads exchange more than totals over the block";

#define GREATEST(start, update) HEAD("f32") LOOP("f32", start, SET(update))
#define EXTREME TREE("f32", HALF, PUT("select(gt(%b, %a), %b, %a)"))
#define FMAX TREE("f32", HALF, PUT("@fmaxf(%a, %b):f32"))

static const struct {
	const char *text, *why;
} refused[] = {
    /* What is no number makes the local forget what it was. */
    {GREATEST("-0x1p+60:f32", "select(gt(%s, %v), %s, %v)") FMAX FIRST "}\n", carried},
    {GREATEST("-0x1p+60:f32", "select(not(le(%v, %s)), %v, %s)") FMAX FIRST "}\n", carried},
    /* Or stays until the end. */
    {GREATEST("bits(0x7fc00000):f32", "select(gt(%v, %s), %v, %s)") FMAX FIRST "}\n", carried},
    {GREATEST("convert(thread.x):f32", "select(gt(%v, %s), %v, %s)") FMAX FIRST "}\n",
     "threads differ by more than the iterations that they have"},
    {GREATEST("convert(%n):f32", "select(gt(%v, %s), %v, %s)") FMAX FIRST "}\n", carried},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), add(%v, 0x1p+0:f32), %s)") FMAX FIRST "}\n", carried},
    {GREATEST("-0x1p+60:f32", "select(eq(%v, %s), %v, %s)") FMAX FIRST "}\n", carried},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, 0x1p+0:f32), %v, %s)") FMAX FIRST "}\n", carried},
    {GREATEST("-0x1p+60:f32", "select(lt(%v, %s), %v, %s)") FMAX FIRST "}\n", carried},
    {HEAD("f32") LOOP("f32", "-0x1p+60:f32", SET("select(gt(%v, %s), %v, %s)") SET("select(lt(%v, %s), %v, %s)")) FMAX FIRST "}\n", carried},
    /* The same of what threads exchange. */
    {HEAD("f32") OWN EXTREME EVERY "}\n", unordered},
    {HEAD("f32") OWN TREE("f32", HALF, "      if gt(%b, %a) {\n  " PUT("%b") "      }\n") EVERY "}\n", unordered},
    {GREATEST("0x0p+0:f32", "add(%v, %s)") EXTREME FIRST "}\n", unordered},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), %v, %s)") TREE("f32", HALF, PUT("select(gt(%b, %a), %a, %a)")) EVERY "}\n", more},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), %v, %s)") TREE("f32", HALF, PUT("select(eq(%b, %a), %b, %a)")) FIRST "}\n", more},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), %v, %s)") TREE("f32", HALF, PUT("select(gt(%b, %a), neg(%b), %a)")) FIRST "}\n", more},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), %v, %s)")
     TREE("f32", HALF, "      if gt(%b, %a) {\n" PUT("%b") "        barrier warp\n      }\n") FIRST "}\n", "a branch of an exchange depends on data"},
    {GREATEST("-0x1p+60:f32", "select(gt(%v, %s), %v, %s)")
     TREE("f32", HALF, "      if gt(%b, %a) {\n        if gt(%a, %b) {\n" PUT("%b") "        }\n      }\n") FIRST "}\n",
     "a branch of an exchange depends on data"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		pass_refuses(refused[i].text, "stride", &facts, 0, refused[i].why);
}

/* Values of f32 that are numbers, whatever %v is; %m begins as a number and is set to the value as well. */
static const struct {
	const char *value;
	bool is_number;
} values[] = {
    {"0x1p+0:f32", true}, {"bits(0x7fc00000):f32", false}, {"bits(0x7f800000):f32", true}, {"%v", false}, {"neg(%v)", false},
    {"%m", true}, {"neg(%m)", true}, {"add(%m, %m)", false}, {"mul(%m, 0x1p+0:f32)", false}, {"convert(%n):f32", true},
    {"convert(convert(%m):f64):f32", true}, {"convert(convert(%v):f64):f32", false}, {"convert.bits(%n):f32", false},
    {"@fmaxf(%v, %m):f32", true}, {"@fminf(%m, %v):f32", true}, {"@fmaxf(%v, %v):f32", false}, {"@fabsf(%m):f32", true},
    {"@fabsf(%v):f32", false}, {"@sqrtf(%m):f32", false}, {"@__builtin_inff():f32", true}, {"select(gt(%n, 3:i32), %m, 0x0p+0:f32)", true},
    {"select(gt(%n, 3:i32), %m, %v)", false}, {"select(gt(%v, %m), %v, %m)", true}, {"select(gt(%m, %v), %m, %v)", false},
    {"select(not(gt(%v, %m)), %m, %v)", true}, {"select(not(gt(%m, %v)), %m, %v)", true}, {"select(eq(%v, %m), %v, %m)", false},
};

static bool is_store(struct kt_ir_statement *s, void *context)
{
	*(const struct kt_ir_statement **)context = s;
	return s->kind != KT_IR_S_STORE;
}

static void test_numbers(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const struct kt_ir_statement *store = NULL;
		struct kt_ir_numbers numbers;
		struct kt_ir_module *module;

		snprintf(text, sizeof text, "%s%s%s%s%s%s",
			 HEAD("f32") "  local %m: f32\n  set %m = 0x1p+0:f32\n  for %k = 0:i32, %n, 1:i32 {\n    let %v = load *%x[0:i64]\n",
			 "    store *%y[0:i64] = ", values[i].value, "\n    set %m = ", values[i].value, "\n  }\n}\n");
		module = ir_read(arena, text);
		assert_true(kt_ir_numbers_of(&numbers, arena, module, module->last_function));
		(void)kt_ir_visit(&module->last_function->body, is_store, (void *)&store);
		if (kt_ir_is_number_always(&numbers, store->value) != values[i].is_number)
			fail_msg("%s", text);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accepted),
	    cmocka_unit_test(test_integers),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
