/*
 * The rounds of the generators on this machine: the rules' template first, then that of the kernel IR where the first one's
 * result is no copy yet. They read a kernel in two ways, and either may know a loop that the other one leaves alone.
 */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/measure.h"
#include "planning/rounds_internal.h"

double kt_rounds_over_copy(const struct kt_entry *entry)
{
	double logs = 0;
	size_t used = 0;

	if (entry == NULL || entry->copy_ns == NULL || entry->tuned == NULL)
		return 0;
	for (size_t p = 0; p < entry->problem_count; p++)
		if (entry->copy_ns[p] > 0 && entry->tuned[p].median_ns > 0) {
			logs += log(entry->tuned[p].median_ns / entry->copy_ns[p]);
			used++;
		}
	return used != 0 ? exp(logs / (double)used) : 0;
}

/* What the first template may take where a second generator may follow: the rest is for that one. */
static const double first_share = 0.65;
/* Less of the allowance is no tuning. */
static const double second_least = 0.1;

/* May the IR have a template beside that of the rules? Only asking it tells whether it has one. */
static bool has_second(const struct kt_loop *r)
{
	const struct kt_config *config = r->work->input.config;

	return config->generator == NULL && config->replay == NULL && r->region->language == KT_LANGUAGE_CUDA &&
	       r->region->generation != KT_AUTO_LIST && strcmp(r->each->template_->generator, "rules") == 0;
}

/* Tunes a template of a generator on this machine. */
static enum kt_reason generated_round(struct kt_loop *r, const struct kt_template *template_, double seconds,
                                      int64_t trials, struct kt_error *err)
{
	const struct kt_share share = {.seconds = seconds, .trials = trials, .keep = kt_rounds_keep, .keep_context = r,
	                               .counts = kt_rounds_has_model(r->work, r->each)};
	const double begin_s = kt_now_s();
	struct kt_round round = kt_rounds_open_one(r, 0, 0, 0, template_->generator);
	struct kt_planned *planned = kt_arena_alloc(r->work->arena, sizeof *planned);
	kt_status status;

	if (planned == NULL)
		return KT_REASON_INTERNAL;
	status = kt_rounds_try(r, &round, planned, template_, &share, err);
	if (status == KT_OK && planned->entry.problem_count != 0) {
		/* Where all failed there is a digest, and no result. */
		const struct kt_entry *entry = planned->entry.tuned != NULL ? &planned->entry : NULL;

		kt_buf_addf(&r->tried, "By %s:\n", template_->generator);
		kt_facts_add_digest(&r->tried, r->region, r->instance, &r->work->device, entry, &planned->digest);
	}
	kt_rounds_close_one(r, &round, begin_s);
	if (status != KT_OK)
		return planned->reason != KT_REASON_NONE ? planned->reason : KT_REASON_TUNE_FAILED;
	if (planned->reason != KT_REASON_NONE && planned->reason != KT_REASON_BASELINE_BEST) {
		kt_fail(err, KT_ERR_INVALID, "%s",
		        planned->refusal != NULL ? planned->refusal : kt_reason_text(planned->reason));
		return planned->reason;
	}
	return KT_REASON_NONE;
}

static enum kt_reason first_round(struct kt_loop *r, struct kt_error *err)
{
	const double part = has_second(r) ? first_share : 1;

	return generated_round(r, r->each->template_, part * kt_work_after_preparation(r->work, r->allowance.seconds),
	                       r->allowance.trials == INT64_MAX ? 0 : r->allowance.trials, err);
}

/* Is there something to gain for another template, and time to find it? Where the first one failed, it may not. */
static bool is_second_due(const struct kt_loop *r, enum kt_reason reason, double left_s)
{
	const double over_copy = kt_rounds_over_copy(r->best.entry);

	if (reason != KT_REASON_NONE && reason != KT_REASON_TUNE_FAILED && reason != KT_REASON_EMPTY_SPACE &&
	    reason != KT_REASON_NOTHING_TO_TUNE)
		return false;
	return has_second(r) && left_s > second_least * r->allowance.seconds && r->each->tried < r->allowance.trials &&
	       !(over_copy > 0 && over_copy <= KT_AT_COPY);
}

/* The template by the IR, where what the rules came to is no copy yet: the better one of the two is kept. */
static enum kt_reason second_round(struct kt_loop *r, enum kt_reason reason, double begin_s)
{
	const struct kt_template *template_ = NULL;
	struct kt_error why = {.message = ""};

	if (is_second_due(r, reason, r->allowance.seconds - (kt_now_s() - begin_s)))
		template_ = kt_work_second_template(r->work, r->each);
	if (template_ == NULL)
		return reason;
	if (generated_round(r, template_, fmax(r->allowance.seconds - (kt_now_s() - begin_s), second_least * r->allowance.seconds),
	                    r->allowance.trials == INT64_MAX ? 0 : r->allowance.trials - r->each->tried, &why) != KT_REASON_NONE)
		kt_log("%s: by the IR: %s", r->instance->name, why.message);
	return r->best.entry != NULL ? KT_REASON_NONE : reason;
}

enum kt_reason kt_rounds_generated(struct kt_loop *r, struct kt_error *err)
{
	const double begin_s = kt_now_s();

	return second_round(r, first_round(r, err), begin_s);
}
