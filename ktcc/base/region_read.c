/* Scan's JSON → the records of region.h, and what they take for granted about each other. */
#include <string.h>

#include "base/clause_parts.h"
#include "base/region_members.h"


#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static kt_status argument_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	static const char *const spaces[] = {"private", "global", "constant", "local"};
	struct kt_argument *a = out;
	int space = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_member_word_or(&space, json, "address_space", spaces, COUNT(spaces), r));
	a->space = (enum kt_address_space)space;
	TRY(kt_member_text_or(&a->name, json, "name", "", r));
	TRY(kt_json_string(&a->type, r->arena, json, "type", r->err));
	TRY(kt_member_text_or(&a->default_text, json, "default_text", NULL, r));
	TRY(kt_member_text_or(&a->expression, json, "expression", NULL, r));
	TRY(kt_json_bool_or(&a->is_pointer, json, "is_pointer", false, r->err));
	TRY(kt_json_bool_or(&a->is_const, json, "is_const", false, r->err));
	return kt_json_bool_or(&a->is_restrict, json, "is_restrict", false, r->err);
}

/* Members are read behind the arguments, into the same list. */
static kt_status member_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_argument *a = out;
	int64_t parent = -1;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&a->name, r->arena, json, "name", r->err));
	TRY(kt_json_string(&a->type, r->arena, json, "type", r->err));
	TRY(kt_json_int(&parent, json, "argument", r->err));
	TRY(kt_json_bool_or(&a->is_pointer, json, "is_pointer", false, r->err));
	TRY(kt_json_bool_or(&a->is_const, json, "is_const", false, r->err));
	TRY(kt_json_bool_or(&a->is_private, json, "is_private", false, r->err));
	if (parent < 0 || (uint64_t)parent >= r->region->argument_count)
		return kt_fail(r->err, KT_ERR_INVALID, "member %s is part of no argument", a->name);
	a->parent = (size_t)parent;
	return KT_OK;
}

static kt_status read_members(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_argument *members = NULL, *all;
	TRY(kt_member_list(&members, &g->member_count, sizeof *members, json, "members", member_item, r));
	if (g->member_count == 0)
		return KT_OK;
	if (g->member_count > KT_MEMBERS)
		return kt_fail(r->err, KT_ERR_LIMIT, "more than %d members", KT_MEMBERS);
	all = kt_arena_array(r->arena, g->argument_count + g->member_count, sizeof *all);
	if (all == NULL)
		return kt_member_no_memory(r);
	memcpy(all, g->arguments, g->argument_count * sizeof *all);
	memcpy(all + g->argument_count, members, g->member_count * sizeof *all);
	g->arguments = all;
	return KT_OK;
}

static kt_status place_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	int64_t value = 0;
	TRY(kt_json_item_int(&value, json, r->err));
	if (value < 0 || value > KT_ARGUMENT_BYTES)
		return kt_fail(r->err, KT_ERR_INVALID, "an argument of %lld bytes", (long long)value);
	*(uint32_t *)out = (uint32_t)value;
	return KT_OK;
}

/* Each member lies in its argument. */
static kt_status read_places(struct kt_instance *i, const cJSON *json, struct kt_region_reader *r)
{
	const struct kt_region *g = r->region;
	size_t bytes = 0, offsets = 0;
	if (g->member_count == 0)
		return KT_OK;
	TRY(kt_member_list(&i->bytes, &bytes, sizeof *i->bytes, json, "bytes", place_item, r));
	TRY(kt_member_list(&i->offsets, &offsets, sizeof *i->offsets, json, "offsets", place_item, r));
	if (bytes != g->argument_count || offsets != g->member_count)
		return kt_fail(r->err, KT_ERR_INVALID, "members of instance %s do not fit", i->name);
	for (size_t m = 0; m < g->member_count; m++) {
		const struct kt_argument *a = &g->arguments[g->argument_count + m];
		const unsigned size = a->is_pointer ? 8 : kt_scalar_bytes(i->elements[g->argument_count + m]);
		if (size == 0 || i->offsets[m] + size > i->bytes[a->parent])
			return kt_fail(r->err, KT_ERR_INVALID, "member %s of instance %s is outside its argument", a->name, i->name);
	}
	return KT_OK;
}

