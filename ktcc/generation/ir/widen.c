/* Distributed loops with more iterations at a time. */
#include "generation/ir/widen.h"

#include "generation/ir/distributed.h"
#include "generation/ir/effect.h"
#include "generation/ir/jam.h"
#include "generation/ir/normal.h"
#include "generation/ir/row.h"
#include "generation/ir/walk.h"


static const struct kt_ir_value *axis(struct kt_ir_module *m, enum kt_ir_axis which, const struct kt_ir_type *type)
{
	return kt_ir_convert(m, kt_ir_axis(m, which, 0), type, KT_IR_AS_VALUE);
}

/* None of these wraps: guards say so. */
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

static struct kt_ir_symbol *named(struct kt_ir_widening *k, struct kt_ir_region *to, const char *hint, const struct kt_ir_value *value)
{
	struct kt_ir_symbol *made = value == NULL ? NULL : kt_ir_let(k->module, to, hint, kt_ir_fold_all(k->module, value));

	return made;
}

/* ---- Rows of any length ---- */

enum { WIDEST = 4 };

struct beginning {
	struct kt_ir_widening *k;
	const struct kt_ir_value *counter;
	int64_t width;
	unsigned aligned, anywhere;           /* accesses of neighbours, by where they begin */
	const struct kt_ir_statement *access; /* the first one that begins anywhere */
};

static bool count_beginning(struct kt_ir_statement *s, void *context)
{
	struct beginning *b = context;
	const struct kt_ir_term *term;
	struct kt_ir_form form;
	bool is_multiple = true;

	if (!kt_ir_is_element(s) || !kt_ir_form_of(&form, &b->k->lets, s->place->steps[0].index, true) ||
	    kt_ir_form_degree(&form, b->counter, &term) != 1 || term->count != 1 || term->factor != 1)
		return true;
	for (size_t i = 0; i < form.count; i++)
		is_multiple = is_multiple && (&form.terms[i] == term || form.terms[i].factor % b->width == 0);
	if (is_multiple && form.constant % b->width == 0) {
		b->aligned++;
	} else {
		b->anywhere++;
		b->access = b->access == NULL ? s : b->access;
	}
	return true;
}

/*
 * How many items the first iteration has in front of the loop's first index, so that each further one begins at a multiple
 * of a vector: where the accesses begin is not known, as in rows of any length. NULL: it is none.
 */
static struct kt_ir_symbol *lead_of(struct kt_ir_widening *k, struct kt_ir_region *to, const struct kt_ir_statement *s, int64_t offset)
{
	struct kt_ir_module *m = k->module;
	struct beginning b = {.k = k, .counter = kt_ir_read(m, s->symbol), .width = k->count < WIDEST ? k->count : WIDEST};
	struct kt_ir_row row;
	const struct kt_ir_value *lead;

	if (!k->is_vector || k->is_spread || b.counter == NULL)
		return NULL;
	(void)kt_ir_visit(&s->body, count_beginning, &b);
	if (b.access == NULL || b.anywhere < b.aligned || !kt_ir_row_of(&row, m, &k->lets, &s->body))
		return NULL;
	row.symbol = s->symbol;
	row.instead = kt_ir_constant(m, s->symbol->type, offset);
	lead = kt_ir_elements_past(&row, b.access, b.width);
	return lead == NULL ? NULL : named(k, to, "lead", kt_ir_convert(m, lead, s->symbol->type, KT_IR_AS_VALUE));
}

/* ---- Loops that need the same threads ---- */

struct placed {
	const struct kt_ir_statement *loop;
	const struct kt_ir_region *region;
	int64_t offset;
	bool is_repeated;
};

struct ties {
	struct kt_ir_widening *k;
	size_t count;
	struct placed *loops;
	const struct kt_ir_statement *access, *other; /* other: the loop whose accesses are compared with this one */
	bool found;
};

static void collect(struct ties *t, const struct kt_ir_region *region, bool is_repeated)
{
	struct kt_ir_region *inner;
	struct placed *slot;
	int64_t offset;

	for (struct kt_ir_statement *s = region->first; s != NULL; s = s->next) {
		if (kt_ir_distributed_over(&offset, s, &t->k->lets, t->k->block) == KT_IR_OVER_NOTHING) {
			for (size_t i = 0; (inner = kt_ir_region_of(s, i)) != NULL; i++)
				collect(t, inner, is_repeated || s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_LOOP);
			continue;
		}
		slot = kt_arena_push(t->k->module->arena, &t->loops, &t->count, sizeof *slot);
		if (slot == NULL)
			kt_ir_fail(t->k->module, "out of memory");
		else
			*slot = (struct placed){s, region, offset, is_repeated};
	}
}

