/* Pairs that distributed loops choose by comparison: a least or greatest value with its index. */
#include "generation/ir/distributed_parts.h"

#include "generation/ir/extreme.h"
#include "generation/ir/team.h"
#include "generation/ir/walk.h"

struct choice {
	const struct kt_ir_statement *loop, *key, *with; /* totals; with: NULL: there is none */
	struct kt_ir_carried carried;
};

static bool reads(const struct kt_ir_value *v, const struct kt_ir_symbol *symbol)
{
	return v->op == KT_IR_READ && v->symbol == symbol;
}

/* select(key == total of the keys, with, what any other is chosen before) */
static bool is_with(const struct choice *c, const struct kt_ir_value *v)
{
	return v->op == KT_IR_SELECT && v->arguments[0]->op == KT_IR_EQ && reads(v->arguments[0]->arguments[0], c->carried.symbol) &&
	       reads(v->arguments[0]->arguments[1], c->key->symbol) && reads(v->arguments[1], c->carried.payloads[0]) &&
	       v->arguments[2]->op == KT_IR_CONSTANT;
}

/* The totals after the loop, in the same list. */
static bool find_totals(struct choice *c)
{
	const unsigned wanted = c->carried.comparison == KT_IR_GT ? KT_IR_TOTAL_MAX : KT_IR_TOTAL_MIN;

	for (const struct kt_ir_statement *s = c->loop->next; s != NULL; s = s->next) {
		if (!kt_ir_is_total(s))
			continue;
		if (c->key == NULL && s->number == wanted && reads(s->value, c->carried.symbol))
			c->key = s;
		else if (c->key != NULL && c->with == NULL && (s->number == KT_IR_TOTAL_MIN || s->number == KT_IR_TOTAL_MAX) && is_with(c, s->value))
			c->with = s;
	}
	return c->key != NULL;
}

static const struct kt_ir_value *set_with(const struct choice *c)
{
	for (const struct kt_ir_statement *s = c->carried.choice->body.first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_SET && s->symbol == c->carried.payloads[0])
			return s->value;
	return NULL;
}

/*
 * Is the chosen index the least (or greatest) of equal keys within a thread as well: by the comparison, or as the first iteration's, whose
 * counter it is?
 */
static bool is_alike(const struct choice *c)
{
	const struct kt_ir_value *v = set_with(c);

	if (c->with == NULL)
		return true;
	if (c->carried.tie != KT_IR_CONSTANT)
		return c->with->number == (c->carried.tie == KT_IR_LT ? KT_IR_TOTAL_MIN : KT_IR_TOTAL_MAX);
	if (v != NULL && v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER &&
	    v->type->bits >= c->loop->symbol->type->bits)
		v = v->arguments[0];
	return v != NULL && c->with->number == KT_IR_TOTAL_MIN && reads(v, c->loop->symbol);
}

/* Does every thread start with the same, and set it nowhere else? */
static bool starts_alike(const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct choice *c,
			 const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_statement *set = kt_ir_set_before(region, c->loop, symbol);

	return set != NULL && p->lets->sets[symbol->id] == 2 && kt_ir_visit_value(set->value, kt_ir_is_fixed, NULL) &&
	       (symbol != c->carried.symbol || kt_ir_is_number_always(NULL, set->value));
}

static bool find(struct choice *c, const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_region *body = &p->kernel->body;
	const struct kt_ir_symbol *key, *with;
	int64_t offset;
	unsigned by_tie;

	*c = (struct choice){.loop = NULL};
	for (const struct kt_ir_statement *s = region->first; s != NULL; s = s->next)
		if (kt_ir_sets(&s->body, symbol))
			c->loop = s;
	if (c->loop == NULL || kt_ir_distributed_over(&offset, c->loop, p->lets, p->block) == KT_IR_OVER_NOTHING ||
	    !kt_ir_is_choice(&c->carried, (struct kt_ir_statement *)(uintptr_t)c->loop, symbol, p->lets) ||
	    c->carried.payload_count != 1 || (c->carried.comparison != KT_IR_GT && c->carried.comparison != KT_IR_LT) || !find_totals(c))
		return false;
	key = c->carried.symbol;
	with = c->carried.payloads[0];
	by_tie = c->carried.tie != KT_IR_CONSTANT;
	return is_alike(c) && starts_alike(p, region, c, key) && starts_alike(p, region, c, with) &&
	       kt_ir_count_reads(body, key) == 2 + by_tie + (c->with != NULL) && kt_ir_count_reads(body, with) == by_tie + (c->with != NULL);
}

bool kt_ir_is_of_choice(const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *total)
{
	const struct kt_ir_value *v = total->value;
	struct choice c;

	if (v->op == KT_IR_SELECT)
		v = v->arguments[1];
	return v->op == KT_IR_READ && find(&c, p, region, v->symbol) && (c.key == total || c.with == total);
}

bool kt_ir_is_chosen(const struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *loop,
		     const struct kt_ir_symbol *symbol)
{
	struct choice c;

	return find(&c, p, region, symbol) && c.loop == loop;
}
