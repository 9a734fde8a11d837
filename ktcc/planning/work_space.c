/* Configurations of a case compiled as a search compiles them, and nothing else: what compilers can do here. */
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "planning/work_internal.h"
#include "tuning/code.h"
#include "tuning/space.h"
#include "tuning/unit.h"

struct run {
	struct kt_compiled_space *out;
	struct kt_arena *arena;
	struct kt_batch *batch;
	size_t hash_count;
	const char **hashes; /* of the modules so far */
};

static kt_status note_module(struct run *run, const struct kt_built *built, struct kt_error *err)
{
	char name[KT_UNIT_NAME_BYTES], hash[KT_HASH_TEXT];
	const char *part, **slot;

	kt_unit_name(name, built->text);
	NEED(part = kt_arena_printf(run->arena, "%zu%s", strlen(name), name),
	     kt_fail(err, KT_ERR_MEMORY, "compiled space: out of memory"));
	TRY(kt_module_hash(hash, built->cubin, part, err));
	for (size_t i = 0; i < run->hash_count; i++)
		if (strcmp(run->hashes[i], hash) == 0)
			return KT_OK;
	slot = kt_arena_push(run->arena, &run->hashes, &run->hash_count, sizeof *slot);
	if (slot == NULL || (*slot = kt_arena_strdup(run->arena, hash)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "compiled space: out of memory");
	return KT_OK;
}

/* Waits for all that was added. */
static kt_status take_all(struct run *run, struct kt_error *err)
{
	struct kt_built built;

	while (kt_batch_pending(run->batch) > 0) {
		if (!kt_batch_next(&built, run->batch, INFINITY))
			return kt_fail(err, KT_ERR_LIMIT, "compilers did not end");
		if (built.cubin == NULL && run->out->message == NULL)
			run->out->message = kt_arena_strdup(run->arena, built.message);
		if (built.ticket == 0 && built.cubin == NULL)
			return kt_fail(err, KT_ERR_INVALID, "the original kernel does not compile: %.600s",
				       built.message);
		if (built.ticket == 0)
			continue;
		run->out->compiled += built.cubin != NULL;
		run->out->failed += built.cubin == NULL;
		if (built.cubin != NULL)
			TRY(note_module(run, &built, err));
	}
	return KT_OK;
}

static kt_status add_spread(struct run *run, const struct kt_space *space, size_t count, struct kt_error *err)
{
	const size_t total = kt_space_feasible(space);

	count = count < total ? count : total;
	for (size_t i = 0; i < count; i++)
		TRY(kt_batch_add(run->batch, i + 1, kt_space_get(space, i * total / count), err));
	return kt_batch_flush(run->batch, err);
}

/* Of processes that have ended and were waited for. */
static double children_s(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
		return 0;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

kt_status kt_work_compile_space(struct kt_compiled_space *out, struct kt_work *work, const struct kt_case *each,
				const struct kt_device *device, size_t count, struct kt_error *err)
{
	const struct kt_instance *instance = &each->region->instances[each->instance];
	struct run run = {.out = out, .arena = work->arena};
	struct kt_space *space = NULL;
	struct kt_compile compile;
	double begin_s = kt_now_s();
	const double cpu_s = children_s();
	kt_status status = kt_work_compile(&compile, work, device->cc, err);

	*out = (struct kt_compiled_space){0};
	THEN(status, kt_space_build(&space, each->template_, instance, device, err));
	THEN(status, kt_batch_open(&run.batch, &compile, each->template_, instance, kt_buf_text(&work->source),
	                           work->source.size, err));
	THEN(status, kt_batch_add(run.batch, 0, NULL, err));
	THEN(status, kt_batch_flush(run.batch, err));
	THEN(status, take_all(&run, err));
	if (status == KT_OK)
		kt_batch_settle(run.batch);
	out->original_s = kt_now_s() - begin_s;
	begin_s = kt_now_s();
	THEN(status, add_spread(&run, space, count, err));
	THEN(status, take_all(&run, err));
	out->seconds = kt_now_s() - begin_s;
	out->modules = run.hash_count;
	if (run.batch != NULL)
		out->screened = *kt_batch_screened(run.batch);
	if (out->screened.detail != NULL)
		out->screened.detail = kt_arena_strdup(work->arena, out->screened.detail);
	kt_batch_close(run.batch);
	out->cpu_s = children_s() - cpu_s;
	kt_space_free(space);
	return status;
}
