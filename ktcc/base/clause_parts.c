/* One part a clause: how the record is printed, read and hashed. The order is that of the hash. */
#include "base/clause_parts.h"

#include <string.h>

#include "base/region_members.h"
#include "base/region_print.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* A part of the table: its three functions must be there. */
struct part {
	void (*print)(cJSON *json, const struct kt_region *region);
	kt_status (*read)(struct kt_region *region, const cJSON *json, struct kt_region_reader *r);
	void (*hash)(struct kt_hash *hash, const struct kt_pragma *pragma, const struct kt_region *region);
};

/* Of fills, where they are expressions. */
static const char *const bound_names[KT_FILL_NUMBERS] = {
    "lower",   "upper",   "bound_2",  "bound_3",  "bound_4",  "bound_5",  "bound_6",  "bound_7",
    "bound_8", "bound_9", "bound_10", "bound_11", "bound_12", "bound_13", "bound_14", "bound_15"};
static const char *const directions[] = {"", "in", "out", "inout", "scratch"};
static const char *const carriers[] = {"macro", "constant", "template"};
static const char *const generations[] = {"default", "off", "all", "list"};

const char *kt_direction_name(enum kt_direction direction)
{
	return directions[direction];
}

/* Clauses that are younger than keys of entries: where one is absent, it is no part of them. */
static bool is_hashed(const char *tag, const struct kt_clause_expr *clause)
{
	static const char *const young[] = {"weight"};
	for (size_t i = 0; i < sizeof young / sizeof young[0]; i++)
		if (strcmp(young[i], tag) == 0)
			return clause->expr != NULL;
	return true;
}

static void hash_expr(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clause)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (clause->expr != NULL)
		kt_expr_canonical(&text, clause->expr);
	kt_hash_field(hash, tag, clause->expr != NULL ? kt_buf_text(&text) : NULL);
	kt_buf_free(&text);
}

static void hash_double(struct kt_hash *hash, const char *tag, double value)
{
	char text[64];
	struct kt_buf buf = KT_BUF(sizeof text);
	kt_buf_addf(&buf, "%a", value);
	kt_hash_field(hash, tag, kt_buf_text(&buf));
	kt_buf_free(&buf);
}

/* ---- problem */

static void problem_print(cJSON *json, const struct kt_region *r)
{
	kt_print_texts(json, "variables", r->variables, r->variable_count);
	cJSON *problems = cJSON_AddArrayToObject(json, "problems");
	for (size_t i = 0; i < r->problem_count; i++)
		kt_json_add_values(kt_json_append(problems), r->variables, &r->problems[i * r->variable_count],
		                   r->variable_count);
	if (r->bounds == NULL)
		return;
	cJSON *bounds = cJSON_AddArrayToObject(json, "bounds");
	for (size_t v = 0; v < r->variable_count; v++) {
		cJSON *object = kt_json_append(bounds);
		(void)kt_json_add_int(object, "least", r->bounds[v].least);
		(void)kt_json_add_int(object, "most", r->bounds[v].most);
		(void)kt_json_add_int(object, "step", r->bounds[v].step);
	}
}

/* problems: objects with one member a variable → row-major matrix. */
static kt_status read_problems(struct kt_region *region, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *array = NULL;
	TRY(kt_json_array_or(&array, json, "problems", r->err));
	size_t count = array != NULL ? (size_t)cJSON_GetArraySize(array) : 0;
	if (count > KT_PROBLEMS || region->variable_count > KT_PROBLEM_VARIABLES)
		return kt_fail(r->err, KT_ERR_LIMIT, "too many problems");
	if (count == 0 || region->variable_count == 0) {
		region->problem_count = count;
		return KT_OK;
	}
	NEED(region->problems = kt_arena_array(r->arena, count * region->variable_count, sizeof *region->problems),
	     kt_member_no_memory(r));
	int64_t *at = region->problems;
	for (const cJSON *row = array->child; row != NULL; row = row->next, region->problem_count++) {
		TRY(kt_member_object(row, r));
		for (size_t v = 0; v < region->variable_count; v++, at++)
			if (kt_json_int(at, row, region->variables[v], r->err) != KT_OK)
				return kt_fail_prefix(r->err, "problems/%zu", region->problem_count);
	}
	return KT_OK;
}

