/* Launches that no problem lists, in the place of the region's problems (testing.h). */
#include <string.h>

#include "testing/internal.h"

/* The child has them; one that was started again gets them again. */
static kt_status need_shapes(struct kt_tester *t, double limit_s, struct kt_error *err)
{
	kt_status status = kt_tester_need_idle(t, err);
	THEN(status, kt_tester_need_region(t, err));
	if (!status && !t->pipe)
		status = kt_child_ready(t, 0, err);
	if (!status && !t->holds_shapes) {
		status = kt_tester_send_rows(t, &t->shapes, limit_s, err);
		t->holds_shapes = !status;
	}
	return status;
}

static void leave_out(struct kt_tester *t, bool *ran, const char **why, size_t *at, size_t row, const char *reason)
{
	const size_t behind = t->shapes.count - row - 1;
	struct kt_check *checks = (struct kt_check *)t->shapes.checks;
	ran[at[row]] = false;
	why[at[row]] = reason;
	memmove(&checks[row], &checks[row + 1], behind * sizeof *checks);
	memmove(&at[row], &at[row + 1], behind * sizeof *at);
	t->shapes.count = --t->shapes.timed;
}

kt_status kt_tester_shapes(bool *ran, const char **why, struct kt_arena *arena, struct kt_tester *t,
                           const struct kt_check *shapes, size_t count, double limit_s, struct kt_error *err)
{
	struct kt_check *checks = kt_arena_array(arena, count + 1, sizeof *checks);
	size_t *at = kt_arena_array(arena, count + 1, sizeof *at);
	const double until_s = kt_now_s() + limit_s;
	if (!checks || !at)
		return kt_no_memory(err);
	for (size_t i = 0; i < count; i++) {
		checks[i] = shapes[i];
		at[i] = i;
		ran[i] = true;
		why[i] = NULL;
	}
	t->shapes = (struct kt_rows){checks, count, count};
	t->holds_shapes = false;
	while (t->shapes.count) {
		kt_status status = need_shapes(t, until_s - kt_now_s(), err);
		if (!status)
			return KT_OK;
		/* Whatever is not about one of them is no reason to leave one out. */
		if (status == KT_ERR_BUSY || t->blamed < 0 || (size_t)t->blamed >= t->shapes.count)
			return status;
		const char *reason = kt_arena_strdup(arena, err->message);
		leave_out(t, ran, why, at, (size_t)t->blamed, reason ? reason : "");
		if (kt_now_s() > until_s)
			return kt_fail(err, KT_ERR_LIMIT, "no time is left for launches that no problem lists");
	}
	return KT_OK;
}

kt_status kt_tester_shapes_try(struct kt_outcome *out, struct kt_arena *arena, struct kt_tester *t,
                               const struct kt_candidate *candidate, const struct kt_effort *effort,
                               struct kt_error *err)
{
	const double limit_s = kt_child_limit(t, t->shapes.count);
	kt_status status = need_shapes(t, limit_s, err);
	cJSON *request = status ? NULL : kt_tester_request("try", t, effort);
	if (!status && !request)
		status = kt_no_memory(err);
	if (!status &&
	    kt_request_candidate(request, &t->subject, &t->shapes, candidate, (struct kt_asked){0}, err))
		status = kt_outcome_fill(out, arena, &t->subject, &t->shapes, KT_VERDICT_OVER_LIMIT, err->message, err);
	else if (!status)
		status = kt_tester_try_rows(out, arena, t, &t->shapes, request, limit_s, err);
	/* No tuning problems: what is wrong there is told as of a check. */
	for (size_t r = 0; !status && r < out->row_count; r++)
		out->rows[r].check = true;
	cJSON_Delete(request);
	return status;
}

kt_status kt_tester_shapes_compare(struct kt_timing *timings, struct kt_tester *t,
                                   const struct kt_candidate *candidates, size_t count, const struct kt_effort *effort,
                                   struct kt_error *err)
{
	TRY(need_shapes(t, kt_child_limit(t, t->shapes.count), err));
	return kt_tester_compare_rows(timings, t, &t->shapes, candidates, count, effort, err);
}
