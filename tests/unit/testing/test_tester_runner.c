/* What the client makes of its runner: it is ended, replaced, kept to its time; scripts take its place. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/proc.h"
#include "tester_fixture.h"

/*
 * What every script starts with. It is run with the log's path and arguments of its own; hello() answers the request
 * of that name.
 */
#define SCRIPT_HEAD \
	"import json, sys, time\n" \
	"log = open(sys.argv[1], 'a')\n" \
	"def note(text):\n" \
	"    log.write(text + '\\n'); log.flush()\n" \
	"def say(reply):\n" \
	"    print(json.dumps(reply), flush=True)\n" \
	"def hello(name, **more):\n" \
	"    say({'protocol': 1, 'device': dict({'vendor': 'None', 'name': name, 'cc': 0, 'multiprocessors': 1,\n" \
	"         'memory_bus_bits': 0, 'l2_bytes': 0}, **more)})\n" \
	"def prepared(problems):\n" \
	"    say({'problems': [{'problem': one['problem'], 'skipped': False, 'nondeterministic': False}\n" \
	"                      for one in problems]})\n"

/*
 * A runner without a device that ends on every region with a moved buffer, as a fault of the original on it would, and
 * finds every candidate wrong on the first check that it is asked for. It keeps what it was asked.
 */
static const char faulting[] =
    SCRIPT_HEAD
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        hello('Fault')\n"
    "        continue\n"
    "    if q['request'] == 'region':\n"
    "        moved = [i for i, one in enumerate(p) if any('offset' in b for b in one['buffers'])]\n"
    "        note('region %d %d' % (len(p), len(moved)))\n"
    "        if moved:\n"
    "            say({'error': 'a fault', 'code': 'device', 'fatal': True, 'problem': moved[0]})\n"
    "            sys.exit(3)\n"
    "        prepared(p)\n"
    "        continue\n"
    "    asked = [i for i, one in enumerate(p) if not one.get('skip')]\n"
    "    bad = [i for i in asked if i >= 2][:1]\n"
    "    note('try %d' % len(asked))\n"
    "    say({'verdict': 'wrong-answer' if bad else 'ok', 'problems': [{'verdict': 'wrong-answer' if i in bad else\n"
    "         'ok' if i in asked else 'skipped', 'detail': 'y: 1 wrong' if i in bad else 'not asked'} for i in "
    "range(len(p))]})\n";

static char *log_path(struct fixture *f)
{
	return kt_path_join(f->arena, f->folder, "asked");
}

/* The region, with this script as the runner. */
static struct kt_tester *open_script(struct fixture *f, const char *text, const char *arguments)
{
	char *script = kt_path_join(f->arena, f->folder, "runner.py");
	assert_int_equal(kt_fs_write(script, text, strlen(text), &f->err), KT_OK);
	f->config.replay = NULL;
	f->config.runner_launcher = kt_arena_printf(f->arena, "python3 %s %s%s", script, log_path(f), arguments);
	return open_region(f);
}

static char *read_log(struct fixture *f)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (kt_fs_read(&text, log_path(f), &f->err))
		fail_msg("%s", f->err.message);
	char *copy = kt_arena_strdup(f->arena, kt_buf_text(&text));
	kt_buf_free(&text);
	return copy;
}

