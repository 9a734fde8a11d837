#include "tuning/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/strategy.h"

#define RANDOM_TRIES 64 /* draws before the unknown ones are counted */

struct kt_search {
	const struct kt_strategy *strategy;
	struct kt_view view;
	void *state;
};

/* In the order of KT_STRATEGIES. */
enum {
#define ROW_OF(name) ROW_##name,
	KT_STRATEGIES(ROW_OF)
#undef ROW_OF
	STRATEGY_COUNT
};
static const struct kt_strategy rows[STRATEGY_COUNT] = {
    [ROW_default] = {"default", "by budget and size of the space: a model first, local search where it ends", false, true,
     &kt_strategy_default},
    [ROW_exhaustive] = {"exhaustive", "every configuration once, in order", false, false, &kt_strategy_exhaustive},
    [ROW_random] = {"random", "uniform, without replacement", false, false, &kt_strategy_random},
    [ROW_lhs] = {"lhs", "a Latin hypercube, repaired; then another", true, false, &kt_strategy_lhs},
    [ROW_local] = {"local", "greedy iterated local search with perturbation and restarts", false, true,
     &kt_strategy_local},
    [ROW_annealing] = {"annealing", "simulated annealing on log cost", true, true, &kt_strategy_annealing},
    [ROW_genetic] = {"genetic", "steady-state genetic search with constraint repair", false, true,
     &kt_strategy_genetic},
    [ROW_evolution] = {"evolution", "differential evolution on ranks", false, true, &kt_strategy_evolution},
    [ROW_model] = {"model", "Gaussian process on log cost, expected improvement, feasibility learnt", false, true,
     &kt_strategy_model},
};

size_t kt_strategies(const struct kt_strategy *const **out)
{
	static const struct kt_strategy *list[STRATEGY_COUNT];

	for (size_t i = 0; i < STRATEGY_COUNT; i++)
		list[i] = &rows[i];
	*out = list;
	return STRATEGY_COUNT;
}

const struct kt_strategy *kt_strategy_find(const char *given)
{
	const char *name = kt_strategy_name(given);

	return name != NULL ? KT_FIND(rows, STRATEGY_COUNT, name, name) : NULL;
}

kt_status kt_strategy_unknown(const char *name, struct kt_error *err)
{
	return kt_fail(err, KT_ERR_INVALID, "unknown strategy '%.80s'; use one of %s", name, kt_strategy_names);
}

static bool open_view(struct kt_view *view, const struct kt_space *space, uint64_t seed, size_t budget)
{
	view->space = space;
	view->count = kt_space_feasible(space);
	view->dimensions = kt_space_dimensions(space);
	view->budget = budget < view->count ? budget : view->count;
	view->best = SIZE_MAX;
	kt_rng_seed(&view->rng, seed);
	view->place = calloc(view->count + 1, sizeof *view->place);
	view->near = calloc(kt_space_neighbours_most(space) + 1, sizeof *view->near);
	return view->place != NULL && view->near != NULL;
}

kt_status kt_search_open(struct kt_search **out, const char *strategy, const struct kt_space *space, uint64_t seed,
			 size_t budget, struct kt_error *err)
{
	const struct kt_strategy *row = kt_strategy_find(strategy);
	struct kt_search *search;
	kt_status status;

	if (row == NULL)
		return kt_strategy_unknown(strategy, err);
	search = calloc(1, sizeof *search);
	if (search == NULL || !open_view(&search->view, space, seed, budget)) {
		kt_search_close(search);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	}
	status = row->calls->open(&search->state, &search->view, err);
	if (status != KT_OK) {
		kt_search_close(search);
		return status;
	}
	search->strategy = row;
	*out = search;
	return KT_OK;
}

void kt_search_know(struct kt_search *search, struct kt_prior *prior)
{
	search->view.prior = prior;
}

bool kt_search_listens(const struct kt_search *search)
{
	return search->strategy->listens;
}

void kt_search_close(struct kt_search *search)
{
	if (search == NULL)
		return;
	if (search->strategy != NULL)
		search->strategy->calls->close(search->state);
	free(search->view.told);
	free(search->view.pending);
	free(search->view.place);
	free(search->view.near);
	free(search);
}

/* Room for one more element; false when out of memory. */
static bool grow(void *items_pointer, size_t *room, size_t count, size_t size)
{
	void **items = items_pointer, *moved;
	const size_t wanted = *room == 0 ? 64 : 2 * *room;

	if (count < *room)
		return true;
	NEED(moved = realloc(*items, wanted * size), false);
	*items = moved;
	*room = wanted;
	return true;
}

