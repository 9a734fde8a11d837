#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* Adds to an object; a failed allocation leaves the member out, which the reader reports. */
static void add_text(cJSON *object, const char *name, const char *text)
{
	if (text != NULL)
		(void)cJSON_AddStringToObject(object, name, text);
	else
		(void)cJSON_AddNullToObject(object, name);
}

static cJSON *range_json(struct kt_range range)
{
	cJSON *array = cJSON_CreateArray();
	(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(range.begin));
	(void)cJSON_AddItemToArray(array, cJSON_CreateNumber(range.end));
	return array;
}

static void add_range(cJSON *object, const char *name, struct kt_range range)
{
	(void)cJSON_AddItemToObject(object, name, range_json(range));
}

static void add_exprs(cJSON *object, const char *name, const struct kt_clause_expr *exprs, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(exprs[i].text));
}

static void add_expr(cJSON *object, const char *name, const struct kt_clause_expr *expr)
{
	add_text(object, name, expr->expr != NULL ? expr->text : NULL);
}

static void add_texts(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		(void)cJSON_AddItemToArray(array, cJSON_CreateString(texts[i]));
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files have an order of their own only where somebody reads them one after the other. */
static void add_sorted(cJSON *object, const char *name, const char *const *texts, size_t count)
{
	const char **sorted = calloc(count + 1, sizeof *sorted);
	if (sorted == NULL)
		return;
	memcpy(sorted, texts, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, by_text);
	add_texts(object, name, sorted, count);
	free(sorted);
}

/* Integers past 2^53 travel as decimal strings. */
static void push_int(cJSON *array, int64_t value)
{
	cJSON *holder = cJSON_CreateObject();
	(void)kt_json_add_int(holder, "v", value);
	(void)cJSON_AddItemToArray(array, cJSON_DetachItemFromObject(holder, "v"));
	cJSON_Delete(holder);
}

static cJSON *add_object(cJSON *array)
{
	cJSON *object = cJSON_CreateObject();
	(void)cJSON_AddItemToArray(array, object);
	return object;
}

static void add_signature(cJSON *json, const struct kt_region *r)
{
	cJSON *arguments = cJSON_AddArrayToObject(json, "arguments");
	for (size_t i = 0; i < r->argument_count; i++) {
		const struct kt_argument *a = &r->arguments[i];
		cJSON *object = add_object(arguments);
		add_text(object, "name", a->name);
		add_text(object, "type", a->type);
		add_text(object, "default_text", a->default_text);
		if (a->expression != NULL)
			add_text(object, "expression", a->expression);
		(void)cJSON_AddBoolToObject(object, "is_pointer", a->is_pointer);
		(void)cJSON_AddBoolToObject(object, "is_const", a->is_const);
		(void)cJSON_AddBoolToObject(object, "is_restrict", a->is_restrict);
		(void)cJSON_AddStringToObject(object, "address_space", kt_address_space_name(a->space));
	}
	cJSON *templates = cJSON_AddArrayToObject(json, "templates");
	for (size_t i = 0; i < r->template_count; i++) {
		cJSON *object = add_object(templates);
		add_text(object, "name", r->templates[i].name);
		add_text(object, "declaration", r->templates[i].declaration);
		add_text(object, "default_text", r->templates[i].default_text);
		(void)cJSON_AddBoolToObject(object, "is_type", r->templates[i].is_type);
	}
	cJSON *instances = cJSON_AddArrayToObject(json, "instances");
	for (size_t i = 0; i < r->instance_count; i++) {
		const struct kt_instance *instance = &r->instances[i];
		cJSON *object = add_object(instances);
		add_text(object, "name", instance->name);
		if (instance->symbol != NULL)
			add_text(object, "symbol", instance->symbol);
		add_texts(object, "arguments", instance->arguments, instance->argument_count);
		cJSON *elements = cJSON_AddArrayToObject(object, "elements");
		for (size_t a = 0; a < r->argument_count; a++)
			(void)cJSON_AddItemToArray(elements, cJSON_CreateString(kt_scalar_name(instance->elements[a])));
		add_texts(object, "types", instance->types, r->argument_count);
	}
}

static const char *const fills[] = {"default", "uniform", "normal", "iota", "zeros", "range"};
static const char *const directions[] = {"", "in", "out", "inout", "scratch"};
static const char *const carriers[] = {"macro", "constant", "template"};
static const char *const generations[] = {"default", "off", "all", "list"};
static const char *const kinds[] = {"kernel", "parameter", "callee"};

static void add_buffers(cJSON *json, const struct kt_region *r)
{
	cJSON *buffers = cJSON_AddArrayToObject(json, "buffers");
	for (size_t i = 0; i < r->buffer_count; i++) {
		const struct kt_buffer *b = &r->buffers[i];
		cJSON *object = add_object(buffers);
		add_text(object, "name", b->name);
		(void)kt_json_add_int(object, "argument", b->argument);
		add_text(object, "direction", directions[b->direction]);
		(void)cJSON_AddBoolToObject(object, "scratch", b->scratch);
		add_expr(object, "count", &b->count);
		cJSON *fill = cJSON_AddObjectToObject(object, "fill");
		add_text(fill, "kind", fills[b->fill.kind]);
		(void)cJSON_AddNumberToObject(fill, "a", b->fill.a);
		(void)cJSON_AddNumberToObject(fill, "b", b->fill.b);
		(void)cJSON_AddNumberToObject(object, "absolute", b->absolute);
		(void)cJSON_AddNumberToObject(object, "relative", b->relative);
	}
	cJSON *values = cJSON_AddArrayToObject(json, "values");
	for (size_t i = 0; i < r->value_count; i++) {
		const struct kt_value *v = &r->values[i];
		cJSON *object = add_object(values);
		add_text(object, "name", v->name);
		(void)kt_json_add_int(object, "argument", v->argument);
		add_text(object, "text", v->text);
		(void)cJSON_AddNumberToObject(object, "number", v->number);
		(void)cJSON_AddBoolToObject(object, "integral", v->integral);
		(void)kt_json_add_int(object, "integer", v->integer);
	}
}

static void add_problems(cJSON *json, const struct kt_region *r)
{
	add_texts(json, "variables", r->variables, r->variable_count);
	cJSON *special = cJSON_AddArrayToObject(json, "specialize");
	for (size_t v = 0; v < r->variable_count; v++)
		(void)cJSON_AddItemToArray(special, cJSON_CreateBool(r->specialize != NULL && r->specialize[v]));
	cJSON *problems = cJSON_AddArrayToObject(json, "problems");
	for (size_t i = 0; i < r->problem_count; i++) {
		cJSON *object = add_object(problems);
		for (size_t v = 0; v < r->variable_count; v++)
			(void)kt_json_add_int(object, r->variables[v], r->problems[i * r->variable_count + v]);
	}
}

static void add_parameters(cJSON *json, const struct kt_region *r)
{
	cJSON *parameters = cJSON_AddArrayToObject(json, "parameters");
	for (size_t i = 0; i < r->parameter_count; i++) {
		const struct kt_parameter *p = &r->parameters[i];
		cJSON *object = add_object(parameters);
		add_text(object, "name", p->name);
		cJSON *values = cJSON_AddArrayToObject(object, "values");
		for (size_t v = 0; v < p->value_count; v++)
			push_int(values, p->values[v]);
		add_text(object, "carrier", carriers[p->carrier]);
		(void)kt_json_add_int(object, "original", p->original);
		(void)kt_json_add_int(object, "template_index", (int64_t)p->template_index);
		add_text(object, "fixed", p->fixed);
	}
}

static void add_edits(cJSON *json, const struct kt_edit *edits, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(json, "edits");
	for (size_t i = 0; i < count; i++) {
		cJSON *object = add_object(array);
		add_range(object, "range", edits[i].range);
		add_text(object, "kind", kinds[edits[i].kind]);
		(void)kt_json_add_int(object, "index", (int64_t)edits[i].index);
	}
}

static void add_launches(cJSON *json, const struct kt_region *r)
{
	cJSON *launches = cJSON_AddArrayToObject(json, "launches");
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];
		cJSON *object = add_object(launches);
		add_text(object, "file", l->file);
		(void)kt_json_add_int(object, "line", l->line);
		(void)kt_json_add_int(object, "column", l->column);
		add_text(object, "decline", l->decline);
		add_range(object, "callee", l->callee);
		add_range(object, "open", l->open);
		add_range(object, "close", l->close);
		add_range(object, "end", l->end);
		(void)cJSON_AddBoolToObject(object, "has_arguments", l->has_arguments);
		(void)cJSON_AddBoolToObject(object, "is_quiet", l->is_quiet);
		(void)kt_json_add_int(object, "instance", l->instance);
		cJSON *bindings = cJSON_AddArrayToObject(object, "bindings");
		for (size_t v = 0; l->bindings != NULL && v < r->variable_count; v++) {
			cJSON *binding = add_object(bindings);
			(void)kt_json_add_int(binding, "argument", l->bindings[v].argument);
			add_text(binding, "text", l->bindings[v].text);
		}
		add_exprs(object, "grid", l->grid, l->grid_count);
		add_exprs(object, "block", l->block, l->block_count);
		add_expr(object, "shared_bytes", &l->shared_bytes);
	}
}

