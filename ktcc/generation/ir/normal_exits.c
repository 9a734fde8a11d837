/*
 * Normal form: a return and a continue are conditions. `if (c) return; rest` is `if (!c) { rest }`, at the end of a
 * function, likewise `continue` in the body of a loop. What follows is moved into the branch that goes on; where both
 * go on, or only a part of one leaves, it is not changed.
 */
#include "generation/ir/normal.h"
#include "generation/ir/walk.h"

/* Does control never come to the end of the region, since it leaves by this kind of jump? */
static bool ends_by(const struct kt_ir_region *region, enum kt_ir_statement_kind kind)
{
	const struct kt_ir_statement *last = region->last;

	if (last == NULL)
		return false;
	if (last->kind == kind && last->number == 0)
		return true;
	return last->kind == KT_IR_S_IF && ends_by(&last->body, kind) && ends_by(&last->otherwise, kind);
}

/* What comes after an if of which one branch leaves goes into the other branch. */
static bool gather(struct kt_ir_region *region, enum kt_ir_statement_kind kind)
{
	bool changed = false;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		struct kt_ir_region rest = {s->next, region->last};
		bool body, otherwise;

		if (s->kind != KT_IR_S_IF)
			continue;
		body = ends_by(&s->body, kind);
		otherwise = ends_by(&s->otherwise, kind);
		if (s->next != NULL && body != otherwise) {
			kt_ir_splice(body ? &s->otherwise : &s->body, &rest);
			s->next = NULL;
			region->last = s;
			changed = true;
		}
		if (s->next == NULL) {
			changed |= gather(&s->body, kind);
			changed |= gather(&s->otherwise, kind);
		}
	}
	return changed;
}

static bool continues(struct kt_ir_statement *s, void *context)
{
	bool *changed = context;

	if (s->kind == KT_IR_S_LOOP || s->kind == KT_IR_S_FOR)
		*changed |= gather(&s->body, KT_IR_S_CONTINUE);
	return true;
}

bool kt_ir_normal_exits(struct kt_ir_normal *n, struct kt_ir_function *f);
bool kt_ir_normal_exits(struct kt_ir_normal *n, struct kt_ir_function *f)
{
	bool changed = gather(&f->body, KT_IR_S_RETURN);

	(void)n;
	(void)kt_ir_visit(&f->body, continues, &changed);
	return changed;
}
