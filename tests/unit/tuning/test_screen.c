/* Candidates that NVRTC compiles: when it may, what its faults cost, and that nvcc has the last word. */
#include "compile_fixture.h"

#include "tuning/early.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toolkit.h"

static const char source[] = "#include <cstdio>\n"
			     "#include <weird/host.h>\n"
			     "#define BLOCK 128\n"
			     "#define FACTOR 1\n"
			     "namespace ops {\n"
			     "__device__ float twice(float v) { return v * 2; }\n"
			     "__global__ void scale(float *x, int n)\n"
			     "{\n"
			     "\tint i = blockIdx.x * BLOCK + threadIdx.x;\n"
			     "\tif (i < n) x[i] = FACTOR * twice(x[i]);\n"
			     "}\n"
			     "}\n";

struct screen {
	struct compile_fixture c;
	struct kt_screening screening;
	char *options[4];
};

/* A folder with a header that only nvcc is told of. */
static void add_host_header(struct compile_fixture *c)
{
	char *folder = kt_path_join(c->f.arena, c->directory, "host"),
	     *weird = kt_path_join(c->f.arena, folder, "weird");
	static const char text[] = "#include <vector>\n";

	assert_int_equal(kt_fs_mkdirs(weird, &c->f.err), KT_OK);
	assert_int_equal(kt_fs_write(kt_path_join(c->f.arena, weird, "host.h"), text, sizeof text - 1, &c->f.err),
			 KT_OK);
	c->arguments[2] = kt_arena_printf(c->f.arena, "-I%s", folder);
}

static bool open_screen(struct screen *s, const char *library)
{
	char *root, *real;

	memset(s, 0, sizeof *s);
	if (!compile_open(&s->c))
		return false;
	root =
	    kt_path_dirname(s->c.f.arena, kt_path_dirname(s->c.f.arena, kt_path_real(s->c.f.arena, s->c.arguments[0])));
	real = kt_toolkit_library(s->c.f.arena, root, "libnvrtc.so");
	if (real == NULL) {
		compile_close(&s->c);
		return false;
	}
	add_host_header(&s->c);
	s->c.f.region.qualified = "ops::scale";
	FIXTURE_TUNE(&s->c.f, "BLOCK", 128, 64, 256);
	FIXTURE_TUNE(&s->c.f, "FACTOR", 1, 0, 3);
	s->c.f.template_.head = "__global__ void ${ktune:kernel}(float *x, int n)";
	s->c.f.template_.body_line = 8;
	s->c.f.template_.body = "{\n"
				"\tint i = blockIdx.x * ${BLOCK} + threadIdx.x; // fault-${FACTOR}\n"
				"#if FACTOR == 99\n"
				"\tundeclared_thing = 1;\n"
				"#elif FACTOR == 98 && defined __CUDACC_RTC__\n"
				"\tundeclared_for_one_compiler = 1;\n"
				"#endif\n"
				"\tif (i < n) x[i] = FACTOR * twice(x[i]);\n"
				"}\n";
	s->options[0] = kt_arena_printf(s->c.f.arena, "-I%s", kt_toolkit_headers(s->c.f.arena, root));
	s->screening = (struct kt_screening){.program = KT_NVRTC_PROGRAM,
					     .library = library != NULL ? library : real,
					     .options = s->options,
					     .most_s = 120};
	s->c.compile.screening = &s->screening;
	setenv("KTUNE_TEST_NVRTC", real, 1);
	return true;
}

#define SCREEN_OPEN(s, library)                                                                                        \
	if (!open_screen(s, library))                                                                                  \
	skip()

/* Compiles the original, waits until it is known who compiles, then these values of FACTOR, each with a BLOCK of its own
 * so that no two texts are the same; by ticket. */
static struct kt_batch *run(struct kt_built *built, struct screen *s, const char *text, const int64_t *factors,
			    size_t count)
{
	struct kt_batch *batch = NULL;
	struct kt_built one;

	memset(built, 0, (count + 1) * sizeof *built);
	assert_int_equal(
	    kt_batch_open(&batch, &s->c.compile, &s->c.f.template_, &s->c.f.instance, text, strlen(text), &s->c.f.err),
	    KT_OK);
	assert_int_equal(kt_batch_add(batch, 0, NULL, &s->c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &s->c.f.err), KT_OK);
	assert_true(kt_batch_next(&built[0], batch, 120));
	if (built[0].cubin == NULL)
		fail_msg("%s", built[0].message);
	kt_batch_settle(batch);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(kt_batch_add(batch, i + 1, (int64_t[]){64 + (int64_t)i, factors[i]}, &s->c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &s->c.f.err), KT_OK);
	while (kt_batch_next(&one, batch, 120))
		built[one.ticket] = one;
	assert_int_equal(kt_batch_pending(batch), 0);
	return batch;
}

