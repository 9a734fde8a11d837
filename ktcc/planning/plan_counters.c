/* What Nsight Compute counts of a result, for the generator of the next template. */
#include "planning/counts.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/facts.h"
#include "planning/plan_internal.h"

/* KTUNE_COUNTERS=auto: of what the instance may take; on: as long again. Never more than so long. */
static const double auto_share = 0.2, auto_most_s = 30, on_most_s = 120;
/* An original that takes longer is not run for comparison: each launch is repeated for every few counters. */
static const double original_most_ns = 2e7;

const struct kt_counted *kt_counts_of(const struct kt_counts *counts, size_t problem)
{
	for (size_t i = 0; counts != NULL && i < counts->count; i++)
		if (counts->each[i].problem == problem && !counts->each[i].original)
			return &counts->each[i].counted;
	return NULL;
}

static double limit_seconds(const struct kt_tuning *s)
{
	const double budget_s = s->plan->allowance_seconds;

	return s->plan->config->counters == KT_SWITCH_ON ? fmin(on_most_s, budget_s)
	                                                 : fmin(auto_most_s, auto_share * budget_s);
}

/* The part of its time by which a problem exceeds the copy bandwidth bound; 0: it does not. */
static double gap(const struct kt_entry *entry, size_t p)
{
	const struct kt_measure m = {.ns = entry->tuned[p].median_ns, .copy_ns = entry->copy_ns[p]};

	return m.copy_ns > 0 && m.ns <= m.copy_ns * KT_AT_COPY ? 0 : kt_measure_headroom(&m);
}

/* The problems with the widest gaps, the widest first; the longer of two alike. */
static size_t choose_problems(size_t chosen[KT_COUNTED_PROBLEMS], const struct kt_entry *entry)
{
	size_t used = 0;

	for (size_t p = 0; p < entry->problem_count; p++) {
		size_t at = used;

		if (!(gap(entry, p) > 0))
			continue;
		while (at > 0 && (gap(entry, p) > gap(entry, chosen[at - 1]) ||
		                  (gap(entry, p) == gap(entry, chosen[at - 1]) &&
		                   entry->tuned[p].median_ns > entry->tuned[chosen[at - 1]].median_ns)))
			at--;
		if (at == KT_COUNTED_PROBLEMS)
			continue;
		used += used < KT_COUNTED_PROBLEMS;
		memmove(&chosen[at + 1], &chosen[at], (used - at - 1) * sizeof *chosen);
		chosen[at] = p;
	}
	return used;
}

/* An entry may lack problems that could not be measured. SIZE_MAX: it is none of the region's. */
static size_t row_of(const struct kt_tuning *s, const struct kt_entry *entry, size_t p)
{
	const size_t variables = entry->variable_count;

	for (size_t row = p; row < s->problems; row++)
		if (variables == 0 || memcmp(entry->problems + p * variables, s->region->problems + row * variables,
		                             variables * sizeof *entry->problems) == 0)
			return row;
	return SIZE_MAX;
}

/* What runs on a problem: a variant with its binary, or the original (*candidate NULL). False: there is no binary. */
static bool serving(const struct kt_candidate **candidate, struct kt_candidate *room, struct kt_tuning *s,
                    const struct kt_entry *entry, size_t p)
{
	const int64_t variant = kt_entry_serves(entry, p);
	const int64_t *configuration = variant != 0 ? entry->specials[variant - 1].configuration : entry->configuration;
	const struct kt_built *built;
	size_t index;

	*candidate = NULL;
	/* Where a guard keeps the variant out, the entry has the original's times in its place. */
	if ((variant == 0 && entry->baseline_best) || entry->tuned[p].median_ns == entry->baseline[p].median_ns)
		return true;
	index = kt_space_find(s->space, configuration);
	built = index != SIZE_MAX ? kt_tuning_built(s, index) : NULL;
	if (built == NULL)
		return false;
	*room = (struct kt_candidate){built->cubin, built->function, kt_space_get(s->space, index)};
	*candidate = room;
	return true;
}

/* The runs, and what each is of. The original is run where something else won. */
static size_t list_runs(struct kt_once_run runs[KT_COUNTED_PROBLEMS + 1], struct kt_counts *counts,
                        struct kt_candidate rooms[KT_COUNTED_PROBLEMS], struct kt_tuning *s,
                        const struct kt_entry *entry)
{
	size_t problems[KT_COUNTED_PROBLEMS + 1];
	const size_t chosen = choose_problems(problems, entry);

	for (size_t i = 0; i < chosen; i++) {
		const size_t row = row_of(s, entry, problems[i]);
		const struct kt_candidate *candidate;

		if (row == SIZE_MAX || !serving(&candidate, &rooms[i], s, entry, problems[i]))
			continue;
		runs[counts->count] = (struct kt_once_run){candidate, row};
		counts->each[counts->count++] = (struct kt_count){.problem = problems[i]};
	}
	if (counts->count != 0 && runs[0].candidate != NULL &&
	    entry->baseline[counts->each[0].problem].median_ns <= original_most_ns) {
		runs[counts->count] = (struct kt_once_run){NULL, runs[0].problem};
		counts->each[counts->count++] = (struct kt_count){.problem = counts->each[0].problem, .original = true};
	}
	return counts->count;
}

/* What the counters make of the problems they were taken on. */
static void judge(struct kt_planned *out, const struct kt_tuning *s)
{
	const struct kt_findings findings = {
	    .entry = &out->entry, .template_ = kt_entry_has_variant(&out->entry) ? s->plan->template_ : NULL,
	    .original = out->original_usage, .counts = &out->counts};
	size_t count;
	const struct kt_measure *measures =
	    kt_findings_measure(&count, s->arena, s->region, s->instance, s->device, &findings);

	for (size_t i = 0; measures != NULL && i < out->counts.count; i++)
		if (!out->counts.each[i].original)
			out->counts.each[i].bound = kt_measure_bound(&measures[out->counts.each[i].problem], s->device);
}

void kt_tuning_count(struct kt_planned *out, struct kt_tuning *s)
{
	const double begin_s = kt_now_s();
	struct kt_once_run runs[KT_COUNTED_PROBLEMS + 1];
	struct kt_candidate rooms[KT_COUNTED_PROBLEMS];
	struct kt_counted counted[KT_COUNTED_PROBLEMS + 1];
	struct kt_counts counts = {.count = 0};
	struct kt_error err;

	if (list_runs(runs, &counts, rooms, s, &out->entry) == 0)
		return;
	kt_progress("%s: counters", s->instance->name);
	kt_store_lease_beat(s->plan->lease);
	if (kt_counters_take(counted, s->arena, s->plan->tester, s->plan->config, s->plan->ncu, runs, counts.count,
	                     limit_seconds(s), &err) != KT_OK) {
		kt_log("%s: no counters: %s", s->instance->name, err.message);
		out->uncounted = true;
		return;
	}
	for (size_t i = 0; i < counts.count; i++)
		counts.each[i].counted = counted[i];
	out->counts = counts;
	judge(out, s);
	kt_log("%s: counters of %zu runs in %.1f s", s->instance->name, counts.count, kt_now_s() - begin_s);
}
