/* The search below a partial assignment, and what is remembered of it. */
#include "tuning/solver.h"

#include <stdlib.h>
#include <string.h>

#include "tuning/schedule.h"

/* What is below a partial assignment. */
struct below {
	uint32_t node;
	uint32_t counts; /* 1 + index into the solver's refused rows; 0: none refused */
	uint64_t legal;
};

struct state {
	uint64_t hash;
	size_t key; /* first word, in words */
	uint32_t depth, length;
	struct below below;
};

struct solver {
	const struct kt_problem_set *problem;
	struct kt_graph *graph;
	struct kt_schedule *schedule;
	struct kt_solution *solution;
	struct kt_diagram *diagram;
	struct kt_error *err;
	uint16_t positions[KT_PARAMETERS];
	/* Per depth: edges found so far, ranges to go back to, refused rows. */
	uint16_t *ranks[KT_PARAMETERS];
	uint32_t *children[KT_PARAMETERS];
	struct kt_bounds *saved[KT_PARAMETERS];
	uint64_t refused[KT_PARAMETERS + 1][KT_SOLVER_VERDICTS];
	struct kt_bounds *values[KT_PARAMETERS]; /* of each rank */
	/* Remembered states. */
	size_t state_count, state_capacity, slot_mask, word_count, word_capacity, counts_count, counts_capacity;
	struct state *states;
	uint32_t *slots; /* 1 + state */
	int64_t *words;
	uint64_t (*counts)[KT_SOLVER_VERDICTS];
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool reserve(void *array_pointer, size_t *capacity, size_t wanted, size_t size)
{
	void **array = array_pointer, *grown;
	size_t next = *capacity == 0 ? 256 : *capacity;

	if (wanted <= *capacity)
		return true;
	while (next < wanted)
		next *= 2;
	NEED(grown = realloc(*array, next * size), false);
	*array = grown;
	*capacity = next;
	return true;
}

static kt_status out_of_memory(struct solver *s)
{
	return kt_fail(s->err, KT_ERR_MEMORY, "out of memory for %zu states of a space", s->state_count);
}

/*
 * The key of a state: a bit per entry of the depth that was cut short (decided,
 * or not evaluating), then the values. The bits that are set tell which entries
 * were stepped over, so that equal keys mean equal states.
 */
static size_t write_key(struct solver *s, size_t depth)
{
	const struct kt_key_entry *entries = s->schedule->keys[depth].entries;
	const size_t count = s->schedule->keys[depth].count, header = (count + 63) / 64;
	int64_t *words = s->words + s->word_count;
	size_t length = header;

	memset(words, 0, header * sizeof *words);
	for (size_t i = 0; i < count;) {
		const struct kt_bounds *range = &s->graph->ranges[entries[i].node];
		const bool failed = range->state == KT_RANGE_FAILS;

		if (entries[i].open && !failed && (range->state != KT_RANGE_SURE || range->lo.i != range->hi.i)) {
			i++;
			continue;
		}
		if (entries[i].open || failed)
			words[i / 64] = (int64_t)((uint64_t)words[i / 64] | UINT64_C(1) << i % 64);
		words[length++] = failed ? INT64_MIN : range->lo.i;
		i = entries[i].next;
	}
	return length;
}

static uint64_t hash_words(const int64_t *words, size_t length, size_t depth)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15) * (depth + 1);

	for (size_t i = 0; i < length; i++) {
		hash = (hash ^ (uint64_t)words[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool rehash(struct solver *s)
{
	const size_t slots = s->slot_mask == 0 ? 1024 : 2 * (s->slot_mask + 1);
	uint32_t *fresh = calloc(slots, sizeof *fresh);

	NEED(fresh, false);
	free(s->slots);
	s->slots = fresh;
	s->slot_mask = slots - 1;
	for (size_t i = 0; i < s->state_count; i++) {
		size_t slot = (size_t)s->states[i].hash & s->slot_mask;

		while (fresh[slot] != 0)
			slot = (slot + 1) & s->slot_mask;
		fresh[slot] = (uint32_t)i + 1;
	}
	return true;
}

/* The state at this depth; *known: it was reached before. Its key stays in words. */
static kt_status find_state(size_t *out, bool *known, struct solver *s, size_t depth)
{
	const size_t most = s->schedule->keys[depth].count + (s->schedule->keys[depth].count + 63) / 64;
	size_t length, slot;
	uint64_t hash;

	if (s->word_count + most > KT_SOLVER_WORDS)
		return kt_fail(s->err, KT_ERR_LIMIT, "the space takes more than %zu states: a restriction is missing",
			       s->state_count);
	if (!reserve(&s->words, &s->word_capacity, s->word_count + most + 1, sizeof *s->words) ||
	    !reserve(&s->states, &s->state_capacity, s->state_count + 1, sizeof *s->states) ||
	    (2 * (s->state_count + 1) > s->slot_mask && !rehash(s)))
		return out_of_memory(s);
	length = write_key(s, depth);
	hash = hash_words(s->words + s->word_count, length, depth);
	slot = (size_t)hash & s->slot_mask;
	for (; s->slots[slot] != 0; slot = (slot + 1) & s->slot_mask) {
		const struct state *state = &s->states[s->slots[slot] - 1];

		if (state->hash == hash && state->depth == depth && state->length == length &&
		    memcmp(s->words + state->key, s->words + s->word_count, length * sizeof *s->words) == 0) {
			*out = s->slots[slot] - 1;
			*known = true;
			return KT_OK;
		}
	}
	*known = false;
	*out = s->state_count++;
	s->slots[slot] = (uint32_t)*out + 1;
	s->states[*out] = (struct state){hash, s->word_count, (uint32_t)depth, (uint32_t)length,
					 {KT_DIAGRAM_EMPTY, 0, 0}};
	s->word_count += length;
	return KT_OK;
}

enum judgement { REJECTED, OPEN, UNDECIDED };

/* After the parameter of `depth` got a value: evaluates what depends on it and looks at the rules concerned. */
static enum judgement assign(size_t *undecided, struct solver *s, size_t depth)
{
	const struct kt_step *step = &s->schedule->steps[depth];
	struct kt_bounds *ranges = s->graph->ranges;
	enum judgement judgement = OPEN;
	size_t next = 0;

	for (size_t r = 0; r < step->rule_count; r++) {
		const struct kt_bounds *range = &ranges[s->problem->rules[step->rules[r].rule]];

		/* Rules are in the order of their cost: what a later one needs is not evaluated where an earlier one rejects. */
		for (; next < step->rules[r].upto; next++)
			kt_graph_evaluate(s->graph, step->nodes[next]);
		if (range->state == KT_RANGE_SURE && range->lo.i == 0 && range->hi.i == 0)
			return REJECTED;
		if (range->state == KT_RANGE_FAILS && step->rules[r].last && judgement == OPEN) {
			judgement = UNDECIDED;
			*undecided = step->rules[r].rule;
		}
	}
	for (; next < step->node_count; next++)
		kt_graph_evaluate(s->graph, step->nodes[next]);
	return judgement;
}

static kt_status expand(struct below *out, struct solver *s, size_t depth);

/* A full assignment: which verdict it gets. */
static struct below at_end(struct solver *s)
{
	const kt_node verdict = s->problem->verdict;
	const int64_t value = verdict == KT_NODE_NONE ? 0 : s->graph->ranges[verdict].lo.i;
	struct below below = {KT_DIAGRAM_END, 0, 1};

	if (value > 0 && value < KT_SOLVER_VERDICTS) {
		below.node = KT_DIAGRAM_EMPTY;
		below.counts = (uint32_t)value + 1;
	}
	return below;
}

/* The first rows of `counts` are the unit vectors that at_end names; the rest are sums. */
static kt_status keep_counts(uint32_t *out, struct solver *s, const uint64_t *refused)
{
	bool any = false;

	*out = 0;
	for (size_t v = 1; v < KT_SOLVER_VERDICTS; v++)
		any = any || refused[v] != 0;
	if (!any)
		return KT_OK;
	if (!reserve(&s->counts, &s->counts_capacity, s->counts_count + 1, sizeof *s->counts))
		return out_of_memory(s);
	memcpy(s->counts[s->counts_count], refused, sizeof *s->counts);
	*out = (uint32_t)++s->counts_count;
	return KT_OK;
}

static kt_status explain(struct solver *s, size_t rule)
{
	s->solution->rule = rule;
	memcpy(s->solution->positions, s->positions, sizeof s->positions);
	return kt_fail(s->err, KT_ERR_INVALID, "a restriction does not evaluate");
}

/* One value of the parameter at `depth`, already evaluated: everything below it, added to the sums of this depth. */
static kt_status try_value(struct below *sum, size_t *edges, struct solver *s, size_t depth, uint16_t rank)
{
	size_t undecided = SIZE_MAX;
	struct below child;

	if (++s->solution->steps > KT_SOLVER_STEPS)
		return kt_fail(s->err, KT_ERR_LIMIT, "the space was not enumerated within %llu steps",
			       (unsigned long long)KT_SOLVER_STEPS);
	if (assign(&undecided, s, depth) == REJECTED)
		return KT_OK;
	TRY(expand(&child, s, depth + 1));
	if (child.legal == 0)
		return KT_OK;
	/* Only here is it known that all other rules allow the row. */
	if (undecided != SIZE_MAX)
		return explain(s, undecided);
	sum->legal = add(sum->legal, child.legal);
	for (size_t v = 1; child.counts != 0 && v < KT_SOLVER_VERDICTS; v++)
		s->refused[depth][v] = add(s->refused[depth][v], s->counts[child.counts - 1][v]);
	if (child.node != KT_DIAGRAM_EMPTY) {
		s->ranks[depth][*edges] = rank;
		s->children[depth][(*edges)++] = child.node;
	}
	return KT_OK;
}

static kt_status try_values(struct below *sum, struct solver *s, size_t depth)
{
	const struct kt_step *step = &s->schedule->steps[depth];
	const struct kt_domain *domain = &s->graph->domains[step->parameter];
	struct kt_bounds *ranges = s->graph->ranges;
	size_t edges = 0;
	kt_status status = KT_OK;

	memset(s->refused[depth], 0, sizeof s->refused[depth]);
	for (size_t i = 0; i < step->node_count; i++)
		s->saved[depth][i] = ranges[step->nodes[i]];
	for (size_t rank = 0; rank < domain->count && status == KT_OK; rank++) {
		s->positions[step->parameter] = domain->sorted[rank];
		if (step->leaf != KT_NODE_NONE)
			ranges[step->leaf] = s->values[depth][rank];
		status = try_value(sum, &edges, s, depth, (uint16_t)rank);
		if (s->problem->any && sum->legal > 0)
			break;
	}
	for (size_t i = 0; i < step->node_count; i++)
		ranges[step->nodes[i]] = s->saved[depth][i];
	if (status == KT_OK && step->leaf != KT_NODE_NONE)
		ranges[step->leaf] = s->saved[depth][step->node_count];
	THEN(status, keep_counts(&sum->counts, s, s->refused[depth]));
	THEN(status, kt_diagram_node(&sum->node, s->diagram, s->ranks[depth], s->children[depth], edges, s->err));
	return status;
}

static kt_status expand(struct below *out, struct solver *s, size_t depth)
{
	size_t state = 0;
	bool known = false;
	kt_status status;

	if (depth == s->graph->dimensions) {
		*out = at_end(s);
		return KT_OK;
	}
	status = find_state(&state, &known, s, depth);
	if (status != KT_OK || known) {
		*out = s->states != NULL ? s->states[state].below : (struct below){KT_DIAGRAM_EMPTY, 0, 0};
		return status;
	}
	*out = (struct below){KT_DIAGRAM_EMPTY, 0, 0};
	status = try_values(out, s, depth);
	s->states[state].below = *out;
	return status;
}

static bool open_depth(struct solver *s, size_t depth)
{
	const struct kt_step *step = &s->schedule->steps[depth];
	const struct kt_domain *domain = &s->graph->domains[step->parameter];

	s->ranks[depth] = malloc((domain->count + 1) * sizeof *s->ranks[depth]);
	s->children[depth] = malloc((domain->count + 1) * sizeof *s->children[depth]);
	s->saved[depth] = malloc((step->node_count + 1) * sizeof *s->saved[depth]);
	s->values[depth] = malloc((domain->count + 1) * sizeof *s->values[depth]);
	if (s->ranks[depth] == NULL || s->children[depth] == NULL || s->saved[depth] == NULL ||
	    s->values[depth] == NULL)
		return false;
	if (step->leaf != KT_NODE_NONE)
		s->saved[depth][step->node_count] = s->graph->ranges[step->leaf];
	for (size_t rank = 0; step->leaf != KT_NODE_NONE && rank < domain->count; rank++)
		s->values[depth][rank] = kt_graph_at(s->graph, step->parameter, domain->sorted[rank]);
	return true;
}

/* Rules without parameters hold or do not before the search starts. */
static bool constants_hold(const struct solver *s)
{
	for (size_t r = 0; r < s->problem->rule_count; r++) {
		const struct kt_bounds *range = &s->graph->ranges[s->problem->rules[r]];

		if (range->state == KT_RANGE_SURE && range->lo.i == 0 && range->hi.i == 0)
			return false;
	}
	return true;
}

static kt_status begin(struct solver *s, size_t *failing)
{
	const size_t dimensions = s->graph->dimensions;

	*failing = SIZE_MAX;
	for (size_t r = 0; r < s->problem->rule_count; r++)
		if (s->graph->nodes[s->problem->rules[r]].parameters == 0 && *failing == SIZE_MAX &&
		    s->graph->ranges[s->problem->rules[r]].state == KT_RANGE_FAILS)
			*failing = r;
	for (size_t depth = 0; depth < dimensions; depth++)
		if (!open_depth(s, depth))
			return out_of_memory(s);
	if (!reserve(&s->counts, &s->counts_capacity, KT_SOLVER_VERDICTS, sizeof *s->counts))
		return out_of_memory(s);
	memset(s->counts, 0, KT_SOLVER_VERDICTS * sizeof *s->counts);
	for (size_t v = 1; v < KT_SOLVER_VERDICTS; v++)
		s->counts[v][v] = 1;
	s->counts_count = KT_SOLVER_VERDICTS;
	memcpy(s->diagram->order, s->schedule->order, sizeof s->diagram->order);
	return KT_OK;
}

static void release(struct solver *s)
{
	for (size_t depth = 0; depth < KT_PARAMETERS; depth++) {
		free(s->ranks[depth]);
		free(s->children[depth]);
		free(s->saved[depth]);
		free(s->values[depth]);
	}
	free(s->states);
	free(s->slots);
	free(s->words);
	free(s->counts);
	kt_schedule_close(s->schedule);
}

kt_status kt_solve(struct kt_solution *out, const struct kt_problem_set *problem, struct kt_error *err)
{
	struct solver *s = calloc(1, sizeof *s);
	struct below all = {KT_DIAGRAM_EMPTY, 0, 0};
	size_t failing = SIZE_MAX;
	kt_status status;

	memset(out, 0, sizeof *out);
	NEED(s, kt_fail(err, KT_ERR_MEMORY, "out of memory for a solver"));
	s->problem = problem;
	s->graph = problem->graph;
	s->solution = out;
	s->err = err;
	status = kt_schedule_open(&s->schedule, problem, err);
	THEN(status, kt_diagram_open(&s->diagram, s->graph->dimensions, err));
	THEN(status, begin(s, &failing));
	if (status == KT_OK && constants_hold(s))
		status = expand(&all, s, 0);
	if (status == KT_OK && failing != SIZE_MAX && all.legal > 0)
		status = explain(s, failing);
	if (status == KT_OK) {
		kt_diagram_finish(s->diagram, all.node);
		out->diagram = s->diagram;
		out->legal = all.legal;
		if (all.counts != 0)
			memcpy(out->refused, s->counts[all.counts - 1], sizeof out->refused);
	} else {
		kt_diagram_close(s->diagram);
	}
	release(s);
	free(s);
	return status;
}
