#include "tuning/t1.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "tuning/caret.h"
#include "tuning/python.h"
#include "tuning/space_internal.h"
#include "tuning/t1_members.h"

struct reader {
	struct kt_t1 *t1;
	struct kt_arena *arena;
	struct kt_error *err;
	struct kt_python_file python;
};

/* ---- places in the file ---- */

/* The text after the n-th `"key": "` after `section`; NULL when there is none. */
static const char *locate(const char *source, const char *section, const char *key, size_t n)
{
	const size_t length = strlen(key);
	const char *at = strstr(source, section);

	for (at = at != NULL ? strstr(at, key) : NULL; at != NULL; at = strstr(at, key)) {
		at += length;
		at += strspn(at, " \t\r\n");
		if (*at != ':')
			continue;
		at++;
		at += strspn(at, " \t\r\n");
		if (n-- == 0)
			return *at == '"' ? at + 1 : at;
	}
	return NULL;
}

/* The byte in the file of byte `offset` of a JSON string that starts at `at`. */
static const char *past_escapes(const char *at, unsigned offset)
{
	for (; offset > 0 && *at != '\0' && *at != '"'; offset--)
		at += *at != '\\' ? 1 : at[1] == 'u' ? 6 : 2;
	return at;
}

static void position(unsigned *line, unsigned *column, const char *source, const char *at)
{
	*line = *column = 1;
	for (const char *c = source; at != NULL && c < at; c++) {
		*column = *c == '\n' ? 1 : *column + 1;
		*line += *c == '\n';
	}
}

/* "file:line:col: " before the message, the text with a caret after it. */
static kt_status fail_at(struct kt_error *err, const struct kt_t1 *t1, const char *at, const char *text,
			 unsigned offset, const char *what)
{
	unsigned line, column;

	position(&line, &column, t1->source, at != NULL ? past_escapes(at, offset) : NULL);
	(void)kt_fail_prefix(err, "%s:%u:%u: %s", t1->path, line, column, what);
	return kt_fail_caret(err, text, offset);
}

/* ---- values ---- */

struct value {
	enum kt_value_kind kind;
	int64_t integer;
	double real;
	const char *text;
};

static bool same_value(const struct value *a, const struct value *b)
{
	if ((a->kind == KT_VALUE_TEXT) != (b->kind == KT_VALUE_TEXT))
		return false;
	if (a->kind == KT_VALUE_TEXT)
		return strcmp(a->text, b->text) == 0;
	if (a->kind == KT_VALUE_INTEGER && b->kind == KT_VALUE_INTEGER)
		return a->integer == b->integer;
	return a->real == b->real;
}

static kt_status copy_constants(struct value **out, size_t *count, struct reader *r, const struct kt_python_steps *steps)
{
	NEED(*out = kt_arena_array(r->arena, steps->count + 1, sizeof **out), kt_no_memory(r->err));
	*count = steps->count;
	for (size_t i = 0; i < steps->count; i++)
		(*out)[i] = (struct value){steps->items[i].kind, steps->items[i].integer, steps->items[i].real, steps->items[i].text};
	return KT_OK;
}

static bool read_item(struct value *out, struct kt_arena *arena, const cJSON *item)
{
	*out = (struct value){.kind = KT_VALUE_INTEGER};
	if (cJSON_IsBool(item)) {
		out->integer = cJSON_IsTrue(item);
	} else if (cJSON_IsString(item)) {
		out->kind = KT_VALUE_TEXT;
		out->text = kt_arena_strdup(arena, item->valuestring);
		return out->text != NULL;
	} else if (cJSON_IsNumber(item)) {
		if (item->valuedouble != floor(item->valuedouble) || fabs(item->valuedouble) > 9e15)
			out->kind = KT_VALUE_REAL;
		else
			out->integer = (int64_t)item->valuedouble;
		out->real = item->valuedouble;
		return true;
	} else {
		return false;
	}
	out->real = (double)out->integer;
	return true;
}

/* The items of an array from its first on, or a value that is no array. */
static kt_status read_json_list(struct value **out, size_t *count, struct reader *r, const cJSON *item, size_t most)
{
	NEED(*out = kt_arena_array(r->arena, most + 1, sizeof **out), kt_fail(r->err, KT_ERR_MEMORY, "out of memory for values"));
	for (*count = 0; *count < most; item = item->next)
		if (!read_item(&(*out)[(*count)++], r->arena, item))
			return kt_fail(r->err, KT_ERR_INVALID, "value %zu is neither number, text nor truth value", *count);
	return KT_OK;
}

