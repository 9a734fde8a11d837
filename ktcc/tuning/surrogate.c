#include "tuning/surrogate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/surrogate_internal.h"

#define POOL_ROOM (2 * (size_t)KT_SURROGATE_POOL)
#define POINTS ((size_t)KT_SURROGATE_POINTS)
#define SEEN_MOST (2 * POINTS)
#define TILE 512 /* candidates at a time: a tile of L⁻¹K stays in the second-level cache */
#define FEATURES_MOST 48  /* with products; parameters alone may be more */
#define PRODUCTS_FROM 48  /* valid points: with fewer, products explain too much */
#define PRODUCT_VALUES 3  /* values that a parameter has at least */
#define PRODUCTS_MOST 4096 /* pairs of values */
#define FEASIBILITY_PRIOR 0.3
#define FAR_BELOW (-6.0) /* deviations; beyond, the improvement is taken to the tail's order */

/* What the model sees of a configuration: a parameter's rank, or the rank of the product of two parameters. */
struct feature {
	size_t first, second; /* dimensions; SIZE_MAX: no second one */
	size_t count;         /* of values */
	bool ordered;
	uint16_t *ranks;      /* of a product: by rank of the first, then of the second; else NULL */
};

struct kt_surrogate {
	const struct kt_view *view;
	size_t dimensions, count, pool, seen, seen_valid; /* dimensions: features */
	size_t parameters; /* of the features, those that are parameters: they come first */
	size_t used;       /* of the features, by the model as it was fitted */
	struct feature features[KT_PARAMETERS];
	struct kt_hyper hyper;
	uint16_t *rows;      /* training points, one rank a feature */
	double *factor;      /* Cholesky factor, row i from i · POINTS */
	double *innovations; /* L⁻¹ y */
	uint16_t *ranks;     /* of the pool: dimension d from d · POOL_ROOM */
	float *cross;        /* L⁻¹ K(points, pool): point i from i · POOL_ROOM */
	float *mean, *variance, *valid_weight, *seen_weight, *scratch;
	uint16_t *seen_rows;
	bool *seen_good;
	float *tables[KT_PARAMETERS]; /* kernel factors of one row: one a rank */
	double *fit_distances, *fit_work;
};

void kt_surrogate_close(struct kt_surrogate *s)
{
	if (s == NULL)
		return;
	for (size_t d = 0; d < s->dimensions; d++) {
		free(s->tables[d]);
		free(s->features[d].ranks);
	}
	free(s->rows);
	free(s->factor);
	free(s->innovations);
	free(s->ranks);
	free(s->cross);
	free(s->mean);
	free(s->variance);
	free(s->valid_weight);
	free(s->seen_weight);
	free(s->scratch);
	free(s->seen_rows);
	free(s->seen_good);
	free(s->fit_distances);
	free(s->fit_work);
	free(s);
}

/* Ranks of the products of two parameters' values; false when out of memory. */
static bool make_product(struct feature *feature, const struct kt_space *space)
{
	const size_t rows = kt_space_values(space, feature->first), columns = kt_space_values(space, feature->second);
	double *products = calloc(2 * rows * columns, sizeof *products), *sorted = products + rows * columns;
	size_t count = 0;

	feature->ranks = calloc(rows * columns, sizeof *feature->ranks);
	if (products == NULL || feature->ranks == NULL) {
		free(products);
		return false;
	}
	for (size_t i = 0; i < rows * columns; i++)
		sorted[i] = products[i] = (double)kt_space_value(space, feature->first, i / columns) *
		                          (double)kt_space_value(space, feature->second, i % columns);
	qsort(sorted, rows * columns, sizeof *sorted, kt_by_number);
	for (size_t i = 0; i < rows * columns; i++)
		if (i == 0 || sorted[i] != sorted[count - 1])
			sorted[count++] = sorted[i];
	for (size_t i = 0; i < rows * columns; i++)
		feature->ranks[i] =
		    (uint16_t)((double *)bsearch(&products[i], sorted, count, sizeof *sorted, kt_by_number) - sorted);
	feature->count = count;
	free(products);
	return true;
}

