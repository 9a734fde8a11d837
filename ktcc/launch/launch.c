#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "launch/current.h"
#include "launch/early.h"
#include "launch/hit.h"
#include "launch/input.h"
#include "launch/invocation.h"
#include "launch/key.h"
#include "launch/outcome.h"
#include "launch/run.h"
#include "launch/spare.h"
#include "launch/tree.h"
#include "store/lock.h"

void kt_invocation_count(struct kt_invocation *l, const char *name)
{
	if (l->store != NULL)
		kt_store_count(l->store, name);
}

void kt_invocation_count_reason(struct kt_invocation *l, enum kt_reason reason)
{
	char name[96];

	snprintf(name, sizeof name, "reason:%s", kt_reason_name(reason));
	kt_invocation_count(l, name);
}

char **kt_invocation_original(struct kt_invocation *l)
{
	size_t words = l->command->argc;
	char **argv;

	if (l->command->pragma_error)
		return l->argv;
	argv = kt_arena_array(l->arena, words + 2, sizeof *argv);
	if (argv == NULL)
		return l->argv;
	memcpy(argv, l->argv, words * sizeof *argv);
	argv[words] = kt_arena_strdup(
	    l->arena, l->command->is_clang ? "-Wno-unknown-pragmas" : "-Xcompiler=-Wno-unknown-pragmas");
	return argv[words] != NULL ? argv : l->argv;
}

/*
 * Ends without any specialisation that concerns the depfile: nothing was looked up. The first line of `detail` (NULL:
 * none) is printed with the reason.
 */
static int pass_through(struct kt_invocation *l, enum kt_reason reason, const char *detail)
{
	const char *first = detail != NULL ? kt_arena_strndup(l->arena, detail, strcspn(detail, "\n")) : NULL;

	if (l->store != NULL)
		kt_invocation_count_reason(l, reason);
	if (!kt_reason_quiet(reason))
		kt_say("%s: compiled unmodified: %s", l->command->input != NULL ? l->command->input : "the command",
		       kt_reason_line(l->arena, reason, first));
	/* What is open would be inherited by the compiler's process image, or lost with ours. */
	kt_store_close(l->store);
	l->store = NULL;
	/* What a region would have changed in the command it cannot have changed without one. */
	if (l->compiled_early && reason != KT_REASON_NO_REGION)
		return l->early_code;
	/* Without a region, or where ktcc cannot look, an unknown pragma is the user's own. */
	return kt_run_exec(reason == KT_REASON_NO_REGION || reason == KT_REASON_STDIN ? l->argv
										     : kt_invocation_original(l));
}

/* Files of others that were not used, names that no setting has. Nothing is printed before a region is known. */
static void say_ignored(const struct kt_invocation *l, const char *lock_refused)
{
	const char *unknown = kt_config_unknown(l->arena, &l->config, false);

	if (unknown != NULL)
		kt_say("%s", unknown);
	if (l->config.ignored_file != NULL)
		kt_say("%s", l->config.ignored_file);
	if (lock_refused != NULL)
		kt_say("%s", lock_refused);
}

static void set_paths(struct kt_invocation *l)
{
	const char *base = kt_path_basename(l->command->input);

	l->folder = kt_arena_printf(l->arena, "%s.ktune", l->command->output);
	l->emitted = kt_arena_printf(l->arena, "%s/%s", l->folder, base);
	l->stamp = kt_arena_printf(l->arena, "%s/stamp", l->folder);
}

/*
 * Removes a file below the folder beside the object which an include would find before the user's, and any link on the
 * way there: a link would lead out of the folder, and nothing outside of it is touched.
 */
static bool clear(struct kt_invocation *l, const char *path)
{
	for (size_t length = strcspn(path, "/");; length += 1 + strcspn(path + length + 1, "/")) {
		const char *part = kt_arena_printf(l->arena, "%s/%.*s", l->folder, (int)length, path);
		struct stat info;

		if (part == NULL)
			return false;
		if (lstat(part, &info) != 0)
			return errno == ENOENT || errno == ENOTDIR;
		if (S_ISLNK(info.st_mode) || (path[length] == '\0' && !S_ISDIR(info.st_mode))) {
			kt_log("%s: in the way of an include", part);
			return unlink(part) == 0 || errno == ENOENT;
		}
		if (path[length] == '\0')
			return true;
	}
}

