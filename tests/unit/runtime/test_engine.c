/* The engine over a device that is host memory, whose kernels are functions of this file. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine.h"

#define N 1000

struct fake {
	struct kt_engine engine;
	struct kt_fault fault;
	unsigned char *field, *host;
	struct kt_result results[KT_RUN_BUFFERS + 1];
	double sample_ns, host_ns;
	unsigned throttled, processes, settled, looks; /* throttled: so many looks */
	uint64_t reasons;                       /* why its clocks are low when they are */
	bool tells;
};

/* y = 2x, in all sorts of ways. */
static unsigned calls;
typedef void kernel(float *y, float *x, size_t n);

static void right(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
}

static void second_wrong(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (calls++ == 1)
		y[n / 2] = 7;
}

static void third_lazy(float *y, float *x, size_t n)
{
	if (calls++ != 2)
		right(y, x, n);
}

static void late_lazy(float *y, float *x, size_t n)
{
	if (calls++ < 12)
		right(y, x, n);
}

/* One launch is wrong, and no other. */
static unsigned wrong_call;

static void wrong_once(float *y, float *x, size_t n)
{
	right(y, x, n);
	if (calls++ == wrong_call)
		y[n / 2] = 7;
}

/* From some launch on the head is left to a later launch. */
enum { LATE = 3 };
static unsigned deferred_from, deferred_by;
static float *left_y[LATE], *left_x[LATE];

static void defers(float *y, float *x, size_t n)
{
	const unsigned turn = calls % deferred_by;
	const size_t head = calls++ < deferred_from ? 0 : 16;
	for (size_t i = head; i < n; i++)
		y[i] = 2 * x[i];
	for (size_t i = 0; left_y[turn] && i < 16; i++)
		left_y[turn][i] = 2 * left_x[turn][i];
	left_y[turn] = head ? y : NULL;
	left_x[turn] = x;
}

/* Where it has just been it believes its work done. */
static float *seen;

static void remembers_place(float *y, float *x, size_t n)
{
	if (seen == y)
		return;
	seen = y;
	right(y, x, n);
}

static void behind(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[n] = 1;
}

static void before(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[-1] = 1;
}

static void reads_behind(float *y, float *x, size_t n)
{
	right(y, x, n);
	y[n - 1] += 0 * x[n];
}

static void changes_input(float *y, float *x, size_t n)
{
	right(y, x, n);
	x[3] = 1;
}

static void clears_first(float *y, float *x, size_t n)
{
	memset(y, 0, n * sizeof *y);
	right(y, x, n);
}

static void wavers(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1 + 1e-3f * (float)(calls++ % 3);
}

static void wavers_slightly(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1 + 2e-7f * (float)(calls++ % 3);
}

static void wavers_there(float *y, float *x, size_t n)
{
	if (n == N)
		wavers_slightly(y, x, n);
	else
		right(y, x, n);
}

static void wavers_more(float *y, float *x, size_t n)
{
	right(y, x, n);
	for (size_t i = 0; i < n; i++)
		y[i] *= 1.1f;
}

static void add(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] += x[i];
}

static void slightly_less(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 2 * x[i] * (1 - 6e-7f);
}

static void four_times(float *y, float *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		y[i] = 4 * x[i];
}

static const struct row {
	const char *name;
	kernel *run;
} kernels[] = {{"right", right}, {"second_wrong", second_wrong}, {"third_lazy", third_lazy}, {"late_lazy", late_lazy},
               {"wrong_once", wrong_once}, {"defers", defers},
               {"remembers_place", remembers_place}, {"behind", behind}, {"before", before},
               {"reads_behind", reads_behind}, {"changes_input", changes_input}, {"clears_first", clears_first},
               {"wavers", wavers}, {"wavers_more", wavers_more},
               {"wavers_slightly", wavers_slightly}, {"wavers_there", wavers_there}, {"add", add},
               {"four_times", four_times}, {"slightly_less", slightly_less}};

static unsigned char *at_of(struct fake *f, kt_at at)
{
	return f->field + at;
}

static kt_status fake_budget(size_t *bytes, void *device, struct kt_error *err)
{
	(void)device, (void)err;
	*bytes = 1 << 20;
	return KT_OK;
}

static kt_status fake_reserve(void *device, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	free(f->field);
	f->field = aligned_alloc(256, (bytes + 255) / 256 * 256);
	return f->field ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

static kt_status fake_host(unsigned char **out, void *device, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	free(f->host);
	*out = f->host = malloc(bytes);
	return f->host ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory");
}

static kt_status fake_load(struct kt_function *out, void *device, const char *path, const char *options,
                           const char *function, bool original, struct kt_error *err)
{
	(void)device, (void)path, (void)options, (void)original;
	*out = (struct kt_function){0};
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		if (strcmp(kernels[i].name, function) == 0)
			out->handle = (void *)(uintptr_t)&kernels[i];
	}
	return out->handle ? KT_OK : kt_fail(err, KT_ERR_CHILD, "no kernel %s", function);
}

