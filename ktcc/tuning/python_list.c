/* Python expressions: lists, comprehensions and calls. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tuning/python_internal.h"

kt_status kt_python_push(struct kt_python_value *list, struct kt_python_reader *r, kt_node item)
{
	kt_node *slot;

	if (list->count == KT_PYTHON_ITEMS)
		return kt_fail_at(r->err, KT_ERR_LIMIT, (unsigned)r->at, "a list of more than %d items",
				  KT_PYTHON_ITEMS);
	slot = kt_arena_push(r->graph->arena, &list->items, &list->count, sizeof *slot);
	if (slot == NULL || item == KT_NODE_NONE)
		return kt_fail(r->err, KT_ERR_MEMORY, "out of memory for a list");
	*slot = item;
	return KT_OK;
}

bool kt_python_constant(int64_t *out, const struct kt_python_reader *r, kt_node node)
{
	const struct kt_bounds *range = &r->graph->ranges[node];

	*out = range->lo.i;
	return r->graph->nodes[node].parameters == 0 && range->state == KT_RANGE_SURE &&
	       r->graph->nodes[node].kind == KT_VALUE_INTEGER;
}

/* Where the `for` of a comprehension stands, before the bracket that closes; SIZE_MAX: a plain list. */
static size_t find_for(const struct kt_python_reader *r)
{
	int nested = 0;
	char quote = '\0';

	for (size_t i = r->at; i < r->end; i++) {
		const char c = r->text[i];

		if (quote != '\0') {
			quote = c == quote ? '\0' : quote;
			continue;
		}
		if (c == '"' || c == '\'')
			quote = c;
		else if (strchr("([{", c) != NULL)
			nested++;
		else if (strchr(")]}", c) != NULL && nested-- == 0)
			return SIZE_MAX;
		else if (nested == 0 && i + 4 < r->end && i > r->at && !isalnum((unsigned char)r->text[i - 1]) &&
			 r->text[i - 1] != '_' && memcmp(r->text + i, "for", 3) == 0 &&
			 isspace((unsigned char)r->text[i + 3]))
			return i;
	}
	return SIZE_MAX;
}

/* One round of a comprehension: the condition, then the item. Leaves the cursor behind the condition. */
static kt_status comprehend(struct kt_python_value *out, struct kt_python_reader *r, size_t item_at,
			    size_t condition_at, size_t for_at, kt_node value, bool keep)
{
	int64_t holds = 1;
	kt_node node;
	size_t behind;

	r->locals[r->local_count - 1].node = value;
	r->at = condition_at;
	if (kt_python_take_word(r, "if")) {
		TRY(kt_python_scalar(&node, r));
		node = kt_graph_truth(r->graph, node);
		if (node == KT_NODE_NONE || !kt_python_constant(&holds, r, node))
			return kt_fail_at(r->err, KT_ERR_INVALID, (unsigned)condition_at,
					  "the condition of a list is not a constant");
	}
	behind = r->at;
	r->at = item_at;
	TRY(kt_python_scalar(&node, r));
	(void)kt_python_take(r, "");
	if (r->at != for_at)
		return kt_python_expected(r, "'for'");
	r->at = behind;
	return keep && holds != 0 ? kt_python_push(out, r, node) : KT_OK;
}

static kt_status read_comprehension(struct kt_python_value *out, struct kt_python_reader *r, size_t for_at)
{
	const size_t item_at = r->at;
	struct kt_python_value source;
	size_t length, condition_at;
	kt_status status;

	r->at = for_at + 3;
	length = kt_python_name(r);
	if (length == 0)
		return kt_python_expected(r, "a name");
	if (r->local_count == KT_PYTHON_LOCALS)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)r->at, "lists are nested too deep");
	const struct kt_python_local local = {r->text + r->at, length, kt_graph_integer(r->graph, 0)};
	r->at += length;
	if (!kt_python_take_word(r, "in"))
		return kt_python_expected(r, "'in'");
	/* Not a whole expression: the `if` that may follow is the comprehension's. */
	length = kt_python_name(r);
	if (length > 0 && kt_python_name(r) + r->at < r->end && r->text[r->at + length] == '(') {
		const size_t name = r->at;

		r->at += length + 1;
		status = kt_python_call(&source, r, name, length);
	} else if (kt_python_take(r, "[") || kt_python_take(r, "(")) {
		bool comma;

		status = kt_python_items(&source, &comma, r, r->text[r->at - 1] == '[' ? ']' : ')');
	} else {
		return kt_python_expected(r, "a list");
	}
	if (status != KT_OK)
		return status;
	if (!source.is_list)
		return kt_python_expected(r, "a list");
	condition_at = r->at;
	r->locals[r->local_count++] = local;
	/* Read at least once, so that the cursor ends behind it. */
	status = source.count == 0 ? comprehend(out, r, item_at, condition_at, for_at, local.node, false) : KT_OK;
	for (size_t i = 0; i < source.count && status == KT_OK; i++)
		status = comprehend(out, r, item_at, condition_at, for_at, source.items[i], true);
	r->local_count--;
	return status;
}

