#include <string.h>

#include "engine.h"

static size_t most_temporaries(const struct kt_run_candidate *candidates, size_t count)
{
	size_t most = 0;
	for (size_t c = 0; c < count; c++)
		most = candidates[c].temporary_count > most ? candidates[c].temporary_count : most;
	return most;
}

/* Of one temporary on one problem, for the candidate that needs most. More than can be addressed stays so. */
static int64_t bytes_of(const struct kt_run_candidate *candidates, size_t count, size_t index, size_t problem)
{
	int64_t most = 0;
	for (size_t c = 0; c < count; c++) {
		int64_t bytes = 0;
		if (index >= candidates[c].temporary_count)
			continue;
		if (__builtin_mul_overflow(candidates[c].temporary_counts[problem][index],
		                           (int64_t)kt_scalar_bytes(candidates[c].temporaries[index].element), &bytes))
			bytes = INT64_MAX;
		most = bytes > most ? bytes : most;
	}
	return most;
}

/* Candidates of one template call theirs alike; bytes do for all. */
static void describe(struct kt_run_buffer *out, const struct kt_run_candidate *candidates, size_t index)
{
	static const struct kt_limits none;
	while (index >= candidates->temporary_count)
		candidates++;
	out->name = candidates->temporaries[index].name;
	out->element = kt_element_of(KT_U8);
	out->limits = &none;
	out->direction = KT_SCRATCH;
}

static bool is_asked(const struct kt_run_candidate *candidates, size_t count, size_t problem)
{
	for (size_t c = 0; c < count; c++) {
		if (candidates[c].temporary_count && !candidates[c].skip[problem])
			return true;
	}
	return false;
}

/* The region with `more` further buffers at the end, and as many arguments. */
static kt_status extend(struct kt_run_region *out, struct kt_arena *arena, const struct kt_run_region *region,
                        const struct kt_run_candidate *candidates, size_t count, size_t more, struct kt_error *err)
{
	const size_t buffers = region->buffer_count, arguments = region->argument_count;
	*out = *region;
	out->buffer_count = buffers + more;
	out->argument_count = arguments + more;
	out->buffers = kt_arena_array(arena, out->buffer_count, sizeof *out->buffers);
	out->arguments = kt_arena_array(arena, out->argument_count, sizeof *out->arguments);
	out->problems = kt_arena_array(arena, region->problem_count, sizeof *out->problems);
	if (!out->buffers || !out->arguments || !out->problems)
		return kt_no_memory(err);
	for (size_t b = 0; b < buffers; b++)
		out->buffers[b] = region->buffers[b];
	for (size_t a = 0; a < arguments; a++)
		out->arguments[a] = region->arguments[a];
	for (size_t t = 0; t < more; t++) {
		describe(&out->buffers[buffers + t], candidates, t);
		out->arguments[arguments + t] = (struct kt_run_argument){.is_buffer = true, .buffer = buffers + t};
	}
	for (size_t p = 0; p < region->problem_count; p++) {
		struct kt_run_data *data;
		NEED(data = kt_arena_array(arena, out->buffer_count, sizeof *data), kt_no_memory(err));
		for (size_t b = 0; b < buffers; b++)
			data[b] = region->problems[p].data[b];
		for (size_t t = 0; t < more; t++)
			data[buffers + t] = (struct kt_run_data){.count = bytes_of(candidates, count, t, p), .kind = KT_FILL_ZEROS,
			                                         .alias = KT_NO_BUFFER};
		out->problems[p] = region->problems[p];
		out->problems[p].data = data;
	}
	return KT_OK;
}

kt_status kt_temporaries_enter(struct kt_engine *e, struct kt_arena *arena, const struct kt_run_candidate *candidates,
                               size_t count, struct kt_error *err)
{
	const size_t more = most_temporaries(candidates, count);
	if (!more)
		return KT_OK;
	*e->fault = (struct kt_fault){KT_VERDICT_OVER_LIMIT, false};
	if (e->region->buffer_count + more > KT_RUN_BUFFERS || e->region->argument_count + more > KT_RUN_ARGUMENTS)
		return kt_fail(err, KT_ERR_CHILD, "%zu temporaries are more than can be run", more);
	struct kt_run_region *extended = kt_arena_alloc(arena, sizeof *extended);
	bool *asked = kt_arena_array(arena, e->region->problem_count, sizeof *asked);
	if (!extended || !asked)
		return kt_no_memory(err);
	kt_status status = extend(extended, arena, e->region, candidates, count, more, err);
	if (status)
		return status;
	for (size_t p = 0; p < e->region->problem_count; p++)
		asked[p] = is_asked(candidates, count, p);
	e->prepared_region = e->region;
	e->prepared_places = e->places;
	e->region = extended;
	status = kt_place_again(e, arena, e->prepared_places, asked, err);
	if (status)
		kt_temporaries_leave(e);
	return status;
}

void kt_temporaries_leave(struct kt_engine *e)
{
	if (!e->prepared_region)
		return;
	e->region = e->prepared_region;
	e->places = e->prepared_places;
	e->prepared_region = NULL;
	e->prepared_places = NULL;
}
