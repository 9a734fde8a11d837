#include "cuda/session.h"

#include <string.h>
#include <time.h>

#include "base/proc.h"

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

/* event NULL: for all of the stream. */
static kt_status wait_for(struct kt_session *s, kt_cu_handle event, double limit_s, const char *what,
                          struct kt_error *err)
{
	double start = kt_now_s();
	for (;;) {
		/* The clock first: where this process was kept from running for long, the kernel may be done all the same. */
		double waited = kt_now_s() - start;
		kt_cu_result result = event ? s->cu.event_query(event) : s->cu.stream_query(s->stream);
		if (result != KT_CU_NOT_READY)
			return kt_session_check(s, result, what, err);
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

kt_status kt_session_wait(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
{
	return wait_for(s, NULL, limit_s, what, err);
}

kt_status kt_session_wait_reached(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
{
	return wait_for(s, s->reached, limit_s, what, err);
}

kt_status kt_session_wait_all(struct kt_session *s, double limit_s, const char *what, struct kt_error *err)
{
	kt_status status = kt_session_wait(s, limit_s, what, err);
	/* Nearly always there is nothing left; a kernel that hangs elsewhere is ended by the client's limit. */
	return status ? status : kt_session_check(s, s->cu.context_synchronize(), what, err);
}

kt_cu_address kt_session_address(const struct kt_session *s, kt_at at)
{
	size_t lone = (size_t)(at >> KT_AT_SHIFT);
	if (lone > KT_RUN_BUFFERS)
		return s->held + (at & KT_AT_OFFSET);
	return (lone ? s->lone[lone - 1] : s->field) + (at & KT_AT_OFFSET);
}

kt_status kt_session_budget(size_t *bytes, void *device, struct kt_error *err)
{
	struct kt_session *s = device;
	size_t free_bytes = 0, total = 0;
	TRY(kt_session_check(s, s->cu.memory_info(&free_bytes, &total), "reading free memory", err));
	*bytes = (size_t)((double)(free_bytes + s->field_bytes) * KT_FIELD_SHARE);
	return KT_OK;
}

/* Makes sure that *address holds at least `wanted` bytes of device memory; content is lost when it grows. */
static kt_status reserve(struct kt_session *s, kt_cu_address *address, size_t *bytes, size_t wanted, const char *what,
                         struct kt_error *err)
{
	if (*bytes >= wanted)
		return KT_OK;
	if (*bytes) {
		TRY(kt_session_check(s, s->cu.free(*address), what, err));
		*bytes = 0;
	}
	TRY(kt_session_check(s, s->cu.alloc(address, wanted), what, err));
	*bytes = wanted;
	return KT_OK;
}

kt_status kt_session_reserve(void *device, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	return reserve(s, &s->field, &s->field_bytes, bytes, "allocating buffers", err);
}

kt_status kt_session_hold(void *device, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	size_t free_bytes = 0, total = 0;
	kt_status status = kt_session_check(s, s->cu.memory_info(&free_bytes, &total), "reading free memory", err);
	if (!status && bytes > s->held_bytes && (double)bytes > (double)(free_bytes + s->held_bytes) * KT_HELD_SHARE)
		return kt_fail(err, KT_ERR_LIMIT, "%zu MiB are more than can be held", bytes >> 20);
	return status ? status : reserve(s, &s->held, &s->held_bytes, bytes, "allocating references", err);
}

kt_status kt_session_lone(void *device, const size_t *bytes, size_t count, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_status status = KT_OK;
	for (size_t b = 0; !status && b < KT_RUN_BUFFERS; b++) {
		if (s->lone[b])
			status = kt_session_check(s, s->cu.free(s->lone[b]), "freeing a buffer", err);
		s->lone[b] = 0;
	}
	for (size_t b = 0; !status && b < count; b++) {
		if (bytes[b])
			status = kt_session_check(s, s->cu.alloc(&s->lone[b], bytes[b]), "allocating a buffer", err);
	}
	return status;
}

kt_status kt_session_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_status status = KT_OK;
	if (bytes > s->host_bytes) {
		if (s->host)
			status = kt_session_check(s, s->cu.host_free(s->host), "freeing references", err);
		s->host = NULL;
		s->host_bytes = 0;
		THEN(status, kt_session_check(s, s->cu.host_alloc((void **)&s->host, bytes, 0), "allocating references",
		                              err));
		if (!status)
			s->host_bytes = bytes;
	}
	*out = s->host;
	return status;
}

static kt_status open_memory(struct kt_session *s, struct kt_error *err)
{
	size_t results = KT_SLOTS * sizeof(struct kt_result);
	TRY(kt_session_check(s, s->cu.alloc(&s->results_device, results), "allocating results", err));
	TRY(kt_session_check(s, s->cu.host_alloc((void **)&s->engine.pages, KT_PAGES * results, 0),
			     "allocating results", err));
	TRY(kt_session_check(s, s->cu.host_alloc((void **)&s->gate, sizeof *s->gate, KT_CU_HOST_MAPPED),
			     "allocating the gate", err));
	*s->gate = 0;
	TRY(kt_session_check(s, s->cu.host_address(&s->gate_device, s->gate, 0), "mapping the gate", err));
	const size_t words = KT_DISTURBANCE_WORDS * sizeof(unsigned);
	TRY(kt_session_check(s, s->cu.alloc(&s->disturbance, words), "allocating the disturbance", err));
	TRY(kt_session_check(s, s->cu.set_bytes(s->disturbance, 0, words, s->stream), "clearing the disturbance", err));
	for (size_t i = 0; i <= KT_BATCH; i++) {
		TRY(kt_session_check(s, s->cu.event_create(&s->events[i], 0), "creating an event", err));
	}
	TRY(kt_session_check(s, s->cu.event_create(&s->reached, 0), "creating an event", err));
	/* Twice the cache: one pass leaves nothing of what was there, whatever the replacement policy. */
	size_t l2 = s->engine.device.l2_bytes > 0 ? (size_t)s->engine.device.l2_bytes : (size_t)32 << 20;
	return reserve(s, &s->sweep, &s->sweep_bytes, 2 * l2, "allocating the sweep", err);
}

kt_status kt_session_open(struct kt_session **out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_session *s;
	NEED(s = kt_arena_alloc(arena, sizeof *s), kt_no_memory(err));
	TRY(kt_cu_load(&s->cu, err));
	TRY(kt_session_check(s, s->cu.device_get(&s->ordinal, ordinal), "cuDeviceGet", err));
	TRY(kt_cuda_device(&s->engine.device, &s->nvml, arena, &s->cu, s->ordinal, err));
	TRY(kt_session_check(s, s->cu.context_retain(&s->context, s->ordinal), "creating a context", err));
	TRY(kt_session_check(s, s->cu.context_set(s->context), "using the context", err));
	TRY(kt_session_check(s, s->cu.stream_create(&s->stream, KT_CU_STREAM_NON_BLOCKING), "creating a stream", err));
	TRY(kt_session_check(s, s->cu.stream_create(&s->beside, KT_CU_STREAM_NON_BLOCKING), "creating a stream", err));
	TRY(open_memory(s, err));
	*out = s;
	return KT_OK;
}