static bool is_access(const struct kt_ir_statement *s)
{
	return (s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_STORE) &&
	       (s->place->symbol == NULL || s->place->symbol->kind != KT_IR_LOCAL_SYMBOL);
}

/* Different arguments are kept apart by guards. */
static bool is_apart_from(struct kt_ir_statement *s, void *context)
{
	struct ties *t = context;
	const struct kt_ir_symbol *a, *b;

	if (!is_access(s) || (s->kind == KT_IR_S_LOAD && t->access->kind == KT_IR_S_LOAD))
		return true;
	a = kt_ir_root_of(s->place);
	b = kt_ir_root_of(t->access->place);
	t->found = a == NULL || b == NULL || a == b;
	return !t->found;
}

static bool is_apart_from_loop(struct kt_ir_statement *s, void *context)
{
	struct ties *t = context;

	t->access = s;
	return !is_access(s) || kt_ir_visit(&t->other->body, is_apart_from, t);
}

/* An index must be one thread's in two loops, or whenever a loop is run again, where memory that is written says so. */
static void find_ties(struct kt_ir_widening *k, const struct kt_ir_region *body)
{
	struct ties t = {.k = k};
	bool is_tied = false, is_alike = true;

	k->leads = KT_IR_OWN_LEAD;
	collect(&t, body, false);
	for (size_t i = 0; i < t.count; i++)
		for (size_t j = 0; j <= i; j++) {
			if (i == j && !t.loops[i].is_repeated)
				continue;
			t.other = t.loops[j].loop;
			(void)kt_ir_visit(&t.loops[i].loop->body, is_apart_from_loop, &t);
			is_tied |= t.found;
			is_alike = is_alike && !(t.found && t.loops[i].is_repeated) && t.loops[i].region == t.loops[0].region &&
				   t.loops[i].offset == t.loops[0].offset && t.loops[i].loop->symbol->type == t.loops[0].loop->symbol->type;
			t.found = false;
		}
	if (is_tied)
		k->leads = is_alike ? KT_IR_COMMON_LEAD : KT_IR_NO_LEAD;
}

/* The first one of its own loop, or of the first of the loops. */
static struct kt_ir_symbol *common_lead_of(struct kt_ir_widening *k, struct kt_ir_region *to, const struct kt_ir_statement *s, int64_t offset)
{
	if (k->leads == KT_IR_NO_LEAD)
		return NULL;
	if (k->leads == KT_IR_OWN_LEAD)
		return lead_of(k, to, s, offset);
	if (!k->has_lead)
		k->lead = lead_of(k, to, s, offset);
	k->has_lead = true;
	return k->lead;
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
		made = named(k, to, s->symbol->hint, index);
		if (made == NULL || !kt_ir_cloner_start(&jam->items[i], m, NULL, NULL))
			return false;
		jam->items[i].values[s->symbol->id] = kt_ir_read(m, made);
	}
	return true;
}

/* Of items one behind the other the first and the last one say whether all have an iteration. The first one may have wrapped. */
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

/* The loop with several items in each iteration, which ask for the bound as one. */
static void widen(struct kt_ir_widening *k, struct kt_ir_region *to, struct kt_ir_statement *s, enum kt_ir_over over, int64_t offset)
{
	struct kt_ir_module *m = k->module;
	const struct kt_ir_type *type = s->symbol->type;
	struct kt_ir_symbol *high = named(k, to, "end", s->further[0]), *stride = named(k, to, "stride", threads(m, over, type)),
			    *lead = common_lead_of(k, to, s, offset);
	const struct kt_ir_value *end, *step;
	struct kt_ir_jam jam = {.module = m, .count = (size_t)k->count};
	struct kt_ir_region guarded = {NULL, NULL};
	struct kt_ir_statement *made, *branch;

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
	if (lead != NULL)
		ask_ends(k, &jam, made->body.last, s, high, offset);
	for (size_t i = 0; i < jam.split_count && !m->failed; i++) {
		struct kt_ir_statement **slot = kt_arena_push(m->arena, &k->splits, &k->split_count, sizeof *slot);

		if (slot == NULL)
			kt_ir_fail(m, "out of memory");
		else
			*slot = jam.splits[i];
	}
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
			s->value = kt_ir_fold_all(m, plus(m, thread(m, over, s->symbol->type), offset));
			s->further[1] = threads(m, over, s->symbol->type);
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
	find_ties(k, region);
	in_region(k, region);
}
