/* ktcc report: pictures of what the store knows. */
#include "verbs/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/utf8.h"
#include "store/lock.h"
#include "verbs/verbs.h"

enum format { PAGE, MARKDOWN, CSV, JSON };

struct options {
	enum format format;
	const char *output, *database, *lock_dir;
};

static const char *today(struct kt_arena *arena)
{
	const time_t now = (time_t)kt_unix_time();
	char text[32] = "";
	struct tm parts;

	if (gmtime_r(&now, &parts) != NULL)
		(void)strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
	return kt_arena_strdup(arena, text);
}

static kt_status add_file(struct kt_report *r, const struct options *options, const struct kt_compile_command *command,
			  struct kt_error *err)
{
	struct kt_compile_command listed = *command;

	r->file_count++;
	if (options->database != NULL)
		TRY(kt_compile_command_from_database(&listed, r->arena, options->database, command->file, 0, err));
	return kt_report_add_file(r, &listed, err);
}

/* A source is not written over, whatever it is called there. */
static kt_status spare_source(const struct kt_report *r, const struct options *options, const char *file,
			      struct kt_error *err)
{
	const char *there = options->output != NULL ? kt_path_real(r->arena, options->output) : NULL;
	const char *here = kt_path_real(r->arena, file);

	return there != NULL && here != NULL && strcmp(there, here) == 0
		   ? kt_fail(err, KT_ERR_INVALID, "%s: is the source itself; name another file after -o",
			     options->output)
		   : KT_OK;
}

/* A word that is a file is one; any other is a region's name. */
static kt_status take_words(struct kt_report *r, const struct options *options, struct kt_compile_command *command,
			    int count, char **words, struct kt_error *err)
{
	const char *here = r->here = kt_path_absolute(r->arena, ".", NULL);
	kt_status status = KT_OK;

	r->names = kt_arena_array(r->arena, (size_t)count + 1, sizeof *r->names);
	r->named = kt_arena_array(r->arena, (size_t)count + 1, sizeof *r->named);
	if (here == NULL || r->names == NULL || r->named == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "report: out of memory");
	for (int i = 0; status == KT_OK && i < count; i++) {
		/* A database entry may have moved us into its directory. */
		if (chdir(here) != 0)
			return kt_fail(err, KT_ERR_IO, "%s: cannot be entered", here);
		if (!kt_fs_is_file(words[i])) {
			r->names[r->name_count++] = words[i];
			continue;
		}
		status = spare_source(r, options, words[i], err);
		command->file = kt_path_absolute(r->arena, words[i], here);
		THEN(status, add_file(r, options, command, err));
	}
	if (status == KT_OK && chdir(here) != 0)
		return kt_fail(err, KT_ERR_IO, "%s: cannot be entered", here);
	return status;
}

static kt_status find_lock_dir(struct kt_report *r, const struct options *options, struct kt_error *err)
{
	const char *named = options->lock_dir != NULL ? options->lock_dir : r->session.config.lock_dir;
	const struct kt_lock_place place = kt_lock_find(r->arena, named, "here");

	if (place.refused != NULL)
		kt_say("%s", place.refused);
	if (options->lock_dir != NULL && place.path == NULL && place.refused == NULL)
		return kt_fail(err, KT_ERR_MISSING, "%s: no such folder", options->lock_dir);
	r->lock_dir = place.path;
	return KT_OK;
}

static void add_json(struct kt_buf *out, const struct kt_report *r)
{
	struct kt_buf text = KT_BUF(KT_REPORT_BYTES);
	cJSON *all = kt_report_json(r);

	kt_json_print_stable(&text, all);
	kt_utf8_add(out, kt_buf_text(&text), text.size);
	out->failed = out->failed || text.failed;
	cJSON_Delete(all);
	kt_buf_free(&text);
}

static kt_status print(struct kt_buf *out, const struct kt_report *r, enum format format, struct kt_error *err)
{
	switch (format) {
	case PAGE:
		return kt_report_page(out, r, err);
	case MARKDOWN:
		kt_report_markdown(out, r);
		break;
	case CSV:
		kt_report_csv(out, r);
		break;
	case JSON:
		add_json(out, r);
		break;
	}
	return kt_buf_check(out, "the report", err);
}

static void say_written(const char *path, const struct kt_report *r, size_t bytes)
{
	const size_t stale = kt_report_stale(r);

	printf("%s: %zu region%s", path, r->region_count, r->region_count == 1 ? "" : "s");
	if (stale != 0)
		printf(", %zu of them stale", stale);
	printf(", %zu trials, %.1f MB\n", kt_report_trials(r), 1e-6 * (double)bytes);
}

static kt_status write_report(const struct kt_report *r, const struct options *options, struct kt_error *err)
{
	const char *path = options->output != NULL ? options->output : options->format == PAGE ? "report.html" : "-";
	struct kt_buf out = KT_BUF(KT_REPORT_BYTES);
	kt_status status = print(&out, r, options->format, err);

	if (status == KT_OK && strcmp(path, "-") != 0) {
		status = kt_fs_write(path, kt_buf_text(&out), out.size, err);
		if (status == KT_OK)
			say_written(path, r, out.size);
	} else if (status == KT_OK &&
		   (fwrite(kt_buf_text(&out), 1, out.size, stdout) != out.size || fflush(stdout) != 0)) {
		status = kt_fail(err, KT_ERR_IO, "standard output: cannot be written");
	}
	kt_buf_free(&out);
	return status;
}

static kt_status report(struct kt_report *r, const struct options *options, struct kt_compile_command *command,
			int count, char **words, struct kt_error *err)
{
	TRY(kt_session_open(&r->session, err));

	r->arena = kt_arena_new(KT_REPORT_ARENA_BYTES);
	r->code = cJSON_CreateObject();
	if (r->arena == NULL || r->code == NULL || (r->date = today(r->arena)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "report: out of memory");
	TRY(find_lock_dir(r, options, err));
	TRY(take_words(r, options, command, count, words, err));
	TRY(kt_report_read(r, err));
	return write_report(r, options, err);
}

static void close_report(struct kt_report *r)
{
	for (size_t i = 0; i < r->region_count; i++)
		cJSON_Delete(r->regions[i].rounds);
	cJSON_Delete(r->code);
	kt_session_close(&r->session);
	kt_arena_free(r->arena);
}

int kt_verb_report(const struct kt_given *given)
{
	struct kt_report r = {.status = KT_OK};
	struct options options = {.format = kt_given_has(given, KT_OPTION_report_markdown) ? MARKDOWN
	                              : kt_given_has(given, KT_OPTION_report_csv)    ? CSV
	                              : given->json                                  ? JSON
	                                                                             : PAGE,
	                    .output = kt_given_text(given, KT_OPTION_report_output),
	                    .lock_dir = kt_given_text(given, KT_OPTION_report_lock_dir),
	                    .database = kt_given_text(given, KT_OPTION_report_database)};
	struct kt_compile_command command;
	struct kt_error err;
	int code = 0;

	kt_compile_command_of(&command, given);
	if (report(&r, &options, &command, given->argument_count, given->arguments, &err) != KT_OK)
		code = kt_verb_failed(&err);
	else if (r.damaged != 0)
		code = KT_EXIT_FAILED;
	close_report(&r);
	return code;
}
