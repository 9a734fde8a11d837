/* What an observer is told of a tuning. */
#include <math.h>

#include "base/log.h"
#include "planning/observer.h"
#include "planning/plan_internal.h"

static void tell_best(struct kt_observation *out, struct kt_buf *text, const struct kt_tuning *s)
{
	const size_t row = s->objective != NULL ? kt_objective_best_row(s->objective) : SIZE_MAX;
	const struct kt_template *template_ = s->plan->template_;
	const double *ns;
	double logs = 0;
	size_t index, known = 0;

	if (row == SIZE_MAX)
		return;
	ns = kt_objective_row(&index, s->objective, row);
	kt_configuration_print(text, template_->parameters, template_->parameter_count, kt_space_get(s->space, index));
	out->configuration = kt_buf_text(text);
	out->speedup = kt_objective_best_speedup(s->objective);
	for (size_t p = 0; s->copy_ns != NULL && p < s->problems; p++)
		if (s->copy_ns[p] > 0 && ns[p] > 0) {
			logs += log(s->copy_ns[p] / ns[p]);
			known++;
		}
	out->of_bound = known != 0 ? exp(logs / (double)known) : 0;
}

void kt_tuning_observe(const struct kt_tuning *s, enum kt_phase phase, size_t count, size_t total)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	const double now_s = kt_now_s();
	struct kt_observation observation = {.phase = phase, .instance = s->instance->name, .tried = count, .total = total,
	                                     .seconds = now_s - s->started_s,
	                                     .left_s = fmax(0, kt_tuning_deadline(s) - now_s)};

	if (s->plan->observer == NULL && !kt_log_on_terminal())
		return;
	tell_best(&observation, &text, s);
	kt_observe(s->plan->observer, &observation);
	kt_buf_free(&text);
}
