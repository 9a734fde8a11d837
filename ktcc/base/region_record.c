/* A region as a record: the tables from which it is read and printed, and what its parts take for granted about each other. */
#include <string.h>

#include "base/clause_parts.h"
#include "base/region_print.h"

#define WORDS KT_MEMBER_WORDS
#define LIST(member_count, members) .count = member_count, .item = &(members)
#define REQUIRED .flags = KT_MEMBER_REQUIRED
#define EMPTY .flags = KT_MEMBER_EMPTY
#define SPARSE .flags = KT_MEMBER_SPARSE

/* ---- signature */

#define ARGUMENT(kind, member) KT_MEMBER(kind, struct kt_argument, member)
static const char *const spaces[] = {"private", "global", "constant", "local"};
static const struct kt_member argument_rows[] = {
    {ARGUMENT(TEXT, name), EMPTY},
    {ARGUMENT(TEXT, type), REQUIRED},
    {ARGUMENT(TEXT, default_text)},
    {ARGUMENT(TEXT, expression), SPARSE},
    {ARGUMENT(BOOL, is_pointer)},
    {ARGUMENT(BOOL, is_const)},
    {ARGUMENT(BOOL, is_restrict)},
    {.name = "address_space", .kind = KT_MEMBER_WORD, .offset = offsetof(struct kt_argument, space), WORDS(spaces)},
};
static const struct kt_members arguments = {KT_MEMBERS_OF(struct kt_argument, argument_rows)};

static kt_status check_member(void *record, struct kt_region_reader *r)
{
	const struct kt_argument *a = record;
	return a->parent < r->region->argument_count
	           ? KT_OK
	           : kt_fail(r->err, KT_ERR_INVALID, "member %s is part of no argument", a->name);
}

static const struct kt_member member_rows[] = {
    {ARGUMENT(TEXT, name), REQUIRED},
    {ARGUMENT(TEXT, type), REQUIRED},
    {.name = "argument", .kind = KT_MEMBER_INDEX, .offset = offsetof(struct kt_argument, parent)},
    {ARGUMENT(BOOL, is_pointer)},
    {ARGUMENT(BOOL, is_const)},
    {ARGUMENT(BOOL, is_private)},
};
static const struct kt_members members_of_arguments = {KT_MEMBERS_OF(struct kt_argument, member_rows), .check = check_member};

/* Members are read after the arguments, into the same list. */
static kt_status read_members(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = record;
	struct kt_argument *members = NULL, *all;
	TRY(kt_members_list(&members, &g->member_count, json, "members", &members_of_arguments, r));
	if (g->member_count == 0)
		return KT_OK;
	if (g->member_count > KT_MEMBERS)
		return kt_fail(r->err, KT_ERR_LIMIT, "more than %d members", KT_MEMBERS);
	NEED(all = kt_arena_array(r->arena, g->argument_count + g->member_count, sizeof *all), kt_member_no_memory(r));
	memcpy(all, g->arguments, g->argument_count * sizeof *all);
	memcpy(all + g->argument_count, members, g->member_count * sizeof *all);
	g->arguments = all;
	return KT_OK;
}

static void print_members(cJSON *json, const void *record, const struct kt_region *g)
{
	(void)record;
	if (g->member_count > 0)
		kt_print_list(json, "members", g->arguments + g->argument_count, g->member_count, &members_of_arguments, g);
}

static const struct kt_member_own members_own = {read_members, print_members};

#define TEMPLATE(kind, member) KT_MEMBER(kind, struct kt_template_parameter, member)
static const struct kt_member template_rows[] = {
    {TEMPLATE(TEXT, name), EMPTY},
    {TEMPLATE(TEXT, declaration), REQUIRED},
    {TEMPLATE(TEXT, default_text)},
    {TEMPLATE(BOOL, is_type)},
};
static const struct kt_members templates = {KT_MEMBERS_OF(struct kt_template_parameter, template_rows)};

/* ---- instances */

static kt_status place_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	int64_t value = 0;
	TRY(kt_json_item_int(&value, json, r->err));
	if (value < 0 || value > KT_ARGUMENT_BYTES)
		return kt_fail(r->err, KT_ERR_INVALID, "an argument of %lld bytes", (long long)value);
	*(uint32_t *)out = (uint32_t)value;
	return KT_OK;
}

