/* The part of clauses that is about buffers (clause_parts.h): what they are, how they are filled and compared. */
#include <assert.h>
#include <math.h>

#include "base/clause_parts.h"
#include "base/member.h"

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

const char *const kt_direction_names[KT_DIRECTIONS] = {"", "in", "out", "inout", "scratch"};

static kt_status check_symbol(void *record, struct kt_member_reader *r)
{
	const struct kt_device_symbol *symbol = record;
	return symbol->elements < 0 ? kt_member_bad(r, "symbol %s has %lld elements", symbol->name,
	                                      (long long)symbol->elements)
	                            : KT_OK;
}

static const struct kt_member symbol_rows[] = {
    {KT_MEMBER(TEXT, struct kt_device_symbol, name), .flags = KT_MEMBER_REQUIRED},
    {KT_MEMBER(ELEMENT, struct kt_device_symbol, element)},
    {KT_MEMBER(INT, struct kt_device_symbol, elements), .flags = KT_MEMBER_REQUIRED},
    {.name = "constant", .kind = KT_MEMBER_BOOL, .offset = offsetof(struct kt_device_symbol, is_constant)},
};
static const struct kt_members symbol_members = {KT_MEMBERS_OF(struct kt_device_symbol, symbol_rows), .check = check_symbol};

static void symbol_hash(struct kt_hash *hash, const struct kt_device_symbol *symbol)
{
	const struct kt_element *element = symbol->element != NULL ? symbol->element : kt_element_of(KT_SCALAR_NONE);

	kt_hash_field(hash, "symbol", symbol->name);
	kt_hash_int(hash, "element", kt_element_scalar(element));
	for (size_t i = 0; kt_element_scalar(element) == KT_SCALAR_NONE && i < element->number_count; i++) {
		kt_hash_int(hash, "number", element->numbers[i].scalar);
		kt_hash_int(hash, "offset", element->numbers[i].offset);
	}
	kt_hash_int(hash, "elements", symbol->elements);
	kt_hash_int(hash, "constant", symbol->is_constant);
}

static kt_status read_numbers(void *record, struct kt_member_reader *r)
{
	struct kt_fill *out = record;
	const cJSON *numbers = NULL, *number = NULL;
	out->count = 0;
	TRY(kt_json_array_or(&numbers, r->at->json, "numbers", r->err));
	if (cJSON_GetArraySize(numbers) > KT_FILL_NUMBERS || (out->kind == KT_FILL_CHOICE) != (cJSON_GetArraySize(numbers) > 0))
		return kt_member_bad(r, "a fill '%s' of %d numbers", kt_fill_names[out->kind],
		               cJSON_GetArraySize(numbers));
	cJSON_ArrayForEach(number, numbers) {
		if (!cJSON_IsNumber(number) || !isfinite(number->valuedouble))
			return kt_member_bad(r, "numbers: a finite number expected");
		kt_fill_set(out, out->count++, number->valuedouble);
	}
	return KT_OK;
}

static void print_numbers(const void *record, struct kt_member_printer *p)
{
	const struct kt_fill *fill = record;
	cJSON *numbers = fill->count > 0 ? cJSON_AddArrayToObject(p->to, "numbers") : NULL;
	for (size_t i = 0; i < fill->count; i++)
		(void)cJSON_AddItemToArray(numbers, cJSON_CreateNumber(kt_fill_number(fill, i)));
}

const struct kt_member_own kt_fill_numbers = {.read = read_numbers, .print = print_numbers};

#define FILL(kind, member) KT_MEMBER(kind, struct kt_fill, member)
static const struct kt_member kind_rows[] = {
    {FILL(WORD, kind), .words = kt_fill_names, .word_count = KT_FILL_CLAUSES},
    {FILL(DOUBLE, a)},
    {FILL(DOUBLE, b)},
    {.kind = KT_MEMBER_OWN, .own = &kt_fill_numbers},
};
static const struct kt_members fill_kind = {KT_MEMBERS_OF(struct kt_fill, kind_rows)};

