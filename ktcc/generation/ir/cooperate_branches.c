/*
 * The second stage of a reduction, `if (warp == 0) { v = parts[lane]; shuffles of v; if (lane == 0) y[0] = v; }`: a branch of some
 * threads that exchanges values, and whose first thread then changes memory. It becomes the exchange, as a branch, and after it what
 * the first thread does. Between them nothing else happens, and no thread waits for another one there.
 */
#include "generation/ir/cooperate_parts.h"
#include "generation/ir/simt_data.h"
#include "generation/ir/walk.h"

struct division {
	struct kt_ir_piece *p;
	struct kt_ir_simt simt;
	struct kt_ir_region *prefix, *suffix; /* of the branch */
	struct kt_ir_region ahead;            /* declarations of what both parts use */
};

/* ---- Which threads ---- */

static bool define(const struct kt_ir_value *v, void *context)
{
	struct division *d = context;
	const struct kt_ir_value *value = kt_ir_behind_let(d->p->lets, v);
	const struct kt_ir_term_of **to;

	if (value == v || d->simt.values[v->symbol->id] != NULL)
		return true;
	if (!kt_ir_visit_value(value, define, d))
		return false;
	to = kt_ir_simt_owned(&d->simt, v->symbol);
	for (unsigned t = 0; to != NULL && t < d->p->threads; t++)
		to[t] = kt_ir_simt_value(&d->simt, value, t);
	return to != NULL;
}

/* Does the condition, and the other one if there is one, hold for the first thread alone? */
static bool is_of_first(struct division *d, const struct kt_ir_value *condition, const struct kt_ir_value *other)
{
	int64_t holds, too = 1;

	if (!kt_ir_visit_value(condition, define, d) || (other != NULL && !kt_ir_visit_value(other, define, d)))
		return false;
	for (unsigned t = 0; t < d->p->threads; t++)
		if (!kt_ir_simt_known(kt_ir_simt_value(&d->simt, condition, t), &holds) ||
		    (other != NULL && !kt_ir_simt_known(kt_ir_simt_value(&d->simt, other, t), &too)) ||
		    (holds != 0 && too != 0) != (t == 0))
			return false;
	return true;
}

/* ---- Which branches ---- */

static bool is_set_inside(struct kt_ir_statement *s, void *context)
{
	const struct kt_ir_region *inside = context;

	return s->kind != KT_IR_S_SET || kt_ir_defines(inside, s->symbol);
}

static bool is_value(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_LET || s->kind == KT_IR_S_SET || s->kind == KT_IR_S_DECLARE;
}

/* Values that are used there alone, and what the first thread does. */
static bool is_of_first_all(struct division *d, const struct kt_ir_statement *branch, const struct kt_ir_statement *from)
{
	const bool is_branch_of_first = is_of_first(d, branch->value, NULL);
	bool has_effect = false;

	for (const struct kt_ir_statement *s = from; s != NULL; s = s->next) {
		if (!kt_ir_visit_alone(s, is_set_inside, (void *)(uintptr_t)&branch->body))
			return false;
		if (!is_value(s) && !is_branch_of_first &&
		    (s->kind != KT_IR_S_IF || s->otherwise.first != NULL || !is_of_first(d, branch->value, s->value)))
			return false;
		has_effect = has_effect || !is_value(s);
	}
	return has_effect;
}

/* The last statement of the branch that exchanges, where all before it fit a piece and what follows is the first thread's; NULL: none. */
static struct kt_ir_statement *last_of_exchange(struct division *d, const struct kt_ir_statement *branch)
{
	struct kt_ir_statement *last = NULL;

	if (branch->kind != KT_IR_S_IF || branch->otherwise.first != NULL || kt_ir_simt_fits(branch))
		return NULL;
	for (struct kt_ir_statement *s = branch->body.first; s != NULL; s = s->next)
		last = kt_ir_exchanges(s) ? s : last;
	for (struct kt_ir_statement *s = branch->body.first; last != NULL && s != last->next; s = s->next)
		if (!kt_ir_simt_fits(s) || s->kind == KT_IR_S_BREAK || s->kind == KT_IR_S_CONTINUE)
			return NULL;
	return last != NULL && kt_ir_is_steady(d->p->lets, branch->value) && !kt_ir_leaves(&branch->body) &&
			       is_of_first_all(d, branch, last->next)
		   ? last
		   : NULL;
}

