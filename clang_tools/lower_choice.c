/* && || and ?: where a side has an effect or loads: an if that sets a local without a name. */
#include "lower_internal.h"

static const struct kt_ir_value *value_in(struct kt_lower *l, struct kt_ir_region *region, CXCursor expression,
					  bool has_value)
{
	struct kt_ir_region *const outer = l->body->region;
	const struct kt_ir_value *value;

	l->body->region = region;
	if (has_value)
		value = kt_lower_value(l, expression);
	else
		value = kt_lower_effects(l, expression) ? kt_ir_constant(l->module, kt_ir_bool(l->module), 0) : NULL;
	l->body->region = outer;
	return value;
}

static struct kt_ir_symbol *unnamed(struct kt_lower *l, const struct kt_ir_type *type)
{
	struct kt_ir_symbol *symbol = kt_ir_symbol(l->module, KT_IR_LOCAL_SYMBOL, type, "");

	if (symbol == NULL || kt_ir_declare(l->module, l->body->region, symbol) == NULL)
		return NULL;
	return symbol;
}

/* if (condition) { first; symbol = a } else { second; symbol = b }; the value is the symbol's. */
static const struct kt_ir_value *chosen(struct kt_lower *l, const struct kt_ir_value *condition,
					struct kt_ir_region first, const struct kt_ir_value *a,
					struct kt_ir_region second, const struct kt_ir_value *b)
{
	struct kt_ir_symbol *symbol = unnamed(l, a->type);
	struct kt_ir_statement *s;

	if (symbol == NULL || (s = kt_ir_if(l->module, l->body->region, condition)) == NULL)
		return NULL;
	s->body = first;
	s->otherwise = second;
	if (kt_ir_set(l->module, &s->body, symbol, a) == NULL || kt_ir_set(l->module, &s->otherwise, symbol, b) == NULL)
		return NULL;
	return kt_ir_read(l->module, symbol);
}

static const struct kt_ir_value *truth(struct kt_lower *l, const struct kt_ir_value *value)
{
	return value == NULL ? NULL : kt_lower_as(l, value, kt_ir_bool(l->module));
}

/* `c ? a : b` of two objects: what the chosen address leads to. */
bool kt_lower_conditional_place(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	struct kt_ir_region arms[2] = {{0}}, *const outer = l->body->region;
	const struct kt_ir_value *condition = c.count != 3 ? NULL : kt_lower_value(l, c.items[0]), *values[2] = {NULL};
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(expression));

	if (condition == NULL || type == NULL)
		return kt_lower_cannot(l, "a choice of objects"), false;
	type = kt_ir_pointer(l->module, type, KT_IR_SPACE_GENERIC,
			     kt_clang.isConstQualifiedType(kt_lower_canonical(expression)) != 0, false);
	for (size_t i = 0; i < 2; i++) {
		l->body->region = &arms[i];
		values[i] = kt_lower_reference(l, c.items[i + 1], type);
		l->body->region = outer;
		if (values[i] == NULL)
			return false;
	}
	if (arms[0].first == NULL && arms[1].first == NULL)
		return kt_lower_target(l, kt_ir_apply(l->module, KT_IR_SELECT, condition, values[0], values[1]), out);
	return kt_lower_target(l, chosen(l, condition, arms[0], values[0], arms[1], values[1]), out);
}

const struct kt_ir_value *kt_lower_logic(struct kt_lower *l, CXCursor a, CXCursor b, bool is_and)
{
	struct kt_ir_region right = {0}, none = {0};
	const struct kt_ir_value *x = truth(l, kt_lower_before(l, a, b)), *y, *decided;

	if (x == NULL || (y = truth(l, value_in(l, &right, b, true))) == NULL)
		return NULL;
	if (right.first == NULL)
		return kt_ir_apply(l->module, is_and ? KT_IR_BOTH : KT_IR_EITHER, x, y, NULL);
	decided = kt_ir_constant(l->module, kt_ir_bool(l->module), !is_and);
	return is_and ? chosen(l, x, right, y, none, decided) : chosen(l, x, none, decided, right, y);
}

/* Both arms with one type: that of the expression, for pointers of a space that both can have. */
static bool unify(struct kt_lower *l, CXCursor expression, const struct kt_ir_value **a, const struct kt_ir_value **b)
{
	const struct kt_ir_type *type;

	if ((*a)->type == (*b)->type)
		return true;
	type = kt_lower_type(l, kt_clang.getCursorType(expression));
	*a = kt_lower_as(l, *a, type);
	*b = kt_lower_as(l, *b, type);
	return *a != NULL && *b != NULL;
}

const struct kt_ir_value *kt_lower_conditional(struct kt_lower *l, CXCursor expression, bool has_value)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const struct kt_ir_value *condition, *a, *b;
	struct kt_ir_region first = {0}, second = {0};
	struct kt_ir_statement *s;

	has_value = has_value && kt_lower_canonical(expression).kind != CXType_Void;
	if (c.count != 3)
		return kt_lower_cannot(l, "a choice of %zu parts", c.count);
	condition = truth(l, kt_lower_value(l, c.items[0]));
	if (condition == NULL || (a = value_in(l, &first, c.items[1], has_value)) == NULL ||
	    (b = value_in(l, &second, c.items[2], has_value)) == NULL)
		return NULL;
	if (!has_value) {
		NEED(s = kt_ir_if(l->module, l->body->region, condition), NULL);
		s->body = first;
		s->otherwise = second;
		return a;
	}
	if (!unify(l, expression, &a, &b))
		return NULL;
	if (first.first == NULL && second.first == NULL)
		return kt_ir_apply(l->module, KT_IR_SELECT, condition, a, b);
	/* The condition is evaluated first, and an arm might set what it reads. */
	return chosen(l, condition, first, a, second, b);
}
