/* One configuration on all checks, or on one: what a search found wrong, shown again. */
#include <string.h>

#include "planning/plan_internal.h"

/* Waits for both binaries. */
static kt_status build_both(struct kt_built *original, struct kt_built *candidate, struct kt_batch *batch,
                            const int64_t *configuration, struct kt_error *err)
{
	kt_status status = kt_batch_add(batch, KT_ORIGINAL_TICKET, NULL, err);

	if (status == KT_OK)
		status = kt_batch_add(batch, KT_ORIGINAL_TICKET + 1, configuration, err);
	if (status == KT_OK)
		status = kt_batch_flush(batch, err);
	while (status == KT_OK && kt_batch_pending(batch) != 0) {
		struct kt_built built;

		if (kt_batch_next(&built, batch, 0.25))
			*(built.ticket == KT_ORIGINAL_TICKET ? original : candidate) = built;
	}
	if (status == KT_OK && original->cubin == NULL)
		status = kt_fail(err, KT_ERR_INVALID, "the slice with the original kernel does not compile: %.600s",
		                 original->message != NULL ? original->message : "no message");
	return status;
}

kt_status kt_plan_verify(struct kt_outcome *out, struct kt_arena *arena, const struct kt_plan *plan,
                         const int64_t *configuration, const char *check, struct kt_error *err)
{
	const struct kt_instance *instance = &plan->template_->region->instances[plan->instance];
	struct kt_built original = {0}, candidate = {0};
	struct kt_batch *batch = NULL;
	kt_status status = kt_batch_open(&batch, &plan->compile, plan->template_, instance, plan->source,
	                                 plan->source_size, err);

	if (status == KT_OK)
		status = build_both(&original, &candidate, batch, configuration, err);
	if (status == KT_OK && candidate.cubin == NULL) {
		*out = (struct kt_outcome){.verdict = KT_VERDICT_NO_COMPILE,
		                           .failed = kt_arena_strdup(arena, candidate.message != NULL ? candidate.message : "")};
		goto done;
	}
	if (status == KT_OK)
		status = check != NULL ? kt_tester_region_check(plan->tester, plan->template_, instance, original.cubin,
		                                                original.function, check, err)
		                       : kt_tester_region(plan->tester, plan->template_, instance, original.cubin,
		                                          original.function, err);
	if (status == KT_OK) {
		struct kt_candidate tried = {candidate.cubin, candidate.function, configuration};

		status = kt_tester_try(out, arena, plan->tester, &tried, &kt_check_effort, NULL, err);
	}
done:
	kt_batch_close(batch);
	return status;
}
