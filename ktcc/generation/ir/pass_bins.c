/*
 * Few bins: what threads add by atomics to a buffer of few elements, a block adds to copies of it in shared memory, and at the kernel's end one
 * atomic adds each element of them to the buffer. Neighbouring threads have different copies, so that they seldom wait for each other.
 *
 * Sound where nothing else of the kernel sees the buffer, so that it makes no difference when atomics take place. Every thread comes to the
 * kernel's end. An element that no thread of the block added to has the neutral value in all copies, bit by bit, and is not accessed. What lies
 * outside of the elements that there are copies of is added where it was, so that no guard tests an index. A sum of floats is a reduction: its
 * order changes.
 */
#include "generation/ir/bins.h"

#include <string.h>

#include "generation/ir/bounds.h"
#include "generation/ir/combined.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/uniform.h"
#include "generation/ir/walk.h"

enum { AS_WRITTEN, MOST_BYTES = 46 * 1024, MOST_ATOMICS = 64 };

static const int64_t copies[] = {AS_WRITTEN, 1, 2, 4, 8};

/* ---- The offer ---- */

static const char *why_refused(struct kt_ir_bins *bins, uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module)
{
	const struct kt_ir_function *kernel = module->last_function;
	const struct kt_ir_statement *split;
	struct kt_ir_uniformity u;
	struct kt_ir_lets lets;
	const char *why;

	*line = kernel->line;
	if (!kt_ir_lets_of(&lets, offer->arena, module, kernel) || !kt_ir_uniformity_of(&u, offer->arena, module, kernel))
		return "out of memory";
	why = kt_ir_why_no_bins(bins, line, offer, module, &lets);
	if (why != NULL)
		return why;
	split = kt_ir_split_barrier(&u, &lets, offer->facts->block);
	if (split != NULL) {
		*line = split->line;
		return "threads may pass a barrier by";
	}
	*line = kernel->line;
	if (bins->has_dynamic && offer->facts->shared_bytes == NULL)
		return "how much shared memory the launch gives is not known";
	return kt_ir_offer_assumptions(offer, kernel) ? NULL : "an assumption about the launch has no words";
}

/* Copies of all buffers fit beside the kernel's shared memory and what the launch gives. */
static void offer_limits(struct kt_ir_offer *offer, const struct kt_ir_bins *bins)
{
	const int64_t most = MOST_BYTES - bins->own_bytes;
	int64_t fit = 1;

	for (size_t i = 1; i < sizeof copies / sizeof *copies; i++)
		if (kt_ir_bin_bytes(bins, copies[i]) <= most)
			fit = copies[i];
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "BINS <= %lld", (long long)fit), "a block has no more shared memory");
	if (bins->has_dynamic)
		kt_ir_offer_guard(offer,
				  kt_ir_offer_text(offer, "BINS == 0 || BINS * %lld + (%s) <= %lld", (long long)kt_ir_bin_bytes(bins, 2) / 2,
						   offer->facts->shared_bytes, (long long)most),
				  "a block has no more shared memory");
}

static bool applies(struct kt_ir_offer *offer)
{
	const size_t guards = offer->guard_count;
	struct kt_ir_module *module = kt_ir_offer_normal(offer);
	struct kt_ir_bins *bins = kt_arena_alloc(offer->arena, sizeof *bins);
	const char *why;
	uint32_t line;

	if (module == NULL)
		return false;
	if (bins == NULL)
		return kt_ir_refuses(offer, offer->kernel->line, "out of memory");
	why = why_refused(bins, &line, offer, module);
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, line, "%s", why);
	}
	kt_ir_offer_values(offer, "BINS", "copies of a buffer of few elements that a block adds to; 0: none", copies,
			   sizeof copies / sizeof *copies, AS_WRITTEN)
	    ->found = bins;
	offer_limits(offer, bins);
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, "BLOCKS") == 0 && kt_ir_why_dependent(module->last_function, &line) == NULL)
			kt_ir_offer_restriction(offer, "BLOCKS == 1 || BINS > 0", "without copies a thread does the work of several");
	return kt_ir_applies(offer, "nothing else sees the buffer, so that a block may add to copies of it before");
}

/* ---- The variant ---- */

struct making {
	struct kt_ir_module *module;
	struct kt_ir_bins *bins;
	bool is_met[KT_IR_MOST_BINS]; /* a buffer's atomics are still there */
	struct kt_ir_bounds bounds;
	int64_t copies;
	struct kt_ir_symbol *own[KT_IR_MOST_BINS]; /* the copies, one after the other */
	const struct kt_ir_value *copy, *thread, *threads;
	size_t count; /* of atomics */
	struct kt_ir_statement *atomics[MOST_ATOMICS];
};

static const struct kt_ir_hint plain = {.cache = KT_IR_CACHE_NONE};

