#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

/* Largest magnitude up to which a double represents every integer exactly. */
#define EXACT 9007199254740992.0

kt_status kt_json_parse(cJSON **out, const char *text, size_t size, struct kt_error *err)
{
	const char *end = NULL;
	cJSON *value = cJSON_ParseWithLengthOpts(text, size, &end, false);

	if (value == NULL)
		return kt_fail_at(err, KT_ERR_SYNTAX, end != NULL ? (unsigned)(end - text) : 0, "not JSON at byte %td",
		                  end != NULL ? end - text : (ptrdiff_t)0);
	while (end < text + size && (*end == ' ' || *end == '\n' || *end == '\t' || *end == '\r' || *end == '\0'))
		end++;
	if (end != text + size) {
		cJSON_Delete(value);
		return kt_fail_at(err, KT_ERR_SYNTAX, (unsigned)(end - text), "text after the JSON value at byte %td",
		                  end - text);
	}
	*out = value;
	return KT_OK;
}

kt_status kt_json_read_file(cJSON **out, const char *path, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_MESSAGE_BYTES);
	kt_status status = kt_fs_read(&text, path, err);

	if (status == KT_OK && kt_json_parse(out, kt_buf_text(&text), text.size, err) != KT_OK)
		status = kt_fail_prefix(err, "%s", path);
	kt_buf_free(&text);
	return status;
}

static kt_status wrong_type(const char *name, const char *wanted, struct kt_error *err)
{
	return kt_fail(err, KT_ERR_INVALID, "/%s: %s expected", name, wanted);
}

static const cJSON *member(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNull(item) ? NULL : item;
}

kt_status kt_json_string_or(const char **out, struct kt_arena *arena, const cJSON *object, const char *name,
                            const char *fallback, struct kt_error *err)
{
	const cJSON *item = member(object, name);
	const char *text;

	if (item == NULL) {
		*out = fallback;
		return KT_OK;
	}
	if (!cJSON_IsString(item))
		return wrong_type(name, "a string", err);
	NEED(text = kt_arena_strdup(arena, item->valuestring), kt_fail(err, KT_ERR_MEMORY, "/%s: out of memory", name));
	*out = text;
	return KT_OK;
}

kt_status kt_json_string(const char **out, struct kt_arena *arena, const cJSON *object, const char *name,
                         struct kt_error *err)
{
	if (member(object, name) == NULL)
		return wrong_type(name, "a string", err);
	return kt_json_string_or(out, arena, object, name, NULL, err);
}

kt_status kt_json_item_int(int64_t *out, const cJSON *item, struct kt_error *err)
{
	const char *name = item != NULL && item->string != NULL ? item->string : "";
	char *end;
	long long value;

	if (cJSON_IsNumber(item)) {
		double number = item->valuedouble;

		if (!(fabs(number) <= EXACT) || number != floor(number))
			return wrong_type(name, "an integer", err);
		*out = (int64_t)number;
		return KT_OK;
	}
	if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
		return wrong_type(name, "an integer", err);
	errno = 0;
	value = strtoll(item->valuestring, &end, 10);
	if (errno != 0 || *end != '\0')
		return wrong_type(name, "an integer", err);
	*out = value;
	return KT_OK;
}

kt_status kt_json_int_or(int64_t *out, const cJSON *object, const char *name, int64_t fallback, struct kt_error *err)
{
	const cJSON *item = member(object, name);

	if (item == NULL) {
		*out = fallback;
		return KT_OK;
	}
	return kt_json_item_int(out, item, err);
}

kt_status kt_json_int(int64_t *out, const cJSON *object, const char *name, struct kt_error *err)
{
	if (member(object, name) == NULL)
		return wrong_type(name, "an integer", err);
	return kt_json_int_or(out, object, name, 0, err);
}

kt_status kt_json_double_or(double *out, const cJSON *object, const char *name, double fallback, struct kt_error *err)
{
	const cJSON *item = member(object, name);

	if (item != NULL && !cJSON_IsNumber(item))
		return wrong_type(name, "a number", err);
	*out = item != NULL ? item->valuedouble : fallback;
	return KT_OK;
}

kt_status kt_json_bool_or(bool *out, const cJSON *object, const char *name, bool fallback, struct kt_error *err)
{
	const cJSON *item = member(object, name);

	if (item != NULL && !cJSON_IsBool(item))
		return wrong_type(name, "true or false", err);
	*out = item != NULL ? cJSON_IsTrue(item) != 0 : fallback;
	return KT_OK;
}

