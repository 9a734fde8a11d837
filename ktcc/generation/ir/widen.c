/* Distributed loops with more iterations at a time. */
#include "generation/ir/widen.h"

#include "generation/ir/distributed.h"
#include "generation/ir/jam.h"
#include "generation/ir/normal.h"
#include "generation/ir/widen_parts.h"

static const struct kt_ir_value *axis(struct kt_ir_module *m, enum kt_ir_axis which, const struct kt_ir_type *type)
{
	return kt_ir_convert(m, kt_ir_axis(m, which, 0), type, KT_IR_AS_VALUE);
}

/* None of these wraps: guards ensure it. */
static const struct kt_ir_value *plus(struct kt_ir_module *m, const struct kt_ir_value *v, int64_t number)
{
	return number == 0 ? v
			   : kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, v, kt_ir_constant(m, v->type, number), NULL));
}

static const struct kt_ir_value *times(struct kt_ir_module *m, const struct kt_ir_value *v, const struct kt_ir_value *by)
{
	return kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_MUL, v, by, NULL));
}

/* Threads that share the loop, and the number of this one. */
static const struct kt_ir_value *threads(struct kt_ir_module *m, enum kt_ir_over over, const struct kt_ir_type *type)
{
	const struct kt_ir_value *size = axis(m, KT_IR_BLOCK_DIM, type);

	return over == KT_IR_OVER_BLOCK ? size : times(m, axis(m, KT_IR_GRID_DIM, type), size);
}

static const struct kt_ir_value *thread(struct kt_ir_module *m, enum kt_ir_over over, const struct kt_ir_type *type)
{
	return over == KT_IR_OVER_BLOCK ? axis(m, KT_IR_THREAD, type) : kt_ir_global_index(m, 0, type);
}

struct kt_ir_symbol *kt_ir_widen_name(struct kt_ir_widening *k, struct kt_ir_region *to, const char *hint, const struct kt_ir_value *value)
{
	return value == NULL ? NULL : kt_ir_let(k->module, to, hint, kt_ir_fold_all(k->module, value));
}

static const struct kt_ir_value *more(struct kt_ir_module *m, const struct kt_ir_value *v, const struct kt_ir_symbol *lead)
{
	return lead == NULL ? v : kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, v, kt_ir_read(m, lead), NULL));
}

/* The indices that have an iteration: below the bound, and of a first one with a lead no earlier ones. */
static const struct kt_ir_value *within(struct kt_ir_module *m, const struct kt_ir_value *index, const struct kt_ir_symbol *high,
					const struct kt_ir_symbol *lead, int64_t offset)
{
	const struct kt_ir_value *below = kt_ir_apply(m, KT_IR_LT, index, kt_ir_read(m, high), NULL);

	return lead == NULL ? below
			    : kt_ir_apply(m, KT_IR_BOTH,
					  kt_ir_apply(m, KT_IR_GE, index, kt_ir_constant(m, index->type, offset), NULL), below,
					  NULL);
}

/* The indices of the items of one iteration of the new loop, whose counter is `from`. */
static bool start_items(struct kt_ir_widening *k, struct kt_ir_jam *jam, struct kt_ir_region *to, const struct kt_ir_statement *s,
			const struct kt_ir_symbol *from, const struct kt_ir_symbol *stride, const struct kt_ir_symbol *lead,
			int64_t offset)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_type *type = s->symbol->type;
	const struct kt_ir_value *base = kt_ir_read(m, from), *index;

	for (int64_t i = 0; i < k->count; i++) {
		struct kt_ir_symbol *made;

		if (!k->is_spread)
			index = plus(m, times(m, base, kt_ir_constant(m, type, k->count)), i + offset);
		if (!k->is_spread && lead != NULL)
			index = kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_SUB, index, kt_ir_read(m, lead), NULL));
		if (k->is_spread)
			index = plus(m, i == 0 ? base
					       : kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, base,
									      times(m, kt_ir_read(m, stride),
										    kt_ir_constant(m, type, i)),
									      NULL)),
				     offset);
		made = kt_ir_widen_name(k, to, s->symbol->hint, index);
		if (made == NULL || !kt_ir_cloner_start(&jam->items[i], m, NULL, NULL))
			return false;
		jam->items[i].values[s->symbol->id] = kt_ir_read(m, made);
	}
	return true;
}

