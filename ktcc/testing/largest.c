/* What wins is verified on a problem far beyond the tuned ones, within limits of memory and time (testing.h). */
#include <math.h>

#include "testing/cases.h"
#include "testing/internal.h"

/* Of the device's memory. */
static const double memory_share = 0.125;
/* The first step, where the tuning problems are not larger. */
static const double first_bytes = 64 << 20;
/* Of the first step over the largest tuning problem; of any step over the one before, at least. */
static const double first_growth = 2, least_growth = 2;
/* Time goes with a power of the bytes: beyond 1 where work grows faster than data does. */
static const double growth_power = 1.5;
/* Of the time, for the candidate that comes first: others follow. */
static const double first_share = 0.7;
/* A step is given up after `patience` times its predicted time, but not before patience_s. */
static const double patience = 4, patience_s = 2;

static void skip_row(struct kt_row *out, struct kt_arena *arena, const char *why)
{
	out->verdict = KT_VERDICT_SKIPPED;
	out->detail = kt_arena_strdup(arena, why);
}

/* Of the original, on the slowest problem. 0: nothing was timed. */
static double bytes_per_ns(const struct kt_tester *t, const struct kt_timing *baseline)
{
	double slowest_ns = 0, rate = 0;
	for (size_t p = 0; p < t->rows.timed; p++) {
		const double bytes = (double)kt_cases_bytes(&t->subject, &t->checks[p]);
		if (baseline[p].median_ns > slowest_ns && bytes > 0) {
			slowest_ns = baseline[p].median_ns;
			rate = bytes / slowest_ns;
		}
	}
	return rate;
}

static size_t smallest_row(const struct kt_tester *t)
{
	size_t best = 0;
	for (size_t r = 1; r < t->rows.timed; r++)
		if (kt_cases_bytes(&t->subject, &t->checks[r]) < kt_cases_bytes(&t->subject, &t->checks[best]))
			best = r;
	return best;
}

/* Of the largest tuning problem, and of all rows together. */
static double bytes_of_rows(double *most, const struct kt_tester *t)
{
	double sum = 0;
	*most = 0;
	for (size_t r = 0; r < t->rows.count; r++) {
		const double bytes = fmax(0, (double)kt_cases_bytes(&t->subject, &t->checks[r]));
		sum += bytes;
		*most = r < t->rows.timed ? fmax(*most, bytes) : *most;
	}
	return sum;
}

kt_status kt_tester_send_rows(struct kt_tester *t, const struct kt_rows *rows, double limit_s, struct kt_error *err)
{
	cJSON *request = NULL, *reply = NULL;
	bool answered = false;
	/* A host that computes it one element after the other would leave no time for anything larger. */
	kt_status status = kt_request_region(&request, &t->subject, rows, t->cubin, t->function, NULL, t->try_s / 2, err);
	t->prepared = t->holds_largest = t->holds_shapes = false;
	THEN(status, kt_child_measure(&reply, &answered, t, request, fmin(limit_s, 2 * kt_child_limit(t, rows->count)),
	                              err));
	cJSON_Delete(request);
	cJSON_Delete(reply);
	return status;
}

/* The candidate on what the child holds. */
static kt_status try_largest(struct kt_row *out, struct kt_arena *arena, struct kt_tester *t,
                             const struct kt_rows *rows, const struct kt_candidate *candidate, double limit_s,
                             struct kt_error *err)
{
	const struct kt_effort effort = {.repetitions = 1};
	const double start_s = kt_now_s();
	struct kt_outcome outcome;
	cJSON *request = kt_tester_request("try", t, &effort);
	kt_status status = KT_OK;
	NEED(request, kt_no_memory(err));
	if (kt_request_candidate(request, &t->subject, rows, candidate, (struct kt_asked){.count = 1}, err)) {
		skip_row(out, arena, err->message);
	} else {
		status = kt_tester_try_rows(&outcome, arena, t, rows, request, fmin(limit_s, kt_child_limit(t, 1)), err);
		if (!status)
			*out = outcome.rows[outcome.rows[0].verdict == KT_VERDICT_OK ||
			                    outcome.rows[0].verdict == KT_VERDICT_SKIPPED];
		if (!status && outcome.unanswered)
			skip_row(out, arena, kt_arena_printf(arena, "it took longer than %.1f s", limit_s));
	}
	cJSON_Delete(request);
	t->largest_try_s = kt_now_s() - start_s;
	return status;
}

/* How far it may grow. */
struct room {
	double most_bytes; /* by memory, and by the original's time */
	double until_s;
};

static double patience_for(double predicted_s)
{
	return fmax(patience_s, patience * predicted_s);
}

