#include "tuning/diagram.h"

#include <stdlib.h>
#include <string.h>

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

kt_status kt_diagram_open(struct kt_diagram **out, size_t dimensions, struct kt_error *err)
{
	struct kt_diagram *diagram = calloc(1, sizeof *diagram);

	if (diagram != NULL) {
		diagram->dimensions = dimensions;
		diagram->node_capacity = diagram->edge_capacity = 256;
		diagram->slot_mask = 1023;
		diagram->first = malloc((diagram->node_capacity + 1) * sizeof *diagram->first);
		diagram->rows = malloc(diagram->node_capacity * sizeof *diagram->rows);
		diagram->levels = malloc(diagram->node_capacity);
		diagram->ranks = malloc(diagram->edge_capacity * sizeof *diagram->ranks);
		diagram->children = malloc(diagram->edge_capacity * sizeof *diagram->children);
		diagram->before = malloc(diagram->edge_capacity * sizeof *diagram->before);
		diagram->slots = calloc(diagram->slot_mask + 1, sizeof *diagram->slots);
	}
	if (diagram == NULL || diagram->first == NULL || diagram->rows == NULL || diagram->levels == NULL ||
	    diagram->ranks == NULL || diagram->children == NULL || diagram->before == NULL || diagram->slots == NULL) {
		kt_diagram_close(diagram);
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for a space");
	}
	diagram->node_count = 1; /* KT_DIAGRAM_END */
	diagram->first[0] = diagram->first[1] = 0;
	diagram->rows[0] = 1;
	diagram->levels[0] = (uint8_t)dimensions;
	diagram->root = KT_DIAGRAM_EMPTY;
	*out = diagram;
	return KT_OK;
}

void kt_diagram_close(struct kt_diagram *diagram)
{
	if (diagram == NULL)
		return;
	free(diagram->first);
	free(diagram->rows);
	free(diagram->levels);
	free(diagram->ranks);
	free(diagram->children);
	free(diagram->before);
	free(diagram->slots);
	free(diagram);
}

static bool resize(void *array_pointer, size_t count, size_t size)
{
	void **array = array_pointer, *grown = realloc(*array, count * size);

	if (grown != NULL)
		*array = grown;
	return grown != NULL;
}

static uint64_t hash_edges(const uint16_t *ranks, const uint32_t *children, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ ((uint64_t)children[i] << 16 | ranks[i])) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

static bool rehash(struct kt_diagram *diagram)
{
	const size_t slots = 4 * diagram->node_capacity;
	uint32_t *fresh = calloc(slots, sizeof *fresh);

	NEED(fresh, false);
	free(diagram->slots);
	diagram->slots = fresh;
	diagram->slot_mask = slots - 1;
	for (uint32_t node = 1; node < diagram->node_count; node++) {
		const size_t first = diagram->first[node];
		size_t slot = (size_t)hash_edges(diagram->ranks + first, diagram->children + first,
						 diagram->first[node + 1] - first) & diagram->slot_mask;

		while (fresh[slot] != 0)
			slot = (slot + 1) & diagram->slot_mask;
		fresh[slot] = node;
	}
	return true;
}

static kt_status make_room(struct kt_diagram *diagram, size_t edges, struct kt_error *err)
{
	bool grown = true;

	if (diagram->edge_count + edges > KT_DIAGRAM_EDGES)
		return kt_fail(err, KT_ERR_LIMIT, "the space takes more than %zu edges: a restriction is missing",
			       KT_DIAGRAM_EDGES);
	if (diagram->node_count == diagram->node_capacity) {
		diagram->node_capacity *= 2;
		grown = resize(&diagram->first, diagram->node_capacity + 1, sizeof *diagram->first) &&
			resize(&diagram->rows, diagram->node_capacity, sizeof *diagram->rows) &&
			resize(&diagram->levels, diagram->node_capacity, 1) && rehash(diagram);
	}
	if (grown && diagram->edge_count + edges > diagram->edge_capacity) {
		while (diagram->edge_count + edges > diagram->edge_capacity)
			diagram->edge_capacity *= 2;
		grown = resize(&diagram->ranks, diagram->edge_capacity, sizeof *diagram->ranks) &&
			resize(&diagram->children, diagram->edge_capacity, sizeof *diagram->children) &&
			resize(&diagram->before, diagram->edge_capacity, sizeof *diagram->before);
	}
	return grown ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu edges", diagram->edge_capacity);
}

