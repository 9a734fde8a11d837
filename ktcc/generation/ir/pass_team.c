/*
 * Teams: several threads share the loops that one thread runs for its work item, such as a row, a column or a list. Each has
 * every TEAM-th iteration; what they carry is combined by shuffles within a warp, and through shared memory between warps. All
 * else is computed by all of them alike, and one of them writes.
 *
 * Threads of a team are neighbours where a loop goes along what lies together; where neighbouring work items load neighbours,
 * TEAM_WIDTH of these stay side by side.
 *
 * Sound where threads are independent, and iterations of a loop that is shared are independent except for what they carry
 * (team.h). Sums and products of floats are recognised reductions: their order changes. A choice by comparison keeps the
 * iteration that it is of, so
 * that of equal values the same one is taken. Where threads of a team may reach one place with different accesses, they
 * synchronise around each write.
 */
#include <string.h>

#include "generation/ir/independent.h"
#include "generation/ir/normal.h"
#include "generation/ir/team.h"
#include "generation/ir/walk.h"

enum { WARP = 32, MOST_THREADS = 1024, MOST_SHARED = 48 << 10 };

static const int64_t sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256}, across[] = {8, 32}, any[] = {1, 8, 32};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- The offer ---- */

static const struct kt_ir_tunable *tunable_of(const struct kt_ir_offer *offer, const char *name)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, name) == 0)
			return &offer->tunables[i];
	return NULL;
}

/*
 * May blocks have other numbers of work items? Then they keep their threads, and the grid grows; else blocks grow. block_size and
 * stride, of loops over the grid, have asked.
 */
static bool has_free_blocks(const struct kt_ir_offer *offer)
{
	const struct kt_ir_tunable *block = tunable_of(offer, "BLOCK");

	return block != NULL && (strcmp(block->pass->name, "block_size") == 0 || tunable_of(offer, "WAVES") != NULL);
}

/* Passes that change the same loops or threads do so alone; these do not, except for further extents of a block. */
static bool is_apart(const struct kt_ir_tunable *t)
{
	static const char *const names[] = {"read_only", "loop_unroll"};

	for (size_t i = 0; i < COUNT(names); i++)
		if (strcmp(t->pass->name, names[i]) == 0)
			return true;
	return strcmp(t->name, "BLOCK") == 0 || strcmp(t->name, "WAVES") == 0;
}

static void offer_alone(struct kt_ir_offer *offer)
{
	for (size_t i = 0; i < offer->tunable_count; i++) {
		const struct kt_ir_tunable *t = &offer->tunables[i];

		if (t->pass != offer->asked && !is_apart(t))
			kt_ir_offer_restriction(offer,
						kt_ir_offer_text(offer, "TEAM == 1 || %s == %lld", t->name, (long long)t->original),
						"a thread does the work of several, or several that of one");
	}
}

/* Returns the words for how far the threads of a team reach: neighbours along what lies together, else TEAM_WIDTH items each. */
static const char *offer_values(struct kt_ir_offer *offer, const struct kt_ir_team *team)
{
	const int64_t *values = team->goes_along ? any : across;
	const size_t count = team->goes_along ? COUNT(any) : COUNT(across);

	kt_ir_offer_values(offer, "TEAM", "threads that share the loops of one work item", sizes, COUNT(sizes), 1);
	if (!team->goes_across)
		return "TEAM";
	kt_ir_offer_values(offer, "TEAM_WIDTH", "neighbouring work items between two threads of a team", values, count, values[0]);
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM > 1 || TEAM_WIDTH == %lld", (long long)values[0]),
				"one thread has no others beside it");
	return "TEAM * TEAM_WIDTH";
}

/* How teams fit into blocks. */
static void offer_blocks(struct kt_ir_offer *offer, const struct kt_ir_team *team, const char *span)
{
	const struct kt_ir_facts *facts = offer->facts;
	const bool is_free = has_free_blocks(offer), is_flat = facts->block[1] == 1 && facts->block[2] == 1;
	const char *block = is_free ? "BLOCK" : kt_ir_offer_text(offer, "%lld", (long long)facts->block[0]);
	const char *grid = offer->grid[0] == NULL ? "1" : offer->grid[0];
	const int64_t rows = facts->block[1] * facts->block[2];
	const int64_t most = offer->kernel->max_threads != 0 ? (int64_t)offer->kernel->max_threads : MOST_THREADS;

	if (is_free) {
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM == 1 || BLOCK %% (%s) == 0", span),
					"blocks are made of whole teams");
		kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) * TEAM <= 2147483647", grid), "a grid has no more blocks");
		offer->grid[0] = kt_ir_offer_text(offer, "(%s) * TEAM", grid);
	} else {
		if (team->goes_across)
			kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM == 1 || %s %% TEAM_WIDTH == 0", block),
						"blocks are made of whole teams");
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM == 1 || %s * TEAM * %lld <= %lld", block, (long long)rows, (long long)most),
					"a block holds no more threads");
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM == 1 || %s * TEAM * %lld <= device.max_threads_per_block", block, (long long)rows),
					"a block holds no more threads");
		offer->blocks[0] = kt_ir_offer_text(offer, "(%s) * TEAM", offer->blocks[0] == NULL ? "1" : offer->blocks[0]);
	}
	if (!is_flat)
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, is_free ? "TEAM == 1 || %s %% 32 == 0" : "TEAM == 1 || %s * TEAM %% 32 == 0", block),
					"rows of threads are whole warps");
	/* Barriers of the block come outside of loops alone, and shared memory holds what is combined there. */
	for (size_t i = 0; i < team->count; i++)
		if (team->loops[i].is_repeated || !is_flat || (team->needs_order && team->has_repeated_write) ||
		    team->bytes * MOST_THREADS > MOST_SHARED)
			kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "TEAM == 1 || %s <= 32", span), "a team is in one warp");
}

