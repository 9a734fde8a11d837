#include "generation/llm/llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"

/* ktcc-llm keeps the time of an exchange itself; this much more until it is given up. */
static const double patience_s = 30;
/* An endpoint that did not answer is left alone by everybody for so long, and a warning is one a build. */
static const int64_t down_s = 60, warned_s = 600;

struct kt_llm {
	struct kt_arena *arena;
	struct kt_pipe *pipe;
	const struct kt_llm_settings *settings;
	const char *state;    /* folder for what processes share */
	cJSON *schema;        /* NULL: could not be read */
	struct kt_llm_usage usage;
	void (*alive)(void *context); /* NULL: not called */
	void *context;
	bool down;
	struct kt_error why;
};

/* Did somebody touch this mark within the last seconds? */
static bool is_marked(struct kt_arena *arena, const char *state, const char *name, int64_t seconds)
{
	const char *path = kt_arena_printf(arena, "%s/%s", state, name);
	struct stat info;

	return path != NULL && stat(path, &info) == 0 && kt_unix_time() - (int64_t)info.st_mtime < seconds;
}

static void mark(struct kt_arena *arena, const char *state, const char *name)
{
	const char *path = kt_arena_printf(arena, "%s/%s", state, name);
	struct kt_error ignored;

	if (path != NULL && kt_fs_mkdirs(state, &ignored) == KT_OK && kt_fs_touch(path, &ignored) != KT_OK)
		kt_log("%s", ignored.message);
}

/* Installed, and sent along as it is. Without it the endpoint is asked for blocks of text. */
static cJSON *read_schema(struct kt_arena *arena)
{
	const char *path = kt_install_path(arena, "share/ktcc/docs/schema/reply.schema.json");
	struct kt_error err;
	cJSON *schema = NULL;

	if (path != NULL && kt_json_read_file(&schema, path, &err) != KT_OK)
		kt_log("%s", err.message);
	return schema;
}

static kt_status start(struct kt_llm *llm, struct kt_error *err)
{
	char *argv[] = {kt_install_path(llm->arena, "libexec/ktcc/ktcc-llm"), NULL};

	if (argv[0] == NULL || !kt_fs_is_file(argv[0]))
		return kt_fail(err, KT_ERR_MISSING, "ktcc-llm is not installed");
	return kt_pipe_start(&llm->pipe, argv, err);
}

kt_status kt_llm_open(struct kt_llm **out, const struct kt_config *config, struct kt_error *err)
{
	struct kt_llm *llm;
	kt_status status;

	if (config->llm.url == NULL)
		return kt_fail(err, KT_ERR_MISSING, "KTUNE_LLM_URL is not set");
	llm = calloc(1, sizeof *llm);
	if (llm == NULL || (llm->arena = kt_arena_new(KT_ARENA_REGION_BYTES)) == NULL) {
		free(llm);
		return kt_no_memory(err);
	}
	llm->settings = &config->llm;
	llm->state = kt_arena_printf(llm->arena, "%s/llm", config->cache_dir);
	if (llm->state == NULL)
		status = kt_no_memory(err);
	else if (is_marked(llm->arena, llm->state, "llm-down", down_s))
		status = kt_fail(err, KT_ERR_MISSING, "the endpoint did not answer a moment ago");
	else
		status = start(llm, err);
	if (status != KT_OK) {
		kt_llm_close(llm);
		return status;
	}
	llm->schema = read_schema(llm->arena);
	*out = llm;
	return KT_OK;
}

void kt_llm_close(struct kt_llm *llm)
{
	if (llm == NULL)
		return;
	kt_pipe_close(llm->pipe);
	cJSON_Delete(llm->schema);
	kt_arena_free(llm->arena);
	free(llm);
}

static const char *absolute(struct kt_arena *arena, const char *url, const char *scheme)
{
	const size_t length = strlen(scheme);
	const char *path;

	if (strncmp(url, scheme, length) != 0)
		return NULL;
	path = kt_path_absolute(arena, url + length, NULL);
	return path != NULL ? kt_arena_printf(arena, "%s%s", scheme, path) : NULL;
}

