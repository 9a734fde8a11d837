/* Hierarchical atomics: which kernels, under which guards, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define GUARDED(body) INDEX "  if lt(%i, %n) {\n    let %v = load *%x[convert(%i):i64]\n" body "  }\n"
#define ATOMIC(op, place, value) "    atomic." op " *%y[" place "] (" value ") relaxed grid\n"
#define ADD GUARDED(ATOMIC("add", "0:i64", "%v"))

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_argument_facts arguments_of_none[] = {{"y", NULL, false}, {"x", NULL, false}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static const char other_place[] = "threads of a block add to other places, or by an operation that lanes cannot exchange",
		  accessed[] = "the place of the atomics is accessed otherwise",
		  single[] = "one thread of a block or warp does it already";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *body, *why;
} refused[] = {
    {GUARDED("    store *%y[convert(%i):i64] = %v\n"), "the kernel has no atomics"},
    {ADD "  opaque \"f()\"() effects(all)\n", "a statement is opaque"},
    {ADD "  fence grid\n", "a fence orders accesses"},
    {ADD "  let %w = load *%x[0:i64] volatile\n  local %a: i32\n  set %a = %w\n", "an access is volatile"},
    {"  for %k = 0:i32, 9:i32, 1:i32 {\n    if gt(%k, %n) {\n      return\n    }\n" ATOMIC("add", "0:i64", "%k") "  }\n",
     "a return is inside of a loop"},
    {GUARDED("    atomic.add *%y[0:i64] (%v) acquire grid\n"), "an atomic orders other accesses"},
    {GUARDED("    let %o = atomic.add *%y[0:i64] (1:i32) relaxed grid\n    store *%y[convert(%o):i64] = %v\n"), "what an atomic returns is used"},
    {INDEX "  if lt(%i, %n) {\n  barrier block\n  }\n  atomic.add *%y[0:i64] (%i) relaxed grid\n", "threads may pass a barrier by"},
    {INDEX "  for %k = 0:i32, rem(%i, 4:i32), 1:i32 {\n  barrier block\n  }\n  atomic.add *%y[0:i64] (%i) relaxed grid\n", "threads may pass a barrier by"},
    /* The place. */
    {GUARDED(ATOMIC("add", "convert(%i):i64", "%v")), other_place},
    {GUARDED(ATOMIC("add", "convert(thread.x):i64", "%v")), other_place},
    {GUARDED(ATOMIC("add", "convert(lane):i64", "%v")), other_place},
    {GUARDED(ATOMIC("add", "convert(%v):i64", "1:i32")), other_place},
    {GUARDED("    for %k = 0:i32, 3:i32, 1:i32 {\n" ATOMIC("add", "convert(%k):i64", "%v") "    }\n"), other_place},
    {"  local %at: i32\n  set %at = 1:i32\n  if gt(%n, 4:i32) {\n    set %at = 2:i32\n  }\n" GUARDED(ATOMIC("add", "convert(%at):i64", "%v")), other_place},
    {INDEX "  for %k = 0:i32, 3:i32, 1:i32 {\n" ATOMIC("add", "convert(%n):i64", "%i") "    set %n = div(%n, 2:i32)\n  }\n", other_place},
    {GUARDED(ATOMIC("add", "convert(div(7:i32, %n)):i64", "%v")), other_place},
    {GUARDED("    atomic.add *%y[0:i64].as(i32, align 4) (%v) relaxed grid\n"), other_place},
    {"  shared %s: [i32 x 4]\n" INDEX "  atomic.add %s[0:i64] (%i) relaxed grid\n", other_place},
    /* The operation. */
    {GUARDED("    atomic.add *%y[0:i64] (%v) relaxed block\n"), other_place},
    {GUARDED("    atomic.add *%y[0:i64] (%v) relaxed system\n"), other_place},
    {GUARDED(ATOMIC("exchange", "0:i64", "%v")), other_place},
    {GUARDED(ATOMIC("sub", "0:i64", "%v") ATOMIC("add", "0:i64", "%v")), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") "    let %w = load *%y[convert(%i):i64]\n    store *%y[300:i64] = %w\n"), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v")) "  if eq(%i, 3:i32) {\n    store *%y[0:i64] = 1:i32\n  }\n", accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") ATOMIC("max", "0:i64", "%v")), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") ATOMIC("max", "convert(%n):i64", "%v")), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") "    let %w = load *(convert(%y):ptr<global, i64>)[1:i64]\n    store *%y[300:i64] = convert(%w):i32\n"), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") "    let %w = load *%y[1:i64].as(i64, align 4)\n    store *%y[300:i64] = convert(%w):i32\n"), accessed},
    /* Operations on numbers of another type give other bits in another order. */
    {GUARDED(ATOMIC("add", "0:i64", "%v") "    atomic.add *(convert(%y):ptr<global, f32>)[0:i64] (0x1p+0:f32) relaxed grid\n"), accessed},
    {GUARDED(ATOMIC("max", "0:i64", "%v") "    atomic.max *(convert(%y):ptr<global, u32>)[0:i64] (convert(%v):u32) relaxed grid\n"), accessed},
    {GUARDED(ATOMIC("add", "1:i64", "%v") "    atomic.add *(convert(%y):ptr<global, i64>)[0:i64] (1:i64) relaxed grid\n"), accessed},
    /* Indices that are the same modulo 2^32, whose sums with wrapped products are not. */
    {GUARDED("    let %w = load *%y[convert(mul(convert(%n):u32, 65536:u32)):i64]\n"
     ATOMIC("add", "convert(mul(add(convert(%n):u32, 65536:u32), 65536:u32)):i64", "%w")), accessed},
    {GUARDED("    let %w = load *%y[convert(mul(add(convert(%n):u32, 65536:u32), 65536:u32)):i64]\n"
     ATOMIC("add", "convert(mul(convert(%n):u32, 65536:u32)):i64", "%w")), accessed},
    /* No index in one of the two places, or one that comes behind another step. */
    {GUARDED("    atomic.add *%y (%v) relaxed grid\n" ATOMIC("max", "1:i64", "%v")), accessed},
    {GUARDED(ATOMIC("add", "0:i64", "%v") "    let %w = load *%y.as(i64, align 4)\n    store *%y[300:i64] = convert(%w):i32\n"), accessed},
    {INDEX "  if eq(thread.x, 0:u32) {\n" ATOMIC("add", "0:i64", "%i") "  }\n", single},
    {INDEX "  if both(lt(%i, %n), eq(0:i32, rem(%i, 32:i32))) {\n" ATOMIC("add", "0:i64", "%i") "  }\n", single},
    {"  if eq(lane, 3:u32) {\n" ATOMIC("add", "0:i64", "%n") "  }\n", single},
};

