/*
 * Simulated annealing. A step goes to a neighbour, adjacent or Hamming in turn by
 * chance; a worse one is accepted with probability exp(-Δ/T), Δ the difference of log
 * costs. T falls geometrically with the share of the budget that is spent. Steps to
 * configurations whose cost is known are free.
 */
#include <math.h>
#include <stdlib.h>

#include "tuning/strategy.h"

#define HOT 0.5    /* a factor of e^0.5 is accepted with probability 1/e at the start … */
#define COLD 0.01  /* … and one of 1 % at the end */
#define UNPLANNED 200
#define STARTS 5
#define FREE_STEPS 64
#define STALE_STEPS 40 /* without a move: back to the best */

struct annealing {
	size_t heard, current, proposed, stale;
	double cost;
};

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct annealing *search = calloc(1, sizeof *search);

	(void)view;
	NEED(search, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	search->current = SIZE_MAX;
	*state = search;
	return KT_OK;
}

static double temperature(const struct kt_view *view)
{
	const double budget = (double)(view->budget > 0 ? view->budget : UNPLANNED);

	return HOT * pow(COLD / HOT, fmin(1, (double)view->told_count / budget));
}

static void consider(struct annealing *search, struct kt_view *view, const struct kt_told *told)
{
	const double chance = kt_rng_double(&view->rng);

	search->stale++;
	if (told->verdict != KT_TELL_OK)
		return;
	if (search->current == SIZE_MAX || told->cost <= search->cost ||
	    chance < exp(-log(told->cost / search->cost) / temperature(view))) {
		search->current = told->index;
		search->cost = told->cost;
		search->stale = 0;
	}
}

static size_t ask(void *state, struct kt_view *view)
{
	struct annealing *search = state;

	for (; search->heard < view->told_count; search->heard++)
		consider(search, view, &view->told[search->heard]);
	if (view->told_count < STARTS || view->best == SIZE_MAX)
		return SIZE_MAX;
	if (search->heard == STARTS || search->stale > STALE_STEPS) {
		search->current = view->told[view->best].index;
		search->cost = view->told[view->best].cost;
		search->stale = 0;
	}
	for (int step = 0; step < FREE_STEPS; step++) {
		const enum kt_neighbourhood kind =
		    kt_rng_below(&view->rng, 2) == 0 ? KT_NEIGHBOUR_ADJACENT : KT_NEIGHBOUR_HAMMING;
		const size_t count = kt_space_neighbours(view->near, view->space, search->current, kind);
		size_t index;

		if (count == 0)
			break;
		index = view->near[kt_rng_below(&view->rng, count)];
		if (kt_view_unknown(view, index))
			return index;
		if (kt_view_place(view, index) != SIZE_MAX)
			consider(search, view, &view->told[kt_view_place(view, index)]);
	}
	return kt_view_neighbour(view, search->current, KT_NEIGHBOUR_HAMMING);
}

const struct kt_strategy_calls kt_strategy_annealing = {open_search, ask, free};
