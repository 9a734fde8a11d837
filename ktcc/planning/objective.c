#include "planning/objective.h"

#include <math.h>
#include <stdlib.h>

struct kt_objective {
	size_t problems, rows, capacity;
	double *baseline;  /* per problem */
	double *best_ns;   /* per problem */
	size_t *names;     /* per row: its configuration */
	double *cost;      /* per row; INFINITY: none */
	double *ns;        /* row-major */
	bool *doubtful;    /* per row */
	uint32_t *covers;  /* per row: a bit for each shape that no problem lists */
	double best_cost;
	size_t shapes;
	const size_t *nearest; /* per shape: a problem */
	kt_covers *ask;
	void *context;
	const double *weights; /* one per problem; NULL: 1 */
};

const double kt_slowdown_weight = 4;
static const double least_gain = 0.01;
static const double slowdown_allowed = 0.02;
const double kt_select_tie = 0.005;
const double kt_derived_weight = 0.5;

double kt_derived_weight_of(size_t listed, size_t shapes)
{
	return shapes != 0 ? kt_derived_weight * (double)listed / (double)shapes : 0;
}

kt_status kt_objective_open(struct kt_objective **out, size_t problems, struct kt_error *err)
{
	struct kt_objective *objective = calloc(1, sizeof *objective);

	if (objective != NULL) {
		objective->problems = problems;
		objective->best_cost = INFINITY;
		objective->baseline = calloc(problems, sizeof(double));
		objective->best_ns = calloc(problems, sizeof(double));
	}
	if (objective == NULL || objective->baseline == NULL || objective->best_ns == NULL) {
		kt_objective_close(objective);
		return kt_fail(err, KT_ERR_MEMORY, "objective: out of memory");
	}
	*out = objective;
	return KT_OK;
}

void kt_objective_close(struct kt_objective *objective)
{
	if (objective == NULL)
		return;
	free(objective->baseline);
	free(objective->best_ns);
	free(objective->names);
	free(objective->cost);
	free(objective->ns);
	free(objective->doubtful);
	free(objective->covers);
	free(objective);
}

void kt_objective_derive(struct kt_objective *objective, size_t shapes, const size_t *nearest, kt_covers *covers,
                         void *context)
{
	objective->shapes = shapes;
	objective->nearest = nearest;
	objective->ask = covers;
	objective->context = context;
}

void kt_objective_weigh(struct kt_objective *objective, const double *weights)
{
	objective->weights = weights;
}

static bool resize(void *array, size_t count, size_t size)
{
	void *grown = reallocarray(*(void **)array, count, size);

	if (grown != NULL)
		*(void **)array = grown;
	return grown != NULL;
}

static kt_status grow(struct kt_objective *o, struct kt_error *err)
{
	size_t capacity = o->capacity != 0 ? o->capacity * 2 : 64;

	if (o->rows < o->capacity)
		return KT_OK;
	if (!resize(&o->names, capacity, sizeof *o->names) || !resize(&o->cost, capacity, sizeof *o->cost) ||
	    !resize(&o->ns, capacity * o->problems, sizeof *o->ns) ||
	    !resize(&o->doubtful, capacity, sizeof *o->doubtful) || !resize(&o->covers, capacity, sizeof *o->covers))
		return kt_fail(err, KT_ERR_MEMORY, "objective: out of memory");
	o->capacity = capacity;
	return KT_OK;
}

/* The mean of log(tuned / baseline) where there is no measurement: as on the nearest problem, else as on all that were. */
static double log_nearest(const struct kt_objective *o, const double *ns, size_t shape, double mean)
{
	const size_t p = o->nearest[shape];

	return o->baseline[p] > 0 && ns[p] > 0 ? log(ns[p] / o->baseline[p]) : mean;
}

static double cost_of(const struct kt_objective *o, uint32_t covers, const double *ns)
{
	double logs = 0, slowdown = 0, weights = 0, known = 0, weight;
	size_t used = 0, measured = 0;

	for (size_t p = 0; p < o->problems; p++) {
		if (!(o->baseline[p] > 0))
			continue;
		const double own = o->weights != NULL ? o->weights[p] : 1;

		used++;
		weights += own;
		if (!(ns[p] > 0))
			continue;
		measured++;
		known += own;
		logs += own * log(ns[p] / o->baseline[p]);
		if (ns[p] > o->baseline[p] * (1 + slowdown_allowed))
			slowdown += log(ns[p] / o->baseline[p]);
	}
	if (measured == 0)
		return INFINITY;
	const double mean = known > 0 ? logs / known : 0;

	weight = kt_derived_weight_of(used, o->shapes);
	for (size_t i = 0; i < o->shapes; i++)
		logs += (covers >> i & 1) != 0 ? weight * log_nearest(o, ns, i, mean) : 0;
	return exp((logs + kt_slowdown_weight * slowdown) / fmax(weights + weight * (double)o->shapes, 1));
}

