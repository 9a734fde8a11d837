/*
 * Choices of pairs: a key, and an integer that goes with it. The condition is evaluated for each order of the two keys and of the two
 * integers, so that its spelling does not matter. Where the greater (or lesser) key decides, and of equal keys the lesser (or greater)
 * integer, the order in which pairs are compared changes nothing.
 */
#include "generation/ir/symbolic.h"

#include <string.h>

typedef const struct kt_ir_term_of term;

enum truth { NO, YES, UNKNOWN };

/* Two keys and two integers, and how they are to each other: -1, 0, 1. */
struct orders {
	term *keys[2], *with[2];
	int key, integer;
};

/* ---- Conditions ---- */

static enum truth compared(enum kt_ir_op op, int order)
{
	switch (op) {
	case KT_IR_LT:
		return order < 0;
	case KT_IR_LE:
		return order <= 0;
	case KT_IR_GT:
		return order > 0;
	case KT_IR_GE:
		return order >= 0;
	case KT_IR_EQ:
		return order == 0;
	case KT_IR_NE:
		return order != 0;
	default:
		return UNKNOWN;
	}
}

static bool are(term *const *pair, term *a, term *b)
{
	return a != NULL && pair[0] == a && pair[1] == b;
}

static enum truth comparison(const struct orders *o, term *t)
{
	if (are(t->parts, o->keys[0], o->keys[1]))
		return compared(t->value->op, o->key);
	if (are(t->parts, o->keys[1], o->keys[0]))
		return compared(t->value->op, -o->key);
	if (are(t->parts, o->with[0], o->with[1]))
		return compared(t->value->op, o->integer);
	if (are(t->parts, o->with[1], o->with[0]))
		return compared(t->value->op, -o->integer);
	return UNKNOWN;
}

static enum truth truth_of(const struct orders *o, term *t)
{
	enum truth first;
	int64_t number;

	if (t->kind == KT_IR_T_CONSTANT)
		return kt_ir_is_constant(t->value, &number) ? number != 0 : UNKNOWN;
	if (t->kind != KT_IR_T_OP)
		return UNKNOWN;
	if (kt_ir_ops[t->value->op].operands == KT_IR_SCALARS)
		return comparison(o, t);
	first = truth_of(o, t->parts[0]);
	switch (t->value->op) {
	case KT_IR_NOT:
		return first == UNKNOWN ? UNKNOWN : first == NO;
	case KT_IR_BOTH:
		return first == YES ? truth_of(o, t->parts[1]) : first;
	case KT_IR_EITHER:
		return first == NO ? truth_of(o, t->parts[1]) : first;
	case KT_IR_SELECT:
		return first == UNKNOWN ? UNKNOWN : truth_of(o, t->parts[first == YES ? 1 : 2]);
	default:
		return UNKNOWN;
	}
}

/* Does the condition hold where the first key is the greater one (1), the lesser one (-1); 0: neither alone decides. */
static int by_key(struct orders *o, term *condition)
{
	int found = 0;

	for (o->integer = -1; o->integer <= 1; o->integer++) {
		enum truth above, below;

		o->key = 1;
		above = truth_of(o, condition);
		o->key = -1;
		below = truth_of(o, condition);
		if (above == UNKNOWN || below == UNKNOWN || above == below)
			return 0;
		found += above == YES ? 1 : -1;
	}
	return found == 3 ? 1 : found == -3 ? -1 : 0;
}

/* The same for the integers, of equal keys. */
static int by_integer(struct orders *o, term *condition)
{
	enum truth above, below;

	o->key = 0;
	o->integer = 1;
	above = truth_of(o, condition);
	o->integer = -1;
	below = truth_of(o, condition);
	return above == UNKNOWN || below == UNKNOWN || above == below ? 0 : above == YES ? 1 : -1;
}

/* ---- Pairs of which the condition is about ---- */

enum { MOST_COMPARED = 4 };

struct found {
	size_t count;
	term *pairs[MOST_COMPARED][2];
	bool fits;
};

/* The pairs of terms that it compares, each once. */
static void collect(struct found *f, term *t)
{
	if (t->kind != KT_IR_T_OP || !f->fits)
		return;
	if (kt_ir_ops[t->value->op].operands != KT_IR_SCALARS || t->count != 2) {
		for (size_t i = 0; i < t->count; i++)
			collect(f, t->parts[i]);
		return;
	}
	for (size_t i = 0; i < f->count; i++)
		if (are(f->pairs[i], t->parts[0], t->parts[1]) || are(f->pairs[i], t->parts[1], t->parts[0]))
			return;
	f->fits = f->count < MOST_COMPARED;
	if (f->fits)
		memcpy(f->pairs[f->count++], t->parts, sizeof *f->pairs);
}

static const struct kt_ir_type *type_of(term *t)
{
	return t->kind == KT_IR_T_LEAF ? t->symbol->type : t->value == NULL ? NULL : t->value->type;
}

static bool is_word(term *t)
{
	const struct kt_ir_type *type = type_of(t);

	return type != NULL && kt_ir_is_number(type) && (type->bits == 32 || type->bits == 64);
}

static bool is_integer(term *t)
{
	return is_word(t) && type_of(t)->kind == KT_IR_INTEGER;
}

/* ---- Shares ---- */