static kt_status clear_lookups(struct kt_invocation *l, const struct kt_emitted *emitted, struct kt_error *err)
{
	const char *folder = emitted->file_count > 0 ? kt_path_dirname(l->arena, emitted->files[0].name) : ".";

	NEED(folder, kt_fail(err, KT_ERR_MEMORY, "emission: out of memory"));
	/* The folder of the copies itself has to be a folder. */
	if (strcmp(folder, ".") != 0 && !clear(l, folder))
		return kt_fail_errno(err, "%s/%s", l->folder, folder);
	for (size_t i = 0; i < emitted->lookup_count; i++)
		if (!clear(l, emitted->lookups[i]))
			return kt_fail_errno(err, "%s/%s", l->folder, emitted->lookups[i]);
	l->emitted = kt_arena_printf(l->arena, "%s/%s", l->folder, emitted->files[0].name);
	folder = kt_path_dirname(l->arena, l->emitted);
	return folder != NULL ? kt_fs_mkdirs(folder, err) : kt_fail(err, KT_ERR_MEMORY, "emission: out of memory");
}

kt_status kt_invocation_write(struct kt_invocation *l, const struct kt_emitted *emitted, struct kt_error *err)
{
	TRY(emitted->file_count > 0 ? clear_lookups(l, emitted, err) : KT_OK);
	for (size_t i = 0; i < emitted->file_count; i++) {
		const struct kt_emitted_file *file = &emitted->files[i];
		const char *path = kt_arena_printf(l->arena, "%s/%s", l->folder, file->name);
		bool changed;
		TRY(path != NULL ? kt_fs_write_changed(&changed, path, file->text, strlen(file->text), err)
				 : kt_fail(err, KT_ERR_MEMORY, "emission: out of memory"));
	}
	return KT_OK;
}

static bool any_in_working_folder(size_t count, const char *const *folders)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(folders[i], ".") == 0 || strncmp(folders[i], "./", 2) == 0)
			return true;
	return false;
}

/* The compiler finds headers beside a source without a folder in "": an emission must name ".". */
static bool says_working_folder(const struct kt_command *c)
{
	return strchr(c->input, '/') == NULL && !any_in_working_folder(c->include_count, c->include_dirs) &&
	       !any_in_working_folder(c->system_include_count, c->system_include_dirs) &&
	       !any_in_working_folder(c->quote_include_count, c->quote_include_dirs) &&
	       !any_in_working_folder(c->forced_include_count, c->forced_includes);
}

kt_status kt_invocation_depfile(struct kt_depfile *known, struct kt_invocation *l, const struct kt_emitted *emitted)
{
	struct kt_depend depend = {
	    .depfile = l->command->depfile,
	    .source = l->command->input,
	    .emitted = emitted != NULL ? l->emitted : NULL,
	    .copies = emitted,
	    .extra = l->extra,
	    .extra_count = l->extra_count,
	    .bare = emitted != NULL && says_working_folder(l->command),
	    .phony = l->command->phony_dependencies,
	};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	kt_status status;

	memset(known, 0, sizeof *known);
	if (!l->command->wants_dependencies)
		return KT_OK;
	status = kt_depend_rewrite(&depend, &err);
	THEN(status, kt_fs_read(&text, l->command->depfile, &err));
	THEN(status, kt_depfile_parse(known, l->arena, kt_buf_text(&text), text.size, &err));
	if (status != KT_OK)
		kt_log("depfile: %s", err.message);
	kt_buf_free(&text);
	return status;
}

static void keep(struct kt_invocation *l, const struct kt_depfile *known, const struct kt_emitted *emitted,
                 enum kt_reason reason)
{
	kt_manifest_keep(l->store, l->key, l->work, &l->walk, emitted, reason, l->message, known->prerequisites,
	                 known->prerequisite_count, l->extra, l->extra_count);
	kt_current_note(l, emitted);
}

/* The object is left unmodified; what was looked up now is noted. False: it has to be compiled. */
static bool keep_current(struct kt_invocation *l, const struct kt_emitted *emitted, enum kt_reason reason)
{
	struct kt_depfile known;
	struct kt_error err;

	if (kt_current_keep(&known, l, emitted, &err) != KT_OK) {
		kt_log("the object is compiled again: %s", err.message);
		return false;
	}
	kt_manifest_keep(l->store, l->key, l->work, &l->walk, emitted, reason, l->message, known.prerequisites,
	                 known.prerequisite_count, l->extra, l->extra_count);
	if (l->message != NULL)
		kt_say("%s", l->message);
	return true;
}

