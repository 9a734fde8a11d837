/* Equations of the thread that stored: its place is the load's, and the conditions around its store held. */
#include "generation/ir/unstage_parts.h"

struct kt_ir_unknown *kt_ir_unknown_of(struct kt_ir_origin *o, const struct kt_ir_value *atom)
{
	for (size_t i = 0; i < o->unknown_count; i++)
		if (kt_ir_same(o->unknowns[i].atom, atom))
			return &o->unknowns[i];
	return NULL;
}

static bool add_equation(struct kt_ir_equations *all, const struct kt_ir_form *sum, const struct kt_ir_form *is, bool is_condition)
{
	if (all->count == KT_IR_MOST_EQUATIONS)
		return false;
	all->list[all->count++] = (struct kt_ir_equation){*sum, *is, false, is_condition};
	return true;
}

/* ---- Places ---- */

static int64_t elements_of(const struct kt_ir_type *type)
{
	int64_t count = 1;

	for (; type->kind == KT_IR_ARRAY; type = type->element)
		count *= type->count;
	return count;
}

/*
 * The number of the element, counted from the begin of an array, in which arrays may be: `s[i][j]` of rows of 9 is 9 * i + j, also where
 * j is past the row's end. *steps: those that lead to the element. False: an index is no sum.
 */
static bool element_of(struct kt_ir_form *number, size_t *steps, const struct kt_ir_origin *o, const struct kt_ir_place *place)
{
	struct kt_ir_form index;

	*number = (struct kt_ir_form){.bits = 128};
	for (*steps = 0; *steps < place->count && place->steps[*steps].kind == KT_IR_INDEX; ++*steps) {
		const struct kt_ir_step *step = &place->steps[*steps];

		if (!kt_ir_form_of(&index, &o->in->lets, step->index, false) || !kt_ir_sum_add(number, &index, elements_of(step->type)))
			return false;
	}
	return true;
}

static bool is_part(const struct kt_ir_step *step)
{
	return step->kind == KT_IR_FIELD || step->kind == KT_IR_LANE_OF;
}

/* Fields and lanes after the element: those of the store are the load's first ones, or others. */
static bool read_parts(struct kt_ir_origin *o, size_t first)
{
	const struct kt_ir_place *from = o->load->place, *to = o->store->place;

	if (to->count > from->count)
		return kt_ir_unstage_refuses(o->in, o->load, "shared memory is stored to in parts, and loaded as a whole");
	for (size_t i = first; i < from->count; i++) {
		const struct kt_ir_step *a = &from->steps[i], *b = i < to->count ? &to->steps[i] : a;

		if (!is_part(a) || !is_part(b))
			return kt_ir_unstage_refuses(o->in, o->load, "shared memory is stored to and loaded as different types");
		o->is_elsewhere |= a->number != b->number;
	}
	return true;
}

bool kt_ir_read_places(struct kt_ir_equations *all, struct kt_ir_origin *o)
{
	struct kt_ir_form from, to;
	size_t from_steps, to_steps;

	if (!element_of(&from, &from_steps, o, o->load->place) || !element_of(&to, &to_steps, o, o->store->place))
		return kt_ir_unstage_refuses(o->in, o->store, "an index of shared memory is no sum");
	if (from_steps != to_steps)
		return kt_ir_unstage_refuses(o->in, o->load, "shared memory is stored to and loaded as different types");
	return read_parts(o, to_steps) && (to_steps == 0 || (kt_ir_spread(&to, o) && add_equation(all, &to, &from, false)));
}

/* ---- Conditions ---- */

static void read_condition(struct kt_ir_equations *all, struct kt_ir_origin *o, const struct kt_ir_value *condition)
{
	const struct kt_ir_form zero = {.bits = 128};
	struct kt_ir_conjuncts parts;
	struct kt_ir_form a, b, sum;

	kt_ir_conjuncts_of(&parts, &o->in->lets, condition);
	for (size_t i = 0; i < parts.count; i++) {
		const struct kt_ir_value *one = parts.list[i];

		if (one->op == KT_IR_EQ && one->arguments[0]->type->kind == KT_IR_INTEGER &&
		    kt_ir_form_of(&a, &o->in->lets, one->arguments[0], false) &&
		    kt_ir_form_of(&b, &o->in->lets, one->arguments[1], false) && kt_ir_form_minus(&sum, &a, &b) && kt_ir_spread(&sum, o))
			(void)add_equation(all, &sum, &zero, true);
	}
}

void kt_ir_read_conditions(struct kt_ir_equations *all, struct kt_ir_origin *o)
{
	for (size_t i = 0; i + 1 < o->to_store.count; i++) {
		const struct kt_ir_statement *s = o->to_store.at[i];

		if (s->kind == KT_IR_S_IF && o->to_store.lists[i + 1] == &s->body)
			read_condition(all, o, s->value);
	}
}
