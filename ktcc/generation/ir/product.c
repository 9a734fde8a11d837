/* Which kernels are products. */
#include "generation/ir/product.h"

#include "generation/ir/independent.h"
#include "generation/ir/walk.h"

/* Of counters in a constant loop, and from one iteration to the next one. */
enum { MOST_STEP = INT16_MAX };

static bool stop(struct kt_ir_product *p, uint32_t line, const char *why)
{
	p->why = why;
	p->line = line != 0 ? line : p->kernel->line;
	return false;
}

/* ---- What values depend on ---- */

static unsigned needs_of_axis(const struct kt_ir_value *v)
{
	return v->axis == KT_IR_LANE || v->axis == KT_IR_THREAD || (v->axis != KT_IR_WARP_SIZE && v->dimension < 2)
		   ? KT_IR_OF_OTHERS
		   : 0;
}

/* Where a place is; addresses of a thread's memory are not understood. */
static unsigned needs_of_address(const struct kt_ir_product *p, const struct kt_ir_place *place)
{
	unsigned needs = 0;

	if (place->symbol != NULL && place->symbol->kind != KT_IR_CONSTANT_SYMBOL && place->symbol->kind != KT_IR_GLOBAL_SYMBOL)
		return KT_IR_OF_OTHERS;
	if (place->pointer != NULL)
		needs |= kt_ir_product_needs_of(p, place->pointer);
	for (size_t i = 0; i < place->count; i++)
		if (place->steps[i].index != NULL)
			needs |= kt_ir_product_needs_of(p, place->steps[i].index);
	return needs;
}

unsigned kt_ir_product_needs_of(const struct kt_ir_product *p, const struct kt_ir_value *v)
{
	static const unsigned indices[] = {KT_IR_OF_X, KT_IR_OF_Y, 0};
	unsigned needs = 0, d;

	if (kt_ir_is_global(v, &d))
		return indices[d];
	if (v->op == KT_IR_READ)
		return v->symbol->id < p->needs_count ? p->needs[v->symbol->id] : 0;
	if (v->op == KT_IR_AXIS)
		return needs_of_axis(v);
	if (v->op == KT_IR_ADDRESS)
		return needs_of_address(p, v->place);
	for (size_t i = 0; i < v->count; i++)
		needs |= kt_ir_product_needs_of(p, v->arguments[i]);
	return needs;
}

static unsigned needs_of_place(const struct kt_ir_product *p, const struct kt_ir_place *place)
{
	return KT_IR_OF_MEMORY | needs_of_address(p, place);
}

static bool raise(struct kt_ir_product *p, const struct kt_ir_symbol *symbol, unsigned needs)
{
	const unsigned before = p->needs[symbol->id];

	p->needs[symbol->id] = (unsigned char)(before | needs);
	return (before | needs) != before;
}

static bool spread(struct kt_ir_product *p, const struct kt_ir_span *span, unsigned around)
{
	bool changed = false;

	for (struct kt_ir_statement *s = span->first; s != span->end; s = s->next) {
		if (s->kind == KT_IR_S_IF) {
			const unsigned within = around | kt_ir_product_needs_of(p, s->value);
			const struct kt_ir_span body = {s->body.first, NULL}, otherwise = {s->otherwise.first, NULL};

			changed |= spread(p, &body, within);
			changed |= spread(p, &otherwise, within);
		} else if (s->kind == KT_IR_S_LOAD) {
			changed |= raise(p, s->symbol, around | needs_of_place(p, s->place));
		} else if (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_SET) {
			changed |= raise(p, s->symbol, around | kt_ir_product_needs_of(p, s->value));
		}
	}
	return changed;
}

static void spread_all(struct kt_ir_product *p)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 0; i < p->before_count; i++)
			changed |= spread(p, &p->before[i], 0);
		for (size_t i = 0; i < p->body_count; i++)
			changed |= spread(p, &p->body[i], 0);
	}
}

/* ---- The loop ---- */

/* Statements that only compute and load. */
static bool computes(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_product *p = context;
	const bool is_local = s->kind != KT_IR_S_SET || s->symbol->kind == KT_IR_LOCAL_SYMBOL;

	if (is_local && (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_IF || s->kind == KT_IR_S_SET ||
			 s->kind == KT_IR_S_DECLARE))
		return true;
	return stop(p, s->line, "before its loop or in it, a thread does more than compute and load");
}

