/* Reductions of distributed loops. */
#include "generation/ir/distributed_parts.h"

#include "generation/ir/extreme.h"
#include "generation/ir/symbolic.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"

/* Is it the region's own statement, before this one? */
const struct kt_ir_statement *kt_ir_set_before(const struct kt_ir_region *region, const struct kt_ir_statement *end,
						const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_statement *found = NULL;

	for (const struct kt_ir_statement *s = region->first; s != NULL && s != end; s = s->next)
		if (s->kind == KT_IR_S_SET && s->symbol == symbol)
			found = s;
	return found;
}

static bool is_zero(const struct kt_ir_value *v)
{
	int64_t number;

	if (v->op != KT_IR_CONSTANT)
		return false;
	return v->type->kind == KT_IR_FLOAT ? kt_ir_real_of(v) == 0 : kt_ir_is_constant(v, &number) && number == 0;
}

bool kt_ir_is_total(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_COLLECTIVE && s->number >= KT_IR_TOTAL_ADD;
}

/* Is it made of constants and of what the launch has, so that all threads that share iterations have it alike? */
bool kt_ir_is_fixed(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_READ && v->op != KT_IR_ADDRESS;
}

/* Does it combine what the reduction does, so that threads without iterations change nothing? */
static bool combines(const struct kt_ir_statement *s, const struct kt_ir_reduction *found, const struct kt_ir_value *start)
{
	static const int numbers[KT_IR_ATOMICS] = {[KT_IR_A_ADD] = KT_IR_TOTAL_ADD, [KT_IR_A_MIN] = KT_IR_TOTAL_MIN,
						   [KT_IR_A_MAX] = KT_IR_TOTAL_MAX, [KT_IR_A_AND] = KT_IR_TOTAL_AND,
						   [KT_IR_A_OR] = KT_IR_TOTAL_OR,   [KT_IR_A_XOR] = KT_IR_TOTAL_XOR};
	const int number = kt_ir_total_of(found->op, found->function);

	if (number != (kt_ir_is_total(s) ? (int)s->number : numbers[s->number]))
		return false;
	if (found->needs_number && !kt_ir_is_number_always(NULL, start))
		return false;
	return (number != KT_IR_TOTAL_ADD && number != KT_IR_TOTAL_XOR) || is_zero(start);
}

static const struct kt_ir_statement *loop_before(const struct kt_ir_parts *p, const struct kt_ir_region *region,
						 const struct kt_ir_statement *atomic, const struct kt_ir_symbol *symbol,
						 struct kt_ir_reduction *all, bool *fits)
{
	const struct kt_ir_statement *last = NULL, *set = kt_ir_set_before(region, atomic, symbol);
	bool is_after = false;
	struct kt_ir_reduction found;
	int64_t offset;

	for (const struct kt_ir_statement *s = region->first; s != atomic; s = s->next) {
		is_after |= s == set;
		if (!kt_ir_sets(&s->body, symbol))
			continue;
		last = s;
		*fits = *fits && is_after && set != NULL && kt_ir_visit_value(set->value, kt_ir_is_fixed, NULL) &&
			kt_ir_distributed_over(&offset, s, p->lets, p->block) != KT_IR_OVER_NOTHING &&
			kt_ir_is_reduction(&found, s, symbol) && combines(atomic, &found, set->value);
		if (!*fits)
			return last;
		all->updates += found.updates;
		all->reads += found.reads;
	}
	return last;
}

bool kt_ir_is_of_reduction(const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *atomic)
{
	const struct kt_ir_symbol *symbol = atomic->value->op == KT_IR_READ ? atomic->value->symbol : NULL;
	struct kt_ir_reduction all = {.updates = 0};
	bool fits = true;

	if (symbol == NULL)
		return false;
	return loop_before(p, region, atomic, symbol, &all, &fits) != NULL && fits &&
	       kt_ir_count_reads(&p->kernel->body, symbol) == all.reads + 1 && p->lets->sets[symbol->id] == all.updates + 1;
}

bool kt_ir_is_reduced(const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *loop,
		       const struct kt_ir_symbol *symbol)
{
	for (const struct kt_ir_statement *s = loop->next; s != NULL; s = s->next)
		if ((s->kind == KT_IR_S_ATOMIC || kt_ir_is_total(s)) && s->value->op == KT_IR_READ && s->value->symbol == symbol)
			return kt_ir_is_of_reduction(p, region, s);
	return false;
}

