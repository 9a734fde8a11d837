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

struct problems {
	size_t count;
	struct figures *items;
};

static kt_status read_variables(void *record, struct kt_member_reader *r)
{
	struct figures *f = record;
	return kt_member_values(&f->variables, &f->values, &f->variable_count, r);
}

static void print_variables(const void *record, struct kt_member_printer *p)
{
	const struct figures *f = record;
	kt_print_value(p, kt_member_values_json(f->variables, f->values, f->variable_count));
}

static const struct kt_member_own variables_own = {.read = read_variables, .print = print_variables};

#define SPREAD(timing) \
	{.name = "mean_ns", .kind = KT_MEMBER_TIME, .offset = offsetof(struct figures, timing.mean_ns)}, \
	{.name = "min_ns", .kind = KT_MEMBER_TIME, .offset = offsetof(struct figures, timing.min_ns)}, \
	{.name = "deviation_ns", .kind = KT_MEMBER_TIME, .offset = offsetof(struct figures, timing.deviation_ns)}, \
	{.name = "samples", .kind = KT_MEMBER_INT, .offset = offsetof(struct figures, timing.samples), .high = COUNT_MOST}

static const struct kt_member baseline_fields[] = {SPREAD(baseline)};
static const struct kt_member tuned_fields[] = {SPREAD(tuned)};
static const struct kt_members baseline_record = {KT_MEMBERS_CLOSED(struct figures, baseline_fields)},
                               tuned_record = {KT_MEMBERS_CLOSED(struct figures, tuned_fields)};

#define AT(member) .offset = offsetof(struct figures, member)
static const struct kt_member figure_fields[] = {
    {.name = "problem", .kind = KT_MEMBER_OWN, .own = &variables_own, .schema = KT_SCHEMA_VALUES},
    {.name = "variant", .kind = KT_MEMBER_INT, AT(variant), .low = 1, .high = KT_SPECIALS_MOST, .flags = KT_MEMBER_SPARSE},
    {.name = "baseline_ns", .kind = KT_MEMBER_TIME, AT(baseline_ns), .low = 1},
    {.name = "general_ns", .kind = KT_MEMBER_TIME, AT(general_ns), .low = 1, .flags = KT_MEMBER_SPARSE},
    {.name = "tuned_ns", .kind = KT_MEMBER_TIME, AT(tuned_ns), .low = 1, .flags = KT_MEMBER_SPARSE},
    {.name = "floor_ns", .kind = KT_MEMBER_TIME, AT(copy_ns), .flags = KT_MEMBER_SPARSE},
    {.name = "speedup", .kind = KT_MEMBER_TIME, AT(speedup), .flags = KT_MEMBER_SPARSE},
    {.name = "baseline_uj", .kind = KT_MEMBER_TIME, AT(baseline_uj), .flags = KT_MEMBER_SPARSE},
    {.name = "tuned_uj", .kind = KT_MEMBER_TIME, AT(tuned_uj), .flags = KT_MEMBER_SPARSE},
    {.name = "baseline", .kind = KT_MEMBER_OBJECT, .item = &baseline_record},
    {.name = "tuned", .kind = KT_MEMBER_OBJECT, .item = &tuned_record, .flags = KT_MEMBER_SPARSE},
};
/* Each problem must name the same variables in the same order as the first. */
static bool has_variables_of(const struct figures *f, const struct figures *first)
{
	bool same = f->variable_count == first->variable_count;
	for (size_t v = 0; same && v < f->variable_count; v++)
		same = strcmp(f->variables[v], first->variables[v]) == 0;
	return same;
}

static kt_status check_speedup(struct figures *f, struct kt_member_reader *r)
{
	bool parts[3] = {f->tuned_ns > 0, kt_json_member(r->at, "tuned").json != NULL,
	                 kt_json_member(r->at, "speedup").json != NULL};
	/* A quotient that three decimals show as 0 is left out as 0 is. */
	parts[2] = parts[2] || (parts[0] && f->baseline_ns / f->tuned_ns <= SPEEDUP_SLACK);
	if (parts[0] != parts[1] || parts[0] != parts[2])
		return kt_member_bad(r, "\"tuned_ns\", \"tuned\" and \"speedup\" come together");
	if (!parts[0])
		return !((const struct kt_entry *)r->whole)->baseline_best || f->variant != 0
		           ? kt_member_bad(r, "member \"tuned_ns\" is missing") : KT_OK;
	const struct kt_json_place here = kt_json_member(r->at, "speedup");
	return fabs(f->speedup - f->baseline_ns / f->tuned_ns) <= SPEEDUP_SLACK
	           ? KT_OK : kt_json_bad(r->err, &here, "%g is not baseline_ns / tuned_ns", f->speedup);
}

