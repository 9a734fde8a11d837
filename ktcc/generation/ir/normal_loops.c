/*
 * Normal form: a loop with a counter is a for. What decides whether it goes on is one comparison of the counter with
 * what the loop does not change, at its head or (do) at its end; the counter is set once an iteration, by a fixed step.
 *
 * A counter that may wrap is a for only if it cannot here: by 1 it meets its bound before; else it is an assumption of
 * the kernel, where the bound is known before the launch. 64-bit counters are taken not to wrap, and a loop that does
 * not end is taken not to be.
 */
#include "generation/ir/counted.h"
#include "generation/ir/effect.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

static bool is_break(const struct kt_ir_region *r)
{
	return r->first != NULL && r->first->kind == KT_IR_S_BREAK && r->first->number == 0;
}

/* if (c) { … } else { break; } is if (!c) { break; } … */
static bool turn_exits(struct kt_ir_normal *n, struct kt_ir_region *body)
{
	struct kt_ir_region made = {NULL, NULL}, rest;
	bool changed = false;

	for (struct kt_ir_statement *s = body->first, *next; s != NULL; s = next) {
		next = s->next;
		kt_ir_push(&made, s);
		if (s->kind != KT_IR_S_IF || (!is_break(&s->body) && !is_break(&s->otherwise)) ||
		    s->otherwise.first == NULL || s->body.first == NULL)
			continue;
		if (is_break(&s->otherwise)) {
			s->value = kt_ir_opposite(n->module, s->value);
			rest = s->body;
			s->body = s->otherwise;
		} else {
			rest = s->otherwise;
		}
		s->otherwise = (struct kt_ir_region){NULL, NULL};
		kt_ir_splice(&made, &rest);
		changed = true;
	}
	*body = made;
	return changed;
}

struct sinking {
	const struct kt_ir_statement *set;
	bool fits;
};

static bool keeps(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_symbol *symbol = context;

	return v->op != KT_IR_READ || v->symbol != symbol;
}

/* Does the statement, or what is inside of it, neither read nor set the local, nor set what its new value is made of? */
static bool is_apart_from_set(struct kt_ir_statement *s, void *context)
{
	struct sinking *k = context;

	k->fits = kt_ir_visit_values(s, keeps, k->set->symbol) && s->kind != KT_IR_S_BREAK && s->kind != KT_IR_S_CONTINUE &&
		  s->kind != KT_IR_S_RETURN && s->kind != KT_IR_S_OPAQUE &&
		  (s->kind != KT_IR_S_SET || (s->symbol != k->set->symbol && kt_ir_visit_value(k->set->value, keeps, s->symbol)));
	return k->fits;
}

/* `x[i++]` steps where it reads: the step of a number that nothing after it needs before the next iteration comes last. */
static bool sink_sets(struct kt_ir_module *m, struct kt_ir_region *body)
{
	bool wraps;

	for (struct kt_ir_statement *s = body->first, *before = NULL; s != NULL; before = s, s = s->next) {
		struct kt_ir_region rest = {s->next, body->last};
		struct sinking k = {s, true};

		if (s->kind != KT_IR_S_SET || s->next == NULL || s->symbol->kind != KT_IR_LOCAL_SYMBOL ||
		    s->symbol->type->kind != KT_IR_INTEGER || kt_ir_moved_by(m, s, &wraps) == NULL || !kt_ir_visit(&rest, is_apart_from_set, &k))
			continue;
		/* One of several that come last is there. */
		while (rest.first != NULL && rest.first->kind == KT_IR_S_SET)
			rest.first = rest.first->next;
		if (rest.first == NULL)
			continue;
		if (before == NULL)
			body->first = s->next;
		else
			before->next = s->next;
		s->next = NULL;
		kt_ir_push(body, s);
		return true;
	}
	return false;
}

static bool defines_none(struct kt_ir_statement *s, void *context)
{
	return s->symbol == NULL || s->kind == KT_IR_S_SET || !kt_ir_reads(context, s->symbol);
}

