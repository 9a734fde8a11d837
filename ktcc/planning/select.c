#include "planning/select.h"

#include <math.h>
#include <string.h>

#include "planning/cover.h"
#include "planning/objective.h"
#include "planning/rule.h"

const double kt_select_least_gain = 0.01;
/*
 * A variant that gains less than this over the general one, in the mean over what it serves, is for those problems
 * alone: on sizes between them and others' it may as well lose as much.
 */
static const double carries_over = 0.03;
/* A variant that is this near on another's problem may serve it as well. */
static const double harmless = 0.005;
/* What a rule is worth on a problem that it is wanted for, where nothing is gained beyond doubt. */
static const double least_worth = 1e-6;
/* What a choice that loses on unlisted sizes has to gain in the mean over everything. */
static const double loss_pays = 0.05;
/* What a choice with fewer variants may be worth less: their rules are simpler, and err less on sizes that were not seen. */
static const double fewer_cost = 0.02;

const char *kt_rule_kind_name(enum kt_rule_kind kind)
{
	static const char *const names[] = {"exact", "interval", "nearest", "bounds"};

	return names[kind];
}

/* log(original / this row) by what the problem counts, and slowdowns as they weigh; 0 where it does not run. */
static double worth(const struct kt_matrix *m, size_t row, size_t problem)
{
	const struct kt_timing *a = kt_cover_timing(m, 0, problem), *b = kt_cover_timing(m, row, problem);

	if (!(a->median_ns > 0) || !(b->median_ns > 0))
		return 0;
	return kt_matrix_weight(m, problem) * log(a->median_ns / b->median_ns) *
	       (kt_matrix_slower(m, b, a, problem) ? kt_slowdown_weight : 1);
}

/* The rules of a cover, in one kind; where a variant has none of it, exact ones. */
struct rules {
	struct kt_rule rules[KT_SPECIALS];
	bool wanted[KT_SPECIALS][KT_SELECT_MOST];
};

static bool serves_listed(const struct kt_cover *c, size_t k)
{
	for (size_t p = 0; kt_matrix_lists(c->m, p); p++)
		if (c->serves[p] == k)
			return true;
	return false;
}

/* The kind of variant k's rule, where rules are of `kind`. */
static enum kt_rule_kind kind_of(enum kt_rule_kind kind, const struct kt_cover *c, size_t k)
{
	if (!serves_listed(c, k))
		return kind == KT_RULE_EXACT ? KT_RULE_INTERVAL : kind;
	return kt_cover_gain_as(c, k, c->rows[k]) < log1p(carries_over) ? KT_RULE_EXACT : kind;
}

/*
 * Does another variant take this one before the k-th is asked? Its rule may end beside it: one that is slower than the
 * original there is kept out as well, unless the other has fewer launches, which its guards distinguish.
 */
static bool is_taken(const struct rules *rules, const struct kt_cover *c, size_t k, size_t problem)
{
	const struct kt_matrix *m = c->m;
	const struct kt_timing *mine = kt_cover_timing(m, c->rows[k], problem), *original = kt_cover_timing(m, 0, problem);
	const bool harms = mine->median_ns > 0 && original->median_ns > 0 && kt_matrix_slower(m, mine, original, problem);

	for (size_t j = 1; j < k; j++)
		if ((!harms || kt_matrix_width(m, c->rows[j]) < kt_matrix_width(m, c->rows[k])) &&
		    kt_rule_holds(&rules->rules[j - 1], problem) && kt_matrix_covers(m, c->rows[j], problem))
			return true;
	return false;
}

/*
 * How rules are learnt: `kind`, and whether they are strict. A strict rule also keeps out what a variant loses beyond doubt
 * and less than is allowed, and is not widened by what gains less than carries_over: between sizes with such small gains a
 * launch may as well be slower.
 */
struct manner {
	enum kt_rule_kind kind;
	bool strict;
};

