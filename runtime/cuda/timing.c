#include "cuda/session.h"
#include "measure.h"

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
	struct kt_session *s;
	kt_status (*launch)(const struct work *work, size_t set, struct kt_error *err);
	const struct kt_launchable *what;
	size_t problem, sets, *next_set;
	size_t read_bytes, write_bytes, stride; /* of a copy */
	enum kt_kernel copy;
};

static kt_status launch_kernel(const struct work *work, size_t set, struct kt_error *err)
{
	return kt_session_launch(work->s, work->what, work->problem, set, err);
}

static kt_status launch_copy(const struct work *work, size_t set, struct kt_error *err)
{
	kt_cu_address to = work->s->field + set * work->stride;
	kt_cu_address from = to + (work->write_bytes + KT_BUFFER_ALIGN - 1) / KT_BUFFER_ALIGN * KT_BUFFER_ALIGN;
	return kt_support_copy(work->s, work->copy, to, work->write_bytes, from, work->read_bytes, err);
}

static size_t take_set(const struct work *work)
{
	size_t set = *work->next_set;
	*work->next_set = (set + 1) % work->sets;
	return set;
}

static kt_status warm_up(void *state, size_t count, struct kt_error *err)
{
	struct work *work = state;
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < count; i++)
		status = work->launch(work, take_set(work), err);
	return status ? status : kt_session_wait(work->s, work->s->limit_s, "warming up", err);
}

/*
 * Times `count` launches, at most KT_BATCH: everything is queued behind a
 * closed gate, so that the device never waits for the host between the events.
 */
static kt_status batch(double *samples, void *state, size_t count, struct kt_error *err)
{
	struct work *work = state;
	struct kt_session *s = work->s;
	kt_status status = kt_support_sweep(s, err);
	if (!status)
		status = kt_support_gate(s, err);
	if (!status)
		status = kt_session_check(s, s->cu.event_record(s->events[0], s->stream), "recording an event", err);
	for (size_t i = 0; !status && i < count; i++) {
		status = work->launch(work, take_set(work), err);
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

static kt_status restart(void *state, struct kt_error *err)
{
	struct work *work = state;
	return kt_timing_prepare(work->s, work->problem, err);
}

static struct kt_sampler sampler_of(struct work *work, bool restarts)
{
	return (struct kt_sampler){work, KT_BATCH, warm_up, batch, restarts ? restart : NULL};
}

kt_status kt_timing_problem(struct kt_timing *out, size_t *last_set, struct kt_session *s,
                            const struct kt_launchable *what, size_t problem, const struct kt_run_effort *effort,
                            double give_up_ns, struct kt_error *err)
{
	size_t next_set = 0;
	struct work work = {.s = s, .launch = launch_kernel, .what = what, .problem = problem,
	                    .sets = s->places[problem].sets, .next_set = &next_set};
	struct kt_sampler sampler = sampler_of(&work, false);
	kt_status status = kt_measure(out, &sampler, effort, s->places[problem].original_ns, give_up_ns, err);
	*last_set = (next_set + work.sets - 1) % work.sets;
	return status;
}

static kt_status compare_problem(struct kt_timing *timings, struct kt_session *s, struct kt_arena *arena,
                                 const struct kt_launchable *what, size_t count, size_t problem,
                                 const struct kt_run_effort *effort, struct kt_error *err)
{
	const struct kt_place *place = &s->places[problem];
	size_t next_set = 0;
	struct work *works = kt_arena_array(arena, count, sizeof *works);
	struct kt_sampler *samplers = kt_arena_array(arena, count, sizeof *samplers);
	if (!works || !samplers)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	for (size_t c = 0; c < count; c++) {
		works[c] = (struct work){.s = s, .launch = launch_kernel, .what = &what[c], .problem = problem,
		                         .sets = place->sets, .next_set = &next_set};
		samplers[c] = sampler_of(&works[c], place->has_inout);
	}
	kt_status status = kt_timing_prepare(s, problem, err);
	return status ? status : kt_measure_rounds(&timings[problem], s->region->problem_count, arena, samplers,
	                                           count, effort, place->original_ns, err);
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
static const enum kt_kernel copies[] = {KT_KERNEL_COPY_1, KT_KERNEL_COPY_2, KT_KERNEL_COPY_2_STREAM,
                                      KT_KERNEL_COPY_4_STREAM};

static kt_status floor_problem(double *floor_ns, struct kt_session *s, size_t problem,
                               const struct kt_run_effort *effort, struct kt_error *err)
{
	const struct kt_run_problem *run = &s->region->problems[problem];
	size_t next_set = 0;
	struct work work = {.s = s, .launch = launch_copy, .next_set = &next_set,
	                    .read_bytes = (size_t)run->read_bytes, .write_bytes = (size_t)run->write_bytes};
	struct kt_sampler sampler = sampler_of(&work, false);
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
		kt_status status = kt_measure(&timing, &sampler, &less, 0, 0, err);
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
