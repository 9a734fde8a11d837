#include "tuning/simulate.h"

#include <math.h>
#include <stdlib.h>

kt_status kt_simulate(struct kt_simulation *out, struct kt_arena *arena, const struct kt_space *space,
		      const struct kt_recording *recording, struct kt_prior *prior, const char *strategy, size_t budget,
		      uint64_t seed, struct kt_error *err)
{
	const size_t most = budget < recording->count ? budget : recording->count;
	struct kt_search *search;
	kt_status status = kt_search_open(&search, strategy, space, seed, budget, err);
	size_t index;

	if (status != KT_OK)
		return status;
	kt_search_know(search, prior);
	*out = (struct kt_simulation){.best_ms = (double)INFINITY, .best_index = SIZE_MAX};
	out->best = kt_arena_array(arena, most + 1, sizeof *out->best);
	if (out->best == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu evaluations", most);
	while (status == KT_OK && out->evaluations < most && kt_search_ask(&index, 1, search) == 1) {
		out->evaluations++;
		if (recording->ms[index] < out->best_ms) {
			out->best_ms = recording->ms[index];
			out->best_index = index;
		}
		out->best[out->evaluations] = out->best_ms;
		if (recording->verdict[index] == KT_TELL_OK)
			kt_search_tell(search, index, recording->ms[index]);
		else
			kt_search_tell_verdict(search, index, (enum kt_tell)recording->verdict[index]);
	}
	kt_search_close(search);
	return status;
}

double *kt_simulate_baseline(struct kt_arena *arena, const struct kt_recording *recording, size_t most)
{
	double *curve = kt_arena_array(arena, most + 1, sizeof *curve);
	double *sorted = kt_arena_array(arena, recording->count + 1, sizeof *sorted);

	if (curve == NULL || sorted == NULL)
		return NULL;
	for (size_t i = 0; i < recording->count; i++)
		sorted[i] = recording->ms[i];
	qsort(sorted, recording->count, sizeof *sorted, kt_by_number);
	for (size_t n = 1; n <= most; n++) {
		double none_better = 1, sum = 0;

		for (size_t i = 0; i < recording->valid && none_better > 1e-15; i++) {
			const double drawn = fmin(1, (double)n / (double)(recording->count - i));

			sum += none_better * drawn * sorted[i];
			none_better *= 1 - drawn;
		}
		curve[n] = sum + none_better * recording->worst_ms;
	}
	return curve;
}

double kt_simulate_score(const double *mean, const double *baseline, double optimum, size_t budget)
{
	double sum = 0;
	size_t points = 0;

	for (size_t n = 1; n <= budget; n++) {
		const double range = baseline[n] - optimum;

		if (range <= 1e-9 * optimum)
			continue;
		sum += (baseline[n] - mean[n]) / range;
		points++;
	}
	return points > 0 ? sum / (double)points : 0;
}