/* Each value once: a configuration has one index. */
static size_t drop_repeated(struct value *values, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool known = false;

		for (size_t j = 0; j < kept && !known; j++)
			known = same_value(&values[i], &values[j]);
		if (!known)
			values[kept++] = values[i];
	}
	return kept;
}

static kt_status fill_parameter(struct kt_t1_parameter *out, struct reader *r, const struct value *values, size_t count,
				const char *type)
{
	int64_t *integers = kt_arena_array(r->arena, count + 1, sizeof *integers);
	double *reals = kt_arena_array(r->arena, count + 1, sizeof *reals);
	const char **texts = kt_arena_array(r->arena, count + 1, sizeof(char *));
	size_t text_count = 0, real_count = 0;

	if (integers == NULL || reals == NULL || texts == NULL)
		return kt_fail(r->err, KT_ERR_MEMORY, "out of memory for %zu values", count);
	for (size_t i = 0; i < count; i++) {
		text_count += values[i].kind == KT_VALUE_TEXT;
		real_count += values[i].kind == KT_VALUE_REAL;
		integers[i] = values[i].integer;
		reals[i] = values[i].real;
		texts[i] = values[i].text;
	}
	if (text_count != 0 && text_count != count)
		return kt_fail(r->err, KT_ERR_INVALID, "parameter '%.80s' mixes texts and numbers", out->name);
	out->count = count;
	out->values = integers;
	out->kind = text_count > 0 ? KT_T1_TEXT : real_count > 0 ? KT_T1_REAL : KT_T1_INTEGER;
	if (out->kind == KT_T1_INTEGER && strcmp(type, "bool") == 0)
		out->kind = KT_T1_BOOL;
	if (out->kind == KT_T1_TEXT)
		out->texts = texts;
	if (out->kind == KT_T1_REAL)
		out->reals = reals;
	for (size_t i = 0; (text_count > 0 || real_count > 0) && i < count; i++)
		integers[i] = (int64_t)i;
	return KT_OK;
}

static kt_status read_parameter(struct kt_t1_parameter *out, struct reader *r, const cJSON *item, size_t index)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, "Values");
	struct value *values = NULL;
	const char *type;
	size_t count = 0;
	kt_status status = kt_json_string(&out->name, r->arena, item, "Name", r->err);

	THEN(status, kt_json_string_or(&type, r->arena, item, "Type", "int", r->err));
	if (status != KT_OK)
		return kt_fail_prefix(r->err, "%s: parameter %zu", r->t1->path, index + 1);
	if (cJSON_IsString(list))
		status = copy_constants(&values, &count, r, &r->python.value_steps[index]);
	else if (cJSON_IsArray(list))
		status = read_json_list(&values, &count, r, list->child, (size_t)cJSON_GetArraySize(list));
	else if (list != NULL && !cJSON_IsNull(list))
		status = read_json_list(&values, &count, r, list, 1);
	else
		status = kt_fail(r->err, KT_ERR_INVALID, "%s: parameter '%.80s' has no values", r->t1->path, out->name);
	THEN(status, fill_parameter(out, r, values, drop_repeated(values, count), type));
	return status;
}

/* ---- the file ---- */

static kt_status read_parameters(struct reader *r, const cJSON *space)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(space, "TuningParameters"), *item;
	struct kt_t1 *t1 = r->t1;
	struct kt_t1_parameter *parameters;
	struct kt_parameter *plain;
	size_t count = 0;

	if (!cJSON_IsArray(list))
		return kt_fail(r->err, KT_ERR_INVALID, "%s: no ConfigurationSpace.TuningParameters", t1->path);
	if (cJSON_GetArraySize(list) > KT_PARAMETERS)
		return kt_fail(r->err, KT_ERR_LIMIT, "%s: %d parameters, more than %d", t1->path,
			       cJSON_GetArraySize(list), KT_PARAMETERS);
	parameters = kt_arena_array(r->arena, KT_PARAMETERS, sizeof *parameters);
	plain = kt_arena_array(r->arena, KT_PARAMETERS, sizeof *plain);
	if (parameters == NULL || plain == NULL)
		return kt_fail(r->err, KT_ERR_MEMORY, "out of memory for parameters");
	cJSON_ArrayForEach(item, list)
	{
		TRY(read_parameter(&parameters[count], r, item, count));
		plain[count].name = parameters[count].name;
		plain[count].value_count = parameters[count].count;
		plain[count].values = (int64_t *)(uintptr_t)parameters[count].values;
		plain[count].original = parameters[count].count > 0 ? parameters[count].values[0] : 0;
		t1->parameters = parameters;
		t1->parameter_count = count + 1;
		/* A default that is no value leaves the space without an original. */
		if (!kt_t1_value(&plain[count].original, t1, count, cJSON_GetObjectItemCaseSensitive(item, "Default")))
			plain[count].original = INT64_MIN;
		count++;
	}
	t1->parameters = parameters;
	t1->parameter_count = count;
	t1->region.parameters = plain;
	t1->region.parameter_count = t1->template_.parameter_count = count;
	t1->template_.parameters = plain;
	return KT_OK;
}

