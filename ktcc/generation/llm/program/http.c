/* One request over HTTP, again where that makes sense. */
#include <curl/curl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/proc.h"
#include "base/url.h"
#include "stream.h"

/* What an endpoint may not know is left out step by step. */
enum form { FORM_FULL, FORM_PLAIN, FORM_BARE, FORM_COUNT };

struct transfer {
	struct kt_exchange *x;
	CURL *curl;
	struct kt_stream stream;
	struct kt_buf body; /* of a response that is no answer */
	bool open, asked_events;
	long status;
	double retry_after_s; /* negative: the endpoint named no time */
	double said_s;
};

/* A response becomes an answer only with status 200; bytes of others are kept for their complaint. */
static void begin(struct transfer *t)
{
	const char *type = NULL;

	t->open = true;
	(void)curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->status);
	(void)curl_easy_getinfo(t->curl, CURLINFO_CONTENT_TYPE, &type);
	kt_stream_open(&t->stream, t->x,
	               t->asked_events && type != NULL && strncasecmp(type, "text/event-stream", 17) == 0);
}

static void say_progress(struct transfer *t)
{
	cJSON *event;

	if (kt_now_s() - t->said_s < 1)
		return;
	t->said_s = kt_now_s();
	event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "progress");
	kt_json_add_int(event, "bytes", (int64_t)t->x->text.size);
	kt_say_line(event);
}

static size_t take(char *data, size_t size, size_t count, void *context)
{
	struct transfer *t = context;
	const size_t bytes = size * count;

	if (!t->open)
		begin(t);
	if (t->status != 200) {
		kt_buf_add(&t->body, data, bytes);
		return t->body.failed ? 0 : bytes;
	}
	say_progress(t);
	return kt_stream_take(&t->stream, data, bytes) ? bytes : 0;
}

/* Host and port, which is all of a URL that messages show. */
static const char *host_of(struct kt_arena *arena, const char *url)
{
	const char *at = strstr(url, "://"), *end;

	at = at != NULL ? at + 3 : url;
	end = at + strcspn(at, "/?#");
	return kt_arena_strndup(arena, at, (size_t)(end - at));
}

static bool ends_with(const char *text, size_t size, const char *end)
{
	const size_t length = strlen(end);

	return size >= length && memcmp(text + size - length, end, length) == 0;
}

/* "https://host", ".../v1" or the whole path: where the two resources are. */
static const char *resource(struct kt_exchange *x, const char *path)
{
	static const char chat[] = "/chat/completions";
	size_t size = strcspn(x->url, "?#");
	const char *rest = x->url + size, *slash;

	while (size > 0 && x->url[size - 1] == '/')
		size--;
	if (ends_with(x->url, size, chat))
		size -= sizeof chat - 1;
	else if ((slash = memrchr(x->url, '/', size)) == NULL || slash[1] != 'v' || strspn(slash + 2, "0123456789") == 0)
		return kt_arena_printf(x->arena, "%.*s/v1%s%s", (int)size, x->url, path, rest);
	return kt_arena_printf(x->arena, "%.*s%s%s", (int)size, x->url, path, rest);
}

static bool check_url(struct kt_exchange *x)
{
	const char *host = host_of(x->arena, x->url);

	if (strncmp(x->url, "http://", 7) != 0 && strncmp(x->url, "https://", 8) != 0)
		return kt_exchange_fail(x, "request", "KTUNE_LLM_URL is none of https://, http://, dir:, transcript:");
	if (host == NULL || strchr(host, '@') != NULL)
		return kt_exchange_fail(x, "insecure", "the URL holds a user: keys belong into KTUNE_LLM_KEY_FILE");
	if (!kt_url_may_go(x->url))
		return kt_exchange_fail(x, "insecure", "http:// is for this machine alone, not for %s: https:// is expected",
		                        host);
	return true;
}

static cJSON *format_of(const struct kt_exchange *x)
{
	cJSON *format = cJSON_CreateObject(), *schema;

	cJSON_AddStringToObject(format, "type", "json_schema");
	schema = cJSON_AddObjectToObject(format, "json_schema");
	cJSON_AddStringToObject(schema, "name", "reply");
	cJSON_AddBoolToObject(schema, "strict", true);
	cJSON_AddItemToObject(schema, "schema", cJSON_Duplicate(x->schema, true));
	return format;
}

static bool wants_schema(const struct kt_exchange *x, enum form form)
{
	const char *mode = x->schema_mode != NULL ? x->schema_mode : "auto";

	return x->schema != NULL && strcmp(mode, "off") != 0 && (form == FORM_FULL || strcmp(mode, "on") == 0);
}

/* The longest answer that the budget allows; 0: none. */
static int64_t longest(const struct kt_exchange *x)
{
	const int64_t left = x->token_limit >= 0 ? x->token_limit - kt_exchange_prompt_tokens(x) : x->reply_tokens;

	return left < x->reply_tokens ? left : x->reply_tokens;
}

