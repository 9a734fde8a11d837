/*
 * Normal form: a local that is set once, before every read, is a let; one that both branches of an if set is a let of a
 * select, where the values only compute, and so is one that a branch sets whose condition reads it, as in `if (a > m) m = a`; a
 * let of a constant, of another let or of an axis is replaced by it.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct single {
	struct kt_ir_module *module;
	unsigned *reads, *sets; /* by symbol id */
	bool changed;
};

static bool count_value(const struct kt_ir_value *value, void *context)
{
	struct single *s = context;

	if (value->op == KT_IR_READ)
		s->reads[value->symbol->id]++;
	return true;
}

static bool count(struct kt_ir_statement *statement, void *context)
{
	struct single *s = context;

	if (statement->kind == KT_IR_S_SET)
		s->sets[statement->symbol->id]++;
	return kt_ir_visit_values(statement, count_value, context);
}

static bool is_plain(const struct kt_ir_symbol *symbol)
{
	return symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_memory && !symbol->is_volatile;
}

/* Reads of the symbol in the statements from this one to the end of its region. */
static unsigned reads_from(const struct kt_ir_statement *s, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_region rest = {(struct kt_ir_statement *)(uintptr_t)s, NULL};

	return s == NULL ? 0 : kt_ir_count_reads(&rest, symbol);
}

static void make_let(struct single *x, struct kt_ir_statement *s)
{
	s->kind = KT_IR_S_LET;
	s->symbol->kind = KT_IR_TEMPORARY;
	x->changed = true;
}

static bool is_other(const struct kt_ir_value *value, void *context)
{
	return value->op != KT_IR_READ || value->symbol != context;
}

/* if (c) { x = a; }, and nothing besides, where c reads x, so that x has a value. */
static bool keep(struct single *x, struct kt_ir_statement *s)
{
	struct kt_ir_statement *a = s->body.first;

	if (a == NULL || s->otherwise.first != NULL || a->next != NULL || a->kind != KT_IR_S_SET || !is_plain(a->symbol) ||
	    !kt_ir_is_scalar(a->symbol->type) || kt_ir_visit_value(s->value, is_other, a->symbol))
		return false;
	s->kind = KT_IR_S_SET;
	s->symbol = a->symbol;
	s->value = kt_ir_apply(x->module, KT_IR_SELECT, s->value, a->value, kt_ir_read(x->module, a->symbol));
	s->body = (struct kt_ir_region){NULL, NULL};
	x->changed = true;
	return true;
}

/* if (c) { x = a; } else { x = b; }, and nothing besides. */
static void join(struct single *x, struct kt_ir_statement *s)
{
	struct kt_ir_statement *a = s->body.first, *b = s->otherwise.first;

	if (keep(x, s) || a == NULL || b == NULL || a->next != NULL || b->next != NULL || a->kind != KT_IR_S_SET ||
	    b->kind != KT_IR_S_SET || a->symbol != b->symbol || !is_plain(a->symbol))
		return;
	s->kind = KT_IR_S_SET;
	s->symbol = a->symbol;
	s->value = kt_ir_apply(x->module, KT_IR_SELECT, s->value, a->value, b->value);
	s->body = s->otherwise = (struct kt_ir_region){NULL, NULL};
	x->sets[s->symbol->id]--;
	x->changed = true;
}

static bool look(struct kt_ir_statement *s, void *context)
{
	struct single *x = context;

	if (s->kind == KT_IR_S_IF)
		join(x, s);
	if (s->kind == KT_IR_S_SET && is_plain(s->symbol) && x->sets[s->symbol->id] == 1 &&
	    reads_from(s->next, s->symbol) == x->reads[s->symbol->id])
		make_let(x, s);
	return !x->module->failed;
}

/* The next set of the same local in the list, where nothing in between sets it or leaves the list; NULL: there is none.
 */
static struct kt_ir_statement *set_again(const struct kt_ir_statement *first)
{
	for (struct kt_ir_statement *s = first->next; s != NULL; s = s->next) {
		struct kt_ir_statement alone = *s;
		const struct kt_ir_region list = {&alone, &alone};

		alone.next = NULL;
		if (s->kind == KT_IR_S_SET && s->symbol == first->symbol)
			return s;
		if (kt_ir_sets(&list, first->symbol) || kt_ir_jumps(&list, KT_IR_S_BREAK) ||
		    kt_ir_jumps(&list, KT_IR_S_CONTINUE) || kt_ir_leaves(&list))
			return NULL;
	}
	return NULL;
}

