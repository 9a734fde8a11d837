/*
 * How long spaces take to build, beside brute force over the same compiled
 * expressions: bench_space RUNS T1… prints one CSV row a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "tuning/python.h"
#include "tuning/space_internal.h"
#include "tuning/t1.h"

enum { RUNS_MOST = 10001 };

static double now_s(clockid_t clock)
{
	struct timespec at;

	clock_gettime(clock, &at);
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static int compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double median(double *values, size_t count)
{
	qsort(values, count, sizeof *values, compare);
	return values[count / 2];
}

/* What a rule needs of the graph that no rule in front of it has evaluated, operands first. */
struct plan {
	kt_node root;
	size_t count;
	kt_node *nodes;
};

static void list_nodes(struct plan *plan, const struct kt_graph *graph, kt_node node, bool *listed)
{
	const struct kt_node_record *record = &graph->nodes[node];

	if (record->parameters == 0 || listed[node])
		return;
	listed[node] = true;
	for (unsigned i = 0; i < kt_node_operands(record->op); i++)
		list_nodes(plan, graph, record->operands[i], listed);
	if (record->op != KT_NODE_PARAMETER)
		plan->nodes[plan->count++] = node;
}

/* Every point of the product in turn; its rules are evaluated until one is false. */
static size_t walk(struct kt_graph *graph, const struct plan *plans, size_t count,
		   const struct kt_bounds *const *values, const kt_node *leaves)
{
	const size_t dimensions = graph->dimensions;
	size_t cursor[KT_PARAMETERS] = {0}, legal = 0, r, p;

	for (p = 0; p < dimensions; p++)
		graph->ranges[leaves[p]] = values[p][0];
	for (;;) {
		for (r = 0; r < count; r++) {
			for (size_t i = 0; i < plans[r].count; i++)
				kt_graph_evaluate(graph, plans[r].nodes[i]);
			if (graph->ranges[plans[r].root].lo.i == 0)
				break;
		}
		legal += r == count;
		for (p = dimensions; p-- > 0;) {
			cursor[p] = cursor[p] + 1 == graph->domains[p].count ? 0 : cursor[p] + 1;
			graph->ranges[leaves[p]] = values[p][cursor[p]];
			if (cursor[p] != 0)
				break;
		}
		if (p == SIZE_MAX)
			return legal;
	}
}

static size_t brute_force(double *wall_s, double *cpu_s, const struct kt_t1 *t1)
{
	struct kt_space *space = NULL;
	struct kt_space_rules rules = {0};
	struct kt_error err;
	struct plan *plans;
	struct kt_bounds *values[KT_PARAMETERS];
	kt_node leaves[KT_PARAMETERS], node;
	bool *listed;
	size_t legal;

	if (kt_t1_domains(&space, t1, &err) != KT_OK)
		exit(1);
	for (size_t c = 0; c < t1->condition_count; c++)
		if (kt_python_node(&node, space->graph, &t1->conditions[c].steps, NULL, &err) != KT_OK ||
		    kt_space_add_rule(&rules, space->graph, node, c, false, &err) != KT_OK)
			exit(1);
	for (size_t p = 0; p < space->dimensions; p++) {
		const struct kt_domain *domain = &space->domains[p];

		leaves[p] = kt_graph_parameter(space->graph, p);
		values[p] = calloc(domain->count + 1, sizeof *values[p]);
		for (size_t i = 0; i < domain->count; i++)
			values[p][i] = kt_graph_at(space->graph, p, domain->sorted[i]);
	}
	plans = calloc(rules.count + 1, sizeof *plans);
	listed = calloc(space->graph->count, sizeof *listed);
	for (size_t r = 0; r < rules.count; r++) {
		plans[r].root = rules.items[r].node;
		plans[r].nodes = calloc(space->graph->count, sizeof(kt_node));
		list_nodes(&plans[r], space->graph, plans[r].root, listed);
	}
	*wall_s = now_s(CLOCK_MONOTONIC);
	*cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID);
	legal = walk(space->graph, plans, rules.count, (const struct kt_bounds *const *)values, leaves);
	*wall_s = now_s(CLOCK_MONOTONIC) - *wall_s;
	*cpu_s = now_s(CLOCK_PROCESS_CPUTIME_ID) - *cpu_s;
	for (size_t r = 0; r < rules.count; r++)
		free(plans[r].nodes);
	for (size_t p = 0; p < space->dimensions; p++)
		free(values[p]);
	free(plans);
	free(listed);
	free(rules.items);
	kt_space_free(space);
	return legal;
}

static void bench(const char *path, size_t runs)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	double *wall_s = calloc(runs, sizeof *wall_s), *cpu_s = calloc(runs, sizeof *cpu_s);
	double brute_wall_s, brute_cpu_s, build_s, build_cpu_s, cartesian = 0;
	struct kt_t1 *t1;
	struct kt_space *space;
	struct kt_error err;
	size_t legal = 0, edges = 0, counted;

	if (kt_t1_read(&t1, arena, path, &err) != KT_OK) {
		fprintf(stderr, "%s\n", err.message);
		exit(1);
	}
	for (size_t i = 0; i < runs; i++) {
		wall_s[i] = now_s(CLOCK_MONOTONIC);
		cpu_s[i] = now_s(CLOCK_PROCESS_CPUTIME_ID);
		if (kt_t1_space(&space, t1, &err) != KT_OK) {
			fprintf(stderr, "%s\n", err.message);
			exit(1);
		}
		wall_s[i] = now_s(CLOCK_MONOTONIC) - wall_s[i];
		cpu_s[i] = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu_s[i];
		legal = kt_space_legal(space);
		cartesian = kt_space_cartesian(space);
		edges = space->diagram->edge_count;
		kt_space_free(space);
	}
	build_s = median(wall_s, runs);
	build_cpu_s = median(cpu_s, runs);
	counted = brute_force(&brute_wall_s, &brute_cpu_s, t1);
	if (counted != legal) {
		fprintf(stderr, "%s: %zu legal, brute force says %zu\n", path, legal, counted);
		exit(1);
	}
	printf("%s,%.0f,%zu,%zu,%zu,%.4f,%.4f,%.3f,%.3f,%.0f\n", t1->name, cartesian, t1->condition_count, legal, edges,
	       1e3 * build_s, 1e3 * build_cpu_s, 1e3 * brute_wall_s, 1e3 * brute_cpu_s, brute_cpu_s / build_cpu_s);
	fflush(stdout);
	free(wall_s);
	free(cpu_s);
	kt_arena_free(arena);
}

int main(int argc, char **argv)
{
	const long runs = argc > 2 ? strtol(argv[1], NULL, 10) : 0;

	if (runs < 1 || runs > RUNS_MOST) {
		fprintf(stderr, "usage: bench_space RUNS T1…\n");
		return 2;
	}
	puts("space,cartesian,conditions,legal,edges,build_ms,build_cpu_ms,brute_force_ms,brute_force_cpu_ms,ratio");
	for (int i = 2; i < argc; i++)
		bench(argv[i], (size_t)runs);
	return 0;
}