static void fake_release(void *device)
{
	(void)device;
}

static kt_status fake_admit(void *device, const struct kt_function *function, const struct kt_geometry *geometry,
                            struct kt_error *err)
{
	struct fake *f = device;
	(void)function;
	f->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	return geometry->block[0] < 1024 ? KT_OK : kt_fail(err, KT_ERR_INVALID, "too many threads");
}

static int64_t fake_occupancy(void *device, const struct kt_function *function, const struct kt_geometry *geometry)
{
	(void)device, (void)function, (void)geometry;
	return -1;
}

static kt_status fake_fill(void *device, kt_at at, enum kt_scalar element, const struct kt_run_data *data,
                           struct kt_error *err)
{
	(void)err;
	kt_data_fill(at_of(device, at), element, data);
	return KT_OK;
}

static kt_status fake_poison(void *device, kt_at at, size_t bytes, uint64_t seed, struct kt_error *err)
{
	(void)err;
	kt_data_poison(at_of(device, at), bytes, seed);
	return KT_OK;
}

static kt_status fake_zones(void *device, bool check, kt_at at, size_t stride, size_t sets,
                            const struct kt_zones *zones, uint64_t seed, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	for (size_t i = 0; i < sets * zones->count; i++) {
		size_t z = i % zones->count, bytes = (size_t)zones->zone[z].bytes;
		unsigned char *memory = at_of(f, at) + i / zones->count * stride + zones->zone[z].offset;
		if (!check) {
			kt_data_zone(memory, bytes, seed + 2 * z);
			continue;
		}
		size_t damage = kt_data_damage(memory, bytes, seed + 2 * z);
		f->results[KT_RUN_BUFFERS].zones += damage;
		f->results[KT_RUN_BUFFERS].zone = damage ? ~(uint64_t)z : f->results[KT_RUN_BUFFERS].zone;
	}
	return KT_OK;
}

static kt_status fake_digest(void *device, size_t slot, kt_at at, size_t bytes, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	f->results[slot].digest += kt_data_digest(at_of(f, at), bytes, slot);
	return KT_OK;
}

static kt_status fake_compare(void *device, size_t slot, kt_at got, kt_at want, const void *want_host, size_t count,
                              enum kt_scalar element, const struct kt_data_tolerance *tolerance, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	assert_null(want_host);
	kt_data_compare(&f->results[slot], at_of(f, got), at_of(f, want), count, element, tolerance);
	return KT_OK;
}

static kt_status fake_copy(void *device, kt_at to, kt_at from, size_t bytes, struct kt_error *err)
{
	(void)err;
	memmove(at_of(device, to), at_of(device, from), bytes);
	return KT_OK;
}

static kt_status fake_upload(void *device, kt_at to, const void *from, size_t bytes, struct kt_error *err)
{
	(void)err;
	memcpy(at_of(device, to), from, bytes);
	return KT_OK;
}

static kt_status fake_download(void *device, void *to, kt_at from, size_t bytes, struct kt_error *err)
{
	(void)err;
	memcpy(to, at_of(device, from), bytes);
	return KT_OK;
}

static kt_status fake_clear(void *device, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	memset(f->results, 0, sizeof f->results);
	return KT_OK;
}

static kt_status fake_fetch(const struct kt_result **results, void *device, double limit_s, struct kt_error *err)
{
	struct fake *f = device;
	(void)limit_s, (void)err;
	*results = f->results;
	return KT_OK;
}

/* Where a candidate's own first outputs are kept for comparison. */
static bool is_snapshot(const struct fake *f, const unsigned char *at)
{
	for (size_t p = 0; p < f->engine.region->problem_count; p++) {
		if (at == f->field + f->engine.places[p].snapshot)
			return true;
	}
	return false;
}

/* Is there anything on the device that looks like the right output, where the candidate is not to write it? */
static void no_result_lies_about(struct fake *f, const float *y, const float *x, size_t n)
{
	float *found = malloc(n * sizeof *found);
	for (size_t i = 0; i < n; i++)
		found[i] = 2 * x[i];
	for (unsigned char *at = f->field; at + n * sizeof *found <= f->field + f->engine.field_bytes; at += 4)
		assert_true(at == (const unsigned char *)y || is_snapshot(f, at) || memcmp(at, found, n * sizeof *found) != 0);
	free(found);
}

static bool searching;

