/* What the engine finds out about the original: can it be compared with, alone, in steps, by its host reference? */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

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
	/* Where numbers cancel it wavers as much around zero; that says nothing about larger results. */
	assert_int_equal(open_region(&b, "wavers_around"), KT_OK);
	assert_int_equal(try(&b, "wavers_around", 5), KT_VERDICT_OK);
	assert_int_equal(try(&b, "once_only", 5), KT_VERDICT_WRONG_ANSWER);
	/* Whose results are all noise is none to compare with: every answer would be right. */
	assert_int_equal(open_region(&b, "begins_with_poison"), KT_ERR_INVALID);
	assert_non_null(strstr(b.err.message, "inout"));
	/* One that reads what stands behind its buffer is told apart from one that wavers. */
	assert_int_equal(open_region(&b, "reads_behind"), KT_ERR_INVALID);
	assert_non_null(strstr(b.err.message, "NaN"));
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
		/* On a busy machine python itself takes its time. */
		b.region.limit_s = rows[i].says != NULL && strstr(rows[i].says, "longer") != NULL ? 1 : 20;
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
	b.region.limit_s = 20;
	/* Within the tolerance of the original, and not of what it should be. */
	b.limits[0].relative = 1e-6;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(originals),
	    cmocka_unit_test(steps_are_one),
	    cmocka_unit_test(host_reference),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
