#include "fixture.h"

#include "base/proc.h"
#include "tuning/rng.h"

static const struct kt_device device = {
    .vendor = "NVIDIA",
    .name = "test",
    .cc = 90,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .shared_bytes_per_block = 49152,
    .shared_bytes_per_block_optin = 232448,
};

static int64_t refused(const struct kt_space *space, const char *reason)
{
	const struct kt_pruned *rows;
	const size_t count = kt_space_pruned(&rows, space);

	for (size_t i = 0; i < count; i++)
		if (strcmp(rows[i].reason, reason) == 0)
			return rows[i].count;
	return 0;
}

static void check_index(const struct kt_space *space)
{
	for (size_t i = 0; i < kt_space_feasible(space); i++)
		assert_int_equal(kt_space_find(space, kt_space_get(space, i)), i);
}

static void test_no_restriction(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "A", 1, 2, 3);
	FIXTURE_TUNE(&f, "B", -5, 70000000000, 0, 4);
	struct kt_space *space = fixture_space(&f, NULL);
	assert_int_equal(kt_space_dimensions(space), 2);
	assert_true(kt_space_cartesian(space) == 12.0);
	assert_int_equal(kt_space_legal(space), 12);
	assert_int_equal(kt_space_feasible(space), 12);
	check_index(space);
	assert_true(kt_space_find(space, (int64_t[]){1, 5}) == SIZE_MAX);
	assert_true(kt_space_find(space, (int64_t[]){3, 70000000000}) != SIZE_MAX);
	const int64_t *original = kt_space_get(space, kt_space_original(space));
	assert_int_equal(original[0], 1);
	assert_int_equal(original[1], -5);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_no_parameter(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 1);
	assert_int_equal(kt_space_find(space, (int64_t[]){0}), 0);
	assert_int_equal(kt_space_original(space), 0);
	kt_space_free(space);
	fixture_restrict(&f, "1 == 2");
	space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 0);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_contradiction(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "A", 1, 2, 3);
	FIXTURE_TUNE(&f, "B", 1, 2, 3);
	fixture_restrict(&f, "A < B");
	fixture_restrict(&f, "B < A");
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 0);
	assert_int_equal(kt_space_feasible(space), 0);
	assert_true(kt_space_original(space) == SIZE_MAX);
	assert_true(kt_space_find(space, (int64_t[]){1, 2}) == SIZE_MAX);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_evaluation_errors(void **state)
{
	static const struct {
		const char *restrictions[2];
		const char *message; /* NULL: builds */
		size_t legal;
	} rows[] = {
	    {{"8 % B == 0", NULL}, "division by zero", 0},
	    {{"8 % B == 0", "B != 0"}, NULL, 2},
	    {{"B != 0", "8 % B == 0"}, NULL, 2},
	    /* The rule that shields the division names more parameters than the division. */
	    {{"8 % B == 0", "A + B > 9 && B != 0"}, NULL, 2},
	    {{"A + C > 0", NULL}, "unknown name 'C'", 0},
	    {{"A * 9223372036854775807 > 0", NULL}, "overflow", 0},
	    {{"B == 0 || 8 / B > 1", NULL}, NULL, 6},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		struct kt_space *space = NULL;

		fixture_open(&f);
		FIXTURE_TUNE(&f, "A", 8, 9);
		FIXTURE_TUNE(&f, "B", 0, 2, 3);
		for (size_t r = 0; r < 2; r++)
			if (rows[i].restrictions[r] != NULL)
				fixture_restrict(&f, rows[i].restrictions[r]);
		kt_status status = kt_space_build(&space, &f.template_, &f.instance, NULL, &f.err);
		if (rows[i].message != NULL) {
			assert_int_equal(status, KT_ERR_INVALID);
			assert_int_equal(f.err.code, KT_ERR_INVALID);
			if (strstr(f.err.message, rows[i].message) == NULL)
				fail_msg("row %zu: %s", i, f.err.message);
		} else {
			assert_int_equal(status, KT_OK);
			assert_int_equal(kt_space_legal(space), rows[i].legal);
		}
		kt_space_free(space);
		fixture_close(&f);
	}
}

