/* A loop distributed over a team, and what its threads have put together. */
#include <string.h>

#include "generation/ir/team.h"
#include "generation/ir/walk.h"

enum { WARP = 32, MOST_PARTS = 2 + KT_IR_MOST_PAYLOADS };

static const struct kt_ir_hint plain = {.cache = KT_IR_CACHE_NONE};

/* What a thread has of one carried value: the value, and of a choice the iteration that it is of and what goes with it. */
struct part {
	const struct kt_ir_carried *carried;
	size_t count;
	struct kt_ir_symbol *locals[MOST_PARTS];
	struct kt_ir_symbol *arrays[MOST_PARTS]; /* shared, for teams of several warps */
};

static const struct kt_ir_value *word(struct kt_ir_module *m, int64_t value)
{
	return kt_ir_constant(m, kt_ir_integer(m, 32, false), value);
}

static const struct kt_ir_value *two(struct kt_ir_module *m, enum kt_ir_op op, const struct kt_ir_value *a, const struct kt_ir_value *b)
{
	return kt_ir_apply(m, op, a, b, NULL);
}

bool kt_ir_team_is_in_warp(const struct kt_ir_team_shape *shape)
{
	return shape->size * shape->width <= WARP;
}

void kt_ir_team_synchronise(const struct kt_ir_team_shape *shape, struct kt_ir_region *to)
{
	struct kt_ir_statement *s = kt_ir_append(shape->module, to, KT_IR_S_BARRIER);

	if (s == NULL)
		return;
	s->scope = kt_ir_team_is_in_warp(shape) ? KT_IR_WARP : KT_IR_BLOCK_SCOPE;
	if (s->scope == KT_IR_WARP)
		s->value = kt_ir_read(shape->module, shape->mask);
}

/* ---- Parts ---- */

/* The number of an iteration that comes before all of them: the value is the one from before the loop. */
static const struct kt_ir_value *before_all(struct kt_ir_module *m)
{
	return kt_ir_constant(m, kt_ir_integer(m, 64, true), INT64_MIN);
}

/* What changes nothing; a least or greatest value, and the kept value of a choice, begins as it is. */
static const struct kt_ir_value *start_of(struct kt_ir_module *m, const struct kt_ir_carried *c)
{
	const struct kt_ir_type *type = c->symbol->type;
	const bool is_float = type->kind == KT_IR_FLOAT;

	if (c->choice != NULL || c->reduction.op == KT_IR_INTRINSIC)
		return kt_ir_read(m, c->symbol);
	switch (c->reduction.op) {
	case KT_IR_ADD:
		return is_float ? kt_ir_bits(m, type, (uint64_t)1 << (type->bits - 1), 0) : kt_ir_constant(m, type, 0);
	case KT_IR_MUL:
		return is_float ? kt_ir_real(m, type, 1) : kt_ir_constant(m, type, 1);
	case KT_IR_AND:
		return kt_ir_constant(m, type, -1);
	default:
		return kt_ir_constant(m, type, 0);
	}
}

static struct kt_ir_symbol *local_of(struct kt_ir_module *m, struct kt_ir_region *to, const struct kt_ir_type *type, const char *hint,
				     const struct kt_ir_value *start)
{
	struct kt_ir_symbol *made = kt_ir_symbol(m, KT_IR_LOCAL_SYMBOL, type, hint);

	if (made == NULL)
		return NULL;
	(void)kt_ir_declare(m, to, made);
	(void)kt_ir_set(m, to, made, start);
	return made;
}

static void begin_part(struct kt_ir_module *m, struct kt_ir_region *to, struct part *p, const struct kt_ir_carried *c)
{
	*p = (struct part){.carried = c, .count = 1};
	p->locals[0] = local_of(m, to, c->symbol->type, c->symbol->hint, start_of(m, c));
	if (c->choice == NULL)
		return;
	p->locals[p->count++] = local_of(m, to, kt_ir_integer(m, 64, true), "at", before_all(m));
	for (size_t i = 0; i < c->payload_count; i++) {
		const struct kt_ir_type *type = c->payloads[i]->type;
		const bool decides = c->tie != KT_IR_CONSTANT && i == c->tie_payload;

		/* What the loop does not read may be unset before. */
		p->locals[p->count++] = local_of(m, to, type, c->payloads[i]->hint,
						 decides ? kt_ir_read(m, c->payloads[i])
						 : type->kind == KT_IR_FLOAT ? kt_ir_real(m, type, 0) : kt_ir_constant(m, type, 0));
	}
}

