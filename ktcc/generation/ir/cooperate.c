/* Pieces of exchange become totals. */
#include "generation/ir/cooperate.h"
#include "generation/ir/cooperate_parts.h"

#include "generation/ir/distributed.h"
#include "generation/ir/normal.h"
#include "generation/ir/simt.h"
#include "generation/ir/walk.h"

typedef const struct kt_ir_term_of term;

enum { WARP = 32, MOST_BYTES = 48 << 20 };

static const char unordered[] =
    "a comparison chooses between values of threads that may be no numbers (NaN), so that their order matters";

static bool stop(struct kt_ir_piece *p, uint32_t line, const char *why)
{
	if (p->why == NULL) {
		p->why = why;
		p->line = line;
	}
	return false;
}

static const char *why_none(const struct kt_ir_piece_list *l, const char *otherwise)
{
	return l->simt.terms.meets_nan   ? unordered
	       : l->simt.terms.meets_tie ? "of equal values the exchange keeps one by the order of threads; compare what goes with them, too"
					 : otherwise;
}

/* ---- What is used of a piece ---- */

/* How many reads of the symbol the statements have; *first: all of them where only thread 0 comes. */
static unsigned reads(const struct kt_ir_piece *p, const struct kt_ir_statement *from, const struct kt_ir_symbol *symbol, bool *first)
{
	unsigned count = 0;

	for (const struct kt_ir_statement *s = from; s != NULL; s = s->next) {
		struct kt_ir_statement copy = *s;
		const struct kt_ir_region alone = {&copy, &copy};
		unsigned found;

		copy.next = NULL;
		found = kt_ir_count_reads(&alone, symbol);
		*first = *first && (found == 0 || (s->kind == KT_IR_S_IF && s->otherwise.first == NULL && kt_ir_is_first_thread(s->value, p->lets)));
		count += found;
	}
	return count;
}

/* The term that all threads which need it have in common, in the form of the thread that evaluates it; NULL: none. */
static term *common(term *const *values, unsigned threads, bool only_first)
{
	term *own = values[0]->own;

	for (unsigned t = 0; own != NULL && t < (only_first ? 1 : threads); t++)
		if (values[t]->own != own || (values[t]->thread != KT_IR_EVERY && values[t]->thread != (int)t))
			own = NULL;
	/* In the place of the first thread's value all threads get theirs. */
	return own != NULL && only_first && values[0]->thread != KT_IR_EVERY ? NULL : own;
}

/* The symbol as the statements after the piece need it; where it is declared further outward, as those need it as well. */
static bool keep_symbol(struct kt_ir_piece_list *l, struct kt_ir_symbol *symbol, struct kt_ir_statement *behind,
			struct kt_ir_statement *last)
{
	struct kt_ir_module *m = l->p->module;
	struct kt_ir_region rest = {behind, last}, one = {NULL, NULL};
	const bool is_own = symbol->kind == KT_IR_TEMPORARY || kt_ir_defines(l->out, symbol);
	bool only_first = true;
	const struct kt_ir_value *value;
	term *t;

	if (reads(l->p, behind, symbol, &only_first) == 0 && is_own)
		return true;
	only_first = only_first && is_own;
	t = l->simt.values[symbol->id] == NULL ? NULL : common(l->simt.values[symbol->id], l->p->threads, only_first);
	value = t == NULL ? NULL : kt_ir_piece_value(l, t);
	if (value == NULL)
		return stop(l->p, symbol->line, why_none(l, "threads exchange more than totals over the block"));
	if (is_own && !kt_ir_sets(&rest, symbol)) {
		(void)kt_ir_substitute(m, &rest, symbol, value);
		return !m->failed;
	}
	(void)kt_ir_set(m, &one, symbol, value);
	kt_ir_piece_add(l, &one);
	return !m->failed;
}

struct defined {
	size_t count;
	struct kt_ir_symbol **symbols;
	struct kt_arena *arena;
};

