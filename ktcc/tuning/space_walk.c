/* Moving about in a space: indices, values, rows, neighbours. */
#include <stdlib.h>
#include <string.h>

#include "tuning/space_internal.h"

size_t kt_space_dimensions(const struct kt_space *space)
{
	return space->dimensions;
}

double kt_space_cartesian(const struct kt_space *space)
{
	double product = 1;

	for (size_t p = 0; p < space->dimensions; p++)
		product *= (double)space->domains[p].count;
	return product;
}

size_t kt_space_legal(const struct kt_space *space)
{
	return space->legal;
}

size_t kt_space_feasible(const struct kt_space *space)
{
	return (size_t)kt_diagram_rows(space->diagram);
}

size_t kt_space_pruned(const struct kt_pruned **out, const struct kt_space *space)
{
	*out = space->pruned;
	return space->pruned_count;
}

size_t kt_space_conflict(const size_t **out, const struct kt_space *space)
{
	*out = space->conflict;
	return space->conflict_count;
}

/* Pages are made when first asked for: a search looks at a small part of a large space. */
const int64_t *kt_space_get(const struct kt_space *space, size_t index)
{
	const size_t page = index / KT_SPACE_PAGE, first = page * KT_SPACE_PAGE, dimensions = space->dimensions;
	const size_t count = kt_space_feasible(space);
	uint16_t row[KT_PARAMETERS];
	int64_t *values;

	if (space->pages[page] == NULL) {
		values = kt_arena_array(space->arena, KT_SPACE_PAGE * dimensions + 1, sizeof *values);
		if (values == NULL)
			return space->originals; /* out of memory: a configuration, if not the one asked for */
		for (size_t i = 0; i < KT_SPACE_PAGE && first + i < count; i++) {
			kt_space_row(row, space, first + i);
			for (size_t p = 0; p < dimensions; p++)
				values[i * dimensions + p] = kt_space_value(space, p, row[p]);
		}
		space->pages[page] = values;
	}
	return space->pages[page] + (index - first) * dimensions;
}

size_t kt_space_find(const struct kt_space *space, const int64_t *configuration)
{
	uint16_t row[KT_PARAMETERS] = {0};

	for (size_t p = 0; p < space->dimensions; p++) {
		const size_t rank = kt_space_rank(space, p, configuration[p]);

		if (rank == SIZE_MAX)
			return SIZE_MAX;
		row[p] = (uint16_t)rank;
	}
	return kt_space_at(space, row);
}

size_t kt_space_original(const struct kt_space *space)
{
	return space->original;
}

size_t kt_space_values(const struct kt_space *space, size_t dimension)
{
	return space->domains[dimension].count;
}

int64_t kt_space_value(const struct kt_space *space, size_t dimension, size_t rank)
{
	const struct kt_domain *domain = &space->domains[dimension];

	return domain->values[domain->sorted[rank]];
}

bool kt_space_ordered(const struct kt_space *space, size_t dimension)
{
	return space->domains[dimension].kind != KT_VALUE_TEXT;
}

size_t kt_space_rank(const struct kt_space *space, size_t dimension, int64_t value)
{
	const struct kt_domain *domain = &space->domains[dimension];
	size_t low = 0, high = domain->count;

	/* Positions of reals are not sorted by themselves; such lists are short. */
	if (domain->kind == KT_VALUE_REAL) {
		for (size_t rank = 0; rank < domain->count; rank++)
			if (kt_space_value(space, dimension, rank) == value)
				return rank;
		return SIZE_MAX;
	}
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (kt_space_value(space, dimension, middle) < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low < domain->count && kt_space_value(space, dimension, low) == value ? low : SIZE_MAX;
}

void kt_space_row(uint16_t *row, const struct kt_space *space, size_t index)
{
	kt_diagram_row(row, space->diagram, index);
}

size_t kt_space_at(const struct kt_space *space, const uint16_t *row)
{
	const uint64_t index = kt_diagram_find(space->diagram, row);

	return index == UINT64_MAX ? SIZE_MAX : (size_t)index;
}

size_t kt_space_neighbours_most(const struct kt_space *space)
{
	size_t most = 0;

	for (size_t p = 0; p < space->dimensions; p++)
		most += space->domains[p].count;
	return most;
}

struct gathering {
	size_t *out, count;
	uint16_t own;
	size_t below, above; /* the nearest on either side; SIZE_MAX: none */
	bool nearest;
};

static void gather(uint16_t rank, uint64_t index, void *context)
{
	struct gathering *gathering = context;

	if (!gathering->nearest)
		gathering->out[gathering->count++] = (size_t)index;
	else if (rank < gathering->own)
		gathering->below = (size_t)index;
	else if (gathering->above == SIZE_MAX)
		gathering->above = (size_t)index;
}

size_t kt_space_neighbours(size_t *out, const struct kt_space *space, size_t index,
			   enum kt_neighbourhood neighbourhood)
{
	struct gathering gathering = {.out = out};
	size_t levels[KT_PARAMETERS];
	uint16_t row[KT_PARAMETERS];

	kt_space_row(row, space, index);
	for (size_t level = 0; level < space->dimensions; level++)
		levels[space->diagram->order[level]] = level;
	for (size_t p = 0; p < space->dimensions; p++) {
		gathering.own = row[p];
		gathering.below = gathering.above = SIZE_MAX;
		gathering.nearest = neighbourhood == KT_NEIGHBOUR_ADJACENT && kt_space_ordered(space, p);
		kt_diagram_siblings(space->diagram, row, levels[p], gather, &gathering);
		if (gathering.below != SIZE_MAX)
			out[gathering.count++] = gathering.below;
		if (gathering.above != SIZE_MAX)
			out[gathering.count++] = gathering.above;
	}
	return gathering.count;
}

struct wanted {
	const struct kt_space *space;
	const uint16_t *row;
};

/* In 2^-20 of a changed parameter, so that sums are exact whatever their order. */
static uint64_t distance(size_t parameter, uint16_t rank, void *context)
{
	const struct wanted *wanted = context;
	const size_t count = wanted->space->domains[parameter].count;
	const size_t own = wanted->row[parameter] < count ? wanted->row[parameter] : count - 1;
	const size_t apart = rank < own ? own - rank : rank - own;

	if (apart == 0)
		return 0;
	return ((uint64_t)1 << 20) + (kt_space_ordered(wanted->space, parameter) ? ((uint64_t)apart << 20) / count : 0);
}

size_t kt_space_nearest(const struct kt_space *space, const uint16_t *row)
{
	struct wanted wanted = {space, row};
	const uint64_t index = kt_diagram_cheapest(space->diagram, distance, &wanted);

	return index == UINT64_MAX ? SIZE_MAX : (size_t)index;
}
