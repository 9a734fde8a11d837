/* The graph of expressions: nodes, each once, after constant folding. */
#include "tuning/graph.h"

#include <stdlib.h>
#include <string.h>

struct op_row {
	const char *spelling;
	unsigned operands;
};

static const struct op_row rows[KT_NODE_OP_COUNT] = {
#define KT_NODE_ROW(id, operands, spelling) [KT_NODE_##id] = {spelling, operands},
    KT_NODE_OPS(KT_NODE_ROW)
#undef KT_NODE_ROW
};

const char *kt_node_spelling(enum kt_node_op op)
{
	return rows[op].spelling;
}

unsigned kt_node_operands(enum kt_node_op op)
{
	return rows[op].operands;
}

kt_status kt_graph_open(struct kt_graph **out, const struct kt_domain *domains, size_t dimensions, struct kt_error *err)
{
	struct kt_graph *graph = calloc(1, sizeof *graph);

	if (graph != NULL) {
		graph->arena = kt_arena_new(KT_GRAPH_BYTES);
		graph->slot_mask = 255;
		graph->slots = malloc((graph->slot_mask + 1) * sizeof *graph->slots);
	}
	if (graph == NULL || graph->arena == NULL || graph->slots == NULL) {
		kt_graph_close(graph);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for expressions");
	}
	memset(graph->slots, 0xff, (graph->slot_mask + 1) * sizeof *graph->slots);
	graph->domains = domains;
	graph->dimensions = dimensions;
	*out = graph;
	return KT_OK;
}

