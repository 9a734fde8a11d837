/* Every configuration once, in the order of the space. */
#include <stdlib.h>

#include "tuning/strategies.h"

struct exhaustive {
	size_t count, next;
	unsigned char *known; /* asked or told */
};

static void close_search(void *state)
{
	struct exhaustive *search = state;

	if (search == NULL)
		return;
	free(search->known);
	free(search);
}

static kt_status open_search(void **state, const struct kt_space *space, uint64_t seed, struct kt_error *err)
{
	struct exhaustive *search = calloc(1, sizeof *search);

	(void)seed;
	if (search != NULL) {
		search->count = kt_space_feasible(space);
		search->known = calloc(search->count + 1, 1);
	}
	if (search == NULL || search->known == NULL) {
		close_search(search);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	}
	*state = search;
	return KT_OK;
}

static size_t ask(size_t *indices, size_t most, void *state)
{
	struct exhaustive *search = state;
	size_t asked = 0;

	for (; asked < most && search->next < search->count; search->next++) {
		if (search->known[search->next])
			continue;
		search->known[search->next] = 1;
		indices[asked++] = search->next;
	}
	return asked;
}

static void tell(void *state, size_t index, double cost)
{
	struct exhaustive *search = state;

	(void)cost;
	if (index < search->count)
		search->known[index] = 1;
}

const struct kt_strategy kt_strategy_exhaustive = {
    "exhaustive", "every configuration once", open_search, ask, tell, close_search,
};
