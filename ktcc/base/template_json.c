/* A generator's template as a record: what ktcc-clang rewrite answers, and what an entry carries. */
#include <string.h>

#include "base/shape.h"
#include "base/template_text.h"

#define STRATEGIES_MOST 64
#define VALUES_MOST 1024

/* `member` of a record of this type, whose number is `member_count`. */
#define LIST_OF(type, member, number, low, high, words, record) \
	.count = offsetof(type, number), .size = sizeof *((type *)NULL)->member, .least = low, .most = high, .what = words, \
	.item = &(record)
#define IN(type, member) .offset = offsetof(type, member)

/* ---- geometry: ["grid x", …] */

static const struct kt_shape_field extent_fields[] = {{.kind = KT_SHAPE_EXPRESSION}};
static const struct kt_shape extent = KT_SHAPE(extent_fields);
static const struct kt_shape_list grid_list = {LIST_OF(struct kt_template, grid, grid_count, 1, 3, "expressions", extent)};
static const struct kt_shape_list block_list = {LIST_OF(struct kt_template, block, block_count, 1, 3, "expressions", extent)};

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
	const struct kt_json_place here = kt_shape_member(at, "name");
	if (!is_name(name))
		return kt_shape_bad(err, &here, "an identifier expected");
	return !twice ? KT_OK : kt_shape_bad(err, &here, "a name that is there twice");
}

static kt_status check_value(void *item, const void *whole, const struct kt_json_place *at, struct kt_error *err)
{
	const int64_t *value = item;
	(void)whole;
	for (size_t i = 1; i <= at->index; i++)
		if (value[0] == *(value - i))
			return kt_shape_bad(err, at, "a value that is there twice");
	return KT_OK;
}

static const struct kt_shape_field value_fields[] = {{.kind = KT_SHAPE_INT, .low = INT64_MIN, .high = INT64_MAX}};
static const struct kt_shape value = KT_SHAPE(value_fields);
static const struct kt_shape_list value_list = {LIST_OF(struct kt_parameter, values, value_count, 1, VALUES_MOST, "integers", value),
                                               .check = check_value};

static kt_status read_original(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	struct kt_parameter *p = record;
	struct kt_error ignored;
	(void)arena;
	return cJSON_IsNull(at->json) || kt_json_item_int(&p->original, at->json, &ignored) == KT_OK
	           ? KT_OK : kt_shape_bad(err, at, "an integer or null expected");
}

static cJSON *print_original(const void *record, bool *failed)
{
	const struct kt_parameter *p = record;
	cJSON *made = p->absent ? cJSON_CreateNull() : kt_shape_print(&p->original, &value);
	*failed = *failed || made == NULL;
	return made;
}

static kt_status check_parameter(void *item, const void *whole, const struct kt_json_place *at, struct kt_error *err)
{
	struct kt_parameter *p = item;
	const cJSON *original = kt_shape_member(at, "original").json;
	bool twice = false;
	(void)whole;
	p->kind = KT_PARAMETER_PLACEHOLDER;
	p->absent = original == NULL || cJSON_IsNull(original);
	for (size_t i = 1; i <= at->index; i++)
		twice = twice || strcmp((p - i)->name, p->name) == 0;
	return check_name(p->name, at, twice, err);
}

static const struct kt_shape_own original_own = {.read = read_original, .print = print_original};
static const struct kt_shape_field parameter_fields[] = {
    {.name = "name", .kind = KT_SHAPE_TEXT, IN(struct kt_parameter, name), .schema = NAME_SCHEMA},
    {.name = "values", .kind = KT_SHAPE_LIST, IN(struct kt_parameter, values), .list = &value_list},
    {.name = "original", .kind = KT_SHAPE_OWN, .own = &original_own, .lenient = true,
     .schema = "{\"anyOf\":[" KT_SCHEMA_NUMBER ",{\"type\":\"null\"}]}"},
    {.name = "meaning", .kind = KT_SHAPE_TEXT, IN(struct kt_parameter, meaning)},
};
static const struct kt_shape parameter = KT_SHAPE(parameter_fields);
static const struct kt_shape_list parameter_list = {
    LIST_OF(struct kt_template, parameters, parameter_count, 1, KT_PARAMETERS, "parameters", parameter), .check = check_parameter};

static const struct kt_shape_field strategy_fields[] = {
    {.name = "name", .kind = KT_SHAPE_TEXT, IN(struct kt_template_strategy, name)},
    {.name = "reason", .kind = KT_SHAPE_TEXT, IN(struct kt_template_strategy, reason)},
};
static const struct kt_shape strategy = KT_SHAPE(strategy_fields);
static const struct kt_shape_list strategy_list = {
    LIST_OF(struct kt_template, strategies, strategy_count, 0, STRATEGIES_MOST, "strategies", strategy)};

/* ---- conditions, which a template has in two arrays */

