/* One part a clause: its rows, from which the record is printed and read, and how it is hashed. The order is that of the hash. */
#include "base/clause_parts.h"

#include <string.h>

#include "base/member.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define REGION(kind, member) KT_MEMBER(kind, struct kt_region, member)

/* A part of the table. */
struct part {
	struct kt_members members; /* of struct kt_region */
	void (*hash)(struct kt_hash *hash, const struct kt_pragma *pragma, const struct kt_region *region);
};

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

void kt_clause_hash_expr(struct kt_hash *hash, const char *tag, const struct kt_clause_expr *clause)
{
	struct kt_buf text = KT_BUF(KT_LIMIT_LINE_BYTES);
	if (clause->expr != NULL)
		kt_expr_canonical(&text, clause->expr);
	kt_hash_field(hash, tag, clause->expr != NULL ? kt_buf_text(&text) : NULL);
	kt_buf_free(&text);
}

void kt_clause_hash_double(struct kt_hash *hash, const char *tag, double value)
{
	char text[64];
	struct kt_buf buf = KT_BUF(sizeof text);
	kt_buf_addf(&buf, "%a", value);
	kt_hash_field(hash, tag, kt_buf_text(&buf));
	kt_buf_free(&buf);
}

/* ---- problem */

/* problems: objects with one member a variable → row-major matrix. */
static kt_status read_row(int64_t *out, struct kt_region *region, struct kt_member_reader *r)
{
	const struct kt_json_place *row = r->at;
	kt_status status = cJSON_IsObject(row->json) ? KT_OK : kt_member_bad(r, "an object expected");
	for (size_t v = 0; v < region->variable_count && status == KT_OK; v++) {
		const struct kt_json_place here = kt_json_member(row, region->variables[v]);
		r->at = &here;
		status = kt_member_integer(&out[v], INT64_MIN, INT64_MAX, r);
	}
	r->at = row;
	return status;
}

static kt_status read_problems(void *record, struct kt_member_reader *r)
{
	struct kt_region *region = record;
	const struct kt_json_place *object = r->at, array = kt_json_member(object, "problems");
	size_t count = (size_t)cJSON_GetArraySize(array.json);
	kt_status status = KT_OK;
	if (array.json != NULL && !cJSON_IsArray(array.json))
		return kt_json_bad(r->err, &array, "an array expected");
	if (count > KT_PROBLEMS || region->variable_count > KT_PROBLEM_VARIABLES)
		return kt_member_bad(r, "too many problems");
	NEED(region->problems = kt_arena_array(r->arena, count * region->variable_count + 1, sizeof *region->problems),
	     kt_no_memory(r->err));
	for (const cJSON *row = array.json != NULL ? array.json->child : NULL; row != NULL && status == KT_OK; row = row->next) {
		const struct kt_json_place here = {&array, NULL, region->problem_count, row};
		r->at = &here;
		status = read_row(&region->problems[region->problem_count++ * region->variable_count], region, r);
	}
	r->at = object;
	return status;
}

static void print_problems(const void *record, struct kt_member_printer *p)
{
	const struct kt_region *r = record;
	cJSON *problems = cJSON_AddArrayToObject(p->to, "problems");
	for (size_t i = 0; i < r->problem_count; i++)
		kt_json_add_values(kt_json_append(problems), r->variables, &r->problems[i * r->variable_count],
		                   r->variable_count);
}

static kt_status check_bound(void *record, struct kt_member_reader *r)
{
	const struct kt_variable_bounds *bound = record;
	return bound->step < 0 || (bound->step > 0 && bound->least > bound->most)
	           ? kt_member_bad(r, "bounds that nothing is in")
	           : KT_OK;
}

static const struct kt_member bound_rows[] = {
    {KT_MEMBER(INT, struct kt_variable_bounds, least), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(INT, struct kt_variable_bounds, most), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(INT, struct kt_variable_bounds, step), .flags = KT_MEMBER_REQUIRED},
};
static const struct kt_members bounds_members = {KT_MEMBERS_OF(struct kt_variable_bounds, bound_rows), .check = check_bound};

static kt_status read_bounds(void *record, struct kt_member_reader *r)
{
	struct kt_region *g = record;
	size_t count = 0;
	TRY(kt_members_list(&g->bounds, &count, "bounds", &bounds_members, r));
	return count == 0 || count == g->variable_count
	           ? KT_OK : kt_member_bad(r, "bounds do not fit variables");
}

