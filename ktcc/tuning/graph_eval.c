/* The graph of expressions: evaluation of one node over ranges. */
#include <math.h>

#include "tuning/graph_internal.h"

static const struct kt_bounds anything = {{INT64_MIN}, {INT64_MAX}, KT_RANGE_SURE};

static bool is_point(const struct kt_bounds *range)
{
	return range->lo.i == range->hi.i;
}

static struct kt_bounds whole(const struct kt_node_record *record)
{
	struct kt_bounds range = anything;

	range.state = KT_RANGE_MAY_FAIL;
	if (record->kind == KT_VALUE_REAL) {
		range.lo.d = -INFINITY;
		range.hi.d = INFINITY;
	} else if (record->boolean) {
		range.lo.i = 0;
		range.hi.i = 1;
	}
	return range;
}

/* Operators that are monotone in each operand where the others are constant take their extremes in the corners. */
static struct kt_bounds corners(const struct kt_node_record *record, const unsigned char kinds[2],
			       const struct kt_bounds *a, const struct kt_bounds *b)
{
	const union kt_scalar_value first[2] = {a->lo, a->hi}, second[2] = {b->lo, b->hi};
	struct kt_bounds range = {{0}, {0}, a->state | b->state};
	const unsigned most_a = is_point(a) ? 1 : 2, most_b = is_point(b) ? 1 : 2;
	union kt_scalar_value value = {0};

	for (unsigned i = 0; i < most_a; i++) {
		for (unsigned j = 0; j < most_b; j++) {
			const bool start = i == 0 && j == 0;

			if (kt_point_apply(&value, record, kinds, first[i], second[j]) != NULL)
				return whole(record);
			if (record->kind == KT_VALUE_REAL) {
				if (isnan(value.d))
					return whole(record);
				range.lo.d = start || value.d < range.lo.d ? value.d : range.lo.d;
				range.hi.d = start || value.d > range.hi.d ? value.d : range.hi.d;
			} else {
				range.lo.i = start || value.i < range.lo.i ? value.i : range.lo.i;
				range.hi.i = start || value.i > range.hi.i ? value.i : range.hi.i;
			}
		}
	}
	return range;
}

static double real_bound(const struct kt_bounds *range, unsigned char kind, bool high)
{
	return kt_point_real(high ? range->hi : range->lo, kind);
}

/* Does the divisor stay clear of 0? */
static bool excludes_zero(const struct kt_bounds *range, unsigned char kind)
{
	return real_bound(range, kind, false) > 0 || real_bound(range, kind, true) < 0;
}

static struct kt_bounds remainder_range(const struct kt_node_record *record, const struct kt_bounds *a,
				       const struct kt_bounds *b)
{
	struct kt_bounds range = whole(record);

	if (b->lo.i <= 0)
		return range;
	range.state = a->state | b->state;
	range.hi.i = b->hi.i - 1;
	range.lo.i = record->op == KT_NODE_MODULO || a->lo.i >= 0 ? 0 : -range.hi.i;
	if (a->lo.i < 0)
		return range;
	if (a->hi.i < b->lo.i) { /* smaller than every divisor: itself */
		range.lo = a->lo;
		range.hi = a->hi;
	} else if (is_point(b) && a->lo.i / b->lo.i == a->hi.i / b->lo.i) {
		range.lo.i = a->lo.i % b->lo.i;
		range.hi.i = a->hi.i % b->lo.i;
	} else if (a->hi.i < range.hi.i) {
		range.hi = a->hi;
	}
	return range;
}

static struct kt_bounds bits_range(const struct kt_node_record *record, const struct kt_bounds *a,
				  const struct kt_bounds *b)
{
	struct kt_bounds range = whole(record);

	range.state = a->state | b->state;
	if (a->lo.i < 0 || b->lo.i < 0)
		return range;
	range.lo.i = 0;
	if (record->op == KT_NODE_BIT_AND)
		range.hi.i = a->hi.i < b->hi.i ? a->hi.i : b->hi.i;
	return range;
}

