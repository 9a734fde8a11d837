/* The interpreter: what kernels compute, and each fault that it finds. */
#include <math.h>
#include <stdio.h>

#include "interp.h"
#include "ir_case.h"

/* One launch: a buffer y of floats, a buffer x of floats, and a number n. */
struct run {
	uint32_t grid, block;
	uint64_t seed, shared_bytes;
	float *y, *x;
	size_t y_count, x_count;
	int n;
	bool y_is_unset, same_buffer;
};

static struct kt_ir_result run(const char *body, const struct run *r)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_buffer y = {r->y, r->y_count * sizeof(float), r->y_is_unset, false};
	const struct kt_ir_buffer x = {r->x, r->x_count * sizeof(float), false, true};
	const struct kt_ir_actual actual[] = {{&y, 0, NULL}, {r->same_buffer ? &y : &x, 0, NULL}, {NULL, 0, &r->n}};
	const struct kt_ir_launch launch = {
	    .grid = {r->grid, 1, 1},
	    .block = {r->block, 1, 1},
	    .seed = r->seed,
	    .dynamic_shared_bytes = r->shared_bytes,
	    .step_limit = 1000000,
	    .argument_count = 3,
	    .arguments = actual,
	};
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);
	struct kt_ir_module *module;
	struct kt_ir_result result;
	struct kt_error err;

	kt_buf_addf(&text,
		    "module\ndevice @square(%%v: f32): f32 {\n  return mul(%%v, %%v)\n}\n"
		    "kernel @k(%%y: ptr<global, f32>, %%x: ptr<global, const f32>, %%n: i32) {\n"
		    "  let %%i = convert(add(mul(block.x, blockdim.x), thread.x)):i64\n"
		    "  let %%t = convert(thread.x):i64\n%s}\n",
		    body);
	module = ir_read(arena, text.data);
	if (kt_ir_verify(module, true, &err) != KT_OK ||
	    kt_ir_run(&result, module, module->last_function, &launch, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text.data);
	kt_buf_free(&text);
	kt_arena_free(arena);
	return result;
}

static void right(const char *body, const struct run *r)
{
	const struct kt_ir_result result = run(body, r);

	if (result.fault != KT_IR_NO_FAULT)
		fail_msg("%s: %s (thread %u of block %u)\n%s", kt_ir_fault_texts[result.fault], result.message,
			 result.thread, result.block, body);
}

static void test_elementwise(void **state)
{
	float x[100], y[100];

	(void)state;
	for (int i = 0; i < 100; i++)
		x[i] = (float)i / 4;
	right("  if lt(%i, convert(%n):i64) {\n"
	      "    let %v = load *%x[%i]\n"
	      "    let %s = call @square(%v)\n"
	      "    store *%y[%i] = add(%s, 0x1p+0:f32)\n"
	      "  }\n",
	      &(struct run){.grid = 4, .block = 32, .y = y, .x = x, .y_count = 100, .x_count = 100, .n = 100,
			    .y_is_unset = true});
	for (int i = 0; i < 100; i++)
		assert_true(y[i] == x[i] * x[i] + 1);
}

/* A sum over a block by a tree in shared memory, and one by shuffles. */
static const char *const tree = "  shared %tile: [f32 x 64]\n"
				"  let %v = load *%x[%i]\n"
				"  store %tile[%t] = %v\n"
				"  barrier block\n"
				"  local %s: i64\n"
				"  set %s = 32:i64\n"
				"  loop {\n"
				"    if le(%s, 0:i64) {\n"
				"      break\n"
				"    }\n"
				"    if lt(%t, %s) {\n"
				"      let %a = load %tile[%t]\n"
				"      let %b = load %tile[add(%t, %s)]\n"
				"      store %tile[%t] = add(%a, %b)\n"
				"    }\n"
				"    barrier block\n"
				"    continue\n"
				"  } next {\n"
				"    set %s = shr(%s, 1:i32)\n"
				"  }\n"
				"  if eq(%t, 0:i64) {\n"
				"    let %all = load %tile[0:i64]\n"
				"    store *%y[convert(block.x):i64] = %all\n"
				"  }\n";
static const char *const shuffles = "  local %v: f32\n"
				    "  let %first = load *%x[%i]\n"
				    "  set %v = %first\n"
				    "  for %k = 0:i32, 5:i32, 1:i32 {\n"
				    "    let %o = collective.shuffle_xor(4294967295:u32, %v, shl(1:i32, %k), 32:i32)\n"
				    "    set %v = add(%v, %o)\n"
				    "  }\n"
				    "  if eq(lane, 0:u32) {\n"
				    "    let %old = atomic.add *%y[convert(block.x):i64] (%v) relaxed grid\n"
				    "  }\n";

static void test_reductions(void **state)
{
	float x[128], y[2];

	(void)state;
	for (int i = 0; i < 128; i++)
		x[i] = (float)(i % 16);
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct run r = {.grid = 2, .block = 64, .y = y, .x = x, .y_count = 2, .x_count = 128, .seed = seed};

		y[0] = y[1] = 0;
		right(tree, &r);
		assert_true(y[0] == 480 && y[1] == 480);
		y[0] = y[1] = 0;
		right(shuffles, &r);
		assert_true(y[0] == 480 && y[1] == 480);
	}
}

