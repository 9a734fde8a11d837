/* Barriers and collectives of the interpreter. */
#include <stdio.h>
#include <string.h>

#include "interp_state.h"

/* Back to the scheduler until the state is READY again. */
static void wait(struct kt_ir_thread *t, enum kt_ir_thread_state state, const struct kt_ir_statement *s)
{
	t->state = state;
	t->at = s;
	swapcontext(&t->context, &t->machine->scheduler);
}

void kt_ir_wait_barrier(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	if (s->kind == KT_IR_S_BARRIER && s->scope != KT_IR_BLOCK_SCOPE)
		kt_ir_stop(t, KT_IR_UNKNOWN, "a barrier wider than a block");
	wait(t, KT_IR_AT_BARRIER, s);
}

void kt_ir_wait_collective(struct kt_ir_thread *t, const struct kt_ir_statement *s, uint32_t mask)
{
	t->mask = mask;
	wait(t, KT_IR_AT_COLLECTIVE, s);
}

/* ---- What a collective gives ---- */

static struct kt_ir_thread *lane_of(struct kt_ir_machine *m, uint32_t warp, uint32_t lane)
{
	const uint32_t linear = warp * KT_IR_WARP_LANES + lane;

	return linear < m->thread_count ? &m->threads[linear] : NULL;
}

/* The lane that a shuffle reads, as the PTX manual has it: within segments of the width. */
static uint32_t source_lane(const struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const uint32_t lane = t->linear % KT_IR_WARP_LANES;
	const uint32_t by = (uint32_t)kt_ir_datum_integer(s->further[1]->type, &t->given[1]);
	const uint32_t width = (uint32_t)kt_ir_datum_integer(s->further[2]->type, &t->given[2]);
	const uint32_t first = lane & ~(width - 1), last = first + width - 1;
	uint32_t from = lane;

	switch (s->number) {
	case KT_IR_SHUFFLE:
		return first + (by & (width - 1));
	case KT_IR_SHUFFLE_UP:
		return lane >= first + by ? lane - by : lane;
	case KT_IR_SHUFFLE_DOWN:
		return lane + by <= last ? lane + by : lane;
	default:
		from = lane ^ by;
		return from <= last ? from : lane;
	}
}

static void shuffle(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	struct kt_ir_thread *from = lane_of(t->machine, t->linear / KT_IR_WARP_LANES, source_lane(t, s));

	/* What a lane that takes no part would give is undefined: a pattern that no kernel expects. */
	if (from == NULL || from->state != KT_IR_AT_COLLECTIVE || from->at != s)
		memset(t->got.bytes, 0xa5, sizeof t->got.bytes);
	else
		t->got = from->given[0];
}

static bool takes_part(const struct kt_ir_thread *other, const struct kt_ir_thread *t)
{
	return other != NULL && other->state == KT_IR_AT_COLLECTIVE && other->at == t->at &&
	       (t->mask >> other->linear % KT_IR_WARP_LANES & 1) != 0;
}

static void vote(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	const struct kt_ir_type u32 = {.kind = KT_IR_INTEGER, .bits = 32, .size = 4};
	uint32_t ballot = 0, present = 0, same = 0;

	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++) {
		const struct kt_ir_thread *other = lane_of(t->machine, t->linear / KT_IR_WARP_LANES, lane);

		if (!takes_part(other, t))
			continue;
		present |= 1U << lane;
		if (s->number == KT_IR_MATCH_ANY) {
			same |= (uint32_t)(memcmp(other->given[0].bytes, t->given[0].bytes, s->further[0]->type->size) == 0)
				<< lane;
			continue;
		}
		ballot |= (uint32_t)(other->given[0].bytes[0] != 0) << lane;
	}
	if (s->number == KT_IR_VOTE_ALL || s->number == KT_IR_VOTE_ANY)
		t->got.bytes[0] = s->number == KT_IR_VOTE_ALL ? ballot == present : ballot != 0;
	else
		kt_ir_datum_set(&u32, &t->got, s->number == KT_IR_BALLOT ? ballot : same);
}

static void combine(struct kt_ir_thread *t, const struct kt_ir_type *type, struct kt_ir_datum *sum,
		    const struct kt_ir_datum *other, unsigned number)
{
	static const enum kt_ir_op ops[KT_IR_COLLECTIVES] = {
	    [KT_IR_REDUCE_ADD] = KT_IR_ADD, [KT_IR_REDUCE_AND] = KT_IR_AND, [KT_IR_REDUCE_OR] = KT_IR_OR,
	    [KT_IR_REDUCE_XOR] = KT_IR_XOR, [KT_IR_TOTAL_ADD] = KT_IR_ADD,  [KT_IR_TOTAL_AND] = KT_IR_AND,
	    [KT_IR_TOTAL_OR] = KT_IR_OR,    [KT_IR_TOTAL_XOR] = KT_IR_XOR};
	const bool is_greatest = number == KT_IR_REDUCE_MAX || number == KT_IR_TOTAL_MAX;

	if (is_greatest || number == KT_IR_REDUCE_MIN || number == KT_IR_TOTAL_MIN)
		*sum = kt_ir_extreme(type, sum, other, is_greatest);
	else
		*sum = kt_ir_operate(t, ops[number], type, sum, other, false);
}

