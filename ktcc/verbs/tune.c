/* ktcc tune: the loop without a build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "base/strategies.h"
#include "tuning/search.h"
#include "verbs/tune.h"
#include "verbs/verbs.h"

struct options {
	const char *database;
	uint64_t seed;
	bool json, events, go_on, refresh;
	struct kt_tune_progress *progress;
	const char **keys; /* of the region instances that were tuned so far */
	size_t key_count;
};

/* Is there a region instance among these that no command before has tuned? From now on there is not. */
static kt_status note(bool *fresh, struct options *options, struct kt_arena *arena, const struct kt_case *cases,
                      size_t count, struct kt_error *err)
{
	*fresh = false;
	for (size_t i = 0; i < count; i++) {
		const char **slot;
		size_t at = 0;

		while (cases[i].region_key != NULL && at < options->key_count &&
		       strcmp(options->keys[at], cases[i].region_key) != 0)
			at++;
		if (cases[i].region_key == NULL || at < options->key_count)
			continue;
		*fresh = true;
		slot = kt_arena_push(arena, &options->keys, &options->key_count, sizeof *slot);
		if (slot == NULL || (*slot = kt_arena_strdup(arena, cases[i].region_key)) == NULL)
			return kt_no_memory(err);
	}
	return KT_OK;
}

/* Another command of a file is worth a line only where it compiles another kernel. */
static kt_status tune_unit(cJSON *list, struct kt_session *session, const struct kt_compile_command *command,
                           struct options *options, bool another, struct kt_error *err)
{
	struct kt_case *cases;
	TRY(kt_session_unit(session, command, err));
	bool fresh = false;
	size_t count;

	TRY(kt_work_lookup(session->work, err));
	count = kt_work_cases(&cases, session->work);
	TRY(note(&fresh, options, session->arena, cases, count, err));
	if ((another && !fresh))
		return KT_OK;
	kt_work_tune(session->work);
	if (options->go_on && kt_work_device(session->work) == NULL)
		kt_work_question(session->work);
	count = kt_work_cases(&cases, session->work);
	size_t without = 0;
	for (size_t i = 0; i < count; i++) {
		kt_tune_note(options->progress, &cases[i]);
		if (options->json)
			cJSON_AddItemToArray(list, kt_tune_json(&cases[i]));
		else if (!options->events)
			kt_tune_print(session->arena, &cases[i]);
		/* A user who asked for questions has got them. */
		if (cases[i].reason != KT_REASON_NONE && cases[i].reason != KT_REASON_BASELINE_BEST &&
		    !(options->go_on && cases[i].awaited_count != 0)) {
			without++;
			if (options->json || options->events)
				kt_say("%s: %s", cases[i].region->name,
				       kt_reason_line_for(session->arena, cases[i].reason, cases[i].detail, cases[i].region->file));
		}
	}
	/* Each was named with its reason above. */
	if (without != 0)
		return kt_fail(err, KT_ERR_INVALID, "%s: %zu of %zu region instances %s no entry", command->file,
			       without, count, without == 1 ? "has" : "have");
	return KT_OK;
}

/* Each command that compiles the file; what one cannot be tuned by is no reason to leave out the others. */
static kt_status tune_file(cJSON *list, struct kt_session *session, const struct kt_compile_command *command,
                           struct options *options, struct kt_error *err)
{
	struct kt_compile_command listed;
	struct kt_error last;
	kt_status status = KT_OK, found;
	size_t n;

	session->seed = options->seed;
	session->go_on = options->go_on;
	session->refresh = options->refresh;
	if (options->database == NULL)
		return tune_unit(list, session, command, options, false, err);
	for (n = 0; (found = kt_compile_command_from_database(&listed, session->arena, options->database, command->file,
							      n, &last)) == KT_OK;
	     n++)
		if (tune_unit(list, session, &listed, options, n != 0, &last) != KT_OK) {
			status = last.code;
			*err = last;
		}
	if (n == 0)
		*err = last;
	return n == 0 ? found : status;
}

/* A model by hand: its URL is a folder, that of answers has to be there. */
static kt_status use_folder(struct kt_session *session, const char *folder, bool answers, struct kt_error *err)
{
	const char *url = kt_arena_printf(session->arena, "dir:%s", folder);

	NEED(url, kt_no_memory(err));
	return answers && !kt_fs_is_dir(folder) ? kt_fail(err, KT_ERR_MISSING, "%s: no such folder", folder)
	                                        : kt_config_set(&session->config, session->arena, "LLM_URL", url, err);
}

