/* Records read by their tables. */
#include "base/member.h"

#include <string.h>

static const struct kt_member text_rows[] = {{.kind = KT_MEMBER_TEXT}}, int_rows[] = {{.kind = KT_MEMBER_INT}},
			      bool_rows[] = {{.kind = KT_MEMBER_BOOL}}, range_rows[] = {{.kind = KT_MEMBER_RANGE}},
			      expr_rows[] = {{.kind = KT_MEMBER_EXPR}};
const struct kt_members kt_members_text = {KT_MEMBERS_OF(const char *, text_rows)};
const struct kt_members kt_members_int = {KT_MEMBERS_OF(int64_t, int_rows)};
const struct kt_members kt_members_bool = {KT_MEMBERS_OF(bool, bool_rows)};
const struct kt_members kt_members_range = {KT_MEMBERS_OF(struct kt_range, range_rows)};
const struct kt_members kt_members_expr = {KT_MEMBERS_OF(struct kt_clause_expr, expr_rows)};

static kt_status read_double(double *out, const struct kt_member *m, struct kt_member_reader *r)
{
	const cJSON *json = r->at->json;
	if (!cJSON_IsNumber(json))
		return kt_member_bad(r, "a number expected");
	const double value = json->valuedouble;
	if (m->kind == KT_MEMBER_TIME && (!(value >= 0 && value <= KT_MEMBER_NS) || (m->low != 0 && value <= 0)))
		return kt_member_bad(r, "%g is no time in nanoseconds", value);
	*out = value;
	return KT_OK;
}

static kt_status read_uint(uint32_t *out, struct kt_member_reader *r)
{
	int64_t value = 0;
	TRY(kt_member_integer(&value, 0, UINT32_MAX, r));
	*out = (uint32_t)value;
	return KT_OK;
}

static kt_status read_size(size_t *out, struct kt_member_reader *r)
{
	int64_t value = 0;
	TRY(kt_member_integer(&value, 0, INT64_MAX, r));
	*out = (size_t)value;
	return KT_OK;
}

static kt_status read_argument(int64_t *out, struct kt_member_reader *r)
{
	TRY(kt_member_integer(out, INT64_MIN, INT64_MAX, r));
	return *out >= -1 && *out < (int64_t)r->arguments ? KT_OK : kt_member_bad(r, "argument is out of range");
}

static kt_status read_bool(bool *out, struct kt_member_reader *r)
{
	*out = cJSON_IsTrue(r->at->json) != 0;
	return cJSON_IsBool(r->at->json) ? KT_OK : kt_member_bad(r, "true or false expected");
}

static kt_status read_word(int *out, const struct kt_member *m, struct kt_member_reader *r)
{
	const char *text = cJSON_GetStringValue(r->at->json);
	NEED(text, kt_member_bad(r, "a string expected"));
	for (size_t i = 0; i < m->word_count; i++)
		if (strcmp(m->words[i], text) == 0) {
			*out = (int)i;
			return KT_OK;
		}
	return kt_member_bad(r, "%s is \"%.60s\", which is unknown", m->name, text);
}

static kt_status read_range(uint32_t *out, struct kt_member_reader *r)
{
	const cJSON *json = r->at->json;
	int64_t begin = 0, end = 0;
	if (!cJSON_IsArray(json) || cJSON_GetArraySize(json) != 2)
		return kt_member_bad(r, "a range is [begin, end]");
	TRY(kt_json_item_int(&begin, cJSON_GetArrayItem(json, 0), r->err));
	TRY(kt_json_item_int(&end, cJSON_GetArrayItem(json, 1), r->err));
	if (begin < 0 || end < begin || end > UINT32_MAX)
		return kt_member_bad(r, "a range must not end before it begins");
	out[0] = (uint32_t)begin;
	out[1] = (uint32_t)end;
	return KT_OK;
}

static kt_status read_expr(struct kt_clause_expr *out, enum kt_member_kind text, struct kt_member_reader *r)
{
	struct kt_error why;
	*out = (struct kt_clause_expr){0};
	TRY(kt_member_text(&out->text, text, r));
	return kt_expr_parse(&out->expr, r->arena, out->text, strlen(out->text), &why) == KT_OK
		   ? KT_OK
		   : kt_member_bad(r, "%s", why.message);
}

static kt_status read_element(const struct kt_element **out, struct kt_member_reader *r)
{
	struct kt_error why;
	return kt_element_read(out, r->arena, r->at->json, &why) == KT_OK ? KT_OK : kt_member_bad(r, "%s", why.message);
}

static kt_status read_numbers(int64_t **out, const struct kt_member_names *names, struct kt_member_reader *r)
{
	const char **read = NULL;
	size_t count = 0, expected;
	const char *const *own = kt_member_names(&expected, r->whole, names);
	TRY(kt_member_values(&read, out, &count, r));
	bool same = count == expected;
	for (size_t i = 0; same && i < count; i++)
		same = strcmp(read[i], own[i]) == 0;
	return same ? KT_OK : kt_member_bad(r, "%s", names->mismatch);
}

