/*
 * What other kernels write around the loop of a product, as a product has it:
 *
 * - `for (i = index; i < n; i += threads)`, of a launch that has a thread for each i, is `if (index < n)`. A launch with fewer does
 *   not fulfil what is assumed then.
 * - sums that are kept in memory, `c[i] *= beta; for k { c[i] += … }`, are in a local: loaded first, and stored last. Other buffers that
 *   are loaded from meanwhile must not overlap.
 */
#include "generation/ir/product_results.h"

#include "generation/ir/form.h"
#include "generation/ir/walk.h"

struct preparing {
	struct kt_ir_module *module;
	struct kt_ir_product_view *view;
	struct kt_ir_lets lets;
	const int64_t *block;
};

/* ---- Loops that run once ---- */

static const struct kt_ir_value *bare(const struct preparing *p, const struct kt_ir_value *v)
{
	v = kt_ir_behind_let(&p->lets, v);
	while (v->op == KT_IR_CONVERT && v->mode == KT_IR_AS_VALUE && v->type->kind == KT_IR_INTEGER && v->type->bits >= 32 &&
	       v->arguments[0]->type->kind == KT_IR_INTEGER && v->arguments[0]->type->bits >= 32)
		v = kt_ir_behind_let(&p->lets, v->arguments[0]);
	return v;
}

/* Is the step the number of threads that the grid has along the dimension? */
static bool is_threads(const struct preparing *p, const struct kt_ir_value *step, unsigned d)
{
	const struct kt_ir_term *t;
	struct kt_ir_form form;
	int64_t size = 1;
	unsigned grids = 0;

	if (!kt_ir_form_of(&form, &p->lets, step, false) || form.count != 1 || form.constant != 0)
		return false;
	t = &form.terms[0];
	for (unsigned i = 0; i < t->count; i++) {
		const struct kt_ir_value *v = t->atoms[i];

		if (v->op != KT_IR_AXIS || v->dimension != d || (v->axis != KT_IR_GRID_DIM && v->axis != KT_IR_BLOCK_DIM))
			return false;
		grids += v->axis == KT_IR_GRID_DIM;
		size *= v->axis == KT_IR_BLOCK_DIM ? p->block[d] : 1;
	}
	return grids == 1 && t->factor > 0 && t->factor <= INT16_MAX && size * t->factor == p->block[d];
}

/* The argument whose number the value is, where it is none below zero; NULL: there is none. */
static const struct kt_ir_value *argument_of(const struct preparing *p, const struct kt_ir_value *value)
{
	const struct kt_ir_value *v = bare(p, value);

	return v->op == KT_IR_READ && v->symbol->kind == KT_IR_ARGUMENT && kt_ir_is_steady(&p->lets, v) && v->type->bits <= value->type->bits
		   ? v
		   : NULL;
}

static bool assume(const struct preparing *p, const struct kt_ir_value *least, const struct kt_ir_value *most)
{
	if (p->view->assumed_count == KT_IR_VIEW_MOST_ASSUMED)
		return false;
	p->view->assumed[p->view->assumed_count++] = kt_ir_apply(p->module, KT_IR_LE, least, most, NULL);
	return !p->module->failed;
}

/* Its threads are enough for all iterations. */
static bool assume_threads(const struct preparing *p, const struct kt_ir_value *end, unsigned d)
{
	struct kt_ir_module *m = p->module;
	const struct kt_ir_type *wide = kt_ir_integer(m, 64, true);
	const struct kt_ir_value *grid = kt_ir_convert(m, kt_ir_axis(m, KT_IR_GRID_DIM, d), wide, KT_IR_AS_VALUE),
				 *threads = kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_MUL, grid, kt_ir_constant(m, wide, p->block[d]), NULL)),
				 *number = kt_ir_convert(m, end, wide, KT_IR_AS_VALUE);

	return assume(p, number, threads) && assume(p, kt_ir_constant(m, wide, 0), number);
}

static void run_once(struct preparing *p, struct kt_ir_statement *s)
{
	const struct kt_ir_value *end = s->kind == KT_IR_S_FOR ? argument_of(p, s->further[0]) : NULL, *low;
	unsigned d;

	if (end == NULL || s->otherwise.first != NULL || kt_ir_leaves(&s->body) || kt_ir_jumps(&s->body, KT_IR_S_CONTINUE) ||
	    !kt_ir_is_global(bare(p, s->value), &d) || d > 1 || p->block[d] <= 0 || !is_threads(p, s->further[1], d) || !assume_threads(p, end, d))
		return;
	low = s->value;
	(void)kt_ir_substitute(p->module, &s->body, s->symbol, low);
	s->value = kt_ir_apply(p->module, KT_IR_LT, low, s->further[0], NULL);
	s->kind = KT_IR_S_IF;
	s->symbol = NULL;
	s->further[0] = s->further[1] = NULL;
}

