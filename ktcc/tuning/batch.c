/* Candidates as they come in, the compilers that run, and what came out of them. */
#include "tuning/batch_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tuning/early.h"

#define BATCH_ARENA_BYTES ((size_t)512 << 20)
#define BATCH_FIRST 4 /* candidates in the first units, so that the GPU starts early */
#define BATCH_UNIT_SECONDS 2.0 /* that a unit may take */
#define BATCH_POLL_SECONDS 0.02

kt_status kt_batch_open(struct kt_batch **out, const struct kt_compile *compile, const struct kt_template *template_,
			const struct kt_instance *instance, const char *source, size_t source_size,
			struct kt_error *err)
{
	struct kt_batch *batch = calloc(1, sizeof *batch);
	kt_status status;

	if (batch == NULL || (batch->arena = kt_arena_new(BATCH_ARENA_BYTES)) == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for compile batches");
		goto done;
	}
	batch->compile = compile;
	batch->template_ = template_;
	batch->environment = kt_unit_environment(batch->arena, compile);
	if (batch->environment == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for compile batches");
		goto done;
	}
	batch->instance = instance;
	batch->jobs = compile->jobs < 1 ? 1 : compile->jobs > KT_BATCH_JOBS ? KT_BATCH_JOBS : compile->jobs;
	batch->batch_most = compile->batch_most < 1 ? 1 : compile->batch_most;
	batch->unit_most = batch->batch_most < BATCH_FIRST ? batch->batch_most : BATCH_FIRST;
	/* One compiler runs in this process's place in make's count; each further one has a token. */
	kt_jobserver_open(&batch->server, getenv("MAKEFLAGS"));
	batch->splits = !batch->server.present;
	for (size_t i = 0; compile->arguments[i] != NULL; i++)
		batch->splits = batch->splits && strstr(compile->arguments[i], KT_BATCH_SPLIT) == NULL;
	batch->slice = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	batch->bare = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_unit_begin(&batch->slice, template_, source, source_size, false);
	kt_unit_begin(&batch->bare, template_, source, source_size, true);
	status = kt_buf_check(&batch->slice, "slice", err);
	THEN(status, kt_buf_check(&batch->bare, "slice", err));
	THEN(status, kt_screen_open(batch, err));
done:
	if (status == KT_OK)
		*out = batch;
	else
		kt_batch_close(batch);
	return status;
}

void kt_batch_close(struct kt_batch *batch)
{
	if (batch == NULL)
		return;
	for (size_t i = 0; i < KT_BATCH_JOBS; i++)
		kt_proc_free(batch->procs[i]);
	kt_screen_close(batch);
	kt_jobserver_close(&batch->server);
	kt_buf_free(&batch->slice);
	kt_buf_free(&batch->bare);
	kt_buf_free(&batch->device_slice);
	kt_buf_free(&batch->device_bare);
	kt_arena_free(batch->arena);
	free(batch);
}

void kt_batch_note_start(struct kt_batch *batch)
{
	if (batch->running++ == 0)
		batch->busy_since_s = kt_now_s();
}

void kt_batch_note_end(struct kt_batch *batch)
{
	if (--batch->running == 0)
		batch->busy_s += kt_now_s() - batch->busy_since_s;
}

kt_status kt_batch_launch(struct kt_batch *batch, const struct kt_batch_unit *unit, size_t slot, const char *source,
                          struct kt_error *err)
{
	const struct kt_proc_options options = {
	    .directory = batch->compile->directory,
	    .environment = batch->environment,
	    .timeout_s = KT_BATCH_SECONDS,
	};
	char **argv = kt_unit_command(batch->arena, batch->compile, batch->template_->region, KT_UNIT_CUBIN, source,
	                              unit->cubin, batch->splits && unit->count > 1 ? "-" KT_BATCH_SPLIT "=0" : NULL);

	if (argv == NULL)
		return kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY);
	TRY(kt_proc_start(&batch->procs[slot], argv, &options, err));
	batch->units[slot] = *unit;
	batch->began_s[slot] = kt_now_s();
	kt_batch_note_start(batch);
	return KT_OK;
}

