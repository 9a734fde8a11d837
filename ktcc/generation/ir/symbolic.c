/* Terms: a table of unique ones, and how operations make totals of them. */
#include "generation/ir/symbolic.h"

#include <string.h>

#include "generation/ir/normal.h"

typedef const struct kt_ir_term_of term;

enum { BUCKETS = 1 << 13, WORDS = KT_IR_TERM_WORDS };

/* ---- The table ---- */

static uint64_t mix(uint64_t hash, uint64_t with)
{
	hash = (hash ^ with) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

/* Do the operations of two values differ in nothing but their operands? */
static bool same_operation(const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	if (a == b)
		return true;
	return a != NULL && b != NULL && a->op == b->op && a->type == b->type && a->mode == b->mode &&
	       a->no_wrap == b->no_wrap && a->bits[0] == b->bits[0] && a->bits[1] == b->bits[1] && a->axis == b->axis &&
	       a->dimension == b->dimension &&
	       (a->name == b->name || (a->name != NULL && b->name != NULL && strcmp(a->name, b->name) == 0));
}

static uint64_t hash_of(const struct kt_ir_term_of *t)
{
	uint64_t hash = mix((uint64_t)t->kind, (uint64_t)(uintptr_t)t->symbol);

	hash = mix(hash, (uint64_t)t->version << 32 | (uint32_t)t->thread);
	if (t->value != NULL)
		hash = mix(mix(hash, (uint64_t)t->value->op << 32 | t->value->axis), t->value->bits[0]);
	for (size_t i = 0; i < t->count; i++)
		hash = mix(hash, (uint64_t)(uintptr_t)t->parts[i]);
	for (size_t i = 0; t->set != NULL && i < WORDS; i++)
		hash = mix(hash, t->set[i]);
	return hash;
}

static bool same(const struct kt_ir_term_of *a, const struct kt_ir_term_of *b)
{
	return a->kind == b->kind && a->symbol == b->symbol && a->version == b->version && a->thread == b->thread &&
	       a->count == b->count && (a->set == NULL) == (b->set == NULL) && same_operation(a->value, b->value) &&
	       (a->count == 0 || memcmp(a->parts, b->parts, a->count * sizeof *a->parts) == 0) &&
	       (a->set == NULL || memcmp(a->set, b->set, WORDS * sizeof *a->set) == 0);
}

/* The one term that is equal; `own` is filled for a new one. */
static term *unique(struct kt_ir_terms *terms, const struct kt_ir_term_of *wanted, term *own)
{
	term **bucket = &terms->buckets[hash_of(wanted) % terms->bucket_count];
	struct kt_ir_term_of *made;

	for (term *t = *bucket; t != NULL; t = t->next)
		if (same(t, wanted))
			return t;
	made = kt_arena_alloc(terms->arena, sizeof *made);
	if (made == NULL) {
		terms->failed = true;
		return terms->bad;
	}
	*made = *wanted;
	if (wanted->count > 0) {
		made->parts = kt_arena_array(terms->arena, wanted->count, sizeof *made->parts);
		if (made->parts == NULL) {
			terms->failed = true;
			return terms->bad;
		}
		memcpy(made->parts, wanted->parts, wanted->count * sizeof *made->parts);
	}
	if (wanted->set != NULL) {
		made->set = kt_arena_array(terms->arena, WORDS, sizeof *made->set);
		if (made->set == NULL) {
			terms->failed = true;
			return terms->bad;
		}
		memcpy(made->set, wanted->set, WORDS * sizeof *made->set);
	}
	made->own = made->thread == KT_IR_EVERY || made->thread == KT_IR_SELF ? made : own;
	made->next = *bucket;
	*bucket = made;
	return made;
}

bool kt_ir_terms_start(struct kt_ir_terms *terms, struct kt_ir_module *module, struct kt_arena *arena, unsigned threads)
{
	static const struct kt_ir_term_of bad = {.kind = KT_IR_T_BAD, .thread = KT_IR_MIXED};

	*terms = (struct kt_ir_terms){.module = module, .arena = arena, .threads = threads, .bucket_count = BUCKETS, .bad = &bad};
	terms->buckets = kt_arena_array(arena, BUCKETS, sizeof *terms->buckets);
	return terms->buckets != NULL;
}

term *kt_ir_term_constant(struct kt_ir_terms *terms, const struct kt_ir_value *constant)
{
	if (constant == NULL) {
		terms->failed = true;
		return terms->bad;
	}
	return unique(terms, &(struct kt_ir_term_of){.kind = KT_IR_T_CONSTANT, .value = constant, .thread = KT_IR_EVERY}, NULL);
}

term *kt_ir_term_axis(struct kt_ir_terms *terms, const struct kt_ir_value *axis)
{
	return unique(terms, &(struct kt_ir_term_of){.kind = KT_IR_T_AXIS, .value = axis, .thread = KT_IR_EVERY}, NULL);
}

term *kt_ir_term_leaf(struct kt_ir_terms *terms, const struct kt_ir_symbol *symbol, unsigned version, int thread)
{
	struct kt_ir_term_of leaf = {.kind = KT_IR_T_LEAF, .symbol = symbol, .version = version, .thread = KT_IR_SELF};
	term *own = thread == KT_IR_EVERY ? NULL : unique(terms, &leaf, NULL);

	leaf.thread = thread;
	return unique(terms, &leaf, own);
}

/* ---- Totals ---- */

static const struct {
	enum kt_ir_op op;
	const char *name;
	int number;
} combining[] = {
    {KT_IR_ADD, NULL, KT_IR_TOTAL_ADD},		  {KT_IR_AND, NULL, KT_IR_TOTAL_AND},
    {KT_IR_OR, NULL, KT_IR_TOTAL_OR},		  {KT_IR_XOR, NULL, KT_IR_TOTAL_XOR},
    {KT_IR_INTRINSIC, "min", KT_IR_TOTAL_MIN},	  {KT_IR_INTRINSIC, "max", KT_IR_TOTAL_MAX},
    {KT_IR_INTRINSIC, "fminf", KT_IR_TOTAL_MIN},  {KT_IR_INTRINSIC, "fmaxf", KT_IR_TOTAL_MAX},
    {KT_IR_INTRINSIC, "fmin", KT_IR_TOTAL_MIN},	  {KT_IR_INTRINSIC, "fmax", KT_IR_TOTAL_MAX},
};

int kt_ir_total_of(enum kt_ir_op op, const char *name)
{
	for (size_t i = 0; i < sizeof combining / sizeof *combining; i++)
		if (combining[i].op == op && (combining[i].name == NULL || strcmp(combining[i].name, name) == 0))
			return combining[i].number;
	return -1;
}

static bool is_idempotent(int number)
{
	return number != KT_IR_TOTAL_ADD && number != KT_IR_TOTAL_XOR;
}

/* Does the constant change nothing? Of least and greatest values any constant is kept as an extra term. */
static bool is_neutral(int number, term *t)
{
	int64_t whole;

	if (t->kind != KT_IR_T_CONSTANT || is_idempotent(number))
		return false;
	if (t->value->type->kind == KT_IR_FLOAT)
		return kt_ir_real_of(t->value) == 0;
	return kt_ir_is_constant(t->value, &whole) && whole == 0;
}

/* A set of threads over one part: a total, or one thread's term. */
struct share {
	term *part, *extra;
	uint64_t set[WORDS];
};

static bool share_of(struct share *share, term *t, const struct kt_ir_value *operation)
{
	*share = (struct share){.part = NULL};
	if (t->kind == KT_IR_T_TOTAL && t->thread != KT_IR_EVERY && t->value->type == operation->type &&
	    kt_ir_total_of(t->value->op, t->value->name) == kt_ir_total_of(operation->op, operation->name)) {
		share->part = t->parts[0];
		share->extra = t->parts[1];
		memcpy(share->set, t->set, sizeof share->set);
		return true;
	}
	if (t->thread >= 0) {
		share->part = t->own;
		share->set[t->thread / 64] = 1ULL << t->thread % 64;
		return true;
	}
	if (t->thread == KT_IR_EVERY) {
		share->extra = t;
		return true;
	}
	return false;
}

bool kt_ir_term_is_whole(const struct kt_ir_terms *terms, const uint64_t *set)
{
	for (unsigned i = 0; i < terms->threads; i++)
		if ((set[i / 64] >> i % 64 & 1) == 0)
			return false;
	return true;
}

static term *operation(struct kt_ir_terms *terms, const struct kt_ir_value *value, term *const *operands, size_t count);

/* Both shares together. */
static term *join(struct kt_ir_terms *terms, const struct kt_ir_value *value, int number, const struct share *a,
		  const struct share *b)
{
	struct kt_ir_term_of total = {.kind = KT_IR_T_TOTAL, .value = value, .count = 2, .thread = KT_IR_MIXED};
	term *parts[2] = {a->part != NULL ? a->part : b->part, a->extra != NULL ? a->extra : b->extra};
	uint64_t set[WORDS];

	if (a->part != NULL && b->part != NULL && a->part != b->part)
		return terms->bad;
	if (a->extra != NULL && b->extra != NULL && a->extra != b->extra)
		parts[1] = operation(terms, value, (term *[]){a->extra, b->extra}, 2);
	if (parts[1] != NULL && !is_idempotent(number))
		return terms->bad;
	for (size_t i = 0; i < WORDS; i++) {
		if ((a->set[i] & b->set[i]) != 0 && !is_idempotent(number))
			return terms->bad;
		set[i] = a->set[i] | b->set[i];
	}
	total.parts = parts;
	total.set = set;
	if (kt_ir_term_is_whole(terms, set))
		total.thread = KT_IR_EVERY;
	return unique(terms, &total, NULL);
}

/* ---- Operations ---- */

static term *folded(struct kt_ir_terms *terms, const struct kt_ir_value *value, term *const *operands, size_t count)
{
	struct kt_ir_module *m = terms->module;
	const struct kt_ir_value *arguments[3] = {NULL, NULL, NULL}, *made;

	if (count > 3 || value->op == KT_IR_INTRINSIC)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (operands[i]->kind != KT_IR_T_CONSTANT)
			return NULL;
		arguments[i] = operands[i]->value;
	}
	if (value->op == KT_IR_CONVERT)
		made = kt_ir_convert(m, arguments[0], value->type, value->mode);
	else
		made = kt_ir_apply(m, value->op, arguments[0], arguments[1], arguments[2]);
	if (made != NULL && value->no_wrap)
		made = kt_ir_no_wrap(m, made);
	made = made == NULL ? NULL : kt_ir_folded(m, made);
	return made != NULL && made->op == KT_IR_CONSTANT ? kt_ir_term_constant(terms, made) : NULL;
}