static bool has_edges(const struct kt_diagram *diagram, uint32_t node, const uint16_t *ranks, const uint32_t *children,
		      size_t count)
{
	const size_t first = diagram->first[node];

	return diagram->first[node + 1] - first == count &&
	       memcmp(diagram->ranks + first, ranks, count * sizeof *ranks) == 0 &&
	       memcmp(diagram->children + first, children, count * sizeof *children) == 0;
}

kt_status kt_diagram_node(uint32_t *out, struct kt_diagram *diagram, const uint16_t *ranks, const uint32_t *children,
			  size_t count, struct kt_error *err)
{
	uint64_t rows = 0;
	size_t slot;

	*out = KT_DIAGRAM_EMPTY;
	if (count == 0)
		return KT_OK;
	TRY(make_room(diagram, count, err));
	slot = (size_t)hash_edges(ranks, children, count) & diagram->slot_mask;
	for (; diagram->slots[slot] != 0; slot = (slot + 1) & diagram->slot_mask) {
		if (has_edges(diagram, diagram->slots[slot], ranks, children, count)) {
			*out = diagram->slots[slot];
			return KT_OK;
		}
	}
	*out = (uint32_t)diagram->node_count++;
	diagram->slots[slot] = *out;
	for (size_t i = 0; i < count; i++) {
		const size_t edge = diagram->edge_count++;

		diagram->ranks[edge] = ranks[i];
		diagram->children[edge] = children[i];
		diagram->before[edge] = rows;
		rows = add(rows, diagram->rows[children[i]]);
	}
	diagram->rows[*out] = rows;
	diagram->levels[*out] = (uint8_t)(diagram->levels[children[0]] - 1);
	diagram->first[*out + 1] = (uint32_t)diagram->edge_count;
	return KT_OK;
}

void kt_diagram_finish(struct kt_diagram *diagram, uint32_t root)
{
	diagram->root = root;
	free(diagram->slots);
	diagram->slots = NULL;
}

uint64_t kt_diagram_rows(const struct kt_diagram *diagram)
{
	return diagram->root == KT_DIAGRAM_EMPTY ? 0 : diagram->rows[diagram->root];
}

void kt_diagram_row(uint16_t *row, const struct kt_diagram *diagram, uint64_t index)
{
	uint32_t node = diagram->root;

	for (size_t level = 0; level < diagram->dimensions; level++) {
		size_t low = diagram->first[node], high = diagram->first[node + 1];

		while (high - low > 1) {
			const size_t middle = low + (high - low) / 2;

			if (diagram->before[middle] <= index)
				low = middle;
			else
				high = middle;
		}
		row[diagram->order[level]] = diagram->ranks[low];
		index -= diagram->before[low];
		node = diagram->children[low];
	}
}

/* The edge of a node with that rank; SIZE_MAX when there is none. */
static size_t find_edge(const struct kt_diagram *diagram, uint32_t node, uint16_t rank)
{
	const size_t first = diagram->first[node], end = diagram->first[node + 1];
	size_t low = first, high = end;

	if (rank < end - first && diagram->ranks[first + rank] == rank)
		return first + rank;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (diagram->ranks[middle] < rank)
			low = middle + 1;
		else
			high = middle;
	}
	return low < end && diagram->ranks[low] == rank ? low : SIZE_MAX;
}