static kt_status fake_run(double *ns, void *device, const struct kt_run_launch *launch, double limit_s,
                          struct kt_error *err)
{
	struct fake *f = device;
	float *y = (float *)(void *)at_of(f, launch->at[0]), *x = (float *)(void *)at_of(f, launch->at[1]);
	(void)limit_s, (void)err;
	/* The original runs after the candidate it is compared with. */
	if (searching && launch->function != &f->engine.original.function)
		no_result_lies_about(f, y, x, launch->bytes[0] / sizeof *y);
	for (const struct kt_run_launch *next = launch; next; next = next->then) {
		const size_t all[] = {0, 1}, *of = next->arguments ? next->arguments : all;
		((const struct row *)next->function->handle)
		    ->run((float *)(void *)at_of(f, launch->at[of[0]]), (float *)(void *)at_of(f, launch->at[of[1]]),
		          launch->bytes[0] / sizeof *y);
	}
	if (ns)
		*ns = f->sample_ns;
	return KT_OK;
}

static kt_status fake_batch(double *samples, double *host_ns, void *device, const struct kt_run_launch *launches,
                            size_t count, bool sweep, double limit_s, struct kt_error *err)
{
	struct fake *f = device;
	kt_status status = KT_OK;
	bool search = searching;
	(void)sweep;
	searching = false;
	for (size_t i = 0; !status && i < count; i++) {
		if (launches[i].function)
			status = fake_run(NULL, device, &launches[i], limit_s, err);
		if (samples)
			samples[i] = f->sample_ns;
	}
	searching = search;
	*host_ns = f->host_ns * (double)count;
	return status;
}

static kt_status fake_settle(void *device, struct kt_error *err)
{
	struct fake *f = device;
	(void)err;
	f->settled++;
	return KT_OK;
}

static bool fake_health(struct kt_health *out, void *device)
{
	struct fake *f = device;
	*out = (struct kt_health){.sm_mhz = 1980, .processes = f->processes, .reasons = f->throttled ? f->reasons : 1};
	f->throttled -= f->throttled > 0;
	f->looks++;
	return f->tells;
}

static const struct kt_ops ops = {
    .budget = fake_budget, .reserve = fake_reserve, .host_memory = fake_host, .load = fake_load,
    .release = fake_release, .admit = fake_admit, .occupancy = fake_occupancy, .fill = fake_fill,
    .poison = fake_poison, .zones = fake_zones, .digest = fake_digest, .compare = fake_compare, .copy = fake_copy,
    .upload = fake_upload, .download = fake_download, .clear = fake_clear, .fetch = fake_fetch, .run = fake_run,
    .batch = fake_batch, .settle = fake_settle, .health = fake_health,
};

/* One tuning problem and, behind it, checks: an odd one off alignment, and one in place. */
enum { TUNING, ODD, IN_PLACE, PROBLEMS };

struct bench {
	struct fake fake;
	struct kt_backend backend;
	struct kt_arena *arena;
	struct kt_run_buffer buffers[2];
	struct kt_run_argument arguments[2];
	struct kt_run_data data[PROBLEMS][2];
	uint64_t values[2];
	struct kt_run_problem problems[PROBLEMS];
	struct kt_run_region region;
	struct kt_run_prepared prepared[PROBLEMS];
	struct kt_geometry geometry[PROBLEMS];
	double give_up_ns[PROBLEMS];
	bool skip[PROBLEMS];
	struct kt_trial trials[PROBLEMS];
	struct kt_run_notes notes[PROBLEMS];
	struct kt_error err;
};

static kt_status open_region(struct bench *b, const char *original)
{
	struct kt_run_failure failure = {false, SIZE_MAX};
	b->region.function = original;
	calls = 0;
	seen = NULL;
	return b->backend.region(b->prepared, &failure, b->backend.state, b->arena, &b->region, &b->err);
}