/* Must the k-th variant's rule not hold there? */
static bool is_refused(const struct kt_cover *c, size_t k, size_t p, bool strict)
{
	const struct kt_matrix *m = c->m;
	const struct kt_timing *mine = kt_cover_timing(m, c->rows[k], p), *served = kt_cover_timing(m, c->rows[c->serves[p]], p);

	if (c->serves[p] == k)
		return false;
	if (kt_matrix_lists(m, p))
		return !(mine->median_ns > 0 && served->median_ns > 0 && mine->median_ns <= served->median_ns * (1 + harmless));
	/* Where it does not run, the next variant is tried. */
	if (!(kt_cover_timing(m, 0, p)->median_ns > 0) || !kt_matrix_covers(m, c->rows[k], p))
		return false;
	return !(mine->median_ns > 0) || kt_matrix_slower(m, mine, kt_cover_served_by(m, c->rows[c->serves[p]], p), p) ||
	       (strict && kt_cover_gain(m, c->rows[k], c->rows[c->serves[p]], p) > 0);
}

/* In this kind, else in another one that has bounds, else for the listed problems exactly. */
static bool learn_one(struct rules *out, struct manner manner, const struct kt_cover *c, size_t k, const bool *refused,
                      size_t left_out)
{
	const struct kt_matrix *m = c->m;
	static const enum kt_rule_kind bounded[] = {KT_RULE_INTERVAL, KT_RULE_NEAREST, KT_RULE_BOUNDS};
	const enum kt_rule_kind own = kind_of(manner.kind, c, k);
	bool *wanted = out->wanted[k - 1];
	double gains[KT_SELECT_MOST];

	for (size_t p = 0; p < m->problems; p++) {
		wanted[p] = c->serves[p] == k && (!manner.strict || own == KT_RULE_EXACT ||
		                                  kt_cover_gain(m, c->rows[0], c->rows[k], p) >= log1p(carries_over));
		gains[p] = wanted[p] ? fmax(least_worth, kt_matrix_weight(m, p) * kt_cover_gain(m, c->rows[0], c->rows[k], p)) : 0;
	}
	if (own != KT_RULE_EXACT && kt_rule_learn(&out->rules[k - 1], own, m, wanted, refused, gains, left_out))
		return true;
	if (!serves_listed(c, k)) {
		for (size_t i = 0; i < sizeof bounded / sizeof bounded[0]; i++)
			if (kt_rule_learn(&out->rules[k - 1], bounded[i], m, wanted, refused, gains, left_out))
				return true;
		return false;
	}
	/* A launch that no problem lists is an example of many. */
	for (size_t p = 0; p < m->problems; p++)
		wanted[p] = wanted[p] && kt_matrix_lists(m, p);
	return (own != KT_RULE_EXACT && m->shapes != 0 &&
	        kt_rule_learn(&out->rules[k - 1], own, m, wanted, refused, gains, left_out)) ||
	       kt_rule_learn(&out->rules[k - 1], KT_RULE_EXACT, m, wanted, refused, gains, left_out);
}

static bool learn(struct rules *out, struct manner manner, const struct kt_cover *c, size_t left_out)
{
	for (size_t k = 1; k < c->count; k++) {
		bool refused[KT_SELECT_MOST];

		for (size_t p = 0; p < c->m->problems; p++)
			refused[p] = is_refused(c, k, p, manner.strict) && !is_taken(out, c, k, p);
		if (!learn_one(out, manner, c, k, refused, left_out))
			return false;
	}
	return true;
}

static size_t chosen(const struct rules *rules, const struct kt_cover *c, size_t problem)
{
	for (size_t k = 1; k < c->count; k++)
		if (kt_rule_holds(&rules->rules[k - 1], problem) &&
		    (kt_matrix_lists(c->m, problem) || kt_matrix_covers(c->m, c->rows[k], problem)))
			return k;
	return 0;
}

/*
 * Variants that are for launches alone that no problem lists, and gain little there or have no bounds that keep the others
 * out: what they serve is the general one's.
 */
static void drop_unbounded(struct kt_cover *c)
{
	for (size_t k = 1; k < c->count; k++) {
		struct rules rules;
		bool refused[KT_SELECT_MOST];

		if (serves_listed(c, k))
			continue;
		for (size_t p = 0; p < c->m->problems; p++)
			refused[p] = is_refused(c, k, p, false);
		if (kt_cover_gain_as(c, k, c->rows[k]) >= log1p(carries_over) &&
		    learn_one(&rules, (struct manner){KT_RULE_INTERVAL, false}, c, k, refused, SIZE_MAX))
			continue;
		for (size_t p = 0; p < c->m->problems; p++)
			c->serves[p] = c->serves[p] == k ? 0 : c->serves[p];
	}
	kt_cover_drop_idle(c);
}

