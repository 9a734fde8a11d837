/* An entry as a record: the table of docs/store.md, "An entry", from which it is read, printed and hashed. */
#include <string.h>

#include "base/expr.h"
#include "store/entry_record.h"

#define COUNT_MOST ((int64_t)1 << 53)
#define UNLISTED_MOST 64
#define BYTES_MOST ((int64_t)1 << 32)

/* The entry with what only its text has. The entry comes first: functions of members get the one as the other. */
struct frame {
	struct kt_entry entry;
	int64_t format;
	const char *hash, *state;
};
#define IN_ENTRY(member) .offset = offsetof(struct kt_entry, member)
#define IN_FRAME(member) .offset = offsetof(struct frame, member)

/* ---- parameters and their values */

static kt_status read_configuration(void *record, struct kt_member_reader *r)
{
	struct kt_entry *entry = record;
	kt_status status = kt_member_values(&entry->parameters, &entry->configuration, &entry->parameter_count, r);
	return status == KT_OK && entry->parameter_count == 0 && !entry->baseline_best
	           ? kt_member_bad(r, "no parameter") : status;
}

static void print_configuration(const void *record, struct kt_member_printer *p)
{
	const struct kt_entry *entry = record;
	kt_print_value(p, kt_member_values_json(entry->parameters, entry->configuration, entry->parameter_count));
}

/* ---- lists of variants, sizes and pointers */

static const struct kt_member_names of_parameters = {offsetof(struct kt_entry, parameters), offsetof(struct kt_entry, parameter_count),
                                                    "not the parameters of the general configuration"};
static const struct kt_member_names of_problems = {offsetof(struct kt_entry, variables), offsetof(struct kt_entry, variable_count),
                                                  "not the variables of the problems"};

/* A list of this member of the entry, whose number is `counted`. */
#define LIST_OF(member, counted, limit, words, record) \
	.kind = KT_MEMBER_LIST, IN_ENTRY(member), KT_MEMBER_ITEMS(struct kt_entry, counted, record), .low = 1, .high = limit, \
	.what = words, .flags = KT_MEMBER_SPARSE

#define IN_SPECIAL(member) .offset = offsetof(struct kt_special, member)
static const struct kt_member special_resource_fields[] = {
    {.name = "registers", .kind = KT_MEMBER_INT, IN_SPECIAL(registers), .high = 1024},
    {.name = "local_bytes", .kind = KT_MEMBER_INT, IN_SPECIAL(local_bytes), .high = BYTES_MOST},
    {.name = "shared_bytes", .kind = KT_MEMBER_INT, IN_SPECIAL(shared_bytes), .high = BYTES_MOST},
};
static const struct kt_members special_resources = {KT_MEMBERS_CLOSED(struct kt_special, special_resource_fields)};
static const struct kt_member special_fields[] = {
    {.name = "when", .kind = KT_MEMBER_PLAIN, IN_SPECIAL(when)},
    {.name = "configuration", .kind = KT_MEMBER_NUMBERS, IN_SPECIAL(configuration), .names = &of_parameters},
    {.name = "resources", .kind = KT_MEMBER_OBJECT, .item = &special_resources},
};
static const struct kt_members special_record = {KT_MEMBERS_CLOSED(struct kt_special, special_fields)};

/* Sizes that no problem lists. */
static kt_status check_unlisted(void *item, struct kt_member_reader *r)
{
	const int64_t variant = ((struct kt_unlisted *)item)->variant;
	return variant <= (int64_t)((const struct kt_entry *)r->whole)->special_count
	           ? KT_OK : kt_member_bad(r, "there is no variant %lld", (long long)variant);
}

#define IN_UNLISTED(member) .offset = offsetof(struct kt_unlisted, member)
static const struct kt_member unlisted_fields[] = {
    {.name = "problem", .kind = KT_MEMBER_NUMBERS, IN_UNLISTED(values), .names = &of_problems},
    {.name = "variant", .kind = KT_MEMBER_INT, IN_UNLISTED(variant), .low = KT_UNLISTED_ORIGINAL, .high = KT_SPECIALS_MOST,
     .flags = KT_MEMBER_SPARSE},
    {.name = "baseline_ns", .kind = KT_MEMBER_TIME, IN_UNLISTED(baseline_ns), .low = 1},
    {.name = "tuned_ns", .kind = KT_MEMBER_TIME, IN_UNLISTED(tuned_ns), .low = 1},
};
static const struct kt_members unlisted_record = {KT_MEMBERS_CLOSED(struct kt_unlisted, unlisted_fields), .check = check_unlisted};

