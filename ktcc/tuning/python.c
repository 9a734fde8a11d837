/* Python expressions: operators, names and numbers. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/python_internal.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void skip_blanks(struct kt_python_reader *r)
{
	while (r->at < r->end && isspace((unsigned char)r->text[r->at]))
		r->at++;
}

static bool stands(const struct kt_python_reader *r, const char *text)
{
	const size_t length = strlen(text);

	return r->end - r->at >= length && memcmp(r->text + r->at, text, length) == 0;
}

bool kt_python_take(struct kt_python_reader *r, const char *punctuation)
{
	skip_blanks(r);
	if (!stands(r, punctuation))
		return false;
	r->at += strlen(punctuation);
	return true;
}

bool kt_python_take_word(struct kt_python_reader *r, const char *word)
{
	const size_t length = strlen(word);

	skip_blanks(r);
	if (!stands(r, word) || (r->at + length < r->end && is_word(r->text[r->at + length])))
		return false;
	r->at += length;
	return true;
}

size_t kt_python_name(struct kt_python_reader *r)
{
	size_t i;

	skip_blanks(r);
	i = r->at;
	if (i >= r->end || (!isalpha((unsigned char)r->text[i]) && r->text[i] != '_'))
		return 0;
	for (; i < r->end && (is_word(r->text[i]) || (r->text[i] == '.' && i + 1 < r->end && is_word(r->text[i + 1]))); i++)
		;
	return i - r->at;
}

kt_status kt_python_expected(struct kt_python_reader *r, const char *what)
{
	size_t length = 1;

	skip_blanks(r);
	if (r->at >= r->end)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)r->end, "expected %s, found the end", what);
	while (is_word(r->text[r->at]) && r->at + length < r->end && length < 40 && is_word(r->text[r->at + length]))
		length++;
	return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)r->at, "expected %s, found '%.*s'", what, (int)length,
			  r->text + r->at);
}

static kt_status too_deep(struct kt_python_reader *r)
{
	return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)r->at, "expression is nested deeper than %d levels",
			  KT_PYTHON_DEPTH);
}

kt_status kt_python_node(kt_node *out, struct kt_python_reader *r, enum kt_node_op op, size_t offset, kt_node a,
			 kt_node b, kt_node c)
{
	struct kt_python_trace *trace = r->trace;

	*out = kt_graph_make(r->graph, op, a, b, c);
	if (*out != KT_NODE_NONE && trace != NULL) {
		if (trace->count == trace->capacity) {
			const size_t capacity = 2 * trace->capacity + 16;
			struct kt_trace *items = realloc(trace->items, capacity * sizeof *items);

			NEED(items, kt_fail(r->err, KT_ERR_MEMORY, "out of memory for an expression"));
			trace->items = items;
			trace->capacity = capacity;
		}
		trace->items[trace->count++] = (struct kt_trace){*out, (unsigned)offset};
	}
	return *out != KT_NODE_NONE ? KT_OK : kt_fail(r->err, KT_ERR_MEMORY, "out of memory for an expression");
}

void kt_python_trace_free(struct kt_python_trace *trace)
{
	free(trace->items);
	*trace = (struct kt_python_trace){0};
}

unsigned kt_python_offset(const struct kt_python_trace *trace, kt_node node)
{
	for (size_t i = 0; i < trace->count; i++)
		if (trace->items[i].node == node)
			return trace->items[i].offset;
	return 0;
}

kt_status kt_python_scalar(kt_node *out, struct kt_python_reader *r)
{
	struct kt_python_value value;
	const size_t start = r->at;

	TRY(kt_python_read(&value, r));
	if (value.is_list)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)start, "expected a value, found a list");
	*out = value.node;
	return KT_OK;
}

static kt_status need_scalar(struct kt_python_reader *r, const struct kt_python_value *value, size_t at)
{
	if (!value->is_list)
		return KT_OK;
	return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "a list has no value here");
}

static kt_status scalar_node(struct kt_python_value *out, struct kt_python_reader *r, kt_node node)
{
	*out = (struct kt_python_value){.node = node};
	return node != KT_NODE_NONE ? KT_OK : kt_fail(r->err, KT_ERR_MEMORY, "out of memory for an expression");
}

/* 10, 0x1f, 0b101, 0o17, 1_000, 1.5, .5, 2e3 */
static kt_status read_number(struct kt_python_value *out, struct kt_python_reader *r)
{
	const size_t start = r->at;
	char digits[64], *stop = NULL;
	size_t length = 0;
	bool real = false;
	int base = 10;

	if (r->text[start] == '0' && start + 1 < r->end && strchr("xXbBoO", r->text[start + 1]) != NULL) {
		base = strchr("xX", r->text[start + 1]) != NULL ? 16 : strchr("bB", r->text[start + 1]) != NULL ? 2 : 8;
		r->at += 2;
	}
	for (; r->at < r->end && length + 1 < sizeof digits; r->at++) {
		const char c = r->text[r->at];
		const bool exponent = base == 10 && (c == 'e' || c == 'E');

		if (c == '_')
			continue;
		if (!isalnum((unsigned char)c) && c != '.' &&
		    !((c == '+' || c == '-') && length > 0 && real && strchr("eE", digits[length - 1]) != NULL))
			break;
		real = real || exponent || (base == 10 && c == '.');
		digits[length++] = c;
	}
	digits[length] = '\0';
	errno = 0;
	if (real) {
		const double value = strtod(digits, &stop);

		if (length > 0 && *stop == '\0' && errno == 0)
			return scalar_node(out, r, kt_graph_real(r->graph, value));
	} else {
		const long long value = strtoll(digits, &stop, base);

		if (errno == ERANGE)
			return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)start, "integer does not fit 64 bits");
		if (length > 0 && *stop == '\0')
			return scalar_node(out, r, kt_graph_integer(r->graph, value));
	}
	return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)start, "not a number");
}