static void add_steps(cJSON *json, const struct kt_region *r)
{
	if (r->block_range.end == 0)
		return;
	add_range(json, "block_range", r->block_range);
	cJSON *steps = cJSON_AddArrayToObject(json, "steps");
	for (size_t i = 0; i < r->step_count; i++) {
		const struct kt_region_step *s = &r->steps[i];
		cJSON *object = add_object(steps);
		add_text(object, "kernel", s->kernel);
		add_text(object, "qualified", s->qualified);
		(void)kt_json_add_int(object, "line", s->line);
		(void)kt_json_add_int(object, "column", s->column);
		add_range(object, "extent", s->extent);
		add_range(object, "launch", s->launch);
		(void)cJSON_AddBoolToObject(object, "is_static", s->is_static);
		(void)cJSON_AddBoolToObject(object, "is_extern_c", s->is_extern_c);
		(void)cJSON_AddBoolToObject(object, "in_anonymous_namespace", s->in_anonymous_namespace);
		cJSON *arguments = cJSON_AddArrayToObject(object, "arguments");
		for (size_t a = 0; a < s->argument_count; a++)
			(void)cJSON_AddItemToArray(arguments, cJSON_CreateNumber((double)s->arguments[a]));
		add_texts(object, "names", s->names, s->argument_count);
		add_texts(object, "instances", s->instances, r->instance_count);
		add_texts(object, "types", s->types, r->instance_count * s->argument_count);
		add_texts(object, "symbols", s->symbols, r->instance_count);
		add_text(object, "configuration", s->configuration);
		add_exprs(object, "grid", s->grid, s->grid_count);
		add_exprs(object, "block", s->block, s->block_count);
		add_expr(object, "shared_bytes", &s->shared_bytes);
	}
}

