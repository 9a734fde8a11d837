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

/*
 * The set of the branch that gives the compared value to the local that it is compared with, in `if (e > best) { best = e; … }`; NULL: it
 * is none.
 */
static const struct kt_ir_statement *chosen(enum kt_ir_op *comparison, const struct kt_ir_lets *lets, const struct kt_ir_statement *branch)
{
	const struct kt_ir_value *condition = kt_ir_behind_let(lets, branch->value);

	if (condition->count != 2 || swapped[condition->op] == 0)
		return NULL;
	for (const struct kt_ir_statement *s = branch->body.first; s != NULL; s = s->next)
		for (int side = 0; s->kind == KT_IR_S_SET && side < 2; side++) {
			const struct kt_ir_value *kept = condition->arguments[1 - side];

			if (kept->op != KT_IR_READ || kept->symbol != s->symbol || !kt_ir_same(s->value, condition->arguments[side]))
				continue;
			*comparison = side == 0 ? condition->op : swapped[condition->op];
			return s;
		}
	return NULL;
}

/* Is the local of the loop's outside, set here alone and never read in the loop but as often as this? */
static bool is_kept(const struct finding *f, const struct kt_ir_symbol *symbol, unsigned reads)
{
	const struct kt_ir_statement *loop = f->loop->statement;

	return is_word(symbol) && !kt_ir_defines(&loop->body, symbol) && sets_of(loop, symbol) == 1 &&
	       kt_ir_count_reads(&loop->body, symbol) == reads;
}

static bool find_choice(struct kt_ir_statement *s, void *context)
{
	struct finding *f = context;
	const struct kt_ir_statement *set;
	struct kt_ir_carried found = {.choice = s}, *slot;

	if (s->kind != KT_IR_S_IF || s->otherwise.first != NULL)
		return true;
	set = chosen(&found.comparison, f->lets, s);
	if (set == NULL || !is_kept(f, set->symbol, 1))
		return true;
	for (const struct kt_ir_statement *i = s->body.first; i != NULL; i = i->next) {
		if (i->kind == KT_IR_S_LET || i->kind == KT_IR_S_LOAD || i == set)
			continue;
		if (i->kind != KT_IR_S_SET || found.payload_count == KT_IR_MOST_PAYLOADS || !is_kept(f, i->symbol, 0))
			return true;
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

/* Does each iteration set the local before it reads it, and nothing behind the loop read it? */
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
