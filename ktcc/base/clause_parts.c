/* One part a clause: its rows, from which the record is printed and read, and how it is hashed. The order is that of the hash. */
#include "base/clause_parts.h"

#include <math.h>
#include <string.h>

#include "base/region_print.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define REGION(kind, member) KT_MEMBER(kind, struct kt_region, member)

/* A part of the table. */
struct part {
	struct kt_members members; /* of struct kt_region */
	void (*hash)(struct kt_hash *hash, const struct kt_pragma *pragma, const struct kt_region *region);
};

/* Of fills, where they are expressions. */
static const char *const bound_names[KT_FILL_NUMBERS] = {
    "lower",   "upper",   "bound_2",  "bound_3",  "bound_4",  "bound_5",  "bound_6",  "bound_7",
    "bound_8", "bound_9", "bound_10", "bound_11", "bound_12", "bound_13", "bound_14", "bound_15"};
const char *const kt_direction_names[KT_DIRECTIONS] = {"", "in", "out", "inout", "scratch"};
static const char *const kinds[] = {"macro", "constant", "template"};
static const char *const generations[] = {"default", "off", "all", "list"};

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

/* problems: objects with one member a variable → row-major matrix. */
static kt_status read_problems(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *region = record;
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

static void print_problems(cJSON *json, const void *record, const struct kt_region *r)
{
	cJSON *problems = cJSON_AddArrayToObject(json, "problems");
	(void)record;
	for (size_t i = 0; i < r->problem_count; i++)
		kt_json_add_values(kt_json_append(problems), r->variables, &r->problems[i * r->variable_count],
		                   r->variable_count);
}

static kt_status check_bound(void *record, struct kt_region_reader *r)
{
	const struct kt_variable_bounds *bound = record;
	return bound->step < 0 || (bound->step > 0 && bound->least > bound->most)
	           ? kt_fail(r->err, KT_ERR_INVALID, "bounds that nothing is in")
	           : KT_OK;
}

static const struct kt_member bound_rows[] = {
    {KT_MEMBER(INT, struct kt_variable_bounds, least), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(INT, struct kt_variable_bounds, most), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(INT, struct kt_variable_bounds, step), .flags = KT_MEMBER_REQUIRED},
};
static const struct kt_members bounds_members = {KT_MEMBERS_OF(struct kt_variable_bounds, bound_rows), .check = check_bound};

static kt_status read_bounds(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = record;
	size_t count = 0;
	TRY(kt_members_list(&g->bounds, &count, json, "bounds", &bounds_members, r));
	return count == 0 || count == g->variable_count
	           ? KT_OK : kt_fail(r->err, KT_ERR_INVALID, "bounds do not fit variables");
}

static void print_bounds(cJSON *json, const void *record, const struct kt_region *r)
{
	(void)record;
	if (r->bounds != NULL)
		kt_print_list(json, "bounds", r->bounds, r->variable_count, &bounds_members, r);
}

static const struct kt_member_own problems_own = {read_problems, print_problems}, bounds_own = {read_bounds, print_bounds};
static const struct kt_member problem_rows[] = {
    {REGION(LIST, variables), KT_MEMBER_ITEMS(struct kt_region, variable_count, kt_members_text)},
    {.kind = KT_MEMBER_OWN, .own = &problems_own},
    {.kind = KT_MEMBER_OWN, .own = &bounds_own},
};

static void problem_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->variable_count; i++)
		kt_hash_field(hash, "variable", p->variables[i]);
	for (size_t i = 0; i < p->problem_count * p->variable_count; i++)
		kt_hash_int(hash, "problem", p->problems[i]);
}

/* ---- value */

static const struct kt_member value_item_rows[] = {
    {KT_MEMBER(TEXT, struct kt_value, name), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(ARGUMENT, struct kt_value, argument)},
    {KT_MEMBER(TEXT, struct kt_value, text), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(DOUBLE, struct kt_value, number)},
    {KT_MEMBER(BOOL, struct kt_value, integral)},
    {KT_MEMBER(INT, struct kt_value, integer)},
    {.name = "expression", .kind = KT_MEMBER_EXPR, .offset = offsetof(struct kt_value, expr), .flags = KT_MEMBER_SPARSE},
};
static const struct kt_members value_members = {KT_MEMBERS_OF(struct kt_value, value_item_rows)};
static const struct kt_member value_rows[] = {
    {REGION(LIST, values), KT_MEMBER_ITEMS(struct kt_region, value_count, value_members)},
};

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

