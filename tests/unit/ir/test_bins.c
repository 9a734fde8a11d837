/* Copies of buffers of few elements: which kernels, under which guards and restrictions, and that variants compute the same. */
#include <stdio.h>
#include <stdlib.h>

#include "launches.h"
#include "pass_case.h"

#define HEAD "module\nkernel @k(%y: ptr<global, i32>, %x: ptr<global, const i32>, %n: i32) {\n"
#define INDEX "  let %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32\n"
#define GUARDED(body) INDEX "  if lt(%i, %n) {\n    let %v = load *%x[convert(%i):i64]\n" body "  }\n"
#define ATOMIC(op, place, value) "    atomic." op " *%y[" place "] (" value ") relaxed grid\n"
#define BIN "convert(and(%v, 15:i32)):i64"
#define ADD GUARDED(ATOMIC("add", BIN, "1:i32"))

static const struct kt_ir_argument_facts arguments[] = {{"y", "n", false}, {"x", "n", true}, {"n", NULL, false}};
static const int64_t most[] = {16, 0, 0};
static const struct kt_ir_facts facts = {.block = {64, 1, 1}, .arguments = arguments, .most = most, .grid = {"8"}, .blocks = {"64"}};

static const char no_element[] = "an atomic is not of one element of a buffer, or of an operation whose order matters",
		  one_place[] = "threads of a block add to one place", accessed[] = "the place of the atomics is accessed otherwise",
		  single[] = "one thread of a block or warp does it already", passed[] = "threads may pass a barrier by",
		  unknown[] = "how many elements the buffer of the atomics has is not known",
		  large[] = "shared memory does not hold as many elements as the buffer of the atomics has";

/* Each condition, with a kernel that lacks it and nothing else. */
static const struct {
	const char *body, *why;
} refused[] = {
    {GUARDED("    store *%y[convert(%i):i64] = %v\n"), "the kernel has no atomics"},
    {ADD "  opaque \"f()\"() effects(all)\n", "a statement is opaque"},
    {ADD "  fence grid\n", "a fence orders accesses"},
    {ADD "  let %w = load *%x[0:i64] volatile\n  local %a: i32\n  set %a = %w\n", "an access is volatile"},
    {GUARDED("    let %o = atomic.add *%y[" BIN "] (1:i32) relaxed grid\n    store *%y[convert(%o):i64] = %v\n"), "what an atomic returns is used"},
    {GUARDED("    atomic.add *%y[" BIN "] (1:i32) acquire grid\n"), "an atomic orders other accesses"},
    {INDEX "  if lt(%i, %n) {\n  barrier block\n  }\n" ATOMIC("add", "convert(and(%i, 15:i32)):i64", "1:i32"), passed},
    /* The place. */
    {GUARDED(ATOMIC("add", "3:i64", "%v")), one_place},
    {GUARDED(ATOMIC("add", "convert(block.x):i64", "%v")), one_place},
    {GUARDED("    atomic.add *%y[" BIN "].as(i64, align 4) (1:i64) relaxed grid\n"), no_element},
    {GUARDED("    atomic.add *(convert(%y):ptr<global, u64>)[" BIN "] (1:u64) relaxed grid\n"), no_element},
    {GUARDED("    atomic.add *(convert(convert(%y):ptr<global, i64>):ptr<global, u32>)[" BIN "] (1:u32) relaxed grid\n"), no_element},
    {GUARDED("    atomic.add *(convert(addr(*%y[" BIN "])):ptr<global, u32>)[" BIN "] (1:u32) relaxed grid\n"), no_element},
    {GUARDED("    atomic.add *%y (1:i32) relaxed grid\n"), no_element},
    {"  shared %s: [i32 x 16]\n" INDEX "  atomic.add %s[convert(and(%i, 15:i32)):i64] (%i) relaxed grid\n", "the kernel has no atomics"},
    {INDEX "  if eq(thread.x, 0:u32) {\n" ATOMIC("add", "convert(and(%n, %i)):i64", "1:i32") "  }\n", single},
    /* The operation. */
    {GUARDED("    atomic.add *%y[" BIN "] (1:i32) relaxed block\n"), no_element},
    {GUARDED("    atomic.add *%y[" BIN "] (1:i32) relaxed system\n"), no_element},
    {GUARDED(ATOMIC("exchange", BIN, "%v")), no_element},
    /* Who else sees the buffer: another element of it counts, too. */
    {ADD "  if eq(%i, 3:i32) {\n    store *%y[300:i64] = 1:i32\n  }\n", accessed},
    {GUARDED(ATOMIC("add", BIN, "1:i32") "    let %w = load *%y[300:i64]\n    atomic.add *%y[" BIN "] (%w) relaxed grid\n"), accessed},
    {GUARDED(ATOMIC("add", "3:i64", "1:i32") ATOMIC("max", "convert(add(and(%v, 15:i32), 16:i32)):i64", "%v")), accessed},
    {GUARDED(ATOMIC("add", BIN, "1:i32") ATOMIC("sub", BIN, "1:i32")), accessed},
    {GUARDED(ATOMIC("add", BIN, "1:i32") "    atomic.add *(convert(%y):ptr<global, f32>)[0:i64] (0x1p+0:f32) relaxed grid\n"), accessed},
};