static void test_refused(void **state)
{
	static const struct kt_ir_argument_facts more[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}, {"g", "4", false}};
	struct kt_ir_facts beside = facts;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, refused[i].body);
		pass_refuses(text, "combine", &facts, 0, refused[i].why);
	}
	beside.arguments = more;
	/* A variable of the program is no argument, whatever is behind them. */
	for (size_t i = 0; i < 2; i++) {
		static const char *const accesses[] = {"  let %w = load %g[0:i64]\n  store *%x[convert(%i):i64] = %w\n", "  store %g[0:i64] = 1:i32\n"};
		struct kt_ir_facts other = facts;

		other.arguments = more;
		snprintf(text, sizeof text, "%s%s%s", "module\nglobal %g: [i32 x 4]\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, i32>, %n: i32) {\n" ADD,
			 accesses[i], "}\n");
		pass_refuses(text, "combine", &other, 0, "buffers may overlap: their element counts are not known");
	}
	/* Nor is another element of a variable that of an argument. */
	pass_refuses("module\nglobal %g: [i32 x 4]\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, i32> restrict, %n: i32) {\n" GUARDED(
		     "    atomic.add %g[0:i64] (%v) relaxed grid\n    let %w = load *%y[1:i64]\n    store *%x[convert(%i):i64] = %w\n") "}\n", "combine", &beside, 0,
		     "buffers may overlap: their element counts are not known");
	pass_refuses("module\nstruct @pair size 8 align 4 { a: i32 at 0, b: i32 at 4 }\nkernel @k(%y: ptr<global, struct @pair>) {\n"
		     "  atomic.add *%y.a (1:i32) relaxed grid\n  let %w = load *%y[1:i64]\n  store *%y[2:i64] = %w\n}\n", "combine", &facts, 0, accessed);
	/* Parts that are no elements of the pointer's: of an array, of a structure; another pointer's. */
	pass_refuses("module\nkernel @k(%y: ptr<global, [i32 x 4]>) {\n  atomic.add *%y[0:i64][1:i64] (1:i32) relaxed grid\n"
		     "  atomic.max *%y[1:i64][1:i64] (1:i32) relaxed grid\n}\n", "combine", &facts, 0, accessed);
	pass_refuses("module\nstruct @pair size 8 align 4 { a: i32 at 0, b: i32 at 4 }\nkernel @k(%y: ptr<global, struct @pair>) {\n"
		     "  atomic.add *%y.a (1:i32) relaxed grid\n  atomic.max *%y.b (1:i32) relaxed grid\n}\n", "combine", &facts, 0, accessed);
	pass_refuses("module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, i32>, %n: i32) {\n  atomic.add *%y[0:i64] (1:i32) relaxed grid\n"
		     "  atomic.max *(addr(*%x[convert(%n):i64]))[1:i64] (1:i32) relaxed grid\n}\n", "combine",
		     &(const struct kt_ir_facts){.block = {64, 1, 1}, .arguments = arguments_of_none, .grid = {"8"}, .blocks = {"64"}}, 0,
		     "buffers may overlap: their element counts are not known");
	/* Integers that lanes do not exchange; a pointer that was made another one. */
	for (size_t i = 0; i < 3; i++) {
		static const char *const operations[] = {"add", "or", "max"};

		snprintf(text, sizeof text, "module\nkernel @k(%%y: ptr<global, i16>) {\n  atomic.%s *%%y[0:i64] (1:i16) relaxed grid\n}\n", operations[i]);
		pass_refuses(text, "combine", &facts, 0, other_place);
	}
	pass_refuses("module\nkernel @k(%y: ptr<global, i32>) {\n  atomic.add *(convert(%y):ptr<global, u32>)[0:i64] (1:u32) relaxed grid\n}\n", "combine", &facts, 0,
		     other_place);
	pass_refuses("module\nkernel @k(%y: ptr<global, f16>) {\n  atomic.add *%y[0:i64] (0x1p+0:f16) relaxed grid\n}\n", "combine", &facts, 0,
		     other_place);
	pass_refuses("module\nkernel @k(%y: ptr<global, f32>) {\n  atomic.max *%y[0:i64] (0x1p+0:f32) relaxed grid\n}\n", "combine", &facts, 0, other_place);
	pass_refuses("module\nkernel @k(%y: ptr<global, ptr<global, i32>>) {\n  let %q = load *%y[0:i64]\n"
		     "  atomic.add *%q[0:i64] (1:i32) relaxed grid\n}\n", "combine", &facts, 0, other_place);
	pass_refuses("module\nkernel @k(%y: ptr<global, i32>, %p: ptr<global, i32>) {\n  atomic.add *%y[0:i64] (1:i32) relaxed grid\n"
		     "  if gt(blockdim.x, 3:u32) {\n    set %y = %p\n  }\n  atomic.add *%y[0:i64] (1:i32) relaxed grid\n}\n", "combine", &facts, 0, other_place);
}

