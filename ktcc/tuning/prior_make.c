/* The process of one source: columns matched, features made, a Gaussian process fitted to the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/prior_internal.h"
#include "tuning/surrogate_internal.h"

#define ROWS_LEAST 3     /* right ones, of a source that is used */
#define PRODUCT_VALUES 3 /* different ones that a column has at least which is multiplied with another */
#define UPPER_HALF 0.5   /* slope of the compressed half at the median, as in strategy_model.c */
#define TRUST_SAME 0.8
#define TRUST_OTHER 0.4
#define NOISE_MORE 0.1   /* where the one that was fitted leaves the matrix singular */

/* ---- the rows of a source */

/* Work on one source while the prior is made. */
struct making {
	const struct kt_prior *prior;
	const struct kt_prior_column *columns; /* of the space */
	const struct kt_prior_source *from;
	size_t column_of[KT_PARAMETERS];       /* by dimension; SIZE_MAX: not matched */
	size_t matched, varying;
	size_t *order, order_count;            /* rows, by cost, those that failed last */
	size_t valid;
	double *values;                        /* transformed, by place in order */
	bool failed;                           /* out of memory */
};

static bool is_valid(double cost)
{
	return isfinite(cost) && cost > 0;
}

static int by_cost(const void *left, const void *right, void *costs_pointer)
{
	const double *costs = costs_pointer;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;
	const double x = is_valid(costs[a]) ? costs[a] : (double)INFINITY;
	const double y = is_valid(costs[b]) ? costs[b] : (double)INFINITY;

	return x != y ? (x < y ? -1 : 1) : (a > b) - (a < b);
}

static bool order_rows(struct making *m)
{
	m->order = calloc(m->from->row_count + 1, sizeof *m->order);
	m->values = calloc(m->from->row_count + 1, sizeof *m->values);
	for (size_t i = 0; m->order != NULL && i < m->from->row_count; i++) {
		m->order[m->order_count++] = i;
		m->valid += is_valid(m->from->costs[i]);
	}
	if (m->order != NULL)
		qsort_r(m->order, m->order_count, sizeof *m->order, by_cost, (void *)m->from->costs);
	return m->order != NULL && m->values != NULL;
}

static size_t find_column(const struct making *m, size_t dimension)
{
	const struct kt_prior_column *wanted = &m->columns[dimension];

	for (size_t c = 0; c < m->from->column_count; c++)
		if (strcmp(m->from->columns[c].name, wanted->name) == 0)
			return c;
	for (size_t c = 0; c < m->from->column_count && wanted->kind != KT_KIND_OTHER; c++)
		if (m->from->columns[c].kind == wanted->kind)
			return c;
	return SIZE_MAX;
}

static void match_columns(struct making *m)
{
	bool taken[KT_PARAMETERS] = {false};

	for (size_t d = 0; d < kt_space_dimensions(m->prior->space); d++) {
		const size_t column = kt_space_values(m->prior->space, d) > 1 ? find_column(m, d) : SIZE_MAX;

		m->column_of[d] = SIZE_MAX;
		m->varying += kt_space_values(m->prior->space, d) > 1;
		if (column >= KT_PARAMETERS || taken[column])
			continue;
		taken[column] = true;
		m->column_of[d] = column;
		m->matched++;
	}
}

static double share_of(const struct making *m)
{
	return m->varying == 0 ? 0
	                       : (m->from->is_same_kernel ? TRUST_SAME : TRUST_OTHER) * (double)m->matched / (double)m->varying;
}

double kt_prior_share(const struct kt_prior *prior, const struct kt_prior_column *columns,
                      const struct kt_prior_source *from)
{
	struct making m = {.prior = prior, .columns = columns, .from = from};

	match_columns(&m);
	return share_of(&m);
}

static int64_t value_at(const struct making *m, size_t place, size_t column)
{
	return m->from->values[m->order[place] * m->from->column_count + column];
}

/* How many different values the column has, up to PRODUCT_VALUES; 0: some are not positive. */
static size_t different(const struct making *m, size_t column)
{
	int64_t seen[PRODUCT_VALUES];
	size_t count = 0, i;

	for (size_t place = 0; place < m->order_count; place++) {
		const int64_t value = value_at(m, place, column);

		if (value <= 0)
			return 0;
		for (i = 0; i < count && seen[i] != value; i++)
			continue;
		if (i == count && count < PRODUCT_VALUES)
			seen[count++] = value;
	}
	return count;
}

static double row_coordinate(const struct making *m, const struct kt_prior_feature *feature, size_t place)
{
	const double first = kt_prior_coordinate(value_at(m, place, feature->first_column));

	return feature->second == SIZE_MAX ? first : first + kt_prior_coordinate(value_at(m, place, feature->second_column));
}

