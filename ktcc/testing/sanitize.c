#include "testing/sanitize.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/guard.h"
#include "base/log.h"
#include "testing/cases.h"
#include "testing/internal.h"
#include "testing/once.h"

/* What each tool is called with, in front of the runner, and what its findings mean. */
static const struct {
	const char *name, *program, *options[5], *log_option;
	enum kt_verdict verdict;
	enum kt_language language;
} tools[] = {
    [KT_MEMCHECK] = {"memcheck", "compute-sanitizer", {"--tool", "memcheck"}, "--log-file", KT_VERDICT_OUT_OF_BOUNDS,
                     KT_LANGUAGE_CUDA},
    [KT_RACECHECK] = {"racecheck", "compute-sanitizer", {"--tool", "racecheck"}, "--log-file",
                      KT_VERDICT_NON_DETERMINISTIC, KT_LANGUAGE_CUDA},
    [KT_INITCHECK] = {"initcheck", "compute-sanitizer", {"--tool", "initcheck"}, "--log-file",
                      KT_VERDICT_WRONG_ANSWER, KT_LANGUAGE_CUDA},
    [KT_SYNCCHECK] = {"synccheck", "compute-sanitizer", {"--tool", "synccheck"}, "--log-file", KT_VERDICT_CRASHED,
                      KT_LANGUAGE_CUDA},
    [KT_OCLGRIND] = {"oclgrind", "oclgrind", {"--data-races", "--max-errors", "4"}, "--log", KT_VERDICT_OUT_OF_BOUNDS,
                     KT_LANGUAGE_OPENCL},
};

/* Words that open a finding; lines of banners and summaries have none of them. */
static const char *const openings[] = {
    "Invalid ",   "Misaligned ",     "Race reported",      "Error: ", "Warning: Race", "Uninitialized ",
    "Barrier error",
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
		/* The host's frames follow; they are not of the kernel. */
		if (strncmp(words, "Saved host backtrace", 20) == 0 || strncmp(words, "Host Frame", 10) == 0)
			break;
		kt_buf_addf(&out, "%s%s", lines++ != 0 ? "; " : "", words);
	}
	if (lines != 0)
		text = kt_arena_printf(arena, "%s: %s", kt_sanitizer_name(sanitizer), kt_buf_text(&out));
	kt_buf_free(&out);
	return text;
}

struct kt_watch {
	struct kt_tester *tester;
	char *folder; /* of logs */
	struct {
		struct kt_proc *proc; /* NULL: not started */
		const char *log, *why;
	} tool[KT_SANITIZERS];
};

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

/* Its folder goes. */
static void let_go(const struct kt_watch *w)
{
	struct kt_error ignored;

	if (w->folder != NULL && kt_fs_remove_tree(w->folder, &ignored) == KT_OK)
		kt_guard_release_directory(w->folder);
}

/* Each candidate on one problem, none of them: the original. Those that guards let run on no problem are left out. */
static size_t list_runs(struct kt_once_run *runs, const struct kt_tester *t, const struct kt_candidate *candidates,
                        size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < (count != 0 ? count : 1); i++) {
		const struct kt_candidate *candidate = count != 0 ? &candidates[i] : NULL;
		const size_t problem = choose_row(t, candidate);

		if (problem != t->rows.timed)
			runs[used++] = (struct kt_once_run){candidate, problem};
	}
	return used;
}

static kt_status start(struct kt_watch *w, struct kt_arena *arena, const struct kt_config *config,
                       enum kt_sanitizer sanitizer, const char *program, const char *requests, struct kt_error *err)
{
	/* A tool that is ended leaves what it has in the folder of temporary files. */
	const char *front[14] = {"env", kt_arena_printf(arena, "TMPDIR=%s", w->folder), program};
	size_t used = 3;

