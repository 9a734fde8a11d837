/* A space from within: what space.c and t1.c build and space_walk.c reads. */
#ifndef KT_TUNING_SPACE_INTERNAL_H
#define KT_TUNING_SPACE_INTERNAL_H

#include "tuning/feasible.h"
#include "tuning/solver.h"
#include "tuning/space.h"

#define KT_SPACE_ARENA_BYTES ((size_t)1 << 30)
#define KT_SPACE_PAGE 64 /* configurations that are decoded together, when one of them is asked for */

struct kt_space {
	struct kt_arena *arena;
	size_t dimensions;
	struct kt_domain *domains;
	int64_t originals[KT_PARAMETERS];
	struct kt_graph *graph; /* while it is built */
	struct kt_diagram *diagram;
	size_t legal, original;
	bool has_original; /* originals are known */
	const int64_t **pages;
	struct kt_pruned pruned[KT_REFUSAL_COUNT];
	size_t pruned_count, conflict_count;
	size_t *conflict;
};

/* A rule and the restriction that it is a part of. */
struct kt_space_rule {
	kt_node node;
	size_t restriction;
};

struct kt_space_rules {
	size_t count, capacity;
	struct kt_space_rule *items; /* malloc */
};

/*
 * Adds the rules of one restriction: a conjunction is as many as it has parts, so that each is looked
 * at as soon as its own parameters have values; `whole` keeps it in one piece.
 */
kt_status kt_space_add_rule(struct kt_space_rules *rules, struct kt_graph *graph, kt_node node, size_t restriction,
                            bool whole, struct kt_error *err) KT_MUST_CHECK;
/* An empty space with room for that many domains; KT_ERR_LIMIT for too many. */
kt_status kt_space_open(struct kt_space **out, size_t dimensions, struct kt_error *err) KT_MUST_CHECK;
/* The parameters of a template and an empty graph over them, nothing solved yet. */
kt_status kt_space_domains(struct kt_space **out, const struct kt_template *template_,
                           const struct kt_instance *instance, struct kt_error *err) KT_MUST_CHECK;
struct kt_t1;
/* The same for a T1 file. */
kt_status kt_t1_domains(struct kt_space **out, const struct kt_t1 *t1, struct kt_error *err) KT_MUST_CHECK;
/* Sorts the values of one domain, whose other fields are set; kind text keeps its order. KT_ERR_LIMIT for too many. */
kt_status kt_space_sort(struct kt_space *space, struct kt_domain *domain, struct kt_error *err) KT_MUST_CHECK;
/*
 * Solves and fills the space. When nothing is legal, `restrictions` (their number) are dropped one at a
 * time to find those in conflict. KT_ERR_INVALID: *failed is the restriction, positions in failed_at.
 */
kt_status kt_space_solve(struct kt_space *space, const struct kt_space_rules *rules, size_t restrictions,
                         kt_node verdict, size_t *failed, uint16_t failed_at[KT_PARAMETERS],
                         struct kt_error *err) KT_MUST_CHECK;

#endif