/* Of items one after the other the first and the last one decide whether all have an iteration. The first may have wrapped. */
static void ask_ends(struct kt_ir_widening *k, const struct kt_ir_jam *jam, struct kt_ir_statement *all,
		     const struct kt_ir_statement *s, const struct kt_ir_symbol *high, int64_t offset)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_value *first = jam->items[0].values[s->symbol->id], *end = kt_ir_read(m, high),
				 *last = jam->items[jam->count - 1].values[s->symbol->id], *below;

	if (jam->split_count == 0 || jam->splits[jam->split_count - 1] != all || m->failed)
		return;
	below = kt_ir_apply(m, KT_IR_LT, last, end, NULL);
	if (!s->symbol->type->is_signed)
		below = kt_ir_apply(m, KT_IR_BOTH, kt_ir_apply(m, KT_IR_LT, first, end, NULL), below, NULL);
	all->value = kt_ir_apply(m, KT_IR_BOTH,
				 kt_ir_apply(m, KT_IR_GE, first, kt_ir_constant(m, first->type, offset), NULL), below, NULL);
}

/* ---- Loops of which memory decides, as a whole ---- */

/* The loop as it was, for any number of threads. */
static void deal(struct kt_ir_widening *k, struct kt_ir_statement *s, enum kt_ir_over over, int64_t offset)
{
	s->value = kt_ir_fold_all(k->module, plus(k->module, thread(k->module, over, s->symbol->type), offset));
	s->further[1] = threads(k->module, over, s->symbol->type);
}

/*
 * A branch in front of the loop, which that loop is to be in: its otherwise has the loop as it was. Conditions are added to the
 * let that it asks. NULL: what loops write makes their threads matter, or nothing is to be a vector.
 */
static struct kt_ir_statement *choose(struct kt_ir_statement **aligned, struct kt_ir_widening *k, struct kt_ir_region *to,
				      const struct kt_ir_statement *s, enum kt_ir_over over, int64_t offset)
{
	struct kt_ir_module *m = k->module;
	struct kt_ir_statement *made = NULL, *was;
	struct kt_ir_symbol *yes;
	struct kt_ir_cloner cloner;

	*aligned = NULL;
	if (!k->is_vector || k->is_spread || k->leads != KT_IR_OWN_LEAD)
		return NULL;
	yes = kt_ir_let(m, to, "aligned", kt_ir_constant(m, kt_ir_bool(m), 1));
	*aligned = to->last;
	if (yes != NULL && kt_ir_cloner_start(&cloner, m, NULL, NULL))
		made = kt_ir_if(m, to, kt_ir_read(m, yes));
	was = made == NULL ? NULL : kt_ir_clone_statement(&cloner, &made->otherwise, s);
	if (was == NULL)
		return NULL;
	made->line = s->line;
	deal(k, was, over, offset);
	return made;
}

/* Of items that do not all have an iteration, each that has one: first and last ones alone, so that they are not written out. */
static void write_ends(struct kt_ir_widening *k, struct kt_ir_statement *all, const struct kt_ir_jam *jam,
		       const struct kt_ir_statement *s, const struct kt_ir_symbol *high, const struct kt_ir_symbol *lead,
		       int64_t offset)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_type *type = s->symbol->type;
	struct kt_ir_region ends = {NULL, NULL};
	struct kt_ir_statement *each = kt_ir_for(m, &ends, "item", kt_ir_constant(m, type, 0), kt_ir_constant(m, type, k->count),
						 kt_ir_constant(m, type, 1)), *branch;
	const struct kt_ir_value *first = jam->items[0].values[s->symbol->id];
	struct kt_ir_symbol *index;
	struct kt_ir_cloner cloner;

	if (each == NULL || !kt_ir_cloner_start(&cloner, m, NULL, NULL))
		return;
	each->line = s->line;
	each->unroll = 1;
	index = kt_ir_widen_name(k, &each->body, s->symbol->hint,
				 kt_ir_no_wrap(m, kt_ir_apply(m, KT_IR_ADD, first, kt_ir_read(m, each->symbol), NULL)));
	branch = index == NULL ? NULL : kt_ir_if(m, &each->body, within(m, kt_ir_read(m, index), high, lead, offset));
	if (branch == NULL)
		return;
	branch->line = s->line;
	cloner.values[s->symbol->id] = kt_ir_read(m, index);
	kt_ir_clone(&cloner, &branch->body, &s->body);
	all->otherwise = ends;
}