static uint32_t covers_of(const struct kt_objective *o, size_t configuration)
{
	return o->shapes == 0 || configuration == SIZE_MAX ? UINT32_MAX : o->ask(o->context, configuration);
}

/* A row's part in what is best. */
static void rate(struct kt_objective *o, size_t row)
{
	const double *ns = o->ns + row * o->problems;

	o->cost[row] = cost_of(o, o->covers[row], ns);
	if (o->doubtful[row])
		return;
	for (size_t p = 0; p < o->problems; p++)
		if (ns[p] < o->best_ns[p])
			o->best_ns[p] = ns[p];
	if (o->cost[row] < o->best_cost)
		o->best_cost = o->cost[row];
}

static void rate_all(struct kt_objective *o)
{
	o->best_cost = INFINITY;
	for (size_t p = 0; p < o->problems; p++)
		o->best_ns[p] = o->baseline[p];
	for (size_t row = 0; row < o->rows; row++)
		rate(o, row);
}

void kt_objective_baseline(struct kt_objective *objective, size_t problem, double ns)
{
	objective->baseline[problem] = ns;
	rate_all(objective);
}

kt_status kt_objective_add(double *cost, struct kt_objective *objective, size_t configuration, const double *ns,
                           struct kt_error *err)
{
	double *row;

	TRY(grow(objective, err));
	row = objective->ns + objective->rows * objective->problems;
	for (size_t p = 0; p < objective->problems; p++)
		row[p] = ns != NULL && ns[p] > 0 ? ns[p] : NAN;
	objective->names[objective->rows] = configuration;
	objective->doubtful[objective->rows] = false;
	objective->covers[objective->rows] = covers_of(objective, configuration);
	rate(objective, objective->rows);
	*cost = objective->cost[objective->rows++];
	return KT_OK;
}

void kt_objective_doubt(struct kt_objective *objective, size_t row, bool doubtful)
{
	objective->doubtful[row] = doubtful;
	rate_all(objective);
}

void kt_objective_fail(struct kt_objective *objective, size_t configuration)
{
	for (size_t row = 0; row < objective->rows; row++)
		for (size_t p = 0; p < objective->problems && objective->names[row] == configuration; p++)
			objective->ns[row * objective->problems + p] = NAN;
	rate_all(objective);
}

size_t kt_objective_rows(const struct kt_objective *objective)
{
	return objective->rows;
}

const double *kt_objective_row(size_t *configuration, const struct kt_objective *objective, size_t row)
{
	*configuration = objective->names[row];
	return objective->ns + row * objective->problems;
}

double kt_objective_cost(const struct kt_objective *objective, size_t row)
{
	return objective->cost[row];
}

double kt_objective_cost_of(const struct kt_objective *objective, size_t configuration, const double *ns)
{
	return cost_of(objective, covers_of(objective, configuration), ns);
}

void kt_objective_replace(struct kt_objective *objective, size_t row, const double *ns)
{
	double *own = objective->ns + row * objective->problems;

	for (size_t p = 0; p < objective->problems; p++)
		own[p] = ns != NULL && ns[p] > 0 ? ns[p] : NAN;
	rate_all(objective);
}

double kt_objective_baseline_ns(const struct kt_objective *objective, size_t problem)
{
	return objective->baseline[problem];
}

double kt_objective_best_ns(const struct kt_objective *objective, size_t problem)
{
	return objective->best_ns[problem];
}

double kt_objective_best_speedup(const struct kt_objective *objective)
{
	return isfinite(objective->best_cost) ? 1 / objective->best_cost : 0;
}

size_t kt_objective_best_row(const struct kt_objective *objective)
{
	for (size_t row = 0; row < objective->rows; row++)
		if (!objective->doubtful[row] && objective->cost[row] <= objective->best_cost &&
		    isfinite(objective->cost[row]))
			return row;
	return SIZE_MAX;
}

/* What rows are ranked by: their cost, or their time on one problem; INFINITY or NAN: not at all. */
typedef double ranking(const struct kt_objective *o, size_t row, size_t problem);

static double by_cost(const struct kt_objective *o, size_t row, size_t problem)
{
	(void)problem;
	return o->cost[row];
}

