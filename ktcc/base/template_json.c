/* A generator's template as JSON: what ktcc-clang rewrite answers, and what an entry carries. */
#include <stdio.h>
#include <string.h>

#include "base/template_text.h"

#define STRATEGIES_MOST 64
#define VALUES_MOST 1024
#define NOTE_BYTES 4096 /* a reason, a meaning, a rationale, an expression */
#define PLACE_BYTES 96

/* ---- reading */

struct reader {
	struct kt_arena *arena;
	struct kt_error *err;
};

static kt_status bad(const struct reader *r, const char *place, const char *what)
{
	return kt_fail(r->err, KT_ERR_INVALID, "%s: %s", place, what);
}

static kt_status no_memory(const struct reader *r)
{
	return kt_fail(r->err, KT_ERR_MEMORY, "out of memory for a template");
}

/* A member that names the place of its object; "" is the template itself. */
static const char *place_of(char out[PLACE_BYTES], const char *list, size_t index, const char *name)
{
	if (list[0] == '\0')
		snprintf(out, PLACE_BYTES, "/%s", name);
	else
		snprintf(out, PLACE_BYTES, "/%s/%zu%s%s", list, index, name[0] != '\0' ? "/" : "", name);
	return out;
}

static bool is_one_of(const char *name, const char *const *members)
{
	for (size_t i = 0; members[i] != NULL; i++)
		if (strcmp(members[i], name) == 0)
			return true;
	return false;
}

/* An object with no members but these, each at most once, and notes ("x_…"). */
static kt_status check_members(const struct reader *r, const cJSON *json, const char *const *members, const char *list,
                               size_t index)
{
	char place[PLACE_BYTES];
	const cJSON *item;

	if (!cJSON_IsObject(json))
		return bad(r, place_of(place, list, index, ""), "an object expected");
	cJSON_ArrayForEach(item, json) {
		if (strncmp(item->string, "x_", 2) == 0)
			continue;
		/* The name may be anything, and the message goes to a terminal. */
		if (!is_one_of(item->string, members))
			return bad(r, place_of(place, list, index, ""), "an unknown member");
		if (cJSON_GetObjectItemCaseSensitive(json, item->string) != item)
			return bad(r, place_of(place, list, index, item->string), "a member that stands there twice");
	}
	return KT_OK;
}

/* One line of text for people or of the expression language; UTF-8 is passed on. */
static bool is_line(const char *text)
{
	for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
		if (*c < ' ' || *c == 0x7f)
			return false;
	return strlen(text) <= NOTE_BYTES;
}

static kt_status read_line(const char **out, const struct reader *r, const cJSON *json, const char *list, size_t index,
                           const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name);
	char place[PLACE_BYTES];

	if (!cJSON_IsString(item) || !is_line(item->valuestring))
		return bad(r, place_of(place, list, index, name), "one line of text expected");
	*out = kt_arena_strdup(r->arena, item->valuestring);
	return *out != NULL ? KT_OK : no_memory(r);
}

/* Text that is compiled: tabs and line ends are the only control characters in it. */
static bool add_text(struct kt_buf *out, const char *text, bool several)
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

/* One string, or an array of lines, which end with a line end each but the last. */
static kt_status read_text(const char **out, const struct reader *r, const cJSON *json, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, name), *line;
	struct kt_buf text = KT_BUF(KT_TEMPLATE_TEXT_BYTES);
	char place[PLACE_BYTES];
	bool right = cJSON_IsString(item) || cJSON_IsArray(item);
	kt_status status = KT_OK;

	if (cJSON_IsString(item))
		right = add_text(&text, item->valuestring, true);
	for (line = cJSON_IsArray(item) ? item->child : NULL; line != NULL && right; line = line->next) {
		if (line != item->child)
			kt_buf_addc(&text, '\n');
		right = cJSON_IsString(line) && add_text(&text, line->valuestring, false);
	}
	if (!right)
		status = bad(r, place_of(place, "", 0, name), "text expected, as one string or an array of lines");
	else if (text.failed)
		status = bad(r, place_of(place, "", 0, name), "more text than a template may have");
	else if ((*out = kt_arena_strdup(r->arena, kt_buf_text(&text))) == NULL)
		status = no_memory(r);
	kt_buf_free(&text);
	return status;
}

