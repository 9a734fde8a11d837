/*
 * Model-based: a Gaussian process (tuning/surrogate.h) on the logarithm of the cost,
 * expected improvement times the probability of being valid, over all unknown
 * configurations or, in large spaces, over a sample of them and the neighbours of the best.
 *
 * A few configurations far from each other come first. What is known from elsewhere (tuning/prior.h) is part of the
 * mean: the process models what that leaves unexplained, and its weights are fitted again with the process. The upper
 * half of the costs is compressed, so that the model is most accurate for what could win. Hyperparameters are fitted
 * again each time a fifth more is known. What is asked and not told yet counts as told with the value that the model
 * expects ("kriging believer": Ginsbourger, Le Riche and Carraro, 2010), so that a batch of asks spreads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/ranked.h"
#include "tuning/surrogate.h"

#define START 4            /* configurations before the model */
#define START_DRAWS 10     /* each the one of so many that is farthest from the others */
#define TRUSTED 0.5        /* of what is known, when it goes first: more than other kernels come to */
#define APART 0.5          /* how far what is expected to be best is from everything known, while there is no model */
#define REFIT_SHARE 5      /* refit when 1/5 more is known */
#define UPPER_HALF 0.5     /* slope of the compressed half at the median */
#define NEAR_BEST 8        /* whose neighbours are candidates in large spaces */
#define POINTS_KEPT (3 * KT_SURROGATE_POINTS / 4) /* of more, when refitting */

struct model {
	struct kt_surrogate *surrogate;
	struct kt_ranked ranked;
	size_t heard;      /* of view->told, by the surrogate */
	size_t refit_at;   /* told_count of the next fit */
	size_t believed;   /* training points that stand for pending ones, at the end */
	double median, spread, mean, deviation, best; /* of the transform, fixed between fits; best is transformed */
	double worst;
	struct kt_belief belief; /* in what is known from elsewhere; fixed between fits, as is expected */
	double expected;   /* mean of what it expects of the points of the last fit */
	size_t pool_count;
	size_t *pool;      /* indices of the surrogate's candidates */
	double *offset;    /* what is expected of each of them; the surrogate models what is left */
	size_t *order;     /* places in view->told, valid ones, by cost */
	size_t order_room;
};

static void close_search(void *state)
{
	struct model *m = state;

	if (m == NULL)
		return;
	kt_surrogate_close(m->surrogate);
	free(m->pool);
	free(m->offset);
	free(m->order);
	free(m);
}

