/*
 * Barriers also order accesses to memory that is not shared: what is written is accessed between the same two barriers alone, in no
 * loop with one.
 */
#include "generation/ir/effect.h"
#include "generation/ir/unstage_parts.h"

/* Which barriers are around an access: how many come before it in the text; −1: it is in a loop with one. */
struct phase {
	const struct kt_ir_statement *access;
	int number;
};

struct phases {
	struct kt_ir_unstaging *in;
	size_t count;
	struct phase *list;
	int number;
};

static bool note_phases(struct phases *p, const struct kt_ir_region *region, bool in_loop)
{
	struct kt_ir_region *inner;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		const bool is_loop = s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP;
		const bool repeats = is_loop && (kt_ir_has(&s->body, KT_IR_S_BARRIER) || kt_ir_has(&s->otherwise, KT_IR_S_BARRIER));

		p->number += s->kind == KT_IR_S_BARRIER;
		if (s->kind == KT_IR_S_STORE || s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_ATOMIC) {
			struct phase *slot = kt_arena_push(p->in->arena, &p->list, &p->count, sizeof *slot);

			if (slot == NULL)
				return kt_ir_unstage_refuses(p->in, s, "out of memory");
			*slot = (struct phase){s, in_loop ? -1 : p->number};
		}
		for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
			if (!note_phases(p, inner, in_loop || repeats))
				return false;
	}
	return true;
}

/* May a barrier order the write with the other access? */
static bool is_ordered(struct phases *p, const struct phase *write, const struct phase *other)
{
	const struct kt_ir_symbol *root = kt_ir_root_of(write->access->place);

	if ((root != NULL && root->kind == KT_IR_LOCAL_SYMBOL) || (write->number == other->number && write->number >= 0))
		return false;
	return !kt_ir_note_apart(&p->in->out->apart, other->access->place, write->access->place);
}

bool kt_ir_needs_no_barrier(struct kt_ir_unstaging *in)
{
	struct phases p = {.in = in};

	if (!note_phases(&p, &in->kernel->body, false))
		return false;
	for (size_t i = 0; i < p.count; i++)
		for (size_t k = 0; p.list[i].access->kind != KT_IR_S_LOAD && k < p.count; k++)
			if (is_ordered(&p, &p.list[i], &p.list[k]))
				return kt_ir_unstage_refuses(in, p.list[i].access,
							     "barriers may order what is written here with another access");
	return true;
}