static void test_refused(void **state)
{
	static const char *const operations[] = {"add", "or", "max"};
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		snprintf(text, sizeof text, "%s%s}\n", HEAD, refused[i].body);
		pass_refuses(text, "bins", &facts, 0, refused[i].why);
	}
	for (size_t i = 0; i < 3; i++) {
		snprintf(text, sizeof text, "module\nkernel @k(%%y: ptr<global, i16>) {\n  atomic.%s *%%y[convert(thread.x):i64] (1:i16) relaxed grid\n}\n", operations[i]);
		pass_refuses(text, "bins", &facts, 0, no_element);
	}
	/* Parts of structures and of vectors. */
	pass_refuses("module\nstruct @one size 4 align 4 { a: i32 at 0 }\nkernel @k(%y: ptr<global, struct @one>) {\n  atomic.add *%y[convert(thread.x):i64].a (1:i32) relaxed grid\n}\n",
		     "bins", &facts, 0, no_element);
	/* Two elements of a variable that are seen as one. */
	pass_refuses("module\nglobal %g: [i32 x 64]\nkernel @k() {\n  atomic.add %g[convert(thread.x):i64].as(i64, align 4) (1:i64) relaxed grid\n}\n", "bins", &facts, 0, no_element);
	/* An element of a row of a variable, a pointer that was loaded. */
	pass_refuses("module\nglobal %g: [[i32 x 4] x 4]\nkernel @k() {\n  atomic.add %g[convert(thread.x):i64][1:i64] (1:i32) relaxed grid\n}\n", "bins", &facts, 0, no_element);
	pass_refuses("module\nkernel @k(%y: ptr<global, ptr<global, i32>>) {\n  let %q = load *%y[0:i64]\n  atomic.add *%q[convert(thread.x):i64] (1:i32) relaxed grid\n}\n", "bins",
		     &facts, 0, no_element);
}

static void test_refused_facts(void **state)
{
	static const int64_t none[] = {0, 0, 0}, too_many[] = {11777, 0, 0}, as_many[] = {11776, 0, 0};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_facts other = facts;

	(void)state;
	other.most = NULL;
	pass_refuses(HEAD ADD "}\n", "bins", &other, 0, unknown);
	other.most = none;
	pass_refuses(HEAD ADD "}\n", "bins", &other, 0, unknown);
	other.most = too_many;
	pass_refuses(HEAD ADD "}\n", "bins", &other, 0, large);
	other.most = as_many;
	assert_true(pass_offer(arena, HEAD ADD "}\n", "bins", &other)->answers[0].applies);
	/* Beside the kernel's own shared memory. */
	pass_refuses(HEAD "  shared %s: [i32 x 1]\n  store %s[0:i64] = 1:i32\n" ADD "}\n", "bins", &other, 0, large);
	other = facts;
	other.arguments = NULL;
	pass_refuses(HEAD ADD "}\n", "bins", &other, 0, "buffers may overlap: their element counts are not known");
	pass_refuses(HEAD "  shared %s: [i32 x ?] extern\n  store %s[convert(thread.x):i64] = 1:i32\n" ADD "}\n", "bins", &facts, 0,
		     "how much shared memory the launch gives is not known");
	kt_arena_free(arena);
}