static void test_fixed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "A", 1, 2, 3);
	struct kt_parameter *fixed = FIXTURE_TUNE(&f, "B", 1, 2, 3);
	fixed->fixed = "parameter-escapes";
	fixed->original = 7; /* not even in the list */
	struct kt_space *space = fixture_space(&f, NULL);
	assert_true(kt_space_cartesian(space) == 3.0);
	assert_int_equal(kt_space_legal(space), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(kt_space_get(space, i)[1], 7);
	assert_int_equal(kt_space_get(space, kt_space_original(space))[0], 1);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_original_outside(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "A", 1, 2, 3)->original = 9;
	struct kt_space *space = fixture_space(&f, NULL);
	assert_int_equal(kt_space_legal(space), 3);
	assert_true(kt_space_original(space) == SIZE_MAX);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_device_limits(void **state)
{
	int64_t sizes[] = {1000, 4000000};
	struct fixture f;

	(void)state;
	fixture_open(&f);
	fixture_problem(&f, "n", 2, sizes);
	FIXTURE_TUNE(&f, "X", 0, 32, 1024, 2048);
	FIXTURE_TUNE(&f, "Y", 1, 2);
	FIXTURE_TUNE(&f, "S", 1, 100);
	fixture_block(&f, "X");
	fixture_block(&f, "Y");
	fixture_grid(&f, "1");
	fixture_grid(&f, "ceil_div(n, max(X, 1))");
	f.template_.shared_bytes = fixture_expr(&f, "X * S * 4");
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 16);
	assert_int_equal(refused(space, "block-empty"), 4);
	assert_int_equal(refused(space, "block"), 4);
	assert_int_equal(refused(space, "threads"), 2);
	assert_int_equal(refused(space, "grid"), 4); /* 4000000 / 32 in y, only on the second problem */
	assert_int_equal(refused(space, "shared-memory"), 1);
	assert_int_equal(kt_space_feasible(space), 1);
	assert_int_equal(kt_space_get(space, 0)[0], 1024);
	kt_space_free(space);
	space = fixture_space(&f, NULL);
	assert_int_equal(kt_space_feasible(space), 16);
	kt_space_free(space);
	fixture_close(&f);
}

/* Memory of a plan's own: what is below 0, has no value, or is beyond a part of the device's. */
static void test_temporaries(void **state)
{
	int64_t sizes[] = {1000, 4000};
	struct kt_device small = device;
	struct kt_template_temporary own[2] = {{.name = "a", .element = KT_F64}, {.name = "b", .element = KT_U8}};
	struct fixture f;

	(void)state;
	small.memory_bytes = 40000 * KT_TEMPORARY_SHARE;
	fixture_open(&f);
	fixture_problem(&f, "n", 2, sizes);
	FIXTURE_TUNE(&f, "X", 0, 1, 2, 3, 4);
	fixture_block(&f, "32");
	fixture_grid(&f, "n");
	/* Of X = 0 there is none; of 1 the second problem has 32000 + 1 bytes; of 2 too many; of 3 and 4 one is below 0. */
	own[0].count = fixture_expr(&f, "X == 3 ? 1 - X : n * X / min(X, 1)");
	own[1].count = fixture_expr(&f, "X == 4 ? -1 : X");
	f.template_.temporaries = own;
	f.template_.temporary_count = 2;
	struct kt_space *space = fixture_space(&f, &small);
	assert_int_equal(refused(space, "temporaries"), 4);
	assert_int_equal(kt_space_feasible(space), 1);
	assert_int_equal(kt_space_get(space, 0)[0], 1);
	kt_space_free(space);
	small.memory_bytes = 0;
	space = fixture_space(&f, &small);
	assert_int_equal(refused(space, "temporaries"), 3);
	kt_space_free(space);
	own[1].count = fixture_expr(&f, "9223372036854775807 - n * X");
	space = fixture_space(&f, &small);
	assert_int_equal(refused(space, "temporaries"), 5);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_guards(void **state)
{
	int64_t sizes[] = {96, 128};
	struct fixture f;

	(void)state;
	fixture_open(&f);
	fixture_problem(&f, "n", 2, sizes);
	FIXTURE_TUNE(&f, "V", 32, 64, 96, 100);
	fixture_restrict(&f, "n % V == 0"); /* 100 divides neither problem */
	fixture_block(&f, "V");
	fixture_grid(&f, "n / V - (n == 128 && V == 32)");
	fixture_guard(&f, "n > 100");
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 3);
	assert_int_equal(kt_space_feasible(space), 2);
	assert_int_equal(refused(space, "guards"), 1); /* 96: divides 96 only, which the other guard turns away */
	kt_space_free(space);
	fixture_close(&f);
}

