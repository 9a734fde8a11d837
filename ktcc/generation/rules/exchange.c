#include "generation/rules/exchange.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 1024, WORDS = THREADS / 64, MOST_CELLS = 64, MOST_STEPS = 20000, MOST_DEPTH = 6, WARP = 32 };

struct value {
	enum { UNKNOWN, INTEGER, LITERAL, PART } kind;
	int64_t integer;
	double literal;
	uint64_t from[WORDS]; /* PART: the threads whose values are in it */
};

/* A variable: a value a thread, or the elements of shared memory. */
struct cell {
	const struct kt_tree_variable *variable;
	struct value *values;
};

struct result {
	const struct kt_tree *call;
	struct value *values;
};

struct frame {
	const struct kt_kernel *kernel;
	bool gone[THREADS];      /* returned */
	struct value *returned;
};

struct machine {
	struct kt_family *family;
	size_t threads, cell_count, result_count, alias_count, steps, depth;
	struct cell cells[MOST_CELLS];
	struct result results[MOST_CELLS];
	struct {
		const struct kt_tree_variable *name, *stands_for;
	} aliases[MOST_CELLS];
	struct frame *frame;
	enum kt_fold_kind kind;
	enum kt_scalar scalar;   /* of the values that are folded */
	bool failed;
};

static const struct value unknown = {.kind = UNKNOWN};

static struct value integer(int64_t i)
{
	return (struct value){.kind = INTEGER, .integer = i};
}

static struct value *new_values(struct machine *m)
{
	struct value *values = calloc(THREADS, sizeof *values);

	m->failed = m->failed || values == NULL;
	return values;
}

static const struct kt_tree_variable *meant(const struct machine *m, const struct kt_tree_variable *v)
{
	for (size_t i = m->alias_count; i-- > 0;)
		if (m->aliases[i].name == v)
			return m->aliases[i].stands_for;
	return v;
}

static struct cell *find_cell(struct machine *m, const struct kt_tree_variable *v, bool make)
{
	v = meant(m, v);
	for (size_t i = 0; i < m->cell_count; i++)
		if (m->cells[i].variable == v)
			return &m->cells[i];
	if (!make || m->cell_count == MOST_CELLS) {
		m->failed = m->failed || make;
		return NULL;
	}
	m->cells[m->cell_count] = (struct cell){v, new_values(m)};
	return m->failed ? NULL : &m->cells[m->cell_count++];
}

static double number(const struct value *v)
{
	return v->kind == INTEGER ? (double)v->integer : v->literal;
}

static bool is_neutral(enum kt_fold_kind kind, const struct value *v)
{
	const double n = number(v);

	if (v->kind != INTEGER && v->kind != LITERAL)
		return false;
	switch (kind) {
	case KT_FOLD_SUM:
		return !(n < 0 || n > 0);
	case KT_FOLD_MAX:
		return n <= -3.4028234e38 || (v->kind == INTEGER && n <= -2147483648.0);
	case KT_FOLD_MIN:
		return n >= 3.4028234e38 || (v->kind == INTEGER && n >= 2147483647.0);
	default:
		return false;
	}
}

static struct value fold(struct machine *m, enum kt_fold_kind kind, const struct value *a, const struct value *b)
{
	struct value all = *a;

	if (a->kind != PART || b->kind != PART) {
		if (is_neutral(kind, b))
			return *a;
		return is_neutral(kind, a) ? *b : unknown;
	}
	if (m->kind != KT_FOLD_NONE && m->kind != kind)
		return unknown;
	m->kind = kind;
	for (size_t i = 0; i < WORDS; i++) {
		if (kind == KT_FOLD_SUM && (a->from[i] & b->from[i]) != 0)
			return unknown;
		all.from[i] |= b->from[i];
	}
	return all;
}

static struct value eval(struct machine *m, struct kt_tree *node, size_t thread);

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
	if (op[1] != '\0' || ((op[0] == '/' || op[0] == '%') && b == 0) || a > INT32_MAX || a < INT32_MIN || b > INT32_MAX ||
	    b < INT32_MIN)
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

