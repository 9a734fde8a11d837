/* Independent threads, and the bound of their indices. */
#include "generation/ir/independent.h"

#include <string.h>

#include "generation/ir/effect.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"
#include "generation/ir/warps.h"

struct reason {
	const char *text;
	uint32_t line;
	bool of_warps; /* lanes of a warp may exchange values */
};

static bool orders_launches(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_CALL && s->callee->effects == KT_IR_ORDERS_LAUNCHES;
}

const char *kt_ir_why_ordered(const struct kt_ir_statement *s)
{
	switch (s->kind) {
	case KT_IR_S_RETURN:
		return "a return is inside of a loop";
	case KT_IR_S_OPAQUE:
		return kt_ir_only_reports(s) ? NULL : "a statement is opaque";
	case KT_IR_S_CALL:
		/* Each thread that does the work of others calls it for them, too. */
		return orders_launches(s) ? NULL : "a statement is opaque";
	case KT_IR_S_FENCE:
		return "a fence orders accesses";
	case KT_IR_S_ATOMIC:
		return s->order != KT_IR_RELAXED ? "an atomic orders other accesses" : NULL;
	default:
		return NULL;
	}
}

static const char *exchange(const struct kt_ir_statement *s, bool of_warps)
{
	switch (s->kind) {
	case KT_IR_S_BARRIER:
		return of_warps && s->scope == KT_IR_WARP ? NULL : "threads synchronise";
	case KT_IR_S_FENCE:
		return "threads synchronise";
	case KT_IR_S_COLLECTIVE:
		return of_warps || s->number >= KT_IR_TOTAL_ADD ? NULL : "lanes of a warp exchange values";
	case KT_IR_S_DECLARE:
		return s->symbol->kind == KT_IR_SHARED_SYMBOL ? "the kernel has shared memory" : NULL;
	case KT_IR_S_STORE:
		if (s->place->symbol != NULL && s->place->symbol->kind == KT_IR_ARGUMENT)
			return "an argument is changed";
		/* fall through */
	case KT_IR_S_LOAD:
		return s->hint.is_volatile || (s->place->pointer != NULL && s->place->pointer->type->is_volatile)
			   ? "an access is volatile"
			   : NULL;
	default:
		return kt_ir_why_ordered(s);
	}
}

static bool is_alone(struct kt_ir_statement *s, void *context)
{
	struct reason *r = context;

	r->text = exchange(s, r->of_warps);
	r->line = s->line;
	return r->text == NULL;
}

static bool names_no_lane(const struct kt_ir_value *v, void *context)
{
	const struct reason *r = context;

	if (v->op == KT_IR_ADDRESS && v->place->symbol != NULL && v->place->symbol->kind == KT_IR_ARGUMENT)
		return false;
	return r->of_warps || v->op != KT_IR_AXIS || v->axis != KT_IR_LANE;
}

/* An atomic whose result may be what a loop waits for. */
static bool gives_nothing(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_ATOMIC || s->symbol == NULL;
}

/* A loop that ends when another thread writes: one without a counter that reads memory which may be written meanwhile.
 */
static bool waits_for_none(struct kt_ir_statement *s, void *context)
{
	struct reason *r = context;
	struct kt_ir_region *inner;

	r->line = s->line;
	for (size_t i = 0; s->kind == KT_IR_S_LOOP && (inner = kt_ir_region_of(s, i)) != NULL; i++)
		if (!kt_ir_visit(inner, gives_nothing, NULL))
			return false;
	return true;
}

static const char *why_dependent(const struct kt_ir_function *kernel, uint32_t *line, bool of_warps)
{
	struct reason r = {NULL, kernel->line, of_warps};

	if (!kt_ir_visit(&kernel->body, is_alone, &r)) {
		*line = r.line;
		return r.text;
	}
	*line = kernel->line;
	if (!kt_ir_visit_all(&kernel->body, names_no_lane, &r))
		return "the lane of a thread matters, or an argument has an address";
	if (!kt_ir_visit(&kernel->body, waits_for_none, &r)) {
		*line = r.line;
		return "a loop may wait for another thread";
	}
	return NULL;
}