static struct kt_bounds arithmetic(const struct kt_node_record *record, const unsigned char kinds[2],
				  const struct kt_bounds *a, const struct kt_bounds *b)
{
	const bool integers = kinds[0] != KT_VALUE_REAL && kinds[1] != KT_VALUE_REAL;

	if (is_point(a) && is_point(b)) {
		struct kt_bounds range = {{0}, {0}, a->state | b->state};

		if (kt_point_apply(&range.lo, record, kinds, a->lo, b->lo) != NULL)
			range.state = KT_RANGE_FAILS;
		range.hi = range.lo;
		return range;
	}
	switch (record->op) {
	case KT_NODE_QUOTIENT:
	case KT_NODE_CEIL_DIV:
	case KT_NODE_FLOOR_DIVIDE:
	case KT_NODE_DIVIDE:
		return excludes_zero(b, kinds[1]) ? corners(record, kinds, a, b) : whole(record);
	case KT_NODE_REMAINDER:
	case KT_NODE_MODULO:
		return integers ? remainder_range(record, a, b) : whole(record);
	case KT_NODE_POWER:
		return real_bound(a, kinds[0], false) >= 0 && real_bound(b, kinds[1], false) >= 0 && integers
			   ? corners(record, kinds, a, b) : whole(record);
	case KT_NODE_ABSOLUTE:
		return real_bound(a, kinds[0], false) >= 0 || real_bound(a, kinds[0], true) <= 0
			   ? corners(record, kinds, a, b) : whole(record);
	case KT_NODE_BIT_AND:
	case KT_NODE_BIT_XOR:
	case KT_NODE_BIT_OR:
		return integers ? bits_range(record, a, b) : whole(record);
	case KT_NODE_GCD:
	case KT_NODE_IS_POW2:
		return whole(record);
	default:
		return corners(record, kinds, a, b);
	}
}

/* −1 below, 1 above, 0 where the ranges overlap, for left < right (or ≤ with `equal`). */
static struct kt_bounds compare(const struct kt_node_record *record, const unsigned char kinds[2],
			       const struct kt_bounds *a, const struct kt_bounds *b)
{
	struct kt_bounds range = {{.i = 0}, {.i = 1}, a->state | b->state};
	bool surely, never;

	if (kinds[0] == KT_VALUE_REAL || kinds[1] == KT_VALUE_REAL) {
		const double a_lo = kt_point_real(a->lo, kinds[0]), a_hi = kt_point_real(a->hi, kinds[0]);
		const double b_lo = kt_point_real(b->lo, kinds[1]), b_hi = kt_point_real(b->hi, kinds[1]);

		surely = record->op == KT_NODE_LESS ? a_hi < b_lo : record->op == KT_NODE_LESS_EQUAL ? a_hi <= b_lo
			 : a_lo == a_hi && b_lo == b_hi && a_lo == b_lo;
		never = record->op == KT_NODE_LESS ? a_lo >= b_hi : record->op == KT_NODE_LESS_EQUAL ? a_lo > b_hi
			: a_hi < b_lo || b_hi < a_lo;
	} else {
		surely = record->op == KT_NODE_LESS ? a->hi.i < b->lo.i
			 : record->op == KT_NODE_LESS_EQUAL ? a->hi.i <= b->lo.i
							    : is_point(a) && is_point(b) && a->lo.i == b->lo.i;
		never = record->op == KT_NODE_LESS ? a->lo.i >= b->hi.i
			: record->op == KT_NODE_LESS_EQUAL ? a->lo.i > b->hi.i
							   : a->hi.i < b->lo.i || b->hi.i < a->lo.i;
	}
	if ((kinds[0] == KT_VALUE_TEXT) != (kinds[1] == KT_VALUE_TEXT)) {
		surely = false;
		never = true;
	}
	if (record->op == KT_NODE_NOT_EQUAL) {
		const bool equal = surely;

		surely = never;
		never = equal;
	}
	range.lo.i = surely;
	range.hi.i = !never;
	return range;
}

enum truth { MAYBE, YES, NO };

static enum truth truth_of(const struct kt_bounds *range, unsigned char kind)
{
	if (kind == KT_VALUE_REAL)
		return range->lo.d > 0 || range->hi.d < 0 ? YES : range->lo.d == 0 && range->hi.d == 0 ? NO : MAYBE;
	return range->lo.i > 0 || range->hi.i < 0 ? YES : range->lo.i == 0 && range->hi.i == 0 ? NO : MAYBE;
}

static struct kt_bounds boolean(enum truth truth, unsigned char state)
{
	return (struct kt_bounds){{.i = truth == YES}, {.i = truth != NO}, state};
}

/* The second operand counts only where the first does not decide. */
static struct kt_bounds logic(bool conjunction, const struct kt_bounds *a, enum truth first, const struct kt_bounds *b,
			     enum truth second)
{
	const enum truth decides = conjunction ? NO : YES;
	const unsigned char later = b->state == KT_RANGE_SURE ? KT_RANGE_SURE : KT_RANGE_MAY_FAIL;

