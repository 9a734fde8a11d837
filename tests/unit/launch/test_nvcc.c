/*
 * Against the real nvcc: what the model takes as ours, nvcc takes; what nvcc
 * refuses, we do not take; the macros that the model knows are nvcc's.
 */
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
#include "base/proc.h"
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
	    {"-arch=sm_89", "-code=sm_89"}, {"-code=sm_80"}, {"-arch=compute_80", "-code=[sm_80]"}, {"-arch=sm_90a"},
	    {"-gencode=arch=compute_80,code=sm_80,code=sm_86"}, {"-gencode=arch=sm_80,code=sm_80"}, {"-arch=native"},
	    {"-gencode=arch=compute_100f,code=sm_103f"}, {"-arch=all", "-code=sm_80"}, {"-ptx"}, {"-cubin"},
	    {"-fatbin", "-dc"}, {"-forward-unknown-opts", "-MQ", "x"}, {"-forward-unknown-opts", "-idirafter/x"},
	    {"-Xcompiler", "-aux-info", "-Xcompiler", "x"}, {"-save-temps=obj"}, {"-time"}, {"-time", "-"},
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

/* Every macro that libclang is given is one that nvcc gives its own preprocessor, with the same value. */
static void test_macros(void **state)
{
	static char *const rows[][4] = {
	    {"-arch=sm_90"}, {"-arch=sm_90a"}, {"-arch=all-major"}, {"-rdc=true"}, {"-dc"}, {"-dlto", "-arch=sm_90"},
	    {"-ewp"}, {"-default-stream=per-thread"}, {"-extended-lambda"}, {"--expt-relaxed-constexpr"},
	    {"-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_80,code=[sm_80,sm_86]"},
	    {"-gencode=arch=compute_100f,code=sm_103f"},
	};
	struct kt_error error;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		struct kt_buf out = KT_BUF(KT_LIMIT_OUTPUT_BYTES);
		char *nvcc[WORDS_MOST] = {"nvcc", "-dryrun", "-c", "k.cu"}, *ours[WORDS_MOST] = {"nvcc", "-c", "k.cu"};
		struct kt_command *command;
		struct kt_proc_result result;
		size_t count = 0, given = 0;
		char **words;

		for (int k = 0; k < 4 && rows[i][k] != NULL; k++)
			nvcc[4 + k] = ours[3 + given++] = rows[i][k];
		assert_int_equal(kt_proc_run(&result, nvcc, NULL, &out, &out, &error), KT_OK);
		assert_int_equal(kt_command_parse(&command, arena, 3 + (int)given, ours, &error), KT_OK);
		words = kt_command_clang_arguments(arena, &count, command);
		assert_true(count > 2);
		/* The first is the dialect. */
		for (size_t k = 1; k < count; k++)
			if (strstr(kt_buf_text(&out), kt_arena_printf(arena, " %s ", words[k])) == NULL)
				fail_msg("%s: nvcc does not give %s", rows[i][0], words[k]);
		kt_buf_free(&out);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_acceptance), cmocka_unit_test(test_macros)};
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
