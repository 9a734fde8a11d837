#include "testing/sanitize.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/log.h"
#include "testing/cases.h"
#include "testing/internal.h"

/* What each tool is called with, in front of the runner, and what its findings mean. */
static const struct {
	const char *name, *program, *options[5], *log_option;
	enum kt_verdict verdict;
	bool opencl;
} tools[] = {
    [KT_MEMCHECK] = {"memcheck", "compute-sanitizer", {"--tool", "memcheck"}, "--log-file", KT_VERDICT_OUT_OF_BOUNDS,
                     false},
    [KT_RACECHECK] = {"racecheck", "compute-sanitizer", {"--tool", "racecheck"}, "--log-file",
                      KT_VERDICT_NON_DETERMINISTIC, false},
    [KT_INITCHECK] = {"initcheck", "compute-sanitizer", {"--tool", "initcheck"}, "--log-file",
                      KT_VERDICT_WRONG_ANSWER, false},
    [KT_SYNCCHECK] = {"synccheck", "compute-sanitizer", {"--tool", "synccheck"}, "--log-file", KT_VERDICT_CRASHED,
                      false},
    [KT_OCLGRIND] = {"oclgrind", "oclgrind", {"--data-races", "--max-errors", "4"}, "--log", KT_VERDICT_OUT_OF_BOUNDS,
                     true},
};

/* Words that open a finding; lines of banners and summaries have none of them. */
static const char *const openings[] = {
    "Invalid ",   "Misaligned ",     "Race reported",      "Error: ", "Warning: Race", "Uninitialized ", "Barrier error",
    "Divergent ", "Out-of-bounds ",  "Stack overflow",     "Read-write data race", "Write-write data race",
    "divergence detected",
};

const char *kt_sanitizer_name(enum kt_sanitizer sanitizer)
{
	return tools[sanitizer].name;
}

static bool opens(const char *line)
{
	for (size_t i = 0; i < sizeof openings / sizeof *openings; i++)
		if (strstr(line, openings[i]) != NULL)
			return true;
	return false;
}

/* Past "=========" and blanks. */
static char *content(char *line)
{
	line += strspn(line, "= \t");
	return line;
}

