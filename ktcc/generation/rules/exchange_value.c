#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generation/rules/exchange_machine.h"

static const struct kt_exchange_value unknown = {.kind = UNKNOWN};

static struct kt_exchange_value integer(int64_t i)
{
	return (struct kt_exchange_value){.kind = INTEGER, .integer = i};
}

struct kt_exchange_value *kt_machine_values(struct kt_machine *m)
{
	struct kt_exchange_value *values = calloc(KT_MACHINE_THREADS, sizeof *values);

	m->failed = m->failed || values == NULL;
	return values;
}

const struct kt_tree_variable *kt_machine_meant(const struct kt_machine *m, const struct kt_tree_variable *v)
{
	for (size_t i = m->alias_count; i-- > 0;)
		if (m->aliases[i].name == v)
			return m->aliases[i].stands_for;
	return v;
}

struct kt_exchange_cell *kt_machine_cell(struct kt_machine *m, const struct kt_tree_variable *v, bool make)
{
	v = kt_machine_meant(m, v);
	for (size_t i = 0; i < m->cell_count; i++)
		if (m->cells[i].variable == v)
			return &m->cells[i];
	if (!make || m->cell_count == KT_MACHINE_CELLS) {
		m->failed = m->failed || make;
		return NULL;
	}
	m->cells[m->cell_count] = (struct kt_exchange_cell){v, kt_machine_values(m)};
	return m->failed ? NULL : &m->cells[m->cell_count++];
}

static double number(const struct kt_exchange_value *v)
{
	return v->kind == INTEGER ? (double)v->integer : v->literal;
}

static bool is_extreme(enum kt_fold_kind kind)
{
	return kind == KT_FOLD_MAX || kind == KT_FOLD_MIN;
}

static double farther(enum kt_fold_kind kind, double a, double b)
{
	return (kind == KT_FOLD_MAX) == (a > b) ? a : b;
}

/* A value and a number: a sum takes zero, an extreme has the number as its bound. */
static struct kt_exchange_value fold_number(struct kt_machine *m, enum kt_fold_kind kind,
                                            const struct kt_exchange_value *v, double n)
{
	struct kt_exchange_value all = *v;

	if (kind == KT_FOLD_SUM)
		return n < 0 || n > 0 ? unknown : *v;
	if (!is_extreme(kind) || (m->kind != KT_FOLD_NONE && m->kind != kind) ||
	    (kt_scalar_is_float(m->scalar) && m->scalar != KT_F32 && m->scalar != KT_F64))
		return unknown;
	if (v->kind != PART)
		return (struct kt_exchange_value){.kind = LITERAL, .literal = farther(kind, number(v), n)};
	m->kind = kind;
	all.bound = v->bounded ? farther(kind, v->bound, n) : n;
	all.bounded = true;
	return all;
}

static struct kt_exchange_value fold(struct kt_machine *m, enum kt_fold_kind kind, const struct kt_exchange_value *a,
                                     const struct kt_exchange_value *b)
{
	struct kt_exchange_value all = *a;

	if (a->kind == UNKNOWN || b->kind == UNKNOWN)
		return unknown;
	if (b->kind != PART)
		return fold_number(m, kind, a, number(b));
	if (a->kind != PART)
		return fold_number(m, kind, b, number(a));
	if (m->kind != KT_FOLD_NONE && m->kind != kind)
		return unknown;
	m->kind = kind;
	for (size_t i = 0; i < KT_MACHINE_WORDS; i++) {
		if (kind == KT_FOLD_SUM && (a->from[i] & b->from[i]) != 0)
			return unknown;
		all.from[i] |= b->from[i];
	}
	if (b->bounded)
		return fold_number(m, kind, &all, b->bound);
	return all;
}

bool kt_machine_same(const struct kt_exchange_value *a, const struct kt_exchange_value *b)
{
	if (a->kind != b->kind || a->kind == UNKNOWN)
		return false;
	if (a->kind == PART)
		return memcmp(a->from, b->from, sizeof a->from) == 0 && a->bounded == b->bounded &&
		       (!a->bounded || !(a->bound < b->bound || a->bound > b->bound));
	return !(number(a) < number(b) || number(a) > number(b));
}

