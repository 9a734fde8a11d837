#include <string.h>

#include "base/proc.h"
#include "cuda/session.h"

/* The bytes of an argument that is a structure: what its members are on this launch, zero elsewhere. */
static void build(unsigned char *out, struct kt_session *s, const struct kt_run_launch *launch,
                  const struct kt_run_launch *on, const struct kt_run_argument *argument)
{
	memset(out, 0, argument->bytes);
	for (size_t m = 0; m < argument->member_count; m++) {
		const struct kt_run_member *member = &argument->members[m];
		const uint64_t value = member->is_buffer
		                           ? kt_symbols_address(s, launch->function->module, on, member->buffer)
		                           : on->values[argument->first_value + m];
		memcpy(out + member->offset, &value, member->is_buffer ? sizeof value : kt_scalar_bytes(member->element));
	}
}

/* Queues one kernel on the places and values of `on`. */
static kt_status queue_kernel(struct kt_session *s, const struct kt_run_launch *launch, const struct kt_run_launch *on,
                              struct kt_error *err)
{
	const struct kt_run_region *region = s->engine.region;
	const size_t count = launch->arguments ? launch->argument_count : region->argument_count;
	const struct kt_geometry *g = launch->geometry;
	uint64_t values[KT_RUN_ARGUMENTS];
	void *pointers[KT_RUN_ARGUMENTS];
	unsigned char structures[KT_ARGUMENT_BYTES];
	size_t used = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t from = launch->arguments ? launch->arguments[i] : i;
		const struct kt_run_argument *argument = &region->arguments[from];
		if (argument->bytes) {
			build(structures + used, s, launch, on, argument);
			pointers[i] = structures + used;
			used += argument->bytes;
			continue;
		}
		/* Of a value that is wider than the kernel's parameter the driver reads the low bytes. */
		values[i] = argument->is_buffer ? kt_symbols_address(s, launch->function->module, on, argument->buffer)
		                                : on->values[from];
		pointers[i] = &values[i];
	}
	kt_cu_result result =
	    s->cu.launch(launch->function->handle, (unsigned)g->grid[0], (unsigned)g->grid[1], (unsigned)g->grid[2],
	                 (unsigned)g->block[0], (unsigned)g->block[1], (unsigned)g->block[2], (unsigned)g->shared_bytes,
	                 s->stream, pointers, NULL);
	return kt_session_check(s, result, "launching the kernel", err);
}

/* Queues one launch, with what has to run after it. */
static kt_status queue(struct kt_session *s, const struct kt_run_launch *launch, struct kt_error *err)
{
	if (!launch->function)
		return kt_support_move(s, launch, err);
	for (const struct kt_run_launch *next = launch; next; next = next->then)
		TRY(queue_kernel(s, next, launch, err));
	return KT_OK;
}

static kt_status record(struct kt_session *s, size_t event, struct kt_error *err)
{
	return kt_session_check(s, s->cu.event_record(s->events[event], s->stream), "recording an event", err);
}

static kt_status elapsed(double *ns, struct kt_session *s, size_t event, struct kt_error *err)
{
	float ms = 0;
	kt_status status = kt_session_check(s, s->cu.event_elapsed(&ms, s->events[event], s->events[event + 1]),
	                                    "reading an event", err);
	*ns = (double)ms * 1e6;
	return status;
}

kt_status kt_launch_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s,
                        struct kt_error *err)
{
	struct kt_session *s = device;
	kt_status status = kt_symbols_enter(s, launch, err);
	if (!status && ns)
		status = record(s, 0, err);
	s->launched = true;
	THEN(status, queue(s, launch, err));
	if (!status && ns)
		status = record(s, 1, err);
	/* Even where the launch has failed its gate must open, and nothing else be queued beside what opens it. */
	const bool disturbed = s->disturbed_ns > 0;
	struct kt_error ignored, *other = status ? &ignored : err;
	kt_status ended = disturbed ? kt_support_disturb_now(s, other) : KT_OK;
	if (!ended && !status)
		ended = kt_symbols_leave(s, launch, 1, other);
	if (!ended && (status ? disturbed : ns != NULL))
		ended = kt_support_wait(s, limit_s, other);
	status = status ? status : ended;
	if (!status && ns)
		status = elapsed(ns, s, 0, err);
	return status;
}

/*
 * Times `count` launches, at most KT_BATCH: everything is queued after a
 * closed gate, so that the device never waits for the host between the events.
 */
kt_status kt_launch_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                          size_t count, bool sweep, double limit_s, struct kt_error *err)
{
	struct kt_session *s = device;
	kt_status status = count ? kt_symbols_enter(s, launches, err) : KT_OK;
	if (samples && sweep && !status)
		status = kt_support_sweep(s, err);
	if (samples && !status)
		status = kt_session_check(s, s->cu.event_record(s->reached, s->stream), "recording an event", err);
	if (samples && !status)
		status = kt_support_gate(s, err);
	if (samples && !status)
		status = record(s, 0, err);
	for (size_t i = 0; !status && i < count; i++) {
		status = queue(s, &launches[i], err);
		if (samples && !status)
			status = record(s, i + 1, err);
	}
	/* The host's clock starts with the launches, not with what was queued before them. */
	if (samples && !status)
		status = kt_session_wait_reached(s, limit_s, "preparing", err);
	double start = kt_now_s();
	kt_support_open(s);
	THEN(status, kt_session_wait_all(s, limit_s, samples ? "timing" : "warming up", err));
	s->launched = false;
	*host_ns = (kt_now_s() - start) * 1e9;
	for (size_t i = 0; samples && !status && i < count; i++)
		status = elapsed(&samples[i], s, i, err);
	THEN(status, kt_symbols_leave(s, launches, count, err));
	return status;
}

kt_status kt_launch_settle(void *device, struct kt_error *err)
{
	struct kt_session *s = device;
	if (!s->cu.reset_persisting)
		return KT_OK;
	return kt_session_check(s, s->cu.reset_persisting(), "clearing persisting cache lines", err);
}
