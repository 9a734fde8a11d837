/*
 * Loads from shared memory become what was stored there, one after the other, until none is left; then the barriers go.
 *
 * Which store a load sees: threads have no races, so that each store to the load's place is ordered with it; those before it in
 * the text come first, and of these the last one counts. A store after the load in a loop around both would be seen one iteration
 * later: refused. A store in a loop around both may leave what an earlier iteration stored: only where its conditions are the
 * same in all iterations, or hold for all that is loaded.
 */
#include "generation/ir/unstage.h"

#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/unstage_parts.h"

enum { MOST_LOADS = 96, MOST_STORES = 8, MOST_LANES = 4 };

bool kt_ir_unstage_refuses(struct kt_ir_unstaging *in, const struct kt_ir_statement *at, const char *why)
{
	if (in->out->why == NULL) {
		in->out->why = why;
		in->out->line = at != NULL ? at->line : in->kernel->line;
	}
	return false;
}

static bool know(struct kt_ir_unstaging *in)
{
	return (kt_ir_lets_of(&in->lets, in->arena, in->module, in->kernel) &&
		kt_ir_uniformity_of(&in->uniformity, in->arena, in->module, in->kernel) && kt_ir_note_definitions(in) &&
		kt_ir_bounds_of(&in->bounds, in->arena, in->module, &in->lets, in->block)) ||
	       kt_ir_unstage_refuses(in, NULL, "out of memory");
}

/* ---- Which kernels ---- */

static const char *obstacle(const struct kt_ir_function *kernel, const struct kt_ir_statement *s)
{
	const char *why = kt_ir_why_ordered(s);

	if (why != NULL)
		return why;
	switch (s->kind) {
	case KT_IR_S_BARRIER:
		return s->scope != KT_IR_WARP && s->scope != KT_IR_BLOCK_SCOPE ? "blocks synchronise" : NULL;
	case KT_IR_S_COLLECTIVE:
		return "lanes of a warp exchange values";
	case KT_IR_S_ATOMIC:
		if (kt_ir_is_shared(s->place))
			return "atomics change shared memory";
		return s->symbol != NULL && kt_ir_count_reads(&kernel->body, s->symbol) > 0 ? "what an atomic returns is used" : NULL;
	case KT_IR_S_CALL:
		return "a function is called that orders launches";
	case KT_IR_S_CONTINUE:
		return "a jump leaves out a part of an iteration";
	case KT_IR_S_BREAK:
		return s->number > 0 ? "a jump leaves out a part of an iteration" : NULL;
	case KT_IR_S_STORE:
	case KT_IR_S_LOAD:
		if ((kt_ir_statement_effects(s) & KT_IR_VOLATILE) != 0)
			return "an access is volatile";
		return kt_ir_is_shared(s->place) && s->place->symbol == NULL ? "shared memory is accessed through a pointer" : NULL;
	default:
		return NULL;
	}
}

static bool is_clear(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_unstaging *in = context;
	const char *why = obstacle(in->kernel, s);

	return why == NULL || kt_ir_unstage_refuses(in, s, why);
}

static bool has_no_address(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_symbol *root = v->op == KT_IR_ADDRESS ? kt_ir_root_of(v->place) : NULL;

	(void)context;
	return v->op != KT_IR_ADDRESS || (root != NULL && root->kind != KT_IR_SHARED_SYMBOL);
}

struct declared {
	unsigned shared, dynamic; /* dynamic: without a size, all of which begin at one place */
};

static bool count_shared(struct kt_ir_statement *s, void *context)
{
	struct declared *d = context;

	if (s->kind != KT_IR_S_DECLARE || s->symbol->kind != KT_IR_SHARED_SYMBOL)
		return true;
	d->shared++;
	d->dynamic += s->symbol->type->size == 0;
	return true;
}