static kt_status bound_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_variable_bounds *bound = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_int(&bound->least, json, "least", r->err));
	TRY(kt_json_int(&bound->most, json, "most", r->err));
	TRY(kt_json_int(&bound->step, json, "step", r->err));
	if (bound->step < 0 || (bound->step > 0 && bound->least > bound->most))
		return kt_fail(r->err, KT_ERR_INVALID, "bounds that nothing is in");
	return KT_OK;
}

static kt_status read_bounds(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	size_t count = 0;
	TRY(kt_member_list(&g->bounds, &count, sizeof *g->bounds, json, "bounds", bound_item, r));
	if (count == 0)
		g->bounds = NULL;
	else if (count != g->variable_count)
		return kt_fail(r->err, KT_ERR_INVALID, "bounds do not fit variables");
	return KT_OK;
}

static kt_status problem_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_member_list(&g->variables, &g->variable_count, sizeof *g->variables, json, "variables",
	                   kt_member_text_item, r));
	TRY(read_bounds(g, json, r));
	return read_problems(g, json, r);
}

static void problem_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->variable_count; i++)
		kt_hash_field(hash, "variable", p->variables[i]);
	for (size_t i = 0; i < p->problem_count * p->variable_count; i++)
		kt_hash_int(hash, "problem", p->problems[i]);
}

/* ---- value */

static void value_print(cJSON *json, const struct kt_region *r)
{
	cJSON *values = cJSON_AddArrayToObject(json, "values");
	for (size_t i = 0; i < r->value_count; i++) {
		const struct kt_value *v = &r->values[i];
		cJSON *object = kt_json_append(values);
		kt_print_text(object, "name", v->name);
		(void)kt_json_add_int(object, "argument", v->argument);
		kt_print_text(object, "text", v->text);
		(void)cJSON_AddNumberToObject(object, "number", v->number);
		(void)cJSON_AddBoolToObject(object, "integral", v->integral);
		(void)kt_json_add_int(object, "integer", v->integer);
		if (v->expr.expr != NULL)
			kt_print_expr(object, "expression", &v->expr);
	}
}


static kt_status value_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_value *v = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&v->name, r->arena, json, "name", r->err));
	TRY(kt_member_argument_or(&v->argument, json, r));
	TRY(kt_json_string(&v->text, r->arena, json, "text", r->err));
	TRY(kt_json_double_or(&v->number, json, "number", 0, r->err));
	TRY(kt_json_bool_or(&v->integral, json, "integral", false, r->err));
	TRY(kt_json_int_or(&v->integer, json, "integer", 0, r->err));
	return kt_member_expr_or(&v->expr, json, "expression", r);
}

static kt_status value_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_list(&g->values, &g->value_count, sizeof *g->values, json, "values", value_item, r);
}

static void value_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->value_count; i++) {
		kt_hash_field(hash, "value", p->values[i].name);
		hash_double(hash, "number", p->values[i].number);
		if (p->values[i].expr.expr != NULL)
			hash_expr(hash, "expression", &p->values[i].expr);
	}
}

/* ---- tune */

static void tune_print(cJSON *json, const struct kt_region *r)
{
	cJSON *parameters = cJSON_AddArrayToObject(json, "parameters");
	for (size_t i = 0; i < r->parameter_count; i++) {
		const struct kt_parameter *p = &r->parameters[i];
		cJSON *object = kt_json_append(parameters);
		kt_print_text(object, "name", p->name);
		cJSON *values = cJSON_AddArrayToObject(object, "values");
		for (size_t v = 0; v < p->value_count; v++)
			(void)cJSON_AddItemToArray(values, kt_json_create_int(p->values[v]));
		kt_print_text(object, "carrier", carriers[p->carrier]);
		(void)kt_json_add_int(object, "original", p->original);
		(void)kt_json_add_int(object, "template_index", (int64_t)p->template_index);
		kt_print_text(object, "fixed", p->fixed);
	}
}


