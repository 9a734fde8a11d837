/* Items of a thread and the size of a block: which kernels, under which guards, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "generation/ir/cuda.h"
#include "launches.h"
#include "pass_case.h"

#define KERNEL "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define GUARDED(body) KERNEL INDEX "  if lt(%i, %n) {\n" body "  }\n}\n"
#define COPY "    let %v = load *%x[convert(%i):i64]\n    store *%y[convert(%i):i64] = add(%v, 0x1p+0:f32)\n"

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {
    .block = {32, 1, 1}, .arguments = arguments, .grid = {"ceil_div(n, 32)"}, .blocks = {"32"}};

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *body, *items, *block_size;
} refused[] = {
    {"    barrier block\n" COPY, "threads synchronise", "threads synchronise"},
    {"    fence block\n" COPY, "threads synchronise", "threads synchronise"},
    {"    let %a = collective.active_mask()\n" COPY, "lanes of a warp exchange values",
     "lanes of a warp exchange values"},
    {"    opaque \"f()\"() effects(all)\n" COPY, "a statement is opaque", "a statement is opaque"},
    {"    let %w = load *%x[convert(%i):i64] volatile\n    store *%y[convert(%i):i64] = %w\n", "an access is volatile",
     "an access is volatile"},
    {"    atomic.add *%y[0:i64] (0x1p+0:f32) acquire grid\n", "an atomic orders other accesses",
     "an atomic orders other accesses"},
    {"    shared %s: [f32 x 32]\n    store %s[convert(thread.x):i64] = 0x1p+0:f32\n", "the kernel has shared memory",
     "the kernel has shared memory"},
    {"    if eq(lane, 0:u32) {\n" COPY "    }\n", "the lane of a thread matters, or an argument has an address",
     "the lane of a thread matters, or an argument has an address"},
    {"    loop {\n      let %o = atomic.cas *%y[0:i64] (0x0p+0:f32, 0x1p+0:f32) relaxed grid\n      if eq(%o, "
     "0x0p+0:f32) {\n"
     "        break\n      }\n    }\n",
     "a loop may wait for another thread", "a loop may wait for another thread"},
    {"    loop {\n      if gt(%n, 3:i32) {\n        let %o = atomic.add *%y[0:i64] (0x0p+0:f32) relaxed grid\n        if eq(%o, 0x1p+0:f32) {\n"
     "          break\n        }\n      }\n    }\n",
     "a loop may wait for another thread", "a loop may wait for another thread"},
    {"    loop {\n      for %k = 0:i32, 2:i32, 1:i32 {\n        let %o = atomic.add *%y[convert(%k):i64] (0x0p+0:f32) relaxed grid\n        if eq(%o, 0x1p+0:f32) {\n"
     "          break 1\n        }\n      }\n    }\n",
     "a loop may wait for another thread", "a loop may wait for another thread"},
    {"    local %s: f32\n    set %s = 0x0p+0:f32\n    loop {\n      if gt(%s, 0x0p+0:f32) {\n        break\n      }\n    } next {\n"
     "      let %o = atomic.add *%y[0:i64] (0x0p+0:f32) relaxed grid\n      set %s = %o\n    }\n",
     "a loop may wait for another thread", "a loop may wait for another thread"},
    {"    atomic.add *%y[convert(div(%i, 32:i32)):i64] (0x1p+0:f32) relaxed block\n", NULL, "an atomic is one of the block alone"},
    {"    for %k = 0:i32, 9:i32, 1:i32 {\n      if gt(%k, %n) {\n        return\n      }\n" COPY "    }\n",
     "a return is inside of a loop", "a return is inside of a loop"},
    {"    store *%y[convert(griddim.x):i64] = 0x1p+0:f32\n", "the kernel depends on the extent of its grid",
     "threads of a block differ by more than their global index"},
    {"    store *%y[convert(block.x):i64] = 0x1p+0:f32\n", NULL, "threads of a block differ by more than their global index"},
    {"    store *%y[convert(%i):i64] = convert(blockdim.x):f32\n", NULL, "threads of a block differ by more than their global index"},
    {"    store *%y[convert(thread.x):i64] = 0x1p+0:f32\n", NULL,
     "threads of a block differ by more than their global index"},
};

static void guarded(char *text, size_t size, const char *body)
{
	snprintf(text, size, "%s%s%s", KERNEL INDEX "  if lt(%i, %n) {\n", body, "  }\n}\n");
}

static void refuses(const char *text, const char *pass, const char *why)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, text, pass, &facts);

	if (offer->answers[0].applies)
		fail_msg("%s applies, and should not: %s\n%s", pass, why, text);
	assert_string_equal(offer->answers[0].text, why);
	assert_int_equal(offer->tunable_count + offer->restriction_count + offer->guard_count, 0);
	kt_arena_free(arena);
}

#define ASSUMES "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) assumes(gt(rem(%n, 3:i32), 1:i32)) {\n"

static void test_refused(void **state)
{
	char text[2048];

	(void)state;
	refuses(ASSUMES INDEX "  if lt(%i, %n) {\n" COPY "  }\n}\n", "items", "an assumption about the launch has no words");
	refuses(ASSUMES INDEX "  if lt(%i, %n) {\n" COPY "  }\n}\n", "block_size", "an assumption about the launch has no words");
	/* An argument by value that is memory, and changed or led to. */
	refuses("module\nstruct @P size 8 align 4 { a: f32 at 0, b: f32 at 4 }\nkernel @k(%y: ptr<global, f32>, %p: struct @P memory, %n: i32) {\n" INDEX
		"  store %p.a = 0x1p+0:f32\n  let %v = load %p.a\n  store *%y[convert(%i):i64] = %v\n}\n",
		"items", "an argument is changed");
	refuses("module\nstruct @P size 8 align 4 { a: f32 at 0, b: f32 at 4 }\nkernel @k(%y: ptr<global, f32>, %p: struct @P memory, %n: i32) {\n" INDEX
		"  let %q = addr(%p.a)\n  let %v = load *%q\n  store *%y[convert(%i):i64] = %v\n  store *%y[convert(%i):i64] = convert(ne(convert(%q):u64, 0:u64)):f32\n}\n",
		"items", "the lane of a thread matters, or an argument has an address");
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		guarded(text, sizeof text, refused[i].body);
		if (refused[i].items != NULL)
			refuses(text, "items", refused[i].items);
		refuses(text, "block_size", refused[i].block_size);
	}
}

