#include "opencl/session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/proc.h"

/* Which verdict an error is, for the candidate that caused it. */
static const struct {
	kt_cl_result result;
	enum kt_verdict verdict;
} verdicts[] = {
    {KT_CL_ALLOCATION_FAILURE, KT_VERDICT_OVER_LIMIT},   {KT_CL_OUT_OF_RESOURCES, KT_VERDICT_OVER_LIMIT},
    {KT_CL_OUT_OF_HOST_MEMORY, KT_VERDICT_OVER_LIMIT},   {KT_CL_INVALID_WORK_GROUP_SIZE, KT_VERDICT_OVER_LIMIT},
    {KT_CL_INVALID_WORK_ITEM_SIZE, KT_VERDICT_OVER_LIMIT}, {KT_CL_INVALID_BUFFER_SIZE, KT_VERDICT_OVER_LIMIT},
    {KT_CL_INVALID_GLOBAL_SIZE, KT_VERDICT_OVER_LIMIT},  {KT_CL_BUILD_FAILURE, KT_VERDICT_NO_COMPILE},
    {KT_CL_COMPILER_NOT_AVAILABLE, KT_VERDICT_NO_COMPILE}, {KT_CL_INVALID_BINARY, KT_VERDICT_NO_COMPILE},
    {KT_CL_INVALID_BUILD_OPTIONS, KT_VERDICT_NO_COMPILE}, {KT_CL_INVALID_PROGRAM, KT_VERDICT_NO_COMPILE},
    {KT_CL_INVALID_EXECUTABLE, KT_VERDICT_NO_COMPILE},   {KT_CL_INVALID_KERNEL_NAME, KT_VERDICT_NO_COMPILE},
    {KT_CL_INVALID_KERNEL_DEFINITION, KT_VERDICT_NO_COMPILE}, {KT_CL_INVALID_ARGUMENT_INDEX, KT_VERDICT_NO_COMPILE},
    {KT_CL_INVALID_ARGUMENT_VALUE, KT_VERDICT_NO_COMPILE}, {KT_CL_INVALID_ARGUMENT_SIZE, KT_VERDICT_NO_COMPILE},
    {KT_CL_INVALID_ARGUMENTS, KT_VERDICT_NO_COMPILE},
};

/* After these, whichever call they come with, nothing of the context is to be trusted any more. */
static bool is_lost(kt_cl_result result)
{
	return result == KT_CL_INVALID_QUEUE || result == KT_CL_EXECUTION_FAILED || result == KT_CL_NVIDIA_FAULT;
}

/* An error of a command that was running. */
static kt_status broken(struct kt_ocl *s, kt_cl_result result, const char *what, struct kt_error *err)
{
	bool access = result == KT_CL_OUT_OF_RESOURCES || result == KT_CL_INVALID_QUEUE || result == KT_CL_NVIDIA_FAULT;
	s->fault = (struct kt_fault){access ? KT_VERDICT_OUT_OF_BOUNDS : KT_VERDICT_CRASHED, true};
	return kt_cl_check(result, what, err);
}

kt_status kt_ocl_check(struct kt_ocl *s, kt_cl_result result, const char *what, struct kt_error *err)
{
	if (!result)
		return KT_OK;
	if (is_lost(result))
		return broken(s, result, what, err);
	s->fault.verdict = KT_VERDICT_CRASHED;
	for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
		if (verdicts[i].result == result)
			s->fault.verdict = verdicts[i].verdict;
	}
	return kt_cl_check(result, what, err);
}

kt_status kt_ocl_open(struct kt_ocl **out, struct kt_arena *arena, int ordinal, struct kt_error *err)
{
	struct kt_ocl *s = kt_arena_alloc(arena, sizeof *s);
	kt_cl_result result = 0;
	NEED(s, kt_no_memory(err));
	TRY(kt_cl_load(&s->cl, err));
	TRY(kt_ocl_find_device(&s->device_handle, &s->cl, ordinal, err));
	TRY(kt_ocl_device(&s->engine.device, arena, &s->cl, s->device_handle, err));
	s->allocation_bytes =
	    (size_t)kt_ocl_device_number(&s->cl, s->device_handle, KT_CL_DEVICE_ALLOCATION_BYTES, sizeof(uint64_t));
	s->engine.align =
	    (size_t)kt_ocl_device_number(&s->cl, s->device_handle, KT_CL_DEVICE_ADDRESS_ALIGN_BITS, 4) / 8;
	s->unified = kt_ocl_device_number(&s->cl, s->device_handle, KT_CL_DEVICE_UNIFIED_MEMORY, 4) != 0;
	if (s->engine.align < KT_BUFFER_ALIGN)
		s->engine.align = KT_BUFFER_ALIGN;
	s->context = s->cl.context_create(NULL, 1, &s->device_handle, NULL, NULL, &result);
	TRY(kt_ocl_check(s, result, "creating a context", err));
	s->queue = s->cl.queue_create(s->context, s->device_handle, KT_CL_QUEUE_PROFILING, &result);
	TRY(kt_ocl_check(s, result, "creating a queue", err));
	/* After the driver's own handlers, which it installs with its first device. */
	kt_ocl_watch_faults();
	*out = s;
	return KT_OK;
}

/* A thread of the driver stopped in the kernel's code. */
static kt_status stopped(struct kt_ocl *s, int number, const void *address, const char *what, struct kt_error *err)
{
	bool access = number == SIGSEGV || number == SIGBUS;
	s->fault = (struct kt_fault){access ? KT_VERDICT_OUT_OF_BOUNDS : KT_VERDICT_CRASHED, true};
	return access ? kt_fail(err, KT_ERR_CHILD, "%s: illegal access to %p (SIG%s)", what, address,
	                        sigabbrev_np(number))
	              : kt_fail(err, KT_ERR_CHILD, "%s: ended by SIG%s", what, sigabbrev_np(number));
}

kt_status kt_ocl_wait(struct kt_ocl *s, kt_cl_handle event, double limit_s, const char *what, struct kt_error *err)
{
	double start = kt_now_s();
	kt_status status = kt_ocl_check(s, s->cl.flush(s->queue), what, err);
	while (!status) {
		int32_t state = KT_CL_COMPLETE;
		const void *address = NULL;
		int number = kt_ocl_faulted(&address);
		if (number)
			return stopped(s, number, address, what, err);
		status = kt_ocl_check(s, s->cl.event_info(event, KT_CL_EVENT_STATUS, sizeof state, &state, NULL), what, err);
		if (!status && state < 0)
			return broken(s, state, what, err);
		if (status || state == KT_CL_COMPLETE)
			break;
		double waited = kt_now_s() - start;
		if (waited > limit_s) {
			s->fault = (struct kt_fault){KT_VERDICT_TIMED_OUT, true};
			return kt_fail(err, KT_ERR_CHILD, "%s: not done after %.1f s", what, limit_s);
		}
		/* On a CPU device the kernel needs every core: look rarely. */
		struct timespec pause = {0, waited < 0.001 ? 20000 : waited < 0.1 ? 200000 : 2000000};
		(void)nanosleep(&pause, NULL);
	}
	return status;
}
