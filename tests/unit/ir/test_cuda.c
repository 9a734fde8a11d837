/* The CUDA printer: texts, piece by piece, and what has no words. */
#include <stdio.h>

#include "generation/ir/cuda.h"
#include "ir_case.h"

static struct kt_ir_cuda_options options = {.prefix = "ir_", .declares_types = true, .declares_globals = true};

/* What a kernel of these statements prints between its braces. */
static void prints(const char *body, const char *expected)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES), out = KT_BUF(KT_IR_TEXT_BYTES);
	struct kt_error err;
	const char *from;
	struct kt_ir_module *module;

	kt_buf_addf(&text,
		    "module\nextern @f(%%a: i32): i32\n"
		    "kernel @k(%%n: i32, %%u: u32, %%l: i64, %%s: i16, %%x: f32, %%h: f16, %%y: ptr<global, f32>, "
		    "%%v: vec<f32, 4, 16>) {\n%s}\n",
		    body);
	module = ir_read(arena, text.data);
	if (kt_ir_verify(module, true, &err) != KT_OK || kt_ir_print_cuda(&out, module, &options, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, body);
	from = strchr(out.data, '{');
	out.data[strlen(out.data) - 2] = '\0';
	assert_string_equal(from + 1, expected);
	kt_buf_free(&text);
	kt_buf_free(&out);
	kt_arena_free(arena);
}

