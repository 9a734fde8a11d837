/* Which statements a value of a product needs, and copies of them for another work item and iteration. */
#include "generation/ir/bounds.h"
#include "generation/ir/product.h"

#include "generation/ir/walk.h"

bool kt_ir_product_slice_of(struct kt_ir_product_slice *slice, const struct kt_ir_product *p, unsigned parts)
{
	*slice = (struct kt_ir_product_slice){.product = p, .parts = parts};
	slice->is_needed = kt_arena_array(p->module->arena, p->needs_count + 1, sizeof *slice->is_needed);
	return slice->is_needed != NULL;
}

static bool need_node(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_product_slice *slice = context;

	if (v->op == KT_IR_READ && v->symbol->id < slice->product->needs_count)
		slice->is_needed[v->symbol->id] = true;
	return true;
}

void kt_ir_product_slice_add(struct kt_ir_product_slice *slice, const struct kt_ir_value *value)
{
	(void)kt_ir_visit_value(value, need_node, slice);
}

static bool need_values(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_product_slice *slice = context;

	if (s->kind == KT_IR_S_SET && s->symbol->id < slice->product->needs_count)
		slice->is_needed[s->symbol->id] = true;
	return kt_ir_visit_values(s, need_node, context);
}

void kt_ir_product_slice_add_all(struct kt_ir_product_slice *slice, const struct kt_ir_span *span)
{
	for (const struct kt_ir_statement *s = span->first; s != span->end; s = s->next)
		(void)kt_ir_visit_alone(s, need_values, slice);
}

/* Does the slice have the statement? What is carried begins before the loop, in slices of that alone. */
static bool has(const struct kt_ir_product_slice *slice, const struct kt_ir_statement *s, unsigned part)
{
	const struct kt_ir_symbol *symbol = s->symbol;

	if (symbol == NULL || symbol->id >= slice->product->needs_count || !slice->is_needed[symbol->id])
		return false;
	return part != KT_IR_PART_BEFORE || (slice->product->needs[symbol->id] & KT_IR_OF_CARRIED) == 0 ||
	       (slice->parts & KT_IR_PART_CARRIED) != 0 || (s->kind != KT_IR_S_SET && s->kind != KT_IR_S_DECLARE);
}

/* What the statements of the list that are needed need. True: there is one. */
static bool need_list(struct kt_ir_product_slice *slice, const struct kt_ir_statement *first, const struct kt_ir_statement *end,
		      unsigned part)
{
	bool found = false;

	for (const struct kt_ir_statement *s = first; s != end; s = s->next) {
		if (s->kind == KT_IR_S_IF) {
			bool inside = need_list(slice, s->body.first, NULL, part);

			inside |= need_list(slice, s->otherwise.first, NULL, part);
			if (inside)
				kt_ir_product_slice_add(slice, s->value);
			found |= inside;
		} else if (has(slice, s, part)) {
			found = true;
			slice->has_load |= s->kind == KT_IR_S_LOAD;
			(void)kt_ir_visit_values(s, need_node, slice);
		}
	}
	return found;
}

size_t kt_ir_product_slice_count(const struct kt_ir_product_slice *slice)
{
	size_t count = 0;

	for (size_t i = 0; i < slice->product->needs_count; i++)
		count += slice->is_needed[i];
	return count;
}

void kt_ir_product_slice_close(struct kt_ir_product_slice *slice)
{
	const struct kt_ir_product *p = slice->product;
	size_t before;

	do {
		before = kt_ir_product_slice_count(slice);
		for (size_t i = 0; (slice->parts & KT_IR_PART_BODY) != 0 && i < p->body_count; i++)
			(void)need_list(slice, p->body[i].first, p->body[i].end, KT_IR_PART_BODY);
		for (size_t i = 0; (slice->parts & KT_IR_PART_BEFORE) != 0 && i < p->before_count; i++)
			(void)need_list(slice, p->before[i].first, p->before[i].end, KT_IR_PART_BEFORE);
	} while (kt_ir_product_slice_count(slice) != before);
}

/* ---- Copies ---- */

struct moving {
	struct kt_ir_module *module;
	const struct kt_ir_product_at *at;
};

static const struct kt_ir_value *moved(const struct kt_ir_value *v, void *context)
{
	const struct moving *w = context;
	unsigned d;

	if (!kt_ir_is_global(v, &d) || d > 1 || w->at->index[d] == NULL)
		return v;
	return kt_ir_convert(w->module, w->at->index[d], v->type, KT_IR_AS_VALUE);
}