/* Variants that are for pointers at multiples of KT_ALIGNED_BYTES alone. */
static kt_status check_aligned(void *item, struct kt_member_reader *r)
{
	const struct kt_entry *entry = r->whole;
	const int64_t variant = ((struct kt_aligned *)item)->variant;
	return variant <= (int64_t)entry->special_count && (variant != 0 || !entry->baseline_best)
	           ? KT_OK : kt_member_bad(r, "there is no variant %lld", (long long)variant);
}

static const struct kt_member aligned_fields[] = {
    {.name = "variant", .kind = KT_MEMBER_INT, .offset = offsetof(struct kt_aligned, variant), .high = KT_SPECIALS_MOST, .flags = KT_MEMBER_SPARSE},
    {.name = "argument", .kind = KT_MEMBER_IDENTIFIER, .offset = offsetof(struct kt_aligned, argument)},
};
static const struct kt_members aligned_record = {KT_MEMBERS_CLOSED(struct kt_aligned, aligned_fields), .check = check_aligned};

/* ---- the energy of an entry that was chosen by it */

#define IN_POINT(member) .offset = offsetof(struct kt_energy_point, member)
static const struct kt_member point_fields[] = {
    {.name = "configuration", .kind = KT_MEMBER_NUMBERS, IN_POINT(configuration), .names = &of_parameters, .flags = KT_MEMBER_SPARSE},
    {.name = "time_ns", .kind = KT_MEMBER_TIME, IN_POINT(time_ns), .low = 1},
    {.name = "energy_uj", .kind = KT_MEMBER_TIME, IN_POINT(energy_uj), .low = 1},
};
static const struct kt_members point_record = {KT_MEMBERS_CLOSED(struct kt_energy_point, point_fields)};
static const struct kt_member energy_fields[] = {
    {.name = "objective", .kind = KT_MEMBER_PLAIN, IN_ENTRY(objective), .schema = "{\"enum\":[\"energy\",\"edp\"]}"},
    {.name = "error_permille", .kind = KT_MEMBER_INT, IN_ENTRY(energy_error), .high = 1000000},
    {.name = "points", LIST_OF(points, point_count, KT_ENERGY_POINTS, "points", point_record)},
};
static const struct kt_members energy_record = {KT_MEMBERS_CLOSED(struct kt_entry, energy_fields)};

static kt_status read_energy(void *record, struct kt_member_reader *r)
{
	const struct kt_entry *entry = record;
	TRY(kt_members_read(record, &energy_record, r));
	return strcmp(entry->objective, "energy") != 0 && strcmp(entry->objective, "edp") != 0
		   ? kt_member_bad(r, "energy or edp expected as the objective")
		   : KT_OK;
}

static void print_energy(const void *record, struct kt_member_printer *p)
{
	const struct kt_entry *entry = record;
	if (entry->objective != NULL)
		kt_print_value(p, kt_members_json(entry, &energy_record));
}

static const struct kt_member_own energy_own = {.read = read_energy, .print = print_energy, .like = &energy_record};

/* ---- how the variants were made */

size_t kt_entry_configurations(const int64_t **out, const struct kt_entry *entry)
{
	size_t count = 0;
	if (!entry->baseline_best)
		out[count++] = entry->configuration;
	for (size_t i = 0; i < entry->special_count; i++)
		out[count++] = entry->specials[i].configuration;
	return count;
}

static kt_status recipe_of(struct kt_recipe **out, struct kt_arena *arena, const struct kt_entry *entry,
                           struct kt_error *err)
{
	const int64_t *configurations[KT_SPECIALS_MOST + 1];
	return entry->special_count <= KT_SPECIALS_MOST
	           ? kt_recipe_make(out, arena, entry->template_, configurations,
	                            kt_entry_configurations(configurations, entry), err)
	           : kt_fail(err, KT_ERR_LIMIT, "%zu specialised variants", entry->special_count);
}