static kt_status read_text(struct kt_python_value *out, struct kt_python_reader *r)
{
	const size_t start = r->at;
	const char quote = r->text[r->at++];
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	kt_status status;

	for (; r->at < r->end && r->text[r->at] != quote; r->at++) {
		if (r->text[r->at] == '\\' && r->at + 1 < r->end)
			r->at++;
		kt_buf_addc(&text, r->text[r->at]);
	}
	if (r->at >= r->end) {
		kt_buf_free(&text);
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)start, "text without its closing quote");
	}
	r->at++;
	status = scalar_node(out, r, kt_graph_text(r->graph, kt_buf_text(&text), text.size));
	kt_buf_free(&text);
	return status;
}

static kt_status resolve(struct kt_python_value *out, struct kt_python_reader *r, size_t at, size_t length)
{
	const char *name = r->text + at;

	for (size_t i = r->local_count; i-- > 0;)
		if (r->locals[i].length == length && memcmp(r->locals[i].name, name, length) == 0)
			return scalar_node(out, r, r->locals[i].node);
	for (size_t p = 0; p < r->graph->dimensions; p++)
		if (strlen(r->graph->domains[p].name) == length &&
		    memcmp(r->graph->domains[p].name, name, length) == 0)
			return scalar_node(out, r, kt_graph_parameter(r->graph, p));
	if ((length == 4 && memcmp(name, "True", 4) == 0) || (length == 5 && memcmp(name, "False", 5) == 0))
		return scalar_node(out, r, kt_graph_integer(r->graph, length == 4));
	return kt_fail_at(r->err, KT_ERR_INVALID, (unsigned)at, "unknown name '%.*s'", length > 80 ? 80 : (int)length,
			  name);
}