/* Sizes multiply: threads of a block, elements of a tile. */
static bool multiplies(const struct kt_space *space, size_t d)
{
	return kt_space_ordered(space, d) && kt_space_values(space, d) >= PRODUCT_VALUES && kt_space_value(space, d, 0) > 0;
}

static bool add_feature(struct kt_surrogate *s, size_t first, size_t second)
{
	const struct kt_space *space = s->view->space;
	struct feature *feature = &s->features[s->dimensions];

	*feature = (struct feature){first, second, kt_space_values(space, first), true, NULL};
	if (second == SIZE_MAX)
		feature->ordered = kt_space_ordered(space, first);
	else if (kt_space_values(space, first) * kt_space_values(space, second) > PRODUCTS_MOST)
		return true;
	s->dimensions++;
	return second == SIZE_MAX || make_product(feature, space);
}

/* Every parameter that varies, then products up to the limit of features. */
static bool make_features(struct kt_surrogate *s)
{
	const size_t dimensions = s->view->dimensions;
	bool right = true;

	for (size_t d = 0; d < dimensions; d++)
		if (kt_space_values(s->view->space, d) > 1)
			right = right && add_feature(s, d, SIZE_MAX);
	s->parameters = s->dimensions;
	for (size_t a = 0; a < dimensions; a++)
		for (size_t b = 0; b < a; b++)
			if (s->dimensions < FEATURES_MOST && multiplies(s->view->space, a) &&
			    multiplies(s->view->space, b))
				right = right && add_feature(s, b, a);
	return right;
}

static void extract(uint16_t *out, const struct kt_surrogate *s, const uint16_t *row)
{
	for (size_t d = 0; d < s->dimensions; d++) {
		const struct feature *feature = &s->features[d];

		out[d] = feature->ranks == NULL
		             ? row[feature->first]
		             : feature->ranks[row[feature->first] * kt_space_values(s->view->space, feature->second) +
		                              row[feature->second]];
	}
}

static double distance(const struct kt_surrogate *s, size_t d, uint16_t a, uint16_t b)
{
	if (a == b)
		return 0;
	if (!s->features[d].ordered)
		return 1;
	return (double)(a > b ? a - b : b - a) / (double)(s->features[d].count - 1);
}

static bool allocate(struct kt_surrogate *s)
{
	const size_t dimensions = s->dimensions + 1;
	bool right = true;

	s->rows = calloc(POINTS * dimensions, sizeof *s->rows);
	s->factor = calloc(POINTS * POINTS, sizeof *s->factor);
	s->innovations = calloc(POINTS, sizeof *s->innovations);
	s->ranks = calloc(POOL_ROOM * dimensions, sizeof *s->ranks);
	s->cross = calloc(POOL_ROOM * POINTS, sizeof *s->cross);
	s->mean = calloc(POOL_ROOM, sizeof *s->mean);
	s->variance = calloc(POOL_ROOM, sizeof *s->variance);
	s->valid_weight = calloc(POOL_ROOM, sizeof *s->valid_weight);
	s->seen_weight = calloc(POOL_ROOM, sizeof *s->seen_weight);
	s->scratch = calloc(POOL_ROOM, sizeof *s->scratch);
	s->seen_rows = calloc(SEEN_MOST * dimensions, sizeof *s->seen_rows);
	s->seen_good = calloc(SEEN_MOST, sizeof *s->seen_good);
	s->fit_distances = calloc((size_t)KT_SURROGATE_FIT * KT_SURROGATE_FIT * dimensions, sizeof *s->fit_distances);
	s->fit_work = calloc(KT_HYPER_WORK, sizeof *s->fit_work);
	for (size_t d = 0; d < s->dimensions; d++) {
		s->tables[d] = calloc(s->features[d].count + 1, sizeof **s->tables);
		right = right && s->tables[d] != NULL;
	}
	return right && s->rows != NULL && s->factor != NULL && s->innovations != NULL && s->ranks != NULL &&
	       s->cross != NULL && s->mean != NULL && s->variance != NULL && s->valid_weight != NULL &&
	       s->seen_weight != NULL && s->scratch != NULL && s->seen_rows != NULL && s->seen_good != NULL &&
	       s->fit_distances != NULL && s->fit_work != NULL;
}

