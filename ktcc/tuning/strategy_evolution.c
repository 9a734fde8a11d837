/*
 * Differential evolution on ranks ("current to best, one difference, binomial"): for
 * each member in turn a trial row x + F (best − x) + F (a − b), crossed with x, rounded
 * and repaired to the nearest configuration. What is told and better replaces the member.
 */
#include <math.h>
#include <stdlib.h>

#include "tuning/strategy.h"

#define POPULATION 16
#define TRIES 8
#define CROSSOVER 0.8

struct evolution {
	size_t heard, count, turn;
	size_t member[POPULATION]; /* places in view->told */
	size_t trial[POPULATION];  /* configuration that was asked for it; SIZE_MAX */
};

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct evolution *search = calloc(1, sizeof *search);

	(void)view;
	NEED(search, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	for (size_t i = 0; i < POPULATION; i++)
		search->trial[i] = SIZE_MAX;
	*state = search;
	return KT_OK;
}

static void listen(struct evolution *search, const struct kt_view *view)
{
	for (; search->heard < view->told_count; search->heard++) {
		const struct kt_told *told = &view->told[search->heard];
		size_t target = POPULATION;

		for (size_t i = 0; i < search->count; i++) {
			if (search->trial[i] != told->index)
				continue;
			search->trial[i] = SIZE_MAX;
			target = i;
		}
		if (told->verdict != KT_TELL_OK)
			continue;
		if (target < POPULATION && told->cost <= view->told[search->member[target]].cost)
			search->member[target] = search->heard;
		else if (target == POPULATION && search->count < POPULATION)
			search->member[search->count++] = search->heard;
	}
}

static size_t propose(struct evolution *search, struct kt_view *view, size_t target)
{
	const double factor = 0.4 + 0.5 * kt_rng_double(&view->rng);
	const size_t forced = (size_t)kt_rng_below(&view->rng, view->dimensions);
	const size_t a = search->member[kt_rng_below(&view->rng, search->count)];
	const size_t b = search->member[kt_rng_below(&view->rng, search->count)];
	uint16_t x[KT_PARAMETERS], best[KT_PARAMETERS], left[KT_PARAMETERS], right[KT_PARAMETERS];

	kt_space_row(x, view->space, view->told[search->member[target]].index);
	kt_space_row(best, view->space, view->told[view->best].index);
	kt_space_row(left, view->space, view->told[a].index);
	kt_space_row(right, view->space, view->told[b].index);
	for (size_t d = 0; d < view->dimensions; d++) {
		const double top = (double)kt_space_values(view->space, d) - 1;
		double to = x[d] + factor * (best[d] - x[d]) + factor * (left[d] - right[d]);

		if (kt_rng_double(&view->rng) >= CROSSOVER && d != forced)
			continue;
		to += kt_rng_double(&view->rng) - 0.5;
		x[d] = (uint16_t)fmax(0, fmin(top, round(to)));
	}
	return kt_view_repair(view, x);
}

static size_t ask(void *state, struct kt_view *view)
{
	struct evolution *search = state;

	listen(search, view);
	if (search->count < POPULATION)
		return SIZE_MAX;
	for (int tries = 0; tries < TRIES; tries++) {
		const size_t target = search->turn++ % POPULATION;
		const size_t index = propose(search, view, target);

		if (index == SIZE_MAX)
			continue;
		search->trial[target] = index;
		return index;
	}
	return SIZE_MAX;
}

const struct kt_strategy_calls kt_strategy_evolution = {open_search, ask, free};