	if (a->state == KT_RANGE_FAILS)
		return (struct kt_bounds){{.i = 0}, {.i = 1}, KT_RANGE_FAILS};
	if (first == decides)
		return boolean(decides, a->state);
	if (b->state == KT_RANGE_FAILS && first != MAYBE && a->state == KT_RANGE_SURE)
		return (struct kt_bounds){{.i = 0}, {.i = 1}, KT_RANGE_FAILS};
	if (b->state == KT_RANGE_FAILS) /* it has a value only where the first decides, if at all */
		return boolean(MAYBE, KT_RANGE_MAY_FAIL);
	if (second == decides)
		return boolean(decides, a->state | later);
	return boolean(first == MAYBE || second == MAYBE ? MAYBE : second, a->state | later);
}

static struct kt_bounds converted(struct kt_bounds range, unsigned char from, unsigned char to)
{
	if (from == to || to != KT_VALUE_REAL)
		return range;
	range.lo.d = (double)range.lo.i;
	range.hi.d = (double)range.hi.i;
	return range;
}

static struct kt_bounds hull(struct kt_bounds a, struct kt_bounds b, unsigned char kind)
{
	if (a.state == KT_RANGE_FAILS || b.state == KT_RANGE_FAILS) {
		struct kt_bounds *known = a.state == KT_RANGE_FAILS ? &b : &a;

		if (known->state != KT_RANGE_FAILS)
			known->state = KT_RANGE_MAY_FAIL;
		return *known;
	}
	a.state |= b.state;
	if (kind == KT_VALUE_REAL) {
		a.lo.d = b.lo.d < a.lo.d ? b.lo.d : a.lo.d;
		a.hi.d = b.hi.d > a.hi.d ? b.hi.d : a.hi.d;
	} else {
		a.lo.i = b.lo.i < a.lo.i ? b.lo.i : a.lo.i;
		a.hi.i = b.hi.i > a.hi.i ? b.hi.i : a.hi.i;
	}
	return a;
}

static struct kt_bounds choose(enum truth truth, const struct kt_bounds *condition, struct kt_bounds yes,
			      struct kt_bounds no, unsigned char kind)
{
	struct kt_bounds range;

	if (condition->state == KT_RANGE_FAILS)
		return (struct kt_bounds){{0}, {0}, KT_RANGE_FAILS};
	range = truth == YES ? yes : truth == NO ? no : hull(yes, no, kind);
	if (range.state != KT_RANGE_FAILS)
		range.state |= condition->state;
	return range;
}

/* HOLDS, FAILS and ANY have a value even where an operand has none. */
static struct kt_bounds observe(enum kt_node_op op, const struct kt_bounds *a, enum truth first,
                                const struct kt_bounds *b, enum truth second)
{
	if (op == KT_NODE_FAILS)
		return boolean(a->state == KT_RANGE_SURE ? NO : a->state == KT_RANGE_FAILS ? YES : MAYBE,
			       KT_RANGE_SURE);
	if (op == KT_NODE_HOLDS)
		return boolean(a->state == KT_RANGE_FAILS || first == NO ? NO
			       : a->state == KT_RANGE_SURE		 ? first
									 : MAYBE,
			       KT_RANGE_SURE);
	if ((a->state == KT_RANGE_SURE && first == YES) || (b->state == KT_RANGE_SURE && second == YES))
		return boolean(YES, KT_RANGE_SURE);
	if (a->state == KT_RANGE_SURE && b->state == KT_RANGE_SURE)
		return boolean(first == NO && second == NO ? NO : MAYBE, KT_RANGE_SURE);
	if ((a->state == KT_RANGE_FAILS && (b->state == KT_RANGE_FAILS || (b->state == KT_RANGE_SURE && second == NO))) ||
	    (b->state == KT_RANGE_FAILS && a->state == KT_RANGE_SURE && first == NO))
		return (struct kt_bounds){{.i = 0}, {.i = 1}, KT_RANGE_FAILS};
	return boolean(MAYBE, KT_RANGE_MAY_FAIL);
}

static struct kt_bounds lazy(const struct kt_graph *graph, const struct kt_node_record *record)
{
	const struct kt_bounds *r[3] = {&anything, &anything, &anything};
	unsigned char kinds[3] = {0};
	enum truth truth[2];

