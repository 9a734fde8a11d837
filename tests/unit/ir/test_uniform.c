/* Uniformity, reductions, forms of indices and effects, on IR text. */
#include <stdio.h>
#include <string.h>

#include "generation/ir/effect.h"
#include "generation/ir/form.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"
#include "ir_case.h"

#define KERNEL "module\nkernel @k(%y: ptr<global, f32> restrict, %x: ptr<global, const f32> restrict, %n: i32) {\n"

struct wanted {
	const char *hint;
	const struct kt_ir_symbol *symbol;
	struct kt_ir_statement *statement;
};

static bool find(struct kt_ir_statement *s, void *context)
{
	struct wanted *w = context;

	if (s->symbol != NULL && strcmp(s->symbol->hint, w->hint) == 0) {
		w->symbol = s->symbol;
		w->statement = s;
	}
	return w->symbol == NULL;
}

static struct wanted named(const struct kt_ir_module *module, const char *hint)
{
	struct wanted w = {hint, NULL, NULL};

	(void)kt_ir_visit(&module->last_function->body, find, &w);
	assert_non_null(w.symbol);
	return w;
}

static const struct {
	const char *body;
	enum kt_ir_sharing sharing; /* of %v */
} uniform[] = {
    {"  let %v = add.nw(%n, 1:i32)\n", KT_IR_SAME_IN_GRID},
    {"  let %v = add(blockdim.x, griddim.y)\n", KT_IR_SAME_IN_GRID},
    {"  let %v = add(block.x, 3:u32)\n", KT_IR_SAME_IN_BLOCK},
    {"  let %v = thread.y\n", KT_IR_OF_THREAD},
    {"  let %v = and(lane, 1:u32)\n", KT_IR_OF_THREAD},
    {"  let %v = load *%x[convert(%n):i64]\n", KT_IR_SAME_IN_GRID},
    {"  let %v = load *%x[convert(block.x):i64]\n", KT_IR_SAME_IN_BLOCK},
    {"  let %v = load *%x[convert(thread.x):i64]\n", KT_IR_OF_THREAD},
    /* What the kernel writes may be another value for each thread. */
    {"  let %v = load *%y[0:i64]\n  store *%y[1:i64] = 0x0p+0:f32\n", KT_IR_OF_THREAD},
    /* A set that some threads do not come to. */
    {"  local %v: i32\n  set %v = 0:i32\n  if lt(thread.x, 3:u32) {\n    set %v = 1:i32\n  }\n", KT_IR_OF_THREAD},
    {"  local %v: i32\n  set %v = 0:i32\n  if lt(block.x, 3:u32) {\n    set %v = 1:i32\n  }\n", KT_IR_SAME_IN_BLOCK},
    {"  local %v: i32\n  set %v = 0:i32\n  for %k = 0:u32, thread.x, 1:u32 {\n    set %v = add.nw(%v, 1:i32)\n  }\n",
     KT_IR_OF_THREAD},
    {"  local %v: i32\n  set %v = 0:i32\n  loop {\n    if ge(%v, convert(thread.x):i32) {\n      break\n    }\n"
     "    set %v = add.nw(%v, 1:i32)\n  }\n",
     KT_IR_OF_THREAD},
    {"  for %v = 0:i32, %n, 1:i32 {\n  }\n", KT_IR_SAME_IN_GRID},
    {"  for %v = convert(thread.x):i32, %n, 1:i32 {\n  }\n", KT_IR_OF_THREAD},
};

static void test_uniform(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof uniform / sizeof *uniform; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_uniformity u;
		struct kt_ir_module *module;

		snprintf(text, sizeof text, "%s%s}\n", KERNEL, uniform[i].body);
		module = ir_read(arena, text);
		assert_true(kt_ir_uniformity_of(&u, arena, module, module->last_function));
		if (u.of[named(module, "v").symbol->id] != uniform[i].sharing)
			fail_msg("%d, and not %d\n%s", u.of[named(module, "v").symbol->id], uniform[i].sharing, text);
		kt_arena_free(arena);
	}
}

/* Updates of %v in a loop over %k, and whether they are a reduction. */
static const struct {
	const char *body;
	bool is_reduction;
	const char *function; /* of a selection by comparison */
} reductions[] = {
    {"    set %v = select(gt(%e, %v), %e, %v)\n", true, "fmaxf"},
    {"    set %v = select(lt(%v, %e), %e, %v)\n", true, "fmaxf"},
    {"    set %v = select(le(%e, %v), %e, %v)\n", true, "fminf"},
    {"    set %v = select(gt(%v, %e), %v, %e)\n", false, NULL},
    {"    set %v = select(gt(%e, %v), add(%v, %e), %v)\n", false, NULL},
    {"    set %v = add(%v, %e)\n", true, NULL},
    {"    set %v = add(%e, %v)\n", true, NULL},
    {"    if gt(%e, 0x1p+0:f32) {\n      set %v = mul(%v, %e)\n    }\n", true, NULL},
    {"    set %v = @fmaxf(%v, %e):f32\n", true, NULL},
    {"    set %v = add(%v, %e)\n    set %v = add(%v, 0x1p+0:f32)\n", true, NULL},
    {"    set %v = sub(%e, %v)\n", false, NULL},
    {"    set %v = add(%v, %v)\n", false, NULL},
    {"    set %v = add(%v, %e)\n    set %v = mul(%v, %e)\n", false, NULL},
    {"    set %v = @fmaxf(%v, %e):f32\n    set %v = @fminf(%v, %e):f32\n", false, NULL},
    {"    set %v = add(%v, %e)\n    store *%y[convert(%k):i64] = %v\n", false, NULL},
    {"    set %v = %e\n", false, NULL},
    {"", false, NULL},
};

