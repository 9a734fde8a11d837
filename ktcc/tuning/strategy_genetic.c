/*
 * Genetic, steady state: the population is the best of what was told. Two parents by
 * tournament, each parameter from one of them, one parameter in `dimensions` changed; a child that
 * breaks a restriction is repaired to the nearest configuration, one that is known is
 * changed further.
 */
#include <stdlib.h>

#include "tuning/ranked.h"

#define POPULATION 20
#define TRIES 16

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct kt_ranked *ranked = calloc(1, sizeof *ranked);

	(void)view;
	NEED(ranked, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	kt_ranked_open(ranked, POPULATION);
	*state = ranked;
	return KT_OK;
}

static void parent(uint16_t *row, const struct kt_ranked *ranked, struct kt_view *view)
{
	const size_t a = (size_t)kt_rng_below(&view->rng, ranked->count);
	const size_t b = (size_t)kt_rng_below(&view->rng, ranked->count);

	kt_space_row(row, view->space, view->told[ranked->place[a < b ? a : b]].index);
}

/* A neighbouring value half of the time, any other half of the time. */
static void mutate(uint16_t *rank, struct kt_view *view, size_t dimension)
{
	const size_t values = kt_space_values(view->space, dimension);

	if (kt_space_ordered(view->space, dimension) && kt_rng_below(&view->rng, 2) == 0) {
		if (kt_rng_below(&view->rng, 2) == 0 && *rank > 0)
			--*rank;
		else if ((size_t)*rank + 1 < values)
			++*rank;
		return;
	}
	*rank = (uint16_t)kt_rng_below(&view->rng, values);
}

static size_t ask(void *state, struct kt_view *view)
{
	struct kt_ranked *ranked = state;
	uint16_t mother[KT_PARAMETERS], father[KT_PARAMETERS];

	kt_ranked_listen(ranked, view);
	if (view->told_count < POPULATION || ranked->count < 2)
		return SIZE_MAX;
	for (size_t tries = 0; tries < TRIES; tries++) {
		size_t child;

		parent(mother, ranked, view);
		parent(father, ranked, view);
		for (size_t d = 0; d < view->dimensions; d++) {
			if (kt_rng_below(&view->rng, 2) == 0)
				mother[d] = father[d];
			if (kt_rng_below(&view->rng, view->dimensions) <= tries / 4)
				mutate(&mother[d], view, d);
		}
		child = kt_view_repair(view, mother);
		if (child != SIZE_MAX)
			return child;
	}
	return SIZE_MAX;
}

const struct kt_strategy_calls kt_strategy_genetic = {open_search, ask, free};
