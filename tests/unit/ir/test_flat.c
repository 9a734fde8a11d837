/* Axes along y and z of launches that do not have them. */
#include <stdlib.h>

#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32>) {\n"
#define RANK                                                                                                           \
	"  let %b = add(block.x, mul(griddim.x, add(block.y, mul(griddim.y, block.z))))\n"                                  \
	"  let %t = add(thread.x, mul(blockdim.x, add(thread.y, mul(blockdim.y, thread.z))))\n"                             \
	"  let %i = add(mul(%b, mul(blockdim.x, mul(blockdim.y, blockdim.z))), %t)\n"                                       \
	"  store *%y[convert(%i):i64] = convert(%i):i32\n}\n"

static void check(const struct kt_ir_facts *facts, const char *want)
{
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_module *module = ir_read(arena, HEAD RANK), *wanted = ir_read(arena, want);

	kt_ir_flatten(module, facts);
	char *got = ir_text(module), *text = ir_text(wanted);
	assert_string_equal(got, text);
	free(got);
	free(text);
	kt_arena_free(arena);
}

static void test_line(void **state)
{
	const struct kt_ir_facts facts = {.block = {64, 1, 1}, .grid = {"n", "1"}, .blocks = {"64"}};

	(void)state;
	check(&facts, HEAD "  let %b = add(block.x, mul(griddim.x, add(0:u32, mul(1:u32, 0:u32))))\n"
			   "  let %t = add(thread.x, mul(blockdim.x, add(0:u32, mul(1:u32, 0:u32))))\n"
			   "  let %i = add(mul(%b, mul(blockdim.x, mul(1:u32, 1:u32))), %t)\n"
			   "  store *%y[convert(%i):i64] = convert(%i):i32\n}\n");
}

/* One block along x may become several; what is not known is left alone. */
static void test_kept(void **state)
{
	const struct kt_ir_facts facts = {.block = {1, 0, 2}, .grid = {"1", "n", "1 + 0"}, .blocks = {"1", "m", "2"}};

	(void)state;
	check(&facts, HEAD RANK);
}

/* The rank of a thread in the grid is its index along x, so that threads may take several. */
static void test_offer(void **state)
{
	static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}};
	const struct kt_ir_facts facts = {
	    .block = {64, 1, 1}, .arguments = arguments, .grid = {"n"}, .blocks = {"64"}};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);

	(void)state;
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD RANK, "items", &facts);
	int64_t originals[KT_IR_MOST_TUNABLES];
	assert_true(offer->tunable_count > 0);
	/* Where no pass runs, the kernel has its axes: the print of that is the certificate's. */
	for (size_t i = 0; i < offer->tunable_count; i++)
		originals[i] = offer->tunables[i].original;
	char *got = ir_text(pass_variant(arena, offer, originals)), *text = ir_text(offer->module);
	assert_string_equal(got, text);
	free(got);
	free(text);
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_line), cmocka_unit_test(test_kept), cmocka_unit_test(test_offer)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
