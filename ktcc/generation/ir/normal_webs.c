/*
 * Normal form: a local that gets a new value, whatever it was, is another local from there on: `m = greatest; …; m = s[0]; …` are two.
 * In the list that declares it alone, so that nothing comes back to what was before.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct webs {
	struct kt_ir_module *module;
	struct kt_ir_function *function;
	bool changed;
};

struct renaming {
	const struct kt_ir_symbol *from;
	struct kt_ir_symbol *to;
};

static bool set_other(struct kt_ir_statement *s, void *context)
{
	const struct renaming *r = context;

	if (s->kind == KT_IR_S_SET && s->symbol == r->from)
		s->symbol = r->to;
	return true;
}

struct mentions {
	const struct kt_ir_symbol *symbol;
	unsigned count;
};

static bool mention(struct kt_ir_statement *s, void *context)
{
	struct mentions *m = context;

	m->count += s->symbol == m->symbol;
	return true;
}

/* Reads, sets and the declaration of the symbol in the region. */
static unsigned uses(const struct kt_ir_region *region, const struct kt_ir_symbol *symbol)
{
	struct mentions m = {symbol, kt_ir_count_reads(region, symbol)};

	(void)kt_ir_visit(region, mention, &m);
	return m.count;
}

/* The last set of the symbol in the list behind its declaration, where something before that set it; NULL: there is none. */
static struct kt_ir_statement *set_anew(const struct kt_ir_statement *declaration, struct kt_ir_statement **before)
{
	const struct kt_ir_symbol *symbol = declaration->symbol;
	struct kt_ir_statement *found = NULL, *previous = (struct kt_ir_statement *)(uintptr_t)declaration;
	bool is_set = false;

	for (struct kt_ir_statement *s = declaration->next; s != NULL; previous = s, s = s->next) {
		struct kt_ir_statement copy = *s;
		const struct kt_ir_region alone = {&copy, &copy};

		copy.next = NULL;
		if (is_set && s->kind == KT_IR_S_SET && s->symbol == symbol) {
			found = s;
			*before = previous;
		}
		is_set = is_set || kt_ir_sets(&alone, symbol);
	}
	return found;
}

static void rename_from(struct webs *w, struct kt_ir_region *region, struct kt_ir_statement *set, struct kt_ir_statement *before)
{
	struct kt_ir_module *m = w->module;
	const struct kt_ir_symbol *old = set->symbol;
	struct kt_ir_region rest = {set->next, region->last}, declaration = {NULL, NULL};
	struct renaming r = {old, kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, old->type, old->hint)};

	if (r.to == NULL || kt_ir_declare(m, &declaration, r.to) == NULL)
		return;
	r.to->line = old->line;
	if (set->next != NULL) {
		(void)kt_ir_visit(&rest, set_other, &r);
		(void)kt_ir_substitute(m, &rest, old, kt_ir_read(m, r.to));
	}
	set->symbol = r.to;
	declaration.first->line = set->line;
	(void)kt_ir_insert(region, before, &declaration);
	w->changed = true;
}

static void in_region(struct webs *w, struct kt_ir_region *region)
{
	struct kt_ir_statement *set, *before = NULL;
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL && !w->module->failed; s = s->next) {
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_region(w, inner);
		if (s->kind != KT_IR_S_DECLARE || s->symbol->kind != KT_IR_LOCAL_SYMBOL || s->symbol->is_memory ||
		    s->symbol->is_volatile || !kt_ir_is_scalar(s->symbol->type))
			continue;
		set = set_anew(s, &before);
		if (set != NULL && uses(region, s->symbol) == uses(&w->function->body, s->symbol))
			rename_from(w, region, set, before);
	}
}

bool kt_ir_normal_webs(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_webs(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct webs w = {.module = n->module, .function = f};

	in_region(&w, &f->body);
	return w.changed;
}
