/* Where distributed loops of vectors begin: in front of their first index, so that later items lie at multiples of a vector. */
#include "generation/ir/distributed.h"
#include "generation/ir/effect.h"
#include "generation/ir/row.h"
#include "generation/ir/walk.h"
#include "generation/ir/widen_parts.h"

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
	return lead == NULL ? NULL : kt_ir_widen_name(k, to, "lead", kt_ir_convert(m, lead, s->symbol->type, KT_IR_AS_VALUE));
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

/* Guards ensure that different arguments are disjoint. */
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

void kt_ir_find_ties(struct kt_ir_widening *k, const struct kt_ir_region *body)
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

struct kt_ir_symbol *kt_ir_lead_of(struct kt_ir_widening *k, struct kt_ir_region *to, const struct kt_ir_statement *s, int64_t offset)
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