static kt_status use_sizes(struct kt_session *session, const char *path, struct kt_error *err)
{
	const char *absolute = kt_path_absolute(session->arena, path, NULL);

	return absolute != NULL && kt_fs_is_file(absolute)
	           ? kt_config_set(&session->config, session->arena, "SIZES", absolute, err)
	           : kt_fail(err, KT_ERR_MISSING, "%s: no such file", path);
}

/* What the options mean for the settings; a strategy that there is. */
static kt_status configure(struct kt_session *session, const struct kt_given *given, struct kt_error *err)
{
	const char *sizes = kt_given_text(given, KT_OPTION_tune_sizes), *ask = kt_given_text(given, KT_OPTION_tune_ask);
	const char *answer = kt_given_text(given, KT_OPTION_tune_answer);
	const char *strategy = kt_given_text(given, KT_OPTION_tune_strategy);
	const char *lock_dir = kt_given_text(given, KT_OPTION_tune_lock_dir);
	TRY(kt_given_configure(&session->config, session->arena, given, err));
	/* A folder that this command line names is wanted. */
	if (lock_dir != NULL)
		TRY(kt_fs_mkdirs(lock_dir, err));
	if (strategy != NULL && kt_strategy_name(strategy) == NULL)
		return kt_strategy_unknown(strategy, err);
	if (strategy != NULL)
		TRY(kt_config_set(&session->config, session->arena, "STRATEGY", strategy, err));
	if (sizes != NULL)
		TRY(use_sizes(session, sizes, err));
	if (sizes != NULL || kt_given_has(given, KT_OPTION_tune_retune))
		TRY(kt_config_set(&session->config, session->arena, "MODE", "retune", err));
	if (ask != NULL || answer != NULL)
		TRY(use_folder(session, answer != NULL ? answer : ask, answer != NULL, err));
	return KT_OK;
}

int kt_verb_tune(const struct kt_given *given)
{
	struct options options = {.database = kt_given_text(given, KT_OPTION_tune_database),
	                    .seed = kt_given_number(given, KT_OPTION_tune_seed, 0),
	                    .events = kt_given_has(given, KT_OPTION_tune_events),
	                    /* Its results are among the events. */
	                    .json = given->json && !kt_given_has(given, KT_OPTION_tune_events),
	                    .refresh = kt_given_has(given, KT_OPTION_tune_refresh),
	                    .go_on = kt_given_has(given, KT_OPTION_tune_ask) || kt_given_has(given, KT_OPTION_tune_answer)};
	const bool is_t1 = kt_given_has(given, KT_OPTION_tune_t1);
	struct kt_tune_progress progress;
	struct kt_session session;
	struct kt_compile_command command;
	struct kt_error err;
	cJSON *list = NULL;
	const char *here;
	int code = 0;

	if ((given->argument_count == 0) != is_t1)
		return !is_t1 ? kt_given_wrong(given, "an argument is missing")
		              : kt_given_wrong(given, "--t1 and '%s' are given", given->arguments[0]);
	if (is_t1 && kt_tune_t1_foreign(given) != NULL)
		return kt_given_wrong(given, "--%s is of a source, and --t1 is given", kt_tune_t1_foreign(given));

	kt_compile_command_of(&command, given);
	if (kt_session_open(&session, &err) != KT_OK || configure(&session, given, &err) != KT_OK) {
		code = kt_verb_failed(&err);
		goto done;
	}
	if (is_t1) {
		code = kt_tune_t1(session.arena, given, &err) == KT_OK ? 0 : kt_verb_failed(&err);
		goto done;
	}
	list = cJSON_CreateArray();
	kt_tune_progress_open(&progress, options.events);
	options.progress = &progress;
	session.observer = &progress.observer;
	here = kt_path_absolute(session.arena, ".", NULL);
	for (int i = 0; i < given->argument_count; i++) {
		/* A database entry may have moved us into its directory. */
		if (here == NULL || chdir(here) != 0)
			break;
		command.file = kt_path_absolute(session.arena, given->arguments[i], here);
		if (tune_file(list, &session, &command, &options, &err) != KT_OK)
			code = kt_verb_failed(&err);
	}
	if (options.json)
		kt_verb_print_json(list);
	else
		kt_tune_progress_close(&progress);
done:
	cJSON_Delete(list);
	kt_session_close(&session);
	return code;
}