static bool is_possible(struct kt_ir_unstaging *in)
{
	struct declared d = {0, 0};

	(void)kt_ir_visit(&in->kernel->body, count_shared, &d);
	if (d.shared == 0)
		return kt_ir_unstage_refuses(in, NULL, "the kernel has no shared memory");
	if (d.dynamic > 1)
		return kt_ir_unstage_refuses(in, NULL, "two arrays are the same shared memory");
	if (in->block[0] <= 0 || in->block[1] <= 0 || in->block[2] <= 0)
		return kt_ir_unstage_refuses(in, NULL, "the size of the block is not constant");
	if (in->kernel->cluster[0] != 0)
		return kt_ir_unstage_refuses(in, NULL, "the kernel has clusters");
	if (!kt_ir_visit_all(&in->kernel->body, has_no_address, NULL))
		return kt_ir_unstage_refuses(in, NULL, "shared memory has an address");
	return kt_ir_visit(&in->kernel->body, is_clear, in);
}

/* ---- Loads ---- */

static bool finds_load(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_statement **found = context;

	if (s->kind != KT_IR_S_LOAD || !kt_ir_is_shared(s->place))
		return true;
	*found = s;
	return false;
}

/* Containers around both. */
static size_t shared_of(const struct kt_ir_way *a, const struct kt_ir_way *b)
{
	size_t i = 0;

	while (i + 1 < a->count && i + 1 < b->count && a->at[i] == b->at[i] && a->lists[i + 1] == b->lists[i + 1])
		i++;
	return i;
}

static bool is_later(const struct kt_ir_statement *a, const struct kt_ir_statement *b)
{
	while (b != NULL && b != a)
		b = b->next;
	return b != NULL;
}

struct stores {
	struct kt_ir_unstaging *in;
	const struct kt_ir_statement *load;
	struct kt_ir_way way; /* to the load */
	size_t count;
	struct kt_ir_origin origins[MOST_STORES]; /* in order */
};

/* Loops around both: all threads of the block have the same iterations. */
static bool is_alike(struct kt_ir_unstaging *in, const struct kt_ir_statement *s)
{
	if (s->kind == KT_IR_S_IF)
		return true;
	if (s->kind != KT_IR_S_FOR)
		return kt_ir_unstage_refuses(in, s, "a loop around shared memory does not count");
	for (int i = 0; i < 3; i++)
		if (kt_ir_sharing_of(&in->uniformity, i == 0 ? s->value : s->further[i - 1]) == KT_IR_OF_THREAD)
			return kt_ir_unstage_refuses(in, s, "a loop around shared memory has other iterations in another thread");
	return true;
}

/* What is known at the load: the conditions and loops around it. */
static void know_at(struct kt_ir_origin *o)
{
	for (size_t i = 0; i + 1 < o->to_load.count; i++) {
		const struct kt_ir_statement *s = o->to_load.at[i];

		kt_ir_know_loop(&o->known, o->in->module, &o->in->lets, s);
		if (s->kind == KT_IR_S_IF)
			kt_ir_know(&o->known, &o->in->lets,
				   o->to_load.lists[i + 1] == &s->body ? s->value : kt_ir_opposite(o->in->module, s->value));
	}
}

static bool note_store(struct kt_ir_statement *s, void *context)
{
	struct stores *all = context;
	struct kt_ir_origin *o = &all->origins[all->count];

	if (s->kind != KT_IR_S_STORE || !kt_ir_is_shared(s->place) || s->place->symbol != all->load->place->symbol)
		return true;
	if (all->count == MOST_STORES)
		return kt_ir_unstage_refuses(all->in, s, "shared memory is stored to at too many places");
	*o = (struct kt_ir_origin){.in = all->in, .load = all->load, .store = s, .to_load = all->way};
	o->changes = kt_arena_array(all->in->arena, all->in->definition_count + 1, 1);
	if (o->changes == NULL)
		return kt_ir_unstage_refuses(all->in, s, "out of memory");
	if (!kt_ir_way_to(&o->to_store, &all->in->kernel->body, s))
		return kt_ir_unstage_refuses(all->in, s, "the kernel is nested too deep");
	o->shared = shared_of(&o->to_load, &o->to_store);
	for (size_t i = 0; i < o->shared; i++)
		if (!is_alike(all->in, o->to_load.at[i]))
			return false;
	if (is_later(o->to_load.at[o->shared], o->to_store.at[o->shared]) && o->to_load.at[o->shared] != o->to_store.at[o->shared]) {
		know_at(o);
		all->count++;
		return true;
	}
	if (o->to_load.at[o->shared] == o->to_store.at[o->shared])
		return kt_ir_unstage_refuses(all->in, s, "one branch stores what another one loads");
	for (size_t i = 0; i < o->shared; i++)
		if (o->to_load.at[i]->kind == KT_IR_S_FOR)
			return kt_ir_unstage_refuses(all->in, s, "what an iteration stores to shared memory is loaded by a later one");
	return true;
}