void kt_graph_close(struct kt_graph *graph)
{
	if (graph == NULL)
		return;
	kt_arena_free(graph->arena);
	free(graph->nodes);
	free(graph->ranges);
	free(graph->slots);
	free(graph->texts);
	free(graph);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

static uint64_t hash_record(const struct kt_node_record *record)
{
	uint64_t hash = mix(UINT64_C(0x9e3779b97f4a7c15), (uint64_t)record->op << 8 | record->kind);

	for (size_t i = 0; i < 3; i++)
		hash = mix(hash, record->operands[i]);
	return mix(hash, (uint64_t)record->constant.i);
}

static bool same(const struct kt_node_record *a, const struct kt_node_record *b)
{
	return a->op == b->op && a->kind == b->kind && a->constant.i == b->constant.i && a->failure == b->failure &&
	       memcmp(a->operands, b->operands, sizeof a->operands) == 0;
}

static bool grow(struct kt_graph *graph)
{
	const size_t capacity = graph->capacity == 0 ? 128 : 2 * graph->capacity, slots = 4 * capacity;
	struct kt_node_record *nodes = realloc(graph->nodes, capacity * sizeof *nodes);
	struct kt_bounds *ranges;
	uint32_t *fresh;

	if (nodes != NULL)
		graph->nodes = nodes;
	ranges = realloc(graph->ranges, capacity * sizeof *ranges);
	if (ranges != NULL)
		graph->ranges = ranges;
	fresh = malloc(slots * sizeof *fresh);
	if (nodes == NULL || ranges == NULL || fresh == NULL) {
		free(fresh);
		return false;
	}
	free(graph->slots);
	graph->slots = fresh;
	graph->slot_mask = slots - 1;
	graph->capacity = capacity;
	memset(fresh, 0xff, slots * sizeof *fresh);
	for (size_t i = 0; i < graph->count; i++) {
		size_t slot = (size_t)hash_record(&nodes[i]) & graph->slot_mask;

		while (fresh[slot] != KT_NODE_NONE)
			slot = (slot + 1) & graph->slot_mask;
		fresh[slot] = (uint32_t)i;
	}
	return true;
}

/* The node that is equal to record, made where there is none; then *made is true. */
static kt_node intern(bool *made, struct kt_graph *graph, const struct kt_node_record *record)
{
	size_t slot;

	*made = false;
	if (graph->count == graph->capacity && (graph->count >= KT_GRAPH_NODES || !grow(graph)))
		return KT_NODE_NONE;
	slot = (size_t)hash_record(record) & graph->slot_mask;
	for (; graph->slots[slot] != KT_NODE_NONE; slot = (slot + 1) & graph->slot_mask)
		if (same(&graph->nodes[graph->slots[slot]], record))
			return graph->slots[slot];
	*made = true;
	graph->slots[slot] = (uint32_t)graph->count;
	graph->nodes[graph->count] = *record;
	return (kt_node)graph->count++;
}

static kt_node constant(struct kt_graph *graph, enum kt_value_kind kind, union kt_scalar_value value)
{
	const struct kt_node_record record = {
	    KT_NODE_CONSTANT, (unsigned char)kind, kind == KT_VALUE_INTEGER && (value.i == 0 || value.i == 1),
	    {KT_NODE_NONE, KT_NODE_NONE, KT_NODE_NONE}, 0, value, NULL};
	bool made;
	const kt_node node = intern(&made, graph, &record);

	if (node != KT_NODE_NONE)
		graph->ranges[node] = (struct kt_bounds){value, value, KT_RANGE_SURE};
	return node;
}

kt_node kt_graph_integer(struct kt_graph *graph, int64_t value)
{
	return constant(graph, KT_VALUE_INTEGER, (union kt_scalar_value){.i = value});
}

kt_node kt_graph_real(struct kt_graph *graph, double value)
{
	return constant(graph, KT_VALUE_REAL, (union kt_scalar_value){.d = value});
}

/* The identity of a text; −1 when out of memory. */
static int64_t identify(struct kt_graph *graph, const char *text, size_t length)
{
	const char **texts;

	for (size_t i = 0; i < graph->text_count; i++)
		if (strlen(graph->texts[i]) == length && memcmp(graph->texts[i], text, length) == 0)
			return (int64_t)i;
	NEED(texts = realloc(graph->texts, (graph->text_count + 1) * sizeof(char *)), -1);
	graph->texts = texts;
	texts[graph->text_count] = kt_arena_strndup(graph->arena, text, length);
	return texts[graph->text_count] == NULL ? -1 : (int64_t)graph->text_count++;
}

kt_node kt_graph_text(struct kt_graph *graph, const char *text, size_t length)
{
	const int64_t identity = identify(graph, text, length);

	return identity < 0 ? KT_NODE_NONE
			    : constant(graph, KT_VALUE_TEXT, (union kt_scalar_value){.i = identity});
}

struct kt_bounds kt_graph_at(const struct kt_graph *graph, size_t parameter, size_t position)
{
	const struct kt_domain *domain = &graph->domains[parameter];
	union kt_scalar_value value = {0};

	if (domain->kind == KT_VALUE_REAL)
		value.d = domain->reals[position];
	else if (domain->kind == KT_VALUE_INTEGER)
		value.i = domain->values[position];
	else /* The texts of a parameter were identified when its node was made: a table would save little. */
		for (size_t i = 0; i < graph->text_count; i++)
			if (strcmp(graph->texts[i], domain->texts[position]) == 0)
				value.i = (int64_t)i;
	return (struct kt_bounds){value, value, KT_RANGE_SURE};
}

static struct kt_bounds whole_domain(const struct kt_graph *graph, size_t parameter)
{
	const struct kt_domain *domain = &graph->domains[parameter];
	struct kt_bounds range = {{0}, {0}, KT_RANGE_SURE};

	if (domain->count == 0)
		return range;
	range.lo = kt_graph_at(graph, parameter, domain->sorted[0]).lo;
	range.hi = kt_graph_at(graph, parameter, domain->sorted[domain->count - 1]).lo;
	if (domain->kind != KT_VALUE_TEXT)
		return range;
	for (size_t i = 0; i < domain->count; i++) {
		const int64_t identity = kt_graph_at(graph, parameter, i).lo.i;

		range.lo.i = identity < range.lo.i ? identity : range.lo.i;
		range.hi.i = identity > range.hi.i ? identity : range.hi.i;
	}
	return range;
}

kt_node kt_graph_parameter(struct kt_graph *graph, size_t parameter)
{
	const struct kt_domain *domain = &graph->domains[parameter];
	struct kt_node_record record = {
	    KT_NODE_PARAMETER, (unsigned char)domain->kind, domain->kind == KT_VALUE_INTEGER,
	    {KT_NODE_NONE, KT_NODE_NONE, KT_NODE_NONE}, UINT64_C(1) << parameter, {.i = (int64_t)parameter}, NULL};
	bool made;
	kt_node node;

	for (size_t i = 0; i < domain->count; i++) {
		if (domain->kind == KT_VALUE_TEXT &&
		    identify(graph, domain->texts[i], strlen(domain->texts[i])) < 0)
			return KT_NODE_NONE;
		record.boolean = record.boolean && (domain->values[i] == 0 || domain->values[i] == 1);
	}
	node = intern(&made, graph, &record);
	if (node != KT_NODE_NONE && made)
		graph->ranges[node] = whole_domain(graph, parameter);
	return node;
}

static kt_node failure(struct kt_graph *graph, enum kt_value_kind kind, const char *why)
{
	const struct kt_node_record record = {
	    KT_NODE_FAILURE, (unsigned char)kind, false, {KT_NODE_NONE, KT_NODE_NONE, KT_NODE_NONE}, 0, {0}, why};
	bool made;
	const kt_node node = intern(&made, graph, &record);

	if (node != KT_NODE_NONE)
		graph->ranges[node] = (struct kt_bounds){{0}, {0}, KT_RANGE_FAILS};
	return node;
}

/* What a result is made of. Integer powers stay integers only where no exponent is negative, as in Python. */
static enum kt_value_kind result_kind(const struct kt_graph *graph, enum kt_node_op op, const kt_node *operands,
				      unsigned count)
{
	enum kt_value_kind kinds[3] = {KT_VALUE_INTEGER, KT_VALUE_INTEGER, KT_VALUE_INTEGER};
	bool real = false;

	for (unsigned i = 0; i < count; i++) {
		kinds[i] = graph->nodes[operands[i]].kind;
		real = real || kinds[i] == KT_VALUE_REAL;
	}
	switch (op) {
	case KT_NODE_DIVIDE:
	case KT_NODE_TO_REAL:
	case KT_NODE_SQRT:
	case KT_NODE_LOG2:
		return KT_VALUE_REAL;
	case KT_NODE_POWER:
		return real || graph->ranges[operands[1]].lo.i < 0 ? KT_VALUE_REAL : KT_VALUE_INTEGER;
	case KT_NODE_CHOOSE:
		return kinds[1] == KT_VALUE_TEXT && kinds[2] == KT_VALUE_TEXT ? KT_VALUE_TEXT
		       : kinds[1] == KT_VALUE_REAL || kinds[2] == KT_VALUE_REAL ? KT_VALUE_REAL
										: KT_VALUE_INTEGER;
	case KT_NODE_NEGATE:
	case KT_NODE_ABSOLUTE:
	case KT_NODE_ADD:
	case KT_NODE_SUBTRACT:
	case KT_NODE_MULTIPLY:
	case KT_NODE_FLOOR_DIVIDE:
	case KT_NODE_MODULO:
	case KT_NODE_MIN:
	case KT_NODE_MAX:
	case KT_NODE_AND_VALUE:
	case KT_NODE_OR_VALUE:
		return real ? KT_VALUE_REAL : KT_VALUE_INTEGER;
	default:
		return KT_VALUE_INTEGER;
	}
}

static bool is_boolean(const struct kt_graph *graph, enum kt_node_op op, const kt_node *operands)
{
	switch (op) {
	case KT_NODE_NOT:
	case KT_NODE_TRUTH:
	case KT_NODE_IS_POW2:
	case KT_NODE_HOLDS:
	case KT_NODE_FAILS:
	case KT_NODE_LESS:
	case KT_NODE_LESS_EQUAL:
	case KT_NODE_EQUAL:
	case KT_NODE_NOT_EQUAL:
	case KT_NODE_AND:
	case KT_NODE_OR:
	case KT_NODE_ANY:
		return true;
	case KT_NODE_CHOOSE:
		return graph->nodes[operands[1]].boolean && graph->nodes[operands[2]].boolean;
	default:
		return false;
	}
}

/* Texts compare for equality and choose; anything else with them is a mistake, as in Python. */
static bool takes_texts(const struct kt_graph *graph, enum kt_node_op op, const kt_node *operands, unsigned count)
{
	bool any = false;

	for (unsigned i = 0; i < count; i++)
		any = any || graph->nodes[operands[i]].kind == KT_VALUE_TEXT;
	if (!any)
		return true;
	if (op == KT_NODE_CHOOSE)
		return graph->nodes[operands[0]].kind != KT_VALUE_TEXT &&
		       graph->nodes[operands[1]].kind == graph->nodes[operands[2]].kind;
	return op == KT_NODE_EQUAL || op == KT_NODE_NOT_EQUAL || op == KT_NODE_HOLDS || op == KT_NODE_FAILS;
}

kt_node kt_graph_make(struct kt_graph *graph, enum kt_node_op op, kt_node a, kt_node b, kt_node c)
{
	const kt_node given[3] = {a, b, c};
	struct kt_node_record record = {(unsigned char)op, 0, false, {KT_NODE_NONE, KT_NODE_NONE, KT_NODE_NONE}, 0,
					{0}, NULL};
	const unsigned count = rows[op].operands;
	bool made;
	kt_node node;

	for (unsigned i = 0; i < count; i++) {
		if (given[i] == KT_NODE_NONE)
			return KT_NODE_NONE;
		record.operands[i] = given[i];
		record.parameters |= graph->nodes[given[i]].parameters;
	}
	if (!takes_texts(graph, op, given, count))
		return failure(graph, KT_VALUE_INTEGER, "a text where a number is expected");
	record.kind = (unsigned char)result_kind(graph, op, given, count);
	record.boolean = is_boolean(graph, op, given);
	node = intern(&made, graph, &record);
	if (node == KT_NODE_NONE || !made)
		return node;
	kt_graph_evaluate(graph, node);
	return node;
}

kt_node kt_graph_truth(struct kt_graph *graph, kt_node node)
{
	const struct kt_node_record *record = node == KT_NODE_NONE ? NULL : &graph->nodes[node];
	kt_node a, b;

	if (record == NULL || record->boolean)
		return node;
	if (record->op != KT_NODE_AND_VALUE && record->op != KT_NODE_OR_VALUE)
		return kt_graph_make(graph, KT_NODE_TRUTH, node, KT_NODE_NONE, KT_NODE_NONE);
	const enum kt_node_op op = record->op == KT_NODE_AND_VALUE ? KT_NODE_AND : KT_NODE_OR;
	a = record->operands[0];
	b = record->operands[1];
	a = kt_graph_truth(graph, a);
	b = kt_graph_truth(graph, b);
	return kt_graph_make(graph, op, a, b, KT_NODE_NONE);
}
