/* ktcc-llm: reads requests, answers each, ends with its input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "base/proc.h"
#include "exchange.h"

static const char usage[] = "usage: ktcc-llm\n"
                            "Started by ktcc: reads JSON lines from standard input, see docs/protocol.md.\n";

bool kt_exchange_fail(struct kt_exchange *x, const char *code, const char *format, ...)
{
	char text[sizeof x->error.message];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	x->code = code;
	(void)kt_fail(&x->error, KT_ERR_CHILD, "%s", text);
	return false;
}

double kt_exchange_left(const struct kt_exchange *x)
{
	return x->started_s + x->timeout_s - kt_now_s();
}

int64_t kt_exchange_prompt_tokens(const struct kt_exchange *x)
{
	return (int64_t)(x->prompt_bytes / KT_LLM_BYTES_PER_TOKEN) + 16;
}

static kt_status read_messages(struct kt_exchange *x, struct kt_error *err)
{
	struct kt_hash hash;
	const cJSON *item;

	kt_hash_init(&hash);
	cJSON_ArrayForEach(item, x->messages) {
		const char *role = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "role"));
		const char *content = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "content"));

		if (role == NULL || content == NULL)
			return kt_fail(err, KT_ERR_INVALID, "/messages: role and content expected");
		x->prompt_bytes += strlen(content);
		kt_hash_field(&hash, "role", role);
		kt_hash_field(&hash, "content", content);
	}
	kt_hash_int(&hash, "seed", x->seed);
	kt_hash_final(&hash, x->hash);
	if (x->prompt_bytes > KT_LLM_PROMPT_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "/messages: more than %zu bytes", KT_LLM_PROMPT_BYTES);
	return KT_OK;
}

static kt_status read_request(struct kt_exchange *x, const cJSON *request, struct kt_error *err)
{
	const struct {
		const char *name;
		const char **out;
	} texts[] = {{"url", &x->url},           {"model", &x->model},   {"key_file", &x->key_file},
	             {"key_command", &x->key_command}, {"key_env", &x->key_env}, {"proxy", &x->proxy},
	             {"ca_file", &x->ca_file},   {"record", &x->record}, {"state", &x->state},
	             {"label", &x->label},       {"schema_mode", &x->schema_mode}};
	const struct {
		const char *name;
		double *out, fallback;
	} numbers[] = {{"timeout_s", &x->timeout_s, 600},        {"idle_s", &x->idle_s, 120},
	               {"temperature", &x->temperature, -1},     {"cost_limit", &x->cost_limit, -1},
	               {"price_prompt", &x->price_prompt, 0},    {"price_reply", &x->price_reply, 0}};
	const struct {
		const char *name;
		int64_t *out, fallback;
	} integers[] = {{"retries", &x->retries, 4}, {"jobs", &x->jobs, 0}, {"reply_tokens", &x->reply_tokens, 8192},
	                {"token_limit", &x->token_limit, -1}, {"seed", &x->seed, -1}};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		TRY(kt_json_string_or(texts[i].out, x->arena, request, texts[i].name, NULL, err));
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		TRY(kt_json_double_or(numbers[i].out, request, numbers[i].name, numbers[i].fallback, err));
	for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
		TRY(kt_json_int_or(integers[i].out, request, integers[i].name, integers[i].fallback, err));
	TRY(kt_json_bool_or(&x->stream, request, "stream", true, err));
	TRY(kt_json_array_or(&x->messages, request, "messages", err));
	TRY(kt_json_object_or(&x->schema, request, "schema", err));
	TRY(read_messages(x, err));
	return x->url == NULL ? kt_fail(err, KT_ERR_INVALID, "/url: a string expected") : KT_OK;
}

static void say_done(const struct kt_exchange *x)
{
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "event", "done");
	cJSON_AddStringToObject(event, "text", kt_buf_text(&x->text));
	cJSON_AddStringToObject(event, "model", x->answered_by != NULL ? x->answered_by : "");
	cJSON_AddStringToObject(event, "finish", x->finish != NULL ? x->finish : "");
	cJSON_AddStringToObject(event, "match", x->match != NULL ? x->match : "");
	cJSON_AddStringToObject(event, "hash", x->hash);
	kt_json_add_int(event, "when", x->when);
	kt_json_add_int(event, "prompt_tokens", x->prompt_tokens);
	kt_json_add_int(event, "reply_tokens", x->completion_tokens);
	kt_json_add_int(event, "attempts", x->attempts);
	cJSON_AddBoolToObject(event, "schema", x->with_schema);
	cJSON_AddNumberToObject(event, "cost", x->cost);
	cJSON_AddNumberToObject(event, "seconds", kt_now_s() - x->started_s);
	kt_say_line(event);
}

static void say_failed(const struct kt_exchange *x)
{
	cJSON *event = cJSON_CreateObject();

	cJSON_AddStringToObject(event, "event", "failed");
	cJSON_AddStringToObject(event, "code", x->code != NULL ? x->code : "request");
	cJSON_AddStringToObject(event, "message", x->error.message);
	cJSON_AddStringToObject(event, "hash", x->hash);
	kt_json_add_text(event, "awaited", x->awaited);
	kt_json_add_int(event, "attempts", x->attempts);
	/* What was spent counts, whatever became of it. */
	kt_json_add_int(event, "prompt_tokens", x->prompt_tokens);
	kt_json_add_int(event, "reply_tokens", x->completion_tokens);
	cJSON_AddNumberToObject(event, "cost", x->cost);
	kt_say_line(event);
}

