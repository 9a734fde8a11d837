/* The search of one tuning: what strategies ask for, for how long, and what they are told. */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/enough.h"
#include "planning/knowledge.h"
#include "planning/plan_internal.h"
#include "tuning/consult.h"

/*
 * Candidates under way: at first one for every compiler, so that something can be tried soon. More by MORE each time
 * that the device had to wait for one, fewer while more than READY_ENOUGH are ready: few enough to steer by what was
 * found out, and to be through when the budget ends. A strategy that does not listen has nothing to steer: more and more.
 * Asking for one part of them at a time costs a model one look at what is new, and its guesses about what is under way
 * are made once for all of the part.
 */
enum { PENDING_LEAST = 16, PENDING_MOST = 128, MORE = 4, READY_ENOUGH = 12, ROUND_MOST = KT_CONSULT_MOST, PARTS = 4, FIRST_PART = 8 };

/* The number of candidates that may end the runner before one has been right. */
enum { ENDED_MOST = 24 };

/* The numbers that may not compile, or be wrong, before one has been right: then the cause is the text, not its values. */
enum { UNCOMPILED_MOST = 16, WRONG_MOST = 48 };

/* Where problems may have specialised variants: the part of budget and trials that the general one gets. */
static const double general_share = 0.75;

/* As near to the copy bandwidth bound as two copies are to each other: other problems get the time first. */
static const double at_copy = 1.01;

/*
 * Where none of this number of candidates (a part of the space, within bounds) is better by SETTLED_GAIN, the search
 * ends before its budget does.
 */
enum { SETTLED_LEAST = 96, SETTLED_MOST = 512 };
static const double settled_part = 0.125, settled_gain = 1.003;

/* One strategy at work: towards the general configuration, or towards the fastest on one problem. */
struct kt_search_run {
	struct kt_search *search;
	struct kt_consult *consult; /* of that search */
	size_t problem; /* SIZE_MAX: all together */
	size_t told;    /* rows of the objective that it knows */
	size_t retracted; /* of s->retracted */
	bool exhausted;
	double best;    /* cost of the best seen so far, and after how many candidates it was seen */
	size_t since;
};

/* One number for a row, the less the better; INFINITY: it failed. */
static double cost_for(const struct kt_tuning *s, const struct kt_search_run *state, size_t row)
{
	double general = kt_objective_cost(s->objective, row), ns;
	size_t ignored;

	if (state->problem == SIZE_MAX || !isfinite(general))
		return general;
	ns = kt_objective_row(&ignored, s->objective, row)[state->problem];
	/* Where a guard keeps it out it is as good as the original. */
	return ns > 0 ? ns : kt_objective_baseline_ns(s->objective, state->problem);
}

/* Notes for a strategy what was found out since it was last told, by whomever. */
static void catch_up(const struct kt_tuning *s, struct kt_search_run *state)
{
	for (; state->told < kt_objective_rows(s->objective); state->told++) {
		size_t index;

		(void)kt_objective_row(&index, s->objective, state->told);
		kt_consult_tell(state->consult, index, cost_for(s, state, state->told));
	}
	for (; state->retracted < s->retracted_count; state->retracted++)
		kt_consult_retract(state->consult, s->retracted[state->retracted]);
}

kt_status kt_tuning_retract(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	size_t *slot = kt_arena_push(s->arena, &s->retracted, &s->retracted_count, sizeof *slot);

	NEED(slot, kt_fail(err, KT_ERR_MEMORY, "search: out of memory"));
	*slot = index;
	return KT_OK;
}

/* Tells a strategy what is new (blind: nothing is known that could be told) and asks it for some configurations. */
static void question(size_t most, const struct kt_tuning *s, struct kt_search_run *state, bool blind)
{
	if (!blind)
		catch_up(s, state);
	kt_consult_ask(state->consult, most);
}

static size_t answer(size_t *indices, struct kt_tuning *s, struct kt_search_run *state)
{
	const double begin_s = kt_now_s();
	const size_t asked = kt_consult_take(indices, state->consult);

	kt_tuning_spent(s, KT_BETWEEN_SEARCH, begin_s);
	state->exhausted = asked == 0;
	return asked;
}

