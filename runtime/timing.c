#include <math.h>
#include <string.h>
#include <time.h>

#include "base/proc.h"
#include "energy.h"
#include "engine.h"
#include "measure.h"

#define FLOOR_REPETITIONS 20
#define FLOOR_SHARE 4          /* the field of the copy measurement: a multiple of its largest size */
#define LEAST_POINT ((uint64_t)64 << 10)
#define CLOCK_FACTOR 2.0       /* by which host and device may disagree */
#define CLOCK_REPEATS 2        /* measurements again before the host's clock is believed */
#define LAST_PASS_NS 0.2e9
#define LARGE_SETS 3           /* a multiple of the cache */
#define LAUNCHES_FIRST 100     /* of an empty kernel, where nothing is known of it */
#define LAUNCHES_MORE (2 * KT_LAUNCH_BATCH) /* of it, beside each measurement */
#define LEFT_MOST 3            /* launches by which work may be late, and is still seen to be missing */
#define SHORT_NS 20000.0       /* less makes the launch, which no two processes have alike, a percent of a time */
#define THROTTLE_REPEATS 2
#define THROTTLE_PAUSE_NS 200000000l
/* Slowed down for heat or the power supply's sake (NVML: hardware, software thermal, hardware thermal, power brake). */
#define THROTTLE_REASONS (0x08u | 0x20u | 0x40u | 0x80u)

/* Launches so far: each on the set after that of the one before. */
struct rotation {
	size_t launches;
};

/* What one batch launches: the kernel on rotating sets, or a copy. */
struct work {
	struct kt_engine *e;
	const struct kt_launchable *what; /* NULL: a copy */
	size_t problem, sets;
	struct rotation *rotation;
	bool hot;
	size_t *looks; /* number of outputs digested, one of a set each; NULL: none are */
	unsigned shape;
	bool nothing; /* a copy of nothing, in all shapes in turn */
	kt_at copies[KT_SETS][2];
	size_t copied[2]; /* written, read */
	/* Of the batches so far: by how much either clock exceeds what the other allows, at least. */
	double host_ns, device_ns, host_excess_ns, device_excess_ns;
	size_t batches;
};

/* Adds up the digests of what a batch has written, before another launch writes there. */
static kt_status look(struct work *work, size_t count, struct kt_error *err)
{
	size_t left = count < work->sets ? count : work->sets;
	/* The newest ones, which may be at both ends. */
	size_t first = (work->rotation->launches - left) % work->sets;
	*work->looks += left;
	while (left) {
		const size_t some = work->sets - first < left ? work->sets - first : left;
		TRY(kt_verify_digest(work->e, work->problem, first, some, false, true, err));
		first = 0;
		left -= some;
	}
	return KT_OK;
}

static kt_status queue(double *samples, struct work *work, size_t count, struct kt_error *err)
{
	struct kt_engine *e = work->e;
	struct kt_run_launch launches[KT_BATCH];
	double host_ns = 0, device_ns = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t number = work->rotation->launches++, set = number % work->sets;
		const unsigned shape = work->nothing ? (unsigned)(number % e->empty_shapes) : work->shape;
		launches[i] = work->what ? kt_engine_launch(e, work->what, work->problem, e->at[set], e->bytes)
		                         : (struct kt_run_launch){.at = work->copies[set], .bytes = work->copied,
		                                                  .shape = shape};
	}
	kt_status status = e->ops->batch(samples, &host_ns, e->state, launches, count, !work->hot, e->limit_s, err);
	if (!status && work->looks)
		status = look(work, count, err);
	if (status || !samples)
		return status;
	for (size_t i = 0; i < count; i++)
		device_ns += samples[i];
	double slack = e->batch_slack_ns + e->launch_slack_ns * (double)count;
	double host_excess = host_ns - slack - CLOCK_FACTOR * device_ns;
	double device_excess = device_ns - CLOCK_FACTOR * (host_ns + slack);
	/* A busy host is late now and then; work that a kernel leaves running is there every time. */
	if (!work->batches++ || host_excess < work->host_excess_ns) {
		work->host_excess_ns = host_excess;
		work->host_ns = (host_ns - slack) / (double)count;
		work->device_ns = device_ns / (double)count;
	}
	if (work->batches == 1 || device_excess < work->device_excess_ns)
		work->device_excess_ns = device_excess;
	return KT_OK;
}