static void has_guard(const struct kt_ir_offer *offer, const char *wanted)
{
	for (size_t i = 0; i < offer->guard_count; i++)
		if (strcmp(offer->guards[i].text, wanted) == 0)
			return;
	fail_msg("no guard '%s', but '%s'", wanted, offer->guard_count > 0 ? offer->guards[0].text : "");
}

/* A bound that the kernel asks for excuses a grid that does not divide. */
static void test_guards(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, GUARDED(COPY), "items", &facts);
	struct kt_ir_facts other = facts;

	(void)state;
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || n <= (ceil_div(n, 32)) * (32)");
	assert_string_equal(offer->grid[0], "ceil_div(ceil_div(n, 32), ITEMS)");
	offer = pass_offer(arena, KERNEL INDEX COPY "}\n", "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0");
	/* A launch of one block of one thread is not written. */
	other.grid[0] = other.blocks[0] = NULL;
	offer = pass_offer(arena, GUARDED(COPY), "items", &other);
	has_guard(offer, "(1) % ITEMS == 0 || n <= (1) * (1)");
	/* What happens before the bound is asked happens past it, too. */
	offer = pass_offer(arena, KERNEL INDEX "  store *%y[300:i64] = 0x1p+0:f32\n  if lt(%i, %n) {\n" COPY "  }\n}\n",
			   "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0");
	/* Compared as unsigned numbers. */
	offer = pass_offer(arena, KERNEL INDEX "  if lt(convert(%i):u32, convert(%n):u32) {\n" COPY "  }\n}\n", "items",
			   &facts);
	has_guard(offer, "n >= 0");
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || n <= (ceil_div(n, 32)) * (32)");
	/* i - 1 of unsigned numbers is a bound for those that do not wrap alone. */
	offer = pass_offer(arena, KERNEL INDEX "  if lt(add(convert(%i):u32, -1:u32), convert(%n):u32) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0");
	offer = pass_offer(arena, KERNEL INDEX "  if lt(add(convert(%i):u32, 3:u32), convert(%n):u32) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || n <= (ceil_div(n, 32)) * (32)");
	/* A difference of unsigned numbers wraps below zero. */
	offer = pass_offer(arena, KERNEL INDEX "  if lt(convert(%i):u32, sub(convert(%n):u32, 7:u32)) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "n >= 7");
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || (n - 7) <= (ceil_div(n, 32)) * (32)");
	offer = pass_offer(arena, KERNEL INDEX "  if lt(convert(%i):u32, sub(100:u32, convert(%n):u32)) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "100 >= n");
	/* A bound that is cut off. */
	offer = pass_offer(arena, KERNEL INDEX "  if lt(%i, convert(convert(%n):i16):i32) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "n >= -32768 && n <= 32767");
	offer = pass_offer(arena, "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i64) {\n" INDEX "  if lt(%i, convert(%n):i32) {\n" COPY "  }\n}\n",
			   "items", &facts);
	has_guard(offer, "n >= -2147483648 && n <= 2147483647");
	/* A bound that is set is the argument's no longer. */
	offer = pass_offer(arena, KERNEL INDEX "  set %n = mul.nw(%n, 2:i32)\n  if lt(%i, %n) {\n" COPY "  }\n}\n", "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || (n * 2) <= (ceil_div(n, 32)) * (32)");
	offer = pass_offer(arena, GUARDED(COPY "    for %k = 0:i32, 9:i32, 1:i32 {\n      set %n = div(%n, 2:i32)\n    }\n    store *%y[convert(%n):i64] = 0x0p+0:f32\n"), "items",
			   &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0");
	/* No value of the launch bounds it, so that vectors have no bound to ask for. */
	offer = pass_offer(arena, KERNEL INDEX "  local %m: i32\n  set %m = %n\n  let %b = add(%m, 1:i32)\n  if lt(%i, %b) {\n" COPY "    for %k = 0:i32, 9:i32, 1:i32 {\n"
			   "      set %m = div(%m, 2:i32)\n    }\n    store *%y[convert(%m):i64] = 0x0p+0:f32\n  }\n}\n", "items", &facts);
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0");
	assert_int_equal(offer->tunable_count, 2);
	offer = pass_offer(arena, GUARDED(COPY), "block_size", &facts);
	has_guard(offer, "(ceil_div(n, 32)) * 32 % BLOCK == 0 || n <= (ceil_div(n, 32)) * 32");
	assert_string_equal(offer->blocks[0], "BLOCK");
	kt_arena_free(arena);
}

struct shape {
	uint32_t items, block;
};

/* The launch that covers n with blocks of 32, as the facts say, divided as the variant has it. */
static bool divide(struct ir_shape *shape, const void *context)
{
	const struct shape *s = context;
	const uint32_t threads = shape->grid[0] * shape->block[0];

	if (shape->grid[0] % s->items != 0 || shape->grid[1] * shape->block[1] * shape->block[2] != 1)
		return false;
	shape->grid[0] /= s->items;
	if (s->block != 0) {
		shape->block[0] = s->block;
		shape->grid[0] = threads / s->block;
		return threads % s->block == 0;
	}
	return true;
}

static void test_variants(void **state)
{
	static const char *const bodies[] = {
	    COPY,
	    /* A loop that all items have, one that is an item's own, a branch of an item's own, a local. */
	    "    local %s: f32\n    set %s = 0x0p+0:f32\n    for %k = 0:i32, 5:i32, 1:i32 {\n"
	    "      let %v = load *%x[convert(add.nw(%i, %k)):i64]\n      set %s = add(%s, %v)\n    }\n"
	    "    if eq(rem(%i, 3:i32), 0:i32) {\n      set %s = mul(%s, 0x1p+1:f32)\n    } else {\n      set %s = "
	    "neg(%s)\n    }\n"
	    "    for %m = 0:i32, rem(%i, 4:i32), 1:i32 {\n      set %s = add(%s, 0x1p+0:f32)\n    }\n"
	    "    store *%y[convert(%i):i64] = %s\n",
	};
	static const int64_t configurations[][3] = {{2, 0, 0}, {4, 0, 1}, {2, 1, 0}, {8, 1, 0}, {8, 0, 1}};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		const struct kt_ir_offer *offer;

		guarded(text, sizeof text, bodies[i]);
		offer = pass_offer(arena, text, "items", &facts);
		for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++) {
			const struct shape shape = {(uint32_t)configurations[k][0], 0};
			const struct kt_ir_module *made = pass_variant(arena, offer, configurations[k]);

			if (!ir_same_results(&c, offer->module, made, divide, &shape, 1, 6))
				fail_msg("%s\n%s", c.message, ir_text(made));
			assert_true(c.right > 0);
		}
		kt_arena_free(arena);
	}
}

/* What prints, or ends the launch, is run once for each item, and what it keeps from happening comes behind it. */
static void test_reports(void **state)
{
#define FAILS "    if gt(%i, %n) {\n      opaque \"__assert_fail($0);\"(%i) effects(diverts, prints)\n    }\n"
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, GUARDED(FAILS COPY), "items", &facts);
	struct kt_ir_module *variant = pass_variant(arena, offer, (const int64_t[]){2, 0, 1});
	char *made = ir_text(variant);
	const char *first = strstr(made, "__assert_fail"), *second = first == NULL ? NULL : strstr(first + 1, "__assert_fail"), *load = strstr(made, "load *%x");
	const struct shape shape = {2, 0};
	struct ir_comparison c;

	(void)state;
	if (load == NULL || second == NULL || second > load)
		fail_msg("%s", made);
	if (!ir_same_results(&c, offer->module, variant, divide, &shape, 1, 6))
		fail_msg("%s\n%s", c.message, made);
	assert_true(c.right > 0);
	free(made);
	kt_arena_free(arena);
	pass_refuses(GUARDED("    opaque \"f();\"() effects(reads, prints)\n" COPY), "items", &facts, 0, "a statement is opaque");
	pass_refuses(GUARDED("    let %o = opaque \"f()\"() effects(prints):i32\n" COPY), "items", &facts, 0, "a statement is opaque");
}

