#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/expr.h"
#include "store/internal.h"
#include "store/shape.h"

#define PROBLEMS_MOST 4096
#define SPECIALS_MOST 64
#define COUNT_MOST ((int64_t)1 << 53)
#define SPEEDUP_SLACK 0.00051           /* speedups are written with three decimals */
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* One problem's figures before they are spread over the entry's arrays. */
struct figures {
	double baseline_ns, tuned_ns, floor_ns, speedup, general_ns;
	int64_t variant;
	struct kt_timing baseline, tuned;
};

static const struct kt_shape_field problem_fields[] = {
    {"problem", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"baseline_ns", KT_SHAPE_TIME, offsetof(struct figures, baseline_ns), 1, 0, false},
    {"tuned_ns", KT_SHAPE_TIME, offsetof(struct figures, tuned_ns), 1, 0, true},
    {"floor_ns", KT_SHAPE_TIME, offsetof(struct figures, floor_ns), 0, 0, true},
    {"variant", KT_SHAPE_INT, offsetof(struct figures, variant), 1, SPECIALS_MOST, true},
    {"general_ns", KT_SHAPE_TIME, offsetof(struct figures, general_ns), 1, 0, true},
    {"speedup", KT_SHAPE_TIME, offsetof(struct figures, speedup), 0, 0, true},
    {"baseline", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"tuned", KT_SHAPE_VALUE, 0, 0, 0, true},
};

static const struct kt_shape_field spread_fields[] = {
    {"mean_ns", KT_SHAPE_TIME, offsetof(struct kt_timing, mean_ns), 0, 0, false},
    {"min_ns", KT_SHAPE_TIME, offsetof(struct kt_timing, min_ns), 0, 0, false},
    {"deviation_ns", KT_SHAPE_TIME, offsetof(struct kt_timing, deviation_ns), 0, 0, false},
    {"samples", KT_SHAPE_INT, offsetof(struct kt_timing, samples), 0, COUNT_MOST, false},
};

static kt_status read_spread(struct kt_timing *out, struct kt_arena *arena, const struct kt_json_place *problem,
                             const char *name, double median_ns, struct kt_error *err)
{
	struct kt_json_place at = kt_shape_member(problem, name);
	if (at.json == NULL)
		return kt_shape_bad(err, problem, "member \"%s\" is missing", name);
	out->median_ns = median_ns;
	return kt_shape_read(out, arena, &at, spread_fields, COUNT_OF(spread_fields), err);
}

static kt_status read_figures(struct figures *out, struct kt_arena *arena, const struct kt_json_place *at,
                              bool needs_tuned, struct kt_error *err)
{
	memset(out, 0, sizeof *out);
	kt_status status = kt_shape_read(out, arena, at, problem_fields, COUNT_OF(problem_fields), err);
	if (status == KT_OK)
		status = read_spread(&out->baseline, arena, at, "baseline", out->baseline_ns, err);
	if (status != KT_OK)
		return status;
	bool parts[3] = {out->tuned_ns > 0, kt_shape_member(at, "tuned").json != NULL,
	                 kt_shape_member(at, "speedup").json != NULL};
	if (parts[0] != parts[1] || parts[0] != parts[2])
		return kt_shape_bad(err, at, "\"tuned_ns\", \"tuned\" and \"speedup\" come together");
	if (!parts[0])
		return needs_tuned || out->variant != 0 ? kt_shape_bad(err, at, "member \"tuned_ns\" is missing") : KT_OK;
	double speedup = out->baseline_ns / out->tuned_ns;
	if (fabs(out->speedup - speedup) > SPEEDUP_SLACK) {
		struct kt_json_place here = kt_shape_member(at, "speedup");
		return kt_shape_bad(err, &here, "%g is not baseline_ns / tuned_ns", out->speedup);
	}
	return read_spread(&out->tuned, arena, at, "tuned", out->tuned_ns, err);
}

