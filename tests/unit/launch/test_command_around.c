/* What acts on a command from around it: the environment, options files, the toolkit that its compiler belongs to. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "command_fixture.h"

static void test_environment(void **state)
{
	struct kt_command *c;

	(void)state;
	setenv("NVCC_PREPEND_FLAGS", "-DA=1 -D \"B=x y\"\t-arch=sm_80", 1);
	setenv("NVCC_APPEND_FLAGS", "-arch=sm_90", 1);
	c = parse("nvcc|-DC|-c|k.cu|-arch=sm_86");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_true(c->uses_environment_flags);
	assert_int_equal(c->gencode_count, 1);
	assert_int_equal(c->gencodes[0].arch, 90);
	assert_string_equal(own_clang_words(c), "-std=c++17|-DA=1|-D\"B=x y\"|-DC");
	/* A candidate has another target: the environment's words stand in their places, and act but once. */
	assert_string_equal(join(9, kt_command_code_arguments(arena, c)), "nvcc|-DA=1|-D|\"B=x y\"|-DC");

	setenv("NVCC_APPEND_FLAGS", "-G", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_DEBUG);
	setenv("NVCC_APPEND_FLAGS", "other.cu", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_SEVERAL_INPUTS);
	assert_int_equal(parse("nvcc|-c")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "-MD", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "-DX=\"open", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	/* A host option whose value stands in another source: what ktcc adds would come between them. */
	setenv("NVCC_APPEND_FLAGS", "-Xcompiler=/q", 1);
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|-isystem")->decline, KT_REASON_UNKNOWN_OPTION);
	setenv("NVCC_APPEND_FLAGS", "", 1);
	setenv("NVCC_PREPEND_FLAGS", "-Xcompiler=-isystem", 1);
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|/q")->decline, KT_REASON_UNKNOWN_OPTION);
	/* A folder that is searched before those that stand for the source's own. */
	setenv("NVCC_PREPEND_FLAGS", "-Xcompiler=-iquote,/q", 1);
	assert_int_equal(parse("nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	unsetenv("NVCC_PREPEND_FLAGS");
	assert_int_equal(parse("nvcc|-c|k.cu|-Xcompiler|-isystem|-Xcompiler|/q")->decline, KT_REASON_NONE);
	assert_false(parse("nvcc|-c|k.cu")->uses_environment_flags);
}

static void test_options_files(void **state)
{
	struct kt_command *c;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	write_file("one", "-Ia  -DX=\"a b\"\r\n\t-isystem=s\n-DY=a\\ b");
	write_file("two", "--options-file deep/three,one\n-DZ");
	assert_int_equal(kt_fs_mkdirs("deep", &failure), KT_OK);
	write_file("deep/three", "-I\n\"in c\"");
	c = parse("nvcc|--options-file|two|-DW|-c|k.cu");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_int_equal(c->options_file_count, 3);
	assert_string_equal(own_clang_words(c), "-std=c++17|-I|in c|-I|a|-isystem|s|-DX=a b|-DY=a b|-DZ|-DW");
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)),
	                    "nvcc|-I|in c|-Ia|-DX=a b|-isystem=s|-DY=a b|-DZ|-DW");
	/* What a candidate must not have goes out of the middle of a file. */
	write_file("target", "-Ib -arch=sm_80 -lx -x cu -Ic");
	c = parse("nvcc|-optf|target|-c|k.cpp");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_int_equal(c->gencodes[0].arch, 80);
	assert_string_equal(join(99, kt_command_code_arguments(arena, c)), "nvcc|-Ib|-Ic");
	c = parse("nvcc|-optf=one,deep/three|-c|k.cu");
	assert_int_equal(c->include_count, 2);

	write_file("loop", "-optf loop");
	assert_int_equal(parse("nvcc|-optf|loop|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	write_file("bomb", "-optf bomb,bomb,bomb,bomb");
	assert_int_equal(parse("nvcc|-optf|bomb|-c|k.cu")->decline, KT_REASON_NOT_OURS);
	write_file("open", "-D");
	assert_int_equal(parse("nvcc|-optf|open|X|-c|k.cu")->decline, KT_REASON_NOT_OURS);
}

/* What must be replaced, or must go, stands in an options file: its words take its place. */
static void test_options_files_expanded(void **state)
{
	static const char *const from_environment[] = {"-optf input", "-optf output", "-optf depend", "-MD"};
	struct kt_command *c;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	setenv("KTUNE_PREFIX", "/prefix", 1);
	write_file("input", "-DA -DB k.cu");
	c = parse("nvcc|-optf|input|-c|-DC|-o|k.o");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(c->input, "k.cu");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, true)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-DB|e.cu|-c|-DC|-o|k.o");
	write_file("output", "-o \"a b.o\"");
	write_file("depend", "-MD -MF k.d -optf output -MT x");
	c = parse("nvcc|-DA|-c|-DB=k.cu|k.cu|-optf=depend|-DC");
	assert_int_equal(c->decline, KT_REASON_NONE);
	assert_string_equal(c->output, "a b.o");
	assert_string_equal(c->depfile, "k.d");
	setenv("NVCC_APPEND_FLAGS", "-DE", 1);
	c = parse("nvcc|-DA|-c|-DB=k.cu|k.cu|-optf=depend|-DC");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, true)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-c|-DB=k.cu|e.cu|-MD|-MF|k.d|-o|a b.o|-MT|x|-DC");
	assert_string_equal(join(99, kt_command_emitted(arena, c, "e.cu", NULL, false)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-isystem=/prefix/include|-Xcompiler=-Wno-unknown-pragmas|"
	                    "-DA|-c|-DB=k.cu|e.cu|-o|a b.o|-DC");
	unsetenv("NVCC_APPEND_FLAGS");
	/* The environment acts whatever the command is. */
	for (size_t i = 0; i < sizeof from_environment / sizeof *from_environment; i++) {
		setenv("NVCC_PREPEND_FLAGS", from_environment[i], 1);
		assert_int_equal(parse(i == 0 ? "nvcc|-c" : "nvcc|-c|k.cu")->decline, KT_REASON_UNKNOWN_OPTION);
	}
	unsetenv("NVCC_PREPEND_FLAGS");
	unsetenv("KTUNE_PREFIX");
}