/* Who names a strategy gets it as it is. */
static kt_status ask_starts(struct kt_tuning *s, struct kt_error *err)
{
	const struct kt_plan *plan = s->plan;
	size_t most = 0;

	if (plan->strategy == NULL) {
		most = kt_start_choose(s->starts, s->arena, s->space, plan->template_, s->instance, s->device);
		most = kt_start_known(s->starts, most, s->arena, s->space, plan->template_, plan->known, plan->known_count);
	}
	while (s->start_count < most && s->trials_left > 0) {
		const size_t index = s->starts[s->start_count++].index;

		if (index != s->given)
			TRY(kt_tuning_ask_for(s, index, err));
	}
	return KT_OK;
}

/* What a strategy asks for, unless somebody asked before. */
static kt_status take_up(struct kt_tuning *s, size_t index, struct kt_error *err)
{
	if (index == s->given || kt_start_is_among(s->starts, s->start_count, index) || kt_tuning_is_waiting(s, index))
		return KT_OK;
	return kt_tuning_ask_for(s, index, err);
}

/*
 * A model gives the values that it thinks best first: what they are worth without a search is part of what is found out
 * about its text. SIZE_MAX: the device cannot run them, or no model gave them.
 */
static size_t given_index(const struct kt_tuning *s)
{
	const struct kt_template *template_ = s->plan->template_;
	int64_t *values = kt_arena_array(s->arena, template_->parameter_count + 1, sizeof *values);

	if (values == NULL || strcmp(template_->generator, "llm") != 0)
		return SIZE_MAX;
	for (size_t i = 0; i < template_->parameter_count; i++)
		values[i] = template_->parameters[i].values[0];
	return kt_space_find(s->space, values);
}

/* Without the baseline's times no cost is known: a strategy is told of nothing yet. */
static bool is_blind(const struct kt_tuning *s)
{
	for (size_t p = 0; p < s->problems; p++)
		if (kt_objective_baseline_ns(s->objective, p) > 0)
			return false;
	return true;
}

static bool is_settled(const struct kt_tuning *s, struct kt_search_run *state)
{
	const double speedup = kt_objective_best_speedup(s->objective);
	const double cost = state->problem == SIZE_MAX ? (speedup > 0 ? 1 / speedup : INFINITY)
	                                                 : kt_objective_best_ns(s->objective, state->problem);
	const double part = settled_part * (double)s->total;
	const size_t patience = part < (double)SETTLED_LEAST ? SETTLED_LEAST
	                        : part > (double)SETTLED_MOST ? SETTLED_MOST : (size_t)part;

	/* Who asks for all of the space gets it. */
	if (s->plan->strategy != NULL && strcmp(s->plan->strategy, "exhaustive") == 0)
		return false;
	if (state->best == 0 || cost * settled_gain < state->best) {
		state->best = cost;
		state->since = s->tried;
	}
	return s->tried - state->since >= patience;
}

/* What it asks for is compiled. */
static kt_status take_answer(struct kt_tuning *s, struct kt_search_run *state, struct kt_error *err)
{
	size_t indices[ROUND_MOST];
	const size_t asked = answer(indices, s, state);

	for (size_t i = 0; i < asked && s->trials_left > 0; i++)
		TRY(take_up(s, indices[i], err));
	return KT_OK;
}

/* How many more it may ask for, so that `room` candidates are under way. */
static size_t wanted(const struct kt_tuning *s, const struct kt_search_run *state, size_t room)
{
	const size_t pending = kt_batch_pending(s->batch), most = pending < room ? room - pending : 0;

	if (state->exhausted || s->trials_left <= 0)
		return 0;
	return (int64_t)most > s->trials_left ? (size_t)s->trials_left : most;
}

/*
 * Asks until `room` candidates are under way; those of earlier calls are the strategy's own and not asked twice. Where
 * nothing can be told it asks once: what is remembered of a killed search may be all that was asked for.
 */
static kt_status ask(struct kt_tuning *s, struct kt_search_run *state, size_t room, struct kt_error *err)
{
	const bool blind = is_blind(s);
	bool going = true;
	size_t most;
	kt_status status = KT_OK;

	while (going && status == KT_OK && (most = wanted(s, state, room)) != 0) {
		question(most, s, state, blind);
		status = take_answer(s, state, err);
		going = !blind;
	}
	return status == KT_OK ? kt_batch_flush(s->batch, err) : status;
}

/* A recording answers at once, and what is asked must not depend on when. */
static bool thinks_aside(const struct kt_tuning *s)
{
	return s->plan->config->replay == NULL && !is_blind(s);
}