/* Conditions of several threads' terms are for selections alone. */
static bool is_condition(const struct kt_ir_value *v)
{
	switch (v->op) {
	case KT_IR_LT:
	case KT_IR_LE:
	case KT_IR_GT:
	case KT_IR_GE:
	case KT_IR_EQ:
	case KT_IR_NE:
	case KT_IR_NOT:
	case KT_IR_BOTH:
	case KT_IR_EITHER:
		return true;
	default:
		return v->op == KT_IR_SELECT && v->type->kind == KT_IR_BOOL;
	}
}

static int thread_of(term *const *operands, size_t count)
{
	int thread = KT_IR_EVERY;

	for (size_t i = 0; i < count; i++) {
		if (operands[i]->thread == KT_IR_EVERY || operands[i]->thread == thread)
			continue;
		if (thread != KT_IR_EVERY)
			return KT_IR_MIXED;
		thread = operands[i]->thread;
	}
	return thread;
}

static term *operation(struct kt_ir_terms *terms, const struct kt_ir_value *value, term *const *operands, size_t count)
{
	struct kt_ir_term_of made = {.kind = KT_IR_T_OP, .value = value, .count = count, .thread = thread_of(operands, count)};
	term *all[4], *own = NULL;

	if (count > 4 || (made.thread == KT_IR_MIXED && !is_condition(value)))
		return terms->bad;
	memcpy(all, operands, count * sizeof *all);
	if (made.thread >= 0) {
		struct kt_ir_term_of mine = made;

		for (size_t i = 0; i < count; i++)
			all[i] = operands[i]->own;
		mine.parts = all;
		mine.thread = KT_IR_SELF;
		own = unique(terms, &mine, NULL);
		memcpy(all, operands, count * sizeof *all);
	}
	made.parts = all;
	return unique(terms, &made, own);
}

