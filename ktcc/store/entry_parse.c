#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "store/internal.h"

#define PARAMETERS_MOST 64
#define PROBLEMS_MOST 4096
#define TEXT_BYTES_MOST 4096
#define NS_MOST 1e15                    /* eleven days */
#define COUNT_MOST ((int64_t)1 << 53)
#define SPEEDUP_SLACK 0.00051           /* speedups are written with three decimals */

/* Where a value stands: a chain up to the root, printed as a JSON pointer. */
struct place {
	const struct place *up;
	const char *name; /* NULL: an array item */
	size_t index;
	const cJSON *json;
};

static void place_text(struct kt_buf *out, const struct place *at)
{
	if (at->up == NULL)
		return;
	place_text(out, at->up);
	if (at->name == NULL) {
		kt_buf_addf(out, "/%zu", at->index);
		return;
	}
	kt_buf_addc(out, '/');
	/* The name may be hostile, and the message goes to a terminal. */
	for (const char *c = at->name; *c != '\0'; c++)
		kt_buf_adds(out, *c == '~'   ? "~0"
				 : *c == '/' ? "~1"
					     : (char[]){*c >= ' ' && *c < 0x7f ? *c : '?', '\0'});
}

static kt_status bad(struct kt_error *err, const struct place *at, const char *format, ...) KT_PRINTF(3, 4);
static kt_status bad(struct kt_error *err, const struct place *at, const char *format, ...)
{
	char reason[512];
	struct kt_buf pointer = KT_BUF(256);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	place_text(&pointer, at);
	kt_fail(err, KT_ERR_INVALID, "%s: %s", pointer.size > 0 ? kt_buf_text(&pointer) : "/", reason);
	kt_buf_free(&pointer);
	return KT_ERR_INVALID;
}

enum kind {
	KIND_INT,        /* int64_t in [low, high] */
	KIND_NS,         /* double, above 0 unless low is 0 */
	KIND_TEXT,       /* any printable text, may be empty */
	KIND_WORD,       /* printable ASCII without quotes and backslashes, not empty */
	KIND_IDENTIFIER,
	KIND_HASH,       /* 64 lower-case hexadecimal digits */
	KIND_BOOL,
	KIND_VALUE,      /* an object or array that its own function reads; nothing is stored */
};

/* One member of an object and where its value goes. */
struct field {
	const char *name;
	enum kind kind;
	size_t offset;
	int64_t low, high;
	bool optional;
};
#define COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

static bool is_identifier(const char *text)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t length = strlen(text);
	return length > 0 && length <= 200 && strchr(first, text[0]) != NULL &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length;
}

static bool is_hash(const char *text)
{
	return strlen(text) == KT_HASH_TEXT - 1 && strspn(text, "0123456789abcdef") == KT_HASH_TEXT - 1;
}

static bool is_printable(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
		if (*c < ' ' || *c == 0x7f)
			return false;
	return true;
}

static bool is_word(const char *text)
{
	if (text[0] == '\0')
		return false;
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
		if (*c < ' ' || *c >= 0x7f || *c == '"' || *c == '\\')
			return false;
	return true;
}

static kt_status read_text(const char **out, struct kt_arena *arena, const struct place *at, enum kind kind,
                           struct kt_error *err)
{
	if (!cJSON_IsString(at->json))
		return bad(err, at, "a string expected");
	const char *text = at->json->valuestring;
	if (strlen(text) > TEXT_BYTES_MOST)
		return bad(err, at, "longer than %d bytes", TEXT_BYTES_MOST);
	if (kind == KIND_IDENTIFIER && !is_identifier(text))
		return bad(err, at, "an identifier expected");
	if (kind == KIND_HASH && !is_hash(text))
		return bad(err, at, "64 lower-case hexadecimal digits expected");
	if (kind == KIND_WORD && !is_word(text))
		return bad(err, at, "plain text without quotes expected");
	if (!is_printable(text))
		return bad(err, at, "a control character");
	*out = kt_arena_strdup(arena, text);
	return *out != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
}

static kt_status read_int(int64_t *out, const struct place *at, int64_t low, int64_t high, struct kt_error *err)
{
	struct kt_error ignored;
	int64_t value = 0;
	if (kt_json_item_int(&value, at->json, &ignored) != KT_OK)
		return bad(err, at, "an integer expected");
	if (value < low || value > high)
		return bad(err, at, "%lld is outside %lld to %lld", (long long)value, (long long)low, (long long)high);
	*out = value;
	return KT_OK;
}

static kt_status read_ns(double *out, const struct place *at, bool may_be_zero, struct kt_error *err)
{
	if (!cJSON_IsNumber(at->json))
		return bad(err, at, "a number expected");
	double value = at->json->valuedouble;
	if (!(value >= 0 && value <= NS_MOST) || (!may_be_zero && value <= 0))
		return bad(err, at, "%g is no time in nanoseconds", value);
	*out = value;
	return KT_OK;
}