bool kt_ir_product_cloner(struct kt_ir_cloner *c, const struct kt_ir_product *p, const struct kt_ir_product_at *at)
{
	struct moving *w = kt_arena_alloc(p->module->arena, sizeof *w);

	if (w == NULL)
		return kt_ir_fail(p->module, "out of memory") != NULL;
	*w = (struct moving){p->module, at};
	if (!kt_ir_cloner_start(c, p->module, moved, w))
		return false;
	c->values[p->loop->symbol->id] = at->iteration;
	if (p->inner != NULL)
		c->values[p->inner->symbol->id] = at->inner;
	return true;
}

static bool is_needed_in(const struct kt_ir_product_slice *slice, const struct kt_ir_statement *s, unsigned part)
{
	const struct kt_ir_region *regions[] = {&s->body, &s->otherwise};

	if (s->kind != KT_IR_S_IF)
		return has(slice, s, part);
	for (size_t i = 0; i < 2; i++)
		for (const struct kt_ir_statement *t = regions[i]->first; t != NULL; t = t->next)
			if (is_needed_in(slice, t, part))
				return true;
	return false;
}

bool kt_ir_product_slice_has(const struct kt_ir_product_slice *slice, const struct kt_ir_statement *branch)
{
	return branch->kind == KT_IR_S_IF && is_needed_in(slice, branch, KT_IR_PART_BODY);
}

/* All limits of a branch are computed before it, so that it is one branch of a load, which a compiler makes no jump. */
static const struct kt_ir_value *condition(const struct kt_ir_product_slice *slice, struct kt_ir_cloner *c, struct kt_ir_region *to,
					   const struct kt_ir_statement *s)
{
	const struct kt_ir_value *all = NULL;
	struct kt_ir_conjuncts parts;

	if (!kt_ir_product_is_branch(slice->product, s))
		return kt_ir_clone_value(c, s->value);
	kt_ir_conjuncts_of(&parts, &slice->product->lets, s->value);
	for (size_t i = 0; i < parts.count && !c->module->failed; i++) {
		const struct kt_ir_value *one =
		    kt_ir_read(c->module, kt_ir_let(c->module, to, "within", kt_ir_clone_value(c, parts.list[i])));

		all = all == NULL ? one : kt_ir_apply(c->module, KT_IR_BOTH, all, one, NULL);
	}
	return all;
}

static void emit_list(struct kt_ir_product_slice *slice, struct kt_ir_cloner *c, struct kt_ir_region *to,
		      const struct kt_ir_statement *first, const struct kt_ir_statement *end, unsigned part)
{
	for (const struct kt_ir_statement *s = first; s != end && !c->module->failed; s = s->next) {
		struct kt_ir_statement *made;

		if (!is_needed_in(slice, s, part))
			continue;
		if (s->kind != KT_IR_S_IF) {
			(void)kt_ir_clone_statement(c, to, s);
			continue;
		}
		if (slice->is_inside && kt_ir_product_is_branch(slice->product, s)) {
			emit_list(slice, c, to, s->body.first, NULL, part);
			continue;
		}
		made = kt_ir_if(c->module, to, condition(slice, c, to, s));
		if (made == NULL)
			return;
		made->line = s->line;
		made->origin = s->origin;
		emit_list(slice, c, &made->body, s->body.first, NULL, part);
		emit_list(slice, c, &made->otherwise, s->otherwise.first, NULL, part);
	}
}

void kt_ir_product_emit(struct kt_ir_product_slice *slice, struct kt_ir_cloner *c, struct kt_ir_region *to, unsigned parts)
{
	const struct kt_ir_product *p = slice->product;

	for (size_t i = 0; (parts & KT_IR_PART_BEFORE) != 0 && i < p->before_count; i++)
		emit_list(slice, c, to, p->before[i].first, p->before[i].end, KT_IR_PART_BEFORE);
	for (size_t i = 0; (parts & KT_IR_PART_BODY) != 0 && i < p->body_count; i++)
		emit_list(slice, c, to, p->body[i].first, p->body[i].end, KT_IR_PART_BODY);
}

const struct kt_ir_value *kt_ir_product_value(const struct kt_ir_product *p, struct kt_ir_region *to,
					      const struct kt_ir_value *value, const struct kt_ir_product_at *at, bool is_inside)
{
	const unsigned parts = KT_IR_PART_BEFORE | (at->iteration != NULL ? (unsigned)KT_IR_PART_BODY : 0u);
	struct kt_ir_product_slice slice;
	struct kt_ir_cloner cloner;

	if (!kt_ir_product_slice_of(&slice, p, parts) || !kt_ir_product_cloner(&cloner, p, at))
		return NULL;
	slice.is_inside = is_inside;
	kt_ir_product_slice_add(&slice, value);
	kt_ir_product_slice_close(&slice);
	kt_ir_product_emit(&slice, &cloner, to, parts);
	return kt_ir_clone_value(&cloner, value);
}
