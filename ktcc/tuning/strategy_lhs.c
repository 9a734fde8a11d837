/*
 * Latin hypercubes: as many points as the budget has evaluations (at most a few
 * hundred at a time), each dimension cut into that many strata, each stratum used once.
 * A point that no configuration matches goes to the nearest one.
 */
#include <stdlib.h>

#include "tuning/strategy.h"

#define POINTS_UNPLANNED 32 /* when the budget is not known */
#define POINTS_MOST 512

struct lhs {
	size_t points, next;
	uint16_t *strata; /* one permutation of the points a dimension */
};

static void close_search(void *state)
{
	struct lhs *search = state;

	if (search == NULL)
		return;
	free(search->strata);
	free(search);
}

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct lhs *search = calloc(1, sizeof *search);

	NEED(search, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	search->points = view->budget > 0 ? view->budget : POINTS_UNPLANNED;
	if (search->points > POINTS_MOST)
		search->points = POINTS_MOST;
	search->next = search->points;
	search->strata = calloc(search->points * view->dimensions + 1, sizeof *search->strata);
	if (search->strata == NULL) {
		close_search(search);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	}
	*state = search;
	return KT_OK;
}

static void shuffle(struct lhs *search, struct kt_view *view)
{
	for (size_t d = 0; d < view->dimensions; d++) {
		uint16_t *of = search->strata + d * search->points;

		for (size_t i = 0; i < search->points; i++) {
			const size_t other = (size_t)kt_rng_below(&view->rng, i + 1);

			of[i] = of[other];
			of[other] = (uint16_t)i;
		}
	}
	search->next = 0;
}

static size_t ask(void *state, struct kt_view *view)
{
	struct lhs *search = state;
	uint16_t row[KT_PARAMETERS];

	if (search->next == search->points)
		shuffle(search, view);
	for (size_t d = 0; d < view->dimensions; d++) {
		const double at = search->strata[d * search->points + search->next] + kt_rng_double(&view->rng);

		row[d] = (uint16_t)(at / (double)search->points * (double)kt_space_values(view->space, d));
	}
	search->next++;
	return kt_view_repair(view, row);
}

const struct kt_strategy_calls kt_strategy_lhs = {open_search, ask, close_search};
