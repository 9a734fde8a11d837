#include "launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "launch/depend.h"
#include "launch/input.h"
#include "launch/key.h"
#include "launch/manifest.h"
#include "launch/run.h"
#include "store/lock.h"

/* Exit code of KTUNE_MODE=require when an entry is missing. */
enum { EXIT_REQUIRED = 102 };

/* One compile command; lives until exec or exit. */
struct launch {
	char **argv;
	struct kt_arena *arena;
	struct kt_command *command;
	struct kt_config config;
	struct kt_store *store;
	struct kt_walk walk;
	char key[KT_HASH_TEXT];
	struct kt_work *work;
	const char *folder;   /* <object>.ktune */
	const char *emitted;  /* <object>.ktune/<basename>, as given */
	const char *stamp;
	const char **extra;   /* prerequisites of ktcc's own */
	size_t extra_count;
	const char *message;  /* the one line about a region left as written */
	enum kt_reason reason;
};

static void count(struct launch *l, const char *name)
{
	if (l->store != NULL)
		kt_store_count(l->store, name);
}

static void count_reason(struct launch *l, enum kt_reason reason)
{
	char name[96];

	snprintf(name, sizeof name, "reason:%s", kt_reason_name(reason));
	count(l, name);
}

/* The user's command, with nothing but a warning switched off that ktune's pragma would turn into an error. */
static char **original(struct launch *l)
{
	size_t words = l->command->argc;
	char **argv;

	if (!l->command->werror)
		return l->argv;
	argv = kt_arena_array(l->arena, words + 2, sizeof *argv);
	if (argv == NULL)
		return l->argv;
	memcpy(argv, l->argv, words * sizeof *argv);
	argv[words] = kt_arena_strdup(l->arena, "-Xcompiler=-Wno-unknown-pragmas");
	return argv[words] != NULL ? argv : l->argv;
}

/* Ends without any specialisation that concerns the depfile: nothing was looked up. */
static int pass_through(struct launch *l, enum kt_reason reason)
{
	if (l->store != NULL)
		count_reason(l, reason);
	if (!kt_reason_quiet(reason))
		kt_say("%s: compiled as written: %s", l->command->input != NULL ? l->command->input : "", kt_reason_text(reason));
	/* What is open would be inherited by the compiler's process image, or lost with ours. */
	kt_store_close(l->store);
	l->store = NULL;
	return kt_run_exec(original(l));
}

static void set_paths(struct launch *l)
{
	const char *base = kt_path_basename(l->command->input);

	l->folder = kt_arena_printf(l->arena, "%s.ktune", l->command->output);
	l->emitted = kt_arena_printf(l->arena, "%s/%s", l->folder, base);
	l->stamp = kt_arena_printf(l->arena, "%s/stamp", l->folder);
}

/* The folder beside the object with its stamp. Where the object's own folder is absent the compiler has to say so. */
static kt_status make_folder(struct launch *l, struct kt_error *err)
{
	const char *parent = kt_path_dirname(l->arena, l->folder);

	if (parent == NULL || !kt_fs_is_dir(parent))
		return kt_fail(err, KT_ERR_IO, "%s: no such directory", parent != NULL ? parent : l->folder);
	if (kt_fs_mkdirs(l->folder, err) != KT_OK)
		return err->code;
	return access(l->stamp, F_OK) == 0 ? KT_OK : kt_fs_touch(l->stamp, err);
}

static bool add_extra(struct launch *l, const char *path)
{
	const char **slot;

	for (size_t i = 0; i < l->extra_count; i++)
		if (strcmp(l->extra[i], path) == 0)
			return true;
	slot = kt_arena_push(l->arena, &l->extra, &l->extra_count, sizeof *slot);
	if (slot != NULL)
		*slot = path;
	return slot != NULL;
}

/*
 * What the object depends on besides its sources: the stamp and the folders of
 * the lock directory that were looked into. A folder that is not there yet is
 * made, so that an entry arriving in it is seen by the build system.
 */
static void set_extra(struct launch *l)
{
	struct kt_error err;
	struct kt_case *cases;
	size_t count_ = kt_work_cases(&cases, l->work);

	if (make_folder(l, &err) != KT_OK)
		kt_log("no stamp: %s", err.message);
	else
		add_extra(l, kt_path_absolute(l->arena, l->stamp, NULL));
	for (size_t i = 0; i < count_; i++) {
		if (l->store != NULL && cases[i].near_key != NULL &&
		    kt_store_put_stamp(l->store, cases[i].near_key, kt_path_absolute(l->arena, l->stamp, NULL), &err) != KT_OK)
			kt_log("stamp not stored: %s", err.message);
		if (cases[i].lock_folder == NULL)
			continue;
		if (kt_fs_mkdirs(cases[i].lock_folder, &err) == KT_OK)
			add_extra(l, cases[i].lock_folder);
		else
			kt_log("%s", err.message);
	}
}