/*
 * Mean of log(what the rule chooses for a problem / the best of the cover there), slowdowns weighted. `leaves_out`: the rule is
 * learnt without that problem, each time.
 */
static double mean_regret(struct manner manner, const struct kt_cover *c, bool leaves_out)
{
	const struct kt_matrix *m = c->m;
	struct rules rules;
	bool learnt = !leaves_out && learn(&rules, manner, c, SIZE_MAX);
	double sum = 0, used = 0;

	for (size_t p = 0; p < m->problems; p++) {
		const double weight = kt_matrix_weight(m, p);
		double best = INFINITY, got;

		for (size_t k = 0; k < c->count; k++)
			if (kt_cover_timing(m, c->rows[k], p)->median_ns > 0)
				best = fmin(best, kt_cover_timing(m, c->rows[k], p)->median_ns);
		if (!isfinite(best))
			continue;
		if (leaves_out)
			learnt = learn(&rules, manner, c, p);
		got = kt_cover_timing(m, c->rows[learnt ? chosen(&rules, c, p) : 0], p)->median_ns;
		/* A configuration that does not run there falls back to the original. */
		got = got > 0 ? got : kt_cover_timing(m, 0, p)->median_ns;
		sum += weight * log(got / best);
		if (kt_cover_timing(m, 0, p)->median_ns > 0 && got > kt_cover_timing(m, 0, p)->median_ns)
			sum += weight * (kt_slowdown_weight - 1) * log(got / kt_cover_timing(m, 0, p)->median_ns);
		used += weight;
	}
	return used > 0 ? sum / used : 0;
}

static bool has_kind(const struct rules *rules, const struct kt_cover *c, enum kt_rule_kind kind)
{
	for (size_t k = 1; k < c->count; k++)
		if (rules->rules[k - 1].kind == kind)
			return true;
	return false;
}

/*
 * The rules that err least on problems they were not learnt from and on those they were, which strict ones and bounds
 * give up in part. A tie goes to the kind that has more conditions on them, and to strict rules also where others gain
 * less than a variant must gain. `bounds`: that kind, or none.
 */
static bool choose_manner(struct manner *manner, double *regret, const struct kt_cover *c, bool bounds)
{
	static const enum kt_rule_kind kinds[] = {KT_RULE_INTERVAL, KT_RULE_NEAREST, KT_RULE_BOUNDS, KT_RULE_EXACT};
	double least = INFINITY;

	for (size_t i = 0; i < 2 * sizeof kinds / sizeof kinds[0]; i++) {
		const struct manner own = {kinds[i / 2], i % 2 == 0};
		struct rules rules;
		double here, all;

		if (bounds && own.kind != KT_RULE_BOUNDS)
			continue;
		if (!learn(&rules, own, c, SIZE_MAX) || !has_kind(&rules, c, own.kind))
			continue;
		here = mean_regret(own, c, true);
		all = here + mean_regret(own, c, false) + (own.strict ? 0 : kt_select_least_gain);
		if (all < least - 1e-9) {
			least = all;
			*regret = here;
			*manner = own;
		}
	}
	return isfinite(least);
}

/* A cover with its rules, and what it is worth by them: all logs together, less the variants' cost. */
struct option {
	struct kt_cover cover;
	struct manner manner;
	double regret, score;
};

/* `most`: specialised variants. */
static void make_option(struct option *out, const struct kt_matrix *m, size_t general, size_t most, bool bounds)
{
	struct rules rules;
	bool ruled;

	*out = (struct option){.manner = {KT_RULE_EXACT, false}};
	out->cover = kt_cover_greedily(m, general, most);
	drop_unbounded(&out->cover);
	ruled = out->cover.count > 1 && choose_manner(&out->manner, &out->regret, &out->cover, bounds);
	if (out->cover.count > 1 && !ruled)
		out->cover = kt_cover_greedily(m, general, 0);
	ruled = ruled && learn(&rules, out->manner, &out->cover, SIZE_MAX);
	for (size_t p = 0; p < m->problems; p++)
		out->score += worth(m, out->cover.rows[ruled ? chosen(&rules, &out->cover, p) : 0], p);
	out->score -= (double)(out->cover.count - 1) * kt_select_least_gain;
}

