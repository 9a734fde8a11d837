/*
 * Unrolling: how many iterations of a loop the compiler writes out, so that their loads are under way together.
 *
 * Sound for any loop: the compiler keeps the order of iterations and their conditions. Offered for loops without loops inside
 * of them, which are those that run most often, in the kernel and in the functions that it calls.
 */
#include "generation/ir/pass.h"

enum { MOST_LOOPS = 3, AS_WRITTEN = 0, MOST_COPIES = 16 };

/* Each with three or more loops as a whole: 4³ configurations, else 5 or 5². */
static const int64_t few[] = {AS_WRITTEN, 1, 2, 4, 8}, many[] = {AS_WRITTEN, 1, 4, 8};

static bool is_loop(const struct kt_ir_statement *s)
{
	return s->kind == KT_IR_S_LOOP || (s->kind == KT_IR_S_FOR && !s->at_most_once);
}

static bool has_no_loop(const struct kt_ir_statement *s, unsigned depth, void *context)
{
	(void)depth;
	(void)context;
	return !is_loop(s);
}

struct found {
	size_t count;
	const struct kt_ir_statement *loops[MOST_LOOPS];
};

static bool find(const struct kt_ir_statement *s, unsigned depth, void *context)
{
	struct found *found = context;

	(void)depth;
	if (is_loop(s) && found->count < MOST_LOOPS && kt_ir_walk(&s->body, 0, has_no_loop, NULL))
		found->loops[found->count++] = s;
	return true;
}

/* What earlier passes write out already multiplies: more copies cost a compiler seconds and a kernel its registers. */
static void limit_copies(struct kt_ir_offer *offer, size_t repeated_count, const char *name)
{
	const char *copies = name;

	for (size_t i = 0; i < repeated_count; i++)
		if (offer->tunables[i].is_repeated)
			copies = kt_ir_offer_text(offer, "%s * %s", offer->tunables[i].name, copies);
	if (copies != name)
		kt_ir_offer_restriction(offer, kt_ir_offer_text(offer, "%s <= %d", copies, MOST_COPIES),
					"more copies of a loop's body would not stay in registers");
}

static bool applies(struct kt_ir_offer *offer)
{
	const size_t before = offer->tunable_count;
	struct found found = {0};

	for (const struct kt_ir_function *f = offer->module->functions; f != NULL; f = f->next)
		(void)kt_ir_walk(&f->body, 0, find, &found);
	if (found.count == 0)
		return kt_ir_refuses(offer, offer->kernel->line, "the kernel has no loop");
	for (size_t i = 0; i < found.count; i++) {
		const char *name = i == 0 ? "UNROLL" : kt_ir_offer_text(offer, "UNROLL%zu", i + 1);
		const char *meaning =
		    kt_ir_offer_text(offer, "iterations of the loop on line %u that are written out; 0: as in the original",
				     found.loops[i]->line);
		const bool is_few = found.count < MOST_LOOPS;

		kt_ir_offer_values(offer, name, meaning, is_few ? few : many,
				   is_few ? sizeof few / sizeof *few : sizeof many / sizeof *many, AS_WRITTEN)
		    ->statement = found.loops[i];
		limit_copies(offer, before, name);
	}
	return kt_ir_applies(offer, "the compiler keeps the order of iterations");
}

static void unroll(struct kt_ir_statement *s, void *context)
{
	const int64_t *factor = context;

	s->unroll = (int)*factor;
}

static kt_status transform(struct kt_ir_variant *variant, struct kt_error *err)
{
	(void)err;
	for (size_t i = 0; i < variant->offer->tunable_count; i++) {
		const struct kt_ir_tunable *t = &variant->offer->tunables[i];
		int64_t factor = variant->values[i];

		if (t->pass == variant->pass && factor != AS_WRITTEN)
			kt_ir_each_of(variant->module, t->statement, unroll, &factor);
	}
	return KT_OK;
}

const struct kt_ir_pass kt_ir_pass_loop_unroll = {"loop_unroll", applies, transform};