/* What is set again in the same list is another let until then: x = a; …; x = b; */
static bool split(struct kt_ir_module *m, struct kt_ir_region *region)
{
	struct kt_ir_statement *again, *after;
	struct kt_ir_region *inner, between;
	struct kt_ir_symbol *made;
	bool changed = false;

	for (struct kt_ir_statement *s = region->first; s != NULL && !m->failed; s = s->next) {
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			changed |= split(m, inner);
		if (s->kind != KT_IR_S_SET || !is_plain(s->symbol) || (again = set_again(s)) == NULL)
			continue;
		made = kt_ir_symbol(m, KT_IR_TEMPORARY, s->symbol->type, s->symbol->hint);
		if (made == NULL)
			return changed;
		after = again->next;
		again->next = NULL;
		between = (struct kt_ir_region){s->next, again};
		(void)kt_ir_substitute(m, &between, s->symbol, kt_ir_read(m, made));
		again->next = after;
		s->kind = KT_IR_S_LET;
		s->symbol = made;
		changed = true;
	}
	return changed;
}

/* The declaration of a local that became a temporary is its let. */
static bool is_declared(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_DECLARE || s->symbol->kind != KT_IR_TEMPORARY;
}

/* May the value take the place of the let's symbol wherever that is read? */
static bool is_movable(const struct single *x, const struct kt_ir_value *v)
{
	if (v->op == KT_IR_CONSTANT || v->op == KT_IR_AXIS || v->op == KT_IR_PARAMETER)
		return true;
	if (v->op != KT_IR_READ)
		return false;
	return v->symbol->kind == KT_IR_TEMPORARY || v->symbol->kind == KT_IR_COUNTER ||
	       (v->symbol->kind == KT_IR_ARGUMENT && x->sets[v->symbol->id] == 0);
}

static void propagate(struct single *x, struct kt_ir_function *f, struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (s->kind == KT_IR_S_LET && is_movable(x, s->value) &&
		    kt_ir_substitute(x->module, &f->body, s->symbol, s->value))
			x->changed = true;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			propagate(x, f, inner);
	}
}

struct local {
	const struct kt_ir_symbol *argument;
	struct kt_ir_symbol *local;
};

static bool set_local(struct kt_ir_statement *s, void *context)
{
	const struct local *l = context;

	if (s->kind == KT_IR_S_SET && s->symbol == l->argument)
		s->symbol = l->local;
	return true;
}

/* An argument that is set is a local that begins with it: arguments are the launch's. */
static bool make_local(struct kt_ir_module *m, struct kt_ir_function *f, const struct kt_ir_symbol *argument)
{
	struct kt_ir_region begin = {NULL, NULL};
	struct local l = {argument, NULL};

	if (argument->is_memory || !kt_ir_sets(&f->body, argument))
		return false;
	l.local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, argument->type, argument->hint);
	if (l.local == NULL)
		return false;
	(void)kt_ir_visit(&f->body, set_local, &l);
	(void)kt_ir_substitute(m, &f->body, argument, kt_ir_read(m, l.local));
	(void)kt_ir_declare(m, &begin, l.local);
	(void)kt_ir_set(m, &begin, l.local, kt_ir_read(m, argument));
	kt_ir_splice(&begin, &f->body);
	f->body = begin;
	return true;
}

bool kt_ir_normal_single(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_single(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct single x = {.module = n->module};

	for (size_t i = 0; i < f->argument_count; i++)
		x.changed |= make_local(n->module, f, f->arguments[i]);
	x.changed |= split(n->module, &f->body);

	x.reads = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *x.reads);
	x.sets = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *x.sets);
	if (x.reads == NULL || x.sets == NULL)
		return kt_ir_fail(n->module, "out of memory") != NULL;
	(void)kt_ir_visit(&f->body, count, &x);
	(void)kt_ir_visit(&f->body, look, &x);
	(void)kt_ir_filter(&f->body, is_declared, NULL);
	propagate(&x, f, &f->body);
	return x.changed;
}