/* Loads of all items before their stores: they are under way together. */
/* What orders launches is called for each item, and what comes behind it stays there; any other function is opaque. */
static void test_launch_order(void **state)
{
#define ORDERED(effects)                                                                                               \
	"module\nextern @wait() effects(" effects ")\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) {\n"               \
	"  call @wait()\n" INDEX "  if lt(%i, %n) {\n    call @wait()\n" COPY "  }\n}\n"
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, ORDERED("reads, writes, synchronises"), "items", &facts);
	const struct shape shape = {2, 0};
	struct kt_ir_module *variant = pass_variant(arena, offer, (const int64_t[]){2, 0, 0});
	struct ir_comparison c;
	char *made = ir_text(variant);

	(void)state;
	has_guard(offer, "(ceil_div(n, 32)) % ITEMS == 0 || n <= (ceil_div(n, 32)) * (32)");
	assert_non_null(strstr(made, "  call @wait()\n  call @wait()\n"));
	assert_non_null(strstr(made, "    call @wait()\n    call @wait()\n    let %v = load"));
	if (!ir_same_results(&c, offer->module, variant, divide, &shape, 1, 6))
		fail_msg("%s\n%s", c.message, made);
	assert_true(c.right > 0);
	free(made);
	kt_arena_free(arena);
	pass_refuses(ORDERED("writes, synchronises"), "items", &facts, 0, "a statement is opaque");
	pass_refuses(ORDERED("reads, writes, synchronises, thread"), "items", &facts, 0, "a statement is opaque");
	pass_refuses(ORDERED("reads, writes, synchronises, diverts"), "block_size", &facts, 0, "a statement is opaque");
}

