/*
 * What a thread stored to shared memory, computed again by another one: the statements that lead to it, with the indices of the
 * thread that stored.
 *
 * They may take place at another time, since they read nothing but what nothing writes while the kernel runs, arguments, axes,
 * counters of loops around both, and locals that get their values from such.
 */
#include "generation/ir/effect.h"
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

/* ---- What is needed ---- */

static bool is_needed(const struct kt_ir_origin *o, const struct kt_ir_statement *s)
{
	for (size_t i = 0; i < o->needed_count; i++)
		if (o->needed[i] == s)
			return true;
	return false;
}

static bool need_value(const struct kt_ir_value *v, void *context);

/* The statement with the branches around it. */
static bool need(struct kt_ir_origin *o, const struct kt_ir_statement *s)
{
	struct kt_ir_way way;

	if (is_needed(o, s))
		return true;
	if (o->needed_count == KT_IR_MOST_NEEDED || !kt_ir_way_to(&way, &o->in->kernel->body, s))
		return kt_ir_unstage_refuses(o->in, o->store, "what is stored to shared memory takes too much to compute again");
	o->needed[o->needed_count++] = s;
	for (size_t i = 0; i + 1 < way.count; i++) {
		const bool is_around = i + 1 < o->to_store.count && o->to_store.at[i] == way.at[i];

		if (is_around)
			continue;
		if (way.at[i]->kind != KT_IR_S_IF)
			return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory is computed in a loop");
		if (!need(o, way.at[i]) || !kt_ir_visit_value(way.at[i]->value, need_value, o))
			return false;
	}
	return true;
}

struct written {
	struct kt_ir_origin *o;
	const struct kt_ir_statement *load;
};

static bool writes_elsewhere(struct kt_ir_statement *s, void *context)
{
	const struct written *w = context;

	return (s->kind != KT_IR_S_STORE && s->kind != KT_IR_S_ATOMIC) || kt_ir_note_apart(&w->o->in->out->apart, w->load->place, s->place);
}

static bool need_load(struct kt_ir_origin *o, const struct kt_ir_statement *s)
{
	struct written w = {o, s};
	const struct kt_ir_symbol *root = kt_ir_root_of(s->place);

	if (root == NULL)
		return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory was loaded through a pointer that is no argument");
	if (root->kind == KT_IR_LOCAL_SYMBOL || root->kind == KT_IR_SHARED_SYMBOL)
		return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory was loaded from memory of a thread or a block");
	if (!kt_ir_visit(&o->in->kernel->body, writes_elsewhere, &w))
		return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory was loaded from what the kernel writes");
	return need(o, s) && kt_ir_visit_place(s->place, need_value, o);
}

/* The innermost loop around the statement. */
static const struct kt_ir_statement *loop_around(const struct kt_ir_way *way)
{
	const struct kt_ir_statement *loop = NULL;

	for (size_t i = 0; i + 1 < way->count; i++)
		if (way->at[i]->kind == KT_IR_S_FOR || way->at[i]->kind == KT_IR_S_LOOP)
			loop = way->at[i];
	return loop;
}

/* Is the statement before the store in one iteration, in no other branch? */
static bool leads_to_store(const struct kt_ir_origin *o, const struct kt_ir_way *way)
{
	size_t i = 0;

	while (i + 1 < way->count && i + 1 < o->to_store.count && way->at[i] == o->to_store.at[i] &&
	       way->lists[i + 1] == o->to_store.lists[i + 1])
		i++;
	return way->at[i] != o->to_store.at[i] && kt_ir_is_before(way->at[i], o->to_store.at[i]);
}

struct sets {
	struct kt_ir_origin *o;
	const struct kt_ir_symbol *symbol;
	const struct kt_ir_statement *loop; /* around the declaration */
};

static bool need_set(struct kt_ir_statement *s, void *context)
{
	const struct sets *sets = context;
	struct kt_ir_origin *o = sets->o;
	struct kt_ir_way way;

	if (s->kind != KT_IR_S_SET || s->symbol != sets->symbol)
		return true;
	if (!kt_ir_way_to(&way, &o->in->kernel->body, s) || loop_around(&way) != sets->loop)
		return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory is computed in a loop");
	return !leads_to_store(o, &way) || (need(o, s) && kt_ir_visit_value(s->value, need_value, o));
}