static void set_up(struct bench *b)
{
	*b = (struct bench){.arena = kt_arena_new(1 << 24)};
	struct kt_engine *e = &b->fake.engine;
	e->ops = &ops;
	e->state = &b->fake;
	e->fault = &b->fake.fault;
	e->align = 256;
	e->cache_bytes = 8192;
	e->offsets = true;
	e->shapes = 1;
	b->fake.sample_ns = 1000;
	b->fake.host_ns = 1500;
	b->fake.reasons = 0x40;
	kt_engine_backend(&b->backend, e);
	b->buffers[0] = (struct kt_run_buffer){"y", KT_F32, KT_OUT, 0, 1e-6};
	b->buffers[1] = (struct kt_run_buffer){"x", KT_F32, KT_IN, 0, 0};
	for (size_t i = 0; i < 2; i++)
		b->arguments[i] = (struct kt_run_argument){.is_buffer = true, .buffer = i};
	for (size_t p = 0; p < PROBLEMS; p++) {
		for (size_t i = 0; i < 2; i++)
			b->data[p][i] = (struct kt_run_data){.count = N + (p == ODD), .kind = KT_FILL_UNIFORM, .a = -1, .b = 1,
			                                     .seed = p + 1 + 10 * i, .offset = p == ODD && i ? 4 : 0,
			                                     .alias = KT_NO_ALIAS};
		b->problems[p] = (struct kt_run_problem){.text = "p", .data = b->data[p], .values = b->values,
		                                         .geometry = {{1, 1, 1}, {1, 1, 1}, 0}, .check = p != TUNING};
		b->geometry[p] = b->problems[p].geometry;
	}
	b->data[IN_PLACE][1].alias = 0;
	b->region = (struct kt_run_region){.name = "r", .instance = "r", .cubin = "c", .options = "", .limit_s = 1,
	                                   .argument_count = 2, .buffer_count = 2, .problem_count = PROBLEMS,
	                                   .arguments = b->arguments, .buffers = b->buffers, .problems = b->problems};
}

static void tear_down(struct bench *b)
{
	free(b->fake.field);
	free(b->fake.host);
	kt_arena_free(b->arena);
}

static enum kt_verdict try_plan(struct bench *b, const char *function, struct kt_run_step *further, size_t count,
                                struct kt_geometry **geometry, int64_t repetitions)
{
	struct kt_run_candidate candidate = {"C=1",   "c",     function, "", b->geometry, b->give_up_ns,
	                                     b->skip, count, further,  geometry};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = repetitions};
	struct kt_run_outcome outcome = {.verdict = KT_VERDICT_OK, .trials = b->trials, .notes = b->notes};
	memset(b->trials, 0, sizeof b->trials);
	memset(b->notes, 0, sizeof b->notes);
	calls = 0;
	seen = NULL;
	memset(left_y, 0, sizeof left_y);
	assert_int_equal(b->backend.try_candidate(&outcome, b->backend.state, b->arena, &candidate, &effort, &b->err),
	                 KT_OK);
	return outcome.verdict;
}

static enum kt_verdict try(struct bench *b, const char *function, int64_t repetitions)
{
	return try_plan(b, function, NULL, 0, NULL, repetitions);
}

static void verdicts(void **state)
{
	static const struct {
		const char *name;
		/* NaN stands behind a buffer in one run, a large number in the next: either is first */
		enum kt_verdict verdict, other;
	} rows[] = {{"right", KT_VERDICT_OK, KT_VERDICT_OK},
	            {"remembers_place", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER},
	            {"second_wrong", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC},
	            {"third_lazy", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_NON_DETERMINISTIC},
	            {"behind", KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_OUT_OF_BOUNDS},
	            {"before", KT_VERDICT_OUT_OF_BOUNDS, KT_VERDICT_OUT_OF_BOUNDS},
	            {"reads_behind", KT_VERDICT_NON_DETERMINISTIC, KT_VERDICT_WRONG_ANSWER},
	            {"changes_input", KT_VERDICT_WRONG_ANSWER, KT_VERDICT_WRONG_ANSWER},
	            {"nobody", KT_VERDICT_OVER_LIMIT, KT_VERDICT_NO_COMPILE}};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	searching = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		enum kt_verdict verdict = try(&b, rows[i].name, 5);
		if (verdict != rows[i].verdict && verdict != rows[i].other)
			fail_msg("%s: %d, %s", rows[i].name, (int)verdict, b.trials[0].detail ? b.trials[0].detail : "");
		/* Before, each run was at other addresses than the one before it. */
		if (strcmp(rows[i].name, "remembers_place") == 0)
			assert_non_null(strstr(b.trials[TUNING].detail, "other data at the same addresses"));
		/* Runs of the first problem are enough to see it. */
		assert_int_equal(b.trials[TUNING].verdict, verdict);
	}
	searching = false;
	tear_down(&b);
}

/* What only a check shows, and what only the look at all sets after timing shows. */
static void where_it_shows(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "clears_first", 5), KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(b.trials[TUNING].verdict, KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_WRONG_ANSWER);
	b.skip[IN_PLACE] = true;
	assert_int_equal(try(&b, "clears_first", 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_SKIPPED);
	assert_string_equal(b.trials[IN_PLACE].detail, "not asked");
	assert_int_equal(b.trials[TUNING].timing.samples, 5);
	assert_int_equal(b.trials[ODD].timing.samples, 0);
	assert_int_equal(b.notes[TUNING].ulp_count, 1);
	assert_int_equal(b.notes[TUNING].ulp[0].counts[0], N);
	b.skip[IN_PLACE] = false;
	assert_int_equal(try(&b, "late_lazy", 5), KT_VERDICT_WRONG_ANSWER);
	assert_non_null(strstr(b.trials[TUNING].detail, "after timing"));
	b.geometry[ODD].block[0] = 2000;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OVER_LIMIT);
	tear_down(&b);
}