static bool truth_of(term *t, bool *truth)
{
	int64_t number;

	if (t->kind != KT_IR_T_CONSTANT || !kt_ir_is_constant(t->value, &number))
		return false;
	*truth = number != 0;
	return true;
}

/* Selections and logic whose first operand decides. */
static term *decided(const struct kt_ir_value *value, term *const *operands)
{
	bool truth;

	if ((value->op != KT_IR_SELECT && value->op != KT_IR_BOTH && value->op != KT_IR_EITHER) ||
	    !truth_of(operands[0], &truth))
		return NULL;
	if (value->op == KT_IR_SELECT)
		return operands[truth ? 1 : 2];
	return truth == (value->op == KT_IR_BOTH) ? operands[1] : operands[0];
}

/* ---- Choices by comparison ---- */

static const struct kt_ir_type *type_of(term *t)
{
	return t->kind == KT_IR_T_LEAF ? t->symbol->type : t->value == NULL ? NULL : t->value->type;
}

static bool extreme_of(struct kt_ir_extreme *extreme, term *const *operands)
{
	term *condition = operands[0], *a, *b;
	bool is_not = false;

	for (; condition->kind == KT_IR_T_OP && condition->value->op == KT_IR_NOT; condition = condition->parts[0])
		is_not = !is_not;
	if (condition->kind != KT_IR_T_OP || condition->count != 2)
		return false;
	a = operands[is_not ? 2 : 1];
	b = operands[is_not ? 1 : 2];
	if (!kt_ir_extreme_by(extreme, condition->value->op, condition->parts[0] == a && condition->parts[1] == b,
			      condition->parts[0] == b && condition->parts[1] == a))
		return false;
	extreme->kept = is_not ? 1 : 2;
	return true;
}