/*
 * Keeps `room` candidates under way: a strategy thinks while those that were asked for before are tried, and its answer is
 * waited for where there are none.
 */
static kt_status keep_asking(struct kt_tuning *s, struct kt_search_run *state, size_t room, bool may,
			     struct kt_error *err)
{
	const bool idle = kt_batch_pending(s->batch) == 0 && s->under_way_count == 0;

	if (may && !kt_consult_is_under_way(state->consult)) {
		const size_t most = wanted(s, state, room);

		if (!thinks_aside(s))
			return ask(s, state, room, err);
		if (most != 0)
			question(most, s, state, false);
	}
	if (!kt_consult_is_ready(state->consult) && !(idle && kt_consult_is_under_way(state->consult)))
		return KT_OK;
	TRY(take_answer(s, state, err));
	/* What it asked for may all be known from an earlier tuning: there is nothing to wait for, and more to ask. */
	return may && idle ? ask(s, state, room, err) : kt_batch_flush(s->batch, err);
}

/* Before the next candidate is waited for. */
static void adapt_pending(struct kt_tuning *s)
{
	const size_t ready = kt_batch_ready(s->batch);
	const bool listens = kt_search_listens(s->general->search);

	if ((ready == 0 || !listens) && s->tried != 0 && s->pending_most + MORE <= PENDING_MOST)
		s->pending_most += MORE;
	else if (ready > READY_ENOUGH && listens && s->pending_most > PENDING_LEAST)
		s->pending_most--;
}

/* Where every candidate fails alike nothing will be found. NULL: there is hope. */
static const char *hopeless(const struct kt_tuning *s)
{
	const size_t decided = kt_tuning_decided(s);

	if (s->built_count != 0 || s->recalled != 0)
		return NULL;
	if (s->ended_in_row >= ENDED_MOST)
		return "every candidate ended the runner";
	if (s->uncompiled == decided && decided >= UNCOMPILED_MOST)
		return "no candidate compiled";
	return s->wrong == decided && decided >= WRONG_MOST ? "every candidate was wrong" : NULL;
}

static bool gives_up(struct kt_tuning *s)
{
	const char *why = hopeless(s);

	if (why != NULL && s->trials_left > 0)
		kt_log("%s: after %zu candidates: %s", s->instance->name, s->tried, why);
	if (why != NULL)
		s->trials_left = 0;
	return why != NULL;
}

/* The end of a part of the search. What one and what the last comparison takes is better known after each candidate. */
static double part_end_s(const struct kt_tuning *s, double part)
{
	const double waited_s = kt_tuning_deadline(s) - s->deadline_s;

	return s->search_began_s + waited_s + part * (kt_tuning_search_end(s) - s->search_began_s - waited_s);
}

/*
 * Takes in what was built, and does the next thing that the device can do: verify a contender whose time has come, look at
 * what was built, or, where nothing is, bring what is under way to its end. False in *going: nothing came until then.
 */
static kt_status step(bool *going, struct kt_tuning *s, double until_s, struct kt_error *err)
{
	const double begin_s = kt_now_s();
	struct kt_built built;
	bool ready;

	kt_tuning_foresee(s);
	kt_batch_poll(s->batch);
	kt_tuning_spent(s, KT_BETWEEN_BUILT, begin_s);
	ready = kt_batch_ready(s->batch) != 0;
	*going = true;
	if (kt_tuning_round_is_due(s, !ready && s->under_way_count == 0))
		return kt_tuning_verify_next(s, err);
	if (!ready && s->under_way_count != 0)
		return kt_tuning_collect(s, err);
	*going = kt_tuning_next_built(&built, s, until_s);
	return *going ? kt_tuning_try(s, &built, err) : KT_OK;
}

/*
 * Asks for more where `state` is not NULL; tries what was built until that part of the search's time is over, or
 * until only `left` candidates are left. Replies may be under way afterwards.
 */
