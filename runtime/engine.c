#include "engine.h"

#include <string.h>

#include "base/proc.h"

/* Moves what the driver's compiler took since it was last asked to its own phase, and returns it. */
static double note_compiled(struct kt_engine *e)
{
	const double compiled_s = e->compiled_s;
	e->spent_s[KT_PHASE_COMPILE] += compiled_s;
	e->compiled_s = 0;
	return compiled_s;
}

void kt_engine_spent(struct kt_engine *e, enum kt_run_phase phase, double since_s)
{
	const double spent_s = kt_now_s() - since_s;
	e->spent_s[phase] += spent_s;
	/* Looks at the device lie within the times of kernels. */
	if (phase == KT_PHASE_DEVICE)
		e->spent_s[KT_PHASE_TIME] -= spent_s;
	else
		e->spent_s[phase] -= note_compiled(e);
}

static struct kt_geometry *geometries_of(struct kt_arena *arena, const struct kt_run_region *region)
{
	struct kt_geometry *geometry = kt_arena_array(arena, region->problem_count, sizeof *geometry);
	for (size_t p = 0; geometry && p < region->problem_count; p++)
		geometry[p] = region->problems[p].geometry;
	return geometry;
}

struct kt_run_launch kt_engine_launch(const struct kt_engine *e, const struct kt_launchable *what, size_t problem,
                                      const kt_at *at, const size_t *bytes)
{
	return (struct kt_run_launch){.function = &what->function,
	                              .geometry = &what->geometry[problem],
	                              .values = e->region->problems[problem].values,
	                              .at = at,
	                              .bytes = bytes,
	                              .arguments = what->arguments,
	                              .argument_count = what->argument_count,
	                              .then = what->then ? what->then[problem] : NULL};
}

/* Can the original be launched everywhere? A check where it cannot is none. */
static kt_status admit_original(struct kt_run_prepared *prepared, size_t *blamed, struct kt_engine *e,
                                struct kt_arena *arena, struct kt_error *err)
{
	for (size_t p = 0; p < e->region->problem_count; p++) {
		struct kt_place *place = &e->places[p];
		if (!place->usable)
			continue;
		kt_status status = kt_chain_admit(e, &e->original, p, err);
		if (!status)
			continue;
		*blamed = p;
		if (!e->region->problems[p].check || e->fault->fatal)
			return kt_fail_prefix(err, "the original on %s", e->region->problems[p].text);
		*blamed = SIZE_MAX;
		place->usable = false;
		place->unusable = kt_arena_printf(arena, "the original itself: %s", err->message);
		prepared[p] = (struct kt_run_prepared){.skipped = true, .detail = place->unusable};
	}
	return KT_OK;
}

static kt_status engine_region(struct kt_run_prepared *prepared, struct kt_run_failure *failure, void *state,
                               struct kt_arena *arena, const struct kt_run_region *region, struct kt_error *err)
{
	struct kt_engine *e = state;
	const char *first = region->step_count ? region->steps[0].function : region->function;
	const double begin_s = kt_now_s();
	e->region = NULL;
	e->limit_s = region->limit_s;
	e->host_s[0] = e->host_s[1] = 0;
	*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	if (!region->cubin || !first)
		return kt_fail(err, KT_ERR_INVALID, "the original has no program");
	if (region->step_count && !e->sequences)
		return kt_fail(err, KT_ERR_INVALID, "the original is several kernels, which this backend cannot run as one");
	for (size_t b = 0; b < region->buffer_count; b++) {
		if (region->buffers[b].symbol && !e->symbols)
			return kt_fail(err, KT_ERR_INVALID, "%s is a device symbol, which this backend cannot reach",
			               region->buffers[b].name);
	}
	for (size_t i = 0; i < region->argument_count; i++) {
		if (region->arguments[i].is_local && !e->local_arguments)
			return kt_fail(err, KT_ERR_INVALID, "argument %zu is local memory, which such kernels do not take", i);
	}
	e->original = (struct kt_launchable){.geometry = geometries_of(arena, region),
	                                     .arguments = kt_chain_arguments(arena, region->argument_count),
	                                     .argument_count = region->argument_count};
	if (!e->original.geometry || !e->original.arguments)
		return kt_no_memory(err);
	kt_status status = kt_place_region(prepared, e, arena, region, err);
	THEN(status, e->ops->load(&e->original.function, e->state, region->cubin, region->options, first, true, err));
	if (!status && region->step_count)
		status = kt_chain_steps(e, arena, region, err);
	THEN(status, admit_original(prepared, &failure->problem, e, arena, err));
	if (!status && !region->once)
		status = kt_references(prepared, &failure->problem, e, arena, err);
	kt_engine_spent(e, KT_PHASE_PREPARE, begin_s);
	failure->fatal = e->fault->fatal;
	if (status)
		e->region = NULL;
	return status;
}