static void print_place(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, kt_json_create_int(*(const uint32_t *)value));
}

static const struct kt_members places = {.size = sizeof(uint32_t), .read = place_item, .print = print_place};

/* Each member lies in its argument. */
static kt_status read_places(struct kt_instance *i, const cJSON *json, struct kt_region_reader *r)
{
	const struct kt_region *g = r->region;
	size_t bytes = 0, offsets = 0;
	if (g->member_count == 0 && !cJSON_HasObjectItem(json, "bytes"))
		return KT_OK;
	TRY(kt_members_list(&i->bytes, &bytes, json, "bytes", &places, r));
	if (g->member_count > 0)
		TRY(kt_members_list(&i->offsets, &offsets, json, "offsets", &places, r));
	if (bytes != g->argument_count || offsets != g->member_count)
		return kt_fail(r->err, KT_ERR_INVALID, "members of instance %s do not fit", i->name);
	for (size_t m = 0; m < g->member_count; m++) {
		const struct kt_argument *a = &g->arguments[g->argument_count + m];
		const unsigned size = a->is_pointer ? 8 : kt_scalar_bytes(i->elements[g->argument_count + m]);
		if (size == 0 || i->offsets[m] + size > i->bytes[a->parent])
			return kt_fail(r->err, KT_ERR_INVALID, "member %s of instance %s is outside its argument", a->name, i->name);
	}
	return KT_OK;
}

static kt_status element_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	return kt_element_read(out, r->arena, json, r->err);
}

static const struct kt_members elements_of = {.size = sizeof(const struct kt_element *), .read = element_item};

/* Numbers by their type; vectors and structures have a layout each. */
static kt_status read_elements(struct kt_instance *i, size_t *count, const cJSON *json, struct kt_region_reader *r)
{
	const struct kt_element **read = NULL;
	TRY(kt_members_list(&read, count, json, "elements", &elements_of, r));
	i->elements = kt_arena_array(r->arena, *count + 1, sizeof *i->elements);
	i->layouts = kt_arena_array(r->arena, *count + 1, sizeof *i->layouts);
	if (i->elements == NULL || i->layouts == NULL)
		return kt_member_no_memory(r);
	for (size_t a = 0; a < *count; a++) {
		i->elements[a] = kt_element_scalar(read[a]);
		i->layouts[a] = read[a]->number_count > 0 && i->elements[a] == KT_SCALAR_NONE ? read[a] : NULL;
	}
	return KT_OK;
}

#define EXTENTS(member) .count = offsetof(struct kt_extents, member##_count)
static const struct kt_member extents_rows[] = {
    {KT_MEMBER(EXTENTS, struct kt_extents, grid), EXTENTS(grid)},
    {KT_MEMBER(EXTENTS, struct kt_extents, block), EXTENTS(block)},
    {KT_MEMBER(EXPR, struct kt_extents, shared_bytes)},
};
static const struct kt_members extents = {KT_MEMBERS_OF(struct kt_extents, extents_rows)};