static kt_status pursue_on(struct kt_tuning *s, struct kt_search_run *state, size_t left, double part,
                           struct kt_error *err)
{
	for (;;) {
		const double until_s = part_end_s(s, part);
		const size_t most = s->pending_most;
		kt_status status = KT_OK;
		bool going;

		if (state == NULL && left != 0 && kt_batch_pending(s->batch) <= left)
			return KT_OK;
		if (state != NULL)
			status = keep_asking(s, state, most, kt_batch_pending(s->batch) <= most - most / PARTS &&
			                     kt_now_s() < until_s && !is_settled(s, state), err);
		adapt_pending(s);
		/* Where nothing was tried yet a late candidate is better than none. */
		THEN(status, step(&going, s, s->tried != 0 ? until_s : kt_tuning_deadline(s), err));
		if (status != KT_OK || !going || kt_now_s() > until_s || gives_up(s))
			return status;
	}
}

static kt_status pursue(struct kt_tuning *s, struct kt_search_run *state, size_t left, double part,
                        struct kt_error *err)
{
	kt_status status = pursue_on(s, state, left, part, err);

	return status == KT_OK && left == 0 ? kt_tuning_settle(s, part_end_s(s, part), err) : status;
}

static kt_status open_state(struct kt_search_run *out, struct kt_tuning *s, size_t problem, struct kt_error *err)
{
	const char *strategy = s->plan->strategy != NULL ? s->plan->strategy : "default";

	*out = (struct kt_search_run){.problem = problem};
	TRY(kt_search_open(&out->search, strategy, s->space, s->plan->seed, (size_t)s->trials_left, err));
	kt_search_know(out->search, s->prior);
	return kt_consult_open(&out->consult, out->search, err);
}

static void close_state(struct kt_search_run *state)
{
	kt_consult_close(state->consult);
	kt_search_close(state->search);
}

/* As in the store; NULL when out of memory. */
static const char *const *problem_texts(struct kt_tuning *s)
{
	const char **texts = kt_arena_array(s->arena, s->problems, sizeof *texts);

	for (size_t p = 0; texts != NULL && p < s->problems; p++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

		kt_tuning_problem_text(&text, s->region, p);
		texts[p] = kt_arena_strdup(s->arena, kt_buf_text(&text));
		kt_buf_free(&text);
		if (texts[p] == NULL)
			return NULL;
	}
	return texts;
}

/* A search begins as well without, and nothing is known where everything is to be measured again. */
static void open_knowledge(struct kt_tuning *s)
{
	const struct kt_knowledge_subject subject = {s->trial_key, s->device_key, s->plan->template_,
	                                             s->instance,  s->problems,   problem_texts(s)};
	struct kt_store *store = s->plan->store;
	struct kt_error err;

	if (store == NULL || subject.problems == NULL)
		return;
	if (s->plan->config->mode != KT_MODE_RETUNE && kt_knowledge_open(&s->prior, store, &subject, s->space, &err) != KT_OK)
		kt_log("%s: what is known of other tunings cannot be read: %s", s->instance->name, err.message);
	if (kt_knowledge_note(store, &subject, &err) != KT_OK)
		kt_log("%s: what the trials are about is not in the store: %s", s->instance->name, err.message);
	for (size_t i = 0; s->prior != NULL && i < kt_prior_count(s->prior); i++)
		kt_log("%s: starts from what is known of %s", s->instance->name, kt_prior_label(s->prior, i));
}

/* A problem on which little can be gained any more; false where the copy bandwidth bound is not known. */
static bool is_at_copy(const struct kt_tuning *s, size_t problem)
{
	return kt_objective_best_ns(s->objective, problem) <= at_copy * s->copy_ns[problem];
}

/* Has it something to ask for, and does no other problem need the time more? */
static bool may_ask(struct kt_tuning *s, struct kt_search_run *states, size_t problem)
{
	bool others = false;

	if (states[problem].exhausted || is_settled(s, &states[problem]))
		return false;
	for (size_t p = 0; p < s->problems && !others; p++)
		others = !is_at_copy(s, p) && !states[p].exhausted && !is_settled(s, &states[p]);
	return !others || !is_at_copy(s, problem);
}

/* One round: every problem's strategy asks for a few, all are tried. False in *going when none has a question left. */
static kt_status pursue_round(struct kt_tuning *s, struct kt_search_run *states, bool *going, struct kt_error *err)
{
	size_t share = ROUND_MOST / s->problems > 2 ? ROUND_MOST / s->problems : 2;

	*going = false;
	for (size_t p = 0; p < s->problems; p++) {
		if (s->trials_left <= 0 || !may_ask(s, states, p))
			continue;
		question(share, s, &states[p], false);
		TRY(take_answer(s, &states[p], err));
		*going = *going || !states[p].exhausted;
	}
	TRY(kt_batch_flush(s->batch, err));
	/* The compilers go on with the rest while strategies think. */
	return pursue(s, NULL, s->pending_most / 2, 1, err);
}