/* Takes a choice of fewer variants where it is worth as much. */
static void keep_simpler(struct option *best, const struct kt_matrix *m, size_t most, bool bounds)
{
	struct option fewer;

	if (best->cover.count - 1 <= most)
		return;
	make_option(&fewer, m, best->cover.rows[0], most, bounds);
	if (fewer.score > best->score - fewer_cost)
		*best = fewer;
}

static kt_status finish(struct kt_selection *out, struct kt_arena *arena, const struct kt_matrix *m,
                        const struct option *best, struct kt_error *err)
{
	const struct kt_cover *c = &best->cover;
	struct rules rules;

	out->general = c->rows[0];
	out->special_count = c->count - 1;
	NEED(out->serves = kt_arena_array(arena, m->problems, sizeof *out->serves),
	     kt_fail(err, KT_ERR_MEMORY, "selection: out of memory"));
	if (out->special_count == 0)
		return KT_OK;
	if (!learn(&rules, best->manner, c, SIZE_MAX))
		return kt_fail(err, KT_ERR_INVALID, "selection: a rule could not be learnt twice");
	out->regret = expm1(out->regret);
	for (size_t k = 1; k < c->count; k++) {
		struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
		kt_status status;

		kt_rule_print(&text, &rules.rules[k - 1]);
		status = kt_buf_check(&text, "a rule", err);
		out->specials[k - 1] = c->rows[k];
		out->when[k - 1] = kt_arena_strdup(arena, kt_buf_text(&text));
		kt_buf_free(&text);
		if (status != KT_OK || out->when[k - 1] == NULL)
			return status != KT_OK ? status : kt_fail(err, KT_ERR_MEMORY, "selection: out of memory");
	}
	/* By the rules rather than by the cover: a harmless neighbour may have been taken in. */
	for (size_t p = 0; p < m->problems; p++)
		out->serves[p] = (int64_t)chosen(&rules, c, p);
	return KT_OK;
}

static double weight_of_all(const struct kt_matrix *m)
{
	double sum = 0;

	for (size_t p = 0; p < m->problems; p++)
		sum += kt_cover_timing(m, 0, p)->median_ns > 0 ? kt_matrix_weight(m, p) : 0;
	return sum;
}

kt_status kt_select(struct kt_selection *out, struct kt_arena *arena, const struct kt_matrix *matrix, bool special,
                    struct kt_error *err)
{
	const size_t problems = matrix->problems - matrix->shapes;
	/*
	 * Unlisted sizes belong to the general configuration: the first choice runs everywhere. Another, or the original, for
	 * everything else only where that is the better whole. Where it pays, everywhere but where it is known to lose; one that
	 * loses on unlisted sizes only where no rule distinguishes them.
	 */
	const struct {
		size_t row;
		double least; /* more than what was chosen before it */
		bool bounds;
	} generals[] = {{kt_select_winner(matrix, true, KT_SELECT_NO_LOSS), -INFINITY, false},
	                {kt_select_winner(matrix, false, KT_SELECT_NO_LOSS), kt_select_least_gain, false},
	                {SIZE_MAX, kt_select_least_gain, false},
	                {SIZE_MAX, loss_pays * weight_of_all(matrix), true},
	                {kt_select_winner(matrix, true, KT_SELECT_UNLISTED_LOSS), loss_pays * weight_of_all(matrix), false}};
	struct option best, other;

	memset(out, 0, sizeof *out);
	if (matrix->problems > KT_SELECT_MOST || problems > KT_PROBLEMS || matrix->shapes > KT_DERIVED_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "selection: %zu problems", matrix->problems);
	special = special && matrix->variables != 0 && matrix->problems > 1 && problems <= KT_SELECT_PROBLEMS;
	for (size_t i = 0; i < sizeof generals / sizeof *generals; i++) {
		make_option(&other, matrix, generals[i].row != SIZE_MAX ? generals[i].row : 0, special ? KT_SPECIALS : 0,
		            generals[i].bounds);
		for (size_t most = KT_SPECIALS / 2; special && most > 0; most /= 2)
			keep_simpler(&other, matrix, most, generals[i].bounds);
		if (i == 0 || other.score > best.score + generals[i].least)
			best = other;
	}
	out->kind = best.manner.kind;
	out->regret = best.regret;
	return finish(out, arena, matrix, &best, err);
}

size_t kt_selection_row(const struct kt_selection *selection, size_t problem)
{
	int64_t k = selection->serves[problem];

	return k == 0 ? selection->general : selection->specials[k - 1];
}