static const struct kt_ir_value *number(const struct making *k, const struct kt_ir_type *type, int64_t value)
{
	return kt_ir_constant(k->module, type, value);
}

/* `for (at = thread; at < end; at += threads)` */
static struct kt_ir_statement *over_elements(const struct making *k, struct kt_ir_region *to, int64_t end)
{
	struct kt_ir_statement *loop = kt_ir_for(k->module, to, "at", k->thread, number(k, k->thread->type, end), k->threads);

	if (loop != NULL)
		loop->unroll = 1;
	return loop;
}

static void barrier(const struct making *k, struct kt_ir_region *to)
{
	struct kt_ir_statement *s = kt_ir_append(k->module, to, KT_IR_S_BARRIER);

	if (s != NULL)
		s->scope = KT_IR_BLOCK_SCOPE;
}

/* In front of everything: copies, and the neutral value in all of their elements. */
static void start(struct making *k, const int64_t *block, struct kt_ir_region *to)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_symbol *thread = kt_ir_let(m, to, "thread", kt_ir_fold_all(m, kt_ir_linear(m, KT_IR_THREAD, block)));
	const struct kt_ir_type *word = kt_ir_integer(m, 32, false);

	k->thread = kt_ir_read(m, thread);
	k->threads = kt_ir_fold_all(m, kt_ir_linear(m, KT_IR_BLOCK_DIM, block));
	k->copy = number(k, word, 0);
	if (k->copies > 1)
		k->copy = kt_ir_read(m, kt_ir_let(m, to, "copy", kt_ir_apply(m, KT_IR_REM, k->thread, number(k, word, k->copies), NULL)));
	for (size_t i = 0; i < k->bins->count && !m->failed; i++) {
		const struct kt_ir_bin_buffer *b = &k->bins->buffers[i];
		const int64_t all = k->copies * kt_ir_bin_pitch(b, k->copies);
		struct kt_ir_statement *loop;

		if (!k->is_met[i])
			continue;
		k->own[i] = kt_ir_symbol(m, KT_IR_SHARED_SYMBOL, kt_ir_array(m, b->first->value->type, all), "own");
		if (k->own[i] == NULL)
			return;
		k->own[i]->is_memory = true;
		kt_ir_declare(m, to, k->own[i]);
		loop = over_elements(k, to, all);
		if (loop != NULL)
			kt_ir_store(m, &loop->body, kt_ir_index(m, kt_ir_place_of(m, k->own[i]), kt_ir_read(m, loop->symbol)),
				    kt_ir_neutral(m, b->first), plain);
	}
	barrier(k, to);
}

/* An element of the buffer, as the number that atomics take it for. */
static const struct kt_ir_place *element(const struct making *k, const struct kt_ir_bin_buffer *b, const struct kt_ir_value *at)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_type *type = b->first->value->type;
	const struct kt_ir_place *place;
	const struct kt_ir_value *pointer;

	if (b->root->kind == KT_IR_ARGUMENT) {
		pointer = kt_ir_read(m, b->root);
		if (b->root->type->element != type)
			pointer = kt_ir_convert(m, pointer, kt_ir_pointer(m, type, b->root->type->space, false, false), KT_IR_AS_VALUE);
		return kt_ir_index(m, kt_ir_place_at(m, pointer), at);
	}
	place = kt_ir_index(m, kt_ir_place_of(m, b->root), at);
	return place == NULL || place->type == type ? place : kt_ir_seen_as(m, place, type, 0);
}

/* At the end: what all copies have together. */
static void finish(const struct making *k, size_t i, struct kt_ir_region *to)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_bin_buffer *b = &k->bins->buffers[i];
	struct kt_ir_statement *loop = over_elements(k, to, b->elements), *some;
	const struct kt_ir_value *at, *sum = NULL;

	if (loop == NULL)
		return;
	at = kt_ir_read(m, loop->symbol);
	for (int64_t c = 0; c < k->copies; c++) {
		const struct kt_ir_value *from = kt_ir_apply(m, KT_IR_ADD, at, number(k, at->type, c * kt_ir_bin_pitch(b, k->copies)), NULL);
		const struct kt_ir_value *part =
		    kt_ir_read(m, kt_ir_load(m, &loop->body, "part", kt_ir_index(m, kt_ir_place_of(m, k->own[i]), kt_ir_fold_all(m, from)), plain));

		sum = sum == NULL ? part : kt_ir_read(m, kt_ir_let(m, &loop->body, "sum", kt_ir_joined(m, b->first, sum, part)));
	}
	some = sum == NULL ? NULL : kt_ir_if(m, &loop->body, kt_ir_is_more(m, b->first, sum));
	if (some != NULL)
		kt_ir_atomic_like(m, &some->body, b->first, element(k, b, at), sum);
}