/* ---- one candidate */

static bool is_asked(const struct kt_engine *e, const struct kt_launchable *what, size_t problem)
{
	return e->places[problem].usable && !(what->skip && what->skip[problem]);
}

static kt_status load(struct kt_launchable *out, struct kt_engine *e, struct kt_arena *arena,
                      const struct kt_run_candidate *candidate, struct kt_error *err)
{
	*e->fault = (struct kt_fault){KT_VERDICT_NO_COMPILE, false};
	if (!candidate->cubin && *candidate->configuration)
		return kt_fail(err, KT_ERR_INVALID, "the candidate has no program");
	*out = e->original;
	out->skip = candidate->skip;
	if (!candidate->cubin)
		return KT_OK;
	const struct kt_run_region *region = e->prepared_region ? e->prepared_region : e->region;
	out->argument_count = region->argument_count + candidate->temporary_count;
	out->arguments = kt_chain_arguments(arena, out->argument_count);
	out->then = NULL;
	out->geometry = candidate->geometry;
	TRY(out->arguments ? KT_OK : kt_no_memory(err));
	if (candidate->further_count && !e->sequences)
		return kt_fail(err, KT_ERR_INVALID,
			       "the candidate is several kernels, which this backend cannot run as one");
	TRY(e->ops->load(&out->function, e->state, candidate->cubin, candidate->options, candidate->function, false,
			 err));
	if (candidate->further_count) {
		const struct kt_chain chain = {candidate->cubin, candidate->options, candidate->further,
		                               candidate->further_count, candidate->further_geometry, false};
		TRY(kt_chain_load(out, e, arena, &chain, err));
	}
	for (size_t p = 0; p < e->region->problem_count; p++) {
		if (is_asked(e, out, p))
			TRY(kt_chain_admit(e, out, p, err));
	}
	return KT_OK;
}

/* The candidate's end on this problem; verdicts of the problems before stay. */
static void mark(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena, size_t problem,
                 const struct kt_error *err)
{
	out->verdict = out->trials[problem].verdict = e->fault->verdict;
	out->trials[problem].detail = kt_arena_strdup(arena, err->message);
	out->fatal = e->fault->fatal;
}

/* What becomes of a step on one problem: true when the candidate goes on. */
static bool goes_on(kt_status *status, struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                    size_t problem, const struct kt_error *err)
{
	if (*status == KT_ERR_CHILD) {
		mark(out, e, arena, problem, err);
		*status = KT_OK;
		return false;
	}
	if (!*status)
		out->verdict = out->trials[problem].verdict;
	return !*status && out->verdict == KT_VERDICT_OK;
}

/*
 * The row of a first look: the first check that is asked, for a check is small and of a size that a kernel may be wrong
 * on; else the smallest problem.
 */
static size_t screened_row(const struct kt_engine *e, const struct kt_launchable *what)
{
	size_t row = SIZE_MAX;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		if (!is_asked(e, what, p))
			continue;
		if (e->region->problems[p].check)
			return p;
		row = row == SIZE_MAX || e->places[p].touched < e->places[row].touched ? p : row;
	}
	return row;
}

/* A first look: one row is run once; what is not looked at counts as right until somebody asks for more. */
static kt_status verify_one(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                            const struct kt_launchable *what, struct kt_error *err)
{
	const size_t row = screened_row(e, what);
	if (row == SIZE_MAX)
		return KT_OK;
	const struct kt_verification v = {e, arena, what, row, &out->trials[row], &out->notes[row]};
	kt_status status = kt_verify_once(&v, err);
	if (!goes_on(&status, out, e, arena, row, err))
		return status;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		if (!is_asked(e, what, p) || e->region->problems[p].check)
			continue;
		out->trials[p].verdict = KT_VERDICT_OK;
		out->trials[p].detail = NULL;
	}
	return KT_OK;
}

static kt_status verify_all(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                            const struct kt_launchable *what, struct kt_error *err)
{
	kt_status status = KT_OK;
	bool first = true;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		const struct kt_verification v = {e, arena, what, p, &out->trials[p], &out->notes[p]};
		if (!is_asked(e, what, p))
			continue;
		/* Whatever a kernel remembers, it does so on the first problem as well. */
		status = kt_verify_problem(&v, first, err);
		first = false;
		if (!goes_on(&status, out, e, arena, p, err))
			break;
	}
	return status;
}

