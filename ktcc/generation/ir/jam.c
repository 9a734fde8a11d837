/* Unroll and jam. */
#include "generation/ir/jam.h"

#include "generation/ir/normal.h"

static void one_by_one(struct kt_ir_jam *j, struct kt_ir_region *to, const struct kt_ir_statement *s)
{
	for (size_t i = 0; i < j->count; i++)
		(void)kt_ir_clone_statement(&j->items[i], to, s);
}

static const struct kt_ir_value *value_of(struct kt_ir_jam *j, size_t item, const struct kt_ir_value *value)
{
	const struct kt_ir_value *made = kt_ir_clone_value(&j->items[item], value);

	return made == NULL ? NULL : kt_ir_fold_all(j->module, made);
}

/* Is the value the same for all items? */
static bool is_common(struct kt_ir_jam *j, const struct kt_ir_value *value)
{
	const struct kt_ir_value *first = value_of(j, 0, value);

	for (size_t i = 1; i < j->count; i++)
		if (!kt_ir_same(first, value_of(j, i, value)))
			return false;
	return first != NULL;
}

/* A temporary that all items have alike is one. */
static bool share(struct kt_ir_jam *j, struct kt_ir_region *to, const struct kt_ir_statement *s)
{
	const bool is_load = s->kind == KT_IR_S_LOAD && !s->hint.is_volatile;
	const struct kt_ir_statement *made;

	if (s->kind != KT_IR_S_LET && !is_load)
		return false;
	if (!is_common(j, is_load ? kt_ir_address(j->module, s->place) : s->value))
		return false;
	made = kt_ir_clone_statement(&j->items[0], to, s);
	for (size_t i = 1; made != NULL && i < j->count; i++)
		j->items[i].symbols[s->symbol->id] = made->symbol;
	return true;
}

static void branch(struct kt_ir_jam *j, struct kt_ir_region *to, const struct kt_ir_statement *s)
{
	const struct kt_ir_value *all = value_of(j, 0, s->value);
	struct kt_ir_statement *made, **slot;

	if (is_common(j, s->value)) {
		made = kt_ir_if(j->module, to, all);
		if (made == NULL)
			return;
		kt_ir_jam_region(j, &made->body, &s->body);
		kt_ir_jam_region(j, &made->otherwise, &s->otherwise);
	} else {
		for (size_t i = 1; i < j->count; i++)
			all = kt_ir_apply(j->module, KT_IR_BOTH, all, value_of(j, i, s->value), NULL);
		made = kt_ir_if(j->module, to, all);
		if (made == NULL)
			return;
		kt_ir_jam_region(j, &made->body, &s->body);
		one_by_one(j, &made->otherwise, s);
		slot = kt_arena_push(j->module->arena, &j->splits, &j->split_count, sizeof *slot);
		if (slot == NULL) {
			kt_ir_fail(j->module, "out of memory");
			return;
		}
		*slot = made;
	}
	made->line = s->line;
	made->origin = s->origin;
}

static void loop(struct kt_ir_jam *j, struct kt_ir_region *to, const struct kt_ir_statement *s)
{
	struct kt_ir_statement *made;

	if (!is_common(j, s->value) || !is_common(j, s->further[0]) || !is_common(j, s->further[1]) ||
	    kt_ir_jumps(&s->body, KT_IR_S_CONTINUE) || kt_ir_leaves(&s->body)) {
		one_by_one(j, to, s);
		return;
	}
	made = kt_ir_for(j->module, to, s->symbol->hint, value_of(j, 0, s->value), value_of(j, 0, s->further[0]),
			 value_of(j, 0, s->further[1]));
	if (made == NULL)
		return;
	made->line = s->line;
	made->origin = s->origin;
	made->unroll = s->unroll;
	made->at_most_once = s->at_most_once;
	for (size_t i = 0; i < j->count; i++)
		j->items[i].symbols[s->symbol->id] = made->symbol;
	kt_ir_jam_region(j, &made->body, &s->body);
}

struct carrying {
	const struct kt_ir_jam *jam;
	const struct kt_ir_statement *branch;
	bool found;
};

/* A local that all items have in common, which the branch sets. */
static bool is_not_carried(const struct kt_ir_value *v, void *context)
{
	struct carrying *c = context;

	if (v->op == KT_IR_READ && v->symbol->kind == KT_IR_LOCAL_SYMBOL &&
	    (v->symbol->id >= c->jam->items[0].room || c->jam->items[0].symbols[v->symbol->id] == NULL) &&
	    (kt_ir_sets(&c->branch->body, v->symbol) || kt_ir_sets(&c->branch->otherwise, v->symbol)))
		c->found = true;
	return !c->found;
}

/* Does an item's condition depend on whether the item before took the branch? */
static bool is_carried(const struct kt_ir_jam *j, const struct kt_ir_statement *s)
{
	struct carrying c = {j, s, false};

	(void)kt_ir_visit_value(s->value, is_not_carried, &c);
	return c.found;
}

void kt_ir_jam_region(struct kt_ir_jam *j, struct kt_ir_region *to, const struct kt_ir_region *from)
{
	for (const struct kt_ir_statement *s = from->first; s != NULL && !j->module->failed; s = s->next) {
		/* What jumps out of a branch leaves that of its item alone. */
		if (s->kind == KT_IR_S_IF && !is_carried(j, s) && !kt_ir_jumps(&s->body, KT_IR_S_BREAK) &&
		    !kt_ir_jumps(&s->otherwise, KT_IR_S_BREAK) && !kt_ir_jumps(&s->body, KT_IR_S_CONTINUE) &&
		    !kt_ir_jumps(&s->otherwise, KT_IR_S_CONTINUE) && !kt_ir_leaves(&s->body) &&
		    !kt_ir_leaves(&s->otherwise))
			branch(j, to, s);
		else if (s->kind == KT_IR_S_FOR)
			loop(j, to, s);
		else if (!share(j, to, s))
			one_by_one(j, to, s);
	}
}