/* Symbols that the statement, or what is inside of it, assigns; those that it declares itself are not visible after it. */
static bool collect(struct kt_ir_statement *s, void *context)
{
	struct defined *d = context;
	struct kt_ir_symbol **slot;

	if (s->symbol == NULL || s->kind == KT_IR_S_FOR || s->kind == KT_IR_S_DECLARE)
		return true;
	for (size_t i = 0; i < d->count; i++)
		if (d->symbols[i] == s->symbol)
			return true;
	slot = kt_arena_push(d->arena, &d->symbols, &d->count, sizeof *slot);
	if (slot != NULL)
		*slot = s->symbol;
	return slot != NULL;
}

/* ---- Pieces ---- */

/* What the symbols are now is what values of the next piece are made of. */
static bool remember(struct kt_ir_piece_list *l)
{
	const size_t count = l->simt.symbol_count;

	l->before = kt_arena_array(l->p->scratch, count, sizeof *l->before);
	l->versions = kt_arena_array(l->p->scratch, count, sizeof *l->versions);
	if (l->before == NULL || l->versions == NULL)
		return stop(l->p, 0, "out of memory");
	for (size_t i = 0; i < count; i++) {
		l->versions[i] = l->simt.versions[i];
		if (l->simt.values[i] == NULL)
			continue;
		NEED(l->before[i] = kt_arena_array(l->p->scratch, l->p->threads, sizeof **l->before),
		     stop(l->p, 0, "out of memory"));
		for (unsigned t = 0; t < l->p->threads; t++)
			l->before[i][t] = l->simt.values[i][t];
	}
	l->made_count = 0;
	l->made = NULL;
	l->has_piece = true;
	l->last = l->out->last;
	return true;
}

static bool is_unread(const struct kt_ir_value *v, void *context)
{
	const struct defined *d = context;

	for (size_t i = 0; v->op == KT_IR_READ && i < d->count; i++)
		if (d->symbols[i] == v->symbol)
			return false;
	return true;
}

/* Does the statement read what those before it in the piece have assigned? */
static bool uses(const struct kt_ir_statement *s, struct defined *d)
{
	return !kt_ir_visit_values(s, is_unread, d);
}

/*
 * The last statement of the piece, before one that is not run: that exchanges, or computes from what was exchanged, as the
 * sum of the warps' parts.
 */
static struct kt_ir_statement *end_of_piece(struct kt_ir_piece_list *l, struct kt_ir_statement *first)
{
	struct defined d = {.arena = l->p->scratch};
	struct kt_ir_statement *last = first;

	for (struct kt_ir_statement *s = first; s != NULL && !kt_ir_is_outside_piece(s); s = s->next) {
		struct kt_ir_statement copy = *s;
		const struct kt_ir_region alone = {&copy, &copy};

		copy.next = NULL;
		if (kt_ir_exchanges(s) || uses(s, &d)) {
			last = s;
			if (!kt_ir_visit(&alone, collect, &d))
				return NULL;
		}
	}
	return last;
}

static bool run(struct kt_ir_piece_list *l, const struct kt_ir_statement *s)
{
	return kt_ir_simt_run(&l->simt, s) ||
	       stop(l->p, l->simt.line != 0 ? l->simt.line : s->line, why_none(l, l->simt.why != NULL ? l->simt.why : "out of memory"));
}

/* Is it declared in a statement of the piece, and so not visible after it? */
static bool is_declared_inside(const struct kt_ir_region *piece, size_t count, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < count; i++)
		if (symbol->kind == KT_IR_LOCAL_SYMBOL && kt_ir_defines(&piece[i], symbol))
			return true;
	return false;
}

static bool replace(struct kt_ir_piece_list *l, struct kt_ir_statement *first, struct kt_ir_statement *last,
		    struct kt_ir_statement *end)
{
	struct kt_ir_statement *behind = last->next;
	struct defined d = {.arena = l->p->scratch};
	struct kt_ir_region kept = {NULL, NULL}, *piece = NULL, *slot;
	size_t count = 0;