static kt_status open_search(void **state, const struct kt_view *view, struct kt_error *err)
{
	struct model *m = calloc(1, sizeof *m);
	kt_status status = KT_OK;

	if (m != NULL) {
		kt_ranked_open(&m->ranked, NEAR_BEST);
		m->pool = calloc(2 * (size_t)KT_SURROGATE_POOL, sizeof *m->pool);
		m->offset = calloc(2 * (size_t)KT_SURROGATE_POOL, sizeof *m->offset);
		status = kt_surrogate_open(&m->surrogate, view, err);
	}
	if (status == KT_OK && (m == NULL || m->pool == NULL || m->offset == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a search");
	if (status != KT_OK)
		close_search(m);
	else
		*state = m;
	return status;
}

/* The distance to the nearest configuration that is known or under way: the sum over the parameters. */
static double nearest_known(const struct kt_view *view, size_t index)
{
	uint16_t row[KT_PARAMETERS], other[KT_PARAMETERS];
	double nearest = (double)INFINITY;

	kt_space_row(row, view->space, index);
	for (size_t i = 0; i < view->told_count + view->pending_count; i++) {
		double sum = 0;

		kt_space_row(other, view->space,
		             i < view->told_count ? view->told[i].index : view->pending[i - view->told_count]);
		for (size_t d = 0; d < view->dimensions; d++)
			sum += kt_view_distance(view, d, row[d], other[d]);
		nearest = fmin(nearest, sum);
	}
	return nearest;
}

/* Of a few random ones, the one farthest from everything known. */
static size_t far_away(struct kt_view *view)
{
	size_t chosen = SIZE_MAX;
	double farthest = -1;

	for (int draw = 0; draw < START_DRAWS; draw++) {
		const size_t index = kt_view_random(view);
		double nearest;

		if (index == SIZE_MAX)
			return SIZE_MAX;
		nearest = nearest_known(view, index);
		if (nearest > farthest) {
			farthest = nearest;
			chosen = index;
		}
	}
	return chosen;
}

static double transform(const struct model *m, double cost)
{
	const double at = log(cost), above = (at - m->median) / m->spread;
	const double value = above <= 0 ? at : m->median + UPPER_HALF * m->spread * log1p(above);

	return (value - m->mean) / m->deviation;
}

static int by_cost(const void *left, const void *right, void *told_pointer)
{
	const struct kt_told *told = told_pointer;
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (told[a].cost != told[b].cost)
		return told[a].cost < told[b].cost ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Fills m->order; returns how many are valid. SIZE_MAX when out of memory. */
static size_t sort_valid(struct model *m, const struct kt_view *view)
{
	size_t count = 0;

	if (m->order_room < view->told_count) {
		size_t *order = realloc(m->order, 2 * view->told_count * sizeof *order);

		if (order == NULL)
			return SIZE_MAX;
		m->order = order;
		m->order_room = 2 * view->told_count;
	}
	for (size_t i = 0; i < view->told_count; i++)
		if (view->told[i].verdict == KT_TELL_OK)
			m->order[count++] = i;
	qsort_r(m->order, count, sizeof *m->order, by_cost, view->told);
	return count;
}

static void set_transform(struct model *m, const struct kt_view *view, size_t count)
{
	double sum = 0, squares = 0;

	m->median = log(view->told[m->order[count / 2]].cost);
	m->spread = m->median - log(view->told[m->order[0]].cost) + 1e-9;
	m->mean = 0;
	m->deviation = 1;
	for (size_t i = 0; i < count; i++)
		sum += transform(m, view->told[m->order[i]].cost);
	sum /= (double)count;
	for (size_t i = 0; i < count; i++) {
		const double off = transform(m, view->told[m->order[i]].cost) - sum;

		squares += off * off;
	}
	m->mean = sum;
	m->deviation = sqrt(squares / (double)count) + 1e-12;
	m->best = transform(m, view->told[m->order[0]].cost);
	m->worst = transform(m, view->told[m->order[count - 1]].cost);
}

/* What is expected of a configuration, by what is known from elsewhere, in units of the transform. */
static double expected(const struct model *m, const struct kt_view *view, size_t index)
{
	return view->prior == NULL ? 0 : kt_belief_at(&m->belief, view->prior, index) - m->expected;
}

/* Weighs what is known from elsewhere by these points, and leaves of their values what it does not explain. */
static void believe_sources(struct model *m, const struct kt_view *view, const size_t *indices, double *values,
                            size_t count)
{
	double columns[KT_BELIEF_COLUMNS * KT_SURROGATE_FIT], mean = 0;

	kt_belief_columns(columns, view->prior, indices, values, count);
	kt_belief_fit(&m->belief, view->prior, columns, count, 1 / m->deviation);
	m->expected = 0;
	for (size_t i = 0; i < count; i++)
		mean += expected(m, view, indices[i]) / (double)count;
	m->expected = mean;
	for (size_t i = 0; i < count; i++)
		values[i] -= expected(m, view, indices[i]);
}

/* The fit sees the best half of its points and an even choice of the others. */
static void fit(struct model *m, const struct kt_view *view, size_t count)
{
	uint16_t rows[KT_SURROGATE_FIT * KT_PARAMETERS];
	size_t indices[KT_SURROGATE_FIT] = {0};
	double values[KT_SURROGATE_FIT] = {0};
	const size_t most = KT_SURROGATE_FIT, half = most / 2;
	const size_t used = count < most ? count : most;

	for (size_t i = 0; i < used; i++) {
		const size_t place = count <= most || i < half ? i : half + (i - half) * (count - half) / (most - half);

		indices[i] = view->told[m->order[place]].index;
		kt_space_row(rows + i * view->dimensions, view->space, indices[i]);
		values[i] = transform(m, view->told[m->order[place]].cost);
	}
	if (view->prior != NULL)
		believe_sources(m, view, indices, values, used);
	kt_surrogate_fit(m->surrogate, rows, values, used);
}

static void add_candidate(struct model *m, const struct kt_view *view, size_t index)
{
	uint16_t row[KT_PARAMETERS];

	kt_space_row(row, view->space, index);
	if (!kt_surrogate_candidate(m->surrogate, row))
		return;
	m->offset[m->pool_count] = expected(m, view, index);
	m->pool[m->pool_count++] = index;
}

static bool in_pool(const struct model *m, size_t index)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pool[i] == index)
			return true;
	return false;
}

static void add_neighbours(struct model *m, const struct kt_view *view, size_t index)
{
	const size_t count = kt_space_neighbours(view->near, view->space, index, KT_NEIGHBOUR_HAMMING);

	for (size_t i = 0; i < count; i++)
		if (kt_view_unknown(view, view->near[i]) && !in_pool(m, view->near[i]))
			add_candidate(m, view, view->near[i]);
}

static bool covers_all(const struct kt_view *view)
{
	return view->count <= KT_SURROGATE_POOL + KT_SURROGATE_POOL / 2;
}

static int by_index(const void *left, const void *right)
{
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return (a > b) - (a < b);
}

/* Neighbours of the best, then a random sample; a repeated one costs only its place in the pool. */
static void fill_pool(struct model *m, struct kt_view *view)
{
	size_t drawn[KT_SURROGATE_POOL], count = 0;

	m->pool_count = 0;
	if (covers_all(view)) {
		for (size_t i = 0; i < view->count; i++)
			if (kt_view_unknown(view, i))
				add_candidate(m, view, i);
		return;
	}
	for (size_t i = 0; i < m->ranked.count && m->pool_count < KT_SURROGATE_POOL / 2; i++)
		add_neighbours(m, view, view->told[m->ranked.place[i]].index);
	while (m->pool_count + count < KT_SURROGATE_POOL)
		drawn[count++] = kt_view_random(view);
	qsort(drawn, count, sizeof *drawn, by_index);
	for (size_t i = 0; i < count; i++)
		if (drawn[i] != SIZE_MAX && (i == 0 || drawn[i] != drawn[i - 1]))
			add_candidate(m, view, drawn[i]);
}

static void hear(struct model *m, const struct kt_view *view, const struct kt_told *told)
{
	uint16_t row[KT_PARAMETERS];
	const bool valid = told->verdict == KT_TELL_OK || told->verdict == KT_TELL_SLOW;
	double value;

	kt_space_row(row, view->space, told->index);
	kt_surrogate_valid(m->surrogate, row, valid);
	if (!valid)
		return;
	/* Slow is known to be no better than what was seen. */
	value = told->verdict == KT_TELL_OK ? transform(m, told->cost) : m->worst;
	m->worst = fmax(m->worst, value);
	if (!kt_surrogate_add(m->surrogate, row, value - expected(m, view, told->index)))
		m->refit_at = view->told_count;
	if (value >= m->best)
		return;
	m->best = value;
	if (!covers_all(view))
		add_neighbours(m, view, told->index);
}

/* Everything told, or the best of it and the last of it where that is too much. */
static void hear_again(struct model *m, const struct kt_view *view, size_t count)
{
	const size_t most = POINTS_KEPT;

	if (view->told_count <= most) {
		for (size_t i = 0; i < view->told_count; i++)
			hear(m, view, &view->told[i]);
		return;
	}
	for (size_t i = 0; i < count && i < most / 2; i++)
		hear(m, view, &view->told[m->order[i]]);
	for (size_t i = view->told_count - most / 2; i < view->told_count; i++)
		if (view->told[i].verdict != KT_TELL_OK ||
		    (count > most / 2 && by_cost(&i, &m->order[most / 2 - 1], view->told) > 0))
			hear(m, view, &view->told[i]);
}

static bool refit(struct model *m, struct kt_view *view)
{
	const size_t count = sort_valid(m, view);

	if (count == SIZE_MAX || count == 0)
		return false;
	kt_ranked_listen(&m->ranked, view);
	set_transform(m, view, count);
	fit(m, view, count);
	m->believed = 0;
	fill_pool(m, view);
	m->refit_at = SIZE_MAX;
	hear_again(m, view, count);
	m->heard = view->told_count;
	m->refit_at = view->told_count + 1 + view->told_count / REFIT_SHARE;
	return true;
}

static void believe(struct model *m, const struct kt_view *view)
{
	uint16_t row[KT_PARAMETERS];

	for (; m->believed < view->pending_count; m->believed++) {
		kt_space_row(row, view->space, view->pending[m->believed]);
		if (!kt_surrogate_add(m->surrogate, row, kt_surrogate_mean(m->surrogate, row)))
			return;
	}
}

static bool catch_up(struct model *m, struct kt_view *view)
{
	if (m->heard < view->told_count) {
		for (; m->believed > 0; m->believed--)
			kt_surrogate_drop(m->surrogate);
		if (view->told_count >= m->refit_at) {
			if (!refit(m, view))
				return false;
		}
		for (; m->heard < view->told_count; m->heard++)
			hear(m, view, &view->told[m->heard]);
	}
	believe(m, view);
	return true;
}

/* Is this one expected to be better than `least`, and not near to what is known? */
static bool is_promising(const struct model *m, const struct kt_view *view, size_t index, double least)
{
	return expected(m, view, index) < least && kt_view_unknown(view, index) && nearest_known(view, index) >= APART;
}

/* Without a model: the one that is expected to be the best, of all or of an even choice and what was best elsewhere. */
static size_t promising(struct model *m, const struct kt_view *view)
{
	const size_t step = covers_all(view) ? 1 : view->count / KT_SURROGATE_POOL;
	double least = (double)INFINITY;
	size_t chosen = SIZE_MAX, index;

	if (m->belief.count == 0)
		kt_belief_start(&m->belief, view->prior);
	for (index = 0; index < view->count; index += step)
		if (is_promising(m, view, index, least)) {
			least = expected(m, view, index);
			chosen = index;
		}
	for (size_t s = 0; s < kt_prior_count(view->prior); s++)
		for (size_t rank = 0; (index = kt_prior_nearest(view->prior, s, rank)) != SIZE_MAX; rank++)
			if (is_promising(m, view, index, least)) {
				least = expected(m, view, index);
				chosen = index;
			}
	return chosen;
}

/*
 * While there is no model. Where something is known from elsewhere, some are chosen by that, and the others test it:
 * the first fit shows false knowledge. With knowledge of the same kernel it is every other one, from the first on; of
 * other kernels one in four, from the second on.
 */
static size_t begin(struct model *m, struct kt_view *view)
{
	const size_t turn = view->told_count + view->pending_count;
	const bool trusts = view->prior != NULL && kt_prior_trust(view->prior) >= TRUSTED;
	const bool knows = view->prior != NULL && (trusts ? turn % 2 == 0 : turn % 4 == 1);
	const size_t index = knows ? promising(m, view) : SIZE_MAX;

	return index != SIZE_MAX ? index : far_away(view);
}

static size_t ask(void *state, struct kt_view *view)
{
	struct model *m = state;
	size_t chosen = SIZE_MAX;
	double most = -(double)INFINITY;

	if (view->best == SIZE_MAX || view->told_count < START)
		return begin(m, view);
	if (!catch_up(m, view))
		return SIZE_MAX;
	for (size_t i = 0; i < m->pool_count; i++) {
		double promise;

		if (!kt_view_unknown(view, m->pool[i]))
			continue;
		promise = kt_surrogate_promise(m->surrogate, i, m->best - m->offset[i]);
		if (promise > most) {
			most = promise;
			chosen = m->pool[i];
		}
	}
	return chosen;
}

const struct kt_strategy_calls kt_strategy_model = {open_search, ask, close_search};
