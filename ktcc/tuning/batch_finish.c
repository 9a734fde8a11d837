/* What becomes of a unit's candidates when its compiler ends: code, an error that is theirs, another try in a part. */
#include "tuning/batch_internal.h"

#include <signal.h>
#include <string.h>

#include "tuning/blame.h"
#include "tuning/cubin.h"
#include "tuning/original.h"
#include "tuning/unit.h"

#define BATCH_MESSAGE_BYTES ((size_t)8 << 10) /* what is kept for one candidate */

void kt_batch_finish(struct kt_batch *batch, size_t member, const char *cubin, const char *function,
                     const char *message)
{
	batch->candidates[member].built = batch->built_count;
	batch->built[batch->built_count++] = (struct kt_built){
	    .ticket = batch->candidates[member].ticket, .text = batch->candidates[member].ticket, .cubin = cubin, .function = function, .message = message};
}

const char *kt_batch_keep(struct kt_batch *batch, const char *text, size_t size)
{
	char *kept = kt_arena_strndup(batch->arena, text, size < BATCH_MESSAGE_BYTES ? size : BATCH_MESSAGE_BYTES);

	return kept != NULL ? kept : KT_BATCH_NO_MEMORY;
}

void kt_batch_finish_all(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message)
{
	for (size_t i = 0; i < unit->count; i++)
		kt_batch_finish(batch, unit->members[i], NULL, NULL, message);
}

void kt_batch_finish_unlucky(struct kt_batch *batch, const struct kt_batch_unit *unit, const char *message)
{
	kt_batch_finish_all(batch, unit, message);
	for (size_t i = 1; i <= unit->count; i++)
		batch->built[batch->built_count - i].unlucky = true;
}

void kt_batch_retry(struct kt_batch *batch, const struct kt_batch_unit *unit, size_t first, size_t count)
{
	struct kt_batch_unit part = *unit, *slot;

	part.members += first;
	part.count = count;
	part.cubin = NULL;
	if (count == 0)
		return;
	slot = kt_arena_push(batch->arena, &batch->retries, &batch->retry_count, sizeof *slot);
	if (slot != NULL)
		*slot = part;
	else
		kt_batch_finish_all(batch, &part, KT_BATCH_NO_MEMORY);
}

/* The original's function, "_Z10row_scales… _Z10scale_rows…" of a launch region; NULL when one of them is not there. */
static const char *functions_of_original(struct kt_batch *batch, const struct kt_cubin *cubin)
{
	const struct kt_region *region = batch->template_->region;
	const size_t steps = region->step_count != 0 ? region->step_count : 1;
	const char **names = kt_arena_array(batch->arena, cubin->count + 1, sizeof *names), *all = NULL;
	size_t found[KT_STEPS], count = 0;

	for (size_t i = 0; names != NULL && i < cubin->count; i++)
		if (cubin->functions[i].kernel)
			names[count++] = cubin->functions[i].name;
	if (names == NULL || !kt_original_find(found, names, count, region, batch->instance))
		return NULL;
	for (size_t i = 0; i < steps; i++)
		all = i == 0 ? names[found[i]]
		             : kt_arena_printf(batch->arena, "%s %s", all != NULL ? all : "", names[found[i]]);
	return all;
}

static const char *function_named(struct kt_batch *batch, const struct kt_cubin *cubin, const char *kernel)
{
	/* With its length before it, as names are mangled, "kt_c1" is no part of "kt_c12". */
	char *mangled = kt_arena_printf(batch->arena, "%zu%s", strlen(kernel), kernel);

	return mangled != NULL ? kt_cubin_pick(cubin, mangled) : NULL;
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
		one = function_named(batch, cubin, kt_buf_text(&text));
		kt_buf_free(&text);
		all = one != NULL ? kt_arena_printf(batch->arena, "%s %s", all, one) : NULL;
	}
	return all;
}

static const char *function_of(struct kt_batch *batch, const struct kt_cubin *cubin,
                               const struct kt_batch_candidate *candidate)
{
	char name[KT_UNIT_NAME_BYTES];
	const char *found;

	if (candidate->configuration == NULL)
		return functions_of_original(batch, cubin);
	kt_unit_name(name, candidate->ticket);
	found = function_named(batch, cubin, name);
	return batch->template_->further_count == 0 ? found : functions_of_plan(batch, cubin, name, found);
}

