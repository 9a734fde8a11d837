/* ktcc emit: the specialised source, as a build would compile it. */
#include <stdio.h>
#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/log.h"
#include "launch/manifest.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

struct options {
	const char *file, *path, *header;
	bool diff;
};

static kt_status show_diff(const struct kt_session *session, const char *file, const char *text, size_t size,
                           struct kt_error *err)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_proc_result result;
	struct kt_error ignored;
	char *directory, *path;
	kt_status status = kt_fs_temp_dir(&directory, session->arena, "ktcc-diff", err);

	if (status != KT_OK)
		return status;
	path = kt_path_join(session->arena, directory, kt_path_basename(file));
	if (path == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "diff: out of memory");
	THEN(status, kt_fs_write(path, text, size, err));
	if (status == KT_OK) {
		const char *argv[] = {"diff", "-u", "--label", file, "--label", "specialised", file, path, NULL};

		status = kt_proc_run(&result, (char *const *)argv, NULL, &out, &out, err);
	}
	/* diff ends with 1 where the files differ. */
	if (status == KT_OK && (result.signalled || result.code > 1))
		status = kt_fail(err, KT_ERR_CHILD, "diff: %.400s", kt_buf_text(&out));
	if (status == KT_OK)
		fwrite(kt_buf_text(&out), 1, out.size, stdout);
	if (kt_fs_remove_tree(directory, &ignored) != KT_OK)
		kt_log("%s", ignored.message);
	kt_buf_free(&out);
	return status;
}

/* Copies of headers beside OUT. Standard output holds one text: the main file's. */
static kt_status write_emitted(const char *path, struct kt_arena *arena, const struct kt_emitted *emitted,
                               struct kt_error *err)
{
	const bool to_file = strcmp(path, "-") != 0;
	const char *folder = kt_arena_printf(arena, "%s.ktune", path);

	NEED(folder, kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", path));
	if (to_file && emitted->file_count > 1)
		TRY(kt_fs_is_link(folder) ? kt_fail(err, KT_ERR_IO, "%s is a symbolic link", folder)
					  : kt_fs_mkdirs(folder, err));
	for (size_t i = 1; to_file && i < emitted->file_count; i++) {
		const char *copy = kt_path_join(arena, folder, emitted->files[i].name);

		TRY(copy != NULL ? kt_fs_write(copy, emitted->files[i].text, strlen(emitted->files[i].text), err)
				 : kt_fail(err, KT_ERR_MEMORY, "%s: out of memory", path));
	}
	if (to_file)
		return kt_fs_write(path, emitted->files[0].text, strlen(emitted->files[0].text), err);
	fputs(emitted->files[0].text, stdout);
	return KT_OK;
}

static kt_status emit_cuda(struct kt_session *session, const struct options *options, struct kt_error *err)
{
	const bool to_file = options->path != NULL && strcmp(options->path, "-") != 0;
	const char *prefix =
	    to_file ? kt_arena_printf(session->arena, "%s.ktune/", kt_path_basename(options->path)) : NULL;
	struct kt_emitted emitted;
	kt_status status = kt_work_emit(&emitted, session->work, prefix, err);

	if (status != KT_OK || !options->diff)
		return status == KT_OK ? write_emitted(options->path, session->arena, &emitted, err) : status;
	for (size_t i = 0; i < emitted.file_count && status == KT_OK; i++)
		status = show_diff(session, emitted.files[i].original, emitted.files[i].text, strlen(emitted.files[i].text),
		                   err);
	return status;
}

static kt_status write_text(const char *path, const struct kt_buf *text, struct kt_error *err)
{
	TRY(kt_buf_check(text, path, err));

	if (strcmp(path, "-") != 0)
		return kt_fs_write(path, kt_buf_text(text), text->size, err);
	fwrite(kt_buf_text(text), 1, text->size, stdout);
	return KT_OK;
}

/* "k_tuned.cl" → "k_tuned.h" */
static const char *header_path(struct kt_arena *arena, const struct options *options)
{
	size_t length = options->path != NULL ? strlen(options->path) : 0;

	if (options->header != NULL || length < 4 || strcmp(options->path + length - 3, ".cl") != 0)
		return options->header;
	return kt_arena_printf(arena, "%.*s.h", (int)(length - 3), options->path);
}

static kt_status emit_opencl(struct kt_session *session, const struct options *options, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES), header = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const char *header_to = header_path(session->arena, options);
	kt_status status = kt_work_emit_opencl(&text, &header, session->work, err);

