#include <math.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "planning/observer.h"
#include "planning/rounds_internal.h"

/* What a family promises must be more than what two comparisons of the same text differ by. */
static const double promise_least = 0.01;
/* Seconds that are expected of a template by rules, and of an answer. */
static const double rules_s = 1, model_s = 60;
/* What either is thought to gain before anything was measured. */
static const double first_gain = 0.5;

static double seconds_since(double begin_s)
{
	return kt_now_s() - begin_s;
}

void kt_rounds_open(struct kt_loop *r, struct kt_work *work, struct kt_case *each, struct kt_lease *lease,
                    const struct kt_device *device)
{
	*r = (struct kt_loop){.work = work, .each = each, .lease = lease, .region = each->region, .gain = {1, 0},
	                      .instance = &each->region->instances[each->instance], .tried = KT_BUF(KT_LIMIT_LINE_BYTES)};
	kt_device_key(r->device_key, device);
	r->decisions = (struct kt_decision_log){work->input.store, each->region_key, r->device_key};
	r->progress.most = (unsigned)work->input.config->llm.rounds;
}

struct kt_round kt_rounds_open_one(const struct kt_loop *r, unsigned number, unsigned attempt, unsigned repair,
                                   const char *generator)
{
	return (struct kt_round){.number = number, .attempt = attempt, .repair = repair, .generator = generator,
	                         .name = r->instance->name, .parent = r->best_hash, .before = r->gain,
	                         .families = r->families, .family_count = number != 0 ? r->family_count : 0};
}

void kt_rounds_close_one(struct kt_loop *r, struct kt_round *round, double begin_s)
{
	round->after = r->gain;
	round->seconds = seconds_since(begin_s);
	kt_tuning_report_round(&r->decisions, round);
}

/* ---- the model's rounds */

static struct kt_entry_author author_of(struct kt_loop *r, const struct kt_model_answer *answer)
{
	struct kt_entry_author author = {.question = answer->from.question_hash, .answer = answer->from.answer_hash,
	                                 .model = answer->from.model};
	const time_t when = (time_t)answer->from.when;
	struct tm parts;
	char day[16] = "";

	if (gmtime_r(&when, &parts) != NULL)
		(void)strftime(day, sizeof day, "%Y-%m-%d", &parts);
	author.when = kt_arena_strdup(r->work->arena, day);
	return author;
}

/* What one more template of this round may take: what is left, divided among those that may still come. */
static struct kt_share share_of(struct kt_loop *r, unsigned attempt)
{
	static const double least_s = 10;
	const struct kt_config *config = r->work->input.config;
	const double rest = (double)(config->llm.attempts - attempt) +
	                    (double)(r->progress.most - r->progress.rounds - 1) * (double)config->llm.attempts;
	const double seconds = fmax(r->progress.seconds_left / fmax(rest, 1), fmin(least_s, r->progress.seconds_left));
	const int64_t trials = r->progress.trials_left;

	return (struct kt_share){.seconds = seconds, .keep = kt_rounds_keep, .keep_context = r,
	                         .counts = r->progress.rounds + 1 < r->progress.most,
	                         .trials = trials == INT64_MAX ? 0
	                                   : trials > 1        ? (int64_t)ceil((double)trials / fmax(rest, 1))
	                                                       : 1};
}

static void spend(struct kt_loop *r, const struct kt_planned *planned)
{
	r->progress.seconds_left -= planned->wall.total_s;
	if (r->progress.trials_left != INT64_MAX)
		r->progress.trials_left -= planned->tried;
}

/* A template of which nothing was right is worth as much as none: what went wrong. NULL: something was right. */
static const char *complaint_of(struct kt_loop *r, const struct kt_round *round, const struct kt_planned *planned)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_LINE_BYTES);
	char *copy;

	if (round->failed == NULL && planned->digest.best_count != 0)
		return NULL;
	if (round->failed != NULL)
		kt_buf_addf(&out, "%s\n", round->failed);
	kt_facts_add_digest(&out, r->region, r->instance, &r->work->device, NULL, &planned->digest);
	copy = out.size != 0 ? kt_arena_strdup(r->work->arena, kt_buf_text(&out)) : NULL;
	kt_buf_free(&out);
	return copy;
}

/* Adds one answer with what became of it to what the next questions tell. */
static void tell(struct kt_loop *r, const struct kt_round *round, const struct kt_planned *planned,
                 const char *complaint)
{
	const struct kt_model_answer *answer = round->answer;

	kt_buf_addf(&r->tried, "Answer %u.%u%s%s%s:\n", round->number, round->attempt,
	            round->repair != 0 ? ", put right" : "", answer->rationale != NULL ? ": " : "",
	            answer->rationale != NULL ? answer->rationale : "");
	if (complaint != NULL)
		kt_buf_addf(&r->tried, "- of no use: %s%s", complaint, complaint[strlen(complaint) - 1] == '\n' ? "" : "\n");
	else if (planned->entry.tuned != NULL)
		kt_facts_add_digest(&r->tried, r->region, r->instance, &r->work->device, &planned->entry, &planned->digest);
}

