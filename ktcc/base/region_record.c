/* A region as a record: the tables from which it is read and printed, and what its parts take for granted about each other. */
#include "base/clause_parts.h"
#include "base/region_tables.h"

/* ---- edits of the text */

static kt_status check_edit(void *record, struct kt_member_reader *r)
{
	const struct kt_edit *e = record;
	return e->kind == KT_EDIT_PARAMETER && e->index >= r->region->parameter_count
	           ? kt_member_bad(r, "index of a parameter is out of range")
	           : KT_OK;
}

static const char *const edit_kinds[] = {"kernel", "parameter", "callee"};
static const struct kt_member edit_rows[] = {
    {KT_MEMBER(RANGE, struct kt_edit, range)},
    {KT_MEMBER(WORD, struct kt_edit, kind), WORDS(edit_kinds)},
    {KT_MEMBER(SIZE, struct kt_edit, index)},
};
static const struct kt_members edits = {KT_MEMBERS_OF(struct kt_edit, edit_rows), .check = check_edit};

static const struct kt_member callee_rows[] = {
    {KT_MEMBER(TEXT, struct kt_callee, name), REQUIRED},
    {KT_MEMBER(RANGE, struct kt_callee, extent)},
    {KT_MEMBER(LIST, struct kt_callee, edits), LIST(offsetof(struct kt_callee, edit_count), edits)},
};
static const struct kt_members callees = {KT_MEMBERS_OF(struct kt_callee, callee_rows)};

/* ---- host reference */

static kt_status check_host(void *record, struct kt_member_reader *r)
{
	const struct kt_host_parameter *p = record;
	if (p->buffer < -1 || p->buffer >= (int64_t)r->region->buffer_count || p->variable < -1 ||
	    p->variable >= (int64_t)r->region->variable_count ||
	    (p->buffer >= 0) + (p->argument >= 0) + (p->variable >= 0) != 1)
		return kt_member_bad(r, "a parameter of the host reference stands for nothing");
	return KT_OK;
}

static const struct kt_member host_rows[] = {
    {KT_MEMBER(INT, struct kt_host_parameter, buffer), .absent = -1},
    {KT_MEMBER(ARGUMENT, struct kt_host_parameter, argument)},
    {KT_MEMBER(INT, struct kt_host_parameter, variable), .absent = -1},
};
static const struct kt_members host_parameters = {KT_MEMBERS_OF(struct kt_host_parameter, host_rows), .check = check_host};

#define REFERENCE(kind, member) KT_MEMBER(kind, struct kt_host_reference, member)
static const struct kt_member reference_rows[] = {
    {REFERENCE(TEXT, function), REQUIRED},
    {REFERENCE(LIST, parameters), LIST(offsetof(struct kt_host_reference, parameter_count), host_parameters)},
    {REFERENCE(LIST, drops), LIST(offsetof(struct kt_host_reference, drop_count), kt_members_range)},
};
static const struct kt_members reference_members = {KT_MEMBERS_OF(struct kt_host_reference, reference_rows)};

/* ---- launches */

static const struct kt_member binding_rows[] = {
    {KT_MEMBER(ARGUMENT, struct kt_binding, argument)},
    {KT_MEMBER(TEXT, struct kt_binding, text)},
};
static const struct kt_members bindings_of = {KT_MEMBERS_OF(struct kt_binding, binding_rows)};

static kt_status read_bindings(void *record, struct kt_member_reader *r)
{
	struct kt_launch *l = record;
	size_t bindings = 0;
	if (l->instance < -1 || l->instance >= (int64_t)r->region->instance_count)
		return kt_member_bad(r, "instance is out of range");
	TRY(kt_members_list(&l->bindings, &bindings, "bindings", &bindings_of, r));
	if (bindings != r->region->variable_count && l->decline == NULL)
		return kt_member_bad(r, "bindings do not fit the problem variables");
	return KT_OK;
}

static void print_bindings(const void *record, struct kt_member_printer *p)
{
	const struct kt_launch *l = record;
	const struct kt_region *g = p->whole;
	kt_print_list(p->to, "bindings", l->bindings, l->bindings != NULL ? g->variable_count : 0, &bindings_of, g);
}