static bool all_compute(struct kt_ir_product *p, const struct kt_ir_span *span)
{
	for (const struct kt_ir_statement *s = span->first; s != span->end; s = s->next)
		if (!kt_ir_visit_alone(s, computes, p))
			return false;
	return true;
}

static struct kt_ir_statement *first_loop(const struct kt_ir_region *region)
{
	struct kt_ir_statement *s = region->first;

	while (s != NULL && s->kind != KT_IR_S_FOR)
		s = s->next;
	return s;
}

/* The way to the loop: branches around it, each the last statement of its list. */
static bool find_loop(struct kt_ir_product *p, const struct kt_ir_region *region)
{
	p->loop = first_loop(region);
	while (p->loop == NULL) {
		struct kt_ir_statement *branch = region->last;

		if (branch == NULL || branch->kind != KT_IR_S_IF || branch->otherwise.first != NULL)
			return stop(p, 0, "the kernel has no loop that all of its threads run");
		if (p->before_count == KT_IR_PRODUCT_MOST_SPANS - 1)
			return stop(p, branch->line, "the loop is in too many branches");
		p->before[p->before_count++] = (struct kt_ir_span){region->first, branch};
		region = &branch->body;
		p->loop = first_loop(region);
	}
	p->before[p->before_count++] = (struct kt_ir_span){region->first, p->loop};
	p->after = (struct kt_ir_span){p->loop->next, NULL};
	return true;
}

static bool counts(const struct kt_ir_statement *loop)
{
	int64_t step;

	return loop->symbol->type->bits <= 64 && kt_ir_is_constant(loop->further[1], &step) && step > 0 && step <= MOST_STEP;
}

/* Iterations of a loop whose bounds are constants; 0: they are not. */
static int64_t count_of(const struct kt_ir_statement *loop)
{
	int64_t low, high, step;

	if (!kt_ir_is_constant(loop->value, &low) || !kt_ir_is_constant(loop->further[0], &high) ||
	    !kt_ir_is_constant(loop->further[1], &step) || low < -MOST_STEP || high > MOST_STEP)
		return 0;
	return (high - low + step - 1) / step;
}

static bool find_inner(struct kt_ir_product *p)
{
	struct kt_ir_statement *inner = first_loop(&p->loop->body);

	p->inner_count = 1;
	p->body[p->body_count++] = (struct kt_ir_span){p->loop->body.first, inner};
	if (inner == NULL)
		return true;
	p->inner = inner;
	p->body[p->body_count++] = (struct kt_ir_span){inner->body.first, NULL};
	p->inner_count = counts(inner) ? count_of(inner) : 0;
	if (p->inner_count < 1 || p->inner_count > KT_IR_PRODUCT_MOST_INNER || inner->next != NULL)
		return stop(p, inner->line, "the loop in the loop has no constant number of iterations, or is not all of it");
	return true;
}

/* Bounds of the loop are the same for the whole block. */
static bool is_regular(struct kt_ir_product *p)
{
	const struct kt_ir_value *bounds[] = {p->loop->value, p->loop->further[0]};

	if (!counts(p->loop))
		return stop(p, p->loop->line, "the loop has no constant step");
	for (size_t i = 0; i < 2; i++)
		if (kt_ir_product_needs_of(p, bounds[i]) != 0)
			return stop(p, p->loop->line, "threads of a block may run the loop differently often");
	return true;
}

/* ---- What iterations carry ---- */

static bool defined_in(const struct kt_ir_span *span, const struct kt_ir_symbol *symbol)
{
	for (const struct kt_ir_statement *s = span->first; s != span->end; s = s->next) {
		struct kt_ir_statement copy = *s;
		const struct kt_ir_region alone = {&copy, &copy};

		copy.next = NULL;
		if (kt_ir_defines(&alone, symbol))
			return true;
	}
	return false;
}

