/* What was compared is judged by energy where the user asks for it: docs/tuning.md, "Energy". */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/plan_energy.h"

/* One measurement; the counter of most devices moves some tens of times a second. */
static const double measure_most_s = 2;

/* What a median's noise is of its median absolute deviation (kt_timing_noise). */
static const double noise_of_deviation = 1.858;

double kt_energy_cost(enum kt_goal goal, double ns, double joules)
{
	return goal == KT_GOAL_EDP ? joules * ns : goal == KT_GOAL_ENERGY ? 1e9 * joules : ns;
}

void kt_energy_costs(struct kt_timing *costs, enum kt_goal goal, const struct kt_timing *timings,
                     const struct kt_energy *energies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kt_timing *timing = &timings[i];
		const double cost = kt_energy_cost(goal, timing->median_ns, energies[i].joules);
		const double factor = timing->median_ns > 0 ? cost / timing->median_ns : 0;
		/* As noisy as it is uncertain: two standard errors. */
		const double doubt = energies[i].error / 2 * cost * sqrt((double)timing->samples) / noise_of_deviation;

		costs[i] = *timing;
		costs[i].median_ns = cost;
		costs[i].mean_ns = timing->mean_ns * factor;
		costs[i].min_ns = timing->min_ns * factor;
		costs[i].deviation_ns = doubt + (goal == KT_GOAL_EDP ? timing->deviation_ns * factor : 0);
	}
}

/* Geometric means over the problems that the original has; false: one is missing. */
static bool point_of(struct kt_energy_point *out, const struct kt_timing *timings, const struct kt_energy *energies,
                     size_t problems)
{
	double time = 0, energy = 0;
	size_t count = 0;

	for (size_t p = 0; p < problems; p++) {
		if (!(timings[p].median_ns > 0))
			continue;
		if (!(energies[p].joules > 0))
			return false;
		time += log(timings[p].median_ns);
		energy += log(1e6 * energies[p].joules);
		count++;
	}
	if (count == 0)
		return false;
	out->time_ns = kt_tuning_tenth(exp(time / (double)count));
	out->energy_uj = kt_tuning_tenth(exp(energy / (double)count));
	return out->time_ns > 0 && out->energy_uj > 0;
}

static bool dominates(const struct kt_energy_point *a, const struct kt_energy_point *b)
{
	return a->time_ns <= b->time_ns && a->energy_uj <= b->energy_uj &&
	       (a->time_ns < b->time_ns || a->energy_uj < b->energy_uj);
}

size_t kt_energy_pareto(struct kt_energy_point *points, size_t count)
{
	size_t kept = 0;

	/* By time, and of one time by energy. */
	for (size_t i = 1; i < count; i++)
		for (size_t k = i; k > 0 && (points[k].time_ns < points[k - 1].time_ns ||
		                             (points[k].time_ns <= points[k - 1].time_ns &&
		                              points[k].energy_uj < points[k - 1].energy_uj));
		     k--) {
			const struct kt_energy_point other = points[k];

			points[k] = points[k - 1];
			points[k - 1] = other;
		}
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || !dominates(&points[kept - 1], &points[i]))
			points[kept++] = points[i];
	return kept;
}

static bool is_complete(const struct kt_timing *timings, const struct kt_energy *energies, size_t problems)
{
	struct kt_energy_point ignored;

	return point_of(&ignored, timings, energies, problems);
}

kt_status kt_tuning_energies(struct kt_energy **out, bool *measured, struct kt_tuning *s,
                             const struct kt_candidate *candidates, const struct kt_timing *timings, size_t rows,
                             struct kt_error *err)
{
	double longest_s = 0;
	struct kt_energy *energies = kt_arena_array(s->arena, rows * s->problems + 1, sizeof *energies);
	kt_status status = energies != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "energy: out of memory");

	*out = energies;
	for (size_t row = 0; row < rows; row++)
		measured[row] = false;
	for (size_t row = 0; row < rows && status == KT_OK; row++) {
		const double begin_s = kt_now_s();

		kt_progress("%s: the energy of %zu of %zu", s->instance->name, row + 1, rows);
		kt_store_lease_beat(s->plan->lease);
		/* The original and one more are the least that can be compared. */
		if (row > 1 && begin_s + longest_s + kt_tuning_check_seconds(s) > kt_tuning_hard_end(s)) {
			kt_log("%s: the energy of %zu of %zu measured when time was over", s->instance->name, row, rows);
			break;
		}
		status = kt_tester_energy(&energies[row * s->problems], s->plan->tester, &candidates[row], 1, measure_most_s, err);
		measured[row] = status == KT_OK && is_complete(&timings[row * s->problems], &energies[row * s->problems],
		                                               s->problems);
		longest_s = fmax(longest_s, kt_now_s() - begin_s);
	}
	return status;
}

kt_status kt_tuning_energy_entry(struct kt_entry *entry, const struct kt_tuning *s,
                                 const struct kt_energy_rows *rows, const size_t *served, struct kt_error *err)
{
	const size_t problems = s->problems;
	double error = 0;

	entry->objective = kt_goal_name(s->plan->config->goal);
	entry->baseline_uj = kt_arena_array(s->arena, problems, sizeof *entry->baseline_uj);
	entry->tuned_uj = kt_arena_array(s->arena, problems, sizeof *entry->tuned_uj);
	entry->points = kt_arena_array(s->arena, rows->count + 1, sizeof *entry->points);
	if (entry->baseline_uj == NULL || entry->tuned_uj == NULL || entry->points == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "entry: out of memory");
	for (size_t p = 0; p < problems; p++) {
		const struct kt_energy *own = &rows->energies[served[p] * problems + p];

		entry->baseline_uj[p] = kt_tuning_tenth(1e6 * rows->energies[p].joules);
		/* Where the variant does not run the original does. */
		entry->tuned_uj[p] = own->joules > 0 ? kt_tuning_tenth(1e6 * own->joules) : entry->baseline_uj[p];
		error = fmax(error, fmax(own->error, rows->energies[p].error));
	}
	entry->energy_error = (int64_t)ceil(1000 * error);
	for (size_t row = 0; row < rows->count && entry->point_count < KT_ENERGY_POINTS; row++) {
		struct kt_energy_point *point = &entry->points[entry->point_count];

		if (!point_of(point, &rows->timings[row * problems], &rows->energies[row * problems], problems))
			continue;
		point->configuration = row == 0 ? NULL : rows->candidates[row].configuration;
		kt_log("%s: %s: %.1f us, %.1f uJ", s->instance->name, row == 0 ? "the original" : "a candidate",
		       point->time_ns / 1e3, point->energy_uj);
		entry->point_count++;
	}
	entry->point_count = kt_energy_pareto(entry->points, entry->point_count);
	return KT_OK;
}