/* A first look: what is so slow on one problem has lost, whatever it takes on the others. */
static bool has_lost(const struct kt_run_candidate *candidate, const struct kt_run_effort *effort, size_t problem,
                     const struct kt_trial *trial)
{
	const double lost_ns = effort->screen && candidate->lost_ns ? candidate->lost_ns[problem] : 0;
	return lost_ns > 0 && trial->timing.median_ns > lost_ns;
}

static kt_status time_all(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                          const struct kt_launchable *what, const struct kt_run_candidate *candidate,
                          const struct kt_run_effort *effort, struct kt_error *err)
{
	kt_status status = KT_OK;
	bool lost = false;
	for (size_t i = 0; i < e->region->problem_count; i++) {
		const size_t p = effort->screen && candidate->order ? candidate->order[i] : i;
		struct kt_trial *trial = &out->trials[p];
		const struct kt_verification v = {e, arena, what, p, trial, &out->notes[p]};
		const char *clocks = NULL;
		struct kt_timed timed = {0};
		if (!is_asked(e, what, p) || e->region->problems[p].check)
			continue;
		if (lost) {
			trial->verdict = KT_VERDICT_SKIPPED;
			trial->detail = KT_TRIAL_LOST;
			continue;
		}
		status = kt_timing_problem(&trial->timing, &out->notes[p].conditions, &clocks, &timed, e, arena, what, p,
		                           effort, candidate->give_up_ns[p], err);
		if (!status)
			status = effort->screen ? kt_verify_wipe(e, p, err) : kt_verify_after(&v, &timed, err);
		if (!status && !trial->detail)
			trial->detail = clocks;
		if (!goes_on(&status, out, e, arena, p, err))
			break;
		lost = has_lost(candidate, effort, p, trial);
	}
	return status;
}

/* What a tool watches: a separate allocation per buffer, one launch, no comparison. */
static kt_status run_once(struct kt_engine *e, const struct kt_launchable *what, size_t problem, struct kt_error *err)
{
	const struct kt_place *place = &e->places[problem];
	size_t bytes[KT_RUN_BUFFERS], lone[KT_RUN_BUFFERS];
	kt_at at[KT_RUN_BUFFERS];
	kt_place_set(at, bytes, e, problem, 0);
	const struct kt_run_launch launch = kt_engine_launch(e, what, problem, at, bytes);
	for (size_t b = 0; b < e->region->buffer_count; b++)
		lone[b] = place->spans[b].leader == b ? bytes[b] : 0;
	TRY(e->ops->lone(e->state, lone, e->region->buffer_count, err));
	/* The results are not compared; a tool sees reads of results that were not written. */
	TRY(e->ops->clear(e->state, err));
	for (size_t b = 0; b < e->region->buffer_count; b++) {
		const struct kt_span *span = &place->spans[b];
		if (span->leader == b && kt_is_filled(span->direction) && span->bytes)
			TRY(kt_parts_fill(e, b, at[b], span->data, err));
	}
	TRY(kt_verify_fetch(e, err));
	return e->ops->run(NULL, e->state, &launch, e->limit_s, err);
}

static kt_status once_all(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                          const struct kt_launchable *what, struct kt_error *err)
{
	kt_status status = KT_OK;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		if (!is_asked(e, what, p))
			continue;
		out->trials[p].verdict = KT_VERDICT_OK;
		out->trials[p].detail = NULL;
		status = run_once(e, what, p, err);
		if (!goes_on(&status, out, e, arena, p, err))
			break;
	}
	return status;
}

static void raise_to(int64_t *value, int64_t other)
{
	*value = other > *value ? other : *value;
}

/* Of several kernels each figure is that of the one that needs most. */
static void read_attributes(struct kt_run_outcome *out, struct kt_engine *e, const struct kt_launchable *what)
{
	int64_t least = -1;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		const struct kt_run_launch first = {.function = &what->function, .geometry = &what->geometry[p],
		                                    .then = what->then ? what->then[p] : NULL};
		for (const struct kt_run_launch *next = &first; next; next = next->then) {
			int64_t blocks = is_asked(e, what, p) ? e->ops->occupancy(e->state, next->function, next->geometry) : -1;
			if (blocks >= 0 && (least < 0 || blocks < least))
				least = blocks;
			raise_to(&out->registers, next->function->registers);
			raise_to(&out->local_bytes, next->function->local_bytes);
			raise_to(&out->shared_bytes, next->function->shared_bytes);
		}
	}
	out->occupancy_blocks = least < 0 ? 0 : least;
	for (size_t p = 0; p < e->region->problem_count; p++) {
		out->trials[p].registers = out->registers;
		out->trials[p].local_bytes = out->local_bytes;
		out->trials[p].shared_bytes = out->shared_bytes;
	}
}

