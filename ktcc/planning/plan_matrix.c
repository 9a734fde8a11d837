/* What was measured of the finalists, as one matrix of problems and of launches that no problem lists. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "planning/finals.h"
#include "planning/plan_energy.h"

/* A row within near_best of the best may be the general one; a row that is faster by far_ahead on a shape may serve it. */
static const double near_best = 0.03, far_ahead = 0.1;

kt_status kt_finals_matrix(struct kt_matrix *out, const struct kt_finals *f, struct kt_error *err)
{
	const struct kt_tuning *s = f->s;
	const size_t shapes = s->derived.count, all = s->problems + shapes, variables = s->region->variable_count;
	struct kt_timing *timings = kt_arena_array(s->arena, f->rows * all + 1, sizeof *timings);
	int64_t *values = kt_arena_array(s->arena, all * variables + 1, sizeof *values);

	if (timings == NULL || values == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "selection: out of memory");
	/* Energy is measured on the problems; on unlisted sizes the time shows whether a row is slower than the original. */
	if (f->energies != NULL)
		kt_energy_costs(f->costs, s->plan->config->goal, f->timings, f->energies, f->rows * s->problems);
	for (size_t row = 0; row < f->rows; row++) {
		memcpy(&timings[row * all], &(f->energies != NULL ? f->costs : f->timings)[row * s->problems],
		       s->problems * sizeof *timings);
		memcpy(&timings[row * all + s->problems], &f->shapes[row * KT_DERIVED_MOST], shapes * sizeof *timings);
	}
	if (variables != 0)
		memcpy(values, s->region->problems, s->problems * variables * sizeof *values);
	for (size_t i = 0; i < shapes; i++)
		memcpy(&values[(s->problems + i) * variables], s->derived.values[i], variables * sizeof *values);
	*out = (struct kt_matrix){.rows = f->rows, .problems = all, .variables = variables, .timings = timings,
	                          .values = values, .names = s->region->variables, .allowed = s->region->specialize,
	                          .shapes = shapes, .covers = f->covers, .weights = s->weights};
	return KT_OK;
}

/* "rows=16 d=4096: 16.690 3.920 -": times in us of a column of the matrix, row by row. */
static void log_column(const struct kt_matrix *m, const char *name, size_t problem)
{
	struct kt_buf line = KT_BUF(KT_LIMIT_LINE_BYTES);

	for (size_t v = 0; v < m->variables; v++)
		kt_buf_addf(&line, " %s=%" PRId64, m->names[v], m->values[problem * m->variables + v]);
	kt_buf_addc(&line, ':');
	for (size_t row = 0; row < m->rows; row++) {
		const double ns = m->timings[row * m->problems + problem].median_ns;

		if (ns > 0)
			kt_buf_addf(&line, " %.3f", ns / 1000);
		else
			kt_buf_adds(&line, kt_matrix_covers(m, row, problem) ? " ?" : " -");
	}
	kt_log("%s: matrix%s", name, kt_buf_text(&line));
	kt_buf_free(&line);
}

void kt_finals_log(const struct kt_matrix *matrix, const char *name)
{
	for (size_t p = 0; p < matrix->problems; p++)
		if (matrix->timings[p].median_ns > 0)
			log_column(matrix, name, p);
}

/* log(original / row) over problems and shapes, as they weigh. */
static double score(const struct kt_finals *f, size_t row)
{
	const struct kt_tuning *s = f->s;
	const double weight = kt_derived_weight_of(s->problems, s->derived.count);
	double sum = 0;

	for (size_t p = 0; p < s->problems; p++) {
		const double original = f->timings[p].median_ns, own = f->timings[row * s->problems + p].median_ns;

		sum += original > 0 && own > 0 ? (s->weights != NULL ? s->weights[p] : 1) * log(original / own) : 0;
	}
	for (size_t i = 0; i < s->derived.count; i++) {
		const double original = f->shapes[i].median_ns, own = f->shapes[row * KT_DERIVED_MOST + i].median_ns;

		sum += original > 0 && own > 0 ? weight * log(original / own) : 0;
	}
	return sum / ((double)s->problems * (1 + kt_derived_weight));
}

static int width(const struct kt_finals *f, size_t row)
{
	return __builtin_popcount(f->covers[row]);
}

size_t kt_finals_least(const struct kt_finals *f)
{
	size_t least = f->rows > 1 ? 1 : 0;

	for (size_t row = 2; row < f->rows; row++)
		if (score(f, row) < score(f, least))
			least = row;
	return least;
}

/* Of the rows that cover most shapes the best; 0: there is none. */
static size_t leader(const struct kt_finals *f)
{
	size_t best = 0;

	for (size_t row = 1; row < f->rows; row++)
		if (best == 0 || width(f, row) > width(f, best) ||
		    (width(f, row) == width(f, best) && score(f, row) > score(f, best)))
			best = row;
	return best;
}

bool kt_finals_hopeful(const struct kt_finals *f, size_t row)
{
	const size_t best = leader(f);

	if (f->s->derived.count == 0)
		return false;
	if (width(f, row) == width(f, best) && score(f, row) >= score(f, best) - near_best)
		return true;
	for (size_t i = 0; i < f->s->derived.count; i++) {
		const double own = f->shapes[row * KT_DERIVED_MOST + i].median_ns;
		const double other = f->shapes[best * KT_DERIVED_MOST + i].median_ns;

		if (own > 0 && other > 0 && own < other * (1 - far_ahead))
			return true;
	}
	return false;
}
