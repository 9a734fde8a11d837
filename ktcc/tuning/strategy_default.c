/*
 * The default strategy: the model, with one turn in eight for local search around the best, which finds
 * configurations that the model wrongly rules out. Past the number of evaluations that the model can use,
 * local search takes most turns, and the model searches elsewhere.
 */
#include <stdlib.h>

#include "tuning/strategy.h"
#include "tuning/surrogate.h"

#define MODEL_MOSTLY KT_SURROGATE_POINTS /* evaluations */
#define LOCAL_ONE_IN 8                  /* turns until then */
#define MODEL_ONE_IN 4                  /* turns after that */
#define EVERYTHING 8                    /* a space of so few is measured in any order */

struct standard {
	void *model, *local;
};

static void close_search(void *state)
{
	struct standard *search = state;

	if (search == NULL)
		return;
	kt_strategy_model.close(search->model);
	kt_strategy_local.close(search->local);
	free(search);
}

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct standard *search = calloc(1, sizeof *search);
	kt_status status = KT_OK;

	NEED(search, kt_fail(err, KT_ERR_MEMORY, "out of memory for a search"));
	if (view->count > EVERYTHING)
		status = kt_strategy_model.open(&search->model, view, err);
	THEN(status, kt_strategy_local.open(&search->local, view, err));
	if (status == KT_OK)
		*state = search;
	else
		close_search(search);
	return status;
}

static size_t ask(void *state, struct kt_view *view)
{
	struct standard *search = state;

	if (search->model == NULL)
		return SIZE_MAX;
	if (view->asked < MODEL_MOSTLY ? view->asked % LOCAL_ONE_IN != 0 || view->asked == 0
	                               : view->asked % MODEL_ONE_IN == 0)
		return kt_strategy_model.ask(search->model, view);
	return kt_strategy_local.ask(search->local, view);
}

const struct kt_strategy_calls kt_strategy_default = {open_search, ask, close_search};