/* An index of which only its lower half counts where it is one of an element. */
static const struct kt_ir_value *as_word(struct kt_ir_module *m, const struct kt_ir_value *index)
{
	return kt_ir_fold_all(m, kt_ir_convert(m, index, kt_ir_integer(m, 32, false), KT_IR_AS_VALUE));
}

/* Is it the index of an element that there are copies of? NULL: it always is. */
static const struct kt_ir_value *is_within(const struct making *k, const struct kt_ir_value *index, int64_t elements)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_range range = kt_ir_range_of(&k->bounds, index);
	const bool is_word = index->op == KT_IR_CONVERT && index->arguments[0]->type->kind == KT_IR_INTEGER &&
			     index->arguments[0]->type->bits == 32;
	const struct kt_ir_value *at = is_word ? as_word(m, index) : kt_ir_convert(m, index, kt_ir_integer(m, 64, false), KT_IR_AS_VALUE);

	if (range.least >= 0 && range.greatest < elements)
		return NULL;
	return at == NULL ? NULL : kt_ir_apply(m, KT_IR_LT, at, number(k, at->type, elements), NULL);
}

/* The atomic on the thread's copy, where there is one of the element. */
static void divert(const struct making *k, struct kt_ir_statement *s)
{
	struct kt_ir_module *m = k->module;
	struct kt_ir_region body = {NULL, NULL}, otherwise = {NULL, NULL};
	struct kt_ir_statement *own = s;
	const struct kt_ir_value *index, *begin, *within;
	size_t i = 0;

	index = kt_ir_bin_of(&i, k->bins, s);
	begin = kt_ir_apply(m, KT_IR_MUL, k->copy, number(k, k->copy->type, kt_ir_bin_pitch(&k->bins->buffers[i], k->copies)), NULL);
	within = is_within(k, index, k->bins->buffers[i].elements);
	/* Nothing reads it. */
	s->symbol = NULL;
	if (within != NULL) {
		kt_ir_atomic_like(m, &body, s, s->place, s->value);
		kt_ir_atomic_like(m, &otherwise, s, s->place, s->value);
		own = body.first;
		s->kind = KT_IR_S_IF;
		s->place = NULL;
		s->value = within;
		s->body = body;
		s->otherwise = otherwise;
	}
	if (own == NULL)
		return;
	/* What is subtracted adds up, and is subtracted at the end. */
	if (own->number == KT_IR_A_SUB)
		own->number = KT_IR_A_ADD;
	own->place = kt_ir_index(m, kt_ir_place_of(m, k->own[i]), kt_ir_fold_all(m, kt_ir_apply(m, KT_IR_ADD, as_word(m, index), begin, NULL)));
}

/* The atomics of the module that is made, each buffer's first one as it was. */
static bool collect(struct kt_ir_statement *s, void *context)
{
	struct making *k = context;
	struct kt_ir_bin_buffer *b;
	struct kt_ir_statement *copy;
	size_t i;

	if (kt_ir_bin_of(&i, k->bins, s) == NULL || k->count == MOST_ATOMICS)
		return true;
	k->atomics[k->count++] = s;
	b = &k->bins->buffers[i];
	if (k->is_met[i])
		return true;
	copy = kt_arena_alloc(k->module->arena, sizeof *copy);
	if (copy == NULL) {
		k->module->failed = true;
		return false;
	}
	*copy = *s;
	b->first = copy;
	b->root = kt_ir_root_of(s->place);
	k->is_met[i] = true;
	return true;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	static const int64_t any[3] = {0};
	struct kt_ir_module *m = variant->module;
	const struct kt_ir_tunable *tunable;
	const int64_t chosen = kt_ir_chosen(&tunable, variant);
	struct kt_ir_region front = {NULL, NULL}, *body = &variant->kernel->body;
	struct kt_ir_bins bins = *(const struct kt_ir_bins *)tunable->found;
	struct making k = {.module = m, .bins = &bins, .copies = chosen};
	struct kt_ir_lets lets;
	TRY(kt_ir_variant_normal(variant, err));

	if (!kt_ir_lets_of(&lets, m->arena, m, variant->kernel) || !kt_ir_bounds_of(&k.bounds, m->arena, m, &lets, any))
		return kt_no_memory(err);
	(void)kt_ir_visit(body, collect, &k);
	start(&k, variant->offer->facts->block, &front);
	for (size_t i = 0; i < k.count && !m->failed; i++)
		divert(&k, k.atomics[i]);
	barrier(&k, body);
	for (size_t i = 0; i < bins.count && !m->failed; i++)
		if (k.is_met[i])
			finish(&k, i, body);
	(void)kt_ir_insert(body, NULL, &front);
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	return kt_ir_check(m, err);
}

const struct kt_ir_pass kt_ir_pass_bins = {"bins", applies, transform};
