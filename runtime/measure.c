#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "race.h"

#define FIRST_SAMPLES 5          /* what is looked at before the rest is measured */
#define FAR_SAMPLES 2            /* and before that, where each of them is so far above the threshold */
#define FAR_FACTOR 3.0
#define PROBLEM_LIMIT_NS 2e9     /* device time after which a problem has samples enough */
#define BATCH_LIMIT_NS 0.5e9     /* device time of one batch, far below what a hang is */
#define SCREEN_OVER 1.2          /* times the threshold: after a slower first launch there is no other */
#define SCREEN_SLACK_NS 25e3     /* and this much more, which a first launch may take for itself */
#define SCREEN_LIMIT_NS 1.5e6    /* device time of a problem's second batch */
#define ROUNDS 10                /* of an interleaved comparison */
#define TICK_LEAST_NS 0.5        /* less is how a number was written */
#define TICK_SHARE 0.02          /* of the median: coarser than that is no clock but a gap between samples */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double middle(const double *sorted, size_t count)
{
	return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

double kt_timing_tick(double *samples, size_t count)
{
	double tick = INFINITY;
	qsort(samples, count, sizeof *samples, ascending);
	for (size_t i = 1; i < count; i++) {
		const double gap = samples[i] - samples[i - 1];
		if (gap > TICK_LEAST_NS && gap < tick)
			tick = gap;
	}
	return count && tick <= TICK_SHARE * middle(samples, count) ? tick : 0;
}

double kt_timing_middle_mean(double *samples, size_t count)
{
	const size_t cut = count / 4;
	double sum = 0;
	qsort(samples, count, sizeof *samples, ascending);
	for (size_t i = cut; i < count - cut; i++)
		sum += samples[i];
	return count ? sum / (double)(count - 2 * cut) : 0;
}

/* As measure.h describes. */
static double within_tick(double median, const double *samples, size_t count, double tick)
{
	const double low = median - tick / 2;
	size_t below = 0, within = 0;
	for (size_t i = 0; i < count; i++) {
		below += samples[i] < low;
		within += samples[i] >= low && samples[i] <= low + tick;
	}
	return tick > 0 && within ? low + tick * (0.5 * (double)count - (double)below) / (double)within : median;
}

void kt_timing_summary(struct kt_timing *out, double *samples, size_t count, double tick_ns)
{
	*out = (struct kt_timing){0};
	if (!count)
		return;
	double sum = 0;
	qsort(samples, count, sizeof *samples, ascending);
	for (size_t i = 0; i < count; i++)
		sum += samples[i];
	out->median_ns = within_tick(middle(samples, count), samples, count, tick_ns);
	out->mean_ns = sum / (double)count;
	out->min_ns = samples[0];
	out->samples = (int64_t)count;
	for (size_t i = 0; i < count; i++)
		samples[i] = fabs(samples[i] - out->median_ns);
	qsort(samples, count, sizeof *samples, ascending);
	out->deviation_ns = middle(samples, count);
}

static size_t clamp_batch(const struct kt_sampler *sampler, size_t wanted, double estimate_ns)
{
	double most = estimate_ns > 0 ? BATCH_LIMIT_NS / estimate_ns : (double)sampler->batch;
	if (most < 1)
		most = 1;
	if (wanted > sampler->batch)
		wanted = sampler->batch;
	return (double)wanted > most ? (size_t)most : wanted;
}

/* How many samples until they are looked at again. */
static size_t next_look(size_t done, size_t left, double give_up_ns)
{
	const size_t first = give_up_ns > 0 && done < KT_RACE_LEAST ? KT_RACE_LEAST : FIRST_SAMPLES;
	return done < first && left > first - done ? first - done : left;
}

static double sum_of(const double *samples, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += samples[i];
	return sum;
}

/* Is the first look enough? Before all of it is there, where what is there leaves no doubt. */
static bool gives_up(const double *samples, size_t count, double give_up_ns)
{
	struct kt_timing early;
	double scratch[FIRST_SAMPLES];
	struct kt_race race = {0};
	if (give_up_ns <= 0 || count > FIRST_SAMPLES)
		return false;
	for (size_t i = 0; i < count; i++)
		kt_race_add(&race, samples[i], give_up_ns);
	if (count < FIRST_SAMPLES)
		return kt_race_is_lost(&race);
	for (size_t i = 0; i < count; i++)
		scratch[i] = samples[i];
	kt_timing_summary(&early, scratch, count, 0);
	return early.median_ns > give_up_ns;
}

/* Before any warm-up: is each of a few launches so far above the threshold that no noise makes up for it? */
static kt_status look_far(size_t *count, double *samples, const struct kt_sampler *sampler, double give_up_ns,
                          struct kt_error *err)
{
	kt_status status = sampler->sample(samples, sampler->state, 1, err);
	*count = 1;
	while (!status && *count < FAR_SAMPLES && give_up_ns > 0 && samples[*count - 1] > FAR_FACTOR * give_up_ns)
		status = sampler->sample(samples + (*count)++, sampler->state, 1, err);
	return status;
}

/*
 * A first look: one launch, which also is the warm-up, and the rest in one batch, unless the first took far longer than
 * is of interest or a few more would take long.
 */
static kt_status screen(struct kt_timing *out, const struct kt_sampler *sampler, const struct kt_run_effort *effort,
                        double give_up_ns, struct kt_error *err)
{
	static double samples[KT_RUN_SAMPLES];
	const double most_ns = give_up_ns > 0 ? SCREEN_OVER * give_up_ns + SCREEN_SLACK_NS : INFINITY;
	TRY(sampler->sample(samples, sampler->state, 1, err));
	const double first_ns = samples[0] > 1 ? samples[0] : 1, fit = SCREEN_LIMIT_NS / first_ns;
	size_t count = clamp_batch(sampler, (size_t)effort->repetitions, first_ns);
	count = fit < (double)count ? (size_t)fit : count;
	/* What is slow has no first launch that is much slower than others. */
	if (first_ns > most_ns || count < 1)
		count = 1;
	else
		TRY(sampler->sample(samples, sampler->state, count, err));
	kt_timing_summary(out, samples, count, kt_timing_tick(samples, count));
	return KT_OK;
}

kt_status kt_measure(struct kt_timing *out, const struct kt_sampler *sampler, const struct kt_run_effort *effort,
                     double estimate_ns, double give_up_ns, struct kt_error *err)
{
	static double samples[KT_RUN_SAMPLES]; /* the runner has one thread */
	double spent_ns = 0;
	size_t wanted = (size_t)effort->repetitions, done = 0;
	if (effort->screen)
		return screen(out, sampler, effort, give_up_ns, err);
	/* One launch before any estimate is trusted: the candidate may be far slower than the original. */
	kt_status status = look_far(&done, samples, sampler, give_up_ns, err);
	if (status)
		return status;
	if (done == FAR_SAMPLES && samples[done - 1] > FAR_FACTOR * give_up_ns) {
		kt_timing_summary(out, samples, done, 0);
		return KT_OK;
	}
	done = 0;
	double first_ns = samples[0] > estimate_ns ? samples[0] : estimate_ns;
	size_t warmups = (size_t)effort->warmups;
	while (!status && warmups > 0 && spent_ns < BATCH_LIMIT_NS) {
		size_t now = clamp_batch(sampler, warmups, first_ns);
		status = sampler->warm_up(sampler->state, now, err);
		warmups -= now;
		spent_ns += first_ns * (double)now;
	}
	spent_ns = 0;
	while (!status && done < wanted) {
		size_t left = wanted - done;
		size_t now = clamp_batch(sampler, next_look(done, left, give_up_ns), first_ns);
		status = sampler->sample(samples + done, sampler->state, now, err);
		if (status)
			break;
		spent_ns += sum_of(samples + done, now);
		done += now;
		if ((done >= FIRST_SAMPLES && spent_ns > PROBLEM_LIMIT_NS) || gives_up(samples, done, give_up_ns))
			break;
	}
	if (!status)
		kt_timing_summary(out, samples, done, kt_timing_tick(samples, done));
	return status;
}

/* What the rounds have of one sampler so far; a round's samples end at ends[round]. */
struct progress {
	double *samples;
	size_t done, ends[ROUNDS];
	double spent_ns;
};

static kt_status turn(struct progress *p, const struct kt_sampler *sampler, size_t share, size_t warmups,
                      double estimate_ns, struct kt_error *err)
{
	size_t left = share, more = sampler->short_ns > 0 ? (KT_SHORT_TIMES - 1) * share : 0;
	kt_status status = sampler->warm_up(sampler->state, clamp_batch(sampler, warmups, estimate_ns), err);
	while (!status && left && p->spent_ns < PROBLEM_LIMIT_NS) {
		size_t now = clamp_batch(sampler, left < share ? left : share, estimate_ns);
		status = sampler->sample(p->samples + p->done, sampler->state, now, err);
		if (!status)
			p->spent_ns += sum_of(p->samples + p->done, now);
		p->done += now;
		left -= now;
		if (!left && p->spent_ns < sampler->short_ns * (double)p->done) {
			left = more;
			more = 0;
		}
	}
	return status;
}

/* The numbers below count in an order that depends on seed and round alone (Fisher and Yates). */
static void shuffle(size_t *order, size_t count, uint64_t seed, uint64_t round)
{
	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t k = (size_t)(kt_data_mix(kt_data_mix(seed) + round * KT_RUN_CANDIDATES + i) % i), other = order[i - 1];
		order[i - 1] = order[k];
		order[k] = other;
	}
}

