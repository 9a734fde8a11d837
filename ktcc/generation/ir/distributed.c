/* Distributed loops, and what keeps their iterations where they are. */
#include "generation/ir/distributed_parts.h"

#include <string.h>

#include "generation/ir/cooperate.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/symbolic.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"

enum { MOST_OFFSET = 65536 };

/* ---- Recognition ---- */

static bool is_axis(const struct kt_ir_value *v, enum kt_ir_axis axis)
{
	return v->op == KT_IR_AXIS && v->axis == axis && v->dimension == 0;
}

/* Is the term a product of these axes, of which the block's size may be its known number? No factor and no step is 0, which stands for none. */
static bool is_product(const struct kt_ir_term *t, bool has_grid, int64_t block)
{
	bool grid = false, size = false;

	for (unsigned i = 0; i < t->count; i++) {
		if (is_axis(t->atoms[i], KT_IR_GRID_DIM) && !grid)
			grid = true;
		else if (is_axis(t->atoms[i], KT_IR_BLOCK_DIM) && !size)
			size = true;
		else
			return false;
	}
	return grid == has_grid && t->factor == (size ? 1 : block);
}

static bool is_step(const struct kt_ir_value *step, const struct kt_ir_lets *lets, bool has_grid, int64_t block)
{
	struct kt_ir_form form;

	if (!kt_ir_form_of(&form, lets, step, true))
		return false;
	if (!has_grid && form.count == 0)
		return form.constant == block;
	return form.count == 1 && form.constant == 0 && is_product(&form.terms[0], has_grid, block);
}

enum kt_ir_over kt_ir_distributed_over(int64_t *offset, const struct kt_ir_statement *s, const struct kt_ir_lets *lets,
				       int64_t block)
{
	const struct kt_ir_value *atom;
	struct kt_ir_form low;
	unsigned d;

	if (s->kind != KT_IR_S_FOR || !kt_ir_form_of(&low, lets, s->value, true) || low.count != 1 ||
	    low.terms[0].factor != 1 || low.terms[0].count != 1 || low.constant < 0 || low.constant > MOST_OFFSET)
		return KT_IR_OVER_NOTHING;
	*offset = low.constant;
	atom = low.terms[0].atoms[0];
	if (is_axis(atom, KT_IR_THREAD))
		return is_step(s->further[1], lets, false, block) ? KT_IR_OVER_BLOCK : KT_IR_OVER_NOTHING;
	if (kt_ir_is_global(atom, &d) && d == 0)
		return is_step(s->further[1], lets, true, block) ? KT_IR_OVER_GRID : KT_IR_OVER_NOTHING;
	return KT_IR_OVER_NOTHING;
}

bool kt_ir_is_first_thread(const struct kt_ir_value *condition, const struct kt_ir_lets *lets)
{
	const struct kt_ir_value *v = kt_ir_behind_let(lets, condition);
	int64_t number;

	if (v->op != KT_IR_EQ || !kt_ir_is_constant(v->arguments[1], &number) || number != 0)
		return false;
	for (v = kt_ir_behind_let(lets, v->arguments[0]); v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE;
	     v = kt_ir_behind_let(lets, v->arguments[0]))
		if (v->type->bits < 32)
			return false;
	return is_axis(v, KT_IR_THREAD);
}

/* ---- The parts of a kernel ---- */

bool kt_ir_part_stop(struct kt_ir_parts *p, const struct kt_ir_statement *s, const char *why)
{
	if (p->why == NULL) {
		p->why = why;
		p->line = s->line;
	}
	return false;
}

