#include "tuning/batch_internal.h"

#include <string.h>

#include "tuning/unit.h"

/* Of the text under a name that all have; false when it cannot be made. */
static bool hash_text(char out[KT_HASH_TEXT], const struct kt_batch *batch, const int64_t *configuration)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	struct kt_error ignored;
	struct kt_hash hash;
	const bool made =
	    kt_unit_variant(&text, batch->template_, batch->instance, 0, configuration, &ignored) == KT_OK &&
	    !text.failed;

	kt_hash_init(&hash);
	kt_hash_bytes(&hash, text.data, text.size);
	kt_hash_final(&hash, out);
	kt_buf_free(&text);
	return made;
}

void kt_twin_note(struct kt_batch *batch, size_t candidate)
{
	struct kt_batch_candidate *own = &batch->candidates[candidate];
	struct kt_batch_twin *slot;
	char hash[KT_HASH_TEXT];

	/* A candidate for nvcc alone (`exact`) is compiled by it; programs of OpenCL hold several anyway. */
	if (own->exact || own->configuration == NULL ||
	    !kt_target_of(batch->template_->region->language)->has_compiler ||
	    !hash_text(hash, batch, own->configuration))
		return;
	for (size_t i = 0; i < batch->twin_count && own->twin == SIZE_MAX; i++)
		if (strcmp(batch->twins[i].hash, hash) == 0)
			own->twin = batch->twins[i].candidate;
	/* Without memory for it the text is compiled as often as it comes. */
	if (own->twin == SIZE_MAX &&
	    (slot = kt_arena_push(batch->arena, &batch->twins, &batch->twin_count, sizeof *slot)) != NULL) {
		memcpy(slot->hash, hash, sizeof hash);
		slot->candidate = candidate;
	}
}

bool kt_twin_takes(struct kt_batch *batch, size_t candidate)
{
	size_t *slot;

	if (batch->candidates[candidate].twin == SIZE_MAX ||
	    (slot = kt_arena_push(batch->arena, &batch->waiting, &batch->waiting_count, sizeof *slot)) == NULL)
		return false;
	*slot = candidate;
	return true;
}

void kt_twin_settle(struct kt_batch *batch)
{
	size_t kept = 0;

	for (size_t i = 0; i < batch->waiting_count; i++) {
		const size_t candidate = batch->waiting[i];
		const struct kt_batch_candidate *own = &batch->candidates[candidate];
		const size_t built = batch->candidates[own->twin].built;
		struct kt_built copy;

		if (built == SIZE_MAX) {
			batch->waiting[kept++] = candidate;
			continue;
		}
		copy = batch->built[built];
		copy.ticket = own->ticket;
		kt_batch_finish(batch, candidate, NULL, NULL, NULL);
		batch->built[batch->built_count - 1] = copy;
		batch->screened.shared++;
	}
	batch->waiting_count = kept;
}

void kt_twin_clear(struct kt_batch *batch)
{
	batch->twin_count = batch->waiting_count = 0;
}