static kt_status warm_up(void *state, size_t count, struct kt_error *err)
{
	return count ? queue(NULL, state, count, err) : KT_OK;
}

static kt_status sample(double *samples, void *state, size_t count, struct kt_error *err)
{
	return queue(samples, state, count, err);
}

/* Fills every set of the problem alike. */
static kt_status prepare(struct kt_engine *e, size_t problem, size_t sets, struct kt_marks marks, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	kt_status status = kt_verify_reset(e, problem, 0, marks, err);
	for (size_t set = 1; !status && set < sets; set++)
		status = e->ops->copy(e->state, e->shift + set * place->stride, e->shift, place->stride, err);
	for (size_t set = 0; set < sets; set++) {
		e->used[set] = e->shift + 1;
		kt_place_set(e->at[set], e->bytes, e, problem, set);
	}
	return status;
}

static kt_status settle(struct kt_engine *e, struct kt_error *err)
{
	return e->ops->settle ? e->ops->settle(e->state, err) : KT_OK;
}

/* As `sample`, and remembers what it found. */
static kt_status sample_nothing(double *samples, void *state, size_t count, struct kt_error *err)
{
	struct kt_engine *e = ((struct work *)state)->e;
	kt_status status = sample(samples, state, count, err);
	for (size_t i = 0; !status && i < count; i++) {
		const size_t at = e->launch_next;
		e->launches[at] = samples[i];
		e->launch_next = (at + 1) % KT_LAUNCHES;
		e->launch_count = at < e->launch_count ? e->launch_count : at + 1;
	}
	return status;
}

/* In a comparison, before each turn but the first. */
static kt_status restart(void *state, struct kt_error *err)
{
	struct work *work = state;
	kt_status status = settle(work->e, err);
	if (status || !work->e->places[work->problem].has_inout)
		return status;
	return prepare(work->e, work->problem, work->sets, kt_verify_marks(work->e), err);
}

/* ---- the device around a measurement */

static void look_at_device(struct kt_run_conditions *c, int when, struct kt_engine *e, int64_t companions)
{
	const struct kt_health *health = &e->health;
	const double now = kt_now_s();
	const bool holds = e->health_s > 0 && now - e->health_s < e->health_age_s && !(health->reasons & THROTTLE_REASONS);
	if (!holds) {
		const bool known = e->ops->health && e->ops->health(&e->health, e->state);
		kt_engine_spent(e, KT_PHASE_DEVICE, now);
		if (!known)
			return;
		e->health_s = now;
	}
	c->known = true;
	c->sm_mhz[when] = health->sm_mhz;
	c->memory_mhz[when] = health->memory_mhz;
	c->celsius[when] = health->celsius;
	c->watts[when] = health->watts;
	c->reasons = (when ? c->reasons : 0) | health->reasons;
	c->throttled = (c->reasons & THROTTLE_REASONS) != 0;
	if (health->processes > 1 + companions && !e->told_processes) {
		e->told_processes = true;
		e->warning = "another process uses the device: times may be of no use";
	}
}

/* Should this measurement be thrown away? Then the device gets a pause. */
static bool try_again(struct kt_run_conditions *c)
{
	struct timespec pause = {0, THROTTLE_PAUSE_NS};
	if (!c->throttled || c->repeats == THROTTLE_REPEATS)
		return false;
	c->repeats++;
	(void)nanosleep(&pause, NULL);
	return true;
}

/* ---- one candidate */

/* Launches from this set on, one each. */
static kt_status launch_on(struct kt_engine *e, const struct kt_launchable *what, size_t problem, size_t set,
                           size_t count, struct kt_error *err)
{
	struct rotation rotation = {set};
	struct work work = {.e = e, .what = what, .problem = problem, .sets = set + count, .rotation = &rotation};
	return warm_up(&work, count, err);
}

