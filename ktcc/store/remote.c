#include "store/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/proc.h"
#include "store/internal.h"
#include "store/remote_names.h"

#define PROBE_MS 5000
#define PUSH_MS 30000
#define ANSWER_MS 5 /* the helper stops earlier by this: what it has until then arrives in time */

struct kt_remote {
	const struct kt_config *config;
	struct kt_store *store;
	struct kt_pipe *pipe; /* NULL: not started */
	double spent_ms;      /* in this command */
	bool over;            /* it failed in this command */
	bool patient;         /* a user waits for it: no limit of a build, no record of its cost */
	char failure[256];    /* patient: why it failed */
};

static bool is_miss(int64_t status)
{
	return status == 404 || status == 410;
}

struct kt_remote *kt_remote_open(const struct kt_config *config, struct kt_store *store)
{
	struct kt_remote *remote;
	if (config->remote == NULL || store == NULL || store->read_only)
		return NULL;
	remote = calloc(1, sizeof *remote);
	if (remote != NULL)
		*remote = (struct kt_remote){.config = config, .store = store};
	return remote;
}

void kt_remote_close(struct kt_remote *remote)
{
	if (remote == NULL)
		return;
	kt_pipe_kill(remote->pipe);
	free(remote);
}

static void mark_name(struct kt_buf *out, const struct kt_remote *remote)
{
	kt_buf_addf(out, "remote %s", remote->config->remote);
}

/* Milliseconds that may still be waited; 0: the server rests. */
static double left_ms(const struct kt_remote *remote)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	int64_t cost = 0;
	if (remote->patient)
		return remote->over ? 0 : PUSH_MS;
	mark_name(&name, remote);
	bool known = kt_store_get_mark(&cost, remote->store, kt_buf_text(&name), KT_REMOTE_WINDOW_S);
	kt_buf_free(&name);
	int64_t most_ms = remote->config->remote_ms < KT_REMOTE_MS_MOST ? remote->config->remote_ms : KT_REMOTE_MS_MOST;
	double left = (double)most_ms - remote->spent_ms - (known ? (double)cost : 0);
	return remote->over || left < 1 ? 0 : left;
}

static void charge(struct kt_remote *remote, double ms)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	mark_name(&name, remote);
	if (ms >= 1)
		kt_store_add_mark(remote->store, kt_buf_text(&name), (int64_t)(ms + 0.5), KT_REMOTE_WINDOW_S, KT_MARK_FIRST);
	kt_buf_free(&name);
}

/* Printed once in KT_REMOTE_WINDOW_S: a build of a thousand files has one line about a server that is down. */
static void fail(struct kt_remote *remote, const char *why, double ms)
{
	struct kt_buf name = KT_BUF(KT_LIMIT_LINE_BYTES);
	int64_t cost;
	remote->over = true;
	kt_pipe_kill(remote->pipe);
	remote->pipe = NULL;
	if (remote->patient) {
		snprintf(remote->failure, sizeof remote->failure, "%s", why);
		return;
	}
	mark_name(&name, remote);
	if (kt_store_get_mark(&cost, remote->store, kt_buf_text(&name), KT_REMOTE_WINDOW_S))
		kt_log("%s: %s", remote->config->remote, why);
	else
		kt_say("KTUNE_REMOTE=%s is not used: %s", remote->config->remote, why);
	kt_buf_free(&name);
	kt_store_count(remote->store, "remote-failed");
	charge(remote, ms < 1 ? 1 : ms);
}

static cJSON *open_request(const struct kt_config *config)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "request", "open");
	cJSON_AddStringToObject(json, "base", config->remote);
	kt_json_add_text(json, "token_file", config->remote_token_file);
	kt_json_add_text(json, "token_command", config->remote_token_command);
	kt_json_add_text(json, "ca", config->remote_ca);
	return json;
}

/* One request and its answer, which has the member `wanted`, before the time is over. */
static kt_status ask(cJSON **out, struct kt_pipe *pipe, const cJSON *request, const char *wanted, double end_s,
                     struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	cJSON *answer = NULL;
	kt_json_print(&line, request);
	kt_status status = kt_buf_check(&line, "a request", err);
	THEN(status, kt_pipe_send(pipe, kt_buf_text(&line), err));
	double left_s = end_s - kt_now_s();
	if (status == KT_OK && left_s <= 0)
		status = kt_fail(err, KT_ERR_LIMIT, "timed out");
	if (status == KT_OK && (status = kt_pipe_receive(&line, pipe, left_s, err)) == KT_ERR_LIMIT)
		kt_fail(err, KT_ERR_LIMIT, "timed out");
	THEN(status, kt_json_parse(&answer, kt_buf_text(&line), line.size, err));
	if (status == KT_OK && !cJSON_HasObjectItem(answer, wanted)) {
		const char *error = cJSON_GetStringValue(cJSON_GetObjectItem(answer, "error"));
		status = kt_fail(err, KT_ERR_CHILD, "%s", error != NULL ? error : "an answer without content");
	}
	kt_buf_free(&line);
	if (status == KT_OK)
		*out = answer;
	else
		cJSON_Delete(answer);
	return status;
}

