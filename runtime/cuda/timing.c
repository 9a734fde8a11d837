#include "cuda/session.h"

#define FIRST_SAMPLES 5          /* what is looked at before the rest is measured */
#define PROBLEM_LIMIT_NS 2e9     /* device time after which a problem has samples enough */
#define BATCH_LIMIT_NS 0.5e9     /* device time of one batch, far below what a hang is */
#define ROUNDS 10                /* of an interleaved comparison */
#define FLOOR_REPETITIONS 20

kt_status kt_timing_prepare(struct kt_session *s, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	kt_status status = kt_verify_reset(s, problem, 0, KT_POISON_FIRST, err);
	for (size_t set = 1; !status && set < place->sets; set++)
		status = kt_session_check(s,
		                          s->cu.on_device(s->field + set * place->stride, s->field, place->stride,
		                                          s->stream),
		                          "copying a set", err);
	return status;
}

/* What one batch launches: the kernel on rotating sets, or a copy. */
struct work {
	kt_status (*launch)(struct kt_session *s, const struct work *work, size_t set, struct kt_error *err);
	const struct kt_launchable *what;
	size_t problem, sets, next_set;
	size_t read_bytes, write_bytes, stride; /* of a copy */
	enum kt_kernel copy;
};

static kt_status launch_kernel(struct kt_session *s, const struct work *work, size_t set, struct kt_error *err)
{
	return kt_session_launch(s, work->what, work->problem, set, err);
}

static kt_status launch_copy(struct kt_session *s, const struct work *work, size_t set, struct kt_error *err)
{
	kt_cu_address to = s->field + set * work->stride;
	kt_cu_address from = to + (work->write_bytes + KT_BUFFER_ALIGN - 1) / KT_BUFFER_ALIGN * KT_BUFFER_ALIGN;
	return kt_support_copy(s, work->copy, to, work->write_bytes, from, work->read_bytes, err);
}

static size_t take_set(struct work *work)
{
	size_t set = work->next_set;
	work->next_set = (set + 1) % work->sets;
	return set;
}

static kt_status warm_up(struct kt_session *s, struct work *work, size_t count, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < count; i++)
		status = work->launch(s, work, take_set(work), err);
	return status ? status : kt_session_wait(s, s->limit_s, "warming up", err);
}

/*
 * Times `count` launches, at most KT_BATCH: everything is queued behind a
 * closed gate, so that the device never waits for the host between the events.
 */
static kt_status batch(double *samples, struct kt_session *s, struct work *work, size_t count, struct kt_error *err)
{
	kt_status status = kt_support_sweep(s, err);
	if (!status)
		status = kt_support_gate(s, err);
	if (!status)
		status = kt_session_check(s, s->cu.event_record(s->events[0], s->stream), "recording an event", err);
	for (size_t i = 0; !status && i < count; i++) {
		status = work->launch(s, work, take_set(work), err);
		if (!status)
			status = kt_session_check(s, s->cu.event_record(s->events[i + 1], s->stream),
			                          "recording an event", err);
	}
	kt_support_open(s);
	if (!status)
		status = kt_session_wait(s, s->limit_s, "timing", err);
	for (size_t i = 0; !status && i < count; i++) {
		float ms = 0;
		status = kt_session_check(s, s->cu.event_elapsed(&ms, s->events[i], s->events[i + 1]),
		                          "reading an event", err);
		samples[i] = (double)ms * 1e6;
	}
	return status;
}

static size_t clamp_batch(size_t wanted, double estimate_ns)
{
	double most = estimate_ns > 0 ? BATCH_LIMIT_NS / estimate_ns : KT_BATCH;
	if (most < 1)
		most = 1;
	if (wanted > KT_BATCH)
		wanted = KT_BATCH;
	return (double)wanted < most ? wanted : (size_t)most;
}

static double sum_of(const double *samples, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += samples[i];
	return sum;
}

static kt_status measure(struct kt_timing *out, struct kt_session *s, struct work *work,
                         const struct kt_run_effort *effort, double estimate_ns, double give_up_ns,
                         struct kt_error *err)
{
	static double samples[KT_RUN_SAMPLES]; /* the runner has one thread */
	double scratch[FIRST_SAMPLES], spent_ns = 0;
	size_t wanted = (size_t)effort->repetitions, done = 0;
	/* One launch before any estimate is trusted: the candidate may be far slower than the original. */
	kt_status status = batch(samples, s, work, 1, err);
	if (status)
		return status;
	double first_ns = samples[0] > estimate_ns ? samples[0] : estimate_ns;
	size_t warmups = (size_t)effort->warmups;
	while (!status && warmups > 0 && spent_ns < BATCH_LIMIT_NS) {
		size_t now = clamp_batch(warmups, first_ns);
		status = warm_up(s, work, now, err);
		warmups -= now;
		spent_ns += first_ns * (double)now;
	}
	spent_ns = 0;
	while (!status && done < wanted) {
		size_t left = wanted - done;
		size_t now = clamp_batch(done == 0 && left > FIRST_SAMPLES ? FIRST_SAMPLES : left, first_ns);
		status = batch(samples + done, s, work, now, err);
		if (status)
			break;
		spent_ns += sum_of(samples + done, now);
		done += now;
		if (done >= FIRST_SAMPLES && spent_ns > PROBLEM_LIMIT_NS)
			break;
		if (give_up_ns > 0 && done <= FIRST_SAMPLES) {
			struct kt_timing early;
			for (size_t i = 0; i < done; i++)
				scratch[i] = samples[i];
			kt_timing_summary(&early, scratch, done);
			if (early.median_ns > give_up_ns)
				break;
		}
	}
	if (!status)
		kt_timing_summary(out, samples, done);
	return status;
}