static kt_status check_parameter(void *record, struct kt_region_reader *r)
{
	const struct kt_parameter *p = record;
	return p->kind == KT_PARAMETER_TEMPLATE && p->template_index >= r->region->template_count
	           ? kt_fail(r->err, KT_ERR_INVALID, "template_index of %s is out of range", p->name)
	           : KT_OK;
}

static const struct kt_member parameter_rows[] = {
    {KT_MEMBER(TEXT, struct kt_parameter, name), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(LIST, struct kt_parameter, values), KT_MEMBER_ITEMS(struct kt_parameter, value_count, kt_members_int)},
    {.name = "carrier", .kind = KT_MEMBER_WORD, .offset = offsetof(struct kt_parameter, kind), KT_MEMBER_WORDS(kinds)},
    {KT_MEMBER(INT, struct kt_parameter, original)},
    {KT_MEMBER(SIZE, struct kt_parameter, template_index)},
    {KT_MEMBER(TEXT, struct kt_parameter, fixed)},
};
static const struct kt_members parameter_members = {KT_MEMBERS_OF(struct kt_parameter, parameter_rows), .check = check_parameter};
static const struct kt_member tune_rows[] = {
    {REGION(LIST, parameters), KT_MEMBER_ITEMS(struct kt_region, parameter_count, parameter_members)},
};

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

static const struct kt_member auto_rows[] = {{REGION(WORD, generation), KT_MEMBER_WORDS(generations)}};

static void auto_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	for (size_t i = 0; i < p->strategy_count; i++)
		kt_hash_field(hash, "strategy", p->strategies[i]);
	kt_hash_int(hash, "generation", p->generation);
}

/* ---- specialize */

static void print_specialize(cJSON *json, const void *record, const struct kt_region *r)
{
	cJSON *special = cJSON_AddArrayToObject(json, "specialize");
	(void)record;
	for (size_t v = 0; v < r->variable_count; v++)
		(void)cJSON_AddItemToArray(special, cJSON_CreateBool(r->specialize != NULL && r->specialize[v]));
}

static kt_status read_specialize(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = record;
	size_t special = 0;
	TRY(kt_member_list(&g->specialize, &special, sizeof *g->specialize, json, "specialize", kt_member_bool_item, r));
	if (special != g->variable_count && special != 0)
		return kt_fail(r->err, KT_ERR_INVALID, "specialize does not fit variables");
	if (special == 0 && (g->specialize = kt_arena_array(r->arena, g->variable_count + 1, sizeof(bool))) == NULL)
		return kt_member_no_memory(r);
	return KT_OK;
}

static const struct kt_member_own specialize_own = {read_specialize, print_specialize};
static const struct kt_member specialize_rows[] = {{.kind = KT_MEMBER_OWN, .own = &specialize_own}};

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

static kt_status read_element(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_device_symbol *symbol = record;
	return kt_element_read(&symbol->element, r->arena, cJSON_GetObjectItemCaseSensitive(json, "element"), r->err);
}

static void print_element(cJSON *json, const void *record, const struct kt_region *r)
{
	(void)r;
	(void)cJSON_AddItemToObject(json, "element", kt_element_print(symbol_element(record)));
}

static kt_status check_symbol(void *record, struct kt_region_reader *r)
{
	const struct kt_device_symbol *symbol = record;
	return symbol->elements < 0 ? kt_fail(r->err, KT_ERR_INVALID, "symbol %s has %lld elements", symbol->name,
	                                      (long long)symbol->elements)
	                            : KT_OK;
}

static const struct kt_member_own element_own = {read_element, print_element};
static const struct kt_member symbol_rows[] = {
    {KT_MEMBER(TEXT, struct kt_device_symbol, name), .flags = KT_MEMBER_REQUIRED},
    {.kind = KT_MEMBER_OWN, .own = &element_own},
    {KT_MEMBER(INT, struct kt_device_symbol, elements), .flags = KT_MEMBER_REQUIRED},
    {.name = "constant", .kind = KT_MEMBER_BOOL, .offset = offsetof(struct kt_device_symbol, is_constant)},
};
static const struct kt_members symbol_members = {KT_MEMBERS_OF(struct kt_device_symbol, symbol_rows), .check = check_symbol};

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