/* Numbers of a fill that are expressions. */
#define BOUND(name_, index) \
	{.name = name_, .kind = KT_MEMBER_EXPR, .flags = KT_MEMBER_SPARSE, .offset = (index) * sizeof(struct kt_clause_expr)}
static const struct kt_member bound_rows[] = {
    BOUND("lower", 0),    BOUND("upper", 1),    BOUND("bound_2", 2),   BOUND("bound_3", 3),
    BOUND("bound_4", 4),  BOUND("bound_5", 5),  BOUND("bound_6", 6),   BOUND("bound_7", 7),
    BOUND("bound_8", 8),  BOUND("bound_9", 9),  BOUND("bound_10", 10), BOUND("bound_11", 11),
    BOUND("bound_12", 12), BOUND("bound_13", 13), BOUND("bound_14", 14), BOUND("bound_15", 15),
};
static_assert(COUNT(bound_rows) == KT_FILL_NUMBERS, "each number may be an expression");
static const struct kt_members fill_bounds = {KT_MEMBERS_OF(struct kt_clause_expr[KT_FILL_NUMBERS], bound_rows)};
/* Both in the object of what has the fill. */
#define FILL_OF(type) \
	{.kind = KT_MEMBER_OBJECT, .offset = offsetof(type, fill), .item = &fill_kind}, \
	{.kind = KT_MEMBER_OBJECT, .offset = offsetof(type, bounds), .item = &fill_bounds}

static const struct kt_member member_fill_rows[] = {
    {.name = "name", .kind = KT_MEMBER_TEXT, .offset = offsetof(struct kt_member_fill, member), .flags = KT_MEMBER_REQUIRED},
    FILL_OF(struct kt_member_fill),
};
static const struct kt_members member_fill_members = {KT_MEMBERS_OF(struct kt_member_fill, member_fill_rows)};