static bool runs_everywhere(const struct kt_objective *o, size_t row)
{
	for (size_t p = 0; p < o->problems; p++)
		if (o->baseline[p] > 0 && !(o->ns[row * o->problems + p] > 0))
			return false;
	return isfinite(o->cost[row]);
}

/* `width`: the number of shapes that no problem lists and that are covered. */
static double by_cost_everywhere(const struct kt_objective *o, size_t row, size_t width)
{
	return runs_everywhere(o, row) && (size_t)__builtin_popcount(o->covers[row]) >= width ? o->cost[row] : INFINITY;
}

static size_t widest(const struct kt_objective *o)
{
	size_t most = 0;

	for (size_t row = 0; row < o->rows; row++) {
		const size_t width = (size_t)__builtin_popcount(o->covers[row]);

		if (width > most && runs_everywhere(o, row))
			most = width;
	}
	return most;
}

static double by_time(const struct kt_objective *o, size_t row, size_t problem)
{
	return isfinite(o->cost[row]) ? o->ns[row * o->problems + problem] : INFINITY;
}

static size_t top(size_t *configurations, size_t most, const struct kt_objective *o, ranking *rank, size_t problem)
{
	size_t count = 0;

	/* Rows first, configurations at the end: insertion compares ranks. */
	for (size_t row = 0; row < o->rows; row++) {
		const double own = rank(o, row, problem);
		size_t at;

		if (!isfinite(own))
			continue;
		for (at = count; at > 0 && rank(o, configurations[at - 1], problem) > own; at--)
			if (at < most)
				configurations[at] = configurations[at - 1];
		if (at < most) {
			configurations[at] = row;
			if (count < most)
				count++;
		}
	}
	for (size_t i = 0; i < count; i++)
		configurations[i] = o->names[configurations[i]];
	return count;
}

size_t kt_objective_top(size_t *configurations, size_t most, const struct kt_objective *objective)
{
	return top(configurations, most, objective, by_cost, SIZE_MAX);
}

size_t kt_objective_top_everywhere(size_t *configurations, size_t most, const struct kt_objective *objective)
{
	return top(configurations, most, objective, by_cost_everywhere, widest(objective));
}

size_t kt_objective_top_on(size_t *configurations, size_t most, const struct kt_objective *objective, size_t problem)
{
	return top(configurations, most, objective, by_time, problem);
}

double kt_geomean_speedup(const struct kt_timing *baseline, const struct kt_timing *tuned, size_t problems)
{
	double logs = 0;
	size_t used = 0;

	for (size_t p = 0; p < problems; p++)
		if (baseline[p].median_ns > 0) {
			logs += tuned[p].median_ns > 0 ? log(baseline[p].median_ns / tuned[p].median_ns) : 0;
			used++;
		}
	return used != 0 ? exp(logs / (double)used) : 1;
}

double kt_timing_noise(const struct kt_timing *timing)
{
	if (!(timing->median_ns > 0) || timing->samples < 1)
		return 0;
	return 1.858 * timing->deviation_ns / timing->median_ns / sqrt((double)timing->samples);
}

static double entry_noise(const struct kt_entry *entry)
{
	double sum = 0;

	for (size_t p = 0; p < entry->problem_count; p++)
		sum += kt_timing_noise(&entry->baseline[p]) + (entry->tuned != NULL ? kt_timing_noise(&entry->tuned[p]) : 0);
	return fmax(least_gain, entry->problem_count != 0 ? 3 * sum / (double)entry->problem_count : 0);
}

static double speedup_of(const struct kt_entry *entry)
{
	return entry->tuned != NULL && kt_entry_has_variant(entry)
	           ? kt_geomean_speedup(entry->baseline, entry->tuned, entry->problem_count) : 1;
}

struct kt_gain kt_entry_gain(const struct kt_entry *entry)
{
	return (struct kt_gain){speedup_of(entry), entry_noise(entry)};
}

/* With the sizes that no problem lists, as they weigh. */
static double whole_speedup(const struct kt_entry *entry)
{
	double gain, least;

	kt_entry_unlisted_gain(&gain, &least, entry);
	return pow(speedup_of(entry) * pow(gain, kt_derived_weight), 1 / (1 + kt_derived_weight));
}

bool kt_entry_beats(const struct kt_entry *entry, const struct kt_entry *other)
{
	struct kt_gain candidate = kt_entry_gain(entry), best = kt_entry_gain(other);

	/* An older entry has no figures beyond its problems. */
	if (entry->unlisted_count != 0 && other->unlisted_count != 0) {
		candidate.speedup = whole_speedup(entry);
		best.speedup = whole_speedup(other);
	}
	return kt_choice_keeps(&best, &candidate);
}
