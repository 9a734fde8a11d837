/*
 * What is printed where it is used instead of under a name: a value, a load, or a call of a function without effects
 * that one following statement uses once, and a choice between two values, `local %0; if v { set %0 = a } else { set %0
 * = b }`, which becomes `v ? a : b`, `v && b` or `v || b` where the local has no name of the user's. Nothing but other
 * values and loads lies between, so that the order of what has an effect stays.
 */
#include "generation/ir/cuda_print.h"

static void count_region(struct kt_ir_cuda *p, const struct kt_ir_region *r);

static void count_place(struct kt_ir_cuda *p, const struct kt_ir_place *at);

static void count_value(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	if (v == NULL)
		return;
	if (v->op == KT_IR_READ)
		p->reads[v->symbol->id]++;
	count_place(p, v->place);
	for (size_t i = 0; i < v->count; i++)
		count_value(p, v->arguments[i]);
}

static void count_place(struct kt_ir_cuda *p, const struct kt_ir_place *at)
{
	if (at == NULL)
		return;
	count_value(p, at->pointer);
	for (size_t i = 0; i < at->count; i++)
		count_value(p, at->steps[i].index);
}

static void count_statement(struct kt_ir_cuda *p, const struct kt_ir_statement *s,
			    const struct kt_ir_statement *previous)
{
	count_value(p, s->value);
	for (int i = 0; i < 3; i++)
		count_value(p, s->further[i]);
	/* `place op= value` has its place once. */
	if (!kt_ir_cuda_adds(previous, s))
		count_place(p, s->place);
	for (size_t i = 0; i < s->argument_count; i++)
		count_value(p, s->arguments[i]);
	if (s->kind == KT_IR_S_SET)
		p->sets[s->symbol->id]++;
	count_region(p, &s->body);
	count_region(p, &s->otherwise);
	for (size_t i = 0; i < s->case_count; i++)
		count_region(p, &s->cases[i].body);
}

static void count_region(struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	const struct kt_ir_statement *previous = NULL;

	for (const struct kt_ir_statement *s = r->first; s != NULL; previous = s, s = s->next)
		count_statement(p, s, previous);
}

/* ---- Candidates ---- */

static bool is_quiet(const struct kt_ir_cuda *p, const struct kt_ir_function *f)
{
	for (size_t i = 0; i < p->quiet_count; i++)
		if (p->quiet[i] == f)
			return true;
	return false;
}

/* Does what the region does stay in its function? Locals of the function are its own. */
static bool stays(const struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		switch (s->kind) {
		case KT_IR_S_STORE:
			if (s->place->symbol == NULL || s->place->symbol->kind != KT_IR_LOCAL_SYMBOL)
				return false;
			break;
		case KT_IR_S_LOAD:
			if (s->hint.is_volatile)
				return false;
			break;
		case KT_IR_S_CALL:
			if (!is_quiet(p, s->callee))
				return false;
			break;
		case KT_IR_S_ATOMIC:
		case KT_IR_S_COLLECTIVE:
		case KT_IR_S_BARRIER:
		case KT_IR_S_FENCE:
		case KT_IR_S_OPAQUE:
			return false;
		default:
			break;
		}
		if (!stays(p, &s->body) || !stays(p, &s->otherwise))
			return false;
		for (size_t i = 0; i < s->case_count; i++)
			if (!stays(p, &s->cases[i].body))
				return false;
	}
	return true;
}

void kt_ir_cuda_judge(struct kt_ir_cuda *p, const struct kt_ir_function *f)
{
	const struct kt_ir_function **slot;

	if (!f->has_body || f->is_kernel || !stays(p, &f->body))
		return;
	slot = kt_arena_push(p->arena, &p->quiet, &p->quiet_count, sizeof *slot);
	if (slot == NULL)
		kt_ir_cuda_fail(p, "out of memory");
	else
		*slot = f;
}

/* The local that both arms of an if set, last and as all that they print; NULL: none. */
static const struct kt_ir_symbol *chosen(const struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_statement *a = s->body.last, *b = s->otherwise.last;

	if (a == NULL || b == NULL || a->kind != KT_IR_S_SET || b->kind != KT_IR_S_SET || a->symbol != b->symbol ||
	    a->symbol->kind != KT_IR_LOCAL_SYMBOL || a->symbol->hint[0] != '\0' || p->sets[a->symbol->id] != 2 ||
	    p->reads[a->symbol->id] != 1)
		return NULL;
	for (int arm = 0; arm < 2; arm++)
		for (const struct kt_ir_statement *in = arm == 0 ? s->body.first : s->otherwise.first; in->next != NULL;
		     in = in->next)
			if (!kt_ir_cuda_is_folded(p, in))
				return NULL;
	return a->symbol;
}

/* The symbol that stands for this statement's value, if it may be printed at its one use. */
static const struct kt_ir_symbol *candidate(const struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	switch (s->kind) {
	case KT_IR_S_LOAD:
		return s->hint.is_volatile || p->reads[s->symbol->id] != 1 ? NULL : s->symbol;
	case KT_IR_S_CALL:
		return s->symbol == NULL || p->reads[s->symbol->id] != 1 || !is_quiet(p, s->callee) ? NULL : s->symbol;
	case KT_IR_S_LET:
		return p->reads[s->symbol->id] == 1 ? s->symbol : NULL;
	case KT_IR_S_IF:
		return chosen(p, s);
	default:
		return NULL;
	}
}