/* p["name"] or p['name'], as in restrictions written as functions of a dictionary. */
static kt_status read_subscript(struct kt_python_value *out, struct kt_python_reader *r)
{
	size_t start, length;
	char quote;

	skip_blanks(r);
	if (r->at >= r->end || (r->text[r->at] != '"' && r->text[r->at] != '\''))
		return kt_python_expected(r, "a parameter's name in quotes");
	quote = r->text[r->at++];
	start = r->at;
	while (r->at < r->end && r->text[r->at] != quote)
		r->at++;
	length = r->at - start;
	if (r->at >= r->end)
		return kt_python_expected(r, "a closing quote");
	r->at++;
	if (!kt_python_take(r, "]"))
		return kt_python_expected(r, "']'");
	return resolve(out, r, start, length);
}

static kt_status read_name(struct kt_python_value *out, struct kt_python_reader *r, size_t length)
{
	const size_t start = r->at;

	r->at += length;
	if (kt_python_take(r, "("))
		return kt_python_call(out, r, start, length);
	if (kt_python_take(r, "["))
		return read_subscript(out, r);
	return resolve(out, r, start, length);
}

static kt_status read_atom(struct kt_python_value *out, struct kt_python_reader *r)
{
	bool comma = false;
	size_t length;
	char c;

	skip_blanks(r);
	if (r->at >= r->end)
		return kt_python_expected(r, "a value");
	length = kt_python_name(r);
	if (length > 0)
		return read_name(out, r, length);
	c = r->text[r->at];
	if (isdigit((unsigned char)c) || (c == '.' && r->at + 1 < r->end && isdigit((unsigned char)r->text[r->at + 1])))
		return read_number(out, r);
	if (c == '"' || c == '\'')
		return read_text(out, r);
	if (c != '(' && c != '[' && c != '{')
		return kt_python_expected(r, "a value");
	r->at++;
	if (kt_python_items(out, &comma, r, c == '(' ? ')' : c == '[' ? ']' : '}') != KT_OK)
		return r->err->code;
	if (c == '(' && !comma && out->count == 1)
		*out = (struct kt_python_value){.node = out->items[0]};
	return KT_OK;
}

static kt_status read_unary(struct kt_python_value *out, struct kt_python_reader *r);

static kt_status read_power(struct kt_python_value *out, struct kt_python_reader *r)
{
	struct kt_python_value exponent;
	size_t at;

	TRY(read_atom(out, r));
	skip_blanks(r);
	at = r->at;
	if (!kt_python_take(r, "**"))
		return KT_OK;
	if (need_scalar(r, out, at) != KT_OK || read_unary(&exponent, r) != KT_OK ||
	    need_scalar(r, &exponent, at) != KT_OK)
		return r->err->code;
	return kt_python_node(&out->node, r, KT_NODE_POWER, at, out->node, exponent.node, KT_NODE_NONE);
}

static kt_status read_unary(struct kt_python_value *out, struct kt_python_reader *r)
{
	size_t at;
	char c;

	skip_blanks(r);
	at = r->at;
	c = at < r->end ? r->text[at] : '\0';
	if (c != '-' && c != '+' && c != '~')
		return read_power(out, r);
	if (++r->depth > KT_PYTHON_DEPTH)
		return too_deep(r);
	r->at++;
	if (read_unary(out, r) != KT_OK || need_scalar(r, out, at) != KT_OK)
		return r->err->code;
	r->depth--;
	if (c == '+')
		return KT_OK;
	return kt_python_node(&out->node, r, c == '-' ? KT_NODE_NEGATE : KT_NODE_COMPLEMENT, at, out->node,
			      KT_NODE_NONE, KT_NODE_NONE);
}

/* From the loosest to the tightest; of one level the longer spelling first. */
static const struct {
	const char *spelling;
	int level;
	enum kt_node_op op;
} binaries[] = {
    {"|", 0, KT_NODE_BIT_OR},	    {"^", 1, KT_NODE_BIT_XOR},	    {"&", 2, KT_NODE_BIT_AND},
    {"<<", 3, KT_NODE_SHIFT_LEFT},  {">>", 3, KT_NODE_SHIFT_RIGHT}, {"+", 4, KT_NODE_ADD},
    {"-", 4, KT_NODE_SUBTRACT},	    {"//", 5, KT_NODE_FLOOR_DIVIDE}, {"*", 5, KT_NODE_MULTIPLY},
    {"/", 5, KT_NODE_DIVIDE},	    {"%", 5, KT_NODE_MODULO},
};
enum { TIGHTEST = 6 };