	if (status == KT_OK && options->diff)
		status = show_diff(session, options->file, kt_buf_text(&text), text.size, err);
	else if (status == KT_OK)
		status = write_text(options->path, &text, err);
	if (status == KT_OK && header_to != NULL && !options->diff)
		status = write_text(header_to, &header, err);
	kt_buf_free(&text);
	kt_buf_free(&header);
	return status;
}

/* The source is not written over, whatever it is called there. */
static kt_status spare_source(struct kt_arena *arena, const char *path, const char *file, struct kt_error *err)
{
	const char *there, *here;

	if (path == NULL || strcmp(path, "-") == 0)
		return KT_OK;
	there = kt_path_real(arena, path);
	here = kt_path_real(arena, file);
	return there != NULL && here != NULL && strcmp(there, here) == 0
	           ? kt_fail(err, KT_ERR_INVALID, "%s: that is the source itself", path)
	           : KT_OK;
}

/* No compile command has an OpenCL source, and `cache verify --strict` asks which entries builds use. */
static void note_lookups(const struct kt_session *session, const char *file)
{
	const char *path = kt_path_real(session->arena, file);
	char key[KT_HASH_TEXT];
	struct kt_hash hash;

	if (kt_target_of(session->input.language)->has_host_code || path == NULL)
		return;
	kt_hash_init(&hash);
	kt_hash_field(&hash, "emit", path);
	kt_hash_field(&hash, "options", session->input.build_options != NULL ? session->input.build_options : "");
	kt_hash_final(&hash, key);
	kt_manifest_note(session->store, key, session->work);
}

/* *missing: an entry that KTUNE_MODE=require asks for; then nothing is written. */
static kt_status emit(struct kt_session *session, const struct options *options, bool *missing, struct kt_error *err)
{
	struct kt_case *cases;
	size_t count;
	kt_status status = spare_source(session->arena, options->path, options->file, err);

	THEN(status, spare_source(session->arena, options->header, options->file, err));
	THEN(status, kt_work_lookup(session->work, err));
	count = kt_work_cases(&cases, session->work);
	if (status == KT_OK && session->config.mode == KT_MODE_REQUIRE)
		*missing = kt_work_say_required(session->work);
	if (status == KT_OK)
		note_lookups(session, options->file);
	if (*missing)
		return KT_OK;
	for (size_t i = 0; status == KT_OK && i < count; i++)
		if (cases[i].reason != KT_REASON_NONE)
			kt_say("%s:%u: %s is left unmodified: %s", cases[i].region->file, cases[i].region->line,
			       kt_work_region_name(cases[i].region),
			       kt_reason_line_for(session->arena, cases[i].reason, cases[i].detail, cases[i].region->file));
	if (status != KT_OK)
		return status;
	return kt_target_of(session->input.language)->has_host_code ? emit_cuda(session, options, err)
	                                                            : emit_opencl(session, options, err);
}

int kt_verb_emit(const struct kt_given *given)
{
	struct options options = {.path = kt_given_text(given, KT_OPTION_emit_output),
	                    .header = kt_given_text(given, KT_OPTION_emit_header),
	                    .diff = kt_given_has(given, KT_OPTION_emit_diff)};
	struct kt_session session;
	struct kt_compile_command command;
	struct kt_error err;
	bool missing = false;
	int code = 0;

	if (options.path == NULL && !options.diff)
		return kt_given_wrong(given, "neither -o OUT nor --diff is given");
	kt_compile_command_of(&command, given);
	options.file = command.file;
	if (kt_session_open(&session, &err) != KT_OK ||
	    kt_given_configure(&session.config, session.arena, given, &err) != KT_OK ||
	    kt_session_unit(&session, &command, &err) != KT_OK || emit(&session, &options, &missing, &err) != KT_OK)
		code = kt_verb_failed(&err);
	else if (missing)
		code = KT_EXIT_REQUIRED;
	else if (given->json)
		printf("{\"variants\":%zu}\n", kt_work_variants(session.work));
	kt_session_close(&session);
	return code;
}
