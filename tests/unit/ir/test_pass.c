/* Offers and variants: which passes are asked, what a configuration may be, and the passes that need no understanding. */
#include <stdio.h>
#include <stdlib.h>

#include "base/passes.h"
#include "pass_case.h"

static const struct kt_ir_argument_facts buffers[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {64, 1, 1}, .arguments = buffers};

#define HEAD "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, f32>, %n: i32) !3 {\n"
#define SUM                                                                                                            \
	"  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i64\n"                                            \
	"  local %s: f32\n  set %s = 0x0p+0:f32\n  local %j: i32\n  set %j = 0:i32\n"                                  \
	"  loop !5 {\n    if not(lt(%j, %n)) {\n      break\n    }\n"                                                  \
	"    let %v = load *%x[convert(%j):i64] !6\n    set %s = add(%s, %v)\n"                                        \
	"  } next {\n    set %j = add.nw(%j, 1:i32)\n  }\n"                                                            \
	"  store *%y[%i] = %s !7\n}\n"

/* ---- The table ---- */

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < kt_ir_pass_count; i++) {
		assert_true(kt_pass_version(kt_ir_passes[i]->name) > 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(kt_ir_passes[i]->name, kt_ir_passes[k]->name);
	}
}

static void test_all_are_asked(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, HEAD SUM);
	struct kt_ir_offer *offer;
	int64_t originals[KT_IR_MOST_TUNABLES];
	struct kt_error err;
	char *before, *after;

	(void)state;
	assert_int_equal(kt_ir_offer_make(&offer, arena, module, &facts, &err), KT_OK);
	assert_int_equal(offer->answer_count, kt_ir_pass_count);
	for (size_t i = 0; i < kt_ir_pass_count; i++)
		assert_ptr_equal(offer->answers[i].pass, kt_ir_passes[i]);
	assert_true(offer->tunable_count >= 3);
	/* With the originals nothing is changed. */
	for (size_t i = 0; i < offer->tunable_count; i++) {
		assert_true(offer->tunables[i].has_original);
		originals[i] = offer->tunables[i].original;
	}
	before = ir_text(module);
	after = ir_text(pass_variant(arena, offer, originals));
	assert_string_equal(before, after);
	free(before);
	free(after);
	kt_arena_free(arena);
}

static void test_values_of_none(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD SUM, "loop_unroll", &facts);
	struct kt_ir_module *variant;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_variant_make(&variant, arena, offer, (const int64_t[]){3}, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "3 is no value of UNROLL");
	kt_arena_free(arena);
}

static void test_no_kernel(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, "module\ndevice @f(%v: f32): f32 {\n  return %v\n}\n");
	struct kt_ir_offer *offer;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_offer_make(&offer, arena, module, &facts, &err), KT_ERR_INVALID);
	kt_arena_free(arena);
}

/* ---- loop_unroll ---- */

static void test_unroll(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD SUM, "loop_unroll", &facts);
	struct kt_ir_module *variant = pass_variant(arena, offer, (const int64_t[]){4});
	char *text = ir_text(variant);

	(void)state;
	assert_int_equal(offer->tunable_count, 1);
	assert_string_equal(offer->tunables[0].name, "UNROLL");
	assert_string_equal(offer->tunables[0].meaning,
			    "iterations of the loop on line 5 that are written out; 0: as in the original");
	assert_non_null(strstr(text, "loop unroll(4) !5 {"));
	pass_same(offer, variant, 2, 64, 100);
	free(text);
	kt_arena_free(arena);
}

#define LOOP(inner) "  loop {\n" inner "    break\n  }\n"

/* Innermost loops, three at most; a guarded single iteration is none. */
static void test_unroll_which(void **state)
{
	static const struct {
		const char *body;
		size_t count, values;
	} rows[] = {
	    {LOOP(LOOP("")), 1, 5},
	    {LOOP("") LOOP(""), 2, 5},
	    {LOOP("") LOOP("") LOOP("") LOOP(""), 3, 4},
	    {"  for %i = 0:i32, %n, 1:i32 {\n  }\n" LOOP(""), 2, 5},
	    {"  for %i = 0:i32, %n, 1:i32 once {\n  }\n" LOOP(""), 1, 5},
	    {"  if lt(%n, 3:i32) {\n" LOOP("") "  }\n", 1, 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		char text[1024];
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text, "%s%s}\n", HEAD, rows[i].body);
		offer = pass_offer(arena, text, "loop_unroll", &facts);
		assert_int_equal(offer->tunable_count, rows[i].count);
		assert_int_equal(offer->tunables[0].count, rows[i].values);
		kt_arena_free(arena);
	}
	pass_refuses(HEAD "}\n", "loop_unroll", &facts, 3, "the kernel has no loop");
	pass_refuses(HEAD "  for %i = 0:i32, %n, 1:i32 once {\n  }\n}\n", "loop_unroll", &facts, 3, "the kernel has no loop");
}