static void reduce(struct kt_ir_thread *t, const struct kt_ir_statement *s)
{
	struct kt_ir_datum sum = {{0}};
	bool is_first = true;

	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++) {
		const struct kt_ir_thread *other = lane_of(t->machine, t->linear / KT_IR_WARP_LANES, lane);

		if (!takes_part(other, t))
			continue;
		if (is_first)
			sum = other->given[0];
		else
			combine(t, s->further[0]->type, &sum, &other->given[0], s->number);
		is_first = false;
	}
	t->got = sum;
}

/* All threads of the block wait at this statement. */
static void total(struct kt_ir_machine *m, const struct kt_ir_statement *s)
{
	struct kt_ir_datum sum = m->threads[0].given[0];

	for (uint32_t i = 1; i < m->thread_count; i++)
		combine(&m->threads[i], s->value->type, &sum, &m->threads[i].given[0], s->number);
	for (uint32_t i = 0; i < m->thread_count; i++)
		m->threads[i].got = sum;
}

static void give(struct kt_ir_thread *t)
{
	const struct kt_ir_statement *s = t->at;

	if (s->kind != KT_IR_S_COLLECTIVE)
		return;
	if (s->number <= KT_IR_SHUFFLE_XOR)
		shuffle(t, s);
	else if (s->number <= KT_IR_MATCH_ANY)
		vote(t, s);
	else
		reduce(t, s);
}

/* ---- Who goes on ---- */


/* The lanes of the mask that are still running. */
static uint32_t wanted(struct kt_ir_machine *m, uint32_t warp, uint32_t mask)
{
	uint32_t running = 0;

	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++) {
		const struct kt_ir_thread *t = lane_of(m, warp, lane);

		if (t != NULL && t->state != KT_IR_FINISHED)
			running |= 1U << lane;
	}
	return mask & running;
}

/* Those of the warp that wait at the same statement with the same mask as t. */
static uint32_t arrived(struct kt_ir_machine *m, const struct kt_ir_thread *t)
{
	uint32_t lanes = 0;

	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++) {
		const struct kt_ir_thread *other = lane_of(m, t->linear / KT_IR_WARP_LANES, lane);

		if (other != NULL && other->state == KT_IR_AT_COLLECTIVE && other->at == t->at && other->mask == t->mask)
			lanes |= 1U << lane;
	}
	return lanes;
}

/* From now on what these lanes did is ordered before what they do. */
static void synchronise(struct kt_ir_machine *m, uint32_t warp, uint32_t lanes)
{
	const uint32_t stamp = ++m->stamps[warp];

	for (uint32_t a = 0; a < KT_IR_WARP_LANES; a++)
		for (uint32_t b = 0; b < KT_IR_WARP_LANES; b++)
			if ((lanes >> a & 1) != 0 && (lanes >> b & 1) != 0)
				m->common[(warp * KT_IR_WARP_LANES + a) * KT_IR_WARP_LANES + b] = stamp;
}

static bool release_warp(struct kt_ir_machine *m, struct kt_ir_thread *t)
{
	const uint32_t warp = t->linear / KT_IR_WARP_LANES, lanes = arrived(m, t);

	if (t->state != KT_IR_AT_COLLECTIVE || lanes != wanted(m, warp, t->mask))
		return false;
	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++)
		if ((lanes >> lane & 1) != 0)
			give(lane_of(m, warp, lane));
	synchronise(m, warp, lanes);
	for (uint32_t lane = 0; lane < KT_IR_WARP_LANES; lane++)
		if ((lanes >> lane & 1) != 0)
			lane_of(m, warp, lane)->state = KT_IR_READY;
	return true;
}

static bool release_block(struct kt_ir_machine *m)
{
	const struct kt_ir_statement *at = NULL;
	struct kt_ir_thread *other = NULL;

	for (uint32_t i = 0; i < m->thread_count; i++) {
		struct kt_ir_thread *t = &m->threads[i];

		if (t->state == KT_IR_FINISHED)
			continue;
		if (t->state != KT_IR_AT_BARRIER)
			return false;
		if (at != NULL && t->at != at)
			other = t;
		at = at == NULL ? t->at : at;
	}
	if (at == NULL)
		return false;
	m->epoch++;
	if (other == NULL && at->kind == KT_IR_S_COLLECTIVE)
		total(m, at);
	for (uint32_t i = 0; i < m->thread_count; i++)
		if (m->threads[i].state == KT_IR_AT_BARRIER)
			m->threads[i].state = KT_IR_READY;
	if (other != NULL) {
		m->result->line = other->at->line;
		m->result->thread = other->linear;
		m->result->block = m->block_linear;
		m->result->fault = KT_IR_DIVERGED;
		snprintf(m->result->message, sizeof m->result->message, "threads of a block are at two barriers");
		m->stopped = true;
	}
	return true;
}

bool kt_ir_release(struct kt_ir_machine *m)
{
	bool any = false;

	for (uint32_t i = 0; i < m->thread_count; i++) {
		any = release_warp(m, &m->threads[i]) || any;
	}
	return any || release_block(m);
}
