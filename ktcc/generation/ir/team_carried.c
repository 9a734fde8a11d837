/* What a loop carries from iteration to iteration: reductions, and choices with what goes with them. */
#include "generation/ir/team.h"

#include "generation/ir/counted.h"
#include "generation/ir/walk.h"

struct finding {
	struct kt_ir_team_loop *loop;
	const struct kt_ir_lets *lets;
	const struct kt_ir_function *kernel;
	const struct kt_ir_after *at;
	const char *why;
	uint32_t line;
};

static bool stop(struct finding *f, const struct kt_ir_statement *s, const char *why)
{
	f->why = why;
	f->line = s->line;
	return false;
}

/* Does a register hold it that shuffles exchange? */
static bool is_word(const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_type *type = symbol->type;

	return symbol->kind == KT_IR_LOCAL_SYMBOL && !symbol->is_memory && !symbol->is_volatile && kt_ir_is_number(type) &&
	       (type->kind == KT_IR_FLOAT ? type->format == KT_IR_F32 || type->format == KT_IR_F64
					  : type->bits == 32 || type->bits == 64);
}

static struct kt_ir_carried *add(struct finding *f, const struct kt_ir_statement *s, struct kt_ir_symbol *symbol)
{
	if (f->loop->count == KT_IR_MOST_CARRIED) {
		(void)stop(f, s, "the loop carries too many values");
		return NULL;
	}
	f->loop->carried[f->loop->count] = (struct kt_ir_carried){.symbol = symbol};
	return &f->loop->carried[f->loop->count++];
}

/* ---- Choices ---- */

struct sets {
	const struct kt_ir_symbol *symbol;
	unsigned count;
};

static bool count_set(struct kt_ir_statement *s, void *context)
{
	struct sets *c = context;

	c->count += s->kind == KT_IR_S_SET && s->symbol == c->symbol;
	return true;
}

static unsigned sets_of(const struct kt_ir_statement *loop, const struct kt_ir_symbol *symbol)
{
	struct sets c = {symbol, 0};

	(void)kt_ir_visit(&loop->body, count_set, &c);
	return c.count;
}

static const enum kt_ir_op swapped[KT_IR_OP_COUNT] = {
    [KT_IR_LT] = KT_IR_GT, [KT_IR_GT] = KT_IR_LT, [KT_IR_LE] = KT_IR_GE, [KT_IR_GE] = KT_IR_LE};

/* Is it a comparison of `chosen` with what the local keeps, in either order? */
static bool compares(enum kt_ir_op *comparison, const struct kt_ir_value *v, const struct kt_ir_value *chosen, const struct kt_ir_symbol *kept)
{
	for (int side = 0; v->count == 2 && side < 2; side++) {
		const struct kt_ir_value *other = v->arguments[1 - side];

		if (other->op != KT_IR_READ || other->symbol != kept || !kt_ir_same(v->arguments[side], chosen))
			continue;
		*comparison = side == 0 || v->op == KT_IR_EQ ? v->op : swapped[v->op];
		return *comparison != 0;
	}
	return false;
}

static const struct kt_ir_statement *set_of(const struct kt_ir_statement *branch, const struct kt_ir_symbol *symbol)
{
	for (const struct kt_ir_statement *s = branch->body.first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_SET && s->symbol == symbol)
			return s;
	return NULL;
}

/* `e == best && i < index`, where the branch sets the index to i. */
static bool is_tie(struct kt_ir_carried *c, const struct kt_ir_symbol **index, const struct kt_ir_value *v, const struct kt_ir_statement *branch,
		   const struct kt_ir_statement *set)
{
	enum kt_ir_op equal;

	if (v->op != KT_IR_BOTH || !compares(&equal, v->arguments[0], set->value, set->symbol) || equal != KT_IR_EQ)
		return false;
	v = v->arguments[1];
	for (const struct kt_ir_statement *s = branch->body.first; s != NULL; s = s->next)
		if (s->kind == KT_IR_S_SET && s != set && compares(&c->tie, v, s->value, s->symbol)) {
			*index = s->symbol;
			return c->tie == KT_IR_LT || c->tie == KT_IR_GT;
		}
	return false;
}

/*
 * The set of the branch that gives the compared value to the local that it is compared with, in `if (e > best) { best = e; … }` or
 * `if (e > best || e == best && i < index) { best = e; index = i; … }`; NULL: it is none. *index: NULL in the first form.
 */