static size_t take_binary(struct kt_python_reader *r, int level)
{
	skip_blanks(r);
	if (stands(r, "||") || stands(r, "&&"))
		return SIZE_MAX;
	for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
		if (binaries[i].level == level && stands(r, binaries[i].spelling)) {
			r->at += strlen(binaries[i].spelling);
			return i;
		}
	}
	return SIZE_MAX;
}

static kt_status join(struct kt_python_value *out, struct kt_python_reader *r, const struct kt_python_value *more)
{
	for (size_t i = 0; i < more->count; i++)
		TRY(kt_python_push(out, r, more->items[i]));
	return KT_OK;
}

static kt_status read_binary(struct kt_python_value *out, struct kt_python_reader *r, int level)
{
	struct kt_python_value right;
	size_t at, row;

	if (level == TIGHTEST)
		return read_unary(out, r);
	TRY(read_binary(out, r, level + 1));
	for (;;) {
		skip_blanks(r);
		at = r->at;
		row = take_binary(r, level);
		if (row == SIZE_MAX)
			return KT_OK;
		TRY(read_binary(&right, r, level + 1));
		if (binaries[row].op == KT_NODE_ADD && out->is_list && right.is_list) {
			TRY(join(out, r, &right));
			continue;
		}
		if (need_scalar(r, out, at) != KT_OK || need_scalar(r, &right, at) != KT_OK ||
		    kt_python_node(&out->node, r, binaries[row].op, at, out->node, right.node, KT_NODE_NONE) != KT_OK)
			return r->err->code;
	}
}

static const struct {
	const char *spelling;
	enum kt_node_op op;
	bool swapped;
} comparisons[] = {
    {"<=", KT_NODE_LESS_EQUAL, false}, {">=", KT_NODE_LESS_EQUAL, true}, {"==", KT_NODE_EQUAL, false},
    {"!=", KT_NODE_NOT_EQUAL, false},  {"<", KT_NODE_LESS, false},	 {">", KT_NODE_LESS, true},
};
enum { IS_IN = 100, IS_NOT_IN, NO_COMPARISON };

static size_t take_comparison(struct kt_python_reader *r)
{
	const size_t start = r->at;

	skip_blanks(r);
	if (!stands(r, "<<") && !stands(r, ">>"))
		for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
			if (kt_python_take(r, comparisons[i].spelling))
				return i;
	if (kt_python_take_word(r, "in"))
		return IS_IN;
	if (kt_python_take_word(r, "not") && kt_python_take_word(r, "in"))
		return IS_NOT_IN;
	r->at = start;
	return NO_COMPARISON;
}

static kt_status membership(kt_node *out, struct kt_python_reader *r, size_t at, bool negated, kt_node item,
			    const struct kt_python_value *list)
{
	kt_node equal;

	if (!list->is_list)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "'in' needs a list on its right");
	*out = kt_graph_integer(r->graph, 0);
	for (size_t i = 0; i < list->count; i++)
		if (kt_python_node(&equal, r, KT_NODE_EQUAL, at, item, list->items[i], KT_NODE_NONE) != KT_OK ||
		    kt_python_node(out, r, KT_NODE_OR, at, *out, equal, KT_NODE_NONE) != KT_OK)
			return r->err->code;
	return negated ? kt_python_node(out, r, KT_NODE_NOT, at, *out, KT_NODE_NONE, KT_NODE_NONE) : KT_OK;
}