static kt_status read_recipe(void *record, struct kt_member_reader *r)
{
	struct kt_entry *entry = record;
	struct kt_recipe *recipe;
	NEED(recipe = kt_arena_alloc(r->arena, sizeof *recipe),
	     kt_fail(r->err, KT_ERR_MEMORY, "out of memory reading an entry"));
	memset(recipe, 0, sizeof *recipe);
	entry->recipe = recipe;
	return kt_members_read(recipe, &kt_recipe_record, r);
}

static void print_recipe(const void *record, struct kt_member_printer *p)
{
	const struct kt_entry *entry = record;
	const struct kt_recipe *recipe = entry->recipe;
	struct kt_arena *arena = NULL;
	struct kt_recipe *made = NULL;
	struct kt_error ignored;
	if (recipe == NULL && entry->template_ != NULL && kt_generator_has_recipes(entry->generator) && kt_entry_has_variant(entry)) {
		arena = kt_arena_new(KT_ARENA_REGION_BYTES);
		p->failed = p->failed || arena == NULL || recipe_of(&made, arena, entry, &ignored) != KT_OK;
		recipe = made;
	}
	if (recipe != NULL && !p->failed)
		kt_print_value(p, kt_members_json(recipe, &kt_recipe_record));
	kt_arena_free(arena);
}

/* The text of a model: over the parameters of the entry, in their order. */
static kt_status read_template(void *record, struct kt_member_reader *r)
{
	struct kt_entry *entry = record;
	struct kt_template *read;
	struct kt_error why;
	if (kt_template_read(&read, r->arena, r->at->json, &why) != KT_OK)
		return kt_fail(r->err, why.code, "/template%s", why.message);
	entry->template_ = read;
	bool same = read->parameter_count == entry->parameter_count;
	for (size_t i = 0; same && i < entry->parameter_count; i++)
		same = strcmp(read->parameters[i].name, entry->parameters[i]) == 0;
	if (!same)
		return kt_member_bad(r, "its parameters are not the configuration's");
	if (read->is_specialised)
		return kt_member_bad(r, "its text is none of a model");
	return strcmp(read->generator, entry->generator) == 0
	           ? KT_OK : kt_member_bad(r, "its generator is not the provenance's");
}

/* What can be made again is never kept. */
static void print_template(const void *record, struct kt_member_printer *p)
{
	const struct kt_entry *entry = record;
	if (entry->template_ != NULL && !kt_generator_has_recipes(entry->generator))
		kt_print_value(p, kt_template_json(entry->template_));
}

/* ---- the tables */

static const struct kt_member_own configuration_own = {.read = read_configuration, .print = print_configuration};
static const struct kt_member_own recipe_own = {.read = read_recipe, .print = print_recipe, .like = &kt_recipe_record};
static const struct kt_member_own template_own = {.read = read_template, .print = print_template, .like = &kt_template_record};

