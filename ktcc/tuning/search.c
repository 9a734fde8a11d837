#include "tuning/search.h"

#include <stdlib.h>
#include <string.h>

#include "tuning/strategies.h"

struct kt_search {
	const struct kt_strategy *strategy;
	void *state;
};

static const struct kt_strategy *const strategies[] = {
    &kt_strategy_exhaustive,
    &kt_strategy_random,
};
#define STRATEGY_COUNT (sizeof strategies / sizeof *strategies)

size_t kt_strategies(const struct kt_strategy *const **out)
{
	*out = strategies;
	return STRATEGY_COUNT;
}

const struct kt_strategy *kt_strategy_find(const char *name)
{
	for (size_t i = 0; i < STRATEGY_COUNT; i++)
		if (strcmp(strategies[i]->name, name) == 0)
			return strategies[i];
	return NULL;
}

static kt_status unknown(const char *name, struct kt_error *err)
{
	struct kt_buf names = KT_BUF(256);

	for (size_t i = 0; i < STRATEGY_COUNT; i++)
		kt_buf_addf(&names, "%s%s", i > 0 ? ", " : "", strategies[i]->name);
	kt_fail(err, KT_ERR_INVALID, "unknown strategy '%.80s' (there are: %s)", name, kt_buf_text(&names));
	kt_buf_free(&names);
	return err->code;
}

kt_status kt_search_open(struct kt_search **out, const char *strategy, const struct kt_space *space, uint64_t seed,
			 struct kt_error *err)
{
	const struct kt_strategy *row = kt_strategy_find(strategy);
	struct kt_search *search;
	kt_status status;

	if (row == NULL)
		return unknown(strategy, err);
	search = calloc(1, sizeof *search);
	if (search == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	search->strategy = row;
	status = row->open(&search->state, space, seed, err);
	if (status == KT_OK)
		*out = search;
	else
		free(search);
	return status;
}

size_t kt_search_ask(size_t *indices, size_t most, struct kt_search *search)
{
	return search->strategy->ask(indices, most, search->state);
}

void kt_search_tell(struct kt_search *search, size_t index, double cost)
{
	search->strategy->tell(search->state, index, cost);
}

void kt_search_close(struct kt_search *search)
{
	if (search == NULL)
		return;
	search->strategy->close(search->state);
	free(search);
}