/* One answer or repair, and what becomes of it. *complaint: why it is of no use; NULL: it is, or none will be. */
static kt_status take_answer(struct kt_loop *r, struct kt_model_answer *answer, const char **complaint,
                             unsigned number, unsigned repair, struct kt_error *err)
{
	const double begin_s = kt_now_s() - answer->from.seconds;
	struct kt_round round = kt_rounds_open_one(r, r->progress.rounds + 1, number, repair, "llm");
	struct kt_planned *planned = kt_arena_alloc(r->work->arena, sizeof *planned);
	struct kt_error why;

	*complaint = NULL;
	NEED(planned, kt_fail(err, KT_ERR_MEMORY, "out of memory for an answer"));
	round.answer = answer;
	if (answer->end == KT_ANSWER_TEMPLATE) {
		struct kt_share share = share_of(r, number);

		share.author = author_of(r, answer);
		if (kt_rounds_try(r, &round, planned, answer->template_, &share, &why) != KT_OK)
			kt_log("%s: %s", answer->label, why.message);
		spend(r, planned);
		*complaint = complaint_of(r, &round, planned);
	} else if (answer->end == KT_ANSWER_REFUSED) {
		*complaint = answer->complaint;
	}
	if (answer->end == KT_ANSWER_TEMPLATE || answer->end == KT_ANSWER_REFUSED)
		tell(r, &round, planned, *complaint);
	kt_rounds_close_one(r, &round, begin_s);
	return KT_OK;
}