/*
 * Installed with the prefix /usr: -isystem would bring /usr/include in front of the C++ library's folders, whose math.h
 * includes the next one.
 */
static void test_system_prefix(void **state)
{
	(void)state;
	setenv("KTUNE_PREFIX", "/usr", 1);
	assert_string_equal(join(99, kt_command_emitted(arena, parse("nvcc|-c|k.cu"), "e.cu", NULL, true)),
	                    "nvcc|-Xcompiler=-iquote,\".\"|-Xcompiler=-Wno-unknown-pragmas|-c|e.cu|-o|k.o");
	assert_null(strstr(join(99, kt_command_emitted(arena, parse("clang++|-c|k.cu"), "e.cu", NULL, true)), "isystem"));
	unsetenv("KTUNE_PREFIX");
}

static void test_toolkit(void **state)
{
	struct kt_command *c;
	const char *path;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(kt_fs_mkdirs("kit/bin", &failure), KT_OK);
	assert_int_equal(kt_fs_mkdirs("kit/include", &failure), KT_OK);
	write_file("kit/include/cuda_runtime.h", "");
	write_file("kit/bin/nvcc", "#!/bin/sh\n");
	assert_int_equal(chmod("kit/bin/nvcc", 0755), 0);
	(void)unlink("nvcc");
	assert_int_equal(symlink("kit/bin/nvcc", "nvcc"), 0);
	c = parse("kit/bin/nvcc|-c|k.cu");
	assert_string_equal(kt_toolkit_root(arena, c, false), kt_path_absolute(arena, "kit", NULL));
	c = parse("ccache|./nvcc|-c|k.cu");
	assert_string_equal(kt_toolkit_root(arena, c, false), kt_path_real(arena, "kit"));
	assert_null(kt_toolkit_root(arena, parse("/nonexistent/nvcc|-c|k.cu"), false));
	/* A compiler cache under nvcc's name: the next of the name is the real one. */
	path = kt_arena_strdup(arena, getenv("PATH"));
	assert_int_equal(kt_fs_mkdirs("masks", &failure), KT_OK);
	write_file("masks/ccache", "#!/bin/sh\n");
	assert_int_equal(chmod("masks/ccache", 0755), 0);
	(void)unlink("masks/nvcc");
	assert_int_equal(symlink("ccache", "masks/nvcc"), 0);
	assert_int_equal(setenv("PATH", "masks::kit/bin", 1), 0);
	assert_string_equal(kt_toolkit_root(arena, parse("nvcc|-c|k.cu"), false), kt_path_absolute(arena, "kit", NULL));
	assert_string_equal(kt_toolkit_root(arena, parse("clang++|-c|k.cu"), false), kt_path_absolute(arena, "kit", NULL));
	assert_int_equal(setenv("PATH", "masks", 1), 0);
	assert_null(kt_toolkit_root(arena, parse("nvcc|-c|k.cu"), false));
	assert_int_equal(setenv("PATH", path, 1), 0);
	/* A script that runs the real one knows itself where that is; another toolkit along PATH is not the one. */
	assert_int_equal(kt_fs_mkdirs("other/bin", &failure), KT_OK);
	assert_int_equal(kt_fs_mkdirs("other/include", &failure), KT_OK);
	assert_int_equal(kt_fs_mkdirs("scripts", &failure), KT_OK);
	write_file("other/include/cuda_runtime.h", "");
	write_file("other/bin/nvcc", "#!/bin/sh\n");
	(void)unlink("link");
	assert_int_equal(symlink("other", "link"), 0);
	write_file("scripts/nvcc", kt_arena_printf(arena,
	                                           "#!/bin/sh\n[ \"$*\" = '-dryrun -E -x cu /dev/null' ] || exit 1\n"
	                                           "printf '#$ _SPACE_= \\n#$ TOP=%%s/bin/..\\n#$ X=\\n' '%s' >&2\n",
	                                           kt_path_absolute(arena, "link", NULL)));
	assert_int_equal(chmod("scripts/nvcc", 0755), 0);
	path = kt_arena_printf(arena, "%s:%s", kt_path_absolute(arena, "kit/bin", NULL), path);
	assert_int_equal(setenv("PATH", path, 1), 0);
	c = parse("scripts/nvcc|-c|k.cu");
	assert_string_equal(kt_toolkit_root(arena, c, true), kt_path_absolute(arena, "link", NULL));
	assert_string_equal(kt_toolkit_root(arena, c, false), kt_path_absolute(arena, "kit", NULL));
	write_file("scripts/nvcc", "#!/bin/sh\nexit 1\n");
	assert_string_equal(kt_toolkit_root(arena, c, true), kt_path_absolute(arena, "kit", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(test_environment), TEST(test_options_files), TEST(test_options_files_expanded), TEST(test_system_prefix),
	    TEST(test_toolkit),
	};
	const int failed = cmocka_run_group_tests(tests, open_scratch, NULL);

	return remove_scratch() != 0 ? 1 : failed;
}
