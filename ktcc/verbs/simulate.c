/* ktcc simulate: search a recorded space, or compare strategies on recorded spaces. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tuning/compare.h"
#include "verbs/session.h"
#include "verbs/simulate.h"
#include "verbs/verbs.h"

static const char help[] =
    "usage: ktcc simulate --t1 T1.json --t4 T4.json[.gz|.zst] [--strategy S] [--budget N] [--seed K] [--seeds N] [--json]\n"
    "                     [--transfer KIND --t1 … --t4 … [--t1 … --t4 …] [--prior-trials N]]\n"
    "       ktcc simulate --compare --t1 … --t4 … [--t1 … --t4 …] [--strategies S,S…] [--seeds N]\n"
    "                     [--budgets N,N…] [--traces FILE] [--transfer KIND [--prior-trials N]] [--json]\n"
    "Searches a space of which every configuration was measured, without a device: prints\n"
    "{\"best\": {…}, \"best_ms\", \"evaluations\", \"trace\": [[n, best_ms], …]}; with --seeds also how far N seeds are apart. "
    "--compare runs every strategy (or those named) "
    "over\n"
    "seeds and budgets and prints scores: 0 is random search, 1 the optimum at once. --traces adds the runs of\n"
    "other tuners, one JSON line a run. docs/tuning.md has the formula.\n"
    "--transfer starts the search of a space (of the first one without --compare) from what is known of the others:\n"
    "device (of the same kernel), kernel (of other kernels), all, hostile (of itself, with fast and slow exchanged).\n"
    "What is known of a space is what a search of N evaluations measured; all of it without --prior-trials.\n";

enum { ARENA_MB = 2048, SEEDS_DEFAULT = 100, SEEDS_MOST = 10000, BUDGET_DEFAULT = 100 };

struct wish {
	const char *t1[KT_COMPARE_SPACES], *t4[KT_COMPARE_SPACES], *strategy, *traces;
	char *strategies, *budgets;
	size_t t1_count, t4_count;
	long budget, seeds;
	unsigned long long seed;
	enum kt_transfer transfer;
	long prior_trials;
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

	if (status == KT_OK)
		status = kt_t1_space(&out->space, out->t1, err);
	if (status == KT_OK)
		status = kt_t4_read(recording, arena, t4_path, out->t1, out->space, err);
	if (status == KT_OK && ((*recording)->missing > 0 || (*recording)->outside > 0))
		kt_say("%s: %zu configurations of the space are missing, %zu results are outside of it", t4_path,
		       (*recording)->missing, (*recording)->outside);
	return status;
}

/* The first space is searched; with --transfer it is told of the others. */
static kt_status run_one(const struct wish *wish, struct kt_arena *arena, struct kt_error *err)
{
	struct loaded loaded[KT_COMPARE_SPACES] = {0};
	struct kt_transfer_space spaces[KT_COMPARE_SPACES];
	const struct kt_simulate_wish one = {.spaces = spaces,
	                                     .space_count = wish->t1_count,
	                                     .transfer = wish->transfer,
	                                     .prior_trials = (size_t)wish->prior_trials,
	                                     .strategy = wish->strategy,
	                                     .budget = wish->budget > 0 ? (size_t)wish->budget : BUDGET_DEFAULT,
	                                     .seed = wish->seed,
	                                     .seeds = wish->seeds > 0 ? (size_t)wish->seeds : 0};
	kt_status status = KT_OK;

	for (size_t s = 0; status == KT_OK && s < wish->t1_count; s++) {
		status = load(&loaded[s], arena, wish->t1[s], wish->t4[s], err);
		spaces[s] = (struct kt_transfer_space){wish->t4[s], loaded[s].t1, loaded[s].space, loaded[s].recording};
	}
	if (status == KT_OK)
		status = kt_simulate_one(arena, &one, err);
	for (size_t s = 0; s < wish->t1_count; s++)
		kt_space_free(loaded[s].space);
	return status;
}

/* ---- a comparison ---- */

