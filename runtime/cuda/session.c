#include "cuda/session.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/proc.h"

#define DEFAULT_DYNAMIC_SHARED_BYTES (48 * 1024)

/* Which verdict a driver error is, for the candidate that caused it. */
static const struct {
	kt_cu_result result;
	enum kt_verdict verdict;
} verdicts[] = {
    {KT_CU_INVALID_VALUE, KT_VERDICT_OVER_LIMIT},   {KT_CU_OUT_OF_MEMORY, KT_VERDICT_OVER_LIMIT},
    {KT_CU_OUT_OF_RESOURCES, KT_VERDICT_OVER_LIMIT}, {KT_CU_TOO_LARGE, KT_VERDICT_OVER_LIMIT},
    {KT_CU_INVALID_IMAGE, KT_VERDICT_NO_COMPILE},   {KT_CU_NO_BINARY, KT_VERDICT_NO_COMPILE},
    {KT_CU_NOT_FOUND, KT_VERDICT_NO_COMPILE},       {KT_CU_ILLEGAL_ADDRESS, KT_VERDICT_OUT_OF_BOUNDS},
    {KT_CU_TIMEOUT, KT_VERDICT_TIMED_OUT},
};

static enum kt_verdict verdict_of(kt_cu_result result)
{
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
		if (verdicts[i].result == result)
			return verdicts[i].verdict;
	}
	return KT_VERDICT_CRASHED;
}

kt_status kt_session_check(struct kt_session *s, kt_cu_result result, const char *what, struct kt_error *err)
{
	if (!result)
		return KT_OK;
	s->fault.verdict = verdict_of(result);
	s->fault.fatal = s->fault.fatal || kt_cu_sticky(result);
	return kt_cu_check(&s->cu, result, what, err);
}

