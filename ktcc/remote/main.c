/*
 * ktcc-remote: the only part of ktcc that speaks to a team's server. One JSON
 * line in, one out: docs/protocol.md. It keeps its connections for the life of
 * one compile command and ends with its standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/url.h"
#include "remote/token.h"
#include "remote/transfer.h"

static const struct {
	const char *name;
	enum kt_transfer_verb verb;
} verbs[] = {{"get", KT_TRANSFER_GET}, {"head", KT_TRANSFER_HEAD}, {"put", KT_TRANSFER_PUT}};

/* Absent and null are NULL; anything but a string as well. */
static const char *text_of(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static kt_status open_server(struct kt_server **server, const cJSON *request, struct kt_error *err)
{
	struct kt_buf token = KT_BUF(KT_TOKEN_BYTES);
	const char *base = text_of(request, "base");
	kt_status status = KT_OK;
	if (base == NULL || !kt_url_may_go(base))
		return kt_fail(err, KT_ERR_INVALID, "no https address, and no http address of this machine");
	status = kt_token_read(&token, text_of(request, "token_file"), text_of(request, "token_command"), err);
	kt_server_close(*server);
	*server = NULL;
	THEN(status, kt_server_open(server, base, token.size != 0 ? kt_buf_text(&token) : NULL,
	                            text_of(request, "ca"), err));
	if (token.size != 0)
		explicit_bzero(token.data, token.size);
	kt_buf_free(&token);
	return status;
}

static kt_status read_items(struct kt_transfer *transfers, size_t *count, const cJSON *request, struct kt_error *err)
{
	const cJSON *item;
	*count = 0;
	cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(request, "items")) {
		struct kt_transfer *transfer = &transfers[*count];
		if (*count == KT_TRANSFER_MOST)
			return kt_fail(err, KT_ERR_LIMIT, "more than %d items", KT_TRANSFER_MOST);
		transfer->name = text_of(item, "name");
		transfer->body = text_of(item, "body");
		transfer->body_size = transfer->body != NULL ? strlen(transfer->body) : 0;
		if (transfer->name == NULL || transfer->body_size > KT_TRANSFER_BODY_BYTES)
			return kt_fail(err, KT_ERR_INVALID, "an item without a name, or with too long a body");
		*count += 1;
	}
	return KT_OK;
}

static void add_result(struct kt_buf *out, const struct kt_transfer *transfer)
{
	const char *error = transfer->error;
	bool body = error == NULL && transfer->status == 200 && transfer->text.size != 0;
	if (body && strlen(kt_buf_text(&transfer->text)) != transfer->text.size)
		error = "no text";
	kt_buf_adds(out, "{\"name\":");
	kt_buf_addjson(out, transfer->name);
	kt_buf_addf(out, ",\"status\":%ld", transfer->status);
	if (error != NULL) {
		kt_buf_adds(out, ",\"error\":");
		kt_buf_addjson(out, error);
	} else if (body) {
		kt_buf_adds(out, ",\"body\":");
		kt_buf_addjson(out, kt_buf_text(&transfer->text));
	}
	kt_buf_addc(out, '}');
}

static kt_status transfer(struct kt_buf *out, struct kt_server *server, enum kt_transfer_verb verb,
                          const cJSON *request, struct kt_error *err)
{
	struct kt_transfer transfers[KT_TRANSFER_MOST];
	int64_t limit_ms = 0;
	size_t count = 0;
	memset(transfers, 0, sizeof transfers);
	if (server == NULL)
		return kt_fail(err, KT_ERR_INVALID, "\"open\" comes first");
	kt_status status = kt_json_int(&limit_ms, request, "limit_ms", err);
	if (status == KT_OK && (limit_ms < 1 || limit_ms > 60000))
		status = kt_fail(err, KT_ERR_INVALID, "limit_ms: 1 to 60000 are allowed");
	THEN(status, read_items(transfers, &count, request, err));
	THEN(status, kt_server_run(server, verb, transfers, count, (long)limit_ms, err));
	if (status == KT_OK) {
		kt_buf_adds(out, "{\"results\":[");
		for (size_t i = 0; i < count; i++) {
			if (i > 0)
				kt_buf_addc(out, ',');
			add_result(out, &transfers[i]);
		}
		kt_buf_adds(out, "]}");
	}
	for (size_t i = 0; i < count; i++)
		kt_buf_free(&transfers[i].text);
	return status;
}

static kt_status answer(struct kt_buf *out, struct kt_server **server, const char *line, size_t size,
                        struct kt_error *err)
{
	cJSON *request = NULL;
	kt_status status = kt_json_parse(&request, line, size, err);
	if (status != KT_OK)
		return status;
	const char *name = text_of(request, "request");
	status = kt_fail(err, KT_ERR_INVALID, "an unknown request");
	if (name != NULL && strcmp(name, "open") == 0) {
		status = open_server(server, request, err);
		if (status == KT_OK)
			kt_buf_adds(out, "{\"open\":true}");
	}
	for (size_t i = 0; name != NULL && i < sizeof verbs / sizeof *verbs; i++)
		if (strcmp(name, verbs[i].name) == 0)
			status = transfer(out, *server, verbs[i].verb, request, err);
	cJSON_Delete(request);
	return status == KT_OK ? kt_buf_check(out, "an answer", err) : status;
}

int main(void)
{
	struct kt_server *server = NULL;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t size;
	while ((size = getline(&line, &capacity, stdin)) > 0 && (size_t)size <= KT_LIMIT_MESSAGE_BYTES) {
		struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
		struct kt_error err;
		if (answer(&out, &server, line, (size_t)size, &err) != KT_OK) {
			kt_buf_clear(&out);
			kt_buf_adds(&out, "{\"error\":");
			kt_buf_addjson(&out, err.message);
			kt_buf_addc(&out, '}');
		}
		puts(kt_buf_text(&out));
		kt_buf_free(&out);
		if (fflush(stdout) != 0)
			break;
	}
	free(line);
	kt_server_close(server);
	return 0;
}
