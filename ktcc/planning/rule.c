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

/* The product of some variables; saturates, because a bound that is too far is an open one. */
static int64_t measure(const struct kt_matrix *m, size_t problem, uint32_t of)
{
	int64_t product = 1;

	for (size_t v = 0; v < m->variables; v++)
		if ((of >> v & 1) != 0 && __builtin_mul_overflow(product, value(m, problem, v), &product))
			return INT64_MAX;
	return product;
}

static uint32_t all_allowed(const struct kt_matrix *m)
{
	uint32_t of = 0;

	for (size_t v = 0; v < m->variables; v++)
		of |= (uint32_t)allowed(m, v) << v;
	return of;
}

static bool within(const struct kt_rule_side *side, int64_t at)
{
	return at >= side->low && at <= side->high && (side->unit == 0 || at % side->unit == 0);
}

static bool in_box(const struct kt_rule_box *box, const struct kt_matrix *m, size_t problem, size_t but)
{
	for (size_t i = 0; i < box->sides; i++)
		if (i != but && !within(&box->side[i], measure(m, problem, box->side[i].of)))
			return false;
	return true;
}

static bool inside(const struct kt_rule *rule, size_t problem)
{
	for (size_t i = 0; i < rule->outs; i++)
		if (in_box(&rule->out[i], rule->matrix, problem, SIZE_MAX))
			return false;
	return in_box(&rule->in, rule->matrix, problem, SIZE_MAX);
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
static void widen(struct kt_rule_box *box, size_t index, const struct kt_matrix *m, const bool *refused, size_t left_out)
{
	struct kt_rule_side *side = &box->side[index];
	int64_t above = INT64_MAX, below = INT64_MIN;

	for (size_t p = 0; p < m->problems; p++) {
		const int64_t at = measure(m, p, side->of);

		if (!refused[p] || p == left_out || !in_box(box, m, p, index))
			continue;
		if (at > side->high && at < above)
			above = at;
		if (at < side->low && at > below)
			below = at;
	}
	side->high = above == INT64_MAX ? INT64_MAX : half_way(side->high, above);
	side->low = below == INT64_MIN ? INT64_MIN : half_way(side->low, below);
}

/* The sides are chosen; their bounds are those of what is wanted, and widened. */
static bool learn_box(struct kt_rule_box *box, const struct kt_matrix *m, const bool *wanted, const bool *refused,
                      size_t left_out)
{
	for (size_t i = 0; i < box->sides; i++) {
		struct kt_rule_side *side = &box->side[i];

		side->low = INT64_MAX;
		side->high = INT64_MIN;
		for (size_t p = 0; p < m->problems; p++) {
			const int64_t at = measure(m, p, side->of);

			if (!wanted[p] || p == left_out)
				continue;
			if (at < side->low)
				side->low = at;
			if (at > side->high)
				side->high = at;
		}
		/* Nothing is wanted: no box. */
		if (side->low > side->high)
			return false;
	}
	for (size_t p = 0; p < m->problems; p++)
		if (refused[p] && p != left_out && in_box(box, m, p, SIZE_MAX))
			return false;
	for (size_t i = 0; i < box->sides; i++)
		widen(box, i, m, refused, left_out);
	return true;
}

/* One side a variable that may be named. */
static struct kt_rule_box box_of_variables(const struct kt_matrix *m)
{
	struct kt_rule_box box = {.sides = 0};

	for (size_t v = 0; v < m->variables; v++)
		if (allowed(m, v))
			box.side[box.sides++].of = (uint32_t)1 << v;
	return box;
}

/* A listed problem that gains less may be given up for a condition; each word of a condition has to gain words_cost. */
static const double given_up = 0.03, words_cost = 0.02;
/* A bound between sizes that are nearer than the ratio `room` is weak evidence: it scores less, by up to narrow_cost. */
static const double room = 1.25, narrow_cost = 0.1;

/* A divisor scores less than a bound that keeps out as much: sizes that lose may share it by accident. */
static const double unit_cost = 0.1;

/* ---- bounds: conditions one after another, until nothing that is refused is left */

struct example {
	const struct kt_matrix *matrix;
	const bool *wanted, *refused;
	const double *gains;
	bool *in; /* where all conditions so far hold */
};

/* A condition that could be added: the side of a rule or a box that is left out, and what comes of it. */
struct cut {
	bool some, is_box;
	struct kt_rule_side side;
	struct kt_rule_box box;
	double score;    /* the part of what is refused that leaves, less the part of the gains that leaves with it */
	double margin;   /* of bounds: the ratio between what leaves and what stays */
};

static bool leaves(const struct cut *cut, const struct kt_matrix *m, size_t problem)
{
	return cut->is_box ? in_box(&cut->box, m, problem, SIZE_MAX)
	                   : !within(&cut->side, measure(m, problem, cut->side.of));
}

/* How many factors and bounds the condition has beyond one of each: the more, the weaker it is on other sizes. */
static int words(const struct cut *cut)
{
	int count = cut->is_box ? -1 : __builtin_popcount(cut->side.of) - 1;

	for (size_t i = 0; i < cut->box.sides; i++)
		count += (cut->box.side[i].low != INT64_MIN) + (cut->box.side[i].high != INT64_MAX);
	return count;
}

/* What the condition does. */
static void judge(struct cut *cut, const struct example *e)
{
	double refused = 0, gone = 0, gains = 0, lost = 0;

	cut->some = false;
	for (size_t p = 0; p < e->matrix->problems; p++) {
		const bool goes = e->in[p] && leaves(cut, e->matrix, p);

		if (!e->in[p])
			continue;
		refused += e->refused[p];
		gone += e->refused[p] && goes;
		gains += e->wanted[p] ? e->gains[p] : 0;
		lost += e->wanted[p] && goes ? e->gains[p] : 0;
		if (e->wanted[p] && goes && kt_matrix_lists(e->matrix, p) && e->gains[p] >= log1p(given_up))
			return;
	}
	cut->some = gone > 0 && lost < gains;
	if (cut->some)
		cut->score = gone / refused - lost / gains - words_cost * words(cut);
}

static struct cut cut_by(const struct example *e, struct kt_rule_side side)
{
	struct cut cut = {.side = side};

	judge(&cut, e);
	cut.score -= side.unit != 0 ? unit_cost : 0;
	return cut;
}

/* A box around what is refused there, and as much else that is as has no wanted one between; it ends half way to those. */
static struct cut cut_around(const struct example *e, size_t refused)
{
	const struct kt_matrix *m = e->matrix;
	struct cut cut = {.is_box = true, .box = box_of_variables(m)};
	bool members[KT_SELECT_MOST] = {false}, others[KT_SELECT_MOST];

	for (size_t p = 0; p < m->problems; p++)
		others[p] = e->in[p] && e->wanted[p];
	for (size_t n = 0; n < m->problems; n++) {
		const size_t p = (refused + n) % m->problems;
		struct kt_rule_box box = box_of_variables(m);

		members[p] = e->in[p] && e->refused[p];
		if (members[p] && learn_box(&box, m, members, others, SIZE_MAX))
			cut.box = box;
		else
			members[p] = false;
	}
	/* With a single side it is a bound. */
	if (members[refused] && words(&cut) > 0)
		judge(&cut, e);
	return cut;
}

/* The bound that keeps `keep` and what is beyond: below it, or above. It is half way to the nearest that leaves. */
static struct cut cut_at(const struct example *e, uint32_t of, bool below, int64_t keep)
{
	struct cut cut = cut_by(e, (struct kt_rule_side){of, below ? keep : INT64_MIN, below ? INT64_MAX : keep, 0});
	int64_t outer = below ? INT64_MIN : INT64_MAX;

	for (size_t p = 0; p < e->matrix->problems && cut.some; p++) {
		const int64_t at = measure(e->matrix, p, of);

		if (e->in[p] && (below ? at < keep && at > outer : at > keep && at < outer))
			outer = at;
	}
	if (!cut.some)
		return cut;
	*(below ? &cut.side.low : &cut.side.high) = half_way(keep, outer);
	cut.margin = fabs(log(fmax(1, (double)keep) / fmax(1, (double)outer)));
	cut.score -= narrow_cost * fmax(0, 1 - cut.margin / log(room));
	return cut;
}

/*
 * More of what is refused leaves, or as much with fewer factors; a bound before a divisor and that before a box, the least
 * divisor, the bound with the widest margin.
 */
static bool is_better(const struct cut *a, const struct cut *b)
{
	const int factors_a = __builtin_popcount(a->side.of), factors_b = __builtin_popcount(b->side.of);

	if (!a->some || !b->some)
		return a->some;
	if (fabs(a->score - b->score) > 1e-9)
		return a->score > b->score;
	if (a->is_box != b->is_box)
		return b->is_box;
	if (factors_a != factors_b)
		return factors_a < factors_b;
	return a->side.unit != b->side.unit ? a->side.unit < b->side.unit : a->margin > b->margin;
}

/* Single variables, products of two, and of all. */
static bool is_measure(const struct kt_matrix *m, uint32_t of)
{
	const uint32_t all = all_allowed(m);

	return of != 0 && (of & ~all) == 0 && (__builtin_popcount(of) <= 2 || of == all);
}

static void keep_better(struct cut *best, struct cut cut)
{
	if (is_better(&cut, best))
		*best = cut;
}

static struct cut best_cut(const struct example *e)
{
	/* What vectors ask of rows and strides, and blocks of columns. */
	static const int64_t units[] = {2, 4, 8, 16, 32, 64, 128, 256};
	struct cut best = {.some = false};

	for (uint32_t of = 1; of < (uint32_t)1 << e->matrix->variables; of++) {
		if (!is_measure(e->matrix, of))
			continue;
		for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
			keep_better(&best, cut_by(e, (struct kt_rule_side){of, INT64_MIN, INT64_MAX, units[u]}));
		for (size_t p = 0; p < e->matrix->problems; p++)
			for (int below = 0; below < 2 && e->in[p] && e->wanted[p]; below++)
				keep_better(&best, cut_at(e, of, below != 0, measure(e->matrix, p, of)));
	}
	for (size_t p = 0; p < e->matrix->problems; p++)
		if (e->in[p] && e->refused[p])
			keep_better(&best, cut_around(e, p));
	return best;
}

/* Two conditions over the same product are one side. */
static void add_side(struct kt_rule_box *box, const struct kt_rule_side *added)
{
	struct kt_rule_side *side;
	size_t i = 0;

	while (i < box->sides && box->side[i].of != added->of)
		i++;
	side = &box->side[i];
	if (i == box->sides) {
		*side = *added;
		box->sides++;
		return;
	}
	side->low = added->low > side->low ? added->low : side->low;
	side->high = added->high < side->high ? added->high : side->high;
	side->unit = added->unit > side->unit ? added->unit : side->unit;
}

static bool any_refused(const struct example *e)
{
	for (size_t p = 0; p < e->matrix->problems; p++)
		if (e->in[p] && e->refused[p])
			return true;
	return false;
}

static bool learn_bounds(struct kt_rule *rule, const bool *wanted, const bool *refused, const double *gains,
                         size_t left_out)
{
	const struct kt_matrix *m = rule->matrix;
	bool in[KT_SELECT_MOST], some = false;
	struct example e = {m, wanted, refused, gains, in};

	if (m->problems > KT_RULE_BOUNDS_PROBLEMS)
		return false;
	for (size_t p = 0; p < m->problems; p++)
		in[p] = p != left_out && (wanted[p] || refused[p]);
	for (size_t n = 0; any_refused(&e); n++) {
		const struct cut cut = n < KT_RULE_BOUNDS ? best_cut(&e) : (struct cut){.some = false};

		if (!cut.some)
			return false;
		if (cut.is_box)
			rule->out[rule->outs++] = cut.box;
		else
			add_side(&rule->in, &cut.side);
		for (size_t p = 0; p < m->problems; p++)
			in[p] = in[p] && inside(rule, p);
	}
	for (size_t p = 0; p < m->problems; p++)
		some = some || (in[p] && wanted[p]);
	return some;
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
                   const bool *refused, const double *gains, size_t left_out)
{
	*out = (struct kt_rule){.kind = kind, .wanted = wanted, .left_out = left_out, .matrix = matrix};
	if (matrix->variables > KT_RULE_VARIABLES || all_allowed(matrix) == 0)
		return false;
	switch (kind) {
	case KT_RULE_EXACT:
		return learn_exact(matrix, wanted, refused, left_out);
	case KT_RULE_BOUNDS:
		return learn_bounds(out, wanted, refused, gains, left_out);
	case KT_RULE_INTERVAL:
		out->in = box_of_variables(matrix);
		break;
	case KT_RULE_NEAREST:
		out->in.side[out->in.sides++].of = all_allowed(matrix);
		break;
	}
	return learn_box(&out->in, matrix, wanted, refused, left_out);
}

bool kt_rule_holds(const struct kt_rule *rule, size_t problem)
{
	const struct kt_matrix *m = rule->matrix;

	if (rule->kind != KT_RULE_EXACT)
		return inside(rule, problem);
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

static void print_product(struct kt_buf *out, const struct kt_matrix *m, uint32_t of)
{
	const char *gap = "";

	for (size_t v = 0; v < m->variables; v++)
		if ((of >> v & 1) != 0) {
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

static void print_box(struct kt_buf *out, const struct kt_rule_box *box, const struct kt_matrix *m, const char **gap)
{
	for (size_t i = 0; i < box->sides; i++) {
		const struct kt_rule_side *side = &box->side[i];
		struct kt_buf product = KT_BUF(KT_LIMIT_LINE_BYTES);

		print_product(&product, m, side->of);
		print_side(out, kt_buf_text(&product), side->low, side->high, gap);
		/* The operators bind alike, from the left. */
		if (side->unit != 0)
			kt_buf_addf(out, "%s%s %% %" PRId64 " == 0", *gap, kt_buf_text(&product), side->unit);
		*gap = side->unit != 0 ? " && " : *gap;
		kt_buf_free(&product);
	}
}

void kt_rule_print(struct kt_buf *out, const struct kt_rule *rule)
{
	const char *gap = "";

	if (rule->kind == KT_RULE_EXACT) {
		print_exact(out, rule);
		return;
	}
	print_box(out, &rule->in, rule->matrix, &gap);
	for (size_t i = 0; i < rule->outs; i++) {
		const char *inner = "";

		kt_buf_addf(out, "%s!(", gap);
		print_box(out, &rule->out[i], rule->matrix, &inner);
		kt_buf_addc(out, ')');
		gap = " && ";
	}
	if (gap[0] == '\0')
		kt_buf_addc(out, '1');
}
