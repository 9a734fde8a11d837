/* Finding atomics that combine values in one place. */
#include "generation/ir/combined.h"

#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/walk.h"

static bool stop(const char **why, uint32_t *line, const struct kt_ir_statement *s, const char *text)
{
	if (*why == NULL) {
		*why = text;
		*line = s->line;
	}
	return false;
}

/* ---- Places ---- */

struct expansion {
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	unsigned room; /* lets that may still be expanded */
};

/* A chain of lets that use each other twice has 2^n of them: those after the first ones stay reads. */
static const struct kt_ir_value *expanded(const struct kt_ir_value *v, void *context)
{
	struct expansion *e = context;
	const struct kt_ir_value *behind = kt_ir_behind_let(e->lets, v);

	if (behind == v || e->room == 0)
		return v;
	e->room--;
	return kt_ir_rewrite(e->module, behind, expanded, e);
}

/* Is it made of what all threads of a block have alike, by operations that have a result for any operands? */
static bool is_of_block(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_lets *lets = context;

	switch (v->op) {
	case KT_IR_READ:
		return v->symbol->kind == KT_IR_ARGUMENT && lets->sets[v->symbol->id] == 0;
	case KT_IR_AXIS:
		return v->axis == KT_IR_BLOCK || v->axis == KT_IR_BLOCK_DIM || v->axis == KT_IR_GRID_DIM;
	case KT_IR_CONVERT:
		return v->mode == KT_IR_AS_VALUE;
	case KT_IR_CONSTANT:
	case KT_IR_ADD:
	case KT_IR_SUB:
	case KT_IR_MUL:
		return v->type->kind == KT_IR_INTEGER;
	default:
		return false;
	}
}

const struct kt_ir_place *kt_ir_place_of_block(struct kt_ir_module *m, const struct kt_ir_lets *lets,
					       const struct kt_ir_statement *s)
{
	struct expansion e = {m, lets, KT_IR_MOST_EXPANDED};
	const struct kt_ir_symbol *root = kt_ir_root_of(s->place);
	const struct kt_ir_place *place;

	if (root == NULL || (root->kind != KT_IR_ARGUMENT && root->kind != KT_IR_GLOBAL_SYMBOL) ||
	    (s->place->pointer != NULL && s->place->pointer->op != KT_IR_READ))
		return NULL;
	place = kt_ir_rewrite_place(m, s->place, expanded, &e);
	for (size_t i = 0; place != NULL && i < place->count; i++)
		if (place->steps[i].kind == KT_IR_SEEN_AS)
			return NULL;
	return place != NULL && kt_ir_visit_place(place, is_of_block, (void *)(uintptr_t)lets) ? place : NULL;
}

bool kt_ir_is_combinable(const struct kt_ir_statement *s)
{
	const struct kt_ir_type *type = s->value->type;

	if (s->scope != KT_IR_GRID)
		return false;
	switch (s->number) {
	case KT_IR_A_ADD:
		return (type->kind == KT_IR_INTEGER && type->bits >= 32) ||
		       (type->kind == KT_IR_FLOAT && (type->format == KT_IR_F32 || type->format == KT_IR_F64));
	case KT_IR_A_SUB:
	case KT_IR_A_MIN:
	case KT_IR_A_MAX:
	case KT_IR_A_AND:
	case KT_IR_A_OR:
	case KT_IR_A_XOR:
		return type->kind == KT_IR_INTEGER && type->bits >= 32;
	default:
		return false;
	}
}

bool kt_ir_is_combined(const struct kt_ir_combined *g, struct kt_ir_module *m, const struct kt_ir_lets *lets,
		       const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place;

	if (s->kind != KT_IR_S_ATOMIC || s->number != g->first->number)
		return false;
	place = kt_ir_place_of_block(m, lets, s);
	return place != NULL && kt_ir_same_place(place, g->place);
}

/* ---- Operations ---- */

const struct kt_ir_value *kt_ir_neutral(struct kt_ir_module *m, const struct kt_ir_statement *atomic)
{
	const struct kt_ir_type *type = atomic->value->type;
	const uint64_t sign = (uint64_t)1 << (type->bits - 1), all = type->bits == 64 ? ~(uint64_t)0 : (sign << 1) - 1;
	uint64_t bits = 0;

	switch (atomic->number) {
	case KT_IR_A_ADD:
		bits = type->kind == KT_IR_FLOAT ? sign : 0;
		break;
	case KT_IR_A_MIN:
		bits = type->is_signed ? all ^ sign : all;
		break;
	case KT_IR_A_MAX:
		bits = type->is_signed ? sign : 0;
		break;
	case KT_IR_A_AND:
		bits = all;
		break;
	default:
		break;
	}
	return kt_ir_bits(m, type, bits, 0);
}

