/* The problems of an entry, with what was measured on them: docs/store.md, "An entry". */
#include <math.h>
#include <string.h>

#include "store/entry_record.h"

#define PROBLEMS_MOST 4096
#define COUNT_MOST ((int64_t)1 << 53)
#define SPEEDUP_SLACK 0.00051           /* speedups are written with three decimals */

/* One problem's figures, in the entry spread over its arrays. */
struct figures {
	const char **variables;
	int64_t *values;
	size_t variable_count;
	int64_t variant;
	double baseline_ns, general_ns, tuned_ns, copy_ns, speedup, baseline_uj, tuned_uj;
	struct kt_timing baseline, tuned;
};

static kt_status read_variables(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                                struct kt_error *err)
{
	struct figures *f = record;
	return kt_shape_values(&f->variables, &f->values, &f->variable_count, arena, at, err);
}

static cJSON *print_variables(const void *record, bool *failed)
{
	const struct figures *f = record;
	cJSON *made = kt_shape_values_json(f->variables, f->values, f->variable_count);
	*failed = *failed || made == NULL;
	return made;
}

static const struct kt_shape_own variables_own = {.read = read_variables, .print = print_variables};

#define SPREAD(timing) \
	{.name = "mean_ns", .kind = KT_SHAPE_TIME, .offset = offsetof(struct figures, timing.mean_ns)}, \
	{.name = "min_ns", .kind = KT_SHAPE_TIME, .offset = offsetof(struct figures, timing.min_ns)}, \
	{.name = "deviation_ns", .kind = KT_SHAPE_TIME, .offset = offsetof(struct figures, timing.deviation_ns)}, \
	{.name = "samples", .kind = KT_SHAPE_INT, .offset = offsetof(struct figures, timing.samples), .high = COUNT_MOST}

static const struct kt_shape_field baseline_fields[] = {SPREAD(baseline)};
static const struct kt_shape_field tuned_fields[] = {SPREAD(tuned)};
static const struct kt_shape baseline_record = KT_SHAPE(baseline_fields), tuned_record = KT_SHAPE(tuned_fields);

#define AT(member) .offset = offsetof(struct figures, member)
static const struct kt_shape_field figure_fields[] = {
    {.name = "problem", .kind = KT_SHAPE_OWN, .own = &variables_own, .schema = KT_SCHEMA_VALUES},
    {.name = "variant", .kind = KT_SHAPE_INT, AT(variant), .low = 1, .high = KT_SPECIALS_MOST, .optional = true},
    {.name = "baseline_ns", .kind = KT_SHAPE_TIME, AT(baseline_ns), .low = 1},
    {.name = "general_ns", .kind = KT_SHAPE_TIME, AT(general_ns), .low = 1, .optional = true},
    {.name = "tuned_ns", .kind = KT_SHAPE_TIME, AT(tuned_ns), .low = 1, .optional = true},
    {.name = "floor_ns", .kind = KT_SHAPE_TIME, AT(copy_ns), .optional = true},
    {.name = "speedup", .kind = KT_SHAPE_TIME, AT(speedup), .optional = true},
    {.name = "baseline_uj", .kind = KT_SHAPE_TIME, AT(baseline_uj), .optional = true},
    {.name = "tuned_uj", .kind = KT_SHAPE_TIME, AT(tuned_uj), .optional = true},
    {.name = "baseline", .kind = KT_SHAPE_OBJECT, .object = &baseline_record},
    {.name = "tuned", .kind = KT_SHAPE_OBJECT, .object = &tuned_record, .optional = true},
};
static const struct kt_shape figures_record = KT_SHAPE_RULES(
    figure_fields, "{\"dependentRequired\":{\"tuned_ns\":[\"tuned\",\"speedup\"],\"tuned\":[\"tuned_ns\",\"speedup\"],"
                   "\"speedup\":[\"tuned_ns\",\"tuned\"]}}");
static const struct kt_shape_list figures_list = {.least = 1, .most = PROBLEMS_MOST, .item = &figures_record};
static const struct kt_shape_field problems_fields[] = {{.kind = KT_SHAPE_LIST, .list = &figures_list}};
static const struct kt_shape problems_record = KT_SHAPE(problems_fields);

static kt_status check_figures(struct figures *f, const struct kt_json_place *at, bool needs_tuned,
                               struct kt_error *err)
{
	bool parts[3] = {f->tuned_ns > 0, kt_shape_member(at, "tuned").json != NULL,
	                 kt_shape_member(at, "speedup").json != NULL};
	/* A quotient that three decimals show as 0 is left out as 0 is. */
	parts[2] = parts[2] || (parts[0] && f->baseline_ns / f->tuned_ns <= SPEEDUP_SLACK);
	f->baseline.median_ns = f->baseline_ns;
	f->tuned.median_ns = f->tuned_ns;
	if (parts[0] != parts[1] || parts[0] != parts[2])
		return kt_shape_bad(err, at, "\"tuned_ns\", \"tuned\" and \"speedup\" come together");
	if (!parts[0])
		return needs_tuned || f->variant != 0 ? kt_shape_bad(err, at, "member \"tuned_ns\" is missing") : KT_OK;
	if (fabs(f->speedup - f->baseline_ns / f->tuned_ns) <= SPEEDUP_SLACK)
		return KT_OK;
	struct kt_json_place here = kt_shape_member(at, "speedup");
	return kt_shape_bad(err, &here, "%g is not baseline_ns / tuned_ns", f->speedup);
}