/* Pairs of several threads, of the same key and integer for each; and a pair that all have. */
struct share {
	term *key, *integer, *more_key, *more_integer;
	uint64_t set[KT_IR_TERM_WORDS];
};

static bool share_of(struct share *s, term *key, term *integer)
{
	const int thread = key->thread >= 0 ? key->thread : integer->thread;

	*s = (struct share){.key = NULL};
	if (integer->kind == KT_IR_T_WITH && integer->thread != KT_IR_EVERY) {
		if (integer->parts[2] != key)
			return false;
		*s = (struct share){key->parts[0], integer->parts[0], key->parts[1], integer->parts[1], {0}};
		memcpy(s->set, integer->set, sizeof s->set);
		return true;
	}
	if (key->thread == KT_IR_EVERY && integer->thread == KT_IR_EVERY) {
		s->more_key = key;
		s->more_integer = integer;
		return true;
	}
	if (thread < 0 || (key->thread != thread && key->thread != KT_IR_EVERY) ||
	    (integer->thread != thread && integer->thread != KT_IR_EVERY))
		return false;
	s->key = key->own;
	s->integer = integer->own;
	s->set[thread / 64] = 1ULL << thread % 64;
	return true;
}

/* The integer that goes with the chosen key of both shares; bad: their pairs are not alike. */
static term *joined(struct kt_ir_terms *terms, const struct kt_ir_value *value, const struct share *a, const struct share *b, term *key)
{
	term *parts[3] = {a->integer != NULL ? a->integer : b->integer, a->more_integer != NULL ? a->more_integer : b->more_integer, key};
	uint64_t set[KT_IR_TERM_WORDS];
	struct kt_ir_term_of with = {.kind = KT_IR_T_WITH, .value = value, .count = 3, .parts = parts, .set = set, .thread = KT_IR_MIXED};

	if (a->key != NULL && b->key != NULL && (a->key != b->key || a->integer != b->integer))
		return terms->bad;
	if (a->more_key != NULL && b->more_key != NULL && (a->more_key != b->more_key || a->more_integer != b->more_integer))
		return terms->bad;
	for (size_t i = 0; i < KT_IR_TERM_WORDS; i++)
		set[i] = a->set[i] | b->set[i];
	if (key->kind != KT_IR_T_TOTAL || memcmp(key->set, set, sizeof set) != 0)
		return terms->bad;
	if (kt_ir_term_is_whole(terms, set))
		with.thread = KT_IR_EVERY;
	return kt_ir_term_unique(terms, &with);
}

/* The greater or lesser key. */
static term *key_of(struct kt_ir_terms *terms, term *const *keys, bool is_greatest)
{
	const char *name = kt_ir_extreme_name(type_of(keys[0]), is_greatest);
	const struct kt_ir_value *function = name == NULL ? NULL : kt_ir_term_example(terms, KT_IR_INTRINSIC, type_of(keys[0]), name);

	return function == NULL ? terms->bad : kt_ir_term_apply(terms, function, keys, 2);
}

/* ---- Selections ---- */

/* What the selection gives of these keys and integers; NULL: it is not by them. */
static term *by(struct kt_ir_terms *terms, struct orders *o, term *condition, bool is_key)
{
	const int direction = by_key(o, condition), tie = by_integer(o, condition);
	const struct kt_ir_value *value;
	struct share a, b;

	if (direction == 0)
		return NULL;
	if (!kt_ir_term_is_number(terms, o->keys[0]) || !kt_ir_term_is_number(terms, o->keys[1])) {
		terms->meets_nan = true;
		return terms->bad;
	}
	if (is_key)
		return key_of(terms, o->keys, direction > 0);
	if (tie == 0) {
		terms->meets_tie = true;
		return terms->bad;
	}
	if (!share_of(&a, o->keys[0], o->with[0]) || !share_of(&b, o->keys[1], o->with[1]))
		return NULL;
	value = kt_ir_term_example(terms, KT_IR_INTRINSIC, type_of(o->with[0]), tie > 0 ? "max" : "min");
	return value == NULL ? terms->bad : joined(terms, value, &a, &b, key_of(terms, o->keys, direction > 0));
}

term *kt_ir_term_chosen_pair(struct kt_ir_terms *terms, term *const *operands)
{
	struct found f = {.fits = true};
	term *taken = operands[1], *other = operands[2], *made = NULL;

	collect(&f, operands[0]);
	for (size_t i = 0; f.fits && made == NULL && i < f.count; i++) {
		struct orders o = {.keys = {f.pairs[i][0], f.pairs[i][1]}};
		const bool is_key = are(f.pairs[i], taken, other) || are(f.pairs[i], other, taken);

		for (size_t k = 0; made == NULL && is_word(o.keys[0]) && k < (is_key ? f.count : 2); k++) {
			if (is_key) {
				/* Of the keys themselves: the integers are any other pair. */
				o.keys[0] = taken;
				o.keys[1] = other;
				memcpy(o.with, k == i ? (term *[2]){NULL, NULL} : f.pairs[k], sizeof o.with);
			} else {
				o.keys[0] = f.pairs[i][k];
				o.keys[1] = f.pairs[i][1 - k];
				o.with[0] = taken;
				o.with[1] = other;
			}
			if (is_key || is_integer(taken))
				made = by(terms, &o, operands[0], is_key);
		}
	}
	return made == NULL ? terms->bad : made;
}