static void rename(struct kt_ir_module *m, struct kt_ir_region *body, const struct kt_ir_symbol *from, struct kt_ir_symbol *to)
{
	if (to == NULL)
		return;
	(void)kt_ir_substitute(m, body, from, kt_ir_read(m, to));
	kt_ir_rename_sets(body, from, to);
}

/* The loop's body works on the thread's parts. iteration: a number that grows from one iteration to the next one. */
static void use_part(struct kt_ir_module *m, struct kt_ir_region *body, const struct part *p, const struct kt_ir_value *iteration)
{
	const struct kt_ir_carried *c = p->carried;
	struct kt_ir_statement *choice = (struct kt_ir_statement *)(uintptr_t)c->choice;

	rename(m, body, c->symbol, p->locals[0]);
	if (choice == NULL)
		return;
	for (size_t i = 0; i < c->payload_count; i++)
		rename(m, body, c->payloads[i], p->locals[2 + i]);
	if (p->locals[1] != NULL)
		(void)kt_ir_set(m, &choice->body, p->locals[1], iteration);
}

/* ---- Two parts into one ---- */

/* Is the other choice the one that the iterations in their order end with? */
static const struct kt_ir_value *is_better(struct kt_ir_module *m, const struct part *p, const struct kt_ir_value *const *others)
{
	const enum kt_ir_op comparison = p->carried->comparison;
	const bool is_first = comparison == KT_IR_LT || comparison == KT_IR_GT;
	const bool is_least = comparison == KT_IR_LT || comparison == KT_IR_LE;
	const bool by_payload = p->carried->tie != KT_IR_CONSTANT;
	const size_t number = by_payload ? 2 + p->carried->tie_payload : 1;
	const enum kt_ir_op tie = by_payload ? p->carried->tie : is_first ? KT_IR_LT : KT_IR_GT;
	const struct kt_ir_value *own = kt_ir_read(m, p->locals[0]);

	return two(m, KT_IR_EITHER, two(m, is_least ? KT_IR_LT : KT_IR_GT, others[0], own),
		   two(m, KT_IR_BOTH, two(m, KT_IR_EQ, others[0], own), two(m, tie, others[number], kt_ir_read(m, p->locals[number]))));
}

static void join(struct kt_ir_module *m, struct kt_ir_region *to, const struct part *p, const struct kt_ir_value *const *others)
{
	const struct kt_ir_reduction *r = &p->carried->reduction;
	const struct kt_ir_value *own = kt_ir_read(m, p->locals[0]), *both[2] = {own, others[0]};
	struct kt_ir_statement *branch;

	if (p->carried->choice == NULL) {
		(void)kt_ir_set(m, to, p->locals[0],
				r->op == KT_IR_INTRINSIC ? kt_ir_intrinsic(m, r->function, own == NULL ? NULL : own->type, both, 2)
							 : two(m, r->op, own, others[0]));
		return;
	}
	branch = kt_ir_if(m, to, is_better(m, p, others));
	for (size_t i = 0; branch != NULL && i < p->count; i++)
		(void)kt_ir_set(m, &branch->body, p->locals[i], others[i]);
}

static const struct kt_ir_value *shuffled(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, struct kt_ir_symbol *local,
					  int64_t distance)
{
	struct kt_ir_module *m = shape->module;
	struct kt_ir_statement *s = kt_ir_append(m, to, KT_IR_S_COLLECTIVE);

	if (s == NULL)
		return NULL;
	s->number = KT_IR_SHUFFLE_XOR;
	s->value = kt_ir_read(m, shape->mask);
	s->further[0] = kt_ir_read(m, local);
	s->further[1] = kt_ir_constant(m, kt_ir_integer(m, 32, true), distance);
	s->further[2] = kt_ir_constant(m, kt_ir_integer(m, 32, true), WARP);
	s->symbol = kt_ir_symbol(m, KT_IR_TEMPORARY, local->type, "other");
	return kt_ir_read(m, s->symbol);
}

