/* What would be chosen, on sizes beside the problems: a rule that was learnt from few sizes is tried before it is kept. */
#include <math.h>
#include <string.h>

#include "planning/finals.h"

/* Sizes beside the problems for a variant, and turns: what a turn shows changes the rules, and the next one tries those. */
enum { PROBES = 2, TURNS = 3 };
/* What is smaller is one of few values, such as a number of channels. */
enum { SMALL = 16 };
/* A problem's variables become smaller by this factor. */
static const double smaller = 0.94;
/*
 * Sizes of other proportions for a variant: one variable becomes PROPORTION times larger, another one as many times smaller; or
 * the smaller one becomes FLAT.
 */
enum { PROPORTION = 8, FLAT = 3, PROPORTIONS = 2 };

/* How a size differs from the problem beside it. */
enum beside {
	ODD,       /* all variables smaller and odd */
	FOURS,     /* all smaller, multiples of 4 and not of 8 */
	EIGHTS,    /* all smaller, multiples of 8 and not of 16 */
	ALTERNATE, /* every second variable smaller and odd, the others as they are */
	BESIDE
};

struct point {
	const struct kt_region *region;
	const int64_t *values;
};

static bool lookup(int64_t *value, const char *name, void *context)
{
	const struct point *point = context;

	for (size_t v = 0; v < point->region->variable_count; v++)
		if (strcmp(point->region->variables[v], name) == 0) {
			*value = point->values[v];
			return true;
		}
	return false;
}

struct rules {
	size_t count;
	struct kt_expr *when[KT_SPECIALS];
};

static kt_status read_rules(struct rules *out, struct kt_arena *arena, const struct kt_selection *selection,
                            struct kt_error *err)
{
	out->count = selection->special_count;
	for (size_t k = 0; k < out->count; k++)
		TRY(kt_expr_parse(&out->when[k], arena, selection->when[k], strlen(selection->when[k]), err));
	return KT_OK;
}

/* Which variant the rules choose there: 0 the general one. */
static size_t chosen(const struct rules *rules, const struct kt_region *region, const int64_t *values)
{
	struct point point = {region, values};
	struct kt_error why;

	for (size_t k = 0; k < rules->count; k++) {
		int64_t holds = 0;

		if (kt_expr_eval(&holds, rules->when[k], lookup, &point, &why) == KT_OK && holds != 0)
			return k + 1;
	}
	return 0;
}

static int64_t beside(int64_t v, enum beside how, size_t variable)
{
	const int64_t less = (int64_t)(smaller * (double)v);

	if (v < SMALL)
		return v;
	switch (how) {
	case FOURS:
		return less / 8 * 8 + 4;
	case EIGHTS:
		return less / 16 * 16 + 8;
	case ALTERNATE:
		return variable % 2 != 0 ? less | 1 : v;
	default:
		return less | 1;
	}
}

/* A size becomes a shape where the configuration runs there. */
static bool add_covered(struct kt_derived *derived, const int64_t *values, const int64_t *configuration)
{
	if (!kt_derived_add(derived, values))
		return false;
	if ((kt_derived_covers(derived, configuration) >> (derived->count - 1) & 1) != 0)
		return true;
	derived->count--;
	return false;
}

/* Almost twice the greatest value that the problems list: a multiple of 4, and not of 8. */
static int64_t doubled(const struct kt_region *region, size_t variable)
{
	int64_t most = 0;

	for (size_t p = 0; p < region->problem_count; p++) {
		const int64_t v = region->problems[p * region->variable_count + variable];

		most = v > most ? v : most;
	}
	return 2 * most / 8 * 8 - 4;
}