/* A chain of values that use each other twice is not written out, in a condition or a place. */
static void test_chain(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf chain = KT_BUF(KT_IR_TEXT_BYTES), text = KT_BUF(KT_IR_TEXT_BYTES);
	const struct kt_ir_offer *offer;

	(void)state;
	kt_buf_adds(&chain, "  let %c0 = add(mul(block.x, blockdim.x), convert(%n):u32)\n");
	for (int i = 0; i < 64; i++)
		kt_buf_addf(&chain, "  let %%c%d = xor(%%c%d, shr(%%c%d, 3:u32))\n", i + 1, i, i);
	kt_buf_adds(&text, HEAD INDEX);
	kt_buf_adds(&text, chain.data);
	kt_buf_adds(&text, "  if eq(and(%c64, 1:u32), 0:u32) {\n" ATOMIC("add", "0:i64", "%i") "  }\n}\n");
	offer = pass_offer(arena, text.data, "combine", &facts);
	assert_int_equal(offer->tunable_count, 1);
	kt_buf_free(&text);
	text = (struct kt_buf)KT_BUF(KT_IR_TEXT_BYTES);
	kt_buf_adds(&text, HEAD INDEX);
	kt_buf_adds(&text, chain.data);
	kt_buf_adds(&text, ATOMIC("add", "convert(and(%c64, 1:u32)):i64", "%i") "}\n");
	pass_refuses(text.data, "combine", &facts, 0, other_place);
	kt_buf_free(&text);
	kt_buf_free(&chain);
	kt_arena_free(arena);
}

static void test_refused_facts(void **state)
{
	static const char whole[] = "the block of the launches is no constant, or not of whole warps";
	static const int64_t blocks[][3] = {{0, 1, 1}, {48, 1, 1}, {64, 0, 1}, {64, 32, 1}, {16, 1, 1}};
	struct kt_ir_facts other = facts;

	(void)state;
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		memcpy(other.block, blocks[i], sizeof other.block);
		pass_refuses(HEAD ADD "}\n", "combine", &other, 0, whole);
	}
	other = facts;
	other.arguments = NULL;
	pass_refuses(HEAD ADD "}\n", "combine", &other, 0, "buffers may overlap: their element counts are not known");
}

