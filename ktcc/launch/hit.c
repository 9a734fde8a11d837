#include "launch/hit.h"

#include <string.h>

#include "base/log.h"
#include "launch/current.h"
#include "launch/run.h"

static int become(struct kt_invocation *l, char **argv)
{
	kt_store_close(l->store);
	l->store = NULL;
	return kt_run_exec(argv);
}

/* What an object depends on beyond its sources is put into the depfile that nvcc, or a cache in front of it, writes. */
static int wait_for(struct kt_invocation *l, char **argv, const struct kt_emitted *emitted)
{
	struct kt_depfile known;
	int code = kt_run_wait(argv);

	if (code == 0 && kt_invocation_depfile(&known, l, emitted) != KT_OK)
		kt_log("depfile without what was looked up");
	else if (code == 0)
		kt_current_note(l, emitted);
	return code;
}

/* -MT's values are makefile text: nvcc puts them into the depfile as they are, where '$$' is one '$'. */
static kt_status read_targets(struct kt_depfile *known, struct kt_invocation *l, struct kt_error *err)
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
	THEN(status, kt_depfile_parse(&given, l->arena, kt_buf_text(&text), text.size, err));
	if (status == KT_OK) {
		known->targets = given.targets;
		known->target_count = given.target_count;
	}
	kt_buf_free(&text);
	return status;
}

kt_status kt_hit_depfile(struct kt_depfile *known, struct kt_invocation *l, struct kt_error *err)
{
	kt_status status = read_targets(known, l, err);

	known->phony = l->command->phony_dependencies;
	known->empty_count = l->extra_count;
	known->empty = l->extra;
	return status == KT_OK ? kt_depend_write(l->command->depfile, known, err) : status;
}

/* Puts the known emission and its depfile in place. */
static kt_status restore(struct kt_invocation *l, const struct kt_manifest *manifest, struct kt_error *err)
{
	struct kt_depfile known = {
	    .prerequisites = manifest->dependencies,
	    .prerequisite_count = manifest->dependency_count,
	};
	kt_status status = kt_invocation_write(l, &manifest->emitted, err);

	return status == KT_OK && l->command->wants_dependencies ? kt_hit_depfile(&known, l, err) : status;
}

/* Some of its regions are not served exactly: it is looked at again whenever anything comes to the lock directory. */
static bool awaits_entries(const struct kt_manifest *manifest)
{
	for (size_t i = 0; manifest->lock_dir != NULL && i < manifest->extra_count; i++)
		if (strcmp(manifest->extra[i], manifest->lock_dir) == 0)
			return true;
	return false;
}

/* Compiles an emission whose depfile has been written. */
static int compile_known(struct kt_invocation *l, char **argv, const struct kt_emitted *emitted)
{
	const int code = kt_run_wait(argv);

	if (code == 0)
		kt_current_note(l, emitted);
	return code;
}

static int compile(struct kt_invocation *l, const struct kt_manifest *manifest)
{
	struct kt_error err;
	const bool emits = manifest->emitted.file_count != 0;
	/* A compiler cache that runs after ktcc finds what the first build put there only by the same command. */
	const bool same = l->command->wants_dependencies && l->command->compiler_words > 1;
	char **argv = NULL;

	if (kt_invocation_folder(l, &err) != KT_OK || (emits && restore(l, manifest, &err) != KT_OK)) {
		kt_log("hit not used: %s", err.message);
		return -1;
	}
	if (emits &&
	    (argv = kt_command_emitted(l->arena, l->command, l->emitted, &manifest->emitted, same)) == NULL)
		return -1;
	kt_invocation_count(l, "manifest-hit");
	if (manifest->message != NULL)
		kt_say("%s", manifest->message);
	kt_invocation_count(l, emits ? "compiled-specialised" : "compiled-original");
	if (emits && same)
		return wait_for(l, argv, &manifest->emitted);
	if (emits)
		return l->command->wants_dependencies && awaits_entries(manifest)
		           ? compile_known(l, argv, &manifest->emitted)
		           : become(l, argv);
	argv = kt_invocation_original(l);
	return l->command->wants_dependencies ? wait_for(l, argv, NULL) : become(l, argv);
}

int kt_hit(struct kt_invocation *l, const struct kt_manifest *manifest)
{
	const struct kt_emitted *emitted = manifest->emitted.file_count != 0 ? &manifest->emitted : NULL;
	struct kt_depfile known;
	struct kt_error err;
	int code;

	l->extra = manifest->extra;
	l->extra_count = manifest->extra_count;
	if (kt_current_is(l, emitted) && kt_current_keep(&known, l, emitted, &err) == KT_OK)
		return 0;
	code = compile(l, manifest);
	if (code < 0) {
		l->extra = NULL;
		l->extra_count = 0;
	}
	return code;
}
