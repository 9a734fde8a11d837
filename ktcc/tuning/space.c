#include "tuning/space.h"

#include <stdlib.h>
#include <string.h>

#include "tuning/feasible.h"
#include "tuning/solver.h"

#define SPACE_LEGAL_MOST ((size_t)1 << 26)  /* legal configurations that are walked */
#define SPACE_ROW_BYTES ((size_t)256 << 20) /* feasible configurations that are kept */
#define SPACE_ARENA_BYTES ((size_t)64 << 20)
#define SPACE_EMPTY_SLOT UINT32_MAX

struct kt_space {
	struct kt_arena *arena;
	struct kt_domain *domains;
	struct kt_term_space terms;
	int64_t originals[KT_PARAMETERS];
	size_t legal, feasible, capacity, original;
	uint16_t *rows;  /* value indices, one row a feasible configuration */
	uint32_t *slots; /* open addressing over rows; a power of two of them */
	size_t slot_mask;
	int64_t *values; /* decoded rows, filled when asked for */
	unsigned char *decoded;
	int64_t refused[KT_REFUSAL_COUNT];
	struct kt_pruned pruned[KT_REFUSAL_COUNT];
	size_t pruned_count;
};

static int compare_values(const void *left, const void *right, void *values)
{
	const int64_t *of = values;
	const int64_t a = of[*(const uint16_t *)left], b = of[*(const uint16_t *)right];

	return (a > b) - (a < b);
}

/* The value a parameter has in the source; a parameter that a generator added keeps it in its own record. */
static kt_status original_value(int64_t *out, const struct kt_template *template_, const struct kt_instance *instance,
				size_t parameter, struct kt_error *err)
{
	const struct kt_region *region = template_->region;
	const struct kt_parameter *wanted = &template_->parameters[parameter];

	for (size_t i = 0; i < region->parameter_count; i++)
		if (strcmp(region->parameters[i].name, wanted->name) == 0)
			return kt_region_original(out, region, instance, i, err);
	*out = wanted->original;
	return KT_OK;
}

