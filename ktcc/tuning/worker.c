#include "tuning/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/proc.h"

#define REPLY_BYTES ((size_t)1 << 20)

struct kt_worker {
	const struct kt_screening *screening;
	struct kt_pipe *pipe;
	bool greeted;
	size_t asked;
	double began_s;           /* the oldest question */
	enum kt_worker_end ended; /* BUSY: it lives */
};

kt_status kt_worker_start(struct kt_worker **out, const struct kt_screening *screening, struct kt_error *err)
{
	const int64_t bytes = screening->most_bytes > 0 ? screening->most_bytes : KT_WORKER_BYTES;
	char limit[32];
	const char *argv[] = {screening->program, screening->library, limit, NULL};
	struct kt_worker *worker = calloc(1, sizeof *worker);
	kt_status status;

	NEED(worker, kt_fail(err, KT_ERR_MEMORY, "out of memory for a compiler"));
	worker->screening = screening;
	snprintf(limit, sizeof limit, "%lld", (long long)bytes);
	status = kt_pipe_start(&worker->pipe, (char *const *)argv, err);
	if (status == KT_OK)
		*out = worker;
	else
		free(worker);
	return status;
}

kt_status kt_worker_ask(struct kt_worker *worker, const char *source, const char *cubin, const char *members,
			struct kt_error *err)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status;

	kt_buf_adds(&line, "{\"name\":\"k\",\"source\":");
	kt_buf_addjson(&line, source);
	kt_buf_adds(&line, ",\"cubin\":");
	kt_buf_addjson(&line, cubin);
	kt_buf_adds(&line, members);
	kt_buf_addc(&line, '}');
	status = kt_buf_check(&line, "a question to the compiler", err);
	THEN(status, kt_pipe_send(worker->pipe, kt_buf_text(&line), err));
	/* Counted also where the process is gone: the poll reports how it ended. */
	if (worker->asked++ == 0)
		worker->began_s = kt_now_s();
	kt_buf_free(&line);
	return status;
}

static enum kt_worker_end end_with(struct kt_worker *worker, enum kt_worker_end end, struct kt_buf *reply,
				   const char *text)
{
	worker->ended = end;
	kt_buf_clear(reply);
	kt_buf_adds(reply, text);
	return end;
}

/* {"nvrtc":"13.0"} */
static enum kt_worker_end greet(struct kt_worker *worker, struct kt_buf *line)
{
	const char *wanted = worker->screening->release;
	struct kt_error err;
	cJSON *hello = NULL;
	enum kt_worker_end end = KT_WORKER_BUSY;
	const char *version;

	if (kt_json_parse(&hello, kt_buf_text(line), line->size, &err) != KT_OK)
		return end_with(worker, KT_WORKER_UNUSABLE, line, "no greeting");
	version = kt_json_text(hello, "nvrtc");
	worker->greeted = true;
	if (version[0] == '\0') {
		end = end_with(worker, KT_WORKER_UNUSABLE, line, kt_json_text(hello, "error"));
	} else if (wanted != NULL && strcmp(version, wanted) != 0) {
		kt_fail(&err, KT_ERR_MISSING, "NVRTC is of release %.32s, nvcc of %.32s", version, wanted);
		end = end_with(worker, KT_WORKER_UNUSABLE, line, err.message);
	}
	cJSON_Delete(hello);
	return end;
}

static enum kt_worker_end read_reply(struct kt_worker *worker, struct kt_buf *line)
{
	struct kt_error err;
	cJSON *reply = NULL;
	enum kt_worker_end end;

	if (kt_json_parse(&reply, kt_buf_text(line), line->size, &err) != KT_OK)
		return end_with(worker, KT_WORKER_CRASHED, line, "an answer that is no JSON");
	if (cJSON_IsTrue(cJSON_GetObjectItem(reply, "ok")))
		end = KT_WORKER_OK;
	else if (cJSON_IsFalse(cJSON_GetObjectItem(reply, "ok")))
		end = KT_WORKER_REFUSED;
	else
		end = end_with(
		    worker, cJSON_IsTrue(cJSON_GetObjectItem(reply, "memory")) ? KT_WORKER_MEMORY : KT_WORKER_CRASHED,
		    line, kt_json_text(reply, "error"));
	cJSON_Delete(reply);
	worker->asked--;
	worker->began_s = kt_now_s();
	return end;
}

/* Of a process that is gone. One that never greeted will not do better the next time. */
static enum kt_worker_end end_of(const struct kt_worker *worker)
{
	if (kt_pipe_ended_by(worker->pipe) == SIGKILL)
		return KT_WORKER_KILLED;
	return worker->greeted ? KT_WORKER_CRASHED : KT_WORKER_UNUSABLE;
}

enum kt_worker_end kt_worker_poll(struct kt_buf *reply, struct kt_worker *worker)
{
	const double most_s = worker->screening->most_s > 0 ? worker->screening->most_s : KT_WORKER_SECONDS;

	if (worker->ended != KT_WORKER_BUSY)
		return worker->ended;
	if (worker->asked == 0)
		return KT_WORKER_BUSY;
	for (;;) {
		struct kt_error err;
		kt_status status = kt_pipe_receive(reply, worker->pipe, 0, &err);

		if (status == KT_OK && worker->greeted)
			return read_reply(worker, reply);
		if (status == KT_OK && greet(worker, reply) != KT_WORKER_BUSY)
			return worker->ended;
		if (status == KT_ERR_LIMIT && kt_now_s() - worker->began_s < most_s)
			return KT_WORKER_BUSY;
		if (status == KT_ERR_LIMIT) {
			kt_pipe_signal(worker->pipe);
			kt_fail(&err, KT_ERR_LIMIT, "the compiler took longer than %.3g s", most_s);
			return end_with(worker, KT_WORKER_HUNG, reply, err.message);
		}
		if (status != KT_OK)
			return end_with(worker, end_of(worker), reply, err.message);
	}
}

size_t kt_worker_asked(const struct kt_worker *worker)
{
	return worker != NULL ? worker->asked : 0;
}

int kt_worker_fd(const struct kt_worker *worker)
{
	return worker != NULL && worker->asked > 0 ? kt_pipe_fd(worker->pipe) : -1;
}

void kt_worker_close(struct kt_worker *worker)
{
	if (worker == NULL)
		return;
	if (worker->asked > 0)
		kt_pipe_signal(worker->pipe);
	kt_pipe_close(worker->pipe);
	free(worker);
}