static void keep_splits(struct kt_ir_widening *k, const struct kt_ir_jam *jam, const struct kt_ir_ahead *ahead)
{
	for (size_t i = 0; i < jam->split_count && !k->module->failed; i++) {
		struct kt_ir_split *slot = kt_arena_push(k->module->arena, &k->splits, &k->split_count, sizeof *slot);

		if (slot == NULL)
			kt_ir_fail(k->module, "out of memory");
		else
			*slot = (struct kt_ir_split){jam->splits[i], *ahead};
	}
}

/* The loop with several items in each iteration, which ask for the bound as one. */
static void widen(struct kt_ir_widening *k, struct kt_ir_region *out, struct kt_ir_statement *s, enum kt_ir_over over, int64_t offset)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_type *type = s->symbol->type;
	struct kt_ir_symbol *high = kt_ir_widen_name(k, out, "end", s->further[0]),
			    *stride = kt_ir_widen_name(k, out, "stride", threads(m, over, type)),
			    *lead = kt_ir_lead_of(k, out, s, offset);
	struct kt_ir_ahead ahead = {NULL, NULL};
	struct kt_ir_statement *choice = choose(&ahead.aligned, k, out, s, over, offset), *made, *branch;
	struct kt_ir_region *to = choice != NULL ? &choice->body : out, guarded = {NULL, NULL};
	const struct kt_ir_value *end, *step;
	struct kt_ir_jam jam = {.module = m, .count = (size_t)k->count};

	if (high == NULL || stride == NULL)
		return;
	/* Each item asks for its bound, so that the loop may go past it. */
	end = kt_ir_read(m, high);
	step = kt_ir_read(m, stride);
	if (k->is_spread)
		step = times(m, step, kt_ir_constant(m, type, k->count));
	else
		end = kt_ir_apply(m, KT_IR_DIV, plus(m, more(m, end, lead), k->count - 1), kt_ir_constant(m, type, k->count), NULL);
	end = end == NULL ? NULL : kt_ir_fold_all(m, end);
	made = kt_ir_for(m, to, s->symbol->hint, thread(m, over, type), end, step);
	branch = kt_ir_if(m, &guarded, within(m, kt_ir_read(m, s->symbol), high, lead, offset));
	if (made == NULL || branch == NULL || !start_items(k, &jam, &made->body, s, made->symbol, stride, lead, offset))
		return;
	made->line = branch->line = s->line;
	made->origin = s->origin;
	made->unroll = s->unroll;
	branch->body = s->body;
	kt_ir_jam_region(&jam, &made->body, &guarded);
	if (lead != NULL || choice != NULL)
		ask_ends(k, &jam, made->body.last, s, high, offset);
	if (choice != NULL && jam.split_count > 0 && jam.splits[jam.split_count - 1] == made->body.last)
		write_ends(k, made->body.last, &jam, s, high, lead, offset);
	ahead.loop = made;
	keep_splits(k, &jam, &ahead);
}

static void in_region(struct kt_ir_widening *k, struct kt_ir_region *region)
{
	struct kt_ir_region made = {NULL, NULL}, *inner;
	struct kt_ir_module *m = k->module;
	int64_t offset;

	for (struct kt_ir_statement *s = region->first, *next; s != NULL && !m->failed; s = next) {
		const enum kt_ir_over over = kt_ir_distributed_over(&offset, s, &k->lets, k->block);

		next = s->next;
		if (over != KT_IR_OVER_NOTHING && k->count > 1) {
			widen(k, &made, s, over, offset);
			continue;
		}
		if (over != KT_IR_OVER_NOTHING) {
			deal(k, s, over, offset);
		} else {
			for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
				in_region(k, inner);
		}
		kt_ir_push(&made, s);
	}
	*region = made;
}

void kt_ir_widen(struct kt_ir_widening *k, struct kt_ir_region *region)
{
	kt_ir_find_ties(k, region);
	in_region(k, region);
}