/* Compiles what the user wrote; the depfile still names what was looked up. */
static int compile_original(struct kt_invocation *l, enum kt_reason reason)
{
	struct kt_depfile known;
	int code;

	kt_invocation_count(l, "compiled-original");
	code = l->compiled_early ? l->early_code : kt_run_wait(kt_invocation_original(l));
	/* Where the compiler refuses the source, its messages are all that is printed. */
	if (code == 0 && l->message != NULL)
		kt_say("%s", l->message);
	if (code == 0 && l->work != NULL && kt_invocation_depfile(&known, l, NULL) == KT_OK)
		keep(l, &known, NULL, reason);
	return code;
}

static int require(struct kt_invocation *l, enum kt_reason reason, const char *detail)
{
	fprintf(stderr, "%s: error: %s [KTUNE_MODE=require]\n", l->command->input,
	        kt_reason_line(l->arena, reason, detail));
	return KT_EXIT_REQUIRED;
}

static int without_emission(struct kt_invocation *l, const char *why)
{
	if (l->config.mode == KT_MODE_REQUIRE)
		return require(l, KT_REASON_EMIT_FAILED, why);
	kt_invocation_count_reason(l, KT_REASON_EMIT_FAILED);
	l->message = kt_arena_printf(l->arena, "%s: compiled unmodified: %s", l->command->input,
	                             kt_reason_line(l->arena, KT_REASON_EMIT_FAILED, why));
	return compile_original(l, KT_REASON_EMIT_FAILED);
}

static void show(const struct kt_buf *out, const struct kt_buf *errors)
{
	fwrite(kt_buf_text(out), 1, out->size, stdout);
	fflush(stdout);
	fwrite(kt_buf_text(errors), 1, errors->size, stderr);
}

/* The compiler may need for the original what these take of the disk. With a log they are a part of the report. */
static void remove_written(struct kt_invocation *l, const struct kt_emitted *emitted)
{
	for (size_t i = 0; l->config.log == NULL && i < emitted->file_count; i++) {
		const char *path = kt_arena_printf(l->arena, "%s/%s", l->folder, emitted->files[i].name);

		if (path != NULL)
			(void)unlink(path);
	}
}

/* First compilation of an emission: its output is held back until it is known to be good. */
static int compile_emitted(struct kt_invocation *l, const struct kt_emitted *emitted)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), errors = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_spare spare;
	struct kt_depfile known;
	struct kt_error err;
	char **argv;
	bool interrupted;
	int code;

	if (kt_invocation_folder(l, &err) != KT_OK || kt_invocation_write(l, emitted, &err) != KT_OK ||
	    (argv = kt_command_emitted(l->arena, l->command, l->emitted, emitted, true)) == NULL)
		return without_emission(l, "the folder beside the object cannot be written");
	argv = kt_spare_open(&spare, l->arena, l->command, l->store, argv);
	code = argv != NULL ? kt_run_held(&interrupted, argv, &out, &errors) : 1;
	kt_spare_close(&spare);
	NEED(argv, without_emission(l, "out of memory"));
	if (code != 0 && interrupted) {
		show(&out, &errors);
	} else if (code != 0) {
		kt_log("emission did not compile: %s", kt_buf_text(&errors));
		remove_written(l, emitted);
		code = kt_run_wait(kt_invocation_original(l));
		/* Where the original fails as well the mistake is the user's, and its messages were just shown. */
		if (code == 0 && l->config.mode == KT_MODE_REQUIRE) {
			/* A build must not take the original's object for the required one the next time. */
			if (l->command->output != NULL)
				(void)remove(l->command->output);
			code = require(l, KT_REASON_EMITTED_NO_COMPILE, NULL);
		} else if (code == 0) {
			kt_invocation_count_reason(l, KT_REASON_EMITTED_NO_COMPILE);
			kt_invocation_count(l, "compiled-original");
			l->message = kt_arena_printf(l->arena, "%s: compiled unmodified: %s", l->command->input,
			                             kt_reason_line(l->arena, KT_REASON_EMITTED_NO_COMPILE, NULL));
			if (l->message != NULL)
				kt_say("%s", l->message);
			if (kt_invocation_depfile(&known, l, NULL) == KT_OK)
				keep(l, &known, NULL, KT_REASON_EMITTED_NO_COMPILE);
		}
	} else {
		kt_invocation_count(l, "compiled-specialised");
		/* Before anything is printed: the reader may be gone, and a write then ends this process. */
		if (kt_invocation_depfile(&known, l, emitted) == KT_OK)
			keep(l, &known, emitted, KT_REASON_NONE);
		show(&out, &errors);
		if (l->message != NULL)
			kt_say("%s", l->message);
	}
	kt_buf_free(&out);
	kt_buf_free(&errors);
	return code;
}