kt_status kt_surrogate_open(struct kt_surrogate **out, const struct kt_view *view, struct kt_error *err)
{
	struct kt_surrogate *s = calloc(1, sizeof *s);

	if (s != NULL)
		s->view = view;
	if (s == NULL || !make_features(s) || !allocate(s)) {
		kt_surrogate_close(s);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a model of the space");
	}
	kt_hyper_reset(&s->hyper, s->dimensions, s->parameters);
	*out = s;
	return KT_OK;
}

void kt_surrogate_fit(struct kt_surrogate *s, const uint16_t *rows, const double *values, size_t count)
{
	const struct kt_hyper_data data = {count, s->fit_distances, values, s->fit_work};
	const size_t stride = s->dimensions, dimensions = count < PRODUCTS_FROM ? s->parameters : s->dimensions;

	s->used = s->hyper.dimensions = dimensions;
	for (size_t i = 0; i < count; i++)
		extract(s->rows + i * stride, s, rows + i * s->view->dimensions);
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			for (size_t d = 0; d < dimensions; d++)
				s->fit_distances[(i * count + j) * dimensions + d] =
				    distance(s, d, s->rows[i * stride + d], s->rows[j * stride + d]);
	if (count > 1)
		kt_hyper_fit(&s->hyper, &data);
	s->count = s->pool = s->seen = s->seen_valid = 0;
}

static double kernel(const struct kt_surrogate *s, const uint16_t *a, const uint16_t *b)
{
	double sum = 0;

	for (size_t d = 0; d < s->used; d++)
		if (a[d] != b[d])
			sum += exp(-s->hyper.log_scale[d]) * distance(s, d, a[d], b[d]);
	return exp(-sum);
}

/* out[p] = k(row, candidate p) for p in [from, to): a factor a dimension, from a table. */
static void kernel_pool(float *restrict out, const struct kt_surrogate *s, const uint16_t *row, size_t from, size_t to)
{
	for (size_t p = from; p < to; p++)
		out[p] = 1;
	for (size_t d = 0; d < s->used; d++) {
		const size_t values = s->features[d].count;
		const uint16_t *restrict ranks = s->ranks + d * POOL_ROOM;
		float *restrict table = s->tables[d];
		const double weight = exp(-s->hyper.log_scale[d]);

		for (size_t v = 0; v < values; v++)
			table[v] = (float)exp(-weight * distance(s, d, row[d], (uint16_t)v));
		for (size_t p = from; p < to; p++)
			out[p] *= table[ranks[p]];
	}
}

/* Row `point` of L⁻¹K over the candidates [from, to), and what it does to their means and variances. */
static void cross_row(struct kt_surrogate *s, size_t point, size_t from, size_t to)
{
	const double *factor = s->factor + point * POINTS;
	const float scale = (float)(1 / factor[point]), innovation = (float)s->innovations[point];
	float *restrict row = s->cross + point * POOL_ROOM;

	kernel_pool(row, s, s->rows + point * s->dimensions, from, to);
	for (size_t k = 0; k < point; k++) {
		const float by = (float)factor[k];
		const float *restrict other = s->cross + k * POOL_ROOM;

		for (size_t p = from; p < to; p++)
			row[p] -= by * other[p];
	}
	for (size_t p = from; p < to; p++) {
		row[p] *= scale;
		s->variance[p] -= row[p] * row[p];
		s->mean[p] += row[p] * innovation;
	}
}

static void weigh_pool(struct kt_surrogate *s, const uint16_t *row, bool valid, size_t from, size_t to)
{
	kernel_pool(s->scratch, s, row, from, to);
	for (size_t p = from; p < to; p++) {
		const float weight = s->scratch[p] * s->scratch[p];

		s->seen_weight[p] += weight;
		s->valid_weight[p] += valid ? weight : 0;
	}
}

