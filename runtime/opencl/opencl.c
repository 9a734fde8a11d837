#include "opencl/session.h"

/* The runner has no code of its own on this device. */
static kt_status ocl_support(void *state, const char *cubin, struct kt_error *err)
{
	(void)state, (void)cubin, (void)err;
	return KT_OK;
}

/* Kernels of a request end with it; the original's stays as long as its region. */
static void release_kernels(struct kt_ocl *s, size_t from)
{
	for (size_t i = from; i < s->kernel_count; i++)
		(void)s->cl.kernel_release(s->kernels[i]);
	s->kernel_count = s->kernel_count < from ? s->kernel_count : from;
}

static kt_status add_kernel(struct kt_ocl_launchable *out, struct kt_ocl *s, const char *path, const char *options,
                            const char *function, struct kt_error *err)
{
	kt_status status = kt_ocl_kernel(&out->kernel, s, path, options, function, err);
	if (status)
		return status;
	s->kernels[s->kernel_count++] = out->kernel;
	return kt_ocl_prepare(s, out, err);
}

static kt_status ocl_region(struct kt_run_prepared *prepared, struct kt_run_failure *failure, void *state,
                            struct kt_arena *arena, const struct kt_run_region *region, struct kt_error *err)
{
	struct kt_ocl *s = state;
	release_kernels(s, 0);
	s->region = NULL;
	s->limit_s = region->limit_s;
	s->fault = (struct kt_ocl_fault){KT_VERDICT_CRASHED, false};
	if (!region->cubin || !region->function)
		return kt_fail(err, KT_ERR_INVALID, "the original has no program");
	struct kt_geometry *geometry = kt_arena_array(arena, region->problem_count, sizeof *geometry);
	if (!geometry)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	for (size_t p = 0; p < region->problem_count; p++)
		geometry[p] = region->problems[p].geometry;
	s->original = (struct kt_ocl_launchable){.geometry = geometry};
	kt_status status = kt_ocl_layout(prepared, s, arena, region, err);
	if (!status)
		status = add_kernel(&s->original, s, region->cubin, region->options, region->function, err);
	if (!status)
		status = kt_ocl_references(prepared, s, arena, err);
	failure->fatal = s->fault.fatal;
	if (status)
		s->region = NULL;
	return status;
}

static kt_status launchable(struct kt_ocl_launchable *out, struct kt_ocl *s, const struct kt_run_candidate *candidate,
                            struct kt_error *err)
{
	if (!candidate->cubin && *candidate->configuration) {
		s->fault = (struct kt_ocl_fault){KT_VERDICT_NO_COMPILE, false};
		return kt_fail(err, KT_ERR_INVALID, "the candidate has no program");
	}
	if (!candidate->cubin) {
		*out = s->original;
		return KT_OK;
	}
	*out = (struct kt_ocl_launchable){.geometry = candidate->geometry};
	return add_kernel(out, s, candidate->cubin, candidate->options, candidate->function, err);
}

/* The candidate's end on this problem; verdicts of the problems before stay. */
static void mark(struct kt_run_outcome *out, struct kt_ocl *s, struct kt_arena *arena, size_t problem,
                 const struct kt_error *err)
{
	out->verdict = out->trials[problem].verdict = s->fault.verdict;
	out->trials[problem].detail = kt_arena_strdup(arena, err->message);
	out->fatal = s->fault.fatal;
}

static kt_status verify_all(struct kt_run_outcome *out, struct kt_ocl *s, struct kt_arena *arena,
                            const struct kt_ocl_launchable *what, struct kt_error *err)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		struct kt_trial *trial = &out->trials[p];
		if (!s->places[p].usable)
			continue;
		kt_status status = kt_ocl_verify(&trial->verdict, &trial->detail, s, arena, what, p, err);
		if (status == KT_ERR_CHILD) {
			mark(out, s, arena, p, err);
			return KT_OK;
		}
		if (status)
			return status;
		out->verdict = trial->verdict;
		if (out->verdict != KT_VERDICT_OK)
			return KT_OK;
	}
	return KT_OK;
}