static void add_places(cJSON *json, const struct kt_region *r)
{
	add_range(json, "pragma", r->pragma);
	add_range(json, "declaration", r->declaration);
	add_range(json, "extent", r->extent);
	add_range(json, "attributes", r->attributes);
	add_range(json, "name_range", r->name_range);
	add_range(json, "parameters_range", r->parameters_range);
	add_range(json, "body", r->body);
	(void)kt_json_add_int(json, "body_line", r->body_line);
	(void)cJSON_AddBoolToObject(json, "is_static", r->is_static);
	(void)cJSON_AddBoolToObject(json, "is_extern_c", r->is_extern_c);
	(void)cJSON_AddBoolToObject(json, "in_anonymous_namespace", r->in_anonymous_namespace);
	add_text(json, "reopened", r->reopened != NULL ? r->reopened : "");
}

static void add_texts_of_region(cJSON *json, const struct kt_region *r)
{
	add_edits(json, r->edits, r->edit_count);
	cJSON *callees = cJSON_AddArrayToObject(json, "callees");
	for (size_t i = 0; i < r->callee_count; i++) {
		cJSON *object = add_object(callees);
		add_text(object, "name", r->callees[i].name);
		add_range(object, "extent", r->callees[i].extent);
		add_edits(object, r->callees[i].edits, r->callees[i].edit_count);
	}
	cJSON *drops = cJSON_AddArrayToObject(json, "drops");
	for (size_t i = 0; i < r->drop_count; i++)
		(void)cJSON_AddItemToArray(drops, range_json(r->drops[i]));
}

static void add_reference(cJSON *json, const struct kt_host_reference *r)
{
	if (r->function == NULL)
		return;
	cJSON *object = cJSON_AddObjectToObject(json, "reference");
	add_text(object, "function", r->function);
	cJSON *parameters = cJSON_AddArrayToObject(object, "parameters");
	for (size_t i = 0; i < r->parameter_count; i++) {
		cJSON *one = add_object(parameters);
		(void)kt_json_add_int(one, "buffer", r->parameters[i].buffer);
		(void)kt_json_add_int(one, "argument", r->parameters[i].argument);
		(void)kt_json_add_int(one, "variable", r->parameters[i].variable);
	}
	cJSON *drops = cJSON_AddArrayToObject(object, "drops");
	for (size_t i = 0; i < r->drop_count; i++)
		(void)cJSON_AddItemToArray(drops, range_json(r->drops[i]));
}

