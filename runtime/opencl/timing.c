#include <string.h>

#include "base/proc.h"
#include "measure.h"
#include "opencl/session.h"

#define FLOOR_REPETITIONS 20
#define CLOCK_FACTOR 2.0      /* by which host and device may disagree */
#define LAUNCH_COST_NS 500e3  /* of the host, which it may need besides */

static kt_status release_events(struct kt_ocl *s, size_t count, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < count; i++)
		status = kt_ocl_check(s, s->cl.event_release(s->events[i]), "releasing an event", err);
	return status;
}

/* Fills every set of the problem alike. */
static kt_status prepare(struct kt_ocl *s, size_t problem, struct kt_error *err)
{
	const struct kt_ocl_place *place = &s->places[problem];
	kt_status status = kt_ocl_reset(s, problem, 0, KT_DATA_POISON_FIRST, err);
	for (size_t set = 1; !status && set < place->sets; set++)
		status = kt_ocl_check(s,
		                      s->cl.copy(s->queue, s->field, s->field, 0, set * place->stride, place->stride, 0,
		                                 NULL, NULL),
		                      "copying a set", err);
	return status ? status : kt_ocl_check(s, s->cl.finish(s->queue), "copying sets", err);
}

/* What one batch launches: the kernel on rotating sets, or a copy. */
struct work {
	struct kt_ocl *s;
	kt_status (*launch)(kt_cl_handle *event, const struct work *work, size_t set, struct kt_error *err);
	const struct kt_ocl_launchable *what;
	size_t problem, sets, *next_set;
	size_t bytes, stride; /* of a copy */
};

static kt_status launch_kernel(kt_cl_handle *event, const struct work *work, size_t set, struct kt_error *err)
{
	return kt_ocl_launch(event, work->s, work->what, work->problem, set, err);
}

static kt_status launch_copy(kt_cl_handle *event, const struct work *work, size_t set, struct kt_error *err)
{
	size_t to = set * work->stride, from = to + work->stride / 2;
	struct kt_ocl *s = work->s;
	return kt_ocl_check(s, s->cl.copy(s->queue, s->field, s->field, from, to, work->bytes, 0, NULL, event),
	                    "copying", err);
}

/* Queues launches on rotating sets and waits for the last; the events stay. */
static kt_status launch_all(struct work *work, size_t count, struct kt_error *err)
{
	struct kt_ocl *s = work->s;
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < count; i++) {
		status = work->launch(&s->events[i], work, *work->next_set, err);
		*work->next_set = (*work->next_set + 1) % work->sets;
	}
	return status ? status : kt_ocl_wait(s, s->events[count - 1], s->limit_s, "timing", err);
}

static kt_status warm_up(void *state, size_t count, struct kt_error *err)
{
	struct work *work = state;
	if (!count)
		return KT_OK;
	kt_status status = launch_all(work, count, err);
	return status ? status : release_events(work->s, count, err);
}

static kt_status sample(double *samples, void *state, size_t count, struct kt_error *err)
{
	struct work *work = state;
	struct kt_ocl *s = work->s;
	double start = kt_now_s();
	kt_status status = launch_all(work, count, err);
	if (status)
		return status;
	s->host_ns += (kt_now_s() - start) * 1e9 - LAUNCH_COST_NS * (double)count;
	for (size_t i = 0; i < count; i++) {
		samples[i] = kt_ocl_event_ns(s, s->events[i]);
		s->device_ns += samples[i];
	}
	return release_events(s, count, err);
}

static kt_status restart(void *state, struct kt_error *err)
{
	struct work *work = state;
	return prepare(work->s, work->problem, err);
}

static struct kt_sampler sampler_of(struct work *work, bool restarts)
{
	return (struct kt_sampler){work, KT_OCL_BATCH, warm_up, sample, restarts ? restart : NULL};
}

/* A device clock that the host's contradicts; NULL when they agree. */
static const char *judge_clocks(const struct kt_ocl *s, struct kt_arena *arena, size_t launches)
{
	double spare = LAUNCH_COST_NS * (double)launches, host = s->host_ns;
	if (host <= CLOCK_FACTOR * s->device_ns && s->device_ns <= CLOCK_FACTOR * (host + spare))
		return NULL;
	return kt_arena_printf(arena, "the device's clock says %.3f ms where the host's says %.3f ms",
	                       s->device_ns * 1e-6, (host + spare) * 1e-6);
}

