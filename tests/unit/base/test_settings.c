/* Settings of the model: what they say by default, what is read, what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/config.h"

static struct kt_arena *arena;
static struct kt_config config;
static struct kt_error err;

static int setup(void **state)
{
	(void)state;
	(void)setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	(void)setenv("KTUNE_LLM_MODEL", "a-model", 1);
	arena = kt_arena_new(1 << 20);
	return arena == NULL || kt_config_load(&config, arena, &err) != KT_OK;
}

static int teardown(void **state)
{
	(void)state;
	kt_arena_free(arena);
	return 0;
}

static void set(const char *name, const char *value)
{
	if (kt_config_set(&config, arena, name, value, &err) != KT_OK)
		fail_msg("%s", err.message);
}

static void test_values(void **state)
{
	(void)state;
	assert_null(config.llm.url);
	assert_string_equal(config.llm.model, "a-model");
	assert_true(config.llm.cost < 0 && config.llm.tokens > 0 && !config.llm.no_stream && !config.llm.allow_assembly);
	set("LLM_URL", "dir:/x");
	set("llm_stream", "off");
	set("KTUNE_LLM_SCHEMA", "On");
	set("LLM_PRICE", "0.5,2");
	set("LLM_COST", "1.25");
	set("LLM_RETRIES", "0");
	set("LLM_ASSEMBLY", "1");
	assert_string_equal(config.llm.url, "dir:/x");
	assert_true(config.llm.no_stream && config.llm.allow_assembly);
	assert_int_equal(config.llm.schema, KT_SWITCH_ON);
	assert_true(config.llm.price_prompt == 0.5 && config.llm.price_reply == 2 && config.llm.cost == 1.25);
	assert_int_equal(config.llm.retries, 0);
	set("LLM_STREAM", "on");
	assert_false(config.llm.no_stream);
}

static void test_wrong(void **state)
{
	static const char *const wrong[][2] = {{"LLM_PRICE", "1"},     {"LLM_PRICE", "1,"},      {"LLM_PRICE", "-1,1"},
	                                       {"LLM_COST", "-1"},     {"LLM_COST", "much"},     {"LLM_TOKENS", "1.5"},
	                                       {"LLM_TOKENS", "-1"},   {"LLM_SCHEMA", "maybe"},  {"LLM_TIMEOUT", "1s"},
	                                       {"LLM_ROUNDS", "-1"},   {"LLM_ATTEMPTS", "two"},  {"LLM_WAIT", "soon"},
	                                       {"LLM_SEED", ""},       {"LLM_KEY", "sk-secret"},
	                                       {"LLM_TEMPERATURE", "nan"}};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (kt_config_set(&config, arena, wrong[i][0], wrong[i][1], &err) != KT_ERR_INVALID)
			fail_msg("%s=%s was taken", wrong[i][0], wrong[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_wrong)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