static bool add_access(struct kt_ir_parts *p, const struct kt_ir_statement *s, const struct kt_ir_statement *loop, bool is_first)
{
	const struct kt_ir_symbol *root = kt_ir_root_of(s->place);
	const bool writes = s->kind != KT_IR_S_LOAD;

	if (root != NULL && (root->kind == KT_IR_LOCAL_SYMBOL || root->kind == KT_IR_TEMPORARY))
		return !writes || loop == NULL || kt_ir_defines(&loop->body, root) ||
		       kt_ir_part_stop(p, s, "an iteration writes to an array that others see");
	if (s->place->symbol != NULL && s->place->symbol->kind == KT_IR_ARGUMENT)
		return true;
	if (s->kind == KT_IR_S_ATOMIC && s->symbol != NULL && kt_ir_count_reads(&p->kernel->body, s->symbol) > 0)
		return kt_ir_part_stop(p, s, "what an atomic returns depends on the order of iterations");
	/* Of a block alone: which threads are in it may change. */
	if (s->kind == KT_IR_S_ATOMIC && s->scope != KT_IR_GRID && s->scope != KT_IR_SYSTEM)
		return kt_ir_part_stop(p, s, "an atomic is one of the block alone");
	if (p->count == KT_IR_MOST_ACCESSES)
		return kt_ir_part_stop(p, s, "the kernel accesses memory at too many places");
	p->accesses[p->count++] = (struct kt_ir_part_access){s, loop, writes, is_first};
	return true;
}

static bool in_region(struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *loop, bool repeats,
		      const struct kt_ir_region *around);

static bool inside(struct kt_ir_parts *p, const struct kt_ir_statement *s, const struct kt_ir_statement *loop, bool repeats,
		   const struct kt_ir_region *around)
{
	struct kt_ir_region *inner;

	repeats |= s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP;
	for (size_t i = 0; (inner = kt_ir_region_of((struct kt_ir_statement *)(uintptr_t)s, i)) != NULL; i++)
		if (!in_region(p, inner, loop, repeats, loop == NULL ? inner : around))
			return false;
	return true;
}

/* A distributed loop. */
static bool distributed(struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *s,
			enum kt_ir_over over)
{
	const struct kt_ir_statement **slot;

	if (p->d->over != KT_IR_OVER_NOTHING && p->d->over != over)
		return kt_ir_part_stop(p, s, "loops are distributed over the block and over the grid");
	p->d->over = over;
	NEED(slot = kt_arena_push(p->offer->arena, &p->d->loops, &p->d->count, sizeof *slot),
	     kt_ir_part_stop(p, s, "out of memory"));
	*slot = s;
	p->varies[s->symbol->id] = true;
	return in_region(p, &s->body, s, true, region);
}

struct found_total {
	const struct kt_ir_symbol *symbol;
	const struct kt_ir_statement *total;
};

static bool is_other_total(struct kt_ir_statement *s, void *context)
{
	struct found_total *f = context;

	if (!kt_ir_is_total(s) || s->symbol != f->symbol)
		return true;
	f->total = s;
	return false;
}

/* The total that the first thread's atomic adds. */
static const struct kt_ir_symbol *added(const struct kt_ir_parts *p, const struct kt_ir_statement *atomic)
{
	return kt_ir_behind_let(p->lets, atomic->value)->symbol;
}

static bool is_sum_of_block(const struct kt_ir_parts *p, const struct kt_ir_statement *atomic)
{
	struct found_total found = {NULL, NULL};

	if (atomic->kind != KT_IR_S_ATOMIC || (atomic->symbol != NULL && kt_ir_count_reads(&p->kernel->body, atomic->symbol) > 0))
		return false;
	/* Of what is no read it is none, and no total has that. */
	found.symbol = added(p, atomic);
	(void)kt_ir_visit(&p->kernel->body, is_other_total, &found);
	return found.total != NULL && (found.total->number == KT_IR_TOTAL_ADD ? atomic->number == KT_IR_A_ADD
				       : found.total->number == KT_IR_TOTAL_MAX ? atomic->number == KT_IR_A_MAX
				       : found.total->number == KT_IR_TOTAL_MIN && atomic->number == KT_IR_A_MIN);
}

/*
 * What the first thread of each block does. Where loops are distributed over the grid, how many blocks there are may
 * change: then it only adds what its block has.
 */
