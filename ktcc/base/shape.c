#include "base/shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

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
	if (!kt_utf8_is_printable(text))
		return kt_shape_bad(err, at, "a control character");
	*out = kt_arena_strdup(arena, text);
	return *out != NULL ? KT_OK : kt_fail(err, KT_ERR_MEMORY, "out of memory reading a record");
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
static kt_status read_lines(const char **out, struct kt_arena *arena, const struct kt_json_place *at, struct kt_error *err)
{
	struct kt_buf text = KT_BUF(KT_SHAPE_LINES_BYTES);
	const cJSON *first = cJSON_IsArray(at->json) ? at->json->child : NULL;
	bool right = cJSON_IsArray(at->json) || (cJSON_IsString(at->json) && add_lines(&text, at->json->valuestring, true));
	kt_status status = KT_OK;
	for (const cJSON *line = first; line != NULL && right; line = line->next) {
		if (line != first)
			kt_buf_addc(&text, '\n');
		right = cJSON_IsString(line) && add_lines(&text, line->valuestring, false);
	}
	if (!right || text.failed)
		status = kt_shape_bad(err, at, "%s", right ? "more text than a template may have"
		                                           : "text expected, as one string or an array of lines");
	else if ((*out = kt_arena_strdup(arena, kt_buf_text(&text))) == NULL)
		status = kt_no_memory(err);
	kt_buf_free(&text);
	return status;
}

static kt_status read_expression(struct kt_clause_expr *out, struct kt_arena *arena, const struct kt_json_place *at,
                                 struct kt_error *err)
{
	struct kt_error why;
	*out = (struct kt_clause_expr){0};
	TRY(read_text(&out->text, arena, at, KT_SHAPE_TEXT, err));
	return kt_expr_parse(&out->expr, arena, out->text, strlen(out->text), &why) == KT_OK
	           ? KT_OK : kt_shape_bad(err, at, "%s", why.message);
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

struct reading {
	const void *whole;
	struct kt_arena *arena;
	struct kt_error *err;
};

static kt_status read_record(void *base, const struct reading *r, const struct kt_json_place *at,
                             const struct kt_shape *shape);

/* What is read becomes part of the list at once: a place counts what is before it. */
static kt_status read_list(void *base, const struct reading *r, const struct kt_json_place *at,
                           const struct kt_shape_field *field)
{
	const struct kt_shape_list *list = field->list;
	const int size = cJSON_GetArraySize(at->json);
	size_t *count = (size_t *)((char *)base + list->count);
	const cJSON *one;
	char *items;
	if (list->least == 0 && (!cJSON_IsArray(at->json) || size > list->most))
		return kt_shape_bad(r->err, at, "an array of at most %d %s expected", list->most, list->what);
	if (!cJSON_IsArray(at->json) || size < list->least || size > list->most)
		return kt_shape_bad(r->err, at, "an array of %d to %d %s expected", list->least, list->most, list->what);
	NEED(items = kt_arena_array(r->arena, (size_t)size + 1, list->size), kt_no_memory(r->err));
	memcpy((char *)base + field->offset, &items, sizeof items);
	*count = 0;
	cJSON_ArrayForEach(one, at->json) {
		const struct kt_json_place here = {at, NULL, *count, one};
		TRY(read_record(items, r, &here, list->item));
		TRY(list->check != NULL ? list->check(items, r->whole, &here, r->err) : KT_OK);
		items += list->size;
		++*count;
	}
	return KT_OK;
}

static const char *const *names_of(size_t *count, const void *whole, const struct kt_shape_names *names)
{
	*count = *(const size_t *)((const char *)whole + names->count);
	return *(const char *const *const *)((const char *)whole + names->names);
}

static kt_status read_values(void *to, const struct reading *r, const struct kt_json_place *at,
                             const struct kt_shape_names *names)
{
	const char **read = NULL;
	int64_t *values = NULL;
	size_t count = 0, expected;
	const char *const *own = names_of(&expected, r->whole, names);
	TRY(kt_shape_values(&read, &values, &count, r->arena, at, r->err));
	bool same = count == expected;
	for (size_t i = 0; same && i < count; i++)
		same = strcmp(read[i], own[i]) == 0;
	memcpy(to, &values, sizeof values);
	return same ? KT_OK : kt_shape_bad(r->err, at, "%s", names->mismatch);
}

static kt_status read_field(void *base, const struct reading *r, const struct kt_json_place *at,
                            const struct kt_shape_field *field)
{
	void *to = (char *)base + field->offset;
	struct kt_error *err = r->err;
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
	case KT_SHAPE_OBJECT:
		return read_record(base, r, at, field->object);
	case KT_SHAPE_LIST:
		return read_list(base, r, at, field);
	case KT_SHAPE_NUMBERS:
		return read_values(to, r, at, field->names);
	case KT_SHAPE_LINES:
		return read_lines(to, r->arena, at, err);
	case KT_SHAPE_EXPRESSION:
		return read_expression(to, r->arena, at, err);
	case KT_SHAPE_OWN:
		return field->own->read(base, r->arena, at, err);
	case KT_SHAPE_TEXT:
	case KT_SHAPE_WORD:
	case KT_SHAPE_IDENTIFIER:
	case KT_SHAPE_HASH:
		break;
	}
	return read_text(to, r->arena, at, field->kind, err);
}