bool kt_surrogate_candidate(struct kt_surrogate *s, const uint16_t *of)
{
	const size_t at = s->pool;
	uint16_t row[KT_PARAMETERS];

	if (at == POOL_ROOM)
		return false;
	extract(row, s, of);
	for (size_t d = 0; d < s->dimensions; d++)
		s->ranks[d * POOL_ROOM + at] = row[d];
	s->mean[at] = s->valid_weight[at] = s->seen_weight[at] = 0;
	s->variance[at] = 1;
	s->pool++;
	for (size_t i = 0; i < s->count; i++)
		cross_row(s, i, at, at + 1);
	for (size_t i = 0; i < s->seen; i++)
		weigh_pool(s, s->seen_rows + i * s->dimensions, s->seen_good[i], at, at + 1);
	return true;
}

bool kt_surrogate_add(struct kt_surrogate *s, const uint16_t *of, double value)
{
	uint16_t row[KT_PARAMETERS];
	double *factor = s->factor + s->count * POINTS, rest, left = value;
	const size_t n = s->count;

	if (n == POINTS)
		return false;
	extract(row, s, of);
	rest = 1 + exp(s->hyper.log_noise);
	for (size_t i = 0; i < n; i++) {
		const double *other = s->factor + i * POINTS;
		double sum = kernel(s, row, s->rows + i * s->dimensions);

		for (size_t k = 0; k < i; k++)
			sum -= factor[k] * other[k];
		factor[i] = sum / other[i];
		rest -= factor[i] * factor[i];
		left -= factor[i] * s->innovations[i];
	}
	factor[n] = sqrt(rest > 1e-9 ? rest : 1e-9);
	s->innovations[n] = left / factor[n];
	memcpy(s->rows + n * s->dimensions, row, s->dimensions * sizeof *row);
	s->count++;
	for (size_t from = 0; from < s->pool; from += TILE)
		cross_row(s, n, from, from + TILE < s->pool ? from + TILE : s->pool);
	return true;
}

void kt_surrogate_drop(struct kt_surrogate *s)
{
	const float *row = s->cross + --s->count * POOL_ROOM;
	const float innovation = (float)s->innovations[s->count];

	for (size_t p = 0; p < s->pool; p++) {
		s->variance[p] += row[p] * row[p];
		s->mean[p] -= row[p] * innovation;
	}
}

void kt_surrogate_valid(struct kt_surrogate *s, const uint16_t *of, bool valid)
{
	uint16_t row[KT_PARAMETERS];

	if (s->seen == SEEN_MOST)
		return;
	extract(row, s, of);
	memcpy(s->seen_rows + s->seen * s->dimensions, row, s->dimensions * sizeof *row);
	s->seen_good[s->seen++] = valid;
	s->seen_valid += valid;
	weigh_pool(s, row, valid, 0, s->pool);
}

double kt_surrogate_mean(const struct kt_surrogate *s, const uint16_t *of)
{
	double solved[KT_SURROGATE_POINTS], mean = 0;
	uint16_t row[KT_PARAMETERS];

	extract(row, s, of);

	for (size_t i = 0; i < s->count; i++) {
		const double *factor = s->factor + i * POINTS;
		double sum = kernel(s, row, s->rows + i * s->dimensions);

		for (size_t k = 0; k < i; k++)
			sum -= factor[k] * solved[k];
		solved[i] = sum / factor[i];
		mean += solved[i] * s->innovations[i];
	}
	return mean;
}

double kt_surrogate_promise(const struct kt_surrogate *s, size_t i, double best)
{
	const double deviation = sqrt(s->hyper.amplitude * fmax((double)s->variance[i], 1e-9));
	const double gain = best - (double)s->mean[i], z = gain / deviation;
	const double share = ((double)s->seen_valid + 1) / ((double)s->seen + 1);
	const double valid = ((double)s->valid_weight[i] + FEASIBILITY_PRIOR * share) /
	                     ((double)s->seen_weight[i] + FEASIBILITY_PRIOR);
	const double density = exp(-0.5 * z * z) * 0.3989422804014327, below = 0.5 * erfc(-z * 0.7071067811865476);
	/* Far below, the two terms cancel; what is left falls like exp(−z²/2). */
	const double improvement = z < FAR_BELOW ? log(deviation) - 0.5 * z * z - 2 * log(-z) - 0.92
	                                         : log(gain * below + deviation * density);

	return improvement + log(valid);
}