	for (unsigned i = 0; i < kt_node_operands(record->op); i++) {
		r[i] = &graph->ranges[record->operands[i]];
		kinds[i] = graph->nodes[record->operands[i]].kind;
	}
	truth[0] = truth_of(r[0], kinds[0]);
	truth[1] = truth_of(r[1], kinds[1]);
	switch (record->op) {
	case KT_NODE_AND:
	case KT_NODE_OR:
		return logic(record->op == KT_NODE_AND, r[0], truth[0], r[1], truth[1]);
	case KT_NODE_AND_VALUE:
		return choose(truth[0], r[0], converted(*r[1], kinds[1], record->kind),
			      converted(*r[0], kinds[0], record->kind), record->kind);
	case KT_NODE_OR_VALUE:
		return choose(truth[0], r[0], converted(*r[0], kinds[0], record->kind),
			      converted(*r[1], kinds[1], record->kind), record->kind);
	case KT_NODE_CHOOSE:
		return choose(truth[0], r[0], converted(*r[1], kinds[1], record->kind),
			      converted(*r[2], kinds[2], record->kind), record->kind);
	case KT_NODE_NOT:
		return boolean(truth[0] == YES ? NO : truth[0] == NO ? YES : MAYBE, r[0]->state);
	case KT_NODE_TRUTH:
		return boolean(truth[0], r[0]->state);
	default:
		return observe(record->op, r[0], truth[0], r[1], truth[1]);
	}
}

/* Which operators decide by truth rather than by value. */
static bool is_lazy(enum kt_node_op op)
{
	return op == KT_NODE_NOT || op == KT_NODE_TRUTH || op == KT_NODE_HOLDS || op == KT_NODE_FAILS ||
	       op == KT_NODE_CHOOSE || (op >= KT_NODE_AND && op <= KT_NODE_ANY);
}

void kt_graph_evaluate(struct kt_graph *graph, kt_node node)
{
	const struct kt_node_record *record = &graph->nodes[node];
	const enum kt_node_op op = record->op;
	const struct kt_bounds *a, *b;
	unsigned char kinds[2];

	if (is_lazy(op)) {
		graph->ranges[node] = lazy(graph, record);
		return;
	}
	if (kt_node_operands(op) == 0)
		return;
	a = &graph->ranges[record->operands[0]];
	kinds[0] = kinds[1] = graph->nodes[record->operands[0]].kind;
	b = a;
	if (kt_node_operands(op) == 2) {
		b = &graph->ranges[record->operands[1]];
		kinds[1] = graph->nodes[record->operands[1]].kind;
	}
	if (a->state == KT_RANGE_FAILS || b->state == KT_RANGE_FAILS)
		graph->ranges[node] = (struct kt_bounds){{0}, {0}, KT_RANGE_FAILS};
	else if (op >= KT_NODE_LESS && op <= KT_NODE_NOT_EQUAL)
		graph->ranges[node] = compare(record, kinds, a, b);
	else
		graph->ranges[node] = arithmetic(record, kinds, a, b);
}

/* Walks from the root to the operand whose failing spreads, past operands that do not count. */
static kt_node find_failure(const char **reason, const struct kt_graph *graph, kt_node node)
{
	const struct kt_node_record *record = &graph->nodes[node];
	const unsigned count = kt_node_operands(record->op);
	union kt_scalar_value ignored;
	unsigned char kinds[2] = {0};
	const struct kt_bounds *a, *b;

	for (unsigned i = 0; i < count; i++)
		if (graph->ranges[record->operands[i]].state == KT_RANGE_FAILS &&
		    (record->op != KT_NODE_CHOOSE || i == 0 ||
		     (truth_of(&graph->ranges[record->operands[0]], graph->nodes[record->operands[0]].kind) == YES) ==
			 (i == 1)))
			return find_failure(reason, graph, record->operands[i]);
	if (record->op == KT_NODE_FAILURE || count == 0) {
		*reason = record->failure != NULL ? record->failure : "no value";
		return node;
	}
	a = &graph->ranges[record->operands[0]];
	b = count > 1 ? &graph->ranges[record->operands[1]] : a;
	kinds[0] = graph->nodes[record->operands[0]].kind;
	kinds[1] = count > 1 ? graph->nodes[record->operands[1]].kind : kinds[0];
	*reason = is_lazy(record->op) ? NULL : kt_point_apply(&ignored, record, kinds, a->lo, b->lo);
	if (*reason == NULL)
		*reason = "no value";
	return node;
}

kt_node kt_graph_blame(const char **reason, struct kt_graph *graph, kt_node root, const uint16_t *positions)
{
	for (kt_node node = 0; node <= root; node++) {
		const struct kt_node_record *record = &graph->nodes[node];

		if (record->op == KT_NODE_PARAMETER)
			graph->ranges[node] = kt_graph_at(graph, (size_t)record->constant.i,
							  positions[record->constant.i]);
		else if (record->parameters != 0)
			kt_graph_evaluate(graph, node);
	}
	if (graph->ranges[root].state != KT_RANGE_FAILS)
		return KT_NODE_NONE;
	return find_failure(reason, graph, root);
}
