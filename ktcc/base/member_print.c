/* Records printed by their tables. */
#include "base/member.h"

#include <math.h>
#include <string.h>

void kt_print_value(struct kt_member_printer *p, cJSON *value)
{
	if (value != NULL &&
	    (p->name != NULL ? cJSON_AddItemToObject(p->to, p->name, value) : cJSON_AddItemToArray(p->to, value)))
		return;
	cJSON_Delete(value);
	p->failed = true;
}

void kt_print_text(cJSON *object, const char *name, const char *text)
{
	if (text != NULL)
		(void)cJSON_AddStringToObject(object, name, text);
	else
		(void)cJSON_AddNullToObject(object, name);
}

void kt_print_texts(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	kt_print_list(object, name, texts, count, &kt_members_text, NULL);
}

static const char *text_of(const struct kt_clause_expr *expr)
{
	return expr->expr != NULL ? expr->text : NULL;
}

static bool is_zero(const char *record, const struct kt_member *m)
{
	const void *at = record + m->offset;
	switch (m->kind) {
	case KT_MEMBER_INT:
	case KT_MEMBER_ARGUMENT:
		return *(const int64_t *)at == m->absent;
	case KT_MEMBER_DOUBLE:
		return !(fabs(*(const double *)at - (double)m->absent) > 0);
	case KT_MEMBER_TIME:
		return !(*(const double *)at > 0);
	case KT_MEMBER_UINT:
		return *(const uint32_t *)at == 0;
	case KT_MEMBER_SIZE:
		return *(const size_t *)at == 0;
	case KT_MEMBER_BOOL:
		return !*(const bool *)at;
	case KT_MEMBER_WORD:
		return *(const int *)at == m->absent;
	case KT_MEMBER_EXPR:
	case KT_MEMBER_EXPRESSION:
		return text_of(at) == NULL;
	case KT_MEMBER_EXTENTS:
	case KT_MEMBER_LIST:
		return *(const size_t *)(const void *)(record + m->count) == 0;
	case KT_MEMBER_OBJECT:
		for (size_t i = 0; i < m->item->count; i++)
			if (!is_zero(at, &m->item->rows[i]))
				return false;
		return true;
	case KT_MEMBER_RANGE:
	case KT_MEMBER_TRIPLE:
	case KT_MEMBER_SOME:
	case KT_MEMBER_OWN:
		return false;
	case KT_MEMBER_TEXT:
	case KT_MEMBER_LINE:
	case KT_MEMBER_PLAIN:
	case KT_MEMBER_IDENTIFIER:
	case KT_MEMBER_HASH:
	case KT_MEMBER_LINES:
	case KT_MEMBER_ELEMENT:
	case KT_MEMBER_NUMBERS:
	case KT_MEMBER_POINTER:
	case KT_MEMBER_JSON:
		break;
	}
	return *(const void *const *)at == NULL;
}

/* An object with the record's members, or the one value that it is. */
static void print_record(const char *record, const struct kt_members *members, struct kt_member_printer *p);

static cJSON *list_json(const char *items, size_t count, const struct kt_members *item, struct kt_member_printer *p)
{
	struct kt_member_printer list = {.to = cJSON_CreateArray(), .whole = p->whole, .failed = p->failed};
	for (size_t i = 0; list.to != NULL && i < count; i++)
		print_record(items + i * item->size, item, &list);
	p->failed = list.failed;
	return list.to;
}