static void test_side_by_side(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, GUARDED(COPY), "items", &facts);
	char *made = ir_text(pass_variant(arena, offer, (const int64_t[]){2, 0, 0}));

	(void)state;
	assert_non_null(strstr(made, "  if both(lt(%i, %n), lt(%i.1, %n)) {\n"
				     "    let %v = load *%x[convert(%i):i64]\n"
				     "    let %v.1 = load *%x[convert(%i.1):i64]\n"
				     "    store *%y[convert(%i):i64] = add(%v, 0x1p+0:f32)\n"
				     "    store *%y[convert(%i.1):i64] = add(%v.1, 0x1p+0:f32)\n"
				     "  } else {\n"));
	free(made);
	kt_arena_free(arena);
}

/* Of neighbours, where both pointers are aligned; in no other branch. */
static void test_vectors(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, GUARDED(COPY), "items", &facts);
	char *made = ir_text(pass_variant(arena, offer, (const int64_t[]){2, 0, 1}));
	struct kt_buf cuda = KT_BUF(KT_IR_TEXT_BYTES);
	struct kt_error err;

	(void)state;
	assert_non_null(strstr(made, "load *%x[convert(%i):i64].as(vec<f32, 2, 8>, align 8)"));
	assert_non_null(strstr(made, "store *%y[convert(%i):i64].as(vec<f32, 2, 8>, align 8) = construct("));
	assert_non_null(strstr(made, "eq(and(convert(%x):u64, 7:u64), 0:u64)"));
	assert_non_null(strstr(made, "eq(and(convert(%y):u64, 7:u64), 0:u64)"));
	assert_true(kt_ir_print_cuda(&cuda, pass_variant(arena, offer, (const int64_t[]){4, 0, 1}),
				     &(struct kt_ir_cuda_options){.inlines_lets = true}, &err) == KT_OK);
	assert_non_null(strstr(cuda.data, "float4"));
	if (getenv("KT_SHOW") != NULL)
		puts(cuda.data);
	kt_buf_free(&cuda);
	free(made);
	/* Shifted by one, rows of any length: where they begin is asked. Every other element is no neighbour. */
	for (int i = 0; i < 3; i++) {
		static const char *const indices[] = {"add.nw(%i, 1:i32)", "add.nw(%n, %i)", "mul.nw(%i, 2:i32)"};
		static const char *const asked[] = {
		    "eq(and(add(div(convert(%x):u64, 4:u64), convert(add(%i, 1:i32)):u64), 1:u64), 0:u64)",
		    "eq(and(add(div(convert(%x):u64, 4:u64), convert(add(%n, %i)):u64), 1:u64), 0:u64)", NULL};
		char text[1024];

		snprintf(text, sizeof text, "%s%s%s%s",
			 KERNEL INDEX "  if lt(%i, %n) {\n    let %v = load *%x[convert(", indices[i],
			 "):i64]\n    store *%y[convert(mul.nw(%i, 3:i32)):i64] = %v\n", "  }\n}\n");
		offer = pass_offer(arena, text, "items", &facts);
		made = ir_text(pass_variant(arena, offer, (const int64_t[]){2, 0, 1}));
		if (asked[i] == NULL ? strstr(made, "vec<") != NULL : strstr(made, asked[i]) == NULL || strstr(made, "vec<f32, 2, 8>") == NULL)
			fail_msg("%s", made);
		free(made);
	}
	kt_arena_free(arena);
}

