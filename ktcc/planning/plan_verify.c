/* One configuration on all checks, or on one: what a search found wrong, shown again. Several beside each other. */
#include <string.h>

#include "planning/passes.h"
#include "planning/plan_internal.h"

/* Waits for all binaries; built[0] is the original's, the configurations' follow. */
static kt_status build_all(struct kt_built *built, struct kt_batch *batch, const int64_t *const *configurations,
                           size_t count, struct kt_error *err)
{
	TRY(kt_batch_add(batch, KT_ORIGINAL_TICKET, NULL, err));

	for (size_t i = 0; i < count; i++)
		TRY(kt_batch_add(batch, KT_ORIGINAL_TICKET + 1 + i, configurations[i], err));
	TRY(kt_batch_flush(batch, err));
	while (kt_batch_pending(batch) != 0) {
		struct kt_built one;

		if (kt_batch_next(&one, batch, 0.25))
			built[one.ticket - KT_ORIGINAL_TICKET] = one;
	}
	if (built[0].cubin == NULL)
		return kt_fail(err, KT_ERR_INVALID, "the slice with the original kernel does not compile: %.600s",
			       built[0].message != NULL ? built[0].message : "no message");
	return KT_OK;
}

kt_status kt_plan_verify(struct kt_outcome *out, struct kt_arena *arena, const struct kt_plan *plan,
                         const int64_t *configuration, const char *check, struct kt_error *err)
{
	const struct kt_instance *instance = &plan->template_->region->instances[plan->instance];
	bool by_host = false;
	struct kt_built both[2] = {{0}}, *original = &both[0], *candidate = &both[1];
	struct kt_batch *batch = NULL;
	kt_status status = kt_batch_open(&batch, &plan->compile, plan->template_, instance, plan->source,
	                                 plan->source_size, err);

	THEN(status, build_all(both, batch, &configuration, 1, err));
	if (status == KT_OK && candidate->cubin == NULL) {
		*out =
		    (struct kt_outcome){.verdict = KT_VERDICT_NO_COMPILE,
		                        .failed = kt_arena_strdup(arena, candidate->message != NULL ? candidate->message : "")};
		goto done;
	}
	THEN(status, kt_plan_region(&by_host, arena, plan, original->cubin, original->function, check, err));
	if (status == KT_OK) {
		struct kt_candidate tried = {candidate->cubin, candidate->function, configuration};

		status = kt_tester_try(out, arena, plan->tester, &tried, &kt_check_effort, NULL, err);
	}
done:
	kt_batch_close(batch);
	return status;
}

/* All passes of what was built; timings of what was not built are not changed. */
static kt_status compare_built(struct kt_timing *timings, struct kt_arena *arena, const struct kt_plan *plan,
                               const struct kt_built *built, const int64_t *const *configurations, size_t count,
                               size_t problems, struct kt_error *err)
{
	struct kt_candidate candidates[KT_PLAN_COMPARED + 1] = {{NULL, NULL, NULL}};
	size_t row[KT_PLAN_COMPARED + 1] = {0}, rows = 1;
	struct kt_effort effort = kt_final_effort;
	struct kt_timing *pass = kt_arena_array(arena, (count + 1) * problems, sizeof *pass);
	struct kt_passes *passes;
	kt_status status = KT_OK;

	for (size_t i = 0; i < count; i++)
		if (built[i + 1].cubin != NULL) {
			row[rows] = i + 1;
			candidates[rows++] =
			    (struct kt_candidate){built[i + 1].cubin, built[i + 1].function, configurations[i]};
		}
	passes = kt_passes_new(arena, rows, problems);
	if (pass == NULL || passes == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "timings: out of memory");
	while (status == KT_OK && !kt_passes_enough(passes)) {
		effort.seed += 2;
		status = kt_tester_compare(pass, arena, plan->tester, candidates, rows, &effort, err);
		if (status == KT_OK)
			kt_passes_add(passes, pass);
	}
	kt_passes_pool(pass, passes);
	for (size_t r = 0; status == KT_OK && r < rows; r++)
		memcpy(&timings[row[r] * problems], &pass[r * problems], problems * sizeof *pass);
	return status;
}

kt_status kt_plan_compare(struct kt_timing *timings, struct kt_arena *arena, const struct kt_plan *plan,
                          const int64_t *const *configurations, size_t count, struct kt_error *err)
{
	const struct kt_region *region = plan->template_->region;
	const struct kt_instance *instance = &region->instances[plan->instance];
	const size_t problems = region->variable_count != 0 ? region->problem_count : 1;
	struct kt_built built[KT_PLAN_COMPARED + 1] = {{0}};
	struct kt_batch *batch = NULL;
	bool by_host = false;
	kt_status status = count <= KT_PLAN_COMPARED
	                       ? kt_batch_open(&batch, &plan->compile, plan->template_, instance, plan->source,
	                                       plan->source_size, err)
	                       : kt_fail(err, KT_ERR_LIMIT, "%zu configurations, at most %d are compared", count,
	                                 KT_PLAN_COMPARED);

	memset(timings, 0, (count + 1) * problems * sizeof *timings);
	THEN(status, build_all(built, batch, configurations, count, err));
	THEN(status, kt_plan_region(&by_host, arena, plan, built[0].cubin, built[0].function, NULL, err));
	THEN(status, compare_built(timings, arena, plan, built, configurations, count, problems, err));
	kt_batch_close(batch);
	return status;
}