/* How the original is launched in this instance, where that differs. */
static kt_status read_extents(struct kt_instance *i, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *own = cJSON_GetObjectItemCaseSensitive(json, "geometry");
	struct kt_extents *e = own != NULL ? kt_arena_alloc(r->arena, sizeof *e) : NULL;
	if (own == NULL)
		return KT_OK;
	NEED(e, kt_member_no_memory(r));
	TRY(kt_members_read(e, own, &extents, r));
	if (e->grid_count == 0 || e->block_count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s has half a geometry", i->name);
	i->extents = e;
	return KT_OK;
}

/* What an instance has of each parameter of the signature and each member. */
static kt_status read_signature(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_instance *i = record;
	const size_t all = r->region->argument_count + r->region->member_count;
	size_t elements = 0, types = 0;
	TRY(read_elements(i, &elements, json, r));
	TRY(kt_members_list(&i->types, &types, json, "types", &kt_members_text, r));
	if (elements != all || types != all)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s does not fit the signature", i->name);
	if (i->argument_count != r->region->template_count)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s does not fit the template", i->name);
	TRY(read_extents(i, json, r));
	return read_places(i, json, r);
}

static void print_signature(cJSON *json, const void *record, const struct kt_region *g)
{
	const struct kt_instance *i = record;
	const size_t all = g->argument_count + g->member_count;
	cJSON *elements = cJSON_AddArrayToObject(json, "elements");
	for (size_t a = 0; a < all; a++)
		(void)cJSON_AddItemToArray(elements, kt_element_print(kt_instance_element(i, a)));
	kt_print_texts(json, "types", i->types, all);
	if (i->extents != NULL)
		kt_print_members(cJSON_AddObjectToObject(json, "geometry"), i->extents, &extents, g);
	if (i->bytes != NULL)
		kt_print_list(json, "bytes", i->bytes, g->argument_count, &places, g);
	if (g->member_count > 0)
		kt_print_list(json, "offsets", i->offsets, g->member_count, &places, g);
}

static const struct kt_member_own signature_own = {read_signature, print_signature};
#define INSTANCE(kind, member) KT_MEMBER(kind, struct kt_instance, member)
static const struct kt_member instance_rows[] = {
    {INSTANCE(TEXT, name), REQUIRED},
    {INSTANCE(TEXT, symbol), SPARSE},
    {INSTANCE(LIST, arguments), LIST(offsetof(struct kt_instance, argument_count), kt_members_text)},
    {.kind = KT_MEMBER_OWN, .own = &signature_own},
};
static const struct kt_members instances = {KT_MEMBERS_OF(struct kt_instance, instance_rows)};

/* ---- edits of the text */

static kt_status check_edit(void *record, struct kt_region_reader *r)
{
	const struct kt_edit *e = record;
	return e->kind == KT_EDIT_PARAMETER && e->index >= r->region->parameter_count
	           ? kt_fail(r->err, KT_ERR_INVALID, "index of a parameter is out of range")
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

static kt_status check_host(void *record, struct kt_region_reader *r)
{
	const struct kt_host_parameter *p = record;
	if (p->buffer < -1 || p->buffer >= (int64_t)r->region->buffer_count || p->variable < -1 ||
	    p->variable >= (int64_t)r->region->variable_count ||
	    (p->buffer >= 0) + (p->argument >= 0) + (p->variable >= 0) != 1)
		return kt_fail(r->err, KT_ERR_INVALID, "a parameter of the host reference stands for nothing");
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

static kt_status read_bindings(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_launch *l = record;
	size_t bindings = 0;
	if (l->instance < -1 || l->instance >= (int64_t)r->region->instance_count)
		return kt_fail(r->err, KT_ERR_INVALID, "instance is out of range");
	TRY(kt_members_list(&l->bindings, &bindings, json, "bindings", &bindings_of, r));
	if (bindings != r->region->variable_count && l->decline == NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "bindings do not fit the problem variables");
	return KT_OK;
}

static void print_bindings(cJSON *json, const void *record, const struct kt_region *g)
{
	const struct kt_launch *l = record;
	kt_print_list(json, "bindings", l->bindings, l->bindings != NULL ? g->variable_count : 0, &bindings_of, g);
}

#define LEVEL(kind, member) KT_MEMBER(kind, struct kt_launch_level, member)
static const struct kt_member level_rows[] = {
    {LEVEL(TEXT, text), REQUIRED}, {LEVEL(RANGE, use)},   {LEVEL(RANGE, callee)}, {LEVEL(RANGE, open)},
    {LEVEL(RANGE, close)},         {LEVEL(RANGE, end)},   {LEVEL(TEXT, list), EMPTY},
};

static const struct kt_members levels_of = {KT_MEMBERS_OF(struct kt_launch_level, level_rows)};

static const struct kt_member_own bindings_own = {read_bindings, print_bindings};
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

static kt_status index_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	int64_t value = 0;
	TRY(kt_json_item_int(&value, json, r->err));
	if (value < 0 || (uint64_t)value >= r->region->argument_count)
		return kt_fail(r->err, KT_ERR_INVALID, "an argument is out of range");
	*(size_t *)out = (size_t)value;
	return KT_OK;
}

static void print_index(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, kt_json_create_int((int64_t)*(const size_t *)value));
}

static const struct kt_members indices = {.size = sizeof(size_t), .read = index_item, .print = print_index};

/* Names of its kernel in each instance; how many there are follows from the region. */
static kt_status read_names(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region_step *s = record;
	size_t names = 0, instances_ = 0, types = 0, symbols = 0;
	TRY(kt_members_list(&s->names, &names, json, "names", &kt_members_text, r));
	TRY(kt_members_list(&s->instances, &instances_, json, "instances", &kt_members_text, r));
	TRY(kt_members_list(&s->types, &types, json, "types", &kt_members_text, r));
	TRY(kt_members_list(&s->symbols, &symbols, json, "symbols", &kt_members_text, r));
	if (r->region->decline == NULL &&
	    (instances_ != r->region->instance_count || names != s->argument_count ||
	     types != instances_ * s->argument_count || (symbols != 0 && symbols != instances_)))
		return kt_fail(r->err, KT_ERR_INVALID, "step %s does not fit the region", s->kernel);
	return KT_OK;
}

static void print_names(cJSON *json, const void *record, const struct kt_region *g)
{
	const struct kt_region_step *s = record;
	kt_print_texts(json, "names", s->names, s->argument_count);
	kt_print_texts(json, "instances", s->instances, g->instance_count);
	kt_print_texts(json, "types", s->types, g->instance_count * s->argument_count);
	kt_print_texts(json, "symbols", s->symbols, g->instance_count);
}

static kt_status check_step(void *record, struct kt_region_reader *r)
{
	struct kt_region_step *s = record;
	s->qualified = s->qualified != NULL ? s->qualified : s->kernel;
	if (r->region->decline == NULL && (s->grid_count == 0 || s->block_count == 0))
		return kt_fail(r->err, KT_ERR_INVALID, "step %s has no geometry", s->kernel);
	return KT_OK;
}

static const struct kt_member_own names_own = {read_names, print_names};
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
static kt_status check_steps(const struct kt_region *g, struct kt_region_reader *r)
{
	uint32_t at = g->block_range.begin;
	if (g->step_count > KT_STEPS)
		return kt_fail(r->err, KT_ERR_LIMIT, "more than %d steps", KT_STEPS);
	if (g->step_count != 0 && g->decline == NULL && g->launch_count != 1)
		return kt_fail(r->err, KT_ERR_INVALID, "a launch region has one launch");
	for (size_t i = 0; i < g->step_count; i++) {
		if (g->steps[i].launch.begin < at || g->steps[i].launch.end > g->block_range.end)
			return kt_fail(r->err, KT_ERR_INVALID, "steps must ascend inside their block");
		at = g->steps[i].launch.end;
	}
	for (size_t i = 0; g->step_count != 0 && g->decline == NULL && i < g->argument_count; i++)
		if (g->arguments[i].expression == NULL)
			return kt_fail(r->err, KT_ERR_INVALID, "an argument of a launch region has no expression");
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
    {REGION_LIST(arguments, argument)},
    {.kind = KT_MEMBER_OWN, .own = &members_own},
    {REGION_LIST(templates, template)},
    {REGION_LIST(instances, instance)},
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
    {REGION(OBJECT, reference), .item = &reference_members},
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
                             struct kt_region_reader *r)
{
	uint32_t at = in.begin;
	for (size_t i = 0; i < count; i++) {
		if (all[i].kind == KT_EDIT_CALLEE && all[i].index >= g->callee_count)
			return kt_fail(r->err, KT_ERR_INVALID, "index of a callee is out of range");
		if (all[i].range.begin < at || all[i].range.end > in.end)
			return kt_fail(r->err, KT_ERR_INVALID, "edits must ascend inside their text");
		at = all[i].range.end;
	}
	return KT_OK;
}

static kt_status read_record(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_members_read(g, json, &signature, r));
	TRY(kt_clauses_read(g, json, r));
	TRY(kt_members_read(g, json, &texts, r));
	TRY(kt_members_read(g, json, &starts, r));
	TRY(kt_members_read(g, json, &block, r));
	TRY(check_steps(g, r));
	TRY(check_edits(g, g->edits, g->edit_count, g->extent, r));
	for (size_t i = 0; i < g->callee_count; i++)
		TRY(check_edits(g, g->callees[i].edits, g->callees[i].edit_count, g->callees[i].extent, r));
	return KT_OK;
}