static void test_reductions(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;
		struct kt_ir_reduction found;

		snprintf(text, sizeof text, "%s%s%s%s", KERNEL,
			 "  local %v: f32\n  set %v = 0x0p+0:f32\n  for %k = 0:i32, %n, 1:i32 {\n    let %e = load "
			 "*%x[convert(%k):i64]\n",
			 reductions[i].body, "  }\n  store *%y[0:i64] = %v\n}\n");
		module = ir_read(arena, text);
		if (kt_ir_is_reduction(&found, named(module, "k").statement, named(module, "v").symbol) !=
		    reductions[i].is_reduction)
			fail_msg("%s", text);
		if (reductions[i].function != NULL &&
		    (found.op != KT_IR_INTRINSIC || strcmp(found.function, reductions[i].function) != 0 ||
		     found.needs_number != (reductions[i].function[0] == 'f')))
			fail_msg("%s: %s", found.function, text);
		kt_arena_free(arena);
	}
}

/* An index %v as a sum: terms, the constant, and how far that is exact. */
static const struct {
	const char *body;
	size_t terms;
	int64_t constant;
	unsigned bits;
} forms[] = {
    {"  let %v = add.nw(mul.nw(%n, 4:i32), 3:i32)\n", 1, 3, 128},
    {"  let %v = add(mul(%n, 4:i32), 3:i32)\n", 1, 3, 32},
    {"  let %v = sub.nw(add.nw(%n, 7:i32), %n)\n", 0, 7, 128},
    {"  let %a = add.nw(%n, 2:i32)\n  let %v = mul.nw(%a, %a)\n", 2, 4, 128},
    {"  let %v = convert(add(mul(block.x, blockdim.x), thread.x)):i64\n", 1, 0, 128},
    {"  let %v = convert(add(%n, 1:i32)):i64\n", 1, 1, 32},
    {"  let %v = add.nw(div(%n, 3:i32), rem(%n, 3:i32))\n", 2, 0, 128},
    {"  let %v = shl.nw(%n, 3:i32)\n", 1, 0, 128},
};

static void test_forms(void **state)
{
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;
		struct kt_ir_lets lets;
		struct kt_ir_form form;

		snprintf(text, sizeof text, "%s%s}\n", KERNEL, forms[i].body);
		module = ir_read(arena, text);
		assert_true(kt_ir_lets_of(&lets, arena, module, module->last_function));
		assert_true(kt_ir_form_of(&form, &lets, named(module, "v").statement->value, true));
		if (form.count != forms[i].terms || form.constant != forms[i].constant || form.bits != forms[i].bits)
			fail_msg("%zu terms and %lld, modulo 2^%u\n%s", form.count, (long long)form.constant, form.bits,
				 text);
		kt_arena_free(arena);
	}
}

static const struct {
	const char *statement;
	unsigned effects;
} effects[] = {
    {"  let %v = load *%x[0:i64]\n", KT_IR_READS_MEMORY},
    {"  store *%y[convert(thread.x):i64] = 0x0p+0:f32\n", KT_IR_WRITES_MEMORY | KT_IR_THREAD_DEPENDENT},
    {"  atomic.add *%y[0:i64] (0x1p+0:f32) relaxed grid\n", KT_IR_READS_MEMORY | KT_IR_WRITES_MEMORY},
    {"  barrier block\n", KT_IR_SYNCHRONISES},
    {"  let %v = load *%x[0:i64] volatile\n", KT_IR_READS_MEMORY | KT_IR_VOLATILE},
    {"  if gt(%n, 3:i32) {\n    return\n  }\n", KT_IR_MAY_NOT_RETURN},
    {"  opaque \"f()\"() effects(all)\n", KT_IR_ALL_EFFECTS},
};

static void test_effects(void **state)
{
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_ir_module *module;

		snprintf(text, sizeof text, "%s%s}\n", KERNEL, effects[i].statement);
		module = ir_read(arena, text);
		if (kt_ir_effects_of(&module->last_function->body) != effects[i].effects)
			fail_msg("%#x\n%s", kt_ir_effects_of(&module->last_function->body), text);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_uniform),
	    cmocka_unit_test(test_reductions),
	    cmocka_unit_test(test_forms),
	    cmocka_unit_test(test_effects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