/* A host reference for y = factor * x, as a script: the file is doubles behind a page of slots. */
static const char *write_host(struct bench *b, const char *path, const char *body)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file, "#!/usr/bin/env python3\n"
	              "import mmap, struct, sys, time, os\n"
	              "m = mmap.mmap(int(sys.argv[1]), 0)\n"
	              "slot = [struct.unpack_from('qd', m, 16 * i) for i in range(3)]\n"
	              "n, y, x = int(slot[2][1]), slot[0][0], slot[1][0]\n"
	              "def times(f, first=0):\n"
	              "    v = struct.unpack_from('%%dd' %% n, m, x)\n"
	              "    struct.pack_into('%%dd' %% (n - first), m, y + 8 * first, *[f * e for e in v[first:]])\n"
	              "%s\n", body);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0700), 0);
	b->region.host_program = path;
	return path;
}

/* The original and each candidate are compared with what the host computes. */
static void host_reference(void **state)
{
	static const struct {
		const char *body, *original, *says; /* NULL: it agrees */
	} rows[] = {
	    {"times(2)", "right", NULL},
	    {"times(2, 5)", "right", NULL}, /* what it leaves out is the original's */
	    {"times(2.00001)", "right", "y: 1000 elements are not what the host reference has, first at index 0"},
	    {"times(4)", "four_times", NULL},
	    {"pass", "right", "the host reference writes no element of y"},
	    {"sys.exit('no luck')", "right", "the host reference ended with 1: no luck"},
	    {"os.kill(os.getpid(), 11)", "right", "the host reference was ended by signal 11"},
	    {"time.sleep(60)", "right", "the host reference took longer than 1.0 s"},
	};
	char path[] = "/tmp/kt-host-XXXXXX";
	struct bench b;
	int file = mkstemp(path);
	struct rlimit before, no_files;
	int64_t buffers[] = {0, 1, -1};
	double sizes[PROBLEMS][3];
	(void)state;
	assert_true(file >= 0);
	close(file);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	no_files = before;
	no_files.rlim_cur = 0;
	(void)signal(SIGXFSZ, SIG_IGN);
	set_up(&b);
	b.region.host_count = 3;
	b.region.host_buffers = buffers;
	for (size_t p = 0; p < PROBLEMS; p++) {
		sizes[p][0] = sizes[p][1] = 0;
		sizes[p][2] = N + (p == ODD);
		b.problems[p].host_values = sizes[p];
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		(void)write_host(&b, path, rows[i].body);
		/* As the runner is confined: it writes no files. */
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &no_files), 0);
		kt_status status = open_region(&b, rows[i].original);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
		assert_int_equal(status, rows[i].says ? KT_ERR_INVALID : KT_OK);
		assert_int_equal(b.prepared[TUNING].by_host, rows[i].says != NULL);
		if (rows[i].says && !strstr(b.err.message, rows[i].says))
			fail_msg("%s", b.err.message);
		if (!rows[i].says)
			assert_int_equal(try(&b, rows[i].original, 3), KT_VERDICT_OK);
	}
	/* Within the tolerance of the original, and not of what it should be. */
	b.buffers[0].relative = 1e-6;
	(void)write_host(&b, path, "times(2 * (1 + 7e-7))");
	assert_int_equal(open_region(&b, "right"), KT_OK);
	b.err.message[0] = '\0';
	assert_int_equal(try(&b, "right", 3), KT_VERDICT_OK);
	assert_int_equal(try(&b, "slightly_less", 3), KT_VERDICT_WRONG_ANSWER);
	b.region.host_program = NULL;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "slightly_less", 3), KT_VERDICT_OK);
	/* Where a check disagrees the original stays what is compared with. */
	(void)write_host(&b, path, "times(2 if n == 1000 else 3)");
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_false(b.prepared[ODD].skipped);
	assert_non_null(strstr(b.prepared[ODD].detail, "1001 elements"));
	assert_true(b.prepared[ODD].by_host);
	assert_int_equal(try(&b, "right", 3), KT_VERDICT_OK);
	assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_OK);
	tear_down(&b);
	assert_int_equal(unlink(path), 0);
}

/* Launches that a verification has before anything is timed: of one problem, without checks. */
enum { VERIFIED = 4 };