static bool has_clause(const struct kt_ir_clause *clauses, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(clauses[i].text, text) == 0)
			return true;
	return false;
}

static void test_clauses(void **state)
{
	static const int64_t some[] = {3000, 0, 0};
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD ADD "}\n", "bins", &facts);
	struct kt_ir_facts other = facts;

	(void)state;
	assert_int_equal(offer->guard_count, 1);
	assert_true(has_clause(offer->guards, 1, "BINS == 0 || disjoint(x, n, y, n)"));
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "BINS <= 8"));
	/* Copies have room beside what the launch gives, and what the kernel has. */
	other.most = some;
	other.shared_bytes = "4 * n";
	offer = pass_offer(arena, HEAD "  shared %s: [i32 x ?] extern\n  store %s[convert(thread.x):i64] = 1:i32\n" ADD "}\n", "bins", &other);
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "BINS <= 2"));
	assert_true(has_clause(offer->guards, offer->guard_count, "BINS == 0 || BINS * 12004 + (4 * n) <= 47104"));
	offer = pass_offer(arena, HEAD "  shared %s: [i32 x 6000]\n  store %s[convert(thread.x):i64] = 1:i32\n" ADD "}\n", "bins", &other);
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "BINS <= 1"));
	/* Atomics of the same operation through another pointer change nothing; a restrict one leads nowhere else. */
	offer = pass_offer(arena, "module\nkernel @k(%y: ptr<global, i32> restrict, %x: ptr<global, const i32>, %n: i32) {\n" ADD "}\n", "bins", &facts);
	assert_int_equal(offer->guard_count, 0);
	kt_arena_free(arena);
}

static bool is_known(struct ir_shape *shape, const void *context)
{
	const uint32_t *block = context;

	return shape->block[0] == block[0] && shape->block[1] == block[1] && shape->block[2] == 1;
}

static const char *const bodies[] = {
    ADD,
    /* Some of the elements have no copy; indices of 64 bits, too. */
    GUARDED(ATOMIC("add", "convert(and(%v, 63:i32)):i64", "%v")),
    GUARDED(ATOMIC("add", "add(convert(rem(%v, 30:i32)):i64, 40:i64)", "%v")),
    GUARDED(ATOMIC("sub", BIN, "%v")),
    GUARDED(ATOMIC("sub", "convert(and(%v, 31:i32)):i64", "%v")),
    GUARDED(ATOMIC("min", BIN, "%v")),
    GUARDED(ATOMIC("max", BIN, "%v")),
    GUARDED(ATOMIC("and", BIN, "%v")),
    GUARDED(ATOMIC("or", BIN, "%v")),
    GUARDED(ATOMIC("xor", BIN, "%v")),
    /* Casts of elements and of pointers that keep the size. */
    GUARDED("    atomic.add *%y[" BIN "].as(u32, align 4) (1:u32) relaxed grid\n"),
    GUARDED("    atomic.add *(convert(%y):ptr<global, u32>)[" BIN "] (3000000000:u32) relaxed grid\n"),
    GUARDED("    atomic.max *(convert(addr(*%y[" BIN "])):ptr<global, u32>) (convert(%v):u32) relaxed grid\n"),
    /* Several atomics of one buffer, in loops and branches, of which one is of the block's place. */
    INDEX "  for %k = 0:i32, 5:i32, 1:i32 {\n    if lt(rem(%i, 3:i32), %k) {\n" ATOMIC("add", "convert(rem(%k, 7:i32)):i64", "%k") "    } else {\n"
    ATOMIC("add", "2:i64", "1:i32") "    }\n  }\n",
    /* Barriers and shared memory of the kernel, with a separate copy. */
    "  shared %s: [i32 x 16]\n" INDEX "  let %t = add(thread.x, mul(thread.y, blockdim.x))\n  if lt(%t, 16:u32) {\n    store %s[convert(%t):i64] = 0:i32\n  }\n"
    "  barrier block\n  atomic.add %s[convert(and(%i, 15:i32)):i64] (%i) relaxed grid\n  barrier block\n"
    "  if lt(%t, 16:u32) {\n    let %w = load %s[convert(%t):i64]\n    atomic.add *%y[convert(%t):i64] (%w) relaxed grid\n  }\n",
};

