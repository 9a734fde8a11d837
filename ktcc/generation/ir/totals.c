/* Totals over the block as shuffles and one exchange through shared memory. */
#include "generation/ir/cooperate.h"
#include "generation/ir/walk.h"

enum { WARP = 32, DIRECT = 8 };

struct expansion {
	struct kt_ir_module *module;
	struct kt_ir_region *body; /* of the kernel */
	int64_t threads;
	size_t pair_count;
	struct pair {
		const struct kt_ir_type *type;
		struct kt_ir_symbol *arrays[2]; /* of a part for each warp; totals use them by turns */
		unsigned used;
	} *pairs;
};

static const struct kt_ir_value *number(struct kt_ir_module *m, int64_t value)
{
	return kt_ir_constant(m, kt_ir_integer(m, 32, true), value);
}

const struct kt_ir_value *kt_ir_total_step(struct kt_ir_module *m, unsigned total, const struct kt_ir_value *a,
					   const struct kt_ir_value *b)
{
	static const enum kt_ir_op ops[KT_IR_COLLECTIVES] = {[KT_IR_TOTAL_ADD] = KT_IR_ADD, [KT_IR_TOTAL_AND] = KT_IR_AND,
							     [KT_IR_TOTAL_OR] = KT_IR_OR, [KT_IR_TOTAL_XOR] = KT_IR_XOR};
	static const char *const names[2][3] = {{"fminf", "fmin", "min"}, {"fmaxf", "fmax", "max"}};
	const int column = a->type->kind != KT_IR_FLOAT ? 2 : a->type->bits == 64;

	if (ops[total] != 0)
		return kt_ir_apply(m, ops[total], a, b, NULL);
	return kt_ir_intrinsic(m, names[total == KT_IR_TOTAL_MAX][column], a->type, (const struct kt_ir_value *[]){a, b}, 2);
}

static bool is_no_total(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind != KT_IR_S_COLLECTIVE || s->number < KT_IR_TOTAL_ADD;
}

bool kt_ir_has_totals(const struct kt_ir_region *region)
{
	return !kt_ir_visit(region, is_no_total, NULL);
}

/* The array for the next total of that type: the one that the last total did not use. */
static struct kt_ir_symbol *array_for(struct expansion *e, const struct kt_ir_type *type)
{
	struct kt_ir_module *m = e->module;
	struct pair *pair = NULL;
	struct kt_ir_region one = {NULL, NULL};

	for (size_t i = 0; i < e->pair_count; i++)
		if (e->pairs[i].type == type)
			pair = &e->pairs[i];
	if (pair == NULL) {
		NEED(pair = kt_arena_push(m->arena, &e->pairs, &e->pair_count, sizeof *pair),
		     kt_ir_fail(m, "out of memory"));
		pair->type = type;
	}
	if (pair->arrays[pair->used % 2] == NULL) {
		struct kt_ir_symbol *made =
		    kt_ir_symbol(m, KT_IR_SHARED_SYMBOL, kt_ir_array(m, type, e->threads / WARP), "parts");

		if (made == NULL || kt_ir_declare(m, &one, made) == NULL)
			return NULL;
		(void)kt_ir_insert(e->body, NULL, &one);
		pair->arrays[pair->used % 2] = made;
	}
	return pair->arrays[pair->used++ % 2];
}

static void shuffle_down_to(struct kt_ir_module *m, struct kt_ir_region *to, struct kt_ir_symbol *local, unsigned total,
			    int64_t lanes)
{
	for (int64_t by = lanes / 2; by > 0 && !m->failed; by /= 2) {
		struct kt_ir_statement *s = kt_ir_append(m, to, KT_IR_S_COLLECTIVE);

		if (s == NULL)
			return;
		s->number = KT_IR_SHUFFLE_XOR;
		s->value = kt_ir_constant(m, kt_ir_integer(m, 32, false), 0xffffffff);
		s->further[0] = kt_ir_read(m, local);
		s->further[1] = number(m, by);
		s->further[2] = number(m, WARP);
		s->symbol = kt_ir_symbol(m, KT_IR_TEMPORARY, local->type, "other");
		if (s->symbol != NULL)
			(void)kt_ir_set(m, to, local,
					kt_ir_total_step(m, total, kt_ir_read(m, local), kt_ir_read(m, s->symbol)));
	}
}

static void barrier(struct kt_ir_module *m, struct kt_ir_region *to)
{
	struct kt_ir_statement *s = kt_ir_append(m, to, KT_IR_S_BARRIER);

	if (s != NULL)
		s->scope = KT_IR_BLOCK_SCOPE;
}

