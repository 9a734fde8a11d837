/* ktcc simulate: search a recorded space, or compare strategies on recorded spaces. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/strategies.h"
#include "tuning/compare.h"
#include "verbs/session.h"
#include "verbs/simulate.h"
#include "verbs/verbs.h"

enum { ARENA_MB = 2048, SEEDS_DEFAULT = 100, BUDGET_DEFAULT = 100 };

struct options {
	const char *t1[KT_COMPARE_SPACES], *t4[KT_COMPARE_SPACES], *strategy, *traces, *strategies, *budgets;
	size_t t1_count, t4_count;
	uint64_t budget, seed, prior_trials;
	int64_t seeds; /* negative: not given */
	enum kt_transfer transfer;
	bool compare, transfers, json;
};

/* ---- one run ---- */

/* The space is to be freed. */
struct loaded {
	struct kt_t1 *t1;
	struct kt_space *space;
	struct kt_recording *recording;
};

static kt_status load(struct loaded *out, struct kt_arena *arena, const char *t1_path, const char *t4_path,
                      struct kt_error *err)
{
	kt_status status = kt_t1_read(&out->t1, arena, t1_path, err);
	struct kt_recording **recording = &out->recording;

	THEN(status, kt_t1_space(&out->space, out->t1, err));
	THEN(status, kt_t4_read(recording, arena, t4_path, out->t1, out->space, err));
	if (status == KT_OK && ((*recording)->missing > 0 || (*recording)->outside > 0))
		kt_say("%s: %zu configurations of the space are missing, %zu results are outside of it", t4_path,
		       (*recording)->missing, (*recording)->outside);
	return status;
}

/* The first space is searched; with --transfer it is told of the others. */
static kt_status run_one(const struct options *options, struct kt_arena *arena, struct kt_error *err)
{
	struct loaded loaded[KT_COMPARE_SPACES] = {0};
	struct kt_transfer_space spaces[KT_COMPARE_SPACES];
	const struct kt_simulate_options one = {.spaces = spaces,
	                                     .space_count = options->t1_count,
	                                     .transfer = options->transfer,
	                                     .prior_trials = (size_t)options->prior_trials,
	                                     .strategy = options->strategy,
	                                     .budget = options->budget > 0 ? (size_t)options->budget : BUDGET_DEFAULT,
	                                     .seed = options->seed,
	                                     .seeds = options->seeds > 0 ? (size_t)options->seeds : 0};
	kt_status status = KT_OK;

	for (size_t s = 0; status == KT_OK && s < options->t1_count; s++) {
		status = load(&loaded[s], arena, options->t1[s], options->t4[s], err);
		spaces[s] =
		    (struct kt_transfer_space){options->t4[s], loaded[s].t1, loaded[s].space, loaded[s].recording};
	}
	THEN(status, kt_simulate_one(arena, &one, err));
	for (size_t s = 0; s < options->t1_count; s++)
		kt_space_free(loaded[s].space);
	return status;
}

/* ---- a comparison ---- */

static void print_json(const struct kt_compare *compare)
{
	cJSON *root = cJSON_CreateObject(), *spaces = cJSON_AddArrayToObject(root, "spaces");
	cJSON *rows = cJSON_AddArrayToObject(root, "rows"), *aggregate = cJSON_AddArrayToObject(root, "aggregate");

	for (size_t s = 0; s < compare->space_count; s++) {
		cJSON *item = kt_json_append(spaces);

		cJSON_AddStringToObject(item, "space", compare->spaces[s].name);
		kt_json_add_int(item, "legal", (int64_t)compare->spaces[s].recording->count);
		kt_json_add_int(item, "valid", (int64_t)compare->spaces[s].recording->valid);
		cJSON_AddNumberToObject(item, "optimum_ms", compare->spaces[s].recording->best_ms);
		kt_json_add_int(item, "told", compare->spaces[s].prior == NULL ? 0 : (int64_t)kt_prior_count(compare->spaces[s].prior));
	}
	for (size_t r = 0; r < compare->row_count; r++) {
		for (size_t b = 0; b < compare->budget_count + KT_COMPARE_SHARES; b++) {
			for (size_t s = 0; s < compare->space_count; s++) {
				const struct kt_compare_cell *cell = &compare->rows[r]->cells[s][b];
				cJSON *item;

				if (cell->runs == 0)
					continue;
				item = kt_json_append(rows);
				cJSON_AddStringToObject(item, "strategy", compare->rows[r]->strategy);
				cJSON_AddStringToObject(item, "space", compare->spaces[s].name);
				kt_json_add_int(item, "budget", (int64_t)compare->spaces[s].budgets[b]);
				kt_json_add_int(item, "runs", (int64_t)cell->runs);
				cJSON_AddNumberToObject(item, "score", kt_compare_score(compare, r, s, b));
				cJSON_AddNumberToObject(item, "optimum_over_best", kt_compare_ratio(compare, r, s, b));
			}
			if (b >= compare->budget_count || !isfinite(kt_compare_aggregate(compare, r, b)))
				continue;
			cJSON *item = kt_json_append(aggregate);
			cJSON_AddStringToObject(item, "strategy", compare->rows[r]->strategy);
			kt_json_add_int(item, "budget", (int64_t)compare->budgets[b]);
			cJSON_AddNumberToObject(item, "score", kt_compare_aggregate(compare, r, b));
		}
	}
	kt_verb_print_json(root);
	cJSON_Delete(root);
}

