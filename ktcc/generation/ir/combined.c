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

/* The place as it is at the end of the kernel; NULL: it may be another one for each thread, or where the atomic is. */
static const struct kt_ir_place *place_of(struct kt_ir_module *m, const struct kt_ir_lets *lets,
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

static bool has_operation(const struct kt_ir_statement *s)
{
	const struct kt_ir_type *type = s->value->type;

	switch (s->number) {
	case KT_IR_A_ADD:
		return (type->kind == KT_IR_INTEGER && type->bits >= 32) ||
		       (type->kind == KT_IR_FLOAT && (type->format == KT_IR_F32 || type->format == KT_IR_F64));
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
	place = place_of(m, lets, s);
	return place != NULL && kt_ir_same_place(place, g->place);
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

static const char *obstacle(const struct finding *f, const struct kt_ir_statement *s)
{
	const char *why = kt_ir_why_ordered(s);

	if (why != NULL)
		return why;
	if (s->kind == KT_IR_S_ATOMIC)
		return s->symbol != NULL && kt_ir_count_reads(&f->kernel->body, s->symbol) > 0
			   ? "what an atomic returns is used"
			   : NULL;
	return (kt_ir_statement_effects(s) & KT_IR_VOLATILE) != 0 && s->body.first == NULL ? "an access is volatile" : NULL;
}

static bool is_clear(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	const char *why = obstacle(f, s);

	return why == NULL || stop(&f->why, &f->line, s, why);
}

static bool is_thread(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_AXIS || (v->axis != KT_IR_THREAD && v->axis != KT_IR_LANE);
}

/* Does the condition single threads out, such as `threadIdx.x == 0`? */
static bool singles_out(const struct finding *f, const struct kt_ir_value *v)
{
	struct expansion e = {f->module, f->lets, KT_IR_MOST_EXPANDED};
	const struct kt_ir_value *all = kt_ir_rewrite(f->module, v, expanded, &e);

	if (all == NULL)
		return false;
	if (all->op == KT_IR_BOTH)
		return singles_out(f, all->arguments[0]) || singles_out(f, all->arguments[1]);
	return all->op == KT_IR_EQ && (all->arguments[0]->op == KT_IR_CONSTANT || all->arguments[1]->op == KT_IR_CONSTANT) &&
	       !kt_ir_visit_value(all, is_thread, NULL);
}

static void add(struct finding *f, const struct kt_ir_statement *s)
{
	const struct kt_ir_place *place = has_operation(s) && s->scope == KT_IR_GRID ? place_of(f->module, f->lets, s) : NULL;

	if (place == NULL) {
		(void)stop(&f->why, &f->line, s, "threads of a block add to other places, or by an operation that lanes cannot exchange");
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
			find(f, inner, is_single || (s->kind == KT_IR_S_IF && i == 0 && singles_out(f, s->value)));
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