static kt_status region_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = out;
	r->region = g;
	r->depth = 0;
	g->language = r->language;
	TRY(kt_members_read(g, json, &head, r));
	g->qualified = g->qualified != NULL ? g->qualified : g->kernel;
	TRY(kt_members_read(g, json, &places_of_region, r));
	TRY(kt_members_read(g, json, &hashes, r));
	kt_status status = read_record(g, json, r);
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

/* ---- units */

static kt_status read_include(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_flat_include *include = record;
	struct kt_range range = {0, 0};
	TRY(kt_member_range_or(&range, json, "range", r));
	include->begin = range.begin;
	include->end = range.end;
	return KT_OK;
}

static void print_include(cJSON *json, const void *record, const struct kt_region *g)
{
	const struct kt_flat_include *include = record;
	(void)g;
	kt_print_range(json, "range", (struct kt_range){include->begin, include->end});
}

static const struct kt_member_own include_own = {read_include, print_include};
static const struct kt_member include_rows[] = {
    {.kind = KT_MEMBER_OWN, .own = &include_own},
    {KT_MEMBER(SIZE, struct kt_flat_include, file)},
    {KT_MEMBER(BOOL, struct kt_flat_include, entered)},
};
static const struct kt_members includes = {KT_MEMBERS_OF(struct kt_flat_include, include_rows)};