static kt_status parameter_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_parameter *p = out;
	int carrier = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&p->name, r->arena, json, "name", r->err));
	TRY(kt_member_list(&p->values, &p->value_count, sizeof *p->values, json, "values", kt_member_int_item, r));
	TRY(kt_member_word_or(&carrier, json, "carrier", carriers, COUNT(carriers), r));
	p->carrier = (enum kt_carrier)carrier;
	TRY(kt_json_int_or(&p->original, json, "original", 0, r->err));
	TRY(kt_member_size_or(&p->template_index, json, "template_index", r));
	TRY(kt_member_text_or(&p->fixed, json, "fixed", NULL, r));
	if (p->carrier == KT_CARRIER_TEMPLATE && p->template_index >= r->region->template_count)
		return kt_fail(r->err, KT_ERR_INVALID, "template_index of %s is out of range", p->name);
	return KT_OK;
}

static kt_status tune_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_list(&g->parameters, &g->parameter_count, sizeof *g->parameters, json, "parameters",
	                      parameter_item, r);
}

static void tune_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->tune_count; i++) {
		kt_hash_field(hash, "tune", p->tunes[i].name);
		for (size_t v = 0; v < p->tunes[i].count; v++)
			kt_hash_int(hash, "of", p->tunes[i].values[v]);
	}
}

/* ---- auto: which strategies it names, only the generator asks */

static void auto_print(cJSON *json, const struct kt_region *r)
{
	kt_print_text(json, "generation", generations[r->generation]);
}

static kt_status auto_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	int generation = 0;
	TRY(kt_member_word_or(&generation, json, "generation", generations, COUNT(generations), r));
	g->generation = (enum kt_generation)generation;
	return KT_OK;
}

static void auto_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->strategy_count; i++)
		kt_hash_field(hash, "strategy", p->strategies[i]);
	kt_hash_int(hash, "generation", p->generation);
}

/* ---- specialize */

static void specialize_print(cJSON *json, const struct kt_region *r)
{
	cJSON *special = cJSON_AddArrayToObject(json, "specialize");
	for (size_t v = 0; v < r->variable_count; v++)
		(void)cJSON_AddItemToArray(special, cJSON_CreateBool(r->specialize != NULL && r->specialize[v]));
}

static kt_status specialize_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	size_t special = 0;
	TRY(kt_member_list(&g->specialize, &special, sizeof *g->specialize, json, "specialize", kt_member_bool_item, r));
	if (special != g->variable_count && special != 0)
		return kt_fail(r->err, KT_ERR_INVALID, "specialize does not fit variables");
	if (special == 0 && (g->specialize = kt_arena_array(r->arena, g->variable_count + 1, sizeof(bool))) == NULL)
		return kt_member_no_memory(r);
	return KT_OK;
}

static void specialize_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	kt_hash_int(hash, "specialize_off", p->specialize_off);
	for (size_t i = 0; i < p->specialize_count; i++)
		kt_hash_field(hash, "specialize", p->specialize[i]);
}

/* ---- in, out, inout, scratch, tolerance */

static const struct kt_element *symbol_element(const struct kt_device_symbol *symbol)
{
	return symbol->element != NULL ? symbol->element : kt_element_of(KT_SCALAR_NONE);
}

static void symbol_print(cJSON *buffer, const struct kt_device_symbol *symbol)
{
	cJSON *object = cJSON_AddObjectToObject(buffer, "symbol");
	kt_print_text(object, "name", symbol->name);
	(void)cJSON_AddItemToObject(object, "element", kt_element_print(symbol_element(symbol)));
	(void)kt_json_add_int(object, "elements", symbol->elements);
	(void)cJSON_AddBoolToObject(object, "constant", symbol->is_constant);
}

static kt_status symbol_or(struct kt_device_symbol *out, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *symbol = NULL;
	TRY(kt_json_object_or(&symbol, json, "symbol", r->err));
	if (symbol == NULL)
		return KT_OK;
	TRY(kt_json_string(&out->name, r->arena, symbol, "name", r->err));
	TRY(kt_element_read(&out->element, r->arena, cJSON_GetObjectItemCaseSensitive(symbol, "element"), r->err));
	TRY(kt_json_int(&out->elements, symbol, "elements", r->err));
	if (out->elements < 0)
		return kt_fail(r->err, KT_ERR_INVALID, "symbol %s has %lld elements", out->name, (long long)out->elements);
	return kt_json_bool_or(&out->is_constant, symbol, "constant", false, r->err);
}