static void compiles_what_nvcc_would(void **state)
{
	static const int64_t factors[] = {1, 3, 99, 98, 5};
	struct kt_built built[6];
	const struct kt_screened *screened;
	struct screen s;

	(void)state;
	SCREEN_OPEN(&s, NULL);
	struct kt_batch *batch = run(built, &s, source, factors, 5);
	screened = kt_batch_screened(batch);
	assert_true(screened->nvrtc);
	assert_true(screened->equal);
	assert_non_null(strstr(built[1].function, "5kt_c1"));
	assert_non_null(built[2].cubin);
	assert_non_null(built[5].cubin);
	/* The user's compiler says what is wrong. */
	assert_null(built[3].cubin);
	assert_non_null(strstr(built[3].message, "undeclared_thing"));
	/* A refusal of NVRTC's alone is none. */
	assert_non_null(built[4].cubin);
	assert_int_equal(screened->by_nvrtc, 3);
	assert_int_equal(screened->by_nvcc, 1);
	assert_int_equal(screened->refused, 2);
	assert_int_equal(screened->overturned, 1);
	kt_batch_close(batch);
	compile_close(&s.c);
}

/* What is emitted is compiled by nvcc, also where NVRTC has compiled it before. */
static void finalists_are_nvccs(void **state)
{
	static const int64_t factors[] = {3, 5};
	struct kt_built built[3], again;
	struct screen s;

	(void)state;
	SCREEN_OPEN(&s, NULL);
	struct kt_batch *batch = run(built, &s, source, factors, 2);
	assert_true(built[1].screened && built[2].screened);
	assert_false(built[0].screened);
	kt_batch_cancel(batch);
	assert_int_equal(kt_batch_add_exact(batch, 2, (int64_t[]){64, 5}, &s.c.f.err), KT_OK);
	assert_int_equal(kt_batch_flush(batch, &s.c.f.err), KT_OK);
	assert_true(kt_batch_next(&again, batch, 120));
	assert_int_equal(again.ticket, 2);
	assert_non_null(again.cubin);
	assert_false(again.screened);
	assert_true(kt_batch_exact_seconds(batch) > 0);
	kt_batch_close(batch);
	compile_close(&s.c);
}

static void refusals_are_believed_after_a_while(void **state)
{
	static const int64_t factors[] = {99, 99, 99, 99, 99, 99, 99, 99, 99, 99};
	struct kt_built built[11];
	struct screen s;

	(void)state;
	SCREEN_OPEN(&s, NULL);
	s.c.compile.jobs = 1;
	s.c.compile.batch_most = 1;
	struct kt_batch *batch = run(built, &s, source, factors, 10);
	for (size_t i = 1; i < 11; i++) {
		assert_null(built[i].cubin);
		assert_non_null(strstr(built[i].message, "undeclared_thing"));
	}
	assert_int_equal(kt_batch_screened(batch)->refused, 10);
	assert_int_equal(kt_batch_screened(batch)->overturned, 0);
	kt_batch_close(batch);
	compile_close(&s.c);
}

static void faults_cost_one_candidate(void **state)
{
	static const int64_t factors[] = {1, 91, 3, 92, 5, 93, 7, 94, 9};
	struct kt_built built[10];
	const struct kt_screened *screened;
	struct screen s;

	(void)state;
	SCREEN_OPEN(&s, KT_FAKE_NVRTC);
	s.screening.most_bytes = INT64_C(3) << 30;
	s.screening.most_s = 20;
	struct kt_batch *batch = run(built, &s, source, factors, 9);
	screened = kt_batch_screened(batch);
	assert_true(screened->nvrtc);
	for (size_t i = 1; i < 10; i++)
		if (factors[i - 1] < 90 || factors[i - 1] == 94)
			assert_non_null(built[i].cubin);
		else
			assert_null(built[i].cubin);
	assert_non_null(strstr(built[2].message, "signal 11"));
	assert_non_null(strstr(built[4].message, "longer than 20 s"));
	assert_non_null(strstr(built[6].message, "compiling"));
	assert_int_equal(screened->crashed, 1);
	assert_int_equal(screened->hung, 1);
	assert_int_equal(screened->starved, 1);
	assert_false(built[2].unlucky);
	kt_batch_close(batch);
	compile_close(&s.c);
}

static void gives_up_after_many_crashes(void **state)
{
	static const int64_t factors[] = {91, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91, 91};
	struct kt_built built[13];
	struct screen s;
	size_t compiled = 0;

	(void)state;
	SCREEN_OPEN(&s, KT_FAKE_NVRTC);
	struct kt_batch *batch = run(built, &s, source, factors, 12);
	assert_false(kt_batch_screened(batch)->nvrtc);
	assert_int_equal(kt_batch_screened(batch)->why, KT_UNSCREENED_CRASHED);
	for (size_t i = 1; i < 13; i++)
		compiled += built[i].cubin != NULL;
	assert_int_equal(compiled, 12 - kt_batch_screened(batch)->crashed);
	kt_batch_close(batch);
	compile_close(&s.c);
}