static void checks_that_the_original_faults_on_are_left_out(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_script(f, faulting, "");
	unsigned rows = 0, moved = 0, again = 0, left = 1, asked = 0;
	const size_t checks = kt_tester_checks(t);
	assert_true(checks > 6);
	const struct kt_outcome out = try_checks(f, t, 256, KT_CHECKS_QUICK);
	/* One fault, and none of its kind is tried again. */
	assert_int_equal(
	    sscanf(read_log(f), "region %u %u\nregion %u %u\ntry %u\n", &rows, &moved, &again, &left, &asked), 5);
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
    SCRIPT_HEAD
    "note('start')\n"
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        hello('Ending')\n"
    "    elif q['request'] == 'region':\n"
    "        note('region\\nrows %d' % len(p))\n"
    "        prepared(p)\n"
    "    elif q['configuration'].endswith('512'):\n"
    "        say({'verdict': 'crashed', 'fatal': True, 'problems': [{'verdict': 'crashed'} for one in p]})\n"
    "        sys.exit(3)\n"
    "    else:\n"
    "        note('try with companions %d' % q.get('companions', 0))\n"
    "        say({'verdict': 'ok', 'problems': [{'verdict': 'ok'} for one in p]})\n";

/* After the first end there is always one that has started already, and the runner is told that it has company. */
static void a_spare_takes_over(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_script(f, ending, "");
	assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
	const size_t all = 2 + kt_tester_checks(t);
	assert_true(all > 8);
	assert_string_equal(read_log(f),
	                    kt_arena_printf(f->arena, "start\nregion\nrows %zu\ntry with companions 0\n", all));
	for (int round = 0; round < 3; round++) {
		const struct kt_outcome ended = try_block(f, t, 512);
		assert_int_equal(ended.verdict, KT_VERDICT_CRASHED);
		assert_true(ended.ended_runner);
		assert_int_equal(try_block(f, t, 128).verdict, KT_VERDICT_OK);
		assert_int_equal(kt_tester_starts(t), 2 + round);
	}
	const char *text = read_log(f);
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
	assert_int_equal(try_checks(f, t, 128, KT_CHECKS_ALL).row_count, all);
	const char *expected = kt_arena_printf(f->arena, "rows %zu\ntry with companions 5\n", all);
	/* A runner that waits may begin at any time. */
	char *rest = read_log(f);
	for (char *start; (start = strstr(rest, "start\n")) != NULL;)
		memmove(start, start + 6, strlen(start + 6) + 1);
	assert_string_equal(rest + strlen(rest) - strlen(expected), expected);
	kt_tester_close(t);
}

/*
 * A device on which everything takes argv[2] seconds a byte, and a try on a largest problem of more than argv[3] bytes
 * never ends. Each launch of an empty kernel takes 3000 ns, each of a candidate 5000.
 */
static const char slow[] =
    SCRIPT_HEAD
    "for line in sys.stdin:\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    if q['request'] == 'hello':\n"
    "        hello('Slow', memory_bytes=1 << 36)\n"
    "    elif q['request'] == 'region':\n"
    "        size = sum(4 * b['count'] for one in p for b in one['buffers'])\n"
    "        note('region %d' % size)\n"
    "        time.sleep(size * float(sys.argv[2]))\n"
    "        prepared(p)\n"
    "    else:\n"
    "        time.sleep(60 if len(p) == 2 and size > int(sys.argv[3]) else 0.1)\n"
    "        say({'verdict': 'ok', 'launch_ns': 3000, 'problems': [{'verdict': 'ok', 'timing': {'median_ns': 5000,\n"
    "             'mean_ns': 5100, 'min_ns': 4900, 'deviation_ns': 7, 'samples': 5}} for one in p]})\n";

static struct kt_tester *open_slow(struct fixture *f, const char *second_a_byte, const char *most_bytes)
{
	return open_script(f, slow, kt_arena_printf(f->arena, " %s %s", second_a_byte, most_bytes));
}

/* What the last region was as large as, and how many there were. */
static double last_region(unsigned *count, struct fixture *f)
{
	double bytes = 0;
	*count = 0;
	for (const char *at = read_log(f); at && sscanf(at, "region %lf", &bytes) == 1; at = strchr(at, '\n') + 1)
		++*count;
	return bytes;
}

/* What comes of BLOCK=128 on the largest problem that `seconds` allow; the original takes 1 us on both problems. */
static struct kt_row try_largest(struct fixture *f, struct kt_tester *t, double seconds)
{
	const struct kt_timing baseline[] = {{.median_ns = 1000}, {.median_ns = 1000}};
	const int64_t block = 128;
	const struct kt_candidate candidate = {"/nowhere.cubin", "scale", &block};
	struct kt_row row;
	assert_int_equal(kt_tester_largest(&row, f->arena, t, &candidate, baseline, 2, seconds, &f->err), KT_OK);
	return row;
}

/* On a device that sets up a gigabyte in two seconds the largest problem is what fits into the time, and says so. */
static void the_largest_problem_keeps_to_its_time(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "2e-9", "99999999999");
	unsigned regions;
	double start = kt_now_s();
	/* The original's own time would allow 32 GB, which would take a minute. */
	struct kt_row row = try_largest(f, t, 2);
	assert_true(kt_now_s() - start < 6);
	assert_int_equal(row.verdict, KT_VERDICT_OK);
	assert_string_equal(row.detail, "time allowed no larger one");
	const double bytes = last_region(&regions, f);
	assert_true(bytes > (64 << 20) && bytes < 1e9);
	assert_true(regions > 2);
	/* The next candidate finds it prepared. */
	row = try_largest(f, t, 2);
	assert_int_equal(row.verdict, KT_VERDICT_OK);
	assert_true(last_region(&regions, f) == bytes);
	kt_tester_close(t);
}

/* Where even twice the tuning problems would take too long there is a reason and no failure. */
static void no_time_for_a_larger_problem(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "2e-6", "99999999999");
	struct kt_row row = try_largest(f, t, 0.01);
	assert_int_equal(row.verdict, KT_VERDICT_SKIPPED);
	assert_non_null(strstr(row.detail, "it would take"));
	kt_tester_close(t);
}

/* A check that does not end is no candidate's fault, and whatever comes next goes on. */
static void a_largest_problem_that_does_not_end(void **state)
{
	struct fixture *f = *state;
	struct kt_tester *t = open_slow(f, "1e-12", "0");
	double start = kt_now_s();
	struct kt_row row = try_largest(f, t, 3);
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
	/* What is on record of another time explains no more than a part of a time. */
	kt_tester_set_reference(t, 2000);
	assert_true(fabs(try_block(f, t, 128).trials[1].timing.median_ns - 4700) < 1e-6);
	kt_tester_set_reference(t, 6000);
	assert_true(fabs(try_block(f, t, 128).trials[1].timing.median_ns - 5900) < 1e-6);
	kt_tester_set_reference(t, 0);
	assert_true(try_block(f, t, 128).trials[0].timing.median_ns == 5000);
	kt_tester_close(t);
}

