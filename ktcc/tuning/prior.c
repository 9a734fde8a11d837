#include "tuning/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/prior_internal.h"

#define MEMO_MOST ((size_t)1 << 20)
#define TRUST_MOST 1.25
#define TRUST_DEVIATION 0.4  /* τ */
#define PSEUDO 1.0           /* an observation of variance 1, as in surrogate_fit.c: few points prove little */
#define BELIEF_STEPS 30

double kt_prior_coordinate(int64_t value)
{
	return value > 0 ? log2((double)value) : value == 0 ? -1 : (double)value;
}

void kt_prior_free_process(struct kt_prior_process *source)
{
	free(source->label);
	free(source->coordinates);
	free(source->alpha);
	free(source->best);
}

void kt_prior_close(struct kt_prior *prior)
{
	if (prior == NULL)
		return;
	for (size_t s = 0; s < prior->count; s++)
		kt_prior_free_process(&prior->sources[s]);
	for (size_t d = 0; d < KT_PARAMETERS; d++)
		free(prior->tables[d]);
	free(prior->memo);
	free(prior);
}

size_t kt_prior_count(const struct kt_prior *prior)
{
	return prior->count;
}

const char *kt_prior_label(const struct kt_prior *prior, size_t s)
{
	return prior->sources[s].label;
}

double kt_prior_trust(const struct kt_prior *prior)
{
	double sum = 0;

	for (size_t s = 0; s < prior->count; s++)
		sum += prior->sources[s].trust / (double)prior->count;
	return sum;
}

size_t kt_prior_nearest(const struct kt_prior *prior, size_t s, size_t rank)
{
	return rank < prior->sources[s].best_count ? prior->sources[s].best[rank] : SIZE_MAX;
}

static bool make_tables(struct kt_prior *prior)
{
	for (size_t d = 0; d < kt_space_dimensions(prior->space); d++) {
		const size_t values = kt_space_values(prior->space, d);

		prior->tables[d] = calloc(values + 1, sizeof *prior->tables[d]);
		if (prior->tables[d] == NULL)
			return false;
		for (size_t r = 0; r < values; r++)
			prior->tables[d][r] = kt_prior_coordinate(kt_space_value(prior->space, d, r));
	}
	return true;
}

static bool make_memo(struct kt_prior *prior)
{
	const size_t size = prior->count * kt_space_feasible(prior->space);

	if (size > MEMO_MOST)
		return true;
	prior->memo = calloc(size + 1, sizeof *prior->memo);
	for (size_t i = 0; prior->memo != NULL && i < size; i++)
		prior->memo[i] = NAN;
	return prior->memo != NULL;
}

/* Makes the processes of those that share most with the space. */
static bool take_sources(struct kt_prior *prior, const struct kt_prior_column *columns,
                         const struct kt_prior_source *sources, size_t count)
{
	double *shares = calloc(count + 1, sizeof *shares);
	bool right = shares != NULL;

	for (size_t s = 0; right && s < count; s++)
		shares[s] = kt_prior_share(prior, columns, &sources[s]);
	while (right && prior->count < KT_PRIOR_SOURCES) {
		size_t best = 0;

		for (size_t s = 1; s < count; s++)
			if (shares[s] > shares[best])
				best = s;
		/* shares[count] is 0: there is none, or none is left. */
		if (!(shares[best] > 0))
			break;
		shares[best] = 0;
		right = kt_prior_take(prior, columns, &sources[best]);
	}
	free(shares);
	return right;
}

kt_status kt_prior_open(struct kt_prior **out, const struct kt_space *space, const struct kt_prior_column *columns,
                        const struct kt_prior_source *sources, size_t count, struct kt_error *err)
{
	struct kt_prior *prior = calloc(1, sizeof *prior);
	bool right = prior != NULL;

	*out = NULL;
	if (prior != NULL) {
		prior->space = space;
		right = make_tables(prior) && take_sources(prior, columns, sources, count) && make_memo(prior);
	}
	if (!right) {
		kt_prior_close(prior);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for what earlier tunings found");
	}
	if (prior->count == 0)
		kt_prior_close(prior);
	else
		*out = prior;
	return KT_OK;
}