static const struct kt_ir_statement *chosen(struct kt_ir_carried *c, const struct kt_ir_symbol **index, const struct kt_ir_lets *lets,
					    const struct kt_ir_statement *branch)
{
	const struct kt_ir_value *condition = kt_ir_behind_let(lets, branch->value);
	const struct kt_ir_value *first = condition->op == KT_IR_EITHER ? condition->arguments[0] : condition;

	*index = NULL;
	if (swapped[first->op] == 0)
		return NULL;
	for (int side = 0; side < 2; side++) {
		const struct kt_ir_value *kept = first->arguments[side];
		const struct kt_ir_statement *set = kept->op == KT_IR_READ ? set_of(branch, kept->symbol) : NULL;

		if (set == NULL || !compares(&c->comparison, first, set->value, set->symbol))
			continue;
		if (first == condition)
			return set;
		return (c->comparison == KT_IR_LT || c->comparison == KT_IR_GT) && is_tie(c, index, condition->arguments[1], branch, set) ? set : NULL;
	}
	return NULL;
}

/* Is the local of the loop's outside, set here alone and never read in the loop but as often as this? */
static bool is_kept(const struct finding *f, const struct kt_ir_symbol *symbol, unsigned reads)
{
	const struct kt_ir_statement *loop = f->loop->statement;

	/* One that an iteration declares is read before it is set, or set twice. */
	return is_word(symbol) && sets_of(loop, symbol) == 1 && kt_ir_count_reads(&loop->body, symbol) == reads;
}

static bool find_choice(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	const struct kt_ir_statement *set;
	const struct kt_ir_symbol *index;
	struct kt_ir_carried found = {.choice = s}, *slot;

	if (s->kind != KT_IR_S_IF || s->otherwise.first != NULL)
		return true;
	set = chosen(&found, &index, f->lets, s);
	if (set == NULL || !is_kept(f, set->symbol, index == NULL ? 1 : 2))
		return true;
	for (const struct kt_ir_statement *i = s->body.first; i != NULL; i = i->next) {
		if (i->kind == KT_IR_S_LET || i->kind == KT_IR_S_LOAD || i == set)
			continue;
		if (i->kind != KT_IR_S_SET || found.payload_count == KT_IR_MOST_PAYLOADS || !is_kept(f, i->symbol, i->symbol == index))
			return true;
		if (i->symbol == index)
			found.tie_payload = found.payload_count;
		found.payloads[found.payload_count++] = i->symbol;
	}
	slot = add(f, s, set->symbol);
	if (slot == NULL)
		return false;
	found.symbol = set->symbol;
	*slot = found;
	return true;
}

/* ---- Every local that the loop sets ---- */

static bool is_found(const struct kt_ir_team_loop *l, const struct kt_ir_symbol *symbol)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->carried[i].symbol == symbol)
			return true;
		for (size_t j = 0; j < l->carried[i].payload_count; j++)
			if (l->carried[i].payloads[j] == symbol)
				return true;
	}
	return false;
}

/* Does each iteration set the local before it reads it, and does nothing after the loop read it? */
static bool is_own(const struct finding *f, const struct kt_ir_symbol *symbol)
{
	const struct kt_ir_statement start = {.next = f->loop->statement->body.first};
	const struct kt_ir_after begin = {NULL, &start};

	return !kt_ir_is_live_after(symbol, &begin) && !kt_ir_is_live_after(symbol, f->at);
}

static bool find_set(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	struct kt_ir_reduction reduction;
	struct kt_ir_carried *slot;

	if (s->kind != KT_IR_S_SET || kt_ir_defines(&f->loop->statement->body, s->symbol) || is_found(f->loop, s->symbol))
		return true;
	if (is_word(s->symbol) && kt_ir_is_reduction(&reduction, f->loop->statement, s->symbol)) {
		slot = add(f, s, s->symbol);
		if (slot != NULL)
			slot->reduction = reduction;
		return slot != NULL;
	}
	return is_own(f, s->symbol) || stop(f, s, "a value goes from one iteration to the next one");
}

const char *kt_ir_why_carried(struct kt_ir_team_loop *loop, uint32_t *line, const struct kt_ir_lets *lets,
			      const struct kt_ir_function *kernel, const void *at)
{
	struct finding f = {.loop = loop, .lets = lets, .kernel = kernel, .at = at};

	loop->count = 0;
	if (!kt_ir_visit(&loop->statement->body, find_choice, &f) || !kt_ir_visit(&loop->statement->body, find_set, &f))
		*line = f.line;
	return f.why;
}

bool kt_ir_is_choice(struct kt_ir_carried *found, struct kt_ir_statement *loop, const struct kt_ir_symbol *symbol, const struct kt_ir_lets *lets)
{
	struct kt_ir_team_loop l = {.statement = loop};
	struct finding f = {.loop = &l, .lets = lets};

	(void)kt_ir_visit(&loop->body, find_choice, &f);
	for (size_t i = 0; i < l.count; i++)
		if (l.carried[i].symbol == symbol || (l.carried[i].payload_count == 1 && l.carried[i].payloads[0] == symbol)) {
			*found = l.carried[i];
			return true;
		}
	return false;
}
