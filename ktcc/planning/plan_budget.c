/* What the time of one tuning is spent on: what is left, what the last comparison needs, what would be enough. */
#include <math.h>

#include "planning/enough.h"
#include "planning/finals.h"
#include "planning/passes.h"
#include "planning/plan_internal.h"
#include "testing/cases.h"

/* However slow a kernel is. */
enum { REPETITIONS_LEAST = 3 };

/* Launches of each problem that a first look has after its first. */
enum { SCREEN_REPETITIONS = 5 };

/* Rounds of an interleaved comparison; each begins with a launch that is not timed (docs/verification.md). */
enum { ROUNDS = 10 };

/* Of the budget: for passes of the last comparison where one pass does not need more, for one candidate of a search. */
static const double passes_share = 0.2, candidate_share = 1.0 / 64;

/* The part of the time after the preparation that belongs to the search, whatever a comparison would need. */
static const double search_least = 0.5;

/* For everything about the largest problem, of the budget and at most: data, references and comparisons take far
 * longer than the runs. */
static const double largest_share = 0.15, largest_most_s = 5;

/* Of what sizes that no problem lists are expected to take: the part that finalists make room for. */
const double kt_tuning_shapes_least = 0.5;

/* A comparison that began in time is brought to an end: the overrun that a budget may have. */
static const double slack_share = 0.05, slack_s = 1;

/* Budgets that are suggested are round numbers, and larger than the estimate. */
static const double enough_margin = 1.25, enough_step_s = 5;

static double budget_s(const struct kt_tuning *s)
{
	return s->deadline_s - s->started_s;
}

double kt_tuning_deadline(const struct kt_tuning *s)
{
	return s->deadline_s + kt_tester_waited_seconds(s->plan->tester) - s->waited_before_s;
}

double kt_tuning_hard_end(const struct kt_tuning *s)
{
	return kt_tuning_deadline(s) + fmin(slack_share * budget_s(s) + slack_s, 0.1 * budget_s(s) + slack_s);
}

/* The baseline and as many others, each launched once on every problem. */
static double round_s(const struct kt_tuning *s, size_t others)
{
	double ns = 0;

	for (size_t p = 0; p < s->problems; p++) {
		const double best = s->objective != NULL ? kt_objective_best_ns(s->objective, p) : s->baseline[p].median_ns;

		ns += s->baseline[p].median_ns + (double)others * fmin(best, 1e15);
	}
	return 1e-9 * ns;
}

/* Launches of each row on each problem, the untimed ones included. */
static double launches_of(const struct kt_effort *effort)
{
	const int64_t rounds = effort->repetitions < ROUNDS ? effort->repetitions : ROUNDS;

	return (double)(rounds * (effort->warmups / rounds + 1) + effort->repetitions + 1);
}

double kt_tuning_passes_share(const struct kt_tuning *s)
{
	return passes_share * budget_s(s);
}

struct kt_effort kt_tuning_confirm_effort(const struct kt_tuning *s, size_t others)
{
	const double once = round_s(s, others), fits = kt_tuning_passes_share(s) / (KT_PASSES_LEAST * once);
	struct kt_effort effort = kt_final_effort;

	if (once > 0 && fits < launches_of(&effort)) {
		/* Half of the launches of a short pass are not timed. */
		const double repetitions = fits > 4 * ROUNDS ? fits * 5 / 6 - ROUNDS : (fits - 1) / 2;

		effort.repetitions = repetitions > REPETITIONS_LEAST ? (int64_t)repetitions : REPETITIONS_LEAST;
		effort.warmups = effort.repetitions > ROUNDS ? effort.repetitions / 5 : 0;
	}
	return effort;
}

struct kt_effort kt_tuning_search_effort(const struct kt_tuning *s)
{
	struct kt_effort effort = kt_search_effort;
	const double most = candidate_share * budget_s(s);
	/* Before the baseline is timed, the time of the preparation, which ran it several times, shows whether it is slow. */
	const double once = s->baseline_s > 0 ? round_s(s, 0) : s->region_s / 16;

	if (once * (double)(effort.repetitions + effort.warmups) > most) {
		const double fits = once > 0 ? most / once - 1 : 0;

		effort.warmups = 1;
		effort.repetitions = fits > REPETITIONS_LEAST ? (int64_t)fmin(fits, (double)effort.repetitions)
		                                              : REPETITIONS_LEAST;
	}
	return effort;
}

struct kt_effort kt_tuning_screen_effort(const struct kt_tuning *s)
{
	struct kt_effort effort = kt_tuning_search_effort(s);

	effort.screen = true;
	effort.warmups = 0;
	if (effort.repetitions > SCREEN_REPETITIONS)
		effort.repetitions = SCREEN_REPETITIONS;
	return effort;
}

struct kt_effort kt_tuning_check_effort(const struct kt_tuning *s)
{
	struct kt_effort effort = kt_check_effort;
	const struct kt_effort search = kt_tuning_search_effort(s);

	effort.warmups = search.warmups;
	effort.repetitions = search.repetitions;
	return effort;
}

double kt_tuning_largest_seconds(const struct kt_tuning *s)
{
	return fmin(largest_share * budget_s(s), largest_most_s);
}

/* Beside its launches a row of a pass costs what laying out its data does. */
static double row_overhead_s(const struct kt_tuning *s)
{
	const struct kt_effort effort = kt_tuning_search_effort(s);

	return fmax(0, s->baseline_s - round_s(s, 0) * launches_of(&effort));
}