static const struct kt_ir_place *element(struct kt_ir_module *m, const struct kt_ir_symbol *array, const struct kt_ir_value *at)
{
	return kt_ir_index(m, kt_ir_place_of(m, array), at);
}

/* The parts of all warps together, in every thread. */
static void gather(struct kt_ir_module *m, struct kt_ir_region *to, struct kt_ir_symbol *local, const struct kt_ir_symbol *array,
		   unsigned total, int64_t warps)
{
	const struct kt_ir_hint plain = {.is_volatile = false};
	const struct kt_ir_value *thread = kt_ir_axis(m, KT_IR_THREAD, 0);
	struct kt_ir_symbol *part;

	if (warps > DIRECT && (warps & (warps - 1)) == 0) {
		const struct kt_ir_value *own =
		    kt_ir_apply(m, KT_IR_AND, thread, kt_ir_constant(m, kt_ir_integer(m, 32, false), warps - 1), NULL);

		part = kt_ir_load(m, to, "part", element(m, array, own), plain);
		if (part != NULL)
			(void)kt_ir_set(m, to, local, kt_ir_read(m, part));
		shuffle_down_to(m, to, local, total, warps);
		return;
	}
	for (int64_t i = 0; i < warps && !m->failed; i++) {
		part = kt_ir_load(m, to, "part", element(m, array, number(m, i)), plain);
		if (part != NULL)
			(void)kt_ir_set(m, to, local,
					i == 0 ? kt_ir_read(m, part) : kt_ir_total_step(m, total, kt_ir_read(m, local), kt_ir_read(m, part)));
	}
}

static void expand(struct expansion *e, struct kt_ir_region *to, struct kt_ir_statement *s, bool needs_barrier)
{
	struct kt_ir_module *m = e->module;
	const struct kt_ir_value *lane = kt_ir_apply(m, KT_IR_AND, kt_ir_axis(m, KT_IR_THREAD, 0),
						     kt_ir_constant(m, kt_ir_integer(m, 32, false), WARP - 1), NULL);
	const struct kt_ir_value *warp = kt_ir_apply(m, KT_IR_SHR, kt_ir_axis(m, KT_IR_THREAD, 0), number(m, 5), NULL);
	const struct kt_ir_value *zero = kt_ir_constant(m, kt_ir_integer(m, 32, false), 0);
	struct kt_ir_symbol *local = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, s->value->type, s->symbol->hint), *array;
	struct kt_ir_statement *first;

	if (local == NULL || kt_ir_declare(m, to, local) == NULL)
		return;
	(void)kt_ir_set(m, to, local, s->value);
	shuffle_down_to(m, to, local, s->number, WARP);
	if (e->threads > WARP) {
		array = array_for(e, local->type);
		if (needs_barrier)
			barrier(m, to);
		first = array == NULL ? NULL : kt_ir_if(m, to, kt_ir_apply(m, KT_IR_EQ, lane, zero, NULL));
		if (first == NULL)
			return;
		(void)kt_ir_store(m, &first->body, element(m, array, warp), kt_ir_read(m, local),
				  (struct kt_ir_hint){.is_volatile = false});
		barrier(m, to);
		gather(m, to, local, array, s->number, e->threads / WARP);
	}
	s->kind = KT_IR_S_LET;
	s->value = kt_ir_read(m, local);
	s->number = 0;
	s->scope = KT_IR_WARP;
	kt_ir_push(to, s);
}

/*
 * Statements of one region. Two totals at the top level with nothing between them take turns with two arrays, and the
 * barrier of the second one ends the use of the first one's. Everywhere else a barrier comes first: the last iteration, or a
 * total of a branch, may still be read.
 */
static void in_region(struct expansion *e, struct kt_ir_region *region, bool is_nested)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;
	bool needs_barrier = is_nested;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !e->module->failed; s = next) {
		next = s->next;
		s->next = NULL;
		if (s->kind == KT_IR_S_COLLECTIVE && s->number >= KT_IR_TOTAL_ADD) {
			expand(e, &made, s, needs_barrier);
			needs_barrier = is_nested;
			continue;
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++) {
			needs_barrier = needs_barrier || kt_ir_has_totals(inner);
			in_region(e, inner, true);
		}
		kt_ir_push(&made, s);
	}
	*region = made;
}

void kt_ir_expand_totals(struct kt_ir_module *module, struct kt_ir_function *kernel, int64_t threads)
{
	struct kt_ir_region arrays = {NULL, NULL};
	struct expansion e = {.module = module, .body = &arrays, .threads = threads};

	in_region(&e, &kernel->body, false);
	kt_ir_splice(&arrays, &kernel->body);
	kernel->body = arrays;
}
