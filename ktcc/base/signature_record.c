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

static kt_status check_member(void *record, struct kt_member_reader *r)
{
	const struct kt_argument *a = record;
	return a->parent < r->region->argument_count
	           ? KT_OK
	           : kt_member_bad(r, "member %s is part of no argument", a->name);
}

static const struct kt_member member_rows[] = {
    {ARGUMENT(TEXT, name), REQUIRED},
    {ARGUMENT(TEXT, type), REQUIRED},
    {.name = "argument", .kind = KT_MEMBER_SIZE, .offset = offsetof(struct kt_argument, parent), REQUIRED},
    {ARGUMENT(BOOL, is_pointer)},
    {ARGUMENT(BOOL, is_const)},
    {ARGUMENT(BOOL, is_private)},
};
static const struct kt_members members_of_arguments = {KT_MEMBERS_OF(struct kt_argument, member_rows), .check = check_member};

/* Members are read after the arguments, into the same list. */
static kt_status read_members(void *record, struct kt_member_reader *r)
{
	struct kt_region *g = record;
	struct kt_argument *members = NULL, *all;
	TRY(kt_members_list(&members, &g->member_count, "members", &members_of_arguments, r));
	if (g->member_count == 0)
		return KT_OK;
	if (g->member_count > KT_MEMBERS)
		return kt_member_bad(r, "more than %d members", KT_MEMBERS);
	NEED(all = kt_arena_array(r->arena, g->argument_count + g->member_count, sizeof *all), kt_no_memory(r->err));
	memcpy(all, g->arguments, g->argument_count * sizeof *all);
	memcpy(all + g->argument_count, members, g->member_count * sizeof *all);
	g->arguments = all;
	return KT_OK;
}

static void print_members(const void *record, struct kt_member_printer *p)
{
	const struct kt_region *g = record;
	if (g->member_count > 0)
		kt_print_list(p->to, "members", g->arguments + g->argument_count, g->member_count, &members_of_arguments, g);
}

const struct kt_member_own kt_region_members_own = {.read = read_members, .print = print_members};

#define TEMPLATE(kind, member) KT_MEMBER(kind, struct kt_template_parameter, member)
static const struct kt_member template_rows[] = {
    {TEMPLATE(TEXT, name), EMPTY},
    {TEMPLATE(TEXT, declaration), REQUIRED},
    {TEMPLATE(TEXT, default_text)},
    {TEMPLATE(BOOL, is_type)},
};
const struct kt_members kt_members_templates = {KT_MEMBERS_OF(struct kt_template_parameter, template_rows)};

/* ---- instances */

static kt_status check_place(void *record, struct kt_member_reader *r)
{
	const uint32_t *bytes = record;
	return *bytes <= KT_ARGUMENT_BYTES ? KT_OK : kt_member_bad(r, "an argument of %u bytes", *bytes);
}

static const struct kt_member place_rows[] = {{.kind = KT_MEMBER_UINT}};
static const struct kt_members places = {KT_MEMBERS_OF(uint32_t, place_rows), .check = check_place};

static const struct kt_member element_rows[] = {{.kind = KT_MEMBER_ELEMENT}};
static const struct kt_members elements_of = {KT_MEMBERS_OF(const struct kt_element *, element_rows)};