/* The settings, the same in every request. The key's place is among them, the key is not. */
static cJSON *base_request(const char *what, struct kt_arena *arena, const struct kt_llm_settings *s, const char *state)
{
	static const char *const schemas[] = {"auto", "off", "on"};
	cJSON *json = cJSON_CreateObject();
	const char *url = absolute(arena, s->url, "dir:");

	if (url == NULL)
		url = absolute(arena, s->url, "transcript:");
	cJSON_AddStringToObject(json, "request", what);
	kt_json_add_text(json, "url", url != NULL ? url : s->url);
	kt_json_add_text(json, "model", s->model);
	kt_json_add_text(json, "key_file", s->key_file);
	kt_json_add_text(json, "key_command", s->key_command);
	kt_json_add_text(json, "key_env", s->key_env);
	kt_json_add_text(json, "proxy", s->proxy);
	kt_json_add_text(json, "ca_file", s->ca_file);
	kt_json_add_text(json, "record", s->record != NULL ? kt_path_absolute(arena, s->record, NULL) : NULL);
	kt_json_add_text(json, "state", state);
	kt_json_add_text(json, "schema_mode", schemas[s->schema]);
	cJSON_AddNumberToObject(json, "timeout_s", s->timeout_s);
	cJSON_AddNumberToObject(json, "idle_s", s->idle_s);
	cJSON_AddBoolToObject(json, "stream", !s->no_stream);
	kt_json_add_int(json, "retries", s->retries);
	kt_json_add_int(json, "jobs", s->jobs);
	cJSON_AddNumberToObject(json, "temperature", s->temperature);
	kt_json_add_int(json, "reply_tokens", s->reply_tokens);
	cJSON_AddNumberToObject(json, "cost_limit", s->cost);
	cJSON_AddNumberToObject(json, "price_prompt", s->price_prompt);
	cJSON_AddNumberToObject(json, "price_reply", s->price_reply);
	return json;
}

int64_t kt_llm_tokens_left(const struct kt_llm *llm)
{
	const int64_t used = llm->usage.prompt_tokens + llm->usage.reply_tokens;

	return used < llm->settings->tokens ? llm->settings->tokens - used : 0;
}

static double longest_s(const struct kt_llm *llm, const struct kt_llm_question *question)
{
	return question->limit_s < llm->settings->timeout_s ? question->limit_s : llm->settings->timeout_s;
}

static cJSON *question_json(struct kt_llm *llm, const struct kt_llm_question *question)
{
	cJSON *json = base_request("complete", llm->arena, llm->settings, llm->state), *messages;

	cJSON_ReplaceItemInObjectCaseSensitive(json, "timeout_s", cJSON_CreateNumber(longest_s(llm, question)));
	kt_json_add_text(json, "label", question->label);
	kt_json_add_int(json, "token_limit", kt_llm_tokens_left(llm));
	kt_json_add_int(json, "seed", llm->settings->seed + question->seed);
	messages = cJSON_AddArrayToObject(json, "messages");
	for (size_t i = 0; i < question->message_count; i++) {
		cJSON *item = kt_json_append(messages);

		cJSON_AddStringToObject(item, "role", question->messages[i].role);
		cJSON_AddStringToObject(item, "content", question->messages[i].content);
	}
	if (llm->schema != NULL && !question->no_schema)
		cJSON_AddItemReferenceToObject(json, "schema", llm->schema);
	return json;
}

void kt_llm_watch(struct kt_llm *llm, void (*alive)(void *context), void *context)
{
	llm->alive = alive;
	llm->context = context;
}

/* One line, waited for by the second. */
static kt_status receive_line(struct kt_buf *line, struct kt_llm *llm, double until_s, struct kt_error *err)
{
	for (;;) {
		const double left_s = until_s - kt_now_s();
		kt_status status = kt_pipe_receive(line, llm->pipe, left_s < 1 ? left_s : 1, err);

		if (status != KT_ERR_LIMIT)
			return status;
		if (left_s < 1)
			return kt_fail(err, KT_ERR_CHILD, "ktcc-llm does not answer");
		if (llm->alive != NULL)
			llm->alive(llm->context);
	}
}