kt_status kt_session_wait(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
{
	double start = kt_now_s();
	for (;;) {
		kt_cu_result result = s->cu.stream_query(s->stream);
		if (result != KT_CU_NOT_READY)
			return kt_session_check(s, result, what, err);
		double waited = kt_now_s() - start;
		if (waited > limit_s) {
			s->fault.verdict = KT_VERDICT_TIMED_OUT;
			s->fault.fatal = true;
			return kt_fail(err, KT_ERR_CHILD, "%s: not done after %.1f s", what, limit_s);
		}
		/* Most waits are short, and a sleep costs more than they do. */
		if (waited > 0.002) {
			struct timespec pause = {0, 50000};
			(void)nanosleep(&pause, NULL);
		}
	}
}

kt_status kt_session_reserve(struct kt_session *s, kt_cu_address *address, size_t *bytes, size_t wanted,
                             const char *what, struct kt_error *err)
{
	if (*bytes >= wanted)
		return KT_OK;
	if (*bytes) {
		kt_status status = kt_session_check(s, s->cu.free(*address), what, err);
		if (status)
			return status;
		*bytes = 0;
	}
	kt_status status = kt_session_check(s, s->cu.alloc(address, wanted), what, err);
	if (!status)
		*bytes = wanted;
	return status;
}

static kt_status open_memory(struct kt_session *s, struct kt_error *err)
{
	size_t results = (KT_RUN_BUFFERS + 1) * sizeof(struct kt_result);
	kt_status status = kt_session_check(s, s->cu.alloc(&s->results_device, results), "allocating results", err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.host_alloc((void **)&s->results, results, 0), "allocating results", err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.host_alloc((void **)&s->gate, sizeof *s->gate, KT_CU_HOST_MAPPED),
	                          "allocating the gate", err);
	if (status)
		return status;
	*s->gate = 0;
	status = kt_session_check(s, s->cu.host_address(&s->gate_device, s->gate, 0), "mapping the gate", err);
	if (status)
		return status;
	for (size_t i = 0; i <= KT_BATCH; i++) {
		status = kt_session_check(s, s->cu.event_create(&s->events[i], 0), "creating an event", err);
		if (status)
			return status;
	}
	/* Twice the cache: one pass leaves nothing of what was there, whatever the replacement policy. */
	size_t l2 = s->device.l2_bytes > 0 ? (size_t)s->device.l2_bytes : (size_t)32 << 20;
	return kt_session_reserve(s, &s->sweep, &s->sweep_bytes, 2 * l2, "allocating the sweep", err);
}

kt_status kt_session_open(struct kt_session **out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_session *s = kt_arena_alloc(arena, sizeof *s);
	if (!s)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	kt_status status = kt_cu_load(&s->cu, err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.device_get(&s->ordinal, ordinal), "cuDeviceGet", err);
	if (status)
		return status;
	status = kt_cuda_device(&s->device, arena, &s->cu, s->ordinal, err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.context_retain(&s->context, s->ordinal), "creating a context", err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.context_set(s->context), "using the context", err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.stream_create(&s->stream, KT_CU_STREAM_NON_BLOCKING), "creating a stream",
	                          err);
	if (status)
		return status;
	s->limit_s = 10.0;
	status = open_memory(s, err);
	if (!status)
		*out = s;
	return status;
}

void kt_session_close(struct kt_session *s)
{
	/* The process ends next, and the driver takes back everything; after a fault nothing else would work. */
	(void)s;
}

static struct kt_module *find_module(struct kt_session *s, const char *path, const struct kt_file_stamp *stamp)
{
	for (size_t i = 0; i < KT_MODULES; i++) {
		struct kt_module *m = &s->modules[i];
		if (m->handle && strcmp(m->path, path) == 0 && kt_fs_stamp_equal(&m->stamp, stamp))
			return m;
	}
	return NULL;
}

static kt_status load_module(struct kt_module **out, struct kt_session *s, const char *path,
                             const struct kt_file_stamp *stamp, struct kt_error *err)
{
	struct kt_module *oldest = NULL;
	for (size_t i = 0; i < KT_MODULES && (!oldest || oldest->handle); i++) {
		struct kt_module *m = &s->modules[i];
		if (m != s->pinned && (!oldest || !m->handle || m->used < oldest->used))
			oldest = m;
	}
	if (strlen(path) >= sizeof oldest->path)
		return kt_fail(err, KT_ERR_INVALID, "the path of a cubin is too long");
	if (oldest->handle) {
		kt_status status = kt_session_check(s, s->cu.module_unload(oldest->handle), "unloading a cubin", err);
		if (status)
			return status;
		oldest->handle = NULL;
	}
	kt_status status = kt_session_check(s, s->cu.module_load(&oldest->handle, path), path, err);
	if (status) {
		oldest->handle = NULL;
		/* Whatever the driver has against the image, the candidate cannot be run. */
		if (!s->fault.fatal)
			s->fault.verdict = KT_VERDICT_NO_COMPILE;
		return status;
	}
	memcpy(oldest->path, path, strlen(path) + 1);
	oldest->stamp = *stamp;
	*out = oldest;
	return KT_OK;
}

kt_status kt_session_function(kt_cu_handle *out, struct kt_session *s, const char *cubin, const char *function,
                              bool pin, struct kt_error *err)
{
	struct kt_file_stamp stamp;
	s->fault = (struct kt_fault){KT_VERDICT_NO_COMPILE, false};
	kt_status status = kt_fs_stamp(&stamp, cubin, err);
	if (status)
		return kt_fail_prefix(err, "cubin");
	struct kt_module *m = find_module(s, cubin, &stamp);
	if (!m) {
		status = load_module(&m, s, cubin, &stamp, err);
		if (status)
			return status;
	}
	m->used = ++s->clock;
	if (pin)
		s->pinned = m;
	return kt_session_check(s, s->cu.module_function(out, m->handle, function), function, err);
}

static kt_status check_geometry(struct kt_session *s, const struct kt_geometry *g, int64_t most_threads,
                                struct kt_error *err)
{
	s->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	int64_t threads = 1;
	for (size_t i = 0; i < 3; i++) {
		if (g->block[i] < 1 || g->block[i] > s->device.max_block[i])
			return kt_fail(err, KT_ERR_INVALID, "block dimension %zu is %lld, allowed are 1 to %lld", i,
			               (long long)g->block[i], (long long)s->device.max_block[i]);
		if (g->grid[i] < 1 || g->grid[i] > s->device.max_grid[i])
			return kt_fail(err, KT_ERR_INVALID, "grid dimension %zu is %lld, allowed are 1 to %lld", i,
			               (long long)g->grid[i], (long long)s->device.max_grid[i]);
		threads *= g->block[i];
	}
	if (threads > most_threads)
		return kt_fail(err, KT_ERR_INVALID, "%lld threads a block, the kernel allows %lld", (long long)threads,
		               (long long)most_threads);
	return KT_OK;
}

kt_status kt_session_prepare(struct kt_session *s, const struct kt_launchable *what, struct kt_error *err)
{
	int threads = 0, fixed_shared = 0;
	kt_status status = kt_session_check(s, s->cu.function_get(&threads, KT_CU_FUNC_MAX_THREADS, what->function),
					    "reading the kernel's limits", err);
	if (status)
		return status;
	status = kt_session_check(s, s->cu.function_get(&fixed_shared, KT_CU_FUNC_SHARED_BYTES, what->function),
	                          "reading the kernel's limits", err);
	if (status)
		return status;
	int64_t most_shared = 0;
	for (size_t p = 0; p < s->region->problem_count; p++) {
		if (!s->places[p].usable)
			continue;
		const struct kt_geometry *g = &what->geometry[p];
		status = check_geometry(s, g, threads, err);
		if (status)
			return status;
		if (g->shared_bytes < 0 ||
		    g->shared_bytes + fixed_shared > s->device.shared_bytes_per_block_optin) {
			s->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
			return kt_fail(err, KT_ERR_INVALID, "%lld bytes of shared memory, the device has %lld",
			               (long long)g->shared_bytes + fixed_shared,
			               (long long)s->device.shared_bytes_per_block_optin);
		}
		if (g->shared_bytes > most_shared)
			most_shared = g->shared_bytes;
	}
	if (most_shared + fixed_shared <= DEFAULT_DYNAMIC_SHARED_BYTES)
		return KT_OK;
	status = kt_session_check(
	    s, s->cu.function_set(what->function, KT_CU_FUNC_MAX_DYNAMIC_SHARED, (int)most_shared),
	    "asking for dynamic shared memory", err);
	if (status && !s->fault.fatal)
		s->fault.verdict = KT_VERDICT_OVER_LIMIT;
	return status;
}

kt_status kt_session_launch(struct kt_session *s, const struct kt_launchable *what, size_t problem, size_t set,
                            struct kt_error *err)
{
	const struct kt_run_region *region = s->region;
	const struct kt_geometry *g = &what->geometry[problem];
	uint64_t values[KT_RUN_ARGUMENTS];
	void *pointers[KT_RUN_ARGUMENTS];
	for (size_t i = 0; i < region->argument_count; i++) {
		const struct kt_run_argument *argument = &region->arguments[i];
		values[i] = argument->is_buffer ? kt_layout_buffer(s, problem, set, argument->buffer)
		                                : region->problems[problem].values[i];
		pointers[i] = &values[i];
	}
	kt_cu_result result = s->cu.launch(what->function, (unsigned)g->grid[0], (unsigned)g->grid[1],
	                                   (unsigned)g->grid[2], (unsigned)g->block[0], (unsigned)g->block[1],
	                                   (unsigned)g->block[2], (unsigned)g->shared_bytes, s->stream, pointers, NULL);
	return kt_session_check(s, result, "launching the kernel", err);
}
