/*
 * Hierarchical atomics: what many threads combine in one place by atomics, each thread combines in a register, a warp
 * by exchanging, a block through shared memory, and one thread of the warp or block does the atomic.
 *
 * Sound where nothing else of the kernel sees the place, so that it makes no difference when atomics take place: they
 * take place at the kernel's end. Every thread comes there. Threads that combined nothing have the neutral value; where
 * a whole warp or block has it, there is no access. A sum of floats is a reduction: its order changes.
 */
#include "generation/ir/combined.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"

enum { AS_WRITTEN, BY_WARPS, BY_BLOCKS, WARP = 32, MOST_THREADS = 1024 };

static const int64_t ways[] = {AS_WRITTEN, BY_WARPS, BY_BLOCKS};

/* ---- The offer ---- */

/* Are blocks made of whole warps? */
static bool has_whole_warps(const struct kt_ir_facts *facts)
{
	const int64_t threads = kt_ir_threads_of(facts);

	return threads > 0 && threads % WARP == 0;
}

static const char *why_refused(uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module)
{
	const struct kt_ir_function *kernel = module->last_function;
	const struct kt_ir_statement *split;
	struct kt_ir_combination c;
	struct kt_ir_uniformity u;
	struct kt_ir_lets lets;
	const char *why;

	*line = kernel->line;
	if (!has_whole_warps(offer->facts))
		return "the block of the launches is no constant, or not of whole warps";
	if (!kt_ir_lets_of(&lets, offer->arena, module, kernel) ||
	    !kt_ir_uniformity_of(&u, offer->arena, module, kernel))
		return "out of memory";
	why = kt_ir_why_not_combined(&c, line, module, &lets);
	if (why != NULL)
		return why;
	split = kt_ir_split_barrier(&u, &lets, offer->facts->block);
	if (split != NULL) {
		*line = split->line;
		return "threads may pass a barrier by";
	}
	for (size_t i = 0; i < c.count; i++) {
		why = kt_ir_why_seen(line, offer, kernel, &lets, c.groups[i].first, c.groups[i].place, "COMBINE == 0");
		if (why != NULL)
			return why;
	}
	*line = kernel->line;
	return kt_ir_offer_assumptions(offer, kernel) ? NULL : "an assumption about the launch has no words";
}

static bool applies(struct kt_ir_offer *offer)
{
	const size_t guards = offer->guard_count;
	struct kt_ir_module *module = kt_ir_offer_normal(offer);
	const char *why;
	uint32_t line;

	if (module == NULL)
		return false;
	why = why_refused(&line, offer, module);
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, line, "%s", why);
	}
	kt_ir_offer_values(offer, "COMBINE", "atomics to one place: 0: unchanged, 1: one per warp, 2: one per block",
			   ways, sizeof ways / sizeof *ways, AS_WRITTEN);
	return kt_ir_applies(offer, "nothing else sees the place, so that values are combined before it");
}

/* ---- The variant ---- */

struct making {
	struct kt_ir_module *module;
	const struct kt_ir_combined *group;
	struct kt_ir_region *to;
	const int64_t *block; /* as the launches have it; its first extent may be another one */
};

static const struct kt_ir_value *number(const struct making *k, bool is_signed, int64_t value)
{
	return kt_ir_constant(k->module, kt_ir_integer(k->module, 32, is_signed), value);
}

/* Every lane of a warp gets what all lanes have. */
static const struct kt_ir_value *of_warp(const struct making *k, const struct kt_ir_value *v)
{
	for (int64_t distance = WARP / 2; distance > 0 && v != NULL; distance /= 2) {
		struct kt_ir_statement *s = kt_ir_append(k->module, k->to, KT_IR_S_COLLECTIVE);

		if (s == NULL)
			return NULL;
		s->number = KT_IR_SHUFFLE_XOR;
		s->value = number(k, false, 0xffffffff);
		s->further[0] = v;
		s->further[1] = number(k, true, distance);
		s->further[2] = number(k, true, WARP);
		s->symbol = kt_ir_symbol(k->module, KT_IR_TEMPORARY, k->group->type, "other");
		v = kt_ir_read(k->module, kt_ir_let(k->module, k->to, "part",
						    kt_ir_joined(k->module, k->group->first, v,
								 kt_ir_read(k->module, s->symbol))));
	}
	return v;
}

static const struct kt_ir_value *is_number(const struct making *k, const struct kt_ir_symbol *symbol, int64_t value)
{
	return kt_ir_apply(k->module, KT_IR_EQ, kt_ir_read(k->module, symbol), number(k, false, value), NULL);
}

/* One lane's atomic, where there is something to combine. */
static void add_atomic(const struct making *k, const struct kt_ir_symbol *lane, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = k->module;
	struct kt_ir_statement *branch = kt_ir_if(
	    m, k->to, kt_ir_apply(m, KT_IR_BOTH, is_number(k, lane, 0), kt_ir_is_more(m, k->group->first, v), NULL));

	if (branch != NULL)
		kt_ir_atomic_like(m, &branch->body, k->group->first, k->group->place, v);
}