static kt_status check_figures(void *record, struct kt_member_reader *r)
{
	struct figures *f = record;
	const struct kt_json_place problem = kt_json_member(r->at, "problem");
	f->baseline.median_ns = f->baseline_ns;
	f->tuned.median_ns = f->tuned_ns;
	TRY(check_speedup(f, r));
	return has_variables_of(f, f - r->at->index)
	           ? KT_OK : kt_json_bad(r->err, &problem, "not the variables of the first problem");
}

static const struct kt_members figures_record = {KT_MEMBERS_CLOSED(struct figures, figure_fields), .check = check_figures,
    .rules = "{\"dependentRequired\":{\"tuned_ns\":[\"tuned\",\"speedup\"],\"tuned\":[\"tuned_ns\",\"speedup\"],"
                   "\"speedup\":[\"tuned_ns\",\"tuned\"]}}"};
static const struct kt_member problems_fields[] = {{.kind = KT_MEMBER_LIST, KT_MEMBER_ITEMS(struct problems, count, figures_record),
    .offset = offsetof(struct problems, items), .low = 1, .high = PROBLEMS_MOST, .what = "problems"}};
static const struct kt_members problems_record = {KT_MEMBERS_OF(struct problems, problems_fields)};

static kt_status make_room(struct kt_entry *out, const struct figures *first, struct kt_member_reader *r)
{
	const size_t count = out->problem_count;
	out->variables = first->variables;
	out->variable_count = first->variable_count;
	out->problems = kt_arena_array(r->arena, count * first->variable_count + 1, sizeof *out->problems);
	out->baseline = kt_arena_array(r->arena, count, sizeof *out->baseline);
	out->tuned = kt_arena_array(r->arena, count, sizeof *out->tuned);
	out->copy_ns = kt_arena_array(r->arena, count, sizeof *out->copy_ns);
	out->serves = kt_arena_array(r->arena, count, sizeof *out->serves);
	out->general_ns = kt_arena_array(r->arena, count, sizeof *out->general_ns);
	out->baseline_uj = kt_arena_array(r->arena, count, sizeof *out->baseline_uj);
	out->tuned_uj = kt_arena_array(r->arena, count, sizeof *out->tuned_uj);
	return out->problems != NULL && out->baseline_uj != NULL && out->tuned_uj != NULL && out->baseline != NULL &&
		       out->tuned != NULL && out->copy_ns != NULL && out->serves != NULL && out->general_ns != NULL
		   ? KT_OK
		   : kt_no_memory(r->err);
}

static kt_status read_problems(void *record, struct kt_member_reader *r)
{
	struct kt_entry *out = record;
	struct problems read = {0};
	TRY(kt_members_read(&read, &problems_record, r));
	out->problem_count = read.count;
	TRY(make_room(out, &read.items[0], r));
	for (size_t i = 0; i < read.count; i++) {
		const struct figures *f = &read.items[i];
		memcpy(&out->problems[i * f->variable_count], f->values, f->variable_count * sizeof *f->values);
		out->baseline[i] = f->baseline;
		out->tuned[i] = f->tuned;
		out->copy_ns[i] = f->copy_ns;
		out->serves[i] = f->variant;
		out->general_ns[i] = f->general_ns;
		out->baseline_uj[i] = f->baseline_uj;
		out->tuned_uj[i] = f->tuned_uj;
	}
	return KT_OK;
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

static void print_problems(const void *record, struct kt_member_printer *p)
{
	const struct kt_entry *entry = record;
	cJSON *list = cJSON_CreateArray();
	struct kt_member_printer items = {.to = list};
	for (size_t i = 0; list != NULL && i < entry->problem_count; i++) {
		const struct figures f = figures_of(entry, i);
		kt_print_value(&items, kt_members_json(&f, &figures_record));
	}
	p->failed = p->failed || items.failed;
	kt_print_value(p, list);
}

const struct kt_member_own kt_entry_problems = {.read = read_problems, .print = print_problems, .like = &problems_record};
