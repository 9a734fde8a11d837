/* The runner as a process: its command line, its requests and replies, and another one when it ends. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "testing/cases.h"
#include "testing/internal.h"

#define RUNNER "libexec/ktcc/ktcc-runner"
#define SPARES (sizeof((struct kt_tester *)0)->spares / sizeof(struct kt_spare))

/* The limit of a try grows by itself once for each group of this number of problems. */
static const double problems_per_limit = 8;
/* Between two looks at what else there is to do. */
static const double meanwhile_s = 0.02;
/* Somebody else's measurement on this device is waited for, in limits of a try. */
static const double lock_limits = 6;

/* One that ends takes its time with the driver: the next one need not wait for it. */
static void let_go(struct kt_tester *t, struct kt_pipe *pipe)
{
	const size_t most = sizeof t->leaving / sizeof *t->leaving;

	if (pipe == NULL)
		return;
	kt_pipe_signal(pipe);
	kt_pipe_close(t->leaving[t->left % most]);
	t->leaving[t->left++ % most] = pipe;
}

void kt_child_stop(struct kt_tester *t)
{
	let_go(t, t->pipe);
	t->pipe = NULL;
	t->launch_ns = 0;
	t->prepared = t->supported = t->holds_largest = t->holds_shapes = false;
}

/* A reply with "error": the message is the runner's. */
static kt_status reply_error(const cJSON *reply, struct kt_error *err)
{
	static const struct {
		const char *name;
		kt_status status;
	} codes[] = {{"memory", KT_ERR_MEMORY}, {"io", KT_ERR_IO}, {"missing", KT_ERR_MISSING},
	             {"invalid", KT_ERR_INVALID}, {"limit", KT_ERR_LIMIT}};
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(reply, "error");
	const cJSON *code = cJSON_GetObjectItemCaseSensitive(reply, "code");
	if (!text)
		return KT_OK;
	const char *message = cJSON_IsString(text) ? text->valuestring : "an error without a message";
	for (size_t i = 0; cJSON_IsString(code) && i < sizeof codes / sizeof *codes; i++) {
		if (strcmp(codes[i].name, code->valuestring) == 0)
			return kt_fail(err, codes[i].status, "%s", message);
	}
	return kt_fail(err, KT_ERR_CHILD, "%s", message);
}

/* What the user should hear, once. */
static void say_warnings(struct kt_tester *t, const cJSON *reply)
{
	const cJSON *warning = NULL;
	cJSON_ArrayForEach(warning, cJSON_GetObjectItemCaseSensitive(reply, "warnings"))
	{
		if (!cJSON_IsString(warning))
			continue;
		kt_log("ktcc-runner: %s", warning->valuestring);
		if (!t->warned)
			kt_say("%s", warning->valuestring);
		t->warned = true;
	}
}

void kt_child_close(struct kt_tester *t)
{
	kt_pipe_close(t->pipe);
	for (size_t i = 0; i < SPARES; i++)
		kt_pipe_close(t->spares[i].pipe);
	for (size_t i = 0; i < sizeof t->leaving / sizeof *t->leaving; i++)
		kt_pipe_close(t->leaving[i]);
}

/* A line as JSON. */
static kt_status parse(cJSON **json, const struct kt_buf *text, struct kt_error *err)
{
	*json = NULL;
	if (kt_json_parse(json, kt_buf_text(text), text->size, err) || !cJSON_IsObject(*json))
		return kt_fail(err, KT_ERR_CHILD, "ktcc-runner answered with something that is no reply");
	return KT_OK;
}

/* Waits for a line, and lets the caller's other work go on. */
static kt_status await(struct kt_buf *text, struct kt_tester *t, double limit_s, struct kt_error *err)
{
	const double until_s = kt_now_s() + limit_s;
	kt_status status = KT_ERR_LIMIT;
	/* Most replies come before the first look: what else there is to do is done while the runner works. */
	if (t->meanwhile)
		t->meanwhile(t->meanwhile_state);
	while (t->meanwhile && status == KT_ERR_LIMIT && kt_now_s() + meanwhile_s < until_s) {
		status = kt_pipe_receive(text, t->pipe, meanwhile_s, err);
		t->meanwhile(t->meanwhile_state);
	}
	if (status == KT_ERR_LIMIT)
		status = kt_pipe_receive(text, t->pipe, fmax(until_s - kt_now_s(), 0.001), err);
	return status == KT_ERR_LIMIT ? kt_fail(err, KT_ERR_LIMIT, "no reply within %.1f s", limit_s) : status;
}