static kt_status start(struct kt_pipe **out, const struct kt_config *config, double end_s, struct kt_error *err)
{
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	char *program = arena != NULL ? kt_install_path(arena, "libexec/ktcc/ktcc-remote") : NULL;
	char *argv[] = {program, NULL};
	struct kt_pipe *pipe = NULL;
	cJSON *request = open_request(config), *answer = NULL;
	kt_status status = program != NULL ? kt_pipe_start(&pipe, argv, err) : kt_no_memory(err);
	THEN(status, ask(&answer, pipe, request, "open", end_s, err));
	cJSON_Delete(request);
	cJSON_Delete(answer);
	kt_arena_free(arena);
	if (status == KT_OK)
		*out = pipe;
	else
		kt_pipe_kill(pipe);
	return status;
}

static cJSON *items_request(const char *verb, const struct kt_names *names, const char *body, double limit_ms)
{
	cJSON *json = cJSON_CreateObject(), *items;
	cJSON_AddStringToObject(json, "request", verb);
	cJSON_AddNumberToObject(json, "limit_ms", (double)(int64_t)limit_ms);
	items = cJSON_AddArrayToObject(json, "items");
	for (size_t i = 0; i < names->count; i++) {
		cJSON *item = kt_json_append(items);
		cJSON_AddStringToObject(item, "name", names->items[i]);
		kt_json_add_text(item, "body", body);
	}
	return json;
}

/* Everything of one exchange; *results is the answer's array and *answer owns it.
 * False: it failed, and that is reported. */
static bool exchange(cJSON **answer, double *took_ms, struct kt_remote *remote, const char *verb,
                     const struct kt_names *names, const char *body)
{
	struct kt_error err;
	double begin_s = kt_now_s(), left = left_ms(remote);
	kt_status status = KT_OK;
	cJSON *request = NULL;
	if (left <= 0) {
		kt_store_count(remote->store, "remote-rested");
		return false;
	}
	if (remote->pipe == NULL)
		status = start(&remote->pipe, remote->config, begin_s + left * 1e-3, &err);
	if (status == KT_OK) {
		double limit_ms = left - ANSWER_MS - (kt_now_s() - begin_s) * 1e3;
		request = items_request(verb, names, body, limit_ms < 1 ? 1 : limit_ms);
		status = ask(answer, remote->pipe, request, "results", begin_s + left * 1e-3, &err);
	}
	cJSON_Delete(request);
	*took_ms = (kt_now_s() - begin_s) * 1e3;
	remote->spent_ms += *took_ms;
	if (status != KT_OK)
		fail(remote, err.message, *took_ms);
	return status == KT_OK;
}

/* Why an answer is none, as text in arena; NULL: it is one, or reports that nothing is there. */
static const char *failure_of(struct kt_arena *arena, const cJSON *result, int64_t status, const char *verb)
{
	const char *error = cJSON_GetStringValue(cJSON_GetObjectItem(result, "error"));
	bool put = strcmp(verb, "put") == 0;
	if (error != NULL)
		return kt_arena_strdup(arena, error);
	if (put ? status == 200 || status == 201 || status == 204 : status == 200 || is_miss(status))
		return NULL;
	if (status >= 300 && status < 400)
		return kt_arena_printf(arena, "HTTP %lld: redirects are not followed", (long long)status);
	return kt_arena_printf(arena, "HTTP %lld", (long long)status);
}

static void note_miss(struct kt_remote *remote, const char *name)
{
	struct kt_buf mark = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_buf_addf(&mark, "remote-miss %s %s", remote->config->remote, name);
	kt_store_add_mark(remote->store, kt_buf_text(&mark), 1, KT_REMOTE_MISS_S, KT_MARK_LAST);
	kt_buf_free(&mark);
}