#define LEVEL(kind, member) KT_MEMBER(kind, struct kt_launch_level, member)
static const struct kt_member level_rows[] = {
    {LEVEL(TEXT, text), REQUIRED}, {LEVEL(RANGE, use)},   {LEVEL(RANGE, callee)}, {LEVEL(RANGE, open)},
    {LEVEL(RANGE, close)},         {LEVEL(RANGE, end)},   {LEVEL(TEXT, list), EMPTY},
};

static const struct kt_members levels_of = {KT_MEMBERS_OF(struct kt_launch_level, level_rows)};

static const struct kt_member_own bindings_own = {.read = read_bindings, .print = print_bindings};
#define LAUNCH(kind, member) KT_MEMBER(kind, struct kt_launch, member)
static const struct kt_member launch_rows[] = {
    {LAUNCH(TEXT, file), EMPTY},
    {LAUNCH(UINT, line)},
    {LAUNCH(UINT, column)},
    {LAUNCH(TEXT, decline)},
    {LAUNCH(RANGE, callee)},
    {LAUNCH(RANGE, open)},
    {LAUNCH(RANGE, close)},
    {LAUNCH(RANGE, end)},
    {LAUNCH(BOOL, has_arguments)},
    {LAUNCH(BOOL, is_quiet)},
    {LAUNCH(BOOL, is_routed), SPARSE},
    {LAUNCH(BOOL, is_constant), SPARSE},
    {LAUNCH(LIST, levels), LIST(offsetof(struct kt_launch, level_count), levels_of), SPARSE},
    {LAUNCH(INT, instance), .absent = -1},
    {.kind = KT_MEMBER_OWN, .own = &bindings_own},
    {LAUNCH(EXTENTS, grid), .count = offsetof(struct kt_launch, grid_count)},
    {LAUNCH(EXTENTS, block), .count = offsetof(struct kt_launch, block_count)},
    {LAUNCH(EXPR, shared_bytes)},
};
static const struct kt_members launches = {KT_MEMBERS_OF(struct kt_launch, launch_rows)};

#define SITE(kind, member) KT_MEMBER(kind, struct kt_launch_site, member)
static const struct kt_member site_rows[] = {
    {SITE(BOOL, is_function)},
    {SITE(RANGE, callee)},
    {SITE(RANGE, open)},
    {SITE(RANGE, close)},
    {SITE(RANGE, end)},
};
static const struct kt_members sites = {KT_MEMBERS_OF(struct kt_launch_site, site_rows)};

/* ---- steps */

static kt_status check_index(void *record, struct kt_member_reader *r)
{
	return *(const size_t *)record < r->region->argument_count ? KT_OK : kt_member_bad(r, "an argument is out of range");
}

static const struct kt_member index_rows[] = {{.kind = KT_MEMBER_SIZE}};
static const struct kt_members indices = {KT_MEMBERS_OF(size_t, index_rows), .check = check_index};

/* Names of its kernel in each instance; how many there are follows from the region. */
static kt_status read_names(void *record, struct kt_member_reader *r)
{
	struct kt_region_step *s = record;
	size_t names = 0, instances_ = 0, types = 0, symbols = 0;
	TRY(kt_members_list(&s->names, &names, "names", &kt_members_text, r));
	TRY(kt_members_list(&s->instances, &instances_, "instances", &kt_members_text, r));
	TRY(kt_members_list(&s->types, &types, "types", &kt_members_text, r));
	TRY(kt_members_list(&s->symbols, &symbols, "symbols", &kt_members_text, r));
	if (r->region->decline == NULL &&
	    (instances_ != r->region->instance_count || names != s->argument_count ||
	     types != instances_ * s->argument_count || (symbols != 0 && symbols != instances_)))
		return kt_member_bad(r, "step %s does not fit the region", s->kernel);
	return KT_OK;
}

static void print_names(const void *record, struct kt_member_printer *p)
{
	const struct kt_region_step *s = record;
	const struct kt_region *g = p->whole;
	kt_print_texts(p->to, "names", s->names, s->argument_count);
	kt_print_texts(p->to, "instances", s->instances, g->instance_count);
	kt_print_texts(p->to, "types", s->types, g->instance_count * s->argument_count);
	kt_print_texts(p->to, "symbols", s->symbols, g->instance_count);
}