static void print_cell(double value)
{
	if (isfinite(value))
		printf(" %8.3f", value);
	else
		printf(" %8s", "-");
}

/* The head of a column; the last two are shares of the space. */
static void print_budget(const struct kt_compare *compare, const struct kt_compare_space *space, size_t b)
{
	if (b < compare->budget_count)
		printf(" %8zu", space->budgets[b]);
	else
		printf(" %7.0f%%", 100 * kt_compare_shares[b - compare->budget_count]);
}

static void print_tables(const struct kt_compare *compare)
{
	printf("%-24s", "aggregate score");
	for (size_t b = 0; b < compare->budget_count; b++)
		printf(" %8zu", compare->budgets[b]);
	putchar('\n');
	for (size_t r = 0; r < compare->row_count; r++) {
		printf("%-24s", compare->rows[r]->strategy);
		for (size_t b = 0; b < compare->budget_count; b++)
			print_cell(kt_compare_aggregate(compare, r, b));
		putchar('\n');
	}
	for (size_t s = 0; s < compare->space_count; s++) {
		const struct kt_compare_space *space = &compare->spaces[s];

		printf("\n%s: %zu configurations, %zu valid; median of optimum over best after\n%-24s", space->name,
		       space->recording->count, space->recording->valid, "");
		for (size_t b = 0; b < compare->budget_count + KT_COMPARE_SHARES; b++)
			print_budget(compare, space, b);
		putchar('\n');
		for (size_t r = 0; r < compare->row_count; r++) {
			printf("%-24s", compare->rows[r]->strategy);
			for (size_t b = 0; b < compare->budget_count + KT_COMPARE_SHARES; b++)
				print_cell(kt_compare_ratio(compare, r, s, b));
			putchar('\n');
		}
	}
}

/* Those of --budgets, else the one of --budget (0: not given), else the usual ones. */
static kt_status read_budgets(struct kt_compare *compare, const char *given, uint64_t one, struct kt_error *err)
{
	static const size_t usual[] = {25, 50, 100, 200, 400};
	char *rest = NULL, *end, *text = given != NULL ? kt_arena_strdup(compare->arena, given) : NULL;

	if (given == NULL && one > 0) {
		compare->budgets[0] = (size_t)one;
		compare->budget_count = 1;
		return KT_OK;
	}
	if (given == NULL) {
		memcpy(compare->budgets, usual, sizeof usual);
		compare->budget_count = sizeof usual / sizeof *usual;
		return KT_OK;
	}
	NEED(text, kt_fail(err, KT_ERR_MEMORY, "out of memory for the budgets"));
	for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
		const long budget = strtol(word, &end, 10);

		if (*end != '\0' || budget < 1 || budget > KT_SIMULATE_MOST)
			return kt_fail(err, KT_ERR_INVALID, "'%.40s' is no budget from 1 to %d", word, KT_SIMULATE_MOST);
		if (compare->budget_count == KT_COMPARE_BUDGETS)
			return kt_fail(err, KT_ERR_LIMIT, "more than %d budgets", KT_COMPARE_BUDGETS);
		compare->budgets[compare->budget_count++] = (size_t)budget;
	}
	return KT_OK;
}

static kt_status run_strategies(struct kt_compare *compare, const char *given, size_t seeds, struct kt_error *err)
{
	const struct kt_strategy *const *all;
	const size_t count = kt_strategies(&all);
	kt_status status = KT_OK;
	char *rest = NULL, *names = given != NULL ? kt_arena_strdup(compare->arena, given) : NULL;

	for (size_t i = 0; given == NULL && status == KT_OK && i < count; i++)
		status = kt_compare_run(compare, all[i]->name, seeds, err);
	if (given == NULL)
		return status;
	NEED(names, kt_fail(err, KT_ERR_MEMORY, "out of memory for the strategies"));
	for (char *name = strtok_r(names, ",", &rest); status == KT_OK && name != NULL;
	     name = strtok_r(NULL, ",", &rest)) {
		if (kt_strategy_find(name) == NULL)
			return kt_strategy_unknown(name, err);
		status = kt_compare_run(compare, kt_strategy_name(name), seeds, err);
	}
	return status;
}

