/*
 * What nvcc will be asked for of the originals of a unit is asked for at once: the processors have nothing else to do
 * until the first tuning begins.
 */
#include <stdlib.h>

#include "base/jobserver.h"
#include "base/log.h"
#include "planning/rounds.h"
#include "planning/work_internal.h"
#include "tuning/early.h"

static size_t number_of(const struct kt_work *work, const struct kt_case *each)
{
	return (size_t)(each - work->cases);
}

static size_t running_in(const struct kt_work *work, struct kt_early *all)
{
	size_t running = 0;

	for (size_t i = 0; all != NULL && i < work->case_count; i++)
		running += all[i].proc != NULL && !kt_proc_poll(all[i].proc, 0);
	return running;
}

/* The first compiler runs in this process's place in make's count; each further one has a token. */
static bool may_start(struct kt_work *work)
{
	struct kt_originals *originals = &work->originals;
	const size_t running = running_in(work, originals->ptx) + running_in(work, originals->cubin);

	if (running >= originals->most)
		return false;
	return originals->server == NULL || running == 0 || originals->server->held >= running ||
	       kt_jobserver_take(originals->server);
}

/* No compiler waits for tokens that it no longer needs. */
static void give_back(struct kt_work *work)
{
	struct kt_originals *originals = &work->originals;
	const size_t running = running_in(work, originals->ptx) + running_in(work, originals->cubin);

	while (originals->server != NULL && originals->server->held > (running > 0 ? running - 1 : 0))
		kt_jobserver_give(originals->server);
}

static kt_status start(struct kt_early *out, struct kt_work *work, const struct kt_case *each,
                       enum kt_unit_output mode, struct kt_error *err)
{
	struct kt_compile compile;
	TRY(kt_work_compile(&compile, work, kt_work_read_architecture(work), err));

	return kt_early_original(out, work->arena, &compile, each->template_, &each->region->instances[each->instance],
	                         kt_buf_text(&work->source), work->source.size, mode, number_of(work, each), err);
}

/* Where it cannot be started it is tried again when it is needed, and logged. */
static void start_some(struct kt_work *work, struct kt_early *all, const bool *wanted, enum kt_unit_output mode)
{
	struct kt_error err;

	for (size_t i = 0; i < work->case_count; i++) {
		if (!wanted[i] || all[i].source != NULL)
			continue;
		if (!may_start(work))
			return;
		if (start(&all[i], work, &work->cases[i], mode, &err) != KT_OK) {
			kt_early_close(&all[i]);
			kt_log("not compiled beforehand: %s", err.message);
		}
		/* Others of the same make could use the tokens of what will only be needed later. */
		if (mode == KT_UNIT_CUBIN && work->originals.server != NULL)
			return;
	}
}

static bool open_originals(struct kt_work *work)
{
	struct kt_originals *originals = &work->originals;

	if (originals->ptx == NULL)
		originals->ptx = kt_arena_array(work->arena, work->case_count + 1, sizeof *originals->ptx);
	if (originals->cubin == NULL)
		originals->cubin = kt_arena_array(work->arena, work->case_count + 1, sizeof *originals->cubin);
	if (originals->ptx == NULL || originals->cubin == NULL)
		return false;
	originals->most = work->input.config->jobs > 1 ? (size_t)work->input.config->jobs : 1;
	if (originals->server == NULL && (originals->server = kt_arena_alloc(work->arena, sizeof *originals->server)) != NULL)
		kt_jobserver_open(originals->server, getenv("MAKEFLAGS"));
	if (originals->server != NULL && !originals->server->present) {
		kt_jobserver_close(originals->server);
		originals->server = NULL;
	}
	return true;
}

void kt_work_begin_early(struct kt_work *work, const bool *wanted)
{
	const bool tunes = kt_work_may_tune(work) && (work->input.gpu || work->input.config->replay != NULL) &&
	                   !work->tester_failed;
	bool *unknown = kt_arena_array(work->arena, work->case_count + 1, sizeof *unknown);
	bool any = false;

	if (unknown == NULL || work->originals.ptx != NULL || !kt_target_of(work->input.language)->has_compiler)
		return;
	for (size_t i = 0; i < work->case_count; i++) {
		const struct kt_case *each = &work->cases[i];

		any = any || wanted[i];
		unknown[i] = wanted[i] && each->region_key == NULL &&
		             (each->symbol == NULL ||
		              kt_store_region_key(work->input.store, work->arena, each->closure) == NULL);
	}
	if (!any || !open_originals(work))
		return;
	start_some(work, work->originals.ptx, unknown, KT_UNIT_PTX);
	if (!tunes)
		return;
	kt_work_start_support(work);
	start_some(work, work->originals.cubin, wanted, KT_UNIT_CUBIN);
	/* The generator's process works meanwhile. */
	kt_work_run_generator(work);
}

kt_status kt_work_early_ptx(struct kt_early **out, struct kt_work *work, const struct kt_case *each,
                            struct kt_error *err)
{
	struct kt_early *early;

	if (!open_originals(work))
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a key");
	give_back(work);
	early = *out = &work->originals.ptx[number_of(work, each)];
	return early->proc != NULL ? KT_OK : start(early, work, each, KT_UNIT_PTX, err);
}

struct kt_early *kt_work_early_cubin(struct kt_work *work, const struct kt_case *each)
{
	if (work->originals.cubin == NULL)
		return NULL;
	/* A compiler that is taken over counts where it is waited for. */
	give_back(work);
	return &work->originals.cubin[number_of(work, each)];
}

void kt_work_drop_early(struct kt_work *work)
{
	for (size_t i = 0; work->originals.cubin != NULL && i < work->case_count; i++) {
		const struct kt_case *each = &work->cases[i];

		if (each->failed || (each->found_count != 0 && !kt_work_starts_over(work, each)))
			kt_early_close(&work->originals.cubin[i]);
	}
	give_back(work);
}

void kt_work_close_early(struct kt_work *work)
{
	for (size_t i = 0; work->originals.ptx != NULL && i < work->case_count; i++)
		kt_early_close(&work->originals.ptx[i]);
	for (size_t i = 0; work->originals.cubin != NULL && i < work->case_count; i++)
		kt_early_close(&work->originals.cubin[i]);
	give_back(work);
	if (work->originals.server != NULL)
		kt_jobserver_close(work->originals.server);
}
