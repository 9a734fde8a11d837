/*
 * In which order the CUDA backend queues a launch and what disturbs it, over a driver that only writes down its
 * calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cuda/session.h"

static struct kt_session session;
static char calls[512];
static unsigned waits_for, told; /* the ticket of the gate; that of the word that ends the disturbance */
static kt_cu_address waits_at, told_at;
static int names[KT_KERNEL_COUNT], candidate_name, stream_name, beside_name, reached_name;
static unsigned gate;
static kt_cu_result launching; /* what becomes of the candidate */

/* With an accent in the other stream. */
static void note(const char *what, kt_cu_handle stream)
{
	const size_t used = strlen(calls);
	const int more = snprintf(calls + used, sizeof calls - used, "%s%s ", what, stream == &beside_name ? "'" : "");
	assert_true(more > 0 && (size_t)more < sizeof calls - used);
}

static kt_cu_result launch(kt_cu_handle function, unsigned x, unsigned y, unsigned z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared_bytes, kt_cu_handle stream,
                           void **arguments, void **extra)
{
	(void)y, (void)z, (void)block_x, (void)block_y, (void)block_z, (void)shared_bytes, (void)extra;
	if (function == &names[KT_KERNEL_GATE]) {
		waits_at = *(kt_cu_address *)arguments[0];
		waits_for = *(unsigned *)arguments[1];
		note("gate", stream);
	} else if (function == &names[KT_KERNEL_DISTURB]) {
		/* One block for each multiprocessor, and what opens the gate. */
		assert_int_equal(x, 132);
		assert_int_equal(*(unsigned *)arguments[1], waits_for);
		assert_int_equal(*(uint64_t *)arguments[3], 40000);
		note("disturb", stream);
	} else {
		assert_ptr_equal(function, &candidate_name);
		note("candidate", stream);
		return launching;
	}
	return 0;
}

static kt_cu_result set_words(kt_cu_address to, unsigned value, size_t count, kt_cu_handle stream)
{
	assert_int_equal(count, 1);
	told_at = to;
	told = value;
	note("end", stream);
	return 0;
}

static kt_cu_result event_record(kt_cu_handle event, kt_cu_handle stream)
{
	note(event == &reached_name ? "reached" : "event", stream);
	return 0;
}

static kt_cu_result event_query(kt_cu_handle event)
{
	assert_ptr_equal(event, &reached_name);
	note("until", NULL);
	return 0;
}

static kt_cu_result stream_after(kt_cu_handle stream, kt_cu_handle event, unsigned flags)
{
	assert_ptr_equal(event, &reached_name);
	assert_int_equal(flags, 0);
	note("after", stream);
	return 0;
}

static kt_cu_result stream_query(kt_cu_handle stream)
{
	note("wait", stream);
	return 0;
}

static kt_cu_result synchronize(void)
{
	note("all", NULL);
	return 0;
}

static kt_cu_result elapsed(float *milliseconds, kt_cu_handle start, kt_cu_handle end)
{
	(void)start, (void)end;
	*milliseconds = 1;
	return 0;
}

static kt_cu_result error_name(kt_cu_result error, const char **text)
{
	(void)error;
	*text = "CUDA_ERROR";
	return 0;
}

static void set_up(void)
{
	static const struct kt_run_region region;
	memset(&session, 0, sizeof session);
	session.cu.launch = launch;
	session.cu.set_words = set_words;
	session.cu.event_record = event_record;
	session.cu.event_query = event_query;
	session.cu.stream_after = stream_after;
	session.reached = &reached_name;
	session.gate = &gate;
	session.cu.event_elapsed = elapsed;
	session.cu.stream_query = stream_query;
	session.cu.context_synchronize = synchronize;
	session.cu.error_name = error_name;
	session.stream = &stream_name;
	session.beside = &beside_name;
	session.support = &session;
	session.engine.region = &region;
	session.engine.device.multiprocessors = 132;
	session.disturbance = 4096;
	for (size_t i = 0; i < KT_KERNEL_COUNT; i++)
		session.kernels[i] = &names[i];
	launching = 0;
}

static const struct kt_function function = {.handle = &candidate_name};
static const struct kt_geometry geometry = {{1, 1, 1}, {1, 1, 1}, 0};
static const struct kt_run_launch candidate = {.function = &function, .geometry = &geometry};

static kt_status run(struct kt_error *err)
{
	return kt_launch_run(NULL, &session, &candidate, 1, err);
}

/*
 * The candidate is behind the gate before the blocks in the other stream open that, which they do when what was queued
 * before is done; its end ends them. Nobody waits.
 */
static void order(void **state)
{
	struct kt_error err;
	double ns = 0;
	(void)state;
	set_up();
	*calls = 0;
	assert_int_equal(kt_launch_run(&ns, &session, &candidate, 1, &err), KT_OK);
	assert_string_equal(calls, "event candidate event wait all ");
	assert_true(ns > 0);
	*calls = 0;
	assert_int_equal(run(&err), KT_OK);
	assert_string_equal(calls, "candidate ");
	*calls = 0;
	assert_int_equal(kt_support_wait(&session, 1, &err), KT_OK);
	assert_string_equal(calls, "wait all ");
	for (unsigned turn = 1; turn < 3; turn++) {
		*calls = 0;
		assert_int_equal(kt_support_disturb(&session, turn, 40e3, &err), KT_OK);
		assert_int_equal(run(&err), KT_OK);
		assert_string_equal(calls, "reached gate candidate end after' disturb' ");
		assert_int_equal(waits_for, turn);
		assert_int_equal(told, turn);
		assert_int_equal(waits_at, 4096 + 4);
		assert_int_equal(told_at, 4096 + 8);
	}
	*calls = 0;
	assert_int_equal(run(&err), KT_OK);
	assert_string_equal(calls, "candidate ");
}

/* The gate opens, and the host's clock starts, when the device has come to it: not while it prepares what is timed. */
static void batches(void **state)
{
	const struct kt_run_launch launches[] = {candidate, candidate};
	double samples[2] = {0}, host_ns = 0;
	struct kt_error err;
	(void)state;
	set_up();
	*calls = 0;
	assert_int_equal(kt_launch_batch(samples, &host_ns, &session, launches, 2, false, 1, &err), KT_OK);
	assert_string_equal(calls, "reached gate event candidate event candidate event until wait all ");
	assert_int_equal(gate, waits_for);
	*calls = 0;
	assert_int_equal(kt_launch_batch(NULL, &host_ns, &session, launches, 2, false, 1, &err), KT_OK);
	assert_string_equal(calls, "candidate candidate wait all ");
}

/* One that cannot be launched leaves nothing behind that something else would be beside. */
static void refused(void **state)
{
	struct kt_error err;
	(void)state;
	set_up();
	launching = KT_CU_OUT_OF_RESOURCES;
	*calls = 0;
	assert_int_equal(kt_support_disturb(&session, 1, 40e3, &err), KT_OK);
	assert_int_equal(run(&err), KT_ERR_CHILD);
	assert_string_equal(calls, "reached gate candidate end after' disturb' wait all ");
	assert_non_null(strstr(err.message, "launching the kernel"));
	assert_int_equal(session.fault.verdict, KT_VERDICT_OVER_LIMIT);
	assert_false(session.fault.fatal);
	*calls = 0;
	assert_int_equal(run(&err), KT_ERR_CHILD);
	assert_string_equal(calls, "candidate ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order),
	    cmocka_unit_test(batches),
	    cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
