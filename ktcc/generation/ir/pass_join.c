/* Parameters, clauses and geometry of two offers. */
#include "generation/ir/pass_join.h"

#include <inttypes.h>
#include <string.h>

#define HERE KT_IR_UNSTAGE " == 0"
#define THERE KT_IR_UNSTAGE " == 1"

static struct kt_ir_tunable *named(const struct kt_ir_offer *offer, const char *name)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, name) == 0)
			return (struct kt_ir_tunable *)(uintptr_t)&offer->tunables[i];
	return NULL;
}

static bool has_value(const struct kt_ir_tunable *t, int64_t value)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->values[i] == value)
			return true;
	return false;
}

/* "NAME == 1 || NAME == 2" */
static const char *one_of(struct kt_ir_offer *offer, const struct kt_ir_tunable *t)
{
	const char *text = "";

	for (size_t i = 0; i < t->count; i++)
		text = kt_ir_offer_text(offer, "%s%s%s == %" PRId64, text, i == 0 ? "" : " || ", t->name, t->values[i]);
	return text;
}

static int64_t original(const struct kt_ir_tunable *t)
{
	return t->has_original ? t->original : t->values[0];
}

static void keep_original(struct kt_ir_offer *offer, const struct kt_ir_tunable *t, const char *unless)
{
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "%s || %s == %" PRId64, unless, t->name, original(t)),
				"a parameter of the other kernel alone");
}

/* One that both have: all values, each for the kernel that has it. */
static void join_values(struct kt_ir_offer *offer, struct kt_ir_tunable *here, const struct kt_ir_tunable *there)
{
	const char *mine = one_of(offer, here), *others = one_of(offer, there);

	if (strcmp(mine, others) == 0)
		return;
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, THERE " || %s", mine), "a value of the other kernel alone");
	kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, HERE " || %s", others), "a value of the other kernel alone");
	for (size_t i = 0; i < there->count; i++)
		if (!has_value(here, there->values[i]))
			here->values[here->count++] = there->values[i];
}

static void join_tunables(struct kt_ir_offer *offer, const struct kt_ir_offer *other)
{
	const size_t count = offer->tunable_count;

	for (size_t i = 0; i < count; i++)
		if (strcmp(offer->tunables[i].name, KT_IR_UNSTAGE) != 0 && named(other, offer->tunables[i].name) == NULL)
			keep_original(offer, &offer->tunables[i], HERE);
	for (size_t i = 0; i < other->tunable_count; i++) {
		const struct kt_ir_tunable *t = &other->tunables[i];
		struct kt_ir_tunable *mine = named(offer, t->name);

		if (mine != NULL) {
			join_values(offer, mine, t);
			continue;
		}
		offer->tunables[offer->tunable_count] = *t;
		offer->tunables[offer->tunable_count].has_original = true;
		offer->tunables[offer->tunable_count++].original = original(t);
		keep_original(offer, t, THERE);
	}
}

static bool has_clause(const struct kt_ir_clause *list, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].text, text) == 0)
			return true;
	return false;
}

/* Clauses of both stay; of one, they are about its configurations. */
static void join_clauses(struct kt_ir_offer *offer, struct kt_ir_clause *here, size_t *count, const struct kt_ir_clause *there,
			 size_t there_count)
{
	const size_t before = *count;

	for (size_t i = 0; i < before; i++)
		if (!has_clause(there, there_count, here[i].text))
			here[i].text = kt_ir_offer_text(offer, THERE " || (%s)", here[i].text);
	for (size_t i = 0; i < there_count; i++)
		if (!has_clause(here, before, there[i].text))
			here[(*count)++] = (struct kt_ir_clause){kt_ir_offer_text(offer, HERE " || (%s)", there[i].text), there[i].reason};
}

static const char *join_text(struct kt_ir_offer *offer, const char *here, const char *there)
{
	here = here == NULL ? "1" : here;
	there = there == NULL ? "1" : there;
	return strcmp(here, there) == 0 ? here : kt_ir_offer_text(offer, THERE " ? (%s) : (%s)", there, here);
}

