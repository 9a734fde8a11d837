/*
 * Normal form: a local in memory whose address nothing has is none; a let of what a local is until that is set is the local;
 * `let t = v; set x = t` of a t that is read once is `set x = v`. So what a called function was given is what the caller has.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct copies {
	struct kt_ir_module *module;
	unsigned *reads; /* by symbol id */
	bool *kept;      /* by symbol id: a local in memory that has to be there */
	bool changed;
};

static bool is_plain(const struct kt_ir_symbol *symbol)
{
	return symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_memory && !symbol->is_volatile;
}

static bool count_value(const struct kt_ir_value *value, void *context)
{
	struct copies *c = context;

	if (value->op == KT_IR_READ)
		c->reads[value->symbol->id]++;
	if (value->place != NULL && value->place->symbol != NULL)
		c->kept[value->place->symbol->id] = true;
	return true;
}

static bool count(struct kt_ir_statement *s, void *context)
{
	struct copies *c = context;
	const bool is_access = s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE;

	if (s->place != NULL && s->place->symbol != NULL && (!is_access || s->place->count != 0 || s->hint.is_volatile))
		c->kept[s->place->symbol->id] = true;
	if (s->kind == KT_IR_S_OPAQUE || s->kind == KT_IR_S_CALL)
		for (size_t i = 0; i < s->argument_count; i++)
			(void)kt_ir_visit_value(s->arguments[i], count_value, c);
	return kt_ir_visit_values(s, count_value, context);
}

/* ---- Locals in memory ---- */

static bool is_register(const struct copies *c, const struct kt_ir_symbol *symbol)
{
	return symbol != NULL && symbol->kind == KT_IR_LOCAL_SYMBOL && symbol->is_memory && !symbol->is_volatile &&
	       kt_ir_is_scalar(symbol->type) && !c->kept[symbol->id];
}

static bool lift(struct kt_ir_statement *s, void *context)
{
	struct copies *c = context;
	struct kt_ir_symbol *symbol = s->place == NULL ? NULL : (struct kt_ir_symbol *)(uintptr_t)s->place->symbol;

	if ((s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE) || !is_register(c, symbol))
		return true;
	if (s->kind == KT_IR_S_LOAD) {
		struct kt_ir_symbol as_is = *symbol;

		/* It is none in memory for the value alone; others of its accesses follow. */
		symbol->is_memory = false;
		s->value = kt_ir_read(c->module, symbol);
		symbol->is_memory = as_is.is_memory;
		s->kind = KT_IR_S_LET;
	} else {
		s->kind = KT_IR_S_SET;
		s->symbol = symbol;
	}
	s->place = NULL;
	s->hint = (struct kt_ir_hint){.cache = KT_IR_CACHE_NONE};
	c->changed = true;
	return !c->module->failed;
}

static bool declare(struct kt_ir_statement *s, void *context)
{
	struct copies *c = context;

	if (s->kind == KT_IR_S_DECLARE && is_register(c, s->symbol)) {
		s->symbol->is_memory = false;
		c->changed = true;
	}
	return true;
}

/* ---- Copies ---- */

/* Substitutes reads of the let in the statements after it, up to the one that sets the local. */
static bool forward(struct copies *c, struct kt_ir_statement *let, const struct kt_ir_value *value)
{
	const struct kt_ir_symbol *local = value->symbol;
	struct kt_ir_statement *last = NULL, *after;
	struct kt_ir_region range;
	unsigned found = 0;

	for (struct kt_ir_statement *s = let->next; s != NULL && found < c->reads[let->symbol->id]; s = s->next) {
		struct kt_ir_statement copy = *s;
		const struct kt_ir_region alone = {&copy, &copy};
		const bool sets = s->kind == KT_IR_S_SET ? s->symbol == local : false;

		copy.next = NULL;
		if (!sets && kt_ir_sets(&alone, local))
			return false;
		found += kt_ir_count_reads(&alone, let->symbol);
		last = s;
		if (sets)
			break;
	}
	if (last == NULL || found != c->reads[let->symbol->id])
		return false;
	after = last->next;
	last->next = NULL;
	range = (struct kt_ir_region){let->next, last};
	(void)kt_ir_substitute(c->module, &range, let->symbol, value);
	last->next = after;
	return true;
}

static void in_region(struct copies *c, struct kt_ir_region *region)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL && !c->module->failed; s = s->next) {
		struct kt_ir_statement *next = s->next;

		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_region(c, inner);
		if (s->kind != KT_IR_S_LET)
			continue;
		if (s->value->op == KT_IR_READ && is_plain(s->value->symbol) && forward(c, s, s->value)) {
			c->reads[s->value->symbol->id] += c->reads[s->symbol->id];
			c->reads[s->symbol->id] = 0;
			c->changed = true;
		} else if (next != NULL && next->kind == KT_IR_S_SET && next->value->op == KT_IR_READ &&
			   next->value->symbol == s->symbol && c->reads[s->symbol->id] == 1) {
			next->value = s->value;
			c->reads[s->symbol->id] = 0;
			c->changed = true;
		}
	}
}

/* The let of what nothing reads any more. */
static bool is_used(struct kt_ir_statement *s, void *context)
{
	const struct copies *c = context;

	return s->kind != KT_IR_S_LET || c->reads[s->symbol->id] > 0;
}

bool kt_ir_normal_copies(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_copies(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct copies c = {.module = n->module};

	c.reads = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *c.reads);
	c.kept = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *c.kept);
	if (c.reads == NULL || c.kept == NULL)
		return kt_ir_fail(n->module, "out of memory") != NULL;
	(void)kt_ir_visit(&f->body, count, &c);
	(void)kt_ir_visit(&f->body, lift, &c);
	(void)kt_ir_visit(&f->body, declare, &c);
	if (c.changed)
		return true;
	in_region(&c, &f->body);
	if (c.changed)
		(void)kt_ir_filter(&f->body, is_used, &c);
	return c.changed;
}
