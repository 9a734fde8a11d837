/* Statements on terms. */
#include "generation/ir/simt.h"

#include <string.h>

#include "generation/ir/walk.h"

typedef const struct kt_ir_term_of term;

enum { WARP = 32, MOST_STEPS = 1 << 21, MOST_CELLS = 1 << 14, DEEPEST = 16 };

/* Which threads run a statement; a jump takes a thread out until the loop that it leads to. */
struct active {
	bool on[KT_IR_TERM_THREADS];
};

bool kt_ir_simt_start(struct kt_ir_simt *s, struct kt_ir_module *module, struct kt_arena *arena,
		      const struct kt_ir_uniformity *uniformity, unsigned threads)
{
	*s = (struct kt_ir_simt){.arena = arena, .uniformity = uniformity, .symbol_count = (size_t)module->next_id + 1};
	s->versions = kt_arena_array(arena, s->symbol_count, sizeof *s->versions);
	s->values = kt_arena_array(arena, s->symbol_count, sizeof *s->values);
	return threads <= KT_IR_TERM_THREADS && s->versions != NULL && s->values != NULL &&
	       kt_ir_terms_start(&s->terms, module, arena, threads);
}

static bool stop(struct kt_ir_simt *s, uint32_t line, const char *why)
{
	if (s->why == NULL) {
		s->why = why;
		s->line = line;
	}
	return false;
}

/* ---- Symbols ---- */

static term *leaf_of(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol, unsigned thread)
{
	/* Symbols that are newer than the analysis are of a thread. */
	const bool is_common = symbol->id < s->uniformity->count && s->uniformity->of[symbol->id] != KT_IR_OF_THREAD;

	return kt_ir_term_leaf(&s->terms, symbol, s->versions[symbol->id], is_common ? KT_IR_EVERY : (int)thread);
}

term *kt_ir_simt_of(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol, unsigned thread)
{
	return s->values[symbol->id] == NULL ? leaf_of(s, symbol, thread) : s->values[symbol->id][thread];
}

void kt_ir_simt_forget(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	s->values[symbol->id] = NULL;
	s->versions[symbol->id]++;
}

/* The symbol's values, which may be changed; NULL: out of memory. */
static term **owned(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	term **made = s->values[symbol->id];

	if (made != NULL)
		return made;
	made = kt_arena_array(s->arena, s->terms.threads, sizeof *made);
	if (made == NULL) {
		(void)stop(s, symbol->line, "out of memory");
		return NULL;
	}
	for (unsigned t = 0; t < s->terms.threads; t++)
		made[t] = leaf_of(s, symbol, t);
	return s->values[symbol->id] = made;
}

/* ---- Values ---- */

static term *evaluate(struct kt_ir_simt *s, const struct kt_ir_value *v, unsigned thread);

static term *number(struct kt_ir_simt *s, const struct kt_ir_type *type, int64_t value)
{
	return kt_ir_term_constant(&s->terms, kt_ir_constant(s->terms.module, type, value));
}

static term *axis(struct kt_ir_simt *s, const struct kt_ir_value *v, unsigned thread)
{
	switch (v->axis) {
	case KT_IR_THREAD:
	case KT_IR_BLOCK_DIM:
		if (v->dimension != 0)
			return s->uniformity->in_row ? kt_ir_term_axis(&s->terms, v)
						     : number(s, v->type, v->axis == KT_IR_BLOCK_DIM);
		return number(s, v->type, v->axis == KT_IR_THREAD ? thread : s->terms.threads);
	case KT_IR_LANE:
		return number(s, v->type, thread % WARP);
	case KT_IR_WARP_SIZE:
		return number(s, v->type, WARP);
	default:
		return kt_ir_term_axis(&s->terms, v);
	}
}