kt_status kt_timing_last_pass(size_t *sets, struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                              const struct kt_timed *timed, struct kt_error *err)
{
	const double fit = timed->median_ns > 0 ? LAST_PASS_NS / timed->median_ns : 0;
	*sets = timed->used < 2 && timed->ready > 1 ? 2 : timed->used;
	const size_t others = *sets - 1, wanted = others && others < LEFT_MOST ? LEFT_MOST : others;
	const size_t count = fit < 1 && wanted ? 1 : fit < (double)wanted ? (size_t)fit : wanted;
	const uint64_t poison = e->places[problem].first_marks.poison;
	TRY(kt_verify_poison_outputs(e, problem, 1, count < others ? count : others, poison, err));
	for (size_t done = 0; done < count; done += others)
		TRY(launch_on(e, what, problem, 1, count - done < others ? count - done : others, err));
	TRY(kt_verify_poison_outputs(e, problem, 0, 1, poison, err));
	return launch_on(e, what, problem, 0, 1, err);
}

/* Where the device's clock leaves work out, the host's counts. */
static const char *judge_clocks(struct kt_timing *timing, const struct work *work, struct kt_arena *arena)
{
	if (work->host_excess_ns <= 0 && work->device_excess_ns <= 0)
		return NULL;
	double factor = work->device_ns > 0 ? work->host_ns / work->device_ns : 1;
	if (work->host_excess_ns > 0 && factor > 1) {
		timing->median_ns *= factor;
		timing->mean_ns *= factor;
		timing->min_ns *= factor;
		timing->deviation_ns *= factor;
	}
	return kt_arena_printf(arena, "a launch takes %.3f ms by the device's clock and %.3f ms by the host's",
	                       work->device_ns * 1e-6, work->host_ns * 1e-6);
}

/* Once it has nothing to complain of; *detail reports when the clocks disagree. */
static kt_status measure(struct kt_timing *out, struct kt_run_conditions *conditions, const char **detail,
                         const struct work *first, struct kt_arena *arena, const struct kt_run_effort *effort,
                         double give_up_ns, struct kt_error *err)
{
	for (int attempt = 0;; attempt++) {
		struct work work = *first;
		struct kt_sampler sampler = {&work, KT_BATCH, warm_up, sample, NULL, 0};
		look_at_device(conditions, 0, work.e, effort->companions);
		/* One launch that is not timed: what a driver does only once is done then. A first look has it in its first one. */
		TRY(effort->screen ? KT_OK : warm_up(&work, 1, err));
		TRY(kt_measure(out, &sampler, effort, work.e->places[work.problem].original_ns, give_up_ns, err));
		look_at_device(conditions, 1, work.e, effort->companions);
		bool odd = work.host_excess_ns > 0 || work.device_excess_ns > 0;
		if (try_again(conditions) || (odd && attempt < CLOCK_REPEATS))
			continue;
		*detail = judge_clocks(out, &work, arena);
		return KT_OK;
	}
}

/*
 * A first look goes through no more sets than it has launches, and stays on one where that is so large that a launch
 * finds nothing of what it begins with in the cache.
 */
static size_t sets_of(const struct kt_engine *e, const struct kt_place *place, const struct kt_run_effort *effort)
{
	const size_t launches = (size_t)effort->repetitions + 1;
	if (!effort->screen)
		return place->sets;
	if (e->cache_bytes && place->touched > LARGE_SETS * e->cache_bytes)
		return 1;
	return place->sets < launches ? place->sets : launches;
}