static void print_json(const struct kt_compare *compare)
{
	cJSON *root = cJSON_CreateObject(), *spaces = cJSON_AddArrayToObject(root, "spaces");
	cJSON *rows = cJSON_AddArrayToObject(root, "rows"), *aggregate = cJSON_AddArrayToObject(root, "aggregate");
	struct kt_buf out = KT_BUF(KT_LIMIT_MESSAGE_BYTES);

	for (size_t s = 0; s < compare->space_count; s++) {
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "space", compare->spaces[s].name);
		kt_json_add_int(item, "legal", (int64_t)compare->spaces[s].recording->count);
		kt_json_add_int(item, "valid", (int64_t)compare->spaces[s].recording->valid);
		cJSON_AddNumberToObject(item, "optimum_ms", compare->spaces[s].recording->best_ms);
		kt_json_add_int(item, "told", compare->spaces[s].prior == NULL ? 0 : (int64_t)kt_prior_count(compare->spaces[s].prior));
		cJSON_AddItemToArray(spaces, item);
	}
	for (size_t r = 0; r < compare->row_count; r++) {
		for (size_t b = 0; b < compare->budget_count + KT_COMPARE_SHARES; b++) {
			for (size_t s = 0; s < compare->space_count; s++) {
				const struct kt_compare_cell *cell = &compare->rows[r]->cells[s][b];
				cJSON *item;

				if (cell->runs == 0)
					continue;
				item = cJSON_CreateObject();
				cJSON_AddStringToObject(item, "strategy", compare->rows[r]->strategy);
				cJSON_AddStringToObject(item, "space", compare->spaces[s].name);
				kt_json_add_int(item, "budget", (int64_t)compare->spaces[s].budgets[b]);
				kt_json_add_int(item, "runs", (int64_t)cell->runs);
				cJSON_AddNumberToObject(item, "score", kt_compare_score(compare, r, s, b));
				cJSON_AddNumberToObject(item, "optimum_over_best", kt_compare_ratio(compare, r, s, b));
				cJSON_AddItemToArray(rows, item);
			}
			if (b >= compare->budget_count || !isfinite(kt_compare_aggregate(compare, r, b)))
				continue;
			cJSON *item = cJSON_CreateObject();
			cJSON_AddStringToObject(item, "strategy", compare->rows[r]->strategy);
			kt_json_add_int(item, "budget", (int64_t)compare->budgets[b]);
			cJSON_AddNumberToObject(item, "score", kt_compare_aggregate(compare, r, b));
			cJSON_AddItemToArray(aggregate, item);
		}
	}
	kt_json_print_stable(&out, root);
	fputs(kt_buf_text(&out), stdout);
	kt_buf_free(&out);
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
static kt_status read_budgets(struct kt_compare *compare, char *text, long one, struct kt_error *err)
{
	static const size_t usual[] = {25, 50, 100, 200, 400};
	char *rest = NULL, *end;

	if (text == NULL && one > 0) {
		compare->budgets[0] = (size_t)one;
		compare->budget_count = 1;
		return KT_OK;
	}
	if (text == NULL) {
		memcpy(compare->budgets, usual, sizeof usual);
		compare->budget_count = sizeof usual / sizeof *usual;
		return KT_OK;
	}
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

static kt_status run_strategies(struct kt_compare *compare, char *names, size_t seeds, struct kt_error *err)
{
	const struct kt_strategy *const *all;
	const size_t count = kt_strategies(&all);
	kt_status status = KT_OK;
	char *rest = NULL;

	for (size_t i = 0; names == NULL && status == KT_OK && i < count; i++)
		status = kt_compare_run(compare, all[i]->name, seeds, err);
	if (names == NULL)
		return status;
	for (char *name = strtok_r(names, ",", &rest); status == KT_OK && name != NULL;
	     name = strtok_r(NULL, ",", &rest)) {
		if (kt_strategy_find(name) == NULL)
			return kt_strategy_unknown(name, err);
		status = kt_compare_run(compare, name, seeds, err);
	}
	return status;
}

static kt_status run_compare(const struct wish *wish, struct kt_arena *arena, struct kt_error *err)
{
	struct kt_compare *compare = kt_arena_alloc(arena, sizeof *compare);
	struct loaded spaces[KT_COMPARE_SPACES] = {0};
	kt_status status;

	if (compare == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a comparison");
	compare->arena = arena;
	/* Knowledge counts in the first evaluations. */
	compare->is_without_shares = wish->transfers;
	status = read_budgets(compare, wish->budgets, wish->budget, err);
	for (size_t s = 0; status == KT_OK && s < wish->t1_count; s++) {
		status = load(&spaces[s], arena, wish->t1[s], wish->t4[s], err);
		if (status == KT_OK)
			status = kt_compare_add_space(compare, wish->t4[s], spaces[s].t1, spaces[s].space,
			                              spaces[s].recording, err);
	}
	if (status == KT_OK)
		status = kt_compare_transfer(compare, wish->transfer, (size_t)wish->prior_trials, err);
	if (status == KT_OK)
		status = run_strategies(compare, wish->strategies, wish->seeds >= 0 ? (size_t)wish->seeds : SEEDS_DEFAULT, err);
	if (status == KT_OK && wish->traces != NULL)
		status = kt_compare_traces(compare, wish->traces, err);
	if (status == KT_OK)
		(wish->json ? print_json : print_tables)(compare);
	kt_compare_close(compare);
	for (size_t s = 0; s < wish->t1_count; s++)
		kt_space_free(spaces[s].space);
	return status;
}

/* ---- the command line ---- */

static bool read_long(long *out, const char *text, long least, long most)
{
	char *end;
	const long value = strtol(text, &end, 10);

	*out = value;
	return end != text && *end == '\0' && value >= least && value <= most;
}

static bool read_seed(unsigned long long *out, const char *text)
{
	char *end;

	*out = strtoull(text, &end, 10);
	return end != text && *end == '\0' && *text != '-';
}

static bool take(struct wish *wish, int option)
{
	switch (option) {
	case '1':
		return wish->t1_count < KT_COMPARE_SPACES && (wish->t1[wish->t1_count++] = optarg) != NULL;
	case '4':
		return wish->t4_count < KT_COMPARE_SPACES && (wish->t4[wish->t4_count++] = optarg) != NULL;
	case 's':
		return (wish->strategy = optarg) != NULL;
	case 'b':
		return read_long(&wish->budget, optarg, 1, KT_SIMULATE_MOST);
	case 'k':
		return read_seed(&wish->seed, optarg);
	case 'n':
		return read_long(&wish->seeds, optarg, 0, SEEDS_MOST);
	case 'S':
		return (wish->strategies = optarg) != NULL;
	case 'B':
		return (wish->budgets = optarg) != NULL;
	case 't':
		return (wish->traces = optarg) != NULL;
	case 'p':
		return (wish->transfers = kt_transfer_from_name(&wish->transfer, optarg));
	case 'P':
		return read_long(&wish->prior_trials, optarg, 0, KT_SIMULATE_MOST);
	case 'c':
		return wish->compare = true;
	case 'j':
		return wish->json = true;
	default:
		return false;
	}
}

int kt_verb_simulate(int argc, char **argv)
{
	static const struct option options[] = {
	    {"t1", required_argument, NULL, '1'},         {"t4", required_argument, NULL, '4'},
	    {"strategy", required_argument, NULL, 's'},   {"budget", required_argument, NULL, 'b'},
	    {"seed", required_argument, NULL, 'k'},       {"seeds", required_argument, NULL, 'n'},
	    {"strategies", required_argument, NULL, 'S'}, {"budgets", required_argument, NULL, 'B'},
	    {"traces", required_argument, NULL, 't'},     {"compare", no_argument, NULL, 'c'},
	    {"transfer", required_argument, NULL, 'p'},   {"prior-trials", required_argument, NULL, 'P'},
	    {"json", no_argument, NULL, 'j'},             {"help", no_argument, NULL, 'h'},
	    {0}};
	struct wish wish = {.strategy = "default", .seeds = -1};
	struct kt_arena *arena;
	struct kt_error err;
	kt_status status;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (!take(&wish, option))
			return kt_verb_usage(help, option == 'h' ? 0 : KT_EXIT_USAGE);
	if (optind != argc || wish.t1_count == 0 || wish.t1_count != wish.t4_count || (!wish.compare && wish.t1_count > 1 && wish.transfer == KT_TRANSFER_NONE))
		return kt_verb_usage(help, KT_EXIT_USAGE);
	arena = kt_arena_new((size_t)ARENA_MB << 20);
	if (arena == NULL)
		status = kt_fail(&err, KT_ERR_MEMORY, "out of memory");
	else
		status = (wish.compare ? run_compare : run_one)(&wish, arena, &err);
	kt_arena_free(arena);
	return status == KT_OK ? 0 : kt_verb_failed(&err);
}
