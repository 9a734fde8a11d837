/* Uniformity by iteration from the most uniform on, and reductions. */
#include "generation/ir/uniform.h"

#include <string.h>

#include "generation/ir/effect.h"
#include "generation/ir/extreme.h"
#include "generation/ir/walk.h"

struct sharing {
	const struct kt_ir_uniformity *u;
	enum kt_ir_sharing found;
};

static bool look(const struct kt_ir_value *v, void *context)
{
	struct sharing *s = context;
	enum kt_ir_sharing own = KT_IR_SAME_IN_GRID;

	const bool is_thread = v->op == KT_IR_AXIS && (v->axis == KT_IR_THREAD || v->axis == KT_IR_LANE);

	if (is_thread)
		own = s->u->in_row && v->dimension != 0 ? KT_IR_SAME_IN_BLOCK : KT_IR_OF_THREAD;
	else if (v->op == KT_IR_AXIS && v->axis == KT_IR_BLOCK)
		own = KT_IR_SAME_IN_BLOCK;
	else if (v->op == KT_IR_READ)
		own = (enum kt_ir_sharing)s->u->of[v->symbol->id];
	else if (v->op == KT_IR_ADDRESS && v->place->symbol != NULL && v->place->symbol->kind == KT_IR_LOCAL_SYMBOL)
		own = KT_IR_OF_THREAD;
	s->found = own > s->found ? own : s->found;
	return true;
}

enum kt_ir_sharing kt_ir_sharing_of(const struct kt_ir_uniformity *u, const struct kt_ir_value *value)
{
	struct sharing s = {u, KT_IR_SAME_IN_GRID};

	(void)kt_ir_visit_value(value, look, &s);
	return s.found;
}

static enum kt_ir_sharing wider(enum kt_ir_sharing a, enum kt_ir_sharing b)
{
	return a > b ? a : b;
}

/* What all threads load from one address is one value, where nothing writes there. */
static enum kt_ir_sharing loaded(const struct kt_ir_uniformity *u, const struct kt_ir_statement *s)
{
	struct sharing at = {u, KT_IR_SAME_IN_GRID};

	if (s->hint.is_volatile || kt_ir_may_change(&u->kernel->body, s->place) ||
	    (s->place->symbol != NULL && s->place->symbol->kind != KT_IR_ARGUMENT &&
	     s->place->symbol->kind != KT_IR_CONSTANT_SYMBOL && s->place->symbol->kind != KT_IR_GLOBAL_SYMBOL))
		return KT_IR_OF_THREAD;
	(void)kt_ir_visit_place(s->place, look, &at);
	return at.found;
}

static bool is_no_jump(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_BREAK && s->kind != KT_IR_S_CONTINUE && s->kind != KT_IR_S_RETURN && s->kind != KT_IR_S_OPAQUE;
}

/* What decides how often a loop without a counter runs: each condition in it that leads to a jump. */
static bool worst_condition(struct kt_ir_statement *s, void *context)
{
	struct sharing *w = context;
	struct kt_ir_region *inner;

	if (s->kind != KT_IR_S_IF && s->kind != KT_IR_S_SWITCH)
		return true;
	for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
		if (!kt_ir_visit(inner, is_no_jump, NULL))
			w->found = wider(w->found, kt_ir_sharing_of(w->u, s->value));
	return true;
}

/* The group of threads that runs what is inside of the statement together. */
static enum kt_ir_sharing decided(const struct kt_ir_uniformity *u, const struct kt_ir_statement *s)
{
	struct sharing worst = {u, KT_IR_SAME_IN_GRID};

	switch (s->kind) {
	case KT_IR_S_IF:
	case KT_IR_S_SWITCH:
		return kt_ir_sharing_of(u, s->value);
	case KT_IR_S_FOR:
		return wider(kt_ir_sharing_of(u, s->value),
			     wider(kt_ir_sharing_of(u, s->further[0]), kt_ir_sharing_of(u, s->further[1])));
	default:
		(void)kt_ir_visit(&s->body, worst_condition, &worst);
		(void)kt_ir_visit(&s->otherwise, worst_condition, &worst);
		return worst.found;
	}
}

static bool raise(struct kt_ir_uniformity *u, const struct kt_ir_symbol *symbol, enum kt_ir_sharing to)
{
	if (symbol == NULL || u->of[symbol->id] >= to)
		return false;
	u->of[symbol->id] = (unsigned char)to;
	return true;
}