/* It has the next request in its pipe while it answers one: 64 says whether it had. 512 ends it, 1024 after its reply. */
static const char ahead[] =
    SCRIPT_HEAD
    "import select\n"
    "for line in iter(sys.stdin.buffer.raw.readline, b''):\n"
    "    q = json.loads(line)\n"
    "    p = q.get('problems', [])\n"
    "    block = q.get('configuration', '').split('=')[-1]\n"
    "    if q['request'] == 'hello':\n"
    "        hello('Ahead')\n"
    "    elif q['request'] == 'region':\n"
    "        prepared(p)\n"
    "    elif block == '512':\n"
    "        time.sleep(0.3); sys.exit(3)\n"
    "    else:\n"
    "        if block == '64':\n"
    "            time.sleep(0.3)\n"
    "            note('next: %d' % len(select.select([sys.stdin], [], [], 0)[0]))\n"
    "        note(block)\n"
    "        say({'verdict': 'ok', 'registers': int(block), 'fatal': block == '1024',\n"
    "             'problems': [{'verdict': 'ok'} for one in p]})\n"
    "        if block == '1024':\n"
    "            sys.exit(3)\n";

static void begin_block(struct fixture *f, struct kt_tester *t, const int64_t *block, bool screen)
{
	const struct kt_effort effort = {.warmups = 2, .repetitions = 10, .checks = KT_CHECKS_QUICK, .screen = screen};
	const struct kt_candidate candidate = {"/nowhere.cubin", "scale", block};
	if (kt_tester_begin(f->arena, t, &candidate, &effort, NULL, &f->err))
		fail_msg("%s", f->err.message);
}

static struct kt_outcome end_block(struct fixture *f, struct kt_tester *t)
{
	struct kt_outcome out;
	if (kt_tester_end(&out, f->arena, t, &f->err))
		fail_msg("%s", f->err.message);
	return out;
}

/* Two are under way at a time, are answered in order, and nothing else can be asked meanwhile. */
static void the_next_request_waits_in_the_pipe(void **state)
{
	static const int64_t first = 64, second = 128;
	struct fixture *f = *state;
	struct kt_tester *t = open_script(f, ahead, "");
	struct kt_outcome out;
	double copy_ns[2];
	assert_int_equal(kt_tester_end(&out, f->arena, t, &f->err), KT_ERR_INVALID);
	begin_block(f, t, &first, false);
	assert_true(kt_tester_may_begin(t));
	begin_block(f, t, &second, true);
	assert_int_equal(kt_tester_begun(t), KT_TESTER_AHEAD);
	assert_false(kt_tester_may_begin(t));
	assert_int_equal(kt_tester_copy(copy_ns, t, &(struct kt_effort){.repetitions = 1}, &f->err), KT_ERR_INVALID);
	out = end_block(f, t);
	assert_int_equal(out.registers, first);
	assert_false(out.screened);
	assert_true(kt_tester_may_begin(t));
	out = end_block(f, t);
	assert_int_equal(out.registers, second);
	assert_true(out.screened);
	assert_string_equal(read_log(f), "next: 1\n64\n128\n");
	kt_tester_close(t);
}

/* However a candidate ends the runner, the one behind it is asked about again, once. */
static void whoever_is_behind_is_asked_again(void **state)
{
	static const int64_t last[] = {512, 1024}, behind = 128;
	static const enum kt_verdict verdicts[] = {KT_VERDICT_CRASHED, KT_VERDICT_OK};
	struct fixture *f = *state;
	struct kt_tester *t = open_script(f, ahead, "");
	for (size_t i = 0; i < 2; i++) {
		begin_block(f, t, &last[i], false);
		begin_block(f, t, &behind, false);
		struct kt_outcome out = end_block(f, t);
		assert_int_equal(out.verdict, verdicts[i]);
		assert_true(out.ended_runner);
		out = end_block(f, t);
		assert_int_equal(out.verdict, KT_VERDICT_OK);
		assert_int_equal(out.registers, behind);
		assert_false(out.ended_runner);
	}
	assert_string_equal(read_log(f), "128\n1024\n128\n");
	/* What nobody waits for any more is no reply to what comes next. */
	begin_block(f, t, &last[0], false);
	begin_block(f, t, &behind, false);
	kt_tester_abandon(t);
	assert_int_equal(kt_tester_begun(t), 0);
	assert_int_equal(try_block(f, t, 256).registers, 256);
	kt_tester_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(checks_that_the_original_faults_on_are_left_out), TEST(a_spare_takes_over),
	    TEST(the_largest_problem_keeps_to_its_time), TEST(no_time_for_a_larger_problem),
	    TEST(a_largest_problem_that_does_not_end), TEST(launches_are_set_off),
	    TEST(the_next_request_waits_in_the_pipe), TEST(whoever_is_behind_is_asked_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