kt_status kt_ocl_time(struct kt_timing *out, const char **detail, size_t *last_set, struct kt_ocl *s,
                      struct kt_arena *arena, const struct kt_ocl_launchable *what, size_t problem,
                      const struct kt_run_effort *effort, double give_up_ns, struct kt_error *err)
{
	size_t next_set = 0;
	struct work work = {.s = s, .launch = launch_kernel, .what = what, .problem = problem,
	                    .sets = s->places[problem].sets, .next_set = &next_set};
	struct kt_sampler sampler = sampler_of(&work, false);
	s->host_ns = s->device_ns = 0;
	kt_status status = prepare(s, problem, err);
	/* One launch nobody looks at: whatever a driver does but once is done. */
	if (!status)
		status = warm_up(&work, 1, err);
	if (!status)
		status = kt_measure(out, &sampler, effort, s->places[problem].original_ns, give_up_ns, err);
	if (status)
		return status;
	*last_set = (next_set + work.sets - 1) % work.sets;
	*detail = judge_clocks(s, arena, (size_t)out->samples + 1);
	return out->median_ns > 0 ? KT_OK : kt_fail(err, KT_ERR_CHILD, "the device measures no time");
}

static kt_status compare_problem(struct kt_timing *timings, struct kt_ocl *s, struct kt_arena *arena,
                                 const struct kt_ocl_launchable *what, size_t count, size_t problem,
                                 const struct kt_run_effort *effort, struct kt_error *err)
{
	const struct kt_ocl_place *place = &s->places[problem];
	size_t next_set = 0;
	struct work *works = kt_arena_array(arena, count, sizeof *works);
	struct kt_sampler *samplers = kt_arena_array(arena, count, sizeof *samplers);
	if (!works || !samplers)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = prepare(s, problem, err);
	for (size_t c = 0; c < count; c++) {
		works[c] = (struct work){.s = s, .launch = launch_kernel, .what = &what[c], .problem = problem,
		                         .sets = place->sets, .next_set = &next_set};
		samplers[c] = sampler_of(&works[c], place->has_inout);
		if (!status)
			status = warm_up(&works[c], 1, err);
	}
	return status ? status : kt_measure_rounds(&timings[problem], s->region->problem_count, arena, samplers,
	                                           count, effort, place->original_ns, err);
}

kt_status kt_ocl_compare(struct kt_timing *timings, struct kt_ocl *s, struct kt_arena *arena,
                         const struct kt_ocl_launchable *what, size_t count, const struct kt_run_effort *effort,
                         struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < s->region->problem_count; p++) {
		if (s->places[p].usable)
			status = compare_problem(timings, s, arena, what, count, p, effort, err);
	}
	return status;
}

/* A copy moves half of the problem's bytes twice: what it reads it also writes. */
static kt_status floor_problem(double *floor_ns, struct kt_ocl *s, size_t problem,
                               const struct kt_run_effort *effort, struct kt_error *err)
{
	const struct kt_run_problem *run = &s->region->problems[problem];
	struct kt_timing timing;
	struct kt_run_effort less = *effort;
	size_t next_set = 0;
	struct work work = {.s = s, .launch = launch_copy, .next_set = &next_set};
	struct kt_sampler sampler = sampler_of(&work, false);
	if (run->read_bytes < 0 || run->write_bytes < 0 ||
	    (uint64_t)run->read_bytes + (uint64_t)run->write_bytes < 2 ||
	    (uint64_t)run->read_bytes + (uint64_t)run->write_bytes > s->field_bytes)
		return KT_OK;
	work.bytes = ((size_t)run->read_bytes + (size_t)run->write_bytes) / 2;
	work.stride = 2 * ((work.bytes + s->align - 1) / s->align * s->align);
	work.sets = s->field_bytes / work.stride;
	if (work.sets > KT_OCL_SETS)
		work.sets = KT_OCL_SETS;
	if (!work.sets)
		return KT_OK;
	if (less.repetitions > FLOOR_REPETITIONS)
		less.repetitions = FLOOR_REPETITIONS;
	kt_status status = kt_measure(&timing, &sampler, &less, 0, 0, err);
	if (!status)
		*floor_ns = timing.median_ns;
	return status;
}

kt_status kt_ocl_floor(double *floor_ns, struct kt_ocl *s, const struct kt_run_effort *effort, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < s->region->problem_count; p++) {
		floor_ns[p] = 0;
		if (s->places[p].usable)
			status = floor_problem(&floor_ns[p], s, p, effort, err);
	}
	return status;
}