/* All lanes of the team in this warp get what they have together. */
static void join_lanes(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, const struct part *p)
{
	const int64_t span = shape->size * shape->width < WARP ? shape->size * shape->width : WARP;

	for (int64_t distance = shape->width; distance < span && !shape->module->failed; distance *= 2) {
		const struct kt_ir_value *others[MOST_PARTS];

		for (size_t i = 0; i < p->count; i++)
			others[i] = shuffled(shape, to, p->locals[i], distance);
		join(shape->module, to, p, others);
	}
}

/* ---- Teams of several warps ---- */

/* Warps that a team has a part in; with wider teams: its threads. */
static int64_t parts_of_team(const struct kt_ir_team_shape *shape)
{
	return shape->width < WARP ? shape->size * shape->width / WARP : shape->size;
}


static const struct kt_ir_value *column(const struct kt_ir_team_shape *shape)
{
	struct kt_ir_module *m = shape->module;

	return two(m, KT_IR_REM, kt_ir_read(m, shape->thread), word(m, shape->width));
}

static void write_parts(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, struct part *p)
{
	struct kt_ir_module *m = shape->module;
	const int64_t span = shape->width < WARP ? WARP : shape->width, count = shape->threads / span * shape->width;
	const struct kt_ir_value *thread = kt_ir_read(m, shape->thread);
	/* Threads of one warp and team have the same value: any of them writes it. */
	const struct kt_ir_value *slot = two(m, KT_IR_ADD, two(m, KT_IR_MUL, two(m, KT_IR_DIV, thread, word(m, span)), word(m, shape->width)), column(shape));
	struct kt_ir_statement *branch = NULL;

	if (shape->width < WARP)
		branch = kt_ir_if(m, to, two(m, KT_IR_LT, two(m, KT_IR_REM, thread, word(m, WARP)), word(m, shape->width)));
	for (size_t i = 0; i < p->count && !m->failed; i++) {
		p->arrays[i] = kt_ir_symbol(m, KT_IR_SHARED_SYMBOL, kt_ir_array(m, p->locals[i]->type, count), "parts");
		if (p->arrays[i] == NULL)
			return;
		p->arrays[i]->is_memory = true;
		(void)kt_ir_declare(m, shape->front, p->arrays[i]);
		(void)kt_ir_store(m, branch == NULL ? to : &branch->body, kt_ir_index(m, kt_ir_place_of(m, p->arrays[i]), slot),
				  kt_ir_read(m, p->locals[i]), plain);
	}
}

/* All parts of the team, in the same order in each of its threads. */
static void read_parts(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, const struct part *p)
{
	struct kt_ir_module *m = shape->module;
	const int64_t count = parts_of_team(shape);
	const struct kt_ir_value *team = two(m, KT_IR_DIV, kt_ir_read(m, shape->thread), word(m, shape->size * shape->width));
	const struct kt_ir_value *base = two(m, KT_IR_ADD, two(m, KT_IR_MUL, team, word(m, count * shape->width)), column(shape)), *at;
	const struct kt_ir_value *others[MOST_PARTS];
	struct kt_ir_statement *loop;

	base = kt_ir_read(m, kt_ir_let(m, to, "base", base));
	if (base == NULL)
		return;
	for (size_t i = 0; i < p->count; i++)
		(void)kt_ir_set(m, to, p->locals[i],
				kt_ir_read(m, kt_ir_load(m, to, "part", kt_ir_index(m, kt_ir_place_of(m, p->arrays[i]), base), plain)));
	loop = kt_ir_for(m, to, "number", word(m, 1), word(m, count), word(m, 1));
	if (loop == NULL)
		return;
	at = two(m, KT_IR_ADD, base, two(m, KT_IR_MUL, kt_ir_read(m, loop->symbol), word(m, shape->width)));
	for (size_t i = 0; i < p->count; i++)
		others[i] = kt_ir_read(m, kt_ir_load(m, &loop->body, "part", kt_ir_index(m, kt_ir_place_of(m, p->arrays[i]), at), plain));
	join(m, &loop->body, p, others);
}

/* ---- The loop ---- */