static void symbol_hash(struct kt_hash *hash, const struct kt_device_symbol *symbol)
{
	const struct kt_element *element = symbol_element(symbol);

	kt_hash_field(hash, "symbol", symbol->name);
	kt_hash_int(hash, "element", kt_element_scalar(element));
	for (size_t i = 0; kt_element_scalar(element) == KT_SCALAR_NONE && i < element->number_count; i++) {
		kt_hash_int(hash, "number", element->numbers[i].scalar);
		kt_hash_int(hash, "offset", element->numbers[i].offset);
	}
	kt_hash_int(hash, "elements", symbol->elements);
	kt_hash_int(hash, "constant", symbol->is_constant);
}

static void bounds_print(cJSON *fill, const struct kt_fill *is, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	kt_print_text(fill, "kind", kt_fill_names[is->kind]);
	(void)cJSON_AddNumberToObject(fill, "a", is->a);
	(void)cJSON_AddNumberToObject(fill, "b", is->b);
	cJSON *numbers = is->count > 0 ? cJSON_AddArrayToObject(fill, "numbers") : NULL;
	for (size_t i = 0; i < is->count; i++)
		(void)cJSON_AddItemToArray(numbers, cJSON_CreateNumber(kt_fill_number(is, i)));
	for (size_t e = 0; e < COUNT(bound_names); e++)
		if (bounds[e].expr != NULL)
			kt_print_expr(fill, bound_names[e], &bounds[e]);
}

static void members_print(cJSON *fill, const struct kt_buffer *b)
{
	cJSON *members = b->member_count > 0 ? cJSON_AddArrayToObject(fill, "members") : NULL;
	for (size_t i = 0; i < b->member_count; i++) {
		cJSON *object = kt_json_append(members);
		kt_print_text(object, "name", b->members[i].member);
		bounds_print(object, &b->members[i].fill, b->members[i].bounds);
	}
}

static void file_print(cJSON *buffer, const struct kt_data_file *file)
{
	cJSON *object = cJSON_AddObjectToObject(buffer, "file");
	kt_print_text(object, "text", file->text);
	kt_print_text(object, "path", file->path);
	kt_print_text(object, "hash", file->hash);
	(void)kt_json_add_int(object, "count", file->count);
}

static kt_status file_or(struct kt_data_file *out, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *file = NULL;
	TRY(kt_json_object_or(&file, json, "file", r->err));
	if (file == NULL)
		return KT_OK;
	TRY(kt_json_string(&out->text, r->arena, file, "text", r->err));
	TRY(kt_json_string(&out->path, r->arena, file, "path", r->err));
	TRY(kt_json_string(&out->hash, r->arena, file, "hash", r->err));
	return kt_json_int(&out->count, file, "count", r->err);
}

static void fill_print(cJSON *object, const struct kt_buffer *b)
{
	if (b->like != NULL)
		kt_print_text(object, "like", b->like);
	if (b->file.text != NULL)
		file_print(object, &b->file);
	cJSON *fill = cJSON_AddObjectToObject(object, "fill");
	bounds_print(fill, &b->fill, b->bounds);
	members_print(fill, b);
	if (b->when.expr == NULL || b->otherwise == NULL)
		return;
	kt_print_expr(object, "when", &b->when);
	fill_print(cJSON_AddObjectToObject(object, "otherwise"), b->otherwise);
}

static void buffer_print(cJSON *json, const struct kt_region *r)
{
	cJSON *buffers = cJSON_AddArrayToObject(json, "buffers");
	for (size_t i = 0; i < r->buffer_count; i++) {
		const struct kt_buffer *b = &r->buffers[i];
		cJSON *object = kt_json_append(buffers);
		kt_print_text(object, "name", b->name);
		(void)kt_json_add_int(object, "argument", b->argument);
		if (b->symbol.name != NULL)
			symbol_print(object, &b->symbol);
		kt_print_text(object, "direction", directions[b->direction]);
		(void)cJSON_AddBoolToObject(object, "scratch", b->scratch);
		kt_print_expr(object, "count", &b->count);
		if (b->type != NULL)
			kt_print_text(object, "type", b->type);
		fill_print(object, b);
		(void)cJSON_AddNumberToObject(object, "absolute", b->absolute);
		(void)cJSON_AddNumberToObject(object, "relative", b->relative);
	}
}

