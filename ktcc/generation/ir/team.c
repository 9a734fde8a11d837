/* Which loops of a thread a team may share. */
#include "generation/ir/team.h"

#include "generation/ir/counted.h"
#include "generation/ir/distributed_parts.h"
#include "generation/ir/effect.h"
#include "generation/ir/independent.h"
#include "generation/ir/walk.h"

enum { MOST_STEP = 65536, FEWEST_ITERATIONS = 8, NEAR = 8 };

struct access {
	const struct kt_ir_statement *statement, *loop; /* loop: the shared one; NULL: all threads of the team do it, or one */
	bool writes, is_repeated;
};

struct search {
	struct kt_ir_offer *offer;
	struct kt_ir_module *module;
	const struct kt_ir_function *kernel;
	const struct kt_ir_lets *lets;
	struct kt_ir_team *team;
	size_t access_count;
	struct access *accesses;
	const char *why; /* of the kernel */
	const char *loop_why; /* of the first loop that is not shared */
	uint32_t line, loop_line;
};

static bool stop(struct search *k, const struct kt_ir_statement *s, const char *why)
{
	if (k->why == NULL) {
		k->why = why;
		k->line = s->line;
	}
	return false;
}

/* ---- One loop ---- */

/* Does the loop have few iterations always? */
static bool is_short(const struct kt_ir_statement *s, int64_t step)
{
	int64_t low, high;

	return kt_ir_is_constant(s->value, &low) && kt_ir_is_constant(s->further[0], &high) &&
	       (high - low) / step < FEWEST_ITERATIONS;
}

static bool is_own(const struct kt_ir_statement *loop, const struct kt_ir_place *place)
{
	return place->symbol != NULL && (place->symbol->kind == KT_IR_LOCAL_SYMBOL || place->symbol->kind == KT_IR_TEMPORARY) &&
	       (loop == NULL || kt_ir_defines(&loop->body, place->symbol));
}

struct body {
	const struct kt_ir_statement *loop;
	struct kt_ir_parts *parts;
	const char *why;
	uint32_t line;
};

static bool refuse(struct body *b, const struct kt_ir_statement *s, const char *why)
{
	b->why = why;
	b->line = s->line;
	return false;
}

/* Accesses of the loop, and which of its symbols have several values. */
static bool look(struct kt_ir_statement *s, void *context)
{
	struct body *b = context;
	struct kt_ir_parts *p = b->parts;

	if (s->symbol != NULL)
		p->varies[s->symbol->id] = true;
	if (s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE && s->kind != KT_IR_S_ATOMIC)
		return true;
	if (s->place->symbol != NULL && s->place->symbol->kind == KT_IR_LOCAL_SYMBOL)
		return s->kind == KT_IR_S_LOAD || is_own(b->loop, s->place) ||
		       refuse(b, s, "an iteration writes to an array that others see");
	if (p->count == KT_IR_MOST_ACCESSES)
		return refuse(b, s, "the loop accesses memory at too many places");
	p->accesses[p->count++] = (struct kt_ir_part_access){s, b->loop, s->kind != KT_IR_S_LOAD, false};
	return true;
}

/* No access of one iteration reaches what another one writes. */
static const char *why_ordered(uint32_t *line, struct search *k, const struct kt_ir_statement *loop)
{
	struct kt_ir_distribution none = {.over = KT_IR_OVER_NOTHING};
	struct kt_ir_parts *p = kt_arena_alloc(k->offer->arena, sizeof *p);
	struct body b = {.loop = loop, .parts = p};

	*line = loop->line;
	NEED(p, "out of memory");
	*p = (struct kt_ir_parts){.offer = k->offer, .kernel = k->kernel, .lets = k->lets, .d = &none};
	NEED(p->varies = kt_arena_array(k->offer->arena, (size_t)k->module->next_id + 1, sizeof *p->varies),
	     "out of memory");
	p->varies[loop->symbol->id] = true;
	if (!kt_ir_visit(&loop->body, look, &b)) {
		*line = b.line;
		return b.why;
	}
	for (size_t i = 0; p->why == NULL && i < p->count; i++)
		for (size_t j = 0; p->why == NULL && j <= i; j++)
			(void)kt_ir_may_swap(p, &p->accesses[i], &p->accesses[j], "TEAM == 1");
	if (p->why != NULL)
		*line = p->line;
	return p->why;
}

