/* Conditions without which a work item of a product does nothing: bounds of its indices, and what is the same for the whole block. */
#include "generation/ir/bounds.h"
#include "generation/ir/product.h"
#include "generation/ir/walk.h"

/* Lets that read each other, as deep as they are looked into. */
enum { MOST_LETS = 8 };

static bool stop(struct kt_ir_product *p, uint32_t line)
{
	p->why = "whether a thread runs the loop depends on more than bounds of its indices";
	p->line = line != 0 ? line : p->kernel->line;
	return false;
}

/* Is the condition that the index of a dimension, plus *addend, is less than *end, which is the same for the whole block? */
static bool is_bound(const struct kt_ir_product *p, const struct kt_ir_value *condition, unsigned *d,
		     const struct kt_ir_value **end, int64_t *addend)
{
	struct kt_ir_form form;

	for (int side = 0; side < 2; side++) {
		if (condition->op != (side == 0 ? KT_IR_LT : KT_IR_GT))
			continue;
		*end = condition->arguments[1 - side];
		if (kt_ir_form_of(&form, &p->lets, condition->arguments[side], true) && form.count == 1 &&
		    form.terms[0].factor == 1 && form.terms[0].count == 1 && form.constant >= 0 && form.constant <= INT16_MAX &&
		    kt_ir_is_global(form.terms[0].atoms[0], d) && *d < 2 && kt_ir_product_needs_of(p, *end) == 0) {
			*addend = form.constant;
			return true;
		}
	}
	return false;
}

/* Is there a quotient that conditions before it may keep from a division by zero? */
static bool is_no_division(const struct kt_ir_value *v, void *context)
{
	int64_t number;

	(void)context;
	return (v->op != KT_IR_DIV && v->op != KT_IR_REM) || v->type->kind != KT_IR_INTEGER ||
	       (kt_ir_is_constant(v->arguments[1], &number) && number != 0);
}

bool kt_ir_product_is_total(const struct kt_ir_value *value)
{
	return kt_ir_visit_value(value, is_no_division, NULL);
}

/* Notes a condition around all that the kernel changes; false: it is none of those that are understood. */
static bool note(struct kt_ir_product *p, const struct kt_ir_value *condition)
{
	const struct kt_ir_value *end;
	int64_t addend;
	unsigned d;

	if (!kt_ir_is_steady(&p->lets, condition) || !kt_ir_product_is_total(condition) ||
	    (kt_ir_product_needs_of(p, condition) & KT_IR_OF_OTHERS) != 0)
		return false;
	if (kt_ir_product_needs_of(p, condition) == 0) {
		if (p->condition_count == KT_IR_PRODUCT_MOST_BOUNDS)
			return false;
		p->conditions[p->condition_count++] = condition;
		return true;
	}
	if (!is_bound(p, condition, &d, &end, &addend) || p->bound_count[d] == KT_IR_PRODUCT_MOST_BOUNDS)
		return false;
	p->ends[d][p->bound_count[d]] = end;
	p->addends[d][p->bound_count[d]] = addend;
	p->bounds[d][p->bound_count[d]++] = condition;
	return true;
}

static bool note_all(struct kt_ir_product *p, const struct kt_ir_value *condition)
{
	struct kt_ir_conjuncts all;
	bool is_whole = true;

	kt_ir_conjuncts_of(&all, &p->lets, condition);
	for (size_t i = 0; i < all.count; i++)
		is_whole &= note(p, all.list[i]);
	return is_whole;
}

/* Conditions of the branches on the way to the loop. */
bool kt_ir_product_note_way(struct kt_ir_product *p)
{
	for (size_t i = 0; i + 1 < p->before_count; i++)
		if (!note_all(p, p->before[i].end->value))
			return stop(p, p->before[i].end->line);
	return true;
}

static const struct kt_ir_value *behind(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_product *p = context;

	return kt_ir_behind_let(&p->lets, v);
}

/* The condition without the lets after the loop, which are not there before it. */
static const struct kt_ir_value *expanded(struct kt_ir_product *p, const struct kt_ir_value *condition)
{
	for (int depth = 0; depth < MOST_LETS && (kt_ir_product_needs_of(p, condition) & KT_IR_OF_OTHERS) != 0; depth++) {
		const struct kt_ir_value *made = kt_ir_rewrite(p->module, condition, behind, p);

		if (made == NULL || made == condition)
			break;
		condition = made;
	}
	return condition;
}

static bool is_after(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_product *p = context;

	if (s->symbol != NULL && s->kind != KT_IR_S_SET)
		p->needs[s->symbol->id] = KT_IR_OF_OTHERS;
	return true;
}

/* Conditions after the loop without which nothing is changed. */
void kt_ir_product_note_after(struct kt_ir_product *p)
{
	const struct kt_ir_statement *s = p->after.first;

	for (const struct kt_ir_statement *each = s; each != NULL; each = each->next)
		(void)kt_ir_visit_alone(each, is_after, p);
	while (s != NULL) {
		if (s->kind == KT_IR_S_IF && s->next == NULL && s->otherwise.first == NULL) {
			(void)note_all(p, expanded(p, s->value));
			s = s->body.first;
		} else if (s->kind == KT_IR_S_LET || s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_DECLARE || s->kind == KT_IR_S_SET) {
			s = s->next;
		} else {
			return;
		}
	}
}