static kt_status numbers_read(struct kt_fill *out, const cJSON *fill, struct kt_region_reader *r)
{
	const cJSON *numbers = NULL;
	TRY(kt_json_array_or(&numbers, fill, "numbers", r->err));
	out->count = numbers != NULL ? (size_t)cJSON_GetArraySize(numbers) : 0;
	if (out->count > KT_FILL_NUMBERS || (out->kind == KT_FILL_CHOICE) != (out->count > 0))
		return kt_fail(r->err, KT_ERR_INVALID, "a fill '%s' of %zu numbers", kt_fill_names[out->kind], out->count);
	for (size_t i = 0; i < out->count; i++)
		kt_fill_set(out, i, cJSON_GetNumberValue(cJSON_GetArrayItem(numbers, (int)i)));
	return KT_OK;
}

static kt_status bounds_read(struct kt_fill *out, struct kt_clause_expr bounds[KT_FILL_NUMBERS], const cJSON *fill,
                             struct kt_region_reader *r)
{
	int kind = 0;
	TRY(kt_member_word_or(&kind, fill, "kind", kt_fill_names, KT_FILL_CLAUSES, r));
	out->kind = (enum kt_fill_kind)kind;
	TRY(kt_json_double_or(&out->a, fill, "a", 0, r->err));
	TRY(kt_json_double_or(&out->b, fill, "b", 0, r->err));
	TRY(numbers_read(out, fill, r));
	for (size_t e = 0; e < COUNT(bound_names); e++)
		TRY(kt_member_expr_or(&bounds[e], fill, bound_names[e], r));
	return KT_OK;
}

static kt_status member_fill_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_member_fill *m = out;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&m->member, r->arena, json, "name", r->err));
	return bounds_read(&m->fill, m->bounds, json, r);
}

static kt_status fill_or(struct kt_buffer *b, const cJSON *json, struct kt_region_reader *r)
{
	const cJSON *fill = NULL;
	TRY(kt_json_object_or(&fill, json, "fill", r->err));
	if (fill == NULL)
		return KT_OK;
	TRY(bounds_read(&b->fill, b->bounds, fill, r));
	return kt_member_list(&b->members, &b->member_count, sizeof *b->members, fill, "members", member_fill_item, r);
}

/* Of one problem after the other; `depth`: how many clauses there are before this one. */
static kt_status whole_fill(struct kt_buffer *b, const cJSON *json, size_t depth, struct kt_region_reader *r)
{
	const cJSON *otherwise = NULL;
	TRY(kt_member_text_or(&b->like, json, "like", NULL, r));
	TRY(file_or(&b->file, json, r));
	TRY(fill_or(b, json, r));
	if ((b->fill.kind == KT_FILL_FILE) != (b->file.text != NULL))
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has the fill of a file, or a file, but not both", b->name);
	TRY(kt_member_expr_or(&b->when, json, "when", r));
	TRY(kt_json_object_or(&otherwise, json, "otherwise", r->err));
	if ((b->when.expr != NULL) != (otherwise != NULL) || depth >= KT_CLAUSE_ITEMS)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s is not filled on each problem", b->name);
	if (otherwise == NULL)
		return KT_OK;
	b->otherwise = kt_arena_alloc(r->arena, sizeof *b->otherwise);
	if (b->otherwise == NULL)
		return kt_member_no_memory(r);
	*b->otherwise = (struct kt_buffer){.name = b->name,       .argument = b->argument, .symbol = b->symbol,
	                                   .direction = b->direction, .count = b->count,     .type = b->type,
	                                   .absolute = -1,        .relative = -1};
	return whole_fill(b->otherwise, otherwise, depth + 1, r);
}