kt_status kt_timing_problem(struct kt_timing *out, struct kt_run_conditions *conditions, const char **detail,
                            struct kt_timed *timed, struct kt_engine *e, struct kt_arena *arena,
                            const struct kt_launchable *what, size_t problem, const struct kt_run_effort *effort,
                            double give_up_ns, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	struct rotation rotation = {0};
	const size_t sets = sets_of(e, place, effort);
	size_t looks = 0, all = effort->hot ? 1 : sets, ready = effort->hot && sets > 2 ? 2 : sets;
	/* Where the host reads, a look takes longer than a launch; where outputs build on each other none is alike. */
	const bool look = !e->host_reads && !place->has_inout && !place->nondeterministic && !effort->screen;
	const struct work work = {.e = e, .what = what, .problem = problem, .sets = all, .rotation = &rotation,
	                          .hot = effort->hot, .looks = look ? &looks : NULL};
	*conditions = (struct kt_run_conditions){0};
	/* Before a first look it was done once, and each of its batches sweeps the cache. */
	TRY(effort->screen ? KT_OK : settle(e, err));
	TRY(prepare(e, problem, ready, effort->screen ? kt_verify_marks(e) : place->first_marks, err));
	TRY(e->ops->clear(e->state, err));
	TRY(measure(out, conditions, detail, &work, arena, effort, give_up_ns, err));
	if (look)
		TRY(kt_verify_fetch(e, err));
	/* A slow candidate does not come to all of them. */
	timed->used = rotation.launches < all ? rotation.launches : all;
	timed->ready = ready;
	timed->median_ns = out->median_ns;
	timed->alike = !look || kt_after_alike(e, problem, looks);
	return out->median_ns > 0 ? KT_OK : kt_fail(err, KT_ERR_CHILD, "the device measures no time");
}

/* ---- several */

static kt_status compare_problem(struct kt_timing *timings, struct kt_run_conditions *conditions, struct kt_engine *e,
                                 struct kt_arena *arena, const struct kt_launchable *what, size_t count,
                                 size_t baseline, size_t problem, const struct kt_run_effort *effort,
                                 struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	size_t sets = effort->hot ? 1 : place->sets, running = 0, first = KT_NO_BASELINE;
	struct rotation rotation = {0}, turns = {0};
	const double short_ns = e->empty_shapes ? SHORT_NS : 0;
	struct work *works = kt_arena_array(arena, count, sizeof *works);
	struct work nothing = {.e = e, .rotation = &turns, .sets = 1, .hot = effort->hot, .nothing = true};
	struct kt_sampler *samplers = kt_arena_array(arena, count + 1, sizeof *samplers);
	struct kt_timing *found = kt_arena_array(arena, count + 1, sizeof *found);
	size_t *owner = kt_arena_array(arena, count, sizeof *owner);
	if (!works || !samplers || !found || !owner)
		return kt_no_memory(err);
	/* Another seed means other addresses as well. */
	e->shift = (size_t)(effort->seed % KT_SHIFTS) * e->align;
	kt_status status = prepare(e, problem, sets, kt_verify_marks(e), err);
	for (size_t c = 0; !status && c < count; c++) {
		if (what[c].skip && what[c].skip[problem])
			continue;
		works[running] = (struct work){.e = e, .what = &what[c], .problem = problem, .sets = sets,
		                               .rotation = &rotation, .hot = effort->hot};
		samplers[running] = (struct kt_sampler){&works[running], KT_BATCH, warm_up, sample, restart, short_ns};
		first = c == baseline ? running : first;
		status = warm_up(&works[running], 1, err);
		owner[running++] = c;
	}
	samplers[running] = (struct kt_sampler){&nothing, KT_BATCH, warm_up, sample_nothing, NULL, short_ns};
	const size_t all = running + (e->empty_shapes != 0);
	do {
		look_at_device(conditions, 0, e, effort->companions);
		THEN(status, kt_measure_rounds(found, 1, arena, samplers, all, first, effort, place->original_ns, err));
		look_at_device(conditions, 1, e, effort->companions);
	} while (!status && try_again(conditions));
	for (size_t i = 0; !status && i < running; i++)
		timings[owner[i] * e->region->problem_count + problem] = found[i];
	e->shift = 0;
	return status ? status : kt_verify_wipe(e, problem, err);
}

kt_status kt_timing_compare(struct kt_timing *timings, struct kt_run_conditions *conditions, struct kt_engine *e,
                            struct kt_arena *arena, const struct kt_launchable *what, size_t count, size_t baseline,
                            const struct kt_run_effort *effort, struct kt_error *err)
{
	e->launch_count = e->launch_next = 0;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		if (e->places[p].usable && !e->region->problems[p].check)
			TRY(compare_problem(timings, &conditions[p], e, arena, what, count, baseline, p, effort, err));
	}
	return KT_OK;
}

/* ---- energy */

static bool read_counter(uint64_t *millijoules, void *state)
{
	struct kt_engine *e = ((struct work *)state)->e;
	return e->ops->energy && e->ops->energy(millijoules, e->state);
}

