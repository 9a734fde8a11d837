#include <stdlib.h>
#include <string.h>

#include "base/clause_parts.h"
#include "base/region_print.h"
#include "unit.h"

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
	kt_print_texts(object, name, sorted, count);
	free(sorted);
}

static void add_numbers(cJSON *object, const char *name, const uint32_t *numbers, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);
	for (size_t i = 0; i < count; i++)
		kt_print_int(array, numbers[i]);
}

static void add_signature(cJSON *json, const struct kt_region *r)
{
	cJSON *arguments = cJSON_AddArrayToObject(json, "arguments");
	for (size_t i = 0; i < r->argument_count; i++) {
		const struct kt_argument *a = &r->arguments[i];
		cJSON *object = kt_print_object(arguments);
		kt_print_text(object, "name", a->name);
		kt_print_text(object, "type", a->type);
		kt_print_text(object, "default_text", a->default_text);
		if (a->expression != NULL)
			kt_print_text(object, "expression", a->expression);
		(void)cJSON_AddBoolToObject(object, "is_pointer", a->is_pointer);
		(void)cJSON_AddBoolToObject(object, "is_const", a->is_const);
		(void)cJSON_AddBoolToObject(object, "is_restrict", a->is_restrict);
		(void)cJSON_AddStringToObject(object, "address_space", kt_address_space_name(a->space));
	}
	cJSON *members = r->member_count > 0 ? cJSON_AddArrayToObject(json, "members") : NULL;
	for (size_t i = r->argument_count; i < r->argument_count + r->member_count; i++) {
		const struct kt_argument *a = &r->arguments[i];
		cJSON *object = kt_print_object(members);
		kt_print_text(object, "name", a->name);
		kt_print_text(object, "type", a->type);
		(void)kt_json_add_int(object, "argument", (int64_t)a->parent);
		(void)cJSON_AddBoolToObject(object, "is_pointer", a->is_pointer);
		(void)cJSON_AddBoolToObject(object, "is_const", a->is_const);
		(void)cJSON_AddBoolToObject(object, "is_private", a->is_private);
	}
	cJSON *templates = cJSON_AddArrayToObject(json, "templates");
	for (size_t i = 0; i < r->template_count; i++) {
		cJSON *object = kt_print_object(templates);
		kt_print_text(object, "name", r->templates[i].name);
		kt_print_text(object, "declaration", r->templates[i].declaration);
		kt_print_text(object, "default_text", r->templates[i].default_text);
		(void)cJSON_AddBoolToObject(object, "is_type", r->templates[i].is_type);
	}
	cJSON *instances = cJSON_AddArrayToObject(json, "instances");
	for (size_t i = 0; i < r->instance_count; i++) {
		const struct kt_instance *instance = &r->instances[i];
		cJSON *object = kt_print_object(instances);
		kt_print_text(object, "name", instance->name);
		if (instance->symbol != NULL)
			kt_print_text(object, "symbol", instance->symbol);
		kt_print_texts(object, "arguments", instance->arguments, instance->argument_count);
		cJSON *elements = cJSON_AddArrayToObject(object, "elements");
		for (size_t a = 0; a < r->argument_count + r->member_count; a++)
			(void)cJSON_AddItemToArray(elements, kt_element_print(kt_instance_element(instance, a)));
		kt_print_texts(object, "types", instance->types, r->argument_count + r->member_count);
		if (instance->extents != NULL) {
			const struct kt_extents *e = instance->extents;
			cJSON *own = cJSON_AddObjectToObject(object, "geometry");
			kt_print_exprs(own, "grid", e->grid, e->grid_count);
			kt_print_exprs(own, "block", e->block, e->block_count);
			kt_print_expr(own, "shared_bytes", &e->shared_bytes);
		}
		if (r->member_count > 0) {
			add_numbers(object, "bytes", instance->bytes, r->argument_count);
			add_numbers(object, "offsets", instance->offsets, r->member_count);
		}
	}
}

static const char *const kinds[] = {"kernel", "parameter", "callee"};

static void add_edits(cJSON *json, const struct kt_edit *edits, size_t count)
{
	cJSON *array = cJSON_AddArrayToObject(json, "edits");
	for (size_t i = 0; i < count; i++) {
		cJSON *object = kt_print_object(array);
		kt_print_range(object, "range", edits[i].range);
		kt_print_text(object, "kind", kinds[edits[i].kind]);
		(void)kt_json_add_int(object, "index", (int64_t)edits[i].index);
	}
}

