/*
 * Normal form: a kernel's call of a function with a body is that body. Functions whose returns are all where control
 * ends anyway; the pass of exits has made that of all but those inside of a loop. A shared array is one object for all calls
 * of its function: normal_shared.c makes one of its copies.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

/* Of a function into which others are taken: some call each other twice, and so on down. */
enum { MOST_STATEMENTS = 4000 };

/* Is every return of the region its last statement, or that of a branch at its end? */
static bool returns_last(const struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (s->next == NULL && s->kind == KT_IR_S_IF)
			return returns_last(&s->body) && returns_last(&s->otherwise);
		if (s->next == NULL && s->kind == KT_IR_S_RETURN)
			return true;
		if (s->kind == KT_IR_S_RETURN)
			return false;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (kt_ir_has(inner, KT_IR_S_RETURN))
				return false;
	}
	return true;
}

/* The argument as a let; as a local where the function sets it, or has its address. */
static void give(struct kt_ir_module *m, struct kt_ir_region *to, struct kt_ir_cloner *c,
		 const struct kt_ir_function *f, size_t number, const struct kt_ir_statement *call)
{
	struct kt_ir_symbol *old = f->arguments[number], *made;
	const struct kt_ir_value *value = call->arguments[number];
	const bool is_local = old->is_memory || kt_ir_sets(&f->body, old);
	struct kt_ir_statement *s;

	if (!is_local) {
		made = kt_ir_let(m, to, old->hint, value);
		if (made == NULL)
			return;
		to->last->line = call->line;
		to->last->origin = call->origin;
		c->symbols[old->id] = made;
		return;
	}
	made = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, old->type, old->hint);
	if (made == NULL || (s = kt_ir_declare(m, to, made)) == NULL)
		return;
	made->is_memory = old->is_memory;
	c->symbols[old->id] = made;
	if (made->is_memory)
		s = kt_ir_store(m, to, kt_ir_place_of(m, made), value, (struct kt_ir_hint){.cache = KT_IR_CACHE_NONE});
	else
		s = kt_ir_set(m, to, made, value);
	if (s != NULL)
		s->line = call->line;
}

struct inlining {
	struct kt_ir_module *module;
	struct kt_ir_cloner cloner; /* of symbols that functions have: those are there before any call is taken in */
	unsigned room;              /* statements that the kernel may still grow by */
};

struct giving {
	struct kt_ir_module *module;
	struct kt_ir_symbol *result; /* NULL: nothing takes it */
};

/* Returns set the result, where something takes it. */
static bool give_result(struct kt_ir_statement *s, void *context)
{
	struct giving *g = context;

	if (s->kind != KT_IR_S_RETURN)
		return true;
	if (g->result == NULL || s->value == NULL)
		return false;
	s->kind = KT_IR_S_SET;
	s->symbol = g->result;
	return true;
}

static void expand(struct inlining *i, struct kt_ir_region *to, struct kt_ir_statement *call)
{
	const struct kt_ir_function *f = call->callee;
	struct kt_ir_module *m = i->module;
	struct kt_ir_region body = {NULL, NULL};
	struct giving g = {m, NULL};

	kt_ir_cloner_again(&i->cloner);
	for (size_t a = 0; a < f->argument_count && !m->failed; a++)
		give(m, to, &i->cloner, f, a, call);
	if (call->symbol != NULL) {
		g.result = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, call->symbol->type, call->symbol->hint);
		(void)kt_ir_declare(m, to, g.result);
	}
	kt_ir_clone(&i->cloner, &body, &f->body);
	(void)kt_ir_filter(&body, give_result, &g);
	kt_ir_splice(to, &body);
	if (call->symbol == NULL)
		return;
	call->kind = KT_IR_S_LET;
	call->callee = NULL;
	call->argument_count = 0;
	call->value = kt_ir_read(m, g.result);
	kt_ir_push(to, call);
}

static bool count(struct kt_ir_statement *s, void *context)
{
	(void)s;
	++*(unsigned *)context;
	return true;
}

static unsigned size_of(const struct kt_ir_region *region)
{
	unsigned size = 0;

	(void)kt_ir_visit(region, count, &size);
	return size;
}

static bool is_no_shared_array(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return !kt_ir_declares_shared(s);
}

/* Of a function with a shared array either all calls are taken into the kernel or none, whatever calls it. */
static bool may_leave(struct kt_ir_module *m, const struct kt_ir_statement *call)
{
	if (!returns_last(&call->callee->body))
		return true;
	for (const struct kt_ir_function *f = m->functions; f != NULL; f = f->next)
		if (!f->is_kernel && !kt_ir_visit(&f->body, is_no_shared_array, NULL))
			return kt_ir_fail(m, "too many calls of functions with a shared array") != NULL;
	return true;
}

static bool inline_in(struct inlining *i, struct kt_ir_region *region)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;
	bool changed = false;
	unsigned size;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		for (size_t r = 0; (inner = kt_ir_region_of(s, r)) != NULL; r++)
			changed |= inline_in(i, inner);
		size = s->kind == KT_IR_S_CALL ? size_of(&s->callee->body) : 0;
		if (s->kind == KT_IR_S_CALL && s->callee->has_body && size < i->room && !i->module->failed &&
		    returns_last(&s->callee->body)) {
			i->room -= size;
			expand(i, &made, s);
			changed = true;
		} else {
			if (s->kind == KT_IR_S_CALL && s->callee->has_body && !may_leave(i->module, s))
				return false;
			kt_ir_push(&made, s);
		}
	}
	*region = made;
	return changed;
}

bool kt_ir_normal_inline(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_inline(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	const unsigned size = size_of(&f->body);
	struct inlining i = {.module = n->module, .room = size < MOST_STATEMENTS ? MOST_STATEMENTS - size : 0};
	bool changed = false;

	if (!f->is_kernel || !kt_ir_has(&f->body, KT_IR_S_CALL) || !kt_ir_cloner_start(&i.cloner, n->module, NULL, NULL))
		return false;
	/* What functions call comes into the kernel in its turn. */
	while (!n->module->failed && inline_in(&i, &f->body))
		changed = true;
	return changed;
}