static void test_guards(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD ADD "}\n", "combine", &facts);

	(void)state;
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "COMBINE == 0 || disjoint(x, n, y, n)");
	/* Many threads may have such a remainder. */
	offer = pass_offer(arena, HEAD INDEX "  if eq(convert(rem(thread.x, 4:u32)):i32, %n) {\n" ATOMIC("add", "0:i64", "%i") "  }\n}\n", "combine", &facts);
	assert_true(offer->answers[0].applies);
	/* A condition that all threads have alike is none for one thread. */
	offer = pass_offer(arena, HEAD INDEX "  if eq(%n, 3:i32) {\n" ATOMIC("add", "0:i64", "%i") "  }\n}\n", "combine", &facts);
	assert_true(offer->answers[0].applies);
	kt_arena_free(arena);
}

static bool is_known(struct ir_shape *shape, const void *context)
{
	const uint32_t *block = context;

	return shape->block[0] == block[0] && shape->block[1] == block[1] && shape->block[2] == 1;
}

static const char *const bodies[] = {
    ADD,
    GUARDED(ATOMIC("min", "0:i64", "%v") ATOMIC("max", "1:i64", "%v")),
    GUARDED(ATOMIC("max", "add(convert(block.x):i64, 3:i64)", "%v")),
    GUARDED(ATOMIC("sub", "0:i64", "%v")),
    GUARDED(ATOMIC("and", "0:i64", "%v")),
    GUARDED(ATOMIC("or", "0:i64", "%v")),
    GUARDED(ATOMIC("xor", "0:i64", "%v")),
    /* Two places, several atomics of one of them, in loops and branches; elements of another operation's are other memory. */
    INDEX "  for %k = 0:i32, 5:i32, 1:i32 {\n    if lt(rem(%i, 3:i32), %k) {\n" ATOMIC("add", "1:i64", "%k") "    } else {\n"
    ATOMIC("add", "2:i64", "1:i32") "    }\n  }\n" ATOMIC("add", "1:i64", "%i"),
    /* Barriers of the kernel's own, which all threads reach; others' places of the same operation. */
    "  shared %s: [i32 x 1024]\n" INDEX "  store %s[convert(add(thread.x, mul(thread.y, blockdim.x))):i64] = %i\n  barrier block\n"
    "  let %w = load %s[convert(add(thread.x, mul(thread.y, blockdim.x))):i64]\n" ATOMIC("add", "0:i64", "%w") ATOMIC("add", "convert(rem(%i, 4:i32)):i64", "%w"),
    "  if gt(%n, 5:i32) {\n  barrier block\n  }\n" ADD,
};

static void test_variants(void **state)
{
	static const uint32_t blocks[][2] = {{64, 1}, {16, 2}, {32, 4}};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		for (size_t b = 0; b < 3; b++) {
			struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			struct kt_ir_facts own = facts;
			const struct kt_ir_offer *offer;

			own.block[0] = blocks[b][0];
			own.block[1] = blocks[b][1];
			snprintf(text, sizeof text, "%s%s}\n", HEAD, bodies[i]);
			offer = pass_offer(arena, text, "combine", &own);
			if (!offer->answers[0].applies)
				fail_msg("%s: %s", offer->answers[0].text, text);
			for (int64_t way = 1; way <= 2; way++) {
				const struct kt_ir_module *made = pass_variant(arena, offer, &way);

				if (!ir_same_results(&c, offer->module, made, is_known, blocks[b], 1, 60))
					fail_msg("%s\n%s%s", c.message, text, ir_text(made));
				assert_true(c.right > 0);
			}
			kt_arena_free(arena);
		}
}

/* Of floats: nothing is accessed where nothing was added, and −0 stays. */
static void test_floats(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_facts own = {.block = {32, 1, 1}, .arguments = arguments, .grid = {"1"}, .blocks = {"32"}};
	const struct kt_ir_offer *offer =
	    pass_offer(arena, "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n" INDEX
			      "  if lt(%i, %n) {\n    let %v = load *%x[convert(%i):i64]\n    atomic.add *%y[convert(block.x):i64] (%v) relaxed grid\n  }\n}\n",
		       "combine", &own);
	char *text = ir_text(pass_variant(arena, offer, (const int64_t[]){2}));

	(void)state;
	assert_non_null(strstr(text, "set %sum = -0x0p+0:f32\n"));
	assert_non_null(strstr(text, "ne(convert.bits("));
	for (int n = 0; n <= 96; n += 24)
		for (int64_t way = 1; way <= 2; way++)
			pass_same(offer, pass_variant(arena, offer, &way), 3, 32, n);
	free(text);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),  cmocka_unit_test(test_chain), cmocka_unit_test(test_refused_facts), cmocka_unit_test(test_guards),
	    cmocka_unit_test(test_variants), cmocka_unit_test(test_floats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