static bool applies(struct kt_ir_offer *offer)
{
	const struct kt_ir_facts *facts = offer->facts;
	const size_t guards = offer->guard_count;
	struct kt_ir_module *module;
	struct kt_ir_team team;
	struct kt_ir_lets lets;
	const char *why, *span;
	uint32_t line;

	if (facts->block[0] < 1 || facts->block[1] < 1 || facts->block[2] < 1)
		return kt_ir_refuses(offer, offer->kernel->line,
		                    "the block of the launches is no constant; write block(N) where the program always launches N threads");
	if (tunable_of(offer, "BLOCK") != NULL && !has_free_blocks(offer))
		return kt_ir_refuses(offer, offer->kernel->line, "loops are distributed over the block");
	if (offer->is_of_warps)
		return kt_ir_refuses(offer, offer->kernel->line, "warps have a row each");
	module = kt_ir_offer_normal(offer);
	if (module == NULL)
		return false;
	kt_ir_join_branches(module, module->last_function);
	why = kt_ir_lets_of(&lets, offer->arena, module, module->last_function)
		  ? kt_ir_why_no_team(&team, &line, offer, module, &lets)
		  : "out of memory";
	if (why == NULL && !kt_ir_offer_assumptions(offer, module->last_function)) {
		why = "an assumption about the launch has no words";
		line = offer->kernel->line;
	}
	if (why != NULL) {
		offer->guard_count = guards;
		return kt_ir_refuses(offer, line, "%s", why);
	}
	span = offer_values(offer, &team);
	offer_alone(offer);
	offer_blocks(offer, &team, span);
	return kt_ir_applies(offer, "iterations depend on each other by what they combine alone");
}

/* ---- The variant ---- */

static int64_t chosen(const struct kt_ir_variant *variant, const char *name, int64_t otherwise)
{
	const struct kt_ir_tunable *t = tunable_of(variant->offer, name);

	return t == NULL ? otherwise : variant->values[t - variant->offer->tunables];
}

struct making {
	struct kt_ir_team_shape shape;
	const struct kt_ir_team *team;
	int64_t items; /* of a block */
	const struct kt_ir_symbol *item;
};

static const struct kt_ir_value *word(struct kt_ir_module *m, int64_t value)
{
	return kt_ir_constant(m, kt_ir_integer(m, 32, false), value);
}

/* The launch that the work items are of. */
static const struct kt_ir_value *as_item(const struct kt_ir_value *v, void *context)
{
	const struct making *k = context;

	if (v->op != KT_IR_AXIS || v->dimension != 0 || (v->axis != KT_IR_THREAD && v->axis != KT_IR_BLOCK_DIM))
		return v;
	return v->axis == KT_IR_THREAD ? kt_ir_read(k->shape.module, k->item) : word(k->shape.module, k->items);
}

