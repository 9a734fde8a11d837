/* The text form: what is printed is what was read; what does not follow the form is refused with its line. */
#include <stdlib.h>

#include "ir_case.h"

static const char *const modules[] = {
    "module contract ftz\n"
    "kernel @scale(%y: ptr<global, f32> restrict, %x: ptr<global, const f32>, %n: i32) bounds(256, 2) !3 {\n"
    "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32 !4\n"
    "  if lt(%i, %n) !5 {\n"
    "    let %v = load *%x[convert(%i):i64] cache(nc) !6\n"
    "    store *%y[convert(%i):i64] = mul(0x1p+1:f32, %v) cache(cs) align(4) !6\n"
    "  } else {\n"
    "    return\n"
    "  }\n"
    "}\n",
    /* Types, constants and structures. */
    "module\n"
    "struct @float3 size 12 align 4 { x: f32 at 0, y: f32 at 4, z: f32 at 8 }\n"
    "struct @pair size 24 align 8 { at: struct @float3 at 0, where: ptr<generic, volatile u8> at 16 }\n"
    "constant %table: [f32 x 256]\n"
    "global %count: u64 align(16)\n"
    "kernel @k(%p: ptr<global, struct @pair>, %v: vec<f32, 4, 16>, %o: opaque<24, 8> grid_constant) {\n"
    "  let %0 = load *%p[-3:i64].at.z\n"
    "  let %1 = load *%p.at.as(f32, align 4)\n"
    "  let %2 = extract(%v, 2)\n"
    "  let %3 = construct(%0, %1):vec<f32, 2, 8>\n"
    "  let %big = 170141183460469231731687303715884105727:i128\n"
    "  let %small = -170141183460469231731687303715884105728:i128\n"
    "  let %nan = bits(0x7fc00001):f32\n"
    "  let %half = 0x1.8p-14:f16\n"
    "  let %b = 0x1p+127:bf16\n"
    "  let %truth = both(true, not(false))\n"
    "  let %null = bits(0x0):ptr<global, f64>\n"
    "  let %t = load %table[convert(warpsize):i64]\n"
    "  let %address = addr(%table[7:i64])\n"
    "  let %chosen = select(eq(%null, bits(0x0):ptr<global, f64>), neg.nw(5:i32), 6:i32)\n"
    "  let %bits = convert.bits(%t):u32\n"
    "  let %down = convert.rd(%t):i32\n"
    "  let %e = @__expf(%t):f32\n"
    "  let %w = mul(param(VEC):i32, 4:i32)\n"
    "}\n",
    /* Control flow, memory of the block, names that occur twice. */
    "module\n"
    "extern @unknown(%a: i32): i32 effects(all)\n"
    "extern @clock(): u64 effects(volatile, thread)\n"
    "device @square(%x: f32): f32 inline {\n"
    "  return mul(%x, %x)\n"
    "}\n"
    "kernel @k(%y: ptr<global, f32>, %n: i32) registers(64) cluster(2, 1, 1) {\n"
    "  shared %tile: [f32 x 32] align(16)\n"
    "  shared %more: [f32 x ?] extern\n"
    "  local %sum: f32\n"
    "  local %spill: i32 memory\n"
    "  set %sum = 0x0p+0:f32\n"
    "  for %i = 0:i32, %n, 1:i32 once unroll(4) {\n"
    "    for %i.1 = %i, %n, param(STEP):i32 {\n"
    "      let %v = load *%y[convert(%i.1):i64] volatile\n"
    "      let %s = call @square(%v)\n"
    "      set %sum = add(%sum, %s)\n"
    "      continue 1\n"
    "    }\n"
    "  }\n"
    "  loop {\n"
    "    continue\n"
    "  } next {\n"
    "    break\n"
    "  }\n"
    "  loop unroll(-1) {\n"
    "    switch %n !9 {\n"
    "    case 1, -2 {\n"
    "      break\n"
    "    }\n"
    "    default 7, 8 {\n"
    "      let %0 = call @unknown(%n)\n"
    "      call @unknown(%0)\n"
    "    }\n"
    "    }\n"
    "  }\n"
    "  barrier block\n"
    "  barrier warp(4294967295:u32)\n"
    "  fence system\n"
    "  let %down = collective.shuffle_down(4294967295:u32, %sum, 16:u32, 32:u32)\n"
    "  let %any = collective.vote_any(4294967295:u32, gt(%down, %sum))\n"
    "  let %mask = collective.active_mask()\n"
    "  let %old = atomic.add *%y (%sum) relaxed grid\n"
    "  atomic.cas %spill (1:i32, 2:i32) seq_cst block\n"
    "  let %x = opaque \"asm \\\"x\\\"\\n\\t\"(addr(%spill), %n) effects(reads, writes):i32\n"
    "  opaque \"goto\"() effects(all)\n"
    "  return\n"
    "}\n"
    "kernel @other(%y: ptr<global, f32>) {\n"
    "}\n",
};