static kt_status read_expression(struct kt_clause_expr *out, const struct reader *r, const char *text,
                                 const char *place)
{
	*out = (struct kt_clause_expr){.text = text};
	if (kt_expr_parse(&out->expr, r->arena, text, strlen(text), r->err) == KT_OK)
		return KT_OK;
	r->err->code = KT_ERR_INVALID;
	return kt_fail_prefix(r->err, "%s", place);
}

/* An array of at most `most` items, absent where `least` is 0; *out: its items. */
static kt_status read_array(const cJSON **out, size_t *count, const struct reader *r, const cJSON *json,
                            const char *name, size_t least, size_t most)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, name);
	char place[PLACE_BYTES];

	*out = NULL;
	*count = 0;
	if (array == NULL && least == 0)
		return KT_OK;
	if (!cJSON_IsArray(array))
		return bad(r, place_of(place, "", 0, name), "an array expected");
	for (const cJSON *item = array->child; item != NULL; item = item->next)
		++*count;
	if (*count < least || *count > most)
		return bad(r, place_of(place, "", 0, name), "too few or too many items");
	*out = array->child;
	return KT_OK;
}

/* [{"text","reason"}] */
static kt_status read_conditions(const struct kt_clause_expr **out, const char *const **reasons, size_t *count,
                                 const struct reader *r, const cJSON *json, const char *name)
{
	static const char *const members[] = {"text", "reason", NULL};
	struct kt_clause_expr *clauses;
	const char **why, *text;
	char place[PLACE_BYTES];
	const cJSON *item;
	size_t i = 0;

	TRY(read_array(&item, count, r, json, name, 0, KT_CLAUSE_ITEMS));
	clauses = kt_arena_array(r->arena, *count + 1, sizeof *clauses);
	why = kt_arena_array(r->arena, *count + 1, sizeof *why);
	if (clauses == NULL || why == NULL)
		return no_memory(r);
	for (; item != NULL; item = item->next, i++)
		if (check_members(r, item, members, name, i) != KT_OK ||
		    read_line(&text, r, item, name, i, "text") != KT_OK ||
		    read_line(&why[i], r, item, name, i, "reason") != KT_OK ||
		    read_expression(&clauses[i], r, text, place_of(place, name, i, "text")) != KT_OK)
			return r->err->code;
	*out = clauses;
	*reasons = why;
	return KT_OK;
}

/* ["grid x", …] */
static kt_status read_extents(const struct kt_clause_expr **out, size_t *count, const struct reader *r,
                              const cJSON *json, const char *name)
{
	struct kt_clause_expr *clauses = kt_arena_array(r->arena, 3, sizeof *clauses);
	char place[PLACE_BYTES];
	const cJSON *item;
	size_t i = 0;

	TRY(read_array(&item, count, r, json, name, 1, 3));
	NEED(clauses, no_memory(r));
	for (; item != NULL; item = item->next, i++) {
		const char *text;

		if (!cJSON_IsString(item) || !is_line(item->valuestring))
			return bad(r, place_of(place, name, i, ""), "an expression expected");
		NEED(text = kt_arena_strdup(r->arena, item->valuestring), no_memory(r));
		TRY(read_expression(&clauses[i], r, text, place_of(place, name, i, "")));
	}
	*out = clauses;
	return KT_OK;
}

static bool is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	const size_t length = strlen(text);

	return length > 0 && length <= KT_PRAGMA_NAME_BYTES && strchr(letters, text[0]) != NULL &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length &&
	       strcmp(text, "if") != 0 && strcmp(text, "else") != 0 && strcmp(text, "end") != 0;
}

static bool has_value(const int64_t *values, size_t count, int64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] == value)
			return true;
	return false;
}