const char *kt_ir_why_dependent(const struct kt_ir_function *kernel, uint32_t *line)
{
	return why_dependent(kernel, line, false);
}

const char *kt_ir_why_warps_depend(const struct kt_ir_function *kernel, uint32_t *line)
{
	return why_dependent(kernel, line, true);
}

static bool is_of_all_blocks(struct kt_ir_statement *s, void *context)
{
	uint32_t *line = context;

	*line = s->line;
	return s->kind != KT_IR_S_ATOMIC || s->scope == KT_IR_GRID || s->scope == KT_IR_SYSTEM;
}

const char *kt_ir_why_blocks_stay(const struct kt_ir_function *kernel, uint32_t *line)
{
	return kt_ir_visit(&kernel->body, is_of_all_blocks, line) ? NULL : "an atomic is one of the block alone";
}

/* ---- Indices ---- */

struct named {
	enum kt_ir_axis axis;
	unsigned dimension;
	bool found;
};

static bool names(const struct kt_ir_value *v, struct named *n)
{
	unsigned d;

	if (kt_ir_is_global(v, &d))
		return false;
	if (v->op == KT_IR_AXIS && v->axis == n->axis && v->dimension == n->dimension)
		return true;
	if (v->place != NULL && v->place->pointer != NULL && names(v->place->pointer, n))
		return true;
	for (size_t i = 0; v->place != NULL && i < v->place->count; i++)
		if (v->place->steps[i].index != NULL && names(v->place->steps[i].index, n))
			return true;
	for (size_t i = 0; i < v->count; i++)
		if (names(v->arguments[i], n))
			return true;
	return false;
}

static bool names_none(struct kt_ir_statement *s, void *context)
{
	struct named *n = context;

	n->found |= s->value != NULL && names(s->value, n);
	for (int i = 0; i < 3; i++)
		n->found |= s->further[i] != NULL && names(s->further[i], n);
	if (s->place != NULL && s->place->pointer != NULL)
		n->found |= names(s->place->pointer, n);
	for (size_t i = 0; s->place != NULL && i < s->place->count; i++)
		n->found |= s->place->steps[i].index != NULL && names(s->place->steps[i].index, n);
	return !n->found;
}

bool kt_ir_names_axis(const struct kt_ir_function *kernel, enum kt_ir_axis axis, unsigned dimension)
{
	struct named n = {axis, dimension, false};

	(void)kt_ir_visit(&kernel->body, names_none, &n);
	return n.found;
}

bool kt_ir_uses_global_alone(const struct kt_ir_function *kernel, unsigned dimension)
{
	return !kt_ir_names_axis(kernel, KT_IR_THREAD, dimension) &&
	       !kt_ir_names_axis(kernel, KT_IR_BLOCK, dimension) &&
	       !kt_ir_names_axis(kernel, KT_IR_BLOCK_DIM, dimension) &&
	       !kt_ir_names_axis(kernel, KT_IR_GRID_DIM, dimension);
}

static bool is_of_launch(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_lets *lets = context;

	v = kt_ir_behind_let(lets, v);
	if (v->op == KT_IR_READ)
		return v->symbol->kind == KT_IR_ARGUMENT && lets->sets[v->symbol->id] == 0;
	return v->op == KT_IR_CONSTANT || (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE) || v->op == KT_IR_ADD ||
	       v->op == KT_IR_SUB || v->op == KT_IR_MUL;
}

