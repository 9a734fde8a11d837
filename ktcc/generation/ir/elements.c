/*
 * Threads that have one element each, and totals over the block: `v = f(thread); total = sum of v; if (thread == 0) …`. What is in
 * front of each total becomes a distributed loop over the threads of the launched block, in which `thread` is the counter, and so does
 * what changes memory after the last total. Each loop computes again what it needs of the statements before it: loads, values and
 * locals. That gives what it gave before, since nothing in front of the last total changes memory.
 */
#include "generation/ir/cooperate.h"
#include "generation/ir/distributed.h"
#include "generation/ir/distributed_parts.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

#include <math.h>

struct elements {
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	int64_t block;
	struct kt_ir_region before;  /* copies of all statements so far that loops need again */
	struct kt_ir_region out;
	struct kt_ir_symbol *counter; /* of the loop that is made */
	bool is_late;                 /* the last total is passed */
};

/* ---- Which kernels ---- */

static bool is_first(const struct kt_ir_statement *s, const struct kt_ir_lets *lets)
{
	return s->kind == KT_IR_S_IF && s->otherwise.first == NULL && kt_ir_is_first_thread(s->value, lets);
}

static bool is_of_thread(const struct kt_ir_place *place)
{
	return place->symbol != NULL && (place->symbol->kind == KT_IR_LOCAL_SYMBOL || place->symbol->kind == KT_IR_TEMPORARY);
}

/* Does the statement only compute? */
static bool computes(struct kt_ir_statement *s, void *context)
{
	(void)context;
	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_SET:
	case KT_IR_S_DECLARE:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
	case KT_IR_S_LOAD:
		return true;
	case KT_IR_S_STORE:
		return is_of_thread(s->place);
	default:
		return false;
	}
}

static bool changes_memory(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return computes(s, NULL) || s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_ATOMIC;
}

static bool all_of(const struct kt_ir_statement *s, kt_ir_visitor *is)
{
	return kt_ir_visit_alone(s, is, NULL);
}

static bool is_no_loop(struct kt_ir_statement *s, void *context)
{
	const struct elements *e = context;
	int64_t offset;

	return kt_ir_distributed_over(&offset, s, e->lets, e->block) == KT_IR_OVER_NOTHING;
}

/* Totals, with nothing that changes memory in front of the last one, and no distributed loop. */
static bool fits(const struct elements *e, const struct kt_ir_function *kernel)
{
	const struct kt_ir_statement *last = NULL, *effect = NULL;
	bool is_late = false;

	for (const struct kt_ir_statement *s = kernel->body.first; s != NULL; s = s->next)
		last = kt_ir_is_total(s) ? s : last;
	if (last == NULL || !kt_ir_visit(&kernel->body, is_no_loop, (void *)(uintptr_t)e))
		return false;
	for (struct kt_ir_statement *s = kernel->body.first; s != NULL; s = s->next) {
		if (kt_ir_is_total(s)) {
			is_late = s == last;
		} else if (is_first(s, e->lets)) {
			/* Its changes of memory stay in front of those of all threads, or after them. */
			if (!is_late || (effect != NULL && s->next != NULL && !is_first(s->next, e->lets)))
				return false;
		} else if (!all_of(s, computes)) {
			if (!is_late || !all_of(s, changes_memory))
				return false;
			effect = s;
		}
	}
	return true;
}

static bool is_set_once(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_READ || v->symbol->kind == KT_IR_TEMPORARY;
}