static cJSON *lines_json(const char *text)
{
	cJSON *out = cJSON_CreateArray();
	struct kt_buf line = KT_BUF(KT_MEMBER_LINES_BYTES);
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

static cJSON *range_json(const uint32_t *range)
{
	return cJSON_CreateDoubleArray((const double[]){range[0], range[1]}, 2);
}

static cJSON *text_json(const char *text, const char *otherwise)
{
	text = text != NULL ? text : otherwise;
	return text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull();
}

static cJSON *numbers_json(const int64_t *values, const void *whole, const struct kt_member_names *names)
{
	size_t count;
	const char *const *own = kt_member_names(&count, whole, names);
	return kt_member_values_json(own, values, count);
}

/* Of kinds that are one value. */
static cJSON *value_json(const char *record, const struct kt_member *m, struct kt_member_printer *p)
{
	const void *at = record + m->offset;
	const size_t *count = (const size_t *)(const void *)(record + m->count);
	const struct kt_element *element;
	switch (m->kind) {
	case KT_MEMBER_TEXT:
		return text_json(*(const char *const *)at, m->flags & KT_MEMBER_FULL ? "" : NULL);
	case KT_MEMBER_LINES:
		return lines_json(*(const char *const *)at);
	case KT_MEMBER_INT:
	case KT_MEMBER_ARGUMENT:
		return kt_json_create_int(*(const int64_t *)at);
	case KT_MEMBER_DOUBLE:
	case KT_MEMBER_TIME:
		return cJSON_CreateNumber(*(const double *)at);
	case KT_MEMBER_UINT:
		return kt_json_create_int(*(const uint32_t *)at);
	case KT_MEMBER_SIZE:
		return kt_json_create_int((int64_t)*(const size_t *)at);
	case KT_MEMBER_BOOL:
		return cJSON_CreateBool(*(const bool *)at);
	case KT_MEMBER_WORD:
		return text_json(m->words[*(const int *)at], NULL);
	case KT_MEMBER_RANGE:
		return range_json(at);
	case KT_MEMBER_TRIPLE:
		return list_json(at, 3, &kt_members_int, p);
	case KT_MEMBER_EXPR:
		return text_json(text_of(at), NULL);
	case KT_MEMBER_EXPRESSION:
		return text_json(((const struct kt_clause_expr *)at)->text, "0");
	case KT_MEMBER_EXTENTS:
		return list_json(at, *count, &kt_members_expr, p);
	case KT_MEMBER_ELEMENT:
		element = *(const struct kt_element *const *)at;
		return kt_element_print(element != NULL ? element : kt_element_of(KT_SCALAR_NONE));
	case KT_MEMBER_NUMBERS:
		return numbers_json(*(int64_t *const *)at, p->whole, m->names);
	case KT_MEMBER_LIST:
	case KT_MEMBER_SOME:
		return list_json(*(const char *const *)at, *count, m->item, p);
	case KT_MEMBER_JSON:
		return *(cJSON *const *)at;
	case KT_MEMBER_LINE:
	case KT_MEMBER_PLAIN:
	case KT_MEMBER_IDENTIFIER:
	case KT_MEMBER_HASH:
	case KT_MEMBER_OBJECT:
	case KT_MEMBER_POINTER:
	case KT_MEMBER_OWN:
		break;
	}
	return text_json(*(const char *const *)at, "");
}

static void print_rows(const char *record, const struct kt_members *members, struct kt_member_printer *p);

static void print_member(const char *record, const struct kt_member *m, struct kt_member_printer *p)
{
	const void *at = record + m->offset;
	const bool is_pointer = m->kind == KT_MEMBER_POINTER || m->kind == KT_MEMBER_JSON;
	p->name = m->name;
	if ((is_pointer || m->flags & KT_MEMBER_SPARSE) && is_zero(record, m))
		return;
	if (m->kind == KT_MEMBER_OWN)
		m->own->print(at, p);
	else if (m->kind == KT_MEMBER_OBJECT && m->name == NULL)
		print_rows(at, m->item, p);
	else if (m->kind == KT_MEMBER_OBJECT)
		print_record(at, m->item, p);
	else if (m->kind == KT_MEMBER_POINTER)
		print_record(*(const void *const *)at, m->item, p);
	else if (m->kind == KT_MEMBER_SOME && *(const size_t *)(const void *)(record + m->count) == 1)
		print_rows(*(const void *const *)at, m->item, p);
	else
		kt_print_value(p, value_json(record, m, p));
}

static void print_rows(const char *record, const struct kt_members *members, struct kt_member_printer *p)
{
	for (size_t i = 0; i < members->count; i++)
		print_member(record, &members->rows[i], p);
}

static void print_record(const char *record, const struct kt_members *members, struct kt_member_printer *p)
{
	if (members->count == 1 && members->rows[0].name == NULL) {
		print_member(record, &members->rows[0], p);
		return;
	}
	struct kt_member_printer object = {.to = cJSON_CreateObject(), .whole = p->whole, .failed = p->failed};
	if (object.to != NULL)
		print_rows(record, members, &object);
	p->failed = object.failed;
	kt_print_value(p, object.to);
}

void kt_print_members(cJSON *object, const void *record, const struct kt_members *members, const void *whole)
{
	struct kt_member_printer p = {.to = object, .whole = whole};
	print_rows(record, members, &p);
}

void kt_print_list(cJSON *object, const char *name, const void *items, size_t count, const struct kt_members *item,
		   const void *whole)
{
	struct kt_member_printer p = {.to = object, .name = name, .whole = whole};
	kt_print_value(&p, list_json(items, count, item, &p));
}

cJSON *kt_members_json(const void *record, const struct kt_members *members)
{
	struct kt_member_printer p = {.to = cJSON_CreateArray(), .whole = record};
	if (p.to != NULL)
		print_record(record, members, &p);
	cJSON *made = !p.failed ? cJSON_DetachItemFromArray(p.to, 0) : NULL;
	cJSON_Delete(p.to);
	return made;
}

cJSON *kt_member_values_json(const char *const *names, const int64_t *values, size_t count)
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
