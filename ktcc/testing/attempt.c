/*
 * Candidates that the runner is asked about. While it works on one the request for the next is in its pipe already, so
 * that the device does not wait for the reader of the replies.
 */
#include <string.h>

#include "testing/cases.h"
#include "testing/internal.h"

/* Checks are small: this number of them takes no longer than a problem, to be generous. */
enum { checks_per_problem = 6 };

/* The thresholds of each problem: given, or the effort's own for all. NULL: out of memory. */
static const double *thresholds(struct kt_arena *arena, size_t problems, const struct kt_effort *effort,
                                const double *give_up_ns)
{
	double *all = give_up_ns ? NULL : kt_arena_array(arena, problems, sizeof *all);
	for (size_t p = 0; all && p < problems; p++)
		all[p] = effort->give_up_ns;
	return give_up_ns ? give_up_ns : all;
}

/* The check that has refuted most, of those that a search asks for and the candidate's guards allow; else none. */
static struct kt_asked most_refuting(const struct kt_tester *t, const struct kt_rows *rows,
                                     const struct kt_candidate *candidate)
{
	struct kt_asked asked = {0};
	for (size_t c = 0; c < KT_CHECKS_FIRST && rows->timed + c < rows->count; c++) {
		const struct kt_check_scope scope = {&t->subject, candidate->configuration, &rows->checks[rows->timed + c]};
		if (kt_check_allowed(&scope) && (!asked.count || t->refuted[c] > t->refuted[asked.first]))
			asked = (struct kt_asked){.first = c, .count = 1};
	}
	return asked;
}

/* What was found wrong tells where to look first. */
static void note_refuted(struct kt_tester *t, const struct kt_outcome *outcome)
{
	for (size_t c = 0; c < KT_CHECKS_FIRST && t->rows.timed + c < outcome->row_count; c++)
		t->refuted[c] += outcome->failed && outcome->rows[t->rows.timed + c].problem == outcome->failed;
}

static size_t amount(enum kt_checks checks)
{
	return checks == KT_CHECKS_NONE ? 0 : checks == KT_CHECKS_QUICK ? KT_CHECKS_FIRST : KT_CHECKS_MOST;
}

/* Rows that the runner was not asked for because of a guard get that as their detail. */
static void explain_skipped(struct kt_outcome *out, const struct kt_tester *t, const struct kt_candidate *candidate)
{
	for (size_t r = 0; candidate->configuration && r < out->row_count; r++) {
		const struct kt_check_scope scope = {&t->subject, candidate->configuration, &t->rows.checks[r]};
		if (out->rows[r].verdict != KT_VERDICT_SKIPPED || kt_check_allowed(&scope))
			continue;
		out->rows[r].detail = "a guard keeps the configuration out";
		if (r < t->rows.timed)
			out->trials[r].detail = out->rows[r].detail;
	}
}

/* Builds the request with the region as the runner has it, and sends it. */
static kt_status ask(struct kt_attempt *a, bool behind, struct kt_arena *arena, struct kt_tester *t,
                     struct kt_error *err)
{
	struct kt_asked asked = {.count = amount(a->effort.checks)};
	a->rows = kt_tester_held_rows(t);
	if (a->effort.screen) {
		asked = most_refuting(t, &a->rows, &a->candidate);
		asked.order = a->effort.order;
		asked.lost_ns = a->effort.lost_ns;
	}
	asked.give_up_ns = a->limits;
	cJSON *request = kt_tester_request("try", t, &a->effort);
	kt_status status = request ? KT_OK : kt_no_memory(err);
	if (!status && kt_request_candidate(request, &t->subject, &a->rows, &a->candidate, asked, err)) {
		a->refused = kt_arena_strdup(arena, err->message);
		status = a->refused ? KT_OK : kt_no_memory(err);
	} else if (!status) {
		status = kt_child_ask(a, t, request, behind, err);
	}
	cJSON_Delete(request);
	return status;
}

static size_t rows_of(const struct kt_tester *t, const struct kt_effort *effort)
{
	return t->rows.timed + amount(effort->checks);
}

bool kt_tester_may_begin(const struct kt_tester *t)
{
	if (!t->attempt_count)
		return true;
	/* Somebody else's turn comes when everything that was asked is answered. */
	return t->attempt_count < KT_TESTER_AHEAD && !(t->holds_device && kt_device_lock_is_wanted(t->lock));
}