static bool run_each_once(struct kt_ir_statement *s, void *context)
{
	run_once(context, s);
	return true;
}

/* ---- Sums in memory ---- */

/* Of a list: where the place is accessed. */
struct kept {
	struct preparing *p;
	const struct kt_ir_place *place;
	const struct kt_ir_statement *loop, *store; /* the loop is around the store to it */
	struct kt_ir_apart apart;
	bool is_stored; /* by a statement of the list itself */
};

static bool accesses(struct kt_ir_statement *s, void *context)
{
	const struct kept *k = context;

	return s->place == NULL || !kt_ir_same_place(s->place, k->place);
}

static bool is_simple(struct kt_ir_statement *s, void *context)
{
	struct kept *k = context;

	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_SET:
	case KT_IR_S_DECLARE:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
		return true;
	case KT_IR_S_LOAD:
		return kt_ir_same_place(s->place, k->place) || kt_ir_note_apart(&k->apart, s->place, k->place);
	case KT_IR_S_STORE:
		return kt_ir_same_place(s->place, k->place);
	default:
		return false;
	}
}

/* The store of the list's loop, in it or in constant loops that are all of it; NULL: there is none. */
static const struct kt_ir_statement *store_of(const struct kt_ir_statement *loop)
{
	const struct kt_ir_statement *found = NULL;
	int64_t low, high, step;

	for (const struct kt_ir_statement *s = loop->body.first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_STORE && s->place->pointer != NULL)
			found = s;
		else if (s->kind == KT_IR_S_FOR && kt_ir_is_constant(s->value, &low) && kt_ir_is_constant(s->further[0], &high) &&
			 kt_ir_is_constant(s->further[1], &step) && step > 0 && low < high && store_of(s) != NULL)
			found = store_of(s);
	return found;
}

/* Is the place the same in all iterations? */
static bool is_outside(const struct kt_ir_value *v, void *context)
{
	const struct kept *k = context;

	return v->op != KT_IR_READ || (v->symbol != k->loop->symbol && !kt_ir_defines(&k->loop->body, v->symbol) &&
				       kt_ir_is_steady(&k->p->lets, v));
}

/* ---- A local in the place's stead ---- */

struct narrowing {
	const struct kept *kept;
	struct kt_ir_symbol *sum;
};

static bool narrow(struct kt_ir_statement *s, void *context)
{
	const struct narrowing *n = context;

	if (s->place == NULL || !kt_ir_same_place(s->place, n->kept->place))
		return true;
	if (s->kind == KT_IR_S_LOAD) {
		s->kind = KT_IR_S_LET;
		s->value = kt_ir_read(n->kept->p->module, n->sum);
	} else {
		s->kind = KT_IR_S_SET;
		s->symbol = n->sum;
	}
	s->place = NULL;
	return true;
}

/* Statements of a list, with the one before them; NULL: they are the first. */
struct range {
	struct kt_ir_region *list;
	struct kt_ir_statement *before, *first, *last;
};

/* From the first access to the last one, of which the loop is one. */
static struct range range_of(struct kt_ir_region *list, struct kt_ir_statement *loop, struct kept *k)
{
	struct range r = {.list = list};
	struct kt_ir_statement *before = NULL;

	for (struct kt_ir_statement *s = list->first; s != NULL; before = s, s = s->next) {
		if (s != loop && kt_ir_visit_alone(s, accesses, k))
			continue;
		if (r.first == NULL) {
			r.first = s;
			r.before = before;
		}
		r.last = s;
	}
	return r;
}

/* Are they understood, and is the place stored to whenever they run, or accessed by the loop alone? */
static bool is_understood(struct kept *k, const struct range *r)
{
	for (const struct kt_ir_statement *s = r->first; s != r->last->next; s = s->next) {
		if (!kt_ir_visit_alone(s, is_simple, k))
			return false;
		k->is_stored |= s->kind == KT_IR_S_STORE;
	}
	return k->is_stored || (r->first == k->loop && r->last == k->loop);
}