	if (!remember(l))
		return false;
	for (struct kt_ir_statement *s = first, *next; s != behind; s = next) {
		struct kt_ir_region alone = {s, s};

		next = s->next;
		if (!run(l, s))
			return false;
		s->next = NULL;
		/* What depends on nothing of the piece may as well come before it. */
		if (s->kind == KT_IR_S_DECLARE || (s->kind == KT_IR_S_LET && !uses(s, &d))) {
			kt_ir_push(&kept, s);
			continue;
		}
		slot = kt_arena_push(l->p->scratch, &piece, &count, sizeof *slot);
		if (slot == NULL || !kt_ir_visit(&alone, collect, &d))
			return stop(l->p, s->line, "out of memory");
		*slot = alone;
	}
	kt_ir_piece_add(l, &kept);
	for (size_t i = 0; i < d.count; i++)
		if (!is_declared_inside(piece, count, d.symbols[i]) && !keep_symbol(l, d.symbols[i], behind, end))
			return false;
	return true;
}

/* ---- Statements that are not run ---- */

/* What all threads load from shared memory is what the last piece left there. */
static bool forward(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_piece_list *l = context;
	term *values[KT_IR_TERM_THREADS] = {NULL}, *t;
	const struct kt_ir_value *value;

	if (s->kind != KT_IR_S_LOAD || !kt_ir_exchanges(s))
		return true;
	for (unsigned i = 0; i < l->p->threads; i++)
		values[i] = kt_ir_simt_load(&l->simt, s->place, i);
	t = l->has_piece ? common(values, l->p->threads, false) : NULL;
	value = t == NULL ? NULL : kt_ir_piece_value(l, t);
	if (value == NULL)
		return stop(l->p, s->line, "what is loaded from shared memory is not known");
	s->kind = KT_IR_S_LET;
	s->value = value;
	s->place = NULL;
	s->hint = (struct kt_ir_hint){.is_volatile = false};
	return true;
}

static bool forget(struct kt_ir_statement *s, void *context)
{
	struct kt_ir_piece_list *l = context;

	if (s->symbol != NULL && s->kind != KT_IR_S_DECLARE)
		kt_ir_simt_forget(&l->simt, s->symbol);
	return true;
}

static bool in_list(struct kt_ir_piece *p, struct kt_ir_region *region);

/* Do all threads of the block come into the statement's regions together, and as often? */
static bool is_common_to_block(const struct kt_ir_piece *p, const struct kt_ir_statement *s)
{
	if (s->kind == KT_IR_S_IF)
		return kt_ir_sharing_of(p->uniformity, s->value) != KT_IR_OF_THREAD;
	return s->kind == KT_IR_S_FOR && kt_ir_sharing_of(p->uniformity, s->value) != KT_IR_OF_THREAD &&
	       kt_ir_sharing_of(p->uniformity, s->further[0]) != KT_IR_OF_THREAD &&
	       kt_ir_sharing_of(p->uniformity, s->further[1]) != KT_IR_OF_THREAD;
}

static bool outside(struct kt_ir_piece_list *l, struct kt_ir_statement *s)
{
	struct kt_ir_region alone = {s, s};
	struct kt_ir_region *inner;
	bool ok = true;

	if (kt_ir_takes_part(s)) {
		if (!is_common_to_block(l->p, s))
			return stop(l->p, s->line, "threads exchange values where they also access other memory");
		for (size_t i = 0; ok && (inner = kt_ir_region_of(s, i)) != NULL; i++)
			ok = in_list(l->p, inner);
		/* They may have left something else in shared memory. */
		l->simt.cell_count = 0;
	} else {
		ok = kt_ir_visit(&alone, forward, l);
	}
	if (ok)
		(void)kt_ir_visit(&alone, forget, l);
	return ok;
}

