/*
 * Search strategies behind one interface: ask for configurations, tell their
 * costs. Deterministic for a seed and a sequence of tells.
 */
#ifndef KT_TUNING_SEARCH_H
#define KT_TUNING_SEARCH_H

#include "tuning/space.h"

struct kt_search;

/* A strategy: a row of the table in search.c. */
struct kt_strategy {
	const char *name, *summary;
	kt_status (*open)(void **state, const struct kt_space *space, uint64_t seed, struct kt_error *err);
	/* Writes up to most indices that were neither asked nor told before; 0: done. */
	size_t (*ask)(size_t *indices, size_t most, void *state);
	/* Also for an index that was not asked (known from an earlier run). INFINITY: invalid. */
	void (*tell)(void *state, size_t index, double cost);
	void (*close)(void *state);
};

/* All of them, in the order of the table. */
size_t kt_strategies(const struct kt_strategy *const **out);
/* NULL when unknown. */
const struct kt_strategy *kt_strategy_find(const char *name);

kt_status kt_search_open(struct kt_search **out, const char *strategy, const struct kt_space *space, uint64_t seed,
                         struct kt_error *err) KT_MUST_CHECK;
size_t kt_search_ask(size_t *indices, size_t most, struct kt_search *search);
void kt_search_tell(struct kt_search *search, size_t index, double cost);
void kt_search_close(struct kt_search *search);

#endif
