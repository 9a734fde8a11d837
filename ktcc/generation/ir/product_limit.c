/* Branches of what a product loads that all of a tile takes, except at its edges. */
#include "generation/ir/bounds.h"
#include "generation/ir/product.h"
#include "generation/ir/walk.h"

enum { MOST_FACTOR = INT16_MAX };

static bool is_counter(const struct kt_ir_product *p, const struct kt_ir_value *v)
{
	return v->symbol == p->loop->symbol || (p->inner != NULL && v->symbol == p->inner->symbol);
}

/* Does it grow with the index of the dimension and with the iteration, or not depend on them? */
static bool grows(const struct kt_ir_product *p, const struct kt_ir_value *v, unsigned dimension)
{
	struct kt_ir_form form;

	if (!kt_ir_form_of(&form, &p->lets, v, true))
		return false;
	for (size_t i = 0; i < form.count; i++) {
		unsigned d;

		if (form.terms[i].count != 1 || form.terms[i].factor < 0 || form.terms[i].factor > MOST_FACTOR)
			return false;
		if (!is_counter(p, form.terms[i].atoms[0]) && (!kt_ir_is_global(form.terms[i].atoms[0], &d) || d != dimension))
			return false;
	}
	return true;
}

/* Is it a limit? One of the whole block is one, too. */
static bool find_limit(struct kt_ir_product_limit *limit, const struct kt_ir_product *p, const struct kt_ir_value *condition,
		       unsigned dimension)
{
	for (int side = 0; side < 2; side++) {
		const bool is_less = condition->op == (side == 0 ? KT_IR_LT : KT_IR_GT) || condition->op == (side == 0 ? KT_IR_LE : KT_IR_GE);
		const struct kt_ir_value *end = condition->count == 2 ? condition->arguments[1 - side] : NULL;

		if (!is_less || kt_ir_product_needs_of(p, end) != 0 || !kt_ir_product_is_total(condition) ||
		    !grows(p, condition->arguments[side], dimension))
			continue;
		*limit = (struct kt_ir_product_limit){condition, condition->arguments[side], dimension};
		return true;
	}
	return false;
}

static void add(struct kt_ir_product *p, const struct kt_ir_statement *branch, unsigned dimension)
{
	struct kt_ir_conjuncts all;

	if (p->branch_count == KT_IR_PRODUCT_MOST_BRANCHES || kt_ir_product_is_branch(p, branch))
		return;
	kt_ir_conjuncts_of(&all, &p->lets, branch->value);
	if (p->limit_count + all.count > KT_IR_PRODUCT_MOST_BRANCHES)
		return;
	for (size_t i = 0; i < all.count; i++)
		if (!find_limit(&p->limits[p->limit_count + i], p, all.list[i], dimension))
			return;
	p->limit_count += all.count;
	p->branches[p->branch_count++] = branch;
}

bool kt_ir_product_is_branch(const struct kt_ir_product *p, const struct kt_ir_statement *s)
{
	for (size_t i = 0; i < p->branch_count; i++)
		if (p->branches[i] == s)
			return true;
	return false;
}

void kt_ir_product_limits(struct kt_ir_product *p, const struct kt_ir_product_slice *slice, unsigned dimension)
{
	for (size_t i = 0; i < p->body_count; i++)
		for (const struct kt_ir_statement *s = p->body[i].first; s != p->body[i].end; s = s->next)
			if (kt_ir_product_slice_has(slice, s))
				add(p, s, dimension);
}
