/*
 * The client against the real ktcc-runner with a synthetic recording, and
 * against shell scripts that misbehave as a runner can.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/proc.h"
#include "testing/testing.h"

#define FIXTURE KT_SOURCE_DIR "/tests/unit/testing/data/synthetic.jsonl"

struct fixture {
	struct kt_arena *arena;
	struct kt_error err;
	struct kt_config config;
	struct kt_region region;
	struct kt_instance instance;
	struct kt_template template_;
	char *folder;
};

static const char *variables[] = {"n"};
static int64_t problems[] = {100, 2000};
static int64_t block_values[] = {128, 256, 512};
static struct kt_parameter parameters[] = {
    {.name = "BLOCK", .value_count = 3, .values = block_values, .carrier = KT_CARRIER_MACRO, .original = 128}};
static struct kt_argument arguments[] = {
    {.name = "y", .type = "float *", .is_pointer = true},
    {.name = "x", .type = "const float *", .is_pointer = true, .is_const = true},
    {.name = "n", .type = "int"},
    {.name = "a", .type = "float"},
};
static enum kt_scalar elements[] = {KT_F32, KT_F32, KT_I32, KT_F32};
static struct kt_value values[] = {{.name = "a", .argument = 3, .text = "1.5f", .number = 1.5}};

static struct kt_clause_expr clause(struct fixture *f, const char *text)
{
	struct kt_clause_expr out = {.text = text};
	assert_int_equal(kt_expr_parse(&out.expr, f->arena, text, strlen(text), &f->err), KT_OK);
	return out;
}

static struct kt_buffer buffer(struct fixture *f, const char *name, int64_t argument, enum kt_direction direction)
{
	return (struct kt_buffer){.name = name, .argument = argument, .direction = direction, .count = clause(f, "n"),
	                          .absolute = -1, .relative = -1};
}

/* The runner of this build: the nearest runtime/ktcc-runner upward from this program. */
static void install_runner(struct fixture *f)
{
	char self[PATH_MAX] = "";
	ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
	assert_true(size > 0);
	const char *runner = NULL, *directory = self;
	while (!runner && strcmp(directory, "/") != 0) {
		directory = kt_path_dirname(f->arena, directory);
		char *path = kt_path_join(f->arena, directory, "runtime/ktcc-runner");
		runner = kt_fs_is_file(path) ? path : NULL;
	}
	assert_non_null(runner);
	char *libexec = kt_path_join(f->arena, f->folder, "libexec/ktcc");
	assert_int_equal(kt_fs_mkdirs(libexec, &f->err), KT_OK);
	assert_int_equal(symlink(runner, kt_path_join(f->arena, libexec, "ktcc-runner")), 0);
	assert_int_equal(setenv("KTUNE_PREFIX", f->folder, 1), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	f->arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	assert_int_equal(kt_fs_temp_dir(&f->folder, f->arena, "kt-tester", &f->err), KT_OK);
	install_runner(f);
	assert_int_equal(setenv("KTUNE_TRY_SECONDS", "5", 1), 0);
	f->config.replay = FIXTURE;
	struct kt_buffer *buffers = kt_arena_array(f->arena, 2, sizeof *buffers);
	buffers[0] = buffer(f, "y", 0, KT_OUT);
	buffers[1] = buffer(f, "x", 1, KT_IN);
	f->region = (struct kt_region){
	    .name = "scale", .kernel = "scale", .argument_count = 4, .arguments = arguments, .variable_count = 1,
	    .variables = variables, .problem_count = 2, .problems = problems, .buffer_count = 2, .buffers = buffers,
	    .value_count = 1, .values = values, .parameter_count = 1, .parameters = parameters, .instance_count = 1,
	    .grid_count = 1, .block_count = 1};
	f->region.grid[0] = clause(f, "ceil_div(n, BLOCK)");
	f->region.block[0] = clause(f, "BLOCK");
	f->instance = (struct kt_instance){.name = "scale", .elements = elements};
	f->region.instances = &f->instance;
	f->template_ = (struct kt_template){.region = &f->region, .parameter_count = 1, .parameters = parameters,
	                                    .grid_count = 1, .block_count = 1, .grid = f->region.grid,
	                                    .block = f->region.block};
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	int failed = kt_fs_remove_tree(f->folder, &f->err) != KT_OK;
	kt_arena_free(f->arena);
	free(f);
	return failed;
}

static struct kt_tester *open_region(struct fixture *f)
{
	struct kt_tester *t = NULL;
	if (kt_tester_open(&t, &f->config, &f->err) ||
	    kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err))
		fail_msg("%s", f->err.message);
	return t;
}