/* ---- The parts ---- */

/* A local of the branch that both parts use is declared in front of it. What it gave by a let is such a local, too. */
static bool share(struct division *d, struct kt_ir_statement *s, struct kt_ir_region *to)
{
	struct kt_ir_module *m = d->p->module;
	struct kt_ir_symbol *local;

	if (s->kind == KT_IR_S_DECLARE) {
		kt_ir_push(kt_ir_count_reads(d->suffix, s->symbol) > 0 || kt_ir_sets(d->suffix, s->symbol) ? &d->ahead : to, s);
		return true;
	}
	kt_ir_push(to, s);
	if (s->symbol == NULL || s->symbol->kind != KT_IR_TEMPORARY || kt_ir_count_reads(d->suffix, s->symbol) == 0)
		return true;
	local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, s->symbol->type, s->symbol->hint);
	if (local == NULL || kt_ir_declare(m, &d->ahead, local) == NULL || kt_ir_set(m, to, local, kt_ir_read(m, s->symbol)) == NULL)
		return false;
	(void)kt_ir_substitute(m, d->suffix, s->symbol, kt_ir_read(m, local));
	return !m->failed;
}

/* The conditions of the first thread are known to hold now. */
static void without_conditions(struct kt_ir_region *region, bool is_branch_of_first)
{
	struct kt_ir_region out = {NULL, NULL};

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		s->next = NULL;
		if (s->kind == KT_IR_S_IF && !is_branch_of_first)
			kt_ir_splice(&out, &s->body);
		else
			kt_ir_push(&out, s);
	}
	*region = out;
}

/* branch { exchange; rest } becomes branch { exchange }, if (thread == 0) { rest }, at the end of the list. */
static bool divide(struct division *d, struct kt_ir_region *to, struct kt_ir_statement *branch, struct kt_ir_statement *last)
{
	struct kt_ir_module *m = d->p->module;
	const struct kt_ir_value *thread = kt_ir_axis(m, KT_IR_THREAD, 0);
	struct kt_ir_region rest = {last->next, branch->body.last}, prefix = {NULL, NULL};
	const bool is_branch_of_first = is_of_first(d, branch->value, NULL);
	struct kt_ir_statement *first;

	last->next = NULL;
	d->suffix = &rest;
	d->ahead = (struct kt_ir_region){NULL, NULL};
	for (struct kt_ir_statement *s = branch->body.first, *next; s != NULL; s = next) {
		next = s->next;
		s->next = NULL;
		if (!share(d, s, &prefix))
			return false;
	}
	branch->body = prefix;
	kt_ir_splice(to, &d->ahead);
	kt_ir_push(to, branch);
	first = kt_ir_if(m, to, kt_ir_apply(m, KT_IR_EQ, thread, kt_ir_constant(m, kt_ir_integer(m, 32, false), 0), NULL));
	if (first == NULL)
		return false;
	without_conditions(&rest, is_branch_of_first);
	first->body = rest;
	return !m->failed;
}

static bool in_region(struct division *d, struct kt_ir_region *region)
{
	struct kt_ir_region out = {NULL, NULL}, *inner;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		struct kt_ir_statement *last = last_of_exchange(d, s);

		next = s->next;
		s->next = NULL;
		if (last != NULL) {
			if (!divide(d, &out, s, last))
				return false;
			continue;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!in_region(d, inner))
				return false;
		kt_ir_push(&out, s);
	}
	*region = out;
	return true;
}

bool kt_ir_divide_branches(struct kt_ir_piece *p)
{
	struct division d = {.p = p};

	return kt_ir_simt_start(&d.simt, p->module, p->scratch, p->uniformity, p->numbers, p->threads) && in_region(&d, &p->function->body) &&
	       !p->module->failed;
}