/* A problem that the guards turn away does not restrict the geometry. */
static void test_guarded_geometry(void **state)
{
	int64_t sizes[] = {1, 4096};
	struct fixture f;

	(void)state;
	fixture_open(&f);
	fixture_problem(&f, "n", 2, sizes);
	FIXTURE_TUNE(&f, "V", 2, 4);
	fixture_block(&f, "32");
	fixture_grid(&f, "n / V");
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(refused(space, "grid-empty"), 2);
	kt_space_free(space);
	fixture_guard(&f, "n % V == 0");
	space = fixture_space(&f, &device);
	assert_int_equal(kt_space_feasible(space), 2);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_device_names(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "X", 16, 32, 48, 64);
	fixture_restrict(&f, "X % device.warp_size == 0");
	struct kt_space *space = fixture_space(&f, &device);
	assert_int_equal(kt_space_legal(space), 2);
	kt_space_free(space);
	space = fixture_space(&f, NULL);
	assert_int_equal(kt_space_legal(space), 4);
	kt_space_free(space);
	fixture_close(&f);
}

/* Random linear restrictions over random domains, counted by walking the product. */
struct line {
	int64_t factors[5], most;
	int relation;
};

static bool line_holds(const struct line *line, const int64_t *values, size_t dimensions)
{
	int64_t sum = 0;

	for (size_t p = 0; p < dimensions; p++)
		sum += line->factors[p] * values[p];
	return line->relation == 0 ? sum <= line->most : line->relation == 1 ? sum % 3 != 0 : sum > line->most;
}

static void brute_force_round(uint64_t seed)
{
	static const char *const names[] = {"A", "B", "C", "D", "E"};
	struct line lines[4];
	struct fixture f;
	struct kt_rng rng;
	size_t dimensions, line_count, legal = 0, counts[5] = {0}, cursor[5] = {0};
	int64_t values[5] = {0};

	kt_rng_seed(&rng, seed);
	fixture_open(&f);
	dimensions = 1 + kt_rng_below(&rng, 5);
	line_count = kt_rng_below(&rng, 5);
	for (size_t p = 0; p < dimensions; p++) {
		int64_t domain[7];

		counts[p] = 1 + kt_rng_below(&rng, 7);
		for (size_t i = 0; i < counts[p]; i++)
			domain[i] = (int64_t)(i * (1 + kt_rng_below(&rng, 2)) + 7 * i) - 10;
		fixture_tune(&f, names[p], counts[p], domain);
	}
	for (size_t r = 0; r < line_count; r++) {
		struct kt_buf text = KT_BUF(512);
		static const char *const ends[] = {"<=", "% 3 != 0", ">"};

		lines[r].relation = (int)kt_rng_below(&rng, 3);
		lines[r].most = (int64_t)kt_rng_below(&rng, 80) - 20;
		kt_buf_adds(&text, "(0");
		for (size_t p = 0; p < dimensions; p++) {
			lines[r].factors[p] = (int64_t)kt_rng_below(&rng, 2) * ((int64_t)kt_rng_below(&rng, 5) - 2);
			if (lines[r].factors[p] != 0)
				kt_buf_addf(&text, " + %lld * %s", (long long)lines[r].factors[p], names[p]);
		}
		kt_buf_addf(&text, ") %s", ends[lines[r].relation]);
		if (lines[r].relation != 1)
			kt_buf_addf(&text, " %lld", (long long)lines[r].most);
		fixture_restrict(&f, kt_arena_strdup(f.arena, kt_buf_text(&text)));
		kt_buf_free(&text);
	}
	struct kt_space *space = fixture_space(&f, NULL);
	for (bool more = true; more;) {
		bool holds = true;

		for (size_t p = 0; p < dimensions; p++)
			values[p] = f.parameters[p].values[cursor[p]];
		for (size_t r = 0; r < line_count; r++)
			holds = holds && line_holds(&lines[r], values, dimensions);
		legal += holds;
		assert_int_equal(kt_space_find(space, values) != SIZE_MAX, holds);
		more = false;
		for (size_t p = 0; p < dimensions && !more; p++) {
			cursor[p] = (cursor[p] + 1) % counts[p];
			more = cursor[p] != 0;
		}
	}
	assert_int_equal(kt_space_legal(space), legal);
	check_index(space);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_brute_force(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++)
		brute_force_round(seed);
}

