#include "base/region_print.h"

#include <math.h>

void kt_print_text(cJSON *object, const char *name, const char *text)
{
	if (text != NULL)
		(void)cJSON_AddStringToObject(object, name, text);
	else
		(void)cJSON_AddNullToObject(object, name);
}

static cJSON *range_json(struct kt_range range)
{
	cJSON *array = cJSON_CreateArray();
	(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(range.begin));
	(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(range.end));
	return array;
}

void kt_print_range(cJSON *object, const char *name, struct kt_range range)
{
	(void)cJSON_AddItemToObject(object, name, range_json(range));
}

static void print_text_item(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, cJSON_CreateString(*(const char *const *)value));
}

static void print_int_item(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, kt_json_create_int(*(const int64_t *)value));
}

static void print_expr_item(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, cJSON_CreateString(((const struct kt_clause_expr *)value)->text));
}

static void print_range_item(cJSON *array, const void *value)
{
	(void)cJSON_AddItemToArray(array, range_json(*(const struct kt_range *)value));
}

const struct kt_members kt_members_text = {.size = sizeof(const char *), .read = kt_member_text_item, .print = print_text_item};
const struct kt_members kt_members_int = {.size = sizeof(int64_t), .read = kt_member_int_item, .print = print_int_item};
const struct kt_members kt_members_expr = {
    .size = sizeof(struct kt_clause_expr), .read = kt_member_expr_item, .print = print_expr_item};
const struct kt_members kt_members_range = {
    .size = sizeof(struct kt_range), .read = kt_member_range_item, .print = print_range_item};


static const char *text_of(const struct kt_clause_expr *expr)
{
	return expr->expr != NULL ? expr->text : NULL;
}

void kt_print_texts(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
}

void kt_print_list(cJSON *object, const char *name, const void *items, size_t count, const struct kt_members *item,
                   const struct kt_region *region)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++) {
		const void *value = (const char *)items + i * item->size;
		if (item->print != NULL)
			item->print(array, value);
		else
			kt_print_members(kt_json_append(array), value, item, region);
	}
}

static void print_text(cJSON *object, const struct kt_member *m, const char *text)
{
	if (text == NULL && m->flags & KT_MEMBER_FULL)
		text = "";
	if (text != NULL || !(m->flags & KT_MEMBER_SPARSE))
		kt_print_text(object, m->name, text);
}

static void print_element(cJSON *object, const char *name, const struct kt_element *element)
{
	if (element == NULL)
		element = kt_element_of(KT_SCALAR_NONE);
	(void)cJSON_AddItemToObject(object, name, kt_element_print(element));
}

static bool is_there(const char *record, const struct kt_member *first)
{
	return first->kind != KT_MEMBER_TEXT || *(const char *const *)(const void *)(record + first->offset) != NULL;
}

static void print_member(cJSON *object, const char *record, const struct kt_member *m, const struct kt_region *region)
{
	const void *at = record + m->offset;
	const size_t *count = (const size_t *)(const void *)(record + m->count); /* of lists and extents */
	const bool is_sparse = (m->flags & KT_MEMBER_SPARSE) != 0;
	switch (m->kind) {
	case KT_MEMBER_TEXT:
		print_text(object, m, *(const char *const *)at);
		break;
	case KT_MEMBER_INT:
	case KT_MEMBER_ARGUMENT:
		if (!is_sparse || *(const int64_t *)at != m->absent)
			(void)kt_json_add_int(object, m->name, *(const int64_t *)at);
		break;
	case KT_MEMBER_DOUBLE:
		if (!is_sparse || fabs(*(const double *)at - (double)m->absent) > 0)
			(void)cJSON_AddNumberToObject(object, m->name, *(const double *)at);
		break;
	case KT_MEMBER_UINT:
		(void)kt_json_add_int(object, m->name, *(const uint32_t *)at);
		break;
	case KT_MEMBER_SIZE:
	case KT_MEMBER_INDEX:
		(void)kt_json_add_int(object, m->name, (int64_t)*(const size_t *)at);
		break;
	case KT_MEMBER_BOOL:
		if (!is_sparse || *(const bool *)at)
			(void)cJSON_AddBoolToObject(object, m->name, *(const bool *)at);
		break;
	case KT_MEMBER_RANGE:
		kt_print_range(object, m->name, *(const struct kt_range *)at);
		break;
	case KT_MEMBER_EXPR:
		print_text(object, m, text_of(at));
		break;
	case KT_MEMBER_EXTENTS:
		kt_print_list(object, m->name, at, *count, &kt_members_expr, region);
		break;
	case KT_MEMBER_WORD:
		if (!is_sparse || *(const int *)at != m->absent)
			kt_print_text(object, m->name, m->words[*(const int *)at]);
		break;
	case KT_MEMBER_LIST:
		if (!is_sparse || *count > 0)
			kt_print_list(object, m->name, *(const void *const *)at, *count, m->item, region);
		break;
	case KT_MEMBER_SOME:
		if (*count == 1)
			kt_print_members(object, *(const void *const *)at, m->item, region);
		else
			kt_print_list(object, m->name, *(const void *const *)at, *count, m->item, region);
		break;
	case KT_MEMBER_OBJECT:
		if (is_there(at, m->item->rows))
			kt_print_members(cJSON_AddObjectToObject(object, m->name), at, m->item, region);
		break;
	case KT_MEMBER_POINTER:
		if (*(const void *const *)at != NULL)
			kt_print_members(cJSON_AddObjectToObject(object, m->name), *(const void *const *)at, m->item, region);
		break;
	case KT_MEMBER_ELEMENT:
		print_element(object, m->name, *(const struct kt_element *const *)at);
		break;
	case KT_MEMBER_JSON:
		if (*(cJSON *const *)at != NULL)
			(void)cJSON_AddItemToObject(object, m->name, *(cJSON *const *)at);
		break;
	case KT_MEMBER_OWN:
		m->own->print(object, record, region);
		break;
	}
}

void kt_print_members(cJSON *object, const void *record, const struct kt_members *members, const struct kt_region *region)
{
	for (size_t i = 0; i < members->count; i++)
		print_member(object, record, &members->rows[i], region);
}