/* Numbers by their type; vectors and structures have a layout each. */
static kt_status read_elements(struct kt_instance *i, size_t *count, struct kt_member_reader *r)
{
	const struct kt_element **read = NULL;
	TRY(kt_members_list(&read, count, "elements", &elements_of, r));
	i->elements = kt_arena_array(r->arena, *count + 1, sizeof *i->elements);
	i->layouts = kt_arena_array(r->arena, *count + 1, sizeof *i->layouts);
	if (i->elements == NULL || i->layouts == NULL)
		return kt_no_memory(r->err);
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
static kt_status check_extents(void *record, struct kt_member_reader *r)
{
	const struct kt_extents *e = record;
	return e->grid_count != 0 && e->block_count != 0 ? KT_OK : kt_member_bad(r, "an instance has half a geometry");
}

/* How the original is launched in an instance, where that differs. */
static const struct kt_members extents = {KT_MEMBERS_OF(struct kt_extents, extents_rows), .check = check_extents};

/* What an instance has of each parameter of the signature and each member. */
static kt_status read_signature(void *record, struct kt_member_reader *r)
{
	struct kt_instance *i = record;
	const size_t all = r->region->argument_count + r->region->member_count;
	size_t elements = 0, types = 0;
	TRY(read_elements(i, &elements, r));
	TRY(kt_members_list(&i->types, &types, "types", &kt_members_text, r));
	if (elements != all || types != all)
		return kt_member_bad(r, "instance %s does not fit the signature", i->name);
	if (i->argument_count != r->region->template_count)
		return kt_member_bad(r, "instance %s does not fit the template", i->name);
	return KT_OK;
}

static void print_signature(const void *record, struct kt_member_printer *p)
{
	const struct kt_instance *i = record;
	const struct kt_region *g = p->whole;
	const size_t all = g->argument_count + g->member_count;
	cJSON *elements = cJSON_AddArrayToObject(p->to, "elements");
	for (size_t a = 0; a < all; a++)
		(void)cJSON_AddItemToArray(elements, kt_element_print(kt_instance_element(i, a)));
	kt_print_texts(p->to, "types", i->types, all);
}

/* Each member lies in its argument. */
static kt_status read_places(void *record, struct kt_member_reader *r)
{
	struct kt_instance *i = record;
	const struct kt_region *g = r->region;
	size_t bytes = 0, offsets = 0;
	if (g->member_count == 0 && !cJSON_HasObjectItem(r->at->json, "bytes"))
		return KT_OK;
	TRY(kt_members_list(&i->bytes, &bytes, "bytes", &places, r));
	if (g->member_count > 0)
		TRY(kt_members_list(&i->offsets, &offsets, "offsets", &places, r));
	if (bytes != g->argument_count || offsets != g->member_count)
		return kt_member_bad(r, "members of instance %s do not fit", i->name);
	for (size_t m = 0; m < g->member_count; m++) {
		const struct kt_argument *a = &g->arguments[g->argument_count + m];
		const unsigned size = a->is_pointer ? 8 : kt_scalar_bytes(i->elements[g->argument_count + m]);
		if (size == 0 || i->offsets[m] + size > i->bytes[a->parent])
			return kt_member_bad(r, "member %s of instance %s is outside its argument", a->name, i->name);
	}
	return KT_OK;
}

static void print_places(const void *record, struct kt_member_printer *p)
{
	const struct kt_instance *i = record;
	const struct kt_region *g = p->whole;
	if (i->bytes != NULL)
		kt_print_list(p->to, "bytes", i->bytes, g->argument_count, &places, g);
	if (g->member_count > 0)
		kt_print_list(p->to, "offsets", i->offsets, g->member_count, &places, g);
}

static const struct kt_member_own signature_own = {.read = read_signature, .print = print_signature},
                                  places_own = {.read = read_places, .print = print_places};
#define INSTANCE(kind, member) KT_MEMBER(kind, struct kt_instance, member)
static const struct kt_member instance_rows[] = {
    {INSTANCE(TEXT, name), REQUIRED},
    {INSTANCE(TEXT, symbol), SPARSE},
    {INSTANCE(LIST, arguments), LIST(offsetof(struct kt_instance, argument_count), kt_members_text)},
    {.kind = KT_MEMBER_OWN, .own = &signature_own},
    {.name = "geometry", .kind = KT_MEMBER_POINTER, .offset = offsetof(struct kt_instance, extents), .item = &extents},
    {.kind = KT_MEMBER_OWN, .own = &places_own},
};
const struct kt_members kt_members_instances = {KT_MEMBERS_OF(struct kt_instance, instance_rows)};
