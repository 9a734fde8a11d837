/* Child processes: output, limits, death. */
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
#include "base/proc.h"

static kt_status shell(struct kt_proc_result *result, const char *script, double timeout_s, struct kt_buf *out,
                       struct kt_buf *errors)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct kt_proc_options options = {.timeout_s = timeout_s};
	struct kt_error err;

	return kt_proc_run(result, (char *const *)argv, &options, out, errors, &err);
}

static void output_and_code(void **state)
{
	struct kt_buf out = KT_BUF(1000), errors = KT_BUF(1000);
	struct kt_proc_result result;

	(void)state;
	assert_int_equal(shell(&result, "echo one; echo two >&2; exit 7", 0, &out, &errors), KT_OK);
	assert_false(result.signalled);
	assert_int_equal(result.code, 7);
	assert_string_equal(kt_buf_text(&out), "one\n");
	assert_string_equal(kt_buf_text(&errors), "two\n");
	kt_buf_free(&out);
	kt_buf_free(&errors);
}

static void missing_program(void **state)
{
	const char *argv[] = {"no-such-program-anywhere", NULL};
	struct kt_proc_result result;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_proc_run(&result, (char *const *)argv, NULL, NULL, NULL, &err), KT_ERR_MISSING);
}

static void time_limit_ends_the_whole_group(void **state)
{
	struct kt_buf out = KT_BUF(1000);
	struct kt_proc_result result;
	double started = kt_now_s();
	pid_t grandchild;

	(void)state;
	assert_int_equal(shell(&result, "sleep 60 & echo $!; wait", 0.3, &out, &out), KT_OK);
	assert_true(result.timed_out);
	assert_true(kt_now_s() - started < 10);
	grandchild = (pid_t)strtol(kt_buf_text(&out), NULL, 10);
	assert_true(grandchild > 0);
	for (int i = 0; i < 100 && kill(grandchild, 0) == 0; i++)
		usleep(10000);
	/* A zombie waiting for init still answers; what matters is that nothing sleeps on. */
	{
		char path[64], state_text[256] = "";
		FILE *file;

		snprintf(path, sizeof path, "/proc/%d/stat", (int)grandchild);
		file = fopen(path, "r");
		if (file != NULL) {
			assert_non_null(fgets(state_text, sizeof state_text, file));
			fclose(file);
			assert_non_null(strstr(state_text, ") Z"));
		}
	}
	kt_buf_free(&out);
}

static void a_background_process_does_not_hold_us(void **state)
{
	struct kt_buf out = KT_BUF(1000);
	struct kt_proc_result result;
	double started = kt_now_s();

	(void)state;
	assert_int_equal(shell(&result, "sleep 30 & echo done", 0, &out, &out), KT_OK);
	assert_true(kt_now_s() - started < 10);
	assert_string_equal(kt_buf_text(&out), "done\n");
	kt_buf_free(&out);
}

static void started_processes_are_polled(void **state)
{
	const char *argv[] = {"sh", "-c", "echo begin; sleep 0.2; echo end; kill -9 $$", NULL};
	struct kt_proc *proc;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_proc_start(&proc, (char *const *)argv, NULL, &err), KT_OK);
	assert_false(kt_proc_poll(proc, 0));
	while (!kt_proc_poll(proc, 0.05))
		;
	assert_true(kt_proc_result(proc)->signalled);
	assert_int_equal(kt_proc_result(proc)->code, SIGKILL);
	assert_string_equal(kt_buf_text(kt_proc_output(proc)), "begin\nend\n");
	kt_proc_free(proc);
	kt_proc_free(NULL);
}

static void what_never_stops_writing_is_waited_for_no_longer(void **state)
{
	const char *argv[] = {"yes", NULL};
	const double started = kt_now_s();
	struct kt_proc *proc;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_proc_start(&proc, (char *const *)argv, NULL, &err), KT_OK);
	assert_false(kt_proc_poll(proc, 0.2));
	assert_true(kt_now_s() - started < 5);
	assert_true(kt_proc_output(proc)->size <= KT_LIMIT_OUTPUT_BYTES);
	kt_proc_free(proc);
}