static const struct kt_member key_fields[] = {
    {.name = "region", .kind = KT_MEMBER_HASH, IN_ENTRY(region_key)},
    {.name = "near", .kind = KT_MEMBER_HASH, IN_ENTRY(near_key)},
    {.name = "closure", .kind = KT_MEMBER_HASH, IN_ENTRY(closure)},
    {.name = "device", .kind = KT_MEMBER_HASH, IN_ENTRY(device_key)},
};
/* Identity only: clocks and limits of one machine would make another machine's file differ. */
static const struct kt_member device_fields[] = {
    {.name = "vendor", .kind = KT_MEMBER_PLAIN, IN_ENTRY(device.vendor)},
    {.name = "name", .kind = KT_MEMBER_PLAIN, IN_ENTRY(device.name)},
    {.name = "cc", .kind = KT_MEMBER_INT, IN_ENTRY(device.cc), .high = 9999},
    {.name = "multiprocessors", .kind = KT_MEMBER_INT, IN_ENTRY(device.multiprocessors), .low = 1, .high = 1 << 20},
    {.name = "memory_bus_bits", .kind = KT_MEMBER_INT, IN_ENTRY(device.memory_bus_bits), .high = 1 << 20},
    {.name = "l2_bytes", .kind = KT_MEMBER_INT, IN_ENTRY(device.l2_bytes), .high = (int64_t)1 << 40},
};
static const struct kt_member resource_fields[] = {
    {.name = "registers", .kind = KT_MEMBER_INT, IN_ENTRY(registers), .high = 1024},
    {.name = "local_bytes", .kind = KT_MEMBER_INT, IN_ENTRY(local_bytes), .high = BYTES_MOST},
    {.name = "shared_bytes", .kind = KT_MEMBER_INT, IN_ENTRY(shared_bytes), .high = BYTES_MOST},
};
static const struct kt_member search_fields[] = {
    {.name = "tried", .kind = KT_MEMBER_INT, IN_ENTRY(tried), .high = COUNT_MOST},
    {.name = "legal", .kind = KT_MEMBER_INT, IN_ENTRY(legal), .high = COUNT_MOST},
    {.name = "state", .kind = KT_MEMBER_PLAIN, IN_FRAME(state), .flags = KT_MEMBER_SPARSE,
     .schema = "{\"enum\":[\"exhausted\",\"measured\",\"trials\",\"budget\"]}"},
};
static const struct kt_member author_fields[] = {
    {.name = "model", .kind = KT_MEMBER_LINE, IN_ENTRY(author.model)},
    {.name = "when", .kind = KT_MEMBER_LINE, IN_ENTRY(author.when)},
    {.name = "question", .kind = KT_MEMBER_HASH, IN_ENTRY(author.question)},
    {.name = "answer", .kind = KT_MEMBER_HASH, IN_ENTRY(author.answer)},
};
static const struct kt_member verification_fields[] = {
    {.name = "checks", .kind = KT_MEMBER_INT, IN_ENTRY(checks), .high = COUNT_MOST},
    {.name = "watched_by", .kind = KT_MEMBER_PLAIN, IN_ENTRY(watched_by), .flags = KT_MEMBER_SPARSE},
};
static const struct kt_member stability_fields[] = {
    {.name = "blocks", .kind = KT_MEMBER_INT, IN_ENTRY(stability.blocks), .high = COUNT_MOST},
    {.name = "throttled", .kind = KT_MEMBER_INT, IN_ENTRY(stability.throttled), .high = COUNT_MOST},
    {.name = "repeats", .kind = KT_MEMBER_INT, IN_ENTRY(stability.repeats), .high = COUNT_MOST},
    {.name = "sm_mhz_least", .kind = KT_MEMBER_INT, IN_ENTRY(stability.sm_mhz_least), .high = 1 << 20},
    {.name = "sm_mhz_most", .kind = KT_MEMBER_INT, IN_ENTRY(stability.sm_mhz_most), .high = 1 << 20},
    {.name = "celsius_most", .kind = KT_MEMBER_INT, IN_ENTRY(stability.celsius_most), .high = 1000},
    {.name = "watts_most", .kind = KT_MEMBER_INT, IN_ENTRY(stability.watts_most), .high = 1 << 20},
};
#define OF_ENTRY(fields) {KT_MEMBERS_CLOSED(struct kt_entry, fields)}
static const struct kt_members keys = OF_ENTRY(key_fields), device = OF_ENTRY(device_fields), resources = OF_ENTRY(resource_fields),
                               search = OF_ENTRY(search_fields), author = OF_ENTRY(author_fields),
                               verification = OF_ENTRY(verification_fields), stability = OF_ENTRY(stability_fields);