/* Is it a number, whatever threads have loaded? */
bool kt_ir_term_is_number(const struct kt_ir_terms *terms, term *t)
{
	const struct kt_ir_type *type = type_of(t);
	struct kt_ir_extreme extreme;
	bool are[4] = {false, false, false, false};

	if (type == NULL || t->kind == KT_IR_T_BAD)
		return false;
	if (type->kind != KT_IR_FLOAT)
		return true;
	if (t->kind == KT_IR_T_LEAF)
		return terms->numbers != NULL && t->symbol->id < terms->numbers->count && terms->numbers->is[t->symbol->id];
	if (t->kind == KT_IR_T_TOTAL)
		return is_idempotent(kt_ir_total_of(t->value->op, t->value->name)) &&
		       (kt_ir_term_is_number(terms, t->parts[0]) || (t->parts[1] != NULL && kt_ir_term_is_number(terms, t->parts[1])));
	for (size_t i = 0; i < t->count && i < 4; i++)
		are[i] = kt_ir_term_is_number(terms, t->parts[i]);
	return kt_ir_gives_number(t->value, are, t->count,
				  t->value->op == KT_IR_SELECT && extreme_of(&extreme, t->parts) ? &extreme : NULL);
}

/* A value of nothing but its operation. */
const struct kt_ir_value *kt_ir_term_example(struct kt_ir_terms *terms, enum kt_ir_op op, const struct kt_ir_type *type,
					 const char *name)
{
	struct kt_ir_value *made = kt_arena_alloc(terms->arena, sizeof *made);

	if (made == NULL)
		terms->failed = true;
	else
		*made = (struct kt_ir_value){.op = op, .type = type, .name = name};
	return made;
}

