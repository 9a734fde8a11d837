#include "store/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

static void place_text(struct kt_buf *out, const struct kt_json_place *at)
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

kt_status kt_shape_bad(struct kt_error *err, const struct kt_json_place *at, const char *format, ...)
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

static kt_status read_text(const char **out, struct kt_arena *arena, const struct kt_json_place *at,
                           enum kt_shape_kind kind, struct kt_error *err)
{
	if (!cJSON_IsString(at->json))
		return kt_shape_bad(err, at, "a string expected");
	const char *text = at->json->valuestring;
	if (strlen(text) > KT_SHAPE_TEXT_BYTES)
		return kt_shape_bad(err, at, "longer than %d bytes", KT_SHAPE_TEXT_BYTES);
	if (kind == KT_SHAPE_IDENTIFIER && !is_identifier(text))
		return kt_shape_bad(err, at, "an identifier expected");
	if (kind == KT_SHAPE_HASH && !is_hash(text))
		return kt_shape_bad(err, at, "64 lower-case hexadecimal digits expected");
	if (kind == KT_SHAPE_WORD && !is_word(text))
		return kt_shape_bad(err, at, "plain text without quotes expected");
	if (!is_printable(text))
		return kt_shape_bad(err, at, "a control character");
	*out = kt_arena_strdup(arena, text);
	return *out != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
}

static kt_status read_int(int64_t *out, const struct kt_json_place *at, int64_t low, int64_t high, struct kt_error *err)
{
	struct kt_error ignored;
	int64_t value = 0;
	if (kt_json_item_int(&value, at->json, &ignored) != KT_OK)
		return kt_shape_bad(err, at, "an integer expected");
	if (value < low || value > high)
		return kt_shape_bad(err, at, "%lld is outside %lld to %lld", (long long)value, (long long)low, (long long)high);
	*out = value;
	return KT_OK;
}

static kt_status read_ns(double *out, const struct kt_json_place *at, bool may_be_zero, struct kt_error *err)
{
	if (!cJSON_IsNumber(at->json))
		return kt_shape_bad(err, at, "a number expected");
	double value = at->json->valuedouble;
	if (!(value >= 0 && value <= KT_SHAPE_NS) || (!may_be_zero && value <= 0))
		return kt_shape_bad(err, at, "%g is no time in nanoseconds", value);
	*out = value;
	return KT_OK;
}

static kt_status read_field(void *base, struct kt_arena *arena, const struct kt_json_place *at,
                            const struct kt_shape_field *field, struct kt_error *err)
{
	void *to = (char *)base + field->offset;
	switch (field->kind) {
	case KT_SHAPE_INT:
		return read_int(to, at, field->low, field->high, err);
	case KT_SHAPE_TIME:
		return read_ns(to, at, field->low == 0, err);
	case KT_SHAPE_BOOL:
		if (!cJSON_IsBool(at->json))
			return kt_shape_bad(err, at, "true or false expected");
		*(bool *)to = cJSON_IsTrue(at->json) != 0;
		return KT_OK;
	case KT_SHAPE_VALUE:
		return KT_OK;
	case KT_SHAPE_TEXT:
	case KT_SHAPE_WORD:
	case KT_SHAPE_IDENTIFIER:
	case KT_SHAPE_HASH:
		break;
	}
	return read_text(to, arena, at, field->kind, err);
}

/* Reads an object by its table: nothing unknown but "x_…" notes, nothing twice, nothing missing. */
kt_status kt_shape_read(void *base, struct kt_arena *arena, const struct kt_json_place *at,
                        const struct kt_shape_field *fields, size_t count, struct kt_error *err)
{
	uint64_t seen = 0;
	const cJSON *item;
	if (!cJSON_IsObject(at->json))
		return kt_shape_bad(err, at, "an object expected");
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, item->string, 0, item};
		size_t i = 0;
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		while (i < count && strcmp(fields[i].name, item->string) != 0)
			i++;
		if (i == count)
			return kt_shape_bad(err, &here, "an unknown member");
		if ((seen >> i & 1) != 0)
			return kt_shape_bad(err, &here, "a member that stands there twice");
		seen |= (uint64_t)1 << i;
		kt_status status = read_field(base, arena, &here, &fields[i], err);
		if (status != KT_OK)
			return status;
	}
	for (size_t i = 0; i < count; i++)
		if (!fields[i].optional && (seen >> i & 1) == 0)
			return kt_shape_bad(err, at, "member \"%s\" is missing", fields[i].name);
	return KT_OK;
}

struct kt_json_place kt_shape_member(const struct kt_json_place *at, const char *name)
{
	struct kt_json_place here = {at, name, 0, cJSON_GetObjectItemCaseSensitive(at->json, name)};
	return here;
}

/* {"NAME": integer, …} as two arrays; a name twice is refused. */
kt_status kt_shape_values(const char ***names, int64_t **values, size_t *count, struct kt_arena *arena,
                             const struct kt_json_place *at, struct kt_error *err)
{
	const cJSON *item;
	size_t used = 0;
	if (!cJSON_IsObject(at->json))
		return kt_shape_bad(err, at, "an object expected");
	int size = cJSON_GetArraySize(at->json);
	if (size > KT_SHAPE_VALUES)
		return kt_shape_bad(err, at, "more than %d members", KT_SHAPE_VALUES);
	*names = kt_arena_array(arena, (size_t)size + 1, sizeof **names);
	*values = kt_arena_array(arena, (size_t)size + 1, sizeof **values);
	if (*names == NULL || *values == NULL)
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading an entry");
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, item->string, 0, item};
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		if (!is_identifier(item->string))
			return kt_shape_bad(err, &here, "an identifier expected");
		for (size_t i = 0; i < used; i++)
			if (strcmp((*names)[i], item->string) == 0)
				return kt_shape_bad(err, &here, "a member that stands there twice");
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
