/* The digest of a tuning, once the costs of all that was tried are known. */
#include <math.h>

#include "planning/plan_internal.h"

static kt_status add(struct kt_digest *out, const struct kt_tuning *s, size_t row, struct kt_error *err)
{
	const struct kt_trial *seen = &s->seen[row];
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	size_t index;
	const double *ns = kt_objective_row(&index, s->objective, row);
	const int64_t *configuration = kt_space_get(s->space, index);
	const double cost = kt_objective_cost(s->objective, row);
	const bool right = seen->verdict == KT_VERDICT_OK && isfinite(cost);
	struct kt_tried tried = {.verdict = seen->verdict, .cost = cost, .detail = seen->detail,
	                         .registers = seen->registers,
	                         .threads = right ? kt_tuning_threads(s, configuration) : 0,
	                         .local_bytes = seen->local_bytes, .shared_bytes = seen->shared_bytes,
	                         .ns = right ? ns : NULL};
	bool kept;

	if (index == s->given)
		out->given_cost = cost;
	kt_configuration_print(&text, s->plan->template_->parameters, s->plan->template_->parameter_count, configuration);
	tried.configuration = kt_buf_text(&text);
	kept = kt_digest_add(out, s->arena, &tried, s->problems);
	kt_buf_free(&text);
	return kept ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "candidates: out of memory");
}

kt_status kt_tuning_digest(struct kt_digest *out, const struct kt_tuning *s, struct kt_error *err)
{
	const size_t rows = s->objective != NULL ? kt_objective_rows(s->objective) : 0;

	for (size_t row = 0; row < rows && row < s->seen_count; row++)
		TRY(add(out, s, row, err));
	return KT_OK;
}
