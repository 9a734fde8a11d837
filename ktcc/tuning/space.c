/* Building a space from a template. */
#include "tuning/space_internal.h"

#include <stdlib.h>
#include <string.h>

static int compare_values(const void *left, const void *right, void *context)
{
	const struct kt_domain *domain = context;
	const uint16_t i = *(const uint16_t *)left, j = *(const uint16_t *)right;

	if (domain->kind == KT_VALUE_REAL && domain->reals[i] != domain->reals[j])
		return domain->reals[i] < domain->reals[j] ? -1 : 1;
	if (domain->kind == KT_VALUE_INTEGER && domain->values[i] != domain->values[j])
		return domain->values[i] < domain->values[j] ? -1 : 1;
	return (i > j) - (i < j);
}

kt_status kt_space_open(struct kt_space **out, size_t dimensions, struct kt_error *err)
{
	struct kt_space *space;

	if (dimensions > KT_PARAMETERS)
		return kt_fail(err, KT_ERR_LIMIT, "%zu parameters, more than %d", dimensions, KT_PARAMETERS);
	space = calloc(1, sizeof *space);
	if (space != NULL && (space->arena = kt_arena_new(KT_SPACE_ARENA_BYTES)) != NULL)
		space->domains = kt_arena_array(space->arena, dimensions + 1, sizeof *space->domains);
	if (space == NULL || space->domains == NULL) {
		kt_space_free(space);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a space");
	}
	space->dimensions = dimensions;
	space->original = SIZE_MAX;
	*out = space;
	return KT_OK;
}

