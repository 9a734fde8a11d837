/* What earlier tunings tell a search: nothing, the truth, the truth under other names, nonsense, and lies. */
#include "fixture.h"

#include <math.h>

#include "tuning/prior.h"
#include "tuning/search.h"

#define ROWS_MOST 512
#define SEEDS 31

static const struct kt_prior_column own[] = {{"BLOCK", KT_KIND_BLOCK_X}, {"ITEMS", KT_KIND_ITEMS_X},
                                             {"VEC", KT_KIND_VECTOR}, {"UNROLL", KT_KIND_UNROLL}};
/* The same kinds, as another generator calls them and in another order. */
static const struct kt_prior_column others[] = {{"unroll_factor", KT_KIND_UNROLL}, {"wide", KT_KIND_VECTOR},
                                                {"block_size_x", KT_KIND_BLOCK_X}, {"tile_size_x", KT_KIND_ITEMS_X}};
static const struct kt_prior_column strange[] = {{"p", KT_KIND_OTHER}, {"q", KT_KIND_TEAM}, {"r", KT_KIND_PADDING},
                                                 {"s", KT_KIND_OTHER}};

static struct kt_space *open_space(struct fixture *f)
{
	fixture_open(f);
	FIXTURE_TUNE(f, "BLOCK", 32, 64, 128, 256, 512, 1024);
	FIXTURE_TUNE(f, "ITEMS", 1, 2, 4, 8);
	FIXTURE_TUNE(f, "VEC", 1, 2, 4);
	FIXTURE_TUNE(f, "UNROLL", 1, 2, 4, 8);
	fixture_restrict(f, "BLOCK * ITEMS <= 4096");
	return fixture_space(f, NULL);
}

/* Best where a block has 1024 items; shift: another device wants so many doublings more of them. */
static double cost_of(const int64_t *v, double shift)
{
	const double off = log2((double)(v[0] * v[1])) - 10 - shift, wide = v[2] == 4 ? 1 : v[2] == 2 ? 1.2 : 1.6;

	return (1 + 0.3 * off * off) * wide * (1 + 0.1 * fabs(log2((double)v[3]) - 2)) * (v[0] > 512 ? 1.3 : 1);
}

enum lie { TRUTH, INVERTED, CONSTANT, SAME_ROW, NOT_NUMBERS, HUGE_VALUES, LIES };

struct told {
	struct kt_prior_source source;
	int64_t values[ROWS_MOST * 4];
	double costs[ROWS_MOST];
};

/* All configurations of the space, in the order of `columns`: place[c] is the dimension of column c. */
static void tell(struct told *out, const struct kt_space *space, const struct kt_prior_column *columns,
                 const size_t *place, double shift, enum lie lie)
{
	const double specials[] = {NAN, 0, -1, INFINITY};

	out->source = (struct kt_prior_source){"elsewhere", true, 4, kt_space_feasible(space), columns, out->values, out->costs};
	assert_true(out->source.row_count <= ROWS_MOST);
	for (size_t i = 0; i < out->source.row_count; i++) {
		const int64_t *v = kt_space_get(space, lie == SAME_ROW ? 0 : i);
		const double cost = cost_of(v, shift);

		for (size_t c = 0; c < 4; c++)
			out->values[i * 4 + c] = lie == HUGE_VALUES ? (i % 2 == 0 ? INT64_MIN : INT64_MAX) : v[place[c]];
		out->costs[i] = lie == INVERTED ? 1 / cost : lie == CONSTANT ? 3 : lie == NOT_NUMBERS ? specials[i % 4] : cost;
	}
}

static const size_t in_order[] = {0, 1, 2, 3}, turned[] = {3, 2, 0, 1};

static struct kt_prior *open_prior(const struct kt_space *space, const struct kt_prior_source *sources, size_t count)
{
	struct kt_prior *prior = NULL;
	struct kt_error err;

	assert_int_equal(kt_prior_open(&prior, space, own, sources, count, &err), KT_OK);
	return prior;
}

/* How many evaluations it takes until the cost is within 2 % of the least, the median over seeds. */
static size_t evaluations(const struct kt_space *space, struct kt_prior *prior)
{
	size_t counts[SEEDS];
	double least = INFINITY;

	for (size_t i = 0; i < kt_space_feasible(space); i++)
		least = fmin(least, cost_of(kt_space_get(space, i), 0));
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct kt_search *search;
		struct kt_error err;
		size_t index, n = 0, at;
		double cost;

		assert_int_equal(kt_search_open(&search, "default", space, seed, 0, &err), KT_OK);
		kt_search_know(search, prior);
		do {
			assert_int_equal(kt_search_ask(&index, 1, search), 1);
			cost = cost_of(kt_space_get(space, index), 0);
			kt_search_tell(search, index, cost);
			n++;
		} while (cost > 1.02 * least);
		kt_search_close(search);
		for (at = seed; at > 0 && counts[at - 1] > n; at--)
			counts[at] = counts[at - 1];
		counts[at] = n;
	}
	return counts[SEEDS / 2];
}

