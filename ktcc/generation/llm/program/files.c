/*
 * Answers from files. A folder for an exchange by hand holds LABEL.HASH.md, the
 * question, and LABEL.HASH.reply.md, the answer; one of transcripts holds
 * LABEL.HASH.json. HASH is of the question: the same question finds its answer
 * in any later run. Where there is none, the answer to another question of the
 * same label is taken: measurements in a question differ from run to run.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fs.h"
#include "exchange.h"

#define HASH_SHOWN 16
#define LABEL_BYTES 100
#define FILES_MOST 20000

/* A label as part of a file's name. */
static const char *safe_label(struct kt_exchange *x)
{
	const char *label = x->label != NULL && x->label[0] != '\0' ? x->label : "question";
	char *copy = kt_arena_strndup(x->arena, label, strnlen(label, LABEL_BYTES));

	for (char *at = copy; at != NULL && *at != '\0'; at++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", *at) == NULL)
			*at = '_';
	return copy;
}

/* "/folder/LABEL.0123456789abcdef" and what follows it. */
static char *name_of(struct kt_exchange *x, const char *folder, const char *suffix)
{
	const char *label = safe_label(x);

	return label != NULL ? kt_arena_printf(x->arena, "%s/%s.%.*s%s", folder, label, HASH_SHOWN, x->hash, suffix) : NULL;
}

struct found {
	const char *exact, *label; /* names; of several with the label the last one in the order of the alphabet */
};

static bool ends(const char *name, size_t size, const char *end)
{
	return size > strlen(end) && strcmp(name + size - strlen(end), end) == 0;
}

static void look(struct found *out, struct kt_exchange *x, const char *folder, const char *suffix)
{
	const char *label = safe_label(x);
	const char *tail = kt_arena_printf(x->arena, ".%.*s%s", HASH_SHOWN, x->hash, suffix);
	const struct dirent *entry;
	DIR *directory = opendir(folder);
	size_t seen = 0, length = label != NULL ? strlen(label) : 0;

	*out = (struct found){NULL, NULL};
	while (directory != NULL && label != NULL && tail != NULL && seen++ < FILES_MOST &&
	       (entry = readdir(directory)) != NULL) {
		const char *name = entry->d_name;
		size_t size = strlen(name);

		if (ends(name, size, tail))
			out->exact = kt_arena_strdup(x->arena, name);
		else if (ends(name, size, suffix) && size == length + 1 + HASH_SHOWN + strlen(suffix) &&
		         memcmp(name, label, length) == 0 && name[length] == '.' &&
		         (out->label == NULL || strcmp(name, out->label) > 0))
			out->label = kt_arena_strdup(x->arena, name);
	}
	if (directory != NULL)
		(void)closedir(directory);
}

/* Chooses, and notes how close the match is. NULL: none. */
static const char *choose(struct kt_exchange *x, const char *folder, const struct found *found)
{
	const char *name = found->exact != NULL ? found->exact : found->label;

	x->match = found->exact != NULL ? "exact" : "label";
	return name != NULL ? kt_arena_printf(x->arena, "%s/%s", folder, name) : NULL;
}

static void write_question(struct kt_buf *out, struct kt_exchange *x, const char *reply_name)
{
	const cJSON *item;

	kt_buf_addf(out,
	            "# %s\n\nThe answer goes into `%s`, beside this file, as the model gives it. Its first line may name\n"
	            "the model: `model: NAME`, with an empty line after it.\n\n",
	            x->label != NULL ? x->label : "question", reply_name);
	if (x->model != NULL)
		kt_buf_addf(out, "Model: %s. ", x->model);
	if (x->temperature >= 0)
		kt_buf_addf(out, "Temperature: %g. ", x->temperature);
	if (x->seed >= 0)
		kt_buf_addf(out, "Seed: %lld. ", (long long)x->seed);
	kt_buf_addf(out, "Question: %s\n", x->hash);
	cJSON_ArrayForEach(item, x->messages) {
		kt_buf_addf(out, "\n---\n\n## %s\n\n", cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "role")));
		kt_buf_adds(out, cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "content")));
		kt_buf_addc(out, '\n');
	}
}

/* Cuts "model: NAME" and the empty line after it off. */
static void read_header(struct kt_exchange *x, struct kt_buf *text)
{
	static const char word[] = "model:";
	const char *data = kt_buf_text(text), *end = strchr(data, '\n'), *body;

	x->answered_by = "unknown";
	if (strncmp(data, word, sizeof word - 1) != 0 || end == NULL)
		return;
	data += sizeof word - 1 + strspn(data + sizeof word - 1, " \t");
	x->answered_by = kt_arena_strndup(x->arena, data, (size_t)(end - data) - (end > data && end[-1] == '\r'));
	body = end + strspn(end, "\r\n");
	kt_buf_add(&x->text, body, text->size - (size_t)(body - text->data));
	kt_buf_clear(text);
}

static bool read_reply(struct kt_exchange *x, const char *path)
{
	struct kt_buf text = KT_BUF(KT_LLM_TEXT_BYTES);
	struct kt_error err;
	struct stat info;

	if (stat(path, &info) != 0 || kt_fs_read(&text, path, &err) != KT_OK) {
		kt_buf_free(&text);
		return kt_exchange_fail(x, "missing", "%s cannot be read", path);
	}
	x->when = (int64_t)info.st_mtime;
	read_header(x, &text);
	kt_buf_add(&x->text, text.data, text.size);
	kt_buf_free(&text);
	x->prompt_tokens = x->completion_tokens = 0;
	return !x->text.failed;
}

