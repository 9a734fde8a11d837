/*
 * What a kernel that stages may cost, and what is left where that is too much. Chains of lets that use each other twice (hashes, random numbers, rounds of a cipher), wherever a kernel that stages may have one:
 * they are as many values as they are written, never 2^n.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "generation/ir/pass_join.h"
#include "generation/ir/unstage.h"
#include "launches.h"
#include "pass_case.h"

enum { LAUNCHES = 12 };

#define HEAD "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n  shared %s: [i32 x 256]\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define LOADED INDEX "  let %v = load *%x[convert(%i):i64]\n"
#define BARRIER "  barrier block\n"
#define BEFORE "  store %s[convert(thread.x):i64] = 1:i32\n" BARRIER
#define STORE "  store %s[convert(thread.x):i64] = "
#define WHERE(condition) "  if " condition " {\n  let %u = load *%x[convert(%i):i64]\n" STORE "%u\n  }\n"
#define REVERSED "  let %w = load %s[convert(sub(63:u32, thread.x)):i64]\n"
#define RESULT "  store *%y[convert(%i):i64] = %w\n}\n"
/* The chain is where & is, $ is its last value. */
#define ONCE(stage, load) HEAD LOADED BEFORE "&" stage BARRIER load RESULT
#define REPEATED(stage, load)                                                                                                    \
	HEAD INDEX "  local %t: i32\n  set %t = 0:i32\n" BEFORE "  for %p = 0:i32, 3:i32, 1:i32 {\n&" stage BARRIER load BARRIER        \
	"  set %t = add(mul(%t, 3:i32), %w)\n  }\n  store *%y[convert(%i):i64] = %t\n}\n"

/* ~ is the value before. */
#define HASH "xor(~, shr(~, 3:u32))"
#define SUM "add(~, shl(~, 3:u32))"
#define ODD "eq(and($, 1:u32), 0:u32)"
#define BOTH "both(both(~, gt(%n, 3:i32)), both(~, lt(thread.x, 40:u32)))"
#define LEAST "@min(@min(~, 70:u32):u32, @min(~, convert(%n):u32):u32):u32"
#define GREATEST "rem(add(~, mul(~, 3:u32)), 9:u32)"
#define FLOAT "select(gt(%n, 9:i32), select(gt(%n, 11:i32), ~, neg(~)), neg(~))"

static const char much[] = "what is stored to shared memory takes too much to compute again",
		  other[] = "what is loaded from shared memory may be left from another iteration",
		  unsolved[] = "it is not known which thread stores what another one loads";

/* Why a chain of 15 or 30 values is refused, and one of 80; NULL: it is not. */
static const struct {
	const char *first, *link, *text, *why, *why_long;
} chains[] = {
    /* Around the store: of the thread, of all threads alike, as conditions, as sums. */
    {"mul(thread.x, 7:u32)", HASH, ONCE(WHERE(ODD), REVERSED), NULL, much},
    {"mul(thread.x, 7:u32)", SUM, ONCE(WHERE(ODD), REVERSED), NULL, much},
    {"convert(%n):u32", SUM, ONCE(WHERE("eq(add(thread.x, $), 9:u32)"), REVERSED), NULL, NULL},
    {"lt(thread.x, 50:u32)", BOTH, ONCE(WHERE("$"), REVERSED), NULL, much},
    {"convert(%n):u32", LEAST, ONCE(WHERE("lt(thread.x, $)"), REVERSED), NULL, NULL},
    {"and(thread.x, 3:u32)", GREATEST, ONCE(WHERE("lt($, 2:u32)"), REVERSED), NULL, much},
    {"mul(thread.x, 7:u32)", LEAST, ONCE(WHERE("lt(thread.x, $)"), REVERSED), NULL, much},
    /* More comparisons than there are equations. */
    {"eq(thread.x, 7:u32)", "both(~, eq(add(mul(thread.x, 3:u32), convert(%n):u32), 29:u32))", ONCE(WHERE("$"), REVERSED), NULL, much},
    /* In a loop around both. */
    {"mul(thread.x, 7:u32)", HASH, REPEATED(WHERE(ODD), REVERSED), NULL, much},
    {"add(thread.x, convert(%p):u32)", HASH, REPEATED(WHERE(ODD), REVERSED), other, much},
    {"mul(thread.x, 7:u32)", SUM, REPEATED(WHERE(ODD), REVERSED), NULL, much},
    /* Around the load, in its place, and as the end of its loop. */
    {"mul(thread.x, 7:u32)", HASH, ONCE(STORE "%v\n", "  let %w = load %s[convert(and($, 63:u32)):i64]\n"), NULL, NULL},
    {"lt(thread.x, 50:u32)", BOTH, ONCE(STORE "%v\n", "  local %w: i32\n  set %w = 0:i32\n  if $ {\n  let %l = load %s[convert(thread.x):i64]\n  set %w = %l\n  }\n"), NULL, NULL},
    {"mul(block.x, 7:u32)", LEAST, ONCE(STORE "%v\n", "  local %w: i32\n  set %w = 0:i32\n  for %j = 0:u32, $, 1:u32 {\n  let %l = load %s[convert(and(%j, 63:u32)):i64]\n"
						    "  set %w = add(%w, %l)\n  }\n"), NULL, NULL},
    /* In the store's place, and in what is stored. */
    {"mul(thread.x, 7:u32)", HASH, ONCE("  store %s[convert(and($, 63:u32)):i64] = %v\n", REVERSED), unsolved, unsolved},
    {"mul(thread.x, 7:u32)", HASH, ONCE(STORE "convert($):i32\n", REVERSED), NULL, much},
    {"convert(%i):f32", FLOAT, "module contract\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n  shared %s: [f32 x 256]\n"
     INDEX "&" STORE "$\n" BARRIER REVERSED "  store *%y[convert(%i):i64] = convert(%w):i32\n}\n", NULL, much},
};

