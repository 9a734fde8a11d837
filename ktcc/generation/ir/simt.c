/* Statements on terms. */
#include "generation/ir/simt_data.h"

#include <string.h>

#include "generation/ir/walk.h"

typedef const struct kt_ir_term_of term;

enum { MOST_STEPS = 1 << 21, DEEPEST = 16 };

/* Which threads run a statement; a jump takes a thread out until the loop that it leads to. */
struct active {
	bool on[KT_IR_TERM_THREADS];
};

/* What the thread has where its branch may or may not be taken. */
static term *maybe(struct kt_ir_simt *s, const struct kt_ir_type *type, unsigned thread, term *value, term *old)
{
	term *condition = s->conditions == NULL ? NULL : s->conditions[thread];

	return condition == NULL ? value : kt_ir_term_select(&s->terms, type, condition, value, old);
}

/* ---- Shared memory ---- */

/* Volatile ones as well: lanes that exchange by them race, unless they run side by side, as here. */
static bool is_shared(const struct kt_ir_statement *s)
{
	return s->place != NULL && s->place->symbol != NULL && s->place->symbol->kind == KT_IR_SHARED_SYMBOL;
}

/* Loads and stores of one statement are disjoint: without races no thread stores what another one loads there. */
static bool store(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a)
{
	unsigned char *written = kt_arena_array(s->arena, KT_IR_SIMT_CELLS, 1);
	struct kt_ir_cells *cells = kt_ir_simt_cells(s, statement->place->symbol);

	if (written == NULL || cells == NULL)
		return kt_ir_simt_stop(s, statement->line, "shared memory is too large, or holds what is no number");
	for (unsigned t = 0; t < s->terms.threads; t++) {
		term **to, *value;

		if (!a->on[t])
			continue;
		NEED(to = kt_ir_simt_cell(s, statement->place, t),
		     kt_ir_simt_stop(s, statement->line, "an element of shared memory is not known"));
		value = maybe(s, statement->value->type, t, kt_ir_simt_value(s, statement->value, t), *to != NULL ? *to : s->terms.bad);
		/* Threads that store different values race: which one stays is not known. */
		*to = written[to - cells->terms] != 0 && *to != value ? s->terms.bad : value;
		written[to - cells->terms] = 1;
	}
	return true;
}

/* ---- Collectives ---- */

static unsigned source(unsigned thread, unsigned number, int64_t by, int64_t width)
{
	const unsigned lane = thread % KT_IR_SIMT_WARP, first = lane & ~((unsigned)width - 1), last = first + (unsigned)width - 1;
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

	if (!kt_ir_simt_known(kt_ir_simt_value(s, statement->further[1], thread), &by) || !kt_ir_simt_known(kt_ir_simt_value(s, statement->further[2], thread), &width) ||
	    width < 1 || width > KT_IR_SIMT_WARP || (width & (width - 1)) != 0 || by < 0 || by >= KT_IR_SIMT_WARP)
		return s->terms.bad;
	from = source(thread, statement->number, by, width);
	return from < s->terms.threads && a->on[from] ? kt_ir_simt_value(s, statement->further[0], from) : s->terms.bad;
}