static struct kt_outcome try_block(struct fixture *f, struct kt_tester *t, int64_t block)
{
	struct kt_outcome out;
	struct kt_effort effort = {.warmups = 2, .repetitions = 10};
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	if (kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err))
		fail_msg("%s", f->err.message);
	return out;
}

static void a_recording_answers(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	assert_string_equal(kt_tester_device(t)->name, "Protocol Fixture");
	assert_false(kt_tester_wants_support(t));
	struct kt_outcome good = try_block(f, t, 128);
	assert_int_equal(good.verdict, KT_VERDICT_OK);
	assert_int_equal(good.registers, 16);
	assert_int_equal(good.occupancy_blocks, 8);
	assert_true(good.trials[1].timing.median_ns == 20 && good.trials[1].problem == 1);
	struct kt_outcome bad = try_block(f, t, 256);
	assert_int_equal(bad.verdict, KT_VERDICT_WRONG_ANSWER);
	assert_int_equal(bad.trials[0].verdict, KT_VERDICT_OK);
	assert_string_equal(bad.trials[1].detail, "y: 1 wrong elements, first at index 7");
	struct kt_outcome unknown = try_block(f, t, 512);
	assert_int_equal(unknown.verdict, KT_VERDICT_SKIPPED);
	assert_string_equal(unknown.trials[0].detail, "not recorded");
	assert_true(kt_tester_busy_seconds(t) > 0);
	kt_tester_close(t);
}

static void comparison_and_floor(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	struct kt_effort effort = {.warmups = 20, .repetitions = 100};
	int64_t block = 128, missing = 512;
	struct kt_candidate both[] = {{NULL, NULL, NULL}, {"/nowhere.cubin", "scale", &block}};
	struct kt_timing timings[4];
	double floor_ns[2];
	assert_int_equal(kt_tester_compare(timings, f->arena, t, both, 2, &effort, &f->err), KT_OK);
	assert_true(timings[0].median_ns == 30 && timings[1].median_ns == 40);
	assert_true(timings[2].median_ns == 10 && timings[3].median_ns == 20);
	assert_int_equal(kt_tester_floor(floor_ns, t, &effort, &f->err), KT_OK);
	assert_true(floor_ns[0] == 5 && floor_ns[1] == 6);
	both[1].configuration = &missing;
	assert_int_equal(kt_tester_compare(timings, f->arena, t, both, 2, &effort, &f->err), KT_ERR_MISSING);
	assert_non_null(strstr(f->err.message, "BLOCK=512"));
	kt_tester_close(t);
}

static void a_missing_runner_is_named(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	assert_int_equal(setenv("KTUNE_PREFIX", "/nowhere", 1), 0);
	assert_int_equal(kt_tester_open(&t, &f->config, &f->err), KT_ERR_MISSING);
	assert_non_null(strstr(f->err.message, "/nowhere"));
}

static void a_bad_recording_is_named(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	f->config.replay = "/nowhere.jsonl";
	assert_int_not_equal(kt_tester_open(&t, &f->config, &f->err), KT_OK);
	assert_non_null(strstr(f->err.message, "/nowhere.jsonl"));
	char *path = kt_path_join(f->arena, f->folder, "broken.jsonl");
	assert_int_equal(kt_fs_write(path, "{\"recording\":2}\n", 16, &f->err), KT_OK);
	f->config.replay = path;
	assert_int_equal(kt_tester_open(&t, &f->config, &f->err), KT_ERR_INVALID);
}