bool kt_batch_has_original(const struct kt_batch *batch, const struct kt_batch_unit *unit)
{
	for (size_t i = 0; i < unit->count; i++)
		if (batch->candidates[unit->members[i]].configuration == NULL)
			return true;
	return false;
}

/* Who compiles a unit: a process of NVRTC, or nvcc in a slot. */
struct place {
	struct kt_batch_worker *worker; /* NULL: nvcc */
	size_t slot;
};

/* nvcc may be at the original already, or through with it. */
static bool take_over_original(struct kt_batch *batch, struct kt_batch_unit *unit, const struct place *place)
{
	struct kt_early *early = batch->compile->original;
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool serves;

	if (early == NULL || place->worker != NULL || unit->count != 1 || !kt_batch_has_original(batch, unit))
		return false;
	kt_batch_original_text(&text, batch);
	serves = !text.failed && kt_early_serves(early, batch->compile, &text);
	kt_buf_free(&text);
	if (!serves)
		return false;
	unit->cubin = kt_arena_strdup(batch->arena, early->output);
	if (batch->probe.source == NULL)
		batch->probe.source = early->source;
	if (early->built) {
		kt_batch_finish_compiled(batch, unit, false);
		return true;
	}
	batch->procs[place->slot] = kt_early_take(&batch->began_s[place->slot], early);
	batch->units[place->slot] = *unit;
	kt_batch_note_start(batch);
	return true;
}

/* Writes the unit's source and has it compiled there. */
static kt_status start(struct kt_batch *batch, struct kt_batch_unit *unit, const struct place *place,
                       struct kt_error *err)
{
	if (take_over_original(batch, unit, place))
		return KT_OK;

	const size_t number = batch->next_number++;
	char *source = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cu");

	unit->cubin = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cubin");
	if (source == NULL || unit->cubin == NULL)
		return kt_fail(err, KT_ERR_MEMORY, KT_BATCH_NO_MEMORY);
	unit->device = place->worker != NULL && batch->device_folder != NULL;
	TRY(kt_batch_write(batch, unit, source, err));
	if (unit->count == 0)
		return KT_OK;
	kt_log("batch %zu: %zu candidates, by %s", number, unit->count, place->worker != NULL ? "NVRTC" : "nvcc");
	if (place->worker != NULL)
		return kt_screen_ask(batch, place->worker, unit, source, err);
	if (kt_batch_has_original(batch, unit) && batch->probe.source == NULL)
		batch->probe.source = source;
	return kt_batch_launch(batch, unit, place->slot, source, err);
}

/* How many of the candidates that may start the next unit takes. */
static size_t next_size(const struct kt_batch *batch)
{
	const size_t left = batch->released - batch->taken, share = left < batch->share ? left : batch->share;
	const bool exact = left > 0 && batch->candidates[batch->taken].exact;
	const size_t most = kt_screen_compiles(batch) && !exact ? KT_BATCH_SCREENED : batch->unit_most;
	size_t count = 0;

	/* NVRTC will have compiled the original soon, and may have the candidates then. */
	if (!exact && kt_screen_is_undecided(batch) && !kt_screen_compiles(batch))
		return 0;

	/* Those that are compiled by one compiler. */
	while (count < share && count < most && batch->candidates[batch->taken + count].exact == exact)
		count++;
	return count;
}

/*
 * Units grow while they are quick and shrink when they are slow: a compiler that is at work for long keeps everybody
 * waiting. What a unit of few takes (headers, above all) cannot be saved, and is what a unit may take twice.
 */
static void adapt(struct kt_batch *batch, size_t count, double seconds)
{
	double most_s;

	if (batch->least_s == 0 || seconds < batch->least_s)
		batch->least_s = seconds;
	most_s = 2 * batch->least_s > BATCH_UNIT_SECONDS ? 2 * batch->least_s : BATCH_UNIT_SECONDS;
	if (seconds > most_s && batch->unit_most > 1 && count >= batch->unit_most)
		batch->unit_most /= 2;
	else if (seconds < most_s / 2 && count >= batch->unit_most)
		batch->unit_most = 2 * batch->unit_most < batch->batch_most ? 2 * batch->unit_most : batch->batch_most;
}

