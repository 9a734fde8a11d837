/* ktcc tune: the loop without a build. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/log.h"
#include "store/lock.h"
#include "tuning/search.h"
#include "verbs/session.h"
#include "verbs/verbs.h"

struct wish {
	const char *database, *strategy;
	uint64_t seed;
	bool json, go_on, refresh;
	const char **keys; /* of the region instances that were tuned so far */
	size_t key_count;
};

/* What a model cost, and what it owes. */
static void print_model(const struct kt_case *each)
{
	if (each->questions != 0)
		printf("  model: %u rounds, %lld questions, %lld tokens asked, %lld answered, cost %.4g, %.1f s waited\n",
		       each->rounds, (long long)each->questions, (long long)each->prompt_tokens, (long long)each->reply_tokens,
		       each->cost, each->waited_s);
	for (size_t i = 0; i < each->awaited_count; i++)
		printf("  an answer is awaited: %s\n", each->awaited[i]);
}

static void print_wrong(const struct kt_case *each)
{
	const struct kt_wrong *wrong = &each->first_wrong;

	if (wrong->configuration == NULL)
		return;
	printf("  %s was %s%s%s: %s\n  again: ktcc verify %s --configuration \"%s\"%s%s%s\n", wrong->configuration,
	       kt_verdict_name(wrong->verdict), wrong->check != NULL ? " on " : "", wrong->check != NULL ? wrong->check : "",
	       wrong->detail, each->region->file, wrong->configuration, wrong->check != NULL ? " --check \"" : "",
	       wrong->check != NULL ? wrong->check : "", wrong->check != NULL ? "\"" : "");
}

static void print_unlisted(const struct kt_entry *entry)
{
	double gain, least;

	kt_entry_unlisted_gain(&gain, &least, entry);
	if (entry->unlisted_count != 0)
		printf("  on %zu sizes not listed: gain %.2f, least %.2f\n", entry->unlisted_count, gain, least);
}

static void print_case(struct kt_arena *arena, const struct kt_case *each)
{
	const struct kt_entry *entry = each->found_count != 0 ? &each->found[0].entry : NULL;
	const char *name = each->region->instance_count != 0 ? each->region->instances[each->instance].name
	                                                      : each->region->name;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	if (entry == NULL) {
		printf("%s: %s\n", name, kt_reason_line(arena, each->reason, each->detail));
		print_model(each);
		kt_buf_free(&text);
		return;
	}
	kt_entry_variant_text(&text, entry, 0);
	printf("%s on %s: %s%s\n", name, entry->device.name,
	       !kt_entry_has_variant(entry) ? "keeps the original kernel: " : "", kt_buf_text(&text));
	kt_buf_clear(&text);
	kt_entry_search_text(&text, entry);
	if (text.size != 0)
		printf("  %s\n", kt_buf_text(&text));
	for (size_t k = 0; k < entry->special_count; k++) {
		kt_buf_clear(&text);
		kt_entry_variant_text(&text, entry, (int64_t)k + 1);
		printf("  where %s: %s\n", entry->specials[k].when, kt_buf_text(&text));
	}
	for (size_t p = 0; p < entry->problem_count; p++) {
		kt_buf_clear(&text);
		kt_problem_print(&text, entry, p);
		printf("  %-28s %10.2f us → %10.2f us  %5.2fx", kt_buf_text(&text), entry->baseline[p].median_ns / 1e3,
		       entry->tuned[p].median_ns / 1e3,
		       entry->tuned[p].median_ns > 0 ? entry->baseline[p].median_ns / entry->tuned[p].median_ns : 0);
		if (kt_entry_of_floor(entry, p) > 0) {
			kt_buf_clear(&text);
			kt_floor_print(&text, kt_entry_of_floor(entry, p));
			printf("  %s (%.2f us)", kt_buf_text(&text), entry->floor_ns[p] / 1e3);
		}
		putchar('\n');
	}
	print_unlisted(entry);
	if (each->tuned)
		printf("  wall: scan %.2f s, compile %.2f s, run %.2f s, waited %.2f s, total %.2f s; %lld tried, %lld of them "
		       "known before, %lld wrong, %lld not compiled\n",
		       each->wall.scan_s, each->wall.compile_s, each->wall.run_s, each->wall.wait_s, each->wall.total_s,
		       (long long)each->tried, (long long)each->recalled, (long long)each->wrong, (long long)each->uncompiled);
	else if (!each->failed)
		printf("  the entry of %s, nothing was measured: --retune tunes again\n", entry->date);
	print_model(each);
	print_wrong(each);
	kt_buf_free(&text);
}

