#include <math.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "fixture.h"

#include "base/fs.h"
#include "tuning/compare.h"

static const char t1_text[] =
    "{\"General\": {\"BenchmarkName\": \"k\"}, \"ConfigurationSpace\": {\"TuningParameters\": ["
    "{\"Name\": \"a\", \"Type\": \"int\", \"Values\": \"[1, 2, 4]\"},"
    "{\"Name\": \"b\", \"Type\": \"int\", \"Values\": \"[0, 1]\"}],"
    "\"Conditions\": [{\"Expression\": \"a > 1 or b == 0\", \"Parameters\": [\"a\", "
    "\"b\"]}]},"
    "\"KernelSpecification\": {\"KernelName\": \"k\", \"Language\": \"CUDA\"}}";

#define RESULT(a, b, invalidity, measurements) \
	"{\"configuration\": {\"a\": " #a ", \"b\": " #b "}, \"times\": {\"runtimes\": [1, 2]}, \"invalidity\": \"" \
	invalidity "\", \"correctness\": 1, \"objectives\": [\"time\"], \"measurements\": [" measurements "]}"
#define TIME(value, unit) "{\"name\": \"time\", \"value\": " value ", \"unit\": \"" unit "\"}"

static const char t4_text[] =
    "{\"metadata\": {\"text\": \"]} \\\"results\\\"\"}, \"results\": [\n"
    RESULT(1, 0, "correct", "{\"name\": \"power\", \"value\": 9}, " TIME("4", "")) ",\n"
    RESULT(2, 0, "correct", TIME("2000", "us")) ",\n"
    RESULT(2, 0, "correct", TIME("1", "")) ",\n" /* again: the first holds */
    RESULT(2, 1, "compile", TIME("\"CompilationFailedConfig\"", "")) ",\n"
    RESULT(4, 0, "correct", TIME("1", "ms")) ",\n"
    RESULT(8, 0, "correct", TIME("0.5", "")) /* not in the space */
    "]}";

