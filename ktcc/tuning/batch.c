#include "tuning/batch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/jobserver.h"
#include "base/log.h"
#include "tuning/blame.h"
#include "tuning/cubin.h"
#include "tuning/unit.h"

#define BATCH_ARENA_BYTES ((size_t)512 << 20)
#define BATCH_JOBS 64       /* most compilers at a time */
#define BATCH_FIRST 4       /* candidates in the first unit, so that the GPU starts early */
#define BATCH_SECONDS 600.0 /* for one compiler */
#define BATCH_POLL_SECONDS 0.02
#define SPLIT_OPTION "split-compile"          /* optimises functions in parallel; the code stays the same */
#define BATCH_MESSAGE_BYTES ((size_t)8 << 10) /* what is kept for one candidate */

struct candidate {
	size_t ticket;
	const int64_t *configuration; /* NULL: the original */
};

/* Candidates that are compiled together. */
struct unit {
	size_t count;
	size_t *members; /* indices of candidates */
	char *cubin;
};

struct kt_batch {
	const struct kt_compile *compile;
	const struct kt_template *template_;
	const struct kt_instance *instance;
	struct kt_arena *arena;
	struct kt_buf slice; /* what every unit starts with */
	char **environment;
	size_t candidate_count, taken, released; /* [taken, released) may start in units that are not full */
	size_t share;                            /* of what was released last, for one compiler */
	struct candidate *candidates;
	size_t retry_count;
	struct unit *retries; /* parts of units that failed; a stack */
	size_t built_count, handed_out;
	struct kt_built *built;
	size_t jobs, batch_most, running, next_number;
	struct kt_jobserver server;
	bool splits; /* the compiler takes SPLIT_OPTION, as far as is known */
	struct kt_proc *procs[BATCH_JOBS];
	struct unit units[BATCH_JOBS];
	double busy_s, busy_since_s;
};

/* Most candidates in one OpenCL program. */
#define PROGRAM_MOST 8

static char no_memory[] = "out of memory";

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
	batch->jobs = compile->jobs < 1 ? 1 : compile->jobs > BATCH_JOBS ? BATCH_JOBS : compile->jobs;
	batch->batch_most = compile->batch_most < 1 ? 1 : compile->batch_most;
	/* One compiler runs in this process's place in make's count; a token stands for each further one. */
	kt_jobserver_open(&batch->server, getenv("MAKEFLAGS"));
	batch->splits = !batch->server.present;
	for (size_t i = 0; compile->arguments[i] != NULL; i++)
		batch->splits = batch->splits && strstr(compile->arguments[i], SPLIT_OPTION) == NULL;
	batch->slice = (struct kt_buf)KT_BUF(KT_LIMIT_SOURCE_BYTES);
	kt_unit_begin(&batch->slice, template_, source, source_size);
	status = kt_buf_check(&batch->slice, "slice", err);
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
	for (size_t i = 0; i < BATCH_JOBS; i++)
		kt_proc_free(batch->procs[i]);
	kt_jobserver_close(&batch->server);
	kt_buf_free(&batch->slice);
	kt_arena_free(batch->arena);
	free(batch);
}

/* Room for the verdict is taken when a candidate is added: finishing one cannot fail. */
static void finish(struct kt_batch *batch, size_t member, const char *cubin, const char *function, const char *message)
{
	batch->built[batch->built_count++] = (struct kt_built){
	    .ticket = batch->candidates[member].ticket, .cubin = cubin, .function = function, .message = message};
}

static char *keep_message(struct kt_batch *batch, const char *text, size_t size)
{
	char *kept = kt_arena_strndup(batch->arena, text, size < BATCH_MESSAGE_BYTES ? size : BATCH_MESSAGE_BYTES);

	return kept != NULL ? kept : no_memory;
}

static void finish_all(struct kt_batch *batch, const struct unit *unit, const char *message)
{
	for (size_t i = 0; i < unit->count; i++)
		finish(batch, unit->members[i], NULL, NULL, message);
}