kt_status kt_json_array_or(const cJSON **out, const cJSON *object, const char *name, struct kt_error *err)
{
	const cJSON *item = member(object, name);

	if (item != NULL && !cJSON_IsArray(item))
		return wrong_type(name, "an array", err);
	*out = item;
	return KT_OK;
}

kt_status kt_json_object_or(const cJSON **out, const cJSON *object, const char *name, struct kt_error *err)
{
	const cJSON *item = member(object, name);

	if (item != NULL && !cJSON_IsObject(item))
		return wrong_type(name, "an object", err);
	*out = item;
	return KT_OK;
}

const char *kt_json_text(const cJSON *object, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));

	return text != NULL ? text : "";
}

double kt_json_number(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

cJSON *kt_json_create_int(int64_t value)
{
	char text[24];

	if (value >= -(int64_t)EXACT && value <= (int64_t)EXACT)
		return cJSON_CreateNumber((double)value);
	snprintf(text, sizeof text, "%lld", (long long)value);
	return cJSON_CreateString(text);
}

bool kt_json_add_int(cJSON *object, const char *name, int64_t value)
{
	cJSON *item = kt_json_create_int(value);

	if (cJSON_AddItemToObject(object, name, item))
		return true;
	cJSON_Delete(item);
	return false;
}

void kt_json_add_text(cJSON *object, const char *name, const char *text)
{
	if (text != NULL)
		(void)cJSON_AddStringToObject(object, name, text);
}

void kt_json_add_values(cJSON *object, const char *const *names, const int64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		(void)kt_json_add_int(object, names[i], values[i]);
}

cJSON *kt_json_append(cJSON *array)
{
	cJSON *object = cJSON_CreateObject();

	if (cJSON_AddItemToArray(array, object))
		return object;
	cJSON_Delete(object);
	return NULL;
}

static void print_number(struct kt_buf *out, double number)
{
	char text[40];

	if (!isfinite(number)) {
		kt_buf_adds(out, "null");
		return;
	}
	if (number == floor(number) && fabs(number) <= EXACT) {
		if (signbit(number))
			kt_buf_addf(out, "%.0f", number);
		else
			kt_buf_addf(out, "%" PRIu64, (uint64_t)number);
		return;
	}
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	kt_buf_adds(out, text);
}

/* indent < 0: everything on one line. */
static void print_value(struct kt_buf *out, const cJSON *value, int indent);

static bool on_one_line(const cJSON *array)
{
	const cJSON *item;
	size_t texts = 0;

	cJSON_ArrayForEach(item, array) {
		if (cJSON_IsArray(item) || cJSON_IsObject(item))
			return false;
		texts += cJSON_IsString(item) != 0;
	}
	return texts < 2;
}

static void new_line(struct kt_buf *out, int indent)
{
	kt_buf_addf(out, "\n%*s", 2 * indent, "");
}

static void print_members(struct kt_buf *out, const cJSON *value, int indent)
{
	bool object = cJSON_IsObject(value) != 0;
	bool flat = indent < 0 || (!object && on_one_line(value));
	const cJSON *item;

	kt_buf_addc(out, object ? '{' : '[');
	cJSON_ArrayForEach(item, value) {
		if (item != value->child)
			kt_buf_adds(out, indent < 0 ? "," : flat ? ", " : ",");
		if (!flat)
			new_line(out, indent + 1);
		if (object) {
			kt_buf_addjson(out, item->string);
			kt_buf_adds(out, indent < 0 ? ":" : ": ");
		}
		print_value(out, item, indent < 0 ? -1 : indent + 1);
	}
	if (!flat && value->child != NULL)
		new_line(out, indent);
	kt_buf_addc(out, object ? '}' : ']');
}

static void print_value(struct kt_buf *out, const cJSON *value, int indent)
{
	if (cJSON_IsObject(value) || cJSON_IsArray(value))
		print_members(out, value, indent);
	else if (cJSON_IsString(value))
		kt_buf_addjson(out, value->valuestring);
	else if (cJSON_IsNumber(value))
		print_number(out, value->valuedouble);
	else if (cJSON_IsBool(value))
		kt_buf_adds(out, cJSON_IsTrue(value) ? "true" : "false");
	else
		kt_buf_adds(out, "null");
}

void kt_json_print(struct kt_buf *out, const cJSON *value)
{
	print_value(out, value, -1);
}

void kt_json_print_stable(struct kt_buf *out, const cJSON *value)
{
	print_value(out, value, 0);
	kt_buf_addc(out, '\n');
}
