/*
 * Without shared memory: what a block keeps there and could load again is loaded again, and its threads need not synchronise. On
 * caches of today's size that may be as fast, and threads are independent then: the other passes offer more for the kernel
 * without shared memory than for the kernel as it is. So this pass makes a second offer, of that kernel (pass_join.h).
 *
 * Sound where every load sees what a thread of the block stored, which can be computed again (unstage.h), from buffers that guards
 * keep apart from what is written.
 */
#include "generation/ir/independent.h"
#include "generation/ir/pass_join.h"
#include "generation/ir/unstage.h"

#include <string.h>

static const int64_t choices[] = {0, 1};
static const char *const of_tiles[] = {"product"};

static bool is_allowed(const struct kt_ir_facts *facts, const char *pass)
{
	for (size_t i = 0; facts->allowed != NULL && i < facts->allowed_count; i++)
		if (strcmp(facts->allowed[i], pass) == 0)
			return true;
	return facts->allowed == NULL;
}

static bool offers_tiles(const struct kt_ir_offer *offer)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].pass->name, "product") == 0)
			return true;
	return false;
}

/* Where the kernel is a product, tiles in shared memory are better than none: nothing else is offered. */
static bool make_other(struct kt_ir_offer **other, const struct kt_ir_offer *offer, const struct kt_ir_module *module)
{
	struct kt_ir_facts *tiles = kt_arena_alloc(offer->arena, sizeof *tiles);
	struct kt_error err;

	if (tiles == NULL)
		return false;
	*tiles = *offer->written;
	tiles->allowed = of_tiles;
	tiles->allowed_count = sizeof of_tiles / sizeof *of_tiles;
	if (is_allowed(offer->written, "product") && kt_ir_offer_make(other, offer->arena, module, tiles, &err) == KT_OK && offers_tiles(*other)) {
		kt_ir_offer_restriction(*other, "TM != 0", "without shared memory there are tiles");
		return true;
	}
	return kt_ir_offer_make(other, offer->arena, module, offer->written, &err) == KT_OK;
}

/* The offer of the kernel without shared memory, from where that is made. */
static bool offer_other(struct kt_ir_offer *offer, const struct kt_ir_module *without, const struct kt_ir_unstaged *u)
{
	struct kt_ir_module *module = kt_ir_copy(without, offer->arena, false);
	struct kt_ir_offer *other;

	if (module == NULL || !make_other(&other, offer, module) ||
	    !kt_ir_offer_assumptions(other, module->last_function))
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel without shared memory has no offer");
	if (!kt_ir_keep_all_apart(other, without->last_function, &u->apart, NULL) || other->failed)
		return kt_ir_refuses(offer, offer->kernel->line, "nothing keeps what is loaded again apart from what is written");
	offer->other = other;
	kt_ir_offer_values(offer, KT_IR_UNSTAGE, "1: what is kept in shared memory is loaded again", choices,
			   sizeof choices / sizeof *choices, 0);
	return kt_ir_applies(offer, "what is loaded again is what was stored, and nothing else needs the barriers");
}

/* What it takes to find out is as much as many kernels, so it is freed after that. */
static bool applies_in(struct kt_ir_offer *offer, struct kt_arena *arena)
{
	struct kt_ir_module *module = kt_ir_copy(offer->normal, arena, false);
	struct kt_ir_unstaged u = {.why = "out of memory", .line = offer->kernel->line};

	if (module == NULL || !kt_ir_unstage(&u, arena, module, offer->written->block))
		return kt_ir_refuses(offer, u.line, "%s", u.why);
	return offer_other(offer, module, &u);
}

static bool applies(struct kt_ir_offer *offer)
{
	struct kt_arena *arena;
	bool does;

	if (offer->normal == NULL)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has no normal form");
	arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	does = arena != NULL ? applies_in(offer, arena) : kt_ir_refuses(offer, offer->kernel->line, "out of memory");
	kt_arena_free(arena);
	return does;
}

/* Variants without shared memory are those of the other offer. */
const struct kt_ir_pass kt_ir_pass_unstage = {"unstage", applies, NULL};
