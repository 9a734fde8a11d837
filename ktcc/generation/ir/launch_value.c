/* Expressions of a launch over the kernel's arguments, as values of the kernel. */
#include "base/expr_tree.h"
#include "generation/ir/independent.h"

#include <string.h>

struct making {
	struct kt_ir_module *module;
	const struct kt_ir_facts *facts;
	const struct kt_ir_function *kernel;
	const struct kt_ir_type *type;
};

static const struct kt_ir_value *of_name(const struct making *k, const char *name)
{
	for (size_t i = 0; k->facts->arguments != NULL && i < k->kernel->argument_count; i++) {
		const struct kt_ir_symbol *argument = k->kernel->arguments[i];

		if (strcmp(k->facts->arguments[i].name, name) == 0)
			return argument->type->kind == KT_IR_INTEGER && !argument->is_memory
				   ? kt_ir_convert(k->module, kt_ir_read(k->module, argument), k->type, KT_IR_AS_VALUE)
				   : NULL;
	}
	return NULL;
}

static const struct kt_ir_value *of_expr(const struct making *k, const struct kt_expr *e);

/* Divided by a positive number, towards zero; upwards: towards the next greater one. */
static const struct kt_ir_value *quotient(const struct making *k, const struct kt_ir_value *a, const struct kt_expr *by, bool upwards)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_value *divisor, *zero = kt_ir_constant(m, k->type, 0), *more;
	const int64_t number = by->op == KT_OP_NUMBER ? by->number : 0;

	if (number < 1)
		return NULL;
	divisor = kt_ir_constant(m, k->type, number);
	if (upwards) {
		more = kt_ir_apply(m, KT_IR_ADD, a, kt_ir_constant(m, k->type, number - 1), NULL);
		a = kt_ir_apply(m, KT_IR_SELECT, kt_ir_apply(m, KT_IR_GT, a, zero, NULL), more, a);
	}
	return kt_ir_apply(m, KT_IR_DIV, a, divisor, NULL);
}

static const struct kt_ir_value *of_two(const struct making *k, const struct kt_expr *e)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_value *a = of_expr(k, e->operands[0]), *b = of_expr(k, e->operands[1]);
	enum kt_ir_op op;

	if (a == NULL || b == NULL)
		return NULL;
	switch (e->op) {
	case KT_OP_ADD:
		return kt_ir_apply(m, KT_IR_ADD, a, b, NULL);
	case KT_OP_SUBTRACT:
		return kt_ir_apply(m, KT_IR_SUB, a, b, NULL);
	case KT_OP_MULTIPLY:
		return kt_ir_apply(m, KT_IR_MUL, a, b, NULL);
	case KT_OP_DIVIDE:
	case KT_OP_CEIL_DIV:
		return quotient(k, a, e->operands[1], e->op == KT_OP_CEIL_DIV);
	case KT_OP_MIN:
	case KT_OP_MAX:
		op = e->op == KT_OP_MIN ? KT_IR_LT : KT_IR_GT;
		return kt_ir_apply(m, KT_IR_SELECT, kt_ir_apply(m, op, a, b, NULL), a, b);
	default:
		return NULL;
	}
}

static const struct kt_ir_value *of_expr(const struct making *k, const struct kt_expr *e)
{
	if (e->op == KT_OP_NUMBER)
		return kt_ir_constant(k->module, k->type, e->number);
	if (e->op == KT_OP_NAME)
		return of_name(k, e->name);
	return e->count == 2 ? of_two(k, e) : NULL;
}

const struct kt_ir_value *kt_ir_launch_value(struct kt_ir_module *module, const struct kt_ir_facts *facts, const struct kt_expr *e)
{
	const struct making k = {module, facts, module->last_function, kt_ir_integer(module, 64, true)};
	const struct kt_ir_value *v = e == NULL ? NULL : of_expr(&k, e);

	return v == NULL ? NULL : kt_ir_convert(module, v, kt_ir_integer(module, 32, false), KT_IR_AS_VALUE);
}