kt_status kt_space_sort(struct kt_space *space, struct kt_domain *domain, struct kt_error *err)
{
	uint16_t *sorted;

	if (domain->count > KT_PARAMETER_VALUES)
		return kt_fail(err, KT_ERR_LIMIT, "parameter '%.80s' has %zu values, more than %d", domain->name,
			       domain->count, KT_PARAMETER_VALUES);
	NEED(sorted = kt_arena_array(space->arena, domain->count + 1, sizeof *sorted),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory for the values of '%.80s'", domain->name));
	for (size_t i = 0; i < domain->count; i++)
		sorted[i] = (uint16_t)i;
	if (domain->kind != KT_VALUE_TEXT)
		qsort_r(sorted, domain->count, sizeof *sorted, compare_values, domain);
	domain->sorted = sorted;
	return KT_OK;
}

static kt_status fill_domains(struct kt_space *space, const struct kt_template *template_,
			      const struct kt_instance *instance, struct kt_error *err)
{
	space->has_original = true;
	for (size_t p = 0; p < space->dimensions; p++) {
		const struct kt_parameter *parameter = &template_->parameters[p];
		struct kt_domain *domain = &space->domains[p];
		kt_status status = kt_template_original(&space->originals[p], template_, instance, p, err);

		/* Without its original a free parameter can still be tuned; a fixed one has no value left. */
		if (status != KT_OK && (parameter->fixed != NULL || status == KT_ERR_MEMORY))
			return status;
		space->has_original = space->has_original && status == KT_OK;
		*domain = (struct kt_domain){.name = parameter->name, .count = parameter->value_count,
					     .values = parameter->values};
		if (parameter->fixed != NULL) {
			domain->values = &space->originals[p];
			domain->count = 1;
		}
		status = kt_space_sort(space, domain, err);
		if (status != KT_OK)
			return status;
	}
	return KT_OK;
}

static kt_status run(struct kt_solution *out, struct kt_space *space, const struct kt_space_rules *rules,
		     const bool *dropped, kt_node verdict, bool any, struct kt_error *err)
{
	const size_t count = rules->count;
	struct kt_problem_set problem = {.graph = space->graph, .verdict = verdict, .any = any};
	kt_node *nodes = malloc((count + 1) * sizeof *nodes);
	size_t *given = malloc((count + 1) * sizeof *given);
	kt_status status;

	if (nodes == NULL || given == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu restrictions", count);
		goto done;
	}
	for (size_t i = 0; i < count; i++) {
		if (dropped != NULL && dropped[rules->items[i].restriction])
			continue;
		given[problem.rule_count] = i;
		nodes[problem.rule_count++] = rules->items[i].node;
	}
	problem.rules = nodes;
	status = kt_solve(out, &problem, err);
	if (status == KT_ERR_INVALID)
		out->rule = given[out->rule];
done:
	free(nodes);
	free(given);
	return status;
}

/*
 * Drops one restriction after the other; those without which something would be legal stay. What stays is
 * a contradiction of which no part is one.
 */
static kt_status find_conflict(struct kt_space *space, const struct kt_space_rules *rules, size_t restrictions,
			       struct kt_error *err)
{
	bool *dropped = kt_arena_array(space->arena, restrictions + 1, sizeof *dropped);
	kt_status status = KT_OK;

	space->conflict = kt_arena_array(space->arena, restrictions + 1, sizeof *space->conflict);
	if (dropped == NULL || space->conflict == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu restrictions", restrictions);
	for (size_t r = 0; r < restrictions && status == KT_OK; r++) {
		struct kt_solution solution = {0};

		dropped[r] = true;
		status = run(&solution, space, rules, dropped, KT_NODE_NONE, true, err);
		kt_diagram_close(solution.diagram);
		/* One that no longer evaluates was kept from it by the dropped one, which therefore matters. */
		dropped[r] = status == KT_OK && solution.legal == 0;
		if (status == KT_ERR_INVALID || status == KT_ERR_LIMIT)
			status = KT_OK;
		if (!dropped[r])
			space->conflict[space->conflict_count++] = r;
	}
	return status;
}

kt_status kt_space_solve(struct kt_space *space, const struct kt_space_rules *rules, size_t restrictions,
			 kt_node verdict, size_t *failed, uint16_t failed_at[KT_PARAMETERS], struct kt_error *err)
{
	struct kt_solution solution = {0};
	kt_status status = run(&solution, space, rules, NULL, verdict, false, err);

	*failed = SIZE_MAX;
	if (status == KT_ERR_INVALID) {
		*failed = rules->items[solution.rule].restriction;
		memcpy(failed_at, solution.positions, sizeof solution.positions);
	}
	if (status != KT_OK)
		return status;
	space->diagram = solution.diagram;
	space->legal = solution.legal > SIZE_MAX ? SIZE_MAX : (size_t)solution.legal;
	for (size_t r = 1; r < KT_REFUSAL_COUNT; r++)
		if (solution.refused[r] > 0)
			space->pruned[space->pruned_count++] =
			    (struct kt_pruned){kt_refusal_name((enum kt_refusal)r), kt_refusal_text((enum kt_refusal)r),
						      (int64_t)solution.refused[r]};
	if (space->legal == 0)
		status = find_conflict(space, rules, restrictions, err);
	if (status == KT_OK && kt_diagram_rows(space->diagram) > KT_SPACE_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "more than %zu configurations: a restriction is missing",
			       KT_SPACE_MOST);
	if (status == KT_OK)
		space->pages = calloc((size_t)kt_diagram_rows(space->diagram) / KT_SPACE_PAGE + 1, sizeof(int64_t *));
	return status != KT_OK || space->pages != NULL
		   ? status : kt_fail(err, KT_ERR_MEMORY, "out of memory for a space");
}

kt_status kt_space_add_rule(struct kt_space_rules *rules, struct kt_graph *graph, kt_node node, size_t restriction,
			    bool whole, struct kt_error *err)
{
	const enum kt_node_op op = graph->nodes[node].op;

	if (!whole && (op == KT_NODE_AND || op == KT_NODE_AND_VALUE)) {
		const kt_node left = graph->nodes[node].operands[0], right = graph->nodes[node].operands[1];
		const kt_status status = kt_space_add_rule(rules, graph, left, restriction, false, err);

		return status != KT_OK ? status : kt_space_add_rule(rules, graph, right, restriction, false, err);
	}
	node = kt_graph_truth(graph, node);
	if (rules->count == rules->capacity) {
		const size_t capacity = 2 * rules->capacity + 16;
		struct kt_space_rule *items = realloc(rules->items, capacity * sizeof *items);

		NEED(items, kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu rules", capacity));
		rules->items = items;
		rules->capacity = capacity;
	}
	rules->items[rules->count++] = (struct kt_space_rule){node, restriction};
	return node == KT_NODE_NONE ? kt_fail(err, KT_ERR_MEMORY, "out of memory for restrictions") : KT_OK;
}

/* What is needed to bind the restrictions of a template and to name the one that failed. */
struct binding {
	struct kt_space *space;
	const struct kt_template *template_;
	struct kt_bind bind;
	struct kt_space_rules rules;
	size_t guard_count;
	const struct kt_clause_expr **guards; /* restrictions that name a problem */
	bool *per_problem;                    /* of each restriction */
};

static kt_status bind_restriction(struct binding *b, size_t restriction, struct kt_error *err)
{
	const struct kt_clause_expr *clause = &b->template_->restrictions[restriction];
	struct kt_graph *graph = b->space->graph;
	struct kt_bound bound;
	kt_node node, any = kt_graph_integer(graph, 0);
	size_t rounds;

	TRY(kt_bind_names(&bound, &b->bind, clause, "restriction", err));
	if (bound.needs_device && b->bind.device == NULL)
		return KT_OK;
	rounds = bound.per_problem ? b->bind.problem_count : 1;
	for (size_t problem = 0; problem < rounds; problem++) {
		TRY(kt_bind_expr(&node, &b->bind, clause, problem, err));
		any = bound.per_problem ? kt_graph_make(graph, KT_NODE_ANY, any, node, KT_NODE_NONE) : node;
	}
	b->per_problem[restriction] = bound.per_problem;
	if (bound.per_problem)
		b->guards[b->guard_count++] = clause;
	if (any == KT_NODE_NONE)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for '%.200s'", clause->text);
	return kt_space_add_rule(&b->rules, graph, any, restriction, bound.per_problem, err);
}

/* The first problem on which the restriction does not evaluate there. */
static kt_status explain(const struct binding *b, size_t restriction, const uint16_t *positions, struct kt_error *err)
{
	const struct kt_clause_expr *clause = &b->template_->restrictions[restriction];
	const size_t rounds = b->per_problem[restriction] ? b->bind.problem_count : 1;
	const char *reason;
	kt_node node;
	size_t problem = 0;

	for (; problem + 1 < rounds; problem++)
		if (kt_bind_expr(&node, &b->bind, clause, problem, err) != KT_OK ||
		    kt_graph_blame(&reason, b->space->graph, node, positions) != KT_NODE_NONE)
			break;
	(void)kt_bind_explain(&b->bind, clause, problem, positions, "restriction", err);
	return kt_fail_prefix(err, "%s:%u:%u", b->bind.region->file, b->bind.region->line, b->bind.region->column);
}

static kt_status solve(struct kt_space *space, const struct kt_template *template_, const struct kt_device *device,
		       struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	struct binding b = {space, template_, {space->graph, region, device,
					       region->problem_count > 0 ? region->problem_count : 1},
			    {0}, 0, NULL, NULL};
	uint16_t positions[KT_PARAMETERS];
	kt_node verdict = KT_NODE_NONE;
	size_t failed = SIZE_MAX;
	kt_status status = KT_OK;

	b.guards = calloc(template_->restriction_count + 1, sizeof(struct kt_clause_expr *));
	b.per_problem = calloc(template_->restriction_count + 1, sizeof *b.per_problem);
	if (b.guards == NULL || b.per_problem == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for restrictions");
	for (size_t r = 0; r < template_->restriction_count && status == KT_OK; r++)
		status = bind_restriction(&b, r, err);
	if (status == KT_OK && device != NULL)
		status = kt_feasible_verdict(&verdict, &b.bind, template_, b.guards, b.guard_count, err);
	THEN(status, kt_space_solve(space, &b.rules, template_->restriction_count, verdict, &failed, positions, err));
	if (status == KT_ERR_INVALID && failed != SIZE_MAX)
		status = explain(&b, failed, positions, err);
	free(b.rules.items);
	free(b.guards);
	free(b.per_problem);
	return status;
}

kt_status kt_space_domains(struct kt_space **out, const struct kt_template *template_,
			   const struct kt_instance *instance, struct kt_error *err)
{
	struct kt_space *space = NULL;
	kt_status status = kt_space_open(&space, template_->parameter_count, err);

	THEN(status, fill_domains(space, template_, instance, err));
	THEN(status, kt_graph_open(&space->graph, space->domains, space->dimensions, err));
	if (status == KT_OK)
		*out = space;
	else
		kt_space_free(space);
	return status;
}

kt_status kt_space_build(struct kt_space **out, const struct kt_template *template_, const struct kt_instance *instance,
			 const struct kt_device *device, struct kt_error *err)
{
	struct kt_space *space = NULL;
	kt_status status = kt_space_domains(&space, template_, instance, err);

	THEN(status, solve(space, template_, device, err));
	if (status != KT_OK) {
		kt_space_free(space);
		return status;
	}
	kt_graph_close(space->graph);
	space->graph = NULL;
	space->original = space->has_original ? kt_space_find(space, space->originals) : SIZE_MAX;
	*out = space;
	return KT_OK;
}

void kt_space_free(struct kt_space *space)
{
	if (space == NULL)
		return;
	kt_graph_close(space->graph);
	kt_diagram_close(space->diagram);
	kt_arena_free(space->arena);
	free(space->pages);
	free(space);
}
