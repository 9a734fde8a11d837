/*
 * A thread's own elements of shared arrays, in a loop without synchronisation: `s[thread] = 0; for (…) s[thread] += …`. A store of
 * the thread comes before the loop, without a barrier in between: so no other thread accesses the element meanwhile, since that
 * would be a race. In the loop each is a local, which is stored after it.
 */
#include "generation/ir/cooperate_parts.h"
#include "generation/ir/normal.h"
#include "generation/ir/simt.h"
#include "generation/ir/walk.h"

struct own {
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	const struct kt_ir_place *place; /* of the store before the loop */
	struct kt_ir_symbol *local;
	bool is_accessed, fits;
	bool changed;
};

/* Does nothing in it synchronise or leave it, or do what is not known? */
static bool is_quiet(struct kt_ir_statement *s, void *context)
{
	(void)context;
	switch (s->kind) {
	case KT_IR_S_LET:
	case KT_IR_S_LOAD:
	case KT_IR_S_STORE:
	case KT_IR_S_SET:
	case KT_IR_S_DECLARE:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
	case KT_IR_S_LOOP:
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
		return true;
	default:
		return false;
	}
}

static bool is_quiet_all(const struct kt_ir_statement *s)
{
	return kt_ir_visit_alone(s, is_quiet, NULL);
}

static bool is_thread(const struct kt_ir_value *v)
{
	return v->op == KT_IR_AXIS && v->axis == KT_IR_THREAD && v->dimension == 0;
}

/* Is it the element of the thread, of an array of one dimension that is indexed by the thread alone? */
static bool is_own(const struct kt_ir_place *place, const struct kt_ir_lets *lets)
{
	struct kt_ir_form form;

	return place->symbol != NULL && place->symbol->kind == KT_IR_SHARED_SYMBOL && place->count == 1 &&
	       place->steps[0].kind == KT_IR_INDEX && kt_ir_is_number(place->type) &&
	       kt_ir_form_of(&form, lets, place->steps[0].index, false) && form.constant == 0 && form.count == 1 &&
	       form.terms[0].factor == 1 && form.terms[0].count == 1 && is_thread(form.terms[0].atoms[0]);
}

/* Every access to the array is to that element. */
static bool check(struct kt_ir_statement *s, void *context)
{
	struct own *o = context;

	if (s->place == NULL || s->place->symbol != o->place->symbol)
		return true;
	o->is_accessed = true;
	o->fits = o->fits && is_own(s->place, o->lets);
	return o->fits;
}

static bool use_local(struct kt_ir_statement *s, void *context)
{
	struct own *o = context;

	if (s->place == NULL || s->place->symbol != o->place->symbol)
		return true;
	if (s->kind == KT_IR_S_LOAD) {
		s->kind = KT_IR_S_LET;
		s->value = kt_ir_read(o->module, o->local);
	} else {
		s->kind = KT_IR_S_SET;
		s->symbol = o->local;
	}
	s->place = NULL;
	s->hint = (struct kt_ir_hint){.is_volatile = false};
	return s->value != NULL;
}

/* Before the loop a load into the local, after it a store. */
static bool wrap(struct own *o, struct kt_ir_region *before, struct kt_ir_statement *loop, struct kt_ir_region *after)
{
	struct kt_ir_module *m = o->module;
	const struct kt_ir_hint plain = {.is_volatile = false};
	struct kt_ir_symbol *loaded;

	o->local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, o->place->type, o->place->symbol->hint);
	if (o->local == NULL || kt_ir_declare(m, before, o->local) == NULL)
		return false;
	loaded = kt_ir_load(m, before, "", o->place, plain);
	o->changed = true;
	return loaded != NULL && kt_ir_set(m, before, o->local, kt_ir_read(m, loaded)) != NULL &&
	       kt_ir_visit(&loop->body, use_local, o) && kt_ir_visit(&loop->otherwise, use_local, o) &&
	       kt_ir_store(m, after, o->place, kt_ir_read(m, o->local), plain) != NULL;
}

/* The element, for all threads alike. */
static const struct kt_ir_place *own_place(const struct own *o)
{
	return kt_ir_index(o->module, kt_ir_place_of(o->module, o->place->symbol), kt_ir_axis(o->module, KT_IR_THREAD, 0));
}

