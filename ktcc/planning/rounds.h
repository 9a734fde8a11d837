/*
 * The closed loop of one region instance: a template by rules first, one by the IR
 * where that leaves something to gain (rounds_generated.c), then, where a model is
 * configured, rounds of questions that tell it what was measured. Each
 * template is searched, verified and timed alike; the best that was found is in
 * the store at every moment, so that whatever ends the loop leaves it there.
 */
#ifndef KT_PLANNING_ROUNDS_H
#define KT_PLANNING_ROUNDS_H

#include "planning/work_internal.h"

/* Is there a model that this case may be put to? */
bool kt_rounds_has_model(const struct kt_work *work, const struct kt_case *each);
/* Has something come that an earlier loop waited for, or was it interrupted? Fills each->awaited. */
bool kt_rounds_goes_on(struct kt_work *work, struct kt_case *each);
/*
 * Tunes a case under its lease. KT_REASON_NONE: it has a result, each->found is the one, published. Else why
 * there is none; err has details.
 */
enum kt_reason kt_rounds_run(struct kt_work *work, struct kt_case *each, struct kt_lease *lease, struct kt_error *err);
/*
 * Without a device: writes the questions of the first round (KTUNE_LLM_URL is a folder), with what is known without
 * measuring. `limits`: of the device, or of its architecture. Fills each->awaited.
 */
kt_status kt_rounds_question(struct kt_work *work, struct kt_case *each, const struct kt_device *limits,
                             struct kt_error *err) KT_MUST_CHECK;

/* Has a search that its budget ended begun in this store, so that its trials are here? */
bool kt_rounds_began_here(struct kt_work *work, const struct kt_case *each);

/* ---- work_tune.c */
/* What one template may take, and what becomes of its result. */
struct kt_share {
	double seconds; /* 0: the region's budget */
	int64_t trials;
	struct kt_entry_author author;
	bool counts;            /* another question may come: a profiler is asked about what is kept */
	bool (*keep)(void *context, const struct kt_entry *entry);
	void *keep_context;
};
/* Tunes one template of a case on the open device. KT_ERR_*: out->reason is more exact where it is not NONE. */
kt_status kt_work_tune_template(struct kt_planned *out, struct kt_work *work, const struct kt_case *each,
                                const struct kt_template *template_, const struct kt_share *share,
                                struct kt_lease *lease, struct kt_error *err) KT_MUST_CHECK;
/* Seconds that tuning in this build may still take; negative: no limit. */
double kt_work_build_left(const struct kt_work *work);
/* What tuning one instance may take: a region's budget is divided evenly among those that are tuned in this run. */
struct kt_allowance {
	double seconds;
	int64_t trials; /* INT64_MAX: no limit */
};
struct kt_allowance kt_work_allowance(struct kt_work *work, const struct kt_case *each);
/* Such a time, less what preparing took since the last tuning (half of it at most): the budget is the user's clock. */
double kt_work_after_preparation(const struct kt_work *work, double share_s);
/* Charges the build with time that was spent outside of a tuning. */
void kt_work_charge(const struct kt_work *work, double seconds);
/* The exact entry for this machine's device; NULL: there is none. */
const struct kt_entry *kt_work_entry_here(struct kt_work *work, const struct kt_case *each);
/* Does a tuning of it take no notice of that entry: by mode, or since its text is not what was measured? */
bool kt_work_starts_over(struct kt_work *work, const struct kt_case *each);
/* What the rules declined to do to this instance; *count of them. NULL: nothing. */
const char **kt_work_declined(size_t *count, struct kt_work *work, const struct kt_case *each);

#endif
