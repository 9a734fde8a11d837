#include "planning/rule.h"

#include <inttypes.h>
#include <math.h>

static bool allowed(const struct kt_matrix *m, size_t variable)
{
	return m->allowed == NULL || m->allowed[variable];
}

static int64_t value(const struct kt_matrix *m, size_t problem, size_t variable)
{
	return m->values[problem * m->variables + variable];
}

/* The product of the variables; saturates, because a bound that is too far is an open one. */
static int64_t work(const struct kt_matrix *m, size_t problem)
{
	int64_t product = 1;

	for (size_t v = 0; v < m->variables; v++)
		if (allowed(m, v) && __builtin_mul_overflow(product, value(m, problem, v), &product))
			return INT64_MAX;
	return product;
}

/* What side `side` of the rule's box is measured in. */
static int64_t measure(const struct kt_rule *rule, size_t problem, size_t side)
{
	return rule->kind == KT_RULE_NEAREST ? work(rule->matrix, problem) : value(rule->matrix, problem, side);
}

static size_t sides(const struct kt_rule *rule)
{
	return rule->kind == KT_RULE_NEAREST ? 1 : rule->variables;
}

static bool inside(const struct kt_rule *rule, size_t problem, size_t but)
{
	for (size_t side = 0; side < sides(rule); side++) {
		int64_t at = measure(rule, problem, side);

		if (side != but && (at < rule->low[side] || at > rule->high[side]))
			return false;
	}
	return true;
}

/* The last whole number that is not nearer, in ratio, to `outer` than to `inner` (both sides of zero: in distance). */
static int64_t half_way(int64_t inner, int64_t outer)
{
	double middle = inner > 0 && outer > 0 ? sqrt((double)inner) * sqrt((double)outer)
	                                       : 0.5 * (double)inner + 0.5 * (double)outer;
	int64_t at = (int64_t)(inner < outer ? floor(middle) : ceil(middle));

	if (inner < outer)
		return at < inner ? inner : at >= outer ? outer - 1 : at;
	return at > inner ? inner : at <= outer ? outer + 1 : at;
}

/* Moves one side outwards to half way to what must stay outside. */
static void widen(struct kt_rule *rule, size_t side, const bool *refused, size_t left_out)
{
	int64_t above = INT64_MAX, below = INT64_MIN;

	for (size_t p = 0; p < rule->matrix->problems; p++) {
		int64_t at = measure(rule, p, side);

		if (!refused[p] || p == left_out || !inside(rule, p, side))
			continue;
		if (at > rule->high[side] && at < above)
			above = at;
		if (at < rule->low[side] && at > below)
			below = at;
	}
	rule->high[side] = above == INT64_MAX ? INT64_MAX : half_way(rule->high[side], above);
	rule->low[side] = below == INT64_MIN ? INT64_MIN : half_way(rule->low[side], below);
}

static bool learn_box(struct kt_rule *rule, const bool *wanted, const bool *refused, size_t left_out)
{
	const struct kt_matrix *m = rule->matrix;

	for (size_t side = 0; side < sides(rule); side++) {
		bool open = rule->kind == KT_RULE_INTERVAL && !allowed(m, side);

		rule->low[side] = open ? INT64_MIN : INT64_MAX;
		rule->high[side] = open ? INT64_MAX : INT64_MIN;
		for (size_t p = 0; p < m->problems && !open; p++) {
			int64_t at = measure(rule, p, side);

			if (!wanted[p] || p == left_out)
				continue;
			if (at < rule->low[side])
				rule->low[side] = at;
			if (at > rule->high[side])
				rule->high[side] = at;
		}
		/* Nothing is wanted: no box. */
		if (rule->low[side] > rule->high[side])
			return false;
	}
	for (size_t p = 0; p < m->problems; p++)
		if (refused[p] && p != left_out && inside(rule, p, SIZE_MAX))
			return false;
	for (size_t side = 0; side < sides(rule); side++)
		if (rule->kind == KT_RULE_NEAREST || allowed(m, side))
			widen(rule, side, refused, left_out);
	return true;
}

