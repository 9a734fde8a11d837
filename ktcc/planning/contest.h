/* How the best configurations of a search did beside the original in the last comparison, for the reader of a result. */
#ifndef KT_PLANNING_CONTEST_H
#define KT_PLANNING_CONTEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct kt_contest {
	double searched;            /* the best of the search: how many times as fast as the original; 0: there was none */
	size_t finalists, compared; /* the best of the search; how many of them the last comparison timed */
	size_t wrong;               /* of those compared: wrong in the last checks */
	bool enough;                /* the comparison had as many passes as a result needs */
	bool alone;                 /* the original is the only configuration */
};

/* Why the original is kept. enough_s: a budget in seconds that is expected to suffice; 0: not known. */
void kt_contest_text(struct kt_buf *out, const struct kt_contest *contest, double enough_s);

#endif