static kt_status check_step(void *record, struct kt_member_reader *r)
{
	struct kt_region_step *s = record;
	s->qualified = s->qualified != NULL ? s->qualified : s->kernel;
	if (r->region->decline == NULL && (s->grid_count == 0 || s->block_count == 0))
		return kt_member_bad(r, "step %s has no geometry", s->kernel);
	return KT_OK;
}

static const struct kt_member_own names_own = {.read = read_names, .print = print_names};
#define STEP(kind, member) KT_MEMBER(kind, struct kt_region_step, member)
static const struct kt_member step_rows[] = {
    {STEP(TEXT, kernel), REQUIRED},
    {STEP(TEXT, qualified)},
    {STEP(UINT, line)},
    {STEP(UINT, column)},
    {STEP(RANGE, extent)},
    {STEP(RANGE, launch)},
    {STEP(BOOL, is_static)},
    {STEP(BOOL, is_extern_c)},
    {STEP(BOOL, in_anonymous_namespace)},
    {STEP(LIST, arguments), LIST(offsetof(struct kt_region_step, argument_count), indices)},
    {.kind = KT_MEMBER_OWN, .own = &names_own},
    {STEP(TEXT, configuration), REQUIRED},
    {STEP(EXTENTS, grid), .count = offsetof(struct kt_region_step, grid_count)},
    {STEP(EXTENTS, block), .count = offsetof(struct kt_region_step, block_count)},
    {STEP(EXPR, shared_bytes)},
};
static const struct kt_members steps = {KT_MEMBERS_OF(struct kt_region_step, step_rows), .check = check_step};

/* What the emitter takes for granted: the text of a step lies in the block, one after the other. */
static kt_status check_steps(const struct kt_region *g, struct kt_member_reader *r)
{
	uint32_t at = g->block_range.begin;
	if (g->step_count > KT_STEPS)
		return kt_member_bad(r, "more than %d steps", KT_STEPS);
	if (g->step_count != 0 && g->decline == NULL && g->launch_count != 1)
		return kt_member_bad(r, "a launch region has one launch");
	for (size_t i = 0; i < g->step_count; i++) {
		if (g->steps[i].launch.begin < at || g->steps[i].launch.end > g->block_range.end)
			return kt_member_bad(r, "steps must ascend inside their block");
		at = g->steps[i].launch.end;
	}
	for (size_t i = 0; g->step_count != 0 && g->decline == NULL && i < g->argument_count; i++)
		if (g->arguments[i].expression == NULL)
			return kt_member_bad(r, "an argument of a launch region has no expression");
	return KT_OK;
}

/* ---- regions */

#define REGION(kind, member) KT_MEMBER(kind, struct kt_region, member)
#define REGION_LIST(members, member) REGION(LIST, member##s), LIST(offsetof(struct kt_region, member##_count), members)
static const struct kt_member head_rows[] = {
    {REGION(TEXT, name), REQUIRED},
    {REGION(TEXT, kernel), EMPTY},
    {REGION(TEXT, qualified)},
    {REGION(TEXT, file), EMPTY},
    {REGION(UINT, line)},
    {REGION(UINT, column)},
    {REGION(TEXT, decline)},
    {REGION(TEXT, decline_detail)},
};
static const struct kt_member signature_rows[] = {
    {REGION_LIST(kt_members_arguments, argument)},
    {.kind = KT_MEMBER_OWN, .own = &kt_region_members_own},
    {REGION_LIST(kt_members_templates, template)},
    {REGION_LIST(kt_members_instances, instance)},
};
static const struct kt_member place_rows[] = {
    {REGION(RANGE, pragma)},
    {REGION(RANGE, declaration)},
    {REGION(RANGE, extent)},
    {REGION(RANGE, attributes)},
    {REGION(RANGE, name_range)},
    {REGION(RANGE, parameters_range)},
    {REGION(RANGE, body)},
    {REGION(UINT, body_line)},
    {REGION(BOOL, is_static)},
    {REGION(BOOL, is_extern_c)},
    {REGION(BOOL, in_anonymous_namespace)},
    {REGION(BOOL, unnamed_outside), SPARSE},
    {REGION(BOOL, is_exported), SPARSE},
    {REGION(BOOL, is_imported), SPARSE},
    {REGION(BOOL, has_namesakes), SPARSE},
    {REGION(TEXT, reopened), .flags = KT_MEMBER_EMPTY | KT_MEMBER_FULL},
};
static const struct kt_member text_rows[] = {
    {REGION_LIST(edits, edit)},
    {REGION_LIST(callees, callee)},
    {REGION_LIST(kt_members_text, constant), SPARSE},
    {REGION_LIST(kt_members_range, drop)},
    {REGION(OBJECT, reference), .item = &reference_members, SPARSE},
};
static const struct kt_member start_rows[] = {
    {REGION(LIST, launches), LIST(offsetof(struct kt_region, launch_count), launches)},
    {REGION(BOOL, is_overloaded), SPARSE},
    {REGION_LIST(sites, site), SPARSE},
};
static const struct kt_member block_rows[] = {
    {REGION(RANGE, block_range)},
    {REGION_LIST(steps, step)},
};
static const struct kt_member hash_rows[] = {
    {REGION(TEXT, closure), EMPTY},
    {REGION(TEXT, near_key), EMPTY},
    {REGION(TEXT, clauses), EMPTY},
};
static const struct kt_members head = {KT_MEMBERS_OF(struct kt_region, head_rows)};
static const struct kt_members signature = {KT_MEMBERS_OF(struct kt_region, signature_rows)};
static const struct kt_members places_of_region = {KT_MEMBERS_OF(struct kt_region, place_rows)};
static const struct kt_members texts = {KT_MEMBERS_OF(struct kt_region, text_rows)};
static const struct kt_members starts = {KT_MEMBERS_OF(struct kt_region, start_rows)};
static const struct kt_members block = {KT_MEMBERS_OF(struct kt_region, block_rows)};
static const struct kt_members hashes = {KT_MEMBERS_OF(struct kt_region, hash_rows)};

