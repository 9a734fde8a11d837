/* What the passes of the IR know of the launches of a region. */
#include "specialise_facts.h"

#include <string.h>

/* Elements on the largest problem; 0: not known. */
static int64_t most_elements(const struct kt_region *r, const struct kt_clause_expr *elements)
{
	const size_t count = r->problem_count > 0 ? r->problem_count : 1;
	int64_t most = 0;

	for (size_t p = 0; p < count; p++) {
		struct kt_scope scope = {r, NULL, r->problem_count > 0 ? r->problems + p * r->variable_count : NULL, NULL};
		struct kt_error ignored;
		int64_t value;

		if (kt_expr_eval(&value, elements->expr, kt_scope_lookup, &scope, &ignored) != KT_OK)
			return 0;
		most = value > most ? value : most;
	}
	return most;
}

static bool read_arguments(struct kt_ir_facts *facts, struct kt_arena *arena, const struct kt_region *r)
{
	struct kt_ir_argument_facts *arguments = kt_arena_array(arena, r->argument_count + 1, sizeof *arguments);
	int64_t *most = kt_arena_array(arena, r->argument_count + 1, sizeof *most);

	for (size_t i = 0; arguments != NULL && most != NULL && i < r->argument_count; i++) {
		arguments[i].name = r->arguments[i].name;
		for (size_t b = 0; b < r->buffer_count; b++)
			if (r->buffers[b].argument == (int64_t)i) {
				arguments[i].count = r->buffers[b].count.text;
				most[i] = most_elements(r, &r->buffers[b].count);
				arguments[i].is_input = r->buffers[b].direction == KT_IN && !r->buffers[b].scratch;
			}
	}
	facts->arguments = arguments;
	facts->most = most;
	return arguments != NULL && most != NULL;
}

/* Is it an argument, which every launch binds the variable of its name to? */
static bool is_argument(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct kt_region *r = context;

	(void)offset;
	for (size_t v = 0; v < r->variable_count; v++)
		for (size_t l = 0; strcmp(r->variables[v], name) == 0 && l < r->launch_count; l++)
			if (r->launches[l].decline == NULL &&
			    (r->launches[l].bindings[v].argument < 0 || strcmp(r->arguments[r->launches[l].bindings[v].argument].name, name) != 0))
				return false;
	for (size_t i = 0; i < r->argument_count; i++)
		if (strcmp(r->arguments[i].name, name) == 0)
			return !pointer;
	return false;
}

/* The number that an extent of the block is on every problem; 0: it differs, or is not known. */
static int64_t on_all_problems(const struct kt_region *r, const struct kt_clause_expr *extent)
{
	const size_t count = r->problem_count > 0 ? r->problem_count : 1;
	int64_t first = 0;

	for (size_t p = 0; p < count; p++) {
		struct kt_scope scope = {r, NULL, r->problem_count > 0 ? r->problems + p * r->variable_count : NULL, NULL};
		struct kt_error ignored;
		int64_t value;

		if (kt_expr_eval(&value, extent->expr, kt_scope_lookup, &scope, &ignored) != KT_OK || (p > 0 && value != first))
			return 0;
		first = value;
	}
	return first;
}

struct kt_ir_facts *kt_specialise_facts(struct kt_scan *scan, size_t region, size_t instance)
{
	const struct kt_region *r = kt_region_for(&scan->found[region]->region, instance);
	const struct kt_pragma *pragma = scan->found[region]->pragma;
	struct kt_ir_facts *facts = kt_arena_alloc(scan->arena, sizeof *facts);

	NEED(facts, NULL);
	*facts = (struct kt_ir_facts){.allowed = pragma->strategy_count != 0 ? pragma->strategies : NULL,
	                              .allowed_count = pragma->strategy_count};
	for (size_t d = 0; d < 3; d++) {
		facts->grid[d] = d < r->grid_count ? r->grid[d].text : NULL;
		facts->blocks[d] = d < r->block_count ? r->block[d].text : NULL;
		facts->block[d] = d < r->block_count ? on_all_problems(r, &r->block[d]) : 1;
	}
	facts->shared_bytes = r->shared_bytes.text;
	if (r->grid_count > 0 && kt_expr_names(r->grid[0].expr, is_argument, (void *)(uintptr_t)r))
		facts->grid_of_arguments = r->grid[0].expr;
	return read_arguments(facts, scan->arena, r) ? facts : NULL;
}

void kt_specialise_guard_block(struct kt_ir_offer *offer, const struct kt_region *r)
{
	for (size_t d = 0; d < r->block_count; d++)
		if (offer->written->block[d] > 0 && !kt_expr_is_constant(r->block[d].expr))
			kt_ir_offer_guard(offer, kt_ir_offer_text(offer, "(%s) == %lld", r->block[d].text, (long long)offer->written->block[d]),
			                  "a block has as many threads as on the problems");
}
