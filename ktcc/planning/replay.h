/*
 * Repeats from the decision log what the rounds of a case came to: the same
 * templates from the recorded answers, without any endpoint, and the same
 * decisions from the recorded measurements.
 */
#ifndef KT_PLANNING_REPLAY_H
#define KT_PLANNING_REPLAY_H

#include "planning/work.h"

struct kt_replayed {
	size_t records, differing; /* rounds that were repeated, and those that came out otherwise */
	bool outcome;              /* what is best after them is what the case's entry has */
};

/*
 * Appends a line per round, and one for the outcome. The case must have been looked up. KT_ERR_MISSING: there is no
 * report of rounds, or texts of it are gone.
 */
kt_status kt_rounds_replay(struct kt_replayed *out, struct kt_buf *said, struct kt_work *work, struct kt_case *each,
                           struct kt_error *err) KT_MUST_CHECK;

#endif