/* The bound that this condition implies; NULL: none. Neither indices, which are below 2^31, nor their sums with the constant wrap. */
static const struct kt_ir_value *bound_in(const struct kt_ir_lets *lets, const struct kt_ir_value *condition,
					  unsigned d)
{
	const struct kt_ir_value *bound;
	struct kt_ir_form form;
	unsigned found;

	condition = kt_ir_behind_let(lets, condition);
	if (condition->op == KT_IR_BOTH) {
		bound = bound_in(lets, condition->arguments[0], d);
		return bound != NULL ? bound : bound_in(lets, condition->arguments[1], d);
	}
	for (int side = 0; side < 2; side++) {
		if (condition->op != (side == 0 ? KT_IR_LT : KT_IR_GT))
			continue;
		bound = condition->arguments[1 - side];
		if (kt_ir_form_of(&form, lets, condition->arguments[side], true) && form.count == 1 &&
		    form.terms[0].factor == 1 && form.terms[0].count == 1 && form.constant >= 0 && form.constant <= INT32_MAX &&
		    kt_ir_is_global(form.terms[0].atoms[0], &found) && found == d &&
		    kt_ir_visit_value(kt_ir_behind_let(lets, bound), is_of_launch, (void *)(uintptr_t)lets))
			return bound;
	}
	return NULL;
}

const struct kt_ir_value *kt_ir_bound_of(const struct kt_ir_function *kernel, const struct kt_ir_lets *lets, unsigned d)
{
	const struct kt_ir_region *region = &kernel->body;
	const struct kt_ir_value *bound;

	while (region->last != NULL && region->last->kind == KT_IR_S_IF && region->last->otherwise.first == NULL) {
		for (const struct kt_ir_statement *s = region->first; s != region->last; s = s->next)
			if (s->kind != KT_IR_S_LET && s->kind != KT_IR_S_DECLARE && s->kind != KT_IR_S_SET && !orders_launches(s))
				return NULL;
		bound = bound_in(lets, region->last->value, d);
		if (bound != NULL)
			return bound;
		region = &region->last->body;
	}
	return NULL;
}

/* ---- The module and its buffers ---- */

struct kt_ir_module *kt_ir_offer_normal(struct kt_ir_offer *offer)
{
	struct kt_ir_module *module = NULL;

	if (offer->normal != NULL)
		module = kt_ir_copy(offer->normal, offer->arena, false);
	if (module == NULL)
		(void)kt_ir_refuses(offer, offer->kernel->line, "the kernel has no normal form");
	return module;
}

static size_t number_of(const struct kt_ir_function *kernel, const struct kt_ir_symbol *argument)
{
	size_t i = 0;

	while (i < kernel->argument_count && kernel->arguments[i] != argument)
		i++;
	return i;
}

bool kt_ir_keep_apart(struct kt_ir_offer *offer, const struct kt_ir_function *kernel, const struct kt_ir_symbol *a,
		      const struct kt_ir_symbol *b, const char *unless)
{
	const size_t i = number_of(kernel, a), k = number_of(kernel, b);
	const struct kt_ir_argument_facts *one, *two, *swap;

	if (offer->facts->arguments == NULL || i == kernel->argument_count || k == kernel->argument_count)
		return false;
	one = &offer->facts->arguments[i];
	two = &offer->facts->arguments[k];
	if (strcmp(one->name, two->name) > 0) {
		swap = one;
		one = two;
		two = swap;
	}
	if (one->count == NULL || two->count == NULL)
		return false;
	kt_ir_offer_guard(offer,
			  kt_ir_offer_text(offer, "%s%sdisjoint(%s, %s, %s, %s)", unless != NULL ? unless : "", unless != NULL ? " || " : "",
					   one->name, one->count, two->name, two->count),
			  "no iteration may see what another one writes");
	return true;
}

bool kt_ir_keep_all_apart(struct kt_ir_offer *offer, const struct kt_ir_function *kernel, const struct kt_ir_apart *apart,
			  const char *unless)
{
	for (size_t i = 0; i < apart->count; i++)
		if (!kt_ir_keep_apart(offer, kernel, apart->pairs[i][0], apart->pairs[i][1], unless))
			return false;
	return true;
}