static kt_status read_numbers(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_fill *out = record;
	const cJSON *numbers = NULL, *number = NULL;
	out->count = 0;
	TRY(kt_json_array_or(&numbers, json, "numbers", r->err));
	if (cJSON_GetArraySize(numbers) > KT_FILL_NUMBERS || (out->kind == KT_FILL_CHOICE) != (cJSON_GetArraySize(numbers) > 0))
		return kt_fail(r->err, KT_ERR_INVALID, "a fill '%s' of %d numbers", kt_fill_names[out->kind],
		               cJSON_GetArraySize(numbers));
	cJSON_ArrayForEach(number, numbers) {
		if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
			return kt_fail(r->err, KT_ERR_INVALID, "numbers: a finite number expected");
		kt_fill_set(out, out->count++, number->valuedouble);
	}
	return KT_OK;
}

static void print_numbers(cJSON *json, const void *record, const struct kt_region *region)
{
	const struct kt_fill *fill = record;
	(void)region;
	cJSON *numbers = fill->count > 0 ? cJSON_AddArrayToObject(json, "numbers") : NULL;
	for (size_t i = 0; i < fill->count; i++)
		(void)cJSON_AddItemToArray(numbers, cJSON_CreateNumber(kt_fill_number(fill, i)));
}

const struct kt_member_own kt_fill_numbers = {read_numbers, print_numbers};

static void bounds_print(cJSON *fill, const struct kt_fill *is, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	kt_print_text(fill, "kind", kt_fill_names[is->kind]);
	(void)cJSON_AddNumberToObject(fill, "a", is->a);
	(void)cJSON_AddNumberToObject(fill, "b", is->b);
	print_numbers(fill, is, NULL);
	for (size_t e = 0; e < COUNT(bound_names); e++)
		if (bounds[e].expr != NULL)
			kt_json_add_text(fill, bound_names[e], bounds[e].text);
}

static kt_status bounds_read(struct kt_fill *out, struct kt_clause_expr bounds[KT_FILL_NUMBERS], const cJSON *fill,
                             struct kt_region_reader *r)
{
	int kind = 0;
	TRY(kt_member_word_or(&kind, fill, "kind", kt_fill_names, KT_FILL_CLAUSES, r));
	out->kind = (enum kt_fill_kind)kind;
	TRY(kt_json_double_or(&out->a, fill, "a", 0, r->err));
	TRY(kt_json_double_or(&out->b, fill, "b", 0, r->err));
	TRY(read_numbers(out, fill, r));
	for (size_t e = 0; e < COUNT(bound_names); e++)
		TRY(kt_member_expr_or(&bounds[e], fill, bound_names[e], r));
	return KT_OK;
}

static kt_status read_fill_of_member(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_member_fill *m = record;
	return bounds_read(&m->fill, m->bounds, json, r);
}

static void print_fill_of_member(cJSON *json, const void *record, const struct kt_region *r)
{
	const struct kt_member_fill *m = record;
	(void)r;
	bounds_print(json, &m->fill, m->bounds);
}

static const struct kt_member_own member_fill_own = {read_fill_of_member, print_fill_of_member};
static const struct kt_member member_fill_rows[] = {
    {.name = "name", .kind = KT_MEMBER_TEXT, .offset = offsetof(struct kt_member_fill, member), .flags = KT_MEMBER_REQUIRED},
    {.kind = KT_MEMBER_OWN, .own = &member_fill_own},
};
static const struct kt_members member_fill_members = {KT_MEMBERS_OF(struct kt_member_fill, member_fill_rows)};

static kt_status read_whole_fill(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_buffer *b = record;
	return bounds_read(&b->fill, b->bounds, json, r);
}

static void print_whole_fill(cJSON *json, const void *record, const struct kt_region *r)
{
	const struct kt_buffer *b = record;
	(void)r;
	bounds_print(json, &b->fill, b->bounds);
}

#define BUFFER(kind, member) KT_MEMBER(kind, struct kt_buffer, member)
static const struct kt_member_own whole_fill_own = {read_whole_fill, print_whole_fill};
static const struct kt_member fill_rows[] = {
    {.kind = KT_MEMBER_OWN, .own = &whole_fill_own},
    {BUFFER(LIST, members), KT_MEMBER_ITEMS(struct kt_buffer, member_count, member_fill_members), .flags = KT_MEMBER_SPARSE},
};
static const struct kt_members fill_members = {KT_MEMBERS_OF(struct kt_buffer, fill_rows)};
static const struct kt_member file_rows[] = {
    {KT_MEMBER(TEXT, struct kt_data_file, text), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(TEXT, struct kt_data_file, path), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(TEXT, struct kt_data_file, hash), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(INT, struct kt_data_file, count), .flags = KT_MEMBER_REQUIRED},
};
static const struct kt_members file_members = {KT_MEMBERS_OF(struct kt_data_file, file_rows)};