static bool of_first_thread(struct kt_ir_parts *p, const struct kt_ir_statement *s)
{
	for (const struct kt_ir_statement *i = s->body.first; i != NULL; i = i->next) {
		const bool is_access = i->kind == KT_IR_S_STORE || i->kind == KT_IR_S_ATOMIC || i->kind == KT_IR_S_LOAD;

		if (p->d->over == KT_IR_OVER_GRID && is_sum_of_block(p, i))
			p->sums[added(p, i)->id]++;
		else if (p->d->over != KT_IR_OVER_BLOCK && i->kind != KT_IR_S_LET)
			return kt_ir_part_stop(p, i, "what the first thread of a block does depends on how many blocks there are");
		if (!is_access && i->kind != KT_IR_S_LET && i->kind != KT_IR_S_DECLARE && i->kind != KT_IR_S_SET)
			return kt_ir_part_stop(p, i, "the first thread of a block does more than access memory");
		if (i->kind == KT_IR_S_SET && !kt_ir_defines(&s->body, i->symbol))
			return kt_ir_part_stop(p, i, "a value of the first thread is used elsewhere");
		if (is_access && !add_access(p, i, NULL, true))
			return false;
	}
	return true;
}

static bool statement(struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *s,
		      const struct kt_ir_statement *loop, bool repeats, const struct kt_ir_region *around)
{
	enum kt_ir_over over;
	int64_t offset;

	if (s->symbol != NULL && s->kind != KT_IR_S_SET)
		p->varies[s->symbol->id] |= repeats || s->kind == KT_IR_S_FOR;
	switch (s->kind) {
	case KT_IR_S_SET:
		p->varies[s->symbol->id] = true;
		return loop == NULL || kt_ir_defines(&loop->body, s->symbol) || kt_ir_is_reduced(p, around, loop, s->symbol) ||
		       kt_ir_is_chosen(p, around, loop, s->symbol) ||
		       kt_ir_part_stop(p, s, "a value goes from one iteration to the next one");
	case KT_IR_S_COLLECTIVE:
		return (loop == NULL && kt_ir_is_total(s) && (kt_ir_is_of_reduction(p, region, s) || kt_ir_is_of_choice(p, region, s))) ||
		       kt_ir_part_stop(p, s, "what threads exchange is no reduction of a distributed loop");
	case KT_IR_S_IF:
		if (loop == NULL && kt_ir_is_first_thread(s->value, p->lets) && s->otherwise.first == NULL)
			return of_first_thread(p, s);
		return inside(p, s, loop, repeats, around);
	case KT_IR_S_STORE:
		if (loop == NULL && (s->place->symbol == NULL || s->place->symbol->kind != KT_IR_LOCAL_SYMBOL))
			return kt_ir_part_stop(p, s, "memory changes outside of the distributed loops");
		return add_access(p, s, loop, false);
	case KT_IR_S_ATOMIC:
		if (loop == NULL && !kt_ir_is_of_reduction(p, region, s))
			return kt_ir_part_stop(p, s, "an atomic outside of the distributed loops counts threads");
		return add_access(p, s, loop, false);
	case KT_IR_S_LOAD:
		return add_access(p, s, loop, false);
	case KT_IR_S_OPAQUE:
		return loop != NULL || s->effects == KT_IR_TRAPS ||
		       kt_ir_part_stop(p, s, "each thread prints, whatever it has of the loops");
	case KT_IR_S_FOR:
		over = loop == NULL ? kt_ir_distributed_over(&offset, s, p->lets, p->block) : KT_IR_OVER_NOTHING;
		return over != KT_IR_OVER_NOTHING ? distributed(p, region, s, over) : inside(p, s, loop, repeats, around);
	default:
		return inside(p, s, loop, repeats, around);
	}
}

static bool in_region(struct kt_ir_parts *p, const struct kt_ir_region *region, const struct kt_ir_statement *loop, bool repeats,
		      const struct kt_ir_region *around)
{
	for (const struct kt_ir_statement *s = region->first; s != NULL; s = s->next)
		if (!statement(p, region, s, loop, repeats, around))
			return false;
	return true;
}

/* ---- Threads ---- */

static bool is_free(const struct kt_ir_value *v, void *context)
{
	const enum kt_ir_over *over = context;

	if (v->op != KT_IR_AXIS || v->dimension != 0)
		return true;
	return v->axis == KT_IR_WARP_SIZE || (*over == KT_IR_OVER_BLOCK && (v->axis == KT_IR_BLOCK || v->axis == KT_IR_GRID_DIM));
}