/* ---- Along y and z ---- */

#define PLANE "  let %j = convert(add(mul(block.y, blockdim.y), thread.y)):i32\n"
#define IN_PLANE(body) KERNEL INDEX PLANE "  if both(lt(%j, %n), lt(%i, %n)) {\n" body "  }\n}\n"
#define AT "convert(add.nw(mul.nw(%j, %n), %i)):i64"
#define COPY_AT "    let %v = load *%x[" AT "]\n    store *%y[" AT "] = add(%v, 0x1p+0:f32)\n"

static const struct kt_ir_facts plane = {
    .block = {8, 4, 1}, .arguments = arguments, .grid = {"4", "6"}, .blocks = {"8", "4"}};

static void test_refused_y(void **state)
{
	(void)state;
	pass_refuses(GUARDED(COPY), "items_y", &plane, 0, "blocks do not differ");
	pass_refuses(IN_PLANE(COPY_AT), "items_z", &plane, 0, "blocks do not differ");
	pass_refuses(IN_PLANE("    barrier block\n" COPY_AT), "items_y", &plane, 0, "threads synchronise");
	pass_refuses(IN_PLANE(COPY_AT "    store *%y[convert(griddim.y):i64] = 0x1p+0:f32\n"), "items_y", &plane, 0,
		     "the kernel depends on the extent of its grid");
	pass_refuses(GUARDED("    store *%y[convert(thread.y):i64] = 0x1p+0:f32\n"), "items_y", &plane, 0, "blocks do not differ");
}