/* ---- launch_bounds ---- */

static void test_bounds(void **state)
{
	static const struct {
		int64_t block[3];
		size_t count;
		int64_t values[5];
	} rows[] = {
	    {{64, 1, 1}, 5, {0, 64, 1024, 1536, 2048}},
	    {{32, 8, 1}, 5, {0, 256, 1024, 1536, 2048}},
	    {{1024, 1, 1}, 3, {0, 1024, 2048}},
	    {{768, 1, 1}, 3, {0, 768, 1536}},
	};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_ir_facts own = facts;
		const struct kt_ir_offer *offer;
		struct kt_ir_module *variant;

		memcpy(own.block, rows[i].block, sizeof own.block);
		offer = pass_offer(arena, HEAD SUM, "launch_bounds", &own);
		assert_int_equal(offer->tunables[0].count, rows[i].count);
		assert_memory_equal(offer->tunables[0].values, rows[i].values, rows[i].count * sizeof(int64_t));
		variant = pass_variant(arena, offer, &rows[i].values[rows[i].count - 1]);
		assert_int_equal(variant->last_function->max_threads,
				 rows[i].block[0] * rows[i].block[1] * rows[i].block[2]);
		assert_int_equal(variant->last_function->min_blocks,
				 rows[i].values[rows[i].count - 1] / variant->last_function->max_threads);
	}
	kt_arena_free(arena);
}

static void test_bounds_refuses(void **state)
{
	static const struct kt_ir_facts unknown = {.block = {64, 0, 1}}, large = {.block = {64, 64, 1}};
	static const struct kt_ir_facts negative = {.block = {-64, -1, 1}};
	static const char with_bounds[] = "module\nkernel @k(%n: i32) bounds(128, 0) !3 {\n}\n";
	static const char with_limit[] = "module\nkernel @k(%n: i32) registers(40) !3 {\n}\n";

	(void)state;
	pass_refuses(HEAD SUM, "launch_bounds", &unknown, 3, "the block of the launches is no constant; write block(N) where the program always launches N threads");
	pass_refuses(HEAD SUM, "launch_bounds", &negative, 3, "the block of the launches is no constant; write block(N) where the program always launches N threads");
	pass_refuses(HEAD SUM, "launch_bounds", &large, 3, "the block of the launches is no constant; write block(N) where the program always launches N threads");
	pass_refuses(with_bounds, "launch_bounds", &facts, 3, "the kernel has launch bounds");
	pass_refuses(with_limit, "launch_bounds", &facts, 3, "the kernel has a register limit");
}

/* ---- read_only ---- */

static void test_read_only(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD SUM, "read_only", &facts);
	struct kt_ir_module *variant = pass_variant(arena, offer, (const int64_t[]){1});
	char *text = ir_text(variant);

	(void)state;
	assert_int_equal(offer->tunable_count, 1);
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "READ_ONLY == 0 || disjoint(x, n, y, n)");
	assert_non_null(strstr(text, "load *%x[convert(%j):i64] cache(nc) !6"));
	pass_same(offer, variant, 2, 64, 100);
	free(text);
	kt_arena_free(arena);
}

