#include "cuda/session.h"

static kt_status cuda_support(void *state, const char *cubin, struct kt_error *err)
{
	return kt_support_load(state, cubin, err);
}

static kt_status cuda_region(struct kt_run_prepared *prepared, struct kt_run_failure *failure, void *state,
                             struct kt_arena *arena, const struct kt_run_region *region, struct kt_error *err)
{
	struct kt_session *s = state;
	s->region = NULL;
	s->limit_s = region->limit_s;
	s->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	if (!s->support)
		return kt_fail(err, KT_ERR_INVALID, "no support cubin was given");
	if (!region->cubin || !region->function)
		return kt_fail(err, KT_ERR_INVALID, "the original has no cubin");
	for (size_t i = 0; i < region->argument_count; i++) {
		if (region->arguments[i].is_local)
			return kt_fail(err, KT_ERR_INVALID, "argument %zu is local memory, which CUDA kernels do not take", i);
	}
	kt_cu_handle function = NULL;
	struct kt_geometry *geometry = kt_arena_array(arena, region->problem_count, sizeof *geometry);
	if (!geometry)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	for (size_t p = 0; p < region->problem_count; p++)
		geometry[p] = region->problems[p].geometry;
	kt_status status = kt_session_function(&function, s, region->cubin, region->function, true, err);
	if (!status)
		status = kt_layout_region(prepared, s, arena, region, err);
	s->original = (struct kt_launchable){function, geometry};
	if (!status)
		status = kt_session_prepare(s, &s->original, err);
	if (!status)
		status = kt_verify_references(prepared, s, arena, err);
	failure->fatal = s->fault.fatal;
	if (status)
		s->region = NULL;
	return status;
}

static void read_attributes(struct kt_run_outcome *out, struct kt_session *s, const struct kt_launchable *what)
{
	int registers = 0, local = 0, shared = 0, blocks = 0, least = -1;
	(void)s->cu.function_get(&registers, KT_CU_FUNC_REGISTERS, what->function);
	(void)s->cu.function_get(&local, KT_CU_FUNC_LOCAL_BYTES, what->function);
	(void)s->cu.function_get(&shared, KT_CU_FUNC_SHARED_BYTES, what->function);
	for (size_t p = 0; p < s->region->problem_count; p++) {
		const struct kt_geometry *g = &what->geometry[p];
		if (!s->places[p].usable ||
		    s->cu.occupancy(&blocks, what->function, (int)(g->block[0] * g->block[1] * g->block[2]),
		                    (size_t)g->shared_bytes))
			continue;
		if (least < 0 || blocks < least)
			least = blocks;
	}
	out->registers = registers;
	out->local_bytes = local;
	out->shared_bytes = shared;
	out->occupancy_blocks = least < 0 ? 0 : least;
}

static kt_status launchable(struct kt_launchable *out, struct kt_session *s, const struct kt_run_candidate *candidate,
                            struct kt_error *err)
{
	if (!candidate->cubin && *candidate->configuration) {
		s->fault = (struct kt_fault){KT_VERDICT_NO_COMPILE, false};
		return kt_fail(err, KT_ERR_INVALID, "the candidate has no cubin");
	}
	if (!candidate->cubin) {
		*out = s->original;
		return KT_OK;
	}
	out->geometry = candidate->geometry;
	kt_status status = kt_session_function(&out->function, s, candidate->cubin, candidate->function, false, err);
	return status ? status : kt_session_prepare(s, out, err);
}

/* The candidate's end on this problem; verdicts of the problems before stay. */
static void mark(struct kt_run_outcome *out, struct kt_session *s, struct kt_arena *arena, size_t problem,
                 const struct kt_error *err)
{
	out->verdict = out->trials[problem].verdict = s->fault.verdict;
	out->trials[problem].detail = kt_arena_strdup(arena, err->message);
	out->fatal = s->fault.fatal;
}