static void test_guards_y(void **state)
{
	static const char *const allowed[] = {"items", "items_y"};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, IN_PLANE(COPY_AT), "items_y", &plane);
	struct kt_ir_facts both = plane;
	struct kt_ir_offer *made;
	struct kt_error err;

	(void)state;
	has_guard(offer, "(6) % ITEMS_Y == 0 || n <= (6) * (4)");
	has_guard(offer, "(6) * (4) <= 2130706432");
	assert_string_equal(offer->grid[1], "ceil_div(6, ITEMS_Y)");
	assert_string_equal(offer->grid[0], "4");
	offer = pass_offer(arena, KERNEL INDEX PLANE COPY_AT "}\n", "items_y", &plane);
	has_guard(offer, "(6) % ITEMS_Y == 0");
	both.allowed = allowed;
	both.allowed_count = 2;
	assert_true(kt_ir_offer_make(&made, arena, offer->module, &both, &err) == KT_OK);
	assert_string_equal(made->restrictions[made->restriction_count - 1].text, "ITEMS_Y * ITEMS <= 16");
	kt_arena_free(arena);
}

static bool even(struct ir_shape *shape, const void *context)
{
	const uint32_t *by = context;

	if (shape->grid[0] % by[0] != 0 || shape->grid[1] % by[1] != 0)
		return false;
	shape->grid[0] /= by[0];
	shape->grid[1] /= by[1];
	return true;
}

static void test_variants_y(void **state)
{
	static const char *const texts[] = {
	    IN_PLANE(COPY_AT),
	    /* Blocks that differ by more than their global index. */
	    KERNEL "  let %r = convert(add(mul(block.y, griddim.x), block.x)):i32\n  let %t = convert(add(mul(thread.z, 64:u32), add(mul(thread.y, 64:u32), thread.x))):i32\n"
		   "  let %v = load *%x[convert(add.nw(mul.nw(%r, 256:i32), %t)):i64]\n  store *%y[convert(add.nw(mul.nw(%r, 256:i32), %t)):i64] = neg(%v)\n}\n",
	};
	static const char *const allowed[] = {"items", "items_y"};
	struct kt_ir_facts both = plane;
	struct ir_comparison c;

	(void)state;
	both.allowed = allowed;
	both.allowed_count = 2;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct kt_arena *arena = kt_arena_new(4 * KT_ARENA_REGION_BYTES);
		/* ITEMS, SPREAD, VECTOR and ITEMS_Y; of the second one, which names the extent of its grid, ITEMS_Y. */
		static const int64_t values[2][2][4] = {{{1, 0, 0, 2}, {2, 0, 1, 2}}, {{2}, {2}}};
		struct kt_ir_module *module = ir_read(arena, texts[i]);
		struct kt_ir_offer *offer;
		struct kt_error err;

		assert_true(kt_ir_offer_make(&offer, arena, module, &both, &err) == KT_OK);
		for (size_t k = 0; k < 2; k++) {
			const uint32_t by[] = {i == 0 ? (uint32_t)values[i][k][0] : 1, 2};
			const struct kt_ir_module *made = pass_variant(arena, offer, values[i][k]);

			if (!ir_same_results(&c, module, made, even, by, 1, 12))
				fail_msg("%s\n%s", c.message, ir_text(made));
			assert_true(c.right > 0);
		}
		kt_arena_free(arena);
	}
}

/* The extent of a block along each dimension in which threads differ by their global index alone. */
static bool divide_plane(struct ir_shape *shape, const void *context)
{
	const uint32_t *block = context;

	if (shape->block[0] != 8 || shape->block[1] != 4 || shape->block[2] != 1)
		return false;
	for (int d = 0; d < 2; d++) {
		const uint32_t threads = shape->grid[d] * shape->block[d];

		if (threads % block[d] != 0)
			return false;
		shape->grid[d] = threads / block[d];
		shape->block[d] = block[d];
	}
	return true;
}

