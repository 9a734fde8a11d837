/*
 * Candidates that a driver compiles at their first launch: compiled ahead, and tried when they are (testing/ahead.h).
 */
#include "planning/plan_internal.h"

void kt_tuning_poll_ahead(struct kt_tuning *s)
{
	const struct kt_built *built;

	if (s->compiled_ahead == NULL)
		return;
	for (size_t i = 0; (built = kt_batch_peek(s->batch, i)) != NULL; i++)
		if (built->cubin != NULL && built->ticket != KT_ORIGINAL_TICKET)
			kt_ahead_offer(s->compiled_ahead, built->ticket,
			               &(struct kt_candidate){built->cubin, built->function,
			                                      kt_space_get(s->space, built->ticket - 1)});
	kt_ahead_poll(s->compiled_ahead);
}

void kt_tuning_prefer_compiled(struct kt_tuning *s)
{
	enum kt_ahead_state best = KT_AHEAD_RUNS;
	const struct kt_built *built;
	size_t chosen = 0;

	if (s->compiled_ahead == NULL)
		return;
	kt_tuning_poll_ahead(s);
	for (size_t i = 0; (built = kt_batch_peek(s->batch, i)) != NULL && best != KT_AHEAD_DONE; i++) {
		const enum kt_ahead_state state = kt_ahead_state(s->compiled_ahead, built->ticket);

		if (state < best) {
			best = state;
			chosen = i;
		}
	}
	kt_batch_prefer(s->batch, chosen);
	built = kt_batch_peek(s->batch, 0);
	if (built != NULL)
		kt_ahead_drop(s->compiled_ahead, built->ticket);
}