size_t kt_tester_begun(const struct kt_tester *t)
{
	return t->attempt_count;
}

bool kt_tester_answers(const struct kt_tester *t)
{
	/* What has still to be sent, or never will be, is waited for where that is done. */
	return t->attempt_count && (!t->attempts[0].sent || t->attempts[0].refused || !t->pipe || kt_pipe_is_ready(t->pipe));
}

int kt_tester_fd(const struct kt_tester *t)
{
	return kt_pipe_fd(t->pipe);
}

kt_status kt_tester_begin(struct kt_arena *arena, struct kt_tester *t, const struct kt_candidate *candidate,
                          const struct kt_effort *effort, const double *give_up_ns, struct kt_error *err)
{
	const size_t rows = rows_of(t, effort);
	kt_status status = kt_tester_need_region(t, err);
	if (!status && t->attempt_count == KT_TESTER_AHEAD)
		status = kt_fail(err, KT_ERR_INVALID, "the runner was asked about %zu candidates already", t->attempt_count);
	if (!status && !t->attempt_count)
		status = kt_child_ready(t, rows, err);
	if (status)
		return status;
	struct kt_attempt *a = &t->attempts[t->attempt_count];
	*a = (struct kt_attempt){.candidate = *candidate, .effort = *effort,
	                         .limits = thresholds(arena, t->rows.timed, effort, give_up_ns),
	                         .limit_s = kt_child_limit(t, t->rows.timed + amount(effort->checks) / checks_per_problem)};
	NEED(a->limits, kt_no_memory(err));
	/* After others it is sent where the runner has all that it needs and each of them has been sent. */
	const bool behind = t->attempt_count != 0;
	const bool free = !behind || (t->pipe && t->prepared && t->held >= (rows < t->rows.count ? rows : t->rows.count));
	const struct kt_attempt *last = behind ? &t->attempts[t->attempt_count - 1] : NULL;
	if (free && (!last || last->sent || last->refused))
		status = ask(a, behind, arena, t, err);
	if (!status)
		t->attempt_count++;
	else if (!behind)
		kt_child_release(t);
	return status;
}

/* Those after one with which the runner has ended are asked about again. */
static void take_out(struct kt_tester *t)
{
	t->attempt_count--;
	memmove(&t->attempts[0], &t->attempts[1], t->attempt_count * sizeof t->attempts[0]);
	for (size_t i = 0; i < t->attempt_count && !t->pipe; i++)
		t->attempts[i].sent = false;
	if (!t->attempt_count || !t->pipe)
		kt_child_release(t);
}

kt_status kt_tester_end(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t, struct kt_error *err)
{
	if (!t->attempt_count)
		return kt_fail(err, KT_ERR_INVALID, "the runner was not asked about a candidate");
	struct kt_attempt *first = &t->attempts[0];
	cJSON *reply = NULL;
	bool answered = false;
	kt_status status = KT_OK;
	if (!first->sent && !first->refused) {
		/* The runner has no other work while the first one was not sent. */
		status = kt_child_ready(t, rows_of(t, &first->effort), err);
		THEN(status, ask(first, false, arena, t, err));
	}
	const struct kt_attempt a = *first;
	if (!status && a.refused) {
		status = kt_outcome_fill(out, arena, &t->subject, &a.rows, KT_VERDICT_OVER_LIMIT, a.refused, err);
	} else if (!status) {
		const kt_status answer = kt_child_answer(&reply, &answered, t, &a, err);
		status = kt_tester_outcome(out, arena, t, &a.rows, reply, answered, answer, err);
	}
	take_out(t);
	if (!status) {
		out->screened = a.effort.screen;
		explain_skipped(out, t, &a.candidate);
		note_refuted(t, out);
	}
	return status;
}

kt_status kt_tester_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                        const struct kt_candidate *candidate, const struct kt_effort *effort, const double *give_up_ns,
                        struct kt_error *err)
{
	TRY(kt_tester_need_idle(t, err));
	TRY(kt_tester_begin(arena, t, candidate, effort, give_up_ns, err));
	return kt_tester_end(out, arena, t, err);
}

void kt_tester_abandon(struct kt_tester *t)
{
	if (!t->attempt_count)
		return;
	/* Its replies would be taken for those of what is asked next. */
	kt_child_stop(t);
	t->attempt_count = 0;
	kt_child_release(t);
}