/* One size past the problems, where a rule has no upper bound: a variable that is not small is almost twice the greatest one. */
static void add_past(struct kt_tuning *s, const struct kt_selection *selection, const struct rules *rules, size_t k,
                     const int64_t *configuration)
{
	const size_t count = s->region->variable_count;

	for (size_t p = s->problems; p-- > 0;)
		for (size_t v = 0; v < count; v++) {
			const int64_t *listed = &s->region->problems[p * count];
			int64_t values[KT_PROBLEM_VARIABLES];

			if (selection->serves[p] != (int64_t)k || listed[v] < SMALL)
				continue;
			memcpy(values, listed, count * sizeof *values);
			values[v] = doubled(s->region, v);
			if (chosen(rules, s->region, values) == k && add_covered(&s->derived, values, configuration))
				return;
		}
}

/* The least value of a variable with which the rules still choose variant k, the others as they are. */
static int64_t least_value(const struct rules *rules, const struct kt_region *region, size_t k, const int64_t *values,
                           size_t variable)
{
	int64_t own[KT_PROBLEM_VARIABLES], low = 0, high = values[variable];

	memcpy(own, values, region->variable_count * sizeof *own);
	while (high - low > 1) {
		own[variable] = low + (high - low) / 2;
		if (chosen(rules, region, own) == k)
			high = own[variable];
		else
			low = own[variable];
	}
	return high;
}

/*
 * The least size that a rule lets in, from the least problem that its variant serves, and one half way to it: where it is
 * most likely wrong. Variables that are not small are odd there.
 */
static void add_least(struct kt_tuning *s, const struct kt_selection *selection, const struct rules *rules, size_t k,
                      const int64_t *configuration)
{
	const size_t count = s->region->variable_count;
	int64_t least[KT_PROBLEM_VARIABLES], middle[KT_PROBLEM_VARIABLES];
	size_t problem = s->problems;

	for (size_t p = 0; p < s->problems; p++)
		if (selection->serves[p] == (int64_t)k &&
		    (problem == s->problems || s->derived.listed[p] < s->derived.listed[problem]))
			problem = p;
	if (problem == s->problems)
		return;
	memcpy(least, &s->region->problems[problem * count], count * sizeof *least);
	for (size_t v = 0; v < count; v++) {
		const int64_t listed = least[v];

		least[v] = least_value(rules, s->region, k, least, v);
		least[v] = listed < SMALL || least[v] == listed ? listed : least[v] | 1;
		middle[v] = (int64_t)sqrt((double)least[v] * (double)listed);
		middle[v] = listed < SMALL ? listed : middle[v] | 1;
	}
	if (chosen(rules, s->region, least) == k)
		(void)add_covered(&s->derived, least, configuration);
	if (chosen(rules, s->region, middle) == k)
		(void)add_covered(&s->derived, middle, configuration);
}

/* Sizes beside the problems that a variant serves, and that its rule and its guards let in. */
static void add_beside(struct kt_tuning *s, const struct kt_selection *selection, const struct rules *rules, size_t k,
                       const int64_t *configuration)
{
	const size_t count = s->region->variable_count;
	size_t added = 0;

	for (int how = 0; how < BESIDE; how++)
		for (size_t p = 0; p < s->problems && added < PROBES; p++) {
			int64_t values[KT_PROBLEM_VARIABLES];

			if (selection->serves[p] != (int64_t)k)
				continue;
			for (size_t v = 0; v < count; v++)
				values[v] = beside(s->region->problems[p * count + v], (enum beside)how, v);
			added += chosen(rules, s->region, values) == k && add_covered(&s->derived, values, configuration);
		}
}

/* The variable after `larger` that can become as many times smaller; variable_count: none. */
static size_t smaller_with(const struct kt_region *region, const int64_t *listed, size_t larger)
{
	for (size_t i = 1; i < region->variable_count; i++) {
		const size_t v = (larger + i) % region->variable_count;

		if (listed[v] >= SMALL)
			return v;
	}
	return region->variable_count;
}