static const struct kt_member provenance_fields[] = {
    {.name = "tool", .kind = KT_MEMBER_LINE, IN_ENTRY(tool)},
    {.name = "generator", .kind = KT_MEMBER_LINE, IN_ENTRY(generator)},
    {.name = "toolkit", .kind = KT_MEMBER_LINE, IN_ENTRY(toolkit)},
    {.name = "driver", .kind = KT_MEMBER_LINE, IN_ENTRY(driver)},
    {.name = "date", .kind = KT_MEMBER_LINE, IN_ENTRY(date)},
    {.name = "author", .kind = KT_MEMBER_OBJECT, .item = &author, .flags = KT_MEMBER_SPARSE},
    {.name = "verification", .kind = KT_MEMBER_OBJECT, .item = &verification, .flags = KT_MEMBER_SPARSE},
    {.name = "stability", .kind = KT_MEMBER_OBJECT, .item = &stability, .flags = KT_MEMBER_SPARSE},
};
static const struct kt_members provenance = OF_ENTRY(provenance_fields);
static const struct kt_member signature_fields[] = {
    {.name = "key", .kind = KT_MEMBER_HASH, IN_ENTRY(signature.key)},
    {.name = "value", .kind = KT_MEMBER_PLAIN, IN_ENTRY(signature.value),
     .schema = "{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{128}$\"}"},
};
static const struct kt_members signature = OF_ENTRY(signature_fields);
static const struct kt_member entry_fields[] = {
    {.name = "ktune", .kind = KT_MEMBER_INT, IN_FRAME(format), .low = 1, .high = KT_ENTRY_FORMAT},
    {.name = "name", .kind = KT_MEMBER_IDENTIFIER, IN_ENTRY(name)},
    {.name = "kernel", .kind = KT_MEMBER_PLAIN, IN_ENTRY(kernel)},
    {.name = "instance", .kind = KT_MEMBER_LINE, IN_ENTRY(instance)},
    {.name = "symbol", .kind = KT_MEMBER_PLAIN, IN_ENTRY(symbol), .flags = KT_MEMBER_SPARSE},
    {.name = "assembler", .kind = KT_MEMBER_LINE, IN_ENTRY(assembler), .flags = KT_MEMBER_SPARSE},
    {.name = "keys", .kind = KT_MEMBER_OBJECT, .item = &keys},
    {.name = "device", .kind = KT_MEMBER_OBJECT, .item = &device},
    {.name = "baseline_best", .kind = KT_MEMBER_BOOL, IN_ENTRY(baseline_best)},
    {.name = "configuration", .kind = KT_MEMBER_OWN, .own = &configuration_own, .schema = KT_SCHEMA_VALUES},
    {.name = "specialised", LIST_OF(specials, special_count, KT_SPECIALS_MOST, "variants", special_record)},
    {.name = "aligned", LIST_OF(aligned, aligned_count, KT_ALIGNED_MOST, "pointers", aligned_record)},
    {.name = "problems", .kind = KT_MEMBER_OWN, .own = &kt_entry_problems},
    {.name = "unlisted", LIST_OF(unlisted, unlisted_count, UNLISTED_MOST, "sizes", unlisted_record)},
    {.name = "unlisted_left_out", .kind = KT_MEMBER_INT, IN_ENTRY(unlisted_left_out), .high = 64, .flags = KT_MEMBER_SPARSE},
    {.name = "energy", .kind = KT_MEMBER_OWN, .own = &energy_own, .flags = KT_MEMBER_SPARSE},
    {.name = "resources", .kind = KT_MEMBER_OBJECT, .item = &resources},
    {.name = "search", .kind = KT_MEMBER_OBJECT, .item = &search},
    {.name = "provenance", .kind = KT_MEMBER_OBJECT, .item = &provenance},
    {.name = "recipe", .kind = KT_MEMBER_OWN, .own = &recipe_own, .flags = KT_MEMBER_SPARSE},
    {.name = "template", .kind = KT_MEMBER_OWN, .own = &template_own, .flags = KT_MEMBER_SPARSE},
    {.name = "hash", .kind = KT_MEMBER_HASH, IN_FRAME(hash), .flags = KT_MEMBER_SPARSE},
    {.name = "signature", .kind = KT_MEMBER_OBJECT, .item = &signature, .flags = KT_MEMBER_SPARSE},
};
const struct kt_members kt_entry_record = {KT_MEMBERS_CLOSED(struct frame, entry_fields),
    .rules = "{\"if\":{\"properties\":{\"baseline_best\":{\"const\":false}}},\"then\":{\"properties\":{"
                  "\"configuration\":{\"minProperties\":1},\"problems\":{\"items\":{\"required\":[\"tuned_ns\"]}}}}}"};

/* ---- what several members have to do with one another */