	w->tool[sanitizer].log = kt_path_join(arena, w->folder, tools[sanitizer].name);
	if (front[1] == NULL || w->tool[sanitizer].log == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "sanitizer: out of memory");
	for (size_t i = 0; tools[sanitizer].options[i] != NULL; i++)
		front[used++] = tools[sanitizer].options[i];
	front[used++] = tools[sanitizer].log_option;
	front[used++] = w->tool[sanitizer].log;
	return kt_once_start(&w->tool[sanitizer].proc, arena, w->tester, config, front, requests, err);
}

kt_status kt_watch_begin(struct kt_watch **out, struct kt_arena *arena, struct kt_tester *t,
                         const struct kt_config *config, unsigned wanted, const struct kt_candidate *candidates,
                         size_t count, struct kt_error *err)
{
	const enum kt_language language =
	    t->rows.timed != 0 ? t->subject.template_->region->language : KT_LANGUAGE_CUDA;
	struct kt_watch *w = kt_arena_alloc(arena, sizeof *w);
	struct kt_once_run *runs = kt_arena_array(arena, count + 1, sizeof *runs);
	const char *requests = NULL;
	size_t used = 0;
	kt_status status;

	*out = NULL;
	if (w == NULL || runs == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "sanitizer: out of memory");
	*w = (struct kt_watch){.tester = t};
	status = kt_fs_temp_dir(&w->folder, arena, "ktcc-sanitize", err);
	if (status == KT_OK) {
		kt_guard_directory(w->folder);
		used = list_runs(runs, t, candidates, count);
		requests = kt_path_join(arena, w->folder, "requests");
		status = requests != NULL ? kt_once_write(requests, t, runs, used, err)
		                          : kt_fail(err, KT_ERR_MEMORY, "sanitizer: out of memory");
	}
	for (int k = 0; k < KT_SANITIZERS && status == KT_OK; k++) {
		const char *program = kt_path_find_program(arena, tools[k].program);
		struct kt_error failure;

		if (t->replays || tools[k].language != language || !(wanted & 1u << k))
			w->tool[k].why = "not for this device";
		else if (program == NULL)
			w->tool[k].why = "not installed";
		else if (used == 0)
			w->tool[k].why = "guards let it run on no problem";
		else if (start(w, arena, config, (enum kt_sanitizer)k, program, requests, &failure) != KT_OK)
			w->tool[k].why = kt_arena_strdup(arena, failure.message);
	}
	if (status == KT_OK)
		*out = w;
	else
		let_go(w);
	return status;
}

static void read_report(struct kt_report *out, struct kt_arena *arena, struct kt_watch *w, enum kt_sanitizer k,
                        double until_s)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	struct kt_error err;

	*out = (struct kt_report){.verdict = KT_VERDICT_OK, .detail = w->tool[k].why};
	if (w->tool[k].proc == NULL)
		return;
	/* The exit code is made of the tool's findings: it does not show whether the tool failed. */
	if (kt_once_end(&err, w->tester, w->tool[k].proc, until_s) != KT_OK) {
		kt_log("%s came to no end: %s", tools[k].name, err.message);
		out->detail = kt_arena_strdup(arena, err.message);
	} else if (kt_fs_read(&text, w->tool[k].log, &err) != KT_OK) {
		out->detail = kt_arena_strdup(arena, err.message);
	} else {
		out->ran = true;
		out->detail = kt_sanitizer_report(arena, k, kt_buf_text(&text));
		out->found = out->detail != NULL;
		out->verdict = out->found ? tools[k].verdict : KT_VERDICT_OK;
	}
	kt_buf_free(&text);
}

void kt_watch_end(struct kt_report *reports, struct kt_arena *arena, struct kt_watch *w, double limit_s)
{
	const double until_s = kt_now_s() + limit_s;

	for (int k = 0; k < KT_SANITIZERS; k++) {
		if (w == NULL)
			reports[k] = (struct kt_report){.verdict = KT_VERDICT_OK};
		else
			read_report(&reports[k], arena, w, (enum kt_sanitizer)k, until_s);
	}
	if (w != NULL)
		let_go(w);
}