/* Equal in everything that a rule may name. */
static bool same(const struct kt_matrix *m, size_t a, size_t b)
{
	for (size_t v = 0; v < m->variables; v++)
		if (allowed(m, v) && value(m, a, v) != value(m, b, v))
			return false;
	return true;
}

static bool learn_exact(const struct kt_matrix *m, const bool *wanted, const bool *refused, size_t left_out)
{
	for (size_t p = 0; p < m->problems; p++)
		for (size_t q = 0; q < m->problems; q++)
			if (wanted[p] && refused[q] && p != left_out && q != left_out && same(m, p, q))
				return false;
	return true;
}

bool kt_rule_learn(struct kt_rule *out, enum kt_rule_kind kind, const struct kt_matrix *matrix, const bool *wanted,
                   const bool *refused, size_t left_out)
{
	bool some = false;

	*out = (struct kt_rule){.kind = kind, .variables = matrix->variables, .wanted = wanted, .left_out = left_out,
	                        .matrix = matrix};
	for (size_t v = 0; v < matrix->variables; v++)
		some = some || allowed(matrix, v);
	if (!some || matrix->variables > KT_RULE_VARIABLES)
		return false;
	return kind == KT_RULE_EXACT ? learn_exact(matrix, wanted, refused, left_out)
	                             : learn_box(out, wanted, refused, left_out);
}

bool kt_rule_holds(const struct kt_rule *rule, size_t problem)
{
	const struct kt_matrix *m = rule->matrix;

	if (rule->kind != KT_RULE_EXACT)
		return inside(rule, problem, SIZE_MAX);
	for (size_t p = 0; p < m->problems; p++)
		if (rule->wanted[p] && p != rule->left_out && same(m, p, problem))
			return true;
	return false;
}

static void print_side(struct kt_buf *out, const char *name, int64_t low, int64_t high, const char **gap)
{
	if (low == high) {
		kt_buf_addf(out, "%s%s == %" PRId64, *gap, name, low);
		*gap = " && ";
		return;
	}
	if (low != INT64_MIN) {
		kt_buf_addf(out, "%s%s >= %" PRId64, *gap, name, low);
		*gap = " && ";
	}
	if (high != INT64_MAX) {
		kt_buf_addf(out, "%s%s <= %" PRId64, *gap, name, high);
		*gap = " && ";
	}
}

static void print_product(struct kt_buf *out, const struct kt_matrix *m)
{
	const char *gap = "";

	for (size_t v = 0; v < m->variables; v++)
		if (allowed(m, v)) {
			kt_buf_addf(out, "%s%s", gap, m->names[v]);
			gap = " * ";
		}
}

static void print_exact(struct kt_buf *out, const struct kt_rule *rule)
{
	const struct kt_matrix *m = rule->matrix;
	const char *or_ = "";

	for (size_t p = 0; p < m->problems; p++) {
		const char *gap = "";
		bool before = false;

		for (size_t q = 0; q < p; q++)
			before = before || (rule->wanted[q] && same(m, p, q));
		if (!rule->wanted[p] || before)
			continue;
		kt_buf_adds(out, or_);
		for (size_t v = 0; v < m->variables; v++)
			if (allowed(m, v))
				print_side(out, m->names[v], value(m, p, v), value(m, p, v), &gap);
		or_ = " || ";
	}
}

void kt_rule_print(struct kt_buf *out, const struct kt_rule *rule)
{
	const struct kt_matrix *m = rule->matrix;
	struct kt_buf product = KT_BUF(KT_LIMIT_LINE_BYTES);
	const char *gap = "";

	if (rule->kind == KT_RULE_EXACT) {
		print_exact(out, rule);
		return;
	}
	print_product(&product, m);
	for (size_t side = 0; side < sides(rule); side++)
		print_side(out, rule->kind == KT_RULE_NEAREST ? kt_buf_text(&product) : m->names[side], rule->low[side],
		           rule->high[side], &gap);
	if (gap[0] == '\0')
		kt_buf_addc(out, '1');
	kt_buf_free(&product);
}