static bool take_waiting(struct kt_batch *batch, struct kt_batch_unit *unit)
{
	const size_t count = next_size(batch);

	if (count == 0)
		return false;
	*unit = (struct kt_batch_unit){.members = kt_arena_array(batch->arena, count, sizeof *unit->members)};
	for (size_t i = 0; i < count; i++, batch->taken++) {
		if (unit->members == NULL)
			kt_batch_finish(batch, batch->taken, NULL, NULL, KT_BATCH_NO_MEMORY);
		else if (!kt_twin_takes(batch, batch->taken) && !kt_foresee_takes(batch, batch->taken))
			unit->members[unit->count++] = batch->taken;
	}
	kt_twin_settle(batch);
	return true;
}

static bool is_opencl(const struct kt_batch *batch)
{
	return !kt_target_of(batch->template_->region->language)->has_compiler;
}

/*
 * Divides what waits evenly among the compilers that are idle, and at least among a quarter of all, those that are free
 * next. So units are small where compilers wait, and larger where they are waited for. The share is kept while compilers
 * start and end.
 */
static void release(struct kt_batch *batch)
{
	const size_t idle = batch->running < batch->jobs ? batch->jobs - batch->running : 0, least = (batch->jobs + 3) / 4;
	const size_t takers = idle > least ? idle : least;

	batch->released = batch->candidate_count;
	batch->share = (batch->released - batch->taken + takers - 1) / takers;
}

bool kt_batch_has_work(const struct kt_batch *batch)
{
	return batch->retry_count > 0 || next_size(batch) > 0;
}

/* Holds as many tokens as there will be compilers but the first. */
bool kt_batch_may_start(struct kt_batch *batch)
{
	return !batch->server.present || batch->server.held >= batch->running || kt_jobserver_take(&batch->server);
}

/* Of make's tokens those that no compiler needs any more. */
static void give_back(struct kt_batch *batch)
{
	const size_t needed = batch->running > 0 ? batch->running - 1 : 0;

	for (size_t held = batch->server.held; held > needed; held--)
		kt_jobserver_give(&batch->server);
}

/* Does NVRTC compile what comes next? The original is always nvcc's. */
static bool is_screened(const struct kt_batch *batch)
{
	if (!kt_screen_compiles(batch))
		return false;
	if (batch->retry_count > 0)
		return !batch->retries[batch->retry_count - 1].by_nvcc;
	return !batch->candidates[batch->taken].exact;
}

/* A place for the next unit; false: there is none now. */
static bool find_place(struct place *out, struct kt_batch *batch)
{
	bool idle = true;

	*out = (struct place){NULL, 0};
	if (is_screened(batch)) {
		NEED(out->worker = kt_screen_free(&idle, batch), false);
	} else {
		while (out->slot < batch->jobs && batch->procs[out->slot] != NULL)
			out->slot++;
		if (out->slot == batch->jobs)
			return false;
	}
	/* A process that gets no second question makes room for what claims it. */
	if (!idle && kt_foresee_claims(batch))
		return false;
	/* A second question to a process is no further job. */
	return !idle || (batch->running < batch->jobs && kt_batch_may_start(batch));
}

/* Starts compilers while there is a free one and something for it. */
static void start_units(struct kt_batch *batch)
{
	struct kt_batch_unit unit;
	struct place place;
	struct kt_error err;

	while (kt_batch_has_work(batch) && find_place(&place, batch)) {
		if (batch->retry_count > 0)
			unit = batch->retries[--batch->retry_count];
		else if (!take_waiting(batch, &unit))
			return;
		if (unit.count == 0 || start(batch, &unit, &place, &err) == KT_OK)
			continue;
		unit.by_nvcc = true;
		if (place.worker != NULL)
			kt_batch_retry(batch, &unit, 0, unit.count);
		else
			kt_batch_finish_unlucky(batch, &unit, kt_batch_keep(batch, err.message, strlen(err.message)));
	}
	if (kt_screen_wants_probe(batch) && batch->running < batch->jobs && kt_batch_may_start(batch))
		kt_screen_probe(batch);
}