static bool calculate(int64_t *out, const char *op, int64_t a, int64_t b)
{
	static const char *const two[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	size_t which = 0;

	while (which < 8 && strcmp(two[which], op) != 0)
		which++;
	if (which < 8) {
		if (which < 2 && (b < 0 || b > 62))
			return false;
		*out = which == 0   ? (int64_t)((uint64_t)a << b)
		       : which == 1 ? a >> b
		       : which == 2 ? a <= b
		       : which == 3 ? a >= b
		       : which == 4 ? a == b
		       : which == 5 ? a != b
		       : which == 6 ? a && b
		                    : a || b;
		return true;
	}
	if (op[1] != '\0' || ((op[0] == '/' || op[0] == '%') && b == 0) || a > INT32_MAX || a < INT32_MIN ||
	    b > INT32_MAX || b < INT32_MIN)
		return false;
	switch (op[0]) {
	case '+':
		*out = a + b;
		return true;
	case '-':
		*out = a - b;
		return true;
	case '*':
		*out = a * b;
		return true;
	case '/':
		*out = a / b;
		return true;
	case '%':
		*out = a % b;
		return true;
	case '&':
		*out = a & b;
		return true;
	case '|':
		*out = a | b;
		return true;
	case '^':
		*out = a ^ b;
		return true;
	case '<':
		*out = a < b;
		return true;
	case '>':
		*out = a > b;
		return true;
	default:
		return false;
	}
}

struct kt_exchange_value kt_machine_operate(struct kt_machine *m, const char *op, const struct kt_exchange_value *a,
                                            const struct kt_exchange_value *b)
{
	int64_t result;

	if (a->kind == INTEGER && b->kind == INTEGER)
		return calculate(&result, op, a->integer, b->integer) ? integer(result) : unknown;
	return strcmp(op, "+") == 0 ? fold(m, KT_FOLD_SUM, a, b) : unknown;
}

static const struct {
	const char *name;
	enum kt_fold_kind kind;
} folding[] = {
	{"fmaxf", KT_FOLD_MAX}, {"fmax", KT_FOLD_MAX}, {"max", KT_FOLD_MAX}, {"fminf", KT_FOLD_MIN},
	{"fmin", KT_FOLD_MIN},  {"min", KT_FOLD_MIN},
};
static const char *const shuffles[] = {"__shfl_xor_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_sync"};
enum { XOR, DOWN, UP, DIRECT, SHUFFLES };

bool kt_machine_is_shuffle(const struct kt_tree *call)
{
	return kt_has_text(shuffles, SHUFFLES, call->known);
}

/* The other thread's value, as it is before the statement: all take part at the same time. */
static struct kt_exchange_value shuffle(struct kt_machine *m, struct kt_tree *node, size_t which, size_t thread)
{
	struct kt_exchange_value by = kt_machine_eval(m, node->children[3], thread), width = integer(KT_MACHINE_WARP);
	int64_t lane = (int64_t)(thread % KT_MACHINE_WARP), other;

	/* The width may be left out: then there is no text. */
	if (node->count == 5 && node->children[4]->range.end > node->children[4]->range.begin)
		width = kt_machine_eval(m, node->children[4], thread);
	if (by.kind != INTEGER || by.integer < 0 || by.integer >= KT_MACHINE_WARP || width.kind != INTEGER ||
	    width.integer < 1 || width.integer > KT_MACHINE_WARP || (width.integer & (width.integer - 1)) != 0)
		return unknown;
	const int64_t first = lane & ~(width.integer - 1), last = first + width.integer - 1;

	other = which == XOR    ? lane ^ by.integer
	        : which == DOWN ? lane + by.integer
	        : which == UP   ? lane - by.integer
	                        : first + (by.integer & (width.integer - 1));
	if (which == XOR && other < first)
		return unknown;
	if (other > last || other < first)
		other = lane;
	const size_t source = thread - (size_t)lane + (size_t)other;

	return source < m->threads && !m->frame->gone[source] ? kt_machine_eval(m, node->children[2], source) : unknown;
}

static struct kt_exchange_value eval_call(struct kt_machine *m, struct kt_tree *node, size_t thread)
{
	for (size_t i = 0; i < SHUFFLES; i++)
		if (strcmp(node->known, shuffles[i]) == 0 && (node->count == 4 || node->count == 5))
			return shuffle(m, node, i, thread);
	for (size_t i = 0; i < m->result_count; i++)
		if (m->results[i].call == node)
			return m->results[i].values[thread];
	for (size_t i = 0; i < sizeof folding / sizeof folding[0] && node->count == 3 && node->callee == NULL; i++)
		if (strcmp(node->known, folding[i].name) == 0) {
			const struct kt_exchange_value a = kt_machine_eval(m, node->children[1], thread),
			                               b = kt_machine_eval(m, node->children[2], thread);

			if (a.kind == INTEGER && b.kind == INTEGER)
				return (folding[i].kind == KT_FOLD_MAX) == (a.integer > b.integer) ? a : b;
			return fold(m, folding[i].kind, &a, &b);
		}
	return unknown;
}

static struct kt_exchange_value eval_reference(struct kt_machine *m, struct kt_tree *node, size_t thread)
{
	const struct kt_tree_variable *v = node->variable;
	const struct kt_exchange_cell *cell;

	if (node->has_value)
		return integer(node->value);
	if (v == NULL)
		return unknown;
	if (!v->is_own && strcmp(v->name, "warpSize") == 0)
		return integer(KT_MACHINE_WARP);
	cell = kt_machine_cell(m, v, false);
	if (cell != NULL)
		return cell->values[v->is_shared ? 0 : thread];
	/* A name of the caller's, that stands for one value. */
	if (v->is_local && v->writes == 0 && !v->escapes && !v->is_array && !v->is_pointer && v->declaration != NULL &&
	    v->declaration->count == 1)
		return kt_machine_eval(m, v->declaration->children[0], thread);
	return unknown;
}

struct kt_exchange_value *kt_machine_element(struct kt_machine *m, struct kt_tree *node, size_t thread)
{
	struct kt_tree *base = kt_tree_bare(node->children[0]);
	const struct kt_exchange_value index = kt_machine_eval(m, node->children[1], thread);
	struct kt_exchange_cell *cell;

	if (base->kind != KT_TREE_REFERENCE || base->variable == NULL || index.kind != INTEGER || index.integer < 0 ||
	    index.integer >= KT_MACHINE_THREADS || !kt_machine_meant(m, base->variable)->is_shared ||
	    kt_machine_meant(m, base->variable)->scalar != m->scalar)
		return NULL;
	cell = kt_machine_cell(m, base->variable, true);
	return cell != NULL ? &cell->values[index.integer] : NULL;
}

/* Constants that are macros. */
static bool read_macro(struct kt_exchange_value *out, const struct kt_machine *m, const struct kt_tree *node)
{
	static const struct {
		const char *name;
		double value;
	} names[] = {{"INFINITY", (double)INFINITY}, {"HUGE_VALF", (double)INFINITY}, {"CUDART_INF_F", (double)INFINITY},
	             {"FLT_MAX", 3.40282347e38}, {"INT_MIN", -2147483648.0}, {"INT_MAX", 2147483647.0}};
	const char *text = node->in_macro ? kt_tree_text(m->frame->kernel, node) : "";

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(text, names[i].name) == 0) {
			*out = (struct kt_exchange_value){.kind = LITERAL, .literal = names[i].value};
			return true;
		}
	return false;
}