static kt_status template_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_template_parameter *t = out;
	TRY(kt_member_object(json, r));
	TRY(kt_member_text_or(&t->name, json, "name", "", r));
	TRY(kt_json_string(&t->declaration, r->arena, json, "declaration", r->err));
	TRY(kt_member_text_or(&t->default_text, json, "default_text", NULL, r));
	return kt_json_bool_or(&t->is_type, json, "is_type", false, r->err);
}

static kt_status element_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	return kt_element_read(out, r->arena, json, r->err);
}

/* Numbers by their type; vectors and structures have a layout each. */
static kt_status read_elements(struct kt_instance *i, size_t *count, const cJSON *json, struct kt_region_reader *r)
{
	const struct kt_element **read = NULL;
	TRY(kt_member_list(&read, count, sizeof *read, json, "elements", element_item, r));
	i->elements = kt_arena_array(r->arena, *count + 1, sizeof *i->elements);
	i->layouts = kt_arena_array(r->arena, *count + 1, sizeof *i->layouts);
	if (i->elements == NULL || i->layouts == NULL)
		return kt_member_no_memory(r);
	for (size_t a = 0; a < *count; a++) {
		i->elements[a] = kt_element_scalar(read[a]);
		i->layouts[a] = read[a]->number_count > 0 && i->elements[a] == KT_SCALAR_NONE ? read[a] : NULL;
	}
	return KT_OK;
}

/* How the original is launched in this instance, where that differs. */
static kt_status read_extents(struct kt_instance *i, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *own = cJSON_GetObjectItemCaseSensitive(json, "geometry");
	struct kt_extents *e = own != NULL ? kt_arena_alloc(r->arena, sizeof *e) : NULL;
	if (own == NULL)
		return KT_OK;
	if (e == NULL)
		return kt_member_no_memory(r);
	*e = (struct kt_extents){.grid_count = 0};
	TRY(kt_member_object(own, r));
	TRY(kt_member_extents_or(e->grid, &e->grid_count, own, "grid", r));
	TRY(kt_member_extents_or(e->block, &e->block_count, own, "block", r));
	TRY(kt_member_expr_or(&e->shared_bytes, own, "shared_bytes", r));
	if (e->grid_count == 0 || e->block_count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s has half a geometry", i->name);
	i->extents = e;
	return KT_OK;
}

static kt_status instance_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_instance *i = out;
	size_t elements = 0, types = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&i->name, r->arena, json, "name", r->err));
	TRY(kt_member_text_or(&i->symbol, json, "symbol", NULL, r));
	TRY(kt_member_list(&i->arguments, &i->argument_count, sizeof *i->arguments, json, "arguments",
	                   kt_member_text_item, r));
	TRY(read_elements(i, &elements, json, r));
	TRY(kt_member_list(&i->types, &types, sizeof *i->types, json, "types", kt_member_text_item, r));
	const size_t all = r->region->argument_count + r->region->member_count;
	if (elements != all || types != all)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s does not fit the signature", i->name);
	if (i->argument_count != r->region->template_count)
		return kt_fail(r->err, KT_ERR_INVALID, "instance %s does not fit the template", i->name);
	TRY(read_extents(i, json, r));
	return read_places(i, json, r);
}

static kt_status edit_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	static const char *const kinds[] = {"kernel", "parameter", "callee"};
	struct kt_edit *e = out;
	int kind = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_member_range_or(&e->range, json, "range", r));
	TRY(kt_member_word_or(&kind, json, "kind", kinds, COUNT(kinds), r));
	TRY(kt_member_size_or(&e->index, json, "index", r));
	e->kind = (enum kt_edit_kind)kind;
	if (e->kind == KT_EDIT_PARAMETER && e->index >= r->region->parameter_count)
		return kt_fail(r->err, KT_ERR_INVALID, "index of a parameter is out of range");
	return KT_OK;
}

