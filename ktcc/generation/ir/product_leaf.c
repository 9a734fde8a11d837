/* What the iterations of a product load for one dimension alone: the leaves of what they compute. */
#include "generation/ir/product.h"

#include "generation/ir/walk.h"

static bool stop(struct kt_ir_product *p, const char *why)
{
	p->why = why;
	p->line = p->loop->line;
	return false;
}

/* Is it loaded, for all work items that have one index of one dimension alike? */
static bool is_of_one(unsigned needs)
{
	return (needs & KT_IR_OF_MEMORY) != 0 &&
	       (needs & (KT_IR_OF_CARRIED | KT_IR_OF_OTHERS)) == 0 && (needs & (KT_IR_OF_X | KT_IR_OF_Y)) != (KT_IR_OF_X | KT_IR_OF_Y);
}

/* A number that was loaded, maybe as one of another type, or as an element of a vector. */
static bool is_number_loaded(const struct kt_ir_value *v)
{
	if (!kt_ir_is_number(v->type))
		return false;
	while (v->op == KT_IR_CONVERT || v->op == KT_IR_EXTRACT || (v->op == KT_IR_INTRINSIC && v->count == 1))
		v = v->arguments[0];
	return v->op == KT_IR_READ;
}

static const struct kt_ir_value *add(struct kt_ir_product *p, const struct kt_ir_value *v)
{
	struct kt_ir_product_leaf *leaf = p->leaves;

	while (leaf < p->leaves + p->leaf_count && !kt_ir_same(leaf->value, v))
		leaf++;
	if (leaf == p->leaves + KT_IR_PRODUCT_MOST_LEAVES)
		return NULL;
	if (leaf == p->leaves + p->leaf_count) {
		p->leaf_count++;
		*leaf = (struct kt_ir_product_leaf){.value = v, .symbol = kt_ir_symbol(p->module, KT_IR_TEMPORARY, v->type, "part")};
		leaf->dimension = (kt_ir_product_needs_of(p, v) & KT_IR_OF_X) != 0 ? 0 : 1;
	}
	return kt_ir_read(p->module, leaf->symbol);
}

/* The value with leaves in place of what is loaded; what else it reads is needed. NULL: too many leaves. */
static const struct kt_ir_value *replaced(struct kt_ir_product_slice *slice, struct kt_ir_product *p, const struct kt_ir_value *v)
{
	struct kt_ir_value *copy;

	if (is_number_loaded(v) && is_of_one(kt_ir_product_needs_of(p, v)))
		return add(p, v);
	if (v->op == KT_IR_READ && v->symbol->id < p->needs_count)
		slice->is_needed[v->symbol->id] = true;
	if (v->count == 0)
		return v;
	NEED(copy = kt_arena_alloc(p->module->arena, sizeof *copy), NULL);
	*copy = *v;
	NEED(copy->arguments = kt_arena_array(p->module->arena, v->count, sizeof *copy->arguments), NULL);
	for (size_t i = 0; i < v->count; i++)
		NEED(copy->arguments[i] = replaced(slice, p, v->arguments[i]), NULL);
	return copy;
}

static bool has_needed(struct kt_ir_statement *s, void *context)
{
	const struct kt_ir_product_slice *slice = context;

	return s->symbol == NULL || s->symbol->id >= slice->product->needs_count || !slice->is_needed[s->symbol->id];
}

static bool replace_in(struct kt_ir_product_slice *slice, struct kt_ir_product *p, struct kt_ir_statement *first,
		       const struct kt_ir_statement *end)
{
	for (struct kt_ir_statement *s = first; s != end; s = s->next) {
		const struct kt_ir_value *value;

		if (kt_ir_visit_alone(s, has_needed, slice))
			continue;
		if (s->kind == KT_IR_S_LOAD)
			return stop(p, "an iteration loads what depends on both indices");
		value = s->value == NULL ? NULL : replaced(slice, p, s->value);
		if (s->value != NULL && value == NULL)
			return stop(p, "an iteration loads too much");
		s->value = value;
		if (!replace_in(slice, p, s->body.first, NULL) || !replace_in(slice, p, s->otherwise.first, NULL))
			return false;
	}
	return true;
}

