/* What texts and numbers of records are, and the place of a refused one. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/member.h"
#include "base/utf8.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

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

kt_status kt_json_bad(struct kt_error *err, const struct kt_json_place *at, const char *format, ...)
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

struct kt_json_place kt_json_member(const struct kt_json_place *at, const char *name)
{
	struct kt_json_place here = {at, name, 0, cJSON_GetObjectItemCaseSensitive(at->json, name)};
	return here;
}

static bool is_identifier(const char *text)
{
	size_t length = strlen(text);
	return length > 0 && length <= 200 && strchr(LETTERS, text[0]) != NULL &&
	       strspn(text, LETTERS "0123456789") == length;
}

static bool is_hash(const char *text)
{
	return strlen(text) == KT_HASH_TEXT - 1 && strspn(text, "0123456789abcdef") == KT_HASH_TEXT - 1;
}

static bool is_plain(const char *text)
{
	if (text[0] == '\0')
		return false;
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
		if (*c < ' ' || *c >= 0x7f || *c == '"' || *c == '\\')
			return false;
	return true;
}

static kt_status check_line(const char *text, enum kt_member_kind kind, struct kt_member_reader *r)
{
	if (strlen(text) > KT_MEMBER_LINE_BYTES)
		return kt_member_bad(r, "longer than %d bytes", KT_MEMBER_LINE_BYTES);
	if (kind == KT_MEMBER_IDENTIFIER && !is_identifier(text))
		return kt_member_bad(r, "an identifier expected");
	if (kind == KT_MEMBER_HASH && !is_hash(text))
		return kt_member_bad(r, "64 lower-case hexadecimal digits expected");
	if (kind == KT_MEMBER_PLAIN && !is_plain(text))
		return kt_member_bad(r, "plain text without quotes expected");
	return kt_utf8_is_printable(text) ? KT_OK : kt_member_bad(r, "a control character");
}

/* Tabs and line ends are the only control characters. */
static bool add_lines(struct kt_buf *out, const char *text, bool several)
{
	for (const char *c = text; *c != '\0'; c++) {
		const unsigned char byte = (unsigned char)*c;
		if (byte == '\r' && c[1] == '\n')
			continue;
		if ((byte < ' ' && byte != '\t' && !(several && byte == '\n')) || byte == 0x7f)
			return false;
		kt_buf_addc(out, *c);
	}
	return true;
}

/* Lines of an array end with a line end each but the last. */
static kt_status read_lines(const char **out, struct kt_member_reader *r)
{
	struct kt_buf text = KT_BUF(KT_MEMBER_LINES_BYTES);
	const cJSON *json = r->at->json, *first = cJSON_IsArray(json) ? json->child : NULL;
	bool right = cJSON_IsArray(json) || (cJSON_IsString(json) && add_lines(&text, json->valuestring, true));
	kt_status status = KT_OK;
	for (const cJSON *line = first; line != NULL && right; line = line->next) {
		if (line != first)
			kt_buf_addc(&text, '\n');
		right = cJSON_IsString(line) && add_lines(&text, line->valuestring, false);
	}
	if (!right || text.failed)
		status = kt_member_bad(r, "%s",
				       right ? "more text than a template may have"
					     : "text expected, as one string or an array of lines");
	else if ((*out = kt_arena_strdup(r->arena, kt_buf_text(&text))) == NULL)
		status = kt_no_memory(r->err);
	kt_buf_free(&text);
	return status;
}

kt_status kt_member_text(const char **out, enum kt_member_kind kind, struct kt_member_reader *r)
{
	if (kind == KT_MEMBER_LINES)
		return read_lines(out, r);
	if (!cJSON_IsString(r->at->json))
		return kt_member_bad(r, "a string expected");
	if (kind != KT_MEMBER_TEXT)
		TRY(check_line(r->at->json->valuestring, kind, r));
	*out = kt_arena_strdup(r->arena, r->at->json->valuestring);
	return *out != NULL ? KT_OK : kt_no_memory(r->err);
}

kt_status kt_member_integer(int64_t *out, int64_t low, int64_t high, struct kt_member_reader *r)
{
	struct kt_error ignored;
	int64_t value = 0;
	if (kt_json_item_int(&value, r->at->json, &ignored) != KT_OK)
		return kt_member_bad(r, "an integer expected");
	if (value < low || value > high)
		return kt_member_bad(r, "%lld is outside %lld to %lld", (long long)value, (long long)low,
				     (long long)high);
	*out = value;
	return KT_OK;
}

static kt_status read_values(const char **names, int64_t *values, size_t *count, struct kt_member_reader *r)
{
	const struct kt_json_place *object = r->at;
	const cJSON *item;
	kt_status status = KT_OK;
	cJSON_ArrayForEach(item, object->json)
	{
		const struct kt_json_place here = {object, item->string, 0, item};
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		r->at = &here;
		if (!is_identifier(item->string))
			status = kt_member_bad(r, "an identifier expected");
		for (size_t i = 0; status == KT_OK && i < *count; i++)
			if (strcmp(names[i], item->string) == 0)
				status = kt_member_bad(r, "a member that appears twice");
		if (status == KT_OK && (names[*count] = kt_arena_strdup(r->arena, item->string)) == NULL)
			status = kt_no_memory(r->err);
		THEN(status, kt_member_integer(&values[*count], INT64_MIN, INT64_MAX, r));
		r->at = object;
		TRY(status);
		++*count;
	}
	return KT_OK;
}

kt_status kt_member_values(const char ***names, int64_t **values, size_t *count, struct kt_member_reader *r)
{
	if (!cJSON_IsObject(r->at->json))
		return kt_member_bad(r, "an object expected");
	int size = cJSON_GetArraySize(r->at->json);
	if (size > KT_MEMBER_VALUES)
		return kt_member_bad(r, "more than %d members", KT_MEMBER_VALUES);
	*names = kt_arena_array(r->arena, (size_t)size + 1, sizeof **names);
	*values = kt_arena_array(r->arena, (size_t)size + 1, sizeof **values);
	*count = 0;
	return *names != NULL && *values != NULL ? read_values(*names, *values, count, r) : kt_no_memory(r->err);
}

const char *const *kt_member_names(size_t *count, const void *whole, const struct kt_member_names *names)
{
	*count = *(const size_t *)((const char *)whole + names->count);
	return *(const char *const *const *)((const char *)whole + names->names);
}