static kt_status read_values(struct kt_parameter *out, const struct reader *r, const cJSON *json, size_t index)
{
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(json, "values"), *item;
	char place[PLACE_BYTES];
	struct kt_error ignored;
	size_t count = 0;

	place_of(place, "parameters", index, "values");
	for (item = cJSON_IsArray(array) ? array->child : NULL; item != NULL; item = item->next)
		count++;
	if (count == 0 || count > VALUES_MOST)
		return bad(r, place, "an array of integers expected");
	NEED(out->values = kt_arena_array(r->arena, count, sizeof *out->values), no_memory(r));
	for (item = array->child; item != NULL; item = item->next) {
		int64_t value = 0;

		if (kt_json_item_int(&value, item, &ignored) != KT_OK)
			return bad(r, place, "an array of integers expected");
		if (has_value(out->values, out->value_count, value))
			return bad(r, place, "a value that stands there twice");
		out->values[out->value_count++] = value;
	}
	return KT_OK;
}

static kt_status read_parameter(struct kt_parameter *out, const struct reader *r, const cJSON *json, size_t index)
{
	static const char *const members[] = {"name", "values", "original", "meaning", NULL};
	const cJSON *original = cJSON_GetObjectItemCaseSensitive(json, "original");
	char place[PLACE_BYTES];
	struct kt_error ignored;

	*out = (struct kt_parameter){.carrier = KT_CARRIER_HOLE, .absent = original == NULL || cJSON_IsNull(original)};
	if (check_members(r, json, members, "parameters", index) != KT_OK ||
	    read_line(&out->name, r, json, "parameters", index, "name") != KT_OK ||
	    read_line(&out->meaning, r, json, "parameters", index, "meaning") != KT_OK)
		return r->err->code;
	if (!is_name(out->name))
		return bad(r, place_of(place, "parameters", index, "name"), "an identifier expected");
	if (!out->absent && kt_json_item_int(&out->original, original, &ignored) != KT_OK)
		return bad(r, place_of(place, "parameters", index, "original"), "an integer or null expected");
	return read_values(out, r, json, index);
}

static kt_status read_parameters(struct kt_template *out, const struct reader *r, const cJSON *json)
{
	struct kt_parameter *parameters;
	char place[PLACE_BYTES];
	const cJSON *item;

	TRY(read_array(&item, &out->parameter_count, r, json, "parameters", 1, KT_PARAMETERS));
	NEED(parameters = kt_arena_array(r->arena, out->parameter_count, sizeof *parameters), no_memory(r));
	for (size_t i = 0; i < out->parameter_count; i++, item = item->next) {
		TRY(read_parameter(&parameters[i], r, item, i));
		for (size_t k = 0; k < i; k++)
			if (strcmp(parameters[k].name, parameters[i].name) == 0)
				return bad(r, place_of(place, "parameters", i, "name"), "a name that stands there twice");
	}
	out->parameters = parameters;
	return KT_OK;
}

static kt_status read_strategies(struct kt_template *out, const struct reader *r, const cJSON *json)
{
	static const char *const members[] = {"name", "reason", NULL};
	struct kt_template_strategy *strategies;
	const cJSON *item;
	size_t i = 0;

	TRY(read_array(&item, &out->strategy_count, r, json, "strategies", 0, STRATEGIES_MOST));
	NEED(strategies = kt_arena_array(r->arena, out->strategy_count + 1, sizeof *strategies), no_memory(r));
	for (; item != NULL; item = item->next, i++)
		if (check_members(r, item, members, "strategies", i) != KT_OK ||
		    read_line(&strategies[i].name, r, item, "strategies", i, "name") != KT_OK ||
		    read_line(&strategies[i].reason, r, item, "strategies", i, "reason") != KT_OK)
			return r->err->code;
	out->strategies = strategies;
	return KT_OK;
}

