/* Candidates of requests, and how carefully they are timed. */
#include "messages.h"

static kt_status take_names(struct kt_run_candidate *out, struct kt_arena *arena, const struct kt_run_request *read,
                            struct kt_error *err)
{
	*out = (struct kt_run_candidate){.configuration = read->configuration, .cubin = read->cubin,
	                                 .function = read->function, .options = read->options,
	                                 .further_count = read->further_count,
	                                 .temporary_count = read->temporary_count, .temporaries = read->temporaries};
	NEED(out->further = kt_arena_array(arena, out->further_count + 1, sizeof *out->further), kt_no_memory(err));
	for (size_t i = 0; i < out->further_count; i++)
		out->further[i].function = read->further[i];
	for (size_t i = 0; i < out->temporary_count; i++)
		if (out->temporaries[i].element == KT_SCALAR_NONE)
			return kt_fail(err, KT_ERR_INVALID, "temporary %s is made of no element", out->temporaries[i].name);
	return KT_OK;
}

/* Each problem once: those that it names, then the others, so that checks keep their places after them. */
static kt_status take_order(struct kt_run_candidate *out, struct kt_arena *arena, const struct kt_run_request *read,
                            size_t problems, struct kt_error *err)
{
	size_t count = 0;
	out->order = kt_arena_array(arena, problems, sizeof *out->order);
	bool *named = kt_arena_array(arena, problems, sizeof *named);
	if (!out->order || !named)
		return kt_no_memory(err);
	for (size_t i = 0; i < read->order_count; i++) {
		const size_t p = read->order[i];
		if (p >= problems || named[p])
			return kt_fail(err, KT_ERR_INVALID, "'order' does not name each problem once");
		out->order[count++] = p;
		named[p] = true;
	}
	for (size_t p = 0; p < problems; p++) {
		if (!named[p])
			out->order[count++] = p;
	}
	return KT_OK;
}

/* Room for what there is one of per problem. */
static kt_status make_rows(struct kt_run_candidate *out, struct kt_arena *arena, size_t problems, struct kt_error *err)
{
	out->geometry = kt_arena_array(arena, problems, sizeof *out->geometry);
	out->give_up_ns = kt_arena_array(arena, problems, sizeof *out->give_up_ns);
	out->lost_ns = kt_arena_array(arena, problems, sizeof *out->lost_ns);
	out->skip = kt_arena_array(arena, problems, sizeof *out->skip);
	out->further_geometry = kt_arena_array(arena, problems, sizeof *out->further_geometry);
	out->temporary_counts = kt_arena_array(arena, problems, sizeof *out->temporary_counts);
	if (!out->geometry || !out->give_up_ns || !out->lost_ns || !out->skip || !out->further_geometry ||
	    !out->temporary_counts)
		return kt_no_memory(err);
	for (size_t p = 0; out->temporary_count && p < problems; p++)
		NEED(out->temporary_counts[p] = kt_arena_array(arena, out->temporary_count, sizeof **out->temporary_counts),
		     kt_no_memory(err));
	return KT_OK;
}

static kt_status take_row(struct kt_run_candidate *out, size_t problem, const struct kt_run_row *read,
                          struct kt_error *err)
{
	if (!read->geometry)
		return kt_fail(err, KT_ERR_INVALID, "geometry is missing");
	if (read->further_count != out->further_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu geometries for %zu further kernels", read->further_count,
		               out->further_count);
	if (read->temporary_count != out->temporary_count)
		return kt_fail(err, KT_ERR_INVALID, "%zu sizes for %zu temporaries", read->temporary_count,
		               out->temporary_count);
	for (size_t i = 0; i < out->temporary_count; i++)
		if (read->temporaries[i] < 0)
			return kt_fail(err, KT_ERR_INVALID, "a temporary has %lld elements", (long long)read->temporaries[i]);
	out->geometry[problem] = *read->geometry;
	out->further_geometry[problem] = read->further;
	if (out->temporary_count)
		out->temporary_counts[problem] = read->temporaries;
	out->give_up_ns[problem] = read->give_up_ns;
	out->lost_ns[problem] = read->lost_ns;
	return KT_OK;
}

kt_status kt_message_candidate(struct kt_run_candidate *out, struct kt_arena *arena, const cJSON *json,
                               const struct kt_run_region *region, struct kt_error *err)
{
	struct kt_run_request read = {0};
	TRY(kt_members_parse(&read, json, &kt_run_request, arena, err));
	TRY(take_names(out, arena, &read, err));
	TRY(take_order(out, arena, &read, region->problem_count, err));
	TRY(make_rows(out, arena, region->problem_count, err));
	/* Without a configuration it is the original, whose geometry the region has. */
	const bool original = !*out->configuration && !out->cubin;
	if (original && !read.row_count)
		return KT_OK;
	if (read.row_count != region->problem_count)
		return kt_fail(err, KT_ERR_INVALID, "a candidate for %zu of %zu problems", read.row_count,
		               region->problem_count);
	if (out->cubin && !out->function)
		return kt_fail(err, KT_ERR_INVALID, "a candidate without a function");
	for (size_t p = 0; p < read.row_count; p++) {
		out->skip[p] = read.rows[p].skip;
		if (!out->skip[p] && !original)
			TRY(take_row(out, p, &read.rows[p], err));
	}
	return KT_OK;
}

kt_status kt_message_effort(struct kt_run_effort *out, const cJSON *request, struct kt_error *err)
{
	*out = (struct kt_run_effort){0};
	TRY(kt_members_parse(out, request, &kt_run_effort, NULL, err));
	if (out->warmups < 0 || out->warmups > KT_RUN_SAMPLES || out->repetitions < 1 ||
	    out->repetitions > KT_RUN_SAMPLES)
		return kt_fail(err, KT_ERR_INVALID, "%lld warm-ups and %lld repetitions", (long long)out->warmups,
		               (long long)out->repetitions);
	return KT_OK;
}