/* The local begins with what is there, unless that is overwritten first. */
static void begin(const struct narrowing *n, struct kt_ir_region *to, const struct kt_ir_statement *first)
{
	struct kt_ir_module *m = n->kept->p->module;
	struct kt_ir_symbol *old;

	(void)kt_ir_declare(m, to, n->sum);
	if (first->kind == KT_IR_S_STORE)
		return;
	old = kt_ir_load(m, to, n->sum->hint, n->kept->place, n->kept->store->hint);
	if (old != NULL)
		(void)kt_ir_set(m, to, n->sum, kt_ir_read(m, old));
}

static void end(const struct narrowing *n, struct kt_ir_region *to)
{
	struct kt_ir_module *m = n->kept->p->module;
	struct kt_ir_statement *s = kt_ir_store(m, to, n->kept->place, kt_ir_read(m, n->sum), n->kept->store->hint);

	if (s != NULL)
		s->line = n->kept->store->line;
}

/* Around the loop, where it has an iteration. */
static void keep_in_loop(const struct narrowing *n, const struct range *r)
{
	struct kt_ir_module *m = n->kept->p->module;
	struct kt_ir_region made = {NULL, NULL};
	struct kt_ir_statement *loop = r->first, *branch = kt_ir_if(m, &made, kt_ir_apply(m, KT_IR_LT, loop->value, loop->further[0], NULL));

	if (branch == NULL)
		return;
	branch->line = loop->line;
	branch->next = loop->next;
	if (r->before == NULL)
		r->list->first = branch;
	else
		r->before->next = branch;
	if (r->list->last == loop)
		r->list->last = branch;
	loop->next = NULL;
	begin(n, &branch->body, loop);
	kt_ir_push(&branch->body, loop);
	end(n, &branch->body);
}

static void keep_in_list(const struct narrowing *n, const struct range *r)
{
	struct kt_ir_region before = {NULL, NULL}, after = {NULL, NULL};

	begin(n, &before, r->first);
	end(n, &after);
	(void)kt_ir_insert(r->list, r->last, &after);
	(void)kt_ir_insert(r->list, r->before, &before);
}

static void keep(struct preparing *p, struct kt_ir_region *list, struct kt_ir_statement *loop)
{
	const struct kt_ir_statement *store = store_of(loop);
	struct kept k = {.p = p, .loop = loop, .store = store, .place = store == NULL ? NULL : store->place, .apart = p->view->apart};
	struct narrowing n = {.kept = &k};
	struct range r;
	int64_t step;

	if (store == NULL || !kt_ir_is_number(k.place->type) || !kt_ir_visit_place(k.place, is_outside, &k) ||
	    !kt_ir_is_constant(loop->further[1], &step) || step <= 0)
		return;
	r = range_of(list, loop, &k);
	if (!is_understood(&k, &r))
		return;
	n.sum = kt_ir_symbol(p->module, KT_IR_LOCAL_SYMBOL, k.place->type, "sum");
	if (n.sum == NULL)
		return;
	p->view->apart = k.apart;
	for (struct kt_ir_statement *s = r.first, *past = r.last->next; s != past; s = s->next) {
		struct kt_ir_region alone = {s, s};
		struct kt_ir_statement *next = s->next;

		s->next = NULL;
		(void)kt_ir_visit(&alone, narrow, &n);
		s->next = next;
	}
	if (k.is_stored)
		keep_in_list(&n, &r);
	else
		keep_in_loop(&n, &r);
}

/* In the lists that lead to a loop through branches. */
static void keep_in(struct preparing *p, struct kt_ir_region *list)
{
	for (struct kt_ir_statement *s = list->first, *next; s != NULL && !p->module->failed; s = next) {
		next = s->next;
		if (s->kind == KT_IR_S_IF) {
			keep_in(p, &s->body);
			keep_in(p, &s->otherwise);
		} else if (s->kind == KT_IR_S_FOR) {
			keep(p, list, s);
		}
	}
}

void kt_ir_product_prepare(struct kt_ir_product_view *view, struct kt_ir_module *m, const int64_t block[3])
{
	struct kt_ir_region *body = &m->last_function->body;
	struct preparing p = {.module = m, .view = view, .block = block};

	if (!kt_ir_lets_of(&p.lets, m->arena, m, m->last_function))
		return;
	(void)kt_ir_visit(body, run_each_once, &p);
	keep_in(&p, body);
}