static kt_status callee_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_callee *c = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&c->name, r->arena, json, "name", r->err));
	TRY(kt_member_range_or(&c->extent, json, "extent", r));
	return kt_member_list(&c->edits, &c->edit_count, sizeof *c->edits, json, "edits", edit_item, r);
}

static kt_status host_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_host_parameter *p = out;
	TRY(kt_member_object(json, r));
	TRY(kt_member_argument_or(&p->argument, json, r));
	TRY(kt_json_int_or(&p->buffer, json, "buffer", -1, r->err));
	TRY(kt_json_int_or(&p->variable, json, "variable", -1, r->err));
	if (p->buffer < -1 || p->buffer >= (int64_t)r->region->buffer_count || p->variable < -1 ||
	    p->variable >= (int64_t)r->region->variable_count ||
	    (p->buffer >= 0) + (p->argument >= 0) + (p->variable >= 0) != 1)
		return kt_fail(r->err, KT_ERR_INVALID, "a parameter of the host reference stands for nothing");
	return KT_OK;
}

static kt_status read_reference(struct kt_host_reference *out, const cJSON *region, struct kt_region_reader *r)
{
	const cJSON *json = NULL;
	TRY(kt_json_object_or(&json, region, "reference", r->err));
	if (json == NULL)
		return KT_OK;
	TRY(kt_json_string(&out->function, r->arena, json, "function", r->err));
	TRY(kt_member_list(&out->parameters, &out->parameter_count, sizeof *out->parameters, json, "parameters", host_item,
	                   r));
	return kt_member_list(&out->drops, &out->drop_count, sizeof *out->drops, json, "drops", kt_member_range_item, r);
}

static kt_status binding_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_binding *b = out;
	TRY(kt_member_object(json, r));
	TRY(kt_member_argument_or(&b->argument, json, r));
	return kt_member_text_or(&b->text, json, "text", NULL, r);
}

static kt_status launch_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_launch *l = out;
	size_t bindings = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_member_text_or(&l->file, json, "file", "", r));
	TRY(kt_member_uint_or(&l->line, json, "line", r));
	TRY(kt_member_uint_or(&l->column, json, "column", r));
	TRY(kt_member_text_or(&l->decline, json, "decline", NULL, r));
	TRY(kt_member_range_or(&l->callee, json, "callee", r));
	TRY(kt_member_range_or(&l->open, json, "open", r));
	TRY(kt_member_range_or(&l->close, json, "close", r));
	TRY(kt_member_range_or(&l->end, json, "end", r));
	TRY(kt_json_bool_or(&l->has_arguments, json, "has_arguments", false, r->err));
	TRY(kt_json_bool_or(&l->is_quiet, json, "is_quiet", false, r->err));
	TRY(kt_json_bool_or(&l->is_routed, json, "is_routed", false, r->err));
	TRY(kt_json_int_or(&l->instance, json, "instance", -1, r->err));
	if (l->instance < -1 || l->instance >= (int64_t)r->region->instance_count)
		return kt_fail(r->err, KT_ERR_INVALID, "instance is out of range");
	TRY(kt_member_list(&l->bindings, &bindings, sizeof *l->bindings, json, "bindings", binding_item, r));
	if (bindings != r->region->variable_count && l->decline == NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "bindings do not fit the problem variables");
	TRY(kt_member_extents_or(l->grid, &l->grid_count, json, "grid", r));
	TRY(kt_member_extents_or(l->block, &l->block_count, json, "block", r));
	return kt_member_expr_or(&l->shared_bytes, json, "shared_bytes", r);
}

static kt_status site_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_launch_site *s = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_bool_or(&s->is_function, json, "is_function", false, r->err));
	TRY(kt_member_range_or(&s->callee, json, "callee", r));
	TRY(kt_member_range_or(&s->open, json, "open", r));
	TRY(kt_member_range_or(&s->close, json, "close", r));
	return kt_member_range_or(&s->end, json, "end", r);
}