static bool region(struct kt_ir_uniformity *u, const struct kt_ir_region *r, enum kt_ir_sharing around)
{
	struct kt_ir_region *inner;
	bool changed = false;

	for (struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		switch (s->kind) {
		case KT_IR_S_LET:
			changed |= raise(u, s->symbol, kt_ir_sharing_of(u, s->value));
			break;
		case KT_IR_S_SET:
			/* Threads that do not come here keep another value. */
			changed |= raise(u, s->symbol, wider(around, kt_ir_sharing_of(u, s->value)));
			break;
		case KT_IR_S_LOAD:
			changed |= raise(u, s->symbol, loaded(u, s));
			break;
		case KT_IR_S_FOR:
			changed |= raise(u, s->symbol,
					 wider(kt_ir_sharing_of(u, s->value), kt_ir_sharing_of(u, s->further[1])));
			break;
		case KT_IR_S_DECLARE:
			break;
		case KT_IR_S_COLLECTIVE:
			changed |= raise(u, s->symbol, s->number >= KT_IR_TOTAL_ADD ? KT_IR_SAME_IN_BLOCK : KT_IR_OF_THREAD);
			break;
		default:
			changed |= raise(u, s->symbol, KT_IR_OF_THREAD);
			break;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (inner->first != NULL)
				changed |= region(u, inner, wider(around, decided(u, s)));
	}
	return changed;
}

static bool analyse(struct kt_ir_uniformity *u, struct kt_arena *arena, const struct kt_ir_module *module,
		    const struct kt_ir_function *kernel, bool in_row)
{
	*u = (struct kt_ir_uniformity){.kernel = kernel, .in_row = in_row, .count = module->next_id};
	u->of = kt_arena_array(arena, (size_t)module->next_id + 1, 1);
	if (u->of == NULL)
		return false;
	while (region(u, &kernel->body, KT_IR_SAME_IN_GRID))
		continue;
	return true;
}

/* ---- Barriers ---- */

enum { WARP = 32, WARP_BITS = 5 };

struct meeting {
	const struct kt_ir_uniformity *u;
	const struct kt_ir_lets *lets;
	bool has_warps; /* of consecutive thread.x */
};

static bool is_number(const struct kt_ir_value *v, int64_t wanted)
{
	int64_t number;

	return kt_ir_is_constant(v, &number) && number == wanted;
}

/* thread.x, maybe as a number of another type, in whole warps: divided by 32, or shifted. */
static bool is_warp(const struct meeting *m, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(m->lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32)
		v = kt_ir_behind_let(m->lets, v->arguments[0]);
	if (!(v->op == KT_IR_DIV && is_number(v->arguments[1], WARP)) &&
	    !(v->op == KT_IR_SHR && is_number(v->arguments[1], WARP_BITS)))
		return false;
	v = kt_ir_behind_let(m->lets, v->arguments[0]);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32)
		v = kt_ir_behind_let(m->lets, v->arguments[0]);
	return v->op == KT_IR_AXIS && v->axis == KT_IR_THREAD && v->dimension == 0;
}

/* Do all threads of a warp have this condition alike? */
static bool is_of_warp(const struct meeting *m, const struct kt_ir_value *v)
{
	int64_t number;

	v = kt_ir_behind_let(m->lets, v);
	if (kt_ir_sharing_of(m->u, v) != KT_IR_OF_THREAD)
		return true;
	if (!m->has_warps || v->count != 2)
		return false;
	if (v->op == KT_IR_BOTH || v->op == KT_IR_EITHER)
		return is_of_warp(m, v->arguments[0]) && is_of_warp(m, v->arguments[1]);
	if (v->op == KT_IR_LT && kt_ir_is_constant(v->arguments[1], &number) && number >= 0 && number % WARP == 0 &&
	    v->arguments[0]->op == KT_IR_AXIS && v->arguments[0]->axis == KT_IR_THREAD && v->arguments[0]->dimension == 0)
		return true;
	return v->op >= KT_IR_EQ && v->op <= KT_IR_GE && is_warp(m, v->arguments[0]) &&
	       kt_ir_sharing_of(m->u, v->arguments[1]) != KT_IR_OF_THREAD;
}

