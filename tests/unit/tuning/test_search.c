#include "fixture.h"

#include <math.h>

#include "tuning/rng.h"
#include "tuning/search.h"

static struct kt_space *open_space(struct fixture *f)
{
	fixture_open(f);
	FIXTURE_TUNE(f, "A", 1, 2, 3, 4, 5, 6, 7, 8);
	FIXTURE_TUNE(f, "B", 1, 2, 3, 4, 5, 6, 7, 8);
	fixture_restrict(f, "A <= B");
	return fixture_space(f, NULL);
}

static size_t run(size_t *order, const char *strategy, const struct kt_space *space, uint64_t seed, size_t step)
{
	struct kt_search *search = NULL;
	struct kt_error err;
	size_t asked = 0, got;

	assert_int_equal(kt_search_open(&search, strategy, space, seed, &err), KT_OK);
	while ((got = kt_search_ask(order + asked, step, search)) > 0) {
		assert_true(got <= step);
		for (size_t i = 0; i < got; i++)
			kt_search_tell(search, order[asked + i], i % 2 == 0 ? 1.0 : (double)INFINITY);
		asked += got;
		assert_true(asked <= kt_space_feasible(space));
	}
	kt_search_close(search);
	return asked;
}

static void test_every_index_once(void **state)
{
	const struct kt_strategy *const *rows;
	struct fixture f;
	struct kt_space *space = open_space(&f);

	(void)state;
	assert_int_equal(kt_space_feasible(space), 36);
	for (size_t s = 0; s < kt_strategies(&rows); s++) {
		for (size_t step = 1; step < 40; step += 6) {
			bool seen[36] = {false};
			size_t order[80];

			assert_int_equal(run(order, rows[s]->name, space, 5, step), 36);
			for (size_t i = 0; i < 36; i++) {
				assert_true(order[i] < 36);
				assert_false(seen[order[i]]);
				seen[order[i]] = true;
			}
		}
	}
	kt_space_free(space);
	fixture_close(&f);
}

static void test_seeds(void **state)
{
	size_t a[80], b[80], c[80];
	struct fixture f;
	struct kt_space *space = open_space(&f);

	(void)state;
	run(a, "random", space, 42, 3);
	run(b, "random", space, 42, 7);
	run(c, "random", space, 43, 3);
	assert_memory_equal(a, b, 36 * sizeof *a);
	assert_memory_not_equal(a, c, 36 * sizeof *a);
	kt_space_free(space);
	fixture_close(&f);
}

/* The first draw must be uniform: each index about as often as any other. */
static void test_uniform(void **state)
{
	size_t counts[36] = {0}, first;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	struct kt_error err;

	(void)state;
	for (uint64_t seed = 0; seed < 36000; seed++) {
		struct kt_search *search = NULL;

		assert_int_equal(kt_search_open(&search, "random", space, seed, &err), KT_OK);
		assert_int_equal(kt_search_ask(&first, 1, search), 1);
		counts[first]++;
		kt_search_close(search);
	}
	for (size_t i = 0; i < 36; i++)
		assert_in_range(counts[i], 850, 1150);
	kt_space_free(space);
	fixture_close(&f);
}

/* What an earlier run measured is told first and is not asked again. */
static void test_resume(void **state)
{
	const struct kt_strategy *const *rows;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	struct kt_error err;

	(void)state;
	for (size_t s = 0; s < kt_strategies(&rows); s++) {
		struct kt_search *search = NULL;
		size_t order[80], got;

		assert_int_equal(kt_search_open(&search, rows[s]->name, space, 9, &err), KT_OK);
		for (size_t i = 0; i < 36; i += 3)
			kt_search_tell(search, i, 1.0);
		kt_search_tell(search, 1000000, 1.0); /* from another space */
		got = kt_search_ask(order, 80, search);
		assert_int_equal(got, 24);
		for (size_t i = 0; i < got; i++)
			assert_int_not_equal(order[i] % 3, 0);
		assert_int_equal(kt_search_ask(order, 80, search), 0);
		kt_search_close(search);
	}
	kt_space_free(space);
	fixture_close(&f);
}

static void test_unknown(void **state)
{
	struct fixture f;
	struct kt_space *space = open_space(&f);
	struct kt_search *search = NULL;
	struct kt_error err;

	(void)state;
	assert_null(kt_strategy_find("nothing"));
	assert_int_equal(kt_search_open(&search, "nothing", space, 0, &err), KT_ERR_INVALID);
	assert_non_null(strstr(err.message, "exhaustive"));
	kt_search_close(NULL);
	kt_space_free(space);
	fixture_close(&f);
}

/* Known outputs of both generators: a slip in a shift or a constant would change them. */
static void test_rng(void **state)
{
	struct kt_rng rng = {{1, 2, 3, 4}};

	(void)state;
	assert_true(kt_rng_next(&rng) == UINT64_C(11520));
	assert_true(kt_rng_next(&rng) == 0);
	assert_true(kt_rng_next(&rng) == UINT64_C(1509978240));
	assert_true(kt_rng_next(&rng) == UINT64_C(1215971899390074240));
	kt_rng_seed(&rng, 0);
	assert_true(rng.state[0] == UINT64_C(0xe220a8397b1dcdaf));
	for (int i = 0; i < 1000; i++) {
		const double d = kt_rng_double(&rng);

		assert_true(kt_rng_below(&rng, 1) == 0);
		assert_true(d >= 0 && d < 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_index_once), cmocka_unit_test(test_seeds), cmocka_unit_test(test_uniform),
	    cmocka_unit_test(test_resume),           cmocka_unit_test(test_unknown), cmocka_unit_test(test_rng),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
