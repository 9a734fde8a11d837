/* Acceptance against the real nvcc: what the model takes as ours, nvcc takes; what nvcc refuses, we do not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "launch/command.h"

#define WORDS_MOST 16

static char scratch[64];

static bool nvcc_takes(char **argv)
{
	int status = 1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_acceptance(void **state)
{
	static const char *const rows[][WORDS_MOST - 4] = {
	    {"-o=k.o"}, {"-ok.o"}, {"--output-file=k.o"}, {"--o=k.o"}, {"-O3"}, {"-O=3"}, {"-O"}, {"-std", "c++14"},
	    {"-stdc++14"}, {"-xcu"}, {"-x=cu"}, {"-isystem/usr"}, {"-isystem=/usr"}, {"-Wall"}, {"-Werror"},
	    {"-Werror=all-warnings"}, {"-lineinfo=true"}, {"-MD", "-MF=x", "-MT=y"}, {"-MD", "-MTx"}, {"-m64"}, {"-t4"},
	    {"-Xcompiler", "-fPIC,-Wall"}, {"-Xcudafe", "--x"}, {"-Xnvvm", "x"}, {"--no-align-double"},
	    {"-gencode", "arch=compute_80,code=sm_80,arch=compute_90,code=sm_90"}, {"-I=a\"b"}, {"-arch=sm_90,sm_80"},
	    {"-gencode=arch=compute_80,code=[sm_80,compute_80]"}, {"-gencode", "arch=compute_80"}, {"-arch=90"},
	    {"-forward-unknown-opts", "-Wall"}, {"-forward-unknown-opts", "-foo", "bar"}, {"--"}, {"-optf", "none"},
	};
	char *nvcc[WORDS_MOST] = {"nvcc", "-dryrun", "-c", "k.cu"}, *ours[WORDS_MOST] = {"nvcc", "-c", "k.cu"};
	struct kt_error error;

	(void)state;
	unsetenv("NVCC_PREPEND_FLAGS");
	unsetenv("NVCC_APPEND_FLAGS");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_command *command;
		bool takes;
		int count = 0;

		for (; rows[i][count] != NULL; count++)
			nvcc[4 + count] = ours[3 + count] = kt_arena_strdup(arena, rows[i][count]);
		nvcc[4 + count] = ours[3 + count] = NULL;
		assert_int_equal(kt_command_parse(&command, arena, 3 + count, ours, &error), KT_OK);
		takes = nvcc_takes(nvcc);
		if (takes != (command->decline == KT_REASON_NONE))
			fail_msg("%s: nvcc %s it, here it is %s", rows[i][0], takes ? "takes" : "refuses",
			         command->decline == KT_REASON_NONE ? "taken" : kt_reason_name(command->decline));
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_acceptance)};
	char *version[] = {"nvcc", "--version", NULL};
	struct kt_error error;
	int failed;

	if (!nvcc_takes(version)) {
		printf("skipped: no nvcc\n");
		return 0;
	}
	(void)snprintf(scratch, sizeof scratch, "/tmp/ktcc-nvcc-XXXXXX");
	if (mkdtemp(scratch) == NULL || chdir(scratch) != 0 || kt_fs_write("k.cu", "", 0, &error) != KT_OK)
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (chdir("/") != 0 || kt_fs_remove_tree(scratch, &error) != KT_OK)
		return 1;
	return failed;
}