static kt_status time_all(struct kt_run_outcome *out, struct kt_ocl *s, struct kt_arena *arena,
                          const struct kt_ocl_launchable *what, const struct kt_run_candidate *candidate,
                          const struct kt_run_effort *effort, struct kt_error *err)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		struct kt_trial *trial = &out->trials[p];
		const char *clocks = NULL;
		size_t last = 0;
		if (!s->places[p].usable)
			continue;
		kt_status status = kt_ocl_time(&trial->timing, &clocks, &last, s, arena, what, p, effort,
		                               candidate->give_up_ns[p], err);
		if (!status)
			status = kt_ocl_verify_after(&trial->verdict, &trial->detail, s, arena, what, p, last, err);
		if (status == KT_ERR_CHILD) {
			mark(out, s, arena, p, err);
			return KT_OK;
		}
		if (status)
			return status;
		if (!trial->detail)
			trial->detail = clocks;
		out->verdict = trial->verdict;
		if (out->verdict != KT_VERDICT_OK)
			return KT_OK;
	}
	return KT_OK;
}

static kt_status try_launchable(struct kt_run_outcome *out, struct kt_ocl *s, struct kt_arena *arena,
                                const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
                                struct kt_error *err)
{
	struct kt_ocl_launchable what = {0};
	kt_status status = launchable(&what, s, candidate, err);
	if (status) {
		for (size_t p = 0; p < s->region->problem_count; p++)
			mark(out, s, arena, p, err);
		return KT_OK;
	}
	out->local_bytes = (int64_t)what.private_bytes;
	out->shared_bytes = (int64_t)what.fixed_local_bytes;
	status = verify_all(out, s, arena, &what, err);
	if (!status && out->verdict == KT_VERDICT_OK)
		status = time_all(out, s, arena, &what, candidate, effort, err);
	return status;
}

static kt_status ocl_try(struct kt_run_outcome *out, void *state, struct kt_arena *arena,
                         const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
                         struct kt_error *err)
{
	struct kt_ocl *s = state;
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	s->fault = (struct kt_ocl_fault){KT_VERDICT_CRASHED, false};
	/* A problem the candidate never came to is no statement about it. */
	for (size_t p = 0; p < s->region->problem_count; p++) {
		out->trials[p].verdict = KT_VERDICT_SKIPPED;
		out->trials[p].detail = s->places[p].usable ? "not reached" : "does not fit into the device's memory";
	}
	kt_status status = try_launchable(out, s, arena, candidate, effort, err);
	for (size_t p = 0; p < s->region->problem_count; p++) {
		out->trials[p].local_bytes = out->local_bytes;
		out->trials[p].shared_bytes = out->shared_bytes;
	}
	/* After a fault the driver may hold the kernel, and its locks, for ever. */
	if (!out->fatal)
		release_kernels(s, 1);
	return status;
}

static kt_status ocl_compare(struct kt_timing *timings, struct kt_run_failure *failure, void *state,
                             struct kt_arena *arena, const struct kt_run_candidate *candidates, size_t count,
                             const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_ocl *s = state;
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	struct kt_ocl_launchable *what = kt_arena_array(arena, count, sizeof *what);
	if (!what)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = KT_OK;
	s->fault = (struct kt_ocl_fault){KT_VERDICT_CRASHED, false};
	for (size_t c = 0; !status && c < count; c++)
		status = launchable(&what[c], s, &candidates[c], err);
	if (!status)
		status = kt_ocl_compare(timings, s, arena, what, count, effort, err);
	failure->fatal = s->fault.fatal;
	if (!s->fault.fatal)
		release_kernels(s, 1);
	return status;
}

static kt_status ocl_floor(double *floor_ns, struct kt_run_failure *failure, void *state,
                           const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_ocl *s = state;
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	s->fault = (struct kt_ocl_fault){KT_VERDICT_CRASHED, false};
	kt_status status = kt_ocl_floor(floor_ns, s, effort, err);
	failure->fatal = s->fault.fatal;
	return status;
}

static void ocl_close(void *state)
{
	/* The process ends next; a driver that a kernel has damaged must not be asked for anything. */
	(void)state;
}

kt_status kt_opencl_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_ocl *s = NULL;
	kt_status status = kt_ocl_open(&s, arena, ordinal, err);
	if (status)
		return status;
	*out = (struct kt_backend){
	    .name = "opencl",
	    .state = s,
	    .device = &s->device,
	    .support = ocl_support,
	    .region = ocl_region,
	    .try_candidate = ocl_try,
	    .compare = ocl_compare,
	    .floor = ocl_floor,
	    .close = ocl_close,
	};
	return KT_OK;
}
