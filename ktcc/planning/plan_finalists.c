/* Who comes into the last comparison. */
#include <math.h>
#include <stdlib.h>

#include "planning/plan_internal.h"
#include "planning/select.h"

/*
 * Finalists: the best and everything that a search cannot tell from it, at most as many as here. There are those for
 * all problems and, where problems may have specialised variants, those for each problem.
 */
enum { GENERAL_LEAST = 5, GENERAL_MOST = 10, PROBLEM_LEAST = 2, PROBLEM_MOST = 4 };

/* By this part the few samples of a search may be off, two of them together. */
static const double search_doubt = 0.03;

/* What puts the best of those that run everywhere after the best of all. */
static const double wide_behind = 1e-6;

static void add_index(size_t *finalists, size_t *count, size_t index)
{
	for (size_t i = 0; i < *count; i++)
		if (finalists[i] == index)
			return;
	if (*count < KT_FINALISTS_MOST)
		finalists[(*count)++] = index;
}

/* The time of a configuration on a problem, from the search. */
static double searched_ns(const struct kt_tuning *s, size_t index, size_t problem)
{
	for (size_t row = 0; row < kt_objective_rows(s->objective); row++) {
		size_t name;
		const double *ns = kt_objective_row(&name, s->objective, row);

		if (name == index)
			return ns[problem];
	}
	return NAN;
}

/* The cost of a configuration, from the search. */
static double searched_cost(const struct kt_tuning *s, size_t index)
{
	for (size_t row = 0; row < kt_objective_rows(s->objective); row++) {
		size_t name;

		(void)kt_objective_row(&name, s->objective, row);
		if (name == index)
			return kt_objective_cost(s->objective, row);
	}
	return INFINITY;
}

static void add_general(size_t *finalists, size_t *used, const struct kt_tuning *s, const size_t *top, size_t count,
                        size_t least)
{
	for (size_t i = 0; i < count; i++)
		if (i < least || searched_cost(s, top[i]) <= searched_cost(s, top[0]) * (1 + search_doubt))
			add_index(finalists, used, top[i]);
}

/* What may serve this problem better than `general`, by its rank there: by as much as a variant must gain. */
static void add_special(size_t *finalists, size_t *used, const struct kt_tuning *s, size_t general, size_t rank,
                        size_t problem)
{
	size_t best[PROBLEM_MOST], found = kt_objective_top_on(best, PROBLEM_MOST, s->objective, problem);
	double own;

	if (rank >= found)
		return;
	own = searched_ns(s, best[rank], problem);
	if (own > searched_ns(s, general, problem) * (1 - kt_select_least_gain) * (1 + search_doubt) ||
	    (rank >= PROBLEM_LEAST && own > searched_ns(s, best[0], problem) * (1 + search_doubt)))
		return;
	add_index(finalists, used, best[rank]);
}

static int by_number(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* Who leads: of all, and of those that run everywhere, the best first. */
struct leaders {
	size_t wide_count, wide[GENERAL_MOST];
	double best_cost, wide_cost; /* INFINITY: there is none */
};

static struct leaders leaders_of(const struct kt_tuning *s)
{
	struct leaders all = {.best_cost = INFINITY, .wide_cost = INFINITY};
	size_t best;

	if (kt_objective_top(&best, 1, s->objective) != 0)
		all.best_cost = searched_cost(s, best);
	all.wide_count = kt_objective_top_everywhere(all.wide, GENERAL_MOST, s->objective);
	if (all.wide_count != 0)
		all.wide_cost = searched_cost(s, all.wide[0]);
	return all;
}

static bool is_wide(const struct leaders *leaders, size_t index)
{
	for (size_t i = 0; i < leaders->wide_count; i++)
		if (leaders->wide[i] == index)
			return true;
	return false;
}

/* 1 for the best, more by as much as it is slower: in general, of those that run everywhere, or on the problem that it
 * is best for. */
static double behind(const struct kt_tuning *s, const struct leaders *leaders, size_t index)
{
	const double cost = searched_cost(s, index);
	double least = isfinite(leaders->best_cost) ? cost / leaders->best_cost : INFINITY;

	if (is_wide(leaders, index))
		/* Only after the best of all. */
		least = fmin(least, cost / leaders->wide_cost * (1 + wide_behind));
	for (size_t p = 0; kt_tuning_specialises(s) && p < s->problems; p++) {
		const double ratio = searched_ns(s, index, p) / kt_objective_best_ns(s->objective, p);

		/* Who is best in general stays in any case. */
		least = ratio > 0 && ratio < INFINITY ? fmin(least, ratio + search_doubt) : least;
	}
	return least;
}

bool kt_tuning_is_alone(const struct kt_tuning *s)
{
	return s->total == 1 && kt_space_original(s->space) == 0;
}

bool kt_tuning_seems_faster(const struct kt_tuning *s)
{
	size_t best;

	return kt_objective_top(&best, 1, s->objective) != 0 && searched_cost(s, best) < 1;
}

size_t kt_tuning_fewer_finalists(size_t *finalists, size_t count, size_t most, const struct kt_tuning *s)
{
	const struct leaders leaders = leaders_of(s);
	double far[KT_FINALISTS_MOST];

	for (size_t i = 0; i < count && count > most; i++)
		far[i] = behind(s, &leaders, finalists[i]);
	for (; count > most; count--) {
		size_t worst = 0;

		for (size_t i = 1; i < count; i++)
			if (far[i] > far[worst])
				worst = i;
		for (size_t i = worst; i + 1 < count; i++) {
			finalists[i] = finalists[i + 1];
			far[i] = far[i + 1];
		}
	}
	return count;
}

size_t kt_tuning_finalists(size_t *finalists, const struct kt_tuning *s)
{
	size_t top[GENERAL_MOST], count, used = 0;

	/* Beside itself the original could win by noise alone. */
	if (kt_tuning_is_alone(s))
		return 0;
	/* Those that run everywhere come first among the general ones, and might not be among the best. */
	count = kt_objective_top_everywhere(top, GENERAL_MOST, s->objective);
	add_general(finalists, &used, s, top, count, GENERAL_LEAST);
	count = kt_objective_top(top, GENERAL_MOST, s->objective);
	add_general(finalists, &used, s, top, count, GENERAL_LEAST);
	for (size_t rank = 0; kt_tuning_specialises(s) && count != 0 && rank < PROBLEM_MOST; rank++)
		for (size_t p = 0; p < s->problems; p++)
			add_special(finalists, &used, s, top[0], rank, p);
	qsort(finalists, used, sizeof *finalists, by_number);
	return used;
}