static void build_body(struct kt_buf *out, struct kt_exchange *x, enum form form)
{
	cJSON *body = cJSON_CreateObject();

	cJSON_AddStringToObject(body, "model", x->model != NULL ? x->model : "default");
	cJSON_AddItemToObject(body, "messages", cJSON_Duplicate(x->messages, true));
	kt_json_add_int(body, form == FORM_BARE ? "max_completion_tokens" : "max_tokens", longest(x));
	if (form != FORM_BARE && x->temperature >= 0)
		cJSON_AddNumberToObject(body, "temperature", x->temperature);
	if (form != FORM_BARE && x->seed >= 0)
		kt_json_add_int(body, "seed", x->seed);
	if (x->stream) {
		cJSON_AddBoolToObject(body, "stream", true);
		if (form == FORM_FULL)
			cJSON_AddBoolToObject(cJSON_AddObjectToObject(body, "stream_options"), "include_usage", true);
	}
	x->with_schema = wants_schema(x, form);
	if (x->with_schema)
		cJSON_AddItemToObject(body, "response_format", format_of(x));
	kt_json_print(out, body);
	cJSON_Delete(body);
}

static void set_options(struct transfer *t, const char *url, struct curl_slist *headers)
{
	const struct kt_exchange *x = t->x;
	CURL *curl = t->curl;
	const double left = kt_exchange_left(x);

	(void)curl_easy_setopt(curl, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
	(void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	(void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
	/* A redirection would take the key somewhere else. */
	(void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	(void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "ktcc/" KT_VERSION);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, t);
	(void)curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
	(void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)KT_LLM_CONNECT_SECONDS);
	(void)curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(left > 0 ? left * 1000 + 1 : 1));
	(void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)ceil(x->idle_s));
	(void)curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	/* What goes to this machine goes there directly; of what goes through a proxy it sees the host alone. */
	(void)curl_easy_setopt(curl, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE);
	if (kt_url_is_loopback(x->url))
		(void)curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
	if (kt_url_is_loopback(x->url) || x->proxy != NULL)
		(void)curl_easy_setopt(curl, CURLOPT_PROXY, kt_url_is_loopback(x->url) ? "" : x->proxy);
	if (x->ca_file != NULL)
		(void)curl_easy_setopt(curl, CURLOPT_CAINFO, x->ca_file);
}

static struct curl_slist *build_headers(const char *key)
{
	struct kt_buf line = KT_BUF(KT_LLM_KEY_BYTES + 64);
	struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

	if (key[0] != '\0') {
		kt_buf_adds(&line, "Authorization: Bearer ");
		kt_buf_adds(&line, key);
		headers = curl_slist_append(headers, kt_buf_text(&line));
		explicit_bzero(line.data, line.size);
	}
	kt_buf_free(&line);
	return headers;
}

static const struct {
	CURLcode code;
	const char *word;
	bool again;
} failures[] = {
    {CURLE_OPERATION_TIMEDOUT, "timeout", true},     {CURLE_COULDNT_CONNECT, "unreachable", true},
    {CURLE_COULDNT_RESOLVE_HOST, "unreachable", true}, {CURLE_COULDNT_RESOLVE_PROXY, "unreachable", true},
    {CURLE_PEER_FAILED_VERIFICATION, "tls", false},  {CURLE_SSL_CONNECT_ERROR, "tls", false},
    {CURLE_SSL_CACERT_BADFILE, "tls", false},        {CURLE_SSL_CERTPROBLEM, "tls", false},
    {CURLE_PARTIAL_FILE, "cut", true},               {CURLE_RECV_ERROR, "cut", true},
    {CURLE_SEND_ERROR, "cut", true},                 {CURLE_GOT_NOTHING, "cut", true},
    {CURLE_HTTP2_STREAM, "cut", true},               {CURLE_UNSUPPORTED_PROTOCOL, "request", false},
    {CURLE_URL_MALFORMAT, "request", false},
};

/* The transfer itself failed. Returns whether another try makes sense. */
static bool judge_transfer(struct transfer *t, CURLcode code, const char *host)
{
	struct kt_exchange *x = t->x;

	if (code == CURLE_WRITE_ERROR && t->open && t->stream.too_long)
		return kt_stream_end(&t->stream);
	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (failures[i].code == code) {
			kt_exchange_fail(x, failures[i].word, "%s: %s", host, curl_easy_strerror(code));
			return failures[i].again;
		}
	return kt_exchange_fail(x, "unreachable", "%s: %s", host, curl_easy_strerror(code));
}