static void add_wrong(cJSON *item, const struct kt_case *each)
{
	cJSON *wrong;

	if (each->first_wrong.configuration == NULL)
		return;
	wrong = cJSON_AddObjectToObject(item, "first_wrong");
	cJSON_AddStringToObject(wrong, "configuration", each->first_wrong.configuration);
	cJSON_AddStringToObject(wrong, "verdict", kt_verdict_name(each->first_wrong.verdict));
	if (each->first_wrong.check != NULL)
		cJSON_AddStringToObject(wrong, "check", each->first_wrong.check);
	cJSON_AddStringToObject(wrong, "detail", each->first_wrong.detail);
}

static void add_model(cJSON *item, const struct kt_case *each)
{
	cJSON *model, *awaited;

	if (each->questions == 0 && each->awaited_count == 0)
		return;
	model = cJSON_AddObjectToObject(item, "model");
	kt_json_add_int(model, "rounds", each->rounds);
	kt_json_add_int(model, "questions", each->questions);
	kt_json_add_int(model, "prompt_tokens", each->prompt_tokens);
	kt_json_add_int(model, "reply_tokens", each->reply_tokens);
	cJSON_AddNumberToObject(model, "cost", each->cost);
	cJSON_AddNumberToObject(model, "waited_s", each->waited_s);
	awaited = cJSON_AddArrayToObject(model, "awaited");
	for (size_t i = 0; i < each->awaited_count; i++)
		cJSON_AddItemToArray(awaited, cJSON_CreateString(each->awaited[i]));
}

