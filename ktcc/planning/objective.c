#include "planning/objective.h"

#include <math.h>
#include <stdlib.h>

struct kt_objective {
	size_t configurations, problems;
	double *baseline; /* per problem */
	double *best_ns;  /* per problem */
	double *cost;     /* per configuration; INFINITY: none */
	double best_cost;
};

/* A relative slowdown on one problem weighs as much as losing this multiple of it everywhere. */
static const double slowdown_weight = 4;
static const double least_gain = 0.01;
static const double slowdown_allowed = 0.02;

kt_status kt_objective_open(struct kt_objective **out, size_t configurations, size_t problems, struct kt_error *err)
{
	struct kt_objective *objective = calloc(1, sizeof *objective);

	if (objective != NULL) {
		objective->configurations = configurations;
		objective->problems = problems;
		objective->best_cost = INFINITY;
		objective->baseline = calloc(problems, sizeof(double));
		objective->best_ns = calloc(problems, sizeof(double));
		objective->cost = calloc(configurations, sizeof(double));
	}
	if (objective == NULL || objective->baseline == NULL || objective->best_ns == NULL || objective->cost == NULL) {
		kt_objective_close(objective);
		return kt_fail(err, KT_ERR_MEMORY, "objective: out of memory");
	}
	for (size_t i = 0; i < configurations; i++)
		objective->cost[i] = INFINITY;
	*out = objective;
	return KT_OK;
}

void kt_objective_close(struct kt_objective *objective)
{
	if (objective == NULL)
		return;
	free(objective->baseline);
	free(objective->best_ns);
	free(objective->cost);
	free(objective);
}

void kt_objective_baseline(struct kt_objective *objective, size_t problem, double ns)
{
	objective->baseline[problem] = ns;
	objective->best_ns[problem] = ns;
}

double kt_objective_add(struct kt_objective *objective, size_t configuration, const double *ns)
{
	double logs = 0, slowdown = 0, cost;
	size_t used = 0;

	for (size_t p = 0; p < objective->problems; p++) {
		if (!(ns[p] > 0) || !(objective->baseline[p] > 0))
			continue;
		if (ns[p] < objective->best_ns[p])
			objective->best_ns[p] = ns[p];
		logs += log(ns[p] / objective->baseline[p]);
		if (ns[p] > objective->baseline[p] * (1 + slowdown_allowed))
			slowdown += log(ns[p] / objective->baseline[p]);
		used++;
	}
	if (used == 0)
		return INFINITY;
	cost = exp((logs + slowdown_weight * slowdown) / (double)used);
	objective->cost[configuration] = cost;
	if (cost < objective->best_cost)
		objective->best_cost = cost;
	return cost;
}

double kt_objective_best_ns(const struct kt_objective *objective, size_t problem)
{
	return objective->best_ns[problem];
}

double kt_objective_best_speedup(const struct kt_objective *objective)
{
	return isfinite(objective->best_cost) ? 1 / objective->best_cost : 0;
}

size_t kt_objective_top(size_t *configurations, size_t most, const struct kt_objective *objective)
{
	size_t count = 0;

	for (size_t i = 0; i < objective->configurations; i++) {
		size_t at;

		if (!isfinite(objective->cost[i]))
			continue;
		for (at = count; at > 0 && objective->cost[configurations[at - 1]] > objective->cost[i]; at--)
			if (at < most)
				configurations[at] = configurations[at - 1];
		if (at < most) {
			configurations[at] = i;
			if (count < most)
				count++;
		}
	}
	return count;
}

double kt_geomean_speedup(const struct kt_timing *baseline, const struct kt_timing *tuned, size_t problems)
{
	double logs = 0;
	size_t used = 0;

	for (size_t p = 0; p < problems; p++)
		if (baseline[p].median_ns > 0 && tuned[p].median_ns > 0) {
			logs += log(baseline[p].median_ns / tuned[p].median_ns);
			used++;
		}
	return used != 0 ? exp(logs / (double)used) : 1;
}

/* Relative standard error of a median: MAD × 1.4826 × 1.2533 / √n for normal noise. */
static double noise(const struct kt_timing *timing)
{
	if (!(timing->median_ns > 0) || timing->samples < 1)
		return 0;
	return 1.858 * timing->deviation_ns / timing->median_ns / sqrt((double)timing->samples);
}

size_t kt_select_winner(const struct kt_timing *timings, size_t rows, size_t problems)
{
	size_t winner = SIZE_MAX;
	double best = 0;

	for (size_t row = 1; row < rows; row++) {
		const struct kt_timing *tuned = timings + row * problems;
		double gain = kt_geomean_speedup(timings, tuned, problems);
		double spread = 0;
		bool slower = false;

		for (size_t p = 0; p < problems; p++) {
			double both = noise(&timings[p]) + noise(&tuned[p]);

			spread += both / (double)problems;
			if (tuned[p].median_ns > timings[p].median_ns * (1 + slowdown_allowed + fmin(3 * both, slowdown_allowed / 2)))
				slower = true;
		}
		if (slower || gain <= 1 + fmax(least_gain, 3 * spread))
			continue;
		if (gain > best) {
			best = gain;
			winner = row;
		}
	}
	return winner;
}
