/*
 * Normal form: a local that gets a new value, whatever it was, is another local from there on: `m = greatest; …; m = s[0]; …` are two.
 * In the list that declares it alone, so that nothing comes back to what was before. So a local that one branch alone uses is
 * declared there: `x += row; …` after an early return.
 */
#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct webs {
	struct kt_ir_module *module;
	struct kt_ir_function *function;
	struct kt_ir_lets lets;
	bool changed;
};

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

/* The last set of the symbol in the list after its declaration, where something before that set it; NULL: there is none. */
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
	struct kt_ir_symbol *to = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, old->type, old->hint);

	if (to == NULL || kt_ir_declare(m, &declaration, to) == NULL)
		return;
	to->line = old->line;
	if (set->next != NULL) {
		kt_ir_rename_sets(&rest, old, to);
		(void)kt_ir_substitute(m, &rest, old, kt_ir_read(m, to));
	}
	set->symbol = to;
	declaration.first->line = set->line;
	(void)kt_ir_insert(region, before, &declaration);
	w->changed = true;
}

static unsigned uses_in(const struct kt_ir_statement *s, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_statement copy = *s;
	const struct kt_ir_region alone = {&copy, &copy};

	copy.next = NULL;
	return uses(&alone, symbol);
}

/*
 * The region of a branch that alone uses the local, except for a set after its declaration whose value is the same anywhere;
 * *set:
 * that, NULL: there is none. NULL: there is no such region.
 */
static struct kt_ir_region *only_user(const struct webs *w, const struct kt_ir_statement *declaration, struct kt_ir_statement **set)
{
	const struct kt_ir_symbol *symbol = declaration->symbol;
	struct kt_ir_region *found = NULL;

	*set = NULL;
	for (struct kt_ir_statement *s = declaration->next; s != NULL; s = s->next) {
		const unsigned count = uses_in(s, symbol);

		if (count == 0)
			continue;
		if (found == NULL && *set == NULL && s->kind == KT_IR_S_SET && count == 1 && kt_ir_is_steady(&w->lets, s->value)) {
			*set = s;
			continue;
		}
		if (found != NULL || s->kind != KT_IR_S_IF)
			return NULL;
		found = uses(&s->body, symbol) == count ? &s->body : uses(&s->otherwise, symbol) == count ? &s->otherwise : NULL;
		if (found == NULL)
			return NULL;
	}
	return found;
}

static void take_out(struct kt_ir_region *region, const struct kt_ir_statement *gone)
{
	struct kt_ir_region kept = {NULL, NULL};

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		if (s != gone)
			kt_ir_push(&kept, s);
	}
	*region = kept;
}

/* Moves the declaration, and that set, to the front of such a region; false: there is none. */
static bool sink(struct webs *w, struct kt_ir_region *region, struct kt_ir_statement *declaration)
{
	struct kt_ir_region moved = {NULL, NULL}, *to;
	struct kt_ir_statement *set;

	to = only_user(w, declaration, &set);
	if (to == NULL)
		return false;
	take_out(region, declaration);
	kt_ir_push(&moved, declaration);
	if (set != NULL) {
		take_out(region, set);
		kt_ir_push(&moved, set);
	}
	(void)kt_ir_insert(to, NULL, &moved);
	w->changed = true;
	return true;
}

static bool is_plain(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_DECLARE && s->symbol->kind == KT_IR_LOCAL_SYMBOL && !s->symbol->is_memory && !s->symbol->is_volatile &&
	       kt_ir_is_scalar(s->symbol->type);
}

static void in_region(struct webs *w, struct kt_ir_region *region)
{
	struct kt_ir_statement *set, *before = NULL;
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !w->module->failed; s = next) {
		next = s->next;
		while (next != NULL && is_plain(s) && next->kind == KT_IR_S_SET && next->symbol == s->symbol)
			next = next->next;
		if (is_plain(s) && sink(w, region, s))
			continue;
		next = s->next;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_region(w, inner);
		if (!is_plain(s))
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

	if (!kt_ir_lets_of(&w.lets, n->module->arena, n->module, f))
		return kt_ir_fail(n->module, "out of memory") != NULL;
	in_region(&w, &f->body);
	return w.changed;
}