/* The statements of a region that all threads of the block run together. */
static bool in_list(struct kt_ir_piece *p, struct kt_ir_region *region)
{
	struct kt_ir_region out = {NULL, NULL};
	struct kt_ir_piece_list l = {.p = p, .out = &out};

	if (!kt_ir_simt_start(&l.simt, p->module, p->scratch, p->uniformity, p->numbers, p->threads))
		return stop(p, 0, "out of memory");
	for (struct kt_ir_statement *s = region->first, *next; s != NULL; s = next) {
		next = s->next;
		if (kt_ir_is_outside_piece(s)) {
			s->next = NULL;
			if (!outside(&l, s))
				return false;
			kt_ir_push(&out, s);
		} else if (kt_ir_exchanges(s) && s->kind != KT_IR_S_DECLARE) {
			struct kt_ir_statement *last = end_of_piece(&l, s);

			next = last == NULL ? NULL : last->next;
			if (last == NULL || !replace(&l, s, last, region->last))
				return false;
		} else {
			if (!run(&l, s))
				return false;
			s->next = NULL;
			kt_ir_push(&out, s);
		}
	}
	*region = out;
	return true;
}

/* ---- The whole kernel ---- */

static bool is_no_array(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return !kt_ir_declares_shared(s);
}

static bool has_none(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind == KT_IR_S_DECLARE || !kt_ir_exchanges(s) || (s->kind == KT_IR_S_COLLECTIVE && s->number >= KT_IR_TOTAL_ADD);
}

int64_t kt_ir_cooperating(const int64_t block[3])
{
	const bool is_flat = block[1] == 1 && block[2] == 1;

	return is_flat || (block[0] == WARP && block[1] > 0 && block[2] > 0) ? block[0] : 0;
}

struct analyses {
	struct kt_ir_uniformity uniformity;
	struct kt_ir_numbers numbers;
	struct kt_ir_lets lets;
};

/* What is known of the kernel as it is now. */
static bool analyse(struct kt_ir_piece *p, struct analyses *a, bool is_flat)
{
	p->uniformity = &a->uniformity;
	p->numbers = &a->numbers;
	p->lets = &a->lets;
	return (is_flat ? kt_ir_uniformity_of(&a->uniformity, p->scratch, p->module, p->function)
			: kt_ir_uniformity_of_rows(&a->uniformity, p->scratch, p->module, p->function)) &&
	       kt_ir_numbers_of(&a->numbers, p->scratch, p->module, p->function) &&
	       kt_ir_lets_of(&a->lets, p->scratch, p->module, p->function);
}

const char *kt_ir_cooperate(uint32_t *line, struct kt_ir_module *module, struct kt_ir_function *kernel, const int64_t block[3])
{
	const int64_t threads = kt_ir_cooperating(block);
	const bool is_flat = block[1] == 1 && block[2] == 1;
	struct kt_ir_piece p = {.module = module, .function = kernel, .threads = (unsigned)threads};
	struct analyses a;

	*line = kernel->line;
	if (kt_ir_visit(&kernel->body, has_none, NULL))
		return NULL;
	if (threads < WARP || threads > KT_IR_TERM_THREADS || threads % WARP != 0)
		return "threads exchange values, and the block is not known to be whole warps";
	p.why = kt_ir_why_unnamed(&kernel->body);
	if (p.why != NULL)
		return p.why;
	p.scratch = kt_arena_new(MOST_BYTES);
	if (p.scratch == NULL || !analyse(&p, &a, is_flat) || !kt_ir_divide_branches(&p) || !analyse(&p, &a, is_flat) ||
	    !kt_ir_own_elements(module, kernel, &a.lets)) {
		kt_arena_free(p.scratch);
		return "out of memory";
	}
	if (in_list(&p, &kernel->body) && !module->failed) {
		(void)kt_ir_filter(&kernel->body, is_no_array, NULL);
		/* What only the exchange used. */
		while (!module->failed && kt_ir_normalise_by(module, KT_IR_N_DEAD, NULL))
			continue;
	}
	kt_arena_free(p.scratch);
	*line = p.line != 0 ? p.line : kernel->line;
	return module->failed ? "out of memory" : p.why;
}