static kt_status read_conditions(struct reader *r, const cJSON *space)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(space, "Conditions"), *item;
	struct kt_t1 *t1 = r->t1;
	struct kt_t1_condition *conditions;

	if (list == NULL || cJSON_IsNull(list))
		return KT_OK;
	if (!cJSON_IsArray(list))
		return kt_fail(r->err, KT_ERR_INVALID, "%s: ConfigurationSpace.Conditions is no list", t1->path);
	NEED(conditions = kt_arena_array(r->arena, (size_t)cJSON_GetArraySize(list) + 1, sizeof *conditions),
	     kt_fail(r->err, KT_ERR_MEMORY, "out of memory for conditions"));
	cJSON_ArrayForEach(item, list)
	{
		struct kt_t1_condition *condition = &conditions[t1->condition_count];

		if (kt_json_string(&condition->text, r->arena, item, "Expression", r->err) != KT_OK)
			return kt_fail_prefix(r->err, "%s: condition %zu", t1->path, t1->condition_count + 1);
		condition->at = locate(t1->source, "\"Conditions\"", "\"Expression\"", t1->condition_count);
		condition->steps = r->python.condition_steps[t1->condition_count];
		position(&condition->line, &condition->column, t1->source, condition->at);
		t1->condition_count++;
	}
	t1->conditions = conditions;
	return KT_OK;
}

static kt_status read_kernel(struct reader *r, const cJSON *root)
{
	const cJSON *general = cJSON_GetObjectItemCaseSensitive(root, "General");
	const cJSON *kernel = cJSON_GetObjectItemCaseSensitive(root, "KernelSpecification");
	struct kt_t1 *t1 = r->t1;

	t1->kernel = "";
	if (cJSON_IsObject(kernel) &&
	    kt_json_string_or(&t1->kernel, r->arena, kernel, "KernelName", "", r->err) != KT_OK)
		return kt_fail_prefix(r->err, "%s", t1->path);
	t1->name = t1->kernel;
	if (cJSON_IsObject(general) &&
	    kt_json_string_or(&t1->name, r->arena, general, "BenchmarkName", t1->kernel, r->err) != KT_OK)
		return kt_fail_prefix(r->err, "%s", t1->path);
	t1->region.name = t1->region.kernel = t1->region.qualified = t1->instance.name = t1->name;
	t1->region.file = t1->path;
	t1->region.instances = &t1->instance;
	t1->region.instance_count = 1;
	t1->template_.region = &t1->region;
	t1->template_.generator = "explicit";
	t1->template_.rationale = t1->template_.helpers = "";
	return KT_OK;
}

/* ---- the space ---- */

static kt_status open_domains(struct kt_space *space, const struct kt_t1 *t1, struct kt_error *err)
{
	for (size_t p = 0; p < t1->parameter_count; p++) {
		const struct kt_t1_parameter *parameter = &t1->parameters[p];
		struct kt_domain *domain = &space->domains[p];

		*domain = (struct kt_domain){
		    .name = parameter->name,
		    .kind = parameter->kind == KT_T1_TEXT   ? KT_VALUE_TEXT
			    : parameter->kind == KT_T1_REAL ? KT_VALUE_REAL
							    : KT_VALUE_INTEGER,
		    .count = parameter->count,
		    .values = parameter->values,
		    .reals = parameter->reals,
		    .texts = parameter->texts};
		if (kt_space_sort(space, domain, err) != KT_OK)
			return kt_fail_prefix(err, "%s", t1->path);
		space->originals[p] = t1->template_.parameters[p].original;
	}
	return KT_OK;
}

