/*
 * Normal form: a for whose start differs from thread to thread or from block to block, and whose end is that plus what does not,
 * counts from zero: `for (i = row * n; i < row * n + n; i++)`. The counter is its start plus the new one. Of one that counts down from
 * an argument, where it is asked for, the counter is its start minus the new one.
 */
#include "generation/ir/form.h"
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

struct origin {
	struct kt_ir_module *module;
	struct kt_ir_lets lets;
	const struct kt_ir_symbol *old; /* the counter */
	const struct kt_ir_value *start, *passed, *now; /* what it began with, how far it is from there (the new counter), what it is */
	bool takes_down, is_down, changed; /* takes_down: loops that count down are sought, too */
};

static bool is_no_index(const struct kt_ir_value *v, void *context)
{
	(void)context;
	return v->op != KT_IR_AXIS || (v->axis != KT_IR_THREAD && v->axis != KT_IR_BLOCK && v->axis != KT_IR_LANE);
}

/* Is an index of the launch in it? */
static bool has_index(const struct kt_ir_form *form)
{
	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++)
			if (!kt_ir_visit_value(form->terms[i].atoms[k], is_no_index, NULL))
				return true;
	return false;
}

/* Is the atom an argument, or an extent of the launch? */
static bool is_of_launch(const struct origin *o, const struct kt_ir_value *atom)
{
	if (atom->op == KT_IR_AXIS)
		return is_no_index(atom, NULL);
	return atom->op == KT_IR_READ && atom->symbol->kind == KT_IR_ARGUMENT && o->lets.sets[atom->symbol->id] == 0;
}

static bool is_of_launch_alone(const struct origin *o, const struct kt_ir_form *form)
{
	for (size_t i = 0; i < form->count; i++)
		for (unsigned k = 0; k < form->terms[i].count; k++)
			if (!is_of_launch(o, form->terms[i].atoms[k]))
				return false;
	return true;
}

/* The type that the difference surely has: the counter's, where it is one value of that type. */
static const struct kt_ir_type *type_of(const struct origin *o, const struct kt_ir_form *form, const struct kt_ir_type *counter)
{
	const struct kt_ir_term *t = &form->terms[0];
	const bool is_number = form->count == 0 && form->constant <= INT32_MAX && form->constant >= 0;
	const bool is_one = form->count == 1 && form->constant == 0 && t->factor == 1 && t->count == 1 && t->atoms[0]->op == KT_IR_READ &&
			    t->atoms[0]->type->bits <= counter->bits && t->atoms[0]->type->is_signed == counter->is_signed;

	return is_number || is_one ? counter : kt_ir_integer(o->module, 64, true);
}

/* The difference of end and start, which is the same everywhere. False: it is not known to be. */
static bool subtract(struct kt_ir_form *form, const struct origin *o, const struct kt_ir_statement *loop)
{
	struct kt_ir_form start, end;

	return kt_ir_form_of(&start, &o->lets, loop->value, false) && kt_ir_form_of(&end, &o->lets, loop->further[0], false) &&
	       kt_ir_form_minus(form, o->is_down ? &start : &end, o->is_down ? &end : &start) && form->bits == 128 && is_of_launch_alone(o, form);
}

/* The same, where the end may be the start's let plus something: that let may hold what is no sum. */
static bool subtract_let(struct kt_ir_form *form, struct origin *o, const struct kt_ir_statement *loop)
{
	const struct kt_ir_symbol *symbol = loop->value->op == KT_IR_READ ? loop->value->symbol : NULL;
	const struct kt_ir_value *held;
	bool is_found;

	if (symbol == NULL || symbol->id >= o->lets.count)
		return subtract(form, o, loop);
	held = o->lets.values[symbol->id];
	o->lets.values[symbol->id] = NULL;
	is_found = subtract(form, o, loop);
	o->lets.values[symbol->id] = held;
	return is_found || subtract(form, o, loop);
}

/* How far the loop counts; NULL: that is not known to be the same everywhere, or is already what it counts to. */
static const struct kt_ir_value *distance(struct origin *o, const struct kt_ir_statement *loop)
{
	struct kt_ir_form start, form;
	int64_t step;

	if (!kt_ir_is_constant(loop->further[1], &step) || step == 0 || step == INT64_MIN || !kt_ir_form_of(&start, &o->lets, loop->value, false))
		return NULL;
	o->is_down = step < 0;
	if ((o->is_down ? !o->takes_down || start.count == 0 : !has_index(&start)) || !subtract_let(&form, o, loop))
		return NULL;
	return kt_ir_sum_value(o->module, &form, type_of(o, &form, loop->symbol->type));
}

