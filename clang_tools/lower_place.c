/* Expressions that denote objects. */
#include <string.h>

#include "lower_internal.h"

void kt_lower_need_memory(struct kt_lower *l, const struct kt_lower_variable *variable)
{
	l->body->again = true;
	if (!kt_lower_put(&l->body->in_memory, l->arena, variable->cursor, l))
		l->failed = true;
}

/* The next time the argument is a pointer to anywhere. */
static void note_assigned(struct kt_lower *l, const struct kt_lower_variable *variable)
{
	l->body->again = true;
	if (!kt_lower_put(&l->body->assigned, l->arena, variable->cursor, l))
		l->failed = true;
}

const struct kt_ir_place *kt_lower_temporary(struct kt_lower *l, const struct kt_ir_type *type,
					     const struct kt_ir_value *value)
{
	struct kt_ir_symbol *symbol = kt_ir_symbol(l->module, KT_IR_LOCAL_SYMBOL, type, "");
	const struct kt_ir_place *place;

	if (symbol == NULL)
		return NULL;
	symbol->is_memory = true;
	if (kt_ir_declare(l->module, l->body->region, symbol) == NULL)
		return NULL;
	place = kt_ir_place_of(l->module, symbol);
	if (value != NULL && kt_ir_store(l->module, l->body->region, place, value, (struct kt_ir_hint){0}) == NULL)
		return NULL;
	return place;
}

const struct kt_ir_place *kt_lower_memory(struct kt_lower *l, struct kt_lower_place *at)
{
	struct kt_ir_symbol *stand_in;

	if (at->place != NULL)
		return at->place;
	if (at->variable == NULL)
		return at->place = kt_lower_temporary(l, at->type, at->value);
	/* This time whatever has the type will do: what is made is thrown away. */
	kt_lower_need_memory(l, at->variable);
	stand_in = kt_ir_symbol(l->module, KT_IR_LOCAL_SYMBOL, at->type, "");
	if (stand_in != NULL)
		stand_in->is_memory = true;
	return at->place = kt_ir_place_of(l->module, stand_in);
}

const struct kt_ir_value *kt_lower_read(struct kt_lower *l, const struct kt_lower_place *at)
{
	struct kt_ir_symbol *loaded;

	if (at->value != NULL)
		return at->value;
	if (at->variable != NULL && at->place == NULL)
		return kt_ir_read(l->module, at->variable->symbol);
	if (at->type->size == 0)
		return kt_lower_cannot(l, "a value without a size");
	loaded =
	    kt_ir_load(l->module, l->body->region, "", at->place, (struct kt_ir_hint){.is_volatile = at->is_volatile});
	return kt_ir_read(l->module, loaded);
}

bool kt_lower_write(struct kt_lower *l, struct kt_lower_place *at, const struct kt_ir_value *value)
{
	const struct kt_ir_value *same = kt_lower_as(l, value, at->type);

	NEED(same, false);
	if (at->variable != NULL && !at->is_part && at->place == NULL) {
		if (at->variable->symbol->kind == KT_IR_ARGUMENT && at->variable->symbol->type->kind == KT_IR_POINTER &&
		    at->variable->symbol->type->space == KT_IR_SPACE_GLOBAL)
			note_assigned(l, at->variable);
		return kt_ir_set(l->module, l->body->region, at->variable->symbol, same) != NULL;
	}
	if (at->variable == NULL && at->place == NULL)
		return kt_lower_cannot(l, "an assignment to a value"), false;
	return kt_ir_store(l->module, l->body->region, kt_lower_memory(l, at), same,
			   (struct kt_ir_hint){.is_volatile = at->is_volatile}) != NULL;
}

