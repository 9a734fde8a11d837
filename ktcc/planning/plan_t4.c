#include "planning/plan_t4.h"

#include <math.h>

#include "planning/t4_result.h"

/* Why a configuration has no times: the verdict in the store on the first problem that went wrong. */
static enum kt_verdict why(struct kt_tuning *s, size_t index, const char *const *problems)
{
	struct kt_buf config = KT_BUF(KT_LIMIT_LINE_BYTES);
	enum kt_verdict verdict = KT_VERDICT_CRASHED;

	kt_configuration_print(&config, s->plan->template_->parameters, s->plan->template_->parameter_count,
	                       kt_space_get(s->space, index));
	for (size_t p = 0; s->plan->store != NULL && p < s->problems; p++) {
		struct kt_trial trial;

		if (kt_store_get_trial(&trial, s->arena, s->plan->store, s->trial_key, s->device_key, kt_buf_text(&config),
		                       problems[p]) &&
		    trial.verdict != KT_VERDICT_OK) {
			verdict = trial.verdict;
			break;
		}
	}
	kt_buf_free(&config);
	return verdict;
}

/* What is the same for all results. */
struct frame {
	const char **parameters, **problems;
	double *ms;
};

static bool make_frame(struct frame *out, struct kt_tuning *s)
{
	const size_t parameters = s->plan->template_->parameter_count;
	bool done;

	out->parameters = kt_arena_array(s->arena, parameters + 1, sizeof *out->parameters);
	out->problems = kt_arena_array(s->arena, s->problems + 1, sizeof *out->problems);
	out->ms = kt_arena_array(s->arena, s->problems + 1, sizeof *out->ms);
	done = out->parameters != NULL && out->problems != NULL && out->ms != NULL;
	for (size_t i = 0; done && i < parameters; i++)
		out->parameters[i] = s->plan->template_->parameters[i].name;
	for (size_t p = 0; done && p < s->problems; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_tuning_problem_text(&text, s->region, p);
		out->problems[p] = kt_arena_strdup(s->arena, kt_buf_text(&text));
		done = out->problems[p] != NULL;
		kt_buf_free(&text);
	}
	return done;
}

static cJSON *make_result(struct kt_tuning *s, const struct frame *frame, size_t row)
{
	size_t index;
	const double *ns = kt_objective_row(&index, s->objective, row);
	const bool valid = isfinite(kt_objective_cost(s->objective, row));
	const struct kt_t4_result result = {
	    .parameter_count = s->plan->template_->parameter_count,
	    .parameters = frame->parameters,
	    .configuration = kt_space_get(s->space, index),
	    .verdict = valid ? KT_VERDICT_OK : why(s, index, frame->problems),
	    .problem_count = s->problems,
	    .ms = frame->ms,
	    .problems = frame->problems,
	};

	/* Where a configuration does not run the original does. */
	for (size_t p = 0; valid && p < s->problems; p++)
		frame->ms[p] = 1e-6 * (ns[p] > 0 ? ns[p] : kt_objective_baseline_ns(s->objective, p));
	return kt_t4_result(&result);
}

kt_status kt_tuning_write_t4(struct kt_tuning *s, const char *folder, struct kt_error *err)
{
	struct frame frame;
	cJSON *results;

	if (!make_frame(&frame, s))
		return kt_fail(err, KT_ERR_MEMORY, "T4 file: out of memory");
	results = cJSON_CreateArray();
	for (size_t row = 0; row < kt_objective_rows(s->objective); row++)
		cJSON_AddItemToArray(results, make_result(s, &frame, row));
	return kt_t4_write(folder, s->instance->name, results, err);
}
