/*
 * What a strategy is made of, and what it sees. search.c keeps the books (what is
 * known, what is under way, what was told, the best); a strategy looks at them
 * when it is asked and proposes one configuration. It need not know what it asked for
 * before: everything that was told, by whomever, is in `told`.
 */
#ifndef KT_TUNING_STRATEGY_H
#define KT_TUNING_STRATEGY_H

#include "base/strategies.h"
#include "tuning/prior.h"
#include "tuning/search.h"

struct kt_told {
	size_t index;
	double cost; /* KT_TELL_OK only; else INFINITY */
	enum kt_tell verdict;
};

struct kt_view {
	const struct kt_space *space;
	size_t count, dimensions, budget;
	struct kt_rng rng;
	struct kt_told *told; /* in the order of telling */
	size_t told_count, told_room;
	size_t *pending; /* asked and not told, in the order of asking */
	size_t pending_count, pending_room;
	size_t asked;    /* so far, told or not */
	size_t known;    /* asked or told */
	size_t best;     /* place in `told` of the lowest cost; SIZE_MAX: none is valid yet */
	uint32_t *place; /* by index: 0 unknown, 1 pending, else 2 + place in `told` */
	size_t *near;    /* room for kt_space_neighbours */
	struct kt_prior *prior; /* NULL: nothing is known from elsewhere */
};

/* Not asked for and not told? */
bool kt_view_unknown(const struct kt_view *view, size_t index);
/* The place in `told`; SIZE_MAX when it was not told. */
size_t kt_view_place(const struct kt_view *view, size_t index);
/* A uniformly drawn unknown configuration; SIZE_MAX when there is none. */
size_t kt_view_random(struct kt_view *view);
/* An unknown neighbour, uniformly drawn; SIZE_MAX when there is none. */
size_t kt_view_neighbour(struct kt_view *view, size_t index, enum kt_neighbourhood neighbourhood);
/* The configuration nearest to a row if it is unknown, else SIZE_MAX. */
size_t kt_view_repair(const struct kt_view *view, const uint16_t *row);
/* The distance of two rows along a dimension, 0 to 1: by rank, or 0 and 1 where the parameter has no order. */
double kt_view_distance(const struct kt_view *view, size_t dimension, uint16_t a, uint16_t b);
/* Lowest cost so far; INFINITY when none is valid. */
double kt_view_best_cost(const struct kt_view *view);

struct kt_strategy_calls {
	/* NULL in *state is fine where there is nothing to keep. */
	kt_status (*open)(void **state, const struct kt_view *view, struct kt_error *err);
	/* One configuration. SIZE_MAX, or one that is known already: the search draws an unknown one. */
	size_t (*ask)(void *state, struct kt_view *view);
	void (*close)(void *state);
};

#define KT_STRATEGY_CALLS(name) extern const struct kt_strategy_calls kt_strategy_##name;
KT_STRATEGIES(KT_STRATEGY_CALLS)
#undef KT_STRATEGY_CALLS

#endif
