/* ktcc simulate: the search of one recorded space. */
#include "verbs/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tuning/simulate.h"

/* How far the best times of runs with other seeds differ. */
struct spread {
	size_t runs, optimal; /* optimal: runs that found the best of the space */
	double least_ms, median_ms, most_ms;
};

static void print_best(struct kt_buf *out, const struct kt_transfer_space *space, size_t index)
{
	const struct kt_t1 *t1 = space->t1;

	if (index == SIZE_MAX) {
		kt_buf_adds(out, "null");
		return;
	}
	for (size_t p = 0; p < t1->parameter_count; p++) {
		kt_buf_adds(out, p == 0 ? "{" : ", ");
		kt_buf_addjson(out, t1->parameters[p].name);
		kt_buf_adds(out, ": ");
		kt_t1_print(out, t1, p, kt_space_get(space->space, index)[p]);
	}
	kt_buf_adds(out, t1->parameter_count != 0 ? "}" : "{}");
}

static void print_ms(struct kt_buf *out, const char *name, double ms)
{
	kt_buf_addf(out, isfinite(ms) ? ", \"%s\": %.17g" : ", \"%s\": null", name, ms);
}

static void print_run(const struct kt_transfer_space *space, const struct kt_simulation *run,
                      const struct spread *spread)
{
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	const char *separator = "";

	kt_buf_adds(&out, "{\"best\": ");
	print_best(&out, space, run->best_index);
	print_ms(&out, "best_ms", run->best_ms);
	kt_buf_addf(&out, ", \"evaluations\": %zu", run->evaluations);
	if (spread->runs != 0) {
		kt_buf_addf(&out, ", \"spread\": {\"runs\": %zu, \"optimal\": %zu", spread->runs, spread->optimal);
		print_ms(&out, "least_ms", spread->least_ms);
		print_ms(&out, "median_ms", spread->median_ms);
		print_ms(&out, "most_ms", spread->most_ms);
		kt_buf_addc(&out, '}');
	}
	kt_buf_adds(&out, ", \"trace\": [");
	for (size_t n = 1; n <= run->evaluations; n++) {
		if (!isfinite(run->best[n]))
			continue;
		kt_buf_addf(&out, "%s[%zu, %.17g]", separator, n, run->best[n]);
		separator = ", ";
	}
	kt_buf_adds(&out, "]}");
	puts(kt_buf_text(&out));
	kt_buf_free(&out);
}

static kt_status run_seed(struct kt_simulation *out, struct kt_arena *arena, const struct kt_simulate_options *options,
                          uint64_t seed, struct kt_error *err)
{
	struct kt_prior *prior = NULL;
	const struct kt_transfer_space *space = &options->spaces[0];
	kt_status status = kt_transfer_prior(&prior, options->spaces, options->space_count, 0, options->transfer,
					     options->prior_trials, err);

	THEN(status, kt_simulate(out, arena, space->space, space->recording, prior, options->strategy, options->budget,
				 seed, err));
	kt_prior_close(prior);
	return status;
}

/* Runs with the seeds from the given one on; the first one is the run that is told. */
static kt_status run_seeds(struct spread *out, struct kt_arena *arena, const struct kt_simulate_options *options,
                           struct kt_error *err)
{
	double *best = kt_arena_array(arena, options->seeds, sizeof *best);
	kt_status status =
	    best != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu runs", options->seeds);

	*out = (struct spread){.runs = options->seeds};
	for (size_t i = 0; status == KT_OK && i < options->seeds; i++) {
		struct kt_simulation run;

		status = run_seed(&run, arena, options, options->seed + i, err);
		if (status != KT_OK)
			break;
		best[i] = run.best_ms;
		out->optimal += run.best_ms <= options->spaces[0].recording->best_ms;
	}
	if (status != KT_OK)
		return status;
	qsort(best, options->seeds, sizeof *best, kt_by_number);
	out->least_ms = best[0];
	out->median_ms = best[options->seeds / 2];
	out->most_ms = best[options->seeds - 1];
	return KT_OK;
}

kt_status kt_simulate_one(struct kt_arena *arena, const struct kt_simulate_options *options, struct kt_error *err)
{
	struct kt_simulation run;
	struct spread spread = {0};
	TRY(run_seed(&run, arena, options, options->seed, err));

	if (options->seeds > 0)
		TRY(run_seeds(&spread, arena, options, err));
	print_run(&options->spaces[0], &run, &spread);
	return KT_OK;
}