static void set_up_alone(struct bench *b, size_t cache_bytes)
{
	set_up(b);
	b->fake.engine.cache_bytes = cache_bytes;
	b->skip[ODD] = b->skip[IN_PLACE] = true;
}

/* With a set for every launch of a batch there is none that may be wrong, be it the first, the last or in between. */
static void every_launch_is_looked_at(void **state)
{
	struct bench b;
	(void)state;
	set_up_alone(&b, 1 << 20);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	wrong_call = UINT32_MAX;
	assert_int_equal(try(&b, "wrong_once", 100), KT_VERDICT_OK);
	const unsigned launches = calls;
	assert_true(launches > VERIFIED + 100);
	for (wrong_call = 0; wrong_call < launches; wrong_call++) {
		const enum kt_verdict verdict = try(&b, "wrong_once", 100);
		if (verdict != KT_VERDICT_WRONG_ANSWER && verdict != KT_VERDICT_NON_DETERMINISTIC)
			fail_msg("call %u of %u is wrong and was not seen", wrong_call, launches);
	}
	tear_down(&b);
}

/* Whatever is left to a launch behind is missing after the last one, however many sets there are and launches. */
static void nothing_is_left_for_later(void **state)
{
	static const size_t caches[] = {1, 8192, 1 << 20};
	static const int64_t repetitions[] = {1, 5, 20, 61, 100};
	(void)state;
	for (size_t c = 0; c < sizeof caches / sizeof *caches; c++)
		for (size_t r = 0; r < sizeof repetitions / sizeof *repetitions; r++)
			for (deferred_by = 1; deferred_by <= LATE; deferred_by++)
				for (deferred_from = VERIFIED; deferred_from < VERIFIED + 3; deferred_from++) {
					struct bench b;
					set_up_alone(&b, caches[c]);
					assert_int_equal(open_region(&b, "right"), KT_OK);
					if (try(&b, "defers", repetitions[r]) == KT_VERDICT_OK)
						fail_msg("cache %zu, %d repetitions, from %u on left by %u", caches[c], (int)repetitions[r],
						         deferred_from, deferred_by);
					tear_down(&b);
				}
}

static void originals(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "behind"), KT_ERR_INVALID);
	assert_int_equal(open_region(&b, "clears_first"), KT_OK);
	assert_false(b.prepared[IN_PLACE].nondeterministic);
	/* Nobody launches it in place, where it gives another answer than with a buffer for each argument. */
	assert_true(b.prepared[IN_PLACE].skipped);
	assert_non_null(strstr(b.prepared[IN_PLACE].detail, "in place"));
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[IN_PLACE].verdict, KT_VERDICT_SKIPPED);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_false(b.prepared[IN_PLACE].skipped);
	/* The check on which the original cannot be launched is no check. */
	b.problems[ODD].geometry.block[0] = 2000;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_true(b.prepared[ODD].skipped && !b.prepared[TUNING].skipped);
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[ODD].verdict, KT_VERDICT_SKIPPED);
	/* One that wavers is followed as far as it wavers itself. */
	assert_int_equal(open_region(&b, "wavers"), KT_OK);
	assert_true(b.prepared[TUNING].nondeterministic);
	assert_int_equal(try(&b, "wavers", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "wavers_more", 5), KT_VERDICT_WRONG_ANSWER);
	b.problems[ODD].geometry.block[0] = 1;
	/* Whose runs differ on one problem need not repeat itself on another: within the tolerance, as ever. */
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "wavers_slightly", 5), KT_VERDICT_NON_DETERMINISTIC);
	assert_int_equal(open_region(&b, "wavers_there"), KT_OK);
	assert_true(b.prepared[TUNING].nondeterministic && b.prepared[ODD].nondeterministic);
	assert_int_equal(try(&b, "wavers_slightly", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "wavers_more", 5), KT_VERDICT_WRONG_ANSWER);
	/* One that reads what stands behind its buffer is told apart from one that wavers. */
	assert_int_equal(open_region(&b, "reads_behind"), KT_ERR_INVALID);
	assert_non_null(strstr(b.err.message, "NaN"));
	tear_down(&b);
}

static void in_place(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	b.buffers[0].direction = KT_INOUT;
	assert_int_equal(open_region(&b, "add"), KT_OK);
	assert_int_equal(try(&b, "add", 20), KT_VERDICT_OK);
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_WRONG_ANSWER);
	tear_down(&b);
}