static bool is_known_miss(const struct kt_remote *remote, const char *name)
{
	struct kt_buf mark = KT_BUF(KT_LIMIT_LINE_BYTES);
	int64_t value;
	kt_buf_addf(&mark, "remote-miss %s %s", remote->config->remote, name);
	bool known = kt_store_get_mark(&value, remote->store, kt_buf_text(&mark), KT_REMOTE_MISS_S);
	kt_buf_free(&mark);
	return known;
}

struct fetching {
	struct kt_remote *remote;
	struct kt_arena *arena;
	const struct kt_query *query;
	struct kt_entry *entries;
	size_t count;
	char *damaged;
	const char *failure;
};

/* The same entry under another of its names is no second one. */
static bool is_there(const struct fetching *f, const struct kt_entry *entry)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->entries[i].region_key, entry->region_key) == 0 &&
		    strcmp(f->entries[i].device_key, entry->device_key) == 0)
			return true;
	return false;
}

static void take_entry(struct fetching *f, const char *name, const char *text)
{
	struct kt_entry entry, *slot;
	struct kt_error err;
	kt_status status = kt_entry_parse(&entry, f->arena, text, strlen(text), &err);
	if (status == KT_OK && (strcmp(entry.name, f->query->name) != 0 || !kt_query_takes(f->query, &entry)))
		status = kt_fail(&err, KT_ERR_INVALID, "/keys: the entry of another region or device");
	if (status != KT_OK) {
		char *reason = kt_arena_printf(f->arena, "%s%s%s: %s", f->damaged != NULL ? f->damaged : "",
		                               f->damaged != NULL ? "\n" : "", name, err.message);
		if (reason != NULL)
			f->damaged = reason;
		kt_store_count(f->remote->store, "remote-refused");
		note_miss(f->remote, name);
		return;
	}
	if (is_there(f, &entry))
		return;
	slot = kt_arena_push(f->arena, &f->entries, &f->count, sizeof *f->entries);
	if (slot != NULL)
		*slot = entry;
}

static void take_results(struct fetching *f, const cJSON *answer, const struct kt_names *names)
{
	const cJSON *result;
	size_t index = 0;
	cJSON_ArrayForEach(result, cJSON_GetObjectItem(answer, "results")) {
		struct kt_error ignored;
		int64_t status = 0;
		if (index == names->count)
			break;
		const char *name = names->items[index++];
		if (kt_json_int(&status, result, "status", &ignored) != KT_OK)
			continue;
		const char *body = cJSON_GetStringValue(cJSON_GetObjectItem(result, "body"));
		const char *failure = failure_of(f->arena, result, status, "get");
		if (failure != NULL)
			f->failure = failure;
		else if (is_miss(status))
			note_miss(f->remote, name);
		else
			take_entry(f, name, body != NULL ? body : "");
	}
}

static void drop_misses(struct kt_names *names, const struct kt_remote *remote)
{
	size_t kept = 0;
	for (size_t i = 0; i < names->count; i++)
		if (!is_known_miss(remote, names->items[i]))
			names->items[kept++] = names->items[i];
	names->count = kept;
}

void kt_remote_fetch(struct kt_entry **out, size_t *count, char **damaged, struct kt_arena *arena,
                     struct kt_remote *remote, const struct kt_query *query, const struct kt_found *known,
                     size_t known_count)
{
	struct fetching f = {.remote = remote, .arena = arena, .query = query};
	struct kt_names names = {0};
	cJSON *answer = NULL;
	double took_ms = 0;
	*out = NULL;
	*count = 0;
	*damaged = NULL;
	if (remote == NULL || !kt_names_wanted(&names, arena, query, known, known_count))
		return;
	drop_misses(&names, remote);
	if (names.count == 0 || !exchange(&answer, &took_ms, remote, "get", &names, NULL))
		return;
	take_results(&f, answer, &names);
	cJSON_Delete(answer);
	if (f.failure != NULL)
		fail(remote, f.failure, took_ms);
	else if (f.count == 0)
		charge(remote, took_ms - KT_REMOTE_FREE_MS);
	kt_store_add(remote->store, "remote-hit", (int64_t)f.count);
	if (f.count == 0 && f.failure == NULL)
		kt_store_count(remote->store, "remote-miss");
	*out = f.entries;
	*count = f.count;
	*damaged = f.damaged;
}

void kt_remote_refuse(struct kt_remote *remote, const struct kt_entry *entry)
{
	struct kt_names names = {0};
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	if (arena != NULL && kt_names_of(&names, arena, entry))
		for (size_t i = 0; i < names.count; i++)
			note_miss(remote, names.items[i]);
	kt_store_count(remote->store, "remote-refused");
	kt_arena_free(arena);
}

