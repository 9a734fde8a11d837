/* Effects of statements, and aliasing of places. */
#include "generation/ir/effect.h"

#include "generation/ir/walk.h"

static bool is_volatile(const struct kt_ir_statement *s)
{
	return s->hint.is_volatile ||
	       (s->place != NULL && s->place->pointer != NULL && s->place->pointer->type->is_volatile) ||
	       (s->place != NULL && s->place->symbol != NULL && s->place->symbol->is_volatile);
}

static bool names_thread(const struct kt_ir_value *v, void *context)
{
	unsigned *effects = context;

	if (v->op == KT_IR_AXIS && (v->axis == KT_IR_THREAD || v->axis == KT_IR_LANE))
		*effects |= KT_IR_THREAD_DEPENDENT;
	return true;
}

/* Of the statement alone, without what is inside of it. */
static unsigned own_effects(const struct kt_ir_statement *s)
{
	unsigned effects = 0;

	(void)kt_ir_visit_values(s, names_thread, &effects);
	switch (s->kind) {
	case KT_IR_S_LOAD:
		effects |= KT_IR_READS_MEMORY;
		break;
	case KT_IR_S_STORE:
		effects |= KT_IR_WRITES_MEMORY;
		break;
	case KT_IR_S_ATOMIC:
		effects |= KT_IR_READS_MEMORY | KT_IR_WRITES_MEMORY;
		if (s->order != KT_IR_RELAXED)
			effects |= KT_IR_SYNCHRONISES;
		break;
	case KT_IR_S_COLLECTIVE:
	case KT_IR_S_BARRIER:
	case KT_IR_S_FENCE:
		effects |= KT_IR_SYNCHRONISES;
		break;
	case KT_IR_S_RETURN:
		effects |= KT_IR_MAY_NOT_RETURN;
		break;
	case KT_IR_S_OPAQUE:
		effects |= s->effects;
		break;
	case KT_IR_S_CALL:
		effects |= s->callee->has_body ? kt_ir_effects_of(&s->callee->body) & ~(unsigned)KT_IR_MAY_NOT_RETURN
					       : s->callee->effects;
		break;
	default:
		break;
	}
	return effects | (is_volatile(s) ? KT_IR_VOLATILE : 0);
}

static bool add_effects(struct kt_ir_statement *s, void *context)
{
	*(unsigned *)context |= own_effects(s);
	return true;
}

unsigned kt_ir_effects_of(const struct kt_ir_region *region)
{
	unsigned effects = 0;

	(void)kt_ir_visit(region, add_effects, &effects);
	return effects;
}

unsigned kt_ir_statement_effects(const struct kt_ir_statement *s)
{
	struct kt_ir_statement copy = *s;

	copy.next = NULL;
	return kt_ir_effects_of(&(struct kt_ir_region){&copy, &copy});
}

bool kt_ir_only_reports(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_OPAQUE && (s->effects & ~(unsigned)KT_IR_TRAPS) == 0 && s->symbol == NULL;
}

const struct kt_ir_symbol *kt_ir_root_of(const struct kt_ir_place *place)
{
	const struct kt_ir_value *pointer = place->pointer;

	if (place->symbol != NULL)
		return place->symbol;
	while (pointer->op == KT_IR_CONVERT && pointer->arguments[0]->type->kind == KT_IR_POINTER)
		pointer = pointer->arguments[0];
	if (pointer->op == KT_IR_ADDRESS)
		return kt_ir_root_of(pointer->place);
	return pointer->op == KT_IR_READ && pointer->symbol->kind == KT_IR_ARGUMENT ? pointer->symbol : NULL;
}

/* Memory that no pointer of another thread or of the host leads to. */
static bool is_own(const struct kt_ir_symbol *root)
{
	return root != NULL && root->is_memory &&
	       (root->kind == KT_IR_SHARED_SYMBOL || root->kind == KT_IR_LOCAL_SYMBOL || root->kind == KT_IR_TEMPORARY);
}

static bool is_object(const struct kt_ir_symbol *root)
{
	return root != NULL && root->is_memory;
}

bool kt_ir_may_alias(const struct kt_ir_place *a, const struct kt_ir_place *b)
{
	const struct kt_ir_symbol *x = kt_ir_root_of(a), *y = kt_ir_root_of(b);
	const enum kt_ir_space s = kt_ir_space_of(a), t = kt_ir_space_of(b);

	if (x != NULL && x == y)
		return true;
	if (s != t && s != KT_IR_SPACE_GENERIC && t != KT_IR_SPACE_GENERIC)
		return false;
	if (is_object(x) && is_object(y))
		return false;
	/* What is reached through a restrict argument is reached through nothing else. */
	if (x != NULL && y != NULL && (x->is_restrict || y->is_restrict))
		return false;
	/* An argument leads to memory that was there before the kernel. */
	if ((is_own(x) && y != NULL) || (is_own(y) && x != NULL))
		return false;
	return true;
}

struct change {
	const struct kt_ir_place *place;
	bool is_kept; /* const and restrict: nothing writes it while the kernel runs */
};

static bool leaves_as_is(struct kt_ir_statement *s, void *context)
{
	const struct change *c = context;
	const unsigned effects = own_effects(s);

	if (s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_ATOMIC)
		return !kt_ir_may_alias(s->place, c->place);
	if (c->is_kept)
		return (effects & KT_IR_VOLATILE) == 0;
	return (effects & (KT_IR_WRITES_MEMORY | KT_IR_SYNCHRONISES)) == 0;
}

bool kt_ir_may_change(const struct kt_ir_region *region, const struct kt_ir_place *place)
{
	const struct kt_ir_symbol *root = kt_ir_root_of(place);
	const struct change c = {place, root != NULL && root->kind == KT_IR_ARGUMENT && root->is_restrict &&
					    root->type->kind == KT_IR_POINTER && root->type->is_const};

	if (root != NULL && (root->is_volatile || (root->type->kind == KT_IR_POINTER && root->type->is_volatile)))
		return true;
	return !kt_ir_visit(region, leaves_as_is, (void *)(uintptr_t)&c);
}

/* Several of one of these give the same in any order. */
static const bool is_commutative[KT_IR_ATOMICS] = {[KT_IR_A_ADD] = true, [KT_IR_A_SUB] = true, [KT_IR_A_MIN] = true,
						   [KT_IR_A_MAX] = true, [KT_IR_A_AND] = true, [KT_IR_A_OR] = true,
						   [KT_IR_A_XOR] = true};

bool kt_ir_commute(const struct kt_ir_statement *a, const struct kt_ir_statement *b)
{
	return a->kind == KT_IR_S_ATOMIC && b->kind == KT_IR_S_ATOMIC && a->number == b->number && is_commutative[a->number] &&
	       a->value->type == b->value->type;
}

bool kt_ir_note_apart(struct kt_ir_apart *apart, const struct kt_ir_place *place, const struct kt_ir_place *written)
{
	const struct kt_ir_symbol *a = kt_ir_root_of(place), *b = kt_ir_root_of(written);

	if (!kt_ir_may_alias(place, written))
		return true;
	if (a == NULL || b == NULL || a == b || a->kind != KT_IR_ARGUMENT || b->kind != KT_IR_ARGUMENT)
		return false;
	for (size_t i = 0; i < apart->count; i++)
		if (apart->pairs[i][0] == a && apart->pairs[i][1] == b)
			return true;
	if (apart->count == KT_IR_MOST_APART)
		return false;
	apart->pairs[apart->count][0] = a;
	apart->pairs[apart->count++][1] = b;
	return true;
}