static bool need_local(struct kt_ir_origin *o, const struct kt_ir_symbol *symbol, const struct kt_ir_statement *declared)
{
	struct sets sets = {o, symbol, NULL};
	struct kt_ir_way way;

	if (is_needed(o, declared))
		return true;
	if (!kt_ir_way_to(&way, &o->in->kernel->body, declared))
		return kt_ir_unstage_refuses(o->in, declared, "what is stored to shared memory is not known");
	sets.loop = loop_around(&way);
	return need(o, declared) && kt_ir_visit(&o->in->kernel->body, need_set, &sets);
}

static bool need_symbol(struct kt_ir_origin *o, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_statement *s;

	/* In normal form arguments are not assigned to. */
	if (symbol->kind == KT_IR_ARGUMENT)
		return true;
	s = kt_ir_definition(o->in, symbol);
	if (s == NULL)
		return kt_ir_unstage_refuses(o->in, o->store, "what is stored to shared memory is not known");
	if (is_needed(o, s))
		return true;
	if (s->kind == KT_IR_S_DECLARE)
		return need_local(o, symbol, s);
	if (kt_ir_is_in_sight(o, s) && o->in->uniformity.of[symbol->id] != KT_IR_OF_THREAD)
		return true;
	if (s->kind == KT_IR_S_LET)
		return need(o, s) && kt_ir_visit_value(s->value, need_value, o);
	if (s->kind == KT_IR_S_LOAD)
		return need_load(o, s);
	return kt_ir_unstage_refuses(o->in, s, "what is stored to shared memory is what a thread got from others");
}

static bool need_value(const struct kt_ir_value *v, void *context)
{
	struct kt_ir_origin *o = context;
	const struct kt_ir_unknown *u = kt_ir_unknown_of(o, v);

	if (u != NULL)
		return u->value != NULL ||
		       kt_ir_unstage_refuses(o->in, o->store, "it is not known which thread stores what another one loads");
	if (v->op == KT_IR_AXIS && v->axis == KT_IR_LANE)
		return kt_ir_unstage_refuses(o->in, o->store, "the lane of a thread matters");
	if (v->op == KT_IR_ADDRESS)
		return kt_ir_unstage_refuses(o->in, o->store, "an address is stored to shared memory");
	return v->op != KT_IR_READ || need_symbol(o, v->symbol);
}

/* Does the branch matter to which threads store? One that the block takes alike, and the load is in, does not. */
static bool is_asked(const struct kt_ir_origin *o, size_t i)
{
	const struct kt_ir_statement *s = o->to_store.at[i];

	return s->kind == KT_IR_S_IF &&
	       (i >= o->shared || kt_ir_sharing_of(&o->in->uniformity, s->value) == KT_IR_OF_THREAD);
}

bool kt_ir_find_needed(struct kt_ir_origin *o)
{
	for (size_t i = 0; i + 1 < o->to_store.count; i++) {
		const struct kt_ir_statement *s = o->to_store.at[i];

		if (is_asked(o, i) && !kt_ir_visit_value(s->value, need_value, o))
			return false;
		if (s->kind == KT_IR_S_FOR && i >= o->shared && !kt_ir_visit_value(s->further[0], need_value, o))
			return false;
	}
	return kt_ir_visit_value(o->store->value, need_value, o);
}

/* ---- The statements ---- */

/* What is replaced is over the indices of the thread that loads, which stay. */
static const struct kt_ir_value *owners(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_unknown *u = kt_ir_unknown_of(context, v);

	return u != NULL && u->value != NULL ? u->value : kt_ir_owner_digit(context, v);
}

struct behind {
	struct kt_ir_origin *o;
	unsigned room; /* lets that may still be expanded; further ones stay reads */
};

static const struct kt_ir_value *behind(const struct kt_ir_value *v, void *context)
{
	struct behind *b = context;
	const struct kt_ir_value *let = kt_ir_behind_let(&b->o->in->lets, v);

	if (let == v || b->room == 0)
		return v;
	b->room--;
	return kt_ir_rewrite(b->o->in->module, let, behind, b);
}

