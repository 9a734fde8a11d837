#include "generation/clang.h"

#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/json.h"
#include "base/proc.h"

enum { ADDED_ARGUMENTS = 16 };

struct kt_clang_client {
	struct kt_arena *arena;
	char **argv;
	struct kt_pipe *pipe; /* NULL: no process */
	bool resting;         /* its input has ended */
};

/* `ktcc-clang serve …`; NULL when out of memory. */
static char **command(struct kt_arena *arena, const struct kt_clang_options *o)
{
	const char *const options[][2] = {
	    {"--file", o->file},
	    {"--directory", o->directory},
	    {"--toolkit", o->toolkit},
	    {"--arch", o->arch != 0 ? kt_arena_printf(arena, "%lld", (long long)o->arch) : NULL},
	    {"--cache", o->cache},
	};
	size_t count = 0, used = 0;
	char **argv;

	while (o->arguments != NULL && o->arguments[count] != NULL)
		count++;
	NEED(argv = kt_arena_array(arena, count + ADDED_ARGUMENTS, sizeof *argv), NULL);
	argv[used++] = kt_install_path(arena, "libexec/ktcc/ktcc-clang");
	argv[used++] = kt_arena_strdup(arena, "serve");
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		for (size_t k = 0; k < 2 && options[i][1] != NULL; k++)
			argv[used++] = kt_arena_strdup(arena, options[i][k]);
	argv[used++] = kt_arena_strdup(arena, "--");
	for (size_t i = 0; i < count; i++)
		argv[used++] = kt_arena_strdup(arena, o->arguments[i]);
	for (size_t i = 0; i < used; i++)
		if (argv[i] == NULL)
			return NULL;
	return argv;
}

kt_status kt_clang_open(struct kt_clang_client **out, const struct kt_clang_options *options, struct kt_error *err)
{
	struct kt_clang_client *client = calloc(1, sizeof *client);

	if (client != NULL && (client->arena = kt_arena_new(KT_ARENA_REGION_BYTES)) != NULL)
		client->argv = command(client->arena, options);
	if (client == NULL || client->argv == NULL) {
		kt_clang_close(client);
		return kt_fail(err, KT_ERR_MEMORY, "ktcc-clang: out of memory");
	}
	*out = client;
	return KT_OK;
}

static void end(struct kt_clang_client *client)
{
	kt_pipe_close(client->pipe);
	client->pipe = NULL;
	client->resting = false;
}

void kt_clang_close(struct kt_clang_client *client)
{
	if (client == NULL)
		return;
	end(client);
	kt_arena_free(client->arena);
	free(client);
}

void kt_clang_rest(struct kt_clang_client *client)
{
	if (client == NULL || client->pipe == NULL)
		return;
	kt_pipe_end(client->pipe);
	client->resting = true;
}

/* A fatal error is reported with the request's name, and ends the process before the next request. */
static kt_status fail(struct kt_clang_client *client, const char *what, kt_status status, struct kt_error *err)
{
	const struct kt_error why = *err;

	if (status == KT_ERR_LIMIT)
		kt_pipe_signal(client->pipe);
	end(client);
	return kt_fail(err, status, "ktcc-clang %s: %.400s", what, why.message);
}

kt_status kt_clang_send(struct kt_clang_client *client, const char *what, const char *request, struct kt_error *err)
{
	kt_status status = KT_OK;

	if (client->resting)
		end(client);
	if (client->pipe == NULL)
		status = kt_pipe_start(&client->pipe, client->argv, err);
	if (status != KT_OK)
		return status;
	status = kt_pipe_send(client->pipe, request, err);
	/* Why it is gone, only its exit code tells. */
	if (status == KT_ERR_CHILD) {
		struct kt_buf nothing = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

		status = kt_pipe_receive(&nothing, client->pipe, 1, err);
		THEN(status, kt_fail(err, KT_ERR_CHILD, "it does not read"));
		kt_buf_free(&nothing);
	}
	return status == KT_OK ? KT_OK : fail(client, what, status, err);
}

/* `{"failed":"why","missing":false}` */
static kt_status read_failure(const struct kt_buf *line, const char *what, struct kt_error *err)
{
	static const char begin[] = "{\"failed\":";
	cJSON *json = NULL;
	kt_status status = KT_OK;

	if (line->size < sizeof begin || strncmp(kt_buf_text(line), begin, sizeof begin - 1) != 0)
		return KT_OK;
	status = kt_json_parse(&json, kt_buf_text(line), line->size, err);
	if (status == KT_OK) {
		const char *why = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "failed"));
		const bool missing = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "missing"));

		status = kt_fail(err, missing ? KT_ERR_MISSING : KT_ERR_CHILD, "ktcc-clang %s: %.400s", what,
		                 why != NULL ? why : "it failed");
	}
	cJSON_Delete(json);
	return status;
}

kt_status kt_clang_receive(struct kt_buf *answer, struct kt_clang_client *client, const char *what, double limit_s,
                           struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status;

	if (client->pipe == NULL)
		return kt_fail(err, KT_ERR_CHILD, "ktcc-clang %s: nothing was asked", what);
	status = kt_pipe_receive(&line, client->pipe, limit_s, err);
	if (status != KT_OK) {
		kt_buf_free(&line);
		return fail(client, what, status, err);
	}
	status = read_failure(&line, what, err);
	if (status == KT_OK) {
		kt_buf_add(answer, kt_buf_text(&line), line.size);
		status = kt_buf_check(answer, "an answer of ktcc-clang", err);
	}
	kt_buf_free(&line);
	return status;
}

kt_status kt_clang_ask(struct kt_buf *answer, struct kt_clang_client *client, const char *what, const char *request,
                       double limit_s, struct kt_error *err)
{
	TRY(kt_clang_send(client, what, request, err));
	return kt_clang_receive(answer, client, what, limit_s, err);
}
