#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "device.h"
#include "headers.h"
#include "rewrite.h"
#include "specialise.h"

/* The first request that needs the file parses it; later requests use the result. */
struct session {
	struct kt_scan scan;
	kt_status scanned; /* KT_OK with is_scanned: the scan is there */
	struct kt_error why;
	bool is_scanned;
	struct kt_checks *checks; /* NULL: nothing was checked yet */
	struct kt_specialise *specialise; /* NULL: nothing was lowered yet */
};

static kt_status open_scan(struct session *s, struct kt_error *err)
{
	if (!s->is_scanned) {
		s->is_scanned = true;
		s->scanned = kt_scan_all(&s->scan, &s->why);
	}
	if (s->scanned != KT_OK)
		*err = s->why;
	return s->scanned;
}

static kt_status print(struct kt_buf *line, cJSON *json, struct kt_error *err)
{
	NEED(json, kt_no_memory(err));
	kt_json_print(line, json);
	cJSON_Delete(json);
	return kt_buf_check(line, "an answer", err);
}

static kt_status answer_scan(struct kt_buf *line, struct session *s, const cJSON *request, const struct kt_buf *text,
                             struct kt_error *err)
{
	kt_status status = open_scan(s, err);

	(void)request;
	(void)text;
	return status == KT_OK ? print(line, kt_scan_json(&s->scan), err) : status;
}

static kt_status answer_rewrite(struct kt_buf *line, struct session *s, const cJSON *request,
                                const struct kt_buf *text, struct kt_error *err)
{
	kt_status status = open_scan(s, err);
	cJSON *json = NULL;

	(void)request;
	(void)text;
	if (status == KT_OK && (json = kt_rewrite(&s->scan, NULL, err)) == NULL)
		return err->code != KT_OK ? err->code : kt_no_memory(err);
	return status == KT_OK ? print(line, json, err) : status;
}

/* Lowers the kernels by the first request that needs it. */
static kt_status open_specialise(struct session *s, struct kt_error *err)
{
	kt_status status = open_scan(s, err);

	return status == KT_OK && s->specialise == NULL ? kt_specialise_open(&s->specialise, &s->scan, err) : status;
}

static kt_status answer_generate(struct kt_buf *line, struct session *s, const cJSON *request,
                                 const struct kt_buf *text, struct kt_error *err)
{
	kt_status status = open_specialise(s, err);

	(void)request;
	(void)text;
	return status == KT_OK ? print(line, kt_specialise_templates(s->specialise), err) : status;
}

static kt_status answer_specialise(struct kt_buf *line, struct session *s, const cJSON *request,
                                   const struct kt_buf *text, struct kt_error *err)
{
	kt_status status = open_specialise(s, err);
	cJSON *json = NULL;

	(void)text;
	THEN(status, kt_specialise_text(&json, s->specialise, request, err));
	return status == KT_OK ? print(line, json, err) : status;
}

static kt_status answer_check(struct kt_buf *line, struct session *s, const cJSON *request, const struct kt_buf *text,
                              struct kt_error *err)
{
	if (s->checks == NULL) {
		TRY(kt_clang_load(&s->scan.version, &s->scan.major, s->scan.arena, err));
		if ((s->checks = kt_checks_open(&s->scan.options)) == NULL)
			return kt_no_memory(err);
	}
	kt_checks_answer(line, s->checks, request, text);
	return kt_buf_check(line, "a verdict", err);
}

static kt_status answer_device(struct kt_buf *line, struct session *s, const cJSON *request, const struct kt_buf *text,
                               struct kt_error *err)
{
	kt_status status = open_scan(s, err);
	cJSON *json = NULL;

	(void)text;
	THEN(status, kt_device_answer(&json, &s->scan, request, err));
	return status == KT_OK ? print(line, json, err) : status;
}

static const struct {
	const char *verb;
	kt_status (*answer)(struct kt_buf *line, struct session *s, const cJSON *request, const struct kt_buf *text,
	                    struct kt_error *err);
} verbs[] = {{"scan", answer_scan}, {"rewrite", answer_rewrite}, {"generate", answer_generate},
           {"specialise", answer_specialise}, {"check", answer_check}, {"device", answer_device}};

static kt_status answer(struct kt_buf *line, struct session *s, const struct kt_buf *text, struct kt_error *err)
{
	cJSON *request = NULL;
	kt_status status = kt_buf_check(text, "a request", err);
	const char *verb = NULL;

	THEN(status, kt_json_parse(&request, kt_buf_text(text), text->size, err));
	if (status == KT_OK)
		verb = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "verb"));
	THEN(status, kt_fail(err, KT_ERR_INVALID, "'%.40s' is no request", verb != NULL ? verb : ""));
	for (size_t i = 0; verb != NULL && i < sizeof verbs / sizeof *verbs; i++)
		if (strcmp(verbs[i].verb, verb) == 0)
			status = verbs[i].answer(line, s, request, text, err);
	cJSON_Delete(request);
	return status;
}

/* `{"failed":"why","missing":true}`: missing, where there is no libclang. */
static void add_failure(struct kt_buf *line, const struct kt_error *err)
{
	cJSON *json = cJSON_CreateObject();

	kt_buf_clear(line);
	(void)cJSON_AddStringToObject(json, "failed", err->message);
	(void)cJSON_AddBoolToObject(json, "missing", err->code == KT_ERR_MISSING);
	kt_json_print(line, json);
	cJSON_Delete(json);
}

static bool serve_line(struct session *s, const char *text, size_t size)
{
	struct kt_buf request = KT_BUF(KT_LIMIT_MESSAGE_BYTES), line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err = {.code = KT_OK};
	bool said;

	kt_buf_add(&request, text, size);
	if (answer(&line, s, &request, &err) != KT_OK)
		add_failure(&line, &err);
	kt_buf_addc(&line, '\n');
	said = !line.failed && fwrite(line.data, 1, line.size, stdout) == line.size && fflush(stdout) == 0;
	kt_buf_free(&request);
	kt_buf_free(&line);
	return said;
}

int kt_serve(const struct kt_scan_options *options)
{
	struct session s = {.scan = {.options = *options, .diagnostics = KT_BUF(KT_LIMIT_OUTPUT_BYTES),
	                             .flat_text = KT_BUF(KT_LIMIT_SOURCE_BYTES)}};
	char *text = NULL;
	size_t capacity = 0;
	ssize_t size;
	bool alive = true;

	if (options->directory != NULL && chdir(options->directory) != 0) {
		fprintf(stderr, "ktcc-clang: %s: no such directory\n", options->directory);
		return 1;
	}
	NEED(s.scan.arena = kt_arena_new(KT_ARENA_REGION_BYTES * 8), 1);
	while (alive && (size = getline(&text, &capacity, stdin)) > 0)
		alive = serve_line(&s, text, (size_t)size);
	free(text);
	kt_checks_close(s.checks);
	kt_headers_close(&s.scan);
	/* The process that waits for this one waits for its end alone: all memory is freed with the process. */
	_exit(alive ? 0 : 1);
}
