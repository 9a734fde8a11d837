/* A generator's template as a record: what ktcc-clang rewrite answers, and what an entry carries. */
#include <string.h>

#include "base/member.h"
#include "base/template_text.h"

#define STRATEGIES_MOST 64
#define VALUES_MOST 1024

/* A list of this member, whose number is `number`. */
#define LIST_OF(type, member, number, least, most, words, record) \
	KT_MEMBER(LIST, type, member), KT_MEMBER_ITEMS(type, number, record), .low = least, .high = most, .what = words
#define IN(type, member) .offset = offsetof(type, member)

/* ---- geometry: ["grid x", …] */

static const struct kt_member extent_fields[] = {{.kind = KT_MEMBER_EXPRESSION}};
static const struct kt_members extent = {KT_MEMBERS_OF(struct kt_clause_expr, extent_fields)};
/* Of a kernel of a template. */
#define GEOMETRY(type) \
	{LIST_OF(type, grid, grid_count, 1, 3, "expressions", extent)}, {LIST_OF(type, block, block_count, 1, 3, "expressions", extent)}

/* ---- parameters */

#define NAME_SCHEMA \
	"{\"type\":\"string\",\"maxLength\":128,\"pattern\":\"^(?!(if|else|end)$)[A-Za-z_][A-Za-z0-9_]*$\"}"

static bool is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const size_t length = strlen(text);
	return length > 0 && length <= KT_PRAGMA_NAME_BYTES && strchr(letters, text[0]) != NULL &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length &&
	       strcmp(text, "if") != 0 && strcmp(text, "else") != 0 && strcmp(text, "end") != 0;
}

static kt_status check_name(const char *name, const struct kt_json_place *at, bool twice, struct kt_error *err)
{
	const struct kt_json_place here = kt_json_member(at, "name");
	if (!is_name(name))
		return kt_json_bad(err, &here, "an identifier expected");
	return !twice ? KT_OK : kt_json_bad(err, &here, "a name that is there twice");
}

static kt_status check_value(void *item, struct kt_member_reader *r)
{
	const int64_t *value = item;
	for (size_t i = 1; i <= r->at->index; i++)
		if (value[0] == *(value - i))
			return kt_member_bad(r, "a value that is there twice");
	return KT_OK;
}

static const struct kt_member value_fields[] = {{.kind = KT_MEMBER_INT, .low = INT64_MIN, .high = INT64_MAX}};
static const struct kt_members value = {KT_MEMBERS_OF(int64_t, value_fields), .check = check_value};

static kt_status read_original(void *record, struct kt_member_reader *r)
{
	struct kt_parameter *p = record;
	struct kt_error ignored;
	return cJSON_IsNull(r->at->json) || kt_json_item_int(&p->original, r->at->json, &ignored) == KT_OK
	           ? KT_OK : kt_member_bad(r, "an integer or null expected");
}

static void print_original(const void *record, struct kt_member_printer *p)
{
	const struct kt_parameter *parameter_ = record;
	kt_print_value(p, parameter_->absent ? cJSON_CreateNull() : kt_json_create_int(parameter_->original));
}

static kt_status check_parameter(void *item, struct kt_member_reader *r)
{
	struct kt_parameter *p = item;
	const cJSON *original = kt_json_member(r->at, "original").json;
	bool twice = false;
	p->kind = KT_PARAMETER_PLACEHOLDER;
	p->absent = original == NULL || cJSON_IsNull(original);
	for (size_t i = 1; i <= r->at->index; i++)
		twice = twice || strcmp((p - i)->name, p->name) == 0;
	return check_name(p->name, r->at, twice, r->err);
}

static const struct kt_member_own original_own = {.read = read_original, .print = print_original};
static const struct kt_member parameter_fields[] = {
    {.name = "name", .kind = KT_MEMBER_LINE, IN(struct kt_parameter, name), .schema = NAME_SCHEMA},
    {LIST_OF(struct kt_parameter, values, value_count, 1, VALUES_MOST, "integers", value)},
    {.name = "original", .kind = KT_MEMBER_OWN, .own = &original_own, .flags = KT_MEMBER_LENIENT,
     .schema = "{\"anyOf\":[" KT_SCHEMA_NUMBER ",{\"type\":\"null\"}]}"},
    {.name = "meaning", .kind = KT_MEMBER_LINE, IN(struct kt_parameter, meaning)},
};
static const struct kt_members parameter = {KT_MEMBERS_CLOSED(struct kt_parameter, parameter_fields), .check = check_parameter};