static void add_region(cJSON *regions, const struct kt_region *r)
{
	cJSON *json = add_object(regions);
	add_text(json, "name", r->name);
	add_text(json, "kernel", r->kernel);
	add_text(json, "qualified", r->qualified);
	add_text(json, "file", r->file);
	(void)kt_json_add_int(json, "line", r->line);
	(void)kt_json_add_int(json, "column", r->column);
	add_text(json, "decline", r->decline);
	add_text(json, "decline_detail", r->decline_detail);
	add_parameters(json, r);
	add_exprs(json, "restrictions", r->restrictions, r->restriction_count);
	cJSON *flags = cJSON_AddArrayToObject(json, "restriction_is_guard");
	for (size_t i = 0; i < r->restriction_count; i++)
		(void)cJSON_AddItemToArray(flags, cJSON_CreateBool(r->restriction_is_guard[i]));
	add_exprs(json, "guards", r->guards, r->guard_count);
	add_problems(json, r);
	add_buffers(json, r);
	add_exprs(json, "grid", r->grid, r->grid_count);
	add_exprs(json, "block", r->block, r->block_count);
	add_expr(json, "shared_bytes", &r->shared_bytes);
	add_text(json, "generation", generations[r->generation]);
	add_expr(json, "bytes", &r->bytes);
	add_expr(json, "flops", &r->flops);
	(void)cJSON_AddNumberToObject(json, "budget_seconds", r->budget_seconds);
	(void)kt_json_add_int(json, "budget_trials", r->budget_trials);
	add_signature(json, r);
	add_places(json, r);
	add_texts_of_region(json, r);
	add_reference(json, &r->reference);
	add_launches(json, r);
	add_steps(json, r);
	add_text(json, "closure", r->closure);
	add_text(json, "near_key", r->near_key);
	add_text(json, "clauses", r->clauses);
}

/* The files that the offsets' text is made of. */
static void add_flat(cJSON *json, const struct kt_scan *scan)
{
	const struct kt_flat *flat = scan->flat;
	if (flat == NULL)
		return;
	cJSON *files = cJSON_AddArrayToObject(json, "text");
	for (size_t i = 0; i < flat->file_count; i++) {
		cJSON *object = add_object(files);
		add_text(object, "path", flat->files[i].path);
		(void)cJSON_AddBoolToObject(object, "is_system", flat->files[i].is_system);
		cJSON *includes = cJSON_AddArrayToObject(object, "includes");
		for (size_t k = 0; k < flat->files[i].include_count; k++) {
			const struct kt_flat_include *include = &flat->files[i].includes[k];
			cJSON *one = add_object(includes);
			add_range(one, "range", (struct kt_range){include->begin, include->end});
			(void)kt_json_add_int(one, "file", (int64_t)include->file);
			(void)cJSON_AddBoolToObject(one, "entered", include->entered);
		}
	}
	add_texts(json, "absent", scan->absent, scan->absent_count);
}

static void add_files(cJSON *json, const struct kt_scan *scan)
{
	cJSON *files = cJSON_AddArrayToObject(json, "files");
	for (size_t i = 0; i < scan->file_count; i++)
		(void)cJSON_AddItemToArray(files, cJSON_CreateString(scan->files[i].path));
	for (size_t i = 1; scan->flat != NULL && i < scan->flat->file_count; i++)
		(void)cJSON_AddItemToArray(files, cJSON_CreateString(scan->flat->files[i].path));
}

cJSON *kt_scan_json(const struct kt_scan *scan)
{
	cJSON *json = cJSON_CreateObject();
	add_text(json, "file", scan->options.file);
	add_text(json, "language", kt_language_name(scan->language));
	cJSON *regions = cJSON_AddArrayToObject(json, "regions");
	for (size_t i = 0; i < scan->found_count; i++)
		add_region(regions, &scan->found[i]->region);
	add_files(json, scan);
	add_flat(json, scan);
	add_sorted(json, "system_files", scan->system_files, scan->system_file_count);
	add_text(json, "diagnostics", kt_buf_text(&scan->diagnostics));
	(void)cJSON_AddBoolToObject(json, "has_errors", scan->has_errors);
	add_text(json, "libclang", scan->version);
	return json;
}