/* Who this thread is, in front of everything. */
static void place_thread(struct making *k, struct kt_ir_region *to)
{
	struct kt_ir_team_shape *shape = &k->shape;
	struct kt_ir_module *m = shape->module;
	const struct kt_ir_value *thread, *all, *item, *member, *lane;
	const int64_t span = shape->size * shape->width, width = shape->width;
	uint64_t lanes = 0;

	shape->thread = kt_ir_let(m, to, "thread", kt_ir_axis(m, KT_IR_THREAD, 0));
	thread = shape->thread == NULL ? NULL : kt_ir_read(m, shape->thread);
	all = kt_ir_apply(m, KT_IR_DIV, thread, word(m, width), NULL);
	member = kt_ir_apply(m, KT_IR_REM, all, word(m, shape->size), NULL);
	item = kt_ir_apply(m, KT_IR_ADD,
			   kt_ir_apply(m, KT_IR_MUL, kt_ir_apply(m, KT_IR_DIV, thread, word(m, span), NULL), word(m, width), NULL),
			   kt_ir_apply(m, KT_IR_REM, thread, word(m, width), NULL), NULL);
	shape->member = kt_ir_let(m, to, "member", kt_ir_fold_all(m, member));
	k->item = kt_ir_let(m, to, "item", kt_ir_fold_all(m, item));
	/* Its lanes of the warp, shifted to where it begins. */
	for (int64_t at = 0; at < (span < WARP ? span : WARP); at += width)
		lanes |= (uint64_t)1 << at;
	lane = kt_ir_apply(m, KT_IR_REM, thread, word(m, width < WARP ? width : WARP), NULL);
	if (span < WARP)
		lane = kt_ir_apply(m, KT_IR_ADD, lane,
				   kt_ir_apply(m, KT_IR_MUL,
					       kt_ir_apply(m, KT_IR_DIV, kt_ir_apply(m, KT_IR_REM, thread, word(m, WARP), NULL), word(m, span), NULL),
					       word(m, span), NULL),
				   NULL);
	shape->mask = kt_ir_let(m, to, "mask",
				kt_ir_fold_all(m, kt_ir_apply(m, KT_IR_SHL, word(m, (int64_t)(lanes & 0xffffffff)), lane, NULL)));
}

static const struct kt_ir_team_loop *shared(const struct kt_ir_team *team, const struct kt_ir_statement *s)
{
	for (size_t i = 0; i < team->count; i++)
		if (team->loops[i].statement == s)
			return &team->loops[i];
	return NULL;
}

/* Does it write to what others see? */
static bool writes(const struct kt_ir_statement *s)
{
	return (s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_ATOMIC) &&
	       (s->place->symbol == NULL || s->place->symbol->kind != KT_IR_LOCAL_SYMBOL);
}

static void in_region(struct making *k, struct kt_ir_region *region)
{
	struct kt_ir_module *m = k->shape.module;
	struct kt_ir_region made = {NULL, NULL}, *inner;
	bool is_ordered = false;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !m->failed; s = next) {
		const struct kt_ir_team_loop *loop = shared(k->team, s);
		const bool needs_order = k->team->needs_order && (loop != NULL || writes(s));

		next = s->next;
		s->next = NULL;
		if (needs_order && !is_ordered)
			kt_ir_team_synchronise(&k->shape, &made);
		if (loop != NULL) {
			kt_ir_team_share(&k->shape, &made, loop);
		} else if (writes(s)) {
			struct kt_ir_statement *one =
			    kt_ir_if(m, &made, kt_ir_apply(m, KT_IR_EQ, kt_ir_read(m, k->shape.member), word(m, 0), NULL));

			if (one == NULL)
				return;
			kt_ir_push(&one->body, s);
		} else {
			for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
				in_region(k, inner);
			kt_ir_push(&made, s);
		}
		if (needs_order)
			kt_ir_team_synchronise(&k->shape, &made);
		is_ordered = needs_order;
	}
	*region = made;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	struct kt_ir_module *m = variant->module;
	const int64_t own = variant->offer->facts->block[0], size = kt_ir_chosen_of(variant, "TEAM");
	const bool is_free = has_free_blocks(variant->offer);
	/* Guards that the search adds are there already. */
	struct kt_ir_offer again = *variant->offer;
	struct kt_ir_team team;
	struct kt_ir_region front = {NULL, NULL};
	struct making k = {.shape = {.module = m, .front = &front, .size = size, .width = chosen(variant, "TEAM_WIDTH", 1)},
			   .team = &team};
	struct kt_ir_lets lets;
	uint32_t line;
	kt_status status = kt_ir_variant_normal(variant, err);

	if (status != KT_OK || size <= 1)
		return status;
	again.arena = m->arena;
	kt_ir_join_branches(m, variant->kernel);
	if (!kt_ir_lets_of(&lets, m->arena, m, variant->kernel))
		return kt_no_memory(err);
	if (kt_ir_why_no_team(&team, &line, &again, m, &lets) != NULL)
		return kt_fail(err, KT_ERR_INVALID, "a loop is not what was offered");
	k.shape.threads = is_free ? chosen(variant, "BLOCK", own) : own * size;
	k.items = k.shape.threads / size;
	place_thread(&k, &front);
	(void)kt_ir_rewrite_region(m, &variant->kernel->body, as_item, &k);
	in_region(&k, &variant->kernel->body);
	(void)kt_ir_insert(&variant->kernel->body, NULL, &front);
	if (!kt_ir_team_is_in_warp(&k.shape))
		kt_ir_lift_barriers(m, variant->kernel);
	/* They are guards of the offer, and speak of the original launch. */
	variant->kernel->assumption_count = 0;
	(void)kt_ir_normalise_by(m, KT_IR_N_FOLD, NULL);
	(void)kt_ir_normalise_by(m, KT_IR_N_DEAD, NULL);
	return kt_ir_check(m, err);
}

const struct kt_ir_pass kt_ir_pass_team = {"team", applies, transform};