struct files {
	char folder[64], t1[96], t4[96];
	struct kt_arena *arena;
	struct kt_t1 *spec;
	struct kt_space *space;
	struct kt_error err;
};

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void open_files(struct files *f)
{
	snprintf(f->folder, sizeof f->folder, "/tmp/kt-simulate-XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->t1, sizeof f->t1, "%s/k.T1.json", f->folder);
	snprintf(f->t4, sizeof f->t4, "%s/k.T4.json", f->folder);
	f->arena = kt_arena_new((size_t)64 << 20);
	assert_non_null(f->arena);
	write_file(f->t1, t1_text, sizeof t1_text - 1);
	if (kt_t1_read(&f->spec, f->arena, f->t1, &f->err) != KT_OK || kt_t1_space(&f->space, f->spec, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
	assert_int_equal(kt_space_feasible(f->space), 5);
}

static void close_files(struct files *f)
{
	kt_space_free(f->space);
	kt_arena_free(f->arena);
	unlink(f->t1);
	unlink(f->t4);
	assert_int_equal(rmdir(f->folder), 0);
}

static struct kt_recording *read_t4(struct files *f, const void *data, size_t size)
{
	struct kt_recording *recording = NULL;

	write_file(f->t4, data, size);
	if (kt_t4_read(&recording, f->arena, f->t4, f->spec, f->space, &f->err) != KT_OK)
		fail_msg("%s", f->err.message);
	return recording;
}

static size_t at(const struct files *f, int64_t a, int64_t b)
{
	return kt_space_find(f->space, (int64_t[]){a, b});
}

static void check(const struct files *f, const struct kt_recording *r)
{
	assert_int_equal(r->count, 5);
	assert_int_equal(r->valid, 3);
	assert_int_equal(r->missing, 1);
	assert_int_equal(r->outside, 1);
	assert_true(r->best_ms == 1 && r->worst_ms == 4);
	assert_true(r->ms[at(f, 1, 0)] == 4 && fabs(r->ms[at(f, 2, 0)] - 2) < 1e-12 && r->ms[at(f, 4, 0)] == 1);
	assert_true(isinf(r->ms[at(f, 2, 1)]) && r->verdict[at(f, 2, 1)] == KT_TELL_COMPILE);
	assert_true(isinf(r->ms[at(f, 4, 1)]) && r->verdict[at(f, 4, 1)] == KT_TELL_RUNTIME);
}

static void test_read(void **state)
{
	const size_t size = sizeof t4_text - 1, half = size / 2;
	char packed[4096];
	struct files f;
	gzFile file;
	size_t first, second;

	(void)state;
	open_files(&f);
	check(&f, read_t4(&f, t4_text, size));
	file = gzopen(f.t4, "wb");
	assert_int_equal(gzwrite(file, t4_text, (unsigned)size), size);
	gzclose(file);
	struct kt_recording *recording;
	assert_int_equal(kt_t4_read(&recording, f.arena, f.t4, f.spec, f.space, &f.err), KT_OK);
	check(&f, recording);
	/* Two frames, as zstd -T0 and pzstd write them. */
	first = ZSTD_compress(packed, sizeof packed, t4_text, half, 3);
	second = ZSTD_compress(packed + first, sizeof packed - first, t4_text + half, size - half, 3);
	assert_false(ZSTD_isError(first) || ZSTD_isError(second));
	check(&f, read_t4(&f, packed, first + second));
	/* Cut off. */
	write_file(f.t4, packed, first + second - 5);
	assert_int_equal(kt_t4_read(&recording, f.arena, f.t4, f.spec, f.space, &f.err), KT_ERR_CORRUPT);
	write_file(f.t4, t4_text, size - 20);
	assert_int_equal(kt_t4_read(&recording, f.arena, f.t4, f.spec, f.space, &f.err), KT_ERR_SYNTAX);
	write_file(f.t4, "{}", 2);
	assert_int_equal(kt_t4_read(&recording, f.arena, f.t4, f.spec, f.space, &f.err), KT_ERR_SYNTAX);
	write_file(f.t4, "{\"results\": []}", 15);
	assert_int_equal(kt_t4_read(&recording, f.arena, f.t4, f.spec, f.space, &f.err), KT_ERR_INVALID);
	close_files(&f);
}

/* Times 1, 2, 4 and one invalid: all draws of two, written out, are 1 1 1 2 2 and the slowest, 4. */
static void test_baseline(void **state)
{
	double ms[] = {2, INFINITY, 1, 4};
	const struct kt_recording recording = {.count = 4, .ms = ms, .valid = 3, .best_ms = 1, .worst_ms = 4};
	struct kt_arena *arena = kt_arena_new((size_t)1 << 20);
	const double *curve = kt_simulate_baseline(arena, &recording, 4);
	double mean[5] = {0};

	(void)state;
	assert_non_null(curve);
	assert_true(fabs(curve[1] - 11.0 / 4) < 1e-12);
	assert_true(fabs(curve[2] - 11.0 / 6) < 1e-12);
	assert_true(fabs(curve[3] - (1 * 3 + 2) / 4.0) < 1e-12);
	assert_true(fabs(curve[4] - 1) < 1e-12);
	/* Random search scores 0, the optimum at once 1; the point where random search has it too is left out. */
	for (size_t n = 1; n <= 4; n++)
		mean[n] = curve[n];
	assert_true(fabs(kt_simulate_score(mean, curve, 1, 4)) < 1e-12);
	for (size_t n = 1; n <= 4; n++)
		mean[n] = 1;
	assert_true(fabs(kt_simulate_score(mean, curve, 1, 4) - 1) < 1e-12);
	kt_arena_free(arena);
}

static void test_compare(void **state)
{
	static const char traces[] = "{\"strategy\": \"oracle\", \"space\": \"k\", \"budget\": 4, \"trace\": [[1, 1]]}\n"
	                             "{\"strategy\": \"oracle\", \"space\": \"other\", \"budget\": 4, \"trace\": []}\n";
	struct kt_compare *compare;
	struct kt_recording *recording;
	struct kt_simulation run;
	struct files f;

	(void)state;
	open_files(&f);
	recording = read_t4(&f, t4_text, sizeof t4_text - 1);
	assert_int_equal(kt_simulate(&run, f.arena, f.space, recording, NULL, "random", 100, 7, &f.err), KT_OK);
	assert_int_equal(run.evaluations, 5);
	assert_true(run.best_ms == 1 && run.best[5] == 1);
	compare = kt_arena_alloc(f.arena, sizeof *compare);
	compare->arena = f.arena;
	compare->budget_count = 1;
	compare->budgets[0] = 4;
	assert_int_equal(kt_compare_add_space(compare, f.t4, f.spec, f.space, recording, &f.err), KT_OK);
	assert_int_equal(kt_compare_run(compare, "random", 4000, &f.err), KT_OK);
	assert_int_equal(kt_compare_run(compare, "lhs", 50, &f.err), KT_OK);
	/* Runs of the strategy that is the baseline: 0 but for chance. */
	assert_true(fabs(kt_compare_aggregate(compare, 0, 0)) < 0.05);
	write_file(f.t4, traces, sizeof traces - 1);
	assert_int_equal(kt_compare_traces(compare, f.t4, &f.err), KT_OK);
	assert_int_equal(compare->row_count, 3);
	assert_true(fabs(kt_compare_aggregate(compare, 2, 0) - 1) < 1e-12);
	assert_true(kt_compare_ratio(compare, 2, 0, 0) == 1);
	write_file(f.t4, "{\"strategy\": 1}\n", 16);
	assert_int_equal(kt_compare_traces(compare, f.t4, &f.err), KT_ERR_INVALID);
	assert_non_null(strstr(f.err.message, ":1"));
	close_files(&f);
}

/* The recorded spaces, where they are: what they are known to hold, and that the default finds something there. */
static void test_recorded(void **state)
{
	static const struct {
		const char *t1, *t4;
		size_t legal, valid;
		double best_ms, ratio;
	} spaces[] = {{"convolution", "convolution_A100", 4362, 4201, 0.5536000076681376, 0.8},
	              {"convolution", "convolution_MI250X", 4362, 4362, 0.6587962452322245, 0.9},
	              {"dedispersion", "dedispersion_A100", 11130, 11130, 68.1165759563446, 0.995}};
	const char *folder = getenv("KTUNE_SPACES") != NULL ? getenv("KTUNE_SPACES") : KT_SOURCE_DIR "/../shared/spaces";
	char t1_path[4096], t4_path[4096];

	(void)state;
	if (access(folder, R_OK) != 0)
		skip();
	for (size_t i = 0; i < 3; i++) {
		struct kt_arena *arena = kt_arena_new((size_t)256 << 20);
		struct kt_recording *recording = NULL;
		struct kt_simulation run;
		struct kt_space *space = NULL;
		struct kt_error err;
		struct kt_t1 *t1;

		snprintf(t1_path, sizeof t1_path, "%s/%s.T1.json", folder, spaces[i].t1);
		snprintf(t4_path, sizeof t4_path, "%s/%s.T4.json.gz", folder, spaces[i].t4);
		if (kt_t1_read(&t1, arena, t1_path, &err) != KT_OK || kt_t1_space(&space, t1, &err) != KT_OK ||
		    kt_t4_read(&recording, arena, t4_path, t1, space, &err) != KT_OK)
			fail_msg("%s", err.message);
		assert_int_equal(recording->count, spaces[i].legal);
		assert_int_equal(recording->valid, spaces[i].valid);
		assert_int_equal(recording->missing + recording->outside, 0);
		assert_true(recording->best_ms == spaces[i].best_ms);
		assert_int_equal(kt_simulate(&run, arena, space, recording, NULL, "default", 120, 1, &err), KT_OK);
		assert_int_equal(run.evaluations, 120);
		assert_true(recording->best_ms / run.best_ms >= spaces[i].ratio);
		kt_space_free(space);
		kt_arena_free(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_read),
	    cmocka_unit_test(test_baseline),
	    cmocka_unit_test(test_compare),
	    cmocka_unit_test(test_recorded),
	};
	setenv("KTUNE_PREFIX", KT_PREFIX, 1); /* Python reads expressions */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