static void compute(struct kt_ir_origin *o, struct kt_ir_region *to, const struct kt_ir_region *from,
		    const struct kt_ir_statement *end)
{
	for (const struct kt_ir_statement *s = from->first; s != end; s = s->next) {
		struct kt_ir_statement *made;

		if (!is_needed(o, s))
			continue;
		if (s->kind != KT_IR_S_IF) {
			(void)kt_ir_clone_statement(&o->cloner, to, s);
			continue;
		}
		made = kt_ir_if(o->in->module, to, kt_ir_clone_value(&o->cloner, s->value));
		if (made == NULL)
			return;
		compute(o, &made->body, &s->body, NULL);
		compute(o, &made->otherwise, &s->otherwise, NULL);
	}
}

/*
 * The list in which the condition, of the load's thread, holds; NULL: out of memory. whole: the condition without lets, in which more
 * is seen. varies: it may hold in another iteration and not in this one.
 */
static struct kt_ir_region *where(struct kt_ir_origin *o, struct kt_ir_region *to, const struct kt_ir_value *condition,
				  const struct kt_ir_value *whole, bool varies)
{
	struct kt_ir_statement *branch;

	whole = whole == NULL ? NULL : kt_ir_fold_all(o->in->module, whole);
	if (whole == NULL || condition == NULL)
		return NULL;
	if (kt_ir_follows(&o->in->bounds, &o->known, whole))
		return to;
	o->leaves |= varies;
	branch = kt_ir_if(o->in->module, to, condition);
	return branch == NULL ? NULL : &branch->body;
}

/* A condition around the store. */
static struct kt_ir_region *where_stored(struct kt_ir_origin *o, struct kt_ir_region *to, const struct kt_ir_value *condition)
{
	struct behind b = {o, KT_IR_MOST_EXPANDED};
	const struct kt_ir_value *whole = kt_ir_rewrite(o->in->module, condition, behind, &b);

	if (whole == NULL)
		return NULL;
	return where(o, to, kt_ir_clone_value(&o->cloner, condition), kt_ir_clone_value(&o->cloner, whole), kt_ir_varies(o, condition));
}

static struct kt_ir_region *enter(struct kt_ir_origin *o, struct kt_ir_region *to, size_t i)
{
	const struct kt_ir_statement *s = o->to_store.at[i];
	struct kt_ir_module *m = o->in->module;

	if (is_asked(o, i))
		return where_stored(o, to, o->to_store.lists[i + 1] == &s->body ? s->value : kt_ir_opposite(m, s->value));
	if (s->kind == KT_IR_S_FOR && i >= o->shared)
		return where_stored(o, to, kt_ir_apply(m, KT_IR_LT, kt_ir_read(m, s->symbol), s->further[0], NULL));
	return to;
}

/* What the load takes of what is stored. */
static const struct kt_ir_value *part(const struct kt_ir_origin *o, const struct kt_ir_value *v)
{
	for (size_t i = o->store->place->count; i < o->load->place->count; i++)
		v = kt_ir_extract(o->in->module, v, o->load->place->steps[i].number);
	return v;
}

bool kt_ir_compute_again(struct kt_ir_origin *o, struct kt_ir_region *to, struct kt_ir_symbol *result,
			 struct kt_ir_symbol *done, bool *always)
{
	struct kt_ir_module *m = o->in->module;
	const struct kt_ir_region *first = to;
	const size_t last = o->to_store.count - 1;

	if (!kt_ir_cloner_start(&o->cloner, m, owners, o))
		return false;
	for (size_t i = 0; i < o->asked_count && to != NULL; i++)
		to = where(o, to, o->asked[i], o->asked[i], false);
	for (size_t i = 0; i < last && to != NULL; i++) {
		compute(o, to, o->to_store.lists[i], o->to_store.at[i]);
		to = enter(o, to, i);
	}
	if (to == NULL)
		return false;
	compute(o, to, o->to_store.lists[last], o->store);
	(void)kt_ir_set(m, to, result, part(o, kt_ir_clone_value(&o->cloner, o->store->value)));
	if (done != NULL)
		(void)kt_ir_set(m, to, done, kt_ir_constant(m, kt_ir_bool(m), 1));
	*always = to == first;
	return true;
}
