#include "testing/counters.h"

#include <math.h>
#include <string.h>

#include "base/fs.h"
#include "base/guard.h"
#include "testing/internal.h"

/* Launches that are counted at a time. */
enum { LAUNCHES_MOST = 256 };
/* Of ncu's log: a table of LAUNCHES_MOST rows, and its other messages. */
#define LOG_BYTES ((size_t)4 << 20)

/* Letters of a name in a cubin; none of them means anything to a regular expression. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

kt_status kt_counters_filter(struct kt_buf *out, size_t *launches, const char *const *kernels, size_t count,
                             struct kt_error *err)
{
	*launches = 0;
	kt_buf_adds(out, "regex:^(");
	for (size_t i = 0; i < count; i++)
		for (const char *at = kernels[i]; *at != '\0'; at += *at == ' ') {
			const size_t length = strspn(at, letters);

			if (length == 0 || (at[length] != '\0' && at[length] != ' '))
				return kt_fail(err, KT_ERR_INVALID, "%.200s is no name that can be asked for", at);
			kt_buf_addf(out, "%s%.*s", *launches != 0 ? "|" : "", (int)length, at);
			++*launches;
			at += length;
		}
	kt_buf_adds(out, ")$");
	if (*launches == 0 || *launches > LAUNCHES_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "counters of %zu launches", *launches);
	return kt_buf_check(out, "names of kernels", err);
}

kt_status kt_counters_assign(struct kt_counted *out, const char *const *kernels, size_t count,
                             const struct kt_counted *rows, size_t row_count, struct kt_error *err)
{
	size_t row = 0;

	for (size_t i = 0; i < count; i++) {
		bool any = false;

		for (const char *at = kernels[i]; *at != '\0'; at += *at == ' ', row++) {
			const size_t length = strcspn(at, " ");

			if (row == row_count || strlen(rows[row].kernel) != length || memcmp(rows[row].kernel, at, length) != 0)
				return kt_fail(err, KT_ERR_INVALID, "counters of other launches than were asked for");
			at += length;
			if (!any || rows[row].value[KT_COUNTER_TIME] > out[i].value[KT_COUNTER_TIME])
				out[i] = rows[row];
			any = true;
		}
	}
	return row == row_count ? KT_OK : kt_fail(err, KT_ERR_INVALID, "counters of more launches than were asked for");
}

/* ncu with its words. Its files (a lock, a report) and its user's are below the folder. */
static kt_status start(struct kt_proc **out, struct kt_arena *arena, struct kt_tester *t,
                       const struct kt_config *config, const char *ncu, const char *folder, const char *requests,
                       const char *log, const char *filter, size_t launches, struct kt_error *err)
{
	struct kt_buf metrics = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *temporary = kt_arena_printf(arena, "TMPDIR=%s", folder),
	           *home = kt_arena_printf(arena, "HOME=%s", folder), *number = kt_arena_printf(arena, "%zu", launches);
	const bool filled = kt_counters_metrics(&metrics) && temporary != NULL && home != NULL && number != NULL;
	const char *front[] = {"env", "LC_ALL=C", temporary, home, "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT=1",
	                       ncu, "--config-file", "off", "--csv", "--page", "raw", "--print-units", "base",
	                       "--print-kernel-base", "mangled", "--kernel-name-base", "mangled", "--kernel-name", filter,
	                       "--launch-count", number, "--clock-control", "none", "--cache-control", "all", "--metrics",
	                       kt_buf_text(&metrics), "--log-file", log, NULL};
	kt_status status = filled ? kt_once_start(out, arena, t, config, front, requests, err)
	                          : kt_fail(err, KT_ERR_MEMORY, "counters: out of memory");

	kt_buf_free(&metrics);
	return status;
}

static kt_status read_log(struct kt_counted *rows, size_t *row_count, struct kt_arena *arena, const char *log,
                          const struct kt_error *how, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(LOG_BYTES);
	kt_status status = kt_fs_read(&text, log, err);

	/* A tool that does not know its options leaves no log: its output has the cause. */
	if (status == KT_ERR_MISSING)
		status = kt_fail(err, KT_ERR_CHILD, "%s", how->message);
	else if (status == KT_OK)
		status = kt_counters_read(rows, row_count, LAUNCHES_MOST, arena, kt_buf_text(&text), text.size, err);
	kt_buf_free(&text);
	return status;
}

/* With the device to itself and in a private folder. */
static kt_status take(struct kt_counted *out, struct kt_arena *arena, struct kt_tester *t,
                      const struct kt_config *config, const char *ncu, const char *folder,
                      const struct kt_once_run *runs, size_t count, double until_s, struct kt_error *err)
{
	struct kt_buf filter = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_counted *rows = kt_arena_array(arena, LAUNCHES_MOST, sizeof *rows);
	const char **kernels = kt_arena_array(arena, count, sizeof *kernels);
	const char *requests = kt_path_join(arena, folder, "requests"), *log = kt_path_join(arena, folder, "log");
	struct kt_proc *proc = NULL;
	size_t launches, row_count;
	struct kt_error how;
	kt_status status;

	if (rows == NULL || kernels == NULL || requests == NULL || log == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "counters: out of memory");
	for (size_t i = 0; i < count; i++) {
		kernels[i] = runs[i].candidate != NULL && runs[i].candidate->function != NULL ? runs[i].candidate->function
		                                                                              : t->function;
		if (kernels[i] == NULL)
			return kt_fail(err, KT_ERR_INVALID, "a kernel without a name");
	}
	status = kt_counters_filter(&filter, &launches, kernels, count, err);
	THEN(status, kt_once_write(requests, t, runs, count, err));
	THEN(status, start(&proc, arena, t, config, ncu, folder, requests, log, kt_buf_text(&filter), launches, err));
	if (status == KT_OK && kt_once_end(&how, t, proc, until_s) != KT_OK) {
		*err = how;
		status = how.code;
	}
	THEN(status, read_log(rows, &row_count, arena, log, &how, err));
	THEN(status, kt_counters_assign(out, kernels, count, rows, row_count, err));
	kt_buf_free(&filter);
	return status;
}

kt_status kt_counters_take(struct kt_counted *out, struct kt_arena *arena, struct kt_tester *t,
                           const struct kt_config *config, const char *ncu, const struct kt_once_run *runs,
                           size_t count, double limit_s, struct kt_error *err)
{
	const double until_s = kt_now_s() + limit_s;
	struct kt_error ignored;
	char *folder = NULL;
	kt_status status = kt_fs_temp_dir(&folder, arena, "ktcc-counters", err);

	if (status != KT_OK)
		return status;
	kt_guard_directory(folder);
	if (t->lock != NULL)
		status = kt_device_lock_take(t->lock, fmax(limit_s, 0), err);
	if (status == KT_OK) {
		status = take(out, arena, t, config, ncu, folder, runs, count, until_s, err);
		kt_device_lock_release(t->lock);
	}
	if (kt_fs_remove_tree(folder, &ignored) == KT_OK)
		kt_guard_release_directory(folder);
	return status;
}
