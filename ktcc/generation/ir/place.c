/* Constructors of places. A place is immutable: each step makes a longer copy. */
#include <string.h>

#include "generation/ir/ir.h"

static struct kt_ir_place *root(struct kt_ir_module *module, const struct kt_ir_type *type)
{
	struct kt_ir_place *place = kt_arena_alloc(module->arena, sizeof *place);

	NEED(place, kt_ir_fail(module, "out of memory"));
	place->type = type;
	return place;
}

const struct kt_ir_place *kt_ir_place_of(struct kt_ir_module *module, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_place *place;

	if (symbol == NULL)
		return NULL;
	if (!symbol->is_memory)
		return kt_ir_fail(module, "'%s' is no memory: it is read and set", symbol->hint);
	place = root(module, symbol->type);
	if (place != NULL)
		place->symbol = symbol;
	return place;
}

const struct kt_ir_place *kt_ir_place_at(struct kt_ir_module *module, const struct kt_ir_value *pointer)
{
	struct kt_ir_place *place;

	if (pointer == NULL)
		return NULL;
	if (pointer->type->kind != KT_IR_POINTER)
		return kt_ir_fail(module, "what is no pointer leads nowhere");
	place = root(module, pointer->type->element);
	if (place != NULL)
		place->pointer = pointer;
	return place;
}

/* The place with one more step, of this type. */
static struct kt_ir_place *longer(struct kt_ir_module *module, const struct kt_ir_place *place, struct kt_ir_step step)
{
	struct kt_ir_place *copy;

	if (step.type == NULL)
		return NULL;
	copy = root(module, step.type);
	if (copy == NULL)
		return NULL;
	copy->symbol = place->symbol;
	copy->pointer = place->pointer;
	NEED(copy->steps = kt_arena_array(module->arena, place->count + 1, sizeof *copy->steps),
	     kt_ir_fail(module, "out of memory"));
	if (place->count > 0)
		memcpy(copy->steps, place->steps, place->count * sizeof *copy->steps);
	copy->steps[place->count] = step;
	copy->count = place->count + 1;
	return copy;
}

const struct kt_ir_place *kt_ir_index(struct kt_ir_module *module, const struct kt_ir_place *place,
				      const struct kt_ir_value *index)
{
	const bool is_behind_pointer = place != NULL && place->count == 0 && place->pointer != NULL;
	struct kt_ir_step step = {.kind = KT_IR_INDEX};

	if (place == NULL || index == NULL)
		return NULL;
	if (!is_behind_pointer && place->type->kind != KT_IR_ARRAY)
		return kt_ir_fail(module, "only an array or what a pointer leads to has elements");
	if (index->type->kind != KT_IR_INTEGER)
		return kt_ir_fail(module, "an index is an integer");
	step.type = is_behind_pointer ? place->type : place->type->element;
	step.index = kt_ir_convert(module, index, kt_ir_integer(module, 64, true), KT_IR_AS_VALUE);
	return step.index == NULL ? NULL : longer(module, place, step);
}

const struct kt_ir_place *kt_ir_field(struct kt_ir_module *module, const struct kt_ir_place *place, unsigned number)
{
	struct kt_ir_step step = {.number = number};

	if (place == NULL)
		return NULL;
	if (place->type->kind == KT_IR_VECTOR && (int64_t)number < place->type->count) {
		step.kind = KT_IR_LANE_OF;
		step.type = place->type->element;
	} else if (place->type->kind == KT_IR_STRUCT && number < place->type->field_count) {
		step.kind = KT_IR_FIELD;
		step.type = place->type->fields[number].type;
	} else {
		return kt_ir_fail(module, "the place has no part %u", number);
	}
	return longer(module, place, step);
}

const struct kt_ir_place *kt_ir_seen_as(struct kt_ir_module *module, const struct kt_ir_place *place,
					const struct kt_ir_type *type, uint32_t align)
{
	struct kt_ir_step step = {.kind = KT_IR_SEEN_AS, .type = type, .align = align};

	return place == NULL ? NULL : longer(module, place, step);
}

enum kt_ir_space kt_ir_space_of(const struct kt_ir_place *place)
{
	if (place->pointer != NULL)
		return place->pointer->type->space;
	switch (place->symbol->kind) {
	case KT_IR_SHARED_SYMBOL:
		return KT_IR_SPACE_SHARED;
	case KT_IR_GLOBAL_SYMBOL:
		return KT_IR_SPACE_GLOBAL;
	case KT_IR_CONSTANT_SYMBOL:
		return KT_IR_SPACE_CONSTANT;
	case KT_IR_ARGUMENT:
	case KT_IR_LOCAL_SYMBOL:
	case KT_IR_TEMPORARY:
	case KT_IR_COUNTER:
		break;
	}
	return KT_IR_SPACE_LOCAL;
}