static bool begins(const struct kt_ir_product *p, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < p->before_count; i++)
		for (const struct kt_ir_statement *s = p->before[i].first; s != p->before[i].end; s = s->next)
			if (s->kind == KT_IR_S_SET && s->symbol == symbol)
				return true;
	return false;
}

static bool carry(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_product *p = context;
	size_t i = 0;

	if (s->kind != KT_IR_S_SET || defined_in(&p->body[p->body_count - 1], s->symbol))
		return true;
	while (i < p->carried_count && p->carried[i] != s->symbol)
		i++;
	if (i < p->carried_count)
		return true;
	if (i == KT_IR_PRODUCT_MOST_CARRIED || !begins(p, s->symbol))
		return stop(p, s->line, "what iterations carry does not begin before the loop");
	p->carried[p->carried_count++] = s->symbol;
	(void)raise(p, s->symbol, KT_IR_OF_CARRIED);
	return true;
}

/* A statement of the loop around: what it sets is defined there, since several iterations of the inner loop run it again. */
static bool is_private(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_product *p = context;

	return s->kind != KT_IR_S_SET || defined_in(&p->body[0], s->symbol) ||
	       stop(p, s->line, "the loop around the product carries values");
}

static bool find_carried(struct kt_ir_product *p)
{
	for (const struct kt_ir_statement *s = p->body[0].first; p->inner != NULL && s != p->body[0].end; s = s->next)
		if (!kt_ir_visit_alone(s, is_private, p))
			return false;
	for (const struct kt_ir_statement *s = p->body[p->body_count - 1].first; s != NULL; s = s->next)
		if (!kt_ir_visit_alone(s, carry, p))
			return false;
	return true;
}

/* ---- All of it ---- */

struct rows {
	struct kt_ir_module *module;
	const int64_t *block;
};

/* The block's index is that of the thread, where a block has one thread along that dimension. */
static const struct kt_ir_value *with_thread(const struct kt_ir_value *v, void *context)
{
	const struct rows *rows = context;

	if (v->op != KT_IR_AXIS || v->axis != KT_IR_BLOCK || v->dimension > 1 || rows->block[v->dimension] != 1)
		return v;
	return kt_ir_global_index(rows->module, v->dimension, v->type);
}

static bool reads_its_axes(struct kt_ir_product *p)
{
	uint32_t line = p->kernel->line;
	const char *why = kt_ir_why_dependent(p->kernel, &line);

	if (why != NULL)
		return stop(p, line, why);
	if (p->kernel->cluster[0] != 0)
		return stop(p, 0, "the kernel has clusters");
	for (unsigned d = 0; d < 2; d++)
		if (!kt_ir_uses_global_alone(p->kernel, d))
			return stop(p, 0, "threads of a block differ by more than their global index");
	return true;
}

static bool find(struct kt_ir_product *p)
{
	if (!reads_its_axes(p) || !find_loop(p, &p->kernel->body) || !find_inner(p))
		return false;
	for (size_t i = 0; i < p->before_count; i++)
		if (!all_compute(p, &p->before[i]))
			return false;
	for (size_t i = 0; i < p->body_count; i++)
		if (!all_compute(p, &p->body[i]))
			return false;
	p->needs[p->loop->symbol->id] = KT_IR_OF_ITERATION;
	if (p->inner != NULL)
		p->needs[p->inner->symbol->id] = KT_IR_OF_ITERATION;
	if (!find_carried(p))
		return false;
	spread_all(p);
	if (!is_regular(p) || !kt_ir_product_note_way(p))
		return false;
	kt_ir_product_note_after(p);
	return kt_ir_product_leaves(p);
}

bool kt_ir_product_of(struct kt_ir_product *p, struct kt_arena *arena, struct kt_ir_module *module, const int64_t block[3])
{
	struct rows rows = {module, block};

	*p = (struct kt_ir_product){.module = module, .kernel = module->last_function};
	(void)kt_ir_rewrite_region(module, &p->kernel->body, with_thread, &rows);
	p->needs_count = module->next_id;
	p->needs = kt_arena_array(arena, p->needs_count + 1, 1);
	if (p->needs == NULL || !kt_ir_lets_of(&p->lets, arena, module, p->kernel))
		return stop(p, 0, "out of memory");
	return find(p);
}