/* An answer to the question of this round, and its repairs. */
static kt_status attempt(struct kt_loop *r, const struct kt_prompt_facts *facts, unsigned number, struct kt_error *err)
{
	struct kt_prompt_facts own = *facts;
	const char *before = NULL;
	kt_status status = KT_OK;

	r->progress.attempts++;
	for (unsigned repair = 0; status == KT_OK && repair <= KT_REPAIRS; repair++) {
		struct kt_model_answer *answer = kt_arena_alloc(r->work->arena, sizeof *answer);
		const char *label = kt_rounds_label(r, r->progress.rounds + 1, number, repair), *complaint;

		if (answer == NULL || label == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for a question");
		kt_observe(r->work->input.observer,
		           &(struct kt_observation){.phase = KT_PHASE_MODEL, .instance = r->instance->name,
		                                    .tried = r->progress.rounds + 1, .speedup = r->gain.speedup,
		                                    .left_s = r->progress.seconds_left});
		kt_store_lease_beat(r->lease);
		status = kt_model_ask(answer, r->model, &own, &r->work->device, label, r->questions++, before, err);
		kt_progress(NULL);
		kt_store_lease_beat(r->lease);
		if (status != KT_OK)
			return status;
		kt_work_charge(r->work, answer->from.seconds);
		kt_rounds_note_end(r, answer);
		status = take_answer(r, answer, &complaint, number, repair, err);
		if (complaint == NULL || !(r->progress.seconds_left > 0) || r->progress.trials_left <= 0)
			break;
		before = answer->text;
		own.complaint = complaint;
	}
	return status;
}

/* A user who asks for questions (`go_on`) gets them, also where little is to be gained. */
static double distance(const struct kt_loop *r)
{
	return r->work->input.go_on ? 0 : kt_rounds_over_copy(r->best.entry);
}

/* Waiting has a separate limit; the limit of the build ends everything. */
static double seconds_left(const struct kt_loop *r)
{
	const double build = kt_work_build_left(r->work);
	const double waited = kt_model_usage(r->model).seconds;

	if (waited >= r->work->input.config->llm.wait_s)
		return 0;
	return build >= 0 ? fmin(build, r->progress.seconds_left) : r->progress.seconds_left;
}

static enum kt_stop one_round(struct kt_loop *r, struct kt_error *err)
{
	const unsigned attempts = (unsigned)r->work->input.config->llm.attempts;
	const struct kt_gain before = r->gain;
	struct kt_prompt_facts facts;
	kt_status status = kt_rounds_facts(&facts, r, &r->work->device, err);
	double gain = 0;
	size_t measured;
	bool gained;
	struct kt_measure *measures =
	    kt_findings_measure(&measured, r->work->arena, r->region, r->instance, &r->work->device, &r->best);

	if (status != KT_OK || measures == NULL)
		return KT_STOP_BROKEN;
	for (size_t i = 0; i < r->family_count; i++)
		gain += kt_family_gain(r->families[i], measures, measured, &r->work->device, &r->history);
	/* The rules are used once: a second time they would write the same. */
	const struct kt_offer offers[KT_CHOOSE_NONE] = {[KT_CHOOSE_RULES] = {false, 0, rules_s},
	                                                [KT_CHOOSE_MODEL] = {true, gain, model_s}};
	if (kt_choice_next(offers, promise_least) == KT_CHOOSE_NONE && !r->work->input.go_on)
		return KT_STOP_PROMISE;
	r->progress.attempts = r->progress.awaited = r->progress.declined = r->progress.unpaid = 0;
	for (unsigned a = 0; status == KT_OK && a < attempts && !r->progress.nobody; a++) {
		r->progress.seconds_left = seconds_left(r);
		if (!(r->progress.seconds_left > 0) || r->progress.trials_left <= 0)
			break;
		status = attempt(r, &facts, a, err);
	}
	if (status != KT_OK) {
		kt_log("%s: the model's round ended: %s", r->instance->name, err->message);
		return KT_STOP_BROKEN;
	}
	gained = kt_choice_keeps(&before, &r->gain);
	/* A round without an answer is no evidence about what was suggested. */
	if (r->progress.awaited + r->progress.unpaid < r->progress.attempts && !r->progress.nobody) {
		for (size_t i = 0; i < r->family_count; i++) {
			r->history.tried[r->families[i]]++;
			r->history.helped[r->families[i]] += gained;
		}
		r->progress.fruitless = gained ? 0 : r->progress.fruitless + 1;
		r->progress.rounds++;
	}
	return KT_STOP_NONE;
}

static enum kt_stop model_rounds(struct kt_loop *r, struct kt_error *err)
{
	enum kt_stop stop;

	r->progress.seconds_left = r->allowance.seconds;
	r->progress.trials_left = r->allowance.trials;
	r->progress.over_copy = distance(r);
	stop = kt_choice_stop(&r->progress);
	if (stop != KT_STOP_NONE)
		return stop;
	if (kt_model_open(&r->model, r->work, r->each, true, r->lease, err) != KT_OK) {
		kt_log("%s: no model: %s", r->instance->name, err->message);
		return KT_STOP_NOBODY;
	}
	while (stop == KT_STOP_NONE) {
		stop = one_round(r, err);
		r->progress.over_copy = distance(r);
		r->progress.seconds_left = seconds_left(r);
		if (stop == KT_STOP_NONE)
			stop = kt_choice_stop(&r->progress);
	}
	return stop;
}

/* What the model's rounds cost, for the case's report. */
static void count_cost(struct kt_loop *r)
{
	const struct kt_llm_usage usage = kt_model_usage(r->model);

	r->each->rounds = r->progress.rounds;
	r->each->questions = usage.questions;
	r->each->prompt_tokens = usage.prompt_tokens;
	r->each->reply_tokens = usage.reply_tokens;
	r->each->cost = usage.cost;
	r->each->waited_s = usage.seconds;
}

enum kt_reason kt_rounds_run(struct kt_work *work, struct kt_case *each, struct kt_lease *lease, struct kt_error *err)
{
	/* A search that goes on is no reason to ask a model that has answered already. */
	const bool over = kt_work_starts_over(work, each), had = !over && kt_work_entry_here(work, each) != NULL;
	const bool asks = kt_rounds_has_model(work, each) && (!had || kt_rounds_goes_on(work, each));
	const struct kt_offer offers[KT_CHOOSE_NONE] = {[KT_CHOOSE_RULES] = {!each->waits, first_gain, rules_s},
	                                                [KT_CHOOSE_MODEL] = {asks, first_gain, model_s}};
	const enum kt_reason before = each->reason;
	enum kt_reason reason = KT_REASON_NONE;
	struct kt_error ignored;
	struct kt_loop r;

	kt_rounds_open(&r, work, each, lease, &work->device);
	r.allowance = kt_work_allowance(work, each);
	each->awaited_count = 0;
	each->failed = false;
	if (!over)
		r.stored = kt_rounds_entry_here(&r);
	if (asks)
		kt_rounds_put_state(work, each, r.device_key, "going");
	kt_decision_note(&r.decisions, KT_DECISION_BEGIN, "ktcc " KT_VERSION ", %zu problems, %.0f s",
	               each->region->variable_count != 0 ? each->region->problem_count : 1,
	               r.allowance.seconds);
	if (kt_choice_next(offers, promise_least) == KT_CHOOSE_RULES)
		reason = kt_rounds_generated(&r, err);
	if (asks && reason != KT_REASON_BASELINE_FAILED && reason != KT_REASON_REFERENCE_FAILED) {
		const enum kt_stop stop = model_rounds(&r, &ignored);
		const struct kt_llm_usage usage = kt_model_usage(r.model);

		kt_tuning_report_end(&r.decisions, stop, &usage, r.progress.rounds);
		kt_log("%s: the rounds ended: %s", r.instance->name, kt_stop_text(stop));
		count_cost(&r);
		kt_rounds_put_state(work, each, r.device_key, "done");
	}
	each->wall.scan_s = work->scan_s;
	each->tuned = r.best.entry != NULL && r.stored != NULL;
	if (each->tuned)
		reason = KT_REASON_NONE;
	else if (each->waits)
		reason = before;
	if (reason != KT_REASON_NONE && each->waits)
		err->message[0] = '\0';
	kt_model_close(r.model);
	kt_buf_free(&r.tried);
	return reason;
}
