/* Selections that are maxima and minima, and values that are numbers. */
#include "generation/ir/extreme.h"

#include <math.h>
#include <string.h>

#include "generation/ir/number.h"
#include "generation/ir/walk.h"

/* ---- Selections ---- */

bool kt_ir_extreme_by(struct kt_ir_extreme *extreme, enum kt_ir_op comparison, bool in_order, bool in_other_order)
{
	const bool is_above = comparison == KT_IR_GT || comparison == KT_IR_GE;

	if ((!is_above && comparison != KT_IR_LT && comparison != KT_IR_LE) || in_order == in_other_order)
		return false;
	extreme->is_greatest = is_above == in_order;
	extreme->kept = 2;
	return true;
}

bool kt_ir_is_extreme(struct kt_ir_extreme *extreme, const struct kt_ir_value *v)
{
	const struct kt_ir_value *condition, *a, *b;
	bool is_not = false;

	if (v->op != KT_IR_SELECT)
		return false;
	for (condition = v->arguments[0]; condition->op == KT_IR_NOT; condition = condition->arguments[0])
		is_not = !is_not;
	if (condition->count != 2)
		return false;
	a = v->arguments[is_not ? 2 : 1];
	b = v->arguments[is_not ? 1 : 2];
	if (!kt_ir_extreme_by(extreme, condition->op,
			      kt_ir_same(condition->arguments[0], a) && kt_ir_same(condition->arguments[1], b),
			      kt_ir_same(condition->arguments[0], b) && kt_ir_same(condition->arguments[1], a)))
		return false;
	extreme->kept = is_not ? 1 : 2;
	return true;
}

const char *kt_ir_extreme_name(const struct kt_ir_type *type, bool is_greatest)
{
	if (type->kind == KT_IR_INTEGER)
		return is_greatest ? "max" : "min";
	if (type->kind != KT_IR_FLOAT)
		return NULL;
	switch (type->format) {
	case KT_IR_F32:
		return is_greatest ? "fmaxf" : "fminf";
	case KT_IR_F64:
		return is_greatest ? "fmax" : "fmin";
	default:
		return NULL;
	}
}

/* ---- Numbers ---- */

/* What functions of the toolkit give: a number always, where one operand is one, where the first one is. */
enum rule { NEVER, ALWAYS, EITHER, FIRST };

static enum rule rule_of(const char *name)
{
	static const struct {
		const char *name;
		enum rule rule;
	} rules[] = {{"fmaxf", EITHER}, {"fminf", EITHER}, {"fmax", EITHER}, {"fmin", EITHER}, {"max", EITHER}, {"min", EITHER},
		     {"fabsf", FIRST}, {"fabs", FIRST}, {"__builtin_inff", ALWAYS}, {"__builtin_inf", ALWAYS},
		     {"__builtin_huge_valf", ALWAYS}, {"__builtin_huge_val", ALWAYS}};

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rules[i].name, name) == 0)
			return rules[i].rule;
	return NEVER;
}

bool kt_ir_gives_number(const struct kt_ir_value *v, const bool *are, size_t count, const struct kt_ir_extreme *extreme)
{
	if (v->type->kind != KT_IR_FLOAT)
		return v->type->kind == KT_IR_INTEGER || v->type->kind == KT_IR_BOOL;
	switch (v->op) {
	case KT_IR_CONSTANT:
		return !isnan(kt_ir_real_of(v));
	case KT_IR_NEG:
		return are[0];
	case KT_IR_CONVERT:
		if (v->mode == KT_IR_AS_BITS)
			return v->count == 1 && v->arguments[0]->op == KT_IR_CONSTANT &&
			       !isnan(kt_ir_unround(v->type->format, v->arguments[0]->bits[0]));
		return are[0];
	case KT_IR_SELECT:
		return extreme != NULL ? are[extreme->kept] : are[1] && are[2];
	case KT_IR_INTRINSIC:
		switch (rule_of(v->name)) {
		case ALWAYS:
			return true;
		case EITHER:
			return count == 2 && (are[0] || are[1]);
		case FIRST:
			return count == 1 && are[0];
		default:
			return false;
		}
	default:
		return false;
	}
}

