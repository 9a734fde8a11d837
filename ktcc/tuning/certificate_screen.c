/* The unit of a certificate, compiled by NVRTC, which has no headers of the host to read. */
#include "base/fs.h"
#include "base/json.h"
#include "base/proc.h"
#include "tuning/batch_internal.h"
#include "tuning/certificate_parts.h"
#include "tuning/unit.h"
#include "tuning/worker.h"

enum { REPLY_BYTES = 1 << 20 };
static const double poll_s = 0.05;

static enum kt_worker_end wait_for(struct kt_buf *reply, struct kt_worker *worker)
{
	enum kt_worker_end end;

	while ((end = kt_worker_poll(reply, worker)) == KT_WORKER_BUSY) {
		const int fd = kt_worker_fd(worker);

		(void)kt_wait_readable(&fd, 1, poll_s);
	}
	return end;
}

/* The error for a unit that the process does not compile. */
static kt_status refuse(enum kt_worker_end end, const struct kt_buf *reply, struct kt_error *err)
{
	cJSON *answer = NULL;
	kt_status status = KT_OK;

	if (end == KT_WORKER_REFUSED)
		status = kt_json_parse(&answer, kt_buf_text(reply), reply->size, err);
	THEN(status, kt_fail(err, KT_ERR_CHILD, "NVRTC: %.300s",
	                     answer != NULL ? kt_json_text(answer, "log") : kt_buf_text(reply)));
	cJSON_Delete(answer);
	return status;
}

static kt_status compile(struct kt_batch *batch, const char *source, const char *output, struct kt_error *err)
{
	const char *members = kt_arena_printf(batch->arena, "%s],\"learns\":true,\"ptx\":true", kt_buf_text(&batch->members));
	struct kt_buf reply = KT_BUF(REPLY_BYTES);
	struct kt_worker *worker = NULL;
	kt_status status = members != NULL ? kt_worker_start(&worker, batch->compile->screening, err)
					   : kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY);

	THEN(status, kt_worker_ask(worker, source, output, members, err));
	if (status == KT_OK) {
		const enum kt_worker_end end = wait_for(&reply, worker);

		status = end == KT_WORKER_OK ? KT_OK : refuse(end, &reply, err);
	}
	kt_worker_close(worker);
	kt_buf_free(&reply);
	return status;
}

static kt_status write_unit(const char *path, struct kt_batch *batch, const int64_t *configuration, struct kt_error *err)
{
	const struct kt_buf *slice = batch->device_folder != NULL ? &batch->device_slice : &batch->slice;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	kt_buf_add(&text, slice->data, slice->size);
	status = kt_certificate_unit(&text, batch->template_, batch->instance, configuration, err);
	THEN(status, kt_fs_write(path, text.data, text.size, err));
	kt_buf_free(&text);
	return status;
}

kt_status kt_certificate_screened(struct kt_buf *ptx, const struct kt_compile *compile_, const struct kt_template *template_,
				  const struct kt_instance *instance, const int64_t *configuration, const char *source,
				  size_t source_size, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_batch *batch = NULL;
	char *unit = NULL, *output = NULL;
	kt_status status = kt_batch_open(&batch, compile_, template_, instance, source, source_size, err);

	if (status == KT_OK) {
		unit = kt_unit_path(batch->arena, compile_, "certificate", 0, ".cu");
		output = kt_unit_path(batch->arena, compile_, "certificate", 0, ".ptx");
		if (unit == NULL || output == NULL)
			status = kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY);
		else if (batch->members.size == 0)
			status = kt_fail(err, KT_ERR_CHILD, "NVRTC: it compiles no candidate either");
	}
	THEN(status, write_unit(unit, batch, configuration, err));
	THEN(status, compile(batch, unit, output, err));
	THEN(status, kt_fs_read(&text, output, err));
	if (status == KT_OK)
		kt_ptx_normalise(ptx, kt_buf_text(&text), text.size);
	kt_batch_close(batch);
	kt_buf_free(&text);
	return status;
}