static bool is_note(const cJSON *item)
{
	return strncmp(item->string, "x_", 2) == 0;
}

/* The members that the table knows, each once: found[i] is that of fields[i], NULL where there is none. */
static kt_status find_members(const cJSON **found, const struct kt_json_place *at, const struct kt_shape *shape,
                              struct kt_error *err)
{
	const cJSON *item;
	if (!cJSON_IsObject(at->json))
		return kt_shape_bad(err, at, "an object expected");
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, item->string, 0, item};
		size_t i = 0;
		if (is_note(item))
			continue;
		while (i < shape->count && strcmp(shape->fields[i].name, item->string) != 0)
			i++;
		if (i == shape->count)
			return kt_shape_bad(err, &here, "an unknown member");
		if (found[i] != NULL)
			return kt_shape_bad(err, &here, "a member that appears twice");
		found[i] = item;
	}
	return KT_OK;
}

static kt_status read_record(void *base, const struct reading *r, const struct kt_json_place *at, const struct kt_shape *shape)
{
	const cJSON *found[KT_SHAPE_FIELDS] = {NULL};
	if (shape->fields[0].name == NULL)
		return read_field(base, r, at, &shape->fields[0]);
	TRY(find_members(found, at, shape, r->err));
	for (size_t i = 0; i < shape->count; i++) {
		const struct kt_shape_field *field = &shape->fields[i];
		struct kt_json_place here = {at, field->name, 0, found[i]};
		if (found[i] != NULL)
			TRY(read_field(base, r, &here, field));
		else if (!field->optional && !field->lenient)
			return kt_shape_bad(r->err, at, "member \"%s\" is missing", field->name);
	}
	return KT_OK;
}

kt_status kt_shape_read(void *base, struct kt_arena *arena, const struct kt_json_place *at,
                        const struct kt_shape *shape, struct kt_error *err)
{
	const struct reading r = {base, arena, err};
	return read_record(base, &r, at, shape);
}

/* An optional member's zero is left out. */
static bool is_zero(const void *base, const struct kt_shape_field *field)
{
	const void *at = (const char *)base + field->offset;
	switch (field->kind) {
	case KT_SHAPE_INT:
		return *(const int64_t *)at == 0;
	case KT_SHAPE_TIME:
		return !(*(const double *)at > 0);
	case KT_SHAPE_BOOL:
		return !*(const bool *)at;
	case KT_SHAPE_OBJECT:
		for (size_t i = 0; i < field->object->count; i++)
			if (!is_zero(base, &field->object->fields[i]))
				return false;
		return true;
	case KT_SHAPE_LIST:
		return *(const size_t *)((const char *)base + field->list->count) == 0;
	case KT_SHAPE_OWN:
		return false;
	case KT_SHAPE_NUMBERS:
	case KT_SHAPE_LINES:
	case KT_SHAPE_EXPRESSION:
	case KT_SHAPE_TEXT:
	case KT_SHAPE_WORD:
	case KT_SHAPE_IDENTIFIER:
	case KT_SHAPE_HASH:
		break;
	}
	return *(const char *const *)at == NULL;
}

static cJSON *print_record(const void *base, const void *whole, const struct kt_shape *shape);

static cJSON *print_list(const void *base, const void *whole, const struct kt_shape_field *field)
{
	const char *items = *(const char *const *)((const char *)base + field->offset);
	const size_t count = *(const size_t *)((const char *)base + field->list->count);
	cJSON *out = cJSON_CreateArray();
	for (size_t i = 0; out != NULL && i < count; i++) {
		cJSON *item = print_record(items + i * field->list->size, whole, field->list->item);
		if (item == NULL || !cJSON_AddItemToArray(out, item)) {
			cJSON_Delete(item);
			cJSON_Delete(out);
			return NULL;
		}
	}
	return out;
}

