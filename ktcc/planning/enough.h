/*
 * How far a search came, and whether that is enough to call its result final.
 *
 * exhausted  every configuration that the device can run was measured
 * measured   enough of them were, see below, or as many as the user asked for
 * budget     the time ended before
 *
 * Enough is what would hold one of the best KT_ENOUGH_BEST with a probability
 * of KT_ENOUGH_SURE even where configurations are drawn at random, which is the
 * worst that a strategy does; or, in spaces where that takes longer, no gain
 * for as many candidates as the search itself waits for. A result of "measured"
 * is final where the comparison it rests on was confirmed: as many interleaved
 * passes as there are at least.
 */
#ifndef KT_PLANNING_ENOUGH_H
#define KT_PLANNING_ENOUGH_H

#include <stdbool.h>
#include <stddef.h>

#define KT_ENOUGH_BEST 0.05
#define KT_ENOUGH_SURE 0.95

/* Configurations that are enough of so many; all of few, 58 or 59 of many thousands. */
size_t kt_enough_trials(size_t total);

#endif
