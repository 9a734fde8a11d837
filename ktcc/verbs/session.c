#include "verbs/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/log.h"
#include "launch/input.h"
#include "verbs/verbs.h"

int kt_verb_failed(const struct kt_error *err)
{
	kt_say("%s", err->message);
	return KT_EXIT_FAILED;
}

void kt_verb_print_json(const cJSON *json)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

	kt_json_print_stable(&out, json);
	fputs(kt_buf_text(&out), stdout);
	kt_buf_free(&out);
}

void kt_problem_print(struct kt_buf *out, const struct kt_entry *entry, size_t problem)
{
	for (size_t v = 0; v < entry->variable_count; v++)
		kt_buf_addf(out, "%s%s=%lld", v != 0 ? " " : "", entry->variables[v],
		            (long long)entry->problems[problem * entry->variable_count + v]);
}

kt_status kt_session_open(struct kt_session *session, struct kt_error *err)
{
	memset(session, 0, sizeof *session);
	NEED(session->arena = kt_arena_new(KT_ARENA_REGION_BYTES), kt_no_memory(err));
	TRY(kt_config_load(&session->config, session->arena, err));
	const char *unknown = kt_config_unknown(session->arena, &session->config, false);
	if (unknown != NULL)
		kt_say("%s", unknown);
	if (session->config.ignored_file != NULL)
		kt_say("%s", session->config.ignored_file);
	kt_log_open(session->config.log);
	if (kt_store_open(&session->store, session->config.cache_dir, err) != KT_OK) {
		kt_log("no store: %s", err->message);
		session->store = NULL;
	}
	return KT_OK;
}

/* Numbers that nothing tells: what is measured has them, and the clause that gives another one. */
static void tell_assumed(const struct kt_unit *unit)
{
	for (size_t r = 0; r < unit->region_count; r++) {
		const struct kt_region *region = &unit->regions[r];
		struct kt_buf names = KT_BUF(KT_LIMIT_LINE_BYTES);
		const char *first = NULL;

		for (size_t i = 0; region->decline == NULL && i < region->value_count; i++) {
			if (!region->values[i].assumed)
				continue;
			kt_buf_addf(&names, "%s'%s'", first != NULL ? ", " : "", region->values[i].name);
			first = first != NULL ? first : region->values[i].name;
		}
		if (first != NULL)
			kt_say("%s:%u: %s: no clause and no launch tells %s: 0.5 is assumed; write value(%s = NUMBER)", region->file,
			       region->line, region->name, kt_buf_text(&names), first);
		kt_buf_free(&names);
	}
}

static kt_status open_work(struct kt_session *session, struct kt_error *err)
{
	enum kt_reason reason;

	session->input.seed = session->seed;
	session->input.go_on = session->go_on;
	session->input.refresh = session->refresh;
	session->input.observer = session->observer;
	TRY(kt_work_open(&session->work, &reason, &session->input, err));
	fputs(kt_work_unit(session->work)->diagnostics, stderr);
	tell_assumed(kt_work_unit(session->work));
	if (kt_work_lock(session->work)->refused != NULL)
		kt_say("%s", kt_work_lock(session->work)->refused);
	return KT_OK;
}

kt_status kt_session_unit(struct kt_session *session, const struct kt_compile_command *command, struct kt_error *err)
{
	char **argv = kt_arena_array(session->arena, (size_t)command->flag_count + 4, sizeof *argv);
	int argc = 0;

	kt_work_close(session->work);
	session->work = NULL;
	NEED(argv, kt_no_memory(err));
	if (command->directory != NULL && chdir(command->directory) != 0)
		return kt_fail_errno(err, "%s", command->directory);
	if (kt_target_of_file(command->file)->language == KT_LANGUAGE_OPENCL) {
		TRY(kt_input_for_opencl(&session->input, session->arena, command->file, command->flag_count,
					command->flags, &session->config, session->store, err));
		return open_work(session, err);
	}
	argv[argc++] = kt_arena_strdup(session->arena, command->compiler != NULL ? command->compiler : "nvcc");
	for (int i = 0; i < command->flag_count; i++)
		argv[argc++] = command->flags[i];
	if (command->compiler == NULL) {
		argv[argc++] = kt_arena_strdup(session->arena, "-c");
		argv[argc++] = kt_arena_strdup(session->arena, command->file);
	}
	TRY(kt_command_parse(&session->command, session->arena, argc, argv, err));
	if (session->command->decline != KT_REASON_NONE)
		return kt_fail(err, KT_ERR_INVALID, "%s: %s", command->file,
		               kt_reason_line(session->arena, session->command->decline, NULL));
	TRY(kt_input_from_command(&session->input, session->arena, session->command, &session->config, session->store,
				  err));
	return open_work(session, err);
}