/* Reads events until the last one of this request. */
static kt_status receive(cJSON **out, struct kt_llm *llm, double limit_s, struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const double until_s = kt_now_s() + limit_s;
	kt_status status = KT_OK;

	*out = NULL;
	while (*out == NULL && status == KT_OK) {
		cJSON *event = NULL;
		const char *kind = NULL, *message;

		status = receive_line(&line, llm, until_s, err);
		THEN(status, kt_json_parse(&event, kt_buf_text(&line), line.size, err));
		if (status == KT_OK)
			kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "event"));
		if (status == KT_OK && kind == NULL)
			status = kt_fail(err, KT_ERR_CHILD, "ktcc-llm wrote a line that is no event");
		if (kind != NULL && (strcmp(kind, "done") == 0 || strcmp(kind, "failed") == 0)) {
			*out = event;
			continue;
		}
		message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "message"));
		if (message != NULL)
			kt_log("ktcc-llm: %s", message);
		cJSON_Delete(event);
	}
	kt_buf_free(&line);
	return status;
}

/* Words of the protocol: what they mean for who asks; down: for all that ask later as well. */
static const struct {
	const char *code;
	kt_status status;
	bool down;
} codes[] = {
    {"budget", KT_ERR_LIMIT, false},       {"too-long", KT_ERR_LIMIT, false},  {"pending", KT_ERR_BUSY, false},
    {"missing", KT_ERR_BUSY, false},       {"timeout", KT_ERR_CHILD, false},   {"malformed", KT_ERR_CHILD, false},
    {"cut", KT_ERR_CHILD, false},          {"server", KT_ERR_CHILD, false},    {"unreachable", KT_ERR_MISSING, true},
    {"tls", KT_ERR_MISSING, true},         {"unauthorized", KT_ERR_MISSING, true}, {"redirect", KT_ERR_MISSING, true},
    {"key", KT_ERR_MISSING, true},         {"insecure", KT_ERR_MISSING, true}, {"rate-limited", KT_ERR_MISSING, true},
    {"refused", KT_ERR_MISSING, true},     {"model", KT_ERR_MISSING, true},    {"request", KT_ERR_MISSING, true},
};

static kt_status read_failure(bool *down, const cJSON *event, struct kt_error *err)
{
	const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "code"));
	const char *message = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "message"));

	*down = false;
	for (size_t i = 0; code != NULL && i < sizeof codes / sizeof *codes; i++)
		if (strcmp(codes[i].code, code) == 0) {
			*down = codes[i].down;
			return kt_fail(err, codes[i].status, "%s: %.800s", code, message != NULL ? message : "");
		}
	return kt_fail(err, KT_ERR_CHILD, "%.800s", message != NULL ? message : "ktcc-llm failed without a message");
}

/* One line a build: processes of one build share the store. */
static void complain(struct kt_llm *llm, const struct kt_error *err)
{
	if (is_marked(llm->arena, llm->state, "llm-warned", warned_s)) {
		kt_log("the model is of no use: %s", err->message);
		return;
	}
	mark(llm->arena, llm->state, "llm-warned");
	kt_say("the model is of no use, rules alone are: %s", err->message);
}

static void count(struct kt_llm *llm, const cJSON *event)
{
	struct kt_llm_usage *usage = &llm->usage;
	struct kt_error ignored;
	int64_t prompt = 0, reply = 0;
	double cost = 0;

	if (kt_json_int_or(&prompt, event, "prompt_tokens", 0, &ignored) == KT_OK && prompt > 0)
		usage->prompt_tokens += prompt;
	if (kt_json_int_or(&reply, event, "reply_tokens", 0, &ignored) == KT_OK && reply > 0)
		usage->reply_tokens += reply;
	if (kt_json_double_or(&cost, event, "cost", 0, &ignored) == KT_OK && cost > 0)
		usage->cost += cost;
}

static kt_status read_answer(struct kt_llm_answer *out, struct kt_arena *arena, const cJSON *event,
                             struct kt_error *err)
{
	const char *match = NULL, *finish = NULL, *hash = NULL;
	struct kt_hash answer;
	TRY(kt_json_string(&out->text, arena, event, "text", err));