/* True: every name holds it now. Else the failure was dealt with. */
static bool put_all(struct kt_remote *remote, struct kt_arena *arena, const struct kt_names *names, const char *text)
{
	const char *failure = NULL;
	const cJSON *result;
	cJSON *answer = NULL;
	double took_ms = 0;
	if (!exchange(&answer, &took_ms, remote, "put", names, text))
		return false;
	cJSON_ArrayForEach(result, cJSON_GetObjectItem(answer, "results")) {
		struct kt_error ignored;
		const char *why;
		int64_t status = 0;
		if (kt_json_int(&status, result, "status", &ignored) == KT_OK &&
		    (why = failure_of(arena, result, status, "put")) != NULL)
			failure = why;
	}
	cJSON_Delete(answer);
	if (failure != NULL)
		fail(remote, failure, took_ms);
	return failure == NULL;
}

void kt_remote_put(struct kt_remote *remote, const struct kt_entry *entry)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_names names = {0};
	struct kt_error err;
	struct kt_arena *arena = NULL;
	if (remote == NULL || !remote->config->remote_write)
		return;
	arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	if (arena != NULL && kt_names_of(&names, arena, entry) && kt_entry_print(&text, entry, &err) == KT_OK &&
	    put_all(remote, arena, &names, kt_buf_text(&text)))
		kt_store_count(remote->store, "remote-put");
	kt_buf_free(&text);
	kt_arena_free(arena);
}

/* Do all names hold this text? False as well where the server fails. */
static bool holds_all(struct kt_remote *remote, const struct kt_names *names, const char *text)
{
	const cJSON *result;
	cJSON *answer = NULL;
	double took_ms = 0;
	size_t same = 0;
	if (!exchange(&answer, &took_ms, remote, "get", names, NULL))
		return false;
	cJSON_ArrayForEach(result, cJSON_GetObjectItem(answer, "results")) {
		const char *body = cJSON_GetStringValue(cJSON_GetObjectItem(result, "body"));
		same += body != NULL && strcmp(body, text) == 0;
	}
	cJSON_Delete(answer);
	return same == names->count;
}

kt_status kt_remote_push(bool *put, struct kt_remote *remote, const struct kt_entry *entry, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_names names = {0};
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	kt_status status = arena != NULL && kt_names_of(&names, arena, entry)
	                       ? kt_entry_print(&text, entry, err)
	                       : kt_fail(err, KT_ERR_MEMORY, "out of memory naming an entry");
	remote->patient = true;
	*put = false;
	if (status == KT_OK && !holds_all(remote, &names, kt_buf_text(&text))) {
		*put = put_all(remote, arena, &names, kt_buf_text(&text));
		if (!*put)
			status = kt_fail(err, KT_ERR_CHILD, "%s: %s", remote->config->remote, remote->failure);
	}
	kt_buf_free(&text);
	kt_arena_free(arena);
	return status;
}

bool kt_remote_probe(struct kt_buf *out, const struct kt_config *config)
{
	char *name = (char[]){"ktune"};
	struct kt_names names = {.count = 1, .items = &name};
	struct kt_pipe *pipe = NULL;
	struct kt_error err;
	const char *failure = NULL;
	cJSON *request = NULL, *answer = NULL;
	int64_t code = 0;
	double end_s = kt_now_s() + PROBE_MS * 1e-3;
	struct kt_arena *arena = kt_arena_new(KT_LIMIT_LINE_BYTES);
	kt_status status = arena != NULL ? start(&pipe, config, end_s, &err) : kt_no_memory(&err);
	if (status == KT_OK) {
		request = items_request("head", &names, NULL, PROBE_MS);
		status = ask(&answer, pipe, request, "results", end_s + 1, &err);
	}
	if (status == KT_OK) {
		const cJSON *result = cJSON_GetArrayItem(cJSON_GetObjectItem(answer, "results"), 0);
		status = kt_json_int(&code, result, "status", &err);
		failure = status == KT_OK ? failure_of(arena, result, code, "head") : NULL;
	}
	if (status != KT_OK)
		failure = err.message;
	kt_buf_addf(out, "%s: %s", config->remote,
	            failure != NULL        ? failure
	            : config->remote_write ? "read and written"
	                                   : "read");
	cJSON_Delete(request);
	cJSON_Delete(answer);
	kt_pipe_kill(pipe);
	kt_arena_free(arena);
	return failure == NULL;
}