static kt_status buffer_item(void *out, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_buffer *b = out;
	int direction = 0;
	TRY(kt_member_object(json, r));
	TRY(kt_json_string(&b->name, r->arena, json, "name", r->err));
	TRY(kt_member_argument_or(&b->argument, json, r));
	TRY(symbol_or(&b->symbol, json, r));
	if (b->argument >= 0 && b->symbol.name != NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s is an argument and a symbol", b->name);
	TRY(kt_member_word_or(&direction, json, "direction", directions, COUNT(directions), r));
	if (direction == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has no direction", b->name);
	b->direction = (enum kt_direction)direction;
	TRY(kt_json_bool_or(&b->scratch, json, "scratch", b->direction == KT_SCRATCH, r->err));
	TRY(kt_member_expr_or(&b->count, json, "count", r));
	if (b->count.expr == NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has no count", b->name);
	TRY(kt_member_text_or(&b->type, json, "type", NULL, r));
	TRY(whole_fill(b, json, 0, r));
	TRY(kt_json_double_or(&b->absolute, json, "absolute", -1, r->err));
	return kt_json_double_or(&b->relative, json, "relative", -1, r->err);
}

static kt_status buffer_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_list(&g->buffers, &g->buffer_count, sizeof *g->buffers, json, "buffers", buffer_item, r);
}

static void hash_fill(struct kt_hash *hash, const struct kt_fill *fill, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	kt_hash_int(hash, "fill", fill->kind);
	hash_double(hash, "a", fill->a);
	hash_double(hash, "b", fill->b);
	for (size_t i = 0; i < fill->count; i++)
		hash_double(hash, "number", kt_fill_number(fill, i));
	for (size_t e = 0; e < COUNT(bound_names); e++)
		if (bounds[e].expr != NULL)
			hash_expr(hash, bound_names[e], &bounds[e]);
}

static void buffer_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)p;
	for (size_t i = 0; i < r->buffer_count; i++) {
		kt_hash_field(hash, "buffer", r->buffers[i].name);
		if (r->buffers[i].symbol.name != NULL)
			symbol_hash(hash, &r->buffers[i].symbol);
		kt_hash_int(hash, "direction", r->buffers[i].direction);
		hash_expr(hash, "count", &r->buffers[i].count);
		if (r->buffers[i].type != NULL)
			kt_hash_field(hash, "type", r->buffers[i].type);
		if (r->buffers[i].like != NULL)
			kt_hash_field(hash, "like", r->buffers[i].like);
		if (r->buffers[i].file.text != NULL)
			kt_hash_field(hash, "file", r->buffers[i].file.hash);
		hash_fill(hash, &r->buffers[i].fill, r->buffers[i].bounds);
		for (const struct kt_buffer *b = &r->buffers[i]; b->otherwise != NULL; b = b->otherwise) {
			hash_expr(hash, "when", &b->when);
			hash_fill(hash, &b->otherwise->fill, b->otherwise->bounds);
			if (b->otherwise->file.text != NULL)
				kt_hash_field(hash, "file", b->otherwise->file.hash);
		}
		for (size_t m = 0; m < r->buffers[i].member_count; m++) {
			kt_hash_field(hash, "member", r->buffers[i].members[m].member);
			hash_fill(hash, &r->buffers[i].members[m].fill, r->buffers[i].members[m].bounds);
		}
		hash_double(hash, "absolute", r->buffers[i].absolute);
		hash_double(hash, "relative", r->buffers[i].relative);
	}
}

/* ---- restriction, guard */

static void restriction_print(cJSON *json, const struct kt_region *r)
{
	kt_print_exprs(json, "restrictions", r->restrictions, r->restriction_count);
	cJSON *flags = cJSON_AddArrayToObject(json, "restriction_is_guard");
	for (size_t i = 0; i < r->restriction_count; i++)
		(void)cJSON_AddItemToArray(flags, cJSON_CreateBool(r->restriction_is_guard[i]));
}

static kt_status restriction_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	size_t flags = 0;
	TRY(kt_member_list(&g->restrictions, &g->restriction_count, sizeof *g->restrictions, json, "restrictions",
	                   kt_member_expr_item, r));
	TRY(kt_member_list(&g->restriction_is_guard, &flags, sizeof *g->restriction_is_guard, json, "restriction_is_guard",
	                   kt_member_bool_item, r));
	return flags == g->restriction_count
	           ? KT_OK : kt_fail(r->err, KT_ERR_INVALID, "restriction_is_guard does not fit restrictions");
}

