/* Constructors of statements. */
#include "generation/ir/ir.h"

struct kt_ir_statement *kt_ir_append(struct kt_ir_module *module, struct kt_ir_region *region,
				     enum kt_ir_statement_kind kind)
{
	struct kt_ir_statement *statement = kt_arena_alloc(module->arena, sizeof *statement);

	NEED(statement, kt_ir_fail(module, "out of memory"));
	statement->kind = kind;
	if (region->last == NULL)
		region->first = statement;
	else
		region->last->next = statement;
	region->last = statement;
	return statement;
}

struct kt_ir_symbol *kt_ir_let(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
			       const struct kt_ir_value *value)
{
	struct kt_ir_statement *statement;

	if (value == NULL || (statement = kt_ir_append(module, region, KT_IR_S_LET)) == NULL)
		return NULL;
	statement->value = value;
	statement->symbol = kt_ir_symbol(module, KT_IR_TEMPORARY, value->type, hint);
	return statement->symbol;
}

struct kt_ir_symbol *kt_ir_load(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
				const struct kt_ir_place *place, struct kt_ir_hint how)
{
	struct kt_ir_statement *statement;

	if (place == NULL || (statement = kt_ir_append(module, region, KT_IR_S_LOAD)) == NULL)
		return NULL;
	statement->place = place;
	statement->hint = how;
	statement->symbol = kt_ir_symbol(module, KT_IR_TEMPORARY, place->type, hint);
	return statement->symbol;
}

struct kt_ir_statement *kt_ir_store(struct kt_ir_module *module, struct kt_ir_region *region,
				    const struct kt_ir_place *place, const struct kt_ir_value *value,
				    struct kt_ir_hint how)
{
	struct kt_ir_statement *statement;

	if (place == NULL || value == NULL)
		return NULL;
	if (place->type != value->type)
		return kt_ir_fail(module, "a store has a place and a value of one type");
	statement = kt_ir_append(module, region, KT_IR_S_STORE);
	if (statement == NULL)
		return NULL;
	statement->place = place;
	statement->value = value;
	statement->hint = how;
	return statement;
}

struct kt_ir_statement *kt_ir_declare(struct kt_ir_module *module, struct kt_ir_region *region,
				      struct kt_ir_symbol *symbol)
{
	struct kt_ir_statement *statement;

	if (symbol == NULL)
		return NULL;
	if (symbol->kind != KT_IR_LOCAL_SYMBOL && symbol->kind != KT_IR_SHARED_SYMBOL)
		return kt_ir_fail(module, "only locals and shared memory are declared");
	statement = kt_ir_append(module, region, KT_IR_S_DECLARE);
	if (statement != NULL)
		statement->symbol = symbol;
	return statement;
}

struct kt_ir_statement *kt_ir_set(struct kt_ir_module *module, struct kt_ir_region *region,
				  struct kt_ir_symbol *symbol, const struct kt_ir_value *value)
{
	struct kt_ir_statement *statement;

	if (symbol == NULL || value == NULL)
		return NULL;
	if ((symbol->kind != KT_IR_LOCAL_SYMBOL && symbol->kind != KT_IR_ARGUMENT) || symbol->is_memory ||
	    symbol->type != value->type)
		return kt_ir_fail(module, "'%s' cannot be set to this value", symbol->hint);
	statement = kt_ir_append(module, region, KT_IR_S_SET);
	if (statement == NULL)
		return NULL;
	statement->symbol = symbol;
	statement->value = value;
	return statement;
}

struct kt_ir_statement *kt_ir_if(struct kt_ir_module *module, struct kt_ir_region *region,
				 const struct kt_ir_value *condition)
{
	struct kt_ir_statement *statement;

	if (condition == NULL)
		return NULL;
	if (condition->type->kind != KT_IR_BOOL)
		return kt_ir_fail(module, "the condition of an if is a bool");
	statement = kt_ir_append(module, region, KT_IR_S_IF);
	if (statement != NULL)
		statement->value = condition;
	return statement;
}

struct kt_ir_statement *kt_ir_for(struct kt_ir_module *module, struct kt_ir_region *region, const char *hint,
				  const struct kt_ir_value *low, const struct kt_ir_value *high,
				  const struct kt_ir_value *step)
{
	struct kt_ir_statement *statement;

	if (low == NULL || high == NULL || step == NULL)
		return NULL;
	if (low->type->kind != KT_IR_INTEGER || low->type != high->type || low->type != step->type)
		return kt_ir_fail(module, "the bounds and the step of a for are integers of one type");
	statement = kt_ir_append(module, region, KT_IR_S_FOR);
	if (statement == NULL)
		return NULL;
	statement->value = low;
	statement->further[0] = high;
	statement->further[1] = step;
	statement->symbol = kt_ir_symbol(module, KT_IR_COUNTER, low->type, hint);
	return statement;
}

/* Operands of each collective: how many values after the mask, and whether the first of them has the result's type. */
static const struct {
	int count;
	enum { GIVES_VALUE, GIVES_BOOL, GIVES_MASK, GIVES_OWN } gives;
} collectives[KT_IR_COLLECTIVES] = {
    [KT_IR_SHUFFLE] = {3, GIVES_VALUE},	    [KT_IR_SHUFFLE_UP] = {3, GIVES_VALUE},
    [KT_IR_SHUFFLE_DOWN] = {3, GIVES_VALUE}, [KT_IR_SHUFFLE_XOR] = {3, GIVES_VALUE},
    [KT_IR_VOTE_ALL] = {1, GIVES_BOOL},	    [KT_IR_VOTE_ANY] = {1, GIVES_BOOL},
    [KT_IR_BALLOT] = {1, GIVES_MASK},	    [KT_IR_MATCH_ANY] = {1, GIVES_MASK},
    [KT_IR_REDUCE_ADD] = {1, GIVES_VALUE},  [KT_IR_REDUCE_MIN] = {1, GIVES_VALUE},
    [KT_IR_REDUCE_MAX] = {1, GIVES_VALUE},  [KT_IR_REDUCE_AND] = {1, GIVES_VALUE},
    [KT_IR_REDUCE_OR] = {1, GIVES_VALUE},   [KT_IR_REDUCE_XOR] = {1, GIVES_VALUE},
    [KT_IR_ACTIVE_MASK] = {-1, GIVES_MASK},  [KT_IR_TOTAL_ADD] = {0, GIVES_OWN},
    [KT_IR_TOTAL_MIN] = {0, GIVES_OWN},	    [KT_IR_TOTAL_MAX] = {0, GIVES_OWN},
    [KT_IR_TOTAL_AND] = {0, GIVES_OWN},	    [KT_IR_TOTAL_OR] = {0, GIVES_OWN},
    [KT_IR_TOTAL_XOR] = {0, GIVES_OWN},
};

const struct kt_ir_type *kt_ir_collective_type(struct kt_ir_module *module, const struct kt_ir_statement *s)
{
	int count = s->value != NULL ? 0 : -1;

	for (int i = 0; i < 3; i++)
		count += s->further[i] != NULL;
	if (s->number >= KT_IR_COLLECTIVES || count != collectives[s->number].count)
		return kt_ir_fail(module, "the collective has another number of operands");
	switch (collectives[s->number].gives) {
	case GIVES_VALUE:
		return s->further[0]->type;
	case GIVES_BOOL:
		return kt_ir_bool(module);
	case GIVES_OWN:
		return s->value->type;
	case GIVES_MASK:
		break;
	}
	return kt_ir_integer(module, 32, false);
}