/* The summary of some samples, which are left unmodified. */
static struct kt_timing summary_of(const double *samples, size_t count, double *scratch)
{
	struct kt_timing timing;
	memcpy(scratch, samples, count * sizeof *scratch);
	kt_timing_summary(&timing, scratch, count, 0);
	return timing;
}

/* Scales each round by what the baseline needed in it, where that is no mere noise. */
static void correct_drift(struct progress *progress, size_t count, size_t rounds, size_t baseline, double *scratch)
{
	struct progress *b = &progress[baseline];
	double factors[ROUNDS];
	struct kt_timing all = summary_of(b->samples, b->done, scratch);
	for (size_t round = 0; round < rounds; round++) {
		size_t start = round ? b->ends[round - 1] : 0;
		struct kt_timing one = summary_of(b->samples + start, b->ends[round] - start, scratch);
		bool drifted = one.median_ns > 0 && fabs(one.median_ns - all.median_ns) > all.deviation_ns;
		factors[round] = drifted ? all.median_ns / one.median_ns : 1;
	}
	for (size_t c = 0; c < count; c++) {
		for (size_t round = 0, i = 0; round < rounds; round++) {
			for (; i < progress[c].ends[round]; i++)
				progress[c].samples[i] *= factors[round];
		}
	}
}

