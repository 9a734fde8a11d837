#include "energy.h"

#include <math.h>

#define BATCH_S 2e-3    /* of launches between two looks at the counter, at least */
#define BATCH_READS 4   /* and at least this multiple of the time of a look: the device works meanwhile */
#define BATCH_MOST 2000 /* launches */
#define STEPS_LEAST 3   /* fewer tell nothing about how long a step is */
#define UNIT_MJ 1.0     /* of the counter */

/* The counter at a look, and how many launches and seconds had passed since the first step. */
struct look {
	uint64_t millijoules;
	double launches, at_s;
};

struct window {
	struct look first, last; /* the first step, and the newest */
	int64_t steps;           /* since the first */
	double batch, batch_s;   /* the longest one: a step is seen that late */
};

static kt_status look(struct look *out, const struct kt_energy_source *source, double launches, struct kt_error *err)
{
	*out = (struct look){.launches = launches, .at_s = source->now_s(source->state)};
	return source->read(&out->millijoules, source->state)
	           ? KT_OK : kt_fail(err, KT_ERR_MISSING, "the driver has no energy counter for this device");
}

/* Of the launches between both steps as many as a batch may belong to neither; the counter counts whole units. */
static double error_of(const struct window *w)
{
	const double launches = w->last.launches - w->first.launches;
	const double used = (double)(w->last.millijoules - w->first.millijoules);

	return launches > 0 && used > 0 ? w->batch / launches + UNIT_MJ / used : INFINITY;
}

static bool is_enough(const struct window *w)
{
	return w->steps >= KT_ENERGY_STEPS && error_of(w) <= KT_ENERGY_ERROR;
}

static size_t batch_size(double launch_s, double read_s)
{
	const double fits = launch_s > 0 ? fmax(BATCH_S, BATCH_READS * read_s) / launch_s : BATCH_MOST;

	return fits < 1 ? 1 : fits > BATCH_MOST ? BATCH_MOST : (size_t)fits;
}

/* Some drivers bring the counter up to date about once per second. */
static double end_s(const struct window *w, double begin_s, double most_s)
{
	return begin_s + (w->first.launches > 0 && w->steps < STEPS_LEAST ? KT_ENERGY_PATIENCE * most_s : most_s);
}

/* Launches until the window is long enough, or time is over. */
static kt_status widen(struct window *w, const struct kt_energy_source *source, double estimate_ns, double most_s,
                       struct kt_error *err)
{
	const double begin_s = source->now_s(source->state);
	struct look before, now;
	bool begun = false;
	size_t previous = 0; /* launches of the batch before */
	kt_status status = look(&before, source, 0, err);
	const double read_s = source->now_s(source->state) - begin_s;
	size_t count = batch_size(estimate_ns * 1e-9, read_s);

	for (double launches = 0; !status && !is_enough(w) && before.at_s < end_s(w, begin_s, most_s);) {
		status = source->launch(source->state, count, err);
		/* It may be anywhere in the batch that the device is at. */
		THEN(status, look(&now, source, launches, err));
		launches += (double)count;
		THEN(status, source->wait(source->state, err));
		if (status)
			break;
		if (begun && (double)count > w->batch)
			w->batch = (double)count;
		/* What was estimated may be far off; a step that was seen late is no beginning. */
		const size_t launched = count;
		if (!begun)
			count = batch_size((source->now_s(source->state) - now.at_s) / (double)count, read_s);
		if (now.millijoules != before.millijoules && !begun) {
			begun = previous <= count;
			w->first = w->last = now;
		} else if (now.millijoules != before.millijoules) {
			w->last = now;
			w->steps++;
		}
		before = now;
		previous = launched;
	}
	return status;
}

kt_status kt_energy_measure(struct kt_run_energy *out, const struct kt_energy_source *source, double estimate_ns,
                            double most_s, struct kt_error *err)
{
	struct window w = {0};
	TRY(widen(&w, source, estimate_ns, most_s, err));

	if (w.steps < STEPS_LEAST)
		return kt_fail(err, KT_ERR_LIMIT, "the energy counter of this device moved %lld times in %.1f s of launches",
		               (long long)(w.first.launches > 0 ? w.steps + 1 : 0),
		               w.first.launches > 0 ? KT_ENERGY_PATIENCE * most_s : most_s);
	*out = (struct kt_run_energy){
	    .joules = 1e-3 * (double)(w.last.millijoules - w.first.millijoules) / (w.last.launches - w.first.launches),
	    .error = error_of(&w),
	    .seconds = w.last.at_s - w.first.at_s,
	    .launches = (int64_t)(w.last.launches - w.first.launches),
	    .steps = w.steps,
	};
	return KT_OK;
}