static kt_status read_otherwise(void *record, const cJSON *json, struct kt_region_reader *r);
static void print_otherwise(cJSON *json, const void *record, const struct kt_region *r);
static const struct kt_member_own otherwise_own = {read_otherwise, print_otherwise};
/* How a buffer is filled: on all problems, or on those of `when`. */
#define WHOLE_FILL \
	{BUFFER(TEXT, like), .flags = KT_MEMBER_SPARSE}, {BUFFER(OBJECT, file), .item = &file_members}, \
	{.name = "fill", .kind = KT_MEMBER_OBJECT, .item = &fill_members}, \
	{BUFFER(EXPR, when), .flags = KT_MEMBER_SPARSE}, {.kind = KT_MEMBER_OWN, .own = &otherwise_own}

static kt_status check_fill(void *record, struct kt_region_reader *r)
{
	const struct kt_buffer *b = record;
	if ((b->fill.kind == KT_FILL_FILE) != (b->file.text != NULL))
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has the fill of a file, or a file, but not both", b->name);
	if ((b->when.expr != NULL) != (b->otherwise != NULL))
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s is not filled on each problem", b->name);
	return KT_OK;
}

static const struct kt_member otherwise_rows[] = {WHOLE_FILL};
static const struct kt_members otherwise_members = {KT_MEMBERS_OF(struct kt_buffer, otherwise_rows), .check = check_fill};

/* Of one problem after the other. */
static kt_status read_otherwise(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_buffer *b = record;
	const cJSON *otherwise = NULL;
	TRY(kt_json_object_or(&otherwise, json, "otherwise", r->err));
	if (otherwise == NULL)
		return KT_OK;
	if (++r->depth >= KT_CLAUSE_ITEMS)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s is not filled on each problem", b->name);
	NEED(b->otherwise = kt_arena_alloc(r->arena, sizeof *b->otherwise), kt_member_no_memory(r));
	*b->otherwise = (struct kt_buffer){.name = b->name,       .argument = b->argument, .symbol = b->symbol,
	                                   .direction = b->direction, .count = b->count,     .type = b->type,
	                                   .absolute = -1,        .relative = -1};
	TRY(kt_members_read(b->otherwise, otherwise, &otherwise_members, r));
	r->depth--;
	return KT_OK;
}

static void print_otherwise(cJSON *json, const void *record, const struct kt_region *r)
{
	const struct kt_buffer *b = record;
	if (b->otherwise != NULL)
		kt_print_members(cJSON_AddObjectToObject(json, "otherwise"), b->otherwise, &otherwise_members, r);
}

static kt_status read_direction(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_buffer *b = record;
	int direction = 0;
	TRY(kt_member_word_or(&direction, json, "direction", kt_direction_names, COUNT(kt_direction_names), r));
	if (direction == 0)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has no direction", b->name);
	b->direction = (enum kt_direction)direction;
	return kt_json_bool_or(&b->scratch, json, "scratch", b->direction == KT_SCRATCH, r->err);
}

static void print_direction(cJSON *json, const void *record, const struct kt_region *r)
{
	const struct kt_buffer *b = record;
	(void)r;
	kt_print_text(json, "direction", kt_direction_names[b->direction]);
	(void)cJSON_AddBoolToObject(json, "scratch", b->scratch);
}