/* Step by step, until memory or time ends it; *out is the result of the last whole step. */
static kt_status grow(struct kt_row *out, struct kt_arena *arena, struct kt_tester *t,
                      const struct kt_candidate *candidate, const struct room *room, struct kt_error *err)
{
	struct kt_check checks[2], *check = &checks[1];
	/* A check is not timed, but a region consists of problems: the smallest one comes first. */
	const struct kt_rows rows = {checks, 2, 1};
	double largest, rate = t->region_s / fmax(1, bytes_of_rows(&largest, t)), before = 0;
	double wanted = fmax(first_bytes, first_growth * largest);
	kt_status status = KT_OK;
	checks[0] = t->checks[smallest_row(t)];
	/* What the region took for each byte is more than any larger one will,
	 * and all that is known before the first step. */
	if (rate > 0)
		wanted = fmin(wanted, fmax(least_growth * largest, (room->until_s - kt_now_s()) / rate));
	for (;;) {
		const double start_s = kt_now_s(), bytes = fmin(wanted, room->most_bytes);
		double predicted_s;
		struct kt_row row = {.check = true, .problem = ""};
		if (!kt_cases_largest(check, t->region_arena, &t->subject, (int64_t)bytes) ||
		    (double)kt_cases_bytes(&t->subject, check) < least_growth * before)
			break;
		const double now = (double)kt_cases_bytes(&t->subject, check);
		predicted_s = rate * now * (before > 0 ? pow(now / before, growth_power - 1) : 1);
		if (start_s + predicted_s > room->until_s) {
			t->largest_by_time = true;
			if (before <= 0)
				skip_row(out, arena, kt_arena_printf(arena, "it would take %.1f s", predicted_s));
			break;
		}
		const struct kt_check_scope scope = {&t->subject, candidate->configuration, check};
		if (!kt_check_allowed(&scope)) {
			if (before <= 0)
				skip_row(out, arena, "a guard does not hold there");
			break;
		}
		status = t->pipe ? KT_OK : kt_child_ready(t, 0, err);
		if (!status && kt_tester_send_rows(t, &rows, patience_for(predicted_s), err)) {
			if (before <= 0)
				skip_row(out, arena, err->message);
			break;
		}
		t->holds_largest = !status;
		THEN(status, try_largest(&row, arena, t, &rows, candidate, patience_for(predicted_s), err));
		if (status)
			break;
		t->largest = *check;
		/* The result of the step before is kept, unless this one found something. */
		if (row.verdict != KT_VERDICT_SKIPPED || before <= 0)
			*out = row;
		if (row.verdict != KT_VERDICT_OK)
			break;
		before = now;
		rate = (kt_now_s() - start_s) / now;
		if (bytes >= room->most_bytes)
			break;
		wanted = now * fmax(least_growth, pow(fmax(0, room->until_s - kt_now_s()) / (rate * now), 1 / growth_power));
		t->largest_by_time = true;
	}
	return status;
}

kt_status kt_tester_largest(struct kt_row *out, struct kt_arena *arena, struct kt_tester *t,
                            const struct kt_candidate *candidate, const struct kt_timing *baseline, double limit_s,
                            double most_s, struct kt_error *err)
{
	const double in_memory = memory_share * (double)t->device.memory_bytes;
	*out = (struct kt_row){.check = true, .problem = "", .verdict = KT_VERDICT_SKIPPED};
	kt_status status = kt_tester_need_idle(t, err);
	THEN(status, kt_tester_need_region(t, err));
	if (status)
		return status;
	if (t->holds_largest) {
		struct kt_check checks[2] = {t->checks[smallest_row(t)], t->largest};
		const struct kt_rows rows = {checks, 2, 1};
		const struct kt_check_scope scope = {&t->subject, candidate->configuration, &checks[1]};
		if (!kt_check_allowed(&scope))
			skip_row(out, arena, "a guard does not hold there");
		else if (t->largest_try_s > most_s)
			skip_row(out, arena, kt_arena_printf(arena, "it would take %.1f s", t->largest_try_s));
		else
			status = try_largest(out, arena, t, &rows, candidate, patience_for(t->largest_try_s), err);
	} else {
		const double in_time = limit_s * 1e9 * bytes_per_ns(t, baseline);
		const struct room room = {fmin(in_memory, in_time), kt_now_s() + first_share * most_s};
		t->largest_by_time = false;
		skip_row(out, arena, "no larger problem fits");
		/* A recording holds what was timed. */
		if (!t->replays)
			status = grow(out, arena, t, candidate, &room, err);
	}
	if (!status && out->verdict == KT_VERDICT_OK && t->largest_by_time && !out->detail)
		out->detail = "time allowed no larger one";
	return status;
}
