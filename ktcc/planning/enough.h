/*
 * How far a search came, and whether that is enough to call its result final.
 *
 * exhausted  every configuration that the device can run was measured
 * measured   enough of them were, see below
 * trials     as many as the user asked for, and fewer than would be enough
 * budget     the time ended before
 *
 * Enough is what would hold one of the best KT_ENOUGH_BEST with a probability
 * of KT_ENOUGH_SURE even where configurations are drawn at random, which is the
 * worst that a strategy does; or, in spaces where that takes longer, no gain
 * for as many candidates as the search itself waits for. A result of "measured"
 * is final where the comparison it rests on was confirmed: as many interleaved
 * passes as there are at least. What was asked for and not tried when the search
 * ended is a matter of time, whatever else is true.
 */
#ifndef KT_PLANNING_ENOUGH_H
#define KT_PLANNING_ENOUGH_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

#define KT_ENOUGH_BEST 0.05
#define KT_ENOUGH_SURE 0.95

/* The number of configurations that is enough for a space of `total`: all of few, 58 or 59 of many thousands. */
size_t kt_enough_trials(size_t total);

/* What is known when a search ends. */
struct kt_search_end {
	size_t total;    /* configurations that the device can run */
	size_t measured; /* of those, failures included */
	size_t waiting;  /* asked for and not tried */
	bool settled;    /* nothing better for long */
	bool asked_all;  /* the strategy has nothing left to ask for */
	bool spent;      /* the trials of the budget are */
};
enum kt_search_state kt_enough_state(const struct kt_search_end *end);
/* Why it ended, as a sentence without its end. */
const char *kt_enough_why(const struct kt_search_end *end);

#endif