/* Callee indices can only be judged once every callee is known. */
static kt_status check_edits(const struct kt_region *g, const struct kt_edit *all, size_t count, struct kt_range in,
                             struct kt_member_reader *r)
{
	uint32_t at = in.begin;
	for (size_t i = 0; i < count; i++) {
		if (all[i].kind == KT_EDIT_CALLEE && all[i].index >= g->callee_count)
			return kt_member_bad(r, "index of a callee is out of range");
		if (all[i].range.begin < at || all[i].range.end > in.end)
			return kt_member_bad(r, "edits must ascend inside their text");
		at = all[i].range.end;
	}
	return KT_OK;
}

static kt_status read_record(struct kt_region *g, struct kt_member_reader *r)
{
	TRY(kt_members_read(g, &signature, r));
	r->arguments = g->argument_count + g->member_count;
	TRY(kt_clauses_read(g, r));
	TRY(kt_members_read(g, &texts, r));
	TRY(kt_members_read(g, &starts, r));
	TRY(kt_members_read(g, &block, r));
	TRY(check_steps(g, r));
	TRY(check_edits(g, g->edits, g->edit_count, g->extent, r));
	for (size_t i = 0; i < g->callee_count; i++)
		TRY(check_edits(g, g->callees[i].edits, g->callees[i].edit_count, g->callees[i].extent, r));
	return KT_OK;
}

kt_status kt_region_read(void *out, struct kt_member_reader *r)
{
	struct kt_region *g = out;
	r->region = g;
	r->depth = 0;
	g->language = r->language;
	TRY(kt_members_read(g, &head, r));
	g->qualified = g->qualified != NULL ? g->qualified : g->kernel;
	TRY(kt_members_read(g, &places_of_region, r));
	TRY(kt_members_read(g, &hashes, r));
	kt_status status = read_record(g, r);
	/* What is declined keeps no other region from being read. */
	if (g->decline == NULL || status == KT_OK || status == KT_ERR_MEMORY)
		return status;
	kt_region_withdraw(g);
	r->err->code = KT_OK;
	return KT_OK;
}

void kt_region_print(cJSON *array, const struct kt_region *g)
{
	cJSON *json = kt_json_append(array);
	kt_print_members(json, g, &head, g);
	kt_clauses_print(json, g);
	kt_print_members(json, g, &signature, g);
	kt_print_members(json, g, &places_of_region, g);
	kt_print_members(json, g, &texts, g);
	kt_print_members(json, g, &starts, g);
	if (g->block_range.end != 0)
		kt_print_members(json, g, &block, g);
	kt_print_members(json, g, &hashes, g);
}