/* Until nothing more is needed. */
static bool replace_all(struct kt_ir_product *p, struct kt_ir_product_slice *slice)
{
	size_t before;

	do {
		before = kt_ir_product_slice_count(slice);
		for (size_t i = 0; i < p->body_count; i++)
			if (!replace_in(slice, p, p->body[i].first, p->body[i].end))
				return false;
	} while (kt_ir_product_slice_count(slice) != before);
	return true;
}

/* ---- In which order memory has them ---- */

struct order {
	const struct kt_ir_product *product;
	const struct kt_ir_product_slice *slice;
	bool is_along;
};

static int64_t step_of(const struct kt_ir_statement *loop)
{
	int64_t step = 0;

	(void)kt_ir_is_constant(loop->further[1], &step);
	return step;
}

/* Does the index grow by one from an iteration to the next one? */
static bool follows_loop(struct kt_ir_statement *s, void *context)
{
	struct order *o = context;
	const struct kt_ir_product *p = o->product;
	const struct kt_ir_statement *loop = p->inner != NULL ? p->inner : p->loop;
	const struct kt_ir_value *counter = kt_ir_read(p->module, loop->symbol);
	const struct kt_ir_term *term;
	struct kt_ir_form form;

	if (s->kind != KT_IR_S_LOAD || !o->slice->is_needed[s->symbol->id] || s->place->count == 0 ||
	    s->place->steps[0].kind != KT_IR_INDEX)
		return true;
	if (counter != NULL && kt_ir_form_of(&form, &p->lets, s->place->steps[0].index, true) &&
	    kt_ir_form_degree(&form, counter, &term) == 1 && term->count == 1)
		o->is_along |= term->factor * step_of(loop) == 1;
	return true;
}

static bool find_order(struct kt_ir_product *p, struct kt_ir_product_leaf *leaf)
{
	struct kt_ir_product_slice slice;
	struct order o = {p, &slice, false};

	if (!kt_ir_product_slice_of(&slice, p, KT_IR_PART_BEFORE | KT_IR_PART_BODY))
		return false;
	kt_ir_product_slice_add(&slice, leaf->value);
	kt_ir_product_slice_close(&slice);
	for (size_t i = 0; i < p->body_count; i++)
		for (const struct kt_ir_statement *s = p->body[i].first; s != p->body[i].end; s = s->next)
			(void)kt_ir_visit_alone(s, follows_loop, &o);
	leaf->is_along_loop = o.is_along;
	kt_ir_product_limits(p, &slice, leaf->dimension);
	return true;
}

/* Is there something to share: along x, and along y? */
static bool has_both(const struct kt_ir_product *p)
{
	unsigned all = 0;

	for (size_t i = 0; i < p->leaf_count; i++)
		all |= kt_ir_product_needs_of(p, p->leaves[i].value);
	return (all & KT_IR_OF_X) != 0 && (all & KT_IR_OF_Y) != 0;
}

bool kt_ir_product_leaves(struct kt_ir_product *p)
{
	struct kt_ir_product_slice slice;

	if (!kt_ir_product_slice_of(&slice, p, KT_IR_PART_BODY))
		return stop(p, "out of memory");
	for (size_t i = 0; i < p->carried_count; i++)
		slice.is_needed[p->carried[i]->id] = true;
	if (!replace_all(p, &slice))
		return false;
	if (!has_both(p))
		return stop(p, "iterations do not combine what depends on one index with what depends on the other one");
	slice.parts = KT_IR_PART_BEFORE;
	kt_ir_product_slice_close(&slice);
	if (slice.has_load)
		return stop(p, "iterations use what was loaded for both indices before the loop");
	for (size_t i = 0; i < p->leaf_count; i++)
		if (!find_order(p, &p->leaves[i]))
			return stop(p, "out of memory");
	return !p->module->failed;
}