static term *evaluate(struct kt_ir_simt *s, const struct kt_ir_value *v, unsigned thread)
{
	term *operands[4];

	switch (v->op) {
	case KT_IR_CONSTANT:
		return kt_ir_term_constant(&s->terms, v);
	case KT_IR_AXIS:
		return axis(s, v, thread);
	case KT_IR_READ:
		return kt_ir_simt_of(s, v->symbol, thread);
	case KT_IR_ADDRESS:
	case KT_IR_PARAMETER:
		return s->terms.bad;
	default:
		break;
	}
	if (v->count == 0 || v->count > 4)
		return s->terms.bad;
	for (size_t i = 0; i < v->count; i++)
		operands[i] = evaluate(s, v->arguments[i], thread);
	return kt_ir_term_apply(&s->terms, v, operands, v->count);
}

static bool known(term *t, int64_t *value)
{
	return t->kind == KT_IR_T_CONSTANT && kt_ir_is_constant(t->value, value);
}

/* ---- Shared memory ---- */

static int64_t elements_of(const struct kt_ir_type *type)
{
	int64_t count = 1;

	for (; type->kind == KT_IR_ARRAY; type = type->element) {
		if (type->count <= 0 || count > MOST_CELLS / type->count)
			return 0;
		count *= type->count;
	}
	return kt_ir_is_number(type) ? count : 0;
}

static struct kt_ir_cells *cells_of(struct kt_ir_simt *s, const struct kt_ir_symbol *symbol)
{
	struct kt_ir_cells *made;
	/* What rows of a block have in common is not known. */
	const int64_t count = s->uniformity->in_row ? 0 : elements_of(symbol->type);

	for (size_t i = 0; i < s->cell_count; i++)
		if (s->cells[i].symbol == symbol)
			return &s->cells[i];
	if (count == 0)
		return NULL;
	made = kt_arena_push(s->arena, &s->cells, &s->cell_count, sizeof *made);
	if (made == NULL)
		return NULL;
	*made = (struct kt_ir_cells){symbol, count, kt_arena_array(s->arena, (size_t)count, sizeof *made->terms)};
	return made->terms == NULL ? NULL : made;
}

/* The element that the place is for the thread; NULL: not known, or outside. */
static term **cell(struct kt_ir_simt *s, const struct kt_ir_place *place, unsigned thread)
{
	struct kt_ir_cells *cells = cells_of(s, place->symbol);
	const struct kt_ir_type *type = place->symbol->type;
	int64_t at = 0, index;

	for (size_t i = 0; i < place->count; i++, type = type->element) {
		if (place->steps[i].kind != KT_IR_INDEX || type->kind != KT_IR_ARRAY ||
		    !known(evaluate(s, place->steps[i].index, thread), &index) || index < 0 || index >= type->count)
			return NULL;
		at = at * type->count + index;
	}
	return cells == NULL || type->kind == KT_IR_ARRAY ? NULL : &cells->terms[at];
}

term *kt_ir_simt_load(struct kt_ir_simt *s, const struct kt_ir_place *place, unsigned thread)
{
	term **from = cell(s, place, thread);

	return from == NULL || *from == NULL ? s->terms.bad : *from;
}

static bool is_shared(const struct kt_ir_statement *s)
{
	return s->place != NULL && s->place->symbol != NULL && s->place->symbol->kind == KT_IR_SHARED_SYMBOL &&
	       !s->hint.is_volatile && !s->place->symbol->is_volatile;
}

/* Loads and stores of one statement are apart: without races no thread stores what another one loads there. */
static bool store(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a)
{
	unsigned char *written = kt_arena_array(s->arena, MOST_CELLS, 1);
	struct kt_ir_cells *cells = cells_of(s, statement->place->symbol);

	if (written == NULL || cells == NULL)
		return stop(s, statement->line, "shared memory is too large, or holds what is no number");
	for (unsigned t = 0; t < s->terms.threads; t++) {
		term **to, *value;

		if (!a->on[t])
			continue;
		to = cell(s, statement->place, t);
		value = evaluate(s, statement->value, t);
		if (to == NULL)
			return stop(s, statement->line, "an element of shared memory is not known");
		/* Threads that store different values race: which one stays is not known. */
		*to = written[to - cells->terms] != 0 && *to != value ? s->terms.bad : value;
		written[to - cells->terms] = 1;
	}
	return true;
}

