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
	assert_string_equal(join(plain.definition_count, plain.definitions), "-DGAIN=2|-DTWICE(x)=x + x|-DNONE=");
	/* Where programs are looked for, here another process's number, is no difference; what is run is one. */
	assert_string_equal(front_of("./nvcc|-ccbin=./host|-c|k.cu").mark, plain.mark);
	write_program("nvcc", ANSWERS("-ftz=1", "#define GAIN 2\\n#define TWICE(x) x + x\\n#define NONE"));
	other = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_string_not_equal(other.mark, plain.mark);
	/* One that does not answer is still a script. */
	write_program("nvcc", "#!/bin/sh\nexit 1\n");
	other = front_of("./nvcc|-ccbin=./host|-c|k.cu");
	assert_non_null(other.mark);
	assert_int_equal(other.definition_count, 0);
}

static void test_host(void **state)
{
	(void)state;
	assert_int_equal(chdir(scratch), 0);
	assert_int_equal(kt_fs_mkdirs("folder", &failure), KT_OK);
	write_program("nvcc", "\177ELF");
	write_program("folder/gcc", "#!/bin/sh\n");
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
	const struct CMUnitTest tests[] = {TEST(test_front), TEST(test_host)};
	int failed = cmocka_run_group_tests(tests, open_scratch, NULL);

	return remove_scratch() != 0 ? 1 : failed;
}