static float expect(const struct kt_prior *prior, const struct kt_prior_process *source, const uint16_t *row)
{
	float sums[KT_PRIOR_ROWS] = {0}, value = 0;

	for (size_t f = 0; f < source->feature_count; f++) {
		const struct kt_prior_feature *feature = &source->features[f];
		const float *restrict of = source->coordinates + f * KT_PRIOR_ROWS;
		const double second = feature->second == SIZE_MAX ? 0 : prior->tables[feature->second][row[feature->second]];
		const float at = (float)(prior->tables[feature->first][row[feature->first]] + second);
		const float weight = source->weights[f] / (feature->is_ordered ? (float)feature->range : 1);

		for (size_t i = 0; i < source->row_count; i++)
			sums[i] += feature->is_ordered ? weight * fabsf(at - of[i]) : at == of[i] ? 0 : weight;
	}
	for (size_t i = 0; i < source->row_count; i++)
		value += source->alpha[i] * expf(-sums[i]);
	return (float)source->mean + (float)source->deviation * value;
}

const float *kt_prior_expect(struct kt_prior *prior, size_t index)
{
	float *out = prior->memo != NULL ? prior->memo + index * prior->count : prior->scratch;
	uint16_t row[KT_PARAMETERS];

	if (prior->memo != NULL && !isnan(out[0]))
		return out;
	kt_space_row(row, prior->space, index);
	for (size_t s = 0; s < prior->count; s++)
		out[s] = expect(prior, &prior->sources[s], row);
	return out;
}

/* ---- belief */

void kt_belief_start(struct kt_belief *out, const struct kt_prior *prior)
{
	*out = (struct kt_belief){.count = prior->count};
	for (size_t s = 0; s < prior->count; s++)
		out->weights[s] = prior->sources[s].trust / (double)prior->count;
}

static double clamp(double value, double least, double most)
{
	return value < least ? least : value > most ? most : value;
}

void kt_belief_columns(double *columns, struct kt_prior *prior, const size_t *indices, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const float *m = kt_prior_expect(prior, indices[i]);

		columns[i] = 1;
		columns[count + i] = values[i];
		for (size_t s = 0; s < prior->count; s++)
			columns[(2 + s) * count + i] = (double)m[s];
	}
}

static double product(const double *a, const double *b, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Leaves of each column what the ones do not explain: the constant a may be anything. */
static void centre(double *columns, size_t column_count, size_t count)
{
	const double ones = product(columns, columns, count);

	for (size_t c = 1; c < column_count; c++) {
		const double share = product(columns, columns + c * count, count) / ones;

		for (size_t i = 0; i < count; i++)
			columns[c * count + i] -= share * columns[i];
	}
}

void kt_belief_fit(struct kt_belief *out, const struct kt_prior *prior, double *columns, size_t count, double unit)
{
	double *values = columns + count, *sources = columns + 2 * count, noise;

	kt_belief_start(out, prior);
	centre(columns, 2 + prior->count, count);
	for (size_t s = 0; s < prior->count; s++) {
		out->weights[s] *= unit;
		for (size_t i = 0; i < count; i++)
			values[i] -= out->weights[s] * sources[s * count + i];
	}
	/* Coordinate descent: each weight in turn goes to its best value within its bounds; `values` is what is left. */
	for (int step = 0; step < BELIEF_STEPS; step++) {
		noise = (product(values, values, count) + PSEUDO) / (double)(count + 1);
		for (size_t s = 0; s < prior->count; s++) {
			const double *m = sources + s * count, before = out->weights[s];
			const double hold = noise / (TRUST_DEVIATION * TRUST_DEVIATION * unit * unit);
			const double start = prior->sources[s].trust / (double)prior->count * unit;
			const double square = product(m, m, count);
			const double best = (product(m, values, count) + before * square + hold * start) / (square + hold);

			out->weights[s] = clamp(best, 0, TRUST_MOST * unit);
			for (size_t i = 0; i < count; i++)
				values[i] -= (out->weights[s] - before) * m[i];
		}
	}
}

double kt_belief_at(const struct kt_belief *belief, struct kt_prior *prior, size_t index)
{
	const float *m = kt_prior_expect(prior, index);
	double sum = 0;

	for (size_t s = 0; s < belief->count; s++)
		sum += belief->weights[s] * (double)m[s];
	return sum;
}
