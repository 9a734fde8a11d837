/* A verb's command line, read by its rows. What is said about wrong ones: tests/system/verb_options.test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tuning/search.h"
#include "verbs/given.h"

enum { WORDS = 16 };

static char text[256], *words[WORDS];
static struct kt_given given;

/* Words separated by blanks, the verb first. */
static bool reads(int *code, const char *line)
{
	char *rest = NULL;
	int count = 0;

	assert_true(strlen(line) < sizeof text);
	strcpy(text, line);
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
	kt_given_free(&given);
	return kt_given_read(&given, code, kt_verb_find(words[0]), count, words);
}

static void read_well(const char *line)
{
	int code;

	assert_true(reads(&code, line));
	assert_int_equal(code, 0);
}

static void test_values(void **state)
{
	const char *texts[2];

	(void)state;
	read_well("tune a.cu --budget=5s b.cu --seed 18446744073709551615 --js --budget 7s -- -O3 --json");
	assert_int_equal(given.argument_count, 2);
	assert_string_equal(given.arguments[0], "a.cu");
	assert_string_equal(given.arguments[1], "b.cu");
	assert_int_equal(given.flag_count, 2);
	assert_string_equal(given.flags[0], "-O3");
	assert_true(given.json);
	assert_string_equal(kt_given_text(&given, KT_OPTION_tune_budget), "7s");
	assert_true(kt_given_number(&given, KT_OPTION_tune_seed, 3) == UINT64_MAX);
	assert_false(kt_given_has(&given, KT_OPTION_tune_retune));
	assert_null(kt_given_text(&given, KT_OPTION_tune_record));

	read_well("simulate --t1 a --t4 b --t1 c --t1 d");
	assert_int_equal(kt_given_texts(texts, 2, &given, KT_OPTION_simulate_t1), 3);
	assert_string_equal(texts[0], "a");
	assert_string_equal(texts[1], "c");
	assert_int_equal(kt_given_number(&given, KT_OPTION_simulate_budget, 100), 100);

	read_well("cache gc --size 3K --days 0");
	assert_int_equal(given.action, KT_ACTION_cache_gc);
	assert_int_equal(given.argument_count, 0);
	assert_int_equal(kt_given_number(&given, KT_OPTION_cache_size, 1), 3 * 1024);
	assert_int_equal(kt_given_number(&given, KT_OPTION_cache_days, 90), 0);

	read_well("emit -o - x.cu");
	assert_string_equal(kt_given_text(&given, KT_OPTION_emit_output), "-");
	read_well("plan replay x.cu -- -DX");
	assert_int_equal(given.action, KT_ACTION_plan_replay);
	assert_int_equal(given.flag_count, 1);
	/* A verb without flags: "--" ends the options. */
	read_well("cache show -- --name");
	assert_string_equal(given.arguments[0], "--name");
	assert_null(given.flags);
}

static void test_wrong(void **state)
{
	static const char *const lines[] = {
	    "scan",
	    "tune x --no-such",
	    "tune x --budget",
	    "tune x --json=1",
	    "scan a b",
	    "cache",
	    "cache prune",
	    "cache show",
	    "cache list x",
	    "cache gc --days 1x",
	    "cache gc --size 1KK",
	    "simulate --transfer hostil",
	    "simulate --transfer device|kernel",
	    "doctor x",
	};
	int code;

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		assert_false(reads(&code, lines[i]));
		assert_int_equal(code, 101);
	}
	/* More letters than words. */
	assert_false(reads(&code, "scan -hhhhhhhh"));
	assert_int_equal(code, 0);
}

static void test_settings(void **state)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_config config = {0};
	struct kt_error err;

	(void)state;
	read_well("tune x --lock-dir here --budget 40n --relax 0.25");
	assert_int_equal(kt_given_configure(&config, arena, &given, &err), KT_OK);
	assert_string_equal(config.lock_dir, "here");
	assert_int_equal(config.budget_trials, 40);
	assert_true(config.relax == 0.25);
	read_well("tune x --budget soon");
	assert_int_equal(kt_given_configure(&config, arena, &given, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "soon"));
	kt_arena_free(arena);
}

/* Names are found once, settings are settings, and the strategies that help lists are those that there are. */
static void test_rows(void **state)
{
	const struct kt_strategy *const *strategies;
	const size_t strategy_count = kt_strategies(&strategies);
	bool project;

	(void)state;
	for (int i = 0; i < KT_OPTIONS; i++) {
		const struct kt_option_row *row = &kt_option_rows[i];
		size_t key = 0;

		assert_true(row->text[0] != '\0');
		for (int j = 0; j < i; j++)
			assert_true(kt_option_rows[j].verb != row->verb ||
				    strcmp(kt_option_rows[j].name, row->name) != 0);
		while (row->setting != NULL && kt_config_key(key, &project) != NULL &&
		       strcmp(kt_config_key(key, &project), row->setting) != 0)
			key++;
		assert_true(row->setting == NULL || kt_config_key(key, &project) != NULL);
	}
	for (size_t i = 0; i < strategy_count; i++)
		assert_non_null(strstr(kt_option_rows[KT_OPTION_tune_strategy].text, strategies[i]->name));
	for (size_t i = 0; i < kt_launcher_count; i++)
		assert_memory_equal(kt_launcher_rows[i].variable, "KTUNE_", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_wrong),
	    cmocka_unit_test(test_settings),
	    cmocka_unit_test(test_rows),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);

	kt_given_free(&given);
	return failed;
}