static void pump(struct kt_batch *batch)
{
	if (is_opencl(batch)) {
		kt_batch_write_programs(batch);
		return;
	}
	kt_foresee_pump(batch);
	start_units(batch);
	kt_foresee_pump(batch);
	give_back(batch);
}

static void finish_well(struct kt_batch *batch, const struct kt_batch_unit *unit)
{
	struct kt_early *early = batch->compile->original;

	/* Of the same instance there may be another batch. */
	if (early != NULL && early->output != NULL && strcmp(unit->cubin, early->output) == 0)
		early->built = true;
	kt_batch_finish_compiled(batch, unit, false);
}

static void collect(struct kt_batch *batch)
{
	kt_screen_collect(batch);
	for (size_t slot = 0; slot < batch->jobs; slot++) {
		struct kt_proc *proc = batch->procs[slot];

		if (proc == NULL || !kt_proc_poll(proc, 0))
			continue;
		const struct kt_proc_result *result = kt_proc_result(proc);
		const bool well = result->code == 0 && !result->signalled && !result->timed_out;

		kt_batch_note_end(batch);
		if (batch->units[slot].foreseen != 0) {
			kt_foresee_end(batch, slot, well);
			continue;
		}
		adapt(batch, batch->units[slot].count, kt_now_s() - batch->began_s[slot]);
		if (well)
			finish_well(batch, &batch->units[slot]);
		else
			kt_batch_finish_failed(batch, &batch->units[slot], result, kt_proc_output(proc));
		kt_proc_free(proc);
		batch->procs[slot] = NULL;
	}
	kt_twin_settle(batch);
}

static kt_status add(struct kt_batch *batch, size_t ticket, const int64_t *configuration, bool exact,
                     struct kt_error *err)
{
	const size_t dimensions = batch->template_->parameter_count;
	struct kt_batch_candidate *candidate;
	int64_t *copy = NULL;
	size_t room = batch->candidate_count;