/* Work that the device's events leave out, heat, company. */
static void circumstances(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(fabs(b.trials[TUNING].timing.median_ns - 1000) < 1e-6);
	assert_null(b.trials[TUNING].detail);
	assert_false(b.notes[TUNING].conditions.known);
	assert_true(b.fake.settled >= 2);
	b.fake.host_ns = 50000;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(fabs(b.trials[TUNING].timing.median_ns - 50000) < 1e-6);
	assert_non_null(strstr(b.trials[TUNING].detail, "host"));
	b.fake.host_ns = 1500;
	b.fake.tells = true;
	b.fake.processes = 2;
	b.fake.throttled = 3;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_int_equal(b.notes[TUNING].conditions.repeats, 2);
	assert_false(b.notes[TUNING].conditions.throttled);
	assert_int_equal(b.notes[TUNING].conditions.sm_mhz[1], 1980);
	assert_non_null(b.backend.warning(b.backend.state));
	assert_null(b.backend.warning(b.backend.state));
	b.fake.throttled = 100;
	assert_int_equal(try(&b, "right", 20), KT_VERDICT_OK);
	assert_true(b.notes[TUNING].conditions.throttled);
	assert_null(b.backend.warning(b.backend.state));
	tear_down(&b);
}

/* Heat and the supply throttle; idle clocks, clocks that were set, the power cap, boost groups and displays do not. */
static void reasons_for_low_clocks(void **state)
{
	static const struct {
		uint64_t bit;
		bool throttles;
	} rows[] = {{0x01, false}, {0x02, false}, {0x04, false}, {0x08, true},  {0x10, false},
	            {0x20, true},  {0x40, true},  {0x80, true},  {0x100, false}};
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		b.fake.throttled = 1;
		b.fake.reasons = rows[i].bit;
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
		if (b.notes[TUNING].conditions.repeats != rows[i].throttles)
			fail_msg("reason %#x: %u repeats", (unsigned)rows[i].bit, (unsigned)b.notes[TUNING].conditions.repeats);
		assert_false(b.notes[TUNING].conditions.throttled);
	}
	tear_down(&b);
}

/* A look at a healthy device holds for a while; one at a throttled device is never believed twice. */
static void looks_are_dear(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	((struct kt_engine *)b.backend.state)->health_age_s = 1e6;
	for (int i = 0; i < 5; i++)
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.fake.looks, 1);
	assert_int_equal(b.notes[TUNING].conditions.sm_mhz[1], 1980);
	((struct kt_engine *)b.backend.state)->health_age_s = 0;
	b.fake.throttled = 100;
	b.fake.reasons = 0x40;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	((struct kt_engine *)b.backend.state)->health_age_s = 1e6;
	const unsigned before = b.fake.looks;
	b.fake.throttled = 0;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_int_equal(b.fake.looks, before + 1);
	assert_false(b.notes[TUNING].conditions.throttled);
	tear_down(&b);
}

/* A spare runner and tools of the same client are no strangers. */
static void company(void **state)
{
	struct kt_run_candidate candidate = {"C=1", "c", "right", "", NULL, NULL, NULL, 0, NULL, NULL};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = 5, .companions = 2};
	struct bench b;
	(void)state;
	set_up(&b);
	b.fake.tells = true;
	b.fake.processes = 3;
	candidate.geometry = b.geometry;
	candidate.give_up_ns = b.give_up_ns;
	candidate.skip = b.skip;
	assert_int_equal(open_region(&b, "right"), KT_OK);
	for (unsigned processes = 3; processes < 5; processes++) {
		struct kt_run_outcome outcome = {.verdict = KT_VERDICT_OK, .trials = b.trials, .notes = b.notes};
		b.fake.processes = processes;
		assert_int_equal(b.backend.try_candidate(&outcome, b.backend.state, b.arena, &candidate, &effort, &b.err),
		                 KT_OK);
		assert_true((b.backend.warning(b.backend.state) != NULL) == (processes == 4));
	}
	tear_down(&b);
}

static void copies(void **state)
{
	struct kt_run_curve curves[KT_RUN_PATTERNS];
	struct kt_run_failure failure = {false, SIZE_MAX};
	struct kt_run_effort effort = {.warmups = 1, .repetitions = 3};
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(b.backend.copy_floor(curves, &failure, b.backend.state, &effort, 1 << 18, &b.err), KT_OK);
	for (size_t i = 0; i < KT_RUN_PATTERNS; i++) {
		assert_int_equal(curves[i].count, 3);
		assert_int_equal(curves[i].points[2].bytes, 1 << 18);
		assert_true(curves[i].points[2].median_ns > 0);
	}
	/* What has no room is left out. */
	assert_int_equal(b.backend.copy_floor(curves, &failure, b.backend.state, &effort, 1 << 24, &b.err), KT_OK);
	assert_int_equal(curves[0].count, 4);
	tear_down(&b);
}