static kt_status read_kernel_text(struct kt_template *out, const struct reader *r, const cJSON *json)
{
	const struct {
		const char *name, **to;
	} parts[] = {{"helpers", &out->helpers}, {"head", &out->head}, {"body", &out->body}};
	char place[PLACE_BYTES];

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		TRY(read_text(parts[i].to, r, json, parts[i].name));
		if (kt_template_check_text(out, *parts[i].to, r->err) != KT_OK) {
			r->err->code = KT_ERR_INVALID;
			return kt_fail_prefix(r->err, "%s: byte %u", place_of(place, "", 0, parts[i].name), r->err->offset);
		}
	}
	return KT_OK;
}

/* [{"head","body","grid","block"}]: the kernels behind the first */
static kt_status read_further(struct kt_template *out, const struct reader *r, const cJSON *json)
{
	static const char *const members[] = {"head", "body", "grid", "block", NULL};
	struct kt_template_kernel *further;
	const cJSON *item;
	size_t i = 0;

	TRY(read_array(&item, &out->further_count, r, json, "further", 0, KT_STEPS - 1));
	NEED(further = kt_arena_array(r->arena, out->further_count + 1, sizeof *further), no_memory(r));
	for (; item != NULL; item = item->next, i++) {
		struct kt_template_kernel *kernel = &further[i];

		TRY(check_members(r, item, members, "further", i));
		if (read_text(&kernel->head, r, item, "head") != KT_OK || read_text(&kernel->body, r, item, "body") != KT_OK ||
		    kt_template_check_text(out, kernel->head, r->err) != KT_OK ||
		    kt_template_check_text(out, kernel->body, r->err) != KT_OK ||
		    read_extents(&kernel->grid, &kernel->grid_count, r, item, "grid") != KT_OK ||
		    read_extents(&kernel->block, &kernel->block_count, r, item, "block") != KT_OK) {
			r->err->code = KT_ERR_INVALID;
			return kt_fail_prefix(r->err, "/further/%zu", i);
		}
	}
	out->further = further;
	return KT_OK;
}

/* [{"name","element","count"}]: memory of a plan's own */
static kt_status read_temporaries(struct kt_template *out, const struct reader *r, const cJSON *json)
{
	static const char *const members[] = {"name", "element", "count", NULL}, list[] = "temporaries";
	struct kt_template_temporary *temporaries;
	const char *element;
	char place[PLACE_BYTES];
	const cJSON *item;
	size_t i = 0;

	TRY(read_array(&item, &out->temporary_count, r, json, list, 0, KT_TEMPORARIES));
	NEED(temporaries = kt_arena_array(r->arena, out->temporary_count + 1, sizeof *temporaries), no_memory(r));
	for (; item != NULL; item = item->next, i++) {
		struct kt_template_temporary *t = &temporaries[i];
		const char *count;

		if (check_members(r, item, members, list, i) != KT_OK ||
		    read_line(&t->name, r, item, list, i, "name") != KT_OK ||
		    read_line(&element, r, item, list, i, "element") != KT_OK ||
		    read_line(&count, r, item, list, i, "count") != KT_OK ||
		    read_expression(&t->count, r, count, place_of(place, list, i, "count")) != KT_OK)
			return r->err->code;
		t->element = kt_scalar_from_name(element);
		if (t->element == KT_SCALAR_NONE)
			return bad(r, place_of(place, list, i, "element"), "an element type expected");
		if (!is_name(t->name))
			return bad(r, place_of(place, list, i, "name"), "an identifier expected");
		for (size_t k = 0; k < i; k++)
			if (strcmp(temporaries[k].name, t->name) == 0)
				return bad(r, place_of(place, list, i, "name"), "a name that stands there twice");
	}
	out->temporaries = temporaries;
	return out->temporary_count == 0 || out->further_count > 0
	           ? KT_OK
	           : bad(r, place_of(place, "", 0, list), "memory of its own is for a plan of several kernels");
}

