/* ktcc tune: the loop without a build. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "store/lock.h"
#include "tuning/search.h"
#include "verbs/tune.h"
#include "verbs/verbs.h"

static const char help[] =
    "usage: ktcc tune [options] FILE… [-- nvcc flags]\n"
    "Tunes the regions of each FILE on the device in this machine and keeps the winners in the store and, where\n"
    "it exists, in ktune.lock/.\n"
    "  --compile-commands DIR   flags from DIR/compile_commands.json instead of behind \"--\"\n"
    "  --retune                 also what has an entry already\n"
    "  --refresh                also what newer rules rebuilt: its timing is of an older text\n"
    "  --budget B               60s, 2m, 500n (trials), or both with a comma\n"
    "  --strategy NAME          default, exhaustive, random, lhs, local, annealing, genetic, evolution, model\n"
    "  --seed N                 of the search\n"
    "  --lock-dir DIR           write entries there (created)\n"
    "  --record FILE            keep the runner's answers, to be replayed with KTUNE_REPLAY\n"
    "  --relax R                moves the soft limits of pruning, -0.5 to 0.5 (KTUNE_RELAX)\n"
    "  --t4 FOLDER              what was measured, as T4 files: FOLDER/INSTANCE.T4.json\n"
    "  --t1 FILE                the problem of a T1 file in the place of FILE…, by Python (docs/python.md), with\n"
    "                           --budget, --strategy, and --t4 with the file to write\n"
    "  --sizes FILE             what a program printed with KTUNE_TRACE=1: its sizes take part; as --retune\n"
    "  --ask DIR                write the questions to a model as files, and take answers that lie there already\n"
    "  --answer DIR             take the answers to such questions; go on from what was found before\n"
    "  --events                 a line of JSON for each event while it goes on (docs/cli.md)\n"
    "  --json\n";

struct wish {
	const char *database, *strategy;
	uint64_t seed;
	bool json, events, go_on, refresh;
	struct kt_tune_progress *progress;
	const char **keys; /* of the region instances that were tuned so far */
	size_t key_count;
};