/*
 * Makes the depfile that nvcc wrote name what was looked up, and no copy of
 * ktcc's; returns its prerequisites. A command without a depfile has none.
 */
static kt_status rewrite_depfile(struct kt_depfile *known, struct launch *l, const char *emitted)
{
	struct kt_depend depend = {
	    .depfile = l->command->depfile,
	    .source = l->command->input,
	    .emitted = emitted,
	    .extra = l->extra,
	    .extra_count = l->extra_count,
	    .phony = l->command->phony_dependencies,
	};
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	kt_status status;

	memset(known, 0, sizeof *known);
	if (!l->command->wants_dependencies)
		return KT_OK;
	status = kt_depend_rewrite(&depend, &err);
	if (status == KT_OK)
		status = kt_fs_read(&text, l->command->depfile, &err);
	if (status == KT_OK)
		status = kt_depfile_parse(known, l->arena, kt_buf_text(&text), text.size, &err);
	if (status != KT_OK)
		kt_log("depfile: %s", err.message);
	kt_buf_free(&text);
	return status;
}

static void keep(struct launch *l, const struct kt_depfile *known, const char *emitted, enum kt_reason reason)
{
	kt_manifest_keep(l->store, l->key, l->work, &l->walk, emitted, reason, l->message, known->prerequisites,
	                 known->prerequisite_count, l->extra, l->extra_count);
}

/* Compiles what the user wrote; the depfile still says what was looked up. */
static int compile_original(struct launch *l, enum kt_reason reason)
{
	struct kt_depfile known;
	int code;

	count(l, "compiled-original");
	if (l->message != NULL)
		kt_say("%s", l->message);
	code = kt_run_wait(original(l));
	if (code == 0 && l->work != NULL && rewrite_depfile(&known, l, NULL) == KT_OK)
		keep(l, &known, NULL, reason);
	return code;
}

static int without_emission(struct launch *l, const char *why)
{
	count_reason(l, KT_REASON_EMIT_FAILED);
	l->message = kt_arena_printf(l->arena, "%s: compiled as written: %s: %s", l->command->input,
	                             kt_reason_text(KT_REASON_EMIT_FAILED), why);
	return compile_original(l, KT_REASON_EMIT_FAILED);
}

/* First compilation of an emission: its output is held back until it is known to be good. */
static int compile_emitted(struct launch *l, const struct kt_buf *text)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_SOURCE_BYTES), errors = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_depfile known;
	struct kt_error err;
	char **argv = kt_command_emitted(l->arena, l->command, l->emitted, true);
	bool changed;
	int code;

	if (argv == NULL || make_folder(l, &err) != KT_OK ||
	    kt_fs_write_changed(&changed, l->emitted, kt_buf_text(text), text->size, &err) != KT_OK)
		return without_emission(l, "the folder beside the object cannot be written");
	code = kt_run_held(argv, &out, &errors);
	if (code != 0) {
		kt_log("emission did not compile: %s", kt_buf_text(&errors));
		kt_buf_free(&out);
		kt_buf_free(&errors);
		code = kt_run_wait(original(l));
		/* Where the original fails as well the mistake is the user's, and its messages were just shown. */
		if (code == 0) {
			count_reason(l, KT_REASON_EMITTED_NO_COMPILE);
			count(l, "compiled-original");
			l->message = kt_arena_printf(l->arena, "%s: compiled as written: %s", l->command->input,
			                             kt_reason_text(KT_REASON_EMITTED_NO_COMPILE));
			if (l->message != NULL)
				kt_say("%s", l->message);
			if (rewrite_depfile(&known, l, NULL) == KT_OK)
				keep(l, &known, NULL, KT_REASON_EMITTED_NO_COMPILE);
		}
		return code;
	}
	fwrite(kt_buf_text(&out), 1, out.size, stdout);
	fwrite(kt_buf_text(&errors), 1, errors.size, stderr);
	if (l->message != NULL)
		kt_say("%s", l->message);
	count(l, "compiled-specialised");
	if (rewrite_depfile(&known, l, l->emitted) == KT_OK)
		keep(l, &known, kt_buf_text(text), KT_REASON_NONE);
	kt_buf_free(&out);
	kt_buf_free(&errors);
	return 0;
}

/* The original again: what it depends on beyond its sources is put into the depfile that nvcc writes. */
static int hit_original(struct launch *l)
{
	struct kt_depfile known;
	int code;

	count(l, "compiled-original");
	if (!l->command->wants_dependencies) {
		kt_store_close(l->store);
		l->store = NULL;
		return kt_run_exec(original(l));
	}
	code = kt_run_wait(original(l));
	if (code == 0 && rewrite_depfile(&known, l, NULL) != KT_OK)
		kt_log("depfile without what was looked up");
	return code;
}