/* An original that is two kernels: y = 2x, then y += y. The candidate is one kernel with all arguments. */
static void steps_are_one(void **state)
{
	size_t both[] = {0, 1}, twice[] = {0, 0};
	struct kt_run_step steps[] = {{"right", 2, both}, {"add", 2, twice}};
	struct kt_geometry further[PROBLEMS];
	struct bench b;
	(void)state;
	set_up(&b);
	for (size_t p = 0; p < PROBLEMS; p++) {
		further[p] = b.geometry[p];
		b.problems[p].further = &further[p];
	}
	b.region.step_count = 2;
	b.region.steps = steps;
	assert_int_equal(open_region(&b, NULL), KT_ERR_INVALID);
	assert_non_null(strstr(b.err.message, "several kernels"));
	b.fake.engine.sequences = true;
	assert_int_equal(open_region(&b, NULL), KT_OK);
	assert_int_equal(try(&b, "four_times", 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].timing.samples, 5);
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_WRONG_ANSWER);
	/* A kernel behind the first that cannot be launched is the original's fault, a missing one as well. */
	further[TUNING].block[0] = 2000;
	assert_int_not_equal(open_region(&b, NULL), KT_OK);
	further[TUNING].block[0] = 1;
	steps[1].function = "nobody";
	assert_int_not_equal(open_region(&b, NULL), KT_OK);
	assert_non_null(strstr(b.err.message, "nobody"));
	tear_down(&b);
}

/* A candidate that is two kernels: y = 2x, then y += y, or y += x where the second has all arguments. */
static void plans_are_one(void **state)
{
	size_t twice[] = {0, 0};
	struct kt_run_step doubles[] = {{"add", 2, twice}}, adds[] = {{"add", 0, NULL}};
	struct kt_geometry rows[PROBLEMS], *further[PROBLEMS];
	struct bench b;
	(void)state;
	set_up(&b);
	for (size_t p = 0; p < PROBLEMS; p++) {
		rows[p] = b.geometry[p];
		further[p] = &rows[p];
	}
	assert_int_equal(open_region(&b, "four_times"), KT_OK);
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_NO_COMPILE);
	assert_non_null(strstr(b.trials[TUNING].detail, "several kernels"));
	b.fake.engine.sequences = true;
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_OK);
	assert_int_equal(b.trials[TUNING].timing.samples, 5);
	assert_int_equal(try_plan(&b, "right", adds, 1, further, 5), KT_VERDICT_WRONG_ANSWER);
	/* What is behind the first is admitted as it is. */
	rows[TUNING].block[0] = 2000;
	assert_int_not_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_OK);
	rows[TUNING].block[0] = 1;
	doubles[0].function = "nobody";
	assert_int_equal(try_plan(&b, "right", doubles, 1, further, 5), KT_VERDICT_NO_COMPILE);
	tear_down(&b);
}

/* A kernel that does nothing is launched beside whatever is timed, where the backend has one. */
static void empty_launches(void **state)
{
	struct bench b;
	(void)state;
	set_up(&b);
	assert_int_equal(open_region(&b, "right"), KT_OK);
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(b.backend.launch_ns(b.backend.state) == 0);
	b.fake.engine.empty_copies = true;
	/* A candidate that is wrong is not timed, and nothing beside it. */
	assert_int_equal(try(&b, "changes_input", 5), KT_VERDICT_WRONG_ANSWER);
	assert_true(b.backend.launch_ns(b.backend.state) == 0);
	b.fake.sample_ns = 700;
	assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(fabs(b.backend.launch_ns(b.backend.state) - 700) < 1e-6);
	/* A few from then on; where most of what is remembered is newer, that counts. */
	b.fake.sample_ns = 800;
	for (int i = 0; i < 20; i++)
		assert_int_equal(try(&b, "right", 5), KT_VERDICT_OK);
	assert_true(fabs(b.backend.launch_ns(b.backend.state) - 800) < 1e-6);
	assert_int_equal(b.fake.engine.launch_count, KT_LAUNCHES + 40 * KT_LAUNCH_BATCH);
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(steps_are_one),
	    cmocka_unit_test(plans_are_one),
	    cmocka_unit_test(verdicts), cmocka_unit_test(where_it_shows), cmocka_unit_test(host_reference),
	    cmocka_unit_test(originals),
	    cmocka_unit_test(in_place), cmocka_unit_test(circumstances),  cmocka_unit_test(copies),
	    cmocka_unit_test(reasons_for_low_clocks), cmocka_unit_test(looks_are_dear), cmocka_unit_test(company),
	    cmocka_unit_test(empty_launches), cmocka_unit_test(every_launch_is_looked_at),
	    cmocka_unit_test(nothing_is_left_for_later),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