/* Pointers that are made from arguments, moved, and passed to functions, lead through those. */
static void test_read_only_pointers(void **state)
{
	static const char text[] =
	    "module\ndevice @first(%p: ptr<generic, const f32>): f32 {\n  let %a = load *%p[0:i64]\n  return %a\n}\n"
	    "device @put(%p: ptr<generic, f32>, %v: f32) {\n  store *%p[0:i64] = %v\n}\n"
	    "kernel @k(%y: ptr<global, f32>, %x: ptr<global, f32>, %n: i32) !3 {\n  shared %s: [f32 x 64]\n"
	    "  let %i = convert(thread.x):i32\n  set %x = addr(*%x[convert(%i):i64])\n  let %q = convert(%x):ptr<generic, const f32>\n"
	    "  let %v = call @first(%q)\n  let %w = load *%x[0:i64]\n  let %t = addr(%s[0:i64])\n  store *%t[convert(%i):i64] = %w\n"
	    "  let %o = convert(addr(*%y[convert(%i):i64])):ptr<generic, f32>\n  call @put(%o, add(%v, %w))\n}\n";
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, text, "read_only", &facts);
	struct kt_ir_module *variant;
	char *made;

	(void)state;
	if (!offer->answers[0].applies)
		fail_msg("%s", offer->answers[0].text);
	assert_int_equal(offer->guard_count, 1);
	assert_string_equal(offer->guards[0].text, "READ_ONLY == 0 || disjoint(x, n, y, n)");
	variant = pass_variant(arena, offer, (const int64_t[]){1});
	made = ir_text(variant);
	assert_non_null(strstr(made, "load *%p[0:i64] cache(nc)"));
	assert_non_null(strstr(made, "load *%x[0:i64] cache(nc)"));
	pass_same(offer, variant, 1, 64, 64);
	free(made);
	kt_arena_free(arena);
}

/* A load of x with one more statement, and what else the signature says. */
static void kernel_text(char *out, size_t size, const char *y, const char *x, const char *more)
{
	snprintf(out, size,
		 "module\nglobal %%g: f32\ndevice @writes(%%p: ptr<generic, f32>) {\n  store *%%p[0:i64] = 0x0p+0:f32 !9\n}\n"
		 "extern @unknown(%%n: i32) effects(writes)\n"
		 "kernel @k(%%y: ptr<global, f32>%s, %%x: ptr<%s, %%n: i32) !3 {\n%s}\n",
		 y, x, more);
}

