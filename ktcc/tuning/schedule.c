#include "tuning/schedule.h"

#include <stdlib.h>
#include <string.h>

#define SCHEDULE_BYTES ((size_t)512 << 20)

/* A key of subexpressions may be this much longer than one of parameters before the latter is taken. */
enum { KEY_FACTOR = 3, KEY_SPARE = 8 };

struct builder {
	struct kt_schedule *schedule;
	const struct kt_problem_set *problem;
	const struct kt_graph *graph;
	size_t root_count;
	kt_node *roots; /* the rules that are not settled from the start, cheapest first, then the verdict */
	size_t *rules;  /* of each root its rule; SIZE_MAX: the verdict */
	kt_node leaves[KT_PARAMETERS];
	uint64_t *stamps; /* of each node: where it was last listed */
	uint64_t stamp;
};

static uint64_t bit(size_t parameter)
{
	return UINT64_C(1) << parameter;
}

static size_t bits(uint64_t mask)
{
	return (size_t)__builtin_popcountll(mask);
}

/* What speaks for assigning a parameter next; compared from the first field on. */
struct appeal {
	bool decided;     /* one value only */
	size_t completed; /* rules it completes */
	size_t connected; /* rules it shares with assigned parameters */
	size_t degree;    /* rules that name it */
	size_t fewness;
};

static struct appeal appeal_of(const struct builder *b, size_t parameter, uint64_t assigned)
{
	const size_t count = b->graph->domains[parameter].count;
	struct appeal appeal = {count <= 1, 0, 0, 0, SIZE_MAX - count};

	for (size_t r = 0; r < b->root_count; r++) {
		const uint64_t mask = b->graph->nodes[b->roots[r]].parameters;

		if ((mask & bit(parameter)) == 0)
			continue;
		appeal.degree++;
		appeal.connected += (mask & assigned) != 0;
		appeal.completed += (mask & ~assigned) == bit(parameter);
	}
	return appeal;
}

static bool appeals_more(const struct appeal *a, const struct appeal *b)
{
	if (a->decided != b->decided)
		return a->decided;
	if (a->completed != b->completed)
		return a->completed > b->completed;
	if (a->connected != b->connected)
		return a->connected > b->connected;
	if (a->degree != b->degree)
		return a->degree > b->degree;
	return a->fewness > b->fewness;
}

static void choose_order(struct builder *b)
{
	uint64_t assigned = 0;

	for (size_t depth = 0; depth < b->graph->dimensions; depth++) {
		struct appeal best = {0};
		size_t chosen = SIZE_MAX;

		for (size_t p = 0; p < b->graph->dimensions; p++) {
			if ((assigned & bit(p)) != 0)
				continue;
			const struct appeal appeal = appeal_of(b, p, assigned);
			if (chosen == SIZE_MAX || appeals_more(&appeal, &best)) {
				best = appeal;
				chosen = p;
			}
		}
		assigned |= bit(chosen);
		b->schedule->order[depth] = (uint8_t)chosen;
	}
}

/* Lists what of the node depends on the parameters in mask, operands first, each once per stamp. */
static void list_nodes(kt_node *nodes, size_t *count, struct builder *b, kt_node node, uint64_t mask)
{
	const struct kt_node_record *record = &b->graph->nodes[node];

	if ((record->parameters & mask) == 0 || b->stamps[node] == b->stamp)
		return;
	b->stamps[node] = b->stamp;
	if (record->op == KT_NODE_PARAMETER) {
		b->leaves[record->constant.i] = node;
		return;
	}
	for (unsigned i = 0; i < kt_node_operands(record->op); i++)
		list_nodes(nodes, count, b, record->operands[i], mask);
	nodes[(*count)++] = node;
}

static bool fill_step(struct builder *b, size_t depth, kt_node *scratch, uint64_t assigned)
{
	struct kt_step *step = &b->schedule->steps[depth];
	const uint64_t mask = bit(step->parameter);

	b->stamp++;
	step->leaf = KT_NODE_NONE;
	NEED(step->rules = kt_arena_array(b->schedule->arena, b->root_count + 1, sizeof *step->rules), false);
	for (size_t r = 0; r < b->root_count; r++) {
		const uint64_t named = b->graph->nodes[b->roots[r]].parameters;

		list_nodes(scratch, &step->node_count, b, b->roots[r], mask);
		if ((named & mask) != 0 && b->rules[r] != SIZE_MAX)
			step->rules[step->rule_count++] =
			    (struct kt_step_rule){b->rules[r], step->node_count, (named & ~assigned) == mask};
	}
	step->leaf = b->leaves[step->parameter];
	NEED(step->nodes = kt_arena_array(b->schedule->arena, step->node_count + 1, sizeof *step->nodes), false);
	memcpy(step->nodes, scratch, step->node_count * sizeof *scratch);
	return true;
}

/* Appends the entries of a node; false when there are more than `most`. */
static bool list_entries(struct kt_key_entry *entries, size_t *count, size_t most, const struct builder *b,
			 kt_node node, uint64_t assigned)
{
	const struct kt_node_record *record = &b->graph->nodes[node];
	const size_t at = *count;

	if ((record->parameters & assigned) == 0)
		return true;
	if (at == most)
		return false;
	entries[at] = (struct kt_key_entry){node, (uint32_t)at + 1, (record->parameters & ~assigned) != 0};
	(*count)++;
	for (unsigned i = 0; entries[at].open && i < kt_node_operands(record->op); i++)
		if (!list_entries(entries, count, most, b, record->operands[i], assigned))
			return false;
	entries[at].next = (uint32_t)*count;
	return true;
}

