#include "base/region_members.h"

#include <string.h>

kt_status kt_member_no_memory(struct kt_region_reader *r)
{
	return kt_fail(r->err, KT_ERR_MEMORY, "out of memory reading regions");
}

kt_status kt_members_list(void *items, size_t *count, const cJSON *object, const char *name,
                          const struct kt_members *item, struct kt_region_reader *r)
{
	const cJSON *array = NULL;
	kt_status status = kt_json_array_or(&array, object, name, r->err);
	*count = 0;
	if (status != KT_OK || array == NULL || cJSON_GetArraySize(array) == 0)
		return status;
	size_t total = (size_t)cJSON_GetArraySize(array);
	char *base;
	NEED(base = kt_arena_array(r->arena, total, item->size), kt_member_no_memory(r));
	memcpy(items, &base, sizeof base);
	for (const cJSON *child = array->child; child != NULL; child = child->next, (*count)++) {
		void *out = base + *count * item->size;
		status = item->read != NULL ? item->read(out, child, r) : kt_members_read(out, child, item, r);
		if (status != KT_OK)
			return kt_fail_prefix(r->err, "%s/%zu", name, *count);
	}
	return KT_OK;
}

kt_status kt_member_list(void *items, size_t *count, size_t size, const cJSON *object, const char *name,
                         kt_member_item item, struct kt_region_reader *r)
{
	const struct kt_members value = {.size = size, .read = item};
	return kt_members_list(items, count, object, name, &value, r);
}

kt_status kt_member_object(const cJSON *json, struct kt_region_reader *r)
{
	return cJSON_IsObject(json) ? KT_OK : kt_fail(r->err, KT_ERR_SYNTAX, "not an object");
}

static kt_status text_or(const char **out, const cJSON *json, const char *name, const char *fallback,
                         struct kt_region_reader *r)
{
	return kt_json_string_or(out, r->arena, json, name, fallback, r->err);
}

static kt_status argument_or(int64_t *out, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_json_int_or(out, json, "argument", -1, r->err));
	if (*out < -1 || *out >= (int64_t)(r->region->argument_count + r->region->member_count))
		return kt_fail(r->err, KT_ERR_INVALID, "argument is out of range");
	return KT_OK;
}

static kt_status size_or(size_t *out, const cJSON *json, const char *name, struct kt_region_reader *r)
{
	int64_t value = 0;
	kt_status status = kt_json_int_or(&value, json, name, 0, r->err);
	if (status == KT_OK && value < 0)
		return kt_fail(r->err, KT_ERR_INVALID, "%s is negative", name);
	*out = (size_t)value;
	return status;
}

static kt_status uint_or(uint32_t *out, const cJSON *json, const char *name, struct kt_region_reader *r)
{
	size_t value = 0;
	kt_status status = size_or(&value, json, name, r);
	if (status == KT_OK && value > UINT32_MAX)
		return kt_fail(r->err, KT_ERR_INVALID, "%s is too large", name);
	*out = (uint32_t)value;
	return status;
}

kt_status kt_member_range_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	int64_t begin = 0, end = 0;
	if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 2)
		return kt_fail(r->err, KT_ERR_SYNTAX, "a range is [begin, end]");
	kt_status status = kt_json_item_int(&begin, cJSON_GetArrayItem(json, 0), r->err);
	THEN(status, kt_json_item_int(&end, cJSON_GetArrayItem(json, 1), r->err));
	if (status == KT_OK && (begin < 0 || end < begin || end > UINT32_MAX))
		return kt_fail(r->err, KT_ERR_INVALID, "a range must not end before it begins");
	*(struct kt_range *)out = (struct kt_range){(uint32_t)begin, (uint32_t)end};
	return status;
}

