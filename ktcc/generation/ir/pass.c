/* Offers, variants, and what passes share. */
#include "generation/ir/pass.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "generation/ir/normal.h"
#include "generation/ir/pass_join.h"
#include "generation/ir/warps.h"

#define KT_IR_PASS_ROW(name) extern const struct kt_ir_pass kt_ir_pass_##name;
#include "generation/ir/passes.def"

const struct kt_ir_pass *const kt_ir_passes[] = {
#define KT_IR_PASS_ROW(name) &kt_ir_pass_##name,
#include "generation/ir/passes.def"
};
const size_t kt_ir_pass_count = sizeof kt_ir_passes / sizeof *kt_ir_passes;

/* ---- Offers ---- */

static const char *format_text(struct kt_ir_offer *offer, const char *format, va_list list)
{
	char line[4096];
	const int size = vsnprintf(line, sizeof line, format, list);
	const char *text = size >= 0 && (size_t)size < sizeof line ? kt_arena_strdup(offer->arena, line) : NULL;

	offer->failed |= text == NULL;
	return text != NULL ? text : "";
}

const char *kt_ir_offer_text(struct kt_ir_offer *offer, const char *format, ...)
{
	va_list list;
	const char *text;

	va_start(list, format);
	text = format_text(offer, format, list);
	va_end(list);
	return text;
}

struct kt_ir_tunable *kt_ir_offer_values(struct kt_ir_offer *offer, const char *name, const char *meaning,
					 const int64_t *values, size_t count, int64_t original)
{
	struct kt_ir_tunable *t = &offer->tunables[offer->tunable_count];

	if (offer->tunable_count == KT_IR_MOST_TUNABLES || count > KT_IR_MOST_VALUES) {
		offer->failed = true;
		return &offer->tunables[0];
	}
	offer->tunable_count++;
	*t = (struct kt_ir_tunable){.pass = offer->asked, .name = name, .meaning = meaning, .count = count,
				    .has_original = true, .original = original};
	memcpy(t->values, values, count * sizeof *values);
	return t;
}

static void add_clause(struct kt_ir_offer *offer, struct kt_ir_clause *clauses, size_t *count, const char *text,
		       const char *reason)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp(clauses[i].text, text) == 0)
			return;
	if (*count == KT_IR_MOST_CLAUSES)
		offer->failed = true;
	else
		clauses[(*count)++] = (struct kt_ir_clause){text, reason};
}

void kt_ir_offer_restriction(struct kt_ir_offer *offer, const char *text, const char *reason)
{
	add_clause(offer, offer->restrictions, &offer->restriction_count, text, reason);
}

void kt_ir_offer_guard(struct kt_ir_offer *offer, const char *text, const char *reason)
{
	add_clause(offer, offer->guards, &offer->guard_count, text, reason);
}

static bool answer(struct kt_ir_offer *offer, bool applies, uint32_t line, const char *text)
{
	struct kt_ir_answer *slot =
	    kt_arena_push(offer->arena, &offer->answers, &offer->answer_count, sizeof *slot);

	offer->failed |= slot == NULL;
	if (slot != NULL)
		*slot = (struct kt_ir_answer){offer->asked, applies, line, text};
	return applies;
}

bool kt_ir_applies(struct kt_ir_offer *offer, const char *reason)
{
	return answer(offer, true, 0, reason);
}

bool kt_ir_refuses(struct kt_ir_offer *offer, uint32_t line, const char *format, ...)
{
	va_list list;
	const char *text;

	va_start(list, format);
	text = format_text(offer, format, list);
	va_end(list);
	return answer(offer, false, line, text);
}

bool kt_ir_is_allowed(const struct kt_ir_facts *facts, const char *name)
{
	for (size_t i = 0; facts->allowed != NULL && i < facts->allowed_count; i++)
		if (strcmp(facts->allowed[i], name) == 0)
			return true;
	return facts->allowed == NULL;
}

/* What the passes of the normal form leave is many times what they make, so it is freed after them. */
#define NORMAL_REGIONS 8

static const struct kt_ir_module *make_normal(const struct kt_ir_offer *offer)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES * NORMAL_REGIONS);
	struct kt_ir_module *module = arena != NULL ? kt_ir_copy(offer->module, arena, true) : NULL, *kept = NULL;
	struct kt_error err;

	if (module != NULL)
		kt_ir_flatten(module, offer->written);
	if (module != NULL && kt_ir_normalise(module, offer->written->block, &err) == KT_OK &&
	    (!offer->is_of_warps || kt_ir_to_warps(module, offer->written->block, &err) == KT_OK))
		kept = kt_ir_copy(module, offer->arena, false);
	kt_arena_free(arena);
	return kept;
}

