/* The energy of an entry that was chosen by it: docs/store.md, "An entry". */
#include <string.h>

#include "store/entry_record.h"

struct point {
	const struct kt_entry *entry;
	struct kt_energy_point own;
};
#define AT(member) .offset = offsetof(struct point, own.member)

static kt_status read_configuration(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                                    struct kt_error *err)
{
	struct point *point = record;
	const char **names = NULL;
	int64_t *values = NULL;
	size_t count = 0;
	kt_status status = kt_shape_values(&names, &values, &count, arena, at, err);
	bool same = count == point->entry->parameter_count;
	for (size_t i = 0; status == KT_OK && same && i < count; i++)
		same = strcmp(names[i], point->entry->parameters[i]) == 0;
	point->own.configuration = values;
	return status == KT_OK && !same ? kt_shape_bad(err, at, "not the parameters of the configuration") : status;
}

static cJSON *print_configuration(const void *record, bool *failed)
{
	const struct point *point = record;
	if (point->own.configuration == NULL)
		return NULL;
	cJSON *made = kt_shape_values_json(point->entry->parameters, point->own.configuration, point->entry->parameter_count);
	*failed = *failed || made == NULL;
	return made;
}

static const struct kt_shape_own configuration = {read_configuration, print_configuration};
static const struct kt_shape_field point_fields[] = {
    {.name = "configuration", .kind = KT_SHAPE_OWN, .own = &configuration, .optional = true},
    {.name = "time_ns", .kind = KT_SHAPE_TIME, AT(time_ns), .low = 1},
    {.name = "energy_uj", .kind = KT_SHAPE_TIME, AT(energy_uj), .low = 1},
};
static const struct kt_shape point_record = KT_SHAPE(point_fields);

static kt_status read_points(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                             struct kt_error *err)
{
	struct kt_entry *entry = record;
	const cJSON *item;
	const int size = cJSON_GetArraySize(at->json);
	if (!cJSON_IsArray(at->json) || size < 1 || size > KT_ENERGY_POINTS)
		return kt_shape_bad(err, at, "an array of 1 to %d points expected", KT_ENERGY_POINTS);
	NEED(entry->points = kt_arena_array(arena, (size_t)size, sizeof *entry->points),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry"));
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, NULL, entry->point_count, item};
		struct point point = {.entry = entry};
		TRY(kt_shape_read(&point, arena, &here, &point_record, err));
		entry->points[entry->point_count++] = point.own;
	}
	return KT_OK;
}

static cJSON *print_points(const void *record, bool *failed)
{
	const struct kt_entry *entry = record;
	cJSON *list = entry->point_count != 0 ? cJSON_CreateArray() : NULL;
	*failed = *failed || (list == NULL && entry->point_count != 0);
	for (size_t i = 0; !*failed && i < entry->point_count; i++) {
		const struct point point = {entry, entry->points[i]};
		cJSON *item = kt_shape_print(&point, &point_record);
		*failed = item == NULL || !cJSON_AddItemToArray(list, item);
		if (*failed)
			cJSON_Delete(item);
	}
	return list;
}

static const struct kt_shape_own points = {read_points, print_points};
static const struct kt_shape_field energy_fields[] = {
    {.name = "objective", .kind = KT_SHAPE_WORD, .offset = offsetof(struct kt_entry, objective)},
    {.name = "error_permille", .kind = KT_SHAPE_INT, .offset = offsetof(struct kt_entry, energy_error), .high = 1000000},
    {.name = "points", .kind = KT_SHAPE_OWN, .own = &points, .optional = true},
};
static const struct kt_shape energy_record = KT_SHAPE(energy_fields);

static kt_status read_energy(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	const struct kt_entry *entry = record;
	TRY(kt_shape_read(record, arena, at, &energy_record, err));
	return strcmp(entry->objective, "energy") != 0 && strcmp(entry->objective, "edp") != 0
		   ? kt_shape_bad(err, at, "energy or edp expected as the objective")
		   : KT_OK;
}

static cJSON *print_energy(const void *record, bool *failed)
{
	const struct kt_entry *entry = record;
	cJSON *made = entry->objective != NULL ? kt_shape_print(entry, &energy_record) : NULL;
	*failed = *failed || (made == NULL && entry->objective != NULL);
	return made;
}

const struct kt_shape_own kt_entry_energy = {read_energy, print_energy};
