/*
 * Normal form: a load of what was loaded before, which nothing may have changed since, takes the value of the first one; one
 * through either of two addresses, as after std::max, selects of both values.
 *
 * Kernels have no races (docs/ir.md, Semantics): what another thread writes is visible only after a barrier or the like.
 */
#include "generation/ir/effect.h"
#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

enum { MOST_LOADS = 64 };

/* The loads whose values are known here, those of statements around first. */
struct known {
	size_t count;
	const struct kt_ir_statement *loads[MOST_LOADS];
};

struct loads {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	bool changed;
};

static bool is_plain(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_LOAD && !s->hint.is_volatile && s->hint.cache != KT_IR_CV &&
	       (s->place->pointer == NULL || !s->place->pointer->type->is_volatile) &&
	       (s->place->symbol == NULL || !s->place->symbol->is_volatile);
}

struct setting {
	const struct kt_ir_region *region;
};

static bool is_not_set(const struct kt_ir_value *v, void *context)
{
	const struct setting *setting = context;

	return v->op != KT_IR_READ || !kt_ir_sets(setting->region, v->symbol);
}

/* Those that the statement may change, the memory or which memory it is, are not known any more. */
static void forget(struct known *known, const struct kt_ir_statement *s)
{
	struct kt_ir_statement copy = *s;
	const struct kt_ir_region alone = {&copy, &copy};
	struct setting setting = {&alone};
	size_t kept = 0;

	copy.next = NULL;
	for (size_t i = 0; i < known->count; i++)
		if (!kt_ir_may_change(&alone, known->loads[i]->place) &&
		    kt_ir_visit_place(known->loads[i]->place, is_not_set, &setting))
			known->loads[kept++] = known->loads[i];
	known->count = kept;
}

/* The value of a known load of the place; NULL: there is none. */
static const struct kt_ir_value *value_at(struct loads *l, const struct known *known, const struct kt_ir_place *place,
					  enum kt_ir_cache cache)
{
	for (size_t i = 0; i < known->count; i++)
		if (known->loads[i]->place->type == place->type && kt_ir_same_place(place, known->loads[i]->place) &&
		    known->loads[i]->hint.cache == cache)
			return kt_ir_read(l->module, known->loads[i]->symbol);
	return NULL;
}

/* What lies at an address, seen as that type. */
static const struct kt_ir_value *value_behind(struct loads *l, const struct known *known, const struct kt_ir_value *address,
					      const struct kt_ir_statement *load)
{
	while (address->op == KT_IR_CONVERT && address->mode == KT_IR_AS_VALUE)
		address = address->arguments[0];
	return address->op == KT_IR_ADDRESS && address->place->type == load->place->type
		   ? value_at(l, known, address->place, load->hint.cache)
		   : NULL;
}

static const struct kt_ir_value *selected(struct loads *l, const struct known *known, const struct kt_ir_statement *load)
{
	const struct kt_ir_value *pointer = load->place->pointer, *a, *b;

	if (pointer == NULL || load->place->count != 0)
		return NULL;
	pointer = kt_ir_behind_let(&l->lets, pointer);
	if (pointer->op != KT_IR_SELECT)
		return NULL;
	a = value_behind(l, known, pointer->arguments[1], load);
	b = value_behind(l, known, pointer->arguments[2], load);
	return a == NULL || b == NULL ? NULL : kt_ir_apply(l->module, KT_IR_SELECT, pointer->arguments[0], a, b);
}

static void load(struct loads *l, struct known *known, struct kt_ir_statement *s)
{
	const struct kt_ir_value *value;

	if (!is_plain(s))
		return;
	value = value_at(l, known, s->place, s->hint.cache);
	if (value == NULL)
		value = selected(l, known, s);
	if (value == NULL) {
		if (known->count < MOST_LOADS)
			known->loads[known->count++] = s;
		return;
	}
	s->kind = KT_IR_S_LET;
	s->value = value;
	s->place = NULL;
	s->hint = (struct kt_ir_hint){.cache = KT_IR_CACHE_NONE};
	l->changed = true;
}

static void in_region(struct loads *l, struct kt_ir_region *region, struct known known)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL && !l->module->failed; s = s->next) {
		if (s->kind == KT_IR_S_LOAD) {
			load(l, &known, s);
			continue;
		}
		/* What an iteration changes is not what the next one begins with. */
		if (s->kind != KT_IR_S_IF && s->kind != KT_IR_S_SWITCH)
			forget(&known, s);
		/* A loop that does not count may wait for what others write. */
		for (size_t k = 0; (inner = kt_ir_region_of(s, k)) != NULL; k++)
			in_region(l, inner, s->kind == KT_IR_S_LOOP ? (struct known){.count = 0} : known);
		forget(&known, s);
	}
}

bool kt_ir_normal_loads(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_loads(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct loads l = {.module = n->module};

	if (!kt_ir_lets_of(&l.lets, n->module->arena, n->module, f))
		return kt_ir_fail(n->module, "out of memory") != NULL;
	in_region(&l, &f->body, (struct known){.count = 0});
	return l.changed;
}