bool kt_files_complete(struct kt_exchange *x, const char *folder)
{
	struct kt_buf question = KT_BUF(KT_LLM_PROMPT_BYTES * 2);
	struct found found;
	struct stat info;
	struct kt_error err;
	const char *path, *reply;
	kt_status status;

	look(&found, x, folder, ".reply.md");
	path = choose(x, folder, &found);
	if (path != NULL && stat(path, &info) == 0 && info.st_size > 0)
		return read_reply(x, path);
	x->match = NULL;
	path = name_of(x, folder, ".md");
	reply = name_of(x, folder, ".reply.md");
	if (path == NULL || reply == NULL)
		return kt_exchange_fail(x, "request", "out of memory");
	write_question(&question, x, kt_path_basename(reply));
	status = kt_fs_mkdirs(folder, &err);
	if (status == KT_OK && !kt_fs_is_file(path))
		status = kt_fs_write(path, kt_buf_text(&question), question.size, &err);
	kt_buf_free(&question);
	if (status != KT_OK)
		return kt_exchange_fail(x, "unreachable", "%s", err.message);
	x->awaited = reply;
	return kt_exchange_fail(x, "pending", "%s waits for %s", path, kt_path_basename(reply));
}

bool kt_files_replay(struct kt_exchange *x, const char *folder)
{
	struct found found;
	cJSON *json = NULL;
	const char *path, *text;
	struct kt_error err;
	bool done = true;

	look(&found, x, folder, ".json");
	path = choose(x, folder, &found);
	if (path == NULL)
		return kt_exchange_fail(x, "missing", "no transcript of %s (%.*s) in %s", x->label != NULL ? x->label : "it",
		                        HASH_SHOWN, x->hash, folder);
	if (kt_json_read_file(&json, path, &err) != KT_OK)
		return kt_exchange_fail(x, "malformed", "%s", err.message);
	text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "text"));
	if (text == NULL || kt_json_string_or(&x->answered_by, x->arena, json, "model", "unknown", &err) != KT_OK ||
	    kt_json_string_or(&x->finish, x->arena, json, "finish", NULL, &err) != KT_OK ||
	    kt_json_int_or(&x->when, json, "when_unix", 0, &err) != KT_OK)
		done = kt_exchange_fail(x, "malformed", "%s is no transcript", path);
	else
		kt_buf_adds(&x->text, text);
	cJSON_Delete(json);
	x->prompt_tokens = x->completion_tokens = 0;
	return done && !x->text.failed;
}

bool kt_files_probe(struct kt_exchange *x, const char *folder, bool writing)
{
	struct kt_error err;

	if (writing && kt_fs_mkdirs(folder, &err) != KT_OK)
		return kt_exchange_fail(x, "unreachable", "%s", err.message);
	if (!kt_fs_is_dir(folder) || (writing && access(folder, W_OK) != 0))
		return kt_exchange_fail(x, "unreachable", "%s is no folder that can be used", folder);
	kt_buf_addf(&x->text, "%s, %s", folder, writing ? "an exchange by hand" : "recorded answers");
	return true;
}

static void add_time(cJSON *json, int64_t when)
{
	time_t seconds = (time_t)when;
	struct tm parts;
	char text[32];

	if (gmtime_r(&seconds, &parts) != NULL && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0)
		cJSON_AddStringToObject(json, "when", text);
	kt_json_add_int(json, "when_unix", when);
}

void kt_files_record(struct kt_exchange *x)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const char *path = name_of(x, x->record, ".json");
	cJSON *json = cJSON_CreateObject();
	struct kt_error err;

	kt_json_add_int(json, "version", 1);
	cJSON_AddStringToObject(json, "label", x->label != NULL ? x->label : "");
	cJSON_AddStringToObject(json, "hash", x->hash);
	cJSON_AddStringToObject(json, "model_asked", x->model != NULL ? x->model : "");
	cJSON_AddStringToObject(json, "model", x->answered_by != NULL ? x->answered_by : "unknown");
	add_time(json, x->when);
	if (x->temperature >= 0)
		cJSON_AddNumberToObject(json, "temperature", x->temperature);
	if (x->seed >= 0)
		kt_json_add_int(json, "seed", x->seed);
	cJSON_AddBoolToObject(json, "schema", x->with_schema);
	kt_json_add_int(json, "prompt_tokens", x->prompt_tokens);
	kt_json_add_int(json, "reply_tokens", x->completion_tokens);
	kt_json_add_text(json, "finish", x->finish);
	cJSON_AddItemToObject(json, "messages", cJSON_Duplicate(x->messages, true));
	cJSON_AddStringToObject(json, "text", kt_buf_text(&x->text));
	kt_json_print_stable(&text, json);
	if (!text.failed)
		kt_say_scrub(text.data, text.size);
	if (path == NULL || text.failed || kt_fs_mkdirs(x->record, &err) != KT_OK ||
	    kt_fs_write(path, text.data, text.size, &err) != KT_OK) {
		cJSON *event = cJSON_CreateObject();

		cJSON_AddStringToObject(event, "event", "warning");
		cJSON_AddStringToObject(event, "message", "the transcript could not be kept");
		kt_say_line(event);
	}
	kt_buf_free(&text);
	cJSON_Delete(json);
}