const char *kt_spent_name(enum kt_spent spent)
{
	static const char *const names[KT_SPENT] = {[KT_SPENT_PREPARE] = "prepare", [KT_SPENT_LOAD] = "load",
	                                            [KT_SPENT_VERIFY] = "verify",
	                                            [KT_SPENT_TIME] = "time", [KT_SPENT_DEVICE] = "device",
	                                            [KT_SPENT_COMPILE] = "compile"};

	return names[spent];
}

static void note_spent(struct kt_tester *t, const cJSON *reply)
{
	const cJSON *spent = cJSON_GetObjectItemCaseSensitive(reply, "spent_s");

	for (int i = 0; i < KT_SPENT; i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(spent, kt_spent_name((enum kt_spent)i));

		if (cJSON_IsNumber(item) && item->valuedouble >= 0)
			t->spent_s[i] += item->valuedouble;
	}
}

/* The reply to what was sent at sent_s: see kt_child_exchange. `sent` is the status of sending it. */
static kt_status receive(cJSON **reply, bool *answered, struct kt_tester *t, kt_status sent, double sent_s,
                         double limit_s, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	/* The runner works on one request at a time. */
	const double start = fmax(sent_s, t->answered_s);
	cJSON *json = NULL;
	*answered = false;
	t->blamed = -1;
	t->by_host = false;
	kt_status status = sent ? sent : await(&text, t, limit_s, err);
	if (status || (status = parse(&json, &text, err))) {
		kt_child_stop(t);
	} else {
		const cJSON *fatal = cJSON_GetObjectItemCaseSensitive(json, "fatal");
		const cJSON *launch = cJSON_GetObjectItemCaseSensitive(json, "launch_ns");
		struct kt_error ignored;
		if (cJSON_IsNumber(launch))
			t->launch_ns = launch->valuedouble;
		note_spent(t, json);
		*answered = true;
		say_warnings(t, json);
		status = reply_error(json, err);
		if (status && kt_json_int_or(&t->blamed, json, "problem", -1, &ignored))
			t->blamed = -1;
		t->by_host = status && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "by_host"));
		if (cJSON_IsTrue(fatal))
			kt_child_stop(t);
	}
	if (status)
		cJSON_Delete(json);
	else
		*reply = json;
	t->answered_s = kt_now_s();
	t->busy_s += t->answered_s - start;
	kt_buf_free(&text);
	return status;
}

kt_status kt_child_exchange(cJSON **reply, bool *answered, struct kt_tester *t, const char *line, double limit_s,
                            struct kt_error *err)
{
	const double begin_s = kt_now_s();
	return receive(reply, answered, t, kt_pipe_send(t->pipe, line, err), begin_s, limit_s, err);
}

static const char hello_line[] = "{\"request\":\"hello\",\"protocol\":1}";

static kt_status hello(struct kt_tester *t, kt_status sent, struct kt_error *err)
{
	cJSON *reply = NULL;
	const cJSON *device = NULL;
	bool answered = false;
	kt_status status = receive(&reply, &answered, t, sent, kt_now_s(), 3 * t->try_s, err);
	if (status)
		return status;
	status = kt_json_bool_or(&t->wants_support, reply, "wants_support", false, err);
	THEN(status, kt_json_bool_or(&t->measures_energy, reply, "measures_energy", false, err));
	THEN(status, kt_json_object_or(&device, reply, "device", err));
	if (!status && !device)
		status = kt_fail(err, KT_ERR_CHILD, "ktcc-runner named no device");
	if (!status && !t->device.name)
		status = kt_device_read(&t->device, t->arena, device, err);
	cJSON_Delete(reply);
	return status;
}

kt_status kt_child_start(struct kt_tester *t, struct kt_error *err)
{
	kt_status status = kt_pipe_start(&t->pipe, t->argv, err);
	if (status)
		return status;
	t->starts++;
	status = hello(t, kt_pipe_send(t->pipe, hello_line, err), err);
	if (status)
		kt_child_stop(t);
	return status;
}

static kt_status send_support(struct kt_pipe *pipe, const struct kt_tester *t, struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_buf_adds(&line, "{\"request\":\"support\",\"cubin\":");
	kt_buf_addjson(&line, t->support);
	kt_buf_addc(&line, '}');
	kt_status status = kt_buf_check(&line, "a request", err);
	THEN(status, kt_pipe_send(pipe, kt_buf_text(&line), err));
	kt_buf_free(&line);
	return status;
}