static const struct kt_ir_value *zero(struct kt_ir_module *m, const struct kt_ir_type *type)
{
	const struct kt_ir_value *parts[MOST_LANES], *part;

	if (kt_ir_is_scalar(type) && type->kind != KT_IR_POINTER)
		return kt_ir_bits(m, type, 0, 0);
	if (type->kind != KT_IR_VECTOR || type->count > MOST_LANES)
		return NULL;
	part = zero(m, type->element);
	for (int64_t i = 0; i < type->count; i++)
		parts[i] = part;
	return kt_ir_construct(m, type, parts, (size_t)type->count);
}

/* Two stores of one iteration, in a loop that is not around the load: which is the last one depends on their iterations, too. */
static bool are_in_order(const struct stores *all)
{
	for (size_t i = 0; i < all->count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct kt_ir_origin *a = &all->origins[i];
			const size_t both = shared_of(&a->to_store, &all->origins[k].to_store);

			for (size_t c = a->shared; c < both; c++)
				if (a->to_store.at[c]->kind == KT_IR_S_FOR)
					return kt_ir_unstage_refuses(all->in, a->store, "a loop stores to shared memory at two places");
		}
	return true;
}

/*
 * What an earlier iteration left is seen where no store of this one is: not where there is always one, in all loops around both.
 * last: the store that always is one; NULL: there is none.
 */
static bool is_of_this_iteration(const struct stores *all, const struct kt_ir_origin *last)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct kt_ir_origin *o = &all->origins[i];

		if (o->leaves && (last == NULL || kt_ir_loops_around(last) < kt_ir_loops_around(o)))
			return kt_ir_unstage_refuses(all->in, o->store, "what is loaded from shared memory may be left from another iteration");
	}
	return true;
}

/* The list that takes the place of a load. */
static bool compute_all(struct stores *all, struct kt_ir_region *list, struct kt_ir_symbol *result)
{
	struct kt_ir_unstaging *in = all->in;
	struct kt_ir_module *m = in->module;
	const struct kt_ir_value *none = zero(m, result->type);
	struct kt_ir_symbol *done = all->count > 1 ? kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, kt_ir_bool(m), "is_stored") : NULL;
	struct kt_ir_region body = {NULL, NULL}, *to = &body;
	const struct kt_ir_origin *last = NULL;
	bool always = false;

	for (size_t i = all->count; i-- > 0 && !always;) {
		struct kt_ir_origin *o = &all->origins[i];

		if (!kt_ir_find_owner(o))
			return false;
		if (o->is_elsewhere)
			continue;
		if (body.first != NULL) {
			struct kt_ir_statement *branch = kt_ir_if(m, to, kt_ir_apply(m, KT_IR_NOT, kt_ir_read(m, done), NULL, NULL));

			if (branch == NULL)
				return false;
			to = &branch->body;
		}
		if (!kt_ir_keeps_rounding(o) || !kt_ir_find_needed(o) || !kt_ir_compute_again(o, to, result, done, &always))
			return false;
		last = always ? o : NULL;
	}
	if (!is_of_this_iteration(all, last))
		return false;
	if (m->failed)
		return false;
	if (body.first == NULL)
		return kt_ir_unstage_refuses(in, all->load, "nothing is stored where shared memory is loaded from");
	(void)kt_ir_declare(m, list, result);
	if (none == NULL && !always)
		return kt_ir_unstage_refuses(in, all->load, "what is loaded from shared memory may not have been stored");
	/* What was not stored is no number that anything may depend on. */
	if (none != NULL)
		(void)kt_ir_set(m, list, result, none);
	if (done != NULL) {
		(void)kt_ir_declare(m, list, done);
		(void)kt_ir_set(m, list, done, kt_ir_constant(m, kt_ir_bool(m), 0));
	}
	kt_ir_splice(list, &body);
	return true;
}