static kt_status try_loaded(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                            const struct kt_launchable *what, const struct kt_run_candidate *candidate,
                            const struct kt_run_effort *effort, struct kt_error *err)
{
	kt_status status = KT_OK;
	if (e->ops->settle)
		status = e->ops->settle(e->state, err);
	if (!status && e->region->once)
		return once_all(out, e, arena, what, err);
	const double verify_s = kt_now_s();
	THEN(status, effort->screen ? verify_one(out, e, arena, what, err) : verify_all(out, e, arena, what, err));
	kt_engine_spent(e, KT_PHASE_VERIFY, verify_s);
	const double time_s = kt_now_s();
	if (!status && out->verdict == KT_VERDICT_OK && (!effort->screen || !e->launch_count))
		status = kt_timing_launches(e, err);
	if (!status && out->verdict == KT_VERDICT_OK)
		status = time_all(out, e, arena, what, candidate, effort, err);
	kt_engine_spent(e, KT_PHASE_TIME, time_s);
	return status;
}

/* What no clause names is not looked at run by run: afterwards it is as it was, or the candidate is wrong. */
static kt_status look_at_constants(struct kt_run_outcome *out, struct kt_engine *e, struct kt_arena *arena,
                                   const struct kt_launchable *what, struct kt_error *err)
{
	const char *name = NULL;
	size_t p = 0;
	kt_status status = e->ops->changed(&name, e->state, err);
	while (p < e->region->problem_count && !is_asked(e, what, p))
		p++;
	if (status || !name || out->verdict != KT_VERDICT_OK || p == e->region->problem_count)
		return status;
	out->verdict = out->trials[p].verdict = KT_VERDICT_WRONG_ANSWER;
	out->trials[p].detail = kt_arena_printf(arena, "constant %s was changed", name);
	return KT_OK;
}