/* Random expressions with every operator, judged by the evaluator of base/expr.h on each point of the product. */
struct point {
	const char *const *names;
	const int64_t *values;
	size_t dimensions;
};

static bool point_lookup(int64_t *value, const char *name, void *context)
{
	const struct point *point = context;

	for (size_t p = 0; p < point->dimensions; p++) {
		if (strcmp(point->names[p], name) == 0) {
			*value = point->values[p];
			return true;
		}
	}
	return false;
}

static void random_expr(struct kt_buf *out, struct kt_rng *rng, const char *const *names, size_t dimensions, int depth)
{
	static const char *const binary[] = {"+", "-", "*", "/", "%", "<<", ">>", "&", "^", "|", "<", "<=", ">", ">=",
					     "==", "!=", "&&", "||", "*", "+", "/", "%"};
	const uint64_t form = depth == 0 ? 0 : kt_rng_below(rng, 10);

	if (form < 3) {
		if (kt_rng_below(rng, 3) == 0)
			kt_buf_addf(out, "%lld", (long long)kt_rng_below(rng, 9) - 1);
		else
			kt_buf_adds(out, names[kt_rng_below(rng, dimensions)]);
		return;
	}
	kt_buf_adds(out, form < 7 ? "(" : form == 7 ? "min(" : form == 8 ? "ceil_div(" : "(!");
	random_expr(out, rng, names, dimensions, depth - 1);
	if (form < 7)
		kt_buf_addf(out, " %s ", binary[kt_rng_below(rng, sizeof binary / sizeof *binary)]);
	else
		kt_buf_adds(out, form < 9 ? ", " : " ? 1 : ");
	random_expr(out, rng, names, dimensions, depth - 1);
	kt_buf_addc(out, ')');
}

/* Does the space say of this point what the expressions say? */
static void check_point(struct fixture *f, const struct kt_space *space, const struct point *point, bool *may_fail)
{
	size_t rejected = 0, undecided = 0;

	for (size_t r = 0; r < f->template_.restriction_count; r++) {
		struct kt_error ignored;
		int64_t value = 0;

		if (kt_expr_eval(&value, f->restrictions[r].expr, point_lookup, (void *)(uintptr_t)point, &ignored) !=
		    KT_OK)
			undecided++;
		else
			rejected += value == 0;
	}
	*may_fail = *may_fail || (rejected == 0 && undecided > 0);
	if (space != NULL)
		assert_int_equal(kt_space_find(space, point->values) != SIZE_MAX, rejected == 0);
}

static void random_round(uint64_t seed, size_t *built)
{
	static const char *const names[] = {"A", "B", "C", "D"};
	size_t dimensions, cursor[4] = {0};
	struct kt_space *space = NULL;
	struct fixture f;
	struct kt_rng rng;
	int64_t values[4];
	bool more = true, may_fail = false;
	kt_status status;

	kt_rng_seed(&rng, seed);
	fixture_open(&f);
	dimensions = 1 + kt_rng_below(&rng, 4);
	for (size_t p = 0; p < dimensions; p++) {
		const size_t count = 1 + kt_rng_below(&rng, 6);
		int64_t domain[6], next = 1 - (int64_t)(seed % 3) * 2;

		for (size_t i = 0; i < count; i++)
			domain[i] = next += 1 + (int64_t)kt_rng_below(&rng, 4);
		fixture_tune(&f, names[p], count, domain);
	}
	for (size_t r = 0; r < 1 + seed % 4; r++) {
		struct kt_buf text = KT_BUF(4096);

		/* The bracket keeps a conjunction in one piece: its parts would shield one another. */
		kt_buf_adds(&text, "0 != ");
		random_expr(&text, &rng, names, dimensions, 1 + (int)kt_rng_below(&rng, 4));
		fixture_restrict(&f, kt_arena_strdup(f.arena, kt_buf_text(&text)));
		kt_buf_free(&text);
	}
	status = kt_space_build(&space, &f.template_, &f.instance, NULL, &f.err);
	*built += status == KT_OK;
	while (more) {
		for (size_t p = 0; p < dimensions; p++)
			values[p] = f.parameters[p].values[cursor[p]];
		check_point(&f, status == KT_OK ? space : NULL, &(struct point){names, values, dimensions}, &may_fail);
		more = false;
		for (size_t p = 0; p < dimensions && !more; p++) {
			cursor[p] = (cursor[p] + 1) % f.parameters[p].value_count;
			more = cursor[p] != 0;
		}
	}
	if (may_fail != (status == KT_ERR_INVALID))
		fail_msg("seed %llu: %s", (unsigned long long)seed, status == KT_OK ? "builds" : f.err.message);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_random_expressions(void **state)
{
	size_t built = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 4000; seed++)
		random_round(seed, &built);
	print_message("%zu of 4000 spaces build\n", built);
	assert_true(built > 1000 && built < 4000);
}