	TRY(kt_json_string_or(&out->model, arena, event, "model", "unknown", err));
	TRY(kt_json_string_or(&match, arena, event, "match", "", err));
	TRY(kt_json_string_or(&finish, arena, event, "finish", "", err));
	TRY(kt_json_string_or(&hash, arena, event, "hash", "", err));
	TRY(kt_json_int_or(&out->when, event, "when", 0, err));
	TRY(kt_json_int_or(&out->prompt_tokens, event, "prompt_tokens", 0, err));
	TRY(kt_json_int_or(&out->reply_tokens, event, "reply_tokens", 0, err));
	TRY(kt_json_double_or(&out->cost, event, "cost", 0, err));
	TRY(kt_json_double_or(&out->seconds, event, "seconds", 0, err));
	out->size = strlen(out->text);
	out->recorded = match[0] != '\0';
	out->exact = strcmp(match, "exact") == 0;
	out->complete = strcmp(finish, "length") != 0;
	(void)snprintf(out->question_hash, sizeof out->question_hash, "%s", hash);
	kt_hash_init(&answer);
	kt_hash_field(&answer, "answer", out->text);
	kt_hash_final(&answer, out->answer_hash);
	return KT_OK;
}

kt_status kt_llm_ask(struct kt_llm_answer *out, struct kt_arena *arena, struct kt_llm *llm,
                     const struct kt_llm_question *question, struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const double start_s = kt_now_s();
	cJSON *json, *event = NULL;
	const char *awaited;
	bool failed, down = false;
	kt_status status;

	if (llm->down) {
		*err = llm->why;
		return err->code;
	}
	json = question_json(llm, question);
	kt_json_print(&line, json);
	cJSON_Delete(json);
	status = kt_buf_check(&line, "a question", err);
	THEN(status, kt_pipe_send(llm->pipe, kt_buf_text(&line), err));
	THEN(status, receive(&event, llm, longest_s(llm, question) + patience_s, err));
	/* A process that does not keep to the protocol has none for the next question either. */
	down = status != KT_OK;
	*out = (struct kt_llm_answer){.text = ""};
	if (status == KT_OK) {
		failed = strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "event")), "failed") == 0;
		count(llm, event);
		awaited = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "awaited"));
		out->awaited = awaited != NULL ? kt_arena_strdup(arena, awaited) : NULL;
		status = failed ? read_failure(&down, event, err) : read_answer(out, arena, event, err);
		/* The endpoint had less time than it may have: the failure is no evidence against it. */
		if (failed && status == KT_ERR_CHILD && question->limit_s < llm->settings->timeout_s &&
		    kt_now_s() - start_s >= question->limit_s)
			status = err->code = KT_ERR_LIMIT;
	}
	llm->usage.questions++;
	llm->usage.seconds += kt_now_s() - start_s;
	if (status != KT_OK && status != KT_ERR_LIMIT && status != KT_ERR_BUSY)
		complain(llm, err);
	if (down) {
		llm->down = true;
		llm->why = *err;
		llm->why.code = err->code = status = KT_ERR_MISSING;
		mark(llm->arena, llm->state, "llm-down");
	}
	cJSON_Delete(event);
	kt_buf_free(&line);
	return status;
}

struct kt_llm_usage kt_llm_usage(const struct kt_llm *llm)
{
	return llm->usage;
}

kt_status kt_llm_probe(struct kt_buf *out, const struct kt_config *config, struct kt_error *err)
{
	struct kt_llm llm = {.arena = kt_arena_new(KT_ARENA_REGION_BYTES), .settings = &config->llm};
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *json = NULL, *event = NULL;
	const char *text;
	bool down;
	kt_status status;

	if (llm.arena == NULL || config->llm.url == NULL) {
		status = kt_fail(err, KT_ERR_MISSING, "KTUNE_LLM_URL is not set");
		goto done;
	}
	status = start(&llm, err);
	if (status != KT_OK)
		goto done;
	json = base_request("probe", llm.arena, llm.settings, NULL);
	kt_json_print(&line, json);
	status = kt_pipe_send(llm.pipe, kt_buf_text(&line), err);
	THEN(status, receive(&event, &llm, patience_s, err));
	if (status == KT_OK &&
	    strcmp(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "event")), "failed") == 0)
		status = read_failure(&down, event, err);
	text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(event, "text"));
	if (status == KT_OK)
		kt_buf_adds(out, text != NULL ? text : "");
done:
	cJSON_Delete(event);
	cJSON_Delete(json);
	kt_pipe_close(llm.pipe);
	kt_buf_free(&line);
	kt_arena_free(llm.arena);
	return status;
}
