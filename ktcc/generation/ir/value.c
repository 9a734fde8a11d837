/* Constructors of values: the types of operands are checked here, and nowhere else. */
#include <string.h>

#include "generation/ir/number.h"

const struct kt_ir_op_row kt_ir_ops[KT_IR_OP_COUNT] = {
#define KT_IR_OP(id, text, arity, operands, result) {text, arity, operands, result},
#include "generation/ir/ops.def"
};

static struct kt_ir_value *make(struct kt_ir_module *module, enum kt_ir_op op, const struct kt_ir_type *type)
{
	struct kt_ir_value *value;

	if (type == NULL)
		return NULL;
	NEED(value = kt_arena_alloc(module->arena, sizeof *value), kt_ir_fail(module, "out of memory"));
	value->op = op;
	value->type = type;
	return value;
}

static struct kt_ir_value *make_with(struct kt_ir_module *module, enum kt_ir_op op, const struct kt_ir_type *type,
				     const struct kt_ir_value *const *arguments, size_t count)
{
	struct kt_ir_value *value = make(module, op, type);

	if (value == NULL)
		return NULL;
	NEED(value->arguments = kt_arena_array(module->arena, count + 1, sizeof *value->arguments),
	     kt_ir_fail(module, "out of memory"));
	for (size_t i = 0; i < count; i++) {
		if (arguments[i] == NULL)
			return NULL;
		value->arguments[i] = arguments[i];
	}
	value->count = count;
	return value;
}

const struct kt_ir_value *kt_ir_constant(struct kt_ir_module *module, const struct kt_ir_type *type, int64_t number)
{
	struct kt_ir_value *value;

	if (type != NULL && type->kind != KT_IR_BOOL && type->kind != KT_IR_INTEGER)
		return kt_ir_fail(module, "an integer constant has the type of an integer or bool");
	value = make(module, KT_IR_CONSTANT, type);
	if (value != NULL)
		kt_ir_wide_bits(type, number, value->bits);
	return value;
}

const struct kt_ir_value *kt_ir_bits(struct kt_ir_module *module, const struct kt_ir_type *type, uint64_t low,
				     uint64_t high)
{
	struct kt_ir_value *value;

	if (type != NULL && !kt_ir_is_scalar(type))
		return kt_ir_fail(module, "a constant has the type of a scalar");
	if (type != NULL && ((type->bits < 64 && low >> type->bits != 0) || (type->bits <= 64 && high != 0)))
		return kt_ir_fail(module, "the constant has more bits than its type");
	value = make(module, KT_IR_CONSTANT, type);
	if (value != NULL) {
		value->bits[0] = low;
		value->bits[1] = high;
	}
	return value;
}

const struct kt_ir_value *kt_ir_real(struct kt_ir_module *module, const struct kt_ir_type *type, double number)
{
	if (type == NULL)
		return NULL;
	if (type->kind != KT_IR_FLOAT)
		return kt_ir_fail(module, "a floating-point constant has a floating-point type");
	return kt_ir_bits(module, type, kt_ir_round(type->format, number), 0);
}

const struct kt_ir_value *kt_ir_axis(struct kt_ir_module *module, enum kt_ir_axis axis, unsigned dimension)
{
	struct kt_ir_value *value;

	if (dimension > 2 || (axis >= KT_IR_LANE && dimension != 0))
		return kt_ir_fail(module, "the axis has no dimension %u", dimension);
	value = make(module, KT_IR_AXIS, kt_ir_integer(module, 32, axis == KT_IR_WARP_SIZE));
	if (value != NULL) {
		value->axis = axis;
		value->dimension = dimension;
	}
	return value;
}

const struct kt_ir_value *kt_ir_parameter(struct kt_ir_module *module, const char *name,
					  const struct kt_ir_type *type)
{
	struct kt_ir_value *value;

	if (type != NULL && type->kind != KT_IR_INTEGER && type->kind != KT_IR_BOOL)
		return kt_ir_fail(module, "the parameter '%s' is no integer or bool", name);
	value = make(module, KT_IR_PARAMETER, type);
	if (value != NULL && (value->name = kt_arena_strdup(module->arena, name)) == NULL)
		return kt_ir_fail(module, "out of memory");
	return value;
}

const struct kt_ir_value *kt_ir_read(struct kt_ir_module *module, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_value *value;

	if (symbol == NULL)
		return NULL;
	if (symbol->is_memory)
		return kt_ir_fail(module, "'%s' is memory: it is loaded, not read", symbol->hint);
	value = make(module, KT_IR_READ, symbol->type);
	if (value != NULL)
		value->symbol = symbol;
	return value;
}