/* Room for the samples of each, and one more as scratch. NULL: out of memory. */
static struct progress *new_progress(struct kt_arena *arena, const struct kt_sampler *samplers, size_t count,
                                     size_t wanted)
{
	struct progress *progress = kt_arena_array(arena, count + 1, sizeof *progress);
	size_t most = wanted;
	for (size_t c = 0; progress && c <= count; c++) {
		const size_t own = c < count && samplers[c].short_ns > 0 ? wanted * KT_SHORT_TIMES : wanted;
		most = own > most ? own : most;
		progress[c].samples = kt_arena_array(arena, c < count ? own : most, sizeof(double));
		if (!progress[c].samples)
			return NULL;
	}
	return progress;
}

kt_status kt_measure_rounds(struct kt_timing *timings, size_t stride, struct kt_arena *arena,
                            const struct kt_sampler *samplers, size_t count, size_t baseline,
                            const struct kt_run_effort *effort, double estimate_ns, struct kt_error *err)
{
	size_t wanted = (size_t)effort->repetitions, rounds = wanted < ROUNDS ? wanted : ROUNDS;
	double tick = 0;
	struct progress *progress = new_progress(arena, samplers, count, wanted);
	size_t *order = kt_arena_array(arena, count, sizeof *order);
	kt_status status = progress && order ? KT_OK : kt_no_memory(err);
	for (size_t round = 0; !status && round < rounds; round++) {
		size_t share = wanted * (round + 1) / rounds - wanted * round / rounds;
		shuffle(order, count, effort->seed, round);
		for (size_t k = 0; !status && k < count; k++) {
			size_t c = order[k];
			/* What changes in place starts again from the same values for everybody. */
			if (samplers[c].restart && (round || k))
				status = samplers[c].restart(samplers[c].state, err);
			THEN(status, turn(&progress[c], &samplers[c], share, (size_t)effort->warmups / rounds + 1,
			                  estimate_ns, err));
			progress[c].ends[round] = progress[c].done;
		}
	}
	/* One clock for all; what the correction makes of the samples no longer shows it. */
	for (size_t c = 0; !status && c < count; c++) {
		memcpy(progress[count].samples, progress[c].samples, progress[c].done * sizeof(double));
		const double one = kt_timing_tick(progress[count].samples, progress[c].done);
		tick = one > 0 && (tick <= 0 || one < tick) ? one : tick;
	}
	if (!status && baseline < count)
		correct_drift(progress, count, rounds, baseline, progress[count].samples);
	for (size_t c = 0; !status && c < count; c++)
		kt_timing_summary(&timings[c * stride], progress[c].samples, progress[c].done, tick);
	return status;
}