/* Each fault, with a kernel that has it and nothing else. */
static const struct {
	const char *body;
	enum kt_ir_fault fault;
	const char *says;
	struct run run;
} faults[] = {
    {"  store *%y[%i] = 0x1p+0:f32\n", KT_IR_OUT_OF_BOUNDS, "byte 128 of 'y', which has 128", {.block = 33}},
    {"  store *%y[sub(%i, 1:i64)] = 0x1p+0:f32\n", KT_IR_OUT_OF_BOUNDS, "byte -4 of 'y'", {.block = 1}},
    {"  local %a: [f32 x 4]\n  store %a[4:i64] = 0x1p+0:f32\n", KT_IR_OUT_OF_BOUNDS, "element 4 of an array of 4", {0}},
    {"  let %v = load *%y[%i]\n", KT_IR_UNSET, "byte 0 of 'y' was never set", {.y_is_unset = true}},
    {"  local %v: f32\n  store *%y[%i] = %v\n", KT_IR_UNSET, "'v' was never set", {0}},
    {"  shared %s: [f32 x 4]\n  let %v = load %s[0:i64]\n", KT_IR_UNSET, "byte 0 of 's' was never set", {0}},
    {"  let %p = addr(*%x[%i].as(f32))\n  atomic.add *(convert(%p):ptr<global, f32>) (0x1p+0:f32) relaxed grid\n",
     KT_IR_READ_ONLY, "of 'x' is written", {0}},
    {"  store *%y[0:i64] = 0x1p+0:f32\n", KT_IR_RACE, "writes byte 0 of 'y'", {.block = 2}},
    {"  store *%y[0:i64] = 0x1p+0:f32\n", KT_IR_RACE, "writes byte 0 of 'y', which thread 0 of block 0", {.grid = 2}},
    {"  if eq(%t, 0:i64) {\n    store *%y[0:i64] = 0x1p+0:f32\n  } else {\n    let %v = load *%y[0:i64]\n  }\n",
     KT_IR_RACE, "byte 0 of 'y'", {.block = 2}},
    {"  atomic.add *%y (0x1p+0:f32) relaxed grid\n  let %v = load *%y\n", KT_IR_RACE, "of 'y'", {.block = 2}},
    {"  if eq(%t, 0:i64) {\n    barrier block\n  } else {\n    barrier block\n  }\n", KT_IR_DIVERGED,
     "at two barriers", {.block = 2}},
    {"  if eq(%t, 0:i64) {\n    barrier warp(3:u32)\n  } else {\n    barrier block\n  }\n", KT_IR_DIVERGED,
     "can never be complete", {.block = 2}},
    {"  let %v = collective.vote_any(2:u32, true)\n", KT_IR_DIVERGED, "not in the mask", {.block = 1}},
    {"  let %v = mul.nw(2147483647:i32, add(%n, 2:i32))\n", KT_IR_OVERFLOW, "mul overflows 32 bits", {0}},
    {"  let %v = div(1:i32, %n)\n", KT_IR_DIVISION, "a division that has no result", {0}},
    {"  let %v = rem(-2147483648:i32, sub(%n, 1:i32))\n", KT_IR_DIVISION, "a division that has no result", {0}},
    {"  let %v = shl(1:i32, add(%n, 32:i32))\n", KT_IR_SHIFT, "a shift of 32 bits by 32", {0}},
    {"  let %v = shr(1:i32, sub(%n, 1:i32))\n", KT_IR_SHIFT, "a shift of 32 bits by -1", {0}},
    {"  loop {\n    local %x.1: i32\n  }\n", KT_IR_STEPS, "more than 1000000 statements", {0}},
    {"  opaque \"asm\"() effects(all)\n", KT_IR_UNKNOWN, "the opaque statement \"asm\"", {0}},
    {"  opaque \"__trap();\"() effects(diverts, prints)\n", KT_IR_TRAPPED, "__trap();", {0}},
    {"  let %v = @frobnicate(0x1p+0:f32):f32\n", KT_IR_UNKNOWN, "the intrinsic 'frobnicate'", {0}},
    {"  let %v = load *%y[1:i64].as(vec<f32, 4, 16>)\n", KT_IR_MISALIGNED, "byte 4 of 'y' is not aligned to 16", {0}},
    {"  for %k = 0:i32, 2:i32, 1:i32 once {\n  }\n", KT_IR_UNKNOWN, "has a second one", {0}},
};

static void test_faults(void **state)
{
	float x[32] = {0}, y[32] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct run r = faults[i].run;
		struct kt_ir_result result;

		r.grid = r.grid == 0 ? 1 : r.grid;
		r.block = r.block == 0 ? 1 : r.block;
		r.x = x;
		r.y = y;
		r.x_count = r.y_count = 32;
		result = run(faults[i].body, &r);
		if (result.fault != faults[i].fault || strstr(result.message, faults[i].says) == NULL)
			fail_msg("%s: \"%s\" instead of %s: \"%s\"\n%s", kt_ir_fault_texts[result.fault], result.message,
				 kt_ir_fault_texts[faults[i].fault], faults[i].says, faults[i].body);
	}
}

