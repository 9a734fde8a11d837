/*
 * Hierarchical atomics: what many threads combine in one place by atomics, each thread combines in a register, a warp by
 * exchanging, a block through shared memory, and one thread of the warp or block does the atomic.
 *
 * Sound where nothing else of the kernel sees the place, so that it makes no difference when atomics take place: they take
 * place at the kernel's end. Every thread comes there. Threads that combined nothing have the neutral value; where a whole
 * warp or block has it, there is no access. A sum of floats is a reduction: its order changes.
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
	int64_t size = 1;

	for (size_t d = 0; d < 3; d++)
		if (facts->block[d] < 1 || __builtin_mul_overflow(size, facts->block[d], &size) || size > MOST_THREADS)
			return false;
	return size % WARP == 0;
}

struct judged {
	struct kt_ir_offer *offer;
	struct kt_ir_module *module;
	const struct kt_ir_lets *lets;
	const struct kt_ir_combined *group;
	const char *why;
	uint32_t line;
};

/* Two elements of one array, whose numbers differ by a constant. */
static bool are_others(const struct kt_ir_lets *lets, const struct kt_ir_place *a, const struct kt_ir_place *b)
{
	struct kt_ir_form x, y, difference;
	int64_t distance;

	return a->symbol == b->symbol && (a->symbol != NULL || kt_ir_same(a->pointer, b->pointer)) && a->count == 1 &&
	       b->count == 1 && a->steps[0].kind == KT_IR_INDEX && b->steps[0].kind == KT_IR_INDEX &&
	       kt_ir_form_of(&x, lets, a->steps[0].index, true) && kt_ir_form_of(&y, lets, b->steps[0].index, true) &&
	       kt_ir_form_minus(&difference, &x, &y) && kt_ir_form_is_constant(&difference, &distance) &&
	       distance != 0 && distance > INT32_MIN && distance < INT32_MAX;
}

/* May the group's atomics take place later than this access? */
static bool is_apart(struct kt_ir_statement *s, void *context)
{
	struct judged *j = context;
	const struct kt_ir_symbol *root = kt_ir_root_of(j->group->place), *other;

	if ((s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE && s->kind != KT_IR_S_ATOMIC) ||
	    !kt_ir_may_alias(j->group->place, s->place) || are_others(j->lets, j->group->place, s->place))
		return true;
	if (kt_ir_commute(s, j->group->first))
		return true;
	other = kt_ir_root_of(s->place);
	if (other != NULL && other != root && kt_ir_keep_apart(j->offer, j->module->last_function, root, other, "COMBINE == 0"))
		return true;
	j->why = other == root ? "the place of the atomics is accessed otherwise"
			       : "buffers may overlap: their element counts are not known";
	j->line = s->line;
	return false;
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
		struct judged j = {.offer = offer, .module = module, .lets = &lets, .group = &c.groups[i]};

		if (!kt_ir_visit(&kernel->body, is_apart, &j)) {
			*line = j.line;
			return j.why;
		}
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
	kt_ir_offer_values(offer, "COMBINE", "atomics to one place: 0: unchanged, 1: one per warp, 2: one per block", ways,
			   sizeof ways / sizeof *ways, AS_WRITTEN);
	return kt_ir_applies(offer, "nothing else sees the place, so that values are combined before it");
}

/* ---- The variant ---- */

struct making {
	struct kt_ir_module *module;
	const struct kt_ir_combined *group;
	struct kt_ir_region *to;
	const int64_t *block; /* as the launches have it; its first extent may be another one */
};

/* What changes nothing; of a sum of floats −0. */
static const struct kt_ir_value *neutral(const struct making *k)
{
	const struct kt_ir_type *type = k->group->type;
	const uint64_t sign = (uint64_t)1 << (type->bits - 1), all = type->bits == 64 ? ~(uint64_t)0 : (sign << 1) - 1;
	uint64_t bits = 0;

	switch (k->group->first->number) {
	case KT_IR_A_ADD:
		bits = type->kind == KT_IR_FLOAT ? sign : 0;
		break;
	case KT_IR_A_MIN:
		bits = type->is_signed ? all ^ sign : all;
		break;
	case KT_IR_A_MAX:
		bits = type->is_signed ? sign : 0;
		break;
	case KT_IR_A_AND:
		bits = all;
		break;
	default:
		break;
	}
	return kt_ir_bits(k->module, type, bits, 0);
}