struct condition {
	struct kt_clause_expr clause;
	const char *reason;
};
struct conditions {
	size_t count;
	struct condition *items;
};
static const struct kt_shape_field condition_fields[] = {
    {.name = "text", .kind = KT_SHAPE_EXPRESSION, IN(struct condition, clause)},
    {.name = "reason", .kind = KT_SHAPE_TEXT, IN(struct condition, reason)},
};
static const struct kt_shape condition = KT_SHAPE(condition_fields);
static const struct kt_shape_list condition_list = {LIST_OF(struct conditions, items, count, 0, KT_CLAUSE_ITEMS, "conditions", condition)};
static const struct kt_shape_field conditions_fields[] = {{.kind = KT_SHAPE_LIST, IN(struct conditions, items), .list = &condition_list}};
static const struct kt_shape conditions = KT_SHAPE(conditions_fields);

static kt_status read_conditions(const struct kt_clause_expr **clauses, const char *const **reasons, size_t *count,
                                 struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	struct conditions read = {0};
	struct kt_clause_expr *texts;
	const char **why;
	TRY(kt_shape_read(&read, arena, at, &conditions, err));
	NEED(texts = kt_arena_array(arena, read.count + 1, sizeof *texts), kt_no_memory(err));
	NEED(why = kt_arena_array(arena, read.count + 1, sizeof *why), kt_no_memory(err));
	for (size_t i = 0; i < read.count; i++) {
		texts[i] = read.items[i].clause;
		why[i] = read.items[i].reason;
	}
	*clauses = texts;
	*reasons = why;
	*count = read.count;
	return KT_OK;
}

static cJSON *print_conditions(const struct kt_clause_expr *clauses, const char *const *reasons, size_t count, bool *failed)
{
	cJSON *out = cJSON_CreateArray();
	for (size_t i = 0; i < count; i++) {
		const struct condition one = {clauses[i], reasons != NULL ? reasons[i] : ""};
		*failed = !cJSON_AddItemToArray(out, kt_shape_print(&one, &condition)) || *failed;
	}
	*failed = *failed || out == NULL;
	return out;
}

