/* Initialisers. Lists are shown as they are written: conversions and zeros are added here. */
#include "lower_internal.h"

static size_t part_count(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_VECTOR ? (size_t)type->count : type->kind == KT_IR_STRUCT ? type->field_count : 0;
}

static const struct kt_ir_type *part_type(const struct kt_ir_type *type, size_t number)
{
	return type->kind == KT_IR_VECTOR ? type->element : type->fields[number].type;
}

static bool is_list(CXCursor init)
{
	return kt_clang.getCursorKind(init) == CXCursor_InitListExpr;
}

/* An element of a list that is for one part: a list, or a value that the part can be made of. */
static bool fits(struct kt_lower *l, const struct kt_ir_type *part, CXCursor init)
{
	const struct kt_ir_type *type;

	if (kt_clang.isExpression(kt_clang.getCursorKind(init)) == 0)
		return kt_lower_cannot(l, "a designated initialiser"), false;
	if (is_list(init) || kt_ir_is_scalar(part))
		return true;
	type = kt_lower_type(l, kt_clang.getCursorType(init));
	if (type != part)
		return kt_lower_cannot(l, "an initialiser without its own braces"), false;
	return true;
}

static const struct kt_ir_value *aggregate(struct kt_lower *l, const struct kt_ir_type *type,
					   const struct kt_lower_children *c)
{
	const size_t count = part_count(type);
	const struct kt_ir_value **parts = kt_arena_array(l->arena, count + 1, sizeof *parts);

	/* `plus<float>{}`: nothing of it is ever read. */
	if (count == 0 && type->kind == KT_IR_STRUCT && c->count == 0) {
		const struct kt_ir_place *place = kt_lower_temporary(l, type, NULL);

		return place == NULL ? NULL
				     : kt_ir_read(l->module, kt_ir_load(l->module, l->body->region, "", place,
									(struct kt_ir_hint){0}));
	}
	if (count == 0 || parts == NULL || c->count > count || (c->count < count && kt_lower_has_defaults(l, type)))
		return kt_lower_cannot(l, "a list for an object without parts");
	for (size_t i = 0; i < count; i++) {
		if (i < c->count && !fits(l, part_type(type, i), c->items[i]))
			return NULL;
		parts[i] = i < c->count ? kt_lower_initial(l, part_type(type, i), c->items[i])
					: kt_lower_zero(l, part_type(type, i));
		if (parts[i] == NULL)
			return NULL;
	}
	return kt_ir_construct(l->module, type, parts, count);
}

const struct kt_ir_value *kt_lower_initial(struct kt_lower *l, const struct kt_ir_type *type, CXCursor init)
{
	struct kt_lower_children c;

	if (type == NULL)
		return NULL;
	if (!is_list(init))
		return kt_lower_as(l, kt_lower_converted(l, init, type), type);
	c = kt_lower_children(l, init);
	if (kt_ir_is_scalar(type)) {
		if (c.count > 1)
			return kt_lower_cannot(l, "a list of %zu for a number", c.count);
		return c.count == 0 ? kt_lower_zero(l, type) : kt_lower_initial(l, type, c.items[0]);
	}
	/* `T{other}` copies. */
	if (c.count == 1 && !is_list(c.items[0]) && kt_lower_type(l, kt_clang.getCursorType(c.items[0])) == type)
		return kt_lower_value(l, c.items[0]);
	return aggregate(l, type, &c);
}

static const struct kt_ir_place *part_place(struct kt_lower *l, const struct kt_ir_place *place, size_t number)
{
	const struct kt_ir_type *index = kt_ir_integer(l->module, 64, true);

	if (place->type->kind == KT_IR_ARRAY)
		return kt_ir_index(l->module, place, kt_ir_constant(l->module, index, (int64_t)number));
	return kt_ir_field(l->module, place, (unsigned)number);
}

static bool fill_zero(struct kt_lower *l, const struct kt_ir_place *place)
{
	const struct kt_ir_type *type = place->type;
	const size_t count = type->kind == KT_IR_ARRAY ? (size_t)type->count : part_count(type);

	if (kt_ir_is_scalar(type) || type->kind == KT_IR_VECTOR)
		return kt_ir_store(l->module, l->body->region, place, kt_lower_zero(l, type), (struct kt_ir_hint){0}) !=
		       NULL;
	if (type->kind == KT_IR_OPAQUE || count > KT_LOWER_MOST_CHILDREN || kt_lower_has_defaults(l, type))
		return kt_lower_cannot(l, "an object that is all zero"), false;
	for (size_t i = 0; i < count; i++)
		if (!fill_zero(l, part_place(l, place, i)))
			return false;
	return true;
}

/* Is it a number that is written, or a list of such? */
static bool is_literal(struct kt_lower *l, CXCursor init)
{
	const CXCursor bare = kt_lower_bare(l, init);
	const struct kt_lower_children c = kt_lower_children(l, bare);

	switch ((int)kt_clang.getCursorKind(bare)) {
	case CXCursor_IntegerLiteral:
	case CXCursor_FloatingLiteral:
	case CXCursor_CharacterLiteral:
	case CXCursor_CXXBoolLiteralExpr:
		return true;
	case CXCursor_UnexposedExpr:
	case CXCursor_UnaryOperator:
		return c.count == 1 && is_literal(l, c.items[0]);
	case CXCursor_InitListExpr:
		for (size_t i = 0; i < c.count; i++)
			if (!is_literal(l, c.items[i]))
				return false;
		return true;
	default:
		return false;
	}
}

bool kt_lower_fill(struct kt_lower *l, const struct kt_ir_place *place, CXCursor init)
{
	const struct kt_ir_type *type = place->type;
	struct kt_lower_children c;
	const struct kt_ir_value *value;
	size_t count;

	if (kt_ir_is_scalar(type) || !is_list(init)) {
		if (type->kind == KT_IR_ARRAY)
			return kt_lower_cannot(l, "an array that is made of no list"), false;
		value = kt_lower_initial(l, type, init);
		return value != NULL &&
		       kt_ir_store(l->module, l->body->region, place, value, (struct kt_ir_hint){0}) != NULL;
	}
	c = kt_lower_children(l, init);
	count = type->kind == KT_IR_ARRAY ? (size_t)type->count : part_count(type);
	if (c.count > count || count > KT_LOWER_MOST_CHILDREN || (c.count < count && kt_lower_has_defaults(l, type)))
		return kt_lower_cannot(l, "a list of another length than its object"), false;
	if (c.count == 1 && !is_list(c.items[0]) && kt_lower_type(l, kt_clang.getCursorType(c.items[0])) == type)
		return kt_lower_fill(l, place, c.items[0]);
	/* As nvcc does it: what is constant first, then the rest in order. */
	for (int constant = 1; constant >= 0; constant--)
		for (size_t i = 0; i < count; i++) {
			const struct kt_ir_place *part;

			if ((i >= c.count || is_literal(l, c.items[i])) != constant)
				continue;
			part = part_place(l, place, i);
			if (part == NULL || (i < c.count && !fits(l, part->type, c.items[i])) ||
			    !(i < c.count ? kt_lower_fill(l, part, c.items[i]) : fill_zero(l, part)))
				return false;
		}
	return true;
}