static void add_json(cJSON *list, const struct kt_case *each)
{
	cJSON *item = cJSON_CreateObject(), *wall, *part;
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error ignored;
	cJSON *entry = NULL;

	cJSON_AddStringToObject(item, "region", each->region->name);
	if (each->region->instance_count != 0)
		cJSON_AddStringToObject(item, "instance", each->region->instances[each->instance].name);
	cJSON_AddStringToObject(item, "reason", kt_reason_name(each->reason));
	if (each->detail != NULL)
		cJSON_AddStringToObject(item, "detail", each->detail);
	cJSON_AddBoolToObject(item, "tuned", each->tuned);
	wall = cJSON_AddObjectToObject(item, "wall");
	cJSON_AddNumberToObject(wall, "scan_s", each->wall.scan_s);
	cJSON_AddNumberToObject(wall, "compile_s", each->wall.compile_s);
	cJSON_AddNumberToObject(wall, "run_s", each->wall.run_s);
	cJSON_AddNumberToObject(wall, "wait_s", each->wall.wait_s);
	cJSON_AddNumberToObject(wall, "total_s", each->wall.total_s);
	part = cJSON_AddObjectToObject(wall, "of_run_s");
	for (int i = 0; i < KT_SPENT; i++)
		cJSON_AddNumberToObject(part, kt_spent_name((enum kt_spent)i), each->wall.spent_s[i]);
	part = cJSON_AddObjectToObject(wall, "between_s");
	for (int i = 0; i < KT_BETWEEN; i++)
		cJSON_AddNumberToObject(part, kt_between_name((enum kt_between)i), each->wall.between_s[i]);
	if (each->enough_s > 0)
		cJSON_AddNumberToObject(item, "enough_s", each->enough_s);
	if (each->enough_trials > 0)
		kt_json_add_int(item, "enough_trials", each->enough_trials);
	cJSON_AddNumberToObject(item, "tried", (double)each->tried);
	cJSON_AddNumberToObject(item, "recalled", (double)each->recalled);
	cJSON_AddNumberToObject(item, "identical", (double)each->identical);
	cJSON_AddNumberToObject(item, "wrong", (double)each->wrong);
	cJSON_AddNumberToObject(item, "uncompiled", (double)each->uncompiled);
	cJSON_AddNumberToObject(item, "refused", (double)each->refused);
	add_wrong(item, each);
	add_model(item, each);
	if (each->found_count != 0 && kt_entry_print(&text, &each->found[0].entry, &ignored) == KT_OK &&
	    kt_json_parse(&entry, kt_buf_text(&text), text.size, &ignored) == KT_OK)
		cJSON_AddItemToObject(item, "entry", entry);
	kt_buf_free(&text);
	cJSON_AddItemToArray(list, item);
}

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
		if (wish->json)
			add_json(list, &cases[i]);
		else
			print_case(session->arena, &cases[i]);
		/* Whoever asked for questions has got them. */
		if (cases[i].reason != KT_REASON_NONE && cases[i].reason != KT_REASON_BASELINE_BEST &&
		    !(wish->go_on && cases[i].awaited_count != 0)) {
			without++;
			if (wish->json)
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

/* A model by hand: its URL is a folder, that of answers has to be there. */
static kt_status use_folder(struct kt_session *session, const char *folder, bool answers, struct kt_error *err)
{
	const char *url = kt_arena_printf(session->arena, "dir:%s", folder);

	if (url == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory");
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
	kt_status status = kt_given_configure(&session->config, session->arena, given, err);

	if (status == KT_OK && strategy != NULL && kt_strategy_find(strategy) == NULL)
		status = kt_strategy_unknown(strategy, err);
	if (status == KT_OK && sizes != NULL)
		status = use_sizes(session, sizes, err);
	if (status == KT_OK && (sizes != NULL || kt_given_has(given, KT_OPTION_tune_retune)))
		status = kt_config_set(&session->config, session->arena, "MODE", "retune", err);
	if (status == KT_OK && (ask != NULL || answer != NULL))
		status = use_folder(session, answer != NULL ? answer : ask, answer != NULL, err);
	return status;
}

int kt_verb_tune(const struct kt_given *given)
{
	struct wish wish = {.database = kt_given_text(given, KT_OPTION_tune_database),
	                    .strategy = kt_given_text(given, KT_OPTION_tune_strategy),
	                    .seed = kt_given_number(given, KT_OPTION_tune_seed, 0),
	                    .json = given->json,
	                    .refresh = kt_given_has(given, KT_OPTION_tune_refresh),
	                    .go_on = kt_given_has(given, KT_OPTION_tune_ask) || kt_given_has(given, KT_OPTION_tune_answer)};
	struct kt_session session;
	struct kt_target target;
	struct kt_error err;
	cJSON *list = NULL;
	const char *here;
	int code = 0;

	kt_target_of(&target, given);
	if (kt_session_open(&session, &err) != KT_OK || configure(&session, given, &err) != KT_OK) {
		code = kt_verb_failed(&err);
		goto done;
	}
	list = cJSON_CreateArray();
	here = kt_path_absolute(session.arena, ".", NULL);
	for (int i = 0; i < given->argument_count; i++) {
		/* A database entry may have moved us into its directory. */
		if (here == NULL || chdir(here) != 0)
			break;
		target.file = kt_path_absolute(session.arena, given->arguments[i], here);
		if (tune_file(list, &session, &target, &wish, &err) != KT_OK)
			code = kt_verb_failed(&err);
	}
	if (wish.json) {
		struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

		kt_json_print_stable(&out, list);
		fputs(kt_buf_text(&out), stdout);
		kt_buf_free(&out);
	}
done:
	cJSON_Delete(list);
	kt_session_close(&session);
	return code;
}