/* A total of what an earlier one is of, which is that: pieces of an exchange have their own. */
static void join_totals(struct kt_ir_module *m, struct kt_ir_function *kernel)
{
	struct kt_ir_statement *before = NULL;

	for (struct kt_ir_statement *s = kernel->body.first; s != NULL; s = s->next) {
		const struct kt_ir_statement *same = NULL;

		for (const struct kt_ir_statement *t = kernel->body.first; t != s && kt_ir_is_total(s); t = t->next)
			if (kt_ir_is_total(t) && t->number == s->number && kt_ir_same(t->value, s->value) &&
			    kt_ir_visit_value(s->value, is_set_once, NULL))
				same = t;
		if (same == NULL) {
			before = s;
			continue;
		}
		(void)kt_ir_substitute(m, &kernel->body, s->symbol, kt_ir_read(m, same->symbol));
		before->next = s->next;
		if (s->next == NULL)
			kernel->body.last = before;
	}
}

/* ---- The loops ---- */

/* The thread is the counter, and the block the launched one. */
static const struct kt_ir_value *of_element(const struct kt_ir_value *v, void *context)
{
	const struct elements *e = context;

	if (v->op != KT_IR_AXIS || v->dimension != 0)
		return v;
	if (v->axis == KT_IR_BLOCK_DIM)
		return kt_ir_constant(e->module, v->type, e->block);
	return v->axis == KT_IR_THREAD ? kt_ir_convert(e->module, kt_ir_read(e->module, e->counter), v->type, KT_IR_AS_VALUE) : v;
}

/* A loop with everything so far in it; its maps have what its copies are called. NULL: out of memory. */
static struct kt_ir_statement *add_loop(struct elements *e, struct kt_ir_cloner *cloner)
{
	struct kt_ir_module *m = e->module;
	const struct kt_ir_type *type = kt_ir_integer(m, 32, true);
	struct kt_ir_statement *loop =
	    kt_ir_for(m, &e->out, "element", kt_ir_convert(m, kt_ir_axis(m, KT_IR_THREAD, 0), type, KT_IR_AS_VALUE),
		      kt_ir_constant(m, type, e->block), kt_ir_constant(m, type, e->block));

	if (loop == NULL || !kt_ir_cloner_start(cloner, m, of_element, e))
		return NULL;
	e->counter = loop->symbol;
	kt_ir_clone(cloner, &loop->body, &e->before);
	return m->failed ? NULL : loop;
}

/* What changes nothing; NULL: none is known for the type. A sum has a zero, since its loop is recognised by that. */
static const struct kt_ir_value *neutral(struct kt_ir_module *m, const struct kt_ir_statement *total)
{
	const struct kt_ir_type *type = total->value->type;
	const bool is_least = total->number == KT_IR_TOTAL_MIN;

	switch (total->number) {
	case KT_IR_TOTAL_ADD:
		return type->kind == KT_IR_FLOAT ? kt_ir_real(m, type, 0) : kt_ir_constant(m, type, 0);
	case KT_IR_TOTAL_OR:
	case KT_IR_TOTAL_XOR:
		return kt_ir_constant(m, type, 0);
	case KT_IR_TOTAL_AND:
		return kt_ir_constant(m, type, -1);
	default:
		if (type->kind == KT_IR_FLOAT)
			return kt_ir_real(m, type, is_least ? INFINITY : -INFINITY);
		if (type->kind != KT_IR_INTEGER || type->bits > 64)
			return NULL;
		return kt_ir_constant(m, type, type->is_signed ? (is_least ? INT64_MAX : INT64_MIN) >> (64 - type->bits)
							      : is_least ? -1 : 0);
	}
}

/* local v = neutral; for each element: v = v + its value; total of v */
static bool add_total(struct elements *e, struct kt_ir_statement *total)
{
	struct kt_ir_module *m = e->module;
	struct kt_ir_symbol *sum = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, total->value->type, total->symbol->hint);
	const struct kt_ir_value *start = neutral(m, total), *value;
	struct kt_ir_statement *loop;
	struct kt_ir_cloner cloner;

	if (sum == NULL || start == NULL || kt_ir_declare(m, &e->out, sum) == NULL || kt_ir_set(m, &e->out, sum, start) == NULL)
		return false;
	loop = add_loop(e, &cloner);
	value = loop == NULL ? NULL : kt_ir_clone_value(&cloner, total->value);
	if (value == NULL || kt_ir_set(m, &loop->body, sum, kt_ir_total_step(m, total->number, kt_ir_read(m, sum), value)) == NULL)
		return false;
	total->value = kt_ir_read(m, sum);
	kt_ir_push(&e->out, total);
	return !m->failed;
}