static void print_bounds(const void *record, struct kt_member_printer *p)
{
	const struct kt_region *r = record;
	if (r->bounds != NULL)
		kt_print_list(p->to, "bounds", r->bounds, r->variable_count, &bounds_members, r);
}

static const struct kt_member_own problems_own = {.read = read_problems, .print = print_problems},
                                  bounds_own = {.read = read_bounds, .print = print_bounds};
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
    {KT_MEMBER(BOOL, struct kt_value, assumed), .flags = KT_MEMBER_SPARSE},
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
		kt_clause_hash_double(hash, "number", p->values[i].number);
		if (p->values[i].expr.expr != NULL)
			kt_clause_hash_expr(hash, "expression", &p->values[i].expr);
	}
}

/* ---- tune */

static kt_status check_parameter(void *record, struct kt_member_reader *r)
{
	const struct kt_parameter *p = record;
	return p->kind == KT_PARAMETER_TEMPLATE && p->template_index >= r->region->template_count
	           ? kt_member_bad(r, "template_index of %s is out of range", p->name)
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

static void print_specialize(const void *record, struct kt_member_printer *p)
{
	const struct kt_region *r = record;
	cJSON *special = cJSON_AddArrayToObject(p->to, "specialize");
	for (size_t v = 0; v < r->variable_count; v++)
		(void)cJSON_AddItemToArray(special, cJSON_CreateBool(r->specialize != NULL && r->specialize[v]));
}

static kt_status read_specialize(void *record, struct kt_member_reader *r)
{
	struct kt_region *g = record;
	size_t special = 0;
	TRY(kt_members_list(&g->specialize, &special, "specialize", &kt_members_bool, r));
	if (special != g->variable_count && special != 0)
		return kt_member_bad(r, "specialize does not fit variables");
	if (special == 0 && (g->specialize = kt_arena_array(r->arena, g->variable_count + 1, sizeof(bool))) == NULL)
		return kt_no_memory(r->err);
	return KT_OK;
}

static const struct kt_member_own specialize_own = {.read = read_specialize, .print = print_specialize};
static const struct kt_member specialize_rows[] = {{.kind = KT_MEMBER_OWN, .own = &specialize_own}};

static void specialize_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)r;
	kt_hash_int(hash, "specialize_off", p->specialize_off);
	for (size_t i = 0; i < p->specialize_count; i++)
		kt_hash_field(hash, "specialize", p->specialize[i]);
}

/* ---- in, out, inout, scratch, tolerance: clause_buffers.c */

static const struct kt_member buffer_rows[] = {
    {REGION(LIST, buffers), KT_MEMBER_ITEMS(struct kt_region, buffer_count, kt_clause_buffers)},
};

static void buffer_hash(struct kt_hash *hash, const struct kt_pragma *p, const struct kt_region *r)
{
	(void)p;
	for (size_t i = 0; i < r->buffer_count; i++)
		kt_clause_hash_buffer(hash, &r->buffers[i]);
}

/* ---- restriction, guard */

static void print_flags(const void *record, struct kt_member_printer *p)
{
	const struct kt_region *r = record;
	kt_print_list(p->to, "restriction_is_guard", r->restriction_is_guard, r->restriction_count, &kt_members_bool, r);
}

static kt_status read_flags(void *record, struct kt_member_reader *r)
{
	struct kt_region *g = record;
	size_t flags = 0;
	TRY(kt_members_list(&g->restriction_is_guard, &flags, "restriction_is_guard", &kt_members_bool, r));
	return flags == g->restriction_count
	           ? KT_OK : kt_member_bad(r, "restriction_is_guard does not fit restrictions");
}

static const struct kt_member_own flags_own = {.read = read_flags, .print = print_flags};
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
		kt_clause_hash_expr(hash, tag, &all[i]);
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
			kt_clause_hash_expr(hash, #clause, &p->member); \
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
	kt_clause_hash_expr(hash, "smem", &step->shared_bytes);
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

kt_status kt_clauses_read(struct kt_region *region, struct kt_member_reader *r)
{
	for (size_t i = 0; i < COUNT(parts); i++)
		TRY(kt_members_read(region, &parts[i].members, r));
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