static kt_status read_field(void *base, struct kt_arena *arena, const struct place *at, const struct field *field,
                            struct kt_error *err)
{
	void *to = (char *)base + field->offset;
	switch (field->kind) {
	case KIND_INT:
		return read_int(to, at, field->low, field->high, err);
	case KIND_NS:
		return read_ns(to, at, field->low == 0, err);
	case KIND_BOOL:
		if (!cJSON_IsBool(at->json))
			return bad(err, at, "true or false expected");
		*(bool *)to = cJSON_IsTrue(at->json) != 0;
		return KT_OK;
	case KIND_VALUE:
		return KT_OK;
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_IDENTIFIER:
	case KIND_HASH:
		break;
	}
	return read_text(to, arena, at, field->kind, err);
}

/* Reads an object by its table: nothing unknown but "x_…" notes, nothing twice, nothing missing. */
static kt_status read_object(void *base, struct kt_arena *arena, const struct place *at, const struct field *fields,
                             size_t count, struct kt_error *err)
{
	uint64_t seen = 0;
	const cJSON *item;
	if (!cJSON_IsObject(at->json))
		return bad(err, at, "an object expected");
	cJSON_ArrayForEach(item, at->json) {
		struct place here = {at, item->string, 0, item};
		size_t i = 0;
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		while (i < count && strcmp(fields[i].name, item->string) != 0)
			i++;
		if (i == count)
			return bad(err, &here, "an unknown member");
		if ((seen >> i & 1) != 0)
			return bad(err, &here, "a member that stands there twice");
		seen |= (uint64_t)1 << i;
		kt_status status = read_field(base, arena, &here, &fields[i], err);
		if (status != KT_OK)
			return status;
	}
	for (size_t i = 0; i < count; i++)
		if (!fields[i].optional && (seen >> i & 1) == 0)
			return bad(err, at, "member \"%s\" is missing", fields[i].name);
	return KT_OK;
}

static struct place member(const struct place *at, const char *name)
{
	struct place here = {at, name, 0, cJSON_GetObjectItemCaseSensitive(at->json, name)};
	return here;
}