	if (configuration != NULL) {
		NEED(copy = kt_arena_array(batch->arena, dimensions + 1, sizeof *copy),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate"));
		memcpy(copy, configuration, dimensions * sizeof *copy);
	}
	if (kt_arena_push(batch->arena, &batch->built, &room, sizeof *batch->built) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate");
	NEED(candidate = kt_arena_push(batch->arena, &batch->candidates, &batch->candidate_count, sizeof *candidate),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate"));
	*candidate = (struct kt_batch_candidate){.ticket = ticket, .configuration = copy, .exact = exact,
	                                         .built = SIZE_MAX, .twin = SIZE_MAX};
	kt_twin_note(batch, batch->candidate_count - 1);
	/* A program is written as soon as it is full; the original is wanted first and is alone in its program. */
	if (is_opencl(batch) && (configuration == NULL || batch->candidate_count - batch->taken >= KT_BATCH_PROGRAM))
		release(batch);
	collect(batch);
	pump(batch);
	return KT_OK;
}

kt_status kt_batch_add(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	/* The original is what candidates are compared with. */
	return add(batch, ticket, configuration, configuration == NULL, err);
}

kt_status kt_batch_add_exact(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	return add(batch, ticket, configuration, true, err);
}

double kt_batch_exact_seconds(const struct kt_batch *batch)
{
	return batch->least_s;
}

kt_status kt_batch_add_alone(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	TRY(kt_batch_flush(batch, err));

	TRY(kt_batch_add(batch, ticket, configuration, err));
	return kt_batch_flush(batch, err);
}

kt_status kt_batch_flush(struct kt_batch *batch, struct kt_error *err)
{
	(void)err;
	release(batch);
	collect(batch);
	pump(batch);
	return KT_OK;
}

static void wait_for_compilers(const struct kt_batch *batch, double wait_s)
{
	int fds[2 * KT_BATCH_JOBS];

	for (size_t i = 0; i < batch->jobs; i++) {
		fds[2 * i] = kt_proc_fd(batch->procs[i]);
		fds[2 * i + 1] = kt_worker_fd(batch->workers[i].worker);
	}
	kt_wait_readable(fds, 2 * batch->jobs, wait_s);
}

bool kt_batch_next(struct kt_built *out, struct kt_batch *batch, double wait_s)
{
	const double until_s = kt_now_s() + wait_s;

	for (;;) {
		double left_s;

		collect(batch);
		pump(batch);
		if (batch->handed_out < batch->built_count) {
			*out = batch->built[batch->handed_out++];
			return true;
		}
		left_s = until_s - kt_now_s();
		if (kt_batch_pending(batch) == 0 || left_s <= 0)
			return false;
		if (batch->running == batch->background)
			release(batch); /* no compiler that ends would start them */
		if (batch->running != 0)
			wait_for_compilers(batch, left_s < BATCH_POLL_SECONDS ? left_s : BATCH_POLL_SECONDS);
	}
}

void kt_batch_anticipate(struct kt_batch *batch)
{
	batch->anticipates = true;
}

bool kt_batch_next_of(struct kt_built *out, struct kt_batch *batch, size_t ticket, double wait_s)
{
	const double until_s = kt_now_s() + wait_s;

	for (;;) {
		const double left_s = until_s - kt_now_s();

		collect(batch);
		pump(batch);
		for (size_t i = 0; i < kt_batch_ready(batch); i++) {
			if (kt_batch_peek(batch, i)->ticket != ticket)
				continue;
			kt_batch_prefer(batch, i);
			*out = batch->built[batch->handed_out++];
			return true;
		}
		if (kt_batch_pending(batch) == kt_batch_ready(batch) || left_s <= 0)
			return false;
		if (batch->running == batch->background)
			release(batch);
		if (batch->running != 0)
			wait_for_compilers(batch, left_s < BATCH_POLL_SECONDS ? left_s : BATCH_POLL_SECONDS);
	}
}

void kt_batch_settle(struct kt_batch *batch)
{
	for (;;) {
		collect(batch);
		pump(batch);
		if (!kt_screen_is_open(batch))
			return;
		wait_for_compilers(batch, BATCH_POLL_SECONDS);
	}
}

void kt_batch_poll(struct kt_batch *batch)
{
	collect(batch);
	pump(batch);
}

void kt_batch_cancel(struct kt_batch *batch)
{
	for (size_t slot = 0; slot < batch->jobs; slot++) {
		if (batch->units[slot].foreseen != 0)
			continue;
		kt_proc_free(batch->procs[slot]);
		batch->procs[slot] = NULL;
	}
	kt_screen_cancel(batch);
	/* What will be asked for next keeps its compiler. */
	while (batch->running > batch->background)
		kt_batch_note_end(batch);
	batch->retry_count = 0;
	kt_twin_clear(batch);
	/* As if only what was handed out had been added. */
	batch->candidate_count = batch->taken = batch->released = batch->built_count = batch->handed_out;
	give_back(batch);
}

const struct kt_built *kt_batch_peek(const struct kt_batch *batch, size_t ahead)
{
	return ahead < kt_batch_ready(batch) ? &batch->built[batch->handed_out + ahead] : NULL;
}

void kt_batch_prefer(struct kt_batch *batch, size_t ahead)
{
	struct kt_built *first = batch->built + batch->handed_out, chosen;

	if (ahead == 0 || ahead >= kt_batch_ready(batch))
		return;
	chosen = first[ahead];
	memmove(first + 1, first, ahead * sizeof *first);
	first[0] = chosen;
}

size_t kt_batch_ready(const struct kt_batch *batch)
{
	return batch->built_count - batch->handed_out;
}

size_t kt_batch_pending(const struct kt_batch *batch)
{
	return batch->candidate_count - batch->handed_out;
}

double kt_batch_compile_seconds(const struct kt_batch *batch)
{
	return batch->busy_s + (batch->running > 0 ? kt_now_s() - batch->busy_since_s : 0);
}