/* The text with the chain of that many links. */
static char *with_chain(size_t row, unsigned count)
{
	struct kt_buf text = KT_BUF(KT_IR_TEXT_BYTES);

	for (const char *at = chains[row].text; *at != '\0'; at++) {
		if (*at == '$')
			kt_buf_addf(&text, "%%h%u", count);
		else if (*at == '&') {
			kt_buf_addf(&text, "  let %%h0 = %s\n", chains[row].first);
			for (unsigned i = 1; i <= count; i++) {
				kt_buf_addf(&text, "  let %%h%u = ", i);
				for (const char *link = chains[row].link; *link != '\0'; link++) {
					if (*link == '~')
						kt_buf_addf(&text, "%%h%u", i - 1);
					else
						kt_buf_add(&text, link, 1);
				}
				kt_buf_adds(&text, "\n");
			}
		} else
			kt_buf_add(&text, at, 1);
	}
	return text.data;
}

static bool is_line(struct ir_shape *shape, const void *context)
{
	(void)context;
	return shape->block[0] == 64 && shape->block[1] * shape->block[2] == 1;
}

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const struct kt_ir_facts facts = {.block = {64, 1, 1}, .arguments = arguments, .grid = {"8"}, .blocks = {"64"}};

static void test_chains(void **state)
{
	static const unsigned lengths[] = {3, 15, 30, 80};
	static const int64_t without[] = {1};

	(void)state;
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++)
		for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
			struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			char *text = with_chain(i, lengths[k]);
			const struct kt_ir_offer *offer = pass_offer(arena, text, "unstage", &facts);
			const char *why = k == 3 ? chains[i].why_long : chains[i].why;
			struct ir_comparison c;

			if (offer->answers[0].applies != (why == NULL) || (why != NULL && strcmp(offer->answers[0].text, why) != 0))
				fail_msg("%s\n%s", offer->answers[0].text, text);
			if (why == NULL && (!ir_same_results(&c, offer->module, pass_variant(arena, offer, without), is_line, NULL, 1, LAUNCHES) || c.right == 0))
				fail_msg("%u right, %s\n%s", c.right, c.message, text);
			free(text);
			kt_arena_free(arena);
		}
}

#define REVERSING HEAD LOADED "  store %s[convert(add(mul(div(thread.x, 8:u32), 8:u32), rem(thread.x, 8:u32))):i64] = %v\n" BARRIER REVERSED RESULT

/* Wherever memory ends, the pass refuses and nothing else happens. */
static void test_memory(void **state)
{
	struct kt_arena *from = kt_arena_new(KT_ARENA_REGION_BYTES);
	const size_t most = (size_t)4 << 20, step = 300;
	unsigned refused = 0;
	bool is_done = false;

	(void)state;
	for (size_t kernel = 0; kernel < 3; kernel++) {
		char *text = kernel == 0 ? NULL : with_chain(3 * kernel, 4);
		const struct kt_ir_module *module = ir_read(from, kernel == 0 ? REVERSING : text);

		is_done = false;
		for (size_t ceiling = step; ceiling < most && !is_done; ceiling += step) {
			struct kt_arena *arena = kt_arena_new(ceiling);
			struct kt_ir_module *copy = kt_ir_copy(module, arena, false);
			struct kt_ir_unstaged u;

			if (copy != NULL && !copy->failed) {
				is_done = kt_ir_unstage(&u, arena, copy, facts.block);
				assert_true(is_done || u.why != NULL);
				refused += !is_done;
			}
			kt_arena_free(arena);
		}
		assert_true(is_done && refused > 10);
		free(text);
	}
	kt_arena_free(from);
}

/* Two launches whose texts together are longer than a template's: what the kernel as it is has stays. */
static void test_long_texts(void **state)
{
	static const char *const allowed[] = {"unstage", "blocks", "items"};
	struct kt_arena *arena = kt_arena_new(8 * KT_ARENA_REGION_BYTES);
	struct kt_ir_facts known = facts;
	struct kt_ir_offer *offer;
	struct kt_error err = {0};
	char grid[2500];

	(void)state;
	memset(grid, '7', sizeof grid - 1);
	grid[sizeof grid - 1] = '\0';
	known.grid[0] = grid;
	known.allowed = allowed;
	known.allowed_count = 3;
	assert_true(kt_ir_offer_make(&offer, arena, ir_read(arena, REVERSING), &known, &err) == KT_OK);
	assert_null(offer->other);
	assert_string_equal(offer->answers[0].text, "the passes offer more for both kernels than a template holds");
	assert_int_equal(offer->tunable_count, 1);
	assert_string_equal(offer->tunables[0].name, "BLOCKS");
	for (size_t i = 0; i < offer->restriction_count; i++)
		assert_null(strstr(offer->restrictions[i].text, "UNSTAGE"));
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains), cmocka_unit_test(test_memory), cmocka_unit_test(test_long_texts)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