/* A pass that applies to the other kernel applies; what applies to none of the two has its reason for both. */
static void join_answers(struct kt_ir_offer *offer, const struct kt_ir_offer *other)
{
	for (size_t i = 0; i < offer->answer_count; i++)
		for (size_t k = 0; k < other->answer_count; k++) {
			struct kt_ir_answer *here = &offer->answers[i];
			const struct kt_ir_answer *there = &other->answers[k];

			if (here->applies || here->pass != there->pass)
				continue;
			if (there->applies)
				*here = *there;
			else if (strcmp(here->text, there->text) != 0)
				here->text = kt_ir_offer_text(offer, "%s; without shared memory: line %u: %s", here->text, there->line, there->text);
		}
}

/* Is there room for what both have? */
static bool has_room(const struct kt_ir_offer *a, const struct kt_ir_offer *b)
{
	const size_t tunables = a->tunable_count + b->tunable_count;

	for (size_t i = 0; i < b->tunable_count; i++) {
		const struct kt_ir_tunable *mine = named(a, b->tunables[i].name);

		if (mine != NULL && mine->count + b->tunables[i].count > KT_IR_MOST_VALUES)
			return false;
	}
	return tunables <= KT_IR_MOST_TUNABLES && a->guard_count + b->guard_count <= KT_IR_MOST_CLAUSES &&
	       a->restriction_count + b->restriction_count + 2 * tunables <= KT_IR_MOST_CLAUSES;
}

/* All that the pass has added is its parameter: clauses of the other kernel are in its own offer. */
static void leave_out(struct kt_ir_offer *offer)
{
	struct kt_ir_tunable *choice = named(offer, KT_IR_UNSTAGE);

	offer->other = NULL;
	memmove(choice, choice + 1, (size_t)(&offer->tunables[--offer->tunable_count] - choice) * sizeof *choice);
	for (size_t i = 0; i < offer->answer_count; i++)
		if (strcmp(offer->answers[i].pass->name, "unstage") == 0) {
			offer->answers[i].applies = false;
			offer->answers[i].text = "the passes offer more for both kernels than a template holds";
		}
}

static void join(struct kt_ir_offer *offer, const struct kt_ir_offer *other)
{
	join_clauses(offer, offer->restrictions, &offer->restriction_count, other->restrictions, other->restriction_count);
	join_clauses(offer, offer->guards, &offer->guard_count, other->guards, other->guard_count);
	join_tunables(offer, other);
	for (size_t d = 0; d < 3; d++) {
		offer->grid[d] = join_text(offer, offer->grid[d], other->grid[d]);
		offer->blocks[d] = join_text(offer, offer->blocks[d], other->blocks[d]);
	}
	join_answers(offer, other);
}

void kt_ir_offer_join(struct kt_ir_offer *offer)
{
	struct kt_ir_offer both = *offer;

	if (offer->other == NULL || offer->failed)
		return;
	both.answers = kt_arena_array(offer->arena, offer->answer_count, sizeof *both.answers);
	if (both.answers != NULL)
		memcpy(both.answers, offer->answers, offer->answer_count * sizeof *both.answers);
	if (both.answers != NULL && has_room(offer, offer->other))
		join(&both, offer->other);
	else
		both.failed = true;
	if (both.failed)
		leave_out(offer);
	else
		*offer = both;
}

const char *kt_ir_offer_shared_bytes(struct kt_arena *arena, const struct kt_ir_offer *offer, const char *bytes)
{
	return offer->other == NULL ? bytes : kt_arena_printf(arena, THERE " ? 0 : (%s)", bytes);
}

bool kt_ir_offer_other(int64_t *other_values, const struct kt_ir_offer *offer, const int64_t *values)
{
	const struct kt_ir_tunable *choice = named(offer, KT_IR_UNSTAGE);

	if (offer->other == NULL || values[choice - offer->tunables] == choice->original)
		return false;
	for (size_t i = 0; i < offer->other->tunable_count; i++)
		other_values[i] = values[named(offer, offer->other->tunables[i].name) - offer->tunables];
	return true;
}
