#include <math.h>
#include <string.h>

#include "base/proc.h"
#include "opencl/session.h"

static double event_ns(struct kt_ocl *s, kt_cl_handle event)
{
	uint64_t start = 0, end = 0;
	if (s->cl.event_profile(event, KT_CL_EVENT_START, sizeof start, &start, NULL) ||
	    s->cl.event_profile(event, KT_CL_EVENT_END, sizeof end, &end, NULL) || end < start)
		return 0;
	return (double)(end - start);
}

/* The bytes of a structure or vector of numbers; a host of OpenCL can pass no pointer in one. */
static kt_status build(unsigned char *out, const struct kt_run_launch *launch, const struct kt_run_argument *argument,
                       struct kt_error *err)
{
	memset(out, 0, argument->bytes);
	for (size_t m = 0; m < argument->member_count; m++) {
		const struct kt_run_member *member = &argument->members[m];
		if (member->is_buffer)
			return kt_fail(err, KT_ERR_INVALID, "OpenCL passes no pointer in a structure");
		memcpy(out + member->offset, &launch->values[argument->first_value + m], kt_scalar_bytes(member->element));
	}
	return KT_OK;
}

static kt_status set_arguments(struct kt_ocl *s, const struct kt_run_launch *launch, struct kt_error *err)
{
	const struct kt_run_region *region = s->engine.region;
	kt_status status = KT_OK;
	for (size_t i = 0; !status && i < region->argument_count; i++) {
		const struct kt_run_argument *argument = &region->arguments[i];
		kt_cl_handle part = NULL;
		const void *value = &part;
		size_t bytes = sizeof part;
		unsigned char structure[KT_ARGUMENT_BYTES];
		if (argument->is_buffer) {
			status = kt_ocl_part(&part, s, launch->at[argument->buffer], launch->bytes[argument->buffer], err);
		} else if (argument->is_local) {
			/* Local memory of no size is an error, though no launch can tell it from some. */
			bytes = launch->geometry->shared_bytes ? (size_t)launch->geometry->shared_bytes : 1;
			value = NULL;
		} else if (argument->bytes) {
			status = build(structure, launch, argument, err);
			bytes = argument->bytes;
			value = structure;
		} else {
			bytes = kt_scalar_bytes(argument->element);
			value = &launch->values[i];
		}
		THEN(status, kt_ocl_check(s, s->cl.kernel_argument(launch->function->handle, (uint32_t)i, bytes, value),
		                          "setting an argument", err));
	}
	return status;
}

/* The driver's own copy: it writes what it reads. */
static kt_status queue_copy(kt_cl_handle *event, struct kt_ocl *s, const struct kt_run_launch *launch,
                            struct kt_error *err)
{
	return kt_ocl_check(s,
	                    s->cl.copy(s->queue, s->field, s->field, (size_t)launch->at[1], (size_t)launch->at[0],
	                               launch->bytes[1], 0, NULL, event),
	                    "copying", err);
}

/* Queues one launch; the caller releases *event. */
static kt_status queue(kt_cl_handle *event, struct kt_ocl *s, const struct kt_run_launch *launch, struct kt_error *err)
{
	const struct kt_geometry *g = launch->geometry;
	size_t global[3], local[3];
	uint32_t dimensions = 1;
	if (!launch->function)
		return queue_copy(event, s, launch, err);
	for (uint32_t i = 0; i < 3; i++) {
		local[i] = (size_t)g->block[i];
		global[i] = (size_t)g->grid[i] * local[i];
		if (global[i] > 1)
			dimensions = i + 1;
	}
	TRY(set_arguments(s, launch, err));
	return kt_ocl_check(
	    s, s->cl.launch(s->queue, launch->function->handle, dimensions, NULL, global, local, 0, NULL, event),
	    "launching the kernel", err);
}

/* Is this the kernel's first launch with blocks of this size? Remembers that there was one. */
static bool is_first(struct kt_ocl *s, const struct kt_run_launch *launch)
{
	size_t k = 0;
	while (k < s->kernel_count && (!launch->function || s->kernels[k] != launch->function->handle))
		k++;
	if (k == s->kernel_count)
		return false;
	bool same = true;
	for (size_t i = 0; i < 3; i++) {
		same = same && s->launched[k][i] == (size_t)launch->geometry->block[i];
		s->launched[k][i] = (size_t)launch->geometry->block[i];
	}
	return !same;
}

kt_status kt_ocl_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                       size_t count, bool sweep, double limit_s, struct kt_error *err)
{
	struct kt_ocl *s = device;
	kt_cl_handle events[KT_BATCH] = {0};
	const size_t buffers = count && launches->function ? s->engine.region->buffer_count : 0;
	const bool first = count == 1 && is_first(s, launches);
	kt_status status = kt_ocl_part_room(s, count * buffers, err);
	double start = kt_now_s();
	(void)sweep;
	for (size_t i = 0; !status && i < count; i++)
		status = queue(&events[i], s, &launches[i], err);
	if (!status && count)
		status = kt_ocl_wait(s, events[count - 1], limit_s, "running the kernel", err);
	*host_ns = (kt_now_s() - start) * 1e9;
	/* Some drivers generate code for a size of blocks at the first launch with it, before the event begins. */
	if (!status && first)
		s->engine.compiled_s += fmax(0, *host_ns - event_ns(s, events[0])) * 1e-9;
	/* After a fault the driver may hold the kernel, and its locks, for ever. */
	for (size_t i = 0; !status && i < count; i++) {
		if (samples)
			samples[i] = event_ns(s, events[i]);
		status = kt_ocl_check(s, s->cl.event_release(events[i]), "releasing an event", err);
	}
	return status;
}

kt_status kt_ocl_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s, struct kt_error *err)
{
	double time_ns = 0, host_ns = 0;
	kt_status status = kt_ocl_batch(&time_ns, &host_ns, device, launch, 1, false, limit_s, err);
	if (ns)
		*ns = time_ns;
	return status;
}
