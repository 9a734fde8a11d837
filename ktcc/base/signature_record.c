/* Of a region as a record: its signature and its instances. */
#include <string.h>

#include "base/region_tables.h"

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
const struct kt_members kt_members_arguments = {KT_MEMBERS_OF(struct kt_argument, argument_rows)};

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

const struct kt_member_own kt_region_members_own = {read_members, print_members};

#define TEMPLATE(kind, member) KT_MEMBER(kind, struct kt_template_parameter, member)
static const struct kt_member template_rows[] = {
    {TEMPLATE(TEXT, name), EMPTY},
    {TEMPLATE(TEXT, declaration), REQUIRED},
    {TEMPLATE(TEXT, default_text)},
    {TEMPLATE(BOOL, is_type)},
};
const struct kt_members kt_members_templates = {KT_MEMBERS_OF(struct kt_template_parameter, template_rows)};

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
const struct kt_members kt_members_instances = {KT_MEMBERS_OF(struct kt_instance, instance_rows)};