static const struct kt_ir_value *joined(const struct making *k, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	static const enum kt_ir_op ops[KT_IR_ATOMICS] = {[KT_IR_A_ADD] = KT_IR_ADD, [KT_IR_A_MIN] = KT_IR_LT,
							 [KT_IR_A_MAX] = KT_IR_GT,  [KT_IR_A_AND] = KT_IR_AND,
							 [KT_IR_A_OR] = KT_IR_OR,   [KT_IR_A_XOR] = KT_IR_XOR};
	const enum kt_ir_op op = ops[k->group->first->number];
	const struct kt_ir_value *made = kt_ir_apply(k->module, op, a, b, NULL);

	return op == KT_IR_LT || op == KT_IR_GT ? kt_ir_apply(k->module, KT_IR_SELECT, made, a, b) : made;
}

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
		v = kt_ir_read(k->module, kt_ir_let(k->module, k->to, "part", joined(k, v, kt_ir_read(k->module, s->symbol))));
	}
	return v;
}

/* The number of the thread in its block, and threads of the block. */
static const struct kt_ir_value *linear(struct kt_ir_module *m, enum kt_ir_axis which, const int64_t *block)
{
	const unsigned last = block[2] != 1 ? 2 : block[1] != 1 ? 1 : 0;
	const struct kt_ir_value *at = kt_ir_axis(m, which, last);

	for (unsigned d = last; d-- > 0;) {
		at = kt_ir_apply(m, KT_IR_MUL, at, kt_ir_axis(m, KT_IR_BLOCK_DIM, d), NULL);
		if (which == KT_IR_THREAD)
			at = kt_ir_apply(m, KT_IR_ADD, at, kt_ir_axis(m, which, d), NULL);
	}
	return at;
}

static const struct kt_ir_value *is_number(const struct making *k, const struct kt_ir_symbol *symbol, int64_t value)
{
	return kt_ir_apply(k->module, KT_IR_EQ, kt_ir_read(k->module, symbol), number(k, false, value), NULL);
}

/* One lane's atomic, where there is something to combine. */
static void add_atomic(const struct making *k, const struct kt_ir_symbol *lane, const struct kt_ir_value *v)
{
	struct kt_ir_module *m = k->module;
	/* The toolkit has functions for the bits of a double as a signed number. */
	const struct kt_ir_type *word = kt_ir_integer(m, k->group->type->bits, k->group->type->bits == 64);
	const struct kt_ir_value *differs = kt_ir_apply(m, KT_IR_NE, kt_ir_convert(m, v, word, KT_IR_AS_BITS),
							kt_ir_convert(m, neutral(k), word, KT_IR_AS_BITS), NULL);
	struct kt_ir_statement *branch =
	    kt_ir_if(m, k->to, kt_ir_apply(m, KT_IR_BOTH, is_number(k, lane, 0), differs, NULL));
	struct kt_ir_statement *s = branch == NULL ? NULL : kt_ir_append(m, &branch->body, KT_IR_S_ATOMIC);

	if (s == NULL)
		return;
	s->line = k->group->first->line;
	s->origin = k->group->first->origin;
	s->number = k->group->first->number;
	s->place = k->group->place;
	s->value = v;
	s->order = KT_IR_RELAXED;
	s->scope = KT_IR_GRID;
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
	warp = kt_ir_read(m, kt_ir_let(m, k->to, "warp", kt_ir_apply(m, KT_IR_DIV, kt_ir_read(m, thread), number(k, false, WARP), NULL)));
	warps = kt_ir_apply(m, KT_IR_DIV, linear(m, KT_IR_BLOCK_DIM, k->block), number(k, false, WARP), NULL);
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
	kt_ir_set(m, inner.to, sum, neutral(k));
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
	s->value = joined(r->making, kt_ir_read(m, r->sum), s->value);
	s->place = NULL;
	return true;
}

static void combine(struct kt_ir_variant *variant, const struct kt_ir_combined *group, const struct kt_ir_lets *lets, int64_t way)
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
	kt_ir_set(m, &start, r.sum, neutral(&k));
	(void)kt_ir_insert(&variant->kernel->body, NULL, &start);
	thread = kt_ir_let(m, k.to, "thread", kt_ir_fold_all(m, linear(m, KT_IR_THREAD, k.block)));
	lane = thread == NULL ? NULL
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
