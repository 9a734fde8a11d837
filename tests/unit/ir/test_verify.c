/* The verifier: modules that it accepts, and for each invariant one that breaks it alone. */
#include <stdio.h>

#include "ir_case.h"

static void verify(const char *text, bool is_applied, const char *message)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, text);
	struct kt_error err = {0};
	kt_status status = kt_ir_verify(module, is_applied, &err);

	if (message == NULL) {
		if (status != KT_OK)
			fail_msg("%s\n%s", err.message, text);
	} else {
		if (status == KT_OK)
			fail_msg("accepted, but \"%s\" was expected:\n%s", message, text);
		assert_string_equal(err.message, message);
	}
	kt_arena_free(arena);
}

static void test_accepted(void **state)
{
	(void)state;
	verify("module\nkernel @k(%n: i32) {\n"
	       "  local %x: i32\n"
	       "  set %x = %n\n"
	       "  set %n = 3:i32\n"
	       "  for %i = 0:i32, %n, param(S):i32 {\n"
	       "    loop {\n"
	       "      if lt(%i, %x) {\n"
	       "        continue 1\n"
	       "      }\n"
	       "      break\n"
	       "    }\n"
	       "  }\n"
	       "}\n",
	       false, NULL);
}

static const struct {
	const char *body, *message;
} rows[] = {
    {"  if true {\n    let %a = 1:i32\n  }\n  let %b = %a\n",
     "k: line 0: the symbol 'a' is used outside of its block"},
    {"  for %i = 0:i32, 1:i32, 1:i32 {\n  }\n  let %b = %i\n",
     "k: line 0: the symbol 'i' is used outside of its block"},
    {"  for %i = 0:i32, 1:i32, 0:i32 {\n  }\n", "k: line 0: the step of a for is zero"},
    {"  for %i = 0:i32, 1:i32, 1:i32 {\n    break\n  }\n", "k: line 0: a break ends a for, which has none"},
    {"  loop {\n    for %i = 0:i32, 1:i32, 1:i32 {\n      break 1\n    }\n  }\n", NULL},
    {"  loop {\n    for %i = 0:i32, 1:i32, 1:i32 {\n      break\n    }\n  }\n",
     "k: line 0: a break ends a for, which has none"},
    {"  loop {\n    continue\n  } next {\n    if true {\n      break\n    }\n  }\n", NULL},
    {"  loop {\n    break\n  } next {\n    loop {\n      continue 1\n    }\n  }\n",
     "k: line 0: a continue leads to the region that it is in"},
    {"  continue !8\n", "k: line 8: continue leads out of 1 loops, and there are 0"},
    {"  loop {\n    break 1\n  }\n", "k: line 0: break leads out of 2 loops, and there are 1"},
    {"  return 1:i32\n", "k: line 0: what is returned has another type than the function"},
    {"  let %v = load *%c\n  store *%c = %v\n", "k: line 0: a store to what is const"},
    {"  atomic.add *%c (0x1p+0:f32) relaxed block\n", "k: line 0: an atomic to what is const"},
    {"  atomic.add *%y (1:i32) relaxed block\n",
     "k: line 0: an atomic has a value of its place's type, compare-and-swap two"},
    {"  atomic.cas *%y (0x1p+0:f32) relaxed block\n",
     "k: line 0: an atomic has a value of its place's type, compare-and-swap two"},
    {"  let %a = collective.vote_all(1:i64, true)\n", "k: line 0: the mask of a collective has 32 bits"},
    {"  call @f(1:i64)\n", "k: line 0: argument 0 of 'f' has another type"},
    {"  call @f()\n", "k: line 0: the call of 'f' has another number of arguments"},
    {"  call @other()\n", "k: line 0: a call leads to the kernel 'other'"},
    {"  switch %n {\n  default {\n  }\n  default {\n  }\n  }\n", "k: line 0: a switch has two defaults"},
    {"  let %a = param(P):i32\n", "k: line 0: the parameter 'P' is left"},
    {"  let %a = load *%q\n", "k: line 0: an access has no size"},
};

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[1024];

		snprintf(text, sizeof text,
			 "module\nextern @f(%%a: i32)\nkernel @other() {\n}\n"
			 "kernel @k(%%n: i32, %%y: ptr<global, f32>, %%c: ptr<global, const f32>, %%q: ptr<global, void>) {\n"
			 "%s}\n",
			 rows[i].body);
		verify(text, true, rows[i].message);
	}
}

/* What the text form cannot say: a pass that went wrong. */
static void test_by_hand(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, "module\nkernel @k(%n: i32) {\n  let %a = %n\n  let %b = %a\n}\n");
	struct kt_ir_statement *first = module->functions->body.first, *second = first->next;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_verify(module, true, &err), KT_OK);
	second->symbol = first->symbol;
	assert_int_equal(kt_ir_verify(module, true, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "k: line 0: the symbol 'a' is defined twice");
	second->value = NULL;
	assert_int_equal(kt_ir_verify(module, true, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "k: line 0: let lacks a member");
	second->kind = KT_IR_S_SET;
	second->symbol = module->functions->arguments[0];
	assert_int_equal(kt_ir_verify(module, true, &err), KT_ERR_INVALID);
	second->value = kt_ir_constant(module, kt_ir_integer(module, 64, true), 1);
	assert_int_equal(kt_ir_verify(module, true, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "k: line 0: set has a local or an argument, and a value of its type");
	module->functions->body.last = first;
	second->value = kt_ir_constant(module, kt_ir_integer(module, 32, true), 1);
	assert_int_equal(kt_ir_verify(module, true, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "k: line 0: a region does not know its last statement");
	kt_arena_free(arena);
}

/* A constructor that fails keeps the first message, and everything made of it is NULL. */
static void test_constructors(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = kt_ir_module_new(arena);
	const struct kt_ir_type *i32 = kt_ir_integer(module, 32, true), *f32 = kt_ir_float(module, KT_IR_F32);
	const struct kt_ir_value *one = kt_ir_constant(module, i32, 1), *half = kt_ir_real(module, f32, 0.5), *sum;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_ir_check(module, &err), KT_OK);
	assert_true(kt_ir_real_of(half) == 0.5);
	assert_ptr_equal(kt_ir_convert(module, one, i32, KT_IR_AS_VALUE), one);
	sum = kt_ir_apply(module, KT_IR_ADD, one, one, NULL);
	assert_true(kt_ir_same(sum, kt_ir_apply(module, KT_IR_ADD, kt_ir_constant(module, i32, 1), one, NULL)));
	assert_false(kt_ir_same(sum, kt_ir_no_wrap(module, sum)));
	assert_ptr_equal(kt_ir_no_wrap(module, half), half);
	assert_null(kt_ir_apply(module, KT_IR_ADD, one, half, NULL));
	assert_null(kt_ir_apply(module, KT_IR_NEG, kt_ir_apply(module, KT_IR_ADD, one, half, NULL), NULL, NULL));
	assert_null(kt_ir_convert(module, half, kt_ir_pointer(module, f32, KT_IR_SPACE_GLOBAL, false, false), KT_IR_AS_VALUE));
	assert_int_equal(kt_ir_check(module, &err), KT_ERR_INVALID);
	assert_string_equal(err.message, "the operands of add have different types");
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_accepted),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_by_hand),
	    cmocka_unit_test(test_constructors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