/* All commands of a build share its budget, where there is one. */
static void set_build(struct kt_work_input *input, struct kt_invocation *l)
{
	struct kt_tree tree;

	if (l->config.build_budget_seconds < 0 || !kt_tree_find(&tree, l->arena, l->command->output))
		return;
	input->build_tree = tree.name;
	const char *command = tree.has_target
	                          ? kt_arena_printf(l->arena, "cmake --build %s --target ktune", kt_path_word(l->arena, tree.folder))
	                          : kt_arena_printf(l->arena, "ktcc tune %s -- FLAGS", kt_path_word(l->arena, l->command->input));
	input->build_advice =
	    kt_arena_printf(l->arena, "by other regions of this build tree; tune the rest with `%s`", command);
}

static void compile_early(void *context)
{
	struct kt_invocation *l = context;

	l->early_code = kt_run_wait(kt_invocation_original(l));
	l->compiled_early = true;
}

static int specialise(struct kt_invocation *l)
{
	struct kt_work_input input;
	struct kt_emitted emitted;
	struct kt_error err;
	enum kt_reason reason = KT_REASON_INTERNAL;
	int code = 0;

	kt_invocation_count(l, "manifest-miss");
	/* All files count from here on, and are looked at before anybody else reads them. */
	if (kt_walk(&l->walk, l->arena, l->command, l->config.cache_dir, &err) != KT_OK) {
		kt_log("%s", err.message);
		return pass_through(l, KT_REASON_INTERNAL, err.message);
	}
	const bool known = kt_input_from_command(&input, l->arena, l->command, &l->config, l->store, &err) == KT_OK;

	if (known) {
		set_build(&input, l);
		input.only_look_up = true;
		input.meanwhile = kt_early_may(l, &input) ? compile_early : NULL;
		input.meanwhile_context = l;
	}
	if (!known || kt_work_open(&l->work, &reason, &input, &err) != KT_OK) {
		kt_log("%s", err.message);
		if (l->config.mode == KT_MODE_REQUIRE)
			return require(l, reason, err.message);
		return pass_through(l, reason, err.message);
	}
	fputs(kt_work_unit(l->work)->diagnostics, stderr);
	if (kt_work_unit(l->work)->region_count == 0 && l->config.mode != KT_MODE_REQUIRE) {
		/* The bytes "ktune" were in a comment, a string or an inactive branch. */
		kt_work_close(l->work);
		l->work = NULL;
		return pass_through(l, KT_REASON_NO_REGION, NULL);
	}
	say_ignored(l, kt_work_lock(l->work)->refused);
	if (kt_work_lookup(l->work, &err) != KT_OK)
		kt_log("look-up: %s", err.message);
	if (l->command->is_clang)
		kt_outcome_without_entry(l);
	else
		kt_work_tune(l->work);
	if (l->config.mode == KT_MODE_REQUIRE)
		code = kt_outcome_required(l);
	kt_invocation_extra(l);
	kt_outcome_message(l);
	kt_work_rest(l->work);
	if (code == 0 && !kt_work_emits(l->work)) {
		const enum kt_reason why = l->reason != KT_REASON_NONE ? l->reason : KT_REASON_BASELINE_BEST;

		code = kt_current_is(l, NULL) && keep_current(l, NULL, why) ? 0 : compile_original(l, why);
	} else if (code == 0) {
		if (kt_work_emit(&emitted, l->work, NULL, &err) == KT_OK)
			code = kt_current_is(l, &emitted) && keep_current(l, &emitted, KT_REASON_NONE)
			           ? 0
			           : compile_emitted(l, &emitted);
		else
			code = without_emission(l, err.message);
	}
	return code;
}

/* Of several inputs the first that has a region: the one that a message is about. */
static const char *input_with_region(struct kt_invocation *l)
{
	struct kt_command one = *l->command;

	one.input_count = 1;
	for (size_t i = 0; i < l->command->input_count; i++) {
		struct kt_error ignored;
		bool found = false;

		one.inputs = &l->command->inputs[i];
		if (kt_walk_finds(&found, l->arena, &one, l->config.cache_dir, &ignored) == KT_OK && found)
			return l->command->inputs[i];
	}
	return l->command->input;
}