double kt_tuning_pass_seconds(const struct kt_tuning *s, size_t others)
{
	const struct kt_effort effort = kt_tuning_confirm_effort(s, others);

	return round_s(s, others) * launches_of(&effort) + (double)(others + 1) * row_overhead_s(s);
}

double kt_tuning_check_seconds(const struct kt_tuning *s)
{
	const double problems = (double)s->problems, checks = (double)s->checks;
	const double quick = s->verify_s, scaled = quick * (problems + checks) / (problems + fmin(checks, KT_CHECKS_FIRST));

	if (s->check_s > 0)
		return s->check_s;
	/* Preparing ran the original at least as often as a candidate is. */
	return scaled > 0 ? fmin(scaled, s->region_s + quick) : s->region_s;
}

double kt_tuning_comparison_seconds(const struct kt_tuning *s, size_t others)
{
	return KT_PASSES_LEAST * kt_tuning_pass_seconds(s, others) + (double)(others + 1) * kt_tuning_check_seconds(s);
}

/* With sizes that no problem lists, of which those that take longest are left out where time is short: before finalists are. */
static double comparison_s(const struct kt_tuning *s, size_t others)
{
	return kt_tuning_comparison_seconds(s, others) + kt_tuning_shapes_least * kt_tuning_shapes_seconds(s, others);
}

double kt_tuning_verify_seconds(const struct kt_tuning *s)
{
	/* Preparing ran the original on all of it, and more often. */
	return s->verify_s > 0 ? s->verify_s : s->region_s;
}

/* Finalists that were not verified yet. */
static size_t screened_of(const struct kt_tuning *s)
{
	size_t finalists[KT_FINALISTS_MOST];
	const size_t found = kt_tuning_finalists(finalists, s);

	return kt_tuning_screened(s, finalists, found);
}

/* Of `count` finalists, those that were not verified yet come first in a comparison. */
static double screened_s(const struct kt_tuning *s, size_t screened, size_t count)
{
	return (double)(screened < count ? screened : count) * kt_tuning_verify_seconds(s);
}

size_t kt_tuning_affordable(const struct kt_tuning *s, size_t most, double left_s)
{
	const size_t screened = screened_of(s);
	size_t count = most;

	while (count > 1 && comparison_s(s, count) + screened_s(s, screened, count) > left_s)
		count--;
	return count;
}

/* Was something tried, and nothing of it faster than the original? Then there will hardly be a winner. */
static bool original_leads(const struct kt_tuning *s)
{
	return s->objective != NULL && kt_objective_rows(s->objective) != 0 && !kt_tuning_seems_faster(s);
}

/* For a winner, where there will be one. */
static double extras_s(const struct kt_tuning *s)
{
	const double largest = s->region->variable_count != 0 ? kt_tuning_largest_seconds(s) : 0;

	return original_leads(s) ? 0 : fmax(largest, kt_tuning_watch_seconds(s));
}

/*
 * nvcc's, of finalists that NVRTC has compiled: about as many units as there are compilers, each quickly made; none where
 * all of them are there already.
 */
static double compile_s(const struct kt_tuning *s)
{
	if (s->foreseen_count != 0 && kt_batch_foreseen(s->batch) >= s->foreseen_count)
		return 0;
	return kt_batch_screened(s->batch)->nvrtc ? 2 * kt_batch_exact_seconds(s->batch) : 0;
}

double kt_tuning_reserve(const struct kt_tuning *s)
{
	size_t finalists[KT_FINALISTS_MOST], wanted = kt_tuning_finalists(finalists, s);
	const size_t screened = kt_tuning_screened(s, finalists, wanted);
	const double share = 2 * kt_tuning_passes_share(s) + kt_tuning_shapes_least * kt_tuning_shapes_seconds(s, wanted);

	/* To be sure that it leads takes the best two of the others, and no more passes than there are at least. */
	if (original_leads(s))
		return comparison_s(s, 2) + screened_s(s, screened, 2);
	wanted = kt_tuning_affordable(s, wanted > 2 ? wanted : 2, share);
	return fmax(kt_tuning_comparison_seconds(s, wanted),
	            fmin(kt_tuning_passes_share(s), KT_PASSES_MOST * kt_tuning_pass_seconds(s, wanted))) +
	       kt_tuning_shapes_seconds(s, wanted) +
	       screened_s(s, screened, wanted) + compile_s(s) + extras_s(s);
}

double kt_tuning_search_end(const struct kt_tuning *s)
{
	const double deadline_s = kt_tuning_deadline(s), waited_s = deadline_s - s->deadline_s;
	const double left_s = s->deadline_s - s->search_began_s;

	/* Without something to compare the last comparison is nothing. */
	return fmax(deadline_s - kt_tuning_reserve(s) - s->try_s, s->search_began_s + waited_s + search_least * left_s);
}

double kt_tuning_enough_seconds(const struct kt_tuning *s)
{
	const double preparation_s = s->search_began_s > 0 ? s->search_began_s - s->started_s : 0;
	const size_t wanted = kt_enough_trials(s->total), missing = wanted > s->tried ? wanted - s->tried : 0;
	const double each = s->try_s > 0 ? s->try_s : s->baseline_s + s->region_s / 4;
	const double searched_s = s->search_end_s > 0 ? s->search_end_s - s->search_began_s : 0;
	const double needed = preparation_s + searched_s + (double)missing * each + comparison_s(s, 3) + extras_s(s);

	return enough_step_s * ceil(enough_margin * needed / enough_step_s);
}