/* The selection of several threads' terms as a maximum or minimum of theirs; bad: it is none in any order. */
static term *chosen(struct kt_ir_terms *terms, const struct kt_ir_value *value, term *const *operands)
{
	struct kt_ir_extreme extreme;
	const struct kt_ir_value *function;
	const char *name;

	if (!extreme_of(&extreme, operands))
		return kt_ir_term_chosen_pair(terms, operands);
	if (!kt_ir_term_is_number(terms, operands[extreme.kept])) {
		terms->meets_nan = true;
		return terms->bad;
	}
	name = kt_ir_extreme_name(value->type, extreme.is_greatest);
	function = name == NULL ? NULL : kt_ir_term_example(terms, KT_IR_INTRINSIC, value->type, name);
	return function == NULL ? terms->bad : kt_ir_term_apply(terms, function, &operands[1], 2);
}

term *kt_ir_term_unique(struct kt_ir_terms *terms, term *wanted)
{
	return unique(terms, wanted, NULL);
}

static term *logic(struct kt_ir_terms *terms, enum kt_ir_op op, term *const *operands, size_t count)
{
	const struct kt_ir_value *value = kt_ir_term_example(terms, op, kt_ir_bool(terms->module), NULL);

	return value == NULL ? terms->bad : kt_ir_term_apply(terms, value, operands, count);
}

term *kt_ir_term_both(struct kt_ir_terms *terms, term *a, term *b)
{
	return a == NULL ? b : logic(terms, KT_IR_BOTH, (term *[]){a, b}, 2);
}

term *kt_ir_term_not(struct kt_ir_terms *terms, term *condition)
{
	return logic(terms, KT_IR_NOT, &condition, 1);
}

term *kt_ir_term_select(struct kt_ir_terms *terms, const struct kt_ir_type *type, term *condition, term *taken, term *other)
{
	const struct kt_ir_value *value = kt_ir_term_example(terms, KT_IR_SELECT, type, NULL);

	return value == NULL ? terms->bad : kt_ir_term_apply(terms, value, (term *[]){condition, taken, other}, 3);
}

/* ---- All operations ---- */

term *kt_ir_term_apply(struct kt_ir_terms *terms, const struct kt_ir_value *value, term *const *operands, size_t count)
{
	const int number = count == 2 ? kt_ir_total_of(value->op, value->name) : -1;
	term *found = count == 0 ? NULL : decided(value, operands);
	struct share a, b;

	if (found != NULL)
		return found;
	if (number >= 0 && is_idempotent(number) && operands[0] == operands[1])
		return operands[0];
	if (value->op == KT_IR_SELECT && operands[1] == operands[2])
		return operands[1];
	for (size_t i = 0; i < count; i++)
		if (operands[i]->kind == KT_IR_T_BAD)
			return terms->bad;
	found = folded(terms, value, operands, count);
	if (found != NULL)
		return found;
	if (value->op == KT_IR_SELECT && thread_of(operands, count) == KT_IR_MIXED && !is_condition(value))
		return chosen(terms, value, operands);
	/* Of totals alone: a zero that is added to a single value may change its sign. */
	for (size_t i = 0; number >= 0 && i < 2; i++)
		if (is_neutral(number, operands[i]) &&
		    (operands[1 - i]->kind == KT_IR_T_TOTAL || is_neutral(number, operands[1 - i])))
			return operands[1 - i];
	if (number < 0 || thread_of(operands, count) == KT_IR_EVERY)
		return operation(terms, value, operands, count);
	/* What one thread does with its own values is an operation as any other. */
	if (thread_of(operands, count) >= 0)
		return operation(terms, value, operands, count);
	if (!share_of(&a, operands[0], value) || !share_of(&b, operands[1], value))
		return terms->bad;
	return join(terms, value, number, &a, &b);
}

term *kt_ir_term_combine(struct kt_ir_terms *terms, enum kt_ir_op op, term *a, term *b)
{
	const struct kt_ir_type *type = a->kind == KT_IR_T_TOTAL || a->kind == KT_IR_T_OP ? a->value->type : NULL;
	const struct kt_ir_value *zero, *example;

	if (a->kind == KT_IR_T_LEAF)
		type = a->symbol->type;
	if (type == NULL)
		return terms->bad;
	zero = kt_ir_constant(terms->module, type, 0);
	example = kt_ir_apply(terms->module, op, zero, zero, NULL);
	return example == NULL ? terms->bad : kt_ir_term_apply(terms, example, (term *[]){a, b}, 2);
}
