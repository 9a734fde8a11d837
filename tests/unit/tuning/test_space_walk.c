/* Moving about in a space, against lists made by hand from it. */
#include "fixture.h"

/* A space whose restrictions tie parameters together, one of them alone, and one not at all. */
static struct kt_space *open_space(struct fixture *f, uint64_t seed)
{
	struct kt_rng rng;

	kt_rng_seed(&rng, seed);
	fixture_open(f);
	FIXTURE_TUNE(f, "A", 16, 8, 4, 2, 1, 32);
	FIXTURE_TUNE(f, "B", 1, 2, 3, 4, 5, 6, 7);
	FIXTURE_TUNE(f, "C", 0, 1);
	FIXTURE_TUNE(f, "D", -3, 0, 3, 9);
	FIXTURE_TUNE(f, "E", 5, 70000000000, 6);
	for (size_t r = 0; r < 3; r++) {
		static const char *const texts[] = {"A * B <= 40", "C == 0 || A % 4 == 0", "D + B < 9", "B % 3 != 2",
						    "A * D != 9 && B != 5", "min(A, B) > C", "B * B <= A || D > 0"};

		fixture_restrict(f, texts[kt_rng_below(&rng, sizeof texts / sizeof *texts)]);
	}
	return fixture_space(f, NULL);
}

static void test_rows(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct fixture f;
		struct kt_space *space = open_space(&f, seed);
		const size_t count = kt_space_feasible(space), dimensions = kt_space_dimensions(space);

		assert_true(count > 0);
		for (size_t i = 0; i < count; i++) {
			const int64_t *values = kt_space_get(space, i);
			uint16_t row[KT_PARAMETERS];

			kt_space_row(row, space, i);
			assert_int_equal(kt_space_at(space, row), i);
			assert_int_equal(kt_space_find(space, values), i);
			for (size_t p = 0; p < dimensions; p++) {
				assert_int_equal(kt_space_value(space, p, row[p]), values[p]);
				assert_int_equal(kt_space_rank(space, p, values[p]), row[p]);
			}
			row[0] = 6;
			assert_true(kt_space_at(space, row) == SIZE_MAX);
		}
		for (size_t p = 0; p < dimensions; p++) {
			assert_true(kt_space_ordered(space, p));
			for (size_t rank = 1; rank < kt_space_values(space, p); rank++)
				assert_true(kt_space_value(space, p, rank - 1) < kt_space_value(space, p, rank));
		}
		kt_space_free(space);
		fixture_close(&f);
	}
}

/* The dimension in which two rows differ; SIZE_MAX when it is not exactly one. */
static size_t only_difference(const uint16_t *a, const uint16_t *b, size_t dimensions)
{
	size_t found = SIZE_MAX, count = 0;

	for (size_t p = 0; p < dimensions; p++) {
		if (a[p] != b[p]) {
			found = p;
			count++;
		}
	}
	return count == 1 ? found : SIZE_MAX;
}

static bool between(uint16_t low, uint16_t middle, uint16_t high)
{
	return (low < middle && middle < high) || (high < middle && middle < low);
}

static void check_neighbours(const struct kt_space *space, size_t index, enum kt_neighbourhood neighbourhood)
{
	const size_t dimensions = kt_space_dimensions(space), count = kt_space_feasible(space);
	size_t found[64], expected = 0, most = kt_space_neighbours_most(space), got;
	uint16_t own[KT_PARAMETERS], other[KT_PARAMETERS], third[KT_PARAMETERS];

	assert_true(most <= 64);
	got = kt_space_neighbours(found, space, index, neighbourhood);
	kt_space_row(own, space, index);
	for (size_t j = 0; j < count; j++) {
		bool wanted, listed = false;
		size_t p;

		kt_space_row(other, space, j);
		p = only_difference(own, other, dimensions);
		wanted = p != SIZE_MAX;
		for (size_t k = 0; wanted && neighbourhood == KT_NEIGHBOUR_ADJACENT && k < count; k++) {
			kt_space_row(third, space, k);
			if (only_difference(own, third, dimensions) == p && between(own[p], third[p], other[p]))
				wanted = false;
		}
		for (size_t k = 0; k < got; k++)
			listed = listed || found[k] == j;
		assert_int_equal(listed, wanted);
		expected += wanted;
	}
	assert_int_equal(got, expected);
}