/* Each problem for itself, until time, trials or the space end. */
static kt_status pursue_problems(struct kt_tuning *s, struct kt_error *err)
{
	struct kt_search_run *states = kt_arena_array(s->arena, s->problems, sizeof *states);
	kt_status status = states != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "search: out of memory");
	bool going = true;

	for (size_t p = 0; status == KT_OK && p < s->problems; p++)
		status = open_state(&states[p], s, p, err);
	while (status == KT_OK && going && s->trials_left > 0 && kt_now_s() < part_end_s(s, 1))
		status = pursue_round(s, states, &going, err);
	THEN(status, pursue(s, NULL, 0, 1, err));
	for (size_t p = 0; states != NULL && p < s->problems; p++)
		close_state(&states[p]);
	return status;
}

/*
 * The device takes less time for a candidate than a compiler: each of these has its next one at hand. They are asked for
 * before anything is known, so that of few trials they are a small part.
 */
static size_t first_wave(const struct kt_tuning *s)
{
	const size_t two = 2 * s->plan->compile.jobs, part = (size_t)(s->trials_left / FIRST_PART);
	const size_t most = part < PENDING_LEAST ? PENDING_LEAST : part < ROUND_MOST ? part : ROUND_MOST;

	return two < PENDING_LEAST ? PENDING_LEAST : two < most ? two : most;
}

kt_status kt_tuning_begin(struct kt_tuning *s, struct kt_error *err)
{
	NEED(s->general = kt_arena_alloc(s->arena, sizeof *s->general),
	     kt_fail(err, KT_ERR_MEMORY, "search: out of memory"));
	open_knowledge(s);
	TRY(open_state(s->general, s, SIZE_MAX, err));
	s->given = given_index(s);
	if (s->given != SIZE_MAX && s->trials_left > 0 && kt_tuning_ask_for(s, s->given, err) != KT_OK)
		return err->code;
	if (kt_tuning_remembered(s, err) != KT_OK || ask_starts(s, err) != KT_OK)
		return err->code;
	s->pending_most = first_wave(s);
	return ask(s, s->general, s->pending_most, err);
}

static struct kt_search_end end_of(struct kt_tuning *s)
{
	return (struct kt_search_end){.total = s->total, .measured = kt_objective_rows(s->objective),
	                              .waiting = kt_tuning_waiting(s), .settled = is_settled(s, s->general),
	                              .asked_all = s->general->exhausted, .spent = s->trials_left <= 0};
}

/* How far it came, and why no further. */
static void note_end(struct kt_tuning *s)
{
	const char *hope = hopeless(s);
	const struct kt_search_end end = end_of(s);

	s->stopped = hope != NULL ? hope : kt_enough_why(&end);
	/* What was given up is told by kt_tuning_failure. */
	s->state = hope == NULL ? kt_enough_state(&end) : KT_SEARCH_MEASURED;
}

kt_status kt_tuning_search(struct kt_tuning *s, struct kt_error *err)
{
	bool special = kt_tuning_specialises(s);
	int64_t kept = special ? (int64_t)((1 - general_share) * (double)s->trials_left) : 0;
	kt_status status;

	s->trials_left -= kept;
	s->search_began_s = kt_now_s() - (kt_tuning_deadline(s) - s->deadline_s);
	status = pursue(s, s->general, 0, special ? general_share : 1, err);
	s->trials_left += kept;
	THEN(status, special && !s->general->exhausted ? pursue_problems(s, err) : pursue(s, NULL, 0, 1, err));
	s->search_end_s = kt_now_s() - (kt_tuning_deadline(s) - s->deadline_s);
	kt_tuning_store_trials(s);
	/* What is not tried is not waited for, and leaves the processors to what is. */
	kt_ahead_close(s->compiled_ahead);
	s->compiled_ahead = NULL;
	kt_batch_cancel(s->batch);
	note_end(s);
	return status;
}

void kt_tuning_end(struct kt_tuning *s)
{
	if (s->general != NULL)
		close_state(s->general);
	kt_prior_close(s->prior);
}