static void test_nothing(void **state)
{
	static struct told told;
	struct fixture f;
	struct kt_space *space = open_space(&f);

	(void)state;
	assert_null(open_prior(space, NULL, 0));
	tell(&told, space, own, in_order, 0, TRUTH);
	told.source.row_count = 2;
	assert_null(open_prior(space, &told.source, 1));
	told.source.row_count = 0;
	assert_null(open_prior(space, &told.source, 1));
	tell(&told, space, strange, in_order, 0, TRUTH);
	assert_null(open_prior(space, &told.source, 1));
	kt_space_free(space);
	fixture_close(&f);
}

/* Knowledge of an equal kernel, of a similar one and under other names: far fewer evaluations. */
static void test_truth(void **state)
{
	static struct told told;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	const size_t alone = evaluations(space, NULL);

	(void)state;
	assert_true(alone >= 8);
	for (int shift = 0; shift < 2; shift++)
		for (int names = 0; names < 2; names++) {
			struct kt_prior *prior;

			tell(&told, space, names == 0 ? own : others, names == 0 ? in_order : turned, 0.4 * shift, TRUTH);
			prior = open_prior(space, &told.source, 1);
			assert_non_null(prior);
			assert_int_equal(kt_prior_count(prior), 1);
			assert_string_equal(kt_prior_label(prior, 0), "elsewhere");
			assert_true(2 * evaluations(space, prior) <= alone);
			kt_prior_close(prior);
		}
	kt_space_free(space);
	fixture_close(&f);
}

/* What it expects is in the order of what was measured there, and the nearest configuration is the best one. */
static void test_expect(void **state)
{
	static struct told told;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	struct kt_prior *prior;
	size_t best = 0, right = 0, pairs = 0;

	(void)state;
	tell(&told, space, others, turned, 0, TRUTH);
	prior = open_prior(space, &told.source, 1);
	for (size_t i = 0; i < kt_space_feasible(space); i++) {
		const double cost = cost_of(kt_space_get(space, i), 0);

		best = cost < cost_of(kt_space_get(space, best), 0) ? i : best;
		for (size_t j = 0; j < i; j++, pairs++) {
			const float a = *kt_prior_expect(prior, i), b = *kt_prior_expect(prior, j);

			right += (a < b) == (cost < cost_of(kt_space_get(space, j), 0));
		}
	}
	assert_true((double)right > 0.93 * (double)pairs);
	assert_int_equal(kt_prior_nearest(prior, 0, 0), best);
	assert_int_equal(kt_prior_nearest(prior, 0, 1000), SIZE_MAX);
	kt_prior_close(prior);
	kt_space_free(space);
	fixture_close(&f);
}

/* The best is still found; nonsense costs few evaluations. */
static void test_lies(void **state)
{
	static struct told told;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	const size_t alone = evaluations(space, NULL);

	(void)state;
	for (enum lie lie = TRUTH; lie < LIES; lie++) {
		struct kt_prior *prior;

		tell(&told, space, own, in_order, 0, lie);
		prior = open_prior(space, &told.source, 1);
		assert_true(evaluations(space, prior) <= alone + 12);
		kt_prior_close(prior);
	}
	kt_space_free(space);
	fixture_close(&f);
}

/* The weight of the truth rises above where it starts, that of a lie falls to nothing, also beside the truth. */
static void test_belief(void **state)
{
	static struct told truth, lie;
	struct fixture f;
	struct kt_space *space = open_space(&f);
	struct kt_prior_source sources[2];
	struct kt_belief belief;
	struct kt_prior *prior;
	size_t indices[24];
	double values[24], columns[KT_BELIEF_COLUMNS * 24];

	(void)state;
	tell(&truth, space, own, in_order, 0, TRUTH);
	tell(&lie, space, own, in_order, 0, INVERTED);
	sources[0] = lie.source;
	sources[1] = truth.source;
	prior = open_prior(space, sources, 2);
	kt_belief_start(&belief, prior);
	assert_int_equal(belief.count, 2);
	assert_true(fabs(belief.weights[0] - 0.4) < 1e-9 && fabs(belief.weights[1] - 0.4) < 1e-9);
	for (size_t i = 0; i < 24; i++) {
		indices[i] = (i * 37) % kt_space_feasible(space);
		values[i] = 2 * log(cost_of(kt_space_get(space, indices[i]), 0));
	}
	kt_belief_columns(columns, prior, indices, values, 24);
	kt_belief_fit(&belief, prior, columns, 24, 2);
	assert_true(belief.weights[0] < 0.05);
	assert_true(belief.weights[1] > 1 && belief.weights[1] <= 2.5);
	kt_prior_close(prior);
	prior = open_prior(space, sources, 1);
	kt_belief_columns(columns, prior, indices, values, 24);
	kt_belief_fit(&belief, prior, columns, 24, 2);
	assert_true(belief.weights[0] == 0);
	kt_prior_close(prior);
	kt_space_free(space);
	fixture_close(&f);
}