/* What loops need again: a copy, under the names of the original. */
static bool note(struct elements *e, const struct kt_ir_statement *s)
{
	struct kt_ir_statement *copy = kt_ir_statement_new(e->module, s->kind, s);

	if (copy == NULL)
		return false;
	*copy = *s;
	copy->next = NULL;
	kt_ir_push(&e->before, copy);
	return true;
}

static bool rewrite(struct elements *e, struct kt_ir_function *kernel)
{
	struct kt_ir_statement *effects = NULL;
	struct kt_ir_region first = {NULL, NULL};
	struct kt_ir_cloner cloner;
	bool has_effects = false;

	for (struct kt_ir_statement *s = kernel->body.first, *next; s != NULL; s = next) {
		next = s->next;
		s->next = NULL;
		if (kt_ir_is_total(s)) {
			if (!add_total(e, s))
				return false;
		} else if (is_first(s, e->lets)) {
			kt_ir_push(has_effects ? &first : &e->out, s);
		} else {
			if (!note(e, s))
				return false;
			if (all_of(s, computes))
				kt_ir_push(&e->out, s);
			else
				has_effects = true;
		}
	}
	if (has_effects)
		effects = add_loop(e, &cloner);
	if (has_effects && effects == NULL)
		return false;
	kt_ir_splice(&e->out, &first);
	kernel->body = e->out;
	return true;
}

struct unused {
	const struct kt_ir_function *kernel;
	const struct kt_ir_region *alone;
};

/* Does nothing but the statement read what it gives? */
static bool is_unread(struct kt_ir_statement *s, void *context)
{
	const struct unused *u = context;

	return s->symbol == NULL ||
	       kt_ir_count_reads(&u->kernel->body, s->symbol) == kt_ir_count_reads(u->alone, s->symbol);
}

/* Is it computed for loops alone, which compute it again? A sum that only its own loop reads is as well. */
static bool is_for_loops(const struct kt_ir_function *kernel, struct kt_ir_statement *s)
{
	struct kt_ir_statement copy = *s;
	const struct kt_ir_region alone = {&copy, &copy};
	struct unused u = {kernel, &alone};

	copy.next = NULL;
	return s->kind != KT_IR_S_DECLARE && all_of(s, computes) && kt_ir_visit(&alone, is_unread, &u);
}

static void drop_unused(struct kt_ir_function *kernel)
{
	struct kt_ir_region *body = &kernel->body;
	bool changed = true;

	while (changed) {
		struct kt_ir_statement *before = NULL;

		changed = false;
		for (struct kt_ir_statement *s = body->first; s != NULL; s = s->next) {
			if (!is_for_loops(kernel, s)) {
				before = s;
				continue;
			}
			*(before == NULL ? &body->first : &before->next) = s->next;
			if (s->next == NULL)
				body->last = before;
			changed = true;
		}
	}
}

bool kt_ir_loop_elements(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t block)
{
	struct kt_ir_lets lets;
	struct elements e = {.module = module, .lets = &lets, .block = block};

	if (block <= 1 || !kt_ir_has_totals(&kernel->body))
		return true;
	if (!kt_ir_lets_of(&lets, module->arena, module, kernel))
		return false;
	join_totals(module, kernel);
	if (!fits(&e, kernel))
		return true;
	if (!rewrite(&e, kernel))
		return false;
	drop_unused(kernel);
	while (!module->failed && kt_ir_normalise_by(module, KT_IR_N_DEAD, NULL))
		continue;
	return !module->failed;
}