/* The same where the machine is to blame. */
static void finish_unlucky(struct kt_batch *batch, const struct unit *unit, const char *message)
{
	finish_all(batch, unit, message);
	for (size_t i = 1; i <= unit->count; i++)
		batch->built[batch->built_count - i].unlucky = true;
}

static void retry(struct kt_batch *batch, size_t *members, size_t count)
{
	const struct unit part = {count, members, NULL};
	struct unit *slot;

	if (count == 0)
		return;
	slot = kt_arena_push(batch->arena, &batch->retries, &batch->retry_count, sizeof *slot);
	if (slot != NULL)
		*slot = part;
	else
		finish_all(batch, &part, no_memory);
}

/* Writes the unit's source. Members whose text cannot be made are finished here and leave the unit. */
static kt_status write_unit(struct kt_batch *batch, struct unit *unit, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	bool has_original = false;
	size_t kept = 0;
	kt_status status;

	kt_buf_add(&text, batch->slice.data, batch->slice.size);
	for (size_t i = 0; i < unit->count; i++) {
		const size_t member = unit->members[i];
		const struct candidate *candidate = &batch->candidates[member];

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
			finish(batch, member, NULL, NULL, keep_message(batch, err->message, strlen(err->message)));
	}
	unit->count = kept;
	kt_unit_end(&text, batch->template_);
	status = kt_buf_check(&text, "candidates", err);
	if (status == KT_OK && kept > 0)
		status = kt_fs_write(path, text.data, text.size, err);
	kt_buf_free(&text);
	return status;
}

static kt_status launch(struct kt_batch *batch, struct unit *unit, size_t slot, struct kt_error *err)
{
	const struct kt_proc_options options = {
	    .directory = batch->compile->directory,
	    .environment = batch->environment,
	    .timeout_s = BATCH_SECONDS,
	};
	const size_t number = batch->next_number++;
	char *source = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cu"), **argv;
	kt_status status;

	unit->cubin = kt_unit_path(batch->arena, batch->compile, "batch", number, ".cubin");
	if (source == NULL || unit->cubin == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "%s", no_memory);
	status = write_unit(batch, unit, source, err);
	if (status != KT_OK || unit->count == 0)
		return status;
	argv = kt_unit_command(batch->arena, batch->compile, batch->template_->region, KT_UNIT_CUBIN, source,
			       unit->cubin, batch->splits && unit->count > 1 ? "-" SPLIT_OPTION "=0" : NULL);
	if (argv == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "%s", no_memory);
	status = kt_proc_start(&batch->procs[slot], argv, &options, err);
	if (status != KT_OK)
		return status;
	batch->units[slot] = *unit;
	if (batch->running++ == 0)
		batch->busy_since_s = kt_now_s();
	kt_log("batch %zu: %zu candidates", number, unit->count);
	return KT_OK;
}

/* How many of the waiting candidates the next unit takes; 0: wait for more. */
static size_t next_size(const struct kt_batch *batch)
{
	const size_t waiting = batch->candidate_count - batch->taken;
	size_t most = batch->batch_most;

	if (batch->next_number == 0 && most > BATCH_FIRST)
		most = BATCH_FIRST;
	if (batch->released > batch->taken) {
		const size_t left = batch->released - batch->taken, share = left < batch->share ? left : batch->share;

		return share < most ? share : most;
	}
	return waiting >= most ? most : 0;
}

static bool take_waiting(struct kt_batch *batch, struct unit *unit)
{
	const size_t count = next_size(batch);

	if (count == 0)
		return false;
	*unit = (struct unit){count, kt_arena_array(batch->arena, count, sizeof *unit->members), NULL};
	for (size_t i = 0; i < count; i++, batch->taken++) {
		if (unit->members != NULL)
			unit->members[i] = batch->taken;
		else
			finish(batch, batch->taken, NULL, NULL, no_memory);
	}
	if (unit->members == NULL)
		unit->count = 0;
	return true;
}

static bool is_opencl(const struct kt_batch *batch)
{
	return batch->template_->region->language == KT_LANGUAGE_OPENCL;
}

/* What waits is shared out evenly; the share stays while compilers come and go. */
static void release(struct kt_batch *batch)
{
	batch->released = batch->candidate_count;
	batch->share = (batch->released - batch->taken + batch->jobs - 1) / batch->jobs;
}

