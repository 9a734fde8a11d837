#include "planning/passes.h"

#include <math.h>
#include <string.h>

static const double wanted_error = 0.0025, hopeless = 0.03;

/* Of one row on one problem. */
struct cell {
	size_t count;
	double medians[KT_PASSES_MOST];
	struct kt_timing sum; /* least and samples are those of all passes already */
};

struct kt_passes {
	size_t rows, problems, count;
	struct cell *cells; /* [row × problems + problem] */
};

struct kt_passes *kt_passes_new(struct kt_arena *arena, size_t rows, size_t problems)
{
	struct kt_passes *passes = kt_arena_alloc(arena, sizeof *passes);

	NEED(passes, NULL);
	*passes = (struct kt_passes){.rows = rows, .problems = problems,
	                             .cells = kt_arena_array(arena, rows * problems, sizeof *passes->cells)};
	return passes->cells != NULL ? passes : NULL;
}

void kt_passes_add(struct kt_passes *passes, const struct kt_timing *pass)
{
	passes->count++;
	for (size_t i = 0; i < passes->rows * passes->problems; i++) {
		struct cell *cell = &passes->cells[i];

		if (pass[i].samples < 1 || cell->count == KT_PASSES_MOST)
			continue;
		cell->sum.min_ns = cell->count == 0 ? pass[i].min_ns : fmin(cell->sum.min_ns, pass[i].min_ns);
		cell->medians[cell->count++] = pass[i].median_ns;
		cell->sum.median_ns += pass[i].median_ns;
		cell->sum.mean_ns += pass[i].mean_ns;
		cell->sum.deviation_ns += pass[i].deviation_ns;
		cell->sum.samples += pass[i].samples;
	}
}

void kt_passes_pool(struct kt_timing *out, const struct kt_passes *passes)
{
	for (size_t i = 0; i < passes->rows * passes->problems; i++) {
		const struct cell *cell = &passes->cells[i];
		const double count = (double)(cell->count != 0 ? cell->count : 1);

		out[i] = cell->sum;
		out[i].median_ns /= count;
		out[i].mean_ns /= count;
		out[i].deviation_ns /= count;
	}
}

/* 0: not measured. */
static double median(const struct kt_passes *passes, size_t row, size_t problem)
{
	const struct cell *cell = &passes->cells[row * passes->problems + problem];

	return cell->count != 0 ? cell->sum.median_ns / (double)cell->count : 0;
}

/* The mean of log(original / row); where the row does not run the original does. */
static double gain(const struct kt_passes *passes, size_t row)
{
	double sum = 0;

	for (size_t p = 0; p < passes->problems; p++)
		if (median(passes, 0, p) > 0 && median(passes, row, p) > 0)
			sum += log(median(passes, 0, p) / median(passes, row, p));
	return sum / (double)passes->problems;
}

bool kt_passes_hopeful(const struct kt_passes *passes, size_t row)
{
	double most = -INFINITY;

	if (row == 0)
		return true;
	for (size_t p = 0; p < passes->problems; p++) {
		double least = INFINITY;

		for (size_t r = 0; r < passes->rows; r++)
			if (median(passes, r, p) > 0)
				least = fmin(least, median(passes, r, p));
		if (median(passes, row, p) > 0 && median(passes, row, p) <= least * (1 + hopeless))
			return true;
	}
	for (size_t r = 0; r < passes->rows; r++)
		most = fmax(most, gain(passes, r));
	return gain(passes, row) >= most - hopeless;
}

void kt_passes_drop(struct kt_passes *passes, size_t row)
{
	passes->rows--;
	memmove(&passes->cells[row * passes->problems], &passes->cells[(row + 1) * passes->problems],
	        (passes->rows - row) * passes->problems * sizeof *passes->cells);
}

double kt_passes_error(const struct kt_passes *passes)
{
	double worst = 0;

	for (size_t i = 0; i < passes->rows * passes->problems; i++) {
		const struct cell *cell = &passes->cells[i];
		const double count = (double)cell->count, mean = cell->sum.median_ns / count;
		double squares = 0;

		if (cell->count == 0)
			continue;
		for (size_t k = 0; k < cell->count; k++)
			squares += (cell->medians[k] - mean) * (cell->medians[k] - mean);
		worst = cell->count > 1 ? fmax(worst, sqrt(squares / (count - 1) / count) / mean) : INFINITY;
	}
	return worst;
}

size_t kt_passes_count(const struct kt_passes *passes)
{
	return passes->count;
}

bool kt_passes_enough(const struct kt_passes *passes)
{
	return passes->count >= KT_PASSES_MOST ||
	       (passes->count >= KT_PASSES_LEAST && kt_passes_error(passes) <= wanted_error);
}