/* -MT's values are makefile text: nvcc puts them into the depfile as they are, where '$$' is one '$'. */
static kt_status read_targets(struct kt_depfile *known, struct launch *l, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	struct kt_depfile given;
	kt_status status;

	known->targets = &l->command->output;
	known->target_count = 1;
	if (l->command->dependency_target_count == 0)
		return KT_OK;
	for (size_t i = 0; i < l->command->dependency_target_count; i++)
		kt_buf_addf(&text, "%s ", l->command->dependency_targets[i]);
	kt_buf_adds(&text, ":\n");
	status = kt_buf_check(&text, "dependency targets", err);
	if (status == KT_OK)
		status = kt_depfile_parse(&given, l->arena, kt_buf_text(&text), text.size, err);
	if (status == KT_OK) {
		known->targets = given.targets;
		known->target_count = given.target_count;
	}
	kt_buf_free(&text);
	return status;
}

/* Puts the known emission and its depfile in place. */
static kt_status restore(struct launch *l, const struct kt_manifest *manifest, struct kt_error *err)
{
	struct kt_depfile known = {
	    .prerequisites = manifest->dependencies,
	    .prerequisite_count = manifest->dependency_count,
	    .phony = l->command->phony_dependencies,
	};
	bool changed;
	kt_status status = kt_fs_write_changed(&changed, l->emitted, manifest->emitted, strlen(manifest->emitted), err);

	if (status != KT_OK || !l->command->wants_dependencies)
		return status;
	status = read_targets(&known, l, err);
	return status == KT_OK ? kt_depend_write(l->command->depfile, &known, err) : status;
}

/*
 * The path of a second build: no parse, no compiler before the real one, no
 * fork where the emission is known. Negative: not possible, work is needed.
 */
static int hit(struct launch *l, const struct kt_manifest *manifest)
{
	struct kt_error err;
	char **argv = NULL;

	if (make_folder(l, &err) != KT_OK || (manifest->emitted != NULL && restore(l, manifest, &err) != KT_OK)) {
		kt_log("hit not used: %s", err.message);
		return -1;
	}
	if (manifest->emitted != NULL && (argv = kt_command_emitted(l->arena, l->command, l->emitted, false)) == NULL)
		return -1;
	count(l, "manifest-hit");
	l->extra = manifest->extra;
	l->extra_count = manifest->extra_count;
	if (manifest->message != NULL)
		kt_say("%s", manifest->message);
	if (argv == NULL)
		return hit_original(l);
	count(l, "compiled-specialised");
	kt_store_close(l->store);
	l->store = NULL;
	return kt_run_exec(argv);
}

/* The line that a user sees about regions that stay as written; NULL: none. */
static void set_message(struct launch *l)
{
	struct kt_case *cases;
	size_t total = kt_work_cases(&cases, l->work), others = 0;
	const struct kt_case *first = NULL;
	const struct kt_found *near = NULL;

	for (size_t i = 0; i < total; i++) {
		if (cases[i].reason != KT_REASON_NONE)
			count_reason(l, cases[i].reason);
		if (cases[i].reason == KT_REASON_NONE && near == NULL && cases[i].found_count != 0 &&
		    cases[i].found[0].closeness != KT_CLOSE_EXACT)
			near = &cases[i].found[0];
		if (cases[i].reason == KT_REASON_NONE || cases[i].reason == KT_REASON_BASELINE_BEST ||
		    kt_reason_quiet(cases[i].reason))
			continue;
		if (first == NULL)
			first = &cases[i];
		else
			others++;
	}
	if (first != NULL) {
		l->reason = first->reason;
		l->message = kt_arena_printf(
		    l->arena, "%s:%u: %s stays as written: %s%s%s%s%s", first->region->file, first->region->line,
		    first->region->name, kt_reason_text(first->reason),
		    first->reason == KT_REASON_UNKNOWN_DEVICE ? " (KTUNE_DEVICE=" : first->detail != NULL ? ": " : "",
		    first->reason == KT_REASON_UNKNOWN_DEVICE ? l->config.device : first->detail != NULL ? first->detail : "",
		    first->reason == KT_REASON_UNKNOWN_DEVICE ? ")" : "",
		    others != 0 ? kt_arena_printf(l->arena, " (and %zu more)", others) : "");
	} else if (near != NULL) {
		l->message = kt_arena_printf(l->arena, "%s: %s uses the entry of %s (%s match)", l->command->input,
		                             near->entry.name, near->entry.device.name, kt_closeness_name(near->closeness));
	}
}