static term *reduced(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a, unsigned thread)
{
	static const enum kt_ir_op ops[KT_IR_COLLECTIVES] = {[KT_IR_REDUCE_ADD] = KT_IR_ADD, [KT_IR_REDUCE_AND] = KT_IR_AND,
							     [KT_IR_REDUCE_OR] = KT_IR_OR, [KT_IR_REDUCE_XOR] = KT_IR_XOR};
	const unsigned first = thread - thread % KT_IR_SIMT_WARP;
	term *found = NULL;

	if (ops[statement->number] == 0)
		return s->terms.bad;
	for (unsigned t = first; t < first + KT_IR_SIMT_WARP && t < s->terms.threads; t++) {
		term *given;

		if (!a->on[t])
			continue;
		given = kt_ir_simt_value(s, statement->further[0], t);
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
	to = kt_ir_simt_owned(s, statement->symbol);
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
	term **to = kt_ir_simt_owned(s, statement->symbol), *made[KT_IR_TERM_THREADS];

	for (unsigned t = 0; to != NULL && t < s->terms.threads; t++) {
		if (!a->on[t])
			continue;
		made[t] = statement->kind == KT_IR_S_LOAD ? kt_ir_simt_load(s, statement->place, t)
							  : kt_ir_simt_value(s, statement->value, t);
		/* A temporary is read in its branch alone. */
		if (statement->kind == KT_IR_S_SET)
			made[t] = maybe(s, statement->symbol->type, t, made[t], to[t]);
	}
	for (unsigned t = 0; to != NULL && t < s->terms.threads; t++)
		if (a->on[t])
			to[t] = made[t];
	return to != NULL;
}

/* Do its regions only compute and access shared memory, so that it may be run without knowing whether it is? */
static bool only_selects(struct kt_ir_statement *s, void *context)
{
	(void)context;
	return s->kind == KT_IR_S_LET || s->kind == KT_IR_S_LOAD || s->kind == KT_IR_S_SET || s->kind == KT_IR_S_STORE ||
	       s->kind == KT_IR_S_IF || (s->kind == KT_IR_S_DECLARE && s->symbol->kind == KT_IR_LOCAL_SYMBOL);
}

/* Threads of a branch: which of them come, and under which conditions; NULL: it is known that they do. */
struct side {
	struct active active;
	term *conditions[KT_IR_TERM_THREADS];
};

/*
 * Divides the threads into those that take the branch and the others. Those of which it is not known are in both. 0: it is
 * known of all; 1: not; -1: it cannot be run.
 */
static int branch(struct kt_ir_simt *s, const struct kt_ir_statement *statement, const struct active *a, struct side *taken,
		  struct side *rest)
{
	int found = 0;
	int64_t truth;

	for (unsigned t = 0; t < s->terms.threads; t++) {
		term *outer = s->conditions == NULL ? NULL : s->conditions[t], *condition;

		taken->active.on[t] = rest->active.on[t] = false;
		taken->conditions[t] = rest->conditions[t] = outer;
		if (!a->on[t])
			continue;
		condition = kt_ir_simt_value(s, statement->value, t);
		if (condition->kind == KT_IR_T_BAD)
			return -1;
		if (kt_ir_simt_known(condition, &truth)) {
			taken->active.on[t] = truth != 0;
			rest->active.on[t] = truth == 0;
			continue;
		}
		taken->active.on[t] = rest->active.on[t] = true;
		taken->conditions[t] = kt_ir_term_both(&s->terms, outer, condition);
		rest->conditions[t] = kt_ir_term_both(&s->terms, outer, kt_ir_term_not(&s->terms, condition));
		found = 1;
	}
	return found;
}

static bool if_statement(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
			 unsigned depth)
{
	struct side taken, rest;
	term **const outer = s->conditions;
	const int found = branch(s, statement, a, &taken, &rest);
	bool ok;

	if (found != 0 && (found < 0 || !kt_ir_visit(&statement->body, only_selects, NULL) ||
			   !kt_ir_visit(&statement->otherwise, only_selects, NULL)))
		return kt_ir_simt_stop(s, statement->line, "a branch of an exchange depends on data");
	s->conditions = found != 0 ? taken.conditions : outer;
	ok = region(s, &statement->body, &taken.active, jumps, depth);
	s->conditions = found != 0 ? rest.conditions : outer;
	ok = ok && region(s, &statement->otherwise, &rest.active, jumps, depth);
	s->conditions = outer;
	for (unsigned t = 0; t < s->terms.threads; t++)
		a->on[t] = taken.active.on[t] || rest.active.on[t];
	return ok;
}

/* Jumps of threads: 0: none; 1: continue; 2 + n: break of the loop and n further ones. */
enum { STAYS, CONTINUES, BREAKS };

/* Those that jumped in the loop come back: to its next iteration, or to what follows it. */
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
	term **counter = kt_ir_simt_owned(s, statement->symbol);
	int64_t low, high, step;

	for (unsigned t = 0; counter != NULL && t < s->terms.threads; t++)
		if (a->on[t])
			counter[t] = kt_ir_simt_value(s, statement->value, t);
	while (counter != NULL && any(s, a)) {
		for (unsigned t = 0; t < s->terms.threads; t++) {
			if (!a->on[t])
				continue;
			if (!kt_ir_simt_known(counter[t], &low) || !kt_ir_simt_known(kt_ir_simt_value(s, statement->further[0], t), &high) ||
			    !kt_ir_simt_known(kt_ir_simt_value(s, statement->further[1], t), &step) || step == 0)
				return kt_ir_simt_stop(s, statement->line, "how often a loop of an exchange runs depends on data");
			a->on[t] = step > 0 ? low < high : low > high;
		}
		if (!region(s, &statement->body, a, jumps, depth))
			return false;
		resume(s, a, &entered, jumps, false);
		for (unsigned t = 0; t < s->terms.threads; t++)
			if (a->on[t] && kt_ir_simt_known(counter[t], &low) && kt_ir_simt_known(kt_ir_simt_value(s, statement->further[1], t), &step))
				counter[t] = kt_ir_simt_number(s, statement->symbol->type, low + step);
	}
	*a = entered;
	return counter != NULL;
}

static bool jump(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps)
{
	if (statement->kind == KT_IR_S_CONTINUE && statement->number > 0)
		return kt_ir_simt_stop(s, statement->line, "a jump of an exchange leads further outward");
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
		return kt_ir_simt_stop(s, statement->line, "rows of a block wait for each other");
	for (unsigned t = 0; statement->scope == KT_IR_BLOCK_SCOPE && t < s->terms.threads; t++)
		if (!a->on[t])
			return kt_ir_simt_stop(s, statement->line, "a barrier that not all threads reach");
	return true;
}

static bool run(struct kt_ir_simt *s, const struct kt_ir_statement *statement, struct active *a, unsigned char *jumps,
		unsigned depth)
{
	if (++s->steps > MOST_STEPS / s->terms.threads || s->terms.failed || depth > DEEPEST)
		return kt_ir_simt_stop(s, statement->line, "an exchange between threads is too long");
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