static void test_variants(void **state)
{
	static const uint32_t blocks[][2] = {{64, 1}, {16, 2}};
	struct ir_comparison c;
	char text[4096];

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
		for (size_t b = 0; b < 2; b++) {
			struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
			struct kt_ir_facts own = facts;
			const struct kt_ir_offer *offer;

			own.block[0] = blocks[b][0];
			own.block[1] = blocks[b][1];
			snprintf(text, sizeof text, "%s%s}\n", HEAD, bodies[i]);
			offer = pass_offer(arena, text, "bins", &own);
			if (!offer->answers[0].applies)
				fail_msg("%s: %s", offer->answers[0].text, text);
			for (int64_t copies = 1; copies <= 4; copies *= 4) {
				const struct kt_ir_module *made = pass_variant(arena, offer, &copies);

				if (!ir_same_results(&c, offer->module, made, is_known, blocks[b], 1, 60))
					fail_msg("%s\n%s%s", c.message, text, ir_text(made));
				assert_true(c.right > 0);
			}
			kt_arena_free(arena);
		}
}

/* What the text has: a test of the index only where it may be another one; −0 in sums of floats; two buffers. */
static void test_texts(void **state)
{
	static const int64_t two[] = {16, 4, 0}, one = 1;
	struct kt_arena *arena = kt_arena_new(KT_ARENA_REGION_BYTES);
	struct kt_ir_facts other = facts;
	const struct kt_ir_offer *offer = pass_offer(arena, HEAD ADD "}\n", "bins", &facts);
	char *text = ir_text(pass_variant(arena, offer, &one));

	(void)state;
	assert_non_null(strstr(text, "  shared %own: [i32 x 16]\n"));
	assert_non_null(strstr(text, "atomic.add %own[convert(convert(and(%v, 15:i32)):u32):i64] (1:i32)"));
	assert_null(strstr(text, "} else {"));
	free(text);
	other.most = two;
	offer = pass_offer(arena, "module\nkernel @k(%y: ptr<global, f32>, %x: ptr<global, f32>, %n: i32) {\n" INDEX
			   "  atomic.add *%y[convert(rem(%i, 16:i32)):i64] (0x1p+0:f32) relaxed grid\n"
			   "  atomic.add *%x[convert(rem(%i, 5:i32)):i64] (0x1p+1:f32) relaxed grid\n}\n", "bins", &other);
	text = ir_text(pass_variant(arena, offer, &one));
	assert_non_null(strstr(text, "= -0x0p+0:f32\n"));
	assert_non_null(strstr(text, "  shared %own.1: [f32 x 4]\n"));
	assert_non_null(strstr(text, "} else {"));
	/* Both add floats: no guard keeps them apart. */
	assert_int_equal(offer->guard_count, 0);
	free(text);
	/* A remainder may be below zero, and a pointer may lead to the middle of its buffer. */
	text = ir_text(pass_variant(arena, pass_offer(arena, HEAD GUARDED(ATOMIC("add", "convert(rem(%v, 16:i32)):i64", "1:i32")) "}\n", "bins", &facts), &one));
	assert_non_null(strstr(text, "if lt(convert(rem(%v, 16:i32)):u32, 16:u32) {\n"));
	free(text);
	text = ir_text(pass_variant(arena, pass_offer(arena, HEAD GUARDED(ATOMIC("add", "mul(convert(%v):i64, 4294967297:i64)", "1:i32")) "}\n", "bins", &facts), &one));
	assert_non_null(strstr(text, "if lt(convert(mul(convert(%v):i64, 4294967297:i64)):u64, 16:u64) {\n"));
	free(text);
	for (int n = 8; n <= 64; n += 56)
		pass_same(offer, pass_variant(arena, offer, &one), 2, 32, n);
	kt_arena_free(arena);
}

static const char *const names[] = {"blocks", "bins", "items", "block_size", "stride"};

/* The offer of the first passes of that list. */
static struct kt_ir_offer *with_blocks(struct kt_arena *arena, const char *text, size_t count)
{
	struct kt_ir_facts *own = kt_arena_alloc(arena, sizeof *own);
	struct kt_ir_offer *offer;
	struct kt_error err;