static const struct {
	long first, last;
	const char *word;
	bool again;
} statuses[] = {
    {300, 399, "redirect", false},  {401, 401, "unauthorized", false}, {402, 402, "unauthorized", false},
    {403, 403, "unauthorized", false}, {408, 408, "timeout", true},   {429, 429, "rate-limited", true},
    {500, 504, "server", true},     {529, 529, "server", true},
};

/* A response that is no answer. Returns whether another try makes sense. */
static bool judge_status(struct transfer *t, const char *host)
{
	struct kt_exchange *x = t->x;
	const char *says = kt_stream_complaint(x->arena, &t->body);

	for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (t->status >= statuses[i].first && t->status <= statuses[i].last) {
			kt_exchange_fail(x, statuses[i].word, "%s: HTTP %ld%s%s", host, t->status, says[0] != '\0' ? ": " : "",
			                 says);
			return statuses[i].again;
		}
	return kt_exchange_fail(x, "refused", "%s: HTTP %ld%s%s", host, t->status, says[0] != '\0' ? ": " : "", says);
}

enum outcome { OUTCOME_DONE, OUTCOME_FAILED, OUTCOME_AGAIN, OUTCOME_PLAINER };

/* llama.cpp's Python server reports a member that it does not know as an internal error, and names it. */
static bool complains_of_extras(const struct kt_buf *body)
{
	static const char *const extras[] = {"response_format", "json_schema", "stream_options"};

	for (size_t i = 0; i < sizeof extras / sizeof *extras; i++)
		if (memmem(body->data, body->size, extras[i], strlen(extras[i])) != NULL)
			return true;
	return false;
}

static enum outcome attempt(struct transfer *t, const char *url, const char *host, struct curl_slist *headers,
                            const struct kt_buf *body)
{
	struct kt_exchange *x = t->x;
	curl_off_t wait = 0;
	CURLcode code;
	enum outcome outcome;

	t->open = false;
	t->status = 0;
	t->retry_after_s = -1;
	kt_buf_clear(&t->body);
	curl_easy_reset(t->curl);
	set_options(t, url, headers);
	if (body != NULL) {
		(void)curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, body->data);
		(void)curl_easy_setopt(t->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->size);
	}
	x->attempts++;
	code = curl_easy_perform(t->curl);
	(void)curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &t->status);
	if (curl_easy_getinfo(t->curl, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
		t->retry_after_s = (double)wait;
	if (code != CURLE_OK)
		outcome = judge_transfer(t, code, host) ? OUTCOME_AGAIN : OUTCOME_FAILED;
	else if (t->status == 400 || t->status == 422)
		outcome = judge_status(t, host) ? OUTCOME_AGAIN : OUTCOME_PLAINER;
	else if (t->status != 200)
		outcome = !judge_status(t, host) ? OUTCOME_FAILED
		          : t->status == 500 && complains_of_extras(&t->body) ? OUTCOME_PLAINER : OUTCOME_AGAIN;
	else if (body == NULL)
		outcome = OUTCOME_DONE;
	else if (!t->open)
		outcome = kt_exchange_fail(x, "malformed", "%s: an empty response", host) ? OUTCOME_DONE : OUTCOME_AGAIN;
	else
		outcome = kt_stream_end(&t->stream)                                         ? OUTCOME_DONE
		          : strcmp(x->code, "cut") == 0 || strcmp(x->code, "server") == 0 ? OUTCOME_AGAIN
		                                                                          : OUTCOME_FAILED;
	if (t->open && body != NULL && t->status == 200)
		kt_stream_free(&t->stream);
	return outcome;
}

/* Waits before the next try; false: that would be too late. */
static bool pause_before(struct transfer *t, int64_t number)
{
	struct kt_exchange *x = t->x;
	double wait = t->retry_after_s;
	struct timespec nap;
	cJSON *event;

	if (wait < 0) {
		wait = fmin(pow(2, (double)number - 1), KT_LLM_WAIT_SECONDS);
		/* Not all at once again: between three quarters and all of it, by the clock. */
		(void)clock_gettime(CLOCK_MONOTONIC, &nap);
		wait *= 0.75 + 0.25 * (double)(nap.tv_nsec % 1000000) / 1e6;
	}
	if (wait >= kt_exchange_left(x))
		return false;
	event = cJSON_CreateObject();
	cJSON_AddStringToObject(event, "event", "retry");
	cJSON_AddStringToObject(event, "code", x->code);
	cJSON_AddStringToObject(event, "message", x->error.message);
	cJSON_AddNumberToObject(event, "wait_s", wait);
	kt_say_line(event);
	nap.tv_sec = (time_t)wait;
	nap.tv_nsec = (long)((wait - floor(wait)) * 1e9);
	nanosleep(&nap, NULL);
	return true;
}

static double price(const struct kt_exchange *x, int64_t prompt, int64_t reply)
{
	return ((double)prompt * x->price_prompt + (double)reply * x->price_reply) / 1e6;
}

/* Tokens that the endpoint did not count are estimated. */
static void count_tokens(struct kt_exchange *x, bool answered)
{
	if (x->prompt_tokens < 0)
		x->prompt_tokens = answered || x->text.size > 0 ? (int64_t)(x->prompt_bytes / KT_LLM_BYTES_PER_TOKEN) : 0;
	if (x->completion_tokens < 0)
		x->completion_tokens = (int64_t)(x->text.size / KT_LLM_BYTES_PER_TOKEN);
	x->cost = price(x, x->prompt_tokens, x->completion_tokens);
}

static bool try_all(struct transfer *t, const char *url, const char *host, struct curl_slist *headers)
{
	struct kt_exchange *x = t->x;
	struct kt_buf body = KT_BUF(KT_LLM_BODY_BYTES * 2);
	enum form form =
	    x->schema_mode != NULL && strcmp(x->schema_mode, "off") == 0 && !x->stream ? FORM_PLAIN : FORM_FULL;
	int64_t tried = 0;
	enum outcome outcome = OUTCOME_FAILED;

	for (;;) {
		kt_buf_clear(&body);
		build_body(&body, x, form);
		if (body.failed) {
			kt_exchange_fail(x, "too-long", "the request is too long");
			break;
		}
		outcome = attempt(t, url, host, headers, &body);
		if (outcome == OUTCOME_PLAINER && form + 1 < FORM_COUNT) {
			form++;
			continue;
		}
		if (outcome != OUTCOME_AGAIN || ++tried > x->retries || !pause_before(t, tried))
			break;
	}
	kt_buf_free(&body);
	return outcome == OUTCOME_DONE;
}

/* Connection, key and headers around what is done with them. */
static bool with_connection(struct kt_exchange *x, bool (*work)(struct transfer *t, const char *url, const char *host,
                                                                struct curl_slist *headers),
                            const char *path, bool events)
{
	struct transfer t = {.x = x, .body = KT_BUF(KT_LLM_BODY_BYTES), .asked_events = events};
	struct curl_slist *headers = NULL;
	const char *key, *url;
	bool done = false;

	if (!check_url(x) || !kt_key_find(&key, x))
		return false;
	url = resource(x, path);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0 || (t.curl = curl_easy_init()) == NULL || url == NULL)
		return kt_exchange_fail(x, "request", "libcurl could not be started");
	headers = build_headers(key);
	done = work(&t, url, host_of(x->arena, x->url), headers);
	for (struct curl_slist *each = headers; each != NULL; each = each->next)
		explicit_bzero(each->data, strlen(each->data));
	curl_slist_free_all(headers);
	curl_easy_cleanup(t.curl);
	kt_buf_free(&t.body);
	return done;
}