/* now - start, maybe both as another type: how far the counter is. NULL: it is another difference. */
static const struct kt_ir_value *difference(const struct origin *o, const struct kt_ir_value *v)
{
	const struct kt_ir_value *a = v->arguments[0], *b = v->arguments[1];

	if (a->op == KT_IR_CONVERT && b->op == KT_IR_CONVERT && a->mode == KT_IR_AS_VALUE && b->mode == KT_IR_AS_VALUE && a->arguments[0] == o->now) {
		a = a->arguments[0];
		b = b->arguments[0];
	}
	if (a != o->now || !kt_ir_same(b, o->start) || !kt_ir_is_steady(&o->lets, b))
		return NULL;
	a = kt_ir_convert(o->module, o->passed, v->type, KT_IR_AS_VALUE);
	return o->is_down ? kt_ir_apply(o->module, KT_IR_NEG, a, NULL, NULL) : a;
}

static const struct kt_ir_value *with_start(const struct kt_ir_value *v, void *context)
{
	const struct origin *o = context;
	const struct kt_ir_value *far;

	if (v->op == KT_IR_READ && v->symbol == o->old)
		return o->now;
	far = v->op == KT_IR_SUB && v->type->kind == KT_IR_INTEGER ? difference(o, v) : NULL;
	return far == NULL ? v : far;
}

static void move(struct origin *o, struct kt_ir_region *before, struct kt_ir_statement *loop, const struct kt_ir_value *distance)
{
	struct kt_ir_module *m = o->module;
	struct kt_ir_symbol *start = kt_ir_let(m, before, loop->symbol->hint, loop->value),
			    *counter = kt_ir_symbol(m, KT_IR_COUNTER, distance->type, loop->symbol->hint);
	int64_t step = 0;

	if (start == NULL || counter == NULL)
		return;
	o->old = loop->symbol;
	o->start = loop->value;
	o->passed = kt_ir_read(m, counter);
	o->now = kt_ir_apply(m, o->is_down ? KT_IR_SUB : KT_IR_ADD, kt_ir_read(m, start),
			     kt_ir_convert(m, o->passed, start->type, KT_IR_AS_VALUE), NULL);
	/* It is between the loop's start and its end; how far it is from there may be more than a number of its type. */
	if (distance->type->bits <= start->type->bits)
		o->now = kt_ir_no_wrap(m, o->now);
	if (o->now == NULL)
		return;
	(void)kt_ir_rewrite_region(m, &loop->body, with_start, o);
	(void)kt_ir_is_constant(loop->further[1], &step);
	loop->symbol = counter;
	loop->value = kt_ir_constant(m, distance->type, 0);
	loop->further[0] = distance;
	loop->further[1] = kt_ir_constant(m, distance->type, step < 0 ? -step : step);
	o->changed = true;
}

static void each_region(struct origin *o, struct kt_ir_region *region)
{
	struct kt_ir_statement *previous = NULL;
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL && !o->module->failed; previous = s, s = s->next) {
		struct kt_ir_region before = {NULL, NULL};
		const struct kt_ir_value *far;

		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			each_region(o, inner);
		far = s->kind == KT_IR_S_FOR ? distance(o, s) : NULL;
		if (far == NULL)
			continue;
		move(o, &before, s, far);
		(void)kt_ir_insert(region, previous, &before);
	}
}

static bool count_from_zero(struct kt_ir_module *m, struct kt_ir_function *f, bool takes_down)
{
	struct origin o = {.module = m, .takes_down = takes_down};

	if (!kt_ir_lets_of(&o.lets, m->arena, m, f))
		return kt_ir_fail(m, "out of memory") != NULL;
	each_region(&o, &f->body);
	return o.changed;
}

bool kt_ir_normal_origin(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_origin(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	return count_from_zero(n->module, f, false);
}

void kt_ir_count_up(struct kt_ir_module *module)
{
	(void)count_from_zero(module, module->last_function, true);
}
