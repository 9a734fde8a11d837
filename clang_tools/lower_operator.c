/* Operators of the language. */
#include <string.h>

#include "lower_internal.h"

static const struct {
	const char *spelling;
	enum kt_ir_op op;
} operations[] = {
    {"+", KT_IR_ADD}, {"-", KT_IR_SUB}, {"*", KT_IR_MUL},  {"/", KT_IR_DIV},  {"%", KT_IR_REM}, {"&", KT_IR_AND},
    {"|", KT_IR_OR},  {"^", KT_IR_XOR}, {"<<", KT_IR_SHL}, {">>", KT_IR_SHR}, {"<", KT_IR_LT},  {">", KT_IR_GT},
    {"<=", KT_IR_LE}, {">=", KT_IR_GE}, {"==", KT_IR_EQ},  {"!=", KT_IR_NE},
};

const struct kt_ir_value *kt_lower_arithmetic(struct kt_lower *l, const char *operator, const struct kt_ir_value * a,
					      const struct kt_ir_value *b)
{
	const struct kt_ir_value *value;

	if (a == NULL || b == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
		if (strcmp(operations[i].spelling, operator) != 0)
			continue;
		value = kt_ir_apply(l->module, operations[i].op, a, b, NULL);
		/* Signed overflow is undefined in C++. */
		return value != NULL && value->type->kind == KT_IR_INTEGER && value->type->is_signed
			   ? kt_ir_no_wrap(l->module, value)
			   : value;
	}
	return kt_lower_cannot(l, "the operator '%s'", operator);
}

/* ---- Unary ---- */

static const struct kt_ir_value *address(struct kt_lower *l, CXCursor expression)
{
	struct kt_lower_place at;

	if (!kt_lower_is_lvalue(l, expression))
		return kt_lower_cannot(l, "the address of what is no object");
	return kt_lower_place(l, expression, &at) ? kt_ir_address(l->module, kt_lower_memory(l, &at)) : NULL;
}

const struct kt_ir_value *kt_lower_unary(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const char *op = kt_operator(expression);
	const struct kt_ir_value *value, *old = NULL;
	struct kt_lower_place at;

	if (c.count != 1)
		return kt_lower_cannot(l, "an operator of %zu parts", c.count);
	if (strcmp(op, "&") == 0)
		return address(l, c.items[0]);
	if (strcmp(op, "++") == 0 || strcmp(op, "--") == 0)
		return kt_lower_step(l, expression, &at, &old) ? old : NULL;
	value = kt_lower_value(l, c.items[0]);
	if (value == NULL || strcmp(op, "+") == 0 || strcmp(op, "__extension__") == 0)
		return value;
	if (strcmp(op, "-") == 0) {
		value = kt_ir_apply(l->module, KT_IR_NEG, value, NULL, NULL);
		return value != NULL && value->type->kind == KT_IR_INTEGER && value->type->is_signed
			   ? kt_ir_no_wrap(l->module, value)
			   : value;
	}
	if (strcmp(op, "~") == 0)
		return kt_ir_apply(l->module, KT_IR_INVERT, value, NULL, NULL);
	if (strcmp(op, "!") == 0)
		return kt_ir_apply(l->module, KT_IR_NOT, kt_lower_as(l, value, kt_ir_bool(l->module)), NULL, NULL);
	return kt_lower_cannot(l, "the operator '%s'", op);
}

/* ---- Steps ---- */

static const struct kt_ir_value *stepped(struct kt_lower *l, const struct kt_ir_value *old, bool up)
{
	const struct kt_ir_type *type = old->type, *wide = kt_lower_promoted(l, type), *index;
	const struct kt_ir_value *one;

	if (type->kind == KT_IR_POINTER) {
		index = kt_ir_integer(l->module, 64, true);
		return kt_lower_as(l, kt_lower_offset(l, old, kt_ir_constant(l->module, index, up ? 1 : -1)), type);
	}
	if (!kt_ir_is_number(type) || type->bits == 16)
		if (type->kind != KT_IR_INTEGER)
			return kt_lower_cannot(l, "a step of what is no number");
	one = type->kind == KT_IR_FLOAT ? kt_ir_real(l->module, type, 1) : kt_ir_constant(l->module, wide, 1);
	return kt_lower_as(l, kt_lower_arithmetic(l, up ? "+" : "-", kt_lower_as(l, old, wide), one), type);
}

bool kt_lower_step(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out, const struct kt_ir_value **old)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const bool up = strcmp(kt_operator(expression), "++") == 0;
	const struct kt_ir_value *before;

	if (c.count != 1 || !kt_lower_place(l, c.items[0], out) || (before = kt_lower_read(l, out)) == NULL)
		return false;
	/* A register's value is needed after it has changed. */
	if (old != NULL && before->op == KT_IR_READ && before->symbol->kind != KT_IR_TEMPORARY)
		before = kt_ir_read(l->module, kt_ir_let(l->module, l->body->region, "", before));
	if (before == NULL)
		return false;
	if (old != NULL)
		*old = before;
	return kt_lower_write(l, out, stepped(l, before, up));
}

/* ---- Assignments ---- */