static void test_neighbours(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct fixture f;
		struct kt_space *space = open_space(&f, seed);

		for (size_t i = 0; i < kt_space_feasible(space); i += 17) {
			check_neighbours(space, i, KT_NEIGHBOUR_HAMMING);
			check_neighbours(space, i, KT_NEIGHBOUR_ADJACENT);
		}
		kt_space_free(space);
		fixture_close(&f);
	}
}

static double distance(const struct kt_space *space, const uint16_t *a, const uint16_t *b)
{
	double sum = 0;

	for (size_t p = 0; p < kt_space_dimensions(space); p++)
		if (a[p] != b[p])
			sum += 1 + abs((int)a[p] - (int)b[p]) / (double)kt_space_values(space, p);
	return sum;
}

static void test_nearest(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fixture f;
		struct kt_space *space = open_space(&f, seed);
		struct kt_rng rng;

		kt_rng_seed(&rng, seed);
		for (size_t round = 0; round < 30; round++) {
			uint16_t wanted[KT_PARAMETERS] = {0}, row[KT_PARAMETERS];
			double least = 1e9, got;
			size_t index;

			for (size_t p = 0; p < kt_space_dimensions(space); p++)
				wanted[p] = (uint16_t)kt_rng_below(&rng, kt_space_values(space, p));
			for (size_t i = 0; i < kt_space_feasible(space); i++) {
				kt_space_row(row, space, i);
				got = distance(space, wanted, row);
				least = got < least ? got : least;
			}
			index = kt_space_nearest(space, wanted);
			assert_true(index < kt_space_feasible(space));
			kt_space_row(row, space, index);
			got = distance(space, wanted, row);
			assert_true(got < least + 1e-4);
			if (kt_space_at(space, wanted) != SIZE_MAX)
				assert_int_equal(index, kt_space_at(space, wanted));
		}
		kt_space_free(space);
		fixture_close(&f);
	}
}

static void test_empty(void **state)
{
	const uint16_t row[2] = {0, 0};
	struct fixture f;
	struct kt_space *space;

	(void)state;
	fixture_open(&f);
	FIXTURE_TUNE(&f, "A", 1, 2);
	FIXTURE_TUNE(&f, "B", 1, 2);
	fixture_restrict(&f, "A > 2");
	space = fixture_space(&f, NULL);
	assert_true(kt_space_nearest(space, row) == SIZE_MAX);
	assert_true(kt_space_at(space, row) == SIZE_MAX);
	kt_space_free(space);
	fixture_close(&f);
}

/* The least set: without any of its members something would be legal. */
static void test_conflict(void **state)
{
	static const struct {
		const char *restrictions[4];
		size_t conflict[4], count;
	} rows[] = {
	    {{"A < B", "B < A", "A != 9", NULL}, {0, 1}, 2},
	    {{"A != 9", "A * B > 100", "B > 0", NULL}, {1}, 1},
	    {{"A < B", "B < C", "C < A", "A > 0"}, {0, 1, 2}, 3},
	    {{"A < 3", "B < 3", NULL, NULL}, {0}, 0},
	    {{"A == 1 && B == 2", "A == 2", "B == 1", NULL}, {0, 2}, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		struct kt_space *space;
		const size_t *conflict;

		fixture_open(&f);
		FIXTURE_TUNE(&f, "A", 1, 2, 3);
		FIXTURE_TUNE(&f, "B", 1, 2, 3);
		FIXTURE_TUNE(&f, "C", 1, 2, 3);
		for (size_t r = 0; r < 4 && rows[i].restrictions[r] != NULL; r++)
			fixture_restrict(&f, rows[i].restrictions[r]);
		space = fixture_space(&f, NULL);
		assert_int_equal(kt_space_conflict(&conflict, space), rows[i].count);
		for (size_t c = 0; c < rows[i].count; c++)
			assert_int_equal(conflict[c], rows[i].conflict[c]);
		kt_space_free(space);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),   cmocka_unit_test(test_neighbours), cmocka_unit_test(test_nearest),
	    cmocka_unit_test(test_empty),      cmocka_unit_test(test_conflict),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