static struct value operate(struct machine *m, const char *op, const struct value *a, const struct value *b)
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

/* The other thread's value, as it is before the statement: all take part at the same time. */
static struct value shuffle(struct machine *m, struct kt_tree *node, size_t which, size_t thread)
{
	struct value by = eval(m, node->children[3], thread), width = integer(WARP);
	int64_t lane = (int64_t)(thread % WARP), other;

	if (node->count == 5)
		width = eval(m, node->children[4], thread);
	if (by.kind != INTEGER || by.integer < 0 || by.integer >= WARP || width.kind != INTEGER || width.integer < 1 ||
	    width.integer > WARP || (width.integer & (width.integer - 1)) != 0)
		return unknown;
	const int64_t first = lane & ~(width.integer - 1), last = first + width.integer - 1;

	other = which == XOR    ? lane ^ by.integer
	        : which == DOWN ? lane + by.integer
	        : which == UP   ? lane - by.integer
	                        : first + (by.integer & (width.integer - 1));
	if (other > last || other < first)
		other = lane;
	const size_t source = thread - (size_t)lane + (size_t)other;

	return source < m->threads && !m->frame->gone[source] ? eval(m, node->children[2], source) : unknown;
}

static struct value eval_call(struct machine *m, struct kt_tree *node, size_t thread)
{
	for (size_t i = 0; i < SHUFFLES; i++)
		if (strcmp(node->name, shuffles[i]) == 0 && (node->count == 4 || node->count == 5))
			return shuffle(m, node, i, thread);
	for (size_t i = 0; i < m->result_count; i++)
		if (m->results[i].call == node)
			return m->results[i].values[thread];
	for (size_t i = 0; i < sizeof folding / sizeof folding[0] && node->count == 3 && node->callee == NULL; i++)
		if (strcmp(node->name, folding[i].name) == 0) {
			const struct value a = eval(m, node->children[1], thread), b = eval(m, node->children[2], thread);

			if (a.kind == INTEGER && b.kind == INTEGER)
				return (folding[i].kind == KT_FOLD_MAX) == (a.integer > b.integer) ? a : b;
			return fold(m, folding[i].kind, &a, &b);
		}
	return unknown;
}

static struct value eval_reference(struct machine *m, struct kt_tree *node, size_t thread)
{
	const struct kt_tree_variable *v = node->variable;
	const struct cell *cell;

	if (node->has_value)
		return integer(node->value);
	if (v == NULL)
		return unknown;
	if (strcmp(v->name, "warpSize") == 0 && !v->is_local && v->argument < 0)
		return integer(WARP);
	cell = find_cell(m, v, false);
	if (cell != NULL)
		return cell->values[v->is_shared ? 0 : thread];
	/* A name of the caller's, that stands for one value. */
	if (v->is_local && v->writes == 0 && !v->escapes && !v->is_array && !v->is_pointer && v->declaration != NULL &&
	    v->declaration->count == 1)
		return eval(m, v->declaration->children[0], thread);
	return unknown;
}

static struct value *element(struct machine *m, struct kt_tree *node, size_t thread)
{
	struct kt_tree *base = kt_tree_bare(node->children[0]);
	const struct value index = eval(m, node->children[1], thread);
	struct cell *cell;

	if (base->kind != KT_TREE_REFERENCE || base->variable == NULL || index.kind != INTEGER || index.integer < 0 ||
	    index.integer >= THREADS || !meant(m, base->variable)->is_shared || meant(m, base->variable)->scalar != m->scalar)
		return NULL;
	cell = find_cell(m, base->variable, true);
	return cell != NULL ? &cell->values[index.integer] : NULL;
}

