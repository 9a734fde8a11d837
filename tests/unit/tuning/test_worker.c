/* The client of ktcc-nvrtc: every way in which a process may end is an answer. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/proc.h"
#include "tuning/worker.h"

static struct kt_arena *arena;
static char *folder;
static struct kt_error err;

static int set_up(void **state)
{
	(void)state;
	arena = kt_arena_new((size_t)16 << 20);
	assert_int_equal(kt_fs_temp_dir(&folder, arena, "ktune-worker", &err), KT_OK);
	assert_int_equal(unsetenv("KTUNE_TEST_NVRTC"), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(kt_fs_remove_tree(folder, &err), KT_OK);
	kt_arena_free(arena);
	return 0;
}

static struct kt_worker *start(struct kt_screening *screening, const char *library)
{
	struct kt_worker *worker = NULL;

	screening->program = KT_NVRTC_PROGRAM;
	screening->library = library;
	assert_int_equal(kt_worker_start(&worker, screening, &err), KT_OK);
	return worker;
}

static void ask(struct kt_worker *worker, const char *text)
{
	char *source = kt_path_join(arena, folder, "unit.cu"), *cubin = kt_path_join(arena, folder, "unit.cubin");

	assert_int_equal(kt_fs_write(source, text, strlen(text), &err), KT_OK);
	/* One that has ended already says how when it is polled. */
	if (kt_worker_ask(worker, source, cubin, ",\"options\":[\"-arch=sm_90\"]", &err) != KT_OK)
		assert_int_equal(err.code, KT_ERR_CHILD);
}

static enum kt_worker_end wait_for(struct kt_buf *reply, struct kt_worker *worker)
{
	enum kt_worker_end end;
	const double until_s = kt_now_s() + 60;

	while ((end = kt_worker_poll(reply, worker)) == KT_WORKER_BUSY && kt_now_s() < until_s) {
		const int fd = kt_worker_fd(worker);

		kt_wait_readable(&fd, 1, 0.05);
	}
	return end;
}

static void ends_are_answers(void **state)
{
	static const struct {
		const char *text;
		enum kt_worker_end end;
		const char *said;
	} rows[] = {
	    {"// fault-91", KT_WORKER_CRASHED, "signal 11"},
	    {"// fault-92", KT_WORKER_HUNG, "longer than 0.3 s"},
	    {"// fault-93", KT_WORKER_MEMORY, "compiling"},
	    /* What the library prints is no answer. */
	    {"// fault-94", KT_WORKER_REFUSED, "\"ok\":false"},
	    {"int x;", KT_WORKER_REFUSED, "\"ok\":false"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf reply = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_screening screening = {.most_s = 0.3, .most_bytes = INT64_C(1) << 30};
		struct kt_worker *worker = start(&screening, KT_FAKE_NVRTC);

		if (rows[i].end != KT_WORKER_HUNG)
			screening.most_s = 60;
		ask(worker, rows[i].text);
#ifdef __SANITIZE_ADDRESS__
		if (rows[i].end == KT_WORKER_MEMORY) {
			kt_worker_close(worker);
			continue;
		}
#endif
		assert_int_equal(wait_for(&reply, worker), rows[i].end);
		assert_non_null(strstr(kt_buf_text(&reply), rows[i].said));
		kt_worker_close(worker);
		kt_buf_free(&reply);
	}
}

/* The process ids of this program's children, up to `most`. */
static size_t children(pid_t *out, size_t most)
{
	char path[64], line[4096] = "";
	FILE *file;
	size_t count = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "r");
	assert_non_null(file);
	if (fgets(line, sizeof line, file) != NULL)
		for (char *at = line, *end; count < most; at = end) {
			const long pid = strtol(at, &end, 10);

			if (end == at)
				break;
			out[count++] = (pid_t)pid;
		}
	fclose(file);
	return count;
}

static void a_kill_is_nobodys_verdict(void **state)
{
	struct kt_buf reply = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_screening screening = {.most_s = 60};
	struct kt_worker *worker = start(&screening, KT_FAKE_NVRTC);
	pid_t pids[8];

	(void)state;
	ask(worker, "// fault-92");
	/* It is at work, not on its way there. */
	assert_int_equal(kt_worker_poll(&reply, worker), KT_WORKER_BUSY);
	assert_int_equal(children(pids, 8), 1);
	assert_int_equal(kill(pids[0], SIGKILL), 0);
	assert_int_equal(wait_for(&reply, worker), KT_WORKER_KILLED);
	kt_worker_close(worker);
	assert_int_equal(children(pids, 8), 0);
	kt_buf_free(&reply);
}

static void no_library_is_no_verdict(void **state)
{
	static const struct {
		const char *library, *release, *said;
	} rows[] = {
	    {"/nonexistent/libnvrtc.so", NULL, "/nonexistent/libnvrtc.so"},
	    {"/lib/x86_64-linux-gnu/libm.so.6", NULL, "nvrtcVersion"},
	    {KT_FAKE_NVRTC, "12.4", "of release 13.0, nvcc of 12.4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_buf reply = KT_BUF(KT_LIMIT_LINE_BYTES);
		struct kt_screening screening = {.release = rows[i].release};
		struct kt_worker *worker = start(&screening, rows[i].library);

		/* It may have ended before it is asked. */
		const kt_status asked = kt_worker_ask(worker, "unit.cu", "unit.cubin", "", &err);

		assert_true(asked == KT_OK || asked == KT_ERR_CHILD);
		assert_int_equal(wait_for(&reply, worker), KT_WORKER_UNUSABLE);
		assert_non_null(strstr(kt_buf_text(&reply), rows[i].said));
		kt_worker_close(worker);
		kt_buf_free(&reply);
	}
}

static void answers_come_in_order(void **state)
{
	struct kt_buf reply = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_screening screening = {.most_s = 60};
	struct kt_worker *worker;
	char *real = kt_path_real(arena, "/usr/local/cuda/lib64/libnvrtc.so"),
	     *cubin = kt_path_join(arena, folder, "unit.cubin");

	(void)state;
	if (real == NULL)
		skip();
	worker = start(&screening, real);
	ask(worker, "__global__ void k(float *x) { x[0] = INT_MAX; }");
	assert_int_equal(kt_worker_asked(worker), 1);
	assert_int_equal(wait_for(&reply, worker), KT_WORKER_OK);
	assert_true(kt_fs_is_file(cubin));
	ask(worker, "__global__ void k(float *x) { x[0] = undeclared; }");
	assert_int_equal(kt_worker_ask(worker, kt_path_join(arena, folder, "unit.cu"), cubin,
				       ",\"options\":[\"-arch=sm_90\"]", &err),
			 KT_OK);
	assert_int_equal(kt_worker_asked(worker), 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(wait_for(&reply, worker), KT_WORKER_REFUSED);
		assert_non_null(strstr(kt_buf_text(&reply), "undeclared"));
	}
	assert_int_equal(kt_worker_asked(worker), 0);
	kt_worker_close(worker);
	kt_buf_free(&reply);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(ends_are_answers),
	    TEST(a_kill_is_nobodys_verdict),
	    TEST(no_library_is_no_verdict),
	    TEST(answers_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