static const struct kt_member strategy_fields[] = {
    {.name = "name", .kind = KT_MEMBER_LINE, IN(struct kt_template_strategy, name)},
    {.name = "reason", .kind = KT_MEMBER_LINE, IN(struct kt_template_strategy, reason)},
};
static const struct kt_members strategy = {KT_MEMBERS_CLOSED(struct kt_template_strategy, strategy_fields)};

/* ---- conditions, which a template has in two arrays */

struct condition {
	struct kt_clause_expr clause;
	const char *reason;
};
struct conditions {
	size_t count;
	struct condition *items;
};
static const struct kt_member condition_fields[] = {
    {.name = "text", .kind = KT_MEMBER_EXPRESSION, IN(struct condition, clause)},
    {.name = "reason", .kind = KT_MEMBER_LINE, IN(struct condition, reason)},
};
static const struct kt_members condition = {KT_MEMBERS_CLOSED(struct condition, condition_fields)};
static const struct kt_member conditions_fields[] = {
    {.kind = KT_MEMBER_LIST, IN(struct conditions, items), KT_MEMBER_ITEMS(struct conditions, count, condition),
     .high = KT_CLAUSE_ITEMS, .what = "conditions"}};
static const struct kt_members conditions = {KT_MEMBERS_OF(struct conditions, conditions_fields)};

static kt_status read_conditions(const struct kt_clause_expr **clauses, const char *const **reasons, size_t *count,
                                 struct kt_member_reader *r)
{
	struct conditions read = {0};
	struct kt_clause_expr *texts;
	const char **why;
	TRY(kt_members_read(&read, &conditions, r));
	NEED(texts = kt_arena_array(r->arena, read.count + 1, sizeof *texts), kt_no_memory(r->err));
	NEED(why = kt_arena_array(r->arena, read.count + 1, sizeof *why), kt_no_memory(r->err));
	for (size_t i = 0; i < read.count; i++) {
		texts[i] = read.items[i].clause;
		why[i] = read.items[i].reason;
	}
	*clauses = texts;
	*reasons = why;
	*count = read.count;
	return KT_OK;
}

static void print_conditions(const struct kt_clause_expr *clauses, const char *const *reasons, size_t count,
                             struct kt_member_printer *p)
{
	cJSON *out = cJSON_CreateArray();
	for (size_t i = 0; i < count; i++) {
		const struct condition one = {clauses[i], reasons != NULL ? reasons[i] : ""};
		p->failed = !cJSON_AddItemToArray(out, kt_members_json(&one, &condition)) || p->failed;
	}
	kt_print_value(p, out);
}