/* ---- Collectives ---- */

static unsigned source(unsigned thread, unsigned number, int64_t by, int64_t width)
{
	const unsigned lane = thread % WARP, first = lane & ~((unsigned)width - 1), last = first + (unsigned)width - 1;
	unsigned from = lane;

	if (number == KT_IR_SHUFFLE)
		from = first + ((unsigned)by & ((unsigned)width - 1));
	else if (number == KT_IR_SHUFFLE_UP)
		from = lane >= first + (unsigned)by ? lane - (unsigned)by : lane;
	else if (number == KT_IR_SHUFFLE_DOWN)
		from = lane + (unsigned)by <= last ? lane + (unsigned)by : lane;
	else if ((lane ^ (unsigned)by) <= last)
		from = lane ^ (unsigned)by;
	return thread - lane + from;
}

static term *shuffled(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a, unsigned thread)
{
	int64_t by, width;
	unsigned from;

	if (!known(evaluate(s, statement->further[1], thread), &by) || !known(evaluate(s, statement->further[2], thread), &width) ||
	    width < 1 || width > WARP || (width & (width - 1)) != 0 || by < 0 || by >= WARP)
		return s->terms.bad;
	from = source(thread, statement->number, by, width);
	return from < s->terms.threads && a->on[from] ? evaluate(s, statement->further[0], from) : s->terms.bad;
}

static term *reduced(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a, unsigned thread)
{
	static const enum kt_ir_op ops[KT_IR_COLLECTIVES] = {[KT_IR_REDUCE_ADD] = KT_IR_ADD, [KT_IR_REDUCE_AND] = KT_IR_AND,
							     [KT_IR_REDUCE_OR] = KT_IR_OR, [KT_IR_REDUCE_XOR] = KT_IR_XOR};
	const unsigned first = thread - thread % WARP;
	term *found = NULL;

	if (ops[statement->number] == 0)
		return s->terms.bad;
	for (unsigned t = first; t < first + WARP && t < s->terms.threads; t++) {
		term *given;

		if (!a->on[t])
			continue;
		given = evaluate(s, statement->further[0], t);
		found = found == NULL ? given : kt_ir_term_combine(&s->terms, ops[statement->number], found, given);
	}
	return found == NULL ? s->terms.bad : found;
}

static bool collective(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a)
{
	term *given[KT_IR_TERM_THREADS], **to;

	if (statement->symbol == NULL)
		return true;
	for (unsigned t = 0; t < s->terms.threads; t++) {
		if (!a->on[t])
			given[t] = s->terms.bad;
		else if (statement->number <= KT_IR_SHUFFLE_XOR)
			given[t] = shuffled(s, statement, a, t);
		else
			given[t] = reduced(s, statement, a, t);
	}
	to = owned(s, statement->symbol);
	for (unsigned t = 0; to != NULL && t < s->terms.threads; t++)
		if (a->on[t])
			to[t] = given[t];
	return to != NULL;
}

/* ---- Statements ---- */

static bool region(struct kt_ir_simt *s, const struct kt_ir_region *r, struct active *a, unsigned char *jumps, unsigned depth);

static bool any(const struct kt_ir_simt *s, const struct active *a)
{
	for (unsigned t = 0; t < s->terms.threads; t++)
		if (a->on[t])
			return true;
	return false;
}

static bool assign(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a)
{
	term **to = owned(s, statement->symbol), *made[KT_IR_TERM_THREADS];

	for (unsigned t = 0; t < s->terms.threads; t++)
		if (a->on[t])
			made[t] = statement->kind == KT_IR_S_LOAD ? kt_ir_simt_load(s, statement->place, t)
								  : evaluate(s, statement->value, t);
	for (unsigned t = 0; to != NULL && t < s->terms.threads; t++)
		if (a->on[t])
			to[t] = made[t];
	return to != NULL;
}