static struct kt_exchange_value eval_unary(struct kt_machine *m, struct kt_tree *node, size_t thread)
{
	struct kt_exchange_value v = kt_machine_eval(m, node->children[0], thread);
	const char *op = node->operator_ != NULL ? node->operator_ : "";

	if (strcmp(op, "+") == 0)
		return v;
	if (strcmp(op, "-") == 0 && v.kind == INTEGER)
		return integer(-v.integer);
	if (strcmp(op, "-") == 0 && v.kind == LITERAL) {
		v.literal = -v.literal;
		return v;
	}
	return strcmp(op, "!") == 0 && v.kind == INTEGER ? integer(!v.integer) : unknown;
}

static struct kt_exchange_value eval_builtin(const struct kt_machine *m, const struct kt_tree *node, size_t thread)
{
	if (node->builtin == KT_THREAD_INDEX)
		return integer(node->dimension == 0 ? (int64_t)thread : 0);
	if (node->builtin == KT_BLOCK_EXTENT)
		return integer(node->dimension == 0 ? (int64_t)m->threads : 1);
	return unknown;
}

static bool is_unsigned(struct kt_tree *node)
{
	const enum kt_scalar scalar = kt_tree_bare(node)->scalar;

	return scalar == KT_U32 || scalar == KT_U64;
}

static bool is_negative(const struct kt_exchange_value *v)
{
	return v->kind == INTEGER && v->integer < 0;
}

struct kt_exchange_value kt_machine_eval(struct kt_machine *m, struct kt_tree *node, size_t thread)
{
	struct kt_exchange_value a, b;
	const struct kt_exchange_value *at;

	node = kt_tree_bare(node);
	if (m->failed || ++m->steps > (size_t)KT_MACHINE_STEPS * KT_MACHINE_THREADS) {
		m->failed = true;
		return unknown;
	}
	if (read_macro(&a, m, node))
		return a;
	if (node->has_value)
		return integer(node->value);
	switch (node->kind) {
	case KT_TREE_LITERAL:
		return (struct kt_exchange_value){.kind = LITERAL,
		                                  .literal = strtod(kt_tree_text(m->frame->kernel, node), NULL)};
	case KT_TREE_BUILTIN:
		return eval_builtin(m, node, thread);
	case KT_TREE_REFERENCE:
		return eval_reference(m, node, thread);
	case KT_TREE_UNARY:
		return eval_unary(m, node, thread);
	case KT_TREE_BINARY:
		a = kt_machine_eval(m, node->children[0], thread);
		b = kt_machine_eval(m, node->children[1], thread);
		/* Less than nothing is a lot without a sign. */
		if ((is_unsigned(node->children[0]) || is_unsigned(node->children[1])) && (is_negative(&a) || is_negative(&b)))
			return unknown;
		return node->operator_ != NULL ? kt_machine_operate(m, node->operator_, &a, &b) : unknown;
	case KT_TREE_CHOOSE:
		a = kt_machine_eval(m, node->children[0], thread);
		return a.kind == INTEGER ? kt_machine_eval(m, node->children[a.integer != 0 ? 1 : 2], thread) : unknown;
	case KT_TREE_CAST:
		a = kt_machine_eval(m, node->children[0], thread);
		return a.kind != PART || node->scalar == m->scalar ? a : unknown;
	case KT_TREE_INDEX:
		at = kt_machine_element(m, node, thread);
		return at != NULL ? *at : unknown;
	case KT_TREE_CALL:
		return eval_call(m, node, thread);
	default:
		return unknown;
	}
}