static const struct kt_member flat_rows[] = {
    {KT_MEMBER(TEXT, struct kt_flat_file, path), REQUIRED},
    {KT_MEMBER(BOOL, struct kt_flat_file, is_system)},
    {KT_MEMBER(LIST, struct kt_flat_file, includes), LIST(offsetof(struct kt_flat_file, include_count), includes)},
};
static const struct kt_members flat_files = {KT_MEMBERS_OF(struct kt_flat_file, flat_rows)};

void kt_flat_print(cJSON *json, const struct kt_flat *flat)
{
	kt_print_list(json, "text", flat->files, flat->file_count, &flat_files, NULL);
}

static kt_status check_flat(const struct kt_flat *flat, struct kt_region_reader *r)
{
	for (size_t i = 0; i < flat->file_count; i++)
		for (size_t k = 0; k < flat->files[i].include_count; k++)
			if (flat->files[i].includes[k].file >= flat->file_count)
				return kt_fail(r->err, KT_ERR_INVALID, "an include leads to no file of the text");
	return KT_OK;
}

static const char *const languages[] = {KT_TARGETS(KT_TARGET_NAME)};
static const struct kt_members regions = {.size = sizeof(struct kt_region), .read = region_item};
#define UNIT(kind, member) KT_MEMBER(kind, struct kt_unit, member)
#define UNIT_LIST(members, member) UNIT(LIST, member##s), LIST(offsetof(struct kt_unit, member##_count), members)
static const struct kt_member language_rows[] = {
    {UNIT(WORD, language), WORDS(languages)},
    {UNIT(TEXT, file), EMPTY},
};
static const struct kt_member unit_rows[] = {
    {UNIT_LIST(regions, region)},
    {UNIT_LIST(kt_members_text, file)},
    {UNIT_LIST(kt_members_text, system_file)},
    {.name = "text",
     .kind = KT_MEMBER_LIST,
     .offset = offsetof(struct kt_unit, flat.files),
     LIST(offsetof(struct kt_unit, flat.file_count), flat_files)},
    {UNIT(LIST, absent), LIST(offsetof(struct kt_unit, absent_count), kt_members_text)},
    {UNIT(TEXT, diagnostics), EMPTY},
    {UNIT(BOOL, has_errors)},
};
static const struct kt_members language_members = {KT_MEMBERS_OF(struct kt_unit, language_rows)};
static const struct kt_members unit_members = {KT_MEMBERS_OF(struct kt_unit, unit_rows)};

kt_status kt_unit_read(struct kt_unit **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct kt_region_reader r = {.arena = arena, .err = err};
	struct kt_unit *unit;
	NEED(unit = kt_arena_alloc(arena, sizeof *unit), kt_member_no_memory(&r));
	TRY(kt_members_read(unit, json, &language_members, &r));
	r.language = unit->language;
	TRY(kt_members_read(unit, json, &unit_members, &r));
	TRY(check_flat(&unit->flat, &r));
	for (size_t i = 0; i < unit->region_count; i++)
		if (!kt_region_divide(arena, &unit->regions[i]))
			return kt_member_no_memory(&r);
	*out = unit;
	return KT_OK;
}
