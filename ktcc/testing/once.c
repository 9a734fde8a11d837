#include "testing/once.h"

#include <math.h>

#include "base/fs.h"
#include "testing/internal.h"

/* Words of the longest front. */
enum { FRONT_MOST = 48 };

/* One step on the device may take this long below a tool. */
static const double step_limit_s = 30;

/* Of what the tool and the runner wrote. */
enum { TAIL_BYTES = 400 };

static void add_line(struct kt_buf *lines, const cJSON *request)
{
	kt_json_print(lines, request);
	kt_buf_addc(lines, '\n');
}

/* Two requests: a region of one problem, and a try. */
static kt_status add_run(struct kt_buf *lines, struct kt_tester *t, const struct kt_once_run *run, struct kt_error *err)
{
	const struct kt_rows one = {&t->checks[run->problem], 1, 1};
	const struct kt_candidate original = {NULL, NULL, NULL};
	cJSON *region = NULL, *attempt = NULL;
	kt_status status = kt_request_region(&region, &t->subject, &one, t->cubin, t->function, NULL, step_limit_s, err);

	if (status == KT_OK) {
		attempt = cJSON_CreateObject();
		(void)cJSON_AddStringToObject(attempt, "request", "try");
		status = kt_request_candidate(attempt, &t->subject, &one, run->candidate != NULL ? run->candidate : &original,
		                              (struct kt_asked){0}, err);
	}
	if (status == KT_OK) {
		add_line(lines, region);
		add_line(lines, attempt);
	}
	cJSON_Delete(region);
	cJSON_Delete(attempt);
	return status;
}

kt_status kt_once_write(const char *path, struct kt_tester *t, const struct kt_once_run *runs, size_t count,
                        struct kt_error *err)
{
	struct kt_buf lines = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = KT_OK;

	if (t->rows.timed == 0)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	kt_buf_adds(&lines, "{\"request\":\"hello\",\"protocol\":1}\n");
	if (t->support != NULL) {
		kt_buf_adds(&lines, "{\"request\":\"support\",\"cubin\":");
		kt_buf_addjson(&lines, t->support);
		kt_buf_adds(&lines, "}\n");
	}
	for (size_t i = 0; i < count && status == KT_OK; i++)
		status = runs[i].problem < t->rows.timed ? add_run(&lines, t, &runs[i], err)
		                                         : kt_fail(err, KT_ERR_INVALID, "no such problem");
	THEN(status, kt_buf_check(&lines, "requests", err));
	THEN(status, kt_fs_write(path, kt_buf_text(&lines), lines.size, err));
	kt_buf_free(&lines);
	return status;
}

kt_status kt_once_start(struct kt_proc **out, struct kt_arena *arena, struct kt_tester *t,
                        const struct kt_config *config, const char *const *front, const char *requests,
                        struct kt_error *err)
{
	const struct kt_proc_options options = {.input = requests};
	char *argv[KT_TESTER_WORDS + FRONT_MOST];
	TRY(kt_child_arguments(argv, sizeof argv / sizeof *argv, arena, config, front, "--once", err));

	TRY(kt_proc_start(out, argv, &options, err));
	t->companions++;
	return KT_OK;
}

kt_status kt_once_end(struct kt_error *how, struct kt_tester *t, struct kt_proc *proc, double until_s)
{
	const double left_s = fmax(until_s - kt_now_s(), 0.001);
	const bool ended = kt_proc_poll(proc, left_s);
	const struct kt_buf *said = kt_proc_output(proc);
	const char *tail = kt_buf_text(said) + (said->size > TAIL_BYTES ? said->size - TAIL_BYTES : 0);

	t->companions--;
	if (!ended)
		kt_fail(how, KT_ERR_LIMIT, "not at its end after %.1f s", left_s);
	else
		kt_fail(how, KT_OK, "ended with %s %d%s%s", kt_proc_result(proc)->signalled ? "signal" : "exit code",
		        kt_proc_result(proc)->code, *tail != '\0' ? ": " : "", tail);
	kt_proc_free(proc);
	return ended ? KT_OK : KT_ERR_LIMIT;
}