/* The root, and below it the parameters themselves. */
static void list_parameters(struct kt_key_entry *entries, size_t *count, const struct builder *b, kt_node root,
			    uint64_t assigned)
{
	const size_t at = (*count)++;
	uint64_t mask = b->graph->nodes[root].parameters & assigned;

	for (; mask != 0; mask &= mask - 1) {
		const size_t parameter = (size_t)__builtin_ctzll(mask);

		entries[*count] = (struct kt_key_entry){b->leaves[parameter], (uint32_t)*count + 1, false};
		(*count)++;
	}
	entries[at] = (struct kt_key_entry){root, (uint32_t)*count, true};
}

static bool fill_key(struct builder *b, size_t depth, uint64_t assigned)
{
	struct kt_key_entry *entries;
	size_t count = 0, most = 0;

	for (size_t r = 0; r < b->root_count; r++)
		most += KEY_FACTOR * bits(b->graph->nodes[b->roots[r]].parameters & assigned) + KEY_SPARE;
	NEED(entries = kt_arena_array(b->schedule->arena, most + 1, sizeof *entries), false);
	for (size_t r = 0; r < b->root_count; r++) {
		const uint64_t named = b->graph->nodes[b->roots[r]].parameters;
		const size_t start = count;

		if ((named & assigned) == 0 || (named & ~assigned) == 0)
			continue;
		if (list_entries(entries, &count, start + KEY_FACTOR * bits(named & assigned) + KEY_SPARE, b,
				 b->roots[r], assigned))
			continue;
		count = start;
		list_parameters(entries, &count, b, b->roots[r], assigned);
	}
	b->schedule->keys[depth].entries = entries;
	b->schedule->keys[depth].count = count;
	return true;
}

static int compare_roots(const void *left, const void *right, void *context)
{
	const struct builder *b = context;
	const size_t i = *(const size_t *)left, j = *(const size_t *)right;
	const size_t a = bits(b->graph->nodes[b->problem->rules[i]].parameters);
	const size_t c = bits(b->graph->nodes[b->problem->rules[j]].parameters);

	return a != c ? (a < c ? -1 : 1) : (i > j) - (i < j);
}

/* Those that are certainly true, or do not name a parameter, need no attention. */
static void choose_roots(struct builder *b)
{
	for (size_t r = 0; r < b->problem->rule_count; r++) {
		const kt_node root = b->problem->rules[r];
		const struct kt_bounds *range = &b->graph->ranges[root];

		if (b->graph->nodes[root].parameters == 0 || (range->state == KT_RANGE_SURE && range->lo.i > 0))
			continue;
		b->rules[b->root_count++] = r;
	}
	qsort_r(b->rules, b->root_count, sizeof *b->rules, compare_roots, b);
	for (size_t r = 0; r < b->root_count; r++)
		b->roots[r] = b->problem->rules[b->rules[r]];
	if (b->problem->verdict != KT_NODE_NONE && b->graph->nodes[b->problem->verdict].parameters != 0) {
		b->rules[b->root_count] = SIZE_MAX;
		b->roots[b->root_count++] = b->problem->verdict;
	}
}

static bool build(struct builder *b)
{
	const size_t dimensions = b->graph->dimensions;
	kt_node *scratch = kt_arena_array(b->schedule->arena, b->graph->count + 1, sizeof *scratch);
	uint64_t assigned = 0;

	b->schedule->steps = kt_arena_array(b->schedule->arena, dimensions + 1, sizeof *b->schedule->steps);
	b->roots = kt_arena_array(b->schedule->arena, b->problem->rule_count + 2, sizeof *b->roots);
	b->rules = kt_arena_array(b->schedule->arena, b->problem->rule_count + 2, sizeof *b->rules);
	b->stamps = kt_arena_array(b->schedule->arena, b->graph->count + 1, sizeof *b->stamps);
	if (scratch == NULL || b->schedule->steps == NULL || b->roots == NULL || b->rules == NULL || b->stamps == NULL)
		return false;
	for (size_t p = 0; p < KT_PARAMETERS; p++)
		b->leaves[p] = KT_NODE_NONE;
	choose_roots(b);
	choose_order(b);
	for (size_t depth = 0; depth < dimensions; depth++) {
		b->schedule->steps[depth].parameter = b->schedule->order[depth];
		if (!fill_step(b, depth, scratch, assigned) || !fill_key(b, depth, assigned))
			return false;
		assigned |= bit(b->schedule->order[depth]);
	}
	return true;
}

kt_status kt_schedule_open(struct kt_schedule **out, const struct kt_problem_set *problem, struct kt_error *err)
{
	struct kt_schedule *schedule = calloc(1, sizeof *schedule);
	struct builder b = {.schedule = schedule, .problem = problem, .graph = problem->graph};

	if (schedule != NULL)
		schedule->arena = kt_arena_new(SCHEDULE_BYTES);
	if (schedule == NULL || schedule->arena == NULL || !build(&b)) {
		kt_schedule_close(schedule);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the order of %zu parameters",
			       problem->graph->dimensions);
	}
	*out = schedule;
	return KT_OK;
}

void kt_schedule_close(struct kt_schedule *schedule)
{
	if (schedule == NULL)
		return;
	kt_arena_free(schedule->arena);
	free(schedule);
}