static void falls_back_to_nvcc(void **state)
{
	static const char other[] = "#ifdef __CUDACC_VER_MAJOR__\n#define STEP 1\n#endif\n",
			  rtc[] = "#ifdef __CUDACC_RTC__\n#endif\n";
	static const char host[] = "__host__ int helper() { return 1; }\n";
	static const struct {
		const char *text, *library;
		enum kt_unscreened why;
	} rows[] = {
	    {other, NULL, KT_UNSCREENED_NONE},
	    {rtc, NULL, KT_UNSCREENED_SOURCE},
	    {host, NULL, KT_UNSCREENED_REFUSED},
	    {"", "/nonexistent/libnvrtc.so", KT_UNSCREENED_UNUSABLE},
	    {"// fault-91\n", KT_FAKE_NVRTC, KT_UNSCREENED_UNUSABLE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct kt_built built[2];
		struct screen s;
		char *text;

		SCREEN_OPEN(&s, rows[i].library);
		text = kt_arena_printf(s.c.f.arena, "%s%s", rows[i].text, source);
		struct kt_batch *batch = run(built, &s, text, (int64_t[]){3}, 1);
		assert_int_equal(kt_batch_screened(batch)->why, rows[i].why);
		assert_int_equal(kt_batch_screened(batch)->nvrtc, rows[i].why == KT_UNSCREENED_NONE);
		assert_non_null(built[1].cubin);
		kt_batch_close(batch);
		compile_close(&s.c);
	}
}

/* Candidates that are added while the original is compiled: whoever compiles them, none is handed out undecided. */
static void anticipated(void **state)
{
	static const char other[] = "#ifdef _GNU_SOURCE\n#define twice(v) (twice(v) + sinf(v) * expf(v) / cosf(v))\n#endif\n";
	static const char host[] = "__host__ int helper() { return 1; }\n";
	static const struct {
		const char *text, *library;
		enum kt_unscreened why;
	} rows[] = {
	    {"", NULL, KT_UNSCREENED_NONE},
	    {other, NULL, KT_UNSCREENED_DIFFERS},
	    {host, NULL, KT_UNSCREENED_REFUSED},
	    {"", "/nonexistent/libnvrtc.so", KT_UNSCREENED_UNUSABLE},
	};

	(void)state;
	/* Half of them with nvcc's code of the original there beforehand. */
	for (size_t k = 0; k < 2 * (sizeof rows / sizeof *rows); k++) {
		const size_t i = k / 2;
		struct kt_early early = {0};
		struct kt_batch *batch = NULL;
		struct kt_built one;
		struct screen s;
		char *text;
		size_t count = 0;

		SCREEN_OPEN(&s, rows[i].library);
		/* Behind the functions that it is about. */
		char *at = strstr(source, "__global__");
		text = kt_arena_printf(s.c.f.arena, "%.*s%s%s", (int)(at - source), source, rows[i].text, at);
		s.c.f.template_.body_line += 3;
		if (k % 2 == 1) {
			assert_int_equal(kt_early_original(&early, s.c.f.arena, &s.c.compile, &s.c.f.template_, &s.c.f.instance, text,
			                                   strlen(text), KT_UNIT_CUBIN, 0, &s.c.f.err), KT_OK);
			while (!kt_proc_poll(early.proc, 1))
				;
			s.c.compile.original = &early;
		}
		assert_int_equal(kt_batch_open(&batch, &s.c.compile, &s.c.f.template_, &s.c.f.instance, text, strlen(text),
					       &s.c.f.err), KT_OK);
		kt_batch_anticipate(batch);
		assert_int_equal(kt_batch_add(batch, 0, NULL, &s.c.f.err), KT_OK);
		assert_int_equal(kt_batch_flush(batch, &s.c.f.err), KT_OK);
		for (size_t m = 0; m < 4; m++)
			assert_int_equal(kt_batch_add(batch, m + 1, (int64_t[]){64 + (int64_t)m, 3}, &s.c.f.err), KT_OK);
		assert_int_equal(kt_batch_flush(batch, &s.c.f.err), KT_OK);
		assert_true(kt_batch_next_of(&one, batch, 0, 120));
		assert_int_equal(one.ticket, 0);
		if (one.cubin == NULL)
			fail_msg("row %zu: %s", i, one.message);
		assert_false(kt_batch_next_of(&one, batch, 7, 120));
		while (kt_batch_next(&one, batch, 120)) {
			assert_non_null(one.cubin);
			assert_int_equal(one.screened, rows[i].why == KT_UNSCREENED_NONE);
			count++;
		}
		assert_int_equal(count, 4);
		assert_int_equal(kt_batch_screened(batch)->why, rows[i].why);
		assert_int_equal(early.built, k % 2 == 1);
		kt_batch_close(batch);
		kt_early_close(&early);
		compile_close(&s.c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(compiles_what_nvcc_would),
	    cmocka_unit_test(finalists_are_nvccs),
	    cmocka_unit_test(refusals_are_believed_after_a_while),
	    cmocka_unit_test(faults_cost_one_candidate),
	    cmocka_unit_test(gives_up_after_many_crashes),
	    cmocka_unit_test(falls_back_to_nvcc),
	    cmocka_unit_test(anticipated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