/* Constants that are macros. */
static bool read_macro(struct value *out, const struct machine *m, const struct kt_tree *node)
{
	static const struct {
		const char *name;
		double value;
	} names[] = {{"INFINITY", (double)INFINITY}, {"HUGE_VALF", (double)INFINITY}, {"CUDART_INF_F", (double)INFINITY},
	             {"FLT_MAX", 3.40282347e38}, {"INT_MIN", -2147483648.0}, {"INT_MAX", 2147483647.0}};
	const char *text = node->in_macro ? kt_tree_text(m->frame->kernel, node) : "";

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(text, names[i].name) == 0) {
			*out = (struct value){.kind = LITERAL, .literal = names[i].value};
			return true;
		}
	return false;
}

static struct value eval_unary(struct machine *m, struct kt_tree *node, size_t thread)
{
	struct value v = eval(m, node->children[0], thread);
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

static struct value eval_builtin(const struct machine *m, const struct kt_tree *node, size_t thread)
{
	if (node->builtin == KT_THREAD_INDEX)
		return integer(node->dimension == 0 ? (int64_t)thread : 0);
	if (node->builtin == KT_BLOCK_EXTENT)
		return integer(node->dimension == 0 ? (int64_t)m->threads : 1);
	return unknown;
}

static struct value eval(struct machine *m, struct kt_tree *node, size_t thread)
{
	struct value a, b;
	const struct value *at;

