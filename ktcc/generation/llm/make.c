/* From an accepted reply to a template: the same record that an entry carries, read by the same reader. */
#include <string.h>

#include "generation/generation.h"
#include "generation/llm/check.h"
#include "generation/settle.h"

struct source {
	struct kt_arena *arena;
	const struct kt_region *region;
	const struct kt_instance *instance;
	const struct kt_reply *reply;
};

/* Texts of a model on one line. */
static void put_line(cJSON *to, const char *name, const char *text)
{
	struct kt_buf line = KT_BUF(KT_REPLY_PROSE_BYTES * 2);

	for (const char *at = text; *at != '\0'; at++)
		kt_buf_addc(&line, (unsigned char)*at < ' ' || *at == 0x7f ? ' ' : *at);
	cJSON_AddStringToObject(to, name, kt_buf_text(&line));
	kt_buf_free(&line);
}

static cJSON *append(cJSON *array)
{
	cJSON *item = kt_json_append(array);

	return item;
}

/* The value in the source, where the region has a parameter of this name. */
static void put_original(cJSON *item, const struct kt_region *region, const char *name)
{
	for (size_t i = 0; i < region->parameter_count; i++)
		if (strcmp(region->parameters[i].name, name) == 0 &&
		    region->parameters[i].kind != KT_PARAMETER_TEMPLATE) {
			kt_json_add_int(item, "original", region->parameters[i].original);
			return;
		}
	cJSON_AddNullToObject(item, "original");
}

static void put_parameters(cJSON *json, const struct kt_region *region, const struct kt_reply *reply)
{
	cJSON *array = cJSON_AddArrayToObject(json, "parameters"), *item, *values;

	for (size_t i = 0; i < reply->parameter_count; i++) {
		const struct kt_reply_parameter *parameter = &reply->parameters[i];

		item = append(array);
		cJSON_AddStringToObject(item, "name", parameter->name);
		values = cJSON_AddArrayToObject(item, "values");
		for (size_t v = 0; v < parameter->value_count; v++)
			cJSON_AddItemToArray(values, cJSON_CreateNumber((double)parameter->values[v]));
		put_original(item, region, parameter->name);
		put_line(item, "meaning", parameter->reason);
	}
	if (reply->parameter_count > 0)
		return;
	/* A rewrite without parameters is a space of one configuration. */
	item = append(array);
	cJSON_AddStringToObject(item, "name", "REWRITE");
	cJSON_AddItemToArray(cJSON_AddArrayToObject(item, "values"), cJSON_CreateNumber(1));
	cJSON_AddNullToObject(item, "original");
	cJSON_AddStringToObject(item, "meaning", "the rewrite has no parameters");
}

static void put_condition(cJSON *array, const char *text, const char *reason)
{
	cJSON *item = append(array);

	cJSON_AddStringToObject(item, "text", text);
	put_line(item, "reason", reason);
}

static bool has_parameter(const char *name, size_t length, const void *context)
{
	const struct kt_reply *reply = context;

	for (size_t i = 0; i < reply->parameter_count; i++)
		if (strlen(reply->parameters[i].name) == length && memcmp(reply->parameters[i].name, name, length) == 0)
			return true;
	return false;
}

static struct kt_settle settle_of(const struct source *s)
{
	return (struct kt_settle){s->arena, s->region, s->instance, has_parameter, s->reply};
}

static kt_status put_conditions(cJSON *json, const struct source *s, struct kt_error *err)
{
	const struct kt_reply *reply = s->reply;
	const struct kt_settle settle = settle_of(s);
	cJSON *restrictions = cJSON_AddArrayToObject(json, "restrictions"), *guards;

	for (size_t i = 0; i < reply->restriction_count; i++)
		put_condition(restrictions, reply->restrictions[i].expr.text, reply->restrictions[i].reason);
	guards = cJSON_AddArrayToObject(json, "guards");
	TRY(kt_settle_conditions(guards, &settle, err));
	for (size_t i = 0; i < reply->guard_count; i++)
		put_condition(guards, reply->guards[i].expr.text, reply->guards[i].reason);
	return KT_OK;
}

/* An extent of the reply is copied, one of the region is settled. */
static void put_extent(cJSON *json, const char *name, const struct source *s, const struct kt_clause_expr *extent,
                       size_t count, bool own)
{
	const struct kt_settle settle = settle_of(s);
	cJSON *array = cJSON_AddArrayToObject(json, name);

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(own ? extent[i].text : kt_settle_text(&settle, &extent[i])));
}

/* Of the one kernel, of a plan's first. */
static const struct kt_reply_geometry *launch_geometry(const struct kt_reply *reply)
{
	return reply->launch_count > 0 ? &reply->launches[0].geometry : &reply->geometry;
}

