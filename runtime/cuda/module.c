#include <string.h>

#include "cuda/session.h"

#define DEFAULT_DYNAMIC_SHARED_BYTES (48 * 1024)

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

static kt_status attribute(int *out, struct kt_session *s, int which, kt_cu_handle function, struct kt_error *err)
{
	return kt_session_check(s, s->cu.function_get(out, which, function), "reading the kernel's limits", err);
}

static kt_status describe(struct kt_function *out, struct kt_session *s, kt_cu_handle handle, struct kt_error *err)
{
	int threads = 0, registers = 0, local = 0, shared = 0;
	TRY(attribute(&threads, s, KT_CU_FUNC_MAX_THREADS, handle, err));
	TRY(attribute(&registers, s, KT_CU_FUNC_REGISTERS, handle, err));
	TRY(attribute(&local, s, KT_CU_FUNC_LOCAL_BYTES, handle, err));
	TRY(attribute(&shared, s, KT_CU_FUNC_SHARED_BYTES, handle, err));
	*out = (struct kt_function){.handle = handle, .most_threads = (size_t)threads, .registers = registers,
	                            .local_bytes = local, .shared_bytes = shared};
	return KT_OK;
}

kt_status kt_module_load(struct kt_function *out, void *device, const char *cubin, const char *options,
                         const char *function, bool original, struct kt_error *err)
{
	struct kt_session *s = device;
	struct kt_file_stamp stamp;
	kt_cu_handle handle = NULL;
	(void)options;
	if (!s->support)
		return kt_fail(err, KT_ERR_INVALID, "no support cubin was given");
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
	if (original)
		s->pinned = m;
	status = kt_session_check(s, s->cu.module_function(&handle, m->handle, function), function, err);
	THEN(status, kt_symbols_find(s, m, original, err));
	THEN(status, describe(out, s, handle, err));
	if (!status)
		out->module = m;
	return status;
}

static kt_status check_geometry(struct kt_session *s, const struct kt_geometry *g, int64_t most_threads,
                                struct kt_error *err)
{
	s->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	int64_t threads = 1;
	for (size_t i = 0; i < 3; i++) {
		if (g->block[i] < 1 || g->block[i] > s->engine.device.max_block[i])
			return kt_fail(err, KT_ERR_INVALID, "block dimension %zu is %lld, allowed are 1 to %lld", i,
			               (long long)g->block[i], (long long)s->engine.device.max_block[i]);
		if (g->grid[i] < 1 || g->grid[i] > s->engine.device.max_grid[i])
			return kt_fail(err, KT_ERR_INVALID, "grid dimension %zu is %lld, allowed are 1 to %lld", i,
			               (long long)g->grid[i], (long long)s->engine.device.max_grid[i]);
		threads *= g->block[i];
	}
	if (threads > most_threads)
		return kt_fail(err, KT_ERR_INVALID, "%lld threads per block, the kernel allows %lld", (long long)threads,
		               (long long)most_threads);
	return KT_OK;
}

kt_status kt_module_admit(void *device, const struct kt_function *function, const struct kt_geometry *g,
                          struct kt_error *err)
{
	struct kt_session *s = device;
	int64_t most = s->engine.device.shared_bytes_per_block_optin, wanted = g->shared_bytes + function->shared_bytes;
	int allowed = 0;
	kt_status status = check_geometry(s, g, (int64_t)function->most_threads, err);
	if (status)
		return status;
	if (g->shared_bytes < 0 || wanted > most)
		return kt_fail(err, KT_ERR_INVALID, "%lld bytes of shared memory, the device has %lld", (long long)wanted,
		               (long long)most);
	if (wanted <= DEFAULT_DYNAMIC_SHARED_BYTES)
		return KT_OK;
	status = attribute(&allowed, s, KT_CU_FUNC_MAX_DYNAMIC_SHARED, function->handle, err);
	if (!status && allowed < g->shared_bytes)
		status = kt_session_check(
		    s, s->cu.function_set(function->handle, KT_CU_FUNC_MAX_DYNAMIC_SHARED, (int)g->shared_bytes),
		    "asking for dynamic shared memory", err);
	if (status && !s->fault.fatal)
		s->fault.verdict = KT_VERDICT_OVER_LIMIT;
	return status;
}

int64_t kt_module_occupancy(void *device, const struct kt_function *function, const struct kt_geometry *g)
{
	struct kt_session *s = device;
	int blocks = 0;
	int threads = (int)(g->block[0] * g->block[1] * g->block[2]);
	return s->cu.occupancy(&blocks, function->handle, threads, (size_t)g->shared_bytes) ? -1 : blocks;
}