/* Is there a region instance among these that no command before has tuned? From now on there is not. */
static kt_status note(bool *fresh, struct wish *wish, struct kt_arena *arena, const struct kt_case *cases,
                      size_t count, struct kt_error *err)
{
	*fresh = false;
	for (size_t i = 0; i < count; i++) {
		const char **slot;
		size_t at = 0;

		while (cases[i].region_key != NULL && at < wish->key_count &&
		       strcmp(wish->keys[at], cases[i].region_key) != 0)
			at++;
		if (cases[i].region_key == NULL || at < wish->key_count)
			continue;
		*fresh = true;
		slot = kt_arena_push(arena, &wish->keys, &wish->key_count, sizeof *slot);
		if (slot == NULL || (*slot = kt_arena_strdup(arena, cases[i].region_key)) == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
	}
	return KT_OK;
}

/* Another command of a file is worth a line only where it compiles another kernel. */
static kt_status tune_unit(cJSON *list, struct kt_session *session, const struct kt_target *target,
                           struct wish *wish, bool another, struct kt_error *err)
{
	struct kt_case *cases;
	kt_status status = kt_session_unit(session, target, err);
	bool fresh = false;
	size_t count;

	if (status == KT_OK)
		status = kt_work_lookup(session->work, err);
	if (status != KT_OK)
		return status;
	count = kt_work_cases(&cases, session->work);
	status = note(&fresh, wish, session->arena, cases, count, err);
	if (status != KT_OK || (another && !fresh))
		return status;
	kt_work_tune(session->work);
	if (wish->go_on && kt_work_device(session->work) == NULL)
		kt_work_question(session->work);
	count = kt_work_cases(&cases, session->work);
	size_t without = 0;
	for (size_t i = 0; i < count; i++) {
		kt_tune_note(wish->progress, &cases[i]);
		if (wish->json)
			cJSON_AddItemToArray(list, kt_tune_json(&cases[i]));
		else if (!wish->events)
			kt_tune_print(session->arena, &cases[i]);
		/* Whoever asked for questions has got them. */
		if (cases[i].reason != KT_REASON_NONE && cases[i].reason != KT_REASON_BASELINE_BEST &&
		    !(wish->go_on && cases[i].awaited_count != 0)) {
			without++;
			if (wish->json || wish->events)
				kt_say("%s: %s", cases[i].region->name,
				       kt_reason_line(session->arena, cases[i].reason, cases[i].detail));
		}
	}
	/* Each was named with its reason above. */
	if (without != 0)
		status = kt_fail(err, KT_ERR_INVALID, "%s: %zu of %zu region instances %s no entry", target->file, without, count,
		                 without == 1 ? "has" : "have");
	return status;
}

/* Each command that compiles the file; what one cannot be tuned by is no reason to leave out the others. */
static kt_status tune_file(cJSON *list, struct kt_session *session, const struct kt_target *target,
                           struct wish *wish, struct kt_error *err)
{
	struct kt_target listed;
	struct kt_error last;
	kt_status status = KT_OK, found;
	size_t n;

	session->strategy = wish->strategy;
	session->seed = wish->seed;
	session->go_on = wish->go_on;
	session->refresh = wish->refresh;
	if (wish->database == NULL)
		return tune_unit(list, session, target, wish, false, err);
	for (n = 0; (found = kt_target_from_database(&listed, session->arena, wish->database, target->file, n, &last)) ==
	            KT_OK; n++)
		if (tune_unit(list, session, &listed, wish, n != 0, &last) != KT_OK) {
			status = last.code;
			*err = last;
		}
	if (n == 0)
		*err = last;
	return n == 0 ? found : status;
}

/* Options that are settings: the same keys as the environment's. */
static kt_status apply(struct kt_session *session, int option, const char *value, struct kt_error *err)
{
	if (option == 'q' || option == 'a') {
		value = kt_arena_printf(session->arena, "dir:%s", value);
		if (value == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory");
		return option == 'a' && !kt_fs_is_dir(value + 4)
		           ? kt_fail(err, KT_ERR_MISSING, "%s: no such folder", value + 4)
		           : kt_config_set(&session->config, session->arena, "LLM_URL", value, err);
	}
	if (option == 'z') {
		value = kt_path_absolute(session->arena, value, NULL);
		if (value == NULL || !kt_fs_is_file(value))
			return kt_fail(err, KT_ERR_MISSING, "%s: no such file", value);
		if (kt_config_set(&session->config, session->arena, "MODE", "retune", err) != KT_OK)
			return err->code;
	}
	const char *key = option == 'b'   ? "BUDGET"
	                  : option == 'l' ? "LOCK_DIR"
	                  : option == 'r' ? "RECORD"
	                  : option == 'x' ? "RELAX"
	                  : option == '4' ? "T4"
	                  : option == 'z' ? "SIZES"
	                                  : "MODE";

	return kt_config_set(&session->config, session->arena, key, value, err);
}

int kt_verb_tune(int argc, char **argv)
{
	static const struct option options[] = {{"compile-commands", required_argument, NULL, 'c'},
	                                        {"retune", no_argument, NULL, 't'},
	                                        {"refresh", no_argument, NULL, 'f'},
	                                        {"budget", required_argument, NULL, 'b'},
	                                        {"strategy", required_argument, NULL, 's'},
	                                        {"seed", required_argument, NULL, 'n'},
	                                        {"lock-dir", required_argument, NULL, 'l'},
	                                        {"record", required_argument, NULL, 'r'},
	                                        {"relax", required_argument, NULL, 'x'},
	                                        {"t4", required_argument, NULL, '4'},
	                                        {"t1", required_argument, NULL, '1'},
	                                        {"sizes", required_argument, NULL, 'z'},
	                                        {"ask", required_argument, NULL, 'q'},
	                                        {"answer", required_argument, NULL, 'a'},
	                                        {"json", no_argument, NULL, 'j'},
	                                        {"events", no_argument, NULL, 'e'},
	                                        {"help", no_argument, NULL, 'h'},
	                                        {0}};
	struct kt_tune_progress progress;
	struct kt_tune_t1 t1 = {0};
	struct wish wish = {0};
	struct kt_session session;
	struct kt_target target;
	struct kt_error err;
	cJSON *list = NULL;
	const char *here;
	int option, code = 0;

	argc = kt_target_split(&target, argc, argv);
	if (kt_session_open(&session, &err) != KT_OK) {
		code = kt_verb_failed(&err);
		goto done;
	}
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		kt_status status = KT_OK;

		t1.budget = option == 'b' ? optarg : t1.budget;
		t1.strategy = option == 's' ? optarg : t1.strategy;
		t1.output = option == '4' ? optarg : t1.output;
		if (option == '1')
			t1.path = optarg;
		else if (option == 'c')
			wish.database = optarg;
		else if (option == 's') {
			wish.strategy = optarg;
			if (kt_strategy_find(optarg) == NULL)
				status = kt_strategy_unknown(optarg, &err);
		} else if (option == 'n')
			wish.seed = strtoull(optarg, NULL, 10);
		else if (option == 'j')
			wish.json = true;
		else if (option == 'e')
			wish.events = true;
		else if (option == 'f')
			wish.refresh = true;
		else if (option != '?' && strchr("tblrx4zqa", option) != NULL)
			status = apply(&session, option, option == 't' ? "retune" : optarg, &err);
		else {
			code = kt_verb_usage(help, option == 'h' ? 0 : KT_EXIT_USAGE);
			goto done;
		}
		wish.go_on = wish.go_on || option == 'q' || option == 'a';
		if (status != KT_OK) {
			code = kt_verb_failed(&err);
			goto done;
		}
	}
	if (t1.path != NULL && optind == argc) {
		code = kt_tune_t1(session.arena, &t1, &target, &err) == KT_OK ? 0 : kt_verb_failed(&err);
		goto done;
	}
	if (optind >= argc || t1.path != NULL) {
		code = kt_verb_usage(help, KT_EXIT_USAGE);
		goto done;
	}
	/* Its results are among the events. */
	wish.json = wish.json && !wish.events;
	list = cJSON_CreateArray();
	kt_tune_progress_open(&progress, wish.events);
	wish.progress = &progress;
	session.observer = &progress.observer;
	here = kt_path_absolute(session.arena, ".", NULL);
	for (int i = optind; i < argc; i++) {
		/* A database entry may have moved us into its directory. */
		if (here == NULL || chdir(here) != 0)
			break;
		target.file = kt_path_absolute(session.arena, argv[i], here);
		if (tune_file(list, &session, &target, &wish, &err) != KT_OK)
			code = kt_verb_failed(&err);
	}
	if (wish.json) {
		struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

		kt_json_print_stable(&out, list);
		fputs(kt_buf_text(&out), stdout);
		kt_buf_free(&out);
	} else {
		kt_tune_progress_close(&progress);
	}
done:
	cJSON_Delete(list);
	kt_session_close(&session);
	return code;
}