static void test_large(void **state)
{
	static const char *const names[] = {"A", "B", "C", "D", "E", "F", "G"};
	struct fixture f;
	size_t legal = 0;

	(void)state;
	fixture_open(&f);
	for (size_t p = 0; p < 7; p++)
		FIXTURE_TUNE(&f, names[p], 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	fixture_restrict(&f, "A * B <= 12");
	fixture_restrict(&f, "C % B == 0");
	fixture_restrict(&f, "D * E * F < 20");
	fixture_restrict(&f, "A + D == G");
	for (int64_t a = 1; a <= 10; a++)
		for (int64_t b = 1; b <= 10; b++)
			for (int64_t c = 1; c <= 10; c++)
				for (int64_t d = 1; d <= 10; d++)
					for (int64_t e = 1; e <= 10; e++)
						for (int64_t g = 1; g <= 10; g++)
							legal += a * b <= 12 && c % b == 0 && d * e * g < 20 && a + d <= 10;
	const double started_s = kt_now_s();
	struct kt_space *space = fixture_space(&f, NULL);
	const double took_s = kt_now_s() - started_s;
	assert_true(kt_space_cartesian(space) == 1e7);
	assert_int_equal(kt_space_legal(space), legal);
	print_message("1e7 points, %zu legal: %.1f ms\n", legal, 1e3 * took_s);
	assert_true(took_s < 1.0);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_limits(void **state)
{
	struct fixture f;
	struct kt_space *space = NULL;
	char names[16][4];
	int64_t *many;

	(void)state;
	fixture_open(&f);
	for (size_t p = 0; p < 16; p++) {
		snprintf(names[p], sizeof names[p], "P%zu", p);
		FIXTURE_TUNE(&f, names[p], 1, 2, 3, 4, 5, 6, 7, 8);
	}
	assert_int_equal(kt_space_build(&space, &f.template_, &f.instance, NULL, &f.err), KT_ERR_LIMIT);
	fixture_close(&f);
	fixture_open(&f);
	many = calloc(65537, sizeof *many);
	assert_non_null(many);
	for (int64_t i = 0; i < 65537; i++)
		many[i] = 65537 - i;
	fixture_tune(&f, "A", 65537, many);
	assert_int_equal(kt_space_build(&space, &f.template_, &f.instance, NULL, &f.err), KT_ERR_LIMIT);
	f.parameters[0].value_count = 65536;
	space = fixture_space(&f, NULL);
	assert_int_equal(kt_space_legal(space), 65536);
	check_index(space);
	kt_space_free(space);
	free(many);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_restriction),  cmocka_unit_test(test_no_parameter),
	    cmocka_unit_test(test_contradiction),   cmocka_unit_test(test_evaluation_errors),
	    cmocka_unit_test(test_fixed),           cmocka_unit_test(test_original_outside),
	    cmocka_unit_test(test_device_limits),   cmocka_unit_test(test_temporaries),
	    cmocka_unit_test(test_guards),
	    cmocka_unit_test(test_guarded_geometry), cmocka_unit_test(test_device_names),
	    cmocka_unit_test(test_brute_force),     cmocka_unit_test(test_large),
	    cmocka_unit_test(test_limits),	    cmocka_unit_test(test_random_expressions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
