/* The texts of units and of OpenCL programs. */
#include "tuning/batch_internal.h"

#include <string.h>

#include "base/fs.h"
#include "tuning/unit.h"

kt_status kt_batch_write(struct kt_batch *batch, struct kt_batch_unit *unit, const char *path, struct kt_error *err)
{
	const bool original = kt_batch_has_original(batch, unit);
	const struct kt_buf *slice = unit->device ? (original ? &batch->device_slice : &batch->device_bare)
						  : (original ? &batch->slice : &batch->bare);
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool has_original = false;
	size_t kept = 0;
	kt_status status;

	kt_buf_add(&text, slice->data, slice->size);
	for (size_t i = 0; i < unit->count; i++) {
		const size_t member = unit->members[i];
		const struct kt_batch_candidate *candidate = &batch->candidates[member];

		status = KT_OK;
		if (candidate->configuration == NULL) {
			if (!has_original)
				kt_unit_original(&text, batch->template_, batch->instance);
			has_original = true;
		} else {
			status = kt_unit_variant(&text, batch->template_, batch->instance, candidate->ticket,
						 candidate->configuration, err);
		}
		if (status == KT_OK)
			unit->members[kept++] = member;
		else
			kt_batch_finish(batch, member, NULL, NULL,
					kt_batch_keep(batch, err->message, strlen(err->message)));
	}
	unit->count = kept;
	kt_unit_end(&text, batch->template_);
	status = kt_buf_check(&text, "candidates", err);
	if (status == KT_OK && kept > 0)
		status = kt_fs_write(path, text.data, text.size, err);
	kt_buf_free(&text);
	return status;
}

void kt_batch_original_text(struct kt_buf *out, const struct kt_batch *batch)
{
	kt_buf_add(out, batch->slice.data, batch->slice.size);
	kt_unit_original(out, batch->template_, batch->instance);
	kt_unit_end(out, batch->template_);
}

/* Finishes the members of a program: all refer to the same text. */
static void write_program(struct kt_batch *batch, const struct kt_batch_unit *unit)
{
	char *path = kt_unit_path(batch->arena, batch->compile, "program", batch->next_number++, ".cl");
	struct kt_batch_unit kept = *unit;
	struct kt_error err;

	if (path == NULL || kt_batch_write(batch, &kept, path, &err) != KT_OK) {
		kt_batch_finish_all(batch, &kept,
				    path != NULL ? kt_batch_keep(batch, err.message, strlen(err.message))
						 : KT_BATCH_NO_MEMORY);
		return;
	}
	for (size_t i = 0; i < kept.count; i++) {
		const struct kt_batch_candidate *candidate = &batch->candidates[kept.members[i]];
		const char *function = batch->template_->region->kernel;
		char name[KT_UNIT_NAME_BYTES];

		if (candidate->configuration != NULL) {
			kt_unit_name(name, candidate->ticket);
			function = kt_arena_strdup(batch->arena, name);
		}
		kt_batch_finish(batch, kept.members[i], function != NULL ? path : NULL, function, KT_BATCH_NO_MEMORY);
		batch->built[batch->built_count - 1].shared = kept.count > 1;
	}
}

void kt_batch_write_programs(struct kt_batch *batch)
{
	while (batch->taken < batch->released) {
		size_t members[KT_BATCH_PROGRAM];
		struct kt_batch_unit unit = {.members = members};

		while (batch->taken < batch->released && unit.count < KT_BATCH_PROGRAM) {
			bool original = batch->candidates[batch->taken].configuration == NULL;

			if (original && unit.count > 0)
				break;
			members[unit.count++] = batch->taken++;
			if (original)
				break;
		}
		write_program(batch, &unit);
	}
}
