#include <stdlib.h>

#include "pass_case.h"

struct kt_ir_offer *pass_offer(struct kt_arena *arena, const char *text, const char *pass, const struct kt_ir_facts *facts)
{
	struct kt_ir_facts *own = kt_arena_alloc(arena, sizeof *own);
	const char **allowed = kt_arena_alloc(arena, sizeof *allowed);
	struct kt_ir_module *module = ir_read(arena, text);
	struct kt_ir_offer *offer;
	struct kt_error err = {0};

	assert_true(own != NULL && allowed != NULL);
	*own = *facts;
	*allowed = pass;
	own->allowed = allowed;
	own->allowed_count = 1;
	if (kt_ir_verify(module, true, &err) != KT_OK || kt_ir_offer_make(&offer, arena, module, own, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	assert_int_equal(offer->answer_count, 1);
	assert_string_equal(offer->answers[0].pass->name, pass);
	return offer;
}

void pass_refuses(const char *text, const char *pass, const struct kt_ir_facts *facts, uint32_t line, const char *why)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, text, pass, facts);

	if (offer->answers[0].applies)
		fail_msg("applies, and should not: %s\n%s", why, text);
	assert_string_equal(offer->answers[0].text, why);
	assert_int_equal(offer->answers[0].line, line);
	assert_int_equal(offer->tunable_count + offer->restriction_count + offer->guard_count, 0);
	kt_arena_free(arena);
}

struct kt_ir_module *pass_variant(struct kt_arena *arena, const struct kt_ir_offer *offer, const int64_t *values)
{
	struct kt_ir_module *variant;
	struct kt_error err = {0};

	if (kt_ir_variant_make(&variant, arena, offer, values, &err) != KT_OK)
		fail_msg("%s", err.message);
	return variant;
}

enum { ELEMENTS = 256 };

static void run(float *y, const struct kt_ir_module *module, uint32_t grid, uint32_t block, int n, uint64_t seed)
{
	float x[ELEMENTS];
	const struct kt_ir_buffer outputs = {y, sizeof x, false, false}, inputs = {x, sizeof x, false, false};
	const struct kt_ir_actual actual[] = {{&outputs, 0, NULL}, {&inputs, 0, NULL}, {NULL, 0, &n}};
	const struct kt_ir_launch launch = {.grid = {grid, 1, 1}, .block = {block, 1, 1}, .seed = seed,
					    .step_limit = 1000000, .argument_count = 3, .arguments = actual};
	struct kt_ir_result result;
	struct kt_error err = {0};

	for (int i = 0; i < ELEMENTS; i++) {
		x[i] = (float)(i * 37 % 101) / 8 - 5;
		y[i] = (float)(i % 7);
	}
	if (kt_ir_run(&result, module, module->last_function, &launch, &err) != KT_OK)
		fail_msg("%s", err.message);
	if (result.fault != KT_IR_NO_FAULT)
		fail_msg("%s: %s", kt_ir_fault_texts[result.fault], result.message);
}

void pass_same(const struct kt_ir_offer *offer, const struct kt_ir_module *variant, uint32_t grid, uint32_t block, int n)
{
	float before[ELEMENTS], after[ELEMENTS];

	for (uint64_t seed = 1; seed <= 3; seed++) {
		run(before, offer->module, grid, block, n, seed);
		run(after, variant, grid, block, n, seed);
		assert_memory_equal(before, after, sizeof before);
	}
}