kt_status kt_template_read(struct kt_template **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	static const char *const members[] = {"generator", "rationale", "concrete", "specialised", "helpers", "head", "body",
	                                      "parameters", "restrictions", "guards", "grid", "block", "shared_bytes",
	                                      "strategies", "further", "temporaries", NULL};
	const struct reader r = {arena, err};
	struct kt_template *t = kt_arena_alloc(arena, sizeof *t);
	const char *shared;

	NEED(t, no_memory(&r));
	*t = (struct kt_template){.concrete = true};
	TRY(check_members(&r, json, members, "", 0));
	if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "concrete")))
		return bad(&r, "/concrete", "true expected");
	t->is_specialised = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "specialised"));
	if (read_line(&t->generator, &r, json, "", 0, "generator") != KT_OK ||
	    read_line(&t->rationale, &r, json, "", 0, "rationale") != KT_OK || read_parameters(t, &r, json) != KT_OK ||
	    read_kernel_text(t, &r, json) != KT_OK ||
	    read_conditions(&t->restrictions, &t->restriction_reasons, &t->restriction_count, &r, json, "restrictions") !=
	        KT_OK ||
	    read_conditions(&t->guards, &t->guard_reasons, &t->guard_count, &r, json, "guards") != KT_OK ||
	    read_extents(&t->grid, &t->grid_count, &r, json, "grid") != KT_OK ||
	    read_extents(&t->block, &t->block_count, &r, json, "block") != KT_OK ||
	    read_line(&shared, &r, json, "", 0, "shared_bytes") != KT_OK ||
	    read_expression(&t->shared_bytes, &r, shared, "/shared_bytes") != KT_OK)
		return err->code;
	if (read_strategies(t, &r, json) != KT_OK || read_further(t, &r, json) != KT_OK ||
	    read_temporaries(t, &r, json) != KT_OK)
		return err->code;
	*out = t;
	return KT_OK;
}

/* ---- writing; a failed allocation makes the tree incomplete, and it is thrown away */

struct writer {
	bool ok;
};

static void put(struct writer *w, cJSON *to, const char *name, const char *text)
{
	w->ok = w->ok && cJSON_AddStringToObject(to, name, text != NULL ? text : "") != NULL;
}

static cJSON *put_array(struct writer *w, cJSON *to, const char *name)
{
	cJSON *made = cJSON_AddArrayToObject(to, name);

	w->ok = w->ok && made != NULL;
	return made;
}

static void append(struct writer *w, cJSON *array, cJSON *item)
{
	if (item != NULL && cJSON_AddItemToArray(array, item))
		return;
	cJSON_Delete(item);
	w->ok = false;
}

static cJSON *append_object(struct writer *w, cJSON *array)
{
	cJSON *item = cJSON_CreateObject();

	append(w, array, item);
	return w->ok ? item : NULL;
}

static void put_lines(struct writer *w, cJSON *to, const char *name, const char *text)
{
	cJSON *array = put_array(w, to, name);
	struct kt_buf line = KT_BUF(KT_TEMPLATE_TEXT_BYTES);

	for (const char *at = text; w->ok && text[0] != '\0'; at++) {
		const size_t length = strcspn(at, "\n");

		kt_buf_clear(&line);
		kt_buf_add(&line, at, length);
		w->ok = !line.failed;
		if (w->ok)
			append(w, array, cJSON_CreateString(kt_buf_text(&line)));
		at += length;
		if (*at == '\0')
			break;
	}
	kt_buf_free(&line);
}

static void put_conditions(struct writer *w, cJSON *to, const char *name, const struct kt_clause_expr *clauses,
                           const char *const *reasons, size_t count)
{
	cJSON *array = put_array(w, to, name);

	for (size_t i = 0; w->ok && i < count; i++) {
		cJSON *item = append_object(w, array);

		put(w, item, "text", clauses[i].text);
		put(w, item, "reason", reasons != NULL ? reasons[i] : "");
	}
}

static void put_extents(struct writer *w, cJSON *to, const char *name, const struct kt_clause_expr *clauses,
                        size_t count)
{
	cJSON *array = put_array(w, to, name);

	for (size_t i = 0; w->ok && i < count; i++)
		append(w, array, cJSON_CreateString(clauses[i].text));
}