/* KTUNE_MODE=require: every region must have been found; the first that was not is the error. */
static int required(struct launch *l)
{
	struct kt_case *cases;
	size_t total = kt_work_cases(&cases, l->work);
	int code = 0;

	for (size_t i = 0; i < total; i++) {
		if (cases[i].reason == KT_REASON_NONE || cases[i].reason == KT_REASON_BASELINE_BEST)
			continue;
		fprintf(stderr, "%s:%u:%u: error: %s: %s%s%s [KTUNE_MODE=require]\n", cases[i].region->file,
		        cases[i].region->line, cases[i].region->column, cases[i].region->name, kt_reason_text(cases[i].reason),
		        cases[i].detail != NULL ? ": " : "", cases[i].detail != NULL ? cases[i].detail : "");
		code = EXIT_REQUIRED;
	}
	return code;
}

static int specialise(struct launch *l)
{
	struct kt_work_input input;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	enum kt_reason reason = KT_REASON_INTERNAL;
	int code = 0;

	count(l, "manifest-miss");
	if (kt_input_from_command(&input, l->arena, l->command, &l->config, l->store, &err) != KT_OK ||
	    kt_work_open(&l->work, &reason, &input, &err) != KT_OK) {
		kt_log("%s", err.message);
		if (l->config.mode == KT_MODE_REQUIRE) {
			fprintf(stderr, "%s: error: %s: %s [KTUNE_MODE=require]\n", l->command->input, kt_reason_text(reason),
			        err.message);
			return EXIT_REQUIRED;
		}
		return pass_through(l, reason);
	}
	fputs(kt_work_unit(l->work)->diagnostics, stderr);
	if (kt_work_unit(l->work)->region_count == 0 && l->config.mode != KT_MODE_REQUIRE) {
		/* The bytes "ktune" stood in a comment, a string or an inactive branch. */
		kt_work_close(l->work);
		l->work = NULL;
		return pass_through(l, KT_REASON_NO_REGION);
	}
	if (kt_work_lookup(l->work, &err) != KT_OK)
		kt_log("look-up: %s", err.message);
	kt_work_tune(l->work);
	if (l->config.mode == KT_MODE_REQUIRE)
		code = required(l);
	set_extra(l);
	set_message(l);
	if (code == 0 && kt_work_variants(l->work) == 0) {
		code = compile_original(l, l->reason != KT_REASON_NONE ? l->reason : KT_REASON_BASELINE_BEST);
	} else if (code == 0) {
		if (kt_work_emit(&text, l->work, &err) == KT_OK && kt_buf_check(&text, "emitted source", &err) == KT_OK) {
			code = compile_emitted(l, &text);
		} else {
			code = without_emission(l, err.message);
		}
	}
	kt_buf_free(&text);
	return code;
}

static int launch(struct launch *l, int argc)
{
	struct kt_manifest manifest;
	struct kt_error err;
	const char *inside = getenv("KTUNE_INSIDE"), *lock_dir;

	/* A compiler that ktcc itself started must do as it is told. */
	if (inside != NULL && inside[0] != '\0')
		return kt_run_exec(l->argv);
	if (kt_command_parse(&l->command, l->arena, argc, l->argv, &err) != KT_OK ||
	    l->command->decline == KT_REASON_NOT_OURS)
		return kt_run_exec(l->argv);
	if (kt_config_load(&l->config, l->arena, &err) != KT_OK) {
		kt_say("%s", err.message);
		return kt_run_exec(l->argv);
	}
	if (l->config.disabled || l->config.mode == KT_MODE_OFF ||
	    kt_walk(&l->walk, l->arena, l->command, l->config.cache_dir, &err) != KT_OK || !l->walk.found)
		return kt_run_exec(l->argv);
	kt_log_open(l->config.log);
	setenv("KTUNE_INSIDE", "1", 1);
	if (kt_store_open(&l->store, l->config.cache_dir, &err) != KT_OK) {
		kt_log("no store: %s", err.message);
		l->store = NULL;
	}
	if (l->command->decline != KT_REASON_NONE)
		return pass_through(l, l->command->decline);
	if (l->command->device_debug)
		return pass_through(l, KT_REASON_DEBUG);
	set_paths(l);
	if (l->stamp == NULL)
		return pass_through(l, KT_REASON_INTERNAL);
	kt_command_key(l->key, l->command, &l->config);
	lock_dir = kt_lock_find(l->arena, l->config.lock_dir, kt_path_absolute(l->arena, l->command->input, NULL));
	if (l->config.mode != KT_MODE_RETUNE && kt_manifest_find(&manifest, l->arena, l->store, l->key, lock_dir) &&
	    (l->config.mode != KT_MODE_REQUIRE || manifest.emitted != NULL)) {
		int code = hit(l, &manifest);

		if (code >= 0)
			return code;
	}
	return specialise(l);
}

int kt_launch(int argc, char **argv)
{
	struct launch l = {.argv = argv};
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
	return code;
}
