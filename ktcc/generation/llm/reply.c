#include "generation/llm/reply.h"

#include <stdio.h>
#include <string.h>

#include "generation/llm/reply_fence.h"

struct reader {
	struct kt_arena *arena;
	struct kt_error *err;
};

static kt_status no_memory(struct reader *r)
{
	return kt_fail(r->err, KT_ERR_MEMORY, "out of memory for a reply");
}

static const cJSON *member(const cJSON *object, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

	return item == NULL || cJSON_IsNull(item) ? NULL : item;
}

/* A text for the reader: cut where it is too long, so that it fits in a report and in the next prompt. */
static kt_status read_prose(const char **out, struct reader *r, const cJSON *object, const char *name)
{
	const cJSON *item = member(object, name);
	char *copy;

	if (item != NULL && !cJSON_IsString(item))
		return kt_fail(r->err, KT_ERR_INVALID, "/%s: a string expected", name);
	NEED(copy = kt_arena_strndup(r->arena, item != NULL ? item->valuestring : "",
				     item != NULL ? strnlen(item->valuestring, KT_REPLY_PROSE_BYTES) : 0),
	     no_memory(r));
	for (char *at = copy; *at != '\0'; at++)
		if ((unsigned char)*at < ' ' && *at != '\n')
			*at = ' ';
	*out = copy;
	return KT_OK;
}

static bool is_identifier(const char *text)
{
	size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return text[0] != '\0' && text[length] == '\0' && length <= KT_REPLY_NAME_BYTES &&
	       !(text[0] >= '0' && text[0] <= '9');
}

/* A member that is a name. `place` is how the member is called in messages. */
static kt_status read_name(const char **out, struct reader *r, const cJSON *item, const char *place)
{
	if (!cJSON_IsString(item) || !is_identifier(item->valuestring))
		return kt_fail(r->err, KT_ERR_INVALID, "%s: a name of at most %d letters, digits and '_' expected", place,
		               KT_REPLY_NAME_BYTES);
	*out = kt_arena_strdup(r->arena, item->valuestring);
	return *out != NULL ? KT_OK : no_memory(r);
}

/* A parameter is a macro while its text is compiled: nothing that a header could use. */
static bool is_parameter_name(const char *name)
{
	size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return name[length] == '\0' && name[0] >= 'A' && name[0] <= 'Z' && strncmp(name, "KTUNE", 5) != 0 &&
	       strncmp(name, "CUDA", 4) != 0 && strncmp(name, "NV_", 3) != 0;
}

/* An expression: text, or a plain number. */
static kt_status read_expr(struct kt_clause_expr *out, struct reader *r, const cJSON *item, const char *place)
{
	char number[32];
	const char *text = number;
	int64_t value;
	kt_status status;

	if (cJSON_IsString(item)) {
		text = item->valuestring;
	} else if (cJSON_IsNumber(item) && kt_json_item_int(&value, item, r->err) == KT_OK) {
		(void)snprintf(number, sizeof number, "%lld", (long long)value);
	} else {
		return kt_fail(r->err, KT_ERR_INVALID, "%s: an expression expected, as text", place);
	}
	if (strnlen(text, KT_REPLY_PROSE_BYTES + 1) > KT_REPLY_PROSE_BYTES)
		return kt_fail(r->err, KT_ERR_LIMIT, "%s: an expression longer than %d bytes", place, KT_REPLY_PROSE_BYTES);
	out->text = kt_arena_strdup(r->arena, text);
	out->offset = 0;
	NEED(out->text, no_memory(r));
	status = kt_expr_parse(&out->expr, r->arena, out->text, strlen(out->text), r->err);
	/* Text of the model goes into a message, so it may be long: the place stays in front. */
	return status == KT_OK ? KT_OK : kt_fail_prefix(r->err, "%s: \"%.200s\"", place, out->text);
}

/* "e", ["e", "e"] or absent: up to three. */
static kt_status read_extent(size_t *count, struct kt_clause_expr extent[3], struct reader *r, const cJSON *object,
                             const char *name)
{
	const cJSON *item = member(object, name), *each;

	*count = 0;
	if (item == NULL)
		return KT_OK;
	if (!cJSON_IsArray(item)) {
		*count = 1;
		return read_expr(&extent[0], r, item, name);
	}
	cJSON_ArrayForEach(each, item) {
		if (*count == 3)
			return kt_fail(r->err, KT_ERR_INVALID, "/%s: at most three extents", name);
		TRY(read_expr(&extent[(*count)++], r, each, name));
	}
	return KT_OK;
}

