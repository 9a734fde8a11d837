#include "base/region_print.h"

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

void kt_print_range_item(cJSON *array, struct kt_range range)
{
	(void)cJSON_AddItemToArray(array, range_json(range));
}

void kt_print_exprs(cJSON *object, const char *name, const struct kt_clause_expr *exprs, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(exprs[i].text));
}

void kt_print_expr(cJSON *object, const char *name, const struct kt_clause_expr *expr)
{
	kt_print_text(object, name, expr->expr != NULL ? expr->text : NULL);
}

void kt_print_texts(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
}

void kt_print_int(cJSON *array, int64_t value)
{
	cJSON *holder = cJSON_CreateObject();
	(void)kt_json_add_int(holder, "v", value);
	(void)cJSON_AddItemToArray(array, cJSON_DetachItemFromObject(holder, "v"));
	cJSON_Delete(holder);
}

cJSON *kt_print_object(cJSON *array)
{
	cJSON *object = cJSON_CreateObject();
	(void)cJSON_AddItemToArray(array, object);
	return object;
}

