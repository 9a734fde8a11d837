/*
 * Normal form: what cannot be reached or is not used is gone. Branches and cases that a constant decides, statements
 * after a jump, values and loads that nothing reads, sets of locals that nothing reads, empty statements. The only iteration
 * of a loop is no loop.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

struct dead {
	struct kt_ir_module *module;
	unsigned *reads, *named; /* by symbol id: reads as a value, places that have it as their root */
	bool changed;
};

static bool count(const struct kt_ir_value *value, void *context)
{
	struct dead *d = context;

	if (value->symbol != NULL)
		d->reads[value->symbol->id]++;
	if (value->place != NULL && value->place->symbol != NULL)
		d->named[value->place->symbol->id]++;
	return true;
}

static bool count_statement(struct kt_ir_statement *s, void *context)
{
	struct dead *d = context;

	if (s->place != NULL && s->place->symbol != NULL)
		d->named[s->place->symbol->id]++;
	return kt_ir_visit_values(s, count, context);
}

static bool is_jump(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_BREAK || s->kind == KT_IR_S_CONTINUE || s->kind == KT_IR_S_RETURN;
}

static bool is_empty(const struct kt_ir_statement *s)
{
	for (size_t i = 0; i < s->case_count; i++)
		if (s->cases[i].body.first != NULL)
			return false;
	return s->body.first == NULL && s->otherwise.first == NULL;
}

/* A `for` that begins and ends with constants. */
static bool has_constants(const struct kt_ir_statement *s, int64_t *low, int64_t *high, int64_t *step)
{
	return s->kind == KT_IR_S_FOR && kt_ir_is_constant(s->value, low) && kt_ir_is_constant(s->further[0], high) &&
	       kt_ir_is_constant(s->further[1], step);
}

/* Has the statement no effect that anything sees? */
static bool is_unused(const struct dead *d, const struct kt_ir_statement *s)
{
	int64_t low, high, step;

	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_SET:
		return d->reads[s->symbol->id] == 0;
	case KT_IR_S_LOAD:
		return d->reads[s->symbol->id] == 0 && !s->hint.is_volatile &&
		       (s->place->pointer == NULL || !s->place->pointer->type->is_volatile) &&
		       (s->place->symbol == NULL || !s->place->symbol->is_volatile);
	case KT_IR_S_DECLARE:
		return s->symbol->kind == KT_IR_LOCAL_SYMBOL && d->reads[s->symbol->id] == 0 &&
		       d->named[s->symbol->id] == 0;
	case KT_IR_S_IF:
	case KT_IR_S_SWITCH:
		return is_empty(s);
	case KT_IR_S_FOR:
		return is_empty(s) || (has_constants(s, &low, &high, &step) && (step > 0 ? low >= high : low <= high));
	default:
		return false;
	}
}

static bool is_not_opaque(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_OPAQUE;
}

/* The body of a loop of one iteration, with its number in the counter's place; NULL: it has none, or more, or a jump counts it. */
static struct kt_ir_region *only_iteration(struct dead *d, struct kt_ir_statement *s)
{
	int64_t low, high, step, next;

	if (!has_constants(s, &low, &high, &step) || (step > 0 ? low >= high : low <= high) ||
	    (!__builtin_add_overflow(low, step, &next) && (step > 0 ? next < high : next > high)) ||
	    kt_ir_jumps(&s->body, KT_IR_S_CONTINUE) || kt_ir_leaves(&s->body) || !kt_ir_visit(&s->body, is_not_opaque, NULL))
		return NULL;
	(void)kt_ir_substitute(d->module, &s->body, s->symbol, s->value);
	return &s->body;
}

/* The region that a constant condition chooses; NULL: there is none. *decided: the condition is a constant. */
static struct kt_ir_region *chosen(struct kt_ir_statement *s, bool *decided)
{
	struct kt_ir_region *otherwise = NULL;
	int64_t value;

	*decided = false;
	if ((s->kind != KT_IR_S_IF && s->kind != KT_IR_S_SWITCH) || !kt_ir_is_constant(s->value, &value))
		return NULL;
	*decided = true;
	if (s->kind == KT_IR_S_IF)
		return value != 0 ? &s->body : &s->otherwise;
	for (size_t i = 0; i < s->case_count; i++) {
		if (s->cases[i].count == 0)
			otherwise = &s->cases[i].body;
		for (size_t j = 0; j < s->cases[i].count; j++)
			if (s->cases[i].values[j] == value)
				return &s->cases[i].body;
	}
	return otherwise;
}

/* if (c) { } else { … } */
static void turn(struct dead *d, struct kt_ir_statement *s)
{
	if (s->kind != KT_IR_S_IF || s->body.first != NULL || s->otherwise.first == NULL)
		return;
	s->value = kt_ir_opposite(d->module, s->value);
	kt_ir_splice(&s->body, &s->otherwise);
	d->changed = true;
}

static void clean(struct dead *d, struct kt_ir_region *region)
{
	struct kt_ir_region kept = {NULL, NULL}, *inner;
	bool decided, ended = false;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		inner = chosen(s, &decided);
		if (!decided && !ended && (inner = only_iteration(d, s)) != NULL)
			decided = true;
		if (decided && !ended) {
			d->changed = true;
			if (inner == NULL || inner->first == NULL)
				continue;
			/* What was chosen takes the statement's place, and is looked at in its turn. */
			inner->last->next = next;
			next = inner->first;
			continue;
		}
		if (ended || is_unused(d, s)) {
			d->changed = true;
			continue;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			clean(d, inner);
		turn(d, s);
		kt_ir_push(&kept, s);
		ended = is_jump(s);
	}
	*region = kept;
}

/* A continue at the end of a loop's body, and a return at the end of a function, lead where control goes anyway. */
static void drop_last(struct dead *d, struct kt_ir_region *region, enum kt_ir_statement_kind kind)
{
	struct kt_ir_region kept = {NULL, NULL};

	if (region->last != NULL && region->last->kind == kind && region->last->number == 0 &&
	    region->last->value == NULL) {
		for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
			next = s->next;
			if (next != NULL)
				kt_ir_push(&kept, s);
		}
		*region = kept;
		d->changed = true;
	}
	if (region->last != NULL && region->last->kind == KT_IR_S_IF) {
		drop_last(d, &region->last->body, kind);
		drop_last(d, &region->last->otherwise, kind);
	}
}

static bool drop_continues(struct kt_ir_statement *s, void *context)
{
	if (s->kind == KT_IR_S_LOOP || s->kind == KT_IR_S_FOR)
		drop_last(context, &s->body, KT_IR_S_CONTINUE);
	return true;
}

bool kt_ir_normal_dead(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_dead(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	struct dead d = {.module = n->module};
	bool changed = false;

	do {
		d.changed = false;
		d.reads = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *d.reads);
		d.named = kt_arena_array(n->module->arena, (size_t)n->module->next_id + 1, sizeof *d.named);
		if (d.reads == NULL || d.named == NULL)
			return kt_ir_fail(n->module, "out of memory") != NULL;
		(void)kt_ir_visit(&f->body, count_statement, &d);
		drop_last(&d, &f->body, KT_IR_S_RETURN);
		(void)kt_ir_visit(&f->body, drop_continues, &d);
		clean(&d, &f->body);
		changed |= d.changed;
	} while (d.changed && !n->module->failed);
	return changed;
}