static kt_status index_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	int64_t value = 0;
	TRY(kt_json_item_int(&value, json, r->err));
	if (value < 0 || (uint64_t)value >= r->region->argument_count)
		return kt_fail(r->err, KT_ERR_INVALID, "an argument is out of range");
	*(size_t *)out = (size_t)value;
	return KT_OK;
}

static kt_status step_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region_step *s = out;
	size_t names = 0, instances = 0, types = 0, symbols = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&s->kernel, r->arena, json, "kernel", r->err));
	TRY(kt_member_text_or(&s->qualified, json, "qualified", s->kernel, r));
	TRY(kt_member_uint_or(&s->line, json, "line", r));
	TRY(kt_member_uint_or(&s->column, json, "column", r));
	TRY(kt_member_range_or(&s->extent, json, "extent", r));
	TRY(kt_member_range_or(&s->launch, json, "launch", r));
	TRY(kt_json_bool_or(&s->is_static, json, "is_static", false, r->err));
	TRY(kt_json_bool_or(&s->is_extern_c, json, "is_extern_c", false, r->err));
	TRY(kt_json_bool_or(&s->in_anonymous_namespace, json, "in_anonymous_namespace", false, r->err));
	TRY(kt_member_list(&s->arguments, &s->argument_count, sizeof *s->arguments, json, "arguments", index_item, r));
	TRY(kt_member_list(&s->names, &names, sizeof *s->names, json, "names", kt_member_text_item, r));
	TRY(kt_member_list(&s->instances, &instances, sizeof *s->instances, json, "instances", kt_member_text_item, r));
	TRY(kt_member_list(&s->types, &types, sizeof *s->types, json, "types", kt_member_text_item, r));
	TRY(kt_member_list(&s->symbols, &symbols, sizeof *s->symbols, json, "symbols", kt_member_text_item, r));
	TRY(kt_json_string(&s->configuration, r->arena, json, "configuration", r->err));
	TRY(kt_member_extents_or(s->grid, &s->grid_count, json, "grid", r));
	TRY(kt_member_extents_or(s->block, &s->block_count, json, "block", r));
	TRY(kt_member_expr_or(&s->shared_bytes, json, "shared_bytes", r));
	if (r->region->decline != NULL)
		return KT_OK;
	if (instances != r->region->instance_count || names != s->argument_count || types != instances * s->argument_count ||
	    (symbols != 0 && symbols != instances))
		return kt_fail(r->err, KT_ERR_INVALID, "step %s does not fit the region", s->kernel);
	if (s->grid_count == 0 || s->block_count == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "step %s has no geometry", s->kernel);
	return KT_OK;
}

/* What the emitter takes for granted: the text of a step lies in the block, one behind the other. */
static kt_status check_steps(const struct kt_region *g, struct kt_region_reader *r)
{
	uint32_t at = g->block_range.begin;
	if (g->step_count > KT_STEPS)
		return kt_fail(r->err, KT_ERR_LIMIT, "more than %d steps", KT_STEPS);
	if (g->step_count != 0 && g->decline == NULL && g->launch_count != 1)
		return kt_fail(r->err, KT_ERR_INVALID, "a launch region has one launch");
	for (size_t i = 0; i < g->step_count; i++) {
		if (g->steps[i].launch.begin < at || g->steps[i].launch.end > g->block_range.end)
			return kt_fail(r->err, KT_ERR_INVALID, "steps must ascend inside their block");
		at = g->steps[i].launch.end;
	}
	for (size_t i = 0; g->step_count != 0 && g->decline == NULL && i < g->argument_count; i++)
		if (g->arguments[i].expression == NULL)
			return kt_fail(r->err, KT_ERR_INVALID, "an argument of a launch region has no expression");
	return KT_OK;
}