static void test_round_trip(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_error err;

	(void)state;
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		struct kt_ir_module *module = ir_read(arena, modules[i]), *copy;
		char *text = ir_text(module), *again;

		assert_string_equal(text, modules[i]);
		copy = kt_ir_copy(module, arena, true);
		assert_non_null(copy);
		assert_int_equal(kt_ir_check(copy, &err), KT_OK);
		again = ir_text(copy);
		assert_string_equal(again, text);
		free(text);
		free(again);
	}
	kt_arena_free(arena);
}

/* Names are given anew: two symbols of one hint, and what only a pass could have called so. */
static void test_names(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, "module\n"
						     "kernel @k(%i.7: i32) { ; the first of its name\n"
						     " let %9 = %i.7\n"
						     "\n"
						     "  let %i = %9 ; and a second\n"
						     "  let %3 = %i\n }\n");
	char *text = ir_text(module);

	(void)state;
	assert_string_equal(text, "module\n"
				  "kernel @k(%i: i32) {\n"
				  "  let %0 = %i\n"
				  "  let %i.1 = %0\n"
				  "  let %1 = %i.1\n"
				  "}\n");
	free(text);
	kt_arena_free(arena);
}

static const struct {
	const char *text, *message;
} refused[] = {
    {"kernel @k() {\n}\n", "line 1: 'module' is expected"},
    {"module\nkernel @k() {\n", "line 3: '}' is expected"},
    {"module\nkernel @k(%a: i33) {\n}\n", "line 2: no integer has 33 bits"},
    {"module\nkernel @k(%a: i32, %a: i32) {\n}\n", "line 2: there are two symbols '%a'"},
    {"module\nkernel @k() {\n}\nkernel @k() {\n}\n", "line 4: there are two functions 'k'"},
    {"module\nkernel @k() {\n  let %a = %b\n}\n", "line 3: there is no symbol '%b'"},
    {"module\nkernel @k(%a: i32) {\n  let %b = add(%a, 1:i64)\n}\n",
     "line 3: the operands of add have different types"},
    {"module\nkernel @k(%a: f32) {\n  let %b = and(%a, %a)\n}\n",
     "line 3: operand 1 of and has another kind of type"},
    {"module\nkernel @k(%a: i32) {\n  let %b = add(%a)\n}\n", "line 3: add has 2 operands"},
    {"module\nkernel @k(%a: i32) {\n  let %b = frob(%a)\n}\n", "line 3: 'frob' is no operation"},
    {"module\nkernel @k(%a: i32) {\n  let %b = load *%a\n}\n", "line 3: what is no pointer leads nowhere"},
    {"module\nkernel @k(%a: ptr<global, f32>) {\n  let %b = load *%a.x\n}\n",
     "line 3: the place has no field 'x'"},
    {"module\nkernel @k(%a: ptr<global, f32>) {\n  store *%a = 1:i32\n}\n",
     "line 3: a store has a place and a value of one type"},
    {"module\nkernel @k(%a: i32) {\n  if %a {\n  }\n}\n", "line 3: the condition of an if is a bool"},
    {"module\nkernel @k() {\n  let %a = 300:i8 junk\n}\n", "line 3: the end of the line is expected"},
    {"module\nkernel @k() {\n  let %a = 0x1p+0:i32\n}\n",
     "line 3: a floating-point constant has a floating-point type"},
    {"module\nkernel @k() {\n  call @f()\n}\n", "line 3: there is no function 'f' above"},
    {"module\nstruct @s size 4 align 4 { a: f32 at 0, b: f32 at 2 }\n",
     "line 2: the field 'b' of 's' overlaps another one, or the end"},
    {"module\nkernel @k(%a: i32) {\n  let %b = collective.shuffle(1:u32, %a)\n}\n",
     "line 3: the collective has another number of operands"},
    {"module\nkernel @k(%a: i32) {\n  frobnicate\n}\n", "line 3: a statement is expected"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module = NULL;
		struct kt_error err = {0};

		assert_int_not_equal(kt_ir_parse(&module, arena, refused[i].text, &err), KT_OK);
		assert_string_equal(err.message, refused[i].message);
		assert_null(module);
		kt_arena_free(arena);
	}
}

/* Any prefix of a module, and any with one byte changed, is read or refused: nothing else happens. */
static void test_mutations(void **state)
{
	static const char bytes[] = "{}()[]<>%@.,:;*\"\\!\n0x9z-";

	(void)state;
	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		const size_t length = strlen(modules[i]);
		char *text = strdup(modules[i]);

		for (size_t at = 0; at < length; at++) {
			struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			struct kt_ir_module *module;
			struct kt_error err;
			const char kept = text[at];

			text[at] = bytes[at % (sizeof bytes - 1)];
			if (kt_ir_parse(&module, arena, text, &err) == KT_OK)
				(void)!kt_ir_verify(module, false, &err);
			text[at] = '\0';
			if (kt_ir_parse(&module, arena, text, &err) == KT_OK)
				(void)!kt_ir_verify(module, false, &err);
			text[at] = kept;
			kt_arena_free(arena);
		}
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_round_trip),
	    cmocka_unit_test(test_names),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