static void add_feature(struct kt_prior_process *out, const struct making *m, size_t first, size_t second)
{
	struct kt_prior_feature feature = {first, second, m->column_of[first], second == SIZE_MAX ? 0 : m->column_of[second],
	                          kt_space_ordered(m->prior->space, first), 0};
	double least = (double)INFINITY, most = -(double)INFINITY;

	if (out->feature_count == KT_PRIOR_FEATURES)
		return;
	for (size_t place = 0; place < m->order_count; place++) {
		least = fmin(least, row_coordinate(m, &feature, place));
		most = fmax(most, row_coordinate(m, &feature, place));
	}
	/* What was the same in all rows tells nothing. */
	if (!(most > least))
		return;
	feature.range = most - least;
	out->features[out->feature_count++] = feature;
}

/* Returns how many of them are parameters. */
static size_t make_features(struct kt_prior_process *out, const struct making *m)
{
	const size_t dimensions = kt_space_dimensions(m->prior->space);
	bool multiplies[KT_PARAMETERS] = {false};
	size_t parameters;

	for (size_t d = 0; d < dimensions; d++)
		if (m->column_of[d] != SIZE_MAX) {
			add_feature(out, m, d, SIZE_MAX);
			multiplies[d] = kt_space_ordered(m->prior->space, d) && kt_space_value(m->prior->space, d, 0) > 0 &&
			                different(m, m->column_of[d]) >= PRODUCT_VALUES;
		}
	parameters = out->feature_count;
	for (size_t a = 0; a < dimensions; a++)
		for (size_t b = 0; b < a; b++)
			if (multiplies[a] && multiplies[b])
				add_feature(out, m, b, a);
	return parameters;
}

/* The logarithm by that of the median, the upper half compressed; a failure is as slow as the slowest. */
static void transform(struct making *m)
{
	const double median = log(m->from->costs[m->order[m->valid / 2]]);
	const double spread = median - log(m->from->costs[m->order[0]]) + 1e-9;
	double most = 0;

	for (size_t place = 0; place < m->order_count; place++) {
		const double above = place < m->valid ? (log(m->from->costs[m->order[place]]) - median) / spread : 0;

		m->values[place] = place >= m->valid ? most : spread * (above <= 0 ? above : UPPER_HALF * log1p(above));
		most = fmax(most, m->values[place]);
	}
}

static size_t chosen(size_t i, size_t most, size_t count)
{
	return count <= most || i < most / 2 ? i : most / 2 + (i - most / 2) * (count - most / 2) / (most - most / 2);
}

/* ---- the process of a source */

static double distance(const struct kt_prior_feature *feature, double a, double b)
{
	if (!feature->is_ordered)
		return a == b ? 0 : 1;
	return fabs(a - b) / feature->range;
}

static bool fit(struct kt_hyper *hyper, const struct kt_prior_process *source, const struct making *m, const double *values)
{
	const size_t count = m->order_count < KT_SURROGATE_FIT ? m->order_count : KT_SURROGATE_FIT, n = source->feature_count;
	double *distances = calloc(count * count * n, sizeof *distances), *work = calloc(KT_HYPER_WORK, sizeof *work);
	double used[KT_SURROGATE_FIT];
	const struct kt_hyper_data data = {count, distances, used, work};
	const bool right = distances != NULL && work != NULL;

	for (size_t i = 0; right && i < count; i++) {
		const size_t a = chosen(i, count, m->order_count);

		used[i] = values[a];
		for (size_t j = 0; j < i; j++)
			for (size_t f = 0; f < n; f++)
				distances[(i * count + j) * n + f] =
				    distance(&source->features[f], row_coordinate(m, &source->features[f], a),
				             row_coordinate(m, &source->features[f], chosen(j, count, m->order_count)));
	}
	if (right)
		kt_hyper_fit(hyper, &data);
	free(distances);
	free(work);
	return right;
}

static double kernel(const struct kt_prior_process *source, size_t a, size_t b)
{
	double sum = 0;

	for (size_t f = 0; f < source->feature_count; f++) {
		const float *of = source->coordinates + f * KT_PRIOR_ROWS;

		sum += (double)source->weights[f] * distance(&source->features[f], (double)of[a], (double)of[b]);
	}
	return exp(-sum);
}

/* alpha = (K + noise)⁻¹ y; false when out of memory or K is singular. */
static bool solve(struct kt_prior_process *source, double noise, const double *values)
{
	const size_t n = source->row_count;
	double *matrix = calloc(n * n + n, sizeof *matrix), *alpha = matrix + n * n;
	bool right = matrix != NULL;

	for (size_t i = 0; right && i < n; i++) {
		for (size_t j = 0; j < i; j++)
			matrix[i * n + j] = kernel(source, i, j);
		matrix[i * n + i] = 1 + noise;
	}
	right = right && kt_cholesky_factorise(matrix, n);
	if (right)
		(void)kt_cholesky_solve(alpha, matrix, values, n);
	for (size_t i = 0; right && i < n; i++)
		source->alpha[i] = (float)alpha[i];
	free(matrix);
	return right;
}