static void arguments_that_cannot_be_built(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = NULL;
	assert_int_equal(kt_tester_open(&t, &f->config, &f->err), KT_OK);
	f->region.value_count = 0;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "'a'"));
	f->region.value_count = 1;
	f->region.buffer_count = 1;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "'x'"));
	f->region.buffer_count = 2;
	f->region.buffers[1].count = clause(f, "n - 101");
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	f->region.buffers[1].count = clause(f, "unknown");
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	f->region.buffers[1].count = clause(f, "n");
	enum kt_scalar strange[] = {KT_F32, KT_F32, KT_SCALAR_NONE, KT_F32};
	f->instance.elements = strange;
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	f->instance.elements = elements;
	f->instance.name = "another";
	assert_int_equal(kt_tester_region(t, &f->template_, &f->instance, NULL, NULL, &f->err), KT_ERR_INVALID);
	assert_non_null(strstr(f->err.message, "another"));
	struct kt_outcome out;
	struct kt_effort effort = {.warmups = 2, .repetitions = 10};
	int64_t block = 128;
	struct kt_candidate candidate = {NULL, NULL, &block};
	assert_int_equal(kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err), KT_ERR_INVALID);
	kt_tester_close(t);
}

static void a_geometry_that_cannot_be_evaluated(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_region(f);
	struct kt_clause_expr grid = clause(f, "n / (BLOCK - 128)");
	f->template_.grid = &grid;
	struct kt_outcome out = try_block(f, t, 128);
	assert_int_equal(out.verdict, KT_VERDICT_OVER_LIMIT);
	assert_non_null(out.trials[1].detail);
	kt_tester_close(t);
}

/*
 * A runner that answers by the real one until a try of BLOCK=256 comes, and
 * then does `last`. It gets the real one's command line as "$@".
 */
static void misbehave(struct fixture *f, const char *last)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *script = kt_path_join(f->arena, f->folder, "runner.sh");
	kt_buf_addf(&text,
	            "while read -r line; do case $line in\n"
	            "*BLOCK=256*) %s;;\n"
	            "*) { printf '%%s\\n' '{\"request\":\"hello\"}' \"$region\" \"$line\"; } | \"$@\" | tail -n 1;;\n"
	            "esac; case $line in *'\"region\",'*) region=$line;; esac; done\n",
	            last);
	assert_int_equal(kt_fs_write(script, kt_buf_text(&text), text.size, &f->err), KT_OK);
	kt_buf_free(&text);
	f->config.runner_launcher = kt_arena_printf(f->arena, "sh %s", script);
}

static void check_misbehaviour(struct fixture *f, const char *last, enum kt_verdict verdict, const char *detail)
{
	misbehave(f, last);
	struct kt_tester *t = open_region(f);
	for (int round = 0; round < 2; round++) {
		struct kt_outcome out = try_block(f, t, 256);
		assert_int_equal(out.verdict, verdict);
		assert_int_equal(out.trials[0].verdict, verdict);
		if (!strstr(out.trials[1].detail, detail))
			fail_msg("'%s' does not hold '%s'", out.trials[1].detail, detail);
		/* The next candidate finds a runner that knows the region. */
		assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
	}
	kt_tester_close(t);
}

static void a_crash_is_a_verdict(void **state)
{
	check_misbehaviour(*state, "kill -SEGV $$", KT_VERDICT_CRASHED, "");
}

static void a_silent_end_is_a_crash(void **state)
{
	check_misbehaviour(*state, "exit 0", KT_VERDICT_CRASHED, "");
}

static void garbage_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo garbage", KT_VERDICT_CRASHED, "no reply");
}

static void another_type_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo '[1]'", KT_VERDICT_CRASHED, "no reply");
}

static void a_truncated_line_is_a_crash(void **state)
{
	check_misbehaviour(*state, "printf '{\"verdict\":'; exit 1", KT_VERDICT_CRASHED, "");
}

static void an_unknown_verdict_is_a_crash(void **state)
{
	check_misbehaviour(*state, "echo '{\"verdict\":\"splendid\",\"problems\":[{},{}]}'", KT_VERDICT_CRASHED,
			   "splendid");
}