/* What kind of operand this is, as the table of operations sees it. */
static bool fits_operands(enum kt_ir_operands operands, const struct kt_ir_type *type)
{
	switch (operands) {
	case KT_IR_NUMBERS:
		return kt_ir_is_number(type);
	case KT_IR_INTEGERS:
	case KT_IR_INTEGER_ANY:
		return type->kind == KT_IR_INTEGER;
	case KT_IR_SCALARS:
		return kt_ir_is_scalar(type);
	case KT_IR_BOOLS:
		return type->kind == KT_IR_BOOL;
	case KT_IR_ANY:
		return true;
	}
	return false;
}

/* Two pointers are compared whatever they may do with their targets. */
static bool comparable(const struct kt_ir_type *a, const struct kt_ir_type *b)
{
	return a == b || (a->kind == KT_IR_POINTER && b->kind == KT_IR_POINTER);
}

static const struct kt_ir_value *select_of(struct kt_ir_module *module, const struct kt_ir_value *const *arguments)
{
	if (arguments[0]->type->kind != KT_IR_BOOL || arguments[1]->type != arguments[2]->type)
		return kt_ir_fail(module, "select has a bool and two values of one type");
	return make_with(module, KT_IR_SELECT, arguments[1]->type, arguments, 3);
}

const struct kt_ir_value *kt_ir_apply(struct kt_ir_module *module, enum kt_ir_op op, const struct kt_ir_value *a,
				      const struct kt_ir_value *b, const struct kt_ir_value *c)
{
	const struct kt_ir_op_row *row = &kt_ir_ops[op];
	const struct kt_ir_value *arguments[3] = {a, b, c};

	for (int i = 0; i < row->arity && i < 3; i++)
		if (arguments[i] == NULL)
			return module->failed ? NULL : kt_ir_fail(module, "%s has %d operands", row->text, row->arity);
	if (op == KT_IR_SELECT)
		return select_of(module, arguments);
	if (row->operands == KT_IR_ANY || row->arity < 1)
		return kt_ir_fail(module, "%s has a separate constructor", row->text);
	for (int i = 0; i < row->arity; i++) {
		if (!fits_operands(row->operands, arguments[i]->type))
			return kt_ir_fail(module, "operand %d of %s has another kind of type", i + 1, row->text);
		if (i > 0 && row->operands != KT_IR_INTEGER_ANY && !comparable(a->type, arguments[i]->type))
			return kt_ir_fail(module, "the operands of %s have different types", row->text);
	}
	return make_with(module, op, row->result == KT_IR_TRUTH ? kt_ir_bool(module) : a->type, arguments,
			 (size_t)row->arity);
}

const struct kt_ir_value *kt_ir_no_wrap(struct kt_ir_module *module, const struct kt_ir_value *value)
{
	struct kt_ir_value *copy;

	if (value == NULL || value->type->kind != KT_IR_INTEGER)
		return value;
	if (value->op != KT_IR_NEG && value->op != KT_IR_ADD && value->op != KT_IR_SUB && value->op != KT_IR_MUL &&
	    value->op != KT_IR_SHL)
		return value;
	copy = make(module, value->op, value->type);
	if (copy == NULL)
		return NULL;
	*copy = *value;
	copy->no_wrap = true;
	return copy;
}

static bool convertible(const struct kt_ir_type *from, const struct kt_ir_type *to, enum kt_ir_mode mode)
{
	const bool pointers = from->kind == KT_IR_POINTER || to->kind == KT_IR_POINTER;

	if (mode == KT_IR_AS_BITS)
		return from->size == to->size && from->size != 0 && from->kind != KT_IR_ARRAY && to->kind != KT_IR_ARRAY;
	if (!kt_ir_is_scalar(from) || !kt_ir_is_scalar(to))
		return false;
	if (pointers)
		return from->kind != KT_IR_FLOAT && to->kind != KT_IR_FLOAT && mode == KT_IR_AS_VALUE;
	return true;
}

const struct kt_ir_value *kt_ir_convert(struct kt_ir_module *module, const struct kt_ir_value *value,
					const struct kt_ir_type *type, enum kt_ir_mode mode)
{
	struct kt_ir_value *made;

	if (value == NULL || type == NULL)
		return NULL;
	if (value->type == type && mode <= KT_IR_AS_BITS)
		return value;
	if (!convertible(value->type, type, mode))
		return kt_ir_fail(module, "no conversion leads from the one type to the other");
	made = make_with(module, KT_IR_CONVERT, type, &value, 1);
	if (made != NULL)
		made->mode = mode;
	return made;
}

