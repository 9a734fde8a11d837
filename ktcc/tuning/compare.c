#include "tuning/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

const double kt_compare_shares[KT_COMPARE_SHARES] = {0.02, 0.06};

#define SHARE_MOST 1000 /* evaluations that a share may come to */
#define RUN_ARENA_BYTES ((size_t)64 << 20)

kt_status kt_compare_add_space(struct kt_compare *compare, const char *t4_path, const struct kt_t1 *t1,
			       const struct kt_space *space, const struct kt_recording *recording, struct kt_error *err)
{
	struct kt_compare_space *out = &compare->spaces[compare->space_count];
	const char *name = kt_path_basename(t4_path);
	size_t most = 1;

	if (compare->space_count == KT_COMPARE_SPACES)
		return kt_fail(err, KT_ERR_LIMIT, "more than %d spaces", KT_COMPARE_SPACES);
	out->name = kt_arena_strndup(compare->arena, name, strcspn(name, "."));
	out->t1 = t1;
	out->space = space;
	out->recording = recording;
	for (size_t b = 0; b < compare->budget_count + KT_COMPARE_SHARES; b++) {
		const double share = b < compare->budget_count ? 0 : kt_compare_shares[b - compare->budget_count];
		size_t budget = share > 0 ? (size_t)(share * (double)recording->count + 0.5) : compare->budgets[b];

		budget = budget < 1 ? 1 : budget < recording->count ? budget : recording->count;
		/* A share of a large space is too many evaluations for a comparison. */
		out->budgets[b] = share > 0 && (budget > SHARE_MOST || compare->is_without_shares) ? 0 : budget;
		most = most > out->budgets[b] ? most : out->budgets[b];
	}
	out->baseline = kt_simulate_baseline(compare->arena, recording, most);
	if (out->name == NULL || out->baseline == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a comparison");
	compare->space_count++;
	return KT_OK;
}

kt_status kt_compare_transfer(struct kt_compare *compare, enum kt_transfer transfer, size_t trials,
			      struct kt_error *err)
{
	struct kt_transfer_space spaces[KT_COMPARE_SPACES];

	for (size_t s = 0; s < compare->space_count; s++)
		spaces[s] = (struct kt_transfer_space){compare->spaces[s].name, compare->spaces[s].t1, compare->spaces[s].space,
		                                       compare->spaces[s].recording};
	for (size_t s = 0; s < compare->space_count; s++) {
		kt_prior_close(compare->spaces[s].prior);
		compare->spaces[s].prior = NULL;
		TRY(kt_transfer_prior(&compare->spaces[s].prior, spaces, compare->space_count, s, transfer, trials,
				      err));
	}
	return KT_OK;
}

void kt_compare_close(struct kt_compare *compare)
{
	for (size_t s = 0; s < compare->space_count; s++)
		kt_prior_close(compare->spaces[s].prior);
}

/* The row of a strategy, new when there is none yet. */
static kt_status find_row(struct kt_compare_row **out, struct kt_compare *compare, const char *strategy,
			  struct kt_error *err)
{
	struct kt_compare_row *row;

	for (size_t i = 0; i < compare->row_count; i++) {
		if (strcmp(compare->rows[i]->strategy, strategy) == 0) {
			*out = compare->rows[i];
			return KT_OK;
		}
	}
	if (compare->row_count == KT_COMPARE_ROWS)
		return kt_fail(err, KT_ERR_LIMIT, "more than %d strategies", KT_COMPARE_ROWS);
	row = kt_arena_alloc(compare->arena, sizeof *row);
	if (row == NULL || (row->strategy = kt_arena_strdup(compare->arena, strategy)) == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a comparison");
	compare->rows[compare->row_count++] = row;
	*out = row;
	return KT_OK;
}

/* best[1 … count]; later ones are as the last. */
static kt_status add_run(struct kt_compare *compare, struct kt_compare_row *row, size_t s, size_t b,
			 const double *best, size_t count, struct kt_error *err)
{
	const struct kt_compare_space *space = &compare->spaces[s];
	struct kt_compare_cell *cell = &row->cells[s][b];
	const size_t budget = space->budgets[b];
	double at = space->recording->worst_ms;

	if (cell->sum == NULL)
		cell->sum = kt_arena_array(compare->arena, budget + 1, sizeof *cell->sum);
	if (cell->runs == cell->room) {
		const size_t room = cell->room == 0 ? 32 : 2 * cell->room;
		double *final = kt_arena_array(compare->arena, room, sizeof *final);

		if (final != NULL && cell->runs > 0)
			memcpy(final, cell->final, cell->runs * sizeof *final);
		cell->final = final;
		cell->room = room;
	}
	if (cell->sum == NULL || cell->final == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a comparison");
	for (size_t n = 1; n <= budget; n++) {
		if (n <= count && isfinite(best[n]))
			at = best[n];
		cell->sum[n] += at;
	}
	cell->final[cell->runs++] = at;
	return KT_OK;
}

static kt_status run_seed(struct kt_compare *compare, struct kt_compare_row *row, size_t s, uint64_t seed,
			  struct kt_error *err)
{
	const struct kt_compare_space *space = &compare->spaces[s];
	const size_t budgets = compare->budget_count + KT_COMPARE_SHARES;
	const bool plans = kt_strategy_find(row->strategy)->plans;
	struct kt_arena *arena = kt_arena_new(RUN_ARENA_BYTES);
	struct kt_simulation run = {0};
	kt_status status = arena != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for a run");
	size_t most = 0;

	for (size_t b = 0; b < budgets; b++)
		most = most > space->budgets[b] ? most : space->budgets[b];
	if (status == KT_OK && !plans)
		status = kt_simulate(&run, arena, space->space, space->recording, space->prior, row->strategy, most,
		                     seed, err);
	for (size_t b = 0; status == KT_OK && b < budgets; b++) {
		if (space->budgets[b] == 0)
			continue;
		if (plans)
			status = kt_simulate(&run, arena, space->space, space->recording, space->prior, row->strategy,
			                     space->budgets[b], seed, err);
		THEN(status, add_run(compare, row, s, b, run.best, run.evaluations, err));
	}
	kt_arena_free(arena);
	return status;
}

kt_status kt_compare_run(struct kt_compare *compare, const char *strategy, size_t seeds, struct kt_error *err)
{
	struct kt_compare_row *row;
	TRY(find_row(&row, compare, strategy, err));
	for (size_t s = 0; s < compare->space_count; s++)
		for (uint64_t seed = 0; seed < seeds; seed++)
			TRY(run_seed(compare, row, s, seed, err));
	return KT_OK;
}

/* Spells a trace out; false when it is none. */
static bool read_trace(double *best, const cJSON *trace, size_t budget)
{
	const cJSON *step;
	size_t n = 1;
	double at = (double)INFINITY;

	cJSON_ArrayForEach(step, trace) {
		const cJSON *from = cJSON_GetArrayItem(step, 0), *ms = cJSON_GetArrayItem(step, 1);

		if (!cJSON_IsNumber(from) || !cJSON_IsNumber(ms))
			return false;
		for (; n <= budget && (double)n < from->valuedouble; n++)
			best[n] = at;
		at = ms->valuedouble;
	}
	for (; n <= budget; n++)
		best[n] = at;
	return cJSON_IsArray(trace);
}

static kt_status take_line(struct kt_compare *compare, const cJSON *line, struct kt_error *err)
{
	const char *strategy = cJSON_GetStringValue(cJSON_GetObjectItem(line, "strategy"));
	const char *name = cJSON_GetStringValue(cJSON_GetObjectItem(line, "space"));
	const cJSON *budget = cJSON_GetObjectItem(line, "budget");
	struct kt_compare_row *row;
	kt_status status;

	if (strategy == NULL || name == NULL || !cJSON_IsNumber(budget))
		return kt_fail(err, KT_ERR_INVALID, "a trace without strategy, space or budget");
	for (size_t s = 0; s < compare->space_count; s++) {
		for (size_t b = 0; b < compare->budget_count; b++) {
			const size_t most = compare->spaces[s].budgets[b];
			double *best;

			if (strcmp(compare->spaces[s].name, name) != 0 ||
			    budget->valuedouble != (double)compare->budgets[b])
				continue;
			best = calloc(most + 1, sizeof *best);
			status = best != NULL ? find_row(&row, compare, strategy, err)
			                      : kt_fail(err, KT_ERR_MEMORY, "out of memory for a trace");
			if (status == KT_OK && !read_trace(best, cJSON_GetObjectItem(line, "trace"), most))
				status = kt_fail(err, KT_ERR_INVALID, "a trace that is no list of [n, best]");
			THEN(status, add_run(compare, row, s, b, best, most, err));
			free(best);
			return status;
		}
	}
	return KT_OK;
}

kt_status kt_compare_traces(struct kt_compare *compare, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_T4_BYTES);
	kt_status status = kt_t4_load(&text, path, err);
	size_t number = 1;

	for (const char *at = kt_buf_text(&text); status == KT_OK && *at != '\0'; number++) {
		const size_t length = strcspn(at, "\n");
		cJSON *line;

		if (length > 0) {
			status = kt_json_parse(&line, at, length, err);
			if (status == KT_OK) {
				status = take_line(compare, line, err);
				cJSON_Delete(line);
			}
			if (status != KT_OK)
				kt_fail_prefix(err, "%s:%zu", path, number);
		}
		at += length + (at[length] == '\n');
	}
	kt_buf_free(&text);
	return status;
}

double kt_compare_score(const struct kt_compare *compare, size_t row, size_t s, size_t budget)
{
	const struct kt_compare_space *space = &compare->spaces[s];
	const struct kt_compare_cell *cell = &compare->rows[row]->cells[s][budget];
	double *mean, score;

	if (cell->runs == 0)
		return (double)NAN;
	NEED(mean = calloc(space->budgets[budget] + 1, sizeof *mean), (double)NAN);
	for (size_t n = 1; n <= space->budgets[budget]; n++)
		mean[n] = cell->sum[n] / (double)cell->runs;
	score = kt_simulate_score(mean, space->baseline, space->recording->best_ms, space->budgets[budget]);
	free(mean);
	return score;
}

double kt_compare_ratio(const struct kt_compare *compare, size_t row, size_t space, size_t budget)
{
	struct kt_compare_cell *cell = &compare->rows[row]->cells[space][budget];
	const size_t half = cell->runs / 2;
	double median;

	if (cell->runs == 0)
		return (double)NAN;
	qsort(cell->final, cell->runs, sizeof *cell->final, kt_by_number);
	median = cell->runs % 2 == 1 ? cell->final[half] : 0.5 * (cell->final[half - 1] + cell->final[half]);
	return compare->spaces[space].recording->best_ms / median;
}

double kt_compare_aggregate(const struct kt_compare *compare, size_t row, size_t budget)
{
	double sum = 0;

	for (size_t s = 0; s < compare->space_count; s++)
		sum += kt_compare_score(compare, row, s, budget);
	return sum / (double)compare->space_count;
}