const struct kt_ir_value *kt_ir_joined(struct kt_ir_module *m, const struct kt_ir_statement *atomic,
				       const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	/* What is subtracted adds up. */
	static const enum kt_ir_op ops[KT_IR_ATOMICS] = {
	    [KT_IR_A_ADD] = KT_IR_ADD, [KT_IR_A_SUB] = KT_IR_ADD, [KT_IR_A_MIN] = KT_IR_LT, [KT_IR_A_MAX] = KT_IR_GT,
	    [KT_IR_A_AND] = KT_IR_AND, [KT_IR_A_OR] = KT_IR_OR,   [KT_IR_A_XOR] = KT_IR_XOR};
	const enum kt_ir_op op = ops[atomic->number];
	const struct kt_ir_value *made = kt_ir_apply(m, op, a, b, NULL);

	return op == KT_IR_LT || op == KT_IR_GT ? kt_ir_apply(m, KT_IR_SELECT, made, a, b) : made;
}

const struct kt_ir_value *kt_ir_is_more(struct kt_ir_module *m, const struct kt_ir_statement *atomic,
					const struct kt_ir_value *v)
{
	const struct kt_ir_type *type = atomic->value->type;
	/* The toolkit has functions for the bits of a double as a signed number. */
	const struct kt_ir_type *word = kt_ir_integer(m, type->bits, type->bits == 64);

	return kt_ir_apply(m, KT_IR_NE, kt_ir_convert(m, v, word, KT_IR_AS_BITS),
			   kt_ir_convert(m, kt_ir_neutral(m, atomic), word, KT_IR_AS_BITS), NULL);
}

void kt_ir_atomic_like(struct kt_ir_module *m, struct kt_ir_region *to, const struct kt_ir_statement *atomic,
		       const struct kt_ir_place *place, const struct kt_ir_value *v)
{
	struct kt_ir_statement *s = kt_ir_append(m, to, KT_IR_S_ATOMIC);

	if (s == NULL)
		return;
	s->line = atomic->line;
	s->origin = atomic->origin;
	s->number = atomic->number;
	s->place = place;
	s->value = v;
	s->order = KT_IR_RELAXED;
	s->scope = KT_IR_GRID;
}

const struct kt_ir_value *kt_ir_linear(struct kt_ir_module *m, enum kt_ir_axis which, const int64_t *block)
{
	const unsigned last = block[2] != 1 ? 2 : block[1] != 1 ? 1 : 0;
	const struct kt_ir_value *at = kt_ir_axis(m, which, last);

	for (unsigned d = last; d-- > 0;) {
		at = kt_ir_apply(m, KT_IR_MUL, at, kt_ir_axis(m, KT_IR_BLOCK_DIM, d), NULL);
		if (which == KT_IR_THREAD)
			at = kt_ir_apply(m, KT_IR_ADD, at, kt_ir_axis(m, which, d), NULL);
	}
	return at;
}

/* ---- Who else sees the place ---- */

struct judged {
	struct kt_ir_offer *offer;
	const struct kt_ir_function *kernel;
	const struct kt_ir_lets *lets; /* NULL: other elements count, too */
	const struct kt_ir_statement *first;
	const struct kt_ir_place *place;
	const char *unless, *why;
	uint32_t line;
};

/* Two elements of one array, whose numbers differ by a constant. */
static bool are_others(const struct kt_ir_lets *lets, const struct kt_ir_place *a, const struct kt_ir_place *b)
{
	struct kt_ir_form x, y, difference;
	int64_t distance;

	return a->symbol == b->symbol && (a->symbol != NULL || kt_ir_same(a->pointer, b->pointer)) && a->count == 1 &&
	       b->count == 1 && a->steps[0].kind == KT_IR_INDEX && b->steps[0].kind == KT_IR_INDEX &&
	       kt_ir_form_of(&x, lets, a->steps[0].index, true) && kt_ir_form_of(&y, lets, b->steps[0].index, true) &&
	       kt_ir_form_minus(&difference, &x, &y) && kt_ir_form_is_constant(&difference, &distance) &&
	       distance != 0 && distance > INT32_MIN && distance < INT32_MAX;
}