	assert_non_null(own);
	*own = facts;
	own->allowed = names;
	own->allowed_count = count;
	if (kt_ir_offer_make(&offer, arena, ir_read(arena, text), own, &err) != KT_OK)
		fail_msg("%s\n%s", err.message, text);
	return offer;
}

static bool is_offered(const struct kt_ir_offer *offer, const char *name)
{
	for (size_t i = 0; i < offer->tunable_count; i++)
		if (strcmp(offer->tunables[i].name, name) == 0)
			return true;
	return false;
}

static bool divide(struct ir_shape *shape, const void *context)
{
	const uint32_t *count = context;

	if (shape->grid[0] % *count != 0 || shape->block[0] != 64 || shape->block[1] * shape->block[2] != 1)
		return false;
	shape->grid[0] /= *count;
	return true;
}

/* A block with copies does the work of many, also where threads are independent. */
static void test_blocks(void **state)
{
	static const char waves[] = HEAD "  for %i = convert(add(mul(block.x, blockdim.x), thread.x)):i32, %n, convert(mul(griddim.x, blockdim.x)):i32 {\n"
				    "    let %v = load *%x[convert(%i):i64]\n" ATOMIC("add", BIN, "1:i32") "  }\n}\n";
	static const char stored[] = HEAD GUARDED("    store *%y[convert(%i):i64] = %v\n") "}\n";
	static const char shared[] = HEAD "  shared %s: [i32 x 64]\n" INDEX "  store %s[convert(thread.x):i64] = %i\n  barrier block\n"
				     "  let %w = load %s[convert(sub(63:u32, thread.x)):i64]\n  atomic.add *%y[convert(and(%w, 15:i32)):i64] (1:i32) relaxed grid\n}\n";
	static const char *const texts[] = {HEAD ADD "}\n", shared};
	struct kt_arena *arena = kt_arena_new(2 * KT_ARENA_REGION_BYTES);
	const struct kt_ir_offer *offer = with_blocks(arena, texts[0], 5);
	struct ir_comparison c;

	(void)state;
	assert_true(has_clause(offer->restrictions, offer->restriction_count, "BLOCKS == 1 || BINS > 0"));
	assert_true(has_clause(offer->guards, offer->guard_count,
			       "(ceil_div((ceil_div(8, ITEMS)) * 64, BLOCK)) % BLOCKS == 0 || n <= (8) * (64)"));
	assert_true(has_clause(offer->guards, offer->guard_count, "(8) * (64) <= 2130706432"));
	assert_string_equal(offer->grid[0], "ceil_div(ceil_div((ceil_div(8, ITEMS)) * 64, BLOCK), BLOCKS)");
	/* Loops over the grid have their own number of blocks. */
	offer = with_blocks(arena, waves, 5);
	assert_true(is_offered(offer, "WAVES") && is_offered(offer, "BINS") && !is_offered(offer, "BLOCKS"));
	/* Without copies a thread does the work of several. */
	assert_false(is_offered(with_blocks(arena, stored, 5), "BLOCKS"));
	assert_false(is_offered(with_blocks(arena, texts[0], 1), "BLOCKS"));
	/* Where threads wait for each other, blocks may be one after the other in any case. */
	offer = with_blocks(arena, shared, 5);
	assert_true(is_offered(offer, "BLOCKS") && is_offered(offer, "BINS"));
	assert_false(has_clause(offer->restrictions, offer->restriction_count, "BLOCKS == 1 || BINS > 0"));
	for (size_t t = 0; t < 2; t++) {
		const int64_t values[] = {4, 2};
		const uint32_t by = 4;
		const struct kt_ir_module *made;

		offer = with_blocks(arena, texts[t], 2);
		assert_int_equal(offer->tunable_count, 2);
		made = pass_variant(arena, offer, values);
		if (!ir_same_results(&c, offer->module, made, divide, &by, 1, 80))
			fail_msg("%s\n%s%s", c.message, texts[t], ir_text(made));
		assert_true(c.right > 0);
	}
	kt_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_facts), cmocka_unit_test(test_clauses),
	    cmocka_unit_test(test_variants), cmocka_unit_test(test_texts),   cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