static void replace_load(struct kt_ir_unstaging *in, const struct kt_ir_way *way, struct kt_ir_region *list,
			 const struct kt_ir_symbol *result)
{
	struct kt_ir_region *region = (struct kt_ir_region *)(uintptr_t)way->lists[way->count - 1];
	struct kt_ir_statement *load = (struct kt_ir_statement *)(uintptr_t)way->at[way->count - 1], *before = NULL;

	for (struct kt_ir_statement *s = region->first; s != load; s = s->next)
		before = s;
	(void)kt_ir_insert(region, before, list);
	load->kind = KT_IR_S_LET;
	load->value = kt_ir_read(in->module, result);
	load->place = NULL;
	load->hint = (struct kt_ir_hint){0};
}

static bool unstage_load(struct kt_ir_unstaging *in, struct kt_ir_statement *load)
{
	struct stores *all = kt_arena_alloc(in->arena, sizeof *all);
	struct kt_ir_region list = {NULL, NULL};
	struct kt_ir_symbol *result = kt_ir_symbol(in->module, KT_IR_LOCAL_SYMBOL, load->place->type, load->symbol->hint);

	if (all == NULL || result == NULL)
		return kt_ir_unstage_refuses(in, load, "out of memory");
	*all = (struct stores){.in = in, .load = load};
	if (!know(in))
		return false;
	if (!kt_ir_way_to(&all->way, &in->kernel->body, load))
		return kt_ir_unstage_refuses(in, load, "the kernel is nested too deep");
	if (!kt_ir_visit(&in->kernel->body, note_store, all) || !are_in_order(all) || !compute_all(all, &list, result))
		return false;
	replace_load(in, &all->way, &list, result);
	return !in->module->failed;
}

static bool is_kept(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return !(s->kind == KT_IR_S_STORE && kt_ir_is_shared(s->place)) &&
	       !(s->kind == KT_IR_S_DECLARE && s->symbol->kind == KT_IR_SHARED_SYMBOL);
}

/* ---- All of it ---- */

/* The size of a block is a number; the normal form finds global indices again. */
static const struct kt_ir_value *extents(const struct kt_ir_value *v, void *context)
{
	const struct kt_ir_unstaging *in = context;

	if (v->op == KT_IR_AXIS && v->axis == KT_IR_BLOCK_DIM)
		return kt_ir_constant(in->module, v->type, in->block[v->dimension]);
	return kt_ir_folded(in->module, v);
}

static bool is_no_barrier(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_BARRIER;
}

static bool unstage_all(struct kt_ir_unstaging *in)
{
	struct kt_ir_statement *load = NULL;
	struct kt_error err;

	if (!is_possible(in) || !kt_ir_join_stores(in))
		return false;
	(void)kt_ir_rewrite_region(in->module, &in->kernel->body, extents, in);
	for (size_t i = 0; !kt_ir_visit(&in->kernel->body, finds_load, &load); i++) {
		if (i == MOST_LOADS)
			return kt_ir_unstage_refuses(in, load, "shared memory is loaded from at too many places");
		if (!unstage_load(in, load))
			return false;
	}
	(void)kt_ir_filter(&in->kernel->body, is_kept, NULL);
	if (!kt_ir_needs_no_barrier(in))
		return false;
	(void)kt_ir_filter(&in->kernel->body, is_no_barrier, NULL);
	return kt_ir_normalise(in->module, in->block, &err) == KT_OK || kt_ir_unstage_refuses(in, NULL, "the kernel has no normal form");
}

bool kt_ir_unstage(struct kt_ir_unstaged *out, struct kt_arena *arena, struct kt_ir_module *module, const int64_t block[3])
{
	struct kt_ir_unstaging in = {.out = out, .arena = arena, .module = module, .kernel = module->last_function, .block = block};

	*out = (struct kt_ir_unstaged){0};
	/* Nothing else ends it without a reason. */
	return (unstage_all(&in) && !module->failed) || kt_ir_unstage_refuses(&in, NULL, "out of memory");
}