/* The number of the rest of a row among the rows below a node. */
static uint64_t find_from(const struct kt_diagram *diagram, uint32_t node, size_t level, const uint16_t *row)
{
	uint64_t index = 0;

	for (; level < diagram->dimensions; level++) {
		const size_t edge = find_edge(diagram, node, row[diagram->order[level]]);

		if (edge == SIZE_MAX)
			return UINT64_MAX;
		index += diagram->before[edge];
		node = diagram->children[edge];
	}
	return index;
}

uint64_t kt_diagram_find(const struct kt_diagram *diagram, const uint16_t *row)
{
	return diagram->root == KT_DIAGRAM_EMPTY ? UINT64_MAX : find_from(diagram, diagram->root, 0, row);
}

void kt_diagram_siblings(const struct kt_diagram *diagram, const uint16_t *row, size_t level, kt_diagram_visit visit,
			 void *context)
{
	uint32_t node = diagram->root;
	uint64_t index = 0;

	for (size_t above = 0; above < level; above++) {
		const size_t edge = find_edge(diagram, node, row[diagram->order[above]]);

		index += diagram->before[edge];
		node = diagram->children[edge];
	}
	for (size_t edge = diagram->first[node]; edge < diagram->first[node + 1]; edge++) {
		uint64_t below;

		if (diagram->ranks[edge] == row[diagram->order[level]])
			continue;
		below = find_from(diagram, diagram->children[edge], level + 1, row);
		if (below != UINT64_MAX)
			visit(diagram->ranks[edge], index + diagram->before[edge] + below, context);
	}
}

/* A partial row on the way to the cheapest: its cost, the number of the first row below it, where it ends. */
struct reach {
	uint64_t cost, index;
	uint32_t node;
};

struct heap {
	size_t count, capacity;
	struct reach *items;
};

static bool earlier(const struct reach *a, const struct reach *b)
{
	return a->cost != b->cost ? a->cost < b->cost : a->index < b->index;
}

static bool push(struct heap *heap, struct reach item)
{
	size_t at = heap->count;

	if (heap->count == heap->capacity) {
		if (!resize(&heap->items, heap->capacity == 0 ? 64 : 2 * heap->capacity, sizeof *heap->items))
			return false;
		heap->capacity = heap->capacity == 0 ? 64 : 2 * heap->capacity;
	}
	heap->count++;
	for (; at > 0 && earlier(&item, &heap->items[(at - 1) / 2]); at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = item;
	return true;
}

static struct reach pop(struct heap *heap)
{
	const struct reach top = heap->items[0], last = heap->items[--heap->count];
	size_t at = 0;

	for (size_t child = 1; child < heap->count; child = 2 * at + 1) {
		child += child + 1 < heap->count && earlier(&heap->items[child + 1], &heap->items[child]);
		if (!earlier(&heap->items[child], &last))
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
	return top;
}

/* Shortest path: cost and number both only grow along one, so the first that reaches the end is the answer. */
uint64_t kt_diagram_cheapest(const struct kt_diagram *diagram, kt_diagram_cost cost, void *context)
{
	unsigned char *settled = calloc(diagram->node_count, 1);
	struct heap heap = {0};
	uint64_t found = UINT64_MAX;
	bool room = settled != NULL && diagram->root != KT_DIAGRAM_EMPTY;

	room = room && push(&heap, (struct reach){0, 0, diagram->root});
	while (room && heap.count > 0) {
		const struct reach at = pop(&heap);

		if (at.node == KT_DIAGRAM_END) {
			found = at.index;
			break;
		}
		if (settled[at.node])
			continue;
		settled[at.node] = 1;
		for (size_t e = diagram->first[at.node]; room && e < diagram->first[at.node + 1]; e++) {
			const size_t parameter = diagram->order[diagram->levels[at.node]];

			room = push(&heap, (struct reach){at.cost + cost(parameter, diagram->ranks[e], context),
							  at.index + diagram->before[e], diagram->children[e]});
		}
	}
	free(settled);
	free(heap.items);
	return found;
}
