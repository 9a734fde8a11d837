/*
 * A decision diagram: a set of rows (one rank a parameter) as the paths from a
 * root to the end, equal sub-diagrams stored once. Parameters that share no
 * restriction cost the sum, not the product, of their numbers. Rows are numbered
 * in the order of the paths.
 */
#ifndef KT_TUNING_DIAGRAM_H
#define KT_TUNING_DIAGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pragma.h"

#define KT_DIAGRAM_EDGES ((size_t)1 << 25) /* most edges of one diagram */

#define KT_DIAGRAM_EMPTY UINT32_MAX /* no row at all */
#define KT_DIAGRAM_END 0u           /* the node after the last level: one row */

struct kt_diagram {
	size_t dimensions;
	uint8_t order[KT_PARAMETERS]; /* the parameter of each level */
	uint32_t root;
	size_t node_count, node_capacity, edge_count, edge_capacity;
	/* Of each node: its edges are [first[n], first[n + 1]), ascending by rank. */
	uint32_t *first;
	uint64_t *rows;               /* paths from it to the end; saturates */
	uint8_t *levels;
	/* Of each edge. */
	uint16_t *ranks;
	uint32_t *children;
	uint64_t *before;             /* rows of the edges of the same node in front of it */
	uint32_t *slots;              /* nodes by their edges, while it is built */
	size_t slot_mask;
};

kt_status kt_diagram_open(struct kt_diagram **out, size_t dimensions, struct kt_error *err) KT_MUST_CHECK;
void kt_diagram_close(struct kt_diagram *diagram); /* accepts NULL */

/* Adds a node of the given edges, or finds the equal one: built from the end to the root. No edge: KT_DIAGRAM_EMPTY. */
kt_status kt_diagram_node(uint32_t *out, struct kt_diagram *diagram, const uint16_t *ranks, const uint32_t *children,
                          size_t count, struct kt_error *err) KT_MUST_CHECK;
/* Ends the building: the root, and memory that only building needs is freed. */
void kt_diagram_finish(struct kt_diagram *diagram, uint32_t root);

uint64_t kt_diagram_rows(const struct kt_diagram *diagram); /* saturates at UINT64_MAX */
/* The row with that number, which must be below kt_diagram_rows. */
void kt_diagram_row(uint16_t *row, const struct kt_diagram *diagram, uint64_t index);
/* The number of a row; UINT64_MAX when it is not in the set. */
uint64_t kt_diagram_find(const struct kt_diagram *diagram, const uint16_t *row);
/*
 * Calls visit with the rank and number of each row that differs from `row`, which is in the
 * set, in the parameter of `level` only, ascending by rank (row itself left out).
 */
typedef void (*kt_diagram_visit)(uint16_t rank, uint64_t index, void *context);
void kt_diagram_siblings(const struct kt_diagram *diagram, const uint16_t *row, size_t level, kt_diagram_visit visit,
                         void *context);
/*
 * The row of least cost, the lowest of several; UINT64_MAX when there is none or memory is out. The cost of a
 * row is the sum of cost(parameter, rank, context). Looks at no partial row that costs more than the result.
 */
typedef uint64_t (*kt_diagram_cost)(size_t parameter, uint16_t rank, void *context);
uint64_t kt_diagram_cheapest(const struct kt_diagram *diagram, kt_diagram_cost cost, void *context);

#endif