static void put_geometry(cJSON *json, const struct source *s, const struct kt_reply_geometry *reply)
{
	const struct kt_region *region = s->region;
	const struct kt_settle settle = settle_of(s);
	const bool own = reply->grid_count > 0;
	const char *shared = "0";

	put_extent(json, "grid", s, own ? reply->grid : region->grid, own ? reply->grid_count : region->grid_count, own);
	put_extent(json, "block", s, own ? reply->block : region->block, own ? reply->block_count : region->block_count,
	           own);
	if (reply->shared_bytes.expr != NULL)
		shared = reply->shared_bytes.text;
	else if (!own && region->shared_bytes.expr != NULL)
		shared = kt_settle_text(&settle, &region->shared_bytes);
	cJSON_AddStringToObject(json, "shared_bytes", shared);
}

/* The accepted kernel of a launch; of a reply without launches the one there is. NULL: none. */
static const struct kt_checked_kernel *kernel_of(const struct kt_check_verdict *verdict, const struct kt_reply *reply,
                                                 size_t launch)
{
	for (size_t i = 0; i < verdict->kernel_count; i++)
		if (reply->launch_count == 0 || strcmp(verdict->kernels[i].name, reply->launches[launch].kernel) == 0)
			return &verdict->kernels[i];
	return NULL;
}

/* The kernels of a plan after the first. */
static kt_status put_further(cJSON *json, const struct source *s, const struct kt_check_verdict *verdict,
                             struct kt_error *err)
{
	cJSON *array = s->reply->launch_count > 1 ? cJSON_AddArrayToObject(json, "further") : NULL, *item;

	for (size_t i = 1; i < s->reply->launch_count; i++) {
		const struct kt_checked_kernel *kernel = kernel_of(verdict, s->reply, i);
		const struct kt_reply_geometry *geometry = &s->reply->launches[i].geometry;

		if (kernel == NULL)
			return kt_fail(err, KT_ERR_INVALID, "/launches/%s: no kernel of this name", s->reply->launches[i].kernel);
		item = append(array);
		cJSON_AddStringToObject(item, "head", kernel->head);
		cJSON_AddStringToObject(item, "body", kernel->body);
		put_extent(item, "grid", s, geometry->grid, geometry->grid_count, true);
		put_extent(item, "block", s, geometry->block, geometry->block_count, true);
	}
	return KT_OK;
}

static void put_temporaries(cJSON *json, const struct kt_reply *reply)
{
	cJSON *array = reply->temporary_count > 0 ? cJSON_AddArrayToObject(json, "temporaries") : NULL, *item;

	for (size_t i = 0; i < reply->temporary_count; i++) {
		item = append(array);
		cJSON_AddStringToObject(item, "name", reply->temporaries[i].name);
		cJSON_AddStringToObject(item, "element", kt_scalar_name(reply->temporaries[i].element));
		cJSON_AddStringToObject(item, "count", reply->temporaries[i].count.text);
	}
}

kt_status kt_generate_llm(struct kt_template **out, struct kt_arena *arena, const struct kt_region *region,
                          const struct kt_instance *instance, const char *source, const struct kt_reply *reply,
                          const struct kt_check_verdict *verdict, struct kt_error *err)
{
	const struct source s = {arena, region, instance, reply};
	const struct kt_checked_kernel *first = kernel_of(verdict, reply, 0);
	struct kt_template *template_ = NULL;
	cJSON *json, *strategy;
	kt_status status;

	if (!verdict->accepted || first == NULL ||
	    verdict->kernel_count != (reply->launch_count > 0 ? reply->launch_count : 1))
		return kt_fail(err, KT_ERR_INVALID, "a template is made of accepted kernels, each launched once");
	json = cJSON_CreateObject();
	cJSON_AddStringToObject(json, "generator", "llm");
	put_line(json, "rationale", reply->rationale);
	cJSON_AddBoolToObject(json, "concrete", true);
	cJSON_AddStringToObject(json, "helpers", verdict->helpers);
	cJSON_AddStringToObject(json, "head", first->head);
	cJSON_AddStringToObject(json, "body", first->body);
	put_parameters(json, region, reply);
	put_geometry(json, &s, launch_geometry(reply));
	status = put_conditions(json, &s, err);
	THEN(status, put_further(json, &s, verdict, err));
	if (status != KT_OK) {
		cJSON_Delete(json);
		return status;
	}
	put_temporaries(json, reply);
	strategy = append(cJSON_AddArrayToObject(json, "strategies"));
	cJSON_AddStringToObject(strategy, "name", "model");
	put_line(strategy, "reason", reply->effect);
	status = kt_template_read(&template_, arena, json, err);
	cJSON_Delete(json);
	THEN(status, kt_template_adopt(template_, region, kt_head_line(region, source), err));
	if (status == KT_OK)
		*out = template_;
	return status;
}