static kt_status support(struct kt_tester *t, kt_status sent, struct kt_error *err)
{
	bool answered = false;
	cJSON *reply = NULL;
	kt_status status = receive(&reply, &answered, t, sent, kt_now_s(), 3 * t->try_s, err);
	cJSON_Delete(reply);
	t->supported = !status;
	return status;
}

/*
 * Where one runner has ended others may: they open the device while this one
 * works, which takes longer than it is from one bad candidate to the next.
 * Nothing of them runs on the device until they have the region.
 */
static void keep_spares(struct kt_tester *t)
{
	struct kt_error ignored;
	for (size_t i = 0; i < SPARES && t->starts >= 2 && !t->replays; i++) {
		struct kt_spare *spare = &t->spares[i];
		if (spare->pipe || kt_pipe_start(&spare->pipe, t->argv, &ignored))
			continue;
		(void)!kt_pipe_send(spare->pipe, hello_line, &ignored);
		spare->supports = t->support && !send_support(spare->pipe, t, &ignored);
	}
}

/* The first spare in the place of one that ended; one that came to nothing is none. */
static kt_status take_spare(struct kt_tester *t, struct kt_error *err)
{
	const struct kt_spare first = t->spares[0];
	memmove(&t->spares[0], &t->spares[1], (SPARES - 1) * sizeof first);
	t->spares[SPARES - 1] = (struct kt_spare){NULL, false};
	t->pipe = first.pipe;
	t->starts++;
	kt_status status = hello(t, KT_OK, err);
	if (!status && first.supports)
		status = support(t, KT_OK, err);
	if (status && t->pipe)
		kt_child_stop(t);
	return status;
}

size_t kt_child_companions(const struct kt_tester *t)
{
	const size_t most = sizeof t->leaving / sizeof *t->leaving;
	size_t spares = 0;
	for (size_t i = 0; i < SPARES; i++)
		spares += t->spares[i].pipe != NULL;
	return t->companions + spares + (t->left < most ? t->left : most);
}

double kt_child_limit(const struct kt_tester *t, size_t problems)
{
	return t->try_s * (1 + (double)problems / problems_per_limit);
}

/* From here until kt_child_release no other process measures on the device. */
static kt_status take_device(struct kt_tester *t, struct kt_error *err)
{
	const double asked_s = kt_now_s();
	if (!t->lock || t->holds_device)
		return KT_OK;
	kt_status status = kt_device_lock_take(t->lock, lock_limits * t->try_s, err);
	t->waited_s += kt_now_s() - asked_s;
	t->holds_device = !status;
	return status;
}

void kt_child_release(struct kt_tester *t)
{
	if (t->holds_device)
		kt_device_lock_release(t->lock);
	t->holds_device = false;
}

/* The device is this process's alone meanwhile. */
static kt_status exchange_locked(cJSON **reply, bool *answered, struct kt_tester *t, const char *line, double limit_s,
                                 struct kt_error *err)
{
	*answered = false;
	kt_status status = take_device(t, err);
	if (status)
		return status;
	status = kt_child_exchange(reply, answered, t, line, limit_s, err);
	kt_child_release(t);
	return status;
}

kt_status kt_child_ask(struct kt_attempt *attempt, struct kt_tester *t, const cJSON *request, bool behind,
                       struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_json_print(&line, request);
	kt_status status = kt_buf_check(&line, "a request", err);
	/* A runner at work does not read: what its pipe has no room for is sent when it has answered. */
	const bool waits = !status && behind && line.size + 1 > kt_pipe_room(t->pipe) / 2;
	if (!status && !waits)
		status = take_device(t, err);
	if (!status && !waits) {
		attempt->sent = true;
		attempt->sent_s = kt_now_s();
		attempt->sending = kt_pipe_send(t->pipe, kt_buf_text(&line), err);
	}
	kt_buf_free(&line);
	return status;
}

kt_status kt_child_answer(cJSON **reply, bool *answered, struct kt_tester *t, const struct kt_attempt *attempt,
                          struct kt_error *err)
{
	return receive(reply, answered, t, attempt->sending, attempt->sent_s, attempt->limit_s, err);
}

