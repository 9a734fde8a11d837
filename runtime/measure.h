/*
 * How many launches are timed, and in which order: the same for every
 * backend. A backend defines how to launch (struct kt_sampler); what the figures
 * mean is in docs/verification.md.
 */
#ifndef KT_RUNTIME_MEASURE_H
#define KT_RUNTIME_MEASURE_H

#include "backend.h"

#define KT_SHORT_TIMES 3

/* One thing to time. Each function fails for good only. */
struct kt_sampler {
	void *state;
	size_t batch; /* most launches of one batch */
	/* Launches count times and waits. */
	kt_status (*warm_up)(void *state, size_t count, struct kt_error *err);
	/* Launches count times, at most `batch`, and stores the time of each in ns. */
	kt_status (*sample)(double *samples, void *state, size_t count, struct kt_error *err);
	/* Brings the data back to what it was before the first launch. NULL: not needed. */
	kt_status (*restart)(void *state, struct kt_error *err);
	/* In rounds what takes less on average has KT_SHORT_TIMES as many samples; 0: nothing has. */
	double short_ns;
};

/*
 * Warm-ups, a first look at five samples, and the rest unless their median is
 * above give_up_ns (0: never); three are enough where they have lost against it
 * without doubt (race.h). Two launches before the warm-ups that each take
 * three times as long as that are all that is measured. estimate_ns: of one launch, 0 when unknown.
 * With effort->screen one launch and a batch of `repetitions`, or that launch
 * alone where it is far above give_up_ns.
 */
kt_status kt_measure(struct kt_timing *out, const struct kt_sampler *sampler, const struct kt_run_effort *effort,
                     double estimate_ns, double give_up_ns, struct kt_error *err) KT_MUST_CHECK;
/*
 * Interleaved: rounds of small batches, the samplers of a round in an order
 * that effort->seed shuffles; restart comes before each turn but the first.
 * What is short has more batches in its turn, as large as those of the others.
 * Drift is taken out by the sampler with the number `baseline` (KT_NO_BASELINE:
 * not at all), as docs/verification.md describes. timings: one per sampler, at
 * the distance `stride`.
 */
#define KT_NO_BASELINE SIZE_MAX
kt_status kt_measure_rounds(struct kt_timing *timings, size_t stride, struct kt_arena *arena,
                            const struct kt_sampler *samplers, size_t count, size_t baseline,
                            const struct kt_run_effort *effort, double estimate_ns, struct kt_error *err)
    KT_MUST_CHECK;
/*
 * Median, mean, least and median absolute deviation; sorts samples. tick_ns: of
 * the clock they come from, 0: unknown. Samples within half a tick of the
 * median count as spread evenly over that tick, and the median is where half of
 * all lie below: (median − tick / 2) + tick · (count / 2 − below) / within, the
 * median of grouped data.
 */
void kt_timing_summary(struct kt_timing *out, double *samples, size_t count, double tick_ns);
/* The tick that samples as measured show: the least distance of two of them;
 * 0 where it is more than mere resolution. */
double kt_timing_tick(double *samples, size_t count);
/* The mean of the middle half; sorts samples. */
double kt_timing_middle_mean(double *samples, size_t count);

#endif