#define CONDITIONS(name) \
	static kt_status read_##name##s(void *record, struct kt_member_reader *r) \
	{ \
		struct kt_template *t = record; \
		return read_conditions(&t->name##s, &t->name##_reasons, &t->name##_count, r); \
	} \
	static void print_##name##s(const void *record, struct kt_member_printer *p) \
	{ \
		const struct kt_template *t = record; \
		print_conditions(t->name##s, t->name##_reasons, t->name##_count, p); \
	} \
	static const struct kt_member_own name##s_own = {.read = read_##name##s, .print = print_##name##s, .like = &conditions}
CONDITIONS(restriction);
CONDITIONS(guard);

/* ---- a plan of several kernels: those after the first, and its memory */

static kt_status check_text(const struct kt_template *t, const char *text, const struct kt_json_place *at, const char *name,
                            struct kt_error *err)
{
	const struct kt_json_place here = {at, name, 0, NULL};
	struct kt_error why;
	return kt_template_check_text(t, text, &why) == KT_OK
	           ? KT_OK : kt_json_bad(err, &here, "byte %u: %s", why.offset, why.message);
}

static kt_status check_further(void *item, struct kt_member_reader *r)
{
	const struct kt_template_kernel *kernel = item;
	TRY(check_text(r->whole, kernel->head, r->at, "head", r->err));
	return check_text(r->whole, kernel->body, r->at, "body", r->err);
}

static const struct kt_member further_fields[] = {
    GEOMETRY(struct kt_template_kernel),
    {.name = "head", .kind = KT_MEMBER_LINES, IN(struct kt_template_kernel, head)},
    {.name = "body", .kind = KT_MEMBER_LINES, IN(struct kt_template_kernel, body)},
};
static const struct kt_members further = {KT_MEMBERS_CLOSED(struct kt_template_kernel, further_fields), .check = check_further};

static kt_status read_element(void *record, struct kt_member_reader *r)
{
	struct kt_template_temporary *t = record;
	t->element = cJSON_IsString(r->at->json) ? kt_scalar_from_name(r->at->json->valuestring) : KT_SCALAR_NONE;
	return t->element != KT_SCALAR_NONE ? KT_OK : kt_member_bad(r, "an element type expected");
}

static void print_element(const void *record, struct kt_member_printer *p)
{
	kt_print_value(p, cJSON_CreateString(kt_scalar_name(((const struct kt_template_temporary *)record)->element)));
}

static kt_status check_temporary(void *item, struct kt_member_reader *r)
{
	const struct kt_template_temporary *t = item;
	bool twice = false;
	for (size_t i = 1; i <= r->at->index; i++)
		twice = twice || strcmp((t - i)->name, t->name) == 0;
	return check_name(t->name, r->at, twice, r->err);
}

static const struct kt_member_own element_own = {.read = read_element, .print = print_element};
static const struct kt_member temporary_fields[] = {
    {.name = "name", .kind = KT_MEMBER_LINE, IN(struct kt_template_temporary, name), .schema = NAME_SCHEMA},
    {.name = "element", .kind = KT_MEMBER_OWN, .own = &element_own,
     .schema = "{\"enum\":[\"bool\",\"i8\",\"u8\",\"i16\",\"u16\",\"i32\",\"u32\",\"i64\",\"u64\",\"f16\",\"bf16\",\"f32\",\"f64\"]}"},
    {.name = "count", .kind = KT_MEMBER_EXPRESSION, IN(struct kt_template_temporary, count)},
};
static const struct kt_members temporary = {KT_MEMBERS_CLOSED(struct kt_template_temporary, temporary_fields), .check = check_temporary};

/* ---- the template */

static const struct kt_member template_fields[] = {
    {.name = "generator", .kind = KT_MEMBER_LINE, IN(struct kt_template, generator)},
    {.name = "rationale", .kind = KT_MEMBER_LINE, IN(struct kt_template, rationale)},
    {LIST_OF(struct kt_template, strategies, strategy_count, 0, STRATEGIES_MOST, "strategies", strategy), .flags = KT_MEMBER_LENIENT},
    {LIST_OF(struct kt_template, parameters, parameter_count, 1, KT_PARAMETERS, "parameters", parameter)},
    {.name = "restrictions", .kind = KT_MEMBER_OWN, .own = &restrictions_own, .flags = KT_MEMBER_LENIENT},
    {.name = "guards", .kind = KT_MEMBER_OWN, .own = &guards_own, .flags = KT_MEMBER_LENIENT},
    GEOMETRY(struct kt_template),
    {.name = "shared_bytes", .kind = KT_MEMBER_EXPRESSION, IN(struct kt_template, shared_bytes)},
    {.name = "concrete", .kind = KT_MEMBER_BOOL, IN(struct kt_template, concrete), .schema = "{\"const\":true}"},
    {.name = "specialised", .kind = KT_MEMBER_BOOL, IN(struct kt_template, is_specialised), .flags = KT_MEMBER_SPARSE},
    {.name = "helpers", .kind = KT_MEMBER_LINES, IN(struct kt_template, helpers)},
    {.name = "head", .kind = KT_MEMBER_LINES, IN(struct kt_template, head)},
    {.name = "body", .kind = KT_MEMBER_LINES, IN(struct kt_template, body)},
    {LIST_OF(struct kt_template, further, further_count, 0, KT_STEPS - 1, "kernels", further), .flags = KT_MEMBER_SPARSE},
    {LIST_OF(struct kt_template, temporaries, temporary_count, 0, KT_TEMPORARIES, "buffers", temporary), .flags = KT_MEMBER_SPARSE},
};
const struct kt_members kt_template_record = {KT_MEMBERS_CLOSED(struct kt_template, template_fields)};

kt_status kt_template_read(struct kt_template **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	const struct kt_json_place at = {.json = json}, temporaries = kt_json_member(&at, "temporaries"),
	                           concrete = kt_json_member(&at, "concrete");
	struct kt_template *t;
	NEED(t = kt_arena_alloc(arena, sizeof *t), kt_no_memory(err));
	TRY(kt_members_parse(t, json, &kt_template_record, arena, err));
	if (!t->concrete)
		return kt_json_bad(err, &concrete, "true expected");
	TRY(check_text(t, t->helpers, &at, "helpers", err));
	TRY(check_text(t, t->head, &at, "head", err));
	TRY(check_text(t, t->body, &at, "body", err));
	if (t->temporary_count != 0 && t->further_count == 0)
		return kt_json_bad(err, &temporaries, "temporaries are for a plan of several kernels");
	*out = t;
	return KT_OK;
}

cJSON *kt_template_json(const struct kt_template *t)
{
	return kt_members_json(t, &kt_template_record);
}