static const char *why_not_shared(uint32_t *line, struct search *k, struct kt_ir_team_loop *l, const struct kt_ir_after *at)
{
	const struct kt_ir_statement *s = l->statement;
	const char *why;
	int64_t step, offset;

	*line = s->line;
	if (s->at_most_once || kt_ir_distributed_over(&offset, s, k->lets, k->offer->facts->block[0]) != KT_IR_OVER_NOTHING ||
	    !kt_ir_is_constant(s->further[1], &step))
		return "the loop's iterations are those of a thread already";
	if (step > MOST_STEP || step < -MOST_STEP)
		return "the loop's step is too large";
	if (is_short(s, step))
		return "the loop has few iterations";
	if (kt_ir_leaves(&s->body))
		return "an iteration may end the loop";
	why = kt_ir_why_carried(l, line, k->lets, k->kernel, at);
	for (size_t i = 0; why == NULL && i < l->count; i++)
		if (l->carried[i].choice != NULL && step < 0)
			why = "the loop chooses a value counting down";
	return why != NULL ? why : why_ordered(line, k, s);
}

/* ---- The whole kernel ---- */

struct listing {
	struct search *k;
	const struct kt_ir_statement *loop;
	bool is_repeated;
};

static bool list(struct search *k, const struct kt_ir_statement *s, const struct kt_ir_statement *loop, bool is_repeated)
{
	const bool writes = s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_ATOMIC;
	const struct kt_ir_symbol *root;
	struct access *slot;

	if (loop == NULL && kt_ir_only_reports(s))
		return stop(k, s, "each thread of a team would print, or report that an assertion failed");
	if ((!writes && s->kind != KT_IR_S_LOAD) || is_own(NULL, s->place))
		return true;
	root = kt_ir_root_of(s->place);
	if (writes && (root == NULL || (root->kind != KT_IR_ARGUMENT && root->kind != KT_IR_GLOBAL_SYMBOL)))
		return stop(k, s, "memory is written through a pointer that is no argument");
	if (s->kind == KT_IR_S_ATOMIC && s->symbol != NULL && kt_ir_count_reads(&k->kernel->body, s->symbol) > 0)
		return stop(k, s, "what an atomic returns is used");
	NEED(slot = kt_arena_push(k->offer->arena, &k->accesses, &k->access_count, sizeof *slot),
	     stop(k, s, "out of memory"));
	*slot = (struct access){s, loop, writes, is_repeated};
	return true;
}

static bool list_inside(struct kt_ir_statement *s, void *context)
{
	const struct listing *l = context;

	return list(l->k, s, l->loop, l->is_repeated);
}

/* Which way the loop goes through memory: to elements nearby, or further on. */
static bool find_way(struct kt_ir_statement *s, void *context)
{
	const struct listing *l = context;
	const struct kt_ir_value *counter;
	const struct kt_ir_term *term = NULL;
	struct kt_ir_form form;
	int64_t step = 0;
	int degree;

	if ((s->kind != KT_IR_S_LOAD && s->kind != KT_IR_S_STORE) || is_own(NULL, s->place) || s->place->count == 0 ||
	    s->place->steps[0].kind != KT_IR_INDEX)
		return true;
	counter = kt_ir_read(l->k->module, l->loop->symbol);
	(void)kt_ir_is_constant(l->loop->further[1], &step);
	if (counter == NULL || !kt_ir_form_of(&form, l->k->lets, s->place->steps[0].index, true))
		return true;
	degree = kt_ir_form_degree(&form, counter, &term);
	if (degree == 1 && term->count == 1 && term->factor < MOST_STEP && term->factor > -MOST_STEP &&
	    term->factor * step <= NEAR && term->factor * step >= -NEAR)
		l->k->team->goes_along = true;
	else if (degree != 0)
		l->k->team->goes_across = true;
	return true;
}