static cJSON *print_lines(const char *text)
{
	cJSON *out = cJSON_CreateArray();
	struct kt_buf line = KT_BUF(KT_SHAPE_LINES_BYTES);
	bool whole = out != NULL;
	for (const char *at = text; whole && text[0] != '\0'; at++) {
		const size_t length = strcspn(at, "\n");
		kt_buf_clear(&line);
		kt_buf_add(&line, at, length);
		whole = !line.failed && cJSON_AddItemToArray(out, cJSON_CreateString(kt_buf_text(&line)));
		at += length;
		if (*at == '\0')
			break;
	}
	kt_buf_free(&line);
	if (whole)
		return out;
	cJSON_Delete(out);
	return NULL;
}

static cJSON *print_values(const int64_t *values, const void *whole, const struct kt_shape_names *names)
{
	size_t count;
	const char *const *own = names_of(&count, whole, names);
	return kt_shape_values_json(own, values, count);
}

static cJSON *print_field(const void *base, const void *whole, const struct kt_shape_field *field, bool *failed)
{
	const void *at = (const char *)base + field->offset;
	cJSON *made = NULL;
	switch (field->kind) {
	case KT_SHAPE_INT:
		made = kt_json_create_int(*(const int64_t *)at);
		break;
	case KT_SHAPE_TIME:
		made = cJSON_CreateNumber(*(const double *)at);
		break;
	case KT_SHAPE_BOOL:
		made = cJSON_CreateBool(*(const bool *)at);
		break;
	case KT_SHAPE_OBJECT:
		made = print_record(base, whole, field->object);
		break;
	case KT_SHAPE_LIST:
		made = print_list(base, whole, field);
		break;
	case KT_SHAPE_NUMBERS:
		made = print_values(*(int64_t *const *)at, whole, field->names);
		break;
	case KT_SHAPE_LINES:
		made = print_lines(*(const char *const *)at);
		break;
	case KT_SHAPE_EXPRESSION: {
		const struct kt_clause_expr *expression = at;
		made = cJSON_CreateString(expression->text != NULL ? expression->text : "0");
		break;
	}
	case KT_SHAPE_OWN:
		return field->own->print(base, failed);
	case KT_SHAPE_TEXT:
	case KT_SHAPE_WORD:
	case KT_SHAPE_IDENTIFIER:
	case KT_SHAPE_HASH: {
		const char *text = *(const char *const *)at;
		made = cJSON_CreateString(text != NULL ? text : "");
		break;
	}
	}
	*failed = *failed || made == NULL;
	return made;
}

static cJSON *print_record(const void *base, const void *whole, const struct kt_shape *shape)
{
	bool failed = false;
	if (shape->fields[0].name == NULL)
		return print_field(base, whole, &shape->fields[0], &failed);
	cJSON *out = cJSON_CreateObject();
	failed = out == NULL;
	for (size_t i = 0; !failed && i < shape->count; i++) {
		const struct kt_shape_field *field = &shape->fields[i];
		cJSON *made;
		if (field->optional && is_zero(base, field))
			continue;
		made = print_field(base, whole, field, &failed);
		if (made != NULL && !cJSON_AddItemToObject(out, field->name, made)) {
			cJSON_Delete(made);
			failed = true;
		}
	}
	if (failed) {
		cJSON_Delete(out);
		return NULL;
	}
	return out;
}

cJSON *kt_shape_print(const void *base, const struct kt_shape *shape)
{
	return print_record(base, base, shape);
}

struct kt_json_place kt_shape_member(const struct kt_json_place *at, const char *name)
{
	struct kt_json_place here = {at, name, 0, cJSON_GetObjectItemCaseSensitive(at->json, name)};
	return here;
}

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
		return kt_fail(err, KT_ERR_MEMORY, "out of memory reading a record");
	cJSON_ArrayForEach(item, at->json) {
		struct kt_json_place here = {at, item->string, 0, item};
		if (is_note(item))
			continue;
		if (!is_identifier(item->string))
			return kt_shape_bad(err, &here, "an identifier expected");
		for (size_t i = 0; i < used; i++)
			if (strcmp((*names)[i], item->string) == 0)
				return kt_shape_bad(err, &here, "a member that appears twice");
		(*names)[used] = kt_arena_strdup(arena, item->string);
		if ((*names)[used] == NULL)
			return kt_fail(err, KT_ERR_MEMORY, "out of memory reading a record");
		TRY(read_int(&(*values)[used], &here, INT64_MIN, INT64_MAX, err));
		used++;
	}
	*count = used;
	return KT_OK;
}

cJSON *kt_shape_values_json(const char *const *names, const int64_t *values, size_t count)
{
	cJSON *out = cJSON_CreateObject();
	bool whole = out != NULL;
	for (size_t i = 0; whole && i < count; i++)
		whole = kt_json_add_int(out, names[i], values[i]);
	if (!whole) {
		cJSON_Delete(out);
		return NULL;
	}
	return out;
}