static kt_status run_compare(const struct options *options, struct kt_arena *arena, struct kt_error *err)
{
	struct kt_compare *compare = kt_arena_alloc(arena, sizeof *compare);
	struct loaded spaces[KT_COMPARE_SPACES] = {0};
	kt_status status;

	NEED(compare, kt_fail(err, KT_ERR_MEMORY, "out of memory for a comparison"));
	compare->arena = arena;
	/* Knowledge counts in the first evaluations. */
	compare->is_without_shares = options->transfers;
	status = read_budgets(compare, options->budgets, options->budget, err);
	for (size_t s = 0; status == KT_OK && s < options->t1_count; s++) {
		status = load(&spaces[s], arena, options->t1[s], options->t4[s], err);
		THEN(status, kt_compare_add_space(compare, options->t4[s], spaces[s].t1, spaces[s].space,
		                                  spaces[s].recording, err));
	}
	THEN(status, kt_compare_transfer(compare, options->transfer, (size_t)options->prior_trials, err));
	THEN(status, run_strategies(compare, options->strategies,
				    options->seeds >= 0 ? (size_t)options->seeds : SEEDS_DEFAULT, err));
	if (status == KT_OK && options->traces != NULL)
		status = kt_compare_traces(compare, options->traces, err);
	if (status == KT_OK)
		(options->json ? print_json : print_tables)(compare);
	kt_compare_close(compare);
	for (size_t s = 0; s < options->t1_count; s++)
		kt_space_free(spaces[s].space);
	return status;
}

/* ---- the command line ---- */

static struct options read_options(const struct kt_given *given)
{
	const char *strategy = kt_given_text(given, KT_OPTION_simulate_strategy);
	struct options options = {.strategy = strategy != NULL ? strategy : "default",
	                    .traces = kt_given_text(given, KT_OPTION_simulate_traces),
	                    .strategies = kt_given_text(given, KT_OPTION_simulate_strategies),
	                    .budgets = kt_given_text(given, KT_OPTION_simulate_budgets),
	                    .budget = kt_given_number(given, KT_OPTION_simulate_budget, 0),
	                    .seeds = -1,
	                    .seed = kt_given_number(given, KT_OPTION_simulate_seed, 0),
	                    .prior_trials = kt_given_number(given, KT_OPTION_simulate_prior_trials, 0),
	                    .compare = kt_given_has(given, KT_OPTION_simulate_compare),
	                    .transfers = kt_given_has(given, KT_OPTION_simulate_transfer),
	                    .json = given->json};

	options.t1_count = kt_given_texts(options.t1, KT_COMPARE_SPACES, given, KT_OPTION_simulate_t1);
	options.t4_count = kt_given_texts(options.t4, KT_COMPARE_SPACES, given, KT_OPTION_simulate_t4);
	if (kt_given_has(given, KT_OPTION_simulate_seeds))
		options.seeds = (int64_t)kt_given_number(given, KT_OPTION_simulate_seeds, 0);
	if (options.transfers)
		(void)kt_transfer_from_name(&options.transfer, kt_given_text(given, KT_OPTION_simulate_transfer));
	return options;
}

int kt_verb_simulate(const struct kt_given *given)
{
	struct options options = read_options(given);
	struct kt_arena *arena;
	struct kt_error err;
	kt_status status;

	if (options.t1_count == 0 || options.t1_count > KT_COMPARE_SPACES || options.t1_count != options.t4_count)
		return kt_given_wrong(given, "%zu of --t1 and %zu of --t4, of which there are as many, 1 to %d",
				      options.t1_count, options.t4_count, KT_COMPARE_SPACES);
	if (!options.compare && options.t1_count > 1 && options.transfer == KT_TRANSFER_NONE)
		return kt_given_wrong(given, "several spaces without --compare and without --transfer");
	arena = kt_arena_new((size_t)ARENA_MB << 20);
	if (arena == NULL)
		status = kt_no_memory(&err);
	else
		status = (options.compare ? run_compare : run_one)(&options, arena, &err);
	kt_arena_free(arena);
	return status == KT_OK ? 0 : kt_verb_failed(&err);
}