/* Text that ktcc cannot read without taking it from the compiler is counted, whatever it holds. */
static bool may_have_region(struct kt_invocation *l)
{
	struct kt_error err;
	bool found = false;

	return l->command->decline == KT_REASON_STDIN ||
	       (kt_walk_finds(&found, l->arena, l->command, l->config.cache_dir, &err) == KT_OK && found);
}

/* "/dev/null", "/dev/stdout": there can be no file beside it. */
static bool is_file_or_absent(const char *path)
{
	struct stat info;

	/* What a stream stands for changes from process to process. */
	return strncmp(path, "/dev/", 5) != 0 && (stat(path, &info) != 0 || S_ISREG(info.st_mode));
}

static int launch(struct kt_invocation *l, int argc)
{
	struct kt_lock_place lock;
	struct kt_manifest manifest;
	struct kt_error err;
	kt_status configured;
	bool known;
	const char *inside = getenv("KTUNE_INSIDE");

	/* A compiler that ktcc itself started must do as it is told. */
	if (inside != NULL && inside[0] != '\0')
		return kt_run_exec(l->argv);
	if (kt_command_parse(&l->command, l->arena, argc, l->argv, &err) != KT_OK ||
	    l->command->decline == KT_REASON_NOT_OURS)
		return kt_run_exec(l->argv);
	configured = kt_config_load(&l->config, l->arena, &err);
	if (l->config.disabled || l->config.mode == KT_MODE_OFF || !may_have_region(l))
		return kt_run_exec(l->argv);
	if (configured != KT_OK) {
		const bool required = l->config.mode == KT_MODE_REQUIRE;

		kt_say("error: %s; %s %s", err.message, required ? l->command->input : "the source",
		       required ? "is not compiled" : "is compiled without tuning");
		return l->config.mode == KT_MODE_REQUIRE ? KT_EXIT_REQUIRED : kt_run_exec(l->argv);
	}
	kt_log_open(l->config.log);
	setenv("KTUNE_INSIDE", "1", 1);
	if (kt_store_open(&l->store, l->config.cache_dir, &err) != KT_OK) {
		kt_log("no store: %s", err.message);
		l->store = NULL;
	}
	if (l->command->decline == KT_REASON_SEVERAL_INPUTS)
		l->command->input = input_with_region(l);
	if (l->command->decline != KT_REASON_NONE)
		return pass_through(l, l->command->decline,
		                    l->command->decline == KT_REASON_UNKNOWN_OPTION ? l->command->odd_word : NULL);
	if (kt_run_below_cache())
		return pass_through(l, KT_REASON_CACHE, NULL);
	if (!is_file_or_absent(l->command->output) ||
	    (l->command->wants_dependencies && !is_file_or_absent(l->command->depfile)))
		return pass_through(l, KT_REASON_OUTPUT, NULL);
	set_paths(l);
	if (l->stamp == NULL)
		return pass_through(l, KT_REASON_INTERNAL, NULL);
	/* Where it leads is somebody else's. */
	if (kt_fs_is_link(l->folder))
		return pass_through(l, KT_REASON_FOLDER, NULL);
	kt_command_key(l->key, l->arena, l->command, &l->config);
	known = l->store != NULL && kt_store_get_manifest(&manifest, l->arena, l->store, l->key);
	kt_current_begin(l, known ? &manifest : NULL);
	lock = kt_lock_find(l->arena, l->config.lock_dir, kt_path_absolute(l->arena, l->command->input, NULL));
	if (l->config.mode != KT_MODE_RETUNE && known && kt_manifest_holds(&manifest, l->store, lock.path) &&
	    (l->config.mode != KT_MODE_REQUIRE || manifest.emitted.file_count != 0)) {
		int code;

		say_ignored(l, lock.refused);
		code = kt_hit(l, &manifest);

		if (code >= 0)
			return code;
	}
	return specialise(l);
}

int kt_launch(int argc, char **argv)
{
	struct kt_invocation l = {.argv = argv};
	char *behind = argc > 0 ? kt_run_behind(argv[0]) : NULL;
	int code;

	if (behind != NULL)
		argv[0] = behind;
	l.arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	if (l.arena == NULL)
		return kt_run_exec(argv);
	code = launch(&l, argc);
	kt_work_close(l.work);
	kt_store_close(l.store);
	kt_arena_free(l.arena);
	free(behind);
	return kt_run_finish(code);
}