static kt_status read_text_parts(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_json_string(&g->name, r->arena, json, "name", r->err));
	TRY(kt_member_text_or(&g->kernel, json, "kernel", "", r));
	TRY(kt_member_text_or(&g->qualified, json, "qualified", g->kernel, r));
	TRY(kt_member_text_or(&g->file, json, "file", "", r));
	TRY(kt_member_uint_or(&g->line, json, "line", r));
	TRY(kt_member_uint_or(&g->column, json, "column", r));
	TRY(kt_member_text_or(&g->decline, json, "decline", NULL, r));
	TRY(kt_member_text_or(&g->decline_detail, json, "decline_detail", NULL, r));
	TRY(kt_member_range_or(&g->pragma, json, "pragma", r));
	TRY(kt_member_range_or(&g->declaration, json, "declaration", r));
	TRY(kt_member_range_or(&g->extent, json, "extent", r));
	TRY(kt_member_range_or(&g->attributes, json, "attributes", r));
	TRY(kt_member_range_or(&g->name_range, json, "name_range", r));
	TRY(kt_member_range_or(&g->parameters_range, json, "parameters_range", r));
	TRY(kt_member_range_or(&g->body, json, "body", r));
	TRY(kt_member_uint_or(&g->body_line, json, "body_line", r));
	TRY(kt_json_bool_or(&g->is_static, json, "is_static", false, r->err));
	TRY(kt_json_bool_or(&g->is_extern_c, json, "is_extern_c", false, r->err));
	TRY(kt_json_bool_or(&g->in_anonymous_namespace, json, "in_anonymous_namespace", false, r->err));
	TRY(kt_json_bool_or(&g->is_exported, json, "is_exported", false, r->err));
	TRY(kt_json_bool_or(&g->is_imported, json, "is_imported", false, r->err));
	TRY(kt_json_bool_or(&g->has_namesakes, json, "has_namesakes", false, r->err));
	TRY(kt_member_text_or(&g->reopened, json, "reopened", "", r));
	TRY(kt_member_text_or(&g->closure, json, "closure", "", r));
	TRY(kt_member_text_or(&g->near_key, json, "near_key", "", r));
	return kt_member_text_or(&g->clauses, json, "clauses", "", r);
}

/* Callee indices can only be judged once every callee is known. */
static kt_status check_edits(const struct kt_region *g, const struct kt_edit *edits, size_t count, struct kt_range in,
                             struct kt_region_reader *r)
{
	uint32_t at = in.begin;
	for (size_t i = 0; i < count; i++) {
		if (edits[i].kind == KT_EDIT_CALLEE && edits[i].index >= g->callee_count)
			return kt_fail(r->err, KT_ERR_INVALID, "index of a callee is out of range");
		if (edits[i].range.begin < at || edits[i].range.end > in.end)
			return kt_fail(r->err, KT_ERR_INVALID, "edits must ascend inside their text");
		at = edits[i].range.end;
	}
	return KT_OK;
}

static kt_status read_record(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_member_list(&g->templates, &g->template_count, sizeof *g->templates, json, "templates", template_item, r));
	TRY(kt_member_list(&g->arguments, &g->argument_count, sizeof *g->arguments, json, "arguments", argument_item, r));
	TRY(read_members(g, json, r));
	TRY(kt_member_list(&g->instances, &g->instance_count, sizeof *g->instances, json, "instances", instance_item, r));
	TRY(kt_clauses_read(g, json, r));
	TRY(kt_member_list(&g->edits, &g->edit_count, sizeof *g->edits, json, "edits", edit_item, r));
	TRY(kt_member_list(&g->callees, &g->callee_count, sizeof *g->callees, json, "callees", callee_item, r));
	TRY(kt_member_list(&g->launches, &g->launch_count, sizeof *g->launches, json, "launches", launch_item, r));
	TRY(kt_json_bool_or(&g->is_overloaded, json, "is_overloaded", false, r->err));
	TRY(kt_member_list(&g->sites, &g->site_count, sizeof *g->sites, json, "sites", site_item, r));
	TRY(kt_member_range_or(&g->block_range, json, "block_range", r));
	TRY(kt_member_list(&g->steps, &g->step_count, sizeof *g->steps, json, "steps", step_item, r));
	TRY(check_steps(g, r));
	TRY(kt_member_list(&g->constants, &g->constant_count, sizeof *g->constants, json, "constants",
			   kt_member_text_item, r));
	TRY(kt_member_list(&g->drops, &g->drop_count, sizeof *g->drops, json, "drops", kt_member_range_item, r));
	TRY(read_reference(&g->reference, json, r));
	TRY(check_edits(g, g->edits, g->edit_count, g->extent, r));
	for (size_t i = 0; i < g->callee_count; i++)
		TRY(check_edits(g, g->callees[i].edits, g->callees[i].edit_count, g->callees[i].extent, r));
	return KT_OK;
}