	node = kt_tree_bare(node);
	if (m->failed || ++m->steps > (size_t)MOST_STEPS * THREADS) {
		m->failed = true;
		return unknown;
	}
	if (read_macro(&a, m, node))
		return a;
	if (node->has_value)
		return integer(node->value);
	switch (node->kind) {
	case KT_TREE_LITERAL:
		return (struct value){.kind = LITERAL, .literal = strtod(kt_tree_text(m->frame->kernel, node), NULL)};
	case KT_TREE_BUILTIN:
		return eval_builtin(m, node, thread);
	case KT_TREE_REFERENCE:
		return eval_reference(m, node, thread);
	case KT_TREE_UNARY:
		return eval_unary(m, node, thread);
	case KT_TREE_BINARY:
		a = eval(m, node->children[0], thread);
		b = eval(m, node->children[1], thread);
		return node->operator_ != NULL ? operate(m, node->operator_, &a, &b) : unknown;
	case KT_TREE_CHOOSE:
		a = eval(m, node->children[0], thread);
		return a.kind == INTEGER ? eval(m, node->children[a.integer != 0 ? 1 : 2], thread) : unknown;
	case KT_TREE_CAST:
		a = eval(m, node->children[0], thread);
		return a.kind != PART || node->scalar == m->scalar ? a : unknown;
	case KT_TREE_INDEX:
		at = element(m, node, thread);
		return at != NULL ? *at : unknown;
	case KT_TREE_CALL:
		return eval_call(m, node, thread);
	default:
		return unknown;
	}
}

static void execute(struct machine *m, struct kt_tree *node, const bool *active);

static bool is_on(const struct machine *m, const bool *active, size_t thread)
{
	return active[thread] && !m->frame->gone[thread];
}

static void run_call(struct machine *m, struct kt_tree *node, const bool *active)
{
	const struct kt_kernel *callee = node->callee;
	struct frame *frame = calloc(1, sizeof *frame), *caller = m->frame;
	struct result *slot = NULL;

	for (size_t i = 0; i < m->result_count; i++)
		if (m->results[i].call == node)
			slot = &m->results[i];
	if (slot == NULL && m->result_count < MOST_CELLS) {
		slot = &m->results[m->result_count++];
		*slot = (struct result){node, new_values(m)};
	}
	if (frame == NULL || slot == NULL || slot->values == NULL || m->depth == MOST_DEPTH) {
		m->failed = true;
		free(frame);
		return;
	}
	for (size_t i = 1; i < node->count; i++) {
		const struct kt_tree_variable *p = i - 1 < callee->variable_count ? callee->variables[i - 1] : NULL;
		struct kt_tree *argument = kt_tree_bare(node->children[i]);

		if (p == NULL || p->argument != (int)(i - 1) || m->alias_count == MOST_CELLS) {
			m->failed = true;
			break;
		}
		if (p->is_pointer || p->is_array) {
			if (argument->kind != KT_TREE_REFERENCE || argument->variable == NULL)
				m->failed = true;
			else {
				m->aliases[m->alias_count].name = p;
				m->aliases[m->alias_count++].stands_for = meant(m, argument->variable);
			}
			continue;
		}
		struct cell *cell = p->escapes ? NULL : find_cell(m, p, true);

		m->failed = m->failed || cell == NULL;
		for (size_t t = 0; t < m->threads && !m->failed; t++)
			if (is_on(m, active, t))
				cell->values[t] = eval(m, argument, t);
	}
	frame->kernel = callee;
	frame->returned = slot->values;
	for (size_t t = 0; t < m->threads; t++)
		frame->gone[t] = !is_on(m, active, t);
	m->frame = frame;
	m->depth++;
	if (!m->failed)
		execute(m, callee->body, active);
	m->depth--;
	m->frame = caller;
	free(frame);
}

static bool is_own(const struct kt_tree *node)
{
	for (size_t i = 0; i < SHUFFLES; i++)
		if (strcmp(node->name, shuffles[i]) == 0)
			return false;
	return node->callee != NULL && node->callee->body != NULL;
}

/* Calls of an expression are executed before it, by all threads at the same time. */
static void run_calls(struct machine *m, struct kt_tree *node, const bool *active)
{
	for (size_t i = 0; i < node->count; i++)
		if (node->children[i] != NULL)
			run_calls(m, node->children[i], active);
	if (node->kind == KT_TREE_CALL && is_own(node) && !m->failed)
		run_call(m, node, active);
}

/* All threads read before any of them writes; what two write at the same time is unknown. */
static void assign(struct machine *m, struct kt_tree *target, const char *op, struct kt_tree *value, const bool *active)
{
	struct value *fresh = new_values(m), **places = calloc(THREADS, sizeof *places);

	target = kt_tree_bare(target);
	if (fresh == NULL || places == NULL)
		m->failed = true;
	for (size_t t = 0; t < m->threads && !m->failed; t++) {
		struct cell *cell;

		if (!is_on(m, active, t))
			continue;
		fresh[t] = value != NULL ? eval(m, value, t) : integer(1);
		if (op != NULL) {
			const struct value old = eval(m, target, t);

			fresh[t] = operate(m, op, &old, &fresh[t]);
		}
		if (target->kind == KT_TREE_INDEX) {
			places[t] = element(m, target, t);
		} else if (target->kind == KT_TREE_REFERENCE && target->variable != NULL && target->variable->is_local) {
			cell = find_cell(m, target->variable, true);
			places[t] = cell != NULL ? &cell->values[target->variable->is_shared ? 0 : t] : NULL;
			if (fresh[t].kind == PART && target->variable->scalar != m->scalar)
				fresh[t] = unknown;
		} else if (target->kind == KT_TREE_REFERENCE && target->variable != NULL && target->variable->argument >= 0 &&
		           !target->variable->is_pointer && m->depth > 0) {
			cell = find_cell(m, target->variable, true);
			places[t] = cell != NULL ? &cell->values[t] : NULL;
		}
		m->failed = m->failed || places[t] == NULL;
	}
	for (size_t t = 0; t < m->threads && !m->failed; t++)
		if (places[t] != NULL)
			*places[t] = fresh[t];
	for (size_t t = 1; t < m->threads && !m->failed; t++)
		for (size_t other = 0; target->kind == KT_TREE_INDEX && other < t; other++)
			if (places[t] != NULL && places[t] == places[other])
				*places[t] = unknown;
	free(places);
	free(fresh);
}

/* The threads in which the condition holds. False: it is not known. */
static bool split(struct machine *m, struct kt_tree *condition, const bool *active, bool *yes, bool *no)
{
	run_calls(m, condition, active);
	for (size_t t = 0; t < m->threads; t++) {
		yes[t] = no[t] = false;
		if (!is_on(m, active, t))
			continue;
		const struct value v = eval(m, condition, t);

		if (v.kind != INTEGER)
			return false;
		yes[t] = v.integer != 0;
		no[t] = v.integer == 0;
	}
	return !m->failed;
}

static bool any(const struct machine *m, const bool *active)
{
	for (size_t t = 0; t < m->threads; t++)
		if (active[t])
			return true;
	return false;
}

static void repeat(struct machine *m, struct kt_tree *condition, struct kt_tree *step, struct kt_tree *body, const bool *active)
{
	bool yes[THREADS], no[THREADS];

	while (!m->failed) {
		if (condition == NULL || m->steps++ > MOST_STEPS * (size_t)THREADS || !split(m, condition, active, yes, no)) {
			m->failed = true;
			return;
		}
		if (!any(m, yes))
			return;
		execute(m, body, yes);
		if (step != NULL)
			execute(m, step, yes);
	}
}

static void declare(struct machine *m, struct kt_tree *node, const bool *active)
{
	for (size_t i = 0; i < node->count; i++) {
		struct kt_tree *child = node->children[i];
		struct cell *cell;

		if (child->kind != KT_TREE_VARIABLE || child->variable->escapes || child->variable->is_pointer) {
			m->failed = true;
			return;
		}
		if (child->variable->is_shared)
			continue;
		cell = find_cell(m, child->variable, true);
		if (cell == NULL || child->variable->is_array) {
			m->failed = true;
			return;
		}
		if (child->count == 1) {
			run_calls(m, child->children[0], active);
			assign(m, &(struct kt_tree){.kind = KT_TREE_REFERENCE, .variable = child->variable}, NULL, child->children[0],
			       active);
		}
	}
}

static const char *const meetings[] = {"__syncthreads", "__syncwarp"};

static void execute_call(struct machine *m, struct kt_tree *node, const bool *active)
{
	for (size_t i = 0; i < sizeof meetings / sizeof meetings[0]; i++)
		if (strcmp(node->name, meetings[i]) == 0)
			return;
	if (is_own(node))
		run_calls(m, node, active);
	else
		m->failed = true;
}

static void execute_assign(struct machine *m, struct kt_tree *node, const bool *active)
{
	char op[4] = "";
	size_t length = node->operator_ != NULL ? strlen(node->operator_) : 0;

	if (length == 0 || length > 3) {
		m->failed = true;
		return;
	}
	memcpy(op, node->operator_, length - 1);
	run_calls(m, node->children[1], active);
	assign(m, node->children[0], op[0] != '\0' ? op : NULL, node->children[1], active);
}

static void execute(struct machine *m, struct kt_tree *node, const bool *active)
{
	bool yes[THREADS], no[THREADS];

	node = kt_tree_bare(node);
	if (m->failed)
		return;
	switch (node->kind) {
	case KT_TREE_BLOCK:
		for (size_t i = 0; i < node->count; i++)
			execute(m, node->children[i], active);
		return;
	case KT_TREE_DECLARE:
		declare(m, node, active);
		return;
	case KT_TREE_ASSIGN:
		execute_assign(m, node, active);
		return;
	case KT_TREE_UNARY:
		if (node->operator_ != NULL && (strstr(node->operator_, "++") != NULL || strstr(node->operator_, "--") != NULL))
			assign(m, node->children[0], strstr(node->operator_, "++") != NULL ? "+" : "-", NULL, active);
		else
			m->failed = true;
		return;
	case KT_TREE_CALL:
		execute_call(m, node, active);
		return;
	case KT_TREE_IF:
		if (!split(m, node->children[0], active, yes, no)) {
			m->failed = true;
			return;
		}
		if (any(m, yes))
			execute(m, node->children[1], yes);
		if (node->count == 3 && any(m, no))
			execute(m, node->children[2], no);
		return;
	case KT_TREE_FOR:
		if (node->children[0] != NULL)
			execute(m, node->children[0], active);
		repeat(m, node->children[1], node->children[2], node->children[3], active);
		return;
	case KT_TREE_WHILE:
		repeat(m, node->children[0], NULL, node->children[1], active);
		return;
	case KT_TREE_RETURN:
		if (node->count == 1)
			run_calls(m, node->children[0], active);
		for (size_t t = 0; t < m->threads && m->frame->returned != NULL; t++)
			if (is_on(m, active, t) && node->count == 1)
				m->frame->returned[t] = eval(m, node->children[0], t);
		for (size_t t = 0; t < m->threads; t++)
			m->frame->gone[t] = m->frame->gone[t] || active[t];
		return;
	case KT_TREE_EMPTY:
		return;
	default:
		m->failed = true;
		return;
	}
}

/* Is it the fold of all threads' values? */
static bool is_whole(const struct machine *m, const struct value *v)
{
	size_t found = 0;

	for (size_t i = 0; i < WORDS && v->kind == PART; i++)
		for (uint64_t bits = v->from[i]; bits != 0; bits &= bits - 1)
			found++;
	return found == m->threads;
}

static bool try_argument(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call, size_t argument)
{
	struct machine *m = calloc(1, sizeof *m);
	struct frame *frame = calloc(1, sizeof *frame);
	struct kt_tree *original = call->children[argument];
	struct kt_tree_variable brought = {.name = "", .argument = -1, .is_local = true};
	struct kt_tree reference = {.kind = KT_TREE_REFERENCE, .variable = &brought};
	bool active[THREADS], found = false;
	struct cell *cell = NULL;

	if (m == NULL || frame == NULL)
		goto done;
	m->family = family;
	m->threads = (size_t)family->block[0];
	m->scalar = call->callee->variables[argument - 1]->scalar;
	m->frame = frame;
	frame->kernel = family->kernel;
	cell = find_cell(m, &brought, true);
	for (size_t t = 0; cell != NULL && t < m->threads; t++) {
		active[t] = true;
		cell->values[t].kind = PART;
		cell->values[t].from[t / 64] = (uint64_t)1 << t % 64;
	}
	/* Each thread brings a value of its own. */
	call->children[argument] = &reference;
	if (cell != NULL)
		run_call(m, call, active);
	call->children[argument] = original;
	if (m->failed || m->kind == KT_FOLD_NONE || !is_whole(m, &m->results[0].values[0]))
		goto done;
	*out = (struct kt_exchange){m->kind, argument, call->callee->variables[argument - 1], true};
	for (size_t t = 1; t < m->threads; t++)
		out->everywhere = out->everywhere && is_whole(m, &m->results[0].values[t]);
	found = true;
done:
	for (size_t i = 0; m != NULL && i < m->cell_count; i++)
		free(m->cells[i].values);
	for (size_t i = 0; m != NULL && i < m->result_count; i++)
		free(m->results[i].values);
	free(frame);
	free(m);
	return found;
}

bool kt_exchange_read(struct kt_exchange *out, struct kt_family *family, struct kt_tree *call)
{
	const struct kt_kernel *callee = call->callee;

	if (callee == NULL || callee->body == NULL || family->block[0] < 2 || family->block[0] > THREADS ||
	    family->block[0] % WARP != 0 || family->block[1] != 1 || family->block[2] != 1)
		return false;
	for (size_t i = 1; i < call->count && i <= callee->variable_count; i++) {
		const struct kt_tree_variable *p = callee->variables[i - 1];

		if (p->argument == (int)(i - 1) && !p->is_pointer && !p->is_array && !p->escapes && p->scalar != KT_SCALAR_NONE &&
		    p->scalar == call->scalar && try_argument(out, family, call, i))
			return true;
	}
	return false;
}