/* "a op= b": in the type that both have in common, a shift in that of its left side. */
static const struct kt_ir_value *combined(struct kt_lower *l, const char *op, const struct kt_ir_value *a,
					  const struct kt_ir_value *b)
{
	const bool is_shift = strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0;
	const struct kt_ir_type *type;

	if (a->type->kind == KT_IR_POINTER) {
		if (strcmp(op, "-") == 0)
			b = kt_lower_arithmetic(l, "-", kt_lower_zero(l, kt_ir_integer(l->module, 64, true)),
						kt_lower_as(l, b, kt_ir_integer(l->module, 64, true)));
		return kt_lower_as(l, kt_lower_offset(l, a, b), a->type);
	}
	type = is_shift ? kt_lower_promoted(l, a->type) : kt_lower_common(l, a->type, b->type);
	if (type == NULL)
		return NULL;
	return kt_lower_as(
	    l, kt_lower_arithmetic(l, op, kt_lower_as(l, a, type), is_shift ? b : kt_lower_as(l, b, type)), a->type);
}

/*
 * `s = s + e` converts s first, and `s += e` last. Both would be the same tree: in the first a let keeps the order.
 */
static const struct kt_ir_value *own_converted(struct kt_lower *l, const struct kt_lower_place *to,
					       const struct kt_ir_value *value)
{
	const struct kt_ir_value *sum = value->op == KT_IR_CONVERT ? value->arguments[0] : value, *own, *let, *other;

	if (to->variable == NULL || sum->count != 2 || sum->arguments[0]->op != KT_IR_CONVERT)
		return value;
	own = sum->arguments[0];
	if (own->arguments[0]->op != KT_IR_READ || own->arguments[0]->symbol != to->variable->symbol)
		return value;
	let = kt_ir_read(l->module, kt_ir_let(l->module, l->body->region, "", own));
	other = let == NULL ? NULL : kt_ir_apply(l->module, sum->op, let, sum->arguments[1], NULL);
	other = other != NULL && sum->no_wrap ? kt_ir_no_wrap(l->module, other) : other;
	return value->op == KT_IR_CONVERT ? kt_lower_as(l, other, value->type) : other;
}

bool kt_lower_assignment(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const char *op = kt_operator(expression);
	const struct kt_ir_value *value, *old;
	char plain[4] = "";

	if (c.count != 2 || op[0] == '\0' || strlen(op) > sizeof plain)
		return kt_lower_cannot(l, "an assignment"), false;
	/* The right side is evaluated first. */
	value = kt_lower_before(l, c.items[1], c.items[0]);
	if (value == NULL || !kt_lower_place(l, c.items[0], out))
		return false;
	if (strcmp(op, "=") == 0)
		return kt_lower_write(l, out, own_converted(l, out, value));
	memcpy(plain, op, strlen(op) - 1);
	old = kt_lower_read(l, out);
	return old != NULL && kt_lower_write(l, out, combined(l, plain, old, value));
}

/* ---- Binary ---- */

/* p - q, in elements. */
static const struct kt_ir_value *distance(struct kt_lower *l, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	const struct kt_ir_type *type = kt_ir_integer(l->module, 64, true);
	const uint64_t size = a->type->element->size;

	if (size == 0)
		return kt_lower_cannot(l, "the distance of pointers to nothing");
	return kt_lower_arithmetic(l, "/",
				   kt_lower_arithmetic(l, "-", kt_lower_as(l, a, type), kt_lower_as(l, b, type)),
				   kt_ir_constant(l->module, type, (int64_t)size));
}

static const struct kt_ir_value *pointer_arithmetic(struct kt_lower *l, const char *op, const struct kt_ir_value *a,
						    const struct kt_ir_value *b)
{
	const struct kt_ir_type *wide = kt_ir_integer(l->module, 64, true);

	if (strcmp(op, "+") == 0)
		return a->type->kind == KT_IR_POINTER ? kt_lower_offset(l, a, b) : kt_lower_offset(l, b, a);
	if (strcmp(op, "-") == 0 && a->type->kind == KT_IR_POINTER && b->type->kind == KT_IR_POINTER)
		return distance(l, a, b);
	if (strcmp(op, "-") == 0)
		return kt_lower_offset(l, a,
				       kt_lower_arithmetic(l, "-", kt_lower_zero(l, wide), kt_lower_as(l, b, wide)));
	return kt_lower_arithmetic(l, op, a, b);
}

const struct kt_ir_value *kt_lower_binary(struct kt_lower *l, CXCursor expression)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const char *op = kt_operator(expression);
	const struct kt_ir_value *a, *b;

	if (c.count != 2)
		return kt_lower_cannot(l, "an operator of %zu parts", c.count);
	if (strcmp(op, "&&") == 0 || strcmp(op, "||") == 0)
		return kt_lower_logic(l, c.items[0], c.items[1], op[0] == '&');
	if (strcmp(op, ",") == 0)
		return kt_lower_effects(l, c.items[0]) ? kt_lower_value(l, c.items[1]) : NULL;
	a = kt_lower_before(l, c.items[0], c.items[1]);
	b = a == NULL ? NULL : kt_lower_value(l, c.items[1]);
	if (b == NULL)
		return NULL;
	if (a->type->kind == KT_IR_POINTER || b->type->kind == KT_IR_POINTER)
		return pointer_arithmetic(l, op, a, b);
	return kt_lower_arithmetic(l, op, a, b);
}