bool kt_ir_is_number_always(const struct kt_ir_numbers *numbers, const struct kt_ir_value *v)
{
	struct kt_ir_extreme extreme;
	bool are[3] = {false, false, false};

	if (v->op == KT_IR_READ && v->type->kind == KT_IR_FLOAT)
		return numbers != NULL && v->symbol->id < numbers->count && numbers->is[v->symbol->id];
	for (size_t i = 0; i < v->count && i < 3; i++)
		are[i] = kt_ir_is_number_always(numbers, v->arguments[i]);
	return kt_ir_gives_number(v, are, v->count, kt_ir_is_extreme(&extreme, v) ? &extreme : NULL);
}

static bool is_kept(const struct kt_ir_symbol *symbol)
{
	return (symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_memory && !symbol->is_volatile) ||
	       symbol->kind == KT_IR_TEMPORARY;
}

static bool find(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_numbers *n = context;

	if (s->symbol != NULL && is_kept(s->symbol))
		n->is[s->symbol->id] = true;
	return true;
}

struct narrowing {
	struct kt_ir_numbers *numbers;
	bool changed;
};

/* Does the condition compare the value by order, so that it is a number where the condition holds? */
static bool implies_number(const struct kt_ir_value *condition, const struct kt_ir_value *value)
{
	switch (condition->op) {
	case KT_IR_LT:
	case KT_IR_LE:
	case KT_IR_GT:
	case KT_IR_GE:
	case KT_IR_EQ:
		return kt_ir_same(condition->arguments[0], value) || kt_ir_same(condition->arguments[1], value);
	case KT_IR_BOTH:
		return implies_number(condition->arguments[0], value) || implies_number(condition->arguments[1], value);
	case KT_IR_EITHER:
		return implies_number(condition->arguments[0], value) && implies_number(condition->arguments[1], value);
	default:
		return false;
	}
}

/* What was loaded or computed once, which the branch of the condition sets a local to. */
static bool is_compared(const struct kt_ir_statement *s, const struct kt_ir_value *condition)
{
	return condition != NULL && s->kind == KT_IR_S_SET && s->value->op == KT_IR_READ && s->value->symbol->kind == KT_IR_TEMPORARY &&
	       implies_number(condition, s->value);
}

/* What a statement gives its symbol; a local that is read has been set before. condition: of its branch, or NULL. */
static void narrow(struct narrowing *n, const struct kt_ir_statement *s, const struct kt_ir_value *condition)
{
	bool is = false;

	if (s->symbol == NULL || s->kind == KT_IR_S_DECLARE || s->kind == KT_IR_S_FOR || !n->numbers->is[s->symbol->id])
		return;
	if (s->kind == KT_IR_S_COLLECTIVE && s->number <= KT_IR_SHUFFLE_XOR)
		is = kt_ir_is_number_always(n->numbers, s->further[0]);
	else if (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_SET ||
	    (s->kind == KT_IR_S_COLLECTIVE && (s->number == KT_IR_TOTAL_MAX || s->number == KT_IR_TOTAL_MIN)))
		is = is_compared(s, condition) || kt_ir_is_number_always(n->numbers, s->value);
	if (!is) {
		n->numbers->is[s->symbol->id] = false;
		n->changed = true;
	}
}

static void narrow_region(struct narrowing *n, const struct kt_ir_region *region, const struct kt_ir_value *condition)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		narrow(n, s, condition);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			narrow_region(n, inner, s->kind == KT_IR_S_IF && i == 0 ? s->value : NULL);
	}
}

bool kt_ir_numbers_of(struct kt_ir_numbers *numbers, struct kt_arena *arena, const struct kt_ir_module *module,
		      const struct kt_ir_function *kernel)
{
	struct narrowing n = {numbers, true};

	*numbers = (struct kt_ir_numbers){.count = (size_t)module->next_id + 1};
	numbers->is = kt_arena_array(arena, numbers->count, sizeof *numbers->is);
	if (numbers->is == NULL)
		return false;
	(void)kt_ir_visit(&kernel->body, find, numbers);
	while (n.changed) {
		n.changed = false;
		narrow_region(&n, &kernel->body, NULL);
	}
	return true;
}
