/* What an entry knows of sizes that no problem lists: docs/store.md, "An entry". */
#include <string.h>

#include "store/entry_record.h"

#define UNLISTED_MOST 64

/* One of them, with its names, beside the entry that it belongs to. */
struct unlisted {
	struct kt_unlisted own;
	const char **variables;
	size_t variable_count;
	const struct kt_entry *entry;
};

static kt_status read_values(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                             struct kt_error *err)
{
	struct unlisted *u = record;
	kt_status status = kt_shape_values(&u->variables, &u->own.values, &u->variable_count, arena, at, err);
	bool same = u->variable_count == u->entry->variable_count;
	for (size_t v = 0; status == KT_OK && same && v < u->variable_count; v++)
		same = strcmp(u->variables[v], u->entry->variables[v]) == 0;
	return status == KT_OK && !same ? kt_shape_bad(err, at, "not the variables of the problems") : status;
}

static cJSON *print_values(const void *record, bool *failed)
{
	const struct unlisted *u = record;
	cJSON *made = kt_shape_values_json(u->entry->variables, u->own.values, u->entry->variable_count);
	*failed = *failed || made == NULL;
	return made;
}

static const struct kt_shape_own values_own = {read_values, print_values};

#define AT(member) .offset = offsetof(struct unlisted, own.member)
static const struct kt_shape_field unlisted_fields[] = {
    {.name = "problem", .kind = KT_SHAPE_OWN, .own = &values_own},
    {.name = "variant", .kind = KT_SHAPE_INT, AT(variant), .low = KT_UNLISTED_ORIGINAL, .high = KT_SPECIALS_MOST,
     .optional = true},
    {.name = "baseline_ns", .kind = KT_SHAPE_TIME, AT(baseline_ns), .low = 1},
    {.name = "tuned_ns", .kind = KT_SHAPE_TIME, AT(tuned_ns), .low = 1},
};
static const struct kt_shape unlisted_record = KT_SHAPE(unlisted_fields);

static kt_status read_unlisted(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                               struct kt_error *err)
{
	struct kt_entry *entry = record;
	const cJSON *item;
	const int size = cJSON_GetArraySize(at->json);
	if (!cJSON_IsArray(at->json) || size < 1 || size > UNLISTED_MOST)
		return kt_shape_bad(err, at, "an array of 1 to %d sizes expected", UNLISTED_MOST);
	NEED(entry->unlisted = kt_arena_array(arena, (size_t)size, sizeof *entry->unlisted),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry"));
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, NULL, entry->unlisted_count, item};
		struct unlisted u = {.entry = entry};
		TRY(kt_shape_read(&u, arena, &here, &unlisted_record, err));
		if (u.own.variant > (int64_t)entry->special_count)
			return kt_shape_bad(err, &here, "there is no variant %lld", (long long)u.own.variant);
		entry->unlisted[entry->unlisted_count++] = u.own;
	}
	return KT_OK;
}

static cJSON *print_unlisted(const void *record, bool *failed)
{
	const struct kt_entry *entry = record;
	cJSON *list = entry->unlisted_count != 0 ? cJSON_CreateArray() : NULL;
	*failed = *failed || (list == NULL && entry->unlisted_count != 0);
	for (size_t i = 0; !*failed && i < entry->unlisted_count; i++) {
		const struct unlisted u = {.own = entry->unlisted[i], .entry = entry};
		cJSON *item = kt_shape_print(&u, &unlisted_record);
		*failed = item == NULL || !cJSON_AddItemToArray(list, item);
		if (*failed)
			cJSON_Delete(item);
	}
	return list;
}

const struct kt_shape_own kt_entry_unlisted = {read_unlisted, print_unlisted};