#define CONDITIONS(name) \
	static kt_status read_##name##s(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err) \
	{ \
		struct kt_template *t = record; \
		return read_conditions(&t->name##s, &t->name##_reasons, &t->name##_count, arena, at, err); \
	} \
	static cJSON *print_##name##s(const void *record, bool *failed) \
	{ \
		const struct kt_template *t = record; \
		return print_conditions(t->name##s, t->name##_reasons, t->name##_count, failed); \
	} \
	static const struct kt_shape_own name##s_own = {.read = read_##name##s, .print = print_##name##s, .like = &conditions}
CONDITIONS(restriction);
CONDITIONS(guard);

/* ---- a plan of several kernels: those after the first, and its memory */

static kt_status check_text(const struct kt_template *t, const char *text, const struct kt_json_place *at, const char *name,
                            struct kt_error *err)
{
	const struct kt_json_place here = {at, name, 0, NULL};
	struct kt_error why;
	return kt_template_check_text(t, text, &why) == KT_OK
	           ? KT_OK : kt_shape_bad(err, &here, "byte %u: %s", why.offset, why.message);
}

static kt_status check_further(void *item, const void *whole, const struct kt_json_place *at, struct kt_error *err)
{
	const struct kt_template_kernel *kernel = item;
	TRY(check_text(whole, kernel->head, at, "head", err));
	return check_text(whole, kernel->body, at, "body", err);
}

static const struct kt_shape_list further_grid = {LIST_OF(struct kt_template_kernel, grid, grid_count, 1, 3, "expressions", extent)};
static const struct kt_shape_list further_block = {LIST_OF(struct kt_template_kernel, block, block_count, 1, 3, "expressions", extent)};
static const struct kt_shape_field further_fields[] = {
    {.name = "grid", .kind = KT_SHAPE_LIST, IN(struct kt_template_kernel, grid), .list = &further_grid},
    {.name = "block", .kind = KT_SHAPE_LIST, IN(struct kt_template_kernel, block), .list = &further_block},
    {.name = "head", .kind = KT_SHAPE_LINES, IN(struct kt_template_kernel, head)},
    {.name = "body", .kind = KT_SHAPE_LINES, IN(struct kt_template_kernel, body)},
};
static const struct kt_shape further = KT_SHAPE(further_fields);
static const struct kt_shape_list further_list = {LIST_OF(struct kt_template, further, further_count, 0, KT_STEPS - 1, "kernels", further),
                                                 .check = check_further};

static kt_status read_element(void *record, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	struct kt_template_temporary *t = record;
	(void)arena;
	t->element = cJSON_IsString(at->json) ? kt_scalar_from_name(at->json->valuestring) : KT_SCALAR_NONE;
	return t->element != KT_SCALAR_NONE ? KT_OK : kt_shape_bad(err, at, "an element type expected");
}

static cJSON *print_element(const void *record, bool *failed)
{
	cJSON *made = cJSON_CreateString(kt_scalar_name(((const struct kt_template_temporary *)record)->element));
	*failed = *failed || made == NULL;
	return made;
}

static kt_status check_temporary(void *item, const void *whole, const struct kt_json_place *at, struct kt_error *err)
{
	const struct kt_template_temporary *t = item;
	bool twice = false;
	(void)whole;
	for (size_t i = 1; i <= at->index; i++)
		twice = twice || strcmp((t - i)->name, t->name) == 0;
	return check_name(t->name, at, twice, err);
}

static const struct kt_shape_own element_own = {.read = read_element, .print = print_element};
static const struct kt_shape_field temporary_fields[] = {
    {.name = "name", .kind = KT_SHAPE_TEXT, IN(struct kt_template_temporary, name), .schema = NAME_SCHEMA},
    {.name = "element", .kind = KT_SHAPE_OWN, .own = &element_own,
     .schema = "{\"enum\":[\"bool\",\"i8\",\"u8\",\"i16\",\"u16\",\"i32\",\"u32\",\"i64\",\"u64\",\"f16\",\"bf16\",\"f32\",\"f64\"]}"},
    {.name = "count", .kind = KT_SHAPE_EXPRESSION, IN(struct kt_template_temporary, count)},
};
static const struct kt_shape temporary = KT_SHAPE(temporary_fields);
static const struct kt_shape_list temporary_list = {
    LIST_OF(struct kt_template, temporaries, temporary_count, 0, KT_TEMPORARIES, "buffers", temporary), .check = check_temporary};

/* ---- the template */

static const struct kt_shape_field template_fields[] = {
    {.name = "generator", .kind = KT_SHAPE_TEXT, IN(struct kt_template, generator)},
    {.name = "rationale", .kind = KT_SHAPE_TEXT, IN(struct kt_template, rationale)},
    {.name = "strategies", .kind = KT_SHAPE_LIST, IN(struct kt_template, strategies), .list = &strategy_list, .lenient = true},
    {.name = "parameters", .kind = KT_SHAPE_LIST, IN(struct kt_template, parameters), .list = &parameter_list},
    {.name = "restrictions", .kind = KT_SHAPE_OWN, .own = &restrictions_own, .lenient = true},
    {.name = "guards", .kind = KT_SHAPE_OWN, .own = &guards_own, .lenient = true},
    {.name = "grid", .kind = KT_SHAPE_LIST, IN(struct kt_template, grid), .list = &grid_list},
    {.name = "block", .kind = KT_SHAPE_LIST, IN(struct kt_template, block), .list = &block_list},
    {.name = "shared_bytes", .kind = KT_SHAPE_EXPRESSION, IN(struct kt_template, shared_bytes)},
    {.name = "concrete", .kind = KT_SHAPE_BOOL, IN(struct kt_template, concrete), .schema = "{\"const\":true}"},
    {.name = "specialised", .kind = KT_SHAPE_BOOL, IN(struct kt_template, is_specialised), .optional = true},
    {.name = "helpers", .kind = KT_SHAPE_LINES, IN(struct kt_template, helpers)},
    {.name = "head", .kind = KT_SHAPE_LINES, IN(struct kt_template, head)},
    {.name = "body", .kind = KT_SHAPE_LINES, IN(struct kt_template, body)},
    {.name = "further", .kind = KT_SHAPE_LIST, IN(struct kt_template, further), .list = &further_list, .optional = true},
    {.name = "temporaries", .kind = KT_SHAPE_LIST, IN(struct kt_template, temporaries), .list = &temporary_list, .optional = true},
};
const struct kt_shape kt_template_record = KT_SHAPE(template_fields);

kt_status kt_template_read(struct kt_template **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	const struct kt_json_place at = {.json = json}, temporaries = kt_shape_member(&at, "temporaries"),
	                           concrete = kt_shape_member(&at, "concrete");
	struct kt_template *t;
	NEED(t = kt_arena_alloc(arena, sizeof *t), kt_no_memory(err));
	TRY(kt_shape_read(t, arena, &at, &kt_template_record, err));
	if (!t->concrete)
		return kt_shape_bad(err, &concrete, "true expected");
	TRY(check_text(t, t->helpers, &at, "helpers", err));
	TRY(check_text(t, t->head, &at, "head", err));
	TRY(check_text(t, t->body, &at, "body", err));
	if (t->temporary_count != 0 && t->further_count == 0)
		return kt_shape_bad(err, &temporaries, "temporaries are for a plan of several kernels");
	*out = t;
	return KT_OK;
}

cJSON *kt_template_json(const struct kt_template *t)
{
	return kt_shape_print(t, &kt_template_record);
}
