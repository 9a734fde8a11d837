/* Uniform without replacement: a shuffle that is drawn as it is asked for. */
#include <stdlib.h>

#include "tuning/rng.h"
#include "tuning/strategies.h"

struct shuffle {
	size_t count, next;
	uint32_t *order;      /* order[0, next) is drawn, the rest still mixed */
	unsigned char *known; /* asked or told */
	struct kt_rng rng;
};

static void close_search(void *state)
{
	struct shuffle *search = state;

	if (search == NULL)
		return;
	free(search->order);
	free(search->known);
	free(search);
}

static kt_status open_search(void **state, const struct kt_space *space, uint64_t seed, struct kt_error *err)
{
	struct shuffle *search = calloc(1, sizeof *search);

	if (search != NULL) {
		search->count = kt_space_feasible(space);
		search->order = calloc(search->count + 1, sizeof *search->order);
		search->known = calloc(search->count + 1, 1);
	}
	if (search == NULL || search->order == NULL || search->known == NULL) {
		close_search(search);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	}
	for (size_t i = 0; i < search->count; i++)
		search->order[i] = (uint32_t)i;
	kt_rng_seed(&search->rng, seed);
	*state = search;
	return KT_OK;
}

static size_t ask(size_t *indices, size_t most, void *state)
{
	struct shuffle *search = state;
	size_t asked = 0;

	for (; asked < most && search->next < search->count; search->next++) {
		const size_t other = search->next + (size_t)kt_rng_below(&search->rng, search->count - search->next);
		const uint32_t drawn = search->order[other];

		search->order[other] = search->order[search->next];
		search->order[search->next] = drawn;
		if (search->known[drawn])
			continue;
		search->known[drawn] = 1;
		indices[asked++] = drawn;
	}
	return asked;
}

static void tell(void *state, size_t index, double cost)
{
	struct shuffle *search = state;

	(void)cost;
	if (index < search->count)
		search->known[index] = 1;
}

const struct kt_strategy kt_strategy_random = {
    "random", "uniform, without replacement", open_search, ask, tell, close_search,
};