const char *kt_batch_original(struct kt_batch *batch, const char *path)
{
	const struct kt_batch_candidate original = {.exact = true};
	struct kt_cubin cubin;
	struct kt_error err;

	return kt_cubin_read(&cubin, batch->arena, path, &err) == KT_OK ? function_of(batch, &cubin, &original) : NULL;
}

/* Counts a candidate that has code in the statistics. */
static void note_compiled(struct kt_batch *batch, const struct kt_batch_unit *unit, size_t member, const char *function,
                          bool by_nvrtc)
{
	if (batch->candidates[member].configuration == NULL) {
		kt_screen_original(batch, unit->cubin, function);
		return;
	}
	batch->built[batch->built_count - 1].screened = by_nvrtc;
	batch->screened.by_nvrtc += by_nvrtc;
	batch->screened.by_nvcc += !by_nvrtc;
	batch->screened.overturned += unit->refused;
}

void kt_batch_finish_compiled(struct kt_batch *batch, const struct kt_batch_unit *unit, bool by_nvrtc)
{
	struct kt_cubin cubin;
	struct kt_error err;

	if (kt_cubin_read(&cubin, batch->arena, unit->cubin, &err) != KT_OK) {
		kt_batch_finish_all(batch, unit, kt_batch_keep(batch, err.message, strlen(err.message)));
		return;
	}
	for (size_t i = 0; i < unit->count; i++) {
		const char *function = function_of(batch, &cubin, &batch->candidates[unit->members[i]]);

		if (function != NULL) {
			kt_batch_finish(batch, unit->members[i], unit->cubin, function, NULL);
			note_compiled(batch, unit, unit->members[i], function, by_nvrtc);
		} else
			kt_batch_finish(batch, unit->members[i], NULL, NULL, "the compiler made no code for the kernel");
	}
}

/* The part of the output about one candidate; empty when there is none. */
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
static bool finish_guilty(struct kt_batch *batch, const struct kt_batch_unit *unit, const struct kt_buf *output)
{
	struct kt_buf message = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
	size_t innocent = 0;

	for (size_t i = 0; i < unit->count; i++) {
		const size_t member = unit->members[i];
		const struct kt_batch_candidate *candidate = &batch->candidates[member];

		if (candidate->configuration != NULL)
			gather_errors(&message, output, candidate->ticket);
		else
			kt_buf_clear(&message);
		if (message.size > 0)
			kt_batch_finish(batch, member, NULL, NULL, kt_batch_keep(batch, message.data, message.size));
		else
			unit->members[innocent++] = member;
	}
	kt_buf_free(&message);
	if (innocent == unit->count)
		return false;
	kt_batch_retry(batch, unit, 0, innocent);
	return true;
}

static const char *failure_message(struct kt_batch *batch, const struct kt_proc_result *result,
                                   const struct kt_buf *output)
{
	const char *message;

	if (result->timed_out)
		message = kt_arena_printf(batch->arena, "the compiler took longer than %.0f s", KT_BATCH_SECONDS);
	else if (output->size > 0)
		message = kt_batch_keep(batch, output->data, output->size);
	else
		message = kt_arena_printf(batch->arena, "the compiler ended with %s %d",
					  result->signalled ? "signal" : "status", result->code);
	return message != NULL ? message : KT_BATCH_NO_MEMORY;
}

void kt_batch_finish_failed(struct kt_batch *batch, const struct kt_batch_unit *unit,
                            const struct kt_proc_result *result, const struct kt_buf *output)
{
	const size_t half = unit->count / 2;

	batch->confirmed += unit->refused && unit->count == 1 && !result->signalled && !result->timed_out;
	if (unit->count > 1 && has_common_error(output, KT_BATCH_SPLIT)) {
		/* An older toolkit; units that run already fail in the same way and come here too. */
		batch->splits = false;
		kt_batch_retry(batch, unit, 0, unit->count);
	} else if (unit->count == 1 && result->signalled && result->code == SIGKILL && !result->timed_out) {
		kt_batch_finish_unlucky(batch, unit, failure_message(batch, result, output));
	} else if (unit->count == 1 || has_common_error(output, NULL)) {
		kt_batch_finish_all(batch, unit, failure_message(batch, result, output));
	} else if (result->timed_out || !finish_guilty(batch, unit, output)) {
		kt_batch_retry(batch, unit, 0, half);
		kt_batch_retry(batch, unit, half, unit->count - half);
	}
}