/* An integer of any size, as kt_json_add_int has it. */
static void append_int(struct writer *w, cJSON *array, int64_t value)
{
	cJSON *carrier = cJSON_CreateObject();

	w->ok = w->ok && carrier != NULL && kt_json_add_int(carrier, "v", value);
	if (w->ok)
		append(w, array, cJSON_DetachItemFromObjectCaseSensitive(carrier, "v"));
	cJSON_Delete(carrier);
}

static void put_parameters(struct writer *w, cJSON *to, const struct kt_template *t)
{
	cJSON *array = put_array(w, to, "parameters");

	for (size_t i = 0; w->ok && i < t->parameter_count; i++) {
		const struct kt_parameter *parameter = &t->parameters[i];
		cJSON *item = append_object(w, array), *values;

		put(w, item, "name", parameter->name);
		values = put_array(w, item, "values");
		for (size_t v = 0; w->ok && v < parameter->value_count; v++)
			append_int(w, values, parameter->values[v]);
		w->ok = w->ok && (parameter->absent ? cJSON_AddNullToObject(item, "original") != NULL
		                                    : kt_json_add_int(item, "original", parameter->original));
		put(w, item, "meaning", parameter->meaning);
	}
}

static void put_further(struct writer *w, cJSON *to, const struct kt_template *t)
{
	cJSON *array = t->further_count > 0 ? put_array(w, to, "further") : NULL;

	for (size_t i = 0; w->ok && i < t->further_count; i++) {
		cJSON *item = append_object(w, array);

		put_extents(w, item, "grid", t->further[i].grid, t->further[i].grid_count);
		put_extents(w, item, "block", t->further[i].block, t->further[i].block_count);
		put_lines(w, item, "head", t->further[i].head);
		put_lines(w, item, "body", t->further[i].body);
	}
}

static void put_temporaries(struct writer *w, cJSON *to, const struct kt_template *t)
{
	cJSON *array = t->temporary_count > 0 ? put_array(w, to, "temporaries") : NULL;

	for (size_t i = 0; w->ok && i < t->temporary_count; i++) {
		cJSON *item = append_object(w, array);

		put(w, item, "name", t->temporaries[i].name);
		put(w, item, "element", kt_scalar_name(t->temporaries[i].element));
		put(w, item, "count", t->temporaries[i].count.text);
	}
}

cJSON *kt_template_json(const struct kt_template *t)
{
	cJSON *root = cJSON_CreateObject(), *strategies;
	struct writer w = {root != NULL};

	put(&w, root, "generator", t->generator);
	put(&w, root, "rationale", t->rationale);
	strategies = put_array(&w, root, "strategies");
	for (size_t i = 0; w.ok && i < t->strategy_count; i++) {
		cJSON *item = append_object(&w, strategies);

		put(&w, item, "name", t->strategies[i].name);
		put(&w, item, "reason", t->strategies[i].reason);
	}
	put_parameters(&w, root, t);
	put_conditions(&w, root, "restrictions", t->restrictions, t->restriction_reasons, t->restriction_count);
	put_conditions(&w, root, "guards", t->guards, t->guard_reasons, t->guard_count);
	put_extents(&w, root, "grid", t->grid, t->grid_count);
	put_extents(&w, root, "block", t->block, t->block_count);
	put(&w, root, "shared_bytes", t->shared_bytes.expr != NULL ? t->shared_bytes.text : "0");
	w.ok = w.ok && cJSON_AddBoolToObject(root, "concrete", t->concrete) != NULL;
	w.ok = w.ok && (!t->is_specialised || cJSON_AddBoolToObject(root, "specialised", true) != NULL);
	put_lines(&w, root, "helpers", t->helpers);
	put_lines(&w, root, "head", t->head);
	put_lines(&w, root, "body", t->body);
	put_further(&w, root, t);
	put_temporaries(&w, root, t);
	if (w.ok)
		return root;
	cJSON_Delete(root);
	return NULL;
}