/* Most sources that are used, a space too large for a memory of what is expected, and asking before anything is told. */
static void test_limits(void **state)
{
	static struct told told;
	struct kt_prior_source sources[KT_PRIOR_SOURCES + 2];
	struct fixture f;
	struct kt_space *space = open_space(&f), *large;
	struct kt_search *search;
	struct kt_prior *prior;
	size_t asked[40];

	(void)state;
	tell(&told, space, own, in_order, 0, TRUTH);
	for (size_t s = 0; s < KT_PRIOR_SOURCES + 2; s++)
		sources[s] = told.source;
	prior = open_prior(space, sources, KT_PRIOR_SOURCES + 2);
	assert_int_equal(kt_prior_count(prior), KT_PRIOR_SOURCES);
	kt_prior_close(prior);
	FIXTURE_TUNE(&f, "A", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
	FIXTURE_TUNE(&f, "B", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
	large = fixture_space(&f, NULL);
	{
		const struct kt_prior_column columns[] = {own[0], own[1], own[2], own[3], {"A", KT_KIND_OTHER},
		                                          {"B", KT_KIND_OTHER}};
		struct kt_error err;

		assert_int_equal(kt_prior_open(&prior, large, columns, sources, KT_PRIOR_SOURCES, &err), KT_OK);
		assert_int_equal(kt_search_open(&search, "default", large, 1, 0, &err), KT_OK);
	}
	kt_search_know(search, prior);
	assert_int_equal(kt_search_ask(asked, 40, search), 40);
	/* Every other one is what is known, so that the others tell whether it is true. */
	assert_true(cost_of(kt_space_get(large, asked[0]), 0) < 1.25);
	for (size_t i = 0; i < 40; i++)
		kt_search_tell(search, asked[i], cost_of(kt_space_get(large, asked[i]), 0));
	assert_int_equal(kt_search_ask(asked, 40, search), 40);
	kt_search_close(search);
	kt_prior_close(prior);
	kt_space_free(large);
	kt_space_free(space);
	fixture_close(&f);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *name;
		enum kt_kind kind;
	} rows[] = {{"BLOCK", KT_KIND_BLOCK_X}, {"block_size_y", KT_KIND_BLOCK_Y}, {"UNROLL3", KT_KIND_UNROLL},
	            {"use_shmem", KT_KIND_SHARED}, {"unrolled_by", KT_KIND_UNROLL}, {"", KT_KIND_OTHER},
	            {"gamma", KT_KIND_OTHER}, {"VEC", KT_KIND_VECTOR}, {"READ_ONLY", KT_KIND_READ_ONLY}};
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_int_equal(kt_kind_guess(rows[i].name), rows[i].kind);
	for (int kind = 0; kind < KT_KIND_COUNT; kind++)
		assert_int_equal(kt_kind_from_name(kt_kind_name((enum kt_kind)kind)), kind);
	assert_int_equal(kt_kind_from_name("no such kind"), KT_KIND_OTHER);
	/* What a parameter does counts before what it is called. */
	fixture_open(&f);
	FIXTURE_TUNE(&f, "UNROLL", 1, 2);
	FIXTURE_TUNE(&f, "VEC", 1, 2);
	f.block[0] = fixture_expr(&f, "64");
	f.block[1] = fixture_expr(&f, "UNROLL");
	f.template_.block_count = 2;
	assert_int_equal(kt_kind_of(&f.template_, 0), KT_KIND_BLOCK_Y);
	assert_int_equal(kt_kind_of(&f.template_, 1), KT_KIND_VECTOR);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing), cmocka_unit_test(test_truth),  cmocka_unit_test(test_expect),
	    cmocka_unit_test(test_lies),    cmocka_unit_test(test_belief), cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
