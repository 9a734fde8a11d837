/*
 * Loops over chunks of a row: `for (k = 0; k < chunks; k++) { c = k * threads + thread; … c … }`, and `for (b = 0; b < n; b += threads) {
 * c = b + thread; … }`, are distributed loops, `for (c = thread; c < chunks * threads; c += threads)`, where they use their counter for c alone.
 */
#include "generation/ir/cooperate_parts.h"
#include "generation/ir/distributed.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct chunks {
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	int64_t block;
	const struct kt_ir_statement *loop;
	int64_t low, step;
	struct kt_ir_statement *index; /* the let of c; NULL: none so far */
	bool fits, changed;
	unsigned expanded;
};

static bool is_block_axis(const struct kt_ir_value *v, enum kt_ir_axis axis)
{
	return v->op == KT_IR_AXIS && v->axis == axis && v->dimension == 0;
}

static bool is_counter(const struct kt_ir_value *v, const struct chunks *c)
{
	return v->op == KT_IR_READ && v->symbol == c->loop->symbol;
}

/* Does the term count by the threads of a block where the counter does one step? */
static bool is_chunk(const struct kt_ir_term *t, const struct chunks *c)
{
	if (t->count == 1)
		return is_counter(t->atoms[0], c) && c->step <= c->block && t->factor * c->step == c->block;
	return t->count == 2 && t->factor == 1 && c->step == 1 &&
	       ((is_counter(t->atoms[0], c) && is_block_axis(t->atoms[1], KT_IR_BLOCK_DIM)) ||
		(is_counter(t->atoms[1], c) && is_block_axis(t->atoms[0], KT_IR_BLOCK_DIM)));
}

static bool is_thread(const struct kt_ir_term *t)
{
	return t->count == 1 && t->factor == 1 && is_block_axis(t->atoms[0], KT_IR_THREAD);
}

static bool is_index(const struct chunks *c, const struct kt_ir_value *v)
{
	struct kt_ir_form f;

	return v->type->kind == KT_IR_INTEGER && v->type->bits >= c->loop->symbol->type->bits && kt_ir_form_of(&f, c->lets, v, false) &&
	       f.constant == 0 && f.count == 2 &&
	       ((is_chunk(&f.terms[0], c) && is_thread(&f.terms[1])) || (is_chunk(&f.terms[1], c) && is_thread(&f.terms[0])));
}

struct reads {
	const struct chunks *chunks;
	bool found;
};

static bool is_other(const struct kt_ir_value *v, void *context)
{
	struct reads *r = context;

	r->found |= is_counter(v, r->chunks);
	return !r->found;
}

/* The counter is read by one let, which is c. */
static bool check(struct kt_ir_statement *s, void *context)
{
	struct chunks *c = context;
	struct reads r = {c, false};

	(void)kt_ir_visit_values(s, is_other, &r);
	if (!r.found)
		return true;
	c->fits = s->kind == KT_IR_S_LET && c->index == NULL && is_index(c, s->value);
	c->index = s;
	return c->fits;
}

/* The bound as it is in blocks of that size, whatever the size of the variant's. */
static const struct kt_ir_value *of_launch(const struct kt_ir_value *v, void *context)
{
	struct chunks *c = context;
	const struct kt_ir_value *behind = kt_ir_behind_let(c->lets, v);

	if (behind != v && c->expanded < KT_IR_MOST_EXPANDED) {
		c->expanded++;
		return kt_ir_rewrite(c->module, behind, of_launch, c);
	}
	return is_block_axis(v, KT_IR_BLOCK_DIM) ? kt_ir_constant(c->module, v->type, c->block) : v;
}

/* Past the last c: (low + chunks * step) * factor, of c's type. */
static const struct kt_ir_value *past(struct chunks *c, const struct kt_ir_type *type)
{
	struct kt_ir_module *m = c->module;
	const struct kt_ir_value *end = kt_ir_rewrite(m, c->loop->further[0], of_launch, c), *made;
	const bool is_signed = type->is_signed;

	end = end == NULL ? NULL : kt_ir_convert(m, end, type, KT_IR_AS_VALUE);

	if (c->step > 1) {
		made = kt_ir_apply(m, KT_IR_ADD, end, kt_ir_constant(m, type, c->step - 1 - c->low), NULL);
		made = is_signed ? kt_ir_no_wrap(m, made) : made;
		made = kt_ir_apply(m, KT_IR_DIV, made, kt_ir_constant(m, type, c->step), NULL);
		made = kt_ir_apply(m, KT_IR_MUL, made, kt_ir_constant(m, type, c->step), NULL);
		made = is_signed ? kt_ir_no_wrap(m, made) : made;
		end = kt_ir_apply(m, KT_IR_ADD, made, kt_ir_constant(m, type, c->low), NULL);
	}
	made = kt_ir_apply(m, KT_IR_MUL, end, kt_ir_constant(m, type, c->block / c->step), NULL);
	return kt_ir_fold_all(m, is_signed ? kt_ir_no_wrap(m, made) : made);
}

static void rewrite(struct chunks *c, struct kt_ir_statement *loop)
{
	struct kt_ir_module *m = c->module;
	const struct kt_ir_symbol *index = c->index->symbol;
	const struct kt_ir_value *high = past(c, index->type),
				 *first = kt_ir_convert(m, kt_ir_axis(m, KT_IR_THREAD, 0), index->type, KT_IR_AS_VALUE);
	struct kt_ir_symbol *counter = kt_ir_symbol(m, KT_IR_COUNTER, index->type, index->hint);

	if (counter == NULL || high == NULL)
		return;
	first = kt_ir_apply(m, KT_IR_ADD, first, kt_ir_constant(m, index->type, c->low * (c->block / c->step)), NULL);
	loop->symbol = counter;
	loop->value = kt_ir_fold_all(m, first);
	loop->further[0] = high;
	loop->further[1] = kt_ir_constant(m, index->type, c->block);
	c->index->value = kt_ir_read(m, counter);
	(void)kt_ir_substitute(m, &loop->body, index, kt_ir_read(m, counter));
	c->changed = true;
}

static bool find(struct kt_ir_statement *s, void *context)
{
	struct chunks *c = context;

	if (s->kind != KT_IR_S_FOR || kt_ir_exchanges(s) || !kt_ir_is_constant(s->value, &c->low) ||
	    !kt_ir_is_constant(s->further[1], &c->step) || c->low < 0 || c->low > c->block || c->step < 1)
		return true;
	c->loop = s;
	c->index = NULL;
	c->fits = true;
	if (kt_ir_visit(&s->body, check, c) && c->index != NULL)
		rewrite(c, s);
	return !c->module->failed;
}

bool kt_ir_join_chunks(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t block)
{
	struct kt_ir_lets lets;
	struct chunks c = {.module = module, .lets = &lets, .block = block};

	if (block <= 0)
		return true;
	if (!kt_ir_lets_of(&lets, module->arena, module, kernel))
		return false;
	(void)kt_ir_visit(&kernel->body, find, &c);
	while (c.changed && !module->failed && kt_ir_normalise_by(module, KT_IR_N_DEAD, NULL))
		continue;
	return !module->failed;
}