/* The store of a branch by which the thread has its own element of an array; NULL: there is none. */
static const struct kt_ir_place *stored_in(const struct own *o, const struct kt_ir_region *branch)
{
	for (const struct kt_ir_statement *s = branch->first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_STORE && is_own(s->place, o->lets))
			return s->place;
	return NULL;
}

/*
 * `if (c) s[thread] = x[i]; else s[thread] = 0;`: the branches choose a local, which is stored after them. Each thread comes to one
 * of the stores, so that no other one accesses its element meanwhile.
 */
static bool store_behind(struct own *o, struct kt_ir_region *to, struct kt_ir_statement *s)
{
	struct kt_ir_module *m = o->module;
	struct kt_ir_region after = {NULL, NULL};

	while ((o->place = stored_in(o, &s->body)) != NULL) {
		const struct kt_ir_place *other = stored_in(o, &s->otherwise);

		o->is_accessed = false;
		o->fits = other != NULL && other->symbol == o->place->symbol;
		if (!o->fits || !kt_ir_visit(&s->body, check, o) || !kt_ir_visit(&s->otherwise, check, o))
			break;
		o->local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, o->place->type, o->place->symbol->hint);
		if (o->local == NULL || kt_ir_declare(m, to, o->local) == NULL || !kt_ir_visit(&s->body, use_local, o) ||
		    !kt_ir_visit(&s->otherwise, use_local, o) ||
		    kt_ir_store(m, &after, own_place(o), kt_ir_read(m, o->local), (struct kt_ir_hint){.is_volatile = false}) == NULL)
			return false;
		o->changed = true;
	}
	kt_ir_push(to, s);
	kt_ir_splice(to, &after);
	return !m->failed;
}

/* The first of the statements after which nothing synchronises. */
static struct kt_ir_statement *since_barrier(const struct kt_ir_region *before)
{
	struct kt_ir_statement *first = before->first;

	for (struct kt_ir_statement *s = before->first; s != NULL; s = s->next)
		if (!is_quiet_all(s))
			first = s->next;
	return first;
}

/* Is the array of the store accessed in the loop, and by the thread's own element alone? */
static bool is_own_in(struct own *o, const struct kt_ir_statement *store, const struct kt_ir_statement *loop)
{
	if (store->kind != KT_IR_S_STORE || !is_own(store->place, o->lets))
		return false;
	o->place = store->place;
	o->is_accessed = false;
	o->fits = true;
	(void)(kt_ir_visit(&loop->body, check, o) && kt_ir_visit(&loop->otherwise, check, o));
	return o->fits && o->is_accessed;
}

/* Arrays of which the thread has its element before the loop: in the loop these are locals. */
static bool in_loop(struct own *o, struct kt_ir_region *to, struct kt_ir_statement *loop)
{
	struct kt_ir_region after = {NULL, NULL};

	for (struct kt_ir_statement *s = since_barrier(to); s != NULL; s = s->next)
		if (is_own_in(o, s, loop) && !wrap(o, to, loop, &after))
			return false;
	kt_ir_push(to, loop);
	kt_ir_splice(to, &after);
	return true;
}

static bool in_region(struct own *o, struct kt_ir_region *region)
{
	struct kt_ir_region out = {NULL, NULL}, *inner;
	bool done = true;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && done; s = next) {
		const bool is_loop = s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP, is_quiet = is_quiet_all(s);

		next = s->next;
		s->next = NULL;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			done = done && in_region(o, inner);
		if (is_loop && is_quiet && !kt_ir_leaves(&s->body))
			done = done && in_loop(o, &out, s);
		else if (s->kind == KT_IR_S_IF && !kt_ir_simt_fits(s) && is_quiet)
			done = done && store_behind(o, &out, s);
		else
			kt_ir_push(&out, s);
	}
	*region = out;
	return done;
}

bool kt_ir_own_elements(struct kt_ir_module *module, struct kt_ir_function *kernel, const struct kt_ir_lets *lets)
{
	struct own o = {.module = module, .lets = lets};

	if (!in_region(&o, &kernel->body))
		return false;
	while (o.changed && !module->failed && kt_ir_normalise_by(module, KT_IR_N_COPIES, NULL))
		continue;
	return !module->failed;
}