/* The local's value after the loop. */
static void finish(struct kt_ir_module *m, struct kt_ir_region *to, const struct part *p)
{
	const struct kt_ir_carried *c = p->carried;
	const struct kt_ir_value *total = kt_ir_read(m, p->locals[0]);
	struct kt_ir_statement *branch;

	if (c->choice == NULL) {
		(void)kt_ir_set(m, to, c->symbol,
				c->reduction.op == KT_IR_INTRINSIC ? total : two(m, c->reduction.op, kt_ir_read(m, c->symbol), total));
		return;
	}
	branch = kt_ir_if(m, to, two(m, KT_IR_NE, kt_ir_read(m, p->locals[1]), before_all(m)));
	if (branch == NULL)
		return;
	(void)kt_ir_set(m, &branch->body, c->symbol, total);
	for (size_t i = 0; i < c->payload_count; i++)
		(void)kt_ir_set(m, &branch->body, c->payloads[i], kt_ir_read(m, p->locals[2 + i]));
}

/* Iterations member, member + size, … of the loop, counted in 64 bits, which do not wrap. */
static void distribute(const struct kt_ir_team_shape *shape, struct kt_ir_statement *s)
{
	struct kt_ir_module *m = shape->module;
	const struct kt_ir_type *type = s->symbol->type, *wide = type->bits < 64 ? kt_ir_integer(m, 64, true) : type;
	struct kt_ir_symbol *counter = type == wide ? s->symbol : kt_ir_symbol(m, KT_IR_COUNTER, wide, s->symbol->hint);
	const struct kt_ir_value *step = kt_ir_convert(m, s->further[1], wide, KT_IR_AS_VALUE), *first;
	struct kt_ir_region own = {NULL, NULL};

	if (counter == NULL || step == NULL)
		return;
	first = kt_ir_no_wrap(m, two(m, KT_IR_MUL, kt_ir_convert(m, kt_ir_read(m, shape->member), wide, KT_IR_AS_VALUE), step));
	first = two(m, KT_IR_ADD, kt_ir_convert(m, s->value, wide, KT_IR_AS_VALUE), first);
	s->value = type == wide ? first : kt_ir_no_wrap(m, first);
	s->further[0] = kt_ir_convert(m, s->further[0], wide, KT_IR_AS_VALUE);
	s->further[1] = two(m, KT_IR_MUL, step, kt_ir_constant(m, wide, shape->size));
	if (counter == s->symbol)
		return;
	/* The body has the index in its own type. */
	(void)kt_ir_substitute(m, &s->body, s->symbol,
			       kt_ir_read(m, kt_ir_let(m, &own, s->symbol->hint,
						       kt_ir_convert(m, kt_ir_read(m, counter), type, KT_IR_AS_VALUE))));
	kt_ir_splice(&own, &s->body);
	s->body = own;
	s->symbol = counter;
}

void kt_ir_team_share(const struct kt_ir_team_shape *shape, struct kt_ir_region *to, const struct kt_ir_team_loop *l)
{
	struct kt_ir_module *m = shape->module;
	struct kt_ir_statement *s = l->statement;
	struct part parts[KT_IR_MOST_CARRIED];
	const struct kt_ir_value *iteration;

	for (size_t i = 0; i < l->count; i++)
		begin_part(m, to, &parts[i], &l->carried[i]);
	if (m->failed)
		return;
	distribute(shape, s);
	iteration = kt_ir_convert(m, kt_ir_read(m, s->symbol), kt_ir_integer(m, 64, true), KT_IR_AS_VALUE);
	for (size_t i = 0; i < l->count && !m->failed; i++)
		use_part(m, &s->body, &parts[i], iteration);
	kt_ir_push(to, s);
	for (size_t i = 0; i < l->count && !m->failed; i++)
		join_lanes(shape, to, &parts[i]);
	if (!kt_ir_team_is_in_warp(shape) && l->count > 0) {
		for (size_t i = 0; i < l->count && !m->failed; i++)
			write_parts(shape, to, &parts[i]);
		kt_ir_team_synchronise(shape, to);
		for (size_t i = 0; i < l->count && !m->failed; i++)
			read_parts(shape, to, &parts[i]);
	}
	for (size_t i = 0; i < l->count && !m->failed; i++)
		finish(m, to, &parts[i]);
}