/* What is read becomes part of the list at once: a place counts what is before it. */
static kt_status read_items(char *items, size_t *count, const struct kt_members *item, struct kt_member_reader *r)
{
	const struct kt_json_place *array = r->at;
	kt_status status = KT_OK;
	*count = 0;
	for (const cJSON *one = array->json->child; one != NULL && status == KT_OK; one = one->next) {
		const struct kt_json_place here = {array, NULL, *count, one};
		r->at = &here;
		status = kt_members_read(items + *count * item->size, item, r);
		r->at = array;
		*count += status == KT_OK;
	}
	return status;
}

static kt_status check_size(const struct kt_member *m, struct kt_member_reader *r)
{
	const int size = cJSON_GetArraySize(r->at->json);
	const char *what = m->what != NULL ? m->what : "items";
	if (cJSON_IsArray(r->at->json) && size >= m->low && (size <= m->high || m->high == 0))
		return KT_OK;
	if (m->high == 0)
		return kt_member_bad(r, "an array expected");
	return m->low == 0 ? kt_member_bad(r, "an array of at most %d %s expected", (int)m->high, what)
			   : kt_member_bad(r, "an array of %d to %d %s expected", (int)m->low, (int)m->high, what);
}

static kt_status read_list(void *to, size_t *count, const struct kt_member *m, struct kt_member_reader *r)
{
	char *items;
	TRY(check_size(m, r));
	*count = 0;
	const int size = cJSON_GetArraySize(r->at->json);
	if (size == 0)
		return KT_OK;
	NEED(items = kt_arena_array(r->arena, (size_t)size, m->item->size), kt_no_memory(r->err));
	memcpy(to, &items, sizeof items);
	return read_items(items, count, m->item, r);
}

static kt_status read_extents(void *to, size_t *count, struct kt_member_reader *r)
{
	static const struct kt_member three = {.high = 3, .what = "expressions"};
	TRY(check_size(&three, r));
	return read_items(to, count, &kt_members_expr, r);
}

static kt_status read_triple(int64_t *out, const struct kt_member *m, struct kt_member_reader *r)
{
	const struct kt_member number = {.kind = KT_MEMBER_INT, .low = m->low, .high = m->high};
	const struct kt_members item = {.size = sizeof *out, .count = 1, .rows = &number};
	size_t count;
	return cJSON_IsArray(r->at->json) && cJSON_GetArraySize(r->at->json) == 3
		   ? read_items((char *)out, &count, &item, r)
		   : kt_member_bad(r, "three numbers expected");
}

static kt_status read_pointer(void *to, const struct kt_members *item, struct kt_member_reader *r)
{
	void *record;
	NEED(record = kt_arena_alloc(r->arena, item->size), kt_no_memory(r->err));
	memcpy(to, &record, sizeof record);
	return kt_members_read(record, item, r);
}

static kt_status read_value(char *record, const struct kt_member *m, struct kt_member_reader *r)
{
	void *to = record + m->offset;
	size_t *count = (size_t *)(void *)(record + m->count);
	switch (m->kind) {
	case KT_MEMBER_TEXT:
	case KT_MEMBER_LINE:
	case KT_MEMBER_PLAIN:
	case KT_MEMBER_IDENTIFIER:
	case KT_MEMBER_HASH:
	case KT_MEMBER_LINES:
		return kt_member_text(to, m->kind, r);
	case KT_MEMBER_INT:
		return m->low < m->high ? kt_member_integer(to, m->low, m->high, r)
					: kt_member_integer(to, INT64_MIN, INT64_MAX, r);
	case KT_MEMBER_DOUBLE:
	case KT_MEMBER_TIME:
		return read_double(to, m, r);
	case KT_MEMBER_UINT:
		return read_uint(to, r);
	case KT_MEMBER_SIZE:
		return read_size(to, r);
	case KT_MEMBER_ARGUMENT:
		return read_argument(to, r);
	case KT_MEMBER_BOOL:
		return read_bool(to, r);
	case KT_MEMBER_WORD:
		return read_word(to, m, r);
	case KT_MEMBER_RANGE:
		return read_range(to, r);
	case KT_MEMBER_TRIPLE:
		return read_triple(to, m, r);
	case KT_MEMBER_EXPR:
		return read_expr(to, KT_MEMBER_TEXT, r);
	case KT_MEMBER_EXPRESSION:
		return read_expr(to, KT_MEMBER_LINE, r);
	case KT_MEMBER_EXTENTS:
		return read_extents(to, count, r);
	case KT_MEMBER_ELEMENT:
		return read_element(to, r);
	case KT_MEMBER_NUMBERS:
		return read_numbers(to, m->names, r);
	case KT_MEMBER_LIST:
	case KT_MEMBER_SOME:
		return read_list(to, count, m, r);
	case KT_MEMBER_OBJECT:
		return kt_members_read(to, m->item, r);
	case KT_MEMBER_POINTER:
		return read_pointer(to, m->item, r);
	case KT_MEMBER_JSON:
		*(const cJSON **)to = r->at->json;
		return KT_OK;
	case KT_MEMBER_OWN:
		break;
	}
	return m->own->read(to, r);
}