static void test_read_only_guards(void **state)
{
	static const struct {
		const char *y, *x, *guard;
	} rows[] = {
	    {"", "f32>", "READ_ONLY == 0 || disjoint(x, n, y, n)"},
	    {"", "const f32>", "READ_ONLY == 0 || disjoint(x, n, y, n)"},
	    {" restrict", "const f32>", ""},
	    {"", "f32> restrict", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		char text[1024];
		const struct kt_ir_offer *offer;

		snprintf(text, sizeof text,
			 "module\nkernel @k(%%y: ptr<global, f32>%s, %%x: ptr<global, %s, %%n: i32) !3 {\n"
			 "  let %%v = load *%%x[0:i64]\n  store *%%y[1:i64] = %%v\n}\n",
			 rows[i].y, rows[i].x);
		offer = pass_offer(arena, text, "read_only", &facts);
		if (!offer->answers[0].applies)
			fail_msg("%s\n%s", offer->answers[0].text, text);
		assert_int_equal(offer->guard_count, rows[i].guard[0] != '\0');
		if (offer->guard_count > 0)
			assert_string_equal(offer->guards[0].text, rows[i].guard);
		kt_arena_free(arena);
	}
}

#define LOADS "  let %v = load *%x[0:i64]\n"
#define STORES "  store *%y[1:i64] = %v\n"

/* One row for each condition: without it the pass would apply. */
static void test_read_only_refuses(void **state)
{
	static const char none[] = "no input is read that the compiler does not know to be read-only";
	static const struct kt_ir_argument_facts output[] = {{"y", "n", false}, {"x", "n", false}, {"n", NULL, false}};
	static const struct kt_ir_argument_facts unsized[] = {{"y", "n", false}, {"x", NULL, true}, {"n", NULL, false}};
	static const struct {
		const char *x, *body, *why;
		uint32_t line;
		const struct kt_ir_argument_facts *arguments;
	} rows[] = {
	    {"global, f32>", LOADS STORES, none, 3, output},
	    {"global, f32>", LOADS STORES, none, 3, unsized},
	    {"global, f32>", LOADS STORES, "nothing is known of the kernel's buffers", 3, NULL},
	    {"global, f32>", LOADS "  store *%x[1:i64] = %v\n", none, 3, buffers},
	    {"global, f32>", LOADS "  let %o = atomic.add *%x[0:i64] (%v) relaxed grid\n", none, 3, buffers},
	    {"global, const f32> restrict", LOADS STORES, none, 3, buffers},
	    {"global, volatile f32>", "  let %v = load *%x[0:i64] volatile\n" STORES, none, 3, buffers},
	    {"global, f32>", "  let %v = load *%x[0:i64] volatile\n" STORES, none, 3, buffers},
	    {"global, f32>", "  let %v = load *%x[0:i64] cache(cs)\n" STORES, none, 3, buffers},
	    {"global, bool>", "  let %b = load *%x[0:i64]\n  store *%y[1:i64] = select(%b, 0x0p+0:f32, 0x1p+0:f32)\n", none, 3,
	     buffers},
	    /* What is stored through leads to one of two arguments, to what is read, or out of a number or a device variable. */
	    {"global, f32>", LOADS "  local %p: ptr<global, f32>\n  set %p = %y\n  if gt(%n, 3:i32) {\n    set %p = %x\n  }\n  store *%p[0:i64] = %v !8\n",
	     "a store goes through a pointer that leads to no one argument of the kernel", 8, buffers},
	    {"global, f32>", LOADS "  let %p = select(gt(%n, 3:i32), %y, %x)\n  store *%p[0:i64] = %v !8\n",
	     "a store goes through a pointer that leads to no one argument of the kernel", 8, buffers},
	    {"global, f32>", LOADS "  let %p = addr(*%x[3:i64])\n  store *%p[0:i64] = %v !8\n", none, 3, buffers},
	    {"global, f32>", LOADS "  let %p = convert(convert(%n):i64):ptr<global, f32>\n  store *%p[0:i64] = %v !8\n",
	     "a store goes through a pointer that leads to no one argument of the kernel", 8, buffers},
	    {"global, f32>", LOADS "  let %p = convert(addr(%g)):ptr<generic, f32>\n  store *%p[0:i64] = %v !8\n",
	     "a store goes through a pointer that leads to no one argument of the kernel", 8, buffers},
	    {"global, f32>", LOADS "  call @writes(convert(%x):ptr<generic, f32>)\n", none, 3, buffers},
	    {"global, f32>", LOADS "  call @writes(convert(%y):ptr<generic, f32>)\n  call @writes(convert(%x):ptr<generic, f32>)\n",
	     "a store goes through a pointer that leads to no one argument of the kernel", 9, buffers},
	    {"global, f32>", "  let %p = convert(%x):ptr<global, volatile f32>\n  let %v = load *%p[0:i64]\n" STORES, none, 3, buffers},
	    {"global, f32>", LOADS "  store %g = %v !8\n", "a store goes to a device variable", 8, buffers},
	    {"global, f32>", LOADS "  call @unknown(%n) !8\n", "a function is called that may write to memory", 8, buffers},
	    {"global, f32>", LOADS "  opaque \"asm;\"() effects(writes) !8\n",
	     "a statement that is not understood may write to memory", 8, buffers},
	    {"global, f32>", "  set %x = addr(*%y[1:i64]) !8\n" LOADS STORES, none, 3, buffers},
	    {"generic, f32>", LOADS STORES, none, 3, buffers},
	    {"global, volatile f32>", LOADS STORES, none, 3, buffers},
	    {"global, i128>", LOADS, none, 3, buffers},
	    {"global, vec<f32, 3, 4>>", LOADS, none, 3, buffers},
	    {"global, vec<f64, 4, 16>>", LOADS, none, 3, buffers},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct kt_ir_facts own = {.arguments = rows[i].arguments};
		const char *const calls = strstr(rows[i].body, "@writes");
		char text[1024];

		/* A function that writes is part of the module only where it is called. */
		kernel_text(text, sizeof text, "", rows[i].x, rows[i].body);
		if (calls == NULL) {
			char *from = strstr(text, "device"), *to = strstr(text, "extern");

			memmove(from, to, strlen(to) + 1);
		}
		pass_refuses(text, "read_only", &own, rows[i].line, rows[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table),	    cmocka_unit_test(test_all_are_asked),
	    cmocka_unit_test(test_values_of_none),  cmocka_unit_test(test_no_kernel),
	    cmocka_unit_test(test_unroll),
	    cmocka_unit_test(test_unroll_which),    cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_bounds_refuses),  cmocka_unit_test(test_read_only),
	    cmocka_unit_test(test_read_only_guards), cmocka_unit_test(test_read_only_pointers), cmocka_unit_test(test_read_only_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