/* Finishes the members of a program: all refer to the same text. */
static void write_program(struct kt_batch *batch, const struct unit *unit)
{
	char *path = kt_unit_path(batch->arena, batch->compile, "program", batch->next_number++, ".cl");
	struct unit kept = *unit;
	struct kt_error err;

	if (path == NULL || write_unit(batch, &kept, path, &err) != KT_OK) {
		finish_all(batch, &kept, path != NULL ? keep_message(batch, err.message, strlen(err.message)) : no_memory);
		return;
	}
	for (size_t i = 0; i < kept.count; i++) {
		const struct candidate *candidate = &batch->candidates[kept.members[i]];
		const char *function = batch->template_->region->kernel;
		char name[KT_UNIT_NAME_BYTES];

		if (candidate->configuration != NULL) {
			kt_unit_name(name, candidate->ticket);
			function = kt_arena_strdup(batch->arena, name);
		}
		finish(batch, kept.members[i], function != NULL ? path : NULL, function, no_memory);
		batch->built[batch->built_count - 1].shared = kept.count > 1;
	}
}

/*
 * OpenCL: the runner's own driver compiles, so a candidate is finished as soon
 * as its program is written. Several kernels in one program build in half the
 * time of one each (docs/performance.md).
 */
static void write_programs(struct kt_batch *batch)
{
	while (batch->taken < batch->released) {
		size_t members[PROGRAM_MOST];
		struct unit unit = {0, members, NULL};

		while (batch->taken < batch->released && unit.count < PROGRAM_MOST) {
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

static bool has_work(const struct kt_batch *batch)
{
	return batch->retry_count > 0 || next_size(batch) > 0;
}

/* Holds as many tokens as there will be compilers but the first. */
static bool may_start(struct kt_batch *batch)
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

/* Starts compilers while there is a free one and something for it. */
static void start_units(struct kt_batch *batch)
{
	struct unit unit;
	struct kt_error err;

	for (size_t slot = 0; slot < batch->jobs; slot++) {
		while (batch->procs[slot] == NULL) {
			if (!has_work(batch) || !may_start(batch))
				return;
			if (batch->retry_count > 0)
				unit = batch->retries[--batch->retry_count];
			else if (!take_waiting(batch, &unit))
				return;
			if (unit.count > 0 && launch(batch, &unit, slot, &err) != KT_OK)
				finish_unlucky(batch, &unit, keep_message(batch, err.message, strlen(err.message)));
		}
	}
}

static void pump(struct kt_batch *batch)
{
	if (is_opencl(batch)) {
		write_programs(batch);
		return;
	}
	start_units(batch);
	give_back(batch);
}

static const char *function_named(struct kt_batch *batch, const struct kt_cubin *cubin, const char *kernel,
                                  bool is_extern_c)
{
	char *mangled = kt_arena_printf(batch->arena, "%zu%s", strlen(kernel), kernel);
	const char *found = mangled != NULL && !is_extern_c ? kt_cubin_pick(cubin, mangled) : NULL;

	return found != NULL ? found : kt_cubin_pick(cubin, kernel);
}

/* "_Z10row_scales… _Z10scale_rows…"; NULL when one of them is not there. */
static const char *functions_of_steps(struct kt_batch *batch, const struct kt_cubin *cubin)
{
	const struct kt_region *region = batch->template_->region;
	const char *all = NULL;

	for (size_t i = 0; i < region->step_count; i++) {
		const char *one = function_named(batch, cubin, region->steps[i].kernel, region->steps[i].is_extern_c);

		if (one == NULL)
			return NULL;
		all = i == 0 ? one : kt_arena_printf(batch->arena, "%s %s", all != NULL ? all : "", one);
	}
	return all;
}

/* The same of a candidate that is several kernels. */
static const char *functions_of_plan(struct kt_batch *batch, const struct kt_cubin *cubin, const char *name,
                                     const char *first)
{
	const char *all = first;

	for (size_t i = 1; all != NULL && i <= batch->template_->further_count; i++) {
		struct kt_buf text = KT_BUF(KT_UNIT_NAME_BYTES + 16);
		const char *one;

		kt_template_kernel_name(&text, name, i);
		one = function_named(batch, cubin, kt_buf_text(&text), false);
		kt_buf_free(&text);
		all = one != NULL ? kt_arena_printf(batch->arena, "%s %s", all, one) : NULL;
	}
	return all;
}

static const char *function_of(struct kt_batch *batch, const struct kt_cubin *cubin, const struct candidate *candidate)
{
	const struct kt_region *region = batch->template_->region;
	const bool original = candidate->configuration == NULL;
	char name[KT_UNIT_NAME_BYTES];
	const char *found = NULL;
	char *mangled;

	if (original && region->step_count > 0)
		return functions_of_steps(batch, cubin);
	if (original)
		return function_named(batch, cubin, region->kernel, region->is_extern_c);
	kt_unit_name(name, candidate->ticket);
	/* With its length in front, as names are mangled, "kt_c1" is no part of "kt_c12". */
	mangled = kt_arena_printf(batch->arena, "%zu%s", strlen(name), name);
	if (mangled != NULL)
		found = kt_cubin_pick(cubin, mangled);
	return batch->template_->further_count == 0 ? found : functions_of_plan(batch, cubin, name, found);
}

static void finish_compiled(struct kt_batch *batch, const struct unit *unit)
{
	struct kt_cubin cubin;
	struct kt_error err;

	if (kt_cubin_read(&cubin, batch->arena, unit->cubin, &err) != KT_OK) {
		finish_all(batch, unit, keep_message(batch, err.message, strlen(err.message)));
		return;
	}
	for (size_t i = 0; i < unit->count; i++) {
		const char *function = function_of(batch, &cubin, &batch->candidates[unit->members[i]]);

		if (function != NULL)
			finish(batch, unit->members[i], unit->cubin, function, NULL);
		else
			finish(batch, unit->members[i], NULL, NULL, "the compiler made no code for the kernel");
	}
}

/* What the output says about one candidate; empty when nothing. */
static void gather_errors(struct kt_buf *out, const struct kt_buf *output, size_t ticket)
{
	const char *at = kt_buf_text(output), *end = at + output->size;
	struct kt_diagnostic diagnostic;

	kt_buf_clear(out);
	while (kt_diagnostic_next(&diagnostic, &at, end))
		if (diagnostic.error && diagnostic.has_ticket && diagnostic.ticket == ticket)
			kt_buf_add(out, diagnostic.text, diagnostic.size);
}

/* An error that every unit would have; it mentions `word`, unless that is NULL. */
static bool has_common_error(const struct kt_buf *output, const char *word)
{
	const char *at = kt_buf_text(output), *end = at + output->size;
	struct kt_diagnostic diagnostic;

	while (kt_diagnostic_next(&diagnostic, &at, end))
		if (diagnostic.error && diagnostic.common &&
		    (word == NULL || memmem(diagnostic.text, diagnostic.size, word, strlen(word)) != NULL))
			return true;
	return false;
}

/* Finishes the members that the output names and retries the others; false when it names none. */
static bool finish_guilty(struct kt_batch *batch, const struct unit *unit, const struct kt_buf *output)
{
	struct kt_buf message = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	size_t innocent = 0;

	for (size_t i = 0; i < unit->count; i++) {
		const size_t member = unit->members[i];
		const struct candidate *candidate = &batch->candidates[member];

		if (candidate->configuration != NULL)
			gather_errors(&message, output, candidate->ticket);
		else
			kt_buf_clear(&message);
		if (message.size > 0)
			finish(batch, member, NULL, NULL, keep_message(batch, message.data, message.size));
		else
			unit->members[innocent++] = member;
	}
	kt_buf_free(&message);
	if (innocent == unit->count)
		return false;
	retry(batch, unit->members, innocent);
	return true;
}

static char *failure_message(struct kt_batch *batch, const struct kt_proc_result *result, const struct kt_buf *output)
{
	char *message;

	if (result->timed_out)
		message = kt_arena_printf(batch->arena, "the compiler took longer than %.0f s", BATCH_SECONDS);
	else if (output->size > 0)
		message = keep_message(batch, output->data, output->size);
	else
		message = kt_arena_printf(batch->arena, "the compiler ended with %s %d",
					  result->signalled ? "signal" : "status", result->code);
	return message != NULL ? message : no_memory;
}

static void finish_failed(struct kt_batch *batch, const struct unit *unit, const struct kt_proc_result *result,
			  const struct kt_buf *output)
{
	const size_t half = unit->count / 2;

	if (unit->count > 1 && has_common_error(output, SPLIT_OPTION)) {
		/* An older toolkit; units that run already fail in the same way and come here too. */
		batch->splits = false;
		retry(batch, unit->members, unit->count);
	} else if (unit->count == 1 && result->signalled && result->code == SIGKILL && !result->timed_out) {
		finish_unlucky(batch, unit, failure_message(batch, result, output));
	} else if (unit->count == 1 || has_common_error(output, NULL)) {
		finish_all(batch, unit, failure_message(batch, result, output));
	} else if (result->timed_out || !finish_guilty(batch, unit, output)) {
		retry(batch, unit->members, half);
		retry(batch, unit->members + half, unit->count - half);
	}
}

static void collect(struct kt_batch *batch)
{
	for (size_t slot = 0; slot < batch->jobs; slot++) {
		struct kt_proc *proc = batch->procs[slot];

		if (proc == NULL || !kt_proc_poll(proc, 0))
			continue;
		const struct kt_proc_result *result = kt_proc_result(proc);
		if (--batch->running == 0)
			batch->busy_s += kt_now_s() - batch->busy_since_s;
		if (result->code == 0 && !result->signalled && !result->timed_out)
			finish_compiled(batch, &batch->units[slot]);
		else
			finish_failed(batch, &batch->units[slot], result, kt_proc_output(proc));
		kt_proc_free(proc);
		batch->procs[slot] = NULL;
	}
}

kt_status kt_batch_add(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	const size_t dimensions = batch->template_->parameter_count;
	struct candidate *candidate;
	int64_t *copy = NULL;
	size_t room = batch->candidate_count;

	if (configuration != NULL) {
		copy = kt_arena_array(batch->arena, dimensions + 1, sizeof *copy);
		if (copy == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate");
		memcpy(copy, configuration, dimensions * sizeof *copy);
	}
	if (kt_arena_push(batch->arena, &batch->built, &room, sizeof *batch->built) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate");
	candidate = kt_arena_push(batch->arena, &batch->candidates, &batch->candidate_count, sizeof *candidate);
	if (candidate == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a candidate");
	*candidate = (struct candidate){ticket, copy};
	/* A program is written as soon as it is full; the original is wanted first and stands alone. */
	if (is_opencl(batch) && (configuration == NULL || batch->candidate_count - batch->taken >= PROGRAM_MOST))
		release(batch);
	collect(batch);
	pump(batch);
	return KT_OK;
}

kt_status kt_batch_add_alone(struct kt_batch *batch, size_t ticket, const int64_t *configuration, struct kt_error *err)
{
	kt_status status = kt_batch_flush(batch, err);

	if (status == KT_OK)
		status = kt_batch_add(batch, ticket, configuration, err);
	return status == KT_OK ? kt_batch_flush(batch, err) : status;
}

kt_status kt_batch_flush(struct kt_batch *batch, struct kt_error *err)
{
	(void)err;
	release(batch);
	collect(batch);
	pump(batch);
	return KT_OK;
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
		if (batch->running == 0)
			release(batch); /* nobody else would start them */
		else
			kt_proc_wait_any(batch->procs, batch->jobs,
					 left_s < BATCH_POLL_SECONDS ? left_s : BATCH_POLL_SECONDS);
	}
}

void kt_batch_tend(struct kt_batch *batch)
{
	collect(batch);
	pump(batch);
}

size_t kt_batch_pending(const struct kt_batch *batch)
{
	return batch->candidate_count - batch->handed_out;
}

double kt_batch_compile_seconds(const struct kt_batch *batch)
{
	return batch->busy_s + (batch->running > 0 ? kt_now_s() - batch->busy_since_s : 0);
}