/* A member that is missing: the record holds zeros. */
static kt_status read_absent(char *record, const struct kt_member *m, bool needed, struct kt_member_reader *r)
{
	void *to = record + m->offset;
	if (m->kind == KT_MEMBER_SOME) {
		*(size_t *)(void *)(record + m->count) = 1;
		return read_pointer(to, m->item, r);
	}
	if (needed)
		return kt_member_bad(r, "member \"%s\" is missing", m->name);
	if (m->kind == KT_MEMBER_TEXT && m->flags & KT_MEMBER_EMPTY)
		*(const char **)to = "";
	else if (m->kind == KT_MEMBER_INT && m->absent != 0)
		*(int64_t *)to = m->absent;
	else if (m->kind == KT_MEMBER_ARGUMENT)
		*(int64_t *)to = -1;
	else if (m->kind == KT_MEMBER_DOUBLE && m->absent != 0)
		*(double *)to = (double)m->absent;
	else if (m->kind == KT_MEMBER_WORD && m->absent != 0)
		*(int *)to = (int)m->absent;
	return KT_OK;
}

/* The members that the table knows: found[i] is that of rows[i], NULL where there is none. */
static kt_status find_members(const cJSON **found, const struct kt_members *members, struct kt_member_reader *r)
{
	const struct kt_json_place *at = r->at;
	const cJSON *item;
	if (!cJSON_IsObject(at->json))
		return kt_member_bad(r, "an object expected");
	cJSON_ArrayForEach(item, at->json)
	{
		const struct kt_json_place here = {at, item->string, 0, item};
		size_t i = 0;
		while (i < members->count &&
		       (members->rows[i].name == NULL || strcmp(members->rows[i].name, item->string) != 0))
			i++;
		if (members->is_closed && strncmp(item->string, "x_", 2) == 0)
			continue;
		if (members->is_closed && i == members->count)
			return kt_json_bad(r->err, &here, "an unknown member");
		if (members->is_closed && found[i] != NULL)
			return kt_json_bad(r->err, &here, "a member that appears twice");
		if (i < members->count && found[i] == NULL && (members->is_closed || !cJSON_IsNull(item)))
			found[i] = item;
	}
	return KT_OK;
}

static kt_status read_member(char *record, const struct kt_member *m, const cJSON *json, bool needed,
			     struct kt_member_reader *r)
{
	const struct kt_json_place *object = r->at, here = {object, m->name, 0, json};
	if (m->name == NULL)
		return read_value(record, m, r);
	if (json == NULL && m->kind != KT_MEMBER_ELEMENT)
		return read_absent(record, m, needed, r);
	r->at = &here;
	kt_status status = read_value(record, m, r);
	r->at = object;
	return status;
}

kt_status kt_members_read(void *record, const struct kt_members *members, struct kt_member_reader *r)
{
	const unsigned excuses = KT_MEMBER_SPARSE | KT_MEMBER_LENIENT;
	const cJSON *found[KT_MEMBER_ROWS] = {NULL};
	if (members->count > 1 || members->rows[0].name != NULL)
		TRY(find_members(found, members, r));
	for (size_t i = 0; i < members->count; i++) {
		const struct kt_member *m = &members->rows[i];
		const bool needed = m->flags & KT_MEMBER_REQUIRED || (members->is_closed && !(m->flags & excuses));
		TRY(read_member(record, m, found[i], needed, r));
	}
	return members->check != NULL ? members->check(record, r) : KT_OK;
}

kt_status kt_members_parse(void *record, const cJSON *json, const struct kt_members *members, struct kt_arena *arena,
			   struct kt_error *err)
{
	const struct kt_json_place root = {.json = json};
	struct kt_member_reader r = {.arena = arena, .err = err, .at = &root, .whole = record};
	return kt_members_read(record, members, &r);
}

kt_status kt_members_list(void *items, size_t *count, const char *name, const struct kt_members *item,
			  struct kt_member_reader *r)
{
	const struct kt_json_place *object = r->at, here = kt_json_member(object, name);
	*count = 0;
	if (here.json == NULL || cJSON_IsNull(here.json))
		return KT_OK;
	r->at = &here;
	kt_status status = read_list(items, count, &(struct kt_member){.item = item}, r);
	r->at = object;
	return status;
}