kt_status kt_child_measure(cJSON **reply, bool *answered, struct kt_tester *t, const cJSON *request, double limit_s,
                           struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	*answered = false;
	kt_json_print(&line, request);
	kt_status status = kt_buf_check(&line, "a request", err);
	THEN(status, exchange_locked(reply, answered, t, kt_buf_text(&line), limit_s, err));
	kt_buf_free(&line);
	return status;
}

kt_status kt_child_region(cJSON **reply, struct kt_tester *t, size_t count, struct kt_error *err)
{
	const double limit_s = 2 * kt_child_limit(t, count);
	const struct kt_rows rows = {t->rows.checks, count, t->rows.timed};
	cJSON *request = NULL;
	bool answered = false;
	kt_status status;
	t->holds_largest = t->holds_shapes = false;
	t->held = count;
	if (count == t->rows.count)
		return exchange_locked(reply, &answered, t, kt_buf_text(&t->region), limit_s, err);
	status = kt_request_region(&request, &t->subject, &rows, t->cubin, t->function, t->host, t->try_s / 2, err);
	THEN(status, kt_child_measure(reply, &answered, t, request, limit_s, err));
	cJSON_Delete(request);
	return status;
}

kt_status kt_child_ready(struct kt_tester *t, size_t rows, struct kt_error *err)
{
	const size_t quick = t->rows.timed + KT_CHECKS_FIRST, least = rows > quick ? rows : quick;
	const double start_s = kt_now_s();
	const bool again = !t->pipe && t->starts;
	kt_status status = KT_OK;
	if (!t->pipe && t->spares[0].pipe && take_spare(t, err))
		kt_log("the spare ktcc-runner: %s", err->message);
	if (!t->pipe)
		status = kt_child_start(t, err);
	const double started_s = kt_now_s();
	if (!status && !t->supported && t->support)
		status = support(t, send_support(t->pipe, t, err), err);
	if (!status)
		keep_spares(t);
	if (!status && t->region.size && (!t->prepared || t->held < (rows < t->rows.count ? rows : t->rows.count))) {
		cJSON *reply = NULL;
		status = kt_child_region(&reply, t, least < t->rows.count ? least : t->rows.count, err);
		cJSON_Delete(reply);
		t->prepared = !status;
	}
	if (!status && again)
		kt_log("ktcc-runner is back: %.3f s for another, %.3f s for the region", started_s - start_s,
		       kt_now_s() - started_s);
	return status;
}

static kt_status add_words(char **argv, size_t *count, size_t room, struct kt_arena *arena, const char *text,
                           struct kt_error *err)
{
	char *words = kt_arena_strdup(arena, text), *rest = NULL;
	NEED(words, kt_no_memory(err));
	for (char *word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (*count + 1 >= room)
			return kt_fail(err, KT_ERR_LIMIT, "the runner's launcher has more than %zu words", room);
		argv[(*count)++] = word;
	}
	return KT_OK;
}

kt_status kt_child_arguments(char **argv, size_t room, struct kt_arena *arena, const struct kt_config *config,
                             const char *const *front, const char *option, struct kt_error *err)
{
	const char *words[8], *file = config->replay ? config->replay : config->record;
	size_t count = 0, used = 0;
	kt_status status = KT_OK;
	words[used++] = kt_install_path(arena, RUNNER);
	NEED(words[0], kt_no_memory(err));
	if (!kt_fs_is_file(words[0]))
		return kt_fail(err, KT_ERR_MISSING, "%s is not there", words[0]);
	if (config->backend && !config->replay) {
		words[used++] = "--backend";
		words[used++] = config->backend;
	}
	/* What a tool watches is no measurement. */
	if (file && !option) {
		words[used++] = config->replay ? "--replay" : "--record";
		words[used++] = file;
	}
	if (option)
		words[used++] = option;
	if (config->runner_launcher)
		status = add_words(argv, &count, room - sizeof words / sizeof *words, arena, config->runner_launcher, err);
	for (; !status && front && *front; front++) {
		if (count + used + 1 >= room)
			return kt_fail(err, KT_ERR_LIMIT, "the runner's command line has more than %zu words", room);
		argv[count] = kt_arena_strdup(arena, *front);
		status = argv[count++] ? KT_OK : kt_no_memory(err);
	}
	for (size_t i = 0; !status && i < used; i++) {
		argv[count] = kt_arena_strdup(arena, words[i]);
		status = argv[count++] ? KT_OK : kt_no_memory(err);
	}
	argv[count] = NULL;
	return status;
}