/* Few rows that are long, or many that are short: the size is that of a problem, with odd variables where those run. */
static bool add_proportion(struct kt_tuning *s, const struct rules *rules, size_t k, const int64_t *configuration,
                           const int64_t *listed, size_t larger, bool flat)
{
	const size_t count = s->region->variable_count, less = smaller_with(s->region, listed, larger);
	const int64_t factor = flat && less < count ? listed[less] / FLAT : PROPORTION;

	for (int odd = 1; odd >= 0 && less < count && listed[larger] >= SMALL; odd--) {
		int64_t values[KT_PROBLEM_VARIABLES];

		memcpy(values, listed, count * sizeof *values);
		if (__builtin_mul_overflow(listed[larger], factor, &values[larger]))
			return false;
		values[larger] -= odd;
		values[less] = flat ? FLAT : listed[less] / PROPORTION | odd;
		if (chosen(rules, s->region, values) == k && add_covered(&s->derived, values, configuration))
			return true;
	}
	return false;
}

/* Sizes of other proportions that a variant serves: each with another variable that is larger. */
static void add_proportions(struct kt_tuning *s, const struct kt_selection *selection, const struct rules *rules, size_t k,
                            const int64_t *configuration, bool flat)
{
	const size_t count = s->region->variable_count;
	size_t added = 0;

	for (size_t v = 0; v < count && added < PROPORTIONS; v++)
		for (size_t p = s->problems; p-- > 0;)
			if (selection->serves[p] == (int64_t)k &&
			    add_proportion(s, rules, k, configuration, &s->region->problems[p * count], v, flat)) {
				added++;
				break;
			}
}

/* What the turns before took, and for how many sizes. */
struct pace {
	double seconds;
	size_t sizes;
};

/*
 * A runner that does not reply in time is ended, and starting another one takes longer than some sizes: none are asked for where
 * that is likely. They may take half of what those before took.
 */
static bool is_enough(const struct pace *pace, size_t sizes, double left_s)
{
	return pace->sizes == 0 || pace->seconds / (double)pace->sizes * (double)sizes < 2 * left_s;
}

/* *more: there was something to try. */
static kt_status turn(bool *more, struct pace *pace, struct kt_finals *f, double until_s, struct kt_error *err)
{
	struct kt_tuning *s = f->s;
	const size_t first = s->derived.count;
	bool wanted[KT_FINALISTS_MOST + 1] = {false};
	struct kt_matrix matrix;
	struct kt_selection selection;
	struct rules rules;
	const double begin_s = kt_now_s();
	kt_status status = kt_finals_matrix(&matrix, f, err);

	*more = false;
	THEN(status, kt_select(&selection, s->arena, &matrix, kt_tuning_selects_special(s), err));
	THEN(status, read_rules(&rules, s->arena, &selection, err));
	if (status != KT_OK)
		return status;
	for (size_t k = 0; k <= selection.special_count; k++) {
		const size_t row = k == 0 ? selection.general : selection.specials[k - 1], before = s->derived.count;

		if (row == 0)
			continue;
		add_past(s, &selection, &rules, k, f->candidates[row].configuration);
		add_proportions(s, &selection, &rules, k, f->candidates[row].configuration, false);
		add_proportions(s, &selection, &rules, k, f->candidates[row].configuration, true);
		add_least(s, &selection, &rules, k, f->candidates[row].configuration);
		add_beside(s, &selection, &rules, k, f->candidates[row].configuration);
		wanted[row] = wanted[row] || s->derived.count != before;
	}
	*more = s->derived.count != first && is_enough(pace, s->derived.count - first, until_s - kt_now_s());
	if (!*more) {
		s->derived.count = first;
		return KT_OK;
	}
	status = kt_finals_time_probes(f, first, wanted, until_s - kt_now_s(), err);
	pace->seconds += kt_now_s() - begin_s;
	pace->sizes += s->derived.count - first;
	return status;
}

kt_status kt_finals_probe(struct kt_finals *f, struct kt_error *err)
{
	const double seconds = kt_finals_probe_seconds(f->s), until_s = kt_now_s() + seconds;
	struct pace pace = {0, 0};
	bool more = f->rows > 1 && seconds > 0;

	for (size_t n = 0; n < TURNS && more && kt_now_s() < until_s; n++)
		TRY(turn(&more, &pace, f, until_s, err));
	return KT_OK;
}