static bool complete(struct kt_exchange *x)
{
	bool done;

	if (strncmp(x->url, "transcript:", 11) == 0)
		return kt_files_replay(x, x->url + 11);
	if (strncmp(x->url, "dir:", 4) == 0) {
		done = kt_files_complete(x, x->url + 4);
	} else {
		done = kt_http_complete(x);
		x->when = (int64_t)time(NULL);
	}
	if (done && x->record != NULL)
		kt_files_record(x);
	return done;
}

static bool probe(struct kt_exchange *x)
{
	x->when = (int64_t)time(NULL);
	if (strncmp(x->url, "dir:", 4) == 0)
		return kt_files_probe(x, x->url + 4, true);
	if (strncmp(x->url, "transcript:", 11) == 0)
		return kt_files_probe(x, x->url + 11, false);
	return kt_http_probe(x);
}

static void answer(const char *line, size_t size)
{
	struct kt_exchange x = {.text = KT_BUF(KT_LLM_TEXT_BYTES), .prompt_tokens = -1, .completion_tokens = -1,
	                        .started_s = kt_now_s()};
	cJSON *request = NULL;
	const char *what = NULL;
	kt_status status;

	x.arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	if (x.arena == NULL)
		return;
	status = kt_json_parse(&request, line, size, &x.error);
	THEN(status, kt_json_string(&what, x.arena, request, "request", &x.error));
	THEN(status, read_request(&x, request, &x.error));
	if (status == KT_OK && (strcmp(what, "probe") == 0 ? probe(&x) : complete(&x)))
		say_done(&x);
	else
		say_failed(&x);
	kt_key_forget();
	cJSON_Delete(request);
	kt_buf_free(&x.text);
	kt_arena_free(x.arena);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;

	if (argc > 1 && strcmp(argv[1], "--version") == 0) {
		printf("ktcc-llm %s\n", KT_VERSION);
		return 0;
	}
	if (argc > 1) {
		fputs(usage, strcmp(argv[1], "--help") == 0 ? stdout : stderr);
		return strcmp(argv[1], "--help") == 0 ? 0 : 2;
	}
	/* No core file, and other processes of this user cannot read the memory: the key is in it. */
	(void)prctl(PR_SET_DUMPABLE, 0);
	while ((size = getline(&line, &capacity, stdin)) > 0 && (size_t)size <= KT_LIMIT_MESSAGE_BYTES)
		answer(line, (size_t)size);
	free(line);
	return 0;
}
