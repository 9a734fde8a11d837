/* Scripts that stand for compilers: what they add. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "command_fixture.h"
#include "launch/front.h"

/* Answers as nvcc does: "#$" lines for -dryrun, macros for -dM. */
#define ANSWERS(more, macros) \
	"#!/bin/sh\ncase \"$*\" in\n*-dryrun*) printf '#$ PATH=%s\\n#$ cicc " more "\\n' $$ ;;\n" \
	"*) printf '#define __x86_64__ 1\\n" macros "' ;;\nesac\n"

static void write_program(const char *name, const char *text)
{
	write_file(name, text);
	assert_int_equal(chmod(name, 0755), 0);
}

static struct kt_front front_of(const char *line)
{
	struct kt_command *command = parse(line);
	struct kt_front front;

	assert_int_equal(kt_front_read(&front, arena, command, kt_command_code_arguments(arena, command), &failure),
	                 KT_OK);
	return front;
}

static void test_front(void **state)
{
	struct kt_front plain, other;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	write_program("nvcc", "\177ELF");
	write_program("host", "\177ELF");
	assert_null(front_of("./nvcc|-ccbin|host|-c|k.cu").mark);

	write_program("nvcc", ANSWERS("-ftz=0", "#define GAIN 2\\n#define TWICE(x) x + x\\n#define NONE"));
	plain = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_non_null(plain.mark);
	assert_string_equal(join(plain.word_count, plain.words), "-DGAIN=2|-DTWICE(x)=x + x|-DNONE=");
	/* Where programs are looked for, here another process's number, is no difference; what is run is one. */
	assert_string_equal(front_of("./nvcc|-ccbin=./host|-c|k.cu").mark, plain.mark);
	write_program("nvcc", ANSWERS("-ftz=1", "#define GAIN 2\\n#define TWICE(x) x + x\\n#define NONE"));
	other = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_string_not_equal(other.mark, plain.mark);
	/* One that does not answer is still a script, and one that leaves it to the shell to find out what it is. */
	write_program("nvcc", "exit 1\n");
	other = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_non_null(other.mark);
	assert_int_equal(other.word_count, 0);
}

/* Two checkouts of one project say the same: it is what is added that counts, and of a path its last name. */
static void test_places(void **state)
{
	struct kt_front one, other;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	write_program("host", "\177ELF");
	write_program("nvcc", "#!/bin/sh\necho '#$ \"/opt/a/bin\"/gcc -I\"/opt/a/inc\" -O2' \"$@\"\n");
	one = front_of("./nvcc|-ccbin=./host|-I/home/a/inc|-include|/home/a/k.h|-DHERE=\"/home/a\"|-c|k.cu");
	write_program("nvcc", "#!/bin/sh\necho '#$ \"/opt/b/c/bin\"/gcc -I\"/opt/b/c/inc\" -O2' \"$@\"\n");
	other = front_of("./nvcc|-ccbin=/home/b/host|-I/home/b/inc|-include|/home/b/k.h|-DHERE=\"/home/b\"|-c|k.cu");
	assert_string_equal(one.mark, other.mark);
	other = front_of("./nvcc|-ccbin=./host|--use_fast_math|-c|k.cu");
	assert_string_not_equal(one.mark, other.mark);
}

/* What headers define is theirs, or their guards would keep them out. Those that a script includes are included. */
static void test_headers(void **state)
{
	static const char gcc[] = "# 0 \"/dev/null\"\n# 0 \"<built-in>\"\n#define unix 1\n# 0 \"<command-line>\"\n"
	                          "#define GAIN 2\n# 1 \"/usr/include/stdc-predef.h\" 1 3 4\n#define OWN 1\n"
	                          "# 0 \"<command-line>\" 2\n# 1 \"./a \\\"b.h\" 1\n#define A_H\n# 1 \"c.h\" 1\n"
	                          "#define C_H\n# 2 \"./a \\\"b.h\" 2\n#define MORE\nint i;\n"
	                          "# 0 \"<command-line>\" 2\n"
	                          "#define LAST (3)\n# 1 \"/dev/null\"\n#define INPUT\n";
	static const char clang[] = "# 1 \"/dev/null\"\n# 1 \"<built-in>\" 1\n# 1 \"<built-in>\" 3\n#define unix 1\n"
	                            "# 1 \"<command line>\" 1\n#define GAIN 2\n# 1 \"<built-in>\" 2\n"
	                            "# 1 \"./a.h\" 1\n#define A_H\n# 2 \"<built-in>\" 2\n# 1 \"/dev/null\" 2\n";
	struct kt_front front;

	(void)state;
	assert_int_equal(chdir(scratch), 0);
	write_program("host", "\177ELF");
	write_program("nvcc", "#!/bin/sh\ncase \"$*\" in *-dryrun*) ;; *) cat said ;; esac\n");
	write_file("said", gcc);
	front = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_string_equal(join(front.word_count, front.words), "-DGAIN=2|-include|./a \"b.h|-DLAST=(3)");
	write_file("said", clang);
	front = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_string_equal(join(front.word_count, front.words), "-DGAIN=2|-include|./a.h");
}

static void test_host(void **state)
{
	(void)state;
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(kt_fs_mkdirs("folder", &failure), KT_OK);
	write_program("nvcc", "\177ELF");
	write_program("folder/gcc", "#!/bin/sh\nexit 1\n");
	/* The folder of a compiler; the last one counts; the environment's is the weakest. */
	assert_non_null(front_of("./nvcc|-ccbin=folder|-c|k.cu").mark);
	assert_null(front_of("./nvcc|-ccbin|folder|--compiler-bindir=./nvcc|-c|k.cu").mark);
	setenv("NVCC_CCBIN", "folder/gcc", 1);
	assert_non_null(front_of("./nvcc|-c|k.cu").mark);
	assert_null(front_of("./nvcc|-ccbin=./nvcc|-c|k.cu").mark);
	unsetenv("NVCC_CCBIN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_front), TEST(test_places), TEST(test_headers), TEST(test_host)};
	int failed = cmocka_run_group_tests(tests, open_scratch, NULL);

	return remove_scratch() != 0 ? 1 : failed;
}