static void a_file_is_the_input(void **state)
{
	const char *argv[] = {"cat", NULL};
	const struct kt_proc_options options = {.input = KT_SOURCE_DIR "/LICENSE"}, none = {.input = "/no/such/file"};
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_proc *proc;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_fs_read(&text, options.input, &err), KT_OK);
	assert_int_equal(kt_proc_start(&proc, (char *const *)argv, &options, &err), KT_OK);
	assert_true(kt_proc_poll(proc, 5));
	assert_int_equal(kt_proc_result(proc)->code, 0);
	assert_string_equal(kt_buf_text(kt_proc_output(proc)), kt_buf_text(&text));
	kt_proc_free(proc);
	kt_buf_free(&text);
	assert_int_equal(kt_proc_start(&proc, (char *const *)argv, &none, &err), KT_ERR_MISSING);
	assert_non_null(strstr(err.message, "/no/such/file"));
}

static void pipe_round_trip(void **state)
{
	const char *argv[] = {"cat", NULL};
	struct kt_buf line = KT_BUF(1 << 20);
	struct kt_pipe *child;
	struct kt_error err;
	char *big = malloc(300001);

	(void)state;
	assert_non_null(big);
	assert_int_equal(kt_pipe_start(&child, (char *const *)argv, &err), KT_OK);
	assert_int_equal(kt_pipe_send(child, "first", &err), KT_OK);
	assert_int_equal(kt_pipe_send(child, "second", &err), KT_OK);
	assert_int_equal(kt_pipe_receive(&line, child, 5, &err), KT_OK);
	assert_string_equal(kt_buf_text(&line), "first");
	assert_int_equal(kt_pipe_receive(&line, child, 5, &err), KT_OK);
	assert_string_equal(kt_buf_text(&line), "second");
	assert_int_equal(kt_pipe_receive(&line, child, 0.1, &err), KT_ERR_LIMIT);
	memset(big, 'x', 60000);
	big[60000] = '\0';
	assert_int_equal(kt_pipe_send(child, big, &err), KT_OK);
	assert_int_equal(kt_pipe_receive(&line, child, 5, &err), KT_OK);
	assert_int_equal(line.size, 60000);
	kt_pipe_close(child);
	kt_buf_free(&line);
	free(big);
}

static void pipe_reports_how_the_child_died(void **state)
{
	const char *argv[] = {"sh", "-c", "read x; echo broken >&2; kill -SEGV $$", NULL};
	struct kt_buf line = KT_BUF(1000);
	const char *ends[] = {"sh", "-c", "sleep 0.2; exit 7", NULL};
	struct kt_proc *other;
	struct kt_pipe *child;
	struct kt_error err;

	(void)state;
	assert_int_equal(kt_pipe_start(&child, (char *const *)argv, &err), KT_OK);
	assert_int_equal(kt_pipe_send(child, "go", &err), KT_OK);
	assert_int_equal(kt_pipe_receive(&line, child, 5, &err), KT_ERR_CHILD);
	assert_non_null(strstr(err.message, "signal 11"));
	assert_non_null(strstr(err.message, "broken"));
	/* Writing to the dead child is an error as well and no signal for us. */
	assert_int_equal(kt_pipe_send(child, "more", &err), KT_ERR_CHILD);
	/* Nor does reading from it concern anybody else: another child is still there to be waited for. */
	assert_int_equal(kt_proc_start(&other, (char *const *)ends, NULL, &err), KT_OK);
	assert_false(kt_proc_poll(other, 0));
	assert_int_equal(kt_pipe_receive(&line, child, 5, &err), KT_ERR_CHILD);
	assert_true(kt_proc_poll(other, 5));
	assert_int_equal(kt_proc_result(other)->code, 7);
	kt_proc_free(other);
	kt_pipe_close(child);
	kt_buf_free(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(output_and_code),
	    cmocka_unit_test(missing_program),
	    cmocka_unit_test(time_limit_ends_the_whole_group),
	    cmocka_unit_test(a_background_process_does_not_hold_us),
	    cmocka_unit_test(started_processes_are_polled),
	    cmocka_unit_test(what_never_stops_writing_is_waited_for_no_longer), cmocka_unit_test(a_file_is_the_input),
	    cmocka_unit_test(pipe_round_trip),
	    cmocka_unit_test(pipe_reports_how_the_child_died),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
