/* A region goes to the tester together with its host reference. */
#include "planning/plan_internal.h"
#include "tuning/reference.h"

kt_status kt_plan_region(bool *by_host, struct kt_arena *arena, const struct kt_plan *plan, const char *cubin,
                         const char *function, const char *check, struct kt_error *err)
{
	const struct kt_template *template_ = plan->template_;
	const struct kt_instance *instance = &template_->region->instances[plan->instance];
	const char *program = NULL;
	kt_status status = kt_reference_build(&program, arena, &plan->compile, template_->region, plan->source,
	                                      plan->source_size, err);

	*by_host = status != KT_OK;
	if (status != KT_OK)
		return status;
	kt_tester_set_host(plan->tester, program);
	status = check != NULL ? kt_tester_region_check(plan->tester, template_, instance, cubin, function, check, err)
	                       : kt_tester_region(plan->tester, template_, instance, cubin, function, err);
	/* The text is the arena's, which may go before the tester. */
	kt_tester_set_host(plan->tester, NULL);
	*by_host = status != KT_OK && kt_tester_blames_host(plan->tester);
	return status;
}