static kt_status region_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = out;
	r->region = g;
	g->language = r->language;
	TRY(kt_member_object(json, r));
	TRY(read_text_parts(g, json, r));
	kt_status status = read_record(g, json, r);
	/* What is declined keeps nobody else from being read. */
	if (g->decline == NULL || status == KT_OK || status == KT_ERR_MEMORY)
		return status;
	kt_region_withdraw(g);
	r->err->code = KT_OK;
	return KT_OK;
}

static kt_status include_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_flat_include *include = out;
	struct kt_range range = {0, 0};
	uint32_t file = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_member_range_or(&range, json, "range", r));
	TRY(kt_member_uint_or(&file, json, "file", r));
	include->begin = range.begin;
	include->end = range.end;
	include->file = file;
	return kt_json_bool_or(&include->entered, json, "entered", false, r->err);
}

static kt_status flat_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_flat_file *file = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&file->path, r->arena, json, "path", r->err));
	TRY(kt_json_bool_or(&file->is_system, json, "is_system", false, r->err));
	return kt_member_list(&file->includes, &file->include_count, sizeof *file->includes, json, "includes", include_item,
	                      r);
}

static kt_status check_flat(const struct kt_flat *flat, struct kt_region_reader *r)
{
	for (size_t i = 0; i < flat->file_count; i++)
		for (size_t k = 0; k < flat->files[i].include_count; k++)
			if (flat->files[i].includes[k].file >= flat->file_count)
				return kt_fail(r->err, KT_ERR_INVALID, "an include leads to no file of the text");
	return KT_OK;
}

kt_status kt_unit_read(struct kt_unit **out, struct kt_arena *arena, const cJSON *json, struct kt_error *err)
{
	static const char *const languages[] = {"cuda", "opencl"};
	struct kt_region_reader r = {.arena = arena, .err = err};
	struct kt_unit *unit = kt_arena_alloc(arena, sizeof *unit);
	int language = 0;
	if (unit == NULL)
		return kt_member_no_memory(&r);
	TRY(kt_member_object(json, &r));
	TRY(kt_member_word_or(&language, json, "language", languages, COUNT(languages), &r));
	unit->language = r.language = (enum kt_language)language;
	TRY(kt_member_text_or(&unit->file, json, "file", "", &r));
	TRY(kt_member_list(&unit->regions, &unit->region_count, sizeof *unit->regions, json, "regions", region_item, &r));
	TRY(kt_member_list(&unit->files, &unit->file_count, sizeof *unit->files, json, "files", kt_member_text_item, &r));
	TRY(kt_member_list(&unit->system_files, &unit->system_file_count, sizeof *unit->system_files, json, "system_files",
	                   kt_member_text_item, &r));
	TRY(kt_member_list(&unit->flat.files, &unit->flat.file_count, sizeof *unit->flat.files, json, "text",
	                   flat_item, &r));
	TRY(check_flat(&unit->flat, &r));
	for (size_t i = 0; i < unit->region_count; i++)
		if (!kt_region_divide(arena, &unit->regions[i]))
			return kt_member_no_memory(&r);
	TRY(kt_member_list(&unit->absent, &unit->absent_count, sizeof *unit->absent, json, "absent",
	                   kt_member_text_item, &r));
	TRY(kt_member_text_or(&unit->diagnostics, json, "diagnostics", "", &r));
	TRY(kt_json_bool_or(&unit->has_errors, json, "has_errors", false, err));
	*out = unit;
	return KT_OK;
}