static void add_launches(cJSON *json, const struct kt_region *r)
{
	cJSON *launches = cJSON_AddArrayToObject(json, "launches");
	for (size_t i = 0; i < r->launch_count; i++) {
		const struct kt_launch *l = &r->launches[i];
		cJSON *object = kt_print_object(launches);
		kt_print_text(object, "file", l->file);
		(void)kt_json_add_int(object, "line", l->line);
		(void)kt_json_add_int(object, "column", l->column);
		kt_print_text(object, "decline", l->decline);
		kt_print_range(object, "callee", l->callee);
		kt_print_range(object, "open", l->open);
		kt_print_range(object, "close", l->close);
		kt_print_range(object, "end", l->end);
		(void)cJSON_AddBoolToObject(object, "has_arguments", l->has_arguments);
		(void)cJSON_AddBoolToObject(object, "is_quiet", l->is_quiet);
		if (l->is_routed)
			(void)cJSON_AddBoolToObject(object, "is_routed", true);
		(void)kt_json_add_int(object, "instance", l->instance);
		cJSON *bindings = cJSON_AddArrayToObject(object, "bindings");
		for (size_t v = 0; l->bindings != NULL && v < r->variable_count; v++) {
			cJSON *binding = kt_print_object(bindings);
			(void)kt_json_add_int(binding, "argument", l->bindings[v].argument);
			kt_print_text(binding, "text", l->bindings[v].text);
		}
		kt_print_exprs(object, "grid", l->grid, l->grid_count);
		kt_print_exprs(object, "block", l->block, l->block_count);
		kt_print_expr(object, "shared_bytes", &l->shared_bytes);
	}
}

static void add_sites(cJSON *json, const struct kt_region *r)
{
	cJSON *sites = r->site_count > 0 ? cJSON_AddArrayToObject(json, "sites") : NULL;
	for (size_t i = 0; i < r->site_count; i++) {
		const struct kt_launch_site *s = &r->sites[i];
		cJSON *object = kt_print_object(sites);
		(void)cJSON_AddBoolToObject(object, "is_function", s->is_function);
		kt_print_range(object, "callee", s->callee);
		kt_print_range(object, "open", s->open);
		kt_print_range(object, "close", s->close);
		kt_print_range(object, "end", s->end);
	}
}

static void add_steps(cJSON *json, const struct kt_region *r)
{
	if (r->block_range.end == 0)
		return;
	kt_print_range(json, "block_range", r->block_range);
	cJSON *steps = cJSON_AddArrayToObject(json, "steps");
	for (size_t i = 0; i < r->step_count; i++) {
		const struct kt_region_step *s = &r->steps[i];
		cJSON *object = kt_print_object(steps);
		kt_print_text(object, "kernel", s->kernel);
		kt_print_text(object, "qualified", s->qualified);
		(void)kt_json_add_int(object, "line", s->line);
		(void)kt_json_add_int(object, "column", s->column);
		kt_print_range(object, "extent", s->extent);
		kt_print_range(object, "launch", s->launch);
		(void)cJSON_AddBoolToObject(object, "is_static", s->is_static);
		(void)cJSON_AddBoolToObject(object, "is_extern_c", s->is_extern_c);
		(void)cJSON_AddBoolToObject(object, "in_anonymous_namespace", s->in_anonymous_namespace);
		cJSON *arguments = cJSON_AddArrayToObject(object, "arguments");
		for (size_t a = 0; a < s->argument_count; a++)
			(void)cJSON_AddItemToArray(arguments, cJSON_CreateNumber((double)s->arguments[a]));
		kt_print_texts(object, "names", s->names, s->argument_count);
		kt_print_texts(object, "instances", s->instances, r->instance_count);
		kt_print_texts(object, "types", s->types, r->instance_count * s->argument_count);
		kt_print_texts(object, "symbols", s->symbols, r->instance_count);
		kt_print_text(object, "configuration", s->configuration);
		kt_print_exprs(object, "grid", s->grid, s->grid_count);
		kt_print_exprs(object, "block", s->block, s->block_count);
		kt_print_expr(object, "shared_bytes", &s->shared_bytes);
	}
}

static void add_places(cJSON *json, const struct kt_region *r)
{
	kt_print_range(json, "pragma", r->pragma);
	kt_print_range(json, "declaration", r->declaration);
	kt_print_range(json, "extent", r->extent);
	kt_print_range(json, "attributes", r->attributes);
	kt_print_range(json, "name_range", r->name_range);
	kt_print_range(json, "parameters_range", r->parameters_range);
	kt_print_range(json, "body", r->body);
	(void)kt_json_add_int(json, "body_line", r->body_line);
	(void)cJSON_AddBoolToObject(json, "is_static", r->is_static);
	(void)cJSON_AddBoolToObject(json, "is_extern_c", r->is_extern_c);
	(void)cJSON_AddBoolToObject(json, "in_anonymous_namespace", r->in_anonymous_namespace);
	if (r->is_exported)
		(void)cJSON_AddBoolToObject(json, "is_exported", true);
	if (r->is_imported)
		(void)cJSON_AddBoolToObject(json, "is_imported", true);
	if (r->has_namesakes)
		(void)cJSON_AddBoolToObject(json, "has_namesakes", true);
	kt_print_text(json, "reopened", r->reopened != NULL ? r->reopened : "");
}