static kt_status verify_all(struct kt_run_outcome *out, struct kt_session *s, struct kt_arena *arena,
                            const struct kt_launchable *what, struct kt_error *err)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		struct kt_trial *trial = &out->trials[p];
		if (!s->places[p].usable)
			continue;
		kt_status status = kt_verify_problem(&trial->verdict, &trial->detail, s, arena, what, p, err);
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

static kt_status time_all(struct kt_run_outcome *out, struct kt_session *s, struct kt_arena *arena,
                          const struct kt_launchable *what, const struct kt_run_candidate *candidate,
                          const struct kt_run_effort *effort, struct kt_error *err)
{
	for (size_t p = 0; p < s->region->problem_count; p++) {
		struct kt_trial *trial = &out->trials[p];
		size_t last = 0;
		if (!s->places[p].usable)
			continue;
		kt_status status = kt_timing_prepare(s, p, err);
		if (!status)
			status = kt_timing_problem(&trial->timing, &last, s, what, p, effort, candidate->give_up_ns[p],
			                           err);
		if (!status)
			status = kt_verify_after(&trial->verdict, &trial->detail, s, arena, what, p, last, err);
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

static kt_status cuda_try(struct kt_run_outcome *out, void *state, struct kt_arena *arena,
                          const struct kt_run_candidate *candidate, const struct kt_run_effort *effort,
                          struct kt_error *err)
{
	struct kt_session *s = state;
	struct kt_launchable what = {0};
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	s->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	/* A problem the candidate never came to is no statement about it. */
	for (size_t p = 0; p < s->region->problem_count; p++) {
		out->trials[p].verdict = KT_VERDICT_SKIPPED;
		out->trials[p].detail = s->places[p].usable ? "not reached" : "does not fit into the device's memory";
	}
	kt_status status = launchable(&what, s, candidate, err);
	if (status) {
		for (size_t p = 0; p < s->region->problem_count; p++)
			mark(out, s, arena, p, err);
		return KT_OK;
	}
	read_attributes(out, s, &what);
	status = verify_all(out, s, arena, &what, err);
	if (!status && out->verdict == KT_VERDICT_OK)
		status = time_all(out, s, arena, &what, candidate, effort, err);
	for (size_t p = 0; p < s->region->problem_count; p++) {
		out->trials[p].registers = out->registers;
		out->trials[p].local_bytes = out->local_bytes;
		out->trials[p].shared_bytes = out->shared_bytes;
	}
	return status;
}

static kt_status cuda_compare(struct kt_timing *timings, struct kt_run_failure *failure, void *state,
                              struct kt_arena *arena, const struct kt_run_candidate *candidates, size_t count,
                              const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_session *s = state;
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	struct kt_launchable *what = kt_arena_array(arena, count, sizeof *what);
	if (!what)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = KT_OK;
	s->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	for (size_t c = 0; !status && c < count; c++)
		status = launchable(&what[c], s, &candidates[c], err);
	if (!status)
		status = kt_timing_compare(timings, s, arena, what, count, effort, err);
	failure->fatal = s->fault.fatal;
	return status;
}

static kt_status cuda_floor(double *floor_ns, struct kt_run_failure *failure, void *state,
                            const struct kt_run_effort *effort, struct kt_error *err)
{
	struct kt_session *s = state;
	if (!s->region)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	s->fault = (struct kt_fault){KT_VERDICT_CRASHED, false};
	kt_status status = kt_timing_floor(floor_ns, s, effort, err);
	failure->fatal = s->fault.fatal;
	return status;
}

static void cuda_close(void *state)
{
	kt_session_close(state);
}

kt_status kt_cuda_open(struct kt_backend *out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_session *s = NULL;
	kt_status status = kt_session_open(&s, arena, ordinal, err);
	if (status)
		return status;
	*out = (struct kt_backend){
	    .name = "cuda",
	    .wants_support = true,
	    .state = s,
	    .device = &s->device,
	    .support = cuda_support,
	    .region = cuda_region,
	    .try_candidate = cuda_try,
	    .compare = cuda_compare,
	    .floor = cuda_floor,
	    .close = cuda_close,
	};
	return KT_OK;
}