kt_status kt_member_range_or(struct kt_range *out, const cJSON *json, const char *name, struct kt_region_reader *r)
{
	const cJSON *array = NULL;
	kt_status status = kt_json_array_or(&array, json, name, r->err);
	*out = (struct kt_range){0, 0};
	if (status != KT_OK || array == NULL)
		return status;
	return kt_member_range_item(out, array, r) == KT_OK ? KT_OK : kt_fail_prefix(r->err, "%s", name);
}

kt_status kt_member_text_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	if (!cJSON_IsString(json))
		return kt_fail(r->err, KT_ERR_SYNTAX, "not a string");
	char *copy = kt_arena_strdup(r->arena, json->valuestring);
	*(const char **)out = copy;
	return copy != NULL ? KT_OK : kt_member_no_memory(r);
}

kt_status kt_member_int_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	return kt_json_item_int(out, json, r->err);
}

kt_status kt_member_bool_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	*(bool *)out = cJSON_IsTrue(json);
	return cJSON_IsBool(json) ? KT_OK : kt_fail(r->err, KT_ERR_SYNTAX, "not a boolean");
}

static kt_status parse_expr(struct kt_clause_expr *out, const char *text, struct kt_region_reader *r)
{
	*out = (struct kt_clause_expr){.text = text};
	return kt_expr_parse(&out->expr, r->arena, text, strlen(text), r->err);
}

kt_status kt_member_expr_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	const char *text = NULL;
	kt_status status = kt_member_text_item(&text, json, r);
	return status == KT_OK ? parse_expr(out, text, r) : status;
}

kt_status kt_member_expr_or(struct kt_clause_expr *out, const cJSON *json, const char *name, struct kt_region_reader *r)
{
	const char *text = NULL;
	kt_status status = text_or(&text, json, name, NULL, r);
	*out = (struct kt_clause_expr){0};
	if (status != KT_OK || text == NULL)
		return status;
	return parse_expr(out, text, r) == KT_OK ? KT_OK : kt_fail_prefix(r->err, "%s", name);
}

static kt_status extents_or(struct kt_clause_expr out[3], size_t *count, const cJSON *json, const char *name,
                            struct kt_region_reader *r)
{
	struct kt_clause_expr *items = NULL;
	TRY(kt_member_list(&items, count, sizeof *items, json, name, kt_member_expr_item, r));
	if (*count > 3)
		return kt_fail(r->err, KT_ERR_INVALID, "%s has more than three extents", name);
	for (size_t i = 0; i < *count; i++)
		out[i] = items[i];
	return KT_OK;
}

static kt_status member_word(int *out, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	const char *text = NULL;
	TRY(text_or(&text, json, m->name, m->words[m->absent], r));
	for (size_t i = 0; i < m->word_count; i++)
		if (strcmp(m->words[i], text) == 0) {
			*out = (int)i;
			return KT_OK;
		}
	return kt_fail(r->err, KT_ERR_INVALID, "%s is \"%.60s\", which is unknown", m->name, text);
}

kt_status kt_member_word_or(int *out, const cJSON *json, const char *name, const char *const *words, size_t count,
                            struct kt_region_reader *r)
{
	return member_word(out, json, &(struct kt_member){.name = name, .words = words, .word_count = count}, r);
}

/* ---- records by their tables */

static kt_status read_index(size_t *out, const cJSON *json, const char *name, struct kt_region_reader *r)
{
	int64_t value = 0;
	TRY(kt_json_int(&value, json, name, r->err));
	*out = (size_t)value;
	return KT_OK;
}

static kt_status read_object(void *record, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	const cJSON *object = NULL;
	TRY(kt_json_object_or(&object, json, m->name, r->err));
	return object != NULL ? kt_members_read(record, object, m->item, r) : KT_OK;
}

static kt_status read_pointer(void *to, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	const cJSON *object = NULL;
	TRY(kt_json_object_or(&object, json, m->name, r->err));
	void *record = object != NULL ? kt_arena_alloc(r->arena, m->item->size) : NULL;
	if (object == NULL)
		return KT_OK;
	NEED(record, kt_member_no_memory(r));
	memcpy(to, &record, sizeof record);
	return kt_members_read(record, object, m->item, r);
}

