/* Shared by the files of this room. */
#ifndef KT_TESTING_INTERNAL_H
#define KT_TESTING_INTERNAL_H

#include "testing/testing.h"

/* A region instance as requests need it; pointers belong to the caller of kt_tester_region. */
struct kt_target {
	const struct kt_template *template_;
	const struct kt_instance *instance;
	const struct kt_device *device;
	const int64_t *original; /* one value a parameter of the region */
};

/* The row of a problem's values; NULL without variables. */
const int64_t *kt_target_problem(const struct kt_target *target, size_t problem);

/* Requests. Each builds a JSON object that the caller deletes. */
kt_status kt_request_region(cJSON **out, const struct kt_target *target, const char *cubin, const char *function,
                            double limit_s, struct kt_error *err) KT_MUST_CHECK;
/* The members of a candidate: configuration, cubin, function, geometry and give_up_ns of each problem. */
kt_status kt_request_candidate(cJSON *object, const struct kt_target *target, const struct kt_candidate *candidate,
                               const double *give_up_ns, struct kt_error *err) KT_MUST_CHECK;

/* Replies. */
kt_status kt_reply_outcome(struct kt_outcome *out, struct kt_arena *arena, const cJSON *reply, size_t problems,
                           struct kt_error *err) KT_MUST_CHECK;
kt_status kt_reply_timings(struct kt_timing *out, const cJSON *reply, size_t candidates, size_t problems,
                           struct kt_error *err) KT_MUST_CHECK;
kt_status kt_reply_floor(double *out, const cJSON *reply, size_t problems, struct kt_error *err) KT_MUST_CHECK;
/* Every problem gets this verdict: the runner did not come to an answer. */
kt_status kt_outcome_fill(struct kt_outcome *out, struct kt_arena *arena, size_t problems, enum kt_verdict verdict,
                          const char *detail, struct kt_error *err) KT_MUST_CHECK;

#endif