kt_status kt_timing_problem(struct kt_timing *out, size_t *last_set, struct kt_session *s,
                            const struct kt_launchable *what, size_t problem, const struct kt_run_effort *effort,
                            double give_up_ns, struct kt_error *err)
{
	struct work work = {.launch = launch_kernel, .what = what, .problem = problem, .sets = s->places[problem].sets};
	kt_status status = measure(out, s, &work, effort, s->places[problem].original_ns, give_up_ns, err);
	*last_set = (work.next_set + work.sets - 1) % work.sets;
	return status;
}

/* One problem: rounds of small batches, each round starting with another candidate. */
static kt_status compare_problem(struct kt_timing *timings, struct kt_session *s, struct kt_arena *arena,
                                 const struct kt_launchable *what, size_t count, size_t problem,
                                 const struct kt_run_effort *effort, struct kt_error *err)
{
	size_t problems = s->region->problem_count, wanted = (size_t)effort->repetitions;
	size_t rounds = wanted < ROUNDS ? wanted : ROUNDS, next_set = 0;
	double *samples = kt_arena_array(arena, count * wanted, sizeof *samples);
	size_t *done = kt_arena_array(arena, count, sizeof *done);
	double *spent = kt_arena_array(arena, count, sizeof *spent);
	if (!samples || !done || !spent)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	double estimate = s->places[problem].original_ns;
	kt_status status = kt_timing_prepare(s, problem, err);
	for (size_t round = 0; !status && round < rounds; round++) {
		size_t share = wanted * (round + 1) / rounds - wanted * round / rounds;
		for (size_t k = 0; !status && k < count; k++) {
			size_t c = (k + round) % count;
			struct work work = {.launch = launch_kernel, .what = &what[c], .problem = problem,
			                    .sets = s->places[problem].sets, .next_set = next_set};
			/* What changes in place starts again from the same values for everybody. */
			if (s->places[problem].has_inout && (round || k))
				status = kt_timing_prepare(s, problem, err);
			size_t warmups = (size_t)effort->warmups / rounds + 1;
			if (!status)
				status = warm_up(s, &work, clamp_batch(warmups, estimate), err);
			for (size_t left = share; !status && left && spent[c] < PROBLEM_LIMIT_NS;) {
				size_t now = clamp_batch(left, estimate);
				status = batch(samples + c * wanted + done[c], s, &work, now, err);
				if (!status)
					spent[c] += sum_of(samples + c * wanted + done[c], now);
				done[c] += now;
				left -= now;
			}
			next_set = work.next_set;
		}
	}
	for (size_t c = 0; !status && c < count; c++)
		kt_timing_summary(&timings[c * problems + problem], samples + c * wanted, done[c]);
	return status;
}

kt_status kt_timing_compare(struct kt_timing *timings, struct kt_session *s, struct kt_arena *arena,
                            const struct kt_launchable *what, size_t count, const struct kt_run_effort *effort,
                            struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < s->region->problem_count; p++) {
		if (s->places[p].usable)
			status = compare_problem(timings, s, arena, what, count, p, effort, err);
	}
	return status;
}

/* The fastest of some ways to copy: a floor that one unlucky shape of the copy cannot raise. */
static const enum kt_kernel copies[] = {KT_KERNEL_COPY_1, KT_KERNEL_COPY_4, KT_KERNEL_COPY_4_STREAM};

static kt_status floor_problem(double *floor_ns, struct kt_session *s, size_t problem,
                               const struct kt_run_effort *effort, struct kt_error *err)
{
	const struct kt_run_problem *run = &s->region->problems[problem];
	struct work work = {.launch = launch_copy, .read_bytes = (size_t)run->read_bytes,
	                    .write_bytes = (size_t)run->write_bytes};
	*floor_ns = 0;
	if (run->read_bytes < 0 || run->write_bytes < 0 || (!run->read_bytes && !run->write_bytes) ||
	    (uint64_t)run->read_bytes + (uint64_t)run->write_bytes > s->field_bytes)
		return KT_OK;
	work.stride = (work.read_bytes + work.write_bytes) / KT_BUFFER_ALIGN * KT_BUFFER_ALIGN + 3 * KT_BUFFER_ALIGN;
	work.sets = s->field_bytes / work.stride;
	if (work.sets > KT_SETS)
		work.sets = KT_SETS;
	if (!work.sets)
		return KT_OK;
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
		struct kt_timing timing;
		struct kt_run_effort less = *effort;
		if (less.repetitions > FLOOR_REPETITIONS)
			less.repetitions = FLOOR_REPETITIONS;
		work.copy = copies[i];
		kt_status status = measure(&timing, s, &work, &less, 0, 0, err);
		if (status)
			return status;
		if (*floor_ns == 0 || timing.median_ns < *floor_ns)
			*floor_ns = timing.median_ns;
	}
	return KT_OK;
}

kt_status kt_timing_floor(double *floor_ns, struct kt_session *s, const struct kt_run_effort *effort,
                          struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < s->region->problem_count; p++) {
		floor_ns[p] = 0;
		if (s->places[p].usable)
			status = floor_problem(&floor_ns[p], s, p, effort, err);
	}
	return status;
}