static kt_status read_geometry(struct kt_reply_geometry *out, struct reader *r, const cJSON *object)
{
	const cJSON *shared = member(object, "shared_bytes");
	TRY(read_extent(&out->grid_count, out->grid, r, object, "grid"));

	TRY(read_extent(&out->block_count, out->block, r, object, "block"));
	if (shared != NULL)
		TRY(read_expr(&out->shared_bytes, r, shared, "/shared_bytes"));
	if ((out->grid_count == 0) != (out->block_count == 0))
		return kt_fail(r->err, KT_ERR_INVALID, "grid and block come together or not at all");
	return KT_OK;
}

/* The array member and its length; too long a one fails. */
static kt_status read_array(const cJSON **out, size_t *count, struct reader *r, const cJSON *object, const char *name,
                            size_t most)
{
	kt_status status = kt_json_array_or(out, object, name, r->err);

	*count = 0;
	if (status != KT_OK || *out == NULL)
		return status;
	*count = (size_t)cJSON_GetArraySize(*out);
	if (*count > most)
		return kt_fail(r->err, KT_ERR_LIMIT, "/%s: %zu items, at most %zu are read", name, *count, most);
	return KT_OK;
}

static kt_status read_values(struct kt_reply_parameter *out, struct reader *r, const cJSON *object)
{
	const cJSON *values = NULL, *item;
	size_t count = 0;
	kt_status status = read_array(&values, &count, r, object, "values", KT_REPLY_VALUES);

	if (status != KT_OK)
		return kt_fail_prefix(r->err, "/parameters/%s", out->name);
	if (count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "/parameters/%s: no values", out->name);
	NEED(out->values = kt_arena_array(r->arena, count, sizeof *out->values), no_memory(r));
	cJSON_ArrayForEach(item, values) {
		int64_t value;
		bool twice = false;

		if (kt_json_item_int(&value, item, r->err) != KT_OK || value > KT_REPLY_MAGNITUDE ||
		    value < -KT_REPLY_MAGNITUDE)
			return kt_fail(r->err, KT_ERR_INVALID, "/parameters/%s/values: whole numbers of 32 bits expected",
			               out->name);
		for (size_t i = 0; i < out->value_count; i++)
			twice = twice || out->values[i] == value;
		if (!twice)
			out->values[out->value_count++] = value;
	}
	return KT_OK;
}

static kt_status read_parameters(struct kt_reply *out, struct reader *r, const cJSON *object)
{
	const cJSON *list = NULL, *item;
	size_t count = 0;
	TRY(read_array(&list, &count, r, object, "parameters", KT_REPLY_PARAMETERS));

	if (count == 0)
		return KT_OK;
	NEED(out->parameters = kt_arena_array(r->arena, count, sizeof *out->parameters), no_memory(r));
	cJSON_ArrayForEach(item, list) {
		struct kt_reply_parameter *p = &out->parameters[out->parameter_count];

		if (!cJSON_IsObject(item))
			return kt_fail(r->err, KT_ERR_INVALID, "/parameters: objects expected");
		TRY(read_name(&p->name, r, member(item, "name"), "/parameters/name"));
		if (!is_parameter_name(p->name))
			return kt_fail(r->err, KT_ERR_INVALID,
			               "/parameters/%s: upper case expected, and no name of a header", p->name);
		for (size_t i = 0; i < out->parameter_count; i++)
			if (strcmp(out->parameters[i].name, p->name) == 0)
				return kt_fail(r->err, KT_ERR_INVALID, "/parameters/%s: named twice", p->name);
		TRY(read_values(p, r, item));
		TRY(read_prose(&p->reason, r, item, "reason"));
		out->parameter_count++;
	}
	return KT_OK;
}

