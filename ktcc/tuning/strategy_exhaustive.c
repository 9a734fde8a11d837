/* Every configuration once, in the order of the space. */
#include <stdlib.h>

#include "tuning/strategy.h"

struct exhaustive {
	size_t next;
};

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	(void)view;
	*state = calloc(1, sizeof(struct exhaustive));
	return *state != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
}

static size_t ask(void *state, struct kt_view *view)
{
	struct exhaustive *search = state;

	while (search->next < view->count && !kt_view_unknown(view, search->next))
		search->next++;
	return search->next;
}

const struct kt_strategy_calls kt_strategy_exhaustive = {open_search, ask, free};
