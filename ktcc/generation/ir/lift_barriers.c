/* Barriers of the block out of branches. */
#include "generation/ir/team.h"

#include "generation/ir/walk.h"
#include "generation/ir/normal.h"

struct lifting {
	struct kt_ir_module *module;
	struct kt_ir_region *front; /* declarations of what both halves of a branch use */
};

static bool is_block_barrier(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_BARRIER && s->scope == KT_IR_BLOCK_SCOPE;
}

/*
 * What the first half of a list defines and the second half reads lives outside of both: temporaries are copied to locals,
 * locals are declared further outward.
 */
static void widen_scopes(struct lifting *l, struct kt_ir_region *first, struct kt_ir_region *second)
{
	struct kt_ir_module *m = l->module;

	for (struct kt_ir_statement *s = first->first, *before = NULL, *next; s != NULL && !m->failed; s = next) {
		struct kt_ir_region one = {NULL, NULL};
		struct kt_ir_symbol *local;

		next = s->next;
		if (s->kind == KT_IR_S_DECLARE && (kt_ir_count_reads(second, s->symbol) > 0 || kt_ir_sets(second, s->symbol) || s->symbol->is_memory)) {
			if (before == NULL)
				first->first = next;
			else
				before->next = next;
			if (first->last == s)
				first->last = before;
			s->next = NULL;
			kt_ir_push(l->front, s);
			continue;
		}
		before = s;
		if (s->symbol == NULL || s->symbol->kind != KT_IR_TEMPORARY || kt_ir_count_reads(second, s->symbol) == 0)
			continue;
		local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, s->symbol->type, s->symbol->hint);
		if (local == NULL)
			return;
		(void)kt_ir_declare(m, l->front, local);
		(void)kt_ir_set(m, &one, local, kt_ir_read(m, s->symbol));
		(void)kt_ir_substitute(m, second, s->symbol, kt_ir_read(m, local));
		before = kt_ir_insert(first, s, &one);
		next = before->next;
	}
}

/* Takes what comes after the region's first barrier out of it, and drops the barrier; false: it has none. */
static bool divide(struct kt_ir_region *region, struct kt_ir_region *behind)
{
	struct kt_ir_region first = {NULL, NULL};

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		if (is_block_barrier(s)) {
			*behind = (struct kt_ir_region){next, next == NULL ? NULL : region->last};
			*region = first;
			return true;
		}
		s->next = NULL;
		kt_ir_push(&first, s);
	}
	*region = first;
	return false;
}

static void in_region(struct lifting *l, struct kt_ir_region *region);

/* The parts of a list between its barriers, each under the condition, with the barriers between them. */
static void apart(struct lifting *l, struct kt_ir_region *to, struct kt_ir_statement *like, const struct kt_ir_value *condition,
		  struct kt_ir_region rest)
{
	struct kt_ir_module *m = l->module;
	struct kt_ir_region behind;
	bool more = true;

	while (more && !m->failed) {
		struct kt_ir_statement *branch, *barrier;

		more = divide(&rest, &behind);
		if (more)
			widen_scopes(l, &rest, &behind);
		branch = rest.first == NULL ? NULL : kt_ir_if(m, to, condition);
		if (branch != NULL) {
			branch->line = like->line;
			branch->origin = like->origin;
			branch->body = rest;
		}
		barrier = more ? kt_ir_append(m, to, KT_IR_S_BARRIER) : NULL;
		if (barrier != NULL)
			barrier->scope = KT_IR_BLOCK_SCOPE;
		rest = behind;
	}
}

static bool has_barrier(const struct kt_ir_region *region)
{
	for (const struct kt_ir_statement *s = region->first; s != NULL; s = s->next)
		if (is_block_barrier(s))
			return true;
	return false;
}

static void in_region(struct lifting *l, struct kt_ir_region *region)
{
	struct kt_ir_module *m = l->module;
	struct kt_ir_region made = {NULL, NULL};

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !m->failed; s = next) {
		const struct kt_ir_value *condition;

		next = s->next;
		s->next = NULL;
		if (s->kind == KT_IR_S_IF) {
			in_region(l, &s->body);
			in_region(l, &s->otherwise);
		}
		if (s->kind != KT_IR_S_IF || (!has_barrier(&s->body) && !has_barrier(&s->otherwise))) {
			kt_ir_push(&made, s);
			continue;
		}
		/* What is done under it may change what it reads. */
		condition = kt_ir_read(m, kt_ir_let(m, &made, "within", s->value));
		if (condition == NULL)
			return;
		apart(l, &made, s, condition, s->body);
		if (s->otherwise.first != NULL)
			apart(l, &made, s, kt_ir_opposite(m, condition), s->otherwise);
	}
	*region = made;
}

void kt_ir_lift_barriers(struct kt_ir_module *module, struct kt_ir_function *kernel)
{
	struct kt_ir_region front = {NULL, NULL};
	struct lifting l = {module, &front};

	in_region(&l, &kernel->body);
	(void)kt_ir_insert(&kernel->body, NULL, &front);
}