void kt_session_close(struct kt_session *session)
{
	kt_work_close(session->work);
	kt_store_close(session->store);
	kt_arena_free(session->arena);
}

void kt_compile_command_of(struct kt_compile_command *out, const struct kt_given *given)
{
	*out = (struct kt_compile_command){.file = given->argument_count > 0 ? given->arguments[0] : NULL,
	                          .flags = given->flags,
	                          .flag_count = given->flag_count};
}

/* Splits a command line by the shell's rules for quotes and backslashes; nothing is expanded. */
static char **split_words(int *count, struct kt_arena *arena, const char *text)
{
	char **words = NULL;
	size_t used = 0;

	for (;;) {
		struct kt_buf word = KT_BUF(KT_LIMIT_LINE_BYTES);
		char quote = '\0', **slot;

		text += strspn(text, " \t\n");
		if (*text == '\0')
			break;
		for (; *text != '\0' && (quote != '\0' || strchr(" \t\n", *text) == NULL); text++) {
			if (quote == '\0' && (*text == '"' || *text == '\''))
				quote = *text;
			else if (*text == quote)
				quote = '\0';
			else if (*text == '\\' && quote != '\'' && text[1] != '\0')
				kt_buf_addc(&word, *++text);
			else
				kt_buf_addc(&word, *text);
		}
		slot = kt_arena_push(arena, &words, &used, sizeof *words);
		if (slot != NULL)
			*slot = kt_arena_strdup(arena, kt_buf_text(&word));
		kt_buf_free(&word);
		if (slot == NULL || *slot == NULL)
			return NULL;
	}
	*count = (int)used;
	return words;
}

/* The words of an item of the database: NULL when it has none, or out of memory. */
static char **item_words(int *count, struct kt_arena *arena, const cJSON *item)
{
	const char *command = cJSON_GetStringValue(cJSON_GetObjectItem(item, "command"));
	const cJSON *list = cJSON_GetObjectItem(item, "arguments"), *word;
	char **words = NULL;
	size_t used = 0;

	if (command != NULL)
		return split_words(count, arena, command);
	cJSON_ArrayForEach(word, list) {
		if (!cJSON_IsString(word) ||
		    !kt_arena_push_text(arena, &words, &used, kt_arena_strdup(arena, word->valuestring)))
			return NULL;
	}
	*count = (int)used;
	return words;
}

static bool same_file(struct kt_arena *arena, const char *a, const char *b)
{
	char *real_a = kt_path_real(arena, a), *real_b = kt_path_real(arena, b);

	return real_a != NULL && real_b != NULL && strcmp(real_a, real_b) == 0;
}

kt_status kt_compile_command_from_database(struct kt_compile_command *out, struct kt_arena *arena, const char *database,
                                  const char *file, size_t nth, struct kt_error *err)
{
	const char *path = kt_fs_is_dir(database) ? kt_path_join(arena, database, "compile_commands.json") : database;
	const cJSON *item;
	cJSON *json = NULL;
	kt_status status = kt_json_read_file(&json, path, err);

	if (status != KT_OK)
		return status;
	status = KT_ERR_MISSING;
	cJSON_ArrayForEach(item, json) {
		const char *listed = cJSON_GetStringValue(cJSON_GetObjectItem(item, "file"));
		const char *directory = cJSON_GetStringValue(cJSON_GetObjectItem(item, "directory"));
		char **words;
		int count = 0, first = 0;

		if (listed == NULL || directory == NULL || !same_file(arena, kt_path_join(arena, directory, listed), file))
			continue;
		words = item_words(&count, arena, item);
		/* The database may show the launcher and its options. */
		if (count > 0 && strcmp(kt_path_basename(words[0]), "ktcc") == 0)
			for (first = 1; first < count && strncmp(words[first], "--", 2) == 0; first++)
				;
		if (words == NULL || count - first < 2 || nth-- != 0)
			continue;
		*out = (struct kt_compile_command){
		    .file = kt_arena_strdup(arena, listed),
		    .directory = kt_arena_strdup(arena, directory),
		    .flag_count = count - first - 1,
		    .flags = words + first + 1,
		    .compiler = words[first],
		};
		status = KT_OK;
		break;
	}
	cJSON_Delete(json);
	return status == KT_OK ? KT_OK : kt_fail(err, KT_ERR_MISSING, "%s: no command for %s", path, file);
}