char *kt_sanitizer_report(struct kt_arena *arena, enum kt_sanitizer sanitizer, const char *log)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *copy = kt_arena_strdup(arena, log), *rest = NULL, *text = NULL;
	size_t lines = 0;

	for (char *line = copy != NULL ? strtok_r(copy, "\r\n", &rest) : NULL; line != NULL && lines < KT_REPORT_LINES;
	     line = strtok_r(NULL, "\r\n", &rest)) {
		char *words = content(line);

		if (*words == '\0' || (lines == 0 && !opens(words)))
			continue;
		/* What follows says where: the host's frames say nothing about the kernel. */
		if (strncmp(words, "Saved host backtrace", 20) == 0 || strncmp(words, "Host Frame", 10) == 0)
			break;
		kt_buf_addf(&out, "%s%s", lines++ != 0 ? "; " : "", words);
	}
	if (lines != 0)
		text = kt_arena_printf(arena, "%s: %s", kt_sanitizer_name(sanitizer), kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

static void not_run(struct kt_report *out, struct kt_arena *arena, const char *why)
{
	*out = (struct kt_report){.verdict = KT_VERDICT_OK, .detail = kt_arena_strdup(arena, why)};
}

/* The tuning problem to run: the blamed one, else the one that needs least. rows->timed: none may be run. */
static size_t choose_row(const struct kt_tester *t, const struct kt_candidate *candidate)
{
	size_t best = t->rows.timed;
	int64_t least = INT64_MAX;

	if (candidate == NULL && t->refused_row >= 0 && (size_t)t->refused_row < t->rows.timed)
		return (size_t)t->refused_row;
	for (size_t r = 0; r < t->rows.timed; r++) {
		const struct kt_check_scope scope = {&t->subject, candidate != NULL ? candidate->configuration : NULL,
		                                     &t->checks[r]};
		const int64_t bytes = kt_cases_bytes(&t->subject, &t->checks[r]);

		if (bytes >= 0 && bytes < least && (candidate == NULL || kt_check_allowed(&scope))) {
			best = r;
			least = bytes;
		}
	}
	return best;
}

/* The two requests: a region of that one problem, and a try. Caller deletes both. */
static kt_status build_requests(cJSON **region, cJSON **attempt, struct kt_tester *t, size_t row,
                                const struct kt_candidate *candidate, double limit_s, struct kt_error *err)
{
	const struct kt_rows one = {&t->checks[row], 1, 1};
	const struct kt_candidate original = {NULL, NULL, NULL};
	kt_status status = kt_request_region(region, &t->subject, &one, t->cubin, t->function, limit_s, err);

	if (status != KT_OK)
		return status;
	*attempt = cJSON_CreateObject();
	(void)cJSON_AddStringToObject(*attempt, "request", "try");
	return kt_request_candidate(*attempt, &t->subject, &one, candidate != NULL ? candidate : &original, NULL, 0, err);
}

static kt_status converse(struct kt_tester *t, char *const *argv, const cJSON *region, const cJSON *attempt,
                          double limit_s, struct kt_error *err)
{
	struct kt_buf lines = KT_BUF(KT_LIMIT_MESSAGE_BYTES), reply = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const double end_s = kt_now_s() + limit_s;
	struct kt_pipe *pipe = NULL;
	size_t replies = 3;
	kt_status status;

	kt_buf_adds(&lines, "{\"request\":\"hello\",\"protocol\":1}\n");
	if (t->support != NULL) {
		kt_buf_adds(&lines, "{\"request\":\"support\",\"cubin\":");
		kt_buf_addjson(&lines, t->support);
		kt_buf_adds(&lines, "}\n");
		replies++;
	}
	kt_json_print(&lines, region);
	kt_buf_addc(&lines, '\n');
	kt_json_print(&lines, attempt);
	status = kt_buf_check(&lines, "requests", err);
	if (status == KT_OK)
		status = kt_pipe_start(&pipe, argv, err);
	if (status == KT_OK)
		status = kt_pipe_send(pipe, kt_buf_text(&lines), err);
	/* An answer more or less says nothing: what counts is the tool's log. */
	for (size_t i = 0; status == KT_OK && i < replies; i++) {
		const double left_s = end_s - kt_now_s();

		kt_buf_clear(&reply);
		status = kt_pipe_receive(&reply, pipe, left_s > 0 ? left_s : 0.001, err);
	}
	kt_pipe_close(pipe);
	kt_buf_free(&lines);
	kt_buf_free(&reply);
	/* A kernel that the tool stops takes the runner with it. */
	return status == KT_ERR_CHILD ? KT_OK : status;
}

static kt_status watch(struct kt_report *out, struct kt_arena *arena, struct kt_tester *t,
                       const struct kt_config *config, enum kt_sanitizer sanitizer, const char *program, const cJSON *region, const cJSON *attempt,
                       double limit_s, struct kt_error *err)
{
	const char *front[12] = {program};
	char *argv[KT_TESTER_WORDS + 16], *folder = NULL, *log = NULL;
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	size_t used = 1;
	kt_status status = kt_fs_temp_dir(&folder, arena, "ktcc-sanitize", err);

	if (status != KT_OK)
		return status;
	kt_guard_directory(folder);
	log = kt_path_join(arena, folder, "log");
	for (size_t i = 0; tools[sanitizer].options[i] != NULL; i++)
		front[used++] = tools[sanitizer].options[i];
	front[used++] = tools[sanitizer].log_option;
	front[used++] = log;
	if (log == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "sanitizer: out of memory");
	if (status == KT_OK)
		status = kt_child_arguments(argv, sizeof argv / sizeof *argv, arena, config, front, "--once", err);
	if (status == KT_OK)
		status = converse(t, argv, region, attempt, limit_s, err);
	if (status == KT_OK)
		status = kt_fs_read(&text, log, err);
	if (status == KT_OK) {
		out->ran = true;
		out->detail = kt_sanitizer_report(arena, sanitizer, kt_buf_text(&text));
		out->found = out->detail != NULL;
		out->verdict = out->found ? tools[sanitizer].verdict : KT_VERDICT_OK;
	}
	kt_buf_free(&text);
	struct kt_error ignored;
	if (kt_fs_remove_tree(folder, &ignored) == KT_OK)
		kt_guard_release_directory(folder);
	return status;
}

kt_status kt_tester_sanitize(struct kt_report *out, struct kt_arena *arena, struct kt_tester *t,
                             const struct kt_config *config, enum kt_sanitizer sanitizer,
                             const struct kt_candidate *candidate, double limit_s, struct kt_error *err)
{
	const bool opencl = t->rows.timed != 0 && t->subject.template_->region->language == KT_LANGUAGE_OPENCL;
	const char *program = NULL;
	cJSON *region = NULL, *attempt = NULL;
	size_t row;
	kt_status status;

	not_run(out, arena, "no region");
	if (t->rows.timed == 0)
		return kt_fail(err, KT_ERR_INVALID, "no region was prepared");
	if (t->replays || tools[sanitizer].opencl != opencl) {
		not_run(out, arena, "not for this device");
		return KT_OK;
	}
	program = kt_path_find_program(arena, tools[sanitizer].program);
	if (program == NULL) {
		not_run(out, arena, "not installed");
		return KT_OK;
	}
	row = choose_row(t, candidate);
	if (row == t->rows.timed) {
		not_run(out, arena, "guards let it run on no problem");
		return KT_OK;
	}
	status = build_requests(&region, &attempt, t, row, candidate, limit_s, err);
	if (status == KT_OK && watch(out, arena, t, config, sanitizer, program, region, attempt, limit_s, err) != KT_OK) {
		kt_log("%s came to no end: %s", tools[sanitizer].name, err->message);
		not_run(out, arena, err->message);
	}
	cJSON_Delete(region);
	cJSON_Delete(attempt);
	return status;
}