bool kt_http_complete(struct kt_exchange *x)
{
	double reserved;
	int slot = -1;
	bool done;

	if (longest(x) < 256)
		return kt_exchange_fail(x, "budget", "%lld tokens are left, the question alone takes about %lld",
		                        (long long)x->token_limit, (long long)kt_exchange_prompt_tokens(x));
	reserved = price(x, kt_exchange_prompt_tokens(x), longest(x));
	if (!kt_spend_enter(&slot, x))
		return false;
	done = kt_spend_reserve(x, reserved);
	if (done) {
		done = with_connection(x, try_all, "/chat/completions", x->stream);
		count_tokens(x, done);
		kt_spend_settle(x, reserved);
	}
	kt_spend_leave(slot);
	return done;
}

static bool list_models(struct transfer *t, const char *url, const char *host, struct curl_slist *headers)
{
	struct kt_exchange *x = t->x;
	struct kt_error ignored;
	const cJSON *item;
	cJSON *json = NULL;
	size_t count = 0;
	bool known = false;

	(void)attempt(t, url, host, headers, NULL);
	/* Endpoints without a list are endpoints. */
	if (t->status == 404 || t->status == 405) {
		kt_buf_addf(&x->text, "%s answers and lists no models", host);
		return true;
	}
	if (t->status != 200)
		return false;
	if (kt_json_parse(&json, kt_buf_text(&t->stream.body), t->stream.body.size, &ignored) == KT_OK)
		cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "data")) {
			const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "id"));

			known = known || (id != NULL && x->model != NULL && strcmp(id, x->model) == 0);
			count++;
		}
	cJSON_Delete(json);
	kt_stream_free(&t->stream);
	kt_buf_clear(&x->text);
	if (count > 0 && x->model != NULL && !known)
		return kt_exchange_fail(x, "model", "%s has %zu models, and %.100s is none of them", host, count, x->model);
	kt_buf_addf(&x->text, "%s answers%s%s", host, known ? " and has " : "", known ? x->model : "");
	return true;
}

bool kt_http_probe(struct kt_exchange *x)
{
	return with_connection(x, list_models, "/models", false);
}