/* "expression" or {"expression", "reason"}. */
static kt_status read_conditions(struct kt_reply_condition **out, size_t *count, struct reader *r, const cJSON *object,
                                 const char *name)
{
	const cJSON *list = NULL, *item;
	size_t most = 0;
	TRY(read_array(&list, &most, r, object, name, KT_REPLY_CONDITIONS));

	if (most == 0)
		return KT_OK;
	NEED(*out = kt_arena_array(r->arena, most, sizeof **out), no_memory(r));
	cJSON_ArrayForEach(item, list) {
		struct kt_reply_condition *c = &(*out)[*count];

		c->reason = "";
		if (cJSON_IsObject(item)) {
			TRY(read_prose(&c->reason, r, item, "reason"));
			TRY(read_expr(&c->expr, r, member(item, "expression"), name));
		} else {
			TRY(read_expr(&c->expr, r, item, name));
		}
		++*count;
	}
	return KT_OK;
}

static bool no_name(int64_t *value, const char *name, void *context)
{
	(void)value, (void)name, (void)context;
	return false;
}

/* A size that is the same everywhere is known here; any other one is judged with its values (tuning/feasible.h). */
static bool is_possible_count(const struct kt_clause_expr *count)
{
	struct kt_error ignored;
	int64_t value = 0;

	return kt_expr_eval(&value, count->expr, no_name, NULL, &ignored) != KT_OK ||
	       (value >= 0 && value <= KT_REPLY_TEMPORARY_ELEMENTS);
}

static kt_status read_temporaries(struct kt_reply *out, struct reader *r, const cJSON *object)
{
	const cJSON *list = NULL, *item;
	size_t count = 0;
	TRY(read_array(&list, &count, r, object, "temporaries", KT_REPLY_TEMPORARIES));

	if (count == 0)
		return KT_OK;
	NEED(out->temporaries = kt_arena_array(r->arena, count, sizeof *out->temporaries), no_memory(r));
	cJSON_ArrayForEach(item, list) {
		struct kt_reply_temporary *t = &out->temporaries[out->temporary_count];
		const cJSON *element = member(item, "element");

		TRY(read_name(&t->name, r, member(item, "name"), "/temporaries/name"));
		t->element = cJSON_IsString(element) ? kt_scalar_from_name(element->valuestring) : KT_SCALAR_NONE;
		if (t->element == KT_SCALAR_NONE)
			return kt_fail(r->err, KT_ERR_INVALID, "/temporaries/%s: not an element type, as f32 is one", t->name);
		for (size_t i = 0; i < out->temporary_count; i++)
			if (strcmp(out->temporaries[i].name, t->name) == 0)
				return kt_fail(r->err, KT_ERR_INVALID, "/temporaries/%s: named twice", t->name);
		TRY(read_expr(&t->count, r, member(item, "count"), "/temporaries/count"));
		if (!is_possible_count(&t->count))
			return kt_fail(r->err, KT_ERR_INVALID, "/temporaries/%s: %.200s elements", t->name, t->count.text);
		out->temporary_count++;
	}
	return KT_OK;
}

static kt_status read_launch(struct kt_reply_launch *out, struct reader *r, const cJSON *item)
{
	const cJSON *list = NULL, *each;
	size_t count = 0;
	TRY(read_name(&out->kernel, r, member(item, "kernel"), "/launches/kernel"));

	TRY(read_array(&list, &count, r, item, "arguments", KT_REPLY_ARGUMENTS));
	TRY(read_geometry(&out->geometry, r, item));
	if (out->geometry.grid_count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "/launches/%s: no grid", out->kernel);
	if (count == 0)
		return KT_OK;
	NEED(out->arguments = kt_arena_array(r->arena, count, sizeof *out->arguments), no_memory(r));
	cJSON_ArrayForEach(each, list) {
		TRY(read_name(&out->arguments[out->argument_count], r, each, "/launches/arguments"));
		out->argument_count++;
	}
	return KT_OK;
}

static kt_status read_launches(struct kt_reply *out, struct reader *r, const cJSON *object)
{
	const cJSON *list = NULL, *item;
	size_t count = 0;
	TRY(read_array(&list, &count, r, object, "launches", KT_REPLY_LAUNCHES));

	if (count == 0)
		return KT_OK;
	NEED(out->launches = kt_arena_array(r->arena, count, sizeof *out->launches), no_memory(r));
	cJSON_ArrayForEach(item, list) {
		TRY(read_launch(&out->launches[out->launch_count], r, item));
		out->launch_count++;
	}
	return KT_OK;
}

