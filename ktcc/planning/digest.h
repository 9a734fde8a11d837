/* What one tuning found out, small enough for a question: its best configurations and the first ones that failed. */
#ifndef KT_PLANNING_DIGEST_H
#define KT_PLANNING_DIGEST_H

#include "store/store.h"

#define KT_DIGEST_BEST 6
#define KT_DIGEST_FAILED 4

/* One configuration. Numbers that are not known are −1. */
struct kt_tried {
	const char *configuration; /* "BLOCK=256 VEC=8" */
	enum kt_verdict verdict;
	double cost;               /* as of objective.h; INFINITY where it failed */
	const double *ns;          /* one per problem, NAN where there is none; NULL where it failed */
	int64_t threads, registers, local_bytes, shared_bytes;
	const char *detail;        /* the compiler's message, the first difference; NULL: none */
};

struct kt_digest {
	size_t best_count, failed_count;
	struct kt_tried best[KT_DIGEST_BEST];     /* the best first */
	struct kt_tried failed[KT_DIGEST_FAILED]; /* one a verdict, the first that was seen; no-compile with its message */
	/* of the first value of each parameter, as a generator gave them; 0: not tried, INFINITY: failed */
	double given_cost;
};

/*
 * Adds one if it is among them. Its texts and times are copied into arena then. `problems`: of ns. False: out of
 * memory.
 */
bool kt_digest_add(struct kt_digest *digest, struct kt_arena *arena, const struct kt_tried *tried, size_t problems)
    KT_MUST_CHECK;

#endif