/* is_whole: all threads of a warp come here together, or none. */
static const struct kt_ir_statement *split_meeting(const struct meeting *m, const struct kt_ir_region *r,
						   enum kt_ir_sharing around, bool is_whole)
{
	const struct kt_ir_statement *found = NULL;
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = r->first; s != NULL && found == NULL; s = s->next) {
		const enum kt_ir_sharing within = wider(around, decided(m->u, s));
		const bool whole = is_whole && (decided(m->u, s) != KT_IR_OF_THREAD ||
						(s->kind == KT_IR_S_IF && is_of_warp(m, s->value)));

		if (s->kind == KT_IR_S_BARRIER && s->scope != KT_IR_WARP && around == KT_IR_OF_THREAD)
			return s;
		if (((s->kind == KT_IR_S_BARRIER && s->scope == KT_IR_WARP) || s->kind == KT_IR_S_COLLECTIVE) && !is_whole)
			return s;
		for (size_t i = 0; found == NULL && (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (inner->first != NULL)
				found = split_meeting(m, inner, within, whole);
	}
	return found;
}

const struct kt_ir_statement *kt_ir_split_barrier(const struct kt_ir_uniformity *u, const struct kt_ir_lets *lets,
						  const int64_t *block)
{
	const struct meeting m = {u, lets, block[1] == 1 && block[2] == 1};

	return split_meeting(&m, &u->kernel->body, KT_IR_SAME_IN_GRID, true);
}

bool kt_ir_uniformity_of(struct kt_ir_uniformity *u, struct kt_arena *arena, const struct kt_ir_module *module,
			 const struct kt_ir_function *kernel)
{
	return analyse(u, arena, module, kernel, false);
}

bool kt_ir_uniformity_of_rows(struct kt_ir_uniformity *u, struct kt_arena *arena, const struct kt_ir_module *module,
			      const struct kt_ir_function *kernel)
{
	return analyse(u, arena, module, kernel, true);
}

/* ---- Reductions ---- */

static bool is_extreme(const char *name)
{
	static const char *const names[] = {"min", "max", "fminf", "fmaxf", "fmin", "fmax"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool is_fma(const char *name)
{
	static const char *const names[] = {"fmaf", "fma", "__fmaf_rn", "__fma_rn"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

struct updates {
	const struct kt_ir_symbol *symbol;
	struct kt_ir_reduction found;
	bool fits;
};

static bool is_read(const struct kt_ir_value *v, const struct kt_ir_symbol *symbol)
{
	return v->op == KT_IR_READ && v->symbol == symbol;
}

/* v = v op e; reads: how often the update reads v. */
static bool operates(struct kt_ir_reduction *one, const struct kt_ir_value *v, const struct kt_ir_symbol *symbol)
{
	/* v = fma(a, b, v) adds a product. */
	*one = (struct kt_ir_reduction){.op = KT_IR_ADD, .reads = 1};
	if (v->op == KT_IR_INTRINSIC && is_fma(v->name))
		return is_read(v->arguments[2], symbol);
	/* v = v - e adds what is subtracted of neutral parts. */
	if (v->op == KT_IR_SUB)
		return is_read(v->arguments[0], symbol);
	*one = (struct kt_ir_reduction){.op = v->op, .function = v->name, .reads = 1};
	return v->count == 2 && (is_read(v->arguments[0], symbol) || is_read(v->arguments[1], symbol)) &&
	       (v->op == KT_IR_ADD || v->op == KT_IR_MUL || v->op == KT_IR_AND || v->op == KT_IR_OR || v->op == KT_IR_XOR ||
		(v->op == KT_IR_INTRINSIC && is_extreme(v->name)));
}

/* v = e > v ? e : v, which keeps v where e is no number. */
static bool chooses(struct kt_ir_reduction *one, const struct kt_ir_value *v, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_extreme extreme;

	if (!kt_ir_is_extreme(&extreme, v) ||
	    (v->type->kind == KT_IR_FLOAT ? !is_read(v->arguments[extreme.kept], symbol)
					  : !is_read(v->arguments[1], symbol) && !is_read(v->arguments[2], symbol)))
		return false;
	*one = (struct kt_ir_reduction){.op = KT_IR_INTRINSIC, .function = kt_ir_extreme_name(v->type, extreme.is_greatest),
					.reads = 2, .needs_number = v->type->kind == KT_IR_FLOAT};
	return one->function != NULL;
}

static bool update(struct kt_ir_statement *s, void *context)
{
	struct updates *u = context;
	struct kt_ir_reduction one;

	if (s->kind != KT_IR_S_SET || s->symbol != u->symbol)
		return true;
	u->fits = (operates(&one, s->value, u->symbol) || chooses(&one, s->value, u->symbol)) &&
		  (u->found.updates == 0 ||
		   (one.op == u->found.op && (one.op != KT_IR_INTRINSIC || strcmp(one.function, u->found.function) == 0)));
	one.reads += u->found.reads;
	one.updates = u->found.updates + 1;
	one.needs_number |= u->found.needs_number;
	u->found = one;
	return u->fits;
}

bool kt_ir_is_reduction(struct kt_ir_reduction *reduction, const struct kt_ir_statement *loop,
			const struct kt_ir_symbol *symbol)
{
	struct updates u = {.symbol = symbol, .fits = true};

	if (symbol->is_memory || kt_ir_defines(&loop->body, symbol))
		return false;
	(void)kt_ir_visit(&loop->body, update, &u);
	if (u.fits)
		(void)kt_ir_visit(&loop->otherwise, update, &u);
	/* Another read sees what the order of iterations makes of it. */
	if (!u.fits || u.found.updates == 0 ||
	    kt_ir_count_reads(&loop->body, symbol) + kt_ir_count_reads(&loop->otherwise, symbol) != u.found.reads)
		return false;
	*reduction = u.found;
	return true;
}