/* The threads that take the branch leave `rest`. */
static bool branch(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *taken, struct active *rest)
{
	int64_t truth;

	memset(taken, 0, sizeof *taken);
	for (unsigned t = 0; t < s->terms.threads; t++) {
		if (!rest->on[t])
			continue;
		if (!known(evaluate(s, statement->value, t), &truth))
			return stop(s, statement->line, "a branch of an exchange depends on data");
		taken->on[t] = truth != 0;
		rest->on[t] = truth == 0;
	}
	return true;
}

static bool if_statement(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
			 unsigned depth)
{
	struct active taken, rest = *a;

	if (!branch(s, statement, &taken, &rest) || !region(s, &statement->body, &taken, jumps, depth) ||
	    !region(s, &statement->otherwise, &rest, jumps, depth))
		return false;
	for (unsigned t = 0; t < s->terms.threads; t++)
		a->on[t] = taken.on[t] || rest.on[t];
	return true;
}

/* Jumps of threads: 0: none; 1: continue; 2 + n: break of the loop and n further ones. */
enum { STAYS, CONTINUES, BREAKS };

/* Those that jumped in the loop come back: to its next iteration, or behind it. */
static void resume(struct kt_ir_simt *s, struct active *a, const struct active *entered, unsigned char *jumps, bool is_end)
{
	for (unsigned t = 0; t < s->terms.threads; t++) {
		if (!entered->on[t] || a->on[t])
			continue;
		if (jumps[t] == (is_end ? BREAKS : CONTINUES)) {
			jumps[t] = STAYS;
			a->on[t] = true;
		} else if (is_end && jumps[t] > BREAKS) {
			jumps[t]--;
		}
	}
}

static bool loop(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
		 unsigned depth)
{
	const struct active entered = *a;

	while (any(s, a)) {
		if (!region(s, &statement->body, a, jumps, depth))
			return false;
		resume(s, a, &entered, jumps, false);
		if (!region(s, &statement->otherwise, a, jumps, depth))
			return false;
	}
	resume(s, a, &entered, jumps, true);
	return true;
}

static bool for_loop(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
		     unsigned depth)
{
	const struct active entered = *a;
	term **counter = owned(s, statement->symbol);
	int64_t low, high, step;

	for (unsigned t = 0; counter != NULL && t < s->terms.threads; t++)
		if (a->on[t])
			counter[t] = evaluate(s, statement->value, t);
	while (counter != NULL && any(s, a)) {
		for (unsigned t = 0; t < s->terms.threads; t++) {
			if (!a->on[t])
				continue;
			if (!known(counter[t], &low) || !known(evaluate(s, statement->further[0], t), &high) ||
			    !known(evaluate(s, statement->further[1], t), &step) || step == 0)
				return stop(s, statement->line, "how often a loop of an exchange runs depends on data");
			a->on[t] = step > 0 ? low < high : low > high;
		}
		if (!region(s, &statement->body, a, jumps, depth))
			return false;
		resume(s, a, &entered, jumps, false);
		for (unsigned t = 0; t < s->terms.threads; t++)
			if (a->on[t] && known(counter[t], &low) && known(evaluate(s, statement->further[1], t), &step))
				counter[t] = number(s, statement->symbol->type, low + step);
	}
	*a = entered;
	return counter != NULL;
}

static bool jump(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps)
{
	if (statement->kind == KT_IR_S_CONTINUE && statement->number > 0)
		return stop(s, statement->line, "a jump of an exchange leads further outward");
	for (unsigned t = 0; t < s->terms.threads; t++) {
		if (!a->on[t])
			continue;
		jumps[t] = (unsigned char)(statement->kind == KT_IR_S_CONTINUE ? CONTINUES : BREAKS + statement->number);
		a->on[t] = false;
	}
	return true;
}

