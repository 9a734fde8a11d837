/* Choices that were written as several branches or selections. */
#include "generation/ir/team.h"

#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

static bool is_kept_local(const struct kt_ir_symbol *symbol)
{
	return symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_memory;
}

/* The condition of a branch without another side, or of `v = c ? e : v`; NULL: it is neither. */
static const struct kt_ir_value *condition_of(const struct kt_ir_statement *s)
{
	const struct kt_ir_value *v = s->value;

	if (s->kind == KT_IR_S_IF)
		return s->otherwise.first == NULL ? v : NULL;
	return s->kind == KT_IR_S_SET && is_kept_local(s->symbol) && v->op == KT_IR_SELECT && v->arguments[2]->op == KT_IR_READ &&
		       v->arguments[2]->symbol == s->symbol
		   ? v->arguments[0]
		   : NULL;
}

struct changes {
	const struct kt_ir_statement *statement;
	bool found;
};

static bool is_unset(const struct kt_ir_value *v, void *context)
{
	struct changes *c = context;

	if (v->op == KT_IR_READ && v->symbol->kind == KT_IR_LOCAL_SYMBOL &&
	    (c->statement->symbol == v->symbol || kt_ir_sets(&c->statement->body, v->symbol) || kt_ir_sets(&c->statement->otherwise, v->symbol)))
		c->found = true;
	return !c->found;
}

/* May the statement set a local that the value reads? */
static bool changes(const struct kt_ir_statement *s, const struct kt_ir_value *value)
{
	struct changes c = {s, false};

	if (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_DECLARE)
		return false;
	if (s->kind != KT_IR_S_SET && s->kind != KT_IR_S_IF)
		return true;
	(void)kt_ir_visit_value(value, is_unset, &c);
	return c.found;
}

/* A branch whose condition is a let of a comparison has the comparison, where that is the same still. */
static void name_condition(const struct kt_ir_region *region, struct kt_ir_statement *branch)
{
	const struct kt_ir_value *found = NULL;

	if (branch->kind != KT_IR_S_IF || branch->value->op != KT_IR_READ)
		return;
	for (const struct kt_ir_statement *s = region->first; s != NULL && s != branch; s = s->next) {
		if (s->kind == KT_IR_S_LET && s->symbol == branch->value->symbol)
			found = s->value;
		else if (found != NULL && changes(s, found))
			return;
	}
	if (found != NULL)
		branch->value = found;
}

/* The statements of a conditional one, at the end of the branch. */
static void move_into(struct kt_ir_module *m, struct kt_ir_statement *branch, struct kt_ir_statement *s)
{
	if (s->kind == KT_IR_S_IF)
		kt_ir_splice(&branch->body, &s->body);
	else
		(void)kt_ir_set(m, &branch->body, s->symbol, s->value->arguments[1]);
}

/* How many statements from here on are under one condition, which none but the last of them changes. */
static size_t run_of(const struct kt_ir_statement *from)
{
	const struct kt_ir_value *condition = condition_of(from);
	size_t count = 1;

	if (condition == NULL)
		return 0;
	for (const struct kt_ir_statement *s = from; s->next != NULL && !changes(s, condition); s = s->next) {
		const struct kt_ir_value *next = condition_of(s->next);

		if (next == NULL || !kt_ir_same(next, condition))
			break;
		count++;
	}
	return count;
}

static void in_region(struct kt_ir_module *m, struct kt_ir_region *region, bool is_in_loop)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !m->failed; s = next) {
		const size_t count = is_in_loop ? run_of(s) : 0;
		struct kt_ir_statement *branch = s;

		next = s->next;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			in_region(m, inner, is_in_loop || s->kind == KT_IR_S_FOR);
		if (count > 1) {
			branch = kt_ir_statement_new(m, KT_IR_S_IF, s);
			if (branch == NULL)
				return;
			branch->value = condition_of(s);
			for (size_t i = 0; i < count; i++) {
				next = s->next;
				move_into(m, branch, s);
				s = next;
			}
		}
		branch->next = NULL;
		kt_ir_push(&made, branch);
	}
	*region = made;
	for (struct kt_ir_statement *s = region->first; is_in_loop && s != NULL; s = s->next)
		name_condition(region, s);
}

void kt_ir_join_branches(struct kt_ir_module *module, struct kt_ir_function *kernel)
{
	in_region(module, &kernel->body, false);
	/* Lets of conditions. */
	while (!module->failed && kt_ir_normalise_by(module, KT_IR_N_DEAD, NULL))
		continue;
}