/* May values and loads move over it? */
static bool is_still(const struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	return (s->kind == KT_IR_S_CALL && is_quiet(p, s->callee)) || s->kind == KT_IR_S_LET ||
	       s->kind == KT_IR_S_DECLARE || (s->kind == KT_IR_S_LOAD && !s->hint.is_volatile);
}

/* ---- Inlining of pending statements ---- */

static void fold_place(struct kt_ir_cuda *p, const struct kt_ir_place *at);
static void fold_head(struct kt_ir_cuda *p, const struct kt_ir_statement *s);

/* Inlines the pending statements that this value reads. */
static void fold_value(struct kt_ir_cuda *p, const struct kt_ir_value *v)
{
	if (v == NULL)
		return;
	if (v->op == KT_IR_READ && p->pending[v->symbol->id] != NULL) {
		const struct kt_ir_statement *s = p->pending[v->symbol->id];

		p->pending[v->symbol->id] = NULL;
		p->folded[v->symbol->id] = s;
		fold_head(p, s);
		return;
	}
	fold_place(p, v->place);
	for (size_t i = 0; i < v->count; i++)
		fold_value(p, v->arguments[i]);
}

static void fold_place(struct kt_ir_cuda *p, const struct kt_ir_place *at)
{
	if (at == NULL)
		return;
	fold_value(p, at->pointer);
	for (size_t i = 0; i < at->count; i++)
		fold_value(p, at->steps[i].index);
}

/* What the statement itself evaluates, not what is inside of it. */
static void fold_head(struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	fold_value(p, s->value);
	for (int i = 0; i < 3; i++)
		fold_value(p, s->further[i]);
	fold_place(p, s->place);
	for (size_t i = 0; s->kind != KT_IR_S_OPAQUE && i < s->argument_count; i++)
		fold_value(p, s->arguments[i]);
}

/* From `from` up to `to`: what is not inlined by now is printed as a statement, and what it uses is inlined into it. */
static void settle(struct kt_ir_cuda *p, const struct kt_ir_statement *from, const struct kt_ir_statement *to)
{
	const struct kt_ir_symbol *symbol;

	/* Users follow what they use: the first left is used by a later one, which takes it along. */
	for (const struct kt_ir_statement *s = from; s != to; s = s->next) {
		symbol = candidate(p, s);
		if (symbol == NULL || p->pending[symbol->id] != s)
			continue;
		for (const struct kt_ir_statement *user = s->next; user != to; user = user->next)
			if (user->kind != KT_IR_S_DECLARE && !kt_ir_cuda_is_folded(p, user))
				fold_head(p, user);
		p->pending[symbol->id] = NULL;
	}
}

/* Inner regions first: nothing of this one is pending then, so that nothing moves into a branch or loop. */
static void fold_region(struct kt_ir_cuda *p, const struct kt_ir_region *r)
{
	const struct kt_ir_statement *from = r->first;

	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		fold_region(p, &s->body);
		fold_region(p, &s->otherwise);
		for (size_t i = 0; i < s->case_count; i++)
			fold_region(p, &s->cases[i].body);
	}
	for (const struct kt_ir_statement *s = r->first; s != NULL; s = s->next) {
		const struct kt_ir_symbol *symbol = candidate(p, s);

		if (symbol != NULL) {
			p->pending[symbol->id] = s;
			continue;
		}
		fold_head(p, s);
		if (is_still(p, s))
			continue;
		settle(p, from, s);
		from = s->next;
	}
	settle(p, from, NULL);
}

void kt_ir_cuda_fold(struct kt_ir_cuda *p, const struct kt_ir_function *f)
{
	const size_t count = p->module->next_id;

	for (size_t i = 0; i < count; i++) {
		p->reads[i] = p->sets[i] = 0;
		p->pending[i] = p->folded[i] = NULL;
	}
	if (!p->options->inlines_lets)
		return;
	count_region(p, &f->body);
	fold_region(p, &f->body);
}

bool kt_ir_cuda_is_inline(const struct kt_ir_cuda *p, const struct kt_ir_symbol *symbol)
{
	return symbol->id < p->module->next_id && p->folded[symbol->id] != NULL;
}

bool kt_ir_cuda_is_folded(const struct kt_ir_cuda *p, const struct kt_ir_statement *s)
{
	const struct kt_ir_symbol *symbol = s->symbol;

	if (s->kind == KT_IR_S_IF)
		symbol = s->body.last != NULL && s->body.last->kind == KT_IR_S_SET ? s->body.last->symbol : NULL;
	else if (s->kind != KT_IR_S_LET && s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_CALL &&
		 s->kind != KT_IR_S_DECLARE)
		return false;
	return symbol != NULL && kt_ir_cuda_is_inline(p, symbol) &&
	       (s->kind == KT_IR_S_DECLARE || p->folded[symbol->id] == s);
}