/* Helpers, then the kernel; a block of code where the object has neither. */
static kt_status read_text(struct kt_reply *out, struct reader *r, const cJSON *object,
                           const struct kt_reply_part *code)
{
	struct kt_buf text = KT_BUF(KT_REPLY_TEXT_BYTES);
	const char *helpers = NULL, *kernel = NULL;
	kt_status status = kt_json_string_or(&helpers, r->arena, object, "helpers", NULL, r->err);

	THEN(status, kt_json_string_or(&kernel, r->arena, object, "kernel", NULL, r->err));
	if (status != KT_OK)
		goto done;
	if (helpers != NULL && helpers[0] != '\0') {
		kt_buf_adds(&text, helpers);
		kt_buf_addc(&text, '\n');
	}
	if (kernel != NULL && kernel[0] != '\0')
		kt_buf_adds(&text, kernel);
	else if (code->text != NULL && memchr(code->text, '\0', code->size) == NULL)
		kt_buf_add(&text, code->text, code->size);
	else
		status = kt_fail(r->err, KT_ERR_INVALID, "/kernel: no text");
	if (status == KT_OK && text.failed)
		status = kt_fail(r->err, KT_ERR_LIMIT, "/kernel: more than %zu bytes of text", KT_REPLY_TEXT_BYTES);
	if (status == KT_OK && (out->text = kt_arena_strndup(r->arena, kt_buf_text(&text), text.size)) == NULL)
		status = no_memory(r);
done:
	kt_buf_free(&text);
	return status;
}

static kt_status read_members(struct kt_reply *out, struct reader *r, const cJSON *object,
                              const struct kt_reply_part *code)
{
	TRY(read_prose(&out->rationale, r, object, "rationale"));

	TRY(read_prose(&out->effect, r, object, "expected_effect"));
	if (member(object, "decline") != NULL)
		return read_prose(&out->decline, r, object, "decline");
	TRY(read_text(out, r, object, code));
	TRY(read_parameters(out, r, object));
	TRY(read_conditions(&out->restrictions, &out->restriction_count, r, object, "restrictions"));
	TRY(read_conditions(&out->guards, &out->guard_count, r, object, "guards"));
	TRY(read_geometry(&out->geometry, r, object));
	TRY(read_temporaries(out, r, object));
	TRY(read_launches(out, r, object));
	if (out->temporary_count > 0 && out->launch_count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "/temporaries: only a launch plan has some");
	if (out->launch_count > 0 && out->geometry.grid_count > 0)
		return kt_fail(r->err, KT_ERR_INVALID, "/grid: the launches of a plan have their own");
	return KT_OK;
}

kt_status kt_reply_read(struct kt_reply **out, struct kt_arena *arena, const char *text, size_t size,
                        struct kt_error *err)
{
	struct reader r = {arena, err};
	struct kt_reply *reply = kt_arena_alloc(arena, sizeof *reply);
	struct kt_reply_parts parts;
	cJSON *json = NULL;
	kt_status status = KT_OK;

	NEED(reply, no_memory(&r));
	if (size > KT_REPLY_BYTES)
		return kt_fail(err, KT_ERR_LIMIT, "an answer of %zu bytes; at most %zu are read", size, KT_REPLY_BYTES);
	if (!kt_reply_find(&parts, text, size))
		return kt_fail(err, KT_ERR_SYNTAX, "neither a JSON object nor a fenced block of code");
	if (parts.json.text != NULL) {
		status = kt_json_parse(&json, parts.json.text, parts.json.size, err);
		if (status != KT_OK)
			return kt_fail_prefix(err, "the JSON object");
	} else if ((json = cJSON_CreateObject()) == NULL) {
		return no_memory(&r);
	}
	status = cJSON_IsObject(json) ? read_members(reply, &r, json, &parts.code)
	                              : kt_fail(err, KT_ERR_INVALID, "a JSON object expected");
	cJSON_Delete(json);
	if (status == KT_OK)
		*out = reply;
	return status;
}
