/* ktcc simulate: one search of a recorded space, as JSON on a line (docs/tuning.md). */
#ifndef KT_VERBS_SIMULATE_H
#define KT_VERBS_SIMULATE_H

#include "tuning/transfer.h"

struct kt_simulate_options {
	const struct kt_transfer_space *spaces; /* the first is searched, the others are known */
	size_t space_count;
	enum kt_transfer transfer;
	size_t prior_trials;
	const char *strategy;
	size_t budget;
	uint64_t seed;
	size_t seeds; /* runs that tell how far results differ; 0: one run alone */
};

kt_status kt_simulate_one(struct kt_arena *arena, const struct kt_simulate_options *options, struct kt_error *err)
    KT_MUST_CHECK;

#endif
