/* The manifest key: no option of the table and no variable that nvcc reads leaves it as it is. */
#include "command_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "launch/key.h"
#include "launch/options.h"

static void key_of(char out[KT_HASH_TEXT], int argc, char **argv)
{
	static const struct kt_config config;
	struct kt_command *command;

	if (kt_command_parse(&command, arena, argc, argv, &failure) != KT_OK)
		fail_msg("%s", failure.message);
	kt_command_key(out, arena, command, &config);
}

static void test_every_option(void **state)
{
	char plain[KT_HASH_TEXT], with[KT_HASH_TEXT];
	char *base[] = {(char[]){"nvcc"}, (char[]){"-c"}, (char[]){"k.cu"}, NULL, NULL};

	(void)state;
	key_of(plain, 3, base);
	key_of(with, 3, base);
	assert_string_equal(plain, with);
	for (unsigned i = 0; i < KT_OPTION_COUNT; i++) {
		const struct kt_option *option = kt_option((enum kt_option_id)i);
		const bool has_value = (option->value & KT_VALUE_KIND) != KT_VALUE_NONE;

		base[3] = kt_arena_printf(arena, "--%s%s", option->long_name, has_value ? "=1" : "");
		key_of(with, 4, base);
		if (strcmp(plain, with) == 0)
			fail_msg("%s leaves the key as it is", base[3]);
	}
}

static void test_every_variable(void **state)
{
	static const char *const names[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
	                                    "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH",
	                                    "NVVMIR_LIBRARY_DIR", "CUDA_HOME", "SOURCE_DATE_EPOCH"};
	char plain[KT_HASH_TEXT], with[KT_HASH_TEXT];
	char *base[] = {(char[]){"nvcc"}, (char[]){"-c"}, (char[]){"k.cu"}, NULL};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		unsetenv(names[i]);
		key_of(plain, 3, base);
		setenv(names[i], "-DX", 1);
		key_of(with, 3, base);
		unsetenv(names[i]);
		if (strcmp(plain, with) == 0)
			fail_msg("%s leaves the key as it is", names[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(test_every_option, set_up, tear_down),
	                                   cmocka_unit_test_setup_teardown(test_every_variable, set_up, tear_down)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