/* The byte of the expression that a node was made of; 0 where it is of none. */
static unsigned offset_of(const struct kt_python_steps *steps, const kt_node *nodes, kt_node node)
{
	for (size_t i = 0; i < steps->count; i++)
		if (nodes[i] == node)
			return steps->items[i].offset;
	return 0;
}

static kt_status explain(struct kt_space *space, const struct kt_t1 *t1, size_t failed, const uint16_t *positions,
			 struct kt_error *err)
{
	const struct kt_t1_condition *condition = &t1->conditions[failed];
	kt_node *nodes = kt_arena_array(space->graph->arena, condition->steps.count + 1, sizeof *nodes);
	struct kt_buf where = KT_BUF(512);
	const char *reason = "no value";
	kt_node root = KT_NODE_NONE, guilty;
	uint64_t named;
	NEED(nodes, kt_no_memory(err));
	TRY(kt_python_node(&root, space->graph, &condition->steps, nodes, err));
	root = kt_graph_truth(space->graph, root);
	guilty = kt_graph_blame(&reason, space->graph, root, positions);
	/* The part that fails may have been shielded by the one in front of it:
	 * then the condition as a whole has a value. */
	named = space->graph->nodes[root].parameters;
	for (size_t p = 0; p < t1->parameter_count; p++) {
		if ((named >> p & 1) == 0)
			continue;
		kt_buf_addf(&where, "%s%s=", where.size > 0 ? " " : "", t1->parameters[p].name);
		kt_t1_print(&where, t1, p, t1->parameters[p].values[positions[p]]);
	}
	kt_fail(err, KT_ERR_INVALID, "%s%s%s", reason, where.size > 0 ? " at " : "", kt_buf_text(&where));
	kt_buf_free(&where);
	return fail_at(err, t1, condition->at, condition->text, offset_of(&condition->steps, nodes, guilty), "condition");
}

static kt_status solve(struct kt_space *space, const struct kt_t1 *t1, struct kt_error *err)
{
	struct kt_space_rules rules = {0};
	uint16_t positions[KT_PARAMETERS];
	size_t failed = SIZE_MAX;
	kt_status status = KT_OK;

	for (size_t c = 0; c < t1->condition_count && status == KT_OK; c++) {
		kt_node node = KT_NODE_NONE;

		status = kt_python_node(&node, space->graph, &t1->conditions[c].steps, NULL, err);
		THEN(status, kt_space_add_rule(&rules, space->graph, node, c, false, err));
	}
	THEN(status, kt_space_solve(space, &rules, t1->condition_count, KT_NODE_NONE, &failed, positions, err));
	if (status == KT_ERR_INVALID && failed != SIZE_MAX)
		status = explain(space, t1, failed, positions, err);
	free(rules.items);
	return status;
}

kt_status kt_t1_domains(struct kt_space **out, const struct kt_t1 *t1, struct kt_error *err)
{
	struct kt_space *space = NULL;
	kt_status status = kt_space_open(&space, t1->parameter_count, err);

	THEN(status, open_domains(space, t1, err));
	THEN(status, kt_graph_open(&space->graph, space->domains, space->dimensions, err));
	if (status == KT_OK)
		*out = space;
	else
		kt_space_free(space);
	return status;
}

kt_status kt_t1_space(struct kt_space **out, const struct kt_t1 *t1, struct kt_error *err)
{
	struct kt_space *space = NULL;
	kt_status status = kt_t1_domains(&space, t1, err);

	THEN(status, solve(space, t1, err));
	if (status != KT_OK) {
		kt_space_free(space);
		return status;
	}
	kt_graph_close(space->graph);
	space->graph = NULL;
	space->original = kt_space_find(space, space->originals);
	*out = space;
	return KT_OK;
}

/* ---- what Python reads ---- */

/* The texts of a member of each item of a list; NULL where it is none. */
static kt_status list_texts(const char *const **out, size_t *count, struct reader *r, const cJSON *space, const char *list,
			    const char *member)
{
	const cJSON *items = cJSON_GetObjectItemCaseSensitive(space, list), *item;
	const char **all;
	*count = 0;
	NEED(all = kt_arena_array(r->arena, (size_t)cJSON_GetArraySize(items) + 1, sizeof(char *)), kt_no_memory(r->err));
	cJSON_ArrayForEach(item, items)
		all[(*count)++] = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, member));
	*out = all;
	return KT_OK;
}

