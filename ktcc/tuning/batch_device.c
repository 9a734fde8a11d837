/* The unit without host code: NVRTC has no host, and takes nothing of what a project's headers have for it. */
#include "tuning/batch_internal.h"

#include <string.h>

#include "base/fs.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "tuning/unit.h"

/* Below the folder of units; the same text has the same folder. */
static char *folder_of(struct kt_batch *batch, const struct kt_buf *answer)
{
	char *scratch = kt_path_absolute(batch->arena, batch->compile->scratch, NULL), text[KT_HASH_TEXT];
	struct kt_hash hash;

	kt_hash_init(&hash);
	kt_hash_bytes(&hash, kt_buf_text(answer), answer->size);
	kt_hash_final(&hash, text);
	return scratch != NULL ? kt_arena_printf(batch->arena, "%s/device-%.16s", scratch, text) : NULL;
}

static kt_status write_header(const char *folder, struct kt_batch *batch, const cJSON *header, struct kt_error *err)
{
	const char *name = kt_json_text(header, "name"), *text = kt_json_text(header, "text");
	char *path;

	if (name[0] == '\0' || strchr(name, '/') != NULL || strchr(name, '.') != NULL)
		return kt_fail(err, KT_ERR_INVALID, "'%.40s' is no name of a header", name);
	NEED(path = kt_path_join(batch->arena, folder, name), kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY));
	return kt_fs_write(path, text, strlen(text), err);
}

static kt_status take(struct kt_batch *batch, const struct kt_buf *answer, struct kt_error *err)
{
	const struct kt_template *template_ = batch->template_;
	char *folder = folder_of(batch, answer);
	cJSON *json = NULL;
	kt_status status = kt_json_parse(&json, kt_buf_text(answer), answer->size, err);
	const char *source = status == KT_OK ? kt_json_text(json, "source") : "";
	const cJSON *header;

	if (status == KT_OK && (folder == NULL || source[0] == '\0'))
		status = kt_fail(err, KT_ERR_INVALID, "%s", kt_json_text(json, "failed"));
	THEN(status, kt_fs_mkdirs(folder, err));
	cJSON_ArrayForEach(header, cJSON_GetObjectItemCaseSensitive(json, "headers"))
	{
		THEN(status, write_header(folder, batch, header, err));
	}
	if (status == KT_OK) {
		kt_unit_begin(&batch->device_slice, template_, source, strlen(source), false);
		kt_unit_begin(&batch->device_bare, template_, source, strlen(source), true);
		status = kt_buf_check(&batch->device_slice, "slice", err);
	}
	THEN(status, kt_buf_check(&batch->device_bare, "slice", err));
	if (status == KT_OK)
		batch->device_folder = folder;
	cJSON_Delete(json);
	return status;
}

void kt_batch_device_open(struct kt_batch *batch)
{
	const struct kt_device_source *from = &batch->compile->device;
	struct kt_buf answer = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	struct kt_error err = {.code = KT_OK};

	batch->device_slice = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	batch->device_bare = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	if (from->read == NULL)
		return;
	if (from->read(&answer, from->context, batch->template_, &err) != KT_OK || take(batch, &answer, &err) != KT_OK)
		kt_log("NVRTC gets the slice with its host code: %s", err.message);
	kt_buf_free(&answer);
}

const char *kt_batch_device_original(struct kt_batch *batch)
{
	char *path = kt_unit_path(batch->arena, batch->compile, "device", batch->next_number++, ".cu");
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error err;
	bool written;

	kt_buf_add(&text, batch->device_slice.data, batch->device_slice.size);
	kt_unit_original(&text, batch->template_, batch->instance);
	kt_unit_end(&text, batch->template_);
	written = path != NULL && kt_buf_check(&text, "the original", &err) == KT_OK &&
		  kt_fs_write(path, text.data, text.size, &err) == KT_OK;
	kt_buf_free(&text);
	return written ? path : NULL;
}