static bool names_variable(const char *name, unsigned offset, bool pointer, void *context)
{
	const struct kt_entry *entry = context;
	bool known = false;
	(void)offset;
	for (size_t v = 0; !pointer && v < entry->variable_count && !known; v++)
		known = strcmp(name, entry->variables[v]) == 0;
	return known;
}

/* The rule becomes host code: an expression over problem variables and nothing else. */
static kt_status check_rules(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *root,
                             struct kt_error *err)
{
	struct kt_json_place list = kt_json_member(root, "specialised");
	for (size_t i = 0; i < entry->special_count; i++) {
		const char *when = entry->specials[i].when;
		struct kt_json_place item = {&list, NULL, i, NULL}, at = {&item, "when", 0, NULL};
		struct kt_expr *expr = NULL;
		struct kt_error why;
		if (kt_expr_parse(&expr, arena, when, strlen(when), &why) != KT_OK)
			return kt_json_bad(err, &at, "%s", why.message);
		if (!kt_expr_names(expr, names_variable, entry))
			return kt_json_bad(err, &at, "it names no problem variable");
	}
	struct kt_json_place problems = kt_json_member(root, "problems");
	for (size_t p = 0; p < entry->problem_count; p++) {
		struct kt_json_place here = {&problems, NULL, p, NULL};
		if (entry->serves[p] > (int64_t)entry->special_count)
			return kt_json_bad(err, &here, "there is no variant %lld", (long long)entry->serves[p]);
	}
	return KT_OK;
}

static kt_status check_device_key(const struct kt_entry *entry, const struct kt_json_place *root, struct kt_error *err)
{
	char key[KT_HASH_TEXT];
	struct kt_json_place within = kt_json_member(root, "keys"), at = kt_json_member(&within, "device");
	kt_device_key(key, &entry->device);
	return strcmp(key, entry->device_key) == 0 ? KT_OK
	                                           : kt_json_bad(err, &at, "not the key of the device in this entry");
}

/* Format 1 kept the text of the rules: what is left of it is a recipe that does not know the versions. */
static kt_status forget_text(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *root,
                             struct kt_error *err)
{
	struct kt_json_place at = kt_json_member(root, "template");
	struct kt_recipe *recipe = NULL;
	kt_status status = kt_entry_has_variant(entry) ? recipe_of(&recipe, arena, entry, err) : KT_OK;
	if (status != KT_OK)
		return status == KT_ERR_MEMORY ? status : kt_json_bad(err, &at, "%s", err->message);
	for (size_t i = 0; recipe != NULL && i < recipe->pass_count; i++)
		recipe->passes[i].version = 0;
	entry->recipe = recipe;
	entry->template_ = NULL;
	return KT_OK;
}

/* Text is a model's, a recipe the rules'. */
static kt_status check_making(struct frame *frame, struct kt_arena *arena, const struct kt_json_place *root,
                              struct kt_error *err)
{
	struct kt_entry *entry = &frame->entry;
	struct kt_json_place recipe = kt_json_member(root, "recipe"), text = kt_json_member(root, "template");
	if (recipe.json != NULL && (frame->format < KT_ENTRY_FORMAT || !kt_generator_has_recipes(entry->generator)))
		return kt_json_bad(err, &recipe, "only an entry of the rules has a recipe, from format %d on", KT_ENTRY_FORMAT);
	if (text.json == NULL || !kt_generator_has_recipes(entry->generator))
		return KT_OK;
	return frame->format < KT_ENTRY_FORMAT ? forget_text(entry, arena, root, err)
	                                       : kt_json_bad(err, &text, "an entry of the rules holds no text");
}

static kt_status check_state(struct frame *frame, const struct kt_json_place *root, struct kt_error *err)
{
	struct kt_json_place within = kt_json_member(root, "search"), at = kt_json_member(&within, "state");
	return frame->state == NULL || kt_search_state_from_name(&frame->entry.search, frame->state)
	           ? KT_OK : kt_json_bad(err, &at, "exhausted, measured, trials or budget expected");
}