static void forget_threads(struct kt_ir_module *m, struct kt_ir_region *region, const struct kt_ir_lets *lets, int64_t block)
{
	struct kt_ir_region *inner;
	int64_t offset;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (kt_ir_distributed_over(&offset, s, lets, block) != KT_IR_OVER_NOTHING) {
			s->value = kt_ir_constant(m, s->symbol->type, 0);
			s->further[1] = kt_ir_constant(m, s->symbol->type, 1);
		}
		if (s->kind == KT_IR_S_IF && kt_ir_is_first_thread(s->value, lets))
			s->value = kt_ir_constant(m, s->value->type, 1);
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			forget_threads(m, inner, lets, block);
	}
}

/* Is the thread, in the dimension that is distributed, of no other use? */
static bool is_of_loops_alone(const struct kt_ir_module *module, struct kt_arena *arena, const struct kt_ir_parts *p)
{
	struct kt_ir_module *copy = kt_ir_copy(module, arena, true);
	struct kt_ir_lets lets;

	if (copy == NULL || !kt_ir_lets_of(&lets, arena, copy, copy->last_function))
		return false;
	forget_threads(copy, &copy->last_function->body, &lets, p->block);
	while (!copy->failed && kt_ir_normalise_by(copy, KT_IR_N_DEAD, NULL))
		continue;
	return !copy->failed && kt_ir_visit_all(&copy->last_function->body, is_free, &p->d->over);
}

/* Blocks with other iterations have other totals: only sums over all blocks are the same. */
static bool is_used_in_sums(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_parts *p = context;

	return !kt_ir_is_total(s) || kt_ir_count_reads(&p->kernel->body, s->symbol) == p->sums[s->symbol->id] ||
	       kt_ir_part_stop(p, s, "a total of the block is used where loops are distributed over the grid");
}

static bool is_none(struct kt_ir_statement *s, void *context)
{
	const struct kt_ir_parts *p = context;
	int64_t offset;

	return kt_ir_distributed_over(&offset, s, p->lets, p->block) == KT_IR_OVER_NOTHING;
}

const char *kt_ir_why_bound_to_threads(struct kt_ir_distribution *d, uint32_t *line, struct kt_ir_offer *offer,
				       const struct kt_ir_module *module, const struct kt_ir_lets *lets, const char *unless)
{
	const struct kt_ir_function *kernel = module->last_function;
	struct kt_ir_parts *p = kt_arena_alloc(offer->arena, sizeof *p);
	const char *why = kt_ir_why_dependent(kernel, line);

	if (why != NULL)
		return why;
	*d = (struct kt_ir_distribution){.over = KT_IR_OVER_NOTHING};
	*line = kernel->line;
	NEED(p, "out of memory");
	*p = (struct kt_ir_parts){.offer = offer, .kernel = kernel, .lets = lets, .d = d, .block = offer->facts->block[0]};
	p->varies = kt_arena_array(offer->arena, (size_t)module->next_id + 1, sizeof *p->varies);
	p->sums = kt_arena_array(offer->arena, (size_t)module->next_id + 1, sizeof *p->sums);
	if (p->varies == NULL || p->sums == NULL)
		return "out of memory";
	if (kt_ir_visit(&kernel->body, is_none, p))
		return "no loop is distributed over threads";
	if (in_region(p, &kernel->body, NULL, false, &kernel->body) && d->over == KT_IR_OVER_GRID)
		(void)kt_ir_visit(&kernel->body, is_used_in_sums, p);
	for (size_t a = 0; p->why == NULL && a < p->count; a++)
		for (size_t b = 0; p->why == NULL && b <= a; b++)
			(void)kt_ir_may_swap(p, &p->accesses[a], &p->accesses[b], unless);
	*line = p->why != NULL ? p->line : kernel->line;
	if (p->why == NULL && !is_of_loops_alone(module, offer->arena, p))
		return "threads differ by more than the iterations that they have";
	return p->why;
}