/* Launches that wait for each other and not for the host, as in a program that has more to do. */
static kt_status launch_many(void *state, size_t count, struct kt_error *err)
{
	struct work *work = state;
	struct kt_engine *e = work->e;
	for (size_t i = 0; i < count; i++) {
		const size_t set = work->rotation->launches++ % work->sets;
		const struct kt_run_launch launch = kt_engine_launch(e, work->what, work->problem, e->at[set], e->bytes);
		TRY(e->ops->run(NULL, e->state, &launch, e->limit_s, err));
	}
	return KT_OK;
}

static kt_status wait_for_all(void *state, struct kt_error *err)
{
	struct kt_engine *e = ((struct work *)state)->e;
	return e->ops->wait(e->state, e->limit_s, err);
}

static double clock_s(void *state)
{
	(void)state;
	return kt_now_s();
}

kt_status kt_timing_energy(struct kt_run_energy *energies, struct kt_engine *e, const struct kt_launchable *what,
                           size_t count, double most_s, struct kt_error *err)
{
	for (size_t p = 0; p < e->region->problem_count; p++) {
		const struct kt_place *place = &e->places[p];
		if (!place->usable || e->region->problems[p].check)
			continue;
		for (size_t c = 0; c < count; c++) {
			struct rotation rotation = {0};
			struct work work = {.e = e, .what = &what[c], .problem = p, .sets = place->sets, .rotation = &rotation};
			const struct kt_energy_source source = {&work, read_counter, launch_many, wait_for_all, clock_s};
			if (what[c].skip && what[c].skip[p])
				continue;
			TRY(prepare(e, p, place->sets, kt_verify_marks(e), err));
			TRY(warm_up(&work, 1, err));
			TRY(kt_energy_measure(&energies[c * e->region->problem_count + p], &source, place->original_ns,
					      most_s, err));
		}
		TRY(kt_verify_wipe(e, p, err));
	}
	return KT_OK;
}

/* ---- an empty kernel */

kt_status kt_timing_launches(struct kt_engine *e, struct kt_error *err)
{
	struct rotation rotation = {0};
	struct work work = {.e = e, .rotation = &rotation, .sets = 1, .nothing = true};
	double samples[KT_LAUNCH_BATCH];
	kt_status status = KT_OK;
	if (!e->empty_shapes)
		return KT_OK;
	const bool known = e->launch_count > 0;
	/* What a first launch costs is no part of what others do. */
	if (!known)
		status = warm_up(&work, KT_BATCH, err);
	for (size_t i = 0; !status && i < (known ? LAUNCHES_MORE : LAUNCHES_FIRST); i += KT_LAUNCH_BATCH)
		status = sample_nothing(samples, &work, KT_LAUNCH_BATCH, err);
	/* With nothing between them they are quicker than beside a measurement: they are used until there are such. */
	if (!known)
		e->launch_next = 0;
	return status;
}

double kt_timing_launch_ns(const struct kt_engine *e)
{
	double scratch[KT_LAUNCHES];
	memcpy(scratch, e->launches, e->launch_count * sizeof *scratch);
	return kt_timing_middle_mean(scratch, e->launch_count);
}

/* ---- copies */

/*
 * The time of a copy of these bytes, cold: the best of all shapes, so that one
 * unlucky shape cannot raise the bound. In place, what is written is what was
 * read. median_ns is 0 where the field has no room for it.
 */