static kt_status check_hash(const struct frame *frame, const cJSON *json, const struct kt_json_place *root,
                            struct kt_error *err)
{
	char hash[KT_HASH_TEXT];
	struct kt_json_place at = kt_json_member(root, "hash");
	if (frame->hash == NULL)
		return kt_json_bad(err, root, "member \"hash\" is missing");
	TRY(kt_entry_hash(hash, json, err));
	return strcmp(hash, frame->hash) == 0
	           ? KT_OK : kt_json_bad(err, &at, "the content was changed: its hash is %s", hash);
}

/* ---- text to entry, and back */

static kt_status read_entry(struct kt_entry *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct kt_json_place root = {NULL, NULL, 0, json};
	struct frame frame;
	memset(&frame, 0, sizeof frame);
	kt_status status = kt_members_parse(&frame, json, &kt_entry_record, arena, err);
	THEN(status, check_rules(&frame.entry, arena, &root, err));
	THEN(status, check_device_key(&frame.entry, &root, err));
	THEN(status, check_state(&frame, &root, err));
	THEN(status, check_hash(&frame, json, &root, err));
	THEN(status, check_making(&frame, arena, &root, err));
	frame.entry.hash = frame.hash;
	if (status == KT_OK)
		*out = frame.entry;
	return status;
}

kt_status kt_entry_parse(struct kt_entry *out, struct kt_arena *arena, const char *text, size_t size,
                         struct kt_error *err)
{
	cJSON *json = NULL;
	if (size > KT_ENTRY_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "/: %zu bytes, more than an entry may have", size);
	/* A string would end there, and what follows would be neither read nor hashed. */
	if (memmem(text, size, "\\u0000", 6) != NULL)
		return kt_fail(err, KT_ERR_INVALID, "/: a zero byte in a text");
	kt_status status = kt_json_parse(&json, text, size, err);
	if (status != KT_OK)
		return kt_fail_prefix(err, "/");
	status = read_entry(out, arena, json, err);
	cJSON_Delete(json);
	return status;
}

/* A shallow walk would let a note inside a problem break the hash. */
static void drop_notes(cJSON *value)
{
	cJSON *next;
	for (cJSON *item = value->child; item != NULL; item = next) {
		next = item->next;
		if (cJSON_IsObject(value) && strncmp(item->string, "x_", 2) == 0)
			cJSON_Delete(cJSON_DetachItemViaPointer(value, item));
		else if (cJSON_IsObject(item) || cJSON_IsArray(item))
			drop_notes(item);
	}
}

kt_status kt_entry_hash(char out[KT_HASH_TEXT], const cJSON *json, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_ENTRY_BYTES);
	struct kt_hash hash;
	cJSON *copy;
	NEED(copy = cJSON_Duplicate(json, true), kt_fail(err, KT_ERR_MEMORY, "out of memory hashing an entry"));
	cJSON_DeleteItemFromObjectCaseSensitive(copy, "hash");
	cJSON_DeleteItemFromObjectCaseSensitive(copy, "signature");
	drop_notes(copy);
	kt_json_print_stable(&text, copy);
	kt_status status = kt_buf_check(&text, "an entry", err);
	if (status == KT_OK) {
		kt_hash_init(&hash);
		kt_hash_bytes(&hash, kt_buf_text(&text), text.size);
		kt_hash_final(&hash, out);
	}
	kt_buf_free(&text);
	cJSON_Delete(copy);
	return status;
}

kt_status kt_entry_print(struct kt_buf *out, const struct kt_entry *entry, struct kt_error *err)
{
	struct frame frame = {*entry, KT_ENTRY_FORMAT, NULL, NULL};
	char hash[KT_HASH_TEXT], device_key[KT_HASH_TEXT];
	kt_device_key(device_key, &entry->device);
	frame.entry.device_key = device_key;
	if (entry->search != KT_SEARCH_UNKNOWN)
		frame.state = kt_search_state_name(entry->search);
	cJSON *json;
	NEED(json = kt_members_json(&frame, &kt_entry_record),
	     kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry"));
	kt_status status = kt_entry_hash(hash, json, err);
	if (status == KT_OK && cJSON_AddStringToObject(json, "hash", hash) == NULL)
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory writing an entry");
	if (status == KT_OK) {
		kt_json_print_stable(out, json);
		status = kt_buf_check(out, "an entry", err);
	}
	cJSON_Delete(json);
	return status;
}