/* a < b <= c is a < b and b <= c. */
static kt_status read_comparison(struct kt_python_value *out, struct kt_python_reader *r)
{
	struct kt_python_value right;
	kt_node all = KT_NODE_NONE, one;
	size_t at, row;

	TRY(read_binary(out, r, 0));
	for (;;) {
		skip_blanks(r);
		at = r->at;
		row = take_comparison(r);
		if (row == NO_COMPARISON)
			break;
		if (need_scalar(r, out, at) != KT_OK || read_binary(&right, r, 0) != KT_OK)
			return r->err->code;
		if (row == IS_IN || row == IS_NOT_IN) {
			TRY(membership(&one, r, at, row == IS_NOT_IN, out->node, &right));
		} else if (need_scalar(r, &right, at) != KT_OK ||
			   kt_python_node(&one, r, comparisons[row].op, at,
					  comparisons[row].swapped ? right.node : out->node,
					  comparisons[row].swapped ? out->node : right.node, KT_NODE_NONE) != KT_OK) {
			return r->err->code;
		}
		if (all == KT_NODE_NONE)
			all = one;
		else if (kt_python_node(&all, r, KT_NODE_AND, at, all, one, KT_NODE_NONE) != KT_OK)
			return r->err->code;
		*out = right;
	}
	if (all != KT_NODE_NONE)
		*out = (struct kt_python_value){.node = all};
	return KT_OK;
}

static kt_status read_not(struct kt_python_value *out, struct kt_python_reader *r)
{
	size_t at;

	skip_blanks(r);
	at = r->at;
	if (!kt_python_take_word(r, "not"))
		return read_comparison(out, r);
	if (++r->depth > KT_PYTHON_DEPTH)
		return too_deep(r);
	if (read_not(out, r) != KT_OK || need_scalar(r, out, at) != KT_OK)
		return r->err->code;
	r->depth--;
	return kt_python_node(&out->node, r, KT_NODE_NOT, at, kt_graph_truth(r->graph, out->node), KT_NODE_NONE,
			      KT_NODE_NONE);
}

/* `and` and `or` give the operand that decides; where both are truth values that is a truth value. */
static kt_status read_logic(struct kt_python_value *out, struct kt_python_reader *r, bool disjunction)
{
	struct kt_python_value right;
	size_t at;

	TRY((disjunction ? read_logic(out, r, false) : read_not(out, r)));
	for (;;) {
		enum kt_node_op op;

		skip_blanks(r);
		at = r->at;
		if (!kt_python_take_word(r, disjunction ? "or" : "and"))
			return KT_OK;
		if ((disjunction ? read_logic(&right, r, false) : read_not(&right, r)) != KT_OK ||
		    need_scalar(r, out, at) != KT_OK || need_scalar(r, &right, at) != KT_OK)
			return r->err->code;
		op = disjunction ? KT_NODE_OR_VALUE : KT_NODE_AND_VALUE;
		if (r->graph->nodes[out->node].boolean && r->graph->nodes[right.node].boolean)
			op = disjunction ? KT_NODE_OR : KT_NODE_AND;
		TRY(kt_python_node(&out->node, r, op, at, out->node, right.node, KT_NODE_NONE));
	}
}

kt_status kt_python_read(struct kt_python_value *out, struct kt_python_reader *r)
{
	struct kt_python_value condition, otherwise;
	size_t at;

	if (++r->depth > KT_PYTHON_DEPTH)
		return too_deep(r);
	TRY(read_logic(out, r, true));
	skip_blanks(r);
	at = r->at;
	if (kt_python_take_word(r, "if")) {
		TRY(read_logic(&condition, r, true));
		if (!kt_python_take_word(r, "else"))
			return kt_python_expected(r, "'else'");
		if (kt_python_read(&otherwise, r) != KT_OK || need_scalar(r, out, at) != KT_OK ||
		    need_scalar(r, &condition, at) != KT_OK || need_scalar(r, &otherwise, at) != KT_OK ||
		    kt_python_node(&out->node, r, KT_NODE_CHOOSE, at, kt_graph_truth(r->graph, condition.node),
				   out->node, otherwise.node) != KT_OK)
			return r->err->code;
	}
	r->depth--;
	return KT_OK;
}