static kt_status check_buffer(void *record, struct kt_region_reader *r)
{
	const struct kt_buffer *b = record;
	if (b->argument >= 0 && b->symbol.name != NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s is an argument and a symbol", b->name);
	if (b->count.expr == NULL)
		return kt_fail(r->err, KT_ERR_INVALID, "buffer %s has no count", b->name);
	return check_fill(record, r);
}

static const struct kt_member_own direction_own = {read_direction, print_direction};
static const struct kt_member buffer_item_rows[] = {
    {BUFFER(TEXT, name), .flags = KT_MEMBER_REQUIRED},
    {BUFFER(ARGUMENT, argument)},
    {BUFFER(OBJECT, symbol), .item = &symbol_members},
    {.kind = KT_MEMBER_OWN, .own = &direction_own},
    {BUFFER(EXPR, count)},
    {BUFFER(TEXT, type), .flags = KT_MEMBER_SPARSE},
    WHOLE_FILL,
    {BUFFER(DOUBLE, absolute), .absent = -1},
    {BUFFER(DOUBLE, relative), .absent = -1},
};
static const struct kt_members buffer_members = {KT_MEMBERS_OF(struct kt_buffer, buffer_item_rows), .check = check_buffer};
static const struct kt_member buffer_rows[] = {
    {REGION(LIST, buffers), KT_MEMBER_ITEMS(struct kt_region, buffer_count, buffer_members)},
};

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

static void print_flags(cJSON *json, const void *record, const struct kt_region *r)
{
	(void)record;
	cJSON *flags = cJSON_AddArrayToObject(json, "restriction_is_guard");
	for (size_t i = 0; i < r->restriction_count; i++)
		(void)cJSON_AddItemToArray(flags, cJSON_CreateBool(r->restriction_is_guard[i]));
}

static kt_status read_flags(void *record, const cJSON *json, struct kt_region_reader *r)
{
	struct kt_region *g = record;
	size_t flags = 0;
	TRY(kt_member_list(&g->restriction_is_guard, &flags, sizeof *g->restriction_is_guard, json, "restriction_is_guard",
	                   kt_member_bool_item, r));
	return flags == g->restriction_count
	           ? KT_OK : kt_fail(r->err, KT_ERR_INVALID, "restriction_is_guard does not fit restrictions");
}

static const struct kt_member_own flags_own = {read_flags, print_flags};
static const struct kt_member restriction_rows[] = {
    {REGION(LIST, restrictions), KT_MEMBER_ITEMS(struct kt_region, restriction_count, kt_members_expr)},
    {.kind = KT_MEMBER_OWN, .own = &flags_own},
};
static const struct kt_member guard_rows[] = {
    {REGION(LIST, guards), KT_MEMBER_ITEMS(struct kt_region, guard_count, kt_members_expr)},
};

static void hash_exprs(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		hash_expr(hash, tag, &all[i]);
}

static void restriction_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	hash_exprs(hash, "restriction", p->restrictions, p->restriction_count);
}

static void guard_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	hash_exprs(hash, "guard", p->guards, p->guard_count);
}

/* ---- grid, global, block, local: of the record, where the clause is there */

static const struct kt_member grid_rows[] = {{REGION(EXTENTS, grid), .count = offsetof(struct kt_region, grid_count)}};
static const struct kt_member block_rows[] = {{REGION(EXTENTS, block), .count = offsetof(struct kt_region, block_count)}};

static void grid_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	hash_exprs(hash, "grid", r->grid, p->grid_count);
}

static void block_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	hash_exprs(hash, "block", p->block, p->block_count);
}

/* ---- clauses that are one expression */

#define EXPRESSION(clause, member, usage) \
	static const struct kt_member clause##_rows[] = {{REGION(EXPR, member)}}; \
	static void clause##_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r) \
	{ \
		(void)r; \
		if (is_hashed(#clause, &p->member)) \
			hash_expr(hash, #clause, &p->member); \
	}
KT_CLAUSE_EXPRESSIONS(EXPRESSION)
#undef EXPRESSION

/* ---- budget: the length of a search does not define its result */

static const struct kt_member budget_rows[] = {
    {REGION(DOUBLE, budget_seconds), .absent = -1},
    {REGION(INT, budget_trials), .absent = -1},
};

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
	hash_exprs(hash, "grid", step->grid, step->grid_count);
	hash_exprs(hash, "block", step->block, step->block_count);
	hash_expr(hash, "smem", &step->shared_bytes);
}

static const struct part parts[] = {
#define PART(id) [KT_PART_##id] = {{KT_MEMBERS_OF(struct kt_region, id##_rows)}, id##_hash},
    KT_CLAUSE_PARTS(PART)
#undef PART
};

void kt_clauses_print(cJSON *json, const struct kt_region *region)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		kt_print_members(json, region, &parts[i].members, region);
}

kt_status kt_clauses_read(struct kt_region *region, const cJSON *json, struct kt_region_reader *r)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		TRY(kt_members_read(region, json, &parts[i].members, r));
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