/* The facts as passes see them, where warps have a row each. */
static kt_status see_warps(struct kt_ir_offer *offer, struct kt_error *err)
{
	const struct kt_ir_facts *written = offer->written;
	struct kt_ir_facts *seen = kt_arena_alloc(offer->arena, sizeof *seen);

	NEED(seen, kt_no_memory(err));
	offer->plain = offer->normal = make_normal(offer);
	/* What has no normal form is refused by the passes that need it. */
	if (offer->normal == NULL || !kt_ir_is_of_warps(offer->normal, written->block))
		return KT_OK;
	*seen = *written;
	seen->grid_of_arguments = NULL;
	kt_ir_block_of_warps(seen->block, written->block);
	for (size_t d = 0; d < 3; d++) {
		seen->grid[d] = d == 0 ? NULL : written->grid[d - 1];
		seen->blocks[d] = kt_ir_offer_text(offer, "%lld", (long long)seen->block[d]);
	}
	offer->facts = seen;
	offer->is_of_warps = true;
	offer->normal = make_normal(offer);
	return KT_OK;
}

/* The launch of the template from the one that passes have seen. */
static void write_launch(struct kt_ir_offer *offer)
{
	const struct kt_ir_facts *seen = offer->facts, *written = offer->written;
	const bool is_flat = written->block[1] == 1;

	/* There is one block along x, of one warp. */
	offer->failed |= offer->grid[0] != seen->grid[0] || offer->blocks[0] != seen->blocks[0];
	offer->grid[0] = offer->grid[1];
	offer->grid[1] = offer->grid[2];
	offer->grid[2] = written->grid[2];
	if (!is_flat)
		return;
	offer->blocks[0] = offer->blocks[1] == seen->blocks[1] ? written->blocks[0]
							       : kt_ir_offer_text(offer, "(%s) * %d", offer->blocks[1], KT_IR_LANES);
	offer->blocks[1] = written->blocks[1];
	offer->blocks[2] = written->blocks[2];
}

static void write_other_launch(struct kt_ir_offer *offer)
{
	for (size_t d = 0; d < 2 && offer->unless != NULL; d++) {
		const char *grid = offer->grid[d] == NULL ? "1" : offer->grid[d], *block = offer->blocks[d] == NULL ? "1" : offer->blocks[d];

		offer->grid[d] = kt_ir_offer_text(offer, "%s ? (%s) : (%s)", offer->unless, grid, offer->other_grid[d]);
		offer->blocks[d] = kt_ir_offer_text(offer, "%s ? (%s) : (%s)", offer->unless, block, offer->other_blocks[d]);
	}
}

kt_status kt_ir_offer_make(struct kt_ir_offer **out, struct kt_arena *arena, const struct kt_ir_module *module,
			   const struct kt_ir_facts *facts, struct kt_error *err)
{
	struct kt_ir_offer *offer = kt_arena_alloc(arena, sizeof *offer);

	NEED(offer, kt_no_memory(err));
	if (module->last_function == NULL || !module->last_function->is_kernel)
		return kt_fail(err, KT_ERR_INVALID, "the module has no kernel at its end");
	*offer = (struct kt_ir_offer){.arena = arena, .module = module, .kernel = module->last_function, .facts = facts,
				      .written = facts};
	if (see_warps(offer, err) != KT_OK)
		return KT_ERR_MEMORY;
	facts = offer->facts;
	memcpy(offer->grid, facts->grid, sizeof offer->grid);
	memcpy(offer->blocks, facts->blocks, sizeof offer->blocks);
	for (size_t i = 0; i < kt_ir_pass_count; i++) {
		offer->asked = kt_ir_passes[i];
		if (kt_ir_is_allowed(facts, offer->asked->name))
			(void)offer->asked->applies(offer);
	}
	offer->asked = NULL;
	if (offer->is_of_warps)
		write_launch(offer);
	write_other_launch(offer);
	kt_ir_offer_join(offer);
	if (offer->failed)
		return kt_fail(err, KT_ERR_LIMIT, "the passes offer more than a template holds");
	*out = offer;
	return KT_OK;
}

/* ---- Variants ---- */

int64_t kt_ir_chosen_of(const struct kt_ir_variant *variant, const char *name)
{
	for (size_t i = 0; i < variant->offer->tunable_count; i++)
		if (variant->offer->tunables[i].pass == variant->pass &&
		    strcmp(variant->offer->tunables[i].name, name) == 0)
			return variant->values[i];
	return 0;
}

int64_t kt_ir_chosen(const struct kt_ir_tunable **tunable, const struct kt_ir_variant *variant)
{
	size_t i = 0;

	/* A pass runs because of one of its tunables. */
	while (variant->offer->tunables[i].pass != variant->pass)
		i++;
	*tunable = &variant->offer->tunables[i];
	return variant->values[i];
}