static void add_texts_of_region(cJSON *json, const struct kt_region *r)
{
	add_edits(json, r->edits, r->edit_count);
	cJSON *callees = cJSON_AddArrayToObject(json, "callees");
	for (size_t i = 0; i < r->callee_count; i++) {
		cJSON *object = kt_print_object(callees);
		kt_print_text(object, "name", r->callees[i].name);
		kt_print_range(object, "extent", r->callees[i].extent);
		add_edits(object, r->callees[i].edits, r->callees[i].edit_count);
	}
	if (r->constant_count != 0)
		kt_print_texts(json, "constants", r->constants, r->constant_count);
	cJSON *drops = cJSON_AddArrayToObject(json, "drops");
	for (size_t i = 0; i < r->drop_count; i++)
		kt_print_range_item(drops, r->drops[i]);
}

static void add_reference(cJSON *json, const struct kt_host_reference *r)
{
	if (r->function == NULL)
		return;
	cJSON *object = cJSON_AddObjectToObject(json, "reference");
	kt_print_text(object, "function", r->function);
	cJSON *parameters = cJSON_AddArrayToObject(object, "parameters");
	for (size_t i = 0; i < r->parameter_count; i++) {
		cJSON *one = kt_print_object(parameters);
		(void)kt_json_add_int(one, "buffer", r->parameters[i].buffer);
		(void)kt_json_add_int(one, "argument", r->parameters[i].argument);
		(void)kt_json_add_int(one, "variable", r->parameters[i].variable);
	}
	cJSON *drops = cJSON_AddArrayToObject(object, "drops");
	for (size_t i = 0; i < r->drop_count; i++)
		kt_print_range_item(drops, r->drops[i]);
}

static void add_region(cJSON *regions, const struct kt_region *r)
{
	cJSON *json = kt_print_object(regions);
	kt_print_text(json, "name", r->name);
	kt_print_text(json, "kernel", r->kernel);
	kt_print_text(json, "qualified", r->qualified);
	kt_print_text(json, "file", r->file);
	(void)kt_json_add_int(json, "line", r->line);
	(void)kt_json_add_int(json, "column", r->column);
	kt_print_text(json, "decline", r->decline);
	kt_print_text(json, "decline_detail", r->decline_detail);
	kt_clauses_print(json, r);
	add_signature(json, r);
	add_places(json, r);
	add_texts_of_region(json, r);
	add_reference(json, &r->reference);
	add_launches(json, r);
	if (r->is_overloaded)
		(void)cJSON_AddBoolToObject(json, "is_overloaded", true);
	add_sites(json, r);
	add_steps(json, r);
	kt_print_text(json, "closure", r->closure);
	kt_print_text(json, "near_key", r->near_key);
	kt_print_text(json, "clauses", r->clauses);
}

/* The files that the offsets' text is made of. */
static void add_flat(cJSON *json, const struct kt_scan *scan)
{
	const struct kt_flat *flat = scan->flat;
	if (flat == NULL)
		return;
	cJSON *files = cJSON_AddArrayToObject(json, "text");
	for (size_t i = 0; i < flat->file_count; i++) {
		cJSON *object = kt_print_object(files);
		kt_print_text(object, "path", flat->files[i].path);
		(void)cJSON_AddBoolToObject(object, "is_system", flat->files[i].is_system);
		cJSON *includes = cJSON_AddArrayToObject(object, "includes");
		for (size_t k = 0; k < flat->files[i].include_count; k++) {
			const struct kt_flat_include *include = &flat->files[i].includes[k];
			cJSON *one = kt_print_object(includes);
			kt_print_range(one, "range", (struct kt_range){include->begin, include->end});
			(void)kt_json_add_int(one, "file", (int64_t)include->file);
			(void)cJSON_AddBoolToObject(one, "entered", include->entered);
		}
	}
	kt_print_texts(json, "absent", scan->absent, scan->absent_count);
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
	kt_print_text(json, "file", scan->options.file);
	kt_print_text(json, "language", kt_language_name(scan->language));
	cJSON *regions = cJSON_AddArrayToObject(json, "regions");
	for (size_t i = 0; i < scan->found_count; i++)
		add_region(regions, &scan->found[i]->region);
	add_files(json, scan);
	add_flat(json, scan);
	add_sorted(json, "system_files", scan->system_files, scan->system_file_count);
	kt_print_text(json, "diagnostics", kt_buf_text(&scan->diagnostics));
	(void)cJSON_AddBoolToObject(json, "has_errors", scan->has_errors);
	kt_print_text(json, "libclang", scan->version);
	return json;
}
