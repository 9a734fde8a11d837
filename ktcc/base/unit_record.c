/* A unit as a record: its regions and its text. */
#include "base/region_tables.h"

static const struct kt_member include_rows[] = {
    {.name = "range", .kind = KT_MEMBER_RANGE, .offset = offsetof(struct kt_flat_include, begin)},
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

static kt_status check_flat(const struct kt_flat *flat, struct kt_member_reader *r)
{
	for (size_t i = 0; i < flat->file_count; i++)
		for (size_t k = 0; k < flat->files[i].include_count; k++)
			if (flat->files[i].includes[k].file >= flat->file_count)
				return kt_member_bad(r, "an include leads to no file of the text");
	return KT_OK;
}

static const char *const languages[] = {KT_TARGETS(KT_TARGET_NAME)};
static const struct kt_member_own region_own = {.read = kt_region_read};
static const struct kt_member region_rows[] = {{.kind = KT_MEMBER_OWN, .own = &region_own}};
static const struct kt_members regions = {KT_MEMBERS_OF(struct kt_region, region_rows)};
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
	const struct kt_json_place root = {.json = json};
	struct kt_member_reader r = {.arena = arena, .err = err, .at = &root};
	struct kt_unit *unit;
	NEED(unit = kt_arena_alloc(arena, sizeof *unit), kt_no_memory(err));
	TRY(kt_members_read(unit, &language_members, &r));
	r.language = unit->language;
	TRY(kt_members_read(unit, &unit_members, &r));
	TRY(check_flat(&unit->flat, &r));
	for (size_t i = 0; i < unit->region_count; i++)
		if (!kt_region_divide(arena, &unit->regions[i]))
			return kt_no_memory(err);
	*out = unit;
	return KT_OK;
}
