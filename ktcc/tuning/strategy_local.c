/*
 * Greedy iterated local search. A few random configurations; from the best one on,
 * neighbours in random order, the first that is better becomes the centre. Where no
 * neighbour is left: a perturbation of the best (two or three parameters get other
 * values), and now and then a restart at random.
 */
#include <math.h>
#include <stdlib.h>

#include "tuning/strategy.h"

#define STARTS 5
#define KICK_TRIES 32
#define RESTART_ONE_IN 8

struct local {
	size_t heard; /* of view->told */
	size_t centre;
	double cost;      /* of the centre; INFINITY while it is not known */
	size_t started;   /* configuration that a new walk began with, to become the centre; SIZE_MAX */
};

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct local *search = calloc(1, sizeof *search);

	(void)view;
	NEED(search, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	search->centre = search->started = SIZE_MAX;
	search->cost = (double)INFINITY;
	*state = search;
	return KT_OK;
}

/* A better one moves the centre; so does the one a new walk began with, if it is valid. */
static void listen(struct local *search, const struct kt_view *view)
{
	/* What it was told of the centre may have been retracted. */
	if (search->centre != SIZE_MAX && view->told[kt_view_place(view, search->centre)].verdict != KT_TELL_OK) {
		search->centre = view->best != SIZE_MAX ? view->told[view->best].index : SIZE_MAX;
		search->cost = kt_view_best_cost(view);
	}
	for (; search->heard < view->told_count; search->heard++) {
		const struct kt_told *told = &view->told[search->heard];
		const bool start = told->index == search->started;

		if (start)
			search->started = SIZE_MAX;
		if (told->verdict != KT_TELL_OK || (!start && !(told->cost < search->cost)))
			continue;
		search->centre = told->index;
		search->cost = told->cost;
	}
}

static size_t kick(struct kt_view *view)
{
	uint16_t row[KT_PARAMETERS];

	for (int tries = 0; tries < KICK_TRIES; tries++) {
		const size_t changes = 2 + (size_t)kt_rng_below(&view->rng, 2) + (size_t)tries / 8;
		size_t index;

		kt_space_row(row, view->space, view->told[view->best].index);
		for (size_t c = 0; c < changes; c++) {
			const size_t d = (size_t)kt_rng_below(&view->rng, view->dimensions);

			row[d] = (uint16_t)kt_rng_below(&view->rng, kt_space_values(view->space, d));
		}
		index = kt_view_repair(view, row);
		if (index != SIZE_MAX)
			return index;
	}
	return SIZE_MAX;
}

static size_t ask(void *state, struct kt_view *view)
{
	struct local *search = state;
	size_t index = SIZE_MAX;

	listen(search, view);
	if (view->told_count < STARTS || view->best == SIZE_MAX)
		return SIZE_MAX;
	if (search->centre != SIZE_MAX)
		index = kt_view_neighbour(view, search->centre, KT_NEIGHBOUR_HAMMING);
	if (index == SIZE_MAX) {
		index = kt_rng_below(&view->rng, RESTART_ONE_IN) == 0 ? kt_view_random(view) : kick(view);
		search->started = index;
	}
	return index;
}

const struct kt_strategy_calls kt_strategy_local = {open_search, ask, free};