static kt_status fail_expression(struct reader *r, const struct kt_python_mistake *mistake)
{
	const char *text = (mistake->in_values ? r->python.values : r->python.conditions)[mistake->index];
	const char *at = mistake->in_values ? locate(r->t1->source, "\"TuningParameters\"", "\"Values\"", mistake->index)
					    : locate(r->t1->source, "\"Conditions\"", "\"Expression\"", mistake->index);
	return fail_at(r->err, r->t1, at, text, mistake->offset, mistake->in_values ? "values" : "condition");
}

/* A file without an expression needs no Python. */
static kt_status read_expressions(struct reader *r, const cJSON *space)
{
	struct kt_python_file *file = &r->python;
	struct kt_python_mistake mistake = {0};
	size_t texts = 0;
	file->path = r->t1->path;
	TRY(list_texts(&file->names, &file->parameter_count, r, space, "TuningParameters", "Name"));
	TRY(list_texts(&file->values, &file->parameter_count, r, space, "TuningParameters", "Values"));
	TRY(list_texts(&file->conditions, &file->condition_count, r, space, "Conditions", "Expression"));
	for (size_t i = 0; i < file->parameter_count; i++)
		texts += file->values[i] != NULL;
	if (texts + file->condition_count == 0)
		return KT_OK;
	const kt_status status = kt_python_read(file, &mistake, r->arena, r->err);
	return status == KT_ERR_SYNTAX ? fail_expression(r, &mistake) : status;
}

kt_status kt_t1_read(struct kt_t1 **out, struct kt_arena *arena, const char *path, struct kt_error *err)
{
	struct reader r = {.t1 = kt_arena_alloc(arena, sizeof *r.t1), .arena = arena, .err = err};
	struct kt_buf text = KT_BUF(KT_T1_BYTES);
	const cJSON *space;
	cJSON *root = NULL;
	kt_status status = kt_fs_read(&text, path, err);

	if (status == KT_OK && r.t1 != NULL) {
		r.t1->path = kt_arena_strdup(arena, path);
		r.t1->source = kt_arena_strdup(arena, kt_buf_text(&text));
	}
	if (status == KT_OK && (r.t1 == NULL || r.t1->path == NULL || r.t1->source == NULL))
		status = kt_fail(err, KT_ERR_MEMORY, "out of memory for %.200s", path);
	if (status == KT_OK && kt_json_parse(&root, kt_buf_text(&text), text.size, err) != KT_OK)
		status = kt_fail_prefix(err, "%s", path);
	if (status != KT_OK)
		goto done;
	space = cJSON_GetObjectItemCaseSensitive(root, "ConfigurationSpace");
	kt_t1_check_members(r.t1, space);
	status = read_kernel(&r, root);
	THEN(status, read_expressions(&r, space));
	THEN(status, read_parameters(&r, space));
	THEN(status, read_conditions(&r, space));
	if (status == KT_OK)
		*out = r.t1;
done:
	cJSON_Delete(root);
	kt_buf_free(&text);
	return status;
}

bool kt_t1_value(int64_t *out, const struct kt_t1 *t1, size_t parameter, const cJSON *value)
{
	const struct kt_t1_parameter *p = &t1->parameters[parameter];
	const double number = cJSON_IsBool(value) ? (double)cJSON_IsTrue(value)
			      : cJSON_IsNumber(value) ? value->valuedouble : NAN;

	for (size_t i = 0; i < p->count; i++) {
		const bool equal = p->kind == KT_T1_TEXT ? cJSON_IsString(value) && strcmp(p->texts[i], value->valuestring) == 0
				   : p->kind == KT_T1_REAL ? p->reals[i] == number
							   : (double)p->values[i] == number;

		if (equal) {
			*out = p->values[i];
			return true;
		}
	}
	return false;
}

void kt_t1_print(struct kt_buf *out, const struct kt_t1 *t1, size_t parameter, int64_t value)
{
	const struct kt_t1_parameter *p = &t1->parameters[parameter];
	cJSON number = {0};

	if (p->kind == KT_T1_TEXT) {
		kt_buf_addjson(out, p->texts[value]);
	} else if (p->kind == KT_T1_REAL) {
		number.type = cJSON_Number;
		number.valuedouble = p->reals[value];
		kt_json_print(out, &number);
	} else if (p->kind == KT_T1_BOOL) {
		kt_buf_adds(out, value != 0 ? "true" : "false");
	} else {
		kt_buf_addf(out, "%lld", (long long)value);
	}
}