bool kt_lower_target(struct kt_lower *l, const struct kt_ir_value *pointer, struct kt_lower_place *out)
{
	const bool is_own = pointer != NULL && pointer->op == KT_IR_ADDRESS;

	if (pointer == NULL)
		return false;
	if (pointer->type->kind != KT_IR_POINTER || pointer->type->element->kind == KT_IR_VOID)
		return kt_lower_cannot(l, "what a pointer to nothing leads to"), false;
	*out = (struct kt_lower_place){
	    .type = pointer->type->element,
	    .place = is_own ? pointer->place : kt_ir_place_at(l->module, pointer),
	    .is_volatile = pointer->type->is_volatile,
	};
	return out->place != NULL;
}

/* Qualifiers that a place in memory has by its root. */
static bool has_volatile_root(const struct kt_ir_place *place)
{
	return place->pointer != NULL ? place->pointer->type->is_volatile : place->symbol->is_volatile;
}

const struct kt_ir_value *kt_lower_offset(struct kt_lower *l, const struct kt_ir_value *pointer,
					  const struct kt_ir_value *index)
{
	const struct kt_ir_place *place;
	int64_t constant;

	if (pointer == NULL || index == NULL)
		return NULL;
	if (pointer->type->kind != KT_IR_POINTER || pointer->type->element->size == 0)
		return kt_lower_cannot(l, "arithmetic with a pointer to nothing");
	if (kt_ir_is_constant(index, &constant))
		index = kt_ir_constant(l->module, kt_ir_integer(l->module, 64, true), constant);
	if (index->type->kind == KT_IR_BOOL)
		index = kt_lower_as(l, index, kt_ir_integer(l->module, 32, true));
	/* A decayed array: an element of it. */
	if (pointer->op == KT_IR_ADDRESS && pointer->place->count > 0 &&
	    pointer->place->steps[pointer->place->count - 1].kind == KT_IR_INDEX) {
		const struct kt_ir_step *last = &pointer->place->steps[pointer->place->count - 1];
		int64_t first = 1;

		if (kt_ir_is_constant(last->index, &first) && first == 0 &&
		    (pointer->place->count > 1 || pointer->place->symbol != NULL)) {
			struct kt_ir_place *whole = kt_arena_alloc(l->module->arena, sizeof *whole);

			NEED(whole, NULL);
			*whole = *pointer->place;
			whole->count--;
			whole->type = whole->count > 0        ? whole->steps[whole->count - 1].type
				      : whole->symbol != NULL ? whole->symbol->type
							      : whole->pointer->type->element;
			return kt_ir_address(l->module, kt_ir_index(l->module, whole, index));
		}
	}
	place = kt_ir_index(l->module, kt_ir_place_at(l->module, pointer), index);
	return kt_ir_address(l->module, place);
}

/* ---- Contracts ---- */

static bool declared(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const CXCursor target = kt_lower_referenced(expression);
	struct kt_lower_variable *variable = kt_lower_find(&l->body->variables, target);
	const struct kt_ir_type *type;
	struct kt_ir_symbol *symbol;

	if (variable != NULL && variable->is_reference)
		return kt_lower_target(l, kt_ir_read(l->module, variable->symbol), out);
	if (variable != NULL) {
		*out = (struct kt_lower_place){
		    .type = variable->symbol->type,
		    .variable = variable->symbol->is_memory ? NULL : variable,
		    .place = variable->symbol->is_memory ? kt_ir_place_of(l->module, variable->symbol) : NULL,
		    .is_volatile = variable->symbol->is_volatile,
		};
		return true;
	}
	NEED(type = kt_lower_type(l, kt_clang.getCursorType(target)), false);
	*out = (struct kt_lower_place){.type = type};
	if (kt_lower_is_system(target) && strcmp(kt_lower_spelling(l, target), "warpSize") == 0)
		return (out->value = kt_ir_axis(l->module, KT_IR_WARP_SIZE, 0)) != NULL;
	symbol = kt_lower_global(l, target, type);
	if (symbol != NULL) {
		out->place = kt_ir_place_of(l->module, symbol);
		out->is_volatile = symbol->is_volatile;
		return out->place != NULL;
	}
	/* A constant of the host's that device code may read. */
	if (kt_clang.isConstQualifiedType(kt_lower_canonical(target)) != 0)
		out->value = kt_lower_host_constant(l, target, type);
	if (out->value == NULL)
		return kt_lower_cannot(l, "the variable '%s'", kt_lower_spelling(l, target)), false;
	return true;
}