static void test_values(void **state)
{
	static const struct {
		const char *value, *text;
	} rows[] = {
	    {"add.nw(%n, mul.nw(%n, 3:i32))", "int t = n + n * 3"},
	    {"mul.nw(add.nw(%n, 1:i32), %n)", "int t = (n + 1) * n"},
	    {"sub.nw(%n, sub.nw(%n, -1:i32))", "int t = n - (n - -1)"},
	    {"add(%n, 1:i32)", "int t = (int)((unsigned int)n + (unsigned int)1)"},
	    {"neg(%l)", "long long t = (long long)(-(unsigned long long)l)"},
	    {"shl(%n, %u)", "int t = (int)((unsigned int)n << u)"},
	    {"shr(%n, 3:i32)", "int t = n >> 3"},
	    {"add(%u, 4294967295:u32)", "unsigned int t = u + 4294967295u"},
	    {"add(%s, -1:i16)", "short t = (short)(s + (short)-1)"},
	    {"-2147483648:i32", "int t = (-2147483647 - 1)"},
	    {"-9223372036854775808:i64", "long long t = (-9223372036854775807LL - 1)"},
	    {"neg(neg(%x))", "float t = -(-x)"},
	    {"neg(-0x1p+0:f32)", "float t = -(-1.0f)"},
	    {"0x1.99999ap-4:f32", "float t = 0.1f"},
	    {"bits(0x7fc00001):f32", "float t = __int_as_float(0x7fc00001)"},
	    {"0x1.5bf0a8b145769p+1:f64", "double t = 2.718281828459045"},
	    {"0x1p-1:f16", "__half t = __ushort_as_half((unsigned short)0x3800u)"},
	    {"mul(%h, neg(%h))", "__half t = __hmul(h, __hneg(h))"},
	    {"both(lt(%n, 3:i32), either(eq(%x, %x), not(gt(%h, %h))))",
	     "bool t = n < 3 && (x == x || !__hgt(h, h))"},
	    {"select(lt(%n, 3:i32), %x, neg(%x))", "float t = n < 3 ? x : -x"},
	    {"add(select(true, %x, %x), %x)", "float t = (true ? x : x) + x"},
	    {"convert(add.nw(%n, 1:i32)):i64", "long long t = (long long)(n + 1)"},
	    {"convert(%h):f32", "float t = (float)h"},
	    {"convert.bits(%x):u32", "unsigned int t = __float_as_uint(x)"},
	    {"convert.rd(%x):i32", "int t = __float2int_rd(x)"},
	    {"add(mul(block.x, blockdim.x), thread.x)", "unsigned int t = blockIdx.x * blockDim.x + threadIdx.x"},
	    {"mul(lane, 2:u32)",
	     "unsigned int t = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u * 2u"},
	    {"extract(%v, 3)", "float t = v.w"},
	    {"construct(%x, %x):vec<f32, 2, 8>", "float2 t = make_float2(x, x)"},
	    {"@__expf(mul(%x, %x)):f32", "float t = __expf(x * x)"},
	    {"and(or(%n, 1:i32), xor(%n, invert(%n)))", "int t = (n | 1) & (n ^ ~n)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char body[256], text[256];

		snprintf(body, sizeof body, "  let %%0 = %s\n", rows[i].value);
		snprintf(text, sizeof text, "\n\tconst %s;\n", rows[i].text);
		prints(body, text);
	}
}

static void test_places(void **state)
{
	(void)state;
	prints("  let %a = load *%y\n  store *%y[%l] = %a\n",
	       "\n\tconst float a = (*y);\n\ty[l] = a;\n");
	prints("  let %a = load *%y[convert(%n):i64] cache(nc)\n  store *%y[0:i64] = %a cache(cs)\n",
	       "\n\tconst float a = __ldg(&y[n]);\n\t__stcs(&y[0], a);\n");
	prints("  let %p = addr(*%y[%l])\n  let %q = load *%p[4:i64].as(vec<f32, 4, 16>).2\n",
	       "\n\tfloat *const p = y + l;\n\tconst float q = (*(float4 *)&p[4]).z;\n");
	prints("  shared %tile: [[f32 x 33] x 32] align(16)\n  let %t = load %tile[%l][1:i64] volatile\n",
	       "\n\t__shared__ __align__(16) float tile[32][33];\n\tconst float t = *(volatile float *)&tile[l][1];\n");
	prints("  let %old = atomic.add *%y[%l] (%x) relaxed grid\n  atomic.cas *%y.as(u32) (1:u32, 2:u32) relaxed block\n",
	       "\n\tconst float old = atomicAdd(&y[l], x);\n\tatomicCAS_block(&(*(unsigned int *)&(*y)), 1u, 2u);\n");
}

static void test_folding(void **state)
{
	(void)state;
	options.inlines_lets = true;
	prints("  let %0 = load *%y[%l]\n  let %1 = neg(%0)\n  let %2 = load *%y\n  set %x = mul(add(%1, %x), %2)\n",
	       "\n\tx = (-y[l] + x) * (*y);\n");
	/* What a statement in between may change keeps its place, and so does what is read twice or is volatile. */
	prints("  let %0 = load *%y[%l]\n  store *%y = %x\n  set %x = add(%0, %x)\n",
	       "\n\tconst float t = y[l];\n\t(*y) = x;\n\tx = t + x;\n");
	prints("  let %0 = load *%y[%l]\n  set %l = 2:i64\n  set %x = add(%0, %x)\n",
	       "\n\tconst float t = y[l];\n\tl = 2LL;\n\tx = t + x;\n");
	prints("  let %0 = load *%y\n  set %x = add(%0, %0)\n", "\n\tconst float t = (*y);\n\tx = t + t;\n");
	prints("  let %0 = load *%y volatile\n  set %x = %0\n",
	       "\n\tconst float t = *(volatile float *)&(*y);\n\tx = t;\n");
	prints("  let %0 = load *%y\n  if true {\n    set %x = %0\n  }\n",
	       "\n\tconst float t = (*y);\n\tif (true) {\n\t\tx = t;\n\t}\n");
	prints("  let %0 = load *%y\n  let %1 = neg(%0)\n  barrier block\n  set %x = %1\n",
	       "\n\tconst float t = -(*y);\n\t__syncthreads();\n\tx = t;\n");
	prints("  local %0: bool\n  if lt(%n, 3:i32) {\n    let %1 = load *%y\n    set %0 = lt(%1, %x)\n  } else {\n"
	       "    set %0 = false\n  }\n  local %2: bool\n  if %0 {\n    set %2 = true\n  } else {\n"
	       "    let %3 = load *%y[1:i64]\n    set %2 = lt(%3, %x)\n  }\n  if not(%2) {\n    return\n  }\n",
	       "\n\tif (!(n < 3 && (*y) < x || y[1] < x)) {\n\t\treturn;\n\t}\n");
	prints("  local %0: f32\n  if lt(%n, 3:i32) {\n    let %1 = load *%y\n    set %0 = %1\n  } else {\n"
	       "    set %0 = neg(%x)\n  }\n  set %x = mul(%0, %x)\n",
	       "\n\tx = (n < 3 ? (*y) : -x) * x;\n");
	prints("  local %0: f32\n  if lt(%n, 3:i32) {\n    store *%y = %x\n    set %0 = %x\n  } else {\n"
	       "    set %0 = neg(%x)\n  }\n  set %x = %0\n",
	       "\n\tfloat t;\n\tif (n < 3) {\n\t\t(*y) = x;\n\t\tt = x;\n\t} else {\n\t\tt = -x;\n\t}\n\tx = t;\n");
	/* `place op= value` where the place is loaded last, else the order would be another one. */
	prints("  let %0 = load *%y[1:i64]\n  let %1 = load *%y[%l]\n  store *%y[%l] = add(%1, %0)\n",
	       "\n\ty[l] += y[1];\n");
	prints("  let %1 = load *%y[%l]\n  let %0 = load *%y[1:i64]\n  store *%y[%l] = add(%1, %0)\n",
	       "\n\ty[l] = y[l] + y[1];\n");
	prints("  set %n = convert(add(convert(%n):u32, thread.x)):i32\n  set %s = convert(add.nw(convert(%s):i32, 3:i32)):i16\n"
	       "  set %n = add.nw(%n, 1:i32)\n  set %n = shr(%n, 1:i32)\n  set %n = add(%n, 3:i32)\n"
	       "  set %n = convert(mul(convert(%n):f32, %x)):i32\n",
	       "\n\tn += threadIdx.x;\n\ts += 3;\n\tn++;\n\tn >>= 1;\n\tn = (int)((unsigned int)n + (unsigned int)3);\n"
	       "\tn *= x;\n");
	/* C++17 has no `++` of a truth value. */
	prints("  local %b: bool\n  set %b = lt(%n, 3:i32)\n  set %b = convert(add.nw(convert(%b):i32, 1:i32)):bool\n",
	       "\n\tbool b;\n\tb = n < 3;\n\tb += 1;\n");
	/* No such operator computes in that type. */
	prints("  set %n = convert(add(convert(%n):u32, convert(%s):u32)):i32\n  set %l = convert(add.nw(convert(%l):i32, %n)):i64\n",
	       "\n\tn += (unsigned int)s;\n\tl = (long long)((int)l + n);\n");
	prints("  let %0 = call @f(%n)\n  set %n = add.nw(%0, 1:i32)\n", "\n\tconst int t = f(n);\n\tn = t + 1;\n");
	options.inlines_lets = false;
}

static void test_control(void **state)
{
	(void)state;
	prints("  for %i = 0:i32, %n, 1:i32 unroll(4) {\n    set %x = neg(%x)\n  }\n",
	       "\n\tconst int end = n;\n\t#pragma unroll 4\n\tfor (int i = 0; i < end; i++) {\n\t\tx = -x;\n\t}\n");
	prints("  for %i = 8:i32, 0:i32, -2:i32 {\n    continue\n  }\n",
	       "\n\tfor (int i = 8; i > 0; i += -2) {\n\t\tcontinue;\n\t}\n");
	prints("  let %s.1 = mul.nw(%n, 3:i32)\n  set %n = %s.1\n  for %i = 0:i32, 9:i32, %s.1 {\n    set %x = neg(%x)\n  }\n",
	       "\n\tconst int s_2 = n * 3;\n\tn = s_2;\n\tfor (int i = 0; i < 9; i += s_2) {\n\t\tx = -x;\n\t}\n");
	prints("  loop {\n    for %i = 0:i32, 9:i32, 1:i32 {\n      continue 1\n    }\n    loop {\n      break 1\n    }\n  }\n",
	       "\n\tfor (;;) {\n\t\t{\n\t\t\tfor (int i = 0; i < 9; i++) {\n\t\t\t\tgoto jump_0;\n\t\t\t}\n"
	       "\t\t\tfor (;;) {\n\t\t\t\tgoto jump_1;\n\t\t\t}\n\t\t}\n\t\tjump_0:;\n\t}\n\tjump_1:;\n");
	prints("  loop unroll(2) {\n    if not(lt(%n, 9:i32)) {\n      break\n    }\n    continue\n  } next {\n"
	       "    set %n = add.nw(%n, 1:i32)\n    set %x = neg(%x)\n  }\n",
	       "\n\t#pragma unroll 2\n\tfor (; n < 9; n = n + 1, x = -x) {\n\t\tcontinue;\n\t}\n");
	prints("  loop {\n    if lt(%n, 9:i32) {\n      break\n    }\n    let %w = load *%y\n    set %x = %w\n  }\n",
	       "\n\twhile (!(n < 9)) {\n\t\tconst float w = (*y);\n\t\tx = w;\n\t}\n");
	prints("  loop {\n    continue\n  } next {\n    if lt(%n, 9:i32) {\n      break\n    }\n  }\n",
	       "\n\tdo {\n\t\tcontinue;\n\t} while (!(n < 9));\n");
	prints("  loop {\n    continue\n  } next {\n    store *%y = %x\n  }\n",
	       "\n\tfor (;;) {\n\t\t{\n\t\t\tgoto jump_0;\n\t\t}\n\t\tjump_0:;\n\t\t(*y) = x;\n\t}\n");
	prints("  loop {\n    switch %n {\n    case 1, 2 {\n      break\n    }\n    default {\n      continue\n    }\n    }\n  }\n",
	       "\n\tfor (;;) {\n\t\tswitch (n) {\n\t\tcase 1: case 2: {\n\t\t\tgoto jump_0;\n\t\t}\n\t\tbreak;\n"
	       "\t\tdefault: {\n\t\t\tcontinue;\n\t\t}\n\t\tbreak;\n\t\t}\n\t}\n\tjump_0:;\n");
	prints("  if lt(%n, 0:i32) {\n    return\n  } else {\n    barrier block\n    barrier warp(7:u32)\n    fence grid\n  }\n",
	       "\n\tif (n < 0) {\n\t\treturn;\n\t} else {\n\t\t__syncthreads();\n\t\t__syncwarp(7u);\n\t\t__threadfence();\n\t}\n");
	prints("  local %m: i32 memory\n  let %r = call @f(%n)\n"
	       "  opaque \"asm(\\\"mov %0, $1;\\\" : \\\"=r\\\"(*$0) : \\\"r\\\"($$));\"(addr(%m), %r) effects(writes)\n",
	       "\n\tint m;\n\tconst int r = f(n);\n\tasm(\"mov %0, r;\" : \"=r\"(*&m) : \"r\"($));\n");
	prints("  let %a = collective.shuffle_down(4294967295:u32, %x, 1:u32, 32:i32)\n  let %b = collective.active_mask()\n",
	       "\n\tconst float a = __shfl_down_sync(4294967295u, x, 1u, 32);\n\tconst unsigned int b = __activemask();\n");
}

/* Names: keywords, those of functions, and two symbols of one hint. */
static void test_names(void **state)
{
	(void)state;
	prints("  let %int = %n\n  let %f = %n\n  let %k = %int\n  if true {\n    let %n.1 = %f\n  }\n  let %n.2 = %k\n",
	       "\n\tconst int int_2 = n;\n\tconst int f_2 = n;\n\tconst int k_2 = int_2;\n\tif (true) {\n"
	       "\t\tconst int n_2 = f_2;\n\t}\n\tconst int n_3 = k_2;\n");
}

static void test_whole(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(
	    arena, "module\n"
		   "struct @pair size 8 align 4 { a: f32 at 0, b: i32 at 4 }\n"
		   "constant %table: [f32 x 4]\n"
		   "device @g(%p: struct @pair): f32 inline {\n  return extract(%p, 0)\n}\n"
		   "kernel @k(%y: ptr<global, f32> restrict, %x: ptr<global, const [f32 x 4]>, %c: struct @pair grid_constant)"
		   " bounds(256, 2) cluster(2, 1, 1) {\n"
		   "  let %v = call @g(construct(0x1p+0:f32, 2:i32):struct @pair)\n"
		   "  let %w = load %table[1:i64]\n"
		   "  let %z = load *%x[2:i64][3:i64]\n"
		   "  store *%y = add(%v, add(%w, %z))\n"
		   "}\n");
	struct kt_buf out = KT_BUF(KT_IR_TEXT_BYTES);
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_print_cuda(&out, module, &options, &err), KT_OK);
	assert_string_equal(out.data,
			    "struct __align__(4) pair {\n\tfloat a;\n\tint b;\n};\n"
			    "__constant__ float table[4];\n"
			    "__device__ __forceinline__ float ir_g(pair p)\n{\n\treturn p.a;\n}\n"
			    "__global__ void __launch_bounds__(256, 2) __cluster_dims__(2, 1, 1) "
			    "k(float *__restrict__ y, const float (*x)[4], const __grid_constant__ pair c)\n{\n"
			    "\tconst float v = ir_g(pair{1.0f, 2});\n"
			    "\tconst float w = table[1];\n"
			    "\tconst float z = x[2][3];\n"
			    "\t(*y) = v + (w + z);\n"
			    "}\n");
	/* A function that computes alone is called where its value is used. */
	kt_buf_clear(&out);
	options.inlines_lets = true;
	assert_int_equal(kt_ir_print_cuda(&out, module, &options, &err), KT_OK);
	options.inlines_lets = false;
	assert_string_equal(strstr(out.data, "c)\n"), "c)\n{\n\t(*y) = ir_g(pair{1.0f, 2}) + (table[1] + x[2][3]);\n}\n");
	kt_buf_free(&out);
	kt_arena_free(arena);
}