#define BUFFER(kind, member) KT_MEMBER(kind, struct kt_buffer, member)
static const struct kt_member fill_rows[] = {
    FILL_OF(struct kt_buffer),
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

static kt_status read_otherwise(void *record, struct kt_member_reader *r);
static void print_otherwise(const void *record, struct kt_member_printer *p);
static const struct kt_member_own otherwise_own = {.read = read_otherwise, .print = print_otherwise};
/* How a buffer is filled: on all problems, or on those of `when`. */
#define WHOLE_FILL \
	{BUFFER(TEXT, like), .flags = KT_MEMBER_SPARSE}, {BUFFER(OBJECT, file), .item = &file_members, .flags = KT_MEMBER_SPARSE}, \
	{.name = "fill", .kind = KT_MEMBER_OBJECT, .item = &fill_members}, \
	{BUFFER(EXPR, when), .flags = KT_MEMBER_SPARSE}, {.name = "otherwise", .kind = KT_MEMBER_OWN, .own = &otherwise_own}

static kt_status check_fill(void *record, struct kt_member_reader *r)
{
	const struct kt_buffer *b = record;
	if ((b->fill.kind == KT_FILL_FILE) != (b->file.text != NULL))
		return kt_member_bad(r, "buffer %s has the fill of a file, or a file, but not both", b->name);
	if ((b->when.expr != NULL) != (b->otherwise != NULL))
		return kt_member_bad(r, "buffer %s is not filled on each problem", b->name);
	return KT_OK;
}

static const struct kt_member otherwise_rows[] = {WHOLE_FILL};
static const struct kt_members otherwise_members = {KT_MEMBERS_OF(struct kt_buffer, otherwise_rows), .check = check_fill};

/* Of one problem after the other. */
static kt_status read_otherwise(void *record, struct kt_member_reader *r)
{
	struct kt_buffer *b = record;
	if (++r->depth >= KT_CLAUSE_ITEMS)
		return kt_member_bad(r, "buffer %s is not filled on each problem", b->name);
	NEED(b->otherwise = kt_arena_alloc(r->arena, sizeof *b->otherwise), kt_no_memory(r->err));
	*b->otherwise = (struct kt_buffer){.name = b->name,       .argument = b->argument, .symbol = b->symbol,
	                                   .direction = b->direction, .count = b->count,     .type = b->type,
	                                   .absolute = -1,        .relative = -1};
	TRY(kt_members_read(b->otherwise, &otherwise_members, r));
	r->depth--;
	return KT_OK;
}

static void print_otherwise(const void *record, struct kt_member_printer *p)
{
	const struct kt_buffer *b = record;
	if (b->otherwise != NULL)
		kt_print_members(cJSON_AddObjectToObject(p->to, p->name), b->otherwise, &otherwise_members, p->whole);
}

static kt_status check_buffer(void *record, struct kt_member_reader *r)
{
	struct kt_buffer *b = record;
	if (b->direction == 0)
		return kt_member_bad(r, "buffer %s has no direction", b->name);
	if (!cJSON_HasObjectItem(r->at->json, "scratch"))
		b->scratch = b->direction == KT_SCRATCH;
	if (b->argument >= 0 && b->symbol.name != NULL)
		return kt_member_bad(r, "buffer %s is an argument and a symbol", b->name);
	if (b->count.expr == NULL)
		return kt_member_bad(r, "buffer %s has no count", b->name);
	return check_fill(record, r);
}

static const struct kt_member buffer_item_rows[] = {
    {BUFFER(TEXT, name), .flags = KT_MEMBER_REQUIRED},
    {BUFFER(ARGUMENT, argument)},
    {BUFFER(OBJECT, symbol), .item = &symbol_members, .flags = KT_MEMBER_SPARSE},
    {BUFFER(WORD, direction), KT_MEMBER_WORDS(kt_direction_names)},
    {BUFFER(BOOL, scratch)},
    {BUFFER(EXPR, count)},
    {BUFFER(TEXT, type), .flags = KT_MEMBER_SPARSE},
    WHOLE_FILL,
    {BUFFER(DOUBLE, absolute), .absent = -1},
    {BUFFER(DOUBLE, relative), .absent = -1},
};
const struct kt_members kt_clause_buffers = {KT_MEMBERS_OF(struct kt_buffer, buffer_item_rows), .check = check_buffer};

static void hash_fill(struct kt_hash *hash, const struct kt_fill *fill, const struct kt_clause_expr bounds[KT_FILL_NUMBERS])
{
	kt_hash_int(hash, "fill", fill->kind);
	kt_clause_hash_double(hash, "a", fill->a);
	kt_clause_hash_double(hash, "b", fill->b);
	for (size_t i = 0; i < fill->count; i++)
		kt_clause_hash_double(hash, "number", kt_fill_number(fill, i));
	for (size_t e = 0; e < COUNT(bound_rows); e++)
		if (bounds[e].expr != NULL)
			kt_clause_hash_expr(hash, bound_rows[e].name, &bounds[e]);
}

void kt_clause_hash_buffer(struct kt_hash *hash, const struct kt_buffer *buffer)
{
	kt_hash_field(hash, "buffer", buffer->name);
	if (buffer->symbol.name != NULL)
		symbol_hash(hash, &buffer->symbol);
	kt_hash_int(hash, "direction", buffer->direction);
	kt_clause_hash_expr(hash, "count", &buffer->count);
	if (buffer->type != NULL)
		kt_hash_field(hash, "type", buffer->type);
	if (buffer->like != NULL)
		kt_hash_field(hash, "like", buffer->like);
	if (buffer->file.text != NULL)
		kt_hash_field(hash, "file", buffer->file.hash);
	hash_fill(hash, &buffer->fill, buffer->bounds);
	for (const struct kt_buffer *b = buffer; b->otherwise != NULL; b = b->otherwise) {
		kt_clause_hash_expr(hash, "when", &b->when);
		hash_fill(hash, &b->otherwise->fill, b->otherwise->bounds);
		if (b->otherwise->file.text != NULL)
			kt_hash_field(hash, "file", b->otherwise->file.hash);
	}
	for (size_t m = 0; m < buffer->member_count; m++) {
		kt_hash_field(hash, "member", buffer->members[m].member);
		hash_fill(hash, &buffer->members[m].fill, buffer->members[m].bounds);
	}
	kt_clause_hash_double(hash, "absolute", buffer->absolute);
	kt_clause_hash_double(hash, "relative", buffer->relative);
}
