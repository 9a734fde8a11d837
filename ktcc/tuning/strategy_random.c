/* Uniform without replacement: what the search does itself when a strategy has nothing to propose. */
#include "tuning/strategy.h"

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	(void)view;
	(void)err;
	*state = NULL;
	return KT_OK;
}

static size_t ask(void *state, struct kt_view *view)
{
	(void)state;
	return kt_view_random(view);
}

static void close_search(void *state)
{
	(void)state;
}

const struct kt_strategy_calls kt_strategy_random = {open_search, ask, close_search};