/* Each problem must name the same variables in the same order as the first. */
static kt_status keep_variables(struct kt_entry *out, struct kt_arena *arena, const struct kt_json_place *at,
                                size_t index, const struct figures *f, struct kt_error *err)
{
	if (index == 0) {
		out->variables = f->variables;
		out->variable_count = f->variable_count;
		NEED(out->problems =
			 kt_arena_array(arena, out->problem_count * f->variable_count + 1, sizeof *out->problems),
		     kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry"));
	}
	bool same = f->variable_count == out->variable_count;
	for (size_t v = 0; same && v < f->variable_count; v++)
		same = strcmp(f->variables[v], out->variables[v]) == 0;
	if (!same) {
		struct kt_json_place here = kt_shape_member(at, "problem");
		return kt_shape_bad(err, &here, "not the variables of the first problem");
	}
	for (size_t v = 0; v < f->variable_count; v++)
		out->problems[index * f->variable_count + v] = f->values[v];
	return KT_OK;
}

static kt_status make_room(struct kt_entry *out, struct kt_arena *arena, size_t count, struct kt_error *err)
{
	out->problem_count = count;
	out->baseline = kt_arena_array(arena, count, sizeof *out->baseline);
	out->tuned = kt_arena_array(arena, count, sizeof *out->tuned);
	out->copy_ns = kt_arena_array(arena, count, sizeof *out->copy_ns);
	out->serves = kt_arena_array(arena, count, sizeof *out->serves);
	out->general_ns = kt_arena_array(arena, count, sizeof *out->general_ns);
	out->baseline_uj = kt_arena_array(arena, count, sizeof *out->baseline_uj);
	out->tuned_uj = kt_arena_array(arena, count, sizeof *out->tuned_uj);
	return out->baseline_uj != NULL && out->tuned_uj != NULL && out->baseline != NULL && out->tuned != NULL &&
		       out->copy_ns != NULL && out->serves != NULL && out->general_ns != NULL
		   ? KT_OK
		   : kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
}

static kt_status read_problem(struct kt_entry *out, struct kt_arena *arena, const struct kt_json_place *at,
                              size_t index, struct kt_error *err)
{
	struct figures f;
	memset(&f, 0, sizeof f);
	TRY(kt_shape_read(&f, arena, at, &figures_record, err));
	TRY(check_figures(&f, at, !out->baseline_best, err));
	TRY(keep_variables(out, arena, at, index, &f, err));
	out->baseline[index] = f.baseline;
	out->tuned[index] = f.tuned;
	out->copy_ns[index] = f.copy_ns;
	out->serves[index] = f.variant;
	out->general_ns[index] = f.general_ns;
	out->baseline_uj[index] = f.baseline_uj;
	out->tuned_uj[index] = f.tuned_uj;
	return KT_OK;
}

static kt_status read_problems(void *record, struct kt_arena *arena, const struct kt_json_place *at,
                               struct kt_error *err)
{
	struct kt_entry *out = record;
	const cJSON *item;
	size_t index = 0;
	if (!cJSON_IsArray(at->json))
		return kt_shape_bad(err, at, "an array expected");
	int size = cJSON_GetArraySize(at->json);
	if (size < 1 || size > PROBLEMS_MOST)
		return kt_shape_bad(err, at, "%d problems, but 1 to %d are allowed", size, PROBLEMS_MOST);
	kt_status status = make_room(out, arena, (size_t)size, err);
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, NULL, index, item};
		THEN(status, read_problem(out, arena, &here, index, err));
		index++;
	}
	return status;
}

static struct figures figures_of(const struct kt_entry *entry, size_t problem)
{
	struct figures f = {
	    .variables = entry->variables,
	    .values = entry->problems != NULL ? &entry->problems[problem * entry->variable_count] : NULL,
	    .variable_count = entry->variable_count,
	    .variant = kt_entry_serves(entry, problem),
	    .baseline_ns = entry->baseline[problem].median_ns,
	    .general_ns = entry->general_ns != NULL ? entry->general_ns[problem] : 0,
	    .copy_ns = entry->copy_ns != NULL ? entry->copy_ns[problem] : 0,
	    .baseline = entry->baseline[problem],
	    .baseline_uj = entry->baseline_uj != NULL ? entry->baseline_uj[problem] : 0,
	    .tuned_uj = entry->tuned_uj != NULL ? entry->tuned_uj[problem] : 0,
	};
	if (entry->tuned == NULL || !(entry->tuned[problem].median_ns > 0))
		return f;
	f.tuned = entry->tuned[problem];
	f.tuned_ns = f.tuned.median_ns;
	f.speedup = round(f.baseline_ns / f.tuned_ns * 1000) / 1000;
	return f;
}

static cJSON *print_problems(const void *record, bool *failed)
{
	const struct kt_entry *entry = record;
	cJSON *list = cJSON_CreateArray();
	*failed = *failed || list == NULL;
	for (size_t p = 0; !*failed && p < entry->problem_count; p++) {
		const struct figures f = figures_of(entry, p);
		cJSON *item = kt_shape_print(&f, &figures_record);
		*failed = item == NULL || !cJSON_AddItemToArray(list, item);
		if (*failed)
			cJSON_Delete(item);
	}
	return list;
}

const struct kt_shape_own kt_entry_problems = {.read = read_problems, .print = print_problems, .like = &problems_record};