kt_status kt_ir_variant_normal(struct kt_ir_variant *variant, struct kt_error *err)
{
	const bool sees = variant->offer->is_of_warps && !variant->is_of_warps;
	const struct kt_ir_facts *facts = sees ? variant->offer->written : variant->offer->facts;
	kt_status status;

	/* Once: passes may make axes. */
	if (!variant->is_flat)
		kt_ir_flatten(variant->module, variant->offer->written);
	variant->is_flat = true;
	status = kt_ir_normalise(variant->module, facts->block, err);
	variant->is_of_warps |= sees;
	return status == KT_OK && sees ? kt_ir_to_warps(variant->module, facts->block, err) : status;
}

kt_status kt_ir_variant_plain(struct kt_ir_variant *variant, struct kt_error *err)
{
	if (!variant->is_flat)
		kt_ir_flatten(variant->module, variant->offer->written);
	variant->is_flat = true;
	return kt_ir_normalise(variant->module, variant->offer->written->block, err);
}

static bool is_value(const struct kt_ir_tunable *t, int64_t value)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->values[i] == value)
			return true;
	return t->has_original && t->original == value;
}

/* Is there something for the pass to do? */
static bool runs(const struct kt_ir_offer *offer, const int64_t *values, const struct kt_ir_pass *pass)
{
	for (size_t i = 0; i < offer->tunable_count; i++) {
		const struct kt_ir_tunable *t = &offer->tunables[i];

		if (t->pass == pass && (!t->has_original || values[i] != t->original))
			return true;
	}
	return false;
}

kt_status kt_ir_variant_make(struct kt_ir_module **out, struct kt_arena *arena, const struct kt_ir_offer *offer,
			     const int64_t *values, struct kt_error *err)
{
	struct kt_ir_variant variant = {.offer = offer, .values = values, .module = kt_ir_copy(offer->module, arena, true)};
	int64_t other_values[KT_IR_MOST_TUNABLES];
	kt_status status = KT_OK;

	NEED(variant.module, kt_no_memory(err));
	variant.kernel = variant.module->last_function;
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (!is_value(&offer->tunables[i], values[i]))
			return kt_fail(err, KT_ERR_INVALID, "%lld is no value of %s", (long long)values[i],
				       offer->tunables[i].name);
	if (kt_ir_offer_other(other_values, offer, values))
		return kt_ir_variant_make(out, arena, offer->other, other_values, err);
	for (size_t i = 0; status == KT_OK && i < kt_ir_pass_count; i++) {
		variant.pass = kt_ir_passes[i];
		if (!runs(offer, values, variant.pass))
			continue;
		status = variant.pass->transform(&variant, err);
		if (status == KT_OK)
			status = kt_ir_check(variant.module, err);
		if (status == KT_OK)
			status = kt_ir_verify(variant.module, true, err);
		if (status != KT_OK)
			status = kt_fail_prefix(err, "pass %s", variant.pass->name);
	}
	if (status == KT_OK && variant.is_of_warps)
		kt_ir_from_warps(variant.module, offer->written->block);
	if (status == KT_OK)
		status = kt_ir_check(variant.module, err);
	if (status == KT_OK)
		status = kt_ir_verify(variant.module, true, err);
	*out = variant.module;
	return status;
}

/* ---- Walks ---- */

bool kt_ir_walk(const struct kt_ir_region *region, unsigned depth,
		bool (*visit)(const struct kt_ir_statement *statement, unsigned depth, void *context), void *context)
{
	for (const struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const unsigned inner = depth + (s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP);

		if (!visit(s, depth, context) || !kt_ir_walk(&s->body, inner, visit, context) ||
		    !kt_ir_walk(&s->otherwise, inner, visit, context))
			return false;
		for (size_t i = 0; i < s->case_count; i++)
			if (!kt_ir_walk(&s->cases[i].body, inner, visit, context))
				return false;
	}
	return true;
}

static void each(struct kt_ir_region *region, const struct kt_ir_statement *origin,
		 void (*visit)(struct kt_ir_statement *statement, void *context), void *context)
{
	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (origin == NULL || s->origin == origin)
			visit(s, context);
		each(&s->body, origin, visit, context);
		each(&s->otherwise, origin, visit, context);
		for (size_t i = 0; i < s->case_count; i++)
			each(&s->cases[i].body, origin, visit, context);
	}
}

void kt_ir_each_of(struct kt_ir_module *module, const struct kt_ir_statement *origin,
		   void (*visit)(struct kt_ir_statement *statement, void *context), void *context)
{
	for (struct kt_ir_function *f = module->functions; f != NULL; f = f->next)
		each(&f->body, origin, visit, context);
}

int64_t kt_ir_threads_of(const struct kt_ir_facts *facts)
{
	enum { MOST_THREADS = 1024 };
	int64_t size = 1;

	for (size_t d = 0; d < 3; d++)
		if (facts->block[d] < 1 || __builtin_mul_overflow(size, facts->block[d], &size) || size > MOST_THREADS)
			return 0;
	return size;
}