bool kt_lower_has_base(const struct kt_ir_type *type)
{
	return type->kind == KT_IR_STRUCT && type->field_count > 0 && strcmp(type->fields[0].name, KT_IR_BASE) == 0;
}

/* The part of an object that its base class is, or the base of that. False: the class is none of them. */
static bool to_base(struct kt_lower *l, struct kt_lower_place *at, const struct kt_ir_type *type)
{
	const struct kt_ir_type *inner = at->type;
	size_t depth = 0;

	for (; inner != type; depth++) {
		if (!kt_lower_has_base(inner))
			return false;
		inner = inner->fields[0].type;
	}
	for (size_t i = 0; i < depth; i++) {
		if (at->place != NULL) {
			at->place = kt_ir_field(l->module, at->place, 0);
		} else {
			at->value = kt_ir_extract(l->module, kt_lower_read(l, at), 0);
			at->is_part = true;
		}
	}
	at->type = type;
	return at->place != NULL || at->value != NULL;
}

/* A part of an object or of a value. */
static bool part(struct kt_lower *l, struct kt_lower_place *whole, CXCursor field, struct kt_lower_place *out)
{
	int number;

	/* In a member function the object's conversion to the base that has the field is not shown. */
	if (kt_lower_has_base(whole->type))
		(void)to_base(l, whole, kt_lower_type(l, kt_clang.getCursorType(kt_clang.getCursorSemanticParent(field))));
	number = kt_lower_field(l, whole->type, field);
	if (number < 0)
		return false;
	*out = (struct kt_lower_place){
	    .is_volatile = whole->is_volatile || kt_clang.isVolatileQualifiedType(kt_lower_canonical(field)) != 0,
	};
	if (whole->place != NULL) {
		out->place = kt_ir_field(l->module, whole->place, (unsigned)number);
		out->type = out->place == NULL ? NULL : out->place->type;
		return out->place != NULL;
	}
	out->variable = whole->variable;
	out->is_part = true;
	out->value = kt_ir_extract(l->module, kt_lower_read(l, whole), (unsigned)number);
	out->type = out->value == NULL ? NULL : out->value->type;
	return out->value != NULL;
}

/* The object itself where the field is in its base class. */
static bool object_of(struct kt_lower *l, CXCursor base, bool is_pointer, struct kt_lower_place *out)
{
	const struct kt_ir_value *value;

	if (is_pointer)
		return kt_lower_target(l, kt_lower_value(l, base), out);
	if (kt_lower_is_lvalue(l, base))
		return kt_lower_place(l, base, out);
	value = kt_lower_value(l, base);
	*out = (struct kt_lower_place){.value = value, .type = value == NULL ? NULL : value->type};
	return value != NULL;
}

static bool member(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const CXCursor field = kt_lower_referenced(expression);
	struct kt_lower_place object;
	const struct kt_ir_value *pointer, *axis = NULL;

	if (kt_clang.getCursorKind(field) != CXCursor_FieldDecl)
		return declared(l, expression, out);
	if (c.count == 0) {
		/* A field of the object whose member function this is. */
		const struct kt_lower_variable *self = kt_lower_find(&l->body->variables, l->body->cursor);

		if (self == NULL)
			return kt_lower_cannot(l, "a field without an object"), false;
		pointer = kt_ir_read(l->module, self->symbol);
		return kt_lower_target(l, pointer, &object) && part(l, &object, field, out);
	}
	axis = kt_lower_axis(l, c.items[0], field);
	if (axis != NULL) {
		*out = (struct kt_lower_place){.type = axis->type, .value = axis};
		return true;
	}
	return object_of(l, c.items[0], kt_lower_canonical(c.items[0]).kind == CXType_Pointer, &object) &&
	       part(l, &object, field, out);
}