/* Warps leave their values in shared memory; the first one combines them. */
static void of_block(const struct making *k, const struct kt_ir_symbol *thread, const struct kt_ir_symbol *lane,
		     const struct kt_ir_value *v)
{
	static const struct kt_ir_hint plain = {.cache = KT_IR_CACHE_NONE};
	struct kt_ir_module *m = k->module;
	struct kt_ir_symbol *parts =
	    kt_ir_symbol(m, KT_IR_SHARED_SYMBOL, kt_ir_array(m, k->group->type, WARP), "parts");
	struct kt_ir_symbol *sum = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, k->group->type, "part");
	const struct kt_ir_value *warp, *warps;
	struct kt_ir_statement *branch, *barrier, *some;
	struct making inner = *k;

	if (parts == NULL || sum == NULL)
		return;
	parts->is_memory = true;
	warp = kt_ir_read(m, kt_ir_let(m, k->to, "warp",
				       kt_ir_apply(m, KT_IR_DIV, kt_ir_read(m, thread), number(k, false, WARP), NULL)));
	warps = kt_ir_apply(m, KT_IR_DIV, kt_ir_linear(m, KT_IR_BLOCK_DIM, k->block), number(k, false, WARP), NULL);
	kt_ir_declare(m, k->to, parts);
	branch = kt_ir_if(m, k->to, is_number(k, lane, 0));
	if (branch == NULL || warp == NULL)
		return;
	kt_ir_store(m, &branch->body, kt_ir_index(m, kt_ir_place_of(m, parts), warp), v, plain);
	barrier = kt_ir_append(m, k->to, KT_IR_S_BARRIER);
	branch = kt_ir_if(m, k->to, kt_ir_apply(m, KT_IR_EQ, warp, number(k, false, 0), NULL));
	if (branch == NULL || barrier == NULL)
		return;
	barrier->scope = KT_IR_BLOCK_SCOPE;
	inner.to = &branch->body;
	kt_ir_declare(m, inner.to, sum);
	kt_ir_set(m, inner.to, sum, kt_ir_neutral(m, k->group->first));
	some = kt_ir_if(m, inner.to, kt_ir_apply(m, KT_IR_LT, kt_ir_read(m, lane), warps, NULL));
	if (some == NULL)
		return;
	kt_ir_set(m, &some->body, sum,
		  kt_ir_read(m, kt_ir_load(m, &some->body, "part",
					   kt_ir_index(m, kt_ir_place_of(m, parts), kt_ir_read(m, lane)), plain)));
	v = of_warp(&inner, kt_ir_read(m, sum));
	if (v != NULL)
		add_atomic(&inner, lane, v);
}

struct registers {
	struct making *making;
	const struct kt_ir_lets *lets;
	struct kt_ir_symbol *sum;
};

/* The atomic becomes an operation on the thread's register. */
static bool keep_in_register(struct kt_ir_statement *s, void *context)
{
	struct registers *r = context;
	struct kt_ir_module *m = r->making->module;

	if (!kt_ir_is_combined(r->making->group, m, r->lets, s))
		return true;
	s->kind = KT_IR_S_SET;
	s->symbol = r->sum;
	s->value = kt_ir_joined(m, r->making->group->first, kt_ir_read(m, r->sum), s->value);
	s->place = NULL;
	return true;
}

static void combine(struct kt_ir_variant *variant, const struct kt_ir_combined *group, const struct kt_ir_lets *lets,
		    int64_t way)
{
	struct kt_ir_module *m = variant->module;
	struct kt_ir_region start = {NULL, NULL};
	/* The statement that names the operation becomes another one. */
	struct kt_ir_statement first = *group->first;
	struct kt_ir_combined copy = {&first, group->place, group->type};
	struct making k = {m, &copy, &variant->kernel->body, variant->offer->facts->block};
	struct registers r = {&k, lets, kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, group->type, "sum")};
	struct kt_ir_symbol *thread, *lane;
	const struct kt_ir_value *v;

	if (r.sum == NULL)
		return;
	(void)kt_ir_visit(&variant->kernel->body, keep_in_register, &r);
	kt_ir_declare(m, &start, r.sum);
	kt_ir_set(m, &start, r.sum, kt_ir_neutral(m, k.group->first));
	(void)kt_ir_insert(&variant->kernel->body, NULL, &start);
	thread = kt_ir_let(m, k.to, "thread", kt_ir_fold_all(m, kt_ir_linear(m, KT_IR_THREAD, k.block)));
	lane = thread == NULL
		   ? NULL
		   : kt_ir_let(m, k.to, "lane",
			       kt_ir_apply(m, KT_IR_REM, kt_ir_read(m, thread), number(&k, false, WARP), NULL));
	v = of_warp(&k, kt_ir_read(m, r.sum));
	if (lane == NULL || v == NULL)
		return;
	if (way == BY_BLOCKS)
		of_block(&k, thread, lane, v);
	else
		add_atomic(&k, lane, v);
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	struct kt_ir_module *m = variant->module;
	const struct kt_ir_tunable *way;
	struct kt_ir_combination c;
	struct kt_ir_lets lets;
	uint32_t line;
	TRY(kt_ir_variant_normal(variant, err));

	if (!kt_ir_lets_of(&lets, m->arena, m, variant->kernel))
		return kt_no_memory(err);
	if (kt_ir_why_not_combined(&c, &line, m, &lets) == NULL)
		for (size_t i = 0; i < c.count && !m->failed; i++)
			combine(variant, &c.groups[i], &lets, kt_ir_chosen(&way, variant));
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	return kt_ir_check(m, err);
}

const struct kt_ir_pass kt_ir_pass_combine = {"combine", applies, transform};