static kt_status engine_try(struct kt_run_outcome *out, void *state, struct kt_arena *arena,
                            const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
                            struct kt_error *err)
{
	struct kt_engine *e = state;
	struct kt_launchable what = {0};
	const double begin_s = kt_now_s();
	if (!e->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	kt_status status = kt_temporaries_enter(e, arena, candidate, 1, err);
	/* A problem the candidate never came to is no statement about it. */
	for (size_t p = 0; p < e->region->problem_count; p++) {
		const struct kt_place *place = &e->places[p];
		out->trials[p].verdict = KT_VERDICT_SKIPPED;
		out->trials[p].detail = candidate->skip[p] ? "not asked" : place->usable ? "not reached" : place->unusable;
	}
	THEN(status, load(&what, e, arena, candidate, err));
	kt_engine_spent(e, KT_PHASE_LOAD, begin_s);
	if (status) {
		for (size_t p = 0; p < e->region->problem_count; p++) {
			if (!candidate->skip[p])
				mark(out, e, arena, p, err);
		}
		out->verdict = e->fault->verdict;
		status = KT_OK;
	} else {
		*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
		const bool watched = e->ops->remember && e->region->constant_count && !e->region->once;
		read_attributes(out, e, &what);
		if (watched)
			status = e->ops->remember(e->state, &what.function, err);
		THEN(status, try_loaded(out, e, arena, &what, candidate, effort, err));
		if (!status && watched && !e->fault->fatal)
			status = look_at_constants(out, e, arena, &what, err);
	}
	/* What is still to be wiped is wiped when the device is others' again. */
	if (!status && !e->fault->fatal)
		status = kt_verify_wait(e, err);
	for (size_t p = 0; status == KT_ERR_CHILD && p < e->region->problem_count; p++) {
		if (is_asked(e, &what, p))
			mark(out, e, arena, p, err);
	}
	status = status == KT_ERR_CHILD ? KT_OK : status;
	kt_temporaries_leave(e);
	/* After a fault the driver may hold the kernel, and its locks, for ever. */
	if (!e->fault->fatal)
		e->ops->release(e->state);
	return status;
}

/* ---- several, and copies */

/* Launches that were timed have ended, and what they were given is released. */
static kt_status end_measuring(struct kt_engine *e, struct kt_run_failure *failure, double begin_s, kt_status status,
                               struct kt_error *err)
{
	THEN(status, kt_verify_wait(e, err));
	kt_engine_spent(e, KT_PHASE_TIME, begin_s);
	failure->fatal = e->fault->fatal;
	kt_temporaries_leave(e);
	if (!e->fault->fatal)
		e->ops->release(e->state);
	return status;
}

static kt_status engine_compare(struct kt_timing *timings, struct kt_run_conditions *conditions,
                                struct kt_run_failure *failure, void *state, struct kt_arena *arena,
                                const struct kt_run_candidate *candidates, size_t count,
                                const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_engine *e = state;
	size_t baseline = SIZE_MAX;
	const double load_s = kt_now_s();
	if (!e->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	struct kt_launchable *what;
	NEED(what = kt_arena_array(arena, count, sizeof *what), kt_no_memory(err));
	kt_status status = kt_temporaries_enter(e, arena, candidates, count, err);
	for (size_t c = 0; !status && c < count; c++) {
		status = load(&what[c], e, arena, &candidates[c], err);
		if (!candidates[c].cubin && baseline == SIZE_MAX)
			baseline = c;
	}
	if (!status)
		*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	kt_engine_spent(e, KT_PHASE_LOAD, load_s);
	const double begin_s = kt_now_s();
	THEN(status, kt_timing_compare(timings, conditions, e, arena, what, count, baseline, effort, err));
	return end_measuring(e, failure, begin_s, status, err);
}

static kt_status engine_energy(struct kt_run_energy *energies, struct kt_run_failure *failure, void *state,
                               struct kt_arena *arena, const struct kt_run_candidate *candidates, size_t count,
                               double most_s, struct kt_error *err)
{
	struct kt_engine *e = state;
	if (!e->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	struct kt_launchable *what;
	NEED(what = kt_arena_array(arena, count, sizeof *what), kt_no_memory(err));
	kt_status status = kt_temporaries_enter(e, arena, candidates, count, err);
	for (size_t c = 0; !status && c < count; c++)
		status = load(&what[c], e, arena, &candidates[c], err);
	if (!status)
		*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	const double begin_s = kt_now_s();
	THEN(status, kt_timing_energy(energies, e, what, count, most_s, err));
	return end_measuring(e, failure, begin_s, status, err);
}

static kt_status engine_copy(double *copy_ns, struct kt_run_failure *failure, void *state,
                              const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_engine *e = state;
	if (!e->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	const double begin_s = kt_now_s();
	kt_status status = kt_timing_launches(e, err);
	THEN(status, kt_timing_copy(copy_ns, e, effort, err));
	kt_engine_spent(e, KT_PHASE_TIME, begin_s);
	failure->fatal = e->fault->fatal;
	return status;
}

static kt_status engine_copy_curves(struct kt_run_curve *curves, struct kt_run_failure *failure, void *state,
                                   const struct kt_run_effort *effort, uint64_t largest_bytes, struct kt_error *err)
{
	struct kt_engine *e = state;
	*e->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	kt_status status = kt_timing_copy_curves(curves, e, effort, largest_bytes, err);
	failure->fatal = e->fault->fatal;
	return status;
}

static double engine_launch_ns(void *state)
{
	return kt_timing_launch_ns(state);
}

static void engine_spent(double out[KT_RUN_PHASES], void *state)
{
	struct kt_engine *e = state;
	memcpy(out, e->spent_s, sizeof e->spent_s);
	memset(e->spent_s, 0, sizeof e->spent_s);
}

static const char *engine_warning(void *state)
{
	struct kt_engine *e = state;
	const char *warning = e->warning;
	e->warning = NULL;
	return warning;
}

static void engine_close(void *state)
{
	/* The process ends next and the driver takes back everything; one that a kernel has damaged must not be asked. */
	(void)state;
}

void kt_engine_backend(struct kt_backend *out, struct kt_engine *engine)
{
	engine->limit_s = 10.0;
	out->state = engine;
	out->device = &engine->device;
	out->region = engine_region;
	out->try_candidate = engine_try;
	out->compare = engine_compare;
	uint64_t ignored;
	out->measures_energy = engine->ops->energy && engine->ops->energy(&ignored, engine->state);
	out->energy = engine_energy;
	out->copy = engine_copy;
	out->copy_curves = engine_copy_curves;
	out->launch_ns = engine_launch_ns;
	out->spent = engine_spent;
	out->warning = engine_warning;
	out->close = engine_close;
}