/* {"NAME": integer, …} as two arrays; a name twice is refused. */
static kt_status read_values(const char ***names, int64_t **values, size_t *count, struct kt_arena *arena,
                             const struct place *at, struct kt_error *err)
{
	const cJSON *item;
	size_t used = 0;
	if (!cJSON_IsObject(at->json))
		return bad(err, at, "an object expected");
	int size = cJSON_GetArraySize(at->json);
	if (size > PARAMETERS_MOST)
		return bad(err, at, "more than %d members", PARAMETERS_MOST);
	*names = kt_arena_array(arena, (size_t)size + 1, sizeof **names);
	*values = kt_arena_array(arena, (size_t)size + 1, sizeof **values);
	if (*names == NULL || *values == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	cJSON_ArrayForEach(item, at->json) {
		struct place here = {at, item->string, 0, item};
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		if (!is_identifier(item->string))
			return bad(err, &here, "an identifier expected");
		for (size_t i = 0; i < used; i++)
			if (strcmp((*names)[i], item->string) == 0)
				return bad(err, &here, "a member that stands there twice");
		(*names)[used] = kt_arena_strdup(arena, item->string);
		if ((*names)[used] == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
		kt_status status = read_int(&(*values)[used], &here, INT64_MIN, INT64_MAX, err);
		if (status != KT_OK)
			return status;
		used++;
	}
	*count = used;
	return KT_OK;
}

/* One problem's figures before they are spread over the entry's arrays. */
struct figures {
	double baseline_ns, tuned_ns, floor_ns, speedup;
	struct kt_timing baseline, tuned;
};

static const struct field problem_fields[] = {
    {"problem", KIND_VALUE, 0, 0, 0, false},
    {"baseline_ns", KIND_NS, offsetof(struct figures, baseline_ns), 1, 0, false},
    {"tuned_ns", KIND_NS, offsetof(struct figures, tuned_ns), 1, 0, true},
    {"floor_ns", KIND_NS, offsetof(struct figures, floor_ns), 0, 0, true},
    {"speedup", KIND_NS, offsetof(struct figures, speedup), 0, 0, true},
    {"baseline", KIND_VALUE, 0, 0, 0, false},
    {"tuned", KIND_VALUE, 0, 0, 0, true},
};

static const struct field spread_fields[] = {
    {"mean_ns", KIND_NS, offsetof(struct kt_timing, mean_ns), 0, 0, false},
    {"min_ns", KIND_NS, offsetof(struct kt_timing, min_ns), 0, 0, false},
    {"deviation_ns", KIND_NS, offsetof(struct kt_timing, deviation_ns), 0, 0, false},
    {"samples", KIND_INT, offsetof(struct kt_timing, samples), 0, COUNT_MOST, false},
};

static kt_status read_spread(struct kt_timing *out, struct kt_arena *arena, const struct place *problem,
                             const char *name, double median_ns, struct kt_error *err)
{
	struct place at = member(problem, name);
	if (at.json == NULL)
		return bad(err, problem, "member \"%s\" is missing", name);
	out->median_ns = median_ns;
	return read_object(out, arena, &at, spread_fields, COUNT_OF(spread_fields), err);
}

static kt_status read_figures(struct figures *out, struct kt_arena *arena, const struct place *at, bool needs_tuned,
                              struct kt_error *err)
{
	memset(out, 0, sizeof *out);
	kt_status status = read_object(out, arena, at, problem_fields, COUNT_OF(problem_fields), err);
	if (status == KT_OK)
		status = read_spread(&out->baseline, arena, at, "baseline", out->baseline_ns, err);
	if (status != KT_OK)
		return status;
	bool parts[3] = {out->tuned_ns > 0, member(at, "tuned").json != NULL, member(at, "speedup").json != NULL};
	if (parts[0] != parts[1] || parts[0] != parts[2])
		return bad(err, at, "\"tuned_ns\", \"tuned\" and \"speedup\" come together");
	if (!parts[0])
		return needs_tuned ? bad(err, at, "member \"tuned_ns\" is missing") : KT_OK;
	double speedup = out->baseline_ns / out->tuned_ns;
	if (fabs(out->speedup - speedup) > SPEEDUP_SLACK) {
		struct place here = member(at, "speedup");
		return bad(err, &here, "%g is not baseline_ns / tuned_ns", out->speedup);
	}
	return read_spread(&out->tuned, arena, at, "tuned", out->tuned_ns, err);
}

/* Each problem must name the same variables in the same order as the first. */
static kt_status read_variables(struct kt_entry *out, struct kt_arena *arena, const struct place *at, size_t index,
                                struct kt_error *err)
{
	struct place here = member(at, "problem");
	const char **names = NULL;
	int64_t *values = NULL;
	size_t count = 0;
	if (here.json == NULL)
		return bad(err, at, "member \"problem\" is missing");
	kt_status status = read_values(&names, &values, &count, arena, &here, err);
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
		return bad(err, &here, "not the variables of the first problem");
	for (size_t v = 0; v < count; v++)
		out->problems[index * count + v] = values[v];
	return KT_OK;
}

static kt_status read_problems(struct kt_entry *out, struct kt_arena *arena, const struct place *root,
                               struct kt_error *err)
{
	struct place at = member(root, "problems");
	const cJSON *item;
	size_t index = 0;
	if (!cJSON_IsArray(at.json))
		return bad(err, &at, "an array expected");
	int size = cJSON_GetArraySize(at.json);
	if (size < 1 || size > PROBLEMS_MOST)
		return bad(err, &at, "%d problems, but 1 to %d are allowed", size, PROBLEMS_MOST);
	out->problem_count = (size_t)size;
	out->baseline = kt_arena_array(arena, (size_t)size, sizeof *out->baseline);
	out->tuned = kt_arena_array(arena, (size_t)size, sizeof *out->tuned);
	out->floor_ns = kt_arena_array(arena, (size_t)size, sizeof *out->floor_ns);
	if (out->baseline == NULL || out->tuned == NULL || out->floor_ns == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	cJSON_ArrayForEach(item, at.json) {
		struct place here = {&at, NULL, index, item};
		struct figures figures;
		kt_status status = read_figures(&figures, arena, &here, !out->baseline_best, err);
		if (status == KT_OK)
			status = read_variables(out, arena, &here, index, err);
		if (status != KT_OK)
			return status;
		out->baseline[index] = figures.baseline;
		out->tuned[index] = figures.tuned;
		out->floor_ns[index] = figures.floor_ns;
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

static const struct field root_fields[] = {
    {"ktune", KIND_INT, IN_FRAME(format), KT_ENTRY_FORMAT, KT_ENTRY_FORMAT, false},
    {"name", KIND_IDENTIFIER, IN_FRAME(entry.name), 0, 0, false},
    {"kernel", KIND_WORD, IN_FRAME(entry.kernel), 0, 0, false},
    {"instance", KIND_TEXT, IN_FRAME(entry.instance), 0, 0, false},
    {"keys", KIND_VALUE, 0, 0, 0, false},
    {"device", KIND_VALUE, 0, 0, 0, false},
    {"baseline_best", KIND_BOOL, IN_FRAME(entry.baseline_best), 0, 0, false},
    {"configuration", KIND_VALUE, 0, 0, 0, false},
    {"problems", KIND_VALUE, 0, 0, 0, false},
    {"resources", KIND_VALUE, 0, 0, 0, false},
    {"search", KIND_VALUE, 0, 0, 0, false},
    {"provenance", KIND_VALUE, 0, 0, 0, false},
    {"hash", KIND_HASH, IN_FRAME(hash), 0, 0, false},
};

static const struct field key_fields[] = {
    {"region", KIND_HASH, IN_ENTRY(region_key), 0, 0, false},
    {"near", KIND_HASH, IN_ENTRY(near_key), 0, 0, false},
    {"closure", KIND_HASH, IN_ENTRY(closure), 0, 0, false},
    {"device", KIND_HASH, IN_ENTRY(device_key), 0, 0, false},
};

static const struct field device_fields[] = {
    {"vendor", KIND_WORD, IN_ENTRY(device.vendor), 0, 0, false},
    {"name", KIND_WORD, IN_ENTRY(device.name), 0, 0, false},
    {"cc", KIND_INT, IN_ENTRY(device.cc), 0, 9999, false},
    {"multiprocessors", KIND_INT, IN_ENTRY(device.multiprocessors), 1, 1 << 20, false},
    {"memory_bus_bits", KIND_INT, IN_ENTRY(device.memory_bus_bits), 0, 1 << 20, false},
    {"l2_bytes", KIND_INT, IN_ENTRY(device.l2_bytes), 0, (int64_t)1 << 40, false},
};

static const struct field resource_fields[] = {
    {"registers", KIND_INT, IN_ENTRY(registers), 0, 1024, false},
    {"local_bytes", KIND_INT, IN_ENTRY(local_bytes), 0, (int64_t)1 << 32, false},
    {"shared_bytes", KIND_INT, IN_ENTRY(shared_bytes), 0, (int64_t)1 << 32, false},
};

static const struct field search_fields[] = {
    {"tried", KIND_INT, IN_ENTRY(tried), 0, COUNT_MOST, false},
    {"legal", KIND_INT, IN_ENTRY(legal), 0, COUNT_MOST, false},
};

static const struct field provenance_fields[] = {
    {"tool", KIND_TEXT, IN_ENTRY(tool), 0, 0, false},
    {"generator", KIND_TEXT, IN_ENTRY(generator), 0, 0, false},
    {"toolkit", KIND_TEXT, IN_ENTRY(toolkit), 0, 0, false},
    {"driver", KIND_TEXT, IN_ENTRY(driver), 0, 0, false},
    {"date", KIND_TEXT, IN_ENTRY(date), 0, 0, false},
};

/* The objects below the root that a table describes in full. */
static const struct part {
	const char *name;
	const struct field *fields;
	size_t count;
} parts[] = {
    {"keys", key_fields, COUNT_OF(key_fields)},
    {"device", device_fields, COUNT_OF(device_fields)},
    {"resources", resource_fields, COUNT_OF(resource_fields)},
    {"search", search_fields, COUNT_OF(search_fields)},
    {"provenance", provenance_fields, COUNT_OF(provenance_fields)},
};

static kt_status check_device_key(const struct kt_entry *entry, const struct place *root, struct kt_error *err)
{
	char key[KT_HASH_TEXT];
	struct place keys = member(root, "keys");
	struct place at = member(&keys, "device");
	kt_device_key(key, &entry->device);
	return strcmp(key, entry->device_key) == 0 ? KT_OK : bad(err, &at, "not the key of the device in this entry");
}

static kt_status read_entry(struct kt_entry *out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	struct place root = {NULL, NULL, 0, json};
	struct frame frame;
	char hash[KT_HASH_TEXT];
	memset(&frame, 0, sizeof frame);
	kt_status status = read_object(&frame, arena, &root, root_fields, COUNT_OF(root_fields), err);
	struct kt_entry *entry = &frame.entry;
	for (size_t i = 0; status == KT_OK && i < COUNT_OF(parts); i++) {
		struct place at = member(&root, parts[i].name);
		status = read_object(entry, arena, &at, parts[i].fields, parts[i].count, err);
	}
	struct place at = member(&root, "configuration");
	if (status == KT_OK)
		status = read_values(&entry->parameters, &entry->configuration, &entry->parameter_count, arena, &at,
		                     err);
	if (status == KT_OK && entry->parameter_count == 0 && !entry->baseline_best)
		status = bad(err, &at, "no parameter");
	if (status == KT_OK)
		status = read_problems(entry, arena, &root, err);
	if (status == KT_OK)
		status = check_device_key(entry, &root, err);
	if (status == KT_OK)
		status = kt_entry_hash(hash, json, err);
	if (status != KT_OK)
		return status;
	if (strcmp(hash, frame.hash) != 0) {
		at = member(&root, "hash");
		return bad(err, &at, "the content was changed: its hash is %s", hash);
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