static void a_fatal_reply_is_believed(void **state)
{
	check_misbehaviour(
	    *state,
	    "echo '{\"verdict\":\"out-of-bounds\",\"fatal\":true,\"problems\":[{\"verdict\":\"out-of-bounds\","
	    "\"detail\":\"far away\"},{\"verdict\":\"out-of-bounds\",\"detail\":\"far away\"}]}'; exit 3",
	    KT_VERDICT_OUT_OF_BOUNDS, "far away");
}

static void a_hang_is_timed_out(void **state)
{
	assert_int_equal(setenv("KTUNE_TRY_SECONDS", "0.5", 1), 0);
	double start = kt_now_s();
	check_misbehaviour(*state, "sleep 60", KT_VERDICT_TIMED_OUT, "");
	assert_true(kt_now_s() - start < 20);
}

/*
 * A runner without a device that ends on every region with a moved buffer, as a fault of the original on it would, and
 * finds every candidate wrong on the first check that it is asked for. It keeps what it was asked.
 */
static const char faulting[] =
    "import json, sys\n"
    "log = open(sys.argv[1], 'a')\n"
    "def say(reply):\n"
    "    print(json.dumps(reply), flush=True)\n"
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        say({'protocol': 1, 'device': {'vendor': 'None', 'name': 'Fault', 'cc': 0, 'multiprocessors': 1,\n"
    "             'memory_bus_bits': 0, 'l2_bytes': 0}})\n"
    "        continue\n"
    "    if q['request'] == 'region':\n"
    "        moved = [i for i, one in enumerate(p) if any('offset' in b for b in one['buffers'])]\n"
    "        log.write('region %d %d\\n' % (len(p), len(moved))); log.flush()\n"
    "        if moved:\n"
    "            say({'error': 'a fault', 'code': 'device', 'fatal': True, 'problem': moved[0]})\n"
    "            sys.exit(3)\n"
    "        texts = [one['problem'] for one in p]\n"
    "        say({'problems': [{'problem': t, 'skipped': False, 'nondeterministic': False} for t in texts]})\n"
    "        continue\n"
    "    asked = [i for i, one in enumerate(p) if not one.get('skip')]\n"
    "    bad = [i for i in asked if i >= 2][:1]\n"
    "    log.write('try %d\\n' % len(asked)); log.flush()\n"
    "    say({'verdict': 'wrong-answer' if bad else 'ok', 'problems': [{'verdict': 'wrong-answer' if i in bad else\n"
    "         'ok' if i in asked else 'skipped', 'detail': 'y: 1 wrong' if i in bad else 'not asked'} for i in "
    "range(len(p))]})\n";

static char *read_log(struct fixture *f, const char *path)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (kt_fs_read(&text, path, &f->err))
		fail_msg("%s", f->err.message);
	char *copy = kt_arena_strdup(f->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return copy;
}

static void checks_that_the_original_faults_on_are_left_out(void **state)
{
	struct fixture *f = *state;
	char *script = kt_path_join(f->arena, f->folder, "runner.py"), *log = kt_path_join(f->arena, f->folder, "asked");
	struct kt_outcome out;
	struct kt_effort effort = {.warmups = 2, .repetitions = 10, .checks = KT_CHECKS_QUICK};
	int64_t block = 256;
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	unsigned rows = 0, moved = 0, again = 0, left = 1, asked = 0;
	assert_int_equal(kt_fs_write(script, faulting, sizeof faulting - 1, &f->err), KT_OK);
	f->config.replay = NULL;
	f->config.runner_launcher = kt_arena_printf(f->arena, "python3 %s %s", script, log);
	struct kt_tester *t = open_region(f);
	const size_t checks = kt_tester_checks(t);
	assert_true(checks > 6);
	assert_int_equal(kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err), KT_OK);
	/* One fault, and none of its kind is tried again. */
	assert_int_equal(
	    sscanf(read_log(f, log), "region %u %u\nregion %u %u\ntry %u\n", &rows, &moved, &again, &left, &asked), 5);
	assert_true(moved > 1);
	assert_int_equal(left, 0);
	assert_int_equal(again, rows - moved);
	assert_int_equal(again, 2 + checks);
	assert_int_equal(kt_tester_starts(t), 2);
	/* Quick: six of them, and two problems. */
	assert_int_equal(asked, 8);
	/* What was right and not timed is no measurement. */
	assert_int_equal(out.verdict, KT_VERDICT_WRONG_ANSWER);
	assert_string_equal(out.failed, out.rows[2].problem);
	assert_true(out.rows[2].check);
	assert_int_equal(out.trials[0].verdict, KT_VERDICT_WRONG_ANSWER);
	assert_non_null(strstr(out.trials[0].detail, out.failed));
	assert_int_equal(out.rows[out.row_count - 1].verdict, KT_VERDICT_SKIPPED);
	kt_tester_close(t);
}

/* 512 ends the runner, all others are right. */
static const char ending[] =
    "import json, sys\n"
    "log = open(sys.argv[1], 'a')\n"
    "log.write('start\\n'); log.flush()\n"
    "def say(reply):\n"
    "    print(json.dumps(reply), flush=True)\n"
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        say({'protocol': 1, 'device': {'vendor': 'None', 'name': 'Ending', 'cc': 0, 'multiprocessors': 1,\n"
    "             'memory_bus_bits': 0, 'l2_bytes': 0}})\n"
    "    elif q['request'] == 'region':\n"
    "        log.write('region\\nrows %d\\n' % len(p)); log.flush()\n"
    "        say({'problems': [{'problem': one['problem'], 'skipped': False, 'nondeterministic': False} for one in "
    "p]})\n"
    "    elif q['configuration'].endswith('512'):\n"
    "        say({'verdict': 'crashed', 'fatal': True, 'problems': [{'verdict': 'crashed'} for one in p]})\n"
    "        sys.exit(3)\n"
    "    else:\n"
    "        log.write('try with companions %d\\n' % q.get('companions', 0)); log.flush()\n"
    "        say({'verdict': 'ok', 'problems': [{'verdict': 'ok'} for one in p]})\n";

/* After the first end there is always one that has started already, and the runner is told that it has company. */
static void a_spare_takes_over(void **state)
{
	struct fixture *f = *state;
	char *script = kt_path_join(f->arena, f->folder, "runner.py"), *log = kt_path_join(f->arena, f->folder, "asked");
	assert_int_equal(kt_fs_write(script, ending, sizeof ending - 1, &f->err), KT_OK);
	f->config.replay = NULL;
	f->config.runner_launcher = kt_arena_printf(f->arena, "python3 %s %s", script, log);
	struct kt_tester *t = open_region(f);
	assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
	const size_t all = 2 + kt_tester_checks(t);
	assert_true(all > 8);
	assert_string_equal(read_log(f, log),
	                    kt_arena_printf(f->arena, "start\nregion\nrows %zu\ntry with companions 0\n", all));
	for (int round = 0; round < 3; round++) {
		const struct kt_outcome ended = try_block(f, t, 512);
		assert_int_equal(ended.verdict, KT_VERDICT_CRASHED);
		assert_true(ended.ended_runner);
		assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
		assert_int_equal(kt_tester_starts(t), 2 + round);
	}
	const char *text = read_log(f, log);
	/* One that leaves, two that wait. */
	assert_non_null(strstr(text, "try with companions 3\n"));
	unsigned regions = 0;
	for (const char *at = text; (at = strstr(at, "region\n")) != NULL; at++)
		regions++;
	assert_int_equal(regions, 4);
	/* What is started again prepares no more than the few checks of a search, until somebody asks for all. */
	const char *last = strrchr(text, 'r');
	while (last > text && strncmp(last, "rows", 4) != 0)
		last--;
	assert_true(strncmp(last, "rows 8\n", 7) == 0);
	struct kt_outcome out;
	const struct kt_effort effort = {.warmups = 2, .repetitions = 10, .checks = KT_CHECKS_ALL};
	int64_t block = 128;
	const struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	assert_int_equal(kt_tester_try(&out, f->arena, t, &candidate, &effort, NULL, &f->err), KT_OK);
	assert_int_equal(out.row_count, all);
	const char *expected = kt_arena_printf(f->arena, "rows %zu\ntry with companions 5\n", all);
	text = read_log(f, log);
	assert_string_equal(text + strlen(text) - strlen(expected), expected);
	kt_tester_close(t);
}

/*
 * A device on which everything takes argv[2] seconds a byte, and a try on a largest problem of more than argv[3] bytes
 * never ends. Each
 * launch of an empty kernel takes 3000 ns, each of a candidate 5000.
 */
static const char slow[] =
    "import json, sys, time\n"
    "log = open(sys.argv[1], 'a')\n"
    "def say(reply):\n"
    "    print(json.dumps(reply), flush=True)\n"
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        say({'protocol': 1, 'device': {'vendor': 'None', 'name': 'Slow', 'cc': 0, 'multiprocessors': 1,\n"
    "             'memory_bus_bits': 0, 'l2_bytes': 0, 'memory_bytes': 1 << 36}})\n"
    "    elif q['request'] == 'region':\n"
    "        size = sum(4 * b['count'] for one in p for b in one['buffers'])\n"
    "        log.write('region %d\\n' % size); log.flush()\n"
    "        time.sleep(size * float(sys.argv[2]))\n"
    "        say({'problems': [{'problem': one['problem'], 'skipped': False, 'nondeterministic': False} for one in "
    "p]})\n"
    "    else:\n"
    "        time.sleep(60 if len(p) == 2 and size > int(sys.argv[3]) else 0.1)\n"
    "        say({'verdict': 'ok', 'launch_ns': 3000, 'problems': [{'verdict': 'ok', 'timing': {'median_ns': 5000,\n"
    "             'mean_ns': 5100, 'min_ns': 4900, 'deviation_ns': 7, 'samples': 5}} for one in p]})\n";

static struct kt_tester *open_slow(struct fixture *f, const char *second_a_byte, const char *most_bytes)
{
	char *script = kt_path_join(f->arena, f->folder, "runner.py"), *log = kt_path_join(f->arena, f->folder, "asked");
	assert_int_equal(kt_fs_write(script, slow, sizeof slow - 1, &f->err), KT_OK);
	f->config.replay = NULL;
	f->config.runner_launcher =
	    kt_arena_printf(f->arena, "python3 %s %s %s %s", script, log, second_a_byte, most_bytes);
	return open_region(f);
}

/* What the last region was as large as, and how many there were. */
static double last_region(unsigned *count, struct fixture *f)
{
	double bytes = 0;
	*count = 0;
	for (const char *at = read_log(f, kt_path_join(f->arena, f->folder, "asked"));
	     at && sscanf(at, "region %lf", &bytes) == 1; at = strchr(at, '\n') + 1)
		++*count;
	return bytes;
}

/* On a device that sets up a gigabyte in two seconds the largest problem is what fits into the time, and says so. */
static void the_largest_problem_keeps_to_its_time(void **state)
{
	const struct kt_timing baseline[] = {{.median_ns = 1000}, {.median_ns = 1000}};
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "2e-9", "99999999999");
	int64_t block = 128;
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	struct kt_row row;
	unsigned regions;
	double start = kt_now_s();
	/* The original's own time would allow 32 GB, which would take a minute. */
	assert_int_equal(kt_tester_largest(&row, f->arena, t, &candidate, baseline, 2, 2, &f->err), KT_OK);
	assert_true(kt_now_s() - start < 6);
	assert_int_equal(row.verdict, KT_VERDICT_OK);
	assert_string_equal(row.detail, "time allowed no larger one");
	const double bytes = last_region(&regions, f);
	assert_true(bytes > (64 << 20) && bytes < 1e9);
	assert_true(regions > 2);
	/* The next candidate finds it prepared. */
	assert_int_equal(kt_tester_largest(&row, f->arena, t, &candidate, baseline, 2, 2, &f->err), KT_OK);
	assert_int_equal(row.verdict, KT_VERDICT_OK);
	assert_true(last_region(&regions, f) == bytes);
	kt_tester_close(t);
}

/* Where even twice the tuning problems would take too long there is a reason and no failure. */
static void no_time_for_a_larger_problem(void **state)
{
	const struct kt_timing baseline[] = {{.median_ns = 1000}, {.median_ns = 1000}};
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "2e-6", "99999999999");
	int64_t block = 128;
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	struct kt_row row;
	assert_int_equal(kt_tester_largest(&row, f->arena, t, &candidate, baseline, 2, 0.01, &f->err), KT_OK);
	assert_int_equal(row.verdict, KT_VERDICT_SKIPPED);
	assert_non_null(strstr(row.detail, "it would take"));
	kt_tester_close(t);
}

/* A check that does not end is no candidate's fault, and whatever comes next goes on. */
static void a_largest_problem_that_does_not_end(void **state)
{
	const struct kt_timing baseline[] = {{.median_ns = 1000}, {.median_ns = 1000}};
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "1e-12", "0");
	int64_t block = 128;
	struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	struct kt_row row;
	double start = kt_now_s();
	assert_int_equal(kt_tester_largest(&row, f->arena, t, &candidate, baseline, 2, 3, &f->err), KT_OK);
	assert_true(kt_now_s() - start < 20);
	assert_int_equal(row.verdict, KT_VERDICT_SKIPPED);
	assert_non_null(strstr(row.detail, "longer than"));
	assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
	kt_tester_close(t);
}

static void count_one(void *state)
{
	++*(unsigned *)state;
}

/* Times are those of the process that is on record, and other work goes on while one waits for them. */
static void launches_are_set_off(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "1e-12", "99999999999");
	unsigned calls = 0;
	kt_tester_meanwhile(t, count_one, &calls);
	assert_true(try_block(f, t, 128).trials[1].timing.median_ns == 5000);
	assert_true(calls > 1 && kt_tester_launch_ns(t) == 3000);
	kt_tester_meanwhile(t, NULL, NULL);
	kt_tester_set_reference(t, 2800);
	const struct kt_outcome out = try_block(f, t, 128);
	const struct kt_timing *timing = &out.trials[1].timing;
	assert_true(timing->median_ns == 4800 && timing->mean_ns == 4900 && timing->min_ns == 4700 &&
	            timing->deviation_ns == 7);
	kt_tester_set_reference(t, 0);
	assert_true(try_block(f, t, 128).trials[0].timing.median_ns == 5000);
	kt_tester_close(t);
}

static void tolerances_by_type(void **state)
{
	double absolute = 0, relative = 0;
	(void)state;
	kt_tolerance_default(&absolute, &relative, KT_F32);
	assert_true(absolute == 1e-5 && relative == 1e-4);
	kt_tolerance_default(&absolute, &relative, KT_BF16);
	assert_true(absolute == 1e-2 && relative == 1.6e-2);
	kt_tolerance_default(&absolute, &relative, KT_I32);
	assert_true(absolute == 0 && relative == 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_recording_answers), TEST(comparison_and_floor), TEST(a_missing_runner_is_named),
	    TEST(a_bad_recording_is_named), TEST(arguments_that_cannot_be_built),
	    TEST(a_geometry_that_cannot_be_evaluated), TEST(a_crash_is_a_verdict), TEST(a_silent_end_is_a_crash),
	    TEST(garbage_is_a_crash), TEST(another_type_is_a_crash), TEST(a_truncated_line_is_a_crash),
	    TEST(an_unknown_verdict_is_a_crash), TEST(a_fatal_reply_is_believed), TEST(a_hang_is_timed_out),
	    TEST(checks_that_the_original_faults_on_are_left_out),
	    TEST(a_spare_takes_over), TEST(the_largest_problem_keeps_to_its_time), TEST(no_time_for_a_larger_problem),
	    TEST(a_largest_problem_that_does_not_end), TEST(launches_are_set_off), cmocka_unit_test(tolerances_by_type),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
