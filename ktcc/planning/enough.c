#include "planning/enough.h"

#include <math.h>

size_t kt_enough_trials(size_t total)
{
	const double best = ceil(KT_ENOUGH_BEST * (double)total);
	double missed = 1;
	size_t drawn = 0;

	/* Without replacement: each draw misses all of the best with what is left of the others. */
	while (drawn < total && missed > 1 - KT_ENOUGH_SURE) {
		missed *= ((double)(total - drawn) - best) / (double)(total - drawn);
		drawn++;
		if (missed <= 0)
			break;
	}
	return drawn;
}

enum kt_search_state kt_enough_state(const struct kt_search_end *end)
{
	if (end->measured >= end->total)
		return KT_SEARCH_EXHAUSTED;
	if (end->settled || end->measured >= kt_enough_trials(end->total))
		return KT_SEARCH_MEASURED;
	if (end->waiting != 0)
		return KT_SEARCH_BUDGET;
	if (end->asked_all)
		return KT_SEARCH_MEASURED;
	return end->spent ? KT_SEARCH_TRIALS : KT_SEARCH_BUDGET;
}

const char *kt_enough_why(const struct kt_search_end *end)
{
	if (end->settled)
		return "nothing better was found for long";
	if (end->measured >= end->total)
		return "every configuration was measured";
	if (end->measured >= kt_enough_trials(end->total))
		return "enough configurations were measured to expect nothing much better";
	if (end->asked_all && end->waiting == 0)
		return "the strategy has nothing left to ask for";
	if (end->spent && end->waiting == 0)
		return "the trials of the budget are spent";
	return "the time of the budget is spent";
}