/* Sets at the end of the body, and the exit after them, belong to what follows each iteration. */
static bool move_ends(struct kt_ir_statement *loop)
{
	struct kt_ir_statement *from = NULL, *before = NULL;
	struct kt_ir_region moved;

	if (kt_ir_jumps(&loop->body, KT_IR_S_CONTINUE))
		return false;
	for (struct kt_ir_statement *s = loop->body.first, *last = NULL; s != NULL; last = s, s = s->next) {
		const bool may_move =
		    (s->kind == KT_IR_S_SET || (kt_ir_is_exit(s) && s->next == NULL && s != loop->body.first)) &&
		    kt_ir_visit(&loop->body, defines_none, s);

		if (!may_move)
			from = NULL;
		else if (from == NULL) {
			from = s;
			before = last;
		}
	}
	if (from == NULL || (loop->otherwise.first != NULL && kt_ir_is_exit(loop->body.last)))
		return false;
	moved = (struct kt_ir_region){from, loop->body.last};
	loop->body.last = before;
	if (before == NULL)
		loop->body.first = NULL;
	else
		before->next = NULL;
	kt_ir_splice(&moved, &loop->otherwise);
	loop->otherwise = moved;
	return true;
}

static bool is_kept_node(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_statement *loop = context;

	return v->op != KT_IR_READ ||
	       (v->symbol != loop->symbol && !kt_ir_sets(&loop->body, v->symbol) && !kt_ir_sets(&loop->otherwise, v->symbol) &&
		!kt_ir_defines(&loop->body, v->symbol) && !kt_ir_defines(&loop->otherwise, v->symbol));
}

bool kt_ir_is_invariant(const struct kt_ir_statement *loop, const struct kt_ir_value *value)
{
	return kt_ir_visit_value(value, is_kept_node, (void *)(uintptr_t)loop);
}

enum { HEAD_MOST = 64 };

/* May it be computed before the loop? */
static bool may_leave(const struct kt_ir_statement *s, const struct kt_ir_statement *loop)
{
	if (s->kind == KT_IR_S_LET)
		return kt_ir_is_invariant(loop, s->value);
	return !s->hint.is_volatile && kt_ir_visit_place(s->place, is_kept_node, (void *)(uintptr_t)loop) &&
	       !kt_ir_may_change(&loop->body, s->place) && !kt_ir_may_change(&loop->otherwise, s->place);
}

/*
 * Lets and loads at the head whose operands the loop does not change are computed before it, which does so at least
 * once. Which of them is decided before any leaves: what the loop changes is asked of the whole of it.
 */
static bool hoist(struct kt_ir_region *before, struct kt_ir_statement *loop)
{
	struct kt_ir_region kept = {NULL, NULL};
	bool leaves[HEAD_MOST], changed = false;
	size_t count = 0, at = 0;

	for (struct kt_ir_statement *s = loop->body.first;
	     s != NULL && count < HEAD_MOST && (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_LOAD); s = s->next) {
		leaves[count] = may_leave(s, loop);
		changed = changed || leaves[count++];
	}
	if (!changed)
		return false;
	for (struct kt_ir_statement *s = loop->body.first, *next; s != NULL; s = next, at++) {
		next = s->next;
		kt_ir_push(at < count && leaves[at] ? before : &kept, s);
	}
	loop->body = kept;
	return true;
}

/* ---- From loop to for ---- */

/* Drops the statement from the region. */
static bool is_other(struct kt_ir_statement *s, void *context)
{
	return s != context;
}

static const struct kt_ir_value *counted(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_counted *c = context;

	return v->op == KT_IR_READ && v->symbol == c->variable
		   ? kt_ir_convert(c->module, kt_ir_read(c->module, c->counter), v->type, KT_IR_AS_VALUE)
		   : v;
}