static kt_status fill_domain(struct kt_domain *domain, struct kt_space *space, const struct kt_parameter *parameter,
			     const int64_t *original, struct kt_error *err)
{
	uint16_t *sorted;

	domain->name = parameter->name;
	domain->values = parameter->fixed != NULL ? original : parameter->values;
	domain->count = parameter->fixed != NULL ? 1 : parameter->value_count;
	if (domain->count > KT_PARAMETER_VALUES)
		return kt_fail(err, KT_ERR_LIMIT, "parameter '%.80s' has %zu values, more than %d", parameter->name,
			       domain->count, KT_PARAMETER_VALUES);
	sorted = kt_arena_array(space->arena, domain->count + 1, sizeof *sorted);
	if (sorted == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for the values of '%.80s'", parameter->name);
	for (size_t i = 0; i < domain->count; i++)
		sorted[i] = (uint16_t)i;
	qsort_r(sorted, domain->count, sizeof *sorted, compare_values, (void *)(uintptr_t)domain->values);
	domain->sorted = sorted;
	return KT_OK;
}

static kt_status fill_domains(struct kt_space *space, bool *has_original, const struct kt_template *template_,
			      const struct kt_instance *instance, struct kt_error *err)
{
	const size_t dimensions = template_->parameter_count;

	*has_original = true;
	if (dimensions > KT_PARAMETERS)
		return kt_fail(err, KT_ERR_LIMIT, "%zu parameters, more than %d", dimensions, KT_PARAMETERS);
	space->domains = kt_arena_array(space->arena, dimensions + 1, sizeof *space->domains);
	if (space->domains == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu parameters", dimensions);
	for (size_t p = 0; p < dimensions; p++) {
		const struct kt_parameter *parameter = &template_->parameters[p];
		kt_status status = original_value(&space->originals[p], template_, instance, p, err);

		/* Without its original a free parameter can still be tuned; a fixed one has no value left. */
		if (status != KT_OK && (parameter->fixed != NULL || status == KT_ERR_MEMORY))
			return status;
		*has_original = *has_original && status == KT_OK;
		status = fill_domain(&space->domains[p], space, parameter, &space->originals[p], err);
		if (status != KT_OK)
			return status;
	}
	return KT_OK;
}

static uint64_t hash_row(const uint16_t *row, size_t dimensions)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);

	for (size_t i = 0; i < dimensions; i++) {
		hash = (hash ^ row[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
	}
	return hash;
}

/* The slot that holds the row, or the empty one where it would stand. */
static size_t find_slot(const struct kt_space *space, const uint16_t *row)
{
	const size_t dimensions = space->terms.dimensions;
	size_t slot = (size_t)hash_row(row, dimensions) & space->slot_mask;

	while (space->slots[slot] != SPACE_EMPTY_SLOT &&
	       memcmp(space->rows + (size_t)space->slots[slot] * dimensions, row, dimensions * sizeof *row) != 0)
		slot = (slot + 1) & space->slot_mask;
	return slot;
}

static kt_status build_index(struct kt_space *space, struct kt_error *err)
{
	const size_t dimensions = space->terms.dimensions;
	size_t slots = 16;

	while (slots < 2 * space->feasible)
		slots *= 2;
	space->slots = malloc(slots * sizeof *space->slots);
	space->values = calloc(space->feasible * dimensions + 1, sizeof *space->values);
	space->decoded = calloc(space->feasible + 1, 1);
	if (space->slots == NULL || space->values == NULL || space->decoded == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu configurations", space->feasible);
	memset(space->slots, 0xff, slots * sizeof *space->slots);
	space->slot_mask = slots - 1;
	for (size_t i = 0; i < space->feasible; i++)
		space->slots[find_slot(space, space->rows + i * dimensions)] = (uint32_t)i;
	return KT_OK;
}

static kt_status keep_row(struct kt_space *space, const uint16_t *row, struct kt_error *err)
{
	const size_t dimensions = space->terms.dimensions, row_bytes = (dimensions + 1) * sizeof *row;

	if (space->feasible == space->capacity) {
		const size_t capacity = space->capacity == 0 ? 1024 : 2 * space->capacity;
		uint16_t *rows;

		if (space->feasible * row_bytes >= SPACE_ROW_BYTES)
			return kt_fail(err, KT_ERR_LIMIT, "more than %zu configurations: a restriction is missing",
				       space->feasible);
		rows = realloc(space->rows, capacity * row_bytes);
		if (rows == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory for %zu configurations", capacity);
		space->rows = rows;
		space->capacity = capacity;
	}
	memcpy(space->rows + space->feasible * dimensions, row, dimensions * sizeof *row);
	space->feasible++;
	return KT_OK;
}

struct gathering {
	struct kt_space *space;
	struct kt_feasible *feasible; /* NULL: no device, everything legal is feasible */
};

static kt_status gather(const uint16_t *row, void *context, struct kt_error *err)
{
	struct gathering *gathering = context;
	struct kt_space *space = gathering->space;

	if (++space->legal > SPACE_LEGAL_MOST)
		return kt_fail(err, KT_ERR_LIMIT, "more than %zu legal configurations: a restriction is missing",
			       SPACE_LEGAL_MOST);
	if (gathering->feasible != NULL) {
		const enum kt_refusal refusal = kt_feasible_judge(gathering->feasible, row);

		if (refusal != KT_REFUSAL_NONE) {
			space->refused[refusal]++;
			return KT_OK;
		}
	}
	return keep_row(space, row, err);
}

static kt_status solve(struct kt_space *space, const struct kt_template *template_, struct kt_error *err)
{
	struct gathering gathering = {space, NULL};
	struct kt_solver *solver = NULL;
	struct kt_term **guards;
	kt_status status =
	    kt_solver_open(&solver, &space->terms, template_->restrictions, template_->restriction_count, err);

	if (status == KT_OK && space->terms.device != NULL) {
		const size_t count = kt_solver_guards(&guards, solver);

		status = kt_feasible_open(&gathering.feasible, template_, &space->terms, guards, count, err);
	}
	if (status == KT_OK)
		status = kt_solver_run(solver, gather, &gathering, err);
	kt_feasible_close(gathering.feasible);
	kt_solver_close(solver);
	return status;
}

static void list_refusals(struct kt_space *space)
{
	for (int r = KT_REFUSAL_NONE + 1; r < KT_REFUSAL_COUNT; r++)
		if (space->refused[r] > 0)
			space->pruned[space->pruned_count++] =
			    (struct kt_pruned){kt_refusal_name((enum kt_refusal)r), space->refused[r]};
}

kt_status kt_space_build(struct kt_space **out, const struct kt_template *template_, const struct kt_instance *instance,
			 const struct kt_device *device, struct kt_error *err)
{
	struct kt_space *space = calloc(1, sizeof *space);
	const struct kt_region *region = template_->region;
	bool has_original = false;
	kt_status status;

	if (space == NULL || (space->arena = kt_arena_new(SPACE_ARENA_BYTES)) == NULL) {
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for a space");
		goto done;
	}
	status = fill_domains(space, &has_original, template_, instance, err);
	if (status != KT_OK)
		goto done;
	space->terms = (struct kt_term_space){region, device, template_->parameter_count,
					      region->problem_count > 0 ? region->problem_count : 1, space->domains};
	status = solve(space, template_, err);
	if (status == KT_OK)
		status = build_index(space, err);
	if (status != KT_OK)
		goto done;
	list_refusals(space);
	space->original = has_original ? kt_space_find(space, space->originals) : SIZE_MAX;
done:
	if (status == KT_OK)
		*out = space;
	else
		kt_space_free(space);
	return status;
}

void kt_space_free(struct kt_space *space)
{
	if (space == NULL)
		return;
	kt_arena_free(space->arena);
	free(space->rows);
	free(space->slots);
	free(space->values);
	free(space->decoded);
	free(space);
}

size_t kt_space_dimensions(const struct kt_space *space)
{
	return space->terms.dimensions;
}

double kt_space_cartesian(const struct kt_space *space)
{
	double product = 1;

	for (size_t p = 0; p < space->terms.dimensions; p++)
		product *= (double)space->domains[p].count;
	return product;
}

size_t kt_space_legal(const struct kt_space *space)
{
	return space->legal;
}

size_t kt_space_feasible(const struct kt_space *space)
{
	return space->feasible;
}

size_t kt_space_pruned(const struct kt_pruned **out, const struct kt_space *space)
{
	*out = space->pruned;
	return space->pruned_count;
}

const int64_t *kt_space_get(const struct kt_space *space, size_t index)
{
	const size_t dimensions = space->terms.dimensions;
	int64_t *values = space->values + index * dimensions;

	if (!space->decoded[index]) {
		for (size_t p = 0; p < dimensions; p++)
			values[p] = space->domains[p].values[space->rows[index * dimensions + p]];
		space->decoded[index] = 1;
	}
	return values;
}

static bool value_index(uint16_t *out, const struct kt_domain *domain, int64_t value)
{
	size_t low = 0, high = domain->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (domain->values[domain->sorted[middle]] < value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == domain->count || domain->values[domain->sorted[low]] != value)
		return false;
	*out = domain->sorted[low];
	return true;
}

size_t kt_space_find(const struct kt_space *space, const int64_t *configuration)
{
	uint16_t row[KT_PARAMETERS];

	for (size_t p = 0; p < space->terms.dimensions; p++)
		if (!value_index(&row[p], &space->domains[p], configuration[p]))
			return SIZE_MAX;
	const uint32_t index = space->slots[find_slot(space, row)];
	return index == SPACE_EMPTY_SLOT ? SIZE_MAX : index;
}

size_t kt_space_original(const struct kt_space *space)
{
	return space->original;
}