static bool subscript(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const struct kt_ir_value *base, *index;
	size_t pointer;

	if (c.count != 2)
		return kt_lower_cannot(l, "a subscript"), false;
	/* `i[p]` is one, too. */
	pointer = kt_lower_canonical(c.items[0]).kind == CXType_Pointer ? 0 : 1;
	base = kt_lower_before(l, c.items[pointer], c.items[1 - pointer]);
	index = kt_lower_value(l, c.items[1 - pointer]);
	return kt_lower_target(l, kt_lower_offset(l, base, index), out);
}

static bool call_place(struct kt_lower *l, CXCursor call, struct kt_lower_place *out)
{
	bool is_copy = false;

	if (!kt_lower_copy_assignment(l, call, &is_copy, out))
		return false;
	return is_copy || kt_lower_target(l, kt_lower_call(l, call, true), out);
}

/* A conversion of an object: to another reference type the same bytes, seen as that type. */
static bool converted(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);
	const struct kt_ir_type *type = kt_lower_type(l, kt_clang.getCursorType(expression));
	const struct kt_ir_place *memory;

	if (c.count == 0 || type == NULL)
		return kt_lower_cannot(l, "a conversion"), false;
	if (!kt_lower_place(l, c.items[c.count - 1], out))
		return false;
	out->is_volatile |= kt_clang.isVolatileQualifiedType(kt_lower_canonical(expression)) != 0;
	if (out->type == type || to_base(l, out, type))
		return true;
	NEED(memory = kt_lower_memory(l, out), false);
	out->place = kt_ir_seen_as(l->module, memory, type, 0);
	out->variable = NULL;
	out->type = type;
	return out->place != NULL;
}

static bool unary(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);

	if (c.count != 1)
		return kt_lower_cannot(l, "an operator"), false;
	if (strcmp(kt_operator(expression), "*") == 0)
		return kt_lower_target(l, kt_lower_value(l, c.items[0]), out);
	return kt_lower_step(l, expression, out, NULL);
}

static bool binary(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const struct kt_lower_children c = kt_lower_children(l, expression);

	if (strcmp(kt_operator(expression), ",") == 0)
		return c.count == 2 && kt_lower_effects(l, c.items[0]) && kt_lower_place(l, c.items[1], out);
	return kt_lower_assignment(l, expression, out);
}

static bool in_parentheses(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	return kt_lower_place(l, kt_lower_bare(l, expression), out);
}

static const struct {
	enum CXCursorKind kind;
	bool (*lower)(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out);
} contracts[] = {
    {CXCursor_DeclRefExpr, declared},
    {CXCursor_MemberRefExpr, member},
    {CXCursor_ArraySubscriptExpr, subscript},
    {CXCursor_ParenExpr, in_parentheses},
    {CXCursor_UnaryOperator, unary},
    {CXCursor_BinaryOperator, binary},
    {CXCursor_CompoundAssignOperator, kt_lower_assignment},
    {CXCursor_ConditionalOperator, kt_lower_conditional_place},
    {CXCursor_CallExpr, call_place},
    {CXCursor_UnexposedExpr, converted},
    {CXCursor_CStyleCastExpr, converted},
    {CXCursor_CXXStaticCastExpr, converted},
    {CXCursor_CXXConstCastExpr, converted},
    {CXCursor_CXXReinterpretCastExpr, converted},
};

bool kt_lower_place(struct kt_lower *l, CXCursor expression, struct kt_lower_place *out)
{
	const enum CXCursorKind kind = kt_clang.getCursorKind(expression);

	for (size_t i = 0; i < sizeof contracts / sizeof *contracts; i++)
		if (contracts[i].kind == kind) {
			if (!contracts[i].lower(l, expression, out))
				return false;
			/* What is volatile by its root alone needs no word at the access. */
			out->is_volatile |= out->place != NULL && has_volatile_root(out->place);
			return true;
		}
	return kt_lower_cannot(l, "an object of the kind %d", (int)kind), false;
}