size_t kt_search_ask(size_t *indices, size_t most, struct kt_search *search)
{
	struct kt_view *view = &search->view;
	size_t asked = 0;

	for (; asked < most && view->known < view->count; asked++) {
		size_t index;

		/* Out of memory ends the search early; what was found stays. */
		if (!grow(&view->pending, &view->pending_room, view->pending_count, sizeof *view->pending))
			break;
		index = search->strategy->calls->ask(search->state, view);
		if (index >= view->count || !kt_view_unknown(view, index))
			index = kt_view_random(view);
		view->pending[view->pending_count++] = index;
		view->place[index] = 1;
		view->known++;
		view->asked++;
		indices[asked] = index;
	}
	return asked;
}

static void forget_pending(struct kt_view *view, size_t index)
{
	for (size_t i = 0; i < view->pending_count; i++) {
		if (view->pending[i] != index)
			continue;
		view->pending_count--;
		memmove(view->pending + i, view->pending + i + 1, (view->pending_count - i) * sizeof *view->pending);
		return;
	}
}

static void tell(struct kt_view *view, const struct kt_told *told)
{
	if (told->index >= view->count || view->place[told->index] > 1 ||
	    !grow(&view->told, &view->told_room, view->told_count, sizeof *view->told))
		return;
	if (view->place[told->index] == 1)
		forget_pending(view, told->index);
	else
		view->known++;
	view->told[view->told_count] = *told;
	view->place[told->index] = (uint32_t)view->told_count + 2;
	if (told->verdict == KT_TELL_OK && (view->best == SIZE_MAX || told->cost < view->told[view->best].cost))
		view->best = view->told_count;
	view->told_count++;
}

void kt_search_tell(struct kt_search *search, size_t index, double cost)
{
	if (isfinite(cost))
		/* The logarithm is what strategies look at. */
		tell(&search->view, &(struct kt_told){index, cost > 1e-300 ? cost : 1e-300, KT_TELL_OK});
	else
		kt_search_tell_verdict(search, index, KT_TELL_RUNTIME);
}

void kt_search_tell_verdict(struct kt_search *search, size_t index, enum kt_tell verdict)
{
	tell(&search->view, &(struct kt_told){index, INFINITY, verdict == KT_TELL_OK ? KT_TELL_RUNTIME : verdict});
}

void kt_search_retract(struct kt_search *search, size_t index)
{
	struct kt_view *view = &search->view;
	const size_t place = index < view->count ? kt_view_place(view, index) : SIZE_MAX;

	if (place == SIZE_MAX || view->told[place].verdict != KT_TELL_OK)
		return;
	view->told[place].verdict = KT_TELL_WRONG;
	view->told[place].cost = INFINITY;
	view->best = SIZE_MAX;
	for (size_t i = 0; i < view->told_count; i++)
		if (view->told[i].verdict == KT_TELL_OK &&
		    (view->best == SIZE_MAX || view->told[i].cost < view->told[view->best].cost))
			view->best = i;
}

bool kt_view_unknown(const struct kt_view *view, size_t index)
{
	return view->place[index] == 0;
}

size_t kt_view_place(const struct kt_view *view, size_t index)
{
	return view->place[index] > 1 ? view->place[index] - 2 : SIZE_MAX;
}

double kt_view_best_cost(const struct kt_view *view)
{
	return view->best == SIZE_MAX ? (double)INFINITY : view->told[view->best].cost;
}

size_t kt_view_random(struct kt_view *view)
{
	size_t wanted;

	if (view->known >= view->count)
		return SIZE_MAX;
	for (int i = 0; i < RANDOM_TRIES; i++) {
		const size_t index = (size_t)kt_rng_below(&view->rng, view->count);

		if (view->place[index] == 0)
			return index;
	}
	wanted = (size_t)kt_rng_below(&view->rng, view->count - view->known);
	for (size_t i = 0; i < view->count; i++)
		if (view->place[i] == 0 && wanted-- == 0)
			return i;
	return SIZE_MAX;
}

size_t kt_view_neighbour(struct kt_view *view, size_t index, enum kt_neighbourhood neighbourhood)
{
	const size_t count = kt_space_neighbours(view->near, view->space, index, neighbourhood);
	size_t unknown_count = 0;

	for (size_t i = 0; i < count; i++)
		if (view->place[view->near[i]] == 0)
			view->near[unknown_count++] = view->near[i];
	return unknown_count == 0 ? SIZE_MAX : view->near[kt_rng_below(&view->rng, unknown_count)];
}

size_t kt_view_repair(const struct kt_view *view, const uint16_t *row)
{
	const size_t index = kt_space_nearest(view->space, row);

	return index < view->count && view->place[index] == 0 ? index : SIZE_MAX;
}

double kt_view_distance(const struct kt_view *view, size_t dimension, uint16_t a, uint16_t b)
{
	const size_t values = kt_space_values(view->space, dimension);

	if (a == b || values < 2)
		return 0;
	if (!kt_space_ordered(view->space, dimension))
		return 1;
	return (double)(a > b ? a - b : b - a) / (double)(values - 1);
}