static bool barrier(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a)
{
	if (statement->scope == KT_IR_BLOCK_SCOPE && s->uniformity->in_row)
		return stop(s, statement->line, "rows of a block wait for each other");
	for (unsigned t = 0; statement->scope == KT_IR_BLOCK_SCOPE && t < s->terms.threads; t++)
		if (!a->on[t])
			return stop(s, statement->line, "a barrier that not all threads reach");
	return true;
}

static bool run(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
		unsigned depth)
{
	if (++s->steps > MOST_STEPS / s->terms.threads || s->terms.failed || depth > DEEPEST)
		return stop(s, statement->line, "an exchange between threads is too long");
	switch (statement->kind) {
	case KT_IR_S_DECLARE:
		if (statement->symbol->kind != KT_IR_SHARED_SYMBOL)
			kt_ir_simt_forget(s, statement->symbol);
		return true;
	case KT_IR_S_LET:
	case KT_IR_S_SET:
	case KT_IR_S_LOAD:
		return assign(s, statement, a);
	case KT_IR_S_STORE:
		return store(s, statement, a);
	case KT_IR_S_COLLECTIVE:
		return collective(s, statement, a);
	case KT_IR_S_BARRIER:
		return barrier(s, statement, a);
	case KT_IR_S_IF:
		return if_statement(s, statement, a, jumps, depth + 1);
	case KT_IR_S_FOR:
		return for_loop(s, statement, a, jumps, depth + 1);
	case KT_IR_S_LOOP:
		return loop(s, statement, a, jumps, depth + 1);
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
		return jump(s, statement, a, jumps);
	default:
		return true; /* a fence: the order that it asks for is kept */
	}
}

static bool region(struct kt_ir_simt *s, const struct kt_ir_region *r, struct active *a, unsigned char *jumps, unsigned depth)
{
	for (const struct kt_ir_statement *i = r->first; i != NULL && any(s, a); i = i->next)
		if (!run(s, i, a, jumps, depth))
			return false;
	return true;
}

bool kt_ir_simt_run(struct kt_ir_simt *s, const struct kt_ir_statement *statement)
{
	unsigned char jumps[KT_IR_TERM_THREADS] = {0};
	struct active all = {{false}};

	for (unsigned t = 0; t < s->terms.threads; t++)
		all.on[t] = true;
	return run(s, statement, &all, jumps, 0);
}

/* ---- What may be run ---- */

static bool fits(struct kt_ir_statement *s, void *context)
{
	(void)context;
	switch (s->kind) {
	case KT_IR_S_DECLARE:
		return !s->symbol->is_memory || s->symbol->kind == KT_IR_SHARED_SYMBOL;
	case KT_IR_S_LET:
	case KT_IR_S_SET:
	case KT_IR_S_IF:
	case KT_IR_S_FOR:
	case KT_IR_S_LOOP:
	case KT_IR_S_BREAK:
	case KT_IR_S_CONTINUE:
		return true;
	case KT_IR_S_FENCE:
	case KT_IR_S_BARRIER:
		return s->scope == KT_IR_BLOCK_SCOPE || s->scope == KT_IR_WARP;
	case KT_IR_S_LOAD:
	case KT_IR_S_STORE:
		return is_shared(s);
	case KT_IR_S_COLLECTIVE:
		return s->number <= KT_IR_SHUFFLE_XOR || (s->number >= KT_IR_REDUCE_ADD && s->number <= KT_IR_REDUCE_XOR);
	default:
		return false;
	}
}

bool kt_ir_simt_fits(const struct kt_ir_statement *statement)
{
	struct kt_ir_statement copy = *statement;
	const struct kt_ir_region alone = {&copy, &copy};

	copy.next = NULL;
	return kt_ir_visit(&alone, fits, NULL);
}