static kt_status time_copy(struct kt_timing *out, struct kt_engine *e, uint64_t read_bytes, uint64_t write_bytes,
                           bool in_place, const struct kt_run_effort *effort, struct kt_error *err)
{
	static struct work work; /* the runner has one thread */
	struct kt_run_effort less = *effort;
	struct rotation rotation = {0};
	*out = (struct kt_timing){0};
	if (read_bytes + write_bytes < 2 || read_bytes + write_bytes > e->field_bytes)
		return KT_OK;
	if (e->equal_copies)
		read_bytes = write_bytes = (read_bytes + write_bytes) / 2;
	size_t written = (size_t)((write_bytes + e->align - 1) / e->align * e->align);
	size_t read = (size_t)((read_bytes + e->align - 1) / e->align * e->align);
	size_t stride = (in_place ? 0 : written) + read + e->align;
	work = (struct work){.e = e, .rotation = &rotation, .copied = {(size_t)write_bytes, (size_t)read_bytes}};
	work.sets = e->field_bytes / stride < KT_SETS ? e->field_bytes / stride : KT_SETS;
	for (size_t set = 0; set < work.sets; set++) {
		work.copies[set][0] = set * stride;
		work.copies[set][1] = set * stride + (in_place ? 0 : written);
	}
	if (less.repetitions > FLOOR_REPETITIONS)
		less.repetitions = FLOOR_REPETITIONS;
	for (work.shape = 0; work.sets && work.shape < e->shapes; work.shape++) {
		struct kt_sampler sampler = {&work, KT_BATCH, warm_up, sample, NULL, 0};
		struct kt_timing timing;
		TRY(kt_measure(&timing, &sampler, &less, 0, 0, err));
		if ((out->median_ns <= 0 || timing.median_ns < out->median_ns))
			*out = timing;
	}
	return KT_OK;
}

/* Does the region write nothing but what it has read? */
static bool writes_in_place(const struct kt_run_region *region)
{
	size_t outputs = 0, in_place = 0;
	for (size_t b = 0; b < region->buffer_count; b++) {
		outputs += kt_is_output(region->buffers[b].direction);
		in_place += region->buffers[b].direction == KT_INOUT;
	}
	return outputs > 0 && in_place == outputs;
}

kt_status kt_timing_copy(double *copy_ns, struct kt_engine *e, const struct kt_run_effort *effort,
                          struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; !status && p < e->region->problem_count; p++) {
		const struct kt_run_problem *problem = &e->region->problems[p];
		struct kt_timing timing = {0};
		if (e->places[p].usable && !problem->check && problem->read_bytes >= 0 && problem->write_bytes >= 0)
			status = time_copy(&timing, e, (uint64_t)problem->read_bytes, (uint64_t)problem->write_bytes,
			                   writes_in_place(e->region) && !e->equal_copies, effort, err);
		copy_ns[p] = timing.median_ns;
	}
	return status;
}

kt_status kt_timing_copy_curves(struct kt_run_curve *curves, struct kt_engine *e, const struct kt_run_effort *effort,
                               uint64_t largest_bytes, struct kt_error *err)
{
	/* Parts of what is moved that are read and written. */
	static const struct {
		const char *name;
		unsigned reads, writes;
		bool in_place;
	} patterns[KT_RUN_PATTERNS] = {{"read 1 write 1", 1, 1, false},
	                               {"read 2 write 1", 2, 1, false},
	                               {"read 2 write 2 in place", 2, 2, true}};
	size_t budget = 0;
	TRY(e->ops->budget(&budget, e->state, err));
	size_t wanted = (size_t)fmin((double)budget, FLOOR_SHARE * (double)largest_bytes);
	wanted = wanted > 4 * e->cache_bytes ? wanted : 4 * e->cache_bytes;
	TRY(kt_place_reserve(e, wanted < budget ? wanted : budget, err));
	for (size_t i = 0; i < KT_RUN_PATTERNS; i++) {
		struct kt_run_curve *curve = &curves[i];
		*curve = (struct kt_run_curve){.name = patterns[i].name};
		if (e->equal_copies && (patterns[i].in_place || patterns[i].reads != patterns[i].writes))
			continue;
		for (uint64_t bytes = LEAST_POINT; bytes <= largest_bytes && curve->count < KT_RUN_POINTS;
		     bytes *= 2) {
			struct kt_timing timing;
			/* Whole vectors of 16 bytes, of either. */
			uint64_t written = bytes * patterns[i].writes / (patterns[i].reads + patterns[i].writes) / 16 * 16;
			TRY(time_copy(&timing, e, bytes - written, written, patterns[i].in_place, effort, err));
			if (timing.median_ns > 0)
				curve->points[curve->count++] = (struct kt_curve_point){(int64_t)bytes, timing.median_ns, timing.deviation_ns};
			TRY(kt_timing_launches(e, err));
		}
	}
	return KT_OK;
}