/* The greater of the bound and what makes one iteration; the smaller, counting down. */
static const struct kt_ir_value *at_least_once(const struct kt_ir_counted *c)
{
	struct kt_ir_module *m = c->module;
	const struct kt_ir_value *past = kt_ir_no_wrap(
	    m, kt_ir_apply(m, KT_IR_ADD, c->low, kt_ir_constant(m, c->low->type, c->is_down ? -1 : 1), NULL));
	const struct kt_ir_value *runs = kt_ir_apply(m, c->is_down ? KT_IR_GT : KT_IR_LT, c->low, c->high, NULL);

	return kt_ir_fold_all(m, kt_ir_apply(m, KT_IR_SELECT, runs, c->high, past));
}

/* The variable's value after the loop, where the step is one. */
static struct kt_ir_statement * final(const struct kt_ir_counted *c, const struct kt_ir_statement *loop)
{
	struct kt_ir_module *m = c->module;
	struct kt_ir_statement *s = kt_ir_statement_new(m, KT_IR_S_SET, loop);
	const struct kt_ir_value *low = loop->value, *high = loop->further[0];
	const struct kt_ir_value *runs = kt_ir_apply(m, c->is_down ? KT_IR_GT : KT_IR_LT, low, high, NULL);

	if (s == NULL)
		return NULL;
	s->symbol = c->variable;
	s->value = kt_ir_convert(m, kt_ir_apply(m, KT_IR_SELECT, runs, high, low), c->variable->type, KT_IR_AS_VALUE);
	s->value = s->value == NULL ? NULL : kt_ir_fold_all(m, s->value);
	return s;
}

/* Makes the loop a for. `out` gets what has to follow it. */
static void convert(struct kt_ir_counted *c, struct kt_ir_statement *loop, struct kt_ir_region *out)
{
	struct kt_ir_statement *last;

	(void)kt_ir_filter(c->is_rotated ? &loop->otherwise : &loop->body, is_other, c->exit);
	(void)kt_ir_filter(&loop->otherwise, is_other, c->set);
	kt_ir_splice(&loop->body, &loop->otherwise);
	c->counter = kt_ir_symbol(c->module, KT_IR_COUNTER, c->low->type, c->variable->hint);
	if (c->counter == NULL)
		return;
	(void)kt_ir_rewrite_region(c->module, &loop->body, counted, c);
	loop->kind = KT_IR_S_FOR;
	loop->value = kt_ir_fold_all(c->module, c->low);
	loop->further[0] = kt_ir_fold_all(c->module, c->is_rotated && !c->meets ? at_least_once(c) : c->high);
	loop->further[1] = kt_ir_fold_all(c->module, c->step);
	loop->symbol = c->counter;
	if (c->is_live && !c->module->failed && (last = final(c, loop)) != NULL)
		kt_ir_push(out, last);
	for (size_t i = 0; i < c->assumption_count; i++)
		kt_ir_assume(c->module, c->function, kt_ir_fold_all(c->module, c->assumptions[i]));
}

struct walk {
	struct kt_ir_normal *n;
	struct kt_ir_function *f;
	bool changed;
};

static void each_region(struct walk *w, struct kt_ir_region *region, const struct kt_ir_after *after)
{
	struct kt_ir_statement *previous = NULL;
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const struct kt_ir_after here = {after, s};
		struct kt_ir_region behind = {NULL, NULL}, before = {NULL, NULL};
		struct kt_ir_counted c = {.module = w->n->module, .function = w->f};

		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			each_region(w, inner, &here);
		if (s->kind == KT_IR_S_LOOP) {
			w->changed |= turn_exits(w->n, &s->body);
			while (!kt_ir_jumps(&s->body, KT_IR_S_CONTINUE) && sink_sets(w->n->module, &s->body))
				w->changed = true;
			w->changed |= move_ends(s);
			w->changed |= hoist(&before, s);
			(void)kt_ir_insert(region, previous, &before);
			c.first = region->first;
			if (kt_ir_recognise(&c, s, &here)) {
				convert(&c, s, &behind);
				w->changed = true;
			}
		}
		previous = s = kt_ir_insert(region, s, &behind);
	}
}

bool kt_ir_normal_loops(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_loops(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct walk w = {n, f, false};

	each_region(&w, &f->body, NULL);
	return w.changed;
}