const struct kt_ir_value *kt_ir_address(struct kt_ir_module *module, const struct kt_ir_place *place)
{
	struct kt_ir_value *value;
	const struct kt_ir_type *of;
	bool is_const = false, is_volatile = false;

	if (place == NULL)
		return NULL;
	if (place->pointer != NULL) {
		is_const = place->pointer->type->is_const;
		is_volatile = place->pointer->type->is_volatile;
	}
	of = kt_ir_pointer(module, place->type, kt_ir_space_of(place), is_const, is_volatile);
	value = make(module, KT_IR_ADDRESS, of);
	if (value != NULL)
		value->place = place;
	return value;
}

/* The type of part number of a vector or structure; NULL: it has none. */
static const struct kt_ir_type *part_of(const struct kt_ir_type *type, size_t number)
{
	if (type->kind == KT_IR_VECTOR)
		return number < (size_t)type->count ? type->element : NULL;
	if (type->kind == KT_IR_STRUCT)
		return number < type->field_count ? type->fields[number].type : NULL;
	return NULL;
}

const struct kt_ir_value *kt_ir_construct(struct kt_ir_module *module, const struct kt_ir_type *type,
					  const struct kt_ir_value *const *parts, size_t count)
{
	if (type == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (parts[i] == NULL)
			return NULL;
		if (parts[i]->type != part_of(type, i))
			return kt_ir_fail(module, "part %zu of a construct has another type", i);
	}
	if (part_of(type, count) != NULL || part_of(type, 0) == NULL)
		return kt_ir_fail(module, "a construct has a value for each part of a vector or structure");
	return make_with(module, KT_IR_CONSTRUCT, type, parts, count);
}

const struct kt_ir_value *kt_ir_extract(struct kt_ir_module *module, const struct kt_ir_value *value, unsigned number)
{
	struct kt_ir_value *made;
	const struct kt_ir_type *part;

	if (value == NULL)
		return NULL;
	part = part_of(value->type, number);
	if (part == NULL)
		return kt_ir_fail(module, "there is no part %u to extract", number);
	made = make_with(module, KT_IR_EXTRACT, part, &value, 1);
	if (made != NULL)
		made->bits[0] = number;
	return made;
}

const struct kt_ir_value *kt_ir_intrinsic(struct kt_ir_module *module, const char *name,
					  const struct kt_ir_type *type, const struct kt_ir_value *const *arguments,
					  size_t count)
{
	struct kt_ir_value *value = make_with(module, KT_IR_INTRINSIC, type, arguments, count);

	if (value != NULL && (value->name = kt_arena_strdup(module->arena, name)) == NULL)
		return kt_ir_fail(module, "out of memory");
	return value;
}

bool kt_ir_is_constant(const struct kt_ir_value *value, int64_t *constant)
{
	kt_ir_wide wide;

	if (value == NULL || value->op != KT_IR_CONSTANT ||
	    (value->type->kind != KT_IR_INTEGER && value->type->kind != KT_IR_BOOL))
		return false;
	wide = kt_ir_wide_of(value->type, value->bits);
	if (wide > INT64_MAX || wide < INT64_MIN)
		return false;
	*constant = (int64_t)wide;
	return true;
}

double kt_ir_real_of(const struct kt_ir_value *value)
{
	return kt_ir_unround(value->type->format, value->bits[0]);
}

bool kt_ir_same(const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->op != b->op || a->type != b->type || a->bits[0] != b->bits[0] ||
	    a->bits[1] != b->bits[1] || a->axis != b->axis || a->dimension != b->dimension || a->mode != b->mode ||
	    a->no_wrap != b->no_wrap || a->symbol != b->symbol || a->count != b->count ||
	    (a->name == NULL) != (b->name == NULL) || (a->name != NULL && strcmp(a->name, b->name) != 0) ||
	    (a->place == NULL) != (b->place == NULL) || (a->place != NULL && !kt_ir_same_place(a->place, b->place)))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!kt_ir_same(a->arguments[i], b->arguments[i]))
			return false;
	return true;
}

bool kt_ir_same_place(const struct kt_ir_place *a, const struct kt_ir_place *b)
{
	if (a->symbol != b->symbol || a->count != b->count || !kt_ir_same(a->pointer, b->pointer))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct kt_ir_step *x = &a->steps[i], *y = &b->steps[i];

		if (x->kind != y->kind || x->number != y->number || x->align != y->align || x->type != y->type ||
		    !kt_ir_same(x->index, y->index))
			return false;
	}
	return true;
}
