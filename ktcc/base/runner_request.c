#include "base/runner_request.h"

#include "base/clause_parts.h"

#define ROW(kind, type, member) KT_MEMBER(kind, struct kt_run_##type, member)
#define NAMED(text, kind_, type, member) .name = text, .kind = KT_MEMBER_##kind_, .offset = offsetof(struct kt_run_##type, member)
#define OWN(functions) {.kind = KT_MEMBER_OWN, .own = &(functions)}
/* A list that has to be there, and one that need not be. */
#define LIST(text, type, member, members_count, items, most) \
	{NAMED(text, LIST, type, member), KT_MEMBER_ITEMS(struct kt_run_##type, members_count, items), \
	 .flags = KT_MEMBER_REQUIRED, .high = most}
#define SPARSE_LIST(text, type, member, members_count, items, most) \
	{NAMED(text, LIST, type, member), KT_MEMBER_ITEMS(struct kt_run_##type, members_count, items), \
	 .flags = KT_MEMBER_SPARSE, .high = most}
#define REQUIRED .flags = KT_MEMBER_REQUIRED
#define SPARSE .flags = KT_MEMBER_SPARSE
#define OPTIONS(type) {ROW(TEXT, type, options), .flags = KT_MEMBER_SPARSE | KT_MEMBER_EMPTY}
#define ELEMENT(type) ROW(WORD, type, element), KT_MEMBER_WORDS(kt_scalar_names)

/* ---- geometry */

static const struct kt_member geometry_rows[] = {
    {KT_MEMBER(TRIPLE, struct kt_geometry, grid), REQUIRED},
    {KT_MEMBER(TRIPLE, struct kt_geometry, block), REQUIRED},
    {KT_MEMBER(INT, struct kt_geometry, shared_bytes)},
};
static const struct kt_members geometries = {KT_MEMBERS_OF(struct kt_geometry, geometry_rows)};

/* ---- arguments and steps */

#define KIND(type) {ROW(INT, type, buffer), SPARSE, .absent = -1}, {ELEMENT(type), SPARSE}
static const struct kt_member member_rows[] = {{ROW(INT, member, offset), REQUIRED}, KIND(member)};
static const struct kt_members members = {KT_MEMBERS_OF(struct kt_run_member, member_rows)};

static const struct kt_member argument_rows[] = {
    KIND(argument),
    {NAMED("local", BOOL, argument, is_local), SPARSE},
    SPARSE_LIST("members", argument, members, member_count, members, KT_MEMBERS),
    {ROW(INT, argument, bytes), SPARSE},
};
static const struct kt_members arguments = {KT_MEMBERS_OF(struct kt_run_argument, argument_rows)};

static const struct kt_member step_rows[] = {
    {ROW(TEXT, step, function), SPARSE},
    LIST("arguments", step, arguments, argument_count, kt_members_int, KT_RUN_ARGUMENTS),
};
static const struct kt_members steps = {KT_MEMBERS_OF(struct kt_run_step, step_rows)};

static const struct kt_member host_rows[] = {
    {NAMED("program", TEXT, region, host_program), REQUIRED},
    LIST("buffers", region, host_buffers, host_count, kt_members_int, KT_RUN_ARGUMENTS),
};
static const struct kt_members hosts = {KT_MEMBERS_OF(struct kt_run_region, host_rows)};

/* ---- buffers */

static const struct kt_member limit_rows[] = {
    {KT_MEMBER(DOUBLE, struct kt_limits, absolute)},
    {KT_MEMBER(DOUBLE, struct kt_limits, relative)},
};
static const struct kt_members limits = {KT_MEMBERS_OF(struct kt_limits, limit_rows)};

static const struct kt_member symbol_rows[] = {
    {NAMED("name", TEXT, buffer, symbol), REQUIRED},
    {NAMED("elements", INT, buffer, symbol_elements), REQUIRED},
};
static const struct kt_members symbols = {KT_MEMBERS_OF(struct kt_run_buffer, symbol_rows)};

static const struct kt_member buffer_rows[] = {
    {ROW(TEXT, buffer, name), REQUIRED},
    {ROW(ELEMENT, buffer, element)},
    {ROW(WORD, buffer, direction), KT_MEMBER_WORDS(kt_direction_names)},
    {ROW(SOME, buffer, limits), KT_MEMBER_ITEMS(struct kt_run_buffer, limit_count, limits)},
    {.name = "symbol", .kind = KT_MEMBER_OBJECT, .item = &symbols, SPARSE},
};
static const struct kt_members buffers = {KT_MEMBERS_OF(struct kt_run_buffer, buffer_rows)};

/* ---- what they hold on a problem */

static const struct kt_member fill_rows[] = {
    {.name = "fill", .kind = KT_MEMBER_WORD, .offset = offsetof(struct kt_fill, kind), KT_MEMBER_WORDS(kt_fill_names),
     .absent = KT_FILL_UNIFORM},
    {KT_MEMBER(DOUBLE, struct kt_fill, a)},
    {KT_MEMBER(DOUBLE, struct kt_fill, b), .absent = 1},
    OWN(kt_fill_numbers),
};
static const struct kt_members fills = {KT_MEMBERS_OF(struct kt_fill, fill_rows)};

static const struct kt_member file_rows[] = {{ROW(TEXT, data, path), REQUIRED}, {ROW(TEXT, data, hash), REQUIRED}};
static const struct kt_members files = {KT_MEMBERS_OF(struct kt_run_data, file_rows)};

static const struct kt_member data_rows[] = {
    {ROW(INT, data, count), REQUIRED},
    {ROW(SOME, data, fills), KT_MEMBER_ITEMS(struct kt_run_data, fill_count, fills)},
    {.name = "file", .kind = KT_MEMBER_OBJECT, .item = &files, SPARSE},
    {ROW(INT, data, seed)},
    {ROW(INT, data, offset), SPARSE},
    {ROW(INT, data, alias), SPARSE, .absent = -1},
};
static const struct kt_members data = {KT_MEMBERS_OF(struct kt_run_data, data_rows)};

/* Of the original: one, or one per step. */
static const struct kt_member one_geometry[] = {
    {KT_MEMBER(OBJECT, struct kt_run_problem, geometry), .item = &geometries, REQUIRED},
};
static const struct kt_members one_of_problem = {KT_MEMBERS_OF(struct kt_run_problem, one_geometry)};

static kt_status read_geometries(void *record, struct kt_member_reader *r)
{
	struct kt_run_problem *problem = record;
	struct kt_geometry *all = NULL;
	TRY(kt_members_list(&all, &problem->geometry_count, "geometries", &geometries, r));
	if (problem->geometry_count > 0) {
		problem->geometry = all[0];
		problem->further = all + 1;
		return KT_OK;
	}
	problem->geometry_count = kt_json_member(r->at, "geometry").json != NULL;
	return problem->geometry_count > 0 ? kt_members_read(problem, &one_of_problem, r) : KT_OK;
}

static void print_geometries(const void *record, struct kt_member_printer *p)
{
	const struct kt_run_problem *problem = record;
	cJSON *array = problem->further != NULL ? cJSON_AddArrayToObject(p->to, "geometries") : NULL;
	kt_print_members(array != NULL ? kt_json_append(array) : cJSON_AddObjectToObject(p->to, "geometry"),
	                 &problem->geometry, &geometries, p->whole);
	for (size_t i = 1; i < problem->geometry_count; i++)
		kt_print_members(kt_json_append(array), &problem->further[i - 1], &geometries, p->whole);
}

static const struct kt_member_own geometries_own = {.read = read_geometries, .print = print_geometries};
static const struct kt_member problem_rows[] = {
    {NAMED("problem", TEXT, problem, text), REQUIRED},
    {ROW(BOOL, problem, check), SPARSE},
    OWN(geometries_own),
    {NAMED("values", JSON, problem, json_values)},
    LIST("buffers", problem, data, buffer_count, data, KT_RUN_BUFFERS),
    {ROW(INT, problem, read_bytes)},
    {ROW(INT, problem, write_bytes)},
    {NAMED("host_values", JSON, problem, json_host_values)},
};
static const struct kt_members problems = {KT_MEMBERS_OF(struct kt_run_problem, problem_rows)};

/* ---- requests */

static const struct kt_member region_rows[] = {
    {ROW(TEXT, region, name), REQUIRED},
    {ROW(TEXT, region, instance), REQUIRED},
    {ROW(TEXT, region, cubin), SPARSE},
    {ROW(TEXT, region, function), SPARSE},
    SPARSE_LIST("steps", region, steps, step_count, steps, KT_STEPS),
    OPTIONS(region),
    {ROW(DOUBLE, region, limit_s), .absent = 10},
    LIST("arguments", region, arguments, argument_count, arguments, KT_RUN_ARGUMENTS),
    LIST("buffers", region, buffers, buffer_count, buffers, KT_RUN_BUFFERS),
    SPARSE_LIST("constants", region, constants, constant_count, kt_members_text, KT_CONSTANTS_WATCHED),
    {.name = "host", .kind = KT_MEMBER_OBJECT, .item = &hosts, SPARSE},
    LIST("problems", region, problems, problem_count, problems, KT_RUN_PROBLEMS),
};
const struct kt_members kt_run_region = {KT_MEMBERS_OF(struct kt_run_region, region_rows)};

static const struct kt_member temporary_rows[] = {{ROW(TEXT, temporary, name), REQUIRED}, {ELEMENT(temporary)}};
static const struct kt_members temporaries = {KT_MEMBERS_OF(struct kt_run_temporary, temporary_rows)};

static const struct kt_member row_rows[] = {
    {ROW(BOOL, row, skip), SPARSE},
    {ROW(POINTER, row, geometry), .item = &geometries},
    SPARSE_LIST("further", row, further, further_count, geometries, KT_STEPS - 1),
    SPARSE_LIST("temporaries", row, temporaries, temporary_count, kt_members_int, KT_TEMPORARIES),
    {ROW(DOUBLE, row, give_up_ns), SPARSE},
    {ROW(DOUBLE, row, lost_ns), SPARSE},
};
static const struct kt_members rows = {KT_MEMBERS_OF(struct kt_run_row, row_rows)};

static const struct kt_member request_rows[] = {
    {ROW(TEXT, request, configuration), .flags = KT_MEMBER_EMPTY},
    {ROW(TEXT, request, cubin), SPARSE},
    SPARSE_LIST("further", request, further, further_count, kt_members_text, KT_STEPS - 1),
    {ROW(TEXT, request, function), SPARSE},
    SPARSE_LIST("temporaries", request, temporaries, temporary_count, temporaries, KT_TEMPORARIES),
    OPTIONS(request),
    SPARSE_LIST("problems", request, rows, row_count, rows, KT_RUN_PROBLEMS),
    SPARSE_LIST("order", request, order, order_count, kt_members_int, KT_RUN_PROBLEMS),
};
const struct kt_members kt_run_request = {KT_MEMBERS_OF(struct kt_run_request, request_rows)};

static const struct kt_member effort_rows[] = {
    {ROW(INT, effort, warmups), .absent = 20},
    {ROW(INT, effort, repetitions), .absent = 100},
    {ROW(INT, effort, companions), SPARSE},
    {ROW(BOOL, effort, screen), SPARSE},
    {ROW(INT, effort, seed), SPARSE},
    {ROW(BOOL, effort, hot), SPARSE},
};
const struct kt_members kt_run_effort = {KT_MEMBERS_OF(struct kt_run_effort, effort_rows)};
