/* What the tests of the engine share: a region on the fake device, and candidates for it. */
#ifndef KT_TEST_RUNTIME_BENCH_H
#define KT_TEST_RUNTIME_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_device.h"

/* One tuning problem and, behind it, checks: an odd one (of N + 1 elements) off alignment, and one in place. */
enum { TUNING, ODD, IN_PLACE, PROBLEMS };

struct bench {
	struct fake fake;
	struct kt_backend backend;
	struct kt_arena *arena;
	struct kt_run_buffer buffers[2];
	struct kt_limits limits[2]; /* one a buffer */
	struct kt_run_argument arguments[2];
	struct kt_run_data data[PROBLEMS][2];
	uint64_t values[2];
	struct kt_run_problem problems[PROBLEMS];
	struct kt_run_region region;
	struct kt_run_prepared prepared[PROBLEMS];
	struct kt_geometry geometry[PROBLEMS];
	double give_up_ns[PROBLEMS], lost_ns[PROBLEMS];
	size_t *order; /* NULL until a test says so */
	bool skip[PROBLEMS];
	struct kt_trial trials[PROBLEMS];
	struct kt_run_notes notes[PROBLEMS];
	bool screen; /* a first look */
	/* Of the candidates that are tried; none until a test says so. */
	size_t temporary_count;
	struct kt_run_temporary temporaries[2];
	int64_t counts[PROBLEMS][2], *temporary_counts[PROBLEMS];
	struct kt_error err;
};

/* y = f(x), compared with a relative tolerance of 1e-6, on a device that is healthy. */
void set_up(struct bench *b);
void tear_down(struct bench *b);
/* Makes one of the two buffers a device symbol of so many elements, before the region is opened. */
void make_symbol(struct bench *b, size_t buffer, size_t elements);
/* The region whose original is the kernel of that name; NULL: its steps. */
kt_status open_region(struct bench *b, const char *original);
/* The verdict about a kernel, about one with `count` further ones behind it. A failure of the engine ends the test. */
enum kt_verdict try(struct bench *b, const char *function, int64_t repetitions);
enum kt_verdict try_plan(struct bench *b, const char *function, struct kt_run_step *further, size_t count,
                         struct kt_geometry **geometry, int64_t repetitions);

#endif
