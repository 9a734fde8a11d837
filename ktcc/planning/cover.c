/* Which rows serve which problems: one row for all, and a few more where they gain. */
#include "planning/cover.h"

#include <math.h>
#include <string.h>

#include "planning/objective.h"

/* What a variant must gain on launches that no problem lists, where it gains on no other. */
static const double unlisted_least = 0.03;

const struct kt_timing *kt_cover_timing(const struct kt_matrix *m, size_t row, size_t problem)
{
	return &m->timings[row * m->problems + problem];
}

const struct kt_timing *kt_cover_served_by(const struct kt_matrix *m, size_t row, size_t problem)
{
	const struct kt_timing *own = kt_cover_timing(m, row, problem);

	return own->median_ns > 0 ? own : kt_cover_timing(m, 0, problem);
}

double kt_cover_gain(const struct kt_matrix *m, size_t before, size_t after, size_t problem)
{
	const struct kt_timing *a = kt_cover_served_by(m, before, problem), *b = kt_cover_timing(m, after, problem);
	double doubt;

	if (!(a->median_ns > 0) || !(b->median_ns > 0))
		return 0;
	doubt = fmax(kt_select_least_gain, 3 * (kt_timing_noise(a) + kt_timing_noise(b)));
	return b->median_ns < a->median_ns * (1 - doubt) ? log(a->median_ns / b->median_ns) : 0;
}

void kt_cover_drop_idle(struct kt_cover *c)
{
	for (size_t k = 1; k < c->count;) {
		bool used = false;

		for (size_t p = 0; p < c->m->problems; p++)
			used = used || c->serves[p] == k;
		if (used) {
			k++;
			continue;
		}
		memmove(&c->rows[k], &c->rows[k + 1], (c->count - k - 1) * sizeof c->rows[0]);
		c->count--;
		for (size_t p = 0; p < c->m->problems; p++)
			c->serves[p] -= c->serves[p] > k;
	}
}

/* What a row would add to the cover, over all problems. */
static double gain_of(const struct kt_cover *c, size_t row)
{
	const struct kt_matrix *m = c->m;
	double sum = 0;

	for (size_t p = 0; p < m->problems; p++)
		sum += kt_matrix_weight(m, p) * kt_cover_gain(m, c->rows[c->serves[p]], row, p);
	return sum;
}

static bool gains_on_listed(const struct kt_cover *c, size_t row)
{
	for (size_t p = 0; kt_matrix_lists(c->m, p); p++)
		if (kt_cover_gain(c->m, c->rows[c->serves[p]], row, p) > 0)
			return true;
	return false;
}

/* The row that adds most, with the problems that it gains on. False: none is worth a variant. */
static bool add_variant(struct kt_cover *c)
{
	const struct kt_matrix *m = c->m;
	double best = 0;
	size_t best_row = 0;

	for (size_t row = 1; row < m->rows; row++) {
		const double sum = gain_of(c, row);

		if (sum > best && (sum > unlisted_least || gains_on_listed(c, row))) {
			best = sum;
			best_row = row;
		}
	}
	for (size_t p = 0; p < m->problems && best_row != 0; p++)
		if (kt_cover_gain(m, c->rows[c->serves[p]], best_row, p) > 0)
			c->serves[p] = c->count;
	if (best_row != 0)
		c->rows[c->count++] = best_row;
	return best_row != 0;
}

double kt_cover_gain_as(const struct kt_cover *c, size_t k, size_t row)
{
	const struct kt_matrix *m = c->m;
	double sum = 0, served = 0;

	for (size_t p = 0; p < m->problems; p++) {
		const double own = kt_cover_timing(m, row, p)->median_ns, general = kt_cover_served_by(m, c->rows[0], p)->median_ns;

		if (c->serves[p] != k)
			continue;
		if (!(own > 0 && own < general))
			return -INFINITY;
		sum += kt_matrix_weight(m, p) * log(general / own);
		served += kt_matrix_weight(m, p);
	}
	return served > 0 ? sum / served : -INFINITY;
}

/* What variant k serves is served by its best row, or by the first that is as good. */
static void choose_row(struct kt_cover *c, size_t k)
{
	double best = -INFINITY;
	size_t row = 1;

	for (size_t r = 1; r < c->m->rows; r++)
		best = fmax(best, kt_cover_gain_as(c, k, r));
	if (!isfinite(best))
		return;
	while (kt_cover_gain_as(c, k, row) < best - kt_select_tie)
		row++;
	c->rows[k] = row;
	/* One that is there already serves it as well. */
	for (size_t j = 1; j < c->count; j++)
		for (size_t p = 0; p < c->m->problems && j != k && c->rows[j] == row; p++)
			if (c->serves[p] == k)
				c->serves[p] = j;
}

/* Each problem goes to the fastest that is there, from a tie on: a variant that is there costs nothing more. */
static void assign(struct kt_cover *c)
{
	const struct kt_matrix *m = c->m;

	for (size_t p = 0; p < m->problems; p++)
		for (size_t k = 0; k < c->count; k++) {
			const double own = kt_cover_timing(m, c->rows[k], p)->median_ns;
			const size_t before = c->rows[c->serves[p]];

			if (own > 0 && own < kt_cover_served_by(m, before, p)->median_ns * (1 - kt_select_tie) &&
			    (kt_matrix_lists(m, p) || kt_cover_gain(m, before, c->rows[k], p) > 0))
				c->serves[p] = k;
		}
}

/* Who covers less is tried first: where its guards turn a launch away the next one's rule is asked. */
static void narrow_first(struct kt_cover *c)
{
	const struct kt_matrix *m = c->m;

	for (size_t k = 2; k < c->count; k++)
		for (size_t j = k; j > 1 && kt_matrix_width(m, c->rows[j]) < kt_matrix_width(m, c->rows[j - 1]); j--) {
			const size_t row = c->rows[j];

			c->rows[j] = c->rows[j - 1];
			c->rows[j - 1] = row;
			for (size_t p = 0; p < m->problems; p++)
				c->serves[p] = c->serves[p] == j ? j - 1 : c->serves[p] == j - 1 ? j : c->serves[p];
		}
}

struct kt_cover kt_cover_greedily(const struct kt_matrix *m, size_t general, size_t most)
{
	struct kt_cover cover = {.m = m, .count = 1, .rows = {general}}, *c = &cover;

	/* A variant was chosen for what it gained at its turn, with problems that a later one has taken from it. */
	for (size_t turn = 0; turn < most && add_variant(c); turn++) {
		for (size_t k = 1; k < c->count; k++)
			choose_row(c, k);
		assign(c);
		kt_cover_drop_idle(c);
	}
	narrow_first(c);
	return cover;
}
