/* A host reference as a program: what the file needs for it, compiled by the real nvcc, called by a file in memory. */
#include "compile_fixture.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/proc.h"
#include "tuning/reference.h"

static const char source[] = "namespace ops { namespace {\n"
                             "double factor() { return 2; }\n"
                             "void scale_reference(double *x, const double *w, long n, float a, bool odd)\n"
                             "{\n"
                             "\tfor (long i = 0; i < n; i++)\n"
                             "\t\tx[i] = factor() * w[i] + a + odd;\n"
                             "}\n"
                             "} }\n"
                             "int missing();\n"
                             "int main() { return missing(); }\n";

enum { N = 100, PAGE = 4096 };
static struct kt_host_parameter parameters[] = {{0, -1, -1}, {1, -1, -1}, {-1, -1, 0}, {-1, 0, -1}, {-1, 1, -1}};

static kt_status build(const char **program, struct compile_fixture *c, const char *function, struct kt_range *drop)
{
	c->f.region.reference = (struct kt_host_reference){.function = function, .parameter_count = 5,
	                                                   .parameters = parameters, .drop_count = 1, .drops = drop};
	return kt_reference_build(program, c->f.arena, &c->compile, &c->f.region, source, strlen(source), &c->f.err);
}

static void a_program_computes(void **state)
{
	const double slots[5][2] = {{0, 0}, {0, 0}, {0, N}, {0, 0.5}, {0, 1}};
	const int64_t at[5] = {PAGE, (int64_t)2 * PAGE, 0, 0, 0};
	const char *main_text = strstr(source, "int main");
	struct kt_range drop = {(uint32_t)(main_text - source), (uint32_t)strlen(source)};
	const char *program = NULL, *again = NULL;
	struct kt_proc_result result;
	struct compile_fixture c;

	(void)state;
	COMPILE_OPEN(&c);
	if (build(&program, &c, "ops::scale_reference", &drop) != KT_OK)
		fail_msg("%s", c.f.err.message);
	/* The second time it is there. */
	const double start_s = kt_now_s();
	assert_int_equal(build(&again, &c, "ops::scale_reference", &drop), KT_OK);
	assert_string_equal(program, again);
	assert_true(kt_now_s() - start_s < 1);
	int file = memfd_create("test", 0);
	assert_int_equal(ftruncate(file, 3 * PAGE), 0);
	char *memory = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_true(memory != MAP_FAILED);
	for (size_t i = 0; i < 5; i++) {
		memcpy(memory + 16 * i, &at[i], sizeof at[i]);
		memcpy(memory + 16 * i + 8, &slots[i][1], sizeof slots[i][1]);
	}
	double *x = (double *)(void *)(memory + PAGE), *w = (double *)(void *)(memory + 2 * PAGE);
	for (size_t i = 0; i < N; i++)
		w[i] = (double)i;
	char *argv[] = {kt_arena_strdup(c.f.arena, program), kt_arena_printf(c.f.arena, "%d", file),
	                kt_arena_strdup(c.f.arena, "5"), NULL};
	const struct kt_proc_options options = {.timeout_s = 20};
	assert_int_equal(kt_proc_run(&result, argv, &options, NULL, NULL, &c.f.err), KT_OK);
	assert_false(result.signalled);
	assert_int_equal(result.code, 0);
	for (size_t i = 0; i < N; i++)
		assert_true(x[i] == 2 * (double)i + 1.5);
	assert_true(x[N] == 0);
	/* What the slice lost, or the file never had, is said with the linker's words. */
	drop.end = drop.begin;
	assert_int_equal(build(&program, &c, "ops::scale_reference", &drop), KT_ERR_INVALID);
	assert_non_null(strstr(c.f.err.message, "the host reference 'ops::scale_reference' does not compile by itself"));
	assert_non_null(strstr(c.f.err.message, "missing"));
	assert_null(program);
	c.f.region.reference.function = NULL;
	assert_int_equal(kt_reference_build(&program, c.f.arena, &c.compile, &c.f.region, source, strlen(source), &c.f.err),
	                 KT_OK);
	assert_null(program);
	munmap(memory, 3 * PAGE);
	close(file);
	compile_close(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_program_computes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
