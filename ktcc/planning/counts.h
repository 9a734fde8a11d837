/* What a profiler counted of a result (testing/counters.h), on the problems furthest from the copy bandwidth bound. */
#ifndef KT_PLANNING_COUNTS_H
#define KT_PLANNING_COUNTS_H

#include "planning/measure.h"

/* Of what serves each of two problems, and of the original kernel on the first one. */
#define KT_COUNTED_PROBLEMS 2

struct kt_counts {
	size_t count;
	struct kt_count {
		size_t problem;      /* of the entry */
		bool original;       /* of the original kernel, beside what serves the problem */
		enum kt_bound bound; /* of what serves the problem */
		struct kt_counted counted;
	} each[KT_COUNTED_PROBLEMS + 1];
};
/* Of what serves a problem; NULL: nothing was counted. Accepts NULL. */
const struct kt_counted *kt_counts_of(const struct kt_counts *counts, size_t problem);

#endif
