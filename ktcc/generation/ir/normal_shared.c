/*
 * Normal form: a shared array is one object of the kernel, however many copies of its declaration there are (of a
 * function that is called several times, of statements that were copied). So copies become one array, which is declared
 * once, and not in a loop or a branch. One that is declared once among the kernel's first statements stays where it is;
 * others come before everything else.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct declarations {
	const struct kt_ir_region *body;
	const struct kt_ir_symbol *symbol; /* what is counted (NULL: all), or what has to come first */
	size_t count;
};

/* The array that it is a copy of, or itself: by id, from 1. */
static uint32_t source_of(const struct kt_ir_symbol *symbol)
{
	return symbol->copy_of != 0 ? symbol->copy_of : symbol->id + 1;
}

struct joining {
	struct kt_ir_cloner cloner;
	struct kt_ir_symbol **first; /* by source_of: the array that all copies of one become */
	bool changed;
};

static bool join(struct kt_ir_statement *s, void *context)
{
	struct joining *j = context;

	if (!kt_ir_declares_shared(s))
		return true;
	if (j->first[source_of(s->symbol)] == NULL)
		j->first[source_of(s->symbol)] = (struct kt_ir_symbol *)(uintptr_t)s->symbol;
	j->cloner.symbols[s->symbol->id] = j->first[source_of(s->symbol)];
	j->changed |= j->first[source_of(s->symbol)] != s->symbol;
	return true;
}

static bool count(struct kt_ir_statement *s, void *context)
{
	struct declarations *d = context;

	d->count += kt_ir_declares_shared(s) && (d->symbol == NULL || s->symbol == d->symbol);
	return true;
}

static bool join_copies(struct kt_ir_module *m, struct kt_ir_function *f)
{
	struct kt_ir_region body = {NULL, NULL};
	struct joining j = {.changed = false};
	struct declarations all = {.body = &f->body};

	(void)kt_ir_visit(&f->body, count, &all);
	if (all.count < 2 || !kt_ir_cloner_start(&j.cloner, m, NULL, NULL))
		return false;
	j.cloner.shares = true;
	j.first = kt_arena_array(m->arena, j.cloner.room + 2, sizeof(struct kt_ir_symbol *));
	if (j.first == NULL)
		return kt_ir_fail(m, "out of memory") != NULL;
	(void)kt_ir_visit(&f->body, join, &j);
	if (!j.changed)
		return false;
	kt_ir_clone(&j.cloner, &body, &f->body);
	f->body = body;
	return true;
}

static bool is_once(const struct kt_ir_region *body, const struct kt_ir_symbol *symbol)
{
	struct declarations d = {body, symbol, 0};
	size_t outside = 0;

	for (const struct kt_ir_statement *s = body->first; s != NULL; s = s->next)
		outside += kt_ir_declares_shared(s) && s->symbol == symbol;
	(void)kt_ir_visit(body, count, &d);
	return d.count == 1 && outside == 1;
}

/* False at the first array that has to come first. */
static bool is_right(struct kt_ir_statement *s, void *context)
{
	struct declarations *d = context;

	d->symbol = s->symbol;
	return !kt_ir_declares_shared(s) || is_once(d->body, s->symbol);
}

static bool is_other(struct kt_ir_statement *s, void *context)
{
	return !kt_ir_declares_shared(s) || s->symbol != context;
}

bool kt_ir_normal_shared(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_shared(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct declarations d = {&f->body, NULL, 0};
	bool changed = f->is_kernel && join_copies(n->module, f);

	while (f->is_kernel && !n->module->failed && !kt_ir_visit(&f->body, is_right, &d)) {
		struct kt_ir_region first = {NULL, NULL};
		struct kt_ir_symbol *symbol = (struct kt_ir_symbol *)(uintptr_t)d.symbol;

		(void)kt_ir_filter(&f->body, is_other, symbol);
		(void)kt_ir_declare(n->module, &first, symbol);
		kt_ir_splice(&first, &f->body);
		f->body = first;
		changed = true;
	}
	return changed;
}
