/* ktcc report: the code of a file's region instances before and after, and the work of a launch that clauses count. */
#include <string.h>

#include "base/fs.h"
#include "base/log.h"
#include "verbs/report.h"

static cJSON *text_item(const struct kt_buf *source, struct kt_range range)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	cJSON *item = NULL;

	if (range.begin < range.end && range.end <= source->size) {
		kt_buf_add(&text, source->data + range.begin, range.end - range.begin);
		item = cJSON_CreateString(kt_buf_text(&text));
	}
	kt_buf_free(&text);
	return item;
}

/* The kernel of the region, of a launch region each step's; a kernel that is launched twice is there once. */
static void add_before(cJSON *to, const struct kt_region *region, const struct kt_buf *source)
{
	cJSON *list = cJSON_AddArrayToObject(to, "before");

	if (region->step_count == 0)
		cJSON_AddItemToArray(list, text_item(source, region->extent));
	for (size_t i = 0; i < region->step_count; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || region->steps[k].extent.begin == region->steps[i].extent.begin;
		if (!again)
			cJSON_AddItemToArray(list, text_item(source, region->steps[i].extent));
	}
}

static void add_variant(cJSON *list, const struct kt_template *template_, const struct kt_entry *entry, int64_t variant)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_SOURCE_BYTES);
	const struct kt_render render = {
	    .template_ = template_,
	    .configuration = variant == 0 ? entry->configuration : entry->specials[variant - 1].configuration,
	    .name = entry->kernel,
	};
	struct kt_error err;
	cJSON *item;

	if (kt_template_render(&text, &render, &err) == KT_OK) {
		item = kt_json_append(list);
		kt_json_add_int(item, "variant", variant);
		cJSON_AddStringToObject(item, "text", kt_buf_text(&text));
	} else {
		kt_log("report: %s: %s", entry->instance, err.message);
	}
	kt_buf_free(&text);
}

/* One list per device. */
static void add_after(cJSON *to, const struct kt_case *each, const struct kt_entry *entry)
{
	const struct kt_template *template_ = kt_work_entry_template(each, entry);
	cJSON *list = cJSON_AddArrayToObject(to, entry->device_key);

	if (template_ == NULL)
		return;
	for (size_t k = entry->baseline_best ? 1 : 0; k <= entry->special_count; k++)
		add_variant(list, template_, entry, (int64_t)k);
}

struct variables {
	const struct kt_region *region;
	size_t problem;
};

static bool look_up(int64_t *out, const char *name, void *context)
{
	const struct variables *v = context;

	for (size_t i = 0; i < v->region->variable_count; i++)
		if (strcmp(v->region->variables[i], name) == 0) {
			*out = v->region->problems[v->problem * v->region->variable_count + i];
			return true;
		}
	return false;
}

/* False: the clause is absent, or names more than problem variables. */
static bool value_of(int64_t *out, const struct kt_clause_expr *clause, const struct variables *variables)
{
	struct kt_error ignored;

	return clause->expr != NULL && kt_expr_eval(out, clause->expr, look_up, (void *)variables, &ignored) == KT_OK &&
	       *out > 0;
}

/* Bytes of a launch: the clause's, else every buffer once per direction. */
static bool bytes_of(int64_t *out, const struct kt_case *each, const struct variables *variables)
{
	const struct kt_region *region = each->region;
	int64_t count, part;

	if (region->bytes.expr != NULL)
		return value_of(out, &region->bytes, variables);
	*out = 0;
	for (size_t b = 0; b < region->buffer_count; b++) {
		const struct kt_buffer *buffer = &region->buffers[b];

		if (buffer->direction == KT_SCRATCH)
			continue;
		if (!value_of(&count, &buffer->count, variables) ||
		    __builtin_mul_overflow(count, kt_buffer_unit(buffer, &region->instances[each->instance]), &part) ||
		    __builtin_mul_overflow(part, buffer->direction == KT_INOUT ? 2 : 1, &part) ||
		    __builtin_add_overflow(*out, part, out))
			return false;
	}
	return *out > 0;
}

static void add_work(cJSON *to, const struct kt_case *each)
{
	const struct kt_region *region = each->region;
	cJSON *list = cJSON_CreateArray();

	for (size_t p = 0; region->flops.expr != NULL && p < region->problem_count; p++) {
		const struct variables variables = {region, p};
		int64_t flops = 0, bytes = 0;
		cJSON *item;

		if (!value_of(&flops, &region->flops, &variables) || !bytes_of(&bytes, each, &variables))
			continue;
		item = kt_json_append(list);
		kt_json_add_values(cJSON_AddObjectToObject(item, "problem"), region->variables,
		                   &region->problems[p * region->variable_count], region->variable_count);
		kt_json_add_int(item, "flops", flops);
		kt_json_add_int(item, "bytes", bytes);
	}
	if (list->child != NULL)
		cJSON_AddItemToObject(to, "work", list);
	else
		cJSON_Delete(list);
}

static const char *shown(const struct kt_report *r, const char *path)
{
	const size_t root = strlen(r->here);

	return strncmp(path, r->here, root) == 0 && path[root] == '/' ? path + root + 1 : path;
}

static cJSON *case_json(const struct kt_report *r, const struct kt_case *each, const struct kt_buf *source)
{
	cJSON *item = cJSON_CreateObject(), *after;

	cJSON_AddStringToObject(item, "file", shown(r, each->region->file));
	kt_json_add_int(item, "line", each->region->line);
	add_before(item, each->region, source);
	after = cJSON_AddObjectToObject(item, "after");
	for (size_t i = 0; i < each->found_count; i++)
		add_after(after, each, &each->found[i].entry);
	add_work(item, each);
	return item;
}

/* An entry of another toolkit has another region key, and the same code. */
static void add_case(struct kt_report *r, const struct kt_case *each, const struct kt_buf *source)
{
	if (each->found_count == 0)
		kt_say("%s: no entry: %s", each->region->name, kt_reason_line_for(r->arena, each->reason, each->detail, each->region->file));
	for (size_t i = 0; i < each->found_count; i++) {
		const char *key = each->found[i].entry.region_key;

		if (cJSON_GetObjectItemCaseSensitive(r->code, key) == NULL)
			cJSON_AddItemToObject(r->code, key, case_json(r, each, source));
	}
}

kt_status kt_report_add_file(struct kt_report *r, const struct kt_compile_command *command, struct kt_error *err)
{
	struct kt_session *session = &r->session;
	struct kt_case *cases;
	kt_status status = kt_session_unit(session, command, err);
	size_t count;

	THEN(status, kt_work_lookup(session->work, err));
	if (status != KT_OK)
		return status;
	if (r->lock_dir == NULL && kt_work_lock(session->work)->path != NULL)
		r->lock_dir = kt_arena_strdup(r->arena, kt_work_lock(session->work)->path);
	count = kt_work_cases(&cases, session->work);
	for (size_t i = 0; status == KT_OK && i < count; i++) {
		struct kt_buf source = KT_BUF(KT_LIMIT_SOURCE_BYTES);

		status = kt_fs_read(&source, cases[i].region->file, err);
		if (status == KT_OK)
			add_case(r, &cases[i], &source);
		kt_buf_free(&source);
	}
	return status;
}