static void test_block_plane(void **state)
{
	static const int64_t values[][2] = {{16, 4}, {8, 1}, {16, 2}, {8, 8}};
	struct kt_arena *arena = kt_arena_new(2 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, IN_PLANE(COPY_AT), "block_size", &plane);
	struct ir_comparison c;

	(void)state;
	assert_int_equal(offer->tunable_count, 2);
	assert_string_equal(offer->tunables[0].name, "BLOCK");
	assert_string_equal(offer->tunables[1].name, "BLOCK_Y");
	has_guard(offer, "(4) * 8 % BLOCK == 0 || n <= (4) * 8");
	has_guard(offer, "(6) * 4 % BLOCK_Y == 0 || n <= (6) * 4");
	has_guard(offer, "(6) * 4 <= 2130706432");
	assert_string_equal(offer->restrictions[0].text, "BLOCK * BLOCK_Y <= device.max_threads_per_block");
	assert_string_equal(offer->restrictions[1].text, "BLOCK * BLOCK_Y >= 32");
	assert_string_equal(offer->grid[0], "ceil_div((4) * 8, BLOCK)");
	assert_string_equal(offer->grid[1], "ceil_div((6) * 4, BLOCK_Y)");
	assert_string_equal(offer->blocks[1], "BLOCK_Y");
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		const uint32_t block[] = {(uint32_t)values[i][0], (uint32_t)values[i][1]};

		if (!ir_same_results(&c, offer->module, pass_variant(arena, offer, values[i]), divide_plane, block, 1, 100))
			fail_msg("%s", c.message);
		assert_true(c.right > 0);
	}
	/* One dimension is used otherwise. */
	offer = pass_offer(arena, IN_PLANE(COPY_AT "    store *%y[convert(thread.y):i64] = 0x1p+0:f32\n"), "block_size", &plane);
	assert_int_equal(offer->tunable_count, 1);
	assert_string_equal(offer->tunables[0].name, "BLOCK");
	assert_string_equal(offer->restrictions[0].text, "BLOCK * 4 <= device.max_threads_per_block");
	assert_string_equal(offer->blocks[1], "4");
	pass_refuses(IN_PLANE(COPY_AT "    store *%y[convert(thread.y):i64] = 0x1p+0:f32\n    store *%y[convert(thread.x):i64] = 0x1p+0:f32\n"), "block_size",
		     &plane, 0, "threads of a block differ by more than their global index");
	/* Sizes for one of several dimensions, whichever those are. */
	offer = pass_offer(arena, IN_PLANE(COPY_AT), "block_size", &(const struct kt_ir_facts){.block = {8, 1, 4}, .arguments = arguments,
			   .grid = {"4", "6"}, .blocks = {"8", "1", "4"}});
	assert_string_equal(offer->tunables[0].name, "BLOCK");
	assert_int_equal(offer->tunables[0].values[1], 16);
	/* A block that is not known, or no block; a promise of the user's. */
	for (size_t i = 0; i < 3; i++) {
		static const int64_t blocks[][3] = {{0, 1, 1}, {-8, -4, 1}, {64, 64, 1}};
		struct kt_ir_facts other = plane;

		memcpy(other.block, blocks[i], sizeof other.block);
		pass_refuses(IN_PLANE(COPY_AT), "block_size", &other, 0, "the block of the launches is no constant; write block(N) where the program always launches N threads");
	}
	pass_refuses("module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, const f32>, %n: i32) bounds(256, 0) {\n" INDEX "  if lt(%i, %n) {\n" COPY "  }\n}\n",
		     "block_size", &facts, 0, "the kernel has launch bounds");
	/* Lanes of such rows are no warp. */
	pass_refuses(IN_PLANE("    let %m = collective.active_mask()\n" COPY_AT), "block_size", &plane, 0, "lanes of a warp exchange values");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused),      cmocka_unit_test(test_guards),  cmocka_unit_test(test_variants),
	    cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_vectors),
	    cmocka_unit_test(test_refused_y),	 cmocka_unit_test(test_guards_y), cmocka_unit_test(test_variants_y), cmocka_unit_test(test_block_plane), cmocka_unit_test(test_reports), cmocka_unit_test(test_launch_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
