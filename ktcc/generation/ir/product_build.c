/* Values and statements of a tile. */
#include "generation/ir/product_parts.h"

enum { ALIGN = 16, MOST_NEIGHBOURS = 4 };

const struct kt_ir_value *kt_ir_tile_number(const struct kt_ir_tile *k, int64_t n)
{
	return kt_ir_constant(k->module, k->word, n);
}

const struct kt_ir_value *kt_ir_tile_plus(const struct kt_ir_tile *k, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	return kt_ir_apply(k->module, KT_IR_ADD, a, b, NULL);
}

/* The value with a constant of its type. */
const struct kt_ir_value *kt_ir_tile_with(const struct kt_ir_tile *k, enum kt_ir_op op, const struct kt_ir_value *a, int64_t n)
{
	const bool is_same = n == (op == KT_IR_ADD ? 0 : 1) && op != KT_IR_REM;

	return a == NULL || is_same ? a : kt_ir_apply(k->module, op, a, kt_ir_constant(k->module, a->type, n), NULL);
}

const struct kt_ir_value *kt_ir_tile_as(const struct kt_ir_tile *k, const struct kt_ir_value *v, const struct kt_ir_type *type)
{
	return v == NULL ? NULL : kt_ir_convert(k->module, v, type, KT_IR_AS_VALUE);
}

int64_t kt_ir_tile_constant(const struct kt_ir_value *v)
{
	int64_t number = 0;

	(void)kt_ir_is_constant(v, &number);
	return number;
}

int64_t kt_ir_tile_extent(const struct kt_ir_tile *k, unsigned d)
{
	return k->shape->items[d] * k->shape->block[d];
}

int64_t kt_ir_tile_threads(const struct kt_ir_tile *k)
{
	return k->shape->block[0] * k->shape->block[1];
}

/* Where the thread's work item of that number is in the tile: groups of neighbours, which are one access to shared memory. */
const struct kt_ir_value *kt_ir_tile_offset(const struct kt_ir_tile *k, unsigned d, const struct kt_ir_value *item)
{
	const int64_t items = k->shape->items[d], near = items < MOST_NEIGHBOURS ? items : MOST_NEIGHBOURS;
	const struct kt_ir_value *group = kt_ir_tile_with(k, KT_IR_MUL, kt_ir_tile_with(k, KT_IR_DIV, item, near), near * k->shape->block[d]);

	if (near == 1)
		return kt_ir_tile_plus(k, group, k->thread[d]);
	return kt_ir_tile_plus(k, kt_ir_tile_plus(k, group, kt_ir_tile_with(k, KT_IR_MUL, k->thread[d], near)), kt_ir_tile_with(k, KT_IR_REM, item, near));
}

struct kt_ir_statement *kt_ir_tile_loop(const struct kt_ir_tile *k, struct kt_ir_region *to, const char *hint, int64_t count, int unroll)
{
	struct kt_ir_statement *made = kt_ir_for(k->module, to, hint, kt_ir_tile_number(k, 0), kt_ir_tile_number(k, count), kt_ir_tile_number(k, 1));

	if (made != NULL)
		made->unroll = unroll;
	return made;
}

struct kt_ir_symbol *kt_ir_tile_array(const struct kt_ir_tile *k, struct kt_ir_region *to, enum kt_ir_symbol_kind kind,
				  const struct kt_ir_type *type, int64_t count, const char *hint)
{
	struct kt_ir_symbol *made = kt_ir_symbol(k->module, kind, kt_ir_array(k->module, type, count), hint);

	if (made == NULL)
		return NULL;
	made->is_memory = true;
	made->align = kind == KT_IR_SHARED_SYMBOL ? ALIGN : 0;
	(void)kt_ir_declare(k->module, to, made);
	return made;
}

static const struct kt_ir_place *element(const struct kt_ir_tile *k, const struct kt_ir_symbol *of, const struct kt_ir_value *index)
{
	return kt_ir_index(k->module, kt_ir_place_of(k->module, of), index);
}

struct kt_ir_symbol *kt_ir_tile_load(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_symbol *of,
				 const struct kt_ir_value *index)
{
	return kt_ir_load(k->module, to, of->hint, element(k, of, index), (struct kt_ir_hint){KT_IR_CACHE_NONE, false, 0});
}

void kt_ir_tile_store(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_symbol *of,
		  const struct kt_ir_value *index, const struct kt_ir_value *value)
{
	(void)kt_ir_store(k->module, to, element(k, of, index), value, (struct kt_ir_hint){KT_IR_CACHE_NONE, false, 0});
}

void kt_ir_tile_barrier(const struct kt_ir_tile *k, struct kt_ir_region *to)
{
	struct kt_ir_statement *s = kt_ir_append(k->module, to, KT_IR_S_BARRIER);

	if (s != NULL)
		s->scope = KT_IR_BLOCK_SCOPE;
}

const struct kt_ir_value *kt_ir_tile_zero(const struct kt_ir_tile *k, const struct kt_ir_type *type)
{
	return type->kind == KT_IR_FLOAT ? kt_ir_real(k->module, type, 0) : kt_ir_constant(k->module, type, 0);
}

const struct kt_ir_value *kt_ir_tile_both(const struct kt_ir_tile *k, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	return a == NULL ? b : b == NULL ? a : kt_ir_apply(k->module, KT_IR_BOTH, a, b, NULL);
}

/* Whether an index of that dimension is within its bounds; NULL: it has none. */
const struct kt_ir_value *kt_ir_tile_within(const struct kt_ir_tile *k, struct kt_ir_region *to, unsigned d, const struct kt_ir_value *index)
{
	const struct kt_ir_product *p = k->product;
	const struct kt_ir_value *all = NULL;
	struct kt_ir_product_at at = {.index = {NULL, NULL}};

	at.index[d] = index;
	for (size_t i = 0; i < p->bound_count[d]; i++)
		all = kt_ir_tile_both(k, all, kt_ir_product_value(p, to, p->bounds[d][i], &at, false));
	return all;
}

struct kt_ir_region *kt_ir_tile_branch(const struct kt_ir_tile *k, struct kt_ir_region *to, const struct kt_ir_value *condition)
{
	struct kt_ir_statement *made = condition == NULL ? NULL : kt_ir_if(k->module, to, condition);

	return made == NULL ? to : &made->body;
}

const struct kt_ir_value *kt_ir_tile_let(const struct kt_ir_tile *k, struct kt_ir_region *to, const char *hint, const struct kt_ir_value *value)
{
	struct kt_ir_symbol *symbol = value == NULL ? NULL : kt_ir_let(k->module, to, hint, value);

	return symbol == NULL ? NULL : kt_ir_read(k->module, symbol);
}

/* Elements of shared memory from one iteration to the next one. */
int64_t kt_ir_tile_stride(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf)
{
	return kt_ir_tile_extent(k, leaf->dimension) + (leaf->is_along_loop ? k->shape->padding : 0);
}

int64_t kt_ir_tile_piece(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf)
{
	return k->shape->depth * kt_ir_tile_extent(k, leaf->dimension);
}

int64_t kt_ir_tile_share(const struct kt_ir_tile *k, const struct kt_ir_product_leaf *leaf)
{
	return (kt_ir_tile_piece(k, leaf) + kt_ir_tile_threads(k) - 1) / kt_ir_tile_threads(k);
}