/* May the atomics take place later than this access? */
static bool is_apart(struct kt_ir_statement *s, void *context)
{
	struct judged *j = context;
	const struct kt_ir_symbol *root = kt_ir_root_of(j->place), *other;

	if ((s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE && s->kind != KT_IR_S_ATOMIC) ||
	    !kt_ir_may_alias(j->place, s->place) || (j->lets != NULL && are_others(j->lets, j->place, s->place)))
		return true;
	if (kt_ir_commute(s, j->first))
		return true;
	other = kt_ir_root_of(s->place);
	if (other != NULL && other != root && kt_ir_keep_apart(j->offer, j->kernel, root, other, j->unless))
		return true;
	j->why = other == root ? "the place of the atomics is accessed otherwise"
			       : "buffers may overlap: their element counts are not known";
	j->line = s->line;
	return false;
}

const char *kt_ir_why_seen(uint32_t *line, struct kt_ir_offer *offer, const struct kt_ir_function *kernel,
			   const struct kt_ir_lets *lets, const struct kt_ir_statement *first,
			   const struct kt_ir_place *place, const char *unless)
{
	struct judged j = {
	    .offer = offer, .kernel = kernel, .lets = lets, .first = first, .place = place, .unless = unless};

	if (kt_ir_visit(&kernel->body, is_apart, &j))
		return NULL;
	*line = j.line;
	return j.why;
}

/* ---- The kernel ---- */

struct finding {
	struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const struct kt_ir_lets *lets;
	struct kt_ir_combination *c;
	const char *why;
	uint32_t line;
};

const char *kt_ir_why_now(const struct kt_ir_function *kernel, const struct kt_ir_statement *s)
{
	const char *why = kt_ir_why_ordered(s);

	if (why != NULL)
		return why;
	if (s->kind == KT_IR_S_ATOMIC)
		return s->symbol != NULL && kt_ir_count_reads(&kernel->body, s->symbol) > 0
			   ? "what an atomic returns is used"
			   : NULL;
	return (kt_ir_statement_effects(s) & KT_IR_VOLATILE) != 0 && s->body.first == NULL ? "an access is volatile"
											   : NULL;
}

static bool is_clear(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	const char *why = kt_ir_why_now(f->kernel, s);

	return why == NULL || stop(&f->why, &f->line, s, why);
}

static bool is_thread(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_AXIS || (v->axis != KT_IR_THREAD && v->axis != KT_IR_LANE);
}

bool kt_ir_singles_out(struct kt_ir_module *m, const struct kt_ir_lets *lets, const struct kt_ir_value *v)
{
	struct expansion e = {m, lets, KT_IR_MOST_EXPANDED};
	const struct kt_ir_value *all = kt_ir_rewrite(m, v, expanded, &e);

	if (all == NULL)
		return false;
	if (all->op == KT_IR_BOTH)
		return kt_ir_singles_out(m, lets, all->arguments[0]) || kt_ir_singles_out(m, lets, all->arguments[1]);
	return all->op == KT_IR_EQ &&
	       (all->arguments[0]->op == KT_IR_CONSTANT || all->arguments[1]->op == KT_IR_CONSTANT) &&
	       !kt_ir_visit_value(all, is_thread, NULL);
}

static void add(struct finding *f, const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place = kt_ir_is_combinable(s) ? kt_ir_place_of_block(f->module, f->lets, s) : NULL;

	if (place == NULL) {
		(void)stop(&f->why, &f->line, s,
			   "threads of a block add to other places, or by an operation that lanes cannot exchange");
		return;
	}
	for (size_t i = 0; i < f->c->count; i++)
		if (kt_ir_is_combined(&f->c->groups[i], f->module, f->lets, s))
			return;
	if (f->c->count < KT_IR_MOST_COMBINED)
		f->c->groups[f->c->count++] = (struct kt_ir_combined){s, place, s->value->type};
}

static void find(struct finding *f, const struct kt_ir_region *region, bool is_single)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (s->kind == KT_IR_S_ATOMIC && is_single)
			(void)stop(&f->why, &f->line, s, "one thread of a block or warp does it already");
		else if (s->kind == KT_IR_S_ATOMIC)
			add(f, s);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			find(f, inner,
			     is_single ||
				 (s->kind == KT_IR_S_IF && i == 0 && kt_ir_singles_out(f->module, f->lets, s->value)));
	}
}

const char *kt_ir_why_not_combined(struct kt_ir_combination *c, uint32_t *line, struct kt_ir_module *m,
				   const struct kt_ir_lets *lets)
{
	struct finding f = {.module = m, .kernel = m->last_function, .lets = lets, .c = c};

	c->count = 0;
	*line = m->last_function->line;
	if (kt_ir_visit(&f.kernel->body, is_clear, &f)) {
		find(&f, &f.kernel->body, false);
		if (c->count > 0)
			return NULL;
	}
	*line = f.why == NULL ? *line : f.line;
	return f.why == NULL ? "the kernel has no atomics" : f.why;
}