kt_status kt_python_items(struct kt_python_value *out, bool *comma, struct kt_python_reader *r, char close)
{
	const char closing[2] = {close, '\0'};
	const size_t for_at = find_for(r);

	*comma = false;
	*out = (struct kt_python_value){.is_list = true};
	if (for_at != SIZE_MAX) {
		*comma = true;
		TRY(read_comprehension(out, r, for_at));
		return kt_python_take(r, closing) ? KT_OK : kt_python_expected(r, "the end of the list");
	}
	while (!kt_python_take(r, closing)) {
		struct kt_python_value item;

		TRY(kt_python_read(&item, r));
		if (item.is_list && close == ')' && out->count == 0 && kt_python_take(r, closing)) {
			*comma = true; /* brackets around a list are the list */
			*out = item;
			return KT_OK;
		}
		if (item.is_list)
			return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)r->at, "a list in a list");
		TRY(kt_python_push(out, r, item.node));
		if (kt_python_take(r, closing))
			return KT_OK;
		if (!kt_python_take(r, ","))
			return kt_python_expected(r, close == ')' ? "')' or an operator" : "',' or the end of the list");
		*comma = true;
	}
	return KT_OK;
}

/* What a call does with its arguments. */
enum call_form {
	CALL_ONE,   /* the operator on one argument */
	CALL_FOLD,  /* the operator between all of them */
	CALL_TWO,
	CALL_TRUTH, /* the operator between their truths, starting from `start` */
	CALL_LENGTH,
	CALL_RANGE,
	CALL_LIST,
	CALL_SORTED,
};

static const struct call_row {
	const char *name;
	enum call_form form;
	enum kt_node_op op;
	int start;
} calls[] = {
    {"min", CALL_FOLD, KT_NODE_MIN, 0},		{"max", CALL_FOLD, KT_NODE_MAX, 0},
    {"sum", CALL_FOLD, KT_NODE_ADD, 0},		{"gcd", CALL_FOLD, KT_NODE_GCD, 0},
    {"abs", CALL_ONE, KT_NODE_ABSOLUTE, 0},	{"int", CALL_ONE, KT_NODE_TRUNCATE, 0},
    {"float", CALL_ONE, KT_NODE_TO_REAL, 0},	{"bool", CALL_ONE, KT_NODE_TRUTH, 0},
    {"round", CALL_ONE, KT_NODE_ROUND, 0},	{"ceil", CALL_ONE, KT_NODE_CEIL, 0},
    {"floor", CALL_ONE, KT_NODE_FLOOR, 0},	{"sqrt", CALL_ONE, KT_NODE_SQRT, 0},
    {"log2", CALL_ONE, KT_NODE_LOG2, 0},	{"pow", CALL_TWO, KT_NODE_POWER, 0},
    {"any", CALL_TRUTH, KT_NODE_OR, 0},		{"all", CALL_TRUTH, KT_NODE_AND, 1},
    {"len", CALL_LENGTH, KT_NODE_CONSTANT, 0},	{"range", CALL_RANGE, KT_NODE_CONSTANT, 0},
    {"list", CALL_LIST, KT_NODE_CONSTANT, 0},	{"tuple", CALL_LIST, KT_NODE_CONSTANT, 0},
    {"set", CALL_LIST, KT_NODE_CONSTANT, 0},	{"sorted", CALL_SORTED, KT_NODE_CONSTANT, 0},
};

static const struct call_row *find_call(const char *name, size_t length)
{
	static const char *const modules[] = {"math.", "np.", "numpy."};

	for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
		const size_t prefix = strlen(modules[i]);

		if (length > prefix && memcmp(name, modules[i], prefix) == 0) {
			name += prefix;
			length -= prefix;
			break;
		}
	}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (strlen(calls[i].name) == length && memcmp(calls[i].name, name, length) == 0)
			return &calls[i];
	return NULL;
}

static kt_status call_range(struct kt_python_value *out, struct kt_python_reader *r, size_t at,
			    const struct kt_python_value *arguments)
{
	int64_t bounds[3] = {0, 0, 1}, given[3];

	if (arguments->count < 1 || arguments->count > 3)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "range takes 1 to 3 integers");
	for (size_t i = 0; i < arguments->count; i++)
		if (!kt_python_constant(&given[i], r, arguments->items[i]))
			return kt_fail_at(r->err, KT_ERR_INVALID, (unsigned)at, "range takes constant integers");
	bounds[1] = given[0];
	for (size_t i = 0; arguments->count > 1 && i < arguments->count; i++)
		bounds[i] = given[i];
	if (bounds[2] == 0)
		return kt_fail_at(r->err, KT_ERR_INVALID, (unsigned)at, "range with a step of 0");
	*out = (struct kt_python_value){.is_list = true};
	for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
		TRY(kt_python_push(out, r, kt_graph_integer(r->graph, i)));
		if (__builtin_add_overflow(i, bounds[2], &i))
			break;
	}
	return KT_OK;
}

