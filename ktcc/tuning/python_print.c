/* Nodes of the graph as Python text. */
#include <math.h>
#include <stdio.h>

#include "tuning/python.h"

/* May the node be below 0? */
static bool negative(const struct kt_graph *graph, kt_node node)
{
	const struct kt_bounds *range = &graph->ranges[node];

	return graph->nodes[node].kind == KT_VALUE_REAL ? !(range->lo.d >= 0) : range->lo.i < 0;
}

static void call(struct kt_buf *out, const struct kt_graph *graph, const struct kt_node_record *record)
{
	kt_buf_addf(out, "%s(", kt_node_spelling(record->op));
	for (unsigned i = 0; i < kt_node_operands(record->op); i++) {
		kt_buf_adds(out, i > 0 ? ", " : "");
		kt_python_print(out, graph, record->operands[i]);
	}
	kt_buf_addc(out, ')');
}

/* "(a, b and c)": pieces of format are literal except $0, $1, $2, the operands. */
static void fill(struct kt_buf *out, const struct kt_graph *graph, const struct kt_node_record *record,
		 const char *format)
{
	for (; *format != '\0'; format++) {
		if (*format != '$')
			kt_buf_addc(out, *format);
		else
			kt_python_print(out, graph, record->operands[*++format - '0']);
	}
}

static void print_number(struct kt_buf *out, const struct kt_graph *graph, kt_node node)
{
	const struct kt_bounds *range = &graph->ranges[node];

	if (graph->nodes[node].kind == KT_VALUE_TEXT)
		kt_buf_addjson(out, graph->texts[range->lo.i]);
	else if (graph->nodes[node].kind == KT_VALUE_REAL)
		kt_buf_addf(out, range->lo.d == floor(range->lo.d) ? "%.1f" : "%.17g", range->lo.d);
	else
		kt_buf_addf(out, range->lo.i < 0 ? "(%lld)" : "%lld", (long long)range->lo.i);
}

/* Where an operand can be negative C and Python differ: towards 0 against towards −∞. */
static const char *division(const struct kt_graph *graph, const struct kt_node_record *record)
{
	const bool plain = !negative(graph, record->operands[0]) && !negative(graph, record->operands[1]);

	switch (record->op) {
	case KT_NODE_QUOTIENT:
		return plain ? "($0 // $1)" : "((1 if ($0 < 0) == ($1 < 0) else -1) * (abs($0) // abs($1)))";
	case KT_NODE_REMAINDER:
		return plain ? "($0 % $1)" : "((-1 if $0 < 0 else 1) * (abs($0) % abs($1)))";
	default: /* CEIL_DIV */
		return "(-(-$0 // $1))";
	}
}

void kt_python_print(struct kt_buf *out, const struct kt_graph *graph, kt_node node)
{
	const struct kt_node_record *record = &graph->nodes[node];
	char format[32];

	if (record->op == KT_NODE_PARAMETER) {
		kt_buf_adds(out, graph->domains[record->constant.i].name);
		return;
	}
	if (record->parameters == 0 && graph->ranges[node].state == KT_RANGE_SURE) {
		print_number(out, graph, node);
		return;
	}
	switch (record->op) {
	case KT_NODE_FAILURE:
		kt_buf_adds(out, "(1 // 0)");
		return;
	case KT_NODE_QUOTIENT:
	case KT_NODE_REMAINDER:
	case KT_NODE_CEIL_DIV:
		fill(out, graph, record, division(graph, record));
		return;
	case KT_NODE_IS_POW2:
		fill(out, graph, record, "($0 > 0 and $0 & ($0 - 1) == 0)");
		return;
	case KT_NODE_CHOOSE:
		fill(out, graph, record, "($1 if $0 else $2)");
		return;
	case KT_NODE_TRUTH:
		fill(out, graph, record, "($0 != 0)");
		return;
	case KT_NODE_NOT:
		fill(out, graph, record, "(not $0)");
		return;
	case KT_NODE_NEGATE:
		fill(out, graph, record, "(-$0)");
		return;
	case KT_NODE_COMPLEMENT:
		fill(out, graph, record, "(~$0)");
		return;
	case KT_NODE_ANY:
		fill(out, graph, record, "($0 or $1)");
		return;
	case KT_NODE_MIN:
	case KT_NODE_MAX:
	case KT_NODE_GCD:
		call(out, graph, record);
		return;
	default:
		break;
	}
	if (kt_node_operands(record->op) == 1) {
		call(out, graph, record);
		return;
	}
	snprintf(format, sizeof format, "($0 %s $1)", kt_node_spelling(record->op));
	fill(out, graph, record, format);
}