/* Transforms the costs and brings them to mean 0 and deviation 1. */
static void standardise(struct kt_prior_process *out, struct making *m)
{
	double sum = 0, squares = 0;

	transform(m);
	for (size_t i = 0; i < m->order_count; i++)
		sum += m->values[i];
	out->mean = sum / (double)m->order_count;
	for (size_t i = 0; i < m->order_count; i++)
		squares += (m->values[i] - out->mean) * (m->values[i] - out->mean);
	out->deviation = sqrt(squares / (double)m->order_count) + 1e-12;
	for (size_t i = 0; i < m->order_count; i++)
		m->values[i] = (m->values[i] - out->mean) / out->deviation;
}

static bool choose_rows(double *values, struct kt_prior_process *out, const struct making *m)
{
	out->row_count = m->order_count < KT_PRIOR_ROWS ? m->order_count : KT_PRIOR_ROWS;
	out->coordinates = calloc(KT_PRIOR_FEATURES * (size_t)KT_PRIOR_ROWS, sizeof *out->coordinates);
	out->alpha = calloc(KT_PRIOR_ROWS, sizeof *out->alpha);
	for (size_t i = 0; out->coordinates != NULL && i < out->row_count; i++) {
		const size_t place = chosen(i, out->row_count, m->order_count);

		values[i] = m->values[place];
		for (size_t f = 0; f < out->feature_count; f++)
			out->coordinates[f * KT_PRIOR_ROWS + i] = (float)row_coordinate(m, &out->features[f], place);
	}
	return out->coordinates != NULL && out->alpha != NULL;
}

/* ---- the best rows in the space */

static uint16_t nearest_rank(const struct kt_prior *prior, size_t dimension, int64_t value)
{
	const size_t exact = kt_space_rank(prior->space, dimension, value);
	size_t nearest = 0;

	if (exact != SIZE_MAX)
		return (uint16_t)exact;
	for (size_t r = 1; r < kt_space_values(prior->space, dimension); r++)
		if (fabs(prior->tables[dimension][r] - kt_prior_coordinate(value)) <
		    fabs(prior->tables[dimension][nearest] - kt_prior_coordinate(value)))
			nearest = r;
	return (uint16_t)nearest;
}

static bool find_best(struct kt_prior_process *out, const struct making *m)
{
	enum { BEST = 8 };

	out->best = calloc(BEST, sizeof *out->best);
	for (size_t place = 0; out->best != NULL && place < m->valid && out->best_count < BEST; place++) {
		uint16_t row[KT_PARAMETERS];
		size_t index, i;

		for (size_t d = 0; d < kt_space_dimensions(m->prior->space); d++)
			row[d] = m->column_of[d] != SIZE_MAX
			             ? nearest_rank(m->prior, d, value_at(m, place, m->column_of[d]))
			             : (uint16_t)((kt_space_values(m->prior->space, d) - 1) / 2);
		index = kt_space_nearest(m->prior->space, row);
		for (i = 0; i < out->best_count && out->best[i] != index; i++)
			continue;
		if (index != SIZE_MAX && i == out->best_count)
			out->best[out->best_count++] = index;
	}
	return out->best != NULL;
}

/* False: it tells nothing, or, where m->failed is set, there is no memory. */
static bool make_process(struct kt_prior_process *out, struct making *m)
{
	const size_t parameters = make_features(out, m);
	double values[KT_PRIOR_ROWS] = {0};
	struct kt_hyper hyper;

	if (parameters == 0)
		return false;
	out->trust = share_of(m);
	out->label = strdup(m->from->label);
	standardise(out, m);
	kt_hyper_reset(&hyper, out->feature_count, parameters);
	m->failed = out->label == NULL || !fit(&hyper, out, m, m->values) || !choose_rows(values, out, m);
	if (m->failed)
		return false;
	for (size_t f = 0; f < out->feature_count; f++)
		out->weights[f] = (float)exp(-hyper.log_scale[f]);
	/* More noise only makes it smoother: rows may be the same in all that was matched. */
	m->failed = (!solve(out, exp(hyper.log_noise), values) && !solve(out, NOISE_MORE, values)) || !find_best(out, m);
	return !m->failed;
}

bool kt_prior_take(struct kt_prior *prior, const struct kt_prior_column *columns, const struct kt_prior_source *from)
{
	struct making m = {.prior = prior, .columns = columns, .from = from};
	struct kt_prior_process made = {0};
	bool right, tells;

	match_columns(&m);
	right = order_rows(&m);
	tells = right && m.matched != 0 && m.valid >= ROWS_LEAST && make_process(&made, &m);
	right = right && !m.failed;
	if (right && tells)
		prior->sources[prior->count++] = made;
	else
		kt_prior_free_process(&made);
	free(m.order);
	free(m.values);
	return right;
}