static int compare_items(const void *left, const void *right, void *context)
{
	const struct kt_graph *graph = context;
	const kt_node i = *(const kt_node *)left, j = *(const kt_node *)right;
	const double a = graph->nodes[i].kind == KT_VALUE_REAL ? graph->ranges[i].lo.d : (double)graph->ranges[i].lo.i;
	const double b = graph->nodes[j].kind == KT_VALUE_REAL ? graph->ranges[j].lo.d : (double)graph->ranges[j].lo.i;

	return (a > b) - (a < b);
}

static kt_status fold(kt_node *out, struct kt_python_reader *r, const struct call_row *row, size_t at,
		      const struct kt_python_value *arguments)
{
	const bool truth = row->form == CALL_TRUTH;
	kt_node item;

	if (arguments->count == 0 && !truth && row->op != KT_NODE_ADD)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "%s of nothing", row->name);
	*out = truth ? kt_graph_integer(r->graph, row->start)
	       : arguments->count == 0 ? kt_graph_integer(r->graph, 0) : arguments->items[0];
	for (size_t i = truth ? 0 : 1; i < arguments->count; i++) {
		item = truth ? kt_graph_truth(r->graph, arguments->items[i]) : arguments->items[i];
		TRY(kt_python_node(out, r, row->op, at, *out, item, KT_NODE_NONE));
	}
	return KT_OK;
}

kt_status kt_python_call(struct kt_python_value *out, struct kt_python_reader *r, size_t name, size_t length)
{
	const struct call_row *row = find_call(r->text + name, length);
	struct kt_python_value arguments;
	const size_t at = name;
	bool comma;

	if (row == NULL)
		return kt_fail_at(r->err, KT_ERR_INVALID, (unsigned)name, "unknown function '%.*s'",
				  length > 80 ? 80 : (int)length, r->text + name);
	TRY(kt_python_items(&arguments, &comma, r, ')'));
	*out = (struct kt_python_value){0};
	switch (row->form) {
	case CALL_ONE:
		if (arguments.count != 1)
			return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "%s takes one argument", row->name);
		return kt_python_node(&out->node, r, row->op, at, arguments.items[0], KT_NODE_NONE, KT_NODE_NONE);
	case CALL_TWO:
		if (arguments.count != 2)
			return kt_fail_at(r->err, KT_ERR_SYNTAX, (unsigned)at, "%s takes two arguments", row->name);
		return kt_python_node(&out->node, r, row->op, at, arguments.items[0], arguments.items[1],
				      KT_NODE_NONE);
	case CALL_FOLD:
	case CALL_TRUTH:
		return fold(&out->node, r, row, at, &arguments);
	case CALL_LENGTH:
		out->node = kt_graph_integer(r->graph, (int64_t)arguments.count);
		return out->node != KT_NODE_NONE ? KT_OK : kt_no_memory(r->err);
	case CALL_RANGE:
		return call_range(out, r, at, &arguments);
	case CALL_SORTED:
		if (arguments.count > 0)
			qsort_r(arguments.items, arguments.count, sizeof *arguments.items, compare_items, r->graph);
		break;
	case CALL_LIST:
		break;
	}
	*out = arguments;
	return KT_OK;
}

static kt_status read_all(struct kt_python_value *out, struct kt_python_reader *r)
{
	if (r->end > KT_LIMIT_LINE_BYTES)
		return kt_fail_at(r->err, KT_ERR_SYNTAX, 0, "expression is longer than %zu bytes", KT_LIMIT_LINE_BYTES);
	TRY(kt_python_read(out, r));
	(void)kt_python_take(r, "");
	return r->at == r->end ? KT_OK : kt_python_expected(r, "an operator");
}

kt_status kt_python_expr(kt_node *out, struct kt_graph *graph, const char *text, struct kt_python_trace *trace,
			 struct kt_error *err)
{
	struct kt_python_reader r = {.graph = graph, .text = text, .end = strlen(text), .trace = trace, .err = err};
	struct kt_python_value value;

	TRY(read_all(&value, &r));
	if (value.is_list)
		return kt_fail_at(err, KT_ERR_SYNTAX, 0, "expected a value, found a list");
	*out = value.node;
	return KT_OK;
}

kt_status kt_python_list(kt_node **out, size_t *count, struct kt_graph *graph, const char *text, struct kt_error *err)
{
	struct kt_python_reader r = {.graph = graph, .text = text, .end = strlen(text), .err = err};
	struct kt_python_value value;

	TRY(read_all(&value, &r));
	if (!value.is_list)
		return kt_fail_at(err, KT_ERR_SYNTAX, 0, "expected a list");
	for (size_t i = 0; i < value.count; i++)
		if (graph->ranges[value.items[i]].state != KT_RANGE_SURE || graph->nodes[value.items[i]].parameters != 0)
			return kt_fail_at(err, KT_ERR_INVALID, 0, "item %zu of the list has no value", i + 1);
	*out = value.items;
	*count = value.count;
	return KT_OK;
}
