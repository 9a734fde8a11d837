/* The compiler's second processor: where it may have one, and that make gets its job back. */
#include "command_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/processors.h"
#include "launch/spare.h"

static void write_compiler(const char *name, const char *release)
{
	char path[128], text[160];

	snprintf(text, sizeof text, "#!/bin/sh\necho 'Cuda compilation tools, release x, V%s'\n", release);
	snprintf(path, sizeof path, "%s/%s", scratch, name);
	write_file(path, text);
	assert_int_equal(chmod(path, 0755), 0);
}

/* What the command's words become; jobs: what make's pipe holds before, and has to hold after. */
static const char *with_jobs(const char *line, const char *jobs)
{
	char flags[64], whole[256], back[8] = "";
	struct kt_spare spare;
	struct kt_command *command;
	char **argv;
	const char *text;
	ssize_t left;
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(write(ends[1], jobs, strlen(jobs)), strlen(jobs));
	snprintf(flags, sizeof flags, "-j --jobserver-auth=%d,%d", ends[0], ends[1]);
	setenv("MAKEFLAGS", flags, 1);
	snprintf(whole, sizeof whole, "%s/%s", scratch, line);
	command = parse(whole);
	argv = kt_spare_open(&spare, arena, command, NULL, command->argv);
	assert_non_null(argv);
	text = argv == command->argv ? "same" : join(64, argv) + strlen(scratch) + 1;
	/* One job is this process's while the compiler runs. */
	left = (ssize_t)strlen(jobs) - (argv != command->argv);
	assert_int_equal(read(ends[0], back, sizeof back), left > 0 ? left : -1);
	kt_spare_close(&spare);
	if (argv != command->argv)
		assert_int_equal(read(ends[0], back, sizeof back), 1);
	unsetenv("MAKEFLAGS");
	close(ends[0]);
	close(ends[1]);
	return text;
}

static void test_words(void **state)
{
	(void)state;
	if (kt_processors() < 2)
		skip();
	write_compiler("nvcc", "13.0.88");
	assert_string_equal(with_jobs("nvcc|-c|k.cu|-o|k.o", "+"), "nvcc|--threads=2|-c|k.cu|-o|k.o");
	assert_string_equal(with_jobs("nvcc|-c|k.cu", "++"), "nvcc|--threads=2|-c|k.cu");
	/* Make has no job to spare. */
	assert_string_equal(with_jobs("nvcc|-c|k.cu", ""), "same");
	assert_string_equal(with_jobs("nvcc|-c|k.cu|-t|4", "+"), "same");
	assert_string_equal(with_jobs("nvcc|-t4|-c|k.cu", "+"), "same");
	assert_string_equal(with_jobs("nvcc|--threads=0|-c|k.cu", "+"), "same");
	setenv("NVCC_APPEND_FLAGS", "-t 3", 1);
	assert_string_equal(with_jobs("nvcc|-c|k.cu", "+"), "same");
	unsetenv("NVCC_APPEND_FLAGS");
}

static void test_compilers(void **state)
{
	(void)state;
	if (kt_processors() < 2)
		skip();
	write_compiler("nvcc", "11.1.105");
	assert_string_equal(with_jobs("nvcc|-c|k.cu", "+"), "same");
	write_compiler("nvcc", "11.2.67");
	assert_string_equal(with_jobs("nvcc|-c|k.cu", "+"), "nvcc|--threads=2|-c|k.cu");
	write_compiler("clang++", "13.0.88");
	assert_string_equal(with_jobs("clang++|-c|k.cu", "+"), "same");
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_words), TEST(test_compilers)};
	const int failed = cmocka_run_group_tests(tests, open_scratch, NULL);

	return remove_scratch() != 0 || failed != 0;
}
