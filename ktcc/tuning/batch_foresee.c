/* nvcc's binaries of configurations that will probably be asked for: compiled while candidates are. */
#include "tuning/batch_internal.h"

#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "tuning/unit.h"

/*
 * One of PART places for compilers may be the background's, however urgently candidates are waited for; where there are
 * fewer, and for a further one, READY_ENOUGH candidates must lie ready for the device, or none wait for a compiler.
 */
enum { PART = 4, READY_ENOUGH = 2 };

static struct kt_batch_foreseen *place_of(const struct kt_batch *batch, size_t ticket, const int64_t *configuration)
{
	const size_t bytes = batch->template_->parameter_count * sizeof *configuration;

	for (size_t i = 0; i < batch->foreseen_count; i++)
		if (batch->foreseen[i].ticket == ticket && memcmp(batch->foreseen[i].configuration, configuration, bytes) == 0)
			return &batch->foreseen[i];
	return NULL;
}

static size_t slot_of(const struct kt_batch *batch, const struct kt_batch_foreseen *one)
{
	size_t slot = 0;

	while (batch->procs[slot] == NULL || batch->units[slot].foreseen != (size_t)(one - batch->foreseen) + 1)
		slot++;
	return slot;
}

/* The most probable one that has no compiler yet; NULL: none. */
static struct kt_batch_foreseen *next_wanted(const struct kt_batch *batch)
{
	struct kt_batch_foreseen *best = NULL;

	for (size_t i = 0; i < batch->foreseen_count; i++) {
		struct kt_batch_foreseen *one = &batch->foreseen[i];

		if (one->state == KT_FORESEEN_IDLE && one->rank != SIZE_MAX && (best == NULL || one->rank < best->rank))
			best = one;
	}
	return best;
}

bool kt_foresee_claims(const struct kt_batch *batch)
{
	const size_t most = batch->jobs / PART > 1 ? batch->jobs / PART : 1;
	const bool leisure = kt_batch_ready(batch) >= READY_ENOUGH || !kt_batch_has_work(batch);

	return batch->background < most && (leisure || (batch->background == 0 && batch->jobs >= PART)) &&
	       next_wanted(batch) != NULL;
}

static kt_status write_source(const struct kt_batch *batch, const struct kt_batch_foreseen *one, const char *path,
                              struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_status status;

	kt_buf_add(&text, batch->bare.data, batch->bare.size);
	status = kt_unit_variant(&text, batch->template_, batch->instance, one->ticket, one->configuration, err);
	kt_unit_end(&text, batch->template_);
	THEN(status, kt_buf_check(&text, "candidates", err));
	THEN(status, kt_fs_write(path, text.data, text.size, err));
	kt_buf_free(&text);
	return status;
}

static kt_status start(struct kt_batch *batch, struct kt_batch_foreseen *one, size_t slot, struct kt_error *err)
{
	const size_t number = batch->next_number++;
	char *source = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cu");
	struct kt_batch_unit unit = {.by_nvcc = true, .foreseen = (size_t)(one - batch->foreseen) + 1};

	one->cubin = unit.cubin = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cubin");
	if (source == NULL || unit.cubin == NULL)
		return kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY);
	TRY(write_source(batch, one, source, err));
	return kt_batch_launch(batch, &unit, slot, source, err);
}

void kt_foresee_pump(struct kt_batch *batch)
{
	while (batch->foreseen_count != 0 && batch->running < batch->jobs && kt_foresee_claims(batch) &&
	       kt_batch_may_start(batch)) {
		struct kt_batch_foreseen *one = next_wanted(batch);
		struct kt_error err;
		size_t slot = 0;

		while (slot < batch->jobs && batch->procs[slot] != NULL)
			slot++;
		if (slot == batch->jobs)
			return;
		if (start(batch, one, slot, &err) == KT_OK) {
			one->state = KT_FORESEEN_RUNS;
			batch->background++;
		} else {
			one->state = KT_FORESEEN_FAILED;
			kt_log("not compiled ahead: %s", err.message);
		}
	}
}

static void clear_slot(struct kt_batch *batch, size_t slot)
{
	kt_proc_free(batch->procs[slot]);
	batch->procs[slot] = NULL;
	batch->units[slot].foreseen = 0;
	batch->background--;
}

void kt_foresee_end(struct kt_batch *batch, size_t slot, bool well)
{
	struct kt_batch_foreseen *one = &batch->foreseen[batch->units[slot].foreseen - 1];

	one->state = well ? KT_FORESEEN_BUILT : KT_FORESEEN_FAILED;
	clear_slot(batch, slot);
}

bool kt_foresee_takes(struct kt_batch *batch, size_t candidate)
{
	const struct kt_batch_candidate *own = &batch->candidates[candidate];
	struct kt_batch_foreseen *one =
	    own->exact && own->configuration != NULL ? place_of(batch, own->ticket, own->configuration) : NULL;
	struct kt_batch_unit unit = {.by_nvcc = true, .count = 1};
	size_t slot;

	if (one == NULL || (one->state != KT_FORESEEN_BUILT && one->state != KT_FORESEEN_RUNS))
		return false;
	NEED(unit.members = kt_arena_array(batch->arena, 1, sizeof *unit.members), false);
	unit.members[0] = candidate;
	unit.cubin = one->cubin;
	if (one->state == KT_FORESEEN_BUILT) {
		kt_batch_finish_compiled(batch, &unit, false);
		return true;
	}
	/* From here on it is a unit as any other. */
	slot = slot_of(batch, one);
	batch->units[slot] = unit;
	batch->background--;
	one->state = KT_FORESEEN_IDLE;
	one->rank = SIZE_MAX;
	return true;
}

void kt_batch_foresee(struct kt_batch *batch, const struct kt_foreseen *wanted, size_t count)
{
	const size_t dimensions = batch->template_->parameter_count;

	if (!kt_target_of(batch->template_->region->language)->has_compiler)
		return;
	for (size_t i = 0; i < batch->foreseen_count; i++)
		batch->foreseen[i].rank = SIZE_MAX;
	for (size_t i = 0; i < count; i++) {
		struct kt_batch_foreseen *one = place_of(batch, wanted[i].ticket, wanted[i].configuration);

		/* Without memory it is compiled when it is asked for. */
		if (one == NULL) {
			int64_t *copy = kt_arena_array(batch->arena, dimensions + 1, sizeof *copy);

			one = copy != NULL ? kt_arena_push(batch->arena, &batch->foreseen, &batch->foreseen_count, sizeof *one) : NULL;
			if (one == NULL)
				continue;
			memcpy(copy, wanted[i].configuration, dimensions * sizeof *copy);
			*one = (struct kt_batch_foreseen){.ticket = wanted[i].ticket, .configuration = copy};
		}
		one->rank = i;
	}
	for (size_t i = 0; i < batch->foreseen_count; i++) {
		struct kt_batch_foreseen *one = &batch->foreseen[i];

		if (one->rank != SIZE_MAX || one->state != KT_FORESEEN_RUNS)
			continue;
		clear_slot(batch, slot_of(batch, one));
		kt_batch_note_end(batch);
		one->state = KT_FORESEEN_IDLE;
	}
	kt_batch_poll(batch);
}

size_t kt_batch_foreseen(const struct kt_batch *batch)
{
	size_t built = 0;

	for (size_t i = 0; i < batch->foreseen_count; i++)
		built += batch->foreseen[i].rank != SIZE_MAX && batch->foreseen[i].state == KT_FORESEEN_BUILT;
	return built;
}