/* What is ordered is no race: by a barrier, by a collective of both lanes, by atomics alone, and in one thread. */
static void test_no_faults(void **state)
{
	static const char *const bodies[] = {
	    "  store *%y[%t] = 0x1p+0:f32\n  barrier block\n  let %v = load *%y[sub(63:i64, %t)]\n",
	    "  store *%y[%t] = 0x1p+0:f32\n  barrier warp\n  let %v = load *%y[xor(%t, 1:i64)]\n",
	    "  store *%y[%t] = 0x1p+0:f32\n  let %a = collective.ballot(4294967295:u32, true)\n"
	    "  let %v = load *%y[xor(%t, 31:i64)]\n",
	    "  atomic.add *%y (0x1p+0:f32) relaxed grid\n  atomic.max *%y[0:i64] (0x1p+0:f32) relaxed grid\n",
	    "  store *%y[%t] = 0x1p+0:f32\n  let %v = load *%y[%t]\n  store *%y[%t] = %v\n",
	    "  if lt(%t, 3:i64) {\n    return\n  }\n  barrier block\n",
	    "  shared %d: [f32 x ?] extern\n  store %d[%t] = 0x1p+0:f32\n  barrier block\n  let %v = load %d[sub(63:i64, %t)]\n",
	};
	float x[64] = {0}, y[64] = {0};

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		for (uint64_t seed = 0; seed < 10; seed++)
			right(bodies[i], &(struct run){.grid = 1, .block = 64, .y = y, .x = x, .y_count = 64, .x_count = 64,
						       .seed = seed, .shared_bytes = 256});
}

/* Without its barriers the tree races, in whatever order threads run. */
static void test_missing_barrier(void **state)
{
	float x[128] = {0}, y[2] = {0};
	char body[2048], *barrier;

	(void)state;
	for (int which = 0; which < 2; which++)
		for (uint64_t seed = 0; seed < 20; seed++) {
			struct run r = {.grid = 2, .block = 64, .y = y, .x = x, .y_count = 2, .x_count = 128, .seed = seed};
			enum kt_ir_fault fault;

			snprintf(body, sizeof body, "%s", tree);
			barrier = strstr(body, "barrier block");
			if (which == 1)
				barrier = strstr(barrier + 1, "barrier block");
			memcpy(barrier, "fence block  ", strlen("barrier block"));
			fault = run(body, &r).fault;
			assert_true(fault == KT_IR_RACE || fault == KT_IR_UNSET);
		}
}

/* Conversions and arithmetic, against what the C compiler makes of them. */
static void test_numbers(void **state)
{
	static const struct {
		const char *value;
		double expected;
	} rows[] = {
	    {"convert(convert(0x1.9p+8:f32):i8):f32", 127},	{"convert(convert(-0x1.8p+0:f32):u32):f32", 0},
	    {"convert(convert.rn(0x1.4p+1:f32):i32):f32", 2},	{"convert(convert.ru(0x1.4p+1:f32):i32):f32", 3},
	    {"convert(add(2147483647:i32, 1:i32)):f32", -2147483648.0},
	    {"convert(16777217:i64):f32", 16777216},		{"convert(convert(0x1.ffcp+15:f32):f16):f32", 65504},
	    {"convert(add(convert(0x1p+0:f32):f16, convert(0x1p-11:f32):f16)):f32", 1},
	    {"convert(div(-7:i32, 2:i32)):f32", -3},		{"convert(rem(-7:i32, 2:i32)):f32", -1},
	    {"convert(shr(-8:i32, 1:i32)):f32", -4},		{"convert(shr(4294967288:u32, 1:i32)):f32", 2147483644.0},
	    {"@fmaxf(bits(0x7fc00000):f32, 0x1p+0:f32):f32", 1}, {"@fmaf(0x1p+0:f32, 0x1p+1:f32, 0x1.8p+1:f32):f32", 5},
	    {"convert(@max(-3:i32, 7:i32):i32):f32", 7},	{"extract(construct(0x1p+0:f32, 0x1p+1:f32):vec<f32, 2, 8>, 1)", 2},
	    {"select(lt(0x1p+0:f32, bits(0x7fc00000):f32), 0x1p+0:f32, 0x1p+1:f32)", 2},
	    {"convert.bits(1065353216:i32):f32", 1},		{"convert(convert.bits(-0x0p+0:f32):u32):f32", 2147483648.0},
	};
	float x[1] = {0}, y[1];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char body[256];

		snprintf(body, sizeof body, "  store *%%y = %s\n", rows[i].value);
		right(body, &(struct run){.grid = 1, .block = 1, .y = y, .x = x, .y_count = 1, .x_count = 1});
		if (y[0] != (float)rows[i].expected)
			fail_msg("%s is %g, not %g", rows[i].value, (double)y[0], rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_elementwise), cmocka_unit_test(test_reductions), cmocka_unit_test(test_faults),
	    cmocka_unit_test(test_no_faults),	cmocka_unit_test(test_missing_barrier), cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