static void test_no_words(void **state)
{
	static const struct {
		const char *body, *message;
	} rows[] = {
	    {"  barrier grid\n", "a barrier has no function for its scope"},
	    {"  let %a = param(P):i32\n", "the parameter 'P' has no value"},
	    {"  atomic.add *%y (0x1p+0:f32) seq_cst grid\n", "an atomic has no such order or scope in CUDA C++"},
	    {"  let %a = load *%y cache(wb)\n", "a load has no such cache operator"},
	    {"  let %a = load *%y.as(vec<f32, 8, 32>)\n", "a type has no name in CUDA C++"},
	    {"  opaque \"$3\"(1:i32)\n", "an opaque text names an argument that it has not"},
	    {"  let %a = convert.rn(0x1p+0:f16):f32\n", "a conversion that rounds has no function in CUDA C++"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf out = KT_BUF(KT_IR_TEXT_BYTES);
		struct kt_error err = {0};
		char text[512];

		snprintf(text, sizeof text, "module\nkernel @k(%%y: ptr<global, f32>) {\n%s}\n", rows[i].body);
		assert_int_equal(kt_ir_print_cuda(&out, ir_read(arena, text), &options, &err), KT_ERR_INVALID);
		assert_string_equal(err.message, rows[i].message);
		kt_buf_free(&out);
		kt_arena_free(arena);
	}
}

static bool is_macro(const char *name, void *context)
{
	return strcmp(name, context) == 0;
}

/* What a template is made of: the functions, the head, the body; types and names as they are where it goes. */
static void test_parts(void **state)
{
	static const char *const types[] = {"long *", "int"};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_buf out = KT_BUF(KT_IR_TEXT_BYTES), first = KT_BUF(KT_IR_TEXT_BYTES), body = KT_BUF(KT_IR_TEXT_BYTES);
	char taken[] = "v";
	const struct kt_ir_cuda_options parts = {.linkage = "static ", .argument_types = types, .is_taken = is_macro,
						 .context = taken, .head = &first, .body = &body};
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_print_cuda(&out,
					  ir_read(arena, "module\ndevice @f(%v: i64): i64 {\n  return %v\n}\n"
							 "kernel @k(%y: ptr<global, i64> restrict, %n: i32) {\n"
							 "  let %v = call @f(convert(%n):i64)\n  store *%y[0:i64] = %v\n}\n"),
					  &parts, &err),
			 KT_OK);
	assert_string_equal(out.data, "static __device__ long long f(long long v_2)\n{\n\treturn v_2;\n}\n");
	assert_string_equal(first.data, "__global__ void k(long *__restrict__ y, int n)\n");
	assert_string_equal(body.data, "{\n\tconst long long v_2 = f((long long)n);\n\ty[0] = v_2;\n}\n");
	kt_buf_free(&out);
	kt_buf_free(&first);
	kt_buf_free(&body);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_parts),
	    cmocka_unit_test(test_values),  cmocka_unit_test(test_places), cmocka_unit_test(test_control), cmocka_unit_test(test_folding),
	    cmocka_unit_test(test_names),   cmocka_unit_test(test_whole),  cmocka_unit_test(test_no_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
