/* What is known of a configuration after it ran: its verdict and its times. */
#ifndef KT_BASE_TRIAL_H
#define KT_BASE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"

struct kt_members;

/* Times of one configuration or of the baseline on one problem. */
struct kt_timing {
	double median_ns, mean_ns, min_ns, deviation_ns; /* deviation: median absolute deviation */
	int64_t samples;
};
extern const struct kt_members kt_timing_members;
/* As a member of a message; NULL reads as all 0. */
void kt_timing_add(cJSON *object, const char *name, const struct kt_timing *timing);
kt_status kt_timing_read(struct kt_timing *out, const cJSON *json, struct kt_error *err) KT_MUST_CHECK;

enum kt_verdict {
	KT_VERDICT_OK, KT_VERDICT_WRONG_ANSWER, KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_NON_DETERMINISTIC,
	KT_VERDICT_NO_COMPILE, KT_VERDICT_OVER_LIMIT, KT_VERDICT_CRASHED, KT_VERDICT_TIMED_OUT, KT_VERDICT_SKIPPED,
};
extern const char *const kt_verdict_names[KT_VERDICT_SKIPPED + 1];
const char *kt_verdict_name(enum kt_verdict verdict); /* "wrong-answer" */
bool kt_verdict_from_name(enum kt_verdict *out, const char *name);

/* One configuration on one problem. */
struct kt_trial {
	int64_t problem;          /* index into the region's problems */
	enum kt_verdict verdict;
	struct kt_timing timing;  /* when ok */
	int64_t registers, local_bytes, shared_bytes;
	const char *detail;       /* compiler message, first wrong element, … or NULL */
	int64_t measured_ms;      /* when it was measured, in milliseconds of the epoch; 0: not known */
};
/*
 * The detail of times that are a first look's: the configuration is right on one check, and was not verified beyond
 * it.
 */
#define KT_TRIAL_SCREENED "screened"
/* The detail of what was skipped: a first look had found the candidate too slow on another problem to win on this one. */
#define KT_TRIAL_LOST "too slow on another problem"

#endif
