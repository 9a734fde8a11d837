/* The general configuration alone: who is ahead in the weighted geometric mean without losing anywhere. See select.h. */
#include <math.h>
#include <string.h>

#include "planning/objective.h"
#include "planning/select.h"

/* Most rows that are chosen from: more than one comparison can have. */
#define KT_SELECT_ROWS 256

static const double least_gain = 0.01, slowdown_allowed = 0.02;
/* Two ticks of a device's clock (docs/verification.md): what a launch that no problem lists may differ by for no reason. */
static const double clock_ns = 64;

static size_t listed(const struct kt_matrix *m)
{
	return m->problems - m->shapes;
}

bool kt_matrix_lists(const struct kt_matrix *m, size_t problem)
{
	return problem < listed(m);
}

double kt_matrix_weight(const struct kt_matrix *m, size_t problem)
{
	if (problem < listed(m))
		return m->weights != NULL ? m->weights[problem] : 1;
	return kt_derived_weight_of(listed(m), m->shapes);
}

bool kt_matrix_covers(const struct kt_matrix *m, size_t row, size_t problem)
{
	if (row == 0)
		return true;
	return problem < listed(m) ? m->timings[row * m->problems + problem].median_ns > 0
	                           : (m->covers[row] >> (problem - listed(m)) & 1) != 0;
}

bool kt_timing_slower(const struct kt_timing *tuned, const struct kt_timing *than, bool is_listed)
{
	const double both = kt_timing_noise(than) + kt_timing_noise(tuned);
	const double allowed = than->median_ns * (1 + slowdown_allowed + fmin(3 * both, slowdown_allowed / 2));

	return tuned->median_ns > allowed + (is_listed ? 0 : clock_ns);
}

bool kt_matrix_slower(const struct kt_matrix *m, const struct kt_timing *tuned, const struct kt_timing *than,
                      size_t problem)
{
	return kt_timing_slower(tuned, than, problem < listed(m));
}

size_t kt_matrix_width(const struct kt_matrix *m, size_t row)
{
	return m->shapes != 0 ? (size_t)__builtin_popcount(m->covers[row]) : 0;
}

static bool runs_on_listed(const struct kt_matrix *m, size_t row)
{
	for (size_t p = 0; p < listed(m); p++)
		if (m->timings[p].median_ns > 0 && !(m->timings[row * m->problems + p].median_ns > 0))
			return false;
	return true;
}

/* Was another configuration than the original measured there? */
static bool is_compared(const struct kt_matrix *m, size_t problem)
{
	for (size_t row = 1; row < m->rows; row++)
		if (m->timings[row * m->problems + problem].median_ns > 0)
			return true;
	return false;
}

/* Was there no time to measure it on a size that no problem lists, where others were measured and it would run? */
static bool is_unknown(const struct kt_matrix *m, size_t row)
{
	for (size_t p = listed(m); p < m->problems; p++)
		if (m->timings[p].median_ns > 0 && is_compared(m, p) && kt_matrix_covers(m, row, p) &&
		    !(m->timings[row * m->problems + p].median_ns > 0))
			return true;
	return false;
}

/* The weighted geometric mean of speedups; 0: it may not win. */
static double gain_of(const struct kt_matrix *m, size_t row, enum kt_select_loss loss)
{
	const struct kt_timing *tuned = m->timings + row * m->problems;
	double logs = 0, spread = 0, weights = 0, gain;

	if (is_unknown(m, row))
		return 0;
	for (size_t p = 0; p < m->problems; p++) {
		const double weight = kt_matrix_weight(m, p);

		if (!(m->timings[p].median_ns > 0))
			continue;
		weights += weight;
		spread += weight * (kt_timing_noise(&m->timings[p]) + kt_timing_noise(&tuned[p]));
		logs += tuned[p].median_ns > 0 ? weight * log(m->timings[p].median_ns / tuned[p].median_ns) : 0;
		if (kt_matrix_slower(m, &tuned[p], &m->timings[p], p) && (p < listed(m) || loss == KT_SELECT_NO_LOSS))
			return 0;
	}
	gain = weights > 0 ? exp(logs / weights) : 1;
	return gain > 1 + fmax(least_gain, 3 * spread / fmax(weights, 1)) ? gain : 0;
}

size_t kt_select_winner(const struct kt_matrix *m, bool everywhere, enum kt_select_loss loss)
{
	size_t winner = SIZE_MAX, width = 0;
	double best = 0, gains[KT_SELECT_ROWS];
	const size_t rows = m->rows < KT_SELECT_ROWS ? m->rows : KT_SELECT_ROWS;

	for (size_t row = 1; row < rows; row++) {
		gains[row] = everywhere && !runs_on_listed(m, row) ? 0 : gain_of(m, row, loss);
		/* What another one covers is not given up, also where that one loses somewhere: a rule keeps it out there. */
		if (kt_matrix_width(m, row) > width && gain_of(m, row, KT_SELECT_UNLISTED_LOSS) > 0)
			width = kt_matrix_width(m, row);
	}
	for (size_t row = 1; row < rows; row++) {
		if (kt_matrix_width(m, row) < width)
			gains[row] = 0;
		best = fmax(best, gains[row]);
	}
	for (size_t row = 1; row < rows && winner == SIZE_MAX && best > 0; row++)
		if (gains[row] >= best * (1 - kt_select_tie))
			winner = row;
	return winner;
}