static bool add_loop(struct search *k, const struct kt_ir_team_loop *found)
{
	struct listing l = {k, found->statement, found->is_repeated};

	if (k->team->count == KT_IR_MOST_TEAM_LOOPS)
		return stop(k, found->statement, "the kernel has too many loops");
	k->team->loops[k->team->count++] = *found;
	for (size_t i = 0; i < found->count; i++) {
		const struct kt_ir_carried *c = &found->carried[i];

		k->team->bytes += c->symbol->type->size + (c->choice != NULL ? sizeof(int64_t) : 0);
		for (size_t j = 0; j < c->payload_count; j++)
			k->team->bytes += c->payloads[j]->type->size;
	}
	(void)kt_ir_visit(&found->statement->body, find_way, &l);
	return kt_ir_visit(&found->statement->body, list_inside, &l);
}

static bool in_region(struct search *k, const struct kt_ir_region *region, const struct kt_ir_after *outer, bool is_repeated)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const struct kt_ir_after at = {outer, s};
		const bool is_loop = s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP;
		struct kt_ir_team_loop loop = {.statement = s, .is_repeated = is_repeated};
		const char *why = NULL;
		uint32_t line;

		if (s->kind == KT_IR_S_FOR) {
			why = why_not_shared(&line, k, &loop, &at);
			if (why == NULL) {
				if (!add_loop(k, &loop))
					return false;
				continue;
			}
			if (k->loop_why == NULL) {
				k->loop_why = why;
				k->loop_line = line;
			}
		}
		if (!list(k, s, NULL, is_repeated))
			return false;
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!in_region(k, inner, &at, is_repeated || is_loop))
				return false;
	}
	return true;
}

/* May different threads of a team reach one place with these two accesses, one of them a write, in another order? */
static bool may_meet(const struct access *a, const struct access *b)
{
	if ((!a->writes && !b->writes) || !kt_ir_may_alias(a->statement->place, b->statement->place))
		return false;
	/* Of the thread that writes for all. */
	if (a->loop == NULL && b->loop == NULL && a->writes && b->writes)
		return false;
	/* Iterations of one loop are disjoint; those of its next run may be other threads'. */
	return a->loop == NULL || a->loop != b->loop || a->is_repeated;
}

static void find_order(struct search *k)
{
	for (size_t i = 0; i < k->access_count; i++) {
		k->team->has_repeated_write |= k->accesses[i].writes && k->accesses[i].is_repeated;
		for (size_t j = 0; j <= i; j++)
			k->team->needs_order |= may_meet(&k->accesses[i], &k->accesses[j]);
	}
}

const char *kt_ir_why_no_team(struct kt_ir_team *team, uint32_t *line, struct kt_ir_offer *offer, struct kt_ir_module *module,
			      const struct kt_ir_lets *lets)
{
	const struct kt_ir_function *kernel = module->last_function;
	struct search k = {.offer = offer, .module = module, .kernel = kernel, .lets = lets, .team = team};
	const char *why = kt_ir_why_dependent(kernel, line);

	*team = (struct kt_ir_team){.count = 0};
	if (why != NULL)
		return why;
	*line = kernel->line;
	if (!in_region(&k, &kernel->body, NULL, false)) {
		*line = k.line;
		return k.why;
	}
	if (team->count == 0) {
		*line = k.loop_why == NULL ? kernel->line : k.loop_line;
		return k.loop_why == NULL ? "a thread has no loop to share" : k.loop_why;
	}
	find_order(&k);
	return NULL;
}
