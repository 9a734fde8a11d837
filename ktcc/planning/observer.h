/*
 * How far a tuning is, for somebody who waits for it. Without an observer a terminal gets one line that is written
 * over and over, and everything else nothing.
 */
#ifndef KT_PLANNING_OBSERVER_H
#define KT_PLANNING_OBSERVER_H

#include <stddef.h>

/* Each phase begins with an observation of it. */
enum kt_phase { KT_PHASE_PREPARE, KT_PHASE_SEARCH, KT_PHASE_COMPARE, KT_PHASE_MODEL, KT_PHASES };
const char *kt_phase_name(enum kt_phase phase); /* "prepare", "search", "compare", "model" */

struct kt_observation {
	enum kt_phase phase;
	const char *instance;      /* of the region that is tuned */
	/* Configurations. In KT_PHASE_COMPARE those that are compared and 0, in KT_PHASE_MODEL the round and 0. */
	size_t tried, total;
	double speedup;            /* of the best that is verified so far, over all problems; 0: there is none */
	const char *configuration; /* of it, "BLOCK=256 VEC=8"; NULL: there is none */
	double of_bound;           /* the bound's time over that of the best, geometric mean; 0: not known */
	double seconds, left_s;    /* since the tuning of the instance began; until its budget ends */
};

struct kt_observer {
	void (*observe)(void *context, const struct kt_observation *observation);
	void *context;
};

/* Tells the observer; NULL: a line on a terminal. */
void kt_observe(const struct kt_observer *observer, const struct kt_observation *observation);

#endif