static void restriction_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->restriction_count; i++)
		hash_expr(hash, "restriction", &p->restrictions[i]);
}

static void guard_print(cJSON *json, const struct kt_region *r)
{
	kt_print_exprs(json, "guards", r->guards, r->guard_count);
}

static kt_status guard_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_list(&g->guards, &g->guard_count, sizeof *g->guards, json, "guards", kt_member_expr_item, r);
}

static void guard_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->guard_count; i++)
		hash_expr(hash, "guard", &p->guards[i]);
}

/* ---- grid, global, block, local: of the record, where the clause is there */

static void grid_print(cJSON *json, const struct kt_region *r)
{
	kt_print_exprs(json, "grid", r->grid, r->grid_count);
}

static kt_status grid_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_extents_or(g->grid, &g->grid_count, json, "grid", r);
}

static void grid_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	for (size_t i = 0; i < p->grid_count; i++)
		hash_expr(hash, "grid", &r->grid[i]);
}

static void block_print(cJSON *json, const struct kt_region *r)
{
	kt_print_exprs(json, "block", r->block, r->block_count);
}

static kt_status block_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	return kt_member_extents_or(g->block, &g->block_count, json, "block", r);
}

static void block_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->block_count; i++)
		hash_expr(hash, "block", &p->block[i]);
}

/* ---- clauses that are one expression */

#define EXPRESSION(clause, member, usage) \
	static void clause##_print(cJSON *json, const struct kt_region *r) \
	{ \
		kt_print_expr(json, #member, &r->member); \
	} \
	static kt_status clause##_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r) \
	{ \
		return kt_member_expr_or(&g->member, json, #member, r); \
	} \
	static void clause##_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r) \
	{ \
		(void)r; \
		if (is_hashed(#clause, &p->member)) \
			hash_expr(hash, #clause, &p->member); \
	}
KT_CLAUSE_EXPRESSIONS(EXPRESSION)
#undef EXPRESSION

/* ---- budget: the length of a search does not define its result */

static void budget_print(cJSON *json, const struct kt_region *r)
{
	(void)cJSON_AddNumberToObject(json, "budget_seconds", r->budget_seconds);
	(void)kt_json_add_int(json, "budget_trials", r->budget_trials);
}

static kt_status budget_read(struct kt_region *g, const cJSON *json, struct kt_region_reader *r)
{
	TRY(kt_json_double_or(&g->budget_seconds, json, "budget_seconds", -1, r->err));
	return kt_json_int_or(&g->budget_trials, json, "budget_trials", -1, r->err);
}

static void no_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)hash;
	(void)p;
	(void)r;
}
#define budget_hash no_hash

/* ---- the table */

/*
 * What a launch region launches, and how, is part of the clauses' hash: two that differ in it compute different
 * things.
 */
static void hash_step(struct kt_hash *hash, const struct kt_region_step *step)
{
	kt_hash_field(hash, "step", step->kernel);
	for (size_t i = 0; i < step->argument_count; i++)
		kt_hash_int(hash, "argument", (int64_t)step->arguments[i]);
	for (size_t i = 0; i < step->grid_count; i++)
		hash_expr(hash, "grid", &step->grid[i]);
	for (size_t i = 0; i < step->block_count; i++)
		hash_expr(hash, "block", &step->block[i]);
	hash_expr(hash, "smem", &step->shared_bytes);
}

static const struct part parts[] = {
#define PART(id) [KT_PART_##id] = {id##_print, id##_read, id##_hash},
    KT_CLAUSE_PARTS(PART)
#undef PART
};

void kt_clauses_print(cJSON *json, const struct kt_region *region)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i].print(json, region);
}

kt_status kt_clauses_read(struct kt_region *region, const cJSON *json, struct kt_region_reader *r)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		TRY(parts[i].read(region, json, r));
	return KT_OK;
}

void kt_clauses_hash(struct kt_hash *hash, const struct kt_pragma *pragma, const struct kt_region *region)
{
	kt_hash_field(hash, "clauses", "1");
	for (size_t i = 0; i < COUNT(parts); i++)
		parts[i].hash(hash, pragma, region);
	for (size_t i = 0; i < region->step_count; i++)
		hash_step(hash, &region->steps[i]);
}