static kt_status read_some(void *to, size_t *count, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	void *one = NULL;
	if (cJSON_HasObjectItem(json, m->name))
		return kt_members_list(to, count, json, m->name, m->item, r);
	NEED(one = kt_arena_alloc(r->arena, m->item->size), kt_member_no_memory(r));
	memcpy(to, &one, sizeof one);
	*count = 1;
	return kt_members_read(one, json, m->item, r);
}

static kt_status member_list(void *to, size_t *count, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, m->name);
	if (array == NULL && m->flags & KT_MEMBER_REQUIRED)
		return kt_fail(r->err, KT_ERR_INVALID, "%s is missing", m->name);
	if (m->absent > 0 && cJSON_GetArraySize(array) > m->absent)
		return kt_fail(r->err, KT_ERR_LIMIT, "%s has %d items, at most %d are allowed", m->name, cJSON_GetArraySize(array),
		               (int)m->absent);
	return kt_members_list(to, count, json, m->name, m->item, r);
}

static kt_status read_member(char *record, const cJSON *json, const struct kt_member *m, struct kt_region_reader *r)
{
	void *to = record + m->offset;
	size_t *count = (size_t *)(void *)(record + m->count);
	switch (m->kind) {
	case KT_MEMBER_TEXT:
		return m->flags & KT_MEMBER_REQUIRED
		           ? kt_json_string(to, r->arena, json, m->name, r->err)
		           : text_or(to, json, m->name, m->flags & KT_MEMBER_EMPTY ? "" : NULL, r);
	case KT_MEMBER_INT:
		return m->flags & KT_MEMBER_REQUIRED ? kt_json_int(to, json, m->name, r->err)
		                                     : kt_json_int_or(to, json, m->name, m->absent, r->err);
	case KT_MEMBER_DOUBLE:
		return kt_json_double_or(to, json, m->name, (double)m->absent, r->err);
	case KT_MEMBER_UINT:
		return uint_or(to, json, m->name, r);
	case KT_MEMBER_SIZE:
		return size_or(to, json, m->name, r);
	case KT_MEMBER_INDEX:
		return read_index(to, json, m->name, r);
	case KT_MEMBER_ARGUMENT:
		return argument_or(to, json, r);
	case KT_MEMBER_BOOL:
		return kt_json_bool_or(to, json, m->name, false, r->err);
	case KT_MEMBER_RANGE:
		return kt_member_range_or(to, json, m->name, r);
	case KT_MEMBER_EXPR:
		return kt_member_expr_or(to, json, m->name, r);
	case KT_MEMBER_EXTENTS:
		return extents_or(to, count, json, m->name, r);
	case KT_MEMBER_WORD:
		return member_word(to, json, m, r);
	case KT_MEMBER_LIST:
		return member_list(to, count, json, m, r);
	case KT_MEMBER_SOME:
		return read_some(to, count, json, m, r);
	case KT_MEMBER_OBJECT:
		return read_object(to, json, m, r);
	case KT_MEMBER_POINTER:
		return read_pointer(to, json, m, r);
	case KT_MEMBER_ELEMENT:
		return kt_element_read(to, r->arena, cJSON_GetObjectItemCaseSensitive(json, m->name), r->err);
	case KT_MEMBER_JSON:
		*(const cJSON **)to = cJSON_GetObjectItemCaseSensitive(json, m->name);
		return KT_OK;
	case KT_MEMBER_OWN:
		break;
	}
	return m->own->read(record, json, r);
}

kt_status kt_members_read(void *record, const cJSON *json, const struct kt_members *members, struct kt_region_reader *r)
{
	TRY(kt_member_object(json, r));
	for (size_t i = 0; i < members->count; i++)
		TRY(read_member(record, json, &members->rows[i], r));
	return members->check != NULL ? members->check(record, r) : KT_OK;
}
