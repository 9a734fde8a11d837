/* The findings of compute-sanitizer and similar tools about a winner, and about an original that fails on its problems. */
#include "base/log.h"
#include "planning/finals.h"
#include "testing/sanitize.h"

/* KTUNE_SANITIZE=auto: of the budget. An original that fails is worth this long. */
static const double auto_share = 0.1, original_limit_s = 30;

double kt_tuning_watch_seconds(const struct kt_tuning *s)
{
	return s->plan->config->sanitize == KT_SWITCH_OFF ? 0 : auto_share * (s->deadline_s - s->started_s);
}

/* Who switches tools on waits for them; else they get what is left of the budget. */
static double seconds_left(const struct kt_tuning *s)
{
	const double most = kt_tuning_watch_seconds(s) - s->sanitized_s;
	const double left = kt_tuning_hard_end(s) - kt_finals_align_seconds(s) - kt_now_s();

	return s->plan->config->sanitize == KT_SWITCH_ON ? 20 * original_limit_s : most < left ? most : left;
}

/* One tool on one candidate, or on the original (NULL). */
static kt_status ask(struct kt_report *out, struct kt_tuning *s, enum kt_sanitizer tool,
                     const struct kt_candidate *candidate, double limit_s, struct kt_error *err)
{
	struct kt_report reports[KT_SANITIZERS];
	struct kt_watch *watch = NULL;
	kt_status status = kt_watch_begin(&watch, s->arena, s->plan->tester, s->plan->config, 1u << tool, candidate,
	                                  candidate != NULL, err);

	kt_watch_end(reports, s->arena, watch, limit_s);
	*out = reports[tool];
	return status;
}

/* A finding that the original has as well is no reason to refuse a variant of it. */
static kt_status original_is_clean(bool *clean, struct kt_tuning *s, enum kt_sanitizer tool, struct kt_error *err)
{
	struct kt_report report;
	kt_status status = ask(&report, s, tool, NULL, original_limit_s, err);

	*clean = status == KT_OK && report.ran && !report.found;
	if (status == KT_OK && report.found)
		kt_log("%s: the original, too: %s", s->instance->name, report.detail);
	return status;
}

static kt_status blame(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_report *report,
                       struct kt_error *err)
{
	NEED(outcome->rows = kt_arena_alloc(s->arena, sizeof *outcome->rows),
	     kt_fail(err, KT_ERR_MEMORY, "outcome: out of memory"));
	outcome->rows[0] = (struct kt_row){.problem = "the smallest problem", .verdict = report->verdict,
	                                   .detail = report->detail};
	outcome->row_count = 1;
	outcome->failed = outcome->rows[0].problem;
	outcome->verdict = report->verdict;
	return KT_OK;
}

kt_status kt_tuning_watch(struct kt_watch **out, struct kt_tuning *s, const struct kt_candidate *candidates,
                          size_t count, struct kt_error *err)
{
	*out = NULL;
	if (count == 0 || s->plan->config->sanitize == KT_SWITCH_OFF || seconds_left(s) <= 0)
		return KT_OK;
	return kt_watch_begin(out, s->arena, s->plan->tester, s->plan->config, KT_ALL_SANITIZERS, candidates, count, err);
}

void kt_tuning_watched(unsigned *suspects, struct kt_tuning *s, struct kt_watch *watch)
{
	const double begin_s = kt_now_s();
	struct kt_report reports[KT_SANITIZERS];

	*suspects = 0;
	kt_watch_end(reports, s->arena, watch, seconds_left(s));
	for (int tool = 0; tool < KT_SANITIZERS; tool++) {
		*suspects |= reports[tool].found ? 1u << tool : 0;
		s->watched |= reports[tool].ran ? 1u << tool : 0;
		if (reports[tool].ran)
			kt_log("%s: %s: %s", s->instance->name, kt_sanitizer_name((enum kt_sanitizer)tool),
			       reports[tool].found ? reports[tool].detail : "nothing found");
	}
	s->sanitized_s += kt_now_s() - begin_s;
}

kt_status kt_tuning_sanitize(struct kt_outcome *outcome, struct kt_tuning *s, const struct kt_candidate *candidate,
                             unsigned suspects, struct kt_error *err)
{
	for (int tool = 0; tool < KT_SANITIZERS; tool++) {
		const double begin_s = kt_now_s();
		struct kt_report report;
		bool clean = true;
		kt_status status;

		if (!(suspects & 1u << tool))
			continue;
		/* It has found something already: worth waiting for. */
		status = ask(&report, s, (enum kt_sanitizer)tool, candidate, original_limit_s, err);
		if (status == KT_OK && report.found)
			status = original_is_clean(&clean, s, (enum kt_sanitizer)tool, err);
		s->sanitized_s += kt_now_s() - begin_s;
		if (status != KT_OK)
			return status;
		if (report.found && clean)
			return blame(outcome, s, &report, err);
	}
	return KT_OK;
}

/* "in(x[n]) out(y[n - 8])": the clauses of all buffers. */
static void add_buffers(struct kt_buf *out, const struct kt_region *region)
{
	for (size_t i = 0; i < region->buffer_count; i++) {
		const struct kt_buffer *b = &region->buffers[i];

		kt_buf_addf(out, "%s%s(%s[%s])", i > 0 ? " " : "",
		            b->scratch ? "scratch" : kt_direction_names[b->direction], b->name, b->count.text);
	}
}

static void quote_clauses(const struct kt_tuning *s, struct kt_error *err)
{
	const struct kt_error failure = *err;
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);

	kt_buf_adds(&text, "the clauses are ");
	add_buffers(&text, s->region);
	kt_fail(err, failure.code, "%.600s; %.300s", failure.message, kt_buf_text(&text));
	kt_buf_free(&text);
}

void kt_tuning_explain_baseline(struct kt_tuning *s, struct kt_error *err)
{
	static const enum kt_sanitizer tools[] = {KT_MEMCHECK, KT_OCLGRIND};
	struct kt_error failure, ignored;

	quote_clauses(s, err);
	failure = *err;
	for (size_t i = 0; i < sizeof tools / sizeof *tools && s->plan->config->sanitize != KT_SWITCH_OFF; i++) {
		struct kt_report report;

		if (ask(&report, s, tools[i], NULL, original_limit_s, &ignored) == KT_OK && report.found)
			kt_fail(err, failure.code, "%.700s; %.300s", failure.message, report.detail);
	}
}