/* Each problem must name the same variables in the same order as the first. */
static kt_status read_variables(struct kt_entry *out, struct kt_arena *arena, const struct kt_json_place *at,
                                size_t index, struct kt_error *err)
{
	struct kt_json_place here = kt_shape_member(at, "problem");
	const char **names = NULL;
	int64_t *values = NULL;
	size_t count = 0;
	if (here.json == NULL)
		return kt_shape_bad(err, at, "member \"problem\" is missing");
	kt_status status = kt_shape_values(&names, &values, &count, arena, &here, err);
	if (status != KT_OK)
		return status;
	if (index == 0) {
		out->variables = names;
		out->variable_count = count;
		out->problems = kt_arena_array(arena, out->problem_count * count + 1, sizeof *out->problems);
		if (out->problems == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	}
	bool same = count == out->variable_count;
	for (size_t v = 0; same && v < count; v++)
		same = strcmp(names[v], out->variables[v]) == 0;
	if (!same)
		return kt_shape_bad(err, &here, "not the variables of the first problem");
	for (size_t v = 0; v < count; v++)
		out->problems[index * count + v] = values[v];
	return KT_OK;
}

static kt_status read_problems(struct kt_entry *out, struct kt_arena *arena, const struct kt_json_place *root,
                               struct kt_error *err)
{
	struct kt_json_place at = kt_shape_member(root, "problems");
	const cJSON *item;
	size_t index = 0;
	if (!cJSON_IsArray(at.json))
		return kt_shape_bad(err, &at, "an array expected");
	int size = cJSON_GetArraySize(at.json);
	if (size < 1 || size > PROBLEMS_MOST)
		return kt_shape_bad(err, &at, "%d problems, but 1 to %d are allowed", size, PROBLEMS_MOST);
	out->problem_count = (size_t)size;
	out->baseline = kt_arena_array(arena, (size_t)size, sizeof *out->baseline);
	out->tuned = kt_arena_array(arena, (size_t)size, sizeof *out->tuned);
	out->floor_ns = kt_arena_array(arena, (size_t)size, sizeof *out->floor_ns);
	out->serves = kt_arena_array(arena, (size_t)size, sizeof *out->serves);
	out->general_ns = kt_arena_array(arena, (size_t)size, sizeof *out->general_ns);
	if (out->baseline == NULL || out->tuned == NULL || out->floor_ns == NULL || out->serves == NULL ||
	    out->general_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	cJSON_ArrayForEach(item, at.json) {
		struct kt_json_place here = {&at, NULL, index, item};
		struct figures figures;
		kt_status status = read_figures(&figures, arena, &here, !out->baseline_best, err);
		if (status == KT_OK)
			status = read_variables(out, arena, &here, index, err);
		if (status != KT_OK)
			return status;
		out->baseline[index] = figures.baseline;
		out->tuned[index] = figures.tuned;
		out->floor_ns[index] = figures.floor_ns;
		out->serves[index] = figures.variant;
		out->general_ns[index] = figures.general_ns;
		index++;
	}
	return KT_OK;
}

struct frame {
	int64_t format;
	const char *hash;
	struct kt_entry entry;
};
#define IN_ENTRY(member) (offsetof(struct kt_entry, member))
#define IN_FRAME(member) (offsetof(struct frame, member))

static const struct kt_shape_field root_fields[] = {
    {"ktune", KT_SHAPE_INT, IN_FRAME(format), KT_ENTRY_FORMAT, KT_ENTRY_FORMAT, false},
    {"name", KT_SHAPE_IDENTIFIER, IN_FRAME(entry.name), 0, 0, false},
    {"kernel", KT_SHAPE_WORD, IN_FRAME(entry.kernel), 0, 0, false},
    {"instance", KT_SHAPE_TEXT, IN_FRAME(entry.instance), 0, 0, false},
    {"keys", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"device", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"baseline_best", KT_SHAPE_BOOL, IN_FRAME(entry.baseline_best), 0, 0, false},
    {"configuration", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"specialised", KT_SHAPE_VALUE, 0, 0, 0, true},
    {"problems", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"resources", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"search", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"provenance", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"template", KT_SHAPE_VALUE, 0, 0, 0, true},
    {"hash", KT_SHAPE_HASH, IN_FRAME(hash), 0, 0, false},
};

static const struct kt_shape_field key_fields[] = {
    {"region", KT_SHAPE_HASH, IN_ENTRY(region_key), 0, 0, false},
    {"near", KT_SHAPE_HASH, IN_ENTRY(near_key), 0, 0, false},
    {"closure", KT_SHAPE_HASH, IN_ENTRY(closure), 0, 0, false},
    {"device", KT_SHAPE_HASH, IN_ENTRY(device_key), 0, 0, false},
};

static const struct kt_shape_field device_fields[] = {
    {"vendor", KT_SHAPE_WORD, IN_ENTRY(device.vendor), 0, 0, false},
    {"name", KT_SHAPE_WORD, IN_ENTRY(device.name), 0, 0, false},
    {"cc", KT_SHAPE_INT, IN_ENTRY(device.cc), 0, 9999, false},
    {"multiprocessors", KT_SHAPE_INT, IN_ENTRY(device.multiprocessors), 1, 1 << 20, false},
    {"memory_bus_bits", KT_SHAPE_INT, IN_ENTRY(device.memory_bus_bits), 0, 1 << 20, false},
    {"l2_bytes", KT_SHAPE_INT, IN_ENTRY(device.l2_bytes), 0, (int64_t)1 << 40, false},
};

static const struct kt_shape_field resource_fields[] = {
    {"registers", KT_SHAPE_INT, IN_ENTRY(registers), 0, 1024, false},
    {"local_bytes", KT_SHAPE_INT, IN_ENTRY(local_bytes), 0, (int64_t)1 << 32, false},
    {"shared_bytes", KT_SHAPE_INT, IN_ENTRY(shared_bytes), 0, (int64_t)1 << 32, false},
};

static const struct kt_shape_field special_fields[] = {
    {"when", KT_SHAPE_WORD, offsetof(struct kt_special, when), 0, 0, false},
    {"configuration", KT_SHAPE_VALUE, 0, 0, 0, false},
    {"resources", KT_SHAPE_VALUE, 0, 0, 0, false},
};

static const struct kt_shape_field special_resource_fields[] = {
    {"registers", KT_SHAPE_INT, offsetof(struct kt_special, registers), 0, 1024, false},
    {"local_bytes", KT_SHAPE_INT, offsetof(struct kt_special, local_bytes), 0, (int64_t)1 << 32, false},
    {"shared_bytes", KT_SHAPE_INT, offsetof(struct kt_special, shared_bytes), 0, (int64_t)1 << 32, false},
};

static const struct kt_shape_field search_fields[] = {
    {"tried", KT_SHAPE_INT, IN_ENTRY(tried), 0, COUNT_MOST, false},
    {"legal", KT_SHAPE_INT, IN_ENTRY(legal), 0, COUNT_MOST, false},
};

static const struct kt_shape_field provenance_fields[] = {
    {"tool", KT_SHAPE_TEXT, IN_ENTRY(tool), 0, 0, false},
    {"generator", KT_SHAPE_TEXT, IN_ENTRY(generator), 0, 0, false},
    {"toolkit", KT_SHAPE_TEXT, IN_ENTRY(toolkit), 0, 0, false},
    {"driver", KT_SHAPE_TEXT, IN_ENTRY(driver), 0, 0, false},
    {"date", KT_SHAPE_TEXT, IN_ENTRY(date), 0, 0, false},
    {"author", KT_SHAPE_VALUE, 0, 0, 0, true},
    {"verification", KT_SHAPE_VALUE, 0, 0, 0, true},
};

static const struct kt_shape_field author_fields[] = {
    {"model", KT_SHAPE_TEXT, IN_ENTRY(author.model), 0, 0, false},
    {"when", KT_SHAPE_TEXT, IN_ENTRY(author.when), 0, 0, false},
    {"question", KT_SHAPE_HASH, IN_ENTRY(author.question), 0, 0, false},
    {"answer", KT_SHAPE_HASH, IN_ENTRY(author.answer), 0, 0, false},
};

static const struct kt_shape_field verification_fields[] = {
    {"checks", KT_SHAPE_INT, IN_ENTRY(checks), 0, COUNT_MOST, false},
    {"watched_by", KT_SHAPE_WORD, IN_ENTRY(watched_by), 0, 0, true},
};

/* The objects below the root that a table describes in full. */
static const struct part {
	const char *name;
	const struct kt_shape_field *fields;
	size_t count;
} parts[] = {
    {"keys", key_fields, COUNT_OF(key_fields)},
    {"device", device_fields, COUNT_OF(device_fields)},
    {"resources", resource_fields, COUNT_OF(resource_fields)},
    {"search", search_fields, COUNT_OF(search_fields)},
    {"provenance", provenance_fields, COUNT_OF(provenance_fields)},
};

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
static kt_status check_rule(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *item,
                            const struct kt_special *special, struct kt_error *err)
{
	struct kt_json_place at = kt_shape_member(item, "when");
	struct kt_error why;
	struct kt_expr *expr = NULL;
	if (kt_expr_parse(&expr, arena, special->when, strlen(special->when), &why) != KT_OK)
		return kt_shape_bad(err, &at, "%s", why.message);
	return kt_expr_names(expr, names_variable, entry) ? KT_OK
	                                                  : kt_shape_bad(err, &at, "it names no problem variable");
}

/* One specialised variant: the same parameters in the same order as the general configuration. */
static kt_status read_special(struct kt_special *out, struct kt_entry *entry, struct kt_arena *arena,
                              const struct kt_json_place *at, struct kt_error *err)
{
	const char **names = NULL;
	size_t count = 0;
	kt_status status = kt_shape_read(out, arena, at, special_fields, COUNT_OF(special_fields), err);
	struct kt_json_place here = kt_shape_member(at, "resources");
	if (status == KT_OK)
		status = kt_shape_read(out, arena, &here, special_resource_fields, COUNT_OF(special_resource_fields), err);
	here = kt_shape_member(at, "configuration");
	if (status == KT_OK)
		status = kt_shape_values(&names, &out->configuration, &count, arena, &here, err);
	if (status != KT_OK)
		return status;
	bool same = count == entry->parameter_count;
	for (size_t i = 0; same && i < count; i++)
		same = strcmp(names[i], entry->parameters[i]) == 0;
	return same ? check_rule(entry, arena, at, out, err)
	            : kt_shape_bad(err, &here, "not the parameters of the general configuration");
}

static kt_status read_specials(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *root,
                               struct kt_error *err)
{
	struct kt_json_place at = kt_shape_member(root, "specialised"), problems = kt_shape_member(root, "problems");
	const cJSON *item;
	size_t index = 0;
	int size = cJSON_GetArraySize(at.json);
	if (at.json != NULL && (!cJSON_IsArray(at.json) || size < 1 || size > SPECIALS_MOST))
		return kt_shape_bad(err, &at, "an array of 1 to %d variants expected", SPECIALS_MOST);
	entry->specials = kt_arena_array(arena, (size_t)size + 1, sizeof *entry->specials);
	if (entry->specials == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	cJSON_ArrayForEach(item, at.json) {
		struct kt_json_place here = {&at, NULL, index, item};
		kt_status status = read_special(&entry->specials[index++], entry, arena, &here, err);
		if (status != KT_OK)
			return status;
	}
	entry->special_count = index;
	for (size_t p = 0; p < entry->problem_count; p++) {
		struct kt_json_place here = {&problems, NULL, p, NULL};
		if (entry->serves[p] > (int64_t)index)
			return kt_shape_bad(err, &here, "there is no variant %lld", (long long)entry->serves[p]);
	}
	return KT_OK;
}

/* A generator's text: over the parameters of the entry, in their order. */
static kt_status read_template(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *root,
                               struct kt_error *err)
{
	struct kt_json_place at = kt_shape_member(root, "template");
	struct kt_template *read;
	struct kt_error why;
	if (at.json == NULL)
		return KT_OK;
	if (kt_template_read(&read, arena, at.json, &why) != KT_OK)
		return kt_fail(err, why.code, "/template%s", why.message);
	entry->template_ = read;
	bool same = read->parameter_count == entry->parameter_count;
	for (size_t i = 0; same && i < entry->parameter_count; i++)
		same = strcmp(read->parameters[i].name, entry->parameters[i]) == 0;
	if (!same)
		return kt_shape_bad(err, &at, "its parameters are not the configuration's");
	return strcmp(read->generator, entry->generator) == 0
	           ? KT_OK : kt_shape_bad(err, &at, "its generator is not the provenance's");
}

static kt_status check_device_key(const struct kt_entry *entry, const struct kt_json_place *root, struct kt_error *err)
{
	char key[KT_HASH_TEXT];
	struct kt_json_place keys = kt_shape_member(root, "keys");
	struct kt_json_place at = kt_shape_member(&keys, "device");
	kt_device_key(key, &entry->device);
	return strcmp(key, entry->device_key) == 0 ? KT_OK
	                                           : kt_shape_bad(err, &at, "not the key of the device in this entry");
}

/* Absent where nothing was verified, and in entries of before it was kept. */
static kt_status read_provenance(struct kt_entry *entry, struct kt_arena *arena, const struct kt_json_place *root,
                                 struct kt_error *err)
{
	struct kt_json_place provenance = kt_shape_member(root, "provenance");
	struct kt_json_place checks = kt_shape_member(&provenance, "verification");
	struct kt_json_place author = kt_shape_member(&provenance, "author");
	kt_status status = KT_OK;
	if (checks.json != NULL)
		status = kt_shape_read(entry, arena, &checks, verification_fields, COUNT_OF(verification_fields), err);
	if (status == KT_OK && author.json != NULL)
		status = kt_shape_read(entry, arena, &author, author_fields, COUNT_OF(author_fields), err);
	return status;
}

static kt_status read_entry(struct kt_entry *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct kt_json_place root = {NULL, NULL, 0, json};
	struct frame frame;
	char hash[KT_HASH_TEXT];
	memset(&frame, 0, sizeof frame);
	kt_status status = kt_shape_read(&frame, arena, &root, root_fields, COUNT_OF(root_fields), err);
	struct kt_entry *entry = &frame.entry;
	for (size_t i = 0; status == KT_OK && i < COUNT_OF(parts); i++) {
		struct kt_json_place at = kt_shape_member(&root, parts[i].name);
		status = kt_shape_read(entry, arena, &at, parts[i].fields, parts[i].count, err);
	}
	struct kt_json_place at = kt_shape_member(&root, "configuration");
	if (status == KT_OK)
		status = read_provenance(entry, arena, &root, err);
	if (status == KT_OK)
		status = kt_shape_values(&entry->parameters, &entry->configuration, &entry->parameter_count, arena, &at,
		                     err);
	if (status == KT_OK && entry->parameter_count == 0 && !entry->baseline_best)
		status = kt_shape_bad(err, &at, "no parameter");
	if (status == KT_OK)
		status = read_problems(entry, arena, &root, err);
	if (status == KT_OK)
		status = read_specials(entry, arena, &root, err);
	if (status == KT_OK)
		status = read_template(entry, arena, &root, err);
	if (status == KT_OK)
		status = check_device_key(entry, &root, err);
	if (status == KT_OK)
		status = kt_entry_hash(hash, json, err);
	if (status != KT_OK)
		return status;
	if (strcmp(hash, frame.hash) != 0) {
		at = kt_shape_member(&root, "hash");
		return kt_shape_bad(err, &at, "the content was changed: its hash is %s", hash);
	}
	*out = *entry;
	return KT_OK;
}

kt_status kt_entry_parse(struct kt_entry *out, struct kt_arena *arena, const char *text, size_t size,
                         struct kt_error *err)
{
	cJSON *json = NULL;
	if (size > KT_ENTRY_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "/: %zu bytes, more than an entry may have", size);
	kt_status status = kt_json_parse(&json, text, size, err);
	if (status != KT_OK)
		return kt_fail_prefix(err, "/");
	status = read_entry(out, arena, json, err);
	cJSON_Delete(json);
	return status;
}
